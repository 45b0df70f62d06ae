/* SPDX-License-Identifier: MIT */
/* comparison_impl.h: what comparison.c and match.c share. */
#ifndef PS_COMPARE_COMPARISON_IMPL_H
#define PS_COMPARE_COMPARISON_IMPL_H

#include "base/context.h"
#include "base/intern.h"
#include "compare/align.h"
#include "compare/comparison.h"

/* A row as it grows. Texts are ids of `texts`. */
struct ps_slot {
    uint32_t name, place, base_place, within;
    uint32_t base_by, by;
    int64_t base_line, line;
    int64_t base_id, id;
    int64_t last_line; /* in the run that was read last */
    uint32_t in_base, in_now;
    bool gone; /* became part of another */
    const double *samples[2];
    uint32_t n_samples[2];
};

/* Rows that only their order tells apart: of one place, and one name or one function. */
struct ps_class {
    uint32_t *slots; /* in order */
    uint32_t n, cap;
    uint32_t pending; /* of the run that is being read: index + 1 of the first; 0 none */
};

/* A row of the run that is being read. */
struct ps_pending {
    struct ps_slot slot;
    uint32_t order, next;
    double values[PS_METRICS_MAX];
};

/* What a class is made of. */
struct ps_class_key {
    uint32_t place, word; /* word: the name, or of lines the function */
    uint32_t lines;       /* 1: source lines */
};

struct ps_comparison {
    size_t n_base, n_now, n_runs, n_metrics, run;
    struct ps_intern texts, keys;
    struct ps_class *classes; /* by id of keys */
    size_t n_classes, cap_classes;
    uint32_t *touched; /* classes with pending rows */
    size_t n_touched, cap_touched;
    struct ps_pending *pending;
    size_t n_pending, cap_pending;
    struct ps_slot *slots;
    size_t n_slots, cap_slots;
    double *values; /* slot by slot, metric by metric: a figure a run */
    size_t cap_values;
    struct ps_arena arena; /* samples */
    struct ps_compared_row *rows;
    double *first;     /* the first metric of each row */
    uint32_t *slot_of; /* row -> slot */
    size_t n_rows;
    struct ps_rule rule;
};

static inline double *ps_slot_values(const struct ps_comparison *c, size_t slot, size_t metric)
{
    return c->values + (slot * c->n_metrics + metric) * c->n_runs;
}

/* Joins rows that were not met, by name and the end of their path. */
void ps_match_paths(struct ps_comparison *comparison);

#endif
