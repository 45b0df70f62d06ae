/* SPDX-License-Identifier: MIT */
/*
 * jmh.c: reads the JSON that the Java Microbenchmark Harness (JMH) writes with `-rf json`.
 *
 * The file is an array with an object for each benchmark, mode and set of parameters. rawData has
 * the mean of each iteration, fork by fork, which become the samples and the processes of a row. In
 * mode "sample" rawDataHistogram has the single calls of each iteration instead; there the sample
 * is their mean. Times become seconds; rates remain as they are. Secondary metrics, such as those
 * of the profiler of the garbage collector, are parts. Tested: JMH 1.37.
 */
#include <math.h>

#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/reading.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"
#include "importers/text/text_report.h"

enum {
    FILE_BYTES_MAX = 512 << 20, /* bytes */
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_ledger ledger;
};

/* The unit of a metric: its values are multiplied and divided to become values of `unit`. */
struct scale {
    const char *unit;
    double factor, divisor;
    enum ps_better better;
};

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* The key of a member as clean text. */
static struct ps_str clean_key(struct reader *r, const cJSON *item)
{
    bool mended;

    return ps_display_text(&r->builder.arena, ps_str_from_c(item->string ? item->string : ""),
                           &mended);
}

static double convert(const struct scale *scale, double value)
{
    return value * scale->factor / scale->divisor;
}

/* Times of an operation are in seconds, bytes in bytes; other units are the tool's. */
static struct scale scale_of(struct reader *r, struct ps_str unit)
{
    static const struct {
        const char *printed;
        struct scale scale;
    } units[] = {
        {"ns/op", {"s", 1, 1e9, PS_BETTER_LOWER}},    {"us/op", {"s", 1, 1e6, PS_BETTER_LOWER}},
        {"ms/op", {"s", 1, 1e3, PS_BETTER_LOWER}},    {"s/op", {"s", 1, 1, PS_BETTER_LOWER}},
        {"min/op", {"s", 60, 1, PS_BETTER_LOWER}},    {"hr/op", {"s", 3600, 1, PS_BETTER_LOWER}},
        {"day/op", {"s", 86400, 1, PS_BETTER_LOWER}}, {"B/op", {"B", 1, 1, PS_BETTER_LOWER}},
    };
    struct scale scale = {.factor = 1, .divisor = 1, .better = PS_BETTER_NEITHER};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ps_str_eq_c(unit, units[i].printed))
            return units[i].scale;
    if (ps_str_starts_with(unit, PS_STR("ops/")))
        scale.better = PS_BETTER_HIGHER;
    scale.unit =
        ps_arena_printf(&r->builder.arena, "%.*s", (int)unit.len, unit.ptr ? unit.ptr : "");
    return scale;
}

/* --- Samples --- */

/* The sum and the number of the calls of an iteration: pairs of a value and the number of calls
 * that took it. False: they have no mean. */
static bool sum_histogram(const cJSON *pairs, double *sum, double *n)
{
    const cJSON *pair;

    *sum = *n = 0;
    cJSON_ArrayForEach(pair, pairs)
    {
        const cJSON *value = cJSON_GetArrayItem(pair, 0), *count = cJSON_GetArrayItem(pair, 1);

        if (!cJSON_IsNumber(value) || !cJSON_IsNumber(count))
            return false;
        *sum += value->valuedouble * count->valuedouble;
        *n += count->valuedouble;
    }
    return *n > 0 && isfinite(*sum / *n);
}

/* Adds the value of an iteration, which is a number or a histogram of *calls. */
static void add_iteration(struct reader *r, const cJSON *iteration, const struct scale *scale,
                          double *calls)
{
    double sum, n;

    if (cJSON_IsNumber(iteration) && isfinite(iteration->valuedouble)) {
        ps_measurement_add_sample(&r->builder, convert(scale, iteration->valuedouble));
    } else if (cJSON_IsArray(iteration) && sum_histogram(iteration, &sum, &n)) {
        ps_measurement_add_sample(&r->builder, convert(scale, sum / n));
        *calls += n;
    }
}

/* Returns the number of single calls in histograms. */
static double add_samples(struct reader *r, const cJSON *metric, const struct scale *scale)
{
    const cJSON *data = member(metric, "rawData"), *fork, *iteration;
    double calls = 0;

    if (!cJSON_IsArray(data))
        data = member(metric, "rawDataHistogram");
    cJSON_ArrayForEach(fork, data)
    {
        cJSON_ArrayForEach(iteration, fork) add_iteration(r, iteration, scale, &calls);
        ps_measurement_end_process(&r->builder);
    }
    return calls;
}

