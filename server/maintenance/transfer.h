/* SPDX-License-Identifier: MIT */
/*
 * transfer.h: copies a shelf to another shelf. Each of them is a folder or a store that several
 * servers share.
 *
 * Copies everything except browser sessions, waiting uploads, deleted runs and caches. The catalog
 * is copied from a snapshot. The source is not changed, and other processes may use both shelves. A
 * run is copied completely, with its files and labels, or not at all. If a copy was interrupted,
 * call the function again: it does not copy again what was copied before.
 */
#ifndef PS_MAINTENANCE_TRANSFER_H
#define PS_MAINTENANCE_TRANSFER_H

#include "server/maintenance/maintenance.h"

struct ps_transfer_options {
    /* overwrite data in `to` that differs from `from`, and remove runs from `to` that were removed
     * from `from` */
    bool overwrites;
    /* Reports one item of `to` that is missing or differs from `from`. finding->object_type: run,
     * original, source, file, baseline, token, query, log, text, or "updated" for an item that was
     * overwritten. finding->file: the name of the item. */
    void (*on_finding)(void *user, const struct ps_finding *finding);
    /* `total`: bytes of run files and originals; `files`: copied runs */
    ps_maintenance_progress *progress;
    void *user;
};

struct ps_transfer_result {
    /* runs: copied; existed: in `to` before; removed: from `from` during the copy */
    uint64_t runs, existing_runs, removed_runs;
    uint64_t updated_items; /* number of updated runs, tokens, baselines and saved queries */
    uint64_t files, bytes;  /* number and bytes of the copied files */
    /* copied rows of tokens, baselines, saved queries, import log and removal log */
    uint64_t rows;
    uint64_t
        waiting_uploads; /* uploads that wait for their import in `from`; they are not copied */
    uint64_t findings;   /* number of findings other than "updated"; 0: the copy is complete */
};

/*
 * Copies a shelf. `from` and `to` are folders, or URLs of shared stores (postgresql://...), for
 * which temporary files are in $TMPDIR. After copying, opens `to` again and compares its catalog
 * with that of `from`. Runs keep their order and sequence numbers; they get new numbers if other
 * runs of `to` have the same numbers. If both shelves have the same run, token, query or baseline,
 * the data in `to` is kept, and a run that was removed from `to` is not copied again. With
 * `update`, the data is overwritten and the run is copied again.
 *
 * PS_NOT_FOUND: `from` is not a shelf. PS_CONFLICT: `from` and `to` are the same shelf, `to` is
 * neither empty nor a shelf, or a newer perfshelf wrote one of them. PS_UNAVAILABLE, PS_CANCELLED,
 * PS_FULL ...: the copy is incomplete, and can be continued by another call. Problems with single
 * runs of `from` are findings, not failures: the other runs are copied.
 */
enum ps_status ps_store_transfer(const char *from, const char *to,
                                 const struct ps_transfer_options *how,
                                 struct ps_transfer_result *out, struct ps_err *err);

#endif
