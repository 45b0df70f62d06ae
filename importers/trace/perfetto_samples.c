/* SPDX-License-Identifier: MIT */
/*
 * perfetto_samples.c: samples of stacks in Perfetto's traces, as a run of stacks.
 *
 * Three kinds of packets have samples: PerfSample (traced_perf), StreamingProfilePacket (Chrome),
 * and StackSample (any profiler, since Perfetto 58). Their stacks are interned: a callstack has
 * frames, a frame has a function, a mapping and an address. The names of addresses may follow at
 * the end of the file (ModuleSymbols), so frames get their names when all packets are read.
 *
 * Interned data is written again each time a sequence is cleared: equal frames and stacks are kept
 * once. Samples of a thread are sorted by time, because each CPU has a buffer of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/saturated.h"
#include "importers/stacks/stacks.h"
#include "importers/trace/perfetto.h"
#include "importers/trace/perfetto_samples.h"

/* The units of SampleCounter, and the counters of PerfTimebase, that are times. */
enum { UNIT_NANOSECONDS = 1, UNIT_BYTES = 4, COUNTER_CPU_CLOCK = 1, COUNTER_TASK_CLOCK = 3 };
enum { KIND_KERNEL = 2 };

/* The keys of tables: all bytes are set, because keys are compared as bytes. Texts are indices in
 * pf_samples.texts, + 1; 0: none. */
struct frame_key {
    uint64_t rel_pc;
    uint32_t name, mapping, source, line;
    uint32_t is_kernel, has_address;
};

struct mapping_key {
    uint32_t path, build_id;
};

struct address_key {
    uint64_t rel_pc;
    uint32_t path, build_id;
};

struct task_key {
    int64_t pid, tid;
    uint64_t async;
};

struct counter_key {
    uint64_t multiplier;
    uint32_t unit; /* enum st_unit */
    uint32_t name, unit_name;
    uint32_t source; /* of the unit as the file has it: counters with other units are not equal */
};

struct sample {
    int64_t ts_ns;
    uint64_t weight;
    uint32_t stack, task; /* stack: index in pf_samples.stacks, + 1; 0: none */
    uint32_t order;       /* in the file */
};

struct pf_samples {
    struct ps_intern texts, mappings, frames, stacks, tasks, counters, addresses;
    struct ps_u32s lines; /* frame_key ids of symbols, innermost first */
    struct ps_u32s line_ends, path;
    struct sample *items;
    uint32_t n, cap;
    uint32_t counter; /* of all samples; index in `counters`, + 1; 0: they are counted */
    bool is_mixed;    /* samples have several counters, or only some have one */
    uint64_t n_read, n_rejected, n_zero, n_events, n_followers, n_skipped, n_lost, n_stackless;
    struct st_stacks out;
    struct ps_buf text;
};

struct pf_samples *pf_samples_new(struct ps_sink *out)
{
    struct pf_samples *samples = ps_alloc(sizeof *samples);

    samples->out.out = out;
    return samples;
}

void pf_samples_free(struct pf_samples *s)
{
    struct ps_intern *tables[] = {&s->texts, &s->mappings, &s->frames,   &s->stacks,
                                  &s->tasks, &s->counters, &s->addresses};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        ps_intern_free(tables[i]);
    free(s->lines.items);
    free(s->line_ends.items);
    free(s->path.items);
    free(s->items);
    st_free(&s->out);
    ps_buf_free(&s->text);
    free(s);
}

/* --- Keys --- */

static uint32_t add_key(struct ps_intern *table, const void *key, size_t size)
{
    return ps_intern_add(table, (struct ps_str){key, size}) + 1;
}

static void get_key(const struct ps_intern *table, uint32_t id, void *out, size_t size)
{
    memcpy(out, table->items[id - 1].ptr, size);
}

static uint32_t add_text(struct pf_reader *r, struct ps_str text)
{
    return text.len ? ps_intern_add(&r->samples->texts, pf_clean_text(r, text)) + 1 : 0;
}