/* --- Rows --- */

/* Adds the parameters, and the number of threads if there are several. Returns them as they follow
 * the name: " (rows=10, kind=short)". */
static struct ps_str add_parameters(struct reader *r, const cJSON *benchmark)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_num threads = ps_document_count(benchmark, "threads");
    const cJSON *item;

    cJSON_ArrayForEach(item, member(benchmark, "params"))
    {
        const struct ps_str value = ps_document_text_of(&r->builder.arena, item);
        const struct ps_str name = clean_key(r, item);
        struct ps_num number = PS_NO_NUM;

        if (!value.ptr)
            continue;
        (void)ps_report_parse_number(value, &number);
        ps_measurement_add_parameter(&r->builder, name, number, value);
        ps_buf_puts(&text, text.len ? ", " : "");
        ps_buf_add_str(&text, name);
        ps_buf_puts(&text, "=");
        ps_buf_add_str(&text, value);
    }
    if (threads.kind == PS_NUM_INT && threads.i > 1) {
        ps_measurement_add_parameter(&r->builder, PS_STR("threads"), threads, PS_STR(""));
        ps_buf_printf(&text, "%sthreads=%lld", text.len ? ", " : "", (long long)threads.i);
    }
    return text.len ? ps_str_from_c(ps_arena_printf(&r->builder.arena, " (%s)", text.ptr))
                    : PS_STR("");
}

/* What a mode measures. */
static struct ps_str metric_of_mode(struct reader *r, const cJSON *benchmark)
{
    static const struct {
        const char *mode;
        struct ps_str metric;
    } modes[] = {{"thrpt", PS_STR("throughput")},
                 {"avgt", PS_STR("time")},
                 {"sample", PS_STR("sampled time")},
                 {"ss", PS_STR("time of a single call")}};
    struct ps_str mode = ps_document_text(&r->builder.arena, benchmark, "mode");

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (ps_str_eq_c(mode, modes[i].mode))
            return modes[i].metric;
    return mode.ptr ? mode : PS_STR("score");
}

static void add_percentiles(struct reader *r, const cJSON *metric, const struct scale *scale)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, member(metric, "scorePercentiles"))
    {
        if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
            ps_measurement_add_number(&r->builder,
                                      ps_arena_printf(&r->builder.arena, "p%s", item->string),
                                      ps_real(convert(scale, item->valuedouble)));
    }
}

/* Adds what the tool says of a metric besides its score. Percentiles of a metric with samples
 * follow from these, but those of histograms are of single calls. */
static void add_rest(struct reader *r, const cJSON *metric, const struct scale *scale, double calls)
{
    const struct ps_num error = ps_document_number(metric, "scoreError");

    if (error.kind != PS_NUM_NONE)
        ps_measurement_add_number(&r->builder, "score error (99.9 %)",
                                  ps_real(convert(scale, ps_num_to_real(error))));
    if (calls > 0) {
        ps_measurement_add_number(&r->builder, "sampled calls", ps_real(calls));
        add_percentiles(r, metric, scale);
    }
}

/* The statistic that the score is: most metrics are means, but gc.count and gc.time are totals. In
 * both cases the mean of the row is that of its samples. */
static const char *statistic_of(const struct ps_measurement *row, size_t n_samples)
{
    const double score = ps_num_to_real(row->value);
    const double mean = n_samples ? ps_num_to_real(row->mean) : score;

    if (fabs(score - mean) <= 1e-9 * fabs(mean))
        return "mean";
    return fabs(score - mean * (double)n_samples) <= 1e-9 * fabs(score) ? "total" : "score";
}

