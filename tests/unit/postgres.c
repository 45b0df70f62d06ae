/* SPDX-License-Identifier: MIT */
#include "tests/unit/postgres.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

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
    static bool asked, is_ready;
    int down[2], up[2];
    char line[32];

    if (asked)
        return is_ready;
    asked = true;
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
    is_ready = strcmp(line, "ready") == 0;
    if (!is_ready)
        (void)printf("SKIPPED: there is no PostgreSQL on this machine (package postgresql)\n");
    return is_ready;
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

static pthread_t hastening;
static atomic_bool is_hastened;

static void *pass_time(void *user)
{
    while (atomic_load(&is_hastened)) {
        ps_sleep_ms(10);
        ps_clock_advance(240);
    }
    return user;
}

void postgres_hasten(bool fast)
{
    atomic_store(&is_hastened, fast);
    if ((fast ? pthread_create(&hastening, NULL, pass_time, NULL)
              : pthread_join(hastening, NULL)) != 0)
        abort();
}

void postgres_command(const char *word)
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
