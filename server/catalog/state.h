/* SPDX-License-Identifier: MIT */
/*
 * state.h: the state of an open shelf, for the modules that implement it: catalog, replica and
 * maintenance. All other modules use store.h.
 */
#ifndef PS_CATALOG_STATE_H
#define PS_CATALOG_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/catalog/file_names.h"
#include "server/catalog/readers.h"
#include "server/runfile/handle.h"

#define PS_POOL_MAX 4

/* Last results of ps_run_mark, in slots chosen by a hash of the run id (marks.c). */
#define PS_MARK_SLOTS 64
struct ps_marks {
    pthread_mutex_t lock;
    struct ps_mark {
        char id[PS_ID_SIZE];
        uint64_t mark; /* 0: the slot must be read again */
        int64_t since_us;
    } slots[PS_MARK_SLOTS];
    unsigned n_invalidations; /* number of calls of ps_run_mark_invalidate */
};

/* An upload that this session accepted or took over. Kept until its row is deleted (uploads.c). */
struct ps_owned_upload {
    int64_t id;
    int64_t retry_ms; /* monotonic clock: the import may be retried from then on; 0: it is being
                         imported */
    bool has_ended;   /* its import has ended, but its row could not be deleted */
    /* what that transaction should have written about its job; state NULL: nothing */
    uint64_t job;
    const char *state;
    char *view; /* malloc'ed */
};

struct ps_backend;
struct ps_replica;

struct ps_store {
    char *dir;
    char session[48]; /* name of this session: session.c */
    int session_fd;
    int runs_fd; /* descriptor of the folder of run files */
    atomic_uint counter;
    struct ps_db *catalog;
    bool is_durable; /* the open transaction is durable (PS_DURABLE) */
    /* where files are and which catalog is authoritative: backend.h */
    const struct ps_backend *backend;
    /* state of the backend that several servers share; NULL for a folder */
    struct ps_replica *replica;
    /* number of the last transaction of other servers that was applied here */
    _Atomic int64_t seen_transaction;
    bool has_order; /* backend->release must be called after the open transaction */
    struct ps_owned_upload *owned_uploads; /* use only with the catalog locked */
    size_t n_owned_uploads, cap_owned_uploads;
    struct ps_buf undeleted_intents; /* intent log entries of this session that could not be deleted
                             (pending_delete.c); use only with the catalog locked */
    pthread_mutex_t catalog_lock;
    pthread_mutex_t pool_lock;
    struct ps_db *pool; /* idle readers, most recently used first */
    unsigned pooled;
    struct ps_marks marks;
    bool has_file_readers;       /* the catalog is a file: each reader opens its own connection
                                    (catalog_read.c) */
    struct ps_db *idle_catalogs; /* idle connections of such readers */
    unsigned n_idle_catalogs;
    int64_t changes;       /* catalog writes by this process */
    bool read_only;        /* this user may not write to the folder: every change fails */
    atomic_bool immutable; /* only if read_only: `catalog` was opened as immutable since no process
                              was writing */
    bool deletes_folder;   /* ps_store_close deletes the folder */
    pthread_mutex_t quota_lock;  /* held during each reservation */
    atomic_llong reserved_bytes; /* bytes reserved for files that the catalog does not count yet */
    uint64_t quota;              /* bytes; 0: no quota */
};

/* Opens a published run read-only, outside the pool and without limits. */
enum ps_status ps_run_open(struct ps_store *store, const char *id, struct ps_db **out,
                           struct ps_err *err);
/* Reads the text of a source whose hash is known. */
enum ps_status ps_source_text(struct ps_store *store, struct ps_source *out, struct ps_err *err);
enum ps_status ps_run_open_limited(struct ps_store *store, const char *id,
                                   struct ps_memory_limit *memory, struct ps_db **out,
                                   struct ps_err *err);

#define PS_TEMP_SHELF_SUFFIX ".shelf" /* suffix of the folders of private shelves in the spool */
/* Deletes a folder recursively. Ignores entries that cannot be deleted. */
void ps_remove_tree(const char *path);

/* Allocates a store that is not open yet. Free it with ps_store_close. */
struct ps_store *ps_store_new(const char *dir);
/* Opens the folder exclusively and without its catalog. No other process can open it until *lock is
 * closed. */
