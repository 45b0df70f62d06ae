/* SPDX-License-Identifier: MIT */
/*
 * hyperfine_text.c: reads hyperfine's terminal output and its CSV and Markdown tables, anywhere in
 * a log.
 *
 * Printed numbers are rounded to the last digit shown, and the single runs are missing; CSV has all
 * digits. Versions 1.0 to 1.20 print the time of a command in two lines, version 2 a line for each
 * metric. Comparisons of commands are skipped, because they can be computed from the values.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

enum part {
    WALL,
    CPU,
    USER,
    SYSTEM,
    MEMORY,
    CYCLES,
    INSTRUCTIONS,
    CACHE_REFERENCES,
    CACHE_MISSES,
    BRANCH_MISSES,
    PARTS
};

enum figure { MEAN, STDDEV, MEDIAN, MIN, MAX, FIGURES };

/* The values of one command, in seconds, bytes and counts. A resolution of 0 means that all digits
 * are known. */
struct result {
    bool has_any;
    enum part first; /* the metric that the tool reports first; valid if has_any */
    bool has_figure[PARTS][FIGURES];
    struct ps_printed_number figure[PARTS][FIGURES];
    int64_t runs; /* number of runs; 0: unknown */
};

enum line_kind { LINE_OTHER, LINE_VALID, LINE_INVALID };

/* --- Tables --- */

enum { COLUMNS = 64 };

enum column_kind { IGNORED, COMMAND, UNIT, VALUE, RANGE, PARAMETER };

struct columns {
    bool markdown;
    /* indent: bytes before the table, a prefix that a container puts before each line; n: number of
     * columns */
    size_t indent, n;
    struct {
        enum column_kind kind;
        enum part part;
        enum figure figure;
        struct ps_str text; /* name of the parameter, or unit of a Markdown column; in the arena */
    } items[COLUMNS];
};

#define PLUS_MINUS     "\xc2\xb1"
#define TO             "\xe2\x80\xa6"
#define MEAN_AND_SIGMA "Time (mean " PLUS_MINUS " \xcf\x83):"
#define ABSOLUTE       "Time (abs \xe2\x89\xa1):"
#define RANGE_LABEL    "Range (min " TO " max):"

static void set_figure(struct result *result, enum part part, enum figure which,
                       struct ps_printed_number value)
{
    result->first = result->has_any ? result->first : part;
    result->has_any = true;
    result->has_figure[part][which] = true;
    result->figure[part][which] = value;
}

/* --- Printed numbers --- */

enum measure { TIME, BYTES, COUNT };

static enum measure measure_of(enum part part)
{
    return part < MEMORY ? TIME : part == MEMORY ? BYTES : COUNT;
}

static const struct unit {
    const char *name;
    enum measure measure; /* "B" are bytes, and billions of counts */
    int shift;            /* exponent of a power of ten */
    double factor;        /* the unit is factor * 10^shift seconds, bytes or counts */
} units[] = {
    {"ms", TIME, -3, 1},
    {"\xc2\xb5s", TIME, -6, 1},
    {"\xce\xbcs", TIME, -6, 1},
    {"us", TIME, -6, 1},
    {"ns", TIME, -9, 1},
    {"s", TIME, 0, 1},
    {"min", TIME, 0, 60},
    {"h", TIME, 0, 3600},
    {"KiB", BYTES, 0, 1024},
    {"MiB", BYTES, 0, 1024. * 1024},
    {"GiB", BYTES, 0, 1024. * 1024 * 1024},
    {"TiB", BYTES, 0, 1024. * 1024 * 1024 * 1024},
    {"kB", BYTES, 3, 1},
    {"KB", BYTES, 3, 1},
    {"MB", BYTES, 6, 1},
    {"GB", BYTES, 9, 1},
    {"TB", BYTES, 12, 1},
    {"B", BYTES, 0, 1},
    {"count", COUNT, 0, 1},
    {"k", COUNT, 3, 1},
    {"M", COUNT, 6, 1},
    {"B", COUNT, 9, 1},
};

static const struct unit *find_unit(struct ps_str name, enum measure measure)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].measure == measure && ps_str_eq_c(name, units[i].name))
            return &units[i];
    return NULL;
}

static bool parse_number_in(struct ps_str text, const struct unit *unit,
                            struct ps_printed_number *out)
{
    if (!ps_printed_number_parse(text, unit->shift, out))
        return false;
    out->value *= unit->factor;
    out->resolution *= unit->factor;
    return true;
}

/* Reads a number in `unit` and removes it from *rest. */
static bool parse_printed_in(struct ps_str *rest, struct ps_str unit, enum measure measure,
                             struct ps_printed_number *out)
{
    const struct unit *found = find_unit(unit, measure);
    size_t n = ps_printed_number_len(*rest);

