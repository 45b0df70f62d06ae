/* SPDX-License-Identifier: MIT */
/*
 * top.c: reads the output of `top -b`: processes over time, one table per frame.
 *
 * Columns are found by their titles, since they are configurable; sizes are in KiB unless they end
 * in m, g, t or p. The %CPU of the first frame is the average since the process began, not the
 * current rate, so the curves omit it. The clock has whole seconds and no date: frames with the
 * same second are spread evenly over that second, and a clock that decreases has passed midnight.
 */
#include <stdlib.h>

#include "base/intern.h"
#include "importers/importer.h"
#include "importers/measurements/measure.h"
#include "importers/measurements/measure_text.h"
#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/records/trace.h"
#include "importers/text/text_report.h"

enum {
    SAMPLES_MAX = 4 * 1000 * 1000,
    COLUMNS_MAX = 64,
    DAY_S = 86400,
    NOTES_MAX = 50,
};

struct sample {
    uint32_t process, frame; /* process: index; frame: from 0 */
    double cpu_pct, res_kib;
};

struct process {
    struct ps_str pid, name;
    double cpu_sum, res_most; /* cpu_sum: sum without the first frame; res_most: maximum in KiB */
    double cpu_digit, res_digit; /* maximum value of 1 in the last printed digit */
    uint32_t id, first, samples;
};

struct columns {
    int pid, res, cpu, command; /* index of the column; -1: the table lacks it */
};

struct reader {
    struct ps_measurement_builder builder;
    struct ps_report_reader in;
    struct ps_intern names; /* keys: "pid command" */
    struct process *processes;
    size_t n_processes, process_cap;
    struct sample *samples;
    size_t n_samples, sample_cap;
    double *frames; /* time of each frame, in seconds since the first frame */
    size_t n_frames, frame_cap;
    struct columns columns;
    bool in_table;
    bool paused;   /* an empty line was read: now only a row continues the table */
    size_t indent; /* bytes of the prefix that a container puts before each line */
    uint64_t rejected;
};

/* --- Parsing of a line --- */

/* Parses "top - 12:34:14 up  1:08,  0 user,  load average: ...". */
static bool read_frame(struct ps_str line, double *clock, size_t *left)
{
    const char *at = ps_str_find(line, PS_STR("top - "));
    struct ps_str rest;
    struct ps_printed_number out;

    if (!at || (at > line.ptr && at[-1] != ' ' && at[-1] != '\t'))
        return false;
    rest = ps_str_skip(line, (size_t)(at - line.ptr) + 6);
    if (!ps_printed_clock_consume(&rest, &out) || !ps_printed_word_consume(&rest, " up "))
        return false;
    *clock = out.value;
    *left = (size_t)(at - line.ptr);
    return true;
}

static bool read_header(struct ps_str line, struct columns *out)
{
    struct ps_str rest = line, word;

    *out = (struct columns){-1, -1, -1, -1};
    for (int i = 0; i < COLUMNS_MAX && (word = ps_report_pop_word(&rest)).len; i++) {
        int *at = ps_str_eq_c(word, "PID")       ? &out->pid
                  : ps_str_eq_c(word, "RES")     ? &out->res
                  : ps_str_eq_c(word, "%CPU")    ? &out->cpu
                  : ps_str_eq_c(word, "COMMAND") ? &out->command
                                                 : NULL;

        if (at)
            *at = i;
    }
    return out->pid >= 0 && (out->cpu >= 0 || out->res >= 0);
}

/* Reads "758560" or "3.0g" as KiB. */
static bool read_size(struct ps_str word, struct ps_printed_number *out)
{
    static const char suffixes[] = "kmgtp";
    const char *suffix;

    if (!ps_printed_number_consume(&word, out))
        return false;
    if (word.len == 0)
        return true;
    suffix = strchr(suffixes, word.ptr[0]);
    if (word.len != 1 || !suffix || !*suffix)
        return false;
    for (const char *at = suffixes; at < suffix; at++) {
        out->value *= 1024;
        out->resolution *= 1024;
    }
    return true;
}

struct row {
    struct ps_str pid, command;
    struct ps_printed_number cpu_pct, res_kib;
};

