/* SPDX-License-Identifier: MIT */
/*
 * perfetto_gpu.c: work and counters of GPUs, which have packets of their own.
 *
 * A piece of work (GpuRenderStageEvent) is in a lane of a GPU, such as a stream, and has a stage,
 * which says what kind of work it is. Both have names that are interned. PyTorch 2.15 writes its
 * kernels, copies and other device work so. They become the records that its JSON has of the same
 * run: with the same categories, keys of arguments and flows.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "importers/trace/perfetto.h"

#define SPECS_MAX    (UINT32_C(1) << 20)
#define COUNTERS_MAX 1024u               /* of a descriptor */
#define EVENTS_MAX   (UINT64_C(1) << 32) /* greater ids of events have no arrows */
#define EDGE_ID      (INT64_C(1) << 40)  /* ids of arrows between nodes begin here, as in JSON */

/* --- Stages and lanes --- */

/* The categories that PyTorch's JSON has for its stages. */
static uint16_t category_of_stage(struct pf_reader *r, struct ps_str name)
{
    static const char *const stages[][2] = {
        {"Kernel", "kernel"},
        {"Memcpy", "gpu_memcpy"},
        {"Memset", "gpu_memset"},
        {"Annotation", "gpu_user_annotation"},
        {"HostNode", "graph_host_node"},
        {"EventRecord", "graph_event_node"},
    };

    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (ps_str_eq_c(name, stages[i][0]))
            return tr_fill_word(&r->trace, ps_str_from_c(stages[i][1]));
    return tr_fill_word(&r->trace, name.len ? name : PS_STR("gpu_render_stage"));
}

/* Stages and lanes are defined by the same message. */
static uint32_t read_spec(struct pf_reader *r, const struct pf_gpu_specification *spec)
{
    struct pf_gpu *gpu = &r->gpu;

    if (gpu->n_specs == SPECS_MAX)
        return 0;
    PS_RESERVE_ONE(gpu->specs, gpu->n_specs, gpu->cap_specs);
    gpu->specs[gpu->n_specs++] =
        (struct pf_gpu_spec){.name = ps_arena_copy(&r->trace.arena, pf_clean_text(r, spec->name))};
    return gpu->n_specs;
}

/* Splits "[07] stream 7", the name of a lane of PyTorch, into the number of the stream and its
 * name. False: the name has no number. */
static bool split_lane(struct ps_str name, int64_t *stream, struct ps_str *rest)
{
    const char *end = name.len ? memchr(name.ptr, ']', name.len) : NULL;
    struct ps_str digits;

    if (!end || name.ptr[0] != '[')
        return false;
    digits = (struct ps_str){name.ptr + 1, (size_t)(end - name.ptr) - 1};
    while (digits.len > 1 && digits.ptr[0] == '0')
        digits = ps_str_skip(digits, 1);
    *rest = ps_str_trim(ps_str_skip(name, (size_t)(end - name.ptr) + 1));
    return ps_str_parse_i64(digits, stream) && *stream >= 0;
}

/* A stream of PyTorch is the thread that its waits are on, too (pf_thread_of_ids). */
static uint32_t new_lane_thread(struct pf_reader *r, struct ps_str name, int64_t gpu)
{
    struct ps_str rest = name;
    struct tr_thread *thread;
    int64_t stream;
    uint32_t index;
    char text[32];

    if (r->trace.is_torch && split_lane(name, &stream, &rest)) {
        index = pf_thread_of_ids(r, gpu, stream);
    } else {
        (void)snprintf(text, sizeof text, "GPU %" PRId64, gpu);
        index = tr_fill_thread(&r->trace, ps_str_from_c(text), name);
    }
    thread = &r->trace.threads[index];
    thread->device = gpu;
    if (!thread->name.len)
        thread->name = rest;
    return index;
}

