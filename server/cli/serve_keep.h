/* SPDX-License-Identifier: MIT */
/* serve_keep.h: takes runs off the shelf while it is served, as rules let them go. */
#ifndef PS_CLI_SERVE_KEEP_H
#define PS_CLI_SERVE_KEEP_H

#include "server/api/api.h"

/* A thread that looks at once, then after every change of the shelf and each minute, and tells the
 * listeners of api what went. What it cannot remove, or may not yet (ps_keep_due), it says once on
 * stderr. Store, api and rules
 * must outlive it. *out NULL: there are no rules. */
struct ps_keeper;
enum ps_status ps_keeper_start(struct ps_store *store, struct ps_api *api,
                               const struct ps_keep *keep, struct ps_keeper **out,
                               struct ps_err *err);
/* Ends after the removal in hand. NULL is fine. */
void ps_keeper_stop(struct ps_keeper *keeper);

#endif
