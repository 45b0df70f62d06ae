/* SPDX-License-Identifier: MIT */
/*
 * requests.c: the conclusion of a serving run: what made requests late, and what would help.
 *
 * What is stated as a saving is bounded by the recording: a part of the time to the first token
 * that a mend removes, for requests that nothing else makes late. A request that waited for the
 * prefill of another and found all slots taken is late with either mend alone: in smaller parts the
 * prefill takes no less time, and holds its slot meanwhile.
 */
#include "server/query/requests/requests.h"

#include <math.h>
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/advice.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/conclusion/engine_steps.h"
#include "server/query/requests/metrics.h"
#include "server/query/requests/step_work.h"
#include "server/runfile/trace.h"

#define PART_SAID       0.1 /* of the time to the first token of the worst request */
#define PARTS_SAID      3
#define WORKS_SAID      2
#define WORK_SAID       0.05 /* of the time of the step */
#define STALL_TIMES     10   /* a gap between tokens is so many times the median */
#define STALL_SHARE     0.5  /* of the gap is one step */
#define QUARTERS        4
#define GROWTH_REQUESTS 16 /* fewer have no quarters to compare */
#define QUEUE_GROWS     3  /* times, from the first quarter of the requests to the last */

/* What keeps a late request from its first token. Each request is in one group. */
enum group {
    STEP_AND_SLOT,
    STEP,
    SLOT,
    LONG_STEP, /* in progress, without the prompt of another request */
    BUDGET,
    OTHERS,
    BETWEEN,
    PREFILL,
    SHARED_STEP, /* its own prefill, in steps with more tokens of other prompts */
    OUTSIDE,
    N_GROUPS
};

struct late {
    const struct ps_requests *r;
    int64_t limit_ns;
    size_t n, n_known;   /* late requests; those whose parts are known */
    size_t n_with_time;  /* requests whose time to the first token is known */
    size_t worst;        /* index of the request */
    int64_t sum_ns;      /* of the times to the first token of late requests */
    bool splits_prompts; /* a prompt was computed in several steps */
    bool queue_grows;    /* from quarter to quarter of the requests */
    double queue_s[2];   /* median in the first and in the last quarter */
    struct {
        size_t n;         /* requests whose largest part is this */
        size_t n_cured;   /* of them not late without the part */
        int64_t ns;       /* sum of the part */
        int64_t cured_ns; /* of those that are cured */
    } groups[N_GROUPS];
};

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* --- Measuring --- */

/* The step that was in progress when a request arrived. */
static size_t step_in_progress(const struct ps_requests *r, const struct ps_request_row *row)
{
    return ps_engine_step_from(r, ps_request_arrival(row)) - 1;
}

static bool found_all_slots_taken(const struct ps_requests *r, const struct ps_request_row *row)
{
    return row->parts_ns[PS_WAITS_FOR_SLOT] > 0 ||
           (row->parts_ns[PS_WAITS_FOR_STEP] > 0 &&
            ps_engine_step_blocks(r, step_in_progress(r, row)) == PS_WAITS_FOR_SLOT);
}

/* The request with the most tokens of prompts in a step; -1: none is known. */
static int64_t largest_prefill(const struct ps_requests *r, size_t step, int64_t *tokens)
{
    int64_t found = -1;

    *tokens = 0;
    for (size_t i = r->step_first[step]; i < r->step_first[step + 1]; i++)
        if (r->served[i].is_prefill && r->served[i].tokens > *tokens) {
            *tokens = r->served[i].tokens;
            found = r->served[i].request;
        }
    return found;
}

/* Tokens of prompts in a step, also if whose they are is unknown. */
static int64_t prompt_tokens(const struct ps_requests *r, size_t step)
{
    int64_t n = 0;

    if (r->steps[step].context_tokens > 0)
        return r->steps[step].context_tokens;
    for (size_t i = r->step_first[step]; i < r->step_first[step + 1]; i++)
        n += r->served[i].is_prefill ? r->served[i].tokens : 0;
    return n;
}

