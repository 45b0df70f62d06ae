/* SPDX-License-Identifier: MIT */
/*
 * line_text.c: reads the report that `kernprof -v`, `python -m line_profiler`, %lprun and
 * LINE_PROFILE=1 print.
 *
 * A log may have several reports, mixed with other output. A container or a CI system may put a
 * prefix before each line, of the same width within a block. A block is written to the sink while
 * it is read; only names remain in memory. Tested: versions 1.x to 5.0.2, with -z -u -t -m, and
 * with the colours of -r.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "importers/importer.h"
#include "importers/lines/line_text.h"
#include "importers/records/lines.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"

/* --- Lines --- */

/*
 * Line #      Hits         Time  Per Hit   % Time  Line Contents
 *           4         1          0.3      0.3      3.0      t = 0
 *
 * The source code begins in the column of "Line Contents". Up to version 4.0 a number that is wider
 * than its column shifts the rest of its row to the right: then the source begins two spaces after
 * the fifth number.
 */

/* Whether a word can be in the column Hits, which has whole numbers: "1.2e+09" if they are wide. A
 * row of a table of functions, as %prun prints it into the same log, has seconds in that place. */
static bool is_count(struct ps_str word)
{
    return !memchr(word.ptr, '.', word.len) || memchr(word.ptr, 'e', word.len);
}

/* Appends values to those of the row. */
static void read_values(struct ps_str *rest, struct ps_line_report_row *row)
{
    while (row->n < 4) {
        struct ps_str before = *rest, word = ps_report_pop_word(rest);

        if (!ps_report_parse_number(word, &row->values[row->n]) ||
            (row->n == 0 && !is_count(word))) {
            *rest = before;
            break;
        }
        row->is_short |= row->n == 1 && memchr(word.ptr, 'e', word.len);
        row->n++;
    }
}

/* Whether no value of the row is missing. In a row with three values the percentage is blank, so no
 * line of the function took time. */
static bool is_complete(const struct ps_line_report_row *row)
{
    return row->n == 0 || row->n == 4 || (row->n == 3 && ps_num_to_real(row->values[1]) == 0);
}

/* Parses a row whose source code begins in the same column as in the header. */
static bool read_aligned(struct ps_str rest, size_t width, struct ps_line_report_row *row)
{
    struct ps_str left = {rest.ptr, rest.len < width ? rest.len : width};

    if (rest.len > width && width >= 2 &&
        (rest.ptr[width - 1] != ' ' || rest.ptr[width - 2] != ' '))
        return false;
    (void)ps_report_pop_word(&left); /* the line number */
    row->n = 0;
    row->is_short = false;
    read_values(&left, row);
    row->source = ps_str_skip(rest, width);
    return ps_report_trim_end(left).len == 0 && is_complete(row);
}

static bool read_shifted(struct ps_str rest, struct ps_line_report_row *row)
{
    (void)ps_report_pop_word(&rest); /* the line number */
    row->n = 0;
    row->is_short = false;
    read_values(&rest, row);
    if (row->n != 4)
        return false;
    for (size_t blanks = 0; blanks < 2 && rest.len && rest.ptr[0] == ' '; blanks++)
        rest = ps_str_skip(rest, 1);
    row->source = rest;
    return true;
}

enum ps_line_report_match ps_line_report_parse_row(const struct ps_line_table *table,
                                                   struct ps_str text,
                                                   struct ps_line_report_row *out)
{
    const struct ps_line_table_columns *columns = &table->columns;
    struct ps_str rest = ps_str_skip(text, columns->number_offset);
    bool complete;

    if (!ps_line_table_parse_number(table, text, &out->number))
        return PS_LINE_REPORT_NONE;
    complete = read_aligned(rest, columns->source_offset - columns->number_offset, out) ||
               read_shifted(rest, out);
    if (complete && ps_line_table_may_follow(table, &out->number, out->n > 0))
        return PS_LINE_REPORT_ROW;
    if (complete && ps_line_table_goes_back(table, &out->number) &&
        (out->n || ps_report_trim_end(out->source).len))
        return PS_LINE_REPORT_BACK;
    return table->next_line && ps_line_table_may_follow(table, &out->number, false)
               ? PS_LINE_REPORT_INVALID
               : PS_LINE_REPORT_NONE;
}

bool ps_line_report_parse_seconds(struct ps_str text, struct ps_str word, size_t *column,
                                  double *out)
{
    const char *at = ps_str_find(text, word);
    struct ps_str rest;
    struct ps_num number;

    if (!at)
        return false;
    *column = (size_t)(at - text.ptr);
    rest = ps_report_trim_end(ps_str_skip(text, *column + word.len));
    if (!ps_report_parse_number(ps_report_pop_word(&rest), &number) || !ps_str_eq_c(rest, " s"))
        return false;
    *out = ps_num_to_real(number);
    return true;
}

