/* SPDX-License-Identifier: MIT */
/*
 * store.h: a shelf and its runs. Other modules do not use the folders, files or tables of a shelf
 * directly. Further subjects have their own headers: readers.h (reading runs), tokens.h, quota.h,
 * retention.h, deleted.h, partial.h (resumable uploads), job_rows.h, changes.h, temp_shelf.h.
 *
 *   DIR/catalog.db             runs, tags, import log (SQLite, WAL): the mutable data
 *   DIR/runs/<id>.db           one SQLite file per run, never altered once published
 *   DIR/labels/<id>.json       changes since publication: name, tags, sources ... (labels.c)
 *   DIR/originals/<sha256>.gz  the original bytes of the profiles
 *   DIR/sources/<sha256>.gz    source files attached to line-level profiles
 *   DIR/spool/                 uploads in progress, and accepted uploads
 *   DIR/open/                  sessions that have the shelf open (session.c)
 *   DIR/names.db               index of the hottest names in the runs (names_db.h)
 *   DIR/clock                  when the wall clock was last known to be right (clock_check.h)
 *   DIR/cache/<hash>           where many servers share the store: recently used files of runs,
 *                              originals and sources (file_cache.h); catalog.db is a mirror then
 *
 * A durable change survives kill -9 and power loss. To add a file, perfshelf syncs it, renames it
 * to its final path, syncs its folder, and then commits the row that refers to it with
 * synchronous=FULL. To remove a run, it deletes the row first, and the files a day later
 * (deleted.h, pending_delete.c).
 *
 * The id of a run is the first 16 hex digits of the SHA-256 of its original: the same bytes have
 * the same id on every shelf. Every function may be called from any thread. Several processes may
 * have the same shelf open (for example `perfshelf serve` and `perfshelf add`).
 *
 * Every function may fail with PS_FORBIDDEN (this user may only read the shelf), PS_FULL (the disk
 * or the quota), PS_UNAVAILABLE (the database of a shared shelf cannot be reached) and PS_IO. Other
 * errors are documented at the function.
 *
 *     struct ps_store *store = NULL;
 *     char id[PS_ID_SIZE];
 *
 *     if (ps_store_open("/srv/shelf", &store, err) == PS_OK &&
 *         ps_store_resolve(store, "@1", id, err) == PS_OK)          the newest run
 *         ps_store_edit_run(store, id, &(struct ps_run_edit){.name = "after"}, err);
 *     ps_store_close(store);
 */
#ifndef PS_CATALOG_STORE_H
#define PS_CATALOG_STORE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stream.h"
#include "server/runfile/db.h"

struct ps_store;
struct ps_writer;
struct ps_new_job;
struct ps_job_row;

struct ps_tag {
    const char *key, *value;
};
#define PS_LABEL_MAX 400  /* maximum bytes of a client's name, series, tag key or tag value */
#define PS_TAGS_MAX  64   /* maximum tags of a run */
#define PS_NOTE_MAX  4000 /* maximum characters of a note */

/* Copies a note that a client sent into the arena, with "\n" for each line break. PS_BAD_REQUEST:
 * the note is longer than PS_NOTE_MAX, is not UTF-8, or contains control characters other than line
 * breaks. */
enum ps_status ps_note_read(struct ps_arena *arena, const char *text, const char **out,
                            struct ps_err *err);

#define PS_BUNDLE_NAME "bundle.json" /* name of the first member of a .perfshelf file */

/* Opens DIR, creates missing files and folders, and deletes the leftovers of interrupted imports.
 * Close the store with ps_store_close. */
enum ps_status ps_store_open(const char *dir, struct ps_store **out, struct ps_err *err);
void ps_store_close(struct ps_store *store); /* NULL is allowed */
/* Whether the folder contains a shelf. If not, ps_store_open creates a shelf in it. */
bool ps_store_exists(const char *dir);
/* Whether this user may only read the folder. If so, every change fails with PS_FORBIDDEN. */
bool ps_store_is_read_only(const struct ps_store *store);
const char *ps_store_dir(const struct ps_store *store);
/* Whether the database of a shared store was unreachable at the last attempt. */
bool ps_store_is_unreachable(const struct ps_store *store);
/* State of a store that several servers share, as this server sees it. */
struct ps_shared_store {
    char *location;                  /* host and database name, for display; malloc'ed */
    uint64_t cache_bytes, cache_max; /* bytes of the cached files; their maximum */
    uint64_t hits, misses; /* requests that the cache answered; requests that fetched a file */
    uint64_t fetched_bytes,
        evicted_bytes; /* bytes fetched and evicted since the store was opened */
};
/* Fills *out. False: the store is not shared. */
bool ps_store_describe_shared(struct ps_store *store, struct ps_shared_store *out);

