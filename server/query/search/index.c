/* SPDX-License-Identifier: MIT */
/*
 * index.c: the index of the hottest names in the runs of a shelf (server/catalog/names_db.h). Runs
 * are added when somebody searches, not when they are imported: so runs of other servers and of
 * older versions of perfshelf need no case of their own, and an import takes no longer.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/frame_name.h"
#include "base/hash_table.h"
#include "base/python_path.h"
#include "server/catalog/names_db.h"
#include "server/catalog/readers.h"
#include "server/query/search/search.h"

#define ROWS_MAX                                                                                   \
    300000             /* names of one table of a run that are summed; further names are left out */
#define SHARE_MIN 1e-4 /* names with smaller shares are not indexed */

/* --- Names --- */

/* The part of a path that names a module: all of a relative path, else the file, with its folder
 * if it is an __init__.py. */
static struct ps_str module_part(struct ps_str path)
{
    const bool is_absolute = path.ptr[0] == '/' || (path.len > 1 && path.ptr[1] == ':');
    struct ps_str file = ps_path_file_name(path), folder;

    if (!is_absolute)
        return path;
    if (!ps_str_eq_c(file, "__init__.py") || path.len <= file.len + 1)
        return file;
    folder = ps_path_file_name((struct ps_str){path.ptr, path.len - file.len - 1});
    return (struct ps_str){folder.ptr, folder.len + 1 + file.len};
}

/* Appends the dotted name of the module in a file: "json.decoder" of
 * /usr/lib/python3.11/json/decoder.py. */
static void write_module(struct ps_str path, struct ps_buf *out)
{
    struct ps_str part = ps_python_installed_part(path);
    const size_t start = out->len;

    if (path.len > 8 && ps_str_starts_with(path, PS_STR("<frozen ")))
        part = (struct ps_str){path.ptr + 8, path.len - 9};
    else if (!part.ptr)
        part = module_part(path);
    if (part.len > 3 && memcmp(part.ptr + part.len - 3, ".py", 3) == 0)
        part.len -= 3;
    ps_buf_add_str(out, part);
    for (size_t i = start; i < out->len; i++)
        if (out->ptr[i] == '/' || out->ptr[i] == '\\')
            out->ptr[i] = '.';
    if (out->len - start > 9 && memcmp(out->ptr + out->len - 9, ".__init__", 9) == 0)
        out->ptr[out->len -= 9] = '\0';
}

void ps_search_split_name(enum ps_compare_names names, const struct ps_compare_input *row,
                          struct ps_buf *buf, struct ps_str *name, struct ps_str *module)
{
    struct ps_str path = row->place;

    buf->len = 0;
    ps_buf_puts(buf, "");
    *name = row->name;
    *module = PS_STR("");
    if (names == PS_LINE_NAMES)
        *module = ps_path_file_name(path);
    if (names != PS_FUNCTION_NAMES)
        return;
    if (!path.len) {
        struct ps_frame_name frame = ps_frame_name_parse(row->name);

        path = frame.file;
        *name = frame.file.len ? frame.function : row->name;
    }
    if (path.len && !ps_str_eq_c(path, "~"))
        write_module(path, buf);
    *module = ps_buf_slice(buf);
}

/* --- Hot rows of a run --- */

/* A name of a run: the sum of its rows, and its hottest row. */
struct hot_name {
    struct ps_str name, module, row, place; /* in the arena */
    double self, total, hottest;
    int64_t row_id, line, rows;
};

struct hot_names {
    const struct ps_compare_table *table;
    size_t self, total; /* metrics; equal: the table has no total besides self */
    struct ps_arena arena;
    struct ps_buf buf;
    struct ps_hash_table by_name;
    struct hot_name *items;
    size_t n, cap;
    double sum; /* of self */
};

static void hot_names_free(struct hot_names *hot)
{
    ps_hash_table_free(&hot->by_name);
    ps_arena_free(&hot->arena);
    ps_buf_free(&hot->buf);
    free(hot->items);
}

