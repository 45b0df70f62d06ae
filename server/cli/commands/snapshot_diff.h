/* SPDX-License-Identifier: MIT */
/* snapshot_diff.h: reads the stacks by which two memory snapshots of PyTorch differ at their
 * peaks. */
#ifndef PS_CLI_SNAPSHOT_DIFF_H
#define PS_CLI_SNAPSHOT_DIFF_H

#include "server/cli/commands/comparison.h"

#define PS_CLI_STACKS "stacks" /* name of this table for --of */

/* Whether GET /compare/snapshot answers for the runs: each group is one memory snapshot. */
bool ps_cli_compares_snapshots(const struct ps_cli_comparison *compared);
/* Reads GET /compare/snapshot; free *out with ps_json_free. */
enum ps_status ps_cli_read_stacks(const struct ps_cli_comparison *compared, cJSON **out,
                                  struct ps_err *err);
/* Appends the runs and all rows as one line of JSON, with the members that other tables have. */
enum ps_status ps_cli_append_snapshot_json(const struct ps_cli_comparison *compared,
                                           struct ps_buf *out, struct ps_err *err);

#endif
