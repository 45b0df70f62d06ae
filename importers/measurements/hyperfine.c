/* SPDX-License-Identifier: MIT */
/*
 * hyperfine.c: reads the file that `hyperfine --export-json` writes: wall-clock, user and system
 * time of each command, peak memory, and the single runs.
 *
 * Versions 1.0 to 1.20 write arrays and means; version 2 writes an object per run and a summary.
 * Units are seconds and bytes. Version 1 subtracts the start of its shell from times; version 2
 * uses no shell. stddev is null for one run; an exit code is null if the command was ended by a
 * signal.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_document.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"

enum {
    FILE_BYTES_MAX = 256 << 20, /* bytes */
    NOTES_MAX = 50,
};

/* A metric that hyperfine measures for each command. */
struct part {
    const char *group, *unit;
    const char *values, *mean; /* keys in files of version 1; NULL: version 1 lacks the metric */
    const char *metric;        /* key in files of version 2 */
    const char *unit_name;     /* name of the unit in version 2; NULL: counts have none */
};

static const struct part parts[] = {
    {"wall clock", "s", "times", "mean", "time_wall_clock", "second"},
    {"user", "s", NULL, "user", "time_user", "second"},
    {"system", "s", NULL, "system", "time_system", "second"},
    {"CPU time", "s", NULL, NULL, "time_cpu", "second"},
    {"peak memory", "B", "memory_usage_byte", NULL, "memory_peak_resident", "byte"},
    {"CPU cycles", "", NULL, NULL, "cpu_cycles", NULL},
    {"instructions", "", NULL, NULL, "instructions", NULL},
    {"cache references", "", NULL, NULL, "cache_references", NULL},
    {"cache misses", "", NULL, NULL, "cache_misses", NULL},
    {"branch misses", "", NULL, NULL, "branch_misses", NULL},
};
#define N_PARTS (sizeof parts / sizeof *parts)

struct reader {
    struct ps_measurement_builder builder;
    const struct part *primary; /* what the tool reports first */
    uint64_t rejected, failed, timeless, odd;
};

static void add_sample(struct reader *r, const cJSON *value)
{
    if (cJSON_IsNumber(value) && isfinite(value->valuedouble))
        ps_measurement_add_sample(&r->builder, value->valuedouble);
    else if (!cJSON_IsNull(value))
        r->odd++;
}

/* Adds the runs of version 2: {"time_user": {"value": 0.1, "unit": "second"}, ..., "exit_code":
 * 0}. */
static void add_runs(struct reader *r, const cJSON *runs, const struct part *part)
{
    const cJSON *run;

    cJSON_ArrayForEach(run, runs)
    {
        const cJSON *metric = cJSON_GetObjectItemCaseSensitive(run, part->metric);
        const cJSON *unit = cJSON_GetObjectItemCaseSensitive(metric, "unit");

        if (!metric)
            continue;
        if (part->unit_name
                ? cJSON_IsString(unit) && strcmp(unit->valuestring, part->unit_name) == 0
                : !unit)
            add_sample(r, cJSON_GetObjectItemCaseSensitive(metric, "value"));
        else
            r->odd++;
    }
}

static void parse_metrics(struct ps_measurement *row, const cJSON *object)
{
    const struct {
        const char *key;
        struct ps_num *figure;
    } keys[] = {{"mean", &row->mean},
                {"stddev", &row->stddev},
                {"median", &row->median},
                {"min", &row->min},
                {"max", &row->max}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        *keys[i].figure = ps_document_number(object, keys[i].key);
}

/* Values are strings; version 2 writes {"n": {"value": "10"}}. The first versions wrote the value
 * of the only parameter as "parameter". */
static void add_parameters(struct reader *r, const cJSON *result)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(result, "parameters"), *one;
    const cJSON *only = cJSON_GetObjectItemCaseSensitive(result, "parameter");

    cJSON_ArrayForEach(one, all)
    {
        const cJSON *value =
            cJSON_IsObject(one) ? cJSON_GetObjectItemCaseSensitive(one, "value") : one;

        if (one->string && value)
            ps_measurement_add_parameter_of(&r->builder, ps_str_from_c(one->string), value);
    }
    if (only && !cJSON_IsNull(only))
        ps_measurement_add_parameter_of(&r->builder, PS_STR(""), only);
}

