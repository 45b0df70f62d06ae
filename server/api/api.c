/* SPDX-License-Identifier: MIT */
/* api.c: creates and frees what the handlers share: jobs, event hub, threads for SQL, and the
 * thread that detects changes of the shelf by other processes. */
#include "server/api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "server/api/state.h"
#include "server/catalog/quota.h"

#define IMPORT_WORKERS  2
#define LISTED_JOBS_MAX 50
#define KEPT_JOBS_MAX   2000
#define SQL_WORKERS     2
#define MCP_WORKERS     2
#define PING_INTERVAL_S 15

/* --- Job events --- */

static void job_changed(void *user, const struct ps_job_view *job)
{
    struct ps_api *api = user;
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json out = ps_json_writer(&text);

    if (ps_hub_count_feeds(api->hub) == 0)
        return;
    ps_job_json(&out, job);
    ps_hub_send(api->hub, job->id, "job", ps_buf_slice(&text));
    if (job->state != PS_JOB_QUEUED && job->state != PS_JOB_RUNNING)
        ps_hub_end_topic(api->hub, job->id);
}

static void write_job(struct ps_buf *to, const struct ps_job_view *job)
{
    struct ps_json out = ps_json_writer(to);

    ps_job_json(&out, job);
}

static void job_ended(void *user, const struct ps_job_view *job)
{
    struct ps_api *api = user;

    for (size_t i = 0; i < job->parts->n; i++)
        if (job->parts->items[i].run)
            ps_api_send_run_event(api, job->parts->items[i].run);
    if (job->parts->n == 0 && job->run && (!job->already_existed || job->sources->n))
        ps_api_send_run_event(api, job->run);
}

/* --- Watching the shelf --- */

/* Sends an event to all clients if the version of the shelf is not *known, and updates *known. The
 * event makes clients reload the list of runs, which other processes (perfshelf add) change too.
 * After a change by this process, clients also get the event of that change, so they fetch the list
 * once more than necessary. */
static void watch_shelf(struct ps_api *api, int64_t *known_version)
{
    int64_t version = ps_store_version(api->store);

    if (version == *known_version)
        return;
    *known_version = version;
    ps_api_send_shelf_event(api, version);
}

/* Waits for one second. Returns false at once if the watcher thread must stop. The caller holds
 * api->lock. */
static bool wait_second(struct ps_api *api)
{
    const int64_t until_ms = ps_monotonic_ms() + 1000;

    while (!api->is_stopping && ps_cond_wait_until(&api->wake, &api->lock, until_ms))
        ;
    return !api->is_stopping;
}

static void *run_watcher(void *arg)
{
    struct ps_api *api = arg;
    int64_t known_version = ps_store_version(api->store);

    pthread_mutex_lock(&api->lock);
    for (unsigned second = 1; wait_second(api); second++) {
        pthread_mutex_unlock(&api->lock);
        if (ps_hub_count_feeds(api->hub) > 0)
            watch_shelf(api, &known_version);
        if (second % PING_INTERVAL_S == 0)
            ps_hub_ping(api->hub, ps_api_secret_is_valid, api);
        pthread_mutex_lock(&api->lock);
    }
    pthread_mutex_unlock(&api->lock);
    return NULL;
}

static enum ps_status start_watcher(struct ps_api *api, struct ps_err *err)
{
    int code;

    pthread_cond_init(&api->wake, NULL);
    code = pthread_create(&api->watcher, NULL, run_watcher, api);
    api->has_watcher = code == 0;
    return code == 0 ? PS_OK : ps_fail(err, PS_IO, "cannot start a thread: %s", strerror(code));
}

static void stop_watcher(struct ps_api *api)
{
    pthread_mutex_lock(&api->lock);
    api->is_stopping = true;
    pthread_cond_signal(&api->wake);
    pthread_mutex_unlock(&api->lock);
    pthread_join(api->watcher, NULL);
    pthread_cond_destroy(&api->wake);
}

/* --- Creation and release --- */

/* Stores a string that differs between builds, derived from the modification time and size of the
 * executable file. So the program need not contain the time of its build. */
static void read_build(char out[20])
{
    struct stat self = {0};

    (void)stat("/proc/self/exe", &self);
    (void)snprintf(out, 20, "%llx",
                   (unsigned long long)self.st_mtim.tv_sec * 1000003 ^
                       (unsigned long long)self.st_mtim.tv_nsec ^
                       (unsigned long long)self.st_size << 32);
}

