/* SPDX-License-Identifier: MIT */
/* conclusion.h: reads the conclusion of a run (docs/api-views.md): what the page shows at the head
 * of a report. */
#ifndef PS_CLI_CONCLUSION_H
#define PS_CLI_CONCLUSION_H

#include "base/buf.h"
#include "base/err.h"
#include "server/cli/options/options.h"

#include <cjson/cJSON.h>

struct ps_client;
struct ps_imported_runs; /* import_profile.h */

/* Reads GET runs/ID/conclusion; free *out with ps_json_free. step: the name of ranges that are the
 * steps of a trace; NULL: the steps of the file. sample_type: of a run that has several; NULL: its
 * default. */
enum ps_status ps_cli_read_conclusion(struct ps_client *client, const char *run_id,
                                      const char *step, const char *sample_type, cJSON **out,
                                      struct ps_err *err);

/* If stdout is a terminal and there is exactly one run, prints the sentence of its conclusion and
 * which command prints the causes. A failure prints nothing: the run itself was reported. */
void ps_cli_print_verdict(struct ps_client *client, const struct ps_options *options,
                          const struct ps_imported_runs *runs);

#endif
