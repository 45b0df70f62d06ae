/* SPDX-License-Identifier: MIT */
/*
 * lightning.c: reads the reports of the simple and the advanced profiler of PyTorch Lightning.
 *
 *     FIT Profiler Report
 *     -----------------------------------------------------------------------------------------
 *     |  Action        |  Mean duration (s)  |  Num calls  |  Total time (s)  |  Percentage %  |
 *     -----------------------------------------------------------------------------------------
 *     |  Total         |  -                  |  407        |  144.2           |  100 %         |
 *
 * The advanced profiler prints, for each action, "Profile stats for: <action>" and a table in the
 * format of pstats. Lightning appends to the file, so it may hold reports of several stages and
 * runs. Up to version 1.5 rows had no bars at both ends; up to version 1.0 the table had three
 * columns. Actions are nested, so their times do not add up to the total.
 */
#include <stdlib.h>

#include "importers/functions/function_table.h"
#include "importers/importer.h"
#include "importers/records/actions.h"
#include "importers/records/run.h"

struct section {
    struct ps_str stage; /* "FIT", in the arena; empty: unknown */
    struct ps_num total_s, calls;
};

struct action {
    uint32_t section; /* index in `sections` */
    struct ps_str name;
    struct ps_num calls, mean_s, total_s, pct;
    /* index + 1 in tables.reports of the table with the functions of the action; 0: none */
    uint32_t report;
};

/* The columns of the simple report. */
enum column { ACTION, MEAN, CALLS, TOTAL, PERCENT, N_COLUMNS };

struct reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_arena arena;
    struct ps_function_tables tables;
    struct section *sections;
    uint32_t n_sections, cap_sections;
    struct action *actions;
    uint32_t n, cap;

    bool open; /* the next lines may be rows of a simple report */
    /* an empty line or other output was read: now only a row continues the report */
    bool paused;
    bool rows_seen;   /* whether a row of the report was read */
    size_t indent;    /* bytes of the prefix that a container puts before each line */
    unsigned columns; /* number of columns of the report */
    uint64_t rows;    /* number of rows stored: actions and totals of simple reports */
    uint64_t repaired, mended, rejected;
};

/* --- Reporting --- */

enum {
    ROWS_MAX = 4 * 1000 * 1000,
    NOTES_MAX = 50,
};

static struct section *current_section(struct reader *r)
{
    if (r->n_sections == 0) {
        PS_RESERVE_ONE(r->sections, r->n_sections, r->cap_sections);
        r->sections[r->n_sections++] = (struct section){.stage = PS_STR("")};
    }
    return &r->sections[r->n_sections - 1];
}

static void write_section(struct reader *r, uint32_t i)
{
    const struct section *section = &r->sections[i];

    r->out->ops->section(r->out, &(struct ps_section){
                                     .id = i + 1,
                                     .stage = section->stage,
                                     .total_s = section->total_s,
                                     .calls = section->calls,
                                 });
}

/* Returns the seconds of an action. For an advanced report these are printed above the table of the
 * action. */
static struct ps_num action_seconds(const struct reader *r, const struct action *action)
{
    const struct ps_function_tables *t = &r->tables;

    if (!action->report)
        return action->total_s;
    return ps_real(ps_function_table_seconds(t, &t->reports[action->report - 1]));
}

static void write_action(struct reader *r, uint32_t i)
{
    const struct action *action = &r->actions[i];

    r->out->ops->action(r->out, &(struct ps_action){
                                    .id = i + 1,
                                    .section = action->section + 1,
                                    .name = action->name,
                                    .calls = action->calls,
                                    .mean_s = action->mean_s,
                                    .total_s = action_seconds(r, action),
                                    .pct = action->pct,
                                    .report = action->report,
                                });
}

static void write_notes(struct reader *r)
{
    if (r->n == 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the report contains no actions");
    if (r->rows)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "actions are nested: their times and percentages do not add up to the total; "
                     "values have five digits");
    if (r->tables.n_reports)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "function tables are rounded to milliseconds and have no callers. With "
                     "dump_stats=True the profiler writes .prof files that have both. The time of "
                     "_lsprof.Profiler.enable was spent in nested actions");
    ps_sink_count(r->out, PS_NOTE_INFO, r->n_sections > 1 ? r->n_sections : 0,
                  "reports in this file");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->mended > NOTES_MAX ? r->mended - NOTES_MAX : 0,
                  "more rows with repaired text");
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejected > NOTES_MAX ? r->rejected - NOTES_MAX : 0,
                  "more lines that are not table rows");
}

/* Returns the main metric of the run: the largest total of a report; without totals, the largest
 * time of an action. */
