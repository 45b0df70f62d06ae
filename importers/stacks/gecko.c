/* SPDX-License-Identifier: MIT */
/*
 * gecko.c: reads profiles in the "processed" format of the Firefox Profiler, which Tachyon, samply
 * and others write.
 *
 *     {"meta": {...}, "libs": [{"name": "libc.so.6"}], "threads": [{"name": "main", "pid": "7",
 *        "samples": {"stack": [3, ...], "weight": null, "weightType": "samples",
 *                    "threadCPUDelta": [0, 950, ...]},
 *        "stackTable": {"frame": [...], "prefix": [null, 0, ...]},
 *        "frameTable": {"func": [...], "line": [...]},
 *        "funcTable": {"name": [...], "fileName": [...], "resource": [...]},
 *        "resourceTable": {"lib": [...]}, "stringArray": [...]}],
 *      "shared": {"stringArray": [...], "sources": {"filename": [...]}}}
 *
 * Tables are stored by column. Strings are after all threads since version 56, names of files in
 * `sources` since 58, all tables since 60; a stack states the distance to its prefix since 66, a
 * frame its library since 70. So all numbers remain in memory until the end of the document. A
 * sample has the weight in the file, or 1; its time is not used. A thread that used no CPU time
 * since its previous sample did not run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/json_in.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/stacks/stacks.h"
#include "importers/text/clean.h"

#define NONE 0x7fffffffu /* null, or not a valid row number */

enum { NOTES_MAX = 20 };

/* A list of strings stored back to back; ends[i] is the end offset of string i. */
struct texts {
    struct ps_buf bytes;
    size_t *ends;
    size_t n, cap;
};

struct numbers {
    int64_t *items; /* thousandths; NO_NUMBER: not a number */
    size_t n, cap;
};

#define NO_NUMBER INT64_MIN

/* The tables of a thread, or those that all threads share. */
struct tables {
    struct ps_u32s frame, prefix, prefix_offset;      /* columns of stackTable */
    struct ps_u32s func, line, frame_lib, native;     /* of frameTable */
    struct ps_u32s func_name, file, source, resource; /* of funcTable */
    struct ps_u32s resource_lib, native_lib,
        filename; /* of resourceTable, nativeSymbols, sources */
    struct texts texts;
    uint32_t *ids; /* of the frames, once they are needed; the last is that of other rows */
};

struct thread {
    struct ps_buf name, pid, tid, process, weight_type;
    struct ps_u32s stack;       /* columns of the samples table */
    struct numbers weight, cpu; /* cpu: since the previous sample of the thread */
    struct tables tables;
};

struct reader {
    struct ps_json_in json;
    struct st_stacks stacks;
    struct ps_sink *out;
    struct ps_err *err;
    struct thread *threads;
    size_t n_threads, cap_threads;
    struct tables shared;
    struct texts libs; /* names of libraries */
    struct ps_buf text, product, cpu_unit, cpu_name, cpu_count;
    bool unit_known;
    int power; /* of ten, from the unit of weights to that of st_add_stack */
    uint64_t read, rejected, zero, n_idle, n_timed; /* n_timed: samples with CPU time */
    double cpu;                                     /* sum of CPU times, in cpu_unit */
};

static void texts_free(struct texts *texts)
{
    ps_buf_free(&texts->bytes);
    free(texts->ends);
}

static void tables_free(struct tables *t)
{
    struct ps_u32s *columns[] = {&t->frame,      &t->prefix,    &t->prefix_offset, &t->func,
                                 &t->line,       &t->frame_lib, &t->native,        &t->func_name,
                                 &t->file,       &t->source,    &t->resource,      &t->resource_lib,
                                 &t->native_lib, &t->filename};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        free(columns[i]->items);
    texts_free(&t->texts);
    free(t->ids);
}

static void thread_free(struct thread *t)
{
    free(t->stack.items);
    free(t->weight.items);
    free(t->cpu.items);
    ps_buf_free(&t->name);
    ps_buf_free(&t->pid);
    ps_buf_free(&t->tid);
    ps_buf_free(&t->process);
    ps_buf_free(&t->weight_type);
    tables_free(&t->tables);
}

