/* SPDX-License-Identifier: MIT */
/* api.h: the HTTP API (docs/api*.md): its creation, its routes and its events. The handlers use the
 * store, the queries and the jobs. */
#ifndef PS_API_API_H
#define PS_API_API_H

#include "server/catalog/retention.h"
#include "server/http/assets.h"
#include "server/http/hub.h"
#include "server/http/upload.h"
#include "server/jobs/jobs.h"

struct ps_api;

/* Configuration of access control (access.h). */
struct ps_access_config {
    bool requires_token; /* every request needs a token */
    /* a trusted proxy in front of this server serves HTTPS and sends the client's address */
    bool is_proxied;
    bool uses_tls; /* this server itself serves HTTPS */
    /* TCP port; part of the cookie name, because browsers send cookies to all ports of a host */
    unsigned port;
};

struct ps_api_config {
    struct ps_store *store;
    const struct ps_asset *assets;
    size_t n_assets;
    struct ps_str shell; /* the HTML page for exports (ps_share_write_page) */
    struct ps_access_config access;
    struct ps_hub_limits stream_limits; /* limits for event streams */
    size_t unfinished_max;              /* maximum number of unfinished imports; 0: no limit */
    const struct ps_sandbox_limits *sandbox_limits; /* limits of each import; NULL: defaults */
    /* maximum size in bytes of one upload, also of a resumable one */
    uint64_t upload_max;
    struct ps_retention retention; /* retention rules, shown by GET shelf */
    const char *listen_address;    /* shown by GET shelf: "127.0.0.1:7700" */
};

/* Starts the import workers and the thread that watches the shelf. config->store must stay valid
 * until ps_api_free. The caller frees *out with ps_api_free. */
enum ps_status ps_api_create(const struct ps_api_config *config, struct ps_api **out,
                             struct ps_err *err);

/* Creates an API without import workers and without the thread that watches the shelf, for a
 * process that calls the handlers directly (http/local.h). SQL statements run in the calling
 * thread, with higher limits than in a server. `store` must stay valid until ps_api_free; `shell`:
 * see struct ps_api_config. */
struct ps_api *ps_api_create_local(struct ps_store *store, struct ps_str shell);

/* The table of all URLs, and values for the members of struct ps_http_config: routes, admit
 * (ps_api_admit), spool (ps_api_spool) and get_mark (ps_api_run_mark); the member app is the struct
 * ps_api. ps_api_admit compares route->required_right, the minimum enum ps_access_role, with the
 * rights of the client. It sets req->user_name and req->right. */
extern const struct ps_route ps_api_routes[];
extern const size_t ps_api_routes_count;
bool ps_api_admit(struct ps_request *req, const struct ps_route *route, struct ps_reply *reply);
struct ps_spool ps_api_spool(struct ps_api *api); /* for uploads of up to config.upload_max bytes */
uint64_t ps_api_run_mark(void *api, const char *run);

struct ps_jobs *ps_api_jobs(struct ps_api *api);
/* Sends an event to all clients: the run was deleted. May be called from any thread. */
void ps_api_send_deleted_event(struct ps_api *api, const char *id);
/* Ends the event streams and the SQL statements of users, and refuses new streams and
 * statements. */
void ps_api_close_streams(struct ps_api *api);
size_t ps_api_count_streams(struct ps_api *api);

/* Stops the threads, waits for the jobs, and frees the API. Call it after the HTTP server has
 * stopped. NULL is allowed. */
void ps_api_free(struct ps_api *api);

#endif
