/* SPDX-License-Identifier: MIT */
/* ranks.c: the sentence about the rank that the others of a job wait for, as the tab Ranks has it.
 */
#include <math.h>

#include "server/query/conclusion/conclusion.h"
#include "server/query/ranks/ranks.h"

#define WAIT_SHARE   0.01 /* of a step: the others wait longer for a rank that stands out */
#define CAUSED_SHARE 0.75 /* of all waiting: a rank that causes so much stands out in any job */

/* The share of the waiting in collectives that the rank causes by arriving last. Calls do not
 * count equally: at a small collective after a large one all ranks arrive together. */
static double caused_share(const struct ps_ranks *ranks, const struct ps_rank *rank)
{
    double all_ns = 0;

    for (uint32_t i = 0; i < ranks->n_ranks; i++)
        all_ns += (double)ranks->ranks[i].caused_ns;
    return all_ns > 0 ? (double)rank->caused_ns / all_ns : 0;
}

enum ps_status ps_late_rank_find(struct ps_db *db, const char *steps, double step_s,
                                 struct ps_late_rank *out, struct ps_err *err)
{
    PS_AUTO(ps_ranks_auto) struct ps_ranks *ranks = NULL;
    const struct ps_rank *latest;

    *out = (struct ps_late_rank){.found = false};
    if (ps_ranks_acquire(db, steps, &ranks, err) != PS_OK || ranks->n_ranks < 2)
        return err->code;
    latest = &ranks->ranks[ps_ranks_latest(ranks)];
    *out = (struct ps_late_rank){
        .rank = latest->rank,
        .n_ranks = ranks->n_ranks,
        .has_steps = ranks->n_steps > 0,
        .wait_s = (double)latest->caused_ns / 1e9 / (ranks->n_steps ? ranks->n_steps : 1),
        .share = caused_share(ranks, latest),
    };
    out->found = out->share >= fmin(CAUSED_SHARE, 2.0 / ranks->n_ranks) &&
                 out->wait_s >= WAIT_SHARE * step_s;
    return PS_OK;
}

void ps_add_late_rank(struct ps_conclusion *c, const struct ps_late_rank *late)
{
    if (late->found)
        ps_first_fact(c,
                      (struct ps_fact){PS_FACT_LATE_RANK,
                                       .values = {(double)late->rank, late->share,
                                                  late->n_ranks - 1, late->wait_s, late->has_steps},
                                       .link = {.tab = "ranks"}});
}
