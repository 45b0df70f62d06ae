/* SPDX-License-Identifier: MIT */
/*
 * flows.c: arrows between slices: s, t and f events, and slices with bind_id.
 *
 * Each flow end is bound to its slice while the slices of its thread are in memory; afterwards only
 * ids and times are stored. At the end of the import, flow ends with the same id are joined. An f
 * without bp: e is bound to the next slice of its thread, all other ends to the slice that encloses
 * them.
 */
#include "importers/trace/flows.h"
#include "importers/records/trace.h"
#include "importers/trace/fill.h"
#include "importers/trace/import_state.h"
#include "importers/trace/sort_order.h"
#include "importers/trace/sweep.h"
#include "importers/trace/track.h"

#include <stdlib.h>

#define BIND_GROUP_CAT UINT32_MAX /* pseudo category for bind_id, which has no category */

/* Returns 1 for arrows from calls to device work, 2 for forward to backward, 0 for other arrows.
 * torch's arrows are matched by id alone, since in some versions the two ends have different names.
 * In the first versions the category is "async" and the name determines the kind. */
static uint32_t torch_group(struct ps_str cat, struct ps_str name)
{
    static const char *const launches[] = {"ac2g", "async_gpu", "async_cpu_to_gpu", NULL};
    static const char *const backward[] = {"fwdbwd", "forward_backward", "fwd_bwd", NULL};

    for (int i = 0; launches[i]; i++)
        if (ps_str_eq_c(cat, launches[i]))
            return 1;
    for (int i = 0; backward[i]; i++)
        if (ps_str_eq_c(cat, backward[i]))
            return 2;
    return ps_str_eq_c(cat, "async") && ps_str_eq_c(name, "launch") ? 1 : 0;
}

static uint32_t new_group(struct tr_trace *trace, uint32_t cat, uint32_t name)
{
    struct tr_flows *flows = &trace->import->flows;
    uint32_t key[2] = {cat, name}, kind = name, id;

    if (cat != BIND_GROUP_CAT) {
        uint32_t torch = torch_group(trace->categories[cat].text, tr_text_of_id(trace, name));

        kind = trace->categories[cat].text_id ? trace->categories[cat].text_id : name;
        if (torch) {
            key[0] = BIND_GROUP_CAT;
            key[1] = torch;
            kind = tr_text_id(trace, torch == 1 ? PS_STR("ac2g") : PS_STR("fwdbwd"));
        }
    }
    id = ps_intern_add(&flows->keys, (struct ps_str){(const char *)key, sizeof key});
    if (id == flows->n_groups) {
        PS_RESERVE_ONE(flows->groups, flows->n_groups, flows->cap_groups);
        flows->groups[flows->n_groups++] = (struct tr_flow_group){.kind = kind};
    }
    return id;
}

static uint32_t group_of(struct tr_trace *trace, uint32_t cat, uint32_t name)
{
    struct tr_flows *flows = &trace->import->flows;

    if (flows->n_groups == 0 || flows->last_category != cat || flows->last_name != name) {
        flows->last_group = new_group(trace, cat, name);
        flows->last_category = cat;
        flows->last_name = name;
    }
    return flows->last_group;
}

static uint8_t mark_of(char ph)
{
    return ph == 's' ? TR_FLOW_START : ph == 't' ? TR_FLOW_STEP : TR_FLOW_END;
}

void tr_flow_add(struct tr_trace *trace, const struct tr_record *r)
{
    struct tr_import_state *import = trace->import;
    int64_t ts;

    if (r->dur_or_id == TR_NO_DURATION || __builtin_sub_overflow(r->ts_ns, import->shift_ns, &ts)) {
        import->remark_counts[TR_REMARK_FLOW]++;
        return;
    }
    TR_SCRATCH_PUSH(trace->scratch, import->unbound_flows, import->n_unbound_flows,
                    import->cap_unbound_flows);
    import->unbound_flows[import->n_unbound_flows++] = (struct tr_unbound_flow){
        .id = r->dur_or_id,
        .ts = ts > 0 ? ts : 0,
        .group = group_of(trace, r->category, r->name),
        .mark = mark_of((char)r->phase) | (r->is_text_id ? TR_FLOW_ID_TEXT : 0),
        .is_enclosing =
            r->phase != 'f' || (import->other_fields[r->template] & TR_FIELD_ENCLOSING)};
}

