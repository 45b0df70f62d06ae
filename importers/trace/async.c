/* SPDX-License-Identifier: MIT */
/*
 * async.c: events that belong to no thread: asynchronous events (b n e, and the older S T p F), and
 * instants of a complete process.
 *
 * Begin and end events are matched by category, id and scope (the older events also by process and
 * name). Events of one id are nested. The outermost begin event determines the track: there is one
 * track per process, category and name, with lanes for overlaps.
 */
#include "importers/trace/async.h"
#include "importers/trace/emit.h"
#include "importers/trace/import_state.h"
#include "importers/trace/lanes.h"
#include "importers/trace/processes.h"
#include "importers/trace/sort_order.h"
#include "importers/trace/track.h"

#include <stdlib.h>

#define NO_SPAN UINT32_MAX

struct span {
    int64_t start, duration;
    uint32_t event;  /* index in async->events of the event that began the span */
    uint32_t parent; /* index in `spans` of the parent; NO_SPAN: outermost */
    uint32_t group, template;
    uint64_t args_address;
    uint8_t flags;
};

struct weave {
    struct tr_trace *trace;
    const struct tr_async *async;
    struct span *spans;
    uint32_t n, cap;
    uint32_t *open; /* by key: the innermost open span, or NO_SPAN */
    struct ps_intern groups;
    enum ps_track_kind kind;
};

static void add_event(struct tr_async *async, struct tr_trace *trace, uint32_t process,
                      const struct tr_record *r)
{
    int64_t ts = r->ts_ns;

    if (__builtin_sub_overflow(r->ts_ns, trace->import->shift_ns, &ts) || ts < 0)
        ts = 0;
    TR_SCRATCH_PUSH(trace->scratch, async->events, async->n, async->cap);
    async->events[async->n++] = (struct tr_async_event){.ts_ns = ts,
                                                        .args_address = r->args_address,
                                                        .name = r->name,
                                                        .template = r->template,
                                                        .process = process,
                                                        .category = r->category,
                                                        .phase = (char)r->phase};
}

void tr_instant_add(struct tr_trace *trace, uint32_t process, const struct tr_record *r)
{
    add_event(&trace->import->instants, trace, process, r);
}

struct key {
    int64_t id;
    /* `none` prevents padding, because all bytes are part of the key */
    uint32_t id_text, category, scope, name, process, none;
};

static struct ps_str rest_value(const struct tr_trace *trace, uint32_t template, struct ps_str key)
{
    struct ps_str text = trace->templates[template].text;
    const char *mark = text.len ? memchr(text.ptr, PS_TEMPLATE_REST, text.len) : NULL;

    if (!mark)
        return (struct ps_str){NULL, 0};
    return ps_template_value(ps_str_skip(text, (size_t)(mark - text.ptr) + 1), key, false);
}

/* Sets the id of the key from id2: {"local": ...} is unique in the process, {"global": ...} in the
 * trace. */
static void set_id2(struct tr_trace *trace, const struct tr_record *r, uint32_t process,
                    struct key *key)
{
    struct ps_str id2 = rest_value(trace, r->template, PS_STR("id2"));
    struct ps_str local = ps_template_value(id2, PS_STR("local"), false);
    struct ps_str global = ps_template_value(id2, PS_STR("global"), false);

    key->id_text = 2;
    if (local.ptr)
        key->process = process + 1;
    key->id = tr_text_id(trace, local.ptr ? local : global.ptr ? global : id2);
}

static struct key key_of(struct tr_trace *trace, uint32_t process, const struct tr_record *r)
{
    struct key key = {.id = r->dur_or_id, .id_text = r->is_text_id, .category = r->category};
    struct ps_str scope = rest_value(trace, r->template, PS_STR("scope"));

    if (r->dur_or_id == TR_NO_DURATION)
        set_id2(trace, r, process, &key);
    key.scope = scope.ptr ? tr_text_id(trace, scope) : 0;
    if (strchr("STpF", (char)r->phase)) {
        key.name = r->name;
        key.process = process + 1;
    }
    return key;
}

void tr_async_add(struct tr_trace *trace, uint32_t process, const struct tr_record *r)
{
    struct tr_async *async = &trace->import->async_events;
    struct key key = key_of(trace, process, r);

    add_event(async, trace, process, r);
    async->events[async->n - 1].key =
        ps_intern_add(&async->keys, (struct ps_str){(const char *)&key, sizeof key});
}

/* Whether the event is an NVTX range. Names of NVTX ranges are arbitrary, so all ranges of a domain
 * share one track. */
