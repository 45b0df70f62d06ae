/* SPDX-License-Identifier: MIT */
/* parameters.c: reads the parameters of the views of traces. */
#include "server/query/trace/parameters.h"
#include "server/query/view.h"

#include <stdlib.h>

#include "server/query/trace/recording.h"
#include "server/query/trace/time_range.h"

void ps_ints_add(struct ps_ints *list, int64_t value)
{
    PS_RESERVE_ONE(list->items, list->n, list->cap);
    list->items[list->n++] = value;
}

void ps_ints_free(struct ps_ints *list)
{
    free(list->items);
    *list = (struct ps_ints){0};
}

static enum ps_status read_range(struct ps_params params, struct ps_range fallback,
                                 struct ps_range *out, struct ps_err *err)
{
    ps_param_int(params, "from_ns", -PS_TRACE_NS_MAX, PS_TRACE_NS_MAX, fallback.from_ns,
                 &out->from_ns, err);
    ps_param_int(params, "to_ns", -PS_TRACE_NS_MAX, PS_TRACE_NS_MAX, fallback.to_ns, &out->to_ns,
                 err);
    if (out->to_ns < out->from_ns)
        ps_fail(err, PS_BAD_REQUEST, "to_ns is less than from_ns");
    return err->code;
}

enum ps_status ps_param_range(struct ps_params params, struct ps_range *out, struct ps_err *err)
{
    return read_range(params, PS_RANGE_ALL, out, err);
}

enum ps_status ps_param_window(struct ps_db *db, struct ps_params params, struct ps_range *out,
                               struct ps_err *err)
{
    struct ps_range span = {0, 0};

    ps_trace_span(db, &span, err);
    read_range(params, span, out, err);
    if (out->to_ns == out->from_ns)
        out->to_ns++;
    return err->code;
}

enum ps_status ps_param_ids(struct ps_params params, const char *key, size_t max_ids,
                            struct ps_ints *out, struct ps_err *err)
{
    const char *text = ps_param_get(params, key);
    struct ps_str rest = ps_str_from_c(text);

    while (rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        struct ps_str word = {rest.ptr, comma ? (size_t)(comma - rest.ptr) : rest.len};
        int64_t value;

        if (!ps_str_parse_i64(word, &value) || value < 1)
            return ps_fail(err, PS_BAD_REQUEST, "%s must be ids, separated by commas", key);
        if (out->n == max_ids)
            return ps_fail(err, PS_BAD_REQUEST, "%s takes at most %zu ids", key, max_ids);
        ps_ints_add(out, value);
        rest = ps_str_skip(rest, word.len + 1);
    }
    return err->code;
}

enum ps_status ps_param_tracks(struct ps_db *db, struct ps_params params, struct ps_track_set *out,
                               struct ps_err *err)
{
    return ps_track_set_parse(db, ps_str_from_c(ps_param_get(params, "tracks")), out, err);
}
