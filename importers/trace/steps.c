/* SPDX-License-Identifier: MIT */
/*
 * steps.c: computes the steps of a training loop, the breakdown of their time, and the utilization
 * of each device.
 *
 * Host tracks are read first; only joined intervals, the steps and 16 bytes per runtime call remain
 * in memory. Streams are read next, when every launch and therefore the step of each kernel is
 * known.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "base/hash_table.h"
#include "base/mem.h"
#include "importers/records/steps.h"
#include "importers/trace/loops.h"
#include "importers/trace/steps.h"
#include "importers/trace/track.h"
#include "slices/roles.h"
#include "slices/serving.h"

/* What marks the steps. If a trace has steps of several sources, those of the greatest count. */
enum step_source {
    SOURCE_TRACE,     /* nothing: the trace is one step */
    SOURCE_OPTIMIZER, /* loops of trainings (importers/trace/loops.h) */
    SOURCE_DEEPSPEED,
    SOURCE_LIGHTNING,
    SOURCE_PROFILER, /* ProfilerStep# */
    SOURCE_MEGATRON, /* loops of engines (importers/trace/loops.h) */
    SOURCE_GENERATE,
    SOURCE_SERVING, /* annotations of a serving engine (slices/serving.h) */
    /* its annotations with the sums of tokens, which stand inside of the others */
    SOURCE_SERVING_DETAILED,
};

/* A runtime call that may have launched device work. */
struct launch {
    int64_t start;
    uint32_t row;
    uint32_t duration; /* ns, at most 4.29 s: a longer call may extend past the end of its step */
};

/* The calls of one track, sorted by row. */
struct launches {
    struct launch *items;
    size_t n, cap;
    /* index of the launch found last: kernels of a stream are mostly in launch order */
    size_t hint;
};

struct step {
    int64_t host_start; /* sort key; must be the first member */
    int64_t host_end;
    int64_t start, end; /* of the step with its device work, by tb_plugin's rules */
    /* ns: first start and last end of the device work that the step launched; INT64_MAX and
     * INT64_MIN: the step launched none */
    int64_t first_work, last_work;
    uint64_t works;
    uint32_t name;  /* text id; 0: the complete trace */
    uint8_t source; /* enum step_source */
    bool is_idle;   /* a serving engine says that the step has no requests */
    bool is_counted;
};

/* A time in which a stream works without a break. */
struct busy {
    int64_t start; /* first member, the sort key */
    int64_t end;
    int64_t launched;    /* start of the call that launched the first slice; INT64_MIN: unknown */
    int64_t first, last; /* ids of the first slice, and of the slice that ends last */
};

enum work { WORK_COMPUTE, WORK_COMMUNICATION, WORK_MEMCPY, WORK_MEMSET, N_WORKS };

struct device {
    int64_t device;
    /* works[1]: work that was launched in the last step, which HTA ignores */
    struct ps_intervals works[2][N_WORKS];
    /* idle gaps of the device whose next work was launched after the gap began */
    struct ps_intervals waits;
    struct busy *busy; /* of all its streams */
    size_t n_busy, cap_busy;
    struct ps_kernel_use *kernels;
    size_t n_kernels, cap_kernels;
    int64_t kernel_ns, tensor_core_ns, copies;
};

struct gaps {
    struct ps_gap *items; /* the longest gaps; a heap with the shortest of them at the root */
    size_t n, cap;
    int64_t total_ns[TR_N_GAP_CAUSES];
    uint64_t total[TR_N_GAP_CAUSES];
};

/* Parameters of a template that describe a kernel. */
struct kernel_params {
    bool is_known;
    /* the marker bytes of the template, which ps_args_param accepts instead of its text */
    struct ps_str markers;
    int16_t blocks, occupancy; /* index of the parameter; -1: none */
};

struct tr_steps {
    struct tr_trace *trace;
    struct step *steps; /* sorted by host_start after the last host track */
    size_t n_steps, cap_steps;
    enum step_source source; /* of the steps, after the last host track */
    struct tr_loops *loops;
    struct launches *launches; /* by track id */
    size_t n_launches;
    /* intervals of the host; tr_steps_end adds those of the devices */
    struct ps_intervals roles[PS_N_ROLES];
    struct ps_intervals communication; /* intervals of the devices; set by tr_steps_end */
    /* first start and last end of all operators and calls; host_start > host_end: none */
    int64_t host_start, host_end;
    struct ps_name_kinds meanings;
    struct kernel_params *params; /* by template id */
    size_t n_params;
    struct device *devices; /* in order of appearance */
    size_t n_devices, cap_devices;
    struct ps_hash_table device_by_number; /* device number -> index in devices */
    struct gaps gaps;
    /* ns in which nothing ran on a device, the next kernel was not launched yet, and the host was
     * not waiting for data */
    int64_t waiting_ns;
    int64_t *stray_ends; /* ends of device work launched outside of all steps */
    size_t n_strays, cap_strays;
    bool host_done;
};

