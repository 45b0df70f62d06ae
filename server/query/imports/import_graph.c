/* SPDX-License-Identifier: MIT */
/* import_graph.c: reads an import log, and other logs of the shelf, as a graph of imports. */
#include "server/query/imports/import_graph.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "importers/kinds.h"
#include "server/query/lru_cache.h"

#define LOGS_MAX        50    /* maximum number of other logs to read, the newest */
#define PAIRS_MAX       20000 /* maximum number of pairs of each log */
#define CACHE_BYTES_MAX ((size_t)32 << 20)

/* --- The log --- */

/* Columns of queries/what_if.sql, and its flags. */
enum { ID, IMPORTER, MODULE, SELF, FLAGS, INTERPRETER, PACKAGE, ORIGIN };
enum { CACHED = 1, STARTUP = 2, RECORDED = 64 };

struct loaded_import {
    int64_t importer; /* row; 0: the program */
    uint32_t name;    /* id in `names` */
    uint8_t evidence;
};

struct log_reader {
    struct ps_import_graph *log;
    struct ps_intern names; /* modules with their interpreter: "2:json" */
    uint32_t *node_of_name; /* first node with that name; 0: none */
    size_t cap_names;
    uint32_t *name_of_node;
    size_t cap_nodes;
    uint32_t *node_of_row;
    size_t cap_rows;
    int64_t *importer; /* of each node: row of its importer */
    size_t cap_importers;
    struct loaded_import *loaded;
    size_t n_loaded, cap_loaded;
    /* Recorded imports as from << 32 | to, sorted. Bit 31: `to` is a package of the module. */
    uint64_t *pairs;
    size_t n_pairs, cap_pairs;
};

static void reader_free(struct log_reader *r)
{
    ps_intern_free(&r->names);
    free(r->node_of_name);
    free(r->name_of_node);
    free(r->node_of_row);
    free(r->importer);
    free(r->loaded);
    free(r->pairs);
}

static uint32_t name_id(struct log_reader *r, int64_t interpreter, struct ps_str module)
{
    char *key = ps_arena_printf(&r->names.arena, "%lld:%.*s", (long long)interpreter,
                                (int)module.len, module.ptr);
    uint32_t id = ps_intern_add(&r->names, ps_str_from_c(key));

    r->node_of_name = ps_grow_to(r->node_of_name, &r->cap_names, id, sizeof *r->node_of_name);
    return id;
}

static void add_node(struct log_reader *r, struct ps_stmt *stmt, int64_t flags)
{
    struct ps_import_graph *log = r->log;
    uint32_t node = log->n++;
    uint32_t name = name_id(r, ps_col_int(stmt, INTERPRETER), ps_col_text(stmt, MODULE));
    double self = ps_num_to_real(ps_col_num(stmt, SELF));

    log->nodes = ps_grow_to(log->nodes, &log->cap_nodes, node, sizeof *log->nodes);
    log->modules = ps_grow_to(log->modules, &log->cap_modules, node, sizeof *log->modules);
    r->name_of_node = ps_grow_to(r->name_of_node, &r->cap_nodes, node, sizeof *r->name_of_node);
    r->importer = ps_grow_to(r->importer, &r->cap_importers, node, sizeof *r->importer);
    log->nodes[node].self_us = self;
    log->modules[node] = (struct ps_import_module){
        .name = ps_arena_copy(&log->text, ps_col_text(stmt, MODULE)),
        .package = ps_arena_copy(&log->text, ps_col_text(stmt, PACKAGE)),
        .import_id = ps_col_int(stmt, ID),
        .origin = (uint8_t)ps_col_int(stmt, ORIGIN),
        .is_startup = flags & STARTUP,
    };
    log->total_us += self;
    log->startup_us += flags & STARTUP ? self : 0;
    log->has_threads |= self < 0;
    r->importer[node] = ps_col_int(stmt, IMPORTER);
    r->node_of_row[ps_col_int(stmt, ID)] = node;
    r->name_of_node[node] = name;
    if (!r->node_of_name[name])
        r->node_of_name[name] = node;
}

