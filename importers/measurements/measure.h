/* SPDX-License-Identifier: MIT */
/* measure.h: helpers for importers of measurements: build a measurement, its spread, the
 * headline. */
#ifndef PS_IMPORTERS_MEASUREMENTS_MEASURE_H
#define PS_IMPORTERS_MEASUREMENTS_MEASURE_H

#include "base/mem.h"
#include "importers/sink.h"

struct ps_measuring {
    struct ps_sink *out;
    struct ps_arena arena; /* strings; freed by ps_measure_free */
    uint32_t told;         /* number of measurements written */
    /* Of the current measurement: */
    struct ps_measured_fact *more;
    size_t n_more, more_cap;
    double *samples;
    size_t n_samples, samples_cap;
    /* Of the first measurement that has a value and a label; first_unit NULL: none yet. */
    double first_value;
    const char *first_unit, *first_label;
};

/* Add a value to the current measurement. A none number or a NULL string is ignored. The key is
 * copied; the bytes of a string must stay valid until ps_measure_tell. */
void ps_measure_number(struct ps_measuring *m, const char *key, struct ps_num value);
void ps_measure_text(struct ps_measuring *m, const char *key, struct ps_str value);
void ps_measure_sample(struct ps_measuring *m, double value);

/* Computes values that the tool does not report from the samples: n, mean, stddev (sample standard
 * deviation, n - 1), median, minimum, maximum, and the quartiles as medians of the halves (Tukey's
 * hinges). */
void ps_measure_spread(struct ps_measuring *m, struct ps_measurement *row);

/* Writes the measurement with its additional values and samples. The first one that has a value and
 * a label becomes the headline. */
void ps_measure_tell(struct ps_measuring *m, struct ps_measurement *row, const char *label);
void ps_measure_headline(struct ps_measuring *m);
void ps_measure_free(struct ps_measuring *m);

#endif
