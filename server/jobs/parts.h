/* SPDX-License-Identifier: MIT */
/* parts.h: the outcomes for the files of an archive, for the report of its job. */
#ifndef PS_JOBS_PARTS_H
#define PS_JOBS_PARTS_H

#include "server/jobs/import.h"

#define PS_PARTS_LISTED_MAX 200 /* listed files without a run, per archive */

struct ps_job_part {
    const char *name;         /* path in the archive; for the traces of a job, their folder */
    const char *run;          /* id; NULL if there is no run: see err */
    const char *kind;         /* static; NULL without a run */
    bool already_existed;     /* the shelf already had the run */
    bool is_skipped;          /* not a profile */
    const struct ps_err *err; /* PS_OK if there is a run */
};

struct ps_job_parts {
    struct ps_job_part *items;
    size_t n, cap;
    size_t runs, new_runs, n_unlisted; /* runs: parts with a run; n_unlisted: parts
                                   above the maximum, not listed */
    struct ps_arena arena;             /* contains the strings */
};

/* Adds one outcome, as reported by ps_import_all. */
void ps_job_parts_add(struct ps_job_parts *parts, const char *name,
                      const struct ps_import_result *result, const struct ps_err *err);
void ps_job_parts_copy(struct ps_job_parts *out, const struct ps_job_parts *from);
void ps_job_parts_free(struct ps_job_parts *parts);

#endif
