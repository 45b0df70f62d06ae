/* SPDX-License-Identifier: MIT */
/*
 * bisect_votes.h: decides from pairs of measurements whether a commit has a change whose size is
 * known.
 *
 * Each pair votes by the logarithm of its ratio: at more than half of the known change it says that
 * the commit has the change. How often such a vote is wrong is counted in the pairs of both ends of
 * the search, of which the answer is known. With `wrong` of n votes wrong, the probability e of a
 * wrong vote has the distribution Beta(wrong + 1, n - wrong + 1), from a uniform one before. Votes
 * are independent, so r votes for the change and w against it have the odds
 *
 *     E[(1 - e)^r e^w] / E[e^r (1 - e)^w],
 *
 * if both answers are equally likely before. The odds are those at any time, so they may be read
 * after each pair. Votes need no assumption about the distribution of the noise, except that it is
 * as wide at the commits as at the ends.
 */
#ifndef PS_CLI_BISECT_VOTES_H
#define PS_CLI_BISECT_VOTES_H

#include <stdbool.h>
#include <stddef.h>

struct ps_bisect_votes {
    double threshold;       /* half of the change of the ends, as a logarithm of the ratio */
    size_t n_ends, n_wrong; /* votes of the ends, and those of them that are wrong */
    size_t n, n_changed;    /* votes, and those that say that the commit has the change */
};

/* ratios: logarithms of new / base of the n pairs of both ends, from 1 to
 * PS_GROUP_MAX. */
struct ps_bisect_votes ps_bisect_votes_init(const double *ratios, size_t n);
/* The same judge without the votes. */
struct ps_bisect_votes ps_bisect_votes_reset(const struct ps_bisect_votes *votes);
void ps_bisect_votes_add(struct ps_bisect_votes *votes, double ratio);
/* What most votes say, and the probability that this is wrong; 0.5 without a lead. */
double ps_bisect_votes_error(const struct ps_bisect_votes *votes, bool *has_change);

#endif