/* Returns a number that changes whenever the catalog changes, by this process or another. */
int64_t ps_store_version(struct ps_store *store);
/* Returns a number that identifies the current file of a run. The number changes when the run is
 * imported again. 0: there is no file, or the shelf is private (temp_shelf.h). Changes by other
 * processes are visible after PS_RUN_MARK_CACHE_US microseconds. */
#define PS_RUN_MARK_CACHE_US 1000
uint64_t ps_run_mark(struct ps_store *store, const char *id);

/* --- Originals --- */

/* Creates an empty file in DIR/spool (in $TMPDIR if store is NULL), open for writing. The caller
 * unlinks and frees the malloc'ed *path_out. If the process ends without unlinking a file in
 * DIR/spool, a later session deletes it unless an accepted upload refers to it. */
enum ps_status ps_store_create_spool_file(struct ps_store *store, char **path_out, int *fd_out,
                                          struct ps_err *err);
/* Creates a file without a name. The caller writes through *write_fd, then reads from the start
 * through *read_fd. The caller closes both descriptors, also after a failure (-1: not open); the
 * kernel then deletes the file. */
enum ps_status ps_store_create_scratch_file(struct ps_store *store, int *write_fd, int *read_fd,
                                            struct ps_err *err);

struct ps_original {
    char sha256[PS_SHA256_SIZE];
    uint64_t bytes;
};

/* An original or a source that a caller adds: a separate thread reads the file once from offset 0,
 * computes its hash and writes a compressed copy. Other threads may use the file meanwhile. */
struct ps_ingest;
/* Starts to read fd. `where` is "originals" or "sources". fd must stay open until ps_ingest_end,
 * which the caller must call even if this function fails. */
enum ps_status ps_ingest_begin(struct ps_store *store, const char *where, int fd,
                               struct ps_ingest **out, struct ps_err *err);
/* Whether the shelf has an up-to-date run of these bytes. False until the hash is computed. Does
 * not block. */
bool ps_ingest_is_known(const struct ps_ingest *ingest);
/* Waits until the file was read completely, and sets *out to its hash and size. `keep` false: the
 * caller needs only the hash, so no more of the copy is written. */
enum ps_status ps_ingest_wait(struct ps_ingest *ingest, bool keep, struct ps_original *out,
                              struct ps_err *err);
/* After ps_ingest_wait: syncs the copy and moves it to its final path. ps_ingest_end deletes the
 * copy unless a row refers to it by then. */
enum ps_status ps_ingest_keep(struct ps_ingest *ingest, struct ps_err *err);
/* Frees `ingest`, and deletes the copy unless a row refers to it. NULL is allowed. */
void ps_ingest_end(struct ps_ingest *ingest);
/* Opens the original bytes of a run. Free the stream, then close *fd_out. */
enum ps_status ps_store_open_original(struct ps_store *store, const char *id,
                                      struct ps_stream **out, int *fd_out, uint64_t *bytes_out,
                                      struct ps_err *err);

/* Opens the original with this hash, even if no run refers to it. Free the stream, then close
 * *fd_out. */
enum ps_status ps_store_open_original_by_hash(struct ps_store *store, const char *sha256,
                                              struct ps_stream **out, int *fd_out,
                                              struct ps_err *err);

/* --- Writing a run --- */

/*
 * To publish a run, a caller creates a part: the file of the run, invisible to readers. An importer
 * process, which reads untrusted bytes and is not trusted itself (server/jobs), fills the part.
 * Then ps_part_publish checks the part, writes the properties of the run into it, and publishes it.
 */
struct ps_part;

enum ps_status ps_part_create(struct ps_store *store, struct ps_part **out, struct ps_err *err);
const char *ps_part_path(const struct ps_part *part);

/* Reserves quota for the growth of the part (quota.h). Call it repeatedly while the part is
 * written. PS_FULL: the part exceeds the quota. ps_part_publish calls it once more. */
enum ps_status ps_part_reserve_growth(struct ps_part *part, struct ps_err *err);

