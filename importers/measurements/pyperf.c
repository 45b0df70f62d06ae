/* SPDX-License-Identifier: MIT */
/*
 * pyperf.c: reads the files of pyperf and of pyperformance, versions 5 (pyperf 0.8.3) to 1.0 of
 * their format.
 *
 * A file is a suite of benchmarks. A benchmark has runs, which are processes; a run has values and
 * warm-ups. Metadata apply to the suite, a benchmark or a run; the innermost ones count. Values
 * are per call: the time of a loop divided by `loops` and `inner_loops`. Warm-ups are pairs of
 * loops and a value, which before version 1.0 is the time of the whole loop. A run without values
 * searched for the number of loops or warm-ups.
 *
 * Mean and standard deviation are those of all values, and the quartiles are interpolated, as
 * `pyperf stats` prints them.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/reading.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"

enum {
    FILE_BYTES_MAX = 512 << 20, /* bytes */
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    const cJSON *suite;               /* metadata of all benchmarks, or NULL */
    const char *values, *shared_meta; /* keys of a run and of a benchmark, by version */
    bool has_raw_warmups;
    uint64_t read, rejected, odd, n_calibrations, n_unstable;
};

/* The objects of a benchmark. */
struct benchmark {
    const cJSON *metadata, *runs;
    struct ps_str name;
    const char *unit; /* of pyperf */
    size_t n_runs, n_calibrations;
    double shortest;     /* the smallest raw value; 0: there is none */
    double calls;        /* of a value; NAN: they differ */
    struct ps_buf means; /* of the processes: doubles */
};