    if (!found || !parse_number_in((struct ps_str){rest->ptr, n}, found, out))
        return false;
    *rest = ps_str_skip(*rest, n);
    return true;
}

static bool ends_word(struct ps_str text)
{
    return text.len == 0 || strchr(" \t,]|)", text.ptr[0]);
}

/* Finds `words` anywhere in the line and sets *rest to the text after them. */
static bool skip_past(struct ps_str line, const char *words, struct ps_str *rest)
{
    const char *at = ps_str_find(line, ps_str_from_c(words));

    if (at)
        *rest = ps_str_skip(line, (size_t)(at - line.ptr) + strlen(words));
    return at;
}

/* Whether a number is whole: version 2 prints all with a fraction, and the end of a line may have
 * been cut. */
static bool has_fraction(struct ps_str number)
{
    return number.len && memchr(number.ptr, '.', number.len);
}

/* Reads a number and its unit, "21.2 ms", "4.0 MiB", in seconds, bytes or counts, and removes both
 * from *rest. `unit`: the unit that the line states before its numbers, which have none then; NULL:
 * it states none. Counts below 1000 have no unit. */
static bool parse_printed(struct ps_str *rest, const struct unit *unit, enum measure measure,
                          struct ps_printed_number *out)
{
    struct ps_str at = *rest, number, behind;

    ps_printed_skip_blanks(&at);
    number = (struct ps_str){at.ptr, ps_printed_number_len(at)};
    at = behind = ps_str_skip(at, number.len);
    ps_printed_skip_blanks(&behind);
    if (unit && !has_fraction(number))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units && !unit; i++) {
        struct ps_str end = behind;

        if (units[i].measure != measure || !ps_printed_word_consume(&end, units[i].name) ||
            !ends_word(end))
            continue;
        unit = &units[i];
        at = end;
    }
    if (!unit && measure == COUNT && has_fraction(number))
        unit = find_unit(PS_STR("count"), COUNT);
    if (!unit || !ends_word(at) || !parse_number_in(number, unit, out))
        return false;
    *rest = at;
    return true;
}

static bool skip_word(struct ps_str *rest, const char *word)
{
    struct ps_str at = *rest;

    ps_printed_skip_blanks(&at);
    if (!ps_printed_word_consume(&at, word))
        return false;
    ps_printed_skip_blanks(&at);
    *rest = at;
    return true;
}

/* Removes " ± " (skip_to: " … ") and the spaces around it from the start of *rest. False: not
 * found; *rest is unchanged. */
static bool skip_plus_minus(struct ps_str *rest)
{
    return skip_word(rest, PLUS_MINUS);
}

static bool skip_to(struct ps_str *rest)
{
    return skip_word(rest, TO);
}

static bool parse_figure(struct ps_str *rest, const struct unit *unit, struct result *out,
                         enum part part, enum figure which)
{
    struct ps_printed_number value;

    if (!parse_printed(rest, unit, measure_of(part), &value))
        return false;
    set_figure(out, part, which, value);
    return true;
}

static bool parse_range_part(struct ps_str *rest, struct result *out, enum part part,
                             enum figure which)
{
    return parse_figure(rest, NULL, out, part, which);
}

/* --- Lines of the text output --- */

static bool parse_count(struct ps_str *rest, int64_t *out)
{
    size_t n = 0;

    while (n < rest->len && rest->ptr[n] >= '0' && rest->ptr[n] <= '9')
        n++;
    if (!n || !ps_str_parse_i64((struct ps_str){rest->ptr, n}, out))
        return false;
    *rest = ps_str_skip(*rest, n);
    return true;
}

/* Version 2 prints the number of runs after the command: " (10 runs)", " (1 run)". Removes it from
 * *command and returns it; 0: not found. */
static int64_t remove_run_count(struct ps_str *command)
{
    size_t at = command->len;
    struct ps_str rest;
    int64_t runs;

    while (at && command->ptr[at - 1] != '(')
        at--;
    rest = ps_str_skip(*command, at);
    if (at < 2 || command->ptr[at - 2] != ' ' || !parse_count(&rest, &runs) ||
        (!ps_str_eq_c(rest, " runs)") && !ps_str_eq_c(rest, " run)")))
        return 0;
    command->len = at - 2;
    return runs;
}

