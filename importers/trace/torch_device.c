/* SPDX-License-Identifier: MIT */
/*
 * torch_device.c: device work -> the runtime call that launched it -> the operator around the call.
 *
 * The correlation number connects work and call. External id is not used if there is a call,
 * because for two years torch wrote the correlation number into it. Correlation numbers are not
 * unique: kernels of a launched graph share a number, and so may several calls (of different
 * contexts, or with number 0); the last call before the kernel is used. The calls are collected in
 * one pass over all records, since the host tracks are read one at a time.
 *
 * The work of a replayed graph has the launch of the graph as its call, but the operator around the
 * call that recorded it, if that is known (graphs.h).
 */
#include <stdlib.h>

#include "base/hash_table.h"
#include "importers/trace/graphs.h"
#include "importers/trace/import_state.h"
#include "importers/trace/torch.h"
#include "importers/trace/track.h"

/* --- Work and calls --- */

#define TR_NO_ENTRY UINT32_MAX

/* A piece of device work. */
struct tr_work_entry {
    uint32_t device : 31;
    uint32_t is_recorded : 1; /* its recorded call is known (graphs.h) */
    uint32_t row;
    uint32_t next; /* next entry of the same group; TR_NO_ENTRY: none */
};

/* Work and calls with one correlation number. */
struct tr_group {
    int64_t correlation, call_ts;
    uint32_t head;
    /* calls: number of calls; 2: two or more. launches_graph: the call is one of a graph */
    uint32_t call_thread : 29, launches_graph : 1, calls : 2;
};

/* A call of a group that has several calls. After assign_calls: a piece of work (`entry`), with the
 * group, thread and time of the call that launched it. */
struct tr_call {
    uint32_t group, thread;
    int64_t ts;
    uint32_t entry;
};

/* Device work whose launching call is not in the file. Its External id identifies the operator. */
struct tr_orphan {
    int64_t external_id;
    uint32_t entry;
    bool is_adopted;
};

struct tr_correlations {
    struct tr_trace *trace;
    struct tr_tracks *devices;
    struct tr_work_entry *entries; /* one for each piece of launched work */
    size_t n_entries;
    struct tr_group *groups; /* one for each correlation number of the launched work */
    size_t n_groups;
    /* If the correlation numbers are close together, as usual, dense[correlation - min_correlation]
     * is the index of the group + 1 (0: none). Otherwise dense is NULL and by_correlation is
     * used. */
    uint32_t *dense;
    size_t n_dense;
    int64_t min_correlation;
    struct ps_hash_slot *slots; /* slots of by_correlation */
    struct ps_hash_table by_correlation;
    struct tr_call *calls;
    size_t n_calls, calls_cap;
    struct tr_orphan *orphans; /* sorted by external_id, then entry */
    size_t n_orphans, orphans_cap;
    uint8_t *launches_graph; /* by text id; NULL: the trace launches no graph */
    uint32_t thread;         /* index of the thread that is being read */
};

/* largest thread index that fits tr_group.call_thread; traces have fewer threads */
#define THREAD_INDEX_MAX ((1u << 29) - 1)

static bool is_group(const void *groups, uint32_t index, const void *correlation)
{
    return ((const struct tr_group *)groups)[index].correlation == *(const int64_t *)correlation;
}

/* Returns the group with a correlation number; NULL: no work has the number. */
static struct tr_group *group_of(const struct tr_correlations *links, int64_t correlation)
{
    uint64_t offset = (uint64_t)correlation - (uint64_t)links->min_correlation;
    uint32_t index;

    if (links->dense)
        return offset < links->n_dense && links->dense[offset]
                   ? &links->groups[links->dense[offset] - 1]
                   : NULL;
    index = ps_hash_table_find(&links->by_correlation, ps_hash_u64((uint64_t)correlation), is_group,
                               links->groups, &correlation);
    return index == PS_HASH_NONE ? NULL : &links->groups[index];
}

static struct tr_group *make_group(struct tr_correlations *links, int64_t correlation)
{
    struct tr_group *found = group_of(links, correlation);
    uint32_t index = (uint32_t)links->n_groups;

    if (found)
        return found;
    links->groups[links->n_groups++] =
        (struct tr_group){.correlation = correlation, .head = TR_NO_ENTRY};
    if (links->dense)
        links->dense[correlation - links->min_correlation] = index + 1;
    else
        (void)ps_hash_table_add(&links->by_correlation, ps_hash_u64((uint64_t)correlation), index,
                                is_group, links->groups, &correlation);
    return &links->groups[index];
}

