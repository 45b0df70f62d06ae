/* SPDX-License-Identifier: MIT */
/*
 * perfetto_tracks.c: the tracks of a trace: their descriptors, and the threads of the tr_trace to
 * which their events are added.
 *
 * A descriptor may come after the events of its track, and may come again: then its fields are
 * added to those before. Threads are the tracks with the ids of a process and a thread, whatever
 * their uuid. Other tracks belong to the process of the nearest track above that has one. Without
 * one, the outermost track above them is shown as their process.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/trace/perfetto.h"

#define TRACKS_MAX  (UINT32_C(1) << 20)
#define PARENTS_MAX 32 /* tracks above each other */
#define NO_TRACK    UINT32_MAX

static bool is_track(const void *items, uint32_t index, const void *key)
{
    const struct pf_track *tracks = items;

    return tracks[index].uuid == *(const uint64_t *)key;
}

static uint32_t find_track(const struct pf_tracks *tracks, uint64_t uuid)
{
    return ps_hash_table_find(&tracks->index, ps_hash_u64(uuid), is_track, tracks->items, &uuid);
}

uint32_t pf_track_index(struct pf_reader *r, uint64_t uuid)
{
    struct pf_tracks *tracks = &r->tracks;
    uint32_t at = find_track(tracks, uuid);

    if (at != PS_HASH_NONE)
        return at;
    if (tracks->n == TRACKS_MAX) {
        ps_fail(r->err, PS_LIMIT, "the trace has more than %u tracks", TRACKS_MAX);
        return 0;
    }
    PS_RESERVE_ONE(tracks->items, tracks->n, tracks->cap);
    at = ps_hash_table_add(&tracks->index, ps_hash_u64(uuid), tracks->n, is_track, tracks->items,
                           &uuid);
    tracks->items[at] = (struct pf_track){.uuid = uuid, .multiplier = 1};
    tracks->n++;
    return at;
}

uint32_t pf_thread_of_ids(struct pf_reader *r, int64_t pid, int64_t tid)
{
    char pid_text[24], tid_text[24];

    (void)snprintf(pid_text, sizeof pid_text, "%" PRId64, pid);
    (void)snprintf(tid_text, sizeof tid_text, "%" PRId64, tid);
    return tr_fill_thread(&r->trace, ps_str_from_c(pid_text), ps_str_from_c(tid_text));
}

uint32_t pf_track_thread(struct pf_reader *r, uint32_t index)
{
    struct pf_track *track = &r->tracks.items[index];
    char key[32];

    if (track->thread)
        return track->thread - 1;
    if (track->is_thread) {
        track->thread = pf_thread_of_ids(r, track->pid, track->tid) + 1;
    } else {
        /* its name and process are set at the end, when its descriptor is known */
        (void)snprintf(key, sizeof key, "uuid %" PRIu64, track->uuid);
        track->thread = tr_fill_thread(&r->trace, PS_STR(""), ps_str_from_c(key)) + 1;
    }
    return track->thread - 1;
}

/* --- Descriptors --- */

static struct ps_str keep_text(struct pf_reader *r, struct ps_str text)
{
    return ps_arena_copy(&r->trace.arena, pf_clean_text(r, text));
}

static void read_process(struct pf_reader *r, struct pf_track *track, struct ps_str bytes)
{
    struct pf_process_descriptor process;
    struct ps_wire_fault fault;
    struct ps_str command = {NULL, 0};

    (void)ps_wire_read(&pf_process_descriptor_message, bytes, &process, &fault);
    if (PS_WIRE_HAS(&process, PF_PROCESS_DESCRIPTOR_HAS_PID)) {
        track->is_process = true;
        track->pid = pf_torch_id(r, (int32_t)process.pid);
    }
    if (process.process_name.len)
        track->process_name = keep_text(r, process.process_name);
    else if (!track->process_name.len && ps_wire_next_string(&process.cmdline, &command))
        track->process_name = keep_text(r, command);
}

static void read_thread(struct pf_reader *r, struct pf_track *track, struct ps_str bytes)
{
    struct pf_thread_descriptor thread;
    struct ps_wire_fault fault;

    (void)ps_wire_read(&pf_thread_descriptor_message, bytes, &thread, &fault);
    if (PS_WIRE_HAS(&thread, PF_THREAD_DESCRIPTOR_HAS_TID)) {
        track->is_thread = true;
        track->pid = pf_torch_id(r, (int32_t)thread.pid);
        track->tid = pf_torch_id(r, thread.tid);
    }
    if (thread.thread_name.len)
        track->thread_name = keep_text(r, thread.thread_name);
}

static struct ps_str unit_of(struct pf_reader *r, const struct pf_counter_descriptor *counter)
{
    static const char *const units[] = {"", "ns", "", "B"}; /* 2: a count */
    static const char *const types[] = {"", "ns", "instructions"};

