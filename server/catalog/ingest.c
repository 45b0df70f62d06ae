/* SPDX-License-Identifier: MIT */
/* ingest.c: reads a file once, computes its hash and stores a compressed copy. A thread does this
 * in parallel to the import of the file. */
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
    const char *folder;
    int fd;
    pthread_t thread;
    bool running;
    atomic_bool hash_only; /* the caller no longer needs the copy, only the hash */
    atomic_bool is_known;  /* the shelf has a current run of these bytes */
    struct ps_original original;
    char id[PS_ID_SIZE]; /* id of the run with these bytes */
    char *part;
    int part_fd;
    uint64_t claimed; /* reserved bytes of the part */
    /* intent log entry of the stored copy, until a row refers to the copy */
    struct ps_pending_delete pending;
    struct ps_err err;
};

/* Returns how many bytes of the copy were written so far. */
static uint64_t bytes_copied(const struct ps_ingest *ingest)
{
    struct stat about;

    return fstat(ingest->part_fd, &about) == 0 ? (uint64_t)about.st_size : 0;
}

static enum ps_status hash_while_growing(struct ps_ingest *ingest)
{
    return ps_quota_reserve_growth(ingest->store, &ingest->claimed, bytes_copied(ingest),
                                   &ingest->err);
}

/* Hashes and compresses each block while it is in the CPU cache. */
static enum ps_status read_all(struct ps_ingest *ingest, struct ps_gzip_writer *copy)
{
    PS_AUTO(ps_free_ptr) char *block = ps_grow(NULL, BLOCK, 1);
    struct ps_original *original = &ingest->original;
    struct sha256_ctx hash;
    enum ps_status status = PS_OK;
    ssize_t got;

    sha256_init(&hash);
    while (status == PS_OK &&
           (got = pread(ingest->fd, block, BLOCK, (off_t)original->bytes)) != 0) {
        if (got < 0)
            return ps_fail_errno(&ingest->err, "cannot read", "the file");
        sha256_update(&hash, (size_t)got, (const uint8_t *)block);
        original->bytes += (uint64_t)got;
        if (!atomic_load_explicit(&ingest->hash_only, memory_order_relaxed))
            status =
                ps_gzip_writer_add(copy, (struct ps_str){block, (size_t)got}, false, &ingest->err);
        if (status == PS_OK)
            status = hash_while_growing(ingest);
    }
    if (status == PS_OK)
        ps_digest_write_hex(&hash, original->sha256);
    if (status == PS_OK && !atomic_load(&ingest->hash_only))
        status = ps_gzip_writer_add(copy, PS_STR(""), true, &ingest->err);
    return status == PS_OK ? hash_while_growing(ingest) : status;
}

static void *ingest_thread(void *user)
{
    struct ps_ingest *ingest = user;
    struct ps_gzip_writer *copy = ps_gzip_writer_new(ingest->part_fd, ingest->part);
    enum ps_status status = read_all(ingest, copy);

    ps_gzip_writer_free(copy);
    if (status != PS_OK)
        return NULL;
    if (ps_store_find_by_hash(ingest->store, ingest->original.sha256, ingest->id, PS_ERR_IGNORED) ==
            PS_OK &&
        !ps_run_is_outdated(ingest->store, ingest->id))
        atomic_store(&ingest->is_known, true);
    else if (!atomic_load(&ingest->hash_only) && fsync(ingest->part_fd) != 0)
        ps_fail_errno(&ingest->err, "cannot sync", ingest->part);
    return NULL;
}

enum ps_status ps_ingest_begin(struct ps_store *store, const char *where, int fd,
                               struct ps_ingest **out, struct ps_err *err)
{
    struct ps_ingest *ingest = ps_alloc(sizeof *ingest);
    enum ps_status status;

    *out = ingest;
    ingest->store = store;
    ingest->folder = where;
    ingest->fd = fd;
    ingest->part_fd = -1;
    status = ps_new_part(store, where, &ingest->part, &ingest->part_fd, err);
    if (status != PS_OK)
        return status;
    if (pthread_create(&ingest->thread, NULL, ingest_thread, ingest) != 0)
        return ps_fail(err, PS_INTERNAL, "cannot start a thread");
    ingest->running = true;
    return PS_OK;
}

bool ps_ingest_is_known(const struct ps_ingest *ingest)
{
    return atomic_load_explicit(&ingest->is_known, memory_order_relaxed);
}

enum ps_status ps_ingest_wait(struct ps_ingest *ingest, bool keep, struct ps_original *out,
                              struct ps_err *err)
{
    if (!keep)
        atomic_store(&ingest->hash_only, true);
    if (ingest->running)
        (void)pthread_join(ingest->thread, NULL);
    ingest->running = false;
    *out = ingest->original;
    return ps_fail_copy(err, &ingest->err);
}

enum ps_status ps_ingest_keep(struct ps_ingest *ingest, struct ps_err *err)
{
    struct ps_sent_file sent;
    enum ps_status status = ps_file_send(ingest->store, ingest->folder, ingest->part, &sent, err);

    if (status != PS_OK)
        return status;
    status = ps_pending_delete_begin(ingest->store, &ingest->pending, ingest->folder,
                                     ingest->original.sha256, &sent, ingest->part, err);
    if (status != PS_OK)
        return status;
    ps_quota_release(ingest->store, ingest->claimed); /* now the catalog counts these bytes */
    ingest->claimed = 0;
    free(ingest->part);
    ingest->part = NULL;
    return PS_OK;
}

void ps_ingest_end(struct ps_ingest *ingest)
{
    struct ps_original unused;

    if (!ingest)
        return;
    (void)ps_ingest_wait(ingest, false, &unused, PS_ERR_IGNORED); /* the copy is deleted */
    if (ingest->part)
        (void)unlink(ingest->part);
    ps_pending_delete_end(ingest->store, &ingest->pending);
    ps_quota_release(ingest->store, ingest->claimed);
    ps_close_fd(&ingest->part_fd);
    free(ingest->part);
    free(ingest);
}
