/* SPDX-License-Identifier: MIT */
/* snapshot.c: what follows from a memory snapshot: live sets, peaks, reserved bytes (snapshot.h).
 */
#include "importers/memory/snapshot.h"

#include <stdio.h>
#include <stdlib.h>

#include "importers/records/run.h"
#include "importers/records/snapshot.h"
#include "importers/stacks/stacks.h"
#include "importers/text/clean.h"

enum {
    NOTES_MAX = 20,
    TEXT_BYTES_MAX = 128 << 20,
    NODES_MAX = 8 << 20, /* with their hash table about 250 MiB */
    OPEN_MAX = 3 << 20,  /* live allocations of all devices; with their hash table 250 MiB */
    NUMBERS_MAX = 65536, /* streams; pools */
    FRAME_NAME_MAX = 4096,
};
#define LIVE_MAX (INT64_C(1) << 60)

/* An allocation that is live at the current event. */
struct open_allocation {
    int64_t address, bytes, start, start_us;
    uint32_t stream, pool, stack;
    bool is_freed; /* free_requested was seen */
};

/* Live allocations by stack. Values at the peak are not copied at each new peak, which would cost
 * as much as all stacks: the first change after a peak saves the value of its stack. */
struct account {
    int64_t live, n_live; /* relative to before_bytes and n_before */
    uint64_t epoch;       /* number of the peak for which the saved values hold */
    int64_t saved, n_saved;
    int64_t before_bytes, n_before;
    uint32_t stack;
};

struct level {
    int64_t first, t_us, live_min, live_max, live_max_index, live_last, reserved_max, reserved_last;
};

struct sn_device {
    uint32_t id;
    int64_t number, n_events; /* positions, with rejected events */
    int64_t first_us, last_us;
    int64_t live, peak, peak_index, reserved, reserved_peak; /* relative */
    int64_t reserved_at_peak;                                /* relative; of the live bytes */
    uint64_t epoch;
    int64_t n_before, before_bytes;
    int64_t n_ooms, oom_index, oom_bytes, oom_free;
    uint64_t n_lost_frees; /* allocations at an address that was live */
    /* Few stacks are those of allocations; most are inner nodes of the tree. */
    uint32_t *account_ids; /* by stack: index in `accounts` + 1; 0: none */
    size_t n_account_ids;
    struct account *accounts;
    uint32_t n_accounts, cap_accounts;
    struct open_allocation *open;
    uint32_t n_open, cap_open;
    uint32_t free_slot; /* list of unused elements of `open` by start; UINT32_MAX: empty */
    struct ps_hash_table open_ids;
    struct level *levels, level;
    size_t n_levels, cap_levels;
    bool has_level;
};

/* --- Texts, frames, stacks, numbers --- */

static const char *const words[SN_N_WORDS] = {
    "action",
    "addr",
    "device_free",
    "size",
    "stream",
    "time_us",
    "frames",
    "compile_context",
    "user_metadata",
    "pool_id",
    "category",
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    "state",
    "history",
    "real_size",
    "stage",
    "name",
    "filename",
    "line",
    "segments",
    "device_traces",
    "allocator_settings",
    "external_annotations",
    "alloc",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "snapshot",
    "oom",
    "active_allocated",
    "active_pending_free",
    "inactive",
    "active_awaiting_free",
    "large",
    "small",
    "START",
    "END",
    "N/A",
};

void sn_init(struct sn_snapshot *s, struct ps_sink *out)
{
    *s = (struct sn_snapshot){.out = out, .settings = {"", 0}};
    for (size_t i = 0; i < SN_N_WORDS; i++)
        (void)ps_intern_add(&s->texts, ps_str_from_c(words[i]));
    PS_RESERVE_ONE(s->streams, s->n_streams, s->cap_streams);
    s->streams[s->n_streams++] = 0;
    PS_RESERVE_ONE(s->pools, s->n_pools, s->cap_pools);
    s->pools[s->n_pools++] = (struct sn_pool){0, 0};
}

void sn_free(struct sn_snapshot *s)
{
    for (size_t i = 0; i < s->n_devices; i++) {
        struct sn_device *device = s->devices[i];

        if (!device)
            continue;
        free(device->account_ids);
        free(device->accounts);
        free(device->open);
        free(device->levels);
        ps_hash_table_free(&device->open_ids);
        free(device);
    }
    free(s->devices);
    free(s->text_rows);
    free(s->frames);
    free(s->nodes);
    free(s->streams);
    free(s->pools);
    free(s->blocks);
    free(s->segments);
    free(s->annotations);
    ps_hash_table_free(&s->frame_ids);
    ps_hash_table_free(&s->node_ids);
    ps_intern_free(&s->texts);
}

void sn_reject(struct sn_snapshot *s, uint64_t offset, const char *what)
{
    if (s->n_rejected++ < NOTES_MAX)
        ps_sink_note(s->out, PS_NOTE_REJECTED, offset, 0, "%s", what);
}

uint32_t sn_text_id(struct sn_snapshot *s, struct ps_str text, struct ps_err *err)
{
    uint32_t count = s->texts.count, id = ps_intern_add(&s->texts, text);

    if (s->texts.count == count)
        return id;
    if (s->texts.arena.allocated_bytes > TEXT_BYTES_MAX)
        ps_fail(err, PS_LIMIT, "the texts of the snapshot are longer than %d MiB in total",
                TEXT_BYTES_MAX >> 20);
    s->n_bad_texts += !ps_is_clean_text(text);
    return id;
}

static struct ps_str text_of(const struct sn_snapshot *s, uint32_t text)
{
    return s->texts.items[text];
}

