/* SPDX-License-Identifier: MIT */
/*
 * function_changes.c: says which functions of a program changed between two of its profiles.
 *
 * What is compared is the time that each own function causes, with the library code below it
 * (own_time.h), so that a slower `export` is named and not the functions of the json package that
 * it spends its time in.
 */
#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/python_path.h"
#include "compare/function_changes.h"
#include "importers/kinds.h"
#include "server/query/compare/own_functions.h"
#include "server/query/conclusion/conclusion.h"

#define SAME_SHARE    0.01 /* rounding: three to four digits of a change are printed */
#define SPEED_NOTED   0.1  /* ln(ratio) from which the speed of the machine is told */
#define NOTABLE_SHARE 0.3  /* of the largest change: smaller ones are not told */
#define NAMES_MAX     3
/*
 * Where no function is named: measured on 82 pairs of recordings of cProfile, line_profiler, py-spy
 * and pyinstrument, 71 of programs in which nothing changed and 11 in which one function did, on a
 * machine with ten times as much to do as it has cores. From a ratio of 1.2 of the whole on, it is
 * not said that no function changed: that leaves 51 of the 71 and 7 of the 11 (1.1: 43 and 8; 1.3:
 * 57 and 4). Of a part of half of the difference whose time doubled or halved, none of the 71 had
 * one (7 without that condition; 1 from a part of 0.4 on).
 */
#define WHOLE_CHANGED 1.2
#define MOST_SHARE    0.5
#define PART_RATIO    2.0
#define SECOND_SHARE  0.3 /* of the difference: the second function is named with the first */
#define NEARLY_ALL    0.8 /* of the functions that agree on a speed: "all" */
#define MOST          0.5 /* "most" */
#define WHOLE_SHARE   0.8 /* of a recording: a function with more is nearly all of it */

struct words {
    struct ps_conclusion *c;
    struct ps_sentence *to;
    const struct ps_own_functions *base, *now;
    const struct ps_function_changes *changes;
};

static const struct ps_profiled_function *function_of(const struct words *w,
                                                      const struct ps_function_change *change)
{
    return change->now == PS_NO_FUNCTION_INDEX ? &w->base->items[change->base]
                                               : &w->now->items[change->now];
}

static bool is_import(const struct ps_profiled_function *function)
{
    return !function->path.ptr;
}

static void say_name(const struct words *w, const struct ps_profiled_function *function)
{
    if (is_import(function)) {
        ps_say(w->c, w->to, "%s",
               ps_str_eq_c(function->name, PS_NO_OWN_CODE) ? "code that no own function calls"
                                                           : "imports");
        return;
    }
    ps_say_code(w->c, w->to,
                w->now->tab ? ps_link_name(w->c, w->now->tab, function->name) : ps_link_none,
                function->name);
    if (function->line > 0) {
        ps_say(w->c, w->to, " (");
        ps_say_place(w->c, w->to, ps_link_none, function->path, function->line);
        ps_say(w->c, w->to, ")");
    } else if (!ps_str_eq_c(function->path, "?")) {
        const struct ps_str file = ps_path_file_name(function->path);

        ps_say(w->c, w->to, " (%.*s)", (int)file.len, file.ptr);
    }
}

static bool is_speed_told(const struct ps_function_changes *changes)
{
    return fabs(log(changes->speed)) > SPEED_NOTED;
}

/* "+1.245 s of +1.300 s": both at the speed of the base if the speed is told. A change is not said
 * to be a part of a smaller one: "+1.245 s, while all functions together take +0.3 s". */
