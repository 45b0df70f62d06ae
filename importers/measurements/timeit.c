/* SPDX-License-Identifier: MIT */
/*
 * timeit.c: what `python -m timeit` and IPython's %timeit and %time print, anywhere in a log.
 *
 * timeit prints the best of several repeats, %timeit and PyPy's timeit their mean: the value is the
 * one printed, and `statistic` names it. With -v the times of the repeats precede it. Tested:
 * Python 2.7 to 3.15, PyPy 3.9, IPython 5 to 9.
 */
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/timeit_text.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

/* --- Lines --- */

enum { MOST_STARTS = 64 }; /* maximum number of positions in a line at which a result may begin */

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
    return rest.len && (((rest.at[0] | 32) >= 'a' && (rest.at[0] | 32) <= 'z') || rest.at[0] < 0);
}

static bool take_unit(struct ps_str *rest, int *shift)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct ps_str behind = *rest;

        if (!ps_printed_word(&behind, units[i].word) || is_letter(behind))
            continue;
        *shift = units[i].shift;
        *rest = behind;
        return true;
    }
    return false;
}

static bool take_long_unit(struct ps_str *rest, double *seconds)
{
    for (size_t i = 0; i < sizeof long_units / sizeof *long_units; i++) {
        struct ps_str behind = *rest;

        if (!ps_printed_word(&behind, long_units[i].word) || is_letter(behind))
            continue;
        *seconds = long_units[i].seconds;
        *rest = behind;
        return true;
    }
    return false;
}

static struct ps_str take_digits(struct ps_str *rest)
{
    struct ps_str number = {rest->at, ps_printed_len(*rest)};

    *rest = ps_str_skip(*rest, number.len);
    ps_printed_blanks(rest);
    return number;
}

bool ps_timeit_time(struct ps_str *rest, struct ps_printed *out)
{
    struct ps_str at = *rest;
    struct ps_printed part;
    double before = 0, factor;
    bool any = false;
    int shift;

    for (int i = 0; i < 4; i++) {
        struct ps_str start = at, number = take_digits(&at);

        if (take_unit(&at, &shift)) {
            if (!ps_printed_read(number, shift, out))
                return false;
            if (any) /* "1min 2s" */
                out->value += before;
            *rest = at;
            return true;
        }
        if (!take_long_unit(&at, &factor) || !ps_printed_read(number, 0, &part)) {
            at = start;
            break;
        }
        before += part.value * factor;
        any = true;
        *rest = at;
        *out = (struct ps_printed){before, factor};
        ps_printed_blanks(&at);
    }
    return any;
}

/* Reads "1,000,000 loops": digits with commas between them, as IPython writes them. */
static bool take_count(struct ps_str *rest, int64_t *out)
{
    struct ps_str at = *rest;
    int64_t value = 0;
    size_t n = 0;

    while (at.len && ((at.at[0] >= '0' && at.at[0] <= '9') || (n && at.at[0] == ','))) {
        if (at.at[0] != ',' && ++n > 18)
            return false;
        value = at.at[0] == ',' ? value : value * 10 + (at.at[0] - '0');
        at = ps_str_skip(at, 1);
    }
    if (n == 0)
        return false;
    *out = value;
    *rest = at;
    return true;
}

static bool plus_minus(struct ps_str *rest)
{
    return ps_printed_word(rest, " \xc2\xb1 ") || ps_printed_word(rest, " +- ");
}

/* --- Results --- */

static bool best_of(struct ps_str rest, struct ps_loops *out)
{
    out->kind = PS_LOOPS_BEST;
    return take_count(&rest, &out->loops) &&
           (ps_printed_word(&rest, " loops, best of ") ||
            ps_printed_word(&rest, " loop, best of ")) &&
           take_count(&rest, &out->repeats) && ps_printed_word(&rest, ": ") &&
           ps_timeit_time(&rest, &out->value) && ps_printed_word(&rest, " per loop");
}

