/* SPDX-License-Identifier: MIT */
/*
 * bundle.h: runs of a shelf as one file that another shelf imports.
 *
 * A .perfshelf file is a tar file compressed with zstd. Its first member, bundle.json, tells format
 * (1), perfshelf (the version that wrote it), runs (file, kind, name, series, note, tags, sha256 of
 * the original or null, redacted, sources with file, path and changed) and of a comparison base and
 * new: indices of runs. The other members are those files: an original as it came in, or the run
 * file of one that is shared without its original.
 */
#ifndef PS_SHARE_BUNDLE_H
#define PS_SHARE_BUNDLE_H

#include "base/json_out.h"
#include "server/share/redact.h"

struct ps_share_what {
    const char (*ids)[PS_ID_SIZE]; /* whole; of a comparison those of base first */
    size_t n;
    bool compared; /* the runs are a comparison */
    size_t n_base; /* of it; 0: of one group */
    unsigned redact;
    bool originals; /* where nothing is redacted, the originals, which hold what views mask */
};

/* Writes the bundle into the empty file at fd. Memory does not grow with the runs. PS_NOT_FOUND:
 * there is no such run, or its original is lost. */
enum ps_status ps_bundle_write(struct ps_store *store, const struct ps_share_what *what, int fd,
                               struct ps_err *err);

/* GET /api/v1/runs/{id}/reveals: what runs tell, by category, and what it becomes when redacted. */
enum ps_status ps_share_reveals(struct ps_store *store, const char (*ids)[PS_ID_SIZE], size_t n,
                                struct ps_json *json, struct ps_err *err);

#endif
