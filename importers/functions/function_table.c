/* SPDX-License-Identifier: MIT */
/*
 * function_table.c: reads what Stats.print_stats() prints.
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

#include "importers/python_origin.h"

enum {
    ASTRAY = 3, /* consecutive lines that are not rows: the table is truncated */
    BREATH = 4096,
};

static const struct ps_str builtin_file = PS_STR("~");

bool ps_ft_header(struct ps_str text, size_t *column)
{
    const char *at = ps_str_find(
        text, PS_STR("ncalls  tottime  percall  cumtime  percall filename:lineno(function)"));
    size_t before;

    if (!at)
        return false;
    before = (size_t)(at - text.at);
    for (size_t blanks = 0; blanks < 3 && before && text.at[before - 1] == ' '; blanks++)
        before--;
    *column = before;
    return true;
}

/* --- Rows --- */

static bool read_calls(struct ps_str word, struct ps_ft_row *row)
{
    const char *slash = word.len ? memchr(word.at, '/', word.len) : NULL;
    struct ps_str all = {word.at, slash ? (size_t)(slash - word.at) : word.len};

    if (!ps_report_number(all, &row->ncalls) || row->ncalls.kind != PS_NUM_INT)
        return false;
    row->primitive_calls = row->ncalls;
    if (!slash)
        return true;
    return ps_report_number(ps_str_skip(word, all.len + 1), &row->primitive_calls) &&
           row->primitive_calls.kind == PS_NUM_INT;
}

/* Reads a time and the percall column after it, which is blank if there were no calls. */
static bool read_time(struct ps_str *rest, struct ps_num calls, struct ps_num *out)
{
    struct ps_num each;

    if (!ps_report_number(ps_report_word(rest), out))
        return false;
    if (calls.i == 0) {
        *rest = ps_str_skip(*rest, 9);
        return true;
    }
    return ps_report_number(ps_report_word(rest), &each);
}

/* Returns the position of the last ":<digits>(", or NULL. */
static const char *last_line_mark(struct ps_str where)
{
    for (size_t i = where.len; i-- > 0;) {
        size_t digits = 0;

        if (where.at[i] != ':')
            continue;
        while (i + 1 + digits < where.len && where.at[i + 1 + digits] >= '0' &&
               where.at[i + 1 + digits] <= '9')
            digits++;
        if (digits && digits < 10 && i + 1 + digits < where.len && where.at[i + 1 + digits] == '(')
            return where.at + i;
    }
    return NULL;
}

/* "path:line(name)". */
static bool read_place(struct ps_function_tables *t, struct ps_str where, struct ps_ft_row *row)
{
    const char *mark = last_line_mark(where), *paren;
    struct ps_str file, rest;
    int64_t line;

    if (!mark || where.at[where.len - 1] != ')')
        return false;
    file = (struct ps_str){where.at, (size_t)(mark - where.at)};
    rest = ps_str_skip(where, file.len + 1);
    paren = memchr(rest.at, '(', rest.len);
    if (!ps_str_i64((struct ps_str){rest.at, (size_t)(paren - rest.at)}, &line))
        return false;
    rest = ps_str_skip(rest, (size_t)(paren - rest.at) + 1);
    row->line = ps_int(line);
    row->file = ps_intern_id(&t->files, file);
    row->name = ps_intern_id(&t->names, (struct ps_str){rest.at, rest.len - 1});
    t->folders |= file.len && file.at[0] != '<' &&
                  (memchr(file.at, '/', file.len) || memchr(file.at, '\\', file.len));
    return true;
}

