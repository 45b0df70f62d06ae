/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/agent/explore.h"

#define PATH_FRAMES 8

/* cJSON arrays are lists: they are read from the first to the last element. */
static void read_names(const cJSON *list, const char **names, size_t n)
{
    const cJSON *item;
    size_t i = 0;

    cJSON_ArrayForEach(item, list)
    {
        const char *name = cJSON_GetStringValue(item);

        if (i < n)
            names[i++] = name ? name : "";
    }
}

static void read_numbers(const cJSON *answer, const char *key, double *out, size_t n)
{
    const cJSON *item;
    size_t i = 0;

    cJSON_ArrayForEach(item, ps_member(answer, key))
    {
        if (i < n)
            out[i++] = cJSON_IsNumber(item) ? item->valuedouble : 0;
    }
}

enum ps_status ps_nodes_read(const cJSON *answer, struct ps_nodes *out, struct ps_err *err)
{
    const cJSON *list = ps_member(ps_member(answer, "frames"), "name");
    const size_t n = (size_t)cJSON_GetArraySize(ps_member(answer, "parent")),
                 n_names = (size_t)cJSON_GetArraySize(list);
    PS_AUTO(ps_free_ptr) const char **names = ps_alloc_array(n_names + 1, sizeof *names);
    PS_AUTO(ps_free_ptr) double *numbers = ps_alloc_array(n + 1, sizeof *numbers);

    *out = (struct ps_nodes){.n = n};
    out->parent = ps_alloc_array(n + 1, sizeof *out->parent);
    out->names = ps_alloc_array(n + 1, sizeof *out->names);
    out->self = ps_alloc_array(n + 1, sizeof *out->self);
    out->total = ps_alloc_array(n + 1, sizeof *out->total);
    read_names(list, names, n_names);
    read_numbers(answer, "self", out->self, n);
    read_numbers(answer, "total", out->total, n);
    read_numbers(answer, "parent", numbers, n);
    for (size_t i = 0; i < n; i++) {
        if (!(numbers[i] >= -1 && numbers[i] < (double)i))
            return ps_fail(err, PS_INTERNAL, "the shelf sent a flame graph without a root");
        out->parent[i] = (int)numbers[i];
    }
    read_numbers(answer, "frame", numbers, n);
    for (size_t i = 0; i < n; i++) {
        if (!(numbers[i] >= 0 && numbers[i] < (double)n_names))
            return ps_fail(err, PS_INTERNAL, "the shelf sent a flame graph without names");
        out->names[i] = names[(size_t)numbers[i]];
    }
    return PS_OK;
}

void ps_nodes_free(struct ps_nodes *flame)
{
    free(flame->parent);
    free(flame->names);
    free(flame->self);
    free(flame->total);
    *flame = (struct ps_nodes){0};
}

/* Times by name, the largest first. */
struct sums {
    struct sum {
        const char *name;
        double total;
    } * items;
    size_t n, cap;
};

static void sums_free(struct sums *sums)
{
    free(sums->items);
}

static void add_sum(struct sums *sums, const char *name, double total)
{
    size_t i = 0;

    while (i < sums->n && strcmp(sums->items[i].name, name) != 0)
        i++;
    if (i == sums->n) {
        PS_RESERVE_ONE(sums->items, sums->n, sums->cap);
        sums->items[sums->n++] = (struct sum){name, 0};
    }
    sums->items[i].total += total;
}

static int compare_sums(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;

    return x->total != y->total ? (x->total < y->total ? 1 : -1) : strcmp(x->name, y->name);
}

/* Sums the nodes directly below the root, by name. */
static void sum_neighbours(const struct ps_nodes *flame, const char *of_root, struct sums *sums)
{
    for (size_t i = 1; i < flame->n; i++)
        if (flame->parent[i] == 0)
            add_sum(sums, flame->names[i], flame->total[i]);
    if (of_root && flame->n && flame->self[0] > 0)
        add_sum(sums, of_root, flame->self[0]);
    if (sums->n)
        qsort(sums->items, sums->n, sizeof *sums->items, compare_sums);
}

void ps_explore_add_neighbours(const struct ps_explored *x, const struct ps_nodes *flame,
                               const struct ps_neighbour_words *words,
                               const struct ps_node_unit *unit)
{
    const struct ps_output_column columns[] = {
        {"total", unit->unit, PS_NUMBER}, {words->base, "%", PS_NUMBER}, {"name", "", PS_WORDS}};
    struct ps_output *out = x->call->out;
    PS_AUTO(sums_free) struct sums sums = {0};

    sum_neighbours(flame, words->of_root, &sums);
    if (sums.n == 0)
        return;
    ps_output_table(out, words->title, columns, 3);
    for (size_t i = 0; i < sums.n; i++) {
        ps_output_value(out, sums.items[i].total / unit->scale, unit->unit);
        ps_output_percent(out,
                          flame->total[0] > 0 ? 100 * sums.items[i].total / flame->total[0] : NAN);
        ps_output_name(out, sums.items[i].name);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, (double)sums.n);
}

void ps_nodes_add_callers(const struct ps_nodes *callers, int node, struct ps_buf *text)
{
    int depth = 0;

    for (int up = node; up >= 0; up = callers->parent[up])
        depth++;
    if (depth > PATH_FRAMES)
        ps_buf_printf(text, "(%d more) > ", depth - PATH_FRAMES);
    for (; node >= 0; node = callers->parent[node], depth--) {
        if (depth > PATH_FRAMES)
            continue;
        ps_output_quote(text, callers->names[node]);
        ps_buf_puts(text, callers->parent[node] >= 0 ? " > " : "");
    }
}
