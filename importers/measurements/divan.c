/* SPDX-License-Identifier: MIT */
/*
 * divan.c: reads the tables that divan, a benchmark library for Rust, prints, anywhere in a log.
 *
 * A table is a tree of modules, benchmarks and arguments, with columns of fixed width whose places
 * follow from its header. A row has the fastest, slowest, median and mean time of a call; rows
 * below it without a name have throughputs and allocations. The single samples are not printed.
 * Tested: 0.1.21.
 */
#include <stdlib.h>

#include "base/intern.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/records/measurements.h"
#include "importers/text/clean.h"
#include "importers/text/printed_table.h"
#include "importers/text/text_report.h"

enum {
    ROWS_MAX = 1000 * 1000,
    NAME_BYTES_MAX = 4096,
    DEPTH_MAX = 64,
    STEP = 3, /* columns of a level of the tree */
};

enum column { FASTEST, SLOWEST, MEDIAN, MEAN, SAMPLES, ITERS, COLUMNS };

static const char *const titles[COLUMNS] = {"fastest", "slowest", "median",
                                            "mean",    "samples", "iters"};

#define BAR "\xe2\x94\x82" /* between columns, and in the tree */

struct reader {
    struct ps_measurement_builder builder;
    struct ps_report_reader in;
    bool is_open;                      /* a table was begun */
    size_t indent, width;              /* columns before the tree, and before the values */
    struct ps_str path[DEPTH_MAX];     /* names of the levels, in the arena */
    size_t depth;                      /* level of the last named row; 0: the header */
    struct ps_str row_name, benchmark; /* of the last row with times; {NULL, 0}: none */
    struct ps_str heading;             /* "max alloc", of the rows below it */
    bool has_count;                    /* the count below the heading was read */
    struct ps_intern names;
    uint64_t rows, stored, rejected;
};

/* --- Cells --- */

/* The first bytes of a text, as many as `columns` characters have. */
static struct ps_str first_columns(struct ps_str text, size_t columns)
{
    size_t i = 0;

    for (size_t n = 0; i < text.len; i++) {
        n += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
        if (n > columns)
            break;
    }
    return (struct ps_str){text.ptr, i};
}

static struct ps_str skip_columns(struct ps_str text, size_t columns)
{
    return ps_str_skip(text, first_columns(text, columns).len);
}

static size_t count_columns(struct ps_str text)
{
    return ps_count_code_points(text);
}

/* Splits the values of a row at the bars. False: not as many as the table has columns. */
static bool split_cells(struct ps_str text, struct ps_str cells[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *bar = ps_str_find(text, PS_STR(BAR));

        if (!bar != (i == COLUMNS - 1))
            return false;
        cells[i] =
            ps_str_trim((struct ps_str){text.ptr, bar ? (size_t)(bar - text.ptr) : text.len});
        text = ps_str_skip(text, bar ? (size_t)(bar - text.ptr) + strlen(BAR) : text.len);
    }
    return true;
}

/* Finds the header of a table: a name, and the titles of the columns. */
static bool parse_header(struct ps_str line, size_t *width, struct ps_str *name)
{
    const char *first = ps_str_find(line, PS_STR(" fastest "));
    struct ps_str cells[COLUMNS], before;

    if (!first)
        return false;
    before = (struct ps_str){line.ptr, (size_t)(first - line.ptr) + 1};
    if (!split_cells(ps_str_skip(line, before.len), cells))
        return false;
    for (size_t i = 0; i < COLUMNS; i++)
        if (!ps_str_eq_c(cells[i], titles[i]))
            return false;
    *width = count_columns(before);
    before = ps_report_trim_end(before);
    *name = before;
    for (size_t i = before.len; i && before.ptr[i - 1] != ' ' && before.ptr[i - 1] != '\t'; i--)
        *name = ps_str_skip(before, i - 1);
    return true;
}

/* --- Values --- */

struct value {
    struct ps_printed_number number;
    struct ps_str unit; /* "s", "B/s", "item/s", "B", or "" */
};

