/* SPDX-License-Identifier: MIT */
/*
 * run_writer.h: writes a run file from the rows that an importer writes to the sink of the writer,
 * and reads the metadata of a run file. A writer belongs to one thread, usually of a sandboxed
 * process: after ps_writer_open it opens no files. schema/run.sql describes the file.
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

#include "importers/records/run.h"
#include "server/runfile/db.h"

struct ps_sink;
struct ps_tag;
struct ps_writer;

struct ps_writer_options {
    uint64_t input_bytes; /* approximate bytes of the input; 0: unknown */
    /* `done` and `total`: bytes of the input. False: cancel. May be NULL. */
    bool (*progress)(void *user, uint64_t done, uint64_t total, uint64_t records);
    /* Returns the descriptor of an empty file without a name; -1: it failed, see err. */
    int (*create_scratch)(void *user, struct ps_err *err);
    void *user;
};

/* Creates the tables of a run in the empty file at `path`. The sink of the writer accepts the rows
 * of an importer, and stores its first error in sink->err. */
enum ps_status ps_writer_open(const char *path, const struct ps_writer_options *writing,
                              struct ps_writer **out, struct ps_err *err);
struct ps_sink *ps_writer_sink(struct ps_writer *writer);
/* Returns the database of the file, for rows that are copied from another run file
 * (import_shared.h). */
struct ps_db *ps_writer_db(struct ps_writer *writer);
/* Writes the collected sums, and commits. After PS_OK the file is complete. */
enum ps_status ps_writer_end(struct ps_writer *writer, struct ps_err *err);
void ps_writer_free(struct ps_writer *writer); /* NULL is allowed */

/* A row of table run of the catalog. All strings are borrowed; note, tool and tool_version may be
 * NULL. */
struct ps_catalog_row {
    char id[PS_ID_SIZE];
    const char *sha256, *kind, *name, *series, *user_name, *note, *tool, *tool_version, *summary;
    int64_t created_ms, first_layout; /* first_layout: see ps_first_layout */
    uint64_t bytes, db_bytes;
    int64_t upload;   /* id of the accepted upload; 0: none */
    bool is_reimport; /* see struct ps_new_run */
    struct ps_ledger ledger;
    struct ps_headline headline;
    const struct ps_tag *tags;
    size_t n_tags;
};

/* Metadata of a run file. Before its publication, a file has only headline, ledger, summary, tool,
 * tool_version and title; all other members are "" or 0. */
struct ps_run_metadata {
    struct ps_catalog_row row; /* id and db_bytes are not set */
    const char *label;         /* label of the run at its publication, JSON; "": none */
    const char *title;         /* title of the profile; "": none */
    /* what runs of one collection have in common that can be compared, such as machine and
     * environment; "": the runs of a collection are no series */
    const char *series;
    const char *commit; /* commit that was measured, as the profile states it; "": none */
};
/* Reads the metadata. Allocates the strings in the arena. */
enum ps_status ps_run_metadata_read(struct ps_db *db, struct ps_arena *arena,
                                    struct ps_run_metadata *out, struct ps_err *err);
const char *ps_run_schema(void); /* SQL that creates the tables of a run file */
/* Creates the tables of a run in the empty file at `path`, in a transaction that the caller
 * commits. input_bytes: approximate bytes of the input; 0: unknown. */
enum ps_status ps_run_create(const char *path, uint64_t input_bytes, struct ps_db **out,
                             struct ps_err *err);
/* Fails with PS_INTERNAL unless the database has exactly the tables and views of schema/run.sql. */
enum ps_status ps_check_layout(struct ps_db *db, struct ps_err *err);

#endif