/* --- Device work --- */

static bool is_launched(uint8_t kind)
{
    return ps_slice_on_device(kind) || kind == PS_SLICE_SYNC;
}

/* Makes a correlation number unique in the trace: those of torch are, others only in their process.
 */
static int64_t unique_correlation(const struct tr_trace *trace, int64_t pid, int64_t correlation)
{
    return !trace->is_torch ? (int64_t)((uint64_t)correlation ^ (uint64_t)pid << 32) : correlation;
}

static bool correlation_of(const struct tr_trace *trace, const struct tr_track *track, uint32_t row,
                           int64_t *out)
{
    uint32_t template_id = track->template[row];
    int64_t pid = track->thread ? track->thread->pid_number : 0;
    if (template_id <= PS_TEMPLATE_WHOLE ||
        !tr_read_slice_param(trace, track, row, trace->templates[template_id].correlation, out))
        return false;
    if (!trace->is_torch && is_launched(track->slice_kind[row]))
        (void)tr_read_slice_param(trace, track, row, trace->templates[template_id].pid, &pid);
    *out = unique_correlation(trace, pid, *out);
    return true;
}

struct extent {
    int64_t min, max;
    size_t n, correlated;
};

static void extend_extent(struct tr_correlations *links, const struct tr_track *track, uint32_t row,
                          struct extent *extent)
{
    int64_t correlation;
    extent->n++;
    if (!correlation_of(links->trace, track, row, &correlation))
        return;
    extent->correlated++;
    extent->min = correlation < extent->min ? correlation : extent->min;
    extent->max = correlation > extent->max ? correlation : extent->max;
}

static struct extent extent_of(struct tr_correlations *links)
{
    struct extent extent = {INT64_MAX, INT64_MIN, 0, 0};
    for (size_t d = 0; d < links->devices->n; d++) {
        const struct tr_track *track = &links->devices->items[d];
        for (uint32_t row = 0; row < track->n; row++) {
            if (is_launched(track->slice_kind[row]))
                extend_extent(links, track, row, &extent);
        }
    }
    return extent;
}

static void make_tables(struct tr_correlations *links)
{
    struct extent extent = extent_of(links);
    uint64_t span = extent.correlated ? (uint64_t)extent.max - (uint64_t)extent.min : 0;
    struct tr_scratch *scratch = links->trace->scratch;

    links->min_correlation = extent.correlated ? extent.min : 0;
    if (span / 8 <= extent.correlated) {
        links->n_dense = (size_t)span + 1;
        links->dense = tr_scratch_alloc(scratch, links->n_dense, sizeof *links->dense);
    } else {
        size_t n_slots = ps_hash_table_slots_for(extent.correlated);
        links->slots = tr_scratch_alloc(scratch, n_slots, sizeof *links->slots);
        links->by_correlation = ps_hash_table_from_slots(links->slots, n_slots);
    }
    links->groups = tr_scratch_grow(scratch, NULL, extent.correlated + 1, sizeof *links->groups);
    links->entries = tr_scratch_grow(scratch, NULL, extent.n + 1, sizeof *links->entries);
}

static void add_work(struct tr_correlations *links, uint32_t device, uint32_t row)
{
    int64_t correlation;
    struct tr_work_entry entry = {.device = device & INT32_MAX, .row = row, .next = TR_NO_ENTRY};
    if (correlation_of(links->trace, &links->devices->items[device], row, &correlation)) {
        struct tr_group *group = make_group(links, correlation);
        entry.next = group->head;
        group->head = (uint32_t)links->n_entries;
    }
    links->entries[links->n_entries++] = entry;
}

/* --- Calls --- */

static void add_call(struct tr_correlations *links, const struct tr_group *group, uint32_t thread,
                     int64_t ts)
{
    TR_SCRATCH_PUSH(links->trace->scratch, links->calls, links->n_calls, links->calls_cap);
    links->calls[links->n_calls++] =
        (struct tr_call){(uint32_t)(group - links->groups), thread, ts, TR_NO_ENTRY};
}

/* Adds a runtime call of the current thread to the group with its correlation id. `start`: start
 * time of the call, in ns. Ignores the call if no device work has this correlation id. */
