/* SPDX-License-Identifier: MIT */
/*
 * thread_tracks.c: converts the records of one thread to tracks.
 *
 * Records are read page by page and written directly to columns, so that the records of a thread
 * are never in memory twice. Records that are not slices are passed to flows.c, counters.c and
 * async.c.
 */
#include "importers/trace/thread_tracks.h"

#include "importers/trace/async.h"
#include "importers/trace/begin_end.h"
#include "importers/trace/counters.h"
#include "importers/trace/fill.h"
#include "importers/trace/flows.h"
#include "importers/trace/import_state.h"
#include "importers/trace/nest.h"
#include "importers/trace/processes.h"
#include "importers/trace/xla.h"

/* Maximum of times and durations, so that the sum of two cannot overflow. */
#define TIME_MAX (INT64_MAX / 4)

struct gather {
    struct tr_trace *trace;
    struct tr_import_state *import;
    struct tr_thread_facts *facts;
    uint32_t thread;
    struct tr_track track[TR_N_CLASSES];
    struct tr_track *last; /* has the row of the record before; NULL: it has none */
    bool is_unsorted[TR_N_CLASSES];
    bool waits; /* the tid is not a stream, so its waits are waits of the device */
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

    if (__builtin_sub_overflow(ts, g->import->shift_ns, &time) || time > TIME_MAX)
        return TIME_MAX;
    return time > 0 ? time : 0;
}

static int64_t duration_of(struct gather *g, int64_t duration)
{
    if (duration >= 0)
        return duration < TIME_MAX ? duration : TIME_MAX;
    g->import->remark_counts[duration == TR_NO_DURATION ? TR_REMARK_NO_DURATION
                                                        : TR_REMARK_NEGATIVE_DURATION]++;
    return 0;
}

static uint8_t kind_of(struct gather *g, const struct tr_record *r, int64_t start_ns,
                       int64_t duration_ns)
{
    const struct tr_category *category = &g->trace->categories[r->category];

    if (g->import->xla)
        return (uint8_t)tr_xla_add(g->trace, g->thread, r, start_ns, duration_ns);
    return category->is_mtia ? (uint8_t)tr_kind_of_work(tr_text_of_id(g->trace, r->name))
                             : category->kind;
}

static void put_row(struct gather *g, enum tr_track_class kind, const struct tr_record *r,
                    int64_t duration, uint8_t flags, uint8_t mark)
{
    struct tr_track *track = &g->track[kind];
    uint32_t row = track->n++;
    int64_t start = time_of(g, r->ts_ns);

    g->last = track;
    track->start[row] = start;
    track->duration[row] = duration;
    track->args_address[row] = r->args_address;
    track->name_id[row] = r->name;
    track->template[row] = r->template;
    track->category[row] = r->category;
    track->slice_kind[row] = kind_of(g, r, start, duration);
    track->flags[row] = flags;
    track->family[row] = mark;
    if (row && (start < track->start[row - 1] ||
                (start == track->start[row - 1] && duration > track->duration[row - 1])))
        g->is_unsorted[kind] = true;
}

static enum tr_track_class class_of(const struct gather *g, const struct tr_record *r)
{
    uint8_t kind = g->import->category_class[r->category];

    if (g->import->xla && tr_xla_is_stream(g->import->xla, g->thread))
        return TR_CLASS_STREAM;
    return kind == TR_CLASS_SYNC && !g->waits ? TR_CLASS_STREAM : kind;
}

static void put_instant(struct gather *g, const struct tr_record *r)
{
    uint8_t rest = g->import->other_fields[r->template];

    if (rest & (TR_FIELD_PROCESS | TR_FIELD_GLOBAL))
        tr_instant_add(g->trace, g->facts->process, r);
    else
        put_row(g, TR_CLASS_THREAD, r, 0, PS_SLICE_INSTANT, 0);
}

static void count_remark(struct gather *g, enum tr_remark what)
{
    g->import->remark_counts[what]++;
}

static void add_flow_to_row(struct gather *g, const struct tr_record *r)
{
    if (g->last)
        tr_flow_add_to_row(g->trace, g->last, r, g->facts->n[g->last - g->track]);
    else
        count_remark(g, TR_REMARK_FLOW);
}

