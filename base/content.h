/* SPDX-License-Identifier: MIT */
/*
 * content.h: the hash by which the bytes of a file are known: BLAKE2b of 32 bytes (RFC 7693), as
 * hexadecimal digits. It is as hard to find two files for as with SHA-256, and takes a quarter of
 * the time where the processor has no instructions for that one.
 */
#ifndef PS_BASE_CONTENT_H
#define PS_BASE_CONTENT_H

#include <sodium.h>

#include "base/err.h"
#include "base/str.h"

#define PS_CONTENT_SIZE 65 /* of the hash as text: 64 hexadecimal digits and NUL */

/* Bytes that come one after the other. `struct ps_content c;`, begin, add ..., end. */
struct ps_content {
    crypto_generichash_state all;
    uint64_t bytes; /* that were added */
};
void ps_content_begin(struct ps_content *content);
void ps_content_add(struct ps_content *content, struct ps_str bytes);
/* Its hash as text; out NULL: nobody wants it. */
void ps_content_end(struct ps_content *content, char out[PS_CONTENT_SIZE]);

/* Of a file, from its begin to its end, wherever it stands. `path`: for the error. */
enum ps_status ps_content_of(int fd, const char *path, char out[PS_CONTENT_SIZE], uint64_t *bytes,
                             struct ps_err *err);

/* Whether text is such a hash. */
bool ps_content_is(const char *text);

#endif
