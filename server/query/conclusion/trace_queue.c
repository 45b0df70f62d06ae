/* SPDX-License-Identifier: MIT */
/* trace_queue.c: work that waits in the queue of a device on which nothing runs that was recorded:
 * the device is busy with what the recording does not have. */
#include "server/query/advice.h"
#include "server/query/conclusion/trace_causes.h"

#include <stdlib.h>
#include <string.h>

/*
 * Work that starts later than this, after its launch returned and nothing that was recorded runs on
 * its device, waits for work that was not recorded. Chosen, not measured: work starts within some
 * microseconds of its launch on a device that is free, and a lower limit would count slow starts,
 * of which a trace can have many. A higher one leaves short waits to the host, as idle time. The
 * trace itself does not tell what is usual: where its device has other work, most of its starts are
 * late. Sums below PS_TRACE_CAUSE_SHARE are dropped anyway.
 */
#define QUEUED_MIN_NS 1000000

/* The ends of the driver calls of a thread, by row; 0: no driver call. */
struct call_ends {
    int64_t *items;
    size_t n;
};

struct reader {
    struct ps_trace_time *trace;
    struct call_ends *ends; /* by track */
    size_t n_tracks;
};

static bool visit_calls(void *user, const struct ps_chunk *chunk)
{
    struct reader *reader = user;
    struct call_ends *ends;

    reader->ends = ps_grow_to(reader->ends, &reader->n_tracks, chunk->track, sizeof *reader->ends);
    ends = &reader->ends[chunk->track];
    for (uint32_t i = 0; i < chunk->n; i++) {
        const uint32_t row = chunk->first + i;
        int64_t end;

        if (ps_chunk_value(chunk, PS_COL_KIND, i) != PS_SLICE_RUNTIME ||
            __builtin_add_overflow(ps_chunk_value(chunk, PS_COL_START, i),
                                   ps_chunk_value(chunk, PS_COL_DURATION, i), &end))
            continue;
        ends->items = ps_grow_to(ends->items, &ends->n, row, sizeof *ends->items);
        ends->items[row] = end;
    }
    return true;
}

/* When the driver call returned; INT64_MAX: unknown. */
static int64_t end_of_call(const struct reader *reader, int64_t slice)
{
    const int64_t track = ps_track_of_slice(slice), row = slice & UINT32_MAX;

    if (slice <= 0 || (uint64_t)track >= reader->n_tracks ||
        (uint64_t)row >= reader->ends[track].n || !reader->ends[track].items[row])
        return INT64_MAX;
    return reader->ends[track].items[row];
}

/* The end of the work before the moment at which the device begins to work; INT64_MAX: it works
 * already; INT64_MIN: it has not worked before. */
static int64_t end_before(const struct ps_intervals *of_device, int64_t start)
{
    size_t low = 0, high = of_device->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (of_device->items[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == of_device->n || of_device->items[low].start != start)
        return INT64_MAX;
    return low ? of_device->items[low - 1].end : INT64_MIN;
}

static bool visit_work(void *user, const struct ps_chunk *chunk)
{
    struct reader *reader = user;
    const uint32_t w = ps_track_owner_of(&reader->trace->owners, chunk->track).worker;

    for (uint32_t i = 0; w < reader->trace->sums.n_workers && i < chunk->n; i++) {
        struct ps_trace_worker *worker = &reader->trace->workers[w];
        const int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        const int64_t launched = end_of_call(reader, ps_chunk_value(chunk, PS_COL_LAUNCH, i));
        int64_t from = end_before(&worker->of_device, start);

        if (launched > from)
            from = launched;
        if (ps_slice_on_device((uint8_t)ps_chunk_value(chunk, PS_COL_KIND, i)) &&
            from < start - QUEUED_MIN_NS)
            ps_intervals_add(&worker->queued, from, start);
    }
    return true;
}

enum ps_status ps_trace_read_queued(struct ps_trace_time *trace, struct ps_err *err)
{
    struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = 1u << PS_SLICE_RUNTIME,
        .range = PS_RANGE_ALL, /* launches before the steps */
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_KIND),
    };
    struct reader reader = {.trace = trace};

    if (!trace->has_devices)
        return err->code;
    ps_trace_each_chunk(trace->db, &query, visit_calls, &reader, err);
    query = (struct ps_chunk_query){
        .track_kinds = 1u << PS_TRACK_STREAM,
        .slice_kinds = UINT32_MAX,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_LAUNCH),
    };
    ps_trace_each_chunk(trace->db, &query, visit_work, &reader, err);
    for (size_t i = 0; i < reader.n_tracks; i++)
        free(reader.ends[i].items);
    free(reader.ends);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++) {
        ps_intervals_join(&trace->workers[w].queued);
        ps_trace_divide_within(trace, w, &trace->workers[w].queued, trace->queued_s);
    }
    if (ps_trace_host_seconds(trace->queued_s) >= PS_TRACE_CAUSE_SHARE * trace->wall_s)
        return err->code;
    memset(trace->queued_s, 0, sizeof trace->queued_s);
    for (uint32_t w = 0; w < trace->sums.n_workers; w++)
        trace->workers[w].queued.n = 0;
    return err->code;
}

static struct ps_subject not_recorded(struct ps_conclusion *c)
{
    return ps_subject_of(c, PS_SUBJECT_PART, (struct ps_report_link){.tab = "overview"},
                         PS_STR("work that was not recorded"));
}

void ps_trace_add_queued(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const double seconds = ps_trace_host_seconds(trace->queued_s);
    struct ps_claim claim =
        ps_claim_of("queued", PS_CANNOT_SEE, not_recorded(c), seconds / trace->wall_s);

    if (!(seconds > 0))
        return;
    claim.title.code = PS_FACT_BUSY_WITH;
    claim.evidence.code = PS_FACT_BEHIND;
    ps_conclusion_claim(c, &claim, seconds)->advice =
        ps_advice_words[PS_ADVICE_WAIT_BEFORE_RECORDING];
}

void ps_trace_conclude_queued(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const double seconds = ps_trace_host_seconds(trace->queued_s);

    ps_trace_conclude(
        c, NULL, PS_CANNOT_SEE, not_recorded(c), seconds / trace->wall_s,
        (struct ps_fact){PS_FACT_QUEUED, .values = {seconds / trace->wall_s, seconds}});
}
