/* SPDX-License-Identifier: MIT */
/*
 * roles.h: which part of a step's time a slice takes, by what it is and what it is called. The same
 * lines serve the steps of a run while it is imported and any range of it later.
 */
#ifndef PS_SLICES_ROLES_H
#define PS_SLICES_ROLES_H

#include "slices/spans.h"

/* What a name says. */
enum ps_meaning {
    PS_MEANS_UNKNOWN = 0, /* not looked at yet */
    PS_MEANS_STEP,        /* ProfilerStep#5 */
    PS_MEANS_COLLECTIVE,  /* an operator that tb_plugin takes for communication */
    PS_MEANS_DATALOADER,
    PS_MEANS_COLLECTIVE_KERNEL,
    PS_MEANS_NOTHING,
};
enum ps_meaning ps_meaning_of(struct ps_str name);

/* The meanings of texts by their ids, each found once. */
struct ps_meanings {
    uint8_t *at;
    size_t n;
};
/* Where the meaning of a text is kept; PS_MEANS_UNKNOWN at first. */
uint8_t *ps_meanings_slot(struct ps_meanings *meanings, uint32_t text);
void ps_meanings_free(struct ps_meanings *meanings);

/* PS_N_ROLES: it plays none (Python frames, the profiler's own overhead, steps, waits). */
enum ps_role ps_role_of(int64_t kind, int64_t flags, enum ps_meaning meaning);

#endif
