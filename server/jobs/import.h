/* SPDX-License-Identifier: MIT */
/* import.h: imports one file and publishes the run. Used by `perfshelf add` and by the import
 * workers. */
#ifndef PS_JOBS_IMPORT_H
#define PS_JOBS_IMPORT_H

#include "server/catalog/store.h"
#include "server/sandbox/sandbox.h"

struct ps_import_request {
    /* readable from offset 0; remains the caller's. Copy a pipe to a file first. */
    int fd;
    const char *filename; /* for the run name and for messages; "" if there is none */
    const char *name;     /* NULL or "": the title of the profile, else the file name */
    const char *series, *user_name, *note; /* NULL or "": none */
    const char *collection;                /* see struct ps_new_run; NULL or "": none */
    const struct ps_tag *tags;
    size_t n_tags;
    const char *sha256; /* expected hash of the bytes; NULL: any */
    int64_t upload;     /* id of the accepted upload that contains the file; 0: none */
    bool is_reimport;   /* see struct ps_new_run */
    bool is_retried;    /* the import is retried if there is no space: PS_FULL is not logged */
    bool (*progress)(void *user, uint64_t done, uint64_t total,
                     uint64_t records); /* false: cancel; may be NULL */
    void *user;
    const struct ps_sandbox_limits *limits; /* of the importer process; NULL: the defaults */
};

struct ps_import_result {
    char id[PS_ID_SIZE];
    char sha256[PS_SHA256_SIZE];
    const char *kind;     /* static; NULL if the format is unknown */
    bool already_existed; /* the shelf already has a run of these bytes; nothing was imported */
    uint64_t bytes, rows, repaired, rejected;
    char *name; /* malloc'ed; free it with ps_import_result_free */
};

/* Imports one file. A failure leaves nothing but a row in the import log. */
enum ps_status ps_import_file(struct ps_store *store, const struct ps_import_request *request,
                              struct ps_import_result *out, struct ps_err *err);
/* Reports the outcome for one profile. `name` is the path of the member of an archive, "" for a
 * file that is one profile. err: PS_OK, or why the profile was not imported; reported also for
 * members that are not profiles. The callback must copy what it needs of the result. */
typedef void ps_import_outcome_fn(void *user, const char *name,
                                  const struct ps_import_result *result, const struct ps_err *err);

/* Imports a file, or each profile in an archive as a separate run with the tag archive=FILENAME.
 * Calls `on_outcome` for each profile. Stores the members, but not the archive. A damaged member
 * does not affect the others. Runs of a .perfshelf bundle keep the labels stored in the bundle;
 * series and note of the request, if set, replace those of the bundle, and tags of the request are
 * added. Returns PS_OK if there is at least one run, else the first error. */
enum ps_status ps_import_all(struct ps_store *store, const struct ps_import_request *request,
                             ps_import_outcome_fn *on_outcome, void *user, struct ps_err *err);
void ps_import_result_free(struct ps_import_result *result);

#endif
