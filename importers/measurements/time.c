/* SPDX-License-Identifier: MIT */
/*
 * time.c: reads the output of the programs and shell keywords named `time`, anywhere and any number
 * of times in a log.
 *
 * Supported: GNU /usr/bin/time by default, with -p and with -v; bash, ksh, zsh, sh, tcsh, fish;
 * time of BSD and macOS, also with -l (macOS counts bytes, the others KiB). Formats set with
 * TIMEFORMAT or -f are not supported, because they may print anything.
 */
#include <math.h>
#include <stdlib.h>

#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/time_text.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/text_report.h"

/* --- Lines --- */

const struct ps_time_field_name ps_time_field_names[PS_N_TIME_FIELDS] = {
    [PS_TIME_REAL] = {"real", "s"},
    [PS_TIME_USER] = {"user", "s"},
    [PS_TIME_SYS] = {"sys", "s"},
    [PS_TIME_CPU] = {"CPU", "%"},
    [PS_TIME_RSS] = {"max RSS", "KiB"},
    [PS_TIME_MAJOR_FAULTS] = {"major faults", ""},
    [PS_TIME_MINOR_FAULTS] = {"minor faults", ""},
    [PS_TIME_VOLUNTARY_SWITCHES] = {"voluntary switches", ""},
    [PS_TIME_INVOLUNTARY_SWITCHES] = {"involuntary switches", ""},
    [PS_TIME_SWAPS] = {"swaps", ""},
    [PS_TIME_INPUTS] = {"file system inputs", ""},
    [PS_TIME_OUTPUTS] = {"file system outputs", ""},
    [PS_TIME_MESSAGES_SENT] = {"socket messages sent", ""},
    [PS_TIME_MESSAGES_RECEIVED] = {"socket messages received", ""},
    [PS_TIME_SIGNALS] = {"signals", ""},
    [PS_TIME_TEXT_SIZE] = {"average shared text size", "KiB"},
    [PS_TIME_DATA_SIZE] = {"average unshared data size", "KiB"},
    [PS_TIME_STACK_SIZE] = {"average stack size", "KiB"},
    [PS_TIME_TOTAL_SIZE] = {"average total size", "KiB"},
    [PS_TIME_MEAN_RSS] = {"average RSS", "KiB"},
    [PS_TIME_PAGE_SIZE] = {"page size", "B"},
    [PS_TIME_INSTRUCTIONS] = {"instructions", ""},
    [PS_TIME_CYCLES] = {"cycles", ""},
    [PS_TIME_FOOTPRINT] = {"peak footprint", "KiB"},
    [PS_TIME_EXIT_STATUS] = {"exit status", ""},
};

struct label {
    const char *text;
    enum ps_time_field field;
};

static void set_field(struct ps_time_report *run, enum ps_time_field what,
                      struct ps_printed_number value)
{
    run->has_field[what] = true;
    run->values[what] = value;
}

static bool is_blank(struct ps_str rest)
{
    ps_printed_skip_blanks(&rest);
    return rest.len == 0;
}

/* --- GNU time --- */

static const struct label gnu[] = {
    {"User time (seconds): ", PS_TIME_USER},
    {"System time (seconds): ", PS_TIME_SYS},
    {"Percent of CPU this job got: ", PS_TIME_CPU},
    {"Elapsed (wall clock) time (h:mm:ss or m:ss): ", PS_TIME_REAL},
    {"Average shared text size (kbytes): ", PS_TIME_TEXT_SIZE},
    {"Average unshared data size (kbytes): ", PS_TIME_DATA_SIZE},
    {"Average stack size (kbytes): ", PS_TIME_STACK_SIZE},
    {"Average total size (kbytes): ", PS_TIME_TOTAL_SIZE},
    {"Maximum resident set size (kbytes): ", PS_TIME_RSS},
    {"Average resident set size (kbytes): ", PS_TIME_MEAN_RSS},
    {"Major (requiring I/O) page faults: ", PS_TIME_MAJOR_FAULTS},
    {"Minor (reclaiming a frame) page faults: ", PS_TIME_MINOR_FAULTS},
    {"Voluntary context switches: ", PS_TIME_VOLUNTARY_SWITCHES},
    {"Involuntary context switches: ", PS_TIME_INVOLUNTARY_SWITCHES},
    {"Swaps: ", PS_TIME_SWAPS},
    {"File system inputs: ", PS_TIME_INPUTS},
    {"File system outputs: ", PS_TIME_OUTPUTS},
    {"Socket messages sent: ", PS_TIME_MESSAGES_SENT},
    {"Socket messages received: ", PS_TIME_MESSAGES_RECEIVED},
    {"Signals delivered: ", PS_TIME_SIGNALS},
    {"Page size (bytes): ", PS_TIME_PAGE_SIZE},
    {"Exit status: ", PS_TIME_EXIT_STATUS},
};

