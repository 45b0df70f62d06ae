/* SPDX-License-Identifier: MIT */
/* document.c: reads what surrounds the events: an object with other keys, an array, lines, or
 * several documents in a row. */
#include "importers/trace/read.h"

#define HEADER_MAX  (16u << 20)
#define HEADERS_MAX 1024        /* number of keys */
#define HEADERS_ALL (64u << 20) /* bytes, including repeated keys */
/* bytes that are searched for the end of a value with invalid quotes */
#define MENDED_MAX (1 << 20)

static void find(struct tr_trace *trace, const struct tr_parser *p, enum tr_finding what)
{
    tr_find(&trace->pages->findings, what, tr_position(p, p->at));
}

static void begin_events(struct tr_document *doc, bool bare)
{
    doc->mode = TR_DOC_EVENTS;
    doc->bare = bare;
    doc->has_events = true;
    doc->between = bare ? TR_AT_COMMA : TR_AT_START;
}

/* Whether the object is itself an event: its first keys are those of an event. *known is false if
 * more bytes are needed to decide. */
static bool is_bare_event(struct tr_parser *p, bool *known)
{
    static const char *const keys[] = {"cat", "name", "pid", "tid", "ts", "dur", "id", "args"};
    const char *start = p->at;
    struct tr_string key;
    bool event = false, goes_on = true;

    p->incomplete = false;
    for (p->at++; goes_on;) {
        p->at = tr_skip_blanks(p->at, p->end);
        goes_on = p->at < p->end && *p->at == '"' && tr_scan_string(p, &key);
        event = goes_on && ps_str_is(key.raw, "ph");
        if (!goes_on || event)
            break;
        goes_on = false;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            goes_on |= ps_str_is(key.raw, keys[i]);
        p->at = tr_skip_blanks(p->at, p->end) + 1;
        goes_on = goes_on && p->at < p->end && tr_skip_value(p);
        p->at = tr_skip_blanks(p->at, p->end);
        goes_on = goes_on && p->at < p->end && *p->at++ == ',';
    }
    *known = event || (!p->incomplete && p->at < p->end) || p->last;
    p->at = start;
    return event;
}

/* Reads the start of a document. False: more bytes are needed. */
static bool read_top(struct tr_trace *trace, struct tr_document *doc, struct tr_parser *p)
{
    bool known = true, bare;

    p->at = tr_skip_blanks(p->at, p->end);
    if (p->at >= p->end)
        return false;
    bare = *p->at == '{' && is_bare_event(p, &known);
    if (!known)
        return false;
    if (*p->at != '{' && *p->at != '[') {
        find(trace, p, TR_GARBAGE);
        doc->mode = TR_DOC_REST;
        return true;
    }
    if (doc->any && !bare)
        find(trace, p, TR_SECOND_DOCUMENT);
    doc->any = true;
    doc->in_object = *p->at == '{';
    if (bare) {
        find(trace, p, TR_LINES);
        begin_events(doc, true);
    } else if (*p->at++ == '{') {
        doc->mode = TR_DOC_OBJECT;
    } else {
        trace->is_array = true;
        begin_events(doc, false);
    }
    return true;
}

/* Stores a header. False: it is too large, or there are too many. */
static bool keep_header(struct tr_trace *trace, struct ps_str key, struct ps_str json)
{
    uint32_t id;

    trace->pages->headers_bytes += key.len + json.len;
    if (json.len > HEADER_MAX || trace->pages->headers_bytes > HEADERS_ALL)
        return false;
    id = ps_intern_find(&trace->pages->header_keys, key);
    if (id != PS_INTERN_NONE) {
        trace->headers[id].json = ps_arena_copy(&trace->arena, json);
        return true;
    }
    if (trace->n_headers == HEADERS_MAX)
        return false;
    (void)ps_intern_id(&trace->pages->header_keys, key);
    PS_PUSH_ROOM(trace->headers, trace->n_headers, trace->pages->headers_cap);
    trace->headers[trace->n_headers++] =
        (struct tr_header){ps_arena_copy(&trace->arena, key), ps_arena_copy(&trace->arena, json)};
    trace->torch |= ps_str_is(key, "schemaVersion") || ps_str_is(key, "deviceProperties");
    return true;
}

