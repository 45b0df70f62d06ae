/* SPDX-License-Identifier: MIT */
/*
 * folded.c: reads folded ("collapsed") stacks: each line has a stack, root first, and its number of
 * samples.
 *
 *     main;a;b 12                         FlameGraph's stackcollapse scripts, inferno, perf
 *     process 7:"x.py";f (x.py:3) 5       py-spy record --format raw
 *     P7;T0:7;x.py:f:3 1500               austin: microseconds, bytes in memory mode, or both
 *     tid:7;x.py:f:3 5                    python -m profiling.sampling --collapsed
 *     x.py(3):_f;y.py(4):_g 44            torch's export_stacks: microseconds of self time
 *     x.py:3:f;x.py:4:g 44                flameprof --format log: microseconds of self time
 *     x.py:3 (f);x.py:4 (g) 4096          Fil: bytes that were allocated at the peak
 *
 * The first frames of py-spy, austin and profiling.sampling name process and thread. Each thread is
 * a track, and these frames are not part of its stacks. py-spy writes the command of a process and
 * the name of a thread as they are, with any ';' in them. A stack that names no function is a
 * sample without a frame: the profiler saw the thread outside of Python code.
 */
#include <stdlib.h>

#include "base/format.h"
#include "base/json_in.h"
#include "importers/records/run.h"
#include "importers/stacks/pyspy.h"
#include "importers/stacks/stacks.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

/* A line such as "main;a b;c 12": the frames, and the number at the end. */
struct st_folded_line {
    struct ps_str stack, count; /* count is empty if the line has none */
};

/* Process and thread, as named by the first frames of a stack. */
struct st_folded_thread {
    size_t len; /* bytes of these frames, with the ';' after them; 0: the stack names no thread */
    struct st_thread_names names;
    bool is_subinterpreter;
    enum st_folded_tool { UNKNOWN_TOOL, PYSPY, AUSTIN, TACHYON, FLAMEPROF, FIL } tool;
};

/* Statistics of the first lines of a file. */
struct st_folded_guess {
    /* lines that are not blank or comments; lines with a count; lines with a count and ';' */
    size_t lines, counted, nested;
    /* lines of words that do not look like frames, as in a text with numbers */
    size_t prose;
    /* lines with two counts; lines in the format of torch's export_stacks */
    size_t pairs, torch;
    size_t flameprof, fil; /* lines whose frames are all in the format of flameprof, of Fil */
    enum st_folded_tool tool;
};

enum { FRAME_BYTES_MAX = 4096 };

/* Removes the last word from *rest, with the spaces before it, and returns it. */
static struct ps_str last_word(struct ps_str *rest)
{
    struct ps_str word = {rest->ptr + rest->len, 0};

    while (rest->len && rest->ptr[rest->len - 1] != ' ' && rest->ptr[rest->len - 1] != '\t') {
        rest->len--;
        word.ptr--;
        word.len++;
    }
    *rest = ps_report_trim_end(*rest);
    return word;
}

/* Whether the word looks like a count: "12", "-5", "1.5", or austin's "1073,0,4096". */
static bool is_count(struct ps_str word)
{
    size_t digits = 0;

    for (size_t i = 0; i < word.len; i++) {
        if (!memchr("0123456789.,+-eE", word.ptr[i], 16))
            return false;
        digits += word.ptr[i] >= '0' && word.ptr[i] <= '9';
    }
    return digits && word.ptr[0] != ',' && word.ptr[0] != 'e' && word.ptr[0] != 'E';
}

/* The line without the spaces and the "> " of a quotation that a pasted text may have. */
static struct ps_str without_quote_mark(struct ps_str line)
{
    line = ps_report_trim_end(line);
    if (ps_str_starts_with(line, PS_STR("> ")))
        line = ps_str_skip(line, 2);
    while (line.len && line.ptr[0] == ' ')
        line = ps_str_skip(line, 1);
    return line;
}

/* Splits a line into stack and count. count is empty if there is none. */
static struct st_folded_line split_count(struct ps_str text)
{
    struct st_folded_line line = {.stack = ps_report_trim_end(text)};
    struct ps_str word, rest = line.stack;