static struct ps_headline find_headline(const struct reader *r)
{
    double most = 0, longest = 0;
    bool total = false;

    for (uint32_t i = 0; i < r->n_sections; i++) {
        double total_s = ps_num_to_real(r->sections[i].total_s);

        total |= r->sections[i].total_s.kind != PS_NUM_NONE;
        most = total_s > most ? total_s : most;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        double action_s = ps_num_to_real(action_seconds(r, &r->actions[i]));

        longest = action_s > longest ? action_s : longest;
    }
    return total ? (struct ps_headline){most, "s", "total"}
                 : (struct ps_headline){longest, "s", "longest action"};
}

static void write_summary(struct reader *r)
{
    const struct ps_function_tables *t = &r->tables;
    const struct ps_function_table *report = ps_function_tables_longest(t);
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"sections", ps_int(r->n_sections)},
        {"actions", ps_int(r->n)},
        {"reports", ps_int(t->n_reports)},
        {"report", ps_int(report ? report - t->reports + 1 : 0)},
        {"functions", ps_int(t->n)},
        {"files", ps_int(t->files.count)},
        {"rounded", ps_int(1)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
}

/* Writes everything to the sink. False: cancelled. */
static bool report_all(struct reader *r)
{
    const struct ps_headline said = find_headline(r);
    uint64_t stored = r->rows + r->tables.n;

    ps_sink_meta(r->out, "tool", PS_STR("PyTorch Lightning"));
    for (uint32_t i = 0; i < r->n_sections; i++)
        write_section(r, i);
    for (uint32_t i = 0; i < r->n && ps_sink_ok(r->out); i++)
        write_action(r, i);
    if (!ps_function_tables_write(&r->tables, r->out))
        return false;
    write_summary(r);
    write_notes(r);
    ps_report_write_ledger(&r->in, r->out, stored, r->repaired, r->rejected);
    r->out->ops->headline(r->out, &said);
    return true;
}

static const struct ps_str report_words = PS_STR("Profiler Report"),
                           stats_words = PS_STR("Profile stats for: ");

static struct ps_str trim_spaces(struct ps_str text)
{
    while (text.len && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = ps_str_skip(text, 1);
    return ps_report_trim_end(text);
}

static struct action *add_action(struct reader *r, struct ps_str name)
{
    (void)current_section(r);
    PS_RESERVE_ONE(r->actions, r->n, r->cap);
    r->actions[r->n] = (struct action){
        .section = r->n_sections - 1,
        .name = ps_arena_copy(&r->arena, name),
    };
    return &r->actions[r->n++];
}

/* --- Simple reports --- */

static bool next_cell(struct ps_str *rest, struct ps_str *cell)
{
    const char *bar = rest->len ? memchr(rest->ptr, '|', rest->len) : NULL;

    if (rest->len == 0)
        return false;
    cell->ptr = rest->ptr;
    cell->len = bar ? (size_t)(bar - rest->ptr) : rest->len;
    *rest = ps_str_skip(*rest, cell->len + 1);
    *cell = trim_spaces(*cell);
    return true;
}

/* Splits a row at its bars. Returns the number of cells; 0 if there are more than `most`. */
static unsigned split_cells(struct ps_str row, struct ps_str *out, unsigned most)
{
    unsigned n = 0;
    struct ps_str cell;

    row = trim_spaces(row);
    if (ps_str_starts_with(row, PS_STR("|")))
        row = ps_str_skip(row, 1);
    while (next_cell(&row, &cell)) {
        if (n == most)
            return 0;
        out[n++] = cell;
    }
    return n;
}

/* Parses the header of a simple report: the column in which it begins, and the number of
 * columns. */
static bool parse_table_header(struct ps_str text, size_t *left, unsigned *columns)
{
    static const char *const titles[N_COLUMNS] = {"Action", "Mean duration (s)", "Num calls",
                                                  "Total time (s)", "Percentage %"};
    static const unsigned short_form[] = {ACTION, MEAN, TOTAL};
    const char *action = ps_str_find(text, PS_STR("Action")), *from = action;
    struct ps_str cells[N_COLUMNS];
    size_t before;
    unsigned n;

    if (!action || !ps_str_find(text, PS_STR("Mean duration (s)")))
        return false;
    while (from > text.ptr && (from[-1] == ' ' || from[-1] == '\t'))
        from--;
    if (from > text.ptr && from[-1] == '|')
        from--;
    else
        from = action;
    before = (size_t)(from - text.ptr);
    n = split_cells(ps_str_skip(text, before), cells, N_COLUMNS);
    if (n != 3 && n != N_COLUMNS)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!ps_str_eq_c(cells[i], titles[n == 3 ? short_form[i] : i]))
            return false;
    *left = before;
    *columns = n;
    return true;
}

