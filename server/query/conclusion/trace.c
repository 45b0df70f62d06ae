/* SPDX-License-Identifier: MIT */
/*
 * trace.c: the conclusion of a trace with operators, or with the work of devices.
 *
 * The wall time of a step is divided as in the TensorBoard plugin: each moment counts for the first
 * of kernel, copy, set, communication, driver call, wait for data and operator that was active, so
 * the parts add up to the step. Without steps the whole trace is divided, for each worker.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/format.h"
#include "server/query/conclusion/unit_causes.h"
#include "server/query/trace/graph_captures.h"
#include "server/query/trace/rules.h"
#include "server/query/trace/trace_views.h"
#include "slices/driver_calls.h"

#define CAUSE_SHARE 0.02 /* smaller parts of a step are not causes */
/* share of a step; a driver call that blocks longer is a cause of its own */
#define BLOCKING_SHARE     0.10
#define VERDICT_SHARE      0.25 /* share of a step; a part with a larger share explains the step */
#define ODD_STEP_SHARE     0.50 /* share of all steps; a longer step is told apart */
#define ONCE_SHARE         0.90 /* of the time of all calls: one call that has more happens once */
#define PART_SHARE         0.10 /* share of a cause; smaller parts of the cause are not listed */
#define PARTS_MAX          3
#define STEPS_READ         16     /* of which is told whether torch.compile works in them */
#define STEPS_COMPILING    3      /* torch.compile that works in so many compiles again */
#define NEEDED_SHARE       0.4    /* of a step: matrix products and others that a program needs */
#define TOP_OPERATOR_SHARE 0.4    /* of a step: an operator with more stands out */
#define IDLE_UNIT          0.4    /* of the idle time: a function that stands out */
#define DOUBLE_SHARE       0.5    /* of a step: operators on float64 that stand out */
#define ITERATIONS         3      /* calls of an annotation that may be the steps */
#define ITERATIONS_COVER   0.8    /* of the trace */
#define LARGE_SHARE        0.6    /* of a step: operators that take long each */
#define SMALL_MEAN_NS      100000 /* mean duration of operators that are many and small */
#define MANY_OPERATORS     100    /* a step; fewer are no loop over small operators */
#define MANY_ITEMS         16     /* a step: conversions of tensors to numbers */
/* A launch takes about 5 µs. It blocks if it loads or compiles the kernel, or if the queue of the
 * device is full. */
#define LAUNCH_BLOCKS_NS 1000000

/* Sums of the driver calls with one name that ran while the device was idle. */
struct blocking {
    int64_t calls, ns, longest_ns;
    int64_t longest; /* slice id */
    int64_t longest_start_ns;
};

/* Rows of a query, without its limit. */
struct row_sum {
    int64_t calls, ns; /* ns: with overlaps */
};

/* Numbers of calls in the span. */
struct call_counts {
    double copies, sets, driver, loads, host_collectives, ranges;
};

struct worker_time {
    uint32_t track;                /* the thread with the program's loop; 0: none */
    uint64_t n_of_track;           /* its operators, annotations and Python frames */
    struct ps_intervals each_step; /* counted */
    struct ps_intervals steps;     /* joined */
    struct ps_intervals of_device; /* joined: kernels, copies, sets, communication */
    /* joined: captures of graphs; the profiler's own time; both with the work of the device */
    struct ps_intervals captures, overhead, explained;
    int64_t first_launch_ns; /* of the recording; INT64_MAX: none */
};

/* What a driver call that blocks while the device is idle waits for. */
enum block {
    BLOCKS_OFTEN,
    BLOCKS_ONCE, /* one call has nearly all of the time, before any work: it starts the device */
    WAITS_FOR_EARLIER /* work that was launched before the recording */
};

struct trace {
    struct ps_db *db;
    struct ps_range span;
    int64_t n_steps; /* number of counted steps */
    bool has_marks;  /* the file marks steps; else the parts are of the whole trace */
    double divisor;  /* number of steps, or of workers if there are no steps */
    double wall_s;   /* mean wall time of a step, or of a worker if there are no steps */
    double parts_s[PS_N_ROLES + 1];
    /* parts of parts_s in captures, and in the profiler's own time; 0 if they are no cause */
    double captures_s[PS_N_ROLES + 1], overhead_s[PS_N_ROLES + 1];
    struct ps_graph_captures captures; /* those that overlap steps */
    bool has_devices;
    struct ps_range_sums sums;
    struct ps_track_owners owners;
    struct worker_time *workers;
    struct blocking *blocking; /* by text id */
    size_t n_blocking;
    struct row_sum kernels, collectives, operators, phases; /* of the span */
    struct call_counts counts;
    int64_t n_compiling;        /* steps in which torch.compile works, of the first STEPS_READ */
    double compile_s;           /* parts_s[PS_ROLE_CPU] in phases of torch.compile */
    double longest_s, median_s; /* steps; the median is of the others if one is left out */
    struct odd_step {
        bool is_left_out;
        struct ps_interval time;
        double compile_s; /* phases of torch.compile in it */
    } odd;
    struct ps_host_windows windows;
    struct ps_host_window *window_items; /* by worker */
    struct ps_host_units units;
    bool is_torch;             /* else: Nsight Systems */
    const char *operators_tab; /* the tab that lists slices of the host by name */
    struct ps_trace_facts facts;
    struct ps_check *checks;
    size_t n_checks;
    size_t blocking_name; /* text id of the driver calls that are a cause of their own; 0: none */
    double blocking_s;    /* their time in a step, while the device is idle */
    enum block block;
    struct ps_late_rank late;
};

static void trace_free(struct trace *trace)
{
    for (uint32_t w = 0; trace->workers && w < trace->sums.n_workers; w++) {
        ps_intervals_free(&trace->workers[w].each_step);
        ps_intervals_free(&trace->workers[w].steps);
        ps_intervals_free(&trace->workers[w].of_device);
        ps_intervals_free(&trace->workers[w].captures);
        ps_intervals_free(&trace->workers[w].overhead);
        ps_intervals_free(&trace->workers[w].explained);
    }
    free(trace->workers);
    ps_graph_captures_free(&trace->captures);
    free(trace->blocking);
    free(trace->window_items);
    ps_host_units_free(&trace->units);
    free(trace->checks);
    ps_trace_facts_free(&trace->facts);
    ps_track_owners_free(&trace->owners);
    ps_range_sums_free(&trace->sums);
}

static int64_t length_of(const struct ps_interval *step)
{
    return step->end - step->start;
}

static int by_length(const void *a, const void *b)
{
    const int64_t x = length_of(a), y = length_of(b);

    return (x > y) - (x < y);
}

/* Finds the median, and a step that takes more than all others. The first or the last one is left
 * out, so that shares are of steps that are alike: the first step compiles, loads or starts what
 * the others use. With several workers their steps overlap, and none is left out. */
static size_t find_odd_step(struct trace *trace, struct ps_interval *steps, size_t n)
{
    struct ps_interval longest;
    double all_s = 0;
    bool is_first = true, is_last = true;

    if (!n)
        return 0;
    qsort(steps, n, sizeof *steps, by_length);
    longest = steps[n - 1];
    trace->longest_s = (double)length_of(&longest) / 1e9;
    for (size_t i = 0; i < n; i++) {
        all_s += (double)length_of(&steps[i]) / 1e9;
        is_first &= longest.start <= steps[i].start;
        is_last &= longest.end >= steps[i].end;
    }
    trace->odd.is_left_out = trace->has_marks && n > 2 && trace->sums.n_workers == 1 &&
                             trace->longest_s > ODD_STEP_SHARE * all_s && is_first != is_last;
    if (trace->odd.is_left_out) {
        trace->odd.time = longest;
        n--;
        if (is_first)
            trace->span.from_ns = longest.end;
        else
            trace->span.to_ns = longest.start;
    }
    trace->median_s =
        ((double)length_of(&steps[(n - 1) / 2]) + (double)length_of(&steps[n / 2])) / 2e9;
    return n;
}

static enum ps_status read_steps(struct trace *trace, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) struct ps_interval *steps = NULL;
    size_t n = 0, cap = 0;

    ps_db_prepare(trace->db, ps_query_sql("conclude_steps"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t worker = ps_col_int(stmt, 0);

        if (worker < 0 || worker >= trace->sums.n_workers)
            continue; /* a worker without tracks has no work either */
        ps_intervals_add(&trace->workers[worker].steps, ps_col_int(stmt, 1), ps_col_int(stmt, 2));
        trace->has_marks |= ps_col_int(stmt, 3) != 0;
        PS_RESERVE_ONE(steps, n, cap);
        steps[n++] = (struct ps_interval){ps_col_int(stmt, 1), ps_col_int(stmt, 2)};
    }
    n = find_odd_step(trace, steps, n);
    trace->n_steps = (int64_t)n;
    if (trace->odd.is_left_out) {
        trace->workers[0].steps.n = 0;
        for (size_t i = 0; i < n; i++)
            ps_intervals_add(&trace->workers[0].steps, steps[i].start, steps[i].end);
    }
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        if (!trace->n_steps)
            ps_intervals_add(&trace->workers[w].steps, trace->span.from_ns, trace->span.to_ns);
        ps_intervals_add_all(&trace->workers[w].each_step, &trace->workers[w].steps);
        ps_intervals_join(&trace->workers[w].steps);
    }
    trace->divisor = trace->n_steps ? (double)trace->n_steps : trace->sums.n_workers;
    return err->code;
}

/* Divides the steps of all workers into parts. */
static void divide_steps(struct trace *trace)
{
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        const struct ps_worker_sums *sums = &trace->sums.workers[w];
        struct worker_time *worker = &trace->workers[w];

        for (size_t i = 0; i < worker->steps.n; i++) {
            struct ps_part parts[PS_PARTS_MAX];
            size_t n = ps_breakdown_compute(PS_BREAKDOWN_TENSORBOARD, sums->roles, NULL,
                                            worker->steps.items[i].start,
                                            worker->steps.items[i].end, parts);

            for (size_t k = 0; k < n; k++)
                trace->parts_s[k] += (double)parts[k].ns / 1e9 / trace->divisor;
        }
        for (size_t role = PS_ROLE_KERNEL; role <= PS_ROLE_COMMUNICATION; role++)
            ps_intervals_add_all(&worker->of_device, &sums->roles[role]);
        ps_intervals_join(&worker->of_device);
    }
    for (size_t k = 0; k <= PS_N_ROLES; k++)
        trace->wall_s += trace->parts_s[k];
}

