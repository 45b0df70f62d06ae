/* SPDX-License-Identifier: MIT */
/*
 * function_changes.c: claims which functions of a program changed between two of its profiles.
 *
 * What is compared is the time that each own function causes, with the library code below it
 * (own_time.h), so that a slower `export` is named and not the functions of the json package that
 * it spends its time in.
 */
#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/python_path.h"
#include "compare/function_changes.h"
#include "importers/kinds.h"
#include "server/query/compare/own_functions.h"
#include "server/query/conclusion/conclusion.h"

#define SPEED_NOTED   0.1 /* ln(ratio) from which the speed of the machine is told */
#define NOTABLE_SHARE 0.3 /* of the largest change: smaller ones are not told */
#define NAMES_MAX     3
/*
 * Where no function is named: measured on 82 pairs of recordings of cProfile, line_profiler, py-spy
 * and pyinstrument, 71 of programs in which nothing changed and 11 in which one function did, on a
 * machine with ten times as much to do as it has cores. From a ratio of 1.2 of the whole on, it is
 * not said that no function changed: that leaves 51 of the 71 and 7 of the 11 (1.1: 43 and 8; 1.3:
 * 57 and 4). Of a part of half of the difference whose time doubled or halved, none of the 71 had
 * one (7 without that condition; 1 from a part of 0.4 on). Half of SECOND_SHARE changes no grade of
 * the 133 pairs of the exam and three sentences, double loses one grade.
 */
#define WHOLE_CHANGED 1.2
#define MOST_SHARE    0.5
#define PART_RATIO    2.0
#define SECOND_SHARE  0.3 /* of the difference: the second function is named with the first */
#define WHOLE_SHARE   0.8 /* of a recording: a function with more is nearly all of it */

struct reading {
    struct ps_conclusion *c;
    const struct ps_own_functions *base, *now;
    const struct ps_function_changes *changes;
    const char *unit; /* in the arena of the conclusion */
};

static const struct ps_profiled_function *function_of(const struct reading *r,
                                                      const struct ps_function_change *change)
{
    return change->now == PS_NO_FUNCTION_INDEX ? &r->base->items[change->base]
                                               : &r->now->items[change->now];
}

static struct ps_subject subject_of(const struct reading *r,
                                    const struct ps_profiled_function *function)
{
    const bool is_part = !function->path.ptr;
    struct ps_subject out = ps_subject_of(
        r->c, is_part ? PS_SUBJECT_PART : PS_SUBJECT_FUNCTION,
        r->now->tab && !is_part ? ps_link_name(r->c, r->now->tab, function->name) : ps_link_none,
        function->name);

    if (is_part || ps_str_eq_c(function->path, "?"))
        return out;
    out.path = ps_arena_copy(&r->c->arena, function->path);
    out.line = function->line;
    return out;
}

static bool is_speed_told(const struct ps_function_changes *changes)
{
    return fabs(log(changes->speed)) > SPEED_NOTED;
}

static void add_fact(const struct reading *r, struct ps_claim *claim, struct ps_fact fact)
{
    fact.unit = r->unit;
    ps_claim_fact(&r->c->arena, claim, fact);
}

static void add_claim(const struct reading *r, const struct ps_claim *claim)
{
    ps_conclusion_claim(r->c, claim, NAN);
}

/* The time that the profile without a function may have left out of it; 0: both have the function,
 * or the profile leaves out nothing. */
static double left_out(const struct reading *r, const struct ps_function_change *change)
{
    return change->kind == PS_FUNCTION_ADDED     ? r->base->floor
           : change->kind == PS_FUNCTION_REMOVED ? r->now->floor
                                                 : 0;
}

/* A change of which so much is certain, whatever the other profile left out. */
static double certain_part(double change, double unknown)
{
    return copysign(fmax(0, fabs(change) - unknown), change);
}

/* How much the time of a function changed, at the speed of the base if the speed is told; of the
 * first change also, how much the whole did. */
static void add_amount(const struct reading *r, const struct ps_function_change *change,
                       struct ps_claim *claim)
{
    const double speed = is_speed_told(r->changes) ? r->changes->speed : 1;
    const double before =
        change->base == PS_NO_FUNCTION_INDEX ? 0 : r->base->items[change->base].time;
    const double after = change->now == PS_NO_FUNCTION_INDEX ? 0 : r->now->items[change->now].time;
    const double own = change->n_below ? change->delta / r->changes->speed : after / speed - before;
    const double all = r->now->all.total / speed - r->base->all.total;

