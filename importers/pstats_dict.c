/* SPDX-License-Identifier: MIT */
/*
 * pstats_dict.c: the one dict that a dump is.
 *
 *     {(file, line, name): (primitive calls, calls, tottime, cumtime, {caller key: edge, ...}),
 * ...}
 *
 * An edge is (calls, primitive calls, tottime, cumtime), the first two swapped against the value;
 * or a plain count (the `profile` module, sampling). Python 3.15's sampling profiler adds
 * ("__sampled__",): True. Keys, values, edges and dicts may all be references to earlier ones.
 */
#include "importers/pstats.h"

#include <stdlib.h>

enum {
    KEY = PS_M_USER, /* id: function */
    SAMPLED,         /* the marker's key */
    VALUE,           /* id: function whose numbers and calls it has */
    EDGE,            /* id: call */
    CALLERS,         /* i: first call << 32 | count */
    BREATH = 4096,   /* entries between two looks at the sink */
    SHARED_CALLS = 1 << 20,
    FUNCTION_BYTES = 200, /* about as many each function takes: growing would cost as much as all
                             the look-ups */
    EDGE_BYTES = 2 + 2 * 5 + 2 * 9, /* of an edge as cProfile writes most of them */
};

static struct ps_num number_of(const struct ps_mval *value)
{
    return value->kind == PS_M_REAL ? ps_real(value->r) : ps_int(value->i);
}

static bool read_number(struct ps_marshal *m, struct ps_num *out, bool *beyond, const char *what)
{
    struct ps_mval value;

    if (!ps_marshal_value(m, &value))
        return false;
    if (value.kind != PS_M_INT && value.kind != PS_M_REAL && value.kind != PS_M_BOOL)
        return ps_marshal_fail(m, "%s is not a number", what);
    *beyond |= value.beyond;
    *out = number_of(&value);
    return true;
}

/* ------------------------------------------------------------------ keys */

struct function_key {
    uint32_t file, name;
    struct ps_num line;
};

static bool has_key(const void *items, uint32_t index, const void *of)
{
    const struct ps_pf_function *f = (const struct ps_pf_function *)items + index;
    const struct function_key *key = of;

    return f->file == key->file && f->name == key->name && f->line.kind == key->line.kind &&
           f->line.i == key->line.i;
}

static uint32_t function_of(struct ps_pf_dump *d, uint32_t file, uint32_t name, struct ps_num line)
{
    const struct function_key key = {file, name, line};
    struct ps_hash hash = ps_hash_begin();
    uint32_t index;

    ps_hash_add(&hash, (uint64_t)file << 32 | name);
    ps_hash_add(&hash, (uint64_t)line.i);
    ps_hash_add(&hash, line.kind);
    index = ps_hash_table_add(&d->by_key, ps_hash_end(&hash), d->n, has_key, d->functions, &key);
    if (index == d->n) {
        PS_PUSH_ROOM(d->functions, d->n, d->cap);
        d->functions[d->n++] = (struct ps_pf_function){.file = file, .name = name, .line = line};
    }
    return index;
}

static bool read_marker(struct ps_pf_dump *d, uint32_t slot, struct ps_mval *out)
{
    struct ps_mval text;

    if (!ps_marshal_value(&d->m, &text))
        return false;
    if (text.kind != PS_M_TEXT || !ps_str_is(d->m.texts.items[text.id], "__sampled__"))
        return ps_marshal_fail(&d->m, "a function key is not (file, line, name)");
    *out = (struct ps_mval){.kind = SAMPLED};
    ps_marshal_became(&d->m, slot, *out);
    return true;
}

static bool is_sequence(int type)
{
    return type == '(' || type == ')' || type == '[';
}

static bool read_key(struct ps_pf_dump *d, struct ps_mval *out)
{
    struct ps_mval part[3];
    uint32_t members, slot;

    if (!is_sequence(ps_marshal_next(&d->m)))
        return ps_marshal_value(&d->m, out) &&
               (out->kind == KEY || out->kind == SAMPLED ||
                ps_marshal_fail(&d->m, "a function key is not (file, line, name)"));
    if (!ps_marshal_open(&d->m, &members, &slot))
        return false;
    if (members == 1)
        return read_marker(d, slot, out);
    if (members != 3)
        return ps_marshal_fail(&d->m, "a function key has %u parts instead of (file, line, name)",
                               members);
    for (int i = 0; i < 3; i++)
        if (!ps_marshal_value(&d->m, &part[i]))
            return false;
    if (part[0].kind != PS_M_TEXT ||
        (part[1].kind != PS_M_INT && part[1].kind != PS_M_BOOL && !part[1].beyond) ||
        (part[2].kind != PS_M_TEXT && part[2].kind != PS_M_CODE))
        return ps_marshal_fail(&d->m, "the parts of a function key are not (file, line, name)");
    *out = (struct ps_mval){.kind = KEY,
                            .id = function_of(d, part[0].id, part[2].id, number_of(&part[1]))};
    ps_marshal_became(&d->m, slot, *out);
    return true;
}

