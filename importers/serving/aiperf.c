/* SPDX-License-Identifier: MIT */
/*
 * aiperf.c: reads results of AIPerf: the summary (profile_export_aiperf.json), its table (.csv),
 * and the requests (profile_export.jsonl).
 *
 * Standard deviations are those of the population, percentiles are numpy's, interpolated linearly.
 * Its inter-token latency is a mean for each request, which hides stalls; the times between chunks
 * are inter_chunk_latency. Lengths are counted by the client's tokenizer unless the tool was asked
 * to use the server's; those of the server are usage_*. Times are since 1970. Requests of the
 * warm-up are left out. The summary of GenAI-Perf has the same form; its sample is made after the
 * sources of 0.0.16. Tested with files of AIPerf 0.1 to 0.13; recorded with 0.13.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/serving/client.h"
#include "importers/serving/readers.h"

enum {
    CSV_BYTES_MAX = 16 << 20,
    STATISTICS_MAX = 32, /* of a metric */
    NOTES_MAX = 20,
    VALUE_BYTES = 48,
};

static const char tool[] = "AIPerf";

/* --- Summary and requests of the same folder --- */

static struct ps_str folder_of(struct ps_str name)
{
    while (name.len && name.ptr[name.len - 1] != '/')
        name.len--;
    return name;
}

static bool has_requests(const struct sv_run *run, uint32_t result)
{
    for (size_t i = run->n_requests; i > 0; i--)
        if (run->requests[i - 1].row.result == result)
            return true;
    return false;
}

enum lack { LACKS_NOTHING, LACKS_REQUESTS, LACKS_METRICS };

static bool lacks(const struct sv_run *run, uint32_t result, enum lack lack)
{
    return lack == LACKS_NOTHING || (lack == LACKS_REQUESTS ? !has_requests(run, result)
                                                            : run->results[result - 1].first == 0);
}

/* The result that another file of AIPerf in the folder of the current file began, and that lacks
 * what this file has; 0: none. */
static uint32_t find_partner(const struct sv_run *run, enum lack lack)
{
    const struct sv_file *current = &run->files[run->n_files - 1];

    for (size_t i = 0; i + 1 < run->n_files; i++) {
        const struct sv_file *file = &run->files[i];

        if (ps_str_eq_c(file->row.tool, tool) &&
            file->first_result < run->files[i + 1].first_result &&
            ps_str_eq(folder_of(file->row.name), folder_of(current->row.name)) &&
            lacks(run, file->first_result, lack))
            return file->first_result;
    }
    return 0;
}

/* The result of the current file; a new one if no file of the folder began it. */
static uint32_t find_result(struct sv_run *run, enum lack lack)
{
    uint32_t partner = find_partner(run, lack);

    if (partner)
        return partner;
    sv_begin_result(run, PS_STR(""));
    sv_end_result(run, (struct ps_str){NULL, 0});
    return (uint32_t)run->n_results;
}

/* --- The summary --- */

struct summary {
    struct sv_client client;
    struct sv_client_load *load;
    struct ps_str metric; /* whose statistics are read; {NULL, 0}: none */
    struct {
        struct ps_str name, text;
    } statistics[STATISTICS_MAX];
    size_t n_statistics;
    char *unit; /* NULL: the object is no metric */
    bool is_warmup_phase, is_genai_perf;
    int64_t n_errors;
    struct ps_str error;
    unsigned n_notes;
};

static struct ps_str keep(struct summary *s, struct ps_str text)
{
    return ps_arena_copy(&s->client.run->arena, text);
}

static void end_metric(struct summary *s)
{
    struct sv_measure *measure;

    if (s->unit && !ps_str_ends_with(s->metric, PS_STR("timestamp"))) {
        measure = sv_measure(&s->client, s->load, s->metric, s->unit);
        for (size_t i = 0; i < s->n_statistics && measure; i++)
            (void)sv_measure_set(measure, s->statistics[i].name, s->statistics[i].text);
        if (measure && ps_str_eq_c(s->metric, "request_count"))
            s->load->completed = (int64_t)ps_num_to_real(measure->values.mean);
    }
    s->metric = (struct ps_str){NULL, 0};
}