/* PyPy: the unit of both numbers follows the second one. */
static bool average_of(struct ps_str rest, struct ps_loops *out)
{
    struct ps_str value, stddev;
    int shift;

    out->kind = PS_LOOPS_AVERAGE;
    if (!take_count(&rest, &out->loops) ||
        !(ps_printed_word(&rest, " loops, average of ") ||
          ps_printed_word(&rest, " loop, average of ")) ||
        !take_count(&rest, &out->repeats) || !ps_printed_word(&rest, ": "))
        return false;
    value = (struct ps_str){rest.at, ps_printed_len(rest)};
    rest = ps_str_skip(rest, value.len);
    if (!plus_minus(&rest))
        return false;
    stddev = take_digits(&rest);
    return take_unit(&rest, &shift) && ps_printed_word(&rest, " per loop") &&
           ps_printed_read(value, shift, &out->value) &&
           ps_printed_read(stddev, shift, &out->stddev);
}

static bool mean_of(struct ps_str rest, struct ps_loops *out)
{
    out->kind = PS_LOOPS_MEAN;
    return ps_timeit_time(&rest, &out->value) && plus_minus(&rest) &&
           ps_timeit_time(&rest, &out->stddev) && ps_printed_word(&rest, " per loop (mean") &&
           plus_minus(&rest) && ps_printed_word(&rest, "std. dev. of ") &&
           take_count(&rest, &out->repeats) &&
           (ps_printed_word(&rest, " runs, ") || ps_printed_word(&rest, " run, ")) &&
           take_count(&rest, &out->loops) && ps_printed_word(&rest, " loop");
}

/* Removes everything before the next number, with which a result may begin after the prefix of a
 * log. */
static bool next_number(struct ps_str *rest)
{
    bool inside = false;

    while (rest->len) {
        bool part =
            (rest->at[0] >= '0' && rest->at[0] <= '9') || rest->at[0] == '.' || rest->at[0] == ',';

        if (part && !inside && rest->at[0] >= '0' && rest->at[0] <= '9')
            return true;
        inside = part;
        *rest = ps_str_skip(*rest, 1);
    }
    return false;
}

bool ps_timeit_loops(struct ps_str line, struct ps_loops *out)
{
    struct ps_str rest = line;

    if (!ps_str_find(line, PS_STR(" per loop")))
        return false;
    for (int i = 0; i < MOST_STARTS && next_number(&rest); i++) {
        if (best_of(rest, out) || average_of(rest, out) || mean_of(rest, out))
            return out->loops > 0 && out->repeats > 0;
        rest = ps_str_skip(rest, ps_printed_len(rest));
    }
    return false;
}

/* --- Other lines --- */

static bool behind(struct ps_str line, const char *word, struct ps_str *rest)
{
    const char *at = ps_str_find(line, ps_str_of(word));

    if (at)
        *rest = ps_str_skip(line, (size_t)(at - line.at) + strlen(word));
    return at != NULL;
}

/* Sets *list to what follows "raw times: ". False: the line has no raw times. */
static bool read_raw_times(struct ps_str line, struct ps_str *list)
{
    return behind(line, "raw times: ", list);
}

bool ps_timeit_next(struct ps_str *list, struct ps_printed *out)
{
    struct ps_str at, number;

    while (list->len && (list->at[0] == ' ' || list->at[0] == ','))
        *list = ps_str_skip(*list, 1);
    at = *list;
    if (ps_timeit_time(&at, out)) {
        *list = at;
        return true;
    }
    /* "2.6e-05 2.38e-05": seconds, separated by spaces */
    number = (struct ps_str){list->at, ps_printed_len(*list)};
    if (!ps_printed_read(number, 0, out))
        return false;
    *list = ps_str_skip(*list, number.len);
    return list->len == 0 || list->at[0] == ' ';
}

static bool take_part(struct ps_str line, const char *word, struct ps_printed *out)
{
    struct ps_str rest;

    return behind(line, word, &rest) && ps_timeit_time(&rest, out);
}

static bool read_cpu_times(struct ps_str line, struct ps_cpu_times *out)
{
    struct ps_str rest;

    if (!behind(line, "CPU times: ", &rest))
        return false;
    out->has_user = take_part(rest, "user ", &out->user);
    out->has_sys = take_part(rest, "sys: ", &out->sys);
    out->has_total = take_part(rest, "total: ", &out->total);
    return out->has_user || out->has_sys || out->has_total;
}

/* "Wall time: 10 µs" */
static bool read_wall_time(struct ps_str line, struct ps_printed *out)
{
    return take_part(line, "Wall time: ", out);
}

