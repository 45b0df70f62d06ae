/* SPDX-License-Identifier: MIT */
/* look.c: the first pass over all records, before any thread becomes a track: metadata, the tracks
 * there will be, [memory] records, and the resolution of times. */
#include "importers/trace/import.h"
#include "importers/trace/memory.h"

struct look {
    struct tr_trace *trace;
    struct tr_import *import;
    struct tr_thread_facts *facts;
    uint32_t thread;
    bool waits;
    const uint8_t *steps; /* by text id: the name begins with ProfilerStep# */
};

/* Kineto puts waits for contexts and events on tid -1, and since 2026 waits for streams on stream +
 * 1000000. */
bool tr_only_waits(const struct tr_thread *thread)
{
    return thread->tid_number != INT64_MIN &&
           (thread->tid_number < 0 || thread->tid_number >= 1000000);
}

static enum tr_class class_of_kind(uint8_t kind)
{
    switch (kind) {
    case PS_SLICE_KERNEL:
    case PS_SLICE_MEMCPY:
    case PS_SLICE_MEMSET:
        return TR_CLASS_STREAM;
    case PS_SLICE_SYNC:
        return TR_CLASS_SYNC;
    case PS_SLICE_GPU_ANNOTATION:
        return TR_CLASS_ANNOTATIONS;
    case PS_SLICE_OVERHEAD:
        return TR_CLASS_OVERHEAD;
    case PS_SLICE_SPAN:
        return TR_CLASS_SPAN;
    default:
        return TR_CLASS_THREAD;
    }
}

static bool rest_is(struct ps_str rest, const char *key, const char *json)
{
    return ps_str_is(ps_template_value(rest, ps_str_of(key), false), json);
}

static uint8_t rest_of(struct ps_str template)
{
    const char *mark = template.len ? memchr(template.at, PS_TEMPLATE_REST, template.len) : NULL;
    struct ps_str rest;
    uint8_t bits = 0;

    if (!mark)
        return 0;
    rest = ps_str_skip(template, (size_t)(mark - template.at) + 1);
    bits |= rest_is(rest, "bp", "\"e\"") ? TR_REST_ENCLOSING : 0;
    bits |= rest_is(rest, "s", "\"p\"") ? TR_REST_PROCESS : 0;
    bits |= rest_is(rest, "s", "\"g\"") ? TR_REST_GLOBAL : 0;
    bits |= rest_is(rest, "flow_in", "true") ? TR_REST_IN : 0;
    bits |= rest_is(rest, "flow_out", "true") ? TR_REST_OUT : 0;
    bits |= ps_template_value(rest, PS_STR("bind_id"), false).at ? TR_REST_BIND : 0;
    return bits;
}

static void learn_words(struct tr_trace *trace)
{
    struct tr_import *import = trace->import;

    import->class_of = ps_alloc((size_t)trace->n_cats + 1);
    for (uint32_t i = 0; i < trace->n_cats; i++)
        import->class_of[i] = (uint8_t)class_of_kind(trace->cats[i].kind);
    import->rest = ps_alloc((size_t)trace->n_templates + 1);
    for (uint32_t i = PS_TEMPLATE_WHOLE + 1; i < trace->n_templates; i++) {
        import->rest[i] = rest_of(trace->templates[i].text);
        import->binds |= (import->rest[i] & TR_REST_BIND) != 0;
    }
    if (tr_is_attributed(trace) &&
        ps_intern_find(&trace->names, PS_STR("[memory]")) != PS_INTERN_NONE)
        import->memory_name = tr_text_id(trace, PS_STR("[memory]"));
}

static void note_unit(struct tr_import *import, const struct tr_record *r)
{
    while (import->unit > 1 &&
           (r->ts % import->unit || (r->dur != TR_NO_DURATION && r->dur % import->unit)))
        import->unit /= 10;
}

static void complete(struct look *look, const struct tr_record *r)
{
    enum tr_class kind = look->import->class_of[r->cat];

    if (kind == TR_CLASS_SYNC && !look->waits)
        kind = TR_CLASS_STREAM;
    look->facts->n[kind]++;
    if (kind == TR_CLASS_THREAD)
        look->facts->steps |= look->steps[r->name];
    else if (kind == TR_CLASS_STREAM && look->facts->device < 0 && r->template &&
             !tr_param(look->trace, r, look->trace->templates[r->template].device,
                       &look->facts->device))
        look->facts->device = -1;
    if (look->import->unit > 1)
        note_unit(look->import, r);
}

static void see(void *user, const struct tr_record *records, size_t n)
{
    struct look *look = user;

    for (size_t i = 0; i < n; i++) {
        const struct tr_record *r = &records[i];

        switch (r->ph) {
        case 'X':
            complete(look, r);
            break;
        case 'B':
        case 'E':
            look->facts->begin_end = true;
            look->facts->n[TR_CLASS_THREAD]++;
            break;
        case 'i':
        case 'I':
        case 'R':
            if (r->name && r->name == look->import->memory_name)
                tr_memory_add(look->trace, look->thread, r);
            else if (!(look->import->rest[r->template] & (TR_REST_PROCESS | TR_REST_GLOBAL)))
                look->facts->n[TR_CLASS_THREAD]++;
            break;
        case 'M':
            tr_metadata(look->trace, look->thread, r);
            break;
        default:
            break;
        }
    }
}

static uint8_t *step_names(const struct tr_trace *trace)
{
    uint8_t *steps = ps_alloc((size_t)trace->names.count + 1);

    for (uint32_t i = 0; i < trace->names.count; i++)
        steps[i + 1] = ps_str_starts(trace->names.items[i], PS_STR("ProfilerStep#"));
    return steps;
}

void tr_names_begin(struct tr_trace *trace)
{
    struct tr_import *import = trace->import;
    PS_AUTO(ps_free_ptr) uint8_t *steps = step_names(trace);

    import->threads = ps_alloc_array((size_t)trace->n_threads + 1, sizeof *import->threads);
    import->unit = 1000;
    learn_words(trace);
    for (uint32_t i = 0; i < trace->n_threads; i++) {
        struct tr_thread_facts *facts = &import->threads[i];
        const struct tr_thread *thread = &trace->threads[i];
        struct look look = {.trace = trace, .import = import, .facts = facts, .thread = i};

        facts->process = tr_process_of(trace, thread->pid, thread->pid_number);
        facts->name = thread->name;
        facts->sort_index = thread->sort_index;
        facts->device = thread->device;
        if (thread->process_name.len)
            import->processes[facts->process].name = thread->process_name;
        look.waits = tr_only_waits(thread);
        look.steps = steps;
        tr_thread_each(trace, thread, see, &look);
        for (int kind = 0; kind < TR_N_CLASSES; kind++)
            if (facts->n[kind])
                import->processes[facts->process].worked |= 1u << kind;
    }
    tr_names_place(trace);
    tr_room_rest(trace->room);
}
