/* SPDX-License-Identifier: MIT */
/* runs.h: reads a RUN object (docs/api.md). */
#ifndef PS_CLI_RUNS_H
#define PS_CLI_RUNS_H

#include "base/format.h"
#include "server/cli/client/client.h"

/* Ids of distinct runs, in the order of the arguments. */
struct ps_run_ids {
    char (*items)[PS_ID_SIZE];
    size_t n;
};
/* Resolves all arguments before the caller changes any run, because deleting one changes the
 * meaning of @2. Call ps_run_ids_free in any case. */
enum ps_status ps_cli_resolve(struct ps_client *client, const char *const *words, size_t n,
                              struct ps_run_ids *out, struct ps_err *err);
void ps_run_ids_free(struct ps_run_ids *ids); /* for PS_AUTO */

/* The headline with its unit, such as "1.534 s"; seconds and bytes are scaled. Returns out; ""
 * without a headline. */
char *ps_run_format_headline(const cJSON *run, char out[64]);
/* The label of the headline; "" if it only repeats the unit, as in "145 samples". */
const char *ps_run_headline_label(const cJSON *run);
/* The creation time (ISO 8601 in UTC) in local time, such as "2026-11-20 14:02". Returns out. */
char *ps_run_format_time(const cJSON *run, char out[32]);
/* Appends the tags: "k=v k2=v2". */
void ps_run_format_tags(const cJSON *run, bool with_environment, struct ps_buf *out);

#endif