static enum ps_name_kind meaning_of_name(struct tr_steps *steps, uint32_t name)
{
    uint8_t *meaning = ps_name_kinds_slot(&steps->meanings, name);

    if (*meaning == PS_NAME_UNKNOWN)
        *meaning = (uint8_t)ps_name_kind_of(tr_text_of_id(steps->trace, name));
    return *meaning;
}

/* Returns the step that contains the complete runtime call; NULL: none. */
static struct step *step_of(struct tr_steps *steps, const struct launch *launch)
{
    size_t low = 0, high = steps->n_steps;

    while (low < high) { /* find the first step that starts later */
        size_t middle = low + (high - low) / 2;

        if (steps->steps[middle].host_start > launch->start)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0 || launch->start + launch->duration > steps->steps[low - 1].host_end)
        return NULL;
    return &steps->steps[low - 1];
}

/* --- Devices, and the gaps in their work --- */

/*
 * HTA ignores the work launched in the last of several steps, since a trace often ends inside that
 * step. The HTA metrics in this file do the same.
 */

/* HTA: if a gap is shorter than this and its next kernel was already launched, the gap is the
 * device's delay between two kernels ("kernel wait"). HTA's documentation says 30 ns; its code
 * compares µs. */
#define KERNEL_WAIT_NS 30000

static bool is_device(const void *devices, uint32_t index, const void *number)
{
    return ((const struct device *)devices)[index].device == *(const int64_t *)number;
}

static struct device *device_of(struct tr_steps *steps, int64_t device)
{
    uint32_t index =
        ps_hash_table_add(&steps->device_by_number, ps_hash_u64((uint64_t)device),
                          (uint32_t)steps->n_devices, is_device, steps->devices, &device);

    if (index == steps->n_devices) {
        PS_RESERVE_ONE(steps->devices, steps->n_devices, steps->cap_devices);
        steps->devices[steps->n_devices++] = (struct device){.device = device};
    }
    return &steps->devices[index];
}

static const struct launch *launch_of(struct tr_steps *steps, const struct tr_track *track,
                                      uint32_t row)
{
    int64_t id = track->extra[TR_EXTRA_LAUNCH] ? track->extra[TR_EXTRA_LAUNCH][row] : 0;
    uint64_t of = (uint64_t)id >> 32;
    uint32_t wanted = (uint32_t)id;
    struct launches *launches = of && of < steps->n_launches ? &steps->launches[of] : NULL;
    size_t low = 0, high = launches ? launches->n : 0;

    if (launches && launches->hint < high && launches->items[launches->hint].row <= wanted) {
        low = launches->hint; /* the launch is usually one of the next */
        for (size_t step = 1; low + step < high; step *= 2)
            if (launches->items[low + step].row > wanted)
                high = low + step;
    }
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;

        if (launches->items[middle].row <= wanted)
            low = middle;
        else
            high = middle;
    }
    if (low >= high || launches->items[low].row != wanted)
        return NULL;
    launches->hint = low;
    return &launches->items[low];
}

/* Adds device work to the step that launched it. Returns whether HTA ignores the work. */
static bool add_to_step(struct tr_steps *steps, const struct launch *launch, int64_t start,
                        int64_t end)
{
    struct step *step = launch ? step_of(steps, launch) : NULL;

    if (steps->source == SOURCE_TRACE && steps->n_steps)
        step = &steps->steps[0];
    if (step) {
        step->works++;
        step->first_work = start < step->first_work ? start : step->first_work;
        step->last_work = end > step->last_work ? end : step->last_work;
    } else {
        PS_RESERVE_ONE(steps->stray_ends, steps->n_strays, steps->cap_strays);
        steps->stray_ends[steps->n_strays++] = end;
    }
    return steps->source == SOURCE_PROFILER && steps->n_steps > 1 &&
           (!launch || launch->start >= steps->steps[steps->n_steps - 1].host_start);
}

static struct ps_str markers_of(struct tr_trace *trace, struct ps_str text)
{
    char *markers = ps_arena_alloc(&trace->arena, text.len + 1);
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        if (ps_template_is_marker(text.ptr[i]))
            markers[n++] = text.ptr[i];
    return (struct ps_str){markers, n};
}

static struct kernel_params *params_of(struct tr_steps *steps, uint32_t template)
{
    struct kernel_params *params;
    struct ps_str text;

    steps->params = ps_grow_to(steps->params, &steps->n_params, template, sizeof *steps->params);
    params = &steps->params[template];
    if (params->is_known)
        return params;
    text = template <steps->trace->n_templates ? steps->trace->templates[template].text
                                               : (struct ps_str){0};
    *params = (struct kernel_params){
        .is_known = true,
        .markers = markers_of(steps->trace, text),
        .blocks = (int16_t)ps_template_param(text, PS_STR("blocks per SM")),
        .occupancy = (int16_t)ps_template_param(text, PS_STR("est. achieved occupancy %")),
    };
    return params;
}

