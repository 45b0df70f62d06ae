/* SPDX-License-Identifier: MIT */
/* serve.c: starts store, jobs and HTTP, waits for a signal, and stops them in reverse order. */
#define _GNU_SOURCE /* sigtimedwait, mallopt */
#include "server/cli/commands/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <malloc.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/mem.h"
#include "server/api/api.h"
#include "server/catalog/deleted.h"
#include "server/catalog/job_rows.h"
#include "server/catalog/quota.h"
#include "server/catalog/tokens.h"
#include "server/cli/cli.h"
#include "server/cli/client/browser.h"
#include "server/cli/client/port_owner.h"
#include "server/cli/client/server_record.h"
#include "server/cli/commands/import_profile.h"
#include "server/cli/commands/serve_retention.h"
#include "server/cli/commands/sources.h"
#include "server/cli/options/commands.h"
#include "server/http/http.h"
#include "server/http/listen.h"
#include "server/jobs/jobs.h"
#include "server/jobs/samples.h"
#include "server/replica/replica.h"

#define UPLOAD_MAX       ((uint64_t)8 << 30)
#define THREADS          4
#define CONNECTIONS      512
#define PER_ADDRESS      128
#define IDLE_S           30
#define TIMEOUT_MS       60000 /* time limit of a query; PERFSHELF_TIMEOUT_MS lowers it for tests */
#define STREAMS_MAX      256   /* maximum of event streams; the other connections serve requests */
#define STREAMS_EACH_MAX 64    /* maximum of event streams per address, and per user */
/* Times for stopping. Running requests and imports may finish within GRACE_MS, then they are
 * cancelled. The process always exits within EXIT_MS after the first signal, or CUT_MS after the
 * second. GRACE_SHARED_MS and CUT_SHARED_MS replace these times for a shared store, because
 * cancelled work is written to its database, which may be slow. */
#define GRACE_MS        7000
#define GRACE_SHARED_MS 3000
#define CUT_MS          2000
#define CUT_SHARED_MS   6000
#define EXIT_MS         9000
#define CHECK_MS        10
#define PEM_MAX         ((size_t)1 << 20)
#define SWEEP_MS        10000
#define URL_MAX         320

struct server {
    struct ps_store *store;
    struct ps_api *api;
    struct ps_http *http;
    struct ps_retention_thread *keeper;
    struct ps_server_record *record;
    struct ps_listener listener;
    char hostname[256], hostname_local[264];
    const char **hosts; /* accepted host names; owns the array, but not the strings */
    size_t n_hosts;
    struct ps_buf tls_cert, tls_key;
    bool requires_tokens;
    bool is_new_shelf; /* the shelf is new */
    char url[URL_MAX];
};

/* --- Signals --- */

/* Signals that the process has received. A separate thread receives them, so that the process ends
 * in time even if another thread is blocked, also during the start or the stop. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    unsigned n;
    int64_t first_ms; /* monotonic time of the first signal */
    sigset_t set;
} signals = {.lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER};

static void count_signal(void)
{
    pthread_mutex_lock(&signals.lock);
    if (signals.n++ == 0)
        signals.first_ms = ps_monotonic_ms();
    pthread_cond_broadcast(&signals.arrived);
    pthread_mutex_unlock(&signals.lock);
}

static void *receive_signals(void *user)
{
    int signal_number;

    while (sigwait(&signals.set, &signal_number) != 0)
        ;
    count_signal();
    for (;;) {
        const int64_t left = signals.first_ms + EXIT_MS - ps_monotonic_ms();
        const struct timespec wait = {left / 1000, left % 1000 * 1000000};

        if (left <= 0)
            break;
        if (sigtimedwait(&signals.set, NULL, &wait) > 0)
            count_signal();
    }
    ps_log("forced exit: requests and imports took longer than %d s to finish", EXIT_MS / 1000);
    _exit(1);
    return user;
}

/* Blocks the signals that end the server in all threads, and starts the thread that
 * receives them. */
static enum ps_status start_signals(struct ps_err *err)
{
    pthread_t thread;
    int code;

