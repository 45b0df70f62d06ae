/* SPDX-License-Identifier: MIT */
/*
 * function_table.c: reads the report that Stats.print_stats() prints.
 *
 *          9 function calls (7 primitive calls) in 0.054 seconds
 *
 *    Ordered by: cumulative time
 *    List reduced from 233 to 25 due to restriction <25>
 *
 *    ncalls  tottime  percall  cumtime  percall filename:lineno(function)
 *       6/1    0.000    0.000    0.054    0.054 {built-in method builtins.exec}
 *
 * A percall column is blank if there were no calls. A value may be wider than its column.
 */
#include "importers/functions/function_table.h"

#include <stdlib.h>

#include "base/python_origin.h"
#include "importers/records/functions.h"
#include "importers/records/printed.h"

enum {
    STRAY_LINES_MAX = 3, /* consecutive lines that are not rows: the table is truncated */
    CHECK_INTERVAL = 4096,
};

static const struct ps_str builtin_file = PS_STR("~");

bool ps_function_table_parse_header(struct ps_str text, size_t *column)
{
    const char *at = ps_str_find(
        text, PS_STR("ncalls  tottime  percall  cumtime  percall filename:lineno(function)"));
    size_t before;

    if (!at)
        return false;
    before = (size_t)(at - text.ptr);
    for (size_t blanks = 0; blanks < 3 && before && text.ptr[before - 1] == ' '; blanks++)
        before--;
    *column = before;
    return true;
}

/* --- Rows --- */

static bool read_calls(struct ps_str word, struct ps_function_table_row *row)
{
    const char *slash = word.len ? memchr(word.ptr, '/', word.len) : NULL;
    struct ps_str all = {word.ptr, slash ? (size_t)(slash - word.ptr) : word.len};

    if (!ps_report_parse_number(all, &row->ncalls) || row->ncalls.kind != PS_NUM_INT)
        return false;
    row->primitive_calls = row->ncalls;
    if (!slash)
        return true;
    return ps_report_parse_number(ps_str_skip(word, all.len + 1), &row->primitive_calls) &&
           row->primitive_calls.kind == PS_NUM_INT;
}

/* Reads a time and the percall column after it. The percall column is blank if there were no
 * calls. */
static bool read_time(struct ps_str *rest, struct ps_num calls, struct ps_num *out)
{
    struct ps_num each;

    if (!ps_report_parse_number(ps_report_pop_word(rest), out))
        return false;
    if (calls.i == 0) {
        *rest = ps_str_skip(*rest, 9);
        return true;
    }
    return ps_report_parse_number(ps_report_pop_word(rest), &each);
}

/* Returns the position of the last ":<digits>(", or NULL. */
static const char *last_line_mark(struct ps_str where)
{
    for (size_t i = where.len; i-- > 0;) {
        size_t digits = 0;

        if (where.ptr[i] != ':')
            continue;
        while (i + 1 + digits < where.len && where.ptr[i + 1 + digits] >= '0' &&
               where.ptr[i + 1 + digits] <= '9')
            digits++;
        if (digits && digits < 10 && i + 1 + digits < where.len && where.ptr[i + 1 + digits] == '(')
            return where.ptr + i;
    }
    return NULL;
}

/* Reads "path:line(name)". */
static bool read_location(struct ps_function_tables *t, struct ps_str where,
                          struct ps_function_table_row *row)
{
    const char *mark = last_line_mark(where), *paren;
    struct ps_str file, rest;
    int64_t line;

    if (!mark || where.ptr[where.len - 1] != ')')
        return false;
    file = (struct ps_str){where.ptr, (size_t)(mark - where.ptr)};
    rest = ps_str_skip(where, file.len + 1);
    paren = memchr(rest.ptr, '(', rest.len);
    if (!ps_str_parse_i64((struct ps_str){rest.ptr, (size_t)(paren - rest.ptr)}, &line))
        return false;
    rest = ps_str_skip(rest, (size_t)(paren - rest.ptr) + 1);
    row->line = ps_int(line);
    row->file = ps_intern_add(&t->files, file);
    row->name = ps_intern_add(&t->names, (struct ps_str){rest.ptr, rest.len - 1});
    t->has_folders |= file.len && file.ptr[0] != '<' &&
                      (memchr(file.ptr, '/', file.len) || memchr(file.ptr, '\\', file.len));
    return true;
}

