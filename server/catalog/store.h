/* SPDX-License-Identifier: MIT */
/*
 * store.h: where runs live. One interface; nothing else in the house knows folders, files or SQL.
 *
 *   DIR/catalog.db             runs, tags, import log (SQLite, WAL): what may change
 *   DIR/runs/<id>.db           one SQLite file per run, never altered once published
 *   DIR/labels/<id>.json       what was said of a run since: name, tags, sources ... (labels.c)
 *   DIR/originals/<sha256>.gz  the bytes as they came in
 *   DIR/sources/<sha256>.gz    source files attached to line-level profiles
 *   DIR/spool/                 uploads on their way, and those that were accepted
 *   DIR/open/                  who has the shelf open (session.c)
 *   DIR/clock                  when the clock was right last (clock_check.h)
 *   DIR/cache/<hash>           where many servers share the store: files of runs, originals and
 *                              sources that were used last (cache.h); catalog.db is a mirror then
 *
 * Durable means: it survives kill -9 and power loss. Files are synced, then renamed into place,
 * then their folder is synced, then the row that refers to them is committed with synchronous=FULL.
 * A removal goes the other way: the row first, a day later the files (deleted.h, pending_delete.c).
 *
 * The id of a run is the first 16 hex digits of the SHA-256 of its original: the same bytes are the
 * same run on every shelf. Every function may be called from any thread. Several processes may have
 * one folder open (serve, add).
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
#define PS_LABEL_MAX 400  /* bytes of a name, a series, a tag's key or value that others send */
#define PS_TAGS_MAX  64   /* of a run */
#define PS_NOTE_MAX  4000 /* characters of a note */

/* A note that others send, with "\n" for each line break, into the arena. PS_BAD_REQUEST: it is
 * longer than PS_NOTE_MAX, no UTF-8, or holds another control character. */
enum ps_status ps_note_read(struct ps_arena *arena, const char *text, const char **out,
                            struct ps_err *err);

#define PS_BUNDLE_NAME "bundle.json" /* the first member of a .perfshelf file */

/* Opens DIR, makes what is missing, removes what an interrupted import left behind. Close with
 * ps_store_close. */
enum ps_status ps_store_open(const char *dir, struct ps_store **out, struct ps_err *err);
void ps_store_close(struct ps_store *store); /* NULL is fine */
/* Whether the folder holds a shelf; ps_store_open creates one where it does not. */
bool ps_store_exists(const char *dir);
/* Whether this user may only read the folder: then every change fails with PS_FORBIDDEN. */
bool ps_store_read_only(const struct ps_store *store);
const char *ps_store_dir(const struct ps_store *store);
/* Whether the database of such a store was away when it was looked for last. */
bool ps_store_is_away(const struct ps_store *store);
/* Such a store, as this opening of it sees it. */
struct ps_shared_store {
    char *place;                      /* host and database, for people; malloc'ed */
    uint64_t cache_bytes, cache_most; /* files that are here, and how many bytes they may be */
    uint64_t hits, misses;            /* files that were asked for and here; that were fetched */
    uint64_t fetched, evicted;        /* bytes, since it was opened */
};
/* False: it is none. */
bool ps_store_shared(struct ps_store *store, struct ps_shared_store *out);

/* A number that is different after anything in the catalog changed, by this process or another. */
int64_t ps_store_version(struct ps_store *store);
/* A number that stands for the file of a run as it is now: another one when it was imported again,
 * 0 when there is none, or the shelf is a private one. What another process did shows after
 * PS_MARK_US. */
#define PS_MARK_US 1000
uint64_t ps_run_mark(struct ps_store *store, const char *id);

/* --- Originals --- */

/* A new empty file in DIR/spool, open for writing. path_out: malloc'ed, the caller unlinks and
 * frees; it goes with the process that made it unless an accepted upload holds it. Without a store
 * it lies in $TMPDIR. */
enum ps_status ps_store_spool(struct ps_store *store, char **path_out, int *fd_out,
                              struct ps_err *err);
/* One without a name: written through one descriptor, then read through the other from its start;
 * it is gone when both are closed, which is the caller's, also of what a failure left open. */
