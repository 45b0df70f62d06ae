/* SPDX-License-Identifier: MIT */
/*
 * steps_device.c: use of each device, and the gaps in which a stream was idle.
 *
 * HTA leaves out the work launched in the last of several steps, since a trace often ends inside
 * it; the HTA metrics here do the same.
 */
#include "importers/trace/import.h"
#include "importers/trace/steps.h"

#include "base/mem.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

/* HTA: a shorter gap whose next kernel was already launched is the device's own delay between two
 * kernels. HTA's documentation says 30 ns; its code compares µs. */
#define KERNEL_WAIT_NS 30000

static bool is_device(const void *devices, uint32_t index, const void *number)
{
    return ((const struct tr_device *)devices)[index].device == *(const int64_t *)number;
}

static struct tr_device *device_of(struct tr_steps *steps, int64_t device)
{
    uint32_t index =
        ps_hash_table_add(&steps->device_at, ps_hash_u64((uint64_t)device),
                          (uint32_t)steps->n_devices, is_device, steps->devices, &device);

    if (index == steps->n_devices) {
        PS_PUSH_ROOM(steps->devices, steps->n_devices, steps->cap_devices);
        steps->devices[steps->n_devices++] = (struct tr_device){.device = device};
    }
    return &steps->devices[index];
}

static const struct tr_launch *launch_of(struct tr_steps *steps, const struct tr_track *track,
                                         uint32_t row)
{
    int64_t id = track->extra[TR_LAUNCH] ? track->extra[TR_LAUNCH][row] : 0;
    uint64_t of = (uint64_t)id >> 32;
    uint32_t wanted = (uint32_t)id;
    struct tr_launches *launches = of && of < steps->n_launches ? &steps->launches[of] : NULL;
    size_t low = 0, high = launches ? launches->n : 0;

    if (launches && launches->hint < high && launches->at[launches->hint].row <= wanted) {
        low = launches->hint; /* usually one of the next */
        for (size_t step = 1; low + step < high; step *= 2)
            if (launches->at[low + step].row > wanted)
                high = low + step;
    }
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;

        if (launches->at[middle].row <= wanted)
            low = middle;
        else
            high = middle;
    }
    if (low >= high || launches->at[low].row != wanted)
        return NULL;
    launches->hint = low;
    return &launches->at[low];
}

/* Adds device work to the step that launched it. Returns whether HTA leaves the work out. */
static bool into_step(struct tr_steps *steps, const struct tr_launch *launch, int64_t start,
                      int64_t end)
{
    struct tr_step *step = launch ? tr_steps_of(steps, launch) : NULL;

    if (!steps->annotated && steps->n_steps)
        step = &steps->steps[0];
    if (step) {
        step->works++;
        step->first_work = start < step->first_work ? start : step->first_work;
        step->last_work = end > step->last_work ? end : step->last_work;
    } else {
        PS_PUSH_ROOM(steps->strays, steps->n_strays, steps->cap_strays);
        steps->strays[steps->n_strays++] = end;
    }
    return steps->annotated && steps->n_steps > 1 &&
           (!launch || launch->start >= steps->steps[steps->n_steps - 1].host_start);
}

static struct ps_str markers_of(struct tr_trace *trace, struct ps_str text)
{
    char *markers = ps_arena_alloc(&trace->arena, text.len + 1);
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == PS_TEMPLATE_INT || text.at[i] == PS_TEMPLATE_DECIMAL)
            markers[n++] = text.at[i];
    return (struct ps_str){markers, n};
}

static struct tr_kernel_params *params_of(struct tr_steps *steps, uint32_t template)
{
    struct tr_kernel_params *params;
    struct ps_str text;

    steps->params = ps_grow_to(steps->params, &steps->n_params, template, sizeof *steps->params);
    params = &steps->params[template];
    if (params->known)
        return params;
    text = template <steps->trace->n_templates ? steps->trace->templates[template].text
                                               : (struct ps_str){0};
    *params = (struct tr_kernel_params){
        .known = true,
        .markers = markers_of(steps->trace, text),
        .blocks = (int16_t)ps_template_param(text, PS_STR("blocks per SM")),
        .occupancy = (int16_t)ps_template_param(text, PS_STR("est. achieved occupancy %")),
    };
    return params;
}

static float param(struct ps_str markers, struct ps_str args, int index)
{
    struct ps_num value = index < 0 ? (struct ps_num){0} : ps_args_param(markers, args, index);

    return value.kind == PS_NUM_NONE ? NAN : (float)ps_num_real(value);
}