bool ps_line_report_parse_header(struct ps_str text, struct ps_line_table_columns *out)
{
    static const char *const words[] = {"Hits", "Time", "Per Hit", "% Time", "Line Contents", NULL};

    return ps_line_table_parse_header(text, words, out);
}

/* Finds the last "<before><digits><mark>". Returns its position and sets *line, or NULL. */
static const char *last_numbered(struct ps_str text, char before, const char *mark, uint32_t *line)
{
    size_t size = strlen(mark);

    for (size_t i = text.len; i-- > 0;) {
        struct ps_str rest = ps_str_skip(text, i + 1);
        size_t digits = 0;
        int64_t number;

        if (text.ptr[i] != before)
            continue;
        while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9')
            digits++;
        if (digits == 0 || digits > 9 || rest.len - digits < size ||
            memcmp(rest.ptr + digits, mark, size) != 0 ||
            !ps_str_parse_i64((struct ps_str){rest.ptr, digits}, &number))
            continue;
        *line = (uint32_t)number;
        return text.ptr + i;
    }
    return NULL;
}

/* Parses "  1.25", which is six columns wide. Two or more spaces distinguish it from other text
 * such as "took 1.25 seconds". */
static bool read_seconds(struct ps_str head, struct ps_num *out)
{
    size_t n = head.len;

    while (n && head.ptr[n - 1] != ' ')
        n--;
    return ps_report_parse_number(ps_str_skip(head, n), out) &&
           (n == 0 || ps_num_to_real(*out) >= 100 || (n > 1 && head.ptr[n - 2] == ' '));
}

bool ps_line_report_parse_summary(struct ps_str text, struct ps_line_report_summary *out)
{
    static const char mark[] = " seconds - ";
    const char *at = ps_str_find(text, PS_STR(" seconds - ")), *colon;
    struct ps_str head, rest;
    struct ps_num seconds;

    if (!at)
        return false;
    head = (struct ps_str){text.ptr, (size_t)(at - text.ptr)};
    if (!read_seconds(head, &seconds))
        return false;
    rest = ps_report_trim_end(ps_str_skip(text, (size_t)(at - text.ptr) + sizeof mark - 1));
    colon = last_numbered(rest, ':', " - ", &out->line);
    if (!colon)
        return false;
    out->file = (struct ps_str){rest.ptr, (size_t)(colon - rest.ptr)};
    rest = ps_str_skip(rest, out->file.len);
    at = ps_str_find(rest, PS_STR(" - "));
    out->name = ps_str_skip(rest, (size_t)(at - rest.ptr) + 3);
    out->seconds = ps_num_to_real(seconds);
    return true;
}

bool ps_line_report_parse_function(struct ps_str text, struct ps_str *name, uint32_t *line)
{
    static const char mark[] = " at line ";
    const char *at = NULL, *found;
    struct ps_str rest = text;
    int64_t number;

    while ((found = ps_str_find(rest, PS_STR(" at line ")))) {
        at = found;
        rest = ps_str_skip(text, (size_t)(found - text.ptr) + sizeof mark - 1);
    }
    if (!at || !ps_str_parse_i64(ps_report_trim_end(rest), &number) || number < 0 ||
        number > INT32_MAX)
        return false;
    *name = (struct ps_str){text.ptr, (size_t)(at - text.ptr)};
    *line = (uint32_t)number;
    return true;
}

/* --- Reporting --- */

struct tally {
    uint64_t count, offset, line; /* number of occurrences; byte offset and line of the first */
};

struct reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_intern files;  /* paths; the id of a line_file is the index + 1 */
    struct ps_intern listed; /* keys of functions that have blocks */
    double unit;        /* unit of the run in seconds, from its first report; 0: none read yet */
    double report_unit; /* unit of the current report in seconds */

    struct { /* values from the lines before the next header */
        /* seen: total_s is set; gone: the source file was not found, so rows have no source code */
        bool seen, gone;
        size_t column;
        double total_s;
        struct ps_buf file, name;
        uint32_t first_line; /* 0: unknown */
    } next;

    struct {
        struct ps_line_table table;
        bool is_written, gone;
        uint32_t file, function, first_line, timed;
        struct ps_str name; /* slice of next.name */
        struct ps_num ticks;
    } block;

    struct {                           /* of a block whose cells were squeezed */
        size_t column;                 /* where the source begins; 0: the cells were not squeezed */
        struct ps_buf sources;         /* the lines of the source cell, each with a line feed */
        size_t n_taken;                /* bytes of `sources` that rows already have */
        struct ps_line_report_row row; /* number.line 0: none */
        struct ps_buf source;          /* of `row` */
        unsigned n_pieces;             /* lines on which `row` was printed */
        bool is_joined;                /* a row of the block was printed on several lines */
    } cells;

    uint32_t functions, functions_run, functions_timed, summaries;
    uint64_t rows, measured, repaired, rejected;
    uint64_t others; /* lines of other output */
    struct ps_num ticks;
    double time_s; /* sum of the printed totals */
    uint32_t reports, other_units, missing, repeated_blocks, repaired_names;
    struct tally rejects, repairs, uneven, orphans, gaps, mixed, squeezed, shortened;
    double shortest_ticks; /* the smallest shortened time; 0: there is none */
    struct {
        double ticks;
        uint32_t file, line; /* file: id; 0: none */
        char *name;
    } hottest;
};