/* Adds the exit codes of the runs ("signal" for a run without exit code) and counts the commands
 * with a failed run. Returns whether a run of this one failed. */
static bool add_exit_codes(struct reader *r, const cJSON *result, const cJSON *runs)
{
    const cJSON *list = runs ? runs : cJSON_GetObjectItemCaseSensitive(result, "exit_codes"), *one;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    bool failed = false;

    cJSON_ArrayForEach(one, list)
    {
        const cJSON *code = runs ? cJSON_GetObjectItemCaseSensitive(one, "exit_code") : one;
        bool number = cJSON_IsNumber(code);

        ps_buf_puts(&text, text.len ? " " : "");
        if (number)
            ps_buf_printf(&text, "%.0f", code->valuedouble);
        else
            ps_buf_puts(&text, "signal");
        failed = failed || !number || code->valuedouble != 0;
    }
    r->failed += failed;
    if (text.len)
        ps_measurement_add_text(&r->builder, "exit codes",
                                ps_arena_copy(&r->builder.arena, ps_buf_slice(&text)));
    return failed;
}

static struct ps_str name_of(struct reader *r, const cJSON *result)
{
    struct ps_str name = ps_document_text(&r->builder.arena, result, "name");

    return name.ptr ? name : ps_document_text(&r->builder.arena, result, "command");
}

static void write_part(struct reader *r, const cJSON *result, const struct part *part)
{
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(result, "measurements");
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(result, "summary");
    bool wall = part == parts, primary = part == r->primary, failed = false;
    struct ps_measurement row = {
        .name = name_of(r, result),
        .group = ps_str_from_c(part->group),
        .metric = ps_str_from_c(part->group),
        .is_part = !primary,
        .better = PS_BETTER_LOWER,
        .unit = part->unit,
        .statistic = "mean",
        .loops = ps_int(1),
    };

    if (cJSON_IsArray(runs)) {
        add_runs(r, runs, part);
        parse_metrics(&row, cJSON_GetObjectItemCaseSensitive(summary, part->metric));
    } else {
        if (part->values)
            r->odd += ps_measurement_add_samples(
                &r->builder, cJSON_GetObjectItemCaseSensitive(result, part->values), 1);
        if (wall)
            parse_metrics(&row, result);
        else if (part->mean)
            row.mean = ps_document_number(result, part->mean);
    }
    if (primary)
        failed = add_exit_codes(r, result, cJSON_IsArray(runs) ? runs : NULL);
    if (!primary && r->builder.n_samples == 0 && row.mean.kind == PS_NUM_NONE)
        return;
    if (primary || r->builder.n_samples)
        ps_measurement_compute_spread(&r->builder, &row);
    row.value = row.mean;
    r->timeless += primary && row.value.kind == PS_NUM_NONE;
    add_parameters(r, result);
    ps_measurement_write(&r->builder, &row, primary && !failed ? "mean" : NULL);
}

static bool is_result(const cJSON *result)
{
    return cJSON_IsString(cJSON_GetObjectItemCaseSensitive(result, "command"));
}

static void write_parts(struct reader *r, const cJSON *results, const struct part *part)
{
    const cJSON *result;

    cJSON_ArrayForEach(result, results)
    {
        if (is_result(result))
            write_part(r, result, part);
    }
}

/* The metric that version 2 reports first; the wall clock in files of version 1. */
static const struct part *primary_part(const cJSON *root)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(root, "primary_metric");

    for (size_t i = 0; cJSON_IsString(name) && i < N_PARTS; i++)
        if (strcmp(parts[i].metric, name->valuestring) == 0)
            return &parts[i];
    return parts;
}

/* Version 2 states itself, the system and the processor: {"os": "Linux", "architecture": "x86_64"}.
 * Version 1 states nothing. */
