/* SPDX-License-Identifier: MIT */
/* memory.c: [memory] records. */
#include "importers/trace/memory.h"

#include <math.h>
#include <stdlib.h>

#include "importers/trace/import.h"

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

static struct ps_str header(const struct tr_trace *trace, const char *key)
{
    struct ps_str found = {NULL, 0};

    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_is(trace->headers[i].key, key))
            found = trace->headers[i].json;
    return found;
}

/* torch of 2026 says so in its python events, and writes one key per line. */
static bool exact_since_2026(const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->n_templates; i++)
        if (trace->templates[i].call_from)
            return true;
    return trace->one_key_per_line;
}

struct tr_memory *tr_memory_of(struct tr_trace *trace)
{
    struct tr_memory *memory = trace->memory;
    int64_t base, origin;

    if (memory)
        return memory;
    memory = trace->memory = ps_alloc(sizeof *memory);
    memory->xpu = exact_since_2026(trace);
    if (ps_str_i64(header(trace, "baseTimeNanoseconds"), &base) &&
        !__builtin_mul_overflow(trace->origin_us, INT64_C(1000), &origin) &&
        !__builtin_add_overflow(base, origin, &memory->base_ns))
        memory->rounded = !memory->xpu;
    return memory;
}

void tr_memory_free(struct tr_memory *memory)
{
    if (!memory)
        return;
    free(memory->at);
    free(memory->cpu);
    free(memory->accelerator);
    free(memory->cover);
    free(memory->by_thread);
    free(memory);
}

static int64_t param(const struct tr_trace *trace, const struct tr_record *record, int index,
                     int64_t otherwise)
{
    int64_t value;

    return tr_param(trace, record, index, &value) ? value : otherwise;
}

static int16_t small(int64_t value)
{
    return value >= INT16_MIN && value <= INT16_MAX ? (int16_t)value : -1;
}

void tr_memory_add(struct tr_trace *trace, uint32_t thread, const struct tr_record *r)
{
    struct tr_memory *memory = tr_memory_of(trace);
    const struct tr_template *t = &trace->templates[r->template];
    struct tr_memory_record *m;

    PS_PUSH_ROOM(memory->at, memory->n, memory->cap);
    m = &memory->at[memory->n++];
    *m = (struct tr_memory_record){.thread = thread};
    if (__builtin_sub_overflow(r->ts, trace->import->shift, &m->t) || m->t < 0)
        m->t = 0;
    m->bytes = param(trace, r, t->bytes, 0);
    m->address = param(trace, r, t->addr, 0);
    m->allocated = param(trace, r, t->total_allocated, -1);
    m->reserved = param(trace, r, t->total_reserved, -1);
    m->device_type = small(param(trace, r, t->device_type, 0));
    m->device = small(param(trace, r, t->device_id, -1));
}

static bool is_cpu(const struct tr_memory_record *m)
{
    return m->device_type == DEVICE_CPU || m->device_type == DEVICE_MKLDNN ||
           m->device_type == DEVICE_IDEEP;
}

static bool is_accelerator(const struct tr_memory *memory, const struct tr_memory_record *m)
{
    return m->device_type == DEVICE_CUDA || m->device_type == DEVICE_HIP ||
           m->device_type == DEVICE_PRIVATE || (m->device_type == DEVICE_XPU && memory->xpu);
}

static bool before(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_memory *memory = list;

    return memory->at[a].t < memory->at[b].t;
}

static bool thread_before(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_memory *memory = list;

    return memory->at[a].thread < memory->at[b].thread;
}

