/* SPDX-License-Identifier: MIT */
/*
 * pytest_benchmark_text.c: the tables that pytest-benchmark prints, one or several in any log.
 *
 * Figures are rounded to four decimals of the unit that fits the table; names are those of the
 * tests, without their files. Any columns in any order, as --benchmark-columns asks for them.
 */
#include <stdlib.h>

#include "importers/clean.h"
#include "importers/importer.h"
#include "importers/measure.h"
#include "importers/pytest_benchmark_text.h"
#include "importers/text_report.h"

enum {
    MOST_ROWS = 1000 * 1000,
    LONGEST_NAME = 4096,
    TOLD = 50,
};

struct reader {
    struct ps_measuring m;
    struct ps_report_reader in;
    struct ps_pb_header header; /* n is 0: no table is open */
    bool begun;                 /* the rule between its header and its rows was read */
    bool paused;                /* an empty line came: only rows go on with the table */
    struct ps_buf group;
    uint64_t tables, rows, stored, rejected;
};

static void fill(struct ps_num *figure, const struct ps_pb_row *row, enum ps_pb_column column)
{
    if (row->has[column])
        *figure = ps_real(row->value[column].value);
}

/* What stands for the benchmark: the mean, else the best that was asked for. */
static void choose(struct ps_measurement *out, const struct ps_pb_row *row)
{
    static const struct {
        enum ps_pb_column column;
        const char *statistic;
    } order[] = {{PS_PB_MEAN, "mean"}, {PS_PB_MEDIAN, "median"}, {PS_PB_MIN, "best"}};

    out->statistic = "mean";
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!row->has[order[i].column])
            continue;
        out->value = ps_real(row->value[order[i].column].value);
        out->resolution = row->value[order[i].column].resolution;
        out->statistic = order[i].statistic;
        return;
    }
}

static void add_rest(struct reader *r, const struct ps_pb_row *row)
{
    if (row->has[PS_PB_ITERATIONS])
        ps_measure_number(&r->m, "iterations", ps_int((int64_t)row->value[PS_PB_ITERATIONS].value));
    if (row->has[PS_PB_OUTLIERS]) {
        ps_measure_number(&r->m, "stddev_outliers", ps_int(row->outliers[0]));
        ps_measure_number(&r->m, "iqr_outliers", ps_int(row->outliers[1]));
    }
    if (row->has[PS_PB_OPS])
        ps_measure_number(&r->m, "ops", ps_real(row->value[PS_PB_OPS].value));
    if (row->has[PS_PB_IQR])
        ps_measure_number(&r->m, "iqr", ps_real(row->value[PS_PB_IQR].value));
}

static void tell_row(struct reader *r, const struct ps_pb_row *row)
{
    struct ps_measurement out = {
        .name = ps_text_head(row->name, LONGEST_NAME),
        .group = r->group.len ? ps_buf_slice(&r->group) : PS_STR(""),
        .unit = "s",
    };

    fill(&out.mean, row, PS_PB_MEAN);
    fill(&out.stddev, row, PS_PB_STDDEV);
    fill(&out.median, row, PS_PB_MEDIAN);
    fill(&out.min, row, PS_PB_MIN);
    fill(&out.max, row, PS_PB_MAX);
    if (row->has[PS_PB_ROUNDS])
        out.n = ps_int((int64_t)row->value[PS_PB_ROUNDS].value);
    choose(&out, row);
    add_rest(r, row);
    ps_measure_tell(&r->m, &out, out.statistic);
    r->rows++;
    r->stored++;
}

static bool is_rule(struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] != '-')
            return false;
    return true;
}

static void take_in_table(struct reader *r, struct ps_str text)
{
    struct ps_str body = ps_report_trim(ps_report_behind(text, r->header.left));
    bool rule = is_rule(body);
    struct ps_pb_row row;

    if (!body.len) {
        r->paused = true;
    } else if (rule) { /* the second one ends the table */
        r->stored++;
        if (r->begun)
            r->header.n = 0;
        r->begun = true;
    } else if (ps_pb_row(&r->header, text, &row)) {
        tell_row(r, &row);
        r->paused = false;
    } else if (!r->paused && r->rejected++ < TOLD) {
        ps_sink_note(r->m.out, PS_NOTE_REJECTED, r->in.line.at, r->in.line.number,
                     "this line inside a table is not a table row");
    }
}

