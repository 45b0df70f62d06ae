/* SPDX-License-Identifier: MIT */
#include "importers/trace/feed.h"

#include "importers/trace/read.h"

#define LOOK_EACH 4096 /* records between two checks of the limits */

void tr_feed_begin(struct tr_trace *trace, const struct tr_fed *fed)
{
    tr_trace_begin(trace, TR_BUDGET);
    trace->fed = fed;
}

uint32_t tr_feed_thread(struct tr_trace *trace, struct ps_str pid, struct ps_str tid)
{
    const struct tr_key process = {.is_text = true, .text = pid};
    const struct tr_key thread = {.is_text = true, .text = tid};
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};

    tr_thread_key(&key, &process, &thread);
    return tr_thread_of(trace, ps_buf_slice(&key));
}

uint16_t tr_feed_cat(struct tr_trace *trace, struct ps_str word, enum ps_slice_kind kind)
{
    uint16_t cat = tr_cat_of(trace, word);

    if (cat)
        trace->cats[cat].kind = (uint8_t)kind;
    return cat;
}

uint32_t tr_feed_template(struct tr_trace *trace, struct ps_str text)
{
    return text.len ? tr_template_of(trace, text) : 0;
}

void tr_feed_header(struct tr_trace *trace, struct ps_str key, struct ps_str json)
{
    PS_PUSH_ROOM(trace->headers, trace->n_headers, trace->pages->headers_cap);
    trace->headers[trace->n_headers++] = (struct tr_header){
        .key = ps_arena_copy(&trace->arena, key), .json = ps_arena_copy(&trace->arena, json)};
}

enum ps_status tr_feed(struct tr_trace *trace, uint32_t thread, struct tr_record record,
                       struct ps_str params)
{
    bool lasts = record.ph == 'X' && record.dur != TR_NO_DURATION;
    int64_t end = record.ts + (lasts ? record.dur : 0);
    uint64_t at = 0;

    if (tr_pages_args(trace, params, &at) != PS_OK)
        return trace->err->code;
    record.args_at = at & 0xffffffffff;
    trace->first_ns = record.ts < trace->first_ns ? record.ts : trace->first_ns;
    trace->last_ns = end > trace->last_ns ? end : trace->last_ns;
    if (++trace->pages->records % LOOK_EACH == 0 && tr_check_limits(trace) != PS_OK)
        return trace->err->code;
    return tr_pages_push(trace, thread, &record);
}

enum ps_status tr_feed_end(struct tr_trace *trace, int64_t end_ns)
{
    if (trace->first_ns > trace->last_ns)
        trace->first_ns = trace->last_ns = 0;
    else if (end_ns > trace->last_ns)
        trace->last_ns = end_ns;
    return tr_check_limits(trace);
}
