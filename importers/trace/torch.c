/* SPDX-License-Identifier: MIT */
#include "importers/trace/torch.h"

#include <stdlib.h>

/* Whether Python frames name their callers: torch of 2026, whose tree contains Python frames,
 * writes this. */
static bool has_call_from(const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->n_templates; i++) {
        if (trace->templates[i].call_from)
            return true;
    }
    return false;
}

struct tr_torch *tr_torch_begin(struct tr_trace *trace, struct tr_tracks *devices,
                                const struct tr_tracks *hosts)
{
    struct tr_torch *torch = ps_alloc(sizeof *torch);
    torch->trace = trace;
    torch->devices = devices;
    torch->names.trace = trace;
    torch->frames = has_call_from(trace);
    torch->memory = tr_memory_of(trace);
    tr_torch_shapes(trace);
    torch->flops = tr_flops_new(trace);
    torch->correlations = tr_correlations_new(trace, devices, hosts);
    tr_overheads_find(trace, &torch->overheads);
    torch->steps = tr_steps_new(trace);
    torch->modules = tr_modules_new(trace);
    return torch;
}

/* The export of torch.autograd.profiler has no categories: all its slices are operators. */
static void name_autograd(struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++) {
        tr_room_row(track->room, row);
        if (track->slice_kind[row] == PS_SLICE_OTHER)
            track->slice_kind[row] = PS_SLICE_OP;
    }
}

/* Sets family and self times of an overhead track, whose rows are in the tree of another track. */
static void overhead(const struct tr_torch *torch, struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++)
        track->family[row] = PS_FAMILY_RUNTIME;
    tr_overheads_track(&torch->overheads, track);
}

enum ps_status tr_torch_host(struct tr_torch *torch, struct tr_track *track)
{
    if (torch->trace->autograd)
        name_autograd(track);
    if (track->kind == PS_TRACK_THREAD)
        tr_tree_track(torch, track);
    else if (track->kind == PS_TRACK_OVERHEAD)
        overhead(torch, track);
    tr_steps_track(torch->steps, track);
    tr_modules_track(torch->modules, track);
    return PS_OK;
}

/* Sets family and flags of a device slice. Work whose operator is known already has the operator's
 * family. */
static void paint(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    uint8_t kind = track->slice_kind[row], *family = &track->family[row];
    struct tr_name name = tr_name_of(&torch->names, track->name_id[row]);
    if (kind == PS_SLICE_KERNEL) {
        track->flags[row] |= name.flags & TR_NAME_DEVICE_COLLECTIVE ? PS_SLICE_COLLECTIVE : 0;
        track->flags[row] |= name.flags & TR_NAME_TENSOR_CORE ? PS_SLICE_TENSOR_CORE : 0;
        if (track->flags[row] & PS_SLICE_COLLECTIVE)
            *family = PS_FAMILY_COMMUNICATION;
        else if (*family == PS_FAMILY_NONE || *family == PS_FAMILY_RUNTIME)
            *family = name.device_family;
    } else if (ps_slice_on_device(kind)) {
        track->flags[row] &= (uint8_t)~PS_SLICE_COLLECTIVE;
        *family = PS_FAMILY_MEMORY;
    } else {
        *family = kind == PS_SLICE_GPU_ANNOTATION ? PS_FAMILY_ANNOTATION : PS_FAMILY_RUNTIME;
    }
}

enum ps_status tr_torch_device(struct tr_torch *torch, struct tr_track *track)
{
    /* all host tracks were read: all work is attributed */
    tr_correlations_free(torch->correlations);
    torch->correlations = NULL;
    for (uint32_t row = 0; row < track->n; row++) {
        paint(torch, track, row);
        tr_room_row(track->room, row);
    }
    tr_steps_track(torch->steps, track);
    return PS_OK;
}

enum ps_status tr_torch_end(struct tr_torch *torch)
{
    enum ps_status status = tr_steps_end(torch->steps);
    return status == PS_OK ? tr_modules_end(torch->modules) : status;
}

void tr_torch_free(struct tr_torch *torch)
{
    if (torch == NULL)
        return;
    tr_steps_free(torch->steps);
    tr_modules_free(torch->modules);
    tr_correlations_free(torch->correlations);
    tr_flops_free(torch->flops);
    tr_tree_free(torch);
    free(torch->overheads.at);
    free(torch->names.at);
    free(torch);
}
