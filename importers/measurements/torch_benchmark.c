/* SPDX-License-Identifier: MIT */
/*
 * torch_benchmark.c: reads what torch.utils.benchmark prints, anywhere in a log: measurements, and
 * the tables of Compare.
 *
 * A measurement has its title, median, quartiles and number of repetitions. A table has a row for
 * each sub_label and number of threads, and a column for each description; its values are medians.
 * The columns of a table are alternatives. Printed values are rounded, and the single repetitions
 * are missing. Pickles of measurements are not read.
 * The formats are those of the sources of PyTorch 1.8 to 2.10; tested with texts made after them.
 */
#include <stdlib.h>

#include "base/intern.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/records/measurements.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

enum {
    RESULTS_MAX = 1000 * 1000,
    ROWS_MAX = 100 * 1000, /* of a table */
    COLUMNS_MAX = 64,
    NAME_BYTES_MAX = 4096,
    NAME_LINES_MAX = 20, /* of a statement */
    NOTES_MAX = 50,
};

#define OBJECT "<torch.utils.benchmark.utils.common.Measurement object at "

/* A cell of a table, whose unit is printed below the table. */
struct cell {
    struct ps_str row; /* in the arena */
    size_t column;
    int64_t threads;
    struct ps_str value; /* "25.5"; in the arena */
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_report_reader in;
    enum { NOTHING, MEASUREMENT, TABLE } open;
    size_t indent; /* bytes before each line, which a container puts there */
    /* the open measurement */
    struct ps_buf name;
    size_t name_lines;
    bool is_wrapped; /* the end of its first line is on the next one */
    bool in_setup, has_median;
    struct ps_measurement row;
    /* the open table */
    struct ps_str label, columns[COLUMNS_MAX]; /* in the arena */
    size_t n_columns;
    int64_t threads;
    struct cell *cells;
    size_t n_cells, cells_cap;
    struct ps_intern names; /* of the rows written */
    uint64_t results, stored, rejected, unfinished;
};

static void reject_line(struct reader *r, const char *why)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number, "%s",
                     why);
}

/* --- Values --- */

/* The exponent of a unit of time; false: not a unit. */
static bool find_shift(struct ps_str unit, int *shift)
{
    static const struct {
        const char *unit;
        int shift;
    } units[] = {{"ns", -9}, {"us", -6}, {"ms", -3}, {"s", 0}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ps_str_eq_c(unit, units[i].unit)) {
            *shift = units[i].shift;
            return true;
        }
    return false;
}

/* Reads "5.73 us" and removes it from *rest. */
static bool parse_time(struct ps_str *rest, struct ps_printed_number *out, int *shift)
{
    struct ps_str at = *rest, number = ps_report_pop_word(&at);

    if (!find_shift(ps_report_pop_word(&at), shift) ||
        !ps_printed_number_parse(number, *shift, out))
        return false;
    *rest = at;
    return true;
}

static struct ps_str unique_name(struct reader *r, struct ps_str name)
{
    const uint32_t before = r->names.count;

    if (ps_intern_add(&r->names, name) == before)
        return ps_arena_copy(&r->builder.arena, name);
    return ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s (result %llu)", (int)name.len,
                                         name.ptr, (unsigned long long)r->results + 1));
}

static void write_row(struct reader *r, struct ps_measurement *row, struct ps_str name,
                      int64_t threads)
{
    row->name = unique_name(r, name);
    row->metric = PS_STR("time");
    row->better = PS_BETTER_LOWER;
    row->unit = "s";
    row->statistic = "median";
    row->value = row->median;
    ps_measurement_add_parameter(&r->builder, PS_STR("threads"), ps_int(threads), PS_STR(""));
    ps_measurement_write(&r->builder, row, row->statistic);
    r->results++;
}

/* --- Measurements --- */

static void begin_measurement(struct reader *r)
{
    r->open = MEASUREMENT;
    r->name.len = 0;
    r->name_lines = 0;
    r->in_setup = r->has_median = false;
    r->is_wrapped = !ps_str_ends_with(ps_report_trim_end(r->in.line.text), PS_STR(">"));
    r->row = (struct ps_measurement){.group = PS_STR("")};
    r->stored++;
}

