/* SPDX-License-Identifier: MIT */
/*
 * state.h: the state of a shelf that is open, for the modules that keep it: catalog, replica and
 * maintenance. All others use store.h.
 */
#ifndef PS_CATALOG_STATE_H
#define PS_CATALOG_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/catalog/file_names.h"
#include "server/catalog/readers.h"
#include "server/runfile/handle.h"

#define PS_POOL_MAX 4

/* What ps_run_mark found out last, by a hash of the id: marks.c. */
#define PS_MARKS 64
struct ps_marks {
    pthread_mutex_t lock;
    struct ps_mark {
        char id[PS_ID_SIZE];
        uint64_t mark; /* 0: ask again */
        int64_t since_us;
    } at[PS_MARKS];
    unsigned forgotten; /* how often ps_run_mark_forget was called */
};

/* An upload that this opening accepted or took, until its row is gone (uploads.c). */
struct ps_in_hand {
    int64_t id;
    int64_t again_ms; /* CLOCK_MONOTONIC: it may be taken again from then on; 0: it is imported */
    bool over;        /* its import has ended, but its row could not be removed */
    /* what that transaction was to write of its job; state NULL: nothing */
    uint64_t job;
    const char *state;
    char *view; /* malloc'ed */
};

struct ps_backend;
struct ps_replica;

struct ps_store {
    char *dir;
    char session[48]; /* the name of this opening: session.c */
    int session_fd;
    int runs_fd; /* the folder of the run files */
    atomic_uint counter;
    struct ps_db *catalog;
    bool durable;                     /* the transaction that is open */
    const struct ps_backend *backend; /* where files and truth are: backend.h */
    struct ps_replica *replica;       /* of the backend that several servers share; else NULL */
    _Atomic int64_t seen;             /* the last transaction of others that is here */
    bool ordered;                     /* backend->done follows the open transaction */
    struct ps_in_hand *in_hand;       /* with the catalog locked */
    size_t n_in_hand, cap_in_hand;
    struct ps_buf undone; /* dooms of ours that could not be ended (pending_delete.c); likewise */
    pthread_mutex_t catalog_lock;
    pthread_mutex_t pool_lock;
    struct ps_db *pool; /* idle readers, most recently used first */
    unsigned pooled;
    struct ps_marks marks;
    bool beside; /* the catalog is a file: who reads it opens it once more (catalog_read.c) */
    struct ps_db *idle_catalogs; /* opened so, and idle */
    unsigned n_idle_catalogs;
    int64_t changes;             /* catalog writes by this process */
    bool read_only;              /* this user may not write to the folder: every change fails */
    atomic_bool immutable;       /* then: `catalog` was opened while nobody wrote */
    bool goes;                   /* its folder is removed when it is closed */
    pthread_mutex_t quota_lock;  /* of one claim at a time */
    atomic_llong reserved_bytes; /* bytes claimed of what the catalog does not count */
    uint64_t quota;              /* 0: none */
};

/* A published run, read-only; nothing kept, no limit. */
enum ps_status ps_run_open(struct ps_store *store, const char *id, struct ps_db **out,
                           struct ps_err *err);
/* Fills the text of a source whose hash is known. */
enum ps_status ps_source_text(struct ps_store *store, struct ps_source *out, struct ps_err *err);
enum ps_status ps_run_open_limited(struct ps_store *store, const char *id, struct ps_memory *memory,
                                   struct ps_db **out, struct ps_err *err);

#define PS_PRIVATE ".shelf" /* how folders of private shelves end, in the spool */
/* A folder with all that is in it; what cannot be removed stays. */
void ps_remove_tree(const char *path);

/* A store that is not open yet: ps_store_close frees it. */
struct ps_store *ps_store_new(const char *dir);
/* Its folder with nobody else in it, and no catalog; nobody comes in until *lock is closed. */
enum ps_status ps_store_open_alone(const char *dir, struct ps_store **out, int *lock,
                                   struct ps_err *err);
/* The URI of the catalog for a connection that only reads. True: as a file that nobody writes. */
bool ps_catalog_uri(const struct ps_store *store, struct ps_buf *out);
/* Of a read-only shelf: opens the catalog again when somebody has begun to write since. */
void ps_catalog_refresh(struct ps_store *store);
/* Brings the tables of a catalog to the present layout, in one transaction (layout.c). PS_CONFLICT:
 * a newer perfshelf wrote it. */
enum ps_status ps_catalog_migrate(struct ps_db *db, struct ps_err *err);
/* For catalogs of an older layout that cannot be changed: temporary views of this connection, in
 * place of the tables, show the columns that they lack with their defaults. */
enum ps_status ps_catalog_show_columns(struct ps_db *db, struct ps_err *err);
/* Drops these views. */
enum ps_status ps_catalog_hide_columns(struct ps_db *db, struct ps_err *err);
/* Opens a connection that only reads the catalog; it may have an older layout. */
enum ps_status ps_catalog_open_reader(const char *uri, struct ps_db **out, struct ps_err *err);
/* Whether it is the mirror of a database, and no shelf of its own. */
bool ps_catalog_is_mirror(struct ps_db *db);
/* The catalog in this file, with its tables. */
enum ps_status ps_catalog_open(const char *path, struct ps_db **out, struct ps_err *err);