    word = last_word(&rest);
    if (!is_count(word))
        return line;
    line.count = word;
    line.stack = rest;
    return line;
}

/* Removes the first of two counts from line->stack. False: the line has only one count. */
static bool remove_first_count(struct st_folded_line *line)
{
    struct ps_str rest = line->stack, word = last_word(&rest);

    if (!rest.len || !is_count(word))
        return false;
    line->stack = rest;
    return true;
}

/* The brackets and quotation marks that are open at the end of a text. The '>' of "->" and "=>" is
 * not a bracket. */
struct brackets {
    size_t round, angle;
    bool quoted, closes;
};

static void close_bracket(struct brackets *seen, size_t *depth)
{
    seen->closes |= *depth == 0;
    *depth -= *depth > 0;
}

static struct brackets brackets_of(struct ps_str text)
{
    struct brackets seen = {0};

    /* check only the last frames, because a wrapped line is checked again after each joined
     * piece */
    if (text.len > FRAME_BYTES_MAX)
        text = ps_str_skip(text, text.len - FRAME_BYTES_MAX);
    for (size_t i = 0; i < text.len; i++) {
        char before = i ? text.ptr[i - 1] : ' ';

        if (text.ptr[i] == '"')
            seen.quoted = !seen.quoted;
        else if (text.ptr[i] == '(')
            seen.round++;
        else if (text.ptr[i] == '<')
            seen.angle++;
        else if (text.ptr[i] == ')')
            close_bracket(&seen, &seen.round);
        else if (text.ptr[i] == '>' && before != '-' && before != '=')
            close_bracket(&seen, &seen.angle);
    }
    return seen;
}

/* Whether a bracket or a quotation mark in the text is not closed. */
static bool has_open_bracket(struct ps_str text)
{
    struct brackets seen = brackets_of(text);

    return seen.round || seen.angle || seen.quoted;
}

/* Whether the text closes a bracket or quotation that was opened before it. */
static bool closes_bracket(struct ps_str text)
{
    struct brackets seen = brackets_of(text);

    return seen.closes || seen.quoted;
}

/* Whether the line is a comment, which begins with # or //. */
static bool is_comment(struct ps_str text)
{
    return ps_str_starts_with(text, PS_STR("#")) || ps_str_starts_with(text, PS_STR("//"));
}

/* Parses a comment of the form "# mode: cpu" into key and value. False: other form. */
static bool parse_comment(struct ps_str text, struct ps_str *key, struct ps_str *value)
{
    const char *colon;

    if (!ps_str_starts_with(text, PS_STR("# ")))
        return false;
    text = ps_str_skip(text, 2);
    colon = ps_str_find(text, PS_STR(": "));
    if (!colon)
        return false;
    *key = (struct ps_str){text.ptr, (size_t)(colon - text.ptr)};
    *value = ps_report_trim_end(ps_str_skip(text, key->len + 2));
    return true;
}

static struct ps_str first_frame(struct ps_str stack)
{
    const char *end = stack.len ? memchr(stack.ptr, ';', stack.len) : NULL;

    return (struct ps_str){stack.ptr, end ? (size_t)(end - stack.ptr) : stack.len};
}

static struct ps_str last_frame(struct ps_str stack)
{
    size_t at = stack.len;

    while (at && stack.ptr[at - 1] != ';')
        at--;
    return ps_truncate_text(ps_str_skip(stack, at), 160);
}

static bool has_only(struct ps_str text, const char *allowed)
{
    for (size_t i = 0; i < text.len; i++)
        if (!text.ptr[i] || !strchr(allowed, text.ptr[i]))
            return false;
    return text.len > 0;
}

/* Parses the frames of austin and profiling.sampling that name a process or thread: "P12",
 * "T0:6267" and "T6267" only after it; "tid:6202". */
