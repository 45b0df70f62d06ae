/* SPDX-License-Identifier: MIT */
#include "importers/document.h"

#include <math.h>
#include <stdlib.h>

#include "importers/text/line_names.h"

enum { NODES_MAX = 8 << 20 }; /* number of JSON values; cJSON needs at least 80 bytes for each */

static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
/* What stands for them in documents in which they can be told apart. */
static const char marks[] = "\1\2\3";

/* Replaces NaN and Infinity, which Python writes but JSON does not allow, with "" (not a number),
 * or with a mark, without moving other bytes. Returns the number of bytes to skip. */
static size_t repair_word(char *at, const char *end, bool mark)
{

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);

        if ((size_t)(end - at) < n || memcmp(at, words[i], n) != 0)
            continue;
        memset(at, ' ', n);
        at[0] = at[1 + mark] = '"';
        if (mark)
            at[1] = marks[i];
        return n;
    }
    return 1;
}

/* Returns 1 for a high surrogate escape, 2 for a low one, 0 for anything else. */
static int parse_surrogate(const char *at, const char *end)
{
    char hex[5] = {0}, *behind;
    unsigned long value;

    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return 0;
    memcpy(hex, at + 2, 4);
    value = strtoul(hex, &behind, 16);
    if (behind != hex + 4 || strspn(hex, "0123456789abcdefABCDEF") != 4)
        return 0;
    return value >= 0xd800 && value < 0xdc00 ? 1 : value >= 0xdc00 && value < 0xe000 ? 2 : 0;
}

/* If the escape sequence is a lone surrogate, replaces it with that of U+FFFD. Returns the number
 * of bytes to skip. */
static size_t repair_escape(char *at, const char *end)
{
    int half = parse_surrogate(at, end);

    if (half == 1 && parse_surrogate(at + 6, end) == 2)
        return 12;
    if (half)
        memcpy(at, "\\ufffd", 6);
    return half ? 6 : 2;
}

/* Repairs the document and returns its number of values, before a tree is built, which may need 40
 * times the memory. The count is that of commas and opening brackets, since each value except the
 * first follows one of these. */
static size_t repair_document(struct ps_buf *bytes, bool mark)
{
    char *end = bytes->ptr + bytes->len;
    bool in_text = false;
    size_t n = 1;

    for (char *at = bytes->ptr; at < end;) {
        if (in_text && *at == '\\') {
            at += repair_escape(at, end);
            continue;
        }
        in_text ^= *at == '"';
        if (!in_text && (*at == 'N' || *at == 'I' || *at == '-')) {
            at += repair_word(at, end, mark);
            continue;
        }
        n += !in_text && (*at == ',' || *at == '[' || *at == '{');
        at++;
    }
    return n;
}

/* The root that a document may have: bits. */
enum { OBJECT = 1, ARRAY = 2 };

/* Fails if more than white space and zero bytes follow the document. */
static enum ps_status fail_on_rest(struct ps_str text, const char *end, struct ps_err *err)
{
    const char *last = text.ptr + text.len;

    while (end < last && strchr(" \t\r\n", *end))
        end++;
    if (end == last)
        return PS_OK;
    return ps_fail_at(err, PS_BAD_INPUT, (uint64_t)(end - text.ptr),
                      "more text follows the JSON document" PS_HINT
                      "if the file has several documents, add each as a file of its own");
}

static cJSON *parse_document(struct ps_buf *bytes, bool mark, unsigned roots, struct ps_err *err)
{
    struct ps_str text = ps_buf_slice(bytes);
    const char *end = NULL;
    cJSON *root;

    if (repair_document(bytes, mark) > NODES_MAX) {
        (void)ps_fail(err, PS_LIMIT, "the document has more than %d values", NODES_MAX);
        return NULL;
    }
    root = cJSON_ParseWithLengthOpts(text.ptr, text.len, &end, 0);
    if (!((roots & OBJECT) && cJSON_IsObject(root)) && !((roots & ARRAY) && cJSON_IsArray(root))) {
        ps_fail_at(err, PS_BAD_INPUT, end ? (uint64_t)(end - text.ptr) : 0,
                   "the document is not a complete JSON %s" PS_HINT
                   "the file is damaged or truncated: copy it again, or record it again",
                   roots == OBJECT  ? "object"
                   : roots == ARRAY ? "array"
                                    : "document");
        cJSON_Delete(root);
        return NULL;
    }
    if (fail_on_rest(text, end, err) != PS_OK) {
        cJSON_Delete(root);
        return NULL;
    }
    ps_buf_free(bytes); /* the tree holds copies */
    return root;
}

