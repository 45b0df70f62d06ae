/* SPDX-License-Identifier: MIT */
/* limits.h: what --import-memory, --import-cpu, --queue, --quota and --cache-size say. */
#ifndef PS_CLI_LIMITS_H
#define PS_CLI_LIMITS_H

#include "server/cli/options.h"
#include "server/sandbox/sandbox.h"

/* The usual limits where nothing is said. PS_BAD_REQUEST says what is wrong. */
enum ps_status ps_limits_read(const struct ps_options *options, struct ps_sandbox_limits *out,
                              struct ps_err *err);
enum ps_status ps_queue_read(const struct ps_options *options, size_t *out, struct ps_err *err);
/* Bytes; 0: none. */
enum ps_status ps_quota_read(const struct ps_options *options, uint64_t *out, struct ps_err *err);
/* Bytes; 0: as the store has it. */
enum ps_status ps_cache_read(const struct ps_options *options, uint64_t *out, struct ps_err *err);

#endif
