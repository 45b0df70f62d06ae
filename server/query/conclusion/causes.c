/* SPDX-License-Identifier: MIT */
/* causes.c: judges the units of a profile and puts the judgement into words. */
#include "server/query/conclusion/causes.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/python_path.h"

#define ROW_SHARE      0.05  /* units with a smaller share are not listed */
#define LEAST_SHARE    0.01  /* smaller shares are not named as the largest */
#define PART_SHARE     0.10  /* parts with a smaller share of their unit are not listed */
#define NEXT_SHARE     0.10  /* the sentence names the next unit if it has more */
#define ONE_CALL_SCORE 0.6   /* what is called once comes after what is repeated */
#define LONG_CALL_S    0.001 /* of a call of sum() that may add lists */
#define ROWS_MAX       20
#define PARTS_MAX      4
#define MERGED_MAX     4

/* How likely time of a kind can be avoided. */
static const double likelihood[PS_N_TIME_CLASSES] = {
    [PS_TIME_WORK] = 0.5,        [PS_TIME_AVOIDABLE] = 0.9,  [PS_TIME_NEEDED] = 0.25,
    [PS_TIME_ON_PURPOSE] = 0.25, [PS_TIME_SLEEP] = 0.5,      [PS_TIME_LOCK] = 0.5,
    [PS_TIME_NETWORK] = 0.9,     [PS_TIME_EVENTS] = 0.5,     [PS_TIME_PROCESS] = 0.9,
    [PS_TIME_DISK] = 0.9,        [PS_TIME_OTHER_WAIT] = 0.5,
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

/* How much of the work of an advice repeats: of more results than the library keeps, at least so
 * many were different, and of fewer all. */
static double repeated_part(const struct ps_own_time *times, const char *advice)
{
    int64_t calls = 0, kept = 0;

    for (size_t i = 0; i < times->n_functions; i++) {
        const struct ps_timed_function *function = &times->functions[i];

        if (!function->known || !function->known->kept || function->known->advice != advice)
            continue;
        calls += function->primitive_calls;
        kept = function->known->kept;
    }
    return calls > kept ? 1 - per_call(kept, calls) : calls ? 0 : 1;
}

/* The share of the total that the finding could save. Advice about a library function is about the
 * time below it, if that is most of the unit's. */
static double saving_of(const struct finding *finding, const struct ps_own_time *times)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit);
    const struct ps_known_call *lead;
    double avoidable_s = unit->time.s[PS_TIME_AVOIDABLE] + unit->time.s[PS_TIME_PROCESS] +
                         unit->time.s[PS_TIME_NETWORK] + unit->time.s[PS_TIME_DISK];
    double share = finding->advice && avoidable_s > 0.5 * unit->charged_s
                       ? avoidable_s / times->total_s
                       : finding->share;

    if (times->is_too_short || (times->is_sampled && (!finding->advice || finding->may_be_one)))
        return 0; /* samples do not tell whether anything is repeated */
    if (times->n_locked && finding->unit == times->lock_holder)
        return 0; /* what other threads wait meanwhile is not in its share */
    if (finding->advice && !times->is_sampled)
        share *= repeated_part(times, finding->advice);
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
        share = fmin(share, finding->wait_share); /* no more than the waits can overlap */
        break;
    case WORKING:
    case REPEATED:
        if (finding->known && finding->known->is_per_item)
            return finding->passes.calls < 2 ? 0 : share * (1 - 1 / finding->passes.calls);
        /* whether a function's own lines, or calls of other functions, can be avoided is not in
         * the dump: each call may be for another item */
        lead = finding->lead ? known_below(times, finding->lead) : NULL;
        if (!lead || lead->class != PS_TIME_AVOIDABLE || avoidable_s <= 0.5 * unit->charged_s ||
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

/* Whether what the event loop runs waits without giving control back, so that nothing else runs. */
static bool blocks_loop(const struct finding *finding)
{
    return finding->chain.is_in_loop && finding->wait_share > 0 &&
           finding->wait != PS_TIME_EVENTS && finding->wait != PS_TIME_LOCK;
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
    /* a function above that is called in a loop may call it once only */
    finding.times = finding.chain.is_resumed ? inside
                    : times->is_sampled      ? finding.chain.ratio
                                        : fmin(finding.chain.ratio, (double)unit->primitive_calls);
    if (inside >= 4 && inside > finding.times)
        finding.times = inside;
    if (blocks_loop(&finding))
        finding.times = (double)(finding.lead ? finding.lead->ncalls : unit->ncalls);
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

/* The findings of the units with the most time, the longest first. */
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
static double least_score(const struct ps_own_time *times)
{
    double imports = times->imports_s / times->total_s;

    return PS_CLAIM_CAUSE * (1 - (imports < 0.5 ? imports : 0));
}

/* --- Subjects --- */

static struct ps_report_link link_function(struct ps_conclusion *c, const struct ps_own_time *times,
                                           uint32_t function)
{
    if (times->tab && strcmp(times->tab, "slices") == 0)
        return ps_link_name(c, times->tab, function_of(times, function)->name);
    return (struct ps_report_link){times->tab ? times->tab : "functions",
                                   {{"fn", ps_conclusion_id(c, function)}}};
}

/* A function without its place. */
static struct ps_subject name_subject(struct ps_conclusion *c, const struct ps_own_time *times,
                                      uint32_t id)
{
    return (struct ps_subject){.kind = PS_SUBJECT_FUNCTION,
                               .name = ps_arena_copy(&c->arena, function_of(times, id)->name),
                               .link = link_function(c, times, id)};
}

/* A line of a function. */
static struct ps_subject line_subject(struct ps_conclusion *c, const struct ps_own_time *times,
                                      uint32_t id, int64_t line)
{
    return (struct ps_subject){.kind = PS_SUBJECT_LINE,
                               .path = ps_arena_copy(&c->arena, function_of(times, id)->path),
                               .line = line,
                               .link = link_function(c, times, id)};
}

static struct ps_subject function_subject(struct ps_conclusion *c, const struct ps_own_time *times,
                                          uint32_t id)
{
    const struct ps_timed_function *function = function_of(times, id);
    struct ps_subject subject = name_subject(c, times, id);

    if (function->line <= 0 && (function->origin == PS_ORIGIN_BUILTIN || times->tab))
        return subject;
    subject.path = ps_arena_copy(&c->arena, function->path);
    subject.line = function->line;
    return subject;
}

/* "`sqlite3.Cursor.execute`", "`iterrows` of pandas". */
static struct ps_subject callee_subject(struct ps_conclusion *c, const struct ps_own_time *times,
                                        uint32_t id)
{
    const struct ps_timed_function *callee = function_of(times, id);
    struct ps_subject subject = name_subject(c, times, id);
    struct ps_str owner;

    if (callee->origin == PS_ORIGIN_BUILTIN) {
        struct ps_str name = ps_builtin_name(callee->name, &owner);

        subject.name = !owner.ptr || ps_str_eq_c(owner, "builtins")
                           ? ps_arena_copy(&c->arena, name)
                           : ps_str_from_c(ps_arena_printf(&c->arena, "%.*s.%.*s", (int)owner.len,
                                                           owner.ptr, (int)name.len, name.ptr));
        return subject;
    }
    if (ps_str_starts_with(callee->name, PS_STR("__")) || !callee->path.len ||
        callee->path.ptr[0] == '<')
        return function_subject(c, times, id);
    subject.package = ps_arena_copy(&c->arena, ps_timed_function_package(callee));
    return subject;
}

static struct ps_subject part_subject(const char *name)
{
    return (struct ps_subject){.kind = PS_SUBJECT_PART, .name = ps_str_from_c(name)};
}

/* --- Claims --- */

static const enum ps_verb verbs[] = {
    [REPEATED] = PS_REPEATS,   [WORKING] = PS_TAKES,       [RECURSIVE] = PS_RECURS,
    [ONE_CALL] = PS_ONCE,      [NEEDED] = PS_TAKES,        [ON_PURPOSE] = PS_TAKES,
    [WAITING] = PS_WAITS,      [OTHER_THREADS] = PS_WAITS, [LOCKED] = PS_WAITS,
    [UNCLEAR] = PS_CANNOT_SEE,
};

static const char *const waits_for[PS_N_TIME_CLASSES] = {
    [PS_TIME_SLEEP] = "sleep",        [PS_TIME_LOCK] = "threads",
    [PS_TIME_NETWORK] = "network",    [PS_TIME_EVENTS] = "events",
    [PS_TIME_PROCESS] = "processes",  [PS_TIME_DISK] = "disk",
    [PS_TIME_OTHER_WAIT] = "unknown",
};

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

static void add_sampled_caller(struct ps_conclusion *c, const struct ps_own_time *times,
                               const struct finding *finding, struct ps_claim *claim)
{
    const struct ps_timed_call *call;
    struct ps_fact by = {.code = PS_FACT_LED_BY};
    uint32_t caller;

    if (finding->verdict == RECURSIVE)
        ps_claim_fact(
            &c->arena, claim,
            (struct ps_fact){PS_FACT_DEPTH,
                             .values = {round(function_of(times, finding->unit)->depth)}});
    if (times->n_together && times->together == finding->unit && times->together_line > 0)
        ps_claim_fact(&c->arena, claim,
                      (struct ps_fact){PS_FACT_TOGETHER,
                                       line_subject(c, times, finding->unit, times->together_line),
                                       .values = {(double)times->n_together}});
    if (finding->chain.n < 2)
        return;
    caller = finding->chain.units[1];
    if (ps_str_eq_c(function_of(times, caller)->name, "<module>"))
        return;
    call = call_between(times, caller, finding->unit);
    by.subject = name_subject(c, times, caller);
    if (call)
        by.code = PS_FACT_CALLED_BY;
    if (call && call->line > 0 && !times->has_def_lines) {
        by.code = PS_FACT_CALLED_AT;
        by.subject.path = ps_arena_copy(&c->arena, function_of(times, caller)->path);
        by.subject.line = call->line;
    }
    ps_claim_fact(&c->arena, claim, by);
}

/* Who calls the unit, and how often. */
static void add_loop(struct ps_conclusion *c, const struct ps_own_time *times,
                     const struct finding *finding, size_t merged, struct ps_claim *claim)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit);
    const struct ps_call_chain *chain = &finding->chain;
    struct ps_claim_loop *loop = &claim->loop;

    if (finding->coroutine != PS_NO_FUNCTION) {
        ps_claim_fact(
            &c->arena, claim,
            (struct ps_fact){PS_FACT_ONE_BY_ONE,
                             .values = {(double)function_of(times, finding->coroutine)->ncalls,
                                        (double)finding->polls}});
        return;
    }
    if (blocks_loop(finding)) {
        ps_claim_fact(
            &c->arena, claim,
            (struct ps_fact){PS_FACT_BLOCKS_LOOP,
                             .subject = name_subject(c, times, chain->units[chain->n - 1])});
        return;
    }
    if (chain->is_resumed) {
        ps_claim_fact(&c->arena, claim,
                      (struct ps_fact){PS_FACT_RESUMED, .values = {(double)unit->ncalls}});
        return;
    }
    if (times->is_sampled) {
        if (finding->verdict != OTHER_THREADS)
            add_sampled_caller(c, times, finding, claim);
        return;
    }
    if (finding->verdict == RECURSIVE)
        ps_claim_fact(
            &c->arena, claim,
            (struct ps_fact){PS_FACT_RECURSION,
                             .values = {(double)unit->ncalls, (double)unit->primitive_calls}});
    if (finding->passes.calls >= 2 && merged == 1) {
        *loop = (struct ps_claim_loop){.subject = function_subject(c, times, finding->passes.loop),
                                       .times = finding->passes.calls,
                                       .passes = (double)finding->passes.n};
        return;
    }
    if (chain->n < 2 || chain->ratio < 4)
        return;
    loop->subject = function_subject(c, times, chain->units[chain->n - 1]);
    if (chain->n > 2)
        loop->through = name_subject(c, times, chain->units[chain->n - 2]);
    loop->is_each =
        function_of(times, chain->units[chain->n - 1])->primitive_calls > 1 && !chain->is_partial;
    loop->times = loop->is_each ? round(chain->ratio) : (double)chain->calls;
}

