/* SPDX-License-Identifier: MIT */
/*
 * timeit.c: reads the output of `python -m timeit` and of IPython's %timeit and %time, anywhere in
 * a log.
 *
 * timeit prints the best of several repeats; %timeit and PyPy's timeit print their mean. The
 * measurement has the printed value, and `statistic` names its kind. With -v the times of the
 * repeats precede the value. Tested: Python 2.7 to 3.15, PyPy 3.9, IPython 5 to 9.
 */
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/timeit_text.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

/* --- Lines --- */

enum { STARTS_MAX = 64 }; /* maximum number of positions in a line at which a result may begin */

static const struct {
    const char *word;
    int shift;
} units[] = {
    {"nsec", -9},      {"usec", -6},         {"msec", -3}, {"sec", 0},
    {"ns", -9},        {"microseconds", -6}, {"us", -6},   {"\xc2\xb5s", -6},
    {"\xce\xbcs", -6}, {"ms", -3},           {"s", 0},
};

static const struct {
    const char *word;
    double seconds;
} long_units[] = {{"min", 60}, {"h", 3600}, {"d", 86400}};

static bool is_letter(struct ps_str rest)
{
    return rest.len && (((rest.ptr[0] | 32) >= 'a' && (rest.ptr[0] | 32) <= 'z') ||
                        (unsigned char)rest.ptr[0] >= 0x80);
}

static bool parse_unit(struct ps_str *rest, int *shift)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct ps_str behind = *rest;

        if (!ps_printed_word_consume(&behind, units[i].word) || is_letter(behind))
            continue;
        *shift = units[i].shift;
        *rest = behind;
        return true;
    }
    return false;
}

static bool parse_long_unit(struct ps_str *rest, double *seconds)
{
    for (size_t i = 0; i < sizeof long_units / sizeof *long_units; i++) {
        struct ps_str behind = *rest;

        if (!ps_printed_word_consume(&behind, long_units[i].word) || is_letter(behind))
            continue;
        *seconds = long_units[i].seconds;
        *rest = behind;
        return true;
    }
    return false;
}

static struct ps_str parse_digits(struct ps_str *rest)
{
    struct ps_str number = {rest->ptr, ps_printed_number_len(*rest)};

    *rest = ps_str_skip(*rest, number.len);
    ps_printed_skip_blanks(rest);
    return number;
}

bool ps_timeit_consume_time(struct ps_str *rest, struct ps_printed_number *out)
{
    struct ps_str at = *rest;
    struct ps_printed_number part;
    double before = 0, factor;
    bool any = false;
    int shift;

    for (int i = 0; i < 4; i++) {
        struct ps_str start = at, number = parse_digits(&at);

        if (parse_unit(&at, &shift)) {
            if (!ps_printed_number_parse(number, shift, out))
                return false;
            if (any) /* "1min 2s" */
                out->value += before;
            *rest = at;
            return true;
        }
        if (!parse_long_unit(&at, &factor) || !ps_printed_number_parse(number, 0, &part)) {
            at = start;
            break;
        }
        before += part.value * factor;
        any = true;
        *rest = at;
        *out = (struct ps_printed_number){before, factor};
        ps_printed_skip_blanks(&at);
    }
    return any;
}

/* Reads "1,000,000 loops": digits with commas between them, as IPython writes them. */
static bool parse_count(struct ps_str *rest, int64_t *out)
{
    struct ps_str at = *rest;
    int64_t value = 0;
    size_t n = 0;

    while (at.len && ((at.ptr[0] >= '0' && at.ptr[0] <= '9') || (n && at.ptr[0] == ','))) {
        if (at.ptr[0] != ',' && ++n > 18)
            return false;
        value = at.ptr[0] == ',' ? value : value * 10 + (at.ptr[0] - '0');
        at = ps_str_skip(at, 1);
    }
    if (n == 0)
        return false;
    *out = value;
    *rest = at;
    return true;
}