static void say_amount(const struct words *w, const struct ps_function_change *change)
{
    const double speed = is_speed_told(w->changes) ? w->changes->speed : 1;
    const double before =
        change->base == PS_NO_FUNCTION_INDEX ? 0 : w->base->items[change->base].time;
    const double after = change->now == PS_NO_FUNCTION_INDEX ? 0 : w->now->items[change->now].time;
    const double own = change->n_below ? change->delta / w->changes->speed : after / speed - before;
    const double all = w->now->all.total / speed - w->base->all.total;
    const bool is_part = own * all > 0 && fabs(own) <= (1 + SAME_SHARE) * fabs(all);
    char own_text[64], all_text[64];

    ps_format_change(own, w->base->unit, own_text);
    ps_format_change(all, w->base->unit, all_text);
    ps_say(w->c, w->to, "%s", own_text);
    if (change->n_below)
        ps_say(w->c, w->to, " with what it calls");
    if (is_part)
        ps_say(w->c, w->to, " of %s", all_text);
    if (is_part && w->now->n_steps > 0)
        ps_say(w->c, w->to, " per step");
    if (is_part)
        return;
    if (change == w->changes->changes)
        ps_say(w->c, w->to, ", while all functions together take %s", all_text);
}

static void say_times(const struct words *w, double ratio)
{
    char text[32];

    if (ratio >= 0.1)
        ps_say(w->c, w->to, "%.*f times", ratio < 1 ? 2 : ratio < 10 ? 1 : 0, ratio);
    else
        ps_say(w->c, w->to, "%s times", ps_format_digits(ratio, 2, text));
}

/* " by `main`": the function that calls another one more or less often. */
static void say_caller(const struct words *w, const struct ps_function_change *change)
{
    const struct ps_profiled_function *caller;
    bool is_of_base;

    if (change->caller_base == PS_NO_FUNCTION_INDEX && change->caller_now == PS_NO_FUNCTION_INDEX)
        return;
    /* what is gone was called by a function of the base, which may have another name by now */
    is_of_base =
        change->caller_now == PS_NO_FUNCTION_INDEX ||
        (change->kind == PS_FUNCTION_REMOVED && change->caller_base != PS_NO_FUNCTION_INDEX);
    caller = is_of_base ? &w->base->items[change->caller_base] : &w->now->items[change->caller_now];
    ps_say(w->c, w->to, " by ");
    ps_say_code(w->c, w->to,
                w->now->tab ? ps_link_name(w->c, w->now->tab, caller->name) : ps_link_none,
                caller->name);
}

/* "is called 60,000 times instead of 20,000, at the same cost a call". */
static void say_how(const struct words *w, const struct ps_function_change *change)
{
    const struct ps_profiled_function *function = function_of(w, change);
    const int64_t before =
        change->base == PS_NO_FUNCTION_INDEX ? 0 : w->base->items[change->base].calls;

    if (change->kind == PS_FUNCTION_ADDED || change->kind == PS_FUNCTION_REMOVED) {
        ps_say(w->c, w->to, change->kind == PS_FUNCTION_ADDED ? " is new" : " is gone");
        if (function->calls > 0) {
            ps_say(w->c, w->to, ", with ");
            ps_say_value(w->to, ps_link_none, (double)function->calls, "count");
            ps_say(w->c, w->to, function->calls == 1 ? " call" : " calls");
            say_caller(w, change);
        }
        return;
    }
    if (change->calls_ratio == 0) { /* imports and the like */
        ps_say(w->c, w->to, is_import(function) ? " take " : " takes ");
        say_times(w, change->cost_ratio);
        ps_say(w->c, w->to, " as long");
        return;
    }
    if (function->calls == 1 && before == 1) {
        ps_say(w->c, w->to, " takes ");
        say_times(w, change->cost_ratio);
        ps_say(w->c, w->to, " as long");
        return;
    }
    ps_say(w->c, w->to, " is called ");
    ps_say_value(w->to, ps_link_none, (double)function->calls, "count");
    ps_say(w->c, w->to, function->calls == 1 ? " time " : " times ");
    if (function->calls == before) {
        ps_say(w->c, w->to, "as before");
    } else {
        ps_say(w->c, w->to, "instead of ");
        ps_say_value(w->to, ps_link_none, (double)before, "count");
        say_caller(w, change);
    }
    if (change->n_below) /* of all of them together, no cost is known */
        return;
    if (!change->cost_changed) {
        ps_say(w->c, w->to, ", at about the same cost a call");
        return;
    }
    ps_say(w->c, w->to, ", and a call takes ");
    say_times(w, change->cost_ratio);
    ps_say(w->c, w->to, " as long");
}

