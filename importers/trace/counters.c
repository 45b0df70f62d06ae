/* SPDX-License-Identifier: MIT */
/* counters.c: converts C events to series of numbers. There is one series for each process, event
 * name, id and key of the arguments. */
#include "importers/trace/counters.h"
#include "importers/records/trace.h"
#include "importers/trace/import_state.h"
#include "importers/trace/processes.h"
#include "importers/trace/sort_order.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "importers/text/clean.h"

#define PART_MAX 256 /* bytes */

/* Decodes a key, which is stored in JSON notation, and appends it. */
static void put_key(struct ps_buf *text, struct ps_str key)
{
    struct ps_buf json = {0};
    cJSON *meant;

    if (!memchr(key.ptr, '\\', key.len)) {
        ps_buf_add_str(text, key);
        return;
    }
    ps_buf_puts(&json, "\"");
    ps_buf_add_str(&json, key);
    ps_buf_puts(&json, "\"");
    meant = cJSON_ParseWithLength(json.ptr, json.len);
    if (cJSON_IsString(meant))
        ps_clean_text(text, ps_str_from_c(meant->valuestring));
    cJSON_Delete(meant);
    ps_buf_free(&json);
}

/* Appends a part of a series name, truncated to PART_MAX bytes: each key of an event repeats the
 * part, so long parts would take many times the size of the file. */
static void put_truncated(struct ps_buf *text, struct ps_str part)
{
    struct ps_str head = ps_truncate_text(part, PART_MAX);

    ps_buf_add_str(text, head);
    if (head.len < part.len)
        ps_buf_puts(text, "…");
}

static uint32_t new_series(struct tr_trace *trace, uint32_t process, const struct tr_record *r,
                           struct ps_str key)
{
    struct tr_counters *counters = &trace->import->counters;
    struct ps_str name = tr_text_of_id(trace, r->name), id = {NULL, 0};
    struct ps_buf text = {0};

    put_truncated(&text, name);
    if (r->dur_or_id != TR_NO_DURATION && r->is_text_id) {
        id = tr_text_of_id(trace, (uint32_t)r->dur_or_id);
        ps_buf_puts(&text, " [");
        put_truncated(&text, id);
        ps_buf_puts(&text, "]");
    } else if (r->dur_or_id != TR_NO_DURATION)
        ps_buf_printf(&text, " [%" PRId64 "]", r->dur_or_id);
    if (key.len && !ps_str_eq(key, name)) {
        ps_buf_puts(&text, text.len ? " " : "");
        put_key(&text, key);
    }
    PS_RESERVE_ONE(counters->series, counters->n_series, counters->cap_series);
    counters->series[counters->n_series++] = (struct tr_series){
        .name = ps_arena_copy(&trace->arena, ps_buf_slice(&text)), .process = process};
    ps_buf_free(&text);
    return counters->n_series - 1;
}

static uint32_t series_of(struct tr_trace *trace, uint32_t process, const struct tr_record *r,
                          struct ps_str key)
{
    struct tr_counters *counters = &trace->import->counters;
    struct {
        int64_t id;
        /* `none` prevents padding, because all bytes are part of the key */
        uint32_t process, name, id_text, none;
    } head = {.id = r->dur_or_id, .process = process, .name = r->name, .id_text = r->is_text_id};
    struct ps_buf bytes = {0};
    uint32_t id;

    ps_buf_add(&bytes, &head, sizeof head);
    ps_buf_add_str(&bytes, key);
    id = ps_intern_add(&counters->keys, ps_buf_slice(&bytes));
    ps_buf_free(&bytes);
    return id < counters->n_series ? id : new_series(trace, process, r, key);
}

static bool add_count(struct tr_trace *trace, uint32_t process, const struct tr_record *r,
                      const struct tr_member *member, struct ps_num value)
{
    struct tr_counters *counters = &trace->import->counters;
    int64_t ts;

    if (value.kind == PS_NUM_NONE || __builtin_sub_overflow(r->ts_ns, trace->import->shift_ns, &ts))
        return false;
    TR_SCRATCH_PUSH(trace->scratch, counters->counts, counters->n, counters->cap);
    counters->counts[counters->n++] =
        (struct tr_count){.time_ns = ts > 0 ? ts : 0,
                          .value = ps_num_to_real(value),
                          .series = series_of(trace, process, r, member->key)};
    return true;
}

/* Parses a number that is stored as text, because it has an exponent, exceeds 64 bits, or is in
 * quotes. */
static struct ps_num text_number(struct ps_str json)
{
    struct ps_num none = {.kind = PS_NUM_NONE};
    char text[64], *end;
    double value;

