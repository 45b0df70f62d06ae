/* SPDX-License-Identifier: MIT */
/* check.h: the report of `check`, for other commands that compare runs. */
#ifndef PS_CLI_CHECK_H
#define PS_CLI_CHECK_H

#include "server/cli/client/client.h"

/* Checks --fail-on before anything is recorded or read. */
enum ps_status ps_cli_check_fail_on(const struct ps_options *options, struct ps_err *err);
/* Compares the runs `now` with `base`, checks the growth of the headline and prints the report in
 * the format that the options select. Without --fail-on the limit is that of `check`, and growth is
 * no failure. Returns the exit status. */
int ps_cli_check_growth(const char *subject, const struct ps_options *options,
                        struct ps_client *client, const char *base, const char *now);

#endif
