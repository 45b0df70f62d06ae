/* SPDX-License-Identifier: MIT */
/* causes.c: judges the units of a profile and puts the judgement into words. */
#include "server/query/conclusion/causes.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/python_path.h"

#define CAUSE_SCORE    0.2  /* share times likelihood; with less, there is no single cause */
#define ROW_SHARE      0.05 /* units with a smaller share are not listed */
#define PART_SHARE     0.10 /* parts with a smaller share of their unit are not listed */
#define NEXT_SHARE     0.10 /* the sentence names the next unit if it has more */
#define ONE_CALL_SCORE 0.6  /* what is called once comes after what is repeated */
#define MOST           0.5 /* a function with more is named, though nothing is known to be avoidable */
#define LONG_CALL_S    0.001 /* of a call of sum() that may add lists */
#define RANGE          0.05  /* bounds that are further apart are stated */
#define ROWS_MAX       20
#define PARTS_MAX      4
#define MERGED_MAX     4
#define RANKED         12 /* units with the most time, of which the cause is chosen */

/* How likely time of a kind can be avoided. */
static const double likelihood[PS_N_TIME_CLASSES] = {
    [PS_TIME_WORK] = 0.5,        [PS_TIME_AVOIDABLE] = 0.9,  [PS_TIME_NEEDED] = 0.25,
    [PS_TIME_ON_PURPOSE] = 0.25, [PS_TIME_SLEEP] = 0.5,      [PS_TIME_LOCK] = 0.5,
    [PS_TIME_NETWORK] = 0.9,     [PS_TIME_EVENTS] = 0.5,     [PS_TIME_PROCESS] = 0.9,
    [PS_TIME_DISK] = 0.9,        [PS_TIME_OTHER_WAIT] = 0.5,
};

static const char *const waits_for[PS_N_TIME_CLASSES] = {
    [PS_TIME_SLEEP] = "sleeps",
    [PS_TIME_LOCK] = "waits for other threads",
    [PS_TIME_NETWORK] = "waits for the network",
    [PS_TIME_EVENTS] = "waits for events",
    [PS_TIME_PROCESS] = "waits for other processes",
    [PS_TIME_DISK] = "waits for the disk",
    [PS_TIME_OTHER_WAIT] = "waits",
};

enum verdict {
    REPEATED, /* called, or calling, in a loop */
    WORKING,  /* own code, or several kinds of calls */
    RECURSIVE,
    ONE_CALL, /* one to three calls of one library function */
    NEEDED,
    ON_PURPOSE,
    WAITING,
    OTHER_THREADS,
    LOCKED,  /* several threads wait for one lock */
    UNCLEAR, /* works or waits, in a call that has no frame */
};

struct finding {
    uint32_t unit;
    double share, score;
    enum verdict verdict;
    enum ps_time_class wait; /* of WAITING */
    double wait_share;
    struct ps_call_chain chain;
    uint32_t coroutine;                /* that waits for events, or PS_NO_FUNCTION */
    struct ps_str package;             /* with most of its time; {NULL, 0}: none */
    int64_t polls;                     /* waits of the event loop */
    const struct ps_timed_call *lead;  /* the library function with most of its time; NULL: none */
    double times;                      /* the repetitions in a loop; less than 2: none */
    struct ps_call_passes passes;      /* calls in each pass of a loop */
    const struct ps_known_call *known; /* what most of its time is spent in; NULL: nothing known */
    const char *advice;
    bool may_be_one; /* what the advice is about may be one long call */
    double saving;   /* share of the total; 0: none */
};

static const struct ps_timed_function *function_of(const struct ps_own_time *times, uint32_t id)
{
    return &times->functions[id];
}

/* --- Judging --- */

static const struct ps_timed_call *largest_call(const struct ps_own_time *times,
                                                const struct ps_timed_function *unit)
{
    const struct ps_timed_call *found = NULL;

    for (uint32_t i = 0; i < unit->n_callees; i++) {
        const struct ps_timed_call *call = &times->calls[unit->first_callee + i];

        if (!function_of(times, call->callee)->is_own && call->charged_s > 0 &&
            !ps_str_starts_with(function_of(times, call->callee)->name, PS_STR("0x")) &&
            (!found || call->charged_s > found->charged_s))
            found = call;
    }
    return found;
}

/* Looks for a function that is known below a call, where most of its time is spent. */
static const struct ps_known_call *known_below(const struct ps_own_time *times,
                                               const struct ps_timed_call *call)
{
    double least_s = call->charged_s / 2;

    for (unsigned depth = 0; depth < 12; depth++) {
        const struct ps_timed_function *callee = function_of(times, call->callee);
        const struct ps_timed_call *longest = NULL;

        if (callee->known && (callee->known->advice || callee->known->is_per_item ||
                              callee->known->class != PS_TIME_WORK))
            return callee->known;
        for (uint32_t i = 0; i < callee->n_callees; i++) {
            const struct ps_timed_call *next = &times->calls[callee->first_callee + i];

            if (!function_of(times, next->callee)->is_own &&
                (!longest || next->cumulative_s > longest->cumulative_s))
                longest = next;
        }
        if (!longest || longest->cumulative_s < least_s)
            return NULL;
        call = longest;
    }
    return NULL;
}

static enum ps_time_class longest_wait(const struct ps_timed_function *unit)
{
    enum ps_time_class found = PS_TIME_SLEEP;

    for (unsigned i = PS_TIME_SLEEP; i < PS_N_TIME_CLASSES; i++)
        if (unit->time.s[i] > unit->time.s[found])
            found = (enum ps_time_class)i;
    return found;
}

static double waits_of(const struct ps_timed_function *unit)
{
    double sum = 0;

    for (unsigned i = PS_TIME_SLEEP; i < PS_N_TIME_CLASSES; i++)
        sum += unit->time.s[i];
    return sum;
}

static double per_call(int64_t n, int64_t calls)
{
    return (double)n / (double)(calls > 0 ? calls : 1);
}