/* Says the other changes that are not small against the first. */
static void say_others(const struct words *w)
{
    const struct ps_function_changes *all = w->changes;
    size_t n = 0;

    for (size_t i = 1; i < all->n_changes && n < NAMES_MAX; i++) {
        const struct ps_function_change *change = &all->changes[i];

        if (change->is_follower || fabs(change->delta) < NOTABLE_SHARE * fabs(all->changes->delta))
            continue;
        ps_say(w->c, w->to, n++ ? "; " : " Also: ");
        say_name(w, function_of(w, change));
        say_how(w, change);
        if (all->found == PS_FUNCTIONS_CHANGED) {
            ps_say(w->c, w->to, ", ");
            say_amount(w, change);
        }
    }
    if (n)
        ps_say(w->c, w->to, ".");
}

/* Whether several functions kept their names and are in another file, all in the same one. */
static bool is_moved_file(const struct words *w)
{
    const struct ps_function_rename *first = w->changes->renames;

    for (size_t i = 0; i < w->changes->n_renames; i++) {
        const struct ps_profiled_function *old = &w->base->items[first[i].base];
        const struct ps_profiled_function *new = &w->now->items[first[i].now];

        if (!ps_str_eq(old->name, new->name) ||
            !ps_str_eq(old->path, w->base->items[first->base].path) ||
            !ps_str_eq(new->path, w->now->items[first->now].path))
            return false;
    }
    return w->changes->n_renames > 1;
}

static void say_renames(const struct words *w)
{
    if (is_moved_file(w)) {
        const struct ps_function_rename *first = w->changes->renames;
        const struct ps_str old = ps_path_file_name(w->base->items[first->base].path);
        const struct ps_str new = ps_path_file_name(w->now->items[first->now].path);

        if (ps_str_eq(old, new))
            ps_say(w->c, w->to, " The functions of %.*s are now in another folder.", (int)old.len,
                   old.ptr);
        else
            ps_say(w->c, w->to, " The functions of %.*s are now in %.*s.", (int)old.len, old.ptr,
                   (int)new.len, new.ptr);
        return;
    }
    for (size_t i = 0; i < w->changes->n_renames && i < NAMES_MAX; i++) {
        const struct ps_profiled_function *old = &w->base->items[w->changes->renames[i].base];
        const struct ps_profiled_function *new = &w->now->items[w->changes->renames[i].now];

        ps_say(w->c, w->to, " ");
        say_name(w, old);
        ps_say(w->c, w->to, " is now ");
        say_name(w, new);
        ps_say(w->c, w->to, ".");
    }
}

static void say_speed(const struct words *w)
{
    const double speed = w->changes->speed, alike = w->changes->alike_share;
    const char *which = !w->changes->is_alike ? " Nearly all functions take "
                        : alike >= NEARLY_ALL ? " All functions take "
                        : alike >= MOST       ? " Most functions take "
                                              : " Several functions take ";

    if (!is_speed_told(w->changes))
        return;
    ps_say(w->c, w->to, "%s", which);
    say_times(w, speed);
    ps_say(w->c, w->to, " as long%s, as %son a %s machine%s.",
           w->changes->is_alike ? " alike" : " in the middle",
           !w->now->all.lacks_calls ? ""
           : speed > 1              ? "with more to do or "
                                    : "with less to do or ",
           speed > 1 ? "slower" : "faster",
           w->changes->n_changes ? "; the times above are without this" : "");
}

/* The same function in the other profile: by its path and name, by the name of its file where the
 * folder is another, or as renamed; NULL: not there. */
static const struct ps_profiled_function *find_same(const struct words *w,
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
    for (size_t i = 0; i < w->changes->n_renames && !found; i++) {
        const struct ps_profiled_function *old = &w->base->items[w->changes->renames[i].base];
        const struct ps_profiled_function *new = &w->now->items[w->changes->renames[i].now];

        if (function == old || function == new)
            found = function == old ? new : old;
    }
    return found;
}