static void add_loaded_import(struct log_reader *r, struct ps_stmt *stmt, int64_t flags)
{
    bool recorded = flags & RECORDED;

    PS_RESERVE_ONE(r->loaded, r->n_loaded, r->cap_loaded);
    r->loaded[r->n_loaded++] = (struct loaded_import){
        .importer = ps_col_int(stmt, IMPORTER),
        .name = name_id(r, ps_col_int(stmt, INTERPRETER), ps_col_text(stmt, MODULE)),
        .evidence = recorded ? PS_EVIDENCE_RECORDED_IMPORT : PS_EVIDENCE_CACHED_IMPORT,
    };
    if (recorded)
        r->log->evidence = PS_EVIDENCE_RECORDED;
    else if (r->log->evidence == PS_EVIDENCE_NONE)
        r->log->evidence = PS_EVIDENCE_CACHED;
}

static enum ps_status read_rows(struct ps_db *db, struct log_reader *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("what_if"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t flags = ps_col_int(stmt, FLAGS), row = ps_col_int(stmt, ID);

        if (!ps_id_is_plausible(row, r->log->n + r->n_loaded))
            return ps_fail(err, PS_INTERNAL, "the run file is damaged: import %lld",
                           (long long)row);
        if (!ps_try_grow_to(&r->node_of_row, &r->cap_rows, (size_t)row, sizeof *r->node_of_row))
            return ps_fail_memory(err, "the imports");
        if (flags & CACHED)
            add_loaded_import(r, stmt, flags);
        else
            add_node(r, stmt, flags);
    }
    return err->code;
}

static uint32_t node_of_row(const struct log_reader *r, int64_t row)
{
    return row > 0 && (size_t)row < r->cap_rows ? r->node_of_row[row] : 0;
}

static void add_edge(struct ps_import_graph *log, uint32_t from, uint32_t to,
                     enum ps_import_evidence evidence)
{
    if (from == to || to == 0)
        return;
    PS_RESERVE_ONE(log->edges, log->n_edges, log->cap_edges);
    log->edges[log->n_edges++] = (struct ps_import_edge){from, to, (uint8_t)evidence, false};
}

/* If a node is the package of its importer, stores it as such. The log has the package below the
 * module, each time that a failing import is tried. */
static void note_package(struct log_reader *r, uint32_t node)
{
    uint32_t up = node_of_row(r, r->importer[node]);
    struct ps_str name = r->log->modules[node].name, of = r->log->modules[up].name;

    if (up && of.len > name.len && of.ptr[name.len] == '.' && ps_str_starts_with(of, name) &&
        !memchr(of.ptr + name.len + 1, '.', of.len - name.len - 1))
        r->log->nodes[up].package = node;
}

/* Finds the package of a module, if the same interpreter imported it, and adds the edge to it. */
static void find_package(struct log_reader *r, uint32_t node)
{
    struct ps_str key = r->names.items[r->name_of_node[node]];
    size_t len = key.len;
    uint32_t package;

    while (len && key.ptr[len - 1] != '.')
        len--;
    key.len = len ? len - 1 : 0;
    package = len ? ps_intern_find(&r->names, key) : PS_INTERN_NONE;
    if (!r->log->nodes[node].package && package != PS_INTERN_NONE)
        r->log->nodes[node].package = r->node_of_name[package];
    add_edge(r->log, node, r->log->nodes[node].package, PS_EVIDENCE_PACKAGE);
}