static const cJSON *item(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* The metadata of a run: its own, else that of its benchmark, else that of the suite. */
static const cJSON *find_metadata(const struct reader *r, const struct benchmark *b,
                                  const cJSON *run, const char *key)
{
    const cJSON *found = item(item(run, "metadata"), key);

    found = found ? found : item(b->metadata, key);
    return found ? found : item(r->suite, key);
}

/* A number of calls, 1 if it is not stated. */
static double find_loops(const struct reader *r, const struct benchmark *b, const cJSON *run,
                         const char *key)
{
    const cJSON *value = find_metadata(r, b, run, key);

    return cJSON_IsNumber(value) && value->valuedouble >= 1 ? value->valuedouble : 1;
}

/* --- Values --- */

static bool is_value(const cJSON *value)
{
    return cJSON_IsNumber(value) && isfinite(value->valuedouble) && value->valuedouble > 0;
}

static void add_warmups(struct reader *r, const struct benchmark *b, const cJSON *run)
{
    const double inner = find_loops(r, b, run, "inner_loops");
    const cJSON *pair;

    cJSON_ArrayForEach(pair, item(run, "warmups"))
    {
        const cJSON *loops = cJSON_GetArrayItem(pair, 0), *value = cJSON_GetArrayItem(pair, 1);

        if (!cJSON_IsNumber(loops) || loops->valuedouble < 1 || !cJSON_IsNumber(value))
            r->odd++;
        else
            ps_measurement_add_warmup(
                &r->builder, r->has_raw_warmups ? value->valuedouble / (loops->valuedouble * inner)
                                                : value->valuedouble);
    }
}

/* A sum whose error is far below the last digit of a double (Neumaier), because pyperf computes its
 * statistics exactly. */
struct sum {
    long double sum, rest;
};

static void add_to_sum(struct sum *sum, long double value)
{
    const long double next = sum->sum + value;

    sum->rest +=
        fabsl(sum->sum) >= fabsl(value) ? (sum->sum - next) + value : (value - next) + sum->sum;
    sum->sum = next;
}

static long double exact_mean_of(const double *values, size_t n)
{
    struct sum sum = {0, 0};

    for (size_t i = 0; i < n; i++)
        add_to_sum(&sum, (long double)values[i]);
    return (sum.sum + sum.rest) / (long double)n;
}

static double mean_of(const double *values, size_t n)
{
    return (double)exact_mean_of(values, n);
}

/* The standard deviation of a sample of n > 1 values. */
static double stddev_of(const double *values, size_t n)
{
    const long double mean = exact_mean_of(values, n);
    struct sum squares = {0, 0};

    for (size_t i = 0; i < n; i++)
        add_to_sum(&squares, ((long double)values[i] - mean) * ((long double)values[i] - mean));
    return (double)sqrtl((squares.sum + squares.rest) / (long double)(n - 1));
}

static void note_calls(struct benchmark *b, double calls, bool is_first)
{
    if (is_first)
        b->calls = calls;
    else if (b->calls != calls)
        b->calls = (double)NAN;
}

/* Adds the values of a run, which is one process. */
static void add_run(struct reader *r, struct benchmark *b, const cJSON *run)
{
    const double calls = find_loops(r, b, run, "loops") * find_loops(r, b, run, "inner_loops");
    const size_t before = r->builder.n_samples;
    const cJSON *value;
    double mean;

    b->n_runs++;
    cJSON_ArrayForEach(value, item(run, r->values))
    {
        if (!is_value(value)) {
            r->odd++;
            continue;
        }
        ps_measurement_add_sample(&r->builder, value->valuedouble);
        if (b->shortest == 0 || value->valuedouble * calls < b->shortest)
            b->shortest = value->valuedouble * calls;
    }
    if (r->builder.n_samples == before) {
        b->n_calibrations++;
        return;
    }
    note_calls(b, calls, before == 0);
    add_warmups(r, b, run);
    ps_measurement_end_process(&r->builder);
    mean = mean_of(r->builder.samples + before, r->builder.n_samples - before);
    ps_buf_add(&b->means, &mean, sizeof mean);
}

/* --- Statistics --- */

static int compare_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The value below which the share p of the values is, interpolated as pyperf does. */
static double percentile_of(const double *sorted, size_t n, double p)
{
    const double at = (double)(n - 1) * p, below = floor(at), above = ceil(at);

    if (below == above)
        return sorted[(size_t)at];
    return sorted[(size_t)below] * (above - at) + sorted[(size_t)above] * (at - below);
}

static double median_of(const double *sorted, size_t n)
{
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Computes the statistics that pyperf prints from the samples, of which there are some. */
static void fill_statistics(struct reader *r, struct ps_measurement *row)
{
    const size_t n = r->builder.n_samples;
    PS_AUTO(ps_free_ptr) double *sorted = ps_grow(NULL, n, sizeof *sorted);
    double median;

    memcpy(sorted, r->builder.samples, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_ascending);
    median = median_of(sorted, n);
    row->n = ps_int((int64_t)n);
    row->mean = ps_real(mean_of(r->builder.samples, n));
    if (n > 1)
        row->stddev = ps_real(stddev_of(r->builder.samples, n));
    row->median = ps_real(median);
    row->min = ps_real(sorted[0]);
    row->max = ps_real(sorted[n - 1]);
    row->q1 = ps_real(percentile_of(sorted, n, 0.25));
    row->q3 = ps_real(percentile_of(sorted, n, 0.75));
    row->value = row->mean;
    for (size_t i = 0; i < n; i++)
        sorted[i] = fabs(median - sorted[i]);
    qsort(sorted, n, sizeof *sorted, compare_ascending);
    if (n > 2)
        ps_measurement_add_number(&r->builder, "median absolute deviation",
                                  ps_real(median_of(sorted, n)));
}

/* The number of processes for which a 95 % confidence interval of the mean is 1 % of it wide, from
 * the means of the processes; 0: fewer than two have values. */
static double count_needed_processes(const struct benchmark *b)
{
    const size_t n = b->means.len / sizeof(double);
    PS_AUTO(ps_free_ptr) double *means = ps_alloc_array(n + 1, sizeof *means);
    const double z = 1.96, width = 0.01;
    double sigma;

    if (n < 2)
        return 0;
    memcpy(means, b->means.ptr, n * sizeof *means);
    sigma = stddev_of(means, n) / mean_of(means, n);
    return ceil(4 * (z * z) * (sigma * sigma) / (width * width));
}

static void add_reason(struct ps_buf *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void add_reason(struct ps_buf *text, const char *fmt, ...)
{
    char reason[120];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(reason, sizeof reason, fmt, args);
    va_end(args);
    ps_buf_printf(text, "%s%s", text->len ? "; " : "", reason);
}

static void add_extreme(struct ps_buf *text, const char *name, struct ps_num extreme, double mean)
{
    const double percent = (ps_num_to_real(extreme) - mean) * 100 / mean;

    if (fabs(percent) >= 50)
        add_reason(text, "the %s is %.0f %% %s the mean", name, fabs(percent),
                   percent > 0 ? "above" : "below");
}

/* Adds why the result may be unstable, by the rules of `pyperf check`. */
static void add_doubts(struct reader *r, const struct benchmark *b,
                       const struct ps_measurement *row)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const double mean = ps_num_to_real(row->mean);
    const double percent = ps_num_to_real(row->stddev) * 100 / mean;
    const double needed = count_needed_processes(b);

    if (percent >= 10)
        add_reason(&text, "the standard deviation is %.0f %% of the mean", percent);
    else if (needed > (double)b->n_runs)
        add_reason(&text, "too few processes for a mean that is certain to 1 %%");
    add_extreme(&text, "minimum", row->min, mean);
    add_extreme(&text, "maximum", row->max, mean);
    if (strcmp(b->unit, "second") == 0 && b->shortest < 1e-3)
        add_reason(&text, "the shortest loop took %.3g ms, less than 1 ms", b->shortest * 1e3);
    if (!text.len)
        return;
    r->n_unstable++;
    ps_measurement_add_text(&r->builder, "unstable",
                            ps_arena_copy(&r->builder.arena, ps_buf_slice(&text)));
}

/* --- Metadata --- */

/* Metadata that the row or the environment has in another form, or that are of a process. */
static bool is_known_metadata(const char *key)
{
    static const char *const keys[] = {
        "name",          "unit",          "loops",           "inner_loops", "date",
        "duration",      "uptime",        "boot_time",       "mem_max_rss", "runnable_threads",
        "hostname",      "platform",      "timer",           "aslr",        "perf_version",
        "load_avg_1min", "commit_id",     "commit_date",     "warmups",     "values",
        "processes",     "commit_branch", "calibrate_loops",
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return strncmp(key, "python_", 7) == 0 || strncmp(key, "cpu_", 4) == 0;
}

/* Joins the strings of a list, such as those of the tags. */
static struct ps_str join_list(struct reader *r, const cJSON *list)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const cJSON *one;

    cJSON_ArrayForEach(one, list)
    {
        if (cJSON_IsString(one))
            ps_buf_printf(&text, "%s%s", text.len ? ", " : "", one->valuestring);
    }
    return text.len ? ps_arena_copy(&r->builder.arena, ps_buf_slice(&text)) : (struct ps_str){0};
}

/* Adds what the metadata say of the benchmark itself: the statement, a description, tags. */
static void add_descriptions(struct reader *r, const cJSON *metadata, const cJSON *nearer)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, metadata)
    {
        if (!one->string || is_known_metadata(one->string) || item(nearer, one->string))
            continue;
        ps_measurement_add_number(&r->builder, one->string, ps_document_count_of(one));
        ps_measurement_add_text(&r->builder, one->string,
                                cJSON_IsArray(one) ? join_list(r, one)
                                                   : ps_document_text_of(&r->builder.arena, one));
    }
}

