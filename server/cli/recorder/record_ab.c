/* SPDX-License-Identifier: MIT */
/* record_ab.c: records two versions of a program in pairs, so that both meet the same machine, and
 * compares them. */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/recorder/record_ab.h"

#include "base/file.h"
#include "base/format.h"
#include "base/quoted_command.h"
#include "server/cli/cli.h"
#include "server/cli/commands/check.h"
#include "server/cli/commands/comparison.h"
#include "server/cli/options/option_values.h"
#include "server/cli/progress.h"
#include "server/cli/recorder/child.h"
#include "server/cli/recorder/pairs.h"
#include "server/cli/recorder/recording.h"
#include "server/text/text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SUBJECT       "record ab"
#define PAIRS_DEFAULT 10
#define WARMUP_MAX    1000

/* One of the two versions. */
struct side {
    const char *name; /* "base" or "new" */
    int folder;       /* the folder in which it runs */
    struct ps_words words;
    struct ps_options options; /* with its own labels */
    struct ps_recording recording;
    struct ps_buf ids; /* runs on the shelf, with commas between them */
    size_t n_tags;     /* number of tags that all its runs have */
};

struct record_ab {
    const struct ps_options *options;
    struct side sides[2]; /* base, new */
    int home;             /* the current folder at the start */
    int64_t n_pairs, n_warmup;
    uint64_t seed;
    struct ps_pair_order order;
    char id[PS_PAIRS_ID_SIZE]; /* tag `ab` of all runs */
    struct ps_client *client;
    struct ps_arena arena;
};

/* --- Options --- */

static enum ps_status check_options(const struct ps_options *options, struct ps_err *err)
{
    const struct {
        const char *name;
        bool is_given;
        const char *hint;
    } others[] = {
        {"--repeat", options->repeat, "use --pairs"},
        {"-o", options->output, "export the runs afterwards"},
        {"--force", options->force, "it belongs to -o"},
        {"--open", options->open, "compare the two series in `perfshelf serve`"},
        {"--importers", options->importers, "use `perfshelf record importtime`"},
        {"--memory", options->memory, "use `perfshelf record torch`"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].is_given)
            return ps_fail(err, PS_BAD_REQUEST, "ab has no option %s" PS_HINT "%s", others[i].name,
                           others[i].hint);
    for (size_t i = 0; i < options->n_tags; i++)
        if (strcmp(options->tags[i].key, "ab") == 0 || strcmp(options->tags[i].key, "pair") == 0)
            return ps_fail(err, PS_BAD_REQUEST,
                           "--tag %s: ab sets this tag itself" PS_HINT "choose another key",
                           options->tags[i].key);
    if (options->n_operands > 1)
        return ps_fail(err, PS_BAD_REQUEST,
                       "unexpected argument '%s'" PS_HINT
                       "write each command as one word: --base 'COMMAND' --new 'COMMAND'",
                       options->operands[1]);
    if (!options->base || !options->new_runs)
        return ps_fail(err, PS_BAD_REQUEST,
                       "missing %s 'COMMAND'" PS_HINT "see `perfshelf help record`",
                       options->base ? "--new" : "--base");
    if (options->json && options->markdown)
        return ps_fail(err, PS_BAD_REQUEST, "--json and --markdown cannot be combined");
    return ps_cli_check_fail_on(options, err);
}

static enum ps_status read_counts(struct record_ab *ab, struct ps_err *err)
{
    int64_t seed = 1;
    ab->n_pairs = PAIRS_DEFAULT;
    ab->n_warmup = 1;
    if (ab->options->pairs)
        ps_options_parse_count("--pairs", ab->options->pairs, PS_PAIRS_MAX, &ab->n_pairs, err);
    if (err->code == PS_OK)
        ps_options_parse_whole("--warmup", ab->options->warmup, WARMUP_MAX, &ab->n_warmup, err);
    if (err->code == PS_OK)
        ps_options_parse_whole("--seed", ab->options->seed, INT64_MAX, &seed, err);
    ab->seed = (uint64_t)seed;
    ab->order = ps_pair_order_init(ab->seed);
    return err->code;
}

/* --- Preparation --- */

