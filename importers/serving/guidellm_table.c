/* SPDX-License-Identifier: MIT */
/*
 * guidellm_table.c: reads benchmarks.csv of guidellm: three lines of titles, and a line for each
 * benchmark, with all digits. A cell of percentiles is a list from the minimum to the maximum.
 */
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/measurements/measure_text.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/serving/client.h"
#include "importers/serving/readers.h"
#include "importers/text/text_report.h"

enum { FILE_BYTES_MAX = 64 << 20, CELLS_MAX = 4096, TITLE_LINES = 3, BENCHMARKS_MAX = 10000 };

struct reader {
    struct sv_client client;
    struct sv_client_load *load;
    struct ps_str (*titles)[TITLE_LINES]; /* of each column; CELLS_MAX of them */
    struct ps_str *cells;                 /* CELLS_MAX */
    size_t n_titles;
};

/* Titles of columns, without "Successful", and the key of the JSON. */
static const struct {
    const char *group, *title, *key, *unit;
} columns[] = {
    {"Request Latency", "Sec", "request_latency", "s"},
    {"Dispatch Delay", "Sec", "request_dispatch_delay", "s"},
    {"Scheduled Latency", "Sec", "request_scheduled_latency", "s"},
    {"Streaming Iterations", "Count", "request_streaming_iterations_count", NULL},
    {"Time to First Token", "ms", "time_to_first_token_ms", NULL},
    {"Time to First Output Token", "ms", "time_to_first_output_token_ms", NULL},
    {"Time per Output Token", "ms", "time_per_output_token_ms", NULL},
    {"Inter Token Latency", "ms", "inter_token_latency_ms", NULL},
    {"Server Throughput", "Requests/Sec", "requests_per_second", NULL},
    {"Server Throughput", "Concurrency", "request_concurrency", NULL},
    {"Server Throughput", "Goodput/Sec", "request_goodput", NULL},
    {"Token Metrics", "Input Tokens", "prompt_token_count", "tokens"},
    {"Token Metrics", "Output Tokens", "output_token_count", "tokens"},
    {"Token Metrics", "Total Tokens", "total_token_count", "tokens"},
    {"Token Throughput", "Input Tokens/Sec", "prompt_tokens_per_second", NULL},
    {"Token Throughput", "Output Tokens/Sec", "output_tokens_per_second", NULL},
    {"Token Throughput", "Total Tokens/Sec", "tokens_per_second", NULL},
    {"Token Streaming", "Output Tokens/Iter", "output_tokens_per_iteration", NULL},
    {"Token Streaming", "Iter Tokens/Iter", "iter_tokens_per_iteration", NULL},
};

static const char *const counts[][2] = {
    {"Successful", "completed"}, {"Errored", "failed"}, {"Incomplete", "incomplete_requests"}};

static const char *const percentiles[] = {"min", "p0.1", "p1",  "p5",  "p10", "p25",
                                          "p75", "p90",  "p95", "p99", "max"};

static void read_percentiles(struct sv_measure *measure, struct ps_str list)
{
    list = ps_str_trim(list);
    if (list.len < 2 || list.ptr[0] != '[')
        return;
    list = (struct ps_str){list.ptr + 1, list.len - 2};
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles && list.len; i++) {
        const char *comma = memchr(list.ptr, ',', list.len);
        struct ps_str item = list;

        item.len = comma ? (size_t)(comma - list.ptr) : list.len;
        list = ps_str_skip(list, comma ? item.len + 1 : item.len);
        (void)sv_measure_set(measure, ps_str_from_c(percentiles[i]), ps_str_trim(item));
    }
}

static void read_metric(struct reader *r, const struct ps_str *titles, struct ps_str cell)
{
    static const char *const statistics[][2] = {
        {"Mean", "mean"}, {"mean", "mean"}, {"Median", "median"}, {"Std Dev", "std"}};
    struct ps_str title = titles[1];
    struct sv_measure *measure = NULL;

    if (!ps_str_starts_with(title, PS_STR("Successful ")))
        return;
    title = ps_str_skip(title, strlen("Successful "));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (ps_str_eq_c(titles[0], columns[i].group) && ps_str_eq_c(title, columns[i].title))
            measure =
                sv_measure(&r->client, r->load, ps_str_from_c(columns[i].key), columns[i].unit);
    if (!measure)
        return;
    if (ps_str_eq_c(titles[2], "Percentiles"))
        read_percentiles(measure, cell);
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (ps_str_eq_c(titles[2], statistics[i][0]))
            (void)sv_measure_set(measure, ps_str_from_c(statistics[i][1]), cell);
    if (ps_str_eq_c(measure->key, "inter_token_latency_ms"))
        measure->definition = SV_WEIGHTED_TPOT;
}

