/* SPDX-License-Identifier: MIT */
/* own_time.c: self times charged to own functions. */
#include "server/query/conclusion/own_time.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/python_path.h"

#define PASS_CALLERS 16  /* callers of a unit in one pass of a loop, and calls of it */
#define LOOP_RATIO   4.0 /* calls for each call of the caller that make the caller a loop */
#define MAIN_CALLER  0.6 /* share of a unit's time that its main caller has */

void ps_own_time_free(struct ps_own_time *times)
{
    free(times->functions);
    free(times->calls);
    free(times->by_callee);
    ps_arena_free(&times->text);
}

/* --- Units --- */

bool ps_timed_name_is_part(struct ps_str name)
{
    static const char *const parts[] = {"<listcomp>", "<genexpr>", "<lambda>", "<dictcomp>",
                                        "<setcomp>"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (ps_str_ends_with(name, ps_str_from_c(parts[i])))
            return true;
    return false;
}

/* Whether code without a file is typed by the user, as in a notebook, and not generated. */
static bool is_typed(const struct ps_timed_function *function)
{
    /* <script>: the code that Interpreter.exec runs in a sub-interpreter */
    static const char *const shells[] = {"<stdin>", "<console>", "<ipython-input-",
                                         "<python-input-", "<script>"};

    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (ps_str_starts_with(function->path, ps_str_from_c(shells[i])))
            return true;
    /* python -c; the methods that the standard library generates have names with __ */
    return ps_str_eq_c(function->path, "<string>") &&
           !ps_str_starts_with(function->name, PS_STR("__")) &&
           !ps_timed_name_is_part(function->name);
}

struct ps_str ps_timed_function_package(const struct ps_timed_function *function)
{
    return function->package.ptr ? function->package : ps_python_package_of(function->path);
}

bool ps_timed_function_is_own(const struct ps_timed_function *function, struct ps_str program)
{
    if (function->path.len && function->path.ptr[0] == '<')
        return is_typed(function);
    if (function->origin == PS_ORIGIN_OWN || function->origin == PS_ORIGIN_UNKNOWN)
        return true;
    return program.ptr && function->origin != PS_ORIGIN_BUILTIN &&
           ps_str_eq(ps_timed_function_package(function), program);
}

/* In which order functions of one line begin: a module before what it defines, and comprehensions
 * inside of what is around them. */
static int depth_on_line(const struct ps_timed_function *function)
{
    return ps_timed_name_is_part(function->name) ? 2 : !ps_str_eq_c(function->name, "<module>");
}

static int by_file_and_line(const void *a, const void *b)
{
    const struct ps_timed_function *x = *(const struct ps_timed_function *const *)a;
    const struct ps_timed_function *y = *(const struct ps_timed_function *const *)b;
    size_t n = x->path.len < y->path.len ? x->path.len : y->path.len;
    int order = n ? memcmp(x->path.ptr, y->path.ptr, n) : 0;

    if (!order)
        order = (x->path.len > y->path.len) - (x->path.len < y->path.len);
    if (!order)
        order = (x->line > y->line) - (x->line < y->line);
    return order ? order : depth_on_line(x) - depth_on_line(y);
}

/* Makes each comprehension a part of the function above it in its file. */
static void fold_parts(struct ps_own_time *times)
{
    struct ps_timed_function **own = ps_alloc_array(times->n_functions + 1, sizeof(void *));
    const struct ps_timed_function *around = NULL;
    size_t n = 0;

    for (size_t i = 0; i < times->n_functions; i++)
        if (times->functions[i].is_own)
            own[n++] = &times->functions[i];
    qsort(own, n, sizeof *own, by_file_and_line);
    for (size_t i = 0; i < n; i++) {
        if (!ps_timed_name_is_part(own[i]->name))
            around = own[i];
        else if (around && ps_str_eq(around->path, own[i]->path))
            own[i]->unit = (uint32_t)(around - times->functions);
    }
    free(own);
}

/* --- Calls --- */

static int by_caller(const void *a, const void *b)
{
    const struct ps_timed_call *x = a, *y = b;

    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Replaces functions by their units, and joins the calls of each pair. Calls of a comprehension
 * count for nothing. */
static void join_calls(struct ps_own_time *times)
{
    size_t n = 0;

    for (size_t i = 0; i < times->n_calls; i++) {
        struct ps_timed_call call = times->calls[i];

        call.caller = times->functions[call.caller].unit;
        if (times->functions[call.callee].unit != call.callee)
            call.ncalls = 0;
        call.callee = times->functions[call.callee].unit;
        if (call.caller != call.callee)
            times->calls[n++] = call;
    }
    times->n_calls = n;
    n = 0;
    if (times->n_calls)
        qsort(times->calls, times->n_calls, sizeof *times->calls, by_caller);
    for (size_t i = 0; i < times->n_calls; i++) {
        struct ps_timed_call *last = n ? &times->calls[n - 1] : NULL, *call = &times->calls[i];

        if (last && last->caller == call->caller && last->callee == call->callee) {
            last->ncalls += call->ncalls;
            last->self_s += call->self_s;
            if (call->cumulative_s > last->cumulative_s)
                last->line = call->line;
            last->cumulative_s += call->cumulative_s;
            last->charged_s += call->charged_s;
        } else {
            times->calls[n++] = *call;
        }
    }
    times->n_calls = n;
}

static void index_calls(struct ps_own_time *times)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < times->n_calls; i++) {
        struct ps_timed_function *caller = &times->functions[times->calls[i].caller];

        if (!caller->n_callees++)
            caller->first_callee = (uint32_t)i;
        times->functions[times->calls[i].callee].n_callers++;
    }
    for (size_t i = 0; i < times->n_functions; i++) {
        times->functions[i].first_caller = sum;
        sum += times->functions[i].n_callers;
        times->functions[i].n_callers = 0;
    }
    times->by_callee = ps_alloc_array(times->n_calls + 1, sizeof *times->by_callee);
    for (size_t i = 0; i < times->n_calls; i++) {
        struct ps_timed_function *callee = &times->functions[times->calls[i].callee];

        times->by_callee[callee->first_caller + callee->n_callers++] = (uint32_t)i;
    }
}

