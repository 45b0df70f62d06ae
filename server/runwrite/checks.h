/* SPDX-License-Identifier: MIT */
/* checks.h: whether one file of the shelf is whole; for verify, rebuild and backup. */
#ifndef PS_RUNWRITE_CHECKS_H
#define PS_RUNWRITE_CHECKS_H

#include <nettle/sha2.h>

#include "server/runfile/db.h"

/* Its digest as text. */
void ps_digest_text(struct sha256_ctx *hash, char out[PS_SHA256_SIZE]);

/* Called with bytes that were read, by `user`; false: stop with PS_CANCELLED. */
struct ps_check_watch {
    bool (*read)(void *user, uint64_t bytes);
    void *user;
};

/* Whether the file is a run of this hash; with `whole` also SQLite's integrity check. PS_NOT_FOUND:
 * there is no such file; PS_FORBIDDEN: this user may not read it; PS_IO: it is damaged;
 * PS_CONFLICT: it is that of another run. */
enum ps_status ps_check_run(const char *path, const char *sha256, bool whole, struct ps_err *err);

/* Whether a kept file inflates to bytes of this hash; without `whole` only whether it is there. */
enum ps_status ps_check_kept(const char *path, const char *sha256, bool whole,
                             const struct ps_check_watch *watch, struct ps_err *err);

/* SQLite's integrity check of an open database; `quick`: the cheaper one. */
enum ps_status ps_check_db(struct ps_db *db, bool quick, struct ps_err *err);

/* A run file as a database, whatever its layout; nothing in it is trusted. */
enum ps_status ps_check_open(const char *path, struct ps_db **out, struct ps_err *err);

#endif
