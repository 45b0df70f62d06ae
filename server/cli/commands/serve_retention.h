/* SPDX-License-Identifier: MIT */
/* serve_retention.h: deletes runs by the retention rules while the shelf is served. */
#ifndef PS_CLI_SERVE_RETENTION_H
#define PS_CLI_SERVE_RETENTION_H

#include "server/api/api.h"

/* A thread that applies the rules at once, after every change of the shelf and each minute, and
 * sends an event to clients for each deleted run. It reports once on stderr that it cannot delete
 * runs, or must delay their deletion (ps_retention_find_due). Store, api and rules must stay valid.
 * *out is NULL if there are no rules. */
struct ps_retention_thread;
enum ps_status ps_retention_thread_start(struct ps_store *store, struct ps_api *api,
                                         const struct ps_retention *keep,
                                         struct ps_retention_thread **out, struct ps_err *err);
/* Stops the thread after the current deletion. NULL is allowed. */
void ps_retention_thread_stop(struct ps_retention_thread *keeper);

#endif