struct ps_new_run {
    const char *name;     /* the name that the user chose; "": the name is taken from `filename` */
    const char *filename; /* name or path of the uploaded file; "": the run is named by the title in
                             the profile, else by its kind */
    const char *series;   /* "": no series, or that of the collection */
    const char *user_name; /* "": unknown user */
    const struct ps_tag *tags;
    size_t n_tags;
    int64_t upload;   /* id of the accepted upload; 0: none */
    const char *note; /* NULL or "": no note */
    bool is_reimport; /* from an original of the shelf: a run that was deleted remains deleted */
    /* the folder or archive with the file; NULL or "": none. If the profile says what its runs have
     * in common, they are a series of the collection. */
    const char *collection;
};

struct ps_published_run {
    char id[PS_ID_SIZE];
    bool already_existed; /* the shelf has an up-to-date run of these bytes, so nothing was
                             published */
    uint64_t rows, repaired, rejected;
    char *name; /* malloc'ed */
};

/* Checks that the part has the tables of a run and nothing else, writes the properties of the run,
 * syncs and renames the file, and inserts the catalog row. After PS_OK the run survives power loss.
 * PS_CANCELLED: a user removed the run after its upload was accepted. PS_INTERRUPTED: another
 * server has taken over the upload because it considered this server crashed. PS_INTERNAL: the part
 * is invalid; no perfshelf writer produces such a part. Frees the part also after a failure. */
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
    bool is_changed;    /* the file was modified after the profile was recorded, so line numbers may
                        not    match */
    struct ps_buf text; /* filled by ps_store_source_get; free it */
};

/* Attaches the file at fd to a run as the source `path`, the path in the profile. Replaces an
 * earlier source of that path. Fills all members of *out except text. PS_LIMIT: the file has more
 * than PS_SOURCE_MAX bytes. */
enum ps_status ps_store_source_attach(struct ps_store *store, const char *id, const char *path,
                                      int fd, bool changed, struct ps_source *out,
                                      struct ps_err *err);
/* Finds the source that is attached to a run as `path`. PS_NOT_FOUND: there is none. With
 * want_text, also reads its text. */
enum ps_status ps_store_source_get(struct ps_store *store, const char *id, const char *path,
                                   bool want_text, struct ps_source *out, struct ps_err *err);

/* A source file that is attached to a run. */
struct ps_attached_source {
    char *path;
    bool is_changed;
};
struct ps_attached_list {
    struct ps_attached_source *items;
    size_t n, cap;
};
enum ps_status ps_store_list_attached(struct ps_store *store, const char *id,
                                      struct ps_attached_list *out, struct ps_err *err);
void ps_attached_free(struct ps_attached_list *list);

/* A source file whose lines a profile measured. ps_store_list_measured lists these files in the
 * order of the run file; kinds without line measurements have none. */
struct ps_measured_file {
    char *path;      /* path as the profile has it */
    bool has_source; /* the profile contains the text of its lines */
};
struct ps_measured_list {
    struct ps_measured_file *items;
    size_t n, cap;
};
enum ps_status ps_store_list_measured(struct ps_store *store, const char *id,
                                      struct ps_measured_list *out, struct ps_err *err);
void ps_measured_free(struct ps_measured_list *list);
/* Sets *named to whether the profile of a run names the file `path`, exactly as written. */
enum ps_status ps_store_names_file(struct ps_store *store, const char *id, const char *path,
                                   bool *named, struct ps_err *err);

/* --- Accepted uploads --- */

/* An uploaded file in the spool that a server accepted for import. All pointers are borrowed. */
struct ps_accepted_upload {
    int64_t id;
    const char *path;
    const char *filename, *name, *series, *user_name, *note;
    const struct ps_tag *tags;
    size_t n_tags;
    /* key: path in the spool; value: path in the profile, as the sender names it */
    const struct ps_tag *sources;
    size_t n_sources;
    const char *sources_text; /* JSON of the sources; equal for uploads that share their sources */
    unsigned n_tries; /* number of imports of this upload that were started and did not end */
    /* the job that imports the upload (job_rows.h); NULL: no job row is inserted */
    const struct ps_new_job *new_job;
    uint64_t job_id; /* number of the job that imports the upload; 0: none */
    struct ps_err
        err; /* set by ps_upload_take_over if the upload cannot be imported; path may be "" then */
    bool is_retry; /* ps_upload_take_over reported the upload before, and it was postponed */
};

/* Records an upload. If this process ends before the import, the next server imports the upload;
 * with `promised`, even after power loss. Reads all members except id, tries, sources_text and job;
 * fills id and job. */
enum ps_status ps_upload_accept(struct ps_store *store, struct ps_accepted_upload *upload,
                                bool promised, struct ps_err *err);
