/* SPDX-License-Identifier: MIT */
/*
 * triton.c: reads the tables (CSV) that triton.testing.perf_report saves.
 *
 * The first columns are arguments of the benchmark, the others its lines, such as implementations.
 * Newer versions write the label of the axis behind the name of each line: "Triton (GB/s)". Its
 * unit tells which values are better. Older ones write no unit; there the arguments are the leading
 * columns of whole numbers. Quantiles, in columns such as "Triton-min", are additional values. The
 * values are medians of do_bench, unless the program chose another statistic; the file does not say
 * it.
 * The formats are those of the sources of Triton 2.0 and 3.6; tested with tables made after them.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/reading.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"
#include "importers/text/text_report.h"

enum {
    FILE_BYTES_MAX = 64 << 20, /* bytes */
    COLUMNS_MAX = 128,
    ROWS_MAX = 1000 * 1000,
    NOTES_MAX = 50,
};

#define NO_COLUMN SIZE_MAX

struct column {
    struct ps_str name, unit; /* "Triton", "GB/s"; in the arena */
    bool is_argument, is_quantile;
    size_t min, max; /* columns with the quantiles of this line; NO_COLUMN: none */
};

struct table {
    struct column columns[COLUMNS_MAX];
    size_t n;
};

struct reader {
    struct ps_measurement_builder builder;
    struct table table;
    struct ps_ledger ledger;
};

/* --- Columns --- */

/* Splits "Triton (GB/s)" into the name of the line and the label of the axis. */
static struct column split_title(struct ps_str title)
{
    struct column column = {.name = title, .unit = PS_STR(""), .min = NO_COLUMN, .max = NO_COLUMN};
    size_t at = title.len;

    if (!ps_str_ends_with(title, PS_STR(")")))
        return column;
    while (at && title.ptr[at - 1] != '(')
        at--;
    if (at < 3 || title.ptr[at - 2] != ' ')
        return column;
    column.name.len = at - 2;
    column.unit = (struct ps_str){title.ptr + at, title.len - at - 1};
    return column;
}

static bool contains_triton(struct ps_str text)
{
    static const char word[] = "triton";

    for (size_t i = 0; i + sizeof word - 1 <= text.len; i++) {
        size_t k = 0;

        while (k < sizeof word - 1 && (text.ptr[i + k] | 0x20) == word[k])
            k++;
        if (k == sizeof word - 1)
            return true;
    }
    return false;
}

static bool is_whole(struct ps_str cell)
{
    struct ps_printed_number number;

    return ps_printed_number_parse(cell, 0, &number) && number.value == rint(number.value);
}

/* Reads the titles. False: there are none, or too many. */
static bool parse_titles(struct reader *r, struct ps_str line)
{
    struct table *table = &r->table;

    while (line.len && table->n < COLUMNS_MAX) {
        const struct ps_str cell = ps_printed_cell_pop(&r->builder.arena, &line);
        bool mended;

        table->columns[table->n++] = split_title(ps_display_text(&r->builder.arena, cell, &mended));
    }
    return table->n > 1 && !line.len;
}

/* Finds the columns of arguments, as the head of this file says. `rows` is the rest of the file. */
static void find_arguments(struct reader *r, struct ps_str rows)
{
    struct table *table = &r->table;
    size_t n = 0;

    while (n + 1 < table->n && !table->columns[n].unit.len)
        n++;
    if (n + 1 == table->n && !table->columns[n].unit.len) {
        for (n = 0; n + 1 < table->n && !contains_triton(table->columns[n].name);)
            n++;
        while (rows.len) {
            struct ps_str line = ps_str_trim(ps_report_pop_line(&rows));
            size_t whole = 0;

            if (!line.len)
                continue;
            while (whole < n && is_whole(ps_printed_cell_pop(&r->builder.arena, &line)))
                whole++;
            n = whole;
        }
        n = n ? n : 1;
    }
    for (size_t i = 0; i < n; i++)
        table->columns[i].is_argument = true;
}