/* The time of a step, or of a worker, in which the device waits for the host. */
static double host_seconds(const double parts_s[PS_N_ROLES + 1])
{
    return parts_s[PS_ROLE_RUNTIME] + parts_s[PS_ROLE_CPU] + parts_s[PS_N_ROLES];
}

/* Assigns captures to workers; drops those outside of the steps. */
static void assign_captures(struct trace *trace)
{
    size_t n = 0;

    for (size_t i = 0; i < trace->captures.n; i++) {
        const struct ps_graph_capture capture = trace->captures.items[i];
        uint32_t w = ps_track_owner_of(&trace->owners, capture.track).worker;

        if (w >= trace->sums.n_workers ||
            ps_intervals_length(&trace->workers[w].steps, capture.start, capture.end) <= 0)
            continue;
        ps_intervals_add(&trace->workers[w].captures, capture.start, capture.end);
        trace->captures.items[n++] = capture;
    }
    trace->captures.n = n;
}

/* Divides what is in both the intervals and the steps of a worker into parts. */
static void divide_within(const struct trace *trace, const struct worker_time *worker,
                          const struct ps_intervals *within, const struct ps_worker_sums *sums,
                          double seconds[PS_N_ROLES + 1])
{
    size_t first = 0;

    for (size_t i = 0; i < worker->steps.n; i++) {
        const struct ps_interval step = worker->steps.items[i];

        while (first < within->n && within->items[first].end <= step.start)
            first++;
        for (size_t k = first; k < within->n; k++) {
            const struct ps_interval inner = within->items[k];
            struct ps_part parts[PS_PARTS_MAX];
            size_t n;

            if (inner.start >= step.end)
                break;
            n = ps_breakdown_compute(PS_BREAKDOWN_TENSORBOARD, sums->roles, NULL,
                                     inner.start > step.start ? inner.start : step.start,
                                     inner.end < step.end ? inner.end : step.end, parts);
            for (size_t role = 0; role < n; role++)
                seconds[role] += (double)parts[role].ns / 1e9 / trace->divisor;
        }
    }
}

/* Captures are a cause of their own if they are long enough: the parts in them are taken out of the
 * other causes. */
static enum ps_status read_captures(struct trace *trace, struct ps_err *err)
{
    if (!trace->has_devices || ps_graph_captures_read(trace->db, &trace->captures, err) != PS_OK)
        return err->code;
    assign_captures(trace);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        ps_intervals_join(&trace->workers[w].captures);
        divide_within(trace, &trace->workers[w], &trace->workers[w].captures,
                      &trace->sums.workers[w], trace->captures_s);
    }
    if (host_seconds(trace->captures_s) >= CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    memset(trace->captures_s, 0, sizeof trace->captures_s);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++)
        trace->workers[w].captures.n = 0;
    return PS_OK;
}

static bool visit_overhead(void *user, const struct ps_chunk *chunk)
{
    struct trace *trace = user;
    uint32_t w = ps_track_owner_of(&trace->owners, chunk->track).worker;

    for (uint32_t i = 0; w < trace->sums.n_workers && i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), end;

        if (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_OVERHEAD &&
            !__builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end))
            ps_intervals_add(&trace->workers[w].overhead, start, end);
    }
    return true;
}

/* The profiler's own time is no cause: what happens in it is taken out of the causes, if it is long
 * enough. Captures have their own cause. */
static enum ps_status read_overhead(struct trace *trace, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .slice_kinds = 1u << PS_SLICE_OVERHEAD,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_KIND),
    };

    ps_trace_each_chunk(trace->db, &query, visit_overhead, trace, err);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        struct worker_time *worker = &trace->workers[w];

        ps_intervals_join(&worker->overhead);
        if (worker->captures.n)
            worker->overhead.n = 0;
        divide_within(trace, worker, &worker->overhead, &trace->sums.workers[w], trace->overhead_s);
    }
    if (host_seconds(trace->overhead_s) >= CAUSE_SHARE * trace->wall_s)
        return err->code;
    memset(trace->overhead_s, 0, sizeof trace->overhead_s);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++)
        trace->workers[w].overhead.n = 0;
    return err->code;
}

/* The time of a part that no other cause explains. */
static double left_of(const struct trace *trace, size_t role)
{
    return fmax(trace->parts_s[role] - trace->captures_s[role] - trace->overhead_s[role], 0);
}

static bool starts_work(struct trace *trace, int64_t name)
{
    return ps_driver_call_of(ps_trace_text(trace->db, (uint32_t)name)) >= PS_CALL_GRAPH_LAUNCH;
}

static bool visit_launches(void *user, const struct ps_chunk *chunk)
{
    struct trace *trace = user;
    uint32_t w = ps_track_owner_of(&trace->owners, chunk->track).worker;
    struct worker_time *worker = &trace->workers[w < trace->sums.n_workers ? w : 0];

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);

        if (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_RUNTIME && name > 0 &&
            start < worker->first_launch_ns && starts_work(trace, name))
            worker->first_launch_ns = start;
    }
    return true;
}

static bool visit_calls(void *user, const struct ps_chunk *chunk)
{
    struct trace *trace = user;
    uint32_t w = ps_track_owner_of(&trace->owners, chunk->track).worker;
    const struct worker_time *worker = &trace->workers[w < trace->sums.n_workers ? w : 0];

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), end;
        int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i), ns;
        struct blocking *calls;

        if (ps_chunk_value(chunk, PS_COL_KIND, i) != PS_SLICE_RUNTIME || name <= 0 ||
            (uint64_t)name >= trace->n_blocking ||
            __builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end))
            continue;
        ns = ps_intervals_length(&worker->steps, start, end) -
             ps_intervals_common_length(&worker->steps, &worker->explained, start, end);
        if (ns <= 0)
            continue;
        calls = &trace->blocking[name];
        calls->calls++;
        calls->ns = ps_add_saturated(calls->ns, ns);
        if (ns > calls->longest_ns) {
            calls->longest_ns = ns;
            calls->longest = ps_slice_id(chunk->track, chunk->first + i);
            calls->longest_start_ns = start;
        }
    }
    return true;
}

static enum ps_status read_blocking(struct trace *trace, struct ps_err *err)
{
    struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = 1u << PS_SLICE_RUNTIME,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND),
    };

    if (ps_trace_get_text_end(trace->db, &trace->n_blocking, err) != PS_OK)
        return err->code;
    trace->blocking = ps_alloc_array(trace->n_blocking + 1, sizeof *trace->blocking);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        struct worker_time *worker = &trace->workers[w];

        ps_intervals_add_all(&worker->explained, &worker->of_device);
        ps_intervals_add_all(&worker->explained, &worker->captures);
        ps_intervals_add_all(&worker->explained, &worker->overhead);
        ps_intervals_join(&worker->explained);
    }
    for (uint32_t w = 0; w < trace->sums.n_workers; w++)
        trace->workers[w].first_launch_ns = INT64_MAX;
    ps_trace_each_chunk(trace->db, &query, visit_calls, trace, err);
    query.range = PS_RANGE_ALL;
    return ps_trace_each_chunk(trace->db, &query, visit_launches, trace, err);
}

/* Counts the operators, annotations and Python frames of threads, by track id. */
struct track_counts {
    uint64_t *n_of_track;
    size_t n;
};

static bool count_slices(void *user, const struct ps_chunk *chunk)
{
    struct track_counts *counts = user;

    counts->n_of_track =
        ps_grow_to(counts->n_of_track, &counts->n, chunk->track, sizeof *counts->n_of_track);
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);

        counts->n_of_track[chunk->track] +=
            kind == PS_SLICE_ANNOTATION || kind == PS_SLICE_PYTHON || kind == PS_SLICE_OP;
    }
    return true;
}

/* Finds the thread of each worker that has most of the slices: others may only wait. */
static enum ps_status find_threads(struct trace *trace, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = 1u << PS_SLICE_ANNOTATION | 1u << PS_SLICE_PYTHON | 1u << PS_SLICE_OP,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_KIND),
    };
    struct track_counts counts = {.n = 0};

    ps_trace_each_chunk(trace->db, &query, count_slices, &counts, err);
    for (uint32_t t = 0; t < counts.n; t++) {
        uint32_t w = ps_track_owner_of(&trace->owners, t).worker;

        if (w < trace->sums.n_workers && counts.n_of_track[t] > trace->workers[w].n_of_track) {
            trace->workers[w].n_of_track = counts.n_of_track[t];
            trace->workers[w].track = t;
        }
    }
    free(counts.n_of_track);
    return err->code;
}

/* Charges the time of the host to functions and annotations of the program: all of it, or that in
 * which the device is idle. */
static enum ps_status read_units(struct trace *trace, struct ps_err *err)
{
    if (!trace->is_torch || find_threads(trace, err) != PS_OK)
        return err->code;
    trace->window_items = ps_alloc_array(trace->sums.n_workers, sizeof *trace->window_items);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++)
        trace->window_items[w] = (struct ps_host_window){
            .track = trace->workers[w].track,
            .steps = &trace->workers[w].steps,
            .busy = trace->has_devices ? &trace->workers[w].explained : NULL};
    trace->windows = (struct ps_host_windows){
        .items = trace->window_items, .n = trace->sums.n_workers, .owners = &trace->owners};
    return ps_host_units_read(trace->db, &trace->windows, &trace->units, err);
}

/* Prepares one of the queries conclude_kernels, with the flag :communication, and
 * conclude_operators, with the flag :compile. */
