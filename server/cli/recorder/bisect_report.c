/* SPDX-License-Identifier: MIT */
/* bisect_report.c: prints the progress and the result of `perfshelf bisect`. */
#include "server/cli/recorder/bisect.h"

#include "base/format.h"
#include "base/json_out.h"
#include "server/cli/cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define ABOUT "%h %cs %s" /* of git show: abbreviated name, date and subject */

static const char *const state_words[] = {
    [PS_BISECT_STEP_GOOD] = "good",
    [PS_BISECT_STEP_BAD] = "bad",
    [PS_BISECT_STEP_SKIPPED] = "skipped",
    [PS_BISECT_STEP_UNCLEAR] = "unclear",
};

/* --- Parts of lines --- */

/* Appends "a1b2c3d 2026-11-20 subject". */
static void add_commit(struct ps_bisect *b, const char *commit, struct ps_buf *out)
{
    ps_append_escaped(out, ps_str_from_c(ps_bisect_git_about(&b->git, commit, ABOUT)));
}

static double percent_of(double ratio)
{
    return 100 * (ratio - 1);
}

/* Appends "wall 100.2 ms → 151.7 ms, pair by pair +51.4 %; 10 pairs: 95 % interval +49.9 % to
 * +53.0 %, signed rank test p = 0.002". */
static void add_change(const struct ps_bisect *b, const struct ps_bisect_change *change,
                       struct ps_buf *out)
{
    char base[64], test[64], p[32];
    ps_append_escaped(out, ps_str_from_c(b->measure.row));
    ps_buf_puts(out, " ");
    ps_append_escaped(out, ps_str_from_c(ps_format_value(change->base, b->measure.unit, base)));
    ps_buf_puts(out, " \u2192 ");
    ps_append_escaped(out, ps_str_from_c(ps_format_value(change->test, b->measure.unit, test)));
    ps_buf_printf(out,
                  ", pair by pair %+.1f %%; %zu pairs: 95 %% interval %+.1f %% to %+.1f %%, signed "
                  "rank test %s",
                  percent_of(change->pairs.ratio), change->n, percent_of(change->pairs.low),
                  percent_of(change->pairs.high), ps_format_p(change->pairs.p_value, p));
}

/* Appends "0.12 %". */
static void add_probability(double probability, struct ps_buf *out)
{
    char digits[32];
    ps_buf_printf(out, "%s %%", ps_format_digits(100 * probability, 2, digits));
}

/* --- Progress --- */

static void print_line(struct ps_buf *line)
{
    ps_buf_puts(line, "\n");
    (void)fputs(line->ptr, stderr);
}

void ps_bisect_print_ends(struct ps_bisect *b)
{
    static const char *const words[] = {"good", "bad"};
    const char *const ends[] = {b->good, b->bad};
    for (int i = 0; i < 2; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf line = {0};
        ps_buf_printf(&line, "%s end: ", words[i]);
        add_commit(b, ends[i], &line);
        print_line(&line);
    }
}

void ps_bisect_print_change(struct ps_bisect *b, const struct ps_bisect_change *change)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    ps_buf_puts(&line, "the ends differ: ");
    if (!change->is_clear)
        line.len = 0, ps_buf_puts(&line, "the ends do not differ clearly: ");
    add_change(b, change, &line);
    print_line(&line);
}

void ps_bisect_print_start(struct ps_bisect *b, int64_t n_candidates)
{
    char commits[64], steps[64];
    (void)fprintf(stderr, "%s, about %s, at most %" PRId64 " pairs each\n",
                  ps_format_count((uint64_t)n_candidates, "commit", commits),
                  ps_format_count(b->n_expected, "step", steps), b->max_pairs);
}

/* Appends "bad: +51.2 % in 4 pairs, error 0.12 %", or why the commit was skipped. */
static void add_verdict(const struct ps_bisect_step *step, struct ps_buf *out)
{
    char pairs[64];
    ps_buf_printf(out, "%s: ", state_words[step->state]);
    if (step->state == PS_BISECT_STEP_SKIPPED) {
        ps_append_escaped(out, ps_str_from_c(step->why));
        return;
    }
    ps_buf_printf(out, "%+.1f %% in %s, error ", 100 * step->change,
                  ps_format_count(step->n_pairs, "pair", pairs));
    add_probability(step->error, out);
}

void ps_bisect_print_step(struct ps_bisect *b, const struct ps_bisect_step *step)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    ps_buf_printf(&line, "step %zu: ", b->n_steps);
    add_commit(b, step->commit, &line);
    ps_buf_puts(&line, ": ");
    add_verdict(step, &line);
    print_line(&line);
}

void ps_bisect_print_confirmation(struct ps_bisect *b)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    ps_buf_puts(&line, "found, comparing it with its parent: ");
    add_commit(b, b->found, &line);
    print_line(&line);
}

/* --- The result as text --- */

/* The commits that can still be the first one with the change. */
static void add_range(struct ps_bisect *b, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf lines = {0};
    struct ps_err err = PS_ERR_INIT;
    char count[64];
    int64_t n = 0, shown = 0;
    if (ps_bisect_git_candidates(&b->git, &n, &lines, &err) != PS_OK) {
        ps_print_failure("bisect", &err);
        return;
    }
    ps_buf_printf(out, "The first commit with the change is one of %s:\n",
                  ps_format_count((uint64_t)n, "commit", count));
    for (const char *at = lines.len ? lines.ptr : ""; *at; at += strcspn(at, "\n") + 1, shown++) {
        const char *commit = ps_arena_printf(&b->arena, "%.*s", (int)strcspn(at, "\n"), at);
        ps_buf_puts(out, "  ");
        add_commit(b, commit, out);
        ps_buf_puts(out, "\n");
    }
    if (shown < n)
        ps_buf_printf(out, "  and %" PRId64 " older ones\n", n - shown);
}

