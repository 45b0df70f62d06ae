/* SPDX-License-Identifier: MIT */
/* options.c: parses the command line with the tables of commands.h. */
#include "base/nearest.h"
#include "server/cli/options/commands.h"
#include "server/cli/options/config_file.h"
#include "server/cli/options/settings.h"
#include "server/replica/url.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- Suggestions for mistyped words --- */

const char *ps_command_name(enum ps_command command)
{
    return ps_commands[command].name ? ps_commands[command].name : "";
}

/* Fails with a hint at the help of the command. */
static enum ps_status fail_usage(const struct ps_options *out, struct ps_err *err, const char *fmt,
                                 ...) __attribute__((format(printf, 3, 4)));

static enum ps_status fail_usage(const struct ps_options *out, struct ps_err *err, const char *fmt,
                                 ...)
{
    const char *command = ps_command_name(out->command);
    char text[sizeof err->text];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return ps_fail(err, PS_BAD_REQUEST, "%s" PS_HINT "see `perfshelf help%s%s`", text,
                   command[0] ? " " : "", command);
}

/* The command that was probably meant, by a synonym or by similar spelling; NULL if there
 * is none. */
static const char *nearest_command(const char *word)
{
    struct ps_nearest nearest = {.typed = word};
    for (size_t i = PS_COMMAND_NONE + 1; i < PS_N_COMMANDS; i++)
        if (ps_has_word(ps_command_texts[i].synonyms, word))
            return ps_commands[i].name;
    for (size_t i = PS_COMMAND_NONE + 1; i < PS_N_COMMANDS; i++)
        ps_nearest_offer(&nearest, ps_commands[i].name);
    ps_nearest_offer(&nearest, "help");
    return nearest.word;
}

static enum ps_status unknown_command(const char *word, struct ps_err *err)
{
    const char *nearest = nearest_command(word);
    if (nearest)
        return ps_fail(err, PS_BAD_REQUEST,
                       "unknown command '%s'" PS_HINT
                       "did you mean `perfshelf %s`? `perfshelf help` lists the commands",
                       word, nearest);
    return ps_fail(err, PS_BAD_REQUEST,
                   "unknown command '%s'" PS_HINT "`perfshelf help` lists the commands", word);
}

#define COMMANDS_LISTED_MAX 3

/* Appends the names of a set of commands: "show, diff and trend", "record, add, list and 18
 * more". */
static void add_commands(unsigned commands, struct ps_buf *out)
{
    const unsigned n = (unsigned)__builtin_popcount(commands);
    const unsigned named = n > COMMANDS_LISTED_MAX + 1 ? COMMANDS_LISTED_MAX : n;
    unsigned count = 0;
    for (size_t i = PS_COMMAND_NONE + 1; i < PS_N_COMMANDS && count < named; i++) {
        if (!(commands & (1U << i)))
            continue;
        count++;
        ps_buf_printf(out, "%s%s",
                      count == 1   ? ""
                      : count == n ? " and "
                                   : ", ",
                      ps_commands[i].name);
    }
    if (named < n)
        ps_buf_printf(out, " and %u more", n - named);
}

/* Bit mask (1 << PS_COMMAND_...) of the commands with this option; 0: none. */
static unsigned commands_with(const char *name, size_t len)
{
    unsigned commands = 0;
    for (size_t i = 0; i < ps_option_rows_count; i++)
        if (strlen(ps_option_rows[i].name) == len && memcmp(ps_option_rows[i].name, name, len) == 0)
            commands |= ps_option_rows[i].commands;
    return commands;
}

/* What other programs call an option of ours. */
static const char *synonym_of_option(enum ps_command command, const char *name)
{
    static const struct {
        const char *names, *option;
    } synonyms[] = {{"--port -p --bind -b --address --addr --host", "--listen"},
                    {"--limit --top -n --lines --count", "--rows"},
                    {"--output --out --file", "-o"},
                    {"--threshold --tolerance --max-growth", "--fail-on"},
                    {"--baseline --compare --base", "--against"},
                    {"--title", "--name"},
                    {"--label --labels", "--tag"},
                    {"--table", "--of"},
                    {"--column --sort-by --order-by", "--sort"},
                    {"--dir --directory --shelf --path --db", "--data"},
                    {"--url", "--server"}};

    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (ps_has_word(synonyms[i].names, name) && ps_option_find(command, synonyms[i].option))
            return synonyms[i].option;
    return NULL;
}

