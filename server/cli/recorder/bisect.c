/* SPDX-License-Identifier: MIT */
/* bisect.c: finds the commit that changed a measured number, by `git bisect` with a measurement in
 * pairs at each step. */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/recorder/bisect.h"

#include "server/cli/cli.h"
#include "server/cli/commands/comparison.h"
#include "server/cli/options/option_values.h"
#include "server/text/text.h"

#include "base/format.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SUBJECT       "bisect"
#define PAIRS_DEFAULT 30   /* maximum of a step */
#define PAIRS_ENDS    10   /* of the ends, and of the commit that was found, unless unclear */
#define PAIRS_STEP    3    /* minimum of a step */
#define ERROR_MAX     0.01 /* of all verdicts of the search together */
#define P_MAX         0.01 /* that two commits differ */
#define WARMUP_MAX    1000

/* --- Options --- */

static enum ps_status check_options(struct ps_bisect *b, struct ps_err *err)
{
    const struct ps_options *options = b->options;
    int64_t seed = 1;
    b->max_pairs = PAIRS_DEFAULT;
    b->measure.n_warmup = 1;
    if (!options->good != !options->bad)
        return ps_fail(err, PS_BAD_REQUEST,
                       "--good and --bad must be given together" PS_HINT
                       "without both, the ends come from the trend of the series");
    if (options->file && !options->file[0])
        return ps_fail(err, PS_BAD_REQUEST, "--file needs the name of a file");
    for (size_t i = 0; i < options->n_tags; i++)
        if (strcmp(options->tags[i].key, "commit") == 0 ||
            strcmp(options->tags[i].key, "bisect") == 0)
            return ps_fail(err, PS_BAD_REQUEST,
                           "--tag %s: bisect sets this tag itself" PS_HINT "choose another key",
                           options->tags[i].key);
    if (!options->file && ps_bisect_check_row(options->operands[1], err) != PS_OK)
        return err->code;
    if (options->pairs && ps_options_parse_count("--pairs", options->pairs, PS_PAIRS_MAX,
                                                 &b->max_pairs, err) != PS_OK)
        return err->code;
    if (b->max_pairs < PAIRS_ENDS)
        return ps_fail(err, PS_BAD_REQUEST,
                       "invalid value '%s' for --pairs: at least %d are needed to tell two commits "
                       "apart",
                       options->pairs, PAIRS_ENDS);
    if (ps_options_parse_whole("--warmup", options->warmup, WARMUP_MAX, &b->measure.n_warmup,
                               err) == PS_OK)
        ps_options_parse_whole("--seed", options->seed, INT64_MAX, &seed, err);
    b->measure.order = ps_pair_order_init((uint64_t)seed);
    return err->code;
}

/* --- The ends --- */

static const char *series_of(const struct ps_options *options)
{
    const char *name = options->operands[0];
    return strncmp(name, "series:", 7) == 0 ? name + 7 : name;
}

/* Adds what the trend is of: a number of the command, or a row of the first table of the runs. */
static enum ps_status add_row(struct ps_bisect *b, const char *series, struct ps_buf *path,
                              struct ps_err *err)
{
    const struct ps_options *options = b->options;
    PS_AUTO(ps_buf_free) struct ps_buf newest = {0};
    PS_AUTO(ps_cli_comparison_close) struct ps_cli_comparison runs = {.client = b->measure.client};
    if (!options->file && strcmp(options->operands[1], "cpu") == 0)
        ps_url_add_param(path, "metric", "cpu_s");
    else if (!options->file && strcmp(options->operands[1], "wall") != 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the trend of a command has wall and cpu only" PS_HINT
                       "name the ends with --good COMMIT --bad COMMIT");
    if (!options->file)
        return PS_OK;
    ps_buf_printf(&newest, "%s@1", series);
    runs.new_runs = newest.ptr;
    if (ps_cli_compare(&runs, err) != PS_OK)
        return err->code;
    const cJSON *table = cJSON_GetArrayItem(ps_member(runs.response, "tables"), 0);
    ps_url_add_param(path, "of", table ? ps_member_text(table, "of") : NULL);
    ps_url_add_param(path, "row", table ? options->operands[1] : NULL);
    return PS_OK;
}

/* Names the commits around the newest change point. A change point may be one point off, so each
 * end is one point further out, within its level. */
