/* SPDX-License-Identifier: MIT */
/*
 * begin_end.c: matches begin (B) and end (E) events of a thread.
 *
 * In order of time (at equal times: file order) an E ends the innermost open B, whatever its name.
 * A TR_PHASE_NAMED_END ends the innermost open B of its name and category, and those above it.
 * The arguments of E are added to the arguments of B; an argument of E replaces an argument of B
 * with the same key. A B without E is extended to the end of the trace; an E without B began before
 * the recording and is rejected.
 */
#include "importers/trace/begin_end.h"

#include "importers/trace/fill.h"
#include "importers/trace/flows.h"
#include "importers/trace/import_state.h"
#include "importers/trace/pages.h"

struct pair_state {
    struct tr_trace *trace;
    struct tr_track *track;
    uint32_t *open; /* rows of open B events */
    size_t n, cap;
    struct ps_buf begin, end, merged; /* JSON of the arguments */
};

static void args_json(const struct pair_state *p, uint32_t row, struct ps_buf *out)
{
    uint32_t template = p->track->template[row];

    out->len = 0;
    ps_args_json(p->trace->templates[template].text,
                 tr_params_at(p->trace, p->track->args_address[row]), false, out);
}

/* Sets p->merged to an object with all members of p->begin that p->end lacks, then all members of
 * p->end. */
static void merge_objects(struct pair_state *p)
{
    struct ps_str rest = tr_args_object(ps_buf_slice(&p->begin));
    struct ps_str over = tr_args_object(ps_buf_slice(&p->end));
    struct tr_member member;

    p->merged.len = 0;
    ps_buf_puts(&p->merged, "{");
    while (tr_next_member(&rest, &member)) {
        if (ps_template_value(ps_buf_slice(&p->end), member.key, false).ptr)
            continue;
        if (p->merged.len > 1)
            ps_buf_puts(&p->merged, ",");
        ps_buf_add_str(&p->merged, member.text);
    }
    if (p->merged.len > 1 && over.len)
        ps_buf_puts(&p->merged, ",");
    ps_buf_add_str(&p->merged, over);
    ps_buf_puts(&p->merged, "}");
}

static void merge_args(struct pair_state *p, uint32_t begin, uint32_t end)
{
    struct tr_track *track = p->track;
    uint64_t at;

    if (track->template[end] == 0)
        return;
    /* B and E have the same keys, as py-spy writes them, so the values of E replace all values of
     * B. */
    if (track->template[begin] == 0 || (track->template[begin] == track->template[end] &&
                                        track->template[end] != PS_TEMPLATE_WHOLE)) {
        track->template[begin] = track->template[end];
        track->args_address[begin] = track->args_address[end];
        return;
    }
    args_json(p, begin, &p->begin);
    args_json(p, end, &p->end);
    merge_objects(p);
    p->begin.len = 0;
    ps_args_put_arguments(&p->begin, ps_buf_slice(&p->merged));
    if (tr_pages_add_args(p->trace, ps_buf_slice(&p->begin), &at) != PS_OK)
        return;
    track->template[begin] = PS_TEMPLATE_WHOLE;
    track->args_address[begin] = at;
}

/* Whether a name or a category of both rows is the same, or missing in one. */
static bool agree(uint32_t one, uint32_t other)
{
    return !one || !other || one == other;
}

/* The number of open B events that remain open; SIZE_MAX: none of them is ended. */
static size_t find_named(const struct pair_state *p, uint32_t row)
{
    const struct tr_track *track = p->track;

    for (size_t i = p->n; i-- > 0;)
        if (agree(track->name_id[row], track->name_id[p->open[i]]) &&
            agree(track->category[row], track->category[p->open[i]]))
            return i;
    return SIZE_MAX;
}

static void end_slice(struct pair_state *p, uint32_t begin, uint32_t end)
{
    p->track->duration[begin] = p->track->start[end] - p->track->start[begin];
}

static void pair_named_end(struct pair_state *p, uint32_t row)
{
    size_t left = find_named(p, row);

    if (left == SIZE_MAX) {
        p->trace->import->remark_counts[TR_REMARK_UNOPENED]++;
        p->trace->import->rejected++;
        return;
    }
    while (p->n > left)
        end_slice(p, p->open[--p->n], row);
    merge_args(p, p->open[left], row);
    tr_flows_join_rows(p->trace, p->track, p->open[left], row);
}

static void pair_end(struct pair_state *p, uint32_t row)
{
    struct tr_track *track = p->track;
    uint32_t begin;

    if (track->family[row] == 'B') {
        TR_SCRATCH_PUSH(p->trace->scratch, p->open, p->n, p->cap);
        p->open[p->n++] = row;
    } else if (track->family[row] == TR_PHASE_NAMED_END) {
        pair_named_end(p, row);
    } else if (track->family[row] == 'E' && p->n == 0) {
        p->trace->import->remark_counts[TR_REMARK_UNOPENED]++;
        p->trace->import->rejected++;
    } else if (track->family[row] == 'E') {
        begin = p->open[--p->n];
        end_slice(p, begin, row);
        if (track->name_id[begin] == 0)
            track->name_id[begin] = track->name_id[row];
        merge_args(p, begin, row);
    }
}

static void end_with_trace(struct pair_state *p)
{
    struct tr_track *track = p->track;

    for (size_t i = 0; i < p->n; i++) {
        uint32_t row = p->open[i];
        int64_t left = tr_open_until(p->trace) - track->start[row];

        track->duration[row] = left > 0 ? left : 0;
        track->flags[row] |= PS_SLICE_UNCLOSED;
    }
    p->trace->import->remark_counts[TR_REMARK_UNCLOSED] += p->n;
}

/* Removes the rows of E events and the marks of B events. Returns whether complete events (X)
 * remain. */
static bool drop_ends(struct tr_track *track)
{
    uint32_t kept = 0;
    bool complete = false;

    for (uint32_t row = 0; row < track->n; row++) {
        tr_scratch_count_row(track->scratch, row);
        if (track->family[row] == 'E' || track->family[row] == TR_PHASE_NAMED_END)
            continue;
        complete |= track->family[row] == 0 && !(track->flags[row] & PS_SLICE_INSTANT);
        track->start[kept] = track->start[row];
        track->duration[kept] = track->duration[row];
        track->args_address[kept] = track->args_address[row];
        track->name_id[kept] = track->name_id[row];
        track->template[kept] = track->template[row];
        track->category[kept] = track->category[row];
        track->slice_kind[kept] = track->slice_kind[row];
        track->flags[kept] = track->flags[row];
        if (track->flow)
            track->flow[kept] = track->flow[row];
        track->family[kept++] = 0;
    }
    track->n = kept;
    return complete;
}

void tr_match_begin_end(struct tr_trace *trace, struct tr_track *track)
{
    struct pair_state p = {.trace = trace, .track = track};

    tr_track_sort(track, false);
    for (uint32_t row = 0; row < track->n; row++) {
        pair_end(&p, row);
        tr_scratch_count_row(track->scratch, row);
    }
    end_with_trace(&p);
    /* Rows of B events are already in tree order, including rows of length 0; with rows of X
     * events, sort also by length. */
    if (drop_ends(track))
        tr_track_sort(track, true);
    tr_scratch_free(trace->scratch, p.open);
    ps_buf_free(&p.begin);
    ps_buf_free(&p.end);
    ps_buf_free(&p.merged);
}
