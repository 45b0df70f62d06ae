/* SPDX-License-Identifier: MIT */
/*
 * torch.h: computes PyTorch's view of the slices of a trace.
 *
 *   torch.c         torch's own tree of a host track: self times, merging, memory sums, FLOPs;
 *                   overhead of the profiler; the order in which all of these run
 *   torch_names.c   classifies names: family, collective, hidden, asynchronous
 *   torch_device.c  device work -> the runtime call that launched it -> the operator around that
 *   modules.c       nn.Module rows
 *   steps.c         steps and use of devices (steps.h)
 *
 * Host tracks are processed one at a time and freed; device tracks stay in memory until the last
 * host track is processed.
 */
#ifndef PS_TRACE_TORCH_H
#define PS_TRACE_TORCH_H

#include "importers/trace/memory.h"
#include "importers/trace/track.h"

/* --- torch.c --- */

/* Order of the calls: tr_torch_begin once all device tracks are nested; tr_torch_add_host_track for
 * each host track, before it is written; then tr_torch_add_device_track for each device track,
 * before it is written; tr_torch_end, which writes steps and modules to the sink. `devices` remain
 * in memory until then. `hosts`: host tracks of device threads, whose records are already released.
 */
struct tr_torch;
struct tr_torch *tr_torch_begin(struct tr_trace *trace, struct tr_tracks *devices,
                                const struct tr_tracks *hosts);
enum ps_status tr_torch_add_host_track(struct tr_torch *torch, struct tr_track *track);
enum ps_status tr_torch_add_device_track(struct tr_torch *torch, struct tr_track *track);
enum ps_status tr_torch_end(struct tr_torch *torch);
void tr_torch_free(struct tr_torch *torch);
/* Returns the text id under which key_averages() groups the name: ProfilerStep#7 as ProfilerStep*.
 * 0: the name itself. */
uint32_t tr_torch_group_key(struct tr_trace *trace, uint32_t text_id);

/* --- torch_names.c --- */

/* Properties of a slice that follow from its name. */
enum tr_name_flag {
    TR_NAME_KNOWN = 1,
    TR_NAME_HIDDEN = 2,             /* torch's tables and its tree do not contain the name */
    TR_NAME_COLLECTIVE = 4,         /* host: an operator or annotation of communication */
    TR_NAME_WORK = 8,               /* "nccl:...": started on the thread that requested it */
    TR_NAME_DEVICE_COLLECTIVE = 16, /* device: a kernel of communication */
    TR_NAME_TENSOR_CORE = 32,
    TR_NAME_HOST_WORK = 64, /* TR_NAME_WORK of a backend with separate threads: "gloo:..." */
    TR_NAME_STEP = 128,     /* "ProfilerStep#7": torch groups all steps under one name */
};

/* Operators whose floating point operations torch counts. */
enum tr_flops_kind {
    TR_FLOPS_NONE,
    TR_FLOPS_MM,
    TR_FLOPS_ADDMM,
    TR_FLOPS_BMM,
    TR_FLOPS_BADDBMM,
    TR_FLOPS_ELEMENT,
    TR_FLOPS_CONV2D,
    TR_N_FLOPS
};

struct tr_name {
    uint8_t flags; /* enum tr_name_flag */
    uint8_t family, device_family;
    uint8_t flops_kind; /* enum tr_flops_kind */
};

/* Properties of names by text id, computed on first use. */
struct tr_names {
    const struct tr_trace *trace;
    struct tr_name *properties;
    uint32_t n;
};
/* Returns the family of an operator or kernel, from its name alone. */
uint8_t tr_name_family(struct ps_str name);

struct tr_name tr_name_properties(struct tr_names *names, uint32_t text_id);

/* Rewrites the shapes of templates in the form that torch groups by: torch's tables show an
 * argument that is a list of tensors as [], while the file has the shape of each tensor. */
void tr_normalise_shapes(struct tr_trace *trace);

/* --- torch_device.c --- */

struct tr_correlations;
/* Determines which runtime call launched which device work. Reads all records once. `hosts`: see
 * tr_torch_begin. */
struct tr_correlations *tr_correlations_new(struct tr_trace *trace, struct tr_tracks *devices,
                                            const struct tr_tracks *hosts);
/* Sets launch and operator of the device work that the runtime call at `row` launched, inside of
 * operator `op` of its track (TR_NO_ROW: none). Returns the sum of the durations of that work,
 * ns. */
int64_t tr_correlations_attribute(struct tr_correlations *links, const struct tr_track *track,
                                  uint32_t row, uint32_t op);
/* The same for the work of graphs that the call at `row` recorded: notes `op` as its operator
 * (tr_set_recorded_op), and returns how often and how long that work ran. */
struct tr_graph_replays tr_correlations_attribute_recorded(struct tr_correlations *links,
                                                           const struct tr_track *track,
                                                           uint32_t row, uint32_t op);
/* Whether there is device work that names its operator, but whose launch is not in the file. */
bool tr_correlations_has_orphans(const struct tr_correlations *links);
/* Attributes the device work that names the operator at `row` to this operator. Returns the sum of
 * its durations, ns. */
int64_t tr_correlations_attribute_orphans(struct tr_correlations *links,
                                          const struct tr_track *track, uint32_t row);
void tr_correlations_free(struct tr_correlations *links);
/* Sets the operator of replayed work whose recorded call is known: its column TR_EXTRA_OP is
 * negative until then. Call it after all host tracks of the trace. */
void tr_set_recorded_op(const struct tr_trace *trace, struct tr_track *device, uint32_t row);

/* --- modules.c --- */

/* Collects the nn.Modules of a trace and the cost of their calls. Order of the calls:
 * tr_modules_new; tr_modules_add_track for each host track after it was attributed; tr_modules_end,
 * which writes the modules to the sink. */
struct tr_modules;
struct tr_modules *tr_modules_new(struct tr_trace *trace);
void tr_modules_add_track(struct tr_modules *modules, const struct tr_track *track);
enum ps_status tr_modules_end(struct tr_modules *modules);
void tr_modules_free(struct tr_modules *modules);

#endif
