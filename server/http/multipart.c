/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* strncasecmp */
#include "server/http/multipart.h"

#include <stdlib.h>
#include <strings.h>

#include "base/buf.h"
#include "server/http/url.h"

/* --- Headers of one part --- */

static bool same_word(struct ps_str text, const char *word)
{
    return text.len == strlen(word) && strncasecmp(text.ptr, word, text.len) == 0;
}

static struct ps_str trim_spaces(struct ps_str text)
{
    while (text.len && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = ps_str_skip(text, 1);
    while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text.len--;
    return text;
}

static struct ps_str prefix_before(struct ps_str text, char end)
{
    const char *found = text.len ? memchr(text.ptr, end, text.len) : NULL;

    return (struct ps_str){text.ptr, found ? (size_t)(found - text.ptr) : text.len};
}

/* The content of a quoted string that starts at text; \" does not end it. */
static struct ps_str parse_quoted(struct ps_str text)
{
    size_t n = 1;

    while (n < text.len && text.ptr[n] != '"')
        n += text.ptr[n] == '\\' && n + 1 < text.len && text.ptr[n + 1] == '"' ? 2 : 1;
    n = n < text.len ? n : text.len;
    return (struct ps_str){text.ptr + 1, n - 1};
}

/* The value of parameter `key` in a header such as `form-data; name="a"; filename="b"`, without its
 * quotes; {NULL, 0} if it is absent. Escapes such as \" are not decoded. */
static struct ps_str header_param(struct ps_str value, const char *key)
{
    struct ps_str rest = ps_str_skip(value, prefix_before(value, ';').len + 1);

    while (rest.len > 0) {
        struct ps_str name = prefix_before(rest, '='), semi = prefix_before(rest, ';'), found;

        if (semi.len < name.len || name.len == rest.len) { /* a parameter without a value */
            rest = ps_str_skip(rest, semi.len + 1);
            continue;
        }
        rest = trim_spaces(ps_str_skip(rest, name.len + 1));
        found = rest.len && rest.ptr[0] == '"' ? parse_quoted(rest)
                                               : trim_spaces(prefix_before(rest, ';'));
        if (same_word(trim_spaces(name), key))
            return found;
        rest = ps_str_skip(rest, (size_t)(found.ptr + found.len - rest.ptr));
        rest = ps_str_skip(rest, prefix_before(rest, ';').len + 1);
    }
    return (struct ps_str){NULL, 0};
}

/* Decodes \" and the escapes of browsers, %22 %0D %0A, or every %XX if `all`. Control characters
 * are replaced. Returns the length of out. */
static size_t unescape_quoted(struct ps_str text, bool all, char *out, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len && n + 1 < size; i++) {
        char c = text.ptr[i];
        int byte = c == '%' ? ps_url_escaped_byte(text, i) : -1;

        if (byte >= 0 && (all || byte == '"' || byte == '\r' || byte == '\n')) {
            c = (char)byte;
            i += 2;
        } else if (c == '\\' && i + 1 < text.len && text.ptr[i + 1] == '"') {
            c = text.ptr[++i];
        }
        out[n++] = (unsigned char)c < 0x20 || c == 0x7f ? '_' : c;
    }
    out[n] = '\0';
    return n;
}

/* Removes the directories of a path; "." and ".." become "". */
static void keep_last_component(char *name)
{
    const char *last = name;

    for (const char *at = name; *at; at++)
        if (*at == '/' || *at == '\\')
            last = at + 1;
    if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        last = name + strlen(name);
    memmove(name, last, strlen(last) + 1);
}

static void read_filename(struct ps_str disposition, struct ps_part *out)
{
    static const struct ps_str utf8 = {"utf-8''", 7};
    struct ps_str plain = header_param(disposition, "filename");
    struct ps_str wide = header_param(disposition, "filename*");
    char text[sizeof out->path];

    out->is_file = plain.ptr || wide.ptr || strcmp(out->name, "file") == 0;
    if (wide.len > utf8.len && strncasecmp(wide.ptr, utf8.ptr, utf8.len) == 0)
        unescape_quoted(ps_str_skip(wide, utf8.len), true, text, sizeof text);
    else
        unescape_quoted(plain, false, text, sizeof text);
    memcpy(out->path, text, strlen(text) + 1);
    keep_last_component(text);
    text[sizeof out->filename - 1] = '\0';
    memcpy(out->filename, text, strlen(text) + 1);
}

