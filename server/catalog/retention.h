/* SPDX-License-Identifier: MIT */
/*
 * retention.h: retention rules, which decide which runs are kept on the shelf. All other runs are
 * deleted.
 *
 * A rule applies to the whole shelf, to each series, or to one series. It keeps the newest runs: up
 * to a number of runs, up to an age, or up to a number of bytes. The newest run is the run that was
 * added last. A run is deleted if any rule that applies to it does not keep it. The baseline of a
 * series is always kept, and no rule counts it. A rule for each series does not apply to series
 * that have a rule of their own.
 *
 * The functions borrow the rules, and may be called from any thread. Other processes may change the
 * shelf after ps_retention_find, so ps_retention_remove checks the run again.
 *
 *     struct ps_prune_list list = {0};
 *
 *     ps_retention_find(store, &keep, now_ms, &list, err);
 *     for (size_t i = 0; i < list.n; i++)
 *         ps_retention_remove(store, &keep, &list.items[i], who, err);
 *     ps_prune_list_free(&list);
 */
#ifndef PS_CATALOG_RETENTION_H
#define PS_CATALOG_RETENTION_H

#include "server/catalog/store.h"

enum ps_retention_scope { PS_RETAIN_IN_SHELF, PS_RETAIN_IN_EACH_SERIES, PS_RETAIN_IN_ONE_SERIES };
enum ps_retention_unit { PS_RETAIN_BY_RUNS, PS_RETAIN_BY_AGE, PS_RETAIN_BY_BYTES };

struct ps_retention_rule {
    const char *text;        /* the rule as users write it, also for the removal log */
    const char *description; /* which runs the rule keeps, for messages */
    enum ps_retention_scope scope;
    enum ps_retention_unit unit;
    const char *series; /* name of the series for PS_RETAIN_IN_ONE_SERIES; else NULL */
    int64_t limit;      /* by `unit`: number of runs; age in ms; bytes of run files and uncompressed
                           originals */
};
struct ps_retention {
    const struct ps_retention_rule *rules;
    size_t n; /* 0: all runs are kept */
};

/* A run that a rule does not keep. */
struct ps_prune_candidate {
    char id[PS_ID_SIZE];
    int64_t seq, created_ms; /* created_ms: ms since 1970 */
    uint64_t bytes;          /* bytes of the run file and of the uncompressed original */
    const char *name, *series;
    size_t rule_index; /* index of the first rule that does not keep the run */
};
struct ps_prune_list {
    struct ps_prune_candidate *items; /* oldest first */
    size_t n, cap;
    struct ps_arena arena;
};

/* Finds the runs that the rules do not keep at now_ms (ms since 1970). Free the list also after a
 * failure. */
enum ps_status ps_retention_find(struct ps_store *store, const struct ps_retention *keep,
                                 int64_t now_ms, struct ps_prune_list *out, struct ps_err *err);

/* Runs that may be deleted automatically. */
struct ps_retention_due {
    struct ps_prune_list runs;
    size_t allowance; /* maximum number of runs to delete now */
    int64_t jump_ms;  /* ms that the clock jumped; if not 0, no run is deleted by age */
};
/* Like ps_retention_find, and computes how many of the runs may be deleted now: a tenth of the
 * shelf per hour, and one more for each run that was added since `since_ms` (ms since 1970).
 * Applies rules by age only while the clock is trusted (clock_check.h). Free out->runs also after a
 * failure. */
enum ps_status ps_retention_find_due(struct ps_store *store, const struct ps_retention *keep,
                                     int64_t since_ms, struct ps_retention_due *out,
                                     struct ps_err *err);
void ps_prune_list_free(struct ps_prune_list *list);

/* Removes one of the found runs like ps_store_remove_run. `user_name`: the user who requested it;
 * "": nobody, the rules are applied automatically. PS_NOT_FOUND: since it was found, the run was
 * deleted, became a baseline or moved to another series. */
enum ps_status ps_retention_remove(struct ps_store *store, const struct ps_retention *keep,
                                   const struct ps_prune_candidate *run, const char *user_name,
                                   struct ps_err *err);

#endif