static void add_matching_call(struct tr_correlations *links, int64_t correlation, uint32_t name,
                              int64_t start)
{
    struct tr_group *group = group_of(links, correlation);
    if (group == NULL)
        return;
    group->launches_graph |= links->launches_graph && links->launches_graph[name];
    if (group->calls == 0) {
        group->calls = 1;
        group->call_ts = start;
        group->call_thread = links->thread & THREAD_INDEX_MAX;
        return;
    }
    if (group->calls == 1) {
        add_call(links, group, group->call_thread, group->call_ts);
        group->calls = 2;
    }
    add_call(links, group, links->thread, start);
}

static void visit_records(void *user, const struct tr_record *records, size_t n)
{
    struct tr_correlations *links = user;
    const struct tr_trace *trace = links->trace;
    const struct tr_thread *thread = &trace->threads[links->thread];
    for (size_t i = 0; i < n; i++) {
        int64_t correlation, start;
        if (trace->categories[records[i].category].kind == PS_SLICE_RUNTIME &&
            records[i].phase == 'X' && records[i].template > PS_TEMPLATE_WHOLE &&
            tr_read_param(trace, &records[i], trace->templates[records[i].template].correlation,
                          &correlation) &&
            !__builtin_sub_overflow(records[i].ts_ns, trace->import->shift_ns, &start))
            add_matching_call(links, unique_correlation(trace, thread->pid_number, correlation),
                              records[i].name, start);
    }
}

/* Adds the calls of a thread that also has device work: the records of the thread are released, but
 * its tracks are in memory. */
static void visit_track(struct tr_correlations *links, const struct tr_track *track)
{
    links->thread = (uint32_t)(track->thread - links->trace->threads);
    for (uint32_t row = 0; row < track->n; row++) {
        int64_t correlation;
        if (track->slice_kind[row] == PS_SLICE_RUNTIME &&
            correlation_of(links->trace, track, row, &correlation))
            add_matching_call(links, correlation, track->name_id[row], track->start[row]);
    }
}

static void collect_calls(struct tr_correlations *links, const struct tr_tracks *hosts)
{
    struct tr_trace *trace = links->trace;
    for (size_t i = 0; i < hosts->n; i++) {
        if (hosts->items[i].thread)
            visit_track(links, &hosts->items[i]);
    }
    for (uint32_t i = 0; i < trace->n_threads; i++) {
        links->thread = i;
        tr_thread_visit(trace, &trace->threads[i], visit_records, links);
    }
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_time(const void *a, const void *b)
{
    const struct tr_call *one = a, *other = b;
    int by = compare_numbers(one->group, other->group);
    return by ? by : compare_numbers(one->ts, other->ts);
}

static int by_thread(const void *a, const void *b)
{
    const struct tr_call *one = a, *other = b;
    int by = compare_numbers(one->group, other->group);
    by = by ? by : compare_numbers(one->thread, other->thread);
    by = by ? by : compare_numbers(one->ts, other->ts);
    return by ? by : compare_numbers(one->entry, other->entry);
}

/* Returns the last of the group's n calls that began at or before `ns`; the first call if all began
 * later. */
static const struct tr_call *last_before(const struct tr_call *calls, size_t n, int64_t ns)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calls[middle].ts <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return &calls[low ? low - 1 : 0];
}

/* If several calls share a correlation, each piece of work is assigned to one of them: links->calls
 * then contains work, sorted by group, thread and time of the call. */
static void assign_calls(struct tr_correlations *links)
{
    struct tr_call *calls = links->calls, *given = NULL;
    size_t n = links->n_calls, n_given = 0, cap = 0;
    if (n)
        qsort(calls, n, sizeof *calls, by_time);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && calls[to].group == calls[from].group; to++)
            continue;
        for (uint32_t e = links->groups[calls[from].group].head; e != TR_NO_ENTRY;
             e = links->entries[e].next) {
            const struct tr_work_entry *entry = &links->entries[e];
            const struct tr_track *track = &links->devices->items[entry->device];
            TR_SCRATCH_PUSH(links->trace->scratch, given, n_given, cap);
            given[n_given] = *last_before(calls + from, to - from, track->start[entry->row]);
            given[n_given++].entry = e;
        }
    }
    if (n_given)
        qsort(given, n_given, sizeof *given, by_thread);
    tr_scratch_free(links->trace->scratch, calls);
    links->calls = given;
    links->n_calls = n_given;
}

/* --- Work without a call --- */

/*
 * This section attributes device work whose call is not in the file, because the call was dropped
 * or a graph was replayed. External id names the operator, unless it equals the correlation for all
 * work, as torch wrote it for two years.
 */

