/* SPDX-License-Identifier: MIT */
/*
 * vitest.c: reads the file that `vitest bench --outputJson` writes: statistics of each benchmark in
 * milliseconds. The samples are there only if the configuration says so (benchmark.includeSamples).
 *
 * The benchmarks of a group are alternatives, which vitest ranks. Benchmarks that failed have a
 * rank and no times.
 */
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure_document.h"
#include "importers/records/run.h"

enum {
    FILE_BYTES_MAX = 512 << 20, /* bytes */
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_ledger ledger;
    uint64_t failed, odd, with_samples;
};

static bool write_benchmark(struct reader *r, struct ps_str group, const cJSON *benchmark)
{
    static const struct ps_measurement_keys keys = {.n = "sampleCount",
                                                    .mean = "mean",
                                                    .median = "median",
                                                    .stddev = "sd",
                                                    .min = "min",
                                                    .max = "max",
                                                    .q3 = "p75"};
    static const char *const times[] = {"p99", "p995", "p999", "totalTime"};
    static const char *const more[] = {"hz", "rme", "rank"};
    struct ps_measurement row = {
        .name = ps_document_text(&r->builder.arena, benchmark, "name"),
        .group = group,
        .metric = PS_STR("time"),
        .unit = "s",
        .statistic = "mean",
        .loops = ps_int(1),
    };

    if (!row.name.len)
        return false;
    ps_measurement_parse_statistics(&row, benchmark, &keys, 1e3);
    if (row.value.kind == PS_NUM_NONE) {
        row.state = PS_MEASUREMENT_FAILED;
        row.n = PS_NO_NUM;
        r->failed++;
    } else {
        r->odd += ps_measurement_add_samples(
            &r->builder, cJSON_GetObjectItemCaseSensitive(benchmark, "samples"), 1e3);
        r->with_samples += r->builder.n_samples > 0;
        if (r->builder.n_samples)
            ps_measurement_compute_spread(&r->builder, &row);
        ps_measurement_add_numbers(&r->builder, benchmark, times, sizeof times / sizeof *times,
                                   1e3);
        ps_measurement_add_numbers(&r->builder, benchmark, more, sizeof more / sizeof *more, 1);
    }
    ps_measurement_write(&r->builder, &row, "mean");
    return true;
}

static void write_group(struct reader *r, const cJSON *group)
{
    const cJSON *benchmarks = cJSON_GetObjectItemCaseSensitive(group, "benchmarks"), *benchmark;
    struct ps_str name = ps_document_text(&r->builder.arena, group, "fullName");

    cJSON_ArrayForEach(benchmark, benchmarks)
    {
        r->ledger.read++;
        if (!write_benchmark(r, name.ptr ? name : PS_STR(""), benchmark) &&
            r->ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "benchmark %llu has no name", (unsigned long long)r->ledger.read);
    }
}

static enum ps_status read_root(void *data, const cJSON *root, struct ps_err *err)
{
    struct reader *r = data;
    struct ps_sink *out = r->builder.out;
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(root, "files"), *file, *group;

    if (!cJSON_IsArray(files))
        return ps_fail(err, PS_BAD_INPUT,
                       "the document has no \"files\"" PS_HINT
                       "add the file that `vitest bench --outputJson=result.json` wrote");
    ps_sink_meta(out, "tool", PS_STR("vitest"));
    cJSON_ArrayForEach(file, files)
    {
        cJSON_ArrayForEach(group, cJSON_GetObjectItemCaseSensitive(file, "groups"))
            write_group(r, group);
    }
    ps_sink_count(out, PS_NOTE_WARNING, r->failed, "benchmarks that failed, which have no times");
    ps_sink_count(out, PS_NOTE_WARNING, r->odd, "samples skipped because they are not numbers");
    if (r->ledger.read && !r->with_samples)
        ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "no samples in this file; set benchmark.includeSamples in the configuration "
                     "of vitest");
    r->ledger.stored = r->ledger.read - r->ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    out->ops->ledger(out, &r->ledger);
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .ledger = {.unit = "benchmarks"}};
    enum ps_status status =
        ps_measurement_read_document(in, out, FILE_BYTES_MAX, read_root, &r, err);

    ps_measurement_builder_free(&r.builder);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    static const char *const words[] = {"\"files\"", "\"filepath\"", "\"groups\"", "\"benchmarks\"",
                                        "\"fullName\""};
    struct ps_str body = ps_str_trim(head);

    if (!ps_str_starts_with(body, PS_STR("{")))
        return PS_MATCH_NO;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!ps_str_find(body, ps_str_from_c(words[i])))
            return PS_MATCH_NO;
    return PS_MATCH_SURE;
}

const struct ps_importer ps_vitest = {
    .kind = "vitest",
    .label = "vitest bench result",
    .description = "statistics of each JavaScript benchmark, in groups of alternatives (JSON)",
    .record_command = "vitest bench --run --outputJson=result.json",
    .sniff = sniff,
    .load = load,
};
