/* SPDX-License-Identifier: MIT */
/* cache_test.c: files that come, are used, and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/replica/file_cache.h"

#define KIB ((uint64_t)1 << 10)

/* --- Origin of files --- */

/* Files of one letter each, repeated. */
struct origin {
    char letter;
    uint64_t bytes;
    atomic_int asked;
    useconds_t slow;
    enum ps_status fails; /* after half of it */
    bool wrong;           /* other bytes than were asked for */
};

static enum ps_status fetch(void *user, const char *hash, ps_blob_receive *take, void *to,
                            struct ps_err *err)
{
    struct origin *origin = user;
    PS_AUTO(ps_free_ptr) char *all = malloc(origin->bytes + 1);
    const size_t half = origin->bytes / 2;
    enum ps_status status;

    assert_true(ps_content_is_hash(hash));
    origin->asked++;
    memset(all, origin->wrong ? '?' : origin->letter, origin->bytes);
    status = take(to, (struct ps_str){all, half}, err);
    (void)usleep(origin->slow);
    if (status == PS_OK && origin->fails)
        status = ps_fail(err, origin->fails, "cut off");
    return status == PS_OK ? take(to, (struct ps_str){all + half, origin->bytes - half}, err)
                           : status;
}

static void hash_of(char letter, uint64_t bytes, char out[PS_CONTENT_HASH_SIZE])
{
    PS_AUTO(ps_free_ptr) char *all = malloc(bytes + 1);
    struct ps_content_hash content;

    memset(all, letter, bytes);
    ps_content_hash_begin(&content);
    ps_content_hash_add(&content, (struct ps_str){all, bytes});
    ps_content_hash_end(&content, out);
}

/* --- Cache folder --- */

static char *path_in(const char *dir, const char *name)
{
    struct ps_buf path = {0};

    ps_buf_printf(&path, "%s/%s", dir, name);
    return path.ptr;
}

static int make(void **state)
{
    char dir[] = "/tmp/ps-cache-XXXXXX";

    *state = path_in(mkdtemp(dir), "cache");
    return 0;
}

static int drop(void **state)
{
    char command[200];

    *strrchr(*state, '/') = '\0';
    (void)snprintf(command, sizeof command, "rm -r '%s'", (char *)*state);
    free(*state);
    return system(command);
}

static struct ps_file_cache *open_cache(const char *dir, uint64_t most)
{
    struct ps_file_cache *cache = NULL;

    assert_int_equal(ps_file_cache_open(dir, "s", most, &cache, PS_ERR_IGNORED), PS_OK);
    return cache;
}

static int count_files(const char *dir)
{
    DIR *at = opendir(dir);
    int n = 0;

    for (struct dirent *entry; (entry = readdir(at));)
        n += entry->d_name[0] != '.';
    (void)closedir(at);
    return n;
}

static enum ps_status get(struct ps_file_cache *cache, struct origin *origin, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    char hash[PS_CONTENT_HASH_SIZE];
    struct stat about;
    enum ps_status status;

    hash_of(origin->letter, origin->bytes, hash);
    status = ps_file_cache_get(cache, hash, origin->bytes, fetch, origin, &path, err);
    if (status != PS_OK) {
        assert_null(path);
        return status;
    }
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, origin->bytes);
    return PS_OK;
}

static bool is_here(const char *dir, char letter, uint64_t bytes)
{
    char hash[PS_CONTENT_HASH_SIZE];
    PS_AUTO(ps_free_ptr) char *path = NULL;

    hash_of(letter, bytes, hash);
    path = path_in(dir, hash);
    return access(path, F_OK) == 0;
}