static bool external_of(const struct tr_correlations *links, const struct tr_track *track,
                        uint32_t row, int64_t *out)
{
    uint32_t template_id = track->template[row];
    return template_id > PS_TEMPLATE_WHOLE &&
           tr_read_slice_param(links->trace, track, row,
                               links->trace->templates[template_id].external_id, out);
}

/* Whether External id equals the correlation on all work that has both. */
static bool external_is_correlation(const struct tr_correlations *links)
{
    bool any = false;
    for (size_t i = 0; i < links->n_entries; i++) {
        const struct tr_work_entry *entry = &links->entries[i];
        const struct tr_track *track = &links->devices->items[entry->device];
        int64_t external, correlation;
        if (!external_of(links, track, entry->row, &external) ||
            !correlation_of(links->trace, track, entry->row, &correlation))
            continue;
        if (external != correlation)
            return false;
        any = true;
    }
    return any;
}

static int by_external_id(const void *a, const void *b)
{
    const struct tr_orphan *one = a, *other = b;
    if (one->external_id != other->external_id)
        return one->external_id < other->external_id ? -1 : 1;
    return (one->entry > other->entry) - (one->entry < other->entry);
}

/* Collects the work without a call. Call it once all calls are known. */
static void collect_orphans(struct tr_correlations *links)
{
    bool asked = false;
    for (size_t i = 0; i < links->n_entries; i++) {
        const struct tr_work_entry *entry = &links->entries[i];
        const struct tr_track *track = &links->devices->items[entry->device];
        int64_t correlation, external;
        const struct tr_group *group = NULL;
        if (correlation_of(links->trace, track, entry->row, &correlation))
            group = group_of(links, correlation);
        if ((group && group->calls) || !external_of(links, track, entry->row, &external))
            continue;
        if (!asked && external_is_correlation(links))
            return;
        asked = true;
        TR_SCRATCH_PUSH(links->trace->scratch, links->orphans, links->n_orphans,
                        links->orphans_cap);
        links->orphans[links->n_orphans++] =
            (struct tr_orphan){.external_id = external, .entry = (uint32_t)i};
    }
    if (links->n_orphans)
        qsort(links->orphans, links->n_orphans, sizeof *links->orphans, by_external_id);
}

/* --- Work of replayed graphs --- */

static void find_launch_names(struct tr_correlations *links)
{
    const struct tr_trace *trace = links->trace;

    if (!tr_graphs_has_launches(trace))
        return;
    links->launches_graph = ps_alloc((size_t)trace->names.count + 1);
    for (uint32_t i = 0; i < trace->names.count; i++)
        links->launches_graph[i + 1] = tr_graphs_is_launch(trace->names.items[i]);
}

/* An entry with what orders the work of a launch: see tr_graphs_pieces. */
struct timed_entry {
    int64_t start, duration;
    uint32_t entry;
};

static int by_start(const void *a, const void *b)
{
    const struct timed_entry *one = a, *other = b;
    int by = compare_numbers(one->start, other->start);

    return by ? by : compare_numbers(one->duration, other->duration);
}

/* Groups list their entries from the last to the first, and work is mostly in order. */
static void sort_entries(struct timed_entry *items, size_t n)
{
    bool is_sorted = true;

    for (size_t i = 0; i < n / 2; i++) {
        const struct timed_entry swapped = items[i];

        items[i] = items[n - 1 - i];
        items[n - 1 - i] = swapped;
    }
    for (size_t i = 1; i < n && is_sorted; i++)
        is_sorted = by_start(&items[i - 1], &items[i]) <= 0;
    if (!is_sorted)
        qsort(items, n, sizeof *items, by_start);
}

/* Marks the work of the launch as replayed, and lists it by start in *items, which is grown.
 * Returns the number. */
static size_t list_launch(struct tr_correlations *links, const struct tr_group *group,
                          struct timed_entry **items, size_t *cap)
{
    size_t n = 0;

    for (uint32_t e = group->head; e != TR_NO_ENTRY; e = links->entries[e].next) {
        const struct tr_work_entry *entry = &links->entries[e];
        struct tr_track *device = &links->devices->items[entry->device];

        if (!ps_slice_on_device(device->slice_kind[entry->row]))
            continue;
        device->flags[entry->row] |= PS_SLICE_REPLAYED;
        PS_RESERVE_ONE(*items, n, *cap);
        (*items)[n++] =
            (struct timed_entry){device->start[entry->row], device->duration[entry->row], e};
    }
    sort_entries(*items, n);
    return n;
}

