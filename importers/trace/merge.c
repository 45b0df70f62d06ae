/* SPDX-License-Identifier: MIT */
/* merge.c: adds the output of a parser to the trace, with the trace's ids, in file order. */
#include <stdlib.h>

#include "importers/trace/read.h"

#define NAME_BYTES_MAX     (UINT64_C(64) << 20)
#define TEMPLATE_BYTES_MAX (UINT64_C(32) << 20)
#define RECORDS_MAX        (UINT64_C(1) << 31)

void tr_maps_forget(struct tr_maps *maps)
{
    free(maps->names);
    free(maps->templates);
    free(maps->cats);
    free(maps->threads);
    *maps = (struct tr_maps){0};
}

static void widen(uint32_t **map, size_t *n, uint32_t count)
{
    if (count <= *n)
        return;
    *map = ps_grow(*map, (size_t)count * 2, sizeof **map);
    memset(*map + *n, 0, ((size_t)count * 2 - *n) * sizeof **map);
    *n = (size_t)count * 2;
}

uint32_t tr_text_id(struct tr_trace *trace, struct ps_str text)
{
    uint32_t before = trace->names.count, id;

    id = ps_intern_id(&trace->names, (struct ps_str){text.at ? text.at : "", text.len}) + 1;
    if (trace->names.count != before)
        trace->pages->name_bytes += text.len + 1;
    return id;
}

struct ps_str tr_text(const struct tr_trace *trace, uint32_t id)
{
    return id && id <= trace->names.count ? trace->names.items[id - 1] : PS_STR("");
}

/* Returns the text id of a repaired name. If a different name was repaired to the same text before,
 * the hash of the original bytes is appended. */
static uint32_t odd_name(struct tr_trace *trace, struct ps_str name, struct ps_str mark)
{
    struct tr_pages *pages = trace->pages;
    uint32_t known = pages->odd.count, index = ps_intern_id(&pages->odd, name);

    if (index == pages->odd_cap) {
        pages->odd_cap = pages->odd_cap ? pages->odd_cap * 2 : 16;
        pages->odd_mark = ps_grow(pages->odd_mark, pages->odd_cap, sizeof *pages->odd_mark);
    }
    if (index == known)
        pages->odd_mark[index] = ps_arena_copy(&trace->arena, mark);
    if (ps_str_eq(pages->odd_mark[index], mark))
        return tr_text_id(trace, name);
    return tr_text_id(trace, ps_str_of(ps_arena_printf(&trace->arena, "%.*s ~%.*s", (int)name.len,
                                                       name.at, (int)mark.len, mark.at)));
}

static uint32_t new_name(struct tr_trace *trace, struct ps_str text)
{
    const char *odd = text.len ? memchr(text.at, TR_ODD_NAME, text.len) : NULL;
    struct ps_str name = {text.at, odd ? (size_t)(odd - text.at) : text.len};

    return odd ? odd_name(trace, name, ps_str_skip(text, name.len + 1)) : tr_text_id(trace, name);
}

static uint32_t name_of(struct tr_trace *trace, const struct tr_local *local, struct tr_maps *maps,
                        uint32_t name)
{
    if (!name)
        return 0;
    if (!maps->names[name - 1])
        maps->names[name - 1] = new_name(trace, local->names.items[name - 1]);
    return maps->names[name - 1];
}

uint16_t tr_cat_of(struct tr_trace *trace, struct ps_str text)
{
    struct tr_pages *pages = trace->pages;
    uint32_t index = ps_intern_id(&pages->cats, text) + 1;

    if (index > UINT16_MAX)
        return 0;
    if (index < trace->n_cats)
        return (uint16_t)index;
    if (trace->n_cats == pages->cats_cap) {
        pages->cats_cap *= 2;
        trace->cats = ps_grow(trace->cats, pages->cats_cap, sizeof *trace->cats);
    }
    trace->cats[trace->n_cats] =
        (struct tr_cat){.text = pages->cats.items[index - 1], .text_id = tr_text_id(trace, text)};
    tr_cat_learn(&trace->cats[trace->n_cats]);
    trace->torch |= !trace->fed && trace->cats[trace->n_cats].torch;
    trace->n_cats++;
    return (uint16_t)index;
}

