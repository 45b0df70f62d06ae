/* SPDX-License-Identifier: MIT */
/*
 * timeline.c: the tool timeline: what ran in a window of a trace, on which threads and streams, how
 * far computation and communication overlapped, and what the host did in the gaps of a device.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "importers/kinds.h"
#include "server/agent/tools.h"

#define GAPS_MAX        3 /* gaps for which the host is asked */
#define HOST_TRACKS_MAX 4 /* threads of the host that are asked */
#define MS              1e6

struct window {
    struct ps_tool_call *call;
    const char *id;
    double from_ns, to_ns;
    bool is_sampled; /* slices are rows of equal samples, not calls */
};

/* GET runs/ID/VIEW of the window. `params`: further parameters, escaped, with a leading &. */
static enum ps_status ask_window(const struct window *w, const char *view, const char *params,
                                 cJSON **out, struct ps_err *err)
{
    char text[200];

    (void)snprintf(text, sizeof text, "from_ns=%.0f&to_ns=%.0f%s", w->from_ns, w->to_ns, params);
    return ps_ask_view(w->call, w->id, view, text, out, err);
}

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

/* --- The window --- */

/* Finds a step: "slowest", or a name. */
static enum ps_status find_step(struct window *w, const char *name, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *steps = NULL;
    int row = 0;

    if (ps_ask_view(w->call, w->id, "steps", "sort=duration_ns&desc=1&limit=1000", &steps, err) !=
        PS_OK)
        return err->code;
    while (strcmp(name, "slowest") != 0 && row < ps_count_rows(steps) &&
           strcmp(ps_cell_text(steps, row, "name"), name) != 0)
        row++;
    if (row >= ps_count_rows(steps))
        return ps_fail(err, PS_NOT_FOUND,
                       "the trace has no step %.60s" PS_HINT
                       "names are such as %.60s; or write slowest",
                       name, ps_cell_text(steps, 0, "name"));
    w->from_ns = ps_cell_number(steps, row, "start_ns");
    w->to_ns = w->from_ns + ps_cell_number(steps, row, "duration_ns");
    return PS_OK;
}

static enum ps_status read_window(struct window *w, const cJSON *timeline, struct ps_err *err)
{
    const char *step = ps_arg_text(w->call, "step");

    w->from_ns =
        MS * ps_arg_number(w->call, "from_ms", ps_member_number(timeline, "start_ns") / MS);
    w->to_ns = MS * ps_arg_number(w->call, "to_ms", ps_member_number(timeline, "end_ns") / MS);
    if (step && find_step(w, step, err) != PS_OK)
        return err->code;
    if (!(w->from_ns < w->to_ns) || fabs(w->from_ns) > 1e18 || fabs(w->to_ns) > 1e18)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the window is empty" PS_HINT "the trace lasts from %.3f to %.3f ms",
                       ps_member_number(timeline, "start_ns") / MS,
                       ps_member_number(timeline, "end_ns") / MS);
    return PS_OK;
}

/* --- Devices and parts --- */

