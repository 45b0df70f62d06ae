/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* strncasecmp */
#include "server/http/negotiate.h"

#include <ctype.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <strings.h>

#include "server/http/url.h"

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t,");
}

/* Whether the parameters refuse the encoding: "q=0", "q=0.000". */
static bool is_refused(const char *params, size_t len)
{
    for (const char *end = params + len; params < end; params++)
        if ((*params == 'q' || *params == 'Q') && params[1] == '=')
            return strtod(params + 2, NULL) <= 0.0;
    return false;
}

bool ps_accepts_gzip(const char *accept_encoding)
{
    bool accepts_any = false;

    for (const char *at = accept_encoding; at && *(at = skip_spaces(at));) {
        size_t item = strcspn(at, ","), word = strcspn(at, ",; \t");

        if (word == 4 && strncasecmp(at, "gzip", 4) == 0)
            return !is_refused(at + word, item - word);
        if (word == 1 && *at == '*') /* holds for gzip only if the header does not name gzip */
            accepts_any = !is_refused(at + word, item - word);
        at += item;
    }
    return accepts_any;
}

bool ps_etag_matches(const char *if_none_match, const char *etag)
{
    size_t len;

    if (!if_none_match || !etag)
        return false;
    if (strcmp(if_none_match, "*") == 0)
        return true;
    etag += strncmp(etag, "W/", 2) == 0 ? 2 : 0;
    len = strlen(etag);
    for (const char *at = if_none_match; *(at = skip_spaces(at)); at += strcspn(at, ",")) {
        at += strncmp(at, "W/", 2) == 0 ? 2 : 0;
        if (strncmp(at, etag, len) == 0 && strchr(", \t", at[len]))
            return true;
    }
    return false;
}

bool ps_type_is_compressible(const char *type)
{
    return strncmp(type, "text/", 5) == 0 || strncmp(type, "application/json", 16) == 0 ||
           strncmp(type, "image/svg", 9) == 0;
}

bool ps_gzip_compress(struct ps_str in, struct ps_buf *out)
{
    PS_AUTO(ps_free_ptr) uint8_t *work = NULL;
    struct isal_zstream z;
    size_t before = out->len;

    if (in.len > UINT32_MAX / 2)
        return false;
    work = ps_alloc(ISAL_DEF_LVL1_DEFAULT);
    isal_deflate_init(&z);
    ps_buf_reserve(out, in.len);
    z.level = 1;
    z.level_buf = work;
    z.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    z.gzip_flag = IGZIP_GZIP;
    z.end_of_stream = 1;
    z.next_in = (uint8_t *)(uintptr_t)in.ptr;
    z.avail_in = (uint32_t)in.len;
    z.next_out = (uint8_t *)out->ptr + before;
    z.avail_out = (uint32_t)in.len;
    if (isal_deflate(&z) != COMP_OK || z.internal_state.state != ZSTATE_END)
        return false;
    out->len = before + z.total_out;
    return true;
}

/* Whether a character needs no escape in a quoted string. */
static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '%' && c != '/';
}

char *ps_format_attachment(struct ps_arena *arena, const char *name)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    bool exact = true;

    ps_buf_puts(&text, "attachment; filename=\"");
    for (const char *at = name; *at; at++) {
        exact = exact && is_plain((unsigned char)*at);
        ps_buf_add(&text, is_plain((unsigned char)*at) ? at : "_", 1);
    }
    ps_buf_puts(&text, "\"");
    if (!exact)
        ps_buf_puts(&text, "; filename*=UTF-8''");
    for (const char *at = exact ? "" : name; *at; at++) {
        unsigned char c = (unsigned char)*at;

        if (c < 0x80 && isalnum(c))
            ps_buf_add(&text, at, 1);
        else
            ps_buf_printf(&text, "%%%02X", c);
    }
    return (char *)(uintptr_t)ps_arena_copy(arena, ps_buf_slice(&text)).ptr;
}

const char *ps_parse_attachment(struct ps_arena *arena, const char *disposition)
{
    static const char encoded[] = "filename*=UTF-8''", quoted[] = "filename=\"";
    const char *at = disposition ? strstr(disposition, encoded) : NULL, *name = NULL;
    struct ps_err err = PS_ERR_INIT;

    if (at) {
        at += sizeof encoded - 1;
        (void)ps_url_decode(arena, (struct ps_str){at, strcspn(at, "; ")}, false, &name, &err);
        return name;
    }
    at = disposition ? strstr(disposition, quoted) : NULL;
    if (!at)
        return NULL;
    at += sizeof quoted - 1;
    return ps_arena_copy(arena, (struct ps_str){at, strcspn(at, "\"")}).ptr;
}
