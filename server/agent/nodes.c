/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/agent/explore.h"

#define PATH_FRAMES 8

static int count_of(const cJSON *answer, const char *key)
{
    return cJSON_GetArraySize(ps_member(answer, key));
}

/* cJSON arrays are lists: they are read from the first to the last element. */
static void read_names(const cJSON *answer, const char **names, size_t n)
{
    const cJSON *item;
    size_t i = 0;

    cJSON_ArrayForEach(item, ps_member(answer, "names"))
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
    const size_t n = (size_t)count_of(answer, "parent"),
                 n_names = (size_t)count_of(answer, "names");
    PS_AUTO(ps_free_ptr) const char **names = ps_alloc_array(n_names + 1, sizeof *names);
    PS_AUTO(ps_free_ptr) double *numbers = ps_alloc_array(n + 1, sizeof *numbers);

    *out = (struct ps_nodes){.n = n};
    out->parent = ps_alloc_array(n + 1, sizeof *out->parent);
    out->names = ps_alloc_array(n + 1, sizeof *out->names);
    out->self = ps_alloc_array(n + 1, sizeof *out->self);
    out->total = ps_alloc_array(n + 1, sizeof *out->total);
    read_names(answer, names, n_names);
    read_numbers(answer, "self", out->self, n);
    read_numbers(answer, "total", out->total, n);
    read_numbers(answer, "parent", numbers, n);
    for (size_t i = 0; i < n; i++) {
        if (!(numbers[i] >= -1 && numbers[i] < (double)i))
            return ps_fail(err, PS_INTERNAL, "the shelf sent a flame graph without a root");
        out->parent[i] = (int)numbers[i];
    }
    read_numbers(answer, "name", numbers, n);
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

void ps_nodes_sums_add(struct ps_node_sums *sums, const char *name, double total)
{
    size_t i = 0;

    while (i < sums->n && strcmp(sums->items[i].name, name) != 0)
        i++;
    if (i == sums->n) {
        PS_RESERVE_ONE(sums->items, sums->n, sums->cap);
        sums->items[sums->n++] = (struct ps_node_sum){name, 0};
    }
    sums->items[i].total += total;
}

static int compare_sums(const void *a, const void *b)
{
    const struct ps_node_sum *x = a, *y = b;

    return x->total != y->total ? (x->total < y->total ? 1 : -1) : strcmp(x->name, y->name);
}

void ps_nodes_sums_sort(struct ps_node_sums *sums)
{
    if (sums->n)
        qsort(sums->items, sums->n, sizeof *sums->items, compare_sums);
}

void ps_nodes_sums_free(struct ps_node_sums *sums)
{
    free(sums->items);
    *sums = (struct ps_node_sums){0};
}

void ps_nodes_add_path(const struct ps_nodes *flame, int node, struct ps_buf *text)
{
    int frames[PATH_FRAMES], n = 0, more = 0;

    for (; node >= 0; node = flame->parent[node]) {
        if (n < PATH_FRAMES)
            frames[n++] = node;
        else
            more++;
    }
    if (more)
        ps_buf_printf(text, "(%d more) > ", more);
    while (n-- > 0) {
        ps_output_quote(text, flame->names[frames[n]]);
        ps_buf_puts(text, n ? " > " : "");
    }
}

void ps_explore_add_sums(const struct ps_explored *x, const char *title, const char *base,
                         const struct ps_node_sums *sums, double whole,
                         const struct ps_node_unit *unit)
{
    const struct ps_output_column columns[] = {
        {"total", unit->unit, PS_NUMBER}, {base, "%", PS_NUMBER}, {"name", "", PS_WORDS}};
    struct ps_output *out = x->call->out;

    if (sums->n == 0)
        return;
    ps_output_table(out, title, columns, 3);
    for (size_t i = 0; i < sums->n; i++) {
        ps_output_value(out, sums->items[i].total / unit->scale, unit->unit);
        ps_output_percent(out, whole > 0 ? 100 * sums->items[i].total / whole : NAN);
        ps_output_name(out, sums->items[i].name);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, (double)sums->n);
}
