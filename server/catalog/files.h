/* SPDX-License-Identifier: MIT */
/*
 * files.h: the files of a shelf that are never altered, each with a folder and a key: runs/<id>,
 * originals/<sha256>, sources/<sha256>; where many servers share the shelf also what waits for one
 * of them: spool/<name> and pieces/<name>.
 *
 * A shelf of one folder has them there under these names (store.h). One that many servers share has
 * them in its database, by their content (server/replica/blobs.h); table kept says which content
 * stands for which folder and key, and a cache (cache.h) holds what this server used lately.
 */
#ifndef PS_CATALOG_FILES_H
#define PS_CATALOG_FILES_H

#include "server/catalog/store.h"

struct ps_db;

#define PS_CACHE_BYTES ((uint64_t)10 << 30) /* what is fetched takes at most, unless told */

/* Where it can be opened now; it is fetched first where it is not here. PS_NOT_FOUND: the shelf
 * that many share has none; a folder is not looked into. What is fetched next may have it leave the
 * cache before it is opened: who does that tries again. malloc'ed. */
enum ps_status ps_file_path(struct ps_store *store, const char *folder, const char *key,
                            char **path_out, struct ps_err *err);
#define PS_FILE_TRIES 10 /* of what leaves the cache again and again */
enum ps_status ps_file_left(const char *key, struct ps_err *err); /* PS_UNAVAILABLE */
/* For reading. */
enum ps_status ps_file_open(struct ps_store *store, const char *folder, const char *key,
                            int *fd_out, struct ps_err *err);
/* A second name for it, or a copy. PS_OK when that name is there already. */
enum ps_status ps_file_link(struct ps_store *store, const char *folder, const char *key,
                            const char *path, struct ps_err *err);

/* A file on its way in. */
struct ps_sending {
    char hash[PS_SHA256_SIZE]; /* of the file itself; "" in a folder, but for run files */
    uint64_t bytes;
    int64_t layout; /* of a run file (schema/run.sql); else 0 */
};
/* Before the transaction that puts it in its place: nobody has to wait for its bytes then. The file
 * is not altered any more. */
enum ps_status ps_file_send(struct ps_store *store, const char *folder, const char *path,
                            struct ps_sending *out, struct ps_err *err);
/* Inside that transaction: it is the one of this key, in place of another. What was sent stands
 * when the transaction does; in a folder it stands at once (pending_delete.c). With `path` that
 * file is moved, and it is gone from there whatever becomes of the transaction; in a folder it must
 * be given. PS_UNAVAILABLE: it has to be sent again. */
enum ps_status ps_file_place(struct ps_store *store, const struct ps_sending *sent,
                             const char *folder, const char *key, const char *path,
                             struct ps_err *err);
/* The same in two steps, for many files of a folder: each, and before the transaction ends, all. */
enum ps_status ps_file_put(struct ps_store *store, const struct ps_sending *sent,
                           const char *folder, const char *key, const char *path,
                           struct ps_err *err);
enum ps_status ps_file_settle(struct ps_store *store, const char *folder, struct ps_err *err);
/* Inside a transaction: it goes. */
enum ps_status ps_file_remove(struct ps_store *store, const char *folder, const char *key,
                              struct ps_err *err);
/* Inside a transaction, of a shelf that many share: whoever is about to refer to it may, for it is
 * there. PS_UNAVAILABLE: it went while nobody heard of this server. */
enum ps_status ps_file_check(struct ps_store *store, const char *folder, const char *key,
                             struct ps_err *err);

/* Rows of the table kept: of all files where many servers share the shelf; in a folder, of run
 * files, since nothing else can verify their bytes. */

struct ps_shared_file {
    char hash[PS_SHA256_SIZE];
    uint64_t bytes;
    int64_t layout;
};
/* Inside a transaction: runs kept_put or kept_remove for this key. sent NULL: without a file. */
enum ps_status ps_file_row_change(struct ps_db *db, const char *query, const char *folder,
                                  const char *key, const struct ps_sending *sent,
                                  struct ps_err *err);
/* The row; PS_NOT_FOUND without text. */
enum ps_status ps_file_row(struct ps_db *db, const char *folder, const char *key,
                           struct ps_shared_file *out, struct ps_err *err);

/* The layout of a run file; -1: there is none. `db`: of the caller's transaction, or NULL. */
int64_t ps_file_layout(struct ps_store *store, struct ps_db *db, const char *id);

/* The same of a file, whatever its place. */
int64_t ps_path_layout(const char *path);

/* Whether the shelf has it. `db`: of the caller's transaction, or NULL. */
bool ps_file_has(struct ps_store *store, struct ps_db *db, const char *folder, const char *key);
/* The row of a file; `db` as above. PS_NOT_FOUND without text. */
enum ps_status ps_file_find(struct ps_store *store, struct ps_db *db, const char *folder,
                            const char *key, struct ps_shared_file *out, struct ps_err *err);

#endif