void tr_flow_add_to_row(struct tr_trace *trace, struct tr_track *track, const struct tr_record *r,
                        uint32_t n_rows)
{
    struct tr_import_state *import = trace->import;
    const size_t before = import->n_unbound_flows;
    uint32_t *first;

    tr_flow_add(trace, r);
    if (import->n_unbound_flows == before)
        return;
    if (!track->flow)
        track->flow = tr_scratch_alloc(trace->scratch, n_rows, sizeof *track->flow);
    first = &track->flow[track->n - 1];
    import->unbound_flows[before].mark =
        TR_FLOW_OF_EVENT | (r->phase == TR_PHASE_FLOW_END ? TR_FLOW_END : TR_FLOW_STEP);
    import->unbound_flows[before].next = *first;
    *first = (uint32_t)import->n_unbound_flows;
}

void tr_flows_join_rows(struct tr_trace *trace, struct tr_track *track, uint32_t to, uint32_t from)
{
    uint32_t last;

    if (!track->flow || !track->flow[from])
        return;
    for (last = track->flow[from]; trace->import->unbound_flows[last - 1].next;)
        last = trace->import->unbound_flows[last - 1].next;
    trace->import->unbound_flows[last - 1].next = track->flow[to];
    track->flow[to] = track->flow[from];
}

/* Returns the row of the innermost slice around ts, or of the last slice that begins exactly at ts,
 * even if its duration is 0. */
static uint32_t enclosing_row(struct tr_sweep *sweep, int64_t ts)
{
    uint32_t row = tr_sweep_advance(sweep, ts);

    if (sweep->next_row && sweep->track->start[sweep->next_row - 1] == ts)
        return sweep->next_row - 1;
    return row;
}

/* Returns the row of the first slice that starts at ts or later. */
static uint32_t next_row(const struct tr_track *track, int64_t ts)
{
    uint32_t low = 0, high = track->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (track->start[middle] < ts)
            low = middle + 1;
        else
            high = middle;
    }
    return low < track->n ? low : TR_NO_ROW;
}

/* Adds a flow end to its group. There may be many small groups, so the initial capacity is two. */
static void store_end(struct tr_trace *trace, const struct tr_unbound_flow *loose, uint32_t track,
                      uint32_t row)
{
    struct tr_flow_group *group = &trace->import->flows.groups[loose->group];

    if (group->n == group->cap) {
        group->cap = group->cap ? group->cap * 2 : 2;
        group->ends = tr_scratch_grow(trace->scratch, group->ends, group->cap, sizeof *group->ends);
        group->marks =
            tr_scratch_grow(trace->scratch, group->marks, group->cap, sizeof *group->marks);
    }
    group->marks[group->n] = loose->mark;
    group->ends[group->n++] = (struct tr_flow_end){loose->id, loose->ts, track, row};
}

static void bind_flow(struct tr_trace *trace, const struct tr_unbound_flow *loose,
                      struct tr_sweep *sweeps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct tr_track *track = sweeps[i].track;
        uint32_t row =
            loose->is_enclosing ? enclosing_row(&sweeps[i], loose->ts) : next_row(track, loose->ts);

        if (row != TR_NO_ROW) {
            store_end(trace, loose, track->id, row);
            return;
        }
    }
    trace->import->remark_counts[TR_REMARK_FLOW]++;
}

static bool is_loose_before(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_unbound_flow *loose = list;

    return loose[a].ts < loose[b].ts;
}