/* Parses "Benchmark 2: sleep 1", "Benchmark #2: sleep 1", "Benchmark 2: sleep 1 (10 runs)". */
static bool read_command(struct ps_str line, struct ps_str *command, int64_t *runs)
{
    const char *at = ps_str_find(line, PS_STR("Benchmark "));
    struct ps_str rest;
    int64_t number;

    if (!at || (at > line.ptr && at[-1] != ' ' && at[-1] != '\t'))
        return false;
    rest = ps_str_skip(line, (size_t)(at - line.ptr) + strlen("Benchmark "));
    (void)ps_printed_word_consume(&rest, "#");
    if (!parse_count(&rest, &number) || !ps_printed_word_consume(&rest, ": "))
        return false;
    while (rest.len && strchr(" \t\r", rest.ptr[rest.len - 1]))
        rest.len--;
    *command = rest;
    *runs = remove_run_count(command);
    return command->len > 0;
}

/* Parses "[User: 1.0 ms, System: 0.2 ms]". */
static bool parse_cpu(struct ps_str *rest, struct result *out)
{
    ps_printed_skip_blanks(rest);
    return ps_printed_word_consume(rest, "[User: ") && parse_range_part(rest, out, USER, MEAN) &&
           ps_printed_word_consume(rest, ", System: ") &&
           parse_range_part(rest, out, SYSTEM, MEAN) && ps_printed_word_consume(rest, "]");
}

static bool parse_time(struct ps_str rest, bool spread, struct result *out)
{
    if (!parse_range_part(&rest, out, WALL, MEAN))
        return false;
    if (spread && (!skip_plus_minus(&rest) || !parse_range_part(&rest, out, WALL, STDDEV)))
        return false;
    if (!spread)
        out->runs = 1;
    return parse_cpu(&rest, out);
}

/* Parses "21.1 ms … 21.3 ms    10 runs"; the first versions do not print the number of runs. */
static bool parse_range(struct ps_str rest, struct result *out)
{
    int64_t runs;

    if (!parse_range_part(&rest, out, WALL, MIN) || !skip_to(&rest) ||
        !parse_range_part(&rest, out, WALL, MAX))
        return false;
    ps_printed_skip_blanks(&rest);
    if (!parse_count(&rest, &runs))
        return rest.len == 0;
    out->runs = runs;
    return ps_printed_word_consume(&rest, " run");
}

/* Parses the values of version 2: "21.0 ms  ± 0.1 ms   20.9 ms … 21.1 ms", or one value for one
 * run. A comparison with other commands may follow. In narrow terminals the label ends in the unit:
 * " [ms]   21.0 ± 0.1   20.9 … 21.1". */
static bool parse_part(struct ps_str rest, enum part part, struct result *out)
{
    const struct unit *unit = NULL;
    const char *close = rest.len ? memchr(rest.ptr, ']', rest.len) : NULL;

    if (close && ps_printed_word_consume(&rest, "[")) {
        unit = find_unit((struct ps_str){rest.ptr, (size_t)(close - rest.ptr)}, measure_of(part));
        rest = ps_str_skip(rest, (size_t)(close - rest.ptr) + 1);
        if (!unit)
            return false;
    }
    if (!parse_figure(&rest, unit, out, part, MEAN))
        return false;
    if (!skip_plus_minus(&rest))
        return out->runs == 1; /* else the line was cut */
    return parse_figure(&rest, unit, out, part, STDDEV) &&
           parse_figure(&rest, unit, out, part, MIN) && skip_to(&rest) &&
           parse_figure(&rest, unit, out, part, MAX);
}

/* The metrics of version 2: in titles of CSV, and in labels and titles for readers. */
static const struct {
    const char *csv, *shown;
    enum part part;
} metrics[] = {
    {"time_wall_clock_", "Wall Time", WALL},
    {"time_cpu_", "CPU time", CPU},
    {"time_user_", "User time", USER},
    {"time_system_", "System time", SYSTEM},
    {"memory_peak_resident_", "Memory", MEMORY},
    {"cpu_cycles_", "CPU cycles", CYCLES},
    {"instructions_", "Instructions", INSTRUCTIONS},
    {"cache_references_", "Cache references", CACHE_REFERENCES},
    {"cache_misses_", "Cache misses", CACHE_MISSES},
    {"branch_misses_", "Branch misses", BRANCH_MISSES},
};
#define N_METRICS (sizeof metrics / sizeof *metrics)

/* Finds a label of version 2 after two spaces; sets *rest to the text behind it. */
static bool find_label(struct ps_str line, struct ps_str *rest, enum part *part)
{
    for (size_t i = 0; i < N_METRICS; i++) {
        char label[32];

        (void)snprintf(label, sizeof label, "  %s ", metrics[i].shown);
        *part = metrics[i].part;
        if (skip_past(line, label, rest))
            return true;
    }
    return false;
}