static const struct ps_timed_call *caller_at(const struct ps_own_time *times, uint32_t function,
                                             uint32_t i)
{
    return &times->calls[times->by_callee[times->functions[function].first_caller + i]];
}

/* Finds the caller with the longest calls of each function. Units come before library functions,
 * which may be of a recursion. */
static void find_main_callers(struct ps_own_time *times)
{
    for (uint32_t i = 0; i < times->n_functions; i++) {
        const struct ps_timed_call *longest = NULL;

        for (uint32_t c = 0; c < times->functions[i].n_callers; c++) {
            const struct ps_timed_call *call = caller_at(times, i, c);
            bool own = times->functions[call->caller].is_own;
            bool longest_own = longest && times->functions[longest->caller].is_own;

            if (!longest || own > longest_own ||
                (own == longest_own && call->cumulative_s > longest->cumulative_s))
                longest = call;
        }
        times->functions[i].main_caller = longest ? longest->caller : PS_NO_FUNCTION;
    }
}

/* --- Nodes: library functions, and those that call each other --- */

/* Whether all imports below are in the time of this function. */
static bool is_importer(const struct ps_timed_function *function)
{
    return ps_str_eq_c(function->name, "_find_and_load") && ps_path_is_importer(function->path);
}

struct nodes {
    uint32_t *node_of; /* by function; PS_NO_FUNCTION: a unit, or the importer */
    uint32_t *members; /* functions by node: callees before their callers */
    uint32_t *first;   /* by node: in `members`, with an end */
    size_t n_members, n;
};