/* Writes a text unless it was written before. Returns the id of its row, 0 for text 0. */
static uint32_t write_text(struct sn_snapshot *s, uint32_t text)
{
    PS_AUTO(ps_buf_free) struct ps_buf clean = {0};

    if (!text)
        return 0;
    s->text_rows = ps_grow_to(s->text_rows, &s->n_text_rows, text, sizeof *s->text_rows);
    if (!s->text_rows[text]) {
        s->text_rows[text] = ++s->last_text_row;
        ps_clean_text(&clean, text_of(s, text));
        s->out->ops->snapshot_text(
            s->out, &(struct ps_snapshot_text){s->last_text_row, ps_buf_slice(&clean)});
    }
    return s->text_rows[text];
}

static bool contains_any(struct ps_str text, const char *const *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ps_str_find(text, ps_str_from_c(parts[i])))
            return true;
    return false;
}

/* Whether PyTorch's viewer leaves the frame out: frames of its stack tracer, of the dispatcher and
 * of the interpreter. The lists are those of frameFilter in MemoryViz.js. */
static bool is_hidden(struct ps_str name, struct ps_str file)
{
    static const char *const names[] = {"unwind::unwind",    "CapturedTraceback::gather",
                                        "gather_with_cpp",   "_start",
                                        "__libc_start_main", "PyEval_",
                                        "PyObject_",         "PyFunction_"};
    static const char *const files[] = {"core/boxing",
                                        "/Register",
                                        "/Redispatch",
                                        "pythonrun.c",
                                        "Modules/main.c",
                                        "Objects/call.c",
                                        "Objects/methodobject.c",
                                        "pycore_ceval.h",
                                        "ceval.c",
                                        "cpython/abstract.h"};

    return contains_any(name, names, sizeof names / sizeof *names) ||
           contains_any(file, files, sizeof files / sizeof *files);
}

static bool is_frame(const void *items, uint32_t index, const void *key)
{
    const struct sn_frame *frame = (const struct sn_frame *)items + index, *wanted = key;

    return frame->name == wanted->name && frame->file == wanted->file &&
           frame->line == wanted->line;
}

uint32_t sn_frame_id(struct sn_snapshot *s, uint32_t name, uint32_t file, int64_t line)
{
    struct sn_frame key = {.name = name, .file = file, .line = line};
    uint64_t hash = ps_hash_pair((uint64_t)name << 32 | file, (uint64_t)line);
    uint32_t index = ps_hash_table_add(&s->frame_ids, hash, s->n_frames, is_frame, s->frames, &key);

    if (index == s->n_frames) {
        key.is_hidden = is_hidden(text_of(s, name), text_of(s, file));
        PS_RESERVE_ONE(s->frames, s->n_frames, s->cap_frames);
        s->frames[s->n_frames++] = key;
    }
    return index + 1;
}

static bool is_node(const void *items, uint32_t index, const void *key)
{
    const struct sn_node *node = (const struct sn_node *)items + index, *wanted = key;

    return node->parent == wanted->parent && node->frame == wanted->frame;
}

/* Returns the node of a frame below a node; 0: there are too many nodes. */
static uint32_t find_node(struct sn_snapshot *s, uint32_t parent, uint32_t frame,
                          struct ps_err *err)
{
    struct sn_node key = {.parent = parent, .frame = frame};
    uint32_t shown, index;

    if (s->n_nodes >= NODES_MAX) {
        ps_fail(err, PS_LIMIT, "the stacks of the snapshot have more than %d different frames",
                NODES_MAX);
        return 0;
    }
    index = ps_hash_table_add(&s->node_ids, ps_hash_pair(parent, frame), s->n_nodes, is_node,
                              s->nodes, &key);
    if (index < s->n_nodes)
        return index + 1;
    PS_RESERVE_ONE(s->nodes, s->n_nodes, s->cap_nodes);
    s->nodes[s->n_nodes++] = key;
    shown = parent ? s->nodes[parent - 1].shown : 0;
    if (!s->frames[frame - 1].is_hidden)
        shown = shown == parent ? index + 1 : find_node(s, shown, frame, err);
    s->nodes[index].shown = shown;
    return index + 1;
}

uint32_t sn_stack_extend(struct sn_snapshot *s, uint32_t stack, const uint32_t *frames, size_t n,
                         struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) uint32_t *inner = NULL;
    size_t n_inner = 0;
    uint32_t node = 0;

    for (uint32_t at = stack; at; at = s->nodes[at - 1].parent)
        n_inner++;
    if (n_inner)
        inner = ps_alloc_array(n_inner, sizeof *inner);
    for (uint32_t at = stack, i = 0; at; at = s->nodes[at - 1].parent)
        inner[i++] = s->nodes[at - 1].frame;
    for (size_t i = n; i-- > 0 && err->code == PS_OK;)
        node = find_node(s, node, frames[i], err);
    for (size_t i = n_inner; i-- > 0 && err->code == PS_OK;)
        node = find_node(s, node, inner[i], err);
    return err->code == PS_OK ? node : 0;
}

/* Streams and pools are few, so they are searched from the last on. Beyond NUMBERS_MAX all are the
 * last one. */

static uint32_t stream_number(struct sn_snapshot *s, int64_t stream)
{
    for (uint32_t i = 0; i < s->n_streams; i++)
        if (s->streams[i] == stream)
            return i;
    if (s->n_streams == NUMBERS_MAX)
        return s->n_streams - 1;
    PS_RESERVE_ONE(s->streams, s->n_streams, s->cap_streams);
    s->streams[s->n_streams] = stream;
    s->out->ops->snapshot_stream(s->out, &(struct ps_snapshot_stream){s->n_streams, stream});
    return s->n_streams++;
}

