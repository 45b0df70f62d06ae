/* SPDX-License-Identifier: MIT */
#include "server/runwrite/checks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stream.h"
#include "server/runfile/handle.h"

void ps_digest_write_hex(struct sha256_ctx *hash, char out[PS_SHA256_SIZE])
{
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_digest(hash, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

static enum ps_status is_there(const char *path, struct ps_err *err)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return errno == ENOENT ? ps_fail(err, PS_NOT_FOUND, "it is missing")
               : errno == EACCES
                   ? ps_fail(err, PS_FORBIDDEN, "cannot examine %s: %s", path, strerror(errno))
                   : ps_fail_errno(err, "cannot examine", path);
    if (access(path, R_OK) != 0 && (errno == EACCES || errno == EPERM))
        return ps_fail(err, PS_FORBIDDEN, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode) || about.st_size == 0)
        return ps_fail(err, PS_IO, "it is %s", S_ISREG(about.st_mode) ? "empty" : "not a file");
    return PS_OK;
}

/* --- Run files --- */

enum ps_status ps_check_open_run(const char *path, struct ps_db **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};

    if (err->code != PS_OK || is_there(path, err) != PS_OK)
        return err->code;
    ps_uri_append_path(&uri, path);
    ps_buf_puts(&uri, "?immutable=1");
    return ps_db_open(uri.ptr, false, out, err);
}

enum ps_status ps_check_db(struct ps_db *db, bool quick, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;
    struct ps_str said;

    if (ps_db_prepare(db, quick ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(1)", &stmt,
                      &own) != PS_OK ||
        !ps_stmt_step(stmt, &own))
        return ps_fail(err, PS_IO, "the file is damaged: %s", own.text);
    said = ps_col_text(stmt, 0);
    if (ps_str_eq_c(said, "ok"))
        return PS_OK;
    return ps_fail(err, PS_IO, "the file is damaged: %.*s", (int)(said.len < 200 ? said.len : 200),
                   said.ptr);
}

static enum ps_status check_sha(struct ps_db *db, const char *sha256, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_err own = PS_ERR_INIT;

    if (ps_db_prepare(db, "SELECT v FROM meta WHERE k = 'sha256'", &stmt, &own) != PS_OK ||
        !ps_stmt_step(stmt, &own))
        return ps_fail(err, PS_IO, "the file is damaged: %s",
                       own.text[0] ? own.text : "it does not name its original");
    if (!ps_str_eq_c(ps_col_text(stmt, 0), sha256))
        return ps_fail(err, PS_CONFLICT, "it belongs to another original");
    return PS_OK;
}

enum ps_status ps_check_run(const char *path, const char *sha256, bool whole, struct ps_err *err)
{
    struct ps_db *db = NULL;

    if (ps_check_open_run(path, &db, err) == PS_OK && check_sha(db, sha256, err) == PS_OK && whole)
        ps_check_db(db, false, err);
    ps_db_close(db);
    return err->code;
}

/* --- Original files --- */

static enum ps_status hash_stream(struct ps_stream *in, const struct ps_check_watch *watch,
                                  char out[PS_SHA256_SIZE], struct ps_err *err)
{
    struct sha256_ctx hash;
    struct ps_str bytes;

    sha256_init(&hash);
    while ((bytes = ps_stream_peek(in, 1)).len) {
        sha256_update(&hash, bytes.len, (const uint8_t *)bytes.ptr);
        ps_stream_skip(in, bytes.len);
        if (!watch->on_read(watch->user, bytes.len))
            return ps_fail(err, PS_CANCELLED, "stopped");
    }
    ps_digest_write_hex(&hash, out);
    return ps_stream_status(in, err);
}

enum ps_status ps_check_stored_file(const char *path, const char *sha256, bool whole,
                                    const struct ps_check_watch *watch, struct ps_err *err)
{
    static const struct ps_stream_limits none = {0, 0};
    PS_AUTO(ps_close_fd) int fd = -1;
    char found[PS_SHA256_SIZE];
    struct ps_err own = PS_ERR_INIT;
    struct ps_stream *in;
    enum ps_status status = is_there(path, err);

    if (status != PS_OK || !whole)
        return status;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ps_fail_errno(err, "cannot read", path);
    in = ps_stream_decompress(ps_stream_from_fd(fd, 0), &none);
    status = hash_stream(in, watch, found, &own);
    ps_stream_free(in);
    if (status == PS_CANCELLED)
        return ps_fail(err, PS_CANCELLED, "stopped");
    if (status != PS_OK)
        return ps_fail(err, PS_IO, "the file is damaged: %s", own.text);
    if (memcmp(found, sha256, sizeof found) != 0)
        return ps_fail(err, PS_IO, "its hash differs from its name");
    return PS_OK;
}
