/* SPDX-License-Identifier: MIT */
/* peaks.h: the peaks of devices: what they compute and move in a second at most. Pure; any thread.
 */
#ifndef PS_SLICES_PEAKS_H
#define PS_SLICES_PEAKS_H

#include "slices/op_model.h"

/* TFLOP/s (10^12), dense, and GB/s (10^9 bytes). 0: unknown. */
struct ps_peaks {
    double matrix[PS_N_NUMBER_TYPES]; /* of Tensor Cores, matrix cores */
    double vector[PS_N_NUMBER_TYPES];
    double bandwidth; /* of the memory */
};

struct ps_device_peaks {
    const char *name;   /* "H100 SXM" */
    const char *match;  /* a part of the name of the device, in small letters */
    const char *source; /* of the numbers; compared in PS_PEAKS_DATE */
    struct ps_peaks peaks;
};

#define PS_PEAKS_DATE "2026-11"

/* The peaks of a device by its name ("NVIDIA H100 80GB HBM3"), whatever its case; the longest match
 * of whole words. NULL: the device is not in the table, or is a MIG instance, a part of one. */
const struct ps_device_peaks *ps_peaks_of_device(struct ps_str name);

#endif