static void nodes_free(struct nodes *nodes)
{
    free(nodes->node_of);
    free(nodes->members);
    free(nodes->first);
}

/* The state of Tarjan's algorithm, with a stack of its own: chains of calls can be long. */
struct walk {
    uint32_t *order, *low, *stack, *path, *next;
    size_t n_stack, n_path;
    uint32_t count;
};

static void enter(struct walk *walk, uint32_t function)
{
    walk->order[function] = walk->low[function] = ++walk->count;
    walk->next[function] = 0;
    walk->stack[walk->n_stack++] = function;
    walk->path[walk->n_path++] = function;
}

static void leave(struct walk *walk, struct nodes *nodes, uint32_t function)
{
    uint32_t member;

    walk->n_path--;
    if (walk->n_path) {
        uint32_t above = walk->path[walk->n_path - 1];

        if (walk->low[function] < walk->low[above])
            walk->low[above] = walk->low[function];
    }
    if (walk->low[function] != walk->order[function])
        return;
    nodes->first[nodes->n] = (uint32_t)nodes->n_members;
    do {
        member = walk->stack[--walk->n_stack];
        nodes->node_of[member] = (uint32_t)nodes->n;
        nodes->members[nodes->n_members++] = member;
    } while (member != function);
    nodes->n++;
}

static bool is_library(const struct ps_timed_function *function)
{
    return function->is_present && !function->is_own && !is_importer(function);
}

static void walk_from(const struct ps_own_time *times, struct walk *walk, struct nodes *nodes,
                      uint32_t root)
{
    enter(walk, root);
    while (walk->n_path) {
        uint32_t at = walk->path[walk->n_path - 1];
        const struct ps_timed_function *function = &times->functions[at];
        uint32_t callee;

        if (walk->next[at] == function->n_callees) {
            leave(walk, nodes, at);
            continue;
        }
        callee = times->calls[function->first_callee + walk->next[at]++].callee;
        if (!is_library(&times->functions[callee]))
            continue;
        if (!walk->order[callee])
            enter(walk, callee);
        else if (nodes->node_of[callee] == PS_NO_FUNCTION && walk->order[callee] < walk->low[at])
            walk->low[at] = walk->order[callee];
    }
}

/* Finds the strongly connected components of library functions (Tarjan 1972). */
static void find_nodes(const struct ps_own_time *times, struct nodes *nodes)
{
    size_t n = times->n_functions + 1;
    struct walk walk = {.order = ps_alloc_array(n, sizeof(uint32_t)),
                        .low = ps_alloc_array(n, sizeof(uint32_t)),
                        .stack = ps_alloc_array(n, sizeof(uint32_t)),
                        .path = ps_alloc_array(n, sizeof(uint32_t)),
                        .next = ps_alloc_array(n, sizeof(uint32_t))};

    nodes->node_of = ps_alloc_array(n, sizeof *nodes->node_of);
    nodes->members = ps_alloc_array(n, sizeof *nodes->members);
    nodes->first = ps_alloc_array(n, sizeof *nodes->first);
    memset(nodes->node_of, 0xff, n * sizeof *nodes->node_of);
    for (uint32_t i = 0; i < times->n_functions; i++)
        if (is_library(&times->functions[i]) && !walk.order[i])
            walk_from(times, &walk, nodes, i);
    nodes->first[nodes->n] = (uint32_t)nodes->n_members;
    free(walk.order);
    free(walk.low);
    free(walk.stack);
    free(walk.path);
    free(walk.next);
}

/* --- Charging --- */

static double sum_of(const struct ps_time_vector *vector)
{
    double sum = 0;

    for (size_t i = 0; i < PS_N_TIME_CLASSES; i++)
        sum += vector->s[i];
    return sum;
}

static void add_scaled(struct ps_time_vector *to, const struct ps_time_vector *from, double factor)
{
    for (size_t i = 0; i < PS_N_TIME_CLASSES; i++)
        to->s[i] += from->s[i] * factor;
}