static bool has_name(const void *items, uint32_t index, const void *key)
{
    const struct hot_name *a = (const struct hot_name *)items + index, *b = key;

    return ps_str_eq(a->name, b->name) && ps_str_eq(a->module, b->module);
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* Chooses the metrics: the total is the one that budgets limit, and self the last before it that
 * adds up, so that both measure the same clock. False: no metric adds up, so there are no shares.
 */
static bool choose_metrics(const struct ps_query_comparison *head, struct hot_names *out)
{
    out->total = 0;
    while (out->total + 1 < head->n &&
           strcmp(head->metrics[out->total].name, head->budget_metric) != 0)
        out->total++;
    out->self = out->total;
    while (out->self > 0 && !head->metrics[out->self].is_additive)
        out->self--;
    return head->metrics[out->self].is_additive;
}

static void add_row(void *user, const struct ps_compare_input *row)
{
    struct hot_names *hot = user;
    struct hot_name *item, key = {.row_id = row->id, .line = row->line};
    const double self = row->values[hot->self], total = row->values[hot->total];
    uint32_t index;
    uint64_t hash;

    if (isnan(self) || isnan(total))
        return;
    hot->sum += self;
    if (self <= 0 && total <= 0)
        return;
    ps_search_split_name(hot->table->names, row, &hot->buf, &key.name, &key.module);
    hash = ps_hash_pair(ps_hash_bytes(key.name.ptr, key.name.len),
                        ps_hash_bytes(key.module.ptr, key.module.len));
    if (hot->n < ROWS_MAX)
        index =
            ps_hash_table_add(&hot->by_name, hash, (uint32_t)hot->n, has_name, hot->items, &key);
    else
        index = ps_hash_table_find(&hot->by_name, hash, has_name, hot->items, &key);
    if (index == PS_HASH_NONE)
        return;
    if (index == hot->n) {
        PS_RESERVE_ONE(hot->items, hot->n, hot->cap);
        key.name = ps_arena_copy(&hot->arena, key.name);
        key.module = ps_arena_copy(&hot->arena, key.module);
        key.hottest = -1;
        hot->items[hot->n++] = key;
    }
    item = &hot->items[index];
    item->self += self;
    item->total = greater(item->total, total);
    item->rows++;
    if (greater(self, total) <= item->hottest)
        return;
    item->hottest = greater(self, total);
    item->row = ps_arena_copy(&hot->arena, row->name);
    item->place = ps_arena_copy(&hot->arena, row->place);
    item->row_id = row->id;
    item->line = row->line;
}

static int by_heat(const void *a, const void *b)
{
    const struct hot_name *x = a, *y = b;
    const double p = greater(x->self, x->total), q = greater(y->self, y->total);

    return (p < q) - (p > q);
}

/* --- Adding and removing runs --- */

struct indexed_run {
    int64_t seq, db_bytes;
    bool is_unreadable; /* of a run in the index */
    char id[PS_ID_SIZE], kind[32], headline_unit[32];
};

struct run_list {
    struct indexed_run *items;
    size_t n, cap;
};

/* Inserts the names of a table of a run, inside a transaction. `whole`: what shares are shares
 * of. */
static void insert_names(struct ps_db *db, const struct indexed_run *run,
                         const struct hot_names *hot, const char *unit, double whole,
                         struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("names_put_part"), &stmt, err);
    ps_bind_int(stmt, ":seq", run->seq);
    ps_bind_text(stmt, ":of", ps_str_from_c(hot->table->name));
    ps_bind_text(stmt, ":unit", ps_str_from_c(unit));
    ps_bind_real(stmt, ":whole", whole);
    ps_stmt_execute(stmt, err);
    for (size_t i = 0; err->code == PS_OK && i < hot->n && i < PS_SEARCH_NAMES; i++) {
        const struct hot_name *item = &hot->items[i];
        const double self_share = item->self / whole,
                     total_share = hot->total == hot->self ? self_share : item->total / whole;
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        PS_AUTO(ps_stmt_auto) struct ps_stmt *put_name = NULL;
        PS_AUTO(ps_stmt_auto) struct ps_stmt *put_place = NULL;
        struct ps_stmt *put_hot = NULL;

        if (greater(self_share, total_share) < SHARE_MIN)
            break;
        if (hot->table->names == PS_LINE_NAMES)
            ps_buf_printf(&text, "%s %s", item->name.ptr, item->module.ptr);
        else
            ps_buf_printf(&text, "%s%s%s", item->module.ptr, item->module.len ? "." : "",
                          item->name.ptr);
        ps_db_prepare(db, ps_query_sql("names_put_name"), &put_name, err);
        ps_bind_int(put_name, ":seq", run->seq);
        ps_bind_text(put_name, ":of", ps_str_from_c(hot->table->name));
        ps_bind_text(put_name, ":name", item->name);
        ps_bind_text(put_name, ":module", item->module);
        ps_bind_text(put_name, ":text", ps_buf_slice(&text));
        ps_bind_real(put_name, ":self_share", self_share);
        ps_bind_real(put_name, ":total_share", total_share);
        ps_db_prepare(db, ps_query_sql("names_put_place"), &put_place, err);
        ps_bind_text(put_place, ":row", item->row);
        ps_bind_text(put_place, ":place", item->place);
        ps_db_prepare(db, ps_query_sql("names_put_hot"), &put_hot, err);
        if (ps_stmt_step(put_name, err) && ps_stmt_step(put_place, err)) {
            ps_bind_int(put_hot, ":name", ps_col_int(put_name, 0));
            ps_bind_int(put_hot, ":place", ps_col_int(put_place, 0));
        }
        ps_bind_int(put_hot, ":seq", run->seq);
        ps_bind_real(put_hot, ":self", item->self);
        if (hot->total != hot->self)
            ps_bind_real(put_hot, ":total", item->total);
        ps_bind_real(put_hot, ":self_share", self_share);
        ps_bind_real(put_hot, ":total_share", total_share);
        ps_bind_int(put_hot, ":row_id", item->row_id);
        ps_bind_int(put_hot, ":line", item->line);
        ps_bind_int(put_hot, ":rows", item->rows);
        ps_stmt_execute(put_hot, err);
    }
}