static bool is_range(const struct weave *w, const struct tr_async_event *event)
{
    return w->trace->categories[event->category].kind == PS_SLICE_NVTX;
}

static uint32_t group_of(struct weave *w, const struct tr_async_event *event)
{
    uint32_t key[3] = {event->process, event->category, event->name};

    if (w->kind == PS_TRACK_INSTANTS)
        key[1] = key[2] = 0;
    else if (is_range(w, event))
        key[2] = 0;
    return ps_intern_add(&w->groups, (struct ps_str){(const char *)key, sizeof key});
}

static uint32_t new_span(struct weave *w, uint32_t at, uint32_t parent, uint8_t flags)
{
    const struct tr_async_event *event = &w->async->events[at];

    TR_SCRATCH_PUSH(w->trace->scratch, w->spans, w->n, w->cap);
    w->spans[w->n] = (struct span){.start = event->ts_ns,
                                   .event = at,
                                   .parent = parent,
                                   .template = event->template,
                                   .args_address = event->args_address,
                                   .flags = flags};
    w->spans[w->n].group = parent == NO_SPAN ? group_of(w, event) : w->spans[parent].group;
    return w->n++;
}

static void end_span(struct weave *w, const struct tr_async_event *event)
{
    struct tr_import_state *import = w->trace->import;
    uint32_t at = w->open[event->key];
    struct span *span;

    if (at == NO_SPAN) {
        import->remark_counts[TR_REMARK_ASYNC_UNOPENED]++;
        import->rejected++;
        return;
    }
    span = &w->spans[at];
    span->duration = event->ts_ns - span->start;
    span->flags &= (uint8_t)~PS_SLICE_UNCLOSED;
    if (!span->template) {
        span->template = event->template;
        span->args_address = event->args_address;
    }
    w->open[event->key] = span->parent;
}

static void start_event(struct weave *w, uint32_t at)
{
    const struct tr_async_event *event = &w->async->events[at];

    switch (event->phase) {
    case 'b':
    case 'S':
        w->open[event->key] =
            new_span(w, at, w->open[event->key], PS_SLICE_ASYNC | PS_SLICE_UNCLOSED);
        break;
    case 'e':
    case 'F':
        end_span(w, event);
        break;
    case 'n':
    case 'T':
    case 'p':
        new_span(w, at, w->open[event->key], PS_SLICE_ASYNC | PS_SLICE_INSTANT);
        break;
    default:
        new_span(w, at, NO_SPAN, PS_SLICE_INSTANT);
    }
}

static bool is_earlier(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_async *async = list;

    return async->events[a].ts_ns < async->events[b].ts_ns;
}

static void start_events(struct weave *w)
{
    const struct tr_async *async = w->async;
    uint32_t *order = tr_sort_order(w->trace->scratch, async, async->n, is_earlier);

    w->open =
        tr_scratch_grow(w->trace->scratch, NULL, (size_t)async->keys.count + 1, sizeof *w->open);
    for (uint32_t i = 0; i < async->keys.count; i++)
        w->open[i] = NO_SPAN;
    for (size_t i = 0; i < async->n; i++) {
        start_event(w, order ? order[i] : (uint32_t)i);
        tr_scratch_count_row(w->trace->scratch, i);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        int64_t left;

        tr_scratch_count_row(w->trace->scratch, i);
        if (!(w->spans[i].flags & PS_SLICE_UNCLOSED))
            continue;
        left = tr_open_until(w->trace) - w->spans[i].start;
        w->spans[i].duration = left > 0 ? left : 0;
        w->trace->import->remark_counts[TR_REMARK_ASYNC_UNCLOSED]++;
    }
    tr_scratch_free(w->trace->scratch, order);
}

static bool span_before(const void *list, uint32_t x, uint32_t y)
{
    const struct span *a = (const struct span *)list + x, *b = (const struct span *)list + y;

    if (a->group != b->group)
        return a->group < b->group;
    if (a->start != b->start)
        return a->start < b->start;
    return a->duration > b->duration;
}

static void name_track(struct weave *w, const struct tr_async_event *event, struct tr_track *track)
{
    struct tr_trace *trace = w->trace;
    struct tr_process *process = &trace->import->processes[event->process];

    track->id = ++trace->import->n_tracks;
    track->process = tr_process_id(trace, event->process);
    track->name = w->kind == PS_TRACK_INSTANTS ? PS_STR("instants")
                  : is_range(w, event)         ? PS_STR("NVTX start/end ranges")
                  : event->name                ? tr_text_of_id(trace, event->name)
                                               : PS_STR("asynchronous");
    track->sort_key = tr_track_sort_key(&trace->import->processes[event->process],
                                        process->n_placed_threads++, 0);
}

