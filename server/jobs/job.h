/* SPDX-License-Identifier: MIT */
/* job.h: one job; for this folder only. The queue owns it. `cancel` may be set by any thread; the
 * other fields need the lock of the queue, except that the worker of the job may read them without
 * it. */
#ifndef PS_JOBS_JOB_H
#define PS_JOBS_JOB_H

#include <stdatomic.h>

#include "server/jobs/jobs.h"

struct ps_job {
    struct ps_job *next;
    uint64_t id;
    enum ps_job_state state;
    char *path, *filename, *name, *series, *user_name, *note;
    char (*merge_ids)[PS_ID_SIZE]; /* copies of ps_job_request.merge_ids */
    size_t n_merge_ids;
    const char *merge_folder;          /* static; "": not the files of a serving job */
    struct ps_source_set *source_set;  /* NULL once the job has ended */
    struct ps_source_outcomes sources; /* set when the job has ended */
    struct ps_job_parts parts;         /* set when the job has ended */
    struct ps_tag *tags;               /* keys and values are malloc'ed */
    size_t n_tags;
    bool is_temporary, is_accepted, has_begun;
    bool is_handed_over; /* when the job is cancelled, the next server imports the upload */
    bool is_taken_over;  /* another server took the job over and reports its progress */
    int64_t upload;      /* id of the accepted upload in the store; 0: none */
    unsigned tries;      /* number of servers that stopped while importing it */
    /* The upload was taken over in a shared store. No client waits for the reply, so the import
     * waits until there is space. */
    bool waits_for_space;
    struct ps_job_ticket *ticket;
    const char *kind;
    uint64_t bytes_total, bytes_done, records;
    char run[PS_ID_SIZE];
    bool already_existed;
    struct ps_err err; /* set before the import: the reason why it is not possible */
    /* created_ms: since 1970; reported_ms: monotonic time of the last progress report */
    int64_t created_ms, reported_ms;
    int64_t row_ms; /* monotonic time of the last report to other servers */
    int row_state;  /* state in the last report to other servers; -1: not reported yet */
    atomic_bool cancel;
    struct ps_jobs *jobs;
};

struct ps_job *ps_job_create(const struct ps_job_request *request);
void ps_job_free(struct ps_job *job);
struct ps_job_view ps_job_view(const struct ps_job *job);
bool ps_job_ended(const struct ps_job *job);

/* Records the upload and its sources in the store, so that the next server can import them.
 * replies_early: syncs the files to disk. row: the row for the job table of a shared store, which
 * sets the id of the job; NULL: none. */
enum ps_status ps_job_accept(struct ps_job *job, struct ps_store *store, bool replies_early,
                             const struct ps_new_job *row, struct ps_err *err);
/* Deletes the temporary file of a job that has ended, unless the job was cancelled and handed over
 * to the next server. row: the final state for other servers, written together with the end of an
 * upload; NULL: none. */
void ps_job_drop_file(struct ps_job *job, struct ps_store *store, bool cancelled,
                      const struct ps_job_row *row);
/* Postpones an upload for which there was no space, so that it is read from the store again later.
 * The job must have been removed from the queue; free it afterwards. */
void ps_job_postpone(struct ps_job *job, struct ps_store *store);

/* Progress of an import; false: stop. */
typedef bool ps_job_progress(void *user, uint64_t done, uint64_t total, uint64_t records);

struct ps_job_result {
    enum ps_status status;
    struct ps_err err;
    const char *kind;
    char run[PS_ID_SIZE];
    bool already_existed;
    uint64_t rows;
    char *name; /* malloc'ed or NULL */
    struct ps_source_outcomes sources;
    struct ps_job_parts parts;
};

/* Imports the file of the job (a profile or an archive), or merges several runs into one, and
 * attaches the sources. Uses nothing that needs the lock. */
void ps_job_run(struct ps_job *job, struct ps_store *store, const struct ps_sandbox_limits *limits,
                ps_job_progress *progress, struct ps_job_result *out);

#endif
