/* SPDX-License-Identifier: MIT */
/* job_impl.h: the state of a job; for job.c and job_sink.c alone. */
#ifndef PS_TRACE_JOB_IMPL_H
#define PS_TRACE_JOB_IMPL_H

#include "importers/trace/job.h"

struct tr_job_ids {
    uint32_t template, process, track, counter, step, module;
};

/* A figure of the summary, as the files gave it. */
struct tr_job_figure {
    const char *key;
    struct ps_num first, most;
    double sum;
    int64_t sum_i;
    bool whole; /* all were integers */
    unsigned n;
};

struct tr_job {
    struct ps_sink sink; /* first: what a file's import talks to is a job */
    struct ps_sink *out;
    struct ps_arena arena;
    struct ps_intern workers, names; /* names: texts of all files; text id = intern id + 1 */
    unsigned named, ranked;          /* workers whose name, rank was given */
    uint8_t *given;                  /* by text id - 1: given to out */
    uint32_t n_given;
    const struct tr_trace *trace; /* of the file that is imported now */
    struct ps_str name;
    uint32_t worker, files;
    uint32_t *texts; /* text id of the file -> of the run */
    size_t n_texts;
    struct tr_job_ids base, next; /* ids of this file begin behind base */
    bool clocked, whole_given;
    int64_t base_ns, origin_us; /* of the first file */
    int64_t shift;              /* ns to add to times of this file */
    int64_t first_ns, last_ns;  /* of all tracks, on the run's clock */
    int64_t *column[PS_N_SLICE_COLUMNS];
    struct tr_job_figure *figures;
    size_t n_figures, figures_cap;
    struct ps_ledger ledger;
    struct ps_headline headline;
    unsigned headlines;
};

extern const struct ps_sink_ops tr_job_ops;

struct tr_job_figure *tr_job_figure(struct tr_job *job, const char *key);

#endif
