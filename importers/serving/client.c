/* SPDX-License-Identifier: MIT */
/* client.c: the names of metrics, and the rows of the results of clients. */
#include "importers/serving/client.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"

enum {
    PARAMETERS_MAX = 200, /* of a load */
    MEASURES_MAX = 400,   /* of a load */
    ERROR_BYTES = 500,
};

/* --- Metrics --- */

#define EACH_GAP "time between two chunks of tokens, over all chunks of all requests"
#define A_REQUEST                                                                                  \
    "mean of each request: time after the first token, divided by the number of tokens after it"

struct metric {
    const char *key; /* of all tools, or "TOOL KEY"; without a unit at its end */
    const char *name, *unit;
    enum ps_better better;
    const char *definition;
};

#define LOWER   PS_BETTER_LOWER
#define HIGHER  PS_BETTER_HIGHER
#define NEITHER PS_BETTER_NEITHER

/* What each tool calls a metric. Units: of numbers that state none. */
static const struct metric metrics[] = {
    {"ttft", "time to first token", "s", LOWER, NULL},
    {"time_to_first_token", "time to first token", "s", LOWER, NULL},
    {"tpot", "time per output token", "s", LOWER, A_REQUEST},
    {"itl", "inter-token latency", "s", LOWER, EACH_GAP},
    {"inter_chunk_latency", "inter-token latency", "s", LOWER, EACH_GAP},
    {"inter_token_latency", "time per output token", "s", LOWER, A_REQUEST},
    {"time_per_output_token", "time per output token, with the first", "s", LOWER,
     "mean of each request: time to its last token, divided by the number of its tokens"},
    {"e2el", "end-to-end latency", "s", LOWER, NULL},
    {"e2e_latency", "end-to-end latency", "s", LOWER, NULL},
    {"request_latency", "end-to-end latency", "s", LOWER, NULL},
    {"latency", "latency", "s", LOWER, NULL},
    {"client_queue_time", "client queue time", "s", LOWER, NULL},
    {"e2el_including_client_queue", "end-to-end latency, with the client queue", "s", LOWER, NULL},
    {"request_throughput", "request throughput", "requests/s", HIGHER, NULL},
    {"requests_per_second", "request throughput", "requests/s", HIGHER, NULL},
    {"request_goodput", "goodput", "requests/s", HIGHER, NULL},
    {"goodput", "goodput", "requests/s", HIGHER, NULL},
    {"output_throughput", "output token throughput", "tokens/s", HIGHER, NULL},
    {"output_token_throughput", "output token throughput", "tokens/s", HIGHER, NULL},
    {"output_tokens_per_second", "output token throughput", "tokens/s", HIGHER, NULL},
    {"input_throughput", "input token throughput", "tokens/s", HIGHER, NULL},
    {"input_token_throughput", "input token throughput", "tokens/s", HIGHER, NULL},
    {"prompt_tokens_per_second", "input token throughput", "tokens/s", HIGHER, NULL},
    {"total_throughput", "total token throughput", "tokens/s", HIGHER, NULL},
    {"total_token_throughput", "total token throughput", "tokens/s", HIGHER, NULL},
    {"tokens_per_second", "total token throughput", "tokens/s", HIGHER, NULL},
    {"max_output_tokens_per_s", "peak output token throughput", "tokens/s", HIGHER,
     "most tokens in a whole second from the first start on"},
    {"max_concurrent_requests", "peak concurrent requests", "requests", NEITHER,
     "most requests in a whole second from the first start on: more than ran at the same time"},
    {"concurrency", "mean concurrency", "requests", NEITHER,
     "sum of the latencies, divided by the duration"},
    {"request_concurrency", "mean concurrency", "requests", NEITHER, NULL},
    {"effective_concurrency", "mean concurrency", "requests", NEITHER, NULL},
    {"duration", "duration", "s", NEITHER, NULL},
    {"elapsed_time", "duration", "s", NEITHER, NULL},
    {"benchmark_duration", "duration", "s", NEITHER, NULL},
    {"completed", "completed requests", "requests", NEITHER, NULL},
    {"request_count", "completed requests", "requests", NEITHER, NULL},
    {"num_requests", "completed requests", "requests", NEITHER, NULL},
    {"failed", "failed requests", "requests", LOWER, NULL},
    {"error_request_count", "failed requests", "requests", LOWER, NULL},
    {"total_input_tokens", "input tokens", "tokens", NEITHER, NULL},
    {"total_input_text_tokens", "input tokens, text", "tokens", NEITHER, NULL},
    {"total_input_vision_tokens", "input tokens, vision", "tokens", NEITHER, NULL},
    {"total_isl", "input tokens", "tokens", NEITHER, NULL},
    {"AIPerf total_output_tokens", "output tokens without reasoning", "tokens", NEITHER, NULL},
    {"total_output_tokens", "output tokens", "tokens", NEITHER, NULL},
    {"total_output_sequence_length", "output tokens", "tokens", NEITHER, NULL},
    {"total_input_sequence_length", "input tokens", "tokens", NEITHER, NULL},
    {"total_output_tokens_retokenized", "output tokens, retokenized", "tokens", NEITHER, NULL},
    {"total_osl", "output tokens", "tokens", NEITHER, NULL},
    {"total_num_tokens", "tokens", "tokens", NEITHER, NULL},
    {"input_sequence_length", "input length", "tokens", NEITHER, NULL},
    {"prompt_token_count", "input length", "tokens", NEITHER, NULL},
    {"output_sequence_length", "output length", "tokens", NEITHER, NULL},
    {"spec_decode_acceptance_rate", "draft acceptance rate", "%", HIGHER, NULL},
    {"spec_decode_acceptance_length", "acceptance length", "tokens", HIGHER, NULL},
    {"accept_length", "acceptance length", "tokens", HIGHER, NULL},
    {"request_error_rate", "error rate", "%", LOWER, NULL},
};

