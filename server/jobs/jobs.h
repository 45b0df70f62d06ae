/* SPDX-License-Identifier: MIT */
/*
 * jobs.h: imports that wait and run beside the server: a queue, a few workers over ps_import_file,
 * and what became of the last ones.
 *
 * A job is queued, then running, then done, failed or cancelled. Whoever wants to know what happens
 * gives callbacks; they come from the thread that changed the job. Every function may be called
 * from any thread.
 *
 * Servers that share a store show each other's jobs: each one writes what becomes of its own into
 * the store (server/catalog/job_rows.h), a moment later and progress once a second, and reads there
 * of the others'.
 */
#ifndef PS_JOBS_JOBS_H
#define PS_JOBS_JOBS_H

#include "server/jobs/parts.h"
#include "server/jobs/sources.h"

struct ps_jobs;

enum ps_job_state { PS_JOB_QUEUED, PS_JOB_RUNNING, PS_JOB_DONE, PS_JOB_FAILED, PS_JOB_CANCELLED };

const char *ps_job_state_word(enum ps_job_state state); /* of JOB in docs/api.md */

/* A job as it is now; the strings are valid for as long as whoever shows it says. */
struct ps_job_view {
    uint64_t id;
    enum ps_job_state state;
    struct ps_str text; /* of a job of another server: JOB as that one wrote it, and nothing else
                           but id and state is known; else empty */
    const char *name;   /* as given, then as the run is called */
    const char *kind;   /* NULL until known */
    uint64_t bytes_total, bytes_done, records;
    const char *run;          /* the id of the run, NULL before and after a failure */
    bool already;             /* the shelf had these bytes */
    const struct ps_err *err; /* PS_OK unless failed or cancelled */
    int64_t created_ms;       /* since 1970 */
    const struct ps_source_outcomes *sources; /* of the sources it came with; empty without any */
    const struct ps_job_parts *parts; /* of an archive, once it has ended: then `run` is the first
                                         of its runs, `already` says that all were there, and the
                                         job is done when there is one; empty for a profile */
};

/* Who waits for one job: embedded in what they keep about it, told once when it has ended. */
struct ps_job_ticket {
    void (*ended)(struct ps_job_ticket *ticket, const struct ps_job_view *job);
};

struct ps_jobs_config {
    struct ps_store *store;
    unsigned workers;
    size_t listed; /* finished jobs that ps_jobs_each shows */
    size_t keep;   /* and that ps_jobs_show finds: who uploaded with many others asks late */
    size_t most;   /* unfinished ones beyond which none is added; 0: any number */
    const struct ps_sandbox_limits *limits; /* of each import; NULL: the usual ones */
    /* Something about a job changed: each state, and progress at most ten times a second. Called
     * with the queue locked: must be quick and must not call back. May be NULL. */
    void (*changed)(void *user, const struct ps_job_view *job);
    /* Writes JOB, on one line, for servers that share the store. NULL: they are told nothing. */
    void (*write)(struct ps_buf *out, const struct ps_job_view *job);
    /* A job has ended. Called once for each, after its last `changed` and before its ticket, with
     * nothing locked. May be NULL. */
    void (*ended)(void *user, const struct ps_job_view *job);
    void *user;
};

struct ps_job_request {
    char *path;     /* malloc'ed; the job's from now on. NULL: merge */
    bool temporary; /* a file of the spool, removed at the end */
    bool accepted;  /* it lies in the spool and outlives this process, with its sources: the
                       next server imports it. Needs temporary */
    bool promised;  /* accepted, and so told before the import ends: a power loss too */
    const char *const *merge; /* ids of line_profiler runs whose originals are imported as one;
                                 copied */
    size_t n_merge;
    uint64_t bytes;
    const char *filename, *name, *series, *who, *note; /* copied; NULL is "" */
    const struct ps_tag *tags;                         /* copied */
    size_t n_tags;
    struct ps_job_ticket *ticket;  /* may be NULL */
    struct ps_source_set *sources; /* attached to the run, also when it was there; held by the job
                                      besides the caller. May be NULL */
};

enum ps_status ps_jobs_start(const struct ps_jobs_config *config, struct ps_jobs **out,
                             struct ps_err *err);

/* PS_UNAVAILABLE: `most` wait, none is added at present. */
enum ps_status ps_jobs_room(struct ps_jobs *jobs, struct ps_err *err);
/* Queues an import and returns the id of its job: 1, 2, ... of this process, or of a shared store.
 * PS_UNAVAILABLE after ps_jobs_stop has begun, while `most` wait, or while a shared store is away;
 * request->path is consumed either way. */
enum ps_status ps_jobs_add(struct ps_jobs *jobs, const struct ps_job_request *request,
                           uint64_t *id_out, struct ps_err *err);

/* Queues what servers that died had accepted. What they died of twice fails instead. */
enum ps_status ps_jobs_resume(struct ps_jobs *jobs, struct ps_err *err);

/* Shows one job, or all unfinished ones and the last finished ones, newest first; those of other
 * servers too. `show` runs with the queue locked. */
enum ps_status ps_jobs_show(struct ps_jobs *jobs, uint64_t id,
                            void (*show)(void *user, const struct ps_job_view *job), void *user,
                            struct ps_err *err);
enum ps_status ps_jobs_each(struct ps_jobs *jobs,
                            void (*show)(void *user, const struct ps_job_view *job), void *user,
                            struct ps_err *err);
/* Another server wrote about this job (changes.h), or about any with id 0: one of that server is
 * `changed`, one of ours may be asked to end. */
void ps_jobs_heard(struct ps_jobs *jobs, uint64_t id);

/* A queued job is cancelled at once, a running one at its next step (it may still end as done), one
 * of another server when that one hears of it. PS_CONFLICT: it has ended. */
enum ps_status ps_jobs_cancel(struct ps_jobs *jobs, uint64_t id, struct ps_err *err);
void ps_jobs_cancel_all(struct ps_jobs *jobs);
/* The same, but what was accepted is left to the next server. Returns how many that were. */
size_t ps_jobs_leave_all(struct ps_jobs *jobs);

/* Jobs that are queued or running. */
size_t ps_jobs_unfinished(struct ps_jobs *jobs);

/* No new jobs; those there are end (cancel them first to hurry). Frees everything. NULL is fine. */
void ps_jobs_stop(struct ps_jobs *jobs);

#endif
