/* SPDX-License-Identifier: MIT */
/*
 * members.h: the profiles in an archive. Each one becomes a separate run, except that the files of
 * one training job become one run.
 */
#ifndef PS_JOBS_MEMBERS_H
#define PS_JOBS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "importers/trace/job_rank.h"

#define PS_MEMBERS_MAX 10000 /* maximum number of files in one archive */

/* Whether the path is a file of a training job. *len: length of the folder part of the path; the
 * workers and spans in one folder are one run. torch's tensorboard_trace_handler names these files
 * WORKER.TIME.pt.trace.json, with .gz if it compresses them. A .pftrace contains no rank, so its
 * name must: "rank0.pftrace". */
bool ps_is_job_member(const char *path, size_t *len);

struct ps_job_file {
    struct ps_str worker; /* folder and worker, a slice of the path: "log/host_4711" */
    struct ps_job_rank rank;
};
struct ps_str ps_job_worker_of(const char *path);
/* `rank`: that in the head of the file. */
struct ps_job_file ps_job_file_of(const char *path, struct ps_job_rank rank);
/* Number of the first of n files of one folder that are one run. All: they are of one worker, of
 * workers with different ranks, or of workers without ranks in old traces. Else those of the first
 * worker; files of one worker must be adjacent. */
size_t ps_job_count_files(const struct ps_job_file *files, size_t n);

struct ps_members;

/* Reads the list of the archive at fd, which must be readable from offset 0 and remains the
 * caller's. *out is NULL, with PS_OK, if the file is not to be unpacked: it is not an archive,
 * contains only one file, or is one run as a whole (the traces of a job). PS_UNKNOWN_KIND: it
 * contains no profile. */
enum ps_status ps_members_read(int fd, struct ps_members **out, struct ps_err *err);
void ps_members_free(struct ps_members *members); /* NULL is allowed */

/* Called for a member. `fd`: a file with its content, or with the merged files of its job, to be
 * read from offset 0. fd -1: the member is skipped because of `why`. False: stop. */
typedef bool ps_member_visit(void *user, const char *name, int fd, const struct ps_err *why);

/* Returns a descriptor of an empty, nameless file, open for reading and writing; -1: see err. */
typedef int ps_member_scratch(void *user, struct ps_err *err);

/* Calls `visit` for each member in the order of the archive, for a job when its last file was read.
 * Content is stored in temporary files: one for the current member, and one for each unfinished
 * job. A damaged archive fails after the members before the damage. */
enum ps_status ps_members_each(struct ps_members *members, ps_member_scratch *scratch,
                               ps_member_visit *visit, void *user, struct ps_err *err);

#endif