/* Parses a value; none for "-", "_" and an empty cell. */
static bool parse_figure(struct ps_str cell, struct ps_num *out)
{
    *out = (struct ps_num){0};
    if (cell.len == 0 || ps_str_eq_c(cell, "-") || ps_str_eq_c(cell, "_"))
        return true;
    if (cell.ptr[cell.len - 1] == '%')
        cell = trim_spaces((struct ps_str){cell.ptr, cell.len - 1});
    return ps_report_parse_number(cell, out);
}

static bool read_figures(const struct reader *r, const struct ps_str *cells, struct action *out)
{
    if (!parse_figure(cells[1], &out->mean_s))
        return false;
    if (r->columns == 3)
        return parse_figure(cells[2], &out->total_s);
    return parse_figure(cells[2], &out->calls) && parse_figure(cells[3], &out->total_s) &&
           parse_figure(cells[4], &out->pct) && out->calls.kind != PS_NUM_REAL;
}

static void reject_row(struct reader *r)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                     "this line inside a table is not a table row");
    ps_report_count_doubtful(&r->in);
}

/* Parses a row. A line that ends without line feed and without the last bar may be truncated inside
 * its last value, so it is rejected. */
static bool read_row(const struct reader *r, struct ps_str row, struct ps_str *cells,
                     struct action *out)
{
    return (r->in.line.has_newline || row.ptr[row.len - 1] == '|') &&
           split_cells(row, cells, N_COLUMNS) == r->columns && cells[0].len &&
           read_figures(r, cells, out);
}

/* Handles a row. False: the line is other output, because it is not a row and the report is
 * paused. */
