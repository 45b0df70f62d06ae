/* SPDX-License-Identifier: MIT */
/* originals.c: the bytes as they came in: spooled, hashed, kept compressed, given back. */
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "server/store/db_impl.h"

#define BLOCK ((size_t)1 << 18)
#define LEVEL                                                                                      \
    1 /* fast: the point is to keep, not to squeeze; 4 to 10 times smaller on profiles all the     \
         same */

static atomic_uint counter;

/* A name nobody else has: files on their way are locked by who writes them and swept when the store
 * is opened. */
static enum ps_status new_file(struct ps_store *store, const char *folder, const char *ending,
                               char **path_out, int *fd_out, struct ps_err *err)
{
    char name[64];
    int fd;

    (void)snprintf(name, sizeof name, "%ld-%u", (long)getpid(), atomic_fetch_add(&counter, 1));
    *path_out = ps_store_path(store, folder, name, ending);
    fd = open(*path_out, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST &&
        unlink(*path_out) == 0) /* left by a process that had our number */
        fd = open(*path_out, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        enum ps_status status = ps_fail_errno(err, "cannot write", *path_out);

        free(*path_out);
        *path_out = NULL;
        return status;
    }
    (void)flock(fd, LOCK_EX | LOCK_NB);
    *fd_out = fd;
    return PS_OK;
}

enum ps_status ps_part_create(struct ps_store *store, char **path_out, int *fd_out,
                              struct ps_err *err)
{
    return new_file(store, "runs", ".part", path_out, fd_out, err);
}

enum ps_status ps_store_spool(struct ps_store *store, char **path_out, int *fd_out,
                              struct ps_err *err)
{
    return new_file(store, "spool", "", path_out, fd_out, err);
}

enum ps_status ps_store_hash(int fd, struct ps_original *out, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) unsigned char *block = ps_grow(NULL, BLOCK, 1);
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx hash;
    ssize_t got;

    sha256_init(&hash);
    out->bytes = 0;
    for (;;) {
        got = pread(fd, block, BLOCK, (off_t)out->bytes);
        if (got <= 0)
            break;
        sha256_update(&hash, (size_t)got, block);
        out->bytes += (uint64_t)got;
    }
    if (got < 0)
        return ps_fail_errno(err, "cannot read", "the file");
    sha256_digest(&hash, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        (void)snprintf(out->sha256 + 2 * i, 3, "%02x", digest[i]);
    return PS_OK;
}

static enum ps_status write_all(int fd, const char *at, size_t len, const char *path,
                                struct ps_err *err)
{
    while (len) {
        ssize_t put = write(fd, at, len);

        if (put < 0 && errno != EINTR)
            return ps_fail_errno(err, "cannot write", path);
        if (put > 0) {
            at += put;
            len -= (size_t)put;
        }
    }
    return PS_OK;
}

struct squeeze {
    ZSTD_CCtx *context;
    int from, to;
    const char *path; /* of `to`, for messages */
    char *in, *out;
};

static enum ps_status squeeze_block(struct squeeze *s, size_t len, bool last, struct ps_err *err)
{
    ZSTD_inBuffer input = {s->in, len, 0};
    size_t left;

    do {
        ZSTD_outBuffer output = {s->out, BLOCK, 0};
        enum ps_status status;

        left =
            ZSTD_compressStream2(s->context, &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return ps_fail(err, PS_INTERNAL, "zstd: %s", ZSTD_getErrorName(left));
        status = write_all(s->to, s->out, output.pos, s->path, err);
        if (status != PS_OK)
            return status;
    } while (last ? left != 0 : input.pos < input.size);
    return PS_OK;
}

static enum ps_status squeeze_file(struct squeeze *s, uint64_t bytes, struct ps_err *err)
{
    uint64_t done = 0;