/* Reads "{built-in method exec}", which a dump calls "<built-in method exec>", or a bare word. */
static bool read_builtin(struct ps_function_tables *t, struct ps_str where, bool ended,
                         struct ps_ft_row *row)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    bool braces = where.at[0] == '{' && where.at[where.len - 1] == '}';

    if (!braces && (!ended || where.at[0] == '{' || last_line_mark(where)))
        return false;
    if (braces) {
        ps_buf_puts(&name, "<");
        ps_buf_add(&name, where.at + 1, where.len - 2);
        ps_buf_puts(&name, ">");
    } else {
        ps_buf_str(&name, where);
    }
    row->line = ps_int(0);
    row->file = ps_intern_id(&t->files, builtin_file);
    row->name = ps_intern_id(&t->names, ps_buf_slice(&name));
    return true;
}

static bool read_figures(struct ps_str *rest, struct ps_ft_row *row)
{
    return read_calls(ps_report_word(rest), row) && read_time(rest, row->ncalls, &row->tottime) &&
           read_time(rest, row->primitive_calls, &row->cumtime);
}

static bool read_row(struct ps_function_tables *t, struct ps_str rest, bool ended,
                     struct ps_ft_row *row)
{
    if (!read_figures(&rest, row) || rest.len < 2 || rest.at[0] != ' ')
        return false;
    rest = ps_report_trim(ps_str_skip(rest, 1));
    return rest.len && (read_place(t, rest, row) || read_builtin(t, rest, ended, row));
}

static enum ps_ft_line take_row(struct ps_function_tables *t, const struct ps_report_line *line)
{
    struct ps_str rest = ps_report_trim(ps_str_skip(line->text, t->column));
    struct ps_ft_row row = {0};

    if (rest.len == 0) {
        t->paused = true;
        return PS_FT_HEAD;
    }
    if (!read_row(t, rest, line->ended, &row)) {
        if (t->paused)
            return PS_FT_NONE;
        t->paused = ++t->astray >= ASTRAY;
        return PS_FT_BROKEN;
    }
    t->astray = 0;
    t->paused = false;
    PS_PUSH_ROOM(t->rows, t->n, t->cap);
    t->rows[t->n++] = row;
    t->reports[t->n_reports - 1].n++;
    return PS_FT_ROW;
}

/* --- Header and totals --- */

static struct ps_num number_before(struct ps_str text, const char *at)
{
    struct ps_str head = {text.at, (size_t)(at - text.at)};
    struct ps_num number = {0};
    size_t n = 0;

    while (n < head.len && head.at[head.len - 1 - n] >= '0' && head.at[head.len - 1 - n] <= '9')
        n++;
    if (n)
        (void)ps_report_number(ps_str_skip(head, head.len - n), &number);
    return number;
}

static bool number_behind(struct ps_str text, struct ps_str words, struct ps_num *out)
{
    const char *at = ps_str_find(text, words);
    struct ps_str rest;

    if (!at)
        return false;
    rest = ps_str_skip(text, (size_t)(at - text.at) + words.len);
    return ps_report_number(ps_report_word(&rest), out);
}

/* "9 function calls (7 primitive calls) in 0.054 seconds", with "CPU seconds" in old versions. */
static bool read_totals(struct ps_str text, struct ps_ft_report *out)
{
    const char *calls = ps_str_find(text, PS_STR(" function calls "));
    const char *primitive = ps_str_find(text, PS_STR(" primitive calls) "));
    struct ps_num all, seconds;

    if (!calls || !ps_str_find(text, PS_STR(" seconds")))
        return false;
    all = number_before(text, calls);
    if (all.kind != PS_NUM_INT || !number_behind(text, PS_STR(" in "), &seconds))
        return false;
    out->ncalls = all;
    out->primitive_calls = primitive ? number_before(text, primitive) : all;
    out->seconds = seconds;
    return true;
}

static bool take_totals(struct ps_function_tables *t, struct ps_str text)
{
    if (!read_totals(text, &t->next))
        return false;
    t->open = false;
    t->next.ordered.len = 0;
    t->next.of = (struct ps_num){0};
    return true;
}