/* As if it was used so many seconds ago. */
static void age(const char *dir, char letter, uint64_t bytes, int seconds)
{
    char hash[PS_CONTENT_HASH_SIZE];
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct timespec times[2];

    hash_of(letter, bytes, hash);
    path = path_in(dir, hash);
    clock_gettime(CLOCK_REALTIME, &times[1]);
    times[1].tv_sec -= seconds;
    times[0] = times[1];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static struct ps_file_cache_stats look(const struct ps_file_cache *cache)
{
    struct ps_file_cache_stats stats;

    ps_file_cache_read_stats(cache, &stats);
    return stats;
}

/* --- Fetching --- */

static void it_is_fetched_once(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 700 * KIB}, none = {.letter = 'n', .bytes = 0};
    struct ps_file_cache *cache = open_cache(*state, 8192 * KIB);

    for (int i = 0; i < 3; i++) {
        assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
        assert_int_equal(get(cache, &none, PS_ERR_IGNORED), PS_OK);
    }
    assert_int_equal(a.asked, 1);
    assert_int_equal(none.asked, 1);
    assert_int_equal(look(cache).misses, 2);
    assert_int_equal(look(cache).hits, 4);
    assert_int_equal(look(cache).fetched, 700 * KIB);
    assert_int_equal(look(cache).bytes, 700 * KIB);
    ps_file_cache_close(cache);
    cache = open_cache(*state, 8192 * KIB);
    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(a.asked, 1);
    assert_int_equal(look(cache).bytes, 700 * KIB);
    ps_file_cache_close(cache);
}

struct reader {
    struct ps_file_cache *cache;
    struct origin *origin;
    enum ps_status status;
};

static void *read_it(void *user)
{
    struct reader *reader = user;

    reader->status = get(reader->cache, reader->origin, PS_ERR_IGNORED);
    return NULL;
}

static void eight_at_once(struct ps_file_cache *cache, struct origin *origin,
                          enum ps_status expected)
{
    struct reader readers[8];
    pthread_t threads[8];

    for (size_t i = 0; i < 8; i++) {
        readers[i] = (struct reader){cache, origin, PS_INTERNAL};
        assert_int_equal(pthread_create(&threads[i], NULL, read_it, &readers[i]), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].status, expected);
    }
}

static void of_eight_that_want_it_one_fetches(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 300 * KIB, .slow = 200000};
    struct ps_file_cache *cache = open_cache(*state, 8192 * KIB);

    eight_at_once(cache, &a, PS_OK);
    assert_int_equal(a.asked, 1);
    assert_int_equal(look(cache).hits, 7);
    ps_file_cache_close(cache);
}

static void what_fails_leaves_nothing(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 300 * KIB, .fails = PS_UNAVAILABLE};
    struct ps_file_cache *cache = open_cache(*state, 8192 * KIB);
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(get(cache, &a, &err), PS_UNAVAILABLE);
    assert_string_equal(err.text, "cut off");
    assert_int_equal(count_files(*state), 0);
    a.slow = 200000;
    eight_at_once(cache, &a, PS_UNAVAILABLE); /* those that wait are told, and ask no more */
    assert_true(a.asked < 9);
    a.fails = PS_OK;
    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(count_files(*state), 1);
    ps_file_cache_close(cache);
}

static void other_bytes_are_seen_by_nobody(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 300 * KIB, .wrong = true};
    struct ps_file_cache *cache = open_cache(*state, 8192 * KIB);
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct ps_err err = PS_ERR_INIT;
    char hash[PS_CONTENT_HASH_SIZE];

    assert_int_equal(get(cache, &a, &err), PS_IO);
    assert_non_null(strstr(err.text, "damaged"));
    a.wrong = false;
    hash_of('a', 300 * KIB, hash);
    assert_int_equal(
        ps_file_cache_get(cache, hash, 300 * KIB - 1, fetch, &a, &path, PS_ERR_IGNORED), PS_IO);
    assert_int_equal(
        ps_file_cache_get(cache, hash, 300 * KIB + 1, fetch, &a, &path, PS_ERR_IGNORED), PS_IO);
    assert_int_equal(
        ps_file_cache_get(cache, "../../catalog.db", 1, fetch, &a, &path, PS_ERR_IGNORED),
        PS_INTERNAL);
    assert_int_equal(count_files(*state), 0);
    assert_int_equal(look(cache).bytes, 0);
    ps_file_cache_close(cache);
}

