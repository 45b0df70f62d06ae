/* SPDX-License-Identifier: MIT */
/*
 * retention_options.h: the retention rules of --keep.
 *
 * RULE   LIMIT            for the complete shelf
 *        LIMIT/series     for each series
 *        SERIES=LIMIT     for this series, instead of LIMIT/series; its name may contain "="
 * LIMIT  500              keep the newest 500 runs
 *        90d, 36h, 8w     keep runs up to this age
 *        50GiB, 800MB     keep the newest runs up to this size
 */
#ifndef PS_CLI_RETENTION_OPTIONS_H
#define PS_CLI_RETENTION_OPTIONS_H

#include "server/catalog/retention.h"
#include "server/cli/options/options.h"

/* Parses the rules of all --keep options; strings are in the arena and in options. PS_BAD_REQUEST:
 * invalid. */
enum ps_status ps_retention_parse(const struct ps_options *options, struct ps_arena *arena,
                                  struct ps_retention *out, struct ps_err *err);

#endif