static enum verdict verdict_of(const struct ps_own_time *times, const struct finding *finding,
                               const struct ps_known_call *known)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit);
    double all = unit->charged_s;

    if (finding->wait_share > 0 && times->n_locked && finding->unit == times->locked)
        return LOCKED;
    if (finding->wait_share > 0)
        return finding->wait == PS_TIME_LOCK ? OTHER_THREADS : WAITING;
    if (times->hides_waits && unit->at_one_line && unit->own_s > 0.5 * all &&
        !(times->n_together && times->together == finding->unit))
        return UNCLEAR;
    if (unit->time.s[PS_TIME_ON_PURPOSE] > 0.5 * all)
        return ON_PURPOSE;
    if (!times->is_sampled && finding->lead && finding->lead->charged_s > 0.6 * all &&
        finding->lead->ncalls < 4 && finding->chain.ratio < 4 && !(known && known->slow_once))
        return ONE_CALL;
    if (unit->time.s[PS_TIME_NEEDED] > 0.6 * all)
        return NEEDED;
    if ((unit->depth > 3 || per_call(unit->ncalls, unit->primitive_calls) > 3) &&
        unit->own_s > 0.1 * all)
        return RECURSIVE;
    return finding->times >= 4 ? REPEATED : WORKING;
}

/* The share of the total that the finding could save. Advice about a library function is about the
 * time below it, if that is most of the unit's. */
static double saving_of(const struct finding *finding, const struct ps_own_time *times)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit);
    double avoidable_s = unit->time.s[PS_TIME_AVOIDABLE] + unit->time.s[PS_TIME_PROCESS] +
                         unit->time.s[PS_TIME_NETWORK] + unit->time.s[PS_TIME_DISK];
    double share = finding->advice && avoidable_s > 0.5 * unit->charged_s
                       ? avoidable_s / times->total_s
                       : finding->share;

    if (times->is_too_short || (times->is_sampled && (!finding->advice || finding->may_be_one)))
        return 0; /* samples do not tell whether anything is repeated */
    switch (finding->verdict) {
    case ONE_CALL:
    case NEEDED:
    case ON_PURPOSE:
    case OTHER_THREADS:
    case LOCKED:
    case UNCLEAR:
        return 0;
    case WAITING:
        if (finding->wait == PS_TIME_SLEEP || finding->times < 2 ||
            (finding->wait == PS_TIME_EVENTS && finding->coroutine == PS_NO_FUNCTION))
            return 0;
        if (finding->wait == PS_TIME_EVENTS)
            share = finding->wait_share;
        break;
    case WORKING:
    case REPEATED:
        if (finding->known && finding->known->is_per_item)
            return finding->passes.calls < 2 ? 0 : share * (1 - 1 / finding->passes.calls);
        if (finding->advice)
            break;
        /* whether a function's own lines, or calls of many functions, can be avoided is not in the
         * dump */
        if (unit->own_s + unit->time.s[PS_TIME_NEEDED] > 0.5 * unit->charged_s || !finding->lead ||
            finding->times < 4)
            return 0;
        share -= unit->time.s[PS_TIME_NEEDED] / times->total_s;
        break;
    case RECURSIVE:
        break;
    }
    if (finding->times < 2 || (finding->times < 4 && finding->verdict != WAITING))
        return share;
    /* a loop in a function that is called in a loop: all calls but one, as an upper bound */
    if (finding->verdict == REPEATED && !finding->advice && finding->chain.ratio >= 4)
        return share * (1 - 1 / fmax(finding->times, (double)unit->primitive_calls));
    return share * (1 - 1 / finding->times);
}

/* Finds the coroutine that waits for events: own code that the event loop resumes, or that such
 * code awaits, down to the last one that is resumed as often. */
static void find_coroutine(const struct ps_own_time *times, struct finding *finding)
{
    int64_t most = 0;

    finding->coroutine = PS_NO_FUNCTION;
    for (size_t i = 0; i < times->n_functions; i++) {
        const struct ps_timed_function *function = &times->functions[i];

        if (function->known && function->known->class == PS_TIME_EVENTS)
            finding->polls += function->ncalls;
        if (function->is_own && function->unit == i && function->ncalls > most &&
            ps_own_time_is_resumed(times, (uint32_t)i)) {
            most = function->ncalls;
            finding->coroutine = (uint32_t)i;
        }
    }
    for (unsigned depth = 0; finding->coroutine != PS_NO_FUNCTION && depth < 16; depth++) {
        const struct ps_timed_function *function = function_of(times, finding->coroutine);
        const struct ps_timed_call *awaited = NULL;

        for (uint32_t i = 0; i < function->n_callees; i++) {
            const struct ps_timed_call *call = &times->calls[function->first_callee + i];

            if (function_of(times, call->callee)->is_own && 2 * call->ncalls > most &&
                (!awaited || call->ncalls > awaited->ncalls))
                awaited = call;
        }
        if (!awaited)
            break;
        most = awaited->ncalls;
        finding->coroutine = awaited->callee;
    }
    /* many waits at a time overlap already */
    if (finding->polls < 4 || most < finding->polls / 2 || most > 3 * finding->polls)
        finding->coroutine = PS_NO_FUNCTION;
}

/* The package of a library function: of a built-in one the first part of its owner's name. */
static struct ps_str package_of(const struct ps_timed_function *function)
{
    struct ps_str owner;

    if (function->origin != PS_ORIGIN_BUILTIN)
        return ps_timed_function_package(function);
    ps_builtin_name(function->name, &owner);
    return ps_python_top_level(owner);
}

/* The package that a unit spends avoidable time in, if that is more than half of its time; {NULL,
 * 0}: none. */
static struct ps_str main_package(const struct ps_own_time *times, const struct finding *finding)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit);
    struct ps_str package = {NULL, 0};
    double sum = 0;

    if (!finding->lead || unit->time.s[PS_TIME_AVOIDABLE] < 0.5 * unit->charged_s)
        return package;
    package = package_of(function_of(times, finding->lead->callee));
    for (uint32_t i = 0; i < unit->n_callees; i++) {
        const struct ps_timed_call *call = &times->calls[unit->first_callee + i];
        const struct ps_timed_function *callee = function_of(times, call->callee);

        if (!callee->is_own && ps_str_eq(package_of(callee), package))
            sum += call->charged_s;
    }
    return sum > 0.5 * unit->charged_s ? package : (struct ps_str){NULL, 0};
}

