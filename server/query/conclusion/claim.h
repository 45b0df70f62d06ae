/* SPDX-License-Identifier: MIT */
/*
 * claim.h: what a conclusion says, as data. A rule fills in a claim; ps_claims_rank() chooses which
 * of them is the cause, or that none is; words.c and the table of fact_words.c are the only place
 * that puts claims into words.
 *
 * Shares are 0 to 1 of the base of the conclusion. Strings are static, or in the arena of the
 * conclusion.
 */
#ifndef PS_QUERY_CLAIM_H
#define PS_QUERY_CLAIM_H

#include "base/json_out.h"
#include "base/mem.h"
#include "server/query/query.h"

#define PS_LINK_PARAMS    4
#define PS_CLAIM_SUBJECTS 4
#define PS_FACT_VALUES    5
#define PS_CLAIM_MOST     0.5 /* named with this share, even if nothing is avoidable */
#define PS_CLAIM_CAUSE    0.2 /* share times avoidable; with less, there is no single cause */
#define PS_CLAIM_RANKED   20

/* A tab of the report (a word of importers/kinds.c) and parameters of its URL. A NULL tab: no link.
 * A NULL key ends the parameters. */
struct ps_report_link {
    const char *tab;
    struct ps_param params[PS_LINK_PARAMS];
};
extern const struct ps_report_link ps_link_none;
/* Writes the key "link". */
void ps_report_link_write(struct ps_json *json, const struct ps_report_link *link);

/* What the first sentence says of its subject. The words are those of the API. */
enum ps_verb {
    PS_NO_VERB,
    PS_TAKES,      /* takes time, memory or samples */
    PS_REPEATS,    /* takes it in many calls of a loop */
    PS_RECURS,     /* takes it in calls of itself */
    PS_ONCE,       /* takes it in a call or an event that is not repeated */
    PS_WAITS,      /* does not run */
    PS_STARTS,     /* imports, or what happens before the program */
    PS_HOLDS,      /* has memory at the peak */
    PS_ADDS,       /* has more memory at its end than at its start */
    PS_IDLES,      /* a device has nothing to do */
    PS_GROWS,      /* takes more than in proportion to the input */
    PS_SLOWER,     /* a row of measurements, than the row `via` */
    PS_FLAT,       /* no single cause; the subjects are the largest */
    PS_TOO_FEW,    /* nothing, or too little, was measured */
    PS_CANNOT_SEE, /* the recording does not tell: `blind` says what */
    /* of two runs */
    PS_CHANGES,         /* takes more or less than in the base */
    PS_APPEARED,        /* is not in the base */
    PS_VANISHED,        /* is in the base only */
    PS_RENAMED,         /* has another name or file than in the base */
    PS_INPUT_CHANGED,   /* all is called more or less often alike */
    PS_MACHINE_CHANGED, /* all takes more or less time alike */
    PS_IS_SAME,         /* nothing changed */
    PS_N_VERBS
};

enum ps_subject_kind {
    PS_SUBJECT_NONE,
    PS_SUBJECT_FUNCTION,
    PS_SUBJECT_LINE,
    PS_SUBJECT_MODULE,
    PS_SUBJECT_PACKAGE,
    PS_SUBJECT_ANNOTATION, /* of the program, in a trace */
    PS_SUBJECT_OPERATOR,   /* also kernels and calls of the driver */
    PS_SUBJECT_ROW,        /* a benchmark, a command, an action */
    PS_SUBJECT_PROCESS,
    PS_SUBJECT_PART, /* of the whole, with a name of ours: no code */
    PS_N_SUBJECT_KINDS
};

struct ps_subject {
    enum ps_subject_kind kind;
    struct ps_str name;    /* {NULL, 0}: the place is all that is known */
    struct ps_str path;    /* {NULL, 0}: no place */
    int64_t line, last;    /* in `path`; `last`: of several lines, else 0 */
    struct ps_str package; /* of a library function, said instead of the place; {NULL, 0}: none */
    bool has_alike;        /* it stands for others whose names differ by a number */
    struct ps_report_link link;
};

/* A subject of a claim; `via`: what it spends most of its share in, with the calls; 0: not known.
 */
struct ps_claim_subject {
    struct ps_subject what, via;
    double share, calls;
};

/* How the time of a measurement grows with N. */
enum ps_growth_law {
    PS_GROWS_WITH,
    PS_GROWS_FASTER,
    PS_GROWS_LINEAR,
    PS_GROWS_SQUARE,
    PS_GROWS_CUBE,
};