/* Units that tools write, the unit of the row, and the exponent that leads to it. */
static const struct {
    const char *written, *unit;
    int shift;
    enum ps_better better; /* of a metric that the table does not know */
} units[] = {
    {"ms", "s", -3, LOWER},
    {"us", "s", -6, LOWER},
    {"ns", "s", -9, LOWER},
    {"sec", "s", 0, LOWER},
    {"seconds", "s", 0, LOWER},
    {"s", "s", 0, LOWER},
    {"requests/sec", "requests/s", 0, HIGHER},
    {"tokens/sec", "tokens/s", 0, HIGHER},
    {"tokens/sec/user", "tokens/s/user", 0, HIGHER},
    {"count", "", 0, NEITHER},
    {"ratio", "", 0, NEITHER},
};

/* The key without the unit at its end: "ttft" of "ttft_ms". */
static struct ps_str split_unit(struct ps_str key, const char **unit)
{
    static const char *const suffixes[] = {"_ms"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ps_str_ends_with(key, ps_str_from_c(suffixes[i]))) {
            *unit = suffixes[i] + 1;
            return (struct ps_str){key.ptr, key.len - strlen(suffixes[i])};
        }
    return key;
}

static const struct metric *find_key(struct ps_str key)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (ps_str_eq_c(key, metrics[i].key))
            return &metrics[i];
    return NULL;
}

static const struct metric *find_metric(struct ps_str key, const char *tool)
{
    PS_AUTO(ps_buf_free) struct ps_buf own = {0};
    const struct metric *metric;

    ps_buf_printf(&own, "%s ", tool);
    ps_buf_add_str(&own, key);
    metric = find_key(ps_buf_slice(&own));
    return metric ? metric : find_key(key);
}

static struct ps_str words_of(struct sv_run *run, struct ps_str key)
{
    char *words =
        ps_arena_printf(&run->metrics.arena, "%.*s", (int)(key.len < 200 ? key.len : 200), key.ptr);

    for (char *c = words; *c; c++)
        if (*c == '_')
            *c = ' ';
    return sv_text(run, ps_str_from_c(words));
}

static void set_unit(struct sv_run *run, struct sv_measure *measure, const char *written)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(written, units[i].written) == 0) {
            measure->unit = units[i].unit;
            measure->shift = units[i].shift;
            measure->better = units[i].better;
            return;
        }
    measure->unit = sv_text(run, ps_str_from_c(written)).ptr;
    measure->better = PS_BETTER_NEITHER;
}

struct sv_measure *sv_measure(struct sv_client *client, struct sv_client_load *load,
                              struct ps_str key, const char *unit)
{
    const char *written = unit;
    struct ps_str base = split_unit(key, &written);
    const struct metric *metric = find_metric(base, client->tool);
    struct sv_measure *measure;

