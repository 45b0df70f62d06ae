/* SPDX-License-Identifier: MIT */
/* postgres.h: a PostgreSQL for one test program (tests/postgres.py). */
#ifndef PS_TEST_POSTGRES_H
#define PS_TEST_POSTGRES_H

#include <stdbool.h>

/* Starts it; false: there is none on this machine, which it says. It ends with the program. */
bool postgres_start(void);
/* The URL of a new, empty database; malloc'ed. */
char *postgres_database(void);
/* "stop", "start", "kill" */
void postgres_tell(const char *word);

#endif
