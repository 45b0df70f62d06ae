/* SPDX-License-Identifier: MIT */
/*
 * lightning.c: what the simple and the advanced profiler of PyTorch Lightning print.
 *
 *     FIT Profiler Report
 *     -----------------------------------------------------------------------------------------
 *     |  Action        |  Mean duration (s)  |  Num calls  |  Total time (s)  |  Percentage %  |
 *     -----------------------------------------------------------------------------------------
 *     |  Total         |  -                  |  407        |  144.2           |  100 %         |
 *
 * or, for each action, "Profile stats for: <action>" and a table as pstats prints it. The file is
 * appended to, so it may hold reports of several stages and runs. Up to 1.5 rows had no bars around
 * them, up to 1.0 there were three columns. Actions nest: their times do not add up to the total.
 */
#include "importers/lightning.h"

#include <stdlib.h>

enum {
    MOST_ROWS = 4 * 1000 * 1000,
    TOLD = 50,
};

static const struct ps_str report_words = PS_STR("Profiler Report"),
                           stats_words = PS_STR("Profile stats for: ");

static struct ps_str trim(struct ps_str text)
{
    while (text.len && (text.at[0] == ' ' || text.at[0] == '\t'))
        text = ps_str_skip(text, 1);
    return ps_report_trim(text);
}

static struct ps_pl_section *section(struct ps_pl_reader *r)
{
    if (r->n_sections == 0) {
        PS_PUSH_ROOM(r->sections, r->n_sections, r->cap_sections);
        r->sections[r->n_sections++] = (struct ps_pl_section){.stage = PS_STR("")};
    }
    return &r->sections[r->n_sections - 1];
}

static struct ps_pl_action *add_action(struct ps_pl_reader *r, struct ps_str name)
{
    (void)section(r);
    PS_PUSH_ROOM(r->actions, r->n, r->cap);
    r->actions[r->n] = (struct ps_pl_action){
        .section = r->n_sections - 1,
        .name = ps_arena_copy(&r->arena, name),
    };
    return &r->actions[r->n++];
}

/* ------------------------------------------------------------------ simple reports */

static bool next_cell(struct ps_str *rest, struct ps_str *cell)
{
    const char *bar = rest->len ? memchr(rest->at, '|', rest->len) : NULL;

    if (rest->len == 0)
        return false;
    cell->at = rest->at;
    cell->len = bar ? (size_t)(bar - rest->at) : rest->len;
    *rest = ps_str_skip(*rest, cell->len + 1);
    *cell = trim(*cell);
    return true;
}

/* The cells between the bars; more than `most`: 0. */
static unsigned cells_of(struct ps_str row, struct ps_str *out, unsigned most)
{
    unsigned n = 0;
    struct ps_str cell;

    row = trim(row);
    if (ps_str_starts(row, PS_STR("|")))
        row = ps_str_skip(row, 1);
    while (next_cell(&row, &cell)) {
        if (n == most)
            return 0;
        out[n++] = cell;
    }
    return n;
}

/* Where the header of a simple report begins in the line, and how many columns it has. */
static bool header_of(struct ps_str text, size_t *left, unsigned *columns)
{
    static const char *const titles[PS_PL_N_COLUMNS] = {"Action", "Mean duration (s)", "Num calls",
                                                        "Total time (s)", "Percentage %"};
    static const unsigned short_form[] = {PS_PL_ACTION, PS_PL_MEAN, PS_PL_TOTAL};
    const char *action = ps_str_find(text, PS_STR("Action")), *from = action;
    struct ps_str cells[PS_PL_N_COLUMNS];
    size_t before;
    unsigned n;

    if (!action || !ps_str_find(text, PS_STR("Mean duration (s)")))
        return false;
    while (from > text.at && (from[-1] == ' ' || from[-1] == '\t'))
        from--;
    if (from > text.at && from[-1] == '|')
        from--;
    else
        from = action;
    before = (size_t)(from - text.at);
    n = cells_of(ps_str_skip(text, before), cells, PS_PL_N_COLUMNS);
    if (n != 3 && n != PS_PL_N_COLUMNS)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!ps_str_is(cells[i], titles[n == 3 ? short_form[i] : i]))
            return false;
    *left = before;
    *columns = n;
    return true;
}

/* A figure; "-", "_" and nothing are none. */
static bool figure(struct ps_str cell, struct ps_num *out)
{
    *out = (struct ps_num){0};
    if (cell.len == 0 || ps_str_is(cell, "-") || ps_str_is(cell, "_"))
        return true;
    if (cell.at[cell.len - 1] == '%')
        cell = trim((struct ps_str){cell.at, cell.len - 1});
    return ps_report_number(cell, out);
}

