/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/recorder/pairs.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum ps_status ps_pairs_choose_id(char id[PS_PAIRS_ID_SIZE], struct ps_err *err)
{
    const time_t now = (time_t)(ps_wall_clock_ms() / 1000);
    uint32_t random;
    struct tm utc;
    char when[24];
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return ps_fail_errno(err, "cannot get", "random bytes");
    (void)strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
    (void)snprintf(id, PS_PAIRS_ID_SIZE, "%s-%08" PRIx32, when, random);
    return PS_OK;
}

struct ps_pair_order ps_pair_order_init(uint64_t seed)
{
    /* the generator must not start with 0, and small seeds must not give similar orders */
    return (struct ps_pair_order){(seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1};
}

bool ps_pair_order_is_base_first(struct ps_pair_order *order, int64_t i)
{
    uint64_t *random = &order->random;
    if (i % 2 == 0)
        *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
    return ((*random >> 40 & 1) != 0) == (i % 2 == 0);
}

enum ps_status ps_pairs_anchor_shelf(struct ps_options *options, struct ps_arena *arena,
                                     struct ps_err *err)
{
    char here[4096];
    if (!options->data || options->data[0] == '/')
        return PS_OK;
    if (!getcwd(here, sizeof here))
        return ps_fail_errno(err, "cannot read", "the path of the current folder");
    options->data = ps_arena_printf(arena, "%s/%s", here, options->data);
    return PS_OK;
}