/* Whether calls are too short for what the advice is about: sum() of lists takes long each time. */
static bool is_unlikely(const struct ps_own_time *times, const struct ps_timed_call *call,
                        const struct ps_known_call *known)
{
    return known->slow_once && known->class == PS_TIME_WORK &&
           (times->is_sampled || call->charged_s < LONG_CALL_S * (double)call->ncalls);
}

static struct finding judge(const struct ps_own_time *times, uint32_t id)
{
    const struct ps_timed_function *unit = function_of(times, id);
    const struct ps_known_call *known = NULL;
    double waits = waits_of(unit), score = 0, inside = 0;
    struct finding finding = {
        .unit = id, .coroutine = PS_NO_FUNCTION, .share = unit->charged_s / times->total_s};

    for (unsigned i = 0; i < PS_N_TIME_CLASSES; i++)
        score += unit->time.s[i] * likelihood[i] / times->total_s;
    finding.score = score;
    finding.chain = ps_call_chain_of(times, id);
    finding.passes = ps_call_passes_of(times, id, &finding.chain);
    finding.lead = largest_call(times, unit);
    if (finding.lead && finding.lead->charged_s < 0.3 * unit->charged_s)
        finding.lead = NULL;
    if (waits > 0.5 * unit->charged_s) {
        finding.wait = longest_wait(unit);
        finding.wait_share = waits / times->total_s;
    }
    if (finding.lead) {
        known = known_below(times, finding.lead);
        if (known && is_unlikely(times, finding.lead, known))
            known = NULL;
        inside = per_call(finding.lead->ncalls, unit->primitive_calls);
    }
    finding.times = finding.chain.is_resumed ? inside : finding.chain.ratio;
    if (inside >= 4 && inside > finding.times)
        finding.times = inside;
    if (finding.wait_share > 0 && finding.wait == PS_TIME_EVENTS) {
        find_coroutine(times, &finding);
        finding.times = (double)finding.polls;
    }
    finding.verdict = verdict_of(times, &finding, known);
    if (known && finding.verdict != ONE_CALL && finding.lead->charged_s >= 0.5 * unit->charged_s)
        finding.known = known;
    if (finding.known)
        finding.advice = known->advice;
    finding.may_be_one = finding.advice && (known->is_long || known->is_per_item);
    if (finding.verdict == ONE_CALL || (times->is_sampled && finding.may_be_one))
        finding.score *= ONE_CALL_SCORE;
    finding.package = main_package(times, &finding);
    finding.saving = saving_of(&finding, times);
    return finding;
}

