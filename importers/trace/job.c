/* SPDX-License-Identifier: MIT */
/* job.c: merges the files of a job, one by one, and their summaries. */
#include "importers/trace/job.h"
#include "importers/records/collectives.h"
#include "importers/records/run.h"
#include "importers/records/steps.h"
#include "importers/records/trace.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct tr_job_ids {
    uint32_t template, process, track, counter, step, module;
};

/* A metric of the summary, merged over all files. */
struct tr_job_figure {
    const char *key;
    struct ps_num first, max;
    double sum;
    int64_t sum_i;
    bool is_integer; /* all values were integers */
    unsigned n;
};

struct tr_job {
    /* must be the first member, so that a pointer to it is a pointer to the job */
    struct ps_sink sink;
    struct ps_sink *out;
    struct ps_arena arena;
    /* workers: their names; names: texts of all files, text id = intern id + 1 */
    struct ps_intern workers, names;
    /* number of workers whose name was written; whose rank was written */
    unsigned n_named, n_ranked;
    uint8_t *text_written; /* by text id - 1: whether the text was written to `out` */
    uint32_t n_text_written;
    const struct tr_trace *trace; /* trace of the current file */
    struct ps_str name;
    uint32_t worker, files;
    uint32_t *texts; /* text id of the file -> text id of the run */
    size_t n_texts;
    struct ps_intern collectives; /* of all files; id = intern id + 1 */
    uint32_t *collective_ids;     /* id in the file -> id in the run */
    size_t n_collective_ids;
    struct ps_buf key;
    struct tr_job_ids base_ids, next_ids; /* the ids of the current file begin at base_ids + 1 */
    bool has_clock, is_whole_written;
    bool is_xla;                /* the files are profiles of XLA, which have no ranks */
    bool is_capture;            /* the current file is part of the capture of another one */
    bool is_described;          /* a file that is not a capture has written the metadata */
    int64_t base_ns, origin_us; /* time base of the first file */
    int64_t shift_ns;           /* ns to add to the times of the current file */
    int64_t earlier_ns;         /* how much earlier than its user a capture was recorded */
    /* minimum and maximum time of all tracks so far, in the time of the run */
    int64_t first_ns, last_ns;
    int64_t *column[PS_N_SLICE_COLUMNS];
    struct tr_job_figure *figures;
    size_t n_figures, figures_cap;
    struct ps_ledger ledger;
    struct ps_headline headline;
    unsigned headlines;
};

extern const struct ps_sink_ops tr_job_ops;

static struct tr_job *job_of_sink(struct ps_sink *sink)
{
    return (struct tr_job *)sink;
}

/* Copies an error of the run's sink to the job's sink, where the importer checks it. */
static void copy_sink_error(struct tr_job *job)
{
    if (!ps_sink_ok(job->out))
        job->sink.err = job->out->err;
}

/* --- Ids --- */

static uint32_t text_id(struct tr_job *job, int64_t id)
{
    if (id <= 0 || id > UINT32_MAX || !job->trace)
        return 0;
    job->texts = ps_grow_to(job->texts, &job->n_texts, (size_t)id, sizeof *job->texts);
    if (!job->texts[id])
        job->texts[id] = ps_intern_add(&job->names, tr_text_of_id(job->trace, (uint32_t)id)) + 1;
    return job->texts[id];
}

static int64_t slice_id(const struct tr_job *job, int64_t id)
{
    return id ? id + ((int64_t)job->base_ids.track << 32) : 0;
}

static uint32_t numbered(uint32_t base, uint32_t *next, uint32_t id)
{
    if (!id)
        return 0;
    id += base;
    *next = id > *next ? id : *next;
    return id;
}

static uint32_t template_id(struct tr_job *job, uint32_t id)
{
    if (id <= PS_TEMPLATE_WHOLE) /* these template ids are the same in all files */
        return id;
    return numbered(job->base_ids.template - PS_TEMPLATE_WHOLE, &job->next_ids.template, id);
}