    if (counter->unit_name.len)
        return keep_text(r, counter->unit_name);
    if (counter->unit && counter->unit < sizeof units / sizeof *units)
        return ps_str_from_c(units[counter->unit]);
    return counter->type < sizeof types / sizeof *types ? ps_str_from_c(types[counter->type])
                                                        : PS_STR("");
}

static void read_counter(struct pf_reader *r, struct pf_track *track, struct ps_str bytes)
{
    struct pf_counter_descriptor counter;
    struct ps_wire_fault fault;
    struct ps_str unit;

    (void)ps_wire_read(&pf_counter_descriptor_message, bytes, &counter, &fault);
    track->is_counter = true;
    unit = unit_of(r, &counter);
    if (unit.len)
        track->unit = unit;
    if (counter.unit_multiplier)
        track->multiplier = counter.unit_multiplier;
    track->is_incremental |= counter.is_incremental != 0;
}

void pf_read_track_descriptor(struct pf_reader *r, struct ps_str bytes)
{
    struct pf_track_descriptor message;
    struct ps_wire_fault fault;
    struct pf_track *track;
    uint32_t index;

    if (!ps_wire_read(&pf_track_descriptor_message, bytes, &message, &fault))
        pf_count_fault(r, PF_FAULT_NESTED);
    index = pf_track_index(r, message.uuid);
    if (r->err->code != PS_OK)
        return;
    track = &r->tracks.items[index];
    track->is_declared = true;
    if (PS_WIRE_HAS(&message, PF_TRACK_DESCRIPTOR_HAS_PARENT_UUID))
        track->parent = message.parent_uuid;
    if (PS_WIRE_HAS(&message, PF_TRACK_DESCRIPTOR_HAS_PROCESS))
        read_process(r, track, message.process);
    if (PS_WIRE_HAS(&message, PF_TRACK_DESCRIPTOR_HAS_THREAD))
        read_thread(r, track, message.thread);
    if (PS_WIRE_HAS(&message, PF_TRACK_DESCRIPTOR_HAS_COUNTER))
        read_counter(r, track, message.counter);
    if (message.name.len || message.static_name.len || message.atrace_name.len)
        track->name = keep_text(r, message.name.len          ? message.name
                                   : message.static_name.len ? message.static_name
                                                             : message.atrace_name);
    if (PS_WIRE_HAS(&message, PF_TRACK_DESCRIPTOR_HAS_SIBLING_ORDER_RANK)) {
        track->has_rank = true;
        track->rank = (int32_t)message.sibling_order_rank;
    }
}

/* Packets of these two came before track descriptors. The uuid is not one of a track, so that both
 * kinds of descriptors may name a process. */
static uint64_t old_uuid(uint64_t pid, uint64_t tid)
{
    return pid << 32 ^ tid ^ UINT64_C(0x9e3779b97f4a7c15);
}

void pf_read_process_descriptor(struct pf_reader *r, struct ps_str bytes)
{
    struct pf_process_descriptor process;
    struct ps_wire_fault fault;
    uint32_t index;

    (void)ps_wire_read(&pf_process_descriptor_message, bytes, &process, &fault);
    index = pf_track_index(r, old_uuid((uint64_t)process.pid, 0));
    if (r->err->code == PS_OK)
        read_process(r, &r->tracks.items[index], bytes);
}

void pf_read_thread_descriptor(struct pf_reader *r, struct pf_sequence *sequence,
                               struct ps_str bytes)
{
    struct pf_thread_descriptor thread;
    struct ps_wire_fault fault;
    uint32_t index;

    (void)ps_wire_read(&pf_thread_descriptor_message, bytes, &thread, &fault);
    index = pf_track_index(r, old_uuid((uint64_t)thread.pid, (uint64_t)thread.tid + 1));
    if (r->err->code != PS_OK)
        return;
    read_thread(r, &r->tracks.items[index], bytes);
    sequence->thread = pf_track_thread(r, index) + 1;
    if (PS_WIRE_HAS(&thread, PF_THREAD_DESCRIPTOR_HAS_REFERENCE_TIMESTAMP_US)) {
        sequence->has_delta =
            !__builtin_mul_overflow(thread.reference_timestamp_us, 1000, &sequence->delta_ns);
    }
}

