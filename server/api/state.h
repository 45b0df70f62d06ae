/* SPDX-License-Identifier: MIT */
/* state.h: state and helpers that the handlers share. Only files of this folder include it. */
#ifndef PS_API_STATE_H
#define PS_API_STATE_H

#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdatomic.h>

#include "server/api/access.h"
#include "server/api/api.h"
#include "server/catalog/changes.h"
#include "server/http/hub.h"
#include "server/http/work.h"
#include "server/query/reads.h"

/* Topics of the hub: events of a job use the job's id (from 1), events of the shelf use
 * PS_TOPIC_SHELF. Only subscribers of PS_TOPIC_ALL receive events of the shelf. */
#define PS_TOPIC_SHELF UINT64_MAX

/* Limits for an SQL statement of a user. */
struct ps_sql_limits {
    int64_t seconds, max_seconds; /* time limit: default, and maximum that a request may set */
    int64_t rows, max_rows;       /* rows of a file: default, and maximum that a request may set */
    /* memory of SQLite, and size of a result file, in bytes; 0: no limit */
    size_t memory_bytes, result_bytes;
};
extern const struct ps_sql_limits ps_sql_limits_server, ps_sql_limits_local; /* defined in sql.c */

struct ps_api {
    struct ps_api_config config;
    const struct ps_route *routes; /* the table of all URLs, for tools of AI agents */
    size_t n_routes;
    struct ps_store *store;
    struct ps_jobs *jobs;
    struct ps_hub *hub;
    struct ps_access access;
    /* Identifies the build of the program; part of the ETag of computed responses. */
    char build[20];
    pthread_t watcher;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool has_watcher, is_stopping;
    struct ps_sql_limits sql_limits;
    /* Threads for the SQL statements of users, so that the statements do not delay other requests.
     * NULL: statements run in the calling thread. */
    struct ps_work *sql_workers;
    atomic_uint sql_pending; /* number of statements that are running or waiting */
    /* Calls of tools by AI agents (mcp.c). mcp_api: the same shelf for handlers that a tool calls
     * on its own thread. */
    struct ps_api *mcp_api;
    struct ps_work *mcp_workers;
    pthread_mutex_t mcp_lock; /* of the two members below */
    struct ps_mcp_task *mcp_tasks;
    unsigned mcp_pending;
    atomic_bool is_closing; /* running SQL statements must stop */
};

static inline struct ps_api *ps_request_api(const struct ps_request *req)
{
    return req->app;
}

/* Resolves the run in the first path argument to its full id, allocated in the request's arena. */
enum ps_status ps_api_resolve_run(struct ps_request *req, const char **id_out, struct ps_err *err);
/* Fails with PS_FORBIDDEN unless the user may delete the run: users may delete their own runs,
 * admins all runs. */
enum ps_status ps_api_check_may_delete(struct ps_request *req, const char *id, struct ps_err *err);
/* Parses the job id in the first path argument: "j12" is 12. PS_NOT_FOUND: it is not a job id. */
enum ps_status ps_api_parse_job_id(const struct ps_request *req, uint64_t *id_out,
                                   struct ps_err *err);
/* Writes JOB of docs/api.md as a value. */
void ps_job_json(struct ps_json *out, const struct ps_job_view *job);
/* Writes the outcomes for the files of an archive as an array. */
void ps_job_parts_json(struct ps_json *out, const struct ps_job_parts *parts);
/* Writes the outcomes for the uploaded sources as an array. */
void ps_source_outcomes_json(struct ps_json *out, const struct ps_source_outcomes *sources);
/* Returns the parameters of the request in the form that queries use, allocated in the request's
 * arena. */
struct ps_params ps_api_get_params(struct ps_request *req);

/* Sends an event to all clients: a run was published or changed. */
void ps_api_send_run_event(struct ps_api *api, const char *id);
/* Sends an event to all clients: the catalog changed, reload the list. */
void ps_api_send_shelf_event(struct ps_api *api, int64_t version);
/* Sends an event for a change by another server (changes.h). `user` is the struct ps_api. */
void ps_api_on_change(void *user, const struct ps_row_change *change);

/* Labels of a run in a request: the parameters name, series, who, note and tag=k=v. */
struct ps_labels {
    const char *name, *series, *user_name, *note; /* "" if absent */
    struct ps_tag *tags;
    size_t n_tags;
};

/* Queues n imports and replies at once with the jobs. With the parameter wait=1, replies with the
 * runs after all imports have ended. */
enum ps_status ps_api_queue_jobs(struct ps_request *req, struct ps_job_request *jobs, size_t n,
                                 struct ps_reply *reply, struct ps_err *err);

enum ps_status ps_labels_read_params(struct ps_request *req, struct ps_labels *out,
                                     struct ps_err *err);
/* Parses the body as a JSON object, which the caller deletes. PS_BAD_REQUEST: the body is not a
 * JSON object, or a string contains a NUL character, at which cJSON would truncate it. `what`
 * describes the expected members in the message. */
enum ps_status ps_labels_parse_body(struct ps_request *req, const char *what, cJSON **out,
                                    struct ps_err *err);
/* Reads and checks the note that is a member of a parsed body. *out is allocated in the request's
 * arena. */
enum ps_status ps_note_parse(struct ps_request *req, const cJSON *value, const char **out,
                             struct ps_err *err);
/* Returns PS_BAD_REQUEST if `value` is longer than PS_LABEL_MAX bytes, is not UTF-8, or contains
 * control characters. `what` names the value in the message. */
enum ps_status ps_label_check_text(const char *what, const char *value, struct ps_err *err);

/* The handlers. The handlers of the routes in PS_READS are named ps_get_NAME. */
#define PS_API_DECLARE(path, name, flags) ps_handler ps_get_##name;
PS_READS(PS_API_DECLARE)
ps_handler ps_get_shelf, ps_get_formats, ps_get_asset;
ps_handler ps_resolve_runs, ps_patch_run, ps_delete_run, ps_undelete_run, ps_get_deleted,
    ps_get_original;
ps_handler ps_post_runs, ps_put_run;
ps_handler ps_get_samples, ps_post_samples, ps_delete_samples;
ps_handler ps_begin_partial, ps_get_partial, ps_put_piece, ps_delete_partial, ps_end_partial;
ps_handler ps_put_source, ps_merge_runs;
ps_handler ps_get_reveals, ps_get_export;
ps_handler ps_post_timeline_note, ps_patch_timeline_note, ps_delete_timeline_note;
ps_handler ps_put_baseline, ps_delete_baseline, ps_clear_baseline;
ps_handler ps_get_me, ps_login, ps_logout, ps_get_health, ps_get_activity;
ps_handler ps_post_sql, ps_post_saved_query, ps_delete_saved_query;
ps_handler ps_post_mcp, ps_refuse_mcp, ps_post_agent_call;
ps_handler ps_list_jobs, ps_get_job, ps_cancel_job, ps_stream_job_events, ps_stream_events;

#endif