/* Whether most tokens of prompts in the steps that prefill a request are those of others. */
static bool prefills_beside_others(const struct ps_requests *r, size_t request)
{
    int64_t own = 0, all = 0;

    for (uint32_t i = r->request_first[request]; i < r->request_first[request + 1]; i++) {
        const struct ps_served_row *row = &r->served[r->by_request[i]];

        if (!row->is_prefill)
            continue;
        own += row->tokens;
        all += prompt_tokens(r, row->step);
    }
    return 2 * own < all;
}

static enum group group_of(const struct ps_requests *r, size_t request)
{
    const struct ps_request_row *row = &r->requests[request];
    const int64_t *parts = row->parts_ns;
    int64_t engine = parts[PS_WAITS_FOR_STEP] + parts[PS_WAITS_FOR_SLOT];
    bool is_engine = engine > parts[row->cause] || row->cause == PS_WAITS_FOR_STEP ||
                     row->cause == PS_WAITS_FOR_SLOT;

    if (is_engine && parts[PS_WAITS_FOR_SLOT] > 0 && parts[PS_WAITS_FOR_STEP] > 0 &&
        found_all_slots_taken(r, row) && 5 * parts[PS_WAITS_FOR_STEP] > parts[PS_WAITS_FOR_SLOT])
        return STEP_AND_SLOT;
    if (is_engine && parts[PS_WAITS_FOR_SLOT] >= parts[PS_WAITS_FOR_STEP])
        return SLOT;
    if (is_engine)
        return prompt_tokens(r, step_in_progress(r, row)) == 0 ? LONG_STEP : STEP;
    switch (row->cause) {
    case PS_WAITS_FOR_BUDGET:
        return BUDGET;
    case PS_WAITS_FOR_OTHERS:
        return OTHERS;
    case PS_WAITS_BETWEEN_STEPS:
        return BETWEEN;
    case PS_PREFILLS:
        return prefills_beside_others(r, request) ? SHARED_STEP : PREFILL;
    default:
        return OUTSIDE;
    }
}

static int64_t part_of_group(const struct ps_request_row *row, enum group group)
{
    static const enum ps_request_cause causes[N_GROUPS] = {[BUDGET] = PS_WAITS_FOR_BUDGET,
                                                           [OTHERS] = PS_WAITS_FOR_OTHERS,
                                                           [BETWEEN] = PS_WAITS_BETWEEN_STEPS,
                                                           [PREFILL] = PS_PREFILLS,
                                                           [SHARED_STEP] = PS_PREFILLS};
    const int64_t *parts = row->parts_ns;

    switch (group) {
    case STEP_AND_SLOT:
        return parts[PS_WAITS_FOR_STEP] + parts[PS_WAITS_FOR_SLOT];
    case STEP:
    case LONG_STEP:
        return parts[PS_WAITS_FOR_STEP];
    case SLOT:
        return parts[PS_WAITS_FOR_SLOT];
    case OUTSIDE:
        return parts[PS_WAITS_TO_ENGINE] + parts[PS_WAITS_TO_CLIENT] + parts[PS_WAITS_OUTSIDE];
    default:
        return parts[causes[group]];
    }
}

static void add_late(struct late *late, size_t request)
{
    const struct ps_request_row *row = &late->r->requests[request];
    enum group group;
    int64_t part;

    if (late->n == 0 || row->ttft_ns > late->r->requests[late->worst].ttft_ns)
        late->worst = request;
    late->n++;
    late->sum_ns = ps_add_saturated(late->sum_ns, row->ttft_ns);
    if (!row->has_parts)
        return;
    group = group_of(late->r, request);
    part = part_of_group(row, group);
    late->n_known++;
    late->groups[group].n++;
    late->groups[group].ns = ps_add_saturated(late->groups[group].ns, part);
    /* Without the number that runs, all slots may have been taken. */
    if (group == STEP && late->r->steps[step_in_progress(late->r, row)].running < 0)
        return;
    if (row->ttft_ns - part <= late->limit_ns) {
        late->groups[group].n_cured++;
        late->groups[group].cured_ns = ps_add_saturated(late->groups[group].cured_ns, part);
    }
}

