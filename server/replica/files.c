/* SPDX-License-Identifier: MIT */
/* files.c: the files of a shelf that many servers share: their rows in the catalog, their bytes in
 * its database, and the cache of this server. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/replica/blobs.h"
#include "server/replica/file_cache.h"
#include "server/replica/files.h"
#include "server/replica/mirror.h"
#include "server/replica/state.h"
#include "server/replica/url.h"

#define IDLE          4    /* maximum idle connections */
#define SWEEP_MOST_MS 1000 /* the thread that sweeps has other tasks, and may have to stop */
#define ANEW_BYTES    ((uint64_t)256 << 20) /* cache limit while the cache is bypassed */

/* A file that is being sent, or was sent. */
struct sent {
    unsigned n; /* the chunks of the file have the name <session>-<n> in the database (`place`, see
                   blobs.h) */
    int64_t done_ms; /* monotonic clock; 0: still being sent */
};

struct ps_shared_files {
    struct ps_file_cache *cache;
    char *url;
    pthread_mutex_t lock;
    struct ps_pg *idle[IDLE];
    unsigned n_idle;
    struct sent *sent;
    size_t n_sent, cap_sent;
};

enum ps_status ps_shared_files_open(struct ps_store *store, const char *url, uint64_t cache_bytes,
                                    struct ps_err *err)
{
    struct ps_shared_files *shared = ps_alloc(sizeof *shared);
    PS_AUTO(ps_free_ptr) char *dir = ps_store_folder_path(store, "cache");

    store->replica->files = shared;
    shared->url = ps_strdup(ps_str_from_c(url));
    (void)pthread_mutex_init(&shared->lock, NULL);
    return ps_file_cache_open(dir, store->session, cache_bytes ? cache_bytes : PS_CACHE_BYTES,
                              &shared->cache, err);
}

enum ps_status ps_shared_files_bypass_cache(struct ps_store *store, const char *dir,
                                            struct ps_err *err)
{
    struct ps_file_cache *anew;

    if (ps_file_cache_open(dir, store->session, ANEW_BYTES, &anew, err) != PS_OK)
        return err->code;
    ps_file_cache_close(store->replica->files->cache);
    store->replica->files->cache = anew;
    return PS_OK;
}

void ps_shared_files_close(struct ps_store *store)
{
    struct ps_shared_files *shared = store->replica->files;

    if (!shared)
        return;
    while (shared->n_idle)
        ps_pg_free(shared->idle[--shared->n_idle]);
    ps_file_cache_close(shared->cache);
    (void)pthread_mutex_destroy(&shared->lock);
    free(shared->url);
    free(shared->sent);
    free(shared);
    store->replica->files = NULL;
}

bool ps_shared_files_describe(struct ps_store *store, struct ps_shared_store *out)
{
    struct ps_file_cache_stats stats;

    ps_file_cache_read_stats(store->replica->files->cache, &stats);
    *out = (struct ps_shared_store){.location = ps_pg_place(store->replica->files->url),
                                    .cache_bytes = stats.bytes,
                                    .cache_max = stats.max_bytes,
                                    .hits = stats.hits,
                                    .misses = stats.misses,
                                    .fetched = stats.fetched,
                                    .evicted = stats.evicted};
    return true;
}

/* --- Connections --- */

static struct ps_pg *acquire_connection(struct ps_shared_files *shared)
{
    struct ps_pg *pg = NULL;

    (void)pthread_mutex_lock(&shared->lock);
    if (shared->n_idle)
        pg = shared->idle[--shared->n_idle];
    (void)pthread_mutex_unlock(&shared->lock);
    return pg ? pg : ps_pg_new(shared->url);
}

static void release_connection(struct ps_shared_files *shared, struct ps_pg *pg)
{
    (void)pthread_mutex_lock(&shared->lock);
    if (shared->n_idle < IDLE) {
        shared->idle[shared->n_idle++] = pg;
        pg = NULL;
    }
    (void)pthread_mutex_unlock(&shared->lock);
    ps_pg_free(pg);
}

/* --- Rows --- */

/* Removes the reference of the key to its previous content, unless its hash is `unless`. */
static enum ps_status remove_previous_reference(struct ps_store *store, const char *folder,
                                                const char *key, const char *unless,
                                                struct ps_err *err)
{
    struct ps_file_row old;

    if (ps_file_read_row(store->catalog, folder, key, &old, err) != PS_OK ||
        strcmp(old.hash, unless) == 0)
        return err->code; /* PS_OK if there is no row */
    return ps_blob_remove_reference(store->replica->mirror->writer, old.hash, err);
}

/* Moves the file into the cache, even if the transaction fails later: its hash is right anyway. */
static void move_into_cache(struct ps_store *store, const char *hash, const char *path)
{
    /* if it fails, the file is fetched when it is needed */
    if (ps_file_cache_adopt(store->replica->files->cache, hash, path, PS_ERR_IGNORED) != PS_OK)
        (void)unlink(path);
}

