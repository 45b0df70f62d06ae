/* SPDX-License-Identifier: MIT */
/*
 * job_rank.h: the rank of a trace of PyTorch, by which the files of one job are told from several
 * recordings. Source: torch/csrc/profiler, chrome_trace exporter of Kineto ("distributedInfo").
 */
#ifndef PS_IMPORTERS_TRACE_JOB_RANK_H
#define PS_IMPORTERS_TRACE_JOB_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define PS_JOB_HEAD_SIZE 65536u /* bytes in which the rank of a trace is searched */

/* The rank of a trace. -1: its head has none, as in traces of PyTorch before 1.13 and in its
 * .pftrace (may_be_old: no rank is written in this format), and in those of processes that are no
 * part of a job. */
struct ps_job_rank {
    int64_t rank;
    bool may_be_old;
};
/* `head`: the first bytes of the trace, decompressed; empty: unknown. */
struct ps_job_rank ps_job_rank_of(struct ps_str head);

#endif
