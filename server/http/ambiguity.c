/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* strncasecmp */
#include "server/http/ambiguity.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "server/http/libmicrohttpd.h"

struct header_counts {
    unsigned hosts, lengths, codings;
    bool odd_name, odd_value, odd_coding;
};

static bool name_equals(const char *name, size_t len, const char *want)
{
    return len == strlen(want) && strncasecmp(name, want, len) == 0;
}

/* Whether a header name is a token of RFC 9110, except that bytes above ASCII are accepted too. */
static bool is_token(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)name[i] <= ' ' || name[i] == 0x7f ||
            strchr("\"(),/:;<=>?@[\\]{}", name[i]))
            return false;
    return len > 0;
}

static bool is_plain(const char *value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (((unsigned char)value[i] < ' ' && value[i] != '\t') || value[i] == 0x7f)
            return false;
    return true;
}

static enum MHD_Result check_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                    size_t name_len, const char *value, size_t value_len)
{
    struct header_counts *seen = cls;

    (void)kind;
    seen->odd_name |= !is_token(name, name_len);
    seen->odd_value |= value && !is_plain(value, value_len);
    seen->hosts += name_equals(name, name_len, "Host");
    seen->lengths += name_equals(name, name_len, "Content-Length");
    if (!name_equals(name, name_len, "Transfer-Encoding"))
        return MHD_YES;
    seen->codings++;
    seen->odd_coding |= !value || !name_equals(value, value_len, "chunked");
    return MHD_YES;
}

const char *ps_request_find_ambiguity(struct MHD_Connection *connection)
{
    struct header_counts seen = {0};

    (void)ps_mhd.MHD_get_connection_values_n(connection, MHD_HEADER_KIND, check_header, &seen);
    if (seen.odd_name)
        return "a header name contains a character that is not allowed";
    if (seen.odd_value)
        return "a header value contains a control character";
    if (seen.hosts > 1)
        return "the request has more than one Host header";
    if (seen.lengths + seen.codings > 1)
        return "the request states the length of its body more than once (Content-Length, "
               "Transfer-Encoding)";
    if (seen.odd_coding)
        return "unsupported Transfer-Encoding: only chunked is supported";
    return NULL;
}