static const char *nearest_option(enum ps_command command, const char *name)
{
    struct ps_nearest nearest = {.typed = name};
    for (size_t i = 0; i < ps_option_rows_count; i++)
        if (ps_option_is_offered(&ps_option_rows[i], command))
            ps_nearest_offer(&nearest, ps_option_rows[i].name);
    ps_nearest_offer(&nearest, "--help");
    return nearest.word;
}

static enum ps_status unknown_option(const struct ps_options *out, const char *word,
                                     struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf others = {0};
    const size_t len = strcspn(word, "=");
    const unsigned commands = commands_with(word, len);
    PS_AUTO(ps_free_ptr) char *name = ps_strdup((struct ps_str){word, len});
    const char *command = ps_command_name(out->command);
    const char *nearest = synonym_of_option(out->command, name);
    if (!nearest && !commands)
        nearest = nearest_option(out->command, name);
    if (!nearest && commands) {
        add_commands(commands, &others);
        return ps_fail(err, PS_BAD_REQUEST,
                       "unknown option %s" PS_HINT "it is an option of %s; see `perfshelf help %s`",
                       name, others.ptr, command);
    }
    if (nearest)
        return ps_fail(err, PS_BAD_REQUEST,
                       "unknown option %s" PS_HINT "did you mean %s? See `perfshelf help %s`", name,
                       nearest, command);
    return fail_usage(out, err, "unknown option %s", name);
}

/* --- Parsing --- */

enum ps_command ps_command_find(const char *word)
{
    for (size_t i = PS_COMMAND_NONE + 1; i < PS_N_COMMANDS; i++)
        if (strcmp(ps_commands[i].name, word) == 0)
            return (enum ps_command)i;
    return PS_COMMAND_NONE;
}

const struct ps_option_row *ps_option_find(enum ps_command command, const char *word)
{
    size_t len = strcspn(word, "=");
    for (size_t i = 0; i < ps_option_rows_count; i++)
        if (ps_option_applies_to(&ps_option_rows[i], command) &&
            strlen(ps_option_rows[i].name) == len && memcmp(ps_option_rows[i].name, word, len) == 0)
            return &ps_option_rows[i];
    return NULL;
}

bool ps_command_works_on_runs(enum ps_command command)
{
    return ps_option_find(command, "--server") != NULL;
}

bool ps_command_manages_shelf(enum ps_command command)
{
    return ps_option_find(command, "--data") && !ps_command_works_on_runs(command) &&
           command != PS_COMMAND_SERVE && command != PS_COMMAND_DEMO;
}

bool ps_command_uses_served_shelf(const struct ps_options *options)
{
    return ps_command_works_on_runs(options->command) ||
           (ps_command_manages_shelf(options->command) && !options->has_rules_of_file);
}

static enum ps_status add_tag(struct ps_options *out, const char *value, struct ps_err *err)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value)
        return fail_usage(out, err, "invalid value '%s' for --tag: not KEY=VALUE", value);
    struct ps_tag *tag = &out->tags[out->n_tags++];
    tag->key = ps_arena_copy(&out->arena, (struct ps_str){value, (size_t)(equals - value)}).ptr;
    tag->value = equals + 1;
    return PS_OK;
}

static enum ps_status set_option(struct ps_options *out, const struct ps_option_row *row,
                                 const char *value, struct ps_err *err)
{
    char *field = (char *)out + row->field;
    if (row->type == PS_TAG)
        return add_tag(out, value, err);
    if (row->type == PS_UNTAG && !value[0])
        return fail_usage(out, err, "--untag needs the KEY of a tag");
    if (row->type == PS_UNTAG) {
        out->tags[out->n_tags++] = (struct ps_tag){value, NULL};
        return PS_OK;
    }
    if (row->type == PS_BUDGET)
        out->budgets[out->n_budgets++] = value;
    else if (row->type == PS_HOST)
        out->hosts[out->n_hosts++] = value;
    else if (row->type == PS_RULE)
        out->retention_rules[out->n_retention_rules++] = value;
    else if (row->type == PS_FLAG)
        *(bool *)field = true;
    else
        *(const char **)(void *)field = value;
    return PS_OK;
}