static struct ps_str text_of(const struct pf_samples *s, uint32_t id)
{
    return id ? s->texts.items[id - 1] : PS_STR("");
}

static void push(struct ps_u32s *list, uint32_t value)
{
    PS_RESERVE_ONE(list->items, list->n, list->cap);
    list->items[list->n++] = value;
}

/* --- Interned data --- */

static void read_texts(struct pf_reader *r, struct pf_sequence *sequence, enum pf_table table,
                       struct ps_wire_list list)
{
    struct pf_interned_text text;
    struct ps_wire_fault fault;
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes))
        if (ps_wire_read(&pf_interned_text_message, bytes, &text, &fault))
            pf_define(r, sequence, table, text.iid, add_text(r, text.text));
}

/* The parts of a path may have their separators, or not. */
static uint32_t join_path(struct pf_reader *r, const struct pf_iids *parts,
                          struct ps_wire_list list)
{
    struct pf_samples *s = r->samples;
    uint64_t iid;

    s->text.len = 0;
    while (ps_wire_next_int(&list, &iid)) {
        struct ps_str part = text_of(s, pf_iid_value(parts, iid));

        if (part.len && part.ptr[0] != '/')
            ps_buf_puts(&s->text, "/");
        ps_buf_add_str(&s->text, part);
    }
    return add_text(r, ps_buf_slice(&s->text));
}

static void read_mappings(struct pf_reader *r, struct pf_sequence *sequence,
                          struct ps_wire_list list)
{
    struct pf_mapping mapping;
    struct ps_wire_fault fault;
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes)) {
        struct mapping_key key;

        if (!ps_wire_read(&pf_mapping_message, bytes, &mapping, &fault))
            continue;
        key.path = join_path(r, &sequence->tables[PF_MAPPING_PATHS], mapping.path_string_ids);
        key.build_id = pf_iid_value(&sequence->tables[PF_BUILD_IDS], mapping.build_id);
        pf_define(r, sequence, PF_MAPPINGS, mapping.iid,
                  add_key(&r->samples->mappings, &key, sizeof key));
    }
}

static void read_frames(struct pf_reader *r, struct pf_sequence *sequence, struct ps_wire_list list)
{
    const struct pf_iids *tables = sequence->tables;
    struct pf_frame frame;
    struct ps_wire_fault fault;
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes)) {
        struct frame_key key = {0};

        if (!ps_wire_read(&pf_frame_message, bytes, &frame, &fault))
            continue;
        key.rel_pc = frame.rel_pc;
        key.has_address = PS_WIRE_HAS(&frame, PF_FRAME_HAS_REL_PC);
        key.name = pf_iid_value(&tables[PF_FUNCTIONS], frame.function_name_id);
        key.mapping = pf_iid_value(&tables[PF_MAPPINGS], frame.mapping_id);
        key.source = pf_iid_value(&tables[PF_SOURCE_PATHS], frame.source_path_iid);
        key.line = frame.line_number & UINT32_MAX;
        key.is_kernel = frame.kind == KIND_KERNEL;
        pf_define(r, sequence, PF_FRAMES, frame.iid,
                  add_key(&r->samples->frames, &key, sizeof key));
    }
}

/* Adds the stack of the frames in `path`. */
static uint32_t add_stack(struct pf_samples *s)
{
    return s->path.n ? add_key(&s->stacks, s->path.items, s->path.n * sizeof *s->path.items) : 0;
}

static void read_callstacks(struct pf_reader *r, struct pf_sequence *sequence,
                            struct ps_wire_list list)
{
    struct pf_callstack stack;
    struct ps_wire_fault fault;
    struct ps_str bytes;
    uint64_t iid;

