/* SPDX-License-Identifier: MIT */
/* options_parse.c: the command line and every --help, from the tables of options.c. */
#include "server/cli/options_impl.h"
#include "server/remote/pg.h"

#include <stdlib.h>

#define WIDTH 112 /* of the lines of --help */

const char *ps_verb_name(enum ps_verb verb)
{
    return ps_verbs[verb].name ? ps_verbs[verb].name : "";
}

/* --- help
 * --------------------------------------------------------------------------------------------------------
 */

/* "--data DIR" */
static void add_spelling(struct ps_buf *out, const struct ps_option_row *row)
{
    ps_buf_puts(out, row->name);
    if (row->arg)
        ps_buf_printf(out, " %s", row->arg);
}

/* A word of the synopsis, on a new line when it does not fit. */
static void add_word(struct ps_buf *out, size_t *line, const char *word)
{
    if (out->len - *line + strlen(word) > WIDTH) {
        ps_buf_puts(out, "\n     ");
        *line = out->len;
    }
    ps_buf_printf(out, " %s", word);
}

static bool may_repeat(enum ps_option_type type)
{
    return type == PS_TAG || type == PS_UNTAG || type == PS_BUDGET || type == PS_HOST ||
           type == PS_RULE;
}

static bool is_shown(const struct ps_option_row *row, unsigned on)
{
    return row->what && (row->verbs & on);
}

static void add_synopsis(enum ps_verb verb, struct ps_buf *out)
{
    size_t line = out->len;
    ps_buf_printf(out, "perfshelf %s", ps_verbs[verb].name);
    if (ps_verbs[verb].operands[0] && !ps_verbs[verb].own)
        add_word(out, &line, ps_verbs[verb].operands);
    for (size_t i = 0; i < ps_option_rows_count; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf word = {0};
        if (!is_shown(&ps_option_rows[i], 1U << verb))
            continue;
        ps_buf_puts(&word, "[");
        add_spelling(&word, &ps_option_rows[i]);
        ps_buf_puts(&word, may_repeat(ps_option_rows[i].type) ? "]..." : "]");
        add_word(out, &line, word.at);
    }
    if (ps_verbs[verb].own)
        add_word(out, &line, ps_verbs[verb].operands);
}

static void add_option_lines(unsigned on, struct ps_buf *out)
{
    for (size_t i = 0; i < ps_option_rows_count; i++) {
        if (!is_shown(&ps_option_rows[i], on))
            continue;
        ps_buf_puts(out, "  ");
        size_t from = out->len;
        add_spelling(out, &ps_option_rows[i]);
        const int gap = 20 - (int)(out->len - from);
        ps_buf_printf(out, "%*s%s\n", gap > 0 ? gap : 1, "", ps_option_rows[i].what);
    }
    ps_buf_printf(out, "  %-20s%s\n", "--help", "this");
}

static void add_verb_help(enum ps_verb verb, struct ps_buf *out)
{
    ps_buf_printf(out, "perfshelf %s: %s\n\n  ", ps_verbs[verb].name, ps_verbs[verb].what);
    add_synopsis(verb, out);
    ps_buf_puts(out, "\n\n");
    add_option_lines(1U << verb, out);
    if (ps_verbs[verb].more)
        ps_buf_printf(out, "\n%s", ps_verbs[verb].more);
    if (strstr(ps_verbs[verb].operands, "RUN"))
        ps_buf_puts(out, "\nRUN is an id, a unique prefix of one, a name, @1 (the newest), @2 ... "
                         "or baseline:SERIES\n");
}

static void add_whole_help(struct ps_buf *out)
{
    ps_buf_puts(out, "perfshelf " PS_VERSION ": a shelf for performance profiles\n\n");
    for (size_t i = PS_VERB_SERVE; i < ps_verbs_count; i++) {
        ps_buf_puts(out, "  ");
        add_synopsis((enum ps_verb)i, out);
        ps_buf_printf(out, "\n      %s\n", ps_verbs[i].what);
    }
    ps_buf_puts(out, "\n");
    add_option_lines(~0U, out);
    ps_buf_printf(out, "  %-20s%s\n", "-v, --version", "the version");
    ps_buf_puts(out, "\nRUN is an id, a unique prefix of one, a name, @1 (the newest), @2 ... or "
                     "baseline:SERIES\n"
                     "Exit status: 0 all done, 1 something failed (one line on stderr per "
                     "failure), 2 wrong usage.\n"
                     "`perfshelf VERB --help` says more.\n");
}

