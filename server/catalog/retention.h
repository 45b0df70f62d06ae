/* SPDX-License-Identifier: MIT */
/*
 * retention.h: which runs stay on the shelf, and that the others go.
 *
 * A rule keeps the newest runs of the whole shelf, of each series, or of one series: so many, those
 * of a time, or those that take no more than so many bytes. Newest means as the shelf lists them:
 * by when they came on it. A run goes when any rule lets it go; each rule looks at all runs that
 * are there. A baseline of its series stays whatever a rule says, and no rule counts it. A rule of
 * each series is one of those that no rule names.
 */
#ifndef PS_CATALOG_RETENTION_H
#define PS_CATALOG_RETENTION_H

#include "server/catalog/store.h"

enum ps_keep_of { PS_KEEP_OF_SHELF, PS_KEEP_OF_EACH, PS_KEEP_OF_ONE };
enum ps_keep_by { PS_KEEP_BY_RUNS, PS_KEEP_BY_AGE, PS_KEEP_BY_BYTES };

struct ps_keep_rule {
    const char *text; /* as people write it; the removal log names it */
    const char *what; /* what stays, in words */
    enum ps_keep_of of;
    enum ps_keep_by by;
    const char *series; /* PS_KEEP_OF_ONE: its name; else NULL */
    int64_t limit;      /* runs; ms; bytes of run files and of originals as they came in */
};
struct ps_keep {
    const struct ps_keep_rule *at;
    size_t n; /* 0: everything stays */
};

/* A run that a rule lets go. */
struct ps_leaving {
    char id[PS_ID_SIZE];
    int64_t seq, created_ms; /* since 1970 */
    uint64_t bytes;          /* of the run file, and of the original as it came in */
    const char *name, *series;
    size_t rule; /* the first that does */
};
struct ps_leaving_list {
    struct ps_leaving *at; /* the oldest first */
    size_t n, cap;
    struct ps_arena arena;
};

/* Who goes at this time (ms since 1970), if nothing changes. Free the list in any case. */
enum ps_status ps_keep_find(struct ps_store *store, const struct ps_keep *keep, int64_t now_ms,
                            struct ps_leaving_list *out, struct ps_err *err);

/* What rules may delete by themselves now, while nobody watches. */
struct ps_keep_due {
    struct ps_leaving_list leaving;
    size_t allowance; /* so many of them may go now */
    int64_t jump_ms;  /* by how much the clock jumped: then no rule goes by age; else 0 */
};
/* As ps_keep_find, but at most a tenth of the shelf within an hour, and one more for each run that
 * came on it since `since_ms`; and by age only while the clock is trusted (clock_check.h). Free
 * out->leaving in any case. */
enum ps_status ps_keep_due(struct ps_store *store, const struct ps_keep *keep, int64_t since_ms,
                           struct ps_keep_due *out, struct ps_err *err);
void ps_leaving_free(struct ps_leaving_list *list);

/* Takes one of them off the shelf as ps_store_remove does. `who` asked for it, "": nobody but the
 * rule. PS_NOT_FOUND: it is gone, or was pinned or moved to another series since it was found, and
 * stays. */
enum ps_status ps_keep_remove(struct ps_store *store, const struct ps_keep *keep,
                              const struct ps_leaving *run, const char *who, struct ps_err *err);

#endif
