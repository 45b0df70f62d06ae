/* SPDX-License-Identifier: MIT */
/* counters.c: C events: each number in the arguments is a series of its process, name, id and key.
 */
#include "importers/trace/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t new_series(struct tr_trace *trace, uint32_t process, const struct tr_record *r,
                           struct ps_str key)
{
    struct tr_counters *counters = &trace->import->counters;
    struct ps_str name = tr_text(trace, r->name), id = {NULL, 0};
    struct ps_buf text = {0};

    ps_buf_str(&text, name);
    if (r->dur != TR_NO_DURATION && r->id_text) {
        id = tr_text(trace, (uint32_t)r->dur);
        ps_buf_printf(&text, " [%.*s]", (int)id.len, id.at);
    } else if (r->dur != TR_NO_DURATION)
        ps_buf_printf(&text, " [%" PRId64 "]", r->dur);
    if (key.len && !ps_str_eq(key, name)) {
        ps_buf_puts(&text, text.len ? " " : "");
        ps_buf_str(&text, key);
    }
    PS_PUSH_ROOM(counters->series, counters->n_series, counters->cap_series);
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
        uint32_t process, name, id_text;
    } head = {.id = r->dur, .process = process, .name = r->name, .id_text = r->id_text};
    struct ps_buf bytes = {0};
    uint32_t id;

    ps_buf_add(&bytes, &head, sizeof head);
    ps_buf_str(&bytes, key);
    id = ps_intern_id(&counters->keys, ps_buf_slice(&bytes));
    ps_buf_free(&bytes);
    return id < counters->n_series ? id : new_series(trace, process, r, key);
}

static bool count(struct tr_trace *trace, uint32_t process, const struct tr_record *r,
                  const struct tr_member *member, struct ps_num value)
{
    struct tr_counters *counters = &trace->import->counters;
    int64_t ts;

    if (value.kind == PS_NUM_NONE || __builtin_sub_overflow(r->ts, trace->import->shift, &ts))
        return false;
    PS_PUSH_ROOM(counters->at, counters->n, counters->cap);
    counters->at[counters->n++] =
        (struct tr_count){.t = ts > 0 ? ts : 0,
                          .value = ps_num_real(value),
                          .series = series_of(trace, process, r, member->key)};
    return true;
}

/* "12": some writers put numbers in quotes. */
static struct ps_num quoted(struct ps_str json)
{
    struct ps_num none = {.kind = PS_NUM_NONE};
    int64_t value;

    if (json.len < 3 || json.at[0] != '"' ||
        !ps_str_i64((struct ps_str){json.at + 1, json.len - 2}, &value))
        return none;
    return ps_int(value);
}

void tr_counter_add(struct tr_trace *trace, uint32_t process, const struct tr_record *r)
{
    struct tr_member member = {0};
    struct ps_str template = trace->templates[r->template].text, rest;
    struct ps_str packed = tr_args_at(trace, r->args_at);
    bool any = false;
    int param = 0;

    if (r->template == PS_TEMPLATE_WHOLE) { /* numbers are text then: not kept */
        trace->import->remarks[TR_REMARK_COUNTER]++;
        return;
    }
    rest = tr_args_members(template);
    while (tr_next_member(&rest, &member)) {
        char first = member.value.len ? member.value.at[0] : ' ';

        if (first == PS_TEMPLATE_INT || first == PS_TEMPLATE_DECIMAL)
            any |= count(trace, process, r, &member, ps_args_param(template, packed, param));
        else
            any |= count(trace, process, r, &member, quoted(member.value));
        param += tr_markers_in(member.value);
    }
    trace->import->remarks[TR_REMARK_COUNTER] += !any;
}

static bool count_before(const void *list, uint32_t x, uint32_t y)
{
    const struct tr_count *a = (const struct tr_count *)list + x;
    const struct tr_count *b = (const struct tr_count *)list + y;

    return a->series != b->series ? a->series < b->series : a->t < b->t;
}

void tr_counters_give(struct tr_trace *trace)
{
    struct tr_counters *counters = &trace->import->counters;
    uint32_t *order = tr_sorted(counters->at, counters->n, count_before);

    for (uint32_t i = 0; i < counters->n_series; i++) {
        const struct tr_series *series = &counters->series[i];
        struct ps_counter given = {.id = i + 1, .name = series->name};

        given.process = tr_process_id(trace, series->process);
        trace->out->ops->counter(trace->out, &given);
    }
    for (size_t i = 0; i < counters->n && ps_sink_ok(trace->out); i++) {
        const struct tr_count *c = &counters->at[order ? order[i] : i];

        trace->out->ops->count(trace->out, c->series + 1, c->t, c->value);
    }
    free(order);
}

void tr_counters_free(struct tr_counters *counters)
{
    free(counters->at);
    free(counters->series);
    ps_intern_free(&counters->keys);
}
