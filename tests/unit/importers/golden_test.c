/* SPDX-License-Identifier: MIT */
/*
 * golden_test.c: every sample under tests/golden is imported and compared with the text beside it:
 * ok_* with .dump, bad_* with .error. Then again through a descriptor that has no name, in blocks
 * of one byte and of seven: name and cut must not matter. PS_GOLDENS=write rewrites the texts; the
 * diff is what a reviewer reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>

#include "tests/dump_sink.h"

static struct ps_buf slurp(const char *path)
{
    struct ps_buf bytes = {0};
    FILE *file = fopen(path, "rb");
    size_t got;

    if (!file)
        return bytes;
    do {
        ps_buf_reserve(&bytes, 65536);
        got = fread(bytes.ptr + bytes.len, 1, 65536, file);
        bytes.len += got;
    } while (got);
    (void)fclose(file);
    return bytes;
}

static void expect(const char *path, struct ps_str got)
{
    struct ps_buf want;
    FILE *file;

    if (getenv("PS_GOLDENS")) {
        file = fopen(path, "wb");
        assert_non_null(file);
        (void)fwrite(got.ptr, 1, got.len, file);
        (void)fclose(file);
    }
    want = slurp(path);
    if (!ps_str_eq(got, ps_buf_slice(&want)))
        (void)fprintf(stderr, "%s differs; now it is:\n%.*s\n", path, (int)got.len, got.ptr);
    assert_true(ps_str_eq(got, ps_buf_slice(&want)));
    ps_buf_free(&want);
}

/* Through a file that no folder knows: the way of the server, without a name. */
static void dump_unnamed(struct ps_str bytes, struct ps_buf *out)
{
    FILE *file = tmpfile();
    struct dump_sink dump;
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked = NULL;

    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    rewind(file);
    dump_sink_init(&dump, out);
    if (ps_import_stream(ps_stream_from_fd(fileno(file), bytes.len), &dump.sink, &picked, &err) !=
        PS_OK)
        out->len = 0;
    (void)fclose(file);
}

static void check_sample(const char *folder, const char *name)
{
    struct ps_buf path = {0}, once = {0}, again = {0}, bytes;
    bool good = strncmp(name, "ok_", 3) == 0;
    enum ps_status status;

    ps_buf_printf(&path, "%s/%s", folder, name);
    bytes = slurp(path.ptr);
    ps_buf_puts(&path, good ? ".dump" : ".error");
    status = dump_bytes(ps_buf_slice(&bytes), 0, &once);
    assert_int_equal(status == PS_OK, good);
    expect(path.ptr, ps_buf_slice(&once));
    for (size_t block = 1; block <= 7; block += 6) {
        again.len = 0;
        dump_bytes(ps_buf_slice(&bytes), block, &again);
        expect(path.ptr, ps_buf_slice(&again));
    }
    again.len = 0;
    dump_unnamed(ps_buf_slice(&bytes), &again);
    assert_true(!good || (again.len > 0 && memcmp(again.ptr, once.ptr, again.len) == 0));
    ps_buf_free(&path);
    ps_buf_free(&once);
    ps_buf_free(&again);
    ps_buf_free(&bytes);
}

static void check_folder(const char *kind)
{
    struct ps_buf folder = {0};
    const struct dirent *entry;
    int samples = 0;
    DIR *dir;

    ps_buf_printf(&folder, "%s/golden/%s", PS_TESTS_DIR, kind);
    dir = opendir(folder.ptr);
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        const char *name = entry->d_name;

        if (name[0] == '.' || strstr(name, ".dump") || strstr(name, ".error"))
            continue;
        check_sample(folder.ptr, name);
        samples++;
    }
    (void)closedir(dir);
    assert_true(samples >= 1);
    ps_buf_free(&folder);
}

static void test_samples(void **state)
{
    const struct dirent *entry;
    int folders = 0;
    DIR *dir = opendir(PS_TESTS_DIR "/golden");

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        if (strchr(entry->d_name, '.'))
            continue;
        check_folder(entry->d_name);
        folders++;
    }
    (void)closedir(dir);
    assert_true(folders >= 19);
}

/* A printed table that was cut anywhere behind its header gives what came before. */
static void cut_anywhere(const char *path, size_t from)
{
    struct ps_buf text = slurp(path);

    assert_true(text.len > from);
    for (size_t cut = from; cut < text.len; cut++)
        assert_int_equal(dump_bytes((struct ps_str){text.ptr, cut}, cut % 5, NULL), PS_OK);
    ps_buf_free(&text);
}

