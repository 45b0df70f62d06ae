/* SPDX-License-Identifier: MIT */
/*
 * functions.c: the conclusion of a cProfile dump.
 *
 * The self time of each function belongs to one owner: a function of the program is an owner of its
 * own; functions of an installed package share one owner, the package; a built-in function belongs
 * to the owners of its callers, by the self time that the dump has for each caller. So the times of
 * the owners add up to the total of the dump.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/python_path.h"
#include "server/query/advice.h"
#include "server/query/conclusion/causes.h"
#include "slices/intervals.h"

#define CAUSE_SHARE 0.05 /* owners with a smaller share of the total are not causes */
#define PART_SHARE  0.10 /* parts with a smaller share of their owner are not listed */
#define NOTHING     0.10 /* if no owner has more, nothing stands out */
#define MIXED_SHARE 0.10 /* threads that end sooner do not change the times of much */
#define CAUSES_MAX  20
#define PARTS_MAX   4

struct function {
    struct ps_str name, path;
    int64_t line, ncalls, primitive_calls;
    uint32_t owner;
    enum ps_origin origin;
    double self_s, cumulative_s; /* self_s: without the time that was charged to callers */
};

/* Calls of a function or of a package from outside of it. */
struct entry {
    int64_t caller, ncalls; /* caller: function id; 0: none */
    double cumulative_s;
};

struct owner {
    double seconds;
    int64_t function; /* id; 0: a package */
    struct ps_str package;
    struct entry largest; /* of the caller with the longest calls */
    int64_t ncalls;       /* from all callers */
};

/* A part of an owner: self time of one function; of a built-in function, the time that was charged
 * to the owner. */
struct part {
    uint32_t owner;
    int64_t function;
    int64_t ncalls;
    double seconds;
};

struct profile {
    struct function *functions; /* by id */
    size_t n_functions;         /* the largest id + 1 */
    struct owner *owners;
    size_t n_owners, cap_owners;
    struct part *parts;
    size_t n_parts, cap_parts;
    struct ps_intern packages;
    uint32_t *package_owner; /* by package id */
    size_t n_package_owner;
    struct ps_arena text;
    double total_s;
    double origins_s[PS_N_ORIGINS]; /* self times of functions by origin, before they are charged */
    bool has_caller_times;
    bool is_sampled; /* counts of calls are counts of samples */
    bool overlaps;   /* own times include waits, which overlap: they add up to more than passed */
    bool mixes_threads; /* see starts_thread() */
};

static void profile_free(struct profile *profile)
{
    free(profile->functions);
    free(profile->owners);
    free(profile->parts);
    free(profile->package_owner);
    ps_intern_free(&profile->packages);
    ps_arena_free(&profile->text);
}

static uint32_t add_owner(struct profile *profile, int64_t function, struct ps_str package)
{
    PS_RESERVE_ONE(profile->owners, profile->n_owners, profile->cap_owners);
    profile->owners[profile->n_owners] = (struct owner){.function = function, .package = package};
    return (uint32_t)profile->n_owners++;
}

static uint32_t owner_of_package(struct profile *profile, struct ps_str package)
{
    uint32_t before = profile->packages.count;
    uint32_t id = ps_intern_add(&profile->packages, package);

    if (id == before) {
        profile->package_owner = ps_grow_to(profile->package_owner, &profile->n_package_owner, id,
                                            sizeof *profile->package_owner);
        profile->package_owner[id] = add_owner(profile, 0, profile->packages.items[id]);
    }
    return profile->package_owner[id];
}

static bool is_library(const struct function *function)
{
    return function->origin == PS_ORIGIN_THIRD_PARTY || function->origin == PS_ORIGIN_STDLIB;
}

static uint32_t find_owner(struct profile *profile, const struct function *function, int64_t id)
{
    struct ps_str package = ps_python_package_of(function->path);

    if (!is_library(function))
        return add_owner(profile, id, (struct ps_str){NULL, 0});
    return owner_of_package(profile, package);
}