enum {
    ROWS_MAX = 4 * 1000 * 1000,
    NOTES_MAX = 50, /* maximum number of notes of one kind that are written one by one */
};

static void write_first(struct reader *r, const struct tally *tally, const char *what)
{
    if (tally->count)
        ps_sink_note(r->out, PS_NOTE_WARNING, tally->offset, tally->line,
                     "%s: %llu (this is the first)", what, (unsigned long long)tally->count);
}

static void write_notes(struct reader *r)
{
    if (r->functions == 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     r->others ? "no function found: the program marked none with @profile, or "
                                 "lines of the report are truncated or wrapped"
                               : "no function was profiled: the program marked none with @profile");
    else
        ps_sink_note(
            r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
            "read from a printed report with rounded times; the .lprof file has the exact times");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->reports == 0,
                  "reports without a timer unit: perfshelf assumed microseconds");
    ps_sink_count(r->out, PS_NOTE_INFO, r->reports > 1 ? r->reports : 0, "reports in this log");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->other_units,
                  "reports whose times were converted to the unit of the first report");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->repeated_blocks,
                  "functions reported more than once, listed separately with their lines and added "
                  "up in comparisons and conclusions");
    ps_sink_count(r->out, PS_NOTE_INFO, r->missing,
                  "functions without a name: their source was missing when the report was printed");
    ps_sink_count(
        r->out, PS_NOTE_WARNING, r->summaries,
        "functions that are only in the summary: times in hundredths of a second, no lines");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->repaired_names,
                  "function or file names that contain invalid UTF-8");
    write_first(r, &r->gaps,
                "gaps in the line numbers: rows were removed, and their time is missing");
    write_first(r, &r->mixed,
                "places where the line numbers go back: another process printed the rows from "
                "there on, which are listed as a function of their own");
    write_first(r, &r->squeezed,
                "tables whose numbers were wrapped because -r printed them into too few columns; "
                "perfshelf joined them");
    write_first(r, &r->shortened, "times that are printed with three digits, such as 1.2e+10");
    write_first(r, &r->orphans, "tables without a file name");
    write_first(r, &r->uneven, "functions whose lines do not add up to the printed total");
    ps_sink_count(r->out, PS_NOTE_REJECTED,
                  r->rejects.count > NOTES_MAX ? r->rejects.count - NOTES_MAX : 0,
                  "more rows that cannot be read");
    ps_sink_count(r->out, PS_NOTE_REPAIRED,
                  r->repairs.count > NOTES_MAX ? r->repairs.count - NOTES_MAX : 0,
                  "more rows that were repaired");
}

static void write_summary(struct reader *r, double unit)
{
    const struct {
        const char *key;
        struct ps_num value;
    } metrics[] = {
        {"unit_s", ps_real(unit)},
        {"functions", ps_int(r->functions)},
        {"functions_run", ps_int(r->functions_run)},
        {"files", ps_int(r->files.count)},
        {"lines", ps_int((int64_t)r->measured)},
        {"ticks", r->ticks},
        {"time_s", ps_real(r->time_s)},
        {"rounded", ps_int(1)},
        {"nested", ps_int(r->functions_timed > 1)},
    };

    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        r->out->ops->number(r->out, metrics[i].key, metrics[i].value);
    if (r->shortened.count)
        r->out->ops->number(r->out, "three_digits_from", ps_real(r->shortest_ticks));
}

static void write_hottest(struct reader *r)
{
    const struct ps_headline headline = {r->time_s, "s", "profiled"};
    struct ps_str path;
    char line[24];

    if (r->hottest.file) {
        path = r->files.items[r->hottest.file - 1];
        (void)snprintf(line, sizeof line, "%u", r->hottest.line);
        r->out->ops->list(
            r->out, "hottest",
            (struct ps_str[]){path, ps_str_from_c(line), ps_str_from_c(r->hottest.name)}, 3);
        ps_sink_meta(r->out, "title", ps_base_name(path));
    } else {
        r->out->ops->list(r->out, "hottest", NULL, 0);
    }
    r->out->ops->headline(r->out, &headline);
}

