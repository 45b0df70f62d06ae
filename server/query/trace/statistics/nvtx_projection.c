/* SPDX-License-Identifier: MIT */
/*
 * nvtx_projection.c: projects ranges of host threads onto the devices. Device work belongs to a
 * range if the call that launched the work began in the range, on the same thread. The projected
 * range extends from the first start to the last end of the work of the range. Ranges without
 * device work are left out.
 */
#include <stdlib.h>

#include "server/query/trace/statistics/stats_reports.h"
#include "server/query/trace/time_range.h"
#include "slices/intervals.h"

/* The device work of one launch, or of all launches in a range: minimum start, maximum end (ns) and
 * number of slices. */
struct work {
    /* slice id of the launch; the first member, because ps_sort_records sorts by it */
    int64_t launch;
    int64_t start, end, count;
};

struct range_instance {
    struct work work;
    struct ps_summary_key key;
    int64_t start, duration;
    uint32_t enclosing; /* index + 1 of the enclosing range; 0: none */
};

struct projection {
    struct ps_range range;
    struct work *works; /* one element for each launch, sorted by launch */
    size_t n_works, cap_works, next_work;
    struct range_instance *ranges; /* enclosing ranges precede enclosed ones */
    size_t n_ranges, cap_ranges;
    /* inside[row - base]: index + 1 of the innermost range around this row of the current thread;
     * 0: none */
    uint32_t track, base;
    uint32_t *inside;
    size_t n_inside, cap_inside;
};

static void projection_free(struct projection *p)
{
    free(p->works);
    free(p->ranges);
    free(p->inside);
}

/* Returns end - start in ns; INT64_MAX / 4 on overflow, since damaged runs may contain any
 * numbers. */
static int64_t work_length(const struct work *work)
{
    int64_t ns;

    return __builtin_sub_overflow(work->end, work->start, &ns) ? INT64_MAX / 4 : ns;
}

static void join_work(struct work *sum, const struct work *more)
{
    if (!sum->count || more->start < sum->start)
        sum->start = more->start;
    if (!sum->count || more->end > sum->end)
        sum->end = more->end;
    sum->count += more->count;
}

static bool add_work(void *user, const struct ps_chunk *chunk)
{
    struct projection *p = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t launch = ps_chunk_value(chunk, PS_COL_LAUNCH, i);
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);

        if (!launch || !ps_slice_on_device(ps_chunk_value(chunk, PS_COL_KIND, i)))
            continue;
        PS_RESERVE_ONE(p->works, p->n_works, p->cap_works);
        p->works[p->n_works++] = (struct work){
            launch, start, ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i)), 1};
    }
    return true;
}

/* Sorts the work by launch, and merges the work of each launch to one element. */
static void join_launches(struct projection *p)
{
    size_t kept = 0;

    ps_sort_records(p->works, p->n_works, sizeof *p->works);
    for (size_t i = 0; i < p->n_works; i++) {
        if (kept && p->works[kept - 1].launch == p->works[i].launch)
            join_work(&p->works[kept - 1], &p->works[i]);
        else
            p->works[kept++] = p->works[i];
    }
    p->n_works = kept;
}

static uint32_t range_around(const struct projection *p, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t back = ps_chunk_value(chunk, PS_COL_PARENT, i);
    uint32_t at = chunk->first - p->base + i;

    return back > 0 && back <= at ? p->inside[at - back] : 0;
}

static bool is_range(const struct ps_chunk *chunk, uint32_t i)
{
    int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);

    return kind >= 0 && kind < PS_N_SLICE_KINDS && PS_RANGE_KINDS >> kind & 1 &&
           !(ps_chunk_value(chunk, PS_COL_FLAGS, i) & (PS_SLICE_INSTANT | PS_SLICE_ASYNC));
}

static uint32_t add_range(struct projection *p, const struct ps_chunk *chunk, uint32_t i,
                          uint32_t around)
{
    PS_RESERVE_ONE(p->ranges, p->n_ranges, p->cap_ranges);
    p->ranges[p->n_ranges++] = (struct range_instance){
        .key = ps_summary_slice_key(chunk, i),
        .start = ps_chunk_value(chunk, PS_COL_START, i),
        .duration = ps_chunk_value(chunk, PS_COL_DURATION, i),
        .enclosing = around,
    };
    return (uint32_t)p->n_ranges;
}

/* Adds the ranges in a chunk, and to each range the work launched in it. Chunks arrive in ascending
 * order of slice ids, the order of p->works. */
static bool add_thread_ranges(void *user, const struct ps_chunk *chunk)
{
    struct projection *p = user;

    if (chunk->track != p->track || chunk->first != p->base + p->n_inside) {
        p->track = chunk->track;
        p->base = chunk->first;
        p->n_inside = 0;
    }
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t id = ps_slice_id(chunk->track, chunk->first + i);
        uint32_t range = range_around(p, chunk, i);

        if (is_range(chunk, i))
            range = add_range(p, chunk, i, range);
        PS_RESERVE_ONE(p->inside, p->n_inside, p->cap_inside);
        p->inside[p->n_inside++] = range;
        while (p->next_work < p->n_works && p->works[p->next_work].launch < id)
            p->next_work++;
        if (range && p->next_work < p->n_works && p->works[p->next_work].launch == id)
            join_work(&p->ranges[range - 1].work, &p->works[p->next_work]);
    }
    return true;
}

static void add_rows(const struct projection *p, struct ps_summary_rows *rows)
{
    for (size_t i = p->n_ranges; i > 0; i--) {
        const struct range_instance *at = &p->ranges[i - 1];

        if (at->enclosing && at->work.count)
            join_work(&p->ranges[at->enclosing - 1].work, &at->work);
    }
    for (size_t i = 0; i < p->n_ranges; i++) {
        const struct range_instance *at = &p->ranges[i];
        struct ps_summary_row *row;

        if (!at->work.count || at->start < p->range.from_ns || at->start >= p->range.to_ns)
            continue;
        row = ps_summary_get_row(rows, at->key);
        row->range_ns = ps_add_saturated(row->range_ns, at->duration);
        row->n_works += at->work.count;
        ps_summary_add(rows, row, at->start, work_length(&at->work));
    }
}

enum ps_status ps_summary_add_projected(struct ps_range range, struct ps_summary_rows *rows,
                                        struct ps_err *err)
{
    PS_AUTO(projection_free) struct projection p = {.range = range};
    struct ps_chunk_query query = {.slice_kinds = PS_WORK_KINDS,
                                   .range = PS_RANGE_ALL,
                                   .columns = PS_COL_BIT(PS_COL_START) |
                                              PS_COL_BIT(PS_COL_DURATION) |
                                              PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_LAUNCH)};

    ps_trace_each_chunk(rows->db, &query, add_work, &p, err);
    join_launches(&p);
    /* reads to the end of the trace, because a range that starts in the requested range may contain
     * later launches */
    query = (struct ps_chunk_query){
        .track_kinds = 1u << PS_TRACK_THREAD,
        .range = {range.from_ns, INT64_MAX},
        .must_start_in_range = true,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) |
                   PS_COL_BIT(PS_COL_CATEGORY) | PS_COL_BIT(PS_COL_PARENT)};
    ps_trace_each_chunk(rows->db, &query, add_thread_ranges, &p, err);
    if (err->code == PS_OK)
        add_rows(&p, rows);
    return err->code;
}
