/* SPDX-License-Identifier: MIT */
/*
 * sink.h: the interface to which importers write a profile. Importers do not depend on the kind of
 * sink: the store's sink writes rows, a test's sink prints text.
 *
 * A string slice in a record needs to be valid only during the call. The importer assigns ids:
 * consecutive numbers from 1, in the order of the file. The sink keeps its first error and ignores
 * later records. Importers must call ps_sink_ok regularly (every few thousand records) to notice
 * that error.
 */
#ifndef PS_IMPORTERS_SINK_H
#define PS_IMPORTERS_SINK_H

#include "base/err.h"
#include "base/num.h"
#include "base/python_origin.h"
#include "base/str.h"
#include "slices/slices.h"

/* One row of an import log, in the order of the log: a row is written when its import ends. */
struct ps_import {
    uint32_t id;
    uint32_t parent; /* id of the importing row; 0: none or unknown; always 0 for cached rows */
    /* id of the importing row, as in `parent`; for cached rows (importtime=2) inferred from the
     * indentation, or 0 */
    uint32_t importer;
    /* several importers are possible; `importer` is the importer with the lowest depth */
    bool is_importer_estimated;
    int32_t depth; /* as printed, 0 for roots; -1: a cached row whose depth is unknown */
    /* from 1, in the order in which the timed imports began (preorder); 0 for cached rows */
    uint32_t start_order;
    struct ps_str module; /* valid UTF-8 */
    uint32_t package;     /* id of a ps_package */
    /* microseconds; none for cached rows; may be negative if threads import at the same time */
    struct ps_num self_us;
    struct ps_num cumulative_us;
    /* max(self, 0) + sum of the children's total_us: width in a chart; 0 for cached rows */
    int64_t total_us;
    bool is_cached;
    bool is_startup;  /* imported by the start-up of the interpreter, before the program */
    bool is_recorded; /* cached rows: seen by the recorder, which lists every import */
    /* recorded rows: the importer imports the module only in functions */
    bool is_in_function;
    bool is_unfinished; /* the parent row is missing: the program was killed or the log is truncated
                         */
    /* no ancestor is in the same package, so the cumulative time of the row counts for the
     * package */
    bool is_topmost;
    bool is_first_of_module; /* no earlier row (cached or not) has this module name */
    uint32_t n_children;     /* number of direct timed children */
    uint32_t interpreter;    /* number of log headers up to this row, from 1 */
    uint64_t line;           /* line number in the input, from 1 */
};

/* A top-level package of an import log. Written before the first import. */
struct ps_package {
    uint32_t id;
    struct ps_str name;
    enum ps_origin origin;
    uint32_t n_modules;    /* number of timed rows */
    struct ps_num self_us; /* sum over the timed rows of the package */
    /* sum of the cumulative times of the topmost rows of the package, so that nested rows count
     * once */
    struct ps_num inclusive_us;
    uint32_t first_import; /* id of the topmost row that started first; 0: none */
};

/* The calls of a function by one caller. The order of the fields differs from that of pstats, which
 * stores primitive calls before calls. */
struct ps_call {
    uint32_t caller;
    /* ncalls is always set; primitive_calls, tottime_s and cumtime_s are none for the `profile`
     * module, which only counts calls */
    struct ps_num ncalls, primitive_calls;
    struct ps_num tottime_s, cumtime_s;
};

/* One function of a pstats dump, in the order of the file. */
struct ps_function {
    uint32_t id;
    struct ps_str file, name; /* valid UTF-8, as in the file */
    /* from 1: the same for all functions of a file, different for different files */
    uint32_t file_key;
    struct ps_num line;
    struct ps_num ncalls, primitive_calls, tottime_s, cumtime_s;
    enum ps_origin origin;
    /* number of the recursion cycle (functions that call each other, directly or indirectly); 0:
     * not recursive */
    uint32_t cycle;
    /* false: the function occurs only as a caller, without an entry; all numbers are 0 */
    bool has_entry;
    const struct ps_call *callers; /* in the order of the file */
    uint32_t n_callers;
    /* ids of the functions that have this function as a caller, ascending */
    const uint32_t *callees;
    uint32_t n_callees;
};