/* "concurrent@4" has a concurrency, "constant@2.00" a rate. */
static void read_strategy(struct reader *r, struct ps_str cell)
{
    const char *at = cell.len ? memchr(cell.ptr, '@', cell.len) : NULL;
    struct ps_str type = cell;
    bool is_concurrent;

    type.len = at ? (size_t)(at - cell.ptr) : cell.len;
    is_concurrent = ps_str_eq_c(type, "concurrent");
    sv_load_add_parameter(&r->client, r->load, "strategy", PS_JSON_STRING, type);
    if (at)
        sv_load_add_parameter(&r->client, r->load, is_concurrent ? "concurrency" : "request_rate",
                              PS_JSON_NUMBER, ps_str_skip(cell, type.len + 1));
    else if (ps_str_eq_c(type, "synchronous"))
        sv_load_add_parameter(&r->client, r->load, "concurrency", PS_JSON_NUMBER, PS_STR("1"));
}

static void read_cell(struct reader *r, const struct ps_str *titles, struct ps_str cell)
{
    struct sv_measure *measure = NULL;

    if (!cell.len)
        return;
    if (ps_str_eq_c(titles[0], "Benchmark") && ps_str_eq_c(titles[1], "Strategy")) {
        read_strategy(r, cell);
    } else if (ps_str_eq_c(titles[0], "Timings") && ps_str_eq_c(titles[1], "Duration")) {
        measure = sv_measure(&r->client, r->load, PS_STR("duration"), NULL);
    } else if (ps_str_eq_c(titles[0], "Request Counts")) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            if (ps_str_eq_c(titles[1], counts[i][0]))
                measure = sv_measure(&r->client, r->load, ps_str_from_c(counts[i][1]), NULL);
        if (ps_str_eq_c(titles[1], "Successful"))
            r->load->completed = sv_count(cell);
    } else {
        read_metric(r, titles, cell);
    }
    if (measure)
        measure->values.mean = sv_number(cell, 0);
}

static size_t pop_cells(struct reader *r, struct ps_str *text)
{
    struct ps_str line = ps_str_trim(ps_report_pop_line(text));
    size_t n = 0;

    while (line.len && n < CELLS_MAX)
        r->cells[n++] = ps_printed_cell_pop(&r->client.run->arena, &line);
    return n;
}

static void read_titles(struct reader *r, struct ps_str *text)
{
    for (size_t line = 0; line < TITLE_LINES; line++) {
        size_t n = pop_cells(r, text);

        r->n_titles = n > r->n_titles ? n : r->n_titles;
        for (size_t i = 0; i < n; i++)
            r->titles[i][line] = r->cells[i];
    }
}

static void read_benchmarks(struct reader *r, struct ps_str text)
{
    read_titles(r, &text);
    while (text.len && r->client.n_loads < BENCHMARKS_MAX) {
        size_t n = pop_cells(r, &text);

        if (n == 0)
            continue;
        r->client.run->ledger.read++;
        r->load = sv_client_add_load(&r->client);
        for (size_t i = 0; i < n && i < r->n_titles; i++)
            read_cell(r, r->titles[i], r->cells[i]);
    }
}

enum ps_status sv_read_guidellm_csv(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                                    struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {0};

    if (ps_read_whole(in, FILE_BYTES_MAX, "table", &bytes, run->out, err) != PS_OK)
        return err->code;
    r.titles = ps_alloc_array(CELLS_MAX, sizeof *r.titles);
    r.cells = ps_alloc_array(CELLS_MAX, sizeof *r.cells);
    memset(r.titles, 0, CELLS_MAX * sizeof *r.titles);
    sv_client_begin(&r.client, run, name, "guidellm");
    r.client.percentiles = SV_PERCENTILES_OF_VALUES;
    ps_sink_meta(run->out, "tool", PS_STR("guidellm"));
    read_benchmarks(&r, ps_buf_slice(&bytes));
    if (r.client.n_loads == 0)
        (void)ps_fail(err, PS_BAD_INPUT, "the table of guidellm has no benchmarks");
    else
        ps_sink_note(run->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "the table has results and no requests; benchmarks.json has both");
    sv_client_end(&r.client);
    free(r.titles);
    free(r.cells);
    return err->code;
}

static enum ps_match sniff(struct ps_str head)
{
    return ps_str_starts_with(ps_str_trim(head), PS_STR("Run Info,Run Info,")) &&
                   ps_str_find(head, PS_STR(",Request Counts,"))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return sv_load(sv_read_guidellm_csv, in, out, err);
}

const struct ps_importer ps_guidellm_csv = {
    .kind = "serving",
    .label = "Table of guidellm",
    .description = "tables of guidellm (benchmarks.csv)",
    .record_command = "guidellm run --backend kind=openai_http,target=URL --output kind=csv",
    .sniff = sniff,
    .load = load,
};