enum ps_status ps_part_head_parse(struct ps_str head, struct ps_part *out, struct ps_err *err)
{
    struct ps_str name = {NULL, 0};

    *out = (struct ps_part){0};
    while (head.len > 0 && !name.ptr) {
        struct ps_str line = prefix_before(head, '\n'), key = prefix_before(line, ':');
        struct ps_str value = ps_str_skip(line, key.len + 1);

        head = ps_str_skip(head, line.len + 1);
        if (value.len && value.ptr[value.len - 1] == '\r')
            value.len--;
        if (!same_word(trim_spaces(key), "content-disposition"))
            continue;
        name = header_param(value, "name");
        unescape_quoted(name, false, out->name, sizeof out->name);
        read_filename(value, out);
    }
    if (!name.ptr)
        return ps_fail(err, PS_BAD_REQUEST, "a part of the multipart form has no name");
    return PS_OK;
}

/* --- The form --- */

#define BOUNDARY_MAX 70 /* RFC 2046 */
#define HEAD_MAX     ((size_t)8 << 10)

enum state { FIND_FIRST, AFTER_BOUNDARY, IN_HEAD, DATA_BEGINS, IN_DATA, DONE };

struct ps_multipart {
    const struct ps_multipart_ops *ops;
    void *user;
    enum state state;
    char boundary[BOUNDARY_MAX + 5]; /* "\r\n--" and the boundary */
    size_t boundary_len;
    struct ps_buf unparsed; /* input that cannot be parsed yet */
};

bool ps_is_multipart(const char *content_type)
{
    static const char name[] = "multipart/form-data";

    return content_type && strncasecmp(content_type, name, sizeof name - 1) == 0;
}

enum ps_status ps_multipart_create(const char *content_type, const struct ps_multipart_ops *ops,
                                   void *user, struct ps_multipart **out, struct ps_err *err)
{
    struct ps_str name = header_param(ps_str_from_c(content_type), "boundary");
    struct ps_multipart *parser;

    *out = NULL;
    if (name.len == 0 || name.len > BOUNDARY_MAX)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the Content-Type of the multipart form has no boundary");
    parser = ps_alloc(sizeof *parser);
    parser->ops = ops;
    parser->user = user;
    memcpy(parser->boundary, "\r\n--", 4);
    memcpy(parser->boundary + 4, name.ptr, name.len);
    parser->boundary_len = name.len + 4;
    /* The first boundary may be at the very start of the body, without a preceding line break. */
    ps_buf_add(&parser->unparsed, "\r\n", 2);
    *out = parser;
    return PS_OK;
}

void ps_multipart_free(struct ps_multipart *parser)
{
    if (parser)
        ps_buf_free(&parser->unparsed);
    free(parser);
}

static struct ps_str boundary_of(const struct ps_multipart *parser)
{
    return (struct ps_str){parser->boundary, parser->boundary_len};
}

/* If *found, the number of bytes of `in` before the boundary, else the number of bytes that cannot
 * be part of an incomplete boundary at the end of `in`. */
static size_t before_boundary(const struct ps_multipart *parser, struct ps_str in, bool *found)
{
    const char *at = ps_str_find(in, boundary_of(parser));

    *found = at != NULL;
    if (at)
        return (size_t)(at - in.ptr);
    return in.len < parser->boundary_len ? 0 : in.len - parser->boundary_len + 1;
}

static enum ps_status step_data(struct ps_multipart *parser, struct ps_str *in, bool *more,
                                struct ps_err *err)
{
    bool found;
    struct ps_str data = {in->ptr, before_boundary(parser, *in, &found)};
    enum ps_status status = PS_OK;

