/* SPDX-License-Identifier: MIT */
/* servers.h: servers on one store, for tests: what they say, and what all of them see. */
#ifndef PS_TEST_SERVERS_H
#define PS_TEST_SERVERS_H

#include "server/replica/mirror.h"

struct fixture {
    char *url;
    char dir[64];
};

/* Set-up and end of a test, whose state is a fixture. */
int make(void **state);
int drop(void **state);
/* Server `which` on the store of the test. */
struct ps_store *open_server(struct fixture *f, const char *which);

/* A run without files; its id is the beginning of its hash. */
enum ps_status put_run(struct ps_store *store, unsigned n, const char *name, struct ps_err *err);
void id_of(unsigned n, char out[PS_ID_SIZE]);
/* Gives it a name and two tags. */
enum ps_status tag_run(struct ps_store *store, unsigned n, const char *value, struct ps_err *err);
enum ps_status log_one(struct ps_store *store, const char *name);

/* Both catalogs hold the same, once they are up to date. */
void expect_same(struct ps_store *a, struct ps_store *b);
/* One number of the catalog as it stands here, without catching up. */
int64_t count(struct ps_store *store, const char *sql);
/* Waits until the mirror says so by itself. */
void wait_until(struct ps_store *store, const char *sql, int64_t wanted);

#endif
