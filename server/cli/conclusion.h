/* SPDX-License-Identifier: MIT */
/* conclusion.h: prints the conclusion of a run (docs/api-views.md): what the page shows at the head
 * of a report. */
#ifndef PS_CLI_CONCLUSION_H
#define PS_CLI_CONCLUSION_H

#include "base/buf.h"
#include "base/err.h"
#include "server/cli/options.h"

#include <cjson/cJSON.h>

struct ps_client;
struct ps_imported_runs; /* import_profile.h */

/* Appends the conclusion of a run: a sentence, a table of causes, notes. step: the name of ranges
 * that are the steps of a trace; NULL: the steps of the file. Lines are at most `width` columns
 * long; 0: no limit. Appends nothing on failure. */
enum ps_status ps_cli_add_conclusion(struct ps_client *client, const char *run_id, const char *step,
                                     unsigned width, struct ps_buf *out, struct ps_err *err);

/* Appends a sentence of the API, an array of {text}, {code} and {value, unit} (docs/api-views.md).
 * False: it has no parts. */
bool ps_cli_add_sentence(const cJSON *parts, struct ps_buf *out);

/* If stdout is a terminal and there is exactly one run, prints the sentence of its conclusion and
 * which command prints the causes. A failure prints nothing: the run itself was reported. */
void ps_cli_print_verdict(struct ps_client *client, const struct ps_options *options,
                          const struct ps_imported_runs *runs);

#endif
