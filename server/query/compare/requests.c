/* SPDX-License-Identifier: MIT */
/*
 * requests.c: the pairs of requests of two serving runs as a row set, and what became of them.
 * Percentiles of each run do not show that: other requests may be the slow ones.
 */
#include <math.h>
#include <stdlib.h>

#include "server/query/compare/answers.h"
#include "server/query/compare/request_times.h"
#include "server/query/requests/requests_json.h"
#include "server/query/rowset.h"

#define CURVE_POINTS 200 /* of a distribution */

enum side { BASE, NEW, DELTA };
static const char *const side_words[] = {"base", "new", "delta"};
static const char *const metric_words[] = {"ttft_ns", "gap_ns", "latency_ns", "tpot_ns"};
static const char *const metric_titles[] = {"Time to first token", "Longest gap between tokens",
                                            "End-to-end latency", "Time per output token"};
static const char *const pairing_words[] = {NULL, "id", "start", "position"};

/* --- Row set --- */

enum {
    COLUMN_ID,
    COLUMN_NAME,
    COLUMN_BASE_ID,
    COLUMN_NEW_ID,
    COLUMN_PROMPT,
    COLUMN_BASE_STATE,
    COLUMN_NEW_STATE,
    COLUMN_METRICS,
    COLUMN_PARTS = COLUMN_METRICS + 3 * PS_N_PAIR_METRICS,
    N_COLUMNS = COLUMN_PARTS + 3 * PS_PAIR_PARTS,
    COLUMN_SIZE = N_COLUMNS /* |difference of the time to the first token|: a sort key only */
};

struct row_context {
    const struct ps_compared_requests *requests;
    int columns[N_COLUMNS];
};

static const struct ps_request_times *request_of(const struct ps_compared_requests *requests,
                                                 uint32_t pair, enum side side)
{
    const uint32_t *indices = side == BASE ? requests->pairs.base : requests->pairs.now;

    return &requests->runs[side].items[indices[pair]];
}

static const char *column_name(const void *context, int column, char out[32])
{
    static const char *const names[N_COLUMNS] = {"id",
                                                 "name",
                                                 "base_id",
                                                 "new_id",
                                                 "prompt_tokens",
                                                 "base_state",
                                                 "new_state",
                                                 "base_ttft_ns",
                                                 "new_ttft_ns",
                                                 "delta_ttft_ns",
                                                 "base_gap_ns",
                                                 "new_gap_ns",
                                                 "delta_gap_ns",
                                                 "base_latency_ns",
                                                 "new_latency_ns",
                                                 "delta_latency_ns",
                                                 "base_tpot_ns",
                                                 "new_tpot_ns",
                                                 "delta_tpot_ns",
                                                 "base_to_engine_ns",
                                                 "new_to_engine_ns",
                                                 "delta_to_engine_ns",
                                                 "base_step_ns",
                                                 "new_step_ns",
                                                 "delta_step_ns",
                                                 "base_slot_ns",
                                                 "new_slot_ns",
                                                 "delta_slot_ns",
                                                 "base_budget_ns",
                                                 "new_budget_ns",
                                                 "delta_budget_ns",
                                                 "base_others_ns",
                                                 "new_others_ns",
                                                 "delta_others_ns",
                                                 "base_between_ns",
                                                 "new_between_ns",
                                                 "delta_between_ns",
                                                 "base_prefill_ns",
                                                 "new_prefill_ns",
                                                 "delta_prefill_ns",
                                                 "base_to_client_ns",
                                                 "new_to_client_ns",
                                                 "delta_to_client_ns",
                                                 "base_outside_ns",
                                                 "new_outside_ns",
                                                 "delta_outside_ns"};

    (void)context, (void)out;
    return names[column];
}

static double number_of(const struct ps_request_times *request, int column)
{
    return column < COLUMN_PARTS ? request->metrics[(column - COLUMN_METRICS) / 3]
                                 : request->parts[(column - COLUMN_PARTS) / 3];
}

static struct ps_value real_value(double value)
{
    return isnan(value) ? (struct ps_value){.text = {NULL, 0}}
                        : (struct ps_value){.num = ps_real(value)};
}

static struct ps_value column_value(const void *context, uint32_t id, int column)
{
    const struct ps_compared_requests *requests = ((const struct row_context *)context)->requests;
    const struct ps_request_times *base = request_of(requests, id, BASE),
                                  *now = request_of(requests, id, NEW);
    const int side =
        column < COLUMN_PARTS ? (column - COLUMN_METRICS) % 3 : (column - COLUMN_PARTS) % 3;