    while (ps_wire_next_string(&list, &bytes)) {
        if (!ps_wire_read(&pf_callstack_message, bytes, &stack, &fault))
            continue;
        r->samples->path.n = 0;
        while (r->samples->path.n <= ST_DEPTH_MAX && ps_wire_next_int(&stack.frame_ids, &iid))
            push(&r->samples->path, pf_iid_value(&sequence->tables[PF_FRAMES], iid));
        pf_define(r, sequence, PF_CALLSTACKS, stack.iid, add_stack(r->samples));
    }
}

static uint32_t read_task(struct pf_reader *r, struct ps_str bytes, uint64_t *iid)
{
    struct pf_sample_task task;
    struct ps_wire_fault fault;
    struct task_key key;

    (void)ps_wire_read(&pf_sample_task_message, bytes, &task, &fault);
    *iid = task.iid;
    key = (struct task_key){task.pid, task.tid, task.async_id};
    return add_key(&r->samples->tasks, &key, sizeof key);
}

static uint32_t read_counter(struct pf_reader *r, struct ps_str bytes, uint64_t *iid)
{
    static const char *const units[] = {
        [2] = "cycles",       [3] = "instructions",     [5] = "page faults",
        [6] = "cache misses", [7] = "cache references", [8] = "branch misses"};
    struct pf_sample_counter counter;
    struct ps_wire_fault fault;
    struct counter_key key = {0};

    (void)ps_wire_read(&pf_sample_counter_message, bytes, &counter, &fault);
    *iid = counter.iid;
    key.multiplier = counter.unit_multiplier ? counter.unit_multiplier : 1;
    key.unit = counter.unit == UNIT_NANOSECONDS ? ST_TIME
               : counter.unit == UNIT_BYTES     ? ST_BYTES
                                                : ST_WEIGHT;
    key.source = (uint32_t)counter.unit;
    key.name = add_text(r, counter.name);
    if (counter.unit < sizeof units / sizeof *units && units[counter.unit])
        key.unit_name = add_text(r, ps_str_from_c(units[counter.unit]));
    else
        key.unit_name = add_text(r, counter.unit_str.len ? counter.unit_str : counter.name);
    return add_key(&r->samples->counters, &key, sizeof key);
}

static void read_interned(struct pf_reader *r, struct pf_sequence *sequence, enum pf_table table,
                          struct ps_wire_list list,
                          uint32_t (*read)(struct pf_reader *, struct ps_str, uint64_t *))
{
    struct ps_str bytes;
    uint64_t iid;

    while (ps_wire_next_string(&list, &bytes)) {
        uint32_t value = read(r, bytes, &iid);

        pf_define(r, sequence, table, iid, value);
    }
}

void pf_read_sample_interned(struct pf_reader *r, struct pf_sequence *sequence,
                             const struct pf_interned_data *data)
{
    read_texts(r, sequence, PF_FUNCTIONS, data->function_names);
    read_texts(r, sequence, PF_BUILD_IDS, data->build_ids);
    read_texts(r, sequence, PF_MAPPING_PATHS, data->mapping_paths);
    read_texts(r, sequence, PF_SOURCE_PATHS, data->source_paths);
    read_mappings(r, sequence, data->mappings);
    read_frames(r, sequence, data->frames);
    read_callstacks(r, sequence, data->callstacks);
    read_interned(r, sequence, PF_TASKS, data->stack_sample_tasks, read_task);
    read_interned(r, sequence, PF_COUNTERS, data->stack_sample_counters, read_counter);
}

/* The time between two samples of a CPU timer, which is the default of the event. 0: another event,
 * or the trace does not say. */
static uint64_t period_of(struct ps_str bytes)
{
    struct pf_perf_sample_defaults defaults;
    struct pf_perf_timebase timebase;
    struct ps_wire_fault fault;

    (void)ps_wire_read(&pf_perf_sample_defaults_message, bytes, &defaults, &fault);
    (void)ps_wire_read(&pf_perf_timebase_message, defaults.timebase, &timebase, &fault);
    if (timebase.tracepoint.len || timebase.raw_event.len ||
        (timebase.counter && timebase.counter != COUNTER_CPU_CLOCK &&
         timebase.counter != COUNTER_TASK_CLOCK))
        return 0;
    return timebase.frequency ? UINT64_C(1000000000) / timebase.frequency : timebase.period;
}

