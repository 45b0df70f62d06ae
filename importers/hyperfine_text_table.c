/* SPDX-License-Identifier: MIT */
#include "importers/hyperfine_text.h"

#include "importers/text_report.h"

enum { LONGEST_CELL = 64 * 1024 };

/* ------------------------------------------------------------------ cells */

static struct ps_str trim(struct ps_str text)
{
    ps_printed_blanks(&text);
    return ps_report_trim(text);
}

/* A quoted cell with its quotes doubled. *rest is behind the first quote. */
static bool take_quoted(struct ps_str *rest, struct ps_arena *arena, struct ps_str *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    while (rest->len && text.len < LONGEST_CELL) {
        if (rest->at[0] != '"') {
            ps_buf_add(&text, rest->at, 1);
        } else if (rest->len > 1 && rest->at[1] == '"') {
            ps_buf_puts(&text, "\"");
            *rest = ps_str_skip(*rest, 1);
        } else {
            *rest = ps_str_skip(*rest, 1);
            *out = ps_arena_copy(arena, ps_buf_slice(&text));
            return rest->len == 0 || rest->at[0] == ',';
        }
        *rest = ps_str_skip(*rest, 1);
    }
    return false;
}

static bool csv_cells(struct ps_str line, struct ps_arena *arena, struct ps_str *cells, size_t *n)
{
    for (*n = 0; *n < PS_HF_COLUMNS;) {
        const char *end;

        if (line.len && line.at[0] == '"') {
            line = ps_str_skip(line, 1);
            if (!take_quoted(&line, arena, &cells[(*n)++]))
                return false;
        } else {
            end = line.len ? memchr(line.at, ',', line.len) : NULL;
            cells[*n] = (struct ps_str){line.at, end ? (size_t)(end - line.at) : line.len};
            line = ps_str_skip(line, cells[(*n)++].len);
        }
        if (line.len == 0)
            return true;
        line = ps_str_skip(line, 1);
    }
    return false;
}

/* "| `a \| b` | 21.2 ± 0.1 |": bars in a cell are escaped. */
static bool markdown_cells(struct ps_str line, struct ps_str *cells, size_t *n)
{
    line = ps_report_trim(line);
    if (line.len < 2 || line.at[0] != '|' || line.at[line.len - 1] != '|')
        return false;
    line = ps_str_skip(line, 1);
    for (*n = 0; line.len && *n < PS_HF_COLUMNS;) {
        size_t end = 0;

        while (end < line.len && (line.at[end] != '|' || (end && line.at[end - 1] == '\\')))
            end++;
        cells[(*n)++] = trim((struct ps_str){line.at, end});
        line = ps_str_skip(line, end + 1);
    }
    return line.len == 0;
}

/* A command as it was called: without backticks, its bars not escaped. */
static struct ps_str shown_command(struct ps_str cell, struct ps_arena *arena)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (cell.len > 1 && cell.at[0] == '`' && cell.at[cell.len - 1] == '`')
        cell = (struct ps_str){cell.at + 1, cell.len - 2};
    for (size_t i = 0; i < cell.len; i++)
        if (cell.at[i] != '\\' || i + 1 == cell.len || cell.at[i + 1] != '|')
            ps_buf_add(&text, cell.at + i, 1);
    return ps_arena_copy(arena, ps_buf_slice(&text));
}

/* ------------------------------------------------------------------ headers */

static const struct {
    const char *name;
    enum ps_hf_figure figure;
} figures[] = {
    {"mean", PS_HF_MEAN}, {"stddev", PS_HF_STDDEV}, {"median", PS_HF_MEDIAN},
    {"min", PS_HF_MIN},   {"max", PS_HF_MAX},
};

static const struct {
    const char *csv, *shown;
    enum ps_hf_part part;
} parts[] = {
    {"time_wall_clock_", "Wall Time", PS_HF_WALL},
    {"time_user_", "User Time", PS_HF_USER},
    {"time_system_", "System Time", PS_HF_SYSTEM},
    {"memory_peak_resident_", "Memory", PS_HF_MEMORY},
};

static bool figure_named(struct ps_str name, enum ps_hf_figure *out)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (ps_str_is(name, figures[i].name)) {
            *out = figures[i].figure;
            return true;
        }
    return false;
}

/* "mean", "user", "time_wall_clock_mean", "parameter_n". */
static void csv_column(struct ps_str name, struct ps_arena *arena, struct ps_hf_columns *out,
                       size_t i)
{
    struct ps_str rest = name;
    enum ps_hf_part part = PS_HF_WALL;
    enum ps_hf_figure figure = PS_HF_MEAN;
    bool value;

    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (ps_printed_word(&rest, parts[k].csv))
            part = parts[k].part;
    value = figure_named(rest, &figure);
    if (ps_str_is(name, "user") || ps_str_is(name, "system")) {
        part = name.at[0] == 'u' ? PS_HF_USER : PS_HF_SYSTEM;
        value = true;
    }
    out->at[i].kind = value ? PS_HF_VALUE : PS_HF_IGNORED;
    if (ps_str_is(name, "command"))
        out->at[i].kind = PS_HF_COMMAND;
    if (ps_printed_word(&name, "parameter_")) {
        out->at[i].kind = PS_HF_PARAMETER;
        out->at[i].text = ps_arena_copy(arena, name);
    }
    out->at[i].part = part;
    out->at[i].figure = figure;
}