static uint32_t lane_thread(struct pf_reader *r, const struct pf_sequence *sequence,
                            const struct pf_gpu_render_stage_event *event)
{
    uint32_t at = pf_iid_value(&sequence->tables[PF_GPU_SPECS], event->hw_queue_iid);
    struct pf_gpu_spec *lane = at ? &r->gpu.specs[at - 1] : &r->gpu.unnamed;
    int64_t gpu = (int32_t)event->gpu_id;

    if (!lane->thread || lane->gpu != gpu) {
        lane->gpu = gpu;
        lane->thread = new_lane_thread(r, lane->name, gpu) + 1;
    }
    return lane->thread - 1;
}

/* --- Arguments --- */

static void put_key(struct pf_args *args, const char *key)
{
    ps_buf_puts(&args->text, args->text.len ? ",\"" : "{\"");
    ps_buf_puts(&args->text, key);
    ps_buf_puts(&args->text, "\":");
}

static void put_file_key(struct pf_reader *r, struct ps_str name)
{
    uint32_t key = pf_args_key(r, pf_clean_text(r, name));

    ps_buf_puts(&r->args.text, r->args.text.len ? "," : "{");
    ps_buf_add_str(&r->args.text, key ? r->args.keys.json[key - 1] : PS_STR("\"\":"));
}

static void add_size(struct pf_args *args, const char *key, struct ps_str bytes)
{
    struct pf_dim3 size;
    struct ps_wire_fault fault;

    (void)ps_wire_read(&pf_dim3_message, bytes, &size, &fault);
    put_key(args, key);
    ps_buf_puts(&args->text, "[");
    pf_args_put_int(args, (int64_t)size.x);
    ps_buf_puts(&args->text, ",");
    pf_args_put_int(args, (int64_t)size.y);
    ps_buf_puts(&args->text, ",");
    pf_args_put_int(args, (int64_t)size.z);
    ps_buf_puts(&args->text, "]");
}

/* The key that the value of a launch has in PyTorch's JSON; NULL: it has none there. */
static bool find_launch_key(struct ps_str name, const char **out)
{
    static const char *const keys[][2] = {{"registers_per_thread", "registers per thread"},
                                          {"shared_mem_dynamic", "shared memory"},
                                          {"thread_count", NULL}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ps_str_eq_c(name, keys[i][0])) {
            *out = keys[i][1];
            return true;
        }
    return false;
}

static void add_launch_value(struct pf_reader *r, const struct pf_sequence *sequence,
                             const struct pf_compute_arg *arg)
{
    uint32_t at = pf_iid_value(&sequence->tables[PF_LAUNCH_NAMES], arg->name_iid);
    struct ps_str name = at ? tr_text_of_id(&r->trace, at) : arg->name;
    struct ps_json json = ps_json_writer(&r->args.text);
    const char *key;

    if (!find_launch_key(name, &key))
        put_file_key(r, name);
    else if (key)
        put_key(&r->args, key);
    else
        return;
    if (PS_WIRE_HAS(arg, PF_COMPUTE_ARG_HAS_STRING_VALUE))
        pf_args_put_string(r, arg->string_value);
    else if (PS_WIRE_HAS(arg, PF_COMPUTE_ARG_HAS_DOUBLE_VALUE))
        ps_json_num(&json, ps_real(arg->double_value));
    else
        pf_args_put_int(&r->args, PS_WIRE_HAS(arg, PF_COMPUTE_ARG_HAS_INT_VALUE)
                                      ? arg->int_value
                                      : (int64_t)arg->uint_value);
}

