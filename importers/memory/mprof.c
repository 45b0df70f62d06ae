/* SPDX-License-Identifier: MIT */
/*
 * mprof.c: reads recordings of `mprof run`: memory over time.
 *
 *    CMDLINE python app.py
 *    MEM 54.296875 1743651321.0864           MiB of the process, seconds since 1970
 *    CHLD 3 418.707031 1652118097.4418       of a child process (--multiprocess)
 *    FUNC app.f 46.2 1743651321.1 57.7 1743651321.9 0    a call of a @profile'd function, level
 *
 * Lines are in any order: FUNC lines are written when the process ends, or before all others.
 * `mprof run -o FILE` appends: a file may contain several recordings, each with the FUNC lines
 * before its CMDLINE. The time between two recordings is left out: the next one begins where the
 * last one ends. Tested with memory_profiler 0.5x to 0.61.
 */
#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "importers/importer.h"
#include "importers/records/memory_curve.h"
#include "importers/records/run.h"
#include "importers/text/line_names.h"
#include "importers/text/text_report.h"

enum {
    SAMPLES_MAX = 16 * 1000 * 1000,
    NOTES_MAX = 50,
};

struct reader {
    struct ps_report_reader in;
    struct ps_sink *out;
    struct ps_intern functions, children;
    struct ps_buf command;
    uint64_t commands, samples, of_children, spans, repaired, rejected, commas, backward, negative;
    double first_t, last_t, previous_t, peak, peak_t, child_peak, child_peak_t;
    /* sums over the samples of the main process; t: seconds since its first sample; m: MiB */
    double sum_t, sum_m, sum_tt, sum_tm;
    bool has_begun;
    double shift_s;       /* time between recordings, which is subtracted from all times */
    bool is_new;          /* a CMDLINE was read, but no sample of its recording */
    struct ps_span *held; /* calls that began after the last sample: maybe of the next recording */
    size_t n_held, cap_held;
    struct ps_arena texts;
    double main_t;
    uint64_t others, other_offset, other_line;
};

/* --- Parsing of a line --- */

struct sample {
    struct ps_num mib, child;
    double t_s;
};

static bool parse_real(struct ps_str *rest, double *out)
{
    struct ps_num number;

    if (!ps_report_parse_number(ps_report_pop_word(rest), &number))
        return false;
    *out = ps_num_to_real(number);
    return true;
}

static bool parse_count(struct ps_str *rest, struct ps_num *out)
{
    return ps_report_parse_number(ps_report_pop_word(rest), out) && out->kind == PS_NUM_INT &&
           out->i >= 0;
}

/* Parses the fields after MEM or CHLD. Sets *more if further fields follow, which mprof ignores. */
static bool read_sample(struct ps_str rest, bool child, struct sample *out, bool *more)
{
    *out = (struct sample){0};
    if (child && !parse_count(&rest, &out->child))
        return false;
    if (!ps_report_parse_number(ps_report_pop_word(&rest), &out->mib) ||
        !parse_real(&rest, &out->t_s))
        return false;
    *more = ps_report_trim_end(rest).len > 0;
    return true;
}

/* Removes the last word from *rest and returns it. */
static struct ps_str last_word(struct ps_str *rest)
{
    size_t n = 0;

    *rest = ps_report_trim_end(*rest);
    while (n < rest->len && rest->ptr[rest->len - 1 - n] != ' ')
        n++;
    rest->len -= n;
    return (struct ps_str){rest->ptr + rest->len, n};
}

static bool read_backward(struct ps_str rest, bool level, struct ps_span *out)
{
    struct ps_num end_s, start_s;

    *out = (struct ps_span){0};
    if (level && (!ps_report_parse_number(last_word(&rest), &out->level) ||
                  out->level.kind != PS_NUM_INT || out->level.i < 0))
        return false;
    if (!ps_report_parse_number(last_word(&rest), &end_s) ||
        !ps_report_parse_number(last_word(&rest), &out->end_mib) ||
        !ps_report_parse_number(last_word(&rest), &start_s) ||
        !ps_report_parse_number(last_word(&rest), &out->start_mib))
        return false;
    out->start_s = ps_num_to_real(start_s);
    out->end_s = ps_num_to_real(end_s);
    while (rest.len && rest.ptr[0] == ' ')
        rest = ps_str_skip(rest, 1);
    out->name = ps_report_trim_end(rest);
    return out->name.len > 0;
}

