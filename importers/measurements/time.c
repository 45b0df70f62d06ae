/* SPDX-License-Identifier: MIT */
/*
 * time.c: what the programs and shell keywords named `time` print, anywhere in a log, any number of
 * times.
 *
 * Supported: GNU /usr/bin/time by default, with -p and with -v; bash, ksh, zsh, sh, tcsh, fish;
 * time of BSD and macOS, also with -l (macOS counts bytes, the others KiB). TIMEFORMAT and -f may
 * print anything and are not supported.
 */
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/time_text.h"
#include "importers/text/text_report.h"

enum {
    MOST_RUNS = 1000 * 1000,
    TOLD = 50,
};

/* The format of the current run, which determines the lines that may follow. */
enum form { NO_RUN = 0, VERBOSE, DEFAULT, SHELL, BSD };

struct reader {
    struct ps_measuring m;
    struct ps_report_reader in;
    struct ps_timed_run run;
    struct ps_buf command;
    enum form form;
    int shell;          /* number of SHELL lines read */
    bool ended, signal; /* "Command exited with ..." preceded the run */
    int64_t code;
    uint64_t lines; /* number of lines of the current run */
    uint64_t runs, stored, rejected, unfinished;
};

static struct ps_measurement row_of(struct reader *r, enum ps_timed what)
{
    const struct ps_timed_name *name = &ps_timed_names[what];
    bool bytes = r->run.bytes && strcmp(name->unit, "KiB") == 0;

    return (struct ps_measurement){
        .name = ps_str_of(name->name),
        .group = r->command.len ? ps_buf_slice(&r->command) : PS_STR(""),
        .value = ps_real(r->run.figure[what].value),
        .unit = bytes ? "B" : name->unit,
        .statistic = "single",
        .n = ps_int(1),
        .resolution = r->run.figure[what].resolution,
    };
}

static void tell_end(struct reader *r)
{
    if (r->ended)
        ps_measure_number(&r->m, r->signal ? "ended by signal" : "exit status", ps_int(r->code));
}

/* Writes the current run if it is complete, or no more lines can follow. */
static void close_run(struct reader *r)
{
    if (r->form == NO_RUN)
        return;
    if (r->form == SHELL && r->shell < 3) {
        r->form = NO_RUN; /* a run has three lines; these were other output */
        return;
    }
    r->form = NO_RUN;
    r->runs++;
    r->stored += r->lines;
    r->unfinished += !r->run.has[PS_TIMED_REAL];
    for (int what = 0; what < PS_N_TIMED; what++) {
        struct ps_measurement row;

        if (!r->run.has[what])
            continue;
        row = row_of(r, (enum ps_timed)what);
        ps_measure_number(&r->m, "run", ps_int((int64_t)r->runs));
        if (what == PS_TIMED_REAL)
            tell_end(r);
        ps_measure_tell(&r->m, &row, what == PS_TIMED_REAL ? "real" : NULL);
    }
    r->ended = false;
    r->command.len = 0;
}

static void open_run(struct reader *r, enum form form)
{
    close_run(r);
    r->run = (struct ps_timed_run){.has = {false}};
    r->form = form;
    r->shell = 0;
    r->lines = 1;
    r->command.len = 0;
}

static void take_command(struct reader *r, struct ps_str command)
{
    r->command.len = 0;
    ps_buf_str(&r->command, command);
}

/* Handles the line if it continues the current run. */
static bool goes_on(struct reader *r, struct ps_str text)
{
    switch (r->form) {
    case VERBOSE:
        if (!ps_timed_label(text, &r->run))
            return false;
        r->lines++;
        if (r->run.has[PS_TIMED_EXIT])
            close_run(r);
        return true;
    case DEFAULT:
        r->lines += ps_timed_default_rest(text, &r->run);
        close_run(r);
        return r->run.has[PS_TIMED_MAJOR];
    case SHELL:
        if (!ps_timed_shell(text, r->shell, &r->run))
            break;
        r->lines++;
        if (++r->shell == 3)
            close_run(r);
        return true;
    case BSD:
        if (!ps_timed_bsd_rest(text, &r->run))
            break;
        r->lines++;
        return true;
    case NO_RUN:
        return false;
    }
    close_run(r);
    return false;
}

static bool begins(struct reader *r, struct ps_str text)
{
    struct ps_timed_run run = {.has = {false}};
    struct ps_str command;

    if (ps_timed_command(text, &command)) {
        open_run(r, VERBOSE);
        take_command(r, command);
    } else if (ps_timed_default(text, &run)) {
        open_run(r, DEFAULT);
        r->run = run;
    } else if (ps_timed_zsh(text, &run) || ps_timed_tcsh(text, &run)) {
        open_run(r, SHELL);
        r->run = run;
        r->shell = 3;
        take_command(r, run.command);
        close_run(r);
    } else if (ps_timed_shell(text, 0, &run)) {
        open_run(r, SHELL);
        r->run = run;
        r->shell = 1;
    } else if (ps_timed_bsd(text, &run)) {
        open_run(r, BSD);
        r->run = run;
    } else {
        return false;
    }
    return true;
}