/* A source file measured by a line-level profiler. Written before its functions and lines. */
struct ps_line_file {
    uint32_t id;
    struct ps_str path; /* as in the profile */
    enum ps_origin origin;
    struct ps_num cpu_pct; /* Scalene: percentage of all CPU samples of the program */
};

/* A function of a ps_line_file. A function without lines was registered but never ran. */
struct ps_line_function {
    uint32_t id;
    uint32_t file;
    struct ps_str name;  /* empty: missing in the report */
    uint32_t first_line; /* 0: unknown */
};

/* The metrics of a line, in the units of the tool; none if the tool does not report the metric. */
struct ps_line_metrics {
    /* line_profiler; a tick is `unit_s` seconds, a value of the run's summary */
    struct ps_num hits, ticks;
    struct ps_num mem_mib, increment_mib, occurrences; /* memory_profiler */
    struct ps_num cpu_python_pct, cpu_native_pct, cpu_system_pct,
        gpu_pct; /* Scalene, like all fields below */
    struct ps_num gpu_avg_mib, gpu_peak_mib;
    struct ps_num avg_mib, peak_mib, malloc_mib, mallocs, growth_mib, usage_fraction,
        python_fraction;
    struct ps_num copy_mib_s, core_utilization, leak_likelihood, leak_mib_s;
};

/* A line, or a complete function (of_function) if the tool reports functions (Scalene); the metrics
 * of a function include its lines. */
struct ps_line_row {
    uint32_t file, function; /* function 0: none */
    /* number of the call for memory_profiler, which reports each call of a function: 1, 2, ...; 1
     * for other tools */
    uint32_t block;
    uint32_t line;
    bool is_function;
    struct ps_str source; /* {NULL, 0}: not in the profile */
    struct ps_line_metrics metrics;
    const double *samples; /* memory over time: n_samples pairs of seconds and MiB */
    uint32_t n_samples;
};

/* A point of a memory curve. */
struct ps_memory_sample {
    double t_s; /* seconds since 1970; since the start of the program if `kind` is "footprint" */
    struct ps_num process; /* number of the child process; none: the main process */
    const char *kind;      /* "rss", "child", "footprint"; static */
    struct ps_num mib;
};

/* A function call on the memory curve (mprof's FUNC). */
struct ps_span {
    struct ps_str name;
    double start_s, end_s;                   /* seconds since 1970 */
    struct ps_num start_mib, end_mib, level; /* level is none if the file has no stack levels */
};

/* A string of a trace, such as a slice name or a category. Written before its id is used; ids start
 * at 1. */
struct ps_trace_text {
    uint32_t id;
    struct ps_str text;
    /* id of the string under which torch's key_averages() groups this string; 0: `id` */
    uint32_t group_key;
};

/* An argument template (slices/args.h). Written before the slices that use it. */
struct ps_args_template {
    uint32_t id;
    struct ps_str text;
    /* string id of the tensor shapes, in the form that torch groups by; 0: not recorded */
    uint32_t shapes;
};

/* A process or device of a trace. */
struct ps_process {
    uint32_t id;       /* from 1 */
    struct ps_str pid; /* as in the file */
    struct ps_str name, labels;
    int64_t sort_key;
    int64_t device;  /* device index; -1: a host process */
    uint32_t worker; /* index of the file in a job, from 0 */
};

/* A track of the timeline. Its slices are written in chunks before the next track. */
struct ps_track {
    uint32_t id; /* from 1 */
    uint32_t process;
    enum ps_track_kind kind;
    struct ps_str name;     /* "thread 4173 (python3)", "stream 7" */
    struct ps_str tid;      /* as in the file; empty if there is none */
    int64_t device, stream; /* -1: none */
    int64_t sort_key;
    uint32_t n_slices, n_lanes; /* number of slices; number of lanes */
    int64_t start_ns, end_ns;
};