/* Finds the columns "Triton-min" and "Triton-max", which have quantiles of the line "Triton". */
static void find_quantiles(struct table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        struct column *line = &table->columns[i];

        for (size_t k = 0; k < table->n && !line->is_argument; k++) {
            struct ps_str title = table->columns[k].name;
            const bool is_min = ps_str_ends_with(title, PS_STR("-min"));

            if (table->columns[k].is_argument ||
                (!is_min && !ps_str_ends_with(title, PS_STR("-max"))))
                continue;
            title.len -= strlen("-min");
            if (!ps_str_eq(title, line->name))
                continue;
            table->columns[k].is_quantile = true;
            *(is_min ? &line->min : &line->max) = k;
        }
    }
}

/* --- Rows --- */

/* What a unit says of a line: the exponent that makes seconds of a time, and what is better. */
static void describe_unit(struct ps_str unit, int *shift, struct ps_measurement *row)
{
    static const struct {
        const char *unit;
        int shift;
    } times[] = {{"s", 0}, {"ms", -3}, {"us", -6}, {"ns", -9}};

    *shift = 0;
    row->better = PS_BETTER_NEITHER;
    row->metric = unit.len ? unit : (struct ps_str){NULL, 0};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (ps_str_eq_c(unit, times[i].unit)) {
            *shift = times[i].shift;
            row->unit = "s";
            row->better = PS_BETTER_LOWER;
            row->metric = PS_STR("time");
            return;
        }
    if (ps_str_ends_with(unit, PS_STR("/s")) || ps_str_ends_with(unit, PS_STR("FLOPS")) ||
        ps_str_ends_with(unit, PS_STR("FLOPs")))
        row->better = PS_BETTER_HIGHER;
}

/* Adds the arguments of a row. Returns them as they follow the name of a line: " (M=256, N=64)". */
static struct ps_str add_arguments(struct reader *r, const struct ps_str *cells)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    for (size_t i = 0; i < r->table.n; i++) {
        struct ps_printed_number printed;
        struct ps_num number = PS_NO_NUM;

        if (!r->table.columns[i].is_argument)
            continue;
        ps_buf_puts(&text, text.len ? ", " : " (");
        ps_buf_add_str(&text, r->table.columns[i].name);
        ps_buf_puts(&text, "=");
        if (ps_printed_number_parse(cells[i], 0, &printed)) {
            number = is_whole(cells[i]) && fabs(printed.value) < 9e15
                         ? ps_int((int64_t)printed.value)
                         : ps_real(printed.value);
            ps_buf_printf(&text, "%.15g", printed.value);
        } else {
            ps_buf_add_str(&text, cells[i]);
        }
        ps_measurement_add_parameter(&r->builder, r->table.columns[i].name, number, cells[i]);
    }
    ps_buf_puts(&text, ")");
    return ps_arena_copy(&r->builder.arena, ps_buf_slice(&text));
}

static void add_quantile(struct reader *r, const struct ps_str *cells, size_t column,
                         const char *key, int shift)
{
    struct ps_printed_number number;

    if (column != NO_COLUMN && ps_printed_number_parse(cells[column], shift, &number))
        ps_measurement_add_number(&r->builder, key, ps_real(number.value));
}

static void write_line(struct reader *r, const struct ps_str *cells, size_t line)
{
    const struct column *column = &r->table.columns[line];
    struct ps_measurement row = {.group = column->unit.len ? column->unit : PS_STR("lines"),
                                 .benchmark = column->name,
                                 .statistic = "single"};
    struct ps_printed_number number;
    struct ps_str arguments;
    int shift;

    row.unit = ps_arena_printf(&r->builder.arena, "%.*s", (int)column->unit.len,
                               column->unit.len ? column->unit.ptr : "");
    describe_unit(column->unit, &shift, &row);
    if (!ps_printed_number_parse(cells[line], shift, &number))
        return;
    arguments = add_arguments(r, cells);
    row.name = ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s%.*s", (int)column->name.len,
                                             column->name.ptr, (int)arguments.len, arguments.ptr));
    row.value = ps_real(number.value);
    row.resolution = number.resolution;
    add_quantile(r, cells, column->min, "min", shift);
    add_quantile(r, cells, column->max, "max", shift);
    ps_measurement_write(&r->builder, &row, "value");
}