/* --- Reading --- */

static bool copy_text(struct ps_json_in *json, struct ps_buf *out)
{
    enum ps_json_token token = ps_json_in_next(json);

    out->len = 0;
    if (token == PS_JSON_STRING || token == PS_JSON_NUMBER)
        ps_clean_text(out, json->text);
    return ps_json_in_skip_rest(json, token);
}

static bool read_texts(struct ps_json_in *json, struct texts *out)
{
    enum ps_json_token token = ps_json_in_next(json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(json, token);
    while ((token = ps_json_in_next(json)) != PS_JSON_ARRAY_END) {
        if (token == PS_JSON_STRING)
            ps_clean_text(&out->bytes, json->text);
        if (!ps_json_in_skip_rest(json, token))
            return false;
        PS_RESERVE_ONE(out->ends, out->n, out->cap);
        out->ends[out->n++] = out->bytes.len;
    }
    return true;
}

static bool read_column(struct ps_json_in *json, struct ps_u32s *out)
{
    enum ps_json_token token = ps_json_in_next(json);

    return token == PS_JSON_ARRAY ? ps_json_in_read_u32s(json, NONE, out)
                                  : ps_json_in_skip_rest(json, token);
}

static bool read_numbers(struct ps_json_in *json, struct numbers *out)
{
    enum ps_json_token token = ps_json_in_next(json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(json, token);
    while ((token = ps_json_in_next(json)) != PS_JSON_ARRAY_END) {
        struct st_number number = {0};
        bool good = token == PS_JSON_NUMBER && st_parse_number(json->text, &number);

        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] = good ? number.thousandths : NO_NUMBER;
        if (!ps_json_in_skip_rest(json, token))
            return false;
    }
    return true;
}

/* A column of a table in the file, and the array that it is read into: one of the three. */
struct column {
    const char *name;
    struct ps_u32s *out;
    struct numbers *numbers;
    struct ps_buf *text;
};

static bool read_columns(struct ps_json_in *json, const struct column *columns, size_t n)
{
    enum ps_json_token token = ps_json_in_next(json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return ps_json_in_skip_rest(json, token);
    while (good && (token = ps_json_in_next(json)) == PS_JSON_KEY) {
        size_t i = 0;

        while (i < n && !ps_str_eq_c(json->text, columns[i].name))
            i++;
        good = i == n               ? ps_json_in_skip(json)
               : columns[i].out     ? read_column(json, columns[i].out)
               : columns[i].numbers ? read_numbers(json, columns[i].numbers)
                                    : copy_text(json, columns[i].text);
    }
    return good && token == PS_JSON_OBJECT_END;
}

/* Reads the member whose key was read, if it is a table. *known: it is. */
static bool read_table(struct reader *r, struct tables *t, bool *known)
{
    const struct {
        const char *name;
        struct column columns[4];
    } tables[] = {
        {"stackTable",
         {{.name = "frame", .out = &t->frame},
          {.name = "prefix", .out = &t->prefix},
          {.name = "prefixOffset", .out = &t->prefix_offset}}},
        {"frameTable",
         {{.name = "func", .out = &t->func},
          {.name = "line", .out = &t->line},
          {.name = "lib", .out = &t->frame_lib},
          {.name = "nativeSymbol", .out = &t->native}}},
        {"funcTable",
         {{.name = "name", .out = &t->func_name},
          {.name = "fileName", .out = &t->file},
          {.name = "source", .out = &t->source},
          {.name = "resource", .out = &t->resource}}},
        {"resourceTable", {{.name = "lib", .out = &t->resource_lib}}},
        {"nativeSymbols", {{.name = "libIndex", .out = &t->native_lib}}},
        {"sources", {{.name = "filename", .out = &t->filename}}},
    };

    *known = true;
    if (ps_str_eq_c(r->json.text, "stringArray"))
        return read_texts(&r->json, &t->texts);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        size_t n = 0;

        if (!ps_str_eq_c(r->json.text, tables[i].name))
            continue;
        while (n < 4 && tables[i].columns[n].name)
            n++;
        return read_columns(&r->json, tables[i].columns, n);
    }
    *known = false;
    return true;
}

static bool read_samples(struct reader *r, struct thread *t)
{
    const struct column columns[] = {{.name = "stack", .out = &t->stack},
                                     {.name = "weight", .numbers = &t->weight},
                                     {.name = "threadCPUDelta", .numbers = &t->cpu},
                                     {.name = "weightType", .text = &t->weight_type}};

    return read_columns(&r->json, columns, sizeof columns / sizeof *columns);
}

static bool read_thread_key(struct reader *r, struct thread *t)
{
    struct ps_json_in *json = &r->json;
    bool known, good = read_table(r, &t->tables, &known);

    if (known || !good)
        return good;
    if (ps_str_eq_c(json->text, "samples"))
        return read_samples(r, t);
    if (ps_str_eq_c(json->text, "name"))
        return copy_text(json, &t->name);
    if (ps_str_eq_c(json->text, "pid"))
        return copy_text(json, &t->pid);
    if (ps_str_eq_c(json->text, "tid"))
        return copy_text(json, &t->tid);
    return ps_str_eq_c(json->text, "processName") ? copy_text(json, &t->process)
                                                  : ps_json_in_skip(json);
}

static bool read_thread(struct reader *r)
{
    enum ps_json_token token;
    bool good = true;

    PS_RESERVE_ONE(r->threads, r->n_threads, r->cap_threads);
    r->threads[r->n_threads++] = (struct thread){0};
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY)
        good = read_thread_key(r, &r->threads[r->n_threads - 1]);
    return good && token == PS_JSON_OBJECT_END &&
           ps_reading_check(r->json.in, r->out, r->n_threads, r->err) == PS_OK;
}

