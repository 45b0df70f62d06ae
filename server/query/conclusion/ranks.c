/* SPDX-License-Identifier: MIT */
/* ranks.c: the sentence about the rank that the others of a job wait for, as the tab Ranks has it.
 */
#include <math.h>

#include "server/query/conclusion/conclusion.h"
#include "server/query/ranks/ranks.h"

#define WAIT_SHARE 0.01 /* of a step: the others wait longer for a rank that stands out */
#define LAST_SHARE 0.75 /* of collectives: a rank that is last in so many stands out in any job */

/* Whether the rank is last in twice as many collectives as by chance, and the others wait for it.
 */
static bool stands_out(const struct ps_ranks *ranks, const struct ps_rank *rank, double wait_s,
                       double step_s)
{
    double by_chance = 1.0 / ranks->n_ranks, least = fmin(LAST_SHARE, 2 * by_chance);

    return rank->calls && rank->last >= least * rank->calls && wait_s >= WAIT_SHARE * step_s;
}

enum ps_status ps_conclude_ranks(struct ps_db *db, double step_s, struct ps_conclusion *out,
                                 struct ps_err *err)
{
    const struct ps_report_link link = {.tab = "ranks"};
    PS_AUTO(ps_ranks_auto) struct ps_ranks *ranks = NULL;
    const struct ps_rank *latest;
    double wait_s;

    if (ps_ranks_acquire(db, &ranks, err) != PS_OK || ranks->n_ranks < 2)
        return err->code;
    latest = &ranks->ranks[ps_ranks_latest(ranks)];
    wait_s = (double)latest->caused_ns / 1e9 / (ranks->n_steps ? ranks->n_steps : 1);
    if (!stands_out(ranks, latest, wait_s, step_s))
        return PS_OK;
    ps_say(out, &out->sentence, " Rank ");
    ps_say_value(&out->sentence, link, (double)latest->rank, "count");
    ps_say(out, &out->sentence, " arrives last in ");
    ps_say_value(&out->sentence, link, 100.0 * latest->last / latest->calls, "percent");
    ps_say(out, &out->sentence, " of its collectives; ");
    if (ranks->n_ranks == 2)
        ps_say(out, &out->sentence, "the other waits ");
    else
        ps_say(out, &out->sentence, "the other %u wait ", ranks->n_ranks - 1);
    ps_say_value(&out->sentence, link, wait_s, "s");
    ps_say(out, &out->sentence, ranks->n_steps ? " a step for it." : " for it.");
    return PS_OK;
}