static void add_settings(struct reader *r, const cJSON *benchmark)
{
    static const char *const counts[] = {"forks", "warmupIterations", "warmupBatchSize",
                                         "measurementIterations", "measurementBatchSize"};
    static const char *const texts[] = {"mode", "warmupTime", "measurementTime"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ps_measurement_add_text(&r->builder, texts[i],
                                ps_document_text(&r->builder.arena, benchmark, texts[i]));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ps_measurement_add_number(&r->builder, counts[i], ps_document_count(benchmark, counts[i]));
}

/* Writes a metric. False: it has no score. */
static bool write_metric(struct reader *r, const cJSON *benchmark, const cJSON *metric,
                         struct ps_str name, struct ps_str label, bool is_part)
{
    const struct ps_str unit = ps_document_text(&r->builder.arena, metric, "scoreUnit");
    const struct ps_num score = ps_document_number(metric, "score");
    const struct scale scale = scale_of(r, unit);
    struct ps_measurement row = {.group = PS_STR(""),
                                 .metric = label,
                                 .better = scale.better,
                                 .is_part = is_part,
                                 .unit = scale.unit};
    double calls;

    if (score.kind == PS_NUM_NONE)
        return false;
    row.benchmark = name;
    row.name = ps_str_from_c(
        ps_arena_printf(&r->builder.arena, "%s%s", name.ptr, add_parameters(r, benchmark).ptr));
    row.value = ps_real(convert(&scale, ps_num_to_real(score)));
    calls = add_samples(r, metric, &scale);
    if (calls > 0 || !r->builder.n_samples)
        row.mean = row.value;
    ps_measurement_compute_spread(&r->builder, &row);
    row.statistic = statistic_of(&row, r->builder.n_samples);
    if (ps_str_eq_c(ps_str_from_c(row.statistic), "mean"))
        row.mean = row.value; /* with the digits of the file */
    add_rest(r, metric, &scale, calls);
    if (!is_part)
        add_settings(r, benchmark);
    ps_measurement_write(&r->builder, &row, is_part ? NULL : "mean");
    return true;
}

static bool write_benchmark(struct reader *r, const cJSON *benchmark)
{
    const struct ps_str full = ps_document_text(&r->builder.arena, benchmark, "benchmark");
    const struct ps_str mode = metric_of_mode(r, benchmark);
    const cJSON *primary = member(benchmark, "primaryMetric"), *secondary;
    struct ps_str name;

    if (!full.len)
        return false;
    name = ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s", (int)full.len, full.ptr));
    if (!write_metric(r, benchmark, primary, name, mode, false))
        return false;
    cJSON_ArrayForEach(secondary, member(benchmark, "secondaryMetrics"))
    {
        const struct ps_str label = clean_key(r, secondary);

        (void)write_metric(
            r, benchmark, secondary, name,
            ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s (%.*s)", (int)label.len,
                                          label.ptr, (int)mode.len, mode.ptr)),
            true);
    }
    return true;
}

/* --- The document --- */

static void write_meta(struct reader *r, const cJSON *first)
{
    struct ps_str version = ps_document_text(&r->builder.arena, first, "jmhVersion");
    struct ps_str vm = ps_document_text(&r->builder.arena, first, "vmName");
    struct ps_str vm_version = ps_document_text(&r->builder.arena, first, "vmVersion");

    ps_sink_meta(r->builder.out, "tool", PS_STR("JMH"));
    if (version.len)
        ps_sink_meta(r->builder.out, "tool_version", version);
    if (!vm_version.len)
        vm_version = ps_document_text(&r->builder.arena, first, "jdkVersion");
    if (vm.len || vm_version.len)
        ps_sink_meta(r->builder.out, "runtime",
                     ps_str_trim(ps_str_from_c(ps_arena_printf(
                         &r->builder.arena, "%.*s %.*s", (int)vm.len, vm.ptr ? vm.ptr : "",
                         (int)vm_version.len, vm_version.ptr ? vm_version.ptr : ""))));
}

static void write_all(struct reader *r, const cJSON *benchmarks)
{
    const cJSON *benchmark;

    write_meta(r, benchmarks->child);
    cJSON_ArrayForEach(benchmark, benchmarks)
    {
        r->ledger.read++;
        if (write_benchmark(r, benchmark))
            continue;
        if (r->ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "benchmark %llu has no name or no score",
                         (unsigned long long)r->ledger.read);
    }
    r->ledger.stored = r->ledger.read - r->ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, &r->ledger);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {.builder = {.out = out}, .ledger = {.unit = "benchmarks"}};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "document", &bytes, out, err);
    cJSON *root;

    if (status != PS_OK)
        return status;
    root = ps_document_parse_list(&bytes, err);
    if (!root)
        return err->code;
    write_all(&r, root);
    cJSON_Delete(root);
    ps_measurement_builder_free(&r.builder);
    return PS_OK;
}

static enum ps_match sniff(struct ps_str head)
{
    return ps_str_starts_with(ps_str_trim(head), PS_STR("[")) &&
                   (ps_str_find(head, PS_STR("\"jmhVersion\"")) ||
                    ps_str_find(head, PS_STR("\"primaryMetric\""))) &&
                   ps_str_find(head, PS_STR("\"benchmark\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_jmh = {
    .kind = "jmh",
    .label = "JMH result",
    .description = "throughput or time of each Java benchmark, by mode and parameters, with its "
                   "forks and iterations (JSON)",
    .record_command = "java -jar benchmarks.jar -rf json -rff result.json",
    .sniff = sniff,
    .load = load,
};
