/* SPDX-License-Identifier: MIT */
#include "server/maintenance/snapshot.h"
#include "server/catalog/state.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>

static enum ps_status run_sql(struct ps_db *db, const char *query, const char *key,
                              const char *value, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    ps_bind_text(stmt, key, ps_str_from_c(value));
    while (ps_stmt_step(stmt, err))
        ;
    return err->code;
}

/* Copies the catalog to a file with VACUUM INTO. Drops the temporary views meanwhile: SQLite would
 * read them instead of the tables of the same names. */
static enum ps_status copy_catalog(struct ps_db *db, const char *path, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;

    if (ps_catalog_drop_compat_views(db, err) == PS_OK)
        (void)run_sql(db, "snapshot", ":path", path, err);
    (void)ps_catalog_add_compat_views(db, &own);
    return ps_fail_copy(err, &own);
}

enum ps_status ps_snapshot_write(struct ps_store *store, const char *path, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    struct ps_db *db = NULL;

    copy_catalog(ps_catalog_lock(store), path, err);
    ps_catalog_unlock(store);
    ps_uri_append_path(&uri, path);
    ps_db_open(uri.ptr, true, &db, err);
    ps_catalog_migrate(db, err);
    ps_digests_watch(db, err);
    /* a copy has no deleted runs */
    ps_db_exec(db,
               "DELETE FROM kept_size WHERE folder = 'originals' AND sha256 IN "
               "(SELECT sha256 FROM deleted_run);"
               "DELETE FROM kept WHERE folder IN ('runs', 'labels') AND key IN "
               "(SELECT id FROM deleted_run);"
               "DELETE FROM source WHERE run IN (SELECT id FROM deleted_run);"
               "DELETE FROM timeline_note WHERE run IN (SELECT id FROM deleted_run);"
               "DELETE FROM kept_size WHERE folder = 'sources' AND sha256 NOT IN "
               "(SELECT sha256 FROM source);"
               "DELETE FROM deleted_run",
               err);
    ps_db_close(db);
    return err->code;
}

enum ps_status ps_snapshot_remove_run(struct ps_db *snapshot, const char *id, struct ps_err *err)
{
    static const char *const queries[] = {
        "tag_delete",      "source_forget", "timeline_notes_forget",
        "baseline_forget", "kept_forget",   "run_delete"};

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        run_sql(snapshot, queries[i], ":id", id, err);
    return err->code;
}

enum ps_status ps_snapshot_remove_source(struct ps_db *snapshot, const char *sha256,
                                         struct ps_err *err)
{
    run_sql(snapshot, "kept_forget_labels", ":sha256", sha256, err);
    return run_sql(snapshot, "source_gone", ":sha256", sha256, err);
}

static bool is_inside(const char *path, const char *folder)
{
    const size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

enum ps_status ps_check_folders_disjoint(const char *shelf, const char *target, struct ps_err *err)
{
    char a[PATH_MAX], b[PATH_MAX];

    if (!realpath(shelf, a))
        return ps_fail_errno(err, "cannot find", shelf);
    if (!realpath(target, b))
        return ps_fail_errno(err, "cannot find", target);
    if (is_inside(b, a))
        return ps_fail(err, PS_CONFLICT, "%s is the shelf itself, or inside it", target);
    if (is_inside(a, b))
        return ps_fail(err, PS_CONFLICT, "the shelf is inside %s", target);
    return PS_OK;
}

bool ps_dir_is_empty(const char *path)
{
    DIR *dir = opendir(path);
    bool empty = true;

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    if (dir)
        (void)closedir(dir);
    return empty;
}