void pf_read_sample_defaults(struct pf_reader *r, struct pf_sequence *sequence, struct ps_str bytes)
{
    struct pf_trace_packet_defaults defaults;
    struct pf_stack_sample_defaults stacks;
    struct counter_key timer = {.multiplier = 1, .unit = ST_TIME};
    struct ps_wire_fault fault;
    uint64_t iid;

    (void)ps_wire_read(&pf_trace_packet_defaults_message, bytes, &defaults, &fault);
    (void)ps_wire_read(&pf_stack_sample_defaults_message, defaults.stack_sample_defaults, &stacks,
                       &fault);
    sequence->sample_period = period_of(defaults.perf_sample_defaults);
    if (!PS_WIRE_HAS(&defaults, PF_TRACE_PACKET_DEFAULTS_HAS_PERF_SAMPLE_DEFAULTS))
        sequence->sample_period = 0;
    sequence->perf_counter =
        sequence->sample_period ? add_key(&r->samples->counters, &timer, sizeof timer) : 0;
    sequence->sample_counter =
        stacks.primary_descriptor.len ? read_counter(r, stacks.primary_descriptor, &iid) : 0;
}

/* --- Samples --- */

static void add_sample(struct pf_samples *s, struct sample sample, uint32_t counter)
{
    if (s->n == UINT32_MAX - 1) {
        s->n_rejected++;
        return;
    }
    if (!s->n)
        s->counter = counter;
    s->is_mixed |= s->counter != counter;
    sample.order = s->n;
    PS_RESERVE_ONE(s->items, s->n, s->cap);
    s->items[s->n++] = sample;
}

static uint32_t stack_of(const struct pf_sequence *sequence, uint64_t iid)
{
    return pf_iid_value(&sequence->tables[PF_CALLSTACKS], iid);
}

/* False: the sample is refused. */
static bool find_time(struct pf_reader *r, struct pf_sequence *sequence,
                      const struct pf_trace_packet *packet, int64_t *out_ns)
{
    enum pf_fault fault = pf_packet_time(r, sequence, packet, out_ns);

    if (fault == PF_N_FAULTS)
        return true;
    pf_count_fault(r, fault);
    r->samples->n_rejected++;
    return false;
}

static void read_perf_sample(struct pf_reader *r, struct pf_sequence *sequence,
                             const struct pf_trace_packet *packet)
{
    struct pf_samples *s = r->samples;
    struct sample sample = {.weight = sequence->sample_period};
    struct pf_perf_sample perf;
    struct ps_wire_fault fault;
    struct task_key task;

    if (!ps_wire_read(&pf_perf_sample_message, packet->perf_sample, &perf, &fault))
        pf_count_fault(r, PF_FAULT_NESTED);
    s->n_lost = s->n_lost > UINT64_MAX - perf.kernel_records_lost
                    ? UINT64_MAX
                    : s->n_lost + perf.kernel_records_lost;
    if (PS_WIRE_HAS(&perf, PF_PERF_SAMPLE_HAS_KERNEL_RECORDS_LOST) || perf.producer_event.len)
        return;
    if (PS_WIRE_HAS(&perf, PF_PERF_SAMPLE_HAS_SAMPLE_SKIPPED_REASON)) {
        s->n_skipped++;
        return;
    }
    s->n_read++;
    if (!find_time(r, sequence, packet, &sample.ts_ns))
        return;
    task = (struct task_key){perf.pid, perf.tid, 0};
    sample.task = add_key(&s->tasks, &task, sizeof task);
    sample.stack = stack_of(sequence, perf.callstack_iid);
    add_sample(s, sample, sequence->perf_counter);
}

