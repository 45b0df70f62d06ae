/* SPDX-License-Identifier: MIT */
/*
 * backup.c: copies a shelf to a folder, which becomes a shelf itself. Other processes may use the
 * source meanwhile.
 *
 * ps_store_backup first takes a snapshot of the catalog, then copies the immutable files to which
 * the snapshot refers. Finally the snapshot becomes the catalog of the target. Runs that other
 * processes removed meanwhile are deleted from the snapshot.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "server/catalog/copy_file.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"
#include "server/maintenance/maintenance.h"
#include "server/maintenance/snapshot.h"

#define MARK "backup-of" /* file in the target that contains the path of the source shelf */

struct backup_state {
    const struct ps_backup_options *options;
    struct ps_backup_result *out;
    struct ps_store *source, *target; /* the catalog of `target` is the snapshot */
    char *part;                       /* path of the snapshot in the target, malloc'ed */
    uint64_t done, total;
};

/* --- Target --- */

static enum ps_status write_mark(const char *path, const char *source, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return ps_fail_errno(err, "cannot write", path);
    if (ps_write_all(fd, ps_str_from_c(source), path, err) == PS_OK && fsync(fd) != 0)
        (void)ps_fail_errno(err, "cannot sync", path);
    return err->code;
}

/* Fails unless the target is an empty folder or a backup of the same shelf. Writes MARK into an
 * empty folder. */
static enum ps_status check_target(const char *target, const char *source, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf mark = {0};
    PS_AUTO(ps_close_fd) int fd = -1;
    char said[PATH_MAX + 1] = "";
    ssize_t got;

    ps_buf_printf(&mark, "%s/" MARK, target);
    fd = open(mark.ptr, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && !ps_dir_is_empty(target))
        return ps_fail(err, PS_CONFLICT,
                       "%s is not a backup of a shelf" PS_HINT
                       "use an empty folder, or one that a backup made",
                       target);
    if (fd < 0)
        return write_mark(mark.ptr, source, err);
    got = read(fd, said, sizeof said - 1);
    if (got < 0)
        return ps_fail_errno(err, "cannot read", mark.ptr);
    return strcmp(said, source) == 0
               ? PS_OK
               : ps_fail(err, PS_CONFLICT, "%s is the backup of another shelf, %s", target, said);
}

static enum ps_status open_target(struct backup_state *b, const char *target, int *lock,
                                  struct ps_err *err)
{
    char source[PATH_MAX];
    const bool made = access(target, F_OK) != 0;

    if (ps_make_dir(target, err) != PS_OK)
        return err->code;
    if (ps_check_folders_disjoint(b->source->dir, target, err) != PS_OK) {
        if (made)
            (void)rmdir(target);
        return err->code;
    }
    if (!realpath(b->source->dir, source))
        return ps_fail_errno(err, "cannot find", b->source->dir);
    return check_target(target, source, err) == PS_OK
               ? ps_store_open_exclusive(target, &b->target, lock, err)
               : err->code;
}

/* --- Catalog --- */

/* Takes the snapshot. Deletes waiting uploads from it, since spool files are not copied. */
static enum ps_status take_catalog(struct backup_state *b, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};

    (void)unlink(b->part);
    ps_uri_append_path(&uri, b->part);
    ps_snapshot_write(b->source, b->part, err);
    ps_db_open(uri.ptr, true, &b->target->catalog, err);
    ps_digests_watch(b->target->catalog, err);
    return ps_db_exec(b->target->catalog,
                      "DELETE FROM upload; DELETE FROM doomed; DELETE FROM removed_since; "
                      "DELETE FROM partial",
                      err);
}

/* --- Files --- */

static enum ps_status copy_file(struct backup_state *b, const char *folder, const char *key,
                                struct ps_err *err)
{
    uint64_t bytes;
    enum ps_status status = ps_copy_file(b->source, b->target, folder, key, &bytes, err);

    b->out->files += bytes > 0;
    b->out->bytes += bytes;
    return status;
}

/* Copies labels/<key>.json if it exists. */
static enum ps_status copy_label(struct backup_state *b, const char *key, struct ps_err *err)
{
    enum ps_status status = copy_file(b, "labels", key, err);

    return status == PS_NOT_FOUND && err->code == PS_OK ? PS_OK : status;
}

/* Handles a missing file of a run: if another process removed the run meanwhile, deletes the run
 * from the snapshot; otherwise fails, since the shelf is damaged. */
static enum ps_status leave_out(struct backup_state *b, const char *id, const char *sha256,
                                struct ps_err *err)
{
    char found[PS_ID_SIZE];
    struct ps_err gone = PS_ERR_INIT;
    const enum ps_status status = ps_store_find_by_hash(b->source, sha256, found, &gone);

    if (status != PS_OK && status != PS_NOT_FOUND)
        return ps_fail_copy(err, &gone);
    if (status == PS_OK)
        return ps_fail(err, PS_IO,
                       "a file of run %s is missing" PS_HINT "`perfshelf verify` has details", id);
    return ps_snapshot_remove_run(b->target->catalog, id, err);
}

static enum ps_status copy_run(struct backup_state *b, const char *id, const char *sha256,
                               struct ps_err *err)
{
    char found[PS_ID_SIZE];
    enum ps_status status;

    if (ps_store_find_by_hash(b->source, sha256, found, PS_ERR_IGNORED) == PS_NOT_FOUND)
        return leave_out(b, id, sha256, err);
    status = copy_file(b, "runs", id, err);
    if (status == PS_OK)
        status = copy_file(b, "originals", sha256, err);
    if (status == PS_OK)
        status = copy_label(b, id, err);
    if (status == PS_NOT_FOUND && err->code == PS_OK)
        return leave_out(b, id, sha256, err);
    b->out->runs += status == PS_OK;
    return status;
}