/* Sums wrap like the file's own arithmetic would: differences of them stay right. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

void tr_memory_sort(struct tr_trace *trace)
{
    struct tr_memory *memory = tr_memory_of(trace);
    uint32_t *order = tr_sorted(memory, memory->n, before);

    if (order) {
        struct tr_memory_record *sorted = ps_grow(NULL, memory->n, sizeof *sorted);

        for (size_t i = 0; i < memory->n; i++)
            sorted[i] = memory->at[order[i]];
        free(memory->at);
        free(order);
        memory->at = sorted;
        memory->cap = memory->n;
    }
    memory->by_thread = tr_sorted(memory, memory->n, thread_before);
    memory->cpu = ps_alloc((memory->n + 1) * sizeof *memory->cpu);
    memory->accelerator = ps_alloc((memory->n + 1) * sizeof *memory->accelerator);
    memory->cover = ps_alloc((memory->n + 1) * sizeof *memory->cover);
    for (size_t i = 0; i < memory->n; i++) {
        const struct tr_memory_record *m = &memory->at[i];

        memory->cpu[i + 1] = plus(memory->cpu[i], is_cpu(m) ? m->bytes : 0);
        memory->accelerator[i + 1] =
            plus(memory->accelerator[i], is_accelerator(memory, m) ? m->bytes : 0);
    }
}

/* How many records lie before t. Looks on from where the last search ended. */
static size_t records_before(struct tr_memory *memory, int64_t t)
{
    size_t low = 0, high = memory->n, step = 1;

    if (memory->near < memory->n && memory->at[memory->near].t < t) {
        low = memory->near;
        while (low + step < memory->n && memory->at[low + step].t < t) {
            low += step;
            step *= 2;
        }
        high = low + step < memory->n ? low + step : memory->n;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (memory->at[middle].t < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* (t / 1000.0) * 1000.0 of the absolute time, which doubles hold to 256 ns only: a first time that
 * is not before it, or a last one that is not behind it. */
static int64_t as_doubles(const struct tr_memory *memory, int64_t t, bool first)
{
    double us, ns;
    int64_t absolute;

    if (!memory->rounded || __builtin_add_overflow(memory->base_ns, t, &absolute))
        return t;
    us = (double)(absolute / 1000) + (double)(absolute % 1000) / 1000.0; /* rounded once */
    ns = first ? ceil(us * 1000.0) : floor(us * 1000.0);
    return ns < 9e18 && ns > -9e18 ? (int64_t)ns - memory->base_ns : t;
}

struct tr_memory_sums tr_memory_in(struct tr_memory *memory, int64_t start, int64_t end)
{
    size_t from = records_before(memory, as_doubles(memory, start, true));
    size_t to = records_before(memory, as_doubles(memory, end, false) + 1);
    struct tr_memory_sums sums = {0};

    memory->near = from ? from - 1 : 0;
    if (to <= from)
        return sums;
    memory->cover[from]++;
    memory->cover[to]--;
    sums.cpu = minus(memory->cpu[to], memory->cpu[from]);
    sums.accelerator = minus(memory->accelerator[to], memory->accelerator[from]);
    return sums;
}

size_t tr_memory_outside(const struct tr_memory *memory, struct tr_memory_sums *sums)
{
    int64_t covering = 0;
    size_t n = 0;

    *sums = (struct tr_memory_sums){0};
    for (size_t i = 0; i < memory->n; i++) {
        covering += memory->cover[i];
        if (covering > 0)
            continue;
        n++;
        sums->cpu = plus(sums->cpu, minus(memory->cpu[i + 1], memory->cpu[i]));
        sums->accelerator =
            plus(sums->accelerator, minus(memory->accelerator[i + 1], memory->accelerator[i]));
    }
    return n;
}

static bool is_operator(const struct tr_track *track, uint32_t row)
{
    return track->slice_kind[row] == PS_SLICE_OP || track->slice_kind[row] == PS_SLICE_ANNOTATION ||
           track->slice_kind[row] == PS_SLICE_OTHER;
}

/* The deepest operator around t, from the last row that starts by then. */
static int64_t operator_at(const struct tr_track *track, uint32_t behind, int64_t t)
{
    uint32_t row = behind ? behind - 1 : TR_NO_ROW;

    while (row != TR_NO_ROW && !(is_operator(track, row) && track->duration[row] > 0 &&
                                 track->start[row] + track->duration[row] > t))
        row = track->parent[row];
    return row == TR_NO_ROW ? 0 : ps_slice_id(track->id, row);
}

static struct tr_memory_record *of_thread(struct tr_memory *memory, size_t i)
{
    return &memory->at[memory->by_thread ? memory->by_thread[i] : i];
}

/* The first record of a thread, in the order of threads. */
static size_t first_of_thread(struct tr_memory *memory, uint32_t thread)
{
    size_t low = 0, high = memory->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (of_thread(memory, middle)->thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tr_memory_mark(struct tr_memory *memory, const struct tr_trace *trace,
                    const struct tr_track *track)
{
    uint32_t thread = track->thread ? (uint32_t)(track->thread - trace->threads) : UINT32_MAX;
    uint32_t behind = 0;

    for (size_t i = first_of_thread(memory, thread); i < memory->n; i++) {
        struct tr_memory_record *m = of_thread(memory, i);

        if (m->thread != thread)
            break;
        while (behind < track->n && track->start[behind] <= m->t)
            behind++;
        m->slice = operator_at(track, behind, m->t);
    }
}

void tr_memory_give(struct tr_trace *trace)
{
    struct tr_memory *memory = tr_memory_of(trace);
    int64_t covering = 0;

    for (size_t i = 0; i < memory->n && ps_sink_ok(trace->out); i++) {
        const struct tr_memory_record *m = &memory->at[i];
        struct ps_memory_event given = {.t_ns = m->t,
                                        .device_type = m->device_type,
                                        .device = m->device,
                                        .bytes = m->bytes,
                                        .address = m->address,
                                        .allocated = m->allocated,
                                        .reserved = m->reserved,
                                        .slice = m->slice};

        covering += memory->cover[i];
        given.outside = covering <= 0;
        trace->out->ops->memory_event(trace->out, &given);
    }
}
