/* SPDX-License-Identifier: MIT */
/*
 * read.c: reads a trace from a stream.
 *
 * The stream is split into blocks at positions where an event seems to begin. Each worker parses
 * blocks ahead of their turn (parse.h). The blocks are then consumed in file order. If the previous
 * block ended exactly where a block begins, the records of the block are merged into the trace.
 * Otherwise the block is parsed again, together with the bytes left over from the previous block. A
 * wrong split therefore only costs time.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/records/run.h"
#include "importers/trace/pages.h"

/* --- Notes on defects of the input --- */

static const struct {
    enum ps_severity severity;
    const char *what;
} words[TR_N_FINDINGS] = {
    [TR_FINDING_CONTROL] = {PS_NOTE_REPAIRED,
                            "a string contains control characters, kept unchanged"},
    [TR_FINDING_QUOTES] = {PS_NOTE_REPAIRED, "unescaped quotes inside a string, kept as text"},
    [TR_FINDING_BACKSLASH] = {PS_NOTE_REPAIRED, "invalid escape sequences, kept as text"},
    [TR_FINDING_NAME] = {PS_NOTE_REPAIRED,
                         "a name contains unescaped quotes, read up to the next key"},
    [TR_FINDING_UTF8] = {PS_NOTE_REPAIRED, "invalid UTF-8, replaced by U+FFFD"},
    [TR_FINDING_SURROGATE] = {PS_NOTE_REPAIRED, "an unpaired surrogate, replaced by U+FFFD"},
    [TR_FINDING_NUMBER] = {PS_NOTE_REPAIRED, "a number is not in JSON syntax"},
    [TR_FINDING_NOT_A_NUMBER] = {PS_NOTE_REPAIRED, "NaN or Infinity, kept as text"},
    [TR_FINDING_TRAILING_COMMA] = {PS_NOTE_REPAIRED, "a comma after the last value of an event"},
    [TR_FINDING_NEGATIVE_DURATION] = {PS_NOTE_REPAIRED, "a negative duration, set to 0"},
    [TR_FINDING_DAMAGED] = {PS_NOTE_REJECTED, "an event is invalid JSON and could not be repaired"},
    [TR_FINDING_TOO_DEEP] = {PS_NOTE_REJECTED,
                             "the arguments of an event are nested more than 256 levels deep"},
    [TR_FINDING_NOT_AN_EVENT] = {PS_NOTE_REJECTED, "a value in the event list is not an event"},
    [TR_FINDING_NO_PHASE] = {PS_NOTE_REJECTED, "an event has no phase (\"ph\")"},
    [TR_FINDING_NO_TIME] = {PS_NOTE_REJECTED, "an event has no time (\"ts\")"},
    [TR_FINDING_OUT_OF_RANGE] = {PS_NOTE_REJECTED, "the time of an event is out of range"},
    [TR_FINDING_TRUNCATED] = {PS_NOTE_REJECTED, "the file is truncated inside this event"},
    [TR_FINDING_NO_COMMA] = {PS_NOTE_WARNING, "a comma is missing between two events"},
    [TR_FINDING_EXTRA_COMMA] = {PS_NOTE_WARNING, "a comma without an event after it"},
    [TR_FINDING_NO_BRACKET] = {PS_NOTE_WARNING,
                               "the file is truncated: the event list is not closed"},
    [TR_FINDING_NO_BRACE] = {PS_NOTE_WARNING, "the file is truncated: the last brace is missing"},
    [TR_FINDING_HEADER_REPAIRED] = {PS_NOTE_WARNING,
                                    "a value outside the events was invalid JSON and was repaired"},
    [TR_FINDING_HEADER_LOST] = {PS_NOTE_WARNING,
                                "a value outside the events is invalid JSON and was dropped"},
    [TR_FINDING_HEADER_TOO_LARGE] =
        {PS_NOTE_INFO,
         "a value outside the events was dropped: it is too large, or there are too many"},
    [TR_FINDING_GARBAGE] =
        {PS_NOTE_REJECTED,
         "bytes after the end of the trace are invalid JSON: did two programs write the file?"},
    [TR_FINDING_SECOND_DOCUMENT] = {PS_NOTE_WARNING,
                                    "another trace begins in the same file; perfshelf reads both"},
    [TR_FINDING_EVENT_LINES] = {PS_NOTE_WARNING, "the events are not inside an array"},
    [TR_FINDING_EVENTS_TEXT] =
        {PS_NOTE_WARNING, "\"traceEvents\" is a string (systrace text), which is not supported"},
    [TR_FINDING_STREAM_TRUNCATED] =
        {PS_NOTE_WARNING,
         "the compressed data are truncated; perfshelf imported the data before that point"},
};