    for (size_t i = 0; i < load->n_measures; i++)
        if (ps_str_eq(load->measures[i].key, key))
            return &load->measures[i];
    if (load->n_measures == MEASURES_MAX)
        return NULL;
    PS_RESERVE_ONE(load->measures, load->n_measures, load->cap_measures);
    measure = &load->measures[load->n_measures++];
    *measure = (struct sv_measure){
        .key = sv_text(client->run, key),
        .name = metric ? ps_str_from_c(metric->name) : words_of(client->run, base),
        .unit = "",
        .better = PS_BETTER_NEITHER,
        .rank = metric ? (size_t)(metric - metrics) : sizeof metrics + load->n_measures};
    if (written)
        set_unit(client->run, measure, written);
    else if (metric)
        measure->unit = metric->unit;
    if (metric) {
        measure->better = metric->better;
        measure->definition = metric->definition;
    }
    return measure;
}

static bool set_percentile(struct sv_measure *measure, double p, struct ps_num value)
{
    struct sv_values *values = &measure->values;

    if (!(p > 0 && p < 100))
        return false;
    if (value.kind == PS_NUM_NONE)
        return true;
    if (p == 50 && values->median.kind == PS_NUM_NONE)
        values->median = value;
    if (p == 25)
        values->q1 = value;
    if (p == 75)
        values->q3 = value;
    if (p == 25 || p == 50 || p == 75 || values->n_percentiles == SV_PERCENTILES_MAX)
        return true;
    values->percentiles[values->n_percentiles].p = p;
    values->percentiles[values->n_percentiles++].value = value;
    return true;
}

bool sv_measure_set(struct sv_measure *measure, struct ps_str statistic, struct ps_str text)
{
    struct sv_values *values = &measure->values;
    const struct {
        const char *name;
        struct ps_num *value;
    } names[] = {{"mean", &values->mean},      {"avg", &values->mean},
                 {"median", &values->median},  {"std", &values->stddev},
                 {"std_dev", &values->stddev}, {"min", &values->min},
                 {"max", &values->max}};
    const struct ps_num value = sv_number(text, measure->shift);
    struct ps_str digits = ps_str_skip(statistic, 1);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ps_str_eq_c(statistic, names[i].name)) {
            *names[i].value = value;
            return true;
        }
    if (ps_str_eq_c(statistic, "count")) {
        values->n = sv_number(text, 0);
        return true;
    }
    if (statistic.len < 2 || (statistic.ptr[0] != 'p' && statistic.ptr[0] != 'P'))
        return false;
    return set_percentile(measure, ps_num_to_real(sv_number(digits, 0)), value);
}

void sv_measure_take_samples(struct sv_client_load *load, struct sv_measure *measure,
                             double *samples, size_t n)
{
    size_t n_known = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(samples[i]))
            samples[n_known++] = samples[i];
    n = n_known;
    if (!measure || load->n_samples == sizeof load->samples / sizeof *load->samples || n == 0) {
        free(samples);
        return;
    }
    load->samples[load->n_samples++] = samples;
    measure->samples = samples;
    measure->n_samples = n;
}

/* --- Loads --- */

static void free_load(struct sv_client_load *load)
{
    for (size_t i = 0; i < load->n_samples; i++)
        free(load->samples[i]);
    free(load->parameters);
    free(load->measures);
}

void sv_client_begin(struct sv_client *client, struct sv_run *run, struct ps_str name,
                     const char *tool)
{
    *client =
        (struct sv_client){.run = run,
                           .tool = tool,
                           .file = sv_begin_file(run, name, PS_SERVING_CLIENT, tool, SV_CLOCK_NONE),
                           .percentiles = "interpolated linearly between values",
                           .benchmark = PS_STR("serving")};
}

struct sv_client_load *sv_client_add_load_of(struct sv_client *client, uint32_t result)
{
    PS_RESERVE_ONE(client->loads, client->n_loads, client->cap_loads);
    client->loads[client->n_loads] = (struct sv_client_load){
        .result = result, .completed = PS_COUNT_UNKNOWN, .failed = PS_COUNT_UNKNOWN};
    return &client->loads[client->n_loads++];
}

struct sv_client_load *sv_client_add_load(struct sv_client *client)
{
    sv_begin_result(client->run, PS_STR(""));
    return sv_client_add_load_of(client, (uint32_t)client->run->n_results);
}