    switch (column) {
    case COLUMN_ID:
        return (struct ps_value){.num = ps_int((int64_t)id + 1)};
    case COLUMN_NAME:
        return (struct ps_value){.text = base->name};
    case COLUMN_BASE_ID:
        return (struct ps_value){.num = ps_int(base->id)};
    case COLUMN_NEW_ID:
        return (struct ps_value){.num = ps_int(now->id)};
    case COLUMN_PROMPT:
        return base->prompt_tokens < 0 ? (struct ps_value){.text = {NULL, 0}}
                                       : (struct ps_value){.num = ps_int(base->prompt_tokens)};
    case COLUMN_BASE_STATE:
        return (struct ps_value){.text = ps_str_from_c(ps_request_state_words[base->state])};
    case COLUMN_NEW_STATE:
        return (struct ps_value){.text = ps_str_from_c(ps_request_state_words[now->state])};
    case COLUMN_SIZE:
        return real_value(fabs(now->metrics[PS_PAIR_TTFT] - base->metrics[PS_PAIR_TTFT]));
    default:
        return real_value(side == BASE  ? number_of(base, column)
                          : side == NEW ? number_of(now, column)
                                        : number_of(now, column) - number_of(base, column));
    }
}

static int sort_column(const void *context, const char *key)
{
    char name[32];

    if (!key || strcmp(key, "size") == 0)
        return COLUMN_SIZE;
    for (int column = 0; column < N_COLUMNS; column++)
        if (strcmp(column_name(context, column, name), key) == 0)
            return column;
    return -1;
}

/* Whether the first token of a pair came as the parameter `only` asks. */
static bool passes(const struct ps_compared_requests *requests, uint32_t pair, const char *only)
{
    const double delta = request_of(requests, pair, NEW)->metrics[PS_PAIR_TTFT] -
                         request_of(requests, pair, BASE)->metrics[PS_PAIR_TTFT];

    return !only || !only[0] || (strcmp(only, "later") == 0 ? delta > 0 : delta < 0);
}

static enum ps_status filter_rows(const void *context, struct ps_params params, uint32_t *ids,
                                  size_t *n, struct ps_json *sums, struct ps_err *err)
{
    const struct ps_compared_requests *requests = ((const struct row_context *)context)->requests;
    const char *only = ps_param_get(params, "only");

    if (only && only[0] && strcmp(only, "later") != 0 && strcmp(only, "sooner") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "only must be sooner or later, not %s", only);
    for (uint32_t i = 0; i < requests->pairs.n; i++)
        if (passes(requests, i, only))
            ids[(*n)++] = i;
    ps_json_object(sums);
    ps_json_end(sums);
    return err->code;
}

enum ps_status ps_query_compare_requests(struct ps_store *store,
                                         const struct ps_compare_groups *groups,
                                         struct ps_params params, struct ps_answer *answer,
                                         struct ps_err *err)
{
    struct ps_compared_requests *requests = NULL;
    struct row_context context;
    struct ps_array_rows rows = {.array = &context,
                                 .metric = metric_words[PS_PAIR_TTFT],
                                 .per = ps_per_words[PS_PER_RUN],
                                 .columns = context.columns,
                                 .n_columns = N_COLUMNS,
                                 .aliased_column = -1,
                                 .get_name = column_name,
                                 .get_value = column_value,
                                 .get_sort_column = sort_column,
                                 .filter_rows = filter_rows};

    if (ps_compared_requests_acquire(store, groups, &requests, err) != PS_OK)
        return err->code;
    context.requests = requests;
    for (int i = 0; i < N_COLUMNS; i++)
        context.columns[i] = i;
    rows.key = requests->entry.key;
    rows.n = requests->pairs.n;
    ps_answer_array(&rows, params, answer, err);
    ps_compared_requests_release(requests);
    return err->code;
}

/* --- Summary --- */

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Sorted values of the requests of a run that have one; the caller frees them. */
static double *list_values(const struct ps_run_requests *run, enum ps_pair_metric metric, size_t *n)
{
    double *values = ps_alloc_array(run->n + 1, sizeof *values);

    *n = 0;
    for (size_t i = 0; i < run->n; i++)
        if (!isnan(run->items[i].metrics[metric]))
            values[(*n)++] = run->items[i].metrics[metric];
    qsort(values, *n, sizeof *values, by_value);
    return values;
}

/* The percentile between the two nearest values, as NumPy has it by default, and the tools with it.
 */
static double percentile_of(const double *values, size_t n, double share)
{
    const double rank = share * ((double)n - 1);
    const size_t index = n ? (size_t)rank : 0;

    if (!n)
        return NAN;
    return index + 1 < n
               ? values[index] + (rank - (double)index) * (values[index + 1] - values[index])
               : values[n - 1];
}

/* The values in order: all of few requests, else CURVE_POINTS at equal distances of their ranks. */
static void write_curve(const double *values, size_t n, struct ps_json *json)
{
    const size_t points = n < CURVE_POINTS ? n : CURVE_POINTS;

    ps_json_key(json, "curve");
    ps_json_array(json);
    for (size_t i = 0; i < points; i++)
        ps_json_real(json, values[points < n ? i * (n - 1) / (points - 1) : i]);
    ps_json_end(json);
}

static void write_side(const struct ps_run_requests *run, const char *key,
                       enum ps_pair_metric metric, struct ps_json *json)
{
    size_t n;
    PS_AUTO(ps_free_ptr) double *values = list_values(run, metric, &n);
    const struct ps_request_times *worst = NULL;

