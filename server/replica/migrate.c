/* SPDX-License-Identifier: MIT */
/*
 * migrate.c: the layout of the tables, in numbered steps (schema/remote/<number>_<name>.sql).
 *
 * A step and the row that says that it was taken are one transaction. Where statements that change
 * the layout cannot be part of one (YugabyteDB runs each as its own, CockroachDB commits before
 * each), an interrupted step is simply taken again: all its statements can be repeated, and the row
 * comes last. The same holds for two servers that take it at once, of which one may fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "schema/schema.h"
#include "server/replica/pg.h"

#define TRIES    20
#define PAUSE_MS 100

static const char folder[] = "remote/";

/* The text of a step; NULL: there is none. */
static const char *step_text(int64_t version)
{
    for (const struct ps_schema_text *at = ps_schema_texts; at->name; at++)
        if (strncmp(at->name, folder, sizeof folder - 1) == 0 &&
            strtoll(at->name + sizeof folder - 1, NULL, 10) == version)
            return at->text;
    return NULL;
}

static enum ps_status take_int(void *user, const struct ps_pg_value *values, size_t n,
                               struct ps_err *err)
{
    (void)n;
    (void)err;
    *(int64_t *)user = values[0].i;
    return PS_OK;
}

static enum ps_status read_version(struct ps_pg *pg, int64_t *out, struct ps_err *err)
{
    int64_t tables = 0;
    enum ps_status status =
        ps_pg_run(pg,
                  "SELECT count(*) FROM information_schema.tables "
                  "WHERE table_schema = current_schema() AND table_name = 'migration'",
                  NULL, 0, take_int, &tables, err);

    *out = 0;
    if (status != PS_OK || !tables)
        return status;
    return ps_pg_run(pg, "SELECT coalesce(max(version), 0) FROM migration", NULL, 0, take_int, out,
                     err);
}

static enum ps_status name_store(struct ps_pg *pg, struct ps_err *err)
{
    unsigned char random[16];
    char name[2 * sizeof random + 1];
    struct ps_pg_value value;

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return ps_fail_errno(err, "cannot read random bytes from", "the kernel");
    for (size_t i = 0; i < sizeof random; i++)
        (void)snprintf(name + 2 * i, 3, "%02x", random[i]);
    value = ps_pg_text(name);
    return ps_pg_run(pg,
                     "INSERT INTO clock(one, n, pruned, store) VALUES (1, 0, 0, $1) "
                     "ON CONFLICT (one) DO NOTHING",
                     &value, 1, NULL, NULL, err);
}

static enum ps_status take_step(struct ps_pg *pg, int64_t version, struct ps_err *err)
{
    const struct ps_pg_value values[] = {ps_pg_int(version), ps_pg_int((int64_t)time(NULL) * 1000)};
    enum ps_status status = ps_pg_script(pg, "BEGIN", err);

    if (status == PS_OK)
        status = ps_pg_script(pg, step_text(version), err);
    if (status == PS_OK)
        status = name_store(pg, err);
    if (status == PS_OK)
        status = ps_pg_run(pg,
                           "INSERT INTO migration(version, at) VALUES ($1, $2) "
                           "ON CONFLICT (version) DO NOTHING",
                           values, 2, NULL, NULL, err);
    if (status == PS_OK)
        status = ps_pg_commit(pg, err);
    if (status != PS_OK)
        ps_pg_rollback(pg);
    return status;
}

/* One step further. *done: there is none. */
static enum ps_status advance(struct ps_pg *pg, bool *done, struct ps_err *err)
{
    int64_t version = 0;
    enum ps_status status = ps_pg_connect(pg, 0, err);

    if (status == PS_OK)
        status = read_version(pg, &version, err);
    if (status != PS_OK)
        return status;
    if (version && !step_text(version)) {
        ps_hint(err, "use that version or a newer one");
        return ps_fail(err, PS_CONFLICT, "the store was written by a newer perfshelf (layout %lld)",
                       (long long)version);
    }
    *done = !step_text(version + 1);
    return *done ? PS_OK : take_step(pg, version + 1, err);
}

enum ps_status ps_pg_migrate(struct ps_pg *pg, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    bool done = false;

    for (unsigned failed = 0; !done && failed < TRIES;) {
        own = (struct ps_err)PS_ERR_INIT;
        (void)advance(pg, &done, &own);
        if (own.code == PS_CONFLICT || own.code == PS_FORBIDDEN)
            break;
        if (own.code != PS_OK) {
            (void)nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
            failed++;
        }
    }
    return ps_fail_as(err, &own);
}