static float kernel_param(struct ps_str markers, struct ps_str args, int index)
{
    struct ps_num value = index < 0 ? (struct ps_num){0} : ps_args_param(markers, args, index);

    return value.kind == PS_NUM_NONE ? NAN : (float)ps_num_to_real(value);
}

static void add_kernel(struct tr_steps *steps, struct device *device, const struct tr_track *track,
                       uint32_t row)
{
    uint32_t template = track->template ? track->template[row] : 0;
    struct kernel_params *params = params_of(steps, template);
    struct ps_str args = {0};
    int64_t start = track->start[row], duration = track->duration[row];

    if (params->blocks >= 0 || params->occupancy >= 0)
        args = tr_params_at(steps->trace, track->args_address[row]);
    TR_SCRATCH_PUSH(steps->trace->scratch, device->kernels, device->n_kernels, device->cap_kernels);
    device->kernels[device->n_kernels++] = (struct ps_kernel_use){
        .start = start,
        .end = start + duration,
        .blocks = kernel_param(params->markers, args, params->blocks),
        .occupancy = kernel_param(params->markers, args, params->occupancy),
    };
    device->kernel_ns = ps_add_saturated(device->kernel_ns, duration);
    if (track->flags[row] & PS_SLICE_TENSOR_CORE)
        device->tensor_core_ns = ps_add_saturated(device->tensor_core_ns, duration);
}

static enum work work_of(struct tr_steps *steps, const struct tr_track *track, uint32_t row)
{
    switch (ps_role_of(track->slice_kind[row], track->flags[row],
                       meaning_of_name(steps, track->name_id[row]))) {
    case PS_ROLE_MEMCPY:
        return WORK_MEMCPY;
    case PS_ROLE_MEMSET:
        return WORK_MEMSET;
    case PS_ROLE_COMMUNICATION:
        return WORK_COMMUNICATION;
    default:
        return WORK_COMPUTE;
    }
}

static void add_work(struct tr_steps *steps, struct device *device, const struct tr_track *track,
                     uint32_t row, const struct launch *launch)
{
    int64_t start = track->start[row], end = start + track->duration[row];
    enum work work = work_of(steps, track, row);
    bool late = add_to_step(steps, launch, start, end);

    ps_intervals_add(&device->works[late][work], start, end);
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
static void sift_down(struct gaps *gaps, struct ps_gap gap)
{
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < gaps->n; i = child) {
        if (child + 1 < gaps->n &&
            length_of(&gaps->items[child + 1]) < length_of(&gaps->items[child]))
            child++;
        if (length_of(&gaps->items[child]) >= length_of(&gap))
            break;
        gaps->items[i] = gaps->items[child];
    }
    gaps->items[i] = gap;
}

static void push_gap(struct gaps *gaps, struct ps_gap gap)
{
    gaps->total[gap.cause]++;
    gaps->total_ns[gap.cause] = ps_add_saturated(gaps->total_ns[gap.cause], length_of(&gap));
    if (gaps->n < TR_GAPS_MAX) {
        size_t i;

        PS_RESERVE_ONE(gaps->items, gaps->n, gaps->cap);
        for (i = gaps->n++; i > 0 && length_of(&gaps->items[(i - 1) / 2]) > length_of(&gap);
             i = (i - 1) / 2)
            gaps->items[i] = gaps->items[(i - 1) / 2];
        gaps->items[i] = gap;
    } else if (length_of(&gap) > length_of(&gaps->items[0])) {
        sift_down(gaps, gap);
    }
}

static uint8_t cause_of(int64_t launched, int64_t from, int64_t to)
{
    return launched > from              ? TR_GAP_HOST_WAIT
           : to - from < KERNEL_WAIT_NS ? TR_GAP_KERNEL_WAIT
                                        : TR_GAP_OTHER;
}

static void read_stream(struct tr_steps *steps, const struct tr_track *track)
{
    struct device *device = NULL;
    struct busy *busy = NULL;

    for (uint32_t row = 0; row < track->n; row++) {
        int64_t start = track->start[row], end = start + track->duration[row];
        int64_t id = ps_slice_id(track->id, row);
        const struct launch *launch;

        tr_scratch_count_row(track->scratch, row);
        if (!ps_slice_on_device(track->slice_kind[row]))
            continue;
        if (!device) {
            device = device_of(steps, track->device);
            TR_SCRATCH_RESERVE(track->scratch, device->busy, device->n_busy, device->cap_busy,
                               track->n - row);
            TR_SCRATCH_RESERVE(track->scratch, device->kernels, device->n_kernels,
                               device->cap_kernels, track->n - row);
        }
        launch = launch_of(steps, track, row);
        add_work(steps, device, track, row, launch);
        if (busy && start <= busy->end) {
            if (end >= busy->end) {
                busy->end = end;
                busy->last = id;
            }
            continue;
        }
        TR_SCRATCH_PUSH(steps->trace->scratch, device->busy, device->n_busy, device->cap_busy);
        busy = &device->busy[device->n_busy++];
        *busy = (struct busy){.start = start,
                              .end = end,
                              .launched = launch ? launch->start : INT64_MIN,
                              .first = id,
                              .last = id};
    }
}

