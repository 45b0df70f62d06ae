/* SPDX-License-Identifier: MIT */
/* kinds.c: the table with one row for each kind of profile. web/kinds.mjs also compiles this file,
 * to generate the page's table from it. */
#include "importers/kinds.h"

#include <string.h>

#define LINE_TABS  "lines", "line-functions", "line-files"
#define STACK_TABS "stack-flame", "stack-functions", "sandwich"
/* the same beside the tabs of other data */
#define ALLOCATION_TABS "allocation-flame", "allocating-functions", "allocation-sandwich"

static const struct ps_kind kinds[] = {
    {.name = "importtime",
     .mark = "import",
     .has = PS_HAS_IMPORTS,
     .tabs = {"imports", "packages", "who-imports", "lazy"}},

    /* functions */
    {.name = "pstats",
     .mark = "pstats",
     .has = PS_HAS_CALLS,
     .tabs = {"functions", "calltree", "callgraph", "files", "function-lines"}},
    {.name = "pstats-text",
     .mark = "pstats",
     .has = PS_HAS_PRINTED_FUNCTIONS,
     .tabs = {"printed-functions", "printed-files"}},
    {.name = "lightning",
     .mark = "lightn",
     .has = PS_HAS_PRINTED_FUNCTIONS | PS_HAS_ACTIONS,
     .tabs = {"actions", "printed-functions", "printed-files"}},
    {.name = "key-averages",
     .mark = "table",
     .has = PS_HAS_PRINTED_OPERATORS,
     .tabs = {"printed-operators"}},

    /* profiles of source lines and of memory */
    {.name = "line_profiler",
     .mark = "lines",
     .has = PS_HAS_LINE_TIMES,
     .merges = true,
     .tabs = {LINE_TABS, "across"}},
    {.name = "memory_profiler",
     .mark = "memory",
     .has = PS_HAS_LINE_MEMORY,
     .tabs = {LINE_TABS, "across"}},
    {.name = "scalene",
     .mark = "lines",
     .has = PS_HAS_LINE_CPU | PS_HAS_MEMORY | PS_HAS_STACKS,
     .stack_unit = "B",
     .tabs = {LINE_TABS, ALLOCATION_TABS, "memory", "across"}},
    {.name = "mprof",
     .mark = "memory",
     .has = PS_HAS_MEMORY | PS_HAS_SPANS,
     .texts = PS_NAMES_ARE_COMMANDS,
     .tabs = {"memory"}},
    {.name = "memory-timeline", .mark = "memory", .has = PS_HAS_CATEGORIES, .tabs = {"categories"}},
    {.name = "torch-memory",
     .mark = "memory",
     .has = PS_HAS_STACKS | PS_HAS_SNAPSHOT,
     .tabs = {"snapshot", "leaks", STACK_TABS}},

    /* traces */
    {.name = "torch-trace",
     .mark = "trace",
     .has = PS_HAS_SLICES | PS_HAS_DEVICES | PS_HAS_TORCH,
     .merges = true,
     .tabs = {"timeline", "inference", "overview", "critical-path", "operators", "kernels",
              "roofline", "summaries", "device-memory", "modules", "flame", "ranks"}},
    /* the trace of a server of a language model, with what clients and logs say of its requests */
    {.name = "serving-trace",
     .mark = "serve",
     .merges = true,
     .has = PS_HAS_SLICES | PS_HAS_DEVICES | PS_HAS_TORCH | PS_HAS_MEASUREMENTS | PS_HAS_RESULTS |
            PS_HAS_REQUESTS,
     .tabs = {"requests", "timeline", "inference", "measurements", "overview", "critical-path",
              "operators", "kernels", "roofline", "summaries", "device-memory", "modules",
              "flame"}},
    {.name = "nsys",
     .mark = "nsys",
     .has = PS_HAS_SLICES | PS_HAS_DEVICES | PS_HAS_NVTX,
     .tabs = {"timeline", "inference", "overview", "kernels", "summaries", "slices",
              "device-memory", "flame"}},
    {.name = "xla-trace",
     .mark = "xla",
     .merges = true,
     .has = PS_HAS_SLICES | PS_HAS_XLA,
     .tabs = {"timeline", "xla-steps", "xla-operators", "kernels", "roofline", "slices", "flame"}},
    {.name = "trace",
     .mark = "trace",
     .has = PS_HAS_SLICES,
     .texts = PS_ARGUMENTS_ARE_UNKNOWN,
     .tabs = {"timeline", "slices", "flame"}},

    /* stacks */
    {.name = "folded", .mark = "flame", .has = PS_HAS_STACKS, .tabs = {STACK_TABS, "file-order"}},
    {.name = "speedscope",
     .mark = "flame",
     .has = PS_HAS_STACKS,
     .texts = PS_TOOL_IS_PROGRAM,
     .tabs = {STACK_TABS, "time-order"}},
    {.name = "pyinstrument",
     .mark = "flame",
     .has = PS_HAS_STACKS,
     .tabs = {STACK_TABS, "file-order"}},
    {.name = "flamegraph-svg",
     .mark = "flame",
     .has = PS_HAS_STACKS,
     .tabs = {STACK_TABS, "drawn-order"}},
    {.name = "gecko",
     .mark = "flame",
     .has = PS_HAS_STACKS,
     .texts = PS_TOOL_IS_PROGRAM,
     .tabs = {STACK_TABS, "time-order"}},
    {.name = "perfetto-samples",
     .mark = "flame",
     .has = PS_HAS_STACKS,
     .tabs = {STACK_TABS, "time-order"}},
    {.name = "pprof",
     .mark = "pprof",
     .has = PS_HAS_STACKS | PS_HAS_SAMPLE_TYPES,
     .tabs = {STACK_TABS, "labels"}},

    /* measurements */
    {.name = "serving",
     .mark = "serve",
     .merges = true,
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS | PS_HAS_REQUESTS,
     .tabs = {"requests", "measurements"}},
    {.name = "hyperfine",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .texts = PS_NAMES_ARE_COMMANDS,
     .tabs = {"measurements"}},
    {.name = "pytest-benchmark",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .texts = PS_NAMES_ARE_TESTS,
     .tabs = {"measurements"}},
    {.name = "pyperf",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .texts = PS_NAMES_ARE_TESTS,
     .tabs = {"measurements"}},
    {.name = "asv",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .texts = PS_NAMES_ARE_TESTS,
     .tabs = {"measurements"}},
    {.name = "criterion",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .texts = PS_NAMES_ARE_TESTS,
     .tabs = {"measurements"}},
    {.name = "timeit",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .texts = PS_NAMES_ARE_COMMANDS,
     .tabs = {"measurements"}},
    {.name = "google-benchmark",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "jmh",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "llama-bench",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "divan",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "torch-benchmark",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "triton-bench",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "go-bench",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "time",
     .mark = "time",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_BOTTLENECK,
     .texts = PS_NAMES_ARE_COMMANDS | PS_GROUPS_ARE_COMMANDS,
     .tabs = {"bound", "measurements"}},
    {.name = "top",
     .mark = "top",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_PROCESSES,
     .texts = PS_NAMES_ARE_COMMANDS,
     .tabs = {"processes", "measurements"}},
    {.name = "test-durations",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS | PS_HAS_TESTS,
     .texts = PS_NAMES_ARE_TESTS,
     .tabs = {"measurements"}},
    {.name = "pytest-json-report",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS | PS_HAS_TESTS,
     .texts = PS_NAMES_ARE_TESTS,
     .tabs = {"measurements"}},
    {.name = "junit",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS | PS_HAS_TESTS,
     .texts = PS_NAMES_ARE_TESTS,
     .tabs = {"measurements"}},
    {.name = "codspeed",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .texts = PS_NAMES_ARE_TESTS,
     .tabs = {"measurements"}},
    {.name = "vitest",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "tinybench",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "mitata",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
    {.name = "locust",
     .mark = "bench",
     .has = PS_HAS_MEASUREMENTS | PS_HAS_RESULTS,
     .tabs = {"measurements"}},
};

/* By bit. */
static const char *const words[PS_N_KIND_HAS_BITS] = {
    "imports",    "calls",      "printed",     "actions",      "printed_operators",
    "categories", "line_times", "line_memory", "line_cpu",     "memory",
    "spans",      "slices",     "devices",     "torch",        "nvtx",
    "stacks",     "measured",   "bound",       "processes",    "snapshot",
    "results",    "tests",      "requests",    "sample_types", "xla",
};

const struct ps_kind *ps_kinds(size_t *count)
{
    *count = sizeof kinds / sizeof *kinds;
    return kinds;
}

const struct ps_kind *ps_kind_find(const char *name)
{
    static const struct ps_kind unknown = {.name = "", .mark = ""};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return &unknown;
}

bool ps_kind_has(const char *name, unsigned any)
{
    return (ps_kind_find(name)->has & any) != 0;
}

const char *ps_kind_stack_unit(const char *name, const char *headline_unit)
{
    const char *unit = ps_kind_find(name)->stack_unit;

    return unit ? unit : headline_unit;
}

const char *ps_kind_has_word(size_t i)
{
    return words[i];
}
