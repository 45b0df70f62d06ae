/* SPDX-License-Identifier: MIT */
/*
 * flows.c: arrows between slices: s, t and f events, and slices with bind_id.
 *
 * Each end is bound to its slice while the slices of its thread are in memory; then only ids and
 * times are kept. At the end those of one id meet. An f without bp: e means the next slice of its
 * thread, all others what encloses them.
 */
#include "importers/trace/import.h"

#include <stdlib.h>

#define BIND_GROUP_CAT UINT32_MAX /* of bind_id, which knows no category */

/* Arrows of torch have the id alone; their names differ at both ends in some versions. */
static uint32_t torch_group(struct ps_str cat)
{
    static const char *const launches[] = {"ac2g", "async_gpu", "async_cpu_to_gpu", NULL};
    static const char *const backward[] = {"fwdbwd", "forward_backward", "fwd_bwd", NULL};

    for (int i = 0; launches[i]; i++)
        if (ps_str_is(cat, launches[i]))
            return 1;
    for (int i = 0; backward[i]; i++)
        if (ps_str_is(cat, backward[i]))
            return 2;
    return 0;
}

static uint32_t new_group(struct tr_trace *trace, uint32_t cat, uint32_t name)
{
    struct tr_flows *flows = &trace->import->flows;
    uint32_t key[2] = {cat, name}, kind = name, id;

    if (cat != BIND_GROUP_CAT) {
        uint32_t torch = torch_group(trace->cats[cat].text);

        kind = trace->cats[cat].text_id ? trace->cats[cat].text_id : name;
        if (torch) {
            key[0] = BIND_GROUP_CAT;
            key[1] = torch;
            kind = tr_text_id(trace, torch == 1 ? PS_STR("ac2g") : PS_STR("fwdbwd"));
        }
    }
    id = ps_intern_id(&flows->groups, (struct ps_str){(const char *)key, sizeof key});
    if (id == flows->n_kind) {
        PS_PUSH_ROOM(flows->kind, flows->n_kind, flows->cap_kind);
        flows->kind[flows->n_kind++] = kind;
    }
    return id;
}

static uint32_t group_of(struct tr_trace *trace, uint32_t cat, uint32_t name)
{
    struct tr_flows *flows = &trace->import->flows;

    if (flows->n_kind == 0 || flows->last_cat != cat || flows->last_name != name) {
        flows->last_group = new_group(trace, cat, name);
        flows->last_cat = cat;
        flows->last_name = name;
    }
    return flows->last_group;
}

void tr_flow_add(struct tr_trace *trace, const struct tr_record *r)
{
    struct tr_import *import = trace->import;
    int64_t ts;

    if (r->dur == TR_NO_DURATION || __builtin_sub_overflow(r->ts, import->shift, &ts)) {
        import->remarks[TR_REMARK_FLOW]++;
        return;
    }
    PS_PUSH_ROOM(import->loose, import->n_loose, import->cap_loose);
    import->loose[import->n_loose++] = (struct tr_loose_flow){
        .id = r->dur,
        .ts = ts > 0 ? ts : 0,
        .group = group_of(trace, r->cat, r->name),
        .ph = (char)r->ph,
        .id_text = r->id_text,
        .enclosing = r->ph != 'f' || (import->rest[r->template] & TR_REST_ENCLOSING)};
}

/* Behind the last row that starts by ts; looks on from *near, where the flow before was found. */
static uint32_t rows_until(const struct tr_track *track, int64_t ts, uint32_t *near)
{
    uint32_t low = 0, high = track->n;

    if (*near < track->n && track->start[*near] <= ts) {
        uint32_t step = 1;

        low = *near;
        while (low + step < track->n && track->start[low + step] <= ts) {
            low += step;
            step *= 2;
        }
        high = low + step < track->n ? low + step : track->n;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (track->start[middle] <= ts)
            low = middle + 1;
        else
            high = middle;
    }
    *near = low ? low - 1 : 0;
    return low;
}

static bool holds(const struct tr_track *track, uint32_t row, int64_t ts)
{
    return track->start[row] == ts || track->start[row] + track->duration[row] > ts;
}

/* The innermost slice around ts. */
static uint32_t enclosing_row(const struct tr_track *track, int64_t ts, uint32_t *near)
{
    uint32_t behind = rows_until(track, ts, near);
    uint32_t row = behind ? behind - 1 : TR_NO_ROW;

    while (row != TR_NO_ROW && !holds(track, row, ts))
        row = track->parent[row];
    return row;
}

static uint32_t next_row(const struct tr_track *track, int64_t ts, uint32_t *near)
{
    uint32_t behind = ts > 0 ? rows_until(track, ts - 1, near) : 0;

    return behind < track->n ? behind : TR_NO_ROW;
}

static void keep(struct tr_flows *flows, const struct tr_loose_flow *loose, int64_t slice)
{
    PS_PUSH_ROOM(flows->at, flows->n, flows->cap);
    flows->at[flows->n++] = (struct tr_flow_end){.id = loose->id,
                                                 .ts = loose->ts,
                                                 .slice = slice,
                                                 .group = loose->group,
                                                 .ph = loose->ph,
                                                 .id_text = loose->id_text,
                                                 .of_slice = loose->of_slice};
}