/* Adds 1 to the tries of the upload when an import begins. With `begins` false, subtracts 1,
 * because the server stopped the import regularly. */
void ps_upload_count_try(struct ps_store *store, int64_t id, bool begins);
/* Ends an upload whose import has succeeded or failed. Deletes the row of the upload and writes the
 * result of its job (job_rows.h) in one transaction; job NULL: the upload has no job. The caller
 * then deletes the file. id 0: does nothing. */
void ps_upload_end(struct ps_store *store, int64_t id, const struct ps_job_row *job);
/* Postpones an import, for example because the disk is full. A later call of ps_upload_take_over
 * reports the upload again, after at least 3 seconds, and fetches its files again; the caller
 * deletes its copies. */
void ps_upload_postpone(struct ps_store *store, int64_t id);
/* Takes over the accepted uploads of crashed sessions. Calls `take` for each of them and for each
 * postponed upload whose time has come, the oldest first. */
enum ps_status ps_upload_take_over(struct ps_store *store,
                                   void (*take)(void *user,
                                                const struct ps_accepted_upload *upload),
                                   void *user, struct ps_err *err);

/* In a shared store: starts a thread that looks for crashed servers about once a second, and calls
 * `tell` when there are uploads to take over. When ps_store_unwatch_others returns, no call is in
 * progress. Does nothing for a shelf in a folder. */
enum ps_status ps_store_watch_others(struct ps_store *store, void (*tell)(void *user), void *user,
                                     struct ps_err *err);
void ps_store_unwatch_others(struct ps_store *store); /* NULL is allowed */

/* An SQL statement that a user saved for all users. */
struct ps_saved_query {
    const char *kind; /* kind of the runs to which the statement applies; "": the whole shelf */
    const char *name, *sql;
    const char *user_name; /* "": unknown user */
};
/* Saves a statement. Replaces a statement with the same kind and name if it belongs to the same
 * user or `any` is true. PS_FORBIDDEN: it belongs to another user, or the shelf has the maximum
 * number of statements. */
enum ps_status ps_saved_query_put(struct ps_store *store, const struct ps_saved_query *saved,
                                  bool any, struct ps_err *err);
/* Removes a saved statement. PS_NOT_FOUND: there is none with this id, or it belongs to another
 * user and `any` is false. */
enum ps_status ps_saved_query_remove(struct ps_store *store, int64_t id, const char *user_name,
                                     bool any, struct ps_err *err);

/* A text that a user wrote at a time of a trace. */
struct ps_timeline_note {
    int64_t t_ns;
    const char *area;      /* the area that the text is about, as in URLs; "": none */
    const char *text;      /* 1 to PS_TIMELINE_NOTE_BYTES bytes */
    const char *user_name; /* "": unknown user */
};
#define PS_TIMELINE_NOTE_BYTES 2000
#define PS_TIMELINE_AREA_BYTES 1000
#define PS_TIMELINE_NOTES_MAX  200 /* maximum notes of a run */
#define PS_TIMELINE_NOTE_ID    13  /* bytes of an id with its NUL */

/* Checks a text that a client sent, and copies it into the arena with "\n" for each line break.
 * PS_BAD_REQUEST: it is empty, longer than PS_TIMELINE_NOTE_BYTES or not UTF-8, or contains control
 * characters other than line breaks. */
enum ps_status ps_timeline_note_read_text(struct ps_arena *arena, const char *text,
                                          const char **out, struct ps_err *err);
/* Checks the area of a note: digits and the characters -@,.:cm up to PS_TIMELINE_AREA_BYTES. */
enum ps_status ps_timeline_note_check_area(const char *area, struct ps_err *err);
/* Adds a note to a run. PS_NOT_FOUND: there is no such run. PS_LIMIT: it has the maximum number of
 * notes. */
enum ps_status ps_timeline_note_add(struct ps_store *store, const char *run,
                                    const struct ps_timeline_note *note,
                                    char id[PS_TIMELINE_NOTE_ID], struct ps_err *err);
/* Changes of a note; NULL: the member stays. */
struct ps_timeline_note_edit {
    const int64_t *t_ns;
    const char *area, *text;
};
/* Changes or removes a note. PS_NOT_FOUND: there is no such note. PS_FORBIDDEN: another user wrote
 * it and `any` is false. */
enum ps_status ps_timeline_note_change(struct ps_store *store, const char *run, const char *id,
                                       const struct ps_timeline_note_edit *edit,
                                       const char *user_name, bool any, struct ps_err *err);
