/* SPDX-License-Identifier: MIT */
/* svg.h: what svg.c and svg_tree.c share. */
#ifndef PS_IMPORTERS_STACKS_SVG_H
#define PS_IMPORTERS_STACKS_SVG_H

#include "base/mem.h"
#include "importers/stacks/stacks.h"

/* A frame as drawn. */
struct sv_rect {
    double x, width;
    int64_t y;      /* hundredths of a pixel */
    int64_t weight; /* as its title says, on the axis */
    uint32_t name;
    uint32_t level;                     /* from the root */
    uint32_t parent, first_child, next; /* index + 1; children by x */
};

struct sv_tree {
    struct sv_rect *at; /* by level, then x, once sv_tree_link has sorted them */
    uint32_t n, cap;
    uint32_t root;
    uint64_t orphans; /* frames that lie over no frame of the level before */
    uint64_t excess;  /* frames whose children are heavier than they are */
};

/* Levels and parents from the places. False: no frame spans the picture. */
bool sv_tree_link(struct sv_tree *tree);
/* Pushes all stacks below the root; what the root has beside them as "(not in file)". */
enum ps_status sv_tree_push(struct sv_tree *tree, struct st_stacks *stacks, uint32_t track,
                            struct ps_err *err);

#endif
