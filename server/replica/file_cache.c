/* SPDX-License-Identifier: MIT */
#include "server/replica/file_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/file.h"

#define WAIT_MS           20
#define USED_NS           (60 * 1000000000LL) /* precision of the time of last use */
#define LEAVE_DISK        20                  /* 1/20 of the disk is left free, */
#define LEFT_FREE_DIVISOR 10                  /* but at most 1/10 of the cache limit */

/* A file that is being fetched. */
struct fetch_request {
    const char *hash;
    struct fetch_request *next;
    unsigned users; /* threads that use this struct */
    bool done;
    struct ps_err err;
};

struct ps_file_cache {
    char *dir, *session;
    uint64_t max_bytes;
    pthread_mutex_t lock, sweep_lock;
    pthread_cond_t changed;
    struct fetch_request *fetches;
    _Atomic int64_t trusted; /* ns since 1970: files changed before are hashed again */
    atomic_uint n;           /* number of the next .part file */
    /* bytes in the folder, as known; other processes delete files, too */
    atomic_int_fast64_t bytes;
    atomic_uint_fast64_t uncounted_bytes; /* bytes added since the folder was read */
    atomic_uint_fast64_t hits, misses, fetched, evicted;
};

/* --- Files --- */

static char *path_of(const struct ps_file_cache *cache, const char *name)
{
    struct ps_buf path = {0};

    ps_buf_printf(&path, "%s/%s", cache->dir, name);
    return path.ptr;
}

static int64_t ns_of(struct timespec at)
{
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

static void touch_file(const char *path)
{
    (void)utimensat(AT_FDCWD, path, NULL, 0);
}

/* Whether the file exists and can be used unverified; if so, notes its use. A file changed before
 * the last boot may be incomplete, since it was not synced. A change time in the future is not
 * trusted either. */
static bool is_ready(const struct ps_file_cache *cache, const char *path, uint64_t bytes)
{
    const int64_t now = ps_wall_clock_ns();
    struct stat about;

    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || (uint64_t)about.st_size != bytes)
        return false;
    if (ns_of(about.st_ctim) < cache->trusted || ns_of(about.st_ctim) > now)
        return false;
    if (ns_of(about.st_mtim) + USED_NS <= now)
        touch_file(path);
    return true;
}

/* Verifies the hash of the file. */
static bool is_whole(const char *path, const char *hash)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    char found[PS_CONTENT_HASH_SIZE];
    uint64_t bytes;

    return fd >= 0 && ps_content_hash_file(fd, path, found, &bytes, PS_ERR_IGNORED) == PS_OK &&
           strcmp(found, hash) == 0;
}

static uint64_t size_of(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
}

/* --- Eviction --- */

struct file {
    char name[PS_CONTENT_HASH_SIZE];
    uint64_t bytes;
    int64_t used; /* ns since 1970 */
};

struct files {
    struct file *items;
    size_t n, cap;
};

static int by_use(const void *a, const void *b)
{
    const struct file *x = a, *y = b;

    return x->used < y->used ? -1 : x->used > y->used;
}

/* Lists the cached files; skips files that disappear meanwhile. Free files->items. Returns the sum
 * of their bytes. */
static uint64_t list_files(const struct ps_file_cache *cache, struct files *files)
{
    DIR *dir = opendir(cache->dir);
    uint64_t bytes = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat about;

        if (!ps_content_is_hash(entry->d_name) ||
            fstatat(dirfd(dir), entry->d_name, &about, 0) != 0)
            continue;
        PS_RESERVE_ONE(files->items, files->n, files->cap);
        files->items[files->n] = (struct file){"", (uint64_t)about.st_size, ns_of(about.st_mtim)};
        memcpy(files->items[files->n++].name, entry->d_name, PS_CONTENT_HASH_SIZE);
        bytes += (uint64_t)about.st_size;
    }
    if (dir)
        (void)closedir(dir);
    return bytes;
}

/* How many of `bytes` may be kept: fewer if the disk is nearly full, since all files can be fetched
 * again. */
