/* SPDX-License-Identifier: MIT */
/* parameters.c: reads parameters and writes JSON for the views of traces. */
#include <stdlib.h>

#include "importers/kinds.h"
#include "server/query/trace/trace_views.h"

/* Limit for the ends of a range in ns: longer than any trace, but differences of two ends do not
 * overflow. */
#define NS_MAX (INT64_MAX / 4)

static int64_t limit_ns(int64_t ns)
{
    return ns < -NS_MAX ? -NS_MAX : ns > NS_MAX ? NS_MAX : ns;
}

struct ps_range ps_range_limit(int64_t from_ns, int64_t to_ns)
{
    return (struct ps_range){limit_ns(from_ns), limit_ns(to_ns)};
}

void ps_ints_add(struct ps_ints *list, int64_t value)
{
    PS_RESERVE_ONE(list->items, list->n, list->cap);
    list->items[list->n++] = value;
}

void ps_ints_free(struct ps_ints *list)
{
    free(list->items);
    *list = (struct ps_ints){0};
}

static enum ps_status read_range(struct ps_params params, struct ps_range fallback,
                                 struct ps_range *out, struct ps_err *err)
{
    ps_param_int(params, "from_ns", -NS_MAX, NS_MAX, fallback.from_ns, &out->from_ns, err);
    ps_param_int(params, "to_ns", -NS_MAX, NS_MAX, fallback.to_ns, &out->to_ns, err);
    if (out->to_ns < out->from_ns)
        ps_fail(err, PS_BAD_REQUEST, "to_ns is less than from_ns");
    return err->code;
}

enum ps_status ps_param_range(struct ps_params params, struct ps_range *out, struct ps_err *err)
{
    return read_range(params, PS_RANGE_ALL, out, err);
}

enum ps_status ps_param_window(struct ps_db *db, struct ps_params params, struct ps_range *out,
                               struct ps_err *err)
{
    struct ps_range span = {0, 0};

    ps_trace_span(db, &span, err);
    read_range(params, span, out, err);
    if (out->to_ns == out->from_ns)
        out->to_ns++;
    return err->code;
}

enum ps_status ps_trace_span(struct ps_db *db, struct ps_range *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    *out = (struct ps_range){0, 0};
    ps_db_prepare(db, ps_query_sql("trace_span"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        *out = ps_range_limit(ps_col_int(stmt, 0), ps_col_int(stmt, 1));
    return err->code;
}

static enum ps_status run_kind_has(struct ps_db *db, unsigned any, bool *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("run_kind"), &stmt, err);
    *out = ps_stmt_step(stmt, err) && ps_kind_has(ps_col_text(stmt, 0).ptr, any);
    return err->code;
}

enum ps_status ps_trace_is_torch(struct ps_db *db, bool *out, struct ps_err *err)
{
    return run_kind_has(db, PS_HAS_TORCH, out, err);
}

enum ps_status ps_trace_is_attributed(struct ps_db *db, bool *out, struct ps_err *err)
{
    return run_kind_has(db, PS_HAS_DEVICES, out, err);
}

enum ps_status ps_param_ids(struct ps_params params, const char *key, size_t max_ids,
                            struct ps_ints *out, struct ps_err *err)
{
    const char *text = ps_param_get(params, key);
    struct ps_str rest = ps_str_from_c(text);

    while (rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        struct ps_str word = {rest.ptr, comma ? (size_t)(comma - rest.ptr) : rest.len};
        int64_t value;

        if (!ps_str_parse_i64(word, &value) || value < 1)
            return ps_fail(err, PS_BAD_REQUEST, "%s must be ids, separated by commas", key);
        if (out->n == max_ids)
            return ps_fail(err, PS_BAD_REQUEST, "%s takes at most %zu ids", key, max_ids);
        ps_ints_add(out, value);
        rest = ps_str_skip(rest, word.len + 1);
    }
    return err->code;
}

enum ps_status ps_param_tracks(struct ps_db *db, struct ps_params params, struct ps_track_set *out,
                               struct ps_err *err)
{
    return ps_track_set_parse(db, ps_str_from_c(ps_param_get(params, "tracks")), out, err);
}

struct ps_str ps_operation_name(struct ps_str name)
{
    for (size_t i = 0; i + 1 < name.len; i++)
        if (name.ptr[i] == ' ' && name.ptr[i + 1] == '(')
            return (struct ps_str){name.ptr, i};
    return name;
}

static char *put_digits(char *out, int64_t value)
{
    char digits[20];
    size_t n = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do
        digits[--n] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *out++ = '-';
    memcpy(out, digits + n, sizeof digits - n);
    return out + (sizeof digits - n);
}

void ps_json_ints(struct ps_json *json, const char *key, const int64_t *values, size_t n)
{
    char *at;

    ps_json_key(json, key);
    ps_json_raw(json, PS_STR("["));
    ps_buf_reserve(json->out, n * 21 + 1); /* each number has up to 20 characters and a comma */
    at = json->out->ptr + json->out->len;
    for (size_t i = 0; i < n; i++) {
        if (i)
            *at++ = ',';
        at = put_digits(at, values[i]);
    }
    *at++ = ']';
    json->out->len = (size_t)(at - json->out->ptr);
}

void ps_json_text(struct ps_json *json, const char *key, struct ps_db *db, int64_t text)
{
    struct ps_str found = ps_trace_text(db, (uint32_t)text);

    ps_json_key(json, key);
    ps_json_str(json, found.ptr ? found : PS_STR(""));
}
