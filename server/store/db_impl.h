/* SPDX-License-Identifier: MIT */
/* db_impl.h: what the files of this folder share. Nobody else includes it. */
#ifndef PS_STORE_DB_IMPL_H
#define PS_STORE_DB_IMPL_H

#include <pthread.h>
#define SQLITE_ENABLE_SESSION /* as Debian's library is built */
#define SQLITE_ENABLE_PREUPDATE_HOOK
#include <sqlite3.h>
#include <stdatomic.h>

#include "base/context.h"
#include "server/store/db.h"
#include "server/store/file_names.h"

struct ps_stmt {
    sqlite3_stmt *handle;
    struct ps_db *db;
    char *sql;
    bool busy, cached;
};

struct ps_memory;

struct ps_db {
    sqlite3 *handle;
    struct ps_store *store; /* whose pool it goes back to; NULL: closed on release */
    char id[PS_ID_SIZE];
    uint64_t mark; /* ps_run_mark when it was opened */
    struct ps_stmt **stmts;
    size_t n_stmts, cap_stmts;
    struct ps_memory *memory;     /* the limit of what a user typed; NULL: none */
    bool owns_memory;             /* freed with the handle */
    struct ps_trace_cache *trace; /* of a trace: trace_impl.h; NULL: nobody asked yet */
    const struct ps_lent *lent;   /* to statements, by the query layer */
    bool immutable;               /* opened as a file that nobody writes */
    struct ps_db *next;           /* in the pool */
};

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

struct ps_store {
    char *dir;
    char session[48]; /* the name of this opening: session.c */
    int session_fd;
    int runs_fd; /* the folder of the run files */
    atomic_uint counter;
    struct ps_db *catalog;
    bool durable;                         /* the transaction that is open */
    struct ps_mirror *mirror;             /* NULL: nobody shares the catalog beyond this folder */
    struct ps_lives *lives;               /* of such a one: lives.h */
    struct ps_shared_files *shared;       /* likewise of its files */
    bool (*look)(struct ps_store *store); /* of a mirror; false: it brings nothing */
    _Atomic int64_t seen;                 /* up to where a look has brought it */
    bool ordered; /* the transaction that is open has its place among those of others */
    struct ps_takeover *takeover; /* of a server that looks for what others left: takeover.c */
    struct ps_in_hand *in_hand;   /* with the catalog locked */
    size_t n_in_hand, cap_in_hand;
    struct ps_buf undone; /* dooms of ours that could not be ended (doomed.c); likewise */
    pthread_mutex_t catalog_lock;
    pthread_mutex_t pool_lock;
    struct ps_db *pool; /* idle readers, most recently used first */
    unsigned pooled;
    struct ps_marks marks;
    bool beside; /* the catalog is a file: who reads it opens it once more (catalog_read.c) */
    struct ps_db *idle_catalogs; /* opened so, and idle */
    unsigned n_idle_catalogs;
    int64_t changes;           /* catalog writes by this process */
    bool read_only;            /* this user may not write to the folder: every change fails */
    atomic_bool immutable;     /* then: `catalog` was opened while nobody wrote */
    bool goes;                 /* its folder is removed when it is closed */
    pthread_mutex_t room_lock; /* of one claim at a time */
    atomic_llong loose;        /* bytes claimed of what the catalog does not count */
    uint64_t quota;            /* 0: none */
};

/* uri: as sqlite3_open_v2 takes with SQLITE_OPEN_URI. Registers our functions. */
enum ps_status ps_db_open(const char *uri, bool write, struct ps_db **out, struct ps_err *err);
enum ps_status ps_db_fail(struct ps_db *db, struct ps_err *err, const char *what);

/* The text of schema/<name>.sql. */
const char *ps_schema_of(const char *name);
/* A published run, read-only; nothing kept, no limit. */
enum ps_status ps_run_open(struct ps_store *store, const char *id, struct ps_db **out,
                           struct ps_err *err);
/* Fills the text of a source whose hash is known. */
enum ps_status ps_source_text(struct ps_store *store, struct ps_source *out, struct ps_err *err);
/* --- SQL that people type (typed.c) */

/* From now on only what it may is prepared on this handle, within this memory. */
void ps_guard(struct ps_db *db, struct ps_memory *memory);
enum ps_status ps_run_open_limited(struct ps_store *store, const char *id, struct ps_memory *memory,
                                   struct ps_db **out, struct ps_err *err);