/* Adds the samples of a packet of the thread whose descriptor the sequence has. */
static void read_streaming(struct pf_reader *r, struct pf_sequence *sequence,
                           const struct pf_trace_packet *packet)
{
    struct pf_samples *s = r->samples;
    struct pf_streaming_profile_packet streaming;
    struct ps_wire_fault fault;
    struct task_key task = {0};
    int64_t *now = &sequence->delta_ns, packet_ns = 0, step;
    uint64_t iid, delta;

    if (!ps_wire_read(&pf_streaming_profile_packet_message, packet->streaming_profile_packet,
                      &streaming, &fault))
        pf_count_fault(r, PF_FAULT_NESTED);
    if (!sequence->has_delta) {
        now = &packet_ns;
        if (pf_packet_time(r, sequence, packet, now) != PF_N_FAULTS)
            packet_ns = 0;
    }
    if (sequence->thread) {
        task.pid = r->trace.threads[sequence->thread - 1].pid_number;
        task.tid = r->trace.threads[sequence->thread - 1].tid_number;
    }
    while (ps_wire_next_int(&streaming.callstack_iid, &iid)) {
        if (ps_wire_next_int(&streaming.timestamp_delta_us, &delta))
            (void)(__builtin_mul_overflow((int64_t)delta, 1000, &step) ||
                   __builtin_add_overflow(*now, step, now));
        s->n_read++;
        add_sample(s,
                   (struct sample){.ts_ns = *now,
                                   .stack = stack_of(sequence, iid),
                                   .task = add_key(&s->tasks, &task, sizeof task)},
                   0);
    }
}

static uint32_t inline_stack(struct pf_reader *r, struct ps_str bytes)
{
    struct pf_samples *s = r->samples;
    struct pf_inline_callstack stack;
    struct pf_inline_frame frame;
    struct ps_wire_fault fault;

    (void)ps_wire_read(&pf_inline_callstack_message, bytes, &stack, &fault);
    s->path.n = 0;
    while (s->path.n <= ST_DEPTH_MAX && ps_wire_next_string(&stack.frames, &bytes)) {
        struct frame_key key = {0};

        (void)ps_wire_read(&pf_inline_frame_message, bytes, &frame, &fault);
        key.name = add_text(r, frame.function_name);
        key.source = add_text(r, frame.source_file);
        key.line = frame.line_number & UINT32_MAX;
        push(&s->path, add_key(&s->frames, &key, sizeof key));
    }
    return add_stack(s);
}

static void read_stack_sample(struct pf_reader *r, struct pf_sequence *sequence,
                              const struct pf_trace_packet *packet)
{
    struct pf_samples *s = r->samples;
    struct pf_stack_sample in;
    struct ps_wire_fault fault;
    struct sample sample = {0};
    uint32_t counter = sequence->sample_counter;
    uint64_t iid;

    if (!ps_wire_read(&pf_stack_sample_message, packet->stack_sample, &in, &fault))
        pf_count_fault(r, PF_FAULT_NESTED);
    s->n_read++;
    s->n_followers += in.follower_weights.n > 0;
    if (!find_time(r, sequence, packet, &sample.ts_ns))
        return;
    sample.task = pf_iid_value(&sequence->tables[PF_TASKS], in.task_context_iid);
    if (!sample.task)
        sample.task = read_task(r, in.task_context, &iid);
    sample.stack =
        in.callstack.len ? inline_stack(r, in.callstack) : stack_of(sequence, in.callstack_iid);
    if (in.primary_descriptor.len)
        counter = read_counter(r, in.primary_descriptor, &iid);
    else if (in.primary_descriptor_iid)
        counter = pf_iid_value(&sequence->tables[PF_COUNTERS], in.primary_descriptor_iid);
    sample.weight = in.primary_weight;
    if (!PS_WIRE_HAS(&in, PF_STACK_SAMPLE_HAS_PRIMARY_WEIGHT))
        counter = 0;
    add_sample(s, sample, counter);
}

