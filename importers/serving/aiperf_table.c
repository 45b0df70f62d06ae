/* SPDX-License-Identifier: MIT */
/* aiperf_table.c: the metrics of profile_export_aiperf.csv, which is rounded to two digits. */
#include "importers/measurements/measure_text.h"
#include "importers/serving/client.h"
#include "importers/text/text_report.h"

enum { CELLS_MAX = 64 };

/* "Time to First Token (ms)" is the key "time_to_first_token" with the unit "ms". */
static struct ps_str split_title(struct sv_run *run, struct ps_str title, const char **unit)
{
    static const char *const units[] = {
        "ms",           "sec",   "tokens", "ns", "tokens/sec", "tokens/sec/user",
        "requests/sec", "ratio", "KB",     "%"};
    char *key =
        ps_arena_printf(&run->arena, "%.*s", (int)(title.len < 200 ? title.len : 200), title.ptr);

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const struct ps_str end = ps_str_from_c(ps_arena_printf(&run->arena, " (%s)", units[i]));

        if (ps_str_ends_with(ps_str_from_c(key), end)) {
            key[strlen(key) - end.len] = '\0';
            *unit = units[i];
            break;
        }
    }
    for (char *c = key; *c; c++)
        *c = *c == ' ' ? '_' : *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
    return ps_str_from_c(key);
}

static double resolution_of(int shift)
{
    struct ps_printed_number number;

    return ps_printed_number_parse(PS_STR("0.01"), shift, &number) ? number.value : 0;
}

static void read_row(struct sv_client *client, struct sv_client_load *load,
                     const struct ps_str *titles, const struct ps_str *cells, size_t n)
{
    const char *unit = NULL;
    struct ps_str key = split_title(client->run, cells[0], &unit);
    struct sv_measure *measure;

    if (ps_str_ends_with(key, PS_STR("timestamp")))
        return;
    measure = sv_measure(client, load, key, unit);
    for (size_t i = 1; i < n && measure; i++) {
        if (!cells[i].len)
            continue;
        if (ps_str_eq_c(titles[i], "Value"))
            measure->values.mean = sv_number(cells[i], measure->shift);
        else
            (void)sv_measure_set(measure, titles[i], cells[i]);
    }
    if (measure)
        measure->values.resolution = resolution_of(measure->shift);
    if (ps_str_eq_c(key, "request_count"))
        load->completed = (int64_t)ps_num_to_real(measure ? measure->values.mean : PS_NO_NUM);
}

/* The cells of the next line that has any; 0: the table ends, or metrics of GPUs follow. */
static size_t pop_cells(struct sv_run *run, struct ps_str *text, struct ps_str *cells)
{
    size_t n = 0;

    while (text->len && n == 0) {
        struct ps_str line = ps_str_trim(ps_report_pop_line(text));

        while (line.len && n < CELLS_MAX)
            cells[n++] = ps_printed_cell_pop(&run->metrics.arena, &line);
    }
    return n && ps_str_eq_c(cells[0], "Endpoint") ? 0 : n;
}

static void write_table(struct sv_run *run, const struct sv_table *table)
{
    struct sv_client client = {.run = run,
                               .tool = "AIPerf",
                               .file = table->file,
                               .percentiles = "interpolated linearly between values",
                               .benchmark = PS_STR("serving")};
    struct sv_client_load *load = sv_client_add_load_of(&client, table->result);
    struct ps_str text = table->text, titles[CELLS_MAX], cells[CELLS_MAX];
    size_t n_titles = 0, n;

    while ((n = pop_cells(run, &text, cells))) {
        if (ps_str_eq_c(cells[0], "Metric")) {
            memcpy(titles, cells, n * sizeof *cells);
            n_titles = n;
        } else {
            read_row(&client, load, titles, cells, n < n_titles ? n : n_titles);
        }
    }
    sv_client_end(&client);
}

void sv_write_tables(struct sv_run *run)
{
    for (size_t i = 0; i < run->n_tables; i++)
        if (run->results[run->tables[i].result - 1].first == 0)
            write_table(run, &run->tables[i]);
}

uint64_t sv_count_table_rows(struct sv_run *run, struct ps_str text)
{
    struct ps_str cells[CELLS_MAX];
    uint64_t n = 0;

    while (pop_cells(run, &text, cells))
        n += !ps_str_eq_c(cells[0], "Metric");
    return n;
}