/* "Mean [ms]", "Mean Wall Time [ms]", "Min…Max [ms]", "Relative". */
static void markdown_column(struct ps_str title, struct ps_arena *arena, struct ps_hf_columns *out,
                            size_t i)
{
    static const struct {
        const char *word;
        enum ps_hf_column_kind kind;
        enum ps_hf_figure figure;
    } words[] = {
        {"Min\xe2\x80\xa6Max", PS_HF_RANGE, PS_HF_MIN},
        {"Mean", PS_HF_VALUE, PS_HF_MEAN},
        {"Median", PS_HF_VALUE, PS_HF_MEDIAN},
        {"Min", PS_HF_VALUE, PS_HF_MIN},
        {"Max", PS_HF_VALUE, PS_HF_MAX},
        {"Command", PS_HF_COMMAND, PS_HF_MEAN},
    };
    const char *open = title.len ? memchr(title.at, '[', title.len) : NULL;

    out->at[i].kind = PS_HF_IGNORED;
    out->at[i].part = PS_HF_WALL;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (ps_str_find(title, ps_str_of(parts[k].shown)))
            out->at[i].part = parts[k].part;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (!ps_str_starts(title, ps_str_of(words[k].word)))
            continue;
        if (words[k].kind != PS_HF_COMMAND && (!open || title.at[title.len - 1] != ']'))
            continue;
        out->at[i].kind = words[k].kind;
        out->at[i].figure = words[k].figure;
        break;
    }
    if (open && title.at[title.len - 1] == ']')
        out->at[i].text = ps_arena_copy(
            arena, (struct ps_str){open + 1, (size_t)(title.at + title.len - open) - 2});
}

bool ps_hf_header(struct ps_str line, struct ps_arena *arena, struct ps_hf_columns *out)
{
    static const char *const starts[] = {"command,mean,", "command,time_wall_clock_",
                                         "| Command | Mean"};
    struct ps_str cells[PS_HF_COLUMNS];
    const char *at = NULL;

    *out = (struct ps_hf_columns){.n = 0};
    for (size_t i = 0; i < 3 && !at; i++) {
        at = ps_str_find(line, ps_str_of(starts[i]));
        out->markdown = i == 2;
    }
    if (!at)
        return false;
    out->left = (size_t)(at - line.at);
    line = ps_report_trim(ps_str_skip(line, out->left));
    if (out->markdown ? !markdown_cells(line, cells, &out->n)
                      : !csv_cells(line, arena, cells, &out->n))
        return false;
    for (size_t i = 0; i < out->n; i++)
        (out->markdown ? markdown_column : csv_column)(cells[i], arena, out, i);
    return true;
}

/* ------------------------------------------------------------------ rows */

/* All digits are there: a double as the tool has it. */
static bool csv_value(struct ps_str cell, struct ps_printed *out)
{
    struct ps_num number;

    if (!ps_report_number(cell, &number))
        return false;
    *out = (struct ps_printed){ps_num_real(number), 0};
    return true;
}

/* "21.2 ± 0.1", "21.1…21.3", "21.2". */
static bool markdown_value(const struct ps_hf_columns *columns, size_t i, struct ps_str cell,
                           struct ps_hf_result *out)
{
    bool range = columns->at[i].kind == PS_HF_RANGE;
    enum ps_hf_part part = columns->at[i].part;
    enum ps_hf_figure second = range ? PS_HF_MAX : PS_HF_STDDEV;
    struct ps_printed value;

    if (!ps_hf_take_in(&cell, columns->at[i].text, &value))
        return false;
    ps_hf_set(out, part, range ? PS_HF_MIN : columns->at[i].figure, value);
    if (cell.len == 0)
        return true;
    if (!(range ? ps_hf_to(&cell) : ps_hf_plus_minus(&cell)) ||
        !ps_hf_take_in(&cell, columns->at[i].text, &value) || cell.len)
        return false;
    ps_hf_set(out, part, second, value);
    return true;
}

static bool take_value(const struct ps_hf_columns *columns, size_t i, struct ps_str cell,
                       struct ps_hf_result *out)
{
    struct ps_printed value;

    if (cell.len == 0)
        return true;
    if (columns->markdown)
        return markdown_value(columns, i, cell, out);
    if (!csv_value(cell, &value))
        return false;
    ps_hf_set(out, columns->at[i].part, columns->at[i].figure, value);
    return true;
}

static bool is_rule(struct ps_str line)
{
    for (size_t i = 0; i < line.len; i++)
        if (!strchr("|:- ", line.at[i]))
            return false;
    return line.len > 0;
}

enum ps_hf_line ps_hf_row(const struct ps_hf_columns *columns, struct ps_str line,
                          struct ps_arena *arena, struct ps_hf_result *out, struct ps_str *command,
                          struct ps_str *parameter)
{
    struct ps_str cells[PS_HF_COLUMNS];
    size_t n = 0;

    *command = PS_STR("");
    line = ps_report_trim(ps_report_behind(line, columns->left));
    if (line.len == 0 || (columns->markdown && line.at[0] != '|') ||
        (!columns->markdown && !memchr(line.at, ',', line.len)))
        return PS_HF_OTHER;
    if (columns->markdown && is_rule(line))
        return PS_HF_TAKEN;
    if (columns->markdown ? !markdown_cells(line, cells, &n) : !csv_cells(line, arena, cells, &n))
        return PS_HF_BROKEN;
    if (n != columns->n)
        return PS_HF_BROKEN;
    for (size_t i = 0; i < n; i++) {
        enum ps_hf_column_kind kind = columns->at[i].kind;

        parameter[i] = PS_STR("");
        if (kind == PS_HF_COMMAND)
            *command =
                columns->markdown ? shown_command(cells[i], arena) : ps_arena_copy(arena, cells[i]);
        else if (kind == PS_HF_PARAMETER)
            parameter[i] = ps_arena_copy(arena, cells[i]);
        else if (kind != PS_HF_IGNORED && !take_value(columns, i, cells[i], out))
            return PS_HF_BROKEN;
    }
    return command->len && ps_hf_any(out) ? PS_HF_TAKEN : PS_HF_BROKEN;
}
