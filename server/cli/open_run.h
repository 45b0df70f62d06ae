/* SPDX-License-Identifier: MIT */
/* open_run.h: shows a run in the browser, for commands other than serve. */
#ifndef PS_CLI_OPEN_RUN_H
#define PS_CLI_OPEN_RUN_H

#include "server/cli/options.h"

/* Opens the run at the running server of the shelf (server_record.h), or serves the shelf at
 * --listen until interrupted. Returns the exit status. */
int ps_cli_open_run(const struct ps_options *options, const char *run);

#endif
