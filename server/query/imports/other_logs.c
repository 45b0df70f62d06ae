/* SPDX-License-Identifier: MIT */
/*
 * other_logs.c: imports in the other import logs of the shelf. If a module imported another one
 * there, it may import it here too. This is weaker evidence than the log itself, and only used if
 * the log lacks importers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "server/query/imports/lazy_imports.h"
#include "server/query/lru_cache.h"

#define LOGS_MAX        50    /* the newest ones */
#define PAIRS_MAX       20000 /* of each log */
#define CACHE_BYTES_MAX ((size_t)32 << 20)

/* --- Edges of another log --- */

struct pair {
    uint32_t importer, module; /* ids in `names` */
};

struct log_pairs {
    struct ps_cache_entry cache_entry;
    struct ps_intern names;
    struct pair *items;
    size_t n, cap;
};

static void pairs_free(struct ps_cache_entry *kept)
{
    struct log_pairs *pairs = (struct log_pairs *)kept;

    ps_intern_free(&pairs->names);
    free(pairs->items);
    free(kept->key);
    free(pairs);
}

/* Entries never become stale, since runs never change. */
static struct ps_lru_cache all_pairs = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .bytes_max = CACHE_BYTES_MAX, .free = pairs_free};

static enum ps_status read_rows(struct ps_db *db, struct log_pairs *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("import_pairs"), &stmt, err);
    ps_bind_int(stmt, ":limit", PAIRS_MAX);
    while (ps_stmt_step(stmt, err)) {
        uint32_t importer = ps_intern_add(&out->names, ps_col_text(stmt, 0));

        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] =
            (struct pair){importer, ps_intern_add(&out->names, ps_col_text(stmt, 1))};
    }
    return err->code;
}

static size_t bytes_of(const struct log_pairs *pairs)
{
    size_t bytes = sizeof *pairs + pairs->cap * sizeof *pairs->items;

    for (uint32_t i = 0; i < pairs->names.count; i++)
        bytes += pairs->names.items[i].len + sizeof *pairs->names.items +
                 2 * sizeof(struct ps_hash_slot);
    return bytes;
}

/* Finds or reads the pairs of a run. The caller releases *out. *out NULL: the run was deleted
 * meanwhile, or another version of perfshelf wrote it. */
static enum ps_status pairs_of(struct ps_store *store, const char *id, struct log_pairs **out,
                               struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    struct ps_db *db = NULL;
    char key[64];

    (void)snprintf(key, sizeof key, "%p %s", (void *)store, id);
    *out = (struct log_pairs *)ps_lru_cache_find(&all_pairs, key);
    if (*out)
        return PS_OK;
    ps_run_acquire(store, id, &db, &own);
    if (own.code == PS_NOT_FOUND || own.code == PS_CONFLICT)
        return PS_OK;
    *out = ps_alloc(sizeof **out);
    read_rows(db, *out, &own);
    ps_run_release(db);
    if (own.code == PS_OK) {
        ps_lru_cache_put(&all_pairs, &(*out)->cache_entry, ps_strdup(ps_str_from_c(key)),
                         bytes_of(*out));
        return PS_OK;
    }
    pairs_free(&(*out)->cache_entry);
    *out = NULL;
    return ps_fail(err, own.code, "%s: %s", id, own.text);
}

/* --- Joining them to this log --- */

struct edge_merger {
    struct ps_lazy_log *log;
    struct ps_intern names, edges; /* module names; edges of the log as bytes */
    uint32_t *node_of_name;
};

static void joining_free(struct edge_merger *j)
{
    ps_intern_free(&j->names);
    ps_intern_free(&j->edges);
    free(j->node_of_name);
}

static bool is_new(struct edge_merger *j, uint32_t from, uint32_t to)
{
    const uint32_t edge[] = {from, to};
    uint32_t before = j->edges.count;

    return ps_intern_add(&j->edges, (struct ps_str){(const char *)edge, sizeof edge}) == before;
}

static struct edge_merger join_begin(struct ps_lazy_log *log)
{
    struct edge_merger j = {.log = log,
                            .node_of_name = ps_alloc_array(log->n, sizeof *j.node_of_name)};

    for (uint32_t node = 1; node < log->n; node++) {
        uint32_t before = j.names.count, name = ps_intern_add(&j.names, log->modules[node].name);

        if (name == before)
            j.node_of_name[name] = node;
    }
    for (size_t i = 0; i < log->n_edges; i++)
        (void)is_new(&j, log->edges[i].from, log->edges[i].to);
    return j;
}

/* Returns 0 if the log has no such module. */
static uint32_t node_of(struct edge_merger *j, struct ps_str name)
{
    uint32_t id = ps_intern_find(&j->names, name);

    return id == PS_INTERN_NONE ? 0 : j->node_of_name[id];
}

static void add_log_edges(struct edge_merger *j, const struct log_pairs *pairs)
{
    struct ps_lazy_log *log = j->log;
    uint32_t *nodes = ps_alloc_array(pairs->names.count + 1, sizeof *nodes);

    for (uint32_t i = 0; i < pairs->names.count; i++)
        nodes[i] = node_of(j, pairs->names.items[i]);
    for (size_t i = 0; i < pairs->n; i++) {
        uint32_t from = nodes[pairs->items[i].importer], to = nodes[pairs->items[i].module];

        if (!from || !to || from == to || !is_new(j, from, to))
            continue;
        PS_RESERVE_ONE(log->edges, log->n_edges, log->cap_edges);
        log->edges[log->n_edges++] =
            (struct ps_import_edge){from, to, PS_EVIDENCE_OTHER_LOG, false};
    }
    free(nodes);
}

static enum ps_status find_others(struct ps_store *store, const char *id, struct ps_lazy_log *log,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_db *db;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("import_logs"), &stmt, err);
    ps_bind_text(stmt, ":run", ps_str_from_c(id));
    ps_bind_int(stmt, ":limit", LOGS_MAX);
    while (ps_stmt_step(stmt, err)) {
        struct ps_lazy_other_log other = {.name = ps_arena_copy(&log->text, ps_col_text(stmt, 1))};

        (void)snprintf(other.id, sizeof other.id, "%.16s", ps_col_text(stmt, 0).ptr);
        PS_RESERVE_ONE(log->others, log->n_others, log->cap_others);
        log->others[log->n_others++] = other;
    }
    ps_stmt_auto(&stmt);
    ps_catalog_read_end(store, db);
    return err->code;
}

enum ps_status ps_lazy_read_other_logs(struct ps_store *store, const char *id,
                                       struct ps_lazy_log *log, struct ps_err *err)
{
    struct edge_merger j;

    if (err->code != PS_OK || log->evidence != PS_EVIDENCE_NONE)
        return err->code;
    find_others(store, id, log, err);
    j = join_begin(log);
    for (size_t i = 0; err->code == PS_OK && i < log->n_others; i++) {
        struct log_pairs *pairs;

        log->others[i].edges = log->n_edges;
        pairs_of(store, log->others[i].id, &pairs, err);
        if (pairs)
            add_log_edges(&j, pairs);
        ps_lru_cache_release(&all_pairs, pairs ? &pairs->cache_entry : NULL);
    }
    joining_free(&j);
    return err->code;
}

const struct ps_lazy_other_log *ps_lazy_edge_source(const struct ps_lazy_log *log, uint32_t edge)
{
    size_t i = log->n_others;

    while (i > 0 && log->others[i - 1].edges > edge)
        i--;
    return i ? &log->others[i - 1] : NULL;
}
