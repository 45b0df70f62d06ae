/* SPDX-License-Identifier: MIT */
/*
 * pyinstrument.c: reads pyinstrument's own files: its JSON report and its saved sessions.
 *
 * A report (`pyinstrument -r json`) is a tree. Times include the children; equal calls of a
 * function are joined:
 *
 *     {"start_time": 1795949494.1, "duration": 1.17, "sample_count": 326, "cpu_time": 0.32,
 *      "target_description": "Program: app.py",
 *      "root_frame": {"function": "main", "file_path": "/srv/app.py", "line_no": 9, "time": 1.17,
 *                     "children": [{"function": "[self]", "time": 0.2, ...}, ...], ...}}
 *
 * A session (.pyisession) has the same keys, but instead of a tree each sample with its stack:
 *
 *     "frame_records": [[["MainThread\0<thread>\0139863", "main\0/srv/app.py\09\1l24"], 0.001],
 * ...]
 *
 * The parts of a frame are its function, its file and the line of its `def`; attributes follow. The
 * number is the time since the previous sample. A line is always that of the `def`.
 */
#include <stdlib.h>

#include "base/json_in.h"
#include "base/mem.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/stacks/stacks.h"
#include "importers/text/clean.h"

enum { SECONDS = 9 /* power of ten that converts seconds to ns */, NOTES_MAX = 20 };

/* A call of the tree that was not read to its end. */
struct call {
    int64_t start, time; /* ns */
    bool has_begun;      /* its frame is on the stack of the track */
    bool is_self;        /* "[self]": the own time of its parent */
    uint32_t n_children;
};

struct reader {
    struct ps_json_in json;
    struct st_stacks stacks;
    struct ps_sink *out;
    struct ps_err *err;
    struct call *calls; /* from the root on */
    size_t n_calls, cap_calls;
    int64_t at; /* end of the part of the tree that was read; ns */
    struct ps_buf function, file, line, text, title, thread;
    struct ps_u32s stack;
    uint32_t track;
    bool has_track, is_session;
    struct st_decimal start_time, duration, cpu_time, sample_count;
    int64_t left_out; /* time of calls that the report leaves out; ns */
    uint64_t read, rejected, other;
};

static void reject(struct reader *r, const char *why)
{
    if (r->rejected++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, ps_json_in_offset(&r->json), 0, "%s", why);
}

static void reject_record(struct reader *r, const char *why)
{
    r->read++;
    reject(r, why);
}

static bool add_track(struct reader *r, struct ps_str name, struct ps_str tid)
{
    uint32_t process = st_process_id(&r->stacks, PS_STR(""), PS_STR(""));

    r->has_track = true;
    return st_add_track(&r->stacks, process, name, tid, &r->track, r->err) == PS_OK;
}

/* --- Values --- */

static struct ps_str next_part(struct ps_str *rest, char end)
{
    const char *stop = rest->len ? memchr(rest->ptr, end, rest->len) : NULL;
    struct ps_str part = {rest->ptr, stop ? (size_t)(stop - rest->ptr) : rest->len};

    *rest = ps_str_skip(*rest, part.len + 1);
    return part;
}

/* The parts of "main\0/srv/app.py\09\1l24"; attributes follow the first \1. */
struct place {
    struct ps_str function, file, line;
};

static struct place parse_place(struct ps_str text)
{
    struct ps_str rest = next_part(&text, '\1');
    struct place out = {.function = next_part(&rest, '\0')};

    out.file = next_part(&rest, '\0');
    out.line = next_part(&rest, '\0');
    return out;
}

static bool read_text(struct reader *r, struct ps_buf *out)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    out->len = 0;
    if (token == PS_JSON_STRING || token == PS_JSON_NUMBER)
        ps_buf_add_str(out, r->json.text);
    return ps_json_in_skip_rest(&r->json, token);
}

static bool read_decimal(struct reader *r, struct st_decimal *out)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_NUMBER || !st_parse_decimal(r->json.text, out))
        *out = (struct st_decimal){0};
    return ps_json_in_skip_rest(&r->json, token);
}

static bool read_time(struct reader *r, int64_t *out)
{
    struct st_decimal seconds;
    bool rounded = false;

    if (!read_decimal(r, &seconds))
        return false;
    if (!st_scale_decimal(&seconds, SECONDS, out, &rounded) || *out < 0) {
        *out = 0;
        reject(r, "the time of a frame is negative or too large");
    }
    return true;
}

/* --- Reports --- */

