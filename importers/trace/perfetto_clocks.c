/* SPDX-License-Identifier: MIT */
/*
 * perfetto_clocks.c: converts the times of packets to that of the trace.
 *
 * Snapshots relate the clocks of a machine to each other. A time is converted by the difference of
 * the last snapshot before it. The times of an incremental clock are differences to the time of the
 * packet before. A clock that no snapshot relates to that of the trace cannot be converted.
 */
#include <stdlib.h>

#include "importers/trace/perfetto.h"

struct clock_key {
    uint64_t id, sequence;
};

static bool is_clock(const void *items, uint32_t index, const void *key)
{
    const struct pf_clock *clock = (const struct pf_clock *)items + index;
    const struct clock_key *wanted = key;

    return clock->id == wanted->id && clock->sequence == wanted->sequence;
}

static struct clock_key key_of(uint64_t id, uint64_t sequence)
{
    bool is_own = id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;

    return (struct clock_key){id, is_own ? sequence : 0};
}

static uint32_t find_clock(const struct pf_clocks *clocks, struct clock_key key)
{
    return ps_hash_table_find(&clocks->index, ps_hash_pair(key.id, key.sequence), is_clock,
                              clocks->items, &key);
}

static struct pf_clock *add_clock(struct pf_clocks *clocks, struct clock_key key)
{
    uint32_t at = find_clock(clocks, key);

    if (at == PS_HASH_NONE) {
        PS_RESERVE_ONE(clocks->items, clocks->n, clocks->cap);
        at = ps_hash_table_add(&clocks->index, ps_hash_pair(key.id, key.sequence), clocks->n,
                               is_clock, clocks->items, &key);
        clocks->items[at] = (struct pf_clock){.id = key.id, .sequence = key.sequence, .unit_ns = 1};
        clocks->n++;
    }
    return &clocks->items[at];
}

/* The last point at or before the time, or the first one. */
static const struct pf_clock_point *nearest_point(struct pf_clock *clock, int64_t ns)
{
    while (clock->last + 1 < clock->n && clock->points[clock->last + 1].clock_ns <= ns)
        clock->last++;
    while (clock->last && clock->points[clock->last].clock_ns > ns)
        clock->last--;
    return &clock->points[clock->last];
}

static bool convert(struct pf_clock *clock, int64_t ns, int64_t *out)
{
    const struct pf_clock_point *point;

    if (!clock->n)
        return false;
    point = nearest_point(clock, ns);
    return !__builtin_sub_overflow(ns, point->clock_ns, &ns) &&
           !__builtin_add_overflow(ns, point->trace_ns, out);
}

/* A time in ns of its clock; false: it does not fit into 64 bits. */
static bool scale(uint64_t time, uint64_t unit_ns, int64_t *out)
{
    uint64_t ns;

    if (__builtin_mul_overflow(time, unit_ns, &ns) || ns > INT64_MAX)
        return false;
    *out = (int64_t)ns;
    return true;
}

bool pf_trace_time(struct pf_reader *r, struct pf_sequence *sequence, uint64_t clock, uint64_t time,
                   int64_t *out_ns)
{
    struct pf_clocks *clocks = &r->clocks;
    struct pf_clock *item;
    uint32_t at = sequence->last_clock;
    int64_t ns;

    if (clock == clocks->primary)
        return scale(time, 1, out_ns);
    if (at == UINT32_MAX || sequence->last_clock_id != clock)
        at = find_clock(clocks, key_of(clock, sequence->id));
    if (at == PS_HASH_NONE)
        return false;
    sequence->last_clock = at;
    sequence->last_clock_id = clock;
    item = &clocks->items[at];
    if (!scale(time, item->unit_ns, &ns))
        return false;
    if (item->is_incremental) {
        if (__builtin_add_overflow(item->last_ns, ns, &ns))
            return false;
        item->last_ns = ns;
    }
    return convert(item, ns, out_ns);
}

static bool next_clock(struct ps_wire_list *list, struct pf_clock_message *out, int64_t *ns)
{
    struct ps_wire_fault fault;
    struct ps_str bytes;

    while (ps_wire_next_string(list, &bytes)) {
        if (!ps_wire_read(&pf_clock_message_message, bytes, out, &fault))
            continue;
        if (!out->unit_multiplier_ns)
            out->unit_multiplier_ns = 1;
        if (scale(out->timestamp, out->unit_multiplier_ns, ns))
            return true;
    }
    return false;
}