/* An arrow between two slices. kind: string id of "ac2g", "fwdbwd" or another category of the
 * file. */
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

/* A [memory] event of torch. */
struct ps_memory_event {
    int64_t t_ns;
    int64_t device_type;         /* 0: CPU, 1: CUDA, ...; as in the file */
    int64_t device;              /* -1: host */
    int64_t bytes;               /* negative: freed */
    int64_t address;             /* 0: unknown */
    int64_t allocated, reserved; /* totals after the event; -1: unknown */
    /* innermost operator that was open on the thread of the event; 0: none */
    int64_t slice_id;
    uint32_t worker; /* index of the file in a job; 0 for a single file */
    bool is_outside; /* no operator of any thread was open, so torch lists the event under [memory]
                      */
};

/* A ProfilerStep, a step of a serving engine (slices/serving.h), or of a loop that the importer
 * knows (importers/trace/loops.h); the complete trace if there are none. Its time is split
 * into parts in PS_N_BREAKDOWNS ways (ps_step_part).
 */
struct ps_step {
    uint32_t id; /* from 1 */
    uint32_t worker;
    struct ps_str name; /* "ProfilerStep#5" */
    /* end_ns is the end of the last kernel of the step, as in tb_plugin */
    int64_t start_ns, end_ns;
    int64_t host_start_ns, host_end_ns;
    bool
        is_counted; /* false: tb_plugin ignores the step, because it is the last one of the trace */
};
struct ps_step_part {
    uint32_t step;
    uint8_t breakdown; /* enum ps_breakdown */
    const char *name;  /* static */
    int64_t ns;
};

/* Activity of a device between the first and the last step. NAN: the value is not in the file. */
struct ps_device_summary {
    int64_t device;
    uint32_t worker;
    struct ps_str name; /* "Tesla V100", from deviceProperties; empty: unknown */
    /* deviceProperties of the device as JSON, unchanged; empty: none */
    struct ps_str json;
    int64_t span_ns, busy_ns; /* busy_ns: length of the union of all kernels */
    /* sm_efficiency: 0 to 1; occupancy: 0 to 100; the ranges of tb_plugin */
    double sm_efficiency, occupancy;
    int64_t kernel_ns, tensor_core_ns, communication_ns,
        overlap_ns; /* communication during computation */
    int64_t n_kernels, n_copies;
    /* HTA's temporal breakdown */
    int64_t hta_kernel_time_ns, hta_compute_ns, hta_non_compute_ns, hta_idle_ns;
};

/* What calls of a collective have in common. Written before its calls. */
struct ps_collective {
    uint32_t id; /* from 1 */
    /* as its arguments state it; the name of the kernel if they do not describe a collective */
    struct ps_str name;
    bool is_described; /* the arguments describe the collective, so the members below are known */
    struct ps_str group, description; /* name and description of the process group; may be empty */
    struct ps_str members; /* its ranks as in the file, which may be abbreviated; may be empty */
    uint32_t group_size;   /* ranks of the process group; 0: unknown */
    struct ps_str dtype;   /* type of the elements, as torch names it: "BFloat16"; may be empty */
};

/* A call of a collective on one rank: a kernel; in a trace without kernels of collectives the
 * operator or annotation of the host. */
struct ps_collective_call {
    int64_t slice_id;
    int64_t start_ns, duration_ns;
    uint32_t collective;
    int64_t sequence;            /* number of the collective in its process group; -1: unknown */
    int64_t bytes_in, bytes_out; /* of the messages of this rank; 0: unknown */
};

/* A time in which no stream of a device works, between its first and its last work. */
struct ps_gap {
    int64_t stream_track; /* track id of the work after the gap */
    int64_t start_ns, end_ns;
    uint8_t cause; /* in HTA's categories: 0: host wait, 1: kernel wait, 2: other */
    int64_t slice_before, slice_after; /* ids of the slices before and after the gap */
};

