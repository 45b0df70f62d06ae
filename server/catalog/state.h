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
#include "server/runwrite/run_writer.h"

#define PS_POOL_MAX 4

/* Cached results of ps_run_mark. A hash of the run id determines the slot (marks.c). */
#define PS_MARK_SLOTS 64
struct ps_marks {
    pthread_mutex_t lock;
    struct ps_mark {
        char id[PS_ID_SIZE];
        uint64_t mark; /* 0: nothing is cached */
        int64_t cached_at_us;
    } slots[PS_MARK_SLOTS];
    unsigned n_invalidations; /* number of calls of ps_run_mark_invalidate */
};

/* An upload that this session accepted or took over. The session keeps this record until the row of
 * the upload is deleted (uploads.c). */
struct ps_owned_upload {
    int64_t id;
    int64_t retry_ms; /* ms of the monotonic clock from which the import may be retried; 0: the
                         upload is being imported */
    bool has_ended;   /* the import has ended, but the row could not be deleted */
    /* if has_ended: number, state and view to write into the row of its job; state NULL: no row */
    uint64_t job_id;
    const char *job_state;
    char *job_json; /* malloc'ed */
};

struct ps_backend;
struct ps_replica;

struct ps_store {
    char *dir;
    char session[48]; /* name of this session (session.c) */
    int session_fd;
    int runs_fd; /* descriptor of the folder of run files */
    atomic_uint next_number;
    struct ps_db *catalog;
    bool is_durable; /* the open transaction is durable (PS_DURABLE) */
    /* never NULL (backend.h) */
    const struct ps_backend *backend;
    /* state of the backend that several servers share; NULL for a folder */
    struct ps_replica *replica;
    /* number of the last transaction of other servers that was applied here */
    _Atomic int64_t seen_transaction;
    bool must_release; /* backend->release must be called after the current transaction */
    struct ps_owned_upload *owned_uploads; /* use only with the catalog locked */
    size_t n_owned_uploads, cap_owned_uploads;
    struct ps_buf undeleted_intents; /* intent log entries of this session that could not be deleted
                             (pending_delete.c); use only with the catalog locked */
    pthread_mutex_t catalog_lock;
    pthread_mutex_t pool_lock;
    struct ps_db *idle_runs; /* idle readers of run files, most recently used first */
    unsigned n_pooled;
    struct ps_marks marks;
    pthread_mutex_t names_lock;
    struct ps_db *names;         /* names.db; NULL: not open (names_db.c) */
    bool has_file_readers;       /* the catalog is a file, so each reader gets its own connection
                                    (catalog_read.c) */
    struct ps_db *idle_catalogs; /* idle connections to the catalog file */
    unsigned n_idle_catalogs;
    int64_t n_changes;           /* counts catalog changes by this process, for ps_store_version */
    bool is_read_only;           /* this user may not write to the folder: every change fails */
    atomic_bool is_immutable;    /* only if is_read_only: `catalog` was opened as immutable since no
                                 process    was writing */
    bool deletes_folder;         /* ps_store_close deletes the folder */
    pthread_mutex_t quota_lock;  /* held while the quota is checked and reserved */
    atomic_llong reserved_bytes; /* bytes reserved for files whose size is not in the catalog yet */
    uint64_t quota;              /* bytes; 0: no quota */
};

/* Opens a published run read-only, outside the pool and without limits. */
enum ps_status ps_run_open(struct ps_store *store, const char *id, struct ps_db **out,
                           struct ps_err *err);
/* Reads the text of the source with the hash out->sha256 into out->text. */
enum ps_status ps_source_text(struct ps_store *store, struct ps_source *out, struct ps_err *err);
enum ps_status ps_run_open_limited(struct ps_store *store, const char *id,
                                   struct ps_memory_limit *memory, struct ps_db **out,
                                   struct ps_err *err);

#define PS_TEMP_SHELF_SUFFIX ".shelf" /* suffix of the folders of private shelves in the spool */
/* Deletes a file, or a folder recursively. Ignores failures. */
void ps_remove_tree(const char *path);

/* Allocates a store without opening anything. Free it with ps_store_close. */
struct ps_store *ps_store_new(const char *dir);
/* Opens the folder without its catalog. Other processes that open it wait until *lock is closed.
 * PS_CONFLICT: another process has the shelf open. */
enum ps_status ps_store_open_exclusive(const char *dir, struct ps_store **out, int *lock,
                                       struct ps_err *err);
/* Appends the URI of the catalog for a read-only connection. True: the URI opens the catalog as an
 * immutable file, because no process writes it. */
bool ps_catalog_uri(const struct ps_store *store, struct ps_buf *out);
/* Reopens the catalog of a read-only shelf if it is open as immutable and another process has begun
 * to write. */