    sigemptyset(&signals.set);
    sigaddset(&signals.set, SIGTERM);
    sigaddset(&signals.set, SIGINT);
    sigaddset(&signals.set, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &signals.set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    code = pthread_create(&thread, NULL, receive_signals, NULL);
    if (code != 0)
        return ps_fail(err, PS_IO, "cannot start a thread: %s", strerror(code));
    (void)pthread_detach(thread);
    return PS_OK;
}

/* Waits at most wait_ms for the n-th signal (from 1). Returns whether it has arrived. */
static bool wait_for_signal(unsigned n, int wait_ms)
{
    const int64_t until_ms = ps_monotonic_ms() + wait_ms;
    bool arrived;

    pthread_mutex_lock(&signals.lock);
    while (signals.n < n && ps_cond_wait_until(&signals.arrived, &signals.lock, until_ms))
        ;
    arrived = signals.n >= n;
    pthread_mutex_unlock(&signals.lock);
    return arrived;
}

/* --- Start --- */

static void add_host(struct server *server, const char *host)
{
    server->hosts[server->n_hosts++] = host;
}

/* Collects the accepted host names: the address, --host and, if the server does not listen on
 * loopback only, the names of the machine. */
static void collect_hosts(struct server *server, const struct ps_serve_options *options)
{
    server->hosts = ps_alloc_array(options->n_hosts + 3, sizeof *server->hosts);
    add_host(server, server->listener.host);
    for (size_t i = 0; i < options->n_hosts; i++)
        add_host(server, options->hosts[i]);
    if (server->listener.is_loopback ||
        gethostname(server->hostname, sizeof server->hostname - 1) != 0)
        return;
    (void)snprintf(server->hostname_local, sizeof server->hostname_local, "%s.local",
                   server->hostname);
    add_host(server, server->hostname);
    add_host(server, server->hostname_local);
}

static enum ps_status read_pem(const char *path, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    char block[4096];
    ssize_t got;

    if (fd < 0)
        return ps_fail_errno(err, "cannot open", path);
    while ((got = read(fd, block, sizeof block)) > 0 && out->len < PEM_MAX)
        ps_buf_add(out, block, (size_t)got);
    if (got != 0)
        return got < 0 ? ps_fail_errno(err, "cannot read", path)
                       : ps_fail(err, PS_BAD_REQUEST, "%s is too large for a PEM file", path);
    return PS_OK;
}

static enum ps_status read_tls(struct server *server, const struct ps_serve_options *options,
                               struct ps_err *err)
{
    if (!options->tls_cert && !options->tls_key)
        return PS_OK;
    if (!options->tls_cert || !options->tls_key)
        return ps_fail(err, PS_BAD_REQUEST, "--tls-cert and --tls-key must be given together");
    if (read_pem(options->tls_cert, &server->tls_cert, err) != PS_OK)
        return err->code;
    return read_pem(options->tls_key, &server->tls_key, err);
}

static uint64_t upload_max(const struct ps_serve_options *options)
{
    return options->upload_max ? options->upload_max : UPLOAD_MAX;
}

static enum ps_status start_api(struct server *server, const struct ps_serve_options *options,
                                struct ps_err *err)
{
    const struct ps_api_config config = {
        .store = server->store,
        .assets = ps_assets,
        .n_assets = ps_assets_count,
        .shell = {(const char *)ps_offline_page, (size_t)(ps_offline_page_end - ps_offline_page)},
        .upload_max = upload_max(options),
        .listen_address = server->listener.address,
        .stream_limits = {STREAMS_MAX, STREAMS_EACH_MAX, STREAMS_EACH_MAX},
        .unfinished_max = options->queue,
        .retention = options->retention,
        .sandbox_limits = options->limits,
        .access = {server->requires_tokens, options->is_proxied, server->tls_key.len > 0,
                   server->listener.port},
    };

    return ps_api_create(&config, &server->api, err);
}

static unsigned timeout_ms(void)
{
    const char *text = getenv("PERFSHELF_TIMEOUT_MS");
    int64_t ms;

    return text && ps_str_parse_i64(ps_str_from_c(text), &ms) && ms > 0 && ms < TIMEOUT_MS
               ? (unsigned)ms
               : TIMEOUT_MS;
}

static enum ps_status start_http(struct server *server, const struct ps_serve_options *options,
                                 struct ps_err *err)
{
    const struct ps_http_config config = {
        .routes = ps_api_routes,
        .n_routes = ps_api_routes_count,
        .listen_fd = server->listener.fd,
        .guard = {server->hosts, server->n_hosts, !server->listener.is_loopback},
        .spool = ps_api_spool(server->api),
        .threads = THREADS,
        .slow_threads = THREADS,
        .timeout_ms = timeout_ms(),
        .connections = CONNECTIONS,
        /* All requests through a proxy, or from this machine, have the same address. */
        .per_address = options->is_proxied || server->listener.is_loopback ? 0 : PER_ADDRESS,
        .idle_s = IDLE_S,
        .app = server->api,
        .admit = ps_api_admit,
        .get_mark = ps_api_run_mark,
        .tls_cert = server->tls_cert.ptr,
        .tls_key = server->tls_key.ptr,
    };