bool ps_time_parse_label(struct ps_str line, struct ps_time_report *run)
{
    for (size_t i = 0; i < sizeof gnu / sizeof *gnu; i++) {
        const char *at = ps_str_find(line, ps_str_from_c(gnu[i].text));
        struct ps_printed_number value;
        struct ps_str rest;

        if (!at || (at > line.ptr && at[-1] != '\t' && at[-1] != ' '))
            continue;
        rest = ps_str_skip(line, (size_t)(at - line.ptr) + strlen(gnu[i].text));
        if (gnu[i].field == PS_TIME_CPU && ps_printed_word_consume(&rest, "?%"))
            return is_blank(rest);
        if (!ps_printed_clock_consume(&rest, &value))
            return false;
        if (gnu[i].field == PS_TIME_CPU && !ps_printed_word_consume(&rest, "%"))
            return false;
        if (!is_blank(rest))
            return false;
        set_field(run, gnu[i].field, value);
        return true;
    }
    return false;
}

bool ps_time_parse_command(struct ps_str line, struct ps_str *command)
{
    static const struct ps_str words = PS_STR("Command being timed: \"");
    const char *at = ps_str_find(line, words);

    if (!at)
        return false;
    *command = ps_str_skip(line, (size_t)(at - line.ptr) + words.len);
    while (command->len && strchr(" \t", command->ptr[command->len - 1]))
        command->len--;
    if (command->len && command->ptr[command->len - 1] == '"')
        command->len--;
    return true;
}

bool ps_time_parse_end(struct ps_str line, bool *signal, int64_t *code)
{
    static const struct ps_str words[] = {PS_STR("Command exited with non-zero status "),
                                          PS_STR("Command terminated by signal ")};

    for (int i = 0; i < 2; i++) {
        const char *at = ps_str_find(line, words[i]);
        struct ps_str rest;

        if (!at)
            continue;
        rest = ps_str_skip(line, (size_t)(at - line.ptr) + words[i].len);
        while (rest.len && strchr(" \t", rest.ptr[rest.len - 1]))
            rest.len--;
        *signal = i == 1;
        return ps_str_parse_i64(rest, code);
    }
    return false;
}

/* Reads values, each followed by its label. */
static bool consume_fields(struct ps_str *rest, const struct label *labels, size_t n,
                           struct ps_time_report *run)
{
    struct ps_time_report read = *run;

    for (size_t i = 0; i < n; i++) {
        struct ps_printed_number value;

        if (labels[i].field == PS_TIME_CPU && ps_printed_word_consume(rest, "?%CPU ("))
            continue;
        if (!ps_printed_clock_consume(rest, &value) ||
            !ps_printed_word_consume(rest, labels[i].text))
            return false;
        set_field(&read, labels[i].field, value);
    }
    *run = read;
    return true;
}

/* Removes the text before the next digit, where values may begin after a prefix. */
static bool skip_to_number(struct ps_str *rest)
{
    bool inside = true;

    while (rest->len) {
        bool digit = rest->ptr[0] >= '0' && rest->ptr[0] <= '9';

        if (digit && !inside)
            return true;
        inside = digit || rest->ptr[0] == '.' || rest->ptr[0] == ',' || rest->ptr[0] == ':';
        *rest = ps_str_skip(*rest, 1);
    }
    return false;
}

/* Like consume_fields, but the values may begin anywhere in the line; the last label must end the
 * line. */