static void add_pair(struct log_reader *r, uint32_t from, uint32_t to)
{
    PS_RESERVE_ONE(r->pairs, r->n_pairs, r->cap_pairs);
    r->pairs[r->n_pairs++] = (uint64_t)from << 32 | to;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void add_loaded_edges(struct log_reader *r)
{
    const struct ps_import_graph *log = r->log;

    for (size_t i = 0; i < r->n_loaded; i++) {
        const struct loaded_import *loaded = &r->loaded[i];
        uint32_t from = node_of_row(r, loaded->importer), to = r->node_of_name[loaded->name];

        add_edge(r->log, from, to, loaded->evidence);
        if (loaded->evidence != PS_EVIDENCE_RECORDED_IMPORT)
            continue;
        add_pair(r, from, to);
        for (uint32_t up = log->nodes[to].package; up; up = log->nodes[up].package)
            add_pair(r, from, up | 1U << 31);
    }
    if (r->n_pairs)
        qsort(r->pairs, r->n_pairs, sizeof *r->pairs, by_value);
}

static bool has_pair(const struct log_reader *r, uint32_t from, uint32_t to)
{
    uint64_t key = (uint64_t)from << 32 | to;

    return r->n_pairs && bsearch(&key, r->pairs, r->n_pairs, sizeof *r->pairs, by_value);
}

/* Adds an edge from the first importer of each module. For `from package import module` the log
 * nests the package below the module, although the module did not import its package: no edge is
 * added. If the log has recorded imports, an edge to a package is also left out if the importer
 * only imported one of its submodules. */
static void add_first_edges(struct log_reader *r)
{
    struct ps_import_graph *log = r->log;

    for (uint32_t node = 1; node < log->n; node++) {
        uint32_t up = node_of_row(r, r->importer[node]);

        log->modules[node].parent = up;
        if (up && log->nodes[up].package == node)
            continue;
        if (has_pair(r, up, node | 1U << 31) && !has_pair(r, up, node))
            continue;
        add_edge(log, up, node, PS_EVIDENCE_FIRST_IMPORT);
    }
}

static enum ps_status read_log(struct ps_db *db, struct ps_import_graph *out, struct ps_err *err)
{
    struct log_reader r = {.log = out};

    out->nodes = ps_grow_to(NULL, &out->cap_nodes, 0, sizeof *out->nodes);
    out->modules = ps_grow_to(NULL, &out->cap_modules, 0, sizeof *out->modules);
    out->n = 1;
    if (read_rows(db, &r, err) == PS_OK) {
        for (uint32_t node = 0; node < out->n; node++)
            out->nodes[node].has_all_importers = out->evidence != PS_EVIDENCE_NONE;
        for (uint32_t node = 1; node < out->n; node++)
            note_package(&r, node);
        for (uint32_t node = 1; node < out->n; node++)
            find_package(&r, node);
        add_loaded_edges(&r);
        add_first_edges(&r);
    }
    reader_free(&r);
    return err->code;
}

/* --- Other logs of the shelf --- */

/* If a module imported another one in another log, it may import it here too. This is weaker
 * evidence than the log itself, and only used if the log lacks importers. */

struct name_pair {
    uint32_t importer, module; /* ids in `names` */
};

struct log_pairs {
    struct ps_cache_entry cache_entry;
    struct ps_intern names;
    struct name_pair *items;
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
static struct ps_lru_cache pairs_cache = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .bytes_max = CACHE_BYTES_MAX, .free_entry = pairs_free};

static enum ps_status read_pairs(struct ps_db *db, struct log_pairs *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("import_pairs"), &stmt, err);
    ps_bind_int(stmt, ":limit", PAIRS_MAX);
    while (ps_stmt_step(stmt, err)) {
        uint32_t importer = ps_intern_add(&out->names, ps_col_text(stmt, 0));

        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] =
            (struct name_pair){importer, ps_intern_add(&out->names, ps_col_text(stmt, 1))};
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
static enum ps_status acquire_pairs(struct ps_store *store, const char *id, struct log_pairs **out,
                                    struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    struct ps_db *db = NULL;
    char key[64];

    (void)snprintf(key, sizeof key, "%p %s", (void *)store, id);
    *out = (struct log_pairs *)ps_lru_cache_find(&pairs_cache, key);
    if (*out)
        return PS_OK;
    ps_run_acquire(store, id, &db, &own);
    if (own.code == PS_NOT_FOUND || own.code == PS_CONFLICT)
        return PS_OK;
    *out = ps_alloc(sizeof **out);
    read_pairs(db, *out, &own);
    ps_run_release(db);
    if (own.code == PS_OK) {
        ps_lru_cache_put(&pairs_cache, &(*out)->cache_entry, ps_strdup(ps_str_from_c(key)),
                         bytes_of(*out));
        return PS_OK;
    }
    pairs_free(&(*out)->cache_entry);
    *out = NULL;
    return ps_fail(err, own.code, "%s: %s", id, own.text);
}

struct edge_merger {
    struct ps_import_graph *log;
    struct ps_intern names, edges; /* module names; edges of the log as bytes */
    uint32_t *node_of_name;
};

static void merger_free(struct edge_merger *j)
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

static struct edge_merger merger_begin(struct ps_import_graph *log)
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
    struct ps_import_graph *log = j->log;
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

static enum ps_status find_other_logs(struct ps_store *store, const char *id,
                                      struct ps_import_graph *log, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_db *db;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("import_logs"), &stmt, err);
    ps_bind_text(stmt, ":run", ps_str_from_c(id));
    ps_bind_int(stmt, ":limit", LOGS_MAX);
    while (ps_stmt_step(stmt, err)) {
        struct ps_other_log other = {.name = ps_arena_copy(&log->text, ps_col_text(stmt, 1))};

        (void)snprintf(other.id, sizeof other.id, "%.16s", ps_col_text(stmt, 0).ptr);
        PS_RESERVE_ONE(log->others, log->n_others, log->cap_others);
        log->others[log->n_others++] = other;
    }
    ps_stmt_auto(&stmt);
    ps_catalog_read_end(store, db);
    return err->code;
}

