/* SPDX-License-Identifier: MIT */
/*
 * headers.c: writes the keys outside of the events as metadata of the run ("header.<key>"), with
 * secrets masked.
 *
 * Traces are shared, and their headers may contain the environment of a job: tokens have been found
 * in published traces. Strings under a key that names a secret and strings in the form of a known
 * kind of token are masked; all else is unchanged.
 */
#include "importers/trace/import.h"

#include <inttypes.h>

#include "base/json_span.h"
#include "base/secret.h"
#include "importers/text/clean.h"

#define HEADER_MOST  65536u
#define HEADERS_MOST 256u
#define MASK         "\"(masked)\""

static bool is_key(struct ps_str behind)
{
    size_t n = 0;

    while (n < behind.len && (behind.at[n] == ' ' || behind.at[n] == '\n' || behind.at[n] == '\t'))
        n++;
    return n < behind.len && behind.at[n] == ':';
}

static struct ps_str inside(struct ps_str string)
{
    return string.len >= 2 ? (struct ps_str){string.at + 1, string.len - 2}
                           : (struct ps_str){NULL, 0};
}

/* Copies JSON with secrets masked and returns how many were. Strings under a key that names a
 * secret are masked, also those in a list. */
static uint64_t mask_secrets(struct ps_str key, struct ps_str json, struct ps_buf *out)
{
    bool secret = ps_names_secret(key);
    uint64_t masked = 0;

    while (json.len) {
        size_t len = json.at[0] == '"' ? ps_json_text_span(json) : 1;
        struct ps_str piece = {json.at, len};

        json = ps_str_skip(json, len);
        if (piece.at[0] == '"' && is_key(json)) {
            secret = ps_names_secret(inside(piece));
        } else if (piece.at[0] == '"' && piece.len > 2 && (secret || ps_is_token(inside(piece)))) {
            piece = PS_STR(MASK);
            masked++;
        }
        ps_buf_str(out, piece);
    }
    return masked;
}

static void give(struct tr_trace *trace, const struct tr_header *header, uint64_t *masked)
{
    struct ps_buf json = {0}, clean = {0}, name = {0};

    *masked += mask_secrets(header->key, header->json, &json);
    ps_clean_text(&clean, ps_text_head(ps_buf_slice(&json), HEADER_MOST));
    ps_buf_puts(&name, "header.");
    ps_clean_text(&name, ps_text_head(header->key, 256));
    trace->out->ops->meta(trace->out, name.at, ps_buf_slice(&clean));
    ps_buf_free(&json);
    ps_buf_free(&clean);
    ps_buf_free(&name);
}

void tr_headers_give(struct tr_trace *trace)
{
    uint64_t masked = 0;

    for (size_t i = 0; i < trace->n_headers && i < HEADERS_MOST; i++)
        give(trace, &trace->headers[i], &masked);
    if (masked)
        tr_note(trace, PS_NOTE_INFO, PS_NOTE_NO_AT,
                "header values that look like secrets, masked: %" PRIu64, masked);
    if (trace->n_headers > HEADERS_MOST)
        tr_note(trace, PS_NOTE_WARNING, PS_NOTE_NO_AT,
                "the header has more than %u entries; the rest is dropped", HEADERS_MOST);
}
