/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c: the conclusion of a memory snapshot of PyTorch: why an allocation failed, else the
 * peak; who holds the memory at that event, by Python stack; what is reserved but not in use.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/query/conclusion/conclusion.h"
#include "server/query/snapshot/leaks.h"
#include "server/query/snapshot/lifetimes.h"
#include "server/query/snapshot/segments.h"

#define CAUSE_SHARE  0.05 /* stacks with a smaller share of the live bytes are not causes */
#define SHARES_MAX   20   /* number of stacks that can have CAUSE_SHARE each */
#define CAUSES_MAX   10
#define NAMED        3   /* stacks in the sentence */
#define UNUSED_SHARE 0.2 /* of the reserved bytes: from this share on, fragmentation is a cause */
#define CYCLES_MIN   100 /* segments that were freed and allocated again */
#define LOOP_MIN     100 /* allocations of a stack */
#define LOOP_SHARE   0.1 /* of all allocations */
#define LOOP_EVENTS  50  /* median lifetime */

/* A snapshot at the event that the conclusion is about. */
struct scene {
    struct ps_snapshot_device_row device;
    int64_t at;
    const struct ps_snapshot_stacks *stacks;
    const struct ps_snapshot_medians *medians;
    struct ps_snapshot_memory memory;
    int64_t *bytes, *count; /* [node of PS_SNAPSHOT_PYTHON]; 0: no stack */
    uint32_t *order;        /* nodes with live bytes, the largest first */
    size_t n;
    /* [node]: number of stacks that bytes and count are sums of; 0: of the stack alone */
    uint32_t *merged;
};

static void scene_free(struct scene *s)
{
    ps_snapshot_stacks_release(&s->stacks);
    ps_snapshot_medians_release(&s->medians);
    ps_snapshot_memory_free(&s->memory);
    free(s->bytes);
    free(s->count);
    free(s->order);
    free(s->merged);
}

static int by_bytes(const void *a, const void *b, void *user)
{
    const int64_t *bytes = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (bytes[x] != bytes[y])
        return bytes[x] < bytes[y] ? 1 : -1;
    return (x > y) - (x < y);
}

/* Reads the memory of the device that matters most, by stack. */
static enum ps_status read_scene(struct ps_db *db, struct scene *s, struct ps_err *err)
{
    const struct ps_params none = {NULL, 0};
    PS_AUTO(ps_free_ptr) uint32_t *keys = NULL;
    size_t n_nodes;

    ps_snapshot_param_device(db, none, &s->device, err);
    if (ps_snapshot_stacks_acquire(db, &s->stacks, err) != PS_OK)
        return err->code;
    s->at = ps_snapshot_cursor(&s->device);
    n_nodes = s->stacks->trees[PS_SNAPSHOT_PYTHON].n_nodes;
    s->bytes = ps_alloc_array(n_nodes + 1, sizeof *s->bytes);
    s->count = ps_alloc_array(n_nodes + 1, sizeof *s->count);
    s->order = ps_alloc_array(n_nodes + 1, sizeof *s->order);
    s->merged = ps_alloc_array(n_nodes + 1, sizeof *s->merged);
    keys = ps_alloc_array(n_nodes + 1, sizeof *keys);
    for (uint32_t node = 0; node <= n_nodes; node++)
        keys[node] = node;
    ps_snapshot_memory_read(db, &s->device, s->at, &s->memory, err);
    ps_snapshot_medians_acquire(db, &s->device, s->stacks, PS_SNAPSHOT_PYTHON, "stack", keys,
                                n_nodes + 1, &s->medians, err);
    for (size_t i = 0; i < s->memory.n_blocks && err->code == PS_OK; i++) {
        const struct ps_snapshot_block_at *block = &s->memory.blocks[i];
        uint32_t node = ps_snapshot_node(s->stacks, PS_SNAPSHOT_PYTHON, block->stack, block->flags);

        s->bytes[node] = ps_snapshot_add(s->bytes[node], block->requested);
        s->count[node]++;
    }
    for (uint32_t node = 0; node <= n_nodes; node++)
        if (s->bytes[node] > 0)
            s->order[s->n++] = node;
    if (s->n)
        qsort_r(s->order, s->n, sizeof *s->order, by_bytes, s->bytes);
    return err->code;
}

