/* SPDX-License-Identifier: MIT */
#include "server/query/shapes/tree_diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/mem.h"

#define LARGEST 1e15

void ps_tree_diff_free(struct ps_tree_diff *diff)
{
    ps_tree_free(&diff->tree);
    ps_intern_free(&diff->names);
    for (unsigned i = 0; i < diff->n_columns; i++)
        free(diff->columns[i]);
    free(diff->presence);
    *diff = (struct ps_tree_diff){.n_runs = 0};
}

static void grow(struct ps_tree_diff *diff, size_t cap)
{
    const size_t old = diff->cap * diff->n_runs, wanted = cap * diff->n_runs;

    for (unsigned i = 0; i < diff->n_columns; i++) {
        diff->columns[i] = ps_grow(diff->columns[i], wanted, sizeof *diff->columns[i]);
        memset(diff->columns[i] + old, 0, (wanted - old) * sizeof *diff->columns[i]);
    }
    diff->presence = ps_grow(diff->presence, wanted, sizeof *diff->presence);
    memset(diff->presence + old, PS_PATH_ABSENT, wanted - old);
    diff->cap = cap;
}

uint32_t ps_tree_diff_node(struct ps_tree_diff *diff, uint32_t parent, uint32_t name, size_t run)
{
    const uint32_t node = ps_tree_child(&diff->tree, parent, name, 0, 0);

    if (node >= diff->cap)
        grow(diff, (size_t)node * 2 + 1024);
    diff->presence[node * diff->n_runs + run] = PS_PATH_PRESENT;
    return node;
}

void ps_tree_diff_restart(struct ps_tree_diff *diff, size_t run)
{
    for (size_t at = run; at < diff->tree.n * diff->n_runs; at += diff->n_runs) {
        diff->presence[at] = PS_PATH_ABSENT;
        for (unsigned i = 0; i < diff->n_columns; i++)
            diff->columns[i][at] = 0;
    }
}

void ps_tree_diff_mark_unknown(struct ps_tree_diff *diff)
{
    for (size_t node = 0; node < diff->tree.n; node++)
        for (size_t run = 0; run < diff->n_runs; run++) {
            uint8_t *presence = &diff->presence[node * diff->n_runs + run];
            const size_t parent = diff->tree.nodes[node].parent;
            const bool is_below = parent != PS_TREE_NONE &&
                                  diff->presence[parent * diff->n_runs + run] >= PS_PATH_OPAQUE;

            if (*presence == PS_PATH_ABSENT &&
                (is_below || (diff->floors && diff->floors[run] > 0)))
                *presence = PS_PATH_UNKNOWN;
        }
}

double ps_tree_diff_mean(const struct ps_tree_diff *diff, unsigned column, uint32_t node,
                         bool is_base)
{
    const struct ps_tree_diff_side side = ps_tree_diff_side(diff, is_base);
    double sum = 0;

    for (size_t i = 0; i < side.n; i++)
        sum += *ps_tree_diff_value(diff, column, node, side.first + i);
    return side.n ? sum / (double)side.n : 0;
}

bool ps_tree_diff_is_unknown(const struct ps_tree_diff *diff, uint32_t node, bool is_base)
{
    const struct ps_tree_diff_side side = ps_tree_diff_side(diff, is_base);
    const uint8_t *presence = &diff->presence[node * diff->n_runs + side.first];
    bool is_open = false;

    for (size_t i = 0; i < side.n; i++) {
        if (presence[i] == PS_PATH_PRESENT || presence[i] == PS_PATH_OPAQUE)
            return false;
        is_open |= presence[i] == PS_PATH_UNKNOWN;
    }
    return is_open;
}

double ps_tree_diff_floor(const struct ps_tree_diff *diff, bool is_base)
{
    const struct ps_tree_diff_side side = ps_tree_diff_side(diff, is_base);
    double floor = 0;

    for (size_t i = 0; i < side.n; i++)
        floor = fmax(floor, diff->floors[side.first + i]);
    return floor;
}

void ps_tree_diff_add_up(struct ps_tree_diff *diff, unsigned column)
{
    for (size_t node = diff->tree.n; node-- > 0 && !ps_context_has_ended();)
        for (size_t run = 0; diff->tree.nodes[node].parent != PS_TREE_NONE && run < diff->n_runs;
             run++)
            *ps_tree_diff_value(diff, column, diff->tree.nodes[node].parent, run) +=
                *ps_tree_diff_value(diff, column, (uint32_t)node, run);
}

static double size_of(const struct ps_tree_diff *diff, uint32_t node)
{
    return fmax(ps_tree_diff_mean(diff, 0, node, true), ps_tree_diff_mean(diff, 0, node, false));
}

void ps_tree_diff_measure(struct ps_tree_diff *diff, double unit)
{
    double largest = 0;

    for (uint32_t node = 0; unit == 0 && node < diff->tree.n; node++)
        largest = fmax(largest, size_of(diff, node));
    for (uint32_t node = 0; node < diff->tree.n; node++) {
        const double size = size_of(diff, node),
                     scaled = unit > 0 ? size / unit : size / largest * LARGEST;

        diff->tree.nodes[node].total = !(size > 0)                  ? 0
                                       : scaled < (double)INT64_MAX ? (int64_t)scaled
                                                                    : INT64_MAX;
    }
}