/* What else is known, in the order in which it is said: the values, and the subject if it is not
 * that of the claim. Shares are 0 to 1, times in seconds, memory in bytes. */
enum ps_fact_code {
    PS_FACT_NONE,
    PS_FACT_RECURSION,        /* calls, and those from outside */
    PS_FACT_DEPTH,            /* how often a stack has the function */
    PS_FACT_RESUMED,          /* resumptions of a coroutine */
    PS_FACT_ONE_BY_ONE,       /* resumptions, waits of the event loop */
    PS_FACT_BLOCKS_LOOP,      /* subject: what the event loop runs meanwhile */
    PS_FACT_TOGETHER,         /* threads that are at a line of the subject */
    PS_FACT_LOCKED,           /* threads that wait for one lock; subject: who holds it */
    PS_FACT_CALLED_AT,        /* subject: who calls, at its line */
    PS_FACT_CALLED_BY,        /* subject */
    PS_FACT_LED_BY,           /* subject: calls it through library functions */
    PS_FACT_NO_OWN_CODE,      /* share that is outside of own code */
    PS_FACT_MOST_IMPORTS,     /* share of imports, more than that of each subject */
    PS_FACT_CALLS,            /* calls of a part; word: "sample" if they are counted instead */
    PS_FACT_CALLS_FROM,       /* calls; subject: the caller; word as above */
    PS_FACT_SOME_CALLS_FROM,  /* calls by the subject, all calls: others called it too; word as
                                 above */
    PS_FACT_CALLER,           /* subject: the caller, of calls that are not counted */
    PS_FACT_AMOUNT_AT,        /* amount, amount of all; said with the evidence of the claim */
    PS_FACT_OF_IT,            /* share; subject: what the subject of the claim spends it in */
    PS_FACT_AT,               /* all of it at the line of the subject */
    PS_FACT_MOSTLY_AT,        /* most of it */
    PS_FACT_DEFINED_AT,       /* the line is that of the `def` */
    PS_FACT_MUCH_AT,          /* amount at the line of the subject */
    PS_FACT_AT_MAY_WAIT,      /* all of it at the line of the subject, where it may wait */
    PS_FACT_ALL_CALLED_FROM,  /* all of it from the line of the subject */
    PS_FACT_MUCH_CALLED_FROM, /* amount from the line of the subject */
    PS_FACT_WAITING_IN,       /* a title */
    PS_FACT_IDLE_THREADS,     /* threads that worked, threads that are left out */
    PS_FACT_MOST_ACTIVE,      /* amount; subject: a thread */
    PS_FACT_SHORT,            /* time of the recording */
    PS_FACT_FEW_SAMPLES,      /* samples */
    PS_FACT_NO_FRAMES,        /* share of samples without a frame; word: what it is of */
    PS_FACT_LATE,             /* share of the samples */
    PS_FACT_COLLECTS,         /* share of the time in the garbage collector */
    PS_FACT_FEW_OBJECTS,
    PS_FACT_NO_NAMES,
    PS_FACT_ALL_FRAMELESS,
    PS_FACT_ALL_ZERO,
    PS_FACT_NO_SAMPLES,

    /* of all kinds */
    PS_FACT_SHARES_OF,     /* word, or subject: what the shares of a claim without a cause are of */
    PS_FACT_NO_SINGLE,     /* word: of what none stands out */
    PS_FACT_NONE_MEASURED, /* word: of what there is none */