static void add_devices(struct ps_output *out, const cJSON *area, double whole)
{
    static const struct ps_output_column columns[] = {
        {"device", "", PS_NUMBER},
        {"busy", "ns", PS_NUMBER},
        {"% of the window", "%", PS_NUMBER},
        {"computing", "ns", PS_NUMBER},
        {"copies", "ns", PS_NUMBER},
        {"communication", "ns", PS_NUMBER},
        {"of it overlapped by computing", "ns", PS_NUMBER}};
    const cJSON *devices = ps_member(area, "devices"), *device;

    if (cJSON_GetArraySize(devices) == 0)
        return;
    ps_output_table(out, "devices", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(device, devices)
    {
        ps_output_value(out, ps_member_number(device, "device"), "");
        ps_output_value(out, ps_member_number(device, "busy_ns"), "ns");
        ps_output_percent(out, percent_of(ps_member_number(device, "busy_ns"), whole));
        ps_output_value(out, ps_member_number(device, "compute_ns"), "ns");
        ps_output_value(out, ps_member_number(device, "copies_ns"), "ns");
        ps_output_value(out, ps_member_number(device, "communication_ns"), "ns");
        ps_output_value(out, ps_member_number(device, "overlap_ns"), "ns");
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(devices));
}

/* The time of a part, [name, ns]. */
static double part_ns(const cJSON *part)
{
    const cJSON *ns = cJSON_GetArrayItem(part, 1);

    return cJSON_IsNumber(ns) ? ns->valuedouble : 0;
}

/* Each moment counts for the first of these that was active: they add up to the window. */
static void add_parts(const struct window *w)
{
    static const struct ps_output_column columns[] = {
        {"time", "ns", PS_NUMBER}, {"% of the window", "%", PS_NUMBER}, {"part", "", PS_WORDS}};
    PS_AUTO(ps_json_free) cJSON *use = NULL;
    const cJSON *parts, *part;
    double whole = 0;
    int shown = 0;

    /* a trace without devices has no parts: the answer is complete without them */
    if (ask_window(w, "utilisation", "&px=1", &use, PS_ERR_IGNORED) != PS_OK)
        return;
    parts = ps_member(ps_member(use, "parts"), "tensorboard");
    cJSON_ArrayForEach(part, parts) whole += part_ns(part);
    if (!(whole > 0))
        return;
    ps_output_table(w->call->out, "parts (each moment counts once, for the first that is active)",
                    columns, 3);
    cJSON_ArrayForEach(part, parts)
    {
        const double ns = part_ns(part);

        if (ns == 0)
            continue;
        shown++;
        ps_output_value(w->call->out, ns, "ns");
        ps_output_percent(w->call->out, percent_of(ns, whole));
        ps_output_name(w->call->out, cJSON_GetStringValue(cJSON_GetArrayItem(part, 0)));
        ps_output_row_end(w->call->out);
    }
    ps_output_table_end(w->call->out, shown);
}

/* --- Threads and streams --- */

static const char *name_of_track(const cJSON *timeline, double id)
{
    const cJSON *track;

    cJSON_ArrayForEach(track, ps_member(timeline, "tracks"))
    {
        if (ps_member_number(track, "id") == id)
            return ps_member_text(track, "name");
    }
    return "";
}

static void add_tracks(const struct window *w, const cJSON *area, const cJSON *timeline)
{
    static const struct ps_output_column columns[] = {{"busy", "ns", PS_NUMBER},
                                                      {"% of the window", "%", PS_NUMBER},
                                                      {"slices", "", PS_NUMBER},
                                                      {"thread or stream", "", PS_WORDS}};
    const cJSON *track;

    ps_output_table(w->call->out, "threads and streams", columns, 4);
    cJSON_ArrayForEach(track, ps_member(area, "tracks"))
    {
        const double busy = ps_member_number(track, "busy_ns");

        ps_output_value(w->call->out, busy, "ns");
        ps_output_percent(w->call->out, percent_of(busy, w->to_ns - w->from_ns));
        ps_output_value(w->call->out, ps_member_number(track, "slices"), "");
        ps_output_name(w->call->out, name_of_track(timeline, ps_member_number(track, "id")));
        ps_output_row_end(w->call->out);
    }
    ps_output_table_end(w->call->out, ps_member_number(area, "tracks_total"));
}

/* --- Gaps --- */

/* The name id of the innermost slice of a track of GET window; 0: there is none. */
static double innermost_name(const cJSON *track)
{
    const cJSON *slices = ps_member(track, "slices"), *depths = ps_member(slices, "depth");
    const int n = cJSON_GetArraySize(depths);
    double deepest = -1, name = 0;

    for (int i = 0; i < n; i++) {
        const double depth = cJSON_GetArrayItem(depths, i)->valuedouble;
        const cJSON *id = cJSON_GetArrayItem(ps_member(slices, "name"), i);

        if (depth > deepest && cJSON_IsNumber(id)) {
            deepest = depth;
            name = id->valuedouble;
        }
    }
    return name;
}

/* Appends "3,4": the threads of the host, as a parameter. */
static void add_host_tracks(const cJSON *timeline, struct ps_buf *text)
{
    const cJSON *track;
    int n = 0;

    cJSON_ArrayForEach(track, ps_member(timeline, "tracks"))
    {
        if (ps_member_number(track, "device") < 0 && n++ < HOST_TRACKS_MAX)
            ps_buf_printf(text, "%s%.0f", n > 1 ? "," : "", ps_member_number(track, "id"));
    }
}

static void add_name_of_id(const struct window *w, double id, struct ps_buf *text)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    char params[64], key[32];

    (void)snprintf(params, sizeof params, "ids=%.0f", id);
    (void)snprintf(key, sizeof key, "%.0f", id);
    if (ps_ask_view(w->call, w->id, "names", params, &answer, PS_ERR_IGNORED) == PS_OK)
        ps_output_quote(text, ps_member_text(ps_member(answer, "names"), key));
}

/* Appends what the threads of the host did at a time: the innermost slice of each. */
static void add_host_at(const struct window *w, const cJSON *timeline, double t_ns,
                        struct ps_buf *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf tracks = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    const cJSON *track;

    add_host_tracks(timeline, &tracks);
    if (!tracks.len)
        return;
    ps_buf_puts(&path, "runs");
    ps_url_add_segment(&path, w->id);
    /* a window that is much shorter than slices are, so that it has those that are open */
    ps_buf_printf(&path, "/window?from_ns=%.0f&to_ns=%.0f&px=10", t_ns, t_ns + 100);
    ps_url_add_param(&path, "tracks", tracks.ptr);
    /* the gap is reported without the threads */
    if (ps_ask(w->call, &path, &answer, PS_ERR_IGNORED) != PS_OK)
        return;
    cJSON_ArrayForEach(track, ps_member(answer, "tracks"))
    {
        const double name = innermost_name(track);

        if (name <= 0)
            continue;
        ps_buf_puts(text, text->len ? "; " : "");
        add_name_of_id(w, name, text);
    }
}

