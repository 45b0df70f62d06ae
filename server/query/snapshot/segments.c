/* SPDX-License-Identifier: MIT */
/*
 * segments.c: the segments of a device at an event.
 *
 * The file has the segments at the end. Going back in time, segment_alloc and segment_map remove a
 * range of addresses, segment_free and segment_unmap add one. So for each address the first event
 * after `at` decides, which does not need a set of ranges that changes: the ends of all ranges cut
 * the addresses into cells, and the events, in order, claim the cells that are unclaimed. A forest
 * of disjoint sets skips claimed cells (Tarjan, J. ACM 22, 1975), so the work is about linear after
 * sorting.
 */
#include "server/query/snapshot/segments.h"
#include "importers/records/snapshot.h"

#include <stdio.h>
#include <stdlib.h>

#define SEGMENTS_MAX  20000 /* segments in an answer */
#define BLOCKS_MAX    50000 /* blocks in an answer that are not merged */
#define MERGED_PARTS  20000 /* of the reserved bytes: with more blocks, smaller ones are merged */
#define ROUNDED_BYTES 512   /* PyTorch rounds allocations up to a multiple of this */
#define SMALL_SEGMENT (INT64_C(2) << 20) /* segments up to this size are for small blocks */

/* --- Segments --- */

static uint64_t end_of(uint64_t address, int64_t bytes)
{
    uint64_t size = bytes > 0 ? (uint64_t)bytes : 0;

    return address > UINT64_MAX - size ? UINT64_MAX : address + size;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

struct cells {
    uint64_t *ends;  /* ends[i]..ends[i + 1] is cell i */
    size_t n;        /* number of ends */
    size_t *next;    /* [cell]: a later cell that may be unclaimed, itself if it is */
    uint32_t *owner; /* [cell]: 0: no segment, else index of its range + 1 */
};

static size_t cell_of(const struct cells *cells, uint64_t end)
{
    size_t low = 0, high = cells->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (cells->ends[mid] < end)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static size_t find_unclaimed(struct cells *cells, size_t cell)
{
    while (cells->next[cell] != cell) {
        cells->next[cell] = cells->next[cells->next[cell]];
        cell = cells->next[cell];
    }
    return cell;
}

static void claim(struct cells *cells, uint64_t address, int64_t bytes, uint32_t owner)
{
    size_t last = cell_of(cells, end_of(address, bytes));

    for (size_t cell = find_unclaimed(cells, cell_of(cells, address)); cell < last;
         cell = find_unclaimed(cells, cell)) {
        cells->owner[cell] = owner;
        cells->next[cell] = cell + 1;
    }
}

/* Whether the range of a segment goes on with another one: of the same source, or both are pieces
 * of an expandable segment of one stream. */
static bool continues(const struct ps_snapshot_segment_at *last, uint32_t last_owner,
                      const struct ps_snapshot_segment_at *next, uint32_t owner)
{
    if (end_of(last->address, last->bytes) != next->address)
        return false;
    return last_owner == owner || (last->is_expandable && next->is_expandable &&
                                   last->stream == next->stream && last->pool == next->pool);
}

static void add_cell(struct ps_snapshot_memory *out, struct ps_snapshot_segment_at segment,
                     uint32_t owner, uint32_t *last_owner)
{
    struct ps_snapshot_segment_at *last =
        out->n_segments ? &out->segments[out->n_segments - 1] : NULL;

    if (last && continues(last, *last_owner, &segment, owner)) {
        last->bytes = ps_snapshot_add(last->bytes, segment.bytes);
        last->is_large |= segment.is_large;
    } else {
        PS_RESERVE_ONE(out->segments, out->n_segments, out->cap_segments);
        out->segments[out->n_segments++] = segment;
    }
    *last_owner = owner;
}

void ps_snapshot_segments_at(const struct ps_snapshot_segment_at *segments, size_t n,
                             const struct ps_snapshot_segment_event *events, size_t n_events,
                             int64_t at, struct ps_snapshot_memory *out)
{
    size_t first = n_events, n_kept = 0;
    struct cells cells = {.n = 0};
    uint32_t last_owner = 0;

    while (first > 0 && events[first - 1].event > at)
        first--;
    cells.ends = ps_alloc_array(2 * (n + n_events - first) + 1, sizeof *cells.ends);
    for (size_t i = first; i < n_events; i++) {
        cells.ends[cells.n++] = events[i].address;
        cells.ends[cells.n++] = end_of(events[i].address, events[i].bytes);
    }
    for (size_t i = 0; i < n; i++) {
        cells.ends[cells.n++] = segments[i].address;
        cells.ends[cells.n++] = end_of(segments[i].address, segments[i].bytes);
    }
    qsort(cells.ends, cells.n, sizeof *cells.ends, by_number);
    for (size_t i = 0; i < cells.n; i++)
        if (!n_kept || cells.ends[n_kept - 1] != cells.ends[i])
            cells.ends[n_kept++] = cells.ends[i];
    cells.n = n_kept;
    cells.next = ps_alloc_array(cells.n + 1, sizeof *cells.next);
    cells.owner = ps_alloc_array(cells.n + 1, sizeof *cells.owner);
    for (size_t i = 0; i <= cells.n; i++)
        cells.next[i] = i;
    for (size_t i = first; i < n_events; i++)
        claim(&cells, events[i].address, events[i].bytes,
              events[i].action == PS_SNAPSHOT_SEGMENT_FREE ||
                      events[i].action == PS_SNAPSHOT_SEGMENT_UNMAP
                  ? (uint32_t)(i - first) + 1
                  : 0);
    for (size_t i = 0; i < n; i++)
        claim(&cells, segments[i].address, segments[i].bytes, (uint32_t)(n_events - first + i) + 1);
    for (size_t cell = 0; cell + 1 < cells.n; cell++) {
        uint32_t owner = cells.owner[cell];
        struct ps_snapshot_segment_at segment;

        if (!owner)
            continue;
        if (owner <= n_events - first) {
            const struct ps_snapshot_segment_event *event = &events[first + owner - 1];

            segment = (struct ps_snapshot_segment_at){.stream = event->stream,
                                                      .pool = event->pool,
                                                      .is_large = event->bytes > SMALL_SEGMENT,
                                                      .is_expandable = event->action ==
                                                                       PS_SNAPSHOT_SEGMENT_UNMAP};
        } else {
            segment = segments[owner - 1 - (n_events - first)];
        }
        segment.address = cells.ends[cell];
        segment.bytes = (int64_t)(cells.ends[cell + 1] - cells.ends[cell]);
        add_cell(out, segment, owner, &last_owner);
    }
    free(cells.ends);
    free(cells.next);
    free(cells.owner);
}

void ps_snapshot_memory_free(struct ps_snapshot_memory *memory)
{
    free(memory->segments);
    free(memory->blocks);
    *memory = (struct ps_snapshot_memory){.segments = NULL};
}

/* --- Blocks --- */

static bool add_block(void *user, const struct ps_snapshot_allocation_row *row)
{
    struct ps_snapshot_memory *memory = user;
    bool waits = (row->flags & PS_ALLOCATION_PENDING) && (row->flags & PS_ALLOCATION_BEFORE);

    PS_RESERVE_ONE(memory->blocks, memory->n_blocks, memory->cap_blocks);
    memory->blocks[memory->n_blocks++] = (struct ps_snapshot_block_at){
        .address = (uint64_t)row->address,
        .requested = row->bytes > 0 ? row->bytes : 0,
        .allocation = row->id,
        .stack = row->stack,
        .flags = row->flags,
        .kind = waits ? PS_SNAPSHOT_BLOCK_WAITS : PS_SNAPSHOT_BLOCK_LIVE,
    };
    memory->live = ps_snapshot_add(memory->live, memory->blocks[memory->n_blocks - 1].requested);
    return true;
}

static int by_block_address(const void *a, const void *b)
{
    const struct ps_snapshot_block_at *x = a, *y = b;

    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return (x->allocation > y->allocation) - (x->allocation < y->allocation);
}

static void sort_blocks(struct ps_snapshot_memory *memory)
{
    if (memory->n_blocks)
        qsort(memory->blocks, memory->n_blocks, sizeof *memory->blocks, by_block_address);
}

static struct ps_snapshot_block_at *find_block(struct ps_snapshot_memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->n_blocks;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (memory->blocks[mid].address < address)
            low = mid + 1;
        else
            high = mid;
    }
    return low < memory->n_blocks && memory->blocks[low].address == address ? &memory->blocks[low]
                                                                            : NULL;
}

/* Marks the blocks whose free was requested at or before `at`, but completed after it. */
static void mark_waiting(struct ps_snapshot_memory *memory,
                         const struct ps_snapshot_history *history, int64_t at)
{
    for (size_t i = 0; i < history->n_waiting; i++) {
        const struct ps_snapshot_waiting_free *waiting = &history->waiting[i];
        struct ps_snapshot_block_at *block;

        if (waiting->requested > at || waiting->completed <= at)
            continue;
        block = find_block(memory, (uint64_t)waiting->address);
        if (block)
            block->kind = PS_SNAPSHOT_BLOCK_WAITS;
    }
}

/* Sets the sizes of blocks. What is live at the end has a block in the file; of others only the
 * requested bytes are known. Both lists are in the order of addresses. */
static void set_sizes(struct ps_snapshot_memory *memory, const struct ps_snapshot_history *history)
{
    size_t k = 0;

    for (size_t i = 0; i < memory->n_blocks; i++) {
        struct ps_snapshot_block_at *block = &memory->blocks[i];
        const struct ps_snapshot_known_block *known = NULL;
        int64_t rest = block->requested % ROUNDED_BYTES;

        while (k < history->n_blocks && history->blocks[k].address < block->address)
            k++;
        if ((block->flags & PS_ALLOCATION_KEPT) && k < history->n_blocks &&
            history->blocks[k].address == block->address)
            known = &history->blocks[k];

        block->is_known = known && known->bytes >= block->requested;
        block->bytes = block->is_known ? known->bytes
                       : rest          ? ps_snapshot_add(block->requested, ROUNDED_BYTES - rest)
                                       : block->requested;
        memory->n_estimated += !block->is_known;
    }
}

/* Assigns the blocks to their segments, cuts them where the next one begins, and finds the largest
 * hole. Both are in the order of addresses. */
static void place_blocks(struct ps_snapshot_memory *memory)
{
    size_t at = 0;

    for (size_t s = 0; s < memory->n_segments; s++) {
        struct ps_snapshot_segment_at *segment = &memory->segments[s];
        uint64_t end = end_of(segment->address, segment->bytes), used = segment->address;

        memory->reserved = ps_snapshot_add(memory->reserved, segment->bytes);
        for (; at < memory->n_blocks && memory->blocks[at].address < segment->address; at++)
            memory->n_outside++;
        segment->first_block = at;
        for (; at < memory->n_blocks && memory->blocks[at].address < end; at++) {
            struct ps_snapshot_block_at *block = &memory->blocks[at];
            uint64_t limit = at + 1 < memory->n_blocks && memory->blocks[at + 1].address < end
                                 ? memory->blocks[at + 1].address
                                 : end;

            if (block->address > used && (int64_t)(block->address - used) > memory->largest_hole)
                memory->largest_hole = (int64_t)(block->address - used);
            if (end_of(block->address, block->bytes) > limit)
                block->bytes = (int64_t)(limit - block->address);
            used = end_of(block->address, block->bytes);
        }
        segment->n_blocks = at - segment->first_block;
        if (end > used && (int64_t)(end - used) > memory->largest_hole)
            memory->largest_hole = (int64_t)(end - used);
    }
    memory->n_outside += (int64_t)(memory->n_blocks - at);
}

enum ps_status ps_snapshot_memory_read(struct ps_db *db,
                                       const struct ps_snapshot_device_row *device, int64_t at,
                                       struct ps_snapshot_memory *out, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_history_release) const struct ps_snapshot_history *history = NULL;

    ps_snapshot_history_acquire(db, device->id, &history, err);
    if (ps_snapshot_each_live(db, device->id, at, add_block, out, err) != PS_OK)
        return err->code;
    ps_snapshot_segments_at(history->segments, history->n_segments, history->segment_events,
                            history->n_segment_events, at, out);
    sort_blocks(out);
    mark_waiting(out, history, at);
    set_sizes(out, history);
    place_blocks(out);
    return err->code;
}

