/* SPDX-License-Identifier: MIT */
/*
 * key_averages.c: the tables that torch's profiler prints, `key_averages().table()`, among any
 * other output.
 *
 * Times have three decimals of their unit, names that are long were cut, and beyond row_limit (100
 * unless said) rows are missing: all of it is told. A log may hold several tables; each keeps its
 * rows. Seen: torch 1.5 to 2.14.
 */
#include "importers/key_averages.h"

#include <stdlib.h>

enum {
    MOST_ROWS = 1000 * 1000,
    MOST_PIECES = 64,        /* lines that one name may be of */
    MOST_BYTES = 256 * 1024, /* that one row may be of */
    TOLD = 50,
};

static struct ps_str kept(struct ps_ka_reader *r, struct ps_str text)
{
    return text.len ? ps_arena_copy(&r->arena, text) : PS_STR("");
}

/* ------------------------------------------------------------------ a row */

static void reject(struct ps_ka_reader *r)
{
    if (r->rejected++ < TOLD)
        ps_sink_note(r->out, PS_NOTE_REJECTED, r->row_at, r->row_line,
                     "this table row is incomplete or has a value that cannot be read");
    ps_report_doubt(&r->in);
}

static bool read_figures(const struct ps_ka_reader *r, const struct ps_str *cells,
                         struct ps_ka_row *row)
{
    for (size_t i = 0; i < r->spans.n; i++) {
        unsigned column = r->header.column[i];

        if (column >= PS_KA_FIGURE &&
            !ps_ka_figure((enum ps_operator_figure)(column - PS_KA_FIGURE), cells[i],
                          r->header.flops, &row->figures[column - PS_KA_FIGURE]))
            return false;
    }
    return true;
}

static bool is_cut(struct ps_str name, size_t width)
{
    return name.len > 3 && memcmp(name.at + name.len - 3, "...", 3) == 0 &&
           ps_code_points(name) == width;
}

static void read_texts(struct ps_ka_reader *r, const struct ps_str *cells, struct ps_ka_row *row)
{
    for (size_t i = 0; i < r->spans.n; i++) {
        unsigned column = r->header.column[i];

        if (column == PS_KA_NAME) {
            row->name = kept(r, cells[i]);
            row->cut = is_cut(cells[i], r->spans.at[i].to - r->spans.at[i].from);
        } else if (column == PS_KA_OVERLOAD) {
            row->overload = kept(r, cells[i]);
        } else if (column == PS_KA_SHAPES) {
            row->shapes = kept(r, cells[i]);
        } else if (column == PS_KA_SOURCE) {
            row->source = kept(r, cells[i]);
        }
    }
}

/* By which figures each row is at most what the one before it is. */
static void see_order(struct ps_ka_table *table, const struct ps_ka_row *before,
                      const struct ps_ka_row *row)
{
    for (unsigned i = 0; before && i < PS_N_OPERATOR_FIGURES; i++)
        if (ps_num_real(row->figures[i]) > ps_num_real(before->figures[i]))
            table->falls &= ~(1u << i);
}

static void take_row(struct ps_ka_reader *r, const struct ps_str *cells)
{
    struct ps_ka_table *table = &r->tables[r->n_tables - 1];
    struct ps_ka_row row = {0};

    if (!read_figures(r, cells, &row)) {
        reject(r);
        return;
    }
    read_texts(r, cells, &row);
    r->cut += row.cut;
    see_order(table, table->n ? &r->rows[r->n - 1] : NULL, &row);
    PS_PUSH_ROOM(r->rows, r->n, r->cap);
    r->rows[r->n++] = row;
    table->n++;
    r->repaired += r->row_mended || r->in.line.rejoined;
    if (r->row_mended && r->mended++ < TOLD)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, r->row_at, r->row_line,
                     "the name in this row contains invalid UTF-8 or was truncated");
}

/* Frames of the stack below the first stand on lines of their own. */
static bool take_frame(struct ps_ka_reader *r, const struct ps_str *cells)
{
    PS_AUTO(ps_buf_free) struct ps_buf stack = {0};
    struct ps_ka_table *table = &r->tables[r->n_tables - 1];
    size_t source = r->header.source;

    if (source == PS_TABLE_COLUMNS || r->pieces > 1)
        return false;
    for (size_t i = 0; i < r->spans.n; i++)
        if (i != source && cells[i].len)
            return false;
    if (cells[source].len && table->n) {
        struct ps_ka_row *row = &r->rows[r->n - 1];

        ps_buf_str(&stack, row->source);
        ps_buf_puts(&stack, "\n");
        ps_buf_str(&stack, cells[source]);
        row->source = kept(r, ps_buf_slice(&stack));
    }
    return true;
}

static void drop_row(struct ps_ka_reader *r)
{
    r->row.len = 0;
    r->pieces = 0;
}

