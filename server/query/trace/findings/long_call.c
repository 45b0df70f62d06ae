/* SPDX-License-Identifier: MIT */
/*
 * long_call.c: finds the longest call of a CUDA or operating system function that took much longer
 * than the mean of the other calls of this function. Functions that wait are ignored, because idle
 * threads sleep in them, and another rule reports waiting for the device.
 */
#include "server/query/trace/findings/trace_facts.h"

#include <inttypes.h>
#include <stdio.h>

#define LONG_CALL_RATIO 10 /* minimum ratio of the longest call to the mean of the other calls */

static bool is_wait(struct ps_str name)
{
    static const char *const words[] = {"Synchronize", "Wait",  "wait",         "poll",
                                        "select",      "sleep", "pthread_join", "futex",
                                        "accept",      "pause", "recv"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ps_str_find(name, ps_str_from_c(words[i])))
            return true;
    return false;
}

void ps_long_call_consider(struct ps_long_call *longest, struct ps_str name, uint32_t name_id,
                           int64_t kind, const int64_t call_times[3])
{
    int64_t calls = call_times[0], total = call_times[1], max_ns = call_times[2], mean = 0;

    if (calls > 1)
        mean = (total - max_ns) / (calls - 1);
    if (max_ns <= longest->ns || max_ns / LONG_CALL_RATIO < mean || is_wait(name))
        return;
    longest->name_id = name_id;
    longest->kind = kind;
    longest->ns = max_ns;
    longest->mean_ns = mean;
    (void)snprintf(longest->name, sizeof longest->name, "%.*s",
                   (int)(name.len < 80 ? name.len : 80), name.ptr);
}

static bool visit_chunk(void *user, const struct ps_chunk *chunk)
{
    struct ps_long_call *call = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);

        if (ps_chunk_value(chunk, PS_COL_NAME, i) != call->name_id ||
            ps_chunk_value(chunk, PS_COL_DURATION, i) != call->ns ||
            ps_chunk_value(chunk, PS_COL_KIND, i) != call->kind)
            continue;
        call->range = (struct ps_range){start, ps_add_saturated(start, call->ns)};
        (void)snprintf(call->slice, sizeof call->slice, "%" PRId64,
                       ps_slice_id(chunk->track, chunk->first + i));
        return false;
    }
    return true;
}

enum ps_status ps_long_call_find(struct ps_db *db, struct ps_trace_facts *facts, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .slice_kinds = 1u << facts->long_call.kind,
        .range = facts->span,
        .must_start_in_range = true,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND),
    };

    if (!facts->long_call.ns)
        return err->code;
    return ps_trace_each_chunk(db, &query, visit_chunk, &facts->long_call, err);
}