/* --- Gaps --- */

/* Finds the gaps in which no stream of the device works. */
static void find_gaps(struct tr_steps *steps, struct device *device)
{
    const struct busy *before = NULL; /* the work that ends last */

    ps_sort_records(device->busy, device->n_busy, sizeof *device->busy);
    for (size_t i = 0; i < device->n_busy; i++) {
        const struct busy *busy = &device->busy[i];

        if (before && busy->start > before->end) {
            struct ps_gap gap = {
                .stream_track = busy->first >> 32,
                .start_ns = before->end,
                .end_ns = busy->start,
                .cause = cause_of(busy->launched, before->end, busy->start),
                .slice_before = before->last,
                .slice_after = busy->first,
            };

            push_gap(&steps->gaps, gap);
            if (gap.cause == TR_GAP_HOST_WAIT)
                ps_intervals_add(&device->waits, gap.start_ns, gap.end_ns);
        }
        if (!before || busy->end >= before->end)
            before = busy;
    }
    tr_scratch_free(steps->trace->scratch, device->busy);
    device->busy = NULL;
}

static int by_start(const void *a, const void *b)
{
    const struct ps_gap *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->stream_track > y->stream_track) - (x->stream_track < y->stream_track);
}

static void write_gaps(struct tr_steps *steps)
{
    static const char *const counts[] = {"idle_host_wait", "idle_kernel_wait", "idle_other"};
    static const char *const sums[] = {"idle_host_wait_ns", "idle_kernel_wait_ns", "idle_other_ns"};
    struct ps_sink *out = steps->trace->out;
    struct gaps *gaps = &steps->gaps;

    if (gaps->n)
        qsort(gaps->items, gaps->n, sizeof *gaps->items, by_start);
    for (size_t i = 0; i < gaps->n; i++)
        out->ops->gap(out, &gaps->items[i]);
    for (size_t k = 0; k < TR_N_GAP_CAUSES; k++) {
        out->ops->number(out, counts[k], ps_int((int64_t)gaps->total[k]));
        out->ops->number(out, sums[k], ps_int(gaps->total_ns[k]));
    }
}

/* --- Devices --- */

/* Returns the text of the next object in a list of objects, and advances *text; {NULL, 0}: no more
 * objects. */
static struct ps_str next_object(struct ps_str *text)
{
    bool quoted = false;
    const char *start = NULL;
    size_t depth = 0;

    for (; text->len; *text = ps_str_skip(*text, 1)) {
        char c = *text->ptr;

        if (quoted && c == '\\')
            *text = ps_str_skip(*text, 1);
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == '{' && depth++ == 0)
            start = text->ptr;
        else if (!quoted && c == '}' && depth && --depth == 0) {
            *text = ps_str_skip(*text, 1);
            return (struct ps_str){start, (size_t)(text->ptr - start)};
        }
        if (!text->len)
            break;
    }
    return (struct ps_str){0};
}

/* Sets json and name of the device from its entry in deviceProperties. `only`: this is the only
 * device with work; if deviceProperties has only one entry, it describes this device (ROCm also
 * numbers processors as devices of events). The name is copied to the trace's arena. */
static void describe_devices(struct tr_trace *trace, struct ps_device_summary *summary, bool only)
{
    struct ps_str list = {0}, object, rest;

    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_eq_c(trace->headers[i].key, "deviceProperties"))
            list = trace->headers[i].json;
    rest = list;
    only = only && next_object(&rest).ptr && !next_object(&rest).ptr;
    while ((object = next_object(&list)).ptr && !summary->json.ptr) {
        cJSON *tree = cJSON_ParseWithLength(object.ptr, object.len);
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(tree, "id");
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tree, "name"));

        if (only || (cJSON_IsNumber(id) && id->valuedouble == (double)summary->device)) {
            summary->json = object;
            summary->name = ps_arena_copy(&trace->arena, ps_str_from_c(name ? name : ""));
        }
        cJSON_Delete(tree);
    }
}

/* Computes HTA's temporal breakdown, from the first to the last work of the device. */
static void compute_temporal(struct device *device, struct ps_device_summary *summary)
{
    struct ps_intervals all = {0}, *works = device->works[0];

    for (size_t k = 0; k < N_WORKS; k++)
        ps_intervals_add_all(&all, &works[k]);
    ps_intervals_join(&all);
    ps_intervals_join(&works[WORK_COMPUTE]);
    if (all.n) {
        int64_t from = all.items[0].start, to = all.items[all.n - 1].end;

        summary->hta_kernel_time_ns = to - from;
        summary->hta_idle_ns = to - from - ps_intervals_length(&all, from, to);
        summary->hta_compute_ns = ps_intervals_length(&works[WORK_COMPUTE], from, to);
        summary->hta_non_compute_ns =
            summary->hta_kernel_time_ns - summary->hta_compute_ns - summary->hta_idle_ns;
    }
    ps_intervals_free(&all);
}

