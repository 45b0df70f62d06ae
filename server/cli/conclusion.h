/* SPDX-License-Identifier: MIT */
/* conclusion.h: prints the conclusion of a run (docs/api-views.md): what the page shows at the head
 * of a report. */
#ifndef PS_CLI_CONCLUSION_H
#define PS_CLI_CONCLUSION_H

#include "base/buf.h"
#include "base/err.h"

#include <cjson/cJSON.h>

struct ps_client;

/* Appends the conclusion of a run: a sentence, a table of causes, notes. Lines are at most `width`
 * columns long; 0: no limit. Appends nothing on failure. */
enum ps_status ps_cli_add_conclusion(struct ps_client *client, const char *run_id, unsigned width,
                                     struct ps_buf *out, struct ps_err *err);

#endif