/* What the reader can do, or why nothing is promised. */
static void add_advice(const struct ps_own_time *times, const struct finding *finding,
                       struct ps_claim *claim)
{
    const struct ps_timed_function *unit = function_of(times, finding->unit);

    switch (finding->verdict) {
    case ONE_CALL:
        claim->no_saving = finding->lead->ncalls > 1 ? PS_LITTLE_REPEATS : PS_NOTHING_REPEATS;
        return;
    case NEEDED:
        claim->no_saving = PS_RESULT_NEEDED;
        return;
    case ON_PURPOSE:
        claim->no_saving = PS_SLOW_ON_PURPOSE;
        return;
    case LOCKED:
        claim->no_saving = PS_ONE_LOCK;
        return;
    case OTHER_THREADS:
        if (!times->has_all_threads)
            claim->blind = PS_BLIND_THREADS;
        return;
    case UNCLEAR:
        claim->blind = PS_BLIND_NATIVE;
        return;
    case WAITING:
        if (!times->is_sampled && finding->times < 2 && finding->wait != PS_TIME_EVENTS) {
            claim->no_saving = PS_WAITS_ONCE;
            return;
        }
        if (finding->wait == PS_TIME_SLEEP && !finding->advice)
            claim->blind = PS_BLIND_PURPOSE;
        claim->condition = PS_IF_WAITS_OVERLAP;
        break;
    default:
        break;
    }
    claim->advice = finding->advice;
    if (!finding->advice && finding->verdict == RECURSIVE)
        claim->condition = PS_IF_ARGUMENTS_REPEAT;
    else if (finding->known && finding->known->is_per_item)
        claim->condition = PS_IF_RESULT_KEPT;
    else if (!finding->advice && unit->own_s >= 0.5 * unit->charged_s && !times->tab &&
             !times->is_sampled)
        claim->blind = PS_BLIND_LINES;
}

