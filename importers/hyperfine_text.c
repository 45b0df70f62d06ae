/* SPDX-License-Identifier: MIT */
/*
 * hyperfine_text.c: what hyperfine prints, and its CSV and Markdown tables, anywhere in a log.
 *
 * Printed figures are rounded to the digit that stands last, and the single runs are not there; CSV
 * has all digits. Versions 1.0 to 1.20 print time of a command in two lines, version 2 a line for
 * each thing it measures. Comparisons of commands are left out: they follow from the figures.
 */
#include <stdlib.h>

#include "importers/clean.h"
#include "importers/hyperfine_text.h"
#include "importers/importer.h"
#include "importers/measure.h"
#include "importers/text_report.h"

enum {
    MOST_RESULTS = 1000 * 1000,
    LONGEST_NAME = 4096,
    TOLD = 50,
};

static const struct {
    const char *group, *unit;
} parts[PS_HF_PARTS] = {
    [PS_HF_WALL] = {"wall clock", "s"},
    [PS_HF_USER] = {"user", "s"},
    [PS_HF_SYSTEM] = {"system", "s"},
    [PS_HF_MEMORY] = {"peak memory", "B"},
};

struct reader {
    struct ps_measuring m;
    struct ps_report_reader in;
    struct ps_buf command; /* of the benchmark at hand */
    bool open;             /* its header was read and nothing else has begun */
    struct ps_hf_result result;
    struct ps_hf_columns columns; /* of the table at hand; n is 0: none */
    uint64_t results, stored, rejected, unfinished, unnamed, rounded;
};

static void fill(struct ps_num *figure, const struct ps_hf_result *result, enum ps_hf_part part,
                 enum ps_hf_figure which)
{
    if (result->has[part][which])
        *figure = ps_real(result->figure[part][which].value);
}

/* The coarsest of the digits that the figures were printed with. */
static double resolution_of(const struct ps_hf_result *result, enum ps_hf_part part)
{
    double most = 0;

    for (int which = 0; which < PS_HF_FIGURES; which++)
        if (result->has[part][which] && result->figure[part][which].resolution > most)
            most = result->figure[part][which].resolution;
    return most;
}

static void tell_part(struct reader *r, const struct ps_hf_result *result, enum ps_hf_part part,
                      struct ps_str command)
{
    struct ps_measurement row = {
        .name = ps_text_head(command, LONGEST_NAME),
        .group = ps_str_of(parts[part].group),
        .unit = parts[part].unit,
        .statistic = "mean",
        .resolution = resolution_of(result, part),
    };

    fill(&row.mean, result, part, PS_HF_MEAN);
    fill(&row.stddev, result, part, PS_HF_STDDEV);
    fill(&row.median, result, part, PS_HF_MEDIAN);
    fill(&row.min, result, part, PS_HF_MIN);
    fill(&row.max, result, part, PS_HF_MAX);
    if (result->runs && (part == PS_HF_WALL || part == PS_HF_MEMORY))
        row.n = ps_int(result->runs);
    row.value = row.mean;
    r->rounded += row.resolution > 0;
    ps_measure_tell(&r->m, &row, part == PS_HF_WALL ? "mean" : NULL);
}

static void tell_result(struct reader *r, const struct ps_hf_result *result, struct ps_str command,
                        const struct ps_str *parameter)
{
    for (int part = 0; part < PS_HF_PARTS; part++) {
        bool any = false;

        for (int which = 0; which < PS_HF_FIGURES; which++)
            any |= result->has[part][which];
        if (!any)
            continue;
        for (size_t i = 0; parameter && i < r->columns.n; i++)
            if (r->columns.at[i].kind == PS_HF_PARAMETER) {
                const struct ps_str name = r->columns.at[i].text;

                ps_measure_text(&r->m,
                                ps_arena_printf(&r->m.arena, "parameter %.*s",
                                                (int)(name.len < 256 ? name.len : 256), name.at),
                                parameter[i]);
            }
        tell_part(r, result, (enum ps_hf_part)part, command);
    }
    r->results++;
}

/* The benchmark of the terminal is over. */
static void end_benchmark(struct reader *r)
{
    if (r->open && ps_hf_any(&r->result))
        tell_result(r, &r->result, ps_buf_slice(&r->command), NULL);
    else
        r->unfinished += r->open;
    r->open = false;
    r->result = (struct ps_hf_result){.runs = 0};
}

static void reject(struct reader *r, const char *why)
{
    if (r->rejected++ < TOLD)
        ps_sink_note(r->m.out, PS_NOTE_REJECTED, r->in.line.at, r->in.line.number, "%s", why);
}

/* False: the table has ended before this line. */
static bool take_row(struct reader *r, struct ps_str text)
{
    struct ps_str command, parameter[PS_HF_COLUMNS];
    struct ps_hf_result result = {.runs = 0};
    enum ps_hf_line what = ps_hf_row(&r->columns, text, &r->m.arena, &result, &command, parameter);

    if (what == PS_HF_OTHER) {
        r->columns.n = 0;
        return false;
    }
    if (what == PS_HF_BROKEN) {
        reject(r, "this line inside a table is not a table row");
        return true;
    }
    r->stored++;
    if (command.len)
        tell_result(r, &result, command, parameter);
    return true;
}