const char *ps_temporary_folder(void); /* $TMPDIR */
/* A folder with all that it lies in, synced where they are new. */
enum ps_status ps_make_dir(const char *path, struct ps_err *err);
/* fsync of a folder, so that a rename in it is on the disk. */
enum ps_status ps_sync_dir(const char *path, struct ps_err *err);
/* A new file <where>/<session>-<n>.part. */
enum ps_status ps_new_part(struct ps_store *store, const char *where, char **path_out, int *fd_out,
                           struct ps_err *err);
/* A number that this opening did not have yet. */
unsigned ps_store_count(struct ps_store *store);
#define PS_KEPT ".gz" /* how names of kept files end */
/* The run of an original; PS_NOT_FOUND without text. */
enum ps_status ps_catalog_find(struct ps_db *db, const char *sha256, char id_out[PS_ID_SIZE],
                               struct ps_err *err);
/* runs, labels, originals, sources; then NULL */
extern const char *const ps_kept_folders[];

/* A question to the catalog: `about` and `out` are whatever it takes and fills. */
typedef enum ps_status ps_catalog_question(struct ps_db *db, const char *about, void *out,
                                           struct ps_err *err);
/* Asks it beside whoever writes. Where many servers share the catalog, PS_NOT_FOUND is not believed
 * before what they did since is here: then it is asked again, so `out` is to be filled at the end
 * alone. */
enum ps_status ps_catalog_ask(struct ps_store *store, ps_catalog_question *ask, const char *about,
                              void *out, struct ps_err *err);

/* Begins a transaction of the catalog, which is locked until ps_catalog_end also when this fails.
 * PS_DURABLE: after its commit it survives power loss. PS_SOON: a kill, but a power loss only once
 * something durable followed. */
enum ps_catalog_sync { PS_DURABLE, PS_SOON };
enum ps_status ps_catalog_begin(struct ps_store *store, enum ps_catalog_sync sync,
                                struct ps_err *err);
/* Commits, or rolls back what failed before. */
enum ps_status ps_catalog_end(struct ps_store *store, enum ps_status status, struct ps_err *err);

/* A run that goes. `check` may be NULL; it is asked inside the transaction that takes the row away,
 * and what it fails with is what ps_catalog_remove fails with. */
struct ps_removal {
    const char *id, *who;
    enum ps_status (*check)(struct ps_db *db, const void *user, struct ps_err *err);
    const void *user;
};
/* What ps_store_remove does. */
enum ps_status ps_catalog_remove(struct ps_store *store, const struct ps_removal *removal,
                                 struct ps_err *err);

/* --- Sessions (session.c) --- */

/* A name that no other opening has. */
enum ps_status ps_session_name(struct ps_store *store, struct ps_err *err);
enum ps_status ps_session_begin(struct ps_store *store, struct ps_err *err);
void ps_session_end(struct ps_store *store);
/* Of this folder, or of the servers that share the store. */
bool ps_session_is_alive(struct ps_store *store, const char *session);
/* Bytes of the files in spool/ but for those of other sessions that live. */
uint64_t ps_session_spooled(const struct ps_store *store);
/* Whether any other session lives. */
bool ps_session_others(const struct ps_store *store);
/* Removes what sessions that died left behind. */
void ps_session_sweep(struct ps_store *store);

/* --- Intent log of deletions (pending_delete.c) --- */

struct ps_pending_delete {
    char owner[64]; /* "": nothing is written down */
};
struct ps_sending;
/* Moves `path` to its place (files.h), having written down before that it goes again unless a row
 * refers to it at the end. folder is originals or sources; the catalog counts its bytes from now on
 * until it goes. */
enum ps_status ps_pending_delete_begin(struct ps_store *store, struct ps_pending_delete *pending,
                                       const char *folder, const char *key,
                                       const struct ps_sending *sent, const char *path,
                                       struct ps_err *err);
/* Writes down that the file of a run goes again unless the run is there at the end. */
enum ps_status ps_pending_delete_run(struct ps_store *store, struct ps_pending_delete *pending,
                                     const char *id, struct ps_err *err);
/* The same inside the transaction that takes the row away; ps_pending_delete_name goes before. */
void ps_pending_delete_name(struct ps_store *store, struct ps_pending_delete *pending);
enum ps_status ps_pending_delete_add(struct ps_db *db, const struct ps_pending_delete *pending,
                                     const char *folder, const char *key, struct ps_err *err);
/* Removes those files that no row refers to. */
void ps_pending_delete_end(struct ps_store *store, struct ps_pending_delete *pending);
/* The same for owners that died. */
void ps_pending_delete_sweep(struct ps_store *store);
/* A file that only takes room, for the one thing that must be possible on a full disk: a removal.
 * Makes it where it is missing and there is room; gives the room away, false: it was gone. */
void ps_reserve_make(struct ps_store *store);
bool ps_reserve_use(struct ps_store *store);