/* Units by score. */
static int by_score(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

struct ranked_unit {
    uint32_t id;
    double charged_s;
};

static int by_charged_time(const void *a, const void *b)
{
    const struct ranked_unit *x = a, *y = b;

    if (x->charged_s != y->charged_s)
        return x->charged_s > y->charged_s ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* The findings of the units with the most time, the most likely cause first. */
struct findings {
    struct finding items[ROWS_MAX];
    size_t n;
};

static void find_causes(const struct ps_own_time *times, struct findings *out)
{
    struct ranked_unit *units = ps_alloc_array(times->n_functions + 1, sizeof *units);
    size_t n = 0;

    out->n = 0;
    for (size_t i = 0; i < times->n_functions; i++)
        if (times->functions[i].charged_s > 0)
            units[n++] = (struct ranked_unit){(uint32_t)i, times->functions[i].charged_s};
    qsort(units, n, sizeof *units, by_charged_time);
    for (size_t i = 0; i < n && i < ROWS_MAX; i++)
        out->items[out->n++] = judge(times, units[i].id);
    free(units);
    qsort(out->items, out->n < RANKED ? out->n : RANKED, sizeof *out->items, by_score);
}

/* --- One cause in several functions --- */

static bool have_common_caller(const struct ps_own_time *times, const struct finding *a,
                               const struct finding *b)
{
    for (size_t i = 0; i < a->chain.n; i++)
        for (size_t k = 0; k < b->chain.n; k++)
            if (a->chain.units[i] == b->chain.units[k] &&
                !ps_str_eq_c(function_of(times, a->chain.units[i])->name, "<module>"))
                return true;
    return false;
}

/* Whether two findings are one cause: functions under one loop that spend their time in the same
 * package. */
static bool is_one_cause(const struct ps_own_time *times, const struct finding *a,
                         const struct finding *b)
{
    return a->verdict == REPEATED && b->verdict == REPEATED && a->package.ptr &&
           a->share >= ROW_SHARE && b->share >= ROW_SHARE && ps_str_eq(b->package, a->package) &&
           have_common_caller(times, a, b);
}

static void move_finding(struct finding *items, size_t from, size_t to)
{
    struct finding item = items[from];

    memmove(&items[to + 1], &items[to], (from - to) * sizeof item);
    items[to] = item;
}

/* Moves the findings that are the most likely cause together to the front. Returns their number. */
static size_t merge_first(const struct ps_own_time *times, struct findings *findings)
{
    struct finding *items = findings->items;
    double best_score = 0;
    size_t best = 0, n = 1;

    for (size_t i = 0; i < findings->n; i++) {
        double score = items[i].score;

        for (size_t k = 0; k < findings->n; k++)
            if (k != i && is_one_cause(times, &items[i], &items[k]))
                score += items[k].score;
        if (score > best_score) {
            best_score = score;
            best = i;
        }
    }
    move_finding(items, best, 0);
    for (size_t i = 1; i < findings->n && n < MERGED_MAX; i++)
        if (is_one_cause(times, &items[0], &items[i]))
            move_finding(items, i, n++);
    return n;
}

/* The least score of a cause. Start-up that is less than half is not in the base of it. */
static double cause_score(const struct ps_own_time *times)
{
    double imports = times->imports_s / times->total_s;

    return CAUSE_SCORE * (1 - (imports < 0.5 ? imports : 0));
}

static double score_of(const struct finding *findings, size_t merged)
{
    double sum = 0;

    for (size_t i = 0; i < merged; i++)
        sum += findings[i].score;
    return sum;
}

/* --- Words --- */

static struct ps_report_link link_function(struct ps_conclusion *c, const struct ps_own_time *times,
                                           uint32_t function)
{
    if (times->tab && strcmp(times->tab, "slices") == 0)
        return ps_link_name(c, times->tab, function_of(times, function)->name);
    return (struct ps_report_link){times->tab ? times->tab : "functions",
                                   {{"fn", ps_conclusion_id(c, function)}}};
}

/* "time", "samples" */
static const char *whole_of(const struct ps_own_time *times)
{
    return times->whole ? times->whole : "time";
}

/* The call of a unit by another, directly or through library functions. */
static const struct ps_timed_call *call_between(const struct ps_own_time *times, uint32_t caller,
                                                uint32_t callee)
{
    const struct ps_timed_function *function = function_of(times, caller);

    for (uint32_t i = 0; i < function->n_callees; i++)
        if (times->calls[function->first_callee + i].callee == callee)
            return &times->calls[function->first_callee + i];
    return NULL;
}

static void say_function(struct ps_conclusion *c, struct ps_sentence *to,
                         const struct ps_own_time *times, uint32_t id)
{
    const struct ps_timed_function *function = function_of(times, id);

    ps_say_code(c, to, link_function(c, times, id), function->name);
    if (function->line <= 0 && (function->origin == PS_ORIGIN_BUILTIN || times->tab))
        return;
    ps_say(c, to, " (");
    ps_say_place(c, to, link_function(c, times, id), function->path, function->line);
    ps_say(c, to, ")");
}

/* "`sqlite3.Cursor.execute`", "`iterrows` of pandas". */
static void say_callee(struct ps_conclusion *c, struct ps_sentence *to,
                       const struct ps_own_time *times, uint32_t id)
{
    const struct ps_timed_function *callee = function_of(times, id);
    struct ps_str owner, name;

    if (callee->origin == PS_ORIGIN_BUILTIN) {
        name = ps_builtin_name(callee->name, &owner);
        if (!owner.ptr || ps_str_eq_c(owner, "builtins"))
            ps_say_code(c, to, link_function(c, times, id), name);
        else
            ps_say_code(c, to, link_function(c, times, id),
                        ps_str_from_c(ps_arena_printf(&c->arena, "%.*s.%.*s", (int)owner.len,
                                                      owner.ptr, (int)name.len, name.ptr)));
        return;
    }
    if (ps_str_starts_with(callee->name, PS_STR("__")) || !callee->path.len ||
        callee->path.ptr[0] == '<') {
        say_function(c, to, times, id);
        return;
    }
    name = ps_timed_function_package(callee);
    ps_say_code(c, to, link_function(c, times, id), callee->name);
    ps_say(c, to, " of %.*s", (int)name.len, name.ptr);
}

static void say_calls(struct ps_conclusion *c, struct ps_sentence *to,
                      const struct ps_own_time *times, const struct ps_timed_call *call)
{
    if (call->ncalls > 0) {
        ps_say_value(to, link_function(c, times, call->callee), (double)call->ncalls, "count");
        ps_say(c, to, " call%s of ", call->ncalls == 1 ? "" : "s");
    }
    say_callee(c, to, times, call->callee);
}

static void say_percent(struct ps_conclusion *c, struct ps_sentence *to, double share)
{
    (void)c;
    ps_say_value(to, ps_link_none, 100 * share, "percent");
}

/* "58.0 % to 71.0 %" if the dump leaves the share open, else "64.0 %". */
static void say_share(struct ps_conclusion *c, struct ps_sentence *to,
                      const struct ps_own_time *times, const struct finding *finding)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit);
    double low = unit->low_s / times->total_s, high = unit->high_s / times->total_s;

    high = high < 1 ? high : 1;
    if (high - low > RANGE) {
        say_percent(c, to, low);
        ps_say(c, to, " to ");
        say_percent(c, to, high);
    } else {
        say_percent(c, to, finding->share);
    }
}

static bool works_itself(const struct ps_own_time *times, const struct finding *finding)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit);

    return unit->own_s >= 0.5 * unit->charged_s;
}

/* "`load` (sync.py:8) waits for the network 68.0 % of the time and takes 92.0 % in all". */
static void say_waits(struct ps_conclusion *c, struct ps_sentence *to,
                      const struct ps_own_time *times, const struct finding *finding)
{
    say_function(c, to, times, finding->unit);
    ps_say(c, to, " %s ", waits_for[finding->wait]);
    say_percent(c, to, finding->wait_share);
    ps_say(c, to, " of the %s", whole_of(times));
    if (finding->share > finding->wait_share + 0.05) {
        ps_say(c, to, " and takes ");
        say_percent(c, to, finding->share);
        ps_say(c, to, " in all");
    }
    if (finding->lead) {
        ps_say(c, to, ", in ");
        say_calls(c, to, times, finding->lead);
    }
    ps_say(c, to, ".");
}

static void say_subjects(struct ps_conclusion *c, struct ps_sentence *to,
                         const struct ps_own_time *times, const struct finding *findings,
                         size_t merged)
{
    double share = 0;

    for (size_t i = 0; i < merged; i++) {
        if (i)
            ps_say(c, to, i + 1 < merged ? ", " : " and ");
        say_function(c, to, times, findings[i].unit);
        share += findings[i].share;
    }
    ps_say(c, to, merged > 1 ? " take " : " takes ");
    if (merged > 1)
        say_percent(c, to, share);
    else
        say_share(c, to, times, &findings[0]);
    ps_say(c, to, " of the %s", whole_of(times));
}

