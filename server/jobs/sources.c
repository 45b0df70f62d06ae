/* SPDX-License-Identifier: MIT */
#include "server/jobs/sources.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/quota.h"

/* --- Matching names to measured files --- */

/* Removes the last component of *path and returns it. */
static struct ps_str last_part(struct ps_str *path)
{
    size_t from = path->len;
    struct ps_str part;

    while (from > 0 && !ps_is_slash(path->ptr[from - 1]))
        from--;
    part = (struct ps_str){path->ptr + from, path->len - from};
    path->len = from > 0 ? from - 1 : 0;
    return part;
}

/* Number of common components if one path is a suffix of the other; else 0. */
static size_t common_parts(const char *a, const char *b)
{
    struct ps_str left = ps_str_from_c(a), right = ps_str_from_c(b);
    size_t n = 0;

    while (left.len && right.len) {
        if (!ps_str_eq(last_part(&left), last_part(&right)))
            return 0;
        n++;
    }
    return n;
}

enum ps_status ps_measured_list_find(const struct ps_measured_list *list, const char *name,
                                     size_t *index_out, struct ps_err *err)
{
    size_t best = 0, agreeing = 0;

    for (size_t i = 0; i < list->n; i++) {
        size_t n = strcmp(list->items[i].path, name) == 0 ? SIZE_MAX
                                                          : common_parts(list->items[i].path, name);

        agreeing = n > best ? 1 : agreeing + (n == best && n > 0);
        if (n > best)
            *index_out = i;
        best = n > best ? n : best;
    }
    if (agreeing == 1 || best == SIZE_MAX)
        return PS_OK;
    if (best == 0)
        return ps_fail(err, PS_NOT_FOUND, "the profile of this run has no file %s", name);
    return ps_fail(err, PS_CONFLICT,
                   "%s matches %zu measured files" PS_HINT "send the full path, as in the profile",
                   name, agreeing);
}

/* --- Outcomes --- */

void ps_source_outcomes_free(struct ps_source_outcomes *outcomes)
{
    ps_arena_free(&outcomes->arena);
    *outcomes = (struct ps_source_outcomes){0};
}

static const char *copy_string(struct ps_arena *arena, const char *text)
{
    return text ? ps_arena_copy(arena, ps_str_from_c(text)).ptr : NULL;
}

void ps_source_outcomes_copy(struct ps_source_outcomes *out, const struct ps_source_outcomes *from)
{
    *out = (struct ps_source_outcomes){.n = from->n};
    if (from->n == 0)
        return;
    out->items = ps_arena_alloc(&out->arena, from->n * sizeof *out->items);
    for (size_t i = 0; i < from->n; i++) {
        out->items[i] = from->items[i];
        out->items[i].name = copy_string(&out->arena, from->items[i].name);
        out->items[i].path = copy_string(&out->arena, from->items[i].path);
    }
}

/* --- Files of one upload --- */

struct ps_source_set {
    struct ps_store *store;
    struct ps_tag *items; /* key: path; value: name */
    size_t n, cap;
    atomic_uint holders;
    atomic_bool is_left;
};

struct ps_source_set *ps_source_set_create(struct ps_store *store)
{
    struct ps_source_set *set = ps_alloc(sizeof *set);

    set->store = store;
    atomic_init(&set->holders, 1);
    atomic_init(&set->is_left, false);
    return set;
}

void ps_source_set_add(struct ps_source_set *set, char *path, const char *name)
{
    PS_RESERVE_ONE(set->items, set->n, set->cap);
    set->items[set->n++] = (struct ps_tag){path, ps_strdup(ps_str_from_c(name))};
}

struct ps_source_set *ps_source_set_retain(struct ps_source_set *set)
{
    if (set)
        atomic_fetch_add(&set->holders, 1);
    return set;
}

void ps_source_set_release(struct ps_source_set *set)
{
    if (!set || atomic_fetch_sub(&set->holders, 1) != 1)
        return;
    for (size_t i = 0; i < set->n; i++) {
        if (!atomic_load(&set->is_left))
            ps_spool_remove(set->store, set->items[i].key);
        free((char *)(uintptr_t)set->items[i].key);
        free((char *)(uintptr_t)set->items[i].value);
    }
    free(set->items);
    free(set);
}

void ps_source_set_keep_files(struct ps_source_set *set)
{
    if (set)
        atomic_store(&set->is_left, true);
}

const struct ps_tag *ps_source_set_files(const struct ps_source_set *set, size_t *n)
{
    *n = set ? set->n : 0;
    return set ? set->items : NULL;
}

static void attach_one(struct ps_store *store, const char *run, const struct ps_tag *file,
                       const struct ps_measured_list *measured, struct ps_source_outcomes *out)
{
    struct ps_source_outcome *outcome = &out->items[out->n++];
    PS_AUTO(ps_close_fd) int fd = -1;
    size_t i;

    *outcome = (struct ps_source_outcome){.name = copy_string(&out->arena, file->value)};
    if (ps_measured_list_find(measured, file->value, &i, &outcome->err) != PS_OK)
        return;
    outcome->path = copy_string(&out->arena, measured->items[i].path);
    fd = open(file->key, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        (void)ps_fail_errno(&outcome->err, "cannot read", file->value);
    else
        (void)ps_store_source_attach(store, run, outcome->path, fd, false, &outcome->source,
                                     &outcome->err);
}

void ps_source_set_attach(struct ps_source_set *set, struct ps_store *store, const char *run,
                          struct ps_source_outcomes *out)
{
    PS_AUTO(ps_measured_free) struct ps_measured_list measured = {0};
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = ps_store_list_measured(store, run, &measured, &err);

    *out = (struct ps_source_outcomes){0};
    out->items = ps_arena_alloc(&out->arena, (set->n + 1) * sizeof *out->items);
    for (size_t i = 0; i < set->n; i++) {
        if (status == PS_OK)
            attach_one(store, run, &set->items[i], &measured, out);
        else
            out->items[out->n++] = (struct ps_source_outcome){
                .name = copy_string(&out->arena, set->items[i].value), .err = err};
    }
}