static enum ps_status choose_ends(struct ps_bisect *b, const cJSON *trend, const char *ends[2],
                                  struct ps_err *err)
{
    const cJSON *changes = ps_member(trend, "changes"), *points = ps_member(trend, "points");
    const cJSON *change = cJSON_GetArrayItem(changes, cJSON_GetArraySize(changes) - 1);
    if (cJSON_GetArraySize(points) == 0)
        return ps_fail(err, PS_NOT_FOUND,
                       "no run of the series %s has %s and the tag commit" PS_HINT
                       "name the ends with --good COMMIT --bad COMMIT",
                       series_of(b->options), b->options->operands[1]);
    if (!change)
        return ps_fail(err, PS_NOT_FOUND,
                       "the trend of %s over the commits of %s has no change point" PS_HINT
                       "name the ends with --good COMMIT --bad COMMIT",
                       b->options->operands[1], series_of(b->options));
    const int at = ps_to_index(ps_member_number(change, "index"));
    const int from = ps_to_index(ps_member_number(change, "from")),
              to = ps_to_index(ps_member_number(change, "to"));
    const int indexes[2] = {at - 2 < from ? at - 1 : at - 2, at + 1 < to ? at + 1 : at};
    for (int i = 0; i < 2; i++)
        ends[i] = ps_arena_printf(&b->arena, "%s",
                                  ps_member_text(cJSON_GetArrayItem(points, indexes[i]), "by"));
    return PS_OK;
}

static enum ps_status read_trend(struct ps_bisect *b, const char *ends[2], struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf series = {0};
    PS_AUTO(ps_json_free) cJSON *trend = NULL;
    ps_buf_printf(&series, "series:%s", series_of(b->options));
    ps_buf_puts(&path, "trend");
    ps_url_add_param(&path, "runs", series.ptr);
    ps_url_add_param(&path, "by", "tag:commit");
    if (add_row(b, series.ptr, &path, err) != PS_OK ||
        ps_client_read(b->measure.client, path.ptr, &trend, err) != PS_OK)
        return err->code;
    return choose_ends(b, trend, ends, err);
}

static enum ps_status find_ends(struct ps_bisect *b, struct ps_err *err)
{
    const struct ps_options *options = b->options;
    const char *ends[2] = {options->good, options->bad};
    if (!options->good && read_trend(b, ends, err) != PS_OK)
        return err->code;
    if (ps_bisect_git_resolve(&b->git, options->good ? "--good" : "the good end", ends[0], &b->good,
                              err) == PS_OK)
        ps_bisect_git_resolve(&b->git, options->good ? "--bad" : "the bad end", ends[1], &b->bad,
                              err);
    return err->code;
}

/* --- Pairs --- */

/* Measures further pairs of both sides, up to `n` in all, and adds their ratios. Stops when a side
 * cannot be measured. */
static enum ps_status measure_to(struct ps_bisect *b, struct ps_bisect_pairs *pairs, size_t n,
                                 struct ps_err *err)
{
    while (pairs->n < n && err->code == PS_OK) {
        double values[2] = {0, 0};
        ps_bisect_pair(&b->measure, b->sides, (int64_t)pairs->n, values, err);
        if (err->code != PS_OK || b->sides[0].why[0] || b->sides[1].why[0])
            break;
        pairs->base[pairs->n] = values[0];
        pairs->test[pairs->n] = values[1];
        pairs->ratios[pairs->n++] = log(values[1] / values[0]);
    }
    return err->code;
}

static enum ps_status fail_side(const struct ps_bisect_side *side, struct ps_err *err)
{
    return ps_fail(err, PS_IO, "commit %.12s cannot be measured: %s", side->commit, side->why);
}

static double median_of(const double *values, size_t n)
{
    double sorted[PS_GROUP_MAX];
    memcpy(sorted, values, n * sizeof *values);
    return ps_group_median(sorted, n);
}

/* Measures pairs of both sides, up to `n` in all, and compares them. Both must be measurable. */
static enum ps_status compare_to(struct ps_bisect *b, size_t n, struct ps_bisect_change *out,
                                 struct ps_err *err)
{
    struct ps_bisect_pairs *pairs = &b->pairs;
    measure_to(b, pairs, n, err);
    for (int i = 0; i < 2 && err->code == PS_OK; i++)
        if (b->sides[i].why[0])
            fail_side(&b->sides[i], err);
    if (err->code != PS_OK)
        return err->code;
    ps_pairs_compare(pairs->base, pairs->test, pairs->n, 0.95, &out->pairs);
    out->n = pairs->n;
    out->is_clear = out->pairs.p_value <= P_MAX;
    out->base = median_of(pairs->base, pairs->n);
    out->test = median_of(pairs->test, pairs->n);
    return PS_OK;
}

/* Compares both sides, by more pairs if it stays unclear whether they differ. */
static enum ps_status compare_sides(struct ps_bisect *b, struct ps_bisect_change *out,
                                    struct ps_err *err)
{
    b->pairs.n = 0;
    b->measure.n_set++;
    if (compare_to(b, PAIRS_ENDS, out, err) == PS_OK && !out->is_clear)
        compare_to(b, (size_t)b->max_pairs, out, err);
    return err->code;
}

