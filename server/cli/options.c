/* SPDX-License-Identifier: MIT */
#include "server/cli/options.h"

#include <stdlib.h>

#define DEFAULT_LISTEN "127.0.0.1:7700"
#define WIDTH          112 /* of the lines of --help */

struct verb_row {
    const char *name, *operands;
    size_t least, most; /* operands */
    const char *what;
    const char *more; /* lines of the verb's own help, or NULL */
    size_t own;       /* after so many operands all words are operands; 0: never */
};

#define MANY ((size_t)-1)

static const struct verb_row verbs[] = {
    [PS_VERB_SERVE] = {"serve", "[FILE...]", 0, MANY,
                       "serve the shelf to browsers; FILEs are added first", NULL, 0},
    [PS_VERB_ADD] =
        {"add", "FILE|DIR|-...", 1, MANY, "put profiles on the shelf",
         "A folder stands for every profile in it and below; what is none is listed as "
         "skipped. - is standard\n"
         "input. The content decides what a file is, never its name. Bytes that are on "
         "the shelf already are\n"
         "not imported again.\n"
         "An .lprof file holds no source: the measured files are attached to its run "
         "from where the profile\n"
         "says they are, seen from its own folder or the current one, or from below "
         "--source-root by ever shorter\n"
         "tails of their paths. A file written after the profile is marked as changed. "
         "--merge makes one run of\n"
         "all FILEs: .lprof files summed as line_profiler's own loader does, traces side "
         "by side as the\nworkers of one job. The *.pt.trace.json files of one folder are "
         "such a job. Each\n"
         "profile in a zip or tar file becomes a run, with the tag archive=FILE, jobs as in a "
         "folder.\n"
         "--json prints one object a line: id kind name sha256 bytes rows repaired "
         "rejected already\n",
         0},
    [PS_VERB_RECORD] =
        {"record", "RECORDER -- COMMAND...", 2, MANY,
         "run a Python program with a profiler around it, and put the profile on the shelf",
         "RECORDER is importtime, cprofile, lines, memory or torch. COMMAND is what runs the "
         "program: python app.py,\npython -m package, pytest tests/, ./script.py. It runs with its "
         "own Python, without a shell, and keeps its\nstandard input and output; with --json its "
         "output goes to stderr.\n\n"
         "  importtime   what each import takes; all else on stderr, a pipe then, passes through\n"
         "  cprofile     each function, with its callers\n"
         "  lines        each line of the functions that are marked @profile (line_profiler)\n"
         "  memory       memory over time, with the children of the program (memory_profiler)\n"
         "  torch        a trace of all of it, with shapes, memory and stacks (PyTorch)\n\n"
         "The run is tagged with command, host, python, and of a git checkout commit and dirty; a "
         "--tag of that name\nwins. --repeat records a series of runs, tagged repeat=1/N and so "
         "on. "
         "--open shows the newest at the server of\n--listen, or serves the shelf there where none "
         "runs. Exit status: the command's own when it failed; what it\nrecorded by then is on the "
         "shelf all the same.\n",
         2},
    [PS_VERB_LIST] = {"list", "", 0, 0, "the runs on the shelf, newest first", NULL, 0},
    [PS_VERB_SHOW] = {"show", "RUN", 1, 1, "what is known of one run", NULL, 0},
    [PS_VERB_RM] = {"rm", "RUN...", 1, MANY, "take runs off the shelf, with their originals", NULL,
                    0},
    [PS_VERB_RENEW] = {"renew", "[RUN...]", 0, MANY,
                       "import again, from their originals, runs that an older perfshelf wrote",
                       "Without a RUN, all of them. Names, series, tags and attached sources stay. "
                       "Runs that can be read\nas they are stay too.\n",
                       0},
    [PS_VERB_FORMATS] = {"formats", "", 0, 0, "what can be read, and the command that records it",
                         NULL, 0},
    [PS_VERB_SQL] =
        {"sql", "RUN 'SELECT ...'", 2, 2, "one read-only statement over a run",
         "Views: run imports functions callers lines memory notes, and empty ones for other "
         "formats; "
         "schema/run.sql\n"
         "describes each column. --json prints an array of objects, doubles with every digit.\n",
         0},
    [PS_VERB_DIFF] =
        {"diff", "BASE RUN", 2, 2, "what changed from one run, or group of runs, to another",
         "Each is a RUN, several with commas between them, series:NAME or tag:K=V. Five runs a "
         "side, "
         "recorded by turns,\ntell a change from noise: medians, the exact rank sum test, and a "
         "rule that holds the share of verdicts by\nchance at 5 %. --of: a table, such as "
         "functions, "
         "imports, packages, operators, kernels, lines. --metric: a\ncolumn of it. --json prints "
         "{\"base\",\"new\",\"headline\",\"of\",\"metric\",\"unit\",\"rows\":[{\"name\",\"file\","
         "\"base\",\"new\",\"delta\",...}]},\nthe largest "
         "change first.\n",
         0},
    [PS_VERB_CHECK] =
        {"check", "RUN", 1, 1, "whether a run keeps its budgets, for CI",
         "A budget is TABLE.NAME=VALUE, such as imports.torch=1.2s, functions.parse=80ms, "
         "memory.device 0=2GiB, or\nheadline=VALUE; tables as of diff, each limited by its "
         "inclusive "
         "figure. --fail-on: how much the headline may\ngrow against --against, such as +10% or "
         "+50ms; with groups of runs a growth within noise passes. RUN and\nBASELINE may be "
         "several "
         "with commas between them, series:NAME or tag:K=V: their medians count.\nExit status: 0 "
         "within, 1 over (or failed), 2 wrong usage.\n",
         0},
};
#define N_VERBS (sizeof verbs / sizeof *verbs)

