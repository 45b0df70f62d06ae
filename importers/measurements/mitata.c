/* SPDX-License-Identifier: MIT */
/*
 * mitata.c: reads the JSON that mitata prints with run({ format: { json: ... } }): times of
 * JavaScript functions in nanoseconds, and the bytes that they allocate.
 *
 * mitata sorts the samples and drops the two shortest and the two longest before anything is
 * computed, so minimum and maximum are not those of the run, and the order is lost. Only benchmarks
 * within summary() are alternatives. Generated source (stats.debug) is not read.
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
    const cJSON *layout;
    uint64_t failed, odd;
};

static const struct ps_measurement_keys keys = {
    .mean = "avg", .median = "p50", .min = "min", .max = "max", .q1 = "p25", .q3 = "p75"};

/* The name of the group of a benchmark, if it is a summary. Groups without a name get a number. */
static struct ps_str group_of(struct reader *r, const cJSON *benchmark)
{
    struct ps_num number = ps_document_count(benchmark, "group");
    const cJSON *group, *type;
    struct ps_str name;

    if (number.kind != PS_NUM_INT || number.i < 0 || number.i > 1000 * 1000)
        return PS_STR("");
    group = cJSON_GetArrayItem(r->layout, (int)number.i);
    cJSON_ArrayForEach(type, cJSON_GetObjectItemCaseSensitive(group, "types"))
    {
        if (!cJSON_IsString(type) || strcmp(type->valuestring, "s") != 0)
            continue;
        name = ps_document_text(&r->builder.arena, group, "name");
        return name.len ? name
                        : ps_str_from_c(ps_arena_printf(&r->builder.arena, "summary %lld",
                                                        (long long)number.i));
    }
    return PS_STR("");
}

static void write_time(struct reader *r, struct ps_measurement *row, const cJSON *stats)
{
    static const char *const times[] = {"p99", "p999"}, *const calls = "ticks";

    ps_measurement_parse_statistics(row, stats, &keys, 1e9);
    r->odd += ps_measurement_add_samples(&r->builder,
                                         cJSON_GetObjectItemCaseSensitive(stats, "samples"), 1e9);
    if (r->builder.n_samples)
        ps_measurement_compute_spread(&r->builder, row);
    ps_measurement_add_numbers(&r->builder, stats, times, sizeof times / sizeof *times, 1e9);
    ps_measurement_add_numbers(&r->builder, stats, &calls, 1, 1);
}

static void add_arguments(struct reader *r, const cJSON *run)
{
    ps_measurement_add_parameters(&r->builder, cJSON_GetObjectItemCaseSensitive(run, "args"));
}

/* Writes the bytes that a call allocates, or the time of its garbage collection. */
static void write_part(struct reader *r, struct ps_measurement row, const cJSON *run,
                       const char *key, const char *metric, double divisor)
{
    const cJSON *stats = cJSON_GetObjectItemCaseSensitive(run, "stats");

    row.metric = ps_str_from_c(metric);
    row.is_part = true;
    row.unit = divisor == 1 ? "B" : "s";
    ps_measurement_parse_statistics(&row, cJSON_GetObjectItemCaseSensitive(stats, key), &keys,
                                    divisor);
    if (row.value.kind == PS_NUM_NONE)
        return;
    add_arguments(r, run);
    ps_measurement_write(&r->builder, &row, NULL);
}

/* Runs with arguments have equal names if these do not stand in the name: then they are added. */
static struct ps_str name_of(struct reader *r, const cJSON *run, struct ps_str alias)
{
    struct ps_str name = ps_document_text(&r->builder.arena, run, "name");
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(run, "args");

    if (!name.len || !ps_str_eq(name, alias) || !arguments || !arguments->child)
        return name;
    return ps_str_from_c(ps_arena_printf(&r->builder.arena, "%s %s", name.ptr,
                                         ps_measurement_text_of(&r->builder, arguments).ptr));
}

