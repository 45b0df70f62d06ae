/* SPDX-License-Identifier: MIT */
/*
 * labels.c: a second copy of the labels of runs, outside the catalog.
 *
 * A run file contains its label at the time of publication (meta.label) and is never altered. Each
 * later change replaces labels/<id>.json by the complete current label. Queries read only the
 * catalog; the label files are for rebuilding a lost catalog. A shared shelf has no label files:
 * backups of its database protect the labels.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/content.h"
#include "base/file.h"
#include "server/catalog/backend.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"

#define LABEL_MAX ((size_t)4 << 20)

static enum ps_status path_of(const struct ps_store *store, const char *id, char **out,
                              struct ps_err *err)
{
    return ps_store_path(store, "labels", id, ".json", out, err);
}

enum ps_status ps_label_write(struct ps_store *store, const char *id, struct ps_str text,
                              struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_free_ptr) char *part = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;
    enum ps_status status;

    if (!store->backend->keeps_labels)
        return PS_OK;
    status = path_of(store, id, &path, err);
    if (status == PS_OK)
        status = ps_new_part(store, "labels", &part, &fd, err);
    if (status == PS_OK)
        status = ps_write_all(fd, text, part, err);
    if (status == PS_OK && (fsync(fd) != 0 || rename(part, path) != 0))
        status = ps_fail_errno(err, "cannot write", path);
    if (status != PS_OK && part)
        (void)unlink(part);
    return status;
}

enum ps_status ps_label_text(struct ps_db *db, const char *id, struct ps_buf *out,
                             struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("label"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    if (!ps_stmt_step(stmt, err))
        return err->code == PS_OK ? PS_NOT_FOUND : err->code;
    ps_buf_add_str(out, ps_col_text(stmt, 0));
    return PS_OK;
}

static void hash_label(struct ps_str text, struct ps_sent_file *out)
{
    struct ps_content_hash content;

    *out = (struct ps_sent_file){.bytes = text.len};
    ps_content_hash_begin(&content);
    ps_content_hash_add(&content, text);
    ps_content_hash_end(&content, out->hash);
}

enum ps_status ps_label_record_hash(struct ps_store *store, const char *id, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_sent_file label;

    if (!store->backend->keeps_labels || ps_label_text(store->catalog, id, &text, err) != PS_OK)
        return err->code;
    hash_label(ps_buf_slice(&text), &label);
    return ps_file_change_row(store->catalog, "kept_put", "labels", id, &label, err);
}

bool ps_label_has_hash(struct ps_db *db, const char *id, bool *differs)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_file_row kept;
    struct ps_sent_file label;

    if (ps_file_read_row(db, "labels", id, &kept, PS_ERR_IGNORED) != PS_OK)
        return false;
    if (ps_label_text(db, id, &text, PS_ERR_IGNORED) == PS_OK) {
        hash_label(ps_buf_slice(&text), &label);
        *differs = strcmp(label.hash, kept.hash) != 0;
    }
    return true;
}

enum ps_status ps_label_save(struct ps_store *store, const char *id, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    enum ps_status status = ps_label_text(store->catalog, id, &text, err);

    if (status == PS_OK)
        status = ps_label_write(store, id, ps_buf_slice(&text), err);
    return status == PS_OK ? ps_label_record_hash(store, id, err) : status;
}

enum ps_status ps_label_save_all(struct ps_store *store, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(store);

    ps_db_prepare(db, ps_query_sql("run_ids"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *id = ps_strdup(ps_col_text(stmt, 0));

        ps_label_save(store, id, err);
    }
    ps_catalog_unlock(store);
    return err->code;
}

void ps_label_remove(struct ps_store *store, const char *id)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;

    if (path_of(store, id, &path, PS_ERR_IGNORED) == PS_OK)
        (void)unlink(path);
}

bool ps_label_read(struct ps_store *store, const char *id, struct ps_buf *out)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;
    ssize_t got;

    if (store->backend->keeps_labels && path_of(store, id, &path, PS_ERR_IGNORED) == PS_OK)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    do {
        ps_buf_reserve(out, 1 << 16);
        got = read(fd, out->ptr + out->len, 1 << 16);
        out->len += got > 0 ? (size_t)got : 0;
    } while (got > 0 && out->len < LABEL_MAX);
    ps_buf_add(out, "", 0);
    return got == 0;
}

static enum ps_status apply_label(struct ps_db *db, const char *query, const char *id,
                                  struct ps_str label, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    ps_bind_text(stmt, ":label", label);
    (void)ps_stmt_step(stmt, err);
    return err->code;
}

enum ps_status ps_label_apply(struct ps_db *db, const char *id, struct ps_str label,
                              struct ps_err *err)
{
    apply_label(db, "label_run", id, label, err);
    apply_label(db, "tag_delete", id, label, err);
    apply_label(db, "label_tags", id, label, err);
    apply_label(db, "timeline_notes_forget", id, label, err);
    apply_label(db, "label_timeline_notes", id, label, err);
    return apply_label(db, "label_sources", id, label, err);
}

enum ps_status ps_list_label_save(struct ps_store *store, const char *of, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(store->catalog, ps_query_sql(of), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    return ps_label_write(store, of, ps_col_text(stmt, 0), err);
}
