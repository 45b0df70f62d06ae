/* SPDX-License-Identifier: MIT */
/* kernel_names.h: what the name of a kernel says about it. Runs of all versions are read with the
 * lists in kernel_names.c, so names are classified when a run is imported and when it is read. */
#ifndef PS_SLICES_KERNEL_NAMES_H
#define PS_SLICES_KERNEL_NAMES_H

#include "base/str.h"

#include <stdbool.h>

/* Whether the kernel communicates with other devices. */
bool ps_kernel_is_collective(struct ps_str name);

enum ps_tensor_cores {
    PS_TENSOR_CORES_UNKNOWN,
    PS_TENSOR_CORES_USED,
    PS_TENSOR_CORES_UNUSED, /* a matrix product or convolution without them */
    PS_TENSOR_CORES_NONE,   /* no product: elementwise, reduction, copy, collective */
};
enum ps_tensor_cores ps_kernel_tensor_cores(struct ps_str name);

#endif
