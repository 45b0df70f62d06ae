/* SPDX-License-Identifier: MIT */
/* import.h: one file, from bytes to a published run. What `perfshelf add` and the import workers
 * both call. */
#ifndef PS_JOBS_IMPORT_H
#define PS_JOBS_IMPORT_H

#include "server/catalog/store.h"
#include "server/sandbox/sandbox.h"

struct ps_import_request {
    int fd; /* readable from offset 0; stays the caller's. A pipe must be spooled first */
    const char *filename;            /* for the name and for messages; "" when there is none */
    const char *name;                /* NULL or "": the profile's own title, else the file's name */
    const char *series, *who, *note; /* NULL or "" for none */
    const struct ps_tag *tags;
    size_t n_tags;
    const char *sha256; /* what the bytes are to have; NULL: whatever they have */
    int64_t upload;     /* the accepted upload it comes from; 0: none */
    bool waits;         /* without room it is tried again: a full disk is no entry of the log */
    bool (*progress)(void *user, uint64_t done, uint64_t total,
                     uint64_t records); /* false: cancel; may be NULL */
    void *user;
    const struct ps_sandbox_limits *limits; /* of the process that reads it; NULL: the usual ones */
};

struct ps_import_result {
    char id[PS_ID_SIZE];
    char sha256[PS_SHA256_SIZE];
    const char *kind; /* static; NULL when nobody knows the bytes */
    bool already;     /* the shelf had these bytes; nothing was imported */
    uint64_t bytes, rows, repaired, rejected;
    char *name; /* malloc'ed; free with ps_import_result_free */
};

/* Imports one file. A failure leaves no trace but a row in the import log. */
enum ps_status ps_import_file(struct ps_store *store, const struct ps_import_request *request,
                              struct ps_import_result *out, struct ps_err *err);
/* What became of one profile of a file: `name` is that of the member of an archive, "" of a file
 * that is one profile. err: PS_OK, or why it is not on the shelf (members that are no profile too).
 * The result is the caller's. */
typedef void ps_import_told(void *user, const char *name, const struct ps_import_result *result,
                            const struct ps_err *err);

/* Imports a file, or each profile in an archive as a run of its own with the tag archive=FILENAME,
 * and tells of each as it ends. Only members are kept, not the archive. One that is damaged does
 * not spoil the others. A .perfshelf bundle says itself what its runs are called; series, note and
 * tags of the request are added. Returns PS_OK when at least one run is there; else why not. */
enum ps_status ps_import_all(struct ps_store *store, const struct ps_import_request *request,
                             ps_import_told *told, void *user, struct ps_err *err);
void ps_import_result_free(struct ps_import_result *result);

#endif