/* Writes metrics, notes, ledger and headline. */
static void report_all(struct reader *r)
{
    double unit = r->unit > 0 ? r->unit : 1e-6;

    ps_sink_meta(r->out, "tool", PS_STR("line_profiler"));
    write_summary(r, unit);
    write_notes(r);
    ps_report_write_ledger(&r->in, r->out, r->rows, r->repaired, r->rejected);
    write_hottest(r);
}

/* Unit in seconds if the start of the report is missing: the default of every line_profiler
 * version. */
static const double default_unit = 1e-6;

static bool count_line(struct tally *tally, const struct ps_report_line *line)
{
    if (tally->count++ == 0) {
        tally->offset = line->offset;
        tally->line = line->number;
    }
    return tally->count <= NOTES_MAX;
}

static struct ps_num add_num(struct ps_num a, struct ps_num b)
{
    int64_t sum;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT && !__builtin_add_overflow(a.i, b.i, &sum))
        return ps_int(sum);
    return ps_real(ps_num_to_real(a) + ps_num_to_real(b));
}

/* --- Files and functions --- */

static uint32_t file_of(struct reader *r, struct ps_str path)
{
    uint32_t known = r->files.count, id = ps_intern_add(&r->files, path) + 1;

    if (r->files.count > known)
        r->out->ops->line_file(r->out, &(struct ps_line_file){
                                           .id = id,
                                           .path = r->files.items[id - 1],
                                           .origin = ps_line_origin(path),
                                       });
    return id;
}

/* The key that identifies a function: file, line and name. */
static struct ps_buf key_of(uint32_t file, uint32_t line, struct ps_str name)
{
    struct ps_buf key = {0};

    ps_buf_printf(&key, "%u %u ", file, line);
    ps_buf_add_str(&key, name);
    return key;
}

static void count_repeated_block(struct reader *r, uint32_t file, uint32_t line, struct ps_str name)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = key_of(file, line, name);
    uint32_t known = r->listed.count;

    r->repeated_blocks += ps_intern_add(&r->listed, ps_buf_slice(&key)) < known;
}

static bool is_listed(const struct reader *r, uint32_t file, uint32_t line, struct ps_str name)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = key_of(file, line, name);

    return ps_intern_find(&r->listed, ps_buf_slice(&key)) != PS_INTERN_NONE;
}

static void write_function(struct reader *r)
{
    if (r->block.is_written)
        return;
    r->block.is_written = true;
    count_repeated_block(r, r->block.file, r->block.first_line, r->block.name);
    r->out->ops->line_function(r->out, &(struct ps_line_function){
                                           .id = r->block.function,
                                           .file = r->block.file,
                                           .name = r->block.name,
                                           .first_line = r->block.first_line,
                                       });
}

static void update_hottest(struct reader *r, double ticks, uint32_t file, uint32_t line,
                           struct ps_str name)
{
    if (r->hottest.file && ticks <= r->hottest.ticks)
        return;
    free(r->hottest.name);
    r->hottest.ticks = ticks;
    r->hottest.file = file;
    r->hottest.line = line;
    r->hottest.name = ps_strdup(name);
}

/* Whether the times of the lines add up to the printed total, allowing for rounding. */
static bool is_sum_consistent(const struct reader *r)
{
    double ticks = ps_num_to_real(r->block.ticks) * r->unit;
    double slack = 0.06 * r->block.timed * r->report_unit + 0.006 * fabs(r->next.total_s);

    return !r->next.seen || fabs(ticks - r->next.total_s) <= slack + 1e-9;
}

static void clear_next(struct reader *r)
{
    r->next.seen = r->next.gone = false;
    r->next.file.len = r->next.name.len = 0;
    r->next.first_line = 0;
}

static void flush_cells(struct reader *r);

static void close_block(struct reader *r)
{
    double ticks;

    if (!r->block.table.is_open)
        return;
    flush_cells(r);
    ticks = ps_num_to_real(r->block.ticks);
    write_function(r);
    if (!is_sum_consistent(r))
        (void)count_line(&r->uneven, &r->in.line);
    r->functions_run += r->block.timed > 0;
    r->functions_timed += ticks > 0;
    r->ticks = add_num(r->ticks, r->block.ticks);
    /* The printed total has more digits than the rows. */
    if (r->next.seen)
        ticks = r->next.total_s / r->unit;
    r->time_s += ticks * r->unit;
    update_hottest(r, ticks, r->block.file, r->block.first_line, r->block.name);
    r->block.table.is_open = false;
    r->cells.column = 0;
    clear_next(r);
}

