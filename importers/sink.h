/* SPDX-License-Identifier: MIT */
/*
 * sink.h: the vocabulary of a profile. Importers say what they read in these words and know nothing
 * of what happens to it: the store writes rows, a test prints text.
 *
 * Slices in a row need to live only for the call. Ids are dense from 1, given by the importer, in
 * the order of the file. An error sticks in the sink; later rows are ignored, and the importer
 * learns of it from ps_sink_ok (often enough: each few thousand rows).
 */
#ifndef PS_IMPORTERS_SINK_H
#define PS_IMPORTERS_SINK_H

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "slices/slices.h"

/* Where code comes from. The numbers are stored in run files and sent to the browser: never
 * renumber. */
enum ps_origin {
    PS_ORIGIN_OWN = 0,
    PS_ORIGIN_THIRD_PARTY = 1,
    PS_ORIGIN_STDLIB = 2,
    PS_ORIGIN_BUILTIN = 3,
    PS_ORIGIN_UNKNOWN = 4,
};

/* One row of an import log, in the order of the log (imports end in this order). */
struct ps_import {
    uint32_t id;
    uint32_t parent;   /* 0: a root, or unknown. Always 0 for cached rows */
    uint32_t importer; /* like parent; for cached rows (importtime=2) the row recovered from the
                          layout, or 0 */
    bool importer_estimated; /* the layout leaves several importers open; this is the shallowest */
    int32_t depth;           /* as printed, 0 for roots; -1: a cached row does not say */
    uint32_t
        start; /* 1.. in the order in which the timed imports began (preorder); 0 for cached rows */
    struct ps_str module;  /* valid UTF-8 */
    uint32_t package;      /* id of a ps_package */
    struct ps_num self_us; /* none for cached rows. May be negative when threads import at once */
    struct ps_num cumulative_us;
    int64_t total_us; /* max(self, 0) + sum of the children's total_us: what a picture can draw; 0
                         for cached rows */
    bool cached;
    bool startup;    /* part of the interpreter's own start, before the program */
    bool recorded;   /* of a cached one: the recorder saw it, and then all that there are */
    bool unfinished; /* its parent never ended: the program was killed, or the log was cut */
    bool topmost; /* no ancestor is of the same package: its cumulative time counts for the package
                   */
    bool first;   /* no earlier row (cached or not) has this module name */
    uint32_t children;    /* direct timed children */
    uint32_t interpreter; /* headers seen so far, from 1 */
    uint64_t line;        /* line of the input, from 1 */
};

/* A top-level package of an import log. Given before the first import. */
struct ps_package {
    uint32_t id;
    struct ps_str name;
    enum ps_origin origin;
    uint32_t modules;           /* timed rows */
    struct ps_num self_us;      /* sum over its rows */
    struct ps_num inclusive_us; /* sum of cumulative over its topmost rows: nested ones are not
                                   counted twice */
    uint32_t first;             /* id of its first topmost row in order of start; 0: none */
};

/* What one caller contributed to a function. Field order is ours, not pstats' (which swaps the
 * first two). */
struct ps_call {
    uint32_t caller;
    struct ps_num ncalls, primitive_calls; /* primitive, tottime, cumtime: none for the `profile`
                                              module, which counts only */
    struct ps_num tottime_s, cumtime_s;
};

/* One function of a pstats dump, in the order of the file. */
struct ps_function {
    uint32_t id;
    struct ps_str file, name; /* valid UTF-8; as in the file */
    uint32_t file_key;        /* from 1: functions of one file share it, others do not */
    struct ps_num line;
    struct ps_num ncalls, primitive_calls, tottime_s, cumtime_s;
    enum ps_origin origin;
    uint32_t
        cycle; /* functions that (transitively) call each other share a number; 0: not recursive */
    bool listed; /* false: only named as a caller, has no entry of its own; its numbers are 0 */
    const struct ps_call *callers; /* in the order of the file */
    uint32_t n_callers;
    const uint32_t *callees; /* ids of the functions that name this one as caller, ascending */
    uint32_t n_callees;
};

/* A source file that a line-level profiler measured. Given before its functions and lines. */
struct ps_line_file {
    uint32_t id;
    struct ps_str path; /* as recorded */
    enum ps_origin origin;
    struct ps_num cpu_pct; /* Scalene: percent of all its CPU samples */
};

/* A function of it. Functions without lines were registered and never ran. */
struct ps_line_function {
    uint32_t id;
    uint32_t file;
    struct ps_str name;  /* empty: the report lost it */
    uint32_t first_line; /* 0: unknown */
};

