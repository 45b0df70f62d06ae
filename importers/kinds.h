/* SPDX-License-Identifier: MIT */
/*
 * kinds.h: the properties of each kind of profile. All other code looks these up instead of
 * comparing names of kinds: the queries, the redaction, `GET /formats` and the page, whose build
 * reads kinds.c.
 *
 * Every importer names its kind (importer.h), and several importers may share one. kinds.c has one
 * row for each kind. This header and kinds.c include no other header of perfshelf, so that a
 * program without importers can use the table.
 */
#ifndef PS_IMPORTERS_KINDS_H
#define PS_IMPORTERS_KINDS_H

#include <stdbool.h>
#include <stddef.h>

/* The data that runs of a kind have: bits of ps_kind.has. kinds.c has the word for each bit. */
enum ps_kind_has {
    PS_HAS_IMPORTS = 1 << 0,           /* modules and their importers */
    PS_HAS_CALLS = 1 << 1,             /* functions and their callers */
    PS_HAS_PRINTED_FUNCTIONS = 1 << 2, /* printed tables of functions, without callers */
    PS_HAS_ACTIONS = 1 << 3,           /* actions of a training loop */
    PS_HAS_PRINTED_OPERATORS = 1 << 4, /* printed tables of operators */
    PS_HAS_CATEGORIES = 1 << 5,        /* memory by category over time */
    PS_HAS_LINE_TIMES = 1 << 6,        /* hits and time of source lines */
    PS_HAS_LINE_MEMORY = 1 << 7,       /* memory after source lines, and its growth */
    PS_HAS_LINE_CPU = 1 << 8,          /* CPU shares and allocations of source lines */
    PS_HAS_MEMORY = 1 << 9,            /* memory of the process over time */
    /* on the memory curve: child processes, and calls of marked functions */
    PS_HAS_SPANS = 1 << 10,
    PS_HAS_SLICES = 1 << 11, /* slices with a start and an end */
    /* of a trace: device work, attributed to the host slice that launched it */
    PS_HAS_DEVICES = 1 << 12,
    PS_HAS_TORCH = 1 << 13,        /* of a trace: operators, modules and steps of PyTorch */
    PS_HAS_NVTX = 1 << 14,         /* of a trace: NVTX ranges, calls of CUDA and of the system */
    PS_HAS_STACKS = 1 << 15,       /* stacks with weights, in the order of the file */
    PS_HAS_MEASUREMENTS = 1 << 16, /* measurements with their repeats */
    PS_HAS_BOTTLENECK = 1 << 17,   /* of measurements: the resource that limited a command */
    PS_HAS_PROCESSES = 1 << 18,    /* of measurements: processes over time */
    PS_HAS_SNAPSHOT = 1 << 19,     /* of stacks: GPU allocations, segments and their events */
    /* of measurements: rows of benchmarks, which are judged one by one */
    PS_HAS_RESULTS = 1 << 20,
    PS_HAS_TESTS = 1 << 21,        /* of measurements: durations of tests, each measured once */
    PS_HAS_REQUESTS = 1 << 22,     /* requests to a server, and the steps that served them */
    PS_HAS_SAMPLE_TYPES = 1 << 23, /* of stacks: several values for each sample, and labels */
    PS_HAS_XLA = 1 << 24,          /* of a trace: operators and steps of XLA */

    PS_HAS_LINES = PS_HAS_LINE_TIMES | PS_HAS_LINE_MEMORY | PS_HAS_LINE_CPU,
    PS_HAS_TIMELINE = PS_HAS_SLICES | PS_HAS_STACKS, /* tracks on a time axis */
};
#define PS_N_KIND_HAS_BITS 25 /* number of single bits in enum ps_kind_has */

/* The texts of a kind that may reveal commands or arguments of the user, for redaction: bits of
 * ps_kind.texts. */
enum ps_kind_texts {
    PS_NAMES_ARE_COMMANDS = 1 << 0, /* the title and the names of rows are commands */
    /* the groups of measurements are commands; their names are not */
    PS_GROUPS_ARE_COMMANDS = 1 << 1,
    /* names are test names; arguments may follow in brackets: test_sort[1000] */
    PS_NAMES_ARE_TESTS = 1 << 2,
    /* the "tool" of the file is the user's program, not the profiler */
    PS_TOOL_IS_PROGRAM = 1 << 3,
    PS_ARGUMENTS_ARE_UNKNOWN = 1 << 4, /* any tool may have written the arguments of slices */
};

#define PS_KIND_MARK_MAX 6
#define PS_KIND_TABS_MAX 14

struct ps_kind {
    const char *name; /* as in ps_importer.kind; stable, in the database and in URLs */
    const char
        *mark;      /* a short word shown beside names of runs; at most PS_KIND_MARK_MAX letters */
    unsigned has;   /* bits of enum ps_kind_has */
    unsigned texts; /* bits of enum ps_kind_texts */
    bool merges;    /* whether the originals of several runs can be read as one run */
    /* Unit of the weights of stacks; NULL: that of the headline. Runs of a kind with such a unit
     * may have no stacks. */
    const char *stack_unit;
    /* Tabs of the page in their order, NULL-terminated; web/src/features/report/tabs.ts has the
     * code of the tabs, and hides a tab if the run has no data for it. */
    const char *tabs[PS_KIND_TABS_MAX + 1];
};

const struct ps_kind *ps_kinds(size_t *count);

/* Returns the kind with this name. If the table lacks the name (a run of a newer perfshelf),
 * returns a kind without any data, whose name is empty. Never NULL. */
const struct ps_kind *ps_kind_find(const char *name);

/* Whether runs of the kind with this name have at least one of the data in `any`, which has bits of
 * enum ps_kind_has. */
bool ps_kind_has(const char *name, unsigned any);

/* The unit of the weights of stacks in runs of the kind whose headline has this unit. */
const char *ps_kind_stack_unit(const char *name, const char *headline_unit);

/* The word for bit `i` of ps_kind.has in JSON, such as "imports". i < PS_N_KIND_HAS_BITS. */
const char *ps_kind_has_word(size_t i);

#endif