void ps_catalog_refresh(struct ps_store *store);
/* Migrates the tables of a catalog to the current layout, in one transaction (layout.c). Keeps the
 * digests of its rows from then on. PS_CONFLICT: a newer perfshelf wrote the catalog. */
enum ps_status ps_catalog_migrate(struct ps_db *db, struct ps_err *err);
/* For a read-only catalog of an older layout: creates temporary views that hide the tables of the
 * same names. They add the missing columns, with their default values. */
enum ps_status ps_catalog_add_compat_views(struct ps_db *db, struct ps_err *err);
/* Drops the views that ps_catalog_add_compat_views created. */
enum ps_status ps_catalog_drop_compat_views(struct ps_db *db, struct ps_err *err);
/* Opens a read-only connection to a catalog, which may have an older layout. */
enum ps_status ps_catalog_open_reader(const char *uri, struct ps_db **out, struct ps_err *err);
/* Whether the catalog is a mirror of a PostgreSQL database. */
bool ps_catalog_is_mirror(struct ps_db *db);
/* Opens the catalog file at `path`, and creates or migrates its tables. Before a write outside of
 * ps_catalog_begin(), call ps_digests_watch(): it keeps the digests of rows. */
enum ps_status ps_catalog_open(const char *path, struct ps_db **out, struct ps_err *err);

const char *ps_temporary_folder(void); /* $TMPDIR, else P_tmpdir */
/* Creates a folder and its missing parents. Syncs the parent of each new folder. */
enum ps_status ps_make_dir(const char *path, struct ps_err *err);
/* Calls fsync on a folder, so that a rename in it reaches the disk. */
enum ps_status ps_sync_dir(const char *path, struct ps_err *err);
/* Creates the file <where>/<session>-<n>.part, with a new n. *path_out is malloc'ed. */
enum ps_status ps_new_part(struct ps_store *store, const char *where, char **path_out, int *fd_out,
                           struct ps_err *err);
/* Returns a number that this session has not used yet. */
unsigned ps_store_next_number(struct ps_store *store);
#define PS_STORED_SUFFIX ".gz" /* suffix of stored files (originals and sources) */
/* Finds the run of the original with this hash. PS_NOT_FOUND, without a message: there is none. */
enum ps_status ps_catalog_find_by_hash(struct ps_db *db, const char *sha256,
                                       char id_out[PS_ID_SIZE], struct ps_err *err);
/* "runs", "labels", "originals", "sources", NULL */
extern const char *const ps_stored_folders[];

/* A query of the catalog: reads the row of the key `about` into *out, whose type depends on the
 * query. */
typedef enum ps_status ps_catalog_query(struct ps_db *db, const char *about, void *out,
                                        struct ps_err *err);
/* Runs the query concurrently with writers. In a shared store, a query that returns PS_NOT_FOUND is
 * run again after the changes of other servers were applied. A query must therefore not fill `out`
 * when it fails. */
enum ps_status ps_catalog_run_query(struct ps_store *store, ps_catalog_query *ask,
                                    const char *about, void *out, struct ps_err *err);

/* Begins a transaction of the catalog. The catalog is locked until ps_catalog_end, also when this
 * call fails. PS_DURABLE: the commit survives power loss. PS_NOT_DURABLE: the commit survives a
 * kill, but survives power loss only after a later durable transaction. If err already has an
 * error, no transaction begins, so the caller checks for errors once, at the end:
 *
 *     ps_catalog_begin(store, PS_NOT_DURABLE, err);
 *     ps_job_row_put(store, row, err);
 *     return ps_catalog_end(store, err->code, err); */
enum ps_catalog_sync { PS_DURABLE, PS_NOT_DURABLE };
enum ps_status ps_catalog_begin(struct ps_store *store, enum ps_catalog_sync sync,
                                struct ps_err *err);
/* Commits if `status` is PS_OK, else rolls back and returns `status`. Unlocks the catalog. */
enum ps_status ps_catalog_end(struct ps_store *store, enum ps_status status, struct ps_err *err);

/* A run to delete. `check` (may be NULL) is called inside the transaction that deletes the row; if
 * it fails, ps_catalog_remove fails with its error. */
struct ps_removal {
    const char *id, *user_name;
    enum ps_status (*check)(struct ps_db *db, const void *user, struct ps_err *err);
    const void *user;
};
/* Implements ps_store_remove_run. */
enum ps_status ps_catalog_remove(struct ps_store *store, const struct ps_removal *removal,
                                 struct ps_err *err);

/* --- Sessions (session.c) --- */

