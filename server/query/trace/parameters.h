/* SPDX-License-Identifier: MIT */
/* parameters.h: the parameters of the views of traces. */
#ifndef PS_QUERY_TRACE_PARAMETERS_H
#define PS_QUERY_TRACE_PARAMETERS_H

#include "server/query/query.h"
#include "server/runfile/trace.h"

/* A growable list of integers. */
struct ps_ints {
    int64_t *items;
    size_t n, cap;
};
void ps_ints_add(struct ps_ints *list, int64_t value);
void ps_ints_free(struct ps_ints *list); /* also usable with PS_AUTO */

/* Reads the parameters from_ns and to_ns; an absent end is unbounded. */
enum ps_status ps_param_range(struct ps_params params, struct ps_range *out, struct ps_err *err);
/* Reads the parameters from_ns and to_ns of a range to draw. An absent end is the start or the end
 * of the trace. *out has from_ns < to_ns. */
enum ps_status ps_param_window(struct ps_db *db, struct ps_params params, struct ps_range *out,
                               struct ps_err *err);
/* Reads a list of at most `max_ids` ids (from 1), such as "3,4"; an absent list is empty. The
 * caller frees *out with ps_ints_free. */
enum ps_status ps_param_ids(struct ps_params params, const char *key, size_t max_ids,
                            struct ps_ints *out, struct ps_err *err);
/* Reads the parameter tracks, the ids of tracks separated by commas; an absent one is the set of
 * all. The caller frees *out with ps_track_set_free. */
enum ps_status ps_param_tracks(struct ps_db *db, struct ps_params params, struct ps_track_set *out,
                               struct ps_err *err);

#endif