/* A value of the suite, or the one in which all benchmarks agree; NULL: there is none. */
static const cJSON *find_common(const struct reader *r, const cJSON *benchmarks, const char *key)
{
    const cJSON *benchmark, *common = item(r->suite, key);

    if (common)
        return common;
    cJSON_ArrayForEach(benchmark, benchmarks)
    {
        const struct benchmark b = {.metadata = item(benchmark, r->shared_meta)};
        const cJSON *one =
            find_metadata(r, &b, cJSON_GetArrayItem(item(benchmark, "runs"), 0), key);

        if (!one || (common && !cJSON_Compare(common, one, true)))
            return NULL;
        common = one;
    }
    return common;
}

static void write_fact(struct reader *r, const char *key, const cJSON *value)
{
    struct ps_str text = ps_document_text_of(&r->builder.arena, value);

    if (cJSON_IsNumber(value))
        text = ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.15g", value->valuedouble));
    if (text.len)
        ps_sink_meta(r->builder.out, key, text);
}

/* Writes the governors of the processors: "0-3=driver:intel_pstate, governor:performance". */
static void write_governor(struct reader *r, const cJSON *config)
{
    struct ps_str rest = ps_document_text_of(&r->builder.arena, config);
    PS_AUTO(ps_buf_free) struct ps_buf found = {0};
    const char *at;

    while (rest.len && (at = ps_str_find(rest, PS_STR("governor:")))) {
        struct ps_str word;

        rest = ps_str_skip(rest, (size_t)(at - rest.ptr) + strlen("governor:"));
        word = rest;
        word.len = 0;
        while (word.len < rest.len && !strchr(", ;", rest.ptr[word.len]))
            word.len++;
        if (word.len && !ps_str_find(ps_buf_slice(&found), word))
            ps_buf_printf(&found, "%s%.*s", found.len ? ", " : "", (int)word.len, word.ptr);
    }
    if (found.len)
        ps_sink_meta(r->builder.out, "governor", ps_buf_slice(&found));
}

