/* SPDX-License-Identifier: MIT */
/* redaction.h: the state of one redaction of some runs; shared by the files of this folder. */
#ifndef PS_SHARE_REDACTION_H
#define PS_SHARE_REDACTION_H

#include "server/catalog/readers.h"
#include "server/runwrite/import_shared.h"
#include "server/runwrite/rewrite.h"
#include "server/share/scrub.h"

#define PS_REDACTED_CELLS 64
#define PS_SHARED_NOTE    "shared without its original"

/* The markers of one template, and which of them are kept; a byte each. */
struct ps_redacted_params {
    struct ps_buf markers, kept_markers;
};

struct ps_redaction {
    struct ps_scrub scrub;
    bool is_learning, has_whole_args; /* is_learning: the first pass, which only collects names.
                             has_whole_args: the run has arguments stored without a template */
    unsigned already_redacted; /* categories that were redacted in the run before it was imported */
    /* State of the current run. */
    char kind[32];
    unsigned texts;          /* of the kind: bits of enum ps_kind_texts */
    bool knows_labels;       /* `labels` is complete */
    struct ps_intern labels; /* ids of texts that are names of ranges marked by the program */
    struct ps_buf cells[PS_REDACTED_CELLS]; /* the redacted cells of a row */
    struct ps_redacted_params *params;      /* by template id */
    size_t n_params, n_templates;           /* n_templates: rows of args_template so far */
    int64_t chunk; /* the chunk of `arg_offsets` and `arg_bytes`; 0: none */
    struct ps_buf arg_offsets, arg_bytes;
};

void ps_redaction_free(struct ps_redaction *redaction); /* frees its members */

/* Calls ps_rewrite_run for a run of a shelf. */
enum ps_status ps_share_rewrite(struct ps_store *store, const char *id, const char *path,
                                const struct ps_rewrite_callbacks *how, struct ps_err *err);

/* Whether a column of a run file has a redaction class. */
bool ps_redaction_has_class(const char *table, const char *column);
/* The callbacks for a column and a row of struct ps_rewrite_callbacks (user: the redaction). */
bool ps_redact_column(void *user, const char *table, const char *column, const char *type,
                      struct ps_err *err);
bool ps_redact_row(void *user, struct ps_row *row, struct ps_err *err);
/* Resets the state of the current run; the next run is of this kind. */
void ps_redact_begin_run(struct ps_redaction *redaction, const char *kind);

/* Appends the redacted form of a template of arguments to out, and records which of its numbers are
 * kept. False: failed, see err. */
bool ps_redact_template(struct ps_redaction *redaction, int64_t id, struct ps_str text,
                        struct ps_buf *out, struct ps_err *err);
/* Finds the names of annotations and NVTX ranges among the slices of the current run. */
enum ps_status ps_redact_find_labels(struct ps_redaction *redaction, struct ps_db *db,
                                     struct ps_err *err);
/* Redacts a row of chunk_column. */
bool ps_redact_chunk(struct ps_redaction *redaction, struct ps_row *row, struct ps_err *err);

/* Whether the names in runs of this kind are commands that were measured. */
bool ps_kind_names_commands(const char *kind);

/* The labels that people gave a run, from the catalog. */
struct ps_share_labels {
    char kind[32], sha256[PS_SHA256_SIZE];
    const char *name, *series, *user_name, *note;
    struct ps_tag *tags;
    size_t n_tags;
    uint64_t bytes; /* bytes of its original */
    struct ps_arena arena;
};
enum ps_status ps_share_labels_read(struct ps_store *store, const char *id,
                                    struct ps_share_labels *out, struct ps_err *err);
void ps_share_labels_free(struct ps_share_labels *labels);
void ps_share_labels_learn(struct ps_redaction *redaction, const struct ps_share_labels *labels);
/* Redacts the labels in place. */
void ps_share_labels_redact(struct ps_redaction *redaction, struct ps_share_labels *labels);
/* Records values of other categories in the labels of a run, for the preview. */
enum ps_status ps_share_labels_preview(struct ps_redaction *redaction, struct ps_store *store,
                                       const char *id, struct ps_err *err);

/* Learns names from all these runs; must precede ps_redact_file. */
enum ps_status ps_redact_learn(struct ps_redaction *redaction, struct ps_store *store,
                               const char (*ids)[PS_ID_SIZE], size_t n, struct ps_err *err);
/* Writes the redacted run to the empty file at `path`; NULL: nothing is written. */
enum ps_status ps_redact_file(struct ps_redaction *redaction, struct ps_store *store,
                              const char *id, const char *path, struct ps_err *err);
/* Like ps_share_copy, but rewrites the run files even if nothing is redacted. */
enum ps_status ps_share_copy_rewritten(struct ps_store *from, const char (*ids)[PS_ID_SIZE],
                                       size_t n, unsigned redact, struct ps_share_copy *out,
                                       struct ps_err *err);
/* Writes the names of some categories as a JSON array. */
void ps_reveal_json(unsigned bits, struct ps_json *json);

#endif