enum ps_time_class ps_time_class_above(enum ps_time_class class,
                                       const struct ps_timed_function *function)
{
    enum ps_time_class to = function->known ? function->known->class : PS_TIME_WORK;
    struct ps_str package;

    if (!ps_time_waits(class))
        return to == PS_TIME_WORK || ps_time_waits(to) ||
                       (class != PS_TIME_WORK && to == PS_TIME_NEEDED)
                   ? class
                   : to;
    if (class != PS_TIME_EVENTS || function->origin != PS_ORIGIN_STDLIB)
        return class;
    package = ps_python_package_of(function->path);
    if (ps_str_eq_c(package, "subprocess") || ps_str_eq_c(package, "multiprocessing"))
        return PS_TIME_PROCESS;
    if (ps_str_eq_c(package, "socket") || ps_str_eq_c(package, "http"))
        return PS_TIME_NETWORK;
    return class;
}

static void pass_through(struct ps_time_vector *time, const struct ps_timed_function *function)
{
    const struct ps_time_vector below = *time;

    *time = (struct ps_time_vector){{0}};
    for (unsigned i = 0; i < PS_N_TIME_CLASSES; i++)
        time->s[ps_time_class_above((enum ps_time_class)i, function)] += below.s[i];
}

static enum ps_time_class class_of(const struct ps_timed_function *function)
{
    return function->known ? function->known->class : PS_TIME_WORK;
}

/* What a node hands to its callers. */
struct pool {
    struct ps_time_vector inherited; /* of what it calls, and of calls within the node */
    double entries_s;                /* cumulative time of the calls from outside of it */
    double entries_below_s; /* of it: of what the node calls, and of calls within the node */
    double entries_calls;
    uint32_t exec;    /* that runs modules for importlib and a launcher, or PS_NO_FUNCTION */
    double modules_s; /* of own modules that it runs */
};

static bool is_of_importlib(const struct ps_timed_function *function)
{
    return ps_str_starts_with(function->path, PS_STR("<frozen importlib")) ||
           ps_str_starts_with(function->path, PS_STR("<frozen zipimport"));
}

/* Finds exec among the members of a node. A launcher, such as runpy or kernprof, runs the program
 * by the same exec that importlib runs modules by. */
static void find_exec(const struct ps_own_time *times, const uint32_t *members, size_t n,
                      struct pool *pool)
{
    pool->exec = PS_NO_FUNCTION;
    for (size_t m = 0; m < n; m++) {
        const struct ps_timed_function *function = &times->functions[members[m]];

        if (!ps_str_eq_c(function->name, "<built-in method builtins.exec>"))
            continue;
        for (uint32_t i = 0; i < function->n_callers; i++)
            if (is_of_importlib(&times->functions[caller_at(times, members[m], i)->caller]))
                pool->exec = members[m];
        for (uint32_t i = 0; i < function->n_callees; i++) {
            const struct ps_timed_call *call = &times->calls[function->first_callee + i];

            if (times->functions[call->callee].is_own)
                pool->modules_s += call->cumulative_s;
        }
        return;
    }
}

/* The time of an entry by which the node's time is divided. The modules of the program, which keep
 * their time, are what a launcher runs: the library modules are those of imports. */
static double entry_time(const struct ps_own_time *times, const struct pool *pool,
                         const struct ps_timed_call *call)
{
    if (call->callee != pool->exec || is_of_importlib(&times->functions[call->caller]))
        return call->cumulative_s;
    return fmax(call->self_s, call->cumulative_s - pool->modules_s);
}