/* Assigns the work of one launch to the calls that recorded it. The operators around these calls
 * are not known yet: until tr_set_recorded_op, the column has -1 - the number of the call. */
static void read_recorded(struct tr_correlations *links, const struct tr_group *group,
                          const struct timed_entry *items, size_t n)
{
    size_t n_pieces = 0;
    PS_AUTO(ps_free_ptr) struct tr_graph_piece *pieces = NULL;

    if (links->trace->graphs && group->calls == 1)
        pieces =
            tr_graphs_pieces(links->trace->graphs, links->trace, group->correlation, &n_pieces);
    for (size_t i = 0; n == n_pieces && i < n; i++) {
        struct tr_work_entry *entry;
        struct tr_track *device;

        if (pieces[i].call == TR_GRAPH_NONE)
            continue;
        entry = &links->entries[items[i].entry];
        device = &links->devices->items[entry->device];
        entry->is_recorded = 1;
        tr_track_extra_column(device, TR_EXTRA_OP)[entry->row] = -1 - (int64_t)pieces[i].call;
        device->flags[entry->row] |=
            pieces[i].basis == TR_GRAPH_BY_NODE ? PS_SLICE_OP_BY_NODE : PS_SLICE_OP_BY_ORDER;
    }
}

static void read_launches(struct tr_correlations *links)
{
    struct timed_entry *items = NULL;
    size_t cap = 0;

    for (size_t i = 0; links->launches_graph && i < links->n_groups; i++)
        if (links->groups[i].launches_graph) {
            const size_t n = list_launch(links, &links->groups[i], &items, &cap);

            read_recorded(links, &links->groups[i], items, n);
        }
    free(items);
    free(links->launches_graph);
    links->launches_graph = NULL;
}

struct tr_graph_replays tr_correlations_attribute_recorded(struct tr_correlations *links,
                                                           const struct tr_track *track,
                                                           uint32_t row, uint32_t op)
{
    const struct tr_trace *trace = links->trace;
    uint32_t call;

    if (!trace->graphs || op == TR_NO_ROW)
        return (struct tr_graph_replays){0};
    call = tr_graphs_find_call(trace->graphs, trace, (uint32_t)(track->thread - trace->threads),
                               track->start[row] + trace->import->shift_ns);
    if (call == TR_GRAPH_NONE)
        return (struct tr_graph_replays){0};
    tr_graphs_set_op(trace->graphs, call,
                     (struct tr_graph_op){ps_slice_id(track->id + trace->first_track, op),
                                          track->slice_kind[op] == PS_SLICE_NVTX
                                              ? PS_FAMILY_NONE
                                              : track->family[op],
                                          track->flags[op]});
    return tr_graphs_replays(trace->graphs, call);
}

void tr_set_recorded_op(const struct tr_trace *trace, struct tr_track *device, uint32_t row)
{
    int64_t *column = &device->extra[TR_EXTRA_OP][row];
    struct tr_graph_op op = tr_graphs_op(trace->graphs, (uint32_t)(-1 - *column));

    if (!op.slice) {
        *column = 0;
        device->flags[row] &= (uint16_t) ~(PS_SLICE_OP_BY_NODE | PS_SLICE_OP_BY_ORDER);
        return;
    }
    *column = op.slice - ps_slice_id(trace->first_track, 0);
    if (op.family != PS_FAMILY_NONE)
        device->family[row] = op.family;
    device->flags[row] |= op.flags & PS_SLICE_COLLECTIVE;
}

/* --- All work and calls of a trace --- */

struct tr_correlations *tr_correlations_new(struct tr_trace *trace, struct tr_tracks *devices,
                                            const struct tr_tracks *hosts)
{
    struct tr_correlations *links = ps_alloc(sizeof *links);
    links->trace = trace;
    links->devices = devices;
    make_tables(links);
    for (size_t d = 0; d < devices->n; d++) {
        for (uint32_t row = 0; row < devices->items[d].n; row++) {
            if (is_launched(devices->items[d].slice_kind[row]))
                add_work(links, (uint32_t)d, row);
        }
    }
    find_launch_names(links);
    if (links->n_groups)
        collect_calls(links, hosts);
    read_launches(links);
    assign_calls(links);
    collect_orphans(links);
    return links;
}

/* --- Linking calls to work --- */

/* Sets launch and operator (rows of `track`, TR_NO_ROW: none) of the work at `entry`. Returns
 * its duration, ns; 0 for a wait. */