/* With -v every line has a label. A line without one is truncated or mixed with other output. */
static void take_odd(struct reader *r, struct ps_str text)
{
    struct ps_str rest = text;

    ps_printed_blanks(&rest);
    if (r->form != VERBOSE || rest.len == 0 || rest.at == text.at)
        return;
    if (r->rejected++ < TOLD)
        ps_sink_note(r->m.out, PS_NOTE_REJECTED, r->in.line.at, r->in.line.number,
                     "this line of time -v cannot be read");
}

static void take_line(struct reader *r)
{
    struct ps_str text = r->in.line.text;

    if (ps_report_trim(text).len == 0) /* pasted text may have an empty line after each line */
        return;
    if (goes_on(r, text) || begins(r, text))
        return;
    if (ps_timed_end(text, &r->signal, &r->code)) {
        close_run(r);
        r->ended = true;
        r->stored++;
        return;
    }
    take_odd(r, text);
}

/* Only GNU time's default report has lines long enough to be wrapped by terminals. */
static enum ps_report_row reads(const void *reader, struct ps_str text)
{
    struct ps_timed_run run = {.has = {false}};

    (void)reader;
    if (ps_timed_default(text, &run) || ps_timed_default_rest(text, &run))
        return PS_ROW_WHOLE;
    return ps_str_find(text, PS_STR("user ")) && ps_str_find(text, PS_STR("elapsed "))
               ? PS_ROW_PART
               : PS_ROW_NONE;
}

static bool is_figure(struct ps_str line)
{
    struct ps_timed_run run = {.has = {false}};
    struct ps_str command;

    for (int which = 0; which < 3; which++)
        if (ps_timed_shell(line, which, &run))
            return true;
    if (ps_timed_command(line, &command))
        return line.at[line.len - 1] == '"';
    return ps_timed_label(line, &run) || ps_timed_default(line, &run) ||
           ps_timed_default_rest(line, &run) || ps_timed_zsh(line, &run) ||
           ps_timed_tcsh(line, &run) || ps_timed_bsd(line, &run) || ps_timed_bsd_rest(line, &run);
}

/* Whether more lines have values when the text is unwrapped. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count(unwrapped, is_figure) > ps_report_count(head, is_figure);
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_next(&r->in)) {
        ps_report_rejoin(&r->in, reads, NULL);
        take_line(r);
        if (r->runs > MOST_RUNS)
            return ps_fail_at(err, PS_LIMIT, r->in.line.at,
                              "the log has more than %d timed commands", MOST_RUNS);
        if (ps_report_goes_on(&r->in, r->m.out, r->runs, err) != PS_OK)
            return PS_CANCELLED;
    }
    close_run(r);
    return ps_stream_status(r->in.in, err);
}

static void tell_all(struct reader *r)
{
    r->m.out->ops->meta(r->m.out, "tool", PS_STR("time"));
    r->m.out->ops->number(r->m.out, "runs", ps_int((int64_t)r->runs));
    if (r->unfinished)
        ps_sink_note(r->m.out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                     "commands whose report is truncated before the elapsed time: %llu",
                     (unsigned long long)r->unfinished);
    if (r->rejected > TOLD)
        ps_sink_note(r->m.out, PS_NOTE_REJECTED, PS_NOTE_NO_AT, 0,
                     "more lines that cannot be read: %llu",
                     (unsigned long long)(r->rejected - TOLD));
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
        status =
            ps_fail(err, PS_BAD_INPUT, "the log names a timed command but has none of its values");
        ps_hint(err,
                "the log was truncated; measure again with `/usr/bin/time -v -o time.txt COMMAND`");
    } else if (status == PS_OK) {
        tell_all(&r);
    }
    ps_report_free(&r.in);
    ps_buf_free(&r.command);
    ps_measure_free(&r.m);
    return status;
}

/* Likely only: logs of profilers may end in such lines, too. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_timed_run run = {.has = {false}};
    int shell = 0;

    while (head.len) {
        const char *end = memchr(head.at, '\n', head.len);
        struct ps_str line = {head.at, end ? (size_t)(end - head.at) : head.len}, command;

        head = ps_str_skip(head, line.len + 1);
        while (line.len && line.at[line.len - 1] == '\r')
            line.len--;
        if (ps_timed_command(line, &command) || ps_timed_default(line, &run) ||
            ps_timed_zsh(line, &run) || ps_timed_tcsh(line, &run) || ps_timed_bsd(line, &run))
            return PS_MATCH_LIKELY;
        shell = ps_timed_shell(line, shell, &run) ? shell + 1
                : ps_timed_shell(line, 0, &run)   ? 1
                                                  : 0;
        if (shell == 3)
            return PS_MATCH_LIKELY;
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_time = {
    .kind = "time",
    .label = "time of commands",
    .what = "real, user and system time, memory, page faults and context switches of commands, as "
            "time prints them, in any log",
    .record = "/usr/bin/time -v -o time.txt app",
    .sniff = sniff,
    .load = load,
};
