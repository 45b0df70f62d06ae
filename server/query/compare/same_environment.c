/* SPDX-License-Identifier: MIT */
/* same_environment.c: refuses to compare runs of different environments: the parameter `same`. */
#include "server/query/compare/environments.h"

#define PACKAGE "packages."

/* The fact that a word of the list names: "cpu", "packages" or "packages.numpy". */
static struct ps_environment_fact fact_of(struct ps_str word)
{
    const struct ps_str package = ps_environment_package_of_tag(word);

    return (struct ps_environment_fact){
        .key = ps_environment_find_key(package.ptr ? PS_STR("packages") : word),
        .package = package};
}

static enum ps_status fail_different(const struct ps_environment_fact *name,
                                     const struct ps_environment_side sides[2], struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_environment_append_difference(name, sides, &text);
    return ps_fail(err, PS_CONFLICT,
                   "the environments are not the same: %.300s" PS_HINT
                   "compare runs of one environment, or do not require this fact",
                   text.ptr);
}

static enum ps_status fail_unknown(const struct ps_environment_fact *name,
                                   const struct ps_environment_side sides[2], struct ps_err *err)
{
    const bool in_base = sides[0].n_unknown > 0;
    const struct ps_environment_side *side = &sides[!in_base];

    return ps_fail(
        err, PS_CONFLICT,
        "the environments may not be the same: %s%.*s is unknown of %zu of %zu runs of %s" PS_HINT
        "set it as a tag of these runs, or do not require it",
        name->package.ptr ? PACKAGE : name->key->name, (int)name->package.len,
        name->package.ptr ? name->package.ptr : "", side->n_unknown, side->n_runs,
        in_base ? "base" : "new");
}

static enum ps_status check_fact(const struct ps_environments *all,
                                 const struct ps_environment_fact *name, struct ps_err *err)
{
    struct ps_environment_side sides[2];

    ps_environment_sides_read(all, name, sides);
    if (ps_environment_sides_differ(sides))
        fail_different(name, sides, err);
    else if (sides[0].n_unknown || sides[1].n_unknown)
        fail_unknown(name, sides, err);
    ps_environment_sides_free(sides);
    return err->code;
}

/* Checks all packages that any run has; unknown if none has one. */
static enum ps_status check_packages(const struct ps_environments *all,
                                     const struct ps_environment_fact *packages, struct ps_err *err)
{
    size_t n = 0;

    for (size_t i = 0; err->code == PS_OK && i < all->names.n; i++)
        if (all->names.facts[i].package.ptr) {
            check_fact(all, &all->names.facts[i], err);
            n++;
        }
    return n ? err->code : check_fact(all, packages, err);
}

enum ps_status ps_environments_check_same(const struct ps_environments *all, const char *same,
                                          struct ps_err *err)
{
    struct ps_str rest = ps_str_from_c(same ? same : "");

    if (same)
        ps_environment_check_names(same, err);
    while (err->code == PS_OK && rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        const size_t len = comma ? (size_t)(comma - rest.ptr) : rest.len;
        const struct ps_environment_fact name = fact_of((struct ps_str){rest.ptr, len});

        if (strcmp(name.key->name, "packages") == 0 && !name.package.ptr)
            check_packages(all, &name, err);
        else
            check_fact(all, &name, err);
        rest = ps_str_skip(rest, len + (comma != NULL));
    }
    return err->code;
}
