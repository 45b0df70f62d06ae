/* SPDX-License-Identifier: MIT */
/* maintenance.h: the care of a shelf as a folder: whether everything is there and whole, a catalog
 * made anew from what is, and a copy of all of it. */
#ifndef PS_MAINTENANCE_MAINTENANCE_H
#define PS_MAINTENANCE_MAINTENANCE_H

#include "server/catalog/store.h"

/* Bytes or files looked at so far, of so many; false: stop. */
typedef bool ps_vault_progress(void *user, uint64_t done, uint64_t total, uint64_t files);

/* --- Verify --- */

struct ps_finding {
    const char *what; /* a word: catalog run label original source stray */
    const char *file; /* below the shelf's folder */
    const char *text; /* what is wrong with it */
    const char *hint; /* what to do */
};

struct ps_verify {
    bool quick; /* only whether each file is there and is what it should be, by its head */
    void (*found)(void *user, const struct ps_finding *finding);
    ps_vault_progress *progress; /* bytes; may be NULL */
    void *user;
};

struct ps_verified {
    uint64_t runs, files, bytes, findings;
    uint64_t hashed; /* run files of an older shelf, whose hash is known from now on */
};

/* url: of a shelf that many servers share, else NULL (ps_store_open_shared). Looks at the catalog,
 * each run file, original, source and label, and for files that nothing refers to. Others may use
 * the shelf meanwhile: what they add or remove is no finding. Fails only when it cannot look
 * (PS_NOT_FOUND: there is no such shelf; PS_IO, PS_FORBIDDEN: this user may not read it), or was
 * stopped (PS_CANCELLED). */
enum ps_status ps_store_verify(const char *url, const char *dir, const struct ps_verify *how,
                               struct ps_verified *out, struct ps_err *err);

/* --- Rebuild --- */

struct ps_rebuild {
    /* A file and what became of it, when it is not simply taken up. */
    void (*told)(void *user, const char *file, const char *text);
    ps_vault_progress *progress; /* run files looked at; the total is not known */
    void *user;
};

struct ps_rebuilt {
    uint64_t runs;           /* taken up */
    uint64_t set_aside;      /* files that were moved to lost/ */
    struct ps_buf originals; /* hashes, each with its NUL: those without a run file, for the caller
                                to import with ps_store_original_of. Free it */
};

/* Makes the catalog anew from the run files, with what labels/ and the old catalog, as far as it
 * can be read, say of them. PS_CONFLICT: somebody has the shelf open. On failure the shelf is as it
 * was. */
enum ps_status ps_store_rebuild(const char *dir, const struct ps_rebuild *how,
                                struct ps_rebuilt *out, struct ps_err *err);

/* --- Backup --- */

struct ps_backup {
    ps_vault_progress *progress; /* runs */
    void *user;
};

struct ps_backed_up {
    uint64_t runs;         /* in the backup */
    uint64_t files, bytes; /* copied: those that were not there */
    uint64_t removed;      /* files that were there, of runs that are no more */
};

/* Makes the folder `target` a copy of the shelf as it is now, whoever uses that meanwhile.
 * PS_CONFLICT: the folder holds something else, or somebody has it open. On failure the backup that
 * was there before stays, but for files that were added to it. */
enum ps_status ps_store_backup(const char *dir, const char *target, const struct ps_backup *how,
                               struct ps_backed_up *out, struct ps_err *err);

#endif
