/* SPDX-License-Identifier: MIT */
/* private_files.c: a private shelf as a row of files. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/files.h"
#include "server/catalog/private.h"
#include "server/catalog/state.h"

struct showing {
    struct ps_store *store;
    ps_private_file *take;
    void *user;
};

static enum ps_status show(const struct showing *s, const char *name, struct ps_stream *bytes,
                           struct ps_err *err)
{
    enum ps_status status = s->take(s->user, name, bytes, err);

    if (status == PS_OK)
        status = ps_stream_status(bytes, err);
    ps_stream_free(bytes);
    return status;
}

static enum ps_status show_catalog(const struct showing *s, struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(s->store);
    sqlite3_int64 len = 0;
    unsigned char *bytes = sqlite3_serialize(db->handle, "main", &len, 0);
    enum ps_status status;

    ps_catalog_unlock(s->store);
    if (!bytes)
        return ps_fail(err, PS_LIMIT, "not enough memory for a copy of the catalog");
    status = show(s, "/catalog.db",
                  ps_stream_memory((struct ps_str){(const char *)bytes, (size_t)len}, 0), err);
    sqlite3_free(bytes);
    return status;
}

static enum ps_status show_run(const struct showing *s, const char *id, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = -1;
    char name[40];
    enum ps_status status = ps_file_open(s->store, "runs", id, &fd, err);

    if (status != PS_OK)
        return status;
    (void)snprintf(name, sizeof name, "/runs/%s.db", id);
    return show(s, name, ps_stream_fd(fd, 0), err);
}

static enum ps_status show_source(const struct showing *s, const char *sha256, struct ps_err *err)
{
    static const struct ps_stream_limits limits = {PS_SOURCE_MAX, 0};
    PS_AUTO(ps_close_fd) int fd = -1;
    char name[sizeof "/sources/" + PS_SHA256_SIZE];
    enum ps_status status = ps_file_open(s->store, "sources", sha256, &fd, err);

    if (status != PS_OK)
        return status;
    (void)snprintf(name, sizeof name, "/sources/%s", sha256);
    return show(s, name, ps_stream_unpack(ps_stream_fd(fd, 0), &limits), err);
}

typedef enum ps_status show_one(const struct showing *s, const char *key, struct ps_err *err);

/* Those that a query of the catalog names. */
static enum ps_status show_each(const struct showing *s, const char *query, show_one *one,
                                struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(s->store);
    enum ps_status status = ps_db_prepare(db, ps_sql_text(query), &stmt, &own);

    while (status == PS_OK && ps_stmt_row(stmt, &own)) {
        PS_AUTO(ps_free_ptr) char *key = ps_strdup(ps_col_text(stmt, 0));

        status = one(s, key, &own);
    }
    ps_stmt_done(stmt);
    ps_catalog_unlock(s->store);
    if (own.code != PS_OK && err && err->code == PS_OK)
        *err = own;
    return own.code;
}

enum ps_status ps_private_files(struct ps_store *store, ps_private_file *take, void *user,
                                struct ps_err *err)
{
    const struct showing s = {store, take, user};
    enum ps_status status = show_catalog(&s, err);

    if (status == PS_OK)
        status = show_each(&s, "run_ids", show_run, err);
    return status == PS_OK ? show_each(&s, "source_shas", show_source, err) : status;
}