static int64_t shift_time(const struct tr_job *job, int64_t ns)
{
    int64_t sum;

    return __builtin_add_overflow(ns, job->shift_ns, &sum) ? ns : sum;
}

/* --- Summary values and notes --- */

static void meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    struct tr_job *job = job_of_sink(sink);

    /* the workers of a job may run on several hosts */
    if (!job->is_described && !job->is_capture && strcmp(key, "host") != 0)
        ps_sink_meta(job->out, key, value);
}

static struct tr_job_figure *tr_job_figure(struct tr_job *job, const char *key)
{
    for (size_t i = 0; i < job->n_figures; i++)
        if (strcmp(job->figures[i].key, key) == 0)
            return &job->figures[i];
    PS_RESERVE_ONE(job->figures, job->n_figures, job->figures_cap);
    job->figures[job->n_figures] =
        (struct tr_job_figure){.key = ps_arena_copy(&job->arena, ps_str_from_c(key)).ptr};
    return &job->figures[job->n_figures++];
}

/* What the run says of its files, and not of the work in them. */
static bool counts_for_capture(const char *key)
{
    static const char *const keys[] = {"events",    "slices", "tracks", "processes",
                                       "operators", "shapes", "stacks", "flops"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static void number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    struct tr_job *job = job_of_sink(sink);
    struct tr_job_figure *figure;

    if (value.kind == PS_NUM_NONE || (job->is_capture && !counts_for_capture(key)))
        return;
    figure = tr_job_figure(job, key);
    if (figure->n++ == 0) {
        figure->first = figure->max = value;
        figure->is_integer = true;
    }
    if (ps_num_to_real(value) > ps_num_to_real(figure->max))
        figure->max = value;
    figure->sum += ps_num_to_real(value);
    figure->is_integer = figure->is_integer && value.kind == PS_NUM_INT &&
                         !__builtin_add_overflow(figure->sum_i, value.i, &figure->sum_i);
}

static void list(struct ps_sink *sink, const char *key, const struct ps_str *items, size_t n)
{
    struct tr_job *job = job_of_sink(sink);

    if (!job->is_described && !job->is_capture)
        job->out->ops->list(job->out, key, items, n);
}

static void note(struct ps_sink *sink, const struct ps_note *row)
{
    struct tr_job *job = job_of_sink(sink);
    PS_AUTO(ps_buf_free) struct ps_buf what = {0};
    struct ps_note copy = *row;

    ps_buf_add_str(&what, job->name);
    ps_buf_puts(&what, ": ");
    ps_buf_add_str(&what, row->text);
    copy.text = ps_buf_slice(&what);
    job->out->ops->note(job->out, &copy);
}

static void ledger(struct ps_sink *sink, const struct ps_ledger *row)
{
    struct ps_ledger *sum = &job_of_sink(sink)->ledger;

    sum->unit = row->unit;
    sum->read += row->read;
    sum->stored += row->stored;
    sum->repaired += row->repaired;
    sum->rejected += row->rejected;
    sum->other += row->other;
}

/* Adds the value to the sum for the mean over all files with the same label. "mean step" replaces
 * other labels, since a file without steps must not count as a slow file. */
static void headline(struct ps_sink *sink, const struct ps_headline *row)
{
    struct tr_job *job = job_of_sink(sink);
    bool same = job->headline.label && strcmp(job->headline.label, row->label) == 0;

    if (job->is_capture)
        return;
    if (!job->headline.label || (!same && strcmp(row->label, "mean step") == 0)) {
        job->headline = *row;
        job->headlines = 1;
    } else if (same) {
        job->headline.value += row->value;
        job->headlines++;
    }
}

static bool progress(struct ps_sink *sink, uint64_t done, uint64_t total, uint64_t records)
{
    struct tr_job *job = job_of_sink(sink);
    bool on = !job->out->ops->progress ||
              job->out->ops->progress(job->out, done, total, job->ledger.read + records);

    copy_sink_error(job);
    return on;
}

static int scratch(struct ps_sink *sink)
{
    struct tr_job *job = job_of_sink(sink);

    return job->out->ops->open_scratch ? job->out->ops->open_scratch(job->out) : -1;
}

/* --- Records with translated ids --- */

static void text(struct ps_sink *sink, const struct ps_trace_text *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_trace_text copy = {.id = text_id(job, row->id), .text = row->text};

    copy.group_key = text_id(job, row->group_key);
    if (job->names.count > job->n_text_written) {
        uint32_t n = job->names.count * 2;

        job->text_written = ps_grow(job->text_written, n, 1);
        memset(job->text_written + job->n_text_written, 0, n - job->n_text_written);
        job->n_text_written = n;
    }
    if (!copy.id || job->text_written[copy.id - 1])
        return;
    job->text_written[copy.id - 1] = 1;
    job->out->ops->text(job->out, &copy);
    copy_sink_error(job);
}

static void args_template(struct ps_sink *sink, const struct ps_args_template *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_args_template copy = *row;

    copy.id = template_id(job, row->id);
    copy.shapes = text_id(job, row->shapes);
    if (row->id == PS_TEMPLATE_WHOLE && job->is_whole_written)
        return;
    job->is_whole_written = job->is_whole_written || row->id == PS_TEMPLATE_WHOLE;
    job->out->ops->args_template(job->out, &copy);
}

/* sort positions of a file: 2^20 processes with 2^32 tracks each */
#define POSITIONS_PER_FILE (INT64_C(1) << 52)

static void process(struct ps_sink *sink, const struct ps_process *row)
{
    struct tr_job *job = job_of_sink(sink);
    PS_AUTO(ps_buf_free) struct ps_buf labels = {0};
    struct ps_process copy = *row;

    copy.id = numbered(job->base_ids.process, &job->next_ids.process, row->id);
    copy.worker = job->worker;
    copy.sort_key += (int64_t)job->files * (POSITIONS_PER_FILE >> 32);
    if (job->is_capture) {
        ps_buf_printf(&labels, "%.*s%scapture of graphs, recorded %.3f s earlier",
                      (int)row->labels.len, row->labels.ptr, row->labels.len ? ", " : "",
                      (double)job->earlier_ns / 1e9);
        copy.labels = ps_buf_slice(&labels);
    }
    job->out->ops->process(job->out, &copy);
}

static void track(struct ps_sink *sink, const struct ps_track *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_track copy = *row;

    copy.id = numbered(job->base_ids.track, &job->next_ids.track, row->id);
    copy.process = row->process + job->base_ids.process;
    copy.sort_key += (int64_t)job->files * POSITIONS_PER_FILE;
    copy.start_ns = shift_time(job, row->start_ns);
    copy.end_ns = shift_time(job, row->end_ns);
    if (row->n_slices && !job->is_capture) {
        job->first_ns = copy.start_ns < job->first_ns ? copy.start_ns : job->first_ns;
        job->last_ns = copy.end_ns > job->last_ns ? copy.end_ns : job->last_ns;
    }
    if (copy.id > PS_TRACKS_MAX && ps_sink_ok(&job->sink))
        ps_fail(&job->sink.err, PS_LIMIT, "the job has more than %u tracks", PS_TRACKS_MAX);
    job->out->ops->track(job->out, &copy);
    copy_sink_error(job);
}

static int64_t *copy_column(struct tr_job *job, const struct ps_chunk *chunk,
                            enum ps_slice_column which)
{
    int64_t **copy = &job->column[which];

    if (!chunk->column[which])
        return NULL;
    if (!*copy)
        *copy = ps_grow(NULL, PS_CHUNK_ROWS, sizeof **copy);
    memcpy(*copy, chunk->column[which], chunk->n * sizeof **copy);
    return *copy;
}

static int64_t in_run(struct tr_job *job, enum ps_slice_column which, int64_t value)
{
    switch (which) {
    case PS_COL_START:
        return shift_time(job, value);
    case PS_COL_NAME:
    case PS_COL_CATEGORY:
        return text_id(job, value);
    case PS_COL_TEMPLATE:
        return template_id(job, (uint32_t)value);
    default: /* PS_COL_LAUNCH, PS_COL_OP */
        return slice_id(job, value);
    }
}

static void slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    static const enum ps_slice_column changed[] = {PS_COL_START,    PS_COL_NAME,   PS_COL_CATEGORY,
                                                   PS_COL_TEMPLATE, PS_COL_LAUNCH, PS_COL_OP};
    struct tr_job *job = job_of_sink(sink);
    struct ps_chunk copy = *chunk;

    copy.track = chunk->track + job->base_ids.track;
    copy.start_ns = shift_time(job, chunk->start_ns);
    copy.end_ns = shift_time(job, chunk->end_ns);
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        int64_t *values = copy_column(job, chunk, changed[i]);

        for (uint32_t row = 0; values && row < chunk->n; row++)
            values[row] = in_run(job, changed[i], values[row]);
        copy.column[changed[i]] = values;
    }
    job->out->ops->slices(job->out, &copy);
    copy_sink_error(job);
}