static enum ps_status prepare_rows(const struct trace *trace, const char *query, bool flag,
                                   struct ps_stmt **out, struct ps_err *err)
{
    bool of_kernels = strcmp(query, "conclude_kernels") == 0;

    ps_db_prepare(trace->db, ps_query_sql(query), out, err);
    ps_bind_int(*out, ":from", trace->span.from_ns);
    ps_bind_int(*out, ":to", trace->span.to_ns);
    ps_bind_int(*out, of_kernels ? ":communication" : ":compile", flag);
    return err->code;
}

static enum ps_status sum_rows(struct trace *trace, const char *query, bool flag,
                               struct row_sum *sum, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *sum = (struct row_sum){0};
    prepare_rows(trace, query, flag, &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        sum->calls = ps_add_saturated(sum->calls, ps_col_int(stmt, 1));
        sum->ns = ps_add_saturated(sum->ns, ps_col_int(stmt, 2));
    }
    return err->code;
}

/* torch.compile writes its phases as operators. They are a cause of their own. */
static enum ps_status sum_operators(struct trace *trace, struct ps_err *err)
{
    sum_rows(trace, "conclude_operators", false, &trace->operators, err);
    sum_rows(trace, "conclude_operators", true, &trace->phases, err);
    trace->compile_s =
        fmin((double)trace->phases.ns / 1e9 / trace->divisor, left_of(trace, PS_ROLE_CPU));
    return err->code;
}

/* Counts the steps in which torch.compile takes a tenth or more. */
static enum ps_status count_compiling(struct trace *trace, struct ps_err *err)
{
    const struct ps_range span = trace->span;
    const struct ps_intervals *steps = &trace->workers[0].each_step;

    if (!trace->has_marks || trace->compile_s < CAUSE_SHARE * trace->wall_s)
        return err->code;
    for (size_t i = 0; i < steps->n && i < STEPS_READ && err->code == PS_OK; i++) {
        struct row_sum phases;

        trace->span = (struct ps_range){steps->items[i].start, steps->items[i].end};
        sum_rows(trace, "conclude_operators", true, &phases, err);
        trace->n_compiling += 10 * phases.ns > length_of(&steps->items[i]);
    }
    trace->span = span;
    return err->code;
}

/* What torch.compile takes of the step that is left out. */
static enum ps_status read_odd_step(struct trace *trace, struct ps_err *err)
{
    const struct ps_range span = trace->span;
    struct row_sum phases;

    if (!trace->odd.is_left_out)
        return err->code;
    trace->span = (struct ps_range){trace->odd.time.start, trace->odd.time.end};
    sum_rows(trace, "conclude_operators", true, &phases, err);
    trace->span = span;
    trace->odd.compile_s = (double)phases.ns / 1e9;
    return err->code;
}

static enum ps_status read_counts(struct trace *trace, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(trace->db, ps_query_sql("conclude_counts"), &stmt, err);
    ps_bind_int(stmt, ":from", trace->span.from_ns);
    ps_bind_int(stmt, ":to", trace->span.to_ns);
    if (ps_stmt_step(stmt, err))
        trace->counts =
            (struct call_counts){ps_col_real(stmt, 0), ps_col_real(stmt, 1), ps_col_real(stmt, 2),
                                 ps_col_real(stmt, 3), ps_col_real(stmt, 4), ps_col_real(stmt, 5)};
    return err->code;
}

static enum ps_status read_checks(struct trace *trace, struct ps_err *err)
{
    ps_trace_is_torch(trace->db, &trace->is_torch, err);
    trace->operators_tab = trace->is_torch ? "operators" : "slices";
    if (ps_trace_facts_read(trace->db, &trace->facts, err) == PS_OK)
        trace->n_checks = ps_trace_check(&trace->facts, &trace->checks);
    return err->code;
}

static enum ps_status read_trace(struct trace *trace, struct ps_err *err)
{
    if (ps_steps_span(trace->db, &trace->span, err) != PS_OK ||
        trace->span.from_ns >= trace->span.to_ns)
        return err->code;
    trace->sums =
        (struct ps_range_sums){.from_ns = trace->span.from_ns, .to_ns = trace->span.to_ns};
    ps_range_sums_read(trace->db, &trace->sums, err);
    ps_track_owners_read(trace->db, &trace->owners, err);
    if (err->code != PS_OK)
        return err->code;
    trace->has_devices = trace->sums.has_streams;
    trace->workers = ps_alloc_array(trace->sums.n_workers, sizeof *trace->workers);
    if (read_steps(trace, err) != PS_OK)
        return err->code;
    divide_steps(trace);
    if (read_captures(trace, err) != PS_OK || read_overhead(trace, err) != PS_OK)
        return err->code;
    read_blocking(trace, err);
    sum_rows(trace, "conclude_kernels", false, &trace->kernels, err);
    sum_rows(trace, "conclude_kernels", true, &trace->collectives, err);
    sum_operators(trace, err);
    read_odd_step(trace, err);
    count_compiling(trace, err);
    read_counts(trace, err);
    read_checks(trace, err);
    if (trace->is_torch && trace->sums.n_workers > 1)
        ps_late_rank_find(trace->db, trace->wall_s, &trace->late, err);
    return err->code == PS_OK ? read_units(trace, err) : err->code;
}

static const struct ps_report_link kernels_link = {"kernels",
                                                   {{"sort", "total_us"}, {"desc", "1"}}};
/* The rows of operators, annotations and driver calls with these words; NULL: all of them. */
static struct ps_report_link link_operators(const struct trace *trace, const char *words)
{
    return (struct ps_report_link){
        trace->operators_tab,
        {{"sort", "self_cpu_us"}, {"desc", "1"}, {words ? "q" : NULL, words}}};
}

static struct ps_report_link link_slice(struct ps_conclusion *c, int64_t slice)
{
    return (struct ps_report_link){"timeline", {{"slice", ps_conclusion_id(c, slice)}}};
}

static bool name_contains(const struct trace *trace, size_t name, struct ps_str word)
{
    return ps_str_find(ps_trace_text(trace->db, (uint32_t)name), word) != NULL;
}

/* The driver calls among the rows of operators: kernels can have their words in the name too. All
 * rows if the calls are of another driver, whose names have no common prefix. */
static struct ps_report_link link_driver(const struct trace *trace)
{
    const char *pattern = NULL;

    for (size_t name = 1; name < trace->n_blocking && !pattern; name++) {
        struct ps_str text = ps_trace_text(trace->db, (uint32_t)name);

        if (!trace->blocking[name].calls)
            continue;
        if (ps_str_starts_with(text, PS_STR("hip")))
            pattern = "^hip";
        else if (ps_str_starts_with(text, PS_STR("cu")))
            pattern = "^cu(?!dnn|blas|tlass)";
    }
    return (struct ps_report_link){trace->operators_tab,
                                   {{"sort", "self_cpu_us"},
                                    {"desc", "1"},
                                    {pattern ? "q" : NULL, pattern},
                                    {pattern ? "regex" : NULL, "1"}}};
}

/* Returns the text id of the driver calls that blocked longest; 0: there are none. */
static size_t find_blocking(const struct trace *trace)
{
    size_t found = 0;

    for (size_t name = 1; name < trace->n_blocking; name++)
        if (trace->blocking[name].ns > trace->blocking[found].ns &&
            (trace->blocking[name].longest_ns >= LAUNCH_BLOCKS_NS ||
             !name_contains(trace, name, PS_STR("Launch"))))
            found = name;
    return found;
}

/* What the longest call of the name waits for. Before the first launch of a recording the device
 * can only be busy with what was launched before it, or not have been started. */
static enum block block_of(const struct trace *trace, size_t name)
{
    const struct blocking *calls = &trace->blocking[name];
    const uint32_t track = (uint32_t)ps_track_of_slice(calls->longest);
    const uint32_t w = ps_track_owner_of(&trace->owners, track).worker;
    const struct worker_time *worker = &trace->workers[w < trace->sums.n_workers ? w : 0];
    const bool before_work =
        !worker->of_device.n || calls->longest_start_ns < worker->of_device.items[0].start;

    if ((double)calls->longest_ns < ONCE_SHARE * (double)calls->ns || !before_work)
        return BLOCKS_OFTEN;
    if (ps_driver_call_of(ps_trace_text(trace->db, (uint32_t)name)) == PS_CALL_COPY)
        return BLOCKS_OFTEN; /* it may wait for earlier work, or start the device */
    if (!name_contains(trace, name, PS_STR("Synchronize")))
        return calls->longest_start_ns <= worker->first_launch_ns ? BLOCKS_ONCE : BLOCKS_OFTEN;
    return calls->longest_start_ns < worker->first_launch_ns ? WAITS_FOR_EARLIER : BLOCKS_OFTEN;
}

static double blocking_seconds(const struct trace *trace, size_t name)
{
    double seconds = (double)trace->blocking[name].ns / 1e9 / trace->divisor;
    double limit = left_of(trace, PS_ROLE_RUNTIME);

    return seconds < limit ? seconds : limit; /* calls of several threads can overlap */
}

/* The operator and the Python function around a slice. `op` and `function` are ids; 0: none. */
struct callers {
    int64_t op, function;
    struct ps_str op_name, function_name;
};

/* Whether the frame belongs to PyTorch itself, such as torch/_ops.py(502): __call__, or to code
 * that torch.compile generated. Frames of the program explain more. */
static bool is_library_frame(struct ps_str name)
{
    return ps_str_starts_with(name, PS_STR("torch/")) ||
           ps_str_find(name, PS_STR("site-packages/torch/")) != NULL ||
           ps_str_find(name, PS_STR("torchinductor_")) != NULL;
}

/* Finds the outermost operator, and the innermost Python function of the program, or else of
 * PyTorch. Built-in functions have no place in a file. */