static bool take_plain(struct ps_str stack, struct st_folded_thread *out)
{
    struct ps_str frame = first_frame(stack);

    if (ps_str_starts_with(frame, PS_STR("tid:")) &&
        has_only(ps_str_skip(frame, 4), "0123456789")) {
        out->names.tid = ps_str_skip(frame, 4);
        out->tool = TACHYON;
    } else if (!out->len && frame.len > 1 && frame.ptr[0] == 'P' &&
               has_only(ps_str_skip(frame, 1), "0123456789")) {
        out->names.pid = ps_str_skip(frame, 1);
        out->tool = AUSTIN;
    } else if (out->tool == AUSTIN && !out->names.tid.len && frame.len > 1 && frame.ptr[0] == 'T' &&
               has_only(ps_str_skip(frame, 1), "0123456789:abcdefx")) {
        out->names.tid = ps_str_skip(frame, 1);
    } else {
        return false;
    }
    out->len += frame.len;
    return true;
}

/* A child of py-spy's process has the frames of its parents before its own. */
static struct st_folded_thread st_folded_thread_of(struct ps_str stack)
{
    struct st_folded_thread out = {0};

    while (out.len < stack.len && !out.names.tid.len) {
        struct ps_str rest = ps_str_skip(stack, out.len);
        size_t len = st_pyspy_name(rest, &out.names);

        if (len) {
            out.len += len;
            out.tool = PYSPY;
        } else if (!take_plain(rest, &out)) {
            break;
        }
        out.len += out.len < stack.len; /* the ';' */
    }
    return out;
}

/* Whether a frame is in the format of flameprof: "/srv/app.py:14:small", "~:0:<built-in len>". */
static bool is_flameprof(struct ps_str frame)
{
    const char *at = ps_str_find(frame, PS_STR(".py:"));
    struct ps_str rest = at ? ps_str_skip(frame, (size_t)(at - frame.ptr) + 4) : frame;
    size_t digits = 0;

    if (!at && !ps_str_starts_with(frame, PS_STR("~:")))
        return false;
    rest = at ? rest : ps_str_skip(frame, 2);
    while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9')
        digits++;
    return digits && digits + 1 < rest.len && rest.ptr[digits] == ':';
}

static bool is_flameprof_stack(struct ps_str stack)
{
    while (stack.len) {
        struct ps_str frame = first_frame(stack);

        if (!is_flameprof(frame))
            return false;
        stack = ps_str_skip(stack, frame.len + 1);
    }
    return true;
}

/* Whether a frame is in the format of export_stacks:
 * "torch/profiler/profiler.py(1204):___enter__". */
static bool is_torch(struct ps_str stack)
{
    const char *at = ps_str_find(stack, PS_STR("):_"));

    return at && at > stack.ptr && at[-1] >= '0' && at[-1] <= '9' &&
           ps_str_find(stack, PS_STR(".py("));
}

/* Whether a ';' without a space next to it separates frames: "a;b", but not "said he; and went". */
static bool is_nested(struct ps_str stack)
{
    for (size_t i = 1; i + 1 < stack.len; i++)
        if (stack.ptr[i] == ';' && stack.ptr[i - 1] != ' ' && stack.ptr[i + 1] != ' ')
            return true;
    return false;
}

/* Whether the line has several words and no brackets. Frames of several words have brackets:
 * "foo(int, char const*)". */
static bool is_prose(struct ps_str stack)
{
    size_t blanks = 0;

    for (size_t i = 0; i < stack.len; i++) {
        blanks += stack.ptr[i] == ' ';
        if (strchr("<>()[]{}/_", stack.ptr[i]) && stack.ptr[i])
            return false;
    }
    return blanks >= 3;
}

/* py-spy writes " 12" for samples without a frame. */
static bool is_indented(struct ps_str line)
{
    return line.len && line.ptr[0] == ' ';
}

static void inspect_line(struct ps_str text, struct st_folded_guess *guess)
{
    bool has_space = is_indented(text);
    struct st_folded_thread thread;
    struct st_folded_line line;
    struct ps_str key, value;

    text = without_quote_mark(text);
    if (parse_comment(text, &key, &value) && ps_str_eq_c(key, "austin"))
        guess->tool = AUSTIN;
    if (!text.len || is_comment(text))
        return;
    guess->lines++;
    line = split_count(text);
    if (!line.count.len || (!line.stack.len && !has_space))
        return;
    guess->counted++;
    if (!line.stack.len)
        return;
    guess->nested += is_nested(line.stack);
    guess->prose += !is_nested(line.stack) && is_prose(line.stack);
    guess->torch += is_torch(line.stack);
    guess->flameprof += is_flameprof_stack(line.stack);
    guess->fil += st_is_fil_stack(line.stack);
    thread = st_folded_thread_of(line.stack);
    guess->tool = thread.tool ? thread.tool : guess->tool;
    guess->pairs += remove_first_count(&line);
}