static bool take_order(struct ps_function_tables *t, struct ps_str text)
{
    static const struct ps_str words = PS_STR("   Ordered by: ");
    const char *at = ps_str_find(text, words);

    if (!at)
        return false;
    t->next.ordered = ps_arena_copy(
        &t->arena, ps_report_trim(ps_str_skip(text, (size_t)(at - text.at) + words.len)));
    return true;
}

static bool take_reduction(struct ps_function_tables *t, struct ps_str text)
{
    struct ps_num of;

    if (!number_behind(text, PS_STR("   List reduced from "), &of))
        return false;
    if (t->next.of.kind == PS_NUM_NONE) /* one line for each restriction: the first has the total */
        t->next.of = of;
    return true;
}

/* --- Wrapped lines --- */

/* Number of brackets that are still open at the end of the text. */
static size_t depth_of(struct ps_str text)
{
    size_t depth = 0;

    for (size_t i = 0; i < text.len; i++)
        if (memchr("({", text.at[i], 2))
            depth++;
        else if (memchr(")}", text.at[i], 2) && depth)
            depth--;
    return depth;
}

/* Matches "         12 function calls". The spaces before the number ensure that it is complete. */
static bool begins_totals(struct ps_str text)
{
    const char *at = ps_str_find(text, PS_STR(" function calls"));
    size_t n = at ? (size_t)(at - text.at) : 0;

    while (n && text.at[n - 1] >= '0' && text.at[n - 1] <= '9')
        n--;
    return n > 1 && text.at[n - 1] == ' ' && text.at[n - 2] == ' ';
}

/* A row with a wrapped name is complete once the line ends like a function name. */
enum ps_report_row ps_ft_reads(const void *tables, struct ps_str text)
{
    const struct ps_function_tables *t = tables;
    struct ps_str rest = ps_report_trim(ps_str_skip(text, t->column));
    struct ps_ft_row row = {0};
    struct ps_ft_report totals;
    size_t column;

    if (ps_ft_header(text, &column) || (begins_totals(text) && read_totals(text, &totals)))
        return PS_ROW_ENDED;
    if (!t->open || !read_figures(&rest, &row))
        return begins_totals(text) ? PS_ROW_PART : PS_ROW_NONE;
    rest = ps_report_trim(rest);
    if (!rest.len ||
        (last_line_mark(rest) ? rest.at[rest.len - 1] != ')' : rest.at[rest.len - 1] != '}'))
        return PS_ROW_PART;
    return depth_of(rest) ? PS_ROW_WHOLE : PS_ROW_ENDED;
}

/* Whether one of the two strings is a prefix of the other. */
static bool agree(struct ps_str a, struct ps_str b)
{
    return ps_str_common(a, b) == (a.len < b.len ? a.len : b.len);
}

/* Whether a line begins with the totals or the "List reduced" line of a report. */
static bool is_heading(struct ps_str next)
{
    static const struct ps_str totals = PS_STR("         "), calls = PS_STR(" function calls"),
                               reduced = PS_STR("   List reduced from ");
    struct ps_str rest;

    if (agree(next, reduced))
        return true;
    rest = ps_str_starts(next, totals) ? ps_str_skip(next, totals.len) : PS_STR("");
    if (!rest.len || rest.at[0] < '0' || rest.at[0] > '9')
        return false;
    while (rest.len && rest.at[0] >= '0' && rest.at[0] <= '9')
        rest = ps_str_skip(rest, 1);
    return agree(rest, calls);
}

enum ps_report_end ps_ft_ends(const void *tables, struct ps_str text, struct ps_str next)
{
    if (ps_ft_reads(tables, text) == PS_ROW_NONE && is_heading(next))
        return PS_END_HERE;
    return ps_report_row_ends(ps_ft_reads, tables, text, next);
}

/* --- Lines --- */

static void open_report(struct ps_function_tables *t, size_t column)
{
    struct ps_ft_report *report;

    PS_PUSH_ROOM(t->reports, t->n_reports, t->cap_reports);
    report = &t->reports[t->n_reports++];
    *report = t->next;
    report->first = t->n;
    report->n = 0;
    t->next = (struct ps_ft_report){.stage = report->stage, .title = report->title};
    t->column = column;
    t->astray = 0;
    t->paused = false;
    t->open = true;
}