static enum ps_status find_callers(const struct trace *trace, int64_t slice, struct callers *out,
                                   struct ps_err *err)
{
    const uint32_t columns =
        PS_COL_BIT(PS_COL_PARENT) | PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND);

    for (int64_t id = slice, up; id; id = up) {
        int64_t v[PS_N_SLICE_COLUMNS] = {0};
        struct ps_str name;

        if (ps_trace_read_slice(trace->db, id, columns, v, err) != PS_OK)
            return err->code;
        up = v[PS_COL_PARENT] > 0 && v[PS_COL_PARENT] <= (id & UINT32_MAX) ? id - v[PS_COL_PARENT]
                                                                           : 0;
        name = ps_trace_text(trace->db, (uint32_t)v[PS_COL_NAME]);
        if (id != slice && v[PS_COL_KIND] == PS_SLICE_OP && !out->function)
            *out = (struct callers){.op = id, .op_name = name};
        if (v[PS_COL_KIND] != PS_SLICE_PYTHON || !name.len || name.ptr[0] == '<')
            continue;
        if (!out->function || !is_library_frame(name)) {
            out->function = id;
            out->function_name = name;
        }
        if (!is_library_frame(name))
            return PS_OK;
    }
    return PS_OK;
}

/* Appends " in `aten::copy_`, called in `cuda_graph_runner.py(276): replay`". */
static enum ps_status say_callers(struct ps_conclusion *c, const struct trace *trace, int64_t slice,
                                  struct ps_sentence *to, struct ps_err *err)
{
    struct callers callers = {.op = 0};

    if (find_callers(trace, slice, &callers, err) != PS_OK)
        return err->code;
    if (callers.op) {
        ps_say(c, to, " in ");
        ps_say_code(c, to, link_slice(c, callers.op), callers.op_name);
    }
    if (callers.function) {
        ps_say(c, to, callers.op ? ", called in " : " in ");
        ps_say_code(c, to, link_slice(c, callers.function), callers.function_name);
    }
    return PS_OK;
}

static struct ps_cause *add_cause(struct ps_conclusion *c, const struct trace *trace,
                                  const char *rule, double seconds, const char *title)
{
    struct ps_cause *cause = ps_conclusion_add(c, rule, seconds, seconds / trace->wall_s);

    ps_say(c, &cause->title, "%s", title);
    return cause;
}

static struct ps_cause *add_part(struct ps_conclusion *c, const struct trace *trace,
                                 const char *rule, double seconds)
{
    return ps_conclusion_add_part(c, rule, seconds, seconds / trace->wall_s);
}

/* The rows of a query, and the factor for their times. If their sum is more than their cause,
 * because they overlap, they share its time in proportion. */
struct rows {
    const char *query;
    bool flag;
    const char *tab;
    double whole_s, scale;
};

static struct rows rows_of(const struct trace *trace, const char *query, bool flag,
                           const struct row_sum *sum, double whole_s, const char *tab)
{
    double sum_s = (double)sum->ns / 1e9 / trace->divisor;

    return (struct rows){query, flag, tab, whole_s,
                         sum_s > whole_s && sum_s > 0 ? whole_s / sum_s : 1};
}

static struct rows rows_of_operators(const struct trace *trace)
{
    return rows_of(trace, "conclude_operators", false, &trace->operators,
                   left_of(trace, PS_ROLE_CPU) - trace->compile_s, trace->operators_tab);
}

static struct rows rows_of_kernels(const struct trace *trace)
{
    return rows_of(trace, "conclude_kernels", false, &trace->kernels,
                   trace->parts_s[PS_ROLE_KERNEL], "kernels");
}

/* Adds the first rows as parts of the last cause. */
static enum ps_status add_rows(struct ps_conclusion *c, const struct trace *trace,
                               const struct rows *rows, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare_rows(trace, rows->query, rows->flag, &stmt, err);
    for (int i = 0; i < PARTS_MAX && ps_stmt_step(stmt, err); i++) {
        double seconds = (double)ps_col_int(stmt, 2) / 1e9 / trace->divisor * rows->scale;
        struct ps_str name = ps_col_text(stmt, 0);
        struct ps_report_link link = ps_link_name(c, rows->tab, name);
        struct ps_cause *part;

        if (seconds < PART_SHARE * rows->whole_s)
            break;
        part = add_part(c, trace, rows->tab, seconds);
        ps_say_code(c, &part->title, link, name);
        ps_say_value(&part->evidence, link, (double)ps_col_int(stmt, 1), "count");
        ps_say(c, &part->evidence, ps_col_int(stmt, 1) == 1 ? " call" : " calls");
    }
    return err->code;
}

/* Returns the tab that shows a view of the API. */
static const char *tab_of(const struct trace *trace, const char *view)
{
    return strcmp(view, "operators") == 0 ? trace->operators_tab
           : strcmp(view, "memory") == 0  ? "device-memory"
                                          : view;
}

static struct ps_report_link link_finding(struct ps_conclusion *c, const struct trace *trace,
                                          const struct ps_finding *finding)
{
    struct ps_report_link link = {.tab = tab_of(trace, finding->view)};

    for (size_t i = 0; i < 3 && finding->params[i][0]; i++) {
        link.params[i].key = finding->params[i][0];
        link.params[i].value = ps_arena_copy(&c->arena, ps_str_from_c(finding->params[i][1])).ptr;
        if (strcmp(finding->params[i][0], "sort") == 0 && i + 1 < PS_LINK_PARAMS)
            link.params[i + 1] = (struct ps_param){"desc", "1"};
    }
    return link;
}

/* Adds a part of the last cause. NaN: its time overlaps with those of other parts. */
static void add_finding(struct ps_conclusion *c, const struct trace *trace,
                        const struct ps_check *check, double seconds)
{
    const struct ps_finding *finding = &check->finding;
    struct ps_cause *part = add_part(c, trace, check->rule->name, seconds);

    ps_say(c, &part->title, "%s", check->rule->title);
    ps_say_link(c, &part->evidence, link_finding(c, trace, finding), "%s%s", finding->brief,
                trace->n_steps > 1 ? " in all steps" : "");
    part->advice = ps_arena_copy(&c->arena, ps_str_from_c(finding->text)).ptr;
}

/* The time in which synchronising calls block while the device is idle; without the calls that are
 * a cause of their own. */
static double sync_seconds(const struct trace *trace)
{
    double seconds = 0;

    for (size_t name = 1; name < trace->n_blocking; name++)
        if (name != trace->blocking_name && trace->blocking[name].ns &&
            name_contains(trace, name, PS_STR("Synchronize")))
            seconds += (double)trace->blocking[name].ns / 1e9 / trace->divisor;
    return fmin(seconds, left_of(trace, PS_ROLE_RUNTIME) - trace->blocking_s);
}

/* The part of the cause of a finding that is its alone; NaN: its time overlaps with other parts. */
static double finding_seconds(const struct trace *trace, const struct ps_check *check)
{
    double seconds = strcmp(check->rule->name, "synchronisation") == 0 ? sync_seconds(trace) : NAN;

    return seconds > 0 ? seconds : NAN;
}

/* Whether a cause says what the finding says. */
static bool is_cause(const struct trace *trace, const struct ps_check *check)
{
    const char *rule = check->rule->name;

    if (check->rule->is_cause || !trace->blocking_name)
        return check->rule->is_cause;
    return (strcmp(rule, "long_call") == 0 &&
            trace->facts.long_call.name_id == trace->blocking_name) ||
           (strcmp(rule, "synchronisation") == 0 && !(sync_seconds(trace) > 0) &&
            name_contains(trace, trace->blocking_name, PS_STR("Synchronize")));
}

/* Adds what the rules found about the last cause. */
static void add_findings(struct ps_conclusion *c, const struct trace *trace)
{
    size_t last = c->n_causes - 1;

    while (last > 0 && c->causes[last].level > 0)
        last--;
    for (size_t i = 0; i < trace->n_checks; i++) {
        const struct ps_check *check = &trace->checks[i];

        if (check->found && !is_cause(trace, check) && check->rule->cause &&
            strcmp(check->rule->cause, c->causes[last].rule) == 0)
            add_finding(c, trace, check, finding_seconds(trace, check));
    }
}

static bool has_cause(const struct ps_conclusion *c, const char *rule)
{
    for (size_t i = 0; i < c->n_causes; i++)
        if (c->causes[i].level == 0 && strcmp(c->causes[i].rule, rule) == 0)
            return true;
    return false;
}

/* Lists the checks that found nothing. Findings that belong to no cause are notes. */
static void add_checks(struct ps_conclusion *c, const struct trace *trace)
{
    for (size_t i = 0; i < trace->n_checks; i++) {
        const struct ps_finding_rule *rule = trace->checks[i].rule;

        if (!trace->checks[i].found)
            ps_conclusion_checked(c, rule->title);
        else if (!is_cause(trace, &trace->checks[i]) && !(rule->cause && has_cause(c, rule->cause)))
            ps_conclusion_note(c, "%s", trace->checks[i].finding.text);
    }
}

static int64_t all_kernels(const struct trace *trace)
{
    return ps_add_saturated(trace->kernels.calls, trace->collectives.calls);
}

/* A number of kernels of a step, or of the trace. */
static void say_kernels(struct ps_conclusion *c, const struct trace *trace, struct ps_sentence *to,
                        int64_t calls)
{
    double kernels = (double)calls / (trace->has_marks ? trace->divisor : 1);

    ps_say_value(to, kernels_link, kernels, "count");
    ps_say(c, to, kernels == 1 ? " kernel" : " kernels");
    if (trace->has_marks)
        ps_say(c, to, " a step");
}

static enum ps_status add_kernels(struct ps_conclusion *c, const struct trace *trace,
                                  struct ps_err *err)
{
    const struct rows rows = rows_of_kernels(trace);
    double seconds = rows.whole_s;
    struct ps_cause *cause;

