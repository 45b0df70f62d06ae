/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* setitimer */
#include "server/cli/commands/complete.h"

#include "base/format.h"
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"
#include "server/cli/client/server_record.h"
#include "server/cli/options/bash_line.h"
#include "server/cli/options/commands.h"
#include "server/share/redact.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define RUNS_MAX       200 /* newest runs that are offered */
#define NEWEST_WORDS   9   /* @1 to @9 */
#define SHELF_ARGS_MAX 16
#define TIME_MAX_MS    700 /* a server that does not answer must not block the shell */
#define NAMED_MAX      2   /* operands whose tables are offered: BASE and NEW */

/* What is completed, and the answer. */
struct completion {
    const char *const *words; /* words behind "perfshelf"; the last one is completed */
    size_t n;
    const char *prefix;              /* the last word, behind `option` */
    struct ps_str option;            /* "--of=" of the last word, or empty */
    const struct ps_bash_line *line; /* quotes the words of the answer; NULL: they are plain */
    const char *named[NAMED_MAX],
        *of; /* operands and value of --of before the last word, or NULL */
    enum ps_command command;
    struct ps_client *client; /* NULL until a candidate is on the shelf, and if it cannot be read */
    struct ps_options shelf;
    struct ps_buf out;
};

/* Whether a shell can show the word as one candidate, and find what it names: a name that is not
 * UTF-8 contains U+FFFD here. */
static bool is_printable(const char *word)
{
    PS_AUTO(ps_buf_free) struct ps_buf shown = {0};

    ps_append_escaped(&shown, ps_str_from_c(word));
    return shown.len == strlen(word) && !strstr(word, "\xef\xbf\xbd");
}

/* Offers a word that starts with the prefix. */
static void offer(struct completion *c, const char *word, const char *description)
{
    PS_AUTO(ps_buf_free) struct ps_buf whole = {0};

    if (strncmp(word, c->prefix, strlen(c->prefix)) != 0 || !is_printable(word))
        return;
    ps_buf_add_str(&whole, c->option);
    ps_buf_puts(&whole, word);
    if (c->line) {
        ps_bash_line_quote(c->line, whole.ptr, &c->out);
        return;
    }
    ps_buf_printf(&c->out, "%s\t", whole.ptr);
    ps_append_escaped(&c->out, ps_str_from_c(description));
    ps_buf_puts(&c->out, "\n");
}

/* Offers a word that somebody chose, such as the name of a run. The name of a run of a hostile
 * person may be an option, such as --server=URL. */
static void offer_name(struct completion *c, const char *word, const char *description)
{
    if (word[0] != '-' || c->option.len)
        offer(c, word, description);
}

/* --- The shelf --- */

static void end_in_time(int number)
{
    (void)number;
    _exit(0);
}

/* Ends the process, without an answer, if a server or a database does not answer in time. */
static void limit_time(void)
{
    const struct itimerval limit = {.it_value = {0, TIME_MAX_MS * 1000}};
    const struct sigaction action = {.sa_handler = end_in_time};
    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &limit, NULL);
}

/* Opens the shelf that the words select, as `list` would. */
static struct ps_client *open_shelf(struct completion *c)
{
    const char *argv[SHELF_ARGS_MAX] = {"perfshelf", "list"};
    struct ps_err err = PS_ERR_INIT;
    int argc = 2;
    if (c->client)
        return c->client;
    for (size_t i = 1; i + 1 < c->n && argc + 2 < SHELF_ARGS_MAX; i++) {
        const struct ps_option_row *option = ps_option_find(PS_COMMAND_LIST, c->words[i]);
        if (!option || !option->selects_shelf)
            continue;
        argv[argc++] = c->words[i];
        if (!strchr(c->words[i], '=') && i + 2 < c->n)
            argv[argc++] = c->words[++i];
    }
    if (ps_options_parse(argc, (char **)argv, &c->shelf, &err) != PS_OK)
        return NULL;
    if (c->shelf.server || c->shelf.store)
        limit_time();
    ps_server_select_shelf(&c->shelf);
    return c->client = ps_client_open(&c->shelf);
}

/* Reads a path of the API; NULL if that fails. Free with ps_json_free. */
static cJSON *read_shelf(struct completion *c, const char *path)
{
    struct ps_client *client = open_shelf(c);
    struct ps_err err = PS_ERR_INIT;
    cJSON *answer = NULL;
    if (client)
        ps_client_read(client, path, &answer, &err);
    return answer;
}