static void flow(struct ps_sink *sink, const struct ps_flow *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_flow copy = {text_id(job, row->kind), slice_id(job, row->from_slice),
                           slice_id(job, row->to_slice), shift_time(job, row->from_ns),
                           shift_time(job, row->to_ns)};

    job->out->ops->flow(job->out, &copy);
}

static void counter(struct ps_sink *sink, const struct ps_counter *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_counter copy = *row;

    copy.id = numbered(job->base_ids.counter, &job->next_ids.counter, row->id);
    copy.process = row->process ? row->process + job->base_ids.process : 0;
    job->out->ops->counter(job->out, &copy);
}

static void count(struct ps_sink *sink, uint32_t series, int64_t t_ns, double value)
{
    struct tr_job *job = job_of_sink(sink);

    job->out->ops->counter_value(job->out, series + job->base_ids.counter, shift_time(job, t_ns),
                                 value);
}

static void memory_event(struct ps_sink *sink, const struct ps_memory_event *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_memory_event copy = *row;

    if (job->is_capture)
        return;
    copy.t_ns = shift_time(job, row->t_ns);
    copy.slice_id = slice_id(job, row->slice_id);
    copy.worker = job->worker;
    job->out->ops->memory_event(job->out, &copy);
}

/* Writes a collective of which no earlier file has calls. */
static void collective(struct ps_sink *sink, const struct ps_collective *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_collective copy = *row;
    uint32_t n = job->collectives.count;

    job->key.len = 0;
    ps_buf_printf(&job->key, "%d\n%u", row->is_described, row->group_size);
    for (const struct ps_str *text =
             (const struct ps_str[]){
                 row->name, row->group, row->description, row->members, row->dtype, {NULL, 0}};
         text->ptr; text++) {
        ps_buf_puts(&job->key, "\n");
        ps_buf_add_str(&job->key, *text);
    }
    copy.id = ps_intern_add(&job->collectives, ps_buf_slice(&job->key)) + 1;
    job->collective_ids = ps_grow_to(job->collective_ids, &job->n_collective_ids, row->id,
                                     sizeof *job->collective_ids);
    job->collective_ids[row->id] = copy.id;
    if (job->collectives.count > n)
        job->out->ops->collective(job->out, &copy);
}