static bool skip_plus_minus(struct ps_str *rest)
{
    return ps_printed_word_consume(rest, " \xc2\xb1 ") || ps_printed_word_consume(rest, " +- ");
}

/* --- Results --- */

static bool parse_best(struct ps_str rest, struct ps_loops *out)
{
    out->kind = PS_LOOPS_BEST;
    return parse_count(&rest, &out->n_loops) &&
           (ps_printed_word_consume(&rest, " loops, best of ") ||
            ps_printed_word_consume(&rest, " loop, best of ")) &&
           parse_count(&rest, &out->n_repeats) && ps_printed_word_consume(&rest, ": ") &&
           ps_timeit_consume_time(&rest, &out->value) &&
           ps_printed_word_consume(&rest, " per loop");
}

/* Parses PyPy's result, in which the unit of both numbers follows the second number. */
static bool parse_average(struct ps_str rest, struct ps_loops *out)
{
    struct ps_str value, stddev;
    int shift;

    out->kind = PS_LOOPS_AVERAGE;
    if (!parse_count(&rest, &out->n_loops) ||
        !(ps_printed_word_consume(&rest, " loops, average of ") ||
          ps_printed_word_consume(&rest, " loop, average of ")) ||
        !parse_count(&rest, &out->n_repeats) || !ps_printed_word_consume(&rest, ": "))
        return false;
    value = (struct ps_str){rest.ptr, ps_printed_number_len(rest)};
    rest = ps_str_skip(rest, value.len);
    if (!skip_plus_minus(&rest))
        return false;
    stddev = parse_digits(&rest);
    return parse_unit(&rest, &shift) && ps_printed_word_consume(&rest, " per loop") &&
           ps_printed_number_parse(value, shift, &out->value) &&
           ps_printed_number_parse(stddev, shift, &out->stddev);
}

static bool parse_mean(struct ps_str rest, struct ps_loops *out)
{
    out->kind = PS_LOOPS_MEAN;
    return ps_timeit_consume_time(&rest, &out->value) && skip_plus_minus(&rest) &&
           ps_timeit_consume_time(&rest, &out->stddev) &&
           ps_printed_word_consume(&rest, " per loop (mean") && skip_plus_minus(&rest) &&
           ps_printed_word_consume(&rest, "std. dev. of ") && parse_count(&rest, &out->n_repeats) &&
           (ps_printed_word_consume(&rest, " runs, ") ||
            ps_printed_word_consume(&rest, " run, ")) &&
           parse_count(&rest, &out->n_loops) && ps_printed_word_consume(&rest, " loop");
}

/* Removes the text before the next number, where a result may begin after the prefix of a log
 * line. */
static bool next_number(struct ps_str *rest)
{
    bool inside = false;

    while (rest->len) {
        bool part = (rest->ptr[0] >= '0' && rest->ptr[0] <= '9') || rest->ptr[0] == '.' ||
                    rest->ptr[0] == ',';

        if (part && !inside && rest->ptr[0] >= '0' && rest->ptr[0] <= '9')
            return true;
        inside = part;
        *rest = ps_str_skip(*rest, 1);
    }
    return false;
}

bool ps_timeit_parse_loops(struct ps_str line, struct ps_loops *out)
{
    struct ps_str rest = line;

    if (!ps_str_find(line, PS_STR(" per loop")))
        return false;
    for (int i = 0; i < STARTS_MAX && next_number(&rest); i++) {
        if (parse_best(rest, out) || parse_average(rest, out) || parse_mean(rest, out))
            return out->n_loops > 0 && out->n_repeats > 0;
        rest = ps_str_skip(rest, ps_printed_number_len(rest));
    }
    return false;
}

/* --- Other lines --- */

static bool skip_past(struct ps_str line, const char *word, struct ps_str *rest)
{
    const char *at = ps_str_find(line, ps_str_from_c(word));

    if (at)
        *rest = ps_str_skip(line, (size_t)(at - line.ptr) + strlen(word));
    return at != NULL;
}