/* The function with the largest part of the difference of the whole, but `left_out`, if its time
 * doubled or halved at least; NULL: there is none. *part: of the difference. */
static const struct ps_profiled_function *
find_part(const struct words *w, const struct ps_profiled_function *left_out, double *part)
{
    const struct ps_profiled_functions *base = &w->base->all, *now = &w->now->all;
    const double whole = now->total - base->total;
    const struct ps_profiled_functions *larger = whole > 0 ? now : base;
    const struct ps_profiled_functions *smaller = whole > 0 ? base : now;
    const struct ps_profiled_function *found = NULL;

    *part = 0;
    for (size_t i = 0; i < larger->n; i++) {
        const struct ps_profiled_function *function = &larger->items[i];
        const struct ps_profiled_function *same = find_same(w, smaller, function);
        const double less = same ? same->time : 0;
        const double share = (function->time - less) / fabs(whole);

        if (function == left_out || !function->path.ptr || share <= *part || share > 1 ||
            function->time < PART_RATIO * less)
            continue;
        *part = share;
        found = function;
    }
    return found;
}

/* Names the function that explains most of the difference of the whole, if one does, and the second
 * one if it is not much smaller. */
static void say_most_of_whole(const struct words *w)
{
    const double whole = w->now->all.total - w->base->all.total;
    const struct ps_profiled_function *first, *second;
    double part, second_part;
    char text[64];

    first = find_part(w, NULL, &part);
    if (!first || part < MOST_SHARE)
        return;
    second = find_part(w, first, &second_part);
    ps_say(w->c, w->to, " ");
    say_name(w, first);
    ps_say(w->c, w->to, " explains %s", ps_format_change(part * whole, w->now->unit, text));
    if (second && second_part >= SECOND_SHARE) {
        ps_say(w->c, w->to, " and ");
        say_name(w, second);
        ps_say(w->c, w->to, " %s", ps_format_change(second_part * whole, w->now->unit, text));
        part += second_part;
    }
    ps_say(w->c, w->to, part <= 1 + SAME_SHARE ? " of %s." : ", while all together take %s.",
           ps_format_change(whole, w->now->unit, text));
}

/* Says that no function changed, or that the whole did and none stands out. */
static void say_same(const struct words *w)
{
    const struct ps_function_changes *all = w->changes;
    const double before = w->base->all.total, ratio = before > 0 ? w->now->all.total / before : 1;
    const bool has_calls = !w->now->all.lacks_calls;

    if (!is_speed_told(all) && !all->is_noisy &&
        (ratio > WHOLE_CHANGED || ratio * WHOLE_CHANGED < 1)) {
        if (w->now->is_trace)
            return; /* operators explain more */
        ps_say(w->c, w->to, "No single function stands out: all together take ");
        say_times(w, ratio);
        ps_say(w->c, w->to, " as long%s.", has_calls ? ", in as many calls" : "");
        say_most_of_whole(w);
    } else if (has_calls) {
        ps_say(w->c, w->to, "No function changed: calls are as before, and %s.",
               all->is_noisy ? "costs of a call went up and down alike, as noise makes them"
                             : "so is the cost of a call");
    } else {
        ps_say(w->c, w->to, "No function changed: %s.",
               all->is_noisy ? "times went up and down alike, as noise makes them"
                             : "their times differ as noise makes them");
    }
}

static void say_changes(const struct words *w)
{
    const struct ps_function_changes *all = w->changes;

    switch (all->found) {
    case PS_FUNCTIONS_SAME:
        say_same(w);
        break;
    case PS_FUNCTIONS_INPUT:
        ps_say(w->c, w->to, "The functions are called ");
        say_times(w, all->input);
        ps_say(w->c, w->to, " as often alike: there was %s to do.",
               all->input > 1 ? "more" : "less");
        ps_say(w->c, w->to, all->n_changes ? " Beyond that, " : " No function changed.");
        break;
    case PS_FUNCTIONS_CHANGED:
        break;
    }
    if (all->n_changes) {
        say_name(w, function_of(w, all->changes));
        say_how(w, all->changes);
        if (all->found == PS_FUNCTIONS_CHANGED) {
            ps_say(w->c, w->to, ": ");
            say_amount(w, all->changes);
        }
        ps_say(w->c, w->to, ".");
        say_others(w);
    }
    say_renames(w);
    say_speed(w);
}