/* Whether the line has the first values of a result. */
static bool begins_result(struct ps_str line)
{
    struct ps_str rest;

    return skip_past(line, MEAN_AND_SIGMA, &rest) || skip_past(line, ABSOLUTE, &rest);
}

/* Parses the values of a line of terminal output. Returns LINE_INVALID if the label is known, but
 * the values cannot be parsed. */
static enum line_kind read_line(struct ps_str line, struct result *out)
{
    struct result read = *out;
    struct ps_str rest;
    bool good = false, known = true;
    enum part part;

    if (skip_past(line, MEAN_AND_SIGMA, &rest)) {
        good = parse_time(rest, true, &read);
    } else if (skip_past(line, ABSOLUTE, &rest)) {
        good = parse_time(rest, false, &read);
    } else if (skip_past(line, RANGE_LABEL, &rest)) {
        good = parse_range(rest, &read);
    } else {
        known = find_label(line, &rest, &part);
        good = known && parse_part(rest, part, &read);
    }
    if (good)
        *out = read;
    return good ? LINE_VALID : known ? LINE_INVALID : LINE_OTHER;
}

enum { CELL_BYTES_MAX = 64 * 1024 };

/* --- Cells --- */

static struct ps_str trim_spaces(struct ps_str text)
{
    ps_printed_skip_blanks(&text);
    return ps_report_trim_end(text);
}

/* Reads a quoted cell, in which quotes are doubled. *rest begins after the opening quote. */
static bool parse_quoted(struct ps_str *rest, struct ps_arena *arena, struct ps_str *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    while (rest->len && text.len < CELL_BYTES_MAX) {
        if (rest->ptr[0] != '"') {
            ps_buf_add(&text, rest->ptr, 1);
        } else if (rest->len > 1 && rest->ptr[1] == '"') {
            ps_buf_puts(&text, "\"");
            *rest = ps_str_skip(*rest, 1);
        } else {
            *rest = ps_str_skip(*rest, 1);
            *out = ps_arena_copy(arena, ps_buf_slice(&text));
            return rest->len == 0 || rest->ptr[0] == ',';
        }
        *rest = ps_str_skip(*rest, 1);
    }
    return false;
}

static bool csv_cells(struct ps_str line, struct ps_arena *arena, struct ps_str *cells, size_t *n)
{
    for (*n = 0; *n < COLUMNS;) {
        const char *end;

        if (line.len && line.ptr[0] == '"') {
            line = ps_str_skip(line, 1);
            if (!parse_quoted(&line, arena, &cells[(*n)++]))
                return false;
        } else {
            end = line.len ? memchr(line.ptr, ',', line.len) : NULL;
            cells[*n] = (struct ps_str){line.ptr, end ? (size_t)(end - line.ptr) : line.len};
            line = ps_str_skip(line, cells[(*n)++].len);
        }
        if (line.len == 0)
            return true;
        line = ps_str_skip(line, 1);
    }
    return false;
}

/* Splits "| `a \| b` | 21.2 ± 0.1 |" into cells; bars in a cell are escaped. */
static bool markdown_cells(struct ps_str line, struct ps_str *cells, size_t *n)
{
    line = ps_report_trim_end(line);
    if (line.len < 2 || line.ptr[0] != '|' || line.ptr[line.len - 1] != '|')
        return false;
    line = ps_str_skip(line, 1);
    for (*n = 0; line.len && *n < COLUMNS;) {
        size_t end = 0;

        while (end < line.len && (line.ptr[end] != '|' || (end && line.ptr[end - 1] == '\\')))
            end++;
        cells[(*n)++] = trim_spaces((struct ps_str){line.ptr, end});
        line = ps_str_skip(line, end + 1);
    }
    return line.len == 0;
}

/* Returns the command of a Markdown cell as it was run: without backticks, with bars unescaped. */
static struct ps_str unescape_command(struct ps_str cell, struct ps_arena *arena)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (cell.len > 1 && cell.ptr[0] == '`' && cell.ptr[cell.len - 1] == '`')
        cell = (struct ps_str){cell.ptr + 1, cell.len - 2};
    for (size_t i = 0; i < cell.len; i++)
        if (cell.ptr[i] != '\\' || i + 1 == cell.len || cell.ptr[i + 1] != '|')
            ps_buf_add(&text, cell.ptr + i, 1);
    return ps_arena_copy(arena, ps_buf_slice(&text));
}

/* --- Headers --- */

static const struct {
    const char *name;
    enum figure figure;
} figures[] = {
    {"mean", MEAN}, {"stddev", STDDEV}, {"median", MEDIAN}, {"min", MIN}, {"max", MAX},
};

static bool find_figure(struct ps_str name, enum figure *out)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (ps_str_eq_c(name, figures[i].name)) {
            *out = figures[i].figure;
            return true;
        }
    return false;
}

