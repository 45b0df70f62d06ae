/* SPDX-License-Identifier: MIT */
/*
 * key_averages.c: reads the tables that torch's profiler prints (`key_averages().table()`), also
 * between other output.
 *
 * Times have three decimals of their unit, long names are truncated, and only the first row_limit
 * rows (default 100) are printed; notes report all of this. A log may hold several tables, each
 * with its own rows. Tested: torch 1.5 to 2.15.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/records/printed.h"
#include "importers/records/run.h"
#include "importers/text/printed_table.h"
#include "importers/text/text_report.h"
#include "importers/trace/torch.h"

/* The content of a column. */
enum column {
    OTHER = 0, /* a column that is not read: Node ID, or a column of a later version */
    NAME,
    OVERLOAD,
    SHAPES,
    SOURCE,
    FIGURE, /* FIGURE + n: value n of enum ps_operator_metric */
};

struct header {
    unsigned char column[PS_TABLE_COLUMNS]; /* by column: enum column, or FIGURE + metric */
    double flops_factor;                    /* factor of the numbers in the FLOPs column */
    /* indices of the columns "# of Calls", "Source Location" and "Total FLOPs"; source and flops:
     * PS_TABLE_COLUMNS if there is none */
    size_t calls, source, flops;
    struct ps_str device; /* "CUDA", a slice of the header line; empty: none */
};

struct table {
    uint32_t first, n; /* index of the first row; number of rows */
    struct ps_num self_s, device_s;
    struct ps_str ordered, device; /* as printed; in the arena */
    bool by_shape, by_stack;
    uint32_t decreasing_metrics; /* bit i: metric i never increases from row to row */
};

struct row {
    struct ps_str name, overload, shapes, source; /* in the arena */
    bool is_truncated;                            /* the printed name is truncated */
    struct ps_num figures[PS_N_OPERATOR_METRICS];
};

struct reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_arena arena;
    struct table *tables;
    uint32_t n_tables, cap_tables;
    struct row *rows;
    uint32_t n, cap;

    enum { OUTSIDE, RULED, HEADED, INSIDE } state;
    struct ps_printed_columns spans;
    struct header header;
    struct ps_str titles[PS_TABLE_COLUMNS]; /* titles of the columns; in the arena */
    /* all lines of the current row: a newline in the name splits a row */
    struct ps_buf row;
    struct ps_buf previous_line; /* the previous line, outside of tables */
    unsigned pieces;
    uint64_t row_offset, row_line;
    bool is_row_repaired;
    uint64_t repaired, mended, rejected;
    uint64_t n_truncated; /* number of truncated names */
    uint64_t n_unread;    /* headers whose columns cannot be told apart */
};

/*
 * Headers and cells.
 *
 * Columns of devices contain the device name: "Self CUDA", "XPU total". The names in torch 1.5 and
 * 1.6, "Self CPU total" and "Number of Calls", are supported, too.
 */

static struct ps_str without_end(struct ps_str text, size_t n)
{
    return (struct ps_str){text.ptr, text.len - n};
}

/* The meaning of a column title: "Self CUDA" has self values of a device, "CPU" total values of the
 * host. */
struct column_owner {
    bool self, device;
};

static struct column_owner column_owner(struct ps_str text, struct header *out)
{
    static const struct ps_str self = PS_STR("Self ");
    struct column_owner of = {.self = ps_str_starts_with(text, self)};

    if (of.self)
        text = ps_str_skip(text, self.len);
    of.device = !ps_str_eq_c(text, "CPU");
    if (of.device)
        out->device = text;
    return of;
}

static enum column figure_column(enum ps_operator_metric figure)
{
    return (enum column)((int)FIGURE + (int)figure);
}

struct unit {
    const char *word;
    double value;
};