/* Reads "3.481 ns", "43.86 GB/s", "5.482 Gitem/s", "256 B", "5". */
static bool parse_value(struct ps_str cell, struct value *out)
{
    static const struct {
        const char *name;
        int shift;
    } times[] = {{"ns", -9}, {"\xc2\xb5s", -6}, {"\xce\xbcs", -6},
                 {"us", -6}, {"ms", -3},        {"s", 0}};
    static const char prefixes[] = "KMGTPE";
    const size_t n = ps_printed_number_len(cell);
    struct ps_str unit = ps_str_trim(ps_str_skip(cell, n));
    const char *prefix = unit.len > 1 ? memchr(prefixes, unit.ptr[0], sizeof prefixes - 1) : NULL;
    int shift = 0;
    double factor = 1;

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (ps_str_eq_c(unit, times[i].name)) {
            out->unit = PS_STR("s");
            return ps_printed_number_parse((struct ps_str){cell.ptr, n}, times[i].shift,
                                           &out->number);
        }
    if (prefix) {
        const int power = (int)(prefix - prefixes) + 1;

        unit = ps_str_skip(unit, 1);
        if (unit.ptr[0] == 'i' && unit.len > 1 && unit.ptr[1] == 'B') {
            unit = ps_str_skip(unit, 1);
            for (int i = 0; i < power; i++)
                factor *= 1024;
        } else {
            shift = 3 * power;
        }
    }
    out->unit = unit;
    if (!ps_printed_number_parse((struct ps_str){cell.ptr, n}, shift, &out->number))
        return false;
    out->number.value *= factor;
    out->number.resolution *= factor;
    return true;
}

/* Reads the four statistics of a row, all in one unit. */
static bool parse_values(const struct ps_str cells[COLUMNS], struct value values[MEAN + 1])
{
    for (int i = 0; i <= MEAN; i++)
        if (!parse_value(cells[i], &values[i]) || !ps_str_eq(values[i].unit, values[0].unit))
            return false;
    return true;
}

static double largest_resolution(const struct value values[MEAN + 1])
{
    double most = 0;

    for (int i = 0; i <= MEAN; i++)
        most = values[i].number.resolution > most ? values[i].number.resolution : most;
    return most;
}

/* --- Rows --- */

/* Adds the parameters of the path: "t=2", and names that no Rust item can have, such as "100".
 * Returns the path without them, and in *full with them. */
static struct ps_str add_parameters(struct reader *r, struct ps_str *full)
{
    PS_AUTO(ps_buf_free) struct ps_buf all = {0};
    size_t benchmark = 0;

    for (size_t i = 0; i <= r->depth; i++) {
        const struct ps_str name = r->path[i];
        struct ps_num number = PS_NO_NUM;

        ps_buf_puts(&all, i ? "::" : "");
        ps_buf_add_str(&all, name);
        if (ps_str_starts_with(name, PS_STR("t=")) &&
            ps_report_parse_number(ps_str_skip(name, 2), &number))
            ps_measurement_add_parameter(&r->builder, PS_STR("threads"), number, PS_STR(""));
        else if (i && name.len && strchr("0123456789-\"'([", name.ptr[0])) {
            (void)ps_report_parse_number(name, &number);
            ps_measurement_add_parameter(&r->builder, PS_STR(""), number, name);
        } else {
            benchmark = all.len;
        }
    }
    *full = ps_arena_copy(&r->builder.arena, ps_buf_slice(&all));
    return (struct ps_str){full->ptr, benchmark};
}

static struct ps_str unique_name(struct reader *r, struct ps_str name)
{
    const uint32_t before = r->names.count;

    if (ps_intern_add(&r->names, name) == before)
        return name;
    return ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s (row %llu)", (int)name.len,
                                         name.ptr, (unsigned long long)r->rows + 1));
}