/* A memory snapshot of PyTorch's caching allocator. Bytes of allocations are requested bytes, those
 * of blocks are rounded up, those of segments are reserved from the driver. */

/* The text of the only frame of samples that a sampling profiler took without a frame. */
#define PS_NO_FRAME "(no frame)"

/* Stored in run files: never renumber. */
enum ps_snapshot_action {
    PS_SNAPSHOT_ALLOC = 0,
    PS_SNAPSHOT_FREE_REQUESTED = 1, /* the tensor died; the block may wait for a stream */
    PS_SNAPSHOT_FREE_COMPLETED = 2,
    PS_SNAPSHOT_SEGMENT_ALLOC = 3, /* bytes from the driver; map and unmap: expandable segments */
    PS_SNAPSHOT_SEGMENT_FREE = 4,
    PS_SNAPSHOT_SEGMENT_MAP = 5,
    PS_SNAPSHOT_SEGMENT_UNMAP = 6,
    PS_SNAPSHOT_TAKEN = 7, /* a snapshot; bytes: allocated */
    PS_SNAPSHOT_OOM = 8,   /* bytes: asked for; address: bytes that the driver had free */
    PS_N_SNAPSHOT_ACTIONS
};
enum ps_block_state {
    PS_BLOCK_ALLOCATED = 0,
    PS_BLOCK_PENDING_FREE = 1, /* freed, but another stream may still use it */
    PS_BLOCK_INACTIVE = 2,
    PS_N_BLOCK_STATES
};

/* Texts, frames and stacks have ids from 1. A text is written before rows that refer to it; frames
 * and stacks are written after all events. */
struct ps_snapshot_text {
    uint32_t id;
    struct ps_str text;
};
struct ps_snapshot_frame {
    uint32_t id;
    struct ps_str name, file;
    int64_t line;   /* 0: unknown */
    bool is_hidden; /* one of the frames that PyTorch's viewer leaves out */
};
/* A tree: the frame of a stack was called by the frame of its parent. */
struct ps_snapshot_stack {
    uint32_t id, parent; /* parent 0: outermost frame */
    uint32_t frame;
    uint32_t shown; /* the same stack without hidden frames; 0: all are hidden */
};
/* The streams and the private pools, in the order in which they occur. Number 0 is the default. */
struct ps_snapshot_stream {
    uint32_t number;
    int64_t pointer; /* cudaStream_t: the bits of an unsigned number */
};
struct ps_snapshot_pool {
    uint32_t number;
    int64_t a, b; /* the parts of segment_pool_id */
};

/* An event of a device, in the order of the file. Its device is written later. */
struct ps_snapshot_event {
    uint32_t device; /* id of a ps_snapshot_device */
    int64_t index;   /* position in the trace of the device */
    int64_t t_us;    /* since 1970; -1: unknown */
    enum ps_snapshot_action action;
    int64_t address, bytes;
    uint32_t stream, pool; /* numbers */
    uint32_t stack;        /* 0: none */
    /* after the event, minus the values before the first event (live_before, reserved_before) */
    int64_t live, reserved;
    uint32_t context, user, category; /* texts: compile_context, user_metadata, category; 0: none */
};

enum ps_allocation_flag {
    PS_ALLOCATION_BEFORE = 1,  /* it began before the first event */
    PS_ALLOCATION_KEPT = 2,    /* it is live after the last event */
    PS_ALLOCATION_PENDING = 4, /* it is kept only because another stream may still use it */
};
/* An allocation, in the order of their ends. */
struct ps_snapshot_allocation {
    uint32_t device;
    int64_t start, end;       /* indexes of events; start -1: before, end n_events: kept */
    int64_t start_us, end_us; /* -1: unknown */
    int64_t address, bytes;
    uint32_t stream, pool, stack; /* before and freed: the stack of the free */
    unsigned flags;               /* enum ps_allocation_flag */
};

