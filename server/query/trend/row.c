/* SPDX-License-Identifier: MIT */
/* row.c: implements row.h. The values of a row in a run are cached, since runs never change. */
#include "server/query/trend/row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash_table.h"
#include "base/python_path.h"
#include "server/query/trend/run_table.h"

/* --- Cache --- */

struct cache_slot {
    uint64_t key[2];                /* hashes of store, run, query and row; 0, 0: unused */
    double values[PS_HEAD_METRICS]; /* NAN: the run has no such metric */
    bool table, row;
    bool is_cut;     /* the profile of the run leaves out rows */
    bool other_unit; /* the row has other units only */
    bool lacks_step; /* the run has no range of the chosen name */
};

#define SLOTS 32768 /* about 2 MiB; a new entry replaces the one in its slot */
static struct cache_slot slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Sources may be attached to runs later: keys of tables with source lines include the version of
 * the shelf. */
static void make_key(struct ps_store *store, const struct ps_compare_table *table,
                     const struct ps_trend_row *row, const char *id, uint64_t key[2])
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_buf_printf(&text, ".%p %s %s %lld ", (void *)store, id, table->query,
                  table->names_rows_by_source ? (long long)ps_store_version(store) : 0);
    ps_buf_printf(&text, "%zu %s%c", strlen(row->name), row->name, row->place ? '@' : ' ');
    if (row->place)
        ps_buf_printf(&text, "%zu %s", strlen(row->place), row->place);
    if (row->step)
        ps_buf_printf(&text, "/%s", row->step);
    key[0] = ps_hash_bytes(text.ptr, text.len) | 1;
    key[1] = ps_hash_bytes(text.ptr + 1, text.len - 1);
}

static bool find_in_cache(const uint64_t key[2], struct cache_slot *out)
{
    bool found;

    pthread_mutex_lock(&lock);
    *out = slots[key[1] % SLOTS];
    found = out->key[0] == key[0] && out->key[1] == key[1];
    pthread_mutex_unlock(&lock);
    return found;
}

static void put_in_cache(const struct cache_slot *entry)
{
    pthread_mutex_lock(&lock);
    slots[entry->key[1] % SLOTS] = *entry;
    pthread_mutex_unlock(&lock);
}

/* --- Rows --- */

struct row_values {
    double values[PS_HEAD_METRICS];
    bool has_values;
};

struct row_search {
    const struct ps_query_comparison *head;
    struct ps_str name, place;
    bool in_any_file, place_is_unit, other_unit;
    struct row_values same_place;
    struct row_values other_places; /* in files of the same name in other folders */
};

/* Combines a row with `into`: sums metrics that add up, and keeps the maximum of others. */
static void combine_row(const struct ps_query_comparison *head, const struct ps_compare_input *row,
                        struct row_values *into)
{
    for (size_t i = 0; i < head->n; i++) {
        double *value = &into->values[i];

        if (!into->has_values || isnan(*value))
            *value = row->values[i];
        else if (isnan(row->values[i]))
            continue;
        else if (head->metrics[i].is_additive)
            *value += row->values[i];
        else
            *value = row->values[i] > *value ? row->values[i] : *value;
    }
    into->has_values = true;
}

static void match_row(void *user, const struct ps_compare_input *row)
{
    struct row_search *search = user;

    if (!ps_str_eq(row->name, search->name))
        return;
    if (search->in_any_file || ps_str_eq(row->place, search->place))
        combine_row(search->head, row, &search->same_place);
    else if (search->place_is_unit)
        search->other_unit = true;
    else if (ps_str_eq(ps_path_file_name(row->place), ps_path_file_name(search->place)))
        combine_row(search->head, row, &search->other_places);
}

static enum ps_status read_presence(struct ps_store *store, const char *id,
                                    const struct ps_query_comparison *head, struct cache_slot *out,
                                    struct ps_err *err)
{
    struct ps_run_presence presence = {.has_table = false};

    ps_run_presence_read(store, id, head, &presence, err);
    out->table = presence.has_table;
    out->is_cut = presence.is_cut;
    memcpy(out->values, presence.values, sizeof out->values);
    return err->code;
}

/* Makes the rows those of the mean step if a person chose the steps. */
static enum ps_status choose_step(const struct ps_trend_row *row, const char *id, const char *kind,
                                  struct ps_run_rows *rows, bool *lacks_step, struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    double mean_s;

    *lacks_step = false;
    if (!row->step || err->code != PS_OK)
        return err->code;
    rows->per = PS_PER_STEP;
    rows->step = row->step;
    ps_chosen_step_mean(rows->store, id, kind, row->step, &mean_s, &rows->steps, &own);
    *lacks_step = own.code == PS_BAD_REQUEST;
    return *lacks_step ? PS_OK : ps_fail_copy(err, &own);
}

