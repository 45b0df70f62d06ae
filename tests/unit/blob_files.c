/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "server/replica/clock.h"
#include "tests/unit/blob_files.h"

static const struct ps_clock_table kept = {
    "kept", 5, 2, {"folder", "key", "hash", "bytes", "layout"}, {0, 1}};

/* --- Files --- */

/* Bytes that do not repeat, other ones for each seed. */
static void fill(char *at, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        at[i] = (char)(seed >> 56);
    }
}

struct file new_file(uint64_t bytes, uint64_t seed)
{
    struct file file = {-1, bytes, ""};
    char path[] = "/tmp/ps-blobs-XXXXXX", *all = malloc(bytes + 1);
    uint64_t found = 0;

    fill(all, bytes, seed);
    file.fd = mkstemp(path);
    (void)unlink(path);
    assert_int_equal(write(file.fd, all, bytes), (ssize_t)bytes);
    free(all);
    assert_int_equal(ps_content_hash_file(file.fd, path, file.hash, &found, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(found, bytes);
    return file;
}

enum ps_status send_file(struct ps_pg *pg, const char *session, const char *place,
                         const struct file *file, struct ps_err *err)
{
    return ps_blob_send(pg, session, place, file->fd, file->hash, file->bytes, err);
}

enum ps_status add_bytes(void *user, struct ps_str bytes, struct ps_err *err)
{
    (void)err;
    ps_content_hash_add(user, bytes);
    return PS_OK;
}

void expect_bytes(struct ps_pg *pg, const struct file *file)
{
    struct ps_err err = PS_ERR_INIT;
    char hash[PS_CONTENT_HASH_SIZE];
    struct ps_content_hash content;

    ps_content_hash_begin(&content);
    (void)ps_blob_fetch(pg, file->hash, add_bytes, &content, &err);
    ps_content_hash_end(&content, hash);
    assert_string_equal(err.text, "");
    assert_int_equal(content.bytes, file->bytes);
    assert_string_equal(hash, file->hash);
}

/* --- Rows --- */

static enum ps_status take_int(void *user, const struct ps_pg_value *values, size_t n,
                               struct ps_err *err)
{
    (void)n;
    (void)err;
    *(int64_t *)user = values[0].i;
    return PS_OK;
}

int64_t ask(struct ps_pg *pg, const char *sql)
{
    struct ps_err err = PS_ERR_INIT;
    int64_t out = -1;

    (void)ps_pg_run(pg, sql, NULL, 0, take_int, &out, &err);
    assert_string_equal(err.text, "");
    return out;
}

void expect_no_blobs(struct ps_pg *pg)
{
    assert_int_equal(BLOBS(pg), 0);
    assert_int_equal(CHUNKS(pg), 0);
    assert_int_equal(LOOSE(pg), 0);
}

/* A row of kept that refers to the file, or no more. */
enum ps_status refer(struct ps_pg *pg, const char *key, const struct file *file, bool on)
{
    const struct ps_pg_value row[] = {ps_pg_text("runs"), ps_pg_text(key), ps_pg_text(file->hash),
                                      ps_pg_int((int64_t)file->bytes), ps_pg_int(0)};
    struct ps_clock clock;
    enum ps_status status = ps_clock_begin(pg, 5000, &clock, PS_ERR_IGNORED);

    if (status == PS_OK)
        status = on ? ps_blob_add_reference(pg, file->hash, PS_ERR_IGNORED)
                    : ps_blob_remove_reference(pg, file->hash, PS_ERR_IGNORED);
    if (status == PS_OK)
        status = on ? ps_clock_put(pg, &kept, clock.transaction, row, PS_ERR_IGNORED)
                    : ps_clock_remove(pg, &kept, clock.transaction, row, PS_ERR_IGNORED);
    if (status == PS_OK)
        return ps_pg_commit(pg, PS_ERR_IGNORED);
    ps_pg_rollback(pg);
    return status;
}

bool all_are_needed(void *user, const char *session, const char *hash)
{
    (void)user;
    (void)hash;
    assert_string_not_equal(session, "");
    return true;
}

bool none_are_needed(void *user, const char *session, const char *hash)
{
    (void)user;
    (void)session;
    (void)hash;
    return false;
}

size_t sweep(struct ps_pg *pg, ps_blob_is_needed *lives)
{
    struct ps_err err = PS_ERR_INIT;
    size_t n = 0;
    bool more;

    (void)ps_blob_sweep(pg, lives, NULL, 60000, &more, &n, &err);
    assert_string_equal(err.text, "");
    return n;
}