static void begin_frame(struct reader *r, struct ps_str function, struct ps_str file,
                        struct ps_str line)
{
    uint32_t frame = st_frame_id_of(&r->stacks, &r->text, function, file, line);

    (void)st_begin_frame(&r->stacks, r->track, frame, r->at, r->err);
}

static void end_frame(struct reader *r)
{
    uint32_t open = st_count_open_frames(&r->stacks, r->track);

    if (!st_end_dropped_frame(&r->stacks, r->track, r->at) && open)
        (void)st_end_frame(&r->stacks, r->track, open - 1, r->at, r->err);
}

static void begin_call(struct reader *r, struct call *call)
{
    if (call->has_begun || call->is_self)
        return;
    call->is_self = r->n_calls > 1 && ps_str_eq_c(ps_buf_slice(&r->function), "[self]");
    if (call->is_self)
        return;
    call->has_begun = true;
    begin_frame(r, ps_buf_slice(&r->function), ps_buf_slice(&r->file), ps_buf_slice(&r->line));
}

/* Own time of a call is a "[self]" below it. Other time that its children do not have is that of
 * calls that pyinstrument left out, because they took less than 1 % of the whole. */
static void end_call(struct reader *r)
{
    struct call *call = &r->calls[r->n_calls - 1];
    int64_t end = call->start + call->time, digits = 1000 * ((int64_t)call->n_children + 1);

    begin_call(r, call);
    if (call->n_children && end - r->at > digits) {
        r->left_out += end - r->at;
        begin_frame(r, PS_STR(ST_LEFT_OUT), PS_STR(""), PS_STR(""));
        r->at = end;
        end_frame(r);
    }
    r->at = end > r->at ? end : r->at;
    if (call->has_begun)
        end_frame(r);
    r->n_calls--;
}

static void open_call(struct reader *r)
{
    if (r->n_calls)
        r->calls[r->n_calls - 1].n_children++;
    PS_RESERVE_ONE(r->calls, r->n_calls, r->cap_calls);
    r->calls[r->n_calls++] = (struct call){.start = r->at};
    r->function.len = r->file.len = r->line.len = 0;
    r->read++;
}

static bool read_identifier(struct reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    struct place place;

    if (token == PS_JSON_STRING) {
        place = parse_place(r->json.text);
        ps_buf_add_str(&r->function, place.function);
        ps_buf_add_str(&r->file, place.file);
        ps_buf_add_str(&r->line, place.line);
    }
    return ps_json_in_skip_rest(&r->json, token);
}

/* Reads the value of a key of a call. `children`, an array, stays open. */
static bool read_call_key(struct reader *r)
{
    struct call *call = &r->calls[r->n_calls - 1];
    enum ps_json_token token;

    if (ps_str_eq_c(r->json.text, "identifier"))
        return read_identifier(r);
    if (ps_str_eq_c(r->json.text, "function"))
        return read_text(r, &r->function);
    if (ps_str_eq_c(r->json.text, "file_path"))
        return read_text(r, &r->file);
    if (ps_str_eq_c(r->json.text, "line_no"))
        return read_text(r, &r->line);
    if (ps_str_eq_c(r->json.text, "time"))
        return read_time(r, &call->time);
    if (!ps_str_eq_c(r->json.text, "children"))
        return ps_json_in_skip(&r->json);
    begin_call(r, call);
    token = ps_json_in_next(&r->json);
    return token == PS_JSON_ARRAY || ps_json_in_skip_rest(&r->json, token);
}

/* Reads the tree, without recursion. */
static bool read_tree(struct reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_OBJECT)
        return ps_json_in_skip_rest(&r->json, token);
    if (r->has_track || !add_track(r, PS_STR("profile"), PS_STR("")))
        return false;
    for (open_call(r); r->n_calls && r->err->code == PS_OK;) {
        token = ps_json_in_next(&r->json);
        if (token == PS_JSON_OBJECT)
            open_call(r);
        else if (token == PS_JSON_OBJECT_END)
            end_call(r);
        else if (token <= PS_JSON_INVALID || (token == PS_JSON_KEY && !read_call_key(r)))
            return false;
        else if (token != PS_JSON_KEY && token != PS_JSON_ARRAY_END)
            reject_record(r, "a child is not a frame");
        if (r->read % 4096 == 0 && ps_reading_check(r->json.in, r->out, r->read, r->err) != PS_OK)
            return false;
    }
    return r->err->code == PS_OK;
}

/* --- Sessions --- */

/* Adds the frame to the stack of the sample. A thread is the first frame of its samples, and
 * becomes the track. */
