/* SPDX-License-Identifier: MIT */
/* open_run.h: a run of the shelf in the browser, from a verb that is no server. */
#ifndef PS_CLI_OPEN_RUN_H
#define PS_CLI_OPEN_RUN_H

#include "server/cli/options.h"

/* Opens it at the server of --listen, when one runs there and has this run; else serves the shelf
 * there until it is interrupted. Returns the exit status. */
int ps_cli_open_run(const struct ps_options *options, const char *run);

#endif
