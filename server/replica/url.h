/* SPDX-License-Identifier: MIT */
/* url.h: the URL of a shelf in PostgreSQL. Nothing here connects to it. */
#ifndef PS_REPLICA_URL_H
#define PS_REPLICA_URL_H

#include "base/err.h"

#include <stdbool.h>
#include <string.h>

/* Whether text is postgresql://... or postgres://... */
static inline bool ps_pg_is_url(const char *text)
{
    return strncmp(text, "postgresql://", 13) == 0 || strncmp(text, "postgres://", 11) == 0;
}

/* PS_BAD_REQUEST if libpq cannot parse it, or if this build is without PostgreSQL. *secret: it
 * contains a password. */
enum ps_status ps_pg_check(const char *url, bool *secret, struct ps_err *err);
/* Host, port and database of a URL for display, without user and password. malloc'ed. */
char *ps_pg_place(const char *url);

#endif
