/* SPDX-License-Identifier: MIT */
/*
 * store.h: a shelf and its runs. No other module depends on its folders, files or SQL. What a shelf
 * does besides stands in one header for each subject: reading runs (readers.h), tokens.h, quota.h,
 * retention.h, deleted.h, partial.h (resumable uploads), job_rows.h, changes.h, temp_shelf.h.
 *
 *   DIR/catalog.db             runs, tags, import log (SQLite, WAL): the mutable data
 *   DIR/runs/<id>.db           one SQLite file per run, never altered once published
 *   DIR/labels/<id>.json       changes since publication: name, tags, sources ... (labels.c)
 *   DIR/originals/<sha256>.gz  the original bytes of the profiles
 *   DIR/sources/<sha256>.gz    source files attached to line-level profiles
 *   DIR/spool/                 uploads in progress, and accepted uploads
 *   DIR/open/                  sessions that have the shelf open (session.c)
 *   DIR/clock                  when the wall clock was last known to be right (clock_check.h)
 *   DIR/cache/<hash>           where many servers share the store: recently used files of runs,
 *                              originals and sources (file_cache.h); catalog.db is a mirror then
 *
 * Durable means: it survives kill -9 and power loss. Files are synced, then renamed to their final
 * path, then their folder is synced, then the row that refers to them is committed with
 * synchronous=FULL. A removal has the reverse order: first the row, a day later the files
 * (deleted.h, pending_delete.c).
 *
 * The id of a run is the first 16 hex digits of the SHA-256 of its original: the same bytes are the
 * same run on every shelf. Every function may be called from any thread. Several processes may have
 * one folder open (serve, add).
 *
 * Errors of every function: PS_FORBIDDEN, a change of a shelf that this user may only read;
 * PS_FULL, the disk or the quota; PS_UNAVAILABLE, the database of a shared shelf; PS_IO. Others are
 * named at the function.
 *
 *     struct ps_store *store = NULL;
 *     char id[PS_ID_SIZE];
 *
 *     if (ps_store_open("/srv/shelf", &store, err) == PS_OK &&
 *         ps_store_resolve(store, "@1", id, err) == PS_OK)          the newest run
 *         ps_store_edit(store, id, &(struct ps_run_edit){.name = "after"}, err);
 *     ps_store_close(store);
 */
#ifndef PS_CATALOG_STORE_H
#define PS_CATALOG_STORE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stream.h"
#include "importers/sink.h"
#include "server/runwrite/run_writer.h"

struct ps_store;
struct ps_writer;
struct ps_job_new;
struct ps_job_row;

struct ps_tag {
    const char *key, *value;
};
#define PS_LABEL_MAX 400  /* maximum bytes of a name, series, tag key or tag value from clients */
#define PS_TAGS_MAX  64   /* maximum tags of a run */
#define PS_NOTE_MAX  4000 /* maximum characters of a note */

/* Copies a note received from a client into the arena, with "\n" for each line break.
 * PS_BAD_REQUEST: it is longer than PS_NOTE_MAX, is not UTF-8, or has another control character. */
enum ps_status ps_note_read(struct ps_arena *arena, const char *text, const char **out,
                            struct ps_err *err);

#define PS_BUNDLE_NAME "bundle.json" /* the first member of a .perfshelf file */

/* Opens DIR, creates missing files and folders, and deletes the leftovers of interrupted imports.
 * Close the store with ps_store_close. */
enum ps_status ps_store_open(const char *dir, struct ps_store **out, struct ps_err *err);
void ps_store_close(struct ps_store *store); /* NULL is allowed */
/* Whether the folder contains a shelf. If not, ps_store_open creates one there. */
bool ps_store_exists(const char *dir);
/* Whether this user may only read the folder. If so, every change fails with PS_FORBIDDEN. */
bool ps_store_read_only(const struct ps_store *store);
const char *ps_store_dir(const struct ps_store *store);
/* Whether the database of a shared store was unreachable at the last attempt. */
bool ps_store_is_away(const struct ps_store *store);
/* State of a shared store (several servers) as this handle sees it. */
struct ps_shared_store {
    char *location;                  /* host and database, for display; malloc'ed */
    uint64_t cache_bytes, cache_max; /* bytes of the cached files; maximum bytes of the cache */
    uint64_t hits, misses;     /* requests for files in the cache; requests that fetched the file */
    uint64_t fetched, evicted; /* bytes, since the store was opened */
};
/* False: the store is not shared. */
bool ps_store_describe_shared(struct ps_store *store, struct ps_shared_store *out);