static void write_metadata(struct reader *r, const cJSON *root)
{
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(root, "metadata");
    const cJSON *platform = cJSON_GetObjectItemCaseSensitive(metadata, "platform");

    ps_sink_meta(r->builder.out, "tool", PS_STR("hyperfine"));
    ps_measurement_write_meta(&r->builder, metadata, "hyperfine_version", "tool_version");
    ps_measurement_write_meta(&r->builder, metadata, "start_time", "recorded_at");
    ps_measurement_write_meta(&r->builder, platform, "os", "system");
    ps_measurement_write_meta(&r->builder, platform, "architecture", "machine");
    if (cJSON_GetObjectItemCaseSensitive(root, "schema_version"))
        return;
    ps_sink_meta(r->builder.out, "tool_version", PS_STR("1.x"));
    if (!cJSON_GetObjectItemCaseSensitive(root, "results")->child)
        return;
    ps_sink_note(r->builder.out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                 "hyperfine 1 subtracts the start of its shell from times, hyperfine 2 uses no "
                 "shell: do not compare times of one with times of the other");
}

static void write_notes(struct reader *r)
{
    const struct {
        uint64_t n;
        const char *what;
    } notes[] = {
        {r->failed, "commands with a run that failed or was ended by a signal"},
        {r->timeless, "commands without times"},
        {r->odd, "values dropped because they are not numbers or have another unit"},
    };

    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (notes[i].n)
            ps_sink_note(r->builder.out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0, "%s: %llu",
                         notes[i].what, (unsigned long long)notes[i].n);
}

static void write_all(struct reader *r, const cJSON *root)
{
    const cJSON *results = cJSON_GetObjectItemCaseSensitive(root, "results"), *result;
    struct ps_ledger ledger = {.unit = "results"};

    write_metadata(r, root);
    r->primary = primary_part(root);
    write_parts(r, results, r->primary);
    for (size_t i = 0; i < N_PARTS; i++)
        if (&parts[i] != r->primary)
            write_parts(r, results, &parts[i]);
    cJSON_ArrayForEach(result, results)
    {
        ledger.read++;
        if (!is_result(result) && ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "result %llu has no command", (unsigned long long)ledger.read);
    }
    write_notes(r);
    ledger.stored = ledger.read - ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, &ledger);
}

static enum ps_status read_root(void *data, const cJSON *root, struct ps_err *err)
{
    if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(root, "results")))
        return ps_fail(err, PS_BAD_INPUT,
                       "the document has no \"results\"" PS_HINT
                       "add the file that `hyperfine --export-json` wrote");
    write_all(data, root);
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

static struct ps_str skip_blanks(struct ps_str text)
{
    while (text.len && strchr(" \t\r\n", text.ptr[0]) && text.ptr[0])
        text = ps_str_skip(text, 1);
    return text;
}

/* Recognises a file by a result with a command, and a mean or single runs. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_str body = skip_blanks(head), rest;

    if (!ps_str_starts_with(body, PS_STR("{")))
        return PS_MATCH_NO;
    body = skip_blanks(ps_str_skip(body, 1));
    if (!ps_str_starts_with(body, PS_STR("\"results\"")) &&
        !ps_str_starts_with(body, PS_STR("\"schema_version\"")) &&
        !ps_str_starts_with(body, PS_STR("\"metadata\"")))
        return PS_MATCH_NO;
    if (ps_str_find(body, PS_STR("\"command\"")) && ps_str_find(body, PS_STR("\"results\"")))
        return ps_str_find(body, PS_STR("\"mean\"")) ||
                       ps_str_find(body, PS_STR("\"time_wall_clock\""))
                   ? PS_MATCH_SURE
                   : PS_MATCH_NO;
    rest = skip_blanks(ps_str_skip(body, 9));
    if (!ps_str_starts_with(body, PS_STR("\"results\"")) || !ps_str_starts_with(rest, PS_STR(":")))
        return PS_MATCH_NO;
    rest = skip_blanks(ps_str_skip(rest, 1));
    if (!ps_str_starts_with(rest, PS_STR("[")))
        return PS_MATCH_NO;
    rest = skip_blanks(ps_str_skip(rest, 1)); /* empty results: {"results": []} */
    rest = ps_str_starts_with(rest, PS_STR("]")) ? skip_blanks(ps_str_skip(rest, 1)) : PS_STR("");
    return ps_str_starts_with(rest, PS_STR("}")) ? PS_MATCH_SURE : PS_MATCH_NO;
}

const struct ps_importer ps_hyperfine = {
    .kind = "hyperfine",
    .label = "hyperfine result",
    .description =
        "wall clock, user and system time and peak memory of commands, run by run (JSON)",
    .record_command = "hyperfine --export-json result.json 'app'",
    .sniff = sniff,
    .load = load,
};