    add_fact(r, claim,
             ps_fact_of_change(certain_part(own, left_out(r, change)), all, "functions",
                               change == r->changes->changes, change->n_below > 0));
}

/* The function that calls another one more or less often. */
static struct ps_subject caller_of(const struct reading *r, const struct ps_function_change *change)
{
    /* what is gone was called by a function of the base, which may have another name by now */
    const bool is_of_base =
        change->caller_now == PS_NO_FUNCTION_INDEX ||
        (change->kind == PS_FUNCTION_REMOVED && change->caller_base != PS_NO_FUNCTION_INDEX);

    if (change->caller_base == PS_NO_FUNCTION_INDEX && change->caller_now == PS_NO_FUNCTION_INDEX)
        return ps_no_subject;
    return subject_of(r, is_of_base ? &r->base->items[change->caller_base]
                                    : &r->now->items[change->caller_now]);
}

/* Whether a profile without calls, such as one of samples, has a function that the other has not.
 * The function may have run in both: its samples are few. */
static bool is_in_one_profile(const struct reading *r, const struct ps_function_change *change)
{
    return r->base->all.lacks_calls &&
           (change->kind == PS_FUNCTION_ADDED || change->kind == PS_FUNCTION_REMOVED);
}

static void add_how(const struct reading *r, const struct ps_function_change *change,
                    struct ps_claim *claim)
{
    const struct ps_profiled_function *function = function_of(r, change);
    const int64_t before =
        change->base == PS_NO_FUNCTION_INDEX ? 0 : r->base->items[change->base].calls;
    const double calls = (double)function->calls;

    if (is_in_one_profile(r, change)) {
        add_fact(
            r, claim,
            (struct ps_fact){PS_FACT_ONLY_IN_ONE, .values = {change->kind == PS_FUNCTION_ADDED}});
        if (left_out(r, change) > 0)
            add_fact(
                r, claim,
                (struct ps_fact){PS_FACT_LEFT_OUT, .values = {change->kind == PS_FUNCTION_ADDED,
                                                              left_out(r, change)}});
        return;
    }
    if (change->kind == PS_FUNCTION_ADDED || change->kind == PS_FUNCTION_REMOVED) {
        add_fact(r, claim,
                 (struct ps_fact){
                     change->kind == PS_FUNCTION_ADDED ? PS_FACT_IS_NEW : PS_FACT_IS_GONE,
                     .values = {calls}, .other = calls > 0 ? caller_of(r, change) : ps_no_subject});
        return;
    }
    if (change->calls_ratio == 0 || (calls == 1 && before == 1)) {
        add_fact(r, claim,
                 (struct ps_fact){PS_FACT_TAKES_TIMES,
                                  .values = {change->cost_ratio,
                                             function->path.ptr ||
                                                 ps_str_eq_c(function->name, PS_NO_OWN_CODE)}});
        return;
    }
    if (function->calls == before)
        add_fact(r, claim, (struct ps_fact){PS_FACT_CALLED_AS_BEFORE, .values = {calls}});
    else
        add_fact(r, claim,
                 (struct ps_fact){PS_FACT_CALLED_INSTEAD, .values = {calls, (double)before},
                                  .other = caller_of(r, change)});
    if (change->n_below) /* of all of them together, no cost is known */
        return;
    add_fact(r, claim,
             (struct ps_fact){change->cost_changed ? PS_FACT_COST_TIMES : PS_FACT_SAME_COST,
                              .values = {change->cost_ratio}});
}

static enum ps_verb verb_of(const struct reading *r, const struct ps_function_change *change)
{
    return is_in_one_profile(r, change)          ? PS_CHANGES
           : change->kind == PS_FUNCTION_ADDED   ? PS_APPEARED
           : change->kind == PS_FUNCTION_REMOVED ? PS_VANISHED
                                                 : PS_CHANGES;
}

static void claim_change(const struct reading *r, const struct ps_function_change *change)
{
    const double whole = r->now->all.total - r->base->all.total * r->changes->speed;
    const double delta = certain_part(change->delta, left_out(r, change));
    struct ps_claim claim =
        ps_claim_of("functions", verb_of(r, change), subject_of(r, function_of(r, change)),
                    whole != 0 ? delta / whole : NAN);

    add_how(r, change, &claim);
    if (r->changes->found == PS_FUNCTIONS_CHANGED)
        add_amount(r, change, &claim);
    add_claim(r, &claim);
}