void pf_read_process_tree(struct pf_reader *r, struct ps_str bytes)
{
    struct pf_process_tree tree;
    struct pf_tree_process process;
    struct pf_tree_thread thread;
    struct ps_wire_fault fault;
    struct ps_str name;
    uint32_t index;

    if (!ps_wire_read(&pf_process_tree_message, bytes, &tree, &fault))
        pf_count_fault(r, PF_FAULT_NESTED);
    while (ps_wire_next_string(&tree.processes, &bytes)) {
        (void)ps_wire_read(&pf_tree_process_message, bytes, &process, &fault);
        index = pf_track_index(r, old_uuid((uint64_t)process.pid, 0));
        if (r->err->code == PS_OK && ps_wire_next_string(&process.cmdline, &name))
            r->tracks.items[index].process_name = keep_text(r, name);
    }
    while (ps_wire_next_string(&tree.threads, &bytes)) {
        (void)ps_wire_read(&pf_tree_thread_message, bytes, &thread, &fault);
        index = pf_track_index(r, old_uuid((uint64_t)thread.tgid, (uint64_t)thread.tid + 1));
        if (r->err->code == PS_OK && thread.name.len)
            r->tracks.items[index].thread_name = keep_text(r, thread.name);
    }
}

void pf_names_of_ids(const struct pf_reader *r, int64_t pid, int64_t tid, struct ps_str *process,
                     struct ps_str *thread)
{
    uint32_t of_process = find_track(&r->tracks, old_uuid((uint64_t)pid, 0));
    uint32_t of_thread = find_track(&r->tracks, old_uuid((uint64_t)pid, (uint64_t)tid + 1));

    *process = *thread = PS_STR("");
    if (of_process != PS_HASH_NONE)
        *process = r->tracks.items[of_process].process_name;
    if (of_thread != PS_HASH_NONE)
        *thread = r->tracks.items[of_thread].thread_name;
}

/* --- The threads of the trace --- */

/* The track above; NO_TRACK: there is none, or it is not declared. */
static uint32_t parent_of(const struct pf_tracks *tracks, uint32_t index)
{
    uint64_t parent = tracks->items[index].parent;
    uint32_t at = parent ? find_track(tracks, parent) : PS_HASH_NONE;

    return at == PS_HASH_NONE || at == index || !tracks->items[at].is_declared ? NO_TRACK : at;
}

/* The nearest track that has a process: `index`, or one above. NO_TRACK: none. Sets *top to the
 * outermost track. */
static uint32_t find_process(const struct pf_tracks *tracks, uint32_t index, uint32_t *top)
{
    for (int depth = 0; depth < PARENTS_MAX && index != NO_TRACK; depth++) {
        *top = index;
        if (tracks->items[index].is_process || tracks->items[index].is_thread)
            return index;
        index = parent_of(tracks, index);
    }
    return NO_TRACK;
}

/* The names of the tracks from below `top` to the track: "requests / 7". */
static struct ps_str path_of(struct pf_reader *r, uint32_t index, uint32_t top)
{
    const struct pf_tracks *tracks = &r->tracks;
    struct ps_str text = tracks->items[index].name;

    for (int depth = 0; depth < PARENTS_MAX && index != top; depth++) {
        const struct ps_str *name;

        index = parent_of(tracks, index);
        if (index == NO_TRACK || index == top)
            break;
        name = &tracks->items[index].name;
        if (name->len)
            text = ps_str_from_c(ps_arena_printf(&r->trace.arena, "%.*s / %.*s", (int)name->len,
                                                 name->ptr, (int)text.len, text.ptr));
    }
    return text;
}

static struct ps_str digits_of(struct pf_reader *r, int64_t number)
{
    return ps_str_from_c(ps_arena_printf(&r->trace.arena, "%" PRId64, number));
}

static void take_name(void *user, struct tr_record *record)
{
    uint32_t *name = user;

    if (!*name && record->phase != TR_PHASE_VALUE)
        *name = record->name;
}

/* The name of a track that is not declared: that of its first event that has one. */
static struct ps_str name_by_default(struct pf_reader *r, const struct pf_track *track)
{
    uint32_t name = 0;

    if (!track->is_declared && track->uuid)
        tr_fill_change(&r->trace, track->thread - 1, take_name, &name);
    if (name)
        return tr_text_of_id(&r->trace, name);
    if (track->is_process)
        return PS_STR("events of the process");
    if (!track->uuid)
        return PS_STR("default track");
    return ps_str_from_c(ps_arena_printf(&r->trace.arena, "track %" PRIu64, track->uuid));
}

/* Describes the thread of a track that is not a thread of the program. */
static void describe_track(struct pf_reader *r, uint32_t index, struct tr_thread *thread)
{
    const struct pf_track *track = &r->tracks.items[index], *owner;
    uint32_t top = index, process = find_process(&r->tracks, index, &top);

    thread->tid = PS_STR("");
    thread->tid_number = INT64_MIN;
    if (process != NO_TRACK) {
        owner = &r->tracks.items[process];
        thread->pid = digits_of(r, owner->pid);
        thread->pid_number = owner->pid;
    } else {
        owner = &r->tracks.items[top];
        thread->pid = top == index ? PS_STR("") : owner->name;
        thread->pid_number = INT64_MIN;
    }
    thread->name = path_of(r, index, top);
    if (!thread->name.len)
        thread->name = name_by_default(r, track);
}

