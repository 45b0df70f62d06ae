/* SPDX-License-Identifier: MIT */
#include "server/query/environment/environment.h"

#include <stdlib.h>

#include "server/catalog/readers.h"
#include "server/query/view.h"

#define FACTS_MAX 2000 /* of a run; further packages are left out */

int ps_environment_order(const void *a, const void *b)
{
    const struct ps_environment_fact *x = a, *y = b;
    const size_t shared = x->package.len < y->package.len ? x->package.len : y->package.len;
    int order;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    order = shared ? memcmp(x->package.ptr, y->package.ptr, shared) : 0;
    return order ? order : (x->package.len > y->package.len) - (x->package.len < y->package.len);
}

const struct ps_environment_fact *ps_environment_find(const struct ps_environment *environment,
                                                      const struct ps_environment_fact *like)
{
    return environment->n ? bsearch(like, environment->facts, environment->n,
                                    sizeof *environment->facts, ps_environment_order)
                          : NULL;
}

void ps_environment_free(struct ps_environment *environment)
{
    free(environment->facts);
    *environment = (struct ps_environment){NULL, 0, 0};
}

/* --- Reading --- */

static bool find_unsorted(const struct ps_environment *environment, size_t n,
                          const struct ps_environment_fact *like)
{
    for (size_t i = 0; i < n; i++)
        if (ps_environment_order(&environment->facts[i], like) == 0)
            return true;
    return false;
}

static void add_fact(struct ps_environment *out, struct ps_arena *arena,
                     const struct ps_environment_key *key, struct ps_str package,
                     struct ps_str value, bool is_tag)
{
    PS_RESERVE_ONE(out->facts, out->n, out->cap);
    out->facts[out->n++] =
        (struct ps_environment_fact){key, package.ptr ? ps_arena_copy(arena, package) : package,
                                     ps_arena_copy(arena, value), is_tag};
}

/* Adds the packages of a list such as "numpy 2.1.0, pandas". The first of a name counts. A package
 * without a version gets an empty one. */
static void add_packages(struct ps_environment *out, struct ps_arena *arena,
                         const struct ps_environment_key *key, struct ps_str list)
{
    while (list.len && out->n < FACTS_MAX) {
        const char *comma = memchr(list.ptr, ',', list.len);
        const size_t len = comma ? (size_t)(comma - list.ptr) : list.len;
        const struct ps_str item = ps_str_trim((struct ps_str){list.ptr, len});
        const char *space = item.len ? memchr(item.ptr, ' ', item.len) : NULL;
        const size_t name_len = space ? (size_t)(space - item.ptr) : item.len;
        const struct ps_str version = ps_str_trim(ps_str_skip(item, name_len));
        const struct ps_environment_fact like = {.key = key, .package = {item.ptr, name_len}};

        if (name_len && !find_unsorted(out, out->n, &like))
            add_fact(out, arena, key, like.package, version, false);
        list = ps_str_skip(list, len + (comma != NULL));
    }
}

static void add_value(struct ps_environment *out, struct ps_arena *arena,
                      const struct ps_environment_key *key, struct ps_str value)
{
    if (strcmp(key->name, "packages") == 0)
        add_packages(out, arena, key, value);
    else
        add_fact(out, arena, key, (struct ps_str){NULL, 0}, value, false);
}

static enum ps_status read_file(struct ps_store *store, const char *run, struct ps_arena *arena,
                                struct ps_environment *out, struct ps_err *err)
{
    size_t n;
    const struct ps_environment_key *keys = ps_environment_keys(&n);
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = NULL;

    ps_run_acquire(store, run, &db, err);
    for (size_t i = 0; err->code == PS_OK && i < n; i++) {
        ps_db_prepare(db, ps_query_sql("run_environment"), &stmt, err);
        ps_bind_text(stmt, ":key", ps_str_from_c(keys[i].name));
        if (ps_stmt_step(stmt, err))
            add_value(out, arena, &keys[i], ps_col_text(stmt, 0));
        ps_stmt_auto(&stmt);
    }
    ps_run_release(db);
    return err->code;
}

/* Adds the fact that a tag states, unless the first `n_of_file` facts have one of the same name. */
static void add_tag(struct ps_environment *out, size_t n_of_file, struct ps_arena *arena,
                    struct ps_str name, struct ps_str value)
{
    const struct ps_str package = ps_environment_package_of_tag(name);
    const struct ps_environment_fact fact = {
        .key = ps_environment_find_key(package.ptr ? PS_STR("packages") : name),
        .package = package};

    if (!fact.key || !value.len || ps_str_eq_c(name, "packages"))
        return;
    if (!find_unsorted(out, n_of_file, &fact))
        add_fact(out, arena, fact.key, fact.package, value, true);
}

static enum ps_status read_tags(struct ps_store *store, const char *run, struct ps_arena *arena,
                                struct ps_environment *out, struct ps_err *err)
{
    const size_t n_of_file = out->n;
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = NULL;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("run_tags"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(run));
    while (ps_stmt_step(stmt, err))
        add_tag(out, n_of_file, arena, ps_col_text(stmt, 0), ps_col_text(stmt, 1));
    ps_stmt_auto(&stmt);
    ps_catalog_read_end(store, db);
    return err->code;
}

enum ps_status ps_environment_read(struct ps_store *store, const char *run, struct ps_arena *arena,
                                   struct ps_environment *out, struct ps_err *err)
{
    *out = (struct ps_environment){NULL, 0, 0};
    if (read_file(store, run, arena, out, err) == PS_OK)
        read_tags(store, run, arena, out, err);
    if (out->n)
        qsort(out->facts, out->n, sizeof *out->facts, ps_environment_order);
    return err->code;
}

/* --- Answer --- */

static void write_fact(const struct ps_environment_fact *fact, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_str(json, "key", fact->key->name);
    ps_json_key(json, "label");
    ps_json_str(json, fact->package.ptr ? fact->package : ps_str_from_c(fact->key->label));
    ps_json_key_str(json, "group", fact->key->group);
    ps_json_key(json, "value");
    ps_json_str(json, fact->value);
    ps_json_key_str(json, "source", fact->is_tag ? "tag" : "file");
    ps_json_end(json);
}

enum ps_status ps_query_environment(struct ps_store *store, const char *run, struct ps_json *json,
                                    struct ps_err *err)
{
    PS_AUTO(ps_environment_free) struct ps_environment environment = {NULL, 0, 0};
    PS_AUTO(ps_arena_free) struct ps_arena arena = {0};

    ps_environment_read(store, run, &arena, &environment, err);
    ps_json_object(json);
    ps_json_key(json, "facts");
    ps_json_array(json);
    for (size_t i = 0; i < environment.n; i++)
        write_fact(&environment.facts[i], json);
    ps_json_end(json);
    ps_json_end(json);
    return err->code;
}