static bool find_fields(struct ps_str line, const struct label *labels, size_t n,
                        struct ps_time_report *run)
{
    do {
        struct ps_str rest = line;

        if (consume_fields(&rest, labels, n, run))
            return is_blank(rest);
    } while (skip_to_number(&line));
    return false;
}

/* Parses the first line of GNU time's default report: "0.00user 0.00system 0:00.05elapsed 1%CPU
 * (0avgtext+0avgdata 1652maxresident)k". */
static bool parse_gnu(struct ps_str line, struct ps_time_report *run)
{
    static const struct label labels[] = {
        {"user ", PS_TIME_USER},         {"system ", PS_TIME_SYS},
        {"elapsed ", PS_TIME_REAL},      {"%CPU (", PS_TIME_CPU},
        {"avgtext+", PS_TIME_TEXT_SIZE}, {"avgdata ", PS_TIME_DATA_SIZE},
        {"maxresident)k", PS_TIME_RSS},
    };

    return ps_str_find(line, PS_STR("maxresident)k")) &&
           find_fields(line, labels, sizeof labels / sizeof *labels, run);
}

static bool parse_gnu_rest(struct ps_str line, struct ps_time_report *run)
{
    static const struct label labels[] = {
        {"inputs+", PS_TIME_INPUTS},      {"outputs (", PS_TIME_OUTPUTS},
        {"major+", PS_TIME_MAJOR_FAULTS}, {"minor)pagefaults ", PS_TIME_MINOR_FAULTS},
        {"swaps", PS_TIME_SWAPS},
    };

    return ps_str_find(line, PS_STR("pagefaults")) &&
           find_fields(line, labels, sizeof labels / sizeof *labels, run);
}

/* --- Shells --- */

/* The command may contain any text, so each number in the line is tried as the first value; the
 * values must end at the end of the line. */
bool ps_time_parse_zsh(struct ps_str line, struct ps_time_report *run)
{
    static const struct label labels[] = {
        {"s user ", PS_TIME_USER},
        {"s system ", PS_TIME_SYS},
        {"% cpu ", PS_TIME_CPU},
        {" total", PS_TIME_REAL},
    };
    struct ps_str start = line;

    if (!ps_str_find(line, PS_STR("% cpu ")) || !ps_str_find(line, PS_STR("s user ")))
        return false;
    do {
        struct ps_str rest = start;
        size_t before = (size_t)(start.ptr - line.ptr);

        if (!consume_fields(&rest, labels, sizeof labels / sizeof *labels, run) || !is_blank(rest))
            continue;
        while (before && (line.ptr[before - 1] == ' ' || line.ptr[before - 1] == '\t'))
            before--;
        run->command = (struct ps_str){line.ptr, before};
        return true;
    } while (skip_to_number(&start));
    return false;
}

/* Sets *rest to the text after `word`. `word` must be at the start of the line, or after a prefix
 * that a container puts before the line. */
static bool after_word(struct ps_str line, const char *word, struct ps_str *rest)
{
    struct ps_str wanted = ps_str_from_c(word);
    const char *at;

    while ((at = ps_str_find(line, wanted))) {
        bool begins = at == line.ptr || at[-1] == ' ' || at[-1] == '\t';

        *rest = ps_str_skip(line, (size_t)(at - line.ptr) + wanted.len);
        if (begins && rest->len && strchr(" \t", rest->ptr[0]))
            return true;
        line = *rest;
    }
    return false;
}

/* Parses lines of fish: "Executed in  100.41 millis    fish           external", "usr time ...",
 * "sys time ...". */
static bool parse_fish(struct ps_str line, int which, struct ps_time_report *run)
{
    static const char *const words[] = {"Executed in", "usr time", "sys time"};
    static const struct {
        const char *name;
        int shift;
        double factor;
    } units[] = {
        {"micros", -6, 1}, {"millis", -3, 1}, {"secs", 0, 1}, {"mins", 0, 60}, {"hours", 0, 3600}};
    struct ps_printed_number value;
    struct ps_str rest, number;

    if (!after_word(line, words[which], &rest))
        return false;
    ps_printed_skip_blanks(&rest);
    number = (struct ps_str){rest.ptr, ps_printed_number_len(rest)};
    rest = ps_str_skip(rest, number.len);
    ps_printed_skip_blanks(&rest);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!ps_printed_word_consume(&rest, units[i].name))
            continue;
        if (!ps_printed_number_parse(number, units[i].shift, &value))
            return false;
        value.value *= units[i].factor;
        value.resolution *= units[i].factor;
        set_field(run, (enum ps_time_field)(PS_TIME_REAL + which), value);
        return true;
    }
    return false;
}