/* Names may contain spaces, so numbers are read from the end. Since 2020 the last number is the
 * stack level. */
static bool read_span(struct ps_str rest, struct ps_span *out)
{
    return read_backward(rest, true, out) || read_backward(rest, false, out);
}

/* --- Samples and spans --- */

static void update_time(struct reader *r, double t_s)
{
    if (!r->has_begun || t_s < r->first_t)
        r->first_t = t_s;
    if (!r->has_begun || t_s > r->last_t)
        r->last_t = t_s;
    r->has_begun = true;
}

static void add_main(struct reader *r, const struct sample *s)
{
    double mib = ps_num_to_real(s->mib), t;

    if (r->samples++ == 0) {
        r->main_t = r->previous_t = s->t_s;
        r->peak = mib;
        r->peak_t = s->t_s;
    }
    r->backward += s->t_s < r->previous_t;
    r->previous_t = s->t_s;
    if (mib > r->peak) {
        r->peak = mib;
        r->peak_t = s->t_s;
    }
    t = s->t_s - r->main_t;
    r->sum_t += t;
    r->sum_m += mib;
    r->sum_tt += t * t;
    r->sum_tm += t * mib;
}

static void add_child(struct reader *r, const struct sample *s)
{
    double mib = ps_num_to_real(s->mib);

    if (r->of_children++ == 0 || mib > r->child_peak) {
        r->child_peak = mib;
        r->child_peak_t = s->t_s;
    }
    (void)ps_intern_add(&r->children,
                        (struct ps_str){(const char *)&s->child.i, sizeof s->child.i});
}

static void write_span(struct reader *r, struct ps_span span)
{
    span.start_s -= r->shift_s;
    span.end_s -= r->shift_s;
    update_time(r, span.start_s);
    update_time(r, span.end_s);
    (void)ps_intern_add(&r->functions, span.name);
    r->out->ops->span(r->out, &span);
}

static void write_held_spans(struct reader *r)
{
    for (size_t i = 0; i < r->n_held; i++)
        write_span(r, r->held[i]);
    r->n_held = 0;
}

/* Begins the next recording with its first sample. */
static void begin_recording(struct reader *r, double t_s)
{
    if (r->is_new && r->has_begun && t_s - r->shift_s > r->last_t)
        r->shift_s = t_s - r->last_t;
    r->is_new = false;
    write_held_spans(r);
}

static void parse_sample(struct reader *r, struct sample *s, bool child)
{
    struct ps_memory_sample told = {
        .process = s->child, .kind = child ? "child" : "rss", .mib = s->mib};

    if (r->is_new)
        begin_recording(r, s->t_s);
    told.t_s = s->t_s -= r->shift_s;
    update_time(r, s->t_s);
    r->negative += ps_num_to_real(s->mib) < 0;
    if (child)
        add_child(r, s);
    else
        add_main(r, s);
    r->out->ops->memory(r->out, &told);
}

static void parse_span(struct reader *r, const struct ps_span *span)
{
    r->spans++;
    if (!r->samples || span->start_s - r->shift_s <= r->previous_t) {
        write_span(r, *span);
        return;
    }
    PS_RESERVE_ONE(r->held, r->n_held, r->cap_held);
    r->held[r->n_held] = *span;
    r->held[r->n_held++].name = ps_arena_copy(&r->texts, span->name);
}

static void reject_line(struct reader *r)
{
    struct ps_str text = r->in.line.text;

    r->commas += text.len && memchr(text.ptr, ',', text.len);
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                     "the fields of this line cannot be read");
}

static void repair_line(struct reader *r, const char *what)
{
    if (r->repaired++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REPAIRED, r->in.line.offset, r->in.line.number, "%s", what);
}

static void count_other_line(struct reader *r, struct ps_str text)
{
    static const struct ps_str command = PS_STR("CMDLINE ");

    if (ps_str_starts_with(text, command)) {
        r->is_new = r->samples + r->of_children > 0;
        if (r->commands++ == 0)
            ps_buf_add_str(&r->command, ps_report_trim_end(ps_str_skip(text, command.len)));
    } else if (ps_report_trim_end(text).len && r->others++ == 0) {
        r->other_offset = r->in.line.offset;
        r->other_line = r->in.line.number;
    }
}

