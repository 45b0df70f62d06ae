/* SPDX-License-Identifier: MIT */
/*
 * junit.c: reads reports of tests in the XML format of JUnit, which pytest, Maven, Gradle, Jest, Go
 * tools and many others write.
 *
 *     <testsuites><testsuite name="pytest" hostname="box" timestamp="..."><testcase
 *     classname="test_t" name="test_a" time="0.152"/>...
 *
 * The time of a test includes that of its fixtures, unless pytest was told otherwise
 * (junit_duration_report=call), which the file does not say. Tests that failed or were skipped are
 * rows without a value, because their time is not that of the test.
 */
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/reading.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/xml_in.h"

enum {
    FILE_BYTES_MAX = 256 << 20, /* bytes */
    TESTS_MAX = 1000 * 1000,
    MESSAGE_BYTES_MAX = 2048,
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_xml_in xml;
    struct ps_buf value; /* of an attribute */
    size_t suite_depth;  /* number of test suites around */
    bool has_meta;
    /* the current test */
    bool in_test;
    size_t test_depth; /* of its element */
    struct ps_measurement row;
    bool has_message;
    struct ps_buf message;
    uint64_t read, rejected, failed, skipped, timeless;
};

/* The value of an attribute of the element that begins, for display; {NULL, 0} if it is absent or
 * empty. */
static struct ps_str attribute(struct reader *r, const char *name)
{
    r->value.len = 0;
    if (!ps_xml_in_attribute(&r->xml, name, &r->value) || !r->value.len)
        return (struct ps_str){NULL, 0};
    return ps_measurement_display(&r->builder, ps_buf_slice(&r->value));
}

static void write_meta(struct reader *r, const char *from, const char *key)
{
    struct ps_str text = attribute(r, from);

    if (text.ptr)
        ps_sink_meta(r->builder.out, key, text);
}

/* Only the first suite with these facts counts: the others are of the same run. */
static void begin_suite(struct reader *r)
{
    struct ps_str name = attribute(r, "name");

    if (r->has_meta || !attribute(r, "timestamp").ptr)
        return;
    r->has_meta = true;
    if (ps_str_eq_c(name, "pytest"))
        ps_sink_meta(r->builder.out, "tool", name);
    write_meta(r, "hostname", "host");
    write_meta(r, "timestamp", "recorded_at");
}

/* Parses "0.152", and "1,234.567" as older versions of Maven write it. */
static bool read_time(struct ps_str text, struct ps_printed_number *out)
{
    char plain[64];
    size_t n = 0;

    if (!text.len || text.len > sizeof plain)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ',' || !memchr(text.ptr, '.', text.len))
            plain[n++] = text.ptr[i];
    return ps_printed_number_parse((struct ps_str){plain, n}, 0, out);
}

static void begin_test(struct reader *r)
{
    struct ps_str name = attribute(r, "name"), class = attribute(r, "classname");
    struct ps_str time = attribute(r, "time"), status = attribute(r, "status");
    struct ps_printed_number seconds;

    r->in_test = true;
    r->test_depth = r->xml.depth;
    r->has_message = false;
    r->message.len = 0;
    r->row = (struct ps_measurement){
        .name = class.len ? ps_str_from_c(ps_arena_printf(&r->builder.arena, "%s.%s", class.ptr,
                                                          name.ptr ? name.ptr : ""))
                          : name,
        .group = PS_STR(""),
        .metric = PS_STR("time"),
        .unit = "s",
        .statistic = "single",
        .loops = ps_int(1),
    };
    if (!name.len)
        r->row.name = (struct ps_str){NULL, 0};
    if (ps_str_eq_c(status, "notrun") || ps_str_eq_c(status, "disabled"))
        r->row.state = PS_MEASUREMENT_SKIPPED;
    if (!read_time(time, &seconds))
        return;
    r->row.value = ps_real(seconds.value);
    r->row.resolution = seconds.resolution;
}

/* An element inside of a test. */
static void begin_outcome(struct reader *r)
{
    struct ps_str message;

    if (ps_str_eq_c(r->xml.name, "failure") || ps_str_eq_c(r->xml.name, "error"))
        r->row.state = PS_MEASUREMENT_FAILED;
    else if (ps_str_eq_c(r->xml.name, "skipped") && r->row.state == PS_MEASURED)
        r->row.state = PS_MEASUREMENT_SKIPPED;
    else
        return;
    message = attribute(r, "message");
    if (!message.ptr)
        message = attribute(r, "type");
    if (message.ptr && !r->has_message)
        ps_buf_add_str(&r->message, message);
    r->has_message |= message.ptr != NULL;
}