static void write_python_build(struct reader *r, const cJSON *benchmarks)
{
    const cJSON *name = find_common(r, benchmarks, "python_implementation");
    const cJSON *compiler = find_common(r, benchmarks, "python_compiler");
    const bool both = cJSON_IsString(name) && cJSON_IsString(compiler);
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (cJSON_IsString(name))
        ps_buf_puts(&text, name->valuestring);
    ps_buf_puts(&text, both ? ", " : "");
    if (cJSON_IsString(compiler))
        ps_buf_puts(&text, compiler->valuestring);
    if (text.len)
        ps_sink_meta(r->builder.out, "python_build",
                     ps_arena_copy(&r->builder.arena, ps_buf_slice(&text)));
}

/* What all runs say, of which each may differ. */
struct run_facts {
    double load_min, load_max;
    const char *date; /* the earliest */
};

static void read_run_facts(const struct reader *r, const cJSON *benchmarks, struct run_facts *facts)
{
    const cJSON *benchmark, *run;

    *facts = (struct run_facts){.load_min = (double)INFINITY, .load_max = -(double)INFINITY};
    cJSON_ArrayForEach(benchmark, benchmarks)
    {
        const struct benchmark b = {.metadata = item(benchmark, r->shared_meta)};

        cJSON_ArrayForEach(run, item(benchmark, "runs"))
        {
            const cJSON *load = find_metadata(r, &b, run, "load_avg_1min");
            const cJSON *date = find_metadata(r, &b, run, "date");

            if (cJSON_IsNumber(load)) {
                facts->load_min = fmin(facts->load_min, load->valuedouble);
                facts->load_max = fmax(facts->load_max, load->valuedouble);
            }
            if (cJSON_IsString(date) &&
                (!facts->date || strcmp(date->valuestring, facts->date) < 0))
                facts->date = date->valuestring;
        }
    }
}

static void write_run_facts(struct reader *r, const cJSON *benchmarks)
{
    struct ps_sink *out = r->builder.out;
    struct run_facts facts;
    char load[80];

    read_run_facts(r, benchmarks, &facts);
    if (facts.date)
        ps_sink_meta(out, "recorded_at", ps_str_from_c(facts.date));
    if (!isfinite(facts.load_min))
        return;
    if (facts.load_min < facts.load_max)
        (void)snprintf(load, sizeof load, "%.15g to %.15g", facts.load_min, facts.load_max);
    else
        (void)snprintf(load, sizeof load, "%.15g", facts.load_min);
    ps_sink_meta(out, "load", ps_str_from_c(load));
}