static enum ps_status read_summary(struct ps_db *db, struct profile *profile, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_function_summary"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        profile->is_sampled = ps_col_int(stmt, 0) != 0;
        profile->overlaps = ps_col_int(stmt, 1) != 0;
    }
    return err->code;
}

static enum ps_status read_functions(struct ps_db *db, struct profile *profile, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_functions"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t id = ps_col_int(stmt, 0);
        struct function function = {.name = ps_arena_copy(&profile->text, ps_col_text(stmt, 1)),
                                    .path = ps_arena_copy(&profile->text, ps_col_text(stmt, 2)),
                                    .line = ps_col_int(stmt, 3),
                                    .origin = (enum ps_origin)ps_col_int(stmt, 4),
                                    .ncalls = ps_col_int(stmt, 5),
                                    .self_s = ps_col_real(stmt, 6),
                                    .cumulative_s = ps_col_real(stmt, 7),
                                    .primitive_calls = ps_col_int(stmt, 8)};

        if (id <= 0 || id > UINT32_MAX)
            return ps_fail(err, PS_BAD_INPUT, "function %lld: invalid id", (long long)id);
        function.owner = find_owner(profile, &function, id);
        if (!ps_try_grow_to(&profile->functions, &profile->n_functions, (size_t)id,
                            sizeof *profile->functions))
            return ps_fail_memory(err, "the functions");
        profile->functions[id] = function;
        profile->total_s += function.self_s;
        if (function.origin < PS_N_ORIGINS)
            profile->origins_s[function.origin] += function.self_s;
    }
    return err->code;
}

static void add_part(struct profile *profile, struct part part)
{
    if (!(part.seconds > 0))
        return;
    PS_RESERVE_ONE(profile->parts, profile->n_parts, profile->cap_parts);
    profile->parts[profile->n_parts++] = part;
    profile->owners[part.owner].seconds += part.seconds;
}

static void count_entry(struct owner *owner, struct entry entry)
{
    owner->ncalls = ps_add_saturated(owner->ncalls, entry.ncalls);
    if (!owner->largest.caller || entry.cumulative_s > owner->largest.cumulative_s)
        owner->largest = entry;
}

/*
 * Whether a function is the first of a thread, which nothing calls. cProfile of CPython 3.12 and
 * later keeps one stack for all threads: there, whatever another thread ran last "calls" it, and
 * from then on each return ends the call of whichever thread was entered last.
 */
static bool starts_thread(const struct function *function)
{
    return function->origin == PS_ORIGIN_STDLIB && ps_str_eq_c(function->name, "_bootstrap") &&
           ps_str_eq_c(ps_path_file_name(function->path), "threading.py");
}

/* Counts the calls between owners, and charges built-in functions to their callers. */
static enum ps_status read_calls(struct ps_db *db, struct profile *profile, bool charge,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_calls"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t callee_id = ps_col_int(stmt, 0), caller_id = ps_col_int(stmt, 1);
        struct entry entry = {caller_id, ps_col_int(stmt, 2), ps_col_real(stmt, 4)};
        double self_s = ps_col_real(stmt, 3);
        struct function *callee, *caller;

        if (callee_id <= 0 || (size_t)callee_id >= profile->n_functions || caller_id <= 0 ||
            (size_t)caller_id >= profile->n_functions)
            return ps_fail(err, PS_BAD_INPUT, "function %lld: unknown caller %lld",
                           (long long)callee_id, (long long)caller_id);
        callee = &profile->functions[callee_id];
        caller = &profile->functions[caller_id];
        profile->has_caller_times |= !ps_col_is_null(stmt, 3);
        profile->mixes_threads |= !profile->is_sampled && starts_thread(callee) &&
                                  callee->cumulative_s >= MIXED_SHARE * profile->total_s;
        if (callee->owner != caller->owner)
            count_entry(&profile->owners[callee->owner], entry);
        if (!charge || callee->origin != PS_ORIGIN_BUILTIN || caller->origin == PS_ORIGIN_BUILTIN)
            continue;
        self_s = self_s < callee->self_s ? self_s : callee->self_s;
        callee->self_s -= self_s;
        add_part(profile, (struct part){caller->owner, callee_id, entry.ncalls, self_s});
    }
    return err->code;
}