/* Sets *list to the text after "raw times: ". False: the line has no raw times. */
static bool read_raw_times(struct ps_str line, struct ps_str *list)
{
    return skip_past(line, "raw times: ", list);
}

bool ps_timeit_next_raw(struct ps_str *list, struct ps_printed_number *out)
{
    struct ps_str at, number;

    while (list->len && (list->ptr[0] == ' ' || list->ptr[0] == ','))
        *list = ps_str_skip(*list, 1);
    at = *list;
    if (ps_timeit_consume_time(&at, out)) {
        *list = at;
        return true;
    }
    /* "2.6e-05 2.38e-05": seconds, separated by spaces */
    number = (struct ps_str){list->ptr, ps_printed_number_len(*list)};
    if (!ps_printed_number_parse(number, 0, out))
        return false;
    *list = ps_str_skip(*list, number.len);
    return list->len == 0 || list->ptr[0] == ' ';
}

static bool parse_part(struct ps_str line, const char *word, struct ps_printed_number *out)
{
    struct ps_str rest;

    return skip_past(line, word, &rest) && ps_timeit_consume_time(&rest, out);
}

static bool read_cpu_times(struct ps_str line, struct ps_cpu_times *out)
{
    struct ps_str rest;

    if (!skip_past(line, "CPU times: ", &rest))
        return false;
    out->has_user = parse_part(rest, "user ", &out->user);
    out->has_sys = parse_part(rest, "sys: ", &out->sys);
    out->has_total = parse_part(rest, "total: ", &out->total);
    return out->has_user || out->has_sys || out->has_total;
}

/* "Wall time: 10 µs" */
static bool read_wall_time(struct ps_str line, struct ps_printed_number *out)
{
    return parse_part(line, "Wall time: ", out);
}

bool ps_timeit_is_trial(struct ps_str line)
{
    struct ps_str rest = line;
    int64_t loops;

    return parse_count(&rest, &loops) && (ps_printed_word_consume(&rest, " loops -> ") ||
                                          ps_printed_word_consume(&rest, " loop -> "));
}

/* Sets *out to the statement after "%timeit ", "%time " or "-m timeit " in a line of user input. */
static bool read_statement(struct ps_str line, struct ps_str *out)
{
    return (skip_past(line, "%timeit ", out) || skip_past(line, "-m timeit ", out) ||
            skip_past(line, "%time ", out)) &&
           out->len > 0;
}

/* Matches warnings: "The slowest run took 8.21 times longer than the fastest", "likely
 * unreliable". */
static bool is_warning(struct ps_str line)
{
    return ps_str_find(line, PS_STR("slowest run took ")) ||
           ps_str_find(line, PS_STR("likely unreliable"));
}

/* --- Results in a log --- */

enum {
    METRICS_MAX = 1000 * 1000,
    RAW_MAX = 100 * 1000,
    NAME_BYTES_MAX = 400,
    STATEMENTS_BYTES_MAX = 64 * 1024,
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_report_reader in;
    /* the statements that the user entered before the results, a line each: a cell can have
     * several, whose results follow in their order; empty: not in the log */
    struct ps_buf statements;
    size_t statement; /* offset of the next one */
    bool has_result;  /* of one of them: the next statement begins another cell */
    double *raw;      /* seconds of all loops together, by repeat */
    size_t n_raw_times, raw_cap;
    struct ps_cpu_times cpu;
    bool has_cpu;
    uint64_t figures, timed, stored, rejected, trials;
};

static void add_statement(struct reader *r, struct ps_str line, struct ps_str statement)
{
    const bool is_new =
        ps_str_find(line, PS_STR("In [")) || ps_str_find(line, PS_STR("-m timeit "));

    if (is_new || r->has_result || r->statements.len > STATEMENTS_BYTES_MAX)
        r->statements.len = r->statement = 0;
    r->has_result = false;
    ps_buf_puts(&r->statements, r->statements.len ? "\n" : "");
    ps_buf_add_str(&r->statements, ps_truncate_text(ps_report_trim_end(statement), NAME_BYTES_MAX));
}

