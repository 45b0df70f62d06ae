/* SPDX-License-Identifier: MIT */
#include "tests/unit/postgres.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *to, *from;

static void read_line(char *out, int size)
{
    if (!fgets(out, size, from)) {
        (void)fprintf(stderr, "tests/postgres.py has ended\n");
        abort();
    }
    out[strcspn(out, "\n")] = '\0';
}

bool postgres_start(void)
{
    int down[2], up[2];
    char line[32];

    if (pipe(down) != 0 || pipe(up) != 0)
        abort();
    if (fork() == 0) {
        (void)dup2(down[0], 0);
        (void)dup2(up[1], 1);
        for (int fd = 3; fd < 20; fd++)
            (void)close(fd);
        (void)execlp("python3", "python3", PS_TESTS_DIR "/postgres.py", (char *)NULL);
        _exit(127);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    to = fdopen(down[1], "w");
    from = fdopen(up[0], "r");
    read_line(line, sizeof line);
    if (strcmp(line, "ready") != 0)
        (void)printf("SKIPPED: there is no PostgreSQL on this machine (package postgresql)\n");
    return strcmp(line, "ready") == 0;
}

static void tell(const char *word, char *answer, int size)
{
    (void)fprintf(to, "%s\n", word);
    (void)fflush(to);
    read_line(answer, size);
}

char *postgres_database(void)
{
    char url[300];

    tell("database", url, sizeof url);
    return strdup(url);
}

void postgres_tell(const char *word)
{
    char answer[32];

    tell(word, answer, sizeof answer);
}

int make_store(void **state)
{
    char *url = postgres_database();
    struct ps_pg *pg = ps_pg_new(url);
    struct ps_err err = PS_ERR_INIT;

    (void)ps_pg_migrate(pg, &err);
    assert_string_equal(err.text, "");
    ps_pg_free(pg);
    *state = url;
    return 0;
}

int drop_store(void **state)
{
    free(*state);
    return 0;
}

struct ps_pg *connect_to(const char *url)
{
    struct ps_pg *pg = ps_pg_new(url);

    assert_int_equal(ps_pg_connect(pg, 5000, PS_ERR_IGNORED), PS_OK);
    return pg;
}
