/* SPDX-License-Identifier: MIT */
/*
 * nest.c: turns the records of one thread into tracks.
 *
 * Records are read page by page and written directly to columns, so that a thread with millions of
 * records is never in memory twice. Records that are not slices are passed to flows.c, counters.c
 * and async.c.
 */
#include "importers/trace/import.h"

#include <stdlib.h>

/* Limit of times, so that the sum of two cannot overflow. */
#define TIME_MOST (INT64_MAX / 4)

struct gather {
    struct tr_trace *trace;
    struct tr_import *import;
    struct tr_thread_facts *facts;
    struct tr_track track[TR_N_CLASSES];
    bool unsorted[TR_N_CLASSES];
    bool waits; /* the tid is not a stream: its waits are those of the device */
};

static const uint8_t track_kinds[TR_N_CLASSES] = {
    [TR_CLASS_THREAD] = PS_TRACK_THREAD,
    [TR_CLASS_STREAM] = PS_TRACK_STREAM,
    [TR_CLASS_ANNOTATIONS] = PS_TRACK_STREAM_ANNOTATIONS,
    [TR_CLASS_SYNC] = PS_TRACK_SYNC,
    [TR_CLASS_OVERHEAD] = PS_TRACK_OVERHEAD,
    [TR_CLASS_SPAN] = PS_TRACK_SPAN,
};

static int64_t time_of(const struct gather *g, int64_t ts)
{
    int64_t time;

    if (__builtin_sub_overflow(ts, g->import->shift, &time) || time > TIME_MOST)
        return TIME_MOST;
    return time > 0 ? time : 0;
}

static int64_t duration_of(struct gather *g, int64_t duration)
{
    if (duration >= 0)
        return duration < TIME_MOST ? duration : TIME_MOST;
    g->import->remarks[duration == TR_NO_DURATION ? TR_REMARK_NO_DURATION : TR_REMARK_NEGATIVE]++;
    return 0;
}

static void put(struct gather *g, enum tr_class kind, const struct tr_record *r, int64_t duration,
                uint8_t flags, uint8_t mark)
{
    struct tr_track *track = &g->track[kind];
    uint32_t row = track->n++;
    int64_t start = time_of(g, r->ts);

    track->start[row] = start;
    track->duration[row] = duration;
    track->args_at[row] = r->args_at;
    track->name_id[row] = r->name;
    track->template[row] = r->template;
    track->cat[row] = r->cat;
    track->slice_kind[row] = g->trace->cats[r->cat].kind;
    track->flags[row] = flags;
    track->family[row] = mark;
    if (row && (start < track->start[row - 1] ||
                (start == track->start[row - 1] && duration > track->duration[row - 1])))
        g->unsorted[kind] = true;
}

static enum tr_class class_of(const struct gather *g, const struct tr_record *r)
{
    uint8_t kind = g->import->class_of[r->cat];

    return kind == TR_CLASS_SYNC && !g->waits ? TR_CLASS_STREAM : kind;
}

static void instant(struct gather *g, const struct tr_record *r)
{
    uint8_t rest = g->import->rest[r->template];

    if (rest & (TR_REST_PROCESS | TR_REST_GLOBAL))
        tr_instant_add(g->trace, g->facts->process, r);
    else
        put(g, TR_CLASS_THREAD, r, 0, PS_SLICE_INSTANT, 0);
}

static void remark(struct gather *g, enum tr_remark what)
{
    g->import->remarks[what]++;
}