static bool splits_prompts(const struct ps_requests *r)
{
    for (size_t i = 0; i < r->n; i++) {
        size_t n = 0;

        for (uint32_t k = r->request_first[i]; k < r->request_first[i + 1]; k++)
            n += r->served[r->by_request[k]].is_prefill;
        if (n > 1)
            return true;
    }
    return false;
}

static int by_double(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Finds whether the engine falls behind: the median waiting in each quarter of the requests is more
 * than in the one before, and in the last it is late by itself. Waiting for the step in progress is
 * left out: one long step makes the requests after it wait, the later ones less. */
static void find_growth(struct late *late)
{
    const struct ps_requests *r = late->r;
    PS_AUTO(ps_free_ptr) double *queue = ps_alloc_array(r->n + 1, sizeof *queue);
    double medians[QUARTERS];
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        if (r->requests[i].has_parts)
            queue[n++] = (double)(ps_request_queue_ns(&r->requests[i]) -
                                  r->requests[i].parts_ns[PS_WAITS_FOR_STEP]);
    if (n < GROWTH_REQUESTS)
        return;
    late->queue_grows = true;
    for (size_t i = 0; i < QUARTERS; i++) {
        size_t first = n * i / QUARTERS, end = n * (i + 1) / QUARTERS;

        qsort(queue + first, end - first, sizeof *queue, by_double);
        medians[i] = queue[first + (end - first - 1) / 2];
        late->queue_grows = late->queue_grows && (i == 0 || medians[i] > medians[i - 1]);
    }
    late->queue_s[0] = medians[0] / 1e9;
    late->queue_s[1] = medians[QUARTERS - 1] / 1e9;
    late->queue_grows = late->queue_grows && medians[QUARTERS - 1] > (double)late->limit_ns &&
                        medians[QUARTERS - 1] > QUEUE_GROWS * medians[0];
}

static void find_late(const struct ps_requests *r, struct late *late)
{
    *late = (struct late){.r = r, .limit_ns = ps_requests_late_limit(r, 0)};
    if (late->limit_ns == PS_COUNT_UNKNOWN)
        return;
    for (size_t i = 0; i < r->n; i++) {
        late->n_with_time += r->requests[i].ttft_ns != PS_COUNT_UNKNOWN;
        if (r->requests[i].ttft_ns > late->limit_ns)
            add_late(late, i);
    }
    late->splits_prompts = splits_prompts(r);
    find_growth(late);
}

/* --- Subjects --- */

static struct ps_report_link link_of(struct ps_conclusion *c, const char *key, int64_t id)
{
    return (struct ps_report_link){"requests", {{key, ps_conclusion_id(c, id)}}};
}

static struct ps_subject request_subject(struct ps_conclusion *c, const struct ps_requests *r,
                                         size_t request)
{
    int64_t id = r->requests[request].id;
    const char *name = ps_arena_printf(&c->arena, "request %lld", (long long)id);

    return ps_subject_of(c, PS_SUBJECT_PART, link_of(c, "request", id), ps_str_from_c(name));
}

/* --- The worst request --- */

static enum ps_status add_step_work(struct ps_db *db, struct ps_conclusion *c,
                                    const struct ps_requests *r, size_t step, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) int32_t *sets = ps_alloc_array(r->n_steps, sizeof *sets);
    struct ps_step_work work = {.n = 0};

    for (size_t i = 0; i < r->n_steps; i++)
        sets[i] = i == step ? 0 : -1;
    if (ps_step_work_read(db, r, sets, &work, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < work.n && i < WORKS_SAID; i++) {
        double share = (double)work.rows[i].self_ns / (double)work.steps_ns;
        struct ps_str name = ps_trace_text(db, work.rows[i].name);

        if (share < WORK_SAID)
            break;
        ps_first_fact(c, (struct ps_fact){PS_FACT_STEP_WORK, .values = {share},
                                          .subject = ps_subject_of(
                                              c, PS_SUBJECT_OPERATOR,
                                              link_of(c, "engine_step", r->steps[step].id), name)});
    }
    return err->code;
}

static enum ps_status add_step_part(struct ps_db *db, struct ps_conclusion *c,
                                    const struct ps_requests *r, size_t request, struct ps_err *err)
{
    const struct ps_request_row *row = &r->requests[request];
    size_t step = step_in_progress(r, row);
    int64_t tokens, other = largest_prefill(r, step, &tokens);
    int64_t all_tokens = prompt_tokens(r, step);
    struct ps_fact fact = {other >= 0       ? PS_FACT_STEP_PREFILLS
                           : all_tokens > 0 ? PS_FACT_STEP_OF_PROMPTS
                                            : PS_FACT_STEP_IN_PROGRESS,
                           .values = {seconds(row->parts_ns[PS_WAITS_FOR_STEP]),
                                      (double)(other >= 0 ? tokens : all_tokens)},
                           .subject = ps_engine_step_subject(c, r, step),
                           .link = link_of(c, "request", row->id)};

    if (other >= 0)
        fact.other = request_subject(c, r, (size_t)other);
    ps_first_fact(c, fact);
    return add_step_work(db, c, r, step, err);
}

static const enum ps_fact_code part_facts[PS_N_REQUEST_CAUSES] = {
    [PS_WAITS_TO_ENGINE] = PS_FACT_TO_ENGINE,     [PS_WAITS_FOR_SLOT] = PS_FACT_SLOTS_TAKEN,
    [PS_WAITS_FOR_BUDGET] = PS_FACT_TOKENS_SPENT, [PS_WAITS_FOR_OTHERS] = PS_FACT_OTHERS_SERVED,
    [PS_WAITS_BETWEEN_STEPS] = PS_FACT_NO_STEP,   [PS_PREFILLS] = PS_FACT_COMPUTES_PROMPT,
    [PS_WAITS_TO_CLIENT] = PS_FACT_TO_CLIENT,     [PS_WAITS_OUTSIDE] = PS_FACT_OUTSIDE_ENGINE,
};

/* Says the largest parts of the time to the first token of a request. */
static enum ps_status add_parts(struct ps_db *db, struct ps_conclusion *c,
                                const struct ps_requests *r, size_t request, struct ps_err *err)
{
    const struct ps_request_row *row = &r->requests[request];
    int64_t below = INT64_MAX;

    for (int n = 0; n < PARTS_SAID; n++) {
        int largest = -1;

        for (int cause = 0; cause < PS_N_REQUEST_CAUSES; cause++)
            if (row->parts_ns[cause] < below &&
                (largest < 0 || row->parts_ns[cause] > row->parts_ns[largest]))
                largest = cause;
        if (largest < 0 || (double)row->parts_ns[largest] < PART_SAID * (double)row->ttft_ns)
            break;
        below = row->parts_ns[largest];
        if (largest == PS_WAITS_FOR_STEP) {
            if (add_step_part(db, c, r, request, err) != PS_OK)
                return err->code;
            continue;
        }
        ps_first_fact(
            c, (struct ps_fact){part_facts[largest],
                                .values = {seconds(below), (double)(largest == PS_WAITS_FOR_SLOT
                                                                        ? r->slots
                                                                        : row->prompt_tokens)},
                                .link = link_of(c, "request", row->id)});
    }
    return err->code;
}

/* --- What would help --- */

static const struct {
    const char *rule, *name; /* the name is a noun of ours */
    enum ps_advice advice;
} groups[N_GROUPS] = {
    [STEP_AND_SLOT] = {"serving-step-and-slot", "A long step, then no free slot",
                       PS_ADVICE_SPLIT_PROMPTS_AND_SLOTS},
    [STEP] = {"serving-step", "A step in progress", PS_ADVICE_SPLIT_PROMPTS},
    [SLOT] = {"serving-slot", "No free slot", PS_ADVICE_MORE_SLOTS},
    [LONG_STEP] = {"serving-long-step", "A long step in progress", PS_NO_ADVICE},
    [BUDGET] = {"serving-budget", "Tokens of steps spent on prompts of others",
                PS_ADVICE_TOKEN_BUDGET},
    [OTHERS] = {"serving-others", "Steps that serve others", PS_ADVICE_RECORD_ENGINE},
    [BETWEEN] = {"serving-between", "Time between steps", PS_ADVICE_BETWEEN_STEPS},
    [PREFILL] = {"serving-prefill", "Their own prompt", PS_ADVICE_SHORTER_PROMPTS},
    [SHARED_STEP] = {"serving-shared-step", "Prompts of others in the same steps", PS_NO_ADVICE},
    [OUTSIDE] = {"serving-outside", "The way between client and engine", PS_ADVICE_CLIENT},
};

static const enum ps_fact_code help_facts[N_GROUPS] = {
    [STEP_AND_SLOT] = PS_FACT_SPLIT_AND_SLOTS_HELP,
    [STEP] = PS_FACT_SPLIT_HELPS,
    [SLOT] = PS_FACT_SLOTS_HELP,
};

/* Whether the mend of a group removes its time: prompts that are split already are not in the way
 * as a whole, and of an engine that falls behind the recording does not tell. */
static bool can_be_saved(const struct late *late, enum group group)
{
    if (late->queue_grows)
        return false;
    return (group == SLOT && late->r->slots > 0) ||
           ((group == STEP || group == STEP_AND_SLOT) && !late->splits_prompts);
}

static void add_causes(struct ps_conclusion *c, const struct late *late)
{
    for (int group = 0; group < N_GROUPS; group++) {
        struct ps_claim claim;
        struct ps_cause *cause;
        double amount = seconds(late->groups[group].ns);

        if (late->groups[group].n == 0)
            continue;
        claim = ps_claim_of(groups[group].rule, PS_WAITS,
                            ps_subject_of(c, PS_SUBJECT_PART,
                                          (struct ps_report_link){"requests", {{"show", "late"}}},
                                          ps_str_from_c(groups[group].name)),
                            (double)late->groups[group].ns / (double)late->sum_ns);
        claim.evidence =
            (struct ps_fact){PS_FACT_LATE_BY, .values = {(double)late->groups[group].n}};
        cause = ps_conclusion_claim(c, &claim, amount);
        cause->advice = ps_advice_words[groups[group].advice];
        if (late->queue_grows && (group == SLOT || group == STEP_AND_SLOT))
            cause->advice = ps_advice_words[PS_ADVICE_LOWER_LOAD];
        if (can_be_saved(late, (enum group)group) && late->groups[group].n_cured > 0)
            ps_cause_save(cause, 0, seconds(late->groups[group].cured_ns));
    }
    ps_conclusion_sort(c);
}

static void add_help(struct ps_conclusion *c, const struct late *late)
{
    if (late->queue_grows)
        ps_first_fact(c, (struct ps_fact){PS_FACT_QUEUE_GROWS,
                                          .values = {late->queue_s[0], late->queue_s[1]},
                                          .link = {.tab = "requests"}});
    for (int group = STEP_AND_SLOT; group <= SLOT; group++)
        if (can_be_saved(late, (enum group)group) && late->groups[group].n_cured > 0)
            ps_first_fact(c, (struct ps_fact){help_facts[group],
                                              .values = {(double)late->groups[group].n,
                                                         (double)late->groups[group].n_cured,
                                                         seconds(late->limit_ns)},
                                              .link = {"requests", {{"show", "late"}}}});
    if (late->groups[PREFILL].n > 0 && late->r->requests[late->worst].cause != PS_PREFILLS)
        ps_first_fact(c, (struct ps_fact){PS_FACT_LATE_BY_ITSELF,
                                          .values = {(double)late->groups[PREFILL].n},
                                          .link = {"requests", {{"show", "late"}}}});
}

/* --- Stalls --- */

/* The longest gap between two tokens that is late by itself, and that one step makes which prefills
 * another request. */
struct stall {
    int64_t ns;
    size_t request;
    int64_t step; /* -1: none */
    size_t n;     /* requests whose tokens that step stops */
};

static struct stall find_stall(const struct ps_requests *r, int64_t limit_ns)
{
    PS_AUTO(ps_metric_free) struct ps_metric_values gaps = ps_metric_read(r, PS_METRIC_GAP, 0);
    struct stall stall = {.ns = limit_ns, .step = -1};
    double median = ps_metric_percentile(&gaps, 50);
    int64_t tokens;

    for (size_t i = 0; i < r->n; i++) {
        const struct ps_request_row *row = &r->requests[i];
        int64_t step;

        if (row->longest_gap_ns <= stall.ns || (double)row->longest_gap_ns < STALL_TIMES * median)
            continue;
        step = ps_request_gap_step(r, i, row->longest_gap);
        if (step < 0 || largest_prefill(r, (size_t)step, &tokens) < 0 ||
            2 * tokens < prompt_tokens(r, (size_t)step) ||
            (double)(r->steps[step].end_ns - r->steps[step].start_ns) <
                STALL_SHARE * (double)row->longest_gap_ns)
            continue;
        stall = (struct stall){row->longest_gap_ns, i, step, 0};
    }
    for (size_t i = r->n_steps && stall.step >= 0 ? r->step_first[stall.step] : 0;
         stall.step >= 0 && i < r->step_first[stall.step + 1]; i++)
        stall.n += !r->served[i].is_prefill;
    return stall;
}

static void add_stall(struct ps_conclusion *c, const struct ps_requests *r,
                      const struct stall *stall, bool splits_prompts, bool is_first)
{
    int64_t tokens, other;
    struct ps_fact fact = {is_first ? PS_FACT_TOKENS_STOP : PS_FACT_ALSO_STOPS,
                           .values = {(double)stall->n, seconds(stall->ns)},
                           .subject = ps_engine_step_subject(c, r, (size_t)stall->step),
                           .link = link_of(c, "request", r->requests[stall->request].id)};

    other = largest_prefill(r, (size_t)stall->step, &tokens);
    fact.values[2] = (double)tokens;
    fact.other = request_subject(c, r, (size_t)other);
    ps_first_fact(c, fact);
    ps_first_fact(c, (struct ps_fact){.code = splits_prompts ? PS_FACT_SMALLER_PARTS_HELP
                                                             : PS_FACT_SPLIT_ENDS_STALLS});
}

/* --- The conclusion --- */

static void conclude_none_late(struct ps_conclusion *c, const struct ps_requests *r,
                               const struct late *late)
{
    size_t longest = 0;

    for (size_t i = 0; i < r->n; i++)
        if (r->requests[i].ttft_ns > r->requests[longest].ttft_ns)
            longest = i;
    ps_conclude_first(c, ps_claim_of("first-tokens", PS_FLAT, ps_no_subject, NAN));
    ps_first_fact(c, (struct ps_fact){PS_FACT_NONE_LATE,
                                      .values = {(double)late->n_with_time, seconds(late->limit_ns),
                                                 seconds(r->requests[longest].ttft_ns)},
                                      .subject = request_subject(c, r, longest),
                                      .link = {.tab = "requests"}});
}

static enum ps_status conclude_late(struct ps_db *db, struct ps_conclusion *c,
                                    const struct ps_requests *r, const struct late *late,
                                    const struct stall *stall, struct ps_err *err)
{
    const struct ps_request_row *worst = &r->requests[late->worst];
    struct ps_claim claim = ps_claim_of("late-requests", PS_WAITS, ps_no_subject, NAN);

    add_causes(c, late);
    if (c->n_causes)
        claim = c->causes[0].claim;
    ps_conclude_first(c, claim);
    c->first.evidence.code = PS_FACT_NONE;
    ps_first_fact(c, (struct ps_fact){PS_FACT_LATE_REQUESTS,
                                      .values = {(double)late->n, (double)late->n_with_time,
                                                 seconds(late->limit_ns)},
                                      .link = {"requests", {{"show", "late"}}}});
    ps_first_fact(c, (struct ps_fact){PS_FACT_WORST_REQUEST, .values = {seconds(worst->ttft_ns)},
                                      .subject = request_subject(c, r, late->worst),
                                      .link = link_of(c, "request", worst->id)});
    if (late->n_known == 0) {
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_CAUSE_UNKNOWN});
        return err->code;
    }
    if (worst->has_parts && add_parts(db, c, r, late->worst, err) != PS_OK)
        return err->code;
    add_help(c, late);
    if (stall->step >= 0)
        add_stall(c, r, stall, late->splits_prompts, false);
    return err->code;
}

