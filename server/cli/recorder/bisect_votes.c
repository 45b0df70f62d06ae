/* SPDX-License-Identifier: MIT */
#include "server/cli/recorder/bisect_votes.h"

#include "compare/stats.h"

#include <math.h>
#include <string.h>

/* Whether a pair says that the commit has the change: up or down, as the change of the ends. */
static bool is_changed(double ratio, double threshold)
{
    return threshold > 0 ? ratio > threshold : ratio < threshold;
}

struct ps_bisect_votes ps_bisect_votes_init(const double *ratios, size_t n)
{
    struct ps_bisect_votes votes = {.n_ends = n};
    double sorted[PS_GROUP_MAX];
    memcpy(sorted, ratios, n * sizeof *ratios);
    votes.threshold = ps_group_median(sorted, n) / 2;
    for (size_t i = 0; i < n; i++)
        votes.n_wrong += !is_changed(ratios[i], votes.threshold);
    return votes;
}

struct ps_bisect_votes ps_bisect_votes_reset(const struct ps_bisect_votes *votes)
{
    return (struct ps_bisect_votes){
        .threshold = votes->threshold, .n_ends = votes->n_ends, .n_wrong = votes->n_wrong};
}

void ps_bisect_votes_add(struct ps_bisect_votes *votes, double ratio)
{
    votes->n++;
    votes->n_changed += is_changed(ratio, votes->threshold);
}

/* Logarithm of the probability, up to a factor, of `wrong` further wrong and `right` right votes.
 */
static double log_likelihood(const struct ps_bisect_votes *votes, size_t wrong, size_t right)
{
    const size_t n_right = votes->n_ends - votes->n_wrong;
    return lgamma((double)(votes->n_wrong + wrong + 1)) + lgamma((double)(n_right + right + 1));
}

double ps_bisect_votes_error(const struct ps_bisect_votes *votes, bool *has_change)
{
    const size_t changed = votes->n_changed, same = votes->n - changed;
    const double log_odds =
        log_likelihood(votes, same, changed) - log_likelihood(votes, changed, same);
    *has_change = log_odds > 0;
    return 1 / (1 + exp(fabs(log_odds)));
}