/* Whether the rows of the table have units of their own, as results of benchmarks have. All rows of
 * such a table are read at once. A row that a run lacks was not measured, so it has no value. */
static bool has_units(const struct ps_query_comparison *head)
{
    return strcmp(head->place, "unit") == 0;
}

/* Passes all rows of a run to `on_row`. *presence receives what the run has. */
static enum ps_status visit_rows(struct ps_run_rows *rows, const struct ps_trend_row *row,
                                 const char *id, const char *kind, struct cache_slot *presence,
                                 struct ps_err *err)
{
    const struct ps_run_table *table;

    if (!has_units(rows->head)) {
        if (read_presence(rows->store, id, rows->head, presence, err) != PS_OK ||
            !presence->table ||
            choose_step(row, id, kind, rows, &presence->lacks_step, err) != PS_OK ||
            presence->lacks_step)
            return err->code;
        ps_run_rows_read(rows, id, err);
        ps_run_rows_free(rows);
        return err->code;
    }
    table = ps_run_table_read(rows->store, rows->table, id, err);
    if (!table)
        return err->code;
    presence->table = table->presence.has_table;
    memcpy(presence->values, table->presence.values, sizeof presence->values);
    for (size_t i = 0; i < table->n; i++) {
        const struct ps_compare_input input = ps_run_table_input(table, i);

        rows->on_row(rows->user, &input);
    }
    ps_run_table_release(table);
    return PS_OK;
}

static enum ps_status read_row(struct ps_store *store, const struct ps_compare_table *table,
                               const struct ps_query_comparison *head,
                               const struct ps_trend_row *row, const char *id, const char *kind,
                               struct cache_slot *out, struct ps_err *err)
{
    struct row_search search = {.head = head,
                                .name = ps_str_from_c(row->name),
                                .place = ps_str_from_c(row->place),
                                .in_any_file = !row->place,
                                .place_is_unit = has_units(head)};
    struct ps_run_rows rows = {
        .store = store, .table = table, .head = head, .on_row = match_row, .user = &search};
    const struct row_values *found;

    if (visit_rows(&rows, row, id, kind, out, err) != PS_OK || !out->table || out->lacks_step)
        return err->code;
    found = search.same_place.has_values ? &search.same_place : &search.other_places;
    out->row = found->has_values;
    out->other_unit = search.other_unit && !found->has_values;
    for (size_t i = 0; found->has_values && i < head->n; i++)
        out->values[i] = isnan(out->values[i]) ? out->values[i] : found->values[i];
    return err->code;
}

/* --- Tables and metrics --- */

/* Returns the index of a metric, head->n if there is none; without a name the first one. */
static size_t find_metric(const struct ps_query_comparison *head, const char *name)
{
    size_t at = 0;

    while (name && at < head->n && strcmp(head->metrics[at].name, name) != 0)
        at++;
    return at;
}

enum ps_status ps_trend_row_choose_metric(struct ps_store *store, struct ps_trend_row *row,
                                          const char *id, const char *kind, struct ps_arena *arena,
                                          struct ps_err *err)
{
    const struct ps_compare_table *table = ps_compare_find_table(row->table, kind);
    struct ps_query_comparison head;
    struct cache_slot presence = {.table = false};

    if (!table || row->metric)
        return err->code;
    ps_compare_table_head(table, &head);
    read_presence(store, id, &head, &presence, err);
    for (size_t i = 0; i < head.n && presence.table && !row->metric; i++)
        if (!isnan(presence.values[i]))
            row->metric = ps_arena_copy(arena, ps_str_from_c(head.metrics[i].name)).ptr;
    return err->code;
}

enum ps_status ps_trend_row_metric(const struct ps_trend_row *row, const char *kind,
                                   struct ps_query_metric *out, struct ps_err *err)
{
    const struct ps_compare_table *table = ps_compare_find_table(row->table, kind);
    struct ps_query_comparison head;
    size_t at;

    if (!table)
        return ps_fail(err, PS_NOT_FOUND, "runs of kind %s have no table %s", kind, row->table);
    ps_compare_table_head(table, &head);
    at = find_metric(&head, row->metric);
    if (at == head.n)
        return ps_fail(err, PS_BAD_REQUEST, "table %s has no metric %s", row->table, row->metric);
    if (row->step && !ps_compare_has_step_values(&head))
        return ps_fail(err, PS_BAD_REQUEST, "table %s has no values of chosen steps", row->table);
    *out = head.metrics[at];
    if (strcmp(out->unit, "-") == 0)
        out->unit = strcmp(head.place, "unit") == 0 && row->place ? row->place : "";
    return PS_OK;
}