static void open_block(struct reader *r, const struct ps_line_table_columns *columns)
{
    static const struct ps_str unknown = PS_STR("unknown file");
    struct ps_str file = ps_buf_slice(&r->next.file);

    if (r->unit == 0) {
        r->unit = r->report_unit = default_unit;
    }
    if (file.len == 0)
        (void)count_line(&r->orphans, &r->in.line);
    r->block.table = (struct ps_line_table){.is_open = true, .columns = *columns};
    r->block.is_written = false;
    r->block.gone = r->next.gone;
    r->block.file = file_of(r, file.len ? file : unknown);
    r->block.function = ++r->functions;
    r->block.first_line = r->next.first_line;
    r->block.timed = 0;
    r->block.name = r->next.name.len ? ps_buf_slice(&r->next.name) : PS_STR("");
    r->block.ticks = ps_int(0);
}

/* --- Rows --- */

static struct ps_num to_run_unit(const struct reader *r, struct ps_num ticks)
{
    if (r->report_unit == r->unit)
        return ticks;
    return ps_real(ps_num_to_real(ticks) * r->report_unit / r->unit);
}

/* Notes a time such as 1.2e+10, which is printed with three digits (trailing zeros are left out)
 * where it is wider than its column. */
static void add_shortened(struct reader *r, double ticks)
{
    (void)count_line(&r->shortened, &r->in.line);
    if (r->shortest_ticks == 0 || ticks < r->shortest_ticks)
        r->shortest_ticks = ticks;
}

static void parse_row(struct reader *r, struct ps_line_report_row *row)
{
    struct ps_line_row line = {
        .file = r->block.file,
        .function = r->block.function,
        .block = 1,
        .line = row->number.line,
        .source = r->block.gone ? (struct ps_str){NULL, 0} : row->source,
    };

    if (r->in.line.has_escapes && line.source.ptr)
        line.source = ps_report_trim_end(line.source);
    if (!r->block.first_line)
        r->block.first_line = row->number.line;
    write_function(r);
    if (row->n) {
        line.metrics.hits = row->values[0];
        line.metrics.ticks = to_run_unit(r, row->values[1]);
        r->block.ticks = add_num(r->block.ticks, line.metrics.ticks);
        if (row->is_short)
            add_shortened(r, ps_num_to_real(line.metrics.ticks));
        r->block.timed++;
        r->measured++;
    }
    r->out->ops->line(r->out, &line);
    r->rows++;
    if (ps_line_table_add_row(&r->block.table, &row->number))
        (void)count_line(&r->gaps, &r->in.line);
    r->repaired += r->in.line.is_repaired || r->in.line.is_rejoined;
    if (r->in.line.is_repaired && count_line(&r->repairs, &r->in.line))
        ps_sink_note(r->out, PS_NOTE_REPAIRED, r->in.line.offset, r->in.line.number,
                     "the source text of this row contains invalid UTF-8 or was truncated");
}

static void reject_row(struct reader *r, const char *why)
{
    r->rejected++;
    ps_report_count_doubtful(&r->in);
    if (count_line(&r->rejects, &r->in.line))
        ps_sink_note(r->out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number, "%s", why);
}

/* Begins another block of the current function, whose total is unknown. */
static void repeat_block(struct reader *r)
{
    struct ps_line_table_columns columns = r->block.table.columns;
    uint32_t file = r->block.file, first_line = r->block.first_line;
    bool gone = r->block.gone;
    struct ps_buf name = r->next.name;

    r->next.name = (struct ps_buf){0};
    close_block(r);
    ps_buf_free(&r->next.name);
    r->next.name = name;
    r->block.table = (struct ps_line_table){.is_open = true, .has_rule = true, .columns = columns};
    r->block.is_written = false;
    r->block.gone = gone;
    r->block.file = file;
    r->block.function = ++r->functions;
    r->block.first_line = first_line;
    r->block.timed = 0;
    r->block.name = name.len ? ps_buf_slice(&r->next.name) : PS_STR("");
    r->block.ticks = ps_int(0);
}

/* --- Squeezed cells --- */

/*
 * -r prints the numbers and the source as two cells, which rich fits into its width: 80 columns if
 * it writes to a file. It wraps the cell of the numbers, not that of the source, so the source
 * stands beside other rows than its own:
 *
 *     22         3          2.3      0.8            s = 0
 * 1.6                                               for i in range(n):
 *     23       306         58.1      0.2                s += i
 * 41.7                                              return s
 *
 * The n-th row has the n-th line of the source.
 */

enum { NUMBER_WIDTH = 6, CELL_GAP = 2 };

/* Returns the column of the source in the first row of a squeezed table, where it is to the left of
 * its heading; else 0. */