/* Computes communication, computation and their overlap in [from, to), including the work that HTA
 * ignores. Returns the ns in which no work ran because the host had not launched it and the host
 * was not waiting for data. */
static int64_t compute_overlap(struct device *device, const struct ps_intervals *loading,
                               struct ps_device_summary *summary, int64_t from, int64_t to)
{
    struct ps_intervals all = {0}, *works = device->works[0];
    struct ps_intervals *compute = &works[WORK_COMPUTE];
    struct ps_intervals *communication = &works[WORK_COMMUNICATION];
    int64_t waiting;

    for (size_t k = 0; k < N_WORKS; k++) {
        ps_intervals_add_all(&works[k], &device->works[1][k]);
        ps_intervals_join(&works[k]);
        ps_intervals_add_all(&all, &works[k]);
    }
    ps_intervals_join(&all);
    ps_intervals_join(&device->waits);
    summary->communication_ns = ps_intervals_length(communication, from, to);
    summary->overlap_ns = ps_intervals_common_length(communication, compute, from, to);
    summary->busy_ns =
        ps_intervals_length(compute, from, to) + summary->communication_ns - summary->overlap_ns;
    ps_intervals_add_all(&all, loading);
    ps_intervals_join(&all);
    waiting = ps_intervals_length(&device->waits, from, to) -
              ps_intervals_common_length(&device->waits, &all, from, to);
    ps_intervals_free(&all);
    return waiting;
}

static void write_device(struct tr_steps *steps, struct device *device, int64_t from, int64_t to,
                         int64_t *busy_ns)
{
    struct ps_sink *out = steps->trace->out;
    struct ps_device_use use;
    struct ps_device_summary summary = {
        .device = device->device,
        .span_ns = to - from,
        .kernel_ns = device->kernel_ns,
        .tensor_core_ns = device->tensor_core_ns,
        .n_kernels = (int64_t)device->n_kernels,
        .n_copies = device->copies,
    };

    ps_sort_records(device->kernels, device->n_kernels, sizeof *device->kernels);
    use = ps_device_use_compute(device->kernels, device->n_kernels, from, to);
    tr_scratch_free(steps->trace->scratch, device->kernels);
    device->kernels = NULL;
    tr_scratch_drop_pages(steps->trace->scratch);
    summary.sm_efficiency = use.sm_efficiency;
    summary.occupancy = use.occupancy;
    compute_temporal(device, &summary);
    find_gaps(steps, device);
    steps->waiting_ns = ps_add_saturated(
        steps->waiting_ns,
        compute_overlap(device, &steps->roles[PS_ROLE_DATALOADER], &summary, from, to));
    describe_devices(steps->trace, &summary, steps->n_devices == 1);
    out->ops->device(out, &summary);
    *busy_ns = ps_add_saturated(*busy_ns, summary.busy_ns);
}

/* Writes devices and gaps to the sink. The steps must be final; [from, to) spans the counted
 * steps. */
static void write_devices(struct tr_steps *steps, int64_t from, int64_t to)
{
    struct ps_sink *out = steps->trace->out;
    struct ps_num busy = {0};
    int64_t busy_ns = 0;

    for (size_t i = 0; i < steps->n_devices; i++)
        write_device(steps, &steps->devices[i], from, to, &busy_ns);
    if (steps->n_devices)
        busy = ps_real((double)busy_ns / ((double)(to - from) * (double)steps->n_devices));
    out->ops->number(out, "gpu_busy", busy);
    out->ops->number(out, "host_wait_idle_ns", ps_int(steps->waiting_ns));
    write_gaps(steps);
}

static void free_devices(struct tr_steps *steps)
{
    for (size_t i = 0; i < steps->n_devices; i++) {
        for (size_t k = 0; k < N_WORKS; k++) {
            ps_intervals_free(&steps->devices[i].works[0][k]);
            ps_intervals_free(&steps->devices[i].works[1][k]);
        }
        ps_intervals_free(&steps->devices[i].waits);
        tr_scratch_free(steps->trace->scratch, steps->devices[i].busy);
        tr_scratch_free(steps->trace->scratch, steps->devices[i].kernels);
    }
    free(steps->devices);
    ps_hash_table_free(&steps->device_by_number);
}

/* --- Steps and breakdowns --- */

/* tb_plugin: if the last step has less device work than this share of the previous step, the trace
 * ended inside it. */
#define WHOLE_STEP_SHARE 0.8

struct tr_steps *tr_steps_new(struct tr_trace *trace)
{
    struct tr_steps *steps = ps_alloc(sizeof *steps);

    steps->trace = trace;
    steps->loops = tr_loops_new(trace);
    steps->host_start = INT64_MAX;
    steps->host_end = INT64_MIN;
    return steps;
}

