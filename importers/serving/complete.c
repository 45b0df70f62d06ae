/* SPDX-License-Identifier: MIT */
/* complete.c: the metrics of a result whose file has the requests alone. Percentiles are
 * interpolated linearly, as the clients do. */
#include <math.h>
#include <stdlib.h>

#include "importers/serving/client.h"

struct values {
    double *items;
    size_t n, cap;
};

static void add_value(struct values *values, double value)
{
    PS_RESERVE_ONE(values->items, values->n, values->cap);
    values->items[values->n++] = value;
}

/* The value that has k smaller ones; reorders the items. */
static double select_value(double *items, size_t n, size_t k)
{
    int64_t low = 0, high = (int64_t)n - 1, wanted = (int64_t)k;

    while (low < high) {
        const double pivot = items[low + (high - low) / 2];
        int64_t i = low, j = high;

        while (i <= j) {
            while (items[i] < pivot)
                i++;
            while (items[j] > pivot)
                j--;
            if (i <= j) {
                const double item = items[i];

                items[i++] = items[j];
                items[j--] = item;
            }
        }
        if (wanted <= j)
            high = j;
        else if (wanted >= i)
            low = i;
        else
            break;
    }
    return items[k];
}

/* Between two values, as numpy interpolates by default; reorders the items. */
static double percentile(double *items, size_t n, double p)
{
    double at = p / 100 * (double)(n - 1);
    size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;
    double value = select_value(items, n, below);

    return value + (at - (double)below) * (select_value(items, n, above) - value);
}

/* Adds the metric of these values, which it takes, unless there are none. */
static void add_measure(struct sv_client *client, struct sv_client_load *load, const char *key,
                        struct values *values, bool keeps_samples)
{
    static const double percents[] = {90, 95, 99};
    struct sv_measure *measure;
    PS_AUTO(ps_free_ptr) double *copy = NULL;
    double *items, sum = 0;

    if (values->n == 0)
        return;
    measure = sv_measure(client, load, ps_str_from_c(key), NULL);
    for (size_t i = 0; i < values->n; i++)
        sum += values->items[i];
    if (keeps_samples) {
        copy = ps_alloc_array(values->n, sizeof *copy);
        memcpy(copy, values->items, values->n * sizeof *copy);
    }
    items = keeps_samples ? copy : values->items;
    measure->is_computed = true;
    measure->values.mean = ps_real(sum / (double)values->n);
    measure->values.median = ps_real(percentile(items, values->n, 50));
    measure->values.min = ps_real(select_value(items, values->n, 0));
    measure->values.max = ps_real(select_value(items, values->n, values->n - 1));
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        measure->values.percentiles[i].p = percents[i];
        measure->values.percentiles[i].value = ps_real(percentile(items, values->n, percents[i]));
    }
    measure->values.n_percentiles = sizeof percents / sizeof *percents;
    if (keeps_samples) {
        sv_measure_take_samples(load, measure, values->items, values->n);
        values->items = NULL;
    } else {
        measure->values.n = ps_int((int64_t)values->n);
    }
}

static void add_single(struct sv_client *client, struct sv_client_load *load, const char *key,
                       struct ps_num value)
{
    struct sv_measure *measure = sv_measure(client, load, ps_str_from_c(key), NULL);

    measure->is_computed = true;
    measure->values.mean = value;
}

struct totals {
    struct values ttft, tpot, latency, gaps;
    int64_t n, completed, failed, tokens, first_ns, last_ns;
};

static void add_request(struct totals *t, const struct sv_run *run,
                        const struct sv_request *request)
{
    const struct ps_serving_request *row = &request->row;
    int64_t last_ns; /* the last chunk came */

    if (row->state != PS_REQUEST_COMPLETED) {
        t->failed += row->state == PS_REQUEST_FAILED;
        t->n++;
        return;
    }
    t->completed++;
    t->n++;
    t->tokens += row->output_tokens > 0 ? row->output_tokens : 0;
    if (row->ttft_ns >= 0)
        add_value(&t->ttft, (double)row->ttft_ns / 1e9);
    if (row->latency_ns >= 0)
        add_value(&t->latency, (double)row->latency_ns / 1e9);
    if (!isnan(row->tpot_ns))
        add_value(&t->tpot, row->tpot_ns / 1e9);
    for (size_t i = 0; i < row->n_gaps; i++)
        add_value(&t->gaps, (double)run->gaps_ns[request->first_gap + i] / 1e9);
    if (row->start_ns == PS_TIME_UNKNOWN || row->latency_ns < 0)
        return;
    last_ns = row->start_ns + row->latency_ns;
    t->first_ns = row->start_ns < t->first_ns ? row->start_ns : t->first_ns;
    t->last_ns = last_ns > t->last_ns ? last_ns : t->last_ns;
}

static void complete_result(struct sv_run *run, uint32_t result)
{
    struct sv_client client = {.run = run,
                               .tool = "",
                               .percentiles = "interpolated linearly between values",
                               .benchmark = PS_STR("serving")};
    struct sv_client_load *load = sv_client_add_load_of(&client, result);
    struct totals t = {.first_ns = INT64_MAX, .last_ns = INT64_MIN};
    double seconds;

    for (size_t i = 0; i < run->n_requests; i++)
        if (run->requests[i].row.result == result)
            add_request(&t, run, &run->requests[i]);
    if (t.n > 0) {
        add_measure(&client, load, "ttft", &t.ttft, true);
        add_measure(&client, load, "tpot", &t.tpot, true);
        add_measure(&client, load, "itl", &t.gaps, false);
        add_measure(&client, load, "e2el", &t.latency, true);
        add_single(&client, load, "completed", ps_int(t.completed));
        add_single(&client, load, "failed", ps_int(t.failed));
    }
    if (t.first_ns < t.last_ns) {
        seconds = (double)(t.last_ns - t.first_ns) / 1e9;
        add_single(&client, load, "duration", ps_real(seconds));
        add_single(&client, load, "request_throughput", ps_real((double)t.completed / seconds));
        add_single(&client, load, "output_throughput", ps_real((double)t.tokens / seconds));
    }
    sv_client_end(&client);
    free(t.ttft.items);
    free(t.tpot.items);
    free(t.latency.items);
    free(t.gaps.items);
}

void sv_complete_results(struct sv_run *run)
{
    sv_write_tables(run);
    for (size_t i = 0; i < run->n_results; i++)
        if (run->results[i].first == 0 && run->n_requests > 0)
            complete_result(run, (uint32_t)i + 1);
}