/* Reads a number and its unit; *out is the product. */
static bool parse_measured(struct ps_str cell, const struct unit *units, size_t n, double *out)
{
    size_t digits = 0;
    struct ps_num number;
    struct ps_str word;

    while (digits < cell.len && strchr("0123456789.+-", cell.ptr[digits]) && cell.ptr[digits])
        digits++;
    if (!ps_report_parse_number((struct ps_str){cell.ptr, digits}, &number))
        return false;
    word = ps_str_skip(cell, digits);
    if (word.len && word.ptr[0] == ' ')
        word = ps_str_skip(word, 1);
    for (size_t i = 0; i < n; i++)
        if (ps_str_eq_c(word, units[i].word)) {
            *out = ps_num_to_real(number) * units[i].value;
            return fabs(*out) < 9e18;
        }
    return false;
}

static bool parse_percent(struct ps_str cell, struct ps_num *out)
{
    /* rows of asynchronous operators have a 0 without % */
    static const struct unit units[] = {{"%", 1}, {"", 1}};
    double value;

    if (!parse_measured(cell, units, 2, &value))
        return false;
    *out = ps_real(value);
    return true;
}

static enum column time_column(struct ps_str text, bool percent, struct header *out)
{
    static const struct ps_str total = PS_STR(" total");
    bool is_total = ps_str_ends_with(text, total);
    struct column_owner of = column_owner(is_total ? without_end(text, total.len) : text, out);

    if (!of.self && !is_total)
        return OTHER;
    if (percent)
        return of.self     ? figure_column(of.device ? PS_OPERATOR_SELF_DEVICE_PCT
                                                     : PS_OPERATOR_SELF_CPU_PCT)
               : of.device ? OTHER
                           : figure_column(PS_OPERATOR_CPU_TOTAL_PCT);
    if (of.self)
        return figure_column(of.device ? PS_OPERATOR_SELF_DEVICE_NS : PS_OPERATOR_SELF_CPU_NS);
    return figure_column(of.device ? PS_OPERATOR_DEVICE_TOTAL_NS : PS_OPERATOR_CPU_TOTAL_NS);
}

static enum column memory_column(struct ps_str text, struct header *out)
{
    struct column_owner of = column_owner(text, out);

    if (of.self)
        return figure_column(of.device ? PS_OPERATOR_SELF_DEVICE_BYTES
                                       : PS_OPERATOR_SELF_CPU_BYTES);
    return figure_column(of.device ? PS_OPERATOR_DEVICE_BYTES : PS_OPERATOR_CPU_BYTES);
}

/* Parses the title "Total MFLOPs"; *out is the factor of the prefix. */
static bool flops_column(struct ps_str text, double *out)
{
    static const char prefixes[] = "KMGTP";
    const char *prefix;

    if (!ps_str_starts_with(text, PS_STR("Total ")) || !ps_str_ends_with(text, PS_STR("FLOPs")))
        return false;
    text = without_end(ps_str_skip(text, 6), 5);
    prefix = text.len == 1 ? strchr(prefixes, text.ptr[0]) : NULL;
    *out = prefix ? pow(1000, (double)(prefix - prefixes + 1)) : 1;
    return text.len == 0 || prefix;
}

static enum column column_of(struct ps_str title, struct header *out)
{
    static const struct {
        const char *title;
        enum column column;
    } plain[] = {
        {"Name", NAME},
        {"Overload Name", OVERLOAD},
        {"Input Shapes", SHAPES},
        {"Source Location", SOURCE},
        {"# of Calls", (enum column)((int)FIGURE + (int)PS_OPERATOR_CALLS)},
        {"Number of Calls", (enum column)((int)FIGURE + (int)PS_OPERATOR_CALLS)},
        {"Node ID", OTHER},
    };
    static const struct ps_str avg = PS_STR(" time avg"), percent = PS_STR(" %"),
                               memory = PS_STR(" Mem");

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (ps_str_eq_c(title, plain[i].title))
            return plain[i].column;
    if (flops_column(title, &out->flops_factor))
        return figure_column(PS_OPERATOR_FLOPS);
    if (ps_str_ends_with(title, memory))
        return memory_column(without_end(title, memory.len), out);
    if (ps_str_ends_with(title, avg))
        return figure_column(column_owner(without_end(title, avg.len), out).device
                                 ? PS_OPERATOR_DEVICE_MEAN_NS
                                 : PS_OPERATOR_CPU_MEAN_NS);
    return ps_str_ends_with(title, percent)
               ? time_column(without_end(title, percent.len), true, out)
               : time_column(title, false, out);
}