/* Parses the option argv[*i]; its value follows '=' or is the next argument. */
static enum ps_status parse_option(int argc, char **argv, int *i, struct ps_options *out,
                                   struct ps_err *err)
{
    const char *word = argv[*i];
    const struct ps_option_row *row = ps_option_find(out->command, word);
    const char *value = strchr(word, '=');
    if (!row)
        return unknown_option(out, word, err);
    if (row->type == PS_FLAG && value)
        return fail_usage(out, err, "%s takes no value", row->name);
    if (row->type != PS_FLAG && !value && *i + 1 == argc)
        return fail_usage(out, err, "%s needs a value: %s", row->name, row->arg);
    if (row->type != PS_FLAG)
        value = value ? value + 1 : argv[++*i];
    return set_option(out, row, value, err);
}

/* first: index of the first argument of the command */
static enum ps_status parse_arguments(int argc, char **argv, int first, struct ps_options *out,
                                      struct ps_err *err)
{
    size_t n_own_operands = ps_commands[out->command].n_own_operands;
    bool only_operands = false;
    for (int i = first; i < argc; i++) {
        const char *word = argv[i];
        if (n_own_operands && out->n_operands >= n_own_operands)
            only_operands = true;
        if (only_operands || word[0] != '-' || !word[1]) {
            out->operands[out->n_operands++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            out->help = true;
            return PS_OK;
        } else if (parse_option(argc, argv, &i, out, err) != PS_OK) {
            return err->code;
        }
    }
    return PS_OK;
}

/* Appends the usage of the command, for example "perfshelf baseline RUN, or perfshelf baseline
 * --clear SERIES". */
static void add_usage(enum ps_command command, struct ps_buf *usage)
{
    for (const char *form = ps_command_texts[command].usage; form; form = strchr(form, '\n')) {
        form += form[0] == '\n';
        const size_t len = strcspn(form, "\n");
        ps_buf_printf(usage, "%sperfshelf %s%s%.*s", usage->len ? ", or " : "",
                      ps_command_name(command), len ? " " : "", (int)len, form);
    }
}

static enum ps_status check_operands(const struct ps_options *out, struct ps_err *err)
{
    const struct ps_command_row *row = &ps_commands[out->command];
    PS_AUTO(ps_buf_free) struct ps_buf usage = {0};
    add_usage(out->command, &usage);
    if (out->n_operands < row->min)
        return ps_fail(err, PS_BAD_REQUEST, "missing argument" PS_HINT "usage: %s", usage.ptr);
    if (out->n_operands > row->max)
        return ps_fail(err, PS_BAD_REQUEST, "unexpected argument '%s'" PS_HINT "usage: %s",
                       out->operands[row->max], usage.ptr);
    if (out->json && out->csv)
        return fail_usage(out, err, "--json and --csv cannot be combined");
    return PS_OK;
}

/* Determines both shelves of a copy: folders or URLs. $PERFSHELF_STORE replaces one missing shelf.
 */
static enum ps_status select_copied_shelves(struct ps_options *out, struct ps_err *err)
{
    const char *environment = getenv("PERFSHELF_STORE");
    const bool from_said = out->from != NULL, to_said = out->to != NULL;
    if (environment && environment[0] && from_said != to_said)
        *(from_said ? &out->to : &out->from) = environment;
    if (!out->from || !out->to || !out->from[0] || !out->to[0])
        return fail_usage(out, err, "missing --from STORE or --to STORE");
    if (ps_pg_is_url(out->from) &&
        ps_settings_check_store("--from", out->from, from_said, err) != PS_OK)
        return err->code;
    return ps_pg_is_url(out->to) ? ps_settings_check_store("--to", out->to, to_said, err) : PS_OK;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

/* Parses "help" and "help COMMAND". */
static enum ps_status parse_help(int argc, char **argv, struct ps_options *out, struct ps_err *err)
{
    out->help = true;
    if (argc < 3 || is_one_of(argv[2], "help", "--help", "-h"))
        return PS_OK;
    out->command = ps_command_find(argv[2]);
    if (!out->command)
        return unknown_command(argv[2], err);
    if (argc == 3)
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "unexpected argument '%s'" PS_HINT "usage: perfshelf help [COMMAND]", argv[3]);
}

/* Parses what follows "--version". */
static enum ps_status parse_version(int argc, char **argv, struct ps_options *out,
                                    struct ps_err *err)
{
    out->verbose = argc == 3 && is_one_of(argv[2], "--verbose", "-v", "verbose");
    if (argc == 2 || out->verbose)
        return PS_OK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "unexpected argument '%s'" PS_HINT "usage: perfshelf --version [--verbose]",
                   argv[argc == 3 ? 2 : 3]);
}