static struct st_folded_guess inspect_head(struct ps_str head)
{
    struct st_folded_guess guess = {0};

    while (head.len) {
        const char *end = memchr(head.ptr, '\n', head.len);
        struct ps_str line = {head.ptr, end ? (size_t)(end - head.ptr) : head.len};

        if (!end && guess.lines > 4) /* the line may continue after the end of `head` */
            break;
        inspect_line(line, &guess);
        head = ps_str_skip(head, line.len + 1);
    }
    return guess;
}

enum {
    HEAD = 64 * 1024,
    LINE_MAX_BYTES = 16 << 20, /* bytes; stacks of 100,000 frames and more occur */
    NOTES_MAX = 20,
};

struct reader {
    struct ps_report_reader in;
    struct st_stacks stacks;
    struct ps_sink *out;
    struct ps_intern threads; /* maps process and thread to the index of a track */
    struct ps_buf head;    /* the frames of the previous line that name its thread; may be empty */
    struct ps_buf stack;   /* the rest of its stack */
    struct ps_buf frame;   /* Fil: the frame in another form */
    struct ps_u32s frames; /* frame ids of `stack` */
    struct ps_u32s ends;   /* end offset in `stack` of each frame */
    uint32_t track;
    uint32_t unnamed; /* 1 + the track of stacks that name no thread; 0: there was none */
    bool pairs, is_torch, memory;
    enum st_folded_tool tool;
    bool first_only; /* austin's full mode: a line has three numbers; only the first is used */
    struct ps_buf version;
    uint64_t stored, repaired, rejected, negative, zero, rounded, told, n_subinterpreter;
    int64_t negative_sum;
    int64_t gc_us;                 /* austin: time in the garbage collector */
    int64_t late, errors, n_taken; /* austin: samples taken too late, without a result, and all */
};

/* --- Frames --- */

/* Returns the number of frames that the stack shares with the previous stack, from the root on. */
static size_t count_shared_frames(const struct reader *r, struct ps_str stack)
{
    size_t common = ps_str_common_prefix(ps_buf_slice(&r->stack), stack), n = r->frames.n;

    while (n && r->ends.items[n - 1] > common)
        n--;
    /* The last common frame may be longer in one of the two stacks. */
    if (n && r->ends.items[n - 1] < stack.len && stack.ptr[r->ends.items[n - 1]] != ';')
        n--;
    return n;
}

static void push_frame(struct reader *r, struct ps_str frame, size_t end)
{
    PS_RESERVE_ONE(r->frames.items, r->frames.n, r->frames.cap);
    r->frames.items[r->frames.n++] = r->tool == FIL ? st_fil_frame_id(&r->stacks, frame, &r->frame)
                                                    : st_frame_id(&r->stacks, frame);
    PS_RESERVE_ONE(r->ends.items, r->ends.n, r->ends.cap);
    r->ends.items[r->ends.n++] = (uint32_t)end;
}

/* Reads the frames of a line into r->frames. False: empty frames were dropped. */
static bool parse_frames(struct reader *r, struct ps_str stack)
{
    size_t kept = count_shared_frames(r, stack), at;
    bool whole = true;

    r->frames.n = r->ends.n = kept;
    r->stack.len = kept ? r->ends.items[kept - 1] : 0;
    at = kept ? r->stack.len + 1 : 0;
    ps_buf_add_str(&r->stack, ps_str_skip(stack, r->stack.len));
    while (at < stack.len) {
        const char *end = memchr(stack.ptr + at, ';', stack.len - at);
        size_t len = end ? (size_t)(end - stack.ptr) - at : stack.len - at;

        if (len)
            push_frame(r, (struct ps_str){stack.ptr + at, len}, at + len);
        whole &= len > 0;
        at += len + 1;
    }
    return whole;
}

/* --- Threads --- */

/* Sets r->track to the track of a thread. py-spy learns the name of a thread only some samples
 * after its start. */
