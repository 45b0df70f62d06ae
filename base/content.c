/* SPDX-License-Identifier: MIT */
#include "base/content.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"

#define BLOCK_SIZE ((size_t)1 << 18) /* bytes read from a file at a time */
#define HASH_SIZE  ((PS_CONTENT_HASH_SIZE - 1) / 2)

void ps_content_hash_begin(struct ps_content_hash *content)
{
    const int found = sodium_init(); /* detects processor features; a failure costs only speed */

    (void)found;
    content->bytes = 0;
    (void)crypto_generichash_init(&content->state, NULL, 0, HASH_SIZE);
}

void ps_content_hash_add(struct ps_content_hash *content, struct ps_str bytes)
{
    content->bytes += bytes.len;
    (void)crypto_generichash_update(&content->state, (const unsigned char *)bytes.ptr, bytes.len);
}

void ps_content_hash_end(struct ps_content_hash *content, char out[PS_CONTENT_HASH_SIZE])
{
    unsigned char hash[HASH_SIZE];

    (void)crypto_generichash_final(&content->state, hash, sizeof hash);
    if (out)
        (void)sodium_bin2hex(out, PS_CONTENT_HASH_SIZE, hash, sizeof hash);
}

enum ps_status ps_content_hash_file(int fd, const char *path, char out[PS_CONTENT_HASH_SIZE],
                                    uint64_t *bytes, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *block = ps_grow(NULL, BLOCK_SIZE, 1);
    struct ps_content_hash content;
    ssize_t got;

    ps_content_hash_begin(&content);
    while ((got = pread(fd, block, BLOCK_SIZE, (off_t)content.bytes)) > 0)
        ps_content_hash_add(&content, (struct ps_str){block, (size_t)got});
    *bytes = content.bytes;
    ps_content_hash_end(&content, out);
    return got == 0 ? PS_OK : ps_fail_errno(err, "cannot read", path);
}

bool ps_content_is_hash(const char *text)
{
    return strspn(text, "0123456789abcdef") == PS_CONTENT_HASH_SIZE - 1 &&
           text[PS_CONTENT_HASH_SIZE - 1] == '\0';
}
