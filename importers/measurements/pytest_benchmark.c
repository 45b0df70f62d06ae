/* SPDX-License-Identifier: MIT */
/*
 * pytest_benchmark.c: reads the files that `pytest --benchmark-json` and `--benchmark-save` write.
 *
 * All values are seconds of one iteration: the time of a round divided by its number of iterations.
 * `rounds` is the number of rounds; stddev is the sample standard deviation, 0 for one round;
 * quartiles are Tukey's hinges. Saved files only have the raw data if the user requested it.
 * Tested: 2.5 (2015) to 5.2.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/reading.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"

enum {
    FILE_BYTES_MAX = 512 << 20, /* bytes */
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    uint64_t read, rejected, odd;
};

static void add_data(struct reader *r, const cJSON *stats)
{
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(stats, "data"), *value;

    cJSON_ArrayForEach(value, data)
    {
        if (cJSON_IsNumber(value) && isfinite(value->valuedouble))
            ps_measurement_add_sample(&r->builder, value->valuedouble);
        else
            r->odd++;
    }
}

static void parse_metrics(struct ps_measurement *row, const cJSON *stats)
{
    const struct {
        const char *key;
        struct ps_num *figure;
    } keys[] = {{"mean", &row->mean}, {"stddev", &row->stddev}, {"median", &row->median},
                {"min", &row->min},   {"max", &row->max},       {"q1", &row->q1},
                {"q3", &row->q3}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        *keys[i].figure = ps_document_number(stats, keys[i].key);
    row->n = ps_document_count(stats, "rounds");
}

/* Adds the object with this key as JSON text, if it has members. */
static void add_object(struct reader *r, const cJSON *benchmark, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(benchmark, key);
    char *text = cJSON_IsObject(item) && item->child ? cJSON_PrintUnformatted(item) : NULL;
    bool mended;

    if (!text)
        return;
    ps_measurement_add_text(
        &r->builder, key,
        ps_arena_copy(&r->builder.arena,
                      ps_display_text(&r->builder.arena, ps_str_from_c(text), &mended)));
    cJSON_free(text);
}

static void add_rest(struct reader *r, const cJSON *benchmark, const cJSON *stats)
{
    static const char *const counts[] = {"iterations", "iqr_outliers", "stddev_outliers"};
    static const char *const figures[] = {"ops", "total", "iqr", "ld15iqr", "hd15iqr"};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ps_measurement_add_number(&r->builder, counts[i], ps_document_count(stats, counts[i]));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        ps_measurement_add_number(&r->builder, figures[i], ps_document_number(stats, figures[i]));
    ps_measurement_add_text(&r->builder, "test",
                            ps_document_text(&r->builder.arena, benchmark, "name"));
    ps_measurement_add_text(&r->builder, "param",
                            ps_document_text(&r->builder.arena, benchmark, "param"));
    add_object(r, benchmark, "params");
    add_object(r, benchmark, "extra_info");
    add_object(r, benchmark, "options");
}

static bool write_benchmark(struct reader *r, const cJSON *benchmark)
{
    const cJSON *stats = cJSON_GetObjectItemCaseSensitive(benchmark, "stats");
    struct ps_str name = ps_document_text(&r->builder.arena, benchmark, "fullname");
    struct ps_str group = ps_document_text(&r->builder.arena, benchmark, "group");
    struct ps_measurement row = {.unit = "s", .statistic = "mean"};

    if (!name.ptr)
        name = ps_document_text(&r->builder.arena, benchmark, "name");
    if (!name.ptr || !cJSON_IsObject(stats))
        return false;
    row.name = name;
    row.group = group.ptr ? group : PS_STR("");
    add_data(r, stats);
    parse_metrics(&row, stats);
    ps_measurement_compute_spread(&r->builder, &row);
    row.value = row.mean;
    add_rest(r, benchmark, stats);
    ps_measurement_write(&r->builder, &row, "mean");
    return true;
}

static void write_meta(struct reader *r, const cJSON *root)
{
    const cJSON *machine = cJSON_GetObjectItemCaseSensitive(root, "machine_info");
    const cJSON *commit = cJSON_GetObjectItemCaseSensitive(root, "commit_info");
    const struct {
        const cJSON *of;
        const char *from, *to;
    } texts[] = {
        {root, "version", "tool_version"},
        {root, "datetime", "recorded_at"},
        {machine, "python_version", "python"},
        {machine, "system", "system"},
        {machine, "machine", "machine"},
        {cJSON_GetObjectItemCaseSensitive(machine, "cpu"), "brand_raw", "cpu"},
        {machine, "node", "host"},
        {commit, "id", "commit"},
        {commit, "branch", "branch"},
    };

    r->builder.out->ops->meta(r->builder.out, "tool", PS_STR("pytest-benchmark"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ps_str text = ps_document_text(&r->builder.arena, texts[i].of, texts[i].from);

        if (text.ptr)
            r->builder.out->ops->meta(r->builder.out, texts[i].to, text);
    }
}

static void write_all(struct reader *r, const cJSON *benchmarks)
{
    const cJSON *benchmark;
    struct ps_ledger ledger = {.unit = "benchmarks"};

    cJSON_ArrayForEach(benchmark, benchmarks)
    {
        ledger.read++;
        if (write_benchmark(r, benchmark))
            continue;
        if (ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "benchmark %llu has no name or no values",
                         (unsigned long long)ledger.read);
    }
    if (ledger.read == 0)
        ps_sink_note(r->builder.out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the file contains no benchmarks: pytest ran none");
    if (r->odd)
        ps_sink_note(r->builder.out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "raw times skipped because they are not numbers: %llu",
                     (unsigned long long)r->odd);
    ledger.stored = ledger.read - ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, &ledger);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {.builder = {.out = out}};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "document", &bytes, out, err);
    const cJSON *benchmarks;
    cJSON *root;

    if (status != PS_OK)
        return status;
    root = ps_document_parse(&bytes, err);
    if (!root)
        return err->code;
    benchmarks = cJSON_GetObjectItemCaseSensitive(root, "benchmarks");
    if (cJSON_IsArray(benchmarks)) {
        write_meta(&r, root);
        write_all(&r, benchmarks);
    } else {
        status = ps_fail(err, PS_BAD_INPUT,
                         "the document has no \"benchmarks\"" PS_HINT
                         "add the file that `pytest --benchmark-json` wrote");
    }
    cJSON_Delete(root);
    ps_measurement_builder_free(&r.builder);
    return status;
}

/* All versions have machine_info, before or after the benchmarks. pyperf files have "metadata" and
 * no rounds. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_str body = head;
    bool machine, commit, benchmarks;

    while (body.len && strchr(" \t\r\n", body.ptr[0]) && body.ptr[0])
        body = ps_str_skip(body, 1);
    if (!ps_str_starts_with(body, PS_STR("{")))
        return PS_MATCH_NO;
    machine = ps_str_find(body, PS_STR("\"machine_info\""));
    commit = ps_str_find(body, PS_STR("\"commit_info\""));
    benchmarks = ps_str_find(body, PS_STR("\"benchmarks\""));
    if (machine && (benchmarks || commit))
        return PS_MATCH_SURE;
    return benchmarks && ps_str_find(body, PS_STR("\"rounds\"")) &&
                   ps_str_find(body, PS_STR("\"iterations\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_pytest_benchmark = {
    .kind = "pytest-benchmark",
    .label = "pytest-benchmark result",
    .description = "seconds per iteration of each benchmark, with spread and raw rounds (JSON)",
    .record_command = "pytest --benchmark-json result.json",
    .sniff = sniff,
    .load = load,
};