#define ON(verb) (1U << (PS_VERB_##verb))
#define ON_SHELF                                                                                   \
    (ON(SERVE) | ON(ADD) | ON(RECORD) | ON(LIST) | ON(SHOW) | ON(RM) | ON(RENEW) | ON(SQL) |       \
     ON(DIFF) | ON(CHECK))
#define ON_JSON                                                                                    \
    (ON(ADD) | ON(RECORD) | ON(LIST) | ON(SHOW) | ON(RM) | ON(RENEW) | ON(FORMATS) | ON(SQL) |     \
     ON(DIFF))

enum option_type { FLAG, TEXT, TAG, BUDGET };

static const struct option_row {
    const char *name, *arg;
    enum option_type type;
    unsigned verbs; /* ON() bits */
    size_t field;   /* of struct ps_options */
    const char *what;
} options[] = {
    {"--data", "DIR", TEXT, ON_SHELF, offsetof(struct ps_options, data),
     "the shelf's folder (default $XDG_DATA_HOME/perfshelf)"},
    {"--listen", "ADDR:PORT", TEXT, ON(SERVE) | ON(RECORD), offsetof(struct ps_options, listen),
     "where to serve (default " DEFAULT_LISTEN "; port 0 takes a free one)"},
    {"--open", NULL, FLAG, ON(SERVE) | ON(RECORD), offsetof(struct ps_options, open),
     "open the browser"},
    {"--name", "S", TEXT, ON(ADD) | ON(RECORD), offsetof(struct ps_options, name),
     "what to call the run (default: its title, else the file's name; record: the program's)"},
    {"--series", "S", TEXT, ON(ADD) | ON(RECORD), offsetof(struct ps_options, series),
     "runs of one series are one trend"},
    {"--tag", "K=V", TAG, ON(ADD) | ON(RECORD), offsetof(struct ps_options, tags),
     "a tag; may be repeated"},
    {"--source-root", "DIR", TEXT, ON(ADD), offsetof(struct ps_options, source_root),
     "where the sources of line-level profiles are (default: where they were)"},
    {"--merge", NULL, FLAG, ON(ADD), offsetof(struct ps_options, merge),
     "make one run of several .lprof files, or of the traces of one job"},
    {"--repeat", "N", TEXT, ON(RECORD), offsetof(struct ps_options, repeat),
     "record N times, as one series"},
    {"-o", "FILE", TEXT, ON(RECORD), offsetof(struct ps_options, output),
     "keep the profile in FILE too"},
    {"--of", "TABLE", TEXT, ON(DIFF), offsetof(struct ps_options, of),
     "the table to compare (default: the first)"},
    {"--metric", "M", TEXT, ON(DIFF), offsetof(struct ps_options, metric),
     "its column to compare (default: the first)"},
    {"--against", "BASELINE", TEXT, ON(CHECK), offsetof(struct ps_options, against),
     "the run, or group of runs, to compare with"},
    {"--budget", "B", BUDGET, ON(CHECK), offsetof(struct ps_options, budgets),
     "what may not be exceeded: TABLE.NAME=VALUE or headline=VALUE; may be repeated"},
    {"--fail-on", "+N%", TEXT, ON(CHECK), offsetof(struct ps_options, fail_on),
     "how much the headline may grow (default with --against: +10%)"},
    {"--markdown", NULL, FLAG, ON(CHECK), offsetof(struct ps_options, markdown),
     "print a summary for a pull request"},
    {"--json", NULL, FLAG, ON_JSON, offsetof(struct ps_options, json), "print JSON"},
    {"--csv", NULL, FLAG, ON(SQL), offsetof(struct ps_options, csv), "print CSV"},
};
#define N_OPTIONS (sizeof options / sizeof *options)

