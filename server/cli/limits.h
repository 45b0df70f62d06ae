/* SPDX-License-Identifier: MIT */
/* limits.h: what --import-memory and --import-cpu say. */
#ifndef PS_CLI_LIMITS_H
#define PS_CLI_LIMITS_H

#include "server/cli/options.h"
#include "server/sandbox/sandbox.h"

/* The usual limits where nothing is said. PS_BAD_REQUEST says what is wrong. */
enum ps_status ps_limits_read(const struct ps_options *options, struct ps_sandbox_limits *out,
                              struct ps_err *err);

#endif
