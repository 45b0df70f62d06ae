/* SPDX-License-Identifier: MIT */
/*
 * operators.h: the table of operators, as torch's key_averages() prints it, summed over slices. The
 * same functions are used for a complete run and for any range of it.
 *
 * Host slices are counted under the key of their name (ProfilerStep#7 as ProfilerStep*), device
 * slices under their name. Merged and hidden slices and Python frames are not counted. A slice
 * belongs to a range if it starts inside. In traces not written by torch, all slices of the host
 * except instants and all device work are counted, under their names, with their self time on the
 * thread. Waits of streams are counted in none: the call that waits is.
 */
#ifndef PS_SLICES_OPERATORS_H
#define PS_SLICES_OPERATORS_H

#include "base/hash_table.h"
#include "slices/slices.h"

/* The members of a row. Table operator of a run file and the virtual table ps_operators have a
 * column for each, with the same name. */
#define PS_OPERATOR_MEMBERS(MEMBER)                                                                \
    MEMBER(uint32_t, name)   /* text id of the key */                                              \
    MEMBER(uint32_t, shapes) /* text id of the input shapes; 0: none, or not grouped by them */    \
    MEMBER(uint8_t, kind)    /* enum ps_slice_kind */                                              \
    MEMBER(uint8_t, family)  /* family of the first slice */                                       \
    MEMBER(int64_t, calls)                                                                         \
    MEMBER(int64_t, self_cpu_ns)                                                                   \
    MEMBER(int64_t, cpu_total_ns)                                                                  \
    MEMBER(int64_t, self_device_ns)                                                                \
    MEMBER(int64_t, device_total_ns)                                                               \
    MEMBER(int64_t, self_cpu_bytes)                                                                \
    MEMBER(int64_t, cpu_bytes)                                                                     \
    MEMBER(int64_t, self_device_bytes)                                                             \
    MEMBER(int64_t, device_bytes)                                                                  \
    MEMBER(int64_t, flops)                                                                         \
    MEMBER(int64_t, min_ns) /* of the duration of a single call */                                 \
    MEMBER(int64_t, max_ns)                                                                        \
    MEMBER(int64_t, first_start_ns) /* start of the earliest slice */                              \
    MEMBER(int64_t, tensor_core)    /* device rows: calls that used Tensor Cores */

#define PS_OPERATOR_DECLARE(type, name) type name;
struct ps_operator {
    PS_OPERATOR_MEMBERS(PS_OPERATOR_DECLARE)
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
    bool counts_all; /* the trace was not written by torch: count all but waits of streams */
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
/* Adds the calls of `from` to `to`, a row of the same name and kind, for rows without shapes. */
void ps_operator_join(struct ps_operator *to, const struct ps_operator *from);
void ps_operators_free(struct ps_operators *sums);

#endif