static uint64_t bytes_allowed(const struct ps_file_cache *cache, uint64_t bytes)
{
    struct statvfs disk;
    uint64_t unused, left_free;

    if (statvfs(cache->dir, &disk) != 0)
        return cache->max_bytes;
    unused = (uint64_t)disk.f_bavail * disk.f_frsize;
    left_free = (uint64_t)disk.f_blocks * disk.f_frsize / LEAVE_DISK;
    left_free = left_free < cache->max_bytes / LEFT_FREE_DIVISOR
                    ? left_free
                    : cache->max_bytes / LEFT_FREE_DIVISOR;
    if (unused < left_free)
        bytes -= bytes < left_free - unused ? bytes : left_free - unused;
    return unused < left_free && bytes < cache->max_bytes ? bytes : cache->max_bytes;
}

/* Reads the folder, since other processes add files, too. Deletes the least recently used files
 * above `most` or the available space, except `last`, the file added last. */
static void evict_files(struct ps_file_cache *cache, const char *last, uint64_t most)
{
    struct files files = {NULL, 0, 0};
    uint64_t bytes, room;

    (void)pthread_mutex_lock(&cache->sweep_lock);
    bytes = list_files(cache, &files);
    room = bytes_allowed(cache, bytes);
    most = most < room ? most : room;
    if (bytes > most) {
        qsort(files.items, files.n, sizeof *files.items, by_use);
        for (size_t i = 0; i < files.n && bytes > most - most / 10; i++) {
            PS_AUTO(ps_free_ptr) char *path = path_of(cache, files.items[i].name);

            if (strcmp(files.items[i].name, last) == 0 || unlink(path) != 0)
                continue;
            bytes -= files.items[i].bytes;
            cache->evicted += files.items[i].bytes;
        }
    }
    cache->bytes = (int64_t)bytes;
    cache->uncounted_bytes = 0;
    (void)pthread_mutex_unlock(&cache->sweep_lock);
    free(files.items);
}

