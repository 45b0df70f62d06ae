/* SPDX-License-Identifier: MIT */
/*
 * calls_blob.c: how caller edges are packed into function.callers, and callee ids into
 * function.callees.
 *
 * callers: entries of  varint caller | u8 kinds | ncalls | primitive_calls | tottime_s | cumtime_s.
 * `kinds` holds two bits a number: enum ps_num_kind; an integer is a zigzag varint, a double its 8
 * bytes, little-endian, nothing for none. callees: varints, each the difference to the id before.
 */
#include "server/runfile/handle.h"

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
        unsigned char c = (unsigned char)*blob->at;

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
        memcpy(at, &n.r, 8); /* little-endian: x86-64 and aarch64 are what we build for */
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
        memcpy(&out->r, blob->at, 8);
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

        ps_buf_room(out, 5 + 1 + 4 * 10);
        at = (unsigned char *)out->at + out->len;
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
    kinds = (unsigned char)*blob->at;
    *blob = ps_str_skip(*blob, 1);
    return get_num(blob, kinds & 3, &out->ncalls) &&
           get_num(blob, kinds >> 2 & 3, &out->primitive_calls) &&
           get_num(blob, kinds >> 4 & 3, &out->tottime_s) &&
           get_num(blob, kinds >> 6, &out->cumtime_s);
}

void ps_ids_pack(struct ps_buf *out, const uint32_t *ids, uint32_t n)
{
    for (uint32_t i = 0, last = 0; i < n; last = ids[i++]) {
        ps_buf_room(out, 5);
        out->len += put_varint((unsigned char *)out->at + out->len, ids[i] - last);
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