/* Sets store->session to a name that no other session has. */
enum ps_status ps_session_choose_name(struct ps_store *store, struct ps_err *err);
enum ps_status ps_session_begin(struct ps_store *store, struct ps_err *err);
void ps_session_end(struct ps_store *store);
/* Whether a session of this folder, or of any server that shares the store, is alive. */
bool ps_session_is_alive(struct ps_store *store, const char *session);
/* Returns the bytes of the files in spool/, except those of running sessions of this folder. */
uint64_t ps_session_spooled_bytes(const struct ps_store *store);
/* Whether another session of this folder is alive. */
bool ps_session_has_others(const struct ps_store *store);
/* Deletes the files of crashed sessions. */
void ps_session_sweep(struct ps_store *store);

/* --- Intent log of deletions (pending_delete.c) --- */

struct ps_pending_delete {
    char owner[64]; /* <session>-<n>: identifies the log entries of one operation; "": there are
                       none */
};
struct ps_sent_file;
/* Writes an intent log entry, then moves the file at `path` to its final path (files.h) and records
 * its size. ps_pending_delete_end deletes the file unless a row refers to it by then. `folder` is
 * originals or sources. */
enum ps_status ps_pending_delete_begin(struct ps_store *store, struct ps_pending_delete *pending,
                                       const char *folder, const char *key,
                                       const struct ps_sent_file *sent, const char *path,
                                       struct ps_err *err);
/* Writes an intent log entry: ps_pending_delete_end deletes the files of the run unless its row
 * exists by then. */
enum ps_status ps_pending_delete_run(struct ps_store *store, struct ps_pending_delete *pending,
                                     const char *id, struct ps_err *err);
/* For files whose row is deleted: call ps_pending_delete_set_owner, and ps_pending_delete_add
 * inside the transaction that deletes the row. After the transaction, call ps_pending_delete_end.
 */
void ps_pending_delete_set_owner(struct ps_store *store, struct ps_pending_delete *pending);
enum ps_status ps_pending_delete_add(struct ps_db *db, const struct ps_pending_delete *pending,
                                     const char *folder, const char *key, struct ps_err *err);
/* Deletes the files of the entries of `pending` to which no row refers, then the entries. */
void ps_pending_delete_end(struct ps_store *store, struct ps_pending_delete *pending);
/* Like ps_pending_delete_end, for the entries of crashed sessions. */
void ps_pending_delete_sweep(struct ps_store *store);
/* Create and delete the file `reserve`, which only occupies disk space, so that runs can be deleted
 * on a full disk. Creating does nothing if the file exists or the disk is full. False: there was no
 * file to delete. */
void ps_reserve_file_create(struct ps_store *store);
bool ps_reserve_file_delete(struct ps_store *store);

/* Inside a transaction: records the compressed size of an original or a source (quota.c). */
enum ps_status ps_file_size_put(struct ps_db *db, const char *folder, const char *sha256,
                                uint64_t bytes, struct ps_err *err);
/* Inside a transaction: records the sizes of all originals and sources that have none, because an
 * older perfshelf stored them, or because the catalog is a new one. */
enum ps_status ps_file_sizes_complete(struct ps_store *store, struct ps_err *err);

/* --- Digests of the rows (row_digest.c) --- */

/* Keeps the digests for all later writes of this connection, in their transactions. Call it before
 * the first of them, outside of a transaction; further calls do nothing. */
enum ps_status ps_digests_watch(struct ps_db *db, struct ps_err *err);
/* Inside a transaction: computes all digests from the rows that are there. */
enum ps_status ps_digests_record(struct ps_db *db, struct ps_err *err);
/* Whether the rows of the table still have the digest that was kept for them. `table` can be
 * "sqlite_schema": the statements that created the catalog. True for a catalog of a layout without
 * digests, and after an error. Call it in a transaction if another process may write. */
bool ps_digest_matches(struct ps_db *db, const char *table, struct ps_err *err);

/* --- Labels (labels.c) --- */

enum ps_status ps_label_write(struct ps_store *store, const char *id, struct ps_str text,
                              struct ps_err *err);
/* Writes the result of schema/queries/<of>.sql to labels/<of>.json. `of` is "baselines" or
 * "queries". Call it inside the transaction that changes them. */
enum ps_status ps_list_label_save(struct ps_store *store, const char *of, struct ps_err *err);
/* Writes the current label of the run, from the catalog, to labels/<id>.json. Call it inside the
 * transaction that changes the run. */
enum ps_status ps_label_save(struct ps_store *store, const char *id, struct ps_err *err);
/* Records the hash of the current label of the run, from the catalog. Call it inside a transaction.
 * Does nothing on a shelf without labels/. */
enum ps_status ps_label_record_hash(struct ps_store *store, const char *id, struct ps_err *err);
/* Whether table kept has the hash of the last label that was committed. If so, *differs: the
 * current label in the catalog has another hash. A file in labels/ is not reliable: it is written
 * before the transaction ends, which may fail. */
bool ps_label_has_hash(struct ps_db *db, const char *id, bool *differs);
/* Writes the labels of all runs, for a shelf of an older perfshelf without labels/. */
enum ps_status ps_label_save_all(struct ps_store *store, struct ps_err *err);
/* Appends the label of a run, built from the catalog. PS_NOT_FOUND, without a message: there is no
 * such run. */