/* Parses the columns of a header line. False: not a header. */
static bool read_header(const struct ps_printed_columns *spans, struct ps_str line,
                        struct header *out)
{
    struct ps_str titles[PS_TABLE_COLUMNS];
    bool name = false, time = false;

    *out = (struct header){.flops_factor = 1,
                           .calls = PS_TABLE_COLUMNS,
                           .source = PS_TABLE_COLUMNS,
                           .flops = PS_TABLE_COLUMNS};
    if (!ps_printed_table_split_titles(spans, line, titles))
        return false;
    for (size_t i = 0; i < spans->n; i++) {
        enum column column = column_of(titles[i], out);

        out->column[i] = (unsigned char)column;
        name |= column == NAME;
        time |= column == figure_column(PS_OPERATOR_SELF_CPU_NS);
        if (column == figure_column(PS_OPERATOR_CALLS))
            out->calls = i;
        if (column == SOURCE)
            out->source = i;
        if (column == figure_column(PS_OPERATOR_FLOPS))
            out->flops = i;
    }
    return name && time && out->calls < PS_TABLE_COLUMNS;
}

/* --- Cells --- */

/* Parses "36.507ms" as ns. */
static bool read_time(struct ps_str text, int64_t *out)
{
    static const struct unit units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    double ns;

    if (!parse_measured(text, units, sizeof units / sizeof *units, &ns))
        return false;
    *out = llround(ns);
    return true;
}

static bool parse_bytes(struct ps_str cell, int64_t *out)
{
    static const struct unit units[] = {
        {"b", 1},          {"B", 1},          {"Kb", 1024},       {"KB", 1024},
        {"Mb", 1048576.0}, {"MB", 1048576.0}, {"Gb", 1073741824}, {"GB", 1073741824},
        {"Tb", 0x1p40},    {"TB", 0x1p40},
    };
    double value;

    if (!parse_measured(cell, units, sizeof units / sizeof *units, &value))
        return false;
    *out = llround(value);
    return true;
}

static bool parse_flops(struct ps_str cell, double scale, struct ps_num *out)
{
    struct unit units[] = {{"", scale}};
    double value;

    if (!parse_measured(cell, units, 1, &value))
        return false;
    *out = ps_int(llround(value));
    return true;
}

/* Parses a value in the unit of its column: none for "--", "NaN" and an empty cell. False:
 * invalid. */
static bool read_figure(enum ps_operator_metric which, struct ps_str cell, double flops,
                        struct ps_num *out)
{
    int64_t whole = 0;
    bool good;

    *out = (struct ps_num){0};
    if (cell.len == 0 || ps_str_eq_c(cell, "--") || ps_str_eq_c(cell, "NaN") ||
        ps_str_eq_c(cell, "nan"))
        return which != PS_OPERATOR_CALLS;
    switch (which) {
    case PS_OPERATOR_SELF_CPU_PCT:
    case PS_OPERATOR_CPU_TOTAL_PCT:
    case PS_OPERATOR_SELF_DEVICE_PCT:
        return parse_percent(cell, out) || (ps_str_eq_c(cell, "NaN%") || ps_str_eq_c(cell, "nan%"));
    case PS_OPERATOR_FLOPS:
        return parse_flops(cell, flops, out);
    case PS_OPERATOR_CALLS:
        good = ps_str_parse_i64(cell, &whole) && whole >= 0;
        break;
    case PS_OPERATOR_CPU_BYTES:
    case PS_OPERATOR_SELF_CPU_BYTES:
    case PS_OPERATOR_DEVICE_BYTES:
    case PS_OPERATOR_SELF_DEVICE_BYTES:
        good = parse_bytes(cell, &whole);
        break;
    default:
        good = read_time(cell, &whole);
    }
    if (good)
        *out = ps_int(whole);
    return good;
}

/* --- Reporting --- */

