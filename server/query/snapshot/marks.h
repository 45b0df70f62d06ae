/* SPDX-License-Identifier: MIT */
/* marks.h: what stands out among the events of a device: failed allocations, snapshots, and
 * annotations such as optimizer steps. */
#ifndef PS_QUERY_SNAPSHOT_MARKS_H
#define PS_QUERY_SNAPSHOT_MARKS_H

#include "server/query/snapshot/snapshot.h"

enum ps_snapshot_mark_kind {
    PS_SNAPSHOT_MARK_OOM,
    PS_SNAPSHOT_MARK_TAKEN,
    PS_SNAPSHOT_MARK_ANNOTATION,
};

struct ps_snapshot_mark_at {
    enum ps_snapshot_mark_kind kind;
    int64_t event, end;        /* an annotation covers event..end-1; end -1: none */
    int64_t bytes, free_bytes; /* of a failed allocation: asked for, free in the driver */
    int64_t start_us, end_us;  /* of an annotation; -1: unknown */
    uint32_t text;             /* of an annotation: id of its name */
    struct ps_str name;
};

struct ps_snapshot_marks {
    struct ps_snapshot_mark_at *items; /* in the order of events */
    size_t n, cap;
    int64_t n_omitted;       /* marks beyond a maximum */
    int64_t n_without_place; /* annotations of events without times */
    struct ps_arena text;
};

enum ps_status ps_snapshot_marks_read(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                      struct ps_snapshot_marks *out, struct ps_err *err);
void ps_snapshot_marks_free(struct ps_snapshot_marks *marks); /* for PS_AUTO */

#endif
