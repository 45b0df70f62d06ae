/* SPDX-License-Identifier: MIT */
/*
 * run_writer.h: writes a run file from the rows that an importer writes to its sink, and reads the
 * metadata of a run file. A writer belongs to one thread, usually of a sandboxed process: it is
 * given an open path and opens nothing else. schema/run.sql describes the file.
 *
 *     struct ps_writer *writer = NULL;
 *
 *     if (ps_writer_open(path, &options, &writer, err) == PS_OK &&
 *         ps_import_stream(raw, ps_writer_sink(writer), &picked, err) == PS_OK)
 *         ps_writer_end(writer, err);
 *     ps_writer_free(writer);
 */
#ifndef PS_RUNWRITE_RUN_WRITER_H
#define PS_RUNWRITE_RUN_WRITER_H

#include "importers/sink.h"
#include "server/runfile/db.h"

struct ps_tag;
struct ps_writer;

struct ps_writer_options {
    uint64_t input_bytes; /* approximate size of the input; 0: unknown */
    bool (*progress)(void *user, uint64_t done, uint64_t total,
                     uint64_t records);             /* false: cancel; may be NULL */
    int (*scratch)(void *user, struct ps_err *err); /* returns an empty unnamed file; -1: see err */
    void *user;
};

/* Creates the tables in the empty file. The writer's sink accepts the rows of an importer; the
 * first failure stays in sink->err. Opens nothing more afterwards. */
enum ps_status ps_writer_open(const char *path, const struct ps_writer_options *writing,
                              struct ps_writer **out, struct ps_err *err);
struct ps_sink *ps_writer_sink(struct ps_writer *writer);
/* The database of the file, for rows that are copied from another run file (import_shared.h). */
struct ps_db *ps_writer_db(struct ps_writer *writer);
/* Writes the rows that are known after all others, and commits: after PS_OK the file is
 * complete. */
enum ps_status ps_writer_end(struct ps_writer *writer, struct ps_err *err);
void ps_writer_free(struct ps_writer *writer); /* NULL is allowed */

/* One row of the catalog's table run. All strings are borrowed; note, tool and tool_version may be
 * NULL. */
struct ps_catalog_row {
    char id[PS_ID_SIZE];
    const char *sha256, *kind, *name, *series, *user_name, *note, *tool, *tool_version, *summary;
    int64_t created_ms;
    uint64_t bytes, db_bytes;
    int64_t upload; /* 0: none */
    struct ps_ledger ledger;
    struct ps_headline headline;
    const struct ps_tag *tags;
    size_t n_tags;
};

/* Metadata of a run file. If the file is not published yet, only what a writer knows is set:
 * headline, ledger, summary, tool and title; all else is "" or 0. */
struct ps_run_metadata {
    struct ps_catalog_row row; /* except id and db_bytes */
    const char *label;         /* the run's label when it was published */
    const char *title;         /* title in the profile */
};
/* Reads the metadata; the strings are allocated in the arena. */
enum ps_status ps_run_metadata_read(struct ps_db *db, struct ps_arena *arena,
                                    struct ps_run_metadata *out, struct ps_err *err);
const char *ps_run_schema(void); /* the tables of a run file as SQL */
/* Creates an empty run file at `path`, for an input of this size, and begins a transaction. */
enum ps_status ps_run_create(const char *path, uint64_t input_bytes, struct ps_db **out,
                             struct ps_err *err);
/* Fails unless the file has exactly the tables and views of a run file. */
enum ps_status ps_check_layout(struct ps_db *db, struct ps_err *err);

#endif
