/* SPDX-License-Identifier: MIT */
/* environment.c: the table of the facts about the environment of a run, and their tags. */
#include "importers/records/environment.h"

#include <string.h>

#include "base/buf.h"

#define ROW(name, label, group, weight, is_listed) {name, label, group, weight, is_listed},
static const struct ps_environment_key keys[] = {PS_ENVIRONMENT_FACTS(ROW)};
#define N_KEYS (sizeof keys / sizeof *keys)

const struct ps_environment_key *ps_environment_keys(size_t *n)
{
    *n = N_KEYS;
    return keys;
}

const struct ps_environment_key *ps_environment_find_key(struct ps_str name)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (ps_str_eq_c(name, keys[i].name))
            return &keys[i];
    return NULL;
}

struct ps_str ps_environment_package_of_tag(struct ps_str tag)
{
    static const char prefix[] = "packages.";
    const size_t len = sizeof prefix - 1;

    return tag.len > len && memcmp(tag.ptr, prefix, len) == 0
               ? (struct ps_str){tag.ptr + len, tag.len - len}
               : (struct ps_str){NULL, 0};
}

bool ps_environment_hides_tag(struct ps_str tag)
{
    const struct ps_environment_key *key = ps_environment_find_key(tag);

    return ps_environment_package_of_tag(tag).ptr || (key && !key->is_listed);
}

static enum ps_status fail_unknown_name(struct ps_str name, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf known = {0};

    for (size_t i = 0; i < N_KEYS; i++)
        if (keys[i].weight != PS_ENVIRONMENT_VARIES)
            ps_buf_printf(&known, "%s, ", keys[i].name);
    return ps_fail(err, PS_BAD_REQUEST,
                   "unknown fact of the environment: '%.*s'" PS_HINT "known are %spackages.NAME",
                   (int)(name.len < 40 ? name.len : 40), name.ptr, known.ptr);
}

enum ps_status ps_environment_check_names(const char *list, struct ps_err *err)
{
    for (const char *at = list;; at++) {
        const struct ps_str name = {at, strcspn(at, ",")};
        const struct ps_environment_key *key = ps_environment_find_key(name);

        if (!ps_environment_package_of_tag(name).ptr &&
            (!key || key->weight == PS_ENVIRONMENT_VARIES))
            return fail_unknown_name(name, err);
        at += name.len;
        if (!*at)
            return PS_OK;
    }
}