    /* of measurements */
    PS_FACT_GROWTH,        /* the numbers N from and to, ratio of the times, exponent, law */
    PS_FACT_GROWS,         /* the values of PS_FACT_GROWTH, for a row of the table */
    PS_FACT_IT_TAKES,      /* value, runs; word: the statistic */
    PS_FACT_AGAINST,       /* value and runs of the row `via`; word: the statistic */
    PS_FACT_SLOWER,        /* how many times as long as `via`, error of that ratio */
    PS_FACT_NEEDS_MORE,    /* how many times as much as `via`, error of that ratio; not of times */
    PS_FACT_NO_DIFFERENCE, /* from `via` */
    PS_FACT_FASTEST,       /* runs; word: the statistic */
    PS_FACT_SMALLEST,      /* runs; word: the statistic; not of times */
    PS_FACT_AS_LONG,       /* ratio to the fastest row, its error, runs; word: the statistic */
    PS_FACT_AS_LARGE,      /* the values of PS_FACT_AS_LONG; not of times */
    PS_FACT_CPU_WAITS,     /* CPU time, elapsed time, share without CPU */
    PS_FACT_CPU_COMPUTES,  /* CPU time, elapsed time */
    PS_FACT_CPU_PARALLEL,  /* CPU time, elapsed time, their ratio */
    PS_FACT_NONE_LONGEST,  /* word */
    PS_FACT_LARGEST,       /* value; subject: the row */
    PS_FACT_SECOND,        /* value; subject: the row after the largest */
    PS_FACT_SLOWEST_TEST,  /* tests, their time; word: what is counted */
    PS_FACT_SLOWEST_TESTS, /* tests, their time, tests that are named; word: what is counted */
    PS_FACT_TAKES_LONGEST, /* value */
    PS_FACT_TAKES,         /* value, of the only row */
    PS_FACT_IS,            /* value, not a time */
    PS_FACT_IS_LOWEST,     /* value of which higher is better, the lowest of several */
    PS_FACT_SPREAD, /* runs, standard deviation as a share of the value; word: the statistic */
    PS_FACT_ZERO_VALUES,
    PS_FACT_NO_VALUES,
    PS_FACT_TOO_SHORT, /* the facts from here to PS_FACT_MEMORY_HEAVY say what limits a command */
    PS_FACT_CPU_BOUND,
    PS_FACT_WAITING,
    PS_FACT_MIXED,
    PS_FACT_PARALLEL,
    PS_FACT_SYSTEM_HEAVY,
    PS_FACT_MEMORY_HEAVY,
    PS_FACT_CPU_TIMES, /* user, system and elapsed time */

    /* of memory curves */
    PS_FACT_PEAK,          /* memory, when */
    PS_FACT_PEAK_GROWS,    /* memory, when; memory grows in each quarter of the time */
    PS_FACT_STAYS,         /* memory at the start and at the end, when the end is */
    PS_FACT_ENDS,          /* the values of PS_FACT_STAYS; the end is much less than the peak */
    PS_FACT_EXITS,         /* memory at the start and before the process exits, when that is */
    PS_FACT_STAYS_TO_EXIT, /* the values of PS_FACT_EXITS; the last is about the peak */
    PS_FACT_HOLDS,         /* memory at the peak, calls that added it; subject */
    PS_FACT_CALLS_TAKE,    /* calls, their time */
    PS_FACT_WITH_CHILDREN, /* child processes, peak with them; the curve does not have them */
    PS_FACT_CHILDREN,      /* child processes, their peak */

    /* of lines */
    PS_FACT_ADDS,        /* memory */
    PS_FACT_LINE_GROWS,  /* memory, calls; `via`: the function */
    PS_FACT_LINES_GROW,  /* memory, calls; `via`: the function; the lines begin at the subject */
    PS_FACT_MAY_KEEP,    /* subject: a line */
    PS_FACT_MEMORY_PEAK, /* memory */
    PS_FACT_FREED,       /* calls */
    PS_FACT_CALL_ADDS,   /* memory; subject: the line with most of it */
    PS_FACT_EXCEEDS,
    PS_FACT_PLACE,        /* subject */
    PS_FACT_PLACE_IN,     /* subject; other: the function */
    PS_FACT_REPEATED_IN,  /* subject; other: the function, which runs the line several times */
    PS_FACT_SHARE_OF,     /* the function `via` has the share that is told */
    PS_FACT_CALLS_ITSELF, /* the function `via`, which calls itself at this line, has the share */
    PS_FACT_TAKES_SAMPLES,
    PS_FACT_TIME_IN_HITS, /* time, that of the function, hits */
    PS_FACT_HITS,         /* hits */
    PS_FACT_CPU_PARTS,    /* shares in Python, in native code, not running */
    PS_FACT_UNSAMPLED,    /* subject: lines above, whose samples may be in the share */
    PS_FACT_FUNCTION_SAMPLES,
    PS_FACT_LARGEST_LINE, /* share; subject: a line of the function */
    PS_FACT_PASSED_ON,    /* share; subject: the line that passes the function on to be called */
    PS_FACT_IMPORTS_TAKE, /* share */
    PS_FACT_CALLED_FROM,  /* subject: the line that calls what the fact before, or the claim, is of
                           */
    PS_FACT_CALLED_BY_COUNTS, /* subject: the caller, as numbers of calls and times suggest */
    PS_FACT_LEAKS,            /* likelihood, most MiB/s; subject: the line */
    PS_FACT_ALLOCATES,        /* share; subject: the line */