enum ps_status ps_store_scratch(struct ps_store *store, int *write_fd, int *read_fd,
                                struct ps_err *err);

struct ps_original {
    char sha256[PS_SHA256_SIZE];
    uint64_t bytes;
};

/* A file on its way in: read once from offset 0 in a thread of its own, hashed and copied
 * compressed, beside whatever is done with it meanwhile. */
struct ps_ingest;
/* `where` is "originals" or "sources". fd stays open until ps_ingest_end, which takes *out in any
 * case. */
enum ps_status ps_ingest_begin(struct ps_store *store, const char *where, int fd,
                               struct ps_ingest **out, struct ps_err *err);
/* Whether a run of these bytes is on the shelf and not outdated, once that is known. Cheap. */
bool ps_ingest_is_known(const struct ps_ingest *intake);
/* Waits until the whole file was read; fills out as far as it was. With !keep only its hash is
 * still wanted. */
enum ps_status ps_ingest_wait(struct ps_ingest *intake, bool keep, struct ps_original *out,
                              struct ps_err *err);
/* After a wait: the copy is in place and on the disk, until ps_ingest_end or, when a row refers to
 * it by then, for good. */
enum ps_status ps_ingest_keep(struct ps_ingest *intake, struct ps_err *err);
/* Frees it and removes the copy unless a row refers to it by now. NULL is fine. */
void ps_ingest_end(struct ps_ingest *intake);
/* The bytes as they came in. Free the stream, then close *fd_out. */
enum ps_status ps_store_original(struct ps_store *store, const char *id, struct ps_stream **out,
                                 int *fd_out, uint64_t *bytes_out, struct ps_err *err);

/* The same of a hash, whether a run has it or not; fd_out likewise. */
enum ps_status ps_store_original_of(struct ps_store *store, const char *sha256,
                                    struct ps_stream **out, int *fd_out, struct ps_err *err);

/* --- Writing a run --- */

/*
 * Who publishes a run makes a file for it (a part), which no reader sees. A writer fills it, in a
 * process that reads bytes of others and is not trusted (server/jobs). Then the part is checked, is
 * told what run it is, and published.
 */
struct ps_part;

enum ps_status ps_part_create(struct ps_store *store, struct ps_part **out, struct ps_err *err);
const char *ps_part_path(const struct ps_part *part);

/* Claims what the file has grown by (quota.h); while it is written, now and then. PS_FULL: it is
 * over the quota. Publishing looks once more. */
enum ps_status ps_part_grown(struct ps_part *part, struct ps_err *err);

struct ps_new_run {
    const char *name;     /* what the person calls it; "": the file's name */
    const char *filename; /* "": the title the profile gives itself, else its kind */
    const char *series;   /* "" for none */
    const char *who;      /* "" unknown */
    const struct ps_tag *tags;
    size_t n_tags;
    int64_t upload;   /* the accepted upload it comes from; 0: none */
    const char *note; /* NULL or "" for none */
};

struct ps_published {
    char id[PS_ID_SIZE];
    bool already; /* somebody published these bytes in between */
    uint64_t rows, repaired, rejected;
    char *name; /* malloc'ed */
};

/* Checks that the part has the tables of a run and nothing else, writes what run it is, syncs,
 * renames, inserts the catalog row: after PS_OK the run survives power loss. PS_CANCELLED: this run
 * was removed after the upload it comes from was accepted. PS_INTERRUPTED: another server has that
 * upload by now, for it took this one for dead. PS_INTERNAL: no writer of ours left the
 * part so. Frees the part either way. */
enum ps_status ps_part_publish(struct ps_part *part, const struct ps_new_run *run, const char *kind,
                               const struct ps_original *original, struct ps_published *out,
                               struct ps_err *err);
/* Leaves no trace. NULL is fine. */
void ps_part_abort(struct ps_part *part);

/* --- Sources of line profiles --- */

#define PS_SOURCE_MAX ((uint64_t)16 << 20) /* bytes of one source file */

