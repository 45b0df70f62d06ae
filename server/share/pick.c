/* SPDX-License-Identifier: MIT */
#include "server/share/pick.h"

#include <stdio.h>

static enum ps_status add(struct ps_store *store, const char *words, struct ps_share_picked *out,
                          struct ps_err *err)
{
    size_t n = 0;
    enum ps_status status = ps_query_named(store, words, out->ids + out->n, &n, err);

    out->n += n;
    return status;
}

/* What a file system and a header of HTTP take: no folders, no signs of control. */
static void put_name(struct ps_share_picked *out, const char *name)
{
    size_t n = 0;

    for (; *name && n + 1 < sizeof out->name; name++)
        out->name[n++] = (unsigned char)*name < ' ' || strchr("/\\:*?\"<>|", *name) ? '-' : *name;
    while (n && ((unsigned char)out->name[n - 1] & 0xc0) == 0x80 && *name)
        n--;
    out->name[n] = '\0';
}

static enum ps_status name_it(struct ps_store *store, struct ps_share_picked *out,
                              struct ps_err *err)
{
    struct ps_run_brief brief;
    enum ps_status status;

    if (out->compared || out->n > 1) {
        put_name(out, out->compared ? "comparison" : "runs");
        return PS_OK;
    }
    status = ps_store_brief(store, out->ids[0], &brief, err);
    if (status != PS_OK)
        return status;
    put_name(out, brief.name[0] ? brief.name : brief.kind);
    ps_run_brief_free(&brief);
    return PS_OK;
}

enum ps_status ps_share_pick(struct ps_store *store, const char *runs, const char *base,
                             const char *fresh, struct ps_share_picked *out, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    out->n = out->n_base = 0;
    out->compared = fresh != NULL;
    if (!runs == !fresh || (base && !fresh)) {
        ps_hint(err, "name runs, or the two groups of a comparison");
        return ps_fail(err, PS_BAD_REQUEST, "it is not said what to share");
    }
    if (base)
        status = add(store, base, out, err);
    out->n_base = out->n;
    if (status == PS_OK)
        status = add(store, runs ? runs : fresh, out, err);
    return status == PS_OK ? name_it(store, out, err) : status;
}

struct ps_share_what ps_share_what(const struct ps_share_picked *picked, unsigned redact,
                                   bool originals)
{
    return (struct ps_share_what){.ids = picked->ids,
                                  .n = picked->n,
                                  .compared = picked->compared,
                                  .n_base = picked->n_base,
                                  .redact = redact,
                                  .originals = originals};
}