static size_t squeezed_column(const struct ps_line_table *table, struct ps_str text)
{
    struct ps_line_table_number number;
    size_t column;

    if (!table->is_open || table->next_line || !ps_line_table_parse_number(table, text, &number) ||
        number.end_column != table->columns.number_offset + NUMBER_WIDTH)
        return 0;
    column = number.end_column;
    while (column < text.len && text.ptr[column] == ' ')
        column++;
    return column >= number.end_column + CELL_GAP && column < text.len &&
                   column < table->columns.source_offset &&
                   !(text.ptr[column] >= '0' && text.ptr[column] <= '9')
               ? column
               : 0;
}

static void flush_cells(struct reader *r)
{
    struct ps_line_report_row row = r->cells.row;

    r->cells.row.number.line = 0;
    if (!r->cells.column || !row.number.line)
        return;
    if (!is_complete(&row)) {
        (void)ps_line_table_add_row(&r->block.table, &row.number);
        reject_row(r, "the values of this row cannot be read");
        return;
    }
    row.source = r->cells.source.len ? ps_buf_slice(&r->cells.source) : PS_STR("");
    r->repaired += r->cells.n_pieces > 1 && !r->in.line.is_repaired;
    parse_row(r, &row);
}

/* Moves the next line of the source cell into cells.source. */
static void take_source(struct reader *r)
{
    struct ps_str rest = ps_str_skip(ps_buf_slice(&r->cells.sources), r->cells.n_taken),
                  line = ps_report_pop_line(&rest);

    r->cells.n_taken = r->cells.sources.len - rest.len;
    r->cells.source.len = 0;
    ps_buf_add_str(&r->cells.source, line);
}

/* Reads the values in the cell of the numbers. False: it has other text. */
static bool read_cell(struct reader *r, struct ps_str left)
{
    struct ps_line_report_row *row = &r->cells.row;
    struct ps_str rest = left;

    read_values(&rest, row);
    return ps_report_trim_end(rest).len == 0;
}

/* Handles a line of a squeezed table. An empty line ends it. */
static bool parse_cells(struct reader *r, struct ps_str text)
{
    struct ps_line_table *table = &r->block.table;
    size_t from = table->columns.number_offset;
    struct ps_str left = {text.ptr, text.len < r->cells.column ? text.len : r->cells.column};
    struct ps_line_table_number number;

    if (ps_report_trim_end(ps_str_skip(text, from)).len == 0) {
        close_block(r);
        return true;
    }
    ps_buf_add_str(&r->cells.sources, ps_report_trim_end(ps_str_skip(text, r->cells.column)));
    ps_buf_puts(&r->cells.sources, "\n");
    if (ps_line_table_parse_number(table, left, &number) &&
        number.end_column == from + NUMBER_WIDTH && number.line > r->cells.row.number.line &&
        number.line >= table->next_line) {
        flush_cells(r);
        take_source(r);
        r->cells.row = (struct ps_line_report_row){.number = number};
        r->cells.n_pieces = 1;
        return read_cell(r, ps_str_skip(left, number.end_column));
    }
    if (!r->cells.row.number.line || !read_cell(r, ps_str_skip(left, from)))
        return false;
    r->in.continuation_lines++;
    r->cells.n_pieces++;
    if (!r->cells.is_joined)
        (void)count_line(&r->squeezed, &r->in.line);
    r->cells.is_joined = true;
    return true;
}

/* Handles the line if it is a row of the current block. */
static bool parse_in_block(struct reader *r, struct ps_str text)
{
    struct ps_line_report_row row;
    enum ps_line_report_match match;
    size_t column = r->cells.column ? 0 : squeezed_column(&r->block.table, text);

    if (column) {
        r->cells.column = column;
        r->cells.row.number.line = 0;
        r->cells.sources.len = r->cells.n_taken = 0;
        r->cells.is_joined = false;
    }
    if (r->cells.column)
        return parse_cells(r, text);
    match = r->block.table.is_open ? ps_line_report_parse_row(&r->block.table, text, &row)
                                   : PS_LINE_REPORT_NONE;
    if (match == PS_LINE_REPORT_BACK) {
        (void)count_line(&r->mixed, &r->in.line);
        repeat_block(r);
    }
    if (match == PS_LINE_REPORT_ROW || match == PS_LINE_REPORT_BACK)
        parse_row(r, &row);
    if (match == PS_LINE_REPORT_INVALID) {
        (void)ps_line_table_add_row(&r->block.table, &row.number);
        reject_row(r, "the values of this row cannot be read");
    }
    return match != PS_LINE_REPORT_NONE;
}

/* --- Lines outside of blocks --- */

static bool parse_unit(struct reader *r, struct ps_str text)
{
    size_t column;
    double unit;

    if (!ps_line_report_parse_seconds(text, PS_STR("Timer unit: "), &column, &unit) || !(unit > 0))
        return false;
    close_block(r);
    clear_next(r);
    r->next.column = column;
    r->reports++;
    r->other_units += r->unit > 0 && unit != r->unit;
    r->unit = r->unit > 0 ? r->unit : unit;
    r->report_unit = unit;
    return true;
}

