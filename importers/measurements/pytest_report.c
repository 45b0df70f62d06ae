/* SPDX-License-Identifier: MIT */
/*
 * pytest_report.c: reads the file that `pytest --json-report` (pytest-json-report) writes: setup,
 * call and teardown of each test in seconds, with all digits.
 *
 * The row of a test is their sum, as in the JUnit XML of pytest; they are parts of it. A phase that
 * failed or was skipped has no value, nor has the test.
 */
#include <math.h>

#include "importers/document.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_document.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"

enum {
    FILE_BYTES_MAX = 256 << 20, /* bytes */
    MESSAGE_BYTES_MAX = 2048,
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    uint64_t failed, skipped;
};

static bool is_outcome(const cJSON *object, const char *outcome)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, "outcome");

    return cJSON_IsString(value) && strcmp(value->valuestring, outcome) == 0;
}

/* A test that fails as expected (xfailed) has a call that was "skipped". */
static enum ps_measurement_state state_of(const cJSON *phase)
{
    return is_outcome(phase, "passed")    ? PS_MEASURED
           : is_outcome(phase, "skipped") ? PS_MEASUREMENT_SKIPPED
                                          : PS_MEASUREMENT_FAILED;
}

/* What the phase failed with: the message of the exception, or the text that pytest shows. */
static void add_error(struct reader *r, const cJSON *phase)
{
    const cJSON *crash = cJSON_GetObjectItemCaseSensitive(phase, "crash");
    struct ps_str text = ps_document_text(&r->builder.arena, crash, "message");

    if (!text.ptr)
        text = ps_document_text(&r->builder.arena, phase, "longrepr");
    if (text.ptr)
        ps_measurement_add_text(&r->builder, "error", ps_truncate_text(text, MESSAGE_BYTES_MAX));
}

static const char *const phases[] = {"setup", "call", "teardown"};

/* Writes a phase, or the whole test (`metric` "time"), with the state and error of `phase`. */
static void write_row(struct reader *r, struct ps_str name, const char *metric, struct ps_num value,
                      const cJSON *phase)
{
    const bool is_test = strcmp(metric, "time") == 0;
    struct ps_measurement row = {
        .name = name,
        .group = PS_STR(""),
        .metric = ps_str_from_c(metric),
        .is_part = !is_test,
        .state = state_of(phase),
        .unit = "s",
        .statistic = "single",
        .loops = ps_int(1),
    };

    if (row.state != PS_MEASURED) {
        add_error(r, phase);
    } else if (value.kind != PS_NUM_NONE) {
        row.value = value;
        row.n = ps_int(1);
    }
    ps_measurement_split_test(&r->builder, &row);
    r->failed += is_test && row.state == PS_MEASUREMENT_FAILED;
    r->skipped += is_test && row.state == PS_MEASUREMENT_SKIPPED;
    ps_measurement_write(&r->builder, &row, is_test ? "time" : NULL);
}

static bool write_test(struct reader *r, const cJSON *test)
{
    struct ps_str name = ps_document_text(&r->builder.arena, test, "nodeid");
    const cJSON *worst = NULL;
    double sum = 0;

    for (size_t i = 0; i < 3; i++) {
        const cJSON *phase = cJSON_GetObjectItemCaseSensitive(test, phases[i]);
        struct ps_num value = ps_document_number(phase, "duration");

        sum += value.kind == PS_NUM_REAL ? value.r : NAN;
        if (cJSON_IsObject(phase) &&
            (!worst || state_of(worst) == PS_MEASURED || state_of(phase) == PS_MEASUREMENT_FAILED))
            worst = phase;
    }
    if (!name.len || !worst)
        return false;
    write_row(r, name, "time", isfinite(sum) ? ps_real(sum) : PS_NO_NUM, worst);
    for (size_t i = 0; i < 3; i++) {
        const cJSON *phase = cJSON_GetObjectItemCaseSensitive(test, phases[i]);

        if (cJSON_IsObject(phase))
            write_row(r, name, phases[i], ps_document_number(phase, "duration"), phase);
    }
    return true;
}