static void add_kernel(struct tr_steps *steps, struct tr_device *device,
                       const struct tr_track *track, uint32_t row)
{
    uint32_t template = track->template ? track->template[row] : 0;
    struct tr_kernel_params *params = params_of(steps, template);
    struct ps_str args = {0};
    int64_t start = track->start[row], duration = track->duration[row];

    if (params->blocks >= 0 || params->occupancy >= 0)
        args = tr_args_of(steps->trace, track->args_at[row]);
    TR_PUSH_ROOM(steps->trace->room, device->kernels, device->n_kernels, device->cap_kernels);
    device->kernels[device->n_kernels++] = (struct ps_device_work){
        .start = start,
        .end = start + duration,
        .blocks = param(params->markers, args, params->blocks),
        .occupancy = param(params->markers, args, params->occupancy),
    };
    device->kernel_ns = ps_sum(device->kernel_ns, duration);
    if (track->flags[row] & PS_SLICE_TENSOR_CORE)
        device->tensor_core_ns = ps_sum(device->tensor_core_ns, duration);
}

static enum tr_work work_of(struct tr_steps *steps, const struct tr_track *track, uint32_t row)
{
    switch (ps_role_of(track->slice_kind[row], track->flags[row],
                       tr_steps_meaning(steps, track->name_id[row]))) {
    case PS_ROLE_MEMCPY:
        return TR_WORK_MEMCPY;
    case PS_ROLE_MEMSET:
        return TR_WORK_MEMSET;
    case PS_ROLE_COMMUNICATION:
        return TR_WORK_COMMUNICATION;
    default:
        return TR_WORK_COMPUTE;
    }
}

static void add_work(struct tr_steps *steps, struct tr_device *device, const struct tr_track *track,
                     uint32_t row, const struct tr_launch *launch)
{
    int64_t start = track->start[row], end = start + track->duration[row];
    enum tr_work work = work_of(steps, track, row);
    bool late = into_step(steps, launch, start, end);

    ps_spans_add(&device->works[late][work], start, end);
    if (track->slice_kind[row] == PS_SLICE_KERNEL)
        add_kernel(steps, device, track, row);
    else
        device->copies++;
}

static int64_t length_of(const struct ps_gap *gap)
{
    return gap->end_ns - gap->start_ns;
}

/* Replaces the root of the heap, the shortest gap, by `gap`. */
static void sift_down(struct tr_gaps *gaps, struct ps_gap gap)
{
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < gaps->n; i = child) {
        if (child + 1 < gaps->n && length_of(&gaps->at[child + 1]) < length_of(&gaps->at[child]))
            child++;
        if (length_of(&gaps->at[child]) >= length_of(&gap))
            break;
        gaps->at[i] = gaps->at[child];
    }
    gaps->at[i] = gap;
}

static void keep_gap(struct tr_gaps *gaps, struct ps_gap gap)
{
    gaps->total[gap.cause]++;
    gaps->total_ns[gap.cause] = ps_sum(gaps->total_ns[gap.cause], length_of(&gap));
    if (gaps->n < TR_GAPS_MAX) {
        size_t i;

        PS_PUSH_ROOM(gaps->at, gaps->n, gaps->cap);
        for (i = gaps->n++; i > 0 && length_of(&gaps->at[(i - 1) / 2]) > length_of(&gap);
             i = (i - 1) / 2)
            gaps->at[i] = gaps->at[(i - 1) / 2];
        gaps->at[i] = gap;
    } else if (length_of(&gap) > length_of(&gaps->at[0])) {
        sift_down(gaps, gap);
    }
}

static uint8_t cause_of(const struct tr_launch *launch, int64_t from, int64_t to)
{
    return launch && launch->start > from ? TR_GAP_HOST_WAIT
           : to - from < KERNEL_WAIT_NS   ? TR_GAP_KERNEL_WAIT
                                          : TR_GAP_OTHER;
}

static void add_gap(struct tr_steps *steps, struct tr_device *device, struct ps_gap gap,
                    const struct tr_launch *launch)
{
    gap.cause = cause_of(launch, gap.start_ns, gap.end_ns);
    keep_gap(&steps->gaps, gap);
    if (gap.cause == TR_GAP_HOST_WAIT)
        ps_spans_add(&device->waits, gap.start_ns, gap.end_ns);
}