void sv_client_drop_load(struct sv_client *client)
{
    client->run->n_results--;
    free_load(&client->loads[--client->n_loads]);
}

void sv_client_set_clock(struct sv_client *client, enum sv_clock clock)
{
    struct sv_file *file = &client->run->files[client->file];

    file->clock = clock;
    file->row.method = PS_CLOCK_SAME;
    file->row.offset_ns = 0;
}

void sv_load_add_parameter(struct sv_client *client, struct sv_client_load *load, const char *key,
                           enum ps_json_token token, struct ps_str text)
{
    struct sv_parameter parameter = {.key = sv_text(client->run, ps_str_from_c(key))};

    if (token == PS_JSON_NULL || load->n_parameters == PARAMETERS_MAX)
        return;
    for (size_t i = 0; i < load->n_parameters; i++)
        if (ps_str_eq(load->parameters[i].key, parameter.key))
            return;
    if (token == PS_JSON_NUMBER)
        parameter.number = sv_number(text, 0);
    if (parameter.number.kind == PS_NUM_NONE) /* a string, a word, or Infinity */
        parameter.text = ps_str_eq_c(text, "Infinity") ? PS_STR("inf") : sv_text(client->run, text);
    PS_RESERVE_ONE(load->parameters, load->n_parameters, load->cap_parameters);
    load->parameters[load->n_parameters++] = parameter;
}

static const struct sv_parameter *find_parameter(const struct sv_client_load *load,
                                                 struct ps_str key)
{
    for (size_t i = 0; i < load->n_parameters; i++)
        if (ps_str_eq(load->parameters[i].key, key))
            return &load->parameters[i];
    return NULL;
}

static bool are_equal(const struct sv_parameter *a, const struct sv_parameter *b)
{
    if (!a || !b)
        return a == b;
    return a->number.kind == b->number.kind &&
           ps_num_to_real(a->number) == ps_num_to_real(b->number) && ps_str_eq(a->text, b->text);
}

/* Whether the parameter tells rows apart: it limits the load, or differs in the file. */
static bool names_row(const struct sv_client *client, const struct sv_parameter *parameter)
{
    static const char *const limits[] = {"request_rate", "concurrency"};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (ps_str_eq_c(parameter->key, limits[i]) && !ps_str_eq_c(parameter->text, "inf"))
            return true;
    for (size_t i = 0; i < client->n_loads; i++)
        if (!are_equal(find_parameter(&client->loads[i], parameter->key), parameter))
            return true;
    return false;
}

static void add_parameter_text(struct ps_buf *out, const struct sv_parameter *parameter)
{
    ps_buf_printf(out, "%s%.*s=", out->len ? ", " : "", (int)parameter->key.len,
                  parameter->key.ptr);
    if (parameter->number.kind == PS_NUM_NONE)
        ps_buf_add_str(out, parameter->text);
    else
        ps_buf_printf(out, "%.15g", ps_num_to_real(parameter->number));
}

/* --- Rows --- */

struct row_writer {
    struct sv_client *client;
    struct sv_client_load *load;
    struct ps_str name;
    bool is_first;
    const char *headline; /* name of the metric that may become the headline */
};

static struct ps_measurement new_row(struct row_writer *w, const struct sv_measure *measure,
                                     struct ps_str metric)
{
    struct ps_measurement_builder *m = &w->client->run->metrics;

    for (size_t i = 0; i < w->load->n_parameters; i++) {
        const struct sv_parameter *parameter = &w->load->parameters[i];

        if (names_row(w->client, parameter))
            ps_measurement_add_parameter(m, parameter->key, parameter->number, parameter->text);
    }
    return (struct ps_measurement){.name = w->name,
                                   .group = PS_STR(""),
                                   .benchmark = w->client->benchmark,
                                   .metric = metric,
                                   .better = measure->better,
                                   .unit = measure->unit,
                                   .resolution = measure->values.resolution,
                                   .is_part = !w->is_first};
}