/* Adds the slices that are flow ends themselves (bind_id). */
static void bind_slices(struct tr_trace *trace, const struct tr_track *track)
{
    struct tr_import_state *import = trace->import;
    struct tr_unbound_flow end = {.mark = 0};

    end.group = group_of(trace, BIND_GROUP_CAT, 0);
    import->flows.groups[end.group].kind = tr_text_id(trace, PS_STR("flow"));
    for (uint32_t row = 0; row < track->n; row++) {
        uint8_t rest = import->other_fields[track->template[row]];
        struct ps_str text;

        tr_scratch_count_row(trace->scratch, row);
        if (!(rest & TR_FIELD_BIND) || !(rest & (TR_FIELD_FLOW_IN | TR_FIELD_FLOW_OUT)))
            continue;
        text = trace->templates[track->template[row]].text;
        text = ps_template_value(text, PS_STR("bind_id"), true);
        end.id = tr_text_id(trace, text);
        end.ts = track->start[row];
        end.mark = TR_FLOW_ID_TEXT | TR_FLOW_OF_SLICE;
        end.mark |= mark_of(!(rest & TR_FIELD_FLOW_OUT)  ? 'f'
                            : !(rest & TR_FIELD_FLOW_IN) ? 's'
                                                         : 't');
        store_end(trace, &end, track->id, row);
    }
}

/* Binds the flows that the rows of a track have. */
static void bind_rows(struct tr_trace *trace, const struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++) {
        for (uint32_t i = track->flow[row]; i; i = trace->import->unbound_flows[i - 1].next)
            store_end(trace, &trace->import->unbound_flows[i - 1], track->id, row);
        tr_scratch_count_row(trace->scratch, row);
    }
}

void tr_flows_bind(struct tr_trace *trace, struct tr_track *const *tracks, size_t n)
{
    struct tr_import_state *import = trace->import;
    struct tr_sweep sweeps[TR_N_CLASSES] = {0};
    uint32_t *order = tr_sort_order(trace->scratch, import->unbound_flows, import->n_unbound_flows,
                                    is_loose_before);

    for (size_t i = 0; i < n; i++)
        sweeps[i].track = tracks[i];
    for (size_t i = 0; i < n; i++)
        if (tracks[i]->flow)
            bind_rows(trace, tracks[i]);
    for (size_t i = 0; i < import->n_unbound_flows; i++) {
        if (import->unbound_flows[order ? order[i] : i].mark & TR_FLOW_OF_EVENT)
            continue;
        bind_flow(trace, &import->unbound_flows[order ? order[i] : i], sweeps, n);
        tr_scratch_count_row(trace->scratch, i);
    }
    for (size_t i = 0; i < n; i++)
        tr_sweep_free(&sweeps[i]);
    tr_scratch_free(trace->scratch, order);
    import->n_unbound_flows = 0;
    for (size_t i = 0; i < n && import->has_bind_id; i++)
        bind_slices(trace, tracks[i]);
}

/* The flow ends of one id: indices [from, to) in the order `order` of the group. */
struct flow_run {
    struct tr_trace *trace;
    const struct tr_flow_group *group;
    const uint32_t *order; /* NULL: the ends of the group are already in order */
    size_t from, to;
};

static uint32_t index_at(const struct flow_run *run, size_t i)
{
    return run->order ? run->order[i] : (uint32_t)i;
}

static int phase_at(const struct flow_run *run, size_t i)
{
    return run->group->marks[index_at(run, i)] & TR_FLOW_PHASE;
}

static bool same_flow(const struct flow_run *run, size_t i, size_t j)
{
    const struct tr_flow_group *group = run->group;
    uint32_t a = index_at(run, i), b = index_at(run, j);

    return group->ends[a].id == group->ends[b].id &&
           !((group->marks[a] ^ group->marks[b]) & TR_FLOW_ID_TEXT);
}

static bool flow_before(const void *list, uint32_t x, uint32_t y)
{
    const struct tr_flow_group *group = list;
    const struct tr_flow_end *a = &group->ends[x], *b = &group->ends[y];
    uint8_t a_mark = group->marks[x], b_mark = group->marks[y];

    if ((a_mark ^ b_mark) & TR_FLOW_ID_TEXT)
        return b_mark & TR_FLOW_ID_TEXT;
    if (a->id != b->id)
        return a->id < b->id;
    if (a->ts != b->ts)
        return a->ts < b->ts;
    return (a_mark & TR_FLOW_PHASE) < (b_mark & TR_FLOW_PHASE);
}

