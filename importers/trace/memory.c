/* SPDX-License-Identifier: MIT */
/* memory.c: the [memory] records of torch (memory.h). */
#include "importers/trace/memory.h"
#include "importers/records/trace.h"
#include "importers/trace/import_state.h"
#include "importers/trace/sort_order.h"
#include "importers/trace/sweep.h"
#include "importers/trace/track.h"

#include <math.h>
#include <stdlib.h>

/* c10's device types, as Kineto writes them. */
enum {
    DEVICE_CPU = 0,
    DEVICE_CUDA = 1,
    DEVICE_MKLDNN = 2,
    DEVICE_IDEEP = 5,
    DEVICE_HIP = 6,
    DEVICE_XPU = 12,
    DEVICE_PRIVATE = 20
};

static struct ps_str header_value(const struct tr_trace *trace, const char *key)
{
    struct ps_str found = {NULL, 0};

    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_eq_c(trace->headers[i].key, key))
            found = trace->headers[i].json;
    return found;
}

/* Whether torch of 2026 wrote the trace: that version writes Python events with CallFrom, records
 * with finished, and one key per line. */
static bool is_torch_2026(const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->n_templates; i++)
        if (trace->templates[i].has_call_from ||
            (trace->templates[i].has_finished && trace->templates[i].bytes >= 0))
            return true;
    return trace->has_one_key_per_line;
}

struct tr_memory *tr_memory_get(struct tr_trace *trace)
{
    struct tr_memory *memory = trace->memory;
    int64_t base, origin;

    if (memory)
        return memory;
    memory = trace->memory = ps_alloc(sizeof *memory);
    memory->counts_xpu = is_torch_2026(trace);
    if (ps_str_parse_i64(header_value(trace, "baseTimeNanoseconds"), &base) &&
        !__builtin_mul_overflow(trace->origin_us, INT64_C(1000), &origin) &&
        !__builtin_add_overflow(base, origin, &memory->base_ns))
        memory->has_rounded_times = !memory->counts_xpu;
    return memory;
}

void tr_memory_free(struct tr_trace *trace)
{
    struct tr_memory *memory = trace->memory;

    if (!memory)
        return;
    tr_scratch_free(trace->scratch, memory->records);
    tr_scratch_free(trace->scratch, memory->cpu);
    tr_scratch_free(trace->scratch, memory->accelerator);
    tr_scratch_free(trace->scratch, memory->cover_differences);
    tr_scratch_free(trace->scratch, memory->by_thread);
    free(memory->track_ids);
    free(memory);
    trace->memory = NULL;
}

/* Reads the parameters of a record by the indices in its template. */
struct params {
    struct ps_str packed;
    struct ps_str template;
    int64_t at[32];
    /* number of parameters read so far; -1: some are not integers, so ps_args_param must read
     * them */
    int n;
};

static int64_t read_param(struct params *params, int index, int64_t otherwise)
{
    struct ps_num value;

    if (index < 0)
        return otherwise;
    if (params->n >= 0 && index < 32) {
        while (params->n <= index && ps_args_next_int(&params->packed, &params->at[params->n]))
            params->n++;
        return params->n > index ? params->at[index] : otherwise;
    }
    value = ps_args_param(params->template, params->packed, index);
    return value.kind == PS_NUM_INT ? value.i : otherwise;
}

static struct params params_of(const struct tr_trace *trace, uint32_t template, uint64_t args_at)
{
    struct params params = {.template = trace->templates[template].text};

    params.packed = tr_params_at(trace, args_at);
    if (params.template.len &&
        memchr(params.template.ptr, PS_TEMPLATE_DECIMAL, params.template.len))
        params.n = -1;
    return params;
}

static uint8_t kind_of(const struct tr_memory *memory, int64_t device_type)
{
    switch (device_type) {
    case DEVICE_CPU:
    case DEVICE_MKLDNN:
    case DEVICE_IDEEP:
        return TR_MEMORY_CPU;
    case DEVICE_CUDA:
    case DEVICE_HIP:
    case DEVICE_PRIVATE:
        return TR_MEMORY_ACCELERATOR;
    case DEVICE_XPU:
        return memory->counts_xpu ? TR_MEMORY_ACCELERATOR : TR_MEMORY_OTHER;
    default:
        return TR_MEMORY_OTHER;
    }
}

