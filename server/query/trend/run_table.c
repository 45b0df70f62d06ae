/* SPDX-License-Identifier: MIT */
#include "server/query/trend/run_table.h"

#include <math.h>
#include <stdlib.h>

#include "server/catalog/readers.h"

enum { CACHE_BYTES_MAX = 64 << 20 };

static void free_entry(struct ps_cache_entry *entry)
{
    struct ps_run_table *table = (struct ps_run_table *)entry;

    free(entry->key);
    free(table->rows);
    ps_buf_free(&table->texts);
    free(table);
}

static struct ps_lru_cache cache = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .bytes_max = CACHE_BYTES_MAX,
    .free_entry = free_entry,
};

enum ps_status ps_run_presence_read(struct ps_store *store, const char *id,
                                    const struct ps_query_comparison *head,
                                    struct ps_run_presence *out, struct ps_err *err)
{
    bool has[PS_HEAD_METRICS] = {false};
    double resolution[PS_HEAD_METRICS] = {0};
    struct ps_db *db = NULL;
    double cut = 0;

    ps_run_acquire(store, id, &db, err);
    ps_compare_find_metrics_of_run(db, head, has, resolution, &out->has_table, err);
    ps_compare_read_cut(db, head, &cut, err);
    ps_run_release(db);
    out->is_cut = cut >= PS_CUT_NOTABLE;
    for (size_t i = 0; i < head->n; i++)
        out->values[i] = has[i] ? 0 : (double)NAN;
    return err->code;
}

static uint32_t add_text(struct ps_buf *texts, struct ps_str text)
{
    const uint32_t offset = (uint32_t)texts->len;

    ps_buf_add_str(texts, text);
    return offset;
}

struct reading {
    struct ps_run_table *table;
    size_t n_metrics;
};

static void add_row(void *user, const struct ps_compare_input *input)
{
    const struct reading *reading = user;
    struct ps_run_table *table = reading->table;
    struct ps_run_table_row *row;

    if (table->texts.len + input->name.len + input->place.len > UINT32_MAX)
        return;
    PS_RESERVE_ONE(table->rows, table->n, table->cap);
    row = &table->rows[table->n++];
    *row = (struct ps_run_table_row){
        .name = add_text(&table->texts, input->name),
        .name_len = (uint32_t)input->name.len,
        .place = add_text(&table->texts, input->place),
        .place_len = (uint32_t)input->place.len,
    };
    for (size_t i = 0; i < reading->n_metrics; i++)
        row->values[i] = input->values[i];
}

static enum ps_status read_table(struct ps_store *store, const struct ps_compare_table *about,
                                 const char *id, struct ps_run_table *out, struct ps_err *err)
{
    struct ps_query_comparison head;
    struct reading reading = {.table = out};
    struct ps_run_rows rows = {
        .store = store, .table = about, .head = &head, .on_row = add_row, .user = &reading};

    ps_compare_table_head(about, &head);
    reading.n_metrics = head.n;
    if (ps_run_presence_read(store, id, &head, &out->presence, err) != PS_OK ||
        !out->presence.has_table)
        return err->code;
    ps_run_rows_read(&rows, id, err);
    ps_run_rows_free(&rows);
    return err->code;
}

const struct ps_run_table *ps_run_table_read(struct ps_store *store,
                                             const struct ps_compare_table *about, const char *id,
                                             struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    struct ps_run_table *table;

    ps_buf_printf(&key, "%s %s %p", id, about->query, (void *)store);
    table = (struct ps_run_table *)ps_lru_cache_find(&cache, key.ptr);
    if (table)
        return table;
    table = ps_alloc(sizeof *table);
    if (read_table(store, about, id, table, err) != PS_OK) {
        free_entry(&table->cache_entry);
        return NULL;
    }
    ps_lru_cache_put(&cache, &table->cache_entry, ps_strdup(ps_buf_slice(&key)),
                     sizeof *table + table->cap * sizeof *table->rows + table->texts.len);
    return table;
}

void ps_run_table_release(const struct ps_run_table *table)
{
    ps_lru_cache_release(&cache, table ? &table->cache_entry : NULL);
}

struct ps_compare_input ps_run_table_input(const struct ps_run_table *table, size_t i)
{
    const struct ps_run_table_row *row = &table->rows[i];
    struct ps_compare_input input = {
        .name = {table->texts.ptr + row->name, row->name_len},
        .place = {table->texts.ptr + row->place, row->place_len},
    };

    for (size_t k = 0; k < PS_HEAD_METRICS; k++)
        input.values[k] = row->values[k];
    return input;
}