static void add_launch(struct pf_reader *r, const struct pf_sequence *sequence, struct ps_str bytes)
{
    struct pf_compute_kernel_launch launch;
    struct pf_compute_arg arg;
    struct ps_wire_fault fault;
    struct ps_str item;

    (void)ps_wire_read(&pf_compute_kernel_launch_message, bytes, &launch, &fault);
    if (PS_WIRE_HAS(&launch, PF_COMPUTE_KERNEL_LAUNCH_HAS_GRID_SIZE))
        add_size(&r->args, "grid", launch.grid_size);
    if (PS_WIRE_HAS(&launch, PF_COMPUTE_KERNEL_LAUNCH_HAS_WORKGROUP_SIZE))
        add_size(&r->args, "block", launch.workgroup_size);
    while (ps_wire_next_string(&launch.args, &item))
        if (ps_wire_read(&pf_compute_arg_message, item, &arg, &fault))
            add_launch_value(r, sequence, &arg);
}

/* A number as JSON writes it: without a sign +, and without zeros before it. */
static bool read_number(struct ps_str text, int64_t *out)
{
    size_t sign = text.len && text.ptr[0] == '-';

    return text.len > sign && text.ptr[sign] <= '9' && text.ptr[sign] >= '0' &&
           (text.ptr[sign] != '0' || text.len == 1) && ps_str_parse_i64(text, out);
}

/* Appends "[1,2]" as a list of numbers. False: it is something else, and nothing is appended. */
static bool put_numbers(struct pf_args *args, struct ps_str text)
{
    const size_t text_len = args->text.len, params_len = args->params.len;
    struct ps_str rest = ps_str_skip(text, 1);

    if (text.len < 3 || text.ptr[0] != '[' || text.ptr[text.len - 1] != ']')
        return false;
    ps_buf_puts(&args->text, "[");
    while (rest.len) {
        size_t n = 0;
        int64_t value;

        while (n < rest.len && rest.ptr[n] != ',' && rest.ptr[n] != ']')
            n++;
        if (!read_number((struct ps_str){rest.ptr, n}, &value) ||
            (rest.ptr[n] == ']') != (n + 1 == rest.len)) {
            args->text.len = text_len;
            args->params.len = params_len;
            return false;
        }
        pf_args_put_int(args, value);
        ps_buf_add(&args->text, rest.ptr + n, 1);
        rest = ps_str_skip(rest, n + 1);
    }
    return true;
}

/* Whether the text is a list, an object or a word of JSON, as PyTorch's encoder writes values that
 * are no texts: without blanks. */
static bool is_json_value(struct ps_str text)
{
    cJSON *value;
    char *compact;
    bool is_same;

    if (ps_str_eq_c(text, "true") || ps_str_eq_c(text, "false") || ps_str_eq_c(text, "null"))
        return true;
    if (!text.len || (text.ptr[0] != '[' && text.ptr[0] != '{'))
        return false;
    value = cJSON_ParseWithLength(text.ptr, text.len);
    compact = value ? cJSON_PrintUnformatted(value) : NULL;
    is_same = compact && ps_str_eq_c(text, compact);
    cJSON_free(compact);
    cJSON_Delete(value);
    return is_same;
}

/* Adds a description of the work, such as that of a collective. All values are texts in the file.
 * The name of a process group is one in JSON too, though it mostly is a number. */
static void add_description(struct pf_reader *r, struct ps_str key, struct ps_str text)
{
    int64_t value;

    put_file_key(r, key);
    text = pf_clean_text(r, text);
    if (!ps_str_eq_c(key, "Process Group Name") && read_number(text, &value))
        pf_args_put_int(&r->args, value);
    else if (put_numbers(&r->args, text))
        ;
    else if (is_json_value(text))
        ps_buf_add_str(&r->args.text, text);
    else
        pf_args_put_string(r, text);
}

/* What PyTorch writes with each piece of work: numbers, under the keys of its JSON, and facts about
 * the whole process, which are left out (NULL). */
static const char *const known_data[][2] = {
    {"device id", "device"},
    {"context id", "context"},
    {"stream id", "stream"},
    {"correlation", "correlation"},
    {"priority", "priority"},
    {"queued", "queued"},
    {"channel", "channel"},
    {"channel_type", "channel_type"},
    {"graph id", "graph id"},
    {"graph node id", "graph node id"},
    {"bytes", "bytes"},
    {"value", "value"},
    {"memory kind", "memory kind"},
    {"arch", NULL},
    {"process_id", NULL},
    {"process_name", NULL},
};
#define N_KNOWN (sizeof known_data / sizeof *known_data)