/* Reads a value in one mode. True if `,`, `}` or the end of the input follows it. */
static bool value_in_mode(struct tr_parser *p, enum tr_mode mode, struct tr_packed *json)
{
    const char *start = p->at, *behind;

    p->mode = mode;
    p->incomplete = p->too_deep = false;
    json->text.len = 0;
    if (tr_pack_value(p, json, 2)) {
        behind = tr_skip_blanks(p->at, p->end);
        p->incomplete = behind >= p->end && !p->last;
        if (!p->incomplete && (behind >= p->end || *behind == ',' || *behind == '}'))
            return true;
    }
    p->at = start;
    return false;
}

/* Skips an invalid value up to the next key. False: more bytes are needed. */
static bool skip_to_key(struct tr_parser *p)
{
    const char *at = p->at, *next;

    for (; at < p->end; at++) {
        const char *key;

        if (*at != ',')
            continue;
        key = next = tr_skip_blanks(at + 1, p->end);
        if (next >= p->end || *next != '"')
            continue;
        next = memchr(key + 1, '"', (size_t)(p->end - key - 1));
        next = next ? tr_skip_blanks(next + 1, p->end) : p->end;
        if (next < p->end && *next == ':') {
            p->at = at;
            return true;
        }
    }
    if (p->last)
        p->at = p->end;
    return p->last;
}

static bool wants_more(const struct tr_parser *p)
{
    return p->incomplete && !p->last;
}

static bool read_header(struct tr_trace *trace, struct tr_parser *p, struct ps_str key)
{
    const char *start = p->at;
    struct tr_packed json = {0};
    bool good = value_in_mode(p, TR_STRICT, &json), known = good || !wants_more(p);
    bool mended = good && p->repairs & 1u << TR_NOT_A_NUMBER;

    for (int mode = TR_LOOSE_QUOTES; known && !good && !p->too_deep && mode <= TR_PLAIN_BACKSLASH;
         mode++) {
        mended = good = value_in_mode(p, (enum tr_mode)mode, &json);
        known = good || !wants_more(p) || p->end - start > MENDED_MAX;
    }
    if (!good && p->too_deep)
        (void)ps_fail_at(trace->err, PS_LIMIT, tr_position(p, start),
                         "a value outside the events is nested more than %d levels deep",
                         TR_DEPTH_MAX);
    p->mode = TR_STRICT;
    p->repairs = 0;
    if (good && mended)
        tr_find(&trace->pages->findings, TR_HEADER_MENDED, tr_position(p, start));
    if (good && !keep_header(trace, key, ps_buf_slice(&json.text)))
        find(trace, p, TR_HEADER_LARGE);
    else if (!good && known && (good = skip_to_key(p)))
        tr_find(&trace->pages->findings, TR_HEADER_LOST, tr_position(p, start));
    ps_buf_free(&json.text);
    ps_buf_free(&json.params);
    return good;
}

/* Reads the value of "traceEvents". False: more bytes are needed. */
static bool read_events_key(struct tr_trace *trace, struct tr_document *doc, struct tr_parser *p)
{
    if (*p->at == '[') {
        p->at++;
        begin_events(doc, false);
        return true;
    }
    const char *start = p->at;

    p->incomplete = false;
    if (tr_skip_value(p)) {
        if (*start == '"')
            tr_find(&trace->pages->findings, TR_EVENTS_TEXT, tr_position(p, start));
        doc->has_events = true;
        return true;
    }
    if (!p->last && p->incomplete)
        return false;
    if (p->incomplete) {
        p->at = p->end;
        return true;
    }
    find(trace, p, TR_HEADER_LOST); /* damaged, but events may follow */
    begin_events(doc, false);
    return true;
}

