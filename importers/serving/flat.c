/* SPDX-License-Identifier: MIT */
/* flat.c: reads results of vLLM and SGLang. Lists of the requests are kept as columns until the
 * object ends, since their order in the file is not fixed. */
#include "importers/serving/flat.h"

#include <math.h>
#include <stdlib.h>

#include "importers/records/run.h"

/* The lists of a result, in the order of `lists`. Times are in seconds. */
enum column_id {
    INPUT_LENS,
    OUTPUT_LENS,
    CACHED,
    TTFTS,
    LATENCIES,
    STARTS,
    QUEUE_TIMES,
    N_COLUMNS
};

static const char *const lists[N_COLUMNS] = {"input_lens", "output_lens", "cached_tokens", "ttfts",
                                             "latencies",  "start_times", "queue_times"};

struct column {
    double *values;    /* NAN: unknown */
    int64_t *integers; /* ns, or counts */
    size_t n, cap_values, cap_integers;
};

struct error {
    size_t request;
    struct ps_str text;
};

struct flat_reader {
    struct sv_client client;
    const struct flat_format *format;
    struct sv_client_load *load; /* NULL: between results */
    int n_arrays, n_objects;     /* that are open in the result */
    struct column columns[N_COLUMNS];
    uint32_t *n_gaps; /* of each request */
    size_t n_itls, cap_itls, first_gap;
    struct error *errors;
    size_t n_errors, cap_errors, n_error_texts;
    uint64_t n_results;
    bool has_details;
};

/* --- Lists --- */

static void add_to_column(struct flat_reader *r, enum column_id id, struct ps_str text)
{
    struct column *column = &r->columns[id];
    const struct ps_num number = sv_number(text, 0);
    int64_t integer = sv_integer(text, id >= TTFTS ? 9 : 0);

    PS_RESERVE_ONE(column->values, column->n, column->cap_values);
    PS_RESERVE_ONE(column->integers, column->n, column->cap_integers);
    column->values[column->n] = number.kind == PS_NUM_NONE ? (double)NAN : ps_num_to_real(number);
    column->integers[column->n++] = integer;
}

static void begin_gaps(struct flat_reader *r)
{
    if (r->n_itls == 0)
        r->first_gap = r->client.run->n_gaps;
    PS_RESERVE_ONE(r->n_gaps, r->n_itls, r->cap_itls);
    r->n_gaps[r->n_itls++] = 0;
}

static void add_gap(struct flat_reader *r, struct ps_str text)
{
    struct sv_run *run = r->client.run;
    int64_t ns = sv_integer(text, 9);

    if (ns == PS_TIME_UNKNOWN || r->n_itls == 0)
        return;
    PS_RESERVE_ONE(run->gaps_ns, run->n_gaps, run->cap_gaps);
    run->gaps_ns[run->n_gaps++] = ns;
    r->n_gaps[r->n_itls - 1]++;
}

static void add_error(struct flat_reader *r, struct ps_str text)
{
    size_t request = r->n_error_texts++;

    if (!text.len)
        return;
    PS_RESERVE_ONE(r->errors, r->n_errors, r->cap_errors);
    r->errors[r->n_errors++] = (struct error){request, sv_error_text(r->client.run, text)};
}

static void clear_lists(struct flat_reader *r)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        r->columns[i].n = 0;
    r->n_itls = r->n_errors = r->n_error_texts = 0;
}

/* --- Requests --- */

static int64_t integer_at(const struct flat_reader *r, enum column_id id, size_t i, int64_t unknown)
{
    const struct column *column = &r->columns[id];

    return i < column->n && column->integers[i] != PS_TIME_UNKNOWN ? column->integers[i] : unknown;
}

static int64_t duration_at(const struct flat_reader *r, enum column_id id, size_t i)
{
    int64_t ns = integer_at(r, id, i, PS_COUNT_UNKNOWN);

    return ns < 0 ? PS_COUNT_UNKNOWN : ns;
}

static size_t n_requests(const struct flat_reader *r)
{
    static const enum column_id details[] = {INPUT_LENS, OUTPUT_LENS, TTFTS, STARTS};
    size_t n = r->n_itls;

    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        n = r->columns[details[i]].n > n ? r->columns[details[i]].n : n;
    return n;
}

