/* SPDX-License-Identifier: MIT */
/* option_values.h: parses --import-memory, --import-cpu, --queue, --quota and --cache-size, and
 * checks the values of all options. */
#ifndef PS_CLI_OPTION_VALUES_H
#define PS_CLI_OPTION_VALUES_H

#include "server/cli/options/options.h"
#include "server/sandbox/sandbox.h"

#define PS_REPEAT_MAX  10000   /* maximum of record --repeat */
#define PS_SECONDS_MAX 1000000 /* maximum of sql --seconds */

/* Reads --import-memory and --import-cpu, or their defaults. PS_BAD_REQUEST: invalid value. */
enum ps_status ps_options_read_limits(const struct ps_options *options,
                                      struct ps_sandbox_limits *out, struct ps_err *err);
enum ps_status ps_options_read_queue(const struct ps_options *options, size_t *out,
                                     struct ps_err *err);
/* Reads --quota in bytes; 0: no limit. */
enum ps_status ps_options_read_quota(const struct ps_options *options, uint64_t *out,
                                     struct ps_err *err);
/* Reads --cache-size in bytes; 0: the default of the store. */
enum ps_status ps_options_read_cache(const struct ps_options *options, uint64_t *out,
                                     struct ps_err *err);

/* Parses an integer from 1 to `max`; *out is 0 if text is NULL. */
enum ps_status ps_options_parse_count(const char *option, const char *text, int64_t max,
                                      int64_t *out, struct ps_err *err);

/* Parses an integer from 0 to `max`; *out is unchanged if text is NULL. */
enum ps_status ps_options_parse_whole(const char *option, const char *text, int64_t max,
                                      int64_t *out, struct ps_err *err);

/* Checks all values, before a shelf is opened or created. PS_BAD_REQUEST: invalid value. */
enum ps_status ps_options_check_values(const struct ps_options *options, struct ps_err *err);

#endif