static void write_times(struct reader *r, const struct ps_str cells[COLUMNS],
                        const struct value values[MEAN + 1])
{
    struct ps_measurement row = {.group = PS_STR(""),
                                 .metric = PS_STR("time"),
                                 .better = PS_BETTER_LOWER,
                                 .unit = "s",
                                 .statistic = "median",
                                 .resolution = largest_resolution(values),
                                 .min = ps_real(values[FASTEST].number.value),
                                 .max = ps_real(values[SLOWEST].number.value),
                                 .median = ps_real(values[MEDIAN].number.value),
                                 .mean = ps_real(values[MEAN].number.value)};
    int64_t samples, iters;
    struct ps_str full;

    row.benchmark = r->benchmark = add_parameters(r, &full);
    row.name = r->row_name = unique_name(r, full);
    row.value = row.median;
    if (ps_str_parse_i64(cells[SAMPLES], &samples) && ps_str_parse_i64(cells[ITERS], &iters)) {
        row.n = ps_int(samples);
        if (samples > 0 && iters % samples == 0)
            row.loops = ps_int(iters / samples);
        ps_measurement_add_number(&r->builder, "iters", ps_int(iters));
    }
    ps_measurement_write(&r->builder, &row, row.statistic);
}

/* Writes a row without a name. The fastest call has the highest throughput. */
static void write_part(struct reader *r, struct ps_str metric, enum ps_better better,
                       const struct value values[MEAN + 1])
{
    const bool is_rate = better == PS_BETTER_HIGHER;
    struct ps_measurement row = {
        .name = r->row_name,
        .group = PS_STR(""),
        .metric = metric,
        .better = better,
        .is_part = true,
        .unit = ps_arena_printf(&r->builder.arena, "%.*s", (int)values[0].unit.len,
                                values[0].unit.len ? values[0].unit.ptr : ""),
        .statistic = "median",
        .resolution = largest_resolution(values),
        .median = ps_real(values[MEDIAN].number.value),
        .mean = ps_real(values[MEAN].number.value),
        .value = ps_real(values[MEDIAN].number.value),
    };
    struct ps_str full;

    if (is_rate) {
        row.min = ps_real(values[SLOWEST].number.value);
        row.max = ps_real(values[FASTEST].number.value);
    }
    row.benchmark = add_parameters(r, &full);
    ps_measurement_write(&r->builder, &row, NULL);
}

/* Reads a row below the one of a benchmark: a heading, a throughput, or a count and bytes below a
 * heading. False: it has no such values. */
static bool parse_part(struct reader *r, const struct ps_str cells[COLUMNS])
{
    const struct ps_str first = cells[FASTEST];
    struct value values[MEAN + 1];

    if (first.len > 1 && first.ptr[first.len - 1] == ':') {
        r->heading = ps_arena_copy(&r->builder.arena, (struct ps_str){first.ptr, first.len - 1});
        r->has_count = false;
        return true;
    }
    if (!r->row_name.ptr || !parse_values(cells, values))
        return false;
    if (ps_str_ends_with(values[0].unit, PS_STR("/s"))) {
        write_part(r, ps_arena_copy(&r->builder.arena, values[0].unit), PS_BETTER_HIGHER, values);
    } else if (r->heading.ptr) {
        write_part(r,
                   ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s %s", (int)r->heading.len,
                                                 r->heading.ptr, r->has_count ? "bytes" : "count")),
                   PS_BETTER_LOWER, values);
        r->has_count = true;
    } else {
        return false;
    }
    return true;
}

static void write_skipped(struct reader *r)
{
    struct ps_measurement row = {.group = PS_STR(""),
                                 .metric = PS_STR("time"),
                                 .better = PS_BETTER_LOWER,
                                 .unit = "s",
                                 .statistic = "median",
                                 .state = PS_MEASUREMENT_SKIPPED};
    struct ps_str full;

    row.benchmark = add_parameters(r, &full);
    row.name = unique_name(r, full);
    ps_measurement_add_text(&r->builder, "error", PS_STR("ignored"));
    ps_measurement_write(&r->builder, &row, NULL);
}

