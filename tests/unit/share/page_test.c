/* SPDX-License-Identifier: MIT */
/* page_test.c: copied runs as one HTML file: what is written around them, and in how many parts.
 * tests/browser/offline.mjs opens such files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/share/page.h"
#include "tests/unit/demo_shelf.h"

#define SHELL "<head><!--graphviz--><dot><!--/graphviz--><body><!--runs--><end>"

/* A file without a name, at its start. */
static int scratch(void)
{
    char path[80];
    int fd;

    (void)snprintf(path, sizeof path, "%s/scratch-XXXXXX", demo_shelf);
    fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)unlink(path);
    return fd;
}

static struct ps_buf page_of(struct ps_store *store, const char *id, unsigned redact)
{
    PS_AUTO(ps_buf_free) struct ps_buf start = {0};
    struct ps_buf text = {0};
    char ids[1][PS_ID_SIZE], block[4096];
    struct ps_share_copy copy;
    struct ps_err err = PS_ERR_INIT;
    int fd = scratch();

    memcpy(ids[0], id, PS_ID_SIZE);
    assert_int_equal(
        ps_share_copy_runs(store, (const char(*)[PS_ID_SIZE])ids, 1, redact, &copy, &err), PS_OK);
    ps_share_run_address(id, &start);
    (void)ps_share_write_page(&copy, start.ptr, PS_STR(SHELL), fd, &err);
    assert_string_equal(err.text, "");
    ps_share_copy_free(&copy);
    (void)lseek(fd, 0, SEEK_SET);
    for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
        ps_buf_add(&text, block, (size_t)n);
    (void)close(fd);
    return text;
}

static unsigned count(const char *text, const char *word)
{
    unsigned n = 0;

    while ((text = strstr(text, word)))
        n++, text++;
    return n;
}

static void test_around_runs(void **state)
{
    char id[PS_ID_SIZE], word[80];
    struct ps_buf page;

    add_demo(*state, "stdlib.log", id);
    page = page_of(*state, id, PS_REVEAL_HOSTS | PS_REVEAL_LABELS);
    assert_memory_equal(page.ptr, "<head><body><script", 19); /* an import log has no call graph */
    assert_string_equal(page.ptr + page.len - 15, "</script>\n<end>");
    (void)snprintf(word, sizeof word, "\"start\":\"#/run/%s\"", id);
    assert_int_equal(count(page.ptr, word), 1);
    assert_int_equal(count(page.ptr, "\"redacted\":[\"hosts\",\"labels\"]"), 1);
    (void)snprintf(word, sizeof word, "data-file=\"/runs/%s.db\"", id);
    assert_int_equal(count(page.ptr, word), 1);
    assert_int_equal(count(page.ptr, "data-file=\"/catalog.db\""), 1);
    ps_buf_free(&page);
    add_demo(*state, "bookshop-slow.prof", id);
    page = page_of(*state, id, 0);
    assert_memory_equal(page.ptr, "<head><dot><body>", 17);
    assert_int_equal(count(page.ptr, "\"redacted\":[]"), 1);
    ps_buf_free(&page);
}

/* 7 MiB that do not shrink are three parts of up to 3 MiB. */
static void test_parts(void **state)
{
    enum { SIZE = 7 << 20 };
    char id[PS_ID_SIZE];
    unsigned char *bytes = ps_alloc(SIZE);
    uint32_t dice = 1;
    struct ps_source source;
    struct ps_buf page;
    int fd = scratch();

    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)((dice = dice * 1664525 + 1013904223) >> 24);
    assert_int_equal(write(fd, bytes, SIZE), SIZE);
    free(bytes);
    add_demo(*state, "events.lprof", id);
    assert_int_equal(
        ps_store_source_attach(*state, id, "noise.py", fd, false, &source, PS_ERR_IGNORED), PS_OK);
    (void)close(fd);
    page = page_of(*state, id, 0);
    assert_int_equal(count(page.ptr, "data-file=\"/sources/"), 3);
    assert_int_equal(count(page.ptr, "data-bytes=\"7340032\""), 3);
    assert_int_equal(count(page.ptr, "<script"), count(page.ptr, "</script>"));
    ps_buf_free(&page);
}

static void test_addresses(void **state)
{
    PS_AUTO(ps_buf_free) struct ps_buf both = {0};
    PS_AUTO(ps_buf_free) struct ps_buf group = {0};

    (void)state;
    ps_share_compare_address("aa,bb", "cc", &both);
    ps_share_compare_address("", "cc,dd", &group);
    assert_string_equal(both.ptr, "#/compare?base=aa,bb&new=cc");
    assert_string_equal(group.ptr, "#/compare?new=cc,dd");
}

static void test_built_without(void **state)
{
    char ids[1][PS_ID_SIZE];
    struct ps_share_copy copy;
    struct ps_err err = PS_ERR_INIT;
    int fd = scratch();

    add_demo(*state, "stdlib.log", ids[0]);
    assert_int_equal(
        ps_share_copy_runs(*state, (const char(*)[PS_ID_SIZE])ids, 1, 0, &copy, PS_ERR_IGNORED),
        PS_OK);
    assert_int_equal(ps_share_write_page(&copy, "#/", PS_STR(""), fd, &err), PS_CONFLICT);
    assert_string_equal(err.text, "this perfshelf was built without the engine of offline pages");
    assert_int_equal(lseek(fd, 0, SEEK_END), 0);
    ps_share_copy_free(&copy);
    (void)close(fd);
}

int page_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_around_runs, make_demo_shelf, remove_demo_shelf),
        cmocka_unit_test_setup_teardown(test_parts, make_demo_shelf, remove_demo_shelf),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test_setup_teardown(test_built_without, make_demo_shelf, remove_demo_shelf),
    };

    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
