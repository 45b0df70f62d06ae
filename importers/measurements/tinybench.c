/* SPDX-License-Identifier: MIT */
/*
 * tinybench.c: reads the results of tinybench as JSON: the array `bench.results`, or the tasks with
 * their names, such as `bench.tasks.map((task) => ({ name: task.name, ...task.result }))`.
 *
 * Latency is in milliseconds, throughput in operations per second. Both are statistics of their
 * own: the mean of the throughput is a mean of rates, not 1000 / latency. With retainSamples the
 * file has the samples, which tinybench sorts. Tested: 6.2.5.
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
    bool has_runtime;
    uint64_t failed, odd, unnamed, with_samples;
};

/* The result of an element, which may be the result itself. */
static const cJSON *result_of(const cJSON *task)
{
    const cJSON *result = cJSON_GetObjectItemCaseSensitive(task, "result");

    return cJSON_IsObject(result) ? result : task;
}

static bool is_state(const cJSON *result, const char *state)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(result, "state");

    return cJSON_IsString(value) && strcmp(value->valuestring, state) == 0;
}

/* Writes the latency or the throughput of a task. */
static void write_part(struct reader *r, struct ps_str name, const cJSON *result, const char *key,
                       double divisor)
{
    static const struct ps_measurement_keys keys = {.n = "samplesCount",
                                                    .mean = "mean",
                                                    .median = "p50",
                                                    .stddev = "sd",
                                                    .min = "min",
                                                    .max = "max",
                                                    .q3 = "p75"};
    static const char *const values[] = {"p99", "p995", "p999", "mad"};
    static const char *const percent = "rme", *const total = "totalTime";
    const cJSON *stats = cJSON_GetObjectItemCaseSensitive(result, key);
    const bool is_latency = strcmp(key, "latency") == 0;
    struct ps_measurement row = {
        .name = name,
        .group = PS_STR(""),
        .metric = ps_str_from_c(key),
        .is_part = !is_latency,
        .better = is_latency ? PS_BETTER_LOWER : PS_BETTER_HIGHER,
        .unit = is_latency ? "s" : "ops/s",
        .statistic = "mean",
        .loops = ps_int(1),
    };

    ps_measurement_parse_statistics(&row, stats, &keys, divisor);
    if (row.value.kind == PS_NUM_NONE && !is_latency)
        return;
    r->odd += ps_measurement_add_samples(
        &r->builder, cJSON_GetObjectItemCaseSensitive(stats, "samples"), divisor);
    if (r->builder.n_samples)
        ps_measurement_compute_spread(&r->builder, &row);
    r->with_samples += r->builder.n_samples > 0;
    ps_measurement_add_numbers(&r->builder, stats, values, sizeof values / sizeof *values, divisor);
    ps_measurement_add_numbers(&r->builder, stats, &percent, 1, 1);
    ps_measurement_add_numbers(&r->builder, result, &total, is_latency, 1e3);
    ps_measurement_write(&r->builder, &row, is_latency ? "mean" : NULL);
}

/* A task that failed, was aborted, or did not run. The error is often {}, as JSON writes it. */
static void write_unmeasured(struct reader *r, struct ps_str name, const cJSON *result)
{
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(result, "error");
    struct ps_str message = ps_document_text(&r->builder.arena, error, "message");
    bool is_skipped = is_state(result, "not-started");
    struct ps_measurement row = {
        .name = name,
        .group = PS_STR(""),
        .metric = PS_STR("latency"),
        .better = PS_BETTER_LOWER,
        .state = is_skipped ? PS_MEASUREMENT_SKIPPED : PS_MEASUREMENT_FAILED,
        .unit = "s",
        .statistic = "mean",
    };

    r->failed += !is_skipped;
    if (!message.ptr)
        message = ps_document_text_of(&r->builder.arena, error);
    ps_measurement_add_text(&r->builder, "error", message);
    ps_measurement_write(&r->builder, &row, NULL);
}

