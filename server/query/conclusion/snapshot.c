/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c: the conclusion of a memory snapshot of PyTorch: why an allocation failed, else the
 * peak; who holds the memory at that event, by Python stack; what is reserved but not in use.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "importers/records/snapshot.h"
#include "server/query/advice.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/snapshot/leaks.h"
#include "server/query/snapshot/medians.h"
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

static struct ps_subject frame_subject(struct ps_conclusion *c, struct ps_report_link link,
                                       const struct ps_snapshot_frame_row *frame)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    struct ps_subject subject;

    ps_snapshot_append_name(frame, &name);
    subject = ps_subject_of(c, PS_SUBJECT_FUNCTION, link, ps_buf_slice(&name));
    if (frame->file.len && frame->line > 0 && !ps_snapshot_is_named_by_place(frame)) {
        subject.path = ps_arena_copy(&c->arena, frame->file);
        subject.line = frame->line;
    }
    return subject;
}

/* The innermost frame of a stack, and the caller that says what it is for. */
static struct ps_fact stack_fact(struct ps_conclusion *c, const struct scene *s, uint32_t node,
                                 enum ps_fact_code code)
{
    const struct ps_snapshot_tree *tree = &s->stacks->trees[PS_SNAPSHOT_PYTHON];
    const struct ps_report_link link = link_to(c, s, node);
    struct ps_fact fact = {.code = code, .link = link};
    const struct ps_snapshot_frame_row *frame;

    if (!node) {
        fact.subject = ps_subject_of(c, PS_SUBJECT_FUNCTION, link, PS_STR("(no Python stack)"));
        return fact;
    }
    fact.subject = frame_subject(c, link, &s->stacks->frames[tree->frame[node]]);
    frame = &s->stacks->frames[telling_caller(s, node)];
    if (telling_caller(s, node) && frame->file.len && frame->line > 0)
        fact.other = (struct ps_subject){.kind = PS_SUBJECT_LINE,
                                         .path = ps_arena_copy(&c->arena, frame->file),
                                         .line = frame->line,
                                         .link = link};
    return fact;
}

/* --- The sentence --- */

static struct ps_fact device_fact(struct ps_conclusion *c, const struct scene *s)
{
    const struct ps_snapshot_device_row *device = &s->device;
    struct ps_fact fact = {.link = link_to(c, s, 0)};

    fact.code = device->ooms > 0 ? PS_FACT_ALLOCATION_FAILED : PS_FACT_DEVICE_PEAK;
    fact.values[0] = (double)(device->ooms > 0 ? device->oom_bytes : device->peak_live);
    fact.values[1] = (double)device->number;
    fact.values[2] = (double)device->oom_free;
    return fact;
}

static double unused_bytes(const struct scene *s)
{
    return (double)s->memory.reserved - (double)s->memory.live;
}

static void add_reserved(struct ps_conclusion *c, const struct scene *s)
{
    if (s->memory.reserved > 0)
        ps_first_fact(c, (struct ps_fact){PS_FACT_RESERVED,
                                          .values = {(double)s->memory.reserved, unused_bytes(s),
                                                     (double)s->memory.largest_hole},
                                          .link = link_to(c, s, 0)});
}

/* Names the stacks that hold most. Memory without a stack is said first if it is more. */
static void add_owners(struct ps_conclusion *c, const struct scene *s)
{
    const bool has_rest = s->n && !s->order[0] && s->bytes[0] < s->memory.live;
    size_t n = 0;

    if (has_rest)
        ps_first_fact(c, (struct ps_fact){PS_FACT_NO_STACK, .values = {(double)s->bytes[0]},
                                          .link = link_to(c, s, 0)});
    for (size_t i = 0; i < s->n && n < NAMED; i++) {
        const uint32_t node = s->order[i];
        struct ps_fact fact;

        if (!node || !is_cause(s, node))
            continue;
        fact = stack_fact(c, s, node, PS_FACT_STACK_HOLDS);
        fact.values[0] = (double)s->bytes[node];
        fact.values[1] = (double)s->count[node];
        fact.values[2] = has_rest;
        ps_first_fact(c, fact);
        if (!n++)
            ps_first_largest(c, fact.subject, (double)s->bytes[node] / (double)s->memory.live);
    }
    if (!n && s->n && s->memory.live > 0)
        ps_first_fact(c, (struct ps_fact){.code = has_rest || s->order[0] ? PS_FACT_SMALL_STACKS
                                                                          : PS_FACT_NO_STACKS});
}

/* Names the stack that keeps more in each step: in the sentence if that is a large part of the
 * memory, otherwise in a note. */
static enum ps_status add_growth(struct ps_db *db, struct ps_conclusion *c, const struct scene *s,
                                 struct ps_err *err)
{
    struct ps_snapshot_growth_row growth;
    struct ps_fact fact;
    char text[48];

