/* SPDX-License-Identifier: MIT */
/*
 * blobs.h: stores bytes by their content hash (base/content.h), in tables blob, chunk and loose of
 * schema/remote.sql. Rows of table kept refer to them.
 *
 * The bytes are stored in chunks under a place, a name that only one transfer uses. The row of blob
 * is inserted after the last chunk, so an incomplete blob is never visible. Chunks without a
 * reference are listed in table loose: a row of loose names their place from before the first chunk
 * until a row of kept refers to the blob (ps_blob_add_reference), and from the end of the last
 * reference until the last chunk is deleted (ps_blob_sweep). So after a crash at any time, each
 * chunk can be found from a row: from kept through blob, or from loose.
 *
 * Concurrent operations (add: ps_blob_add_reference, remove: ps_blob_remove_reference):
 *   add, remove, sweep     each is a transaction of the clock (clock.h) or part of one, together
 *                          with the rows of kept that it changes: they are serialized
 *   sender, sweep          a sender may be considered crashed although it is alive. The sweep first
 *                          clears the owner of the loose row. A sender adds chunks and the blob row
 *                          only in transactions that lock this row as its own; so it gets an error,
 *                          and sends again under another place
 *   sender, sender         of the same bytes: the second blob row is rejected, its chunks deleted
 *   sender, remove, sweep  a sender that finds the blob becomes the owner of its loose row,
 * inserted if there is none: so the blob is kept until the sender adds its reference, whoever
 * removes the others. It then reads the row of blob again, because a sweep may have deleted it
 * before. Only if a third session adds a reference and removes it again in between, or another
 * sender owned the row and ended, can the blob be gone: ps_blob_add_reference fails fetch, sweep
 * chunks deleted during the fetch are missing: PS_NOT_FOUND sweep, sweep           each checks
 * again inside its transaction, and deletes what it still may
 */
#ifndef PS_REPLICA_BLOBS_H
#define PS_REPLICA_BLOBS_H

#include "base/content.h"
#include "server/replica/pg.h"

#define PS_BLOB_CHUNK ((size_t)512 << 10)

/* Sends the bytes of fd, from its start, unless the database has them. If the database is
 * unreachable, retries for some seconds. `session` must be alive until ps_blob_add_reference.
 * `place` must be unique: <session>-<n>. PS_BAD_INPUT: the bytes do not have this hash. After a
 * failure, the next sweep deletes the bytes already sent; if the database is unreachable, the sweep
 * after the end of the session does. */
enum ps_status ps_blob_send(struct ps_pg *pg, const char *session, const char *place, int fd,
                            const char *hash, uint64_t bytes, struct ps_err *err);

/* Receives the next bytes. A status other than PS_OK ends the transfer. */
typedef enum ps_status ps_blob_receive(void *user, struct ps_str bytes, struct ps_err *err);

/* Passes the bytes to `take`, in order, and resumes after a lost connection. The caller verifies
 * the hash. PS_NOT_FOUND: there is no such blob. PS_IO: chunks are missing. */
enum ps_status ps_blob_fetch(struct ps_pg *pg, const char *hash, ps_blob_receive *take, void *user,
                             struct ps_err *err);

/* Inside a transaction of the clock that adds a reference to the blob: keeps the blob.
 * PS_NOT_FOUND: it must be sent again. */
enum ps_status ps_blob_add_reference(struct ps_pg *pg, const char *hash, struct ps_err *err);
/* Inside a transaction of the clock that removes a reference to the blob. A sweep checks whether
 * there are other references. */
enum ps_status ps_blob_remove_reference(struct ps_pg *pg, const char *hash, struct ps_err *err);

/* Deletes loose chunks without an owner, or whose owner is not alive or does not need the bytes
 * with this hash any more, each place in a transaction of its own. Any server may call it at any
 * time. Continues after a failure while the database is reachable; returns the first error. Starts
 * no further deletion after most_ms; *more is true then. *out (may be NULL): number of places that
 * are no longer loose. */
typedef bool ps_blob_is_needed(void *user, const char *session, const char *hash);
enum ps_status ps_blob_sweep(struct ps_pg *pg, ps_blob_is_needed *is_alive, void *user,
                             int64_t most_ms, bool *more, size_t *out, struct ps_err *err);

#endif