static int by_position(const void *a, const void *b)
{
    const struct tr_finding_position *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Writes all findings as notes, at most TR_FINDINGS_MAX of a kind. */
static void note_findings(struct tr_trace *trace, struct tr_findings *findings)
{
    if (findings->n)
        qsort(findings->items, findings->n, sizeof *findings->items, by_position);
    for (size_t i = 0; i < findings->n; i++)
        tr_add_note(trace, words[findings->items[i].kind].severity, findings->items[i].offset, "%s",
                    words[findings->items[i].kind].what);
    for (size_t i = 0; i < TR_N_FINDINGS; i++)
        if (findings->count[i] > TR_FINDINGS_MAX)
            tr_add_note(trace, words[i].severity, PS_NOTE_NO_OFFSET, "%s: %llu in total",
                        words[i].what, (unsigned long long)findings->count[i]);
}

/* --- Merging: the output of a parser gets the ids of the trace --- */

/* Maps local ids to ids of the trace. */
struct maps {
    /* by local index: id in the trace (threads: index + 1); 0: not mapped yet */
    uint32_t *names, *templates, *categories, *threads;
    size_t n_names, n_templates, n_cats, n_threads;
};

#define TEMPLATE_BYTES_MAX (UINT64_C(32) << 20)

static void free_maps(struct maps *maps)
{
    free(maps->names);
    free(maps->templates);
    free(maps->categories);
    free(maps->threads);
    *maps = (struct maps){0};
}

static void grow_map(uint32_t **map, size_t *n, uint32_t count)
{
    if (count <= *n)
        return;
    *map = ps_grow(*map, (size_t)count * 2, sizeof **map);
    memset(*map + *n, 0, ((size_t)count * 2 - *n) * sizeof **map);
    *n = (size_t)count * 2;
}

/* Returns the text id of a repaired name. If an earlier, different name was repaired to the same
 * text, the hash of the original bytes is appended to the name. */
static uint32_t repaired_name_id(struct tr_trace *trace, struct ps_str name, struct ps_str mark)
{
    struct tr_pages *pages = trace->pages;
    uint32_t known = pages->repaired_names.count,
             index = ps_intern_add(&pages->repaired_names, name);

    if (index == pages->repaired_cap) {
        pages->repaired_cap = pages->repaired_cap ? pages->repaired_cap * 2 : 16;
        pages->repaired_marks =
            ps_grow(pages->repaired_marks, pages->repaired_cap, sizeof *pages->repaired_marks);
    }
    if (index == known)
        pages->repaired_marks[index] = ps_arena_copy(&trace->arena, mark);
    if (ps_str_eq(pages->repaired_marks[index], mark))
        return tr_text_id(trace, name);
    return tr_text_id(trace,
                      ps_str_from_c(ps_arena_printf(&trace->arena, "%.*s ~%.*s", (int)name.len,
                                                    name.ptr, (int)mark.len, mark.ptr)));
}

static uint32_t name_id(struct tr_trace *trace, struct ps_str text)
{
    const char *odd = text.len ? memchr(text.ptr, TR_REPAIRED_NAME_MARK, text.len) : NULL;
    struct ps_str name = {text.ptr, odd ? (size_t)(odd - text.ptr) : text.len};

    return odd ? repaired_name_id(trace, name, ps_str_skip(text, name.len + 1))
               : tr_text_id(trace, name);
}

static uint32_t name_of(struct tr_trace *trace, const struct tr_parser_output *local,
                        struct maps *maps, uint32_t name)
{
    if (!name)
        return 0;
    if (!maps->names[name - 1])
        maps->names[name - 1] = name_id(trace, local->names.items[name - 1]);
    return maps->names[name - 1];
}

/* Stores the arguments of a record as one string. The importer does this for new templates once
 * there are too many templates, for example if the text of all arguments differs. */
static enum ps_status store_whole(struct tr_trace *trace, const struct tr_parser_output *local,
                                  struct ps_str template, struct tr_record *record)
{
    struct ps_buf text = {0}, *whole = &trace->pages->key_scratch;
    struct ps_str params = ps_str_skip(ps_buf_slice(&local->args), (size_t)record->args_address);
    const char *mark = memchr(template.ptr, PS_TEMPLATE_REST, template.len);
    enum ps_status status;
    uint64_t at = 0;

    if (mark != template.ptr)
        ps_args_json(template, params, false, &text);
    if (mark) {
        ps_buf_add(&text, mark, 1);
        ps_args_json(template, params, true, &text);
    }
    whole->len = 0;
    ps_args_put_arguments(whole, ps_buf_slice(&text));
    status = tr_pages_add_args(trace, ps_buf_slice(whole), &at);
    record->template = PS_TEMPLATE_WHOLE;
    record->args_address = at & 0xffffffffff;
    ps_buf_free(&text);
    return status;
}

/* Sets the template of a record and the address of its parameters; `base`: address of the local
 * parameters. */
static enum ps_status map_args(struct tr_trace *trace, const struct tr_parser_output *local,
                               struct maps *maps, struct tr_record *record, uint64_t base)
{
    struct ps_str text;
    uint32_t *known;

    if (!record->template) {
        record->args_address = 0;
        return PS_OK;
    }
    known = &maps->templates[record->template - 2];
    if (!*known) {
        text = local->templates.items[record->template - 2];
        if (trace->pages->template_bytes >= TEMPLATE_BYTES_MAX &&
            ps_intern_find(&trace->pages->templates, text) == PS_INTERN_NONE)
            return store_whole(trace, local, text, record);
        *known = tr_template_index(trace, text);
    }
    record->template = *known;
    record->args_address = (base + record->args_address) & 0xffffffffff;
    return PS_OK;
}

static enum ps_status merge_record(struct tr_trace *trace, const struct tr_parser_output *local,
                                   struct maps *maps, const struct tr_local_record *from,
                                   uint64_t base)
{
    struct tr_record record = from->record;
    uint32_t *thread = &maps->threads[from->thread], *cat;

    if (!*thread)
        *thread = tr_thread_index(trace, local->threads.items[from->thread]) + 1;
    record.name = name_of(trace, local, maps, record.name);
    if (record.is_text_id)
        record.dur_or_id = name_of(trace, local, maps, (uint32_t)record.dur_or_id);
    if (record.category) {
        cat = &maps->categories[record.category - 1];
        if (!*cat)
            *cat = tr_category_index(trace, local->categories.items[record.category - 1]);
        record.category = *cat & UINT16_MAX;
        trace->threads[*thread - 1].is_torch |= trace->categories[record.category].is_torch;
    }
    if (map_args(trace, local, maps, &record, base) != PS_OK)
        return trace->err->code;
    return tr_pages_push(trace, *thread - 1, &record);
}

static void merge_findings(struct tr_findings *to, struct tr_findings *from)
{
    for (size_t i = 0; i < from->n; i++)
        tr_note_finding(to, (enum tr_finding)from->items[i].kind, from->items[i].offset);
    for (size_t i = 0; i < TR_N_FINDINGS; i++)
        if (from->count[i] > TR_FINDINGS_MAX)
            to->count[i] += from->count[i] - TR_FINDINGS_MAX;
    from->n = 0;
    memset(from->count, 0, sizeof from->count);
}

/* Clears the records and findings of a parser, not its tables. */
static void clear_local(struct tr_parser_output *local)
{
    local->n = local->args.len = local->findings.n = 0;
    memset(local->findings.count, 0, sizeof local->findings.count);
    local->read = local->repaired = local->rejected = 0;
    local->first_ns = INT64_MAX;
    local->last_ns = INT64_MIN;
    local->n_zero = 0;
    local->zero_end_ns = INT64_MIN;
}

static void merge_counts(struct tr_trace *trace, struct tr_parser_output *local)
{
    struct tr_counts *counts = &trace->counts;

    counts->read += local->read;
    counts->repaired += local->repaired;
    counts->rejected += local->rejected;
    counts->stored += local->read - local->repaired - local->rejected;
    trace->first_ns = local->first_ns < trace->first_ns ? local->first_ns : trace->first_ns;
    trace->last_ns = local->last_ns > trace->last_ns ? local->last_ns : trace->last_ns;
    trace->n_zero += local->n_zero;
    trace->zero_end_ns =
        local->zero_end_ns > trace->zero_end_ns ? local->zero_end_ns : trace->zero_end_ns;
    merge_findings(&trace->pages->findings, &local->findings);
}

/* Moves the parser's local records, arguments and findings to the trace. The tables of the parser
 * are not changed. */
static enum ps_status merge_local(struct tr_trace *trace, struct tr_parser *parser,
                                  struct maps *maps)
{
    struct tr_parser_output *local = &parser->local;
    uint64_t base = 0;

    grow_map(&maps->names, &maps->n_names, local->names.count);
    grow_map(&maps->templates, &maps->n_templates, local->templates.count);
    grow_map(&maps->categories, &maps->n_cats, local->categories.count);
    grow_map(&maps->threads, &maps->n_threads, local->threads.count);
    if (tr_pages_add_args(trace, ps_buf_slice(&local->args), &base) != PS_OK)
        return trace->err->code;
    for (size_t i = 0; i < local->n; i++)
        if (merge_record(trace, local, maps, &local->records[i], base) != PS_OK)
            return trace->err->code;
    trace->pages->records += local->n;
    merge_counts(trace, local);
    clear_local(local);
    return tr_check_limits(trace);
}

/* --- The document --- */

/* Events are in an object with other keys, in an array, or one per line; several documents may
 * follow each other. */

/* The state of reading the document around the events. */
struct document {
    enum document_mode { DOC_TOP, DOC_OBJECT, DOC_EVENTS, DOC_REST } mode;
    bool in_object;  /* the events are a member of an object */
    bool is_bare;    /* the events are in no array */
    bool has_events; /* an event list was found */
    bool has_begun;  /* at least one document has begun */
    enum tr_last_read between;
};

#define HEADER_MAX        (16u << 20)
#define HEADERS_MAX       1024        /* maximum number of keys */
#define HEADERS_BYTES_MAX (64u << 20) /* maximum bytes of all headers, including repeated keys */
/* maximum bytes that are searched for the end of a value with invalid quotes */
#define REPAIR_BYTES_MAX (1 << 20)

static void note_defect(struct tr_trace *trace, const struct tr_parser *p, enum tr_finding what)
{
    tr_note_finding(&trace->pages->findings, what, tr_parser_offset(p, p->cursor));
}

static void begin_events(struct document *doc, bool bare)
{
    doc->mode = DOC_EVENTS;
    doc->is_bare = bare;
    doc->has_events = true;
    doc->between = bare ? TR_LAST_READ_COMMA : TR_LAST_READ_NOTHING;
}

/* Whether the object is itself an event, because its first keys are keys of events. Sets *known to
 * false if more bytes are needed to decide. */
static bool is_bare_event(struct tr_parser *p, bool *known)
{
    static const char *const keys[] = {"cat", "name", "pid", "tid", "ts", "dur", "id", "args"};
    const char *start = p->cursor;
    struct tr_string key;
    bool event = false, goes_on = true;

    p->is_incomplete = false;
    for (p->cursor++; goes_on;) {
        p->cursor = tr_skip_blanks(p->cursor, p->end);
        goes_on = p->cursor < p->end && *p->cursor == '"' && tr_scan_string(p, &key);
        event = goes_on && ps_str_eq_c(key.raw, "ph");
        if (!goes_on || event)
            break;
        goes_on = false;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            goes_on |= ps_str_eq_c(key.raw, keys[i]);
        p->cursor = tr_skip_blanks(p->cursor, p->end) + 1;
        goes_on = goes_on && p->cursor < p->end && tr_skip_value(p);
        p->cursor = tr_skip_blanks(p->cursor, p->end);
        goes_on = goes_on && p->cursor < p->end && *p->cursor++ == ',';
    }
    *known = event || (!p->is_incomplete && p->cursor < p->end) || p->is_last;
    p->cursor = start;
    return event;
}

/* Rejects bytes after the end of the trace. They count as one event, as the bytes between two
 * events do. */
static void reject_garbage(struct tr_trace *trace, const struct tr_parser *p)
{
    trace->counts.read++;
    trace->counts.rejected++;
    note_defect(trace, p, TR_FINDING_GARBAGE);
}

#define EVENT_START_MAX 256 /* bytes in which an event is recognised */

/* Skips bytes that are not valid JSON up to the next event. If several programs write one file at
 * the same time, events of one follow the end of the list of another. False: more bytes are
 * needed, or the input has ended. */
static bool skip_garbage(struct document *doc, struct tr_parser *p)
{
    const char *next = tr_next_event(p->cursor, p->end);

    if (next) {
        p->cursor = next;
        begin_events(doc, false);
        return true;
    }
    if (p->is_last)
        p->cursor = p->end;
    else if (p->end - p->cursor > EVENT_START_MAX)
        p->cursor = p->end - EVENT_START_MAX;
    p->cursor += p->cursor < p->end && *p->cursor == '{'; /* it was found to be no event */
    return false;
}

/* Reads the start of a document. False: more bytes are needed. */
static bool read_document_start(struct tr_trace *trace, struct document *doc, struct tr_parser *p)
{
    bool known = true, bare;

    p->cursor = tr_skip_blanks(p->cursor, p->end);
    if (p->cursor >= p->end)
        return false;
    bare = *p->cursor == '{' && is_bare_event(p, &known);
    if (!known)
        return false;
    if (*p->cursor != '{' && *p->cursor != '[') {
        reject_garbage(trace, p);
        doc->mode = DOC_REST;
        return true;
    }
    if (doc->has_begun && !bare)
        note_defect(trace, p, TR_FINDING_SECOND_DOCUMENT);
    doc->has_begun = true;
    doc->in_object = *p->cursor == '{';
    if (bare) {
        note_defect(trace, p, TR_FINDING_EVENT_LINES);
        begin_events(doc, true);
    } else if (*p->cursor++ == '{') {
        doc->mode = DOC_OBJECT;
    } else {
        trace->is_array = true;
        begin_events(doc, false);
    }
    return true;
}

/* Stores a header. False: the header is too large, or there are too many headers. */
static bool store_header(struct tr_trace *trace, struct ps_str key, struct ps_str json)
{
    uint32_t id;

    trace->pages->headers_bytes += key.len + json.len;
    if (json.len > HEADER_MAX || trace->pages->headers_bytes > HEADERS_BYTES_MAX)
        return false;
    id = ps_intern_find(&trace->pages->header_keys, key);
    if (id != PS_INTERN_NONE) {
        trace->headers[id].json = ps_arena_copy(&trace->arena, json);
        return true;
    }
    if (trace->n_headers == HEADERS_MAX)
        return false;
    (void)ps_intern_add(&trace->pages->header_keys, key);
    PS_RESERVE_ONE(trace->headers, trace->n_headers, trace->pages->headers_cap);
    trace->headers[trace->n_headers++] =
        (struct tr_header){ps_arena_copy(&trace->arena, key), ps_arena_copy(&trace->arena, json)};
    trace->is_torch |= ps_str_eq_c(key, "schemaVersion") || ps_str_eq_c(key, "deviceProperties");
    return true;
}

/* Reads a value in one mode. True if `,`, `}` or the end of the input follows it. */
static bool value_in_mode(struct tr_parser *p, enum tr_mode mode, struct tr_packed *json)
{
    const char *start = p->cursor, *behind;

    p->mode = mode;
    p->is_incomplete = p->is_too_deep = false;
    json->text.len = 0;
    if (tr_pack_value(p, json, 2)) {
        behind = tr_skip_blanks(p->cursor, p->end);
        p->is_incomplete = behind >= p->end && !p->is_last;
        if (!p->is_incomplete && (behind >= p->end || *behind == ',' || *behind == '}'))
            return true;
    }
    p->cursor = start;
    return false;
}

/* Whether an event begins at `at`. Sets *known to false if more bytes are needed to decide. */
static bool is_event_at(struct tr_parser *p, const char *at, bool *known)
{
    const char *cursor = p->cursor;
    bool found;

    p->cursor = at;
    found = *at == '{' && is_bare_event(p, known);
    p->cursor = cursor;
    return found;
}

/* Skips an invalid value up to the next key, or to an event. False: more bytes are needed. */
static bool skip_to_key(struct tr_parser *p)
{
    const char *at = p->cursor, *next;
    bool known = true;

    for (; at < p->end; at++) {
        const char *key;

        if (is_event_at(p, at, &known)) {
            p->cursor = at;
            return true;
        }
        if (!known)
            return false;
        if (*at != ',')
            continue;
        key = next = tr_skip_blanks(at + 1, p->end);
        if (next >= p->end || *next != '"')
            continue;
        next = memchr(key + 1, '"', (size_t)(p->end - key - 1));
        next = next ? tr_skip_blanks(next + 1, p->end) : p->end;
        if (next < p->end && *next == ':') {
            p->cursor = at;
            return true;
        }
    }
    if (p->is_last)
        p->cursor = p->end;
    return p->is_last;
}

static bool wants_more(const struct tr_parser *p)
{
    return p->is_incomplete && !p->is_last;
}

static bool read_header(struct tr_trace *trace, struct tr_parser *p, struct ps_str key)
{
    const char *start = p->cursor;
    struct tr_packed json = {0};
    bool good = value_in_mode(p, TR_MODE_STRICT, &json), known = good || !wants_more(p);
    bool mended = good && p->repairs & 1u << TR_FINDING_NOT_A_NUMBER;

    for (int mode = TR_MODE_LOOSE_QUOTES;
         known && !good && !p->is_too_deep && mode <= TR_MODE_PLAIN_BACKSLASH; mode++) {
        mended = good = value_in_mode(p, (enum tr_mode)mode, &json);
        known = good || !wants_more(p) || p->end - start > REPAIR_BYTES_MAX;
    }
    if (!good && p->is_too_deep)
        (void)ps_fail_at(trace->err, PS_LIMIT, tr_parser_offset(p, start),
                         "a value outside the events is nested more than %d levels deep",
                         TR_DEPTH_MAX);
    p->mode = TR_MODE_STRICT;
    p->repairs = 0;
    if (good && mended)
        tr_note_finding(&trace->pages->findings, TR_FINDING_HEADER_REPAIRED,
                        tr_parser_offset(p, start));
    if (good && !store_header(trace, key, ps_buf_slice(&json.text)))
        note_defect(trace, p, TR_FINDING_HEADER_TOO_LARGE);
    else if (!good && known && (good = skip_to_key(p)))
        tr_note_finding(&trace->pages->findings, TR_FINDING_HEADER_LOST,
                        tr_parser_offset(p, start));
    ps_buf_free(&json.text);
    ps_buf_free(&json.params);
    return good;
}

/* Reads the value of "traceEvents". False: more bytes are needed. */
static bool read_events_key(struct tr_trace *trace, struct document *doc, struct tr_parser *p)
{
    if (*p->cursor == '[') {
        p->cursor++;
        begin_events(doc, false);
        return true;
    }
    const char *start = p->cursor;

    p->is_incomplete = false;
    if (tr_skip_value(p)) {
        if (*start == '"')
            tr_note_finding(&trace->pages->findings, TR_FINDING_EVENTS_TEXT,
                            tr_parser_offset(p, start));
        doc->has_events = true;
        return true;
    }
    if (!p->is_last && p->is_incomplete)
        return false;
    if (p->is_incomplete) {
        p->cursor = p->end;
        return true;
    }
    note_defect(trace, p, TR_FINDING_HEADER_LOST); /* the value is damaged, but events may follow */
    begin_events(doc, false);
    return true;
}

static bool read_member(struct tr_trace *trace, struct document *doc, struct tr_parser *p)
{
    const char *start = p->cursor;
    struct ps_buf text = {0};
    struct tr_string key;
    bool good;

    p->is_incomplete = false;
    good = tr_scan_string(p, &key);
    if (good) {
        p->repairs = 0;
        tr_decode_string(p, &key, &text);
        p->cursor = tr_skip_blanks(p->cursor, p->end);
        good = p->cursor < p->end && *p->cursor == ':';
    }
    if (good) {
        p->cursor = tr_skip_blanks(p->cursor + 1, p->end);
        good = p->cursor < p->end;
    }
    if (good)
        good = ps_str_eq_c(ps_buf_slice(&text), "traceEvents")
                   ? read_events_key(trace, doc, p)
                   : read_header(trace, p, ps_buf_slice(&text));
    else if (p->is_last || (p->cursor < p->end && !p->is_incomplete)) {
        p->cursor = start + 1;
        good = skip_to_key(p);
        if (good)
            tr_note_finding(&trace->pages->findings, TR_FINDING_HEADER_LOST,
                            tr_parser_offset(p, start));
    }
    ps_buf_free(&text);
    if (!good)
        p->cursor = start;
    return good;
}

static bool read_object(struct tr_trace *trace, struct document *doc, struct tr_parser *p)
{
    bool known = true;

    p->cursor = tr_skip_blanks(p->cursor, p->end);
    if (p->cursor >= p->end)
        return false;
    if (*p->cursor == '"')
        return read_member(trace, doc, p);
    if (is_event_at(p, p->cursor, &known)) { /* of another program that wrote the file */
        reject_garbage(trace, p);
        begin_events(doc, false);
        return true;
    }
    if (!known)
        return false;
    if (*p->cursor == '}')
        doc->mode = DOC_TOP;
    else if (*p->cursor != ',') {
        const char *start = p->cursor;

        if (!skip_to_key(p))
            return false;
        tr_note_finding(&trace->pages->findings, TR_FINDING_HEADER_LOST,
                        tr_parser_offset(p, start));
        return true;
    }
    p->cursor++;
    return true;
}

/* Updates the state after tr_parse_events returned `end`. */
static void end_events(struct tr_trace *trace, struct document *doc, struct tr_parser *p,
                       enum tr_events_end end)
{
    doc->between = p->last_read;
    if (end == TR_EVENTS_INCOMPLETE)
        return;
    if (end == TR_EVENTS_OPEN && !doc->is_bare)
        note_defect(trace, p, TR_FINDING_NO_BRACKET);
    doc->mode = doc->in_object && !doc->is_bare ? DOC_OBJECT : DOC_TOP;
}

/* Detects the layout of Kineto's writer since April 2026, which puts each key on a separate
 * line. */
static void note_layout(struct tr_trace *trace, const struct tr_parser *p)
{
    const char *comma = memchr(p->cursor, ',', (size_t)(p->end - p->cursor));

    if (trace->counts.read == 0 && comma && comma + 1 < p->end)
        trace->has_one_key_per_line = comma[1] == '\n' || comma[1] == '\r';
}

static enum ps_status read_events(struct tr_trace *trace, struct document *doc, struct tr_parser *p,
                                  struct maps *maps, bool *goes_on)
{
    enum tr_events_end end;

    p->last_read = doc->between;
    p->mode = TR_MODE_STRICT;
    note_layout(trace, p);
    end = tr_parse_events(p, doc->is_bare);
    end_events(trace, doc, p, end);
    *goes_on = end != TR_EVENTS_INCOMPLETE;
    return merge_local(trace, p, maps);
}

/* Reads from p->cursor as far as possible. The caller must pass the bytes from the new p->cursor on
 * again, with more bytes after them. */
static enum ps_status read_document(struct tr_trace *trace, struct document *doc,
                                    struct tr_parser *p, struct maps *maps)
{
    bool goes_on = true;
    enum ps_status status = PS_OK;

    while (goes_on && status == PS_OK) {
        switch (doc->mode) {
        case DOC_TOP:
            goes_on = read_document_start(trace, doc, p);
            break;
        case DOC_OBJECT:
            goes_on = read_object(trace, doc, p);
            status = trace->err->code; /* PS_OK unless a limit was exceeded */
            break;
        case DOC_EVENTS:
            status = read_events(trace, doc, p, maps, &goes_on);
            break;
        case DOC_REST:
            goes_on = skip_garbage(doc, p);
            break;
        }
    }
    return status;
}

/* Reports the brackets that are missing at the end of the input. */
static enum ps_status end_document(struct tr_trace *trace, struct document *doc,
                                   struct tr_parser *p)
{
    if (doc->mode == DOC_EVENTS && !doc->is_bare && doc->in_object)
        note_defect(trace, p, TR_FINDING_NO_BRACKET);
    if (doc->mode == DOC_OBJECT)
        note_defect(trace, p, TR_FINDING_NO_BRACE);
    if (doc->has_events || (doc->mode == DOC_OBJECT && trace->is_torch))
        return PS_OK; /* the file was truncated before the first event, but it is a trace */
    return ps_fail(trace->err, PS_BAD_INPUT,
                   "the file contains no trace events" PS_HINT
                   "a trace is a JSON object with \"traceEvents\", or an array of events");
}

/* --- Blocks and workers --- */

#define BLOCK     (1u << 20)
#define EVENT_MAX (64u << 20)
/* maximum bytes of a worker's tables; when exceeded, they are cleared */
#define LOCAL_TABLES_MAX (8u << 20)
#define WORKERS_MAX      2
#define ZERO_GAP_NS      (INT64_C(86400) * 1000000000) /* a day; see place_zero_times */

enum guess { GUESS_NOTHING, GUESS_ARRAY, GUESS_LINES };

struct read_state {
    struct ps_stream *in;
    struct tr_trace *trace;
    size_t block;
    pthread_mutex_t input, output;
    pthread_cond_t turn;
    /* guarded by `input` */
    uint64_t bytes_read;
    bool has_ended;
    /* guarded by `output` */
    uint64_t consumed;
    struct document document;
    struct ps_buf leftover;
    uint64_t leftover_offset;
    bool origin_known;
    int64_t origin_us;
    /* enum guess: the element with which the block after the last consumed block probably begins;
     * unless it is GUESS_NOTHING, origin_us is known */
    _Atomic int guess;
    _Atomic size_t wanted_bytes;
    _Atomic bool stopped;
};

struct worker {
    struct read_state *reading;
    pthread_t thread;
    bool first; /* the worker runs on the caller's thread, the only thread that may call the sink */
    struct tr_parser parser;
    struct maps maps;
    struct ps_buf block, joined;
    uint64_t offset, index, done, total;
    bool last;
};

/* Returns the last '{' in [start, end); NULL: none. The search proceeds page by page, because
 * AddressSanitizer checks all bytes that memrchr may read, which would be the complete block for
 * each brace. */
static const char *last_brace(const char *start, const char *end)
{
    const char *hit = NULL;

    while (!hit && end > start) {
        size_t n = end - start < 4096 ? (size_t)(end - start) : 4096;

        end -= n;
        hit = memrchr(end, '{', n);
    }
    return hit;
}

/* Returns the offset of the last position where an event seems to begin, without parsing from the
 * start; the length of `window` if there is no such position. */
static size_t last_event_start(struct ps_str window)
{
    const char *start = window.ptr, *end = start + window.len, *at = end;

    while ((at = last_brace(start, at))) {
        const char *back = at;

        while (back > start && (unsigned char)back[-1] <= ' ')
            back--;
        if (back > start && (back[-1] == ',' || back[-1] == '}') && tr_is_event_start(at, end))
            return (size_t)(at - start);
    }
    return window.len;
}

static void fill_block(struct ps_buf *buf, struct ps_str before, struct ps_str bytes)
{
    buf->len = 0;
    ps_buf_reserve(buf, before.len + bytes.len + TR_PADDING);
    ps_buf_add_str(buf, before);
    ps_buf_add_str(buf, bytes);
    memset(buf->ptr + buf->len, 0, TR_PADDING);
}

/* Reads the next block of the stream. False: no more blocks. The last block may be empty. */
static bool read_block(struct worker *w)
{
    struct read_state *r = w->reading;
    bool taken = false;

    (void)pthread_mutex_lock(&r->input);
    if (!r->has_ended && !atomic_load(&r->stopped)) {
        size_t want = atomic_load(&r->wanted_bytes);
        struct ps_str window = ps_stream_peek(r->in, want);

        w->last = r->has_ended = window.len < want;
        window.len = window.len < want ? window.len : want;
        window.len = w->last ? window.len : last_event_start(window);
        w->offset = ps_stream_offset(r->in);
        w->index = r->bytes_read++;
        fill_block(&w->block, (struct ps_str){"", 0}, window);
        ps_stream_skip(r->in, window.len);
        ps_stream_progress(r->in, &w->done, &w->total);
        taken = true;
    }
    (void)pthread_mutex_unlock(&r->input);
    return taken;
}

/* Parses the block before its turn, assuming that it begins with an event. */
static enum tr_events_end parse_ahead(struct worker *w, int guess)
{
    struct tr_parser *p = &w->parser;

    tr_parser_begin(p, ps_buf_slice(&w->block), w->offset, w->last);
    p->last_read = TR_LAST_READ_COMMA;
    p->mode = TR_MODE_STRICT;
    p->is_origin_known = true;
    p->origin_us = w->reading->origin_us;
    return tr_parse_events(p, guess == GUESS_LINES);
}

/* Clears the worker's tables if they are too large. All their content was merged into the trace. */
static void clear_tables(struct worker *w)
{
    struct tr_parser_output *local = &w->parser.local;

    if (local->names.arena.allocated_bytes + local->templates.arena.allocated_bytes <
            LOCAL_TABLES_MAX &&
        local->threads.arena.allocated_bytes < LOCAL_TABLES_MAX &&
        !tr_patterns_are_full(w->parser.patterns))
        return;
    ps_intern_free(&local->names);
    ps_intern_free(&local->templates);
    ps_intern_free(&local->categories);
    ps_intern_free(&local->threads);
    free_maps(&w->maps);
    memset(w->parser.threads, 0, sizeof w->parser.threads);
    tr_patterns_free(w->parser.patterns);
    w->parser.patterns = tr_patterns_new();
}

static enum ps_status parse_joined(struct worker *w)
{
    struct read_state *r = w->reading;
    struct tr_parser *p = &w->parser;
    uint64_t at = r->leftover.len ? r->leftover_offset : w->offset;

    clear_local(&p->local);
    fill_block(&w->joined, ps_buf_slice(&r->leftover), ps_buf_slice(&w->block));
    tr_parser_begin(p, ps_buf_slice(&w->joined), at, w->last);
    p->is_origin_known = r->origin_known;
    p->origin_us = r->origin_us;
    return read_document(r->trace, &r->document, p, &w->maps);
}

static enum ps_status merge_parsed(struct worker *w, enum tr_events_end end)
{
    struct read_state *r = w->reading;
    enum ps_status status;

    end_events(r->trace, &r->document, &w->parser, end);
    status = merge_local(r->trace, &w->parser, &w->maps);
    if (status == PS_OK && end != TR_EVENTS_INCOMPLETE)
        status = read_document(r->trace, &r->document, &w->parser, &w->maps);
    return status;
}

/* Stores the unread bytes of the block, which are parsed together with the next block. */
static enum ps_status store_leftover(struct worker *w)
{
    struct read_state *r = w->reading;
    struct tr_parser *p = &w->parser;
    struct ps_str rest = {p->cursor, (size_t)(p->end - p->cursor)};

    r->leftover_offset = tr_parser_offset(p, p->cursor);
    r->leftover.len = 0;
    if (rest.len > EVENT_MAX) {
        ps_fail_at(r->trace->err, PS_LIMIT, r->leftover_offset, "one event is larger than %u MiB",
                   EVENT_MAX >> 20);
        return r->trace->err->code;
    }
    ps_buf_add_str(&r->leftover, rest);
    atomic_store(&r->wanted_bytes, rest.len > r->block ? rest.len : r->block);
    return PS_OK;
}

static enum ps_status report_progress(struct worker *w)
{
    struct tr_trace *trace = w->reading->trace;

    if (!w->first || !trace->out->ops->progress)
        return PS_OK;
    if (!ps_sink_ok(trace->out))
        return ps_fail(trace->err, trace->out->err.code, "%s", trace->out->err.text);
    if (!trace->out->ops->progress(trace->out, w->done, w->total, trace->counts.read))
        return ps_fail(trace->err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

static void set_guess(struct worker *w)
{
    struct read_state *r = w->reading;
    bool events = r->document.mode == DOC_EVENTS;

    if (w->parser.is_origin_known && !r->origin_known) {
        r->origin_us = w->parser.origin_us;
        r->origin_known = true;
    }
    atomic_store(&r->guess, !events || !r->origin_known ? GUESS_NOTHING
                            : r->document.is_bare       ? GUESS_LINES
                                                        : GUESS_ARRAY);
}

/* Adds the block to the trace. Call it only when it is the turn of the block. */
static enum ps_status consume_block(struct worker *w, int guess, enum tr_events_end end)
{
    struct read_state *r = w->reading;
    bool right = guess != GUESS_NOTHING && r->leftover.len == 0 && r->document.mode == DOC_EVENTS &&
                 r->document.is_bare == (guess == GUESS_LINES) &&
                 r->document.between == TR_LAST_READ_COMMA;
    enum ps_status status = right ? merge_parsed(w, end) : parse_joined(w);

    if (status == PS_OK)
        status = store_leftover(w);
    set_guess(w);
    clear_tables(w);
    return status == PS_OK ? report_progress(w) : status;
}

static void run_worker(struct worker *w)
{
    struct read_state *r = w->reading;

    while (read_block(w)) {
        int guess = atomic_load(&r->guess);
        enum tr_events_end end = guess ? parse_ahead(w, guess) : TR_EVENTS_INCOMPLETE;

        (void)pthread_mutex_lock(&r->output);
        while (r->consumed != w->index)
            (void)pthread_cond_wait(&r->turn, &r->output);
        if (!atomic_load(&r->stopped) && consume_block(w, guess, end) != PS_OK)
            atomic_store(&r->stopped, true);
        r->consumed++;
        (void)pthread_cond_broadcast(&r->turn);
        (void)pthread_mutex_unlock(&r->output);
    }
}

static void *work_thread(void *worker)
{
    run_worker(worker);
    return NULL;
}

static void run_workers(struct read_state *r, struct worker *workers, unsigned n)
{
    unsigned started = 1;

    for (unsigned i = 0; i < n; i++) {
        workers[i].reading = r;
        workers[i].first = i == 0;
        tr_parser_init(&workers[i].parser);
    }
    while (started < n &&
           pthread_create(&workers[started].thread, NULL, work_thread, &workers[started]) == 0)
        started++;
    run_worker(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        (void)pthread_join(workers[i].thread, NULL);
}

static void free_workers(struct worker *workers, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        tr_parser_free(&workers[i].parser);
        free_maps(&workers[i].maps);
        ps_buf_free(&workers[i].block);
        ps_buf_free(&workers[i].joined);
    }
}

/* Extends the trace to its events at time 0. Some versions of Kineto write 0 for an event whose
 * time they do not know: if all others are much later, such events are shown at the start of the
 * trace instead. */
static void place_zero_times(struct tr_trace *trace, int64_t origin_us)
{
    int64_t zero, before;

    if (!trace->n_zero || !tr_zero_time(origin_us, &zero))
        return;
    if (trace->first_ns <= trace->last_ns &&
        !__builtin_sub_overflow(trace->first_ns, zero, &before) && before > ZERO_GAP_NS &&
        before > trace->last_ns - trace->first_ns) {
        tr_add_note(trace, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET,
                    "events at time 0, long before all others, moved to the start of the trace: "
                    "%" PRIu64,
                    trace->n_zero);
        return;
    }
    trace->first_ns = zero < trace->first_ns ? zero : trace->first_ns;
    trace->last_ns = trace->zero_end_ns > trace->last_ns ? trace->zero_end_ns : trace->last_ns;
}

/* Ends the document and the stream after the workers have finished. */
static enum ps_status end_input(struct read_state *r)
{
    struct tr_trace *trace = r->trace;
    struct tr_parser end = {.base = "", .cursor = "", .base_offset = ps_stream_offset(r->in)};

    end.end = end.base;
    if (ps_stream_status(r->in, PS_ERR_IGNORED) != PS_OK) {
        if (!ps_stream_is_truncated(r->in))
            return ps_stream_status(r->in, trace->err);
        tr_note_finding(&trace->pages->findings, TR_FINDING_STREAM_TRUNCATED, end.base_offset);
    }
    if (end_document(trace, &r->document, &end) != PS_OK)
        return trace->err->code;
    place_zero_times(trace, r->origin_us);
    if (trace->first_ns > trace->last_ns)
        trace->first_ns = trace->last_ns = 0;
    trace->origin_us = r->origin_us;
    note_findings(trace, &trace->pages->findings);
    return PS_OK;
}

enum ps_status tr_trace_read_with(struct ps_stream *in, struct tr_trace *trace, size_t block,
                                  unsigned n, size_t budget)
{
    struct read_state r = {.in = in, .trace = trace, .block = block ? block : BLOCK};
    struct worker workers[WORKERS_MAX] = {0};
    enum ps_status status;

    tr_trace_init(trace, budget);
    r.wanted_bytes = r.block;
    (void)pthread_mutex_init(&r.input, NULL);
    (void)pthread_mutex_init(&r.output, NULL);
    (void)pthread_cond_init(&r.turn, NULL);
    run_workers(&r, workers, n < WORKERS_MAX ? n : WORKERS_MAX);
    status = r.stopped ? trace->err->code : end_input(&r);
    free_workers(workers, WORKERS_MAX);
    ps_buf_free(&r.leftover);
    (void)pthread_cond_destroy(&r.turn);
    (void)pthread_mutex_destroy(&r.input);
    (void)pthread_mutex_destroy(&r.output);
    return status;
}

enum ps_status tr_trace_read(struct ps_stream *in, struct tr_trace *trace)
{
    return tr_trace_read_with(in, trace, 0, WORKERS_MAX, TR_BUDGET);
}