/* The figures of a line, each in the unit of its tool; none where the tool has no such figure. */
struct ps_line_figures {
    struct ps_num hits, ticks; /* line_profiler; ticks count in the run's unit_s */
    struct ps_num mem_mib, increment_mib, occurrences; /* memory_profiler */
    struct ps_num cpu_python_pct, cpu_native_pct, cpu_system_pct,
        gpu_pct; /* Scalene, from here on */
    struct ps_num gpu_avg_mib, gpu_peak_mib;
    struct ps_num avg_mib, peak_mib, malloc_mib, mallocs, growth_mib, usage_fraction,
        python_fraction;
    struct ps_num copy_mib_s, core_utilization, leak_likelihood, leak_mib_s;
};

/* One line, or, with of_function, a function as a whole where the tool reports it so (Scalene: it
 * contains its lines). */
struct ps_line_row {
    uint32_t file, function; /* function 0: none */
    uint32_t block;          /* memory_profiler reports a function once a call: 1, 2 ...; else 1 */
    uint32_t line;
    bool of_function;
    struct ps_str source; /* {NULL, 0}: the profile does not carry it */
    struct ps_line_figures figures;
    const double *samples; /* pairs of seconds and MiB over time, n_samples pairs */
    uint32_t n_samples;
};

/* A point of a memory curve. */
struct ps_memory_sample {
    double t_s; /* seconds since 1970, or since the start of the run where `kind` is "footprint" */
    struct ps_num process; /* none: the main one; else the child's number */
    const char *kind;      /* "rss", "child", "footprint"; static */
    struct ps_num mib;
};

/* A function call on the memory curve (mprof's FUNC). */
struct ps_span {
    struct ps_str name;
    double start_s, end_s;                   /* seconds since 1970 */
    struct ps_num start_mib, end_mib, level; /* level none: the file has no stack levels */
};

/* A text of a trace: the name of a slice, a category. Ids from 1, given before they are used. */
struct ps_trace_text {
    uint32_t id;
    struct ps_str text;
    uint32_t key; /* text id under which torch's key_averages() counts it; 0: itself */
};

/* A template of arguments (slices/args.h). Given before the slices that use it. */
struct ps_args_template {
    uint32_t id;
    struct ps_str text;
    uint32_t shapes; /* text id of the tensor shapes as torch groups by them; 0: none recorded */
};

/* A process of a trace, or a device. */
struct ps_process {
    uint32_t id;       /* from 1 */
    struct ps_str pid; /* as in the file */
    struct ps_str name, labels;
    int64_t sort;
    int64_t device;  /* index of the device it is; -1: a process */
    uint32_t worker; /* which of the job's files, from 0 */
};

/* A row of the timeline; its slices follow in chunks before the next track. */
struct ps_track {
    uint32_t id; /* from 1 */
    uint32_t process;
    enum ps_track_kind kind;
    struct ps_str name;     /* "thread 4173 (python3)", "stream 7" */
    struct ps_str tid;      /* as in the file; empty: none */
    int64_t device, stream; /* -1 none */
    int64_t sort;
    uint32_t slices, depth; /* lanes */
    int64_t start_ns, end_ns;
};

/* Arrows. kind: "ac2g", "fwdbwd", or the file's own word (text id). */
struct ps_flow {
    uint32_t kind;
    int64_t from_slice, to_slice;
    int64_t from_ns, to_ns;
};

/* A series of numbers over time. */
struct ps_counter {
    uint32_t id; /* from 1 */
    uint32_t process;
    struct ps_str name, unit; /* "GPU 0 utilization percent"; unit empty: unknown */
};

/* A [memory] record of torch. */
struct ps_memory_event {
    int64_t t_ns;
    int64_t device_type;         /* 0 CPU, 1 CUDA ... as in the file */
    int64_t device;              /* -1: host */
    int64_t bytes;               /* signed: < 0 freed */
    int64_t address;             /* 0 unknown */
    int64_t allocated, reserved; /* totals after it; -1 unknown */
    int64_t slice;               /* operator that it happened in: deepest on its thread; 0 none */
    uint32_t worker;             /* of a job; 0 where there is one */
    bool outside; /* torch counts it under [memory]: no operator of any thread was open */
};

/* A ProfilerStep, or the whole trace where it has none, with what took its time (PS_N_BREAKDOWNS
 * definitions). */
struct ps_step {
    uint32_t id; /* from 1 */
    uint32_t worker;
    struct ps_str name;       /* "ProfilerStep#5" */
    int64_t start_ns, end_ns; /* as tb_plugin draws it: to the end of its last kernel */
    int64_t host_start_ns, host_end_ns;
    bool counted; /* false: tb_plugin drops it (it ends the trace) */
};
struct ps_step_part {
    uint32_t step;
    uint8_t definition; /* enum ps_breakdown */
    const char *name;   /* static */
    int64_t ns;
};

