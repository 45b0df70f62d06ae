/* SPDX-License-Identifier: MIT */
/* checks.h: verifies single files of the shelf; for verify, rebuild and backup. Nothing is kept
 * between calls, which may be made from any thread. */
#ifndef PS_RUNWRITE_CHECKS_H
#define PS_RUNWRITE_CHECKS_H

#include <nettle/sha2.h>

#include "server/runfile/db.h"

/* Finishes the hash and writes it as hex digits. */
void ps_digest_text(struct sha256_ctx *hash, char out[PS_SHA256_SIZE]);

/* Called with the number of bytes that were read; false: stop with PS_CANCELLED. */
struct ps_check_watch {
    bool (*on_read)(void *user, uint64_t bytes);
    void *user;
};

/* Checks that the file is a run with this hash; with `whole` also SQLite's integrity check.
 * PS_NOT_FOUND: there is no such file; PS_FORBIDDEN: this user may not read it; PS_IO: it is
 * damaged; PS_CONFLICT: it belongs to another run. */
enum ps_status ps_check_run(const char *path, const char *sha256, bool whole, struct ps_err *err);

/* Checks that a stored file decompresses to bytes with this hash; without `whole` only that it
 * exists. */
enum ps_status ps_check_stored_file(const char *path, const char *sha256, bool whole,
                                    const struct ps_check_watch *watch, struct ps_err *err);

/* Runs SQLite's integrity check on an open database; `quick`: the cheaper one. */
enum ps_status ps_check_db(struct ps_db *db, bool quick, struct ps_err *err);

/* Opens a run file of any layout as a database. Its content is not trusted. */
enum ps_status ps_check_open(const char *path, struct ps_db **out, struct ps_err *err);

#endif