/* Compares the ends, and counts how often their votes are wrong; by more pairs if any is. */
static enum ps_status compare_ends(struct ps_bisect *b, struct ps_err *err)
{
    if (compare_sides(b, &b->ends, err) != PS_OK)
        return err->code;
    b->votes = ps_bisect_votes_init(b->pairs.ratios, b->pairs.n);
    if (b->ends.is_clear && b->votes.n_wrong > 0) {
        if (compare_to(b, (size_t)b->max_pairs, &b->ends, err) != PS_OK)
            return err->code;
        b->votes = ps_bisect_votes_init(b->pairs.ratios, b->pairs.n);
    }
    return PS_OK;
}

/* Checks out a commit in the worktree of a side, builds it and warms it up. */
static enum ps_status prepare_side(struct ps_bisect *b, int side, const char *commit, bool must,
                                   struct ps_err *err)
{
    if (ps_bisect_git_checkout(&b->git, side ? b->git.test : b->git.base, commit, err) != PS_OK ||
        ps_bisect_side_prepare(&b->measure, &b->sides[side], commit, err) != PS_OK)
        return err->code;
    return must && b->sides[side].why[0] ? fail_side(&b->sides[side], err) : PS_OK;
}

/* --- The search --- */

static void add_step(struct ps_bisect *b, const struct ps_bisect_step *step)
{
    PS_RESERVE_ONE(b->steps, b->n_steps, b->steps_cap);
    b->steps[b->n_steps++] = *step;
    ps_bisect_print_step(b, &b->steps[b->n_steps - 1]);
}

/* Measures the commit that is checked out until the votes are clear. */
static enum ps_status measure_step(struct ps_bisect *b, double error_max,
                                   struct ps_bisect_step *step, struct ps_err *err)
{
    struct ps_bisect_votes votes = ps_bisect_votes_reset(&b->votes);
    struct ps_bisect_pairs *pairs = &b->pairs;
    bool has_change = false;
    pairs->n = 0;
    b->measure.n_set++;
    step->error = 0.5;
    while (!b->sides[1].why[0] && pairs->n < (size_t)b->max_pairs &&
           (pairs->n < PAIRS_STEP || step->error > error_max)) {
        if (measure_to(b, pairs, pairs->n + 1, err) != PS_OK)
            return err->code;
        if (b->sides[0].why[0])
            return fail_side(&b->sides[0], err);
        if (b->sides[1].why[0])
            break;
        ps_bisect_votes_add(&votes, pairs->ratios[pairs->n - 1]);
        step->error = ps_bisect_votes_error(&votes, &has_change);
    }
    step->n_pairs = pairs->n;
    step->change = pairs->n ? exp(median_of(pairs->ratios, pairs->n)) - 1 : NAN;
    step->state = b->sides[1].why[0]        ? PS_BISECT_STEP_SKIPPED
                  : step->error > error_max ? PS_BISECT_STEP_UNCLEAR
                  : has_change              ? PS_BISECT_STEP_BAD
                                            : PS_BISECT_STEP_GOOD;
    step->why = ps_arena_printf(&b->arena, "%s", b->sides[1].why);
    return PS_OK;
}

/* Judges commits until one is found, only skipped ones are left, or one stays unclear. */
static enum ps_status search(struct ps_bisect *b, struct ps_err *err)
{
    enum ps_bisect_state state;
    const char *commit;
    int64_t n = 0;
    if (ps_bisect_git_start(&b->git, b->good, b->bad, &state, &commit, err) != PS_OK ||
        ps_bisect_git_candidates(&b->git, &n, NULL, err) != PS_OK)
        return err->code;
    b->n_expected = n > 1 ? (unsigned)ceil(log2((double)n)) : 1;
    ps_bisect_print_start(b, n);
    while (state == PS_BISECT_NEXT) {
        struct ps_bisect_step step = {.commit = commit};
        if (ps_bisect_side_prepare(&b->measure, &b->sides[1], commit, err) != PS_OK ||
            measure_step(b, ERROR_MAX / b->n_expected, &step, err) != PS_OK)
            return err->code;
        add_step(b, &step);
        if (step.state == PS_BISECT_STEP_UNCLEAR)
            return PS_OK;
        if (step.state != PS_BISECT_STEP_SKIPPED)
            b->right *= 1 - step.error;
        if (ps_bisect_git_judge(&b->git,
                                step.state == PS_BISECT_STEP_SKIPPED ? PS_BISECT_SKIP
                                : step.state == PS_BISECT_STEP_BAD   ? PS_BISECT_BAD
                                                                     : PS_BISECT_GOOD,
                                &state, &commit, err) != PS_OK)
            return err->code;
    }
    if (state == PS_BISECT_FOUND)
        b->found = commit;
    return PS_OK;
}