/* The claim of one finding, or of several that are one cause. */
static struct ps_claim claim_of(struct ps_conclusion *c, const struct ps_own_time *times,
                                const struct finding *findings, size_t merged)
{
    const struct finding *first = &findings[0];
    const struct ps_timed_function *unit = function_of(times, first->unit);
    const struct ps_timed_function *holder = function_of(times, times->lock_holder);
    struct ps_claim claim = {.rule = merged > 1 ? "functions" : "function",
                             .verb = verbs[first->verdict],
                             .n_subjects = merged,
                             .own = unit->own_s / times->total_s,
                             .waits = first->wait_share,
                             .waits_for = first->wait_share > 0 ? waits_for[first->wait] : NULL};
    double score = 0;

    for (size_t i = 0; i < merged; i++) {
        const struct finding *finding = &findings[i];
        struct ps_claim_subject *subject = &claim.subjects[i];

        *subject = (struct ps_claim_subject){.what = function_subject(c, times, finding->unit),
                                             .share = finding->share};
        claim.share += finding->share;
        claim.saving += finding->saving;
        score += finding->score;
        if (!finding->lead)
            continue;
        subject->via = callee_subject(c, times, finding->lead->callee);
        subject->calls = (double)finding->lead->ncalls;
    }
    claim.avoidable = claim.share > 0 ? score / claim.share : 0;
    if (merged == 1) {
        claim.low = unit->low_s / times->total_s;
        claim.high = fmin(1, unit->high_s / times->total_s);
    }
    if (first->verdict == OTHER_THREADS && !times->has_all_threads)
        claim.verb = PS_CANNOT_SEE;
    if (first->verdict == LOCKED) {
        claim.subjects[0].what = line_subject(c, times, first->unit, times->lock_line);
        claim.subjects[0].what.name = ps_arena_copy(&c->arena, unit->name);
        ps_claim_fact(&c->arena, &claim,
                      (struct ps_fact){PS_FACT_LOCKED,
                                       holder->is_own
                                           ? function_subject(c, times, times->lock_holder)
                                           : callee_subject(c, times, times->lock_holder),
                                       .values = {(double)times->n_locked}});
    }
    add_loop(c, times, first, merged, &claim);
    add_advice(times, first, &claim);
    return claim;
}

