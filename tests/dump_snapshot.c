/* SPDX-License-Identifier: MIT */
/* dump_snapshot.c: the words of a memory snapshot as text. */
#include "base/json_out.h"
#include "importers/records/snapshot.h"
#include "tests/dump_sink.h"

static struct ps_buf *begin(struct ps_sink *sink)
{
    return ((struct dump_sink *)sink)->out;
}

static void put_text(struct ps_buf *out, const char *key, struct ps_str value)
{
    struct ps_json json = ps_json_writer(out);

    ps_buf_printf(out, " %s=", key);
    ps_json_str(&json, value);
}

static void put_ints(struct ps_buf *out, const char *word, const char *const *names,
                     const int64_t *values, size_t n)
{
    ps_buf_puts(out, word);
    for (size_t i = 0; i < n; i++)
        ps_buf_printf(out, " %s=%lld", names[i], (long long)values[i]);
}

void dump_snapshot_text(struct ps_sink *sink, const struct ps_snapshot_text *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "snapshot_text %u", row->id);
    put_text(out, "text", row->text);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_frame(struct ps_sink *sink, const struct ps_snapshot_frame *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "snapshot_frame %u line=%lld%s", row->id, (long long)row->line,
                  row->is_hidden ? " hidden" : "");
    put_text(out, "name", row->name);
    put_text(out, "file", row->file);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_stack(struct ps_sink *sink, const struct ps_snapshot_stack *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "snapshot_stack %u parent=%u frame=%u shown=%u", row->id, row->parent,
                  row->frame, row->shown);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_stream(struct ps_sink *sink, const struct ps_snapshot_stream *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "snapshot_stream %u pointer=%lld", row->number, (long long)row->pointer);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_pool(struct ps_sink *sink, const struct ps_snapshot_pool *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "snapshot_pool %u a=%lld b=%lld", row->number, (long long)row->a,
                  (long long)row->b);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_event(struct ps_sink *sink, const struct ps_snapshot_event *row)
{
    static const char *const names[] = {"device",   "index",   "t_us", "action",  "address",
                                        "bytes",    "stream",  "pool", "stack",   "live",
                                        "reserved", "context", "user", "category"};
    const int64_t values[] = {row->device,   row->index,   row->t_us, row->action,  row->address,
                              row->bytes,    row->stream,  row->pool, row->stack,   row->live,
                              row->reserved, row->context, row->user, row->category};
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    put_ints(out, "snapshot_event", names, values, sizeof values / sizeof *values);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_allocation(struct ps_sink *sink, const struct ps_snapshot_allocation *row)
{
    static const char *const names[] = {"device", "start",  "end",  "start_us", "end_us", "address",
                                        "bytes",  "stream", "pool", "stack",    "flags"};
    const int64_t values[] = {row->device, row->start,   row->end,   row->start_us,
                              row->end_us, row->address, row->bytes, row->stream,
                              row->pool,   row->stack,   row->flags};
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    put_ints(out, "snapshot_allocation", names, values, sizeof values / sizeof *values);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_level(struct ps_sink *sink, const struct ps_snapshot_level *row)
{
    static const char *const names[] = {"device",    "first",        "t_us",
                                        "live_min",  "live_max",     "live_max_index",
                                        "live_last", "reserved_max", "reserved_last"};
    const int64_t values[] = {row->device,    row->first,        row->t_us,
                              row->live_min,  row->live_max,     row->live_max_index,
                              row->live_last, row->reserved_max, row->reserved_last};
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    put_ints(out, "snapshot_level", names, values, sizeof values / sizeof *values);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_segment(struct ps_sink *sink, const struct ps_snapshot_segment *row)
{
    static const char *const names[] = {"id",     "device",     "address", "total", "allocated",
                                        "active", "requested",  "stream",  "pool",  "stack",
                                        "large",  "expandable", "blocks"};
    const int64_t values[] = {row->id,        row->device, row->address,   row->total,
                              row->allocated, row->active, row->requested, row->stream,
                              row->pool,      row->stack,  row->is_large,  row->is_expandable,
                              row->n_blocks};
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    put_ints(out, "snapshot_segment", names, values, sizeof values / sizeof *values);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_block(struct ps_sink *sink, const struct ps_snapshot_block *row)
{
    static const char *const names[] = {"id",        "segment", "address", "bytes",
                                        "requested", "state",   "stack"};
    const int64_t values[] = {row->id,        row->segment, row->address, row->bytes,
                              row->requested, row->state,   row->stack};
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    put_ints(out, "snapshot_block", names, values, sizeof values / sizeof *values);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_mark(struct ps_sink *sink, const struct ps_snapshot_mark *row)
{
    static const char *const names[] = {"device", "t_us", "name", "end"};
    const int64_t values[] = {row->device, row->t_us, row->name, row->is_end};
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    put_ints(out, "snapshot_mark", names, values, sizeof values / sizeof *values);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_owner(struct ps_sink *sink, const struct ps_snapshot_owner *row)
{
    static const char *const names[] = {"device", "stack", "bytes", "count"};
    const int64_t values[] = {row->device, row->stack, row->bytes, row->count};
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    put_ints(out, "snapshot_owner", names, values, sizeof values / sizeof *values);
    ps_buf_puts(out, "\n");
}

void dump_snapshot_device(struct ps_sink *sink, const struct ps_snapshot_device *row)
{
    static const char *const names[] = {
        "id",         "number",         "events",       "first_us",        "last_us",
        "segments",   "reserved",       "allocated",    "requested",       "pending",
        "free_bytes", "inactive_split", "largest_free", "before_count",    "live_before",
        "peak_live",  "peak_index",     "live_end",     "reserved_before", "peak_reserved",
        "ooms",       "oom_index",      "oom_bytes",    "oom_free"};
    const int64_t values[] = {
        row->id,           row->number,       row->events,          row->first_us,
        row->last_us,      row->segments,     row->reserved,        row->allocated,
        row->requested,    row->pending,      row->free_bytes,      row->inactive_split,
        row->largest_free, row->before_count, row->live_before,     row->peak_live,
        row->peak_index,   row->live_end,     row->reserved_before, row->peak_reserved,
        row->ooms,         row->oom_index,    row->oom_bytes,       row->oom_free};
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    put_ints(out, "snapshot_device", names, values, sizeof values / sizeof *values);
    ps_buf_printf(out, " fragmentation=%.17g", row->fragmentation);
    ps_buf_puts(out, "\n");
}
