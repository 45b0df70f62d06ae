/* SPDX-License-Identifier: MIT */
/* keep.c: stores an event as a local record, or rejects it. */
#include <stdio.h>

#include "importers/trace/parse.h"

static struct ps_str key_text(const struct tr_key *key, char room[32])
{
    if (key->is_text)
        return key->text;
    return (struct ps_str){room, (size_t)snprintf(room, 32, "%lld", (long long)key->number)};
}

void tr_thread_key(struct ps_buf *out, const struct tr_key *pid, const struct tr_key *tid)
{
    char room[32];
    struct ps_str text = key_text(pid, room);
    uint32_t len = (uint32_t)text.len;

    ps_buf_add(out, &len, sizeof len);
    ps_buf_str(out, text);
    ps_buf_str(out, key_text(tid, room));
}

void tr_thread_key_parts(struct ps_str key, struct ps_str *pid, struct ps_str *tid)
{
    uint32_t len;

    memcpy(&len, key.at, sizeof len);
    key = ps_str_skip(key, sizeof len);
    *pid = (struct ps_str){key.at, len};
    *tid = ps_str_skip(key, len);
}

uint32_t tr_local_thread(struct tr_parser *p, const struct tr_key *pid, const struct tr_key *tid)
{
    struct tr_thread_cache *cache = NULL;
    uint32_t thread;

    if (!pid->is_text && !tid->is_text) {
        cache = &p->threads[((uint64_t)pid->number * 31 + (uint64_t)tid->number) % 16];
        if (cache->filled && cache->pid == pid->number && cache->tid == tid->number)
            return cache->thread;
    }
    p->scratch.len = 0;
    tr_thread_key(&p->scratch, pid, tid);
    thread = ps_intern_id(&p->local.threads, ps_buf_slice(&p->scratch));
    if (cache)
        *cache = (struct tr_thread_cache){pid->number, tid->number, thread, true};
    return thread;
}

static void reject(struct tr_parser *p, const char *start, enum tr_finding why)
{
    p->local.rejected++;
    tr_find(&p->local.findings, why, tr_position(p, start));
}

/* Adds a field next to the arguments: an X may have an id too. */
static void keep_aside(struct tr_parser *p, const char *key, const struct tr_key *value)
{
    struct tr_string string = {.raw = value->text, .control = true, .high = true};
    uint32_t repairs = p->repairs;

    p->patterned = false;
    ps_buf_puts(&p->rest.text, p->rest.text.len ? "," : "{");
    ps_buf_puts(&p->rest.text, key);
    if (value->is_text)
        tr_encode(p, &string, &p->rest.text);
    else
        ps_buf_printf(&p->rest.text, "%lld", (long long)value->number);
    p->repairs = repairs;
}

static void keep_args(struct tr_parser *p, struct tr_record *r)
{
    if (p->event.has_id && p->event.ph == 'X')
        keep_aside(p, "\"id\":", &p->event.id);
    r->args_at = p->local.args.len & 0xffffffffff;
    if (p->rest.text.len) {
        ps_buf_puts(&p->rest.text, "}");
        ps_buf_add(&p->args.text, &(char){PS_TEMPLATE_REST}, 1);
        ps_buf_str(&p->args.text, ps_buf_slice(&p->rest.text));
    }
    if (p->args.text.len)
        r->template = ps_intern_id(&p->local.templates, ps_buf_slice(&p->args.text)) + 2;
    ps_buf_str(&p->local.args, ps_buf_slice(&p->args.params));
    ps_buf_str(&p->local.args, ps_buf_slice(&p->rest.params));
}

static int64_t duration_of(struct tr_parser *p)
{
    const struct tr_event *e = &p->event;
    int64_t dur = e->has_dur ? e->dur_ns : e->has_tdur ? e->tdur_ns : TR_NO_DURATION;

    if ((e->has_dur || e->has_tdur) && dur < 0) {
        p->repairs |= 1u << TR_NEGATIVE;
        return 0;
    }
    return dur;
}

static void set_id(struct tr_parser *p, struct tr_record *r)
{
    const struct tr_key *id = &p->event.id;

    r->dur = TR_NO_DURATION;
    if (!p->event.has_id)
        return;
    r->id_text = id->is_text;
    r->dur = id->is_text ? (int64_t)ps_intern_id(&p->local.names, id->text) + 1 : id->number;
}

/* Converts a time to ns since the origin, which is the time of the first event. False: out of
 * range. */
static bool place(struct tr_parser *p, int64_t us, int64_t ns, int64_t *out)
{
    if (!p->origin_known) {
        p->origin_us = us;
        p->origin_known = true;
    }
    return !__builtin_sub_overflow(us, p->origin_us, out) &&
           !__builtin_mul_overflow(*out, 1000, out) && !__builtin_add_overflow(*out, ns, out) &&
           *out > INT64_MIN / 4 && *out < INT64_MAX / 4;
}

static void tr_local_push(struct tr_local *local, const struct tr_record *r, uint32_t thread)
{
    PS_PUSH_ROOM(local->records, local->n, local->cap);
    local->records[local->n].record = *r;
    local->records[local->n++].thread = thread;
}

static void note_repairs(struct tr_parser *p, const char *start)
{
    p->local.repaired++;
    for (uint32_t left = p->repairs; left; left &= left - 1)
        tr_find(&p->local.findings, (enum tr_finding)__builtin_ctz(left), tr_position(p, start));
}

void tr_stretch(struct tr_local *local, const struct tr_record *r)
{
    int64_t end = r->ts + (r->ph == 'X' && r->dur != TR_NO_DURATION ? r->dur : 0);

    local->first_ns = r->ts < local->first_ns ? r->ts : local->first_ns;
    local->last_ns = end > local->last_ns ? end : local->last_ns;
}

bool tr_keep_event(struct tr_parser *p, const char *start)
{
    const struct tr_event *e = &p->event;
    struct tr_record r = {.ph = (unsigned)e->ph & 0x7f, .name = e->name};
    int64_t ts = 0;

    p->local.read++;
    if (!e->ph) {
        reject(p, start, e->seen ? TR_NO_PHASE : TR_NOT_AN_EVENT);
        return false;
    }
    if (e->ph != 'M' && (!e->has_ts || e->out_of_range)) {
        reject(p, start, e->out_of_range ? TR_RANGE : TR_NO_TIME);
        return false;
    }
    if (e->ph != 'M' && !place(p, e->ts_us, e->ts_ns, &ts)) {
        reject(p, start, TR_RANGE);
        return false;
    }
    r.ts = ts;
    if (e->ph == 'X')
        r.dur = duration_of(p);
    else
        set_id(p, &r);
    if (e->ph == 'X' && r.dur > INT64_MAX / 4) {
        reject(p, start, TR_RANGE);
        return false;
    }
    r.cat = e->cat <= UINT16_MAX ? e->cat & UINT16_MAX : 0;
    keep_args(p, &r);
    tr_local_push(&p->local, &r, tr_local_thread(p, &e->pid, &e->tid));
    if (e->ph != 'M')
        tr_stretch(&p->local, &r);
    if (p->repairs)
        note_repairs(p, start);
    return true;
}