/* Index in known_data, N_KNOWN: none. Searches from `*next` on, since the order is always the
 * same. */
static size_t find_known(struct ps_str name, size_t *next)
{
    for (size_t i = 0; i < N_KNOWN; i++) {
        size_t at = (*next + i) % N_KNOWN;

        if (ps_str_eq_c(name, known_data[at][0])) {
            *next = at + 1;
            return at;
        }
    }
    return N_KNOWN;
}

struct work {
    int64_t correlation;
    struct ps_str host_function; /* of a host node */
};

static void add_extra_data(struct pf_reader *r, struct ps_wire_list list, struct work *work)
{
    struct pf_extra_data data;
    struct ps_wire_fault fault;
    struct ps_str bytes;
    size_t next = 0;

    while (ps_wire_next_string(&list, &bytes)) {
        size_t known;
        int64_t value;

        if (!ps_wire_read(&pf_extra_data_message, bytes, &data, &fault))
            continue;
        known = r->trace.is_torch ? find_known(data.name, &next) : N_KNOWN;
        if (known == N_KNOWN || (known_data[known][1] && !read_number(data.value, &value))) {
            if (ps_str_eq_c(data.name, "host fn"))
                work->host_function = data.value;
            add_description(r, data.name, data.value);
        } else if (known_data[known][1]) {
            if (ps_str_eq_c(data.name, "correlation"))
                work->correlation = value;
            put_key(&r->args, known_data[known][1]);
            pf_args_put_int(&r->args, value);
        }
    }
}

/* --- Flows --- */

static enum ps_status add_flow_end(struct pf_reader *r, uint32_t thread, int64_t ts_ns, char phase,
                                   int64_t id)
{
    struct tr_record record = {.ts_ns = ts_ns, .dur_or_id = id, .phase = (uint64_t)phase & 0x7f};
    /* f ends at the slice around it, not at the next one */
    struct ps_str args = PS_STR("{\"bp\":\"e\"}");

    if (!r->gpu.flow_category) {
        r->gpu.flow_category = tr_fill_word(&r->trace, PS_STR("ac2g"));
        r->gpu.flow_name = tr_text_id(&r->trace, PS_STR("ac2g"));
    }
    record.category = r->gpu.flow_category;
    record.name = r->gpu.flow_name;
    if (phase == 'f')
        record.template = tr_fill_template(&r->trace, args);
    return tr_fill_record(&r->trace, thread, record, PS_STR(""));
}

enum ps_status pf_gpu_add_launch(struct pf_reader *r, uint32_t thread)
{
    const struct tr_record *call = tr_fill_last(&r->trace, thread);
    int64_t correlation;

    if (!call->template ||
        !tr_read_param(&r->trace, call, r->trace.templates[call->template].correlation,
                       &correlation))
        return r->err->code;
    return add_flow_end(r, thread, call->ts_ns, 's', correlation);
}

/* Remembers where the work ended, and for which other work it waited. The flow begins at the last
 * nanosecond of the work, where the slice still is. */
static void note_waits(struct pf_reader *r, const struct pf_gpu_render_stage_event *event,
                       uint32_t thread, int64_t start_ns, int64_t end_ns)
{
    struct pf_gpu *gpu = &r->gpu;
    struct ps_wire_list ids = event->event_wait_ids;
    uint64_t id;

    if (event->event_id && event->event_id < EVENTS_MAX && event->event_id <= gpu->n_ends + 1) {
        if (event->event_id > gpu->n_ends) {
            TR_SCRATCH_PUSH(r->trace.scratch, gpu->ends, gpu->n_ends, gpu->cap_ends);
            gpu->n_ends++;
        }
        gpu->ends[event->event_id - 1] = (struct pf_gpu_end){end_ns - (end_ns > start_ns), thread};
    }
    while (ps_wire_next_int(&ids, &id)) {
        TR_SCRATCH_PUSH(r->trace.scratch, gpu->waits, gpu->n_waits, gpu->cap_waits);
        gpu->waits[gpu->n_waits++] = (struct pf_gpu_wait){id, start_ns, thread};
    }
}