static bool read_row(const struct columns *c, struct ps_str line, struct row *out)
{
    struct ps_str rest = ps_report_trim_end(line), word;
    int64_t pid;

    *out = (struct row){.cpu_pct = {-1, 0}, .res_kib = {-1, 0}, .command = PS_STR("")};
    for (int i = 0; i < COLUMNS_MAX; i++) {
        if (i == c->command) { /* the last column, which may contain spaces */
            ps_printed_skip_blanks(&rest);
            out->command = rest;
            break;
        }
        word = ps_report_pop_word(&rest);
        if (word.len == 0)
            break;
        if (i == c->pid)
            out->pid = word;
        else if (i == c->res && !read_size(word, &out->res_kib))
            return false;
        else if (i == c->cpu && (!ps_printed_number_consume(&word, &out->cpu_pct) || word.len))
            return false;
    }
    return out->pid.ptr && ps_str_parse_i64(out->pid, &pid) &&
           (c->cpu < 0 || out->cpu_pct.value >= 0) && (c->res < 0 || out->res_kib.value >= 0);
}

/* --- Frames --- */

static void open_frame(struct reader *r, double clock)
{
    double last = r->n_frames ? r->frames[r->n_frames - 1] : clock;

    while (clock < last - DAY_S / 2.0) /* midnight has passed */
        clock += DAY_S;
    PS_RESERVE_ONE(r->frames, r->n_frames, r->frame_cap);
    r->frames[r->n_frames++] = clock;
    r->in_table = r->paused = false;
}

static struct process *process_of(struct reader *r, const struct row *row)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    uint32_t known = r->names.count, id;

    ps_buf_add_str(&key, row->pid);
    ps_buf_puts(&key, " ");
    ps_buf_add_str(&key, row->command);
    id = ps_intern_add(&r->names, ps_buf_slice(&key));
    if (r->names.count == known)
        return &r->processes[id];
    PS_RESERVE_ONE(r->processes, r->n_processes, r->process_cap);
    r->processes[r->n_processes++] = (struct process){
        .pid = ps_arena_copy(&r->builder.arena, row->pid),
        .name = ps_arena_copy(&r->builder.arena, row->command),
        .id = id,
    };
    return &r->processes[id];
}

static void raise_max(double *of, double value)
{
    *of = value > *of ? value : *of;
}

static void parse_row(struct reader *r, const struct row *row)
{
    struct process *process = process_of(r, row);
    uint32_t frame = (uint32_t)(r->n_frames - 1);

    if (frame > 0 && row->cpu_pct.value > 0)
        process->cpu_sum += row->cpu_pct.value;
    raise_max(&process->res_most, row->res_kib.value);
    raise_max(&process->cpu_digit, row->cpu_pct.resolution);
    raise_max(&process->res_digit, row->res_kib.resolution);
    process->samples++;
    PS_RESERVE_ONE(r->samples, r->n_samples, r->sample_cap);
    r->samples[r->n_samples++] =
        (struct sample){process->id, frame, row->cpu_pct.value, row->res_kib.value};
}

static void parse_line(struct reader *r)
{
    struct ps_str text = r->in.line.text;
    struct row row;
    double clock;

    if (read_frame(text, &clock, &r->indent)) {
        open_frame(r, clock);
        return;
    }
    text = ps_report_without_prefix(text, r->indent);
    if (r->n_frames == 0) {
        return;
    } else if (ps_report_trim_end(text).len == 0) {
        r->paused = true;
    } else if (!r->in_table) {
        r->in_table = read_header(text, &r->columns);
        r->paused = false;
    } else if (read_row(&r->columns, text, &row)) {
        parse_row(r, &row);
        r->paused = false;
    } else if (!r->paused && r->rejected++ < NOTES_MAX) {
        ps_sink_note(r->builder.out, PS_NOTE_REJECTED, r->in.line.offset, r->in.line.number,
                     "this row cannot be read");
    }
}

static enum ps_status read_log(struct reader *r, struct ps_err *err)
{
    while (ps_report_read_line(&r->in)) {
        parse_line(r);
        if (r->n_samples > SAMPLES_MAX)
            return ps_fail_at(err, PS_LIMIT, r->in.line.offset, "the log has more than %d rows",
                              SAMPLES_MAX);
        if (ps_report_check(&r->in, r->builder.out, r->n_samples, err) != PS_OK)
            return PS_CANCELLED;
    }
    return ps_stream_status(r->in.in, err);
}