/* Whether a change has the direction of that of the ends, and at least half of its size. */
static bool is_of_ends(const struct ps_bisect *b, const struct ps_bisect_change *change)
{
    const double ends = log(b->ends.pairs.ratio), own = log(change->pairs.ratio);
    return change->is_clear && own * ends > 0 && fabs(own) > fabs(ends) / 2;
}

/* Compares the commit that was found with its parent. */
static enum ps_status confirm(struct ps_bisect *b, struct ps_err *err)
{
    if (ps_bisect_git_parent(&b->git, b->found, &b->parent, err) != PS_OK)
        return err->code;
    if (strcmp(b->parent, b->good) == 0 && strcmp(b->found, b->bad) == 0) {
        b->change = b->ends; /* they are the ends, which were measured */
    } else {
        ps_bisect_print_confirmation(b);
        if ((strcmp(b->parent, b->good) != 0 &&
             prepare_side(b, 0, b->parent, true, err) != PS_OK) ||
            prepare_side(b, 1, b->found, true, err) != PS_OK ||
            compare_sides(b, &b->change, err) != PS_OK)
            return err->code;
    }
    b->is_confirmed = is_of_ends(b, &b->change);
    return PS_OK;
}

static enum ps_status bisect(struct ps_bisect *b, struct ps_err *err)
{
    if (find_ends(b, err) != PS_OK || ps_bisect_git_begin(&b->git, b->good, b->bad, err) != PS_OK)
        return err->code;
    b->sides[0].folder = ps_arena_printf(&b->arena, "%s/%s", b->git.base, b->git.prefix);
    b->sides[1].folder = ps_arena_printf(&b->arena, "%s/%s", b->git.test, b->git.prefix);
    ps_bisect_print_ends(b);
    if (prepare_side(b, 0, b->good, true, err) != PS_OK ||
        prepare_side(b, 1, b->bad, true, err) != PS_OK || compare_ends(b, err) != PS_OK)
        return err->code;
    ps_bisect_print_change(b, &b->ends);
    if (b->ends.is_clear && search(b, err) == PS_OK && b->found)
        confirm(b, err);
    return err->code;
}

/* --- Command --- */

/* A closed terminal ends the command like an interrupt, so that the worktrees are removed. */
static void on_hangup(int number)
{
    (void)number;
    (void)kill(getpid(), SIGTERM);
}

static void catch_signals(void)
{
    const struct sigaction hangup = {.sa_handler = on_hangup};
    struct sigaction before;
    ps_progress_catch_interrupts();
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &hangup, NULL);
}

static int bisect_to_shelf(struct ps_bisect *b)
{
    struct ps_options options = *b->options;
    struct ps_err err = PS_ERR_INIT;
    if (ps_pairs_anchor_shelf(&options, &b->arena, &err) != PS_OK)
        return ps_print_failure(SUBJECT, &err);
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(&options);
    if (!client)
        return 1;
    b->measure.client = client;
    catch_signals();
    bisect(b, &err);
    for (int i = 0; i < 2; i++)
        ps_bisect_side_close(&b->sides[i]);
    ps_recording_report_left();
    if (err.code == PS_CANCELLED) {
        ps_print_failure(SUBJECT, &err);
        return 130;
    }
    if (err.code != PS_OK)
        return ps_print_failure(SUBJECT, &err);
    ps_bisect_print_result(b);
    return b->is_confirmed ? 0 : 1;
}

static enum ps_status prepare(struct ps_bisect *b, struct ps_err *err)
{
    const struct ps_options *options = b->options;
    struct ps_bisect_measure *measure = &b->measure;
    measure->options = options;
    measure->row = options->operands[1];
    measure->words = options->operands + 2;
    measure->n_words = options->n_operands - 2;
    measure->series = ps_arena_printf(&b->arena, "%s/bisect", series_of(options));
    measure->home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (measure->home < 0)
        return ps_fail_errno(err, "cannot open", "the current folder");
    if (check_options(b, err) == PS_OK && ps_pairs_choose_id(measure->id, err) == PS_OK)
        ps_bisect_git_open(&b->git, err);
    return err->code;
}

int ps_cli_bisect(const struct ps_options *options)
{
    struct ps_bisect b = {.options = options,
                          .sides = {{.name = "base"}, {.name = "test"}},
                          .right = 1,
                          .measure = {.home = -1}};
    struct ps_err err = PS_ERR_INIT;
    int status;
    if (prepare(&b, &err) == PS_OK)
        status = bisect_to_shelf(&b);
    else
        status = ps_print_failure(SUBJECT, &err) + (err.code == PS_BAD_REQUEST);
    ps_bisect_git_close(&b.git);
    ps_close_fd(&b.measure.home);
    free(b.steps);
    ps_arena_free(&b.arena);
    return status;
}