/* The first change, and others that are not small against it. */
static void claim_changes(const struct reading *r)
{
    const struct ps_function_changes *all = r->changes;
    size_t n = 0;

    for (size_t i = 0; i < all->n_changes && n <= NAMES_MAX; i++) {
        const struct ps_function_change *change = &all->changes[i];

        if (fabs(change->delta) <= left_out(r, change) ||
            (i && (change->is_follower ||
                   fabs(change->delta) < NOTABLE_SHARE * fabs(all->changes->delta))))
            continue;
        claim_change(r, change);
        n++;
    }
}

/* Whether several functions kept their names and are in another file, all in the same one. */
static bool is_moved_file(const struct reading *r)
{
    const struct ps_function_rename *first = r->changes->renames;

    for (size_t i = 0; i < r->changes->n_renames; i++) {
        const struct ps_profiled_function *old = &r->base->items[first[i].base];
        const struct ps_profiled_function *new = &r->now->items[first[i].now];

        if (!ps_str_eq(old->name, new->name) ||
            !ps_str_eq(old->path, r->base->items[first->base].path) ||
            !ps_str_eq(new->path, r->now->items[first->now].path))
            return false;
    }
    return r->changes->n_renames > 1;
}

static struct ps_subject file_of(const struct reading *r, const struct ps_profiled_function *item)
{
    return ps_subject_of(r->c, PS_SUBJECT_MODULE, ps_link_none, ps_path_file_name(item->path));
}

static void claim_moved_file(const struct reading *r)
{
    const struct ps_function_rename *first = r->changes->renames;
    const struct ps_subject old = file_of(r, &r->base->items[first->base]);
    const struct ps_subject new = file_of(r, &r->now->items[first->now]);
    struct ps_claim claim = ps_claim_of("functions", PS_RENAMED, new, NAN);

    add_fact(r, &claim,
             (struct ps_fact){.code = ps_str_eq(old.name, new.name) ? PS_FACT_OTHER_FOLDER
                                                                    : PS_FACT_WAS_FILE,
                              .subject = old});
    add_claim(r, &claim);
}

static void claim_renames(const struct reading *r)
{
    if (is_moved_file(r)) {
        claim_moved_file(r);
        return;
    }
    for (size_t i = 0; i < r->changes->n_renames && i < NAMES_MAX; i++) {
        const struct ps_function_rename *rename = &r->changes->renames[i];
        struct ps_claim claim =
            ps_claim_of("functions", PS_RENAMED, subject_of(r, &r->now->items[rename->now]), NAN);

        add_fact(r, &claim,
                 (struct ps_fact){.code = PS_FACT_WAS,
                                  .subject = subject_of(r, &r->base->items[rename->base])});
        add_claim(r, &claim);
    }
}

static void claim_speed(const struct reading *r)
{
    const double speed = r->changes->speed;
    struct ps_claim claim = ps_claim_of("functions", PS_MACHINE_CHANGED, ps_no_subject, NAN);

    if (!is_speed_told(r->changes))
        return;
    add_fact(r, &claim,
             (struct ps_fact){r->now->all.lacks_calls ? PS_FACT_SPEED_OR_WORK : PS_FACT_SPEED,
                              .values = {speed, r->changes->is_alike, speed > 1,
                                         r->changes->n_changes > 0,
                                         r->changes->is_alike ? r->changes->alike_share : NAN}});
    add_claim(r, &claim);
}

/* The same function in the other profile: of the same name in the same file, else in a file of the
 * same name in another folder, else the function that it was renamed to or from. NULL: it is not
 * there. */
static const struct ps_profiled_function *find_same(const struct reading *r,
                                                    const struct ps_profiled_functions *other,
                                                    const struct ps_profiled_function *function)
{
    const struct ps_profiled_function *found = NULL;

    for (size_t i = 0; i < other->n; i++) {
        const struct ps_profiled_function *item = &other->items[i];

        if (!ps_str_eq(item->name, function->name))
            continue;
        if (ps_str_eq(item->path, function->path))
            return item;
        if (ps_str_eq(ps_path_file_name(item->path), ps_path_file_name(function->path)))
            found = item;
    }
    for (size_t i = 0; i < r->changes->n_renames && !found; i++) {
        const struct ps_profiled_function *old = &r->base->items[r->changes->renames[i].base];
        const struct ps_profiled_function *new = &r->now->items[r->changes->renames[i].now];

        if (function == old || function == new)
            found = function == old ? new : old;
    }
    return found;
}

