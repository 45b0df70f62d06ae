/* SPDX-License-Identifier: MIT */
/*
 * bundle.h: exports runs of a shelf as one file that another shelf can import.
 *
 * A .perfshelf file is a tar file compressed with zstd. Its first member, bundle.json, has the keys
 * format (1), perfshelf (the version that wrote the file), runs (file, kind, name, series, note,
 * tags, sha256 of the original or null, redacted, sources with file, path and changed) and, for a
 * comparison, base and new: 0-based indices of runs. The other members are the files that
 * bundle.json names: the unmodified original of a run, or its run file if the run is shared without
 * its original, and its sources.
 */
#ifndef PS_SHARE_BUNDLE_H
#define PS_SHARE_BUNDLE_H

#include "base/json_out.h"
#include "server/share/redact.h"

struct ps_bundle_options {
    const char (*ids)[PS_ID_SIZE]; /* complete ids of n runs; in a comparison, the runs of the base
                                      group come first */
    size_t n;
    bool is_comparison; /* true: the runs are a comparison */
    size_t n_base;      /* number of runs in the base group of a comparison; 0: no base group */
    unsigned redacted_categories;
    bool includes_originals; /* include the originals if `redacted_categories` is 0; they also
                       contain secrets that views hide */
};

/* Writes the bundle to the empty file at fd. The memory that it needs does not depend on the size
 * of the runs. PS_NOT_FOUND: a run or its original does not exist. */
enum ps_status ps_bundle_write(struct ps_store *store, const struct ps_bundle_options *what, int fd,
                               struct ps_err *err);

/* Writes the answer of GET /api/v1/runs/{id}/reveals: for each category, the number of values that
 * the runs reveal, and examples with their replacements. */
enum ps_status ps_share_write_reveals(struct ps_store *store, const char (*ids)[PS_ID_SIZE],
                                      size_t n, struct ps_json *json, struct ps_err *err);

#endif