bool ps_timeit_trial(struct ps_str line)
{
    struct ps_str rest = line;
    int64_t loops;

    return take_count(&rest, &loops) &&
           (ps_printed_word(&rest, " loops -> ") || ps_printed_word(&rest, " loop -> "));
}

/* Sets *out to the statement after "%timeit ", "%time " or "-m timeit " in a line of user input. */
static bool read_statement(struct ps_str line, struct ps_str *out)
{
    return (behind(line, "%timeit ", out) || behind(line, "-m timeit ", out) ||
            behind(line, "%time ", out)) &&
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
    MOST_FIGURES = 1000 * 1000,
    MOST_RAW = 100 * 1000,
    LONGEST_NAME = 400,
};

struct reader {
    struct ps_measuring m;
    struct ps_report_reader in;
    struct ps_buf statement; /* typed before the result; empty: not in the log */
    double *raw;             /* seconds of all loops of a repeat */
    size_t n_raw, raw_cap;
    struct ps_cpu_times cpu;
    bool has_cpu;
    uint64_t figures, timed, stored, rejected, trials;
};

/* The statement, else the number of the result in the log. */
static struct ps_str name_of(struct reader *r, const char *what, uint64_t number)
{
    if (r->statement.len)
        return ps_buf_slice(&r->statement);
    return ps_str_of(ps_arena_printf(&r->m.arena, "%s %llu", what, (unsigned long long)number));
}

static const char *group_of(const struct ps_loops *loops)
{
    return loops->kind == PS_LOOPS_MEAN ? "%timeit" : "timeit";
}

static void take_loops(struct reader *r, const struct ps_loops *loops)
{
    bool best = loops->kind == PS_LOOPS_BEST;
    struct ps_measurement row = {
        .name = name_of(r, group_of(loops), ++r->figures),
        .group = ps_str_of(group_of(loops)),
        .value = ps_real(loops->value.value),
        .unit = "s",
        .statistic = best ? "best" : "mean",
        .n = ps_int(loops->repeats),
        .resolution = loops->value.resolution,
    };

    if (best)
        row.min = row.value;
    else {
        row.mean = row.value;
        row.stddev = ps_real(loops->stddev.value);
    }
    for (size_t i = 0; i < r->n_raw; i++)
        ps_measure_sample(&r->m, r->raw[i] / (double)loops->loops);
    ps_measure_spread(&r->m, &row);
    ps_measure_number(&r->m, "loops", ps_int(loops->loops));
    if (loops->kind == PS_LOOPS_MEAN)
        ps_measure_text(&r->m, "standard deviation", PS_STR("of the runs themselves (n)"));
    ps_measure_tell(&r->m, &row, row.statistic);
    r->stored++;
    r->n_raw = 0;
    r->statement.len = 0;
}

static void tell_time(struct reader *r, const char *part, const struct ps_printed *figure)
{
    struct ps_measurement row = {
        .name = ps_str_of(part),
        .group = name_of(r, "%time", r->timed),
        .value = ps_real(figure->value),
        .unit = "s",
        .statistic = "single",
        .n = ps_int(1),
        .resolution = figure->resolution,
    };

    ps_measure_tell(&r->m, &row, strcmp(part, "wall") == 0 ? "wall" : NULL);
}

/* %time: writes the wall time and the CPU times before it. */
static void take_wall(struct reader *r, const struct ps_printed *wall)
{
    r->timed++;
    tell_time(r, "wall", wall);
    if (r->has_cpu && r->cpu.has_user)
        tell_time(r, "user", &r->cpu.user);
    if (r->has_cpu && r->cpu.has_sys)
        tell_time(r, "sys", &r->cpu.sys);
    if (r->has_cpu && r->cpu.has_total)
        tell_time(r, "total", &r->cpu.total);
    r->has_cpu = false;
    r->stored++;
    r->statement.len = 0;
}

static void take_raw(struct reader *r, struct ps_str list)
{
    struct ps_printed one;

    r->n_raw = 0;
    list = ps_report_trim(list);
    while (list.len && r->n_raw < MOST_RAW && ps_timeit_next(&list, &one)) {
        PS_PUSH_ROOM(r->raw, r->n_raw, r->raw_cap);
        r->raw[r->n_raw++] = one.value;
    }
    if (list.len == 0) {
        r->stored++;
        return;
    }
    r->n_raw = 0;
    r->rejected++;
    ps_sink_note(r->m.out, PS_NOTE_REJECTED, r->in.line.at, r->in.line.number,
                 "these raw times cannot be read");
}