cJSON *ps_document_parse(struct ps_buf *bytes, struct ps_err *err)
{
    return parse_document(bytes, false, OBJECT, err);
}

cJSON *ps_document_parse_list(struct ps_buf *bytes, struct ps_err *err)
{
    return parse_document(bytes, false, ARRAY, err);
}

cJSON *ps_document_parse_any(struct ps_buf *bytes, struct ps_err *err)
{
    return parse_document(bytes, false, OBJECT | ARRAY, err);
}

cJSON *ps_document_parse_special(struct ps_buf *bytes, struct ps_err *err)
{
    return parse_document(bytes, true, OBJECT, err);
}

double ps_document_special(const cJSON *value)
{
    if (!cJSON_IsString(value) || strlen(value->valuestring) != 1)
        return (double)NAN;
    return value->valuestring[0] == marks[0]   ? -(double)INFINITY
           : value->valuestring[0] == marks[1] ? (double)INFINITY
                                               : (double)NAN;
}

/* --- Long integers --- */

/* What a text begins with that stands for an integer. */
#define INTEGER_MARK '\4'
enum { DIGITS_IN_DOUBLE = 15 }; /* each integer of so many digits is a double */

/* The length of the number at the start of `at`; *is_integer: whether it has no fraction and no
 * exponent. */
static size_t number_len(struct ps_str at, bool *is_integer)
{
    size_t n = 0;

    *is_integer = true;
    for (; n < at.len && at.ptr[n] && strchr("+-.eE0123456789", at.ptr[n]); n++)
        *is_integer &= n == 0 || (at.ptr[n] >= '0' && at.ptr[n] <= '9');
    return n;
}

/* Copies the document with each long integer as a text. */
static void copy_exact(struct ps_buf *out, struct ps_str json)
{
    const char mark[] = {'"', INTEGER_MARK};
    bool in_text = false, is_integer;
    size_t n;

    for (size_t i = 0; i < json.len; i += n) {
        const char c = json.ptr[i];

        n = 1;
        if (in_text && c == '\\')
            n = i + 1 < json.len ? 2 : 1;
        else if (c == '"')
            in_text = !in_text;
        else if (!in_text && (c == '-' || (c >= '0' && c <= '9'))) {
            n = number_len(ps_str_skip(json, i), &is_integer);
            if (is_integer && n > DIGITS_IN_DOUBLE) {
                ps_buf_add(out, mark, sizeof mark);
                ps_buf_add(out, json.ptr + i, n);
                ps_buf_puts(out, "\"");
                continue;
            }
        }
        ps_buf_add(out, json.ptr + i, n);
    }
}

cJSON *ps_document_parse_exact(struct ps_str json, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};

    copy_exact(&bytes, json);
    return parse_document(&bytes, false, OBJECT, err);
}

bool ps_document_integer(const cJSON *object, const char *key, int64_t *out)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    struct ps_num n = ps_document_count_of(value);

    if (cJSON_IsString(value) && value->valuestring[0] == INTEGER_MARK)
        return ps_str_parse_i64(ps_str_from_c(value->valuestring + 1), out);
    if (n.kind == PS_NUM_INT)
        *out = n.i;
    return n.kind == PS_NUM_INT;
}

/* --- Values --- */

static struct ps_num number_of(const cJSON *value)
{
    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
        return (struct ps_num){0};
    return ps_real(value->valuedouble);
}

struct ps_num ps_document_number(const cJSON *object, const char *key)
{
    return number_of(cJSON_GetObjectItemCaseSensitive(object, key));
}

struct ps_num ps_document_count_of(const cJSON *value)
{
    struct ps_num n = number_of(value);

    if (n.kind == PS_NUM_REAL && n.r == rint(n.r) && fabs(n.r) < 9e15)
        return ps_int((int64_t)n.r);
    return n;
}

struct ps_num ps_document_count(const cJSON *object, const char *key)
{
    return ps_document_count_of(cJSON_GetObjectItemCaseSensitive(object, key));
}

struct ps_str ps_document_text(struct ps_arena *arena, const cJSON *object, const char *key)
{
    return ps_document_text_of(arena, cJSON_GetObjectItemCaseSensitive(object, key));
}

struct ps_str ps_document_text_of(struct ps_arena *arena, const cJSON *value)
{
    bool mended;

    if (!cJSON_IsString(value))
        return (struct ps_str){NULL, 0};
    return ps_display_text(arena, ps_str_from_c(value->valuestring), &mended);
}