enum ps_status ps_store_open_exclusive(const char *dir, struct ps_store **out, int *lock,
                                       struct ps_err *err);
/* Writes the URI of the catalog for a read-only connection. True: it opens the catalog as an
 * immutable file, which no process writes. */
bool ps_catalog_uri(const struct ps_store *store, struct ps_buf *out);
/* For a read-only shelf: reopens the catalog if another process has begun to write since. */
void ps_catalog_refresh(struct ps_store *store);
/* Migrates the tables of a catalog to the current layout, in one transaction (layout.c).
 * PS_CONFLICT: a newer perfshelf wrote the catalog. */
enum ps_status ps_catalog_migrate(struct ps_db *db, struct ps_err *err);
/* For catalogs of an older layout that cannot be changed: creates temporary views of this
 * connection in place of the tables. They have the missing columns, with their defaults. */
enum ps_status ps_catalog_show_columns(struct ps_db *db, struct ps_err *err);
/* Drops these views. */
enum ps_status ps_catalog_hide_columns(struct ps_db *db, struct ps_err *err);
/* Opens a connection that only reads the catalog; it may have an older layout. */
enum ps_status ps_catalog_open_reader(const char *uri, struct ps_db **out, struct ps_err *err);
/* Whether the catalog is the mirror of a database and not a shelf itself. */
bool ps_catalog_is_mirror(struct ps_db *db);
/* Opens the catalog in this file and creates or migrates its tables. */
enum ps_status ps_catalog_open(const char *path, struct ps_db **out, struct ps_err *err);

const char *ps_temporary_folder(void); /* $TMPDIR, else P_tmpdir */
/* Creates a folder and its missing parents. Syncs the folders that contain the new ones. */
enum ps_status ps_make_dir(const char *path, struct ps_err *err);
/* Calls fsync on a folder, so that a rename in it reaches the disk. */
enum ps_status ps_sync_dir(const char *path, struct ps_err *err);
/* Creates a new file <where>/<session>-<n>.part. */
enum ps_status ps_new_part(struct ps_store *store, const char *where, char **path_out, int *fd_out,
                           struct ps_err *err);
/* Returns a number that this session has not used yet. */
unsigned ps_store_next_number(struct ps_store *store);
#define PS_STORED_SUFFIX ".gz" /* suffix of stored files (originals and sources) */
/* Finds the run of an original. PS_NOT_FOUND without a message. */
enum ps_status ps_catalog_find(struct ps_db *db, const char *sha256, char id_out[PS_ID_SIZE],
                               struct ps_err *err);
/* runs, labels, originals, sources; NULL-terminated */
extern const char *const ps_stored_folders[];

/* A query of the catalog. `about` is its input and `out` its output; their types are up to the
 * query. */
typedef enum ps_status ps_catalog_query(struct ps_db *db, const char *about, void *out,
                                        struct ps_err *err);
/* Runs the query concurrently with writers. Where several servers share the catalog, PS_NOT_FOUND
 * is returned only after the changes of the other servers were applied and the query was run again.
 * The query must therefore fill `out` only when it succeeds. */
enum ps_status ps_catalog_run_query(struct ps_store *store, ps_catalog_query *ask,
                                    const char *about, void *out, struct ps_err *err);

/* Begins a transaction of the catalog. The catalog is locked until ps_catalog_end, also when this
 * call fails. PS_DURABLE: the commit survives power loss. PS_NOT_DURABLE: the commit survives a
 * kill, but survives power loss only once a durable transaction followed. A filled err begins none,
 * so that a transaction is one sequence, checked at its end:
 *
 *     ps_catalog_begin(store, PS_NOT_DURABLE, err);
 *     ps_job_row_put(store, row, err);
 *     return ps_catalog_end(store, err->code, err); */
enum ps_catalog_sync { PS_DURABLE, PS_NOT_DURABLE };
enum ps_status ps_catalog_begin(struct ps_store *store, enum ps_catalog_sync sync,
                                struct ps_err *err);
/* Commits, or rolls back if `status` is an error. */
enum ps_status ps_catalog_end(struct ps_store *store, enum ps_status status, struct ps_err *err);

/* A run to delete. `check` (may be NULL) is called inside the transaction that deletes the row; its
 * error becomes that of ps_catalog_remove. */