/* That there is no cause, with the largest three shares. */
static struct ps_claim flat_claim(struct ps_conclusion *c, const struct ps_own_time *times,
                                  const struct findings *findings)
{
    struct ps_claim claim = {.rule = "flat", .verb = PS_FLAT, .share = NAN, .saving = NAN};
    bool said[ROWS_MAX] = {false};

    while (claim.n_subjects < 3 && claim.n_subjects < findings->n) {
        const struct finding *items = findings->items;
        size_t largest = findings->n;

        for (size_t i = 0; i < findings->n; i++)
            if (!said[i] && (largest == findings->n || items[i].share > items[largest].share))
                largest = i;
        if (items[largest].share < (claim.n_subjects ? ROW_SHARE : LEAST_SHARE))
            break;
        said[largest] = true;
        claim.subjects[claim.n_subjects++] = (struct ps_claim_subject){
            .what = function_subject(c, times, items[largest].unit), .share = items[largest].share};
    }
    if (claim.n_subjects && times->imports_s > claim.subjects[0].share * times->total_s)
        ps_claim_fact(
            &c->arena, &claim,
            (struct ps_fact){PS_FACT_MOST_IMPORTS, .values = {times->imports_s / times->total_s}});
    if (times->remainder_s > NEXT_SHARE * times->total_s)
        ps_claim_fact(
            &c->arena, &claim,
            (struct ps_fact){PS_FACT_NO_OWN_CODE, .values = {times->remainder_s / times->total_s}});
    return claim;
}

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

