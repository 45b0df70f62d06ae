/* SPDX-License-Identifier: MIT */
/*
 * printed.c: reads the tables "Serving Benchmark Result" that vLLM and SGLang print, in any log.
 * Each table is a load. Numbers have the digits that were printed.
 */
#include "importers/importer.h"
#include "importers/measurements/measure_text.h"
#include "importers/records/run.h"
#include "importers/serving/client.h"
#include "importers/serving/readers.h"
#include "importers/text/text_report.h"

enum { LOADS_MAX = 10000 };

#define TITLE "Serving Benchmark Result"

struct reader {
    struct sv_client client;
    struct ps_report_reader in;
    struct sv_client_load *load; /* NULL: outside of a table */
    bool has_backend;            /* which only SGLang prints */
    uint64_t rows;
};

/* --- Rows --- */

/* The name of a metric in the printed table, and the key of the same metric in the JSON. */
static const char *const labels[][2] = {
    {"Successful requests", "completed"},
    {"Failed requests", "failed"},
    {"Benchmark duration (s)", "duration"},
    {"Total input tokens", "total_input_tokens"},
    {"Total input text tokens", "total_input_text_tokens"},
    {"Total generated tokens", "total_output_tokens"},
    {"Total generated tokens (retokenized)", "total_output_tokens_retokenized"},
    {"Request throughput (req/s)", "request_throughput"},
    {"Request goodput (req/s)", "request_goodput"},
    {"Input token throughput (tok/s)", "input_throughput"},
    {"Output token throughput (tok/s)", "output_throughput"},
    {"Peak output token throughput (tok/s)", "max_output_tokens_per_s"},
    {"Peak concurrent requests", "max_concurrent_requests"},
    {"Total token throughput (tok/s)", "total_token_throughput"},
    {"Total Token throughput (tok/s)", "total_token_throughput"},
    {"Total throughput (tok/s)", "total_token_throughput"},
    {"Concurrency", "concurrency"},
    {"Accept length", "accept_length"},
    {"Acceptance rate (%)", "spec_decode_acceptance_rate"},
    {"Acceptance length", "spec_decode_acceptance_length"},
};

static const char *const parameters[][2] = {
    {"Backend", "backend"},
    {"Traffic request rate", "request_rate"},
    {"Request rate configured (RPS)", "request_rate"},
    {"Max request concurrency", "concurrency"},
    {"Maximum request concurrency", "concurrency"},
};

/* Names of metrics in rows such as "P99 TTFT (ms)". */
static const char *const metrics[][2] = {
    {"TTFT (ms)", "ttft_ms"},
    {"TPOT (ms)", "tpot_ms"},
    {"ITL (ms)", "itl_ms"},
    {"E2EL (ms)", "e2el_ms"},
    {"E2E Latency (ms)", "e2e_latency_ms"},
    {"Client Queue Time (ms)", "client_queue_time_ms"},
    {"E2EL incl. Client Queue (ms)", "e2el_including_client_queue_ms"},
};

static const char *find(const char *const (*table)[2], size_t n, struct ps_str label)
{
    for (size_t i = 0; i < n; i++)
        if (ps_str_eq_c(label, table[i][0]))
            return table[i][1];
    return NULL;
}

#define FIND(table, label) find(table, sizeof(table) / sizeof *(table), label)

static void set_resolution(struct sv_measure *measure, struct ps_str text)
{
    struct ps_printed_number number;

    if (ps_printed_number_parse(text, measure->shift, &number))
        measure->values.resolution = number.resolution;
}

static bool read_statistic(struct reader *r, struct ps_str label, struct ps_str value)
{
    static const char *const words[][2] = {
        {"Mean", "mean"}, {"Median", "median"}, {"Max", "max"}, {"Min", "min"}};
    const char *space = label.len ? memchr(label.ptr, ' ', label.len) : NULL, *key, *word;
    struct ps_str statistic = label;
    struct sv_measure *measure;

    if (!space)
        return false;
    statistic.len = (size_t)(space - label.ptr);
    key = FIND(metrics, ps_str_skip(label, statistic.len + 1));
    if (!key)
        return false;
    word = FIND(words, statistic);
    measure = sv_measure(&r->client, r->load, ps_str_from_c(key), NULL);
    if (!sv_measure_set(measure, word ? ps_str_from_c(word) : statistic, value))
        return false;
    set_resolution(measure, value);
    return true;
}