static bool read_figures(const struct ps_pl_reader *r, const struct ps_str *cells,
                         struct ps_pl_action *out)
{
    if (!figure(cells[1], &out->mean_s))
        return false;
    if (r->columns == 3)
        return figure(cells[2], &out->total_s);
    return figure(cells[2], &out->calls) && figure(cells[3], &out->total_s) &&
           figure(cells[4], &out->pct) && out->calls.kind != PS_NUM_REAL;
}

static void reject(struct ps_pl_reader *r)
{
    if (r->rejected++ < TOLD)
        ps_sink_note(r->out, PS_NOTE_REJECTED, r->in.line.at, r->in.line.number,
                     "this line inside a table is not a table row");
    ps_report_doubt(&r->in);
}

/* Of a line that ends within its last figure nobody knows what is missing. */
static bool read_row(const struct ps_pl_reader *r, struct ps_str row, struct ps_str *cells,
                     struct ps_pl_action *out)
{
    return (r->in.line.ended || row.at[row.len - 1] == '|') &&
           cells_of(row, cells, PS_PL_N_COLUMNS) == r->columns && cells[0].len &&
           read_figures(r, cells, out);
}

/* False: other output, behind an empty line or other output. */
static bool take_row(struct ps_pl_reader *r, struct ps_str row)
{
    struct ps_str cells[PS_PL_N_COLUMNS];
    struct ps_pl_action read = {0};

    if (!read_row(r, row, cells, &read)) {
        if (!r->paused)
            reject(r);
        return !r->paused;
    }
    r->rows_seen = true;
    r->paused = false;
    r->rows++;
    r->repaired += r->in.line.mended || r->in.line.rejoined;
    if (r->in.line.mended && r->mended++ < TOLD)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, r->in.line.at, r->in.line.number,
                     "the name in this row contains invalid UTF-8 or was truncated");
    if (ps_str_is(cells[0], "Total") && section(r)->total_s.kind == PS_NUM_NONE) {
        section(r)->total_s = read.total_s;
        section(r)->calls = read.calls;
    } else {
        struct ps_pl_action *action = add_action(r, cells[0]);

        action->calls = read.calls;
        action->mean_s = read.mean_s;
        action->total_s = read.total_s;
        action->pct = read.pct;
    }
    return true;
}

static bool is_rule(struct ps_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] != '-')
            return false;
    return text.len >= 4;
}

/* The line behind what a container puts before it, from a whole character on. */
static struct ps_str row_of(const struct ps_pl_reader *r, struct ps_str text)
{
    text = ps_str_skip(text, r->left);
    while (text.len && ((unsigned char)text.at[0] & 0xc0) == 0x80)
        text = ps_str_skip(text, 1);
    return trim(text);
}

/* Whether the line belongs to the simple report at hand. */
static bool in_report(struct ps_pl_reader *r, struct ps_str text)
{
    struct ps_str row = row_of(r, text);

    if (is_rule(row))
        return true;
    if (row.len && memchr(row.at, '|', row.len))
        return take_row(r, row);
    if (row.len && !r->in.line.ended && !r->paused)
        reject(r);
    r->paused |= row.len || r->rows_seen;
    return row.len == 0;
}

/* ------------------------------------------------------------------ headings */

/* "FIT" of "FIT Profiler Report": one word of capitals. */
static struct ps_str stage_of(struct ps_str before)
{
    size_t n = 0;

    before = trim(before);
    while (n < before.len) {
        char c = before.at[before.len - 1 - n];

        if ((c < 'A' || c > 'Z') && c != '_')
            break;
        n++;
    }
    return ps_str_skip(before, before.len - n);
}

static bool ends_in_report(struct ps_str line)
{
    return line.len >= report_words.len &&
           ps_str_eq(ps_str_skip(line, line.len - report_words.len), report_words);
}

static bool take_heading(struct ps_pl_reader *r, struct ps_str text)
{
    struct ps_str line = trim(text);

    if (!ends_in_report(line))
        return false;
    r->open = false;
    line.len -= report_words.len;
    PS_PUSH_ROOM(r->sections, r->n_sections, r->cap_sections);
    r->sections[r->n_sections++] =
        (struct ps_pl_section){.stage = ps_arena_copy(&r->arena, stage_of(line))};
    r->tables.open = false;
    r->tables.next.stage = r->sections[r->n_sections - 1].stage;
    return true;
}

static bool take_stats(struct ps_pl_reader *r, struct ps_str text)
{
    const char *at = ps_str_find(text, stats_words);
    struct ps_str name;

    if (!at)
        return false;
    name = trim(ps_str_skip(text, (size_t)(at - text.at) + stats_words.len));
    if (name.len == 0)
        return false;
    r->open = false;
    r->tables.open = false;
    r->tables.next = (struct ps_ft_report){
        .stage = section(r)->stage,
        .title = add_action(r, name)->name,
    };
    return true;
}

