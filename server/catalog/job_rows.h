/* SPDX-License-Identifier: MIT */
/*
 * job_rows.h: imports as the servers of a store tell each other of them: a row for each, which the
 * server that has it in hand writes, and which any of them reads. A row is what happened, a little
 * later: whoever has the job in hand knows better.
 *
 * A shelf that is one folder has no rows. Every function may be called from any thread; those that
 * write wait for the database, so no lock is to be held.
 */
#ifndef PS_CATALOG_JOB_ROWS_H
#define PS_CATALOG_JOB_ROWS_H

#include "server/catalog/store.h"

/* Whether the shelf is one that many servers share. */
bool ps_store_is_shared(const struct ps_store *store);

struct ps_job_row {
    uint64_t id; /* 1 and up; no two jobs of a store ever have the same */
    bool ended;
    const char *state;  /* its word: queued, running, done, failed, cancelled */
    struct ps_str view; /* JOB of docs/api.md, on one line */
    bool ours;          /* this server has it in hand, or had */
    bool cancel;        /* somebody asked for its end */
    int64_t at;         /* ms since 1970: when it was asked for */
};

/* A job that is queued. Its view is written once its number is known. */
struct ps_job_new {
    int64_t at; /* as above */
    void (*view)(void *user, uint64_t id, struct ps_buf *out);
    void *user;
};
/* Gives it a number and a row. That of an accepted upload gets both with it (ps_upload_accept). */
enum ps_status ps_job_row_add(struct ps_store *store, const struct ps_job_new *job,
                              uint64_t *id_out, struct ps_err *err);

/* What became of jobs of this server: id, state, ended and view of each, in one transaction. What
 * another server took over is left as it is. Of those that have ended the last `keep` stay. */
enum ps_status ps_job_rows_put(struct ps_store *store, const struct ps_job_row *rows, size_t n,
                               size_t keep, struct ps_err *err);

/* One job; its strings go to the arena. PS_NOT_FOUND without text. `look`: asks the database before
 * it says so. */
enum ps_status ps_job_row_find(struct ps_store *store, uint64_t id, bool look,
                               struct ps_arena *arena, struct ps_job_row *out, struct ps_err *err);
/* The unfinished ones and the last `ended` others, newest first, as the database has them unless it
 * is away: who was told of a job finds it. All goes to the arena. */
enum ps_status ps_job_rows_list(struct ps_store *store, size_t ended, struct ps_arena *arena,
                                struct ps_job_row **out, size_t *n_out, struct ps_err *err);

/* Asks whoever has it in hand to end it. PS_NOT_FOUND without text; PS_CONFLICT: it has ended. */
enum ps_status ps_job_row_cancel(struct ps_store *store, uint64_t id, struct ps_err *err);

#endif