    /* of lists of names with one measure */
    PS_FACT_LOST,
    PS_FACT_KEPT,        /* time, none, calls; subject: the longest; word: "call" */
    PS_FACT_SHARE_BASE,  /* word: what the share is of */
    PS_FACT_AMOUNT_BASE, /* amount; word: what it is of */
    PS_FACT_MOST_CPU,    /* CPU time of a process; word: what it is of */
    PS_FACT_AMOUNT_OF,   /* amount, amount of all rows, count; word: what is counted */
    PS_FACT_COUNT,       /* amount, amount of all rows, count; only the count is said */
    PS_FACT_COMPILES,    /* programs, their time, the span */
    PS_FACT_COMPILED,    /* programs, their time, the span; compiling is not the cause */
    PS_FACT_NEW_SHAPES,
    PS_FACT_SLICES_SAMPLED,
    PS_FACT_NO_DEVICE_WORK,
    PS_FACT_MOST_CALLS, /* time, calls; subject */
    PS_FACT_FEW_CALLS,  /* share */
    PS_FACT_NO_CALLS,
    PS_FACT_IN_CALLS,         /* calls */
    PS_FACT_BELOW,            /* share, calls; subject */
    PS_FACT_NEEDED_OPERATORS, /* share */
    PS_FACT_SMALL_OPERATORS,
    PS_FACT_SMALL_CALLS, /* calls, mean time */
    PS_FACT_CONVERSIONS, /* tensors that become numbers */
    PS_FACT_OPERATOR,    /* share; subject */

    /* of imports */
    PS_FACT_IMPORT_TIME,
    PS_FACT_OWN_IMPORT_TIME, /* of its own code only */
    PS_FACT_IMPORTER_UNKNOWN,
    PS_FACT_IS_LAZY,         /* 1: all importers are known; subject: an importer */
    PS_FACT_USED_AT_START,   /* 1: all importers are known; subject: an importer */
    PS_FACT_MAKE_LAZY,       /* 1: all importers are known; subject: an importer */
    PS_FACT_OWN_IMPORTED_BY, /* subject */
    PS_FACT_SMALL_MODULES,
    PS_FACT_BEFORE_PROGRAM,
    PS_FACT_LARGEST_PART,   /* share; subject: a module; other: a package that it brings */
    PS_FACT_LAZY_SAVES,     /* time, of all imports */
    PS_FACT_PULLED_IN,      /* subject: imports it; other: what was asked for */
    PS_FACT_BRINGS,         /* subject */
    PS_FACT_IMPORTED_AGAIN, /* share */
    PS_FACT_LARGEST_AGAIN,
    PS_FACT_IMPORTS_IT, /* 1: all importers are known; subject */
    PS_FACT_NEEDED_TOO, /* share; subject */
    PS_FACT_LAZY_SAVES_NOTHING,
    PS_FACT_NEEDED_THERE,  /* subject: the importer */
    PS_FACT_TOGETHER_SAVE, /* packages, time */
    PS_FACT_WORKS_WHILE,   /* subject: the importer */
    PS_FACT_FRAMEWORK,     /* subject */
    PS_FACT_OWN_SAVING,    /* share */
    PS_FACT_THREADS_IMPORT,

    /* of memory snapshots */
    PS_FACT_ALLOCATION_FAILED, /* memory, number of the device, memory that its driver had free */
    PS_FACT_DEVICE_PEAK,       /* memory, number of the device */
    PS_FACT_STACK_GROWS,       /* memory in each step, steps; subject; other: its caller */
    PS_FACT_RESERVED,          /* memory, of which not in use, the largest hole */
    PS_FACT_NO_STACK,          /* memory */
    PS_FACT_STACK_HOLDS, /* memory, allocations, 1: other memory has no stack; subject; other: its
                            caller */
    PS_FACT_SMALL_STACKS,
    PS_FACT_NO_STACKS,
    PS_FACT_STACK,            /* subject; other: its caller */
    PS_FACT_ALLOCATIONS,      /* allocations */
    PS_FACT_ALLOCATIONS_BY,   /* allocations, stacks */
    PS_FACT_ALLOCATIONS_LIVE, /* allocations, median of the events in which they live */
    PS_FACT_SEGMENTS,         /* memory, segments, the largest hole */