/* --- the memory of SQLite (sqlite_memory.c) */

/* Whether allocations of SQLite obey the limits below. */
enum ps_status ps_memory_ready(struct ps_err *err);
/* Limits what SQLite allocates on this thread, to `most` more bytes (0: any number), until
 * ps_memory_end. Meanwhile allocations fail too once the thread's context has ended: the only way
 * to stop a statement while SQLite prepares it. */
struct ps_memory *ps_memory_begin(size_t most);
void ps_memory_end(struct ps_memory *memory);
bool ps_memory_exceeded(const struct ps_memory *memory); /* NULL: false */

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
/* What tables of an older perfshelf lack. */
enum ps_status ps_catalog_add_columns(struct ps_db *db, struct ps_err *err);
/* Shows them in a catalog that cannot be changed, for this connection, by a view in place of the
 * table. */
enum ps_status ps_catalog_show_columns(struct ps_db *db, struct ps_err *err);
/* A connection that only reads the catalog; of a read-only shelf that an older perfshelf wrote too.
 */
enum ps_status ps_catalog_open_reader(const char *uri, struct ps_db **out, struct ps_err *err);
/* The catalog in this file, with its tables. */
enum ps_status ps_catalog_open(const char *path, struct ps_db **out, struct ps_err *err);

const char *ps_temporary_folder(void); /* $TMPDIR */
/* A folder with all that it lies in, synced where they are new. */
enum ps_status ps_make_dir(const char *path, struct ps_err *err);
/* fsync of a folder, so that a rename in it is on the disk. */
enum ps_status ps_sync_dir(const char *path, struct ps_err *err);
/* Appends a file: URI of path. */
void ps_uri_path(struct ps_buf *out, const char *path);
/* A new file <where>/<session>-<n>.part. */
enum ps_status ps_new_part(struct ps_store *store, const char *where, char **path_out, int *fd_out,
                           struct ps_err *err);
/* A number that this opening did not have yet. */
unsigned ps_store_count(struct ps_store *store);
#define PS_KEPT ".gz" /* how names of kept files end */
/* A column as a string of C, of at most size - 1 bytes: whatever type and length a catalog that was
 * not written by perfshelf has there. */
void ps_col_copy(struct ps_stmt *stmt, int column, char *out, size_t size);
/* The same at the end of a list of strings, each with its NUL. */
void ps_col_append(struct ps_stmt *stmt, int column, struct ps_buf *list);
/* The id in the first column of a row. */
void ps_col_id(struct ps_stmt *stmt, char id_out[PS_ID_SIZE]);
/* The run of an original; PS_NOT_FOUND without text. */
enum ps_status ps_catalog_find(struct ps_db *db, const char *sha256, char id_out[PS_ID_SIZE],
                               struct ps_err *err);