/* --- Symbols --- */

static void read_lines(struct pf_reader *r, struct ps_wire_list list)
{
    struct pf_samples *s = r->samples;
    struct pf_symbol_line line;
    struct ps_wire_fault fault;
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes)) {
        struct frame_key key = {0};

        (void)ps_wire_read(&pf_symbol_line_message, bytes, &line, &fault);
        key.name = add_text(r, line.function_name);
        key.source = add_text(r, line.source_file_name);
        key.line = line.line_number & UINT32_MAX;
        if (key.name)
            push(&s->lines, add_key(&s->frames, &key, sizeof key));
    }
}

static void read_symbols(struct pf_reader *r, struct ps_str bytes)
{
    struct pf_samples *s = r->samples;
    struct pf_module_symbols module;
    struct pf_address_symbols address;
    struct ps_wire_fault fault;
    struct address_key key;

    if (!ps_wire_read(&pf_module_symbols_message, bytes, &module, &fault))
        pf_count_fault(r, PF_FAULT_NESTED);
    key.path = add_text(r, module.path);
    key.build_id = add_text(r, module.build_id);
    while (ps_wire_next_string(&module.address_symbols, &bytes)) {
        (void)ps_wire_read(&pf_address_symbols_message, bytes, &address, &fault);
        key.rel_pc = address.address;
        if (add_key(&s->addresses, &key, sizeof key) <= s->line_ends.n)
            continue; /* its symbols are known */
        read_lines(r, address.lines);
        push(&s->line_ends, (uint32_t)s->lines.n);
    }
}

bool pf_read_samples(struct pf_reader *r, struct pf_sequence *sequence,
                     const struct pf_trace_packet *packet)
{
    if (PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_PERF_SAMPLE))
        read_perf_sample(r, sequence, packet);
    else if (PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_STACK_SAMPLE))
        read_stack_sample(r, sequence, packet);
    else if (PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_STREAMING_PROFILE_PACKET))
        read_streaming(r, sequence, packet);
    else if (PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_MODULE_SYMBOLS))
        read_symbols(r, packet->module_symbols);
    else if (PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_PROCESS_TREE))
        pf_read_process_tree(r, packet->process_tree);
    else if (PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_TRACK_EVENT) ||
             PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_GPU_RENDER_STAGE_EVENT))
        r->samples->n_events++;
    else
        return false;
    return true;
}

bool pf_has_samples(const struct pf_samples *samples)
{
    return samples->n > 0;
}

/* --- The run --- */

/* The name of a frame without a function is its place: "libc.so.6+0x1f". */
static uint32_t name_frame(struct pf_samples *s, const struct frame_key *frame)
{
    struct mapping_key mapping = {0};
    struct ps_str place, name = text_of(s, frame->name);
    char line[16], address[20];
    const char *slash;
    PS_AUTO(ps_buf_free) struct ps_buf unnamed = {0};

    if (frame->mapping)
        get_key(&s->mappings, frame->mapping, &mapping, sizeof mapping);
    place = text_of(s, mapping.path);
    slash = place.len ? memrchr(place.ptr, '/', place.len) : NULL;
    if (slash)
        place = ps_str_skip(place, (size_t)(slash - place.ptr) + 1);
    if (!place.len && frame->is_kernel)
        place = PS_STR("kernel");
    if (!name.len) {
        (void)snprintf(address, sizeof address, "0x%" PRIx64, frame->rel_pc);
        ps_buf_add_str(&unnamed, place);
        if (frame->has_address)
            ps_buf_printf(&unnamed, "%s%s", place.len ? "+" : "", address);
        if (!unnamed.len)
            ps_buf_puts(&unnamed, "(unknown frame)");
        name = ps_buf_slice(&unnamed);
        place = PS_STR("");
    }
    (void)snprintf(line, sizeof line, "%" PRIu32, frame->source ? frame->line : 0);
    return st_frame_id_of(&s->out, &s->text, name,
                          frame->source ? text_of(s, frame->source) : place, ps_str_from_c(line));
}