enum {
    ROWS_MAX = 1000 * 1000,
    PIECES_MAX = 64,        /* maximum number of lines of a row whose name has newlines */
    BYTES_MAX = 256 * 1024, /* maximum number of bytes of a row */
    NOTES_MAX = 50,
};

enum {
    ROW_LIMIT = 100, /* default row_limit of table() */
};

static void write_row(struct reader *r, uint32_t i)
{
    const struct row *row = &r->rows[i];

    r->out->ops->operator_row(r->out, &(struct ps_operator_row){
                                          .id = i + 1,
                                          .name = row->name,
                                          .overload = row->overload,
                                          .shapes = row->shapes,
                                          .source = row->source,
                                          .is_truncated = row->is_truncated,
                                          .family = tr_name_family(row->name),
                                          .metrics = row->figures,
                                      });
}

static void write_table(struct reader *r, uint32_t id)
{
    const struct table *table = &r->tables[id - 1];

    r->out->ops->report(r->out, &(struct ps_report){
                                    .id = id,
                                    .grouped_by = table->by_stack   ? "stack"
                                                  : table->by_shape ? "shape"
                                                                    : "",
                                    .sort_key = table->ordered,
                                    .seconds = table->self_s,
                                    .device_seconds = table->device_s,
                                    .first_row = table->first + 1,
                                    .n_rows = table->n,
                                });
    for (uint32_t i = table->first; i < table->first + table->n; i++)
        write_row(r, i);
}

/* Returns the id of the table that is shown first: the table with most rows among those that are
 * not grouped by shape or stack, else among all tables; of equals the first. */
static uint32_t main_table(const struct reader *r)
{
    uint32_t best = 0;

    for (uint32_t id = 1; id <= r->n_tables; id++) {
        const struct table *table = &r->tables[id - 1], *other = best ? &r->tables[best - 1] : NULL;
        bool plain = !table->by_shape && !table->by_stack,
             other_plain = other && !other->by_shape && !other->by_stack;

        if (!other || (plain && !other_plain) || (plain == other_plain && table->n > other->n))
            best = id;
    }
    return best;
}

static bool has_metric(const struct reader *r, enum ps_operator_metric figure)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->rows[i].figures[figure].kind != PS_NUM_NONE)
            return true;
    return false;
}

static void write_summary(struct reader *r, const struct table *table, uint32_t id)
{
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"operators", ps_int(table ? table->n : 0)},
        {"rows", ps_int(r->n)},
        {"reports", ps_int(r->n_tables)},
        {"report", ps_int(id)},
        {"self_cpu_s", table ? table->self_s : (struct ps_num){0}},
        {"self_device_s", table ? table->device_s : (struct ps_num){0}},
        {"devices", ps_int(has_metric(r, PS_OPERATOR_SELF_DEVICE_NS))},
        {"memory", ps_int(has_metric(r, PS_OPERATOR_SELF_CPU_BYTES))},
        {"flops", ps_int(has_metric(r, PS_OPERATOR_FLOPS))},
        {"cut_names", ps_int((int64_t)r->n_truncated)},
        {"rounded", ps_int(1)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
    if (table && table->device.len)
        r->out->ops->list(r->out, "device", &table->device, 1);
}

static void write_notes(struct reader *r)
{
    uint64_t limited = 0;

    for (uint32_t i = 0; i < r->n_tables; i++)
        limited += r->tables[i].n == ROW_LIMIT;
    ps_sink_note(r->out, r->n ? PS_NOTE_INFO : PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                 r->n ? "read from a printed table: its values are rounded, and rows beyond its "
                        "row_limit are missing"
                      : "the tables in this log have no rows");
    ps_sink_count(r->out, PS_NOTE_INFO, r->n_tables > 1 ? r->n_tables : 0, "tables in this log");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->n_unread,
                  "tables that are not read, because their columns cannot be told apart");
    ps_sink_count(
        r->out, PS_NOTE_WARNING, limited,
        "tables of exactly 100 rows, the default row_limit of table(): more rows may be missing");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->n_truncated,
                  "names truncated by the printed table: different operators may share one name");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->mended > NOTES_MAX ? r->mended - NOTES_MAX : 0,
                  "more rows with repaired text");
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejected > NOTES_MAX ? r->rejected - NOTES_MAX : 0,
                  "more rows that cannot be read");
}