void tr_steps_stream(struct tr_steps *steps, const struct tr_track *track)
{
    struct tr_device *device = NULL;
    uint32_t before = TR_NO_ROW;
    int64_t busy_until = 0;

    for (uint32_t row = 0; row < track->n; row++) {
        int64_t start = track->start[row], end = start + track->duration[row];
        const struct tr_launch *launch;

        tr_room_row(track->room, row);
        if (!ps_slice_on_device(track->slice_kind[row]))
            continue;
        device = device ? device : device_of(steps, track->device);
        launch = launch_of(steps, track, row);
        add_work(steps, device, track, row, launch);
        if (before != TR_NO_ROW && start > busy_until)
            add_gap(steps, device,
                    (struct ps_gap){.stream_track = track->id,
                                    .start_ns = busy_until,
                                    .end_ns = start,
                                    .before = ps_slice_id(track->id, before),
                                    .after = ps_slice_id(track->id, row)},
                    launch);
        if (before == TR_NO_ROW || end >= busy_until) {
            busy_until = end;
            before = row;
        }
    }
}

/* --- Gaps --- */

static int by_start(const void *a, const void *b)
{
    const struct ps_gap *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->stream_track > y->stream_track) - (x->stream_track < y->stream_track);
}

static void give_gaps(struct tr_steps *steps)
{
    static const char *const counts[] = {"gaps_host_wait", "gaps_kernel_wait", "gaps_other"};
    static const char *const sums[] = {"gaps_host_wait_ns", "gaps_kernel_wait_ns", "gaps_other_ns"};
    struct ps_sink *out = steps->trace->out;
    struct tr_gaps *gaps = &steps->gaps;

    if (gaps->n)
        qsort(gaps->at, gaps->n, sizeof *gaps->at, by_start);
    for (size_t i = 0; i < gaps->n; i++)
        out->ops->gap(out, &gaps->at[i]);
    for (size_t k = 0; k < TR_N_GAP_CAUSES; k++) {
        out->ops->number(out, counts[k], ps_int((int64_t)gaps->total[k]));
        out->ops->number(out, sums[k], ps_int(gaps->total_ns[k]));
    }
}

/* --- Devices --- */

/* Returns the next object of a list of objects as written, and advances *text; {NULL, 0}: no
 * more. */
static struct ps_str next_object(struct ps_str *text)
{
    bool quoted = false;
    const char *start = NULL;
    size_t depth = 0;

    for (; text->len; *text = ps_str_skip(*text, 1)) {
        char c = *text->at;

        if (quoted && c == '\\')
            *text = ps_str_skip(*text, 1);
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == '{' && depth++ == 0)
            start = text->at;
        else if (!quoted && c == '}' && depth && --depth == 0) {
            *text = ps_str_skip(*text, 1);
            return (struct ps_str){start, (size_t)(text->at - start)};
        }
        if (!text->len)
            break;
    }
    return (struct ps_str){0};
}

/* Sets json and name of the device from its entry in deviceProperties. If only one device worked
 * and only one is described, they are the same (ROCm counts processors among the devices of its
 * events). The name is copied to the trace's arena. */
static void describe(struct tr_trace *trace, struct ps_device_summary *summary, bool only)
{
    struct ps_str list = {0}, object, rest;

    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_is(trace->headers[i].key, "deviceProperties"))
            list = trace->headers[i].json;
    rest = list;
    only = only && next_object(&rest).at && !next_object(&rest).at;
    while ((object = next_object(&list)).at && !summary->json.at) {
        cJSON *tree = cJSON_ParseWithLength(object.at, object.len);
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(tree, "id");
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tree, "name"));

        if (only || (cJSON_IsNumber(id) && id->valuedouble == (double)summary->device)) {
            summary->json = object;
            summary->name = ps_arena_copy(&trace->arena, ps_str_of(name ? name : ""));
        }
        cJSON_Delete(tree);
    }
}

static void add_all(struct ps_spans *to, const struct ps_spans *from)
{
    for (size_t i = 0; i < from->n; i++)
        ps_spans_add(to, from->at[i].start, from->at[i].end);
}