/* ------------------------------------------------------------------ callers */

/* Written out, a caller takes ten bytes at least; shared dicts must not multiply a small file into
 * a big one. */
static bool too_many_calls(struct ps_pf_dump *d)
{
    uint64_t most = (uint64_t)(d->m.end - d->m.begin) / 10 + SHARED_CALLS;

    return d->n_calls > most &&
           !ps_marshal_fail(&d->m, "the same callers are shared by too many functions");
}

/* The place for what `caller` did in the entry at hand; dict semantics: a later pair of one key
 * replaces the earlier. */
static struct ps_call *call_of(struct ps_pf_dump *d, uint32_t caller)
{
    uint32_t entry = (uint32_t)d->entries, old = d->cap_met;

    if (d->n > old) {
        d->cap_met = d->cap;
        d->met = ps_grow(d->met, d->cap_met, sizeof *d->met);
        memset(d->met + old, 0, (d->cap_met - old) * sizeof *d->met);
    }
    if (d->met[caller].entry == entry) {
        d->doubled_calls++;
        return &d->calls[d->met[caller].call];
    }
    PS_PUSH_ROOM(d->calls, d->n_calls, d->cap_calls);
    d->met[caller] = (struct ps_pf_met){entry, d->n_calls};
    return &d->calls[d->n_calls++];
}

static bool read_edge_numbers(struct ps_pf_dump *d, struct ps_call *call, bool *beyond,
                              uint32_t *slot)
{
    struct ps_marshal *m = &d->m;
    uint32_t members;

    if (!ps_marshal_open(m, &members, slot))
        return false;
    if (members != 4)
        return ps_marshal_fail(m, "a caller has %u numbers instead of 4", members);
    d->tuple_callers = true;
    return read_number(m, &call->ncalls, beyond, "the number of calls of a caller") &&
           read_number(m, &call->primitive_calls, beyond,
                       "the number of primitive calls of a caller") &&
           read_number(m, &call->tottime_s, beyond, "the tottime of a caller") &&
           read_number(m, &call->cumtime_s, beyond, "the cumtime of a caller");
}

static bool read_edge(struct ps_pf_dump *d, struct ps_call *call, bool *beyond, uint32_t *slot)
{
    struct ps_mval value;

    *slot = PS_M_NO_SLOT;
    if (is_sequence(ps_marshal_next(&d->m)))
        return read_edge_numbers(d, call, beyond, slot);
    if (!ps_marshal_value(&d->m, &value))
        return false;
    if (value.kind == EDGE) {
        *call = d->calls[value.id];
        d->tuple_callers = true;
    } else if (value.kind == PS_M_INT || value.kind == PS_M_BOOL || value.beyond) {
        *call = (struct ps_call){.ncalls = number_of(&value)};
        *beyond |= value.beyond;
        d->int_callers = true;
    } else {
        return ps_marshal_fail(&d->m, "a caller has no numbers");
    }
    return true;
}

static bool copy_callers(struct ps_pf_dump *d, const struct ps_mval *from)
{
    uint32_t first = (uint32_t)((uint64_t)from->i >> 32), n = (uint32_t)from->i;

    for (uint32_t i = 0; i < n && !too_many_calls(d); i++) {
        struct ps_call call = d->calls[first + i];

        *call_of(d, call.caller) = call;
    }
    return !d->m.failed;
}

static bool read_callers(struct ps_pf_dump *d, bool *beyond)
{
    uint32_t slot, edge_slot, first = d->n_calls;
    struct ps_mval key, value;
    struct ps_call call, *to;

    if (ps_marshal_next(&d->m) != '{') {
        if (!ps_marshal_value(&d->m, &value))
            return false;
        return value.kind == CALLERS
                   ? copy_callers(d, &value)
                   : ps_marshal_fail(&d->m, "the callers of a function are not a dict");
    }
    if (!ps_marshal_open_dict(&d->m, &slot))
        return false;
    while (!ps_marshal_dict_ends(&d->m)) {
        if (!read_key(d, &key))
            return false;
        if (key.kind != KEY)
            return ps_marshal_fail(&d->m, "a caller is not a function key");
        if (key.id < d->cap_met)
            __builtin_prefetch(&d->met[key.id], 1);
        ps_marshal_foresee(&d->m, EDGE_BYTES);
        if (!read_edge(d, &call, beyond, &edge_slot))
            return false;
        to = call_of(d, key.id);
        call.caller = key.id;
        *to = call;
        ps_marshal_became(&d->m, edge_slot,
                          (struct ps_mval){.kind = EDGE, .id = (uint32_t)(to - d->calls)});
    }
    value = (struct ps_mval){.kind = CALLERS,
                             .i = (int64_t)((uint64_t)first << 32 | (d->n_calls - first))};
    ps_marshal_became(&d->m, slot, value);
    return !d->m.failed;
}