/* --- The view --- */

struct writer {
    const struct ps_snapshot_stacks *stacks;
    const struct ps_snapshot_groups *groups;
    const struct ps_snapshot_memory *memory;
    enum ps_snapshot_stacks_as as; /* numbers of the stacks */
    int64_t merged_below;          /* smaller blocks are merged with their neighbours; 0: none */
};

static uint32_t node_of(const struct writer *w, const struct ps_snapshot_block_at *block)
{
    return ps_snapshot_node(w->stacks, PS_SNAPSHOT_PYTHON, block->stack, block->flags);
}

/* Writes block i of a segment, or several small blocks as one. Returns the index behind them. */
static size_t write_block(const struct writer *w, const struct ps_snapshot_segment_at *segment,
                          size_t i, struct ps_json *json)
{
    const struct ps_snapshot_block_at *first = &w->memory->blocks[i], *last = first;
    const struct ps_snapshot_block_at *largest = first;
    size_t end = segment->first_block + segment->n_blocks;
    int64_t requested = first->requested;
    uint32_t node;

    for (i++;
         i < end && last->bytes < w->merged_below && w->memory->blocks[i].bytes < w->merged_below &&
         w->memory->blocks[i].address - first->address < 4 * (uint64_t)w->merged_below;
         i++) {
        last = &w->memory->blocks[i];
        largest = last->requested > largest->requested ? last : largest;
        requested = ps_snapshot_add(requested, last->requested);
    }
    ps_json_array(json);
    ps_json_int(json, (int64_t)(first->address - segment->address));
    ps_json_int(json, (int64_t)(end_of(last->address, last->bytes) - first->address));
    ps_json_int(json, requested);
    ps_json_int(json, w->groups->of_node[node_of(w, largest)]);
    if (first == last && first->allocation)
        ps_json_int(json, first->allocation);
    else
        ps_json_null(json);
    ps_json_str(json, first != last                            ? PS_STR("merged")
                      : first->kind == PS_SNAPSHOT_BLOCK_WAITS ? PS_STR("waits")
                                                               : PS_STR("live"));
    node = ps_snapshot_node(w->stacks, w->as, first->stack, first->flags);
    if (first == last && node)
        ps_json_int(json, w->stacks->trees[w->as].stack[node]);
    else
        ps_json_null(json);
    ps_json_end(json);
    return i;
}