/* What a device did between the first and the last step. NAN: the file does not say. */
struct ps_device_summary {
    int64_t device;
    uint32_t worker;
    struct ps_str name;              /* "Tesla V100", of deviceProperties; empty: unknown */
    struct ps_str json;              /* its deviceProperties as written; empty: none */
    int64_t span_ns, busy_ns;        /* busy: union of kernels */
    double sm_efficiency, occupancy; /* 0..1, 0..100 as the tools print them */
    int64_t kernel_ns, tensor_core_ns, communication_ns,
        overlap_ns; /* overlap: communication while computing */
    int64_t kernels, copies;
    /* HTA's temporal breakdown */
    int64_t hta_kernel_time_ns, hta_compute_ns, hta_non_compute_ns, hta_idle_ns;
};

/* A gap of a stream in which nothing ran. */
struct ps_gap {
    int64_t stream_track; /* track id */
    int64_t start_ns, end_ns;
    uint8_t cause;         /* 0 host wait 1 kernel wait 2 other (HTA's) */
    int64_t before, after; /* slices around it */
};

/* An nn.Module, merged by its path. */
struct ps_module {
    uint32_t id, parent; /* from 1; parent 0: outermost */
    struct ps_str name;
    int64_t calls, host_self_ns, host_total_ns, device_self_ns, device_total_ns, operators;
    int64_t first_slice;
};

/* A printed table, given before the functions or operators that stand in it. Its profile may have
 * more of them. */
struct ps_report {
    uint32_t id;                /* from 1 */
    struct ps_str stage, title; /* of several in one log; may be empty */
    struct ps_str ordered;      /* "cumulative time"; empty: not said */
    const char *by;             /* operators: "shape", "stack" where rows are by those; static */
    struct ps_num ncalls, primitive_calls; /* as printed above it; none: not said */
    struct ps_num seconds, device_seconds; /* as printed above or below it */
    struct ps_num of;     /* functions of the profile where the list was reduced; else none */
    uint32_t first, rows; /* id of the first that follows, and how many do */
};

/* What a printed table says of an operator: integers, but percentages. */
enum ps_operator_figure {
    PS_OPERATOR_CALLS = 0,
    PS_OPERATOR_SELF_CPU_NS,
    PS_OPERATOR_CPU_TOTAL_NS,
    PS_OPERATOR_CPU_MEAN_NS,
    PS_OPERATOR_SELF_DEVICE_NS,
    PS_OPERATOR_DEVICE_TOTAL_NS,
    PS_OPERATOR_DEVICE_MEAN_NS,
    PS_OPERATOR_SELF_CPU_PCT,
    PS_OPERATOR_CPU_TOTAL_PCT,
    PS_OPERATOR_SELF_DEVICE_PCT,
    PS_OPERATOR_CPU_BYTES,
    PS_OPERATOR_SELF_CPU_BYTES,
    PS_OPERATOR_DEVICE_BYTES,
    PS_OPERATOR_SELF_DEVICE_BYTES,
    PS_OPERATOR_FLOPS,
    PS_N_OPERATOR_FIGURES
};

/* An operator as a printed table of torch's profiler has it. */
struct ps_operator_row {
    uint32_t id;                                  /* from 1 over all tables */
    struct ps_str name, overload, shapes, source; /* empty: none */
    bool cut;                                     /* the name was, when it was printed */
    uint8_t family;                               /* enum ps_family */
    const struct ps_num *figures; /* PS_N_OPERATOR_FIGURES, none: the table does not say */
};

/* What else is known of a measurement: a number, or a text where there is none. */
struct ps_measured_fact {
    struct ps_str key;
    struct ps_num number;
    struct ps_str text;
};

/* One figure that a tool measured, with its spread where it measured it several times. None: the
 * tool does not say. */
struct ps_measurement {
    uint32_t id;               /* from 1 */
    struct ps_str name, group; /* rows of one group and unit are compared; may be empty */
    struct ps_num value;
    const char *unit;      /* "s", "KiB", "B", "%", "" for counts; static */
    const char *statistic; /* what value is: "mean", "best", "single"; static */
    struct ps_num n;       /* samples behind it */
    struct ps_num mean, median, stddev, min, max, q1, q3;
    double resolution; /* value of the last digit that was printed; 0: the file holds all digits */
    const double *samples;
    size_t n_samples;
    const struct ps_measured_fact *more;
    size_t n_more;
};

/* A report of PyTorch Lightning, given before its actions. */
struct ps_section {
    uint32_t id;                  /* from 1 */
    struct ps_str stage;          /* "FIT"; empty: not said */
    struct ps_num total_s, calls; /* as its Total row says; none: it has none */
};