/* Total self CPU time, as printed below the table; if that line is missing, the sum of the rows. */
static double total_seconds(const struct reader *r, const struct table *table)
{
    double sum = 0;

    if (!table)
        return 0;
    if (table->self_s.kind != PS_NUM_NONE)
        return ps_num_to_real(table->self_s);
    for (uint32_t i = table->first; i < table->first + table->n; i++)
        sum += ps_num_to_real(r->rows[i].figures[PS_OPERATOR_SELF_CPU_NS]) / 1e9;
    return sum;
}

static void report_tables(struct reader *r)
{
    uint32_t id = main_table(r);
    const struct table *table = id ? &r->tables[id - 1] : NULL;
    bool device = table && ps_num_to_real(table->device_s) > 0;
    const struct ps_headline headline = {device ? ps_num_to_real(table->device_s)
                                                : total_seconds(r, table),
                                         "s", device ? "self device" : "self CPU"};

    ps_sink_meta(r->out, "tool", PS_STR("torch.profiler"));
    for (uint32_t i = 1; i <= r->n_tables; i++)
        write_table(r, i);
    write_summary(r, table, id);
    write_notes(r);
    ps_report_write_ledger(&r->in, r->out, r->n, r->repaired, r->rejected);
    r->out->ops->headline(r->out, &headline);
}

static struct ps_str copy_text(struct reader *r, struct ps_str text)
{
    return text.len ? ps_arena_copy(&r->arena, text) : PS_STR("");
}

/* --- Rows --- */

static void reject_row(struct reader *r)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, r->row_offset, r->row_line,
                     "this table row is incomplete or has a value that cannot be read");
    ps_report_count_doubtful(&r->in);
}

static bool read_figures(const struct reader *r, const struct ps_str *cells, struct row *row)
{
    for (size_t i = 0; i < r->spans.n; i++) {
        unsigned column = r->header.column[i];

        if (column >= FIGURE &&
            !read_figure((enum ps_operator_metric)(column - FIGURE), cells[i],
                         r->header.flops_factor, &row->figures[column - FIGURE]))
            return false;
    }
    return true;
}

static bool is_cut(struct ps_str name, size_t width)
{
    return name.len > 3 && memcmp(name.ptr + name.len - 3, "...", 3) == 0 &&
           ps_count_code_points(name) == width;
}

static void read_texts(struct reader *r, const struct ps_str *cells, struct row *row)
{
    for (size_t i = 0; i < r->spans.n; i++) {
        unsigned column = r->header.column[i];

        if (column == NAME) {
            row->name = copy_text(r, cells[i]);
            row->is_truncated = is_cut(cells[i], r->spans.columns[i].to - r->spans.columns[i].from);
        } else if (column == OVERLOAD) {
            row->overload = copy_text(r, cells[i]);
        } else if (column == SHAPES) {
            row->shapes = copy_text(r, cells[i]);
        } else if (column == SOURCE) {
            row->source = copy_text(r, cells[i]);
        }
    }
}

/* Clears the bits of metrics that increase from one row to the next. */
static void update_order(struct table *table, const struct row *before, const struct row *row)
{
    for (unsigned i = 0; before && i < PS_N_OPERATOR_METRICS; i++)
        if (ps_num_to_real(row->figures[i]) > ps_num_to_real(before->figures[i]))
            table->decreasing_metrics &= ~(1u << i);
}

/* Torch prints the FLOPs below "Source Location" and the frames below "Total FLOPs". Swaps such
 * cells; a frame is never a number or "--". */
static void restore_order(const struct reader *r, struct ps_str *cells)
{
    size_t source = r->header.source, flops = r->header.flops;
    struct ps_num value;
    struct ps_str frame;

    if (source == PS_TABLE_COLUMNS || flops == PS_TABLE_COLUMNS || !cells[source].len ||
        !read_figure(PS_OPERATOR_FLOPS, cells[source], 1, &value))
        return;
    frame = cells[flops];
    cells[flops] = cells[source];
    cells[source] = frame;
}

