/* SPDX-License-Identifier: MIT */
/*
 * pytest_benchmark.c: reads the files that `pytest --benchmark-json` and `--benchmark-save` write.
 *
 * All values are seconds of one iteration: the time of a round divided by its number of iterations.
 * `rounds` is the number of rounds; stddev is the sample standard deviation, 0 for one round;
 * quartiles are Tukey's hinges. Saved files only have the raw data if the user requested it.
 * hd15iqr is not read: it is the highest value inside the fence since 5.3, and was the first one
 * above it before. Tested: 2.5 (2015) to 5.3.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_document.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"

enum {
    FILE_BYTES_MAX = 512 << 20, /* bytes */
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    uint64_t odd, without_samples;
};

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
    row->loops = ps_document_count(stats, "iterations");
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Values that JSON lacks are written as "UNSERIALIZABLE[<Codec object at 0x7f12>]". Drops the
 * addresses, which differ from run to run. */
static struct ps_str without_addresses(struct reader *r, struct ps_str text)
{
    static const struct ps_str words = PS_STR(" at 0x");
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    const char *at;

    if (!ps_str_starts_with(text, PS_STR("UNSERIALIZABLE[")))
        return text;
    while ((at = ps_str_find(text, words))) {
        size_t n = (size_t)(at - text.ptr);

        ps_buf_add_str(&out, (struct ps_str){text.ptr, n});
        text = ps_str_skip(text, n + words.len);
        while (text.len && is_hex(text.ptr[0]))
            text = ps_str_skip(text, 1);
    }
    ps_buf_add_str(&out, text);
    return ps_arena_copy(&r->builder.arena, ps_buf_slice(&out));
}

/* Files have the parameters by name, and their text in the brackets of the name. Versions before 3
 * have neither. */
static void add_parameters(struct reader *r, const cJSON *benchmark, struct ps_measurement *row)
{
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(benchmark, "params"), *one;
    struct ps_str param = ps_document_text(&r->builder.arena, benchmark, "param");
    struct ps_str end =
        ps_str_from_c(ps_arena_printf(&r->builder.arena, "[%s]", param.ptr ? param.ptr : ""));

    if (!cJSON_IsObject(params) || !params->child || !param.ptr ||
        !ps_str_ends_with(row->name, end)) {
        ps_measurement_split_test(&r->builder, row);
        return;
    }
    row->benchmark = (struct ps_str){row->name.ptr, row->name.len - end.len};
    cJSON_ArrayForEach(one, params)
    {
        struct ps_str text = ps_document_text_of(&r->builder.arena, one);

        if (text.ptr)
            ps_measurement_add_parameter(&r->builder, ps_str_from_c(one->string), PS_NO_NUM,
                                         without_addresses(r, text));
        else
            ps_measurement_add_parameter_of(&r->builder, ps_str_from_c(one->string), one);
    }
}

/* Adds the object with this key as JSON text, if it has members. */
static void add_object(struct reader *r, const cJSON *benchmark, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(benchmark, key);

    if (cJSON_IsObject(item) && item->child)
        ps_measurement_add_text(&r->builder, key, ps_measurement_text_of(&r->builder, item));
}

static void add_rest(struct reader *r, const cJSON *benchmark, const cJSON *stats)
{
    static const char *const counts[] = {"iterations", "iqr_outliers", "stddev_outliers"};
    static const char *const figures[] = {"ops", "total", "iqr", "ld15iqr"};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ps_measurement_add_number(&r->builder, counts[i], ps_document_count(stats, counts[i]));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        ps_measurement_add_number(&r->builder, figures[i], ps_document_number(stats, figures[i]));
    ps_measurement_add_text(&r->builder, "test",
                            ps_document_text(&r->builder.arena, benchmark, "name"));
    ps_measurement_add_text(&r->builder, "param",
                            ps_document_text(&r->builder.arena, benchmark, "param"));
    add_object(r, benchmark, "extra_info");
    add_object(r, benchmark, "options");
}

static bool write_benchmark(struct reader *r, const cJSON *benchmark)
{
    const cJSON *stats = cJSON_GetObjectItemCaseSensitive(benchmark, "stats");
    struct ps_str name = ps_document_text(&r->builder.arena, benchmark, "fullname");
    struct ps_str group = ps_document_text(&r->builder.arena, benchmark, "group");
    struct ps_measurement row = {.unit = "s", .statistic = "mean", .metric = PS_STR("time")};

    if (!name.ptr)
        name = ps_document_text(&r->builder.arena, benchmark, "name");
    if (!name.ptr || !cJSON_IsObject(stats))
        return false;
    row.name = name;
    row.group = group.ptr ? group : PS_STR("");
    r->odd +=
        ps_measurement_add_samples(&r->builder, cJSON_GetObjectItemCaseSensitive(stats, "data"), 1);
    parse_metrics(&row, stats);
    r->without_samples += r->builder.n_samples == 0;
    add_parameters(r, benchmark, &row);
    ps_measurement_compute_spread(&r->builder, &row);
    row.value = row.mean;
    add_rest(r, benchmark, stats);
    ps_measurement_write(&r->builder, &row, "mean");
    return true;
}

