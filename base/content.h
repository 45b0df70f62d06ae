/* SPDX-License-Identifier: MIT */
/*
 * content.h: the content hash of files: BLAKE2b with 32 bytes (RFC 7693), as hexadecimal digits.
 * BLAKE2b is as collision-resistant as SHA-256, and four times as fast on processors without SHA
 * instructions.
 */
#ifndef PS_BASE_CONTENT_H
#define PS_BASE_CONTENT_H

#include <sodium.h>

#include "base/err.h"
#include "base/str.h"

#define PS_CONTENT_HASH_SIZE 65 /* 64 hexadecimal digits and NUL */

/* Incremental hashing: `struct ps_content_hash c;`, begin, add any number of times, end. */
struct ps_content_hash {
    crypto_generichash_state state;
    uint64_t bytes; /* number of bytes added so far */
};
void ps_content_hash_begin(struct ps_content_hash *content);
void ps_content_hash_add(struct ps_content_hash *content, struct ps_str bytes);
/* Writes the hash as a string; out may be NULL. */
void ps_content_hash_end(struct ps_content_hash *content, char out[PS_CONTENT_HASH_SIZE]);

/* Hashes a complete file, independently of its file offset. Sets *bytes to the file size. `path` is
 * for the error message only. */
enum ps_status ps_content_hash_file(int fd, const char *path, char out[PS_CONTENT_HASH_SIZE],
                                    uint64_t *bytes, struct ps_err *err);

/* Whether the string is a content hash: 64 lower-case hexadecimal digits. */
bool ps_content_is_hash(const char *text);

#endif
