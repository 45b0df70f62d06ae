/* SPDX-License-Identifier: MIT */
/* trace_managed.c: managed memory that page faults of kernels move to their device. How much of
 * that time kernels wait is not recorded: other threads of a kernel can compute while a page moves,
 * and a fault takes longer than the copy of its page. So no saving is promised. */
#include "server/query/conclusion/trace_causes.h"

#include <math.h>
#include <stdlib.h>

#include "server/query/advice.h"
#include "slices/args.h"

/* The work of a device in the span. */
struct device_work {
    uint32_t worker;
    int64_t device;
    struct ps_intervals kernels, pages_in;
};

struct reader {
    struct ps_trace_time *trace;
    struct device_work *devices;
    size_t n, cap;
};

/* The device of a track; NULL: the track is of none. */
static struct device_work *find_device(struct reader *r, uint32_t track)
{
    const struct ps_track_owner owner = ps_track_owner_of(&r->trace->owners, track);

    if (owner.worker >= r->trace->sums.n_workers)
        return NULL;
    for (size_t i = 0; i < r->n; i++)
        if (r->devices[i].worker == owner.worker && r->devices[i].device == owner.device)
            return &r->devices[i];
    PS_RESERVE_ONE(r->devices, r->n, r->cap);
    r->devices[r->n] = (struct device_work){.worker = owner.worker, .device = owner.device};
    return &r->devices[r->n++];
}

/* The size of a copy; 0: not known. */
static double bytes_of(const struct reader *r, const struct ps_chunk *chunk, uint32_t i)
{
    const int64_t offset = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);
    const struct ps_str template =
        ps_trace_args_template(r->trace->db, ps_chunk_value(chunk, PS_COL_TEMPLATE, i));
    struct ps_num bytes;
    int index;

    if (!template.ptr || offset < 0 || (uint64_t)offset > chunk->args.len)
        return 0;
    index = ps_template_param(template, PS_STR("bytes"));
    if (index < 0)
        return 0;
    bytes = ps_args_param(template, ps_str_skip(chunk->args, (size_t)offset), index);
    return bytes.kind == PS_NUM_INT && bytes.i > 0 ? (double)bytes.i : 0;
}

static bool visit_copies(void *user, const struct ps_chunk *chunk)
{
    struct reader *r = user;
    struct ps_managed_memory *managed = &r->trace->managed;
    struct device_work *work = find_device(r, chunk->track);

    for (uint32_t i = 0; work && i < chunk->n; i++) {
        const int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        const int64_t category = ps_chunk_value(chunk, PS_COL_CATEGORY, i);
        struct ps_str word;
        int64_t end;

        if (ps_chunk_value(chunk, PS_COL_KIND, i) != PS_SLICE_MEMCPY || category <= 0 ||
            !ps_intervals_contain(&r->trace->workers[work->worker].steps, start) ||
            __builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end))
            continue;
        word = ps_trace_text(r->trace->db, (uint32_t)category);
        managed->evictions += ps_str_eq_c(word, PS_CATEGORY_EVICTION);
        if (!ps_str_eq_c(word, PS_CATEGORY_PAGES_IN))
            continue;
        managed->migrations++;
        managed->bytes += bytes_of(r, chunk, i);
        ps_intervals_add(&work->pages_in, start, end);
    }
    return true;
}

static bool visit_kernels(void *user, const struct ps_chunk *chunk)
{
    struct reader *r = user;
    struct device_work *work = find_device(r, chunk->track);

    for (uint32_t i = 0; work && i < chunk->n; i++) {
        const int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        int64_t end;

        if (ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_KERNEL &&
            !(ps_chunk_value(chunk, PS_COL_FLAGS, i) & PS_SLICE_COLLECTIVE) &&
            !__builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end))
            ps_intervals_add(&work->kernels, start, end);
    }
    return true;
}

/* The share of the time of kernels, in the steps, in which pages move to their device. */
static double share_of_kernels(struct reader *r)
{
    int64_t kernels = 0, common = 0;

    for (size_t d = 0; d < r->n; d++) {
        struct device_work *work = &r->devices[d];
        const struct ps_intervals *steps = &r->trace->workers[work->worker].steps;

        ps_intervals_join(&work->kernels);
        ps_intervals_join(&work->pages_in);
        for (size_t i = 0; i < steps->n; i++) {
            const struct ps_interval step = steps->items[i];

            kernels = ps_add_saturated(kernels,
                                       ps_intervals_length(&work->kernels, step.start, step.end));
            common =
                ps_add_saturated(common, ps_intervals_common_length(&work->kernels, &work->pages_in,
                                                                    step.start, step.end));
        }
    }
    return kernels > 0 ? (double)common / (double)kernels : 0;
}

enum ps_status ps_trace_read_managed(struct ps_trace_time *trace, struct ps_err *err)
{
    struct ps_chunk_query query = {
        .slice_kinds = 1u << PS_SLICE_MEMCPY,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_CATEGORY) |
                   PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT),
        .wants_args = true,
    };
    struct reader reader = {.trace = trace};

    if (!trace->has_devices)
        return err->code;
    ps_trace_each_chunk(trace->db, &query, visit_copies, &reader, err);
    query = (struct ps_chunk_query){
        .slice_kinds = 1u << PS_SLICE_KERNEL,
        .range = trace->span,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS),
    };
    if (trace->managed.migrations > 0)
        ps_trace_each_chunk(trace->db, &query, visit_kernels, &reader, err);
    trace->managed.share = share_of_kernels(&reader);
    for (size_t d = 0; d < reader.n; d++) {
        ps_intervals_free(&reader.devices[d].kernels);
        ps_intervals_free(&reader.devices[d].pages_in);
    }
    free(reader.devices);
    return err->code;
}

double ps_trace_managed_seconds(const struct ps_trace_time *trace)
{
    return trace->managed.share * trace->parts_s[PS_ROLE_KERNEL];
}

/* The labels of new and of old exports. */
static const struct ps_report_link copies_link = {"kernels",
                                                  {{"q", "Unified|UVM"}, {"regex", "1"}}};

void ps_trace_add_managed(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const struct ps_managed_memory *managed = &trace->managed;
    struct ps_cause *part;

    if (managed->share < PS_TRACE_PART_SHARE)
        return;
    part = ps_trace_add_part(
        c, trace, "managed_memory", NAN,
        ps_subject_of(c, PS_SUBJECT_PART, ps_link_none,
                      ps_str_from_c(ps_arena_printf(
                          &c->arena, "Managed memory moves to the %s on page faults", c->device))));
    part->claim.evidence = (struct ps_fact){
        PS_FACT_MIGRATIONS, .values = {managed->share, managed->migrations, managed->bytes},
        .word = PS_STR("migration"), .link = copies_link};
    part->advice = managed->evictions > 0 ? ps_advice_words[PS_ADVICE_WORK_ON_PARTS]
                                          : ps_advice_words[PS_ADVICE_PREFETCH_PAGES];
}

void ps_trace_conclude_managed(struct ps_conclusion *c, const struct ps_trace_time *trace)
{
    const struct ps_managed_memory *managed = &trace->managed;
    const double share = ps_trace_managed_seconds(trace) / trace->wall_s;

    ps_trace_conclude(
        c, "managed_memory", PS_TAKES,
        ps_subject_of(c, PS_SUBJECT_PART, ps_link_none, PS_STR("managed memory")), share,
        (struct ps_fact){PS_FACT_PAGES_IN,
                         .values = {share, managed->migrations, managed->bytes, managed->share},
                         .word = PS_STR("migration"), .link = copies_link});
}