static bool read_threads(struct reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END)
        if (token == PS_JSON_OBJECT ? !read_thread(r) : !ps_json_in_skip_rest(&r->json, token))
            return false;
    return true;
}

static bool read_shared(struct reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    bool good = true, known;

    if (token != PS_JSON_OBJECT)
        return ps_json_in_skip_rest(&r->json, token);
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        good = read_table(r, &r->shared, &known);
        good = good && (known || ps_json_in_skip(&r->json));
    }
    return good && token == PS_JSON_OBJECT_END;
}

/* Reads the text of the member `key` of an object and skips all other members. */
static bool read_member(struct reader *r, const char *key, struct ps_buf *out)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return ps_json_in_skip_rest(&r->json, token);
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY)
        good =
            ps_str_eq_c(r->json.text, key) ? copy_text(&r->json, out) : ps_json_in_skip(&r->json);
    return good && token == PS_JSON_OBJECT_END;
}

static bool read_meta(struct reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return ps_json_in_skip_rest(&r->json, token);
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        if (ps_str_eq_c(r->json.text, "product"))
            good = copy_text(&r->json, &r->product);
        else if (ps_str_eq_c(r->json.text, "CPUName"))
            good = copy_text(&r->json, &r->cpu_name);
        else if (ps_str_eq_c(r->json.text, "logicalCPUs"))
            good = copy_text(&r->json, &r->cpu_count);
        else if (ps_str_eq_c(r->json.text, "sampleUnits"))
            good = read_member(r, "threadCPUDelta", &r->cpu_unit);
        else
            good = ps_json_in_skip(&r->json);
    }
    return good && token == PS_JSON_OBJECT_END;
}

/* Reads the names of the libraries. */
static bool read_libs(struct reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        struct texts *libs = &r->libs;

        r->text.len = 0;
        while (token == PS_JSON_OBJECT && ps_json_in_next(&r->json) == PS_JSON_KEY)
            if (!(ps_str_eq_c(r->json.text, "name") ? copy_text(&r->json, &r->text)
                                                    : ps_json_in_skip(&r->json)))
                return false;
        if (token != PS_JSON_OBJECT && !ps_json_in_skip_rest(&r->json, token))
            return false;
        ps_buf_add_str(&libs->bytes, ps_buf_slice(&r->text));
        PS_RESERVE_ONE(libs->ends, libs->n, libs->cap);
        libs->ends[libs->n++] = libs->bytes.len;
    }
    return true;
}

