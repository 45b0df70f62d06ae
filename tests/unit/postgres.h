/* SPDX-License-Identifier: MIT */
/* postgres.h: a PostgreSQL for one test program (tests/postgres.py). */
#ifndef PS_TEST_POSTGRES_H
#define PS_TEST_POSTGRES_H

#include "server/replica/pg.h"

/* Starts it with the first call; false: there is none on this machine, which it says. It ends with
 * the program. */
bool postgres_start(void);
/* The URL of a new, empty database; malloc'ed. */
char *postgres_database(void);
/* "stop", "start", "kill" */
void postgres_command(const char *word);
/* While the server is stopped: whether time passes 25 times as fast (base/clock.h), so that what
 * waits for the server soon gives up. */
void postgres_hasten(bool fast);

/* For setup and teardown: *state is the URL of a database that is laid out. */
int make_store(void **state);
int drop_store(void **state);
struct ps_pg *connect_to(const char *url);

#endif