/* Reads "{built-in method exec}", which a dump calls "<built-in method exec>", or a bare word. */
static bool read_builtin(struct ps_function_tables *t, struct ps_str where, bool ended,
                         struct ps_function_table_row *row)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    bool braces = where.ptr[0] == '{' && where.ptr[where.len - 1] == '}';

    if (!braces && (!ended || where.ptr[0] == '{' || last_line_mark(where)))
        return false;
    if (braces) {
        ps_buf_puts(&name, "<");
        ps_buf_add(&name, where.ptr + 1, where.len - 2);
        ps_buf_puts(&name, ">");
    } else {
        ps_buf_add_str(&name, where);
    }
    row->line = ps_int(0);
    row->file = ps_intern_add(&t->files, builtin_file);
    row->name = ps_intern_add(&t->names, ps_buf_slice(&name));
    return true;
}

/* The row without the prefix before it. Calls that are wider than their column begin left of it. */
static struct ps_str without_prefix(const struct ps_function_tables *t, struct ps_str text)
{
    size_t from = t->column;

    if (from < text.len && memchr("0123456789/", text.ptr[from], 11))
        while (from && memchr("0123456789/", text.ptr[from - 1], 11))
            from--;
    return ps_report_trim_end(ps_str_skip(text, from));
}

static bool read_values(struct ps_str *rest, struct ps_function_table_row *row)
{
    return read_calls(ps_report_pop_word(rest), row) &&
           read_time(rest, row->ncalls, &row->tottime) &&
           read_time(rest, row->primitive_calls, &row->cumtime);
}

static bool read_row(struct ps_function_tables *t, struct ps_str rest, bool ended,
                     struct ps_function_table_row *row)
{
    if (!read_values(&rest, row) || rest.len < 2 || rest.ptr[0] != ' ')
        return false;
    rest = ps_report_trim_end(ps_str_skip(rest, 1));
    return rest.len && (read_location(t, rest, row) || read_builtin(t, rest, ended, row));
}

static enum ps_function_table_line parse_row(struct ps_function_tables *t,
                                             const struct ps_report_line *line)
{
    struct ps_str rest = without_prefix(t, line->text);
    struct ps_function_table_row row = {0};

    if (rest.len == 0 || ps_report_is_fence(rest)) {
        t->is_paused = true;
        return PS_FUNCTION_LINE_HEAD;
    }
    if (!read_row(t, rest, line->has_newline, &row)) {
        if (t->is_paused)
            return PS_FUNCTION_LINE_NONE;
        t->is_paused = ++t->n_stray_lines >= STRAY_LINES_MAX;
        return PS_FUNCTION_LINE_INVALID;
    }
    t->n_stray_lines = 0;
    t->is_paused = false;
    PS_RESERVE_ONE(t->rows, t->n, t->cap);
    t->rows[t->n++] = row;
    t->reports[t->n_reports - 1].n_rows++;
    return PS_FUNCTION_LINE_ROW;
}

/* --- Header and totals --- */

static struct ps_num number_before(struct ps_str text, const char *at)
{
    struct ps_str head = {text.ptr, (size_t)(at - text.ptr)};
    struct ps_num number = {0};
    size_t n = 0;

    while (n < head.len && head.ptr[head.len - 1 - n] >= '0' && head.ptr[head.len - 1 - n] <= '9')
        n++;
    if (n)
        (void)ps_report_parse_number(ps_str_skip(head, head.len - n), &number);
    return number;
}

static bool number_after(struct ps_str text, struct ps_str words, struct ps_num *out)
{
    const char *at = ps_str_find(text, words);
    struct ps_str rest;

    if (!at)
        return false;
    rest = ps_str_skip(text, (size_t)(at - text.ptr) + words.len);
    return ps_report_parse_number(ps_report_pop_word(&rest), out);
}

/* Reads "9 function calls (7 primitive calls) in 0.054 seconds"; old versions print "CPU
 * seconds". */
static bool read_totals(struct ps_str text, struct ps_function_table *out)
{
    const char *calls = ps_str_find(text, PS_STR(" function calls "));
    const char *primitive = ps_str_find(text, PS_STR(" primitive calls) "));
    struct ps_num all, seconds;

    if (!calls || !ps_str_find(text, PS_STR(" seconds")))
        return false;
    all = number_before(text, calls);
    if (all.kind != PS_NUM_INT || !number_after(text, PS_STR(" in "), &seconds))
        return false;
    out->ncalls = all;
    out->primitive_calls = primitive ? number_before(text, primitive) : all;
    out->seconds = seconds;
    return true;
}

static bool parse_totals(struct ps_function_tables *t, struct ps_str text)
{
    if (!read_totals(text, &t->next_table))
        return false;
    t->is_open = false;
    t->next_table.sort_key.len = 0;
    t->next_table.n_profile_functions = (struct ps_num){0};
    return true;
}