static bool read_document(struct reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return false;
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        if (ps_str_eq_c(r->json.text, "threads"))
            good = read_threads(r);
        else if (ps_str_eq_c(r->json.text, "shared"))
            good = read_shared(r);
        else if (ps_str_eq_c(r->json.text, "meta"))
            good = read_meta(r);
        else if (ps_str_eq_c(r->json.text, "libs"))
            good = read_libs(r);
        else
            good = ps_json_in_skip(&r->json);
    }
    return good && token == PS_JSON_OBJECT_END;
}

/* --- Stacks --- */

static uint32_t column_value(const struct ps_u32s *column, uint32_t row)
{
    return row < column->n ? column->items[row] : NONE;
}

static struct ps_str text_at(const struct texts *texts, uint32_t id)
{
    size_t from;

    if (id >= texts->n)
        return PS_STR("");
    from = id ? texts->ends[id - 1] : 0;
    if (texts->ends[id] == from)
        return PS_STR(""); /* the byte buffer may be NULL if all strings are empty */
    return (struct ps_str){texts->bytes.ptr + from, texts->ends[id] - from};
}

static struct ps_str text_of(const struct reader *r, const struct tables *t, uint32_t id)
{
    return text_at(t->texts.n ? &t->texts : &r->shared.texts, id);
}

/* The library of a frame by the column of its version of the format. */
static struct ps_str lib_of(const struct reader *r, const struct tables *t, uint32_t frame)
{
    uint32_t func = column_value(&t->func, frame), native = column_value(&t->native, frame);
    uint32_t lib = column_value(&t->frame_lib, frame);

    if (lib == NONE)
        lib = column_value(&t->native_lib, native);
    if (lib == NONE)
        lib = column_value(&t->resource_lib, column_value(&t->resource, func));
    return text_at(&r->libs, lib);
}

/* Returns the id of the frame "name (file:line)", or "name (library)" without a file. */
static uint32_t frame_id(struct reader *r, const struct tables *t, uint32_t frame)
{
    uint32_t func = column_value(&t->func, frame), line = column_value(&t->line, frame);
    uint32_t source = column_value(&t->source, func);
    const struct tables *sources = t->filename.n ? t : &r->shared;
    struct ps_str name = text_of(r, t, column_value(&t->func_name, func));
    struct ps_str file = text_of(r, t, column_value(&t->file, func));
    struct ps_str lib = lib_of(r, t, frame);

    if (!file.len)
        file = text_of(r, t, column_value(&sources->filename, source));
    r->text.len = 0;
    ps_buf_add_str(&r->text, name.len ? name : PS_STR("(no name)"));
    if (file.len || lib.len) {
        ps_buf_puts(&r->text, " (");
        ps_buf_add_str(&r->text, file.len ? file : lib);
        if (file.len && line && line < NONE)
            ps_buf_printf(&r->text, ":%u", line);
        ps_buf_puts(&r->text, ")");
    }
    return st_frame_id(&r->stacks, ps_buf_slice(&r->text));
}

/* Returns the prefix of a stack, or NONE. A prefix must have a lower index than the stack, so that
 * every stack ends. */
static uint32_t prefix_of(const struct tables *t, uint32_t stack)
{
    uint32_t offset = column_value(&t->prefix_offset, stack), prefix;

    if (t->prefix_offset.n)
        return offset && offset <= stack ? stack - offset : NONE;
    prefix = column_value(&t->prefix, stack);
    return prefix < stack ? prefix : NONE;
}

/* Sets out[0..*n) to the frames of a stack, root first. False: more than ST_DEPTH_MAX. */
static bool unfold_stack(const struct tables *t, uint32_t stack, uint32_t *out, uint32_t *n)
{
    uint32_t depth = 0;

    for (uint32_t s = stack; s < t->frame.n; s = prefix_of(t, s))
        if (++depth > ST_DEPTH_MAX)
            return false;
    *n = depth;
    for (uint32_t s = stack; s < t->frame.n; s = prefix_of(t, s))
        out[--depth] = t->ids[t->frame.items[s] < t->func.n ? t->frame.items[s] : t->func.n];
    return true;
}

