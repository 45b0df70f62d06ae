/* SPDX-License-Identifier: MIT */
/*
 * files.h: the immutable files of a shelf, each with a folder and a key: runs/<id>,
 * originals/<sha256>, sources/<sha256>. A shared shelf also has files of uploads that wait for
 * their import: spool/<name> and pieces/<name>.
 *
 * A shelf in a folder stores each file under this path, with a suffix (store.h). A shared shelf
 * stores files in its database by content (server/replica/blobs.h): table kept maps folder and key
 * to the content, and a cache (file_cache.h) contains the files that this server used recently.
 *
 * Functions that get an err do nothing if it already has an error (server/runfile/db.h).
 */
#ifndef PS_CATALOG_FILES_H
#define PS_CATALOG_FILES_H

#include "server/catalog/store.h"

struct ps_db;

#define PS_CACHE_BYTES_DEFAULT ((uint64_t)10 << 30) /* default maximum bytes of the cache */

/* Sets *path_out to the malloc'ed path of the file. In a shared shelf, fetches the file first if
 * necessary; PS_NOT_FOUND: there is no such file. In a folder, the file may not exist. The cache
 * may evict the file before the caller opens it: then call this function again. */
enum ps_status ps_file_path(struct ps_store *store, const char *folder, const char *key,
                            char **path_out, struct ps_err *err);
#define PS_FILE_OPEN_ATTEMPTS 10 /* attempts to open a file that the cache keeps evicting */
enum ps_status ps_file_fail_evicted(
    const char *key,
    struct ps_err *err); /* for the last of these attempts: sets and returns PS_UNAVAILABLE */
/* Opens a file for reading. */
enum ps_status ps_file_open(struct ps_store *store, const char *folder, const char *key,
                            int *fd_out, struct ps_err *err);
/* Creates `path` as a hard link to the file, or as a copy. PS_OK if `path` exists already. */
enum ps_status ps_file_link(struct ps_store *store, const char *folder, const char *key,
                            const char *path, struct ps_err *err);

/* A file that a caller is adding to the shelf. */
struct ps_sent_file {
    char hash[PS_SHA256_SIZE]; /* hash of the content; "" for files of a folder except run files */
    uint64_t bytes;
    int64_t layout; /* layout of a run file (user_version of schema/run.sql); 0 for other files */
};
/* Sends a file to the backend before the transaction that adds it, so that the transaction does not
 * wait for the transfer. The file must not be altered afterwards. */
/* Compares the hash of the run file at `path`, *found, with the hash that was recorded when the
 * file was written. *known: there is a recorded hash; an older perfshelf recorded none. The catalog
 * must not be locked. PS_IO: the file changed. */
enum ps_status ps_file_check_hash(struct ps_store *store, const char *id, const char *path,
                                  struct ps_sent_file *found, bool *known, struct ps_err *err);

enum ps_status ps_file_send(struct ps_store *store, const char *folder, const char *path,
                            struct ps_sent_file *out, struct ps_err *err);
/* Inside that transaction: stores the sent file under this key, and replaces an earlier file. The
 * change is visible to others after the commit in a shared shelf, and immediately in a folder
 * (pending_delete.c). The file at `path` is moved, and is not moved back if the transaction fails.
 * `path` may be NULL only for a shared shelf. PS_UNAVAILABLE: the file must be sent again. */
enum ps_status ps_file_place(struct ps_store *store, const struct ps_sent_file *sent,
                             const char *folder, const char *key, const char *path,
                             struct ps_err *err);
/* The two steps of ps_file_place, for many files of one folder: call ps_file_put for each file,
 * then ps_file_finish_puts once before the transaction ends. */
enum ps_status ps_file_put(struct ps_store *store, const struct ps_sent_file *sent,
                           const char *folder, const char *key, const char *path,
                           struct ps_err *err);
enum ps_status ps_file_finish_puts(struct ps_store *store, const char *folder, struct ps_err *err);
/* Inside a transaction: deletes the file. */
enum ps_status ps_file_remove(struct ps_store *store, const char *folder, const char *key,
                              struct ps_err *err);
/* Inside a transaction, before a row that refers to an existing file is inserted: checks that a
 * shared shelf still has the file. PS_UNAVAILABLE: the file was deleted while other servers
 * considered this server crashed. Does nothing in a folder. */
enum ps_status ps_file_check(struct ps_store *store, const char *folder, const char *key,
                             struct ps_err *err);

/* Rows of the table kept. A shared shelf has a row for each file. A folder has rows for run files
 * and labels only: the name of any other file is the hash of its content. */

struct ps_file_row {
    char hash[PS_SHA256_SIZE];
    uint64_t bytes;
    int64_t layout;
};
/* Inside a transaction: runs `query`, kept_put or kept_remove, for this key. `sent`: NULL for
 * kept_remove. */
enum ps_status ps_file_change_row(struct ps_db *db, const char *query, const char *folder,
                                  const char *key, const struct ps_sent_file *sent,
                                  struct ps_err *err);
/* Reads the row of a file from `db`. PS_NOT_FOUND, without a message: there is no row. */
enum ps_status ps_file_read_row(struct ps_db *db, const char *folder, const char *key,
                                struct ps_file_row *out, struct ps_err *err);
/* Compares the hash of the run file at `path`, *found, with its row. kept NULL: there is none.
 * PS_IO: the file changed. */
enum ps_status ps_file_compare_hash(struct ps_store *store, const char *path,
                                    const struct ps_file_row *kept, struct ps_sent_file *found,
                                    struct ps_err *err);

/* Returns the layout of a run file; -1: there is no such file. `db`: the catalog of the caller's
 * transaction, or NULL outside of a transaction. */
int64_t ps_file_layout(struct ps_store *store, struct ps_db *db, const char *id);

/* Returns the layout of the run file at `path`, from its header. -1: there is no such file; 0: the
 * file is too short. */
int64_t ps_file_read_layout(const char *path);

/* Whether the shelf has the file. `db` as in ps_file_layout. */
bool ps_file_has(struct ps_store *store, struct ps_db *db, const char *folder, const char *key);
/* Reads the row of a file. `db` as in ps_file_layout. PS_NOT_FOUND, without a message: there is no
 * row. */
enum ps_status ps_file_find_row(struct ps_store *store, struct ps_db *db, const char *folder,
                                const char *key, struct ps_file_row *out, struct ps_err *err);

#endif