/* That imports take the time: the largest package, and who imports it. */
static struct ps_claim imports_claim(struct ps_conclusion *c, const struct ps_own_time *times)
{
    const struct import import = largest_import(times);
    struct ps_claim claim = {.rule = "imports",
                             .verb = PS_STARTS,
                             .share = times->imports_s / times->total_s,
                             .saving = NAN};
    struct ps_claim_subject *subject = &claim.subjects[0];

    if (!import.package)
        return claim;
    claim.blind = PS_BLIND_IMPORTS;
    claim.n_subjects = 1;
    subject->what = name_subject(c, times, (uint32_t)(import.package - times->functions));
    subject->what.kind = PS_SUBJECT_PACKAGE;
    subject->what.name = ps_arena_copy(&c->arena, ps_timed_function_package(import.package));
    subject->share = fmin(1, import.package->cumulative_s / times->total_s);
    if (import.importer != PS_NO_FUNCTION)
        subject->via = import.line > 0 ? line_subject(c, times, import.importer, import.line)
                                       : function_subject(c, times, import.importer);
    return claim;
}

/* --- Rows --- */

static struct ps_claim part_claim(const char *rule, struct ps_subject subject, double share)
{
    return (struct ps_claim){.rule = rule,
                             .verb = PS_TAKES,
                             .subjects = {{.what = subject, .share = share}},
                             .n_subjects = 1,
                             .share = share,
                             .saving = NAN};
}

static void add_parts(struct ps_conclusion *c, const struct ps_own_time *times,
                      const struct ps_timed_function *unit)
{
    const struct ps_timed_call *last = NULL;
    bool own_is_said = unit->own_s < PART_SHARE * unit->charged_s || unit->n_callees == 0 ||
                       unit->own_s >= unit->charged_s;

    for (size_t n = 0; n < PARTS_MAX; n++) {
        const struct ps_timed_call *largest = NULL;
        struct ps_claim claim;
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
            claim = part_claim("self", part_subject("own code"), unit->own_s / times->total_s);
            ps_conclusion_claim_part(c, &claim, unit->own_s);
            own_is_said = true;
            continue;
        }
        if (!largest || seconds < PART_SHARE * unit->charged_s)
            return;
        claim =
            part_claim("callee", name_subject(c, times, largest->callee), seconds / times->total_s);
        if (largest->ncalls > 0) /* else yappi's C functions that are not listed */
            claim.evidence = (struct ps_fact){PS_FACT_CALLS, .values = {(double)largest->ncalls}};
        ps_conclusion_claim_part(c, &claim, seconds);
        last = largest;
    }
}

/* The caller with the longest calls. Recursive calls do not count. A built-in function has no file:
 * cProfile writes ~. */
static struct ps_fact callers_of(struct ps_conclusion *c, const struct ps_own_time *times,
                                 uint32_t id)
{
    const struct ps_timed_function *unit = function_of(times, id), *caller;
    const struct ps_timed_call *longest = NULL;

    for (uint32_t i = 0; i < unit->n_callers; i++) {
        const struct ps_timed_call *call = &times->calls[times->by_callee[unit->first_caller + i]];

        if (!longest || call->cumulative_s > longest->cumulative_s)
            longest = call;
    }
    if (!longest || longest->ncalls <= 0)
        return (struct ps_fact){.code = PS_FACT_NONE};
    caller = function_of(times, longest->caller);
    return (struct ps_fact){longest->ncalls < unit->primitive_calls ? PS_FACT_SOME_CALLS_FROM
                                                                    : PS_FACT_CALLS_FROM,
                            caller->line > 0 ? line_subject(c, times, longest->caller, caller->line)
                                             : name_subject(c, times, longest->caller),
                            .values = {(double)longest->ncalls, (double)unit->primitive_calls},
                            .link = name_subject(c, times, id).link};
}