struct ps_removal {
    const char *id, *user_name;
    enum ps_status (*check)(struct ps_db *db, const void *user, struct ps_err *err);
    const void *user;
};
/* Implements ps_store_remove. */
enum ps_status ps_catalog_remove(struct ps_store *store, const struct ps_removal *removal,
                                 struct ps_err *err);

/* --- Sessions (session.c) --- */

/* Chooses a name that no other session has. */
enum ps_status ps_session_name(struct ps_store *store, struct ps_err *err);
enum ps_status ps_session_begin(struct ps_store *store, struct ps_err *err);
void ps_session_end(struct ps_store *store);
/* Whether a session of this folder, or of any server that shares the store, is alive. */
bool ps_session_is_alive(struct ps_store *store, const char *session);
/* Bytes of the files in spool/, without those of sessions that are alive. */
uint64_t ps_session_spooled_bytes(const struct ps_store *store);
/* Whether any other session is alive. */
bool ps_session_has_others(const struct ps_store *store);
/* Deletes what crashed sessions left behind. */
void ps_session_sweep(struct ps_store *store);

/* --- Intent log of deletions (pending_delete.c) --- */

struct ps_pending_delete {
    char owner[64]; /* "": no entry was written */
};
struct ps_sent_file;
/* Writes an intent log entry, then moves `path` to its final path (files.h). ps_pending_delete_end
 * deletes the file again unless a row refers to it by then. `folder` is originals or sources. The
 * catalog counts the bytes of the file until it is deleted. */
enum ps_status ps_pending_delete_begin(struct ps_store *store, struct ps_pending_delete *pending,
                                       const char *folder, const char *key,
                                       const struct ps_sent_file *sent, const char *path,
                                       struct ps_err *err);
/* Writes an intent log entry: ps_pending_delete_end deletes the files of the run unless its row
 * exists by then. */
enum ps_status ps_pending_delete_run(struct ps_store *store, struct ps_pending_delete *pending,
                                     const char *id, struct ps_err *err);
/* ps_pending_delete_add writes an entry inside the transaction that deletes the row. Call
 * ps_pending_delete_set_owner before that transaction. */
void ps_pending_delete_set_owner(struct ps_store *store, struct ps_pending_delete *pending);
enum ps_status ps_pending_delete_add(struct ps_db *db, const struct ps_pending_delete *pending,
                                     const char *folder, const char *key, struct ps_err *err);
/* Deletes the files of these entries that no row refers to, and the entries. */
void ps_pending_delete_end(struct ps_store *store, struct ps_pending_delete *pending);
/* Does the same for the entries of crashed sessions. */
void ps_pending_delete_sweep(struct ps_store *store);
/* A file that only reserves disk space, so that runs can be deleted on a full disk.
 * ps_reserve_file_create creates it if it is missing and there is space. ps_reserve_file_delete
 * deletes it to free the space. False: there was no such file. */
void ps_reserve_file_create(struct ps_store *store);
bool ps_reserve_file_delete(struct ps_store *store);

/* Records the size of an original or a source, inside a transaction (quota.c). */
enum ps_status ps_file_size_put(struct ps_db *db, const char *folder, const char *sha256,
                                uint64_t bytes, struct ps_err *err);

/* --- Labels (labels.c) --- */

enum ps_status ps_label_write(struct ps_store *store, const char *id, struct ps_str text,
                              struct ps_err *err);
/* Writes all "baselines" or "queries" (schema/queries/<of>.sql) into labels/<of>.json. Call it
 * inside the transaction that changed them. */
enum ps_status ps_labels_save(struct ps_store *store, const char *of, struct ps_err *err);
/* Writes the current label of the run, as the catalog has it. Call it inside the transaction that
 * changed the run. */
enum ps_status ps_label_save(struct ps_store *store, const char *id, struct ps_err *err);
/* Whether the catalog has the hash of the label that was written last (table kept). If so, *differs
 * is whether the current label has another hash. A file in labels/ cannot decide that: it is
 * written before the transaction ends, which may fail. */