    /* of comparisons: changes are new - base, in the unit of the fact */
    PS_FACT_EXPLAINS,       /* change, of the whole */
    PS_FACT_NEW_EXPLAINS,   /* the same, of a subject that the base does not have */
    PS_FACT_GONE_EXPLAINS,  /* the same, of a subject that the new run does not have */
    PS_FACT_EXPLAINS_MORE,  /* change, of all others, of the whole, which is smaller */
    PS_FACT_TWO_EXPLAIN,    /* changes of the subject and of `other`, their sum, of the whole */
    PS_FACT_TWO_CHANGE,     /* the same; both are no part of the whole: others work against them */
    PS_FACT_SPREAD_OVER,    /* change of the whole, rows; word: a row */
    PS_FACT_IS_PART,        /* changes of the subject, a part of a step, and of the step */
    PS_FACT_MOST_OF_CHANGE, /* change, of a line of the function that changed; 1: most of it */
    PS_FACT_CHANGED_AT,     /* the same, which contains what the line calls */
    PS_FACT_WAITED_FOR,     /* changes of the subject, where the host waits, and of the whole */
    PS_FACT_ODD_STEPS,      /* longest step of base and new, their medians, share of the longest;
                               word: the run in which it has the share */
    /* ... of functions */
    PS_FACT_IS_NEW,           /* calls, 0: unknown; other: the caller */
    PS_FACT_IS_GONE,          /* the same, in the base */
    PS_FACT_ONLY_IN_ONE,      /* 1: the new profile, 0: the base. Samples miss functions that ran */
    PS_FACT_LEFT_OUT,         /* the same; time below which the other one leaves out functions */
    PS_FACT_TAKES_TIMES,      /* ratio of the times; 1: the subject is one thing */
    PS_FACT_CALLED_AS_BEFORE, /* calls */
    PS_FACT_CALLED_INSTEAD,   /* calls, calls in the base; other: the caller that calls otherwise */
    PS_FACT_SAME_COST,
    PS_FACT_COST_TIMES,     /* ratio of the times a call */
    PS_FACT_CHANGE,         /* change, 1: with what the subject calls, change of the whole */
    PS_FACT_CHANGE_OF,      /* the same, a part of the whole */
    PS_FACT_CHANGE_WHILE,   /* the same, no part of the whole; word: what the whole is of */
    PS_FACT_WAS,            /* subject: as it was called in the base */
    PS_FACT_WAS_FILE,       /* subject: the file of several functions in the base */
    PS_FACT_OTHER_FOLDER,   /* of a file of several functions */
    PS_FACT_CALLED_TIMES,   /* ratio of the calls; 1: more, 1: other claims say what is beyond it */
    PS_FACT_ALL_TAKE_TIMES, /* ratio of the times, 1: calls are as before */
    PS_FACT_SAME_FUNCTIONS, /* 1: calls are known, 1: times went up and down alike */
    PS_FACT_SAME_CALLS,     /* 1: calls are known; another claim tells the speed */
    PS_FACT_SPEED, /* ratio, 1: many agree on it, 1: slower, 1: other claims are without it, share
                      of those that agree, NaN: nearly all moved one way, by different ratios */
    PS_FACT_SPEED_OR_WORK, /* the same; calls are not known, so it may be more or less to do */
    /* ... of imports */
    PS_FACT_BRINGS_MODULES,   /* modules; word: "module" */
    PS_FACT_BRINGS_NO_MORE,   /* the same */
    PS_FACT_REPLACES_MODULES, /* modules, those that are gone; word: "module" */
    PS_FACT_SAME_MODULES,
    PS_FACT_SAME_IMPORTED, /* 1: no others changed; the fact after it says what changed of them */
    PS_FACT_SAME_TAKE,     /* 1: no others changed; change, of no package most; 1: slower */
    /* ... of requests to a server: values of the base and of the new run */
    PS_FACT_WORST_CHANGES, /* values, 1: it falls; subject, other: the requests; word: the metric */
    PS_FACT_WORST_STAYS,   /* the same; they are about alike */
    PS_FACT_OWN_PREFILL,   /* times; subject: a request that waits for its own prompt */
    PS_FACT_OTHERS_CHANGE, /* values of PS_FACT_WORST_CHANGES, without the requests before */
    PS_FACT_OTHERS_STAY,
    PS_FACT_REQUEST_PART, /* times; subject; word: a part of its time to first token */
    PS_FACT_PAIRS_CHANGE, /* pairs, sooner, later, median change, 1: within noise */
    PS_FACT_NO_PAIRS,     /* word: why */