/* Whether a first word is a file to open: the command `open` may be left out. */
static bool is_file(const char *word)
{
    return strcmp(word, "-") == 0 || (word[0] != '-' && word[0] && access(word, F_OK) == 0);
}

/* Sets *first to the index of the first argument. */
static enum ps_status parse_command(int argc, char **argv, struct ps_options *out, int *first,
                                    struct ps_err *err)
{
    const char *word = argv[1];
    *first = 2;
    if (is_one_of(word, "--help", "-h", "help"))
        return parse_help(argc, argv, out, err);
    out->version = is_one_of(word, "--version", "-v", "version") || strcmp(word, "-V") == 0;
    if (out->version)
        return parse_version(argc, argv, out, err);
    out->command = ps_command_find(word);
    if (out->command)
        return PS_OK;
    if (!is_file(word))
        return unknown_command(word, err);
    out->command = PS_COMMAND_OPEN;
    *first = 1;
    return PS_OK;
}

static enum ps_status read_config(struct ps_options *out, struct ps_err *err)
{
    struct ps_config *config = ps_arena_alloc(&out->arena, sizeof *config);
    out->config = config;
    return ps_config_read(&out->arena, config, err);
}

enum ps_status ps_options_parse(int argc, char **argv, struct ps_options *out, struct ps_err *err)
{
    struct ps_err note_err = PS_ERR_INIT;
    int first;
    *out = (struct ps_options){.command = PS_COMMAND_NONE};
    if (argc < 2)
        return ps_fail(err, PS_BAD_REQUEST, "missing command");
    if (parse_command(argc, argv, out, &first, err) != PS_OK)
        return err->code;
    if (out->help || out->version)
        return PS_OK;
    size_t most = (size_t)argc + 1;
    out->operands = ps_arena_alloc(&out->arena, most * sizeof *out->operands);
    out->budgets = ps_arena_alloc(&out->arena, most * sizeof *out->budgets);
    out->hosts = ps_arena_alloc(&out->arena, most * sizeof *out->hosts);
    out->retention_rules = ps_arena_alloc(&out->arena, most * sizeof *out->retention_rules);
    out->tags = ps_arena_alloc(&out->arena, most * sizeof *out->tags);
    if (parse_arguments(argc, argv, first, out, err) != PS_OK || out->help)
        return err->code;
    if (check_operands(out, err) != PS_OK)
        return err->code;
    if (out->note && ps_note_read(&out->arena, out->note, &out->note, &note_err) != PS_OK)
        return fail_usage(out, err, "%s", note_err.text);
    if (out->command == PS_COMMAND_COPY)
        return select_copied_shelves(out, err);
    if (out->command == PS_COMMAND_FORMATS || read_config(out, err) != PS_OK ||
        out->command == PS_COMMAND_CONFIG || ps_settings_apply(out, err) != PS_OK)
        return err->code;
    return ps_settings_read_token(out, err);
}

void ps_options_free(struct ps_options *options)
{
    ps_arena_free(&options->arena);
}