/* The line with the command was cut off. */
static void begin_unnamed(struct reader *r)
{
    r->open = true;
    r->unnamed++;
    r->command.len = 0;
    ps_buf_printf(&r->command, "command %llu", (unsigned long long)r->results + 1);
}

static void take_terminal(struct reader *r, struct ps_str text)
{
    struct ps_str command;
    enum ps_hf_line what;
    const char *warning;
    int64_t runs = 0;

    if (ps_hf_command(text, &command, &runs)) {
        end_benchmark(r);
        r->open = true;
        r->command.len = 0;
        ps_buf_str(&r->command, ps_text_head(command, LONGEST_NAME));
        r->result.runs = runs;
        r->stored++;
        return;
    }
    if (ps_hf_begins(text) && (!r->open || r->result.has[PS_HF_WALL][PS_HF_MEAN])) {
        end_benchmark(r);
        begin_unnamed(r);
    }
    if (!r->open)
        return;
    what = ps_hf_line(text, &r->result);
    r->stored += what == PS_HF_TAKEN;
    if (what == PS_HF_BROKEN)
        reject(r, "the values in this line cannot be read");
    warning = what == PS_HF_OTHER ? ps_str_find(text, PS_STR("  Warning: ")) : NULL;
    if (warning) {
        struct ps_str said = ps_str_skip(text, (size_t)(warning - text.at) + 11);

        ps_sink_note(r->m.out, PS_NOTE_WARNING, r->in.line.at, r->in.line.number,
                     "warning from hyperfine: %.*s", (int)ps_text_head(said, 200).len, said.at);
    }
}

static void take_line(struct reader *r)
{
    struct ps_str text = ps_report_shown(r->in.line.text);

    if (r->columns.n && take_row(r, text))
        return;
    if (ps_hf_header(text, &r->m.arena, &r->columns))
        r->stored++;
    else
        take_terminal(r, text);
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_next(&r->in)) {
        take_line(r);
        if (r->results > MOST_RESULTS)
            return ps_fail_at(err, PS_LIMIT, r->in.line.at, "the file has more than %d results",
                              MOST_RESULTS);
        if (ps_report_goes_on(&r->in, r->m.out, r->results, err) != PS_OK)
            return PS_CANCELLED;
    }
    end_benchmark(r);
    return ps_stream_status(r->in.in, err);
}

static void tell_all(struct reader *r)
{
    r->m.out->ops->meta(r->m.out, "tool", PS_STR("hyperfine"));
    ps_sink_count(r->m.out, PS_NOTE_WARNING, r->unfinished,
                  "benchmarks that started but have no results");
    ps_sink_count(r->m.out, PS_NOTE_WARNING, r->unnamed,
                  "benchmarks without a command: the line that begins with `Benchmark` is missing");
    if (r->rounded)
        ps_sink_note(r->m.out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0,
                     "printed values are rounded, and single runs are missing; add the file of "
                     "`--export-json` for both");
    ps_measure_headline(&r->m);
    ps_report_ledger(&r->in, r->m.out, r->stored, 0, r->rejected);
}

static enum ps_match sniff(struct ps_str head)
{
    static const char *const words[] = {
        "Time (mean \xc2\xb1 \xcf\x83):", "Time (abs \xe2\x89\xa1):",
        "Range (min \xe2\x80\xa6 max):",  "command,mean,stddev,",
        "command,time_wall_clock_",       "| Command | Mean [",
        "| Command | Mean Wall Time ["};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ps_str_find(head, ps_str_of(words[i])))
            return PS_MATCH_SURE;
    return ps_str_find(head, PS_STR("  Wall Time ")) && ps_str_find(head, PS_STR("Benchmark 1: "))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

/* The header is only whole when the text is unwrapped. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return sniff(head) == PS_MATCH_NO && sniff(unwrapped) != PS_MATCH_NO;
}

/* Lines that say what they hold, of a Markdown table to the last bar. */
static bool is_head(struct ps_str line)
{
    line = ps_report_trim(line);
    return sniff(line) != PS_MATCH_NO &&
           (!ps_str_find(line, PS_STR("| Command")) || line.at[line.len - 1] == '|');
}

/* There are more of them when the text is unwrapped. */
static bool is_cut(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count(unwrapped, is_head) > ps_report_count(head, is_head);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.m = {.out = out}, .in = {.in = in}};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, NULL, NULL);
    ps_report_warn_wrapped(&r.in, out, is_cut);
    status = read_log(&r, err);

    if (status == PS_OK && r.results == 0) {
        status = ps_fail(err, PS_BAD_INPUT, "the text contains no hyperfine result");
        ps_hint(err, "the text was truncated or changed; measure again with `hyperfine "
                     "--export-json result.json 'app'`");
    } else if (status == PS_OK) {
        tell_all(&r);
    }
    ps_report_free(&r.in);
    ps_buf_free(&r.command);
    ps_measure_free(&r.m);
    return status;
}

const struct ps_importer ps_hyperfine_text = {
    .kind = "hyperfine",
    .label = "Printed hyperfine report",
    .what = "wall clock, user and system time and peak memory of commands, as hyperfine prints "
            "them or writes them as CSV or Markdown, in any log (rounded)",
    .record = "hyperfine --export-markdown result.md 'app'",
    .sniff = sniff,
    .load = load,
};