static enum ps_status write_pool(struct ps_db *db, uint32_t pool, struct ps_json *json,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    char name[48];

    ps_json_key(json, "pool");
    if (!pool) {
        ps_json_null(json);
        return err->code;
    }
    ps_db_prepare(db, ps_query_sql("snapshot_pool"), &stmt, err);
    ps_bind_int(stmt, ":id", pool);
    if (!ps_stmt_step(stmt, err))
        return ps_snapshot_fail_damaged(err, "a pool");
    (void)snprintf(name, sizeof name, "%lld,%lld", (long long)ps_col_int(stmt, 0),
                   (long long)ps_col_int(stmt, 1));
    ps_json_str(json, ps_str_from_c(name));
    return err->code;
}

static enum ps_status write_segment(struct ps_db *db, const struct writer *w,
                                    const struct ps_snapshot_segment_at *segment,
                                    struct ps_json *json, struct ps_err *err)
{
    size_t i = segment->first_block;
    char address[24];

    (void)snprintf(address, sizeof address, "0x%llx", (unsigned long long)segment->address);
    ps_json_object(json);
    ps_json_key_str(json, "address", address);
    ps_json_key_int(json, "bytes", segment->bytes);
    write_pool(db, segment->pool, json, err);
    ps_json_key_int(json, "stream", segment->stream);
    ps_json_key_bool(json, "large", segment->is_large);
    ps_json_key_bool(json, "expandable", segment->is_expandable);
    ps_json_key(json, "blocks");
    ps_json_array(json);
    while (i < segment->first_block + segment->n_blocks)
        i = write_block(w, segment, i, json);
    ps_json_end(json);
    ps_json_end(json);
    return err->code;
}