static bool read_member(struct tr_trace *trace, struct tr_document *doc, struct tr_parser *p)
{
    const char *start = p->at;
    struct ps_buf text = {0};
    struct tr_string key;
    bool good;

    p->incomplete = false;
    good = tr_scan_string(p, &key);
    if (good) {
        p->repairs = 0;
        tr_decode(p, &key, &text);
        p->at = tr_skip_blanks(p->at, p->end);
        good = p->at < p->end && *p->at == ':';
    }
    if (good) {
        p->at = tr_skip_blanks(p->at + 1, p->end);
        good = p->at < p->end;
    }
    if (good)
        good = ps_str_is(ps_buf_slice(&text), "traceEvents")
                   ? read_events_key(trace, doc, p)
                   : read_header(trace, p, ps_buf_slice(&text));
    else if (p->last || (p->at < p->end && !p->incomplete)) {
        p->at = start + 1;
        good = skip_to_key(p);
        if (good)
            tr_find(&trace->pages->findings, TR_HEADER_LOST, tr_position(p, start));
    }
    ps_buf_free(&text);
    if (!good)
        p->at = start;
    return good;
}

static bool read_object(struct tr_trace *trace, struct tr_document *doc, struct tr_parser *p)
{
    p->at = tr_skip_blanks(p->at, p->end);
    if (p->at >= p->end)
        return false;
    if (*p->at == '"')
        return read_member(trace, doc, p);
    if (*p->at == '}')
        doc->mode = TR_DOC_TOP;
    else if (*p->at != ',') {
        const char *start = p->at;

        if (!skip_to_key(p))
            return false;
        tr_find(&trace->pages->findings, TR_HEADER_LOST, tr_position(p, start));
        return true;
    }
    p->at++;
    return true;
}

void tr_document_events_end(struct tr_trace *trace, struct tr_document *doc, struct tr_parser *p,
                            enum tr_events_end end)
{
    doc->between = p->between;
    if (end == TR_EVENTS_MORE)
        return;
    if (end == TR_EVENTS_OPEN && !doc->bare)
        find(trace, p, TR_NO_BRACKET);
    doc->mode = doc->in_object && !doc->bare ? TR_DOC_OBJECT : TR_DOC_TOP;
}

/* Kineto's writer since April 2026 puts each key on a line of its own. */
static void note_layout(struct tr_trace *trace, const struct tr_parser *p)
{
    const char *comma = memchr(p->at, ',', (size_t)(p->end - p->at));

    if (trace->counts.read == 0 && comma && comma + 1 < p->end)
        trace->one_key_per_line = comma[1] == '\n' || comma[1] == '\r';
}

static enum ps_status read_events(struct tr_trace *trace, struct tr_document *doc,
                                  struct tr_parser *p, struct tr_maps *maps, bool *goes_on)
{
    enum tr_events_end end;

    p->between = doc->between;
    p->mode = TR_STRICT;
    note_layout(trace, p);
    end = tr_parse_events(p, doc->bare);
    tr_document_events_end(trace, doc, p, end);
    *goes_on = end != TR_EVENTS_MORE;
    return tr_merge(trace, p, maps);
}

enum ps_status tr_document_read(struct tr_trace *trace, struct tr_document *doc,
                                struct tr_parser *p, struct tr_maps *maps)
{
    bool goes_on = true;
    enum ps_status status = PS_OK;

    while (goes_on && status == PS_OK) {
        switch (doc->mode) {
        case TR_DOC_TOP:
            goes_on = read_top(trace, doc, p);
            break;
        case TR_DOC_OBJECT:
            goes_on = read_object(trace, doc, p);
            status = trace->err->code; /* set if a limit was exceeded */
            break;
        case TR_DOC_EVENTS:
            status = read_events(trace, doc, p, maps, &goes_on);
            break;
        case TR_DOC_REST:
            p->at = p->end;
            goes_on = false;
            break;
        }
    }
    return status;
}

enum ps_status tr_document_end(struct tr_trace *trace, struct tr_document *doc, struct tr_parser *p)
{
    if (doc->mode == TR_DOC_EVENTS && !doc->bare && doc->in_object)
        find(trace, p, TR_NO_BRACKET);
    if (doc->mode == TR_DOC_OBJECT)
        find(trace, p, TR_NO_BRACE);
    if (doc->has_events || (doc->mode == TR_DOC_OBJECT && trace->torch))
        return PS_OK; /* truncated before the first event, but a trace */
    ps_fail(trace->err, PS_BAD_INPUT, "the file contains no trace events");
    ps_hint(trace->err, "a trace is a JSON object with \"traceEvents\", or an array of events");
    return trace->err->code;
}