/* --- Names and links --- */

/* The snapshot at the event, without a selected stack for node 0 and for merged stacks: the view
 * would show the bytes of one of them. */
static struct ps_report_link link_to(struct ps_conclusion *c, const struct scene *s, uint32_t node)
{
    struct ps_report_link link = {.tab = "snapshot",
                                  .params = {{"d", ps_conclusion_id(c, s->device.number)},
                                             {"at", ps_conclusion_id(c, s->at)}}};

    if (node && !s->merged[node])
        link.params[2] = (struct ps_param){
            "s", ps_conclusion_id(c, s->stacks->trees[PS_SNAPSHOT_PYTHON].stack[node])};
    return link;
}

/* Whether a stack holds enough to be named. */
static bool is_cause(const struct scene *s, uint32_t node)
{
    return (double)s->bytes[node] >= CAUSE_SHARE * (double)s->memory.live;
}

/* Returns the number of frames, from the innermost, that two stacks have in common. */
static size_t common_frames(const struct ps_snapshot_tree *tree, uint32_t a, uint32_t b)
{
    size_t n = 0;

    for (; a && b && tree->frame[a] == tree->frame[b]; n++) {
        a = tree->parent[a];
        b = tree->parent[b];
    }
    return n;
}

/* Returns the caller that says what a stack is for; 0: its innermost frame does. If other stacks
 * that are named end alike, as in a function that allocates for all others, it is the first frame
 * that differs. If it is of torch, the next one outside of torch, which is what the user can
 * change. */
static uint32_t telling_caller(const struct scene *s, uint32_t node)
{
    const struct ps_snapshot_tree *tree = &s->stacks->trees[PS_SNAPSHOT_PYTHON];
    uint32_t at = node;
    size_t depth = 0;

    for (size_t i = 0; i < s->n; i++) {
        uint32_t other = s->order[i];
        size_t n = other != node && is_cause(s, other) ? common_frames(tree, node, other) : 0;

        depth = n > depth ? n : depth;
    }
    for (size_t i = 0; at && (i < depth || s->stacks->frames[tree->frame[at]].is_torch); i++)
        at = tree->parent[at];
    return at == node ? 0 : tree->frame[at];
}

/* Merges causes that have the same name into the largest of them. to(device) of a model, for
 * example, allocates by a stack for each depth of its modules. */
static void merge_alike(struct scene *s)
{
    const uint32_t *frame = s->stacks->trees[PS_SNAPSHOT_PYTHON].frame;
    uint32_t callers[SHARES_MAX];
    size_t n_causes = 0, n = 0;

    for (; n_causes < s->n && n_causes < SHARES_MAX && is_cause(s, s->order[n_causes]); n_causes++)
        callers[n_causes] = telling_caller(s, s->order[n_causes]);
    for (size_t i = 0; i < n_causes; i++) {
        uint32_t node = s->order[i], caller = callers[i], into;
        size_t same = 0;

        while (same < n &&
               (!caller || callers[same] != caller || frame[s->order[same]] != frame[node]))
            same++;
        if (same == n) {
            callers[n] = caller;
            s->order[n++] = node;
            continue;
        }
        into = s->order[same];
        s->bytes[into] = ps_snapshot_add(s->bytes[into], s->bytes[node]);
        s->count[into] += s->count[node];
        s->merged[into] += s->merged[into] ? 1 : 2;
    }
    memmove(s->order + n, s->order + n_causes, (s->n - n_causes) * sizeof *s->order);
    s->n -= n_causes - n;
    if (s->n)
        qsort_r(s->order, s->n, sizeof *s->order, by_bytes, s->bytes);
}

/* Appends the name of the innermost frame of a stack, and of the caller that says what it is for.
 */