/* "4 threads wait in `write` (log.py:20) for a lock, 70.0 % of their time. It is held in `flush`
 * (log.py:14)." */
static void say_lock(struct ps_conclusion *c, const struct ps_own_time *times,
                     const struct finding *finding)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit);
    struct ps_sentence *to = &c->verdict;

    ps_say(c, to, "%zu threads wait in ", times->n_locked);
    ps_say_code(c, to, link_function(c, times, finding->unit), unit->name);
    ps_say(c, to, " (");
    ps_say_place(c, to, link_function(c, times, finding->unit), unit->path, times->lock_line);
    ps_say(c, to, ") for a lock, ");
    say_percent(c, to, finding->wait_share);
    ps_say(c, to, " of their %s. It is held in ", whole_of(times));
    if (function_of(times, times->lock_holder)->is_own)
        say_function(c, to, times, times->lock_holder);
    else
        say_callee(c, to, times, times->lock_holder);
    ps_say(c, to, ".");
}

static void say_verdict(struct ps_conclusion *c, const struct ps_own_time *times,
                        const struct finding *findings, size_t merged)
{
    const struct finding *first = &findings[0];
    struct ps_sentence *to = &c->verdict;

    if (first->verdict == UNCLEAR) {
        say_function(c, to, times, first->unit);
        ps_say(c, to, " works or waits ");
        say_percent(c, to, first->share);
        ps_say(c, to, " of the %s, all of it at one line: the profile does not tell which.",
               whole_of(times));
        return;
    }
    if (first->verdict == OTHER_THREADS && !times->has_all_threads) {
        ps_say(c, to, "The profiled thread waits ");
        say_percent(c, to, first->wait_share);
        ps_say(c, to, " of the time for other threads, whose work is not in this profile.");
        return;
    }
    if (first->verdict == LOCKED) {
        say_lock(c, times, first);
        return;
    }
    if (first->verdict == WAITING && first->coroutine != PS_NO_FUNCTION) {
        say_function(c, to, times, first->coroutine);
        ps_say(c, to, " waits for events ");
        say_percent(c, to, first->wait_share);
        ps_say(c, to, " of the time.");
        return;
    }
    if (first->verdict == WAITING || first->verdict == OTHER_THREADS) {
        say_waits(c, to, times, first);
        return;
    }
    say_subjects(c, to, times, findings, merged);
    if (merged == 1 && works_itself(times, first)) {
        ps_say(c, to, " itself");
    } else if (first->lead) {
        ps_say(c, to, ", in ");
        say_calls(c, to, times, first->lead);
        for (size_t i = 1; i < merged; i++) {
            ps_say(c, to, i + 1 < merged ? ", " : " and ");
            say_calls(c, to, times, findings[i].lead);
        }
    }
    ps_say(c, to, ".");
}

/* " It is called 3 times in each of 40 passes of the loop in `index` (pages.py:6)." */
static void say_passes(struct ps_conclusion *c, const struct ps_own_time *times,
                       const struct finding *finding)
{
    struct ps_sentence *to = &c->sentence;

    ps_say(c, to, " It is called ");
    ps_say_value(to, link_function(c, times, finding->unit), finding->passes.calls, "count");
    ps_say(c, to, " times in each of ");
    ps_say_value(to, link_function(c, times, finding->passes.loop), (double)finding->passes.n,
                 "count");
    ps_say(c, to, " passes of the loop in ");
    say_function(c, to, times, finding->passes.loop);
    ps_say(c, to, ".");
}

/* " It calls itself, 12 deep on average. `table` (change.py:14) calls it." */
static void say_sampled_caller(struct ps_conclusion *c, const struct ps_own_time *times,
                               const struct finding *finding)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit), *caller;
    const struct ps_timed_call *call;
    struct ps_sentence *to = &c->sentence;

    if (finding->verdict == RECURSIVE) {
        ps_say(c, to, " It calls itself, ");
        ps_say_value(to, link_function(c, times, finding->unit), round(unit->depth), "count");
        ps_say(c, to, " deep on average.");
    }
    if (times->n_together && times->together == finding->unit && times->together_line > 0) {
        ps_say(c, to, " %zu threads are at ", times->n_together);
        ps_say_place(c, to, link_function(c, times, finding->unit), unit->path,
                     times->together_line);
        ps_say(c, to,
               " most of their time: at a lock, or in Python code with the GIL, one of them "
               "gets on at a time.");
    }
    if (finding->chain.n < 2)
        return;
    caller = function_of(times, finding->chain.units[1]);
    if (ps_str_eq_c(caller->name, "<module>"))
        return;
    call = call_between(times, finding->chain.units[1], finding->unit);
    ps_say(c, to, " ");
    ps_say_code(c, to, link_function(c, times, finding->chain.units[1]), caller->name);
    if (call && call->line > 0 && !times->has_def_lines) {
        ps_say(c, to, " calls it at ");
        ps_say_place(c, to, link_function(c, times, finding->chain.units[1]), caller->path,
                     call->line);
        ps_say(c, to, ".");
    } else {
        ps_say(c, to, call ? " calls it." : " leads to it.");
    }
}

