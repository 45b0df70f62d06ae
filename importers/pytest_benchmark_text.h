/* SPDX-License-Identifier: MIT */
/* pytest_benchmark_text.h: lines of the tables that pytest-benchmark prints. For
 * pytest_benchmark_text*.c alone. */
#ifndef PS_IMPORTERS_PYTEST_BENCHMARK_TEXT_H
#define PS_IMPORTERS_PYTEST_BENCHMARK_TEXT_H

#include "importers/measure_text.h"

enum ps_pb_column {
    PS_PB_MIN,
    PS_PB_MAX,
    PS_PB_MEAN,
    PS_PB_STDDEV,
    PS_PB_MEDIAN,
    PS_PB_IQR,
    PS_PB_OUTLIERS,
    PS_PB_OPS,
    PS_PB_ROUNDS,
    PS_PB_ITERATIONS,
    PS_PB_COLUMNS
};

struct ps_pb_header {
    size_t left, n; /* bytes before the table; columns behind the name */
    int time, ops;  /* powers of ten of times and of operations a second */
    enum ps_pb_column at[PS_PB_COLUMNS];
};

/* "Name (time in us)   Min   Max ...", with the columns that were asked for. */
bool ps_pb_header(struct ps_str line, struct ps_pb_header *out);

/* "---- benchmark 'name': 3 tests ----": the group, empty for those without one. */
bool ps_pb_title(struct ps_str line, struct ps_str *group);

struct ps_pb_row {
    struct ps_str name;
    bool has[PS_PB_COLUMNS];
    struct ps_printed value[PS_PB_COLUMNS]; /* seconds; operations a second; counts */
    int64_t outliers[2];                    /* beyond one stddev, beyond 1.5 IQR */
};
/* False: the line is no row. */
bool ps_pb_row(const struct ps_pb_header *header, struct ps_str line, struct ps_pb_row *out);

#endif
