/* SPDX-License-Identifier: MIT */
/* calls.c: packs the blobs of function.callers and function.callees, and provides the tables
 * ps_calls and ps_ids that read them. */
#include <stdlib.h>

#include "importers/records/functions.h"
#include "server/runfile/handle.h"

/*
 * The format of function.callers and function.callees.
 *
 * callers: entries of varint caller | u8 kinds | ncalls | primitive_calls | tottime_s | cumtime_s.
 * `kinds` has two bits for each number, the first in the lowest bits: enum ps_num_kind. An integer
 * is a zigzag varint, a double 8 bytes, little-endian; PS_NUM_NONE has no bytes. callees: ascending
 * ids, each as a varint of its difference to the previous id.
 */

static size_t put_varint(unsigned char *at, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        at[n++] = (unsigned char)(value | 0x80);
    at[n++] = (unsigned char)value;
    return n;
}

static bool get_varint(struct ps_str *blob, uint64_t *out)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && blob->len; shift += 7) {
        unsigned char c = (unsigned char)*blob->ptr;

        *blob = ps_str_skip(*blob, 1);
        value |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

static size_t put_num(unsigned char *at, struct ps_num n)
{
    if (n.kind == PS_NUM_INT)
        return put_varint(at, ((uint64_t)n.i << 1) ^ (n.i < 0 ? UINT64_MAX : 0));
    if (n.kind == PS_NUM_REAL) {
        memcpy(at, &n.r, 8); /* little-endian, like all supported targets (x86-64, aarch64) */
        return 8;
    }
    return 0;
}

static bool get_num(struct ps_str *blob, unsigned kind, struct ps_num *out)
{
    uint64_t raw;

    out->kind = (enum ps_num_kind)kind;
    if (kind == PS_NUM_REAL) {
        if (blob->len < 8)
            return false;
        memcpy(&out->r, blob->ptr, 8);
        *blob = ps_str_skip(*blob, 8);
        return true;
    }
    if (kind != PS_NUM_INT)
        return kind == PS_NUM_NONE;
    if (!get_varint(blob, &raw))
        return false;
    out->i = (int64_t)((raw >> 1) ^ (0 - (raw & 1)));
    return true;
}

void ps_calls_pack(struct ps_buf *out, const struct ps_call *calls, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct ps_call *c = &calls[i];
        unsigned char *at;
        size_t len;

        ps_buf_reserve(out, 5 + 1 + 4 * 10);
        at = (unsigned char *)out->ptr + out->len;
        len = put_varint(at, c->caller);
        at[len++] = (unsigned char)(c->ncalls.kind | c->primitive_calls.kind << 2 |
                                    c->tottime_s.kind << 4 | c->cumtime_s.kind << 6);
        len += put_num(at + len, c->ncalls);
        len += put_num(at + len, c->primitive_calls);
        len += put_num(at + len, c->tottime_s);
        len += put_num(at + len, c->cumtime_s);
        out->len += len;
    }
}

bool ps_calls_next(struct ps_str *blob, struct ps_call *out)
{
    uint64_t caller;
    unsigned kinds;

    if (!get_varint(blob, &caller) || caller > UINT32_MAX || !blob->len)
        return false;
    out->caller = (uint32_t)caller;
    kinds = (unsigned char)*blob->ptr;
    *blob = ps_str_skip(*blob, 1);
    return get_num(blob, kinds & 3, &out->ncalls) &&
           get_num(blob, kinds >> 2 & 3, &out->primitive_calls) &&
           get_num(blob, kinds >> 4 & 3, &out->tottime_s) &&
           get_num(blob, kinds >> 6, &out->cumtime_s);
}

void ps_ids_pack(struct ps_buf *out, const uint32_t *ids, uint32_t n)
{
    for (uint32_t i = 0, last = 0; i < n; last = ids[i++]) {
        ps_buf_reserve(out, 5);
        out->len += put_varint((unsigned char *)out->ptr + out->len, ids[i] - last);
    }
}

bool ps_ids_next(struct ps_str *blob, uint32_t *last)
{
    uint64_t step;

    if (!get_varint(blob, &step) || step > UINT32_MAX - *last)
        return false;
    *last += (uint32_t)step;
    return true;
}