/* " `report` (shop.py:30) calls it 300 times a call, through `order`." */
static void say_loop(struct ps_conclusion *c, const struct ps_own_time *times,
                     const struct finding *finding, size_t merged)
{
    const struct ps_call_chain *chain = &finding->chain;
    const struct ps_timed_function *unit = function_of(times, finding->unit), *loop;
    struct ps_sentence *to = &c->sentence;
    const char *object = merged > 1 ? "each of them" : "it";

    if (finding->coroutine != PS_NO_FUNCTION) {
        ps_say(c, to, " It is resumed ");
        ps_say_value(to, link_function(c, times, finding->coroutine),
                     (double)function_of(times, finding->coroutine)->ncalls, "count");
        ps_say(c, to, " times, and the event loop waits ");
        ps_say_value(to, ps_link_none, (double)finding->polls, "count");
        ps_say(c, to, " times: one wait after another. asyncio.gather starts them together.");
        return;
    }
    if (chain->is_resumed) {
        ps_say(c, to, " It is resumed ");
        ps_say_value(to, link_function(c, times, finding->unit), (double)unit->ncalls, "count");
        ps_say(c, to, " times.");
        return;
    }
    if (times->is_sampled && finding->verdict == OTHER_THREADS)
        return;
    if (times->is_sampled) {
        say_sampled_caller(c, times, finding);
        return;
    }
    if (finding->verdict == RECURSIVE) {
        ps_say(c, to, " It calls itself: ");
        ps_say_value(to, link_function(c, times, finding->unit), (double)unit->ncalls, "count");
        ps_say(c, to, " calls, ");
        ps_say_value(to, link_function(c, times, finding->unit), (double)unit->primitive_calls,
                     "count");
        ps_say(c, to, " of them from outside.");
    }
    if (finding->passes.calls >= 2 && merged == 1) {
        say_passes(c, times, finding);
        return;
    }
    if (chain->n < 2 || chain->ratio < 4)
        return;
    loop = function_of(times, chain->units[chain->n - 1]);
    ps_say(c, to, " ");
    say_function(c, to, times, chain->units[chain->n - 1]);
    ps_say(c, to, " calls ");
    if (chain->n > 2)
        ps_say_code(c, to, link_function(c, times, chain->units[chain->n - 2]),
                    function_of(times, chain->units[chain->n - 2])->name);
    else
        ps_say(c, to, "%s", object);
    ps_say(c, to, " ");
    const bool has_each = loop->primitive_calls > 1 && !chain->is_partial;
    ps_say_value(to, link_function(c, times, chain->units[chain->n - 2]),
                 has_each ? round(chain->ratio) : (double)chain->calls, "count");
    ps_say(c, to, " times%s", has_each ? " in each of its calls" : "");
    if (chain->n > 2) {
        ps_say(c, to, ", which leads to ");
        ps_say_code(c, to, link_function(c, times, finding->unit), unit->name);
    }
    ps_say(c, to, ".");
}

static void say_advice(struct ps_conclusion *c, const struct ps_own_time *times,
                       const struct finding *finding)
{
    struct ps_sentence *to = &c->sentence;

    switch (finding->verdict) {
    case ONE_CALL:
        ps_say(c, to, " %s is repeated: only a cheaper method or less data would help.",
               finding->lead->ncalls > 1 ? "Little" : "Nothing");
        return;
    case NEEDED:
        ps_say(c, to, " Programs call this for its result, so no saving is stated.");
        return;
    case ON_PURPOSE:
        ps_say(c, to, " This is slow on purpose: only inputs that repeat can be skipped.");
        return;
    case OTHER_THREADS:
        if (times->has_all_threads)
            return;
        ps_say(c, to, " It waits in ");
        say_function(c, to, times, finding->unit);
        ps_say(c, to, ". A sampling profiler, such as py-spy, records all threads.");
        return;
    case UNCLEAR:
        ps_say(c, to, " Native frames, as of py-spy record --native, tell waits from work.");
        return;
    case LOCKED:
        ps_say(c, to, " One thread gets on at a time: hold the lock for less of the work.");
        return;
    case WAITING:
        if (!times->is_sampled && finding->times < 2 && finding->wait != PS_TIME_EVENTS) {
            ps_say(c, to, " It waits once, so no saving is stated.");
            return;
        }
        if (finding->wait == PS_TIME_SLEEP && !finding->advice)
            ps_say(c, to, " Whether anything needs the pauses is not in the profile.");
        break;
    default:
        break;
    }
    if (finding->advice)
        ps_say(c, to, " %s", finding->advice);
    else if (finding->verdict == RECURSIVE)
        ps_say(c, to, " If arguments repeat, functools.cache keeps the results.");
    else if (works_itself(times, finding) && !times->tab)
        ps_say(c, to,
               " The profile has no lines: line_profiler tells which of them take the time.");
}

static void say_saving(struct ps_conclusion *c, const struct finding *findings, size_t merged)
{
    double saving = 0;

    for (size_t i = 0; i < merged; i++)
        saving += findings[i].saving;
    if (!(saving > 0))
        return;
    ps_say(c, &c->sentence, " Up to ");
    say_percent(c, &c->sentence, saving);
    ps_say(c, &c->sentence, " could be saved%s.",
           findings[0].verdict == RECURSIVE && !findings[0].advice ? " if they do"
           : findings[0].known && findings[0].known->is_per_item   ? " if the result is kept"
           : findings[0].verdict != WAITING                        ? ""
                                                                   : " if the waits can overlap");
}

static void say_next(struct ps_conclusion *c, const struct ps_own_time *times,
                     const struct findings *findings, size_t merged)
{
    const struct finding *next = NULL;

    for (size_t i = merged; i < findings->n; i++)
        if (!next || findings->items[i].share > next->share)
            next = &findings->items[i];
    if (times->imports_s > NEXT_SHARE * times->total_s &&
        (!next || times->imports_s > next->share * times->total_s)) {
        ps_say(c, &c->sentence, " Imports take ");
        say_percent(c, &c->sentence, times->imports_s / times->total_s);
        ps_say(c, &c->sentence, ".");
        return;
    }
    if (!next || next->share < NEXT_SHARE)
        return;
    ps_say(c, &c->sentence, " Next: ");
    say_function(c, &c->sentence, times, next->unit);
    ps_say(c, &c->sentence, " ");
    say_share(c, &c->sentence, times, next);
    ps_say(c, &c->sentence, ".");
}

