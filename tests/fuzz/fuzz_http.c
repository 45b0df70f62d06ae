/* SPDX-License-Identifier: MIT */
/*
 * fuzz_http.c: what strangers can send that libmicrohttpd does not read for us. The first byte
 * chooses: a form (whose meaning must not depend on how it is cut into pieces), a path and query,
 * or the headers we read ourselves.
 */
#include "base/buf.h"
#include "base/utf8.h"
#include "server/http/guard.h"
#include "server/http/multipart.h"
#include "server/http/negotiate.h"
#include "server/http/router.h"
#include "tests/fuzz/fuzz.h"

static enum ps_status on_begin(void *user, const struct ps_part *part, struct ps_err *err)
{
    (void)err;
    FUZZ_HOLDS(!strchr(part->filename, '/') && !strchr(part->filename, '\\') &&
               strcmp(part->filename, "..") != 0);
    ps_buf_printf(user, "[%s|%s|%d:", part->name, part->filename, part->is_file);
    return PS_OK;
}

static enum ps_status on_data(void *user, struct ps_str bytes, struct ps_err *err)
{
    (void)err;
    ps_buf_add_str(user, bytes);
    return PS_OK;
}

static enum ps_status on_end(void *user, struct ps_err *err)
{
    (void)err;
    ps_buf_puts(user, "]");
    return PS_OK;
}

static enum ps_status parse_form(struct ps_str body, size_t step, struct ps_buf *out)
{
    static const struct ps_multipart_ops ops = {on_begin, on_data, on_end};
    struct ps_multipart *parser = NULL;
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status =
        ps_multipart_create("multipart/form-data; boundary=B", &ops, out, &parser, &err);

    while (status == PS_OK && body.len > 0) {
        struct ps_str piece = {body.ptr, body.len < step ? body.len : step};

        status = ps_multipart_feed(parser, piece, &err);
        body = ps_str_skip(body, piece.len);
    }
    if (status == PS_OK)
        status = ps_multipart_finish(parser, &err);
    ps_multipart_free(parser);
    return status;
}

static void fuzz_form(struct ps_str body)
{
    PS_AUTO(ps_buf_free) struct ps_buf whole = {0};
    PS_AUTO(ps_buf_free) struct ps_buf pieces = {0};
    enum ps_status a = parse_form(body, body.len + 1, &whole);
    enum ps_status b = parse_form(body, 1, &pieces);

    FUZZ_HOLDS(a == b);
    FUZZ_HOLDS(a != PS_OK || ps_str_eq(ps_buf_slice(&whole), ps_buf_slice(&pieces)));
}

static const struct ps_route routes[] = {
    {"GET", "/", NULL, 0, 0},
    {"GET", "/a/{x}", NULL, 0, 0},
    {"POST", "/a/{x}/b/{y}", NULL, 0, 0},
    {"GET", "/a/{x}/{rest*}", NULL, 0, 0},
    {"GET", "/{rest*}", NULL, 0, 0},
};

static void fuzz_url(struct ps_str url)
{
    const char *question = url.len ? memchr(url.ptr, '?', url.len) : NULL;
    struct ps_str path = {url.ptr, question ? (size_t)(question - url.ptr) : url.len};
    struct ps_arena arena = {0};
    struct ps_url_params pairs = {0};
    struct ps_route_match match;
    struct ps_err err = PS_ERR_INIT;

    if (ps_router_find(routes, sizeof routes / sizeof *routes, "GET", path, &arena, &match, &err) ==
        PS_OK)
        FUZZ_HOLDS(match.route);
    err = (struct ps_err)PS_ERR_INIT;
    (void)ps_url_parse_query(&arena, ps_str_skip(url, path.len + 1), &pairs, &err);
    FUZZ_HOLDS(pairs.n <= PS_URL_PARAMS_MAX);
    ps_arena_free(&arena);
}

static void fuzz_headers(const char *text)
{
    static const char *const names[] = {"box.lan"};
    const struct ps_guard guard = {names, 1, true};
    struct ps_arena arena = {0};
    struct ps_multipart *form;
    struct ps_part part;
    struct ps_err err = PS_ERR_INIT;
    const char *disposition = ps_format_attachment(&arena, text);

    for (const char *at = disposition; *at; at++)
        FUZZ_HOLDS(*at >= 0x20 && *at < 0x7f);
    (void)ps_accepts_gzip(text);
    (void)ps_etag_matches(text, "\"a\"");
    (void)ps_guard_accepts_host(&guard, text);
    (void)ps_guard_accepts_origin(text, "localhost");
    (void)ps_multipart_create(text, NULL, NULL, &form, PS_ERR_IGNORED);
    ps_multipart_free(form);
    (void)ps_part_head_parse(ps_str_from_c(text), &part, &err);
    ps_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ps_str rest = {(const char *)bytes + 1, len ? len - 1 : 0};
    struct ps_arena arena = {0};

    if (len == 0)
        return 0;
    if (bytes[0] == 'f')
        fuzz_form(rest);
    else if (bytes[0] == 'u')
        fuzz_url(rest);
    else
        fuzz_headers(ps_arena_copy(&arena, rest).ptr);
    ps_arena_free(&arena);
    return 0;
}