    /* of traces with operators or devices */
    PS_FACT_STEP_LEFT_OUT,  /* time, 1: torch.compile compiles in it, other steps, their median */
    PS_FACT_ODD_STEP,       /* time, share, median step, tokens of prefill; subject: the step */
    PS_FACT_ODD_STEP_PART,  /* share of that step; subject: an operator */
    PS_FACT_OVERHEAD,       /* share of the profiler's own work */
    PS_FACT_WAITS_FOR_DATA, /* time */
    PS_FACT_WAITS_FOR_RANK, /* rank, time of communication */
    PS_FACT_COMMUNICATES,   /* time */
    PS_FACT_ONE_RANK,
    PS_FACT_COPIES,        /* time */
    PS_FACT_CAPTURES,      /* time */
    PS_FACT_HOST_TOO_SLOW, /* time, share, kernels */
    PS_FACT_GPU_IDLE,      /* the values of PS_FACT_HOST_TOO_SLOW */
    PS_FACT_HOST_RUNS,     /* share of the idle time; subject */
    PS_FACT_HOST_OUTSIDE,  /* share of the idle time */
    PS_FACT_BLOCKED,       /* share, time, the longest call, 1: after the last work of the device;
                              subject: the operator, other: the function that calls */
    PS_FACT_EARLIER_WORK,  /* as PS_FACT_BLOCKED: the device works on what was not recorded */
    PS_FACT_QUEUED,        /* share, time of work that was not recorded */
    PS_FACT_STARTS_UP,     /* share, calls, other calls, the longest; subject, other: as above */
    PS_FACT_AFTER_START,   /* time that is left, time of kernels */
    PS_FACT_WARM_UP,
    PS_FACT_GPU_COMPUTES,   /* share */
    PS_FACT_PAGES_IN,       /* share, migrations, bytes, share of the time of kernels */
    PS_FACT_TOP,            /* share; subject: an operator or kernel */
    PS_FACT_PAIR,           /* share; `via`: the other operator */
    PS_FACT_TOP_OPERATOR,   /* time of all operators, share */
    PS_FACT_DRIVER_CALLS,   /* time of those with the name of the subject */
    PS_FACT_TORCH_COMPILES, /* none, share */
    PS_FACT_COMPILES_AGAIN, /* steps, share */
    PS_FACT_OPERATORS_TAKE, /* time */
    PS_FACT_ON_DOUBLE,      /* share */
    PS_FACT_MANY_OPERATORS, /* operators, mean time, share outside of operators */
    PS_FACT_ITEMS,          /* conversions; subject: the operator */
    PS_FACT_WITH_STACK,
    PS_FACT_OUTSIDE_OPERATORS, /* time of operators */
    PS_FACT_NO_WORK,
    PS_FACT_LATE_RANK, /* rank, share of the waiting, other ranks, time, 1: in each step */
    PS_FACT_ITERATES,  /* calls, share, 1: of one name, 1: of PyTorch; subject; other: a command */
    PS_FACT_SERVING_STEP,  /* time, tokens; other: its phase */
    PS_FACT_FAMILY,        /* share; word: a family of kernels */
    PS_FACT_UNIT_TAKES,    /* 1: in a loop over small operators */
    PS_FACT_UNIT_WAITS,    /* word: "waits for the network" */
    PS_FACT_RUNS,          /* calls in each call; subject */
    PS_FACT_CONVERTS,      /* conversions of tensors in each call */
    PS_FACT_OUTSIDE_UNIT,  /* share */
    PS_FACT_CALLED_A_STEP, /* calls */
    PS_FACT_NEXT,          /* share; subject */