    if (parser->state == IN_DATA && data.len > 0)
        status = parser->ops->data(parser->user, data, err);
    if (status == PS_OK && parser->state == IN_DATA && found)
        status = parser->ops->end(parser->user, err);
    *in = ps_str_skip(*in, data.len + (found ? parser->boundary_len : 0));
    if (found)
        parser->state = AFTER_BOUNDARY;
    *more = found;
    return status;
}

/* Parses the input after a boundary: "--" ends the form, a line break begins a part; spaces may
 * precede both. */
static enum ps_status step_after_boundary(struct ps_multipart *parser, struct ps_str *in,
                                          bool *more, struct ps_err *err)
{
    while (in->len > 0 && (in->ptr[0] == ' ' || in->ptr[0] == '\t'))
        *in = ps_str_skip(*in, 1);
    *more = in->len >= 2;
    if (!*more)
        return PS_OK;
    if (memcmp(in->ptr, "--", 2) == 0)
        parser->state = DONE;
    else if (memcmp(in->ptr, "\r\n", 2) == 0)
        parser->state = IN_HEAD;
    else
        return ps_fail(err, PS_BAD_REQUEST, "the multipart form is malformed after a boundary");
    /* Keep the line break in the input: in a part without headers, this line break and the next one
     * are the end of the header block. */
    *in = ps_str_skip(*in, parser->state == DONE ? 2 : 0);
    return PS_OK;
}

static enum ps_status step_head(struct ps_multipart *parser, struct ps_str *in, bool *more,
                                struct ps_err *err)
{
    static const struct ps_str empty_line = {"\r\n\r\n", 4};
    const char *at = ps_str_find(*in, empty_line);
    struct ps_part part;
    enum ps_status status;

    *more = at != NULL;
    if (!at && in->len > HEAD_MAX)
        return ps_fail(err, PS_BAD_REQUEST,
                       "a part of the multipart form has a header that is too long");
    if (!at)
        return PS_OK;
    status = ps_part_head_parse((struct ps_str){in->ptr, (size_t)(at - in->ptr)}, &part, err);
    if (status != PS_OK)
        return status;
    *in = ps_str_skip(*in, (size_t)(at - in->ptr) + 2);
    parser->state = DATA_BEGINS;
    return parser->ops->begin(parser->user, &part, err);
}

/* Skips the line break after the header block, unless it begins a boundary because the part has no
 * body. */
static enum ps_status step_data_begins(struct ps_multipart *parser, struct ps_str *in, bool *more)
{
    *more = in->len >= parser->boundary_len;
    if (!*more)
        return PS_OK;
    if (!ps_str_starts_with(*in, boundary_of(parser)))
        *in = ps_str_skip(*in, 2);
    parser->state = IN_DATA;
    return PS_OK;
}

static enum ps_status parse_step(struct ps_multipart *parser, struct ps_str *in, bool *more,
                                 struct ps_err *err)
{
    switch (parser->state) {
    case FIND_FIRST:
    case IN_DATA:
        return step_data(parser, in, more, err);
    case AFTER_BOUNDARY:
        return step_after_boundary(parser, in, more, err);
    case IN_HEAD:
        return step_head(parser, in, more, err);
    case DATA_BEGINS:
        return step_data_begins(parser, in, more);
    case DONE:
        *in = ps_str_skip(*in, in->len);
        *more = false;
    }
    return PS_OK;
}

enum ps_status ps_multipart_feed(struct ps_multipart *parser, struct ps_str bytes,
                                 struct ps_err *err)
{
    enum ps_status status = PS_OK;
    struct ps_str in;
    bool more = true;

    ps_buf_add(&parser->unparsed, bytes.ptr, bytes.len);
    in = ps_buf_slice(&parser->unparsed);
    while (more && status == PS_OK)
        status = parse_step(parser, &in, &more, err);
    memmove(parser->unparsed.ptr, in.ptr, in.len);
    parser->unparsed.len = in.len;
    return status;
}

enum ps_status ps_multipart_finish(struct ps_multipart *parser, struct ps_err *err)
{
    if (parser->state != DONE)
        return ps_fail(err, PS_BAD_REQUEST, "the multipart form ends before its last boundary");
    return PS_OK;
}