/* Handles a record that is not a slice of its thread. */
static void other(struct gather *g, const struct tr_record *r)
{
    char ph = (char)r->ph;

    if (ph == 's' || ph == 't' || ph == 'f')
        tr_flow_add(g->trace, r);
    else if (ph == 'C')
        tr_counter_add(g->trace, g->facts->process, r);
    else if (strchr("bneSTpF", ph) && ph)
        tr_async_add(g->trace, g->facts->process, r);
    else if (ph == 'P')
        remark(g, TR_REMARK_SAMPLE);
    else if (ph == 'N' || ph == 'O' || ph == 'D')
        remark(g, TR_REMARK_OBJECT);
    else if (ph == 'V' || ph == 'v')
        remark(g, TR_REMARK_DUMP);
    else if (ph == 'c' || ph == '(' || ph == ')' || ph == '=')
        remark(g, TR_REMARK_CLOCK);
    else if (ph == 'M')
        remark(g, TR_REMARK_METADATA);
    else {
        remark(g, TR_REMARK_UNKNOWN);
        g->import->unknown_phase = ph;
    }
}

static bool is_memory(const struct gather *g, const struct tr_record *r)
{
    return r->name && r->name == g->import->memory_name;
}

static void gather(void *user, const struct tr_record *records, size_t n)
{
    struct gather *g = user;

    for (size_t i = 0; i < n; i++) {
        const struct tr_record *r = &records[i];

        switch (r->ph) {
        case 'X':
            put(g, class_of(g, r), r, duration_of(g, r->dur), 0, 0);
            break;
        case 'B':
        case 'E':
            put(g, TR_CLASS_THREAD, r, 0, 0, (uint8_t)r->ph);
            break;
        case 'i':
        case 'I':
        case 'R':
            if (!is_memory(g, r))
                instant(g, r);
            break;
        default:
            other(g, r);
        }
    }
}

static void finish(struct gather *g, enum tr_class kind)
{
    struct tr_track *track = &g->track[kind];
    struct tr_import *import = g->import;

    if (kind == TR_CLASS_THREAD && g->facts->begin_end)
        tr_begin_end(g->trace, track);
    else if (g->unsorted[kind])
        tr_track_sort(track, true);
    tr_track_tree_columns(track);
    track->id = track->n ? ++import->n_tracks : 0;
    import->remarks[TR_REMARK_OVERLAP] += tr_tree(track, import->unit);
    import->n_slices += track->n;
}

static void bind_flows(struct gather *g)
{
    struct tr_track *present[TR_N_CLASSES];
    static const enum tr_class order[] = {TR_CLASS_STREAM, TR_CLASS_THREAD,      TR_CLASS_SYNC,
                                          TR_CLASS_SPAN,   TR_CLASS_ANNOTATIONS, TR_CLASS_OVERHEAD};
    size_t n = 0;

    for (int i = 0; i < TR_N_CLASSES; i++)
        if (g->track[order[i]].n)
            present[n++] = &g->track[order[i]];
    tr_flows_bind(g->trace, present, n);
}

enum ps_status tr_nest_thread(struct tr_trace *trace, struct tr_thread *thread,
                              struct tr_tracks *tracks)
{
    uint32_t index = (uint32_t)(thread - trace->threads);
    struct gather g = {.trace = trace, .import = trace->import};

    g.facts = &g.import->threads[index];
    g.waits = tr_only_waits(thread);
    for (int i = 0; i < TR_N_CLASSES; i++)
        if (g.facts->n[i]) {
            g.track[i] = tr_track_new(trace->room, track_kinds[i], g.facts->n[i]);
            tr_track_named(trace, index, (enum tr_class)i, &g.track[i]);
        }
    tr_thread_take(trace, thread, gather, &g);
    for (int i = 0; i < TR_N_CLASSES; i++)
        if (g.facts->n[i])
            finish(&g, (enum tr_class)i);
    bind_flows(&g);
    for (int i = 0; i < TR_N_CLASSES; i++) {
        if (g.track[i].n) {
            PS_PUSH_ROOM(tracks->at, tracks->n, tracks->cap);
            tracks->at[tracks->n++] = g.track[i];
        } else
            tr_track_free(&g.track[i]);
    }
    return ps_sink_ok(trace->out) ? PS_OK : trace->out->err.code;
}
