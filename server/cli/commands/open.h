/* SPDX-License-Identifier: MIT */
/* open.h: shows pages of a shelf in the browser, at a server that runs or a new one. */
#ifndef PS_CLI_OPEN_H
#define PS_CLI_OPEN_H

#include "server/cli/options/options.h"

/* Opens the shelf of a command line, or a run on it, in the browser. If no server of this user
 * serves the shelf, serves it at --listen until interrupted. run NULL: the shelf. Returns the exit
 * status. */
int ps_cli_show_page(const struct ps_options *options, const char *run);

#endif
