/* SPDX-License-Identifier: MIT */
/*
 * window.c: the views window and names: the slices of tracks in a window of time, for drawing.
 * Slices of two pixels or more are sent individually. Shorter slices are sent as density: adjacent
 * pixels of the same shade and family are sent as one run. If a result has too many runs, fewer
 * shades are distinguished, then no shades, then no families. So every slice is visible, and the
 * response is small.
 */
#include <stdio.h>
#include <stdlib.h>

#include "server/query/trace/parameters.h"
#include "server/query/trace/timeline/layers.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"

#define PX_MAX     8192
#define TRACKS_MAX 4096
/* Maximum numbers of density runs in one result with all shades, and with all families. */
#define ALL_SHADES_RUNS_MAX   3500
#define ALL_FAMILIES_RUNS_MAX 7000

enum { DEPTH, ROW, START, DURATION, NAME, FAMILY, KIND, FLAGS, N_FIELDS };
static const char *const slice_keys[N_FIELDS] = {"depth", "row",    "start", "duration",
                                                 "name",  "family", "kind",  "flags"};

static void write_slices(const struct ps_window *window, struct ps_json *json)
{
    size_t n = window->n_slices;
    PS_AUTO(ps_free_ptr) int64_t *values = ps_grow(NULL, n * N_FIELDS + 1, sizeof *values);

    for (size_t i = 0; i < n; i++) {
        const struct ps_window_slice *s = &window->slices[i];

        values[DEPTH * n + i] = s->depth;
        values[ROW * n + i] = s->row;
        values[START * n + i] = s->start_ns - window->from_ns;
        values[DURATION * n + i] = s->duration_ns;
        values[NAME * n + i] = s->name;
        values[FAMILY * n + i] = s->family;
        values[KIND * n + i] = s->kind;
        values[FLAGS * n + i] = s->flags;
    }
    ps_json_key(json, "slices");
    ps_json_object(json);
    for (size_t f = 0; f < N_FIELDS; f++)
        ps_json_ints(json, slice_keys[f], values + f * n, n);
    ps_json_end(json);
}

/* Adjacent pixels of one depth that are drawn in one colour: from pixel px, len pixels. count:
 * number of slices. name, family: those of the busiest pixel. */
struct run {
    uint32_t px, len, count, name;
    int64_t busy_ns, longest_ns;
    uint16_t depth;
    uint8_t family, shade;
};

struct runs {
    struct run *items;
    size_t n, cap;
};

/* Returns the share of width_ns that slices cover, scaled to 1..255. The minimum is 1, so that each
 * pixel with slices is visible. */
static int64_t fill_level(int64_t busy_ns, double width_ns)
{
    double fill = (double)busy_ns / width_ns * 255;

    return fill >= 255 ? 255 : fill < 1 ? 1 : (int64_t)fill;
}

/* Precision of the comparison of two pixels. */
struct run_precision {
    /* number of lowest bits of the fill (1..255) that are ignored; 8: all fills are equal */
    unsigned shift;
    bool ignores_family;
};

static bool continues_run(const struct run *run, const struct ps_window_density *d, uint8_t shade,
                          struct run_precision precision)
{
    return run->depth == d->depth && run->px + run->len == d->px && run->shade == shade &&
           (precision.ignores_family || run->family == d->family);
}

static void add_pixel(struct run *run, const struct ps_window_density *d)
{
    run->len++;
    run->count += d->count;
    if (__builtin_add_overflow(run->busy_ns, d->busy_ns, &run->busy_ns))
        run->busy_ns = INT64_MAX;
    if (d->busy_ns > run->longest_ns) {
        run->longest_ns = d->busy_ns;
        run->name = d->name;
        run->family = d->family;
    }
}

static void join_density(const struct ps_window *window, struct run_precision precision,
                         struct runs *out)
{
    double px_ns = (double)(window->to_ns - window->from_ns) / window->px;

    out->n = 0;
    for (size_t i = 0; i < window->n_density; i++) {
        const struct ps_window_density *d = &window->density[i];
        uint8_t shade = (uint8_t)(fill_level(d->busy_ns, px_ns) >> precision.shift);

        if (out->n && continues_run(&out->items[out->n - 1], d, shade, precision)) {
            add_pixel(&out->items[out->n - 1], d);
            continue;
        }
        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] = (struct run){d->px,      1,        d->count,  d->name, d->busy_ns,
                                            d->busy_ns, d->depth, d->family, shade};
    }
}

enum { RUN_DEPTH, RUN_PX, RUN_LEN, RUN_FILL, RUN_COUNT, RUN_NAME, RUN_FAMILY, N_RUN_FIELDS };
static const char *const run_keys[N_RUN_FIELDS] = {"depth", "px",   "len",   "fill",
                                                   "count", "name", "family"};

static void write_density(const struct ps_window *window, const struct runs *runs,
                          struct ps_json *json)
{
    double px_ns = (double)(window->to_ns - window->from_ns) / window->px;
    size_t n = runs->n;
    PS_AUTO(ps_free_ptr) int64_t *values = ps_grow(NULL, n * N_RUN_FIELDS + 1, sizeof *values);

    for (size_t i = 0; i < n; i++) {
        const struct run *r = &runs->items[i];

        values[RUN_DEPTH * n + i] = r->depth;
        values[RUN_PX * n + i] = r->px;
        values[RUN_LEN * n + i] = r->len;
        values[RUN_FILL * n + i] = fill_level(r->busy_ns, px_ns * r->len);
        values[RUN_COUNT * n + i] = r->count;
        values[RUN_NAME * n + i] = r->name;
        values[RUN_FAMILY * n + i] = r->family;
    }
    ps_json_key(json, "density");
    ps_json_object(json);
    for (size_t f = 0; f < N_RUN_FIELDS; f++)
        ps_json_ints(json, run_keys[f], values + f * n, n);
    ps_json_end(json);
}

