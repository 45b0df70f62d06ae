/* SPDX-License-Identifier: MIT */
/*
 * transfer.h: a shelf into another one, each of them a folder or one that many servers share.
 *
 * All of it goes over but what belongs to the servers of a shelf: logins of browsers, uploads that
 * wait, caches. The catalog is copied as it is at one moment; the other is not altered, and both
 * may be served. A run, with its files and what was said of it, is there whole or not at all, so a
 * copy that was interrupted is simply made again: what is there already stays as it is.
 */
#ifndef PS_MAINTENANCE_TRANSFER_H
#define PS_MAINTENANCE_TRANSFER_H

#include "server/maintenance/maintenance.h"

struct ps_transfer_how {
    bool update; /* what both have becomes as it is in `from`, and what went there goes */
    /* What is not there as it is in `from`, one by one: what it is (run, original, source,
     * baseline, token, query, log, text) and, as file, its name. Also, as `updated`, what became
     * as it is there. */
    void (*found)(void *user, const struct ps_finding *finding);
    ps_vault_progress *progress; /* bytes of run files and originals; runs as files */
    void *user;
};

struct ps_transferred {
    uint64_t runs, already, removed; /* copied; there before; removed from `from` meanwhile */
    uint64_t updated;                /* of runs, tokens, baselines and saved queries */
    uint64_t files, bytes;           /* copied */
    uint64_t rows;     /* copied of tokens, baselines, saved queries, import and removal log */
    uint64_t waiting;  /* uploads that wait in `from`, and stay */
    uint64_t findings; /* in the end; 0: all is there */
};

/*
 * Each is a folder, or the URL of a store that many servers share (postgresql://...); what is on
 * its way from or to such a one lies in $TMPDIR. Copies, and then holds the catalog of `to`, asked
 * anew, against that of `from`. Runs get their places in the order of `from`: its own numbers,
 * unless runs of `to` have one of them. Where both have the same run, token, query or baseline,
 * that of `to` stays, and a run that was taken off `to` stays away; with `update` it is the other
 * way round.
 *
 * PS_NOT_FOUND: `from` is no shelf; PS_CONFLICT: both are the same, `to` is no shelf, or one was
 * laid out by a newer perfshelf; PS_UNAVAILABLE, PS_CANCELLED, PS_FULL ...: it ended before it was
 * done, and goes on from there when it is asked again. What is wrong with a run of `from` is no
 * failure but a finding: the others are copied.
 */
enum ps_status ps_store_transfer(const char *from, const char *to,
                                 const struct ps_transfer_how *how, struct ps_transferred *out,
                                 struct ps_err *err);

#endif