    ZSTD_CCtx_setParameter(s->context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(s->context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(s->context, bytes);
    while (done < bytes) {
        size_t want = bytes - done < BLOCK ? (size_t)(bytes - done) : BLOCK;
        ssize_t got = pread(s->from, s->in, want, (off_t)done);
        enum ps_status status;

        if (got <= 0)
            return ps_fail(err, PS_IO, "the file changed while it was read");
        done += (uint64_t)got;
        status = squeeze_block(s, (size_t)got, done == bytes, err);
        if (status != PS_OK)
            return status;
    }
    return bytes ? PS_OK : squeeze_block(s, 0, true, err);
}

enum ps_status ps_keep_in(struct ps_store *store, const char *where, int fd,
                          const struct ps_original *original, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *final = ps_store_path(store, where, original->sha256, ".zst");
    PS_AUTO(ps_free_ptr) char *folder = ps_store_path(store, where, "", "");
    PS_AUTO(ps_free_ptr) char *part = NULL;
    PS_AUTO(ps_free_ptr) char *in = NULL;
    PS_AUTO(ps_free_ptr) char *out = NULL;
    PS_AUTO(ps_close_fd) int to = -1;
    struct squeeze s = {.from = fd};
    enum ps_status status;

    if (access(final, R_OK) == 0)
        return PS_OK;
    status = new_file(store, where, ".part", &part, &to, err);
    if (status != PS_OK)
        return status;
    s.context = ZSTD_createCCtx();
    s.to = to;
    s.path = part;
    s.in = in = ps_grow(NULL, BLOCK, 1);
    s.out = out = ps_grow(NULL, BLOCK, 1);
    status = squeeze_file(&s, original->bytes, err);
    ZSTD_freeCCtx(s.context);
    if (status == PS_OK && fsync(to) != 0)
        status = ps_fail_errno(err, "cannot sync", part);
    if (status == PS_OK && rename(part, final) != 0)
        status = ps_fail_errno(err, "cannot rename to", final);
    if (status == PS_OK)
        return ps_sync_dir(folder, err);
    (void)unlink(part);
    return status;
}

enum ps_status ps_store_keep(struct ps_store *store, int fd, const struct ps_original *original,
                             struct ps_err *err)
{
    return ps_keep_in(store, "originals", fd, original, err);
}

void ps_store_unkeep(struct ps_store *store, const char *sha256)
{
    PS_AUTO(ps_free_ptr) char *path = ps_store_path(store, "originals", sha256, ".zst");
    char id[PS_ID_SIZE];

    if (ps_store_find(store, sha256, id, NULL) != PS_OK)
        (void)unlink(path);
}

static enum ps_status original_of(struct ps_store *store, const char *id, struct ps_original *out,
                                  struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(store);
    struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("run_original"), &stmt, err);

    if (status == PS_OK) {
        ps_bind_text(stmt, ":id", ps_str_of(id));
        if (ps_stmt_row(stmt, err)) {
            (void)snprintf(out->sha256, sizeof out->sha256, "%.*s", 64, ps_col_text(stmt, 0).at);
            out->bytes = (uint64_t)ps_col_int(stmt, 1);
        } else {
            status = ps_fail(err, PS_NOT_FOUND, "run %s is not on this shelf", id);
        }
        ps_stmt_done(stmt);
    }
    ps_catalog_unlock(store);
    return status;
}

enum ps_status ps_store_original(struct ps_store *store, const char *id, struct ps_stream **out,
                                 int *fd_out, uint64_t *bytes_out, struct ps_err *err)
{
    static const struct ps_stream_limits none = {0, 0};
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct ps_original original;
    enum ps_status status = original_of(store, id, &original, err);

    if (status != PS_OK)
        return status;
    path = ps_store_path(store, "originals", original.sha256, ".zst");
    *fd_out = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd_out < 0)
        return ps_fail_errno(err, "cannot read", path);
    *bytes_out = original.bytes;
    *out = ps_stream_unpack(ps_stream_fd(*fd_out, 0), &none);
    return PS_OK;
}