static void take_line(struct reader *r)
{
    struct ps_str text = ps_report_shown(r->in.line.text), group;
    struct ps_pb_header header;

    if (ps_pb_title(text, &group)) {
        r->header.n = 0;
        r->group.len = 0;
        ps_buf_str(&r->group, ps_text_head(group, LONGEST_NAME));
        r->stored++;
    } else if (ps_pb_header(text, &header)) {
        r->header = header;
        r->begun = r->paused = false;
        r->tables++;
        r->stored++;
    } else if (r->header.n) {
        take_in_table(r, text);
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_next(&r->in)) {
        take_line(r);
        if (r->rows > MOST_ROWS)
            return ps_fail_at(err, PS_LIMIT, r->in.line.at, "the log has more than %d benchmarks",
                              MOST_ROWS);
        if (ps_report_goes_on(&r->in, r->m.out, r->rows, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static void tell_all(struct reader *r)
{
    r->m.out->ops->meta(r->m.out, "tool", PS_STR("pytest-benchmark"));
    ps_sink_note(r->m.out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0,
                 "printed values are rounded, and test names have no files; `--benchmark-json` "
                 "keeps exact values, files and rounds");
    ps_measure_headline(&r->m);
    ps_report_ledger(&r->in, r->m.out, r->stored, 0, r->rejected);
}

static enum ps_match sniff(struct ps_str head)
{
    static const struct ps_str words = PS_STR("Name (time in ");
    const char *at;

    while ((at = ps_str_find(head, words))) {
        const char *end = memchr(at, '\n', head.len - (size_t)(at - head.at));
        struct ps_pb_header header;

        head = ps_str_skip(head, (size_t)(at - head.at));
        if (ps_pb_header((struct ps_str){at, end ? (size_t)(end - at) : head.len}, &header))
            return PS_MATCH_SURE;
        head = ps_str_skip(head, words.len);
    }
    return PS_MATCH_NO;
}

/* A header that lacks its last columns is one, too. */
static size_t columns_of(struct ps_str text)
{
    struct ps_pb_header header;
    size_t n = 0;

    while (text.len) {
        struct ps_str line = ps_report_cut(&text);

        n += ps_pb_header(line, &header) ? header.n : 0;
    }
    return n;
}

/* The header is only whole when the text is unwrapped. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return sniff(head) == PS_MATCH_NO && sniff(unwrapped) != PS_MATCH_NO;
}

/* Whether the header of a table was wrapped: then it has more columns once its lines are joined. */
static bool is_cut(struct ps_str head, struct ps_str unwrapped)
{
    return columns_of(unwrapped) > columns_of(head);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.m = {.out = out}, .in = {.in = in}};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, NULL, NULL);
    ps_report_warn_wrapped(&r.in, out, is_cut);
    status = read_log(&r, err);

    if (status == PS_OK && r.rows == 0) {
        status = ps_fail(err, PS_BAD_INPUT, "the pytest-benchmark table has no rows");
        ps_hint(
            err,
            "the table was truncated; measure again with `pytest --benchmark-json result.json`");
    } else if (status == PS_OK) {
        tell_all(&r);
    }
    ps_report_free(&r.in);
    ps_buf_free(&r.group);
    ps_measure_free(&r.m);
    return status;
}

const struct ps_importer ps_pytest_benchmark_text = {
    .kind = "pytest-benchmark",
    .label = "Printed pytest-benchmark table",
    .what = "seconds per iteration of each benchmark, as pytest prints them, in any log (rounded, "
            "without raw rounds)",
    .record = "pytest --benchmark-only > benchmarks.txt",
    .sniff = sniff,
    .load = load,
};