static bool parse_total(struct reader *r, struct ps_str text)
{
    size_t column;
    double total;

    if (!ps_line_report_parse_seconds(text, PS_STR("Total time: "), &column, &total))
        return false;
    close_block(r);
    if (r->next.seen || column != r->next.column)
        clear_next(r);
    r->next.seen = true;
    r->next.column = column;
    r->next.total_s = total;
    return true;
}

/* Sets *rest to the text after `word`. False: the word is missing, or does not begin in the same
 * column as the lines before it. */
static bool skip_past_word(struct reader *r, struct ps_str text, const char *word,
                           struct ps_str *rest)
{
    const char *at = ps_str_find(text, ps_str_from_c(word));
    size_t column = at ? (size_t)(at - text.ptr) : 0;

    if (!at || (r->next.seen && column != r->next.column))
        return false;
    if (column != r->next.column)
        clear_next(r);
    r->next.column = column;
    *rest = ps_report_trim_end(ps_str_skip(text, column + strlen(word)));
    return true;
}

/* Parses "File: ", "Function: ", and the message that replaces both if the source was not found. Up
 * to version 1 these lines precede "Total time: "; later they follow it. */
static bool parse_location(struct reader *r, struct ps_str text)
{
    struct ps_str rest, name;
    uint32_t line;
    bool gone;

    if (r->block.table.is_open && !r->block.table.is_paused)
        return false;
    gone = skip_past_word(r, text, "Could not find file ", &rest);
    if (gone || skip_past_word(r, text, "File: ", &rest)) {
        close_block(r);
        r->missing += gone;
        r->next.gone = gone;
        r->next.file.len = 0;
        ps_buf_add_str(&r->next.file, rest);
    } else if (skip_past_word(r, text, "Function: ", &rest) &&
               ps_line_report_parse_function(rest, &name, &line)) {
        close_block(r);
        r->next.first_line = line;
        r->next.name.len = 0;
        ps_buf_add_str(&r->next.name, name);
    } else {
        return false;
    }
    r->repaired_names += r->in.line.is_repaired;
    return true;
}

static bool parse_header(struct reader *r, struct ps_str text)
{
    struct ps_line_table_columns columns;

    if (!ps_line_report_parse_header(text, &columns))
        return false;
    close_block(r);
    open_block(r, &columns);
    return true;
}

/* Handles a line of the summary, which has the seconds of a function with two decimals. It is used
 * only if the function has no block. */
static bool parse_summary(struct reader *r, struct ps_str text)
{
    struct ps_line_report_summary summary;
    struct ps_line_row row = {.block = 1, .is_function = true};

    if (r->unit == 0 || !ps_line_report_parse_summary(text, &summary))
        return false;
    close_block(r);
    row.file = file_of(r, summary.file);
    if (is_listed(r, row.file, summary.line, summary.name) ||
        is_listed(r, row.file, summary.line, PS_STR("")))
        return true;
    count_repeated_block(r, row.file, summary.line, summary.name);
    row.function = ++r->functions;
    row.line = summary.line;
    row.metrics.ticks = ps_real(summary.seconds / r->unit);
    r->out->ops->line_function(r->out, &(struct ps_line_function){
                                           .id = row.function,
                                           .file = row.file,
                                           .name = summary.name,
                                           .first_line = summary.line,
                                       });
    r->out->ops->line(r->out, &row);
    r->rows++;
    r->summaries++;
    r->functions_timed += summary.seconds > 0;
    r->ticks = add_num(r->ticks, row.metrics.ticks);
    r->time_s += summary.seconds;
    update_hottest(r, row.metrics.ticks.r, row.file, summary.line, summary.name);
    return true;
}

/* Classifies a text in the context of the current block, or of the report if there is none. */
static enum ps_report_row classify_row(const void *reader, struct ps_str text)
{
    const struct reader *r = reader;
    struct ps_line_table_columns columns;
    struct ps_line_report_summary summary;
    struct ps_line_report_row row;
    struct ps_str head = ps_str_skip(text, r->next.column), name;
    size_t column;
    double seconds;
    uint32_t line;