static void add_step(struct tr_steps *steps, int64_t start, int64_t end, uint32_t name,
                     enum step_source source)
{
    PS_RESERVE_ONE(steps->steps, steps->n_steps, steps->cap_steps);
    steps->steps[steps->n_steps++] = (struct step){
        .host_start = start,
        .host_end = end,
        .start = start,
        .end = end,
        .first_work = INT64_MAX,
        .last_work = INT64_MIN,
        .name = name,
        .source = (uint8_t)source,
        .is_counted = true,
    };
}

static void add_serving_step(struct tr_steps *steps, int64_t start, int64_t end, uint32_t name)
{
    struct ps_serving_step serving;

    if (!ps_serving_step_parse(tr_text_of_id(steps->trace, name), &serving))
        return;
    add_step(steps, start, end, name,
             serving.is_detailed ? SOURCE_SERVING_DETAILED : SOURCE_SERVING);
    steps->steps[steps->n_steps - 1].is_idle = serving.phase == PS_PHASE_IDLE;
    steps->steps[steps->n_steps - 1].is_counted = serving.phase != PS_PHASE_IDLE;
}

static void add_launch(struct tr_steps *steps, const struct tr_track *track, uint32_t row)
{
    struct launches *of;

    steps->launches =
        ps_grow_to(steps->launches, &steps->n_launches, track->id, sizeof *steps->launches);
    of = &steps->launches[track->id];
    TR_SCRATCH_PUSH(steps->trace->scratch, of->items, of->n, of->cap);
    of->items[of->n++] = (struct launch){
        .start = track->start[row],
        .row = row,
        .duration = track->duration[row] < UINT32_MAX ? (uint32_t)track->duration[row] : UINT32_MAX,
    };
}

/* Whether a trace without steps extends over the slice: operators, calls, and annotations that mark
 * no step. */
static bool is_host_time(uint8_t kind, enum ps_role role, enum ps_name_kind meaning)
{
    if (kind == PS_SLICE_ANNOTATION)
        return meaning != PS_NAME_STEP && meaning != PS_NAME_SERVING_STEP;
    return role != PS_N_ROLES && kind != PS_SLICE_GPU_ANNOTATION;
}

static void add_host_slice(struct tr_steps *steps, const struct tr_track *track, uint32_t row)
{
    uint8_t kind = track->slice_kind[row];
    int64_t start = track->start[row], end = start + track->duration[row];
    enum ps_name_kind meaning = meaning_of_name(steps, track->name_id[row]);
    enum ps_role role = ps_role_of(kind, track->flags[row], meaning);

    if (kind == PS_SLICE_RUNTIME)
        add_launch(steps, track, row); /* drop_launches adds the time of shorter calls */
    if (role != PS_N_ROLES && (kind != PS_SLICE_RUNTIME || track->duration[row] >= UINT32_MAX))
        ps_intervals_add(&steps->roles[role], start, end);
    if (meaning == PS_NAME_STEP && (kind == PS_SLICE_OP || kind == PS_SLICE_ANNOTATION))
        add_step(steps, start, end, track->name_id[row], SOURCE_PROFILER);
    if (meaning == PS_NAME_SERVING_STEP && (kind == PS_SLICE_ANNOTATION || kind == PS_SLICE_NVTX))
        add_serving_step(steps, start, end, track->name_id[row]);
    if (is_host_time(kind, role, meaning)) {
        steps->host_start = start < steps->host_start ? start : steps->host_start;
        steps->host_end = end > steps->host_end ? end : steps->host_end;
    }
}

static void add_host_track(struct tr_steps *steps, const struct tr_track *track)
{
    bool has_loops = track->kind == PS_TRACK_THREAD;

    tr_loops_begin_track(steps->loops);
    for (uint32_t row = 0; row < track->n; row++) {
        tr_scratch_count_row(track->scratch, row);
        if (has_loops)
            tr_loops_add_row(steps->loops, track, row);
        if (track->slice_kind[row] != PS_SLICE_PYTHON)
            add_host_slice(steps, track, row);
    }
}

static void add_loops(struct tr_steps *steps)
{
    static const enum step_source sources[TR_N_LOOPS] = {
        [TR_LOOP_OPTIMIZER] = SOURCE_OPTIMIZER, [TR_LOOP_DEEPSPEED] = SOURCE_DEEPSPEED,
        [TR_LOOP_LIGHTNING] = SOURCE_LIGHTNING, [TR_LOOP_MEGATRON] = SOURCE_MEGATRON,
        [TR_LOOP_GENERATE] = SOURCE_GENERATE,
    };

    for (enum tr_loop loop = 0; loop < TR_N_LOOPS; loop++) {
        size_t n;
        const struct tr_loop_step *found = tr_loops_steps(steps->loops, loop, &n);

        for (size_t i = 0; i < n; i++) {
            add_step(steps, found[i].start, found[i].end, tr_loops_step_name(steps->loops, loop, i),
                     sources[loop]);
            steps->steps[steps->n_steps - 1].is_counted = !found[i].is_cut;
        }
    }
}