static void collective_call(struct ps_sink *sink, const struct ps_collective_call *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_collective_call copy = *row;

    if (job->is_capture)
        return;
    copy.slice_id = slice_id(job, row->slice_id);
    copy.start_ns = shift_time(job, row->start_ns);
    copy.collective = job->collective_ids[row->collective];
    job->out->ops->collective_call(job->out, &copy);
    copy_sink_error(job);
}

static void step(struct ps_sink *sink, const struct ps_step *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_step copy = *row;

    if (job->is_capture)
        return;
    copy.id = numbered(job->base_ids.step, &job->next_ids.step, row->id);
    copy.worker = job->worker;
    copy.start_ns = shift_time(job, row->start_ns);
    copy.end_ns = shift_time(job, row->end_ns);
    copy.host_start_ns = shift_time(job, row->host_start_ns);
    copy.host_end_ns = shift_time(job, row->host_end_ns);
    job->out->ops->step(job->out, &copy);
}

static void step_part(struct ps_sink *sink, const struct ps_step_part *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_step_part copy = *row;

    if (job->is_capture)
        return;
    copy.step = row->step + job->base_ids.step;
    job->out->ops->step_part(job->out, &copy);
}

static void device(struct ps_sink *sink, const struct ps_device_summary *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_device_summary copy = *row;

    if (job->is_capture)
        return;
    copy.worker = job->worker;
    job->out->ops->device(job->out, &copy);
}