void ps_options_help(enum ps_verb verb, struct ps_buf *out)
{
    if (verb == PS_VERB_NONE)
        add_whole_help(out);
    else
        add_verb_help(verb, out);
}

/* --- parsing
 * -----------------------------------------------------------------------------------------------------
 */

static enum ps_verb find_verb(const char *word)
{
    for (size_t i = PS_VERB_SERVE; i < ps_verbs_count; i++)
        if (strcmp(ps_verbs[i].name, word) == 0)
            return (enum ps_verb)i;
    return PS_VERB_NONE;
}

/* The row whose name is the part of `word` before '='. */
static const struct ps_option_row *find_option(const char *word)
{
    size_t len = strcspn(word, "=");
    for (size_t i = 0; i < ps_option_rows_count; i++)
        if (strlen(ps_option_rows[i].name) == len && memcmp(ps_option_rows[i].name, word, len) == 0)
            return &ps_option_rows[i];
    return NULL;
}

bool ps_verb_works_on_runs(enum ps_verb verb)
{
    return find_option("--server")->verbs & (1U << verb);
}

static enum ps_status wrong(const struct ps_options *out, struct ps_err *err)
{
    const char *verb = ps_verb_name(out->verb);
    ps_hint(err, "perfshelf %s%s--help lists what there is", verb, verb[0] ? " " : "");
    return PS_BAD_REQUEST;
}

static enum ps_status add_tag(struct ps_options *out, const char *value, struct ps_err *err)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        ps_fail(err, PS_BAD_REQUEST, "--tag wants KEY=VALUE, not '%s'", value);
        return wrong(out, err);
    }
    struct ps_tag *tag = &out->tags[out->n_tags++];
    tag->key = ps_arena_copy(&out->arena, (struct ps_str){value, (size_t)(equals - value)}).at;
    tag->value = equals + 1;
    return PS_OK;
}

static enum ps_status set_option(struct ps_options *out, const struct ps_option_row *row,
                                 const char *value, struct ps_err *err)
{
    char *field = (char *)out + row->field;
    if (row->type == PS_TAG)
        return add_tag(out, value, err);
    if (row->type == PS_UNTAG && !value[0]) {
        ps_fail(err, PS_BAD_REQUEST, "--untag wants KEY, not ''");
        return wrong(out, err);
    }
    if (row->type == PS_UNTAG) {
        out->tags[out->n_tags++] = (struct ps_tag){value, NULL};
        return PS_OK;
    }
    if (row->type == PS_BUDGET)
        out->budgets[out->n_budgets++] = value;
    else if (row->type == PS_HOST)
        out->hosts[out->n_hosts++] = value;
    else if (row->type == PS_RULE)
        out->keep[out->n_keep++] = value;
    else if (row->type == PS_FLAG)
        *(bool *)field = true;
    else
        *(const char **)(void *)field = value;
    return PS_OK;
}

/* argv[*i] starts with "--"; takes its value from behind '=' or from the next argument. */
static enum ps_status take_option(int argc, char **argv, int *i, struct ps_options *out,
                                  struct ps_err *err)
{
    const char *word = argv[*i];
    const struct ps_option_row *row = find_option(word);
    const char *value = strchr(word, '=');
    if (!row || (out->verb && !(row->verbs & (1U << out->verb)))) {
        ps_fail(err, PS_BAD_REQUEST, "%s: no such option", word);
        return wrong(out, err);
    }
    if (row->type == PS_FLAG && value) {
        ps_fail(err, PS_BAD_REQUEST, "%s takes no value", row->name);
        return wrong(out, err);
    }
    if (row->type != PS_FLAG && !value && *i + 1 == argc) {
        ps_fail(err, PS_BAD_REQUEST, "%s wants %s", row->name, row->arg);
        return wrong(out, err);
    }
    if (row->type != PS_FLAG)
        value = value ? value + 1 : argv[++*i];
    return set_option(out, row, value, err);
}

