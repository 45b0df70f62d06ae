/* SPDX-License-Identifier: MIT */
/* redaction.h: one redaction of some runs on its way; what the files of this folder share. */
#ifndef PS_SHARE_REDACTION_H
#define PS_SHARE_REDACTION_H

#include "server/catalog/readers.h"
#include "server/runwrite/import_shared.h"
#include "server/runwrite/rewrite.h"
#include "server/share/scrub.h"

#define PS_REDACTED_CELLS 64
#define PS_SHARED_NOTE    "shared without its original"

struct ps_kept_params { /* of one template, a byte each: its markers, and which of them stay */
    struct ps_buf markers, keep;
};

struct ps_redaction {
    struct ps_scrub scrub;
    bool learning, whole; /* whole: the run at work keeps some arguments as they came */
    unsigned already;     /* what the run at work was shared without, when it came */
    /* the run at work */
    char kind[32];
    bool knows_labels;       /* `labels` is filled */
    struct ps_intern labels; /* ids of texts that name ranges which a program marked */
    struct ps_buf cells[PS_REDACTED_CELLS]; /* what became of the cells of a row */
    struct ps_kept_params *params;          /* by template id */
    size_t n_params, n_templates;           /* n_templates: rows of args_template so far */
    int64_t chunk;                          /* whose arguments `at` and `args` are; 0 none */
    struct ps_buf at, args;
};

void ps_redaction_free(struct ps_redaction *redaction); /* what is in it */

/* ps_rewrite_run for a run of a shelf. */
enum ps_status ps_share_rewrite(struct ps_store *store, const char *id, const char *path,
                                const struct ps_rewrite *how, struct ps_err *err);

/* Whether it is said what a column of a run file reveals. */
bool ps_redaction_has_class(const char *table, const char *column);
/* One column of the run at work, and one row, as struct ps_rewrite wants them (user: the
 * redaction). */
bool ps_redact_column(void *user, const char *table, const char *column, const char *type,
                      struct ps_err *err);
bool ps_redact_row(void *user, struct ps_row *row, struct ps_err *err);
/* Forgets what was known of the run at work; the next is of this kind. */
void ps_redact_begin(struct ps_redaction *redaction, const char *kind);

/* A template of arguments: what becomes of it is appended to out; it is remembered which of its
 * numbers stay. False: err says why it cannot be. */
bool ps_redact_template(struct ps_redaction *redaction, int64_t id, struct ps_str text,
                        struct ps_buf *out, struct ps_err *err);
/* Finds the names of annotations and NVTX ranges among the slices of the run at work. */
enum ps_status ps_redact_find_labels(struct ps_redaction *redaction, struct ps_db *db,
                                     struct ps_err *err);
/* A row of chunk_column. */
bool ps_redact_chunk(struct ps_redaction *redaction, struct ps_row *row, struct ps_err *err);

/* Whether the names of a run of this kind are what was run. */
bool ps_kind_names_commands(const char *kind);

/* What people say of a run, from the catalog. */
struct ps_share_labels {
    char kind[32], sha256[PS_SHA256_SIZE];
    const char *name, *series, *who, *note;
    struct ps_tag *tags;
    size_t n_tags;
    uint64_t bytes; /* of its original */
    struct ps_arena arena;
};
enum ps_status ps_share_labels_read(struct ps_store *store, const char *id,
                                    struct ps_share_labels *out, struct ps_err *err);
void ps_share_labels_free(struct ps_share_labels *labels);
void ps_share_labels_learn(struct ps_redaction *redaction, const struct ps_share_labels *labels);
/* Replaces them in their place. */
void ps_share_labels_redact(struct ps_redaction *redaction, struct ps_share_labels *labels);
/* Counts the values of other categories in the labels of a run. */
enum ps_status ps_share_labels_preview(struct ps_redaction *redaction, struct ps_store *store,
                                       const char *id, struct ps_err *err);

/* Learns from all these runs: what ps_redact_file needs before the first of them. */
enum ps_status ps_redact_learn(struct ps_redaction *redaction, struct ps_store *store,
                               const char (*ids)[PS_ID_SIZE], size_t n, struct ps_err *err);
/* Writes the run, redacted, into the empty file at `path`; NULL: nothing is written. */
enum ps_status ps_redact_file(struct ps_redaction *redaction, struct ps_store *store,
                              const char *id, const char *path, struct ps_err *err);
/* What ps_share_copy does, with files written anew also where nothing is redacted. */
enum ps_status ps_share_rewritten(struct ps_store *from, const char (*ids)[PS_ID_SIZE], size_t n,
                                  unsigned redact, struct ps_share_copy *out, struct ps_err *err);
/* The words of some categories as a JSON array. */
void ps_reveal_json(unsigned bits, struct ps_json *json);

#endif
