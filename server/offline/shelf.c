/* SPDX-License-Identifier: MIT */
#include "server/offline/shelf.h"

#include <stdio.h>

#include "server/catalog/backend.h"
#include "server/catalog/state.h"
#include "server/offline/files.h"

bool ps_catalog_uri(const struct ps_store *store, struct ps_buf *out)
{
    (void)store;
    ps_buf_puts(out, "file:/catalog.db?immutable=1");
    return true;
}

void ps_catalog_refresh(struct ps_store *store)
{
    (void)store;
}

/* There is nothing to update: the page contains all data. */
static bool catch_up(struct ps_store *store)
{
    (void)store;
    return true;
}

static const struct ps_backend page = {.catch_up = catch_up};

enum ps_status ps_shelf_open(struct ps_store **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    struct ps_store *store = ps_alloc(sizeof *store);
    enum ps_status status;

    store->dir = ps_strdup(ps_str_from_c(""));
    store->backend = &page;
    store->session_fd = -1;
    (void)ps_catalog_uri(store, &uri);
    status = ps_db_open(uri.ptr, false, &store->catalog, err);
    *out = store;
    return status;
}

/* Constant: the runs in a page never change. */
uint64_t ps_run_mark(struct ps_store *store, const char *id)
{
    (void)store, (void)id;
    return 1;
}

enum ps_status ps_run_open(struct ps_store *store, const char *id, struct ps_db **out,
                           struct ps_err *err)
{
    char uri[64], name[40];
    const unsigned char *head;
    size_t len;
    enum ps_status status;

    (void)store;
    (void)snprintf(name, sizeof name, "/runs/%s.db", id);
    head = ps_files_find(name, &len);
    if (!head || len < 64)
        return ps_fail(err, PS_NOT_FOUND, "this page does not contain run %s", id);
    (void)snprintf(uri, sizeof uri, "file:%s?immutable=1", name);
    status = ps_db_open(uri, false, out, err);
    if (status == PS_OK)
        status = ps_db_begin_run(*out, head[63], err); /* user_version: its last byte */
    return status;
}

enum ps_status ps_source_text(struct ps_store *store, struct ps_source *out, struct ps_err *err)
{
    char name[sizeof "/sources/" + PS_SHA256_SIZE];
    const unsigned char *bytes;
    size_t len;

    (void)store;
    (void)snprintf(name, sizeof name, "/sources/%s", out->sha256);
    bytes = ps_files_find(name, &len);
    if (!bytes)
        return ps_fail(err, PS_NOT_FOUND, "this page does not contain that source");
    ps_buf_add(&out->text, (const char *)bytes, len);
    return PS_OK;
}