enum ps_status pf_gpu_end(struct pf_reader *r)
{
    const struct pf_gpu *gpu = &r->gpu;

    for (size_t i = 0; i < gpu->n_waits && r->err->code == PS_OK; i++) {
        const struct pf_gpu_wait *wait = &gpu->waits[i];
        const struct pf_gpu_end *end;

        if (!wait->event || wait->event > gpu->n_ends)
            continue;
        end = &gpu->ends[wait->event - 1];
        (void)add_flow_end(r, end->thread, end->end_ns, 's', EDGE_ID + (int64_t)i);
        (void)add_flow_end(r, wait->thread, wait->start_ns, 'f', EDGE_ID + (int64_t)i);
    }
    return r->err->code;
}

/* --- Work --- */

static uint32_t name_of_work(struct pf_reader *r, const struct pf_sequence *sequence,
                             const struct pf_gpu_render_stage_event *event,
                             const struct pf_gpu_spec *stage, const struct work *work)
{
    uint32_t name = pf_iid_value(&sequence->tables[PF_KERNELS], event->kernel_iid);

    if (!name)
        name = pf_iid_value(&sequence->tables[PF_NAMES], event->name_iid);
    if (!name && event->name.len)
        name = tr_text_id(&r->trace, pf_clean_text(r, event->name));
    if (!name && work->host_function.len) {
        r->args.scratch.len = 0;
        ps_buf_puts(&r->args.scratch, "HostNode: ");
        ps_buf_add_str(&r->args.scratch, pf_clean_text(r, work->host_function));
        name = tr_text_id(&r->trace, ps_buf_slice(&r->args.scratch));
    }
    return name
               ? name
               : tr_text_id(&r->trace, stage && stage->name.len ? stage->name : PS_STR("GPU work"));
}

static enum ps_status add_work(struct pf_reader *r, const struct pf_sequence *sequence,
                               const struct pf_gpu_render_stage_event *event, int64_t ts_ns)
{
    uint32_t at = pf_iid_value(&sequence->tables[PF_GPU_SPECS], event->stage_iid), thread;
    struct pf_gpu_spec *stage = at ? &r->gpu.specs[at - 1] : &r->gpu.unnamed;
    struct tr_record record = {.ts_ns = ts_ns, .dur_or_id = (int64_t)event->duration, .phase = 'X'};
    struct work work = {0};

    thread = lane_thread(r, sequence, event);
    if (!stage->category)
        stage->category = category_of_stage(r, stage->name);
    record.category = stage->category;
    pf_args_begin(&r->args);
    add_extra_data(r, event->extra_data, &work);
    if (event->launch.len)
        add_launch(r, sequence, event->launch);
    record.name = name_of_work(r, sequence, event, stage, &work);
    pf_args_end(r, &record);
    if (tr_fill_record(&r->trace, thread, record, ps_buf_slice(&r->args.params)) != PS_OK)
        return r->err->code;
    note_waits(r, event, thread, ts_ns, ts_ns + record.dur_or_id);
    if (work.correlation && !event->event_wait_ids.n)
        return add_flow_end(r, thread, ts_ns, 'f', work.correlation);
    return PS_OK;
}

