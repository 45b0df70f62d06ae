/* SPDX-License-Identifier: MIT */
/*
 * blob_fetch.c: what bytes that lie in a PostgreSQL cost to read, with the store's own functions
 * and with libpq alone, by turns.
 *
 *   blob_fetch send URL FILE                  prints their hash
 *   blob_fetch read URL HASH FOLDER TURNS     prints seconds of each turn as JSON: "select" all
 * chunks by one statement, "copy" them in its binary form, both into memory; "cold": fetched,
 * verified and written into a cache in FOLDER; "warm": found there
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <fcntl.h>

#include "server/replica/file_cache.h"

#define PLACE "(SELECT place FROM blob WHERE hash = '%s')"

static void die(const char *what)
{
    (void)fprintf(stderr, "blob_fetch: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static void check(const struct ps_err *err)
{
    if (err->code != PS_OK)
        die(err->text);
}

static void send_file(const char *url, const char *path)
{
    struct ps_pg *pg = ps_pg_new(url);
    struct ps_err err = PS_ERR_INIT;
    char hash[PS_CONTENT_HASH_SIZE], place[40];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t bytes = 0;

    (void)snprintf(place, sizeof place, "bench-%ld", (long)getpid());
    (void)ps_content_hash_file(fd, path, hash, &bytes, &err);
    (void)ps_pg_migrate(pg, &err);
    (void)ps_blob_send(pg, "bench", place, fd, hash, bytes, &err);
    check(&err);
    (void)puts(hash);
    (void)close(fd);
    ps_pg_free(pg);
}

/* --- libpq alone --- */

static size_t with_select(PGconn *link, const char *hash)
{
    char sql[300];
    size_t bytes = 0;
    PGresult *all;

    (void)snprintf(sql, sizeof sql, "SELECT data FROM chunk WHERE place = " PLACE " ORDER BY n",
                   hash);
    all = PQexecParams(link, sql, 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(all) != PGRES_TUPLES_OK)
        die(PQerrorMessage(link));
    for (int i = 0; i < PQntuples(all); i++)
        bytes += (size_t)PQgetlength(all, i, 0);
    PQclear(all);
    return bytes;
}

static size_t with_copy(PGconn *link, const char *hash)
{
    char sql[300], *row;
    size_t bytes = 0;
    int len;

    (void)snprintf(sql, sizeof sql,
                   "COPY (SELECT data FROM chunk WHERE place = " PLACE " ORDER BY n) TO STDOUT "
                   "(FORMAT binary)",
                   hash);
    PQclear(PQexec(link, sql));
    while ((len = PQgetCopyData(link, &row, 0)) > 0) {
        bytes += (size_t)len;
        PQfreemem(row);
    }
    if (len != -1)
        die(PQerrorMessage(link));
    PQclear(PQgetResult(link));
    return bytes;
}

/* --- The cache --- */

static enum ps_status fetch(void *user, const char *hash, ps_blob_receive *take, void *to,
                            struct ps_err *err)
{
    return ps_blob_fetch(user, hash, take, to, err);
}

static void with_cache(struct ps_file_cache *cache, struct ps_pg *pg, const char *hash,
                       size_t bytes)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct ps_err err = PS_ERR_INIT;

    (void)ps_file_cache_get(cache, hash, bytes, fetch, pg, &path, &err);
    check(&err);
}

static void print(const char *name, const double *seconds, int turns)
{
    (void)printf(", \"%s\": [", name);
    for (int i = 0; i < turns; i++)
        (void)printf("%s%.6f", i ? ", " : "", seconds[i]);
    (void)printf("]");
}

static void read_bytes(const char *url, const char *hash, const char *folder, int turns)
{
    static const char *const names[] = {"select", "copy", "cold", "warm"};
    double *seconds = ps_alloc(4 * (size_t)turns * sizeof *seconds), at[5];
    PGconn *link = PQconnectdb(url);
    struct ps_pg *pg = ps_pg_new(url);
    struct ps_file_cache *cache = NULL;
    struct ps_err err = PS_ERR_INIT;
    char path[4096];
    size_t bytes = 0;

    (void)snprintf(path, sizeof path, "%s/%s", folder, hash);
    if (PQstatus(link) != CONNECTION_OK)
        die(PQerrorMessage(link));
    (void)ps_pg_connect(pg, 5000, &err);
    (void)ps_file_cache_open(folder, "bench", (uint64_t)1 << 40, &cache, &err);
    check(&err);
    for (int i = 0; i < turns; i++) {
        (void)unlink(path);
        at[0] = now();
        bytes = with_select(link, hash);
        at[1] = now();
        (void)with_copy(link, hash);
        at[2] = now();
        with_cache(cache, pg, hash, bytes);
        at[3] = now();
        with_cache(cache, pg, hash, bytes);
        at[4] = now();
        for (int k = 0; k < 4; k++)
            seconds[k * turns + i] = at[k + 1] - at[k];
    }
    (void)printf("{\"bytes\": %zu", bytes);
    for (int k = 0; k < 4; k++)
        print(names[k], seconds + k * turns, turns);
    (void)printf("}\n");
    (void)unlink(path);
    ps_file_cache_close(cache);
    ps_pg_free(pg);
    PQfinish(link);
    free(seconds);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "send") == 0)
        send_file(argv[2], argv[3]);
    else if (argc == 6 && strcmp(argv[1], "read") == 0)
        read_bytes(argv[2], argv[3], argv[4], atoi(argv[5]));
    else
        die("send URL FILE | read URL HASH FOLDER TURNS");
    return 0;
}
