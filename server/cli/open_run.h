/* SPDX-License-Identifier: MIT */
/* open_run.h: a run of the shelf in the browser, from a command that is no server. */
#ifndef PS_CLI_OPEN_RUN_H
#define PS_CLI_OPEN_RUN_H

#include "server/cli/options.h"

/* Opens it where the shelf is served (served.h); else serves the shelf at --listen until it is
 * interrupted. Returns the exit status. */
int ps_cli_open_run(const struct ps_options *options, const char *run);

#endif