enum ps_status pf_read_render_stage(struct pf_reader *r, struct pf_sequence *sequence,
                                    const struct pf_trace_packet *packet)
{
    struct pf_gpu_render_stage_event event;
    struct ps_wire_fault fault;
    enum pf_fault refused;
    int64_t ts_ns;

    if (!ps_wire_read(&pf_gpu_render_stage_event_message, packet->gpu_render_stage_event, &event,
                      &fault))
        return pf_refuse(r, PF_FAULT_PACKET);
    refused = pf_packet_time(r, sequence, packet, &ts_ns);
    if (refused == PF_N_FAULTS && event.duration > PF_TIME_MAX)
        refused = PF_FAULT_TIME;
    if (refused != PF_N_FAULTS)
        return pf_refuse(r, refused);
    r->n_events++;
    return add_work(r, sequence, &event, ts_ns);
}

/* --- Counters --- */

/* Index of the descriptor in r->gpu.descriptors, + 1. */
static uint32_t read_counter_descriptor(struct pf_reader *r, struct ps_str bytes, int64_t gpu_id)
{
    struct pf_gpu *gpu = &r->gpu;
    struct pf_gpu_counter_descriptor descriptor;
    struct pf_gpu_counter_spec spec;
    struct ps_wire_fault fault;
    uint32_t first = gpu->n_counters;
    struct ps_str item;

    if (gpu->n_descriptors == SPECS_MAX || gpu->n_counters >= SPECS_MAX)
        return 0;
    (void)ps_wire_read(&pf_gpu_counter_descriptor_message, bytes, &descriptor, &fault);
    while (gpu->n_counters - first < COUNTERS_MAX &&
           ps_wire_next_string(&descriptor.specs, &item)) {
        if (!ps_wire_read(&pf_gpu_counter_spec_message, item, &spec, &fault))
            continue;
        PS_RESERVE_ONE(gpu->counters, gpu->n_counters, gpu->cap_counters);
        gpu->counters[gpu->n_counters++] = (struct pf_gpu_counter){
            .id = spec.counter_id,
            .name = ps_arena_copy(&r->trace.arena, pf_clean_text(r, spec.name))};
    }
    PS_RESERVE_ONE(gpu->descriptors, gpu->n_descriptors, gpu->cap_descriptors);
    gpu->descriptors[gpu->n_descriptors++] =
        (struct pf_gpu_descriptor){.gpu = gpu_id, .first = first, .n = gpu->n_counters - first};
    return gpu->n_descriptors;
}

/* The process of the counters is that of PyTorch's JSON. */
static uint32_t counter_thread(struct pf_reader *r, struct pf_gpu_counter *counter, int64_t gpu)
{
    char process[48], number[32];
    struct ps_str name = counter->name;

    if (counter->thread)
        return counter->thread - 1;
    (void)snprintf(number, sizeof number, "counter %" PRIu64, counter->id);
    if (!name.len)
        name = ps_str_from_c(number);
    (void)snprintf(process, sizeof process, "GPU %" PRId64 " Counters", gpu);
    counter->thread = tr_fill_thread(&r->trace, ps_str_from_c(process), name) + 1;
    r->trace.threads[counter->thread - 1].name = ps_arena_copy(&r->trace.arena, name);
    return counter->thread - 1;
}

static enum ps_status add_counter_values(struct pf_reader *r, struct pf_gpu_descriptor *of,
                                         struct ps_wire_list list, int64_t ts_ns)
{
    struct pf_gpu_counter_value given;
    struct ps_wire_fault fault;
    struct ps_str bytes;

    while (r->err->code == PS_OK && ps_wire_next_string(&list, &bytes)) {
        struct tr_record record = {.ts_ns = ts_ns, .phase = TR_PHASE_VALUE};
        double value;
        uint32_t i = 0;

        if (!ps_wire_read(&pf_gpu_counter_value_message, bytes, &given, &fault))
            continue;
        while (i < of->n && r->gpu.counters[of->first + i].id != given.counter_id)
            i++;
        if (i == of->n) {
            r->n_unknown_names++;
            continue;
        }
        value = PS_WIRE_HAS(&given, PF_GPU_COUNTER_VALUE_HAS_DOUBLE_VALUE)
                    ? given.double_value
                    : (double)given.int_value;
        memcpy(&record.dur_or_id, &value, sizeof value);
        (void)tr_fill_record(&r->trace, counter_thread(r, &r->gpu.counters[of->first + i], of->gpu),
                             record, PS_STR(""));
    }
    return r->err->code;
}