/* What its profiler timed. */
struct ps_action {
    uint32_t id; /* from 1 over all sections */
    uint32_t section;
    struct ps_str name; /* "[LightningModule]Net.training_step" */
    struct ps_num calls, mean_s, total_s, pct;
    uint32_t report; /* the table of its functions (ps_report); 0 none */
};

enum ps_severity { PS_NOTE_INFO = 0, PS_NOTE_WARNING, PS_NOTE_REPAIRED, PS_NOTE_REJECTED };

/* A line of the ledger. */
struct ps_note {
    enum ps_severity severity;
    bool has_at;
    uint64_t at;   /* byte offset in the decompressed input */
    uint64_t line; /* 0: not a matter of lines */
    struct ps_str what;
};

/* read = stored + repaired + rejected + other. */
struct ps_ledger {
    const char *unit; /* "lines", "entries"; static */
    uint64_t read, stored, repaired, rejected;
    uint64_t other; /* no records: headers, other programs' output */
};

/* What the run says of itself, given once at the end. */
struct ps_headline {
    double value;
    const char *unit, *label; /* "s", "import"; static */
};

struct ps_sink;

struct ps_sink_ops {
    void (*meta)(struct ps_sink *, const char *key,
                 struct ps_str value); /* "tool", "tool_version", "title", ... */
    void (*number)(struct ps_sink *, const char *key,
                   struct ps_num value); /* one figure of the report's summary (docs/api.md) */
    void (*list)(struct ps_sink *, const char *key, const struct ps_str *items,
                 size_t n); /* likewise */
    void (*note)(struct ps_sink *, const struct ps_note *);
    void (*package)(struct ps_sink *, const struct ps_package *);
    void (*import)(struct ps_sink *, const struct ps_import *);
    void (*function)(struct ps_sink *, const struct ps_function *);
    void (*line_file)(struct ps_sink *, const struct ps_line_file *);
    void (*line_function)(struct ps_sink *, const struct ps_line_function *);
    void (*line)(struct ps_sink *, const struct ps_line_row *);
    void (*memory)(struct ps_sink *, const struct ps_memory_sample *);
    void (*span)(struct ps_sink *, const struct ps_span *);
    /* Traces. A text, template, process is given before what refers to it. */
    void (*text)(struct ps_sink *, const struct ps_trace_text *);
    void (*args_template)(struct ps_sink *, const struct ps_args_template *);
    void (*process)(struct ps_sink *, const struct ps_process *);
    void (*track)(struct ps_sink *, const struct ps_track *);
    void (*slices)(struct ps_sink *, const struct ps_chunk *); /* of the track given last */
    void (*flow)(struct ps_sink *, const struct ps_flow *);
    void (*counter)(struct ps_sink *, const struct ps_counter *);
    void (*count)(struct ps_sink *, uint32_t counter, int64_t t_ns, double value); /* by time */
    void (*memory_event)(struct ps_sink *, const struct ps_memory_event *);        /* by time */
    void (*step)(struct ps_sink *, const struct ps_step *);
    void (*step_part)(struct ps_sink *, const struct ps_step_part *);
    void (*device)(struct ps_sink *, const struct ps_device_summary *);
    void (*gap)(struct ps_sink *, const struct ps_gap *);
    void (*module)(struct ps_sink *, const struct ps_module *);
    /* Printed tables. */
    void (*report)(struct ps_sink *, const struct ps_report *);
    void (*operator_row)(struct ps_sink *, const struct ps_operator_row *);
    void (*section)(struct ps_sink *, const struct ps_section *);
    void (*action)(struct ps_sink *, const struct ps_action *);
    /* An empty temporary file that is gone when it is closed, on the disk of the run; -1: see err.
     */
    int (*scratch)(struct ps_sink *);
    void (*measurement)(struct ps_sink *, const struct ps_measurement *);
    void (*ledger)(struct ps_sink *, const struct ps_ledger *);
    void (*headline)(struct ps_sink *, const struct ps_headline *);
    /* Bytes taken of the input and records understood; false: stop, somebody cancelled. */
    bool (*progress)(struct ps_sink *, uint64_t done, uint64_t total, uint64_t records);
};

struct ps_sink {
    const struct ps_sink_ops *ops;
    struct ps_err err; /* the first failure of the sink itself */
};

static inline bool ps_sink_ok(const struct ps_sink *sink)
{
    return sink->err.code == PS_OK;
}

/* A note in printf's words. `at` may be PS_NOTE_NO_AT; line 0 is no line. */
#define PS_NOTE_NO_AT UINT64_MAX
void ps_sink_note(struct ps_sink *sink, enum ps_severity severity, uint64_t at, uint64_t line,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* "what: n", when n is not 0. */
void ps_sink_count(struct ps_sink *sink, enum ps_severity severity, uint64_t n, const char *what);

#endif