/* Reads "IQR:    2.25 us (4.01 to 6.26)": the quartiles, in the unit before them. */
static bool parse_quartiles(struct reader *r, struct ps_str rest)
{
    struct ps_printed_number iqr, low, high;
    struct ps_str first, to, last;
    int shift;

    if (!ps_printed_word_consume(&rest, "IQR:") || !parse_time(&rest, &iqr, &shift))
        return false;
    first = ps_report_pop_word(&rest);
    to = ps_report_pop_word(&rest);
    last = ps_report_pop_word(&rest);
    if (first.len < 2 || first.ptr[0] != '(' || !ps_str_eq_c(to, "to") || last.len < 2 ||
        last.ptr[last.len - 1] != ')' ||
        !ps_printed_number_parse(ps_str_skip(first, 1), shift, &low) ||
        !ps_printed_number_parse((struct ps_str){last.ptr, last.len - 1}, shift, &high))
        return false;
    r->row.q1 = ps_real(low.value);
    r->row.q3 = ps_real(high.value);
    return true;
}

/* Reads "372 measurements, 100 runs per measurement, 1 thread", "1 measurement, 100 runs , 1
 * thread". */
static bool parse_counts(struct ps_str rest, int64_t *n, int64_t *runs, int64_t *threads)
{
    struct ps_str word = ps_report_pop_word(&rest), what = ps_report_pop_word(&rest);

    if (!ps_str_parse_i64(word, n) || !ps_str_starts_with(what, PS_STR("measurement")) ||
        !ps_str_parse_i64(ps_report_pop_word(&rest), runs) ||
        !ps_str_eq_c(ps_report_pop_word(&rest), "runs"))
        return false;
    for (word = ps_report_pop_word(&rest); word.len; word = ps_report_pop_word(&rest))
        if (ps_str_parse_i64(word, threads))
            return ps_str_starts_with(ps_report_pop_word(&rest), PS_STR("thread"));
    return false;
}

/* Reads "Median: 5.73 us", or "5.73 us" of a single repetition. */
static bool parse_median(struct reader *r, struct ps_str rest)
{
    struct ps_printed_number median;
    int shift;

    (void)ps_printed_word_consume(&rest, "Median:");
    if (!parse_time(&rest, &median, &shift) || ps_str_trim(rest).len)
        return false;
    r->row.median = ps_real(median.value);
    r->row.resolution = median.resolution;
    return true;
}

/* Adds a line of the title, statement or description to the name; those of the setup are none. */
static void add_name(struct reader *r, struct ps_str text)
{
    r->in_setup = r->in_setup || ps_str_starts_with(text, PS_STR("setup:"));
    if (r->in_setup || !text.len || ps_str_eq_c(text, "stmt:") || r->name.len > NAME_BYTES_MAX)
        return;
    ps_buf_puts(&r->name, r->name.len ? ", " : "");
    ps_buf_add_str(&r->name, ps_truncate_text(text, NAME_BYTES_MAX));
}

/* Reads a line of the open measurement. */
static void parse_measurement(struct reader *r, struct ps_str line)
{
    const struct ps_str text = ps_str_trim(line);
    int64_t n, runs, threads = 1;

    if (r->is_wrapped) {
        r->is_wrapped = false;
    } else if (!r->has_median && ps_str_starts_with(line, PS_STR("  ")) && parse_median(r, text)) {
        r->has_median = true;
    } else if (!r->has_median) {
        if (++r->name_lines > NAME_LINES_MAX) {
            r->open = NOTHING;
            r->unfinished++;
            return;
        }
        add_name(r, text);
    } else if (parse_counts(text, &n, &runs, &threads)) {
        r->row.n = ps_int(n);
        r->row.loops = ps_int(runs);
        if (threads > 1)
            ps_buf_printf(&r->name, " (%lld threads)", (long long)threads);
        write_row(r, &r->row, ps_buf_slice(&r->name), threads);
        r->open = NOTHING;
    } else if (!parse_quartiles(r, text)) {
        reject_line(r, "this line of a measurement cannot be read");
        r->open = NOTHING;
        r->unfinished++;
        return;
    }
    r->stored++;
}

/* --- Tables --- */