#define PS_SNAPSHOT_LEVEL_EVENTS 1024
/* PS_SNAPSHOT_LEVEL_EVENTS consecutive events of a device; fewer at its end. */
struct ps_snapshot_level {
    uint32_t device;
    int64_t first; /* index of the first event */
    int64_t t_us;  /* of the first event; -1: unknown */
    int64_t live_min, live_max, live_max_index, live_last;
    int64_t reserved_max, reserved_last;
};

struct ps_snapshot_segment {
    uint32_t id, device;
    int64_t address, total, allocated, active, requested; /* requested -1: not in the file */
    uint32_t stream, pool, stack;
    bool is_large, is_expandable;
    uint32_t n_blocks;
};
/* A block of the segment that was written last, in order of address. */
struct ps_snapshot_block {
    uint32_t id, segment;
    int64_t address, bytes, requested; /* requested 0: inactive */
    enum ps_block_state state;
    uint32_t stack;
};
/* A mark such as the begin of an optimizer step (external_annotations). */
struct ps_snapshot_mark {
    int64_t device, t_us;
    uint32_t name; /* text */
    bool is_end;
};
/* Live allocations of a stack at the peak of its device. */
struct ps_snapshot_owner {
    uint32_t device, stack; /* stack: without hidden frames; 0: no frames */
    int64_t bytes, count;
};

/* A device of a snapshot with its sums. Written after its events. */
struct ps_snapshot_device {
    uint32_t id;
    int64_t number;                     /* as in the file */
    int64_t events;                     /* 0: history was off; positions in the file */
    int64_t first_us, last_us;          /* -1: unknown */
    int64_t segments, reserved;         /* at the end, like the following */
    int64_t allocated, requested;       /* of blocks in use: rounded, requested */
    int64_t pending;                    /* of blocks that wait to be free */
    int64_t free_bytes, inactive_split; /* the latter cannot be returned to the driver */
    int64_t largest_free;               /* largest inactive block */
    double fragmentation;               /* sum of hole^2 / reserved^2 */
    int64_t before_count, live_before;  /* allocations that are older than the first event */
    int64_t peak_live, peak_index;      /* index -1: before the first event */
    int64_t live_end;
    int64_t reserved_before, peak_reserved;
    int64_t ooms; /* failed allocations; of the first one: */
    int64_t oom_index, oom_bytes, oom_free;
};

/* An nn.Module. Modules with the same path are merged. */
struct ps_module {
    uint32_t id, parent; /* ids from 1; parent 0: outermost */
    struct ps_str name;
    int64_t n_calls, host_self_ns, host_total_ns, device_self_ns, device_total_ns, n_operators;
    int64_t first_slice;
};

/* A printed table, written before its functions or operators. The profile may have had more rows
 * than the table shows. */
struct ps_report {
    uint32_t id;                /* from 1 */
    struct ps_str stage, title; /* distinguish the tables of a log; may be empty */
    struct ps_str sort_key;     /* sort key as printed, such as "cumulative time"; empty: unknown */
    /* tables of operators: "shape" or "stack" if rows are grouped by shape or stack; static */
    const char *grouped_by;
    /* totals as printed above the table; none: not printed */
    struct ps_num ncalls, primitive_calls;
    /* totals as printed above or below the table; none: not printed */
    struct ps_num seconds, device_seconds;
    /* number of functions in the profile if the table shows only some of them; else none */
    struct ps_num n_profile_functions;
    uint32_t first_row, n_rows; /* id of the first row of the table; number of rows */
};

/* The metrics of an operator in a printed table. All are integers except the percentages. */
enum ps_operator_metric {
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
    PS_N_OPERATOR_METRICS
};

/* A row of a table printed by torch's profiler. */
struct ps_operator_row {
    uint32_t id;                                  /* from 1, over all tables */
    struct ps_str name, overload, shapes, source; /* empty if the table lacks the column */
    bool is_truncated;                            /* the printed name is truncated */
    uint8_t family;                               /* enum ps_family */
    /* PS_N_OPERATOR_METRICS values, by enum ps_operator_metric; none: not in the table */
    const struct ps_num *metrics;
};

