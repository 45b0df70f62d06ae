/* SPDX-License-Identifier: MIT */
/*
 * begin_end.c: matches B and E events to slices.
 *
 * In order of time (at equal times: file order) an E ends the innermost open B, whatever its name.
 * The arguments of E are added to those of B and replace those with the same key. A B without E is
 * extended to the end of the trace; an E without B began before the recording and is rejected.
 */
#include "importers/trace/import.h"

struct pairing {
    struct tr_trace *trace;
    struct tr_track *track;
    uint32_t *open; /* rows of open B events */
    size_t n, cap;
    struct ps_buf begin, end, merged; /* JSON of the arguments */
};

static void args_json(const struct pairing *p, uint32_t row, struct ps_buf *out)
{
    uint32_t template = p->track->template[row];

    out->len = 0;
    ps_args_json(p->trace->templates[template].text, tr_args_of(p->trace, p->track->args_at[row]),
                 false, out);
}

/* Merges: all members of `begin` that `end` does not have, then those of `end`. */
static void merge_objects(struct pairing *p)
{
    struct ps_str rest = tr_args_members(ps_buf_slice(&p->begin));
    struct ps_str over = tr_args_members(ps_buf_slice(&p->end));
    struct tr_member member;

    p->merged.len = 0;
    ps_buf_puts(&p->merged, "{");
    while (tr_next_member(&rest, &member)) {
        if (ps_template_value(ps_buf_slice(&p->end), member.key, false).at)
            continue;
        if (p->merged.len > 1)
            ps_buf_puts(&p->merged, ",");
        ps_buf_str(&p->merged, member.all);
    }
    if (p->merged.len > 1 && over.len)
        ps_buf_puts(&p->merged, ",");
    ps_buf_str(&p->merged, over);
    ps_buf_puts(&p->merged, "}");
}

static void merge_args(struct pairing *p, uint32_t begin, uint32_t end)
{
    struct tr_track *track = p->track;
    struct tr_import *import = p->trace->import;

    if (track->template[end] == 0)
        return;
    /* Both have the same keys, as py-spy writes them: the values of E replace all of B's. */
    if (track->template[begin] == 0 || (track->template[begin] == track->template[end] &&
                                        track->template[end] != PS_TEMPLATE_WHOLE)) {
        track->template[begin] = track->template[end];
        track->args_at[begin] = track->args_at[end];
        return;
    }
    args_json(p, begin, &p->begin);
    args_json(p, end, &p->end);
    merge_objects(p);
    track->template[begin] = PS_TEMPLATE_WHOLE;
    track->args_at[begin] = TR_OWN_ARGS | import->args.len;
    ps_args_put_whole(&import->args, ps_buf_slice(&p->merged));
}

static void pair(struct pairing *p, uint32_t row)
{
    struct tr_track *track = p->track;
    uint32_t begin;

    if (track->family[row] == 'B') {
        TR_PUSH_ROOM(p->trace->room, p->open, p->n, p->cap);
        p->open[p->n++] = row;
    } else if (track->family[row] == 'E' && p->n == 0) {
        p->trace->import->remarks[TR_REMARK_END]++;
        p->trace->import->rejected++;
    } else if (track->family[row] == 'E') {
        begin = p->open[--p->n];
        track->duration[begin] = track->start[row] - track->start[begin];
        if (track->name_id[begin] == 0)
            track->name_id[begin] = track->name_id[row];
        merge_args(p, begin, row);
    }
}

static void end_with_trace(struct pairing *p)
{
    struct tr_track *track = p->track;

    for (size_t i = 0; i < p->n; i++) {
        uint32_t row = p->open[i];
        int64_t left = p->trace->last_ns - track->start[row];

        track->duration[row] = left > 0 ? left : 0;
        track->flags[row] |= PS_SLICE_UNCLOSED;
    }
    p->trace->import->remarks[TR_REMARK_UNCLOSED] += p->n;
}

/* Drops the rows of E, and the B marks. Returns whether complete events (X) remain. */
static bool drop_ends(struct tr_track *track)
{
    uint32_t kept = 0;
    bool complete = false;

    for (uint32_t row = 0; row < track->n; row++) {
        tr_room_row(track->room, row);
        if (track->family[row] == 'E')
            continue;
        complete |= track->family[row] == 0 && !(track->flags[row] & PS_SLICE_INSTANT);
        track->start[kept] = track->start[row];
        track->duration[kept] = track->duration[row];
        track->args_at[kept] = track->args_at[row];
        track->name_id[kept] = track->name_id[row];
        track->template[kept] = track->template[row];
        track->cat[kept] = track->cat[row];
        track->slice_kind[kept] = track->slice_kind[row];
        track->flags[kept] = track->flags[row];
        track->family[kept++] = 0;
    }
    track->n = kept;
    return complete;
}

void tr_begin_end(struct tr_trace *trace, struct tr_track *track)
{
    struct pairing p = {.trace = trace, .track = track};

    tr_track_sort(track, false);
    for (uint32_t row = 0; row < track->n; row++) {
        pair(&p, row);
        tr_room_row(track->room, row);
    }
    end_with_trace(&p);
    /* B rows alone are already in tree order, also those of length 0; with X rows the length
     * decides. */
    if (drop_ends(track))
        tr_track_sort(track, true);
    tr_room_free(trace->room, p.open);
    ps_buf_free(&p.begin);
    ps_buf_free(&p.end);
    ps_buf_free(&p.merged);
}