uint32_t tr_thread_of(struct tr_trace *trace, struct ps_str key)
{
    struct tr_pages *pages = trace->pages;
    uint32_t index = ps_intern_id(&pages->threads, key);
    size_t old = pages->threads_cap;
    struct tr_thread *thread;

    if (index < trace->n_threads)
        return index;
    if (trace->n_threads == old) {
        pages->threads_cap = old ? old * 2 : 64;
        trace->threads = ps_grow(trace->threads, pages->threads_cap, sizeof *trace->threads);
        pages->cursors = ps_grow(pages->cursors, pages->threads_cap, sizeof *pages->cursors);
    }
    thread = &trace->threads[trace->n_threads];
    *thread = (struct tr_thread){.ordered = true, .device = -1, .sort_index = INT64_MIN};
    pages->cursors[trace->n_threads++] = (struct tr_cursor){.last_ts = INT64_MIN};
    tr_thread_key_parts(pages->threads.items[index], &thread->pid, &thread->tid);
    if (!ps_str_i64(thread->pid, &thread->pid_number))
        thread->pid_number = INT64_MIN;
    if (!ps_str_i64(thread->tid, &thread->tid_number))
        thread->tid_number = INT64_MIN;
    if (trace->is_array && ps_str_is(thread->pid, "CPU functions"))
        trace->autograd = trace->torch = true;
    return index;
}

uint32_t tr_template_of(struct tr_trace *trace, struct ps_str text)
{
    struct tr_pages *pages = trace->pages;
    uint32_t id = ps_intern_id(&pages->templates, text) + 2;

    if (id < trace->n_templates)
        return id;
    if (trace->n_templates == pages->templates_cap) {
        pages->templates_cap *= 2;
        trace->templates =
            ps_grow(trace->templates, pages->templates_cap, sizeof *trace->templates);
    }
    pages->template_bytes += text.len + 1;
    trace->templates[trace->n_templates] =
        (struct tr_template){.text = pages->templates.items[id - 2]};
    tr_template_learn(trace, &trace->templates[trace->n_templates++]);
    return id;
}

/* Stores the arguments of a record as one string. Used for new templates once there are too many,
 * that is, if all arguments differ. */
static enum ps_status keep_whole(struct tr_trace *trace, const struct tr_local *local,
                                 struct ps_str template, struct tr_record *record)
{
    struct ps_buf text = {0}, *whole = &trace->pages->whole;
    struct ps_str params = ps_str_skip(ps_buf_slice(&local->args), (size_t)record->args_at);
    const char *mark = memchr(template.at, PS_TEMPLATE_REST, template.len);
    enum ps_status status;
    uint64_t at = 0;

    if (mark != template.at)
        ps_args_json(template, params, false, &text);
    if (mark) {
        ps_buf_add(&text, mark, 1);
        ps_args_json(template, params, true, &text);
    }
    whole->len = 0;
    ps_args_put_whole(whole, ps_buf_slice(&text));
    status = tr_pages_args(trace, ps_buf_slice(whole), &at);
    record->template = PS_TEMPLATE_WHOLE;
    record->args_at = at & 0xffffffffff;
    ps_buf_free(&text);
    return status;
}

/* Sets the template of a record and the address of its parameters; base: address of the local
 * ones. */
static enum ps_status map_args(struct tr_trace *trace, const struct tr_local *local,
                               struct tr_maps *maps, struct tr_record *record, uint64_t base)
{
    struct ps_str text;
    uint32_t *known;

    if (!record->template) {
        record->args_at = 0;
        return PS_OK;
    }
    known = &maps->templates[record->template - 2];
    if (!*known) {
        text = local->templates.items[record->template - 2];
        if (trace->pages->template_bytes >= TEMPLATE_BYTES_MAX &&
            ps_intern_find(&trace->pages->templates, text) == PS_INTERN_NONE)
            return keep_whole(trace, local, text, record);
        *known = tr_template_of(trace, text);
    }
    record->template = *known;
    record->args_at = (base + record->args_at) & 0xffffffffff;
    return PS_OK;
}