/* Handles a record that is not a slice of its thread. */
static void handle_other_record(struct gather *g, const struct tr_record *r)
{
    char ph = (char)r->phase;

    if (ph == 's' || ph == 't' || ph == 'f')
        tr_flow_add(g->trace, r);
    else if (ph == TR_PHASE_FLOW || ph == TR_PHASE_FLOW_END)
        add_flow_to_row(g, r);
    else if (ph == TR_PHASE_VALUE)
        tr_counter_add_value(g->trace, g->thread, r);
    else if (ph == 'C')
        tr_counter_add(g->trace, g->facts->process, r);
    else if (strchr("bneSTpF", ph) && ph)
        tr_async_add(g->trace, g->facts->process, r);
    else if (ph == 'P')
        count_remark(g, TR_REMARK_SAMPLE);
    else if (ph == 'N' || ph == 'O' || ph == 'D')
        count_remark(g, TR_REMARK_OBJECT);
    else if (ph == 'V' || ph == 'v')
        count_remark(g, TR_REMARK_DUMP);
    else if (ph == 'c' || ph == '(' || ph == ')' || ph == '=')
        count_remark(g, TR_REMARK_CLOCK);
    else if (ph == 'M')
        count_remark(g, TR_REMARK_METADATA);
    else {
        count_remark(g, TR_REMARK_UNKNOWN);
        g->import->unknown_phase = ph;
    }
}

static bool is_memory(const struct gather *g, const struct tr_record *r)
{
    return r->name && r->name == g->import->memory_name;
}

static void add_records(void *user, const struct tr_record *records, size_t n)
{
    struct gather *g = user;

    for (size_t i = 0; i < n; i++) {
        const struct tr_record *r = &records[i];

        if (r->phase != TR_PHASE_FLOW && r->phase != TR_PHASE_FLOW_END)
            g->last = NULL;
        switch (r->phase) {
        case 'X':
            put_row(g, class_of(g, r), r, duration_of(g, r->dur_or_id), 0, 0);
            break;
        case 'B':
        case 'E':
        case TR_PHASE_NAMED_END:
            put_row(g, TR_CLASS_THREAD, r, 0, 0, (uint8_t)r->phase);
            break;
        case 'i':
        case 'I':
        case 'R':
            if (!is_memory(g, r))
                put_instant(g, r);
            break;
        default:
            handle_other_record(g, r);
        }
    }
}

static void finish_track(struct gather *g, enum tr_track_class kind)
{
    struct tr_track *track = &g->track[kind];
    struct tr_import_state *import = g->import;

    if (kind == TR_CLASS_THREAD && g->facts->has_begin_end)
        tr_match_begin_end(g->trace, track);
    else if (g->is_unsorted[kind])
        tr_track_sort(track, true);
    tr_track_add_tree_columns(track);
    track->id = track->n ? ++import->n_tracks : 0;
    import->remark_counts[TR_REMARK_OVERLAP] += tr_track_nest(track, import->resolution_ns);
    import->n_slices += track->n;
}

static void bind_flows(struct gather *g)
{
    struct tr_track *present[TR_N_CLASSES];
    static const enum tr_track_class order[] = {TR_CLASS_STREAM,      TR_CLASS_THREAD,
                                                TR_CLASS_SYNC,        TR_CLASS_SPAN,
                                                TR_CLASS_ANNOTATIONS, TR_CLASS_OVERHEAD};
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
    struct gather g = {.trace = trace, .import = trace->import, .thread = index};

    g.facts = &g.import->threads[index];
    g.waits = tr_thread_has_only_waits(thread);
    for (int i = 0; i < TR_N_CLASSES; i++)
        if (g.facts->n[i]) {
            g.track[i] = tr_track_new(trace->scratch, track_kinds[i], g.facts->n[i]);
            tr_track_describe(trace, index, (enum tr_track_class)i, &g.track[i]);
        }
    tr_thread_visit_once(trace, thread, add_records, &g);
    for (int i = 0; i < TR_N_CLASSES; i++)
        if (g.facts->n[i])
            finish_track(&g, (enum tr_track_class)i);
    bind_flows(&g);
    for (int i = 0; i < TR_N_CLASSES; i++) {
        if (g.track[i].n) {
            PS_RESERVE_ONE(tracks->items, tracks->n, tracks->cap);
            tracks->items[tracks->n++] = g.track[i];
        } else
            tr_track_free(&g.track[i]);
    }
    return ps_sink_ok(trace->out) ? PS_OK : trace->out->err.code;
}
