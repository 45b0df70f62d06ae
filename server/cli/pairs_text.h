/* SPDX-License-Identifier: MIT */
/* pairs_text.h: what is known about a comparison of pairs, in sentences; for record ab, check and
 * diff. */
#ifndef PS_CLI_PAIRS_TEXT_H
#define PS_CLI_PAIRS_TEXT_H

#include "base/buf.h"

#include <cjson/cJSON.h>

#define PS_PAIRS_MAX 200 /* maximum of --pairs: a comparison has at most so many runs a group */

/* Appends lines about the pairs of a headline (docs/api-compare.md): test and interval, noise,
 * drift, modes; or why runs of pairs were compared as groups. Nothing if no run is one of a pair.
 * limit_pct: the change that should be seen, NAN if there is none. */
void ps_cli_add_pairs(const cJSON *headline, double limit_pct, struct ps_buf *out);

#endif
