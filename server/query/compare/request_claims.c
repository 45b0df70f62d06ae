/* SPDX-License-Identifier: MIT */
/*
 * request_claims.c: what changed for the worst requests of two serving runs, and by which part of
 * their time. A percentile does not tell: the requests around it differ between the runs.
 *
 * The worst value of a run is one observation, which says nothing about its spread. So a change is
 * named from CHANGE_RATIO on, and it is said that each side is one run.
 */
#include <math.h>
#include <stdlib.h>

#include "server/query/compare/request_times.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/requests/requests.h"

#define CHANGE_RATIO 1.25 /* medians of single runs of one server varied by up to 20 % */
#define PART_SHARE   0.1  /* of the time to first token: smaller changes of parts are not said */
#define PARTS_SAID   2
#define OWN_SHARE    0.5 /* a request whose own prefill takes more waits for itself */
#define ALONE_RATIO  2.0 /* it is set apart if it takes so many times as long as the next one */
#define APART_MAX    3
#define NS           1e-9

/* The pairs whose first token is late because of their own prompt. */
struct apart {
    uint32_t pairs[APART_MAX];
    size_t n;
};

static bool is_apart(const struct apart *apart, uint32_t pair)
{
    for (size_t i = 0; i < apart->n; i++)
        if (apart->pairs[i] == pair)
            return true;
    return false;
}

static const struct ps_request_times *request_of(const struct ps_compared_requests *requests,
                                                 uint32_t pair, int side)
{
    return &requests->runs[side]
                .items[side ? requests->pairs.now[pair] : requests->pairs.base[pair]];
}

/* The request with the greatest value; NULL: no value is known. */
static const struct ps_request_times *find_worst(const struct ps_run_requests *run,
                                                 enum ps_pair_metric metric)
{
    const struct ps_request_times *worst = NULL;

    for (size_t i = 0; i < run->n; i++)
        if (!isnan(run->items[i].metrics[metric]) &&
            (!worst || run->items[i].metrics[metric] > worst->metrics[metric]))
            worst = &run->items[i];
    return worst;
}

/* Stores the pair with the latest first token on a side, without those that are set apart. False:
 * there is none. */
static bool find_latest(const struct ps_compared_requests *requests, const struct apart *apart,
                        int side, uint32_t *out)
{
    double worst = NAN;

    for (uint32_t i = 0; i < requests->pairs.n; i++) {
        const double value = request_of(requests, i, side)->metrics[PS_PAIR_TTFT];

        if (!isnan(value) && !is_apart(apart, i) && !(value <= worst)) {
            worst = value;
            *out = i;
        }
    }
    return !isnan(worst);
}

/* Sets apart the latest requests of a side that wait for their own prefill and for much longer than
 * all others. */
static void set_apart(const struct ps_compared_requests *requests, int side, struct apart *apart)
{
    uint32_t pair, next;

    while (apart->n < APART_MAX && find_latest(requests, apart, side, &pair)) {
        const struct ps_request_times *request = request_of(requests, pair, side);
        const double time = request->metrics[PS_PAIR_TTFT];

        if (!(request->parts[PS_PREFILLS] > OWN_SHARE * time))
            return;
        apart->pairs[apart->n++] = pair;
        if (!find_latest(requests, apart, side, &next) ||
            time < ALONE_RATIO * request_of(requests, next, side)->metrics[PS_PAIR_TTFT]) {
            apart->n--;
            return;
        }
    }
}

/* A request of a side, with a link to its pair. */
static struct ps_subject subject_of(const struct ps_compared_requests *requests, int side,
                                    const struct ps_request_times *request, struct ps_conclusion *c)
{
    const uint32_t *indices = side ? requests->pairs.now : requests->pairs.base;
    struct ps_report_link link = {"requests", {{NULL, NULL}}};

    for (size_t i = 0; i < requests->pairs.n; i++)
        if (&requests->runs[side].items[indices[i]] == request)
            link.params[0] = (struct ps_param){"row", ps_conclusion_id(c, (int64_t)i + 1)};
    return ps_subject_of(
        c, PS_SUBJECT_PART, link,
        ps_str_from_c(ps_arena_printf(&c->arena, "request %lld", (long long)request->id)));
}