/* The clients write zeros for a request that failed, and its error if they know one. */
static bool has_failed(const struct flat_reader *r, size_t i, const struct error *error)
{
    if (error)
        return true;
    return integer_at(r, LATENCIES, i, 0) == 0 && integer_at(r, TTFTS, i, 0) == 0 &&
           integer_at(r, OUTPUT_LENS, i, 0) == 0;
}

static int64_t sum_of_gaps(const struct flat_reader *r, size_t first, uint32_t n)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += r->client.run->gaps_ns[first + i];
    return sum;
}

static void set_times(const struct flat_reader *r, struct ps_serving_request *row, size_t i,
                      int64_t gaps_ns)
{
    row->start_ns = integer_at(r, STARTS, i, PS_TIME_UNKNOWN);
    if (row->state == PS_REQUEST_FAILED)
        return;
    row->ttft_ns = duration_at(r, TTFTS, i);
    row->latency_ns = duration_at(r, LATENCIES, i);
    if (row->ttft_ns == 0 && row->latency_ns != 0) /* the answer was not streamed */
        row->ttft_ns = PS_COUNT_UNKNOWN;
    if (row->latency_ns < 0 && row->ttft_ns >= 0 && r->format->ends_with_last_chunk)
        row->latency_ns = row->ttft_ns + gaps_ns;
    if (row->start_ns != PS_TIME_UNKNOWN && row->latency_ns >= 0)
        row->end_ns = row->start_ns + row->latency_ns;
    if (row->output_tokens > 1 && row->ttft_ns >= 0 && row->latency_ns >= row->ttft_ns)
        row->tpot_ns = (double)(row->latency_ns - row->ttft_ns) / (double)(row->output_tokens - 1);
}

static void add_requests(struct flat_reader *r)
{
    size_t n = n_requests(r), gap = r->first_gap, next_error = 0;

    r->client.run->ledger.read += n;
    for (size_t i = 0; i < n; i++) {
        const struct error *error = next_error < r->n_errors && r->errors[next_error].request == i
                                        ? &r->errors[next_error++]
                                        : NULL;
        struct ps_serving_request *row = sv_add_request(r->client.run);
        struct sv_request *request = &r->client.run->requests[r->client.run->n_requests - 1];
        uint32_t gaps = i < r->n_itls ? r->n_gaps[i] : 0;

        row->state = has_failed(r, i, error) ? PS_REQUEST_FAILED : PS_REQUEST_COMPLETED;
        row->error = error ? error->text : PS_STR("");
        row->prompt_tokens = duration_at(r, INPUT_LENS, i);
        row->cached_tokens = duration_at(r, CACHED, i);
        if (row->state == PS_REQUEST_COMPLETED)
            row->output_tokens = duration_at(r, OUTPUT_LENS, i);
        set_times(r, row, i, sum_of_gaps(r, gap, gaps));
        request->first_gap = gap;
        row->n_gaps = gaps;
        gap += gaps;
    }
    if (r->columns[STARTS].n)
        sv_client_set_clock(&r->client, SV_CLOCK_OWN);
}

/* --- Samples --- */

static struct sv_measure *measure_named(struct sv_client_load *load, const char *name)
{
    for (size_t i = 0; i < load->n_measures; i++)
        if (ps_str_eq_c(load->measures[i].name, name))
            return &load->measures[i];
    return NULL;
}

/* The values of a list that count: those of requests that succeeded. */
static double *samples_of(const struct flat_reader *r, enum column_id id, size_t first, size_t n,
                          size_t *n_out)
{
    const struct column *column = &r->columns[id];
    double *samples = ps_alloc_array(column->n + 1, sizeof *samples);

    *n_out = 0;
    for (size_t i = 0; i < column->n; i++) {
        bool has_failed_request =
            i < n ? r->client.run->requests[first + i].row.state != PS_REQUEST_COMPLETED
                  : integer_at(r, LATENCIES, i, 1) == 0;

        if (!has_failed_request && isfinite(column->values[i]))
            samples[(*n_out)++] = column->values[i];
    }
    return samples;
}