/* "No single cause. The largest are `a` (a.py:3) with 23.0 %, `b` (a.py:9) with 20.1 %." */
static void say_no_cause(struct ps_conclusion *c, const struct ps_own_time *times,
                         const struct findings *findings)
{
    struct ps_sentence *to = &c->sentence;
    bool said[ROWS_MAX] = {false};

    ps_say(c, &c->verdict, "No single cause.");
    ps_say(c, to, " The largest %s ", findings->n > 1 ? "shares are" : "share is");
    for (size_t n = 0; n < 3 && n < findings->n; n++) {
        size_t largest = findings->n;

        for (size_t i = 0; i < findings->n; i++)
            if (!said[i] && (largest == findings->n ||
                             findings->items[i].share > findings->items[largest].share))
                largest = i;
        if (n && findings->items[largest].share < ROW_SHARE)
            break;
        said[largest] = true;
        if (n)
            ps_say(c, to, ", ");
        ps_say_value(to, ps_link_none, 100 * findings->items[largest].share, "percent");
        ps_say(c, to, " in ");
        say_function(c, to, times, findings->items[largest].unit);
    }
    if (times->remainder_s > NEXT_SHARE * times->total_s) {
        ps_say(c, to, "; ");
        say_percent(c, to, times->remainder_s / times->total_s);
        ps_say(c, to, " is outside of own code");
    }
    ps_say(c, to, ".");
}

/* --- Imports --- */

struct import {
    const struct ps_timed_function *package; /* the outermost installed package */
    uint32_t importer;                       /* the own function that imports it */
    int64_t line;                            /* where it does, if that is known; else 0 */
};

static struct import largest_import(const struct ps_own_time *times)
{
    struct import found = {NULL, PS_NO_FUNCTION, 0};
    double least_s = INFINITY;

    for (size_t i = 0; i < times->n_functions; i++) {
        const struct ps_timed_function *function = &times->functions[i];

        if (function->is_present && !function->is_own && ps_str_eq_c(function->name, "<module>") &&
            (!found.package || function->cumulative_s > found.package->cumulative_s))
            found.package = function;
    }
    if (!found.package)
        return found;
    for (size_t i = 0; i < times->n_calls; i++) {
        const struct ps_timed_call *call = &times->calls[i];

        if (times->functions[call->caller].is_own && call->charged_s == 0 &&
            !times->functions[call->callee].is_own &&
            (ps_str_eq_c(times->functions[call->callee].name, "_find_and_load") ||
             ps_str_eq_c(times->functions[call->callee].name, "<module>")) &&
            call->cumulative_s >= 0.9 * found.package->cumulative_s &&
            call->cumulative_s < least_s) {
            least_s = call->cumulative_s;
            found.importer = call->caller;
            found.line = times->has_def_lines ? 0 : call->line;
        }
    }
    return found;
}

static void say_imports(struct ps_conclusion *c, const struct ps_own_time *times)
{
    struct import import = largest_import(times);
    struct ps_str name = {NULL, 0};

    if (!import.package) {
        ps_say(c, &c->verdict, "Imports take ");
        say_percent(c, &c->verdict, times->imports_s / times->total_s);
        ps_say(c, &c->verdict, " of the %s.", whole_of(times));
        return;
    }
    name = ps_timed_function_package(import.package);
    ps_say(c, &c->verdict, "Importing ");
    ps_say_code(c, &c->verdict,
                link_function(c, times, (uint32_t)(import.package - times->functions)), name);
    if (import.importer != PS_NO_FUNCTION) {
        ps_say(c, &c->verdict, " for ");
        if (import.line > 0)
            ps_say_place(c, &c->verdict, link_function(c, times, import.importer),
                         function_of(times, import.importer)->path, import.line);
        else
            say_function(c, &c->verdict, times, import.importer);
    }
    ps_say(c, &c->verdict, " takes ");
    say_percent(c, &c->verdict, fmin(1, import.package->cumulative_s / times->total_s));
    ps_say(c, &c->verdict, " of the %s.", whole_of(times));
    ps_say(c, &c->sentence, " All imports take ");
    say_percent(c, &c->sentence, times->imports_s / times->total_s);
    ps_say(c, &c->sentence,
           ". python -X importtime tells which of them could be made lazy or left out.");
}

/* --- Causes --- */

static void add_parts(struct ps_conclusion *c, const struct ps_own_time *times,
                      const struct ps_timed_function *unit)
{
    const struct ps_timed_call *last = NULL;
    bool own_is_said = unit->own_s < PART_SHARE * unit->charged_s || unit->n_callees == 0 ||
                       unit->own_s >= unit->charged_s;

    for (size_t n = 0; n < PARTS_MAX; n++) {
        const struct ps_timed_call *largest = NULL;
        double seconds;

        for (uint32_t i = 0; i < unit->n_callees; i++) {
            const struct ps_timed_call *call = &times->calls[unit->first_callee + i];
            bool is_left = !last || call->charged_s < last->charged_s ||
                           (call->charged_s == last->charged_s && call > last);

            if (is_left && !function_of(times, call->callee)->is_own &&
                (!largest || call->charged_s > largest->charged_s))
                largest = call;
        }
        seconds = largest ? largest->charged_s : 0;
        if (!own_is_said && unit->own_s >= seconds) {
            struct ps_cause *cause =
                ps_conclusion_add_part(c, "self", unit->own_s, unit->own_s / times->total_s);

            ps_say(c, &cause->title, "own code");
            own_is_said = true;
            continue;
        }
        if (!largest || seconds < PART_SHARE * unit->charged_s)
            return;
        struct ps_cause *cause =
            ps_conclusion_add_part(c, "callee", seconds, seconds / times->total_s);

        ps_say_code(c, &cause->title, link_function(c, times, largest->callee),
                    function_of(times, largest->callee)->name);
        last = largest;
        if (largest->ncalls <= 0) /* yappi's C functions that are not listed */
            continue;
        ps_say_value(&cause->evidence, link_function(c, times, largest->callee),
                     (double)largest->ncalls, "count");
        ps_say(c, &cause->evidence, " call%s", largest->ncalls == 1 ? "" : "s");
    }
}

/* "12000 calls from shop.py:35", of the caller with the longest calls: "120 of 240 calls from ..."
 * where others called it too, or the file does not say who did. Recursive calls do not count. */
static void say_callers(struct ps_conclusion *c, const struct ps_own_time *times, uint32_t id,
                        struct ps_sentence *to)
{
    const struct ps_timed_function *unit = function_of(times, id);
    const struct ps_timed_call *longest = NULL;
    const int64_t calls = unit->primitive_calls;