bool ps_time_parse_shell(struct ps_str line, int which, struct ps_time_report *run)
{
    static const char *const words[] = {"real", "user", "sys"};
    struct ps_printed_number value;
    struct ps_str rest;
    bool minutes;

    if (parse_fish(line, which, run))
        return true;
    if (!after_word(line, words[which], &rest))
        return false;
    ps_printed_skip_blanks(&rest);
    minutes = rest.len && memchr(rest.ptr, 'm', rest.len);
    if ((which && minutes != run->has_minutes) || !ps_printed_clock_consume(&rest, &value) ||
        !is_blank(rest))
        return false;
    run->has_minutes = minutes;
    set_field(run, (enum ps_time_field)(PS_TIME_REAL + which), value);
    return true;
}

bool ps_time_parse_tcsh(struct ps_str line, struct ps_time_report *run)
{
    static const struct label labels[] = {
        {"u ", PS_TIME_USER},
        {"s ", PS_TIME_SYS},
        {" ", PS_TIME_REAL},
        {"%", PS_TIME_CPU},
    };
    struct ps_str start = line;

    if (!ps_str_find(line, PS_STR("io ")) || !ps_str_find(line, PS_STR("pf+")))
        return false;
    do {
        struct ps_str rest = start;

        if (consume_fields(&rest, labels, sizeof labels / sizeof *labels, run) && rest.len &&
            strchr(" \t", rest.ptr[0]))
            return true;
    } while (skip_to_number(&start));
    return false;
}

/* --- BSD and macOS --- */

static bool parse_bsd_times(struct ps_str rest, struct ps_time_report *run)
{
    static const char *const words[] = {"real", "user", "sys"};
    struct ps_time_report read = *run;

    for (int i = 0; i < 3; i++) {
        struct ps_printed_number value;

        ps_printed_skip_blanks(&rest);
        if (!ps_printed_number_consume(&rest, &value))
            return false;
        ps_printed_skip_blanks(&rest);
        if (!ps_printed_word_consume(&rest, words[i]))
            return false;
        set_field(&read, (enum ps_time_field)(PS_TIME_REAL + i), value);
    }
    if (!is_blank(rest))
        return false;
    *run = read;
    return true;
}

bool ps_time_parse_bsd(struct ps_str line, struct ps_time_report *run)
{
    if (!ps_str_find(line, PS_STR(" sys")))
        return false;
    do {
        if (parse_bsd_times(line, run))
            return true;
    } while (skip_to_number(&line));
    return false;
}

/* Detects the unit of sizes: macOS reports bytes, which are multiples of the page size; FreeBSD
 * reports KiB. */
static void detect_size_unit(struct ps_time_report *run, enum ps_time_field what, double value)
{
    if (what == PS_TIME_RSS)
        run->has_byte_sizes = fmod(value, 4096) == 0;
    if (what == PS_TIME_FOOTPRINT || what == PS_TIME_INSTRUCTIONS)
        run->has_byte_sizes = true; /* only macOS reports these fields */
}

