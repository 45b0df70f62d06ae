/* SPDX-License-Identifier: MIT */
#include "importers/stacks/folded.h"

#include "importers/text_report.h"

enum { LONGEST_FRAME = 4096 };

/* The last word, taken off *rest with the blanks before it. */
static struct ps_str last_word(struct ps_str *rest)
{
    struct ps_str word = {rest->at + rest->len, 0};

    while (rest->len && rest->at[rest->len - 1] != ' ' && rest->at[rest->len - 1] != '\t') {
        rest->len--;
        word.at--;
        word.len++;
    }
    *rest = ps_report_trim(*rest);
    return word;
}

/* "12", "-5", "1.5", and austin's "1073,0,4096". */
static bool looks_counted(struct ps_str word)
{
    size_t digits = 0;

    for (size_t i = 0; i < word.len; i++) {
        if (!memchr("0123456789.,+-eE", word.at[i], 16))
            return false;
        digits += word.at[i] >= '0' && word.at[i] <= '9';
    }
    return digits && word.at[0] != ',' && word.at[0] != 'e' && word.at[0] != 'E';
}

struct ps_str st_folded_text(struct ps_str line)
{
    line = ps_report_trim(line);
    if (ps_str_starts(line, PS_STR("> ")))
        line = ps_str_skip(line, 2);
    while (line.len && line.at[0] == ' ')
        line = ps_str_skip(line, 1);
    return line;
}

struct st_folded_line st_folded_cut(struct ps_str text)
{
    struct st_folded_line line = {.stack = ps_report_trim(text)};
    struct ps_str word, rest = line.stack;

    word = last_word(&rest);
    if (!looks_counted(word))
        return line;
    line.count = word;
    line.stack = rest;
    return line;
}

bool st_folded_cut_again(struct st_folded_line *line)
{
    struct ps_str rest = line->stack, word = last_word(&rest);

    if (!rest.len || !looks_counted(word))
        return false;
    line->stack = rest;
    return true;
}

/* Brackets of a text; the '>' of "->" and "=>" is none. */
struct brackets {
    size_t round, angle;
    bool quoted, closes;
};

static void see_close(struct brackets *seen, size_t *depth)
{
    seen->closes |= *depth == 0;
    *depth -= *depth > 0;
}

static struct brackets brackets_of(struct ps_str text)
{
    struct brackets seen = {0};

    if (text.len > LONGEST_FRAME) /* the last frames: a wrapped line is looked at piece by piece */
        text = ps_str_skip(text, text.len - LONGEST_FRAME);
    for (size_t i = 0; i < text.len; i++) {
        char before = i ? text.at[i - 1] : ' ';

        if (text.at[i] == '"')
            seen.quoted = !seen.quoted;
        else if (text.at[i] == '(')
            seen.round++;
        else if (text.at[i] == '<')
            seen.angle++;
        else if (text.at[i] == ')')
            see_close(&seen, &seen.round);
        else if (text.at[i] == '>' && before != '-' && before != '=')
            see_close(&seen, &seen.angle);
    }
    return seen;
}

bool st_folded_open(struct ps_str text)
{
    struct brackets seen = brackets_of(text);

    return seen.round || seen.angle || seen.quoted;
}

bool st_folded_closes(struct ps_str text)
{
    struct brackets seen = brackets_of(text);

    return seen.closes || seen.quoted;
}

bool st_folded_comment(struct ps_str text)
{
    return ps_str_starts(text, PS_STR("#")) || ps_str_starts(text, PS_STR("//"));
}

bool st_folded_header(struct ps_str text, struct ps_str *key, struct ps_str *value)
{
    const char *colon;

    if (!ps_str_starts(text, PS_STR("# ")))
        return false;
    text = ps_str_skip(text, 2);
    colon = ps_str_find(text, PS_STR(": "));
    if (!colon)
        return false;
    *key = (struct ps_str){text.at, (size_t)(colon - text.at)};
    *value = ps_report_trim(ps_str_skip(text, key->len + 2));
    return true;
}

static struct ps_str first_frame(struct ps_str stack)
{
    const char *end = stack.len ? memchr(stack.at, ';', stack.len) : NULL;

    return (struct ps_str){stack.at, end ? (size_t)(end - stack.at) : stack.len};
}

static bool all_in(struct ps_str text, const char *allowed)
{
    for (size_t i = 0; i < text.len; i++)
        if (!text.at[i] || !strchr(allowed, text.at[i]))
            return false;
    return text.len > 0;
}

