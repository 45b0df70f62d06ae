/* SPDX-License-Identifier: MIT */
/*
 * keep.h: the retention rules of --keep.
 *
 *   RULE   LIMIT            of the whole shelf
 *          LIMIT/series     of each series
 *          SERIES=LIMIT     of this one, in place of what is said of each; its name may hold a "="
 *   LIMIT  500              the newest runs
 *          90d, 36h, 8w     those of that time
 *          50GiB, 800MB     the newest that take no more
 */
#ifndef PS_CLI_KEEP_H
#define PS_CLI_KEEP_H

#include "server/catalog/retention.h"
#include "server/cli/options.h"

/* The rules of all --keep; they and their words live in the arena and in options. PS_BAD_REQUEST
 * says what is wrong. */
enum ps_status ps_keep_read(const struct ps_options *options, struct ps_arena *arena,
                            struct ps_keep *out, struct ps_err *err);

#endif
