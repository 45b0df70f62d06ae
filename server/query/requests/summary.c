/* SPDX-License-Identifier: MIT */
/* summary.c: the view requests/summary: metrics over all requests, the requests at their
 * percentiles, and what late requests waited for. */
#include <math.h>
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/requests/metrics.h"
#include "server/query/requests/requests_json.h"
#include "slices/intervals.h"

#define BINS      40   /* of a histogram, at most */
#define PRINTS_AS 1e-3 /* relative: a tool that rounds prints a percentile so closely */

static const struct {
    const char *word, *name, *metric; /* `metric`: as in table measurement */
} metrics[PS_N_REQUEST_METRICS] = {
    [PS_METRIC_TTFT] = {"ttft", "Time to first token", "time to first token"},
    [PS_METRIC_TPOT] = {"tpot", "Time per output token", "time per output token"},
    [PS_METRIC_GAP] = {"gap", "Gap between tokens", "inter-token latency"},
    [PS_METRIC_LATENCY] = {"latency", "Latency", "end-to-end latency"},
};

/* --- Metrics --- */

/* The percentile as the tool states it, in ns; NAN: it does not. */
static double printed_ns(struct ps_db *db, uint32_t result, const char *metric, double p,
                         struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    ps_buf_puts(&name, metric);
    if (p < 100)
        ps_buf_printf(&name, ", p%g", p);
    else
        ps_buf_puts(&name, ", max");
    ps_db_prepare(db, ps_query_sql("serving_printed"), &stmt, err);
    ps_bind_int(stmt, ":result", result);
    ps_bind_text(stmt, ":metric", ps_buf_slice(&name));
    return ps_stmt_step(stmt, err) ? ps_col_real_or_nan(stmt, 0) : NAN;
}

static void write_percentile(struct ps_db *db, struct ps_json *json,
                             struct ps_metric_values *values, double p, struct ps_err *err)
{
    size_t rank = ps_metric_nearest(values, p);
    double nearest = ps_metric_at(values, rank), linear = ps_metric_percentile(values, p);
    double printed = printed_ns(db, values->result, metrics[values->metric].metric, p, err);
    double from_nearest = fabs(printed - nearest), from_linear = fabs(printed - linear);
    bool is_nearest = from_nearest < from_linear;
    int64_t gap;
    uint32_t request = ps_metric_owner(values, rank, &gap);

    ps_json_object(json);
    ps_json_key_real(json, "p", p);
    ps_json_key_real(json, "nearest_ns", nearest);
    ps_json_key_int(json, "request", values->r->requests[request].id);
    if (gap >= 0)
        ps_json_key_int(json, "token", gap + 1);
    ps_json_key_real(json, "linear_ns", linear);
    ps_json_key_real(json, "printed_ns", printed);
    ps_json_key_str(json, "prints",
                    isnan(printed) ? NULL
                    : (is_nearest ? from_nearest : from_linear) > PRINTS_AS * fabs(printed)
                        ? "other"
                    : is_nearest ? "nearest"
                                 : "linear");
    ps_json_end(json);
}

static void write_histogram(struct ps_json *json, struct ps_metric_values *values)
{
    double least = fmax(ps_metric_at(values, 0), 1), most = ps_metric_at(values, values->n - 1);
    double edges[BINS + 1];
    int64_t counts[BINS] = {0};
    size_t n = most > least ? BINS : 1;
    double ratio = n > 1 ? pow(most / least, 1.0 / (double)n) : 1;

    if (n > values->n) {
        n = values->n;
        ratio = pow(most / least, 1.0 / (double)n);
    }
    for (size_t i = 0; i <= n; i++)
        edges[i] = i == n ? fmax(most, least) : least * pow(ratio, (double)i);
    ps_metric_histogram(values, edges, n, counts);
    ps_json_key(json, "edges_ns");
    ps_json_array(json);
    for (size_t i = 0; i <= n; i++)
        ps_json_real(json, edges[i]);
    ps_json_end(json);
    ps_json_ints(json, "counts", counts, n);
}

static void write_metric(struct ps_db *db, struct ps_json *json, struct ps_metric_values *values,
                         struct ps_err *err)
{
    static const double percentiles[] = {50, 90, 95, 99, 100};

