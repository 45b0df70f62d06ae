/* SPDX-License-Identifier: MIT */
/*
 * blobs.h: bytes by their content (base/content.h), in tables blob, chunk and loose of
 * schema/remote.sql. What refers to them is table kept.
 *
 * Bytes lie in chunks under a place, which is that of one sending and nobody else's; row blob comes
 * when all are there: half of them are never seen. What nothing refers to yet, or no more, is
 * loose: row loose names its place from before the first chunk until somebody refers to the blob
 * (ps_blob_tie), or its last chunk is gone (ps_blob_sweep). So whatever stops when, a chunk is
 * always found from a row: from kept by way of blob, or from loose.
 *
 * Who may meet whom:
 *   tie, untie, sweep      each is a transaction of the clock (clock.h) or part of one, with the
 *                          rows of kept that it is about: one after the other
 *   sender, sweep          a sender that is taken for dead though it lives: the sweep first makes
 *                          the loose row nobody's, a sender adds chunks and the row of blob only
 *                          in transactions that hold that row as its own. It is told, and sends
 *                          again under another place
 *   sender, sender         of the same bytes: the second row of blob is refused, its chunks go
 *   sender, tie            the bytes were there, and are gone before the tie: it says so
 *   fetch, sweep           chunks that go meanwhile are missed: PS_NOT_FOUND
 *   sweep, sweep           each looks again inside its transaction, and removes what may be gone
 */
#ifndef PS_REPLICA_BLOBS_H
#define PS_REPLICA_BLOBS_H

#include "base/content.h"
#include "server/replica/pg.h"

#define PS_BLOB_CHUNK ((size_t)512 << 10)

/* Sends the bytes of fd, from its begin, unless they are there; waits for a database that is away
 * for some seconds, and tries again. `session` lives until they are tied. `place` is one that
 * nobody ever had, <session>-<n>. PS_BAD_INPUT: the bytes are not those of this hash. After a
 * failure what was sent is nobody's and goes with a sweep; if nobody answers, with the session. */
enum ps_status ps_blob_send(struct ps_pg *pg, const char *session, const char *place, int fd,
                            const char *hash, uint64_t bytes, struct ps_err *err);

/* Takes what comes next; not PS_OK: no more is wanted. */
typedef enum ps_status ps_blob_take(void *user, struct ps_str bytes, struct ps_err *err);

/* Its bytes, in order, as they come; goes on where it was when the connection was lost. The caller
 * verifies the hash. PS_NOT_FOUND: there is none. PS_IO: chunks are missing. */
enum ps_status ps_blob_fetch(struct ps_pg *pg, const char *hash, ps_blob_take *take, void *user,
                             struct ps_err *err);

/* Inside a transaction of the clock in which somebody begins to refer to it: it stays.
 * PS_NOT_FOUND: it must be sent again. */
enum ps_status ps_blob_tie(struct ps_pg *pg, const char *hash, struct ps_err *err);
/* The same for somebody who ceases to. A sweep finds out whether others do. */
enum ps_status ps_blob_untie(struct ps_pg *pg, const char *hash, struct ps_err *err);

/* Removes what is loose and belongs to nobody, or to a session that does not live or has no use for
 * this place, each in a transaction of its own. Any server may, at any time. Goes on after a
 * failure while the database is there; the first is told. Begins no other after most_ms: *more
 * then. *out (may be NULL): how many places are no longer loose. */
typedef bool ps_blob_lives(void *user, const char *session, const char *place);
enum ps_status ps_blob_sweep(struct ps_pg *pg, ps_blob_lives *lives, void *user, int64_t most_ms,
                             bool *more, size_t *out, struct ps_err *err);

#endif
