/* SPDX-License-Identifier: MIT */
/*
 * bundle.h: exports runs of a shelf as one file that another shelf can import.
 *
 * A .perfshelf file is a tar file compressed with zstd. Its first member, bundle.json, has the keys
 * format (1), perfshelf (the version that wrote it), runs (file, kind, name, series, note, tags,
 * sha256 of the original or null, redacted, sources with file, path and changed) and, for a
 * comparison, base and new: indices of runs. The other members are the files named there: the
 * unmodified original of a run, or its run file if it is shared without its original.
 */
#ifndef PS_SHARE_BUNDLE_H
#define PS_SHARE_BUNDLE_H

#include "base/json_out.h"
#include "server/share/redact.h"

struct ps_bundle_options {
    const char (*ids)[PS_ID_SIZE]; /* complete ids; for a comparison, those of base first */
    size_t n;
    bool compared; /* the runs are a comparison */
    size_t n_base; /* of a comparison: number of runs in base; 0: one group */
    unsigned redact;
    bool originals; /* include the originals if nothing is redacted; they contain what views mask */
};

/* Writes the bundle to the empty file at fd. Memory does not grow with the size of the runs.
 * PS_NOT_FOUND: there is no such run, or its original is lost. */
enum ps_status ps_bundle_write(struct ps_store *store, const struct ps_bundle_options *what, int fd,
                               struct ps_err *err);

/* GET /api/v1/runs/{id}/reveals: what runs reveal, by category, and what each value becomes when
 * redacted. */
enum ps_status ps_share_write_reveals(struct ps_store *store, const char (*ids)[PS_ID_SIZE],
                                      size_t n, struct ps_json *json, struct ps_err *err);

#endif