/* The folder is the current one until the next call. */
static enum ps_status enter(int folder, struct ps_err *err)
{
    return fchdir(folder) == 0 ? PS_OK
                               : ps_fail_errno(err, "cannot enter", "a folder of a command");
}

static enum ps_status open_folder(const char *path, int *out, struct ps_err *err)
{
    *out = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *out >= 0 ? PS_OK : ps_fail_errno(err, "cannot open the folder", path);
}

/* Names the side in a failure. */
static enum ps_status fail_side(const struct side *side, const struct ps_err *own,
                                struct ps_err *err)
{
    return ps_fail(err, own->code, "--%s: %s" PS_HINT "%s", side->name, own->text, own->hint);
}

static enum ps_status prepare_side(struct record_ab *ab, struct side *side, const char *command,
                                   const char *folder, struct ps_err *err)
{
    const struct ps_options *options = ab->options;
    struct ps_err own = PS_ERR_INIT;
    side->options = *options;
    side->options.name =
        options->name ? ps_arena_printf(&ab->arena, "%s %s", options->name, side->name) : NULL;
    if (open_folder(folder ? folder : ".", &side->folder, err) != PS_OK || enter(side->folder, err))
        return err->code;
    if (ps_split_command(command, &ab->arena, &side->words, &own) == PS_OK) {
        side->recording = (struct ps_recording){
            .options = &side->options,
            .recorder_name = options->recorder ? options->recorder : "time",
            .words = ps_words_end(&side->words),
            .n_words = side->words.n,
            .in_series = true,
            .no_input = true,
            .drops_output = !options->show_output,
            .out_to_stderr = options->show_output,
        };
        ps_recording_prepare(&side->recording, &own);
    }
    enter(ab->home, err);
    return own.code == PS_OK ? err->code : fail_side(side, &own, err);
}

/* Completes the labels. Both series and both measurements have the name of the new one, so that
 * their rows are compared even if the commands differ. */
static void label_sides(struct record_ab *ab)
{
    const char *series = ab->sides[1].recording.label.series;
    for (int i = 0; i < 2; i++) {
        struct ps_recording *recording = &ab->sides[i].recording;
        recording->label.series = ps_arena_printf(&ab->arena, "%s/%s", series, ab->sides[i].name);
        recording->timed = series;
        ps_record_tags_set(&recording->tags, "ab", ab->id);
        ab->sides[i].n_tags = recording->tags.n;
    }
}

static enum ps_status prepare(struct record_ab *ab, struct ps_err *err)
{
    const struct ps_options *options = ab->options;
    if (check_options(options, err) != PS_OK || read_counts(ab, err) != PS_OK ||
        ps_pairs_choose_id(ab->id, err) != PS_OK || open_folder(".", &ab->home, err) != PS_OK ||
        prepare_side(ab, &ab->sides[0], options->base, options->base_dir, err) != PS_OK ||
        prepare_side(ab, &ab->sides[1], options->new_runs, options->new_dir, err) != PS_OK)
        return err->code;
    label_sides(ab);
    return PS_OK;
}

/* --- Recording --- */

/* Runs one side. Returns 0, or the exit status after reporting the failure. */
static int run_side(struct record_ab *ab, struct side *side, const char *pair)
{
    struct ps_recording *recording = &side->recording;
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf subject = {0};
    int exit_status = 0;
    ps_buf_printf(&subject, SUBJECT ": %s of %s", side->name, pair);
    if (enter(side->folder, &err) == PS_OK)
        ps_recording_run(recording, true, &exit_status, &err);
    if (err.code != PS_OK) {
        ps_print_failure(subject.ptr, &err);
        return exit_status ? exit_status : 1;
    }
    if (ps_child_interrupted() || ps_progress_interrupted())
        return exit_status ? exit_status : 130;
    if (exit_status) {
        ps_recording_print_exit(subject.ptr, exit_status,
                                ab->options->show_output
                                    ? "this pair is not on the shelf"
                                    : "this pair is not on the shelf; --show-output shows its "
                                      "output");
        return exit_status;
    }
    if (ps_recording_has_profile(recording))
        return 0;
    ps_fail(&err, PS_NOT_FOUND, "the command wrote no profile");
    return ps_print_failure(subject.ptr, &err);
}