/* A row that was begun and never came to its number of calls. */
static void end_row(struct ps_ka_reader *r)
{
    bool blank = true;

    for (size_t i = 0; i < r->row.len; i++)
        blank &= r->row.at[i] == ' ' || r->row.at[i] == '\n';
    if (r->pieces && !blank)
        reject(r);
    drop_row(r);
}

static void add_piece(struct ps_ka_reader *r)
{
    const struct ps_report_line *line = &r->in.line;

    if (r->pieces++ == 0) {
        r->row_at = line->at;
        r->row_line = line->number;
        r->row_mended = false;
    } else {
        ps_buf_puts(&r->row, "\n");
    }
    r->row_mended |= line->mended;
    ps_buf_str(&r->row, ps_table_line(&r->spans, line->text));
}

/* The file may end within the last line: then what stands right of the end is not known. */
static bool is_half(const struct ps_ka_reader *r)
{
    size_t last = r->spans.n - 1;

    if (r->header.source == last && last)
        last--;
    return !r->in.line.ended && ps_code_points(ps_buf_slice(&r->row)) < r->spans.at[last].to;
}

static void take_inside(struct ps_ka_reader *r)
{
    struct ps_str cells[PS_TABLE_COLUMNS];

    add_piece(r);
    ps_table_cells(&r->spans, ps_buf_slice(&r->row), cells);
    if (cells[r->header.calls].len) {
        if (is_half(r))
            reject(r);
        else
            take_row(r, cells);
        drop_row(r);
    } else if (take_frame(r, cells)) {
        drop_row(r);
    } else if (r->pieces == MOST_PIECES || r->row.len > MOST_BYTES ||
               ps_code_points(ps_buf_slice(&r->row)) >= r->spans.at[r->header.calls].to) {
        end_row(r);
    }
}

/* ------------------------------------------------------------------ tables */

static void end_table(struct ps_ka_reader *r)
{
    end_row(r);
    r->state = PS_KA_OUTSIDE;
}

static void open_table(struct ps_ka_reader *r, struct ps_str line)
{
    struct ps_ka_table *table;

    PS_PUSH_ROOM(r->tables, r->n_tables, r->cap_tables);
    table = &r->tables[r->n_tables++];
    *table = (struct ps_ka_table){
        .first = r->n,
        .falls = (1u << PS_N_OPERATOR_FIGURES) - 1,
        .device = kept(r, r->header.device),
        .by_stack = r->header.source < PS_TABLE_COLUMNS,
    };
    (void)ps_table_titles(&r->spans, line, r->titles); /* as ps_ka_header found them */
    for (size_t i = 0; i < r->spans.n; i++)
        table->by_shape |= r->header.column[i] == PS_KA_SHAPES;
}

static void open_headed(struct ps_ka_reader *r, struct ps_str line)
{
    open_table(r, line);
    for (size_t i = 0; i < r->spans.n; i++) /* they outlive the line */
        r->titles[i] = kept(r, r->titles[i]);
}

/* The title of the first column by which the rows fall, a percentage without its sign. */
static struct ps_str order_of(struct ps_ka_reader *r, const struct ps_ka_table *table)
{
    for (size_t i = 0; table->n > 1 && i < r->spans.n; i++) {
        unsigned column = r->header.column[i];
        struct ps_str title = r->titles[i];

        if (column < PS_KA_FIGURE || !(table->falls & 1u << (column - PS_KA_FIGURE)))
            continue;
        if (title.len > 2 && title.at[title.len - 1] == '%')
            title.len -= 2;
        return kept(r, title);
    }
    return PS_STR("");
}

/* "Self CUDA time total: 562.882ms". */
static bool read_total(struct ps_str text, bool *cpu, int64_t *ns)
{
    static const struct ps_str self = PS_STR("Self "), total = PS_STR(" time total: ");
    const char *at = ps_str_find(text, total), *from = ps_str_find(text, self);

    if (!at || !from || from + self.len > at ||
        !ps_ka_time(ps_report_trim(ps_str_skip(text, (size_t)(at - text.at) + total.len)), ns))
        return false;
    from += self.len;
    *cpu = ps_str_is((struct ps_str){from, (size_t)(at - from)}, "CPU");
    return true;
}

static void take_total(struct ps_ka_reader *r, struct ps_str text)
{
    struct ps_ka_table *table = r->n_tables ? &r->tables[r->n_tables - 1] : NULL;
    int64_t ns;
    bool cpu;

    if (!table || !read_total(text, &cpu, &ns))
        return;
    if (cpu)
        table->self_s = ps_real((double)ns / 1e9);
    else
        table->device_s = ps_real((double)ns / 1e9);
}