/* Finds the name of a row behind its branch of the tree. Returns its level, from 1; 0: no name. */
static size_t find_name(struct ps_str tree, struct ps_str *name)
{
    static const char *const branches[] = {"\xe2\x94\x9c\xe2\x94\x80 ",
                                           "\xe2\x95\xb0\xe2\x94\x80 "};

    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        const char *at = ps_str_find(tree, ps_str_from_c(branches[i]));

        if (!at)
            continue;
        *name = ps_report_trim_end(ps_str_skip(tree, (size_t)(at - tree.ptr) + 7));
        return count_columns((struct ps_str){tree.ptr, (size_t)(at - tree.ptr)}) / STEP + 1;
    }
    return 0;
}

/* Reads a row of the open table. False: the table has ended before this line. */
static bool parse_row(struct reader *r, struct ps_str line)
{
    struct ps_str tree = skip_columns(first_columns(line, r->width), r->indent), name,
                  cells[COLUMNS];
    struct value values[MEAN + 1];
    size_t depth;
    bool good = true;

    if (!split_cells(skip_columns(line, r->width), cells))
        return false;
    depth = find_name(tree, &name);
    if (depth == 0) {
        good = parse_part(r, cells);
    } else if (depth < DEPTH_MAX && depth <= r->depth + 1) {
        r->depth = depth;
        r->path[depth] = ps_arena_copy(&r->builder.arena, ps_truncate_text(name, NAME_BYTES_MAX));
        r->row_name = r->heading = (struct ps_str){NULL, 0};
        if (ps_str_eq_c(cells[FASTEST], "(ignored)"))
            write_skipped(r);
        else if (parse_values(cells, values) && ps_str_eq_c(values[0].unit, "s"))
            write_times(r, cells, values);
        else
            good = cells[FASTEST].len == 0;
    } else {
        good = false;
    }
    r->rows++;
    r->stored += good;
    if (!good && r->rejected++ < 50)
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                     "this line inside a table is not a table row");
    return true;
}

static void parse_line(struct reader *r)
{
    const struct ps_str line = ps_report_visible_text(r->in.line.text);
    struct ps_str name;
    size_t width;

    if (parse_header(line, &width, &name)) {
        r->is_open = true;
        r->width = width;
        r->indent = count_columns((struct ps_str){line.ptr, (size_t)(name.ptr - line.ptr)});
        r->depth = 0;
        r->path[0] = ps_arena_copy(&r->builder.arena, ps_truncate_text(name, NAME_BYTES_MAX));
        r->row_name = r->heading = (struct ps_str){NULL, 0};
        r->stored++;
    } else if (r->is_open) {
        r->is_open = parse_row(r, line);
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        parse_line(r);
        if (r->rows > ROWS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the file has more than %d rows",
                              ROWS_MAX);
        if (ps_report_check(&r->in, r->builder.out, r->rows, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .in = {.in = in}};
    enum ps_status status = read_log(&r, err);

    if (status == PS_OK && r.builder.n_written == 0) {
        status = ps_fail(err, PS_BAD_INPUT,
                         "the text contains no result of divan" PS_HINT
                         "run `cargo bench > bench.txt` again");
    } else if (status == PS_OK) {
        ps_sink_meta(out, "tool", PS_STR("divan"));
        ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "printed values are rounded, and single samples are missing");
        ps_measurement_write_headline(&r.builder);
        ps_report_write_ledger(&r.in, out, r.stored, 0, r.rejected);
    }
    ps_report_free(&r.in);
    ps_intern_free(&r.names);
    ps_measurement_builder_free(&r.builder);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    if (!ps_str_find(head, PS_STR(" fastest ")))
        return PS_MATCH_NO;
    while (head.len) {
        struct ps_str line = ps_report_pop_line(&head), name;
        size_t width;

        if (parse_header(ps_report_trim_end(line), &width, &name))
            return PS_MATCH_SURE;
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_divan = {
    .kind = "divan",
    .label = "Printed table of divan",
    .description = "fastest, slowest, median and mean time of Rust benchmarks, throughput and "
                   "allocations, as divan prints them, in any log (rounded)",
    .record_command = "cargo bench > bench.txt",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