/* A run with the same bytes exists: it belongs to another recording. */
static int refuse_known(void *user, const char *path, const char *id, char **name)
{
    struct ps_err err = PS_ERR_INIT;
    (void)user, (void)name;
    ps_fail(&err, PS_CONFLICT, "run %s has the same bytes", id);
    return ps_print_failure(path, &err);
}

/* Adds the profile of one side. Returns 0, or 1 after reporting a failure. *id: the new run. */
static int add_side(struct record_ab *ab, struct side *side, const char *pair, bool is_first,
                    char id[PS_ID_SIZE])
{
    struct ps_imported_runs runs = {.is_quiet = true, .label_known = refuse_known};
    struct ps_record_tags *tags = &side->recording.tags;
    struct ps_err err = PS_ERR_INIT;
    if (enter(side->folder, &err) != PS_OK)
        return ps_print_failure(SUBJECT, &err);
    tags->n = side->n_tags;
    ps_record_tags_set(tags, "pair", pair);
    ps_record_tags_set(tags, "order", is_first ? "first" : "second");
    int failed = ps_recording_add(&side->recording, ab->client, &runs);
    memcpy(id, runs.id, PS_ID_SIZE);
    return failed || !runs.n;
}

static void remove_run(struct record_ab *ab, const char *id)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    struct ps_err err = PS_ERR_INIT;
    ps_buf_printf(&path, "runs/%s", id);
    if (ps_client_send(ab->client, "DELETE", path.ptr, PS_STR(""), &answer, &err) != PS_OK)
        ps_print_failure(id, &err);
}

/* Adds both profiles of a pair, or none: then their files are kept. */
static int add_pair(struct record_ab *ab, int64_t i, bool base_first)
{
    const char *pair = ps_arena_printf(&ab->arena, "%" PRId64, i + 1);
    char ids[2][PS_ID_SIZE];
    bool is_base_stored = add_side(ab, &ab->sides[0], pair, base_first, ids[0]) == 0;
    if (!is_base_stored || add_side(ab, &ab->sides[1], pair, !base_first, ids[1]) != 0) {
        if (is_base_stored)
            remove_run(ab, ids[0]);
        for (int k = 0; k < 2; k++)
            ps_recording_keep(&ab->sides[k].recording, NULL);
        return 1;
    }
    for (int k = 0; k < 2; k++)
        ps_buf_printf(&ab->sides[k].ids, "%s%s", ab->sides[k].ids.len ? "," : "", ids[k]);
    return 0;
}

static void print_pair(const struct record_ab *ab, const char *pair)
{
    const struct ps_recording *base = &ab->sides[0].recording, *now = &ab->sides[1].recording;
    char text[2][48], percent[32];
    (void)fprintf(stderr, "%s: base %s, new %s (%s)\n", pair,
                  ps_format_seconds(base->real_s, text[0]), ps_format_seconds(now->real_s, text[1]),
                  ps_format_percent(now->real_s - base->real_s, base->real_s, percent));
}

/* Records pair i; negative numbers are the pairs for warm-up. */
static int record_pair(struct record_ab *ab, int64_t i)
{
    const bool base_first = ps_pair_order_is_base_first(&ab->order, i < 0 ? -i : i);
    const char *pair =
        i < 0 ? "warm-up"
              : ps_arena_printf(&ab->arena, "pair %" PRId64 " of %" PRId64, i + 1, ab->n_pairs);
    int status = run_side(ab, &ab->sides[!base_first], pair);
    if (status == 0)
        status = run_side(ab, &ab->sides[base_first], pair);
    if (status != 0)
        return status;
    print_pair(ab, pair);
    return i < 0 ? 0 : add_pair(ab, i, base_first);
}

