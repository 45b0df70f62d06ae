/* SPDX-License-Identifier: MIT */
/*
 * pytest_benchmark_text.c: reads the tables that pytest-benchmark prints, one or several in a log.
 *
 * Values are rounded to four decimals of the unit of the table. Names are test names without file
 * names. Any columns in any order are read, as selected by --benchmark-columns.
 */
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

enum column { MIN, MAX, MEAN, STDDEV, MEDIAN, IQR, OUTLIERS, OPS, ROUNDS, ITERATIONS, COLUMNS };

struct header {
    size_t indent, n; /* bytes before the table; number of columns after the name */
    int time, ops;    /* powers of ten of the units of times and of operations per second */
    enum column columns[COLUMNS];
};

struct row {
    struct ps_str name;
    bool has_column[COLUMNS];
    struct ps_printed_number value[COLUMNS]; /* seconds; operations per second; counts */
    int64_t outliers[2]; /* number of outliers by more than one stddev; by more than 1.5 IQR */
};

enum { NUMBER_BYTES_MAX = 48 };

static const char *const titles[COLUMNS] = {
    "Min", "Max", "Mean", "StdDev", "Median", "IQR", "Outliers", "OPS", "Rounds", "Iterations",
};

/* Reads the unit in "Name (time in us)". */
static bool parse_unit(struct ps_str *rest, int *shift)
{
    static const struct {
        const char *name;
        int shift;
    } units[] = {{"ns)", -9}, {"us)", -6}, {"\xc2\xb5s)", -6}, {"\xce\xbcs)", -6},
                 {"ms)", -3}, {"s)", 0},   {"sec)", 0}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ps_printed_word_consume(rest, units[i].name)) {
            *shift = units[i].shift;
            return true;
        }
    return false;
}

/* Reads "(Kops/s)" after OPS. */
static bool parse_ops_unit(struct ps_str word, int *shift)
{
    static const char prefixes[] = "numKMGT";
    static const int shifts[] = {-9, -6, -3, 3, 6, 9, 12};
    const char *at;

    if (word.len != 8 || word.ptr[0] != '(' || memcmp(word.ptr + 2, "ops/s)", 6) != 0)
        return false;
    at = memchr(prefixes, word.ptr[1], sizeof prefixes - 1);
    if (at)
        *shift = shifts[at - prefixes];
    return at;
}

static bool parse_title(struct header *out, struct ps_str word)
{
    if (word.len > 3 && memcmp(word.ptr + word.len - 3, "(*)", 3) == 0)
        word.len -= 3; /* older versions print "Outliers(*)" */
    for (int i = 0; i < COLUMNS; i++)
        if (ps_str_eq_c(word, titles[i]) && out->n < COLUMNS) {
            out->columns[out->n++] = (enum column)i;
            return true;
        }
    return out->n && out->columns[out->n - 1] == OPS && parse_ops_unit(word, &out->ops);
}

/* Parses the header "Name (time in us)   Min   Max ...", with the selected columns. */
static bool read_header(struct ps_str line, struct header *out)
{
    static const struct ps_str words = PS_STR("Name (time in ");
    const char *at = ps_str_find(line, words);
    struct ps_str rest, word;

    *out = (struct header){.n = 0};
    if (!at)
        return false;
    out->indent = (size_t)(at - line.ptr);
    rest = ps_report_trim_end(ps_str_skip(line, out->indent + words.len));
    if (!parse_unit(&rest, &out->time))
        return false;
    while ((word = ps_report_pop_word(&rest)).len)
        if (!parse_title(out, word))
            return false;
    return out->n > 0;
}

/* Parses "---- benchmark 'name': 3 tests ----": the group, empty if there is none. */
static bool read_title(struct ps_str line, struct ps_str *group)
{
    static const struct ps_str words = PS_STR("- benchmark");
    const char *at = ps_str_find(line, words), *end;
    struct ps_str rest;

    if (!at)
        return false;
    rest = ps_str_skip(line, (size_t)(at - line.ptr) + words.len);
    end = ps_str_find(rest, PS_STR(" tests -"));
    if (!end)
        return false;
    rest.len = (size_t)(end - rest.ptr);
    while (rest.len && rest.ptr[rest.len - 1] >= '0' && rest.ptr[rest.len - 1] <= '9')
        rest.len--;
    if (rest.len < 2 || memcmp(rest.ptr + rest.len - 2, ": ", 2) != 0)
        return false;
    rest.len -= 2;
    ps_printed_skip_blanks(&rest);
    if (rest.len > 1 && strchr("'\"", rest.ptr[0]) && rest.ptr[rest.len - 1] == rest.ptr[0])
        rest = (struct ps_str){rest.ptr + 1, rest.len - 2};
    *group = rest;
    return true;
}

/* Removes the last word from *rest and returns it. */
static struct ps_str last_word(struct ps_str *rest)
{
    struct ps_str word = {rest->ptr, 0};