static bool write_run(struct reader *r, const cJSON *benchmark, const cJSON *run)
{
    const cJSON *stats = cJSON_GetObjectItemCaseSensitive(run, "stats");
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(run, "error");
    struct ps_str alias = ps_document_text(&r->builder.arena, benchmark, "alias");
    struct ps_measurement head = {
        .benchmark = alias,
        .group = group_of(r, benchmark),
        .metric = PS_STR("time"),
        .unit = "s",
        .statistic = "mean",
    };
    struct ps_measurement row;

    head.name = name_of(r, run, alias);
    row = head;
    if (!row.name.len || (!cJSON_IsObject(stats) && !cJSON_IsObject(error)))
        return false;
    add_arguments(r, run);
    if (cJSON_IsObject(stats)) {
        write_time(r, &row, stats);
    } else {
        row.state = PS_MEASUREMENT_FAILED;
        r->failed++;
        ps_measurement_add_text(&r->builder, "error",
                                ps_document_text(&r->builder.arena, error, "message"));
    }
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(benchmark, "baseline")))
        ps_measurement_add_text(&r->builder, "baseline", PS_STR("yes"));
    ps_measurement_write(&r->builder, &row, "mean");
    write_part(r, head, run, "heap", "heap", 1);
    write_part(r, head, run, "gc", "garbage collection", 1e9);
    return true;
}

static void write_meta(struct reader *r, const cJSON *context)
{
    const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(context, "cpu");
    struct ps_str runtime = ps_document_text(&r->builder.arena, context, "runtime");
    struct ps_str version = ps_document_text(&r->builder.arena, context, "version");

    ps_sink_meta(r->builder.out, "tool", PS_STR("mitata"));
    ps_measurement_write_meta(&r->builder, context, "arch", "machine");
    ps_measurement_write_meta(&r->builder, cpu, "name", "cpu");
    if (runtime.len)
        ps_sink_meta(
            r->builder.out, "runtime",
            ps_str_from_c(ps_arena_printf(&r->builder.arena, "%s%s%s", runtime.ptr,
                                          version.len ? " " : "", version.len ? version.ptr : "")));
}

static enum ps_status read_root(void *data, const cJSON *root, struct ps_err *err)
{
    struct reader *r = data;
    struct ps_sink *out = r->builder.out;
    const cJSON *benchmarks = cJSON_GetObjectItemCaseSensitive(root, "benchmarks");
    const cJSON *benchmark, *run;

    if (!cJSON_IsArray(benchmarks))
        return ps_fail(err, PS_BAD_INPUT,
                       "the document has no \"benchmarks\"" PS_HINT
                       "print it with run({ format: { json: { debug: false } } })");
    r->layout = cJSON_GetObjectItemCaseSensitive(root, "layout");
    write_meta(r, cJSON_GetObjectItemCaseSensitive(root, "context"));
    cJSON_ArrayForEach(benchmark, benchmarks)
    {
        cJSON_ArrayForEach(run, cJSON_GetObjectItemCaseSensitive(benchmark, "runs"))
        {
            r->ledger.read++;
            if (!write_run(r, benchmark, run) && r->ledger.rejected++ < NOTES_MAX)
                ps_sink_note(out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                             "run %llu has no name or no values",
                             (unsigned long long)r->ledger.read);
        }
    }
    ps_sink_count(out, PS_NOTE_WARNING, r->failed, "benchmarks that failed, which have no times");
    ps_sink_count(out, PS_NOTE_WARNING, r->odd, "samples skipped because they are not numbers");
    ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                 "mitata sorts the samples and drops the two shortest and the two longest: their "
                 "order says nothing about drift");
    r->ledger.stored = r->ledger.read - r->ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    out->ops->ledger(out, &r->ledger);
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .ledger = {.unit = "runs"}};
    enum ps_status status =
        ps_measurement_read_document(in, out, FILE_BYTES_MAX, read_root, &r, err);

    ps_measurement_builder_free(&r.builder);
    return status;
}

/* The context comes last. */
static enum ps_match sniff(struct ps_str head)
{
    static const char *const words[] = {"\"layout\"", "\"types\"", "\"benchmarks\"", "\"alias\""};
    struct ps_str body = ps_str_trim(head);

    if (!ps_str_starts_with(body, PS_STR("{")))
        return PS_MATCH_NO;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!ps_str_find(body, ps_str_from_c(words[i])))
            return PS_MATCH_NO;
    return PS_MATCH_SURE;
}

const struct ps_importer ps_mitata = {
    .kind = "mitata",
    .label = "mitata results",
    .description = "times and allocated bytes of JavaScript functions (JSON)",
    .record_command = "node bench.mjs > mitata.json",
    .sniff = sniff,
    .load = load,
};