    for (uint32_t i = 0; i < unit->n_callers; i++) {
        const struct ps_timed_call *call = &times->calls[times->by_callee[unit->first_caller + i]];

        if (!longest || call->cumulative_s > longest->cumulative_s)
            longest = call;
    }
    if (!longest || longest->ncalls <= 0)
        return;
    ps_say_value(to, link_function(c, times, id), (double)longest->ncalls, "count");
    if (longest->ncalls < calls) {
        ps_say(c, to, " of ");
        ps_say_value(to, link_function(c, times, id), (double)calls, "count");
    }
    ps_say(c, to, " call%s from ", longest->ncalls == 1 && calls <= 1 ? "" : "s");
    if (function_of(times, longest->caller)->line > 0)
        ps_say_place(c, to, link_function(c, times, longest->caller),
                     function_of(times, longest->caller)->path,
                     function_of(times, longest->caller)->line);
    else /* a built-in function has no file: cProfile writes ~ */
        ps_say_code(c, to, link_function(c, times, longest->caller),
                    function_of(times, longest->caller)->name);
}

/* "12000 calls from shop.py:35", or the line where samples found it: "at shop.py:12". */
static void say_evidence(struct ps_conclusion *c, const struct ps_own_time *times, uint32_t id,
                         struct ps_sentence *to)
{
    const struct ps_timed_function *unit = function_of(times, id);

    if (!times->is_sampled) {
        say_callers(c, times, id, to);
        return;
    }
    if (unit->line <= 0)
        return;
    ps_say(c, to,
           times->has_def_lines ? "defined at "
           : unit->at_one_line  ? "all at "
                                : "mostly at ");
    ps_say_place(c, to, link_function(c, times, id), unit->path, unit->line);
}

/* Adds a row for one finding, or for several that are one cause. */
static void add_row(struct ps_conclusion *c, const struct ps_own_time *times,
                    const struct finding *findings, size_t merged, bool may_save)
{
    double share = 0, saving = 0;
    struct ps_cause *cause;

    for (size_t i = 0; i < merged; i++) {
        share += findings[i].share;
        saving += findings[i].saving;
    }
    cause =
        ps_conclusion_add(c, merged > 1 ? "functions" : "function", share * times->total_s, share);
    if (may_save && saving > 0) {
        ps_cause_save(cause, 0, 100 * saving);
        cause->advice = findings[0].advice;
    }
    for (size_t i = 0; i < merged; i++) {
        if (i)
            ps_say(c, &cause->title, i + 1 < merged ? ", " : " and ");
        ps_say_code(c, &cause->title, link_function(c, times, findings[i].unit),
                    function_of(times, findings[i].unit)->name);
    }
    if (merged == 1) {
        say_evidence(c, times, findings[0].unit, &cause->evidence);
        add_parts(c, times, function_of(times, findings[0].unit));
        return;
    }
    for (size_t i = 0; i < merged; i++) {
        struct ps_cause *part = ps_conclusion_add_part(
            c, "function", findings[i].share * times->total_s, findings[i].share);

        ps_say_code(c, &part->title, link_function(c, times, findings[i].unit),
                    function_of(times, findings[i].unit)->name);
        say_evidence(c, times, findings[i].unit, &part->evidence);
    }
}

static void add_rest(struct ps_conclusion *c, const struct ps_own_time *times, double seconds,
                     const char *rule, const char *title)
{
    if (seconds >= ROW_SHARE * times->total_s)
        ps_say(c, &ps_conclusion_add(c, rule, seconds, seconds / times->total_s)->title, "%s",
               title);
}

static void add_rows(struct ps_conclusion *c, const struct ps_own_time *times,
                     const struct findings *findings, size_t merged)
{
    add_row(c, times, findings->items, merged,
            score_of(findings->items, merged) >= cause_score(times));
    for (size_t i = merged; i < findings->n; i++)
        if (findings->items[i].share >= ROW_SHARE)
            add_row(c, times, &findings->items[i], 1,
                    findings->items[i].score >= cause_score(times));
}

bool ps_conclude_own_time(struct ps_conclusion *c, struct ps_own_time *times)
{
    return ps_own_time_charge_program(times) && ps_conclude_charged_time(c, times);
}

bool ps_conclude_charged_time(struct ps_conclusion *c, const struct ps_own_time *times)
{
    struct findings findings;
    bool imports, is_cause;
    size_t merged;

    find_causes(times, &findings);
    if (!findings.n && !(times->imports_s > 0))
        return false;
    merged = findings.n ? merge_first(times, &findings) : 0;
    is_cause = score_of(findings.items, merged) >= cause_score(times);
    for (size_t i = 0; i < findings.n && !is_cause; i++) {
        if (findings.items[i].share < MOST)
            continue;
        move_finding(findings.items, i, 0);
        merged = 1;
        is_cause = true;
    }
    imports = times->imports_s > 0.5 * times->total_s && !is_cause;
    c->save_unit = "percent";
    if (imports) {
        say_imports(c, times);
        add_rest(c, times, times->imports_s, "imports", "imports");
    } else if (!is_cause) {
        say_no_cause(c, times, &findings);
    } else {
        say_verdict(c, times, findings.items, merged);
        say_loop(c, times, &findings.items[0], merged);
        say_advice(c, times, &findings.items[0]);
        say_saving(c, findings.items, merged);
        say_next(c, times, &findings, merged);
    }
    if (findings.n)
        add_rows(c, times, &findings, merged);
    if (!imports)
        add_rest(c, times, times->imports_s, "imports", "imports");
    add_rest(c, times, times->remainder_s, "remainder", "outside of own code");
    ps_conclusion_note(c,
                       "Library and built-in functions count for the functions of the program "
                       "that call them. A saving is an upper bound.%s",
                       times->is_sampled ? ""
                                         : " The profiler makes small calls look larger than they "
                                           "are.");
    return true;
}