/* Sets column i from a CSV title: "mean", "user", "time_wall_clock_mean", "parameter_n". */
static void csv_column(struct ps_str name, struct ps_arena *arena, struct columns *out, size_t i)
{
    struct ps_str rest = name;
    enum part part = WALL;
    enum figure figure = MEAN;
    bool value;

    for (size_t k = 0; k < N_METRICS; k++)
        if (ps_printed_word_consume(&rest, metrics[k].csv))
            part = metrics[k].part;
    value = find_figure(rest, &figure);
    if (ps_str_eq_c(name, "user") || ps_str_eq_c(name, "system")) {
        part = name.ptr[0] == 'u' ? USER : SYSTEM;
        value = true;
    }
    out->items[i].kind = value                                              ? VALUE
                         : rest.len < name.len && ps_str_eq_c(rest, "unit") ? UNIT
                                                                            : IGNORED;
    if (ps_str_eq_c(name, "command"))
        out->items[i].kind = COMMAND;
    if (ps_printed_word_consume(&name, "parameter_")) {
        out->items[i].kind = PARAMETER;
        out->items[i].text = ps_arena_copy(arena, name);
    }
    out->items[i].part = part;
    out->items[i].figure = figure;
}

/* Sets column i from a Markdown title: "Mean [ms]", "Mean Wall Time [ms]", "Min…Max [ms]",
 * "Relative". */
static void markdown_column(struct ps_str title, struct ps_arena *arena, struct columns *out,
                            size_t i)
{
    static const struct {
        const char *word;
        enum column_kind kind;
        enum figure figure;
    } words[] = {
        {"Min\xe2\x80\xa6Max", RANGE, MIN},
        {"Mean", VALUE, MEAN},
        {"Median", VALUE, MEDIAN},
        {"Min", VALUE, MIN},
        {"Max", VALUE, MAX},
        {"Command", COMMAND, MEAN},
    };
    const char *open = title.len ? memchr(title.ptr, '[', title.len) : NULL;

    out->items[i].kind = IGNORED;
    out->items[i].part = WALL;
    for (size_t k = 0; k < N_METRICS; k++)
        if (ps_str_find(title, ps_str_from_c(metrics[k].shown)))
            out->items[i].part = metrics[k].part;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (!ps_str_starts_with(title, ps_str_from_c(words[k].word)))
            continue;
        if (words[k].kind != COMMAND && (!open || title.ptr[title.len - 1] != ']'))
            continue;
        out->items[i].kind = words[k].kind;
        out->items[i].figure = words[k].figure;
        break;
    }
    if (open && title.ptr[title.len - 1] == ']')
        out->items[i].text = ps_arena_copy(
            arena, (struct ps_str){open + 1, (size_t)(title.ptr + title.len - open) - 2});
}

/* Finds the header of a CSV or Markdown table in a text, in a line of any prefix. NULL: none. */
static const char *find_header(struct ps_str text, bool *markdown)
{
    static const char *const markdown_starts[] = {"| Command | Mean [", "| Command | Mean "};
    const char *at = ps_str_find(text, PS_STR("command,mean,"));
    char start[64];

    *markdown = false;
    for (size_t i = 0; i < N_METRICS && !at; i++) {
        (void)snprintf(start, sizeof start, "command,%s", metrics[i].csv);
        at = ps_str_find(text, ps_str_from_c(start));
    }
    if (at)
        return at;
    *markdown = true;
    at = ps_str_find(text, ps_str_from_c(markdown_starts[0]));
    for (size_t i = 0; i < N_METRICS && !at; i++) {
        (void)snprintf(start, sizeof start, "%s%s [", markdown_starts[1], metrics[i].shown);
        at = ps_str_find(text, ps_str_from_c(start));
    }
    return at;
}

/* Parses the header of a CSV or Markdown table. */
static bool read_header(struct ps_str line, struct ps_arena *arena, struct columns *out)
{
    struct ps_str cells[COLUMNS];
    bool markdown;
    const char *at = find_header(line, &markdown);

    *out = (struct columns){.markdown = markdown};
    if (!at)
        return false;
    out->indent = (size_t)(at - line.ptr);
    line = ps_report_trim_end(ps_str_skip(line, out->indent));
    if (out->markdown ? !markdown_cells(line, cells, &out->n)
                      : !csv_cells(line, arena, cells, &out->n))
        return false;
    for (size_t i = 0; i < out->n; i++)
        (out->markdown ? markdown_column : csv_column)(cells[i], arena, out, i);
    return true;
}

/* --- Rows --- */