static enum ps_status find_track(struct reader *r, const struct st_folded_thread *thread,
                                 struct ps_err *err)
{
    const struct st_thread_names *names = &thread->names;
    PS_AUTO(ps_buf_free) struct ps_buf key = {0}, name = {0};
    uint32_t known = r->threads.count, id;

    ps_buf_add_str(&key, names->pid);
    ps_buf_add(&key, "", 1);
    ps_buf_add_str(&key, names->tid);
    if (thread->is_subinterpreter)
        ps_buf_add(&key, "", 1);
    id = ps_intern_add(&r->threads, ps_buf_slice(&key));
    r->track = id;
    if (names->tid.len)
        st_write_thread_name(names, &name);
    else
        ps_buf_puts(&name, thread->len ? "all threads" : "all stacks");
    if (id < known && names->thread.len)
        st_name_track(&r->stacks, id, ps_buf_slice(&name));
    if (id < known)
        return PS_OK;
    return st_add_track(&r->stacks, st_process_id(&r->stacks, names->pid, names->process),
                        ps_buf_slice(&name), names->tid, &id, err);
}

/* Cuts the frames that name a thread off the stack, and sets r->track. */
static enum ps_status cut_thread(struct reader *r, struct ps_str *stack, struct ps_err *err)
{
    struct ps_str head = ps_buf_slice(&r->head);
    struct st_folded_thread thread;

    if (head.len && ps_str_starts_with(*stack, head) &&
        !ps_str_starts_with(ps_str_skip(*stack, head.len), PS_STR("<script>:"))) {
        *stack = ps_str_skip(*stack, head.len);
        return PS_OK;
    }
    thread = st_folded_thread_of(*stack);
    r->head.len = 0;
    if (!thread.len && r->unnamed) {
        r->track = r->unnamed - 1;
        return PS_OK;
    }
    /* frames that end the stack, or name a process alone, may be the start of other names */
    if (thread.names.tid.len && thread.len < stack->len)
        ps_buf_add_str(&r->head, (struct ps_str){stack->ptr, thread.len});
    *stack = ps_str_skip(*stack, thread.len);
    if (thread.tool == TACHYON && ps_str_starts_with(*stack, PS_STR("<script>:"))) {
        /* the same thread is also sampled in Interpreter.exec */
        thread.is_subinterpreter = true;
        thread.names.thread = PS_STR("sub-interpreter");
        r->n_subinterpreter++;
        r->head.len = 0;
    }
    find_track(r, &thread, err);
    if (!thread.len)
        r->unnamed = r->track + 1;
    return err->code;
}

/* --- Lines --- */

static void reject_line(struct reader *r, const char *why)
{
    const struct ps_report_line *line = &r->in.line;

    r->rejected++;
    ps_report_count_doubtful(&r->in);
    if (r->told++ < NOTES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, line->offset, line->number, "%s", why);
}

/* Parses austin's "2/198". */
static void parse_ratio(struct ps_str text, int64_t *n, int64_t *whole)
{
    const char *slash = text.len ? memchr(text.ptr, '/', text.len) : NULL;
    int64_t part, all;

    if (!slash || !ps_str_parse_i64((struct ps_str){text.ptr, (size_t)(slash - text.ptr)}, &part) ||
        !ps_str_parse_i64(ps_str_skip(text, (size_t)(slash - text.ptr) + 1), &all) || part < 0 ||
        part > all)
        return;
    *n = part;
    *whole = all;
}

static void parse_header(struct reader *r, struct ps_str text)
{
    struct ps_str key, value;

    if (!parse_comment(text, &key, &value))
        return;
    if (ps_str_eq_c(key, "austin")) {
        r->tool = AUSTIN;
        r->version.len = 0;
        ps_buf_add_str(&r->version, value);
    }
    if (ps_str_eq_c(key, "mode"))
        r->memory = ps_str_eq_c(value, "memory");
    if (ps_str_eq_c(key, "saturation"))
        parse_ratio(value, &r->late, &r->n_taken);
    if (ps_str_eq_c(key, "errors"))
        parse_ratio(value, &r->errors, &r->n_taken);
    if (ps_str_eq_c(key, "gc") && !ps_str_parse_i64(value, &r->gc_us))
        r->gc_us = 0; /* "on" in the header; the time in the trailer */
}