static void describe_thread(struct pf_reader *r, uint32_t index)
{
    const struct pf_track *track = &r->tracks.items[index];
    struct tr_thread *thread = &r->trace.threads[track->thread - 1];

    if (track->is_thread) {
        thread->pid = digits_of(r, track->pid);
        thread->tid = digits_of(r, track->tid);
        thread->pid_number = track->pid;
        thread->tid_number = track->tid;
        if (track->thread_name.len || !thread->name.len)
            thread->name = track->thread_name.len ? track->thread_name : track->name;
    } else {
        describe_track(r, index, thread);
    }
    thread->unit = track->unit;
    if (track->has_rank)
        thread->sort_index = track->rank;
}

/* A thread whose descriptor came after its first events has two threads in the trace, if another
 * track of the same ids had events: moves the events of one to the other. */
static void join_thread(struct pf_reader *r, struct pf_track *track)
{
    uint32_t thread = pf_thread_of_ids(r, track->pid, track->tid);

    if (thread != track->thread - 1)
        tr_fill_move(&r->trace, track->thread - 1, thread);
    track->thread = thread + 1;
}

static bool is_pid(const void *items, uint32_t index, const void *key)
{
    const struct pf_track *tracks = items;

    return tracks[index].pid == *(const int64_t *)key;
}

/* Names the process of each thread. */
static void name_processes(struct pf_reader *r)
{
    struct ps_hash_table named = {0};
    struct tr_trace *trace = &r->trace;

    for (uint32_t i = 0; i < r->tracks.n; i++) {
        const struct pf_track *track = &r->tracks.items[i];

        if (track->is_process && (track->process_name.len || track->name.len))
            (void)ps_hash_table_add(&named, ps_hash_u64((uint64_t)track->pid), i, is_pid,
                                    r->tracks.items, &track->pid);
    }
    for (uint32_t i = 0; i < trace->n_threads; i++) {
        int64_t pid = trace->threads[i].pid_number;
        uint32_t at = pid == INT64_MIN ? PS_HASH_NONE
                                       : ps_hash_table_find(&named, ps_hash_u64((uint64_t)pid),
                                                            is_pid, r->tracks.items, &pid);

        if (at != PS_HASH_NONE)
            trace->threads[i].process_name = r->tracks.items[at].process_name.len
                                                 ? r->tracks.items[at].process_name
                                                 : r->tracks.items[at].name;
    }
    ps_hash_table_free(&named);
}

/* The sum of the values of a counter that a sequence wrote since it cleared its state. */
struct sum {
    double sum;
    uint32_t generation;
};

struct scale {
    double multiplier;
    struct sum *sums; /* of an incremental counter, by index in pf_reader.sequences; else NULL */
    const uint32_t *generations;
};

static double add_to_sum(const struct scale *scale, uint32_t generation, double value)
{
    struct sum *sum = &scale->sums[scale->generations[generation]];

    if (sum->generation != generation)
        *sum = (struct sum){0, generation};
    return sum->sum += value;
}

/* Computes the values of a counter from those of its events: they are in another unit, or are
 * differences to the value before. */
static void scale_counter(void *user, struct tr_record *record)
{
    struct scale *scale = user;
    double value;

    if (record->phase != TR_PHASE_VALUE)
        return;
    memcpy(&value, &record->dur_or_id, sizeof value);
    if (scale->sums)
        value = add_to_sum(scale, record->name, value);
    value *= scale->multiplier;
    memcpy(&record->dur_or_id, &value, sizeof value);
}

void pf_tracks_end(struct pf_reader *r)
{
    for (uint32_t i = 0; i < r->tracks.n; i++) {
        struct pf_track *track = &r->tracks.items[i];
        struct scale scale = {.multiplier = (double)track->multiplier,
                              .generations = r->generations};

        if (!track->thread)
            continue;
        if (track->is_thread)
            join_thread(r, track);
        if (track->is_incremental)
            scale.sums = ps_alloc_array(r->n_sequences + 1, sizeof *scale.sums);
        if (track->is_incremental || track->multiplier != 1)
            tr_fill_change(&r->trace, track->thread - 1, scale_counter, &scale);
        free(scale.sums);
    }
    for (uint32_t i = 0; i < r->tracks.n; i++)
        if (r->tracks.items[i].thread)
            describe_thread(r, i);
    name_processes(r);
}

void pf_tracks_free(struct pf_tracks *tracks)
{
    free(tracks->items);
    ps_hash_table_free(&tracks->index);
}
