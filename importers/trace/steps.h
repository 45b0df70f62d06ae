/* SPDX-License-Identifier: MIT */
/*
 * steps.h: the steps of a training loop, the breakdown of their time, and the utilization of each
 * device.
 *
 * Order of the calls: tr_steps_new; tr_steps_add_track for each host track, then for each device
 * track, after it was attributed; tr_steps_end, which writes steps, their parts, devices and gaps
 * to the sink.
 */
#ifndef PS_TRACE_STEPS_H
#define PS_TRACE_STEPS_H

#include "importers/trace/track.h"

#define TR_GAPS_MAX 10000 /* maximum number of gaps that are written: the longest */
enum { TR_GAP_HOST_WAIT, TR_GAP_KERNEL_WAIT, TR_GAP_OTHER, TR_N_GAP_CAUSES };

struct tr_steps;
struct tr_steps *tr_steps_new(struct tr_trace *trace);
void tr_steps_add_track(struct tr_steps *steps, const struct tr_track *track);
enum ps_status tr_steps_end(struct tr_steps *steps);
void tr_steps_free(struct tr_steps *steps);

#endif