    while (rest->len && rest->ptr[rest->len - 1] == ' ')
        rest->len--;
    while (rest->len && rest->ptr[rest->len - 1] != ' ') {
        rest->len--;
        word.len++;
    }
    word.ptr = rest->ptr + rest->len;
    return word;
}

/* Parses "1,620.6601", with commas as thousands separators. */
static bool read_number(struct ps_str word, int shift, struct ps_printed_number *out)
{
    char plain[NUMBER_BYTES_MAX];
    size_t n = 0;

    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == ',')
            continue;
        if (n == sizeof plain)
            return false;
        plain[n++] = word.ptr[i];
    }
    return ps_printed_number_parse((struct ps_str){plain, n}, shift, out);
}

/* Parses "13;27". */
static bool read_outliers(struct ps_str word, int64_t out[2])
{
    const char *part = word.len ? memchr(word.ptr, ';', word.len) : NULL;
    size_t n = part ? (size_t)(part - word.ptr) : 0;

    return part && ps_str_parse_i64((struct ps_str){word.ptr, n}, &out[0]) &&
           ps_str_parse_i64(ps_str_skip(word, n + 1), &out[1]);
}

static bool parse_value(const struct header *header, enum column column, struct ps_str word,
                        struct row *out)
{
    int shift = column == OPS ? header->ops : column < OUTLIERS ? header->time : 0;
    int64_t whole;

    out->has_column[column] = true;
    if (column == OUTLIERS)
        return read_outliers(word, out->outliers);
    if (ps_str_eq_c(word, "inf") || ps_str_eq_c(word, "nan")) {
        out->has_column[column] = false;
        return true;
    }
    if (column >= ROUNDS && !ps_str_parse_i64(word, &whole))
        return false;
    return read_number(word, shift, &out->value[column]);
}

/* Parses a row from the end, because names may contain spaces. Most values are followed by their
 * ratio to the best, in parentheses. */
static bool read_row(const struct header *header, struct ps_str line, struct row *out)
{
    struct ps_str rest = ps_report_without_prefix(line, header->indent);

    *out = (struct row){.name = PS_STR("")};
    for (size_t i = header->n; i > 0; i--) {
        struct ps_str word = last_word(&rest);

        if (word.len && word.ptr[0] == '(' && word.ptr[word.len - 1] == ')')
            word = last_word(&rest);
        if (!word.len || !parse_value(header, header->columns[i - 1], word, out))
            return false;
    }
    out->name = ps_report_trim_end(rest);
    return out->name.len > 0;
}

enum {
    ROWS_MAX = 1000 * 1000,
    NAME_BYTES_MAX = 4096,
    NOTES_MAX = 50,
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_report_reader in;
    struct header header; /* n 0: no table is open */
    bool has_begun;       /* the rule between the header and the rows was read */
    bool paused;          /* an empty line was read: now only a row continues the table */
    struct ps_buf group;
    uint64_t tables, rows, stored, rejected;
};

static void fill_figure(struct ps_num *figure, const struct row *row, enum column column)
{
    if (row->has_column[column])
        *figure = ps_real(row->value[column].value);
}

/* Chooses the value of the benchmark: the mean, else the median, else the minimum, depending on the
 * columns. */
static void choose_value(struct ps_measurement *out, const struct row *row)
{
    static const struct {
        enum column column;
        const char *statistic;
    } order[] = {{MEAN, "mean"}, {MEDIAN, "median"}, {MIN, "best"}};

    out->statistic = "mean";
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!row->has_column[order[i].column])
            continue;
        out->value = ps_real(row->value[order[i].column].value);
        out->resolution = row->value[order[i].column].resolution;
        out->statistic = order[i].statistic;
        return;
    }
}

static void add_rest(struct reader *r, const struct row *row)
{
    if (row->has_column[ITERATIONS])
        ps_measurement_add_number(&r->builder, "iterations",
                                  ps_int((int64_t)row->value[ITERATIONS].value));
    if (row->has_column[OUTLIERS]) {
        ps_measurement_add_number(&r->builder, "stddev_outliers", ps_int(row->outliers[0]));
        ps_measurement_add_number(&r->builder, "iqr_outliers", ps_int(row->outliers[1]));
    }
    if (row->has_column[OPS])
        ps_measurement_add_number(&r->builder, "ops", ps_real(row->value[OPS].value));
    if (row->has_column[IQR])
        ps_measurement_add_number(&r->builder, "iqr", ps_real(row->value[IQR].value));
}