bool ps_label_has_hash(struct ps_db *db, const char *id, bool *differs);
/* Writes the labels of all runs: for a shelf from before labels existed. */
enum ps_status ps_labels_save_all(struct ps_store *store, struct ps_err *err);
/* Builds the label of a run from the catalog. PS_NOT_FOUND without a message. */
enum ps_status ps_label_text(struct ps_db *db, const char *id, struct ps_buf *out,
                             struct ps_err *err);
/* Deletes the label of a run. */
void ps_label_remove(struct ps_store *store, const char *id);
/* Reads the label file of a run. False: there is none. */
bool ps_label_read(struct ps_store *store, const char *id, struct ps_buf *out);
/* Restores a label into the catalog, which has the run. Fails if `label` is not a valid label. */
enum ps_status ps_label_apply(struct ps_db *db, const char *id, struct ps_str label,
                              struct ps_err *err);

/* --- Runs that can be recovered (deleted.c) --- */

/* Inside a transaction: moves the run to the deleted runs, from where ps_store_undelete restores
 * it. */
enum ps_status ps_deleted_add(struct ps_store *store, const char *id, const char *user_name,
                              int64_t at_ms, struct ps_err *err);
/* Inside a transaction, before the row of the run is deleted: writes into the label that the run is
 * deleted. */
enum ps_status ps_deleted_label(struct ps_store *store, const char *id, const char *user_name,
                                int64_t at_ms, struct ps_err *err);
/* Inside the transaction that publishes a run of this id: drops the deleted run of the same id,
 * which can no longer be recovered. */
enum ps_status ps_deleted_replace(struct ps_store *store, const char *id,
                                  struct ps_pending_delete *pending, bool *replaced,
                                  struct ps_err *err);
/* Like ps_job_row_add, but inside a transaction (job_rows.c). */
struct ps_job_new;
enum ps_status ps_job_row_insert(struct ps_store *store, const struct ps_job_new *job,
                                 uint64_t *id_out, struct ps_err *err);
/* Updates the row of a job, inside a transaction. Does nothing if another session has taken over
 * the job. */
struct ps_job_row;
enum ps_status ps_job_row_put(struct ps_store *store, const struct ps_job_row *row,
                              struct ps_err *err);
/* Inside the transaction that took over the uploads of a crashed session: moves the jobs of these
 * uploads to this session, and marks its other jobs as failed. */
enum ps_status ps_job_rows_abandon(struct ps_store *store, const char *dead, struct ps_err *err);

/* Whether a file of the spool belongs to an accepted upload (uploads.c). */
bool ps_upload_owns_file(struct ps_store *store, const char *file);
/* Inside the transaction that publishes the run of an upload: PS_INTERRUPTED if another server,
 * which considered this one crashed, has taken over the upload. */
enum ps_status ps_upload_check_owner(struct ps_store *store, int64_t id, struct ps_err *err);

/* Inside the transaction that deletes a run: removes its sources from the catalog, and adds those
 * that no other run refers to to the pending deletes. */
enum ps_status ps_sources_remove(struct ps_db *db, const char *id,
                                 const struct ps_pending_delete *pending, struct ps_err *err);
/* Closes idle readers of a run in the pool. */
void ps_pool_close_run(struct ps_store *store, const char *id);
/* Invalidates the cached mark of a run whose file was replaced or deleted. */
void ps_run_mark_invalidate(struct ps_store *store, const char *id);
/* Closes the connections that ps_catalog_read opened. */
void ps_catalog_read_close(struct ps_store *store);

/* Inserts the row of a run, or updates the existing one. *name_out: the name of the run from now
 * on. */
enum ps_status ps_catalog_put(struct ps_db *db, const struct ps_catalog_row *row, char **name_out,
                              struct ps_err *err);
/* Appends a description of how the catalog differs from `row`, which was read from the run file,
 * and from the last label of the run (labels.c). label NULL: the last label is unknown. */
enum ps_status ps_catalog_differs(struct ps_db *db, const struct ps_catalog_row *row,
                                  const char *label, struct ps_buf *out, struct ps_err *err);
/* Renames `part` to the run file and inserts or updates its row, atomically. Sets
 * out->already_existed (the shelf has these bytes, nothing was done) or out->name. */
enum ps_status ps_catalog_publish(struct ps_store *store, const struct ps_catalog_row *row,
                                  const char *part, struct ps_published_run *out,
                                  struct ps_err *err);

#endif
