/* SPDX-License-Identifier: MIT */
/*
 * guidellm.c: reads reports of guidellm (benchmarks.json): the benchmarks of a sweep with their
 * requests. Each benchmark is a load.
 *
 * Statistics are those of successful requests. Deviations are those of the population; a percentile
 * is the value of a request, not interpolated. The inter-token latency of a request is a mean, and
 * its statistics are weighted by tokens. Times are since 1970. There are no times of single chunks.
 * Tested with reports of 0.5 to 0.8.1; recorded with 0.8.1.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/serving/client.h"
#include "importers/serving/readers.h"

struct values {
    double *items;
    size_t n, cap;
};

/* Metrics of requests that become samples. */
enum sample_id { TTFT, TPOT, LATENCY, N_SAMPLES };

static const char *const sample_keys[N_SAMPLES] = {"time_to_first_token_ms",
                                                   "inter_token_latency_ms", "request_latency"};

struct reader {
    struct sv_client client;
    struct {
        struct ps_str model, prompt_tokens, output_tokens;
    } common;                    /* of all benchmarks */
    struct sv_client_load *load; /* NULL: outside of the benchmarks */
    struct ps_str strategy;
    int64_t position;
    struct values samples[N_SAMPLES];
    /* of the current request */
    bool is_in_request;
    struct ps_serving_request row;
    struct ps_str request_id, response_id, error;
    int64_t resolve_end_ns, fallback_start_ns;
    double values[N_SAMPLES]; /* NAN: unknown */
};

static const char benchmarks[] = "benchmarks.";

static bool begins(struct ps_str *path, const char *prefix)
{
    if (!ps_str_starts_with(*path, ps_str_from_c(prefix)))
        return false;
    *path = ps_str_skip(*path, strlen(prefix));
    return true;
}

/* --- Metrics --- */

/* "p01" is the first percentile, "p001" 0.1, "p999" 99.9. */
static struct ps_str percentile_name(struct sv_run *run, struct ps_str name)
{
    int64_t digits = sv_count(ps_str_skip(name, 1));

    if (name.len < 2 || name.ptr[0] != 'p' || digits < 0)
        return name;
    return ps_str_from_c(ps_arena_printf(&run->metrics.arena, "p%.10g",
                                         name.len == 4 ? (double)digits / 10 : (double)digits));
}

static const char *unit_of(struct ps_str metric)
{
    static const char *const seconds[] = {"_delay", "_latency"};

    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        if (ps_str_ends_with(metric, ps_str_from_c(seconds[i])))
            return "s";
    return ps_str_ends_with(metric, PS_STR("_token_count")) ? "tokens" : NULL;
}