static void end_test(struct reader *r)
{
    struct ps_measurement *row = &r->row;

    r->in_test = false;
    r->read++;
    if (!row->name.ptr) {
        if (r->rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, r->xml.at, 0, "test %llu has no name",
                         (unsigned long long)r->read);
        return;
    }
    ps_measurement_split_test(&r->builder, row);
    if (r->message.len)
        ps_measurement_add_text(
            &r->builder, "error",
            ps_measurement_display(&r->builder,
                                   ps_truncate_text(ps_buf_slice(&r->message), MESSAGE_BYTES_MAX)));
    if (row->state != PS_MEASURED && row->value.kind != PS_NUM_NONE) {
        if (row->state == PS_MEASUREMENT_FAILED)
            ps_measurement_add_number(&r->builder, "seconds until it failed", row->value);
        row->value = PS_NO_NUM;
        row->resolution = 0;
    }
    r->failed += row->state == PS_MEASUREMENT_FAILED;
    r->skipped += row->state == PS_MEASUREMENT_SKIPPED;
    r->timeless += row->state == PS_MEASURED && row->value.kind == PS_NUM_NONE;
    if (row->value.kind != PS_NUM_NONE)
        row->n = ps_int(1);
    ps_measurement_write(&r->builder, row, "time");
}

static void read_event(struct reader *r)
{
    if (r->xml.event == PS_XML_START && ps_str_eq_c(r->xml.name, "testsuite"))
        begin_suite(r);
    else if (r->xml.event == PS_XML_START && ps_str_eq_c(r->xml.name, "testcase") && !r->in_test)
        begin_test(r);
    else if (r->xml.event == PS_XML_START && r->in_test && r->xml.depth == r->test_depth + 1)
        begin_outcome(r);
    else if (r->xml.event == PS_XML_END && r->in_test && r->xml.depth == r->test_depth - 1)
        end_test(r);
}

static void write_end(struct reader *r)
{
    struct ps_sink *out = r->builder.out;
    struct ps_ledger ledger = {
        .unit = "tests", .read = r->read, .rejected = r->rejected, .stored = r->read - r->rejected};

    if (r->xml.event == PS_XML_CUT)
        ps_sink_note(out, PS_NOTE_WARNING, r->xml.at, 0,
                     "the file ends inside of an element: its end is missing");
    ps_sink_count(out, PS_NOTE_WARNING, r->failed, "tests that failed, which have no time");
    ps_sink_count(out, PS_NOTE_INFO, r->skipped, "tests that were skipped");
    ps_sink_count(out, PS_NOTE_WARNING, r->timeless, "tests without a time");
    ps_measurement_write_headline(&r->builder);
    out->ops->ledger(out, &ledger);
}

static enum ps_status read_tests(struct reader *r, struct ps_stream *in, struct ps_err *err)
{
    uint64_t events = 0;

    while (ps_xml_in_next(&r->xml) < PS_XML_FINISHED) {
        read_event(r);
        if (r->read > TESTS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->xml.at, "the report has more than %d tests",
                              TESTS_MAX);
        if (++events % 4096 == 0 && ps_reading_check(in, r->builder.out, r->read, err) != PS_OK)
            return PS_CANCELLED;
    }
    if (r->xml.event == PS_XML_BAD)
        return ps_fail_at(err, PS_BAD_INPUT, r->xml.at, "the XML cannot be read: %s", r->xml.why);
    if (!r->read)
        return ps_fail(err, PS_BAD_INPUT,
                       "the report has no tests" PS_HINT
                       "add the file that `pytest --junitxml=report.xml` wrote");
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {.builder = {.out = out, .counted = "tests"}};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "report", &bytes, out, err);

    if (status != PS_OK)
        return status;
    r.xml.text = ps_buf_slice(&bytes);
    status = read_tests(&r, in, err);
    if (status == PS_OK)
        write_end(&r);
    ps_buf_free(&r.value);
    ps_buf_free(&r.message);
    ps_measurement_builder_free(&r.builder);
    return status;
}

/* Recognises the root element. Comments may precede it. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_xml_in xml = {.text = head};

    if (ps_xml_in_next(&xml) != PS_XML_START) /* or a document type, which is refused */
        return ps_str_starts_with(ps_str_trim(head), PS_STR("<")) &&
                       ps_str_find(head, PS_STR("<!DOCTYPE testsuite"))
                   ? PS_MATCH_SURE
                   : PS_MATCH_NO;
    return ps_str_eq_c(xml.name, "testsuites") || ps_str_eq_c(xml.name, "testsuite") ? PS_MATCH_SURE
                                                                                     : PS_MATCH_NO;
}

const struct ps_importer ps_junit = {
    .kind = "junit",
    .label = "JUnit test report",
    .description = "time and outcome of each test, in the XML that pytest and many others write",
    .record_command = "pytest --junitxml=report.xml",
    .sniff = sniff,
    .load = load,
};