static bool has_no_values(const struct row_writer *w, const struct sv_measure *measure)
{
    const struct sv_values *v = &measure->values;

    if (strcmp(measure->unit, "s") != 0 ||
        !(w->client->has_filler_zeros || w->load->completed == 0))
        return false;
    if (v->mean.kind == PS_NUM_NONE && v->median.kind == PS_NUM_NONE) /* NaN */
        return w->load->completed == 0;
    if (v->mean.kind == PS_NUM_NONE || v->median.kind == PS_NUM_NONE)
        return false;
    for (size_t i = 0; i < v->n_percentiles; i++)
        if (ps_num_to_real(v->percentiles[i].value) != 0)
            return false;
    return ps_num_to_real(v->mean) == 0 && ps_num_to_real(v->median) == 0 &&
           ps_num_to_real(v->stddev) == 0 && ps_num_to_real(v->max) == 0;
}

static const char *percentile_label(struct sv_run *run, double p)
{
    return ps_arena_printf(&run->metrics.arena, "p%.10g", p);
}

static void add_extras(struct row_writer *w, const struct sv_measure *measure)
{
    struct ps_measurement_builder *m = &w->client->run->metrics;

    if (!measure->is_computed)
        ps_measurement_add_text(m, "key", measure->key);
    if (measure->definition)
        ps_measurement_add_text(m, "definition", ps_str_from_c(measure->definition));
    if (measure->is_computed)
        ps_measurement_add_text(m, "source", PS_STR("computed from the requests of the file"));
    else if (measure->values.stddev.kind != PS_NUM_NONE)
        ps_measurement_add_text(m, "deviation", PS_STR("of the population"));
    if (measure->values.n_percentiles)
        ps_measurement_add_text(m, "percentiles", ps_str_from_c(w->client->percentiles));
    for (size_t i = 0; i < measure->values.n_percentiles; i++)
        if (measure->values.percentiles[i].p < 50 || strcmp(measure->unit, "s") != 0)
            ps_measurement_add_number(
                m, percentile_label(w->client->run, measure->values.percentiles[i].p),
                measure->values.percentiles[i].value);
}

static void write_failed(struct row_writer *w, const struct sv_measure *measure)
{
    struct ps_measurement row = new_row(w, measure, measure->name);
    bool all_failed = w->load->completed == 0;

    row.state = all_failed ? PS_MEASUREMENT_FAILED : PS_MEASUREMENT_SKIPPED;
    row.statistic = "mean";
    ps_measurement_add_text(&w->client->run->metrics, "key", measure->key);
    ps_measurement_add_text(&w->client->run->metrics, "error",
                            all_failed ? PS_STR("no request succeeded")
                                       : PS_STR("no request has this value"));
    ps_measurement_write(&w->client->run->metrics, &row, NULL);
    w->is_first = false;
}

static void write_percentile(struct row_writer *w, const struct sv_measure *measure, double p,
                             struct ps_num value)
{
    struct sv_run *run = w->client->run;
    struct ps_measurement row = new_row(
        w, measure,
        ps_str_from_c(ps_arena_printf(&run->metrics.arena, "%.*s, %s", (int)measure->name.len,
                                      measure->name.ptr, percentile_label(run, p))));

    row.value = value;
    row.statistic = "single";
    row.is_part = true;
    ps_measurement_write(&run->metrics, &row, NULL);
    if (p == 99 && isnan(run->p99_ttft_s) && ps_str_eq_c(measure->name, "time to first token"))
        run->p99_ttft_s = ps_num_to_real(value);
}

static void write_measure(struct row_writer *w, const struct sv_measure *measure)
{
    struct ps_measurement_builder *m = &w->client->run->metrics;
    const struct sv_values *v = &measure->values;
    struct ps_measurement row;
    bool is_single =
        v->median.kind == PS_NUM_NONE && v->stddev.kind == PS_NUM_NONE && measure->n_samples == 0;

    if (has_no_values(w, measure)) {
        write_failed(w, measure);
        return;
    }
    if (v->mean.kind == PS_NUM_NONE && v->median.kind == PS_NUM_NONE && v->n_percentiles == 0)
        return;
    row = new_row(w, measure, measure->name);
    row.n = v->n;
    row.mean = is_single ? PS_NO_NUM : v->mean;
    row.median = v->median;
    row.stddev = v->stddev;
    row.min = v->min;
    row.max = v->max;
    row.q1 = v->q1;
    row.q3 = v->q3;
    row.value = v->mean.kind != PS_NUM_NONE ? v->mean : v->median;
    row.statistic = is_single ? "single" : v->mean.kind != PS_NUM_NONE ? "mean" : "median";
    for (size_t i = 0; i < measure->n_samples; i++)
        ps_measurement_add_sample(m, measure->samples[i]);
    if (measure->n_samples)
        ps_measurement_compute_spread(m, &row);
    add_extras(w, measure);
    ps_measurement_write(m, &row, ps_str_eq_c(measure->name, w->headline) ? row.statistic : NULL);
    w->is_first = false;
    for (size_t i = 0; i < v->n_percentiles && strcmp(measure->unit, "s") == 0; i++)
        if (v->percentiles[i].p > 50)
            write_percentile(w, measure, v->percentiles[i].p, v->percentiles[i].value);
}