static void write_runtime(struct reader *r, const cJSON *result)
{
    struct ps_str runtime = ps_document_text(&r->builder.arena, result, "runtime");
    struct ps_str version = ps_document_text(&r->builder.arena, result, "runtimeVersion");

    if (r->has_runtime || !runtime.len)
        return;
    r->has_runtime = true;
    ps_sink_meta(
        r->builder.out, "runtime",
        ps_str_from_c(ps_arena_printf(&r->builder.arena, "%s%s%s", runtime.ptr,
                                      version.len ? " " : "", version.len ? version.ptr : "")));
}

static bool write_task(struct reader *r, const cJSON *task)
{
    const cJSON *result = result_of(task);
    struct ps_str name = ps_document_text(&r->builder.arena, task, "name");

    if (!cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(result, "latency")) &&
        !cJSON_IsString(cJSON_GetObjectItemCaseSensitive(result, "state")))
        return false;
    if (!name.len) {
        name = ps_str_from_c(
            ps_arena_printf(&r->builder.arena, "task %llu", (unsigned long long)r->ledger.read));
        r->unnamed++;
    }
    write_runtime(r, result);
    if (!cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(result, "latency"))) {
        write_unmeasured(r, name, result);
        return true;
    }
    write_part(r, name, result, "latency", 1e3);
    write_part(r, name, result, "throughput", 1);
    return true;
}

static void write_end(struct reader *r)
{
    struct ps_sink *out = r->builder.out;

    ps_sink_count(out, PS_NOTE_WARNING, r->failed, "tasks that failed, which have no times");
    ps_sink_count(out, PS_NOTE_WARNING, r->odd, "samples skipped because they are not numbers");
    ps_sink_count(out, PS_NOTE_WARNING, r->unnamed,
                  "tasks without a name: `bench.results` has none; write { name: task.name, "
                  "...task.result } of each task");
    if (r->with_samples)
        ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "tinybench sorts samples: their order says nothing about drift");
    else
        ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "no samples in this file; set retainSamples in the options of Bench");
    r->ledger.stored = r->ledger.read - r->ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    out->ops->ledger(out, &r->ledger);
}

static enum ps_status read_root(void *data, const cJSON *root, struct ps_err *err)
{
    struct reader *r = data;
    const cJSON *tasks = root, *task;

    if (cJSON_IsObject(root))
        tasks = cJSON_GetObjectItemCaseSensitive(root, "tasks");
    if (cJSON_IsObject(root) && !tasks)
        tasks = cJSON_GetObjectItemCaseSensitive(root, "results");
    if (!cJSON_IsArray(tasks) || !tasks->child)
        return ps_fail(err, PS_BAD_INPUT,
                       "the document has no tasks" PS_HINT
                       "write JSON.stringify(bench.tasks.map((task) => ({ name: task.name, "
                       "...task.result })))");
    ps_sink_meta(r->builder.out, "tool", PS_STR("tinybench"));
    cJSON_ArrayForEach(task, tasks)
    {
        r->ledger.read++;
        if (!write_task(r, task) && r->ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "task %llu has no result", (unsigned long long)r->ledger.read);
    }
    write_end(r);
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .ledger = {.unit = "tasks"}};
    enum ps_status status =
        ps_measurement_read_document(in, out, FILE_BYTES_MAX, read_root, &r, err);

    ps_measurement_builder_free(&r.builder);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    struct ps_str body = ps_str_trim(head);

    if (!body.len || (body.ptr[0] != '{' && body.ptr[0] != '['))
        return PS_MATCH_NO;
    return ps_str_find(body, PS_STR("\"latency\"")) && ps_str_find(body, PS_STR("\"rme\"")) &&
                   (ps_str_find(body, PS_STR("\"samplesCount\"")) ||
                    ps_str_find(body, PS_STR("\"samples\"")))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_tinybench = {
    .kind = "tinybench",
    .label = "tinybench results",
    .description = "latency and throughput of each task of a JavaScript benchmark (JSON)",
    .record_command = "JSON.stringify(bench.tasks.map((task) => ({ name: task.name, "
                      "...task.result })))",
    .sniff = sniff,
    .load = load,
};
