/* SPDX-License-Identifier: MIT */
/* overview.h: what the summaries of a trace (overview, utilisation, findings, workers) share. */
#ifndef PS_QUERY_TRACE_OVERVIEW_H
#define PS_QUERY_TRACE_OVERVIEW_H

#include "server/query/views.h"
#include "server/runfile/trace.h"
#include "slices/roles.h"

enum ps_status ps_view_overview(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err);
enum ps_status ps_view_utilisation(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err);
enum ps_status ps_view_findings(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err);
enum ps_status ps_view_workers(struct ps_db *db, const struct ps_view *view, int64_t id,
                               struct ps_params params, struct ps_answer *answer,
                               struct ps_err *err);

/* The words of the API, by enum ps_breakdown. */
extern const char *const ps_breakdown_words[PS_N_BREAKDOWNS];

/* Which worker and which device (-1 none) a track is of. */
#define PS_WORKERS_MAX 65536 /* more than jobs have; what is beyond counts as the first */
struct ps_track_place {
    uint32_t worker;
    int64_t device;
};
struct ps_track_places {
    struct ps_track_place *at; /* by track */
    size_t n;
    uint32_t n_workers;
    bool streams; /* there are devices */
};
enum ps_status ps_track_places_read(struct ps_db *db, struct ps_track_places *places,
                                    struct ps_err *err);
struct ps_track_place ps_track_place(const struct ps_track_places *places, uint32_t track);
void ps_track_places_free(struct ps_track_places *places); /* for PS_AUTO */

/* One device in a range. */
struct ps_device_sums {
    uint32_t worker;
    int64_t device;
    struct ps_spans compute, communication, copies; /* joined */
    struct ps_device_work *kernels;                 /* by start */
    size_t n_kernels, cap_kernels;
};

/* One worker in a range. */
struct ps_worker_sums {
    struct ps_spans roles[PS_N_ROLES], communication; /* joined */
};

/* Everything of a range that takes time, read from the slices. */
struct ps_range_sums {
    int64_t from_ns, to_ns;
    struct ps_worker_sums *workers;
    uint32_t n_workers;
    struct ps_device_sums *devices; /* in order of appearance */
    size_t n_devices, cap_devices;
    bool streams; /* the run has devices, whether they worked in the range or not */
};
enum ps_status ps_range_sums_read(struct ps_db *db, struct ps_range_sums *sums, struct ps_err *err);
void ps_range_sums_free(struct ps_range_sums *sums); /* for PS_AUTO */

/* "parts":{"tensorboard":[["kernel",ns],…],"hta":[…],"tracelens":[…]}, the mean over the workers;
 * the last two are empty without a device. */
void ps_json_parts(struct ps_json *json, const struct ps_range_sums *sums);

/* The same from rows whose columns from `first` on are definition, name, ns, as long as column 0 is
 * `of` (with first > 0). *row: whether the statement stands on a row. */
void ps_json_part_rows(struct ps_stmt *stmt, int first, int64_t of, bool *row, struct ps_json *json,
                       struct ps_err *err);

/* The array of collectives. */
enum ps_status ps_json_collectives(struct ps_db *db, struct ps_json *json, struct ps_err *err);

/* From the first to the last step that counts, else the whole trace; from < to unless it is empty.
 */
enum ps_status ps_steps_span(struct ps_db *db, struct ps_range *out, struct ps_err *err);

/* What the name of a slice says, each found once. */
enum ps_meaning ps_name_meaning(struct ps_db *db, struct ps_meanings *meanings, int64_t name);

#endif