static void read_statistic(struct summary *s, struct ps_str statistic, enum ps_json_token token,
                           struct ps_str text)
{
    if (ps_str_eq_c(statistic, "unit") && token == PS_JSON_STRING) {
        s->unit = ps_arena_printf(&s->client.run->arena, "%.*s",
                                  (int)(text.len < VALUE_BYTES ? text.len : VALUE_BYTES), text.ptr);
    } else if (token == PS_JSON_NUMBER && s->n_statistics < STATISTICS_MAX) {
        s->statistics[s->n_statistics].name = keep(s, statistic);
        s->statistics[s->n_statistics++].text = keep(s, text);
    }
}

/* What the configuration says of the load: names of the file and of here. */
static void read_config(struct summary *s, struct ps_str path, enum ps_json_token token,
                        struct ps_str text)
{
    static const char *const names[][2] = {
        {"models.items.name", "model"},
        {"endpoint.model_names", "model"},
        {"model_names", "model"},
        {"endpoint.type", "endpoint_type"},
        {"loadgen.concurrency", "concurrency"},
        {"loadgen.request_rate", "request_rate"},
        {"loadgen.request_count", "num_prompts"},
        {"perf_analyzer.stimulus.concurrency", "concurrency"},
        {"perf_analyzer.stimulus.request_rate", "request_rate"},
        {"phases.concurrency", "concurrency"},
        {"phases.rate", "request_rate"},
        {"phases.requests", "num_prompts"},
        {"input.prompt.input_tokens.mean", "input_length"},
        {"input.prompt.output_tokens.mean", "output_length"},
        {"datasets.prompts.isl.mean", "input_length"},
        {"datasets.prompts.osl.mean", "output_length"},
    };

    if (ps_str_starts_with(path, PS_STR("perf_analyzer.")) && !s->is_genai_perf) {
        s->is_genai_perf = true;
        s->client.run->files[s->client.file].row.tool = PS_STR("GenAI-Perf");
        ps_sink_meta(s->client.run->out, "tool", PS_STR("GenAI-Perf"));
    }
    if (ps_str_eq_c(path, "phases.kind"))
        s->is_warmup_phase = ps_str_eq_c(text, "warmup");
    if (s->is_warmup_phase && ps_str_starts_with(path, PS_STR("phases.")))
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ps_str_eq_c(path, names[i][0]))
            sv_load_add_parameter(&s->client, s->load, names[i][1], token, text);
    if (ps_str_starts_with(path, PS_STR("slos.")))
        sv_load_add_parameter(&s->client, s->load, keep(s, path).ptr, token, text);
}

static void note_errors(struct summary *s)
{
    if (s->n_errors > 0 && s->n_notes++ < NOTES_MAX)
        ps_sink_note(s->client.run->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "%lld requests failed: %.*s", (long long)s->n_errors,
                     (int)(s->error.len < 300 ? s->error.len : 300), s->error.ptr);
    s->n_errors = 0;
}

static void read_field(struct summary *s, struct ps_str path, enum ps_json_token token,
                       struct ps_str text)
{
    static const char config[] = "input_config.", varied[] = "run_info.variation_values.";
    struct sv_run *run = s->client.run;

