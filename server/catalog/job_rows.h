/* SPDX-License-Identifier: MIT */
/*
 * job_rows.h: shares the state of imports between the servers of a store. Each job has a row, which
 * the server that runs the job writes and all servers read. A row is slightly out of date: only the
 * server that runs the job has its current state.
 *
 * A shelf that is one folder has no rows. Every function may be called from any thread. Functions
 * that write wait for the database, so the caller must not hold a lock.
 */
#ifndef PS_CATALOG_JOB_ROWS_H
#define PS_CATALOG_JOB_ROWS_H

#include "server/catalog/store.h"

/* Whether the shelf is one that many servers share. */
bool ps_store_is_shared(const struct ps_store *store);

struct ps_job_row {
    uint64_t id; /* 1 and up; never reused within a store */
    bool has_ended;
    const char *state;        /* queued, running, done, failed or cancelled */
    struct ps_str view;       /* JOB of docs/api.md, on one line */
    bool is_ours;             /* this server runs the job, or ran it */
    bool is_cancel_requested; /* cancellation was requested */
    int64_t requested_ms;     /* ms since 1970: when the job was requested */
};

/* A queued job. `view` is called once the number of the job is known. */
struct ps_job_new {
    int64_t requested_ms; /* ms since 1970: when the job was requested */
    void (*view)(void *user, uint64_t id, struct ps_buf *out);
    void *user;
};
/* Assigns a number and inserts a row. For an accepted upload, ps_upload_accept does both. */
enum ps_status ps_job_row_add(struct ps_store *store, const struct ps_job_new *job,
                              uint64_t *id_out, struct ps_err *err);

/* Updates jobs of this server (id, state, ended and view of each) in one transaction. Skips jobs
 * that another server took over. Keeps only the last `keep` ended jobs. */
enum ps_status ps_job_rows_put(struct ps_store *store, const struct ps_job_row *rows, size_t n,
                               size_t keep, struct ps_err *err);

/* Reads one job; its strings are allocated in the arena. PS_NOT_FOUND without a message. With
 * `look`, the database is queried before PS_NOT_FOUND is returned. */
enum ps_status ps_job_row_find(struct ps_store *store, uint64_t id, bool look,
                               struct ps_arena *arena, struct ps_job_row *out, struct ps_err *err);
/* Reads the unfinished jobs and the last `ended` others, newest first; strings are allocated in the
 * arena. Brings the mirror up to date first unless the database is unreachable, so that a client
 * finds every job that was reported to it. */
enum ps_status ps_job_rows_list(struct ps_store *store, size_t ended, struct ps_arena *arena,
                                struct ps_job_row **out, size_t *n_out, struct ps_err *err);

/* Requests that the server that runs the job cancels it. PS_NOT_FOUND without a message;
 * PS_CONFLICT: it has ended. */
enum ps_status ps_job_row_cancel(struct ps_store *store, uint64_t id, struct ps_err *err);

#endif
