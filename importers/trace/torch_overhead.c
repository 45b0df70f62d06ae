/* SPDX-License-Identifier: MIT */
/*
 * torch_overhead.c: overhead of the profiler itself ("Activity Buffer Request", "Lazy Function
 * Loading").
 *
 * In the file it has a row of its own that belongs to no thread. Torch assumes that it happened on
 * the thread that stopped the profiler, and subtracts it from the time of the event around it; so
 * does perfshelf. Torch of 2026 also adds the device time of the operator around it, which counted
 * that time twice and was fixed there; perfshelf does not.
 */
#include "importers/trace/import.h"
#include "importers/trace/torch.h"

#include <stdlib.h>

/* Returns the thread of the steps, which calls the profiler, else the main thread. */
static const struct tr_thread *host_of(const struct tr_trace *trace)
{
    const struct tr_thread *main_thread = NULL;

    for (uint32_t i = 0; i < trace->n_threads; i++) {
        const struct tr_thread *thread = &trace->threads[i];

        if (trace->import->threads[i].steps)
            return thread;
        if (main_thread == NULL && trace->import->threads[i].n[TR_CLASS_THREAD] &&
            thread->pid_number == thread->tid_number && thread->pid_number != INT64_MIN)
            main_thread = thread;
    }
    return main_thread;
}

struct finder {
    struct tr_trace *trace;
    struct tr_overheads *out;
    const struct tr_thread *thread;
};

static void visit(void *user, const struct tr_record *records, size_t n)
{
    struct finder *finder = user;
    struct tr_overheads *out = finder->out;

    for (size_t i = 0; i < n; i++) {
        struct tr_overhead found = {.thread = finder->thread};

        if (finder->trace->cats[records[i].cat].kind != PS_SLICE_OVERHEAD || records[i].ph != 'X' ||
            records[i].dur < 0 ||
            __builtin_sub_overflow(records[i].ts, finder->trace->import->shift, &found.start) ||
            __builtin_add_overflow(found.start, records[i].dur, &found.end))
            continue;
        found.self = records[i].dur;
        PS_PUSH_ROOM(out->at, out->n, out->cap);
        out->at[out->n++] = found;
    }
}

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_start(const void *a, const void *b)
{
    const struct tr_overhead *one = a, *other = b;
    int by = order(one->start, other->start);

    return by ? by : order(other->end, one->end);
}

void tr_overheads_find(struct tr_trace *trace, struct tr_overheads *out)
{
    struct finder finder = {.trace = trace, .out = out};

    out->host = trace->fed ? NULL : host_of(trace);
    for (uint32_t i = 0; out->host && i < trace->n_threads; i++) {
        finder.thread = &trace->threads[i];
        if (trace->import->threads[i].n[TR_CLASS_OVERHEAD])
            tr_thread_each(trace, finder.thread, visit, &finder);
    }
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_start);
}

static bool is_row(const struct tr_overhead *overhead, const struct tr_track *track, uint32_t row)
{
    return overhead->thread == track->thread && overhead->start == track->start[row] &&
           overhead->end - overhead->start == track->duration[row];
}

void tr_overheads_track(const struct tr_overheads *overheads, struct tr_track *track)
{
    int64_t *self = tr_track_extra(track, TR_OP_SELF);
    size_t at = 0;

    for (uint32_t row = 0; row < track->n; row++) {
        if (track->slice_kind[row] != PS_SLICE_OVERHEAD)
            continue;
        self[row] = track->self[row];
        while (at < overheads->n && overheads->at[at].start <= track->start[row] &&
               !is_row(&overheads->at[at], track, row))
            at++;
        if (at < overheads->n && is_row(&overheads->at[at], track, row))
            self[row] = overheads->at[at++].self;
    }
}