    return ps_http_start(&config, &server->http, err);
}

/* Queues the uploads of other servers of the store that have crashed. */
static void resume_uploads(void *user)
{
    struct ps_err err = PS_ERR_INIT;

    if (ps_jobs_resume(user, &err) != PS_OK)
        ps_log_err("cannot resume uploads of another server", &err);
}

static void write_url(const struct server *server, const char *host, char url[URL_MAX])
{
    (void)snprintf(url, URL_MAX, "http%s://%s:%u/", server->tls_key.len ? "s" : "", host,
                   server->listener.port);
}

/* The loopback address of a server that listens on all addresses. */
static const char *loopback_host(const struct server *server)
{
    return server->listener.host[0] == '[' ? "[::1]" : "127.0.0.1";
}

/* Listens at --listen. The default port may be in use: then at a free port, with a note on who uses
 * it. */
static enum ps_status listen_at(struct server *server, const struct ps_serve_options *options,
                                struct ps_err *err)
{
    const char *where = options->listen ? options->listen : PS_DEFAULT_LISTEN;
    PS_AUTO(ps_buf_free) struct ps_buf owner = {0};
    struct ps_err note = PS_ERR_INIT;

    if (ps_listen(where, &server->listener, err) != PS_CONFLICT)
        return err->code;
    ps_port_owner_describe(where, &owner);
    *err = (struct ps_err)PS_ERR_INIT;
    if (options->listen)
        return ps_fail(err, PS_CONFLICT,
                       "cannot listen on %s: %s uses it" PS_HINT
                       "stop that program, or use a free port with --listen 127.0.0.1:0",
                       where, owner.ptr);
    if (ps_listen("127.0.0.1:0", &server->listener, err) != PS_OK)
        return err->code;
    ps_fail(&note, PS_CONFLICT, "%s uses port %u, so this server uses port %u", owner.ptr,
            ps_port_of(where), server->listener.port);
    ps_print_note("serve", &note);
    return PS_OK;
}

static enum ps_status start_server(struct server *server, const struct ps_serve_options *options,
                                   struct ps_err *err)
{
    if (listen_at(server, options, err) != PS_OK)
        return err->code;
    server->is_new_shelf = !options->store && !ps_store_exists(options->data);
    server->requires_tokens =
        options->tokens || options->is_proxied || !server->listener.is_loopback;
    if (ps_store_open_shared(options->store, options->data, options->cache, &server->store, err) !=
            PS_OK ||
        ps_quota_begin(server->store, options->quota, err) != PS_OK ||
        read_tls(server, options, err) != PS_OK || start_api(server, options, err) != PS_OK ||
        ps_jobs_resume(ps_api_jobs(server->api), err) != PS_OK ||
        ps_store_watch_others(server->store, resume_uploads, ps_api_jobs(server->api), err) !=
            PS_OK)
        return err->code;
    collect_hosts(server, options);
    write_url(server, server->listener.is_wildcard ? loopback_host(server) : server->listener.host,
              server->url);
    if (start_http(server, options, err) != PS_OK)
        return err->code;
    return ps_retention_thread_start(server->store, server->api, &options->retention,
                                     &server->keeper, err);
}

/* Logs what the sandbox lacks. Profiles are still imported: memory and time are always limited. */
static void log_missing_sandbox_parts(void)
{
    unsigned parts = ps_sandbox_parts();

    if (!(parts & PS_SANDBOX_LANDLOCK))
        ps_log("this kernel has no Landlock: only a system call filter confines importers");
    if (!(parts & PS_SANDBOX_SECCOMP))
        ps_log("warning: this kernel cannot filter system calls: importers can open files");
    if (!(parts & PS_SANDBOX_MEMORY_LIMIT))
        ps_log("built with AddressSanitizer: the memory of importers is not limited");
}

/* Logs a warning if the quota is exceeded: files may have been added without the server, or the
 * quota was lowered. */
static void log_exceeded_quota(const struct server *server)
{
    struct ps_quota usage;
    char used[48], quota[48];

    if (ps_quota_read_usage(server->store, &usage, PS_ERR_IGNORED) == PS_OK && usage.max_bytes &&
        usage.used_bytes > usage.max_bytes)
        ps_log("warning: the shelf takes %s, more than its quota of %s: uploads are refused until "
               "runs are deleted",
               ps_format_bytes((double)usage.used_bytes, used),
               ps_format_bytes((double)usage.max_bytes, quota));
}

/* Prints the URLs for other machines if the server listens on all addresses, because 0.0.0.0 is not
 * usable in a URL. */
static void print_addresses(const struct server *server)
{
    const bool six = server->listener.host[0] == '[';
    struct ifaddrs *list = NULL;
    char url[URL_MAX], host[INET6_ADDRSTRLEN + 2], address[INET6_ADDRSTRLEN];

    if (getifaddrs(&list) != 0)
        list = NULL;
    for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
        const int family = at->ifa_addr ? at->ifa_addr->sa_family : AF_UNSPEC;
        const struct sockaddr_in6 *in6 = (const void *)at->ifa_addr;
        const socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof *in6;

        if ((at->ifa_flags & (IFF_UP | IFF_LOOPBACK)) != IFF_UP ||
            (family != AF_INET && (family != AF_INET6 || !six)) ||
            (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr)) ||
            getnameinfo(at->ifa_addr, len, address, sizeof address, NULL, 0, NI_NUMERICHOST) != 0)
            continue;
        (void)snprintf(host, sizeof host, family == AF_INET ? "%s" : "[%s]", address);
        write_url(server, host, url);
        (void)printf("  also at %s\n", url);
    }
    freeifaddrs(list);
    for (size_t i = 1; i < server->n_hosts; i++) { /* hosts[0] is the bound address */
        write_url(server, server->hosts[i], url);
        (void)printf("  also at %s, if that name resolves to this machine\n", url);
    }
}

