/* SPDX-License-Identifier: MIT */
/* flame.c: the view snapshot/flame: the live bytes at an event as a tree of frames. */
#include <stdlib.h>

#include "server/query/snapshot/snapshot.h"

/* A node with less than one part in SMALL_NODES of the live bytes is merged with its siblings. */
#define SMALL_NODES 5000

/* What allocations without a stack are: a node of their own. */
struct sums {
    const struct ps_snapshot_stacks *stacks;
    const struct ps_snapshot_groups *groups;
    enum ps_snapshot_stacks_as as;
    int64_t *bytes, *count; /* [node]: at first those of the stack, then the total; [0]: no stack */
    uint8_t *group;         /* [node]: of its own allocations; 0: none */
    int64_t live, live_count;
};

/* A node of the picture. */
struct flame_node {
    uint32_t node;   /* in the tree; 0: the root, no Python stack, or merged nodes */
    uint32_t parent; /* index in the picture */
    int64_t bytes, count;
    enum { FLAME_FRAME, FLAME_ROOT, FLAME_NO_STACK, FLAME_MERGED } kind;
};

struct picture {
    struct flame_node *items;
    size_t n, cap;
};

static bool add_allocation(void *user, const struct ps_snapshot_allocation_row *row)
{
    struct sums *s = user;
    uint32_t node = ps_snapshot_node(s->stacks, s->as, row->stack, row->flags);
    int64_t bytes = row->bytes > 0 ? row->bytes : 0;

    s->bytes[node] = ps_snapshot_add(s->bytes[node], bytes);
    s->count[node]++;
    s->group[node] =
        s->groups->of_node[ps_snapshot_node(s->stacks, PS_SNAPSHOT_PYTHON, row->stack, row->flags)];
    s->live = ps_snapshot_add(s->live, bytes);
    s->live_count++;
    return true;
}

/* Adds to each node what its descendants have: children have higher ids than their parents. */
static void add_totals(struct sums *s)
{
    const struct ps_snapshot_tree *tree = &s->stacks->trees[s->as];

    for (size_t node = tree->n_nodes; node > 0; node--) {
        uint32_t parent = tree->parent[node];

        if (!parent)
            continue;
        s->bytes[parent] = ps_snapshot_add(s->bytes[parent], s->bytes[node]);
        s->count[parent] += s->count[node];
    }
}