const char *ps_verb_name(enum ps_verb verb)
{
    return verbs[verb].name ? verbs[verb].name : "";
}

/* --- help
 * --------------------------------------------------------------------------------------------------------
 */

/* "--data DIR" */
static void add_spelling(struct ps_buf *out, const struct option_row *row)
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

static void add_synopsis(enum ps_verb verb, struct ps_buf *out)
{
    size_t line = out->len;
    ps_buf_printf(out, "perfshelf %s", verbs[verb].name);
    if (verbs[verb].operands[0] && !verbs[verb].own)
        add_word(out, &line, verbs[verb].operands);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf word = {0};
        if (!(options[i].verbs & (1U << verb)))
            continue;
        ps_buf_puts(&word, "[");
        add_spelling(&word, &options[i]);
        ps_buf_puts(&word, options[i].type == TAG || options[i].type == BUDGET ? "]..." : "]");
        add_word(out, &line, word.at);
    }
    if (verbs[verb].own)
        add_word(out, &line, verbs[verb].operands);
}

static void add_option_lines(unsigned on, struct ps_buf *out)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (!(options[i].verbs & on))
            continue;
        ps_buf_puts(out, "  ");
        size_t from = out->len;
        add_spelling(out, &options[i]);
        ps_buf_printf(out, "%*s%s\n", (int)(20 - (out->len - from)), "", options[i].what);
    }
    ps_buf_printf(out, "  %-20s%s\n", "--help", "this");
}

static void add_verb_help(enum ps_verb verb, struct ps_buf *out)
{
    ps_buf_printf(out, "perfshelf %s: %s\n\n  ", verbs[verb].name, verbs[verb].what);
    add_synopsis(verb, out);
    ps_buf_puts(out, "\n\n");
    add_option_lines(1U << verb, out);
    if (verbs[verb].more)
        ps_buf_printf(out, "\n%s", verbs[verb].more);
    if (strstr(verbs[verb].operands, "RUN"))
        ps_buf_puts(out,
                    "\nRUN is an id, a unique prefix of one, a name, or @1 (the newest), @2 ...\n");
}