/* The symbols of an address: an index in line_ends; PS_INTERN_NONE: none. */
static uint32_t find_symbols(const struct pf_samples *s, const struct frame_key *frame)
{
    struct address_key key = {.rel_pc = frame->rel_pc};
    struct mapping_key mapping;
    uint32_t found;

    if (!frame->mapping || !frame->has_address)
        return PS_INTERN_NONE;
    get_key(&s->mappings, frame->mapping, &mapping, sizeof mapping);
    key.path = mapping.path;
    key.build_id = mapping.build_id;
    found = ps_intern_find(&s->addresses, (struct ps_str){(const char *)&key, sizeof key});
    return found;
}

/* The name of a frame; those of stacks without samples get none. */
static uint32_t id_of(struct pf_samples *s, uint32_t frame, uint32_t *ids)
{
    struct frame_key key = {0};

    if (!ids[frame]) {
        if (frame)
            get_key(&s->frames, frame, &key, sizeof key);
        ids[frame] = name_frame(s, &key);
    }
    return ids[frame];
}

/* Adds the ids of a frame, and of those that were inlined into it, to `path`. */
static void add_frame(struct pf_samples *s, uint32_t id, uint32_t *ids)
{
    struct frame_key frame = {0};
    uint32_t symbols, first;

    if (id)
        get_key(&s->frames, id, &frame, sizeof frame);
    symbols = find_symbols(s, &frame);
    first = symbols && symbols != PS_INTERN_NONE ? s->line_ends.items[symbols - 1] : 0;
    if (symbols == PS_INTERN_NONE || s->line_ends.items[symbols] == first) {
        push(&s->path, id_of(s, id, ids));
        return;
    }
    for (uint32_t i = s->line_ends.items[symbols]; i > first && s->path.n <= ST_DEPTH_MAX; i--)
        push(&s->path, id_of(s, s->lines.items[i - 1], ids));
}

/* Sets `path` to the frames of a stack. */
static void unfold_stack(struct pf_samples *s, uint32_t stack, uint32_t *ids)
{
    struct ps_str key = stack ? s->stacks.items[stack - 1] : PS_STR("");
    uint32_t id;

    s->path.n = 0;
    for (size_t i = 0; i + sizeof id <= key.len && s->path.n <= ST_DEPTH_MAX; i += sizeof id) {
        memcpy(&id, key.ptr + i, sizeof id);
        add_frame(s, id, ids);
    }
    if (!s->path.n)
        push(&s->path, st_frame_id(&s->out, PS_STR("(no stack)")));
}

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static enum ps_status add_tracks(struct pf_reader *r, uint32_t *tracks)
{
    struct pf_samples *s = r->samples;

    for (uint32_t i = 0; i < s->tasks.count && r->err->code == PS_OK; i++) {
        struct task_key task;
        char pid[24], tid[24] = "", name[40];
        struct ps_str process, thread;

        get_key(&s->tasks, i + 1, &task, sizeof task);
        (void)snprintf(pid, sizeof pid, "%" PRId64, task.pid);
        if (task.tid || !task.async)
            (void)snprintf(tid, sizeof tid, "%" PRId64, task.tid);
        (void)snprintf(name, sizeof name, "task %" PRIu64, task.async);
        pf_names_of_ids(r, task.pid, task.tid, &process, &thread);
        if (task.async)
            thread = ps_str_from_c(name);
        (void)st_add_track(&s->out, st_process_id(&s->out, ps_str_from_c(pid), process),
                           thread.len ? thread : PS_STR("thread"), ps_str_from_c(tid), &tracks[i],
                           r->err);
    }
    return r->err->code;
}