void tr_memory_add(struct tr_trace *trace, uint32_t thread, const struct tr_record *r)
{
    struct tr_memory *memory = tr_memory_get(trace);
    const struct tr_template *t = &trace->templates[r->template];
    struct params params = params_of(trace, r->template, r->args_address);
    struct tr_memory_record *m;

    TR_SCRATCH_PUSH(trace->scratch, memory->records, memory->n, memory->cap);
    m = &memory->records[memory->n++];
    *m = (struct tr_memory_record){.template = r->template, .thread = thread, .row = TR_NO_ROW};
    m->args_address = r->args_address;
    if (__builtin_sub_overflow(r->ts_ns, trace->import->shift_ns, &m->time_ns) || m->time_ns < 0)
        m->time_ns = 0;
    m->bytes = read_param(&params, t->bytes, 0);
    m->kind = (uint64_t)kind_of(memory, read_param(&params, t->device_type, 0)) & 3;
}

static bool is_earlier(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_memory *memory = list;

    return memory->records[a].time_ns < memory->records[b].time_ns;
}

/* Sorts the records by thread with a counting sort; the records of a thread remain in order of
 * time. */
static void sort_by_thread(struct tr_trace *trace)
{
    struct tr_memory *memory = trace->memory;
    uint32_t *first = ps_alloc_array((size_t)trace->n_threads + 2, sizeof *first);

    for (size_t i = 0; i < memory->n; i++) {
        first[memory->records[i].thread + 1]++;
        tr_scratch_count_row(trace->scratch, i);
    }
    for (uint32_t i = 0; i < trace->n_threads; i++)
        first[i + 1] += first[i];
    memory->by_thread =
        tr_scratch_grow(trace->scratch, NULL, memory->n + 1, sizeof *memory->by_thread);
    for (size_t i = 0; i < memory->n; i++) {
        memory->by_thread[first[memory->records[i].thread]++] = (uint32_t)i;
        tr_scratch_count_row(trace->scratch, i);
    }
    free(first);
}