    if (values->n == 0)
        return;
    ps_json_object(json);
    ps_json_key_str(json, "metric", metrics[values->metric].word);
    ps_json_key_str(json, "name", metrics[values->metric].name);
    ps_json_key_int(json, "n", (int64_t)values->n);
    ps_json_key_real(json, "mean_ns", ps_metric_mean(values));
    ps_json_key_real(json, "min_ns", ps_metric_at(values, 0));
    ps_json_key_real(json, "median_ns", ps_metric_percentile(values, 50));
    ps_json_key(json, "percentiles");
    ps_json_array(json);
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
        write_percentile(db, json, values, percentiles[i], err);
    ps_json_end(json);
    write_histogram(json, values);
    ps_json_end(json);
}

static void write_metrics(struct ps_db *db, struct ps_json *json, const struct ps_requests *r,
                          uint32_t result, struct ps_err *err)
{
    ps_json_key(json, "metrics");
    ps_json_array(json);
    for (int metric = 0; metric < PS_N_REQUEST_METRICS; metric++) {
        PS_AUTO(ps_metric_free)
        struct ps_metric_values values = ps_metric_read(r, (enum ps_request_metric)metric, result);

        write_metric(db, json, &values, err);
    }
    ps_json_end(json);
}

/* --- Late requests --- */

struct cause {
    int64_t ns; /* first member, the sort key: negative */
    int64_t n, n_main, most_ns;
    int64_t worst;
    enum ps_request_cause cause;
};

static void write_causes(struct ps_json *json, const struct ps_requests *r, uint32_t result,
                         int64_t late_ns)
{
    struct cause causes[PS_N_REQUEST_CAUSES] = {{.ns = 0}};
    int64_t late = 0;

    for (size_t i = 0; i < r->n && late_ns != PS_COUNT_UNKNOWN; i++) {
        const struct ps_request_row *row = &r->requests[i];

        if (!ps_request_is_of(row, result) || row->ttft_ns <= late_ns)
            continue;
        late++;
        for (int c = 0; c < PS_N_REQUEST_CAUSES; c++) {
            causes[c].n += row->parts_ns[c] > 0;
            causes[c].ns = ps_subtract_saturated(causes[c].ns, row->parts_ns[c]);
            causes[c].n_main += row->has_parts && row->cause == (enum ps_request_cause)c;
            if (row->parts_ns[c] > causes[c].most_ns) {
                causes[c].most_ns = row->parts_ns[c];
                causes[c].worst = row->id;
            }
        }
    }
    for (int c = 0; c < PS_N_REQUEST_CAUSES; c++)
        causes[c].cause = (enum ps_request_cause)c;
    ps_sort_records(causes, PS_N_REQUEST_CAUSES, sizeof *causes);
    ps_json_count(json, "late_ns", late_ns);
    ps_json_key_int(json, "late", late);
    ps_json_key(json, "causes");
    ps_json_array(json);
    for (int c = 0; c < PS_N_REQUEST_CAUSES && causes[c].ns < 0; c++) {
        ps_json_object(json);
        ps_json_key_str(json, "cause", ps_request_cause_word(causes[c].cause));
        ps_json_key_int(json, "ns", -causes[c].ns);
        ps_json_key_int(json, "requests", causes[c].n);
        ps_json_key_int(json, "main", causes[c].n_main);
        ps_json_key_int(json, "worst", causes[c].worst);
        ps_json_end(json);
    }
    ps_json_end(json);
}

/* --- Files and results --- */

/* The word of a number, of which a damaged run may have any: then the last. */
static const char *word_of(const char *const *words, int64_t last, int64_t i)
{
    return words[i >= 0 && i <= last ? i : last];
}