static bool push_frame(struct reader *r, struct ps_str text)
{
    struct place place = parse_place(text);

    if (ps_str_eq_c(place.file, "<thread>")) {
        if (r->has_track && ps_str_eq(ps_buf_slice(&r->thread), place.line))
            return true;
        r->thread.len = 0;
        ps_buf_add_str(&r->thread, place.line);
        r->text.len = 0;
        ps_clean_text(&r->text, place.function);
        return add_track(r, ps_buf_slice(&r->text), ps_buf_slice(&r->thread));
    }
    PS_RESERVE_ONE(r->stack.items, r->stack.n, r->stack.cap);
    r->stack.items[r->stack.n++] =
        st_frame_id_of(&r->stacks, &r->text, place.function, place.file, place.line);
    return true;
}

static void push_sample(struct reader *r, const struct st_decimal *time)
{
    size_t n = r->stack.n < ST_DEPTH_MAX ? r->stack.n : ST_DEPTH_MAX;
    int64_t ns;
    bool rounded = false;

    r->read++;
    if (!st_scale_decimal(time, SECONDS, &ns, &rounded) || ns < 0)
        reject(r, "the time of a sample is not a number, negative or too large");
    else if (!ns)
        r->other++;
    else if (r->has_track || add_track(r, PS_STR("profile"), PS_STR("")))
        (void)st_add_stack(&r->stacks, r->track, r->stack.items, (uint32_t)n, ns, r->err);
}

/* Reads [[frame, ...], seconds], whose opening bracket was read. */
static bool read_sample(struct reader *r)
{
    struct st_decimal time = {.digits = -1};
    enum ps_json_token token;

    r->stack.n = 0;
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        if (token == PS_JSON_NUMBER && !st_parse_decimal(r->json.text, &time))
            time.digits = -1;
        if (token != PS_JSON_ARRAY) {
            if (!ps_json_in_skip_rest(&r->json, token))
                return false;
            continue;
        }
        while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END)
            if (token == PS_JSON_STRING ? !push_frame(r, r->json.text)
                                        : !ps_json_in_skip_rest(&r->json, token))
                return false;
    }
    push_sample(r, &time);
    return r->err->code == PS_OK;
}

static bool read_samples(struct reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    r->is_session = true;
    if (token != PS_JSON_ARRAY)
        return ps_json_in_skip_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        if (token != PS_JSON_ARRAY)
            reject_record(r, "a record is not a sample");
        if (token == PS_JSON_ARRAY ? !read_sample(r) : !ps_json_in_skip_rest(&r->json, token))
            return false;
        if (r->read % 4096 == 0 && ps_reading_check(r->json.in, r->out, r->read, r->err) != PS_OK)
            return false;
    }
    return true;
}

/* --- Document --- */

/* Reads the members of the document, or of its "session": JSON that was taken out of an HTML report
 * has the tree beside it, as "frame_tree". */
static bool read_members(struct reader *r, bool is_session)
{
    enum ps_json_token token;
    bool good = true;

    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        if (ps_str_eq_c(r->json.text, "session") && !is_session)
            good = ps_json_in_next(&r->json) == PS_JSON_OBJECT && read_members(r, true);
        else if (ps_str_eq_c(r->json.text, "root_frame") || ps_str_eq_c(r->json.text, "frame_tree"))
            good = read_tree(r);
        else if (ps_str_eq_c(r->json.text, "frame_records"))
            good = read_samples(r);
        else if (ps_str_eq_c(r->json.text, "start_time"))
            good = read_decimal(r, &r->start_time);
        else if (ps_str_eq_c(r->json.text, "duration"))
            good = read_decimal(r, &r->duration);
        else if (ps_str_eq_c(r->json.text, "cpu_time"))
            good = read_decimal(r, &r->cpu_time);
        else if (ps_str_eq_c(r->json.text, "sample_count"))
            good = read_decimal(r, &r->sample_count);
        else if (ps_str_eq_c(r->json.text, "target_description"))
            good = read_text(r, &r->title);
        else
            good = ps_json_in_skip(&r->json);
    }
    return good && token == PS_JSON_OBJECT_END;
}

static bool read_document(struct reader *r)
{
    return ps_json_in_next(&r->json) == PS_JSON_OBJECT && read_members(r, false);
}

/* --- Reporting --- */

/* "Program: app.py --user me" becomes app.py: arguments may be secrets. */
static void write_title(struct reader *r)
{
    struct ps_str title = ps_buf_slice(&r->title);

    if (ps_str_starts_with(title, PS_STR("Program: "))) {
        title = ps_str_skip(title, strlen("Program: "));
        title = next_part(&title, ' ');
    }
    r->text.len = 0;
    ps_clean_text(&r->text, title);
    if (r->text.len)
        ps_sink_meta(r->out, "title", ps_buf_slice(&r->text));
}