static void bind(struct tr_import *import, const struct tr_loose_flow *loose,
                 struct tr_track *const *tracks, size_t n, uint32_t *near)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t row = loose->enclosing ? enclosing_row(tracks[i], loose->ts, &near[i])
                                        : next_row(tracks[i], loose->ts, &near[i]);

        if (row != TR_NO_ROW) {
            keep(&import->flows, loose, ps_slice_id(tracks[i]->id, row));
            return;
        }
    }
    import->remarks[TR_REMARK_FLOW]++;
}

/* Slices that are ends themselves. */
static void bind_slices(struct tr_trace *trace, const struct tr_track *track)
{
    struct tr_import *import = trace->import;
    struct tr_loose_flow end = {.id_text = true, .of_slice = true};

    end.group = group_of(trace, BIND_GROUP_CAT, 0);
    import->flows.kind[end.group] = tr_text_id(trace, PS_STR("flow"));
    for (uint32_t row = 0; row < track->n; row++) {
        uint8_t rest = import->rest[track->template[row]];
        struct ps_str text;

        if (!(rest & TR_REST_BIND) || !(rest & (TR_REST_IN | TR_REST_OUT)))
            continue;
        text = trace->templates[track->template[row]].text;
        text = ps_template_value(text, PS_STR("bind_id"), true);
        end.id = tr_text_id(trace, text);
        end.ts = track->start[row];
        end.ph = !(rest & TR_REST_OUT) ? 'f' : !(rest & TR_REST_IN) ? 's' : 't';
        keep(&import->flows, &end, ps_slice_id(track->id, row));
    }
}

void tr_flows_bind(struct tr_trace *trace, struct tr_track *const *tracks, size_t n)
{
    struct tr_import *import = trace->import;
    uint32_t near[TR_N_CLASSES] = {0};

    for (size_t i = 0; i < import->n_loose; i++)
        bind(import, &import->loose[i], tracks, n, near);
    import->n_loose = 0;
    for (size_t i = 0; i < n && import->binds; i++)
        bind_slices(trace, tracks[i]);
}

static bool same_flow(const struct tr_flow_end *a, const struct tr_flow_end *b)
{
    return a->group == b->group && a->id_text == b->id_text && a->id == b->id;
}

static int rank_of(char ph)
{
    return ph == 's' ? 0 : ph == 't' ? 1 : 2;
}

static bool flow_before(const void *list, uint32_t x, uint32_t y)
{
    const struct tr_flow_end *a = (const struct tr_flow_end *)list + x;
    const struct tr_flow_end *b = (const struct tr_flow_end *)list + y;

    if (a->group != b->group)
        return a->group < b->group;
    if (a->id_text != b->id_text)
        return a->id_text < b->id_text;
    if (a->id != b->id)
        return a->id < b->id;
    if (a->ts != b->ts)
        return a->ts < b->ts;
    return rank_of(a->ph) < rank_of(b->ph);
}

struct flow_run {
    struct tr_trace *trace;
    const uint32_t *order;
    size_t from, to;
};

static const struct tr_flow_end *end_at(const struct flow_run *run, size_t i)
{
    const struct tr_flows *flows = &run->trace->import->flows;

    return &flows->at[run->order ? run->order[i] : i];
}

static void arrow(struct flow_run *run, const struct tr_flow_end *from,
                  const struct tr_flow_end *to)
{
    struct ps_flow flow = {.kind = run->trace->import->flows.kind[from->group],
                           .from_slice = from->slice,
                           .to_slice = to->slice,
                           .from_ns = from->ts,
                           .to_ns = to->ts};

    if (from->slice != to->slice)
        run->trace->out->ops->flow(run->trace->out, &flow);
}

static const struct tr_flow_end *only_start(const struct flow_run *run)
{
    const struct tr_flow_end *start = NULL;

    for (size_t i = run->from; i < run->to; i++) {
        if (end_at(run, i)->ph == 't')
            return NULL;
        if (end_at(run, i)->ph == 's' && start)
            return NULL;
        if (end_at(run, i)->ph == 's')
            start = end_at(run, i);
    }
    return start;
}

/* Joins the ends of one id. A single s belongs to all f, whose clock may be another one; several
 * take turns. Whoever meets nobody is counted. */
static void join(struct flow_run *run)
{
    struct tr_import *import = run->trace->import;
    const struct tr_flow_end *start = only_start(run), *last = start;
    bool used = false;
    size_t loose = 0;

    for (size_t i = run->from; i < run->to; i++) {
        const struct tr_flow_end *end = end_at(run, i);

        if (end == start)
            continue;
        if (end->ph == 's') {
            loose += last && !used;
            used = false;
        } else if (last) {
            arrow(run, last, end);
            used = true;
        } else
            loose++;
        if (end->ph == 's' || (end->ph == 't' && last))
            last = end;
    }
    loose += last && !used;
    if (!end_at(run, run->from)->of_slice)
        import->remarks[TR_REMARK_FLOW] += loose;
}

void tr_flows_give(struct tr_trace *trace)
{
    struct tr_flows *flows = &trace->import->flows;
    uint32_t *order = tr_sorted(flows->at, flows->n, flow_before);
    struct flow_run run = {.trace = trace, .order = order};

    for (; run.from < flows->n && ps_sink_ok(trace->out); run.from = run.to) {
        run.to = run.from + 1;
        while (run.to < flows->n && same_flow(end_at(&run, run.from), end_at(&run, run.to)))
            run.to++;
        join(&run);
    }
    free(order);
}

void tr_flows_free(struct tr_flows *flows)
{
    free(flows->at);
    free(flows->kind);
    ps_intern_free(&flows->groups);
}