static void say_stack(struct ps_conclusion *c, struct ps_sentence *to, const struct scene *s,
                      uint32_t node)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    const struct ps_snapshot_tree *tree = &s->stacks->trees[PS_SNAPSHOT_PYTHON];
    const struct ps_snapshot_frame_row *frame;
    uint32_t caller;

    if (!node) {
        ps_say_code(c, to, link_to(c, s, 0), PS_STR("(no Python stack)"));
        return;
    }
    frame = &s->stacks->frames[tree->frame[node]];
    ps_snapshot_append_name(frame, &name);
    ps_say_code(c, to, link_to(c, s, node), ps_buf_slice(&name));
    if (frame->file.len && frame->line > 0 && !ps_snapshot_is_named_by_place(frame)) {
        ps_say(c, to, " at "); /* a function may allocate at several lines */
        ps_say_place(c, to, link_to(c, s, node), frame->file, frame->line);
    }
    caller = telling_caller(s, node);
    if (caller && s->stacks->frames[caller].file.len && s->stacks->frames[caller].line > 0) {
        ps_say(c, to, " from ");
        ps_say_place(c, to, link_to(c, s, node), s->stacks->frames[caller].file,
                     s->stacks->frames[caller].line);
    }
}

/* --- The sentence --- */

static void say_failure(struct ps_conclusion *c, const struct scene *s)
{
    struct ps_report_link link = link_to(c, s, 0);

    ps_say(c, &c->verdict, "An allocation of ");
    ps_say_value(&c->verdict, link, (double)s->device.oom_bytes, "bytes");
    ps_say(c, &c->verdict, " failed on GPU %lld: the driver had ", (long long)s->device.number);
    ps_say_value(&c->verdict, link, (double)s->device.oom_free, "bytes");
    ps_say(c, &c->verdict, " free.");
}

static void say_peak(struct ps_conclusion *c, const struct scene *s)
{
    ps_say(c, &c->verdict, "Memory peaks at ");
    ps_say_value(&c->verdict, link_to(c, s, 0), (double)s->device.peak_live, "bytes");
    ps_say(c, &c->verdict, " on GPU %lld.", (long long)s->device.number);
}

static double unused_bytes(const struct scene *s)
{
    return (double)s->memory.reserved - (double)s->memory.live;
}

static void say_reserved(struct ps_conclusion *c, const struct scene *s)
{
    struct ps_report_link link = link_to(c, s, 0);

    if (s->memory.reserved <= 0)
        return;
    ps_say(c, &c->sentence, " PyTorch had reserved ");
    ps_say_value(&c->sentence, link, (double)s->memory.reserved, "bytes");
    ps_say(c, &c->sentence, ", of which ");
    ps_say_value(&c->sentence, link, unused_bytes(s), "bytes");
    ps_say(c, &c->sentence, " were not in use; the largest hole was ");
    ps_say_value(&c->sentence, link, (double)s->memory.largest_hole, "bytes");
    ps_say(c, &c->sentence, ".");
}

/* Names the stacks that hold most. Memory without a stack is said first if it is more. */
static void say_owners(struct ps_conclusion *c, const struct scene *s)
{
    const bool has_rest = s->n && !s->order[0] && s->bytes[0] < s->memory.live;
    size_t n = 0;

    if (has_rest) {
        ps_say(c, &c->sentence, " Of the allocated memory, ");
        ps_say_value(&c->sentence, link_to(c, s, 0), (double)s->bytes[0], "bytes");
        ps_say(c, &c->sentence, " has no Python stack;");
    }

    for (size_t i = 0; i < s->n && n < NAMED; i++) {
        uint32_t node = s->order[i];

        if (!node || !is_cause(s, node))
            continue;
        ps_say(c, &c->sentence, n ? ", " : " ");
        say_stack(c, &c->sentence, s, node);
        ps_say(c, &c->sentence,
               n          ? " "
               : has_rest ? " holds the most of the rest, "
                          : " holds the most, ");
        ps_say_value(&c->sentence, link_to(c, s, node), (double)s->bytes[node], "bytes");
        if (!n++) {
            ps_say(c, &c->sentence, " in ");
            ps_say_value(&c->sentence, link_to(c, s, node), (double)s->count[node], "count");
            ps_say(c, &c->sentence, s->count[node] == 1 ? " allocation" : " allocations");
        }
    }
    if (n)
        ps_say(c, &c->sentence, ".");
    else if (s->n && s->memory.live > 0)
        ps_say(c, &c->sentence,
               has_rest      ? " no stack holds more than 5 %%."
               : s->order[0] ? " No stack holds more than 5 %%."
                             : " The memory has no Python stack.");
}