static int by_size(const void *a, const void *b)
{
    return -by_number(a, b);
}

/* Returns the size that segments must have to be written. */
static int64_t smallest_written(const struct ps_snapshot_memory *memory)
{
    PS_AUTO(ps_free_ptr) uint64_t *sizes = NULL;

    if (memory->n_segments <= SEGMENTS_MAX)
        return 0;
    sizes = ps_alloc_array(memory->n_segments, sizeof *sizes);
    for (size_t i = 0; i < memory->n_segments; i++)
        sizes[i] = (uint64_t)memory->segments[i].bytes;
    qsort(sizes, memory->n_segments, sizeof *sizes, by_size);
    return (int64_t)sizes[SEGMENTS_MAX - 1];
}

static enum ps_status write_segments(struct ps_db *db, const struct writer *w, struct ps_json *json,
                                     struct ps_err *err)
{
    int64_t smallest = smallest_written(w->memory), n_omitted = 0, omitted = 0;
    size_t n = 0;

    ps_json_key(json, "segments");
    ps_json_array(json);
    for (size_t i = 0; i < w->memory->n_segments && err->code == PS_OK; i++) {
        const struct ps_snapshot_segment_at *segment = &w->memory->segments[i];

        if (segment->bytes < smallest || n == SEGMENTS_MAX) {
            n_omitted++;
            omitted = ps_snapshot_add(omitted, segment->bytes);
            continue;
        }
        n++;
        write_segment(db, w, segment, json, err);
    }
    ps_json_end(json);
    ps_json_key(json, "omitted");
    ps_json_object(json);
    ps_json_key_int(json, "segments", n_omitted);
    ps_json_key_int(json, "bytes", omitted);
    ps_json_end(json);
    return err->code;
}

