/* SPDX-License-Identifier: MIT */
/* ingest.c: reads a file once and stores a hashed, compressed copy, in a thread that runs in
 * parallel to the import of the file. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/catalog/files.h"
#include "server/catalog/gzip_writer.h"
#include "server/catalog/quota.h"
#include "server/catalog/state.h"
#include "server/runwrite/checks.h"

#define BLOCK ((size_t)1 << 18)

struct ps_ingest {
    struct ps_store *store;
    const char *where;
    int fd;
    pthread_t thread;
    bool running;
    atomic_bool hash_only; /* the copy is no longer needed */
    atomic_bool known;     /* the hash is known, and the shelf has these bytes */
    struct ps_original original;
    char id[PS_ID_SIZE]; /* id of the run of these bytes */
    char *part;
    int part_fd;
    uint64_t claimed; /* reserved bytes of the part */
    /* intent log entry of the stored file, until a row refers to it */
    struct ps_pending_delete pending;
    struct ps_err err;
};

/* Bytes written to the copy so far. */
static uint64_t copied(const struct ps_ingest *intake)
{
    struct stat about;

    return fstat(intake->part_fd, &about) == 0 ? (uint64_t)about.st_size : 0;
}

static enum ps_status follow(struct ps_ingest *intake)
{
    return ps_quota_reserve_growth(intake->store, &intake->claimed, copied(intake), &intake->err);
}

/* Hashes and compresses each block while it is in the CPU cache. */
static enum ps_status read_all(struct ps_ingest *intake, struct ps_gzip_writer *copy)
{
    PS_AUTO(ps_free_ptr) char *block = ps_grow(NULL, BLOCK, 1);
    struct ps_original *original = &intake->original;
    struct sha256_ctx hash;
    enum ps_status status = PS_OK;
    ssize_t got;

    sha256_init(&hash);
    while (status == PS_OK &&
           (got = pread(intake->fd, block, BLOCK, (off_t)original->bytes)) != 0) {
        if (got < 0)
            return ps_fail_errno(&intake->err, "cannot read", "the file");
        sha256_update(&hash, (size_t)got, (const uint8_t *)block);
        original->bytes += (uint64_t)got;
        if (!atomic_load_explicit(&intake->hash_only, memory_order_relaxed))
            status =
                ps_gzip_writer_add(copy, (struct ps_str){block, (size_t)got}, false, &intake->err);
        if (status == PS_OK)
            status = follow(intake);
    }
    if (status == PS_OK)
        ps_digest_text(&hash, original->sha256);
    if (status == PS_OK && !atomic_load(&intake->hash_only))
        status = ps_gzip_writer_add(copy, PS_STR(""), true, &intake->err);
    return status == PS_OK ? follow(intake) : status;
}

static void *take_in(void *user)
{
    struct ps_ingest *intake = user;
    struct ps_gzip_writer *copy = ps_gzip_writer_new(intake->part_fd, intake->part);
    enum ps_status status = read_all(intake, copy);

    ps_gzip_writer_free(copy);
    if (status != PS_OK)
        return NULL;
    if (ps_store_find(intake->store, intake->original.sha256, intake->id, PS_ERR_IGNORED) ==
            PS_OK &&
        !ps_run_outdated(intake->store, intake->id))
        atomic_store(&intake->known, true);
    else if (!atomic_load(&intake->hash_only) && fsync(intake->part_fd) != 0)
        ps_fail_errno(&intake->err, "cannot sync", intake->part);
    return NULL;
}

enum ps_status ps_ingest_begin(struct ps_store *store, const char *where, int fd,
                               struct ps_ingest **out, struct ps_err *err)
{
    struct ps_ingest *intake = ps_alloc(sizeof *intake);
    enum ps_status status;

    *out = intake;
    intake->store = store;
    intake->where = where;
    intake->fd = fd;
    intake->part_fd = -1;
    status = ps_new_part(store, where, &intake->part, &intake->part_fd, err);
    if (status != PS_OK)
        return status;
    if (pthread_create(&intake->thread, NULL, take_in, intake) != 0)
        return ps_fail(err, PS_INTERNAL, "cannot start a thread");
    intake->running = true;
    return PS_OK;
}

bool ps_ingest_is_known(const struct ps_ingest *intake)
{
    return atomic_load_explicit(&intake->known, memory_order_relaxed);
}

enum ps_status ps_ingest_wait(struct ps_ingest *intake, bool keep, struct ps_original *out,
                              struct ps_err *err)
{
    if (!keep)
        atomic_store(&intake->hash_only, true);
    if (intake->running)
        (void)pthread_join(intake->thread, NULL);
    intake->running = false;
    *out = intake->original;
    return ps_fail_as(err, &intake->err);
}

enum ps_status ps_ingest_keep(struct ps_ingest *intake, struct ps_err *err)
{
    struct ps_sending sent;
    enum ps_status status = ps_file_send(intake->store, intake->where, intake->part, &sent, err);

    if (status != PS_OK)
        return status;
    status = ps_pending_delete_begin(intake->store, &intake->pending, intake->where,
                                     intake->original.sha256, &sent, intake->part, err);
    if (status != PS_OK)
        return status;
    ps_quota_release(intake->store, intake->claimed); /* the catalog counts them from now on */
    intake->claimed = 0;
    free(intake->part);
    intake->part = NULL;
    return PS_OK;
}

void ps_ingest_end(struct ps_ingest *intake)
{
    struct ps_original unused;

    if (!intake)
        return;
    (void)ps_ingest_wait(intake, false, &unused, PS_ERR_IGNORED);
    if (intake->part)
        (void)unlink(intake->part);
    ps_pending_delete_end(intake->store, &intake->pending);
    ps_quota_release(intake->store, intake->claimed);
    ps_close_fd(&intake->part_fd);
    free(intake->part);
    free(intake);
}
