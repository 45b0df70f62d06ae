/* SPDX-License-Identifier: MIT */
/*
 * serving_files.h: which files of a folder or an archive are one serving job. Results of clients
 * are one run with the log of the engine or the trace in the same folder. Without either, only the
 * files that one tool writes of one result are.
 */
#ifndef PS_JOBS_SERVING_FILES_H
#define PS_JOBS_SERVING_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* What the content of a file says of it. */
struct ps_serving_file_facts {
    int role;     /* enum ps_serving_role; -1: no file of a serving job */
    bool is_view; /* its tool writes several files of the same result */
};
#define PS_SERVING_NO_FACTS ((struct ps_serving_file_facts){.role = -1})

struct ps_serving_candidate {
    struct ps_str folder; /* with the slash at its end */
    struct ps_serving_file_facts facts;
    bool is_of_handler; /* a trace with the name that torch's handler gives (ps_is_job_member) */
    int job;            /* set by ps_serving_find_jobs: from 0, or PS_SERVING_ALONE */
};

#define PS_SERVING_ALONE (-1) /* the file is a run of its own */

struct ps_importer;
struct ps_serving_file_facts ps_serving_facts_of(const struct ps_importer *importer);

/* Sets `job` of each file. Returns the number of jobs. */
size_t ps_serving_find_jobs(struct ps_serving_candidate *files, size_t n);
/* The folder of a job in its archive (importers/serving/job.h). */
const char *ps_serving_archive_folder(const struct ps_serving_candidate *files, size_t n, int job);

#endif