    if (ps_snapshot_growth_find(db, &s->device, s->stacks, &growth, err) != PS_OK)
        return err->code;
    if (!growth.n_steps) {
        if (growth.has_steps)
            ps_conclusion_checked(c, "Memory that grows in each step");
        return err->code;
    }
    fact = stack_fact(c, s, growth.node, PS_FACT_STACK_GROWS);
    if ((double)growth.bytes * (double)growth.n_steps >= CAUSE_SHARE * (double)s->memory.live) {
        fact.values[0] = (double)growth.bytes;
        fact.values[1] = (double)growth.n_steps;
        fact.link.tab = "leaks";
        ps_first_fact(c, fact);
        return err->code;
    }
    if (!growth.node)
        fact.subject.name = PS_STR("Memory without a Python stack");
    ps_conclusion_note(c, "%.*s keeps about %s more in each of %zu steps.",
                       (int)fact.subject.name.len, fact.subject.name.ptr,
                       ps_format_bytes((double)growth.bytes, text), growth.n_steps);
    return err->code;
}

/* --- Causes --- */

static void add_owner(struct ps_conclusion *c, const struct scene *s, uint32_t node)
{
    const double amount = (double)s->bytes[node], live = (double)s->memory.live;
    const int64_t lifetime = s->medians->events[node];
    const struct ps_fact title = stack_fact(c, s, node, PS_FACT_STACK);
    struct ps_claim claim = ps_claim_of(node ? "stack" : "no_stack", PS_HOLDS, title.subject,
                                        live > 0 ? amount / live : NAN);

    claim.title = title;
    claim.evidence = (struct ps_fact){PS_FACT_ALLOCATIONS, .values = {(double)s->count[node]}};
    if (node && s->merged[node]) {
        claim.evidence.code = PS_FACT_ALLOCATIONS_BY;
        claim.evidence.values[1] = s->merged[node];
    } else if (node && lifetime >= 0) {
        claim.evidence.code = PS_FACT_ALLOCATIONS_LIVE;
        claim.evidence.values[1] = (double)lifetime;
    }
    ps_conclusion_claim(c, &claim, amount)->advice =
        node ? NULL : ps_advice_words[PS_ADVICE_RECORD_HISTORY];
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
    struct ps_claim claim =
        ps_claim_of("fragmentation", PS_HOLDS,
                    ps_subject_of(c, PS_SUBJECT_PART, ps_link_none,
                                  PS_STR("Reserved memory that no allocation used")),
                    NAN);
    struct ps_cause *cause;

    if (unused <= 0 || (unused < UNUSED_SHARE * (double)s->memory.reserved &&
                        (s->device.ooms <= 0 || unused < (double)s->device.oom_bytes)))
        return;
    claim.evidence =
        (struct ps_fact){PS_FACT_SEGMENTS,
                         .values = {(double)s->memory.reserved, (double)s->memory.n_segments,
                                    (double)s->memory.largest_hole},
                         .link = link_to(c, s, 0)};
    cause = ps_conclusion_claim(c, &claim, unused);
    ps_cause_save(cause, 0, unused);
    cause->advice = is_expandable(&s->memory) ? ps_advice_words[PS_ADVICE_ORDER_LIFETIMES]
                                              : ps_advice_words[PS_ADVICE_EXPANDABLE_SEGMENTS];
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
                           "time it waits for the GPU. %s",
                           frees, allocs, ps_advice_words[PS_ADVICE_KEEP_SEGMENTS]);
    return err->code;
}

/* The stack that allocates most often, if its memory is freed again at once, each time before it
 * allocates again. Results that the program still uses then cannot share one buffer. */
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
        (double)s->medians->count[most] < LOOP_SHARE * (double)all || s->medians->beside[most] ||
        s->medians->events[most] < 0 || s->medians->events[most] > LOOP_EVENTS)
        return;
    ps_snapshot_append_name(&s->stacks->frames[tree->frame[most]], &name);
    ps_conclusion_note(c,
                       "%.*s allocated memory %lld times and freed it within %lld events (median). "
                       "%s",
                       (int)name.len, name.ptr, (long long)s->medians->count[most],
                       (long long)s->medians->events[most], ps_advice_words[PS_ADVICE_ONE_BUFFER]);
}

enum ps_status ps_conclude_snapshot(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_devices_free) struct ps_snapshot_devices devices = {.items = NULL};
    PS_AUTO(scene_free) struct scene s = {.bytes = NULL};

    out->unit = "bytes";
    if (ps_snapshot_devices_read(db, &devices, err) != PS_OK)
        return err->code;
    if (!devices.n) {
        ps_conclude_none(out, "memory");
        return err->code;
    }
    if (read_scene(db, &s, err) != PS_OK)
        return err->code;
    out->base = s.device.ooms > 0 ? "of the live bytes" : "of the peak";
    ps_conclude_first(out, ps_claim_of(NULL, PS_HOLDS, ps_no_subject, NAN));
    ps_first_fact(out, device_fact(out, &s));
    add_growth(db, out, &s, err);
    merge_alike(&s);
    add_reserved(out, &s);
    add_owners(out, &s);
    for (size_t i = 0; i < s.n && out->n_causes < CAUSES_MAX; i++)
        if (is_cause(&s, s.order[i]))
            add_owner(out, &s, s.order[i]);
    add_fragmentation(out, &s);
    ps_conclusion_sort(out);
    note_loop(out, &s);
    return note_segment_cycles(db, out, &s, err);
}