    if (ps_str_starts_with(path, PS_STR("input_config.")))
        read_config(s, ps_str_skip(path, sizeof config - 1), token, text);
    else if (ps_str_starts_with(path, PS_STR("run_info.variation_values.")) &&
             !ps_str_ends_with(path, PS_STR("concurrency")) &&
             !ps_str_ends_with(path, PS_STR("rate")))
        sv_load_add_parameter(&s->client, s->load,
                              sv_text(run, ps_str_skip(path, sizeof varied - 1)).ptr, token, text);
    else if (ps_str_eq_c(path, "aiperf_version"))
        ps_sink_meta(run->out, "tool_version", text);
    else if (ps_str_eq_c(path, "start_time") && token == PS_JSON_STRING)
        ps_sink_meta(run->out, "recorded_at", text);
    else if (ps_str_eq_c(path, "was_cancelled") && token == PS_JSON_TRUE)
        ps_sink_note(run->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the benchmark was cancelled before its end");
    else if (ps_str_eq_c(path, "error_summary.error_details.message"))
        s->error = sv_error_text(run, text);
    else if (ps_str_eq_c(path, "error_summary.count"))
        s->n_errors = sv_count(text);
}

/* The metrics of the first versions are inside of an object "records". */
static struct ps_str without_records(struct ps_str path)
{
    return ps_str_starts_with(path, PS_STR("records.")) ? ps_str_skip(path, strlen("records."))
                                                        : path;
}

static bool is_other_object(struct ps_str path)
{
    static const char *const names[] = {"input_config", "run_info", "error_summary", "records"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ps_str_starts_with(path, ps_str_from_c(names[i])))
            return true;
    return false;
}

static bool visit_summary(void *data, struct ps_str path, enum ps_json_token token,
                          struct ps_str text)
{
    struct summary *s = data;
    const struct ps_str inner = without_records(path);
    bool is_top = !inner.len || !memchr(inner.ptr, '.', inner.len);

    if (token == PS_JSON_OBJECT_END) {
        if (is_top && inner.len && s->metric.ptr)
            end_metric(s);
        if (ps_str_eq_c(path, "error_summary"))
            note_errors(s);
        return true;
    }
    if (token == PS_JSON_OBJECT || token == PS_JSON_ARRAY) {
        if (!is_top || !inner.len || is_other_object(inner))
            return !s->metric.ptr;
        if (token == PS_JSON_ARRAY)
            return false;
        s->metric = keep(s, inner);
        s->unit = NULL;
        s->n_statistics = 0;
        return true;
    }
    if (token == PS_JSON_ARRAY_END)
        return true;
    if (s->metric.ptr)
        read_statistic(s, ps_str_skip(inner, s->metric.len + 1), token, text);
    else
        read_field(s, path, token, text);
    return true;
}

static struct sv_measure *find_measure(struct sv_client_load *load, const char *key)
{
    for (size_t i = 0; i < load->n_measures; i++)
        if (ps_str_eq_c(load->measures[i].key, key))
            return &load->measures[i];
    return NULL;
}

/* Gives the metrics the values of the requests, if they were read before, and are complete. */
static void add_samples(struct summary *s)
{
    static const char *const keys[] = {"time_to_first_token", "request_latency",
                                       "inter_token_latency"};
    const struct sv_run *run = s->client.run;

    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        struct sv_measure *measure = find_measure(s->load, keys[k]);
        double *samples = ps_alloc_array(run->n_requests + 1, sizeof *samples);
        size_t n = 0;

        for (size_t i = 0; i < run->n_requests; i++) {
            const struct ps_serving_request *row = &run->requests[i].row;
            double ns = k == 0   ? (double)row->ttft_ns
                        : k == 1 ? (double)row->latency_ns
                                 : row->tpot_ns;

            if (row->result == s->load->result && row->state == PS_REQUEST_COMPLETED && ns >= 0)
                samples[n++] = ns / 1e9;
        }
        if (measure && (double)n != ps_num_to_real(measure->values.n))
            measure = NULL;
        sv_measure_take_samples(s->load, measure, samples, n);
    }
}

enum ps_status sv_read_aiperf(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                              struct ps_err *err)
{
    struct summary s = {0};

    sv_client_begin(&s.client, run, name, tool);
    s.load = sv_client_add_load_of(&s.client, find_result(run, LACKS_METRICS));
    ps_sink_meta(run->out, "tool", PS_STR("AIPerf"));
    run->ledger.read += sv_walk(run, in, visit_summary, &s, err);
    if (s.load->completed == PS_COUNT_UNKNOWN && s.n_notes)
        s.load->completed = 0;
    if (err->code == PS_OK && s.load->n_measures == 0)
        (void)ps_fail(err, PS_BAD_INPUT, "the summary of AIPerf has no metrics");
    add_samples(&s);
    sv_client_end(&s.client);
    return err->code;
}