/* Reads a row: numbers, or nothing where a line has no value. */
static bool parse_row(struct reader *r, struct ps_str text)
{
    struct ps_str cells[COLUMNS_MAX];
    bool mended;

    for (size_t i = 0; i < r->table.n; i++) {
        struct ps_printed_number number;

        if (i && text.ptr[-1] != ',')
            return false;
        cells[i] = ps_display_text(&r->builder.arena, ps_printed_cell_pop(&r->builder.arena, &text),
                                   &mended);
        if (!r->table.columns[i].is_argument && cells[i].len &&
            !ps_printed_number_parse(cells[i], 0, &number))
            return false;
    }
    if (text.len)
        return false;
    for (size_t i = 0; i < r->table.n; i++)
        if (!r->table.columns[i].is_argument && !r->table.columns[i].is_quantile)
            write_line(r, cells, i);
    return true;
}

static enum ps_status read_table(struct reader *r, struct ps_str text, struct ps_err *err)
{
    if (!parse_titles(r, ps_str_trim(ps_report_pop_line(&text))))
        return ps_fail(err, PS_BAD_INPUT, "the table has less than 2 or more than %d columns",
                       COLUMNS_MAX);
    find_arguments(r, text);
    find_quantiles(&r->table);
    while (text.len) {
        const struct ps_str line = ps_str_trim(ps_report_pop_line(&text));

        if (!line.len)
            continue;
        if (++r->ledger.read > ROWS_MAX)
            return ps_fail(err, PS_LIMIT, "the file has more than %d rows", ROWS_MAX);
        if (!parse_row(r, line) && r->ledger.rejected++ < NOTES_MAX)
            ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                         "row %llu is not a row of numbers", (unsigned long long)r->ledger.read);
    }
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct reader r = {.builder = {.out = out}, .ledger = {.unit = "rows"}};
    enum ps_status status = ps_read_whole(in, FILE_BYTES_MAX, "table", &bytes, out, err);

    if (status == PS_OK)
        status = read_table(&r, ps_buf_slice(&bytes), err);
    if (status == PS_OK) {
        ps_sink_meta(out, "tool", PS_STR("Triton"));
        r.ledger.stored = r.ledger.read - r.ledger.rejected;
        ps_measurement_write_headline(&r.builder);
        out->ops->ledger(out, &r.ledger);
    }
    ps_measurement_builder_free(&r.builder);
    return status;
}

/* Whether all cells of a line are numbers or empty. */
static bool is_numeric(struct ps_str line)
{
    while (line.len) {
        const char *comma = memchr(line.ptr, ',', line.len);
        struct ps_str cell = {line.ptr, comma ? (size_t)(comma - line.ptr) : line.len};
        struct ps_printed_number number;

        if (cell.len && !ps_printed_number_parse(cell, 0, &number))
            return false;
        line = ps_str_skip(line, cell.len + 1);
    }
    return true;
}

/* A line of titles, one of which names Triton, above a line of numbers. */
static enum ps_match sniff(struct ps_str head)
{
    const struct ps_str titles = ps_str_trim(ps_report_pop_line(&head));
    const struct ps_str row = ps_str_trim(ps_report_pop_line(&head));

    if (!titles.len || !memchr(titles.ptr, ',', titles.len) || !contains_triton(titles))
        return PS_MATCH_NO;
    return row.len && memchr(row.ptr, ',', row.len) && is_numeric(row) ? PS_MATCH_SURE
                                                                       : PS_MATCH_NO;
}

const struct ps_importer ps_triton = {
    .kind = "triton-bench",
    .label = "Table of Triton's perf_report",
    .description = "time or throughput of kernels by argument and implementation, as "
                   "triton.testing.perf_report saves them (CSV)",
    .record_command = "benchmark.run(save_path=\".\")",
    .sniff = sniff,
    .load = load,
};
