/* SPDX-License-Identifier: MIT */
/* import_graph.c: reads an import log as a graph of imports. */
#include "server/query/imports/import_graph.h"

#include <stdlib.h>

#include "base/intern.h"
#include "importers/kinds.h"
#include "server/catalog/readers.h"

/* --- The log --- */

/* Columns of queries/what_if.sql, and its flags. */
enum { ID, IMPORTER, MODULE, SELF, FLAGS, INTERPRETER, PACKAGE, ORIGIN };
enum { CACHED = 1, STARTUP = 2, RECORDED = 64, IN_FUNCTION = 128 };

/* Marks of pairs: `to` is a package of the imported module; the import is in a function. */
#define PAIR_PACKAGE  (1U << 31)
#define PAIR_FUNCTION (1U << 30)

struct loaded_import {
    int64_t importer; /* row; 0: the program */
    uint32_t name;    /* id in `names` */
    uint8_t evidence;
    bool is_in_function;
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
    /* Recorded imports as from << 32 | to, sorted, with the marks PAIR_. */
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
        .interpreter = (uint32_t)ps_col_int(stmt, INTERPRETER),
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
        .is_in_function = flags & IN_FUNCTION,
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
                     enum ps_import_evidence evidence, bool is_in_function)
{
    if (from == to || to == 0)
        return;
    PS_RESERVE_ONE(log->edges, log->n_edges, log->cap_edges);
    log->edges[log->n_edges++] = (struct ps_import_edge){
        .from = from, .to = to, .evidence = (uint8_t)evidence, .is_in_function = is_in_function};
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
    add_edge(r->log, node, r->log->nodes[node].package, PS_EVIDENCE_PACKAGE, false);
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

        add_edge(r->log, from, to, loaded->evidence, loaded->is_in_function);
        if (loaded->evidence != PS_EVIDENCE_RECORDED_IMPORT)
            continue;
        add_pair(r, from, to);
        if (loaded->is_in_function)
            add_pair(r, from, to | PAIR_FUNCTION);
        for (uint32_t up = log->nodes[to].package; up; up = log->nodes[up].package)
            add_pair(r, from, up | PAIR_PACKAGE);
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
        if (has_pair(r, up, node | PAIR_PACKAGE) && !has_pair(r, up, node))
            continue;
        add_edge(log, up, node, PS_EVIDENCE_FIRST_IMPORT, has_pair(r, up, node | PAIR_FUNCTION));
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
    return err->code;
}

void ps_import_graph_free(struct ps_import_graph *log)
{
    free(log->nodes);
    free(log->modules);
    free(log->edges);
    ps_arena_free(&log->text);
}

struct ps_str ps_import_graph_name(const struct ps_import_graph *log, uint32_t node)
{
    return node ? log->modules[node].name : PS_STR("__main__");
}