static void gap(struct ps_sink *sink, const struct ps_gap *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_gap copy = *row;

    if (job->is_capture)
        return;
    copy.stream_track = row->stream_track + job->base_ids.track;
    copy.start_ns = shift_time(job, row->start_ns);
    copy.end_ns = shift_time(job, row->end_ns);
    copy.slice_before = slice_id(job, row->slice_before);
    copy.slice_after = slice_id(job, row->slice_after);
    job->out->ops->gap(job->out, &copy);
}

static void module(struct ps_sink *sink, const struct ps_module *row)
{
    struct tr_job *job = job_of_sink(sink);
    struct ps_module copy = *row;

    copy.id = numbered(job->base_ids.module, &job->next_ids.module, row->id);
    copy.parent = row->parent ? row->parent + job->base_ids.module : 0;
    copy.first_slice = slice_id(job, row->first_slice);
    job->out->ops->module(job->out, &copy);
}

const struct ps_sink_ops tr_job_ops = {
    .meta = meta,
    .number = number,
    .list = list,
    .note = note,
    .ledger = ledger,
    .headline = headline,
    .progress = progress,
    .open_scratch = scratch,
    .text = text,
    .args_template = args_template,
    .process = process,
    .track = track,
    .slices = slices,
    .flow = flow,
    .counter = counter,
    .counter_value = count,
    .memory_event = memory_event,
    .collective = collective,
    .collective_call = collective_call,
    .step = step,
    .step_part = step_part,
    .device = device,
    .gap = gap,
    .module = module,
};

/* The rule by which a metric is merged over several files. Metrics that are not listed have the
 * value of the first file. */
static const struct {
    const char *key;
    enum { SUM, MAX_ROWS, MEAN } how;
} rules[] = {{"events", SUM},
             {"slices", SUM},
             {"tracks", SUM},
             {"processes", SUM},
             {"devices", SUM},
             {"kernels", SUM},
             {"copies", SUM},
             {"steps", SUM},
             {"serving_steps", SUM},
             {"operators", MAX_ROWS},
             {"peak_bytes", MAX_ROWS},
             {"peak_device", MAX_ROWS},
             {"ended_us", MAX_ROWS},
             {"torch", MAX_ROWS},
             {"shapes", MAX_ROWS},
             {"stacks", MAX_ROWS},
             {"memory", MAX_ROWS},
             {"flops", MAX_ROWS},
             {"step_ns", MEAN},
             {"gpu_busy", MEAN},
             {"dataloader_pct", MEAN},
             {"work_ns", SUM},
             {"work_with_operator_ns", SUM},
             {"replayed_ns", SUM},
             {"replayed_by_order_ns", SUM},
             {"replayed_by_node_ns", SUM},
             {"host_wait_idle_ns", SUM},
             {"idle_host_wait", SUM},
             {"idle_host_wait_ns", SUM},
             {"idle_kernel_wait", SUM},
             {"idle_kernel_wait_ns", SUM},
             {"idle_other", SUM},
             {"idle_other_ns", SUM}};