/* Whether a value is about the same as another. */
static bool is_alike(double base, double now)
{
    return fmax(base, now) <= CHANGE_RATIO * fmin(base, now);
}

/* Claims how the worst value of a metric changed. */
static void claim_worst(const struct ps_compared_requests *requests, enum ps_pair_metric metric,
                        const char *word, struct ps_conclusion *c)
{
    const struct ps_request_times *base = find_worst(&requests->runs[0], metric),
                                  *now = find_worst(&requests->runs[1], metric);
    struct ps_claim claim = ps_claim_of("requests", PS_CHANGES, ps_no_subject, NAN);

    if (!base || !now)
        return;
    ps_claim_fact(&c->arena, &claim,
                  (struct ps_fact){.code = is_alike(base->metrics[metric], now->metrics[metric])
                                               ? PS_FACT_WORST_STAYS
                                               : PS_FACT_WORST_CHANGES,
                                   .subject = subject_of(requests, 0, base, c),
                                   .other = subject_of(requests, 1, now, c),
                                   .word = ps_str_from_c(word),
                                   .values = {NS * base->metrics[metric], NS * now->metrics[metric],
                                              now->metrics[metric] < base->metrics[metric]}});
    ps_conclusion_insert(c, c->n_causes, &claim, 0);
}

/* Claims how the latest first token changed without the requests that wait for themselves. */
static void claim_others(const struct ps_compared_requests *requests, const struct apart *apart,
                         struct ps_conclusion *c)
{
    struct ps_claim claim = ps_claim_of("requests", PS_CHANGES, ps_no_subject, NAN);
    uint32_t base, now;

    if (!apart->n || !find_latest(requests, apart, 0, &base) ||
        !find_latest(requests, apart, 1, &now))
        return;
    for (size_t i = 0; i < apart->n; i++) {
        const struct ps_request_times *both[] = {request_of(requests, apart->pairs[i], 0),
                                                 request_of(requests, apart->pairs[i], 1)};

        ps_claim_fact(&c->arena, &claim,
                      (struct ps_fact){.code = PS_FACT_OWN_PREFILL,
                                       .subject = subject_of(requests, 1, both[1], c),
                                       .values = {NS * both[0]->parts[PS_PREFILLS],
                                                  NS * both[1]->parts[PS_PREFILLS]}});
    }
    {
        const double before = request_of(requests, base, 0)->metrics[PS_PAIR_TTFT],
                     after = request_of(requests, now, 1)->metrics[PS_PAIR_TTFT];

        ps_claim_fact(
            &c->arena, &claim,
            (struct ps_fact){.code = is_alike(before, after) ? PS_FACT_OTHERS_STAY
                                                             : PS_FACT_OTHERS_CHANGE,
                             .subject = subject_of(requests, 0, request_of(requests, base, 0), c),
                             .other = subject_of(requests, 1, request_of(requests, now, 1), c),
                             .values = {NS * before, NS * after, after < before}});
    }
    ps_conclusion_insert(c, c->n_causes, &claim, 0);
}

static const char *const part_words[PS_N_REQUEST_CAUSES] = {
    [PS_WAITS_TO_ENGINE] = "sending it",
    [PS_WAITS_FOR_STEP] = "waiting for the running step of others",
    [PS_WAITS_FOR_SLOT] = "waiting for a free slot",
    [PS_WAITS_FOR_BUDGET] = "waiting for steps that are full of other prompts",
    [PS_WAITS_FOR_OTHERS] = "waiting while others are served",
    [PS_WAITS_BETWEEN_STEPS] = "waiting between steps",
    [PS_PREFILLS] = "its own prefill",
    [PS_WAITS_TO_CLIENT] = "receiving the token",
    [PS_WAITS_OUTSIDE] = "the way to the engine and back"};