static void a_file_is_adopted(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 64 * KIB}, b = {.letter = 'b', .bytes = 64 * KIB};
    struct ps_file_cache *cache = open_cache(*state, 8192 * KIB);
    PS_AUTO(ps_free_ptr) char *path = NULL, *made = path_in(*state, "../made");
    char hash[PS_CONTENT_HASH_SIZE];

    assert_int_equal(get(cache, &b, PS_ERR_IGNORED), PS_OK);
    hash_of('b', 64 * KIB, hash);
    assert_int_equal(ps_file_cache_get(cache, hash, 64 * KIB, fetch, &b, &path, PS_ERR_IGNORED),
                     PS_OK);
    assert_int_equal(link(path, made), 0);
    hash_of('a', 64 * KIB, hash); /* which the caller is believed */
    assert_int_equal(ps_file_cache_adopt(cache, hash, made, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(access(made, F_OK), -1);
    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(a.asked, 0);
    assert_int_equal(look(cache).bytes, 128 * KIB);
    assert_int_equal(ps_file_cache_adopt(cache, hash, made, PS_ERR_IGNORED), PS_IO);
    ps_file_cache_close(cache);
}

/* --- Eviction --- */

static void the_one_used_longest_ago_goes(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 300 * KIB}, b = {.letter = 'b', .bytes = 300 * KIB};
    struct origin c = {.letter = 'c', .bytes = 300 * KIB}, d = {.letter = 'd', .bytes = 300 * KIB};
    struct ps_file_cache *cache = open_cache(*state, 1000 * KIB);

    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(get(cache, &b, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(get(cache, &c, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(count_files(*state), 3);
    age(*state, 'a', 300 * KIB, 900);
    age(*state, 'b', 300 * KIB, 600);
    age(*state, 'c', 300 * KIB, 300);
    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK); /* used now */
    assert_int_equal(get(cache, &d, PS_ERR_IGNORED), PS_OK);
    assert_false(is_here(*state, 'b', 300 * KIB));
    assert_true(is_here(*state, 'a', 300 * KIB));
    assert_true(is_here(*state, 'c', 300 * KIB));
    assert_int_equal(look(cache).bytes, 900 * KIB);
    assert_int_equal(look(cache).evicted, 300 * KIB);
    assert_int_equal(get(cache, &b, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(b.asked, 2);
    assert_false(is_here(*state, 'c', 300 * KIB));
    ps_file_cache_close(cache);
}

static void what_somebody_has_open_is_in_use(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 400 * KIB}, b = {.letter = 'b', .bytes = 400 * KIB};
    struct origin c = {.letter = 'c', .bytes = 400 * KIB};
    struct ps_file_cache *cache = open_cache(*state, 1000 * KIB);
    char hash[PS_CONTENT_HASH_SIZE];

    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(get(cache, &b, PS_ERR_IGNORED), PS_OK);
    age(*state, 'a', 400 * KIB, 900);
    age(*state, 'b', 400 * KIB, 600);
    hash_of('a', 400 * KIB, hash);
    ps_file_cache_use(cache, hash, 400 * KIB);
    assert_int_equal(get(cache, &c, PS_ERR_IGNORED), PS_OK);
    assert_true(is_here(*state, 'a', 400 * KIB));
    assert_false(is_here(*state, 'b', 400 * KIB));
    ps_file_cache_close(cache);
}

static void down_to_nine_tenths(void **state)
{
    struct ps_file_cache *cache = open_cache(*state, 1000 * KIB);

    for (char letter = 'a'; letter <= 'u'; letter++) {
        struct origin origin = {.letter = letter, .bytes = 50 * KIB};

        assert_int_equal(get(cache, &origin, PS_ERR_IGNORED), PS_OK);
    }
    assert_int_equal(count_files(*state), 18);
    assert_int_equal(look(cache).bytes, 900 * KIB);
    ps_file_cache_close(cache);
}

static void one_that_is_too_large_is_served(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 300 * KIB},
                  big = {.letter = 'b', .bytes = 3000 * KIB};
    struct ps_file_cache *cache = open_cache(*state, 1000 * KIB);

    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(get(cache, &big, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(get(cache, &big, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(big.asked, 1);
    assert_int_equal(count_files(*state), 1);
    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_false(is_here(*state, 'b', 3000 * KIB));
    assert_int_equal(look(cache).bytes, 300 * KIB);
    ps_file_cache_close(cache);
}

/* What another process put there counts as well. A smaller bound counts when something comes. */
static void several_processes_share_the_room(void **state)
{
    struct ps_file_cache *one = open_cache(*state, 1000 * KIB),
                         *other = open_cache(*state, 1000 * KIB);
    struct origin a = {.letter = 'a', .bytes = 400 * KIB}, b = {.letter = 'b', .bytes = 400 * KIB};
    struct origin c = {.letter = 'c', .bytes = 400 * KIB};

    assert_int_equal(get(one, &a, PS_ERR_IGNORED), PS_OK);
    age(*state, 'a', 400 * KIB, 100);
    assert_int_equal(get(other, &b, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(get(one, &b, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(b.asked, 1);
    assert_int_equal(get(other, &c, PS_ERR_IGNORED), PS_OK);
    assert_false(is_here(*state, 'a', 400 * KIB));
    assert_int_equal(get(one, &a, PS_ERR_IGNORED), PS_OK); /* which looks for itself */
    assert_int_equal(a.asked, 2);
    assert_int_equal(look(one).bytes, 800 * KIB);
    ps_file_cache_close(one);
    ps_file_cache_close(other);
    one = open_cache(*state, 500 * KIB);
    assert_int_equal(look(one).bytes, 800 * KIB);
    assert_int_equal(get(one, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(count_files(*state), 2);
    assert_int_equal(get(one, &b, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(count_files(*state), 1);
    ps_file_cache_close(one);
}

/* --- Damaged files --- */

static void damage(const char *dir, char letter, uint64_t bytes, uint64_t keep)
{
    char hash[PS_CONTENT_HASH_SIZE];
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;

    hash_of(letter, bytes, hash);
    path = path_in(dir, hash);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, (off_t)keep), 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0); /* zeros, as after a loss of power */
}

static void one_of_another_size_is_fetched_again(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 300 * KIB};
    struct ps_file_cache *cache = open_cache(*state, 1000 * KIB);
    char hash[PS_CONTENT_HASH_SIZE];
    PS_AUTO(ps_free_ptr) char *path = NULL;

    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    hash_of('a', 300 * KIB, hash);
    path = path_in(*state, hash);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(a.asked, 2);
    ps_file_cache_close(cache);
}

/* Files of which nothing is known since the machine was started. */
static void what_is_doubted_is_hashed(void **state)
{
    struct origin a = {.letter = 'a', .bytes = 300 * KIB}, b = {.letter = 'b', .bytes = 300 * KIB};
    struct ps_file_cache *cache = open_cache(*state, 1000 * KIB);
    char hash[PS_CONTENT_HASH_SIZE];

    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(get(cache, &b, PS_ERR_IGNORED), PS_OK);
    damage(*state, 'a', 300 * KIB, 200 * KIB);
    hash_of('a', 300 * KIB, hash);
    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(a.asked, 1); /* it has the size it should have, and is not read each time */
    age(*state, 'a', 300 * KIB, 900);
    ps_file_cache_distrust(cache);
    (void)usleep(20000);                       /* the times of files go by ticks */
    ps_file_cache_use(cache, hash, 300 * KIB); /* which vouches for nothing */
    assert_int_equal(get(cache, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(get(cache, &b, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(a.asked, 2);
    assert_int_equal(b.asked, 1);
    damage(*state, 'b', 300 * KIB, 200 * KIB);
    assert_int_equal(get(cache, &b, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(b.asked, 1); /* hashed once */
    assert_int_equal(look(cache).bytes, 600 * KIB);
    ps_file_cache_close(cache);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int cache_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(it_is_fetched_once),
        WITH(of_eight_that_want_it_one_fetches),
        WITH(what_fails_leaves_nothing),
        WITH(other_bytes_are_seen_by_nobody),
        WITH(a_file_is_adopted),
        WITH(the_one_used_longest_ago_goes),
        WITH(what_somebody_has_open_is_in_use),
        WITH(down_to_nine_tenths),
        WITH(one_that_is_too_large_is_served),
        WITH(several_processes_share_the_room),
        WITH(one_of_another_size_is_fetched_again),
        WITH(what_is_doubted_is_hashed),
    };

    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