/* Spreads frames of the same second evenly over it; times begin with the first frame. Returns the
 * number of frames that were spread. */
static uint64_t spread_frames(struct reader *r)
{
    uint64_t spread = 0;
    double first = r->frames[0];

    for (size_t i = 0, n; i < r->n_frames; i += n) {
        double clock = r->frames[i];

        for (n = 1; i + n < r->n_frames && r->frames[i + n] == clock;)
            n++;
        spread += n > 1 ? n : 0;
        for (size_t k = 0; k < n; k++)
            r->frames[i + k] = clock - first + (double)k / (double)n;
    }
    return spread;
}

/* --- Reporting --- */

static int busiest_first(const void *a, const void *b)
{
    const struct process *x = a, *y = b;

    if (x->cpu_sum != y->cpu_sum)
        return x->cpu_sum > y->cpu_sum ? -1 : 1;
    if (x->res_most != y->res_most)
        return x->res_most > y->res_most ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Groups the samples of a process, in order of time. */
static int by_process(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static void sort_processes(struct reader *r)
{
    uint32_t *place = ps_grow(NULL, r->n_processes, sizeof *place), first = 0;

    qsort(r->processes, r->n_processes, sizeof *r->processes, busiest_first);
    for (size_t i = 0; i < r->n_processes; i++)
        place[r->processes[i].id] = (uint32_t)i;
    for (size_t i = 0; i < r->n_samples; i++)
        r->samples[i].process = place[r->samples[i].process];
    qsort(r->samples, r->n_samples, sizeof *r->samples, by_process);
    for (size_t i = 0; i < r->n_processes; i++) {
        r->processes[i].first = first;
        first += r->processes[i].samples;
    }
    free(place);
}

enum top_column { CPU, RES };

static void write_curve(struct reader *r, const struct process *p, uint32_t id,
                        enum top_column what)
{
    uint32_t counter = 2 * (id - 1) + (what == RES) + 1;

    r->builder.out->ops->counter(r->builder.out,
                                 &(struct ps_counter){
                                     .id = counter,
                                     .process = id,
                                     .name = what == CPU ? PS_STR("CPU") : PS_STR("RES"),
                                     .unit = what == CPU ? PS_STR("%") : PS_STR("KiB"),
                                 });
    for (uint32_t i = p->first; i < p->first + p->samples; i++) {
        const struct sample *s = &r->samples[i];
        double value = what == CPU ? s->cpu_pct : s->res_kib;

        if (value >= 0 && (what == RES || s->frame > 0))
            r->builder.out->ops->counter_value(r->builder.out, counter,
                                               (int64_t)(r->frames[s->frame] * 1e9), value);
    }
}

/* Writes a row of measurements: the spread of a process over the frames. */
static void write_row(struct reader *r, const struct process *p, enum top_column what)
{
    bool one = what == CPU && r->n_frames == 1;
    struct ps_measurement row = {
        .name = ps_str_from_c(ps_arena_printf(&r->builder.arena, "%.*s %.*s", (int)p->name.len,
                                              p->name.ptr, (int)p->pid.len, p->pid.ptr)),
        .group = one           ? PS_STR("CPU since start")
                 : what == CPU ? PS_STR("CPU")
                               : PS_STR("RES"),
        .unit = what == CPU ? "%" : "KiB",
        .resolution = what == CPU ? p->cpu_digit : p->res_digit,
        .statistic = one           ? "single"
                     : what == CPU ? "mean"
                                   : "most",
    };

    for (uint32_t i = p->first; i < p->first + p->samples; i++) {
        const struct sample *s = &r->samples[i];
        double value = what == CPU ? s->cpu_pct : s->res_kib;

        if (value >= 0 && (one || what == RES || s->frame > 0))
            ps_measurement_add_sample(&r->builder, value);
    }
    if (r->builder.n_samples == 0)
        return;
    ps_measurement_compute_spread(&r->builder, &row);
    row.value = what == CPU ? row.mean : row.max;
    ps_measurement_write(&r->builder, &row, NULL);
}

static void write_processes(struct reader *r)
{
    for (size_t i = 0; i < r->n_processes; i++)
        r->builder.out->ops->process(r->builder.out, &(struct ps_process){
                                                         .id = (uint32_t)i + 1,
                                                         .pid = r->processes[i].pid,
                                                         .name = r->processes[i].name,
                                                         .labels = PS_STR(""),
                                                         .sort_key = (int64_t)i,
                                                         .device = -1,
                                                     });
    for (size_t i = 0; i < r->n_processes; i++) {
        write_curve(r, &r->processes[i], (uint32_t)i + 1, CPU);
        write_curve(r, &r->processes[i], (uint32_t)i + 1, RES);
    }
    for (size_t i = 0; i < r->n_processes; i++)
        write_row(r, &r->processes[i], CPU);
    for (size_t i = 0; i < r->n_processes; i++)
        write_row(r, &r->processes[i], RES);
}

static void write_notes(struct reader *r, uint64_t spread)
{
    struct ps_sink *out = r->builder.out;

    ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0, "%s",
                 r->n_frames > 1
                     ? "the first frame shows CPU since each process started, so the curves skip it"
                     : "the only frame shows CPU since each process started, not the current rate");
    if (spread)
        ps_sink_note(out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "frames that show the same second, which were spread evenly over it: %llu",
                     (unsigned long long)spread);
    if (r->rejected > NOTES_MAX)
        ps_sink_note(out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0,
                     "more rows that cannot be read: %llu",
                     (unsigned long long)(r->rejected - NOTES_MAX));
}

static void write_all(struct reader *r)
{
    uint64_t spread = spread_frames(r);
    double peak = 0;
    const struct {
        const char *key;
        struct ps_num value;
    } metrics[] = {
        {"frames", ps_int((int64_t)r->n_frames)},
        {"processes", ps_int((int64_t)r->n_processes)},
        {"duration_s", ps_real(r->frames[r->n_frames - 1])},
    };

    sort_processes(r);
    ps_sink_meta(r->builder.out, "tool", PS_STR("top"));
    write_processes(r);
    for (size_t i = 0; i < r->n_processes; i++)
        raise_max(&peak, r->processes[i].res_most);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        r->builder.out->ops->number(r->builder.out, metrics[i].key, metrics[i].value);
    r->builder.out->ops->number(r->builder.out, "measurements", ps_int(r->builder.n_written));
    write_notes(r, spread);
    r->builder.out->ops->headline(r->builder.out,
                                  &(struct ps_headline){peak / 1024, "MiB", "peak RES"});
    ps_report_write_ledger(&r->in, r->builder.out, r->n_samples, 0, r->rejected);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.builder = {.out = out}, .in = {.in = in}};
    enum ps_status status = read_log(&r, err);

    if (status == PS_OK && r.n_samples == 0) {
        status = ps_fail(err, PS_BAD_INPUT,
                         "the log contains no processes from top" PS_HINT
                         "the log was truncated; record again with `top -b -d 1 -n 60 > top.txt`");
    } else if (status == PS_OK) {
        write_all(&r);
    }
    ps_report_free(&r.in);
    ps_intern_free(&r.names);
    free(r.processes);
    free(r.samples);
    free(r.frames);
    ps_measurement_builder_free(&r.builder);
    return status;
}

/* Returns PS_MATCH_SURE if the log begins with a frame; otherwise another format may contain the
 * frames. */
static enum ps_match sniff(struct ps_str head)
{
    bool first = true;

    while (head.len) {
        const char *end = memchr(head.ptr, '\n', head.len);
        struct ps_str line = {head.ptr, end ? (size_t)(end - head.ptr) : head.len};
        double clock;
        size_t left;

        head = ps_str_skip(head, line.len + 1);
        if (read_frame(line, &clock, &left))
            return first ? PS_MATCH_SURE : PS_MATCH_LIKELY;
        first = first && ps_report_trim_end(line).len == 0;
    }
    return PS_MATCH_NO;
}

const struct ps_importer ps_top = {
    .kind = "top",
    .label = "top in batch mode",
    .description = "CPU and resident memory of processes over time, frame by frame",
    .record_command = "top -b -d 1 -n 60 > top.txt",
    .may_share_log = true,
    .sniff = sniff,
    .load = load,
};