static void parse_row(struct reader *r, struct ps_str *cells)
{
    struct table *table = &r->tables[r->n_tables - 1];
    struct row row = {0};

    restore_order(r, cells);
    if (!read_figures(r, cells, &row)) {
        reject_row(r);
        return;
    }
    read_texts(r, cells, &row);
    r->n_truncated += row.is_truncated;
    update_order(table, table->n ? &r->rows[r->n - 1] : NULL, &row);
    PS_RESERVE_ONE(r->rows, r->n, r->cap);
    r->rows[r->n++] = row;
    table->n++;
    r->repaired += r->is_row_repaired || r->in.line.is_rejoined;
    if (r->is_row_repaired && r->mended++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, r->row_offset, r->row_line,
                     "the name in this row contains invalid UTF-8 or was truncated");
}

/* Adds a frame of the stack to the row above: the frames after the first one are on separate
 * lines. */
static bool parse_frame(struct reader *r, const struct ps_str *cells)
{
    PS_AUTO(ps_buf_free) struct ps_buf stack = {0};
    struct table *table = &r->tables[r->n_tables - 1];
    struct ps_str frame = {0};

    if (r->header.source == PS_TABLE_COLUMNS || r->pieces > 1)
        return false;
    for (size_t i = 0; i < r->spans.n; i++) {
        if (cells[i].len && (frame.len || (i != r->header.source && i != r->header.flops)))
            return false;
        if (cells[i].len)
            frame = cells[i];
    }
    if (frame.len && table->n) {
        struct row *row = &r->rows[r->n - 1];

        ps_buf_add_str(&stack, row->source);
        ps_buf_puts(&stack, "\n");
        ps_buf_add_str(&stack, frame);
        row->source = copy_text(r, ps_buf_slice(&stack));
    }
    return true;
}

static void drop_row(struct reader *r)
{
    r->row.len = 0;
    r->pieces = 0;
}

/* Rejects the row that was begun if its number of calls is missing. */
static void end_row(struct reader *r)
{
    bool blank = true;

    for (size_t i = 0; i < r->row.len; i++)
        blank &= r->row.ptr[i] == ' ' || r->row.ptr[i] == '\n';
    if (r->pieces && !blank)
        reject_row(r);
    drop_row(r);
}

static void add_piece(struct reader *r)
{
    const struct ps_report_line *line = &r->in.line;

    if (r->pieces++ == 0) {
        r->row_offset = line->offset;
        r->row_line = line->number;
        r->is_row_repaired = false;
    } else {
        ps_buf_puts(&r->row, "\n");
    }
    r->is_row_repaired |= line->is_repaired;
    ps_buf_add_str(&r->row, ps_printed_table_without_prefix(&r->spans, line->text));
}

/* Whether the file ends inside the current line, so that values at the right end of the line may be
 * missing. */
static bool is_line_incomplete(const struct reader *r)
{
    size_t last = r->spans.n - 1;

    if (r->header.source == last && last)
        last--;
    return !r->in.line.has_newline &&
           ps_count_code_points(ps_buf_slice(&r->row)) < r->spans.columns[last].to;
}

static void parse_inside(struct reader *r)
{
    struct ps_str cells[PS_TABLE_COLUMNS];

    add_piece(r);
    ps_printed_table_split_cells(&r->spans, ps_buf_slice(&r->row), cells);
    if (cells[r->header.calls].len) {
        if (is_line_incomplete(r))
            reject_row(r);
        else
            parse_row(r, cells);
        drop_row(r);
    } else if (parse_frame(r, cells)) {
        drop_row(r);
    } else if (r->pieces == PIECES_MAX || r->row.len > BYTES_MAX ||
               ps_count_code_points(ps_buf_slice(&r->row)) >=
                   r->spans.columns[r->header.calls].to) {
        end_row(r);
    }
}

/* --- Tables --- */

static void end_table(struct reader *r)
{
    end_row(r);
    r->state = OUTSIDE;
}