static enum ps_trend_outcome outcome_of(const struct cache_slot *entry, double value)
{
    return isnan(value)    ? PS_TREND_NO_METRIC
           : entry->row    ? PS_TREND_VALUE
           : entry->is_cut ? PS_TREND_UNLISTED
                           : PS_TREND_ABSENT;
}

enum ps_status ps_trend_row_value(struct ps_store *store, const struct ps_trend_row *row,
                                  const char *id, const char *kind, double *value,
                                  enum ps_trend_outcome *outcome, struct ps_err *err)
{
    const struct ps_compare_table *table = ps_compare_find_table(row->table, kind);
    struct ps_query_comparison head;
    struct cache_slot entry = {.table = false};
    uint64_t key[2];
    size_t at;

    *outcome = PS_TREND_NO_TABLE;
    if (!table)
        return err->code;
    ps_compare_table_head(table, &head);
    make_key(store, table, row, id, key);
    if (has_units(&head) || !find_in_cache(key, &entry)) {
        entry = (struct cache_slot){.key = {key[0], key[1]}};
        if (read_row(store, table, &head, row, id, kind, &entry, err) != PS_OK)
            return err->code;
        if (!has_units(&head))
            put_in_cache(&entry);
    }
    at = find_metric(&head, row->metric);
    *value = at < head.n ? entry.values[at] : (double)NAN;
    if (entry.table)
        *outcome = entry.lacks_step    ? PS_TREND_NO_STEP
                   : entry.other_unit  ? PS_TREND_OTHER_UNIT
                   : !has_units(&head) ? outcome_of(&entry, *value)
                   : isnan(*value)     ? PS_TREND_NOT_MEASURED
                   : entry.row         ? PS_TREND_VALUE
                                       : PS_TREND_NOT_MEASURED;
    return err->code;
}

/* --- All rows --- */

struct table_visit {
    ps_trend_on_row *on_row;
    void *user;
    size_t metric, n_metrics;
};

static void visit_row(void *user, const struct ps_compare_input *row)
{
    const struct table_visit *visit = user;

    if (visit->metric < visit->n_metrics)
        visit->on_row(visit->user, row, row->values[visit->metric]);
}

enum ps_status ps_trend_table_read(struct ps_store *store, const struct ps_trend_row *row,
                                   const char *id, const char *kind, ps_trend_on_row *on_row,
                                   void *user, enum ps_trend_outcome *outcome, bool *is_cut,
                                   struct ps_err *err)
{
    const struct ps_compare_table *table = ps_compare_find_table(row->table, kind);
    struct ps_query_comparison head;
    struct cache_slot presence = {.table = false};
    struct table_visit visit = {.on_row = on_row, .user = user};
    struct ps_run_rows rows = {
        .store = store, .table = table, .head = &head, .on_row = visit_row, .user = &visit};

    *outcome = PS_TREND_NO_TABLE;
    if (!table)
        return err->code;
    ps_compare_table_head(table, &head);
    visit.n_metrics = head.n;
    visit.metric = find_metric(&head, row->metric);
    if (visit_rows(&rows, row, id, kind, &presence, err) != PS_OK || !presence.table)
        return err->code;
    *is_cut = presence.is_cut;
    *outcome = presence.lacks_step                                              ? PS_TREND_NO_STEP
               : visit.metric == head.n || isnan(presence.values[visit.metric]) ? PS_TREND_NO_METRIC
                                                                                : PS_TREND_VALUE;
    return err->code;
}

/* --- Units --- */

struct unit_search {
    struct ps_arena *arena;
    struct ps_str name;
    const char *unit;
};

static void note_unit(void *user, const struct ps_compare_input *row)
{
    struct unit_search *search = user;

    if (!search->unit && ps_str_eq(row->name, search->name))
        search->unit = ps_arena_copy(search->arena, row->place).ptr;
}

enum ps_status ps_trend_row_choose_unit(struct ps_store *store, struct ps_trend_row *row,
                                        const char *id, const char *kind, struct ps_arena *arena,
                                        struct ps_err *err)
{
    const struct ps_compare_table *table = ps_compare_find_table(row->table, kind);
    struct ps_query_comparison head;
    struct cache_slot presence = {.table = false};
    struct unit_search search = {.arena = arena, .name = ps_str_from_c(row->name)};
    struct ps_run_rows rows = {
        .store = store, .table = table, .head = &head, .on_row = note_unit, .user = &search};

    if (!table || row->place)
        return err->code;
    ps_compare_table_head(table, &head);
    if (!has_units(&head))
        return err->code;
    visit_rows(&rows, row, id, kind, &presence, err);
    row->place = search.unit;
    return err->code;
}