bool ps_time_parse_bsd_resource(struct ps_str line, struct ps_time_report *run)
{
    static const struct label labels[] = {
        {"maximum resident set size", PS_TIME_RSS},
        {"average shared memory size", PS_TIME_TEXT_SIZE},
        {"average unshared data size", PS_TIME_DATA_SIZE},
        {"average unshared stack size", PS_TIME_STACK_SIZE},
        {"page reclaims", PS_TIME_MINOR_FAULTS},
        {"page faults", PS_TIME_MAJOR_FAULTS},
        {"swaps", PS_TIME_SWAPS},
        {"block input operations", PS_TIME_INPUTS},
        {"block output operations", PS_TIME_OUTPUTS},
        {"messages sent", PS_TIME_MESSAGES_SENT},
        {"messages received", PS_TIME_MESSAGES_RECEIVED},
        {"signals received", PS_TIME_SIGNALS},
        {"voluntary context switches", PS_TIME_VOLUNTARY_SWITCHES},
        {"involuntary context switches", PS_TIME_INVOLUNTARY_SWITCHES},
        {"instructions retired", PS_TIME_INSTRUCTIONS},
        {"cycles elapsed", PS_TIME_CYCLES},
        {"peak memory footprint", PS_TIME_FOOTPRINT},
    };
    for (struct ps_str start = line; skip_to_number(&start); start = ps_str_skip(start, 1)) {
        struct ps_str rest = start;
        struct ps_printed_number value;

        if (!ps_printed_number_consume(&rest, &value))
            return false;
        ps_printed_skip_blanks(&rest);
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
            struct ps_str behind = rest;

            if (!ps_printed_word_consume(&behind, labels[i].text) || !is_blank(behind))
                continue;
            detect_size_unit(run, labels[i].field, value.value);
            set_field(run, labels[i].field, value);
            return true;
        }
    }
    return false;
}

/* --- Runs in a log --- */

enum {
    RUNS_MAX = 1000 * 1000,
    COMMAND_BYTES_MAX = 1 << 20,
    NOTES_MAX = 50,
};

/* The format of the current run, which determines the lines that may follow. */
enum form { NO_RUN = 0, VERBOSE, DEFAULT, SHELL, BSD };

struct reader {
    struct ps_measurement_builder builder;
    struct ps_report_reader in;
    struct ps_time_report run;
    struct ps_time_report complete; /* the last complete run */
    struct ps_buf command;
    bool in_command; /* the command may continue in the next line */
    enum form form;
    int shell; /* number of SHELL lines read */
    /* has_ended: "Command exited with ..." preceded the run; signal: `code` is a signal number */
    bool has_ended, signal;
    int64_t code;
    uint64_t lines; /* number of lines of the current run */
    uint64_t runs, stored, rejected, unfinished;
};

static struct ps_measurement row_of(struct reader *r, enum ps_time_field what)
{
    const struct ps_time_field_name *name = &ps_time_field_names[what];
    bool bytes = r->run.has_byte_sizes && strcmp(name->unit, "KiB") == 0;

    return (struct ps_measurement){
        .name = ps_str_from_c(name->name),
        .group = r->command.len ? ps_buf_slice(&r->command) : PS_STR(""),
        .value = ps_real(r->run.values[what].value),
        .unit = bytes ? "B" : name->unit,
        .statistic = "single",
        .n = ps_int(1),
        .resolution = r->run.values[what].resolution,
    };
}

static void write_exit_status(struct reader *r)
{
    if (r->has_ended)
        ps_measurement_add_number(&r->builder, r->signal ? "ended by signal" : "exit status",
                                  ps_int(r->code));
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
    r->complete = r->run;
    r->stored += r->lines;
    r->unfinished += !r->run.has_field[PS_TIME_REAL];
    for (int what = 0; what < PS_N_TIME_FIELDS; what++) {
        struct ps_measurement row;

        if (!r->run.has_field[what])
            continue;
        row = row_of(r, (enum ps_time_field)what);
        ps_measurement_add_number(&r->builder, "run", ps_int((int64_t)r->runs));
        if (what == PS_TIME_REAL)
            write_exit_status(r);
        ps_measurement_write(&r->builder, &row, what == PS_TIME_REAL ? "real" : NULL);
    }
    r->has_ended = false;
    r->command.len = 0;
}

static void open_run(struct reader *r, enum form form)
{
    close_run(r);
    r->run = (struct ps_time_report){.has_field = {false}};
    r->form = form;
    r->shell = 0;
    r->lines = 1;
    r->command.len = 0;
}

static void copy_command(struct reader *r, struct ps_str command)
{
    r->command.len = 0;
    ps_buf_add_str(&r->command, command);
}

/* Adds a line to a command of several lines. The first label ends it; nothing else tells which of
 * its quotation marks is the last. */
