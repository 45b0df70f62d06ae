/* SPDX-License-Identifier: MIT */
/* trace_views.h: declarations shared by the views of traces and stacks. */
#ifndef PS_QUERY_TRACE_TRACE_VIEWS_H
#define PS_QUERY_TRACE_TRACE_VIEWS_H

#include "server/query/view.h"
#include "server/runfile/trace.h"
#include "slices/packed.h"

/* A growable list of integers. */
struct ps_ints {
    int64_t *items;
    size_t n, cap;
};
void ps_ints_add(struct ps_ints *list, int64_t value);
void ps_ints_free(struct ps_ints *list); /* also usable with PS_AUTO */

/* Limits both ends to INT64_MAX / 4 on both sides of 0, so that their difference does not overflow:
 * damaged runs may contain any numbers. */
struct ps_range ps_range_limit(int64_t from_ns, int64_t to_ns);
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
/* Stores the half-open range of time of all slices, counts and memory events of the trace, limited
 * by ps_range_limit; {0, 0} if it is empty. */
enum ps_status ps_trace_span(struct ps_db *db, struct ps_range *out, struct ps_err *err);

/* Stores whether the run is a trace of PyTorch. Only such traces have operators. */
enum ps_status ps_trace_is_torch(struct ps_db *db, bool *out, struct ps_err *err);
/* Stores whether the run attributes device work to the operators that launched the work. */
enum ps_status ps_trace_is_attributed(struct ps_db *db, bool *out, struct ps_err *err);

#define PS_ANY_DEVICE       "GPU" /* a device whose name the trace does not tell */
#define PS_DEVICE_WORD_SIZE 16
/* Stores what the trace calls its devices: "GPU", "XPU", "MTIA". PS_ANY_DEVICE if it does not tell,
 * or if they are of several kinds. */
enum ps_status ps_trace_device_word(struct ps_db *db, char out[PS_DEVICE_WORD_SIZE],
                                    struct ps_err *err);

/* Returns start + duration without overflow, since damaged runs may contain any numbers. */
static inline int64_t ps_end_ns(int64_t start_ns, int64_t duration_ns)
{
    int64_t end;

    return __builtin_add_overflow(start_ns, duration_ns, &end) ? INT64_MAX / 4 : end;
}

/* Writes a key and an array of n numbers. Faster than ps_json_int, because it formats the numbers
 * directly in the output buffer. */
void ps_json_ints(struct ps_json *json, const char *key, const int64_t *values, size_t n);
/* Returns the name of a copy or set up to " (": "Memcpy HtoD" of "Memcpy HtoD (Pinned ->
 * Device)". */
struct ps_str ps_operation_name(struct ps_str name);
/* Writes a key and the text with the id `text` of the trace; "" if the trace has no such text. */
void ps_json_text(struct ps_json *json, const char *key, struct ps_db *db, int64_t text);

struct ps_packed {
    size_t n;
    /* [column]: n values; NULL if the column was not requested */
    const int64_t *column[PS_PACKED_COLUMNS_MAX];
};
struct ps_packed_query {
    enum ps_packed_family family;
    int64_t part;          /* PS_PACKED_COUNTS: id of the series; else 0 */
    struct ps_range range; /* visit only parts with times in this range */
    uint32_t columns;      /* bit mask of the requested columns: 1 << column */
};
/* Calls visit for each part, in the order of the run file, until visit returns false. *part is
 * valid during the call. */
enum ps_status ps_packed_each(struct ps_db *db, const struct ps_packed_query *query,
                              bool (*visit)(void *user, const struct ps_packed *part), void *user,
                              struct ps_err *err);

/* The id under which a layer of a track is a track of the timeline. The first layer of a track has
 * the id of the track. */
int64_t ps_layer_track_id(const struct ps_layers *layers, int64_t track, enum ps_layer layer);
/* Writes the keys "name" and "tid" of a track. names: the query track_names, which stays prepared.
 */
enum ps_status ps_json_track_names(struct ps_stmt *names, int64_t track, struct ps_json *json,
                                   struct ps_err *err);
/* Writes the key "layers" of a thread that has several. */
enum ps_status ps_json_layers(struct ps_db *db, uint32_t track, struct ps_json *json,
                              struct ps_err *err);
/* Writes the keys "layer_track" and "layer_depth" of a slice: where it is drawn if threads are
 * divided into layers. Otherwise it is drawn on its track at `depth`. */
enum ps_status ps_json_layer_place(struct ps_db *db, int64_t slice, int64_t depth,
                                   struct ps_json *json, struct ps_err *err);

/* Stores for each pixel x of the window in share[x] the share that slices at depth 0 cover,
 * 0..255. */
void ps_window_busy_shares(const struct ps_window *window, int64_t *share);
/* Stores for each pixel x of the window in share[x] the share that device work covers, 0..255.
 * Slices at all depths count. */
void ps_window_device_shares(const struct ps_window *window, int64_t *share);

ps_view_answer ps_view_timeline;
ps_view_answer ps_view_window;
ps_view_answer ps_view_names;
ps_view_answer ps_view_slice;
ps_view_answer ps_view_operators_at;
ps_view_answer ps_view_roofline;
ps_view_answer ps_view_critical_path;
ps_view_answer ps_view_curves;
ps_view_answer ps_view_named;
ps_view_answer ps_view_area;
ps_view_answer ps_view_find;
ps_view_answer ps_view_flame;
/* Checks the parameters from_ns, to_ns, tracks, on and the parameters that are 0 or 1, then calls
 * ps_view_table. */
ps_view_answer ps_view_trace_table;

#endif
