/* SPDX-License-Identifier: MIT */
/* pairs.h: what `record ab` and `bisect` share: how they name a recording in pairs, and the order
 * in which they run the two sides of a pair. */
#ifndef PS_CLI_PAIRS_H
#define PS_CLI_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/cli/options/options.h"

#define PS_PAIRS_ID_SIZE 40

/* Chooses the id of a recording: ids of later recordings sort behind it. */
enum ps_status ps_pairs_choose_id(char id[PS_PAIRS_ID_SIZE], struct ps_err *err);

/* The order within the pairs. */
struct ps_pair_order {
    uint64_t random; /* state of the generator */
};
struct ps_pair_order ps_pair_order_init(uint64_t seed);
/* Whether the base is run first in pair i (from 0); call it for each pair in turn. In each two
 * pairs it is so once, and which one is random: the effects of the order cancel, and no rhythm of
 * the machine can match it. */
bool ps_pair_order_is_base_first(struct ps_pair_order *order, int64_t i);

/* Makes the folder of the shelf absolute, since each side runs in its own folder. */
enum ps_status ps_pairs_anchor_shelf(struct ps_options *options, struct ps_arena *arena,
                                     struct ps_err *err);

#endif