static void write_note(const struct ps_snapshot_memory *memory, int64_t reserved,
                       struct ps_json *json)
{
    PS_AUTO(ps_buf_free) struct ps_buf note = {0};

    if (memory->n_outside)
        ps_buf_printf(&note,
                      "%lld live allocations are in no segment: the history was off for a time. ",
                      (long long)memory->n_outside);
    if (memory->reserved != reserved)
        ps_buf_puts(&note, "Events of segments contradict each other. ");
    if (memory->n_estimated)
        ps_buf_printf(&note,
                      "The file has no size of %lld blocks: they are drawn with the bytes asked "
                      "for, rounded up to 512.",
                      (long long)memory->n_estimated);
    ps_json_key_bool(json, "exact", !memory->n_outside && memory->reserved == reserved);
    ps_json_key(json, "note");
    ps_json_str(json, note.len ? ps_buf_slice(&note) : (struct ps_str){NULL, 0});
}

enum ps_status ps_view_snapshot_segments(struct ps_db *db, const struct ps_view *view, int64_t id,
                                         struct ps_params params, struct ps_answer *answer,
                                         struct ps_err *err)
{
    PS_AUTO(ps_snapshot_stacks_release) const struct ps_snapshot_stacks *stacks = NULL;
    PS_AUTO(ps_snapshot_groups_free) struct ps_snapshot_groups groups = {.n = 0};
    PS_AUTO(ps_snapshot_memory_free) struct ps_snapshot_memory memory = {.segments = NULL};
    struct ps_json json = ps_json_writer(&answer->body);
    struct ps_snapshot_device_row device;
    struct writer w = {.memory = &memory, .groups = &groups};
    int64_t at, live, reserved;

    (void)view, (void)id;
    ps_snapshot_param_device(db, params, &device, err);
    ps_snapshot_param_stacks_as(params, &w.as, err);
    if (err->code != PS_OK || ps_snapshot_param_event(&device, params, "at", &at, err) != PS_OK ||
        ps_snapshot_stacks_acquire(db, &stacks, err) != PS_OK ||
        ps_snapshot_groups_read(db, &device, stacks, &groups, err) != PS_OK ||
        ps_snapshot_bytes_at(db, &device, at, &live, &reserved, err) != PS_OK ||
        ps_snapshot_memory_read(db, &device, at, &memory, err) != PS_OK)
        return err->code;
    w.stacks = stacks;
    w.merged_below = memory.n_blocks > BLOCKS_MAX ? memory.reserved / MERGED_PARTS : 0;
    ps_json_object(&json);
    ps_json_key_int(&json, "device", device.number);
    ps_json_key_int(&json, "at", at);
    ps_json_key_int(&json, "reserved", memory.reserved);
    ps_json_key_int(&json, "live", memory.live);
    ps_json_key_int(&json, "unused", ps_snapshot_add(memory.reserved, -memory.live));
    ps_json_key_int(&json, "largest_hole", memory.largest_hole);
    ps_json_key_int(&json, "count", (int64_t)memory.n_segments);
    write_note(&memory, reserved, &json);
    write_segments(db, &w, &json, err);
    ps_json_end(&json);
    return err->code;
}