static void name_frames(struct reader *r, struct tables *t)
{
    if (t->ids)
        return;
    t->ids = ps_grow(NULL, t->func.n + 1, sizeof *t->ids);
    for (uint32_t i = 0; i < t->func.n; i++)
        t->ids[i] = frame_id(r, t, i);
    t->ids[t->func.n] = 0;
    for (size_t i = 0; i < t->frame.n; i++)
        if (t->frame.items[i] >= t->func.n) { /* some stacks refer to rows that frameTable lacks */
            t->ids[t->func.n] = frame_id(r, t, NONE);
            break;
        }
}

static void reject_thread(struct reader *r, const char *why)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0, "%s", why);
}

/* Whether the thread did not run since its previous sample; adds up the CPU time of others. The
 * first value of a thread says nothing. */
static bool is_idle(struct reader *r, const struct thread *t, size_t i)
{
    int64_t cpu = i && i < t->cpu.n ? t->cpu.items[i] : NO_NUMBER;

    r->n_timed += cpu >= 0;
    r->cpu += cpu > 0 ? (double)cpu / ST_SCALE : 0;
    return cpu == 0;
}

static void push_sample(struct reader *r, const struct thread *t, const struct tables *tables,
                        size_t i, uint32_t *path, uint32_t track)
{
    int64_t number = i < t->weight.n ? t->weight.items[i] : ST_SCALE, weight = number;
    uint32_t n;
    bool good = number >= 0 && (r->power == 3 || !__builtin_mul_overflow(number, 1000, &weight));

    r->read++;
    if (!good) {
        reject_thread(r, "the weight of a sample is not a number of at least 0");
    } else if (weight == 0) {
        r->zero++;
    } else if (!unfold_stack(tables, t->stack.items[i], path, &n)) {
        reject_thread(r, "a stack is deeper than 10000 frames");
    } else {
        if (is_idle(r, t, i) && n) {
            path[n - 1] |= ST_IDLE;
            r->n_idle++;
        }
        r->stacks.has_fractions |= weight % ST_SCALE != 0;
        (void)st_add_stack(&r->stacks, track, path, n, weight, r->err);
    }
}

/* Whether the weights of a thread have the unit of those before. */
static bool read_unit(struct reader *r, const struct thread *t)
{
    struct ps_str type = ps_buf_slice(&t->weight_type);
    enum st_unit unit = ps_str_eq_c(type, "bytes")        ? ST_BYTES
                        : ps_str_eq_c(type, "tracing-ms") ? ST_TIME
                                                          : ST_SAMPLES;

    if (!r->unit_known)
        r->stacks.unit = unit;
    r->unit_known = true;
    r->power = unit == ST_TIME ? 6 : 3;
    return r->stacks.unit == unit;
}

static void push_samples(struct reader *r, struct thread *t, uint32_t track)
{
    struct tables *tables = t->tables.frame.n ? &t->tables : &r->shared;
    uint32_t *path = ps_grow(NULL, ST_DEPTH_MAX + 1, sizeof *path);

    name_frames(r, tables);
    for (size_t i = 0; i < t->stack.n && r->err->code == PS_OK; i++) {
        push_sample(r, t, tables, i, path, track);
        if (i % 4096 == 4095)
            (void)ps_reading_check(r->json.in, r->out, r->read, r->err);
    }
    free(path);
}

static enum ps_status push_all(struct reader *r)
{
    for (size_t i = 0; i < r->n_threads && r->err->code == PS_OK; i++) {
        struct thread *t = &r->threads[i];
        struct ps_str name = ps_buf_slice(&t->name);
        uint32_t track, process;

        if (!t->stack.n)
            continue;
        if (!read_unit(r, t)) {
            r->read += t->stack.n;
            r->rejected += t->stack.n - 1;
            reject_thread(r, "a thread has weights of another unit");
            continue;
        }
        process = st_process_id(&r->stacks, ps_buf_slice(&t->pid), ps_buf_slice(&t->process));
        if (st_add_track(&r->stacks, process, name.len ? name : PS_STR("thread"),
                         ps_buf_slice(&t->tid), &track, r->err) == PS_OK)
            push_samples(r, t, track);
    }
    return r->err->code;
}

/* --- Reporting --- */