static void continue_command(struct reader *r, struct ps_str text)
{
    r->lines++;
    if (r->command.len + text.len > COMMAND_BYTES_MAX)
        return;
    ps_buf_puts(&r->command, "\n");
    ps_buf_add_str(&r->command, text);
}

static void end_command(struct reader *r)
{
    r->in_command = false;
    if (r->command.len && r->command.ptr[r->command.len - 1] == '"')
        r->command.len--;
}

/* Handles the line if it continues the current run. */
static bool continue_run(struct reader *r, struct ps_str text)
{
    switch (r->form) {
    case VERBOSE:
        if (!ps_time_parse_label(text, &r->run)) {
            if (r->in_command)
                continue_command(r, text);
            return r->in_command;
        }
        if (r->in_command)
            end_command(r);
        r->lines++;
        if (r->run.has_field[PS_TIME_EXIT_STATUS])
            close_run(r);
        return true;
    case DEFAULT:
        r->lines += parse_gnu_rest(text, &r->run);
        close_run(r);
        return r->run.has_field[PS_TIME_MAJOR_FAULTS];
    case SHELL:
        if (!ps_time_parse_shell(text, r->shell, &r->run))
            break;
        r->lines++;
        if (++r->shell == 3)
            close_run(r);
        return true;
    case BSD:
        if (!ps_time_parse_bsd_resource(text, &r->run))
            break;
        r->lines++;
        return true;
    case NO_RUN:
        return false;
    }
    close_run(r);
    return false;
}

static bool begins_run(struct reader *r, struct ps_str text)
{
    struct ps_time_report run = {.has_field = {false}};
    struct ps_str command;

    if (ps_time_parse_command(text, &command)) {
        const char *end = command.ptr + command.len;

        open_run(r, VERBOSE);
        copy_command(r, command);
        r->in_command = end == text.ptr + text.len || *end != '"';
    } else if (parse_gnu(text, &run)) {
        open_run(r, DEFAULT);
        r->run = run;
    } else if (ps_time_parse_zsh(text, &run) || ps_time_parse_tcsh(text, &run)) {
        open_run(r, SHELL);
        r->run = run;
        r->shell = 3;
        copy_command(r, run.command);
        close_run(r);
    } else if (ps_time_parse_shell(text, 0, &run)) {
        open_run(r, SHELL);
        r->run = run;
        r->shell = 1;
    } else if (ps_time_parse_bsd(text, &run)) {
        open_run(r, BSD);
        r->run = run;
    } else {
        return false;
    }
    return true;
}

/* With -v every line has a label. A line without a label is truncated or mixed with other
 * output. */
static void note_unknown_line(struct reader *r, struct ps_str text)
{
    struct ps_str rest = text;

    ps_printed_skip_blanks(&rest);
    if (r->form != VERBOSE || rest.len == 0 || rest.ptr == text.ptr)
        return;
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                     "this line of time -v cannot be read");
}

static void parse_line(struct reader *r)
{
    struct ps_str text = r->in.line.text;

    if (ps_report_trim_end(text).len == 0) /* pasted text may have an empty line after each line */
        return;
    if (continue_run(r, text) || begins_run(r, text))
        return;
    if (ps_time_parse_end(text, &r->signal, &r->code)) {
        close_run(r);
        r->has_ended = true;
        r->stored++;
        return;
    }
    note_unknown_line(r, text);
}

/* Only GNU time's default report has lines long enough to be wrapped by terminals. */
static enum ps_report_row classify_row(const void *reader, struct ps_str text)
{
    struct ps_time_report run = {.has_field = {false}};

    (void)reader;
    if (parse_gnu(text, &run) || parse_gnu_rest(text, &run))
        return PS_ROW_COMPLETE;
    return ps_str_find(text, PS_STR("user ")) && ps_str_find(text, PS_STR("elapsed "))
               ? PS_ROW_INCOMPLETE
               : PS_ROW_NONE;
}

