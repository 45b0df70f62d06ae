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
    } else if (ps_timeit_raw(text, &rest)) {
        take_raw(r, rest);
    } else if (ps_timeit_cpu(text, &r->cpu)) {
        r->has_cpu = true;
        r->stored++;
    } else if (ps_timeit_wall(text, &wall)) {
        take_wall(r, &wall);
    } else if (ps_timeit_trial(text)) {
        r->trials++;
    } else if (ps_timeit_doubt(text)) {
        ps_sink_note(r->m.out, PS_NOTE_WARNING, r->in.line.at, r->in.line.number,
                     "warning from timeit: %.*s", (int)ps_text_head(text, 200).len, text.at);
    } else if (ps_timeit_statement(text, &rest)) {
        r->statement.len = 0;
        ps_buf_str(&r->statement, ps_text_head(ps_report_trim(rest), LONGEST_NAME));
    }
}

static bool is_figure(struct ps_str line)
{
    struct ps_loops loops = {.loops = 0};
    struct ps_cpu_times times;
    struct ps_printed wall;

    return ps_timeit_loops(line, &loops) || ps_timeit_cpu(line, &times) ||
           ps_timeit_wall(line, &wall) || ps_timeit_trial(line);
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
        if (ps_timeit_loops(line, &loops) || (cpu && ps_timeit_wall(line, &wall)))
            return PS_MATCH_LIKELY;
        cpu = cpu || ps_timeit_cpu(line, &times);
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