/* Reads "[--------- label ---------]". */
static bool parse_title(struct ps_str text, struct ps_str *label)
{
    if (!ps_str_starts_with(text, PS_STR("[--")) || !ps_str_ends_with(text, PS_STR("--]")))
        return false;
    *label = (struct ps_str){text.ptr + 1, text.len - 2};
    while (label->len && (label->ptr[0] == '-' || label->ptr[0] == ' '))
        *label = ps_str_skip(*label, 1);
    while (label->len && (label->ptr[label->len - 1] == '-' || label->ptr[label->len - 1] == ' '))
        label->len--;
    return true;
}

static void begin_table(struct reader *r, struct ps_str label)
{
    r->open = TABLE;
    r->label = ps_arena_copy(&r->builder.arena, ps_truncate_text(label, NAME_BYTES_MAX));
    r->n_columns = 0;
    r->n_cells = 0;
    r->threads = 1;
    r->stored++;
}

/* Removes the last cell of a row from *row. */
static struct ps_str pop_last_cell(struct ps_str *row)
{
    size_t at = row->len;
    struct ps_str cell;

    while (at && row->ptr[at - 1] != '|')
        at--;
    cell = ps_str_trim(ps_str_skip(*row, at));
    row->len = at ? at - 1 : 0;
    return cell;
}

/* Reads the descriptions, which are the titles of the columns. */
static bool parse_columns(struct reader *r, struct ps_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == '|';
    if (n == 0 || n > COLUMNS_MAX)
        return false;
    for (size_t i = n; i-- > 0;)
        r->columns[i] = ps_arena_copy(&r->builder.arena,
                                      ps_truncate_text(pop_last_cell(&text), NAME_BYTES_MAX));
    r->n_columns = n;
    return true;
}

/* Reads "2 threads: -----". */
static bool parse_threads(struct reader *r, struct ps_str text)
{
    struct ps_str word = ps_report_pop_word(&text);
    int64_t threads;

    if (!ps_str_parse_i64(word, &threads) || !ps_str_eq_c(ps_report_pop_word(&text), "threads:"))
        return false;
    r->threads = threads;
    return true;
}

static bool parse_cells(struct reader *r, struct ps_str text)
{
    struct ps_str values[COLUMNS_MAX], name;

    for (size_t i = r->n_columns; i-- > 0;) {
        struct ps_str cell = pop_last_cell(&text), word = ps_report_pop_word(&cell);
        struct ps_printed_number number;

        values[i] = word;
        if (word.len && !ps_printed_number_parse(word, 0, &number))
            return false;
    }
    name = ps_str_trim(text);
    if (!name.len || !text.len)
        return false;
    name = ps_arena_copy(&r->builder.arena, ps_truncate_text(name, NAME_BYTES_MAX));
    for (size_t i = 0; i < r->n_columns && r->n_cells < (size_t)ROWS_MAX * COLUMNS_MAX; i++) {
        if (!values[i].len)
            continue;
        PS_RESERVE_ONE(r->cells, r->n_cells, r->cells_cap);
        r->cells[r->n_cells++] =
            (struct cell){name, i, r->threads, ps_arena_copy(&r->builder.arena, values[i])};
    }
    return true;
}

static void write_cell(struct reader *r, const struct cell *cell, int shift)
{
    const struct ps_str column = r->columns[cell->column];
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    struct ps_measurement row = {.group = r->label, .benchmark = r->label};
    struct ps_printed_number number;

    if (!ps_printed_number_parse(cell->value, shift, &number))
        return;
    ps_buf_add_str(&name, r->label);
    ps_buf_puts(&name, r->label.len ? ": " : "");
    ps_buf_add_str(&name, cell->row);
    ps_buf_puts(&name, column.len ? ", " : "");
    ps_buf_add_str(&name, column);
    if (cell->threads > 1)
        ps_buf_printf(&name, " (%lld threads)", (long long)cell->threads);
    row.median = ps_real(number.value);
    row.resolution = number.resolution;
    ps_measurement_add_parameter(&r->builder, PS_STR("sub_label"), PS_NO_NUM, cell->row);
    write_row(r, &row, ps_buf_slice(&name), cell->threads);
}