static void print_start(const struct server *server)
{
    struct ps_shared_store shared = {.location = NULL};
    const bool is_shared = ps_store_describe_shared(server->store, &shared);
    int64_t tokens;

    (void)printf("perfshelf %s serves %s at %s\n", PS_VERSION,
                 is_shared ? shared.location : ps_store_dir(server->store), server->url);
    if (server->listener.is_wildcard)
        print_addresses(server);
    if (server->is_new_shelf)
        (void)printf("created a new shelf in %s\n", ps_store_dir(server->store));
    if (isatty(STDOUT_FILENO))
        (void)printf("press Ctrl-C to stop\n");
    (void)fflush(stdout);
    if (ps_store_is_read_only(server->store))
        ps_log("%s: note: read-only for this user: runs can be read, not added or changed",
               ps_store_dir(server->store));
    if (server->requires_tokens &&
        ps_token_count(server->store, &tokens, PS_ERR_IGNORED) == PS_OK && tokens == 0)
        ps_log(
            "note: no access token exists yet; create one: perfshelf token add NAME --role admin "
            "--data %s%s",
            ps_store_dir(server->store),
            is_shared ? ", with the --store or $PERFSHELF_STORE of this server" : "");
    free(shared.location);
    if (ps_store_is_unreachable(server->store))
        ps_log(
            "warning: cannot reach the store: cached files are served, and changes fail until it "
            "is back");
    log_missing_sandbox_parts();
    log_exceeded_quota(server);
    if (!server->listener.is_loopback && server->tls_key.len == 0)
        ps_log("warning: tokens and profiles cross the network unencrypted; use --tls-cert and "
               "--tls-key, or a proxy");
}

/* Writes the record by which `perfshelf add` and other commands find this server. Writes none for a
 * shared store, which has no folder. */
static void write_server_record(struct server *server, bool is_demo)
{
    struct ps_err failure = PS_ERR_INIT, err = PS_ERR_INIT;

    if (!ps_store_is_shared(server->store) &&
        ps_server_record_write(server->url, ps_store_dir(server->store), is_demo, &server->record,
                               &failure) != PS_OK) {
        ps_server_record_delete(server->record);
        server->record = NULL;
        ps_fail_copy_hint(
            &err, &failure,
            "other commands do not find this server by themselves: use --data or --server");
        ps_log_err("serve", &err);
    }
}

/* --- Stop --- */

static bool is_idle(struct server *server)
{
    return ps_http_count_requests(server->http) == 0 &&
           ps_jobs_unfinished(ps_api_jobs(server->api)) == 0;
}