static bool parse_row(struct reader *r, struct ps_str row)
{
    struct ps_str cells[N_COLUMNS];
    struct action read = {0};

    if (!read_row(r, row, cells, &read)) {
        if (!r->paused)
            reject_row(r);
        return !r->paused;
    }
    r->rows_seen = true;
    r->paused = false;
    r->rows++;
    r->repaired += r->in.line.is_repaired || r->in.line.is_rejoined;
    if (r->in.line.is_repaired && r->mended++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, r->in.line.offset, r->in.line.number,
                     "the name in this row contains invalid UTF-8 or was truncated");
    if (ps_str_eq_c(cells[0], "Total") && current_section(r)->total_s.kind == PS_NUM_NONE) {
        current_section(r)->total_s = read.total_s;
        current_section(r)->calls = read.calls;
    } else {
        struct action *action = add_action(r, cells[0]);

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
        if (text.ptr[i] != '-')
            return false;
    return text.len >= 4;
}

/* Returns the line without the prefix that a container puts before it, beginning at a complete
 * character. */
static struct ps_str without_prefix(const struct reader *r, struct ps_str text)
{
    text = ps_str_skip(text, r->indent);
    while (text.len && ((unsigned char)text.ptr[0] & 0xc0) == 0x80)
        text = ps_str_skip(text, 1);
    return trim_spaces(text);
}

/* Handles the line if it belongs to the current simple report. */
static bool parse_in_report(struct reader *r, struct ps_str text)
{
    struct ps_str row = without_prefix(r, text);

    if (is_rule(row))
        return true;
    if (row.len && memchr(row.ptr, '|', row.len))
        return parse_row(r, row);
    if (row.len && !r->in.line.has_newline && !r->paused)
        reject_row(r);
    r->paused |= row.len || r->rows_seen;
    return row.len == 0;
}

/* --- Headings and lines --- */

/* Returns the stage of a heading: "FIT" for "FIT Profiler Report". It is one word of capital
 * letters. */
static struct ps_str stage_of(struct ps_str before)
{
    size_t n = 0;

    before = trim_spaces(before);
    while (n < before.len) {
        char c = before.ptr[before.len - 1 - n];

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

static bool parse_heading(struct reader *r, struct ps_str text)
{
    struct ps_str line = trim_spaces(text);

    if (!ends_in_report(line))
        return false;
    r->open = false;
    line.len -= report_words.len;
    PS_RESERVE_ONE(r->sections, r->n_sections, r->cap_sections);
    r->sections[r->n_sections++] =
        (struct section){.stage = ps_arena_copy(&r->arena, stage_of(line))};
    r->tables.is_open = false;
    r->tables.next_table.stage = r->sections[r->n_sections - 1].stage;
    return true;
}

static bool parse_stats(struct reader *r, struct ps_str text)
{
    const char *at = ps_str_find(text, stats_words);
    struct ps_str name;

    if (!at)
        return false;
    name = trim_spaces(ps_str_skip(text, (size_t)(at - text.ptr) + stats_words.len));
    if (name.len == 0)
        return false;
    r->open = false;
    r->tables.is_open = false;
    r->tables.next_table = (struct ps_function_table){
        .stage = current_section(r)->stage,
        .title = add_action(r, name)->name,
    };
    return true;
}

static bool parse_header(struct reader *r, struct ps_str text)
{
    if (!parse_table_header(text, &r->indent, &r->columns))
        return false;
    /* the heading of this report is missing */
    if (current_section(r)->total_s.kind != PS_NUM_NONE) {
        PS_RESERVE_ONE(r->sections, r->n_sections, r->cap_sections);
        r->sections[r->n_sections++] = (struct section){.stage = PS_STR("")};
    }
    r->open = true;
    r->rows_seen = r->paused = false;
    return true;
}

static void parse_function_line(struct reader *r)
{
    uint32_t reports = r->tables.n_reports;
    enum ps_function_table_line what = ps_function_tables_parse(&r->tables, &r->in.line);

    if (r->tables.n_reports > reports && r->n && !r->actions[r->n - 1].report)
        r->actions[r->n - 1].report = r->tables.n_reports;
    if (what == PS_FUNCTION_LINE_INVALID)
        reject_row(r);
    r->repaired +=
        what == PS_FUNCTION_LINE_ROW && (r->in.line.is_repaired || r->in.line.is_rejoined);
    if (what == PS_FUNCTION_LINE_ROW && r->in.line.is_repaired && r->mended++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, r->in.line.offset, r->in.line.number,
                     "the name in this row contains invalid UTF-8 or was truncated");
}

static void parse_line(struct reader *r)
{
    struct ps_str text = r->in.line.text;

    if (parse_heading(r, text) || parse_stats(r, text) || parse_header(r, text))
        return;
    if (r->open && parse_in_report(r, text))
        return;
    parse_function_line(r);
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        ps_report_rejoin(&r->in, ps_function_tables_classify, &r->tables);
        parse_line(r);
        if (r->tables.n + r->rows > ROWS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the log has more than %d rows",
                              ROWS_MAX);
        if (ps_report_check(&r->in, r->out, r->tables.n + r->rows, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static enum ps_match sniff(struct ps_str head)
{
    size_t left, column;
    unsigned columns;
    bool functions = ps_function_table_parse_header(head, &column);

    while (head.len) {
        const char *end = memchr(head.ptr, '\n', head.len);
        struct ps_str line = {head.ptr, end ? (size_t)(end - head.ptr) : head.len};

        head = ps_str_skip(head, line.len + 1);
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (parse_table_header(line, &left, &columns) ||
            (functions && ps_str_find(line, stats_words)))
            return PS_MATCH_SURE;
    }
    return PS_MATCH_NO;
}

static bool is_header(struct ps_str line)
{
    size_t left;
    unsigned columns;

    return parse_table_header(line, &left, &columns) || ps_function_table_parse_header(line, &left);
}

/* Whether the unwrapped text has more complete headers. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count_lines(unwrapped, is_header) > ps_report_count_lines(head, is_header);
}

/* Returns whether `text` continues on the next line: a row between bars ends in a bar, a row of a
 * function table in the name of the function. */
static enum ps_report_line_end find_line_end(const void *reader, struct ps_str text,
                                             struct ps_str next)
{
    const struct reader *r = reader;
    struct ps_str cells[N_COLUMNS], row = without_prefix(r, text);

    if (is_header(text) || ends_in_report(trim_spaces(text)) || ps_str_find(next, stats_words))
        return PS_LINE_END_COMPLETE;
    if (!r->open || !row.len || row.ptr[0] != '|')
        return ps_function_tables_find_end(&r->tables, text, next);
    return row.ptr[row.len - 1] == '|' && split_cells(row, cells, N_COLUMNS) == r->columns
               ? PS_LINE_END_COMPLETE
               : PS_LINE_END_CONTINUES;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.in = {.in = in}, .out = out};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, find_line_end, &r);
    status = read_log(&r, err);

    if (status == PS_OK && !report_all(&r))
        status = ps_fail(err, PS_CANCELLED, "the import was cancelled");
    ps_report_free(&r.in);
    ps_function_tables_free(&r.tables);
    ps_arena_free(&r.arena);
    free(r.sections);
    free(r.actions);
    return status;
}

const struct ps_importer ps_lightning = {
    .kind = "lightning",
    .label = "PyTorch Lightning profiler report",
    .description = "actions of the simple profiler and functions of the advanced one, also several "
                   "reports in one file or inside other output",
    .record_command = "Trainer(profiler=\"advanced\")",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