static enum ps_status take_arguments(int argc, char **argv, struct ps_options *out,
                                     struct ps_err *err)
{
    size_t own = ps_verbs[out->verb].own;
    bool only_operands = false;
    for (int i = 2; i < argc; i++) {
        const char *word = argv[i];
        if (own && out->n_operands >= own)
            only_operands = true;
        if (only_operands || word[0] != '-' || !word[1]) {
            out->operands[out->n_operands++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            out->help = true;
            return PS_OK;
        } else if (take_option(argc, argv, &i, out, err) != PS_OK) {
            return err->code;
        }
    }
    return PS_OK;
}

static enum ps_status check_operands(const struct ps_options *out, struct ps_err *err)
{
    const struct ps_verb_row *verb = &ps_verbs[out->verb];
    if (out->n_operands < verb->least)
        ps_fail(err, PS_BAD_REQUEST, "%s wants %s", verb->name, verb->operands);
    else if (out->n_operands > verb->most)
        ps_fail(err, PS_BAD_REQUEST, "%s: '%s' is one too many", verb->name,
                out->operands[verb->most]);
    else if (out->json && out->csv)
        ps_fail(err, PS_BAD_REQUEST, "--json and --csv exclude each other");
    else
        return PS_OK;
    return wrong(out, err);
}

/* $XDG_DATA_HOME/perfshelf, else ~/.local/share/perfshelf. A relative XDG_DATA_HOME is to be
 * ignored, says its standard. */
static enum ps_status default_data(struct ps_options *out, struct ps_err *err)
{
    const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/')
        out->data = ps_arena_printf(&out->arena, "%s/perfshelf", xdg);
    else if (home && home[0])
        out->data = ps_arena_printf(&out->arena, "%s/.local/share/perfshelf", home);
    out->default_shelf = true;
    if (out->data && out->data[0])
        return PS_OK;
    ps_fail(err, PS_BAD_REQUEST, "neither XDG_DATA_HOME nor HOME says where the shelf is");
    ps_hint(err, "say --data DIR");
    return PS_BAD_REQUEST;
}

/* What stands on a command line is seen by every user of the machine, what stands in the
 * environment is not. */
static enum ps_status check_url(const char *option, const char *url, bool said, struct ps_err *err)
{
    bool secret;
    if (ps_pg_check(url, &secret, err) != PS_OK || !said || !secret)
        return err->code;
    ps_hint(err,
            "put it into $PERFSHELF_STORE, or the password into the file that PGPASSFILE names");
    return ps_fail(err, PS_BAD_REQUEST, "%s holds a password, which others can see there", option);
}

/* The two shelves of a copy: folders or URLs. */
static enum ps_status take_sides(struct ps_options *out, struct ps_err *err)
{
    const char *kept = getenv("PERFSHELF_STORE");
    const bool from_said = out->from != NULL, to_said = out->to != NULL;
    if (kept && kept[0] && from_said != to_said)
        *(from_said ? &out->to : &out->from) = kept;
    if (!out->from || !out->to || !out->from[0] || !out->to[0]) {
        ps_fail(err, PS_BAD_REQUEST, "copy wants --from STORE and --to STORE");
        return wrong(out, err);
    }
    if (ps_pg_is_url(out->from) && check_url("--from", out->from, from_said, err) != PS_OK)
        return err->code;
    return ps_pg_is_url(out->to) ? check_url("--to", out->to, to_said, err) : PS_OK;
}

static enum ps_status take_store(struct ps_options *out, struct ps_err *err)
{
    const char *kept = getenv("PERFSHELF_STORE");
    const bool said = out->store != NULL;
    const struct ps_option_row *row = find_option("--store");
    if (!said && kept && kept[0] && (row->verbs & (1U << out->verb)))
        out->store = kept;
    if (!out->store)
        return PS_OK;
    if (!ps_pg_is_url(out->store)) {
        ps_hint(err, "a store is postgresql://HOST/DATABASE, a folder is --data DIR");
        return ps_fail(err, PS_BAD_REQUEST, "the store's address is no URL of PostgreSQL");
    }
    return check_url("--store", out->store, said, err);
}

/* --server, or $PERFSHELF_SERVER where the command line names no shelf. */
static enum ps_status take_server(struct ps_options *out, struct ps_err *err)
{
    const char *kept = getenv("PERFSHELF_SERVER");
    if (!ps_verb_works_on_runs(out->verb))
        return PS_OK;
    if (out->server && (out->data || out->store)) {
        ps_fail(err, PS_BAD_REQUEST, "--server and %s name two shelves",
                out->data ? "--data" : "--store");
        return wrong(out, err);
    }
    if (!out->server && !out->data && !out->store && kept && kept[0])
        out->server = kept;
    return PS_OK;
}

/* What was fetched of a store lies in $XDG_CACHE_HOME/perfshelf/<host and database>. */
static enum ps_status default_cache(struct ps_options *out, struct ps_err *err)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    PS_AUTO(ps_free_ptr) char *place = ps_pg_place(out->store);
    char *name = place + strcspn(place, "/") + 2;
    for (char *at = name; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._", *at))
            *at = '-';
    if (xdg && xdg[0] == '/')
        out->data = ps_arena_printf(&out->arena, "%s/perfshelf/%s", xdg, name);
    else if (home && home[0])
        out->data = ps_arena_printf(&out->arena, "%s/.cache/perfshelf/%s", home, name);
    if (out->data)
        return PS_OK;
    ps_fail(err, PS_BAD_REQUEST,
            "neither XDG_CACHE_HOME nor HOME says where to keep what is fetched");
    ps_hint(err, "say --data DIR");
    return PS_BAD_REQUEST;
}

static enum ps_status parse_verb(int argc, char **argv, struct ps_options *out, struct ps_err *err)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        out->help = true;
    else if (strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0 ||
             strcmp(word, "version") == 0)
        out->version = true;
    else
        out->verb = find_verb(word);
    if (out->help && argc > 2)
        out->verb = find_verb(argv[2]);
    if (out->verb || out->help || out->version)
        return PS_OK;
    if (argc > 1)
        ps_fail(err, PS_BAD_REQUEST, "%s: no such verb", word);
    else
        ps_fail(err, PS_BAD_REQUEST, "a verb is missing");
    return wrong(out, err);
}

