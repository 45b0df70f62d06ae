/* SPDX-License-Identifier: MIT */
/*
 * jobs.h: background imports of the server: a queue, a few workers that call ps_import_file, and
 * the results of the last jobs.
 *
 * A job is queued, then running, then done, failed or cancelled. Changes are reported through
 * callbacks, on the thread that changed the job. Every function may be called from any thread.
 *
 * Servers that share a store show each other's jobs: each one writes the state of its own jobs into
 * the store (server/catalog/job_rows.h), with a short delay and progress once a second, and reads
 * the jobs of the others there.
 */
#ifndef PS_JOBS_JOBS_H
#define PS_JOBS_JOBS_H

#include "server/jobs/parts.h"
#include "server/jobs/sources.h"

struct ps_jobs;

enum ps_job_state { PS_JOB_QUEUED, PS_JOB_RUNNING, PS_JOB_DONE, PS_JOB_FAILED, PS_JOB_CANCELLED };

const char *ps_job_state_word(enum ps_job_state state); /* the state in JOB of docs/api.md */

/* The state of a job; its strings are valid during the callback. */
struct ps_job_view {
    uint64_t id;
    enum ps_job_state state;
    /* a job of another server: its JOB as that server wrote it; apart from it, only id and state
     * are set; "": a job of this server */
    struct ps_str text;
    const char *name; /* the requested name, later the name of the run */
    const char *kind; /* NULL until known */
    uint64_t bytes_total, bytes_done, records;
    const char *run;          /* id of the run; NULL before the end and after a failure */
    bool already_existed;     /* the shelf already had these bytes */
    const struct ps_err *err; /* PS_OK unless failed or cancelled */
    int64_t created_ms;       /* since 1970 */
    const struct ps_source_outcomes *sources; /* outcomes of the uploaded sources; may be empty */
    /* The files of an archive, once the job has ended; empty for a profile. For an archive, `run`
     * is the first of its runs, `already_existed` is true if all runs existed before, and the job
     * is done if there is at least one run. */
    const struct ps_job_parts *parts;
};

/* A caller that waits for one job: embedded in the caller's own structure. `on_ended` is called
 * once, when the job has ended. */
struct ps_job_ticket {
    void (*on_ended)(struct ps_job_ticket *ticket, const struct ps_job_view *job);
};

struct ps_jobs_config {
    struct ps_store *store;
    unsigned workers;
    size_t listed_max; /* maximum number of ended jobs that ps_jobs_each shows */
    /* maximum number of ended jobs that ps_jobs_show can find: clients with many uploads ask late
     */
    size_t kept_max;
    size_t unfinished_max;                  /* maximum number of unfinished jobs; 0: no limit */
    const struct ps_sandbox_limits *limits; /* of each import; NULL: the defaults */
    /* Called for each change of state, and for progress at most ten times a second. The queue is
     * locked: the callback must return quickly and must not call functions of this file. May be
     * NULL. */
    void (*changed)(void *user, const struct ps_job_view *job);
    /* Writes JOB, on one line, for the servers that share the store. NULL: nothing is published. */
    void (*write)(struct ps_buf *out, const struct ps_job_view *job);
    /* Called once for each job that has ended, after its last `changed` and before its ticket,
     * without a lock. May be NULL. */
    void (*on_ended)(void *user, const struct ps_job_view *job);
    void *user;
};

struct ps_job_request {
    char *path; /* malloc'ed; owned by the job once it is queued. NULL: the job merges runs */
    bool is_temporary; /* a file of the spool, deleted at the end */
    /* The file and its sources remain in the spool if this process stops, and the next server
     * imports them. Only with is_temporary. */
    bool is_accepted;
    /* The client gets a reply before the import ends, so the file and its sources are synced to
     * disk first. Only with is_accepted. */
    bool replies_early;
    /* ids of runs whose originals are merged into one run (ps_merge_supports); copied */
    const char *const *merge_ids;
    size_t n_merge_ids;
    const char *merge_folder; /* static; of a serving job (ps_import_process_merge); NULL: none */
    uint64_t bytes;
    const char *filename, *name, *series, *user_name, *note; /* copied; NULL means "" */
    const struct ps_tag *tags;                               /* copied */
    size_t n_tags;
    struct ps_job_ticket *ticket; /* may be NULL */
    /* attached to the run, even if it existed before; the job holds its own reference. May
     * be NULL. */
    struct ps_source_set *sources;
};

enum ps_status ps_jobs_start(const struct ps_jobs_config *config, struct ps_jobs **out,
                             struct ps_err *err);

/* PS_UNAVAILABLE: config.unfinished_max jobs are unfinished, so ps_jobs_add would fail. */
enum ps_status ps_jobs_check_limit(struct ps_jobs *jobs, struct ps_err *err);
/* Queues an import and returns the id of its job: 1, 2, ... in this process or in the shared store.
 * PS_UNAVAILABLE after ps_jobs_stop has begun, while config.unfinished_max jobs are unfinished, or
 * while a shared store is unreachable. request->path is consumed in any case. */
enum ps_status ps_jobs_add(struct ps_jobs *jobs, const struct ps_job_request *request,
                           uint64_t *id_out, struct ps_err *err);

/* Queues uploads that crashed servers had accepted. An upload during which two servers crashed
 * fails. */
enum ps_status ps_jobs_resume(struct ps_jobs *jobs, struct ps_err *err);

/* ps_jobs_show shows one job. ps_jobs_each shows all unfinished jobs and the last ended ones,
 * newest first. Both include jobs of other servers. `show` is called with the queue locked. */
enum ps_status ps_jobs_show(struct ps_jobs *jobs, uint64_t id,
                            void (*show)(void *user, const struct ps_job_view *job), void *user,
                            struct ps_err *err);
enum ps_status ps_jobs_each(struct ps_jobs *jobs,
                            void (*show)(void *user, const struct ps_job_view *job), void *user,
                            struct ps_err *err);
/* Called when another server has changed this job (changes.h), or possibly any job (id 0): reports
 * jobs of other servers to `changed` and cancels own jobs if requested. */
void ps_jobs_on_change(struct ps_jobs *jobs, uint64_t id);

/* A queued job is cancelled at once, a running one at its next step (it may still end as done), a
 * job of another server when that server reads the request. PS_CONFLICT: the job has ended. */
enum ps_status ps_jobs_cancel(struct ps_jobs *jobs, uint64_t id, struct ps_err *err);
void ps_jobs_cancel_all(struct ps_jobs *jobs);
/* Like ps_jobs_cancel_all, but accepted uploads are left to the next server. Returns their
 * number. */
size_t ps_jobs_hand_over_all(struct ps_jobs *jobs);

/* Number of jobs that are queued or running. */
size_t ps_jobs_unfinished(struct ps_jobs *jobs);

/* Refuses new jobs, waits for the others (cancel them first to hurry) and frees everything. NULL is
 * allowed. */
void ps_jobs_stop(struct ps_jobs *jobs);

#endif
