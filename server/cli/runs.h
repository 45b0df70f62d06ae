/* SPDX-License-Identifier: MIT */
/* runs.h: a RUN object (docs/api.md) as the commands read it. */
#ifndef PS_CLI_RUNS_H
#define PS_CLI_RUNS_H

#include "server/cli/client.h"
#include "server/cli/plain.h"

/* Distinct runs, in the order in which they were named. */
struct ps_run_ids {
    char (*at)[PS_ID_SIZE];
    size_t n;
};
/* Resolves all words before the caller acts on any run: removing one changes what @2 means. Free
 * with ps_run_ids_free in any case. */
enum ps_status ps_cli_resolve(struct ps_client *client, const char *const *words, size_t n,
                              struct ps_run_ids *out, struct ps_err *err);
void ps_run_ids_free(struct ps_run_ids *ids); /* for PS_AUTO */

void ps_run_free(cJSON **run); /* for PS_AUTO */

/* A member's text, "" when there is none; a member's number, 0 when there is none. */
const char *ps_run_text(const cJSON *run, const char *key);
double ps_run_number(const cJSON *run, const char *key);

/* "1.534 s": the headline with its unit, seconds scaled. Returns out; "" without a headline. */
char *ps_run_headline(const cJSON *run, char out[64]);
/* "2026-11-20 14:02": the local time of an ISO time in UTC. Returns out. */
char *ps_run_when(const cJSON *run, char out[32]);
/* "k=v k2=v2" */
void ps_run_tags(const cJSON *run, struct ps_buf *out);

#endif