/* Parses the count of a line; if austin wrote several counts, the first. False: the caller must
 * skip the line, which was counted as rejected, negative or zero. */
static bool parse_count(struct reader *r, const struct st_folded_line *line,
                        struct st_number *number)
{
    struct ps_str count = line->count, leaf = last_frame(line->stack);
    const char *comma = r->tool == AUSTIN && count.len ? memchr(count.ptr, ',', count.len) : NULL;

    if (comma) {
        r->first_only = true;
        count.len = (size_t)(comma - count.ptr);
    }
    if (!count.len) {
        reject_line(r, "this line has no count");
    } else if (!st_parse_number(count, number)) {
        reject_line(r, "the count is not a number, or is too large");
    } else if (number->thousandths < 0) {
        if (!r->memory)
            reject_line(r, "the count is negative");
        else if (r->told++ < NOTES_MAX)
            ps_sink_note(r->out, PS_NOTE_INFO, r->in.line.offset, r->in.line.number,
                         "%lld B were freed in %.*s", -(long long)(number->thousandths / ST_SCALE),
                         (int)leaf.len, leaf.ptr);
        r->negative++;
        if (__builtin_add_overflow(r->negative_sum, number->thousandths, &r->negative_sum))
            r->negative_sum = INT64_MIN;
    } else if (number->thousandths == 0) {
        r->zero++;
    } else {
        return true;
    }
    return false;
}

static enum ps_status parse_stack(struct reader *r, struct ps_str stack,
                                  const struct st_number *number, struct ps_err *err)
{
    bool names_thread, whole;
    size_t len = stack.len;

    if (cut_thread(r, &stack, err) != PS_OK)
        return err->code;
    names_thread = stack.len < len;
    whole = parse_frames(r, stack);
    if (!r->frames.n && !names_thread && !(len == 0 && is_indented(r->in.line.text))) {
        reject_line(r, "this line has no frame");
        return PS_OK;
    }
    r->stacks.has_fractions |= number->is_fractional;
    r->rounded += number->is_rounded;
    if (!whole || number->is_rounded || r->in.line.is_repaired || r->in.line.is_rejoined ||
        r->frames.n > ST_DEPTH_MAX) {
        bool rest =
            !whole || number->is_rounded || r->in.line.is_repaired || r->frames.n > ST_DEPTH_MAX;

        r->repaired++;
        if (rest && r->told++ < NOTES_MAX)
            ps_sink_note(r->out, PS_NOTE_REPAIRED, r->in.line.offset, r->in.line.number, "%s",
                         r->frames.n > ST_DEPTH_MAX
                             ? "a stack deeper than 10000 frames was truncated"
                         : number->is_rounded     ? "a count was rounded to thousandths"
                         : r->in.line.is_repaired ? "invalid UTF-8 was replaced"
                                                  : "empty frames were dropped");
    } else {
        r->stored++;
    }
    return st_add_sample(&r->stacks, r->track, r->frames.items, (uint32_t)r->frames.n,
                         number->thousandths, err);
}

static enum ps_status parse_line(struct reader *r, struct ps_err *err)
{
    struct ps_str text = without_quote_mark(r->in.line.text);
    struct st_folded_line line;
    struct st_number number;

    if (!text.len)
        return PS_OK;
    if (is_comment(text)) {
        parse_header(r, text);
        return PS_OK;
    }
    line = split_count(text);
    if (r->pairs)
        (void)remove_first_count(&line);
    return parse_count(r, &line, &number) ? parse_stack(r, line.stack, &number, err) : PS_OK;
}

/* --- Reporting --- */

static void write_count(struct reader *r, enum ps_severity severity, uint64_t n, const char *what)
{
    if (n)
        ps_sink_note(r->out, severity, PS_NOTE_NO_OFFSET, 0, "%s: %llu", what,
                     (unsigned long long)n);
}

static void write_ratio(struct reader *r, const char *what, int64_t n)
{
    if (n > 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0, "%s: %lld of %lld", what,
                     (long long)n, (long long)r->n_taken);
}