struct tr_job *tr_job_new(struct ps_sink *out)
{
    struct tr_job *job = ps_alloc(sizeof *job);

    job->sink.ops = &tr_job_ops;
    job->out = out;
    job->first_ns = INT64_MAX;
    job->last_ns = INT64_MIN;
    job->next_ids = job->base_ids = (struct tr_job_ids){.template = PS_TEMPLATE_WHOLE};
    return job;
}

/* Returns the worker in a file name: "host_4711" for "host_4711.1727759448000.pt.trace.json.gz". A
 * name of another form is the worker itself. */
static struct ps_str worker_of(struct ps_str name)
{
    const char *slash = memrchr(name.ptr, '/', name.len), *dot;

    if (slash)
        name = ps_str_skip(name, (size_t)(slash + 1 - name.ptr));
    if (ps_str_find(name, PS_STR(".xplane.pb"))) /* the host may be an address: 10.0.0.1 */
        return name;
    dot = memchr(name.ptr, '.', name.len);
    if (dot && dot + 1 < name.ptr + name.len && dot[1] >= '0' && dot[1] <= '9')
        name.len = (size_t)(dot - name.ptr);
    return name;
}

static struct ps_str without_ending(struct ps_str name)
{
    static const char *const endings[] = {".gz", ".json", ".trace", ".pt", ".pb", ".xplane"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct ps_str ending = ps_str_from_c(endings[i]);

        if (name.len > ending.len &&
            memcmp(name.ptr + name.len - ending.len, ending.ptr, ending.len) == 0)
            name.len -= ending.len;
    }
    return name;
}

static void worker_meta(struct tr_job *job, const char *key, struct ps_str value)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    ps_buf_printf(&name, "worker.%u.%s", job->worker, key);
    ps_sink_meta(job->out, name.ptr, value);
}

struct ps_sink *tr_job_read_file(struct tr_job *job, struct ps_str name)
{
    job->name = ps_arena_copy(&job->arena, name);
    return &job->sink;
}

struct ps_sink *tr_job_begin_file(struct tr_job *job, struct ps_str name)
{
    struct ps_str worker = worker_of(name);

    (void)tr_job_read_file(job, name);
    job->is_capture = false;
    job->worker = ps_intern_add(&job->workers, worker);
    if (job->workers.count > job->n_named) {
        worker_meta(job, "name", without_ending(worker));
        job->n_named = job->workers.count;
    }
    job->base_ids = job->next_ids;
    free(job->texts);
    job->texts = NULL;
    job->n_texts = 0;
    return &job->sink;
}

/* Returns the origin of the file's times minus the origin of the first file's times, in ns. */
static int64_t clock_of(struct tr_job *job, const struct tr_trace *trace)
{
    int64_t base = 0, origin = trace->origin_us, ns;

    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_eq_c(trace->headers[i].key, "baseTimeNanoseconds"))
            (void)ps_str_parse_i64(trace->headers[i].json, &base);
    if (trace->first_ns > INT64_MIN + 1000)
        origin += (trace->first_ns - (trace->first_ns % 1000 + 1000) % 1000) / 1000;
    if (!job->has_clock) {
        job->has_clock = true;
        job->base_ns = base;
        job->origin_us = origin;
    }
    if (__builtin_sub_overflow(origin, job->origin_us, &ns) ||
        __builtin_mul_overflow(ns, 1000, &ns) ||
        __builtin_add_overflow(ns, base - job->base_ns, &ns))
        return 0;
    return ns;
}

