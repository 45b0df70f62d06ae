/* SPDX-License-Identifier: MIT */
/*
 * roles.h: classifies slices by their kind and name into the parts of a step's time. The same
 * functions are used for the steps of a run during import and for any range of it later.
 */
#ifndef PS_SLICES_ROLES_H
#define PS_SLICES_ROLES_H

#include "slices/intervals.h"

/* Meaning of the name of a slice. */
enum ps_name_kind {
    PS_NAME_UNKNOWN = 0,  /* not determined yet */
    PS_NAME_STEP,         /* ProfilerStep#5 */
    PS_NAME_SERVING_STEP, /* a step of a serving engine (slices/serving.h) */
    PS_NAME_COLLECTIVE,   /* an operator that tb_plugin counts as communication */
    PS_NAME_DATALOADER,
    PS_NAME_COLLECTIVE_KERNEL,
    PS_NAME_OTHER,
};
enum ps_name_kind ps_name_kind_of(struct ps_str name);

/* A cache of the meanings of texts, by text id. */
struct ps_name_kinds {
    uint8_t *kinds;
    size_t n;
};
/* The cache entry of a text; PS_NAME_UNKNOWN at first. */
uint8_t *ps_name_kinds_slot(struct ps_name_kinds *meanings, uint32_t text);
void ps_name_kinds_free(struct ps_name_kinds *meanings);

/* Returns PS_N_ROLES for slices without a role (Python frames, the profiler's own overhead, steps,
 * other annotations, waits). */
enum ps_role ps_role_of(int64_t kind, int64_t flags, enum ps_name_kind meaning);

#endif