/* The baseline of a series. */
enum ps_status ps_baseline_of(struct ps_db *db, const char *series, char id_out[PS_ID_SIZE],
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

/* --- sessions (session.c) */

/* A name that no other opening has. */
enum ps_status ps_session_name(struct ps_store *store, struct ps_err *err);
enum ps_status ps_session_begin(struct ps_store *store, struct ps_err *err);
void ps_session_end(struct ps_store *store);
/* Of this folder, or of the servers that share the store. */
bool ps_session_lives(struct ps_store *store, const char *session);
/* Bytes of the files in spool/ but for those of other sessions that live. */
uint64_t ps_session_spooled(const struct ps_store *store);
/* Whether any other session lives. */
bool ps_session_others(const struct ps_store *store);
/* Removes what sessions that died left behind. */
void ps_session_sweep(struct ps_store *store);

/* --- files without a row (doomed.c) */

struct ps_doom {
    char owner[64]; /* "": nothing is written down */
};
struct ps_sending;
/* Moves `path` to its place (files.h), having written down before that it goes again unless a row
 * refers to it at the end. folder is originals or sources; the catalog counts its bytes from now on
 * until it goes. */
enum ps_status ps_doom_begin(struct ps_store *store, struct ps_doom *doom, const char *folder,
                             const char *key, const struct ps_sending *sent, const char *path,
                             struct ps_err *err);
/* Writes down that the file of a run goes again unless the run is there at the end. */
enum ps_status ps_doom_run(struct ps_store *store, struct ps_doom *doom, const char *id,
                           struct ps_err *err);
/* The same inside the transaction that takes the row away; ps_doom_name goes before. */
void ps_doom_name(struct ps_store *store, struct ps_doom *doom);
enum ps_status ps_doom_add(struct ps_db *db, const struct ps_doom *doom, const char *folder,
                           const char *key, struct ps_err *err);
/* Removes those files that no row refers to. */
void ps_doom_end(struct ps_store *store, struct ps_doom *doom);
/* The same for owners that died. */
void ps_doomed_sweep(struct ps_store *store);
/* A file that only takes room, for the one thing that must be possible on a full disk: a removal.
 * Makes it where it is missing and there is room; gives the room away, false: it was gone. */
void ps_reserve_make(struct ps_store *store);
bool ps_reserve_use(struct ps_store *store);

/* The size of an original or a source, inside a transaction (room.c). */
enum ps_status ps_size_put(struct ps_db *db, const char *folder, const char *sha256, uint64_t bytes,
                           struct ps_err *err);

/* --- labels (labels.c) */

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

/* --- runs that can be recovered (deleted.c) */

/* Inside a transaction: takes the run off the shelf so that ps_store_undelete brings it back. */
enum ps_status ps_deleted_add(struct ps_store *store, const char *id, const char *who,
                              int64_t at_ms, struct ps_err *err);
/* Inside a transaction, while the run is there: writes into labels/ that it is deleted. */
enum ps_status ps_deleted_label(struct ps_store *store, const char *id, const char *who,
                                int64_t at_ms, struct ps_err *err);
/* Inside the transaction that publishes a run of this id: what was deleted cannot be recovered any
 * more. */
enum ps_status ps_deleted_replace(struct ps_store *store, const char *id, struct ps_doom *doom,
                                  bool *replaced, struct ps_err *err);
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
enum ps_status ps_sources_forget(struct ps_db *db, const char *id, const struct ps_doom *doom,
                                 struct ps_err *err);
/* Takes idle readers of a run out of the pool. */
void ps_pool_forget(struct ps_store *store, const char *id);
/* The run's file is another one, or gone. */
void ps_run_mark_forget(struct ps_store *store, const char *id);
/* Closes what ps_catalog_read has opened. */
void ps_catalog_read_close(struct ps_store *store);

/* One row of the catalog's run table; everything is borrowed. note, tool and tool_version may be
 * NULL. */
struct ps_catalog_row {
    char id[PS_ID_SIZE];
    const char *sha256, *kind, *name, *series, *who, *note, *tool, *tool_version, *summary;
    int64_t created_ms;
    uint64_t bytes, db_bytes;
    int64_t upload; /* 0: none */
    struct ps_ledger ledger;
    struct ps_headline headline;
    const struct ps_tag *tags;
    size_t n_tags;
};

/* The row alone, or what is new of it where there is one; *name_out: what the run is called from
 * now on. */
enum ps_status ps_catalog_put(struct ps_db *db, const struct ps_catalog_row *row, char **name_out,
                              struct ps_err *err);
/* Appends the words for what the catalog says of a run otherwise than `row`, which its file says,
 * and than its last label (labels.c); label NULL: nobody knows that. */
enum ps_status ps_catalog_differs(struct ps_db *db, const struct ps_catalog_row *row,
                                  const char *label, struct ps_buf *out, struct ps_err *err);
/* What a run file says of itself. Of one that is not published yet only what a writer knows:
 * headline, ledger, summary, tool and title; all else is "" or 0. */
struct ps_run_about {
    struct ps_catalog_row row; /* but id and db_bytes */
    const char *label;         /* what was said of the run when it was published */
    const char *title;         /* what the profile calls itself */
};
/* The strings go to the arena. */
enum ps_status ps_run_about(struct ps_db *db, struct ps_arena *arena, struct ps_run_about *out,
                            struct ps_err *err);
const char *ps_run_schema(void); /* the tables of a run file as SQL */
/* An empty run file at `path`, of an input of so many bytes, in an open transaction. */
enum ps_status ps_run_create(const char *path, uint64_t input_bytes, struct ps_db **out,
                             struct ps_err *err);
int64_t ps_layout_of_ours(void); /* user_version of run.sql */
/* Whether it has these tables and views, and no others. */
enum ps_status ps_check_layout(struct ps_db *db, struct ps_err *err);

/* Renames `part` to the run's file and inserts its row, or renews it, all or nothing. Sets already
 * (these bytes are on the shelf, nothing was done) or name of *out. */
enum ps_status ps_catalog_publish(struct ps_store *store, const struct ps_catalog_row *row,
                                  const char *part, struct ps_published *out, struct ps_err *err);

/* --- tables that SQL sees (sql_table.c) */

/* A table as it is written down: static, for as long as the handle. */
struct ps_table_kind {
    const char *name, *schema; /* "CREATE TABLE x(...)" */
    size_t cursor_size;        /* of a struct that begins with sqlite3_vtab_cursor; zeroed */
    /* Frees what a cursor holds, not the cursor; NULL: it holds nothing. */
    void (*release)(sqlite3_vtab_cursor *cursor);
    const sqlite3_module *module; /* PS_TABLE_METHODS and what the table does itself */
};

/* A table of a handle: what sqlite3_vtab_cursor.pVtab points to. */
struct ps_table {
    sqlite3_vtab base;
    struct ps_db *db;
    const struct ps_table_kind *kind;
};

#define PS_TABLE_METHODS                                                                           \
    .xConnect = ps_table_connect, .xDisconnect = ps_table_disconnect, .xOpen = ps_table_open,      \
    .xClose = ps_table_close
int ps_table_connect(sqlite3 *handle, void *user, int argc, const char *const *argv,
                     sqlite3_vtab **out, char **error);
int ps_table_disconnect(sqlite3_vtab *table);
int ps_table_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out);
int ps_table_close(sqlite3_vtab_cursor *cursor);