static void write_rank(struct tr_job *job, const struct tr_trace *trace)
{
    for (size_t i = 0; i < trace->n_headers; i++) {
        cJSON *info, *rank;
        char digits[24];

        if (!ps_str_eq_c(trace->headers[i].key, "distributedInfo") || job->n_ranked > job->worker)
            continue;
        info = cJSON_ParseWithLength(trace->headers[i].json.ptr, trace->headers[i].json.len);
        rank = cJSON_GetObjectItemCaseSensitive(info, "rank");
        if (cJSON_IsNumber(rank)) {
            (void)snprintf(digits, sizeof digits, "%.0f", rank->valuedouble);
            worker_meta(job, "rank", ps_str_from_c(digits));
            job->n_ranked = job->worker + 1;
        }
        cJSON_Delete(info);
    }
}

void tr_job_set_trace(struct tr_job *job, struct tr_trace *trace)
{
    job->trace = trace;
    job->is_xla |= trace->is_xla;
    trace->first_track = job->base_ids.track;
    job->shift_ns = clock_of(job, trace);
    write_rank(job, trace);
}

struct ps_sink *tr_job_begin_capture(struct tr_job *job, struct ps_str name, struct tr_trace *trace,
                                     struct ps_str user_name, const struct tr_trace *user)
{
    int64_t user_ns, length = 0;

    (void)tr_job_begin_file(job, user_name);
    user_ns = clock_of(job, user);
    tr_job_set_trace(job, trace);
    (void)tr_job_read_file(job, name);
    job->is_capture = true;
    job->earlier_ns = user_ns - job->shift_ns;
    if (trace->last_ns > trace->first_ns)
        (void)__builtin_sub_overflow(trace->last_ns, trace->first_ns, &length);
    job->shift_ns = user_ns;
    if (__builtin_sub_overflow(user_ns, length, &job->shift_ns))
        job->shift_ns = user_ns;
    return &job->sink;
}

void tr_job_end_file(struct tr_job *job)
{
    job->trace = NULL;
    job->is_described |= !job->is_capture;
    job->is_capture = false;
    job->files++;
}

/* --- End of the job --- */

static struct ps_num combine_figure(const struct tr_job_figure *figure)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].key, figure->key) != 0)
            continue;
        switch (rules[i].how) {
        case SUM:
            return figure->is_integer ? ps_int(figure->sum_i) : ps_real(figure->sum);
        case MAX_ROWS:
            return figure->max;
        default:
            return ps_real(figure->sum / (double)figure->n);
        }
    }
    return figure->first;
}

static void span(struct tr_job *job)
{
    struct tr_job_figure *figure = tr_job_figure(job, "span_ns");
    int64_t ns = 0;

    if (job->last_ns >= job->first_ns && __builtin_sub_overflow(job->last_ns, job->first_ns, &ns))
        ns = INT64_MAX;
    figure->first = ps_int(ns);
}

void tr_job_write(struct tr_job *job)
{
    struct ps_sink *out = job->out;

    span(job);
    if (job->workers.count > 1 && job->n_ranked < job->workers.count && !job->is_xla)
        ps_sink_note(
            out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
            "the run joins traces of %u workers, and not all of them have a rank: if they are "
            "recordings of several programs, add the files one by one",
            job->workers.count);
    tr_job_figure(job, "workers")->first = ps_int(job->workers.count);
    for (size_t i = 0; i < job->n_figures; i++)
        if (combine_figure(&job->figures[i]).kind != PS_NUM_NONE)
            out->ops->number(out, job->figures[i].key, combine_figure(&job->figures[i]));
    out->ops->ledger(out, &job->ledger);
    if (job->headlines)
        job->headline.value /= job->headlines;
    out->ops->headline(out, &job->headline);
}

void tr_job_free(struct tr_job *job)
{
    if (!job)
        return;
    for (int i = 0; i < PS_N_SLICE_COLUMNS; i++)
        free(job->column[i]);
    free(job->texts);
    free(job->text_written);
    free(job->collective_ids);
    ps_buf_free(&job->key);
    ps_intern_free(&job->collectives);
    free(job->figures);
    ps_intern_free(&job->names);
    ps_intern_free(&job->workers);
    ps_arena_free(&job->arena);
    free(job);
}
