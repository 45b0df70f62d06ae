/* SPDX-License-Identifier: MIT */
/* json_walk.c: visits the values of JSON documents of any size, and reads their numbers exactly. */
#include <math.h>

#include "importers/measurements/measure_text.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/serving/client.h"

enum {
    DEPTH_MAX = 48,         /* deeper values are skipped */
    CHECK_INTERVAL = 65536, /* values between two checks for cancellation */
    DIGITS_MAX = 19,
};

/* --- Numbers --- */

struct ps_num sv_number(struct ps_str text, int shift)
{
    struct ps_str digits = ps_str_trim(text);
    bool is_negative = digits.len && digits.ptr[0] == '-';
    struct ps_printed_number number;
    int64_t integer;

    if (shift == 0 && ps_str_parse_i64(digits, &integer))
        return ps_int(integer);
    if (!ps_printed_number_parse(ps_str_skip(digits, is_negative), shift, &number))
        return PS_NO_NUM;
    return ps_real(is_negative ? -number.value : number.value);
}

/* An exponent such as "e-07"; false: it is not one. */
static bool parse_exponent(struct ps_str text, int *exponent)
{
    int64_t value;

    if (text.len < 2 || (text.ptr[0] != 'e' && text.ptr[0] != 'E'))
        return false;
    text = ps_str_skip(text, text.ptr[1] == '+' ? 2 : 1);
    if (!ps_str_parse_i64(text, &value) || value > 400 || value < -400)
        return false;
    *exponent += (int)value;
    return true;
}

static int64_t scale(uint64_t digits, int exponent)
{
    for (; exponent > 0; exponent--)
        if (digits > INT64_MAX / 10 || __builtin_mul_overflow(digits, (uint64_t)10, &digits))
            return PS_TIME_UNKNOWN;
    for (; exponent < -1; exponent++)
        digits /= 10;
    if (exponent == -1)
        digits = (digits + 5) / 10;
    return digits > INT64_MAX ? PS_TIME_UNKNOWN : (int64_t)digits;
}

int64_t sv_integer(struct ps_str text, int shift)
{
    size_t at = text.len && text.ptr[0] == '-', n_digits = 0, n_read = 0;
    bool is_negative = at == 1, has_point = false;
    uint64_t digits = 0;
    int exponent = shift;
    int64_t value;

    for (; at < text.len; at++) {
        const char c = text.ptr[at];

        if (c == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        n_read++;
        if (n_digits < DIGITS_MAX) {
            digits = 10 * digits + (uint64_t)(c - '0');
            n_digits += digits > 0;
            exponent -= has_point;
        } else {
            exponent += !has_point;
        }
    }
    if (!n_read || (at < text.len && !parse_exponent(ps_str_skip(text, at), &exponent)))
        return PS_TIME_UNKNOWN;
    value = digits ? scale(digits, exponent) : 0;
    return is_negative && value != PS_TIME_UNKNOWN ? -value : value;
}

int64_t sv_count(struct ps_str text)
{
    const int64_t count = sv_integer(text, 0);

    return count < 0 ? PS_COUNT_UNKNOWN : count;
}

/* --- Documents --- */

struct walk {
    struct ps_json_in json;
    struct ps_buf path;
    size_t lengths[DEPTH_MAX]; /* of the path around each open object or array */
    bool is_object[DEPTH_MAX];
    int depth;
    uint64_t n_values;
};

static void cut_path(struct walk *walk)
{
    walk->path.len = walk->depth ? walk->lengths[walk->depth - 1] : 0;
}

static void add_key(struct walk *walk)
{
    cut_path(walk);
    if (walk->path.len)
        ps_buf_puts(&walk->path, ".");
    ps_buf_add_str(&walk->path, walk->json.text);
}

/* Returns false at the end of the document or at damage. */
static bool visit_token(struct walk *walk, enum ps_json_token token, sv_visit *visit, void *data)
{
    const struct ps_str path = ps_buf_slice(&walk->path);

    switch (token) {
    case PS_JSON_KEY:
        add_key(walk);
        return true;
    case PS_JSON_OBJECT:
    case PS_JSON_ARRAY:
        if (walk->depth == DEPTH_MAX || !visit(data, path, token, (struct ps_str){NULL, 0}))
            return ps_json_in_skip_rest(&walk->json, token) && walk->json.depth > 0;
        walk->lengths[walk->depth++] = walk->path.len;
        return true;
    case PS_JSON_OBJECT_END:
    case PS_JSON_ARRAY_END:
        cut_path(walk);
        walk->depth--;
        (void)visit(data, ps_buf_slice(&walk->path), token, (struct ps_str){NULL, 0});
        return walk->depth > 0;
    default:
        (void)visit(data, path, token, walk->json.text);
        return walk->depth > 0;
    }
}

/* Returns PS_OK at the end of a document. */
static enum ps_status walk_document(struct walk *walk, struct sv_run *run, sv_visit *visit,
                                    void *data, struct ps_err *err)
{
    for (;;) {
        enum ps_json_token token = ps_json_in_next(&walk->json);

        if (token == PS_JSON_INVALID)
            return ps_json_in_fail(&walk->json, err);
        if (token == PS_JSON_END)
            return ps_stream_status(walk->json.in, err) != PS_OK
                       ? err->code
                       : ps_fail(err, PS_BAD_INPUT,
                                 "the JSON ends before it is complete, at byte %llu",
                                 (unsigned long long)ps_json_in_offset(&walk->json));
        if (++walk->n_values % CHECK_INTERVAL == 0 &&
            ps_reading_check(walk->json.in, run->out, run->ledger.read, err) != PS_OK)
            return err->code;
        if (!visit_token(walk, token, visit, data))
            break;
    }
    if (run->n_requests > SV_REQUESTS_MAX)
        return ps_fail(err, PS_LIMIT, "the file has more than %u requests", SV_REQUESTS_MAX);
    if (walk->depth > 0)
        return walk->json.error ? ps_json_in_fail(&walk->json, err)
                                : ps_fail(err, PS_BAD_INPUT, "the JSON ends before it is complete");
    return PS_OK;
}

uint64_t sv_walk(struct sv_run *run, struct ps_stream *in, sv_visit *visit, void *data,
                 struct ps_err *err)
{
    struct walk *walk = ps_alloc(sizeof *walk);
    uint64_t n = 0;

    *walk = (struct walk){.json = {.in = in}};
    while (walk_document(walk, run, visit, data, err) == PS_OK) {
        n++;
        walk->path.len = 0;
        if (!ps_json_in_next_document(&walk->json))
            break;
    }
    if (err->code == PS_BAD_INPUT && n > 0) {
        ps_sink_note(run->out, PS_NOTE_REJECTED, ps_json_in_offset(&walk->json), 0,
                     "the rest of the file was not read: %s", err->text);
        run->ledger.read++;
        run->ledger.rejected++;
        *err = (struct ps_err){0};
    }
    ps_json_in_free(&walk->json);
    ps_buf_free(&walk->path);
    ps_free_ptr(&walk);
    return n;
}
