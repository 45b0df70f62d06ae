/* SPDX-License-Identifier: MIT */
/* checks.h: verifies single files of a shelf, for server/maintenance. The functions keep no state,
 * and may be called from any thread. */
#ifndef PS_RUNWRITE_CHECKS_H
#define PS_RUNWRITE_CHECKS_H

#include <nettle/sha2.h>

#include "server/runfile/db.h"

/* Finishes the hash and writes it as 64 hex digits and a NUL. */
void ps_digest_write_hex(struct sha256_ctx *hash, char out[PS_SHA256_SIZE]);

/* on_read is called with the number of bytes that were read since the last call. False: stop with
 * PS_CANCELLED. */
struct ps_check_watch {
    bool (*on_read)(void *user, uint64_t bytes);
    void *user;
};

/* Checks that the file is a run file whose original has this hash. With `whole`, also runs SQLite's
 * integrity check. PS_NOT_FOUND: there is no such file. PS_FORBIDDEN: this user may not read it.
 * PS_IO: it is damaged. PS_CONFLICT: it belongs to another original. */
enum ps_status ps_check_run(const char *path, const char *sha256, bool whole, struct ps_err *err);

/* Checks that a stored file decompresses to bytes with this hash. Without `whole`, only checks that
 * the file exists and is not empty; `watch` may then be NULL. Fails like ps_check_run. */
enum ps_status ps_check_stored_file(const char *path, const char *sha256, bool whole,
                                    const struct ps_check_watch *watch, struct ps_err *err);

/* Runs SQLite's integrity check on an open database; with `quick`, PRAGMA quick_check. PS_IO: the
 * database is damaged. */
enum ps_status ps_check_db(struct ps_db *db, bool quick, struct ps_err *err);

/* Opens a run file of any layout for reading. Its content is not checked. */
enum ps_status ps_check_open_run(const char *path, struct ps_db **out, struct ps_err *err);

#endif