uint32_t sn_pool_number(struct sn_snapshot *s, int64_t a, int64_t b)
{
    for (uint32_t i = 0; i < s->n_pools; i++)
        if (s->pools[i].a == a && s->pools[i].b == b)
            return i;
    if (s->n_pools == NUMBERS_MAX)
        return s->n_pools - 1;
    PS_RESERVE_ONE(s->pools, s->n_pools, s->cap_pools);
    s->pools[s->n_pools] = (struct sn_pool){a, b};
    s->out->ops->snapshot_pool(s->out, &(struct ps_snapshot_pool){s->n_pools, a, b});
    return s->n_pools++;
}

/* --- Devices --- */

/* Returns the device, which is added if it is new; NULL: the number is out of range. */
static struct sn_device *find_device(struct sn_snapshot *s, int64_t number)
{
    struct sn_device *device;

    if (number < 0 || number >= SN_DEVICES_MAX)
        return NULL;
    s->devices = ps_grow_to(s->devices, &s->n_devices, (size_t)number, sizeof(struct sn_device *));
    if (s->devices[number])
        return s->devices[number];
    device = ps_alloc(sizeof *device);
    device->number = number;
    device->id = ++s->n_known_devices;
    device->first_us = device->last_us = -1;
    device->peak_index = -1;
    device->oom_index = -1;
    device->free_slot = UINT32_MAX;
    s->devices[number] = device;
    return device;
}

/* Returns a device that find_device has added; NULL: it has not. */
static const struct sn_device *known_device(const struct sn_snapshot *s, int64_t number)
{
    return number >= 0 && (size_t)number < s->n_devices ? s->devices[number] : NULL;
}

/* --- Accounts --- */

/* Returns the account of a stack, valid until the next call. */
static struct account *find_account(struct sn_device *device, uint32_t stack)
{
    if (stack >= device->n_account_ids)
        device->account_ids = ps_grow_to(device->account_ids, &device->n_account_ids, stack,
                                         sizeof *device->account_ids);
    if (!device->account_ids[stack]) {
        PS_RESERVE_ONE(device->accounts, device->n_accounts, device->cap_accounts);
        device->accounts[device->n_accounts] = (struct account){.stack = stack};
        device->account_ids[stack] = ++device->n_accounts;
    }
    return &device->accounts[device->account_ids[stack] - 1];
}

static void change_account(struct sn_device *device, uint32_t stack, int64_t bytes, int64_t count)
{
    struct account *account = find_account(device, stack);

    if (account->epoch != device->epoch) {
        account->saved = account->live;
        account->n_saved = account->n_live;
        account->epoch = device->epoch;
    }
    account->live += bytes;
    account->n_live += count;
}

/* Adds an allocation that is older than the first event. */
static void add_before(struct sn_device *device, uint32_t stack, int64_t bytes)
{
    struct account *account = find_account(device, stack);

    account->before_bytes += bytes;
    account->n_before++;
    device->before_bytes += bytes;
    device->n_before++;
}

static void change_live(struct sn_device *device, uint32_t stack, int64_t bytes, int64_t count,
                        int64_t index)
{
    change_account(device, stack, bytes, count);
    device->live += bytes;
    if (device->live > device->peak) {
        device->peak = device->live;
        device->peak_index = index;
        device->reserved_at_peak = device->reserved;
        device->epoch++;
    }
}

/* --- Live allocations --- */

static bool is_open_at(const void *items, uint32_t index, const void *key)
{
    return ((const struct open_allocation *)items)[index].address == *(const int64_t *)key;
}

static uint32_t find_open(const struct sn_device *device, int64_t address)
{
    return ps_hash_table_find(&device->open_ids, ps_hash_u64((uint64_t)address), is_open_at,
                              device->open, &address);
}

static uint32_t take_slot(struct sn_device *device)
{
    uint32_t slot = device->free_slot;

    if (slot != UINT32_MAX) {
        device->free_slot = (uint32_t)device->open[slot].start;
        return slot;
    }
    PS_RESERVE_ONE(device->open, device->n_open, device->cap_open);
    return device->n_open++;
}

static void write_allocation(struct sn_snapshot *s, const struct sn_device *device,
                             const struct open_allocation *open, int64_t end, int64_t end_us,
                             unsigned flags)
{
    s->n_allocations++;
    s->out->ops->snapshot_allocation(s->out,
                                     &(struct ps_snapshot_allocation){.device = device->id,
                                                                      .start = open->start,
                                                                      .end = end,
                                                                      .start_us = open->start_us,
                                                                      .end_us = end_us,
                                                                      .address = open->address,
                                                                      .bytes = open->bytes,
                                                                      .stream = open->stream,
                                                                      .pool = open->pool,
                                                                      .stack = open->stack,
                                                                      .flags = flags});
}

static void close_open(struct sn_snapshot *s, struct sn_device *device, uint32_t slot,
                       int64_t index, int64_t t_us)
{
    struct open_allocation *open = &device->open[slot];

    write_allocation(s, device, open, index, t_us, 0);
    change_live(device, open->stack, -open->bytes, -1, index);
    ps_hash_table_remove(&device->open_ids, ps_hash_u64((uint64_t)open->address), slot);
    *open = (struct open_allocation){.start = device->free_slot, .bytes = -1};
    device->free_slot = slot;
}

static void begin_allocation(struct sn_snapshot *s, struct sn_device *device,
                             const struct sn_event *event, int64_t index, struct ps_err *err)
{
    uint32_t slot = find_open(device, event->address);

    if (slot != PS_HASH_NONE) { /* its free is missing */
        device->n_lost_frees++;
        close_open(s, device, slot, index, event->t_us);
    }
    if (device->open_ids.count >= OPEN_MAX) {
        ps_fail(err, PS_LIMIT, "more than %d allocations are live at once", OPEN_MAX);
        return;
    }
    slot = take_slot(device);
    (void)ps_hash_table_add(&device->open_ids, ps_hash_u64((uint64_t)event->address), slot,
                            is_open_at, device->open, &event->address);
    device->open[slot] = (struct open_allocation){.address = event->address,
                                                  .bytes = event->bytes,
                                                  .start = index,
                                                  .start_us = event->t_us,
                                                  .stream = stream_number(s, event->stream),
                                                  .pool = event->pool,
                                                  .stack = event->stack};
    change_live(device, event->stack, event->bytes, 1, index);
}