/* Parses a value with all its digits. `unit`: NULL: seconds, bytes or counts. */
static bool csv_value(struct ps_str cell, const struct unit *unit, struct ps_printed_number *out)
{
    struct ps_num number;

    if (unit && (unit->shift || unit->factor != 1) && parse_number_in(cell, unit, out)) {
        out->resolution = 0;
        return true;
    }
    if (!ps_report_parse_number(cell, &number))
        return false;
    *out = (struct ps_printed_number){ps_num_to_real(number), 0};
    return !unit || (unit->shift == 0 && unit->factor == 1);
}

/* Parses a value: "21.2 ± 0.1", "21.1…21.3", "21.2". */
static bool markdown_value(const struct columns *columns, size_t i, struct ps_str cell,
                           struct result *out)
{
    bool range = columns->items[i].kind == RANGE;
    enum part part = columns->items[i].part;
    enum figure second = range ? MAX : STDDEV;
    struct ps_printed_number value;

    if (!parse_printed_in(&cell, columns->items[i].text, measure_of(part), &value))
        return false;
    set_figure(out, part, range ? MIN : columns->items[i].figure, value);
    if (cell.len == 0)
        return true;
    if (!(range ? skip_to(&cell) : skip_plus_minus(&cell)) ||
        !parse_printed_in(&cell, columns->items[i].text, measure_of(part), &value) || cell.len)
        return false;
    set_figure(out, part, second, value);
    return true;
}

static bool parse_value(const struct columns *columns, size_t i, struct ps_str cell,
                        const struct unit *unit, struct result *out)
{
    struct ps_printed_number value;

    if (cell.len == 0)
        return true;
    if (columns->markdown)
        return markdown_value(columns, i, cell, out);
    if (!csv_value(cell, unit, &value))
        return false;
    set_figure(out, columns->items[i].part, columns->items[i].figure, value);
    return true;
}

static bool is_rule(struct ps_str line)
{
    for (size_t i = 0; i < line.len; i++)
        if (!strchr("|:- ", line.ptr[i]))
            return false;
    return line.len > 0;
}

/* Parses a row: its command, and the cells of its parameters in `parameter` (COLUMNS elements, by
 * column; empty: no parameter), all in the arena. Returns LINE_OTHER if the table has ended. For
 * the rule below a Markdown header it returns LINE_VALID and an empty command. */
static enum line_kind read_row(const struct columns *columns, struct ps_str line,
                               struct ps_arena *arena, struct result *out, struct ps_str *command,
                               struct ps_str *parameter)
{
    struct ps_str cells[COLUMNS];
    const struct unit *unit_of[PARTS] = {NULL};
    size_t n = 0;

    *command = PS_STR("");
    line = ps_report_trim_end(ps_report_without_prefix(line, columns->indent));
    if (line.len == 0 || (columns->markdown && line.ptr[0] != '|') ||
        (!columns->markdown && !memchr(line.ptr, ',', line.len)))
        return LINE_OTHER;
    if (columns->markdown && is_rule(line))
        return LINE_VALID;
    if (columns->markdown ? !markdown_cells(line, cells, &n) : !csv_cells(line, arena, cells, &n))
        return LINE_INVALID;
    if (n != columns->n)
        return LINE_INVALID;
    for (size_t i = 0; i < n; i++) {
        enum column_kind kind = columns->items[i].kind;
        enum part part = columns->items[i].part;

        parameter[i] = PS_STR("");
        if (kind == COMMAND)
            *command = columns->markdown ? unescape_command(cells[i], arena)
                                         : ps_arena_copy(arena, cells[i]);
        else if (kind == PARAMETER)
            parameter[i] = ps_arena_copy(arena, cells[i]);
        else if (kind == UNIT) /* before the values; empty if the metric is unavailable */
            unit_of[part] = find_unit(cells[i], measure_of(part));
        else if (kind != IGNORED && !parse_value(columns, i, cells[i], unit_of[part], out))
            return LINE_INVALID;
    }
    return command->len && out->has_any ? LINE_VALID : LINE_INVALID;
}

enum {
    RESULTS_MAX = 1000 * 1000,
    NAME_BYTES_MAX = 4096,
    NOTES_MAX = 50,
};

static const struct {
    const char *group, *unit;
} part_units[PARTS] = {
    [WALL] = {"wall clock", "s"},
    [CPU] = {"CPU time", "s"},
    [USER] = {"user", "s"},
    [SYSTEM] = {"system", "s"},
    [MEMORY] = {"peak memory", "B"},
    [CYCLES] = {"CPU cycles", ""},
    [INSTRUCTIONS] = {"instructions", ""},
    [CACHE_REFERENCES] = {"cache references", ""},
    [CACHE_MISSES] = {"cache misses", ""},
    [BRANCH_MISSES] = {"branch misses", ""},
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_report_reader in;
    struct ps_buf command; /* command of the current benchmark */
    /* the "Benchmark" line of `command` was read, and no other benchmark has begun since */
    bool open;
    struct result result;
    struct columns columns; /* columns of the current table; n 0: no table is open */
    bool has_primary;
    enum part primary; /* the metric that the tool reports first; valid if has_primary */
    uint64_t results, stored, rejected, unfinished, unnamed, rounded;
};