static bool has_value(struct ps_str line)
{
    struct ps_time_report run = {.has_field = {false}};
    struct ps_str command;

    for (int which = 0; which < 3; which++)
        if (ps_time_parse_shell(line, which, &run))
            return true;
    if (ps_time_parse_command(line, &command))
        return line.ptr[line.len - 1] == '"';
    return ps_time_parse_label(line, &run) || parse_gnu(line, &run) || parse_gnu_rest(line, &run) ||
           ps_time_parse_zsh(line, &run) || ps_time_parse_tcsh(line, &run) ||
           ps_time_parse_bsd(line, &run) || ps_time_parse_bsd_resource(line, &run);
}

/* Whether more lines have values in the unwrapped text. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count_lines(unwrapped, has_value) > ps_report_count_lines(head, has_value);
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        ps_report_rejoin(&r->in, classify_row, NULL);
        parse_line(r);
        if (r->runs > RUNS_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset,
                              "the log has more than %d timed commands", RUNS_MAX);
        if (ps_report_check(&r->in, r->builder.out, r->runs, err) != PS_OK)
            return PS_CANCELLED;
    }
    close_run(r);
    return ps_stream_status(r->in.in, err);
}

/* Writes the times of the only command as numbers of the run: one that is computed, CPU time, has
 * no row. */
static void write_summary(struct reader *r)
{
    const struct ps_printed_number *values = r->complete.values;
    const bool *has = r->complete.has_field;

    if (r->runs != 1)
        return;
    if (has[PS_TIME_REAL])
        r->builder.out->ops->number(r->builder.out, "real_s", ps_real(values[PS_TIME_REAL].value));
    if (has[PS_TIME_USER] && has[PS_TIME_SYS])
        r->builder.out->ops->number(
            r->builder.out, "cpu_s",
            ps_real(values[PS_TIME_USER].value + values[PS_TIME_SYS].value));
}

static void write_all(struct reader *r)
{
    ps_sink_meta(r->builder.out, "tool", PS_STR("time"));
    r->builder.out->ops->number(r->builder.out, "runs", ps_int((int64_t)r->runs));
    write_summary(r);
    if (r->unfinished)
        ps_sink_note(r->builder.out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "commands whose report is truncated before the elapsed time: %llu",
                     (unsigned long long)r->unfinished);
    if (r->rejected > NOTES_MAX)
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                     "more lines that cannot be read: %llu",
                     (unsigned long long)(r->rejected - NOTES_MAX));
    ps_measurement_write_headline(&r->builder);
    ps_report_write_ledger(&r->in, r->builder.out, r->stored, 0, r->rejected);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out, .counted = ""}, .in = {.in = in}};
    enum ps_status status;

    ps_report_warn_wrapped(&r.in, out, is_wrapped);
    status = read_log(&r, err);
    if (status == PS_OK && r.builder.n_written == 0) {
        status = ps_fail(
            err, PS_BAD_INPUT,
            "the log names a timed command but has none of its values" PS_HINT
            "the log was truncated; measure again with `/usr/bin/time -v -o time.txt COMMAND`");
    } else if (status == PS_OK) {
        write_all(&r);
    }
    ps_report_free(&r.in);
    ps_buf_free(&r.command);
    ps_measurement_builder_free(&r.builder);
    return status;
}

/* Returns at most PS_MATCH_LIKELY, because logs of profilers may also end in such lines. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_time_report run = {.has_field = {false}};
    int shell = 0;

    while (head.len) {
        const char *end = memchr(head.ptr, '\n', head.len);
        struct ps_str line = {head.ptr, end ? (size_t)(end - head.ptr) : head.len}, command;

        head = ps_str_skip(head, line.len + 1);
        while (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (ps_time_parse_command(line, &command) || parse_gnu(line, &run) ||
            ps_time_parse_zsh(line, &run) || ps_time_parse_tcsh(line, &run) ||
            ps_time_parse_bsd(line, &run))
            return PS_MATCH_LIKELY;
        shell = ps_time_parse_shell(line, shell, &run) ? shell + 1
                : ps_time_parse_shell(line, 0, &run)   ? 1
                                                       : 0;
        if (shell == 3)
            return PS_MATCH_LIKELY;
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_time = {
    .kind = "time",
    .label = "time of commands",
    .description =
        "real, user and system time, memory, page faults and context switches of commands, as "
        "time prints them, in any log",
    .record_command = "/usr/bin/time -v -o time.txt app",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