static void cancel_imports(struct server *server)
{
    size_t n = ps_jobs_unfinished(ps_api_jobs(server->api));

    size_t left = ps_jobs_hand_over_all(ps_api_jobs(server->api));

    char count[64];

    if (n > left)
        ps_log("stopping: %s cancelled", ps_format_count(n - left, "unfinished import", count));
    if (left > 0)
        ps_log("stopping: %s will be imported at the next start",
               ps_format_count(left, "accepted upload", count));
}

/* Waits for running requests and imports, and cancels them after the grace time or a second signal.
 * False: requests or imports are left after the time limit. */
static bool drain_server(struct server *server)
{
    const bool is_shared = ps_store_is_shared(server->store);
    const int64_t grace_ms = is_shared ? GRACE_SHARED_MS : GRACE_MS;
    const int64_t cut_ms = is_shared ? CUT_SHARED_MS : CUT_MS;
    const int64_t began = ps_monotonic_ms();
    int64_t second_signal_ms = 0;
    bool cancelled = false;
    int n_idle_checks = 0;

    /* Check twice: the kernel may buffer a request that no thread has read yet. */
    while (n_idle_checks < 2) {
        if (wait_for_signal(2, CHECK_MS) && !second_signal_ms)
            second_signal_ms = ps_monotonic_ms();
        if (second_signal_ms)
            ps_sleep_ms(CHECK_MS);
        if (!cancelled && (second_signal_ms || ps_monotonic_ms() - began > grace_ms)) {
            cancelled = true;
            ps_http_cancel(server->http);
            cancel_imports(server);
        }
        if (second_signal_ms && ps_monotonic_ms() - second_signal_ms > cut_ms)
            return false;
        n_idle_checks = is_idle(server) ? n_idle_checks + 1 : 0;
    }
    return true;
}

/* Waits for the event streams to end, at most 50 CHECK_MS intervals, because a client may not read.
 */
static void end_streams(struct server *server)
{
    for (int i = 0; i < 50 && ps_api_count_streams(server->api) > 0; i++)
        ps_sleep_ms(CHECK_MS);
}

static void free_tls(struct server *server)
{
    ps_buf_free(&server->tls_cert);
    ps_buf_free(&server->tls_key);
}

static int stop_server(struct server *server)
{
    ps_server_record_delete(server->record);
    ps_store_unwatch_others(server->store);
    ps_http_quiesce(server->http);
    ps_api_close_streams(server->api);
    if (!drain_server(server)) {
        char count[64];

        ps_log("forced exit: %s not answered",
               ps_format_count(ps_http_count_requests(server->http), "request", count));
        _exit(1);
    }
    ps_retention_thread_stop(server->keeper);
    end_streams(server);
    ps_http_stop(server->http);
    ps_api_free(server->api);
    ps_store_close(server->store);
    free_tls(server);
    return 0;
}

static void give_up(struct server *server)
{
    ps_store_unwatch_others(server->store);
    ps_http_stop(server->http);
    ps_api_free(server->api);
    ps_store_close(server->store);
    free_tls(server);
}

/* --- Profiles on the command line --- */

struct file_ticket {
    struct ps_job_ticket ticket; /* must be the first member: on_ended casts the ticket */
    struct ps_store *store;
    struct timespec modified;
    char *url; /* URL of the shelf to show when the job has ended, or NULL */
    char path[];
};

static void show_run(const char *shelf, const char *run)
{
    char url[URL_MAX + PS_ID_SIZE + 6];

    (void)snprintf(url, sizeof url, "%s%s%s", shelf, run ? "#/run/" : "", run ? run : "");
    ps_browser_show(url);
}

static void free_ticket(struct file_ticket *file)
{
    free(file->url);
    free(file);
}

/* Attaches the sources of the run of one file of an archive, or logs its failure. */
static void on_part(const struct file_ticket *file, const struct ps_job_part *part)
{
    if (part->run)
        ps_cli_attach_sources(file->store, part->run,
                              &(struct ps_provenance){file->path, NULL, file->modified});
    else
        ps_log_err(part->name, part->err);
}

static void on_ended(struct ps_job_ticket *ticket, const struct ps_job_view *job)
{
    struct file_ticket *file = (struct file_ticket *)ticket;

    if (job->err->code != PS_OK)
        ps_log_err(file->path, job->err);
    for (size_t i = 0; i < job->parts->n; i++)
        on_part(file, &job->parts->items[i]);
    if (job->run && job->parts->n == 0)
        ps_cli_attach_sources(file->store, job->run,
                              &(struct ps_provenance){file->path, NULL, file->modified});
    if (file->url)
        show_run(file->url, job->run);
    free_ticket(file);
}