static int record_pairs(struct record_ab *ab)
{
    struct ps_err note = PS_ERR_INIT, err = PS_ERR_INIT;
    int status = 0;
    int64_t i = -ab->n_warmup;
    char text[64];
    ps_progress_catch_interrupts();
    (void)fprintf(stderr, "%s, %" PRId64 " before for warm-up, order by seed %" PRIu64 "\n",
                  ps_format_count((uint64_t)ab->n_pairs, "pair", text), ab->n_warmup, ab->seed);
    for (; i < ab->n_pairs && status == 0; i++)
        status = ps_progress_interrupted() ? 130 : record_pair(ab, i);
    if (status == 0)
        return enter(ab->home, &err) == PS_OK ? 0 : ps_print_failure(SUBJECT, &err);
    const int64_t complete = i > 0 ? i - 1 : 0;
    ps_fail(&note, PS_CANCELLED, "%s%s on the shelf%s",
            ps_child_interrupted() || ps_progress_interrupted() ? "interrupted; " : "",
            ps_format_count((uint64_t)complete, "complete pair", text),
            complete ? ps_arena_printf(&ab->arena, ", series %s and %s",
                                       ab->sides[0].recording.label.series,
                                       ab->sides[1].recording.label.series)
                     : "");
    ps_print_note(SUBJECT, &note);
    return status;
}

/* --- Result --- */

static void print_text(const struct record_ab *ab, const struct ps_cli_comparison *compared)
{
    PS_AUTO(ps_output_free) struct ps_output out = ps_output_terminal(0, NULL);
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    ps_text_headline(&out, compared->response);
    ps_buf_puts(&text, "series ");
    ps_output_quote(&text, ab->sides[0].recording.label.series);
    ps_buf_puts(&text, " and ");
    ps_output_quote(&text, ab->sides[1].recording.label.series);
    ps_buf_printf(&text, ", tag ab=%s", ab->id);
    ps_output_paragraph(&out, &text);
    ps_output_end(&out);
    ps_print(&out.text);
}

static int report(struct record_ab *ab)
{
    PS_AUTO(ps_cli_comparison_close) struct ps_cli_comparison compared = {.client = NULL};
    const struct ps_options *options = ab->options;
    struct ps_err err = PS_ERR_INIT;
    const char *base = ab->sides[0].ids.ptr, *now = ab->sides[1].ids.ptr;
    if (options->json || options->markdown || options->fail_on)
        return ps_cli_check_growth(SUBJECT, options, ab->client, base, now);
    compared = (struct ps_cli_comparison){
        .client = ab->client, .base_runs = base, .new_runs = now, .metric = options->metric};
    if (ps_cli_compare(&compared, &err) != PS_OK)
        return ps_print_failure(SUBJECT, &err);
    print_text(ab, &compared);
    return 0;
}

/* --- Command --- */

static int record_to_shelf(struct record_ab *ab)
{
    struct ps_options options = *ab->options;
    struct ps_err err = PS_ERR_INIT, note = PS_ERR_INIT;
    if (ps_pairs_anchor_shelf(&options, &ab->arena, &err) != PS_OK)
        return ps_print_failure(SUBJECT, &err);
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(&options);
    if (!client)
        return 1;
    ab->client = client;
    int status = 1;
    if (ps_recording_open(&ab->sides[0].recording, &err) != PS_OK ||
        ps_recording_open(&ab->sides[1].recording, &err) != PS_OK)
        ps_print_failure(SUBJECT, &err);
    else
        status = record_pairs(ab);
    ps_recording_report_left();
    for (int i = 0; i < 2; i++)
        if (ps_recording_close(&ab->sides[i].recording, &note) != PS_OK)
            ps_print_note(SUBJECT, &note);
    return status == 0 ? report(ab) : status;
}

static void side_free(struct side *side)
{
    ps_recording_free(&side->recording);
    ps_words_free(&side->words);
    ps_buf_free(&side->ids);
    ps_close_fd(&side->folder);
}

int ps_cli_record_ab(const struct ps_options *options)
{
    struct record_ab ab = {.options = options,
                           .sides = {{.name = "base", .folder = -1}, {.name = "new", .folder = -1}},
                           .home = -1};
    struct ps_err err = PS_ERR_INIT;
    int status;
    if (prepare(&ab, &err) == PS_OK)
        status = record_to_shelf(&ab);
    else
        status = ps_print_failure(SUBJECT, &err) + (err.code == PS_BAD_REQUEST);
    side_free(&ab.sides[0]);
    side_free(&ab.sides[1]);
    ps_close_fd(&ab.home);
    ps_arena_free(&ab.arena);
    return status;
}
