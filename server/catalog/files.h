/* SPDX-License-Identifier: MIT */
/*
 * files.h: the immutable files of a shelf, each with a folder and a key: runs/<id>,
 * originals/<sha256>, sources/<sha256>. Where many servers share the shelf, also files that wait
 * for a server: spool/<name> and pieces/<name>.
 *
 * A shelf of one folder stores them under these paths (store.h). A shared shelf stores them in its
 * database by content (server/replica/blobs.h): table kept maps folder and key to the content, and
 * a cache (file_cache.h) contains the files that this server used recently.
 *
 * Functions with an err do nothing if it is filled already (server/runfile/db.h).
 */
#ifndef PS_CATALOG_FILES_H
#define PS_CATALOG_FILES_H

#include "server/catalog/store.h"

struct ps_db;

#define PS_CACHE_BYTES ((uint64_t)10 << 30) /* default limit of cached files */

/* Returns a path at which the file can be opened (malloc'ed), and fetches the file first if
 * necessary. PS_NOT_FOUND: a shared shelf has no such file; for a folder, existence is not checked.
 * The cache may evict the file before it is opened: in that case try again. */
enum ps_status ps_file_path(struct ps_store *store, const char *folder, const char *key,
                            char **path_out, struct ps_err *err);
#define PS_FILE_TRIES 10 /* attempts to open a file that the cache keeps evicting */
enum ps_status ps_file_fail_evicted(
    const char *key,
    struct ps_err *err); /* sets and returns PS_UNAVAILABLE after the last attempt */
/* Opens a file for reading. */
enum ps_status ps_file_open(struct ps_store *store, const char *folder, const char *key,
                            int *fd_out, struct ps_err *err);
/* Links or copies a file to `path`. PS_OK if `path` exists already. */
enum ps_status ps_file_link(struct ps_store *store, const char *folder, const char *key,
                            const char *path, struct ps_err *err);

/* A file that is being added. */
struct ps_sent_file {
    char hash[PS_SHA256_SIZE]; /* hash of the file content; in a folder "" except for run files */
    uint64_t bytes;
    int64_t layout; /* of a run file (schema/run.sql); else 0 */
};
/* Sends a file to the backend before the transaction that adds it, so that the transaction does not
 * wait for the transfer. The file must not be altered afterwards. */
enum ps_status ps_file_send(struct ps_store *store, const char *folder, const char *path,
                            struct ps_sent_file *out, struct ps_err *err);
/* Inside that transaction: stores the file under this key, in place of an earlier one. In a shared
 * shelf it becomes valid with the commit, in a folder immediately (pending_delete.c). The file at
 * `path` is moved, and stays moved even if the transaction fails. `path` may be NULL only for a
 * shared shelf. PS_UNAVAILABLE: the file must be sent again. */
enum ps_status ps_file_place(struct ps_store *store, const struct ps_sent_file *sent,
                             const char *folder, const char *key, const char *path,
                             struct ps_err *err);
/* ps_file_place in two steps, for many files of one folder: ps_file_put for each, then
 * ps_file_finish_puts once before the transaction ends. */
enum ps_status ps_file_put(struct ps_store *store, const struct ps_sent_file *sent,
                           const char *folder, const char *key, const char *path,
                           struct ps_err *err);
enum ps_status ps_file_finish_puts(struct ps_store *store, const char *folder, struct ps_err *err);
/* Inside a transaction: deletes the file. */
enum ps_status ps_file_remove(struct ps_store *store, const char *folder, const char *key,
                              struct ps_err *err);
/* Inside a transaction of a shared shelf: checks that the file exists, before a new row refers to
 * it. PS_UNAVAILABLE: it was deleted while this server was considered crashed. */
enum ps_status ps_file_check(struct ps_store *store, const char *folder, const char *key,
                             struct ps_err *err);

/* Rows of the table kept. A shared shelf has a row for each file. A folder has rows for run files
 * only, since nothing else can verify their bytes. */

struct ps_file_row {
    char hash[PS_SHA256_SIZE];
    uint64_t bytes;
    int64_t layout;
};
/* Inside a transaction: runs the query kept_put or kept_remove for this key. sent NULL: there is no
 * file. */
enum ps_status ps_file_change_row(struct ps_db *db, const char *query, const char *folder,
                                  const char *key, const struct ps_sent_file *sent,
                                  struct ps_err *err);
/* Reads the row of a file. PS_NOT_FOUND without a message. */
enum ps_status ps_file_read_row(struct ps_db *db, const char *folder, const char *key,
                                struct ps_file_row *out, struct ps_err *err);

/* The layout of a run file; -1: there is no such file. `db`: the catalog of the caller's
 * transaction, or NULL. */
int64_t ps_file_layout(struct ps_store *store, struct ps_db *db, const char *id);

/* The layout of the run file at any path; -1: there is no such file. */
int64_t ps_file_layout_at(const char *path);

/* Whether the shelf has the file. `db`: the catalog of the caller's transaction, or NULL. */
bool ps_file_has(struct ps_store *store, struct ps_db *db, const char *folder, const char *key);
/* Reads the row of a file. `db`: the catalog of the caller's transaction, or NULL. PS_NOT_FOUND
 * without a message. */
enum ps_status ps_file_find(struct ps_store *store, struct ps_db *db, const char *folder,
                            const char *key, struct ps_file_row *out, struct ps_err *err);

#endif
