/* SPDX-License-Identifier: MIT */
/* measure_document.h: helpers for importers that read measurements from JSON documents. */
#ifndef PS_IMPORTERS_MEASUREMENTS_MEASURE_DOCUMENT_H
#define PS_IMPORTERS_MEASUREMENTS_MEASURE_DOCUMENT_H

#include <cjson/cJSON.h>

#include "base/stream.h"
#include "importers/measurements/measure.h"
#include "importers/records/measurements.h"

/* Reads all of `in` as a JSON document of at most `most` bytes and calls `read` with its root, an
 * object or an array. Returns the failure of `read`. `data` is passed through. */
enum ps_status ps_measurement_read_document(struct ps_stream *in, struct ps_sink *out,
                                            uint64_t most,
                                            enum ps_status (*read)(void *data, const cJSON *root,
                                                                   struct ps_err *err),
                                            void *data, struct ps_err *err);

/* Adds the finite numbers of an array, divided by `divisor`, as samples. Returns the number of
 * values that are not finite numbers; null is skipped and not counted. */
uint64_t ps_measurement_add_samples(struct ps_measurement_builder *m, const cJSON *array,
                                    double divisor);

/* The keys of the statistics of a tool; NULL: it does not write them. */
struct ps_measurement_keys {
    const char *n, *mean, *median, *stddev, *min, *max, *q1, *q3;
};

/* Reads the statistics of an object, divided by `divisor` (1e3: milliseconds to seconds); the count
 * is not divided. Absent ones remain as they are. The mean becomes the value of the row. */
void ps_measurement_parse_statistics(struct ps_measurement *row, const cJSON *object,
                                     const struct ps_measurement_keys *keys, double divisor);

/* Adds the numbers of an object with these keys as additional values, divided by `divisor`. */
void ps_measurement_add_numbers(struct ps_measurement_builder *m, const cJSON *object,
                                const char *const *keys, size_t n, double divisor);

/* Adds the values of an object as parameters; what is neither a number nor a string, as JSON. */
void ps_measurement_add_parameters(struct ps_measurement_builder *m, const cJSON *object);
void ps_measurement_add_parameter_of(struct ps_measurement_builder *m, struct ps_str name,
                                     const cJSON *value);

/* A value of an object, in text: the string, or the JSON of anything else but null. {NULL, 0}: the
 * key is absent. */
struct ps_str ps_measurement_text_of(struct ps_measurement_builder *m, const cJSON *value);

/* Writes the string of an object as the meta value `key`, unless it is absent or empty. */
void ps_measurement_write_meta(struct ps_measurement_builder *m, const cJSON *object,
                               const char *from, const char *key);

#endif