    if (r->cells.column || squeezed_column(&r->block.table, text) ||
        ps_line_report_parse_header(text, &columns) ||
        ps_line_report_parse_seconds(text, PS_STR("Total time: "), &column, &seconds) ||
        ps_line_report_parse_seconds(text, PS_STR("Timer unit: "), &column, &seconds))
        return PS_ROW_FINAL;
    if (ps_line_report_parse_summary(text, &summary) || ps_str_starts_with(head, PS_STR("File: ")))
        return PS_ROW_COMPLETE;
    if (ps_str_starts_with(head, PS_STR("Function: ")))
        return ps_line_report_parse_function(head, &name, &line) ? PS_ROW_COMPLETE
                                                                 : PS_ROW_INCOMPLETE;
    switch (r->block.table.is_open ? ps_line_report_parse_row(&r->block.table, text, &row)
                                   : PS_LINE_REPORT_NONE) {
    case PS_LINE_REPORT_ROW:
    case PS_LINE_REPORT_BACK:
        return PS_ROW_COMPLETE;
    case PS_LINE_REPORT_INVALID:
        return PS_ROW_INCOMPLETE;
    case PS_LINE_REPORT_NONE:
        break;
    }
    return ps_str_find(text, PS_STR(" seconds - ")) ? PS_ROW_INCOMPLETE : PS_ROW_NONE;
}

/* Returns whether `text` continues on the next line. A header, or a line before a header, may be
 * wrapped. */
static enum ps_report_line_end find_line_end(const void *reader, struct ps_str text,
                                             struct ps_str next)
{
    static const char *const begins[] = {
        "Line #",       "File: ",        "Function: ",         "Total time: ",
        "Timer unit: ", "Are you sure ", "Continuing without "};
    const struct reader *r = reader;
    struct ps_line_table any = {.columns = r->block.table.columns};
    struct ps_str prefix = {text.ptr, text.len < r->next.column ? text.len : r->next.column};
    struct ps_line_report_row row;

    /* A line that is empty after the prefix, or a row with any line number, begins a new line. */
    if (prefix.len && ps_str_eq(ps_report_trim_end(next), ps_report_trim_end(prefix)))
        return PS_LINE_END_COMPLETE;
    if (r->block.table.is_open &&
        ps_line_report_parse_row(&any, next, &row) == PS_LINE_REPORT_ROW && row.n)
        return PS_LINE_END_COMPLETE;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (ps_str_starts_with(ps_str_skip(next, r->next.column), ps_str_from_c(begins[i])))
            return PS_LINE_END_COMPLETE;
    return ps_report_find_row_end(classify_row, r, text, next);
}

static void parse_line(struct reader *r)
{
    struct ps_str text = r->in.line.text;

    if (parse_in_block(r, text) || parse_unit(r, text) || parse_total(r, text) ||
        parse_location(r, text) || parse_header(r, text) || parse_summary(r, text))
        return;
    if (r->block.table.is_open && ps_line_table_reject(&r->block.table, text))
        reject_row(r, "this line inside a table is not a table row");
    r->others += ps_report_trim_end(text).len > 0;
    if (!r->block.table.is_open && !r->next.seen && ps_report_trim_end(text).len)
        clear_next(r); /* another program wrote the line */
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        ps_report_rejoin(&r->in, classify_row, r);
        parse_line(r);
        if (r->rows > ROWS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the log has more than %d rows",
                              ROWS_MAX);
        if (ps_report_check(&r->in, r->out, r->rows, err) != PS_OK)
            return PS_CANCELLED;
    }
    close_block(r);
    return ps_stream_status(r->in.in, err);
}

static bool is_header(struct ps_str line)
{
    struct ps_line_table_columns columns;

    return ps_line_report_parse_header(line, &columns);
}

/* Whether the unwrapped text has more complete headers. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count_lines(unwrapped, is_header) > ps_report_count_lines(head, is_header);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.in = {.in = in}, .out = out, .ticks = ps_int(0)};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, find_line_end, &r);
    status = read_log(&r, err);
    if (status == PS_OK)
        report_all(&r);
    ps_report_free(&r.in);
    ps_intern_free(&r.files);
    ps_intern_free(&r.listed);
    ps_buf_free(&r.next.file);
    ps_buf_free(&r.next.name);
    ps_buf_free(&r.cells.sources);
    ps_buf_free(&r.cells.source);
    free(r.hottest.name);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    struct ps_line_table_columns columns;
    size_t column;
    double unit;

    while (head.len) {
        const char *end = memchr(head.ptr, '\n', head.len);
        struct ps_str line = {head.ptr, end ? (size_t)(end - head.ptr) : head.len};

        head = ps_str_skip(head, line.len + 1);
        if (ps_line_report_parse_header(line, &columns) ||
            ps_line_report_parse_seconds(line, PS_STR("Timer unit: "), &column, &unit))
            return PS_MATCH_SURE;
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_line_text = {
    .kind = "line_profiler",
    .label = "line_profiler report",
    .description =
        "hits, time and source of each line, as line_profiler prints them, also inside other "
        "output",
    .record_command = "python -m line_profiler app.py.lprof > report.txt",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
