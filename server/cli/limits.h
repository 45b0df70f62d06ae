/* SPDX-License-Identifier: MIT */
/* limits.h: the values of --import-memory, --import-cpu, --queue, --quota and --cache-size, and a
 * check of the values of all options. */
#ifndef PS_CLI_LIMITS_H
#define PS_CLI_LIMITS_H

#include "server/cli/options.h"
#include "server/sandbox/sandbox.h"

#define PS_REPEAT_MAX  10000   /* of record --repeat */
#define PS_SECONDS_MAX 1000000 /* of sql --seconds */

/* The usual limits where nothing is said. PS_BAD_REQUEST says what is wrong. */
enum ps_status ps_limits_read(const struct ps_options *options, struct ps_sandbox_limits *out,
                              struct ps_err *err);
enum ps_status ps_queue_read(const struct ps_options *options, size_t *out, struct ps_err *err);
/* Bytes; 0: none. */
enum ps_status ps_quota_read(const struct ps_options *options, uint64_t *out, struct ps_err *err);
/* Bytes; 0: as the store has it. */
enum ps_status ps_cache_read(const struct ps_options *options, uint64_t *out, struct ps_err *err);

/* A whole number from 1 to `most`; *out is 0 where nothing is said. */
enum ps_status ps_count_read(const char *option, const char *text, int64_t most, int64_t *out,
                             struct ps_err *err);

/* Checks every value that was given, before a shelf is opened or created. PS_BAD_REQUEST says
 * what is wrong. */
enum ps_status ps_values_check(const struct ps_options *options, struct ps_err *err);

#endif