/* "process 12:"python app.py"" of py-spy; the command may hold a ';' no more than any frame. */
static bool pyspy_process(struct ps_str frame, struct st_folded_thread *out)
{
    struct ps_str rest = ps_str_skip(frame, 8);
    size_t digits = 0;

    if (!ps_str_starts(frame, PS_STR("process ")))
        return false;
    while (digits < rest.len && rest.at[digits] >= '0' && rest.at[digits] <= '9')
        digits++;
    if (!digits || (digits < rest.len && rest.at[digits] != ':'))
        return false;
    out->pid = (struct ps_str){rest.at, digits};
    out->process = ps_str_skip(rest, digits + 1);
    if (out->process.len >= 2 && out->process.at[0] == '"' &&
        out->process.at[out->process.len - 1] == '"')
        out->process = (struct ps_str){out->process.at + 1, out->process.len - 2};
    return true;
}

static bool is_process(struct ps_str frame, struct st_folded_thread *out)
{
    if (pyspy_process(frame, out))
        return true;
    if (frame.len < 2 || frame.at[0] != 'P' || !all_in(ps_str_skip(frame, 1), "0123456789"))
        return false;
    out->pid = ps_str_skip(frame, 1);
    out->austin = true;
    return true;
}

/* "T0:6267" and "T6267" of austin, behind its process only; "tid:6202"; "thread (0x7f): name". */
static bool is_thread(struct ps_str frame, struct st_folded_thread *out)
{
    if (ps_str_starts(frame, PS_STR("thread (0x")) || ps_str_starts(frame, PS_STR("thread (0X"))) {
        out->thread = frame;
        out->tid = ps_str_skip(first_frame(frame), 8);
        out->tid.len = 0;
        while (out->tid.at + out->tid.len < frame.at + frame.len &&
               out->tid.at[out->tid.len] != ')')
            out->tid.len++;
        return true;
    }
    if (ps_str_starts(frame, PS_STR("tid:")) && all_in(ps_str_skip(frame, 4), "0123456789")) {
        out->tid = ps_str_skip(frame, 4);
        return true;
    }
    if (!out->austin || frame.len < 2 || frame.at[0] != 'T' ||
        !all_in(ps_str_skip(frame, 1), "0123456789:abcdefx"))
        return false;
    out->tid = ps_str_skip(frame, 1);
    return true;
}

struct st_folded_thread st_folded_thread_of(struct ps_str stack)
{
    struct st_folded_thread out = {0};
    struct ps_str frame = first_frame(stack);

    if (is_process(frame, &out)) {
        out.n = 1;
        frame = first_frame(ps_str_skip(stack, frame.len + 1));
    }
    if (is_thread(frame, &out))
        out.n++;
    return out;
}

/* "torch/profiler/profiler.py(1204):___enter__", as export_stacks writes frames. */
static bool is_torch(struct ps_str stack)
{
    const char *at = ps_str_find(stack, PS_STR("):_"));

    return at && at > stack.at && at[-1] >= '0' && at[-1] <= '9' &&
           ps_str_find(stack, PS_STR(".py("));
}

/* A ';' parts frames where no blank stands beside it: "a;b", but not "said he; and went". */
static bool is_nested(struct ps_str stack)
{
    for (size_t i = 1; i + 1 < stack.len; i++)
        if (stack.at[i] == ';' && stack.at[i - 1] != ' ' && stack.at[i + 1] != ' ')
            return true;
    return false;
}

/* Many words and no brackets, which frames of several words have: "foo(int, char const*)". */
static bool is_prose(struct ps_str stack)
{
    size_t blanks = 0;

    for (size_t i = 0; i < stack.len; i++) {
        blanks += stack.at[i] == ' ';
        if (strchr("<>()[]{}/_", stack.at[i]) && stack.at[i])
            return false;
    }
    return blanks >= 3;
}

static void look_at(struct ps_str text, struct st_folded_guess *guess)
{
    struct st_folded_line line;
    struct ps_str key, value;

    text = st_folded_text(text);
    if (st_folded_header(text, &key, &value) && ps_str_is(key, "austin"))
        guess->austin = true;
    if (!text.len || st_folded_comment(text))
        return;
    guess->lines++;
    line = st_folded_cut(text);
    if (!line.count.len || !line.stack.len)
        return;
    guess->good++;
    guess->nested += is_nested(line.stack);
    guess->prose += !is_nested(line.stack) && is_prose(line.stack);
    guess->torch += is_torch(line.stack);
    guess->austin |= st_folded_thread_of(line.stack).austin;
    guess->pairs += st_folded_cut_again(&line);
}

struct st_folded_guess st_folded_look(struct ps_str head)
{
    struct st_folded_guess guess = {0};

    while (head.len) {
        const char *end = memchr(head.at, '\n', head.len);
        struct ps_str line = {head.at, end ? (size_t)(end - head.at) : head.len};

        if (!end && guess.lines > 4) /* the head may end inside it */
            break;
        look_at(line, &guess);
        head = ps_str_skip(head, line.len + 1);
    }
    return guess;
}