/* The environment is that of pytest-metadata: {"Python": "3.14.1", "Platform": "Linux-6.1-x86_64",
 * "Packages": {"pytest": "9.2.0"}}. */
static void write_meta(struct reader *r, const cJSON *root)
{
    const cJSON *environment = cJSON_GetObjectItemCaseSensitive(root, "environment"), *one;
    const cJSON *packages = cJSON_GetObjectItemCaseSensitive(environment, "Packages");
    struct ps_num created = ps_document_number(root, "created");
    struct ps_num duration = ps_document_number(root, "duration");
    PS_AUTO(ps_buf_free) struct ps_buf list = {0};

    ps_sink_meta(r->builder.out, "tool", PS_STR("pytest"));
    ps_measurement_write_meta(&r->builder, packages, "pytest", "tool_version");
    ps_measurement_write_meta(&r->builder, environment, "Python", "python");
    ps_measurement_write_meta(&r->builder, environment, "Platform", "system");
    cJSON_ArrayForEach(one, packages) if (cJSON_IsString(one) && one->string)
        ps_buf_printf(&list, "%s%s %s", list.len ? ", " : "", one->string, one->valuestring);
    if (list.len)
        ps_sink_meta(r->builder.out, "packages",
                     ps_measurement_display(&r->builder, ps_buf_slice(&list)));
    if (created.kind == PS_NUM_REAL && duration.kind == PS_NUM_REAL && created.r > 0 &&
        created.r < 1e11 && duration.r >= 0 && duration.r < created.r)
        ps_sink_recorded(r->builder.out, (int64_t)((created.r - duration.r) * 1e6),
                         (int64_t)(created.r * 1e6));
}

static enum ps_status read_root(void *data, const cJSON *root, struct ps_err *err)
{
    struct reader *r = data;
    const cJSON *tests = cJSON_GetObjectItemCaseSensitive(root, "tests"), *test;
    struct ps_ledger ledger = {.unit = "tests"};

    if (!cJSON_IsArray(tests))
        return ps_fail(err, PS_BAD_INPUT,
                       "the report has no \"tests\"" PS_HINT
                       "record it without --json-report-omit and --json-report-summary");
    write_meta(r, root);
    cJSON_ArrayForEach(test, tests)
    {
        ledger.read++;
        if (!write_test(r, test) && ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "test %llu has no name or no times", (unsigned long long)ledger.read);
    }
    ps_sink_count(r->builder.out, PS_NOTE_WARNING, r->failed,
                  "tests that failed, which have no time");
    ps_sink_count(r->builder.out, PS_NOTE_INFO, r->skipped,
                  "tests that were skipped, or failed as expected");
    ledger.stored = ledger.read - ledger.rejected;
    ps_measurement_write_headline(&r->builder);
    r->builder.out->ops->ledger(r->builder.out, &ledger);
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out, .counted = "tests"}};
    enum ps_status status =
        ps_measurement_read_document(in, out, FILE_BYTES_MAX, read_root, &r, err);

    ps_measurement_builder_free(&r.builder);
    return status;
}

/* The lists of a large report may begin behind `head`. */
static enum ps_match sniff(struct ps_str head)
{
    static const char *const words[] = {"\"exitcode\"", "\"duration\"", "\"summary\""};
    struct ps_str body = ps_str_trim(head);

    if (!ps_str_starts_with(body, PS_STR("{")))
        return PS_MATCH_NO;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!ps_str_find(body, ps_str_from_c(words[i])))
            return PS_MATCH_NO;
    return ps_str_find(body, PS_STR("\"nodeid\"")) || ps_str_find(body, PS_STR("\"collected\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_pytest_report = {
    .kind = "pytest-json-report",
    .label = "pytest JSON report",
    .description = "setup, call and teardown of each test in seconds (pytest-json-report)",
    .record_command = "pytest --json-report --json-report-file=report.json",
    .sniff = sniff,
    .load = load,
};