static void write_cpu_time(struct reader *r)
{
    enum st_unit unit = ST_WEIGHT;
    int power = 0;
    double seconds;
    char total[64] = "";

    (void)st_parse_unit(ps_buf_slice(&r->cpu_unit), &unit, &power);
    seconds = r->cpu * pow(10, power - 9);
    if (unit == ST_TIME) {
        (void)snprintf(total, sizeof total, "; the threads used %s of CPU time",
                       ps_format_seconds(seconds, (char[48]){0}));
        r->out->ops->number(r->out, "cpu_s", ps_real(seconds));
    }
    ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                 "samples in which the thread used no CPU time: %llu of %llu; they are waiting%s",
                 (unsigned long long)r->n_idle, (unsigned long long)r->n_timed, total);
}

static void write_all(struct reader *r)
{
    struct ps_ledger ledger = {.unit = "samples",
                               .read = r->read,
                               .stored = r->read - r->rejected - r->zero,
                               .rejected = r->rejected,
                               .other = r->zero};

    if (r->product.len)
        ps_sink_meta(r->out, "tool", ps_buf_slice(&r->product));
    if (r->cpu_name.len)
        ps_sink_meta(r->out, "cpu", ps_buf_slice(&r->cpu_name));
    if (r->cpu_count.len && !ps_str_eq_c(ps_buf_slice(&r->cpu_count), "0"))
        ps_sink_meta(r->out, "cores", ps_buf_slice(&r->cpu_count));
    st_write(&r->stacks);
    if (r->n_timed)
        write_cpu_time(r);
    ps_sink_note(
        r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
        "perfshelf reads sample counts only; sample times, markers and counters are skipped");
    r->out->ops->ledger(r->out, &ledger);
}

/* Determines the status after reading. A truncated file is rejected, because threads without
 * complete tables cannot be shown. */
static enum ps_status finish_reading(struct reader *r, bool whole)
{
    struct ps_err *err = r->err;

    if (err->code != PS_OK)
        return err->code;
    if (ps_stream_status(r->json.in, err) != PS_OK && !ps_stream_is_truncated(r->json.in))
        return err->code;
    *err = (struct ps_err)PS_ERR_INIT;
    if (!whole && r->json.error)
        return ps_json_in_fail(&r->json, err);
    if (!whole)
        return ps_fail_at(err, PS_BAD_INPUT, ps_json_in_offset(&r->json),
                          "the file is truncated: its tables are incomplete");
    if (push_all(r) != PS_OK)
        return err->code;
    if (r->stacks.n_samples == 0)
        ps_fail(err, PS_BAD_INPUT,
                "the profile contains no samples" PS_HINT
                "the program may have ended before the first sample; record a longer run");
    return err->code;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.json = {.in = in}, .out = out, .stacks = {.out = out}, .err = err};
    enum ps_status status = finish_reading(&r, read_document(&r));

    if (status == PS_OK)
        write_all(&r);
    for (size_t i = 0; i < r.n_threads; i++)
        thread_free(&r.threads[i]);
    free(r.threads);
    tables_free(&r.shared);
    texts_free(&r.libs);
    st_free(&r.stacks);
    ps_json_in_free(&r.json);
    ps_buf_free(&r.text);
    ps_buf_free(&r.product);
    ps_buf_free(&r.cpu_name);
    ps_buf_free(&r.cpu_count);
    ps_buf_free(&r.cpu_unit);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    while (head.len && head.ptr[0] && strchr(" \t\r\n", head.ptr[0]))
        head = ps_str_skip(head, 1);
    if (!head.len || head.ptr[0] != '{' || !ps_str_find(head, PS_STR("\"meta\"")))
        return PS_MATCH_NO;
    return ps_str_find(head, PS_STR("\"preprocessedProfileVersion\"")) ? PS_MATCH_SURE
                                                                       : PS_MATCH_NO;
}

const struct ps_importer ps_gecko = {
    .kind = "gecko",
    .label = "Firefox Profiler profile",
    .description = "processed profiles of the Firefox Profiler: Tachyon, samply and others",
    .record_command = "python -m profiling.sampling run --gecko -o profile.json app.py",
    .sniff = sniff,
    .load = load,
};