struct ps_source {
    char sha256[PS_SHA256_SIZE];
    uint64_t bytes;
    bool changed;       /* written after the profile was made: its lines may have moved */
    struct ps_buf text; /* filled by ps_store_source_get; free it */
};

/* Attaches the file at fd to a run as `path` (as the profile names it), in place of an earlier one.
 * Fills all of out but text. */
enum ps_status ps_store_source_attach(struct ps_store *store, const char *id, const char *path,
                                      int fd, bool changed, struct ps_source *out,
                                      struct ps_err *err);
/* What is attached to a run as `path`; PS_NOT_FOUND when nothing is. With want_text its bytes too.
 */
enum ps_status ps_store_source_get(struct ps_store *store, const char *id, const char *path,
                                   bool want_text, struct ps_source *out, struct ps_err *err);

/* What is attached to a run. */
struct ps_attached {
    char *path;
    bool changed;
};
struct ps_attached_list {
    struct ps_attached *at;
    size_t n, cap;
};
enum ps_status ps_store_attached(struct ps_store *store, const char *id,
                                 struct ps_attached_list *out, struct ps_err *err);
void ps_attached_free(struct ps_attached_list *list);

/* The source files that a run measured, in its own order; none for kinds that measure no lines. */
struct ps_measured {
    char *path;   /* as recorded */
    bool carried; /* the profile holds text of its lines */
};
struct ps_measured_list {
    struct ps_measured *at;
    size_t n, cap;
};
enum ps_status ps_store_measured(struct ps_store *store, const char *id,
                                 struct ps_measured_list *out, struct ps_err *err);
void ps_measured_free(struct ps_measured_list *list);

/* --- Accepted uploads --- */

/* A file of the spool whose import was promised. Everything is borrowed. */
struct ps_accepted {
    int64_t id;
    const char *path;
    const char *filename, *name, *series, *who, *note;
    const struct ps_tag *tags;
    size_t n_tags;
    const struct ps_tag *sources; /* path in the spool, and what the sender calls it */
    size_t n_sources;
    const char *sources_text;     /* equal for uploads that share their sources */
    unsigned tries;               /* imports that were begun and did not end */
    const struct ps_job_new *row; /* of the job that imports it (job_rows.h); NULL: it gets none */
    uint64_t job;                 /* the number of that one; 0: none */
    struct ps_err bad; /* of one that is taken: why it cannot be imported; path may be "" then */
    bool again;        /* it was taken before, and postponed */
};

/* From here on the file outlives this process, with promised also a power loss: the next server
 * imports it. Wants all but id, tries, sources_text and job; fills id and job. */
enum ps_status ps_upload_accept(struct ps_store *store, struct ps_accepted *upload, bool promised,
                                struct ps_err *err);
/* Its import begins; or was stopped in good order, and does not count. */
void ps_upload_try(struct ps_store *store, int64_t id, bool begins);
/* Its import has ended, well or badly: forgets it, and writes what became of its job (job_rows.h)
 * in the same transaction; job NULL: it has none. The caller then removes the file. id 0: nothing
 * happens. */
void ps_upload_end(struct ps_store *store, int64_t id, const struct ps_job_row *job);
/* There is no room for what its import writes: it is shown again in some seconds, if this opening
 * looks for what others left. The caller removes the file, which is fetched again then. */
void ps_upload_postpone(struct ps_store *store, int64_t id);
/* Makes the accepted uploads of sessions that died ours, and shows them, the oldest first, each
 * once. */
enum ps_status ps_upload_take(struct ps_store *store,
                              void (*take)(void *user, const struct ps_accepted *upload),
                              void *user, struct ps_err *err);

/* Where many servers share the store: about once a second, in a thread of its own, looks for
 * servers that died, and calls `tell` when there are uploads to take; until
 * ps_store_unwatch_others, after which no call is on its way. A folder is not looked at. */
enum ps_status ps_store_watch_others(struct ps_store *store, void (*tell)(void *user), void *user,
                                     struct ps_err *err);
void ps_store_unwatch_others(struct ps_store *store); /* NULL is fine */