static void offer_series(struct completion *c, const char *before)
{
    PS_AUTO(ps_json_free) cJSON *shelf = read_shelf(c, "shelf");
    const cJSON *series;
    cJSON_ArrayForEach(series, ps_member(shelf, "series"))
    {
        PS_AUTO(ps_buf_free) struct ps_buf word = {0};
        char count[64];
        ps_buf_printf(&word, "%s%s", before, ps_member_text(series, "series"));
        offer_name(c, word.ptr,
                   ps_format_count((uint64_t)ps_member_or_0(series, "runs"), "run", count));
    }
}

/* Offers the tags in use; only their keys if `only_keys`. */
static void offer_tags(struct completion *c, const char *before, bool only_keys)
{
    PS_AUTO(ps_json_free) cJSON *shelf = read_shelf(c, "shelf");
    PS_AUTO(ps_buf_free) struct ps_buf last = {0};
    const cJSON *tag;
    cJSON_ArrayForEach(tag, ps_member(shelf, "tags"))
    {
        PS_AUTO(ps_buf_free) struct ps_buf word = {0};
        const char *text = tag->valuestring ? tag->valuestring : "";
        const size_t len = only_keys ? strcspn(text, "=") : strlen(text);
        ps_buf_printf(&word, "%s%.*s", before, (int)len, text);
        if (last.len && strcmp(last.ptr, word.ptr) == 0)
            continue; /* tags are sorted, so those of one key are neighbours */
        offer_name(c, word.ptr, "");
        ps_buf_free(&last);
        last = word;
        word = (struct ps_buf){0};
    }
}

/* Offers the newest runs by name and as @1 to @9. */
static void offer_runs(struct completion *c)
{
    char path[80], value_text[64], time_text[32];
    (void)snprintf(path, sizeof path, "runs?sort=created_at&desc=1&limit=%d", RUNS_MAX);
    PS_AUTO(ps_json_free) cJSON *page = read_shelf(c, path);
    const cJSON *run;
    unsigned n = 0;
    cJSON_ArrayForEach(run, ps_member(page, "rows"))
    {
        PS_AUTO(ps_buf_free) struct ps_buf about = {0};
        char newest[16];
        ps_buf_printf(&about, "%s %s, %s", ps_member_text(run, "kind"),
                      ps_run_format_headline(run, value_text), ps_run_format_time(run, time_text));
        offer_name(c, ps_member_text(run, "name"), about.ptr);
        if (++n > NEWEST_WORDS)
            continue;
        (void)snprintf(newest, sizeof newest, "@%u", n);
        offer(c, newest, ps_member_text(run, "name"));
    }
}

/* Offers what RUN and GROUP may be. Prefixes such as "series:" are offered as far as they are
 * typed, so that the list of runs stays short. */
static void offer_groups(struct completion *c)
{
    if (strncmp(c->prefix, "series:", 7) == 0)
        offer_series(c, "series:");
    else if (strncmp(c->prefix, "baseline:", 9) == 0)
        offer_series(c, "baseline:");
    else if (strncmp(c->prefix, "tag:", 4) == 0)
        offer_tags(c, "tag:", false);
    else
        offer_runs(c);
}

/* --- Tables and metrics --- */

/* Reads the tables by which the runs before the last word can be compared. */
static cJSON *read_tables(struct completion *c)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0}, series = {0};

    ps_buf_puts(&path, "compare");
    if (!c->named[0])
        return NULL;
    if (c->command == PS_COMMAND_TREND && !strchr(c->named[0], ':'))
        ps_buf_printf(&series, "series:%s@1", c->named[0]);
    ps_url_add_param(&path, "new",
                     series.len    ? series.ptr
                     : c->named[1] ? c->named[1]
                                   : c->named[0]);
    return read_shelf(c, path.ptr);
}

static void offer_tables(struct completion *c)
{
    PS_AUTO(ps_json_free) cJSON *compared = read_tables(c);
    const cJSON *table;
    cJSON_ArrayForEach(table, ps_member(compared, "tables"))
        offer(c, ps_member_text(table, "of"), "");
}

/* Offers the metrics of the table of --of, or of the first one. */
static void offer_metrics(struct completion *c)
{
    PS_AUTO(ps_json_free) cJSON *compared = read_tables(c);
    const cJSON *table, *metric;
    cJSON_ArrayForEach(table, ps_member(compared, "tables"))
    {
        if (c->of && strcmp(c->of, ps_member_text(table, "of")) != 0)
            continue;
        cJSON_ArrayForEach(metric, ps_member(table, "metrics"))
            offer(c, ps_member_text(metric, "metric"), ps_member_text(metric, "label"));
        return;
    }
}

