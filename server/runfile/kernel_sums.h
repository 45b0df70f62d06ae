/* SPDX-License-Identifier: MIT */
/* kernel_sums.h: sums of kernels, copies and memsets of a range, in groups. */
#ifndef PS_RUNFILE_KERNEL_SUMS_H
#define PS_RUNFILE_KERNEL_SUMS_H

#include "base/hash_table.h"
#include "server/runfile/trace_reader.h"

/* Key of a group. -1: not in the trace, or not requested. Has no padding, since its bytes are
 * compared. */
struct ps_kernel_key {
    int64_t name, device, stream, kind;
    int64_t op; /* text id of the operator's name; 0: none */
    int64_t grid[3], block[3], registers, shared;
};

struct ps_kernel_sum {
    struct ps_kernel_key key;
    uint8_t family;
    int64_t calls, total_ns, min_ns, max_ns, first_ns, n_tensor_core;
    double blocks_sum, blocks_weight; /* of blocks per SM, weighted by duration */
    double occupancy_sum, occupancy_weight;
};

struct ps_kernel_sums {
    struct ps_kernel_sum *items;
    size_t n, cap;
    struct ps_hash_table by_key; /* index in at */
};

enum ps_status ps_kernel_sums_read(struct ps_db *db, struct ps_range range, bool by_launch,
                                   struct ps_kernel_sums *out, struct ps_err *err);
void ps_kernel_sums_free(struct ps_kernel_sums *sums);

#endif