/* Creates what calls of tools need. Their SQL statements have the limits of a server. */
static enum ps_status start_agents(struct ps_api *api, struct ps_err *err)
{
    api->mcp_api = ps_api_create_local(api->store, api->config.shell);
    api->mcp_api->sql_limits = ps_sql_limits_server;
    return ps_work_create(MCP_WORKERS, MCP_WORKERS, &api->mcp_workers, err);
}

enum ps_status ps_api_create(const struct ps_api_config *config, struct ps_api **out,
                             struct ps_err *err)
{
    struct ps_api *api = ps_alloc(sizeof *api);
    const struct ps_jobs_config jobs = {
        .store = config->store,
        .workers = IMPORT_WORKERS,
        .listed_max = LISTED_JOBS_MAX,
        .kept_max = KEPT_JOBS_MAX,
        .unfinished_max = config->unfinished_max,
        .limits = config->sandbox_limits,
        .changed = job_changed,
        .write = write_job,
        .on_ended = job_ended,
        .user = api,
    };

    api->config = *config;
    api->routes = ps_api_routes;
    api->n_routes = ps_api_routes_count;
    api->store = config->store;
    api->hub = ps_hub_create(&config->stream_limits);
    api->sql_limits = ps_sql_limits_server;
    ps_access_init(&api->access, &config->access);
    pthread_mutex_init(&api->lock, NULL);
    pthread_mutex_init(&api->mcp_lock, NULL);
    read_build(api->build);
    if (ps_jobs_start(&jobs, &api->jobs, err) != PS_OK ||
        ps_work_create(SQL_WORKERS, SQL_WORKERS, &api->sql_workers, err) != PS_OK ||
        start_agents(api, err) != PS_OK || start_watcher(api, err) != PS_OK) {
        ps_api_free(api);
        return err->code;
    }
    ps_store_listen(api->store, ps_api_on_change, api);
    *out = api;
    return PS_OK;
}

struct ps_api *ps_api_create_local(struct ps_store *store, struct ps_str shell)
{
    struct ps_api *api = ps_alloc(sizeof *api);

    api->config = (struct ps_api_config){.store = store, .shell = shell, .listen_address = ""};
    api->store = store;
    api->hub = ps_hub_create(&api->config.stream_limits);
    api->sql_limits = ps_sql_limits_local;
    pthread_mutex_init(&api->lock, NULL);
    pthread_mutex_init(&api->mcp_lock, NULL);
    read_build(api->build);
    return api;
}

void ps_api_free(struct ps_api *api)
{
    if (!api)
        return;
    ps_store_listen(api->store, NULL, NULL);
    if (api->has_watcher)
        stop_watcher(api);
    ps_work_free(api->mcp_workers);
    ps_api_free(api->mcp_api);
    ps_work_free(api->sql_workers);
    ps_jobs_stop(api->jobs);
    ps_hub_free(api->hub);
    ps_throttle_free(&api->access.throttle);
    pthread_mutex_destroy(&api->mcp_lock);
    pthread_mutex_destroy(&api->lock);
    free(api);
}

/* --- Files of uploads --- */

static enum ps_status spool_open(void *store, char **path, int *fd, struct ps_err *err)
{
    return ps_store_create_spool_file(store, path, fd, err);
}

static enum ps_status spool_reserve(void *store, uint64_t bytes, struct ps_err *err)
{
    return ps_quota_reserve(store, bytes, err);
}

static void spool_release(void *store, uint64_t bytes)
{
    ps_quota_release(store, bytes);
}

static void spool_remove(void *store, const char *path)
{
    ps_spool_remove(store, path);
}

struct ps_spool ps_api_spool(struct ps_api *api)
{
    return (struct ps_spool){spool_open,   spool_reserve, spool_release,
                             spool_remove, api->store,    api->config.upload_max};
}

uint64_t ps_api_run_mark(void *api, const char *run)
{
    return ps_run_mark(((struct ps_api *)api)->store, run);
}

struct ps_jobs *ps_api_jobs(struct ps_api *api)
{
    return api->jobs;
}

void ps_api_close_streams(struct ps_api *api)
{
    atomic_store(&api->is_closing, true);
    if (api->mcp_api)
        atomic_store(&api->mcp_api->is_closing, true);
    ps_hub_close(api->hub);
}

size_t ps_api_count_streams(struct ps_api *api)
{
    return ps_hub_count_feeds(api->hub);
}
