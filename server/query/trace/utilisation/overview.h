/* SPDX-License-Identifier: MIT */
/* overview.h: declarations shared by the summaries of a trace (overview, utilisation, parts,
 * findings, workers). */
#ifndef PS_QUERY_TRACE_OVERVIEW_H
#define PS_QUERY_TRACE_OVERVIEW_H

#include "server/query/view.h"
#include "server/runfile/trace.h"
#include "slices/roles.h"

ps_view_answer ps_view_overview;
ps_view_answer ps_view_utilisation;
ps_view_answer ps_view_parts;
ps_view_answer ps_view_findings;
ps_view_answer ps_view_workers;

/* Names of the breakdowns in the API, indexed by enum ps_breakdown. */
extern const char *const ps_breakdown_words[PS_N_BREAKDOWNS];

/* Maximum number of workers, more than jobs have. Tracks of further workers count as tracks of
 * worker 0. */
#define PS_WORKERS_MAX 65536

/* The owner of a track. worker: index of the file among the files of the job. device: -1: none. */
struct ps_track_owner {
    uint32_t worker;
    int64_t device;
};
struct ps_track_owners {
    struct ps_track_owner *items; /* indexed by track id */
    size_t n;
    uint32_t n_workers;
    bool has_streams; /* at least one track is a stream with slices */
};
enum ps_status ps_track_owners_read(struct ps_db *db, struct ps_track_owners *owners,
                                    struct ps_err *err);
struct ps_track_owner ps_track_owner_of(const struct ps_track_owners *owners, uint32_t track);
void ps_track_owners_free(struct ps_track_owners *owners); /* for PS_AUTO */

/* The device work of one device in a range. */
struct ps_device_sums {
    uint32_t worker;
    int64_t device;
    struct ps_intervals compute, communication, copies; /* sorted and joined */
    struct ps_kernel_use *kernels;                      /* sorted by start */
    size_t n_kernels, cap_kernels;
};

/* The intervals of one worker in a range, by the role of the slices. */
struct ps_worker_sums {
    struct ps_intervals roles[PS_N_ROLES], communication; /* sorted and joined */
};

/* The time of each worker and each device in a range, computed from the slices in the range. */
struct ps_range_sums {
    int64_t from_ns, to_ns;
    struct ps_worker_sums *workers;
    uint32_t n_workers;
    struct ps_device_sums *devices; /* in order of appearance */
    size_t n_devices, cap_devices;
    bool has_streams; /* true if the run has streams with slices, even if none is in the range */
};
enum ps_status ps_range_sums_read(struct ps_db *db, struct ps_range_sums *sums, struct ps_err *err);
void ps_range_sums_free(struct ps_range_sums *sums); /* for PS_AUTO */
/* Returns the sums of a device, which are added if there are none. Valid until the next call. */
struct ps_device_sums *ps_device_sums_get(struct ps_range_sums *sums, struct ps_track_owner owner);

/* Writes "parts":{"tensorboard":[["kernel",ns],…],"hta":[…],"tracelens":[…]}. Times are means over
 * the workers. hta and tracelens are empty if the run has no streams. */
void ps_json_parts(struct ps_json *json, const struct ps_range_sums *sums);

/* Writes an object like the value of "parts" from the rows of a statement. Columns first, first + 1
 * and first + 2 are definition (enum ps_breakdown), name and ns. If first > 0, stops before the
 * first row whose column 0 is not `of`. *row: whether the statement is at a row, before and after
 * the call. */
void ps_json_part_rows(struct ps_stmt *stmt, int first, int64_t of, bool *has_row,
                       struct ps_json *json, struct ps_err *err);

/* Writes an array with the sums of each collective; null if the run file is of a layout without
 * them. */
enum ps_status ps_json_collectives(struct ps_db *db, struct ps_json *json, struct ps_err *err);

/* Stores the range from the first to the last counted step; the range of the complete trace if no
 * steps are counted. from_ns < to_ns unless the trace is empty. */
enum ps_status ps_steps_span(struct ps_db *db, struct ps_range *out, struct ps_err *err);

/* Returns the kind of the slice name with the text id `name`. Each name is classified once and
 * cached in *name_kinds. */
enum ps_name_kind ps_name_kind_get(struct ps_db *db, struct ps_name_kinds *name_kinds,
                                   int64_t name);

#endif
