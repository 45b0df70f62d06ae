/* SPDX-License-Identifier: MIT */
/*
 * transfer.h: copies a shelf to another one; each is a folder or a shelf that many servers share.
 *
 * Everything is copied except the data of the shelf's servers: browser sessions, waiting uploads,
 * caches. The catalog is copied as of one moment. The source is not altered, and both shelves may
 * be in use. A run is copied completely, with its files and labels, or not at all. So an
 * interrupted copy is simply repeated: it keeps what was copied before.
 */
#ifndef PS_MAINTENANCE_TRANSFER_H
#define PS_MAINTENANCE_TRANSFER_H

#include "server/maintenance/maintenance.h"

struct ps_transfer_options {
    /* overwrite differing data in `to` by that of `from`, and remove runs that were removed from
     * `from` */
    bool update;
    /* Reports one item that differs from `from` or is missing: `what` is its type (run, original,
     * source, baseline, token, query, log, text), `file` its name. With `what` "updated": an item
     * that was overwritten. */
    void (*found)(void *user, const struct ps_finding *finding);
    ps_maintenance_progress *progress; /* bytes of run files and originals; `files` counts runs */
    void *user;
};

struct ps_transfer_result {
    /* copied; existing in `to` before; removed from `from` meanwhile */
    uint64_t runs, existed, removed;
    uint64_t updated;      /* number of updated runs, tokens, baselines and saved queries */
    uint64_t files, bytes; /* copied */
    /* copied rows of tokens, baselines, saved queries, import log and removal log */
    uint64_t rows;
    uint64_t waiting;  /* uploads that wait in `from`; they are not copied */
    uint64_t findings; /* number of findings; 0: the copy is complete */
};

/*
 * Copies a shelf. `from` and `to` are folders, or URLs of shared stores (postgresql://...), for
 * which temporary files are in $TMPDIR. After copying, reopens `to` and compares its catalog with
 * that of `from`. Runs keep the order and the sequence numbers of `from`; they are renumbered if
 * runs of `to` have the same numbers. If both have the same run, token, query or baseline, that of
 * `to` is kept, and a run that was removed from `to` is not copied again. `update` reverses both.
 *
 * PS_NOT_FOUND: `from` is not a shelf. PS_CONFLICT: both are the same, `to` is not a shelf, or one
 * has the layout of a newer perfshelf. PS_UNAVAILABLE, PS_CANCELLED, PS_FULL ...: the copy is
 * incomplete, and can be continued by another call. Problems with single runs of `from` are
 * findings, not failures: the other runs are copied.
 */
enum ps_status ps_store_transfer(const char *from, const char *to,
                                 const struct ps_transfer_options *how,
                                 struct ps_transfer_result *out, struct ps_err *err);

#endif