/* Charges the caller of an entry into a node with its share. */
static void charge_entry(struct ps_own_time *times, struct ps_time_vector *inherited,
                         const struct pool *pool, struct ps_timed_call *call, double self_s)
{
    const struct ps_timed_function *callee = &times->functions[call->callee];
    struct ps_timed_function *caller = &times->functions[call->caller];
    double entry_s = entry_time(times, pool, call);
    double factor = pool->entries_s > 0       ? entry_s / pool->entries_s
                    : pool->entries_calls > 0 ? (double)call->ncalls / pool->entries_calls
                                              : 0;
    double all = sum_of(&pool->inherited), share = all * factor;
    double high = entry_s - self_s; /* what is below this entry; others have the rest */
    double low = all - (pool->entries_below_s - high);
    struct ps_time_vector time = {{0}};

    time.s[class_of(callee)] = self_s;
    add_scaled(&time, &pool->inherited, factor);
    pass_through(&time, callee);
    call->charged_s = self_s + share;
    if (!caller->is_own) {
        if (is_importer(caller))
            times->imports_s += call->charged_s;
        else
            add_scaled(&inherited[call->caller], &time, 1);
        return;
    }
    add_scaled(&caller->time, &time, 1);
    caller->low_s += self_s + (low < 0 ? 0 : low > share ? share : low);
    caller->high_s += self_s + (high < share ? share : high > all ? all : high);
}

/* The self time of a function for one of its callers. Rounded times can exceed the function's. */
static double entry_self(const struct ps_timed_function *callee, const struct ps_timed_call *call,
                         double all_entries_s)
{
    double self_s = call->self_s < 0 ? 0 : call->self_s;

    return all_entries_s > callee->self_s ? self_s * callee->self_s / all_entries_s : self_s;
}

static void charge_node(struct ps_own_time *times, const struct nodes *nodes,
                        struct ps_time_vector *inherited, uint32_t node)
{
    struct pool pool = {.entries_s = 0};
    double root_s = 0; /* cumulative time of calls without a caller */

    find_exec(times, &nodes->members[nodes->first[node]],
              nodes->first[node + 1] - nodes->first[node], &pool);
    for (uint32_t m = nodes->first[node]; m < nodes->first[node + 1]; m++) {
        uint32_t id = nodes->members[m];
        const struct ps_timed_function *function = &times->functions[id];
        double entries_self = 0, rest_s;
        int64_t calls = 0;

        for (uint32_t i = 0; i < function->n_callers; i++) {
            const struct ps_timed_call *call = caller_at(times, id, i);

            calls += call->ncalls;
            entries_self += call->self_s > 0 ? call->self_s : 0;
            if (nodes->node_of[call->caller] != node) {
                pool.entries_s += entry_time(times, &pool, call);
                pool.entries_below_s += entry_time(times, &pool, call) - call->self_s;
                pool.entries_calls += (double)call->ncalls;
            }
        }
        add_scaled(&pool.inherited, &inherited[id], 1);
        /* what is not of an entry: of calls within the node, or of calls without a caller */
        rest_s = function->self_s > entries_self ? function->self_s - entries_self : 0;
        if (calls < function->primitive_calls && function->n_callers) {
            double all_s = function->cumulative_s;

            for (uint32_t i = 0; i < function->n_callers; i++)
                all_s -= caller_at(times, id, i)->cumulative_s;
            root_s += all_s > 0 ? all_s : 0;
            times->remainder_s += rest_s;
            rest_s = 0;
        } else if (!function->n_callers) {
            root_s += function->cumulative_s;
        }
        for (uint32_t i = 0; i < function->n_callers; i++) {
            const struct ps_timed_call *call = caller_at(times, id, i);

            if (nodes->node_of[call->caller] == node)
                rest_s += entry_self(function, call, entries_self);
        }
        pool.inherited.s[class_of(function)] += rest_s;
    }
    pool.entries_s += root_s;
    pool.entries_below_s += root_s;
    if (!(pool.entries_s > 0) && !(pool.entries_calls > 0))
        times->remainder_s += sum_of(&pool.inherited);
    else if (pool.entries_s > 0)
        times->remainder_s += sum_of(&pool.inherited) * root_s / pool.entries_s;
    for (uint32_t m = nodes->first[node]; m < nodes->first[node + 1]; m++) {
        uint32_t id = nodes->members[m];
        const struct ps_timed_function *function = &times->functions[id];
        double entries_self = 0;

        for (uint32_t i = 0; i < function->n_callers; i++)
            entries_self +=
                caller_at(times, id, i)->self_s > 0 ? caller_at(times, id, i)->self_s : 0;
        for (uint32_t i = 0; i < function->n_callers; i++) {
            struct ps_timed_call *call =
                &times->calls[times->by_callee[function->first_caller + i]];

            if (nodes->node_of[call->caller] != node)
                charge_entry(times, inherited, &pool, call,
                             entry_self(function, call, entries_self));
        }
    }
}