static struct file_ticket *new_ticket(struct ps_store *store, const char *path,
                                      struct timespec modified, const char *url)
{
    struct file_ticket *file = ps_alloc(sizeof *file + strlen(path) + 1);

    file->ticket.on_ended = on_ended;
    file->store = store;
    file->modified = modified;
    file->url = url ? ps_strdup(ps_str_from_c(url)) : NULL;
    memcpy(file->path, path, strlen(path) + 1);
    return file;
}

/* Queues the import of a file. url: URL of the shelf to show when the import has ended, or NULL. */
static enum ps_status queue_file(struct ps_store *store, struct ps_jobs *jobs, const char *path,
                                 const char *url, struct ps_err *err)
{
    const char *slash = strrchr(path, '/');
    struct stat st;
    struct file_ticket *ticket;
    struct ps_job_request request = {.filename = slash ? slash + 1 : path};
    uint64_t id;
    enum ps_status status;

    if (stat(path, &st) != 0)
        return ps_fail_errno(err, "cannot open", path);
    if (!S_ISREG(st.st_mode))
        return ps_fail(err, PS_BAD_REQUEST,
                       "not a regular file" PS_HINT "add folders and pipes with `perfshelf add`");
    ticket = new_ticket(store, path, st.st_mtim, url);
    request.path = ps_strdup(ps_str_from_c(path));
    request.bytes = (uint64_t)st.st_size;
    request.ticket = &ticket->ticket;
    status = ps_jobs_add(jobs, &request, &id, err);
    if (status != PS_OK)
        free_ticket(ticket);
    return status;
}

/* Queues the imports of all files. Logs failures, and attaches sources like `add`. If
 * options->open, shows the run of the first queued file when it is imported, or the shelf. */
static void import_files(struct ps_store *store, struct ps_jobs *jobs,
                         const struct ps_serve_options *options, const char *url)
{
    bool shows_shelf = options->open;

    for (size_t i = 0; i < options->n_files; i++) {
        struct ps_err err = PS_ERR_INIT;

        if (queue_file(store, jobs, options->files[i], shows_shelf ? url : NULL, &err) == PS_OK)
            shows_shelf = false;
        else
            ps_log_err(options->files[i], &err);
    }
    if (shows_shelf)
        show_run(url, options->run);
}

/* Queues the imports of the samples that the shelf lacks, and prints where the shelf is. */
static void import_samples(struct server *server)
{
    PS_AUTO(ps_free_ptr)
    struct ps_job_request *requests = ps_alloc_array(ps_samples_count, sizeof *requests);
    struct ps_err err = PS_ERR_INIT;
    size_t n;
    uint64_t id;

    (void)printf("the sample profiles are in %s; delete this folder to remove them\n",
                 ps_store_dir(server->store));
    (void)fflush(stdout);
    if (ps_samples_make_requests(server->store, ps_cli_login_name(), requests, &n, &err) != PS_OK)
        ps_log_err("the samples", &err);
    for (size_t i = 0; i < n; i++) {
        struct ps_err failure = PS_ERR_INIT;

        if (ps_jobs_add(ps_api_jobs(server->api), &requests[i], &id, &failure) != PS_OK)
            ps_log_err(requests[i].name, &failure);
    }
}

/* --- The command --- */

int ps_cli_serve(const struct ps_serve_options *options)
{
    struct server server = {.listener = {.fd = -1}};
    struct ps_err err = PS_ERR_INIT;
    int status;

#ifdef __GLIBC__
    (void)mallopt(M_ARENA_MAX, 2); /* sleeping threads need no separate heaps */
#endif
    if (start_signals(&err) != PS_OK || start_server(&server, options, &err) != PS_OK) {
        ps_log_err("serve", &err);
        give_up(&server);
        free(server.hosts);
        return 1;
    }
    write_server_record(&server, options->is_demo);
    if (options->start_lock)
        ps_close_fd(options->start_lock);
    print_start(&server);
    if (options->is_demo)
        import_samples(&server);
    import_files(server.store, ps_api_jobs(server.api), options, server.url);
    while (!wait_for_signal(1, SWEEP_MS)) {
        ps_http_sweep(server.http);
        ps_deleted_expire(server.store);
    }
    status = stop_server(&server);
    free(server.hosts);
    return status;
}
