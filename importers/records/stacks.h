/* SPDX-License-Identifier: MIT */
/* stacks.h: what samples of stacks hold besides slices. */
#ifndef PS_RECORDS_STACKS_H
#define PS_RECORDS_STACKS_H

#include "base/num.h"
#include "base/str.h"

/* The text of the only frame of samples that a sampling profiler took without a frame. */
#define PS_NO_FRAME "(no frame)"

/* What the values of samples measure: "cpu-time" in seconds. A run with sample types has tracks for
 * each of them. */
struct ps_sample_type {
    uint32_t id; /* from 1 */
    struct ps_str name, unit;
    double
        scale; /* a duration of the slices of its tracks, divided by this, is a value in `unit` */
    int32_t file_column;           /* -1: computed, the number of samples times their period */
    struct ps_num total, negative; /* sums of all values; of those below 0, without their sign */
    int64_t samples;               /* samples whose value is not 0 */
    bool is_default;
};

/* What the values of a label do. */
enum ps_label_role {
    PS_LABEL_IS_SUMMED, /* tracks hold samples with any of them */
    PS_LABEL_IS_THREAD, /* they name threads or processes, so tracks are divided by them */
    PS_LABEL_DIVIDES,   /* tracks are divided by them */
};

struct ps_sample_label {
    uint32_t id;             /* from 1 */
    struct ps_str key, unit; /* unit: of numbers; empty: none */
    int64_t n_values, samples;
    enum ps_label_role role;
};

/* A frequent value of a label, and the samples with it. Written after the label. */
struct ps_sample_label_value {
    uint32_t label, sample_type;
    struct ps_str value;
    struct ps_num total; /* in the unit of the sample type */
    int64_t samples;     /* those whose value of the sample type is not 0 */
};

/* A label that all samples of a track have. Written after the track. */
struct ps_track_label {
    uint32_t track, label;
    struct ps_str value;
};

#endif