/* The function with the largest part of the difference of the whole, but `left_out`, if its time
 * doubled or halved at least; NULL: there is none. *part: of the difference, SECOND_SHARE or more.
 * Only few functions take that long, so the search in the other profile is short. */
static const struct ps_profiled_function *
find_part(const struct reading *r, const struct ps_profiled_function *left_out, double *part)
{
    const struct ps_profiled_functions *base = &r->base->all, *now = &r->now->all;
    const double whole = now->total - base->total;
    const struct ps_profiled_functions *larger = whole > 0 ? now : base;
    const struct ps_profiled_functions *smaller = whole > 0 ? base : now;
    const struct ps_profiled_function *found = NULL;

    *part = 0;
    for (size_t i = 0; i < larger->n; i++) {
        const struct ps_profiled_function *function = &larger->items[i];
        const struct ps_profiled_function *same;
        double less, share;

        if (function == left_out || !function->path.ptr ||
            function->time < SECOND_SHARE * fabs(whole))
            continue;
        same = find_same(r, smaller, function);
        less = same ? same->time : 0;
        share = (function->time - less) / fabs(whole);
        if (share <= *part || share < SECOND_SHARE || share > 1 ||
            function->time < PART_RATIO * less)
            continue;
        *part = share;
        found = function;
    }
    return found;
}

/* The function under the name that it has in the new profile, if it is there. */
static const struct ps_profiled_function *named_as_now(const struct reading *r,
                                                       const struct ps_profiled_function *function)
{
    const struct ps_profiled_function *same =
        function ? find_same(r, &r->now->all, function) : NULL;

    return same ? same : function;
}

/* The function, or the two, with most of the difference of the whole. */
static void claim_most_of_whole(const struct reading *r)
{
    const double whole = r->now->all.total - r->base->all.total;
    const struct ps_profiled_function *first, *second;
    double part, second_part;
    struct ps_claim claim;

    first = find_part(r, NULL, &part);
    if (!first || part < MOST_SHARE)
        return;
    second = find_part(r, first, &second_part);
    second = second_part < SECOND_SHARE ? NULL : named_as_now(r, second);
    first = named_as_now(r, first);
    claim = ps_claim_of("functions", PS_CHANGES, subject_of(r, first), part);
    ps_claim_explain(&r->c->arena, &claim, second ? subject_of(r, second) : ps_no_subject,
                     part * whole, second_part * whole, whole, r->unit);
    add_claim(r, &claim);
}

/* Claims that no function changed, or that the total did and no function stands out. */
static void claim_same(const struct reading *r)
{
    const struct ps_function_changes *all = r->changes;
    const double before = r->base->all.total, ratio = before > 0 ? r->now->all.total / before : 1;
    const bool has_calls = !r->now->all.lacks_calls;
    const bool is_whole_changed = !is_speed_told(all) && !all->is_noisy &&
                                  (ratio > WHOLE_CHANGED || ratio * WHOLE_CHANGED < 1);
    struct ps_claim claim = ps_claim_of("functions", PS_IS_SAME, ps_no_subject, NAN);

    if (is_whole_changed && r->now->is_trace) /* operators explain more */
        return;
    if (is_whole_changed)
        claim.verb = PS_FLAT;
    add_fact(r, &claim,
             is_whole_changed
                 ? (struct ps_fact){PS_FACT_ALL_TAKE_TIMES, .values = {ratio, has_calls}}
             : is_speed_told(all)
                 ? (struct ps_fact){PS_FACT_SAME_CALLS, .values = {has_calls}}
                 : (struct ps_fact){PS_FACT_SAME_FUNCTIONS, .values = {has_calls, all->is_noisy}});
    add_claim(r, &claim);
    if (is_whole_changed)
        claim_most_of_whole(r);
}

static void claim_input(const struct reading *r)
{
    struct ps_claim claim = ps_claim_of("functions", PS_INPUT_CHANGED, ps_no_subject, NAN);

    add_fact(
        r, &claim,
        (struct ps_fact){PS_FACT_CALLED_TIMES, .values = {r->changes->input, r->changes->input > 1,
                                                          r->changes->n_changes > 0}});
    add_claim(r, &claim);
}

/* Whether the one function that changed is all of the program that was recorded, called as often as
 * before: its operators explain more. */