/* --- The table --- */

enum ps_status sv_read_aiperf_csv(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                                  struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    uint64_t n_rows;

    if (ps_read_whole(in, CSV_BYTES_MAX, "table", &bytes, run->out, err) != PS_OK)
        return err->code;
    sv_begin_file(run, name, PS_SERVING_CLIENT, tool, SV_CLOCK_NONE);
    ps_sink_meta(run->out, "tool", PS_STR("AIPerf"));
    n_rows = sv_count_table_rows(run, ps_buf_slice(&bytes));
    if (n_rows == 0)
        return ps_fail(err, PS_BAD_INPUT, "the table of AIPerf has no metrics");
    run->ledger.read += n_rows;
    PS_RESERVE_ONE(run->tables, run->n_tables, run->cap_tables);
    run->tables[run->n_tables++] =
        (struct sv_table){.file = (uint32_t)run->n_files - 1,
                          .result = find_result(run, LACKS_NOTHING),
                          .text = ps_arena_copy(&run->arena, ps_buf_slice(&bytes))};
    return PS_OK;
}

/* --- The requests --- */

/* Metrics of a request that are kept. */
enum value_id { TTFT, LATENCY, TPOT, INPUT, OUTPUT, USAGE_INPUT, USAGE_OUTPUT, CACHED, N_VALUES };

static const char *const value_names[N_VALUES] = {
    "time_to_first_token",     "request_latency",
    "inter_token_latency",     "input_sequence_length",
    "output_sequence_length",  "usage_prompt_tokens",
    "usage_completion_tokens", "usage_prompt_cache_read_tokens"};

struct records {
    struct sv_client client;
    uint32_t result;
    int64_t position;
    /* of the current line */
    struct ps_serving_request row;
    struct ps_str id;
    char values[N_VALUES][VALUE_BYTES];
    int shifts[N_VALUES]; /* exponent from the unit to ns */
    size_t first_gap;
    int64_t gap_factor; /* from ms */
    bool is_warmup, is_cancelled, has_error, has_message;
    uint64_t n_warmups;
};

static void begin_record(struct records *r)
{
    struct sv_run *run = r->client.run;

    r->row = (struct ps_serving_request){.start_ns = PS_TIME_UNKNOWN, .end_ns = PS_TIME_UNKNOWN};
    r->row.error = PS_STR("");
    r->id = PS_STR("");
    r->first_gap = run->n_gaps;
    r->gap_factor = 1;
    r->is_warmup = r->is_cancelled = r->has_error = r->has_message = false;
    for (size_t i = 0; i < N_VALUES; i++) {
        r->values[i][0] = '\0';
        r->shifts[i] = 6;
    }
}

static int64_t value_of(const struct records *r, enum value_id id, int shift)
{
    int64_t value = sv_integer(ps_str_from_c(r->values[id]), shift);

    return value < 0 ? PS_COUNT_UNKNOWN : value;
}

static void fill_row(struct records *r, struct ps_serving_request *row)
{
    const struct ps_num tpot = sv_number(ps_str_from_c(r->values[TPOT]), r->shifts[TPOT]);

    row->name = sv_text(r->client.run, r->id);
    row->error = r->row.error;
    row->start_ns = r->row.start_ns;
    row->end_ns = r->row.end_ns;
    row->state = r->is_cancelled ? PS_REQUEST_CANCELLED
                 : r->has_error  ? PS_REQUEST_FAILED
                                 : PS_REQUEST_COMPLETED;
    row->prompt_tokens = value_of(r, INPUT, 0);
    row->engine_prompt_tokens = value_of(r, USAGE_INPUT, 0);
    row->cached_tokens = value_of(r, CACHED, 0);
    row->engine_output_tokens = value_of(r, USAGE_OUTPUT, 0);
    row->output_tokens = value_of(r, OUTPUT, 0);
    if (row->state != PS_REQUEST_COMPLETED)
        return;
    row->ttft_ns = value_of(r, TTFT, r->shifts[TTFT]);
    row->latency_ns = value_of(r, LATENCY, r->shifts[LATENCY]);
    row->tpot_ns = tpot.kind == PS_NUM_NONE ? (double)NAN : ps_num_to_real(tpot);
}

