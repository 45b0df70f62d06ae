/* SPDX-License-Identifier: MIT */
/*
 * test_durations.c: reads the lists of slowest tests that `pytest --durations` and `python -m
 * unittest --durations` print at the end of a run, anywhere in a log.
 *
 *     ============ slowest durations ============       Slowest test durations
 *     0.22s teardown test_t.py::test_a                  ------------------------------
 *     0.05s call     test_t.py::test_a                  0.020s     test_a (test_t.T.test_a)
 *
 * pytest prints 2 digits of setup, call and teardown, which are rows of their own, because short
 * ones are hidden. unittest prints 3 digits of all three together. The lists do not say which tests
 * failed; the summary of pytest does.
 */
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

enum {
    ROWS_MAX = 1000 * 1000,
    NAME_BYTES_MAX = 4096,
    NOTES_MAX = 50,
};

enum list { NO_LIST, PYTEST, UNITTEST };

struct reader {
    struct ps_measurement_builder builder;
    struct ps_report_reader in;
    enum list list; /* the list that is open */
    bool has_tool;
    size_t indent; /* bytes before the heading of the list */
    uint64_t rows, stored, rejected, hidden, failed;
    bool hides_short; /* unittest does not say how many it hides */
};

struct row {
    struct ps_printed_number seconds;
    const char *phase;
    struct ps_str name;
};

/* Finds "slowest durations =", "slowest 10 durations =" or "Slowest test durations". *begin: the
 * offset of the heading in its line. */
static enum list find_heading(struct ps_str line, size_t *begin)
{
    const char *at = ps_str_find(line, PS_STR("Slowest test durations"));
    struct ps_str rest;

    *begin = at ? (size_t)(at - line.ptr) : 0;
    if (at)
        return UNITTEST;
    at = ps_str_find(line, PS_STR("= slowest "));
    if (!at)
        return NO_LIST;
    rest = ps_str_skip(line, (size_t)(at - line.ptr) + 10);
    while (rest.len && rest.ptr[0] >= '0' && rest.ptr[0] <= '9')
        rest = ps_str_skip(rest, 1);
    ps_printed_skip_blanks(&rest);
    for (*begin = (size_t)(at - line.ptr); *begin && line.ptr[*begin - 1] == '=';)
        --*begin;
    return ps_str_starts_with(rest, PS_STR("durations =")) ? PYTEST : NO_LIST;
}

/* Whether the end of a name is there: parameters of pytest end in a bracket, names of unittest in a
 * parenthesis. */
static bool is_whole_name(enum list list, struct ps_str name)
{
    const char *file = ps_str_find(name, PS_STR(".py::")); /* folders may have brackets */
    struct ps_str test = ps_str_skip(name, file ? (size_t)(file - name.ptr) + 5 : 0);

    if (list == PYTEST)
        return test.len && (!memchr(test.ptr, '[', test.len) || test.ptr[test.len - 1] == ']');
    return name.len && name.ptr[name.len - 1] == ')';
}

static bool read_row(enum list list, struct ps_str line, struct row *out)
{
    static const char *const phases[] = {"setup", "call", "teardown"};

    if (!ps_printed_number_consume(&line, &out->seconds) ||
        out->seconds.resolution != (list == PYTEST ? 0.01 : 0.001) ||
        !ps_printed_word_consume(&line, "s "))
        return false;
    out->phase = list == UNITTEST ? "time" : NULL;
    for (size_t i = 0; list == PYTEST && i < 3 && !out->phase; i++)
        if (ps_printed_word_consume(&line, phases[i]) && line.len && line.ptr[0] == ' ')
            out->phase = phases[i];
    ps_printed_skip_blanks(&line);
    out->name = ps_report_trim_end(line);
    return out->phase && is_whole_name(list, out->name);
}

/* Whether the line begins like a row of the list. */
static bool begins_row(enum list list, struct ps_str line)
{
    struct ps_printed_number number;

    return ps_printed_number_consume(&line, &number) &&
           number.resolution == (list == PYTEST ? 0.01 : 0.001) &&
           ps_printed_word_consume(&line, "s");
}

/* For joining the lines of a wrapped log: a name of pytest may always continue. */
static enum ps_report_row classify_row(const void *reader, struct ps_str text)
{
    const struct reader *r = reader;
    struct row row;

    text = ps_report_without_prefix(text, r->indent);
    return read_row(UNITTEST, text, &row)                           ? PS_ROW_FINAL
           : read_row(PYTEST, text, &row)                           ? PS_ROW_COMPLETE
           : begins_row(UNITTEST, text) || begins_row(PYTEST, text) ? PS_ROW_INCOMPLETE
                                                                    : PS_ROW_NONE;
}