static bool is_whole_trace(const struct reading *r)
{
    const struct ps_function_change *change = r->changes->changes;

    return r->now->is_trace && r->changes->n_changes && change->base != PS_NO_FUNCTION_INDEX &&
           change->now != PS_NO_FUNCTION_INDEX && !change->calls_changed &&
           r->base->items[change->base].time > WHOLE_SHARE * r->base->all.total;
}

static int by_headline(const void *a, const void *b)
{
    const struct ps_compare_run *const *x = a, *const *y = b;

    return ((*x)->headline > (*y)->headline) - ((*x)->headline < (*y)->headline);
}

/* The run of a group with the median headline. */
static const struct ps_compare_run *median_run(const struct ps_compare_run *runs, size_t n)
{
    const struct ps_compare_run *sorted[PS_GROUP_MAX];

    for (size_t i = 0; i < n; i++)
        sorted[i] = &runs[i];
    qsort(sorted, n, sizeof *sorted, by_headline);
    return sorted[n / 2];
}

/* Reads what the table of functions of a run leaves out. */
static enum ps_status read_floor(struct ps_db *db, const struct ps_compare_run *run, double *out,
                                 struct ps_err *err)
{
    const struct ps_compare_table *table = ps_compare_find_table("functions", run->kind);
    struct ps_query_comparison head;
    double share = 0;

    if (!table)
        return err->code;
    ps_compare_table_head(table, &head);
    ps_compare_read_cut(db, &head, &share, err);
    *out = share >= PS_CUT_NOTABLE ? share * run->headline : 0;
    return err->code;
}

static enum ps_status read_run(struct ps_store *store, const struct ps_compare_run *run,
                               const struct ps_compare_groups *groups, struct ps_own_functions *out,
                               struct ps_err *err)
{
    const struct ps_kind *kind = ps_kind_find(run->kind);
    struct ps_db *db = NULL;

    if (!kind || ps_run_acquire(store, run->id, &db, err) != PS_OK)
        return err->code;
    ps_own_functions_read(db, kind->has, groups->step, groups->sample_type, out, err);
    read_floor(db, run, &out->floor, err);
    ps_run_release(db);
    return err->code;
}

/* Makes the calls of a recording those of `n_steps` steps. */
static void scale_to_steps(struct ps_own_functions *own, int64_t n_steps)
{
    if (own->n_steps <= 0 || n_steps <= 0 || own->n_steps == n_steps)
        return;
    for (size_t i = 0; i < own->all.n; i++) {
        struct ps_profiled_function *function = &own->items[i];
        const double calls = (double)function->calls * (double)n_steps / (double)own->n_steps;

        if (function->calls > 0)
            function->calls = (int64_t)fmax(1, round(calls));
    }
}

enum ps_status ps_compare_claim_functions(struct ps_store *store,
                                          const struct ps_compare_groups *groups,
                                          struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(ps_own_functions_free) struct ps_own_functions base = {.is_known = false};
    PS_AUTO(ps_own_functions_free) struct ps_own_functions now = {.is_known = false};
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = {.n_changes = 0};
    struct reading reading;

    if (groups->n_base < 1 || groups->n_new < 1 ||
        !(ps_compare_all_have(groups, PS_HAS_CALLS) ||
          ps_compare_all_have(groups, PS_HAS_LINE_TIMES) ||
          (ps_compare_all_have(groups, PS_HAS_STACKS) &&
           !ps_compare_all_have(groups, PS_HAS_LINES)) ||
          ps_compare_all_have(groups, PS_HAS_TORCH)))
        return PS_OK;
    if (read_run(store, median_run(groups->runs, groups->n_base), groups, &base, err) != PS_OK ||
        !base.is_known ||
        read_run(store, median_run(groups->runs + groups->n_base, groups->n_new), groups, &now,
                 err) != PS_OK ||
        !now.is_known || strcmp(base.unit, now.unit) != 0)
        return err->code;
    scale_to_steps(&base, now.n_steps);
    ps_function_changes_find(&base.all, &now.all, &changes);
    reading = (struct reading){c, &base, &now, &changes,
                               ps_arena_copy(&c->arena, ps_str_from_c(base.unit)).ptr};
    if (is_whole_trace(&reading))
        return PS_OK;
    c->per = now.n_steps > 0 ? "step" : NULL;
    if (changes.found == PS_FUNCTIONS_SAME)
        claim_same(&reading);
    else if (changes.found == PS_FUNCTIONS_INPUT)
        claim_input(&reading);
    claim_changes(&reading);
    claim_renames(&reading);
    claim_speed(&reading);
    return PS_OK;
}