static void write_environment(struct reader *r, const cJSON *benchmarks)
{
    static const char *const keys[][2] = {
        {"perf_version", "tool_version"}, {"hostname", "host"},   {"cpu_model_name", "cpu"},
        {"cpu_count", "cores"},           {"platform", "system"}, {"python_version", "python"},
        {"commit_id", "commit"},          {"timer", "timer"},     {"commit_date", "commit_time"},
        {"commit_branch", "branch"},      {"aslr", "aslr"},
    };

    ps_sink_meta(r->builder.out, "tool", PS_STR("pyperf"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        write_fact(r, keys[i][1], find_common(r, benchmarks, keys[i][0]));
    write_governor(r, find_common(r, benchmarks, "cpu_config"));
    write_python_build(r, benchmarks);
    write_run_facts(r, benchmarks);
}

/* --- Rows --- */

/* The unit of a row; pyperf's names are second, byte and integer. */
static const char *unit_of(const char *name)
{
    return strcmp(name, "second") == 0 ? "s" : strcmp(name, "byte") == 0 ? "B" : "";
}

/* Writes the peak memory of the processes that measured, as a part of the benchmark. */
static void write_peak_memory(struct reader *r, const struct benchmark *b)
{
    struct ps_measurement row = {
        .name = b->name,
        .metric = PS_STR("peak memory"),
        .is_part = true,
        .unit = "B",
        .statistic = "mean",
    };
    const cJSON *run;

    cJSON_ArrayForEach(run, b->runs)
    {
        const cJSON *bytes = find_metadata(r, b, run, "mem_max_rss");

        if (cJSON_GetArraySize(item(run, r->values)) && is_value(bytes)) {
            ps_measurement_add_sample(&r->builder, bytes->valuedouble);
            ps_measurement_end_process(&r->builder);
        }
    }
    if (!r->builder.n_samples)
        return;
    fill_statistics(r, &row);
    ps_measurement_write(&r->builder, &row, NULL);
}

static void write_row(struct reader *r, struct benchmark *b)
{
    struct ps_measurement row = {.name = b->name, .unit = unit_of(b->unit), .statistic = "mean"};
    const cJSON *first = cJSON_GetArrayItem(b->runs, 0), *run;

    if (strcmp(row.unit, "s") == 0)
        row.metric = PS_STR("time");
    else if (strcmp(row.unit, "B") == 0)
        row.metric = PS_STR("memory");
    cJSON_ArrayForEach(run, b->runs) add_run(r, b, run);
    r->n_calibrations += b->n_calibrations;
    if (r->builder.n_samples) {
        fill_statistics(r, &row);
        add_doubts(r, b, &row);
        if (isfinite(b->calls))
            row.loops = ps_int((int64_t)b->calls);
    } else {
        row.state = PS_MEASUREMENT_SKIPPED;
        ps_measurement_add_text(&r->builder, "error", PS_STR("no run has values"));
    }
    ps_measurement_add_number(&r->builder, "inner loops",
                              ps_document_count_of(find_metadata(r, b, first, "inner_loops")));
    if (b->n_calibrations)
        ps_measurement_add_number(&r->builder, "calibration runs",
                                  ps_int((int64_t)b->n_calibrations));
    add_descriptions(r, b->metadata, NULL);
    add_descriptions(r, r->suite, b->metadata);
    ps_measurement_write(&r->builder, &row, "mean");
    if (row.state == PS_MEASURED)
        write_peak_memory(r, b);
}

/* Reads a benchmark. Returns why it is no row, else NULL. */
static const char *write_benchmark(struct reader *r, const cJSON *object)
{
    struct benchmark b = {.metadata = item(object, r->shared_meta), .runs = item(object, "runs")};
    const cJSON *first = cJSON_GetArrayItem(b.runs, 0);
    const cJSON *unit = find_metadata(r, &b, first, "unit");

    if (!cJSON_IsArray(b.runs) || !first)
        return "has no runs";
    b.name = ps_document_text_of(&r->builder.arena, find_metadata(r, &b, first, "name"));
    if (!b.name.len)
        return "has no name";
    b.unit = cJSON_IsString(unit) ? unit->valuestring : "second";
    write_row(r, &b);
    ps_buf_free(&b.means);
    return NULL;
}

static void write_all(struct reader *r, const cJSON *benchmarks)
{
    struct ps_ledger ledger = {.unit = "benchmarks"};
    const cJSON *benchmark;

    write_environment(r, benchmarks);
    cJSON_ArrayForEach(benchmark, benchmarks)
    {
        const char *why = write_benchmark(r, benchmark);

        ledger.read++;
        if (why && ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "benchmark %llu %s", (unsigned long long)ledger.read, why);
    }
    ps_sink_count(r->builder.out, PS_NOTE_WARNING, r->odd,
                  "values dropped because they are not positive numbers");
    ps_sink_count(r->builder.out, PS_NOTE_INFO, r->n_unstable,
                  "benchmarks that may be unstable by the rules of pyperf");
    ps_sink_count(r->builder.out, PS_NOTE_INFO, r->n_calibrations,
                  "runs that only calibrated, which do not count");
    ledger.stored = ledger.read - ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, &ledger);
}

/* Chooses the keys of the version of the format. */
static enum ps_status read_version(struct reader *r, const cJSON *root, struct ps_err *err)
{
    const cJSON *version = item(root, "version");
    const bool is_1_0 = cJSON_IsString(version) && strcmp(version->valuestring, "1.0") == 0;
    const bool is_6 = cJSON_IsNumber(version) && version->valuedouble == 6;
    const bool is_5 = cJSON_IsNumber(version) && version->valuedouble == 5;

    if (!is_1_0 && !is_6 && !is_5)
        return ps_fail(err, PS_BAD_INPUT,
                       "this version of pyperf's format is not supported" PS_HINT
                       "versions 5, 6 and 1.0 are read, which pyperf writes since 0.8.3; measure "
                       "again with a newer pyperf");
    r->values = is_5 ? "samples" : "values";
    r->shared_meta = is_5 ? "common_metadata" : "metadata";
    r->suite = is_5 ? NULL : item(root, "metadata");
    r->has_raw_warmups = !is_1_0;
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {.builder = {.out = out}};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "document", &bytes, out, err);
    cJSON *root;

    if (status != PS_OK)
        return status;
    root = ps_document_parse(&bytes, err);
    if (!root)
        return err->code;
    if (!cJSON_IsArray(item(root, "benchmarks")))
        ps_fail(err, PS_BAD_INPUT,
                "the document has no \"benchmarks\"" PS_HINT
                "add the file that `pyperf` wrote with -o");
    else if (read_version(&r, root, err) == PS_OK)
        write_all(&r, item(root, "benchmarks"));
    cJSON_Delete(root);
    ps_measurement_builder_free(&r.builder);
    return err->code;
}

/* Recognises a document that begins with one of pyperf's keys and has runs with values. */
static enum ps_match sniff(struct ps_str head)
{
    static const char *const first[] = {"\"benchmarks\"", "\"metadata\"", "\"version\""};
    struct ps_str body = ps_str_trim(head);
    bool begins = false;

    if (!ps_str_starts_with(body, PS_STR("{")))
        return PS_MATCH_NO;
    body = ps_str_trim(ps_str_skip(body, 1));
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        begins |= ps_str_starts_with(body, ps_str_from_c(first[i]));
    return begins && ps_str_find(body, PS_STR("\"benchmarks\"")) &&
                   ps_str_find(body, PS_STR("\"runs\"")) &&
                   (ps_str_find(body, PS_STR("\"values\"")) ||
                    ps_str_find(body, PS_STR("\"warmups\"")) ||
                    ps_str_find(body, PS_STR("\"samples\"")))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_pyperf = {
    .kind = "pyperf",
    .label = "pyperf result",
    .description = "times of benchmarks by process and value, with warm-ups (JSON)",
    .record_command = "python3 -m pyperf timeit -o result.json 'f()'",
    .sniff = sniff,
    .load = load,
};