/* Returns a number that changes whenever the catalog changes, by this process or another. */
int64_t ps_store_version(struct ps_store *store);
/* Returns a number that identifies the current file of a run. It changes when the run is imported
 * again. 0: there is no file, or the shelf is private. Changes by other processes are visible after
 * PS_RUN_MARK_CACHE_US. */
#define PS_RUN_MARK_CACHE_US 1000
uint64_t ps_run_mark(struct ps_store *store, const char *id);

/* --- Originals --- */

/* Creates a new empty file in DIR/spool, open for writing; in $TMPDIR if store is NULL. path_out:
 * malloc'ed, the caller unlinks and frees it. The file is deleted after its process ends unless an
 * accepted upload refers to it. */
enum ps_status ps_store_spool(struct ps_store *store, char **path_out, int *fd_out,
                              struct ps_err *err);
/* Creates a file without a name: written through one descriptor, then read through the other from
 * its start. The caller closes both, also those that are open after a failure; the file is deleted
 * with them. */
enum ps_status ps_store_scratch(struct ps_store *store, int *write_fd, int *read_fd,
                                struct ps_err *err);

struct ps_original {
    char sha256[PS_SHA256_SIZE];
    uint64_t bytes;
};

/* A file that is being added: a separate thread reads it once from offset 0, hashes it and writes a
 * compressed copy, while other threads may use the file. */
struct ps_ingest;
/* Starts to read fd. `where` is "originals" or "sources". fd must stay open until ps_ingest_end.
 * The caller must call ps_ingest_end in any case, also if this function fails. */
enum ps_status ps_ingest_begin(struct ps_store *store, const char *where, int fd,
                               struct ps_ingest **out, struct ps_err *err);
/* Whether the shelf has an up-to-date run of these bytes. False until their hash is known. Fast. */
bool ps_ingest_is_known(const struct ps_ingest *ingest);
/* Waits until the file was read completely, and fills *out with what was read. With keep false,
 * only the hash is still needed, not the copy. */
enum ps_status ps_ingest_wait(struct ps_ingest *ingest, bool keep, struct ps_original *out,
                              struct ps_err *err);
/* After ps_ingest_wait: moves the copy to its final path and syncs it. It is kept until
 * ps_ingest_end, or longer if a row refers to it by then. */
enum ps_status ps_ingest_keep(struct ps_ingest *ingest, struct ps_err *err);
/* Frees `ingest` and deletes the copy unless a row refers to it. NULL is allowed. */
void ps_ingest_end(struct ps_ingest *ingest);
/* Opens the original bytes of a run. Free the stream, then close *fd_out. */
enum ps_status ps_store_open_original(struct ps_store *store, const char *id,
                                      struct ps_stream **out, int *fd_out, uint64_t *bytes_out,
                                      struct ps_err *err);

/* Opens the original with this hash, whether a run has it or not. Free the stream, then close
 * *fd_out. */
enum ps_status ps_store_open_original_by_hash(struct ps_store *store, const char *sha256,
                                              struct ps_stream **out, int *fd_out,
                                              struct ps_err *err);

/* --- Writing a run --- */

/*
 * To publish a run, a caller creates a file for it (a part), which no reader sees. A writer fills
 * the part in a separate process, which reads untrusted bytes and is not trusted itself
 * (server/jobs). Then the part is checked, gets the properties of its run, and is published.
 */
struct ps_part;

enum ps_status ps_part_create(struct ps_store *store, struct ps_part **out, struct ps_err *err);
const char *ps_part_path(const struct ps_part *part);

/* Reserves quota for the growth of the file (quota.h). Call it from time to time during writing.
 * PS_FULL: it exceeds the quota. ps_part_publish calls it once more. */
enum ps_status ps_part_reserve_growth(struct ps_part *part, struct ps_err *err);

struct ps_new_run {
    const char *name;      /* the name that the user chose; "": the name of the file */
    const char *filename;  /* "": the title inside the profile, else its kind */
    const char *series;    /* "" for none */
    const char *user_name; /* "" unknown */
    const struct ps_tag *tags;
    size_t n_tags;
    int64_t upload;   /* id of the accepted upload; 0: none */
    const char *note; /* NULL or "" for none */
};

struct ps_published_run {
    char id[PS_ID_SIZE];
    bool already_existed; /* the shelf has these bytes already; nothing was published */
    uint64_t rows, repaired, rejected;
    char *name; /* malloc'ed */
};

/* Checks that the part has the tables of a run and nothing else, writes the properties of the run,
 * syncs, renames, and inserts the catalog row. After PS_OK the run survives power loss.
 * PS_CANCELLED: this run was removed after its upload was accepted. PS_INTERRUPTED: another server
 * has taken over the upload because it considered this server crashed. PS_INTERNAL: the part is
 * invalid; no perfshelf writer produces such a part. Frees the part also after a failure. */
