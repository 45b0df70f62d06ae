/* SPDX-License-Identifier: MIT */
/* record_ab.h: `perfshelf record ab`: records two versions in pairs and compares them. */
#ifndef PS_CLI_RECORD_AB_H
#define PS_CLI_RECORD_AB_H

#include "server/cli/options/options.h"

/* Returns the exit status. */
int ps_cli_record_ab(const struct ps_options *options);

#endif