/*
 * The table-valued functions ps_calls(blob) -> caller_id, ncalls, primitive_calls, tottime_s,
 * cumtime_s and ps_ids(blob) -> id: the entries of the blobs as rows.
 */

struct cursor {
    sqlite3_vtab_cursor base;
    char *copy; /* copy of the argument, since SQLite may free the argument between calls */
    struct ps_str rest;
    bool row;
    sqlite3_int64 rowid;
    struct ps_call call;
    uint32_t id;
};

/* The only plan is that the argument, the hidden column, is given. */
static int best_index(sqlite3_index_info *info, int hidden)
{
    int code = ps_table_plan_arguments(info, hidden, 1);

    info->estimatedCost = 4;
    info->estimatedRows = 4;
    return code == SQLITE_OK && !info->idxNum ? SQLITE_CONSTRAINT : code;
}

static int best_calls(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    return best_index(info, 5);
}

static int best_ids(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    return best_index(info, 1);
}

static void release(sqlite3_vtab_cursor *base)
{
    free(((struct cursor *)base)->copy);
}

static int next_call(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    cursor->rowid++;
    cursor->row = cursor->rest.len && ps_calls_next(&cursor->rest, &cursor->call);
    return SQLITE_OK;
}

static int next_id(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    cursor->rowid++;
    cursor->row = cursor->rest.len && ps_ids_next(&cursor->rest, &cursor->id);
    return SQLITE_OK;
}

static void take_blob(struct cursor *cursor, sqlite3_value *value)
{
    size_t len = (size_t)sqlite3_value_bytes(value);

    free(cursor->copy);
    cursor->copy = ps_strdup((struct ps_str){sqlite3_value_blob(value), len});
    cursor->rest = (struct ps_str){cursor->copy, len};
    cursor->rowid = 0;
    cursor->id = 0;
}

static int filter_calls(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                        sqlite3_value **argv)
{
    (void)plan, (void)name, (void)argc;
    take_blob((struct cursor *)base, argv[0]);
    return next_call(base);
}

static int filter_ids(sqlite3_vtab_cursor *base, int plan, const char *name, int argc,
                      sqlite3_value **argv)
{
    (void)plan, (void)name, (void)argc;
    take_blob((struct cursor *)base, argv[0]);
    return next_id(base);
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return !((struct cursor *)base)->row;
}

static int call_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct ps_call *call = &((struct cursor *)base)->call;

    switch (column) {
    case 0:
        sqlite3_result_int64(context, call->caller);
        break;
    case 1:
        ps_result_num(context, call->ncalls);
        break;
    case 2:
        ps_result_num(context, call->primitive_calls);
        break;
    case 3:
        ps_result_num(context, call->tottime_s);
        break;
    case 4:
        ps_result_num(context, call->cumtime_s);
        break;
    default:
        break;
    }
    return SQLITE_OK;
}

static int id_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    if (column == 0)
        sqlite3_result_int64(context, ((struct cursor *)base)->id);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct cursor *)base)->rowid;
    return SQLITE_OK;
}

static const sqlite3_module calls_module = {
    PS_TABLE_METHODS, .xBestIndex = best_calls, .xFilter = filter_calls, .xNext = next_call,
    .xEof = at_end,   .xColumn = call_column,   .xRowid = rowid,
};

static const sqlite3_module ids_module = {
    PS_TABLE_METHODS, .xBestIndex = best_ids, .xFilter = filter_ids, .xNext = next_id,
    .xEof = at_end,   .xColumn = id_column,   .xRowid = rowid,
};

static const struct ps_table_kind calls_table = {
    "ps_calls",
    "CREATE TABLE x(caller_id, ncalls, primitive_calls, tottime_s, cumtime_s, calls HIDDEN)",
    sizeof(struct cursor), release, &calls_module};
static const struct ps_table_kind ids_table = {"ps_ids", "CREATE TABLE x(id, ids HIDDEN)",
                                               sizeof(struct cursor), release, &ids_module};

void ps_register_calls(struct ps_db *db)
{
    ps_table_register(db, &calls_table);
    ps_table_register(db, &ids_table);
}