/* Adds with wraparound. Sums may overflow; the differences of two sums are still correct. */
static int64_t add_num(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

void tr_memory_sort(struct tr_trace *trace)
{
    struct tr_memory *memory = tr_memory_get(trace);
    uint32_t *order = tr_sort_order(trace->scratch, memory, memory->n, is_earlier);

    if (order) {
        struct tr_memory_record *sorted =
            tr_scratch_grow(trace->scratch, NULL, memory->n, sizeof *sorted);

        for (size_t i = 0; i < memory->n; i++) {
            sorted[i] = memory->records[order[i]];
            tr_scratch_count_row(trace->scratch, i);
        }
        tr_scratch_free(trace->scratch, memory->records);
        tr_scratch_free(trace->scratch, order);
        memory->records = sorted;
        memory->cap = memory->n;
    }
    sort_by_thread(trace);
    memory->track_ids = ps_alloc_array((size_t)trace->n_threads + 1, sizeof *memory->track_ids);
    memory->cpu = tr_scratch_alloc(trace->scratch, memory->n + 1, sizeof *memory->cpu);
    memory->accelerator =
        tr_scratch_alloc(trace->scratch, memory->n + 1, sizeof *memory->accelerator);
    memory->cover_differences =
        tr_scratch_alloc(trace->scratch, memory->n + 1, sizeof *memory->cover_differences);
    for (size_t i = 0; i < memory->n; i++) {
        const struct tr_memory_record *m = &memory->records[i];

        tr_scratch_count_row(trace->scratch, i);
        memory->cpu[i + 1] = add_num(memory->cpu[i], m->kind == TR_MEMORY_CPU ? m->bytes : 0);
        memory->accelerator[i + 1] =
            add_num(memory->accelerator[i], m->kind == TR_MEMORY_ACCELERATOR ? m->bytes : 0);
    }
}

/* Returns the number of records before time t. The search begins where the last search ended. */
static size_t records_before(struct tr_memory *memory, int64_t t)
{
    size_t low = 0, high = memory->n, step = 1;

    if (memory->last_index < memory->n && memory->records[memory->last_index].time_ns < t) {
        low = memory->last_index;
        while (low + step < memory->n && memory->records[low + step].time_ns < t) {
            low += step;
            step *= 2;
        }
        high = low + step < memory->n ? low + step : memory->n;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (memory->records[middle].time_ns < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rounds t as torch does: to (t / 1000.0) * 1000.0 of the absolute time, which doubles represent
 * with a precision of 256 ns. `first`: returns the first ns not before that value, else the last ns
 * not after it. */
static int64_t round_like_torch(const struct tr_memory *memory, int64_t t, bool first)
{
    double us, ns;
    int64_t absolute;

    if (!memory->has_rounded_times || __builtin_add_overflow(memory->base_ns, t, &absolute))
        return t;
    us = (double)(absolute / 1000) + (double)(absolute % 1000) / 1000.0; /* rounded once */
    ns = first ? ceil(us * 1000.0) : floor(us * 1000.0);
    return ns < 9e18 && ns > -9e18 ? (int64_t)ns - memory->base_ns : t;
}

struct tr_memory_sums tr_memory_sum(struct tr_memory *memory, int64_t start, int64_t end)
{
    size_t from = records_before(memory, round_like_torch(memory, start, true));
    size_t to = records_before(memory, round_like_torch(memory, end, false) + 1);
    struct tr_memory_sums sums = {0};

    memory->last_index = from ? from - 1 : 0;
    if (to <= from)
        return sums;
    memory->cover_differences[from]++;
    memory->cover_differences[to]--;
    sums.cpu = subtract(memory->cpu[to], memory->cpu[from]);
    sums.accelerator = subtract(memory->accelerator[to], memory->accelerator[from]);
    return sums;
}

static bool is_operator(const struct tr_track *track, uint32_t row)
{
    return track->slice_kind[row] == PS_SLICE_OP || track->slice_kind[row] == PS_SLICE_ANNOTATION ||
           track->slice_kind[row] == PS_SLICE_OTHER;
}

static struct tr_memory_record *record_of_thread(struct tr_memory *memory, size_t i)
{
    return &memory->records[memory->by_thread[i]];
}

/* Returns the index in memory->by_thread of the first record of a thread. */
static size_t first_record_of_thread(struct tr_memory *memory, uint32_t thread)
{
    size_t low = 0, high = memory->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (record_of_thread(memory, middle)->thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tr_memory_assign_rows(struct tr_memory *memory, const struct tr_trace *trace,
                           const struct tr_track *track)
{
    uint32_t thread = track->thread ? (uint32_t)(track->thread - trace->threads) : UINT32_MAX;
    struct tr_sweep sweep = {.track = track, .accepts = is_operator};

    if (!tr_memory_has_records(memory))
        return;
    if (thread < trace->n_threads)
        memory->track_ids[thread] = track->id;
    for (size_t i = first_record_of_thread(memory, thread); i < memory->n; i++) {
        struct tr_memory_record *m = record_of_thread(memory, i);

        if (m->thread != thread)
            break;
        m->row = tr_sweep_advance(&sweep, m->time_ns);
        tr_scratch_count_row(trace->scratch, i);
    }
    tr_sweep_free(&sweep);
}

#define DEVICES_MAX 64

/* Updates the peak with the total in the record or, for torch before 1.11, with the sum of the
 * records so far. sums[0]: host; sums[1 + i]: device i. */
static void update_peak(struct tr_memory *memory, const struct ps_memory_event *m, int64_t *sums)
{
    int64_t total = m->allocated;
    int64_t *peak = m->device_type == DEVICE_CPU ? &memory->peak_host : &memory->peak_device;

    if (total < 0 && m->device < DEVICES_MAX) {
        int64_t *sum = &sums[m->device_type && m->device >= 0 ? m->device + 1 : 0];

        total = __builtin_add_overflow(*sum, m->bytes, sum) ? 0 : *sum;
    }
    *peak = total > *peak ? total : *peak;
}

static void write_record(struct tr_trace *trace, const struct tr_memory_record *m, bool outside,
                         int64_t *sums)
{
    const struct tr_template *t = &trace->templates[m->template];
    struct params params = params_of(trace, m->template, m->args_address);
    struct ps_memory_event given = {.t_ns = m->time_ns, .bytes = m->bytes, .is_outside = outside};

    given.device_type = read_param(&params, t->device_type, 0);
    given.device = read_param(&params, t->device_id, -1);
    given.address = read_param(&params, t->address, 0);
    given.allocated = read_param(&params, t->total_allocated, -1);
    given.reserved = read_param(&params, t->total_reserved, -1);
    if (m->row != TR_NO_ROW)
        given.slice_id = ps_slice_id(trace->memory->track_ids[m->thread], m->row);
    update_peak(trace->memory, &given, sums);
    trace->out->ops->memory_event(trace->out, &given);
}

void tr_memory_write(struct tr_trace *trace)
{
    struct tr_memory *memory = tr_memory_get(trace);
    int64_t covering = 0, sums[DEVICES_MAX + 1] = {0};

    for (size_t i = 0; i < memory->n && ps_sink_ok(trace->out); i++) {
        covering += memory->cover_differences[i];
        write_record(trace, &memory->records[i], covering <= 0, sums);
        tr_scratch_count_row(trace->scratch, i);
    }
}