static bool go_on(struct backup_state *b, uint64_t bytes, struct ps_err *err)
{
    b->done += bytes;
    if (b->options->progress(b->options->user, b->done, b->total, b->out->files))
        return true;
    (void)ps_fail(err, PS_CANCELLED, "stopped; the next backup continues from here");
    return false;
}

/* Copies the files of all runs. Reads all rows first, because leave_out changes the table. */
static enum ps_status copy_runs(struct backup_state *b, struct ps_err *err)
{
    /* id and hash of each run, each followed by a NUL */
    PS_AUTO(ps_buf_free) struct ps_buf rows = {0};
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(b->target->catalog, ps_query_sql("run_files"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        ps_col_append(stmt, 0, &rows);
        ps_col_append(stmt, 1, &rows);
        b->total++;
    }
    ps_stmt_release(stmt);
    for (const char *id = rows.ptr; id && id < rows.ptr + rows.len && err->code == PS_OK;) {
        const char *sha256 = id + strlen(id) + 1;

        if (copy_run(b, id, sha256, err) == PS_OK)
            (void)go_on(b, 1, err);
        id = sha256 + strlen(sha256) + 1;
    }
    return err->code;
}

static enum ps_status copy_sources(struct backup_state *b, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(b->target->catalog, ps_query_sql("source_shas"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *sha256 = ps_strdup(ps_col_text(stmt, 0));

        if (copy_file(b, "sources", sha256, err) == PS_NOT_FOUND)
            ps_snapshot_remove_source(b->target->catalog, sha256, err);
    }
    ps_stmt_release(stmt);
    return err->code;
}

/* --- End of the backup --- */

static bool is_used(struct ps_db *db, const char *folder, const char *name)
{
    PS_AUTO(ps_free_ptr) char *key = ps_strdup((struct ps_str){name, strcspn(name, ".")});
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (ps_db_prepare(db, ps_query_sql("kept_used"), &stmt, PS_ERR_IGNORED) != PS_OK)
        return true;
    ps_bind_text(stmt, ":folder", ps_str_from_c(folder));
    ps_bind_text(stmt, ":key", ps_str_from_c(key));
    return !ps_stmt_step(stmt, PS_ERR_IGNORED) || ps_col_int(stmt, 0) != 0;
}

/* Appends the paths of files of the previous backup to which the snapshot does not refer, each
 * followed by a NUL. */
static void list_unused(struct backup_state *b, struct ps_buf *out)
{
    for (const char *const *folder = ps_stored_folders; *folder; folder++) {
        PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(b->target, *folder);
        DIR *dir = opendir(path);

        for (struct dirent *entry; dir && (entry = readdir(dir));)
            if (entry->d_name[0] != '.' && !is_used(b->target->catalog, *folder, entry->d_name)) {
                ps_buf_printf(out, "%s%s", path, entry->d_name);
                ps_buf_add(out, "", 1);
            }
        if (dir)
            (void)closedir(dir);
    }
}

static enum ps_status sync_folders(struct backup_state *b, struct ps_err *err)
{
    for (const char *const *folder = ps_stored_folders; err->code == PS_OK && *folder; folder++) {
        PS_AUTO(ps_free_ptr) char *path = ps_store_folder_path(b->target, *folder);

        ps_sync_dir(path, err);
    }
    return err->code;
}

/* Syncs the snapshot and renames it to catalog.db. First deletes the -wal and -shm files of the
 * previous catalog.db, which SQLite would apply to the new file. */
static enum ps_status put_catalog(struct backup_state *b, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *final = ps_store_file_path(b->target, "catalog.db");
    PS_AUTO(ps_free_ptr) char *wal = ps_store_file_path(b->target, "catalog.db-wal");
    PS_AUTO(ps_free_ptr) char *shm = ps_store_file_path(b->target, "catalog.db-shm");
    PS_AUTO(ps_close_fd) int fd = -1;

    ps_db_close(b->target->catalog);
    b->target->catalog = NULL;
    fd = open(b->part, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        return ps_fail_errno(err, "cannot sync", b->part);
    (void)unlink(wal);
    (void)unlink(shm);
    if (rename(b->part, final) != 0)
        return ps_fail_errno(err, "cannot rename to", final);
    return ps_sync_dir(b->target->dir, err);
}

static enum ps_status back_up(struct backup_state *b, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf unused = {0};

    take_catalog(b, err);
    copy_runs(b, err);
    copy_sources(b, err);
    copy_label(b, "baselines", err);
    copy_label(b, "queries", err);
    if (sync_folders(b, err) != PS_OK)
        return err->code;
    list_unused(b, &unused);
    put_catalog(b, err);
    for (size_t at = 0; err->code == PS_OK && at < unused.len; at += strlen(unused.ptr + at) + 1)
        b->out->removed_files += unlink(unused.ptr + at) == 0;
    return err->code;
}

enum ps_status ps_store_backup(const char *dir, const char *target,
                               const struct ps_backup_options *how, struct ps_backup_result *out,
                               struct ps_err *err)
{
    struct backup_state b = {.options = how, .out = out};
    PS_AUTO(ps_close_fd) int lock = -1;

    *out = (struct ps_backup_result){.runs = 0};
    if (!ps_store_exists(dir))
        return ps_fail(err, PS_NOT_FOUND, "there is no shelf");
    if (ps_store_open(dir, &b.source, err) == PS_OK &&
        open_target(&b, target, &lock, err) == PS_OK) {
        b.part = ps_store_file_path(b.target, "catalog.part");
        if (back_up(&b, err) != PS_OK)
            (void)unlink(b.part);
    }
    ps_store_close(b.target);
    ps_store_close(b.source);
    free(b.part);
    return err->code;
}
