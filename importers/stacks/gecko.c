/* SPDX-License-Identifier: MIT */
/*
 * gecko.c: reads profiles in the "processed" format of the Firefox Profiler, which Tachyon, samply
 * and others write.
 *
 *     {"meta": {...}, "libs": [], "threads": [{"name": "Thread-1", "pid": "7", "tid": 7,
 *        "samples": {"stack": [3, ...], "weight": null, "weightType": "samples"},
 *        "stackTable": {"frame": [...], "prefix": [null, 0, ...]},
 *        "frameTable": {"func": [...], "line": [...]},
 *        "funcTable": {"name": [...], "fileName": [...]},
 *        "stringArray": [...]}], "shared": {"stringArray": [...]}}
 *
 * Tables are stored by column. The strings may be in the thread or, since version 56, after all
 * threads, so the numbers of all threads remain in memory until the end of the document. A sample
 * has the weight in the file, or 1; its time is not used.
 */
#include <stdlib.h>

#include "base/json_in.h"
#include "importers/reading.h"
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

struct thread {
    struct ps_buf name, pid, tid, process;
    struct ps_u32s stack, weight;   /* columns of the samples table */
    struct ps_u32s frame, prefix;   /* columns of stackTable */
    struct ps_u32s func, line;      /* columns of frameTable */
    struct ps_u32s func_name, file; /* columns of funcTable */
    struct texts texts;
};

struct reader {
    struct ps_json_in json;
    struct st_stacks stacks;
    struct ps_sink *out;
    struct ps_err *err;
    struct thread *threads;
    size_t n_threads, cap_threads;
    struct texts shared;
    struct ps_buf text, product;
    uint64_t read, rejected, zero;
};

static void texts_free(struct texts *texts)
{
    ps_buf_free(&texts->bytes);
    free(texts->ends);
}

static void thread_free(struct thread *t)
{
    struct ps_u32s *columns[] = {&t->stack, &t->weight, &t->frame,     &t->prefix,
                                 &t->func,  &t->line,   &t->func_name, &t->file};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        free(columns[i]->items);
    ps_buf_free(&t->name);
    ps_buf_free(&t->pid);
    ps_buf_free(&t->tid);
    ps_buf_free(&t->process);
    texts_free(&t->texts);
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

/* A column to read from a table. */
struct column {
    const char *name;
    struct ps_u32s *out;
};

static bool read_table(struct ps_json_in *json, const struct column *columns, size_t n)
{
    enum ps_json_token token = ps_json_in_next(json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return ps_json_in_skip_rest(json, token);
    while (good && (token = ps_json_in_next(json)) == PS_JSON_KEY) {
        size_t i = 0;

        while (i < n && !ps_str_eq_c(json->text, columns[i].name))
            i++;
        good = i < n ? read_column(json, columns[i].out) : ps_json_in_skip(json);
    }
    return good && token == PS_JSON_OBJECT_END;
}

static bool read_thread_key(struct reader *r, struct thread *t)
{
    struct ps_json_in *json = &r->json;
    struct ps_str key = json->text;

    if (ps_str_eq_c(key, "samples"))
        return read_table(json, (struct column[]){{"stack", &t->stack}, {"weight", &t->weight}}, 2);
    if (ps_str_eq_c(key, "stackTable"))
        return read_table(json, (struct column[]){{"frame", &t->frame}, {"prefix", &t->prefix}}, 2);
    if (ps_str_eq_c(key, "frameTable"))
        return read_table(json, (struct column[]){{"func", &t->func}, {"line", &t->line}}, 2);
    if (ps_str_eq_c(key, "funcTable"))
        return read_table(json, (struct column[]){{"name", &t->func_name}, {"fileName", &t->file}},
                          2);
    if (ps_str_eq_c(key, "stringArray"))
        return read_texts(json, &t->texts);
    if (ps_str_eq_c(key, "name"))
        return copy_text(json, &t->name);
    if (ps_str_eq_c(key, "pid"))
        return copy_text(json, &t->pid);
    if (ps_str_eq_c(key, "tid"))
        return copy_text(json, &t->tid);
    return ps_str_eq_c(key, "processName") ? copy_text(json, &t->process) : ps_json_in_skip(json);
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

/* Reads the member `key` of an object and skips all other members. */
static bool read_member(struct reader *r, const char *key)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return ps_json_in_skip_rest(&r->json, token);
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        if (!ps_str_eq_c(r->json.text, key))
            good = ps_json_in_skip(&r->json);
        else
            good =
                key[0] == 's' ? read_texts(&r->json, &r->shared) : copy_text(&r->json, &r->product);
    }
    return good && token == PS_JSON_OBJECT_END;
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
            good = read_member(r, "stringArray");
        else if (ps_str_eq_c(r->json.text, "meta"))
            good = read_member(r, "product");
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

static struct ps_str text_of(const struct reader *r, const struct thread *t, uint32_t id)
{
    const struct texts *texts = t->texts.n ? &t->texts : &r->shared;
    size_t from;

    if (id >= texts->n)
        return PS_STR("");
    from = id ? texts->ends[id - 1] : 0;
    if (texts->ends[id] == from)
        return PS_STR(""); /* the byte buffer may be NULL if all strings are empty */
    return (struct ps_str){texts->bytes.ptr + from, texts->ends[id] - from};
}

/* Returns the id of the frame "name (file:line)". */
static uint32_t frame_id(struct reader *r, const struct thread *t, uint32_t frame)
{
    uint32_t func = column_value(&t->func, frame), line = column_value(&t->line, frame);
    struct ps_str name = text_of(r, t, column_value(&t->func_name, func));
    struct ps_str file = text_of(r, t, column_value(&t->file, func));

    r->text.len = 0;
    ps_buf_add_str(&r->text, name.len ? name : PS_STR("(no name)"));
    if (file.len) {
        ps_buf_puts(&r->text, " (");
        ps_buf_add_str(&r->text, file);
        if (line && line < NONE)
            ps_buf_printf(&r->text, ":%u", line);
        ps_buf_puts(&r->text, ")");
    }
    return st_frame_id(&r->stacks, ps_buf_slice(&r->text));
}

/* Returns the prefix of a stack, or NONE. A prefix must have a lower index than the stack, so that
 * every stack ends. */
static uint32_t prefix_of(const struct thread *t, uint32_t stack)
{
    uint32_t prefix = column_value(&t->prefix, stack);

    return prefix < stack ? prefix : NONE;
}

/* Sets out[0..*n) to the frames of a stack, root first. False: more than ST_DEPTH_MAX. */
static bool unfold_stack(const struct thread *t, const uint32_t *ids, uint32_t stack, uint32_t *out,
                         uint32_t *n)
{
    uint32_t depth = 0;

    for (uint32_t s = stack; s < t->frame.n; s = prefix_of(t, s))
        if (++depth > ST_DEPTH_MAX)
            return false;
    *n = depth;
    for (uint32_t s = stack; s < t->frame.n; s = prefix_of(t, s))
        out[--depth] = ids[t->frame.items[s] < t->func.n ? t->frame.items[s] : t->func.n];
    return true;
}

static void reject_thread(struct reader *r, const char *why)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0, "%s", why);
}

