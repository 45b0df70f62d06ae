/* SPDX-License-Identifier: MIT */
/*
 * backend.h: where a shelf keeps its files, and where the truth of its catalog is. There are two
 * backends: a folder (folder.c), and PostgreSQL, which several servers share
 * (server/replica/backend.c). ps_store_open_backend sets store->backend, which never changes; no
 * other code asks which backend it is.
 *
 * Every function gets an open shelf and may be called from any thread. "In a transaction" means
 * between ps_catalog_begin and ps_catalog_end, by the thread that began it. `folder` and `key` name
 * a file as in files.h.
 */
#ifndef PS_CATALOG_BACKEND_H
#define PS_CATALOG_BACKEND_H

#include "server/catalog/changes.h"
#include "server/catalog/files.h"
#include "server/catalog/partial.h"

struct ps_backend {
    /* --- Properties --- */

    /* Files appear and disappear with the transaction that names them, and their rows have their
     * sizes. False: a file is moved at once, so pending_delete.c notes it before, and sizes are
     * counted by quota.c. */
    bool files_follow_rows;
    /* labels/<id>.json holds a second copy of what people said of a run. */
    bool keeps_labels;
    /* Other servers may import what this one accepted: uploads are sent to the backend. */
    bool has_other_servers;
    /* A file that was opened once may be gone the next time: it was evicted from a cache. */
    bool evicts_files;
    /* The catalog takes only text that is UTF-8 without NUL. */
    bool takes_only_utf8;
    /* The command that restores a damaged run file. */
    const char *repair_command;

    /* --- Opening --- */

    /* Before the catalog is opened, with the folder locked. */
    enum ps_status (*check_folder)(struct ps_store *store, struct ps_err *err);
    /* With the catalog open; `where` is that of ps_store_open_backend. */
    enum ps_status (*open)(struct ps_store *store, const void *where, struct ps_err *err);
    /* Also of a shelf whose opening failed. */
    void (*close)(struct ps_store *store);
    /* Describes a shared store; false: it is a folder. */
    bool (*describe)(struct ps_store *store, struct ps_shared_store *out);
    /* The database could not be reached when it was last asked. */
    bool (*is_away)(const struct ps_store *store);

    /* --- Transactions of the catalog (transaction.c) --- */

    /* Before the catalog is locked. After PS_OK `done` follows. */
    enum ps_status (*order)(struct ps_store *store, struct ps_err *err);
    /* In the transaction of the local catalog: makes it current. */
    enum ps_status (*begin)(struct ps_store *store, struct ps_err *err);
    /* Commits elsewhere; *committed: what the transaction did is durable there, whatever becomes of
     * the local commit. */
    enum ps_status (*commit)(struct ps_store *store, bool *committed, struct ps_err *err);
    void (*done)(struct ps_store *store, bool committed);
    /* In a transaction: its number, unique among all servers; 0: the catalog numbers its rows. */
    int64_t (*number)(const struct ps_store *store);
    /* Brings what other servers committed, and sets store->seen. False: it cannot be known. */
    bool (*catch_up)(struct ps_store *store);

    /* --- Files --- */

    /* See ps_file_* in files.h. */

    enum ps_status (*path)(struct ps_store *store, const char *folder, const char *key,
                           char **path_out, struct ps_err *err);
    bool (*has)(struct ps_store *store, struct ps_db *db, const char *folder, const char *key);
    int64_t (*layout)(struct ps_store *store, struct ps_db *db, const char *id);
    /* Of a run that the catalog has: a number that changes with its file; 0: there is none. */
    uint64_t (*mark)(struct ps_store *store, const char *id);
    enum ps_status (*send)(struct ps_store *store, const char *folder, const char *path,
                           struct ps_sending *out, struct ps_err *err);
    enum ps_status (*put)(struct ps_store *store, const struct ps_sending *sent, const char *folder,
                          const char *key, const char *path, struct ps_err *err);
    enum ps_status (*settle)(struct ps_store *store, const char *folder, struct ps_err *err);
    enum ps_status (*remove)(struct ps_store *store, const char *folder, const char *key,
                             struct ps_err *err);
    enum ps_status (*check)(struct ps_store *store, const char *folder, const char *key,
                            struct ps_err *err);
    /* Names each file of runs, labels, originals and sources, as the backend has them. */
    void (*list)(struct ps_store *store,
                 void (*each)(void *user, const char *folder, const char *name), void *user);
    /* From now on files are read from where the truth is and not from a cache. *dir_out: a folder
     * that the caller removes when the shelf is closed, or NULL; malloc'ed. */
    enum ps_status (*bypass_cache)(struct ps_store *store, char **dir_out, struct ps_err *err);
    /* Bytes that are free where the backend writes; UINT64_MAX: unknown. */
    uint64_t (*free_bytes)(const struct ps_store *store);
    /* Uploads in pieces. */
    const struct ps_partial_ops *partial;

    /* --- Sessions (session.c) --- */

    /* One that this folder does not know. */
    bool (*session_is_alive)(struct ps_store *store, const char *session);
    /* One of this folder has died. False: the others could not be told. */
    bool (*session_expire)(struct ps_store *store, const char *session);
    /* In a transaction: *dead: an opening that was not alive is not alive now either. */
    enum ps_status (*session_is_dead)(struct ps_store *store, const char *session, bool *dead,
                                      struct ps_err *err);
    /* ps_store_watch_others. */
    enum ps_status (*watch)(struct ps_store *store, void (*tell)(void *user), void *user,
                            struct ps_err *err);
    void (*unwatch)(struct ps_store *store);
    /* ps_store_listen. */
    void (*listen)(struct ps_store *store, ps_change_listener *heard, void *user);
};

extern const struct ps_backend ps_folder_backend;

/* Opens DIR with this backend. */
enum ps_status ps_store_open_backend(const char *dir, const struct ps_backend *backend,
                                     const void *where, struct ps_store **out, struct ps_err *err);

#endif