static void end_allocation(struct sn_snapshot *s, struct sn_device *device,
                           const struct sn_event *event, int64_t index)
{
    uint32_t slot = find_open(device, event->address);
    struct open_allocation before = {.address = event->address,
                                     .bytes = event->bytes,
                                     .start = -1,
                                     .start_us = -1,
                                     .stream = stream_number(s, event->stream),
                                     .pool = event->pool,
                                     .stack = event->stack};

    if (slot != PS_HASH_NONE) {
        close_open(s, device, slot, index, event->t_us);
        return;
    }
    add_before(device, event->stack, event->bytes);
    write_allocation(s, device, &before, index, event->t_us, PS_ALLOCATION_BEFORE);
    change_live(device, event->stack, -event->bytes, -1, index);
}

/* --- Events --- */

static void flush_level(struct sn_device *device)
{
    if (!device->has_level)
        return;
    PS_RESERVE_ONE(device->levels, device->n_levels, device->cap_levels);
    device->levels[device->n_levels++] = device->level;
    device->has_level = false;
}

static void add_to_level(struct sn_device *device, int64_t index, int64_t t_us)
{
    struct level *level = &device->level;

    if (device->has_level && index >= level->first + PS_SNAPSHOT_LEVEL_EVENTS)
        flush_level(device);
    if (!device->has_level) {
        *level = (struct level){.first = index - index % PS_SNAPSHOT_LEVEL_EVENTS,
                                .t_us = t_us,
                                .live_min = device->live,
                                .live_max = device->live,
                                .live_max_index = index,
                                .reserved_max = device->reserved};
        device->has_level = true;
    }
    if (device->live > level->live_max) {
        level->live_max = device->live;
        level->live_max_index = index;
    }
    level->live_min = device->live < level->live_min ? device->live : level->live_min;
    level->reserved_max =
        device->reserved > level->reserved_max ? device->reserved : level->reserved_max;
    level->live_last = device->live;
    level->reserved_last = device->reserved;
}

static void change_reserved(struct sn_device *device, int64_t bytes)
{
    device->reserved += bytes;
    if (device->reserved > device->reserved_peak)
        device->reserved_peak = device->reserved;
}

static void add_oom(struct sn_device *device, const struct sn_event *event, int64_t index)
{
    if (device->n_ooms++)
        return;
    device->oom_index = index;
    device->oom_bytes = event->bytes;
    device->oom_free = event->address;
}

static void apply_event(struct sn_snapshot *s, struct sn_device *device,
                        const struct sn_event *event, int64_t index, struct ps_err *err)
{
    uint32_t slot;

    switch (event->action) {
    case PS_SNAPSHOT_ALLOC:
        begin_allocation(s, device, event, index, err);
        break;
    case PS_SNAPSHOT_FREE_REQUESTED:
        slot = find_open(device, event->address);
        if (slot != PS_HASH_NONE)
            device->open[slot].is_freed = true;
        break;
    case PS_SNAPSHOT_FREE_COMPLETED:
        end_allocation(s, device, event, index);
        break;
    case PS_SNAPSHOT_SEGMENT_ALLOC:
    case PS_SNAPSHOT_SEGMENT_MAP:
        change_reserved(device, event->bytes);
        break;
    case PS_SNAPSHOT_SEGMENT_FREE:
    case PS_SNAPSHOT_SEGMENT_UNMAP:
        change_reserved(device, -event->bytes);
        break;
    case PS_SNAPSHOT_OOM:
        add_oom(device, event, index);
        break;
    case PS_SNAPSHOT_TAKEN:
    case PS_N_SNAPSHOT_ACTIONS:
        break;
    }
}

void sn_prefetch_ids(const struct sn_snapshot *s, int64_t number, int64_t address, uint32_t stack)
{
    const struct sn_device *device = known_device(s, number);

    if (!device)
        return;
    ps_hash_table_prefetch(&device->open_ids, ps_hash_u64((uint64_t)address));
    if (stack < device->n_account_ids)
        __builtin_prefetch(&device->account_ids[stack]);
}

void sn_prefetch_entries(const struct sn_snapshot *s, int64_t number, int64_t address,
                         uint32_t stack)
{
    const struct sn_device *device = known_device(s, number);
    uint32_t slot = device ? find_open(device, address) : PS_HASH_NONE;

    if (slot != PS_HASH_NONE)
        __builtin_prefetch(&device->open[slot]);
    if (device && stack < device->n_account_ids && device->account_ids[stack])
        __builtin_prefetch(&device->accounts[device->account_ids[stack] - 1]);
}

bool sn_add_event(struct sn_snapshot *s, int64_t number, const struct sn_event *event,
                  struct ps_err *err)
{
    struct sn_device *device = find_device(s, number);
    int64_t index;