/* Sorts by parent, then the largest first. */
static int by_parent(const void *a, const void *b, void *user)
{
    const struct sums *s = user;
    const uint32_t *parent = s->stacks->trees[s->as].parent;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (parent[x] != parent[y])
        return parent[x] < parent[y] ? -1 : 1;
    if (s->bytes[x] != s->bytes[y])
        return s->bytes[x] > s->bytes[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static void add_node(struct picture *p, struct flame_node node)
{
    PS_RESERVE_ONE(p->items, p->n, p->cap);
    p->items[p->n++] = node;
}

/* Adds the children of a node of the picture. `order`: all nodes with allocations, sorted by
 * by_parent; first: [node] index of its first child in `order`. `self`: bytes and count that are
 * not of children. */
static void add_children(struct picture *p, const struct sums *s, uint32_t at,
                         const uint32_t *order, size_t begin, size_t end)
{
    struct flame_node merged = {.parent = at, .kind = FLAME_MERGED};
    bool has_no_stack = at == 0 && s->count[0] > 0;

    for (size_t i = begin; i < end; i++) {
        uint32_t node = order[i];

        if (has_no_stack && s->bytes[0] >= s->bytes[node]) {
            add_node(p, (struct flame_node){0, at, s->bytes[0], s->count[0], FLAME_NO_STACK});
            has_no_stack = false;
        }
        if (s->bytes[node] < s->live / SMALL_NODES) {
            merged.bytes = ps_snapshot_add(merged.bytes, s->bytes[node]);
            merged.count += s->count[node];
        } else {
            add_node(p, (struct flame_node){node, at, s->bytes[node], s->count[node], FLAME_FRAME});
        }
    }
    if (has_no_stack)
        add_node(p, (struct flame_node){0, at, s->bytes[0], s->count[0], FLAME_NO_STACK});
    if (merged.count)
        add_node(p, merged);
}

static void make_picture(const struct sums *s, struct picture *p)
{
    const struct ps_snapshot_tree *tree = &s->stacks->trees[s->as];
    PS_AUTO(ps_free_ptr) uint32_t *order = ps_alloc_array(tree->n_nodes + 1, sizeof *order);
    PS_AUTO(ps_free_ptr) size_t *first = ps_alloc_array(tree->n_nodes + 2, sizeof *first);
    size_t n = 0, at = 0;

    for (uint32_t node = 1; node <= tree->n_nodes; node++)
        if (s->count[node])
            order[n++] = node;
    if (n)
        qsort_r(order, n, sizeof *order, by_parent, (void *)(uintptr_t)s);
    for (uint32_t node = 0; node <= tree->n_nodes; node++) {
        while (at < n && tree->parent[order[at]] < node)
            at++;
        first[node] = at;
    }
    first[tree->n_nodes + 1] = n;
    add_node(p, (struct flame_node){0, 0, s->live, s->live_count, FLAME_ROOT});
    for (size_t i = 0; i < p->n; i++)
        if (p->items[i].kind <= FLAME_ROOT)
            add_children(p, s, (uint32_t)i, order, first[p->items[i].node],
                         first[p->items[i].node + 1]);
}

static void write_frames(const struct sums *s, const struct picture *p, uint32_t *number,
                         struct ps_json *json)
{
    uint32_t n = 0;

    ps_json_key(json, "frames");
    ps_json_array(json);
    for (size_t i = 0; i < p->n; i++) {
        uint32_t frame = s->stacks->trees[s->as].frame[p->items[i].node];

        if (p->items[i].kind != FLAME_FRAME || number[frame])
            continue;
        number[frame] = ++n;
        ps_json_object(json);
        ps_snapshot_write_frame(s->stacks, frame, json);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_nodes(const struct sums *s, const struct picture *p, const uint32_t *number,
                        struct ps_json *json)
{
    const struct ps_snapshot_tree *tree = &s->stacks->trees[s->as];
    static const char *const keys[] = {"parent", "frame", "bytes", "count", "group", "stack"};

    ps_json_key(json, "nodes");
    ps_json_object(json);
    for (int k = 0; k < 6; k++) {
        ps_json_key(json, keys[k]);
        ps_json_array(json);
        for (size_t i = 0; i < p->n; i++) {
            const struct flame_node *node = &p->items[i];
            bool is_frame = node->kind == FLAME_FRAME;

            if (k == 0 && node->kind == FLAME_ROOT)
                ps_json_int(json, -1);
            else if (k == 0)
                ps_json_int(json, node->parent);
            else if (k == 1 && (is_frame || node->kind == FLAME_MERGED))
                ps_json_int(json, is_frame ? (int64_t)number[tree->frame[node->node]] - 1 : -1);
            else if (k == 2 || k == 3)
                ps_json_int(json, k == 2 ? node->bytes : node->count);
            else if (k == 4)
                ps_json_int(json, is_frame ? s->group[node->node] : 0);
            else if (k == 5 && is_frame)
                ps_json_int(json, tree->stack[node->node]);
            else
                ps_json_null(json);
        }
        ps_json_end(json);
    }
    ps_json_end(json);
}

enum ps_status ps_view_snapshot_flame(struct ps_db *db, const struct ps_view *view, int64_t id,
                                      struct ps_params params, struct ps_answer *answer,
                                      struct ps_err *err)
{
    PS_AUTO(ps_snapshot_stacks_release) const struct ps_snapshot_stacks *stacks = NULL;
    PS_AUTO(ps_snapshot_groups_free) struct ps_snapshot_groups groups = {.n = 0};
    struct ps_json json = ps_json_writer(&answer->body);
    struct ps_snapshot_device_row device;
    struct sums s = {.bytes = NULL};
    struct picture p = {.items = NULL};
    int64_t at;
    size_t n;
    uint32_t *number;

    (void)view, (void)id;
    ps_snapshot_param_device(db, params, &device, err);
    ps_snapshot_param_stacks_as(params, &s.as, err);
    if (err->code != PS_OK || ps_snapshot_param_event(&device, params, "at", &at, err) != PS_OK ||
        ps_snapshot_stacks_acquire(db, &stacks, err) != PS_OK ||
        ps_snapshot_groups_read(db, &device, stacks, &groups, err) != PS_OK)
        return err->code;
    s.stacks = stacks;
    s.groups = &groups;
    n = stacks->trees[s.as].n_nodes + 1;
    s.bytes = ps_alloc_array(n, sizeof *s.bytes);
    s.count = ps_alloc_array(n, sizeof *s.count);
    s.group = ps_alloc_array(n, sizeof *s.group);
    number = ps_alloc_array(stacks->n_frames + 1, sizeof *number);
    if (ps_snapshot_each_live(db, device.id, at, add_allocation, &s, err) == PS_OK) {
        add_totals(&s);
        make_picture(&s, &p);
        ps_json_object(&json);
        ps_json_key_int(&json, "device", device.number);
        ps_json_key_int(&json, "at", at);
        ps_json_key_int(&json, "live", s.live);
        ps_json_key_int(&json, "count", s.live_count);
        write_frames(&s, &p, number, &json);
        write_nodes(&s, &p, number, &json);
        ps_json_end(&json);
    }
    free(number);
    free(s.bytes);
    free(s.count);
    free(s.group);
    free(p.items);
    return err->code;
}