static void fill_figure(struct ps_num *figure, const struct result *result, enum part part,
                        enum figure which)
{
    if (result->has_figure[part][which])
        *figure = ps_real(result->figure[part][which].value);
}

/* The largest resolution among the values of the metric. */
static double resolution_of(const struct result *result, enum part part)
{
    double most = 0;

    for (int which = 0; which < FIGURES; which++)
        if (result->has_figure[part][which] && result->figure[part][which].resolution > most)
            most = result->figure[part][which].resolution;
    return most;
}

static void write_part(struct reader *r, const struct result *result, enum part part,
                       struct ps_str command)
{
    bool spread = result->has_figure[part][STDDEV];
    struct ps_measurement row = {
        .name = ps_truncate_text(command, NAME_BYTES_MAX),
        .group = ps_str_from_c(part_units[part].group),
        .metric = ps_str_from_c(part_units[part].group),
        .is_part = part != r->primary,
        .better = PS_BETTER_LOWER,
        .unit = part_units[part].unit,
        .statistic = "mean",
        .loops = ps_int(1),
        .resolution = resolution_of(result, part),
    };

    fill_figure(&row.mean, result, part, MEAN);
    fill_figure(&row.stddev, result, part, STDDEV);
    fill_figure(&row.median, result, part, MEDIAN);
    fill_figure(&row.min, result, part, MIN);
    fill_figure(&row.max, result, part, MAX);
    if (result->runs && (spread || part == r->primary || part == MEMORY))
        row.n = ps_int(result->runs);
    row.value = row.mean;
    r->rounded += row.resolution > 0;
    ps_measurement_write(&r->builder, &row, part == r->primary ? "mean" : NULL);
}

static void write_result(struct reader *r, const struct result *result, struct ps_str command,
                         const struct ps_str *parameter)
{
    if (!r->has_primary)
        r->primary = result->first;
    r->has_primary = true;
    for (int turn = 0; turn <= PARTS; turn++) { /* the primary metric first */
        enum part part = turn ? (enum part)(turn - 1) : r->primary;
        bool any = false;

        for (int which = 0; which < FIGURES; which++)
            any |= result->has_figure[part][which];
        if (!any || (turn && part == r->primary))
            continue;
        for (size_t i = 0; parameter && i < r->columns.n; i++)
            if (r->columns.items[i].kind == PARAMETER)
                ps_measurement_add_parameter(&r->builder, r->columns.items[i].text, PS_NO_NUM,
                                             parameter[i]);
        write_part(r, result, part, command);
    }
    r->results++;
}

/* Ends the benchmark of terminal output and writes its result, if it has values. */
static void end_benchmark(struct reader *r)
{
    if (r->open && r->result.has_any)
        write_result(r, &r->result, ps_buf_slice(&r->command), NULL);
    else
        r->unfinished += r->open;
    r->open = false;
    r->result = (struct result){.runs = 0};
}

static void reject_line(struct reader *r, const char *why)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number, "%s",
                     why);
}

/* Handles a line while a table is open. False: the table has ended before this line. */
static bool parse_row(struct reader *r, struct ps_str text)
{
    struct ps_str command, parameter[COLUMNS];
    struct result result = {.runs = 0};
    enum line_kind what =
        read_row(&r->columns, text, &r->builder.arena, &result, &command, parameter);

    if (what == LINE_OTHER) {
        r->columns.n = 0;
        return false;
    }
    if (what == LINE_INVALID) {
        reject_line(r, "this line inside a table is not a table row");
        return true;
    }
    r->stored++;
    if (command.len)
        write_result(r, &result, command, parameter);
    return true;
}

/* Begins a benchmark whose "Benchmark" line is missing. */
static void begin_unnamed(struct reader *r)
{
    r->open = true;
    r->unnamed++;
    r->command.len = 0;
    ps_buf_printf(&r->command, "command %llu", (unsigned long long)r->results + 1);
}

