/* SPDX-License-Identifier: MIT */
/*
 * own_time.h: the time of a profile, charged to the functions of the program itself.
 *
 * A function that the reader can edit is a unit: it is not installed, not of the standard library,
 * not built in and not generated. Comprehensions and lambdas are part of the function around them.
 * Self time of all other functions is charged upwards, to the units that caused it; it does not
 * pass through a unit, so what a library calls back keeps its time. Recursive library functions of
 * a cProfile dump are one node. A node's time is divided by the times that the dump has for each
 * caller: exactly for its own self time, in proportion to the cumulative times for what it calls.
 * Where whole stacks are known (stack_time.h), the division is exact.
 *
 * The times of all units, of imports and the remainder add up to the total.
 *
 * Memory: about 250 bytes for each function and 100 for each pair of caller and callee, all of
 * which are freed with the struct. Everything here computes in memory; nothing reads a run.
 */
#ifndef PS_QUERY_OWN_TIME_H
#define PS_QUERY_OWN_TIME_H

#include "base/python_origin.h"
#include "server/query/conclusion/known_calls.h"
#include "server/runfile/db.h"

#define PS_NO_FUNCTION UINT32_MAX
#define PS_OWN_SHARE   0.1 /* if own code causes less, the profile is that of a library */
/* Fewer samples, or a shorter time, do not tell which function takes the time. */
#define PS_SAMPLES_MIN 200
#define PS_SECONDS_MIN 0.5

struct ps_time_vector {
    double s[PS_N_TIME_CLASSES];
};

struct ps_timed_function {
    struct ps_str name, path;
    struct ps_str package;           /* {NULL, 0}: that of the path */
    int64_t line;                    /* of the `def`; of stacks the line with the most time */
    int64_t ncalls, primitive_calls; /* 0: unknown */
    double self_s, cumulative_s;
    double depth; /* of stacks: how often it is in a stack that has it, on average */
    enum ps_origin origin;
    bool is_present; /* ids without a function are gaps */

    /* computed */
    bool is_own;
    bool at_one_line; /* of stacks: nearly all of its own time is at `line` */
    uint32_t unit;    /* the function that a comprehension is part of; else itself */
    const struct ps_known_call *known;
    struct ps_time_vector time;       /* of a unit: all that is charged to it, by kind */
    double own_s;                     /* of a unit: its self time */
    double charged_s, low_s, high_s;  /* of a unit: the sum of `time`, and the bounds of it */
    uint32_t first_callee, n_callees; /* in `calls` */
    uint32_t main_caller;             /* with the longest calls; PS_NO_FUNCTION: none */
    uint32_t first_caller, n_callers; /* in `by_callee` */
};

/* Calls of a function by another. */
struct ps_timed_call {
    uint32_t caller, callee;
    int64_t ncalls; /* 0: unknown */
    int64_t line;   /* where the caller calls, mostly; 0: unknown */
    double self_s, cumulative_s;
    double charged_s; /* computed: what the caller is charged with through this call */
};

struct ps_own_time {
    struct ps_timed_function *functions; /* by id */
    size_t n_functions;
    struct ps_timed_call *calls; /* computed: sorted by caller and callee, without duplicates */
    size_t n_calls, cap_calls;
    uint32_t *by_callee; /* computed: indices of calls, sorted by callee */
    double total_s, imports_s, remainder_s;

    /* How the profile was recorded, for sentences. */
    bool is_sampled;      /* calls were not counted */
    bool has_all_threads; /* not only the one that started the profiler */
    bool is_too_short;    /* too few samples for a saving */
    bool hides_waits;     /* waits are recorded, but not all of them have a frame */
    bool has_def_lines;   /* the lines of functions are those of the `def` */
    bool has_first_lines; /* the lines of functions are the first that were seen */
    const char *tab;      /* of the page, that shows functions; NULL: "functions" */
    const char *whole;    /* "samples"; NULL: "time" */