/* --- Words --- */

static void offer_words(struct completion *c, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        offer(c, words[i], "");
}

/* Offers the categories of --redact that a list does not have yet. */
static void offer_categories(struct completion *c)
{
    const char *comma = strrchr(c->prefix, ',');
    const size_t len = comma ? (size_t)(comma - c->prefix) + 1 : 0;
    if (!len)
        offer(c, "all", "");
    for (size_t i = 0; i < PS_N_REVEALS; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf word = {0};
        ps_buf_printf(&word, "%.*s%s", (int)len, c->prefix, ps_reveal_names[i]);
        offer(c, word.ptr, "");
    }
}

/* Offers values for a placeholder of the help, such as RUN or FILE; nothing for free text. */
static void offer_values(struct completion *c, struct ps_str placeholder)
{
    static const char *const roles[] = {"viewer", "uploader", "admin"};
    static const char *const per[] = {"step", "run", "call"};
    static const char *const runs[] = {"RUN", "RUNS", "GROUP", "BASE", "NEW", "BASELINE"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (ps_str_eq_c(placeholder, runs[i])) {
            offer_groups(c);
            return;
        }
    if (ps_str_eq_c(placeholder, "FILE"))
        ps_buf_puts(&c->out, PS_COMPLETE_FILES);
    else if (ps_str_eq_c(placeholder, "DIR") || ps_str_eq_c(placeholder, "TARGET") ||
             ps_str_eq_c(placeholder, "STORE"))
        ps_buf_puts(&c->out, PS_COMPLETE_FOLDERS);
    else if (ps_str_eq_c(placeholder, "SERIES"))
        offer_series(c, "");
    else if (ps_str_eq_c(placeholder, "KEY=VALUE"))
        offer_tags(c, "", false);
    else if (ps_str_eq_c(placeholder, "KEY"))
        offer_tags(c, "", true);
    else if (ps_str_eq_c(placeholder, "ROLE"))
        offer_words(c, roles, sizeof roles / sizeof *roles);
    else if (ps_str_eq_c(placeholder, "PER"))
        offer_words(c, per, sizeof per / sizeof *per);
    else if (ps_str_eq_c(placeholder, "TABLE"))
        offer_tables(c);
    else if (ps_str_eq_c(placeholder, "METRIC"))
        offer_metrics(c);
    else if (ps_str_eq_c(placeholder, "CATEGORIES"))
        offer_categories(c);
}

static void offer_commands(struct completion *c)
{
    for (size_t i = PS_COMMAND_NONE + 1; i < PS_N_COMMANDS; i++)
        offer(c, ps_commands[i].name, ps_command_texts[i].summary);
    offer(c, "help", "show the help of a command");
}

static void offer_options(struct completion *c)
{
    for (size_t i = 0; i < ps_option_rows_count; i++)
        if (ps_option_is_offered(&ps_option_rows[i], c->command))
            offer(c, ps_option_rows[i].name, ps_option_rows[i].description);
    offer(c, "--help", "show this help");
}

/* Offers the words that the help lists below an argument, such as the recorders. They are indented
 * there. */
static void offer_listed_words(struct completion *c, const char *arguments)
{
    while (arguments && *arguments) {
        const size_t line = strcspn(arguments, "\n"), term = strcspn(arguments, "\t");
        if (arguments[0] == ' ' && term < line) {
            const size_t indent = strspn(arguments, " ");
            PS_AUTO(ps_buf_free) struct ps_buf word = {0}, about = {0};
            ps_buf_printf(&word, "%.*s", (int)(term - indent), arguments + indent);
            ps_buf_printf(&about, "%.*s", (int)(line - term - 1), arguments + term + 1);
            offer(c, word.ptr, about.ptr);
        }
        arguments += line + (arguments[line] == '\n');
    }
}

/* The operand at position `at` of a form of the usage: RUN of "[OPTIONS] RUN...". An operand that
 * repeats is also all later ones. */
static struct ps_str usage_operand(struct ps_str form, size_t at)
{
    for (size_t i = 0; form.len;) {
        while (form.len && (form.ptr[0] == ' ' || form.ptr[0] == '['))
            form = ps_str_skip(form, 1);
        const char *space = form.len ? memchr(form.ptr, ' ', form.len) : NULL;
        struct ps_str word = {form.ptr, space ? (size_t)(space - form.ptr) : form.len};
        const bool repeats = memchr(word.ptr, '.', word.len) != NULL;
        form = ps_str_skip(form, word.len);
        while (word.len && (word.ptr[word.len - 1] == '.' || word.ptr[word.len - 1] == ']'))
            word.len--;
        if (!ps_str_eq_c(word, "OPTIONS") && (i++ == at || repeats))
            return word;
    }
    return (struct ps_str){NULL, 0};
}

/* Offers what the forms of the usage have at an operand. */
static void offer_operand(struct completion *c, size_t at)
{
    const struct ps_command_text *text = &ps_command_texts[c->command];
    struct ps_str seen = {NULL, 0};
    if (at == 0)
        offer_listed_words(c, text->arguments);
    for (const char *form = text->usage; *form;) {
        const size_t len = strcspn(form, "\n");
        const struct ps_str word = usage_operand((struct ps_str){form, len}, at);
        if (word.len && word.ptr[0] >= 'a' && word.ptr[0] <= 'z') {
            PS_AUTO(ps_buf_free) struct ps_buf literal = {0};
            ps_buf_add_str(&literal, word);
            offer(c, literal.ptr, "");
        } else if (word.len && word.ptr[0] != '-' &&
                   !(seen.len == word.len && memcmp(seen.ptr, word.ptr, word.len) == 0)) {
            offer_values(c, word);
            seen = word;
        }
        form += len + (form[len] == '\n');
    }
}

/* Completes the value in the last word, "--of=fun"; false: the word is no option with a value. */
static bool complete_option_value(struct completion *c)
{
    const struct ps_option_row *option = ps_option_find(c->command, c->prefix);
    const char *equals = strchr(c->prefix, '=');
    if (!option || !option->arg || !equals)
        return false;
    c->option = (struct ps_str){c->prefix, (size_t)(equals - c->prefix) + 1};
    c->prefix = equals + 1;
    offer_values(c, ps_str_from_c(option->arg));
    return true;
}

/* Completes the last word of a command: the value of an option, an option or an operand. */
static void complete_arguments(struct completion *c)
{
    size_t n_operands = 0;
    bool only_operands = false;
    for (size_t i = 1; i + 1 < c->n; i++) {
        const char *word = c->words[i];
        const struct ps_option_row *option = ps_option_find(c->command, word);
        const char *equals = strchr(word, '=');
        const bool needs_value = option && option->arg && !equals;
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && needs_value && i + 2 == c->n) {
            offer_values(c, ps_str_from_c(option->arg));
            return;
        } else if (!only_operands && word[0] == '-' && word[1]) {
            if (option && strcmp(option->name, "--of") == 0)
                c->of = equals ? equals + 1 : c->words[i + 1];
            i += needs_value;
        } else {
            if (n_operands < NAMED_MAX)
                c->named[n_operands] = word;
            n_operands++;
        }
    }
    if (only_operands && ps_commands[c->command].n_own_operands)
        ps_buf_puts(&c->out, PS_COMPLETE_FILES); /* the command line of another program */
    else if (only_operands || c->prefix[0] != '-')
        offer_operand(c, n_operands);
    else if (!complete_option_value(c))
        offer_options(c);
}

static int complete(struct completion *c)
{
    c->prefix = c->words[c->n - 1];
    c->command = ps_command_find(c->words[0]);
    if (c->n == 1 || (c->n == 2 && strcmp(c->words[0], "help") == 0))
        offer_commands(c);
    else if (c->command != PS_COMMAND_NONE)
        complete_arguments(c);
    ps_print(&c->out);
    ps_buf_free(&c->out);
    ps_client_close(&c->client);
    ps_options_free(&c->shelf);
    return ps_flush_stdout(0);
}

int ps_cli_complete(int argc, char **argv)
{
    struct completion c = {.words = (const char *const *)argv + 2, .n = (size_t)argc - 2};
    return argc < 3 ? 2 : complete(&c);
}

int ps_cli_complete_bash(int argc, char **argv)
{
    PS_AUTO(ps_bash_line_free) struct ps_bash_line line = {.n = 0};
    struct completion c = {.line = &line};
    if (argc != 4)
        return 2;
    if (!ps_bash_line_read(argv[3], argv[2], &line))
        return 0;
    c.words = line.words;
    c.n = line.n;
    return complete(&c);
}