/* The names of one table of a run, sorted by heat. */
static enum ps_status read_table(struct ps_store *store, const struct indexed_run *run,
                                 const struct ps_query_comparison *head, struct hot_names *hot,
                                 double *whole, struct ps_err *err)
{
    struct ps_run_rows rows = {
        .store = store, .table = hot->table, .head = head, .on_row = add_row, .user = hot};
    struct ps_db *db = NULL;

    ps_run_acquire(store, run->id, &db, err);
    if (err->code == PS_OK)
        ps_compare_read_whole(db, &head->metrics[hot->self], whole, err);
    ps_run_release(db);
    if (err->code == PS_OK)
        ps_run_rows_read(&rows, run->id, err);
    ps_run_rows_free(&rows);
    if (hot->n)
        qsort(hot->items, hot->n, sizeof *hot->items, by_heat);
    if (isnan(*whole))
        *whole = hot->sum;
    return err->code;
}

#define PARTS_MAX 8

struct run_names {
    struct hot_names parts[PARTS_MAX];
    double wholes[PARTS_MAX];
    const char *units[PARTS_MAX];
    size_t n;
    bool is_unreadable;
};

static enum ps_status read_run(struct ps_store *store, const struct indexed_run *run,
                               struct run_names *out, struct ps_err *err)
{
    const struct ps_compare_table *table = NULL;

    while (err->code == PS_OK && out->n < PARTS_MAX &&
           (table = ps_compare_next_table(table, run->kind))) {
        struct hot_names *hot = &out->parts[out->n];
        struct ps_query_comparison head;
        const char *unit;

        ps_compare_table_head(table, &head);
        hot->table = table;
        if (table->names == PS_NOT_SEARCHED || !choose_metrics(&head, hot))
            continue;
        unit = ps_compare_unit_of(&head.metrics[hot->self], run->kind, run->headline_unit);
        out->units[out->n] = strcmp(unit, "-") == 0 ? "" : unit;
        read_table(store, run, &head, hot, &out->wholes[out->n++], err);
    }
    return err->code;
}

static void put_run(struct ps_db *db, const struct indexed_run *run, const struct run_names *names,
                    struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    bool is_new;

    ps_db_prepare(db, ps_query_sql("names_put_run"), &stmt, err);
    ps_bind_int(stmt, ":seq", run->seq);
    ps_bind_text(stmt, ":run", ps_str_from_c(run->id));
    ps_bind_int(stmt, ":db_bytes", run->db_bytes);
    ps_bind_int(stmt, ":unreadable", names->is_unreadable);
    is_new = ps_stmt_step(stmt, err);
    ps_stmt_release(stmt);
    for (size_t i = 0; is_new && i < names->n; i++)
        if (names->wholes[i] > 0)
            insert_names(db, run, &names->parts[i], names->units[i], names->wholes[i], err);
}