/* A statement that somebody saved for the others. */
struct ps_saved {
    const char *kind; /* of the runs it is for; "" the shelf */
    const char *name, *sql;
    const char *who; /* "" unknown */
};
/* In place of an earlier one of that kind and name, if it is of the same person, or with `any`;
 * else PS_FORBIDDEN. */
enum ps_status ps_saved_put(struct ps_store *store, const struct ps_saved *saved, bool any,
                            struct ps_err *err);
/* PS_NOT_FOUND when there is none of that person, or with `any` none at all. */
enum ps_status ps_saved_remove(struct ps_store *store, int64_t id, const char *who, bool any,
                               struct ps_err *err);

/* --- The catalog --- */

/* Whether a run of the catalog has no file as this perfshelf writes them, for an older one wrote it
 * (which may be read nonetheless) or it is gone: an import of the same bytes puts a new file in its
 * place, and leaves its name, series, note, tags and sources as they are. */
bool ps_run_outdated(struct ps_store *store, const char *id);
/* The ids of all such runs, each with its NUL. */
enum ps_status ps_store_outdated(struct ps_store *store, struct ps_buf *ids, struct ps_err *err);
/* The run of an original; PS_NOT_FOUND without filling err's text for people. */
enum ps_status ps_store_find(struct ps_store *store, const char *sha256, char id_out[PS_ID_SIZE],
                             struct ps_err *err);
/* What a run is, in short. Free it with ps_run_brief_free. */
struct ps_run_brief {
    char kind[32];
    char *name, *who; /* who "": unknown */
    uint64_t rows, repaired, rejected;
};
enum ps_status ps_store_brief(struct ps_store *store, const char *id, struct ps_run_brief *out,
                              struct ps_err *err);
void ps_run_brief_free(struct ps_run_brief *brief); /* what is in it */
/* RUN as people write it: an id, a unique prefix, a name, @1 (the newest), @2 ..., baseline:SERIES.
 */
enum ps_status ps_store_resolve(struct ps_store *store, const char *run, char id_out[PS_ID_SIZE],
                                struct ps_err *err);
/* The same of n words, all in one snapshot of the catalog: @1 and @2 are different runs even while
 * others add and remove runs. err describes the first word that is no run. */
enum ps_status ps_store_resolve_all(struct ps_store *store, const char *const *runs, size_t n,
                                    char (*ids_out)[PS_ID_SIZE], struct ps_err *err);

struct ps_run_edit {
    const char *name, *series, *note; /* NULL: unchanged */
    /* With set_tags they replace all tags; with merge_tags they are set and the others stay, and
     * one whose value is NULL is removed. */
    const struct ps_tag *tags;
    size_t n_tags;
    bool set_tags, merge_tags;
};
enum ps_status ps_store_edit(struct ps_store *store, const char *id, const struct ps_run_edit *edit,
                             struct ps_err *err);
/* Takes a run off the shelf, from where it can be recovered for a day (deleted.h), and notes in the
 * removal log that `who` did ("": unknown). */
enum ps_status ps_store_remove(struct ps_store *store, const char *id, const char *who,
                               struct ps_err *err);

/* Makes a run the baseline of its series, in place of another; PS_CONFLICT when it has no series.
 * It is one as long as it is of that series. */
enum ps_status ps_store_pin(struct ps_store *store, const char *id, struct ps_err *err);
/* It is none any more; PS_NOT_FOUND when it was none. */
enum ps_status ps_store_unpin_run(struct ps_store *store, const char *id, struct ps_err *err);
/* The series has none any more; PS_NOT_FOUND when it had none. */
enum ps_status ps_store_unpin(struct ps_store *store, const char *series, struct ps_err *err);

struct ps_log_entry {
    const char *name, *sha256, *who; /* sha256 "" when it came not so far */
    uint64_t bytes;
    const char *run_id;       /* "" when it failed */
    const struct ps_err *err; /* NULL or PS_OK: it went well */
    double seconds;
};
/* One row of the import log, failures included. */
enum ps_status ps_store_log(struct ps_store *store, const struct ps_log_entry *entry,
                            struct ps_err *err);

#endif