static void end_record(struct records *r)
{
    struct sv_run *run = r->client.run;
    size_t n_gaps = run->n_gaps - r->first_gap;
    struct ps_serving_request *row;

    run->ledger.read++;
    if (r->is_warmup) {
        r->n_warmups++;
        run->n_gaps = r->first_gap;
        run->ledger.other++;
        return;
    }
    for (size_t i = r->first_gap; i < run->n_gaps; i++)
        run->gaps_ns[i] *= r->gap_factor;
    row = sv_add_request(run);
    fill_row(r, row);
    row->result = r->result;
    row->position = r->position++;
    run->requests[run->n_requests - 1].first_gap = r->first_gap;
    row->n_gaps = n_gaps;
}

static void read_metadata(struct records *r, struct ps_str key, enum ps_json_token token,
                          struct ps_str text)
{
    if (ps_str_eq_c(key, "x_request_id"))
        r->id = sv_text(r->client.run, text);
    else if (ps_str_eq_c(key, "request_start_ns") || ps_str_eq_c(key, "timestamp_ns"))
        r->row.start_ns = sv_integer(text, 0);
    else if (ps_str_eq_c(key, "request_end_ns"))
        r->row.end_ns = sv_integer(text, 0);
    else if (ps_str_eq_c(key, "benchmark_phase") || ps_str_eq_c(key, "credit_phase"))
        r->is_warmup = ps_str_eq_c(text, "warmup");
    else if (ps_str_eq_c(key, "was_cancelled"))
        r->is_cancelled = token == PS_JSON_TRUE;
}

static int shift_of_unit(struct ps_str unit)
{
    return ps_str_eq_c(unit, "sec") || ps_str_eq_c(unit, "s") ? 9
           : ps_str_eq_c(unit, "us")                          ? 3
           : ps_str_eq_c(unit, "ns")                          ? 0
                                                              : 6;
}

static void read_gap(struct records *r, struct ps_str part, struct ps_str text)
{
    struct sv_run *run = r->client.run;
    int64_t ns;

    if (ps_str_eq_c(part, "unit")) {
        r->gap_factor = shift_of_unit(text) == 9 ? 1000 : 1;
        return;
    }
    ns = sv_integer(text, 6);
    if (!ps_str_eq_c(part, "value") || ns == PS_TIME_UNKNOWN || ns > INT64_MAX / 1000)
        return;
    PS_RESERVE_ONE(run->gaps_ns, run->n_gaps, run->cap_gaps);
    run->gaps_ns[run->n_gaps++] = ns;
}

/* `path`: a metric, and "value" or "unit". */
static void read_metric(struct records *r, struct ps_str path, struct ps_str text)
{
    const char *point = path.len ? memchr(path.ptr, '.', path.len) : NULL;
    struct ps_str name = path, part = PS_STR("value"); /* 0.1 has the value alone */

    if (point) {
        name.len = (size_t)(point - path.ptr);
        part = ps_str_skip(path, name.len + 1);
    }
    if (ps_str_eq_c(name, "inter_chunk_latency")) {
        read_gap(r, part, text);
        return;
    }
    for (size_t i = 0; i < N_VALUES; i++) {
        if (!ps_str_eq_c(name, value_names[i]))
            continue;
        if (ps_str_eq_c(part, "unit"))
            r->shifts[i] = shift_of_unit(text);
        else if (text.len < VALUE_BYTES) {
            memcpy(r->values[i], text.ptr, text.len);
            r->values[i][text.len] = '\0';
        }
        return;
    }
}

static bool visit_record(void *data, struct ps_str path, enum ps_json_token token,
                         struct ps_str text)
{
    struct records *r = data;