static bool take_header(struct ps_pl_reader *r, struct ps_str text)
{
    if (!header_of(text, &r->left, &r->columns))
        return false;
    if (section(r)->total_s.kind != PS_NUM_NONE) { /* a report without its heading */
        PS_PUSH_ROOM(r->sections, r->n_sections, r->cap_sections);
        r->sections[r->n_sections++] = (struct ps_pl_section){.stage = PS_STR("")};
    }
    r->open = true;
    r->rows_seen = r->paused = false;
    return true;
}

static void take_function_line(struct ps_pl_reader *r)
{
    uint32_t reports = r->tables.n_reports;
    enum ps_ft_line what = ps_ft_take(&r->tables, &r->in.line);

    if (r->tables.n_reports > reports && r->n && !r->actions[r->n - 1].report)
        r->actions[r->n - 1].report = r->tables.n_reports;
    if (what == PS_FT_BROKEN)
        reject(r);
    r->repaired += what == PS_FT_ROW && (r->in.line.mended || r->in.line.rejoined);
    if (what == PS_FT_ROW && r->in.line.mended && r->mended++ < TOLD)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, r->in.line.at, r->in.line.number,
                     "the name in this row contains invalid UTF-8 or was truncated");
}

static void take_line(struct ps_pl_reader *r)
{
    struct ps_str text = r->in.line.text;

    if (take_heading(r, text) || take_stats(r, text) || take_header(r, text))
        return;
    if (r->open && in_report(r, text))
        return;
    take_function_line(r);
}

static enum ps_status read_log(struct ps_pl_reader *r, struct ps_err *err)
{
    while (ps_report_next(&r->in)) {
        ps_report_rejoin(&r->in, ps_ft_reads, &r->tables);
        take_line(r);
        if (r->tables.n + r->rows > MOST_ROWS)
            return ps_fail_at(err, PS_LIMIT, r->in.line.at, "the log has more than %d rows",
                              MOST_ROWS);
        if (ps_report_goes_on(&r->in, r->out, r->tables.n + r->rows, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static enum ps_match sniff(struct ps_str head)
{
    size_t left, column;
    unsigned columns;
    bool functions = ps_ft_header(head, &column);

    while (head.len) {
        const char *end = memchr(head.at, '\n', head.len);
        struct ps_str line = {head.at, end ? (size_t)(end - head.at) : head.len};

        head = ps_str_skip(head, line.len + 1);
        if (line.len && line.at[line.len - 1] == '\r')
            line.len--;
        if (header_of(line, &left, &columns) || (functions && ps_str_find(line, stats_words)))
            return PS_MATCH_SURE;
    }
    return PS_MATCH_NO;
}

static bool is_header(struct ps_str line)
{
    size_t left;
    unsigned columns;

    return header_of(line, &left, &columns) || ps_ft_header(line, &left);
}

/* More headers are whole when the text is unwrapped. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count(unwrapped, is_header) > ps_report_count(head, is_header);
}

/* A row between bars ends in one, a row of functions in the name of its function. */
static enum ps_report_end ends(const void *reader, struct ps_str text, struct ps_str next)
{
    const struct ps_pl_reader *r = reader;
    struct ps_str cells[PS_PL_N_COLUMNS], row = row_of(r, text);

    if (is_header(text) || ends_in_report(trim(text)) || ps_str_find(next, stats_words))
        return PS_END_HERE;
    if (!r->open || !row.len || row.at[0] != '|')
        return ps_ft_ends(&r->tables, text, next);
    return row.at[row.len - 1] == '|' && cells_of(row, cells, PS_PL_N_COLUMNS) == r->columns
               ? PS_END_HERE
               : PS_END_LATER;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct ps_pl_reader r = {.in = {.in = in}, .out = out};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, ends, &r);
    status = read_log(&r, err);

    if (status == PS_OK && !ps_pl_report(&r))
        status = ps_fail(err, PS_CANCELLED, "the import was cancelled");
    ps_report_free(&r.in);
    ps_ft_free(&r.tables);
    ps_arena_free(&r.arena);
    free(r.sections);
    free(r.actions);
    return status;
}

const struct ps_importer ps_lightning = {
    .kind = "lightning",
    .label = "PyTorch Lightning profiler report",
    .what = "actions of the simple profiler and functions of the advanced one, also several "
            "reports in one file or inside other output",
    .record = "Trainer(profiler=\"advanced\")",
    .sniff = sniff,
    .load = load,
};