static void take_line(struct ps_ka_reader *r)
{
    struct ps_str text = r->in.line.text;
    struct ps_table_spans spans;
    bool rule = ps_table_rule(text, &spans);

    if (ps_report_trim(text).len == 0 && r->pieces == 0 && r->state != PS_KA_OUTSIDE)
        return; /* people paste with empty lines between all others */
    if (r->state == PS_KA_INSIDE && !rule) {
        take_inside(r);
    } else if (r->state == PS_KA_INSIDE && ps_table_same(&spans, &r->spans)) {
        end_table(r);
    } else if (r->state == PS_KA_HEADED && rule && ps_table_same(&spans, &r->spans)) {
        r->state = PS_KA_INSIDE;
    } else if (rule) {
        if (r->state == PS_KA_INSIDE) /* it was cut off, and another begins */
            end_table(r);
        r->spans = spans;
        r->state = PS_KA_RULED;
        if (r->before.len && ps_ka_header(&r->spans, ps_buf_slice(&r->before), &r->header)) {
            open_headed(r, ps_buf_slice(&r->before)); /* the rule above it was cut off */
            r->state = PS_KA_INSIDE;
        }
    } else if (r->state == PS_KA_RULED && ps_ka_header(&r->spans, text, &r->header)) {
        open_headed(r, text);
        r->state = PS_KA_HEADED;
    } else {
        r->state = PS_KA_OUTSIDE;
        take_total(r, text);
    }
}

static void close_table(struct ps_ka_reader *r, bool was_inside)
{
    struct ps_ka_table *table = r->n_tables ? &r->tables[r->n_tables - 1] : NULL;

    if (was_inside && r->state != PS_KA_INSIDE)
        table->ordered = order_of(r, table);
}

static enum ps_status read_log(struct ps_ka_reader *r, struct ps_err *err)
{
    while (ps_report_next(&r->in)) {
        bool inside = r->state == PS_KA_INSIDE;

        take_line(r);
        close_table(r, inside);
        r->before.len = 0;
        if (r->state == PS_KA_OUTSIDE)
            ps_buf_str(&r->before, r->in.line.text);
        if (r->n > MOST_ROWS)
            return ps_fail_at(err, PS_LIMIT, r->in.line.at, "the log has more than %d rows",
                              MOST_ROWS);
        if (ps_report_goes_on(&r->in, r->out, r->n, err) != PS_OK)
            return PS_CANCELLED;
    }
    if (r->state == PS_KA_INSIDE) {
        end_table(r);
        close_table(r, true);
    }
    return ps_stream_status(r->in.in, err);
}

static bool is_header(struct ps_str line)
{
    return ps_str_find(line, PS_STR("Name")) && ps_str_find(line, PS_STR("Self CPU")) &&
           (ps_str_find(line, PS_STR("# of Calls")) ||
            ps_str_find(line, PS_STR("Number of Calls")));
}

static enum ps_match sniff(struct ps_str head)
{
    return ps_report_count(head, is_header) ? PS_MATCH_SURE : PS_MATCH_NO;
}

/* Headers that fit the rule above them. */
static size_t count_tables(struct ps_str text)
{
    struct ps_table_spans spans, rule;
    struct ps_ka_header header;
    bool ruled = false;
    size_t n = 0;

    while (text.len) {
        struct ps_str line = ps_report_cut(&text);

        if (ps_table_rule(line, &rule)) {
            spans = rule;
            ruled = true;
        } else if (ps_report_trim(line).len) {
            n += ruled && ps_ka_header(&spans, line, &header);
            ruled = false;
        }
    }
    return n;
}

/* More tables are whole when the text is unwrapped; or more headers, of tables without a rule. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return count_tables(unwrapped) > count_tables(head) ||
           ps_report_count(unwrapped, is_header) > ps_report_count(head, is_header);
}

/* Titles may be wider than their columns, rows are as wide as the rule. */
static enum ps_report_end ends(const void *reader, struct ps_str text, struct ps_str next)
{
    const struct ps_ka_reader *r = reader;
    size_t before = r->pieces ? ps_code_points(ps_buf_slice(&r->row)) + 1 : 0;
    struct ps_ka_header header;
    int64_t ns;
    bool cpu;

    (void)next;
    if (r->state != PS_KA_RULED && r->state != PS_KA_INSIDE)
        return read_total(text, &cpu, &ns) ? PS_END_HERE : PS_END_UNKNOWN;
    if (before + ps_code_points(text) < r->in.wrap.table ||
        (r->state == PS_KA_RULED && !ps_ka_header(&r->spans, text, &header)))
        return PS_END_LATER;
    return PS_END_HERE;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct ps_ka_reader r = {.in = {.in = in}, .out = out};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, ends, &r);
    status = read_log(&r, err);

    if (status == PS_OK)
        ps_ka_report(&r);
    ps_report_free(&r.in);
    ps_arena_free(&r.arena);
    ps_buf_free(&r.row);
    ps_buf_free(&r.before);
    free(r.tables);
    free(r.rows);
    return status;
}

const struct ps_importer ps_key_averages = {
    .kind = "key-averages",
    .label = "Printed torch.profiler table",
    .what = "the operator table that key_averages().table() prints, also inside other output "
            "(rounded, long names truncated)",
    .record = "print(p.key_averages().table(row_limit=-1))",
    .sniff = sniff,
    .load = load,
};