    if (seconds < CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    cause = add_cause(c, trace, "kernels", seconds, "GPU kernels");
    say_kernels(c, trace, &cause->evidence, trace->kernels.calls);
    add_rows(c, trace, &rows, err);
    add_findings(c, trace);
    return err->code;
}

/* Appends "50 calls". */
static void say_count(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                      double n, const char *noun)
{
    ps_say_value(to, link, n, "count");
    ps_say(c, to, n == 1 ? " %s" : " %ss", noun);
}

/* Adds a cause without parts of its own. Returns NULL if it is too small. */
static struct ps_cause *add_simple(struct ps_conclusion *c, const struct trace *trace,
                                   const char *rule, double seconds, const char *title,
                                   const char *advice)
{
    struct ps_cause *cause;

    if (seconds < CAUSE_SHARE * trace->wall_s)
        return NULL;
    cause = add_cause(c, trace, rule, seconds, title);
    ps_cause_save(cause, NAN, seconds);
    cause->advice = advice;
    return cause;
}

/* The causes of a trace without devices. Nothing tells what of them could be saved. */
static void add_host_causes(struct ps_conclusion *c, const struct trace *trace)
{
    struct ps_cause *cause =
        add_simple(c, trace, "runtime", left_of(trace, PS_ROLE_RUNTIME), "Driver calls", NULL);

    if (cause) {
        cause->save_max = NAN;
        say_count(c, &cause->evidence, link_driver(trace), trace->counts.driver, "call");
        add_findings(c, trace);
    }
    cause = add_simple(c, trace, "other", left_of(trace, PS_N_ROLES), "Outside any operator", NULL);
    if (cause) {
        cause->save_max = NAN;
        ps_say_link(c, &cause->evidence, (struct ps_report_link){.tab = "flame"}, "flame graph");
        add_findings(c, trace);
    }
}

static void add_loading(struct ps_conclusion *c, const struct trace *trace)
{
    struct ps_cause *cause = add_simple(
        c, trace, "dataloader", trace->parts_s[PS_ROLE_DATALOADER], "Waiting for the DataLoader",
        "More workers, prefetching or pinned memory load the next batch during the step.");

    if (!cause)
        return;
    say_count(c, &cause->evidence, link_operators(trace, "enumerate(Data"), trace->counts.loads,
              "call");
    add_findings(c, trace);
}

static void add_copies(struct ps_conclusion *c, const struct trace *trace)
{
    const struct ps_report_link link = {"kernels", {{"q", "Mem"}}};
    struct ps_cause *cause = add_simple(
        c, trace, "copies", trace->parts_s[PS_ROLE_MEMCPY] + trace->parts_s[PS_ROLE_MEMSET],
        "Copies that nothing overlaps",
        "With pin_memory=True and non_blocking=True, copies overlap with kernels.");

    if (!cause)
        return;
    ps_say_value(&cause->evidence, link, trace->counts.copies, "count");
    ps_say(c, &cause->evidence, trace->counts.copies == 1 ? " copy" : " copies");
    if (trace->counts.sets > 0) {
        ps_say(c, &cause->evidence, " and ");
        say_count(c, &cause->evidence, link, trace->counts.sets, "set");
    }
    add_findings(c, trace);
}

static void add_blocking(struct ps_conclusion *c, const struct trace *trace, size_t name,
                         double seconds, struct ps_err *err)
{
    const struct blocking *calls = &trace->blocking[name];
    struct ps_cause *cause = ps_conclusion_add(c, "blocking", seconds, seconds / trace->wall_s);

    ps_say(c, &cause->title, "%s",
           trace->block == WAITS_FOR_EARLIER ? "GPU busy with work from before the recording: "
           : trace->block == BLOCKS_ONCE     ? "GPU idle, once: host blocks in "
                                             : "GPU idle: host blocks in ");
    ps_say_code(c, &cause->title, ps_link_none, ps_trace_text(trace->db, (uint32_t)name));
    if (trace->block == BLOCKS_OFTEN)
        ps_cause_save(cause, NAN, seconds);
    cause->advice =
        trace->block == WAITS_FOR_EARLIER
            ? "The recording has neither the launch nor the work. Wait for the device before "
              "recording, or look at later steps."
        : trace->block == BLOCKS_ONCE
            ? "The first calls start the device and load kernels, which happens once. Record "
              "after a warm-up."
        : name_contains(trace, name, PS_STR("Launch"))
            ? "The first launch of a kernel loads or compiles it. Record after a warm-up."
            : "A blocking call waits for the device or copies memory. Remove it from the loop, or "
              "use its asynchronous form with pinned memory.";
    ps_say_link(c, &cause->evidence, link_slice(c, calls->longest), "longest");
    ps_say(c, &cause->evidence, " ");
    ps_say_value(&cause->evidence, link_slice(c, calls->longest), (double)calls->longest_ns / 1e9,
                 "s");
    say_callers(c, trace, calls->longest, &cause->evidence, err);
}

/* The phases of torch.compile. */
static enum ps_status add_compilation(struct ps_conclusion *c, const struct trace *trace,
                                      struct ps_err *err)
{
    const struct rows rows = rows_of(trace, "conclude_operators", true, &trace->phases,
                                     trace->compile_s, trace->operators_tab);
    struct ps_cause *cause;

    if (rows.whole_s < CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    cause = add_cause(c, trace, "compilation", rows.whole_s, "torch.compile compiles");
    cause->advice = "A program is compiled at its first call. Record after the warm-up to see how "
                    "it runs.";
    if (trace->n_compiling >= STEPS_COMPILING) {
        cause->advice = "Inputs of equal shapes, or dynamic=True, are compiled once.";
        ps_cause_save(cause, 0, rows.whole_s);
    }
    say_count(c, &cause->evidence, link_operators(trace, "dynamo_timed"),
              (double)trace->phases.calls, "phase");
    return add_rows(c, trace, &rows, err);
}

static enum ps_status add_operators(struct ps_conclusion *c, const struct trace *trace,
                                    struct ps_err *err)
{
    const struct rows rows = rows_of_operators(trace);
    struct ps_cause *cause;

    if (rows.whole_s < CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    cause = add_cause(c, trace, "operators", rows.whole_s, "Operators on the CPU");
    ps_say_value(&cause->evidence, link_operators(trace, NULL), (double)trace->operators.calls,
                 "count");
    ps_say(c, &cause->evidence, " operator calls");
    return add_rows(c, trace, &rows, err);
}

/* Whether at least half of the communication is waiting for the late rank: `wait_s` is a mean of
 * the other ranks, parts of a step are means of all. */
static bool waits_for_rank(const struct trace *trace)
{
    const struct ps_late_rank *late = &trace->late;

    return late->found && late->wait_s * (late->n_ranks - 1) / late->n_ranks >=
                              0.5 * trace->parts_s[PS_ROLE_COMMUNICATION];
}

/* Communication, with its kernels. */
static enum ps_status add_communication(struct ps_conclusion *c, const struct trace *trace,
                                        struct ps_err *err)
{
    const struct rows rows = rows_of(trace, "conclude_kernels", true, &trace->collectives,
                                     trace->parts_s[PS_ROLE_COMMUNICATION], "kernels");
    struct ps_cause *cause;

