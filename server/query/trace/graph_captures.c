/* SPDX-License-Identifier: MIT */
#include "server/query/trace/graph_captures.h"

#include <stdlib.h>

#include "slices/driver_calls.h"

struct reader {
    uint8_t *calls; /* enum ps_driver_call of each text id */
    size_t n_calls;
    struct ps_graph_captures *out;
    uint32_t track;          /* of the last chunk; 0: none */
    int64_t begin, begin_ns; /* slice id of the call that began a capture, 0: none; its start */
};

/* Whether the trace has calls of both kinds. */
static bool find_calls(struct ps_db *db, struct reader *r)
{
    bool has[PS_CALL_SET + 1] = {false};

    for (size_t name = 1; name < r->n_calls; name++) {
        r->calls[name] = (uint8_t)ps_driver_call_of(ps_trace_text(db, (uint32_t)name));
        has[r->calls[name]] = true;
    }
    return has[PS_CALL_BEGIN_CAPTURE] && has[PS_CALL_END_CAPTURE];
}

static bool visit(void *user, const struct ps_chunk *chunk)
{
    struct reader *r = user;

    if (chunk->track != r->track)
        r->begin = 0;
    r->track = chunk->track;
    for (uint32_t i = 0; i < chunk->n; i++) {
        const int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i),
                      start = ps_chunk_value(chunk, PS_COL_START, i);
        const bool is_call = ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_RUNTIME &&
                             name > 0 && (uint64_t)name < r->n_calls;
        const uint8_t call = is_call ? r->calls[name] : PS_CALL_OTHER;
        int64_t end;

        if (call == PS_CALL_BEGIN_CAPTURE) {
            r->begin = ps_slice_id(chunk->track, chunk->first + i);
            r->begin_ns = start;
        } else if (call == PS_CALL_END_CAPTURE && r->begin &&
                   !__builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i),
                                           &end)) {
            PS_RESERVE_ONE(r->out->items, r->out->n, r->out->cap);
            r->out->items[r->out->n++] =
                (struct ps_graph_capture){r->begin_ns, end, r->begin, chunk->track};
            r->begin = 0;
        }
    }
    return true;
}

enum ps_status ps_graph_captures_read(struct ps_db *db, struct ps_graph_captures *out,
                                      struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = 1u << PS_SLICE_RUNTIME,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND),
    };
    struct reader r = {.out = out};

    *out = (struct ps_graph_captures){0};
    if (ps_trace_get_text_end(db, &r.n_calls, err) != PS_OK)
        return err->code;
    r.calls = ps_alloc_array(r.n_calls + 1, sizeof *r.calls);
    if (find_calls(db, &r))
        ps_trace_each_chunk(db, &query, visit, &r, err);
    free(r.calls);
    return err->code;
}

void ps_graph_captures_free(struct ps_graph_captures *captures)
{
    free(captures->items);
    *captures = (struct ps_graph_captures){0};
}
