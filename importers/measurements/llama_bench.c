/* SPDX-License-Identifier: MIT */
/*
 * llama_bench.c: reads what llama-bench of llama.cpp writes with `-o json`, `-o jsonl` and `-o
 * csv`.
 *
 * All three have the same fields for each test: build and machine, parameters, time and tokens per
 * second. Only JSON has the repetitions. A test is called as in the tool's table: "pp512", "tg128 @
 * d512". Parameters that differ within a file are part of the name. Fields that this file does not
 * know are parameters, because each version of the tool has other ones.
 * The fields are those of the sources of build 5163 and of 2026; tested with files made after them.
 */
#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/reading.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"
#include "importers/text/text_report.h"

enum {
    FILE_BYTES_MAX = 256 << 20, /* bytes */
    COLUMNS_MAX = 128,
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_ledger ledger;
    cJSON *tests;           /* an array; owned */
    struct ps_intern names; /* of the rows written */
};

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* --- The forms of the file --- */

/* Adds a cell to a test, as a number if it is one. */
static void add_cell(struct reader *r, cJSON *test, struct ps_str title, struct ps_str cell)
{
    const char *key = ps_arena_printf(&r->builder.arena, "%.*s", (int)title.len, title.ptr);
    struct ps_num number;

    if (ps_report_parse_number(cell, &number))
        (void)cJSON_AddNumberToObject(test, key, ps_num_to_real(number));
    else
        (void)cJSON_AddStringToObject(
            test, key, ps_arena_printf(&r->builder.arena, "%.*s", (int)cell.len, cell.ptr));
}

static enum ps_status parse_csv(struct reader *r, struct ps_str text, struct ps_err *err)
{
    struct ps_str head = ps_str_trim(ps_report_pop_line(&text)), titles[COLUMNS_MAX];
    size_t n = 0;

    while (head.len && n < COLUMNS_MAX)
        titles[n++] = ps_printed_cell_pop(&r->builder.arena, &head);
    if (head.len)
        return ps_fail(err, PS_LIMIT, "the table has more than %d columns", COLUMNS_MAX);
    r->tests = cJSON_CreateArray();
    while (text.len) {
        struct ps_str line = ps_str_trim(ps_report_pop_line(&text));
        cJSON *test;

        if (!line.len)
            continue;
        test = cJSON_CreateObject();
        (void)cJSON_AddItemToArray(r->tests, test);
        for (size_t i = 0; i < n && line.len; i++)
            add_cell(r, test, titles[i], ps_printed_cell_pop(&r->builder.arena, &line));
    }
    return PS_OK;
}

/* A line that is no object becomes a null, which is rejected below. */
static enum ps_status parse_lines(struct reader *r, struct ps_str text)
{
    r->tests = cJSON_CreateArray();
    while (text.len) {
        struct ps_str line = ps_str_trim(ps_report_pop_line(&text));
        PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
        struct ps_err ignored = {0};
        cJSON *test;

        if (!line.len)
            continue;
        ps_buf_add_str(&bytes, line);
        test = ps_document_parse(&bytes, &ignored);
        (void)cJSON_AddItemToArray(r->tests, test ? test : cJSON_CreateNull());
    }
    return PS_OK;
}

static enum ps_status parse_file(struct reader *r, struct ps_buf *bytes, struct ps_err *err)
{
    const struct ps_str text = ps_str_trim(ps_buf_slice(bytes));

    if (ps_str_starts_with(text, PS_STR("{")))
        return parse_lines(r, text);
    if (!ps_str_starts_with(text, PS_STR("[")))
        return parse_csv(r, text, err);
    r->tests = ps_document_parse_list(bytes, err);
    return r->tests ? PS_OK : err->code;
}

/* --- Rows --- */

/* Whether the field is part of the name, of the environment or of the result, not a parameter. */
static bool is_parameter(const char *key)
{
    static const char *const others[] = {
        "build_commit",   "build_number",   "cpu_info",   "gpu_info",  "backends",
        "model_filename", "model_type",     "n_prompt",   "n_gen",     "n_depth",
        "model_size",     "model_n_params", "test_time",  "avg_ns",    "stddev_ns",
        "avg_ts",         "stddev_ts",      "samples_ns", "samples_ts"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key, others[i]) == 0)
            return false;
    return true;
}

/* The value of a field as text; {NULL, 0} if it has none. */
static struct ps_str text_of(struct reader *r, const cJSON *item)
{
    if (cJSON_IsString(item))
        return ps_document_text_of(&r->builder.arena, item);
    if (cJSON_IsBool(item))
        return cJSON_IsTrue(item) ? PS_STR("true") : PS_STR("false");
    if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
        return ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.15g", item->valuedouble));
    return (struct ps_str){NULL, 0};
}

