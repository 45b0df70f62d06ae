/* SPDX-License-Identifier: MIT */
#include "importers/serving/join.h"

void sv_shift_file(struct sv_run *run, uint32_t file, int64_t by)
{
    for (size_t i = 0; i < run->n_requests; i++) {
        struct ps_serving_request *row = &run->requests[i].row;

        if (run->requests[i].file != file)
            continue;
        row->start_ns = sv_add_times(row->start_ns, by);
        row->end_ns = sv_add_times(row->end_ns, by);
    }
    for (size_t i = 0; i < run->n_engine_requests; i++) {
        struct sv_engine_request *engine = &run->engine_requests[i];

        if (engine->file != file)
            continue;
        engine->arrival_ns = sv_add_times(engine->arrival_ns, by);
        engine->end_ns = sv_add_times(engine->end_ns, by);
    }
    for (size_t i = 0; i < run->n_steps; i++) {
        struct ps_engine_step *row = &run->steps[i].row;

        if (run->steps[i].file != file)
            continue;
        row->start_ns = sv_add_times(row->start_ns, by);
        row->end_ns = sv_add_times(row->end_ns, by);
    }
}
