/* SPDX-License-Identifier: MIT */
#include "tests/unit/demo_shelf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/jobs/import.h"

char demo_shelf[64];

int make_demo_shelf(void **state)
{
    struct ps_store *store = NULL;

    (void)snprintf(demo_shelf, sizeof demo_shelf, "/tmp/ps-demo-shelf-XXXXXX");
    assert_non_null(mkdtemp(demo_shelf));
    assert_int_equal(ps_store_open(demo_shelf, &store, PS_ERR_IGNORED), PS_OK);
    *state = store;
    return 0;
}

int remove_demo_shelf(void **state)
{
    char command[128];

    ps_store_close(*state);
    (void)snprintf(command, sizeof command, "rm -r %s", demo_shelf);
    return system(command);
}

void add_demo(struct ps_store *store, const char *file, char id[PS_ID_SIZE])
{
    char path[512];
    const struct ps_tag tags[] = {{"host", "build7"}};
    struct ps_import_request request = {
        .filename = file, .tags = tags, .n_tags = 1, .user_name = "mei"};
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