static double *tpot_samples(const struct flat_reader *r, size_t first, size_t n, size_t *n_out)
{
    const struct column *ttft = &r->columns[TTFTS], *latency = &r->columns[LATENCIES];
    double *samples = ps_alloc_array(n + 1, sizeof *samples);

    *n_out = 0;
    for (size_t i = 0; i < n && i < ttft->n && i < latency->n; i++) {
        const struct ps_serving_request *row = &r->client.run->requests[first + i].row;

        if (row->state == PS_REQUEST_COMPLETED && row->output_tokens > 1)
            samples[(*n_out)++] =
                (latency->values[i] - ttft->values[i]) / (double)(row->output_tokens - 1);
    }
    return samples;
}

/* vLLM lists latencies also without details, but states their statistics only if asked to. */
static struct sv_measure *add_latency(struct flat_reader *r, const double *samples, size_t n)
{
    struct sv_measure *measure = sv_measure(&r->client, r->load, PS_STR("e2el_ms"), NULL);
    double sum = 0;

    if (!measure)
        return NULL;
    for (size_t i = 0; i < n; i++)
        sum += samples[i];
    measure->is_computed = true;
    if (isfinite(sum))
        measure->values.mean = ps_real(sum / (double)n);
    return measure;
}

static void add_samples(struct flat_reader *r, size_t first, size_t n)
{
    static const struct {
        enum column_id id;
        const char *metric;
    } lists_of[] = {{TTFTS, "time to first token"},
                    {LATENCIES, "end-to-end latency"},
                    {QUEUE_TIMES, "client queue time"}};
    struct sv_measure *measure;
    size_t n_samples;
    double *samples;

    for (size_t i = 0; i < sizeof lists_of / sizeof *lists_of; i++)
        if (r->columns[lists_of[i].id].n) {
            samples = samples_of(r, lists_of[i].id, first, n, &n_samples);
            measure = measure_named(r->load, lists_of[i].metric);
            if (!measure && lists_of[i].id == LATENCIES && n_samples)
                measure = add_latency(r, samples, n_samples);
            sv_measure_take_samples(r->load, measure, samples, n_samples);
        }
    samples = tpot_samples(r, first, n, &n_samples);
    sv_measure_take_samples(r->load, measure_named(r->load, "time per output token"), samples,
                            n_samples);
}

/* --- Fields --- */

static const char *parameter_name(const struct flat_format *format, struct ps_str key)
{
    for (size_t i = 0; format->parameters[i][0]; i++)
        if (ps_str_eq_c(key, format->parameters[i][0]))
            return format->parameters[i][1];
    return NULL;
}

/* "p99_ttft_ms" is the statistic "p99" of the metric "ttft_ms". */
static bool read_statistic(struct flat_reader *r, struct ps_str key, struct ps_str text)
{
    static const char *const words[] = {"mean", "median", "std", "min", "max"};
    const char *end = key.len ? memchr(key.ptr, '_', key.len) : NULL;
    struct ps_str statistic, metric;
    bool is_known = false;
    struct sv_measure *measure;

    if (!end || !ps_str_ends_with(key, PS_STR("_ms")))
        return false;
    statistic = (struct ps_str){key.ptr, (size_t)(end - key.ptr)};
    metric = ps_str_skip(key, statistic.len + 1);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_known = is_known || ps_str_eq_c(statistic, words[i]);
    if (!is_known && (statistic.len < 2 || statistic.ptr[0] != 'p' || statistic.ptr[1] < '0' ||
                      statistic.ptr[1] > '9'))
        return false;
    measure = sv_measure(&r->client, r->load, metric, NULL);
    return !measure || sv_measure_set(measure, statistic, text);
}

static void read_field(struct flat_reader *r, struct ps_str key, enum ps_json_token token,
                       struct ps_str text)
{
    const char *parameter = parameter_name(r->format, key);
    struct sv_measure *measure;

    if (parameter || token != PS_JSON_NUMBER) {
        if (ps_str_eq_c(key, "date") && token == PS_JSON_STRING && r->n_results == 1)
            ps_sink_meta(r->client.run->out, "recorded_at", text);
        else if (!ps_str_eq_c(key, "date"))
            sv_load_add_parameter(&r->client, r->load,
                                  parameter ? parameter : sv_text(r->client.run, key).ptr, token,
                                  token == PS_JSON_TRUE    ? PS_STR("true")
                                  : token == PS_JSON_FALSE ? PS_STR("false")
                                                           : text);
        return;
    }
    if (ps_str_eq_c(key, "completed"))
        r->load->completed = sv_count(text);
    if (ps_str_eq_c(key, "failed"))
        r->load->failed = sv_count(text);
    if (read_statistic(r, key, text))
        return;
    if (ps_str_ends_with(key, PS_STR(":"))) /* "request_goodput:" of vLLM before 0.8 */
        key.len--;
    measure = sv_measure(&r->client, r->load, key, NULL);
    if (measure)
        measure->values.mean = sv_number(text, measure->shift);
}