static void parse_line(struct reader *r)
{
    struct ps_str text = r->in.line.text, rest = text, word = ps_report_pop_word(&rest);
    bool child = ps_str_eq_c(word, "CHLD"), more = false;
    struct sample sample;
    struct ps_span span;

    if (ps_str_eq_c(word, "MEM") || child) {
        if (!read_sample(rest, child, &sample, &more)) {
            reject_line(r);
            return;
        }
        parse_sample(r, &sample, child);
        if (more)
            repair_line(r, "text after the sample was skipped");
    } else if (ps_str_eq_c(word, "FUNC")) {
        if (!read_span(rest, &span)) {
            reject_line(r);
            return;
        }
        parse_span(r, &span);
        if (r->in.line.is_repaired)
            repair_line(r, "the function name contains invalid UTF-8");
    } else {
        count_other_line(r, text);
    }
}

static enum ps_status read_recording(struct reader *r, struct ps_err *err)
{

    while (ps_report_read_line(&r->in)) {
        parse_line(r);
        if (r->samples + r->of_children + r->spans > SAMPLES_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the file has more than %d samples",
                              SAMPLES_MAX);
        if (ps_report_check(&r->in, r->out, r->samples, err) != PS_OK)
            return PS_CANCELLED;
    }
    write_held_spans(r);
    return ps_stream_status(r->in.in, err);
}

static enum ps_status refuse_empty(struct reader *r, struct ps_err *err)
{
    if (r->commas)
        return ps_fail(err, PS_BAD_INPUT,
                       "the recording writes its numbers with decimal commas" PS_HINT
                       "mprof itself cannot read it; record again with LC_ALL=C");
    return ps_fail(
        err, PS_BAD_INPUT,
        "the recording contains no samples" PS_HINT
        "the program ended before mprof took a sample; record with a shorter --interval");
}

/* --- Reporting --- */

/* Slope of the straight line fitted to the samples of the main process, in MiB per second. */
static struct ps_num memory_slope(const struct reader *r)
{
    double n = (double)r->samples, below = n * r->sum_tt - r->sum_t * r->sum_t, value;

    if (r->samples < 2 || r->commands > 1 || !(below > 0))
        return (struct ps_num){0};
    value = (n * r->sum_tm - r->sum_t * r->sum_m) / below;
    return isfinite(value) ? ps_real(value) : (struct ps_num){0};
}

static bool is_python(struct ps_str word)
{
    return ps_str_starts_with(ps_base_name(word), PS_STR("python"));
}

/* Returns the program's name in a command line, without the interpreter and its options. */
static struct ps_str program_name(struct ps_str command)
{
    struct ps_str word = ps_report_pop_word(&command), first = word;

    if (!is_python(word))
        return ps_base_name(word);
    while ((word = ps_report_pop_word(&command)).len && word.ptr[0] == '-') {
        if (ps_str_eq_c(word, "-c"))
            return ps_base_name(first);
        if (ps_str_eq_c(word, "-X") || ps_str_eq_c(word, "-W"))
            (void)ps_report_pop_word(&command);
    }
    return word.len ? ps_base_name(word) : ps_base_name(first);
}

static void write_notes(struct reader *r)
{
    ps_sink_count(
        r->out, PS_NOTE_WARNING, r->commands > 1 ? r->commands : 0,
        "recordings in this file, shown one after the other on one time axis, without the time "
        "between them");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->backward, "samples earlier than the one before them");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->negative, "samples with negative memory");
    if (r->others)
        ps_sink_note(r->out, PS_NOTE_INFO, r->other_offset, r->other_line,
                     "lines of other kinds: %llu (this is the first)",
                     (unsigned long long)r->others);
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejected > NOTES_MAX ? r->rejected - NOTES_MAX : 0,
                  "more lines whose fields cannot be read");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->repaired > NOTES_MAX ? r->repaired - NOTES_MAX : 0,
                  "more lines that were repaired");
}