static void write_files(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    static const char *const roles[] = {[PS_SERVING_CLIENT] = "client",
                                        [PS_SERVING_ENGINE] = "engine",
                                        [PS_SERVING_TRACE] = "trace"};
    static const char *const methods[] = {
        [PS_CLOCK_SAME] = "same",   [PS_CLOCK_IDS] = "ids",         [PS_CLOCK_LENGTHS] = "lengths",
        [PS_CLOCK_NAMES] = "names", [PS_CLOCK_UNKNOWN] = "unknown", [PS_CLOCK_NONE] = "none"};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_json_key(json, "files");
    ps_json_array(json);
    ps_db_prepare(db, ps_query_sql("serving_files"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        ps_json_object(json);
        ps_json_key_int(json, "id", ps_col_int(stmt, 0));
        ps_json_key(json, "name");
        ps_json_str(json, ps_col_text(stmt, 1));
        ps_json_key_str(json, "role", word_of(roles, PS_SERVING_TRACE, ps_col_int(stmt, 2)));
        ps_json_key(json, "tool");
        ps_json_str(json, ps_col_text(stmt, 3));
        ps_json_key_str(json, "method", word_of(methods, PS_CLOCK_NONE, ps_col_int(stmt, 4)));
        ps_json_key_int_or_null(json, "offset_ns", ps_col_int(stmt, 5), !ps_col_is_null(stmt, 5));
        ps_json_key_int_or_null(json, "error_ns", ps_col_int(stmt, 6), !ps_col_is_null(stmt, 6));
        ps_json_key_int(json, "pairs", ps_col_int(stmt, 7));
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_result_metrics(struct ps_db *db, struct ps_json *json, int64_t first,
                                 int64_t last, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("serving_metrics"), &stmt, err);
    ps_bind_int(stmt, ":first", first);
    ps_bind_int(stmt, ":last", last);
    ps_json_key(json, "metrics");
    ps_json_array(json);
    while (ps_stmt_step(stmt, err)) {
        ps_json_object(json);
        ps_json_key_int(json, "id", ps_col_int(stmt, 0));
        ps_json_key(json, "metric");
        ps_json_str(json, ps_col_text(stmt, 1));
        ps_json_key(json, "value");
        ps_json_num(json, ps_col_num(stmt, 2));
        ps_json_key(json, "unit");
        ps_json_str(json, ps_col_text(stmt, 3));
        ps_json_key(json, "statistic");
        ps_json_str(json, ps_col_text(stmt, 4));
        ps_json_key(json, "better");
        ps_json_num(json, ps_col_num(stmt, 5));
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_results(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_json_key(json, "results");
    ps_json_array(json);
    ps_db_prepare(db, ps_query_sql("serving_results"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        ps_json_object(json);
        ps_json_key_int(json, "id", ps_col_int(stmt, 0));
        ps_json_key(json, "name");
        ps_json_str(json, ps_col_text(stmt, 1));
        ps_json_key(json, "parameters");
        ps_col_write_raw_json(stmt, 2, "{}", json);
        ps_json_key_int(json, "requests", ps_col_int(stmt, 5));
        write_result_metrics(db, json, ps_col_int(stmt, 3), ps_col_int(stmt, 4), err);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_counts(struct ps_json *json, const struct ps_requests *r, uint32_t result)
{
    int64_t n = 0, of_state[PS_REQUEST_UNFINISHED + 1] = {0};

    for (size_t i = 0; i < r->n; i++)
        if (ps_request_is_of(&r->requests[i], result)) {
            n++;
            of_state[r->requests[i].state]++;
        }
    ps_json_key_int(json, "requests", n);
    for (int state = 0; state <= PS_REQUEST_UNFINISHED; state++)
        ps_json_key_int(json, ps_request_state_words[state], of_state[state]);
    ps_json_key_int(json, "engine_steps", (int64_t)r->n_steps);
    ps_json_count(json, "slots", r->slots);
    ps_json_key_str(json, "slots_source",
                    r->slots == PS_COUNT_UNKNOWN ? NULL
                    : r->slots_are_stated        ? "engine"
                                                 : "running");
}

enum ps_status ps_view_requests_summary(struct ps_db *db, const struct ps_view *view, int64_t id,
                                        struct ps_params params, struct ps_answer *answer,
                                        struct ps_err *err)
{
    PS_AUTO(ps_requests_release) const struct ps_requests *r = NULL;
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t result;

    (void)view, (void)id;
    if (ps_param_int(params, "result", 0, UINT32_MAX, 0, &result, err) != PS_OK ||
        ps_requests_acquire(db, &r, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    write_counts(&json, r, (uint32_t)result);
    write_causes(&json, r, (uint32_t)result, ps_requests_late_limit(r, (uint32_t)result));
    write_metrics(db, &json, r, (uint32_t)result, err);
    write_files(db, &json, err);
    write_results(db, &json, err);
    ps_json_end(&json);
    return err->code;
}