    if (!device || event->bytes < 0 || event->bytes > SN_BYTES_MAX || device->live > LIVE_MAX ||
        device->live < -LIVE_MAX || device->reserved > LIVE_MAX || device->reserved < -LIVE_MAX ||
        device->before_bytes > LIVE_MAX)
        return false;
    index = device->n_events++;
    apply_event(s, device, event, index, err);
    if (event->t_us >= 0) {
        device->first_us = device->first_us < 0 ? event->t_us : device->first_us;
        device->last_us = event->t_us;
    }
    add_to_level(device, index, event->t_us);
    s->n_events++;
    s->out->ops->snapshot_event(
        s->out, &(struct ps_snapshot_event){.device = device->id,
                                            .index = index,
                                            .t_us = event->t_us,
                                            .action = event->action,
                                            .address = event->address,
                                            .bytes = event->bytes,
                                            .stream = stream_number(s, event->stream),
                                            .pool = event->pool,
                                            .stack = event->stack,
                                            .live = device->live,
                                            .reserved = device->reserved,
                                            .context = write_text(s, event->context),
                                            .user = write_text(s, event->user),
                                            .category = write_text(s, event->category)});
    return true;
}

void sn_skip_event(struct sn_snapshot *s, int64_t number)
{
    struct sn_device *device = find_device(s, number);

    if (device)
        device->n_events++;
}

/* --- Segments and blocks --- */

bool sn_add_segment(struct sn_snapshot *s, const struct sn_segment *segment)
{
    if (s->segment_bytes > LIVE_MAX)
        return false;
    s->segment_bytes += segment->total + segment->allocated + segment->active +
                        (segment->requested > 0 ? segment->requested : 0);
    PS_RESERVE_ONE(s->segments, s->n_segments, s->cap_segments);
    s->segments[s->n_segments++] = *segment;
    return true;
}

bool sn_add_block(struct sn_snapshot *s, const struct sn_block *block)
{
    if (s->block_bytes > LIVE_MAX)
        return false;
    s->block_bytes += block->size + block->requested;
    PS_RESERVE_ONE(s->blocks, s->n_blocks, s->cap_blocks);
    s->blocks[s->n_blocks++] = *block;
    return true;
}

/* Blocks of torch 2.0 have no address: they fill their segment in order. */
static void place_blocks(struct sn_snapshot *s)
{
    uint64_t n_odd = 0;

    for (uint32_t i = 0; i < s->n_segments; i++) {
        struct sn_segment *segment = &s->segments[i];
        uint64_t at = (uint64_t)segment->address;

        for (uint32_t b = 0; b < segment->n_blocks; b++) {
            struct sn_block *block = &s->blocks[segment->first_block + b];

            if (!block->has_address)
                block->address = (int64_t)at;
            n_odd += (uint64_t)block->address != at;
            at = (uint64_t)block->address + (uint64_t)block->size;
        }
        n_odd += at != (uint64_t)segment->address + (uint64_t)segment->total;
    }
    ps_sink_count(s->out, PS_NOTE_WARNING, n_odd, "blocks that do not fill their segment");
}

/* Writes the blocks that are in use: those without an alloc in the trace are older than it. Returns
 * their requested bytes. */
static int64_t keep_blocks(struct sn_snapshot *s, struct sn_device *device, bool *pending)
{
    int64_t requested = 0;

    for (uint32_t i = 0; i < s->n_segments; i++) {
        const struct sn_segment *segment = &s->segments[i];

        for (uint32_t b = 0; segment->device == device->number && b < segment->n_blocks; b++) {
            const struct sn_block *block = &s->blocks[segment->first_block + b];
            bool is_pending = block->state == PS_BLOCK_PENDING_FREE;
            uint32_t slot;

            if (block->state == PS_BLOCK_INACTIVE)
                continue;
            requested += block->requested;
            slot = find_open(device, block->address);
            if (slot != PS_HASH_NONE) {
                pending[slot] = is_pending;
                continue;
            }
            add_before(device, block->stack, block->requested);
            write_allocation(s, device,
                             &(struct open_allocation){.address = block->address,
                                                       .bytes = block->requested,
                                                       .start = -1,
                                                       .start_us = -1,
                                                       .stream = stream_number(s, segment->stream),
                                                       .pool = segment->pool,
                                                       .stack = block->stack},
                             device->n_events, -1,
                             PS_ALLOCATION_BEFORE | PS_ALLOCATION_KEPT |
                                 (is_pending ? PS_ALLOCATION_PENDING : 0));
        }
    }
    return requested;
}

struct kept {
    int64_t start;
    uint32_t slot;
};

