/* SPDX-License-Identifier: MIT */
/*
 * job_rows.h: shares the state of imports between the servers of a store. Each job has a row, which
 * the server that runs the job writes and all servers read. A row may be slightly out of date: only
 * the server that runs the job has the current state.
 *
 * A shelf in a folder has no rows. Every function may be called from any thread. Functions that
 * write wait for the database, so the caller must not hold a lock.
 */
#ifndef PS_CATALOG_JOB_ROWS_H
#define PS_CATALOG_JOB_ROWS_H

#include "server/catalog/store.h"

/* Whether several servers share the shelf (in PostgreSQL). */
bool ps_store_is_shared(const struct ps_store *store);

struct ps_job_row {
    uint64_t id; /* 1 and up; never reused within a store */
    bool has_ended;
    const char *state;        /* queued, running, done, failed or cancelled */
    struct ps_str json;       /* the job as JSON (JOB of docs/api.md), on one line */
    bool is_ours;             /* this server runs the job, or ran it */
    bool is_cancel_requested; /* a user requested the cancellation */
    int64_t requested_ms;     /* ms since 1970: when the job was requested */
};

/* A job to insert, in the state queued. `write_json` appends the JSON of the job (ps_job_row.view);
 * it is called when the number of the job is known. */
struct ps_new_job {
    int64_t requested_ms; /* ms since 1970: when the job was requested */
    void (*write_json)(void *user, uint64_t id, struct ps_buf *out);
    void *user;
};
/* Assigns a number to the job and inserts its row. Do not call it for an accepted upload:
 * ps_upload_accept inserts that row. */
enum ps_status ps_job_row_add(struct ps_store *store, const struct ps_new_job *job,
                              uint64_t *id_out, struct ps_err *err);

/* Updates the rows of jobs of this server in one transaction; reads id, state, has_ended and view
 * of each element. Skips jobs that another server took over. Deletes all ended jobs of the store
 * except the last `keep`. */
enum ps_status ps_job_rows_put(struct ps_store *store, const struct ps_job_row *rows, size_t n,
                               size_t keep, struct ps_err *err);

/* Reads one job; its strings are allocated in the arena. PS_NOT_FOUND without a message. With
 * `look`, applies the changes of other servers before it returns PS_NOT_FOUND. */
enum ps_status ps_job_row_find(struct ps_store *store, uint64_t id, bool look,
                               struct ps_arena *arena, struct ps_job_row *out, struct ps_err *err);
/* Reads the unfinished jobs and the last `ended` ended jobs, newest first. Allocates in the arena.
 * First applies the changes of other servers if the database can be reached, so that a client finds
 * every job that any server reported to it. */
enum ps_status ps_job_rows_list(struct ps_store *store, size_t ended, struct ps_arena *arena,
                                struct ps_job_row **out, size_t *n_out, struct ps_err *err);

/* Requests cancellation of a job from the server that runs it. PS_NOT_FOUND, without a message:
 * there is no such job. PS_CONFLICT: the job has ended. */
enum ps_status ps_job_row_cancel(struct ps_store *store, uint64_t id, struct ps_err *err);

#endif