static void write_row(struct reader *r, const struct row *row)
{
    const struct ps_str test = ps_truncate_text(row->name, NAME_BYTES_MAX);
    struct ps_measurement out = {
        .name = test,
        .group = PS_STR(""),
        .metric = ps_str_from_c(row->phase),
        .unit = "s",
        .statistic = "single",
        .value = ps_real(row->seconds.value),
        .resolution = row->seconds.resolution,
        .n = ps_int(1),
        .loops = ps_int(1),
    };

    if (r->list == PYTEST) {
        ps_measurement_split_test(&r->builder, &out);
        out.benchmark = out.benchmark.ptr ? out.benchmark : test;
        out.name = ps_str_from_c(
            ps_arena_printf(&r->builder.arena, "%s %.*s", row->phase, (int)test.len, test.ptr));
    }
    ps_measurement_write(&r->builder, &out, row->phase);
    r->rows++;
    r->stored++;
}

/* "(7 durations < 0.005s hidden.  Use -vv to show these durations.)", "(durations < 0.001s were
 * hidden; use -v to show these durations)" */
static bool count_hidden(struct reader *r, struct ps_str text)
{
    struct ps_printed_number n = {0};

    if (!ps_printed_word_consume(&text, "(") || !ps_str_find(text, PS_STR("hidden")))
        return false;
    if (ps_printed_number_consume(&text, &n) && ps_printed_word_consume(&text, " durations < "))
        r->hidden += n.value < 1e9 ? (uint64_t)n.value : 0;
    else if (ps_str_starts_with(text, PS_STR("durations < ")))
        r->hides_short = true;
    else
        return false;
    r->stored++;
    return true;
}

/* A line of the list that is open: a row, or its end. */
static void parse_in_list(struct reader *r, struct ps_str text)
{
    struct ps_str body = ps_report_trim_end(ps_report_without_prefix(text, r->indent));
    struct row row;

    if (read_row(r->list, body, &row))
        write_row(r, &row);
    else if (count_hidden(r, body) || !body.len)
        return;
    else if (r->list == PYTEST && (ps_str_starts_with(body, PS_STR("FAILED ")) ||
                                   ps_str_starts_with(body, PS_STR("ERROR "))))
        r->failed++;
    else if (begins_row(r->list, body) && r->rejected++ < NOTES_MAX)
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                     "this line has a duration, but no test");
}

static void parse_line(struct reader *r)
{
    struct ps_str text = ps_report_visible_text(r->in.line.text);
    size_t begin;
    enum list list = find_heading(text, &begin);

    if (list == NO_LIST && r->list != NO_LIST) {
        parse_in_list(r, text);
    } else if (list != NO_LIST) {
        r->list = list;
        r->indent = begin;
        r->stored++;
        if (!r->has_tool)
            ps_sink_meta(r->builder.out, "tool",
                         list == PYTEST ? PS_STR("pytest") : PS_STR("unittest"));
        r->has_tool = true;
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        if (r->list != NO_LIST)
            ps_report_rejoin(&r->in, classify_row, r);
        parse_line(r);
        if (r->rows > ROWS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset,
                              "the log has more than %d durations", ROWS_MAX);
        if (ps_report_check(&r->in, r->builder.out, r->rows, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static void write_end(struct reader *r)
{
    struct ps_sink *out = r->builder.out;

    ps_sink_count(out, PS_NOTE_INFO, r->hidden,
                  "durations that pytest hides because they are short; `--durations=0 -vv` prints "
                  "all");
    if (r->hides_short)
        ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "unittest hides durations below 0.001 s; `--durations 0 -v` prints all");
    ps_sink_count(out, PS_NOTE_WARNING, r->failed,
                  "tests that failed: their durations end with the failure");
    ps_measurement_write_headline(&r->builder);
    ps_report_write_ledger(&r->in, out, r->stored, 0, r->rejected);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out, .counted = "tests"}, .in = {.in = in}};
    enum ps_status status;

    ps_report_detect_wrap(&r.in, classify_row, &r);
    status = read_log(&r, err);
    if (status == PS_OK && r.rows == 0)
        status = ps_fail(err, PS_BAD_INPUT,
                         "the list of slowest tests has no rows: all were too short" PS_HINT
                         "record them with `pytest --durations=0 -vv > tests.txt`");
    else if (status == PS_OK)
        write_end(&r);
    ps_report_free(&r.in);
    ps_measurement_builder_free(&r.builder);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    size_t begin;

    while (head.len)
        if (find_heading(ps_report_pop_line(&head), &begin) != NO_LIST)
            return PS_MATCH_SURE;
    return PS_MATCH_NO;
}

const struct ps_importer ps_test_durations = {
    .kind = "test-durations",
    .label = "Slowest tests",
    .description = "durations of tests, as pytest and unittest print them, in any log (rounded)",
    .record_command = "pytest --durations=0 -vv > tests.txt",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