static int by_start(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

/* Writes the allocations of the trace that are live at its end. */
static void keep_open(struct sn_snapshot *s, struct sn_device *device, const bool *pending)
{
    PS_AUTO(ps_free_ptr)
    struct kept *kept = ps_alloc_array((size_t)device->n_open + 1, sizeof *kept);
    uint32_t n = 0;

    for (uint32_t i = 0; i < device->n_open; i++)
        if (device->open[i].bytes >= 0)
            kept[n++] = (struct kept){device->open[i].start, i};
    qsort(kept, n, sizeof *kept, by_start);
    for (uint32_t i = 0; i < n; i++) {
        const struct open_allocation *open = &device->open[kept[i].slot];

        write_allocation(s, device, open, device->n_events, -1,
                         PS_ALLOCATION_KEPT |
                             (pending[kept[i].slot] || open->is_freed ? PS_ALLOCATION_PENDING : 0));
    }
}

/* Adds the bytes of a run of inactive blocks to the sum of fragmentation. */
static void end_hole(double *squares, int64_t *hole)
{
    *squares += (double)*hole * (double)*hole;
    *hole = 0;
}

static void sum_segments(const struct sn_snapshot *s, const struct sn_device *device,
                         struct ps_snapshot_device *row)
{
    double squares = 0;
    int64_t hole = 0;

    for (uint32_t i = 0; i < s->n_segments; i++) {
        const struct sn_segment *segment = &s->segments[i];

        if (segment->device != device->number)
            continue;
        row->segments++;
        row->reserved += segment->total;
        for (uint32_t b = 0; b < segment->n_blocks; b++) {
            const struct sn_block *block = &s->blocks[segment->first_block + b];

            if (block->state == PS_BLOCK_INACTIVE) {
                row->free_bytes += block->size;
                row->inactive_split += segment->n_blocks > 1 ? block->size : 0;
                row->largest_free =
                    block->size > row->largest_free ? block->size : row->largest_free;
                hole += block->size;
                continue;
            }
            end_hole(&squares, &hole);
            if (block->state == PS_BLOCK_ALLOCATED) {
                row->allocated += block->size;
                row->requested += block->requested;
            } else {
                row->pending += block->size;
            }
        }
        end_hole(&squares, &hole);
    }
    row->fragmentation =
        row->reserved > 0 ? squares / ((double)row->reserved * (double)row->reserved) : 0;
}

/* --- The live set at the peak --- */

static uint32_t shown_stack(const struct sn_snapshot *s, uint32_t stack)
{
    return stack ? s->nodes[stack - 1].shown : 0;
}

static void peak_of_account(const struct sn_device *device, const struct account *account,
                            int64_t *bytes, int64_t *count)
{
    bool is_saved = account->epoch == device->epoch;

    *bytes = account->before_bytes + (is_saved ? account->saved : account->live);
    *count = account->n_before + (is_saved ? account->n_saved : account->n_live);
}

struct owners {
    const struct sn_snapshot *s;
    int64_t *bytes, *count; /* by stack without hidden frames */
    uint32_t *stacks;       /* those with allocations */
    uint32_t *depths;       /* by stack */
    size_t n;
};

static void sum_owners(struct sn_snapshot *s, const struct sn_device *device, struct owners *o)
{
    for (uint32_t i = 0; i < device->n_accounts; i++) {
        const struct account *account = &device->accounts[i];
        uint32_t shown = shown_stack(s, account->stack);
        int64_t bytes, count;

        peak_of_account(device, account, &bytes, &count);
        o->bytes[shown] += bytes;
        o->count[shown] += count;
    }
    o->n = 0;
    for (uint32_t i = 0; i <= s->n_nodes; i++)
        if (o->count[i])
            o->stacks[o->n++] = i;
}

/* Compares stacks by the order of the tree, so that neighbours share their outer frames. */
static int by_path(const void *a, const void *b, void *user)
{
    const struct owners *o = user;
    const struct sn_node *nodes = o->s->nodes;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t dx = o->depths[x], dy = o->depths[y];

    for (uint32_t d = dx; d > dy; d--)
        x = nodes[x - 1].parent;
    for (uint32_t d = dy; d > dx; d--)
        y = nodes[y - 1].parent;
    if (x == y)
        return dx < dy ? -1 : dx > dy;
    while (nodes[x - 1].parent != nodes[y - 1].parent) {
        x = nodes[x - 1].parent;
        y = nodes[y - 1].parent;
    }
    return x < y ? -1 : 1;
}

/* Appends the name of a frame, as py-spy writes it: "forward (model.py:12)". */
static void name_frame(const struct sn_snapshot *s, const struct sn_frame *frame,
                       struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0}, file = {0};
    struct ps_str shown;

    ps_clean_text(&name, text_of(s, frame->name));
    ps_clean_text(&file, text_of(s, frame->file));
    shown = ps_truncate_text(ps_buf_slice(&name), FRAME_NAME_MAX);
    ps_buf_printf(out, "%.*s", (int)shown.len, shown.len ? shown.ptr : "");
    shown = ps_truncate_text(ps_buf_slice(&file), FRAME_NAME_MAX);
    if (shown.len && !ps_str_eq_c(shown, "??"))
        ps_buf_printf(out, "%s(%.*s:%lld)", name.len ? " " : "", (int)shown.len, shown.ptr,
                      (long long)frame->line);
}

struct flame {
    struct st_stacks stacks;
    uint32_t *frames; /* by frame of the snapshot: id + 1 of its name; 0: none yet */
    uint32_t *path;
    uint64_t n_left_out; /* stacks */
};

static uint32_t flame_frame(struct sn_snapshot *s, struct flame *flame, uint32_t frame)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    if (!flame->frames[frame]) {
        name_frame(s, &s->frames[frame - 1], &name);
        flame->frames[frame] =
            st_frame_id(&flame->stacks,
                        name.len ? ps_buf_slice(&name) : PS_STR("(frame without a name)")) +
            1;
    }
    return flame->frames[frame] - 1;
}

static void add_to_flame(struct sn_snapshot *s, struct flame *flame, const struct owners *o,
                         uint32_t track, uint32_t stack, struct ps_err *err)
{
    uint32_t depth = o->depths[stack];

    if (o->bytes[stack] <= 0)
        return;
    if (o->bytes[stack] > (INT64_MAX / 4 - flame->stacks.weight) / ST_SCALE) {
        flame->n_left_out++;
        return;
    }
    if (!depth)
        flame->path[depth++] = st_frame_id(&flame->stacks, PS_STR("(no Python stack)"));
    for (uint32_t at = stack, d = o->depths[stack]; at; at = s->nodes[at - 1].parent)
        flame->path[--d] = flame_frame(s, flame, s->nodes[at - 1].frame);
    (void)st_add_stack(&flame->stacks, track, flame->path, depth, o->bytes[stack] * ST_SCALE, err);
}

static enum ps_status write_owners(struct sn_snapshot *s, struct owners *o, struct flame *flame,
                                   struct ps_err *err)
{
    uint32_t process = st_process_id(&flame->stacks, PS_STR(""), PS_STR("live at the peak"));

