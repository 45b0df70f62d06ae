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

#include "base/hash_table.h"
#include "base/mem.h"
#include "slices/intervals.h"

#include <stdlib.h>

struct module {
    uint32_t parent; /* index in tr_modules.items; NO_MODULE: no parent */
    uint32_t name;
    int64_t calls, host_self_ns, host_total_ns, device_self_ns, device_total_ns, operators;
    int64_t first_slice;
};

#define NO_MODULE UINT32_MAX

struct tr_modules {
    struct tr_trace *trace;
    struct module *items; /* parents before children */
    size_t n, cap;
    struct ps_hash_table by_path; /* (parent, name) -> index in items */
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
    free(modules->items);
    ps_hash_table_free(&modules->by_path);
    free(modules);
}

struct module_key {
    uint32_t parent, name;
};

static bool is_of_path(const void *items, uint32_t index, const void *of)
{
    const struct module *module = (const struct module *)items + index;
    const struct module_key *key = of;

    return module->parent == key->parent && module->name == key->name;
}

static uint32_t module_of(struct tr_modules *modules, uint32_t parent, uint32_t name, int64_t slice)
{
    const struct module_key key = {parent, name};
    uint32_t index =
        ps_hash_table_add(&modules->by_path, ps_hash_u64((uint64_t)parent << 32 | name),
                          (uint32_t)modules->n, is_of_path, modules->items, &key);

    if (index == modules->n) {
        PS_RESERVE_ONE(modules->items, modules->n, modules->cap);
        modules->items[modules->n++] =
            (struct module){.parent = parent, .name = name, .first_slice = slice};
    }
    return index;
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
    struct module *of = &modules->items[module];
    int64_t duration = track->duration[row];

    of->calls++;
    of->host_self_ns = ps_add_saturated(of->host_self_ns, duration);
    of->host_total_ns = ps_add_saturated(of->host_total_ns, duration);
    if (of->parent != NO_MODULE)
        modules->items[of->parent].host_self_ns =
            ps_add_saturated(modules->items[of->parent].host_self_ns, -duration);
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
        around[row] = parent < row ? around[parent] : NO_MODULE;
        if (is_module(modules, track, row)) {
            around[row] =
                module_of(modules, around[row], track->name_id[row], ps_slice_id(track->id, row));
            add_call(modules, track, row, around[row]);
        } else if (around[row] != NO_MODULE) {
            add_operator(modules, track, row, around[row]);
        }
    }
    tr_scratch_free(track->scratch, around);
}

enum ps_status tr_modules_end(struct tr_modules *modules)
{
    struct ps_sink *out = modules->trace->out;

    for (size_t i = 0; i < modules->n; i++)
        modules->items[i].device_total_ns = modules->items[i].device_self_ns;
    for (size_t i = modules->n; i-- > 0;) {
        const struct module *module = &modules->items[i];

        if (module->parent != NO_MODULE) {
            struct module *parent = &modules->items[module->parent];

            parent->device_total_ns =
                ps_add_saturated(parent->device_total_ns, module->device_total_ns);
            parent->operators += module->operators;
        }
    }
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *module = &modules->items[i];
        struct ps_str name = tr_text_of_id(modules->trace, module->name),
                      word = PS_STR("nn.Module: ");
        struct ps_module row = {
            .id = (uint32_t)i + 1,
            .parent = module->parent == NO_MODULE ? 0 : module->parent + 1,
            .name = ps_str_starts_with(name, word) ? ps_str_skip(name, word.len) : name,
            .n_calls = module->calls,
            .host_self_ns = module->host_self_ns,
            .host_total_ns = module->host_total_ns,
            .device_self_ns = module->device_self_ns,
            .device_total_ns = module->device_total_ns,
            .n_operators = module->operators,
            .first_slice = module->first_slice,
        };

        out->ops->module(out, &row);
    }
    return out->err.code;
}