static void write_notes(struct reader *r)
{
    if (r->pairs)
        ps_sink_note(
            r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
            "each line has two counts (a differential profile): perfshelf shows the second");
    if (r->first_only)
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "each line has three values: perfshelf shows time and skips idle and memory");
    if (r->gc_us > 0) {
        ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "%s were spent in the garbage collector; they count for the functions "
                     "that it interrupted",
                     ps_format_seconds((double)r->gc_us / 1e6, (char[48]){0}));
        r->out->ops->number(r->out, "gc_s", ps_real((double)r->gc_us / 1e6));
    }
    write_ratio(r, "samples that austin took later than its interval", r->late);
    write_ratio(r, "samples that austin could not read", r->errors);
    if (r->late > 0)
        r->out->ops->number(r->out, "late_pct",
                            ps_real(100.0 * (double)r->late / (double)r->n_taken));
    write_count(r, PS_NOTE_WARNING, r->zero, "lines with count 0, skipped");
    write_count(r, PS_NOTE_INFO, r->n_subinterpreter,
                "stacks of sub-interpreters: while one runs, its thread is also sampled in the "
                "interpreter that waits for it, so the total counts this time twice");
    if (r->negative)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     r->memory
                         ? "lines of freed memory: %llu, %lld bytes in total; stacks show "
                           "allocated memory only, so the sums exclude them"
                         : "lines with negative counts: %llu, %lld in total; the sums exclude them",
                     (unsigned long long)r->negative, (long long)(r->negative_sum / ST_SCALE));
    write_count(r, PS_NOTE_WARNING, r->told > NOTES_MAX ? r->told - NOTES_MAX : 0,
                "more lines that were repaired, rejected or freed memory");
}

/* flameprof writes the built-in functions of cProfile as "~:0:<built-in method builtins.len>".
 * Other tools write lines that ran in the same form. */
static bool has_builtin(const struct st_stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->frames.count; i++)
        if (ps_str_starts_with(stacks->frames.items[i], PS_STR("~:0:")))
            return true;
    return false;
}

static void write_all(struct reader *r)
{
    static const char *const tools[] = {
        [PYSPY] = "py-spy",        [AUSTIN] = "austin", [TACHYON] = "CPython profiling.sampling",
        [FLAMEPROF] = "flameprof", [FIL] = "Fil",
    };
    const char *tool;

    if (r->tool == FLAMEPROF && !has_builtin(&r->stacks))
        r->tool = UNKNOWN_TOOL;
    tool = r->is_torch ? "torch export_stacks" : tools[r->tool];
    r->stacks.has_def_lines = r->tool == FLAMEPROF;
    r->stacks.label = r->tool == FIL ? st_fil_label : r->stacks.label;
    r->stacks.unit = r->memory || r->tool == FIL                                ? ST_BYTES
                     : r->tool == AUSTIN || r->tool == FLAMEPROF || r->is_torch ? ST_TIME
                                                                                : ST_SAMPLES;
    if (tool)
        ps_sink_meta(r->out, "tool", ps_str_from_c(tool));
    if (r->version.len)
        ps_sink_meta(r->out, "tool_version", ps_buf_slice(&r->version));
    st_write(&r->stacks);
    write_notes(r);
    ps_report_write_ledger(&r->in, r->out, r->stored + r->repaired, r->repaired, r->rejected);
}

/* Whether some lines have no count, but all lines of the unwrapped text have a count. */
static bool is_wrapped(struct ps_str head, struct ps_str unwrapped)
{
    struct st_folded_guess now = inspect_head(head), then = inspect_head(unwrapped);

    return now.counted < now.lines && then.lines && then.counted == then.lines;
}

/* Returns whether `text` continues on the next line. A stack that ends in a number is complete,
 * unless the next line has the rest of the stack: digits only, or the end of a frame whose bracket
 * is open, "f (x.py 12". */
static enum ps_report_line_end find_line_end(const void *reader, struct ps_str text,
                                             struct ps_str next)
{
    struct st_folded_line line = split_count(without_quote_mark(text)), rest = split_count(next);