/* Keeps the steps of the best source. Idle steps alone do not make an engine the best source. */
static void choose_source(struct tr_steps *steps)
{
    size_t kept = 0;

    for (size_t i = 0; i < steps->n_steps; i++)
        if (!steps->steps[i].is_idle && steps->steps[i].source > steps->source)
            steps->source = steps->steps[i].source;
    for (size_t i = 0; i < steps->n_steps; i++)
        if (steps->steps[i].source == steps->source)
            steps->steps[kept++] = steps->steps[i];
    steps->n_steps = kept;
}

/* After the last host track: chooses the steps and sorts them by start. A trace without marked
 * steps becomes one step. */
static void host_done(struct tr_steps *steps)
{
    if (steps->host_done)
        return;
    steps->host_done = true;
    add_loops(steps);
    choose_source(steps);
    ps_sort_records(steps->steps, steps->n_steps, sizeof *steps->steps);
    if (steps->source == SOURCE_TRACE && steps->host_start < steps->host_end)
        add_step(steps, steps->host_start, steps->host_end, 0, SOURCE_TRACE);
}

void tr_steps_add_track(struct tr_steps *steps, const struct tr_track *track)
{
    if (track->kind != PS_TRACK_STREAM) {
        add_host_track(steps, track);
        return;
    }
    host_done(steps);
    read_stream(steps, track);
}

/* Returns the earliest possible start of the first step: work that was launched before the step may
 * still run. */
static int64_t end_before_steps(const struct tr_steps *steps)
{
    int64_t end = steps->steps[0].host_start;

    if (steps->steps[0].works)
        for (size_t i = 0; i < steps->n_strays; i++)
            if (steps->stray_ends[i] < steps->steps[0].first_work && steps->stray_ends[i] > end)
                end = steps->stray_ends[i];
    return end;
}

/* Steps of a serving engine differ too much for tb_plugin's rule. */
static void drop_truncated_step(struct tr_steps *steps)
{
    size_t kept = steps->n_steps;

    while (kept > 0 && !steps->steps[kept - 1].works)
        kept--;
    if (steps->source == SOURCE_PROFILER && kept > 1 &&
        (double)steps->steps[kept - 2].works * WHOLE_STEP_SHARE >
            (double)steps->steps[kept - 1].works)
        kept--;
    for (size_t i = kept; i < steps->n_steps; i++)
        steps->steps[i].is_counted = false;
}

/* Extends the steps to the end of their work on the device. */
static void extend_steps(struct tr_steps *steps)
{
    uint64_t works = 0;
    int64_t previous;

    for (size_t i = 0; i < steps->n_steps; i++)
        works += steps->steps[i].works;
    if (!works)
        return;
    if (steps->source == SOURCE_TRACE && steps->steps[0].first_work < steps->steps[0].host_start)
        steps->steps[0].host_start = steps->steps[0].first_work;
    previous = end_before_steps(steps);
    for (size_t i = 0; i < steps->n_steps; i++) {
        struct step *step = &steps->steps[i];

        step->start = step->host_start > previous ? step->host_start : previous;
        if (step->works)
            step->end = step->last_work > step->host_end ? step->last_work : step->host_end;
        if (step->end < step->start)
            step->end = step->start;
        previous = step->end;
    }
    if (steps->n_steps > 1)
        drop_truncated_step(steps);
}

/* Adds the time of the runtime calls to their role and frees the calls. Call this after all device
 * work was matched with its launch. */
static void drop_launches(struct tr_steps *steps)
{
    for (size_t i = 0; i < steps->n_launches; i++) {
        struct launches *of = &steps->launches[i];

        for (size_t k = 0; k < of->n; k++)
            if (of->items[k].duration < UINT32_MAX)
                ps_intervals_add(&steps->roles[PS_ROLE_RUNTIME], of->items[k].start,
                                 of->items[k].start + of->items[k].duration);
        tr_scratch_drop_pages(steps->trace->scratch);
        tr_scratch_free(steps->trace->scratch, of->items);
        *of = (struct launches){0};
    }
}

/* Adds the intervals of the devices to the intervals of the host and joins all. */
static void join_roles(struct tr_steps *steps)
{
    static const enum ps_role roles[N_WORKS] = {
        [WORK_COMPUTE] = PS_ROLE_KERNEL,
        [WORK_COMMUNICATION] = PS_ROLE_COMMUNICATION,
        [WORK_MEMCPY] = PS_ROLE_MEMCPY,
        [WORK_MEMSET] = PS_ROLE_MEMSET,
    };

    for (size_t d = 0; d < steps->n_devices; d++)
        for (size_t k = 0; k < N_WORKS; k++)
            for (size_t late = 0; late < 2; late++) {
                const struct ps_intervals *set = &steps->devices[d].works[late][k];

                ps_intervals_add_all(&steps->roles[roles[k]], set);
                if (k == WORK_COMMUNICATION)
                    ps_intervals_add_all(&steps->communication, set);
            }
    for (size_t k = 0; k < PS_N_ROLES; k++)
        ps_intervals_join(&steps->roles[k]);
    ps_intervals_join(&steps->communication);
}