enum ps_status ps_options_parse(int argc, char **argv, struct ps_options *out, struct ps_err *err)
{
    *out = (struct ps_options){.listen = PS_DEFAULT_LISTEN};
    if (parse_verb(argc, argv, out, err) != PS_OK)
        return err->code;
    if (out->help || out->version)
        return PS_OK;
    size_t most = (size_t)argc + 1;
    out->operands = ps_arena_alloc(&out->arena, most * sizeof *out->operands);
    out->budgets = ps_arena_alloc(&out->arena, most * sizeof *out->budgets);
    out->hosts = ps_arena_alloc(&out->arena, most * sizeof *out->hosts);
    out->keep = ps_arena_alloc(&out->arena, most * sizeof *out->keep);
    out->tags = ps_arena_alloc(&out->arena, most * sizeof *out->tags);
    if (take_arguments(argc, argv, out, err) != PS_OK || out->help)
        return err->code;
    if (check_operands(out, err) != PS_OK)
        return err->code;
    if (out->note && ps_note_read(&out->arena, out->note, &out->note, err) != PS_OK)
        return wrong(out, err);
    if (out->verb == PS_VERB_COPY)
        return take_sides(out, err);
    if (take_server(out, err) != PS_OK || out->server || out->verb == PS_VERB_FORMATS)
        return err->code;
    if (take_store(out, err) != PS_OK || out->data)
        return err->code;
    return out->store ? default_cache(out, err) : default_data(out, err);
}

void ps_options_free(struct ps_options *options_)
{
    ps_arena_free(&options_->arena);
}
