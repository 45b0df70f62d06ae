/* SPDX-License-Identifier: MIT */
/* redaction.h: the state of one redaction of runs, shared by the files of this folder. */
#ifndef PS_SHARE_REDACTION_H
#define PS_SHARE_REDACTION_H

#include "server/catalog/readers.h"
#include "server/runwrite/import_shared.h"
#include "server/runwrite/rewrite.h"
#include "server/share/scrub.h"

#define PS_REDACTED_CELLS_MAX 64
#define PS_SHARED_NOTE        "shared without its original"

/* The markers of one template, a byte each. kept_markers: for each marker, 1 if it is kept, else 0.
 */
struct ps_redacted_params {
    struct ps_buf markers, kept_markers;
};

struct ps_redaction {
    struct ps_scrub scrub;
    /* is_learning: this is the first pass, which only collects names. has_whole_args: the run has
     * arguments without a template. */
    bool is_learning, has_whole_args;
    unsigned already_redacted; /* categories that were redacted before the run was imported; bits of
                                  enum ps_reveal */
    /* State of the current run. */
    char kind[32];
    unsigned kind_texts; /* bits of enum ps_kind_texts of the kind */
    bool knows_labels;   /* `labels` and `codes` are complete */
    /* text ids: labels, of the names that the program chose; codes, of names of code, categories
     * and shapes */
    struct ps_intern labels, codes;
    struct ps_buf cells[PS_REDACTED_CELLS_MAX]; /* redacted cells of the current row, by column */
    struct ps_redacted_params *params;          /* indexed by template id */
    size_t n_params, n_templates;               /* n_templates: rows of args_template read so far */
    int64_t chunk; /* id of the chunk in `arg_offsets` and `arg_bytes`; 0: none */
    struct ps_buf arg_offsets, arg_bytes;
};

void ps_redaction_free(struct ps_redaction *redaction); /* frees its members */

/* Calls ps_rewrite_run for a run of a shelf. */
enum ps_status ps_share_rewrite_run(struct ps_store *store, const char *id, const char *path,
                                    const struct ps_rewrite_callbacks *how, struct ps_err *err);

/* Callback of struct ps_rewrite_callbacks; `user` is the struct ps_redaction. */
bool ps_redact_row(void *user, struct ps_rewritten_row *row, struct ps_err *err);
/* Resets the state of the current run, and begins a run of this kind. */
void ps_redact_begin_run(struct ps_redaction *redaction, const char *kind);

/* Appends the redacted template of arguments `id` to out, and records which of its markers are
 * kept. False: failed, see err. */
bool ps_redact_template(struct ps_redaction *redaction, int64_t id, struct ps_str text,
                        struct ps_buf *out, struct ps_err *err);
/* Collects the text ids of the names that the program chose in the current run in `labels`: those
 * of annotations, NVTX ranges, instants and async spans; and in `codes` those of all other slices.
 */
enum ps_status ps_redact_find_labels(struct ps_redaction *redaction, struct ps_db *db,
                                     struct ps_err *err);
/* Redacts a row of table chunk_column. False: failed, see err. */
bool ps_redact_chunk(struct ps_redaction *redaction, struct ps_rewritten_row *row,
                     struct ps_err *err);

/* Whether the names in runs of this kind are the commands that were measured. */
bool ps_kind_has_command_names(const char *kind);

/* The labels that users gave a run, from the catalog. */
struct ps_share_labels {
    char kind[32], sha256[PS_SHA256_SIZE];
    const char *name, *series, *user_name, *note;
    struct ps_tag *tags;
    size_t n_tags;
    uint64_t bytes; /* bytes of the original */
    struct ps_arena arena;
};
enum ps_status ps_share_labels_read(struct ps_store *store, const char *id,
                                    struct ps_share_labels *out, struct ps_err *err);
void ps_share_labels_free(struct ps_share_labels *labels);
void ps_share_labels_learn(struct ps_redaction *redaction, const struct ps_share_labels *labels);
/* Replaces the labels by redacted labels. */
void ps_share_labels_redact(struct ps_redaction *redaction, struct ps_share_labels *labels);
/* Records values of other categories than labels in the labels of a run, for the preview. */
enum ps_status ps_share_labels_preview(struct ps_redaction *redaction, struct ps_store *store,
                                       const char *id, struct ps_err *err);

/* Learns the names in all these runs. Call it before ps_redact_file. */
enum ps_status ps_redact_learn_names(struct ps_redaction *redaction, struct ps_store *store,
                                     const char (*ids)[PS_ID_SIZE], size_t n, struct ps_err *err);
/* Writes the redacted run to the empty file at `path`. NULL: redacts without writing, for the
 * preview. */
enum ps_status ps_redact_file(struct ps_redaction *redaction, struct ps_store *store,
                              const char *id, const char *path, struct ps_err *err);
/* Like ps_share_copy_runs, but rewrites the run files even if nothing is redacted. */
enum ps_status ps_share_copy_rewritten(struct ps_store *from, const char (*ids)[PS_ID_SIZE],
                                       size_t n, unsigned redact, struct ps_share_copy *out,
                                       struct ps_err *err);
/* Writes the names of the categories in `bits` as a JSON array. */
void ps_reveal_write_json(unsigned bits, struct ps_json *json);

#endif
