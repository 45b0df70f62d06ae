/* SPDX-License-Identifier: MIT */
/* blobs_impl.h: what blobs.c and loose.c share. Nobody else includes it. */
#ifndef PS_REPLICA_BLOBS_IMPL_H
#define PS_REPLICA_BLOBS_IMPL_H

#include "server/replica/blobs.h"

#define PS_BLOB_WAIT_MS 5000 /* for a database that is away */
#define PS_BLOB_WINDOW  64   /* chunks that are asked for, or removed, by one statement */

/* A row of blob. */
struct ps_blob_row {
    char *place; /* NULL: there is none */
    int64_t bytes, chunks;
};
void ps_blob_forget(struct ps_blob_row *row);
/* Free it with ps_blob_forget. */
enum ps_status ps_blob_look(struct ps_pg *pg, const char *hash, struct ps_blob_row *out,
                            struct ps_err *err);
enum ps_status ps_blob_missing(const char *hash, struct ps_err *err); /* PS_NOT_FOUND */

/* Takes a place from its owner, and waits for what that is in the middle of: afterwards nobody adds
 * anything to it. */
enum ps_status ps_blob_let_go(struct ps_pg *pg, const char *place, struct ps_err *err);
/* The chunks, then the word about them: whoever stops in between leaves that. */
enum ps_status ps_blob_remove(struct ps_pg *pg, const char *place, struct ps_err *err);

#endif
