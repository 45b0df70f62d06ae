/* SPDX-License-Identifier: MIT */
/* scalene.h: what scalene*.c share. For them alone. scalene.c reads the document and holds the
 * descriptor, _file.c tells files, functions and lines. */
#ifndef PS_IMPORTERS_SCALENE_H
#define PS_IMPORTERS_SCALENE_H

#include <cjson/cJSON.h>

#include "base/mem.h"
#include "importers/importer.h"

struct ps_sc_reader {
    struct ps_sink *out;
    struct ps_arena arena; /* mended texts; freed with each file */
    double *samples;       /* of the line at hand: pairs */
    size_t n_samples, cap_samples;
    uint32_t files, functions;
    uint64_t lines, records, repaired, rejected;
    uint64_t timeless;  /* lists of samples without times, as the first versions wrote */
    uint64_t odd;       /* fields of a wrong type, left out */
    uint64_t bad_pairs; /* samples that are no pair of numbers */
    double cpu_pct;
};

/* A number of an object, none when it is absent; a wrong type counts as odd. */
struct ps_num ps_sc_number(struct ps_sc_reader *r, const cJSON *object, const char *key);

/* Pairs of nanoseconds and MiB into r->samples, as seconds and MiB. */
void ps_sc_samples(struct ps_sc_reader *r, const cJSON *list);

/* One member of "files": its key is the path. */
void ps_sc_file(struct ps_sc_reader *r, const cJSON *file);

#endif