    for (size_t d = 0; d < s->n_devices && err->code == PS_OK; d++) {
        const struct sn_device *device = s->devices[d];
        char name[40];
        uint32_t track;

        if (!device)
            continue;
        (void)snprintf(name, sizeof name, "GPU %lld", (long long)device->number);
        if (st_add_track(&flame->stacks, process, ps_str_from_c(name), PS_STR(""), &track, err) !=
            PS_OK)
            return err->code;
        sum_owners(s, device, o);
        qsort_r(o->stacks, o->n, sizeof *o->stacks, by_path, o);
        for (size_t i = 0; i < o->n && err->code == PS_OK; i++) {
            uint32_t stack = o->stacks[i];

            s->out->ops->snapshot_owner(s->out,
                                        &(struct ps_snapshot_owner){.device = device->id,
                                                                    .stack = stack,
                                                                    .bytes = o->bytes[stack],
                                                                    .count = o->count[stack]});
            add_to_flame(s, flame, o, track, stack, err);
        }
        for (size_t i = 0; i < o->n; i++)
            o->bytes[o->stacks[i]] = o->count[o->stacks[i]] = 0;
    }
    return err->code;
}

/* Writes who owns the live bytes at the peak of each device, as rows and as a flame graph, and the
 * headline. */
static enum ps_status write_peaks(struct sn_snapshot *s, struct ps_err *err)
{
    size_t n = (size_t)s->n_nodes + 1;
    struct owners o = {.s = s,
                       .bytes = ps_alloc_array(n, sizeof *o.bytes),
                       .count = ps_alloc_array(n, sizeof *o.count),
                       .stacks = ps_alloc_array(n, sizeof *o.stacks),
                       .depths = ps_alloc_array(n, sizeof *o.depths)};
    struct flame flame = {.stacks = {.out = s->out, .unit = ST_BYTES, .label = "peak allocated"},
                          .frames = ps_alloc_array((size_t)s->n_frames + 1, sizeof *flame.frames)};
    uint32_t deepest = 0;

    for (uint32_t i = 1; i <= s->n_nodes; i++) { /* parents are older than their children */
        o.depths[i] = o.depths[s->nodes[i - 1].parent] + 1;
        deepest = o.depths[i] > deepest ? o.depths[i] : deepest;
    }
    flame.path = ps_alloc_array((size_t)deepest + 1, sizeof *flame.path);
    if (write_owners(s, &o, &flame, err) == PS_OK)
        st_write(&flame.stacks);
    ps_sink_count(s->out, PS_NOTE_WARNING, flame.n_left_out,
                  "stacks left out of the flame graph and the headline, whose sum would "
                  "exceed 2.3 PB");
    st_free(&flame.stacks);
    free(flame.frames);
    free(flame.path);
    free(o.bytes);
    free(o.count);
    free(o.stacks);
    free(o.depths);
    return err->code;
}

/* --- The end --- */

static void write_levels(struct sn_snapshot *s, const struct sn_device *device,
                         int64_t reserved_before)
{
    for (size_t i = 0; i < device->n_levels; i++) {
        const struct level *level = &device->levels[i];

        s->out->ops->snapshot_level(s->out,
                                    &(struct ps_snapshot_level){
                                        .device = device->id,
                                        .first = level->first,
                                        .t_us = level->t_us,
                                        .live_min = device->before_bytes + level->live_min,
                                        .live_max = device->before_bytes + level->live_max,
                                        .live_max_index = level->live_max_index,
                                        .live_last = device->before_bytes + level->live_last,
                                        .reserved_max = reserved_before + level->reserved_max,
                                        .reserved_last = reserved_before + level->reserved_last,
                                    });
    }
}

/* Keeps the numbers of the device that the views show first: the first one that ran out of memory,
 * else the one with the highest peak. */
static void sum_device(struct sn_snapshot *s, const struct ps_snapshot_device *row,
                       int64_t reserved_at_peak)
{
    if (s->shown.ooms || (!row->ooms && s->has_shown && row->peak_live <= s->shown.peak_live))
        return;
    s->has_shown = true;
    s->shown = *row;
    s->shown_reserved_at_peak = reserved_at_peak;
}

static void finish_device(struct sn_snapshot *s, struct sn_device *device)
{
    PS_AUTO(ps_free_ptr)
    bool *pending = ps_alloc_array((size_t)device->n_open + 1, sizeof *pending);
    struct ps_snapshot_device row = {.id = device->id,
                                     .number = device->number,
                                     .events = device->n_events,
                                     .first_us = device->first_us,
                                     .last_us = device->last_us};
    int64_t kept = keep_blocks(s, device, pending);

    keep_open(s, device, pending);
    flush_level(device);
    sum_segments(s, device, &row);
    row.before_count = device->n_before;
    row.live_before = device->before_bytes;
    row.peak_live = device->before_bytes + device->peak;
    row.peak_index = device->peak_index;
    row.live_end = device->before_bytes + device->live;
    row.reserved_before = row.reserved - device->reserved;
    row.peak_reserved = row.reserved_before + device->reserved_peak;
    row.ooms = device->n_ooms;
    row.oom_index = device->oom_index;
    row.oom_bytes = device->oom_bytes;
    row.oom_free = device->oom_free;
    write_levels(s, device, row.reserved_before);
    s->out->ops->snapshot_device(s->out, &row);
    sum_device(s, &row, row.reserved_before + device->reserved_at_peak);
    if (row.live_end != kept)
        ps_sink_note(s->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "GPU %lld: the events end with %lld live bytes, the blocks have %lld: the "
                     "history was off for a time, or the file was edited",
                     (long long)device->number, (long long)row.live_end, (long long)kept);
    ps_sink_count(s->out, PS_NOTE_WARNING, device->n_lost_frees,
                  "allocations at an address whose free is missing");
}