static enum ps_status read_other_logs(struct ps_store *store, const char *id,
                                      struct ps_import_graph *log, struct ps_err *err)
{
    struct edge_merger j;

    if (err->code != PS_OK || log->evidence != PS_EVIDENCE_NONE)
        return err->code;
    find_other_logs(store, id, log, err);
    j = merger_begin(log);
    for (size_t i = 0; err->code == PS_OK && i < log->n_others; i++) {
        struct log_pairs *pairs;

        log->others[i].edges = log->n_edges;
        acquire_pairs(store, log->others[i].id, &pairs, err);
        if (pairs)
            add_log_edges(&j, pairs);
        ps_lru_cache_release(&pairs_cache, pairs ? &pairs->cache_entry : NULL);
    }
    merger_free(&j);
    return err->code;
}

/* --- The graph --- */

enum ps_status ps_import_graph_read_run(struct ps_db *db, struct ps_import_graph *out,
                                        struct ps_err *err)
{
    return read_log(db, out, err);
}

enum ps_status ps_import_graph_read(struct ps_store *store, const char *id,
                                    struct ps_import_graph *out, struct ps_err *err)
{
    struct ps_run_brief brief = {.name = NULL};
    struct ps_db *db = NULL;

    ps_store_read_brief(store, id, &brief, err);
    if (!ps_kind_has(brief.kind, PS_HAS_IMPORTS))
        ps_fail(err, PS_NOT_FOUND, "%s runs have no view what_if", brief.kind);
    ps_run_brief_free(&brief);
    ps_run_acquire(store, id, &db, err);
    read_log(db, out, err);
    ps_run_release(db);
    return read_other_logs(store, id, out, err);
}

void ps_import_graph_free(struct ps_import_graph *log)
{
    free(log->nodes);
    free(log->modules);
    free(log->edges);
    free(log->others);
    ps_arena_free(&log->text);
}

struct ps_str ps_import_graph_name(const struct ps_import_graph *log, uint32_t node)
{
    return node ? log->modules[node].name : PS_STR("__main__");
}

const struct ps_other_log *ps_import_graph_edge_source(const struct ps_import_graph *log,
                                                       uint32_t edge)
{
    size_t i = log->n_others;

    while (i > 0 && log->others[i - 1].edges > edge)
        i--;
    return i ? &log->others[i - 1] : NULL;
}