static void push_sample(struct reader *r, const struct thread *t, size_t i, const uint32_t *ids,
                        uint32_t *path, uint32_t track)
{
    uint32_t weight = i < t->weight.n ? t->weight.items[i] : 1, n;

    r->read++;
    if (weight == NONE)
        reject_thread(r, "the weight of a sample is not a whole number of at least 0");
    else if (weight == 0)
        r->zero++;
    else if (!unfold_stack(t, ids, t->stack.items[i], path, &n))
        reject_thread(r, "a stack is deeper than 10000 frames");
    else
        (void)st_add_stack(&r->stacks, track, path, n, (int64_t)weight * ST_SCALE, r->err);
}

static void push_samples(struct reader *r, const struct thread *t, uint32_t track)
{
    uint32_t *ids = ps_grow(NULL, t->func.n + 1, sizeof *ids);
    uint32_t *path = ps_grow(NULL, ST_DEPTH_MAX + 1, sizeof *path);

    for (uint32_t i = 0; i < t->func.n; i++)
        ids[i] = frame_id(r, t, i);
    ids[t->func.n] = 0;
    for (size_t i = 0; i < t->frame.n; i++)
        if (t->frame.items[i] >= t->func.n) /* some stacks refer to rows that frameTable lacks */
            ids[t->func.n] = frame_id(r, t, NONE);
    for (size_t i = 0; i < t->stack.n && r->err->code == PS_OK; i++) {
        push_sample(r, t, i, ids, path, track);
        if (i % 4096 == 4095)
            (void)ps_reading_check(r->json.in, r->out, r->read, r->err);
    }
    free(ids);
    free(path);
}

static enum ps_status push_all(struct reader *r)
{
    for (size_t i = 0; i < r->n_threads && r->err->code == PS_OK; i++) {
        const struct thread *t = &r->threads[i];
        struct ps_str name = ps_buf_slice(&t->name);
        uint32_t track, process;

        if (!t->stack.n)
            continue;
        process = st_process_id(&r->stacks, ps_buf_slice(&t->pid), ps_buf_slice(&t->process));
        if (st_add_track(&r->stacks, process, name.len ? name : PS_STR("thread"),
                         ps_buf_slice(&t->tid), &track, r->err) == PS_OK)
            push_samples(r, t, track);
    }
    return r->err->code;
}

/* --- Reporting --- */

static void write_all(struct reader *r)
{
    struct ps_ledger ledger = {.unit = "samples",
                               .read = r->read,
                               .stored = r->read - r->rejected - r->zero,
                               .rejected = r->rejected,
                               .other = r->zero};

    if (r->product.len)
        r->out->ops->meta(r->out, "tool", ps_buf_slice(&r->product));
    st_write(&r->stacks);
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
    texts_free(&r.shared);
    st_free(&r.stacks);
    ps_json_in_free(&r.json);
    ps_buf_free(&r.text);
    ps_buf_free(&r.product);
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
