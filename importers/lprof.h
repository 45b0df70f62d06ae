/* SPDX-License-Identifier: MIT */
/*
 * lprof.h: what lprof*.c share: the measurements of one or several LineStats. For them alone.
 *
 * lprof.c reads the bytes and holds the descriptor, _stats.c turns pickles into rows and adds them
 * up, _report.c tells the sink.
 */
#ifndef PS_IMPORTERS_LPROF_H
#define PS_IMPORTERS_LPROF_H

#include "base/intern.h"
#include "importers/importer.h"
#include "importers/pickle.h"

/* One (line, hits, time) of a pickle; after ps_lp_merge one line of a function. */
struct ps_lp_row {
    struct ps_num hits, ticks;
    uint32_t function, line;
    uint32_t pickle;
    bool beyond, dropped; /* a later entry of the same key replaced it */
};

struct ps_lp_function {
    uint32_t file, name; /* ids in texts */
    int64_t first_line;
    uint32_t pickle;           /* the last that listed it, + 1 */
    size_t from, n;            /* its rows there, then, after ps_lp_merge, all of it */
    struct ps_num hits, ticks; /* sums, after ps_lp_merge */
};

struct ps_lp_key { /* what makes functions one, as bytes */
    uint32_t file, name;
    int64_t first_line;
};

struct ps_lp_stats {
    struct ps_intern texts; /* as they stand in the file */
    struct ps_intern keys;
    struct ps_lp_function *functions; /* by id of their key: the order of the file */
    size_t n_functions, cap_functions;
    struct ps_lp_row *rows;
    size_t n_rows, cap_rows;
    double *units; /* by pickle */
    uint32_t n_pickles, cap_units;
    const char *versions; /* of the first pickle's class */
    double unit;          /* of the ticks, after ps_lp_merge: the largest */
    bool mixed_units;
    uint64_t size; /* bytes of the file */

    uint64_t entries; /* (line, hits, time) read */
    uint64_t doubled; /* of them, replaced by a later entry of the same function */
    uint64_t doubled_keys;
    uint64_t rejected; /* of them, without a line or with a figure that is none */
    uint64_t repeated; /* entries of one pickle that name a line of their function again */
    uint64_t negative, fractions;
    uint64_t beyond, lost_lines; /* lost_lines: functions whose first line is none */
};

/* Adds what one pickle holds. Places in failures are `at`, where it begins. */
bool ps_lp_add(struct ps_lp_stats *s, const struct ps_pickle *p, const struct ps_pk_value *root,
               uint64_t at, struct ps_err *err);

/* When all are there: sorts rows by function and line and adds up what belongs together. */
void ps_lp_merge(struct ps_lp_stats *s);

/* False: cancelled. */
bool ps_lp_report(const struct ps_lp_stats *s, struct ps_sink *out);

/* The sum of two figures: an integer as long as both are and it fits; *beyond is set when not. */
struct ps_num ps_lp_plus(struct ps_num a, struct ps_num b, bool *beyond);

void ps_lp_free(struct ps_lp_stats *s);

#endif
