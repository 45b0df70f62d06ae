/* SPDX-License-Identifier: MIT */
/* parts.h: what became of the files of an archive, as its job tells it. */
#ifndef PS_JOBS_PARTS_H
#define PS_JOBS_PARTS_H

#include "server/jobs/import.h"

#define PS_PARTS_TOLD_MAX 200 /* files without a run that are told of one archive */

struct ps_job_part {
    const char *name;         /* path in the archive, of the traces of a job their folder */
    const char *run;          /* id; NULL: see err */
    const char *kind;         /* static; NULL without a run */
    bool already;             /* the shelf had it */
    bool left_out;            /* no profile */
    const struct ps_err *err; /* PS_OK with a run */
};

struct ps_job_parts {
    struct ps_job_part *at;
    size_t n, cap;
    size_t runs, fresh, untold; /* fresh: runs that were not there; untold: parts beyond the most */
    struct ps_arena arena;      /* holds the texts */
};

/* One more, as ps_import_all tells of it. */
void ps_job_parts_add(struct ps_job_parts *parts, const char *name,
                      const struct ps_import_result *result, const struct ps_err *err);
void ps_job_parts_copy(struct ps_job_parts *out, const struct ps_job_parts *from);
void ps_job_parts_free(struct ps_job_parts *parts);

#endif