    /* of requests to a server */
    PS_FACT_LATE_REQUESTS,       /* late requests, all, the limit of the time to the first token */
    PS_FACT_ENGINE_STEPS,        /* steps, seconds of all, seconds of their median */
    PS_FACT_LONGEST_STEP,        /* seconds, share of all, tokens of prompts; subject: the step */
    PS_FACT_STEPS_WITHOUT_TIMES, /* steps */
    PS_FACT_NONE_LATE,           /* requests, the limit, the longest time; subject: that request */
    PS_FACT_WORST_REQUEST,       /* time to the first token; subject: the request */
    PS_FACT_STEP_IN_PROGRESS,    /* time; subject: the step */
    PS_FACT_STEP_OF_PROMPTS,     /* time, tokens; subject: the step */
    PS_FACT_STEP_PREFILLS,       /* time, tokens; subject: the step; other: the request */
    PS_FACT_STEP_WORK,           /* share of the step of the fact before; subject: an operator */
    PS_FACT_SLOTS_TAKEN,         /* time, slots */
    PS_FACT_TOKENS_SPENT,        /* time */
    PS_FACT_OTHERS_SERVED,       /* time */
    PS_FACT_NO_STEP,             /* time */
    PS_FACT_COMPUTES_PROMPT,     /* time, tokens of the prompt */
    PS_FACT_TO_ENGINE,           /* time */
    PS_FACT_TO_CLIENT,           /* time */
    PS_FACT_OUTSIDE_ENGINE,      /* time */
    PS_FACT_CAUSE_UNKNOWN,
    PS_FACT_QUEUE_GROWS,          /* median time in the first and in the last quarter */
    PS_FACT_SPLIT_AND_SLOTS_HELP, /* requests of that cause, those that are cured, the limit */
    PS_FACT_SPLIT_HELPS,          /* the same */
    PS_FACT_SLOTS_HELP,           /* the same */
    PS_FACT_LATE_BY_ITSELF,       /* requests */
    PS_FACT_TOKENS_STOP, /* requests, time, tokens; subject: a step; other: whom it prefills */
    PS_FACT_ALSO_STOPS,  /* the same */
    PS_FACT_SPLIT_ENDS_STALLS,
    PS_FACT_SMALLER_PARTS_HELP,
    PS_FACT_TTFT,          /* time, none; word: the statistic */
    PS_FACT_TTFT_P99,      /* median time, 99th percentile; word: "median" */
    PS_FACT_TTFT_OF_LOADS, /* loads, the least and the greatest 99th percentile */
    PS_FACT_LATE_BY,       /* requests */
    /* of XLA. Shares are of the window; times of a step, if steps are marked */
    PS_FACT_XLA_OUTSIDE_IN,    /* share, time; subjects of the claim: where the program is */
    PS_FACT_XLA_OUTSIDE,       /* share, time; nothing tells what the program does */
    PS_FACT_XLA_COMPILES,      /* programs, share, steps with some */
    PS_FACT_XLA_COMPILED_ONCE, /* programs, share */
    PS_FACT_XLA_READS,         /* results that are read, share without operators */
    PS_FACT_XLA_MANY_PROGRAMS, /* programs, time of operators in each, share without operators */
    PS_FACT_XLA_MOVES,         /* share, time */
    PS_FACT_XLA_LATE_DEVICE,   /* device, its work, mean work of others, their mean wait; times */
    PS_FACT_XLA_COLLECTIVES,   /* share, time */
    PS_FACT_XLA_TOP_OPERATOR,  /* share, share of all operators; subject of the claim */
    PS_FACT_XLA_OPERATORS,     /* share of all operators */
    PS_FACT_XLA_IN_CALL,       /* subject: what the program calls for nearly all of the time */
    PS_FACT_XLA_TRACER,
    PS_FACT_XLA_CALLS_BACK, /* subject: the function that the operator of the claim calls */
    PS_FACT_XLA_WAITS,      /* share, time; the program waits, and no operator runs */
    /* ... titles and evidence of their rows */
    PS_FACT_TITLE,      /* subject */
    PS_FACT_FULL_TITLE, /* of the subjects, with their places */
    PS_FACT_BLOCKS_IN,
    PS_FACT_BLOCKS_LAST,
    PS_FACT_WORKED_BEFORE,
    PS_FACT_BUSY_WITH,
    PS_FACT_BEHIND,
    PS_FACT_SEE,        /* word, with the link of the fact */
    PS_FACT_KERNELS,    /* kernels */
    PS_FACT_COPY_COUNT, /* copies, sets */
    PS_FACT_LONGEST,    /* time; subject, other: as of PS_FACT_BLOCKED */
    PS_FACT_ONE_CALL,   /* as PS_FACT_LONGEST, of the only call, `via` */
    PS_FACT_OF_CALLS,   /* calls, the longest; subject, other: as above; word: what is counted */
    PS_FACT_IN_CALL,    /* as PS_FACT_LONGEST, of the only call */
    PS_FACT_MIGRATIONS, /* share of the time of kernels, migrations, bytes */
    PS_N_FACTS
};

struct ps_fact {
    enum ps_fact_code code;
    struct ps_subject subject;
    double values[PS_FACT_VALUES];
    struct ps_subject other;
    struct ps_str word;         /* a noun: what is counted, or what shares are of */
    const char *unit;           /* of values whose unit depends on the profile */
    struct ps_report_link link; /* of values that the link of the claim's subject does not show */
};

/* Where a fact is said. */
enum ps_fact_place {
    PS_SAID_AFTER,   /* in the sentences after the verdict */
    PS_SAID_VERDICT, /* in bold, instead of what the verb says */
    PS_SAID_BEFORE,  /* in bold, before the verdict */
    PS_SAID_LAST,    /* after all other sentences */
    PS_SAID_LISTED,  /* in a list of changes: "Also: ...; ..." */
};