static void end_transaction(struct ps_db *db, struct ps_err *err)
{
    ps_db_exec(db, err->code == PS_OK ? "COMMIT" : "ROLLBACK",
               err->code == PS_OK ? err : PS_ERR_IGNORED); /* the first failure is reported */
}

/* Runs that were read and are inserted in one transaction. The rows of a run are spread over the
 * pages of the index, so runs that are inserted together write each page once. */
#define BATCH_RUNS  32
#define BATCH_BYTES ((size_t)32 << 20)

struct batch {
    const struct indexed_run *runs[BATCH_RUNS];
    struct run_names *names; /* array of BATCH_RUNS */
    size_t n, bytes;
};

static void clear_batch(struct batch *batch)
{
    for (size_t i = 0; i < batch->n; i++)
        for (size_t part = 0; part < PARTS_MAX; part++)
            hot_names_free(&batch->names[i].parts[part]);
    batch->n = batch->bytes = 0;
}

/* Counts a run that is in the index. */
static void count_run(struct ps_search_coverage *coverage, bool is_unreadable)
{
    if (is_unreadable)
        coverage->unreadable++;
    else
        coverage->indexed++;
}

/* Inserts the runs of the batch, counts them and empties the batch. */
static void insert_batch(struct ps_store *store, struct batch *batch,
                         struct ps_search_coverage *coverage, struct ps_err *err)
{
    struct ps_db *db;

    if (batch->n && ps_names_lock(store, &db, err) == PS_OK) {
        if (ps_db_exec(db, "BEGIN IMMEDIATE", err) == PS_OK) {
            for (size_t i = 0; i < batch->n; i++)
                put_run(db, batch->runs[i], &batch->names[i], err);
            end_transaction(db, err);
        }
        ps_names_unlock(store);
    }
    for (size_t i = 0; err->code == PS_OK && i < batch->n; i++)
        count_run(coverage, batch->names[i].is_unreadable);
    clear_batch(batch);
}

/* Whether a run that cannot be read is in the index as such: further attempts would fail, too. */
static bool is_final(enum ps_status status)
{
    return status == PS_NOT_FOUND || status == PS_CONFLICT || status == PS_LIMIT;
}

/* Reads a run into the batch. A run that cannot be read now is counted and left for a later
 * call. */
static void add_to_batch(struct ps_store *store, const struct indexed_run *run, struct batch *batch,
                         struct ps_search_coverage *coverage, struct ps_err *err)
{
    struct run_names *names = &batch->names[batch->n];
    struct ps_err failure = PS_ERR_INIT;

    *names = (struct run_names){.n = 0};
    batch->runs[batch->n++] = run;
    read_run(store, run, names, &failure);
    for (size_t i = 0; i < names->n; i++)
        batch->bytes += names->parts[i].arena.allocated_bytes;
    if (ps_context_check(err) == PS_OK && failure.code == PS_OK)
        return;
    for (size_t part = 0; part < PARTS_MAX; part++)
        hot_names_free(&names->parts[part]);
    *names = (struct run_names){.is_unreadable = true};
    if (!is_final(failure.code)) {
        batch->n--;
        coverage->unreadable++;
    }
}

static enum ps_status remove_run(struct ps_store *store, int64_t seq, struct ps_err *err)
{
    static const char *const steps[] = {"names_forget_sums", "names_forget_names",
                                        "names_forget_hot", "names_forget_parts",
                                        "names_forget_run"};
    struct ps_db *db;

    if (ps_names_lock(store, &db, err) != PS_OK)
        return err->code;
    if (ps_db_exec(db, "BEGIN IMMEDIATE", err) == PS_OK) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            struct ps_stmt *stmt = NULL;

            ps_db_prepare(db, ps_query_sql(steps[i]), &stmt, err);
            ps_bind_int(stmt, ":seq", seq);
            ps_stmt_execute(stmt, err);
        }
        end_transaction(db, err);
    }
    ps_names_unlock(store);
    return err->code;
}

/* --- What is to be done --- */