    /* The lock that several threads wait for. */
    size_t n_locked;              /* threads; 0: no lock is known */
    uint32_t locked, lock_holder; /* the unit that waits, and what it calls while it has the lock */
    int64_t lock_line;

    /* Threads that are at one line of a unit most of their time, of which no lock is known. */
    size_t n_together; /* 0: there are none */
    uint32_t together;
    int64_t together_line;

    struct ps_arena text; /* names and paths, unless another struct has them */
};

/* Computes all values. Before, the caller fills in the functions and calls. `program`: a package
 * whose functions are own code, or {NULL, 0}. */
void ps_own_time_charge(struct ps_own_time *times, struct ps_str program);

/* Charges the time to own code. If there is none besides a script that starts a package, the
 * functions of the package are own code. False: own code causes too little of the time. */
bool ps_own_time_charge_program(struct ps_own_time *times);

/* Joins and indexes calls whose functions are units, and sums up the charged times. For those who
 * charge the time themselves. */
void ps_own_time_finish(struct ps_own_time *times);

/* The package or module that a Python function belongs to. */
struct ps_str ps_timed_function_package(const struct ps_timed_function *function);

/* Whether a Python function is own code. `program`: as in ps_own_time_charge. */
bool ps_timed_function_is_own(const struct ps_timed_function *function, struct ps_str program);

/* Whether a file is the import system of Python, whose time is that of imports. */
static inline bool ps_path_is_importer(struct ps_str path)
{
    return ps_str_starts_with(path, PS_STR("<frozen importlib"));
}

/* Whether a name is that of a comprehension or a lambda: "<listcomp>", "f.<locals>.<genexpr>". */
bool ps_timed_name_is_part(struct ps_str name);

/* What time of a kind is for the callers of a function: work below a slow call is avoidable, waits
 * of the event loop below subprocess are waits for a process. */
enum ps_time_class ps_time_class_above(enum ps_time_class class,
                                       const struct ps_timed_function *function);

/* The callers of a unit, as far as they are about its only ones: a chain of units, each of which is
 * the main caller of the one before, possibly through library functions. */
struct ps_call_chain {
    uint32_t units[8]; /* the first is the unit itself */
    size_t n;
    double ratio;    /* calls of the last but one for each call of the last */
    int64_t calls;   /* in all */
    bool is_resumed; /* an event loop resumes the first: its calls are resumptions */
    bool is_in_loop; /* asyncio's event loop runs the last */
    bool is_partial; /* the last but one has calls of which the file does not say who made them */
};

/* Climbs from a unit up to the first caller that calls it four times or more in each of its calls;
 * if there is none, `ratio` is less than 4. */
struct ps_call_chain ps_call_chain_of(const struct ps_own_time *times, uint32_t unit);

/* Calls of a unit for each pass of a loop: 2 if two functions call it once each for every item. */
struct ps_call_passes {
    double calls;  /* 2 to 16, a whole number; 0: not known */
    int64_t n;     /* passes */
    uint32_t loop; /* the unit with the loop */
};

/* `chain`: that of the unit. All callers of a unit have to be called from one loop, equally often.
 */
struct ps_call_passes ps_call_passes_of(const struct ps_own_time *times, uint32_t unit,
                                        const struct ps_call_chain *chain);

/* Whether an event loop resumes a unit, which is a coroutine then. */
bool ps_own_time_is_resumed(const struct ps_own_time *times, uint32_t unit);

/* The package that the program is, if nothing but the interpreter calls it: of `python -m black`
 * "black". {NULL, 0}: none. */
struct ps_str ps_own_time_program(const struct ps_own_time *times);

/* Reads a run and charges its times. *is_charged: whether the run has what that needs and enough of
 * its time is caused by own code; otherwise *out holds no times. The caller frees *out. */
enum ps_status ps_own_time_read(struct ps_db *db, struct ps_own_time *out, bool *is_charged,
                                struct ps_err *err);

void ps_own_time_free(struct ps_own_time *times); /* for PS_AUTO */

#endif