enum ps_status ps_timeline_note_remove(struct ps_store *store, const char *run, const char *id,
                                       const char *user_name, bool any, struct ps_err *err);

/* --- Calls of tools by AI agents --- */

struct ps_agent_call {
    char tool[40];
    char run[PS_LABEL_MAX + 1]; /* the argument run, as it was written; "": none */
    const char *user_name;      /* "" unknown */
    const char *code, *text;    /* of the error; NULL if the call succeeded */
    double seconds;
};
/* Adds a call to the log, which GET activity lists. The log survives a crash of the program, but
 * the newest calls may be lost with the power. PS_FORBIDDEN: the shelf cannot be written. */
enum ps_status ps_agent_call_log(struct ps_store *store, const struct ps_agent_call *call,
                                 struct ps_err *err);

/* --- The catalog --- */

/* Whether the file of a run is missing, or an older perfshelf wrote it in an older layout, which
 * may still be readable. Importing the original of an outdated run replaces the file, and keeps the
 * name, series, note, tags and sources of the run. */
bool ps_run_is_outdated(struct ps_store *store, const char *id);
/* Appends the ids of all outdated runs, each followed by a NUL. */
enum ps_status ps_store_list_outdated(struct ps_store *store, struct ps_buf *ids,
                                      struct ps_err *err);
/* Finds the run of the original with this hash. PS_NOT_FOUND, without a message: there is none. */
enum ps_status ps_store_find_by_hash(struct ps_store *store, const char *sha256,
                                     char id_out[PS_ID_SIZE], struct ps_err *err);
/* Sets *out to whether a run has a tag with this key. */
enum ps_status ps_store_has_tag(struct ps_store *store, const char *id, const char *key, bool *out,
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
/* Finds the run that a user means by `run`: an id, a name, a unique prefix of an id, @1 (the newest
 * run), @2 ..., baseline:SERIES. */
enum ps_status ps_store_resolve(struct ps_store *store, const char *run, char id_out[PS_ID_SIZE],
                                struct ps_err *err);
/* Resolves n arguments like ps_store_resolve, in one snapshot of the catalog: @1 and @2 are
 * different runs even while other processes add and remove runs. err describes the first argument
 * that matches no run or several. */
enum ps_status ps_store_resolve_all(struct ps_store *store, const char *const *runs, size_t n,
                                    char (*ids_out)[PS_ID_SIZE], struct ps_err *err);

struct ps_run_edit {
    const char *name, *series, *note; /* NULL: unchanged */
    /* With set_tags, these tags replace all tags of the run. With merge_tags, each tag is added or
     * overwrites the tag with the same key; a NULL value removes that tag. */
    const struct ps_tag *tags;
    size_t n_tags;
    bool set_tags, merge_tags;
};
enum ps_status ps_store_edit_run(struct ps_store *store, const char *id,
                                 const struct ps_run_edit *edit, struct ps_err *err);
/* Removes a run, which can be recovered for a day (deleted.h), and writes `user_name` ("": unknown)
 * to the removal log. */
enum ps_status ps_store_remove_run(struct ps_store *store, const char *id, const char *user_name,
                                   struct ps_err *err);

/* Makes a run the baseline of its series, and replaces an earlier baseline. PS_CONFLICT: the run
 * has no series. If the run moves to another series, it is not a baseline while it is there. */
enum ps_status ps_store_set_baseline(struct ps_store *store, const char *id, struct ps_err *err);
/* Removes the baseline that is this run. PS_NOT_FOUND: the run is not a baseline. */
enum ps_status ps_store_clear_baseline_run(struct ps_store *store, const char *id,
                                           struct ps_err *err);
/* Removes the baseline of a series. PS_NOT_FOUND: the series has none. */
enum ps_status ps_store_clear_baseline(struct ps_store *store, const char *series,
                                       struct ps_err *err);

struct ps_log_entry {
    const char *name, *sha256,
        *user_name; /* sha256 "": the import failed before the hash was known */
    uint64_t bytes;
    const char *run_id;       /* "": the import failed */
    const struct ps_err *err; /* NULL or PS_OK: the import succeeded */
    double seconds;
};
/* Adds a row to the import log, also for a failed import. The caller may ignore a failure of this
 * function, since the command or the job also reports the result to the user. */
enum ps_status ps_store_log_import(struct ps_store *store, const struct ps_log_entry *entry,
                                   struct ps_err *err);

#endif