/* Appends a string, or the strings of a list, with spaces between them. */
static void add_words(struct reader *r, struct ps_buf *out, const cJSON *item)
{
    struct ps_str text = ps_document_text_of(&r->builder.arena, item);
    const cJSON *one;

    ps_buf_puts(out, text.len && out->len ? " " : "");
    ps_buf_add_str(out, text);
    if (cJSON_IsArray(item))
        cJSON_ArrayForEach(one, item) add_words(r, out, one);
}

static void write_words(struct reader *r, const char *key, const cJSON *object,
                        const char *const *keys, size_t n)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};

    for (size_t i = 0; i < n; i++)
        add_words(r, &out, cJSON_GetObjectItemCaseSensitive(object, keys[i]));
    if (out.len)
        ps_sink_meta(r->builder.out, key, ps_buf_slice(&out));
}

static void write_meta_text(struct reader *r, const char *key, struct ps_str text)
{
    if (text.len)
        ps_sink_meta(r->builder.out, key, text);
}

static void write_machine(struct reader *r, const cJSON *machine)
{
    static const char *const system[] = {"system", "release"};
    static const char *const build[] = {"python_implementation", "python_compiler", "python_build"};
    const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(machine, "cpu");
    struct ps_str brand = ps_document_text(&r->builder.arena, cpu, "brand_raw");
    struct ps_num cores = ps_document_count(cpu, "count");

    if (!brand.len)
        brand = ps_document_text(&r->builder.arena, cpu, "brand"); /* py-cpuinfo before 6 */
    if (!brand.len)
        brand = ps_document_text(&r->builder.arena, machine, "processor");
    ps_measurement_write_meta(&r->builder, machine, "python_version", "python");
    write_words(r, "python_build", machine, build, 3);
    write_words(r, "system", machine, system, 2);
    ps_measurement_write_meta(&r->builder, machine, "machine", "machine");
    write_meta_text(r, "cpu", brand);
    if (cores.kind == PS_NUM_INT)
        write_meta_text(
            r, "cores",
            ps_str_from_c(ps_arena_printf(&r->builder.arena, "%lld", (long long)cores.i)));
    ps_measurement_write_meta(&r->builder, machine, "node", "host");
}

/* The id is "unversioned" outside of a repository, and "unknown" after an error of git. Instead of
 * a branch the file may have "(unknown)" or "(detached head)". */
static void write_commit(struct reader *r, const cJSON *commit)
{
    struct ps_str id = ps_document_text(&r->builder.arena, commit, "id");
    struct ps_str branch = ps_document_text(&r->builder.arena, commit, "branch");
    const cJSON *dirty = cJSON_GetObjectItemCaseSensitive(commit, "dirty");

    if (!id.len || ps_str_eq_c(id, "unversioned") || ps_str_eq_c(id, "unknown"))
        return;
    write_meta_text(r, "commit", id);
    ps_measurement_write_meta(&r->builder, commit, "time", "commit_time");
    if (!ps_str_starts_with(branch, PS_STR("(")))
        write_meta_text(r, "branch", branch);
    if (cJSON_IsBool(dirty))
        write_meta_text(r, "dirty", cJSON_IsTrue(dirty) ? PS_STR("yes") : PS_STR("no"));
}

static void write_meta(struct reader *r, const cJSON *root)
{
    ps_sink_meta(r->builder.out, "tool", PS_STR("pytest-benchmark"));
    ps_measurement_write_meta(&r->builder, root, "version", "tool_version");
    ps_measurement_write_meta(&r->builder, root, "datetime", "recorded_at");
    write_machine(r, cJSON_GetObjectItemCaseSensitive(root, "machine_info"));
    write_commit(r, cJSON_GetObjectItemCaseSensitive(root, "commit_info"));
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
    if (ledger.stored && r->without_samples == ledger.stored)
        ps_sink_note(r->builder.out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "no samples in this file; save with --benchmark-save-data");
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, &ledger);
}

static enum ps_status read_root(void *data, const cJSON *root, struct ps_err *err)
{
    const cJSON *benchmarks = cJSON_GetObjectItemCaseSensitive(root, "benchmarks");

    if (!cJSON_IsArray(benchmarks))
        return ps_fail(err, PS_BAD_INPUT,
                       "the document has no \"benchmarks\"" PS_HINT
                       "add the file that `pytest --benchmark-json` wrote");
    write_meta(data, root);
    write_all(data, benchmarks);
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}};
    enum ps_status status =
        ps_measurement_read_document(in, out, FILE_BYTES_MAX, read_root, &r, err);

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
