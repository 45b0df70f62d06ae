/* SPDX-License-Identifier: MIT */
/* flame.c: the view snapshot/flame: the live bytes at an event as a tree of frames. */
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/snapshot/snapshot.h"

/* A node with less than one part in SMALL_NODES of the live bytes is merged with its siblings. */
#define SMALL_NODES 5000

struct sums {
    const struct ps_snapshot_stacks *stacks;
    const struct ps_snapshot_groups *groups;
    enum ps_snapshot_stacks_as as;
    /* [node of the tree], then with its descendants; [0]: allocations without a stack */
    int64_t *bytes, *count;
    uint8_t *group; /* [node of the tree]: of its own allocations; 0: none */
    int64_t live, live_count;
};

static void sums_free(struct sums *s)
{
    free(s->bytes);
    free(s->count);
    free(s->group);
}

static bool add_allocation(void *user, const struct ps_snapshot_allocation_row *row)
{
    struct sums *s = user;
    uint32_t node = ps_snapshot_node(s->stacks, s->as, row->stack, row->flags);
    int64_t bytes = row->bytes > 0 ? row->bytes : 0;

    s->bytes[node] = ps_add_saturated(s->bytes[node], bytes);
    s->count[node]++;
    s->group[node] =
        s->groups->of_node[ps_snapshot_node(s->stacks, PS_SNAPSHOT_PYTHON, row->stack, row->flags)];
    s->live = ps_add_saturated(s->live, bytes);
    s->live_count++;
    return true;
}

/* Allocations without a stack are a root, with any size. */
static struct ps_picture make_picture(struct sums *s)
{
    const struct ps_snapshot_tree *tree = &s->stacks->trees[s->as];
    const struct ps_skeleton skeleton = {tree->parent, sizeof *tree->parent, tree->n_nodes + 1, 0};
    const struct ps_picture_options options = {.rest_below = s->live / SMALL_NODES,
                                               .never_rest = 0,
                                               .has_empty = true,
                                               .is_by_level = true};

    ps_skeleton_add_up(&skeleton, s->bytes, sizeof *s->bytes);
    ps_skeleton_add_up(&skeleton, s->count, sizeof *s->count);
    return ps_picture_choose(&skeleton, s->bytes, s->count, sizeof *s->bytes, &options);
}

/* The allocations that end at a node of the picture. */
struct own {
    int64_t stack; /* PS_COLUMN_NULL: it shows no frame */
    uint8_t group;
};

static void describe_frame(const void *subject, uint32_t key, size_t node,
                           struct ps_tree_frame *out)
{
    const struct sums *s = subject;

    (void)node;
    *out = ps_snapshot_frame(s->stacks, key);
}

static void write_picture(const struct sums *s, const struct ps_picture *picture,
                          struct ps_json *json)
{
    const struct ps_snapshot_tree *of = &s->stacks->trees[s->as];
    PS_AUTO(ps_free_ptr) struct own *own = ps_grow(NULL, picture->n + 1, sizeof *own);
    PS_AUTO(ps_free_ptr) uint32_t *keys = ps_grow(NULL, picture->n + 1, sizeof *keys);
    const struct ps_tree_column columns[] = {
        PS_PICTURE_COLUMN("total", PS_COLUMN_INT, picture->nodes, total),
        PS_PICTURE_COLUMN("count", PS_COLUMN_INT, picture->nodes, count),
        PS_PICTURE_COLUMN("group", PS_COLUMN_U8, own, group),
        PS_PICTURE_COLUMN("stack", PS_COLUMN_NULLABLE, own, stack),
    };
    const struct ps_tree_answer tree = {
        .picture = picture,
        .unit = "B",
        .sum = ps_int(s->live),
        .frames = {keys, describe_frame, s, PS_FRAME_FILE | PS_FRAME_LINE, false},
        PS_COLUMNS(columns),
    };

    for (size_t i = 0; i < picture->n; i++) {
        const uint32_t node = picture->nodes[i].node;
        const bool is_rest = picture->nodes[i].role == PS_ROLE_REST;

        keys[i] = is_rest ? PS_KEY_REST : node == 0 ? PS_KEY_NO_STACK : of->frame[node];
        own[i] = is_rest || node == 0 ? (struct own){PS_COLUMN_NULL, 0}
                                      : (struct own){of->stack[node], s->group[node]};
    }
    ps_tree_write(&tree, json);
}

enum ps_status ps_view_snapshot_flame(struct ps_db *db, const struct ps_view *view, int64_t id,
                                      struct ps_params params, struct ps_answer *answer,
                                      struct ps_err *err)
{
    PS_AUTO(ps_snapshot_stacks_release) const struct ps_snapshot_stacks *stacks = NULL;
    PS_AUTO(ps_snapshot_groups_free) struct ps_snapshot_groups groups = {.n = 0};
    PS_AUTO(ps_picture_free) struct ps_picture picture = {.n = 0};
    PS_AUTO(sums_free) struct sums s = {.bytes = NULL};
    struct ps_json json = ps_json_writer(&answer->body);
    struct ps_snapshot_device_row device;
    int64_t at;
    size_t n;

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
    if (ps_snapshot_each_live(db, device.id, at, add_allocation, &s, err) != PS_OK)
        return err->code;
    picture = make_picture(&s);
    ps_json_object(&json);
    ps_json_key_int(&json, "device", device.number);
    ps_json_key_int(&json, "at", at);
    ps_json_key_int(&json, "allocations", s.live_count);
    write_picture(&s, &picture, &json);
    ps_json_end(&json);
    return err->code;
}
