/* SPDX-License-Identifier: MIT */
/* key_averages_report.c: the tables of a log told to the sink. */
#include "importers/key_averages.h"
#include "importers/trace/torch.h"

enum {
    TOLD = 50,
    ROW_LIMIT = 100, /* of table(), unless said otherwise */
};

static void tell_row(struct ps_ka_reader *r, uint32_t i)
{
    const struct ps_ka_row *row = &r->rows[i];

    r->out->ops->operator_row(r->out, &(struct ps_operator_row){
                                          .id = i + 1,
                                          .name = row->name,
                                          .overload = row->overload,
                                          .shapes = row->shapes,
                                          .source = row->source,
                                          .cut = row->cut,
                                          .family = tr_family_of(row->name),
                                          .figures = row->figures,
                                      });
}

static void tell_table(struct ps_ka_reader *r, uint32_t id)
{
    const struct ps_ka_table *table = &r->tables[id - 1];

    r->out->ops->report(r->out, &(struct ps_report){
                                    .id = id,
                                    .by = table->by_stack   ? "stack"
                                          : table->by_shape ? "shape"
                                                            : "",
                                    .ordered = table->ordered,
                                    .seconds = table->self_s,
                                    .device_seconds = table->device_s,
                                    .first = table->first + 1,
                                    .rows = table->n,
                                });
    for (uint32_t i = table->first; i < table->first + table->n; i++)
        tell_row(r, i);
}

/* The table that is shown first: of plain ones that with most rows, the first of its like. */
static uint32_t main_table(const struct ps_ka_reader *r)
{
    uint32_t best = 0;

    for (uint32_t id = 1; id <= r->n_tables; id++) {
        const struct ps_ka_table *table = &r->tables[id - 1],
                                 *other = best ? &r->tables[best - 1] : NULL;
        bool plain = !table->by_shape && !table->by_stack,
             other_plain = other && !other->by_shape && !other->by_stack;

        if (!other || (plain && !other_plain) || (plain == other_plain && table->n > other->n))
            best = id;
    }
    return best;
}

static bool has(const struct ps_ka_reader *r, enum ps_operator_figure figure)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->rows[i].figures[figure].kind != PS_NUM_NONE)
            return true;
    return false;
}

static void tell_figures(struct ps_ka_reader *r, const struct ps_ka_table *table, uint32_t id)
{
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"operators", ps_int(table ? table->n : 0)},
        {"rows", ps_int(r->n)},
        {"reports", ps_int(r->n_tables)},
        {"report", ps_int(id)},
        {"self_cpu_s", table ? table->self_s : (struct ps_num){0}},
        {"self_device_s", table ? table->device_s : (struct ps_num){0}},
        {"devices", ps_int(has(r, PS_OPERATOR_SELF_DEVICE_NS))},
        {"memory", ps_int(has(r, PS_OPERATOR_SELF_CPU_BYTES))},
        {"flops", ps_int(has(r, PS_OPERATOR_FLOPS))},
        {"cut_names", ps_int((int64_t)r->cut)},
        {"rounded", ps_int(1)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
    if (table && table->device.len)
        r->out->ops->list(r->out, "device", &table->device, 1);
}

static void tell_notes(struct ps_ka_reader *r)
{
    uint64_t limited = 0;

    for (uint32_t i = 0; i < r->n_tables; i++)
        limited += r->tables[i].n == ROW_LIMIT;
    ps_sink_note(r->out, r->n ? PS_NOTE_INFO : PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                 r->n ? "read from a printed table: its values are rounded, and rows beyond its "
                        "row_limit are missing"
                      : "the tables in this log have no rows");
    ps_sink_count(r->out, PS_NOTE_INFO, r->n_tables > 1 ? r->n_tables : 0, "tables in this log");
    ps_sink_count(
        r->out, PS_NOTE_WARNING, limited,
        "tables of exactly 100 rows, the default row_limit of table(): more rows may be missing");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->cut,
                  "names truncated by the printed table: different operators may share one name");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->mended > TOLD ? r->mended - TOLD : 0,
                  "more rows with repaired text");
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejected > TOLD ? r->rejected - TOLD : 0,
                  "more rows that cannot be read");
}

/* Where the total below the table is missing: the sum of the rows that are there. */
static double seconds(const struct ps_ka_reader *r, const struct ps_ka_table *table)
{
    double sum = 0;

    if (!table)
        return 0;
    if (table->self_s.kind != PS_NUM_NONE)
        return ps_num_real(table->self_s);
    for (uint32_t i = table->first; i < table->first + table->n; i++)
        sum += ps_num_real(r->rows[i].figures[PS_OPERATOR_SELF_CPU_NS]) / 1e9;
    return sum;
}

void ps_ka_report(struct ps_ka_reader *r)
{
    uint32_t id = main_table(r);
    const struct ps_ka_table *table = id ? &r->tables[id - 1] : NULL;
    bool device = table && ps_num_real(table->device_s) > 0;
    const struct ps_headline headline = {device ? ps_num_real(table->device_s) : seconds(r, table),
                                         "s", device ? "self device" : "self CPU"};

    r->out->ops->meta(r->out, "tool", PS_STR("torch.profiler"));
    for (uint32_t i = 1; i <= r->n_tables; i++)
        tell_table(r, i);
    tell_figures(r, table, id);
    tell_notes(r);
    ps_report_ledger(&r->in, r->out, r->n, r->repaired, r->rejected);
    r->out->ops->headline(r->out, &headline);
}
