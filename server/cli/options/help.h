/* SPDX-License-Identifier: MIT */
/* help.h: the output of `perfshelf help`, generated from the tables of commands.h. */
#ifndef PS_CLI_HELP_H
#define PS_CLI_HELP_H

#include "server/cli/options/options.h"

/* Appends the help of one command; PS_COMMAND_NONE: the list of commands. */
void ps_help_write(enum ps_command command, struct ps_buf *out);

#endif