/* The calls, or the line where samples found the unit. */
static struct ps_fact evidence_of(struct ps_conclusion *c, const struct ps_own_time *times,
                                  uint32_t id)
{
    const struct ps_timed_function *unit = function_of(times, id);

    if (!times->is_sampled)
        return callers_of(c, times, id);
    if (unit->line <= 0 || times->has_first_lines)
        return (struct ps_fact){.code = PS_FACT_NONE};
    return (struct ps_fact){times->has_def_lines ? PS_FACT_DEFINED_AT
                            : unit->at_one_line  ? PS_FACT_AT
                                                 : PS_FACT_MOSTLY_AT,
                            .subject = line_subject(c, times, id, unit->line)};
}

static void add_row(struct ps_conclusion *c, const struct ps_own_time *times,
                    const struct finding *findings, struct ps_claim *claim)
{
    const struct finding *first = &findings[0];
    const size_t merged = claim->n_subjects;
    struct ps_cause *cause;

    if (merged == 1)
        claim->evidence = evidence_of(c, times, first->unit);
    cause = ps_conclusion_claim(c, claim, claim->share * times->total_s);
    if (first->coroutine != PS_NO_FUNCTION) { /* the row has the time of who runs it */
        cause->claim.title =
            (struct ps_fact){.code = PS_FACT_TITLE, .subject = cause->claim.subjects[0].what};
        cause->claim.subjects[0].what = function_subject(c, times, first->coroutine);
    }
    if (merged == 1) {
        add_parts(c, times, function_of(times, first->unit));
        return;
    }
    for (size_t i = 0; i < merged; i++) {
        struct ps_claim part = part_claim("function", claim->subjects[i].what, findings[i].share);

        part.evidence = evidence_of(c, times, findings[i].unit);
        ps_conclusion_claim_part(c, &part, findings[i].share * times->total_s);
    }
}

/* Imports, or what is outside of own code: the title says what it is, with other words than the
 * claim. */
static void add_rest(struct ps_conclusion *c, struct ps_claim claim, double seconds,
                     const char *title)
{
    claim.title = (struct ps_fact){.code = PS_FACT_TITLE, .subject = part_subject(title)};
    if (claim.share >= ROW_SHARE)
        ps_conclusion_claim(c, &claim, seconds);
}

bool ps_conclude_own_time(struct ps_conclusion *c, struct ps_own_time *times)
{
    return ps_own_time_charge_program(times) && ps_conclude_charged_time(c, times);
}

bool ps_conclude_charged_time(struct ps_conclusion *c, const struct ps_own_time *times)
{
    const double least = least_score(times);
    struct ps_claim imports, *claims;
    struct findings findings;
    size_t order[ROWS_MAX], merged, n = 0;
    bool is_cause, imports_first;

    find_causes(times, &findings);
    if (!findings.n && !(times->imports_s > 0))
        return false;
    merged = findings.n ? merge_first(times, &findings) : 0;
    claims = ps_alloc_array(ROWS_MAX, sizeof *claims);
    for (size_t i = 0; i < findings.n; i += i ? 1 : merged)
        claims[n++] = claim_of(c, times, &findings.items[i], i ? 1 : merged);
    is_cause = ps_claims_rank(claims, n, least, order);
    ps_claims_limit_savings(claims, n, least);
    imports = imports_claim(c, times);
    imports_first = !is_cause && imports.share > 0.5;
    c->save_unit = "percent";
    c->whole = times->whole;
    if (imports_first)
        add_rest(c, imports, times->imports_s, "imports");
    for (size_t i = 0; i < n; i++)
        if (claims[order[i]].share >= ROW_SHARE ||
            (!i && (is_cause || claims[order[i]].share >= LEAST_SHARE)))
            add_row(c, times, &findings.items[order[i] ? order[i] + merged - 1 : 0],
                    &claims[order[i]]);
    free(claims);
    if (!imports_first)
        add_rest(c, imports, times->imports_s, "imports");
    add_rest(c,
             part_claim("remainder", part_subject("outside of own code"),
                        times->remainder_s / times->total_s),
             times->remainder_s, "outside of own code");
    if (!is_cause && !imports_first)
        c->first = flat_claim(c, times, &findings);
    ps_conclusion_note(c,
                       "Library and built-in functions count for the functions of the program "
                       "that call them. A saving is an upper bound.%s",
                       times->is_sampled ? ""
                                         : " The profiler makes small calls look larger than they "
                                           "are.");
    return true;
}