static void append_run(struct run_list *list, struct ps_stmt *stmt, bool is_catalog)
{
    struct indexed_run run = {.seq = ps_col_int(stmt, 0),
                              .db_bytes = ps_col_int(stmt, is_catalog ? 3 : 2)};

    (void)snprintf(run.id, sizeof run.id, "%.16s", ps_col_text(stmt, 1).ptr);
    if (is_catalog) {
        (void)snprintf(run.kind, sizeof run.kind, "%.31s", ps_col_text(stmt, 2).ptr);
        (void)snprintf(run.headline_unit, sizeof run.headline_unit, "%.31s",
                       ps_col_text(stmt, 4).ptr);
    } else {
        run.is_unreadable = ps_col_int(stmt, 3) != 0;
    }
    PS_RESERVE_ONE(list->items, list->n, list->cap);
    list->items[list->n++] = run;
}

static enum ps_status read_shelf(struct ps_store *store, struct run_list *out, int64_t *n_runs,
                                 struct ps_err *err)
{
    struct ps_db *db;
    struct ps_stmt *stmt = NULL, *count = NULL;

    ps_catalog_read(store, &db, err);
    ps_db_prepare(db, ps_query_sql("names_run_count"), &count, err);
    if (ps_stmt_step(count, err))
        *n_runs = ps_col_int(count, 0);
    ps_db_prepare(db, ps_query_sql("names_runs"), &stmt, err);
    ps_bind_int(stmt, ":limit", PS_SEARCH_RUNS_MAX);
    while (ps_stmt_step(stmt, err))
        append_run(out, stmt, true);
    ps_stmt_release(stmt);
    ps_stmt_release(count);
    ps_catalog_read_end(store, db);
    return err->code;
}

static enum ps_status read_indexed(struct ps_store *store, struct run_list *out, struct ps_err *err)
{
    struct ps_db *db;
    struct ps_stmt *stmt = NULL;

    if (ps_names_lock(store, &db, err) != PS_OK)
        return err->code;
    ps_db_prepare(db, ps_query_sql("names_indexed"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        append_run(out, stmt, false);
    ps_stmt_release(stmt);
    ps_names_unlock(store);
    return err->code;
}

/* Both lists are sorted by seq, the greatest first. */
static void update(struct ps_store *store, const struct run_list *shelf,
                   const struct run_list *indexed, int64_t budget_ms, struct batch *batch,
                   struct ps_search_coverage *coverage, struct ps_err *err)
{
    const int64_t until_ms = ps_monotonic_ms() + budget_ms;
    size_t i = 0, k = 0;
    bool has_time = true;

    while (err->code == PS_OK && (i < shelf->n || k < indexed->n)) {
        const struct indexed_run *wanted = i < shelf->n ? &shelf->items[i] : NULL,
                                 *known = k < indexed->n ? &indexed->items[k] : NULL;
        const bool add = wanted && (!known || wanted->seq > known->seq),
                   keep = !add && wanted && known->seq == wanted->seq &&
                          known->db_bytes == wanted->db_bytes && strcmp(known->id, wanted->id) == 0;

        if (keep) {
            count_run(coverage, known->is_unreadable);
            i++;
            k++;
        } else if (add) {
            if (has_time)
                add_to_batch(store, wanted, batch, coverage, err);
            i++;
        } else {
            if (has_time)
                remove_run(store, known->seq, err);
            k++; /* if the run was imported again, the next turn adds it */
        }
        if (batch->n == BATCH_RUNS || batch->bytes > BATCH_BYTES)
            insert_batch(store, batch, coverage, err);
        has_time = ps_monotonic_ms() < until_ms;
    }
    insert_batch(store, batch, coverage, err);
    clear_batch(batch);
}

enum ps_status ps_search_update(struct ps_store *store, int64_t budget_ms,
                                struct ps_search_coverage *out, struct ps_err *err)
{
    struct run_list shelf = {.n = 0}, indexed = {.n = 0};
    struct batch batch = {.names = ps_alloc_array(BATCH_RUNS, sizeof *batch.names)};

    *out = (struct ps_search_coverage){0, 0, 0};
    read_shelf(store, &shelf, &out->runs, err);
    read_indexed(store, &indexed, err);
    if (err->code == PS_OK)
        update(store, &shelf, &indexed, budget_ms, &batch, out, err);
    free(batch.names);
    free(shelf.items);
    free(indexed.items);
    return err->code;
}