/* An additional value of a measurement: a number, or a string if the number is none. */
struct ps_measurement_extra {
    struct ps_str key;
    struct ps_num number;
    struct ps_str text;
};

/* A value measured by a tool, with its spread if it was measured several times. Values that the
 * tool does not report are none. */
struct ps_measurement {
    uint32_t id; /* from 1 */
    /* `group` may be empty; rows with the same group and unit are compared */
    struct ps_str name, group;
    struct ps_num value;
    const char *unit;      /* "s", "KiB", "B", "%", or "" for counts; static */
    const char *statistic; /* kind of value: "mean", "best", "single"; static */
    struct ps_num n;       /* number of samples */
    struct ps_num mean, median, stddev, min, max, q1, q3;
    double resolution; /* the value of 1 in the last printed digit; 0: the file has all digits */
    const double *samples;
    size_t n_samples;
    const struct ps_measurement_extra *extras;
    size_t n_extras;
};

/* A profiler report of PyTorch Lightning, written before its actions. */
struct ps_section {
    uint32_t id;         /* from 1 */
    struct ps_str stage; /* "FIT"; empty: unknown */
    /* from the Total row of the report; none if the report has no such row */
    struct ps_num total_s, calls;
};

/* An action timed by PyTorch Lightning's profiler. */
struct ps_action {
    uint32_t id; /* from 1, over all sections */
    uint32_t section;
    struct ps_str name; /* "[LightningModule]Net.training_step" */
    struct ps_num calls, mean_s, total_s, pct;
    uint32_t report; /* id of the ps_report with its functions; 0: none */
};

enum ps_severity { PS_NOTE_INFO = 0, PS_NOTE_WARNING, PS_NOTE_REPAIRED, PS_NOTE_REJECTED };

/* An entry of the ledger. */
struct ps_note {
    enum ps_severity severity;
    bool has_offset;
    uint64_t offset; /* byte offset in the decompressed input */
    uint64_t line;   /* 0: does not refer to a line */
    struct ps_str text;
};

/* Numbers of input records: read = stored + repaired + rejected + other. */
struct ps_ledger {
    const char *unit; /* "lines", "entries"; static */
    uint64_t read, stored, repaired, rejected;
    uint64_t other; /* not records: headers, output of other programs */
};

/* The main metric of the run, written once at the end. */
struct ps_headline {
    double value;
    const char *unit, *label; /* "s", "import"; copied */
};

struct ps_sink;