static int64_t attribute_work(struct tr_correlations *links, uint32_t e,
                              const struct tr_track *track, uint32_t launch, uint32_t op)
{
    const struct tr_work_entry *entry = &links->entries[e];
    struct tr_track *device = &links->devices->items[entry->device];
    if (launch != TR_NO_ROW)
        tr_track_extra_column(device, TR_EXTRA_LAUNCH)[entry->row] = ps_slice_id(track->id, launch);
    if (entry->is_recorded)
        return 0;
    if (op != TR_NO_ROW) {
        tr_track_extra_column(device, TR_EXTRA_OP)[entry->row] = ps_slice_id(track->id, op);
        if (track->slice_kind[op] != PS_SLICE_NVTX)
            device->family[entry->row] = track->family[op];
        device->flags[entry->row] |= track->flags[op] & PS_SLICE_COLLECTIVE;
    }
    return ps_slice_on_device(device->slice_kind[entry->row]) ? device->duration[entry->row] : 0;
}

/* Returns the first index in links->calls with the group, thread and time of `wanted`. */
static size_t first_assigned(const struct tr_correlations *links, struct tr_call wanted)
{
    size_t low = 0, high = links->n_calls;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_thread(&links->calls[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Attributes all work of a call that shares its correlation with other calls. Each piece of work is
 * attributed once: the first entry is cleared, so that the next search for the call stops there. */
static uint64_t attribute_shared(struct tr_correlations *links, struct tr_call wanted,
                                 const struct tr_track *track, uint32_t row, uint32_t op)
{
    uint64_t sum = 0;
    size_t first = first_assigned(links, wanted);
    bool any = false;
    for (size_t i = first; i < links->n_calls; i++) {
        const struct tr_call *call = &links->calls[i];
        if (call->group != wanted.group || call->thread != wanted.thread || call->ts != wanted.ts ||
            call->entry == TR_NO_ENTRY)
            break;
        sum += (uint64_t)attribute_work(links, call->entry, track, row, op);
        any = true;
    }
    if (any)
        links->calls[first].entry = TR_NO_ENTRY;
    return sum;
}

int64_t tr_correlations_attribute(struct tr_correlations *links, const struct tr_track *track,
                                  uint32_t row, uint32_t op)
{
    int64_t correlation;
    if (links->n_groups == 0 || !correlation_of(links->trace, track, row, &correlation))
        return 0;
    struct tr_group *group = group_of(links, correlation);
    if (group == NULL || group->calls == 0)
        return 0;
    uint64_t sum = 0;
    uint32_t thread = (uint32_t)(track->thread - links->trace->threads);
    if (group->calls > 1) {
        struct tr_call wanted = {(uint32_t)(group - links->groups), thread, track->start[row], 0};
        return (int64_t)attribute_shared(links, wanted, track, row, op);
    }
    if (group->call_thread != thread || group->call_ts != track->start[row])
        return 0;
    for (uint32_t e = group->head; e != TR_NO_ENTRY; e = links->entries[e].next)
        sum += (uint64_t)attribute_work(links, e, track, row, op);
    group->head = TR_NO_ENTRY;
    return (int64_t)sum;
}

void tr_correlations_free(struct tr_correlations *links)
{
    if (links == NULL)
        return;
    tr_scratch_free(links->trace->scratch, links->entries);
    tr_scratch_free(links->trace->scratch, links->groups);
    tr_scratch_free(links->trace->scratch, links->dense);
    tr_scratch_free(links->trace->scratch, links->slots);
    tr_scratch_free(links->trace->scratch, links->calls);
    tr_scratch_free(links->trace->scratch, links->orphans);
    free(links->launches_graph);
    free(links);
}

bool tr_correlations_has_orphans(const struct tr_correlations *links)
{
    return links->n_orphans > 0;
}

static size_t first_orphan(const struct tr_correlations *links, int64_t external_id)
{
    size_t low = 0, high = links->n_orphans;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (links->orphans[middle].external_id < external_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t tr_correlations_attribute_orphans(struct tr_correlations *links,
                                          const struct tr_track *track, uint32_t row)
{
    int64_t external;
    uint64_t sum = 0;
    if (!external_of(links, track, row, &external))
        return 0;
    for (size_t i = first_orphan(links, external); i < links->n_orphans; i++) {
        struct tr_orphan *orphan = &links->orphans[i];
        if (orphan->external_id != external || orphan->is_adopted)
            break;
        orphan->is_adopted = true;
        sum += (uint64_t)attribute_work(links, orphan->entry, track, TR_NO_ROW, row);
    }
    return (int64_t)sum;
}