enum ps_status ps_label_text(struct ps_db *db, const char *id, struct ps_buf *out,
                             struct ps_err *err);
/* Deletes the label file of a run. */
void ps_label_remove(struct ps_store *store, const char *id);
/* Appends the label file of a run. False: there is none, or it cannot be read. */
bool ps_label_read(struct ps_store *store, const char *id, struct ps_buf *out);
/* Applies a label to the row, the tags and the sources of a run in the catalog. Fails if `label` is
 * invalid. */
enum ps_status ps_label_apply(struct ps_db *db, const char *id, struct ps_str label,
                              struct ps_err *err);

/* --- Runs that can be recovered (deleted.c) --- */

/* Inside a transaction: moves the row of the run to table deleted_run; ps_store_recover_run moves
 * it back. */
enum ps_status ps_deleted_add(struct ps_store *store, const char *id, const char *user_name,
                              int64_t at_ms, struct ps_err *err);
/* Inside a transaction, before the row of the run is deleted: writes a label file that marks the
 * run as deleted. */
enum ps_status ps_deleted_write_label(struct ps_store *store, const char *id, const char *user_name,
                                      int64_t at_ms, struct ps_err *err);
/* Inside a transaction: if the label marks the run as deleted, moves it to the deleted runs, where
 * it can be recovered for another full day. */
enum ps_status ps_deleted_apply_label(struct ps_store *store, const char *id, struct ps_str label,
                                      bool *is_deleted, struct ps_err *err);
/* Inside the transaction that publishes a run: permanently deletes a deleted run of the same id.
 * *replaced: there was one. */
enum ps_status ps_deleted_replace(struct ps_store *store, const char *id,
                                  struct ps_pending_delete *pending, bool *replaced,
                                  struct ps_err *err);
/* Like ps_job_row_add, inside a transaction (job_rows.c). */
struct ps_new_job;
enum ps_status ps_job_row_insert(struct ps_store *store, const struct ps_new_job *job,
                                 uint64_t *id_out, struct ps_err *err);
/* Inside a transaction: updates the row of a job. Does nothing if another session has taken over
 * the job. */
struct ps_job_row;
enum ps_status ps_job_row_put(struct ps_store *store, const struct ps_job_row *row,
                              struct ps_err *err);
/* Inside the transaction that takes over the uploads of the crashed session `dead`: moves the jobs
 * of these uploads to this session, and marks the other jobs of `dead` as failed. */
enum ps_status ps_job_rows_abandon(struct ps_store *store, const char *dead, struct ps_err *err);

/* Whether a file of the spool belongs to an accepted upload (uploads.c). */
bool ps_upload_owns_file(struct ps_store *store, const char *file);
/* Inside the transaction that publishes the run of an upload. PS_INTERRUPTED: another server
 * considered this server crashed and has taken over the upload. */
enum ps_status ps_upload_check_owner(struct ps_store *store, int64_t id, struct ps_err *err);

/* Inside the transaction that deletes a run: deletes the rows of its sources, and adds the sources
 * to which no other run refers to the pending deletes. */
enum ps_status ps_sources_remove(struct ps_db *db, const char *id,
                                 const struct ps_pending_delete *pending, struct ps_err *err);
/* Closes the idle readers of a run. */
void ps_pool_close_run(struct ps_store *store, const char *id);
/* Invalidates the cached mark of a run whose file was replaced or deleted. */
void ps_run_mark_invalidate(struct ps_store *store, const char *id);
/* Closes the idle connections of ps_catalog_read. No read may be in progress. */
void ps_catalog_read_close(struct ps_store *store);

/* Inserts the row of a run, or updates the existing row. *name_out: the name of the run in the
 * catalog, malloc'ed. */
enum ps_status ps_catalog_put_run(struct ps_db *db, const struct ps_catalog_row *row,
                                  char **name_out, struct ps_err *err);
/* Appends the names of the properties in which the catalog differs from `row`, which was read from
 * the run file, or from the last label of the run (labels.c). label NULL: the last label is
 * unknown, or the run is deleted. */
enum ps_status ps_catalog_describe_differences(struct ps_db *db, const struct ps_catalog_row *row,
                                               const char *label, struct ps_buf *out,
                                               struct ps_err *err);
/* Renames `part` to the final path of the run file, and inserts or updates the row of the run. Sets
 * out->already_existed if the shelf has an up-to-date run of these bytes, and does nothing else
 * then. Otherwise sets out->name. */
enum ps_status ps_catalog_publish(struct ps_store *store, const struct ps_catalog_row *row,
                                  const char *part, struct ps_published_run *out,
                                  struct ps_err *err);

#endif
