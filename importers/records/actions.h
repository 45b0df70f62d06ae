/* SPDX-License-Identifier: MIT */
/* actions.h: reports of the profilers of PyTorch Lightning. */
#ifndef PS_RECORDS_ACTIONS_H
#define PS_RECORDS_ACTIONS_H

#include "base/num.h"
#include "base/str.h"

/* A profiler report of PyTorch Lightning, written before its actions. */
struct ps_section {
    uint32_t id;         /* from 1 */
    struct ps_str stage; /* "FIT"; empty: unknown */
    /* from the Total row of the report; none if the report has no such row */
    struct ps_num total_s, calls;
};

/* An action timed by PyTorch Lightning's profiler. */
struct ps_action {
    uint32_t id; /* from 1, over all sections */
    uint32_t section;
    struct ps_str name; /* "[LightningModule]Net.training_step" */
    struct ps_num calls, mean_s, total_s, pct;
    uint32_t report; /* id of the ps_report with its functions; 0: none */
};

#endif