void ps_table_register(struct ps_db *db, const struct ps_table_kind *kind);
/* The error of a cursor as SQLite wants it. */
int ps_table_fail(sqlite3_vtab *table, const struct ps_err *err);

/* Hidden columns as arguments of a table-valued function: those of [first, first + n) that are
 * given with =, a bit each in idxNum, in argv in this order. */
int ps_table_arguments(sqlite3_index_info *info, int first, int n);
/* The argument of bit `which`; NULL when it is not given. */
sqlite3_value *ps_table_argument(int plan, sqlite3_value **argv, int which);

void ps_result_num(sqlite3_context *context, struct ps_num n);
void ps_register_functions(sqlite3 *db);      /* ps_words, regexp */
void ps_register_text_functions(sqlite3 *db); /* instr, like ... in place of SQLite's own */
void ps_register_calls(struct ps_db *db);     /* ps_calls, ps_ids */
void ps_register_paths(struct ps_db *db);     /* ps_paths */
void ps_register_lent(struct ps_db *db);      /* ps_lent */
void ps_register_traces(struct ps_db *db); /* ps_slices, ps_operators, ps_kernels, ps_flows ... */

struct ps_operator;
/* Adds a memory event of no operator to what torch lists as the operator [memory]. */
void ps_memory_sum(struct ps_operator *sum, int64_t t_ns, int64_t device_type, int64_t bytes);

void ps_trace_cache_free(struct ps_trace_cache *cache);

/* What table packed holds. Stored: never renumber. */
enum ps_packed_family { PS_PACKED_FLOWS = 1, PS_PACKED_COUNTS = 2, PS_PACKED_MEMORY = 3 };
#define PS_PACKED_COLUMNS_MAX 10

/* Keys of chunk_column, packed_column and pyramid. */
#define PS_CHUNK_ARGS 31 /* the column of the arguments' parameters */
static inline int64_t ps_chunk_key(int64_t chunk, unsigned column)
{
    return chunk * 32 + column;
}
static inline int64_t ps_packed_key(int64_t packed, unsigned column)
{
    return packed * 16 + column;
}
static inline int64_t ps_pyramid_key(uint32_t track, unsigned level)
{
    return (int64_t)track * 64 + level;
}

/* The blobs of function.callers and function.callees (calls_blob.c). */
void ps_calls_pack(struct ps_buf *out, const struct ps_call *calls, uint32_t n);
void ps_ids_pack(struct ps_buf *out, const uint32_t *ids, uint32_t n); /* ids ascending */
/* Next entry of a blob; false at its end or where it is damaged. */
bool ps_calls_next(struct ps_str *blob, struct ps_call *out);
bool ps_ids_next(struct ps_str *blob, uint32_t *last);

#endif