/* Says the times to the first token of results that do not list their requests. */
static enum ps_status conclude_results(struct ps_db *db, struct ps_conclusion *c, bool *is_said,
                                       struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_report_link link = {.tab = "requests"};
    double least = NAN, most = NAN;
    size_t n = 0;

    ps_db_prepare(db, ps_query_sql("conclude_serving"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        double median = ps_col_real_or_nan(stmt, 0), p99 = ps_col_real_or_nan(stmt, 1);
        double value = isnan(p99) ? median : p99;

        if (isnan(value))
            continue;
        if (n++ == 0) {
            ps_conclude_first(c, ps_claim_of("first-tokens", PS_FLAT, ps_no_subject, NAN));
            ps_first_fact(
                c, (struct ps_fact){isnan(p99) || isnan(median) ? PS_FACT_TTFT : PS_FACT_TTFT_P99,
                                    .values = {isnan(median) ? p99 : median, p99},
                                    .word = isnan(median) ? PS_STR("99th percentile of the")
                                                          : PS_STR("median"),
                                    .link = link});
        }
        least = fmin(least, value);
        most = fmax(most, value);
    }
    if (n > 1) {
        ps_conclude_first(c, ps_claim_of("first-tokens", PS_FLAT, ps_no_subject, NAN));
        ps_first_fact(c, (struct ps_fact){PS_FACT_TTFT_OF_LOADS, .values = {(double)n, least, most},
                                          .link = link});
    }
    *is_said = n > 0;
    return err->code;
}

/* Whether the requests are those of several loads, whose times are not to be mixed. */
static bool are_of_loads(const struct ps_requests *r)
{
    for (size_t i = 1; i < r->n; i++)
        if (r->requests[i].result != r->requests[0].result)
            return r->n_steps == 0;
    return false;
}

enum ps_status ps_conclude_requests(struct ps_db *db, struct ps_conclusion *out, bool has_trace,
                                    bool *is_said, struct ps_err *err)
{
    PS_AUTO(ps_requests_release) const struct ps_requests *r = NULL;
    struct late late;
    struct stall stall;

    *is_said = false;
    if (ps_requests_acquire(db, &r, err) != PS_OK)
        return err->code;
    out->unit = "s";
    out->base = "of late requests";
    find_late(r, &late);
    if (late.limit_ns == PS_COUNT_UNKNOWN || are_of_loads(r)) {
        conclude_results(db, out, is_said, err);
        if (!*is_said && !has_trace && r->n == 0 && err->code == PS_OK)
            *is_said = ps_conclude_engine_steps(out, r);
        return err->code;
    }
    stall = find_stall(r, late.limit_ns);
    *is_said = true;
    if (late.n > 0)
        return conclude_late(db, out, r, &late, &stall, err);
    if (stall.step < 0 && has_trace) {
        ps_conclusion_checked(out, "Late requests");
        *is_said = false;
        return err->code;
    }
    if (stall.step < 0) {
        conclude_none_late(out, r, &late);
        return err->code;
    }
    ps_conclude_first(out, ps_claim_of("serving-stall", PS_WAITS,
                                       ps_engine_step_subject(out, r, (size_t)stall.step), NAN));
    add_stall(out, r, &stall, late.splits_prompts, true);
    return err->code;
}