static bool read_row(struct reader *r, struct ps_str label, struct ps_str value)
{
    const char *key = FIND(parameters, label);
    struct sv_measure *measure;

    if (key) {
        r->has_backend = r->has_backend || ps_str_eq_c(label, "Backend");
        if (!ps_str_eq_c(value, "not set"))
            sv_load_add_parameter(&r->client, r->load, key, PS_JSON_NUMBER, value);
        return true;
    }
    if (read_statistic(r, label, value))
        return true;
    if (sv_number(value, 0).kind == PS_NUM_NONE)
        return false;
    key = FIND(labels, label);
    measure = sv_measure(&r->client, r->load, key ? ps_str_from_c(key) : label, NULL);
    if (!measure)
        return false;
    measure->values.mean = sv_number(value, 0);
    if (memchr(value.ptr, '.', value.len))
        set_resolution(measure, value);
    if (key && ps_str_eq_c(label, "Successful requests"))
        r->load->completed = sv_count(value);
    return true;
}

/* --- The log --- */

/* Removes "#" or ">" before the text, which comments and quotations add. */
static struct ps_str without_mark(struct ps_str line)
{
    line = ps_str_trim(line);
    while (line.len && (line.ptr[0] == '#' || line.ptr[0] == '>' || line.ptr[0] == '|'))
        line = ps_str_trim(ps_str_skip(line, 1));
    return line;
}

static bool is_title(struct ps_str line)
{
    return ps_str_starts_with(line, PS_STR("===")) && ps_str_find(line, PS_STR(TITLE));
}

static bool is_rule(struct ps_str line)
{
    for (size_t i = 0; i < line.len; i++)
        if (line.ptr[i] != '=')
            return false;
    return line.len >= 10;
}

static void reject_row(struct reader *r)
{
    r->client.run->ledger.rejected++;
    ps_sink_note(r->client.run->out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                 "the row is neither a number nor known");
}

static void read_line(struct reader *r)
{
    struct ps_str line = without_mark(r->in.line.text), label = line;
    const char *colon = NULL;

    if (is_title(line)) {
        r->load = r->client.n_loads < LOADS_MAX ? sv_client_add_load(&r->client) : NULL;
        r->client.run->ledger.other++;
        return;
    }
    for (size_t i = line.len; r->load && i > 0 && !colon; i--)
        if (line.ptr[i - 1] == ':')
            colon = line.ptr + i - 1;
    if (!colon) {
        if (is_rule(line))
            r->load = NULL;
        r->client.run->ledger.other++;
        return;
    }
    label.len = (size_t)(colon - line.ptr);
    r->rows++;
    if (!read_row(r, ps_str_trim(label), ps_str_trim(ps_str_skip(line, label.len + 1))))
        reject_row(r);
}

enum ps_status sv_read_printed(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                               struct ps_err *err)
{
    struct reader r = {.in = {.in = in}};
    uint64_t other;

    sv_client_begin(&r.client, run, name, "");
    other = run->ledger.other;
    while (err->code == PS_OK && ps_report_read_line(&r.in)) {
        read_line(&r);
        (void)ps_report_check(&r.in, run->out, r.rows, err);
    }
    if (err->code == PS_OK)
        ps_stream_status(in, err);
    run->ledger.read += r.rows + run->ledger.other - other;
    if (err->code == PS_OK && r.rows == 0)
        (void)ps_fail(err, PS_BAD_INPUT, "the table has no rows");
    run->files[r.client.file].row.tool = r.has_backend ? PS_STR("SGLang") : PS_STR("vLLM");
    if (err->code == PS_OK) {
        ps_sink_meta(run->out, "tool", run->files[r.client.file].row.tool);
        ps_sink_note(run->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "the tables are rounded and have no requests; the JSON of the tool has all "
                     "digits");
    }
    sv_client_end(&r.client);
    ps_report_free(&r.in);
    return err->code;
}

static enum ps_match sniff(struct ps_str head)
{
    const char *title = ps_str_find(head, PS_STR(TITLE));

    return title && title - head.ptr >= 4 && memcmp(title - 4, "=== ", 4) == 0 ? PS_MATCH_SURE
                                                                               : PS_MATCH_NO;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_printed, in, out, err);
}

const struct ps_importer ps_serving_text = {
    .kind = "serving",
    .label = "Printed result of vLLM or SGLang",
    .description = "tables that `vllm bench serve` and SGLang's bench_serving print; rounded",
    .record_command = "vllm bench serve --model MODEL > serving.txt",
    .sniff = sniff,
    .load = load,
};
