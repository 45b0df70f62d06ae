/* SPDX-License-Identifier: MIT */
/*
 * modules.c: the cost of each nn.Module, from the Python rows that torch writes for their calls
 * (with_stack, with_modules).
 *
 * Modules with the same path of outer modules, such as "Linear_0" inside "Encoder_1", are merged.
 * The cost of a module is the cost of all slices inside its rows. It includes only the forward
 * pass, since the backward pass runs outside of modules.
 */
#include "importers/records/steps.h"
#include "importers/trace/track.h"

#include "base/mem.h"
#include "base/saturated.h"
#include "base/tree.h"

#include <stdlib.h>

/* What the node of a module in the tree does not have. */
struct module {
    int64_t device_self_ns, device_total_ns, operators;
    int64_t first_slice;
};

struct tr_modules {
    struct tr_trace *trace;
    struct ps_tree tree; /* keys: text ids of names; self and total: ns on the host; count: calls */
    struct module *items; /* by node */
    size_t n, cap;
};

struct tr_modules *tr_modules_new(struct tr_trace *trace)
{
    struct tr_modules *modules = ps_alloc(sizeof *modules);

    modules->trace = trace;
    return modules;
}

void tr_modules_free(struct tr_modules *modules)
{
    if (!modules)
        return;
    ps_tree_free(&modules->tree);
    free(modules->items);
    free(modules);
}

static uint32_t module_of(struct tr_modules *modules, uint32_t parent, uint32_t name, int64_t slice)
{
    uint32_t node = ps_tree_child(&modules->tree, parent, name, 0, 0);

    if (node == modules->n) {
        PS_RESERVE_ONE(modules->items, modules->n, modules->cap);
        modules->items[modules->n++] = (struct module){.first_slice = slice};
    }
    return node;
}

static bool is_module(const struct tr_modules *modules, const struct tr_track *track, uint32_t row)
{
    return track->slice_kind[row] == PS_SLICE_PYTHON &&
               track->template[row] < modules -> trace -> n_templates && modules -> trace
           -> templates[track->template[row]].python_module >= 0 &&
                  track->template[row] > PS_TEMPLATE_WHOLE;
}

static bool has_modules(const struct tr_modules *modules, const struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++)
        if (is_module(modules, track, row))
            return true;
    return false;
}

static void add_call(struct tr_modules *modules, const struct tr_track *track, uint32_t row,
                     uint32_t module)
{
    struct ps_tree_node *nodes = modules->tree.nodes, *node = &nodes[module];
    int64_t duration = track->duration[row];

    node->count++;
    node->self = ps_add_saturated(node->self, duration);
    node->total = ps_add_saturated(node->total, duration);
    if (node->parent != PS_TREE_NONE)
        nodes[node->parent].self = ps_add_saturated(nodes[node->parent].self, -duration);
}

/* Adds an operator to the module that called it, including the operator's kernels, which are
 * launched inside the operator. */
static void add_operator(struct tr_modules *modules, const struct tr_track *track, uint32_t row,
                         uint32_t module)
{
    uint8_t kind = track->slice_kind[row];

    if (kind != PS_SLICE_OP && kind != PS_SLICE_ANNOTATION)
        return;
    if (track->extra[TR_EXTRA_DEVICE_SELF])
        modules->items[module].device_self_ns = ps_add_saturated(
            modules->items[module].device_self_ns, track->extra[TR_EXTRA_DEVICE_SELF][row]);
    if (kind == PS_SLICE_OP && !(track->flags[row] & PS_SLICE_MERGED))
        modules->items[module].operators++;
}

void tr_modules_add_track(struct tr_modules *modules, const struct tr_track *track)
{
    /* by row: index of the innermost module that contains the row or is the row */
    uint32_t *around;

    if (!has_modules(modules, track))
        return;
    around = tr_scratch_grow(track->scratch, NULL, track->n, sizeof *around);
    for (uint32_t row = 0; row < track->n; row++) {
        uint32_t parent = track->parent[row]; /* a lower row, since rows are sorted by start */

        tr_scratch_count_row(track->scratch, row);
        around[row] = parent < row ? around[parent] : PS_TREE_NONE;
        if (is_module(modules, track, row)) {
            around[row] =
                module_of(modules, around[row], track->name_id[row], ps_slice_id(track->id, row));
            add_call(modules, track, row, around[row]);
        } else if (around[row] != PS_TREE_NONE) {
            add_operator(modules, track, row, around[row]);
        }
    }
    tr_scratch_free(track->scratch, around);
}

enum ps_status tr_modules_end(struct tr_modules *modules)
{
    const struct ps_skeleton skeleton = ps_tree_skeleton(&modules->tree);
    struct ps_sink *out = modules->trace->out;

    for (size_t i = 0; i < modules->n; i++)
        modules->items[i].device_total_ns = modules->items[i].device_self_ns;
    if (modules->n) {
        ps_skeleton_add_up(&skeleton, &modules->items->device_total_ns, sizeof *modules->items);
        ps_skeleton_add_up(&skeleton, &modules->items->operators, sizeof *modules->items);
    }
    for (size_t i = 0; i < modules->n; i++) {
        const struct ps_tree_node *node = &modules->tree.nodes[i];
        const struct module *module = &modules->items[i];
        struct ps_str name = tr_text_of_id(modules->trace, node->key), word = PS_STR("nn.Module: ");
        struct ps_module row = {
            .id = (uint32_t)i + 1,
            .parent = node->parent + 1, /* PS_TREE_NONE + 1 is 0 */
            .name = ps_str_starts_with(name, word) ? ps_str_skip(name, word.len) : name,
            .n_calls = node->count,
            .host_self_ns = node->self,
            .host_total_ns = node->total,
            .device_self_ns = module->device_self_ns,
            .device_total_ns = module->device_total_ns,
            .n_operators = module->operators,
            .first_slice = module->first_slice,
        };

        out->ops->module(out, &row);
    }
    return out->err.code;
}