/* Bytes in the cache, as far as this process knows. */
static uint64_t bytes_here(const struct ps_file_cache *cache)
{
    const int64_t bytes = cache->bytes;

    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Moves a file into the cache and replaces an existing one. */
static enum ps_status move_in(struct ps_file_cache *cache, const char *hash, const char *from,
                              struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = path_of(cache, hash);
    const uint64_t bytes = size_of(from);
    const int64_t before = (int64_t)size_of(path);

    if (rename(from, path) != 0)
        return ps_fail_errno(err, "cannot rename to", path);
    touch_file(path);
    cache->bytes += (int64_t)bytes - before;
    cache->uncounted_bytes += bytes;
    if (bytes_here(cache) > bytes_allowed(cache, bytes_here(cache)) ||
        cache->uncounted_bytes > cache->max_bytes / 10)
        evict_files(cache, hash, cache->max_bytes);
    return PS_OK;
}

/* --- Fetching --- */

struct part_writer {
    int fd;
    const char *path;
    uint64_t max_bytes;
    struct ps_content_hash content;
};

static enum ps_status write_part(void *user, struct ps_str bytes, struct ps_err *err)
{
    struct part_writer *filling = user;

    if (bytes.len > filling->max_bytes - filling->content.bytes)
        return ps_fail(err, PS_IO, "the store: a file has more bytes than stated");
    ps_content_hash_add(&filling->content, bytes);
    return ps_write_all(filling->fd, bytes, filling->path, err);
}

static enum ps_status fetch_to(const char *path, const char *hash, uint64_t bytes,
                               ps_file_cache_fetch *fetch, void *user, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    struct part_writer filling = {fd, path, bytes, {.bytes = 0}};
    char found[PS_CONTENT_HASH_SIZE];

    if (fd < 0)
        return ps_fail_errno(err, "cannot write", path);
    ps_content_hash_begin(&filling.content);
    fetch(user, hash, write_part, &filling, err);
    ps_content_hash_end(&filling.content, found);
    if (filling.content.bytes != bytes || strcmp(found, hash) != 0)
        (void)ps_fail(err, PS_IO, "the store: the file with hash %s is damaged", hash);
    return err->code;
}

static enum ps_status fetch_once(struct ps_file_cache *cache, const char *hash, uint64_t bytes,
                                 ps_file_cache_fetch *fetch, void *user, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf part = {0};

    ps_buf_printf(&part, "%s/%s-%u.part", cache->dir, cache->session, cache->n++);
    if (fetch_to(part.ptr, hash, bytes, fetch, user, err) == PS_OK &&
        move_in(cache, hash, part.ptr, err) == PS_OK)
        cache->fetched += bytes;
    else
        (void)unlink(part.ptr);
    return err->code;
}

static void remove_damaged(struct ps_file_cache *cache, const char *path)
{
    const uint64_t bytes = size_of(path);

    if (unlink(path) == 0)
        cache->bytes -= (int64_t)bytes;
}

/* Fetches a file. If the disk is full, retries after deleting half of the cache, then all of it. */
static enum ps_status fetch_with_retries(struct ps_file_cache *cache, const char *hash,
                                         uint64_t bytes, ps_file_cache_fetch *fetch, void *user,
                                         struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    enum ps_status status = fetch_once(cache, hash, bytes, fetch, user, &own);

    for (int left = 1; status == PS_FULL && left >= 0 && bytes_here(cache); left--) {
        evict_files(cache, "", left ? bytes_here(cache) / 2 : 0);
        own = (struct ps_err)PS_ERR_INIT;
        status = fetch_once(cache, hash, bytes, fetch, user, &own);
    }
    return ps_fail_copy(err, &own);
}

/* Makes the file available; called by one thread at a time. The previous thread may have fetched it
 * already. */
static enum ps_status make_available(struct ps_file_cache *cache, const char *path,
                                     const char *hash, uint64_t bytes, ps_file_cache_fetch *fetch,
                                     void *user, struct ps_err *err)
{
    if (is_ready(cache, path, bytes) || is_whole(path, hash)) {
        touch_file(path);
        cache->hits++;
        return PS_OK;
    }
    cache->misses++;
    remove_damaged(cache, path);
    return fetch_with_retries(cache, hash, bytes, fetch, user, err);
}

/* --- Sharing a fetch between threads --- */

static struct fetch_request *find_request(const struct ps_file_cache *cache, const char *hash)
{
    struct fetch_request *fetch_request = cache->fetches;

    while (fetch_request && strcmp(fetch_request->hash, hash) != 0)
        fetch_request = fetch_request->next;
    return fetch_request;
}

static void remove_request(struct ps_file_cache *cache, struct fetch_request *fetch_request)
{
    struct fetch_request **at = &cache->fetches;

    while (*at != fetch_request)
        at = &(*at)->next;
    *at = fetch_request->next;
}

/* Unlocks the cache. The last user frees the struct. */
static void leave_and_unlock(struct ps_file_cache *cache, struct fetch_request *fetch_request)
{
    const bool last = --fetch_request->users == 0;

    (void)pthread_mutex_unlock(&cache->lock);
    if (last)
        free(fetch_request);
}

/* With the lock held: waits until a fetch ends, but only briefly, so that the caller notices the
 * end of its context. */
static void wait_a_moment(struct ps_file_cache *cache)
{
    (void)ps_cond_wait_until(&cache->changed, &cache->lock, ps_monotonic_ms() + WAIT_MS);
}

static enum ps_status wait_for(struct ps_file_cache *cache, struct fetch_request *fetch_request,
                               struct ps_err *err)
{
    struct ps_err own;

    fetch_request->users++;
    while (!fetch_request->done && !ps_context_has_ended())
        wait_a_moment(cache);
    own = fetch_request->err;
    if (!fetch_request->done)
        (void)ps_context_check(&own);
    leave_and_unlock(cache, fetch_request);
    cache->hits += own.code == PS_OK;
    return ps_fail_copy(err, &own);
}

static enum ps_status make_available_once(struct ps_file_cache *cache, const char *path,
                                          const char *hash, uint64_t bytes,
                                          ps_file_cache_fetch *fetch, void *user,
                                          struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    struct fetch_request *fetch_request;

    (void)pthread_mutex_lock(&cache->lock);
    fetch_request = find_request(cache, hash);
    if (fetch_request)
        return wait_for(cache, fetch_request, err);
    fetch_request = ps_alloc(sizeof *fetch_request);
    *fetch_request = (struct fetch_request){hash, cache->fetches, 1, false, PS_ERR_INIT};
    cache->fetches = fetch_request;
    (void)pthread_mutex_unlock(&cache->lock);

    (void)make_available(cache, path, hash, bytes, fetch, user, &own);

    (void)pthread_mutex_lock(&cache->lock);
    remove_request(cache, fetch_request);
    fetch_request->err = own;
    fetch_request->done = true;
    (void)pthread_cond_broadcast(&cache->changed);
    leave_and_unlock(cache, fetch_request);
    return ps_fail_copy(err, &own);
}

/* --- Public functions --- */

enum ps_status ps_file_cache_open(const char *dir, const char *session, uint64_t most,
                                  struct ps_file_cache **out, struct ps_err *err)
{
    struct files files = {NULL, 0, 0};
    struct ps_file_cache *cache;

    *out = NULL;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return ps_fail_errno(err, "cannot create", dir);
    cache = ps_alloc(sizeof *cache);
    cache->dir = ps_strdup(ps_str_from_c(dir));
    cache->session = ps_strdup(ps_str_from_c(session));
    cache->max_bytes = most;
    cache->trusted = ps_wall_clock_ns() - ps_boot_ms() * 1000000;
    (void)pthread_mutex_init(&cache->lock, NULL);
    (void)pthread_mutex_init(&cache->sweep_lock, NULL);
    (void)pthread_cond_init(&cache->changed, NULL);
    cache->bytes = (int64_t)list_files(cache, &files);
    free(files.items);
    *out = cache;
    return PS_OK;
}

void ps_file_cache_close(struct ps_file_cache *cache)
{
    if (!cache)
        return;
    (void)pthread_mutex_destroy(&cache->lock);
    (void)pthread_mutex_destroy(&cache->sweep_lock);
    (void)pthread_cond_destroy(&cache->changed);
    free(cache->session);
    free(cache->dir);
    free(cache);
}

static enum ps_status check_hash(const char *hash, struct ps_err *err)
{
    return ps_content_is_hash(hash)
               ? PS_OK
               : ps_fail(err, PS_INTERNAL, "the store: %.70s is not a hash", hash);
}

enum ps_status ps_file_cache_get(struct ps_file_cache *cache, const char *hash, uint64_t bytes,
                                 ps_file_cache_fetch *fetch, void *user, char **path_out,
                                 struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;

    *path_out = NULL;
    if (check_hash(hash, err) != PS_OK)
        return err->code;
    path = path_of(cache, hash);
    if (is_ready(cache, path, bytes))
        cache->hits++;
    else if (make_available_once(cache, path, hash, bytes, fetch, user, err) != PS_OK)
        return err->code;
    *path_out = path;
    path = NULL;
    return PS_OK;
}

enum ps_status ps_file_cache_adopt(struct ps_file_cache *cache, const char *hash, const char *path,
                                   struct ps_err *err)
{
    return check_hash(hash, err) == PS_OK ? move_in(cache, hash, path, err) : err->code;
}

void ps_file_cache_use(struct ps_file_cache *cache, const char *hash, uint64_t bytes)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;

    if (!ps_content_is_hash(hash))
        return;
    path = path_of(cache, hash);
    (void)is_ready(cache, path, bytes);
}

void ps_file_cache_distrust(struct ps_file_cache *cache)
{
    cache->trusted = ps_wall_clock_ns();
}

void ps_file_cache_read_stats(const struct ps_file_cache *cache, struct ps_file_cache_stats *out)
{
    *out = (struct ps_file_cache_stats){.hits = cache->hits,
                                        .misses = cache->misses,
                                        .fetched = cache->fetched,
                                        .evicted = cache->evicted,
                                        .bytes = bytes_here(cache),
                                        .max_bytes = cache->max_bytes};
}