    if (rows.whole_s < CAUSE_SHARE * trace->wall_s)
        return PS_OK;
    cause =
        add_cause(c, trace, "communication", rows.whole_s, "Communication that nothing overlaps");
    ps_cause_save(cause, NAN, rows.whole_s);
    if (trace->has_devices)
        say_count(c, &cause->evidence, (struct ps_report_link){.tab = "overview"},
                  (double)trace->collectives.calls, "kernel");
    else
        say_count(c, &cause->evidence, link_operators(trace, "gloo:"),
                  trace->counts.host_collectives, "collective");
    cause->advice =
        waits_for_rank(trace)
            ? "Most of it is waiting for one rank: give that rank less work, or look for what "
              "delays it."
            : "Larger buckets, gradient accumulation or compression reduce communication.";
    add_rows(c, trace, &rows, err);
    add_findings(c, trace);
    return err->code;
}

static bool is_found(const struct trace *trace, const char *rule)
{
    for (size_t i = 0; i < trace->n_checks; i++)
        if (trace->checks[i].found && strcmp(trace->checks[i].rule->name, rule) == 0)
            return true;
    return false;
}

/* Adds the time in which the device waits for the host as a cause, with its parts. */
static void add_idle(struct ps_conclusion *c, const struct trace *trace)
{
    const double runtime_s = left_of(trace, PS_ROLE_RUNTIME) - trace->blocking_s;
    const double operators_s = left_of(trace, PS_ROLE_CPU) - trace->compile_s;
    const double other_s = left_of(trace, PS_N_ROLES);
    const double sync_s = is_found(trace, "synchronisation") ? sync_seconds(trace) : 0;
    const struct {
        const char *rule, *title;
        double seconds;
        struct ps_report_link link;
        const char *evidence; /* noun for the count, or a text if the count is NaN */
        double count;
    } parts[] = {
        {"host_operators", trace->is_torch ? "Operators on the CPU" : "In NVTX ranges", operators_s,
         link_operators(trace, NULL), trace->is_torch ? "operator call" : "range",
         trace->is_torch ? (double)trace->operators.calls : trace->counts.ranges},
        {"host_compilation", "torch.compile compiles", trace->compile_s,
         link_operators(trace, "dynamo_timed"), "phase", (double)trace->phases.calls},
        {"host_other",
         trace->is_torch ? "Outside any operator" : "Outside any NVTX range",
         other_s,
         {.tab = "flame"},
         "flame graph",
         NAN},
        {"host_runtime", sync_s > 0 ? "Other driver calls" : "Driver calls", runtime_s - sync_s,
         link_driver(trace), "driver call", trace->counts.driver},
    };
    double seconds = operators_s + trace->compile_s + other_s + runtime_s;
    struct ps_cause *cause;

    if (seconds < CAUSE_SHARE * trace->wall_s)
        return;
    cause = add_cause(c, trace, "host_bound", seconds, "GPU idle, waiting for the CPU");
    ps_cause_save(cause, NAN, seconds);
    cause->advice = "Launch less often: CUDA graphs, torch.compile, fused optimizers or larger "
                    "batches.";
    if (all_kernels(trace))
        say_kernels(c, trace, &cause->evidence, all_kernels(trace));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct ps_cause *part;

        if (parts[i].seconds < PART_SHARE * seconds)
            continue;
        part = add_part(c, trace, parts[i].rule, parts[i].seconds);
        ps_say(c, &part->title, "%s", parts[i].title);
        if (isnan(parts[i].count))
            ps_say_link(c, &part->evidence, parts[i].link, "%s", parts[i].evidence);
        else
            say_count(c, &part->evidence, parts[i].link, parts[i].count, parts[i].evidence);
    }
    add_findings(c, trace);
}

/* The time in which the device waits for the host, without what is a cause of its own: driver
 * calls that block, and captures. */
static double idle_seconds(const struct trace *trace)
{
    return left_of(trace, PS_ROLE_RUNTIME) + left_of(trace, PS_ROLE_CPU) +
           left_of(trace, PS_N_ROLES) - trace->blocking_s;
}

static const struct ps_graph_capture *longest_capture(const struct trace *trace)
{
    const struct ps_graph_capture *longest = trace->captures.items;

    for (size_t i = 1; i < trace->captures.n; i++)
        if (trace->captures.items[i].end - trace->captures.items[i].start >
            longest->end - longest->start)
            longest = &trace->captures.items[i];
    return longest;
}

static void add_captures(struct ps_conclusion *c, const struct trace *trace, struct ps_err *err)
{
    const struct ps_graph_capture *longest = longest_capture(trace);
    const double seconds = host_seconds(trace->captures_s);
    const struct ps_report_link link = longest ? link_slice(c, longest->begin_call) : ps_link_none;
    struct ps_cause *cause;

    if (!(seconds > 0))
        return;
    cause = ps_conclusion_add(c, "graph_capture", seconds, seconds / trace->wall_s);
    ps_say(c, &cause->title, "GPU idle: a graph is captured");
    ps_cause_save(cause, NAN, seconds);
    cause->advice = "What is launched during a capture is recorded, not run. A graph is captured "
                    "once: record after the warm-up to see how its replays run.";
    say_count(c, &cause->evidence, link, (double)trace->captures.n, "capture");
    ps_say(c, &cause->evidence, ", the longest ");
    ps_say_value(&cause->evidence, link, (double)(longest->end - longest->start) / 1e9, "s");
    say_callers(c, trace, longest->begin_call, &cause->evidence, err);
}

/* Whether one step takes more than all others: a share is then not one of each step. */
static bool has_odd_step(const struct trace *trace)
{
    return !trace->odd.is_left_out && trace->has_marks && trace->n_steps > 2 &&
           trace->longest_s > ODD_STEP_SHARE * trace->wall_s * trace->divisor;
}

static const char *step_words(const struct trace *trace)
{
    return !trace->has_marks        ? " of the trace"
           : trace->odd.is_left_out ? " of each other step"
           : trace->n_steps == 1    ? " of the step"
           : has_odd_step(trace)    ? " of all steps"
                                    : " of each step";
}

/* Begins the verdict with the step that is left out of the shares. */
static void say_left_out(struct ps_conclusion *c, const struct trace *trace)
{
    const struct ps_report_link overview = {.tab = "overview"};
    const bool compiles = trace->odd.compile_s >= ODD_STEP_SHARE * trace->longest_s;

    if (!trace->odd.is_left_out)
        return;
    ps_say(c, &c->verdict, "One step takes ");
    ps_say_value(&c->verdict, overview, trace->longest_s, "s");
    ps_say(c, &c->verdict, "%s, the other %" PRId64 " take ",
           compiles ? ", in which torch.compile compiles" : "", trace->n_steps);
    ps_say_value(&c->verdict, overview, trace->median_s, "s");
    ps_say(c, &c->verdict, " each (median). ");
    ps_conclusion_note(
        c, "The step that takes longer than all others together is left out: causes and "
           "shares are those of the others. Tables and the mean step have all steps.");
}

static void say_odd_step(struct ps_conclusion *c, const struct trace *trace)
{
    char longest[48], median[48];

    if (has_odd_step(trace))
        ps_conclusion_note(c,
                           "One step takes %s, more than the others together; the median step "
                           "takes %s.",
                           ps_format_seconds(trace->longest_s, longest),
                           ps_format_seconds(trace->median_s, median));
}

static void say_overhead(struct ps_conclusion *c, const struct trace *trace)
{
    const double seconds = host_seconds(trace->overhead_s);
    char text[48];

    if (seconds > 0)
        ps_conclusion_note(c, "The profiler's own work takes %s%s, which is in no cause.",
                           ps_format_seconds(seconds, text), trace->has_marks ? " a step" : "");
}

static void say_part_of_step(struct ps_conclusion *c, const struct trace *trace, double seconds,
                             struct ps_report_link link)
{
    ps_say_value(&c->sentence, link, seconds, "s");
    ps_say(c, &c->sentence, " of the ");
    ps_say_value(&c->sentence, (struct ps_report_link){.tab = "overview"}, trace->wall_s, "s");
    ps_say(c, &c->sentence,
           !trace->has_marks        ? " of the trace"
           : trace->odd.is_left_out ? " of a mean other step"
           : has_odd_step(trace)    ? " of a mean step"
                                    : " of a step");
}

/* Says which function or annotation of the program runs while the device is idle. */
static void say_host_unit(struct ps_conclusion *c, const struct trace *trace, double idle_s)
{
    const struct ps_host_unit *longest = NULL;
    double seconds;

    for (size_t i = 1; i < trace->units.n; i++)
        if (!longest || trace->units.units[i].ns > longest->ns)
            longest = &trace->units.units[i];
    seconds = longest ? (double)longest->ns / 1e9 / trace->divisor : 0;
    if (seconds < IDLE_UNIT * idle_s || longest->trains)
        return;
    ps_say(c, &c->sentence, " Meanwhile the host runs ");
    ps_say_slice_name(c, &c->sentence, link_slice(c, longest->longest),
                      ps_trace_text(trace->db, longest->name));
    ps_say(c, &c->sentence, " for ");
    ps_say_value(&c->sentence, link_slice(c, longest->longest),
                 100 * fmin(seconds, idle_s) / idle_s, "percent");
    ps_say(c, &c->sentence, " of that time.");
}

static void say_idle(struct ps_conclusion *c, const struct trace *trace, double idle_s)
{
    ps_say(c, &c->verdict, "The host is too slow for the GPU.");
    ps_say(c, &c->sentence, " The GPU waits ");
    say_part_of_step(c, trace, idle_s, (struct ps_report_link){.tab = "overview"});
    ps_say(c, &c->sentence, " for the CPU");
    if (all_kernels(trace)) {
        ps_say(c, &c->sentence, " to launch ");
        say_kernels(c, trace, &c->sentence, all_kernels(trace));
    }
    ps_say(c, &c->sentence, ".");
    say_host_unit(c, trace, idle_s);
}

static void say_blocking(struct ps_conclusion *c, const struct trace *trace, size_t name,
                         double seconds, struct ps_err *err)
{
    const struct blocking *calls = &trace->blocking[name];

    ps_say(c, &c->verdict, "%s",
           trace->block == WAITS_FOR_EARLIER
               ? "The GPU works on launches from before the recording "
               : "The GPU is idle ");
    ps_say_value(&c->verdict, ps_link_none, 100 * seconds / trace->wall_s, "percent");
    ps_say(c, &c->verdict, "%s%s", step_words(trace),
           trace->block == WAITS_FOR_EARLIER ? "; the host waits in "
           : trace->block == BLOCKS_ONCE     ? " because the host blocks once in "
                                             : " because the host blocks in ");
    ps_say_code(c, &c->verdict, link_slice(c, calls->longest),
                ps_trace_text(trace->db, (uint32_t)name));
    ps_say(c, &c->verdict, ".");
    ps_say(c, &c->sentence, " It takes ");
    say_part_of_step(c, trace, seconds, link_slice(c, calls->longest));
    ps_say(c, &c->sentence, "%s",
           trace->block == WAITS_FOR_EARLIER ? " while no recorded work runs on the GPU, "
                                             : " while nothing runs on the GPU, ");
    ps_say_value(&c->sentence, link_slice(c, calls->longest), (double)calls->longest_ns / 1e9, "s");
    ps_say(c, &c->sentence, " of it in one call");
    say_callers(c, trace, calls->longest, &c->sentence, err);
    ps_say(c, &c->sentence, ".");
}

/* Appends a sentence about the first row of a query: "`aten::mm` takes 33.0 % of each step." */
static enum ps_status say_top(struct ps_conclusion *c, const struct trace *trace,
                              struct ps_sentence *to, const struct rows *rows, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare_rows(trace, rows->query, rows->flag, &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        double seconds = (double)ps_col_int(stmt, 2) / 1e9 / trace->divisor * rows->scale;
        struct ps_report_link link = ps_link_name(c, rows->tab, ps_col_text(stmt, 0));

        ps_say_code(c, to, link, ps_col_text(stmt, 0));
        ps_say(c, to, " takes ");
        ps_say_value(to, link, 100 * seconds / trace->wall_s, "percent");
        ps_say(c, to, "%s.", step_words(trace));
    }
    return err->code;
}

/* What keeps the device, or the program, from computing. */
enum obstacle { WAITS_FOR_DATA, COMMUNICATES, COPIES, BLOCKS, CAPTURES, IDLES, NO_OBSTACLE };

/* The largest obstacle that explains a step. */
static enum obstacle find_obstacle(const struct trace *trace)
{
    const double *parts = trace->parts_s;
    const double seconds[NO_OBSTACLE] = {
        [WAITS_FOR_DATA] = parts[PS_ROLE_DATALOADER],
        [COMMUNICATES] = parts[PS_ROLE_COMMUNICATION],
        [COPIES] = parts[PS_ROLE_MEMCPY] + parts[PS_ROLE_MEMSET],
        [BLOCKS] = trace->blocking_s,
        [CAPTURES] = host_seconds(trace->captures_s),
        [IDLES] = trace->has_devices ? idle_seconds(trace) : 0,
    };
    enum obstacle largest = WAITS_FOR_DATA;