static void add_gaps(const struct window *w, const cJSON *timeline)
{
    static const struct ps_output_column columns[] = {
        {"start in ms", "ms", PS_NUMBER},
        {"in the window", "us", PS_NUMBER},
        {"cause", "", PS_WORDS},
        {"the host meanwhile, innermost slice of each thread", "", PS_WORDS}};
    PS_AUTO(ps_json_free) cJSON *gaps = NULL;
    const cJSON *sums;
    int rows;

    /* a trace without devices has no gaps */
    if (ask_window(w, "gaps", "&sort=duration_us&desc=1&limit=3", &gaps, PS_ERR_IGNORED) != PS_OK ||
        (rows = ps_count_rows(gaps)) == 0)
        return;
    sums = ps_member(gaps, "sums");
    ps_output_fact_value(w->call->out, "idle time of devices", ps_member_number(sums, "within_us"),
                         "us");
    ps_output_fact_value(w->call->out, "of it waiting for the host",
                         ps_member_number(sums, "host_wait_us"), "us");
    ps_output_table(w->call->out, "longest gaps of a device", columns, 4);
    for (int row = 0; row < rows && row < GAPS_MAX; row++) {
        PS_AUTO(ps_buf_free) struct ps_buf host = {0};
        const double start = ps_cell_number(gaps, row, "start_ns"),
                     length = 1000 * ps_cell_number(gaps, row, "duration_us");

        add_host_at(w, timeline, start + length / 2, &host);
        ps_output_value(w->call->out, start / MS, "ms");
        ps_output_value(w->call->out, ps_cell_number(gaps, row, "within_us"), "us");
        ps_output_word(w->call->out, ps_cell_text(gaps, row, "cause"));
        ps_output_cell(w->call->out, &host);
        ps_output_row_end(w->call->out);
    }
    ps_output_table_end(w->call->out, ps_member_number(gaps, "total"));
}

/* --- Slices --- */

static void add_slices(const struct window *w, const char *view, const char *title,
                       const char *self, const char *total)
{
    const struct ps_output_column columns[] = {{self ? "self time" : "total time", "us", PS_NUMBER},
                                               {"total time", "us", PS_NUMBER},
                                               {w->is_sampled ? "slices" : "calls", "", PS_NUMBER},
                                               {"name", "", PS_WORDS}};
    PS_AUTO(ps_json_free) cJSON *page = NULL;
    struct ps_output *out = w->call->out;
    char params[120];

    (void)snprintf(params, sizeof params, "&sort=%s&desc=1&limit=%u", self ? self : total,
                   out->max_rows);
    /* a kind without this table has none of these slices */
    if (ask_window(w, view, params, &page, PS_ERR_IGNORED) != PS_OK || ps_count_rows(page) == 0)
        return;
    ps_output_table(out, title, self ? columns : columns + 1, self ? 4 : 3);
    for (int row = 0; row < ps_count_rows(page); row++) {
        if (self)
            ps_output_value(out, ps_cell_number(page, row, self), "us");
        ps_output_value(out, ps_cell_number(page, row, total), "us");
        ps_output_value(out, ps_cell_number(page, row, "calls"), "");
        ps_output_name(out, ps_cell_text(page, row, "name"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, ps_member_number(page, "total"));
}

enum ps_status ps_tool_timeline(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    PS_AUTO(ps_json_free) cJSON *timeline = NULL;
    PS_AUTO(ps_json_free) cJSON *area = NULL;
    struct window w = {.call = call};
    char tab[80];

    if (ps_ask_run(call, &run, err) != PS_OK)
        return err->code;
    if (!ps_kind_has(ps_member_text(run, "kind"), PS_HAS_SLICES))
        return ps_fail(err, PS_BAD_REQUEST,
                       "runs of kind %.30s have no timeline" PS_HINT "use hot and explore",
                       ps_member_text(run, "kind"));
    w.id = ps_member_text(run, "id");
    w.is_sampled = ps_member_number(ps_member(run, "summary"), "sampled") > 0;
    if (ps_ask_view(call, w.id, "timeline", "px=1", &timeline, err) != PS_OK ||
        read_window(&w, timeline, err) != PS_OK || ask_window(&w, "area", "", &area, err) != PS_OK)
        return err->code;
    (void)snprintf(tab, sizeof tab, "timeline?from_ns=%.0f&to_ns=%.0f", w.from_ns, w.to_ns);
    ps_begin_run(call, "timeline", run, tab);
    ps_output_fact(call->out, "window", "%.3f ms to %.3f ms of the trace", w.from_ns / MS,
                   w.to_ns / MS);
    ps_output_fact_value(call->out, "length", w.to_ns - w.from_ns, "ns");
    add_parts(&w);
    add_devices(call->out, area, w.to_ns - w.from_ns);
    add_gaps(&w, timeline);
    add_tracks(&w, area, timeline);
    add_slices(&w, "slices", "slices by self time on their thread", "self_cpu_us", "cpu_total_us");
    add_slices(&w, "kernels", "kernels, copies and sets by time on the device", NULL, "total_us");
    return PS_OK;
}