static void open_table(struct reader *r, struct ps_str line)
{
    struct table *table;

    PS_RESERVE_ONE(r->tables, r->n_tables, r->cap_tables);
    table = &r->tables[r->n_tables++];
    *table = (struct table){
        .first = r->n,
        .decreasing_metrics = (1u << PS_N_OPERATOR_METRICS) - 1,
        .device = copy_text(r, r->header.device),
        .by_stack = r->header.source < PS_TABLE_COLUMNS,
    };
    /* ignore the result: read_header has found the titles, so the call succeeds */
    (void)ps_printed_table_split_titles(&r->spans, line, r->titles);
    for (size_t i = 0; i < r->spans.n; i++)
        table->by_shape |= r->header.column[i] == SHAPES;
}

static void open_headed(struct reader *r, struct ps_str line)
{
    open_table(r, line);
    /* copy the titles, because the slices of the line become invalid */
    for (size_t i = 0; i < r->spans.n; i++)
        r->titles[i] = copy_text(r, r->titles[i]);
}

/* Returns the title, without the percent sign, of the first column in which the values never
 * increase from row to row. */
static struct ps_str order_of(struct reader *r, const struct table *table)
{
    for (size_t i = 0; table->n > 1 && i < r->spans.n; i++) {
        unsigned column = r->header.column[i];
        struct ps_str title = r->titles[i];

        if (column < FIGURE || !(table->decreasing_metrics & 1u << (column - FIGURE)))
            continue;
        if (title.len > 2 && title.ptr[title.len - 1] == '%')
            title.len -= 2;
        return copy_text(r, title);
    }
    return PS_STR("");
}

/* Parses "Self CUDA time total: 562.882ms". */
static bool read_total(struct ps_str text, bool *cpu, int64_t *ns)
{
    static const struct ps_str self = PS_STR("Self "), total = PS_STR(" time total: ");
    const char *at = ps_str_find(text, total), *from = ps_str_find(text, self);

    if (!at || !from || from + self.len > at ||
        !read_time(ps_report_trim_end(ps_str_skip(text, (size_t)(at - text.ptr) + total.len)), ns))
        return false;
    from += self.len;
    *cpu = ps_str_eq_c((struct ps_str){from, (size_t)(at - from)}, "CPU");
    return true;
}

static void parse_total(struct reader *r, struct ps_str text)
{
    struct table *table = r->n_tables ? &r->tables[r->n_tables - 1] : NULL;
    int64_t ns;
    bool cpu;

    if (!table || !read_total(text, &cpu, &ns))
        return;
    if (cpu)
        table->self_s = ps_real((double)ns / 1e9);
    else
        table->device_s = ps_real((double)ns / 1e9);
}

static bool is_header(struct ps_str line)
{
    return ps_str_find(line, PS_STR("Name")) && ps_str_find(line, PS_STR("Self CPU")) &&
           (ps_str_find(line, PS_STR("# of Calls")) ||
            ps_str_find(line, PS_STR("Number of Calls")));
}

static bool is_fence(struct ps_str text)
{
    return ps_str_eq_c(ps_report_trim_end(text), "```");
}

static void parse_line(struct reader *r)
{
    struct ps_str text = r->in.line.text;
    struct ps_printed_columns spans;
    bool rule = ps_printed_table_parse_rule(text, &spans);

    if (ps_report_trim_end(text).len == 0 && r->pieces == 0 && r->state != OUTSIDE)
        return; /* pasted text may have an empty line after each line */
    if (r->state == INSIDE && is_fence(text)) {
        end_table(r); /* pasted without its last rule */
    } else if (r->state == INSIDE && !rule) {
        parse_inside(r);
    } else if (r->state == INSIDE && ps_printed_columns_equal(&spans, &r->spans)) {
        end_table(r);
    } else if (r->state == HEADED && rule && ps_printed_columns_equal(&spans, &r->spans)) {
        r->state = INSIDE;
    } else if (rule) {
        if (r->state == INSIDE) /* the end of the table is missing, and another table begins */
            end_table(r);
        r->spans = spans;
        r->state = RULED;
        if (r->previous_line.len &&
            read_header(&r->spans, ps_buf_slice(&r->previous_line), &r->header)) {
            /* the rule above the header is missing */
            open_headed(r, ps_buf_slice(&r->previous_line));
            r->state = INSIDE;
            r->n_unread--; /* it was counted as a line outside of tables */
        }
    } else if (r->state == RULED && read_header(&r->spans, text, &r->header)) {
        open_headed(r, text);
        r->state = HEADED;
    } else {
        r->state = OUTSIDE;
        r->n_unread += is_header(text);
        parse_total(r, text);
    }
}