    for (enum obstacle i = COMMUNICATES; i < NO_OBSTACLE; i++)
        if (seconds[i] > seconds[largest])
            largest = i;
    return seconds[largest] < VERDICT_SHARE * trace->wall_s ||
                   (largest == IDLES && seconds[IDLES] < parts[PS_ROLE_KERNEL])
               ? NO_OBSTACLE
               : largest;
}

static void say_obstacle(struct ps_conclusion *c, const struct trace *trace, const char *verdict,
                         const char *what, double seconds, struct ps_report_link link,
                         const char *end)
{
    ps_say(c, &c->verdict, "%s", verdict);
    ps_say(c, &c->sentence, " %s ", what);
    say_part_of_step(c, trace, seconds, link);
    ps_say(c, &c->sentence, "%s", end);
}

/* How the operators of a step compare, without functions of the program. */
static double mean_operator_ns(const struct trace *trace)
{
    return trace->units.n_operators
               ? (double)trace->units.operators_ns / (double)trace->units.n_operators
               : 0;
}

static double share_of_wall(const struct trace *trace, int64_t ns)
{
    return (double)ns / 1e9 / trace->divisor / trace->wall_s;
}

/* Whether small operators, and what runs between operators, take most of a step. */
static bool has_many_operators(const struct trace *trace)
{
    return (double)trace->units.n_operators >= MANY_OPERATORS * trace->divisor &&
           mean_operator_ns(trace) < SMALL_MEAN_NS &&
           share_of_wall(trace, trace->units.needed_ns) < NEEDED_SHARE &&
           share_of_wall(trace, trace->units.large_ns) < LARGE_SHARE;
}

static void say_many_operators(struct ps_conclusion *c, const struct trace *trace)
{
    const struct ps_report_link link = link_operators(trace, NULL);
    const double per = trace->has_marks ? trace->divisor : 1;

    ps_say(c, &c->verdict, "Many small operators take most%s.", step_words(trace));
    ps_say(c, &c->sentence, " The program calls ");
    ps_say_value(&c->sentence, link, round((double)trace->units.n_operators / per), "count");
    ps_say(c, &c->sentence, " operators%s, of ", trace->has_marks ? " a step" : "");
    ps_say_value(&c->sentence, link, mean_operator_ns(trace) / 1e9, "s");
    ps_say(c, &c->sentence, " each on average; ");
    ps_say_value(&c->sentence, (struct ps_report_link){.tab = "flame"},
                 100 * trace->parts_s[PS_N_ROLES] / trace->wall_s, "percent");
    ps_say(c, &c->sentence, "%s is outside of operators, as in a Python loop over elements.",
           step_words(trace));
    if ((double)trace->units.n_items >= MANY_ITEMS * trace->divisor) {
        ps_say(c, &c->sentence, " A tensor becomes a Python number (");
        ps_say_code(c, &c->sentence, link_operators(trace, "aten::item"), PS_STR("aten::item"));
        ps_say(c, &c->sentence, ") ");
        ps_say_value(&c->sentence, link_operators(trace, "aten::_local_scalar_dense"),
                     round((double)trace->units.n_items / per), "count");
        ps_say(c, &c->sentence, " times%s.", trace->has_marks ? " a step" : "");
    }
    if (!trace->units.has_functions)
        ps_say(c, &c->sentence, " Record with with_stack=True to see which function calls them.");
}

/* Appends " The largest operators are `aten::mm` 53.6 %, `aten::addmm` 31.8 %." */
static enum ps_status say_largest(struct ps_conclusion *c, const struct trace *trace,
                                  const struct rows *rows, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_say(c, &c->sentence, " The largest operators are");
    prepare_rows(trace, rows->query, rows->flag, &stmt, err);
    for (int i = 0; i < PARTS_MAX && ps_stmt_step(stmt, err); i++) {
        double seconds = (double)ps_col_int(stmt, 2) / 1e9 / trace->divisor * rows->scale;
        struct ps_report_link link = ps_link_name(c, rows->tab, ps_col_text(stmt, 0));

        ps_say(c, &c->sentence, "%s", i ? ", " : " ");
        ps_say_code(c, &c->sentence, link, ps_col_text(stmt, 0));
        ps_say(c, &c->sentence, " ");
        ps_say_value(&c->sentence, link, 100 * seconds / trace->wall_s, "percent");
    }
    ps_say(c, &c->sentence, ".");
    return err->code;
}

/* Whether one operator takes most of a step. */
static bool has_top_operator(const struct trace *trace, const struct rows *rows, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    prepare_rows(trace, rows->query, rows->flag, &stmt, err);
    return ps_stmt_step(stmt, err) &&
           share_of_wall(trace, ps_col_int(stmt, 2)) * rows->scale > TOP_OPERATOR_SHARE;
}

/* Says the operators of a step that is made of matrix products and convolutions, of which nothing
 * can be said to be avoidable. */
static void say_needed(struct ps_conclusion *c, const struct trace *trace, const struct rows *rows,
                       struct ps_err *err)
{
    ps_say(c, &c->verdict, "No single cause.");
    ps_say(c, &c->sentence,
           " Matrix products, convolutions, attention and the backward pass take ");
    ps_say_value(&c->sentence, link_operators(trace, NULL),
                 100 * share_of_wall(trace, trace->units.needed_ns), "percent");
    ps_say(c, &c->sentence, "%s.", step_words(trace));
    say_largest(c, trace, rows, err);
}

/* Whether most of a step is spent on float64, which takes twice the memory and time of float32. */
static bool is_on_double(const struct trace *trace)
{
    return share_of_wall(trace, trace->units.double_ns) > DOUBLE_SHARE;
}

static void say_double(struct ps_conclusion *c, const struct trace *trace)
{
    const double share = share_of_wall(trace, trace->units.double_ns);

    ps_say(c, &c->verdict, "Operators on float64 take ");
    ps_say_value(&c->verdict, link_operators(trace, NULL), 100 * share, "percent");
    ps_say(c, &c->verdict, "%s.", step_words(trace));
    ps_say(c, &c->sentence,
           " float32 takes about half of that, if its 7 digits are enough: up to ");
    ps_say_value(&c->sentence, ps_link_none, 50 * share, "percent");
    ps_say(c, &c->sentence, " could be saved.");
}

/* Says where the time of a step without an obstacle goes. */
static enum ps_status say_work(struct ps_conclusion *c, const struct trace *trace,
                               struct ps_err *err)
{
    const struct rows kernels = rows_of_kernels(trace), operators = rows_of_operators(trace);
    const double *parts = trace->parts_s;
    size_t blocking = find_blocking(trace);

    if (trace->has_devices) {
        ps_say(c, &c->verdict, "The GPU computes ");
        ps_say_value(&c->verdict, kernels_link, 100 * kernels.whole_s / trace->wall_s, "percent");
        ps_say(c, &c->verdict, "%s.", step_words(trace));
        ps_say(c, &c->sentence, " ");
        say_top(c, trace, &c->sentence, &kernels, err);
    } else if (parts[PS_ROLE_RUNTIME] >= parts[PS_ROLE_CPU] &&
               parts[PS_ROLE_RUNTIME] >= parts[PS_N_ROLES] && blocking) {
        ps_say(c, &c->verdict, "Most of the time is spent in driver calls.");
        ps_say(c, &c->sentence, " ");
        ps_say_code(c, &c->sentence, link_slice(c, trace->blocking[blocking].longest),
                    ps_trace_text(trace->db, (uint32_t)blocking));
        ps_say(c, &c->sentence, " takes ");
        say_part_of_step(c, trace, blocking_seconds(trace, blocking),
                         link_slice(c, trace->blocking[blocking].longest));
        ps_say(c, &c->sentence, ".");
    } else if (trace->compile_s > operators.whole_s && trace->compile_s > parts[PS_N_ROLES]) {
        const bool again = trace->n_compiling >= STEPS_COMPILING;

        ps_say(c, &c->verdict, "torch.compile %s ",
               again ? "compiles again and again, which takes" : "takes");
        ps_say_value(&c->verdict, link_operators(trace, "dynamo_timed"),
                     100 * trace->compile_s / trace->wall_s, "percent");
        ps_say(c, &c->verdict, "%s.", step_words(trace));
        if (again) {
            ps_say(c, &c->sentence, " It compiles in ");
            ps_say_value(&c->sentence, (struct ps_report_link){.tab = "overview"},
                         (double)trace->n_compiling, "count");
            ps_say(c, &c->sentence,
                   " of the steps. TORCH_LOGS=recompiles says why; inputs of "
                   "equal shapes, or dynamic=True, avoid it.");
        }
        ps_say(c, &c->sentence, " Operators take ");
        say_part_of_step(c, trace, operators.whole_s, link_operators(trace, NULL));
        ps_say(c, &c->sentence, ".");
    } else if (is_on_double(trace)) {
        say_double(c, trace);
        ps_say(c, &c->sentence, " ");
        say_top(c, trace, &c->sentence, &operators, err);
    } else if (has_many_operators(trace)) {
        say_many_operators(c, trace);
    } else if (share_of_wall(trace, trace->units.needed_ns) > NEEDED_SHARE) {
        say_needed(c, trace, &operators, err);
    } else if (trace->operators.calls && operators.whole_s >= parts[PS_N_ROLES] &&
               trace->is_torch && !has_top_operator(trace, &operators, err)) {
        ps_say(c, &c->verdict, "No single cause.");
        say_largest(c, trace, &operators, err);
    } else if (trace->operators.calls && operators.whole_s >= parts[PS_N_ROLES]) {
        say_top(c, trace, &c->verdict, &operators, err);
        ps_say(c, &c->sentence, " All operators take ");
        say_part_of_step(c, trace, operators.whole_s, link_operators(trace, NULL));
        ps_say(c, &c->sentence, ".");
    } else if (trace->operators.calls) {
        ps_say(c, &c->verdict, "Most of the time is spent outside of operators.");
        ps_say(c, &c->sentence, " Operators take ");
        say_part_of_step(c, trace, operators.whole_s, link_operators(trace, NULL));
        ps_say(c, &c->sentence, ". ");
        say_top(c, trace, &c->sentence, &operators, err);
    } else {
        ps_say(c, &c->verdict, "The trace has no kernels and no operators.");
    }
    return err->code;
}

static enum ps_status say_verdict(struct ps_conclusion *c, const struct trace *trace,
                                  struct ps_err *err)
{
    const struct ps_report_link overview = {.tab = "overview"};
    const double *parts = trace->parts_s;