/* The name of the rows of a load; unique in the run. */
static struct ps_str row_name(struct row_writer *w)
{
    struct ps_intern *names = &w->client->run->row_names;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    for (size_t i = 0; i < w->load->n_parameters; i++)
        if (names_row(w->client, &w->load->parameters[i]))
            add_parameter_text(&text, &w->load->parameters[i]);
    for (unsigned copy = 1;
         copy == 1 || ps_intern_find(names, ps_buf_slice(&name)) != PS_INTERN_NONE; copy++) {
        name.len = 0;
        ps_buf_add_str(&name, w->client->benchmark);
        if (text.len)
            ps_buf_printf(&name, " (%s)", text.ptr);
        if (copy > 1)
            ps_buf_printf(&name, " #%u", copy);
    }
    (void)ps_intern_add(names, ps_buf_slice(&name));
    return sv_text(w->client->run, ps_buf_slice(&name));
}

static struct ps_str parameters_json(struct sv_client *client, const struct sv_client_load *load)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json json = ps_json_writer(&text);

    ps_json_object(&json);
    for (size_t i = 0; i < load->n_parameters; i++) {
        const struct sv_parameter *parameter = &load->parameters[i];

        ps_json_key(&json, parameter->key.ptr);
        if (parameter->number.kind == PS_NUM_NONE)
            ps_json_str(&json, parameter->text);
        else
            ps_json_num(&json, parameter->number);
    }
    ps_json_end(&json);
    return ps_arena_copy(&client->run->arena, ps_buf_slice(&text));
}

/* The metric whose mean becomes the headline if there is no 99th percentile of the first token. */
static const char *headline_metric(const struct sv_client_load *load)
{
    static const char *const names[] = {"time to first token", "end-to-end latency", "latency",
                                        "output token throughput", "request throughput"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < load->n_measures; i++)
            if (ps_str_eq_c(load->measures[i].name, names[k]))
                return names[k];
    return "";
}

static int compare_measures(const void *a, const void *b)
{
    const struct sv_measure *x = a, *y = b;

    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Times first, then rates, then counts, as in the table; others in the order of the file. */
static void sort_measures(struct sv_client_load *load)
{
    if (load->n_measures)
        qsort(load->measures, load->n_measures, sizeof *load->measures, compare_measures);
}

static void write_load(struct sv_client *client, struct sv_client_load *load)
{
    struct sv_run *run = client->run;
    struct ps_serving_result *result = &run->results[load->result - 1];
    struct row_writer w = {
        .client = client, .load = load, .is_first = true, .headline = headline_metric(load)};

    sort_measures(load);
    w.name = row_name(&w);
    if (load->n_parameters || !result->parameters.len)
        result->parameters = parameters_json(client, load);
    result->first = run->metrics.n_written + 1;
    if (client->n_loads > 1)
        result->name = w.name;
    for (size_t i = 0; i < load->n_measures; i++)
        write_measure(&w, &load->measures[i]);
    result->last = run->metrics.n_written;
    if (result->last < result->first)
        result->first = result->last = 0;
}

void sv_client_end(struct sv_client *client)
{
    for (size_t i = 0; i < client->n_loads; i++)
        write_load(client, &client->loads[i]);
    for (size_t i = 0; i < client->n_loads; i++)
        free_load(&client->loads[i]);
    free(client->loads);
    *client = (struct sv_client){0};
}

struct ps_str sv_error_text(struct sv_run *run, struct ps_str text)
{
    const char *line;

    text = ps_str_trim(text);
    while ((line = ps_str_find(text, PS_STR("\n"))))
        text = ps_str_skip(text, (size_t)(line + 1 - text.ptr));
    text.len = text.len < ERROR_BYTES ? text.len : ERROR_BYTES;
    return sv_text(run, text);
}