    (void)reader;
    if (is_comment(without_quote_mark(text)))
        return memchr(next.ptr, ';', next.len) ? PS_LINE_END_COMPLETE : PS_LINE_END_CONTINUES;
    if (!line.count.len || !line.stack.len || !rest.stack.len || rest.stack.ptr[0] == ';')
        return PS_LINE_END_CONTINUES;
    return has_open_bracket(line.stack) && closes_bracket(rest.stack) ? PS_LINE_END_CONTINUES
                                                                      : PS_LINE_END_COMPLETE;
}

static enum ps_status read_lines(struct reader *r, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    while (status == PS_OK && ps_report_read_line(&r->in)) {
        status = parse_line(r, err);
        if (status == PS_OK)
            status = ps_report_check(&r->in, r->out, r->stacks.n_samples, err);
    }
    if (status != PS_OK)
        return status;
    status = ps_stream_status(r->in.in, err);
    if (status != PS_OK && ps_stream_is_truncated(r->in.in)) {
        ps_sink_note(r->out, PS_NOTE_WARNING, err->offset, 0,
                     "%s; perfshelf imported the data before that point", err->text);
        *err = (struct ps_err)PS_ERR_INIT;
        status = PS_OK;
    }
    return status;
}

static enum ps_status refuse_empty(const struct reader *r, struct ps_err *err)
{
    if (r->negative)
        return ps_fail(err, PS_BAD_INPUT, "no stack in the file has a count above zero");
    return ps_fail(err, PS_BAD_INPUT,
                   "the file contains no stacks" PS_HINT
                   "the program may have ended before the first sample; record a longer run");
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct reader r = {
        .in = {.in = in, .line_max = LINE_MAX_BYTES}, .out = out, .stacks = {.out = out}};
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    struct st_folded_guess guess =
        inspect_head(ps_report_without_escapes(&plain, ps_stream_peek(in, HEAD)));
    enum ps_status status;

    ps_report_unwrap(&r.in, is_wrapped, find_line_end, NULL);
    r.is_torch = guess.torch > 0;
    r.tool = guess.flameprof * 2 > guess.counted                                     ? FLAMEPROF
             : guess.fil && guess.fil == guess.counted && guess.tool == UNKNOWN_TOOL ? FIL
                                                                                     : guess.tool;
    r.pairs = guess.counted > 1 && guess.pairs == guess.counted;
    status = read_lines(&r, err);
    if (status == PS_OK && r.stacks.n_samples == 0)
        status = refuse_empty(&r, err);
    else if (status == PS_OK)
        write_all(&r);
    st_free(&r.stacks);
    ps_report_free(&r.in);
    ps_intern_free(&r.threads);
    ps_buf_free(&r.head);
    ps_buf_free(&r.stack);
    ps_buf_free(&r.frame);
    ps_buf_free(&r.version);
    free(r.frames.items);
    free(r.ends.items);
    return status;
}

/* The registry tries this format last, because lines of many texts end in numbers. */
static enum ps_match sniff(struct ps_str head)
{
    struct st_folded_guess guess;

    if (!head.len || head.ptr[0] == '{' || head.ptr[0] == '[' ||
        memchr(head.ptr, '\0', head.len < 4096 ? head.len : 4096))
        return PS_MATCH_NO;
    guess = inspect_head(head);
    if (guess.prose * 2 > guess.lines)
        return PS_MATCH_NO;
    if (ps_str_starts_with(head, PS_STR("# austin: ")) && guess.counted == guess.lines)
        return PS_MATCH_SURE;
    /* A damaged file is accepted if most lines are nested stacks. */
    if ((guess.nested || guess.torch == guess.lines) && guess.counted &&
        guess.counted * 10 >= guess.lines * 9)
        return PS_MATCH_LIKELY;
    return guess.nested * 2 > guess.counted && guess.counted * 3 >= guess.lines * 2
               ? PS_MATCH_LIKELY
               : PS_MATCH_NO;
}

const struct ps_importer ps_folded = {
    .kind = "folded",
    .label = "Folded stacks",
    .description = "stacks with sample counts: py-spy raw, austin, FlameGraph, torch, Tachyon, Fil",
    .record_command = "py-spy record --format raw -o stacks.txt -- python app.py",
    .sniff = sniff,
    .load = load,
};