/* ------------------------------------------------------------------ entries */

static bool read_value(struct ps_pf_dump *d, struct ps_pf_function *f, uint32_t *slot)
{
    struct ps_marshal *m = &d->m;
    struct ps_mval value;
    uint32_t members;

    *slot = PS_M_NO_SLOT;
    if (!is_sequence(ps_marshal_next(m))) {
        if (!ps_marshal_value(m, &value))
            return false;
        if (value.kind != VALUE)
            return ps_marshal_fail(m, "a function has no numbers");
        *f = d->functions[value.id];
        return copy_callers(
            d, &(struct ps_mval){.i = (int64_t)((uint64_t)f->first_call << 32 | f->n_calls)});
    }
    if (!ps_marshal_open(m, &members, slot))
        return false;
    if (members != 5)
        return ps_marshal_fail(m, "a function has %u values instead of 5", members);
    return read_number(m, &f->primitive_calls, &f->repaired, "the number of primitive calls") &&
           read_number(m, &f->ncalls, &f->repaired, "the number of calls") &&
           read_number(m, &f->tottime, &f->repaired, "a tottime") &&
           read_number(m, &f->cumtime, &f->repaired, "a cumtime") && read_callers(d, &f->repaired);
}

static void keep_entry(struct ps_pf_dump *d, uint32_t id, const struct ps_pf_function *value,
                       uint32_t first)
{
    struct ps_pf_function *f = &d->functions[id];

    f->primitive_calls = value->primitive_calls;
    f->ncalls = value->ncalls;
    f->tottime = value->tottime;
    f->cumtime = value->cumtime;
    f->repaired = value->repaired;
    f->first_call = first;
    f->n_calls = d->n_calls - first;
    if (f->listed) {
        d->doubled_at = d->doubled++ ? d->doubled_at : ps_marshal_at(&d->m);
        return;
    }
    f->listed = true;
    PS_PUSH_ROOM(d->listed, d->n_listed, d->cap_listed);
    d->listed[d->n_listed++] = id;
}

static bool read_entry(struct ps_pf_dump *d)
{
    struct ps_pf_function value = {0};
    struct ps_mval key, marker;
    uint32_t slot, first = d->n_calls;

    d->entries++;
    if (!read_key(d, &key))
        return false;
    if (key.kind == SAMPLED) {
        d->sampled = true;
        return ps_marshal_value(&d->m, &marker);
    }
    if (!read_value(d, &value, &slot))
        return false;
    keep_entry(d, key.id, &value, first);
    ps_marshal_became(&d->m, slot, (struct ps_mval){.kind = VALUE, .id = key.id});
    return true;
}

static bool breathe(struct ps_pf_dump *d, struct ps_sink *out)
{
    uint64_t size = (uint64_t)(d->m.end - d->m.begin);

    if (out->ops->progress(out, size, size, d->entries) && ps_sink_ok(out))
        return true;
    d->m.failed = true;
    ps_fail(d->m.err, PS_CANCELLED, "the import was cancelled");
    return false;
}

bool ps_pf_read(struct ps_pf_dump *d, struct ps_str bytes, enum ps_mlayout layout,
                struct ps_sink *out, struct ps_err *err)
{
    uint32_t slot;

    *d = (struct ps_pf_dump){0};
    ps_marshal_init(&d->m, bytes, layout, err);
    ps_hash_table_reserve(&d->by_key, bytes.len / FUNCTION_BYTES);
    if (ps_marshal_next(&d->m) != '{')
        return ps_marshal_fail(&d->m, "the dump is not a dict of functions");
    if (!ps_marshal_open_dict(&d->m, &slot))
        return false;
    while (!ps_marshal_dict_ends(&d->m))
        if (!read_entry(d) || (d->entries % BREATH == 0 && !breathe(d, out)))
            return false;
    d->end = ps_marshal_at(&d->m);
    return true;
}

void ps_pf_free(struct ps_pf_dump *d)
{
    ps_marshal_done(&d->m);
    free(d->functions);
    ps_hash_table_free(&d->by_key);
    free(d->calls);
    free(d->listed);
    free(d->met);
    free(d->rows);
    free(d->callees);
    free(d->callee_from);
}