static bool parse_order(struct ps_function_tables *t, struct ps_str text)
{
    static const struct ps_str words = PS_STR("   Ordered by: ");
    const char *at = ps_str_find(text, words);

    if (!at)
        return false;
    t->next_table.sort_key = ps_arena_copy(
        &t->arena, ps_report_trim_end(ps_str_skip(text, (size_t)(at - text.ptr) + words.len)));
    return true;
}

static bool parse_reduction(struct ps_function_tables *t, struct ps_str text)
{
    struct ps_num of;

    if (!number_after(text, PS_STR("   List reduced from "), &of))
        return false;
    if (t->next_table.n_profile_functions.kind ==
        PS_NUM_NONE) /* only the first of several such lines has the total */
        t->next_table.n_profile_functions = of;
    return true;
}

/* --- Wrapped lines --- */

/* Number of brackets that are still open at the end of the text. */
static size_t count_open_brackets(struct ps_str text)
{
    size_t depth = 0;

    for (size_t i = 0; i < text.len; i++)
        if (memchr("({", text.ptr[i], 2))
            depth++;
        else if (memchr(")}", text.ptr[i], 2) && depth)
            depth--;
    return depth;
}

/* Matches "         12 function calls". The spaces before the number ensure that it is complete. */
static bool begins_totals(struct ps_str text)
{
    const char *at = ps_str_find(text, PS_STR(" function calls"));
    size_t n = at ? (size_t)(at - text.ptr) : 0;

    while (n && text.ptr[n - 1] >= '0' && text.ptr[n - 1] <= '9')
        n--;
    return n > 1 && text.ptr[n - 1] == ' ' && text.ptr[n - 2] == ' ';
}

/* A row whose name is wrapped is complete once the line ends like a function name. */
enum ps_report_row ps_function_tables_classify(const void *tables, struct ps_str text)
{
    const struct ps_function_tables *t = tables;
    struct ps_str rest = without_prefix(t, text);
    struct ps_function_table_row row = {0};
    struct ps_function_table totals;
    size_t column;

    if (ps_function_table_parse_header(text, &column) ||
        (begins_totals(text) && read_totals(text, &totals)))
        return PS_ROW_FINAL;
    if (!t->is_open || !read_values(&rest, &row))
        return begins_totals(text) ? PS_ROW_INCOMPLETE : PS_ROW_NONE;
    rest = ps_report_trim_end(rest);
    if (!rest.len ||
        (last_line_mark(rest) ? rest.ptr[rest.len - 1] != ')' : rest.ptr[rest.len - 1] != '}'))
        return PS_ROW_INCOMPLETE;
    return count_open_brackets(rest) ? PS_ROW_COMPLETE : PS_ROW_FINAL;
}

/* Whether one of the two strings is a prefix of the other. */
static bool is_prefix_of_other(struct ps_str a, struct ps_str b)
{
    return ps_str_common_prefix(a, b) == (a.len < b.len ? a.len : b.len);
}

/* Whether a line begins with the totals or the "List reduced" line of a report. */
static bool is_heading(struct ps_str next)
{
    static const struct ps_str totals = PS_STR("         "), calls = PS_STR(" function calls"),
                               reduced = PS_STR("   List reduced from ");
    struct ps_str rest;

    if (is_prefix_of_other(next, reduced))
        return true;
    rest = ps_str_starts_with(next, totals) ? ps_str_skip(next, totals.len) : PS_STR("");
    if (!rest.len || rest.ptr[0] < '0' || rest.ptr[0] > '9')
        return false;
    while (rest.len && rest.ptr[0] >= '0' && rest.ptr[0] <= '9')
        rest = ps_str_skip(rest, 1);
    return is_prefix_of_other(rest, calls);
}

enum ps_report_line_end ps_function_tables_find_end(const void *tables, struct ps_str text,
                                                    struct ps_str next)
{
    if (ps_function_tables_classify(tables, text) == PS_ROW_NONE && is_heading(next))
        return PS_LINE_END_COMPLETE;
    return ps_report_find_row_end(ps_function_tables_classify, tables, text, next);
}

/* --- Lines --- */

static void open_report(struct ps_function_tables *t, size_t column)
{
    struct ps_function_table *report;

    PS_RESERVE_ONE(t->reports, t->n_reports, t->cap_reports);
    report = &t->reports[t->n_reports++];
    *report = t->next_table;
    report->first_row = t->n;
    report->n_rows = 0;
    t->next_table = (struct ps_function_table){.stage = report->stage, .title = report->title};
    t->column = column;
    t->n_stray_lines = 0;
    t->is_paused = false;
    t->is_open = true;
}