struct ps_sink_ops {
    void (*meta)(struct ps_sink *, const char *key,
                 struct ps_str value); /* key: "tool", "tool_version", "title", ... */
    void (*number)(struct ps_sink *, const char *key,
                   struct ps_num value); /* a value of the report's summary (docs/api.md) */
    void (*list)(struct ps_sink *, const char *key, const struct ps_str *items,
                 size_t n); /* a list of the report's summary */
    void (*note)(struct ps_sink *, const struct ps_note *);
    void (*package)(struct ps_sink *, const struct ps_package *);
    void (*import)(struct ps_sink *, const struct ps_import *);
    void (*function)(struct ps_sink *, const struct ps_function *);
    void (*line_file)(struct ps_sink *, const struct ps_line_file *);
    void (*line_function)(struct ps_sink *, const struct ps_line_function *);
    void (*line)(struct ps_sink *, const struct ps_line_row *);
    void (*memory)(struct ps_sink *, const struct ps_memory_sample *);
    void (*span)(struct ps_sink *, const struct ps_span *);
    /* Traces. Strings, templates and processes are written before the records that refer to
     * them. */
    void (*text)(struct ps_sink *, const struct ps_trace_text *);
    void (*args_template)(struct ps_sink *, const struct ps_args_template *);
    void (*process)(struct ps_sink *, const struct ps_process *);
    void (*track)(struct ps_sink *, const struct ps_track *);
    /* slices of the track that was written last */
    void (*slices)(struct ps_sink *, const struct ps_chunk *);
    void (*flow)(struct ps_sink *, const struct ps_flow *);
    void (*counter)(struct ps_sink *, const struct ps_counter *);
    /* in order of time */
    void (*counter_value)(struct ps_sink *, uint32_t counter, int64_t t_ns, double value);
    /* in order of time */
    void (*memory_event)(struct ps_sink *, const struct ps_memory_event *);
    void (*collective)(struct ps_sink *, const struct ps_collective *);
    void (*collective_call)(struct ps_sink *, const struct ps_collective_call *);
    void (*step)(struct ps_sink *, const struct ps_step *);
    /* after its step and before the next one */
    void (*step_part)(struct ps_sink *, const struct ps_step_part *);
    void (*device)(struct ps_sink *, const struct ps_device_summary *);
    void (*gap)(struct ps_sink *, const struct ps_gap *);
    void (*module)(struct ps_sink *, const struct ps_module *);
    /* Memory snapshots. */
    void (*snapshot_text)(struct ps_sink *, const struct ps_snapshot_text *);
    void (*snapshot_frame)(struct ps_sink *, const struct ps_snapshot_frame *);
    void (*snapshot_stack)(struct ps_sink *, const struct ps_snapshot_stack *);
    void (*snapshot_stream)(struct ps_sink *, const struct ps_snapshot_stream *);
    void (*snapshot_pool)(struct ps_sink *, const struct ps_snapshot_pool *);
    void (*snapshot_event)(struct ps_sink *, const struct ps_snapshot_event *);
    void (*snapshot_allocation)(struct ps_sink *, const struct ps_snapshot_allocation *);
    void (*snapshot_level)(struct ps_sink *, const struct ps_snapshot_level *);
    void (*snapshot_segment)(struct ps_sink *, const struct ps_snapshot_segment *);
    void (*snapshot_block)(struct ps_sink *, const struct ps_snapshot_block *);
    void (*snapshot_mark)(struct ps_sink *, const struct ps_snapshot_mark *);
    void (*snapshot_owner)(struct ps_sink *, const struct ps_snapshot_owner *);
    void (*snapshot_device)(struct ps_sink *, const struct ps_snapshot_device *);
    /* Printed tables. */
    void (*report)(struct ps_sink *, const struct ps_report *);
    void (*operator_row)(struct ps_sink *, const struct ps_operator_row *);
    void (*section)(struct ps_sink *, const struct ps_section *);
    void (*action)(struct ps_sink *, const struct ps_action *);
    /* Opens an empty temporary file on the disk of the run, which is deleted on close; the caller
     * closes the descriptor. -1: failure, see err. */
    int (*open_scratch)(struct ps_sink *);
    void (*measurement)(struct ps_sink *, const struct ps_measurement *);
    void (*ledger)(struct ps_sink *, const struct ps_ledger *);
    void (*headline)(struct ps_sink *, const struct ps_headline *);
    /* Reports bytes read, total bytes and records parsed. False: the import was cancelled. */
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

/* Writes a note; fmt as in printf. `at` is a byte offset or PS_NOTE_NO_OFFSET; line 0: no line. */
#define PS_NOTE_NO_OFFSET UINT64_MAX
void ps_sink_note(struct ps_sink *sink, enum ps_severity severity, uint64_t at, uint64_t line,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Writes the note "what: n" if n is not 0. */
void ps_sink_count(struct ps_sink *sink, enum ps_severity severity, uint64_t n, const char *what);
/* Writes the metrics started_us and ended_us: time 0 of the run and its end, in us since 1970. A
 * time before 2010 or after 2100 counts from something else, such as the start of the machine; then
 * nothing is written. */
void ps_sink_recorded(struct ps_sink *sink, int64_t start_us, int64_t end_us);

#endif