/* Reads "Times are in microseconds (us).", which ends a table, and writes its cells. */
static bool parse_end(struct reader *r, struct ps_str text)
{
    const char *bracket = ps_str_find(text, PS_STR("("));
    struct ps_str unit;
    int shift;

    if (!ps_str_starts_with(text, PS_STR("Times are in ")) || !bracket)
        return false;
    unit = ps_str_skip(text, (size_t)(bracket - text.ptr) + 1);
    if (!ps_str_ends_with(unit, PS_STR(").")))
        return false;
    unit.len -= 2;
    if (!find_shift(unit, &shift))
        return false;
    for (size_t i = 0; i < r->n_cells; i++)
        write_cell(r, &r->cells[i], shift);
    r->open = NOTHING;
    return true;
}

static void parse_table(struct reader *r, struct ps_str line)
{
    const struct ps_str text = ps_str_trim(line);

    if (!text.len)
        return;
    if (parse_end(r, text) || (!r->n_columns && parse_columns(r, line)) ||
        (r->n_columns && (parse_threads(r, text) || parse_cells(r, line))))
        r->stored++;
    else
        reject_line(r, "this line inside a table is not a table row");
}

/* --- The log --- */

static void close_unfinished(struct reader *r)
{
    r->unfinished += r->open != NOTHING;
    r->open = NOTHING;
}

static void parse_line(struct reader *r)
{
    const struct ps_str all = ps_report_visible_text(r->in.line.text);
    const char *object = ps_str_find(all, PS_STR(OBJECT)), *title = ps_str_find(all, PS_STR("[--"));
    struct ps_str label;

    if (object) {
        close_unfinished(r);
        r->indent = (size_t)(object - all.ptr);
        begin_measurement(r);
    } else if (title &&
               parse_title(ps_str_trim(ps_str_skip(all, (size_t)(title - all.ptr))), &label)) {
        close_unfinished(r);
        r->indent = (size_t)(title - all.ptr);
        begin_table(r, label);
    } else if (r->open == MEASUREMENT) {
        parse_measurement(r, ps_report_without_prefix(all, r->indent));
    } else if (r->open == TABLE) {
        parse_table(r, ps_report_without_prefix(all, r->indent));
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        parse_line(r);
        if (r->results > RESULTS_MAX || r->n_cells > RESULTS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the file has more than %d results",
                              RESULTS_MAX);
        if (ps_report_check(&r->in, r->builder.out, r->results, err) != PS_OK)
            return PS_CANCELLED;
    }
    close_unfinished(r);
    return ps_stream_status(r->in.in, err);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .in = {.in = in}};
    enum ps_status status = read_log(&r, err);

    if (status == PS_OK && r.results == 0) {
        status = ps_fail(err, PS_BAD_INPUT,
                         "the text contains no complete result of torch.utils.benchmark" PS_HINT
                         "print measurements with `print(timer.blocked_autorange())`, and tables "
                         "with `Compare(results).print()`");
    } else if (status == PS_OK) {
        ps_sink_meta(out, "tool", PS_STR("torch.utils.benchmark"));
        ps_sink_count(out, PS_NOTE_WARNING, r.unfinished,
                      "measurements or tables whose end is missing");
        ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "printed values are rounded, and single repetitions are missing");
        ps_measurement_write_headline(&r.builder);
        ps_report_write_ledger(&r.in, out, r.stored, 0, r.rejected);
    }
    free(r.cells);
    ps_buf_free(&r.name);
    ps_intern_free(&r.names);
    ps_report_free(&r.in);
    ps_measurement_builder_free(&r.builder);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    if (ps_str_find(head, PS_STR(OBJECT)))
        return PS_MATCH_SURE;
    return ps_str_find(head, PS_STR("[--")) && ps_str_find(head, PS_STR(" threads: ---")) &&
                   ps_str_find(head, PS_STR("Times are in "))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_torch_benchmark = {
    .kind = "torch-benchmark",
    .label = "Printed results of torch.utils.benchmark",
    .description = "median time of statements, with quartiles, and tables of Compare, as "
                   "torch.utils.benchmark prints them, in any log (rounded)",
    .record_command = "print(Timer(\"f(x)\", globals=globals()).blocked_autorange())",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