    if (json.len > 2 && json.ptr[0] == '"')
        json = (struct ps_str){json.ptr + 1, json.len - 2};
    if (json.len == 0 || json.len >= sizeof text || !strchr("+-.0123456789", json.ptr[0]))
        return none;
    memcpy(text, json.ptr, json.len);
    text[json.len] = '\0';
    value = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(value) ? ps_real(value) : none;
}

/* Skips the parameters inside a value, which do not become series. */
static void skip_params(struct ps_str value, struct ps_str *packed)
{
    for (size_t i = 0; i < value.len; i++)
        if (ps_template_is_marker(value.ptr[i]))
            (void)ps_args_next(value.ptr[i], packed);
}

/* Adds each number that is a direct member of the object; `packed`: parameters of the object.
 * False: no member is a number. */
static bool count_members(struct tr_trace *trace, uint32_t process, const struct tr_record *r,
                          struct ps_str object, struct ps_str packed)
{
    struct ps_str rest = tr_args_object(object);
    struct tr_member member = {0};
    bool any = false;

    while (tr_next_member(&rest, &member)) {
        char first = member.value.len ? member.value.ptr[0] : ' ';
        bool is_number = ps_template_is_marker(first);
        struct ps_num value;

        if (is_number)
            value = ps_args_next(first, &packed);
        else
            value = text_number(member.value);
        any |= add_count(trace, process, r, &member, value);
        if (!is_number)
            skip_params(member.value, &packed);
    }
    return any;
}

void tr_counter_add(struct tr_trace *trace, uint32_t process, const struct tr_record *r)
{
    struct ps_str template = trace->templates[r->template].text;
    struct ps_str packed = tr_params_at(trace, r->args_address);
    struct ps_buf whole = {0};
    bool any;

    if (r->template == PS_TEMPLATE_WHOLE) { /* all arguments are stored as one JSON text, so the
                                               numbers are in that text, not in `packed` */
        ps_args_json(template, packed, false, &whole);
        template = ps_buf_slice(&whole);
    }
    any = count_members(trace, process, r, template, packed);
    trace->import->remark_counts[TR_REMARK_COUNTER] += !any;
    ps_buf_free(&whole);
}

void tr_counter_add_value(struct tr_trace *trace, uint32_t thread, const struct tr_record *r)
{
    struct tr_counters *counters = &trace->import->counters;
    struct tr_thread_facts *facts = &trace->import->threads[thread];
    struct tr_count count = {.time_ns = r->ts_ns};

    memcpy(&count.value, &r->dur_or_id, sizeof count.value);
    if (!isfinite(count.value) ||
        __builtin_sub_overflow(r->ts_ns, trace->import->shift_ns, &count.time_ns)) {
        trace->import->remark_counts[TR_REMARK_COUNTER]++;
        return;
    }
    if (!facts->series) {
        uint64_t key[2] = {UINT64_MAX, thread}; /* its length is that of no other key */

        (void)ps_intern_add(&counters->keys, (struct ps_str){(const char *)key, sizeof key});
        PS_RESERVE_ONE(counters->series, counters->n_series, counters->cap_series);
        counters->series[counters->n_series++] = (struct tr_series){
            .name = facts->name, .unit = trace->threads[thread].unit, .process = facts->process};
        facts->series = counters->n_series;
    }
    count.series = facts->series - 1;
    count.time_ns = count.time_ns > 0 ? count.time_ns : 0;
    TR_SCRATCH_PUSH(trace->scratch, counters->counts, counters->n, counters->cap);
    counters->counts[counters->n++] = count;
}

static bool count_before(const void *list, uint32_t x, uint32_t y)
{
    const struct tr_count *a = (const struct tr_count *)list + x;
    const struct tr_count *b = (const struct tr_count *)list + y;

    return a->series != b->series ? a->series < b->series : a->time_ns < b->time_ns;
}

void tr_counters_write(struct tr_trace *trace)
{
    struct tr_counters *counters = &trace->import->counters;
    uint32_t *order = tr_sort_order(trace->scratch, counters->counts, counters->n, count_before);

    for (uint32_t i = 0; i < counters->n_series; i++) {
        const struct tr_series *series = &counters->series[i];
        struct ps_counter given = {.id = i + 1, .name = series->name, .unit = series->unit};

        given.process = tr_process_id(trace, series->process);
        trace->out->ops->counter(trace->out, &given);
    }
    for (size_t i = 0; i < counters->n && ps_sink_ok(trace->out); i++) {
        const struct tr_count *c = &counters->counts[order ? order[i] : i];

        trace->out->ops->counter_value(trace->out, c->series + 1, c->time_ns, c->value);
        tr_scratch_count_row(trace->scratch, i);
    }
    tr_scratch_free(trace->scratch, order);
}

void tr_counters_free(struct tr_trace *trace)
{
    struct tr_counters *counters = &trace->import->counters;

    tr_scratch_free(trace->scratch, counters->counts);
    free(counters->series);
    ps_intern_free(&counters->keys);
}
