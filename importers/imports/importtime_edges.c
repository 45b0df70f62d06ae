/* SPDX-License-Identifier: MIT */
/*
 * importtime_edges.c: imports that the recorder saw.
 *
 * An edge becomes a cached row: a module that was imported again, with its importer and without a
 * time. The recorder lists every import, also the first one of each module.
 */
#include "importers/imports/importtime.h"

#include <stdlib.h>

/* Returns an array: for each id of edge_names the id of the first timed row with that name, or
 * PS_IT_NOBODY. Release it with free(). */
static uint32_t *first_rows(struct ps_it_log *log)
{
    uint32_t *row_of = ps_alloc_array((size_t)log->edge_names.count + 1, sizeof *row_of);

    for (size_t i = log->n; i-- > 0;) {
        const struct ps_it_row *row = &log->rows[i];
        struct ps_str name = log->modules.items[row->module];

        if (!row->cached && ps_intern_find(&log->edge_names, name) != PS_INTERN_NONE)
            row_of[ps_intern_id(&log->edge_names, name)] = (uint32_t)i + 1;
    }
    return row_of;
}

void ps_it_add_edges(struct ps_it_log *log)
{
    uint32_t *row_of = first_rows(log);
    bool whole = log->n_edges == log->edges_told;

    for (size_t i = 0; i < log->n_edges; i++) {
        const struct ps_it_edge *edge = &log->edges[i];
        uint32_t to = row_of[edge->name];

        if (!whole || to == PS_IT_NOBODY)
            continue;
        PS_PUSH_ROOM(log->rows, log->n, log->cap);
        log->rows[log->n++] = (struct ps_it_row){
            .line = edge->line,
            .module = log->rows[to - 1].module,
            .package = log->rows[to - 1].package,
            .importer = row_of[edge->by],
            .interpreter = log->rows[to - 1].interpreter,
            .depth = -1,
            .cached = true,
            .recorded = true,
        };
    }
    free(row_of);
}
