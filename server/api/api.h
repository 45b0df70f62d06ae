/* SPDX-License-Identifier: MIT */
/* api.h: docs/api*.md, as handlers over the store, the queries and the jobs. */
#ifndef PS_API_API_H
#define PS_API_API_H

#include "server/catalog/retention.h"
#include "server/http/assets.h"
#include "server/http/hub.h"
#include "server/http/upload.h"
#include "server/jobs/jobs.h"

struct ps_api;

/* Who may do what: access.h. */
struct ps_access_config {
    bool tokens;  /* nothing without one */
    bool proxied; /* a proxy of ours is in front: it tells the client's address, and speaks HTTPS */
    bool tls;     /* we do */
    unsigned port; /* cookies of shelves at several ports of a host must not meet */
};

struct ps_api_config {
    struct ps_store *store;
    const struct ps_asset *assets;
    size_t n_assets;
    struct ps_str shell; /* the page that exports are written into (ps_share_page) */
    struct ps_access_config access;
    struct ps_hub_limits streams;           /* of events */
    size_t queue;                           /* imports that may wait; 0: any number */
    const struct ps_sandbox_limits *limits; /* of each import; NULL: the usual ones */
    uint64_t upload_max;                    /* bytes of one, also of one in pieces */
    struct ps_keep keep;                    /* which runs stay, as the shelf tells it */
    const char *listen;                     /* as the shelf tells it: "127.0.0.1:7700" */
};

/* Starts the import workers and the thread that watches the shelf. config->store must outlive it.
 */
enum ps_status ps_api_create(const struct ps_api_config *config, struct ps_api **out,
                             struct ps_err *err);

/* For a process that asks the handlers itself (http/local.h): no workers, no watcher; statements
 * run in the calling thread, for longer and with more rows than a server allows. `shell` as in
 * struct ps_api_config. */
struct ps_api *ps_api_create_local(struct ps_store *store, struct ps_str shell);

/* The table of every URL; what struct ps_http_config wants as routes, admit, spool, mark and app is
 * here. ps_api_admit (access.c): route->need is the least enum ps_right. Sets req->who and
 * req->right. */
extern const struct ps_route ps_api_routes[];
extern const size_t ps_api_routes_count;
bool ps_api_admit(struct ps_request *req, const struct ps_route *route, struct ps_reply *reply);
struct ps_spool ps_api_spool(struct ps_api *api); /* of uploads up to config.upload_max */
uint64_t ps_api_mark(void *api, const char *run);

struct ps_jobs *ps_api_jobs(struct ps_api *api);
/* To everybody who listens: the run is gone. From any thread. */
void ps_api_tell_gone(struct ps_api *api, const char *id);
/* Ends the event streams and statements that people typed, now and in future. */
void ps_api_close_streams(struct ps_api *api);
size_t ps_api_streams(struct ps_api *api);

/* Once the HTTP server has ended. Waits for the jobs. NULL is fine. */
void ps_api_free(struct ps_api *api);

#endif