enum ps_status ps_part_publish(struct ps_part *part, const struct ps_new_run *run, const char *kind,
                               const struct ps_original *original, struct ps_published_run *out,
                               struct ps_err *err);
/* Deletes the part. NULL is allowed. */
void ps_part_abort(struct ps_part *part);

/* --- Sources of line profiles --- */

#define PS_SOURCE_MAX ((uint64_t)16 << 20) /* maximum bytes of one source file */

struct ps_source {
    char sha256[PS_SHA256_SIZE];
    uint64_t bytes;
    bool changed;       /* written after the profile was made: its lines may have moved */
    struct ps_buf text; /* filled by ps_store_source_get; free it */
};

/* Attaches the file at fd to a run as `path` (as the profile names it), and replaces an earlier
 * one. Fills all fields of out except text. */
enum ps_status ps_store_source_attach(struct ps_store *store, const char *id, const char *path,
                                      int fd, bool changed, struct ps_source *out,
                                      struct ps_err *err);
/* Finds the source attached to a run as `path`. PS_NOT_FOUND if there is none. With want_text,
 * reads its text too. */
enum ps_status ps_store_source_get(struct ps_store *store, const char *id, const char *path,
                                   bool want_text, struct ps_source *out, struct ps_err *err);

/* A source file that is attached to a run. */
struct ps_attached_source {
    char *path;
    bool changed;
};
struct ps_attached_list {
    struct ps_attached_source *items;
    size_t n, cap;
};
enum ps_status ps_store_list_attached(struct ps_store *store, const char *id,
                                      struct ps_attached_list *out, struct ps_err *err);
void ps_attached_free(struct ps_attached_list *list);

/* The source files that a run measured, in the order of the run. Empty for kinds without line
 * measurements. */
struct ps_measured_file {
    char *path;      /* as recorded */
    bool has_source; /* the profile contains the text of its lines */
};
struct ps_measured_list {
    struct ps_measured_file *items;
    size_t n, cap;
};
enum ps_status ps_store_list_measured(struct ps_store *store, const char *id,
                                      struct ps_measured_list *out, struct ps_err *err);
void ps_measured_free(struct ps_measured_list *list);

/* --- Accepted uploads --- */

/* A file of the spool that was accepted for import. All pointers are borrowed. */
struct ps_accepted_upload {
    int64_t id;
    const char *path;
    const char *filename, *name, *series, *user_name, *note;
    const struct ps_tag *tags;
    size_t n_tags;
    /* key: path in the spool; value: the path as the sender names it */
    const struct ps_tag *sources;
    size_t n_sources;
    const char *sources_text; /* JSON of the sources; equal for uploads that share their sources */
    unsigned tries;           /* imports that were started but did not end */
    /* the job that imports it (job_rows.h); NULL: no job row is created */
    const struct ps_job_new *job_row;
    uint64_t job; /* number of that job; 0: none */
    struct ps_err
        err;       /* set by ps_upload_take_over: why it cannot be imported; path may be "" then */
    bool is_retry; /* it was postponed after an earlier ps_upload_take_over */
};

/* Records an upload. From then on its file survives the end of this process (with promised, also
 * power loss): the next server imports it. Reads all fields except id, tries, sources_text and job;
 * fills id and job. */
enum ps_status ps_upload_accept(struct ps_store *store, struct ps_accepted_upload *upload,
                                bool promised, struct ps_err *err);
/* Counts an import as started; with begins false, uncounts one that was stopped regularly. */
void ps_upload_count_try(struct ps_store *store, int64_t id, bool begins);
/* Call it when the import has succeeded or failed. Deletes the row of the upload and writes the
 * result of its job (job_rows.h) in the same transaction; job NULL: the upload has no job. The
 * caller then deletes the file. id 0: does nothing. */
void ps_upload_end(struct ps_store *store, int64_t id, const struct ps_job_row *job);
/* Postpones an import that has no space for its output. ps_upload_take_over reports the upload
 * again after some seconds, if this session looks for uploads of other sessions. The caller deletes
 * the file, which is fetched again then. */
void ps_upload_postpone(struct ps_store *store, int64_t id);
/* Takes over the accepted uploads of crashed sessions, and calls `take` once for each, the oldest
 * first. */
enum ps_status ps_upload_take_over(struct ps_store *store,
                                   void (*take)(void *user,
                                                const struct ps_accepted_upload *upload),
                                   void *user, struct ps_err *err);

/* For a shared store: starts a thread that looks for crashed servers about once a second, and calls
 * `tell` when there are uploads to take over. After ps_store_unwatch_others no call is in progress.
 * Does nothing for a folder. */