static void write_arrow(const struct flow_run *run, size_t i, size_t j)
{
    const struct tr_flow_end *from = &run->group->ends[index_at(run, i)];
    const struct tr_flow_end *to = &run->group->ends[index_at(run, j)];
    struct ps_flow flow = {.kind = run->group->kind,
                           .from_slice = ps_slice_id(from->track, from->row),
                           .to_slice = ps_slice_id(to->track, to->row),
                           .from_ns = from->ts,
                           .to_ns = to->ts};

    if (flow.from_slice != flow.to_slice)
        run->trace->out->ops->flow(run->trace->out, &flow);
}

#define NO_INDEX     SIZE_MAX
#define BYTES_JOINED 64 /* approximate bytes read and written per flow end */

static size_t find_only_start(const struct flow_run *run)
{
    size_t start = NO_INDEX;

    for (size_t i = run->from; i < run->to; i++) {
        int phase = phase_at(run, i);

        if (phase == TR_FLOW_STEP || (phase == TR_FLOW_START && start != NO_INDEX))
            return NO_INDEX;
        if (phase == TR_FLOW_START)
            start = i;
    }
    return start;
}

/* Joins each end of the chain with the next one, until an end that closes it. */
static void join_chain(const struct flow_run *run)
{
    size_t last = NO_INDEX;

    for (size_t i = run->from; i < run->to; i++) {
        if (last != NO_INDEX)
            write_arrow(run, last, i);
        last = phase_at(run, i) == TR_FLOW_END ? NO_INDEX : i;
    }
}

/* Joins the flow ends of one id. If there is only one s, it is connected with every f, even an
 * earlier f, whose clock may differ. If there are several, each s is connected with the ends that
 * follow it. Unmatched ends are counted. */
static void join_flows(const struct flow_run *run)
{
    size_t start = find_only_start(run), last = start, loose = 0;
    bool used = false;

    for (size_t i = run->from; i < run->to; i++) {
        int phase = phase_at(run, i);

        if (i == start)
            continue;
        if (phase == TR_FLOW_START) {
            loose += last != NO_INDEX && !used;
            used = false;
        } else if (last != NO_INDEX) {
            write_arrow(run, last, i);
            used = true;
        } else
            loose++;
        if (phase == TR_FLOW_START || (phase == TR_FLOW_STEP && last != NO_INDEX))
            last = i;
    }
    loose += last != NO_INDEX && !used;
    if (!(run->group->marks[index_at(run, run->from)] & TR_FLOW_OF_SLICE))
        run->trace->import->remark_counts[TR_REMARK_FLOW] += loose;
}

static void write_group(struct tr_trace *trace, struct tr_flow_group *group)
{
    uint32_t *order = tr_sort_order(trace->scratch, group, group->n, flow_before);
    struct flow_run run = {.trace = trace, .group = group, .order = order};

    for (; run.from < group->n && ps_sink_ok(trace->out); run.from = run.to) {
        run.to = run.from + 1;
        while (run.to < group->n && same_flow(&run, run.from, run.to))
            run.to++;
        if (group->marks[index_at(&run, run.from)] & TR_FLOW_OF_EVENT)
            join_chain(&run);
        else
            join_flows(&run);
        tr_scratch_count_bytes(trace->scratch, (run.to - run.from) * BYTES_JOINED);
    }
    tr_scratch_free(trace->scratch, order);
}

static void free_group(struct tr_trace *trace, struct tr_flow_group *group)
{
    tr_scratch_free(trace->scratch, group->ends);
    tr_scratch_free(trace->scratch, group->marks);
    *group = (struct tr_flow_group){0};
}

void tr_flows_write(struct tr_trace *trace)
{
    struct tr_flows *flows = &trace->import->flows;

    for (uint32_t i = 0; i < flows->n_groups; i++) {
        write_group(trace, &flows->groups[i]);
        free_group(trace, &flows->groups[i]);
    }
}

void tr_flows_free(struct tr_trace *trace)
{
    struct tr_flows *flows = &trace->import->flows;

    for (uint32_t i = 0; i < flows->n_groups; i++)
        free_group(trace, &flows->groups[i]);
    free(flows->groups);
    ps_intern_free(&flows->keys);
}