static void clear(struct ps_own_time *times, struct ps_str program)
{
    times->total_s = times->imports_s = times->remainder_s = 0;
    for (size_t i = 0; i < times->n_functions; i++) {
        struct ps_timed_function *function = &times->functions[i];

        function->unit = (uint32_t)i;
        function->is_own = function->is_present && ps_timed_function_is_own(function, program);
        function->time = (struct ps_time_vector){{0}};
        function->own_s = function->charged_s = function->low_s = function->high_s = 0;
        function->n_callees = function->n_callers = 0;
        function->known = function->is_present && !function->is_own
                              ? ps_known_call_of(function->path, function->name)
                              : NULL;
        times->total_s += function->self_s;
    }
    free(times->by_callee);
    times->by_callee = NULL;
}

void ps_own_time_charge(struct ps_own_time *times, struct ps_str program)
{
    PS_AUTO(nodes_free) struct nodes nodes = {.n = 0};
    struct ps_time_vector *inherited = ps_alloc_array(times->n_functions + 1, sizeof *inherited);

    clear(times, program);
    fold_parts(times);
    join_calls(times);
    index_calls(times);
    find_main_callers(times);
    find_nodes(times, &nodes);
    for (uint32_t node = 0; node < nodes.n; node++)
        charge_node(times, &nodes, inherited, node);
    for (size_t i = 0; i < times->n_functions; i++) {
        struct ps_timed_function *function = &times->functions[i];
        struct ps_timed_function *unit = &times->functions[function->unit];

        if (!function->is_present)
            continue;
        if (function->is_own) {
            unit->own_s += function->self_s;
            unit->time.s[PS_TIME_WORK] += function->self_s;
        } else if (is_importer(function)) {
            times->imports_s += function->self_s;
        }
    }
    for (size_t i = 0; i < times->n_functions; i++) {
        struct ps_timed_function *unit = &times->functions[i];

        unit->charged_s = sum_of(&unit->time);
        unit->low_s += unit->own_s;
        unit->high_s += unit->own_s;
    }
    free(inherited);
}

void ps_own_time_finish(struct ps_own_time *times)
{
    join_calls(times);
    index_calls(times);
    find_main_callers(times);
    for (size_t i = 0; i < times->n_functions; i++) {
        struct ps_timed_function *unit = &times->functions[i];

        unit->charged_s = unit->low_s = unit->high_s = sum_of(&unit->time);
    }
}

/* --- Loops --- */

/* Whether a function resumes coroutines or generators. */
static bool is_resumer(const struct ps_timed_function *function)
{
    struct ps_str owner, name;

    if (function->origin != PS_ORIGIN_BUILTIN)
        return false;
    name = ps_builtin_name(function->name, &owner);
    return (ps_str_eq_c(name, "run") && ps_str_ends_with(owner, PS_STR("Context"))) ||
           ps_str_eq_c(name, "send") || ps_str_eq_c(name, "throw");
}

/* Climbs through library functions along the longest calls. Returns the first unit, or
 * PS_NO_FUNCTION. */
static uint32_t unit_above(const struct ps_own_time *times, uint32_t function)
{
    for (unsigned steps = 0; steps < 32 && function != PS_NO_FUNCTION; steps++) {
        if (times->functions[function].is_own)
            return function;
        function = times->functions[function].main_caller;
    }
    return PS_NO_FUNCTION;
}

