/* SPDX-License-Identifier: MIT */
/*
 * operators.h: the table of operators, as torch's key_averages() prints it, summed over slices. The
 * same functions are used for a complete run and for any range of it.
 *
 * Host slices are counted under the key of their name (ProfilerStep#7 as ProfilerStep*), device
 * slices under their name. Merged and hidden slices and Python frames are not counted. A slice
 * belongs to a range if it starts inside. In traces not written by torch, all slices except
 * instants are counted, under their names, with their self time on the thread.
 */
#ifndef PS_SLICES_OPERATORS_H
#define PS_SLICES_OPERATORS_H

#include "base/hash_table.h"
#include "slices/slices.h"

struct ps_operator {
    uint32_t name;   /* text id of the key */
    uint32_t shapes; /* text id of the input shapes; 0 when not grouped by them, or none recorded */
    uint8_t kind;    /* enum ps_slice_kind */
    uint8_t family;  /* family of the first slice */
    int64_t calls;
    int64_t self_cpu_ns, cpu_total_ns, self_device_ns, device_total_ns;
    int64_t self_cpu_bytes, cpu_bytes, self_device_bytes, device_bytes;
    int64_t flops;
    int64_t min_ns, max_ns; /* of the duration of a single call */
    int64_t first_start_ns; /* start of the earliest slice */
    int64_t tensor_core;    /* device rows: calls that used Tensor Cores */
};

struct ps_operators {
    struct ps_operator *items; /* in order of first appearance */
    size_t n, cap;
    const uint32_t *key; /* text id of a name -> text id of its key (0: the name itself); n_key
                            entries. Borrowed */
    size_t n_key;
    const uint32_t *shapes; /* template id -> text id of its input shapes; NULL: do not group by
                               shapes. Borrowed */
    size_t n_shapes;
    bool counts_all;           /* the trace was not written by torch: count all slices */
    struct ps_hash_table rows; /* (name, shapes, kind) -> index in items */
};

/* The columns that ps_operators_add reads */
#define PS_OPERATORS_COLUMNS                                                                       \
    (PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_NAME) |            \
     PS_COL_BIT(PS_COL_SELF) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) |                \
     PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_OP_SELF) |        \
     PS_COL_BIT(PS_COL_DEVICE_SELF) | PS_COL_BIT(PS_COL_DEVICE_TOTAL) |                            \
     PS_COL_BIT(PS_COL_CPU_BYTES_SELF) | PS_COL_BIT(PS_COL_CPU_BYTES) |                            \
     PS_COL_BIT(PS_COL_DEVICE_BYTES_SELF) | PS_COL_BIT(PS_COL_DEVICE_BYTES) |                      \
     PS_COL_BIT(PS_COL_FLOPS))

void ps_operators_add(struct ps_operators *sums, const struct ps_chunk *chunk,
                      struct ps_range range);
void ps_operators_free(struct ps_operators *sums);

#endif