static enum ps_status merge_record(struct tr_trace *trace, const struct tr_local *local,
                                   struct tr_maps *maps, const struct tr_local_record *from,
                                   uint64_t base)
{
    struct tr_record record = from->record;
    uint32_t *thread = &maps->threads[from->thread], *cat;

    if (!*thread)
        *thread = tr_thread_of(trace, local->threads.items[from->thread]) + 1;
    record.name = name_of(trace, local, maps, record.name);
    if (record.id_text)
        record.dur = name_of(trace, local, maps, (uint32_t)record.dur);
    if (record.cat) {
        cat = &maps->cats[record.cat - 1];
        if (!*cat)
            *cat = tr_cat_of(trace, local->cats.items[record.cat - 1]);
        record.cat = *cat & UINT16_MAX;
        trace->threads[*thread - 1].torch |= trace->cats[record.cat].torch;
    }
    if (map_args(trace, local, maps, &record, base) != PS_OK)
        return trace->err->code;
    return tr_pages_push(trace, *thread - 1, &record);
}

static void merge_findings(struct tr_findings *to, struct tr_findings *from)
{
    for (size_t i = 0; i < from->n; i++)
        tr_find(to, (enum tr_finding)from->at[i].what, from->at[i].at);
    for (size_t i = 0; i < TR_N_FINDINGS; i++)
        if (from->count[i] > TR_FINDINGS_TOLD)
            to->count[i] += from->count[i] - TR_FINDINGS_TOLD;
    from->n = 0;
    memset(from->count, 0, sizeof from->count);
}

void tr_local_forget(struct tr_local *local)
{
    local->n = local->args.len = local->findings.n = 0;
    memset(local->findings.count, 0, sizeof local->findings.count);
    local->read = local->repaired = local->rejected = 0;
    local->first_ns = INT64_MAX;
    local->last_ns = INT64_MIN;
}

static void merge_counts(struct tr_trace *trace, struct tr_local *local)
{
    struct tr_counts *counts = &trace->counts;

    counts->read += local->read;
    counts->repaired += local->repaired;
    counts->rejected += local->rejected;
    counts->stored += local->read - local->repaired - local->rejected;
    trace->first_ns = local->first_ns < trace->first_ns ? local->first_ns : trace->first_ns;
    trace->last_ns = local->last_ns > trace->last_ns ? local->last_ns : trace->last_ns;
    merge_findings(&trace->pages->findings, &local->findings);
}

enum ps_status tr_check_limits(struct tr_trace *trace)
{
    if (trace->pages->name_bytes > NAME_BYTES_MAX) {
        ps_fail(trace->err, PS_LIMIT, "the event names in the trace exceed %llu MiB",
                (unsigned long long)(NAME_BYTES_MAX >> 20));
        ps_hint(trace->err, "names with changing numbers cause this; record a shorter time");
    } else if (trace->pages->records > RECORDS_MAX) {
        ps_fail(trace->err, PS_LIMIT, "the trace has more than 2^31 events");
        ps_hint(trace->err, "record a shorter time");
    } else if (trace->n_threads > PS_TRACKS_MAX) {
        ps_fail(trace->err, PS_LIMIT, "the trace has more than %u threads", PS_TRACKS_MAX);
    }
    return trace->err->code;
}

enum ps_status tr_merge(struct tr_trace *trace, struct tr_parser *parser, struct tr_maps *maps)
{
    struct tr_local *local = &parser->local;
    uint64_t base = 0;

    widen(&maps->names, &maps->n_names, local->names.count);
    widen(&maps->templates, &maps->n_templates, local->templates.count);
    widen(&maps->cats, &maps->n_cats, local->cats.count);
    widen(&maps->threads, &maps->n_threads, local->threads.count);
    if (tr_pages_args(trace, ps_buf_slice(&local->args), &base) != PS_OK)
        return trace->err->code;
    for (size_t i = 0; i < local->n; i++)
        if (merge_record(trace, local, maps, &local->records[i], base) != PS_OK)
            return trace->err->code;
    trace->pages->records += local->n;
    merge_counts(trace, local);
    tr_local_forget(local);
    return tr_check_limits(trace);
}

bool tr_param(const struct tr_trace *trace, const struct tr_record *record, int index, int64_t *out)
{
    struct ps_num num;

    if (index < 0 || record->template >= trace->n_templates)
        return false;
    num = ps_args_param(trace->templates[record->template].markers,
                        tr_args_at(trace, record->args_at), index);
    *out = num.kind == PS_NUM_INT ? num.i : 0;
    return num.kind == PS_NUM_INT;
}
