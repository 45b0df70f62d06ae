/* SPDX-License-Identifier: MIT */
/* share_test.c: copies of runs for people outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/jobs/import.h"
#include "server/query/query.h"
#include "server/share/redact.h"

static char dir[64];

static int make_shelf(void **state)
{
    struct ps_store *store = NULL;

    (void)snprintf(dir, sizeof dir, "/tmp/ps-share-XXXXXX");
    assert_non_null(mkdtemp(dir));
    assert_int_equal(ps_store_open(dir, &store, NULL), PS_OK);
    *state = store;
    return 0;
}

static int remove_shelf(void **state)
{
    char command[128];

    ps_store_close(*state);
    (void)snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command);
}

static void add(struct ps_store *store, const char *file, char id[PS_ID_SIZE])
{
    char path[512];
    const struct ps_tag tags[] = {{"host", "build7"}};
    struct ps_import_request request = {.filename = file, .tags = tags, .n_tags = 1, .who = "mei"};
    struct ps_import_result result;
    struct ps_err err = PS_ERR_INIT;

    (void)snprintf(path, sizeof path, "%s/../demo/profiles/%s", PS_TESTS_DIR, file);
    request.fd = open(path, O_RDONLY);
    assert_true(request.fd >= 0);
    (void)ps_import_file(store, &request, &result, &err);
    assert_string_equal(err.text, "");
    memcpy(id, result.id, PS_ID_SIZE);
    ps_import_result_free(&result);
    (void)close(request.fd);
}

static char *run_of(struct ps_store *store, const char *id)
{
    struct ps_buf out = {0};
    struct ps_json json = ps_json_to(&out);
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_query_run(store, id, &json, &err), PS_OK);
    return out.at;
}

static char *view_of(struct ps_store *store, const char *id, const char *view)
{
    struct ps_answer answer = {.type = NULL};
    struct ps_err err = PS_ERR_INIT;

    (void)ps_query_view(store, id, view, (struct ps_params){NULL, 0}, &answer, &err);
    assert_string_equal(err.text, "");
    return answer.body.at;
}

/* A copy answers as the run does, also when that is gone; what was copied goes with it. */
static void test_plain_copy(void **state)
{
    struct ps_store *store = *state;
    char ids[1][PS_ID_SIZE], command[128];
    struct ps_share_copy copy;
    char *run, *same, *functions, *same_functions;

    add(store, "bookshop-slow.prof", ids[0]);
    run = run_of(store, ids[0]);
    functions = view_of(store, ids[0], "functions");
    assert_int_equal(ps_share_copy(store, (const char(*)[PS_ID_SIZE])ids, 1, 0, &copy, NULL),
                     PS_OK);
    assert_int_equal(ps_store_remove(store, ids[0], "", NULL), PS_OK);
    same = run_of(copy.store, ids[0]);
    same_functions = view_of(copy.store, ids[0], "functions");
    assert_string_equal(run, same);
    assert_string_equal(functions, same_functions);
    free(run);
    free(same);
    free(functions);
    free(same_functions);
    ps_share_copy_free(&copy);
    (void)snprintf(command, sizeof command, "[ -z \"$(ls -A %s/spool)\" ]", dir);
    assert_int_equal(system(command), 0);
}

static void test_no_such_run(void **state)
{
    static const char ids[1][PS_ID_SIZE] = {"0123456789abcdef"};
    struct ps_share_copy copy;
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_share_copy(*state, ids, 1, 0, &copy, &err), PS_NOT_FOUND);
    assert_string_equal(err.text, "run 0123456789abcdef is not on this shelf");
}

/* What a process that died had copied is removed when the shelf is opened next. */
static void test_leftover(void **state)
{
    char ids[1][PS_ID_SIZE], command[128];
    struct ps_store *store = NULL;
    pid_t pid;

    add(*state, "bookshop-slow.prof", ids[0]);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct ps_share_copy copy;

        _exit(ps_store_open(dir, &store, NULL) != PS_OK ||
              ps_share_copy(store, (const char(*)[PS_ID_SIZE])ids, 1, 0, &copy, NULL) != PS_OK);
    }
    int ended;

    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_int_equal(ended, 0);
    (void)snprintf(command, sizeof command, "ls %s/spool | grep -q shelf", dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(ps_store_open(dir, &store, NULL), PS_OK);
    ps_store_close(store);
    assert_int_not_equal(system(command), 0);
}

static void test_words(void **state)
{
    struct ps_err err = PS_ERR_INIT;
    unsigned bits = 99;

    (void)state;
    assert_int_equal(ps_reveal_parse("", &bits, NULL), PS_OK);
    assert_int_equal(bits, 0);
    assert_int_equal(ps_reveal_parse("hosts,paths", &bits, NULL), PS_OK);
    assert_int_equal(bits, PS_REVEAL_HOSTS | PS_REVEAL_PATHS);
    assert_int_equal(ps_reveal_parse("all", &bits, NULL), PS_OK);
    assert_int_equal(bits, PS_REVEAL_ALL);
    assert_int_equal(ps_reveal_parse("paths,path", &bits, &err), PS_BAD_REQUEST);
    assert_string_equal(err.text, "redact: path is nothing that can be redacted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_plain_copy, make_shelf, remove_shelf),
        cmocka_unit_test_setup_teardown(test_no_such_run, make_shelf, remove_shelf),
        cmocka_unit_test_setup_teardown(test_leftover, make_shelf, remove_shelf),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