/* The size of an original or a source, inside a transaction (quota.c). */
enum ps_status ps_size_put(struct ps_db *db, const char *folder, const char *sha256, uint64_t bytes,
                           struct ps_err *err);

/* --- Labels (labels.c) --- */

enum ps_status ps_label_write(struct ps_store *store, const char *id, struct ps_str text,
                              struct ps_err *err);
/* All "baselines" or "queries" (schema/queries/<of>.sql), into labels/<of>.json; inside the
 * transaction that changed them. */
enum ps_status ps_labels_save(struct ps_store *store, const char *of, struct ps_err *err);
/* Writes what the catalog says of the run now; inside the transaction that changed it. */
enum ps_status ps_label_save(struct ps_store *store, const char *id, struct ps_err *err);
/* Whether the catalog holds the hash of the label that it wrote last (table kept); then *differs
 * says whether it says something else now. A file in labels/ cannot decide that: it is written
 * before the transaction ends, which may fail. */
bool ps_label_is_kept(struct ps_db *db, const char *id, bool *differs);
/* Those of all runs: of a shelf from before there were any. */
enum ps_status ps_labels_save_all(struct ps_store *store, struct ps_err *err);
/* The label that a catalog holds; PS_NOT_FOUND without text. */
enum ps_status ps_label_text(struct ps_db *db, const char *id, struct ps_buf *out,
                             struct ps_err *err);
/* Removes that of a run. */
void ps_label_remove(struct ps_store *store, const char *id);
/* Reads the file; false: there is none. */
bool ps_label_read(struct ps_store *store, const char *id, struct ps_buf *out);
/* Puts a label back into the catalog, where the run is. Fails on what is no label. */
enum ps_status ps_label_apply(struct ps_db *db, const char *id, struct ps_str label,
                              struct ps_err *err);

/* --- Runs that can be recovered (deleted.c) --- */

/* Inside a transaction: takes the run off the shelf so that ps_store_undelete brings it back. */
enum ps_status ps_deleted_add(struct ps_store *store, const char *id, const char *who,
                              int64_t at_ms, struct ps_err *err);
/* Inside a transaction, while the run is there: writes into labels/ that it is deleted. */
enum ps_status ps_deleted_label(struct ps_store *store, const char *id, const char *who,
                                int64_t at_ms, struct ps_err *err);
/* Inside the transaction that publishes a run of this id: what was deleted cannot be recovered any
 * more. */
enum ps_status ps_deleted_replace(struct ps_store *store, const char *id,
                                  struct ps_pending_delete *pending, bool *replaced,
                                  struct ps_err *err);
/* ps_job_row_add inside a transaction (job_rows.c). */
struct ps_job_new;
enum ps_status ps_job_row_insert(struct ps_store *store, const struct ps_job_new *job,
                                 uint64_t *id_out, struct ps_err *err);
/* What became of a job, inside a transaction. Nothing happens when another session has it by now.
 */
struct ps_job_row;
enum ps_status ps_job_row_put(struct ps_store *store, const struct ps_job_row *row,
                              struct ps_err *err);
/* Inside the transaction that took over the uploads of a session that died: the jobs that they
 * are of are ours; what else it had in hand has failed. */
enum ps_status ps_job_rows_abandon(struct ps_store *store, const char *dead, struct ps_err *err);

/* Whether a file of the spool belongs to an accepted upload (uploads.c). */
bool ps_upload_holds(struct ps_store *store, const char *file);
/* Inside the transaction that publishes its run: PS_INTERRUPTED when another server, which took
 * this one for dead, has it in hand. */
enum ps_status ps_upload_check(struct ps_store *store, int64_t id, struct ps_err *err);

/* Takes what is attached to a run off the catalog, inside the transaction that removes it; the
 * sources that nobody else refers to are doomed. */
enum ps_status ps_sources_forget(struct ps_db *db, const char *id,
                                 const struct ps_pending_delete *pending, struct ps_err *err);
/* Takes idle readers of a run out of the pool. */
void ps_pool_forget(struct ps_store *store, const char *id);
/* The run's file is another one, or gone. */
void ps_run_mark_forget(struct ps_store *store, const char *id);
/* Closes what ps_catalog_read has opened. */
void ps_catalog_read_close(struct ps_store *store);

/* The row alone, or what is new of it where there is one; *name_out: what the run is called from
 * now on. */
enum ps_status ps_catalog_put(struct ps_db *db, const struct ps_catalog_row *row, char **name_out,
                              struct ps_err *err);
/* Appends the words for what the catalog says of a run otherwise than `row`, which its file says,
 * and than its last label (labels.c); label NULL: nobody knows that. */
enum ps_status ps_catalog_differs(struct ps_db *db, const struct ps_catalog_row *row,
                                  const char *label, struct ps_buf *out, struct ps_err *err);
/* Renames `part` to the run's file and inserts its row, or renews it, all or nothing. Sets already
 * (these bytes are on the shelf, nothing was done) or name of *out. */
enum ps_status ps_catalog_publish(struct ps_store *store, const struct ps_catalog_row *row,
                                  const char *part, struct ps_published *out, struct ps_err *err);

#endif