/* Finds the time of the trace at the snapshot: that of the primary clock, or that of a clock which
 * earlier snapshots relate to it. */
static bool find_trace_time(struct pf_clocks *clocks, struct ps_wire_list list, uint64_t sequence,
                            int64_t *out)
{
    struct ps_wire_list others = list;
    struct pf_clock_message clock;
    int64_t ns;

    while (next_clock(&list, &clock, &ns))
        if (clock.clock_id == clocks->primary) {
            *out = ns;
            return true;
        }
    while (next_clock(&others, &clock, &ns)) {
        uint32_t at = find_clock(clocks, key_of(clock.clock_id, sequence));

        if (at != PS_HASH_NONE && !clocks->items[at].is_incremental &&
            convert(&clocks->items[at], ns, out))
            return true;
    }
    return false;
}

/* Later snapshots replace earlier ones with greater times: the clock was set back. */
static void add_point(struct pf_clock *clock, int64_t clock_ns, int64_t trace_ns)
{
    while (clock->n && (clock->is_incremental || clock->points[clock->n - 1].clock_ns > clock_ns))
        clock->n--;
    PS_RESERVE_ONE(clock->points, clock->n, clock->cap);
    clock->points[clock->n++] = (struct pf_clock_point){clock_ns, trace_ns};
    clock->last = clock->n - 1;
}

void pf_read_clock_snapshot(struct pf_reader *r, uint64_t sequence, struct ps_str bytes)
{
    struct pf_clocks *clocks = &r->clocks;
    struct pf_clock_snapshot snapshot;
    struct pf_clock_message message;
    struct ps_wire_fault fault;
    int64_t trace_ns, ns;
    bool is_related;

    if (!ps_wire_read(&pf_clock_snapshot_message, bytes, &snapshot, &fault))
        pf_count_fault(r, PF_FAULT_NESTED);
    if (snapshot.primary_trace_clock && !clocks->is_primary_known) {
        clocks->primary = snapshot.primary_trace_clock;
        clocks->is_primary_known = true;
    }
    is_related = find_trace_time(clocks, snapshot.clocks, sequence, &trace_ns);
    while (next_clock(&snapshot.clocks, &message, &ns)) {
        struct pf_clock *clock = add_clock(clocks, key_of(message.clock_id, sequence));

        clock->unit_ns = message.unit_multiplier_ns;
        clock->is_incremental = message.is_incremental;
        clock->last_ns = ns;
        if (is_related)
            add_point(clock, ns, trace_ns);
        if (is_related && message.clock_id == PF_CLOCK_REALTIME && !r->trace.base_ns)
            r->trace.base_ns = ns - trace_ns;
    }
}

static uint64_t clock_of(const struct pf_reader *r, const struct pf_sequence *sequence,
                         const struct pf_trace_packet *packet)
{
    return packet->timestamp_clock_id ? packet->timestamp_clock_id
           : sequence->clock          ? sequence->clock
                                      : r->clocks.primary;
}

void pf_pass_time(struct pf_reader *r, struct pf_sequence *sequence,
                  const struct pf_trace_packet *packet)
{
    int64_t ignored;

    if (PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_TIMESTAMP))
        (void)pf_trace_time(r, sequence, clock_of(r, sequence, packet), packet->timestamp,
                            &ignored);
}

enum pf_fault pf_packet_time(struct pf_reader *r, struct pf_sequence *sequence,
                             const struct pf_trace_packet *packet, int64_t *out_ns)
{
    if (!PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_TIMESTAMP))
        return PF_FAULT_TIME;
    if (!pf_trace_time(r, sequence, clock_of(r, sequence, packet), packet->timestamp, out_ns))
        return packet->timestamp > INT64_MAX ? PF_FAULT_TIME : PF_FAULT_CLOCK;
    return *out_ns <= PF_TIME_MAX && *out_ns >= -PF_TIME_MAX ? PF_N_FAULTS : PF_FAULT_TIME;
}

void pf_clocks_free(struct pf_clocks *clocks)
{
    for (uint32_t i = 0; i < clocks->n; i++)
        free(clocks->items[i].points);
    free(clocks->items);
    ps_hash_table_free(&clocks->index);
}
