/* SPDX-License-Identifier: MIT */
/* content_test.c: the hash of bytes, as others compute it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/content.h"

static char *bytes_of(size_t len)
{
    char *out = malloc(len + 1);
    uint32_t seed = 7;

    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525 + 1013904223;
        out[i] = (char)(seed >> 24);
    }
    return out;
}

/* Python: hashlib.blake2b(b"abc", digest_size=32).hexdigest(), and of nothing. */
static void it_is_what_others_say(void **state)
{
    char hash[PS_CONTENT_HASH_SIZE];
    struct ps_content_hash content;

    (void)state;
    ps_content_hash_begin(&content);
    ps_content_hash_add(&content, PS_STR("abc"));
    assert_int_equal(content.bytes, 3);
    ps_content_hash_end(&content, hash);
    assert_string_equal(hash, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    ps_content_hash_begin(&content);
    ps_content_hash_end(&content, hash);
    assert_string_equal(hash, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

static void hash_at_once(const char *at, size_t len, char out[PS_CONTENT_HASH_SIZE])
{
    struct ps_content_hash content;

    ps_content_hash_begin(&content);
    ps_content_hash_add(&content, (struct ps_str){at, len});
    ps_content_hash_end(&content, out);
}

static void of_files_too(void **state)
{
    const size_t len = ((size_t)5 << 20) + 77;
    char *bytes = bytes_of(len), plain[PS_CONTENT_HASH_SIZE], hash[PS_CONTENT_HASH_SIZE];
    char path[] = "/tmp/ps-content-XXXXXX";
    int fd = mkstemp(path);
    struct ps_err err = PS_ERR_INIT;
    uint64_t found = 0;

    (void)state;
    (void)unlink(path);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    hash_at_once(bytes, len, plain);
    assert_int_equal(ps_content_hash_file(fd, path, hash, &found, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(found, len);
    assert_string_equal(hash, plain);
    (void)close(fd);
    assert_int_equal(ps_content_hash_file(fd, path, hash, &found, &err), PS_IO);
    assert_non_null(strstr(err.text, path));
    free(bytes);
}

static void what_is_no_hash(void **state)
{
    char hash[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855.";

    (void)state;
    assert_false(ps_content_is_hash(hash));
    hash[64] = '\0';
    assert_true(ps_content_is_hash(hash));
    hash[63] = '/';
    assert_false(ps_content_is_hash(hash));
    assert_false(ps_content_is_hash(""));
    assert_false(ps_content_is_hash("../catalog.db"));
}

int content_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_others_say),
        cmocka_unit_test(of_files_too),
        cmocka_unit_test(what_is_no_hash),
    };

    return cmocka_run_group_tests_name("content", tests, NULL, NULL);
}
