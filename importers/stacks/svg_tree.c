/* SPDX-License-Identifier: MIT */
/* svg_tree.c: rectangles of a flame graph back into stacks. */
#include <math.h>
#include <stdlib.h>

#include "importers/stacks/svg.h"

static int by_level(const void *a, const void *b)
{
    const struct sv_rect *x = a, *y = b;

    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->x != y->x)
        return x->x < y->x ? -1 : 1;
    return x->width > y->width ? -1 : x->width < y->width;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Levels count the different y from the root's on, which lies at the top or the bottom. */
static void set_levels(struct sv_tree *tree)
{
    int64_t *ys = ps_grow(NULL, (size_t)tree->n + 1, sizeof *ys), root = tree->at[tree->root].y;
    size_t n = 0;

    for (uint32_t i = 0; i < tree->n; i++)
        ys[i] = tree->at[i].y < root ? root - tree->at[i].y : tree->at[i].y - root;
    qsort(ys, tree->n, sizeof *ys, by_number);
    for (uint32_t i = 0; i < tree->n; i++)
        if (n == 0 || ys[n - 1] != ys[i])
            ys[n++] = ys[i];
    for (uint32_t i = 0; i < tree->n; i++) {
        int64_t away = tree->at[i].y < root ? root - tree->at[i].y : tree->at[i].y - root;
        size_t low = 0, high = n;

        while (high - low > 1) {
            size_t middle = (low + high) / 2;

            if (ys[middle] <= away)
                low = middle;
            else
                high = middle;
        }
        tree->at[i].level = (uint32_t)low;
    }
    free(ys);
}

/* The frame of the level [from, to) that the middle of `rect` lies over, or that is nearest. */
static uint32_t find_parent(struct sv_tree *tree, uint32_t from, uint32_t to,
                            const struct sv_rect *rect)
{
    double middle = rect->x + rect->width / 2;
    uint32_t low = from, high = to;

    while (high - low > 1) {
        uint32_t between = low + (high - low) / 2;

        if (tree->at[between].x <= middle)
            low = between;
        else
            high = between;
    }
    /* Places are rounded: a pixel at most. */
    if (middle > tree->at[low].x + tree->at[low].width && low + 1 < to &&
        tree->at[low + 1].x - middle < middle - tree->at[low].x - tree->at[low].width)
        low++;
    if (middle < tree->at[low].x - 1 || middle > tree->at[low].x + tree->at[low].width + 1)
        tree->orphans++;
    return low;
}

/* Rects are by level and x: what is linked last comes first, so they are linked from the right. */
static void link_all(struct sv_tree *tree)
{
    uint32_t to = tree->n;

    while (to > 0) {
        uint32_t level = tree->at[to - 1].level, from = to, before, first;

        while (from > 0 && tree->at[from - 1].level == level)
            from--;
        for (first = from;
             first > 0 && from > 0 && tree->at[first - 1].level == tree->at[from - 1].level;)
            first--;
        for (uint32_t i = to; i > from && from > 0; i--) {
            before = find_parent(tree, first, from, &tree->at[i - 1]);
            tree->at[i - 1].parent = before + 1;
            tree->at[i - 1].next = tree->at[before].first_child;
            tree->at[before].first_child = i;
        }
        to = from;
    }
}

bool sv_tree_link(struct sv_tree *tree)
{
    double most = 0;

    for (uint32_t i = 0; i < tree->n; i++)
        if (tree->at[i].width > most ||
            (tree->at[i].width == most && tree->at[i].weight > tree->at[tree->root].weight)) {
            most = tree->at[i].width;
            tree->root = i;
        }
    if (!tree->n || !(most > 0))
        return false;
    /* Of frames as wide as the picture the root is at its edge: "all" stands first or last. */
    for (uint32_t i = 0; i < tree->n; i++) {
        uint64_t above = 0, below = 0;

        if (tree->at[i].width < most || tree->at[i].weight < tree->at[tree->root].weight)
            continue;
        for (uint32_t k = 0; k < tree->n && (!above || !below); k++) {
            above += tree->at[k].y < tree->at[i].y;
            below += tree->at[k].y > tree->at[i].y;
        }
        if (!above || !below) {
            tree->root = i;
            break;
        }
    }
    set_levels(tree);
    qsort(tree->at, tree->n, sizeof *tree->at, by_level);
    tree->root = 0;
    link_all(tree);
    return true;
}

/* ------------------------------------------------------------------ stacks */

struct walk {
    struct sv_tree *tree;
    struct st_stacks *stacks;
    uint32_t track;
    struct ps_err *err;
    uint32_t *path; /* names from below the root on */
    uint32_t depth;
};

static int64_t children_weight(const struct sv_tree *tree, uint32_t node)
{
    int64_t sum = 0;

    for (uint32_t c = tree->at[node].first_child; c; c = tree->at[c - 1].next)
        if (__builtin_add_overflow(sum, tree->at[c - 1].weight, &sum))
            return INT64_MAX / 4;
    return sum;
}

static void push_self(struct walk *w, uint32_t node)
{
    int64_t self = w->tree->at[node].weight - children_weight(w->tree, node);
    uint32_t missing;

    if (self < 0)
        w->tree->excess++;
    if (self <= 0 || w->err->code != PS_OK)
        return;
    if (node != w->tree->root) {
        (void)st_push(w->stacks, w->track, w->path, w->depth, self, w->err);
        return;
    }
    missing = st_frame(w->stacks, PS_STR("(not in file)"));
    (void)st_push(w->stacks, w->track, &missing, 1, self, w->err);
}

/* Own weight is drawn left of the children (flamegraph.pl) or right of them. */
static bool self_is_left(const struct sv_tree *tree, uint32_t node)
{
    uint32_t child = tree->at[node].first_child;
    const struct sv_rect *rect = &tree->at[node];
    double used = 0;

    for (uint32_t c = child; c; c = tree->at[c - 1].next)
        used += tree->at[c - 1].width;
    return child && tree->at[child - 1].x - rect->x > (rect->width - used) / 2;
}

static void enter(struct walk *w, uint32_t node)
{
    if (node != w->tree->root && w->depth < ST_DEEPEST)
        w->path[w->depth++] = w->tree->at[node].name;
    if (self_is_left(w->tree, node))
        push_self(w, node);
}

static void leave(struct walk *w, uint32_t node)
{
    if (!self_is_left(w->tree, node))
        push_self(w, node);
    if (node != w->tree->root && w->depth)
        w->depth--;
}

enum ps_status sv_tree_push(struct sv_tree *tree, struct st_stacks *stacks, uint32_t track,
                            struct ps_err *err)
{
    struct walk w = {.tree = tree, .stacks = stacks, .track = track, .err = err};
    uint32_t node = tree->root;

    w.path = ps_grow(NULL, ST_DEEPEST + 1, sizeof *w.path);
    enter(&w, node);
    while (err->code == PS_OK) {
        if (tree->at[node].first_child) {
            node = tree->at[node].first_child - 1;
            enter(&w, node);
            continue;
        }
        leave(&w, node);
        while (node != tree->root && !tree->at[node].next) {
            node = tree->at[node].parent - 1;
            leave(&w, node);
        }
        if (node == tree->root)
            break;
        node = tree->at[node].next - 1;
        enter(&w, node);
    }
    free(w.path);
    return err->code;
}