/* Whether asyncio's event loop is in the profile. Threads also run what they are for by
 * Context.run(). */
static bool has_event_loop(const struct ps_own_time *times)
{
    for (size_t i = 0; i < times->n_functions; i++)
        if (times->functions[i].origin == PS_ORIGIN_STDLIB &&
            ps_str_eq_c(times->functions[i].name, "_run_once") &&
            ps_str_eq_c(ps_python_package_of(times->functions[i].path), "asyncio"))
            return true;
    return false;
}

bool ps_own_time_is_resumed(const struct ps_own_time *times, uint32_t unit)
{
    for (uint32_t i = 0; i < times->functions[unit].n_callers; i++)
        if (is_resumer(&times->functions[caller_at(times, unit, i)->caller]))
            return true;
    return false;
}

static bool has_unit(const struct ps_call_chain *chain, uint32_t unit)
{
    for (size_t i = 0; i < chain->n; i++)
        if (chain->units[i] == unit)
            return true;
    return false;
}

/* Equal within a tenth. */
static bool is_near(int64_t a, int64_t b)
{
    return 10 * llabs(a - b) <= llabs(b);
}

struct ps_call_chain ps_call_chain_of(const struct ps_own_time *times, uint32_t unit)
{
    struct ps_call_chain chain = {.units = {unit}, .n = 1, .ratio = 1};

    while (chain.n < sizeof chain.units / sizeof *chain.units) {
        uint32_t at = chain.units[chain.n - 1], main_caller = PS_NO_FUNCTION;
        const struct ps_timed_function *function = &times->functions[at];
        double all_s = 0, main_s = 0;
        int64_t calls = 0, known = 0;

        for (uint32_t i = 0; i < function->n_callers; i++) {
            const struct ps_timed_call *call = caller_at(times, at, i);
            uint32_t above = unit_above(times, call->caller);

            known += call->ncalls;
            if (is_resumer(&times->functions[call->caller])) {
                chain.is_resumed |= chain.n == 1;
                chain.is_in_loop = has_event_loop(times);
                return chain;
            }
            if (above == PS_NO_FUNCTION || has_unit(&chain, above))
                continue;
            all_s += call->cumulative_s;
            if (above == main_caller) {
                main_s += call->cumulative_s;
                calls += call->ncalls;
            } else if (call->cumulative_s > main_s || main_caller == PS_NO_FUNCTION) {
                main_caller = above;
                main_s = call->cumulative_s;
                calls = call->ncalls;
            }
        }
        if (main_caller == PS_NO_FUNCTION || main_s < MAIN_CALLER * all_s)
            return chain;
        chain.units[chain.n++] = main_caller;
        chain.calls = calls;
        chain.is_partial = known < function->ncalls;
        chain.ratio = (double)calls / (double)(times->functions[main_caller].primitive_calls > 0
                                                   ? times->functions[main_caller].primitive_calls
                                                   : 1);
        if (chain.ratio >= LOOP_RATIO)
            return chain;
    }
    return chain;
}

/* The passes of a loop whose body calls `callers` once each, if they are called equally often. */
static struct ps_call_passes common_passes(const struct ps_own_time *times, const uint32_t *callers,
                                           size_t n)
{
    struct ps_call_passes passes = {0, 0, PS_NO_FUNCTION};

    for (size_t i = 0; i < n; i++) {
        struct ps_call_chain chain = ps_call_chain_of(times, callers[i]);
        uint32_t loop = chain.units[chain.n - 1];

        if (chain.n < 2 || chain.ratio < LOOP_RATIO ||
            (i > 0 && (loop != passes.loop || !is_near(chain.calls, passes.n))))
            return (struct ps_call_passes){0, 0, PS_NO_FUNCTION};
        passes.loop = loop;
        passes.n = chain.calls;
    }
    return passes;
}