/* The state of a result that is being written. */
struct run_output {
    struct ps_window window; /* its memory is reused for all tracks */
    struct runs runs;
    size_t runs_sent, n_drawn;
    uint64_t n_counted;
};

static void run_output_free(struct run_output *output)
{
    ps_window_free(&output->window);
    free(output->runs.items);
}

static void choose_runs(struct run_output *output)
{
    static const struct run_precision steps[] = {{3, false}, {5, false}, {7, false}, {8, false}};
    size_t sent = output->runs_sent;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        join_density(&output->window, steps[i], &output->runs);
        if (sent + output->runs.n <= ALL_SHADES_RUNS_MAX)
            break;
    }
    if (sent + output->runs.n > ALL_FAMILIES_RUNS_MAX)
        join_density(&output->window, (struct run_precision){8, true}, &output->runs);
    output->runs_sent += output->runs.n;
}

/* Writes output->window, the window of the track or layer `id`. */
static void write_window(int64_t id, struct run_output *output, struct ps_json *json)
{
    struct ps_window *window = &output->window;

    choose_runs(output);
    ps_json_object(json);
    ps_json_key_int(json, "id", id);
    write_slices(window, json);
    write_density(window, &output->runs, json);
    ps_json_key_int(json, "counted", (int64_t)window->n_counted);
    ps_json_end(json);
    output->n_drawn += window->n_slices;
    output->n_counted += window->n_counted;
}

/* What to draw. */
struct window_request {
    struct ps_ints ids; /* tracks and, with has_layers, layers; none: all */
    bool has_layers;    /* layers of a thread are tracks */
    struct ps_range range;
    uint32_t px;
};

static void window_request_free(struct window_request *request)
{
    ps_ints_free(&request->ids);
}

static bool is_requested(const struct window_request *request, int64_t id)
{
    for (size_t i = 0; i < request->ids.n; i++)
        if (request->ids.items[i] == id)
            return true;
    return request->ids.n == 0;
}

static enum ps_status write_layers(struct ps_db *db, const struct window_request *request,
                                   uint32_t track, const struct ps_layers *layers,
                                   struct run_output *output, struct ps_json *json,
                                   struct ps_err *err)
{
    for (enum ps_layer layer = PS_LAYER_OTHER; layer < PS_N_LAYERS; layer++) {
        int64_t id = ps_layer_track_id(layers, track, layer);

        if (layers->kinds[layer] && is_requested(request, id) &&
            ps_trace_read_layer(db, track, layer, request->range, request->px, &output->window,
                                err) == PS_OK)
            write_window(id, output, json);
    }
    return err->code;
}

static enum ps_status write_track(struct ps_db *db, const struct window_request *request,
                                  uint32_t track, struct run_output *output, struct ps_json *json,
                                  struct ps_err *err)
{
    const struct ps_layers *layers = NULL;

    if (request->has_layers)
        ps_trace_get_layers(db, track, &layers, err);
    if (layers)
        return write_layers(db, request, track, layers, output, json, err);
    if (is_requested(request, track) &&
        ps_trace_read_window(db, track, request->range.from_ns, request->range.to_ns, request->px,
                             &output->window, err) == PS_OK)
        write_window(track, output, json);
    return err->code;
}

static enum ps_status write_tracks(struct ps_db *db, const struct window_request *request,
                                   struct run_output *output, struct ps_json *json,
                                   struct ps_err *err)
{
    const struct ps_track_row *tracks;
    size_t n;

    ps_trace_get_tracks(db, &tracks, &n, err);
    ps_json_key(json, "tracks");
    ps_json_array(json);
    for (size_t i = 0; err->code == PS_OK && i < n; i++)
        write_track(db, request, tracks[i].id, output, json, err);
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_view_window(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(window_request_free) struct window_request request = {0};
    PS_AUTO(run_output_free) struct run_output output = {0};
    int64_t px, has_layers;

    (void)view, (void)id;
    ps_param_window(db, params, &request.range, err);
    ps_param_int(params, "px", 1, PX_MAX, 1600, &px, err);
    ps_param_int(params, "layers", 0, 1, 0, &has_layers, err);
    ps_param_ids(params, "tracks", TRACKS_MAX, &request.ids, err);
    request.px = (uint32_t)px;
    request.has_layers = has_layers;
    ps_json_object(&json);
    ps_json_key_int(&json, "from_ns", request.range.from_ns);
    ps_json_key_int(&json, "to_ns", request.range.to_ns);
    ps_json_key_int(&json, "px", px);
    write_tracks(db, &request, &output, &json, err);
    ps_json_key_int(&json, "drawn", (int64_t)output.n_drawn);
    ps_json_key_int(&json, "counted", (int64_t)output.n_counted);
    ps_json_end(&json);
    return err->code;
}

enum ps_status ps_view_names(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ps_ints_free) struct ps_ints ids = {0};

    (void)view, (void)id;
    ps_param_ids(params, "ids", 2000, &ids, err);
    ps_json_object(&json);
    ps_json_key(&json, "names");
    ps_json_object(&json);
    for (size_t i = 0; i < ids.n; i++) {
        char key[24];
        bool known = ids.items[i] <= UINT32_MAX && ps_trace_text(db, (uint32_t)ids.items[i]).ptr;

        (void)snprintf(key, sizeof key, "%lld", (long long)ids.items[i]);
        if (known)
            ps_json_text(&json, key, db, ids.items[i]);
    }
    ps_json_end(&json);
    ps_json_end(&json);
    return err->code;
}