static void write_segments(struct sn_snapshot *s)
{
    uint32_t block_id = 0;

    for (uint32_t i = 0; i < s->n_segments && ps_sink_ok(s->out); i++) {
        const struct sn_segment *segment = &s->segments[i];

        s->out->ops->snapshot_segment(
            s->out, &(struct ps_snapshot_segment){.id = i + 1,
                                                  .device = find_device(s, segment->device)->id,
                                                  .address = segment->address,
                                                  .total = segment->total,
                                                  .allocated = segment->allocated,
                                                  .active = segment->active,
                                                  .requested = segment->requested,
                                                  .stream = stream_number(s, segment->stream),
                                                  .pool = segment->pool,
                                                  .stack = segment->stack,
                                                  .is_large = segment->is_large,
                                                  .is_expandable = segment->is_expandable,
                                                  .n_blocks = segment->n_blocks});
        for (uint32_t b = 0; b < segment->n_blocks; b++) {
            const struct sn_block *block = &s->blocks[segment->first_block + b];

            s->out->ops->snapshot_block(
                s->out, &(struct ps_snapshot_block){
                            .id = ++block_id,
                            .segment = i + 1,
                            .address = block->address,
                            .bytes = block->size,
                            .requested = block->state == PS_BLOCK_INACTIVE ? 0 : block->requested,
                            .state = block->state,
                            .stack = block->stack});
        }
    }
}

static void write_stacks(struct sn_snapshot *s)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0}, file = {0};

    for (uint32_t i = 0; i < s->n_frames && ps_sink_ok(s->out); i++) {
        const struct sn_frame *frame = &s->frames[i];

        name.len = file.len = 0;
        ps_clean_text(&name, text_of(s, frame->name));
        ps_clean_text(&file, text_of(s, frame->file));
        s->out->ops->snapshot_frame(s->out,
                                    &(struct ps_snapshot_frame){.id = i + 1,
                                                                .name = ps_buf_slice(&name),
                                                                .file = ps_buf_slice(&file),
                                                                .line = frame->line,
                                                                .is_hidden = frame->is_hidden});
    }
    for (uint32_t i = 0; i < s->n_nodes && ps_sink_ok(s->out); i++)
        s->out->ops->snapshot_stack(s->out,
                                    &(struct ps_snapshot_stack){.id = i + 1,
                                                                .parent = s->nodes[i].parent,
                                                                .frame = s->nodes[i].frame,
                                                                .shown = s->nodes[i].shown});
}

static void write_marks(struct sn_snapshot *s)
{
    for (uint32_t i = 0; i < s->n_annotations && ps_sink_ok(s->out); i++) {
        const struct sn_annotation *mark = &s->annotations[i];

        s->out->ops->snapshot_mark(s->out,
                                   &(struct ps_snapshot_mark){.device = mark->device,
                                                              .t_us = mark->t_us,
                                                              .name = write_text(s, mark->name),
                                                              .is_end = mark->is_end});
    }
}

/* Writes when the events of all devices happened, if they have times. */
static void write_recorded(struct sn_snapshot *s)
{
    int64_t start_us = INT64_MAX, end_us = -1;

    for (size_t i = 0; i < s->n_devices; i++) {
        const struct sn_device *device = s->devices[i];

        if (!device || device->first_us < 0)
            continue;
        start_us = device->first_us < start_us ? device->first_us : start_us;
        end_us = device->last_us > end_us ? device->last_us : end_us;
    }
    ps_sink_recorded(s->out, start_us, end_us);
}

static void write_summary(struct sn_snapshot *s)
{
    uint64_t read = s->n_events + s->n_segments + s->n_blocks + s->n_annotations + s->n_rejected;

    ps_sink_meta(s->out, "tool", PS_STR("PyTorch"));
    if (s->settings.len)
        ps_sink_meta(s->out, "header.allocator_settings", s->settings);
    s->out->ops->number(s->out, "trace_events", ps_int((int64_t)s->n_events));
    s->out->ops->number(s->out, "allocations", ps_int((int64_t)s->n_allocations));
    s->out->ops->number(s->out, "segments", ps_int(s->n_segments));
    s->out->ops->number(s->out, "blocks", ps_int(s->n_blocks));
    s->out->ops->number(s->out, "gpus", ps_int(s->n_known_devices));
    if (s->has_shown) {
        s->out->ops->number(s->out, "peak_live_bytes", ps_int(s->shown.peak_live));
        s->out->ops->number(s->out, "reserved_at_peak_bytes", ps_int(s->shown_reserved_at_peak));
        s->out->ops->number(s->out, "live_end_bytes", ps_int(s->shown.live_end));
        s->out->ops->number(s->out, "ooms", ps_int(s->shown.ooms));
    }
    write_recorded(s);
    ps_sink_count(s->out, PS_NOTE_WARNING, s->n_bad_times,
                  "times that are negative or after the year 2262, taken as unknown");
    ps_sink_count(s->out, PS_NOTE_REPAIRED, s->n_bad_texts,
                  "texts that are not UTF-8; their invalid bytes were replaced");
    if (!s->n_known_devices)
        ps_sink_note(s->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the snapshot has no segments and no events");
    else if (!s->n_events)
        ps_sink_note(s->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the history was off, so only the memory at the end is known; record it with "
                     "torch.cuda.memory._record_memory_history()");
    s->out->ops->ledger(s->out, &(struct ps_ledger){.unit = "entries",
                                                    .read = read,
                                                    .stored = read - s->n_rejected,
                                                    .rejected = s->n_rejected});
}

enum ps_status sn_finish(struct sn_snapshot *s, struct ps_err *err)
{
    place_blocks(s);
    for (uint32_t i = 0; i < s->n_segments; i++)
        (void)find_device(s, s->segments[i].device);
    for (size_t d = 0; d < s->n_devices && ps_sink_ok(s->out); d++)
        if (s->devices[d])
            finish_device(s, s->devices[d]);
    write_segments(s);
    write_marks(s);
    write_stacks(s);
    write_summary(s);
    return write_peaks(s, err);
}