static void close_table(struct reader *r, bool was_inside)
{
    struct table *table = r->n_tables ? &r->tables[r->n_tables - 1] : NULL;

    if (was_inside && r->state != INSIDE)
        table->ordered = order_of(r, table);
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        bool inside = r->state == INSIDE;

        parse_line(r);
        close_table(r, inside);
        r->previous_line.len = 0;
        if (r->state == OUTSIDE)
            ps_buf_add_str(&r->previous_line, r->in.line.text);
        if (r->n > ROWS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the log has more than %d rows",
                              ROWS_MAX);
        if (ps_report_check(&r->in, r->out, r->n, err) != PS_OK)
            return PS_CANCELLED;
    }
    if (r->state == INSIDE) {
        end_table(r);
        close_table(r, true);
    }
    if (ps_stream_status(r->in.in, err) == PS_OK && !r->n_tables && r->n_unread)
        return ps_fail(
            err, PS_BAD_INPUT,
            "the columns of the table of key_averages() cannot be told apart: blanks are "
            "missing, or it is a Markdown table. Add the text as table() prints it");
    return err->code;
}

static enum ps_match sniff(struct ps_str head)
{
    return ps_report_count_lines(head, is_header) ? PS_MATCH_SURE : PS_MATCH_NO;
}

/* Number of headers that match the rule above them. */
static size_t count_tables(struct ps_str text)
{
    struct ps_printed_columns spans, rule;
    struct header header;
    bool ruled = false;
    size_t n = 0;

    while (text.len) {
        struct ps_str line = ps_report_pop_line(&text);

        if (ps_printed_table_parse_rule(line, &rule)) {
            spans = rule;
            ruled = true;
        } else if (ps_report_trim_end(line).len) {
            n += ruled && read_header(&spans, line, &header);
            ruled = false;
        }
    }
    return n;
}

/* Whether the unwrapped text has more complete tables, or more headers of tables without a rule. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return count_tables(unwrapped) > count_tables(head) ||
           ps_report_count_lines(unwrapped, is_header) > ps_report_count_lines(head, is_header);
}

/* Returns whether `text` continues on the next line. Titles may be wider than their columns; rows
 * are as wide as the rule. */
static enum ps_report_line_end find_line_end(const void *reader, struct ps_str text,
                                             struct ps_str next)
{
    const struct reader *r = reader;
    size_t before = r->pieces ? ps_count_code_points(ps_buf_slice(&r->row)) + 1 : 0;
    struct header header;
    int64_t ns;
    bool cpu;

    (void)next;
    if (r->state != RULED && r->state != INSIDE)
        return read_total(text, &cpu, &ns) ? PS_LINE_END_COMPLETE : PS_LINE_END_UNKNOWN;
    if (before + ps_count_code_points(text) < r->in.wrap.rule_width ||
        (r->state == RULED && !read_header(&r->spans, text, &header)))
        return PS_LINE_END_CONTINUES;
    return PS_LINE_END_COMPLETE;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.in = {.in = in}, .out = out};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, find_line_end, &r);
    status = read_log(&r, err);

    if (status == PS_OK)
        report_tables(&r);
    ps_report_free(&r.in);
    ps_arena_free(&r.arena);
    ps_buf_free(&r.row);
    ps_buf_free(&r.previous_line);
    free(r.tables);
    free(r.rows);
    return status;
}

const struct ps_importer ps_key_averages = {
    .kind = "key-averages",
    .label = "Printed torch.profiler table",
    .description =
        "the operator table that key_averages().table() prints, also inside other output "
        "(rounded, long names truncated)",
    .record_command = "print(p.key_averages().table(row_limit=-1))",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