    switch (find_obstacle(trace)) {
    case WAITS_FOR_DATA:
        say_obstacle(c, trace, "The loop waits for data.", "The DataLoader takes",
                     parts[PS_ROLE_DATALOADER], link_operators(trace, "enumerate(Data"),
                     ", while nothing else runs.");
        break;
    case COMMUNICATES:
        if (waits_for_rank(trace)) {
            ps_say(c, &c->verdict, "The ranks wait for rank ");
            ps_say_value(&c->verdict, (struct ps_report_link){.tab = "ranks"},
                         (double)trace->late.rank, "count");
            ps_say(c, &c->verdict, ".");
            say_obstacle(c, trace, "", "Communication that nothing overlaps takes",
                         parts[PS_ROLE_COMMUNICATION], overview, ".");
            break;
        }
        say_obstacle(c, trace, "Communication does not overlap with computation.", "It alone takes",
                     parts[PS_ROLE_COMMUNICATION], overview, ".");
        break;
    case COPIES:
        say_obstacle(c, trace, "Copies do not overlap with computation.", "They alone take",
                     parts[PS_ROLE_MEMCPY] + parts[PS_ROLE_MEMSET], overview, ".");
        break;
    case BLOCKS:
        say_blocking(c, trace, trace->blocking_name, trace->blocking_s, err);
        break;
    case CAPTURES:
        say_obstacle(c, trace, "A graph is captured, which happens once.", "The GPU is idle",
                     host_seconds(trace->captures_s),
                     link_slice(c, longest_capture(trace)->begin_call),
                     ", while its work is recorded.");
        break;
    case IDLES:
        say_idle(c, trace, idle_seconds(trace));
        break;
    case NO_OBSTACLE:
        say_work(c, trace, err);
        break;
    }
    return err->code;
}

/* The parts of a step in the order in which moments are counted, with what shows each of them. */
static void compose(struct ps_conclusion *c, const struct trace *trace)
{
    const struct ps_report_link overview = {.tab = "overview"},
                                copies = {"kernels", {{"q", "Mem"}}};
    const struct {
        const char *name, *label;
        struct ps_report_link link;
    } parts[PS_N_ROLES + 1] = {
        [PS_ROLE_KERNEL] = {"kernel", "GPU kernel", kernels_link},
        [PS_ROLE_MEMCPY] = {"memcpy", "copy", copies},
        [PS_ROLE_MEMSET] = {"memset", "memset", copies},
        [PS_ROLE_COMMUNICATION] = {"communication", "communication", overview},
        [PS_ROLE_RUNTIME] = {"runtime", "runtime", link_driver(trace)},
        [PS_ROLE_DATALOADER] = {"dataloader", "DataLoader",
                                link_operators(trace, "enumerate(Data")},
        [PS_ROLE_CPU] = {"cpu", "CPU", link_operators(trace, NULL)},
        [PS_N_ROLES] = {"other", "other", {.tab = "flame"}},
    };

    c->composition = (struct ps_composition){
        .kind = PS_COMPOSITION_STEP_PARTS, .unit = c->unit, .base = c->base};
    c->composition.title =
        !trace->has_marks
            ? trace->sums.n_workers > 1
                  ? ps_arena_printf(&c->arena, "Mean of %u workers", trace->sums.n_workers)
                  : "Whole trace"
        : trace->n_steps == 1
            ? "One step"
            : ps_arena_printf(&c->arena, "Mean of %s%" PRId64 " steps",
                              trace->odd.is_left_out ? "the other " : "", trace->n_steps);
    for (size_t i = 0; i <= PS_N_ROLES; i++)
        ps_compose(c, parts[i].name, parts[i].label, trace->parts_s[i], parts[i].link);
}

/* Returns the annotation that repeats and covers the trace, as the iterations of a loop do; NULL:
 * there is none. */
static const struct ps_host_unit *find_iteration(const struct trace *trace)
{
    const struct ps_host_unit *found = NULL;

    for (size_t i = 1; i < trace->units.n; i++) {
        const struct ps_host_unit *unit = &trace->units.units[i];

        if (unit->is_annotation && unit->calls >= ITERATIONS &&
            share_of_wall(trace, unit->covered_ns) >= ITERATIONS_COVER &&
            (!found || unit->covered_ns > found->covered_ns))
            found = unit;
    }
    return found;
}

/* Appends "`iteration` ran 5 times and covers 98.1 % of the trace: ..." */
static void say_iteration(struct ps_conclusion *c, const struct trace *trace)
{
    const struct ps_host_unit *unit = trace->has_marks ? NULL : find_iteration(trace);

    if (!unit)
        return;
    ps_say(c, &c->sentence, " ");
    ps_say_code(c, &c->sentence, link_slice(c, unit->longest),
                ps_trace_text(trace->db, unit->name));
    ps_say(c, &c->sentence, " runs ");
    ps_say_value(&c->sentence, link_slice(c, unit->longest), (double)unit->calls, "count");
    ps_say(c, &c->sentence, " times and covers ");
    ps_say_value(&c->sentence, link_slice(c, unit->longest),
                 100 * share_of_wall(trace, unit->covered_ns), "percent");
    ps_say(c, &c->sentence, "%s: profiler.step() after each would mark it as a step.",
           step_words(trace));
}

/* Says what the shares are of, if no steps are marked. The headline has the span of all events; the
 * range that is divided begins and ends with operators, driver calls or work of devices. */
static enum ps_status say_base(struct ps_db *db, struct ps_conclusion *c, const struct trace *trace,
                               struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const double range_s = (double)(trace->span.to_ns - trace->span.from_ns) / 1e9;
    char range[48], span[48];

    if (trace->has_marks)
        return err->code;
    ps_db_prepare(db, ps_query_sql("conclude_span"), &stmt, err);
    if (ps_stmt_step(stmt, err) && ps_col_real(stmt, 0) / 1e9 * (1 - CAUSE_SHARE) > range_s)
        ps_conclusion_note(c,
                           "The trace is here the %s from the first to the last operator, driver "
                           "call or work of a device; all events span %s.",
                           ps_format_seconds(range_s, range),
                           ps_format_seconds(ps_col_real(stmt, 0) / 1e9, span));
    ps_conclusion_note(
        c, "No steps are marked, so the shares are of the whole trace.%s",
        trace->is_torch ? " profiler.step() marks steps if the profiler has a schedule=." : "");
    return err->code;
}

/* Whether functions and annotations of the program come before the parts of a step. */
static bool are_units_first(const struct trace *trace)
{
    const enum obstacle obstacle = find_obstacle(trace);

    return trace->units.n > 1 && trace->compile_s < 0.25 * trace->wall_s && !is_on_double(trace) &&
           (obstacle == NO_OBSTACLE || (obstacle == WAITS_FOR_DATA && trace->units.has_functions));
}

enum ps_status ps_conclude_trace(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    PS_AUTO(trace_free) struct trace trace = {.db = db};
    bool is_said = false; /* by functions and annotations of the program */

    read_trace(&trace, err);
    if (err->code != PS_OK)
        return err->code;
    if (!trace.is_torch && !trace.has_devices)
        return ps_conclude_slices(db, out, err); /* no work of a device was recorded */
    out->unit = "s";
    out->per = trace.has_marks ? "step" : NULL;
    out->base = trace.has_marks ? "of step" : "of trace";
    if (!(trace.wall_s > 0)) {
        ps_say(out, &out->verdict, "No time was recorded.");
        return PS_OK;
    }
    if (trace.has_devices) {
        size_t blocking = find_blocking(&trace);

        if (blocking && blocking_seconds(&trace, blocking) >= BLOCKING_SHARE * trace.wall_s) {
            trace.blocking_name = blocking;
            trace.blocking_s = blocking_seconds(&trace, blocking);
            trace.block = block_of(&trace, blocking);
            add_blocking(out, &trace, blocking, trace.blocking_s, err);
        }
        add_captures(out, &trace, err);
        add_idle(out, &trace);
        add_kernels(out, &trace, err);
    } else if (are_units_first(&trace)) {
        const struct ps_unit_base base = {.wall_s = trace.wall_s,
                                          .divisor = trace.divisor,
                                          .has_steps = trace.has_marks,
                                          .words = step_words(&trace),
                                          .operators_tab = trace.operators_tab};

        say_left_out(out, &trace);
        is_said = ps_conclude_units(out, db, &trace.windows, &trace.units, &base, err);
    }
    if (!trace.has_devices && !is_said) {
        add_operators(out, &trace, err);
        add_compilation(out, &trace, err);
        add_host_causes(out, &trace);
    }
    if (!is_said) {
        add_loading(out, &trace);
        add_communication(out, &trace, err);
        add_copies(out, &trace);
    }
    ps_conclusion_sort(out);
    compose(out, &trace);
    if (!is_said) {
        out->verdict.n = 0;
        say_left_out(out, &trace);
        say_verdict(out, &trace, err);
    }
    ps_say_late_rank(out, &trace.late);
    say_iteration(out, &trace);
    if (trace.has_marks && trace.has_devices)
        ps_conclude_inference(db, out, err);
    say_odd_step(out, &trace);
    say_overhead(out, &trace);
    say_base(db, out, &trace, err);
    ps_conclusion_note(out,
                       "Each moment counts for the first of kernel, copy, communication, "
                       "driver call, wait for data and operator that was active. A saving is "
                       "%s.",
                       is_said ? "an upper bound" : "the whole part");
    add_checks(out, &trace);
    return err->code;
}