static void add_no_change(const struct ps_bisect *b, struct ps_buf *out)
{
    ps_buf_puts(out, "No change to search for: the ends do not differ clearly.\n");
    add_change(b, &b->ends, out);
    ps_buf_puts(out, "\n");
}

static void add_found(struct ps_bisect *b, struct ps_buf *out)
{
    char steps[64];
    ps_append_escaped(out, ps_str_from_c(ps_bisect_git_about(&b->git, b->found, "%H")));
    ps_buf_puts(out, b->is_confirmed ? " is the first commit with the change\n"
                                     : " was found, but does not differ from its parent as the "
                                       "ends do: one of the verdicts is wrong, or several commits "
                                       "have a part of the change\n");
    ps_buf_puts(out, "  ");
    ps_append_escaped(out, ps_str_from_c(ps_bisect_git_about(&b->git, b->found, "%s")));
    ps_buf_puts(out, "\n  ");
    ps_append_escaped(out, ps_str_from_c(ps_bisect_git_about(&b->git, b->found, "%an, %cs")));
    ps_buf_puts(out, "\nover its parent: ");
    add_change(b, &b->change, out);
    ps_buf_puts(out, "\nbetween the ends: ");
    add_change(b, &b->ends, out);
    if (b->change.pairs.high < b->ends.pairs.low || b->change.pairs.low > b->ends.pairs.high)
        ps_buf_puts(out, "\nother commits between the ends have a part of the change too");
    ps_buf_printf(out, "\nprobability that a verdict of the search is wrong: ");
    add_probability(1 - b->right, out);
    ps_buf_printf(out, " (%s)\n", ps_format_count(b->n_steps, "step", steps));
}

static void add_text(struct ps_bisect *b, struct ps_buf *out)
{
    const struct ps_bisect_step *last = b->n_steps ? &b->steps[b->n_steps - 1] : NULL;
    if (!b->ends.is_clear) {
        add_no_change(b, out);
    } else if (b->found) {
        add_found(b, out);
    } else {
        if (last && last->state == PS_BISECT_STEP_UNCLEAR)
            ps_buf_printf(out,
                          "Commit %.12s stays unclear after %zu pairs: use a quieter machine, "
                          "a longer command or more --pairs.\n",
                          last->commit, last->n_pairs);
        else
            ps_buf_puts(out, "All commits that are left cannot be measured.\n");
        add_range(b, out);
    }
    ps_buf_puts(out, "series ");
    ps_append_escaped(out, ps_str_from_c(b->measure.series));
    ps_buf_printf(out, ", tag bisect=%s\n", b->measure.id);
}

/* --- The result as JSON --- */

static void add_json_change(struct ps_json *json, const char *key,
                            const struct ps_bisect_change *change, bool is_known)
{
    ps_json_key(json, key);
    if (!is_known) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_real(json, "base", change->base);
    ps_json_key_real(json, "new", change->test);
    ps_json_key_real(json, "change_pct", percent_of(change->pairs.ratio));
    ps_json_key_real(json, "low_pct", percent_of(change->pairs.low));
    ps_json_key_real(json, "high_pct", percent_of(change->pairs.high));
    ps_json_key_real(json, "p", change->pairs.p_value);
    ps_json_key_int(json, "pairs", (int64_t)change->n);
    ps_json_end(json);
}

static void add_json_steps(const struct ps_bisect *b, struct ps_json *json)
{
    ps_json_key(json, "steps");
    ps_json_array(json);
    for (size_t i = 0; i < b->n_steps; i++) {
        const struct ps_bisect_step *step = &b->steps[i];
        ps_json_object(json);
        ps_json_key_str(json, "commit", step->commit);
        ps_json_key_str(json, "verdict", state_words[step->state]);
        ps_json_key_str(json, "why", step->why[0] ? step->why : NULL);
        ps_json_key_int(json, "pairs", (int64_t)step->n_pairs);
        ps_json_key_real(json, "change_pct", 100 * step->change);
        ps_json_key_real(json, "error", step->state == PS_BISECT_STEP_SKIPPED ? NAN : step->error);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void add_json(const struct ps_bisect *b, struct ps_buf *out)
{
    struct ps_json json = ps_json_writer(out);
    ps_json_object(&json);
    ps_json_key_str(&json, "commit", b->is_confirmed ? b->found : NULL);
    ps_json_key_str(&json, "candidate", b->found);
    ps_json_key_str(&json, "good", b->good);
    ps_json_key_str(&json, "bad", b->bad);
    ps_json_key_str(&json, "row", b->measure.row);
    ps_json_key_str(&json, "unit", b->measure.unit);
    add_json_change(&json, "ends", &b->ends, true);
    add_json_change(&json, "change", &b->change, b->found != NULL);
    ps_json_key_real(&json, "error", b->found ? 1 - b->right : NAN);
    add_json_steps(b, &json);
    ps_json_key_str(&json, "series", b->measure.series);
    ps_json_key_str(&json, "bisect", b->measure.id);
    ps_json_end(&json);
    ps_buf_puts(out, "\n");
}

void ps_bisect_print_result(struct ps_bisect *b)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    if (b->options->json)
        add_json(b, &out);
    else
        add_text(b, &out);
    ps_print(&out);
}