enum ps_ft_line ps_ft_take(struct ps_function_tables *t, const struct ps_report_line *line)
{
    struct ps_str text = line->text;
    enum ps_ft_line what;
    size_t column;

    if (ps_ft_header(text, &column)) {
        open_report(t, column);
        return PS_FT_HEAD;
    }
    if (take_totals(t, text))
        return PS_FT_HEAD;
    what = t->open ? take_row(t, line) : PS_FT_NONE;
    if (what != PS_FT_NONE)
        return what;
    t->relations +=
        ps_str_find(text, PS_STR(" was called by...")) ||
        (ps_str_find(text, PS_STR(" called...")) && ps_str_find(text, PS_STR("Function ")));
    return take_order(t, text) || take_reduction(t, text) ? PS_FT_HEAD : PS_FT_NONE;
}

/* --- Reporting --- */

double ps_ft_seconds(const struct ps_function_tables *t, const struct ps_ft_report *report)
{
    double sum = 0;

    if (report->seconds.kind != PS_NUM_NONE)
        return ps_num_real(report->seconds);
    for (uint32_t i = report->first; i < report->first + report->n; i++)
        sum += ps_num_real(t->rows[i].tottime);
    return sum;
}

const struct ps_ft_report *ps_ft_longest(const struct ps_function_tables *t)
{
    const struct ps_ft_report *longest = NULL;
    double most = 0;

    for (uint32_t i = 0; i < t->n_reports; i++) {
        double seconds = ps_ft_seconds(t, &t->reports[i]);

        if (!longest || seconds > most) {
            longest = &t->reports[i];
            most = seconds;
        }
    }
    return longest;
}

/* The name of a script that was started from its own folder has no folder. If other files have
 * folders, the names were not stripped, so the script is the user's own. */
static enum ps_origin origin(const struct ps_function_tables *t, struct ps_str file)
{
    enum ps_origin found = ps_python_file_origin(file);

    if (found == PS_ORIGIN_UNKNOWN && t->folders && file.len > 3 &&
        memcmp(file.at + file.len - 3, ".py", 3) == 0)
        return PS_ORIGIN_OWN;
    return found;
}

static void tell_function(const struct ps_function_tables *t, uint32_t i, struct ps_sink *out)
{
    const struct ps_ft_row *row = &t->rows[i];

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
                                .origin = origin(t, t->files.items[row->file]),
                                .listed = true,
                            });
}

static void tell_report(const struct ps_ft_report *report, uint32_t id, struct ps_sink *out)
{
    out->ops->report(out, &(struct ps_report){
                              .id = id,
                              .stage = report->stage,
                              .title = report->title,
                              .ordered = report->ordered,
                              .by = "",
                              .ncalls = report->ncalls,
                              .primitive_calls = report->primitive_calls,
                              .seconds = report->seconds,
                              .of = report->of,
                              .first = report->first + 1,
                              .rows = report->n,
                          });
}

bool ps_ft_tell(const struct ps_function_tables *t, struct ps_sink *out)
{
    for (uint32_t id = 1; id <= t->n_reports; id++) {
        const struct ps_ft_report *report = &t->reports[id - 1];

        tell_report(report, id, out);
        for (uint32_t i = report->first; i < report->first + report->n; i++) {
            if (i % BREATH == 0 && (!out->ops->progress(out, i, t->n, i) || !ps_sink_ok(out)))
                return false;
            tell_function(t, i, out);
        }
    }
    return true;
}

void ps_ft_free(struct ps_function_tables *t)
{
    ps_intern_free(&t->files);
    ps_intern_free(&t->names);
    ps_arena_free(&t->arena);
    free(t->rows);
    free(t->reports);
}