static void parse_terminal(struct reader *r, struct ps_str text)
{
    struct ps_str command;
    enum line_kind what;
    const char *warning;
    int64_t runs = 0;

    if (read_command(text, &command, &runs)) {
        end_benchmark(r);
        r->open = true;
        r->command.len = 0;
        ps_buf_add_str(&r->command, ps_truncate_text(command, NAME_BYTES_MAX));
        r->result.runs = runs;
        r->stored++;
        return;
    }
    if (begins_result(text) && (!r->open || r->result.has_figure[WALL][MEAN])) {
        end_benchmark(r);
        begin_unnamed(r);
    }
    if (!r->open)
        return;
    what = read_line(text, &r->result);
    r->stored += what == LINE_VALID;
    if (what == LINE_INVALID)
        reject_line(r, "the values in this line cannot be read");
    warning = what == LINE_OTHER ? ps_str_find(text, PS_STR("  Warning: ")) : NULL;
    if (warning) {
        struct ps_str said = ps_str_skip(text, (size_t)(warning - text.ptr) + 11);

        ps_sink_note(r->builder.out, PS_NOTE_WARNING, r->in.line.offset, r->in.line.number,
                     "warning from hyperfine: %.*s", (int)ps_truncate_text(said, 200).len,
                     said.ptr);
    }
}

static void parse_line(struct reader *r)
{
    struct ps_str text = ps_report_visible_text(r->in.line.text);

    if (r->columns.n && parse_row(r, text))
        return;
    if (read_header(text, &r->builder.arena, &r->columns))
        r->stored++;
    else
        parse_terminal(r, text);
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        parse_line(r);
        if (r->results > RESULTS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the file has more than %d results",
                              RESULTS_MAX);
        if (ps_report_check(&r->in, r->builder.out, r->results, err) != PS_OK)
            return PS_CANCELLED;
    }
    end_benchmark(r);
    return ps_stream_status(r->in.in, err);
}

static void write_all(struct reader *r)
{
    ps_sink_meta(r->builder.out, "tool", PS_STR("hyperfine"));
    ps_sink_count(r->builder.out, PS_NOTE_WARNING, r->unfinished,
                  "benchmarks that started but have no results");
    ps_sink_count(r->builder.out, PS_NOTE_WARNING, r->unnamed,
                  "benchmarks without a command: the line that begins with `Benchmark` is missing");
    if (r->rounded)
        ps_sink_note(r->builder.out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "printed values are rounded, and single runs are missing; add the file of "
                     "`--export-json` for both");
    ps_measurement_write_headline(&r->builder);
    ps_report_write_ledger(&r->in, r->builder.out, r->stored, 0, r->rejected);
}

static enum ps_match sniff(struct ps_str head)
{
    static const char *const words[] = {MEAN_AND_SIGMA, ABSOLUTE, RANGE_LABEL};
    struct ps_str rest;
    enum part part;
    bool markdown;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ps_str_find(head, ps_str_from_c(words[i])))
            return PS_MATCH_SURE;
    if (find_header(head, &markdown))
        return PS_MATCH_SURE;
    return find_label(head, &rest, &part) && ps_str_find(head, PS_STR("Benchmark 1: ")) &&
                   (ps_str_find(head, PS_STR(" runs)")) || ps_str_find(head, PS_STR(" (1 run)")))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

/* Whether the header is complete only in the unwrapped text. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return sniff(head) == PS_MATCH_NO && sniff(unwrapped) != PS_MATCH_NO;
}

/* Whether the line is a header; a Markdown header must also end in a bar. */
static bool is_header(struct ps_str line)
{
    line = ps_report_trim_end(line);
    return sniff(line) != PS_MATCH_NO &&
           (!ps_str_find(line, PS_STR("| Command")) || line.ptr[line.len - 1] == '|');
}

/* Whether the unwrapped text has more header lines. */
static bool is_cut(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count_lines(unwrapped, is_header) > ps_report_count_lines(head, is_header);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .in = {.in = in}};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, NULL, NULL);
    ps_report_warn_wrapped(&r.in, out, is_cut);
    status = read_log(&r, err);

    if (status == PS_OK && r.results == 0) {
        status = ps_fail(err, PS_BAD_INPUT,
                         "the text contains no hyperfine result" PS_HINT
                         "the text was truncated or changed; measure again with `hyperfine "
                         "--export-json result.json 'app'`");
    } else if (status == PS_OK) {
        write_all(&r);
    }
    ps_report_free(&r.in);
    ps_buf_free(&r.command);
    ps_measurement_builder_free(&r.builder);
    return status;
}

const struct ps_importer ps_hyperfine_text = {
    .kind = "hyperfine",
    .label = "Printed hyperfine report",
    .description =
        "wall clock, user and system time and peak memory of commands, as hyperfine prints "
        "them or writes them as CSV or Markdown, in any log (rounded)",
    .record_command = "hyperfine --export-markdown result.md 'app'",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