    for (size_t i = 0; i < run->n; i++)
        if (!isnan(run->items[i].metrics[metric]) &&
            (!worst || run->items[i].metrics[metric] > worst->metrics[metric]))
            worst = &run->items[i];
    ps_json_key(json, key);
    ps_json_object(json);
    ps_json_key_int(json, "n", (int64_t)n);
    ps_json_key_real(json, "p50", percentile_of(values, n, 0.5));
    ps_json_key_real(json, "p90", percentile_of(values, n, 0.9));
    ps_json_key_real(json, "p99", percentile_of(values, n, 0.99));
    ps_json_key_real(json, "worst", n ? values[n - 1] : (double)NAN);
    ps_json_key(json, "worst_id");
    if (worst)
        ps_json_int(json, worst->id);
    else
        ps_json_null(json);
    write_curve(values, n, json);
    ps_json_end(json);
}

static void write_metrics(const struct ps_compared_requests *requests, struct ps_json *json)
{
    ps_json_key(json, "metrics");
    ps_json_array(json);
    for (int i = 0; i < PS_N_PAIR_METRICS; i++) {
        const struct ps_request_change *change = &requests->changes[i];

        ps_json_object(json);
        ps_json_key_str(json, "metric", metric_words[i]);
        ps_json_key_str(json, "title", metric_titles[i]);
        ps_json_key_int(json, "pairs", (int64_t)change->n);
        ps_json_key_int(json, "less", (int64_t)change->n_less);
        ps_json_key_int(json, "more", (int64_t)change->n_more);
        ps_json_key_real(json, "median", change->median);
        ps_json_key_real(json, "low", change->low);
        ps_json_key_real(json, "high", change->high);
        write_side(&requests->runs[BASE], "base", (enum ps_pair_metric)i, json);
        write_side(&requests->runs[NEW], "new", (enum ps_pair_metric)i, json);
        ps_json_end(json);
    }
    ps_json_end(json);
}

/* The sum of the times to first token of the pairs, in ns. */
static double sum_first_tokens(const struct ps_compared_requests *requests, int side)
{
    const uint32_t *indices = side ? requests->pairs.now : requests->pairs.base;
    double sum = 0;

    for (size_t i = 0; i < requests->pairs.n; i++) {
        const double value = requests->runs[side].items[indices[i]].metrics[PS_PAIR_TTFT];

        sum += isnan(value) ? 0 : value;
    }
    return sum;
}

/* What is explained of runs whose only rows are metrics of requests, which do not add up: the time
 * that all requests waited for their first token. */
void ps_compared_requests_write_sums(const struct ps_compared_requests *requests,
                                     struct ps_json *json)
{
    const double base = sum_first_tokens(requests, 0), now = sum_first_tokens(requests, 1);

    ps_json_key_str(json, "of", "requests");
    ps_json_key_str(json, "row", "request");
    ps_json_key_str(json, "metric", "ttft_ns");
    ps_json_key_str(json, "title", "Time to first token");
    ps_json_key_str(json, "unit", "ns");
    ps_json_key_str(json, "per", ps_per_words[PS_PER_RUN]);
    ps_json_key_real(json, "base", base);
    ps_json_key_real(json, "new", now);
    ps_json_key_real(json, "delta", now - base);
    ps_json_key_str(json, "found", "none");
    ps_json_key_int(json, "n", 0);
    ps_json_key(json, "rows");
    ps_json_array(json);
    ps_json_end(json);
}

static void write_counts(const struct ps_compared_requests *requests, struct ps_json *json)
{
    for (int side = BASE; side <= NEW; side++) {
        const struct ps_run_requests *run = &requests->runs[side];
        size_t n_completed = 0;

        for (size_t i = 0; i < run->n; i++)
            n_completed += run->items[i].state == 0;
        ps_json_key(json, side_words[side]);
        ps_json_object(json);
        ps_json_key_int(json, "requests", (int64_t)run->n);
        ps_json_key_int(json, "completed", (int64_t)n_completed);
        ps_json_end(json);
    }
}

enum ps_status ps_query_compare_requests_summary(struct ps_store *store,
                                                 const struct ps_compare_groups *groups,
                                                 struct ps_json *json, struct ps_err *err)
{
    struct ps_compared_requests *requests = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf why = {0};

    if (ps_compared_requests_acquire(store, groups, &requests, err) != PS_OK)
        return err->code;
    ps_compared_requests_explain(requests, &why);
    ps_json_object(json);
    write_counts(requests, json);
    ps_json_key_str(json, "paired_by", pairing_words[requests->pairs.by]);
    ps_json_key_str(json, "no_pairs", why.len ? why.ptr : NULL);
    ps_json_key_int(json, "pairs", (int64_t)requests->pairs.n);
    ps_json_key_int(json, "prompt_lengths", (int64_t)requests->pairs.n_lengths);
    write_metrics(requests, json);
    ps_json_end(json);
    ps_compared_requests_release(requests);
    return err->code;
}