static void take_line(struct reader *r)
{
    struct ps_str text = r->in.line.text, rest;
    struct ps_loops loops = {.loops = 0};
    struct ps_printed wall;

    if (ps_timeit_loops(text, &loops)) {
        take_loops(r, &loops);
    } else if (read_raw_times(text, &rest)) {
        take_raw(r, rest);
    } else if (read_cpu_times(text, &r->cpu)) {
        r->has_cpu = true;
        r->stored++;
    } else if (read_wall_time(text, &wall)) {
        take_wall(r, &wall);
    } else if (ps_timeit_trial(text)) {
        r->trials++;
    } else if (is_warning(text)) {
        ps_sink_note(r->m.out, PS_NOTE_WARNING, r->in.line.at, r->in.line.number,
                     "warning from timeit: %.*s", (int)ps_text_head(text, 200).len, text.at);
    } else if (read_statement(text, &rest)) {
        r->statement.len = 0;
        ps_buf_str(&r->statement, ps_text_head(ps_report_trim(rest), LONGEST_NAME));
    }
}

static bool is_figure(struct ps_str line)
{
    struct ps_loops loops = {.loops = 0};
    struct ps_cpu_times times;
    struct ps_printed wall;

    return ps_timeit_loops(line, &loops) || read_cpu_times(line, &times) ||
           read_wall_time(line, &wall) || ps_timeit_trial(line);
}

/* Whether more lines have results when the text is unwrapped. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count(unwrapped, is_figure) > ps_report_count(head, is_figure);
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_next(&r->in)) {
        take_line(r);
        if (r->figures + r->timed > MOST_FIGURES)
            return ps_fail_at(err, PS_LIMIT, r->in.line.at,
                              "the log has more than %d timeit results", MOST_FIGURES);
        if (ps_report_goes_on(&r->in, r->m.out, r->figures, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

static void tell_all(struct reader *r)
{
    r->m.out->ops->meta(r->m.out, "tool", PS_STR("timeit"));
    if (r->trials)
        ps_sink_note(r->m.out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0,
                     "lines from timeit's search for the number of loops: %llu",
                     (unsigned long long)r->trials);
    ps_measure_headline(&r->m);
    ps_report_ledger(&r->in, r->m.out, r->stored, 0, r->rejected);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.m = {.out = out}, .in = {.in = in}};
    enum ps_status status;

    ps_report_warn_wrapped(&r.in, out, is_wrapped);
    status = read_log(&r, err);
    if (status == PS_OK && r.m.told == 0) {
        status = ps_fail(err, PS_BAD_INPUT, "the log contains no timeit result");
        ps_hint(err, "the log was truncated; measure again with `python -m timeit -v STATEMENT > "
                     "timeit.txt`");
    } else if (status == PS_OK) {
        tell_all(&r);
    }
    ps_report_free(&r.in);
    ps_buf_free(&r.statement);
    free(r.raw);
    ps_measure_free(&r.m);
    return status;
}

/* Likely only: logs of profilers may hold such lines, too. */
static enum ps_match sniff(struct ps_str head)
{
    bool cpu = false;

    while (head.len) {
        const char *end = memchr(head.at, '\n', head.len);
        struct ps_str line = {head.at, end ? (size_t)(end - head.at) : head.len};
        struct ps_loops loops = {.loops = 0};
        struct ps_cpu_times times;
        struct ps_printed wall;

        head = ps_str_skip(head, line.len + 1);
        if (ps_timeit_loops(line, &loops) || (cpu && read_wall_time(line, &wall)))
            return PS_MATCH_LIKELY;
        cpu = cpu || read_cpu_times(line, &times);
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_timeit = {
    .kind = "timeit",
    .label = "timeit results",
    .what = "best or mean time of a loop and its repeats, as timeit, %timeit and %time print them, "
            "in any log",
    .record = "python -m timeit -v 'f()' > timeit.txt",
    .sniff = sniff,
    .load = load,
};