static struct ps_str next_statement(const struct reader *r)
{
    struct ps_str rest = ps_str_skip(ps_buf_slice(&r->statements), r->statement);
    const char *end = rest.len ? memchr(rest.ptr, '\n', rest.len) : NULL;

    rest.len = end ? (size_t)(end - rest.ptr) : rest.len;
    return rest;
}

static void drop_statement(struct reader *r)
{
    r->has_result = true;
    r->statement += next_statement(r).len + 1;
    if (r->statement > r->statements.len)
        r->statements.len = r->statement = 0;
}

/* Returns the statement; if it is unknown, `what` and the number of the result in the log. */
static struct ps_str name_of(struct reader *r, const char *what, uint64_t number)
{
    const struct ps_str statement = next_statement(r);

    if (statement.len)
        return ps_arena_copy(&r->builder.arena, statement);
    return ps_str_from_c(
        ps_arena_printf(&r->builder.arena, "%s %llu", what, (unsigned long long)number));
}

static const char *group_of(const struct ps_loops *loops)
{
    return loops->kind == PS_LOOPS_MEAN ? "%timeit" : "timeit";
}

static void parse_loops(struct reader *r, const struct ps_loops *loops)
{
    bool best = loops->kind == PS_LOOPS_BEST;
    struct ps_measurement row = {
        .name = name_of(r, group_of(loops), ++r->figures),
        .group = ps_str_from_c(group_of(loops)),
        .value = ps_real(loops->value.value),
        .unit = "s",
        .statistic = best ? "best" : "mean",
        .n = ps_int(loops->n_repeats),
        .resolution = loops->value.resolution,
    };

    if (best)
        row.min = row.value;
    else {
        row.mean = row.value;
        row.stddev = ps_real(loops->stddev.value);
    }
    for (size_t i = 0; i < r->n_raw_times; i++)
        ps_measurement_add_sample(&r->builder, r->raw[i] / (double)loops->n_loops);
    ps_measurement_compute_spread(&r->builder, &row);
    ps_measurement_add_number(&r->builder, "loops", ps_int(loops->n_loops));
    if (loops->kind == PS_LOOPS_MEAN)
        ps_measurement_add_text(&r->builder, "standard deviation",
                                PS_STR("of the runs themselves (n)"));
    ps_measurement_write(&r->builder, &row, row.statistic);
    r->stored++;
    r->n_raw_times = 0;
    drop_statement(r);
}

static void write_time(struct reader *r, const char *part, const struct ps_printed_number *figure)
{
    struct ps_measurement row = {
        .name = ps_str_from_c(part),
        .group = name_of(r, "%time", r->timed),
        .value = ps_real(figure->value),
        .unit = "s",
        .statistic = "single",
        .n = ps_int(1),
        .resolution = figure->resolution,
    };

    ps_measurement_write(&r->builder, &row, strcmp(part, "wall") == 0 ? "wall" : NULL);
}

/* Handles the wall time of %time: writes it and the CPU times that precede it. */
static void parse_wall(struct reader *r, const struct ps_printed_number *wall)
{
    r->timed++;
    write_time(r, "wall", wall);
    if (r->has_cpu && r->cpu.has_user)
        write_time(r, "user", &r->cpu.user);
    if (r->has_cpu && r->cpu.has_sys)
        write_time(r, "sys", &r->cpu.sys);
    if (r->has_cpu && r->cpu.has_total)
        write_time(r, "total", &r->cpu.total);
    r->has_cpu = false;
    r->stored++;
    drop_statement(r);
}

static void parse_raw(struct reader *r, struct ps_str list)
{
    struct ps_printed_number one;

    r->n_raw_times = 0;
    list = ps_report_trim_end(list);
    while (list.len && r->n_raw_times < RAW_MAX && ps_timeit_next_raw(&list, &one)) {
        PS_RESERVE_ONE(r->raw, r->n_raw_times, r->raw_cap);
        r->raw[r->n_raw_times++] = one.value;
    }
    if (list.len == 0) {
        r->stored++;
        return;
    }
    r->n_raw_times = 0;
    r->rejected++;
    ps_sink_note(r->builder.out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                 "these raw times cannot be read");
}