static struct ps_str key_of(struct reader *r, const cJSON *item)
{
    bool mended;

    return ps_display_text(&r->builder.arena, ps_str_from_c(item->string ? item->string : ""),
                           &mended);
}

/* Marks in `differs` which of the first n fields of the first test have other values in others. */
static void find_differences(const cJSON *tests, bool *differs, size_t n)
{
    const cJSON *first = tests->child, *test;

    cJSON_ArrayForEach(test, tests)
    {
        const cJSON *item = first ? first->child : NULL;

        for (size_t i = 0; i < n && item; i++, item = item->next)
            differs[i] = differs[i] || (cJSON_IsObject(test) &&
                                        !cJSON_Compare(item, member(test, item->string), true));
    }
}

/* The name of a test as in the tool's table: "pp512", "tg128", "pp512+tg128 @ d1024". */
static char *test_name(struct reader *r, const cJSON *test, bool has_sizes)
{
    const struct ps_num prompt = ps_document_count(test, "n_prompt");
    const struct ps_num gen = ps_document_count(test, "n_gen");
    const struct ps_num depth = ps_document_count(test, "n_depth");
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (ps_num_to_real(prompt) > 0)
        ps_buf_printf(&text, has_sizes ? "pp%.0f" : "pp", ps_num_to_real(prompt));
    if (ps_num_to_real(gen) > 0) {
        ps_buf_puts(&text, text.len ? "+" : "");
        ps_buf_printf(&text, has_sizes ? "tg%.0f" : "tg", ps_num_to_real(gen));
    }
    if (has_sizes && ps_num_to_real(depth) > 0)
        ps_buf_printf(&text, " @ d%.0f", ps_num_to_real(depth));
    return ps_arena_printf(&r->builder.arena, "%s", text.ptr ? text.ptr : "");
}

/* Adds the parameters of a test. Returns those that differ, as they follow the name. */
static char *add_parameters(struct reader *r, const cJSON *test, const bool *differs, size_t n)
{
    static const char *const sizes[] = {"n_prompt", "n_gen", "n_depth"};
    const cJSON *first = r->tests->child, *item = first ? first->child : NULL;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_measurement_add_parameter(&r->builder, PS_STR("model"), PS_NO_NUM,
                                 ps_document_text(&r->builder.arena, test, "model_type"));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (member(test, sizes[i]))
            ps_measurement_add_parameter(&r->builder, ps_str_from_c(sizes[i]),
                                         ps_document_count(test, sizes[i]), PS_STR(""));
    for (size_t i = 0; i < n && item; i++, item = item->next) {
        const cJSON *value = member(test, item->string);
        const struct ps_str key = key_of(r, item), shown = text_of(r, value);

        if (!shown.ptr)
            continue;
        if (is_parameter(item->string))
            ps_measurement_add_parameter(&r->builder, key, ps_document_count_of(value), shown);
        if (differs[i] &&
            (is_parameter(item->string) || strcmp(item->string, "model_filename") == 0))
            ps_buf_printf(&text, "%s%.*s=%.*s", text.len ? ", " : "", (int)key.len, key.ptr,
                          (int)shown.len, shown.ptr);
    }
    return text.len ? ps_arena_printf(&r->builder.arena, " (%s)", text.ptr) : "";
}

static void add_samples(struct reader *r, const cJSON *samples, double divisor)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, samples)
    {
        if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
            ps_measurement_add_sample(&r->builder, item->valuedouble / divisor);
    }
}

static struct ps_num divided(struct ps_num value, double divisor)
{
    return value.kind == PS_NUM_NONE ? value : ps_real(ps_num_to_real(value) / divisor);
}