/* Computes HTA's temporal breakdown, from the first to the last work of the device. */
static void temporal(struct tr_device *device, struct ps_device_summary *summary)
{
    struct ps_spans all = {0}, *works = device->works[0];

    for (size_t k = 0; k < TR_N_WORKS; k++)
        add_all(&all, &works[k]);
    ps_spans_join(&all);
    ps_spans_join(&works[TR_WORK_COMPUTE]);
    if (all.n) {
        int64_t from = all.at[0].start, to = all.at[all.n - 1].end;

        summary->hta_kernel_time_ns = to - from;
        summary->hta_idle_ns = to - from - ps_spans_length(&all, from, to);
        summary->hta_compute_ns = ps_spans_length(&works[TR_WORK_COMPUTE], from, to);
        summary->hta_non_compute_ns =
            summary->hta_kernel_time_ns - summary->hta_compute_ns - summary->hta_idle_ns;
    }
    ps_spans_free(&all);
}

/* Computes communication, computation and their overlap in [from, to), including the work that HTA
 * leaves out. Returns how long nothing ran because the host had not launched it, while the host was
 * not waiting for data. */
static int64_t overlap(struct tr_device *device, const struct ps_spans *loading,
                       struct ps_device_summary *summary, int64_t from, int64_t to)
{
    struct ps_spans all = {0}, *works = device->works[0];
    struct ps_spans *compute = &works[TR_WORK_COMPUTE];
    struct ps_spans *communication = &works[TR_WORK_COMMUNICATION];
    int64_t waiting;

    for (size_t k = 0; k < TR_N_WORKS; k++) {
        add_all(&works[k], &device->works[1][k]);
        ps_spans_join(&works[k]);
        add_all(&all, &works[k]);
    }
    ps_spans_join(&all);
    ps_spans_join(&device->waits);
    summary->communication_ns = ps_spans_length(communication, from, to);
    summary->overlap_ns = ps_spans_common(communication, compute, from, to);
    summary->busy_ns =
        ps_spans_length(compute, from, to) + summary->communication_ns - summary->overlap_ns;
    add_all(&all, loading);
    ps_spans_join(&all);
    waiting =
        ps_spans_length(&device->waits, from, to) - ps_spans_common(&device->waits, &all, from, to);
    ps_spans_free(&all);
    return waiting;
}

static void give_device(struct tr_steps *steps, struct tr_device *device, int64_t from, int64_t to,
                        int64_t *busy_ns)
{
    struct ps_sink *out = steps->trace->out;
    struct ps_device_use use;
    struct ps_device_summary summary = {
        .device = device->device,
        .span_ns = to - from,
        .kernel_ns = device->kernel_ns,
        .tensor_core_ns = device->tensor_core_ns,
        .kernels = (int64_t)device->n_kernels,
        .copies = device->copies,
    };

    ps_sort_runs(device->kernels, device->n_kernels, sizeof *device->kernels);
    use = ps_device_use_of(device->kernels, device->n_kernels, from, to);
    tr_room_free(steps->trace->room, device->kernels);
    device->kernels = NULL;
    tr_room_rest(steps->trace->room);
    summary.sm_efficiency = use.sm_efficiency;
    summary.occupancy = use.occupancy;
    temporal(device, &summary);
    steps->waiting_ns = ps_sum(
        steps->waiting_ns, overlap(device, &steps->roles[PS_ROLE_DATALOADER], &summary, from, to));
    describe(steps->trace, &summary, steps->n_devices == 1);
    out->ops->device(out, &summary);
    *busy_ns = ps_sum(*busy_ns, summary.busy_ns);
}

void tr_steps_devices(struct tr_steps *steps, int64_t from, int64_t to)
{
    struct ps_sink *out = steps->trace->out;
    struct ps_num busy = {0};
    int64_t busy_ns = 0;

    for (size_t i = 0; i < steps->n_devices; i++)
        give_device(steps, &steps->devices[i], from, to, &busy_ns);
    if (steps->n_devices)
        busy = ps_real((double)busy_ns / ((double)(to - from) * (double)steps->n_devices));
    out->ops->number(out, "gpu_busy", busy);
    out->ops->number(out, "host_wait_idle_ns", ps_int(steps->waiting_ns));
    give_gaps(steps);
}

void tr_steps_devices_free(struct tr_steps *steps)
{
    for (size_t i = 0; i < steps->n_devices; i++) {
        for (size_t k = 0; k < TR_N_WORKS; k++) {
            ps_spans_free(&steps->devices[i].works[0][k]);
            ps_spans_free(&steps->devices[i].works[1][k]);
        }
        ps_spans_free(&steps->devices[i].waits);
        tr_room_free(steps->trace->room, steps->devices[i].kernels);
    }
    free(steps->devices);
    ps_hash_table_free(&steps->device_at);
}