/* How facts are said: an entry of the table of fact_words.c. */
struct ps_fact_words {
    const char *code;  /* for programs */
    unsigned n_values; /* that the fact has */
    enum ps_fact_place place;
    const char *words; /* a template */
    const char *next;  /* said instead if the fact before has the same code */
    const char *end;   /* said after the last of facts with the code */
    const char *then;  /* of a verdict: said in the sentences after it */
};
extern const struct ps_fact_words ps_fact_words[PS_N_FACTS];

/* The loop that repeats a subject. */
struct ps_claim_loop {
    struct ps_subject subject; /* kind PS_SUBJECT_NONE: none is known */
    struct ps_subject through; /* what it calls, if that is not the subject of the claim */
    double times;              /* calls in the loop */
    double passes;             /* of the loop, with `times` calls in each; 0: not known */
    bool is_each;              /* `times` is that of each call of the loop's function */
};

/* Why no saving is stated. */
enum ps_no_saving {
    PS_SAVING_KNOWN,
    PS_NOTHING_REPEATS,
    PS_LITTLE_REPEATS,
    PS_RESULT_NEEDED,
    PS_SLOW_ON_PURPOSE,
    PS_WAITS_ONCE,
    PS_ONE_LOCK,
    PS_N_NO_SAVINGS
};

/* What the recording does not tell, and which recording does. */
enum ps_blind {
    PS_SEES_ALL,
    PS_BLIND_LINES,
    PS_BLIND_THREADS,
    PS_BLIND_NATIVE,  /* whether a call without a frame works or waits */
    PS_BLIND_PURPOSE, /* whether anything needs the pauses */
    PS_BLIND_IMPORTS,
    PS_BLIND_MIXED, /* whose the times are: the threads were recorded as one */
    PS_N_BLINDS
};

/* What has to be true for the saving. */
enum ps_condition {
    PS_NO_CONDITION,
    PS_IF_ARGUMENTS_REPEAT,
    PS_IF_RESULT_KEPT,
    PS_IF_WAITS_OVERLAP,
    PS_IF_DIGITS_ENOUGH,
    PS_N_CONDITIONS
};

struct ps_claim {
    const char *rule; /* identifier of the rule; static */
    enum ps_verb verb;
    struct ps_claim_subject subjects[PS_CLAIM_SUBJECTS];
    size_t n_subjects;
    double share;          /* NaN: none */
    double low, high;      /* bounds of the share, if the recording leaves it open; else 0 */
    double own;            /* share that the subject works or waits itself */
    double waits;          /* share that the subject waits */
    const char *waits_for; /* "sleep", "threads", "network", ...; NULL: it does not wait */
    struct ps_claim_loop loop;
    struct ps_fact *facts; /* in the arena of the conclusion */
    size_t n_facts;
    struct ps_fact title;    /* of the row of the cause; PS_FACT_NONE: its subjects */
    struct ps_fact evidence; /* of the row of the cause */
    double saving;           /* the most that can be saved, a share; NaN: not stated */
    enum ps_condition condition;
    enum ps_no_saving no_saving;
    enum ps_blind blind;
    const char *advice; /* a sentence of known_calls.c; NULL: none */
    double avoidable;   /* 0 to 1, how likely its time can be avoided: orders claims, never shown */
};

/*
 * The order of `n` claims, at most PS_CLAIM_RANKED, as indices: by share times what is avoidable,
 * then by share. Returns whether the first is the cause: its product is `least` or more, or
 * its share is more than PS_CLAIM_MOST, for which it is moved to the front. Otherwise the
 * conclusion is silent.
 */
bool ps_claims_rank(const struct ps_claim *claims, size_t n, double least, size_t *order);

/* Removes the savings of claims whose product is less than `least`. No saving is more than the
 * share of its claim, and all together are at most the whole. */
void ps_claims_limit_savings(struct ps_claim *claims, size_t n, double least);

/* Whether the subject works itself, and not in what it calls. */
static inline bool ps_claim_is_own(const struct ps_claim *claim)
{
    return claim->own >= 0.5 * claim->share;
}

/* A claim without a saving, about one subject, or none if its kind is PS_SUBJECT_NONE. */
struct ps_claim ps_claim_of(const char *rule, enum ps_verb verb, struct ps_subject subject,
                            double share);

/* Adds a fact. Copies of the claim share the facts that it had. */
void ps_claim_fact(struct ps_arena *arena, struct ps_claim *claim, struct ps_fact fact);

/* Writes a claim as an object. `parent`: index of the claim that it is a part of; -1: none. */
void ps_claim_write(struct ps_json *json, const struct ps_claim *claim, int64_t parent);

#endif