static void write_summary(struct reader *r, double peak, double peak_t)
{
    const struct {
        const char *key;
        struct ps_num value;
    } metrics[] = {
        {"samples", ps_int((int64_t)(r->samples + r->of_children))},
        {"processes", ps_int((r->samples > 0) + (int64_t)r->children.count)},
        {"functions", ps_int(r->functions.count)},
        {"peak_mib", ps_real(peak)},
        {"peak_t_s", ps_real(peak_t - r->first_t)},
        {"start_s", ps_real(r->first_t)},
        {"duration_s", ps_real(r->last_t - r->first_t)},
        {"slope_mib_s", memory_slope(r)},
    };

    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        r->out->ops->number(r->out, metrics[i].key, metrics[i].value);
    if (r->first_t >= 0 && r->last_t + r->shift_s < 1e10)
        ps_sink_recorded(r->out, (int64_t)(r->first_t * 1e6),
                         (int64_t)((r->last_t + r->shift_s) * 1e6));
}

static void write_all(struct reader *r)
{
    uint64_t records = r->samples + r->of_children + r->spans;
    bool main = r->samples > 0;
    double peak = main ? r->peak : r->child_peak;

    ps_sink_meta(r->out, "tool", PS_STR("mprof"));
    /* Only the program's name is stored, because the arguments may contain passwords. */
    if (r->command.len)
        ps_sink_meta(r->out, "title", program_name(ps_buf_slice(&r->command)));
    write_summary(r, peak, main ? r->peak_t : r->child_peak_t);
    write_notes(r);
    ps_report_write_ledger(&r->in, r->out, records, r->repaired, r->rejected);
    r->out->ops->headline(r->out, &(struct ps_headline){peak, "MiB", "peak RSS"});
}

static bool begins_record(struct ps_str line)
{
    static const char *const words[] = {"MEM ", "FUNC ", "CHLD ", "CMDLINE "};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ps_str_starts_with(line, ps_str_from_c(words[i])))
            return true;
    return false;
}

static bool is_other(struct ps_str line)
{
    return ps_report_trim_end(line).len && !begins_record(line);
}

/* Whether each line is a record in the unwrapped text, but not in the original text. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    return ps_report_count_lines(head, is_other) && unwrapped.len &&
           !ps_report_count_lines(unwrapped, is_other);
}

static enum ps_report_line_end find_line_end(const void *reader, struct ps_str text,
                                             struct ps_str next)
{
    (void)reader;
    (void)text;
    return begins_record(next) ? PS_LINE_END_COMPLETE : PS_LINE_END_CONTINUES;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.in = {.in = in}, .out = out};
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, find_line_end, NULL);
    status = read_recording(&r, err);
    if (status == PS_OK && r.samples + r.of_children == 0)
        status = refuse_empty(&r, err);
    else if (status == PS_OK)
        write_all(&r);
    ps_report_free(&r.in);
    ps_intern_free(&r.functions);
    ps_intern_free(&r.children);
    ps_buf_free(&r.command);
    ps_arena_free(&r.texts);
    free(r.held);
    return status;
}

/* Whether the first line that is not empty is of one of the four kinds. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_str line, rest, word;
    struct ps_span span;
    struct sample sample;
    const char *end;
    bool more;

    while (head.len && (head.ptr[0] == '\n' || head.ptr[0] == '\r' || head.ptr[0] == ' '))
        head = ps_str_skip(head, 1);
    end = head.len ? memchr(head.ptr, '\n', head.len) : NULL;
    line = ps_report_trim_end((struct ps_str){head.ptr, end ? (size_t)(end - head.ptr) : head.len});
    rest = line;
    word = ps_report_pop_word(&rest);
    if (ps_str_eq_c(word, "CMDLINE"))
        return PS_MATCH_SURE;
    if (ps_str_eq_c(word, "FUNC"))
        return read_span(rest, &span) ? PS_MATCH_SURE : PS_MATCH_NO;
    if (!ps_str_eq_c(word, "MEM") && !ps_str_eq_c(word, "CHLD"))
        return PS_MATCH_NO;
    return read_sample(rest, ps_str_eq_c(word, "CHLD"), &sample, &more) ? PS_MATCH_SURE
                                                                        : PS_MATCH_NO;
}

const struct ps_importer ps_mprof = {
    .kind = "mprof",
    .label = "mprof recording",
    .description =
        "memory of a program and its child processes over time, with calls of marked functions",
    .record_command = "mprof run app.py",
    .sniff = sniff,
    .load = load,
};