static void add_rest(struct reader *r, const cJSON *test)
{
    static const char *const texts[] = {"model_filename", "test_time"};
    static const char *const counts[] = {"model_size", "model_n_params"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ps_measurement_add_text(&r->builder, texts[i],
                                ps_document_text(&r->builder.arena, test, texts[i]));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ps_measurement_add_number(&r->builder, counts[i], ps_document_count(test, counts[i]));
}

/* The fields of a metric of a test. */
struct metric {
    struct ps_str name;
    const char *mean, *stddev, *samples, *unit;
    double divisor;
    enum ps_better better;
    bool is_part;
};

static void write_metric(struct reader *r, const cJSON *test, const struct metric *metric,
                         struct ps_measurement row, const bool *differs, size_t n)
{
    (void)add_parameters(r, test, differs, n);
    row.metric = metric->name;
    row.unit = metric->unit;
    row.better = metric->better;
    row.is_part = metric->is_part;
    row.statistic = "mean";
    row.mean = divided(ps_document_number(test, metric->mean), metric->divisor);
    add_samples(r, member(test, metric->samples), metric->divisor);
    /* The tool writes a deviation of 0 for one repetition, which has none. */
    row.stddev = divided(ps_document_number(test, metric->stddev), metric->divisor);
    if (ps_num_to_real(row.stddev) <= 0)
        row.stddev = PS_NO_NUM;
    if (r->builder.n_samples)
        ps_measurement_compute_spread(&r->builder, &row);
    row.value = row.mean;
    if (!metric->is_part)
        add_rest(r, test);
    ps_measurement_write(&r->builder, &row, metric->is_part ? NULL : "mean");
}

static bool write_test(struct reader *r, const cJSON *test, const bool *differs, size_t n)
{
    static const struct metric speed = {PS_STR("speed"), "avg_ts", "stddev_ts",      "samples_ts",
                                        "t/s",           1,        PS_BETTER_HIGHER, false};
    static const struct metric time = {
        PS_STR("time"), "avg_ns", "stddev_ns", "samples_ns", "s", 1e9, PS_BETTER_LOWER, true};
    const struct ps_str model = ps_document_text(&r->builder.arena, test, "model_type");
    struct ps_measurement row = {.group = PS_STR("")};
    char *base, *suffix;

    if (ps_document_number(test, "avg_ts").kind == PS_NUM_NONE || !model.ptr)
        return false;
    base = ps_arena_printf(&r->builder.arena, "%.*s ", (int)model.len, model.ptr);
    suffix = add_parameters(r, test, differs, n);
    r->builder.n_parameters = 0;
    row.benchmark =
        ps_str_from_c(ps_arena_printf(&r->builder.arena, "%s%s", base, test_name(r, test, false)));
    row.name = ps_str_from_c(
        ps_arena_printf(&r->builder.arena, "%s%s%s", base, test_name(r, test, true), suffix));
    if (ps_intern_find(&r->names, row.name) != PS_INTERN_NONE)
        row.name = ps_str_from_c(ps_arena_printf(&r->builder.arena, "%s (test %llu)", row.name.ptr,
                                                 (unsigned long long)r->ledger.read));
    (void)ps_intern_add(&r->names, row.name);
    write_metric(r, test, &speed, row, differs, n);
    if (ps_document_number(test, "avg_ns").kind != PS_NUM_NONE)
        write_metric(r, test, &time, row, differs, n);
    return true;
}

static void write_meta(struct reader *r, const cJSON *first)
{
    static const struct {
        const char *from, *to;
    } facts[] = {{"build_commit", "commit"},  {"build_number", "tool_version"},
                 {"cpu_info", "cpu"},         {"gpu_info", "gpu"},
                 {"backends", "gpu_runtime"}, {"test_time", "recorded_at"}};

    ps_sink_meta(r->builder.out, "tool", PS_STR("llama-bench"));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const struct ps_str text = text_of(r, member(first, facts[i].from));

        if (text.len)
            ps_sink_meta(r->builder.out, facts[i].to, text);
    }
}

static void write_all(struct reader *r)
{
    bool differs[COLUMNS_MAX] = {false};
    const cJSON *test;

    write_meta(r, r->tests->child);
    find_differences(r->tests, differs, COLUMNS_MAX);
    cJSON_ArrayForEach(test, r->tests)
    {
        r->ledger.read++;
        if (write_test(r, test, differs, COLUMNS_MAX))
            continue;
        if (r->ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "test %llu has no model or no tokens per second",
                         (unsigned long long)r->ledger.read);
    }
    r->ledger.stored = r->ledger.read - r->ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, &r->ledger);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {.builder = {.out = out}, .ledger = {.unit = "tests"}};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "document", &bytes, out, err);

    if (status == PS_OK)
        status = parse_file(&r, &bytes, err);
    if (status == PS_OK)
        write_all(&r);
    cJSON_Delete(r.tests);
    ps_intern_free(&r.names);
    ps_measurement_builder_free(&r.builder);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    const struct ps_str body = ps_str_trim(head);

    if (ps_str_starts_with(body, PS_STR("build_commit,")))
        return ps_str_find(body, PS_STR(",avg_ts")) ? PS_MATCH_SURE : PS_MATCH_NO;
    if (!ps_str_starts_with(body, PS_STR("[")) && !ps_str_starts_with(body, PS_STR("{")))
        return PS_MATCH_NO;
    return ps_str_find(body, PS_STR("\"build_commit\"")) && ps_str_find(body, PS_STR("\"avg_ts\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_llama_bench = {
    .kind = "llama-bench",
    .label = "llama-bench result",
    .description = "tokens per second of models by test and parameters, with their repetitions "
                   "(JSON, JSON lines, CSV)",
    .record_command = "llama-bench -m model.gguf -r 10 -o json > result.json",
    .sniff = sniff,
    .load = load,
};
