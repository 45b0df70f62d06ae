/* SPDX-License-Identifier: MIT */
#include "server/http/url.h"

#include <stdio.h>
#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int ps_url_escaped_byte(struct ps_str text, size_t at)
{
    int high, low;

    if (text.len - at < 3)
        return -1;
    high = hex_digit(text.ptr[at + 1]);
    low = hex_digit(text.ptr[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static enum ps_status fail_url(struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST,
                   "the URL contains a %% that does not begin an escape" PS_HINT
                   "write a percent sign as %%25");
}

enum ps_status ps_url_decode(struct ps_arena *arena, struct ps_str text, bool plus,
                             const char **out, struct ps_err *err)
{
    char *to = ps_arena_alloc(arena, text.len + 1);
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        int byte = (unsigned char)text.ptr[i];

        if (byte == '+' && plus) {
            byte = ' ';
        } else if (byte == '%') {
            byte = ps_url_escaped_byte(text, i);
            i += 2;
        }
        if (byte < 0)
            return fail_url(err);
        if (byte == 0)
            return ps_fail(err, PS_BAD_REQUEST, "the URL contains a NUL byte");
        to[n++] = (char)byte;
    }
    to[n] = '\0';
    *out = to;
    return PS_OK;
}

void ps_url_escape(struct ps_buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~", *text))
            ps_buf_add(out, text, 1);
        else
            ps_buf_printf(out, "%%%02X", (unsigned char)*text);
    }
}

void ps_url_add_segment(struct ps_buf *path, const char *segment)
{
    ps_buf_puts(path, path->len ? "/" : "");
    ps_url_escape(path, segment);
}

void ps_url_add_param(struct ps_buf *path, const char *key, const char *value)
{
    if (!value)
        return;
    ps_buf_printf(path, "%c%s=", memchr(path->ptr, '?', path->len) ? '&' : '?', key);
    ps_url_escape(path, value);
}

void ps_url_add_int(struct ps_buf *path, const char *key, int64_t value)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    ps_url_add_param(path, key, text);
}

bool ps_url_params_add(struct ps_arena *arena, struct ps_url_params *params, const char *key,
                       const char *value)
{
    if (params->n == PS_URL_PARAMS_MAX)
        return false;
    if (params->n == params->cap) {
        size_t cap = params->cap ? params->cap * 2 : 16;
        struct ps_url_param *more = ps_arena_alloc(arena, cap * sizeof *more);

        if (params->n)
            memcpy(more, params->items, params->n * sizeof *more);
        params->items = more;
        params->cap = cap;
    }
    params->items[params->n++] = (struct ps_url_param){key, value};
    return true;
}

static enum ps_status add_param(struct ps_arena *arena, struct ps_str text,
                                struct ps_url_params *out, struct ps_err *err)
{
    const char *equals = text.len ? memchr(text.ptr, '=', text.len) : NULL;
    struct ps_str name = {text.ptr, equals ? (size_t)(equals - text.ptr) : text.len};
    struct ps_str rest = ps_str_skip(text, name.len + 1);
    const char *key, *value;
    enum ps_status status;

    if (text.len == 0)
        return PS_OK;
    status = ps_url_decode(arena, name, true, &key, err);
    if (status == PS_OK)
        status = ps_url_decode(arena, rest, true, &value, err);
    if (status == PS_OK && !ps_url_params_add(arena, out, key, value))
        status = ps_fail(err, PS_BAD_REQUEST, "more than %d parameters", PS_URL_PARAMS_MAX);
    return status;
}

enum ps_status ps_url_parse_query(struct ps_arena *arena, struct ps_str query,
                                  struct ps_url_params *out, struct ps_err *err)
{
    while (query.len > 0) {
        const char *amp = memchr(query.ptr, '&', query.len);
        struct ps_str param = {query.ptr, amp ? (size_t)(amp - query.ptr) : query.len};
        enum ps_status status = add_param(arena, param, out, err);

        if (status != PS_OK)
            return status;
        query = ps_str_skip(query, param.len + 1);
    }
    return PS_OK;
}

const char *ps_url_params_get(const struct ps_url_params *params, const char *key)
{
    for (size_t i = params->n; i > 0; i--)
        if (strcmp(params->items[i - 1].key, key) == 0)
            return params->items[i - 1].value;
    return NULL;
}