enum ps_status ps_store_watch_others(struct ps_store *store, void (*tell)(void *user), void *user,
                                     struct ps_err *err);
void ps_store_unwatch_others(struct ps_store *store); /* NULL is allowed */

/* An SQL statement that a user saved for all users. */
struct ps_saved_query {
    const char *kind; /* kind of the runs that it applies to; "" the shelf */
    const char *name, *sql;
    const char *user_name; /* "" unknown */
};
/* Saves a statement. Replaces one of the same kind and name if it belongs to the same user, or if
 * `any` is true; else PS_FORBIDDEN. */
enum ps_status ps_saved_query_put(struct ps_store *store, const struct ps_saved_query *saved,
                                  bool any, struct ps_err *err);
/* PS_NOT_FOUND if this user (with `any`: any user) has no such statement. */
enum ps_status ps_saved_query_remove(struct ps_store *store, int64_t id, const char *user_name,
                                     bool any, struct ps_err *err);

/* --- The catalog --- */

/* Whether a run of the catalog has no file in the current layout: an older perfshelf wrote the file
 * (it may still be readable), or the file is missing. Importing the same bytes again then replaces
 * the file, and keeps the name, series, note, tags and sources of the run. */
bool ps_run_outdated(struct ps_store *store, const char *id);
/* The ids of all such runs, each followed by a NUL. */
enum ps_status ps_store_list_outdated(struct ps_store *store, struct ps_buf *ids,
                                      struct ps_err *err);
/* Finds the run of an original. PS_NOT_FOUND without a message in err. */
enum ps_status ps_store_find(struct ps_store *store, const char *sha256, char id_out[PS_ID_SIZE],
                             struct ps_err *err);
/* Summary of a run. Free it with ps_run_brief_free. */
struct ps_run_brief {
    char kind[32];
    char *name, *user_name; /* user_name "": unknown */
    uint64_t rows, repaired, rejected;
};
enum ps_status ps_store_read_brief(struct ps_store *store, const char *id, struct ps_run_brief *out,
                                   struct ps_err *err);
void ps_run_brief_free(struct ps_run_brief *brief); /* frees its members */
/* Resolves RUN as users write it: an id, a unique prefix, a name, @1 (the newest), @2 ...,
 * baseline:SERIES. */
enum ps_status ps_store_resolve(struct ps_store *store, const char *run, char id_out[PS_ID_SIZE],
                                struct ps_err *err);
/* Resolves n such arguments in one snapshot of the catalog: @1 and @2 are different runs even while
 * other processes add and remove runs. err describes the first argument that matches no run. */
enum ps_status ps_store_resolve_all(struct ps_store *store, const char *const *runs, size_t n,
                                    char (*ids_out)[PS_ID_SIZE], struct ps_err *err);

struct ps_run_edit {
    const char *name, *series, *note; /* NULL: unchanged */
    /* With set_tags they replace all tags of the run. With merge_tags they are added or overwrite
     * tags with the same key; a NULL value removes the tag. */
    const struct ps_tag *tags;
    size_t n_tags;
    bool set_tags, merge_tags;
};
enum ps_status ps_store_edit(struct ps_store *store, const char *id, const struct ps_run_edit *edit,
                             struct ps_err *err);
/* Removes a run, which can be recovered for a day (deleted.h), and writes `user_name` ("": unknown)
 * to the removal log. */
enum ps_status ps_store_remove(struct ps_store *store, const char *id, const char *user_name,
                               struct ps_err *err);

/* Makes a run the baseline of its series, in place of another. PS_CONFLICT if it has no series. The
 * baseline is ignored while the run is in another series. */
enum ps_status ps_store_set_baseline(struct ps_store *store, const char *id, struct ps_err *err);
/* Unsets this run as a baseline. PS_NOT_FOUND if it is not a baseline. */
enum ps_status ps_store_clear_baseline_run(struct ps_store *store, const char *id,
                                           struct ps_err *err);
/* Unsets the baseline of a series. PS_NOT_FOUND if it has none. */
enum ps_status ps_store_clear_baseline(struct ps_store *store, const char *series,
                                       struct ps_err *err);

struct ps_log_entry {
    const char *name, *sha256,
        *user_name; /* sha256 "": the import failed before the hash was known */
    uint64_t bytes;
    const char *run_id;       /* "" when it failed */
    const struct ps_err *err; /* NULL or PS_OK: the import succeeded */
    double seconds;
};
/* Adds a row to the import log; also for failed imports. Its failure may be ignored: the command or
 * the job tells the user the result too. */
enum ps_status ps_store_log_import(struct ps_store *store, const struct ps_log_entry *entry,
                                   struct ps_err *err);

#endif