static void parse_line(struct reader *r)
{
    struct ps_str text = r->in.line.text, rest;
    struct ps_loops loops = {.n_loops = 0};
    struct ps_printed_number wall;

    if (ps_timeit_parse_loops(text, &loops)) {
        parse_loops(r, &loops);
    } else if (read_raw_times(text, &rest)) {
        parse_raw(r, rest);
    } else if (read_cpu_times(text, &r->cpu)) {
        r->has_cpu = true;
        r->stored++;
    } else if (read_wall_time(text, &wall)) {
        parse_wall(r, &wall);
    } else if (ps_timeit_is_trial(text)) {
        r->trials++;
    } else if (is_warning(text)) {
        ps_sink_note(r->builder.out, PS_NOTE_WARNING, r->in.line.offset, r->in.line.number,
                     "warning from timeit: %.*s", (int)ps_truncate_text(text, 200).len, text.ptr);
    } else if (read_statement(text, &rest)) {
        add_statement(r, text, rest);
    }
}

static bool is_figure(struct ps_str line)
{
    struct ps_loops loops = {.n_loops = 0};
    struct ps_cpu_times times;
    struct ps_printed_number wall;

    return ps_timeit_parse_loops(line, &loops) || read_cpu_times(line, &times) ||
           read_wall_time(line, &wall) || ps_timeit_is_trial(line);
}

/* Whether more lines have results in the unwrapped text. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count_lines(unwrapped, is_figure) > ps_report_count_lines(head, is_figure);
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        parse_line(r);
        if (r->figures + r->timed > METRICS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset,
                              "the log has more than %d timeit results", METRICS_MAX);
        if (ps_report_check(&r->in, r->builder.out, r->figures, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static void write_all(struct reader *r)
{
    ps_sink_meta(r->builder.out, "tool", PS_STR("timeit"));
    if (r->trials)
        ps_sink_note(r->builder.out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "lines from timeit's search for the number of loops: %llu",
                     (unsigned long long)r->trials);
    ps_measurement_write_headline(&r->builder);
    ps_report_write_ledger(&r->in, r->builder.out, r->stored, 0, r->rejected);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .in = {.in = in}};
    enum ps_status status;

    ps_report_warn_wrapped(&r.in, out, is_wrapped);
    status = read_log(&r, err);
    if (status == PS_OK && r.builder.n_written == 0) {
        status =
            ps_fail(err, PS_BAD_INPUT,
                    "the log contains no timeit result" PS_HINT
                    "the log was truncated; measure again with `python -m timeit -v STATEMENT > "
                    "timeit.txt`");
    } else if (status == PS_OK) {
        write_all(&r);
    }
    ps_report_free(&r.in);
    ps_buf_free(&r.statements);
    free(r.raw);
    ps_measurement_builder_free(&r.builder);
    return status;
}

/* Returns at most PS_MATCH_LIKELY, because logs of profilers may also contain such lines. */
static enum ps_match sniff(struct ps_str head)
{
    bool cpu = false;

    while (head.len) {
        const char *end = memchr(head.ptr, '\n', head.len);
        struct ps_str line = {head.ptr, end ? (size_t)(end - head.ptr) : head.len};
        struct ps_loops loops = {.n_loops = 0};
        struct ps_cpu_times times;
        struct ps_printed_number wall;

        head = ps_str_skip(head, line.len + 1);
        if (ps_timeit_parse_loops(line, &loops) || (cpu && read_wall_time(line, &wall)))
            return PS_MATCH_LIKELY;
        cpu = cpu || read_cpu_times(line, &times);
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_timeit = {
    .kind = "timeit",
    .label = "timeit results",
    .description =
        "best or mean time of a loop and its repeats, as timeit, %timeit and %time print them, "
        "in any log",
    .record_command = "python -m timeit -v 'f()' > timeit.txt",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
