/* SPDX-License-Identifier: MIT */
/* flame.c: the view snapshot/flame: the live bytes at an event as a tree of frames. */
#include <stdlib.h>

#include "base/saturated.h"
#include "server/query/shapes/tree.h"
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

/* The picture has a root. Allocations without a stack are a node below it, with any size. */
static struct ps_picture make_picture(struct sums *s)
{
    const struct ps_snapshot_tree *tree = &s->stacks->trees[s->as];
    const struct ps_skeleton skeleton = {tree->parent, sizeof *tree->parent, tree->n_nodes + 1, 0};
    const struct ps_picture_options options = {.rest_below = s->live / SMALL_NODES,
                                               .never_rest = 0,
                                               .has_root = true,
                                               .has_empty = true,
                                               .is_by_level = true};
    struct ps_picture picture;

    ps_skeleton_add_up(&skeleton, s->bytes, sizeof *s->bytes);
    ps_skeleton_add_up(&skeleton, s->count, sizeof *s->count);
    picture = ps_picture_choose(&skeleton, s->bytes, s->count, sizeof *s->bytes, &options);
    picture.nodes[0].total = s->live;
    picture.nodes[0].count = s->live_count;
    return picture;
}

/* What a node of the picture is. */
struct shown {
    int64_t frame; /* number in the answer; -1: merged nodes; PS_COLUMN_NULL: the root, no stack */
    int64_t stack; /* PS_COLUMN_NULL: it shows no frame */
    uint8_t group;
};

/* Writes the frames, and describes the nodes in `shown`. */
static void write_frames(const struct sums *s, const struct ps_picture *picture,
                         struct shown *shown, struct ps_json *json)
{
    const struct ps_snapshot_tree *tree = &s->stacks->trees[s->as];
    PS_AUTO(ps_key_numbers_free) struct ps_key_numbers frames = {.n = 0};

    for (size_t i = 0; i < picture->n; i++) {
        uint32_t node = picture->nodes[i].node;
        bool is_rest = picture->nodes[i].role == PS_ROLE_REST;

        shown[i] = node == PS_TREE_NONE || node == 0
                       ? (struct shown){is_rest ? -1 : PS_COLUMN_NULL, PS_COLUMN_NULL, 0}
                       : (struct shown){ps_key_number(&frames, tree->frame[node]),
                                        tree->stack[node], s->group[node]};
    }
    ps_json_key(json, "frames");
    ps_json_array(json);
    for (size_t i = 0; i < frames.n; i++) {
        ps_json_object(json);
        ps_snapshot_write_frame(s->stacks, frames.keys[i], json);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_picture(const struct sums *s, const struct ps_picture *picture,
                          struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) struct shown *shown = ps_grow(NULL, picture->n, sizeof *shown);
    const struct ps_tree_column columns[] = {
        PS_PICTURE_COLUMN("parent", PS_COLUMN_PARENT, picture->nodes, parent),
        PS_PICTURE_COLUMN("frame", PS_COLUMN_NULLABLE, shown, frame),
        PS_PICTURE_COLUMN("bytes", PS_COLUMN_INT, picture->nodes, total),
        PS_PICTURE_COLUMN("count", PS_COLUMN_INT, picture->nodes, count),
        PS_PICTURE_COLUMN("group", PS_COLUMN_U8, shown, group),
        PS_PICTURE_COLUMN("stack", PS_COLUMN_NULLABLE, shown, stack),
    };

    write_frames(s, picture, shown, json);
    ps_json_key(json, "nodes");
    ps_json_object(json);
    ps_tree_write_columns(columns, sizeof columns / sizeof *columns, picture, json);
    ps_json_end(json);
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
    ps_json_key_int(&json, "live", s.live);
    ps_json_key_int(&json, "count", s.live_count);
    write_picture(&s, &picture, &json);
    ps_json_end(&json);
    return err->code;
}