/* Names the stack that keeps more in each step: in the sentence if that is a large part of the
 * memory, otherwise in a note. */
static enum ps_status say_growth(struct ps_db *db, struct ps_conclusion *c, const struct scene *s,
                                 struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    const struct ps_snapshot_tree *tree = &s->stacks->trees[PS_SNAPSHOT_PYTHON];
    struct ps_snapshot_growth_row growth;
    struct ps_report_link link;

    if (ps_snapshot_growth_find(db, &s->device, s->stacks, &growth, err) != PS_OK)
        return err->code;
    if (!growth.n_steps) {
        if (growth.has_steps)
            ps_conclusion_checked(c, "Memory that grows in each step");
        return err->code;
    }
    if ((double)growth.bytes * (double)growth.n_steps >= CAUSE_SHARE * (double)s->memory.live) {
        link = link_to(c, s, growth.node);
        link.tab = "leaks";
        ps_say(c, &c->sentence, " It grows: ");
        say_stack(c, &c->sentence, s, growth.node);
        ps_say(c, &c->sentence, " keeps ");
        ps_say_value(&c->sentence, link, (double)growth.bytes, "bytes");
        ps_say(c, &c->sentence, " more in each of ");
        ps_say_value(&c->sentence, link, (double)growth.n_steps, "count");
        ps_say(c, &c->sentence, " steps.");
        return err->code;
    }
    if (growth.node)
        ps_snapshot_append_name(&s->stacks->frames[tree->frame[growth.node]], &name);
    else
        ps_buf_puts(&name, "Memory without a Python stack");
    ps_conclusion_note(c, "%.*s keeps about %.3g MiB more in each of %zu steps.", (int)name.len,
                       name.ptr, (double)growth.bytes / (1 << 20), growth.n_steps);
    return err->code;
}

/* --- Causes --- */

static void add_owner(struct ps_conclusion *c, const struct scene *s, uint32_t node)
{
    double amount = (double)s->bytes[node], live = (double)s->memory.live;
    struct ps_cause *cause =
        ps_conclusion_add(c, node ? "stack" : "no_stack", amount, live > 0 ? amount / live : NAN);
    int64_t lifetime = s->medians->events[node];

    say_stack(c, &cause->title, s, node);
    ps_say_value(&cause->evidence, link_to(c, s, node), (double)s->count[node], "count");
    ps_say(c, &cause->evidence, s->count[node] == 1 ? " allocation" : " allocations");
    if (!node) {
        cause->advice = "Call torch.cuda.memory._record_memory_history() before the model is "
                        "created, so that its memory has a stack.";
        return;
    }
    if (s->merged[node])
        ps_say(c, &cause->evidence, " by %u stacks", s->merged[node]);
    else if (lifetime >= 0)
        ps_say(c, &cause->evidence, ", live for %lld events (median)", (long long)lifetime);
}

/* Bytes of holes in segments that are in use. Segments without blocks are only cached: PyTorch
 * returns them to the driver before an allocation fails. */
static double split_bytes(const struct ps_snapshot_memory *memory)
{
    int64_t split = ps_snapshot_add(memory->reserved, -memory->live);

    for (size_t i = 0; i < memory->n_segments; i++)
        if (!memory->segments[i].n_blocks)
            split = ps_snapshot_add(split, -memory->segments[i].bytes);
    return (double)split;
}

static bool is_expandable(const struct ps_snapshot_memory *memory)
{
    for (size_t i = 0; i < memory->n_segments; i++)
        if (memory->segments[i].is_expandable)
            return true;
    return false;
}

