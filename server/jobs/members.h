/* SPDX-License-Identifier: MIT */
/*
 * members.h: an archive as the profiles that lie in it, each of which becomes a run of its own, and
 * what of several files belongs to one job and is one run.
 */
#ifndef PS_JOBS_MEMBERS_H
#define PS_JOBS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define PS_MEMBERS_MAX 10000 /* files of one archive */

/* The folder of a file of a training job, as a length of its path: the workers and spans in one
 * folder are one run. False: it is no such file. torch's tensorboard_trace_handler calls them
 * WORKER.TIME.pt.trace.json, with .gz where it packs them. */
bool ps_job_folder(const char *path, size_t *len);

struct ps_members;

/* Looks into the archive at fd, which must be readable from offset 0 and stays the caller's. *out
 * is NULL, with PS_OK, when the file is not to be taken apart: it is no archive, holds one file
 * alone, or is one run as it stands (the traces of a job). PS_UNKNOWN_KIND: it holds no profile. */
enum ps_status ps_members_read(int fd, struct ps_members **out, struct ps_err *err);
void ps_members_free(struct ps_members *members); /* NULL is fine */

/* What becomes of a member: `fd` of a file that holds it, or all files of its job, to be read from
 * offset 0; or fd -1 and why it is left out. False: stop. */
typedef bool ps_member_take(void *user, const char *name, int fd, const struct ps_err *why);

/* An empty file without a name, to be written and read; -1: see err. */
typedef int ps_member_scratch(void *user, struct ps_err *err);

/* Shows each in the order of the archive, a job when its last file was read. The bytes lie in
 * temporary files meanwhile, one member at a time (of jobs all). A damaged archive fails after the
 * members before the damage were shown. */
enum ps_status ps_members_each(struct ps_members *members, ps_member_scratch *scratch,
                               ps_member_take *take, void *user, struct ps_err *err);

#endif