static void add_whole_help(struct ps_buf *out)
{
    ps_buf_puts(out, "perfshelf " PS_VERSION ": a shelf for performance profiles\n\n");
    for (size_t i = PS_VERB_SERVE; i < N_VERBS; i++) {
        ps_buf_puts(out, "  ");
        add_synopsis((enum ps_verb)i, out);
        ps_buf_printf(out, "\n      %s\n", verbs[i].what);
    }
    ps_buf_puts(out, "\n");
    add_option_lines(~0U, out);
    ps_buf_printf(out, "  %-20s%s\n", "--version", "the version");
    ps_buf_puts(out, "\nRUN is an id, a unique prefix of one, a name, or @1 (the newest), @2 ...\n"
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
    for (size_t i = PS_VERB_SERVE; i < N_VERBS; i++)
        if (strcmp(verbs[i].name, word) == 0)
            return (enum ps_verb)i;
    return PS_VERB_NONE;
}

/* The row whose name is the part of `word` before '='. */
static const struct option_row *find_option(const char *word)
{
    size_t len = strcspn(word, "=");
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (strlen(options[i].name) == len && memcmp(options[i].name, word, len) == 0)
            return &options[i];
    return NULL;
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

static enum ps_status set_option(struct ps_options *out, const struct option_row *row,
                                 const char *value, struct ps_err *err)
{
    char *field = (char *)out + row->field;
    if (row->type == TAG)
        return add_tag(out, value, err);
    if (row->type == BUDGET)
        out->budgets[out->n_budgets++] = value;
    else if (row->type == FLAG)
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
    const struct option_row *row = find_option(word);
    const char *value = strchr(word, '=');
    if (!row || (out->verb && !(row->verbs & (1U << out->verb)))) {
        ps_fail(err, PS_BAD_REQUEST, "%s: no such option", word);
        return wrong(out, err);
    }
    if (row->type == FLAG && value) {
        ps_fail(err, PS_BAD_REQUEST, "%s takes no value", row->name);
        return wrong(out, err);
    }
    if (row->type != FLAG && !value && *i + 1 == argc) {
        ps_fail(err, PS_BAD_REQUEST, "%s wants %s", row->name, row->arg);
        return wrong(out, err);
    }
    if (row->type != FLAG)
        value = value ? value + 1 : argv[++*i];
    return set_option(out, row, value, err);
}

static enum ps_status take_arguments(int argc, char **argv, struct ps_options *out,
                                     struct ps_err *err)
{
    size_t own = verbs[out->verb].own;
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
    const struct verb_row *verb = &verbs[out->verb];
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
    if (out->data && out->data[0])
        return PS_OK;
    ps_fail(err, PS_BAD_REQUEST, "neither XDG_DATA_HOME nor HOME says where the shelf is");
    ps_hint(err, "say --data DIR");
    return PS_BAD_REQUEST;
}

static enum ps_status parse_verb(int argc, char **argv, struct ps_options *out, struct ps_err *err)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        out->help = true;
    else if (strcmp(word, "--version") == 0)
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
    *out = (struct ps_options){.listen = DEFAULT_LISTEN};
    if (parse_verb(argc, argv, out, err) != PS_OK)
        return err->code;
    if (out->help || out->version)
        return PS_OK;
    size_t most = (size_t)argc + 1;
    out->operands = ps_arena_alloc(&out->arena, most * sizeof *out->operands);
    out->budgets = ps_arena_alloc(&out->arena, most * sizeof *out->budgets);
    out->tags = ps_arena_alloc(&out->arena, most * sizeof *out->tags);
    if (take_arguments(argc, argv, out, err) != PS_OK || out->help)
        return err->code;
    if (check_operands(out, err) != PS_OK)
        return err->code;
    if (out->data || out->verb == PS_VERB_FORMATS)
        return PS_OK;
    return default_data(out, err);
}

void ps_options_free(struct ps_options *options_)
{
    ps_arena_free(&options_->arena);
}
