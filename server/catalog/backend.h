/* SPDX-License-Identifier: MIT */
/*
 * backend.h: where a shelf keeps its files, and which copy of its catalog is authoritative. There
 * are two backends: a folder (folder.c), and PostgreSQL, which several servers share
 * (server/replica/backend.c). ps_store_open_backend sets store->backend, which never changes; all
 * other code calls its functions and reads its properties.
 *
 * Every function gets an open shelf and may be called from any thread. "In a transaction" means
 * between ps_catalog_begin and ps_catalog_end, by the thread that began it. `folder` and `key`
 * identify a file as in files.h.
 */
#ifndef PS_CATALOG_BACKEND_H
#define PS_CATALOG_BACKEND_H

#include "server/catalog/changes.h"
#include "server/catalog/files.h"
#include "server/catalog/partial.h"

struct ps_backend {
    /* --- Properties --- */

    /* True: a transaction adds and deletes files together with the rows that refer to them, and
     * table kept contains their sizes. False: a file is moved or deleted at once, so
     * pending_delete.c first writes an intent, and quota.c records the sizes. */
    bool files_follow_rows;
    /* labels/<id>.json contains a second copy of the user's data about a run (name, tags ...). */
    bool keeps_labels;
    /* Other servers may import the uploads that this server accepted, so uploads are sent to the
     * backend. */
    bool has_other_servers;
    /* A cache may evict a file between two calls, so opening an existing file can fail with ENOENT.
     */
    bool evicts_files;
    /* The catalog accepts only strings in UTF-8 without NUL. */
    bool requires_utf8;
    /* The perfshelf command that restores a damaged run file, for example "rebuild". */
    const char *repair_command;

    /* --- Opening --- */

    /* Checks the files of the folder. Called before the catalog is opened, with the folder locked.
     */
    enum ps_status (*check_folder)(struct ps_store *store, struct ps_err *err);
    /* Opens the backend. Called with the catalog open; `where` is the argument of
     * ps_store_open_backend. */
    enum ps_status (*open)(struct ps_store *store, const void *where, struct ps_err *err);
    /* Called also for a shelf that could not be opened. */
    void (*close)(struct ps_store *store);
    /* Describes a shared store. False: the shelf is a folder. */
    bool (*describe)(struct ps_store *store, struct ps_shared_store *out);
    /* Whether the last attempt to reach the database failed. */
    bool (*is_unreachable)(const struct ps_store *store);

    /* --- Transactions of the catalog (transaction.c) --- */

    /* Waits for the right to write. Called before the catalog is locked. After PS_OK, `release` is
     * called once, after the transaction. */
    enum ps_status (*acquire)(struct ps_store *store, struct ps_err *err);
    /* In a transaction of the local catalog: applies what other servers committed. */
    enum ps_status (*begin)(struct ps_store *store, struct ps_err *err);
    /* Commits to the shared database. *committed: the transaction is durable there, even if the
     * local commit fails. */
    enum ps_status (*commit)(struct ps_store *store, bool *committed, struct ps_err *err);
    void (*release)(struct ps_store *store, bool committed);
    /* Returns the number of the open transaction, unique among all servers. 0: the caller lets
     * SQLite number new rows. */
    int64_t (*transaction_number)(const struct ps_store *store);
    /* Applies what other servers committed, and sets store->seen_transaction. False: the database
     * cannot be reached. */
    bool (*catch_up)(struct ps_store *store);

    /* --- Files --- */

    /* These functions implement ps_file_* (files.h); `finish_puts` implements ps_file_finish_puts.
     */

    enum ps_status (*path)(struct ps_store *store, const char *folder, const char *key,
                           char **path_out, struct ps_err *err);
    bool (*has_file)(struct ps_store *store, struct ps_db *db, const char *folder, const char *key);
    int64_t (*run_layout)(struct ps_store *store, struct ps_db *db, const char *id);
    /* Returns a number that changes when the file of the run is replaced. 0: the run has no file.
     */
    uint64_t (*run_mark)(struct ps_store *store, const char *id);
    enum ps_status (*send)(struct ps_store *store, const char *folder, const char *path,
                           struct ps_sent_file *out, struct ps_err *err);
    enum ps_status (*put)(struct ps_store *store, const struct ps_sent_file *sent,
                          const char *folder, const char *key, const char *path,
                          struct ps_err *err);
    enum ps_status (*finish_puts)(struct ps_store *store, const char *folder, struct ps_err *err);
    enum ps_status (*remove)(struct ps_store *store, const char *folder, const char *key,
                             struct ps_err *err);
    enum ps_status (*check_file)(struct ps_store *store, const char *folder, const char *key,
                                 struct ps_err *err);
    /* Calls `each` for every file of the backend in the folders runs, labels, originals and
     * sources. */
    enum ps_status (*list_files)(struct ps_store *store,
                                 void (*each)(void *user, const char *folder, const char *name),
                                 void *user, struct ps_err *err);
    /* Makes all later calls read files from the authoritative copy and not from a cache. *dir_out:
     * a folder (malloc'ed path) that the caller deletes after closing the shelf, or NULL. */
    enum ps_status (*bypass_cache)(struct ps_store *store, char **dir_out, struct ps_err *err);
    /* Free bytes where the backend writes; UINT64_MAX: unknown. */
    uint64_t (*free_bytes)(const struct ps_store *store);
    /* Implements resumable uploads (partial.h). */
    const struct ps_partial_upload_ops *partial_upload_ops;

    /* --- Sessions (session.c) --- */

    /* Whether the session is alive on any server. Called only for a session that has no file in
     * this folder. */
    bool (*is_session_alive)(struct ps_store *store, const char *session);
    /* Reports that a session of this folder has crashed. False: the other servers could not be
     * notified. */
    bool (*expire_session)(struct ps_store *store, const char *session);
    /* Checks again, in a transaction, a session that was not alive. *dead: it is still not alive.
     */
    enum ps_status (*confirm_session_dead)(struct ps_store *store, const char *session, bool *dead,
                                           struct ps_err *err);
    /* Implement ps_store_watch_others and ps_store_unwatch_others. */
    enum ps_status (*watch)(struct ps_store *store, void (*tell)(void *user), void *user,
                            struct ps_err *err);
    void (*unwatch)(struct ps_store *store);
    /* Implements ps_store_listen. */
    void (*listen)(struct ps_store *store, ps_change_listener *heard, void *user);
};

extern const struct ps_backend ps_folder_backend;

/* Opens the shelf in `dir` with this backend. `where` is passed to backend->open. */
enum ps_status ps_store_open_backend(const char *dir, const struct ps_backend *backend,
                                     const void *where, struct ps_store **out, struct ps_err *err);

#endif