    if (!path.len) {
        if (token == PS_JSON_OBJECT)
            begin_record(r);
        else if (token == PS_JSON_OBJECT_END)
            end_record(r);
        return true;
    }
    if (token == PS_JSON_OBJECT && ps_str_eq_c(path, "error"))
        r->has_error = true;
    if (token == PS_JSON_OBJECT || token == PS_JSON_ARRAY || token == PS_JSON_OBJECT_END ||
        token == PS_JSON_ARRAY_END || token == PS_JSON_NULL)
        return true;
    if (ps_str_starts_with(path, PS_STR("metrics.")))
        read_metric(r, ps_str_skip(path, strlen("metrics.")), text);
    else if (ps_str_starts_with(path, PS_STR("metadata.")))
        read_metadata(r, ps_str_skip(path, strlen("metadata.")), token, text);
    else if (ps_str_eq_c(path, "error.message"))
        r->row.error = sv_error_text(r->client.run, text);
    else if (ps_str_eq_c(path, "error.type") && ps_str_find(text, PS_STR("Cancel")))
        r->is_cancelled = true;
    return true;
}

enum ps_status sv_read_aiperf_records(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                                      struct ps_err *err)
{
    struct records r = {0};

    sv_client_begin(&r.client, run, name, tool);
    sv_client_set_clock(&r.client, SV_CLOCK_UNIX);
    ps_sink_meta(run->out, "tool", PS_STR("AIPerf"));
    r.result = find_result(run, LACKS_REQUESTS);
    (void)sv_walk(run, in, visit_record, &r, err);
    if (r.n_warmups)
        ps_sink_note(run->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "requests of the warm-up were left out: %llu",
                     (unsigned long long)r.n_warmups);
    sv_client_end(&r.client);
    return err->code;
}

/* --- Formats --- */

static bool begins_with(struct ps_str head, char c)
{
    const struct ps_str text = ps_str_trim(head);

    return text.len && text.ptr[0] == c;
}

static bool has(struct ps_str head, const char *word)
{
    return ps_str_find(head, ps_str_from_c(word)) != NULL;
}

static enum ps_match sniff_records(struct ps_str head)
{
    return begins_with(head, '{') && has(head, "\"metadata\"") && has(head, "\"x_request_id\"") &&
                   has(head, "\"metrics\"")
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

static enum ps_match sniff_summary(struct ps_str head)
{
    static const char *const metrics[] = {"\"request_latency\"", "\"error_request_count\"",
                                          "\"request_count\"", "\"request_throughput\"",
                                          "\"input_sequence_length\""};
    size_t n = 0;

    if (!begins_with(head, '{') || !has(head, "\"unit\""))
        return PS_MATCH_NO;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        n += has(head, metrics[i]);
    return has(head, "\"aiperf_version\"") || n >= 2 ? PS_MATCH_SURE : PS_MATCH_NO;
}

static enum ps_match sniff_csv(struct ps_str head)
{
    return ps_str_starts_with(ps_str_trim(head), PS_STR("Metric,avg,min,max,")) ? PS_MATCH_SURE
                                                                                : PS_MATCH_NO;
}

static enum ps_status load_summary(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_aiperf, in, out, err);
}

static enum ps_status load_csv(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_aiperf_csv, in, out, err);
}

static enum ps_status load_records(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_aiperf_records, in, out, err);
}

#define RECORD "aiperf profile --model MODEL --url URL --streaming --export-level records"

const struct ps_importer ps_aiperf = {
    .kind = "serving",
    .label = "Summary of AIPerf",
    .description = "summaries of AIPerf (profile_export_aiperf.json)",
    .record_command = RECORD,
    .sniff = sniff_summary,
    .load = load_summary,
};

const struct ps_importer ps_aiperf_csv = {
    .kind = "serving",
    .label = "Table of AIPerf",
    .description = "tables of AIPerf (profile_export_aiperf.csv); rounded",
    .record_command = RECORD,
    .sniff = sniff_csv,
    .load = load_csv,
};

const struct ps_importer ps_aiperf_records = {
    .kind = "serving",
    .label = "Requests of AIPerf",
    .description = "requests of AIPerf (profile_export.jsonl)",
    .record_command = RECORD,
    .sniff = sniff_records,
    .load = load_records,
};