static void read_totals(struct reader *r, struct ps_str status, struct ps_str text)
{
    static const char *const names[][2] = {
        {"successful", "completed"}, {"errored", "failed"}, {"incomplete", "incomplete_requests"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ps_str_eq_c(status, names[i][0])) {
            struct sv_measure *measure =
                sv_measure(&r->client, r->load, ps_str_from_c(names[i][1]), NULL);

            measure->values.mean = sv_number(text, 0);
            if (i == 0)
                r->load->completed = sv_count(text);
        }
}

/* `path`: "time_to_first_token_ms.successful.percentiles.p99". */
static void read_metric(struct reader *r, struct ps_str path, struct ps_str text)
{
    const char *point = memchr(path.ptr, '.', path.len);
    struct ps_str metric = path, rest;
    struct sv_measure *measure;

    if (!point) { /* slo_attainment and its count */
        measure = sv_measure(&r->client, r->load, path, NULL);
        if (measure)
            measure->values.mean = sv_number(text, 0);
        return;
    }
    metric.len = (size_t)(point - path.ptr);
    rest = ps_str_skip(path, metric.len + 1);
    if (ps_str_eq_c(metric, "request_totals")) {
        read_totals(r, rest, text);
        return;
    }
    if (!begins(&rest, "successful."))
        return;
    (void)begins(&rest, "percentiles.");
    measure = sv_measure(&r->client, r->load, metric, unit_of(metric));
    if (!measure)
        return;
    if (ps_str_eq_c(metric, "inter_token_latency_ms"))
        measure->definition = SV_WEIGHTED_TPOT;
    (void)sv_measure_set(measure, percentile_name(r->client.run, rest), text);
}

/* Metrics that no request has are zeros, times also of as many values as there are requests. */
static void drop_empty_measures(struct sv_client_load *load)
{
    size_t n = 0;

    for (size_t i = 0; i < load->n_measures; i++) {
        const struct sv_values *values = &load->measures[i].values;

        bool is_empty = strcmp(load->measures[i].unit, "s") == 0
                            ? ps_num_to_real(values->max) == 0 && values->max.kind != PS_NUM_NONE
                            : ps_num_to_real(values->n) == 0 && values->n.kind != PS_NUM_NONE;

        if (!is_empty)
            load->measures[n++] = load->measures[i];
    }
    load->n_measures = n;
}

/*
 * Whether the statistics count a request once for each token, or a value for as long as it held.
 * Their number of values is then no number of samples that vary alone: one long answer would be
 * hundreds of them.
 */
static bool is_weighted(struct ps_str metric)
{
    static const char *const ends[] = {"inter_token_latency_ms", "time_per_output_token_ms",
                                       "_per_iteration", "_per_second", "_concurrency"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ps_str_ends_with(metric, ps_str_from_c(ends[i])))
            return true;
    return false;
}

static void drop_weighted_counts(struct sv_client_load *load)
{
    for (size_t i = 0; i < load->n_measures; i++)
        if (load->measures[i].n_samples == 0 && is_weighted(load->measures[i].key))
            load->measures[i].values.n = (struct ps_num){0};
}

/* --- Requests --- */

static void begin_request(struct reader *r, struct ps_str status)
{
    r->is_in_request = true;
    r->row = (struct ps_serving_request){
        .start_ns = PS_TIME_UNKNOWN,
        .end_ns = PS_TIME_UNKNOWN,
        .prompt_tokens = PS_COUNT_UNKNOWN,
        .output_tokens = PS_COUNT_UNKNOWN,
        .cached_tokens = PS_COUNT_UNKNOWN,
        .ttft_ns = PS_COUNT_UNKNOWN,
        .latency_ns = PS_COUNT_UNKNOWN,
        .state = ps_str_eq_c(status, "successful") ? PS_REQUEST_COMPLETED
                 : ps_str_eq_c(status, "errored")  ? PS_REQUEST_FAILED
                                                   : PS_REQUEST_CANCELLED};
    r->request_id = r->response_id = r->error = PS_STR("");
    r->resolve_end_ns = r->fallback_start_ns = PS_TIME_UNKNOWN;
    for (size_t i = 0; i < N_SAMPLES; i++)
        r->values[i] = (double)NAN;
}

static void keep_samples(struct reader *r)
{
    for (size_t i = 0; i < N_SAMPLES; i++)
        if (isfinite(r->values[i])) {
            PS_RESERVE_ONE(r->samples[i].items, r->samples[i].n, r->samples[i].cap);
            r->samples[i].items[r->samples[i].n++] = r->values[i];
        }
}

static void end_request(struct reader *r)
{
    struct ps_serving_request *row = sv_add_request(r->client.run);

    r->is_in_request = false;
    r->client.run->ledger.read++;
    row->position = r->position++;
    row->name = r->response_id.len ? r->response_id : r->request_id;
    row->state = r->row.state;
    row->error = r->error;
    row->start_ns = r->row.start_ns != PS_TIME_UNKNOWN ? r->row.start_ns : r->fallback_start_ns;
    row->end_ns = r->row.end_ns != PS_TIME_UNKNOWN ? r->row.end_ns : r->resolve_end_ns;
    row->prompt_tokens = r->row.prompt_tokens;
    row->output_tokens = r->row.output_tokens;
    row->cached_tokens = r->row.cached_tokens;
    if (row->state != PS_REQUEST_COMPLETED)
        return;
    row->ttft_ns = r->row.ttft_ns;
    row->latency_ns = r->row.latency_ns;
    row->tpot_ns = r->values[TPOT] * 1e9;
    keep_samples(r);
}

static int64_t duration_of(struct ps_str text, int shift)
{
    int64_t ns = sv_integer(text, shift);

    return ns < 0 ? PS_COUNT_UNKNOWN : ns;
}

static void read_request_text(struct reader *r, struct ps_str path, struct ps_str text)
{
    if (ps_str_eq_c(path, "request_id"))
        r->request_id = sv_text(r->client.run, text);
    else if (ps_str_eq_c(path, "response_id"))
        r->response_id = sv_text(r->client.run, text);
    else if (ps_str_eq_c(path, "info.error") || ps_str_eq_c(path, "error"))
        r->error = sv_error_text(r->client.run, text);
}

static void read_request(struct reader *r, struct ps_str path, struct ps_str text)
{
    const struct {
        const char *path;
        int64_t *value;
    } times[] = {{"info.timings.request_start", &r->row.start_ns},
                 {"start_time", &r->row.start_ns},
                 {"info.timings.request_end", &r->row.end_ns},
                 {"end_time", &r->row.end_ns},
                 {"info.timings.resolve_start", &r->fallback_start_ns},
                 {"info.timings.resolve_end", &r->resolve_end_ns}};

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (ps_str_eq_c(path, times[i].path))
            *times[i].value = sv_integer(text, 9);
    for (size_t i = 0; i < N_SAMPLES; i++)
        if (ps_str_eq_c(path, sample_keys[i]))
            r->values[i] = ps_num_to_real(sv_number(text, i == LATENCY ? 0 : -3));
    if (ps_str_eq_c(path, sample_keys[TTFT]))
        r->row.ttft_ns = duration_of(text, 6);
    else if (ps_str_eq_c(path, sample_keys[LATENCY]))
        r->row.latency_ns = duration_of(text, 9);
    else if (ps_str_eq_c(path, "prompt_tokens"))
        r->row.prompt_tokens = sv_count(text);
    else if (ps_str_eq_c(path, "output_tokens"))
        r->row.output_tokens = sv_count(text);
    else if (ps_str_eq_c(path, "input_metrics.cached_tokens"))
        r->row.cached_tokens = sv_count(text);
}

/* --- Benchmarks --- */

static void begin_benchmark(struct reader *r)
{
    r->load = sv_client_add_load(&r->client);
    r->strategy = PS_STR("");
    r->position = 0;
    r->client.run->ledger.read++;
}

static void add_common(struct reader *r, const char *key, enum ps_json_token token,
                       struct ps_str text)
{
    if (text.len)
        sv_load_add_parameter(&r->client, r->load, key, token, text);
}

static void end_benchmark(struct reader *r)
{
    add_common(r, "model", PS_JSON_STRING, r->common.model);
    add_common(r, "input_length", PS_JSON_NUMBER, r->common.prompt_tokens);
    add_common(r, "output_length", PS_JSON_NUMBER, r->common.output_tokens);
    for (size_t i = 0; i < N_SAMPLES; i++) {
        struct sv_measure *measure = NULL;

        for (size_t k = 0; k < r->load->n_measures; k++)
            if (ps_str_eq_c(r->load->measures[k].key, sample_keys[i]) &&
                ps_num_to_real(r->load->measures[k].values.n) == (double)r->samples[i].n)
                measure = &r->load->measures[k];
        sv_measure_take_samples(r->load, measure, r->samples[i].items, r->samples[i].n);
        r->samples[i] = (struct values){0};
    }
    drop_empty_measures(r->load);
    drop_weighted_counts(r->load);
    r->load = NULL;
}

static void read_strategy(struct reader *r, struct ps_str key, enum ps_json_token token,
                          struct ps_str text)
{
    if (ps_str_eq_c(key, "type_")) {
        r->strategy = sv_text(r->client.run, text);
        sv_load_add_parameter(&r->client, r->load, "strategy", token, text);
    } else if (ps_str_eq_c(key, "rate")) {
        sv_load_add_parameter(&r->client, r->load, "request_rate", token, text);
    } else if (ps_str_eq_c(key, "max_concurrency") && (ps_str_eq_c(r->strategy, "concurrent") ||
                                                       ps_str_eq_c(r->strategy, "synchronous"))) {
        sv_load_add_parameter(&r->client, r->load, "concurrency", token, text);
    }
}

static void read_common(struct reader *r, struct ps_str path, enum ps_json_token token,
                        struct ps_str text)
{
    struct sv_run *run = r->client.run;

    if (token == PS_JSON_NULL)
        return;
    if (ps_str_eq_c(path, "metadata.guidellm_version"))
        ps_sink_meta(run->out, "tool_version", text);
    else if (ps_str_eq_c(path, "metadata.python_version"))
        ps_sink_meta(run->out, "python", text);
    else if (ps_str_eq_c(path, "metadata.platform"))
        ps_sink_meta(run->out, "system", text);
    else if (ps_str_eq_c(path, "args.model") || ps_str_eq_c(path, "config.spec.backend.model"))
        r->common.model = sv_text(run, text);
    else if (ps_str_eq_c(path, "config.spec.data.prompt_tokens"))
        r->common.prompt_tokens = sv_text(run, text);
    else if (ps_str_eq_c(path, "config.spec.data.output_tokens"))
        r->common.output_tokens = sv_text(run, text);
}

/* Whether what is in an object or array of a benchmark is read. */
static bool is_read(struct ps_str path)
{
    static const char *const skipped[] = {"scheduler_metrics", "scheduler_state", "metrics.text",
                                          "metrics.image",     "metrics.video",   "metrics.audio",
                                          "metrics.tool_call", "metrics.turns",   "warnings"};

    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (ps_str_eq_c(path, skipped[i]))
            return false;
    return !begins(&path, "config.") || ps_str_eq_c(path, "strategy");
}

static bool visit_container(struct reader *r, struct ps_str path, enum ps_json_token token)
{
    struct ps_str inner = path, status;
    bool is_start = token == PS_JSON_OBJECT;

    if (ps_str_eq_c(path, "benchmarks")) {
        if (is_start)
            begin_benchmark(r);
        else if (token == PS_JSON_OBJECT_END)
            end_benchmark(r);
        return true;
    }
    if (!r->load || !begins(&inner, benchmarks))
        return true;
    status = inner;
    if (begins(&status, "requests.") && !memchr(status.ptr, '.', status.len)) {
        if (is_start)
            begin_request(r, status);
        else if (token == PS_JSON_OBJECT_END && r->is_in_request)
            end_request(r);
        return true;
    }
    return is_read(inner);
}

static bool visit(void *data, struct ps_str path, enum ps_json_token token, struct ps_str text)
{
    struct reader *r = data;
    struct ps_str inner = path;

    if (token == PS_JSON_OBJECT || token == PS_JSON_ARRAY || token == PS_JSON_OBJECT_END ||
        token == PS_JSON_ARRAY_END)
        return visit_container(r, path, token);
    if (!r->load || !begins(&inner, benchmarks)) {
        read_common(r, path, token, text);
        return true;
    }
    if (r->is_in_request && begins(&inner, "requests.")) {
        const char *point = memchr(inner.ptr, '.', inner.len);

        inner = point ? ps_str_skip(inner, (size_t)(point + 1 - inner.ptr)) : inner;
        if (token == PS_JSON_NUMBER)
            read_request(r, inner, text);
        else if (token == PS_JSON_STRING)
            read_request_text(r, inner, text);
    } else if (begins(&inner, "config.strategy.")) {
        read_strategy(r, inner, token, text);
    } else if (token == PS_JSON_NUMBER && begins(&inner, "metrics.")) {
        read_metric(r, inner, text);
    } else if (token == PS_JSON_NUMBER && ps_str_eq_c(inner, "duration")) {
        sv_measure(&r->client, r->load, inner, NULL)->values.mean = sv_number(text, 0);
    }
    return true;
}

enum ps_status sv_read_guidellm(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                                struct ps_err *err)
{
    struct reader r = {0};
    size_t n_before = run->n_requests;

    sv_client_begin(&r.client, run, name, "guidellm");
    sv_client_set_clock(&r.client, SV_CLOCK_UNIX);
    r.client.percentiles = SV_PERCENTILES_OF_VALUES;
    ps_sink_meta(run->out, "tool", PS_STR("guidellm"));
    (void)sv_walk(run, in, visit, &r, err);
    if (err->code == PS_OK && r.client.n_loads == 0)
        (void)ps_fail(err, PS_BAD_INPUT, "the report of guidellm has no benchmarks");
    if (err->code == PS_OK && run->n_requests == n_before)
        ps_sink_note(run->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "the file has results and no requests");
    for (size_t i = 0; i < N_SAMPLES; i++)
        free(r.samples[i].items);
    sv_client_end(&r.client);
    return err->code;
}

static enum ps_match sniff(struct ps_str head)
{
    const struct ps_str text = ps_str_trim(head);

    if (!text.len || text.ptr[0] != '{' || !ps_str_find(head, PS_STR("\"benchmarks\"")))
        return PS_MATCH_NO;
    return ps_str_find(head, PS_STR("\"guidellm_version\"")) ||
                   ps_str_find(head, PS_STR("\"generative_benchmark\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_guidellm, in, out, err);
}

const struct ps_importer ps_guidellm = {
    .kind = "serving",
    .label = "Report of guidellm",
    .description = "reports of guidellm (benchmarks.json), with their requests",
    .record_command = "guidellm run --backend kind=openai_http,target=URL --output kind=json",
    .sniff = sniff,
    .load = load,
};