/* Whether the one function that changed is all of the program that was recorded, called as often as
 * before: its operators explain more. */
static bool is_whole_trace(const struct words *w)
{
    const struct ps_function_change *change = w->changes->changes;

    return w->now->is_trace && w->changes->n_changes && change->base != PS_NO_FUNCTION_INDEX &&
           change->now != PS_NO_FUNCTION_INDEX && !change->calls_changed &&
           w->base->items[change->base].time > WHOLE_SHARE * w->base->all.total;
}

/* The first claim: the function that changed, or that none did. */
static void claim_change(const struct words *w)
{
    const struct ps_function_changes *all = w->changes;
    const struct ps_profiled_function *function =
        all->n_changes ? function_of(w, all->changes) : NULL;
    const double whole = w->now->all.total - w->base->all.total * all->speed;
    struct ps_subject subject = ps_no_subject;

    if (function && function->path.ptr) {
        subject = ps_subject_of(w->c, PS_SUBJECT_FUNCTION,
                                w->now->tab ? ps_link_name(w->c, w->now->tab, function->name)
                                            : ps_link_none,
                                function->name);
        subject.path = ps_arena_copy(&w->c->arena, function->path);
        subject.line = function->line;
    } else if (function) {
        subject = ps_subject_of(w->c, PS_SUBJECT_PART, ps_link_none, function->name);
    }
    w->c->first = ps_claim_of("functions", function ? PS_CHANGES : PS_IS_SAME, subject,
                              function && whole != 0 ? all->changes->delta / whole : NAN);
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

static enum ps_status read_run(struct ps_store *store, const struct ps_compare_run *run,
                               const char *step, struct ps_own_functions *out, struct ps_err *err)
{
    const struct ps_kind *kind = ps_kind_find(run->kind);
    struct ps_db *db = NULL;

    if (!kind || ps_run_acquire(store, run->id, &db, err) != PS_OK)
        return err->code;
    ps_own_functions_read(db, kind->has, step, out, err);
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

enum ps_status ps_compare_say_functions(struct ps_store *store,
                                        const struct ps_compare_groups *groups,
                                        struct ps_conclusion *c, struct ps_sentence *to,
                                        struct ps_err *err)
{
    PS_AUTO(ps_own_functions_free) struct ps_own_functions base = {.is_known = false};
    PS_AUTO(ps_own_functions_free) struct ps_own_functions now = {.is_known = false};
    PS_AUTO(ps_function_changes_free) struct ps_function_changes changes = {.n_changes = 0};
    struct words words;

    if (groups->n_base < 1 || groups->n_new < 1 ||
        !(ps_compare_all_have(groups, PS_HAS_CALLS) ||
          ps_compare_all_have(groups, PS_HAS_LINE_TIMES) ||
          ps_compare_all_have(groups, PS_HAS_STACKS) || ps_compare_all_have(groups, PS_HAS_TORCH)))
        return PS_OK;
    if (read_run(store, median_run(groups->runs, groups->n_base), groups->step, &base, err) !=
            PS_OK ||
        !base.is_known ||
        read_run(store, median_run(groups->runs + groups->n_base, groups->n_new), groups->step,
                 &now, err) != PS_OK ||
        !now.is_known || strcmp(base.unit, now.unit) != 0)
        return err->code;
    scale_to_steps(&base, now.n_steps);
    ps_function_changes_find(&base.all, &now.all, &changes);
    words = (struct words){c, to, &base, &now, &changes};
    if (!is_whole_trace(&words))
        say_changes(&words);
    if (to->n)
        claim_change(&words);
    return PS_OK;
}
