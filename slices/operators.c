/* SPDX-License-Identifier: MIT */
#include "slices/operators.h"
#include "base/mem.h"

#include <stdlib.h>

struct row_key {
    uint32_t name, shapes;
    uint8_t kind; /* operators, annotations and kernels of the same name are different rows */
};

static bool is_row(const void *items, uint32_t index, const void *of)
{
    const struct ps_operator *row = (const struct ps_operator *)items + index;
    const struct row_key *key = of;

    return row->name == key->name && row->shapes == key->shapes && row->kind == key->kind;
}

static struct ps_operator *row_of(struct ps_operators *sums, uint32_t name, uint32_t shapes,
                                  uint8_t kind)
{
    const struct row_key key = {name, shapes, kind};
    uint64_t hash = ps_hash_pair((uint64_t)name << 32 | shapes, kind);
    uint32_t index =
        ps_hash_table_add(&sums->rows, hash, (uint32_t)sums->n, is_row, sums->items, &key);

    if (index == sums->n) {
        PS_RESERVE_ONE(sums->items, sums->n, sums->cap);
        sums->items[sums->n++] = (struct ps_operator){.name = name,
                                                      .shapes = shapes,
                                                      .kind = kind,
                                                      .min_ns = INT64_MAX,
                                                      .first_start_ns = INT64_MAX};
    }
    return &sums->items[index];
}

/* Device rows: work of the device, and annotations on its streams. */
static bool is_device_row(int64_t kind)
{
    return ps_slice_on_device(kind) || kind == PS_SLICE_GPU_ANNOTATION;
}

/* Whether the table lists the slice: host slices as key_averages() of torch does, which has rows of
 * annotations and of the profiler's own work, and device slices. Other tools report their own work
 * apart. */
static bool is_listed(const struct ps_operators *sums, int64_t kind, int64_t flags)
{
    if (flags & PS_SLICE_INSTANT)
        return false;
    if (sums->counts_all)
        return kind != PS_SLICE_SYNC && kind != PS_SLICE_SPAN && kind != PS_SLICE_OVERHEAD;
    if (flags & (PS_SLICE_MERGED | PS_SLICE_HIDDEN))
        return false;
    return kind == PS_SLICE_OP || kind == PS_SLICE_ANNOTATION || kind == PS_SLICE_RUNTIME ||
           kind == PS_SLICE_OVERHEAD || is_device_row(kind);
}

/* Sums wrap around: a file may contain any number. */
static void plus(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static void add_host(struct ps_operator *row, const struct ps_chunk *chunk, uint32_t i,
                     enum ps_slice_column self)
{
    plus(&row->cpu_total_ns, ps_chunk_value(chunk, PS_COL_DURATION, i));
    plus(&row->self_cpu_ns, ps_chunk_value(chunk, self, i));
    plus(&row->self_device_ns, ps_chunk_value(chunk, PS_COL_DEVICE_SELF, i));
    plus(&row->device_total_ns, ps_chunk_value(chunk, PS_COL_DEVICE_TOTAL, i));
    plus(&row->self_cpu_bytes, ps_chunk_value(chunk, PS_COL_CPU_BYTES_SELF, i));
    plus(&row->cpu_bytes, ps_chunk_value(chunk, PS_COL_CPU_BYTES, i));
    plus(&row->self_device_bytes, ps_chunk_value(chunk, PS_COL_DEVICE_BYTES_SELF, i));
    plus(&row->device_bytes, ps_chunk_value(chunk, PS_COL_DEVICE_BYTES, i));
    plus(&row->flops, ps_chunk_value(chunk, PS_COL_FLOPS, i));
}

static void add_device(struct ps_operator *row, const struct ps_chunk *chunk, uint32_t i)
{
    plus(&row->self_device_ns, ps_chunk_value(chunk, PS_COL_DURATION, i));
    plus(&row->device_total_ns, ps_chunk_value(chunk, PS_COL_DURATION, i));
    if (ps_chunk_value(chunk, PS_COL_FLAGS, i) & PS_SLICE_TENSOR_CORE)
        row->tensor_core++;
}

static uint32_t map_id(const uint32_t *map, size_t n, int64_t id)
{
    return map && id >= 0 && (uint64_t)id < n ? map[id] : 0;
}

static void add_slice(struct ps_operators *sums, const struct ps_chunk *chunk, uint32_t i,
                      uint8_t kind)
{
    uint32_t name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i);
    bool device = is_device_row(kind);
    uint32_t key = ps_slice_on_device(kind) ? 0 : map_id(sums->key, sums->n_key, name);
    uint32_t shapes =
        device ? 0
               : map_id(sums->shapes, sums->n_shapes, ps_chunk_value(chunk, PS_COL_TEMPLATE, i));
    struct ps_operator *row = row_of(sums, key ? key : name, shapes, kind);
    int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
    int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);
    if (row->calls++ == 0)
        row->family = (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i);
    row->min_ns = duration < row->min_ns ? duration : row->min_ns;
    row->max_ns = duration > row->max_ns ? duration : row->max_ns;
    row->first_start_ns = start < row->first_start_ns ? start : row->first_start_ns;
    if (device)
        add_device(row, chunk, i);
    else
        add_host(row, chunk, i, sums->counts_all ? PS_COL_SELF : PS_COL_OP_SELF);
}

/* The index of the first row that starts at or after ns; rows are sorted by start. */
static uint32_t first_from(const struct ps_chunk *chunk, int64_t ns)
{
    uint32_t low = 0, high = chunk->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ps_chunk_value(chunk, PS_COL_START, middle) < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ps_operators_add(struct ps_operators *sums, const struct ps_chunk *chunk,
                      struct ps_range range)
{
    uint32_t to = range.to_ns == INT64_MAX ? chunk->n : first_from(chunk, range.to_ns);
    if (!sums->counts_all && !chunk->column[PS_COL_KIND]) /* stacks: no slice is listed */
        return;
    for (uint32_t i = first_from(chunk, range.from_ns); i < to; i++) {
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        if (is_listed(sums, kind, ps_chunk_value(chunk, PS_COL_FLAGS, i)))
            add_slice(sums, chunk, i, (uint8_t)kind);
    }
}

void ps_operator_join(struct ps_operator *to, const struct ps_operator *from)
{
    plus(&to->calls, from->calls);
    plus(&to->self_cpu_ns, from->self_cpu_ns);
    plus(&to->cpu_total_ns, from->cpu_total_ns);
    plus(&to->self_device_ns, from->self_device_ns);
    plus(&to->device_total_ns, from->device_total_ns);
    plus(&to->self_cpu_bytes, from->self_cpu_bytes);
    plus(&to->cpu_bytes, from->cpu_bytes);
    plus(&to->self_device_bytes, from->self_device_bytes);
    plus(&to->device_bytes, from->device_bytes);
    plus(&to->flops, from->flops);
    plus(&to->tensor_core, from->tensor_core);
    to->min_ns = from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
    to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
}

void ps_operators_free(struct ps_operators *sums)
{
    free(sums->items);
    ps_hash_table_free(&sums->rows);
    *sums = (struct ps_operators){0};
}
