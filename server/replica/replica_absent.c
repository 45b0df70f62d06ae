/* SPDX-License-Identifier: MIT */
/* replica_absent.c: the whole module in a build without PostgreSQL (PERFSHELF_POSTGRESQL=OFF): a
 * shelf is a folder. */
#include "server/replica/replica.h"

#include "base/mem.h"
#include "server/replica/url.h"

static enum ps_status fail_absent(struct ps_err *err)
{
    return ps_fail(err, PS_BAD_REQUEST,
                   "this perfshelf was built without PostgreSQL" PS_HINT
                   "use a shelf in a folder, or another build of perfshelf");
}

enum ps_status ps_store_open_shared(const char *url, const char *dir, uint64_t cache_bytes,
                                    struct ps_store **out, struct ps_err *err)
{
    (void)cache_bytes;
    *out = NULL;
    return url ? fail_absent(err) : ps_store_open(dir, out, err);
}

enum ps_status ps_pg_check(const char *url, bool *secret, struct ps_err *err)
{
    (void)url;
    *secret = false;
    return fail_absent(err);
}

char *ps_pg_place(const char *url)
{
    (void)url; /* it may contain a password, and only libpq knows where */
    return ps_strdup(PS_STR("postgresql://"));
}
