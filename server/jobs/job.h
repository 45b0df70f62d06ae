/* SPDX-License-Identifier: MIT */
/* job.h: one job, inside this folder only. Its owner is the queue; `cancel` may be set from
 * anywhere, the rest needs the queue's lock except where the worker that runs the job only reads.
 */
#ifndef PS_JOBS_JOB_H
#define PS_JOBS_JOB_H

#include <stdatomic.h>

#include "server/jobs/jobs.h"

struct ps_job {
    struct ps_job *next;
    uint64_t id;
    enum ps_job_state state;
    char *path, *filename, *name, *series, *who, *note;
    char (*merge)[PS_ID_SIZE];
    size_t n_merge;
    struct ps_source_set *set;         /* until it has run */
    struct ps_source_outcomes sources; /* after */
    struct ps_job_parts parts;         /* likewise */
    struct ps_tag *tags;               /* strings malloc'ed, both of each */
    size_t n_tags;
    bool temporary, accepted, begun;
    bool leave;     /* to the next server, once it is cancelled */
    bool lost;      /* another server took it over, and tells of it */
    int64_t upload; /* of an accepted one: its row in the store */
    unsigned tries; /* imports of it that a server did not survive */
    bool waits;     /* taken over, so nobody waits for the answer: until there is room for it */
    struct ps_job_ticket *ticket;
    const char *kind;
    uint64_t bytes_total, bytes_done, records;
    char run[PS_ID_SIZE];
    bool already;
    struct ps_err err;           /* before it has run: why it cannot */
    int64_t created_ms, told_ms; /* told_ms: when progress was last told, of the monotonic clock */
    int64_t row_ms;              /* likewise: the other servers were */
    int row_state;               /* and in which state it was then; -1: none */
    atomic_bool cancel;
    struct ps_jobs *jobs;
};

struct ps_job *ps_job_create(const struct ps_job_request *request);
void ps_job_free(struct ps_job *job);
struct ps_job_view ps_job_view(const struct ps_job *job);
bool ps_job_ended(const struct ps_job *job);

/* Has the store keep the file and its sources for the next server. row: of the job, which gets its
 * number with it; NULL: that is not the store's. */
enum ps_status ps_job_accept(struct ps_job *job, struct ps_store *store, bool promised,
                             const struct ps_job_new *row, struct ps_err *err);
/* It has ended: a temporary file goes, unless it was cancelled and is left to the next server. row:
 * what the servers of a store are told of that, with the end of an upload; NULL: they are not. */
void ps_job_drop_file(struct ps_job *job, struct ps_store *store, bool cancelled,
                      const struct ps_job_row *row);
/* There was no room for it, and it waits. It is no job of this queue any more: free it. */
void ps_job_postpone(struct ps_job *job, struct ps_store *store);

/* What an import says of itself on its way; false: stop. */
typedef bool ps_job_progress(void *user, uint64_t done, uint64_t total, uint64_t records);

struct ps_job_result {
    enum ps_status status;
    struct ps_err err;
    const char *kind;
    char run[PS_ID_SIZE];
    bool already;
    uint64_t rows;
    char *name; /* malloc'ed or NULL */
    struct ps_source_outcomes sources;
    struct ps_job_parts parts;
};

/* Imports the file of the job, be it an archive, or of several runs as one, and attaches its
 * sources. Touches nothing that needs the lock. */
void ps_job_run(struct ps_job *job, struct ps_store *store, const struct ps_sandbox_limits *limits,
                ps_job_progress *progress, struct ps_job_result *out);

#endif