/* Sums that were cut are refused with the place, or are there whole: the last line only ends. */
static void test_cut_samples(void **state)
{
    struct ps_buf text = slurp(PS_TESTS_DIR "/golden/sampling_jsonl/ok_v0.jsonl");
    const char *end = ps_str_find(ps_buf_slice(&text), PS_STR("]}\n{\"type\":\"end\""));

    (void)state;
    assert_non_null(end);
    for (size_t cut = 0; cut <= text.len; cut++) {
        bool whole = text.ptr + cut >= end + 2;

        assert_int_equal(dump_bytes((struct ps_str){text.ptr, cut}, cut % 5, NULL) == PS_OK, whole);
    }
    ps_buf_free(&text);
}

/* A dump that was cut anywhere is refused with the place; a log that was cut anywhere gives what
 * came before. */
static void test_every_cut(void **state)
{
    struct ps_buf log = slurp(PS_TESTS_DIR "/golden/importtime/ok_py37.log");
    struct ps_buf prof = slurp(PS_TESTS_DIR "/golden/pstats/ok_profile_py310.prof");
    struct ps_buf lprof = slurp(PS_TESTS_DIR "/golden/lprof/ok_v40.lprof");
    struct ps_buf scalene = slurp(PS_TESTS_DIR "/golden/scalene/ok_odd.json");
    struct ps_buf gecko = slurp(PS_TESTS_DIR "/golden/gecko/ok_shared.json");

    (void)state;
    assert_true(log.len > 1000 && prof.len > 1000);
    for (size_t cut = 0; cut < prof.len; cut++)
        assert_int_not_equal(dump_bytes((struct ps_str){prof.ptr, cut}, cut % 5, NULL), PS_OK);
    for (size_t cut = 0; cut < lprof.len; cut++)
        assert_int_not_equal(dump_bytes((struct ps_str){lprof.ptr, cut}, cut % 5, NULL), PS_OK);
    for (size_t cut = 0; cut < gecko.len - 1; cut++)
        assert_int_not_equal(dump_bytes((struct ps_str){gecko.ptr, cut}, cut % 5, NULL), PS_OK);
    ps_buf_free(&gecko);
    for (size_t cut = 0; cut < scalene.len; cut++)
        assert_int_not_equal(dump_bytes((struct ps_str){scalene.ptr, cut}, cut % 5, NULL), PS_OK);
    cut_anywhere(PS_TESTS_DIR "/golden/pstats_text/ok_several.txt", 220);
    cut_anywhere(PS_TESTS_DIR "/golden/key_averages/ok_several.txt", 300);
    cut_anywhere(PS_TESTS_DIR "/golden/lightning/ok_both.txt", 600);
    cut_anywhere(PS_TESTS_DIR "/golden/memory_timeline/ok_raw.json", 26);
    cut_anywhere(PS_TESTS_DIR "/golden/folded/ok_plain.txt", 22);
    cut_anywhere(PS_TESTS_DIR "/golden/speedscope/ok_sampled.json", 540);
    cut_anywhere(PS_TESTS_DIR "/golden/flamegraph_svg/ok_normal.svg", 320);
    for (size_t cut = 60; cut < log.len; cut++)
        assert_int_equal(dump_bytes((struct ps_str){log.ptr, cut}, cut % 5, NULL), PS_OK);
    ps_buf_free(&log);
    ps_buf_free(&prof);
    ps_buf_free(&lprof);
    ps_buf_free(&scalene);
}

static void test_cancel(void **state)
{
    struct ps_buf log = {0};
    struct dump_sink dump;
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked;

    (void)state;
    for (int i = 0; i < 20000; i++)
        ps_buf_printf(&log, "import time: %d | %d | m%d\n", i, i, i);
    dump_sink_init(&dump, NULL);
    dump.cancel_at = 2;
    assert_int_equal(
        ps_import_stream(ps_stream_from_memory(ps_buf_slice(&log), 0), &dump.sink, &picked, &err),
        PS_CANCELLED);
    assert_false(dump.has_ledger);
    ps_buf_free(&log);
}

int golden_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_cut_samples),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_cancel),
    };

    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