/* For a trace without host slices: adds one step from the first to the last work of the devices. */
static void add_device_step(struct tr_steps *steps)
{
    int64_t start = INT64_MAX, end = INT64_MIN;

    for (size_t k = 0; k <= PS_ROLE_COMMUNICATION; k++) {
        const struct ps_intervals *set = &steps->roles[k];

        if (set->n) {
            start = set->items[0].start < start ? set->items[0].start : start;
            end = set->items[set->n - 1].end > end ? set->items[set->n - 1].end : end;
        }
    }
    if (start < end)
        add_step(steps, start, end, 0, SOURCE_TRACE);
}

static void write_parts(struct tr_steps *steps, const struct step *step, uint32_t id,
                        int64_t *dataloader)
{
    struct ps_sink *out = steps->trace->out;

    for (uint8_t definition = 0; definition < PS_N_BREAKDOWNS; definition++) {
        struct ps_part parts[PS_PARTS_MAX];
        size_t n;

        if (definition != PS_BREAKDOWN_TENSORBOARD && !steps->n_devices)
            break; /* the other breakdowns need a device */
        n = ps_breakdown_compute(definition, steps->roles, &steps->communication, step->start,
                                 step->end, parts);
        for (size_t i = 0; i < n; i++) {
            struct ps_step_part part = {id, definition, parts[i].name, parts[i].ns};

            out->ops->step_part(out, &part);
        }
        if (definition == PS_BREAKDOWN_TENSORBOARD && step->is_counted)
            *dataloader = ps_add_saturated(*dataloader, parts[PS_ROLE_DATALOADER].ns);
    }
}

static struct ps_num share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? ps_real((double)part / (double)whole) : (struct ps_num){0};
}

/* Writes the steps with their parts, and the metrics of steps. */
static void write_steps(struct tr_steps *steps)
{
    struct ps_sink *out = steps->trace->out;
    int64_t wall = 0, dataloader = 0, counted = 0;
    struct ps_num mean = {0}, loading;

    for (size_t i = 0; i < steps->n_steps; i++) {
        const struct step *step = &steps->steps[i];
        struct ps_step row = {
            .id = (uint32_t)i + 1,
            .name = step->name ? tr_text_of_id(steps->trace, step->name) : PS_STR("whole trace"),
            .start_ns = step->start,
            .end_ns = step->end,
            .host_start_ns = step->host_start,
            .host_end_ns = step->host_end,
            .is_counted = step->is_counted,
        };

        out->ops->step(out, &row);
        write_parts(steps, step, row.id, &dataloader);
        wall = ps_add_saturated(wall, step->is_counted ? step->end - step->start : 0);
        counted += step->is_counted;
    }
    if (counted && steps->source != SOURCE_TRACE)
        mean = ps_int(wall / counted);
    loading = share_of(dataloader, steps->source != SOURCE_TRACE ? wall : 0);
    if (loading.kind == PS_NUM_REAL)
        loading.r *= 100;
    steps->trace->step_ns = mean.kind == PS_NUM_INT ? mean.i : 0;
    out->ops->number(out, "steps", ps_int(steps->source != SOURCE_TRACE ? counted : 0));
    out->ops->number(out, "step_ns", mean);
    out->ops->number(out, "dataloader_pct", loading);
    if (steps->source >= SOURCE_MEGATRON)
        out->ops->number(out, "serving_steps", ps_int(counted));
}

enum ps_status tr_steps_end(struct tr_steps *steps)
{
    int64_t from = INT64_MAX, to = INT64_MIN;

    host_done(steps);
    drop_launches(steps);
    join_roles(steps);
    if (steps->n_steps == 0)
        add_device_step(steps);
    extend_steps(steps);
    write_steps(steps);
    for (size_t i = 0; i < steps->n_steps; i++)
        if (steps->steps[i].is_counted) {
            from = steps->steps[i].start < from ? steps->steps[i].start : from;
            to = steps->steps[i].end > to ? steps->steps[i].end : to;
        }
    if (from < to)
        write_devices(steps, from, to);
    return steps->trace->out->err.code;
}

void tr_steps_free(struct tr_steps *steps)
{
    if (!steps)
        return;
    for (size_t i = 0; i < steps->n_launches; i++)
        tr_scratch_free(steps->trace->scratch, steps->launches[i].items);
    for (size_t k = 0; k < PS_N_ROLES; k++)
        ps_intervals_free(&steps->roles[k]);
    ps_intervals_free(&steps->communication);
    free_devices(steps);
    free(steps->launches);
    free(steps->steps);
    ps_name_kinds_free(&steps->meanings);
    tr_loops_free(steps->loops);
    free(steps->params);
    free(steps->stray_ends);
    free(steps->gaps.items);
    free(steps);
}