/* Claims which parts of the time to first token changed for the request that was the latest. */
static void claim_parts(const struct ps_compared_requests *requests, const struct apart *apart,
                        struct ps_conclusion *c)
{
    struct ps_claim claim = ps_claim_of("requests", PS_CHANGES, ps_no_subject, NAN);
    const struct ps_request_times *base, *now;
    bool is_said[PS_PAIR_PARTS] = {false};
    uint32_t pair;

    if (!find_latest(requests, apart, 0, &pair))
        return;
    base = request_of(requests, pair, 0);
    now = request_of(requests, pair, 1);
    for (int i = 0; i < PARTS_SAID; i++) {
        double largest = PART_SHARE * fmax(base->metrics[PS_PAIR_TTFT], now->metrics[PS_PAIR_TTFT]);
        int found = -1;

        for (int part = 0; part < PS_PAIR_PARTS; part++)
            if (!is_said[part] && fabs(now->parts[part] - base->parts[part]) > largest) {
                largest = fabs(now->parts[part] - base->parts[part]);
                found = part;
            }
        if (found < 0)
            break;
        is_said[found] = true;
        ps_claim_fact(
            &c->arena, &claim,
            (struct ps_fact){.code = PS_FACT_REQUEST_PART,
                             .subject = subject_of(requests, 0, base, c),
                             .word = ps_str_from_c(part_words[found]),
                             .values = {NS * base->parts[found], NS * now->parts[found]}});
    }
    if (claim.n_facts)
        ps_conclusion_insert(c, c->n_causes, &claim, 0);
}

/* Claims for how many pairs the first token came sooner. */
static void claim_pairs(const struct ps_compared_requests *requests, struct ps_conclusion *c)
{
    const struct ps_request_change *change = &requests->changes[PS_PAIR_TTFT];
    struct ps_claim claim = ps_claim_of("requests", PS_CHANGES, ps_no_subject, NAN);

    if (!change->n)
        return;
    ps_claim_fact(&c->arena, &claim,
                  (struct ps_fact){.code = PS_FACT_PAIRS_CHANGE,
                                   .unit = "s",
                                   .values = {(double)change->n, (double)change->n_less,
                                              (double)change->n_more, NS * change->median,
                                              change->low <= 0 && change->high >= 0}});
    ps_conclusion_insert(c, c->n_causes, &claim, 0);
}

static void claim_no_pairs(const struct ps_compared_requests *requests, struct ps_conclusion *c)
{
    PS_AUTO(ps_buf_free) struct ps_buf why = {0};
    struct ps_claim claim = ps_claim_of("requests", PS_CHANGES, ps_no_subject, NAN);

    ps_compared_requests_explain(requests, &why);
    ps_claim_fact(&c->arena, &claim,
                  (struct ps_fact){.code = PS_FACT_NO_PAIRS,
                                   .word = ps_arena_copy(&c->arena, ps_buf_slice(&why))});
    ps_conclusion_insert(c, c->n_causes, &claim, 0);
}

void ps_claim_requests(const struct ps_compared_requests *requests, struct ps_conclusion *c)
{
    struct apart apart = {.n = 0};

    claim_worst(requests, PS_PAIR_GAP, "longest gap between two tokens", c);
    claim_worst(requests, PS_PAIR_TTFT, "longest time to first token", c);
    if (!c->n_causes)
        return;
    if (requests->pairs.by == PS_PAIRED_NOT) {
        claim_no_pairs(requests, c);
        return;
    }
    set_apart(requests, 0, &apart);
    set_apart(requests, 1, &apart);
    claim_others(requests, &apart, c);
    claim_parts(requests, &apart, c);
    claim_pairs(requests, c);
}
