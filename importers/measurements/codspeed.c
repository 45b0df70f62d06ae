/* SPDX-License-Identifier: MIT */
/*
 * codspeed.c: reads .codspeed/results_*.json, which pytest-codspeed writes with
 * `--codspeed-mode=walltime`: statistics of each benchmark in nanoseconds of one call, without the
 * rounds.
 *
 * The column "Time (best)" that version 5.0.4 prints is not the shortest time: it is divided by the
 * number of calls of a round twice.
 */
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure_document.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"

enum {
    FILE_BYTES_MAX = 256 << 20, /* bytes */
    NOTES_MAX = 50,
};

/* The product of rounded numbers may exceed the time by this factor. */
#define ROUNDING 1.01

/* The name is unique only in its file. The address of a test, "tests/test_a.py::test_b[1]", begins
 * at the root of the repository, or else of the disk: then its folders are left out, since they
 * differ between machines. */
static struct ps_str name_of(struct ps_measurement_builder *m, const cJSON *benchmark)
{
    struct ps_str uri = ps_document_text(&m->arena, benchmark, "uri");
    const char *test = uri.len ? ps_str_find(uri, PS_STR("::")) : NULL;
    struct ps_str file = {uri.ptr, test ? (size_t)(test - uri.ptr) : 0};

    if (!test)
        return ps_document_text(&m->arena, benchmark, "name");
    if (!ps_str_starts_with(uri, PS_STR("/")))
        return uri;
    return ps_str_skip(uri, file.len - ps_base_name(file).len);
}

/* `rounds` is the number of rounds that the tool planned; a benchmark that used up its time ran
 * fewer (5.0.4). It is the number of samples only if so many fit into the time. */
static void check_rounds(struct ps_measurement_builder *m, struct ps_measurement *row,
                         const cJSON *stats)
{
    const double planned_s =
        ps_num_to_real(row->n) * ps_num_to_real(row->loops) * ps_num_to_real(row->mean);
    const struct ps_num total_s = ps_document_number(stats, "total_time");

    if (row->n.kind == PS_NUM_NONE ||
        (total_s.kind != PS_NUM_NONE && planned_s <= ROUNDING * ps_num_to_real(total_s)))
        return;
    ps_measurement_add_number(m, "planned rounds", row->n);
    row->n = PS_NO_NUM;
}

static bool write_benchmark(struct ps_measurement_builder *m, const cJSON *benchmark)
{
    static const struct ps_measurement_keys keys = {.n = "rounds",
                                                    .mean = "mean_ns",
                                                    .median = "median_ns",
                                                    .stddev = "stdev_ns",
                                                    .min = "min_ns",
                                                    .max = "max_ns",
                                                    .q1 = "q1_ns",
                                                    .q3 = "q3_ns"};
    static const char *const more[] = {"total_time", "iqr_outlier_rounds", "stdev_outlier_rounds",
                                       "warmup_iters"};
    static const char *const options[] = {"warmup_time_ns", "min_round_time_ns", "max_time_ns",
                                          "max_rounds"};
    const cJSON *stats = cJSON_GetObjectItemCaseSensitive(benchmark, "stats");
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(benchmark, "config");
    struct ps_measurement row = {.name = name_of(m, benchmark),
                                 .group = PS_STR(""),
                                 .metric = PS_STR("time"),
                                 .unit = "s",
                                 .statistic = "mean"};

    if (!row.name.len || !cJSON_IsObject(stats))
        return false;
    ps_measurement_parse_statistics(&row, stats, &keys, 1e9);
    row.loops = ps_document_count(stats, "iter_per_round");
    check_rounds(m, &row, stats);
    ps_measurement_split_test(m, &row);
    ps_measurement_add_numbers(m, stats, more, sizeof more / sizeof *more, 1);
    ps_measurement_add_numbers(m, config, options, sizeof options / sizeof *options, 1);
    ps_measurement_write(m, &row, "mean");
    return true;
}

static void write_meta(struct ps_measurement_builder *m, const cJSON *root)
{
    const cJSON *python = cJSON_GetObjectItemCaseSensitive(root, "python");
    const cJSON *sysconfig = cJSON_GetObjectItemCaseSensitive(python, "sysconfig");
    const cJSON *packages = cJSON_GetObjectItemCaseSensitive(python, "dependencies"), *one;
    PS_AUTO(ps_buf_free) struct ps_buf list = {0};

    ps_sink_meta(m->out, "tool", PS_STR("pytest-codspeed"));
    ps_measurement_write_meta(m, cJSON_GetObjectItemCaseSensitive(root, "creator"), "version",
                              "tool_version");
    ps_measurement_write_meta(m, sysconfig, "py_version", "python");
    ps_measurement_write_meta(m, sysconfig, "HOST_GNU_TYPE", "machine");
    ps_measurement_write_meta(m, sysconfig, "CONFIG_ARGS", "python_build");
    cJSON_ArrayForEach(one, packages)
    {
        if (cJSON_IsString(one) && one->string)
            ps_buf_printf(&list, "%s%s %s", list.len ? ", " : "", one->string, one->valuestring);
    }
    if (list.len)
        ps_sink_meta(m->out, "packages", ps_measurement_display(m, ps_buf_slice(&list)));
}

static enum ps_status read_root(void *data, const cJSON *root, struct ps_err *err)
{
    struct ps_measurement_builder *m = data;
    const cJSON *benchmarks = cJSON_GetObjectItemCaseSensitive(root, "benchmarks"), *benchmark;
    struct ps_ledger ledger = {.unit = "benchmarks"};

    if (!cJSON_IsArray(benchmarks) || !benchmarks->child)
        return ps_fail(err, PS_BAD_INPUT,
                       "the document has no benchmarks" PS_HINT
                       "record with `pytest --codspeed --codspeed-mode=walltime`; other "
                       "instruments write no times");
    write_meta(m, root);
    cJSON_ArrayForEach(benchmark, benchmarks)
    {
        ledger.read++;
        if (!write_benchmark(m, benchmark) && ledger.rejected++ < NOTES_MAX)
            ps_sink_note(m->out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "benchmark %llu has no name or no values",
                         (unsigned long long)ledger.read);
    }
    ps_sink_note(m->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                 "no samples in this file: pytest-codspeed writes statistics only");
    ledger.stored = ledger.read - ledger.rejected;
    ps_measurement_write_headline(m);
    m->out->ops->ledger(m->out, &ledger);
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct ps_measurement_builder m = {.out = out};
    enum ps_status status =
        ps_measurement_read_document(in, out, FILE_BYTES_MAX, read_root, &m, err);

    ps_measurement_builder_free(&m);
    return status;
}

/* The benchmarks come after all of Python's sysconfig, often behind `head`. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_str body = ps_str_trim(head);

    return ps_str_starts_with(body, PS_STR("{")) && ps_str_find(body, PS_STR("\"creator\"")) &&
                   ps_str_find(body, PS_STR("\"pytest-codspeed\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_codspeed = {
    .kind = "codspeed",
    .label = "pytest-codspeed result",
    .description = "statistics of each benchmark in seconds of a call (walltime, JSON)",
    .record_command = "pytest --codspeed --codspeed-mode=walltime",
    .sniff = sniff,
    .load = load,
};