/* A weight in the form of st_add_stack. False: it is too large. */
static bool scale_weight(const struct pf_samples *s, uint64_t weight, uint64_t multiplier,
                         int64_t *out)
{
    uint64_t scale = s->out.unit == ST_TIME ? 1 : ST_SCALE;

    return !__builtin_mul_overflow(weight, multiplier, &weight) &&
           !__builtin_mul_overflow(weight, scale, &weight) && weight <= INT64_MAX &&
           (*out = (int64_t)weight, true);
}

static uint64_t choose_unit(struct pf_samples *s)
{
    struct counter_key counter = {.multiplier = 1, .unit = ST_SAMPLES};

    if (s->counter && !s->is_mixed)
        get_key(&s->counters, s->counter, &counter, sizeof counter);
    s->out.unit = (enum st_unit)counter.unit;
    if (s->out.unit == ST_WEIGHT)
        st_name_unit(&s->out, text_of(s, counter.unit_name));
    return counter.multiplier;
}

static void add_all(struct pf_reader *r, const uint32_t *tracks, uint32_t *ids)
{
    struct pf_samples *s = r->samples;
    uint64_t multiplier = choose_unit(s);

    for (uint32_t i = 0; i < s->n && r->err->code == PS_OK; i++) {
        const struct sample *sample = &s->items[i];
        int64_t weight = ST_SCALE;

        if (s->out.unit != ST_SAMPLES && !scale_weight(s, sample->weight, multiplier, &weight)) {
            s->n_rejected++;
        } else if (!weight) {
            s->n_zero++;
        } else {
            s->n_stackless += !sample->stack;
            unfold_stack(s, sample->stack, ids);
            (void)st_add_stack(&s->out, tracks[sample->task - 1], s->path.items,
                               (uint32_t)s->path.n, weight, r->err);
        }
    }
}

static void write_notes(struct pf_reader *r)
{
    struct pf_samples *s = r->samples;

    if (s->is_mixed)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the samples have weights of several counters, which cannot be added: each "
                     "sample counts as one");
    ps_sink_count(r->out, PS_NOTE_INFO, s->n_followers,
                  "samples with values of more counters, which are not read");
    ps_sink_count(r->out, PS_NOTE_INFO, s->n_events,
                  "events of the program beside the samples, not shown");
    ps_sink_count(r->out, PS_NOTE_WARNING, s->n_skipped, "samples that the profiler skipped");
    ps_sink_count(r->out, PS_NOTE_WARNING, s->n_lost,
                  "records that the kernel lost because its buffer was full");
    ps_sink_count(r->out, PS_NOTE_INFO, s->n_stackless,
                  "samples without a stack that the trace defines, counted as (no stack)");
}

enum ps_status pf_samples_write(struct pf_reader *r)
{
    struct pf_samples *s = r->samples;
    uint32_t *tracks = ps_alloc_array(s->tasks.count + 1, sizeof *tracks);
    uint32_t *ids = ps_alloc_array(s->frames.count + 1, sizeof *ids); /* [0]: unknown */
    struct ps_ledger ledger = {.unit = "samples"};

    qsort(s->items, s->n, sizeof *s->items, compare_samples);
    if (add_tracks(r, tracks) == PS_OK)
        add_all(r, tracks, ids);
    if (r->err->code == PS_OK && !s->out.n_samples)
        ps_fail(r->err, PS_BAD_INPUT,
                "no sample of the trace has a weight" PS_HINT "record a longer run");
    if (r->err->code == PS_OK) {
        ps_sink_meta(r->out, "tool", PS_STR("Perfetto"));
        st_write(&s->out);
        write_notes(r);
        ledger.read = s->n_read;
        ledger.rejected = s->n_rejected;
        ledger.other = s->n_zero;
        ledger.stored = s->n_read - s->n_rejected - s->n_zero;
        r->out->ops->ledger(r->out, &ledger);
    }
    free(tracks);
    free(ids);
    return r->err->code;
}
