/* SPDX-License-Identifier: MIT */
/* run_lines.c: what the lines of each function come to, summed up while they pass: a profile of a
 * hundred thousand lines is then shown without reading them all. */
#include <stdlib.h>

#include "server/runwrite/writer_rows.h"

static struct ps_num larger(struct ps_num a, struct ps_num b)
{
    if (a.kind == PS_NUM_NONE || b.kind == PS_NUM_NONE)
        return a.kind == PS_NUM_NONE ? b : a;
    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT)
        return a.i < b.i ? b : a;
    return ps_num_real(a) < ps_num_real(b) ? b : a;
}

/* The slot of `id` in a table that grows: an index + 1 into sums, 0 empty. */
static uint32_t *slot_of(uint32_t **slots, size_t *n, uint32_t id)
{
    *slots = ps_grow_to(*slots, n, id, sizeof **slots);
    return &(*slots)[id];
}

/* Lines that are in no function are summed by their file. */
static struct ps_line_sum *sum_of(struct ps_line_sums *sums, const struct ps_line_row *row)
{
    uint32_t *slot = row->function ? slot_of(&sums->by_function, &sums->n_functions, row->function)
                                   : slot_of(&sums->by_file, &sums->n_files, row->file);

    if (!*slot) {
        PS_PUSH_ROOM(sums->at, sums->n, sums->cap);
        sums->at[sums->n] = (struct ps_line_sum){
            .file = row->file, .function = row->function, .first_row = sums->rows};
        *slot = (uint32_t)++sums->n;
    }
    return &sums->at[*slot - 1];
}

/* The first increment of a block is what the program had before: no growth. */
static void add_increment(struct ps_line_sum *sum, const struct ps_line_row *row)
{
    struct ps_num increment = row->figures.increment_mib;

    if (increment.kind == PS_NUM_NONE)
        return;
    if (sum->block == row->block)
        sum->increment_mib = ps_num_sum(sum->increment_mib, increment);
    sum->block = row->block;
}

static void add_line(struct ps_line_sum *sum, const struct ps_line_row *row)
{
    sum->lines++;
    sum->last_line = sum->last_line > row->line ? sum->last_line : row->line;
}

static void add_function(struct ps_line_sum *sum, const struct ps_line_figures *f)
{
    sum->cpu_python_pct = larger(sum->cpu_python_pct, f->cpu_python_pct);
    sum->cpu_native_pct = larger(sum->cpu_native_pct, f->cpu_native_pct);
    sum->cpu_system_pct = larger(sum->cpu_system_pct, f->cpu_system_pct);
    sum->malloc_mib = larger(sum->malloc_mib, f->malloc_mib);
    sum->copy_mib_s = larger(sum->copy_mib_s, f->copy_mib_s);
    sum->gpu_pct = larger(sum->gpu_pct, f->gpu_pct);
}

void ps_line_sums_add(struct ps_line_sums *sums, const struct ps_line_row *row)
{
    const struct ps_line_figures *f = &row->figures;
    struct ps_line_sum *sum;

    sums->rows++;
    sum = sum_of(sums, row);
    sum->last_row = sums->rows;
    sum->carried = sum->carried || row->source.at;
    if (row->of_function)
        add_function(sum, f);
    else
        add_line(sum, row);
    sum->executed += f->hits.kind != PS_NUM_NONE;
    sum->executed += f->occurrences.kind != PS_NUM_NONE;
    sum->hits = ps_num_sum(sum->hits, f->hits);
    sum->ticks = ps_num_sum(sum->ticks, f->ticks);
    sum->mem_mib = larger(sum->mem_mib, f->mem_mib);
    sum->peak_mib = larger(sum->peak_mib, f->peak_mib);
    add_increment(sum, row);
}

void ps_line_sums_free(struct ps_line_sums *sums)
{
    free(sums->at);
    free(sums->by_function);
    free(sums->by_file);
}
