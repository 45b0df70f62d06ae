/* SPDX-License-Identifier: MIT */
/*
 * measure.h: helpers for importers of measurements: build a measurement, compute its spread, write
 * the headline. A builder belongs to one import. The sink stores failures; the importer checks the
 * sink at its end.
 *
 *     struct ps_measurement_builder m = {.out = sink};
 *     struct ps_measurement row = {.name = PS_STR("sleep 1"), .unit = PS_STR("s")};
 *
 *     ps_measurement_add_sample(&m, 1.002);
 *     ps_measurement_add_sample(&m, 1.004);
 *     ps_measurement_compute_spread(&m, &row);
 *     ps_measurement_write(&m, &row, "mean");
 *     ps_measurement_write_headline(&m);
 *     ps_measurement_builder_free(&m);
 */
#ifndef PS_IMPORTERS_MEASUREMENTS_MEASURE_H
#define PS_IMPORTERS_MEASUREMENTS_MEASURE_H

#include "base/mem.h"
#include "importers/sink.h"

struct ps_measurement_builder {
    struct ps_sink *out;
    struct ps_arena arena; /* strings; freed by ps_measurement_builder_free */
    uint32_t n_written;    /* number of measurements written */
    /* What a row is that is no further metric of another one, such as "tests"; NULL: "benchmarks";
     * "": such rows are not counted, because each metric is a row of its own. */
    const char *counted;
    uint32_t n_counted, n_failed, n_skipped;
    /* additional values, parameters and samples of the current measurement */
    struct ps_measurement_extra *extras;
    size_t n_extras, extras_cap;
    struct ps_measurement_parameter *parameters;
    size_t n_parameters, parameters_cap;
    double *samples;
    size_t n_samples, samples_cap;
    double *warmups;
    size_t n_warmups, warmups_cap;
    double *processes;
    size_t n_processes, processes_cap;
    size_t n_in_processes; /* number of samples of the processes that ended */
    /* from the measurements with a value and a label, in the unit of the first; unit NULL: none */
    const char *headline_unit, *headline_label; /* of the first */
    double first_positive, log_sum;             /* of the n_positive values above 0 */
    uint32_t n_headline, n_positive;
};

/* Add a value to the current measurement. A none number or a NULL string is ignored. The key is
 * copied; the bytes of a string must remain valid until ps_measurement_write. */
void ps_measurement_add_number(struct ps_measurement_builder *m, const char *key,
                               struct ps_num value);
void ps_measurement_add_text(struct ps_measurement_builder *m, const char *key,
                             struct ps_str value);
/* Adds a parameter, in the order of the tool. A NULL name is empty. Name and string are copied. */
void ps_measurement_add_parameter(struct ps_measurement_builder *m, struct ps_str name,
                                  struct ps_num number, struct ps_str text);
void ps_measurement_add_sample(struct ps_measurement_builder *m, double value);
void ps_measurement_add_warmup(struct ps_measurement_builder *m, double value);
/* Call it after the last sample of a process, if the tool measures in several. */
void ps_measurement_end_process(struct ps_measurement_builder *m);

/* Returns a text of the file for display, in the arena: valid UTF-8, truncated to 64 KiB. */
struct ps_str ps_measurement_display(struct ps_measurement_builder *m, struct ps_str text);

/* Splits the name of a pytest test in the row: "a.py::test_codec[b64-1000]" is the benchmark
 * "a.py::test_codec" with a parameter without a name, "b64-1000". */
void ps_measurement_split_test(struct ps_measurement_builder *m, struct ps_measurement *row);

/* Computes values that the tool does not report from the samples: n, mean, stddev (sample standard
 * deviation, n - 1), median, minimum, maximum, and the quartiles as medians of the halves (Tukey's
 * hinges). */
void ps_measurement_compute_spread(struct ps_measurement_builder *m, struct ps_measurement *row);

/* Writes the measurement with its additional values, parameters and samples. Those that have a
 * value and a label become the headline: the value of a single one with its label, else their
 * geometric mean. Give no label to commands that failed. Several values without a unit may be of
 * different things, so that they have no mean: the headline is the number of benchmarks. */
void ps_measurement_write(struct ps_measurement_builder *m, struct ps_measurement *row,
                          const char *label);
void ps_measurement_write_headline(struct ps_measurement_builder *m);
void ps_measurement_builder_free(struct ps_measurement_builder *m);

#endif
