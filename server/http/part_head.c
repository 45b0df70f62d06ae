/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* strncasecmp */
#include "server/http/part_head.h"

#include <stdlib.h>
#include <strings.h>

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

static struct ps_str cut_at(struct ps_str text, char end)
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

struct ps_str ps_header_param(struct ps_str value, const char *key)
{
    struct ps_str rest = ps_str_skip(value, cut_at(value, ';').len + 1);

    while (rest.len > 0) {
        struct ps_str name = cut_at(rest, '='), semi = cut_at(rest, ';'), found;

        if (semi.len < name.len || name.len == rest.len) { /* a parameter without a value */
            rest = ps_str_skip(rest, semi.len + 1);
            continue;
        }
        rest = trim_spaces(ps_str_skip(rest, name.len + 1));
        found =
            rest.len && rest.ptr[0] == '"' ? parse_quoted(rest) : trim_spaces(cut_at(rest, ';'));
        if (same_word(trim_spaces(name), key))
            return found;
        rest = ps_str_skip(rest, (size_t)(found.ptr + found.len - rest.ptr));
        rest = ps_str_skip(rest, cut_at(rest, ';').len + 1);
    }
    return (struct ps_str){NULL, 0};
}

static int hex_byte(struct ps_str text, size_t at)
{
    char digits[3] = {0}, *end;
    long byte;

    if (text.len - at < 3)
        return -1;
    memcpy(digits, text.ptr + at + 1, 2);
    byte = strtol(digits, &end, 16);
    return *end || digits[0] == '-' || digits[0] == '+' || digits[0] == ' ' ? -1 : (int)byte;
}

/* Decodes \" and the escapes of browsers, %22 %0D %0A, or every %XX if `all`. Control characters
 * are replaced. Returns the length of out. */
static size_t unescape_quoted(struct ps_str text, bool all, char *out, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len && n + 1 < size; i++) {
        char c = text.ptr[i];
        int byte = c == '%' ? hex_byte(text, i) : -1;

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
    struct ps_str plain = ps_header_param(disposition, "filename");
    struct ps_str wide = ps_header_param(disposition, "filename*");
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
        struct ps_str line = cut_at(head, '\n'), key = cut_at(line, ':');
        struct ps_str value = ps_str_skip(line, key.len + 1);

        head = ps_str_skip(head, line.len + 1);
        if (value.len && value.ptr[value.len - 1] == '\r')
            value.len--;
        if (!same_word(trim_spaces(key), "content-disposition"))
            continue;
        name = ps_header_param(value, "name");
        unescape_quoted(name, false, out->name, sizeof out->name);
        read_filename(value, out);
    }
    if (!name.ptr)
        return ps_fail(err, PS_BAD_REQUEST, "a part of the multipart form has no name");
    return PS_OK;
}