struct ps_call_passes ps_call_passes_of(const struct ps_own_time *times, uint32_t unit,
                                        const struct ps_call_chain *chain)
{
    const struct ps_timed_function *function = &times->functions[unit];
    struct ps_call_passes passes = {0, 0, PS_NO_FUNCTION};
    uint32_t callers[PASS_CALLERS];
    size_t n = 0;
    double calls;

    for (uint32_t i = 0; i < function->n_callers; i++) {
        uint32_t above = unit_above(times, caller_at(times, unit, i)->caller);
        size_t k = 0;

        while (k < n && callers[k] != above)
            k++;
        if (above == PS_NO_FUNCTION || above == unit || (k == n && n == PASS_CALLERS))
            return passes;
        if (k == n)
            callers[n++] = above;
    }
    if (n == 1 && chain->n > 2 && chain->ratio >= LOOP_RATIO)
        passes = (struct ps_call_passes){0, chain->calls, chain->units[chain->n - 1]};
    else if (n > 1)
        passes = common_passes(times, callers, n);
    if (passes.n == 0)
        return passes;
    calls = (double)function->ncalls / (double)passes.n;
    if (calls > 1.5 && calls < PASS_CALLERS && is_near(function->ncalls, llround(calls) * passes.n))
        passes.calls = round(calls);
    return passes;
}

/* --- The program --- */

static bool is_entry_name(struct ps_str name)
{
    static const char *const names[] = {
        "main",  "cli",    "run",          "<module>",     "_main",      "__call__",
        "start", "invoke", "patched_main", "console_main", "run_module", "entry_point"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ps_str_eq_c(name, names[i]))
            return true;
    return false;
}

struct ps_str ps_own_time_program(const struct ps_own_time *times)
{
    const struct ps_timed_function *found = NULL;
    double imports_s = 0;

    for (size_t i = 0; i < times->n_functions; i++)
        if (is_importer(&times->functions[i]))
            imports_s = times->functions[i].cumulative_s;
    for (size_t i = 0; i < times->n_functions; i++) {
        const struct ps_timed_function *function = &times->functions[i];
        bool is_called = false;

        if (!function->is_present || function->is_own || function->ncalls != 1 ||
            !is_entry_name(function->name) || function->path.ptr[0] == '<' ||
            ps_str_eq_c(ps_python_package_of(function->path), "runpy") ||
            function->cumulative_s < times->total_s / 2 ||
            (ps_str_eq_c(function->name, "<module>") && function->cumulative_s <= imports_s))
            continue;
        for (uint32_t c = 0; c < function->n_callers; c++) {
            const struct ps_timed_function *caller =
                &times->functions[caller_at(times, (uint32_t)i, c)->caller];

            /* asyncio.run() of a program is not the program */
            is_called |= caller->is_own ? function->origin == PS_ORIGIN_STDLIB
                                        : caller->origin != PS_ORIGIN_BUILTIN;
        }
        if (!is_called && (!found || function->cumulative_s > found->cumulative_s))
            found = function;
    }
    return found ? ps_python_package_of(found->path) : (struct ps_str){NULL, 0};
}

/* --- The program --- */

static double sum_charged(const struct ps_own_time *times, bool with_modules)
{
    double sum = 0;

    for (size_t i = 0; i < times->n_functions; i++)
        if (with_modules || !ps_str_eq_c(times->functions[i].name, "<module>"))
            sum += times->functions[i].charged_s;
    return sum;
}

bool ps_own_time_charge_program(struct ps_own_time *times)
{
    struct ps_str program;

    ps_own_time_charge(times, (struct ps_str){NULL, 0});
    if (sum_charged(times, false) >= PS_OWN_SHARE * times->total_s)
        return true;
    program = ps_own_time_program(times);
    if (program.ptr)
        ps_own_time_charge(times, program);
    return sum_charged(times, true) + times->imports_s >= PS_OWN_SHARE * times->total_s;
}