static void put_row(const struct weave *w, struct tr_track *track, uint32_t row,
                    const struct span *span)
{
    const struct tr_async_event *event = &w->async->events[span->event];
    uint8_t kind = w->trace->categories[event->category].kind;

    track->start[row] = span->start;
    track->duration[row] = span->duration;
    track->self[row] = 0;
    track->args_address[row] = span->args_address;
    track->name_id[row] = event->name;
    track->template[row] = span->template;
    track->category[row] = event->category;
    track->slice_kind[row] = kind;
    track->flags[row] = span->flags;
}

/* Replaces span indices of parents by rows, and puts each child on the first free lane below the
 * lane of its parent. */
static void nest_rows(const struct weave *w, struct tr_track *track, const uint32_t *order,
                      uint32_t first, uint32_t *row_of)
{
    struct tr_lanes lanes = {0};

    track->start_ns = track->start[0];
    track->end_ns = track->start[0];
    for (uint32_t row = 0; row < track->n; row++) {
        uint32_t at = order ? order[first + row] : first + row, below = 0;
        uint32_t parent = w->spans[at].parent;
        int64_t end = track->start[row] + track->duration[row];

        tr_scratch_count_row(track->scratch, row);
        row_of[at] = row;
        track->parent[row] = parent == NO_SPAN ? TR_NO_ROW : row_of[parent];
        if (parent != NO_SPAN)
            below = track->lane[track->parent[row]] + 1u;
        track->lane[row] = (uint16_t)tr_find_lane(&lanes, below, track->start[row], end);
        track->end_ns = end > track->end_ns ? end : track->end_ns;
    }
    track->n_lanes = lanes.n_used;
    free(lanes.ends);
}

static enum ps_status write_group(struct weave *w, const uint32_t *order, uint32_t first,
                                  uint32_t to, uint32_t *row_of)
{
    struct tr_track track;

    if (w->trace->import->n_tracks + 2 > PS_TRACKS_MAX)
        return ps_fail(w->trace->err, PS_LIMIT, "the trace has more than %u tracks", PS_TRACKS_MAX);
    track = tr_track_new(w->trace->scratch, w->kind, to - first);
    track.n = to - first;
    tr_track_add_tree_columns(&track);
    name_track(w, &w->async->events[w->spans[order ? order[first] : first].event], &track);
    for (uint32_t row = 0; row < track.n; row++) {
        put_row(w, &track, row, &w->spans[order ? order[first + row] : first + row]);
        tr_scratch_count_row(w->trace->scratch, row);
    }
    nest_rows(w, &track, order, first, row_of);
    w->trace->import->n_slices += track.n;
    return tr_track_write(w->trace, &track);
}

static enum ps_status write_events(struct tr_trace *trace, const struct tr_async *async,
                                   enum ps_track_kind kind)
{
    struct weave w = {.trace = trace, .async = async, .kind = kind};
    enum ps_status status = PS_OK;
    uint32_t *order, *row_of;

    start_events(&w);
    order = tr_sort_order(trace->scratch, w.spans, w.n, span_before);
    row_of = tr_scratch_grow(trace->scratch, NULL, (size_t)w.n + 1, sizeof *row_of);
    for (uint32_t first = 0, to; first < w.n && status == PS_OK; first = to) {
        uint32_t group = w.spans[order ? order[first] : first].group;

        for (to = first; to < w.n && w.spans[order ? order[to] : to].group == group;)
            to++;
        status = write_group(&w, order, first, to, row_of);
    }
    tr_scratch_free(trace->scratch, order);
    tr_scratch_free(trace->scratch, row_of);
    tr_scratch_free(trace->scratch, w.open);
    tr_scratch_free(trace->scratch, w.spans);
    ps_intern_free(&w.groups);
    return status;
}

enum ps_status tr_async_write(struct tr_trace *trace)
{
    return write_events(trace, &trace->import->async_events, PS_TRACK_ASYNC);
}

enum ps_status tr_instants_write(struct tr_trace *trace)
{
    return write_events(trace, &trace->import->instants, PS_TRACK_INSTANTS);
}

void tr_async_free(struct tr_trace *trace, struct tr_async *async)
{
    tr_scratch_free(trace->scratch, async->events);
    ps_intern_free(&async->keys);
}