static void write_times(struct reader *r)
{
    int64_t start, duration, ns;
    bool rounded = false;

    if (r->start_time.digits > 0 && st_scale_decimal(&r->start_time, 6, &start, &rounded) &&
        st_scale_decimal(&r->duration, 6, &duration, &rounded) && duration >= 0)
        ps_sink_recorded(r->out, start, start + duration);
    if (r->cpu_time.digits > 0 && st_scale_decimal(&r->cpu_time, SECONDS, &ns, &rounded))
        r->out->ops->number(r->out, "cpu_s", ps_real((double)ns / 1e9));
    if (!r->is_session && st_scale_decimal(&r->sample_count, 0, &ns, &rounded) && ns > 0)
        r->stacks.n_samples = (uint64_t)ns;
}

static void write_all(struct reader *r)
{
    struct ps_ledger ledger = {.unit = r->is_session ? "samples" : "frames",
                               .read = r->read,
                               .stored = r->read - r->rejected - r->other,
                               .rejected = r->rejected,
                               .other = r->other};

    if (r->rejected > NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0, "more notes like these: %llu",
                     (unsigned long long)(r->rejected - NOTES_MAX));
    st_note_left_out(&r->stacks, r->left_out);
    ps_sink_meta(r->out, "tool", PS_STR("pyinstrument"));
    write_title(r);
    write_times(r);
    st_write(&r->stacks);
    r->out->ops->ledger(r->out, &ledger);
}

static void reader_free(struct reader *r)
{
    st_free(&r->stacks);
    ps_json_in_free(&r->json);
    free(r->calls);
    free(r->stack.items);
    ps_buf_free(&r->function);
    ps_buf_free(&r->file);
    ps_buf_free(&r->line);
    ps_buf_free(&r->text);
    ps_buf_free(&r->title);
    ps_buf_free(&r->thread);
}

/* The samples of a session that was cut off are stored. A report that was cut off lacks times. */
static enum ps_status finish_reading(struct reader *r, bool whole)
{
    struct ps_err *err = r->err;

    if (err->code != PS_OK)
        return err->code;
    if (ps_stream_status(r->json.in, err) != PS_OK && !ps_stream_is_truncated(r->json.in))
        return err->code;
    *err = (struct ps_err)PS_ERR_INIT;
    if (!whole && (!r->is_session || r->stacks.weight <= 0))
        return r->json.error ? ps_json_in_fail(&r->json, err)
                             : ps_fail_at(err, PS_BAD_INPUT, ps_json_in_offset(&r->json),
                                          "the file is truncated" PS_HINT "copy it again");
    if (!whole)
        ps_sink_note(r->out, PS_NOTE_WARNING, ps_json_in_offset(&r->json), 0,
                     "%s; perfshelf imported the samples before that point",
                     r->json.error ? r->json.error : "the file is truncated");
    if (r->stacks.weight <= 0)
        return ps_fail(err, PS_BAD_INPUT,
                       "the profile contains no samples" PS_HINT
                       "the program may have ended before the first sample; record a longer run");
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {.json = {.in = in},
                       .out = out,
                       .stacks = {.out = out, .unit = ST_TIME, .has_def_lines = true},
                       .err = err};
    enum ps_status status = finish_reading(&r, read_document(&r));

    if (status == PS_OK)
        write_all(&r);
    reader_free(&r);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    while (head.len && strchr(" \t\r\n", head.ptr[0]) && head.ptr[0])
        head = ps_str_skip(head, 1);
    if (!head.len || head.ptr[0] != '{')
        return PS_MATCH_NO;
    return (ps_str_find(head, PS_STR("\"frame_records\"")) ||
            ps_str_find(head, PS_STR("\"start_call_stack\"")) ||
            (ps_str_find(head, PS_STR("\"session\"")) &&
             ps_str_find(head, PS_STR("\"frame_tree\""))) ||
            (ps_str_find(head, PS_STR("\"root_frame\"")) &&
             ps_str_find(head, PS_STR("\"sample_count\""))))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_pyinstrument = {
    .kind = "pyinstrument",
    .label = "pyinstrument profile",
    .description = "JSON reports and saved sessions of pyinstrument",
    .record_command = "pyinstrument -r json -o profile.json app.py",
    .sniff = sniff,
    .load = load,
};