static void write_row(struct reader *r, const struct row *row)
{
    struct ps_measurement out = {
        .name = ps_truncate_text(row->name, NAME_BYTES_MAX),
        .group = r->group.len ? ps_buf_slice(&r->group) : PS_STR(""),
        .unit = "s",
        .metric = PS_STR("time"),
    };

    ps_measurement_split_test(&r->builder, &out);
    fill_figure(&out.mean, row, MEAN);
    fill_figure(&out.stddev, row, STDDEV);
    fill_figure(&out.median, row, MEDIAN);
    fill_figure(&out.min, row, MIN);
    fill_figure(&out.max, row, MAX);
    if (row->has_column[ROUNDS])
        out.n = ps_int((int64_t)row->value[ROUNDS].value);
    if (row->has_column[ITERATIONS])
        out.loops = ps_int((int64_t)row->value[ITERATIONS].value);
    choose_value(&out, row);
    add_rest(r, row);
    ps_measurement_write(&r->builder, &out, out.statistic);
    r->rows++;
    r->stored++;
}

static bool is_rule(struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '-')
            return false;
    return true;
}

static void parse_in_table(struct reader *r, struct ps_str text)
{
    struct ps_str body = ps_report_trim_end(ps_report_without_prefix(text, r->header.indent));
    bool rule = is_rule(body);
    struct row row;

    if (!body.len) {
        r->paused = true;
    } else if (rule) { /* the second rule ends the table */
        r->stored++;
        if (r->has_begun)
            r->header.n = 0;
        r->has_begun = true;
    } else if (read_row(&r->header, text, &row)) {
        write_row(r, &row);
        r->paused = false;
    } else if (!r->paused && r->rejected++ < NOTES_MAX) {
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                     "this line inside a table is not a table row");
    }
}

static void parse_line(struct reader *r)
{
    struct ps_str text = ps_report_visible_text(r->in.line.text), group;
    struct header header;

    if (read_title(text, &group)) {
        r->header.n = 0;
        r->group.len = 0;
        ps_buf_add_str(&r->group, ps_truncate_text(group, NAME_BYTES_MAX));
        r->stored++;
    } else if (read_header(text, &header)) {
        r->header = header;
        r->has_begun = r->paused = false;
        r->tables++;
        r->stored++;
    } else if (r->header.n) {
        parse_in_table(r, text);
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        parse_line(r);
        if (r->rows > ROWS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset,
                              "the log has more than %d benchmarks", ROWS_MAX);
        if (ps_report_check(&r->in, r->builder.out, r->rows, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static void write_all(struct reader *r)
{
    ps_sink_meta(r->builder.out, "tool", PS_STR("pytest-benchmark"));
    ps_sink_note(r->builder.out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                 "printed values are rounded, and test names have no files; `--benchmark-json` "
                 "keeps exact values, files and rounds");
    ps_measurement_write_headline(&r->builder);
    ps_report_write_ledger(&r->in, r->builder.out, r->stored, 0, r->rejected);
}

static enum ps_match sniff(struct ps_str head)
{
    static const struct ps_str words = PS_STR("Name (time in ");
    const char *at;

    while ((at = ps_str_find(head, words))) {
        const char *end = memchr(at, '\n', head.len - (size_t)(at - head.ptr));
        struct header header;

        head = ps_str_skip(head, (size_t)(at - head.ptr));
        if (read_header((struct ps_str){at, end ? (size_t)(end - at) : head.len}, &header))
            return PS_MATCH_SURE;
        head = ps_str_skip(head, words.len);
    }
    return PS_MATCH_NO;
}

/* Number of columns of all headers, including headers without their last columns. */
static size_t columns_of(struct ps_str text)
{
    struct header header;
    size_t n = 0;

    while (text.len) {
        struct ps_str line = ps_report_pop_line(&text);

        n += read_header(line, &header) ? header.n : 0;
    }
    return n;
}

/* Whether the header is complete only in the unwrapped text. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return sniff(head) == PS_MATCH_NO && sniff(unwrapped) != PS_MATCH_NO;
}

/* Whether the header of a table is wrapped: the unwrapped header has more columns. */
static bool is_cut(struct ps_str head, struct ps_str unwrapped)
{
    return columns_of(unwrapped) > columns_of(head);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .in = {.in = in}};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, NULL, NULL);
    ps_report_warn_wrapped(&r.in, out, is_cut);
    status = read_log(&r, err);

    if (status == PS_OK && r.rows == 0) {
        status = ps_fail(
            err, PS_BAD_INPUT,
            "the pytest-benchmark table has no rows" PS_HINT
            "the table was truncated; measure again with `pytest --benchmark-json result.json`");
    } else if (status == PS_OK) {
        write_all(&r);
    }
    ps_report_free(&r.in);
    ps_buf_free(&r.group);
    ps_measurement_builder_free(&r.builder);
    return status;
}

const struct ps_importer ps_pytest_benchmark_text = {
    .kind = "pytest-benchmark",
    .label = "Printed pytest-benchmark table",
    .description =
        "seconds per iteration of each benchmark, as pytest prints them, in any log (rounded, "
        "without raw rounds)",
    .record_command = "pytest --benchmark-only > benchmarks.txt",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