static void add_fragmentation(struct ps_conclusion *c, const struct scene *s)
{
    double unused = s->device.ooms > 0 ? unused_bytes(s) : split_bytes(&s->memory);
    struct ps_report_link link = link_to(c, s, 0);
    struct ps_cause *cause;

    if (unused <= 0 || (unused < UNUSED_SHARE * (double)s->memory.reserved &&
                        (s->device.ooms <= 0 || unused < (double)s->device.oom_bytes)))
        return;
    cause = ps_conclusion_add(c, "fragmentation", unused, NAN);
    ps_say(c, &cause->title, "Reserved memory that no allocation used");
    ps_say_value(&cause->evidence, link, (double)s->memory.reserved, "bytes");
    ps_say(c, &cause->evidence, " reserved in %zu %s, largest hole ", s->memory.n_segments,
           s->memory.n_segments == 1 ? "segment" : "segments");
    ps_say_value(&cause->evidence, link, (double)s->memory.largest_hole, "bytes");
    ps_cause_save(cause, 0, unused);
    cause->advice =
        is_expandable(&s->memory)
            ? "The segments are expandable already. Allocate what lives long before what lives "
              "short, or set garbage_collection_threshold in PYTORCH_CUDA_ALLOC_CONF."
            : "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: free memory of several "
              "segments can then serve one allocation.";
}

/* --- Notes --- */

/* Segments that were returned to the driver and asked for again. */
static enum ps_status note_segment_cycles(struct ps_db *db, struct ps_conclusion *c,
                                          const struct scene *s, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_history_release) const struct ps_snapshot_history *history = NULL;
    long long allocs = 0, frees = 0;

    if (ps_snapshot_history_acquire(db, s->device.id, &history, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < history->n_segment_events; i++) {
        allocs += history->segment_events[i].action == PS_SNAPSHOT_SEGMENT_ALLOC;
        frees += history->segment_events[i].action == PS_SNAPSHOT_SEGMENT_FREE;
    }
    if (frees >= CYCLES_MIN && allocs >= CYCLES_MIN)
        ps_conclusion_note(c,
                           "PyTorch returned %lld segments to the driver and asked for %lld: each "
                           "time it waits for the GPU. Do not call torch.cuda.empty_cache() in a "
                           "loop.",
                           frees, allocs);
    return err->code;
}

/* The stack that allocates most often, if its memory is freed again at once. */
static void note_loop(struct ps_conclusion *c, const struct scene *s)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    const struct ps_snapshot_tree *tree = &s->stacks->trees[PS_SNAPSHOT_PYTHON];
    int64_t all = 0;
    size_t most = 0;

    for (size_t node = 1; node <= tree->n_nodes; node++) {
        all += s->medians->count[node];
        most = s->medians->count[node] > s->medians->count[most] || !most ? node : most;
    }
    if (!most || s->medians->count[most] < LOOP_MIN ||
        (double)s->medians->count[most] < LOOP_SHARE * (double)all ||
        s->medians->events[most] < 0 || s->medians->events[most] > LOOP_EVENTS)
        return;
    ps_snapshot_append_name(&s->stacks->frames[tree->frame[most]], &name);
    ps_conclusion_note(c,
                       "%.*s allocated memory %lld times and freed it within %lld events (median). "
                       "A buffer can be allocated once, outside of the loop; the result of an "
                       "operator is new in each call, unless it is written with out=.",
                       (int)name.len, name.ptr, (long long)s->medians->count[most],
                       (long long)s->medians->events[most]);
}

enum ps_status ps_conclude_snapshot(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_devices_free) struct ps_snapshot_devices devices = {.items = NULL};
    PS_AUTO(scene_free) struct scene s = {.bytes = NULL};

    out->unit = "bytes";
    if (ps_snapshot_devices_read(db, &devices, err) != PS_OK)
        return err->code;
    if (!devices.n) {
        ps_say(out, &out->verdict, "The snapshot has no memory.");
        return err->code;
    }
    if (read_scene(db, &s, err) != PS_OK)
        return err->code;
    out->base = s.device.ooms > 0 ? "of the live bytes" : "of the peak";
    if (s.device.ooms > 0)
        say_failure(out, &s);
    else
        say_peak(out, &s);
    say_growth(db, out, &s, err);
    merge_alike(&s);
    say_reserved(out, &s);
    say_owners(out, &s);
    for (size_t i = 0; i < s.n && out->n_causes < CAUSES_MAX; i++)
        if (is_cause(&s, s.order[i]))
            add_owner(out, &s, s.order[i]);
    add_fragmentation(out, &s);
    ps_conclusion_sort(out);
    note_loop(out, &s);
    return note_segment_cycles(db, out, &s, err);
}