enum ps_function_table_line ps_function_tables_parse(struct ps_function_tables *t,
                                                     const struct ps_report_line *line)
{
    struct ps_str text = line->text;
    enum ps_function_table_line what;
    size_t column;

    if (ps_function_table_parse_header(text, &column)) {
        open_report(t, column);
        return PS_FUNCTION_LINE_HEAD;
    }
    if (parse_totals(t, text))
        return PS_FUNCTION_LINE_HEAD;
    what = t->is_open ? parse_row(t, line) : PS_FUNCTION_LINE_NONE;
    if (what != PS_FUNCTION_LINE_NONE)
        return what;
    t->n_relation_tables +=
        ps_str_find(text, PS_STR(" was called by...")) ||
        (ps_str_find(text, PS_STR(" called...")) && ps_str_find(text, PS_STR("Function ")));
    return parse_order(t, text) || parse_reduction(t, text) ? PS_FUNCTION_LINE_HEAD
                                                            : PS_FUNCTION_LINE_NONE;
}

/* --- Reporting --- */

double ps_function_table_seconds(const struct ps_function_tables *t,
                                 const struct ps_function_table *report)
{
    double sum = 0;

    if (report->seconds.kind != PS_NUM_NONE)
        return ps_num_to_real(report->seconds);
    for (uint32_t i = report->first_row; i < report->first_row + report->n_rows; i++)
        sum += ps_num_to_real(t->rows[i].tottime);
    return sum;
}

const struct ps_function_table *ps_function_tables_longest(const struct ps_function_tables *t)
{
    const struct ps_function_table *longest = NULL;
    double most = -1;

    for (uint32_t i = 0; i < t->n_reports; i++) {
        double seconds = ps_function_table_seconds(t, &t->reports[i]);

        if (seconds > most || (seconds == most && t->reports[i].n_rows > longest->n_rows)) {
            longest = &t->reports[i];
            most = seconds;
        }
    }
    return longest;
}

/* Returns the origin of a file. A script that was started from the current folder has a name
 * without folder. If other files have folders, the names were not stripped, so such a file is the
 * user's own. */
static enum ps_origin file_origin(const struct ps_function_tables *t, struct ps_str file)
{
    enum ps_origin found = ps_python_file_origin(file);

    if (found == PS_ORIGIN_UNKNOWN && t->has_folders && file.len > 3 &&
        memcmp(file.ptr + file.len - 3, ".py", 3) == 0)
        return PS_ORIGIN_OWN;
    return found;
}

static void write_function(const struct ps_function_tables *t, uint32_t i, struct ps_sink *out)
{
    const struct ps_function_table_row *row = &t->rows[i];

    out->ops->function(out, &(struct ps_function){
                                .id = i + 1,
                                .file = t->files.items[row->file],
                                .name = t->names.items[row->name],
                                .file_key = row->file + 1,
                                .line = row->line,
                                .ncalls = row->ncalls,
                                .primitive_calls = row->primitive_calls,
                                .tottime_s = row->tottime,
                                .cumtime_s = row->cumtime,
                                .origin = file_origin(t, t->files.items[row->file]),
                                .has_entry = true,
                            });
}

static void write_report(const struct ps_function_table *report, uint32_t id, struct ps_sink *out)
{
    out->ops->report(out, &(struct ps_report){
                              .id = id,
                              .stage = report->stage,
                              .title = report->title,
                              .sort_key = report->sort_key,
                              .grouped_by = "",
                              .ncalls = report->ncalls,
                              .primitive_calls = report->primitive_calls,
                              .seconds = report->seconds,
                              .n_profile_functions = report->n_profile_functions,
                              .first_row = report->first_row + 1,
                              .n_rows = report->n_rows,
                          });
}

bool ps_function_tables_write(const struct ps_function_tables *t, struct ps_sink *out)
{
    for (uint32_t id = 1; id <= t->n_reports; id++) {
        const struct ps_function_table *report = &t->reports[id - 1];

        write_report(report, id, out);
        for (uint32_t i = report->first_row; i < report->first_row + report->n_rows; i++) {
            if (i % CHECK_INTERVAL == 0 &&
                (!out->ops->progress(out, i, t->n, i) || !ps_sink_ok(out)))
                return false;
            write_function(t, i, out);
        }
    }
    return true;
}

void ps_function_tables_free(struct ps_function_tables *t)
{
    ps_intern_free(&t->files);
    ps_intern_free(&t->names);
    ps_arena_free(&t->arena);
    free(t->rows);
    free(t->reports);
}
