/* SPDX-License-Identifier: MIT */
/* measure.h: what importers of measurements share: gathering one, its spread, the headline. */
#ifndef PS_IMPORTERS_MEASUREMENTS_MEASURE_H
#define PS_IMPORTERS_MEASUREMENTS_MEASURE_H

#include "base/mem.h"
#include "importers/sink.h"

struct ps_measuring {
    struct ps_sink *out;
    struct ps_arena arena; /* texts; freed by ps_measure_free */
    uint32_t told;
    /* of the measurement at hand */
    struct ps_measured_fact *more;
    size_t n_more, more_cap;
    double *samples;
    size_t n_samples, samples_cap;
    /* the first that has a value */
    double first_value;
    const char *first_unit, *first_label;
};

/* Something else that is known of the measurement at hand. Nothing is added for none. The key is
 * copied where it does not last. */
void ps_measure_number(struct ps_measuring *m, const char *key, struct ps_num value);
void ps_measure_text(struct ps_measuring *m, const char *key, struct ps_str value);
void ps_measure_sample(struct ps_measuring *m, double value);

/* Fills figures that the tool does not give from the samples: n, mean, stddev (of a sample, n - 1),
 * median, extremes, and quartiles as medians of the halves (Tukey's hinges). */
void ps_measure_spread(struct ps_measuring *m, struct ps_measurement *row);

/* Tells it, with what was gathered. The first that has a value and a label is the headline. */
void ps_measure_tell(struct ps_measuring *m, struct ps_measurement *row, const char *label);
void ps_measure_headline(struct ps_measuring *m);
void ps_measure_free(struct ps_measuring *m);

#endif