static void begin_result(struct flat_reader *r)
{
    r->load = sv_client_add_load(&r->client);
    r->n_results++;
    clear_lists(r);
}

static void end_result(struct flat_reader *r)
{
    size_t first = r->client.run->n_requests, n = n_requests(r);

    r->client.run->ledger.read++;
    r->has_details = r->has_details || n > 0;
    if (n > 0)
        add_requests(r);
    add_samples(r, first, n);
    r->load = NULL;
}

/* --- The file --- */

static void read_item(struct flat_reader *r, struct ps_str path, enum ps_json_token token,
                      struct ps_str text)
{
    if (ps_str_eq_c(path, "itls")) {
        if (token == PS_JSON_NUMBER)
            add_gap(r, text);
        return;
    }
    if (ps_str_eq_c(path, "errors")) {
        add_error(r, token == PS_JSON_STRING ? text : PS_STR(""));
        return;
    }
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (ps_str_eq_c(path, lists[i])) {
            add_to_column(r, (enum column_id)i, token == PS_JSON_NUMBER ? text : PS_STR(""));
            return;
        }
}

/* Whether a list is read; others, such as the texts of the answers, are skipped. */
static bool is_list_read(struct flat_reader *r, struct ps_str path)
{
    if (ps_str_eq_c(path, "itls")) {
        if (r->n_arrays > 0)
            begin_gaps(r);
        return true;
    }
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (ps_str_eq_c(path, lists[i]))
            return true;
    return ps_str_eq_c(path, "errors");
}

static bool visit(void *data, struct ps_str path, enum ps_json_token token, struct ps_str text)
{
    struct flat_reader *r = data;
    bool is_start = token == PS_JSON_OBJECT || token == PS_JSON_ARRAY, is_read;

    if (path.len == 0) {
        if (token == PS_JSON_OBJECT && !r->load)
            begin_result(r);
        else if (token == PS_JSON_OBJECT_END && r->load)
            end_result(r);
        return true;
    }
    if (!r->load)
        return false;
    if (is_start) {
        is_read = token == PS_JSON_ARRAY ? r->n_objects == 0 && is_list_read(r, path)
                                         : r->n_arrays == 0 && r->format->read_nested;
        r->n_arrays += is_read && token == PS_JSON_ARRAY;
        r->n_objects += is_read && token == PS_JSON_OBJECT;
        return is_read;
    }
    if (token == PS_JSON_ARRAY_END)
        r->n_arrays--;
    else if (token == PS_JSON_OBJECT_END)
        r->n_objects--;
    else if (r->n_arrays)
        read_item(r, path, token, text);
    else if (r->n_objects)
        r->format->read_nested(&r->client, r->load, path, token, text);
    else
        read_field(r, path, token, text);
    return true;
}

static void free_lists(struct flat_reader *r)
{
    for (size_t i = 0; i < N_COLUMNS; i++) {
        free(r->columns[i].values);
        free(r->columns[i].integers);
    }
    free(r->n_gaps);
    free(r->errors);
}

enum ps_status flat_read(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                         const struct flat_format *format, struct ps_err *err)
{
    struct flat_reader r = {.format = format};

    sv_client_begin(&r.client, run, name, format->tool);
    r.client.has_filler_zeros = true;
    ps_sink_meta(run->out, "tool", ps_str_from_c(format->tool));
    if (sv_walk(run, in, visit, &r, err) > 0 && err->code == PS_OK && r.n_results == 0)
        (void)ps_fail(err, PS_BAD_INPUT, "the file has no result");
    if (r.load) /* the last result is damaged */
        sv_client_drop_load(&r.client);
    if (!r.has_details && err->code == PS_OK)
        ps_sink_note(run->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "the file has results and no requests; %s", format->details);
    sv_client_end(&r.client);
    free_lists(&r);
    return err->code;
}