enum ps_status ps_shared_files_place(struct ps_store *store, const struct ps_sent_file *sent,
                                     const char *folder, const char *key, const char *path,
                                     struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;

    if (ps_blob_add_reference(store->replica->mirror->writer, sent->hash, &own) == PS_NOT_FOUND) {
        /* sent by a server that crashed; a sweep deleted the bytes */
        (void)ps_fail(err, PS_UNAVAILABLE, "the store no longer has the file" PS_HINT "try again");
    }
    (void)ps_fail_copy(err, &own);
    remove_previous_reference(store, folder, key, sent->hash, err);
    ps_file_change_row(store->catalog, "kept_put", folder, key, sent, err);
    if (path)
        move_into_cache(store, sent->hash, path);
    return err->code;
}

enum ps_status ps_shared_files_remove(struct ps_store *store, const char *folder, const char *key,
                                      struct ps_err *err)
{
    remove_previous_reference(store, folder, key, "", err);
    return ps_file_change_row(store->catalog, "kept_remove", folder, key, NULL, err);
}

/* --- Contents --- */

static void begin_send(struct ps_shared_files *shared, unsigned n)
{
    (void)pthread_mutex_lock(&shared->lock);
    PS_RESERVE_ONE(shared->sent, shared->n_sent, shared->cap_sent);
    shared->sent[shared->n_sent++] = (struct sent){n, 0};
    (void)pthread_mutex_unlock(&shared->lock);
}

static void end_send(struct ps_shared_files *shared, unsigned n)
{
    (void)pthread_mutex_lock(&shared->lock);
    for (size_t i = shared->n_sent; i-- > 0;) {
        if (shared->sent[i].n != n)
            continue;
        shared->sent[i].done_ms = ps_monotonic_ms();
        break;
    }
    (void)pthread_mutex_unlock(&shared->lock);
}

enum ps_status ps_shared_files_send(struct ps_store *store, const char *path,
                                    struct ps_sent_file *out, struct ps_err *err)
{
    const unsigned n = ps_store_next_number(store);
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct ps_pg *pg;
    char place[80];
    enum ps_status status = fd < 0 ? ps_fail_errno(err, "cannot read", path)
                                   : ps_content_hash_file(fd, path, out->hash, &out->bytes, err);

    if (status != PS_OK)
        return status;
    (void)snprintf(place, sizeof place, "%s-%u", store->session, n);
    begin_send(store->replica->files, n);
    pg = acquire_connection(store->replica->files);
    status = ps_blob_send(pg, store->session, place, fd, out->hash, out->bytes, err);
    release_connection(store->replica->files, pg);
    end_send(store->replica->files, n);
    return status;
}

static enum ps_status fetch_blob(void *user, const char *hash, ps_blob_receive *take, void *to,
                                 struct ps_err *err)
{
    struct ps_shared_files *shared = user;
    struct ps_pg *pg = acquire_connection(shared);
    enum ps_status status = ps_blob_fetch(pg, hash, take, to, err);

    release_connection(shared, pg);
    return status;
}

enum ps_status ps_shared_files_fetch(struct ps_store *store, const struct ps_file_row *file,
                                     char **path_out, struct ps_err *err)
{
    return ps_file_cache_get(store->replica->files->cache, file->hash, file->bytes, fetch_blob,
                             store->replica->files, path_out, err);
}

void ps_shared_files_use(struct ps_store *store, const struct ps_file_row *file_row)
{
    ps_file_cache_use(store->replica->files->cache, file_row->hash, file_row->bytes);
}

static void forget_sent(struct ps_shared_files *shared, int64_t hold_ms)
{
    const int64_t before = ps_monotonic_ms() - hold_ms;
    size_t n = 0;

    (void)pthread_mutex_lock(&shared->lock);
    for (size_t i = 0; i < shared->n_sent; i++)
        if (!shared->sent[i].done_ms || shared->sent[i].done_ms > before)
            shared->sent[n++] = shared->sent[i];
    shared->n_sent = n;
    (void)pthread_mutex_unlock(&shared->lock);
}

/* Whether a place of this session is being sent, or was sent recently and may still be used. */
static bool is_wanted(struct ps_store *store, const char *place)
{
    struct ps_shared_files *shared = store->replica->files;
    const unsigned long n = strtoul(place + strlen(store->session) + 1, NULL, 10);
    bool is = false;

    (void)pthread_mutex_lock(&shared->lock);
    for (size_t i = 0; i < shared->n_sent; i++)
        is |= shared->sent[i].n == n;
    (void)pthread_mutex_unlock(&shared->lock);
    return is;
}

static bool is_alive(void *user, const char *session, const char *place)
{
    struct ps_store *store = user;

    return strcmp(session, store->session) == 0 ? is_wanted(store, place)
                                                : ps_session_is_alive(store, session);
}

enum ps_status ps_shared_files_sweep(struct ps_store *store, int64_t hold_ms, bool *more,
                                     struct ps_err *err)
{
    struct ps_pg *pg = acquire_connection(store->replica->files);
    enum ps_status status;

    forget_sent(store->replica->files, hold_ms);
    status = ps_blob_sweep(pg, is_alive, store, SWEEP_MOST_MS, more, NULL, err);
    release_connection(store->replica->files, pg);
    return status;
}
