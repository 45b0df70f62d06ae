/* SPDX-License-Identifier: MIT */
/*
 * roles.h: classifies slices by their kind and name into the parts of a step's time. The same
 * functions are used for the steps of a run during import and for any range of it later.
 */
#ifndef PS_SLICES_ROLES_H
#define PS_SLICES_ROLES_H

#include "slices/spans.h"

/* What the name of a slice means. */
enum ps_meaning {
    PS_MEANS_UNKNOWN = 0, /* not determined yet */
    PS_MEANS_STEP,        /* ProfilerStep#5 */
    PS_MEANS_COLLECTIVE,  /* an operator that tb_plugin counts as communication */
    PS_MEANS_DATALOADER,
    PS_MEANS_COLLECTIVE_KERNEL,
    PS_MEANS_NOTHING,
};
enum ps_meaning ps_meaning_of(struct ps_str name);

/* A cache of the meanings of texts, by text id. */
struct ps_meanings {
    uint8_t *at;
    size_t n;
};
/* The cache entry of a text; PS_MEANS_UNKNOWN at first. */
uint8_t *ps_meanings_slot(struct ps_meanings *meanings, uint32_t text);
void ps_meanings_free(struct ps_meanings *meanings);

/* Returns PS_N_ROLES for slices without a role (Python frames, the profiler's own overhead, steps,
 * waits). */
enum ps_role ps_role_of(int64_t kind, int64_t flags, enum ps_meaning meaning);

#endif