/* Whether a package is the program itself (`python -m test.pystone`): nothing calls it but the
 * interpreter, once. */
static bool is_program(const struct profile *profile, const struct owner *owner)
{
    return !owner->function && owner->ncalls <= 1 &&
           (!owner->largest.caller || !is_library(&profile->functions[owner->largest.caller]));
}

/* Makes each function of packages that are the program an owner. */
static void split_programs(struct profile *profile)
{
    for (size_t id = 1; id < profile->n_functions; id++) {
        struct function *function = &profile->functions[id];

        if (function->name.ptr && is_program(profile, &profile->owners[function->owner]))
            function->owner = add_owner(profile, (int64_t)id, (struct ps_str){NULL, 0});
    }
}

static void forget_entries(struct profile *profile)
{
    for (size_t i = 0; i < profile->n_owners; i++) {
        profile->owners[i].ncalls = 0;
        profile->owners[i].largest = (struct entry){0, 0, 0};
    }
}

static void add_self_times(struct profile *profile)
{
    for (size_t id = 1; id < profile->n_functions; id++) {
        const struct function *function = &profile->functions[id];

        if (function->name.ptr)
            add_part(profile, (struct part){function->owner, (int64_t)id, function->ncalls,
                                            function->self_s});
    }
}

/* Sorts by owner, then by function; joins the parts of a function. */
static int by_owner_and_function(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

static int by_owner_and_time(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

static void join_parts(struct profile *profile)
{
    size_t n = 0;

    if (!profile->n_parts)
        return;
    qsort(profile->parts, profile->n_parts, sizeof *profile->parts, by_owner_and_function);
    for (size_t i = 0; i < profile->n_parts; i++) {
        struct part part = profile->parts[i];

        if (n && profile->parts[n - 1].owner == part.owner &&
            profile->parts[n - 1].function == part.function) {
            profile->parts[n - 1].seconds += part.seconds;
            profile->parts[n - 1].ncalls =
                ps_add_saturated(profile->parts[n - 1].ncalls, part.ncalls);
        } else {
            profile->parts[n++] = part;
        }
    }
    profile->n_parts = n;
    qsort(profile->parts, n, sizeof *profile->parts, by_owner_and_time);
}

static const struct ps_report_link all_functions = {"functions",
                                                    {{"sort", "tottime_s"}, {"desc", "1"}}};

static struct ps_report_link link_function(struct ps_conclusion *c, int64_t function)
{
    return (struct ps_report_link){"functions", {{"fn", ps_conclusion_id(c, function)}}};
}

static struct ps_report_link link_package(struct ps_conclusion *c, struct ps_str package)
{
    return (struct ps_report_link){
        "functions",
        {{"q", ps_arena_copy(&c->arena, package).ptr}, {"sort", "tottime_s"}, {"desc", "1"}}};
}

/* Returns the seconds that are saved if each call of the caller calls the owner only once; NaN if
 * it calls it less than four times, so that nothing is known to be repeated. */
static double joined_saving(const struct profile *profile, const struct owner *owner)
{
    const struct function *caller = &profile->functions[owner->largest.caller];
    double calls = (double)owner->largest.ncalls;

    if (profile->is_sampled || profile->mixes_threads || !owner->function ||
        !owner->largest.caller || caller->ncalls <= 0 || owner->largest.ncalls < 4 * caller->ncalls)
        return NAN;
    return owner->seconds * (1 - (double)caller->ncalls / calls);
}

static struct ps_subject function_subject(struct ps_conclusion *c, const struct profile *profile,
                                          int64_t function)
{
    return ps_subject_of(c, PS_SUBJECT_FUNCTION, link_function(c, function),
                         profile->functions[function].name);
}

static struct ps_subject owner_subject(struct ps_conclusion *c, const struct profile *profile,
                                       const struct owner *owner)
{
    return owner->function ? function_subject(c, profile, owner->function)
                           : ps_subject_of(c, PS_SUBJECT_PACKAGE, link_package(c, owner->package),
                                           owner->package);
}

/* The calls of an owner, of which those of its entries are a part; recursive ones do not count. */
static int64_t calls_of(const struct profile *profile, const struct owner *owner)
{
    const struct function *function = &profile->functions[owner->function];

    if (!owner->function)
        return owner->ncalls;
    return profile->is_sampled ? function->ncalls : function->primitive_calls;
}

/* What is counted; calls, if it is empty. */
static struct ps_str counted(const struct profile *profile)
{
    return profile->is_sampled ? PS_STR("sample") : PS_STR("");
}

/* The calls of the caller with the longest calls. A built-in function has no file: cProfile writes
 * ~. */
static struct ps_fact entry_fact(struct ps_conclusion *c, const struct profile *profile,
                                 const struct owner *owner)
{
    const struct entry *entry = &owner->largest;
    const struct function *caller = &profile->functions[entry->caller];
    const int64_t calls = calls_of(profile, owner);
    struct ps_fact fact = {.values = {(double)entry->ncalls, (double)calls},
                           .word = counted(profile),
                           .link =
                               link_function(c, owner->function ? owner->function : entry->caller)};

    if (!entry->caller)
        return fact;
    fact.code = entry->ncalls <= 0      ? PS_FACT_CALLER
                : entry->ncalls < calls ? PS_FACT_SOME_CALLS_FROM
                                        : PS_FACT_CALLS_FROM;
    if (caller->line > 0)
        fact.subject = (struct ps_subject){.kind = PS_SUBJECT_LINE,
                                           .path = ps_arena_copy(&c->arena, caller->path),
                                           .line = caller->line,
                                           .link = link_function(c, entry->caller)};
    else
        fact.subject = function_subject(c, profile, entry->caller);
    return fact;
}

static void add_parts(struct ps_conclusion *c, const struct profile *profile, uint32_t id,
                      size_t first_part)
{
    const struct owner *owner = &profile->owners[id];
    const struct part *parts = &profile->parts[first_part];

    if (parts[0].seconds >= owner->seconds) /* the owner has one part only */
        return;
    for (size_t i = 0; first_part + i < profile->n_parts && i < PARTS_MAX; i++) {
        const struct part *part = &parts[i];
        const bool is_self = part->function == owner->function;
        struct ps_claim claim;

        if (part->owner != id || part->seconds < PART_SHARE * owner->seconds)
            return;
        claim = ps_claim_of(
            is_self ? "self" : "callee", PS_TAKES,
            is_self ? ps_subject_of(c, PS_SUBJECT_PART, ps_link_none, PS_STR("own code"))
                    : function_subject(c, profile, part->function),
            part->seconds / profile->total_s);
        if (part->ncalls > 0)
            claim.evidence = (struct ps_fact){PS_FACT_CALLS, .values = {(double)part->ncalls},
                                              .word = counted(profile),
                                              .link = link_function(c, part->function)};
        ps_conclusion_claim_part(c, &claim, part->seconds);
    }
}

static void add_cause(struct ps_conclusion *c, const struct profile *profile, uint32_t id,
                      size_t first_part)
{
    const struct owner *owner = &profile->owners[id];
    const double saving = joined_saving(profile, owner);
    struct ps_claim claim =
        ps_claim_of(owner->function ? "function" : "package", PS_TAKES,
                    owner_subject(c, profile, owner), owner->seconds / profile->total_s);
    struct ps_cause *cause;

    claim.evidence = entry_fact(c, profile, owner);
    cause = ps_conclusion_claim(c, &claim, owner->seconds);
    if (!profile->overlaps && !isnan(saving)) {
        ps_cause_save(cause, 0, saving);
        cause->advice = ps_advice_words[PS_ADVICE_JOIN_CALLS];
    }
    add_parts(c, profile, id, first_part);
}

/* An owner's id, the index of its first part, and its time. */
struct rank {
    uint32_t owner;
    size_t first_part;
    double seconds;
};

static int by_seconds(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return (x->owner > y->owner) - (x->owner < y->owner);
}

static size_t rank_owners(const struct profile *profile, struct rank **out)
{
    struct rank *ranks = ps_alloc_array(profile->n_owners + 1, sizeof *ranks);
    size_t n = 0;

    for (size_t i = 0; i < profile->n_parts; i++) {
        uint32_t owner = profile->parts[i].owner;

        if (!i || profile->parts[i - 1].owner != owner)
            ranks[n++] = (struct rank){owner, i, profile->owners[owner].seconds};
    }
    qsort(ranks, n, sizeof *ranks, by_seconds);
    *out = ranks;
    return n;
}

/* Adds to the claim of the largest owner its time, and the function with most of that time, unless
 * the owner is this function. */
static void add_first_facts(struct ps_conclusion *c, const struct profile *profile,
                            const struct rank *first)
{
    const struct owner *owner = &profile->owners[first->owner];
    const struct part *part = &profile->parts[first->first_part];

    ps_first_fact(
        c, (struct ps_fact){owner->largest.ncalls > 1 ? PS_FACT_AMOUNT_AT : PS_FACT_AMOUNT_OF,
                            .values = {owner->seconds, profile->total_s, NAN}, .unit = "s",
                            .link = all_functions});
    if (part->function != owner->function && part->seconds >= owner->seconds / 2)
        ps_first_fact(c,
                      (struct ps_fact){PS_FACT_OF_IT, function_subject(c, profile, part->function),
                                       .values = {part->seconds / profile->total_s},
                                       .link = link_function(c, part->function)});
}

static void conclude_mixed(struct ps_conclusion *c)
{
    ps_conclude_first(c, ps_claim_of(NULL, PS_CANNOT_SEE, ps_no_subject, NAN));
    c->first.blind = PS_BLIND_MIXED;
}

static void compose(struct ps_conclusion *c, const struct profile *profile)
{
    c->composition =
        (struct ps_composition){.title = "Self time by origin", .unit = c->unit, .base = c->base};
    ps_compose_origins(c, profile->origins_s, "built-in", all_functions, true);
}

static void note_samples(struct ps_conclusion *c, const struct profile *profile)
{
    if (profile->is_sampled)
        ps_conclusion_note(c, "A sampling profiler wrote the dump: its counts are samples, and the "
                              "times of all threads are added. Waiting counts as work.");
}

static void conclude(struct ps_conclusion *c, const struct profile *profile)
{
    PS_AUTO(ps_free_ptr) struct rank *ranks = NULL;
    size_t n = rank_owners(profile, &ranks);

    if (!n || !(profile->total_s > 0)) {
        ps_conclude_none(c, "time");
        return;
    }
    if (profile->overlaps)
        c->whole = "own times, which include waits";
    for (size_t i = 0; i < n && i < CAUSES_MAX; i++)
        if (ranks[i].seconds >= CAUSE_SHARE * profile->total_s)
            add_cause(c, profile, ranks[i].owner, ranks[i].first_part);
    if (profile->mixes_threads) {
        conclude_mixed(c);
    } else if (ranks[0].seconds < NOTHING * profile->total_s) {
        ps_conclude_flat(c, "function");
        ps_first_largest(c, owner_subject(c, profile, &profile->owners[ranks[0].owner]),
                         ranks[0].seconds / profile->total_s);
    } else {
        add_first_facts(c, profile, &ranks[0]);
    }
    ps_conclusion_note(c,
                       "Built-in functions count for their callers, installed packages as a "
                       "whole.%s",
                       profile->is_sampled || profile->mixes_threads
                           ? ""
                           : " A saving is what joined calls would save.");
    note_samples(c, profile);
    if (!profile->has_caller_times)
        ps_conclusion_note(c, "The dump has no times by caller, so built-in functions count for "
                              "themselves.");
}

/* Whether the dump has what charging time to own code needs: counts of calls, times of callers, and
 * folders, by which installed code is recognised. pstats.Stats.strip_dirs() removes them. */
static bool can_charge(const struct profile *profile)
{
    struct ps_str file = {NULL, 0};
    bool has_folders = false, has_files = false, has_counts = false;

    for (size_t id = 1; id < profile->n_functions && !(has_folders && has_counts); id++) {
        struct ps_str path = profile->functions[id].path;

        has_counts |= profile->functions[id].ncalls > 0;
        if (!path.len || path.ptr[0] == '<' || path.ptr[0] == '~')
            continue;
        has_folders |= ps_path_file_name(path).len < path.len;
        has_files |= file.ptr && !ps_str_eq(file, path);
        file = path;
    }
    return has_counts && (profile->has_caller_times || profile->is_sampled) && !profile->overlaps &&
           profile->total_s > 0 && (has_folders || !has_files);
}

/* "f.<locals>.<genexpr>" is a part of "f". */
static struct ps_str without_part(struct ps_str name)
{
    const char *part =
        ps_timed_name_is_part(name) ? ps_str_find(name, PS_STR(".<locals>.<")) : NULL;

    return part ? (struct ps_str){name.ptr, (size_t)(part - name.ptr)} : name;
}

/* Adds the row of each part to that of its function, and returns the function of each row. The
 * lines of the rows are the first that were seen, so they do not tell what is part of what. */
static uint32_t *join_parts_by_name(const struct profile *profile, struct ps_own_time *times)
{
    PS_AUTO(ps_intern_free) struct ps_intern keys = {.count = 0};
    PS_AUTO(ps_arena_free) struct ps_arena text = {.block = NULL};
    PS_AUTO(ps_free_ptr) uint32_t *first = ps_alloc_array(profile->n_functions + 1, sizeof *first);
    uint32_t *functions = ps_alloc_array(profile->n_functions + 1, sizeof *functions);

    for (uint32_t id = 1; id < profile->n_functions; id++) {
        const struct function *row = &profile->functions[id];
        const struct ps_str name = without_part(row->name);
        struct ps_timed_function *function;
        uint32_t key;

        if (!row->name.ptr)
            continue;
        key = ps_intern_add(&keys,
                            ps_str_from_c(ps_arena_printf(&text, "%.*s\n%.*s", (int)row->path.len,
                                                          row->path.ptr, (int)name.len, name.ptr)));
        first[key] = first[key] ? first[key] : id;
        functions[id] = first[key];
        function = &times->functions[first[key]];
        function->name = name;
        function->path = row->path;
        function->origin = row->origin;
        function->is_present = true;
        function->self_s += row->self_s;
        if (name.len < row->name.len && function->line) /* its time is in that of the function */
            continue;
        function->line = row->line;
        function->cumulative_s = row->cumulative_s;
    }
    return functions;
}

/* The rows of a sampling profiler have samples and no times by caller. */
static enum ps_status read_samples(struct ps_db *db, const struct profile *profile,
                                   struct ps_own_time *times, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) uint32_t *functions = NULL;
    int64_t samples = 0;

    times->functions = ps_alloc_array(profile->n_functions + 1, sizeof *times->functions);
    times->n_functions = profile->n_functions;
    functions = join_parts_by_name(profile, times);
    ps_db_prepare(db, ps_query_sql("conclude_calls"), &stmt, err);
    while (ps_stmt_step(stmt, err)) { /* read_calls() has checked the ids */
        const uint32_t callee_id = (uint32_t)ps_col_int(stmt, 0);
        const uint32_t caller_id = (uint32_t)ps_col_int(stmt, 1);
        const struct function *callee = &profile->functions[callee_id];
        const double part =
            callee->ncalls > 0 ? (double)ps_col_int(stmt, 2) / (double)callee->ncalls : 0;

        if (functions[callee_id] == functions[caller_id])
            continue;
        PS_RESERVE_ONE(times->calls, times->n_calls, times->cap_calls);
        times->calls[times->n_calls++] =
            (struct ps_timed_call){.callee = functions[callee_id],
                                   .caller = functions[caller_id],
                                   .self_s = part * callee->self_s,
                                   .cumulative_s = part * callee->cumulative_s};
    }
    for (size_t id = 1; id < profile->n_functions; id++)
        samples = samples > profile->functions[id].ncalls ? samples : profile->functions[id].ncalls;
    times->is_sampled = times->has_first_lines = times->has_all_threads = true;
    times->is_too_short = samples < PS_SAMPLES_MIN || profile->total_s < PS_SECONDS_MIN;
    return err->code;
}

static enum ps_status read_own_time(struct ps_db *db, const struct profile *profile,
                                    struct ps_own_time *times, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    times->functions = ps_alloc_array(profile->n_functions + 1, sizeof *times->functions);
    times->n_functions = profile->n_functions;
    for (size_t id = 1; id < profile->n_functions; id++) {
        const struct function *function = &profile->functions[id];

        times->functions[id] =
            (struct ps_timed_function){.name = function->name,
                                       .path = function->path,
                                       .line = function->line,
                                       .ncalls = function->ncalls,
                                       .primitive_calls = function->primitive_calls,
                                       .self_s = function->self_s,
                                       .cumulative_s = function->cumulative_s,
                                       .origin = function->origin,
                                       .is_present = function->name.ptr != NULL};
    }
    ps_db_prepare(db, ps_query_sql("conclude_calls"), &stmt, err);
    while (ps_stmt_step(stmt, err)) { /* read_calls() has checked the ids */
        PS_RESERVE_ONE(times->calls, times->n_calls, times->cap_calls);
        times->calls[times->n_calls++] =
            (struct ps_timed_call){.callee = (uint32_t)ps_col_int(stmt, 0),
                                   .caller = (uint32_t)ps_col_int(stmt, 1),
                                   .ncalls = ps_col_int(stmt, 2),
                                   .self_s = ps_col_real(stmt, 3),
                                   .cumulative_s = ps_col_real(stmt, 4)};
    }
    return err->code;
}

enum ps_status ps_own_time_read(struct ps_db *db, struct ps_own_time *out, bool *is_charged,
                                struct ps_err *err)
{
    PS_AUTO(profile_free) struct profile profile = {.functions = NULL};

    *is_charged = false;
    read_summary(db, &profile, err);
    read_functions(db, &profile, err);
    read_calls(db, &profile, false, err);
    if (err->code != PS_OK || profile.is_sampled || !can_charge(&profile) ||
        read_own_time(db, &profile, out, err) != PS_OK)
        return err->code;
    out->text = profile.text;
    profile.text = (struct ps_arena){.block = NULL};
    *is_charged = ps_own_time_charge_program(out);
    return err->code;
}

enum ps_status ps_conclude_functions(struct ps_db *db, struct ps_conclusion *out,
                                     struct ps_err *err)
{
    PS_AUTO(profile_free) struct profile profile = {.functions = NULL};
    PS_AUTO(ps_own_time_free) struct ps_own_time times = {.functions = NULL};

    out->unit = "s";
    out->base = "of total";
    read_summary(db, &profile, err);
    read_functions(db, &profile, err);
    read_calls(db, &profile, false, err);
    if (err->code != PS_OK)
        return err->code;
    compose(out, &profile);
    if (!profile.mixes_threads && can_charge(&profile)) {
        if ((profile.is_sampled ? read_samples : read_own_time)(db, &profile, &times, err) != PS_OK)
            return err->code;
        if (ps_conclude_own_time(out, &times)) {
            note_samples(out, &profile);
            return PS_OK;
        }
    }
    split_programs(&profile);
    forget_entries(&profile);
    read_calls(db, &profile, true, err);
    if (err->code != PS_OK)
        return err->code;
    add_self_times(&profile);
    join_parts(&profile);
    conclude(out, &profile);
    return PS_OK;
}
