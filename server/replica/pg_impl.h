/* SPDX-License-Identifier: MIT */
/* pg_impl.h: what the files of this folder share. Nobody else includes it. */
#ifndef PS_REPLICA_PG_IMPL_H
#define PS_REPLICA_PG_IMPL_H

#include <libpq-fe.h>

#include "server/replica/pg.h"

struct ps_pg {
    char *url;
    PGconn *link; /* NULL: none */
    size_t said;  /* statements that no answer was read of (ps_pg_say) */
    int64_t silence_ms;
};

/* How long the other side may be silent while it is waited for; longer than its locks may take. */
#define PS_PG_SILENCE_MS 12000

int64_t ps_pg_clock_ms(void); /* CLOCK_MONOTONIC */
/* Gives the connection up. */
void ps_pg_drop(struct ps_pg *pg);
void ps_pg_hush(void *user, const char *text); /* a PQnoticeProcessor */

#endif