enum ps_status pf_read_gpu_counters(struct pf_reader *r, struct pf_sequence *sequence,
                                    const struct pf_trace_packet *packet)
{
    struct pf_gpu_counter_event event;
    struct ps_wire_fault fault;
    enum pf_fault refused;
    int64_t ts_ns;
    uint32_t at;

    if (!ps_wire_read(&pf_gpu_counter_event_message, packet->gpu_counter_event, &event, &fault))
        return pf_refuse(r, PF_FAULT_PACKET);
    if (event.counter_descriptor.len)
        r->gpu.last_descriptor =
            read_counter_descriptor(r, event.counter_descriptor, (int32_t)event.gpu_id);
    if (!event.counters.n) {
        r->trace.counts.other++; /* only describes counters */
        return PS_OK;
    }
    refused = pf_packet_time(r, sequence, packet, &ts_ns);
    if (refused != PF_N_FAULTS)
        return pf_refuse(r, refused);
    r->n_events++;
    at = event.counter_descriptor_iid
             ? pf_iid_value(&sequence->tables[PF_GPU_COUNTERS], event.counter_descriptor_iid)
             : r->gpu.last_descriptor;
    if (at)
        return add_counter_values(r, &r->gpu.descriptors[at - 1], event.counters, ts_ns);
    r->n_unknown_names++;
    return PS_OK;
}

/* --- Interned data --- */

void pf_read_gpu_interned(struct pf_reader *r, struct pf_sequence *sequence,
                          const struct pf_interned_data *data)
{
    struct ps_wire_list specs = data->gpu_specifications, kernels = data->compute_kernels;
    struct ps_wire_list names = data->compute_arg_names, counters = data->gpu_counter_descriptors;
    struct pf_gpu_specification spec;
    struct pf_compute_kernel kernel;
    struct pf_interned_text text;
    struct pf_interned_counter_descriptor counter;
    struct ps_wire_fault fault;
    struct ps_str bytes;

    while (ps_wire_next_string(&specs, &bytes))
        if (ps_wire_read(&pf_gpu_specification_message, bytes, &spec, &fault))
            pf_define(r, sequence, PF_GPU_SPECS, spec.iid, read_spec(r, &spec));
    while (ps_wire_next_string(&kernels, &bytes))
        if (ps_wire_read(&pf_compute_kernel_message, bytes, &kernel, &fault) && kernel.name.len)
            pf_define(r, sequence, PF_KERNELS, kernel.iid,
                      tr_text_id(&r->trace, pf_clean_text(r, kernel.name)));
    while (ps_wire_next_string(&names, &bytes))
        if (ps_wire_read(&pf_interned_text_message, bytes, &text, &fault))
            pf_define(r, sequence, PF_LAUNCH_NAMES, text.iid,
                      tr_text_id(&r->trace, pf_clean_text(r, text.text)));
    while (ps_wire_next_string(&counters, &bytes))
        if (ps_wire_read(&pf_interned_counter_descriptor_message, bytes, &counter, &fault))
            pf_define(
                r, sequence, PF_GPU_COUNTERS, counter.iid,
                read_counter_descriptor(r, counter.counter_descriptor, (int32_t)counter.gpu_id));
}

void pf_gpu_free(struct pf_reader *r)
{
    free(r->gpu.specs);
    free(r->gpu.counters);
    free(r->gpu.descriptors);
    tr_scratch_free(r->trace.scratch, r->gpu.ends);
    tr_scratch_free(r->trace.scratch, r->gpu.waits);
}
