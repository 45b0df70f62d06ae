/* SPDX-License-Identifier: MIT */
#include "importers/measurements/measure.h"

#include <math.h>
#include <stdlib.h>

#include "importers/records/measurements.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/line_names.h"

#define COUNT_MAX 9e15 /* greater doubles are not exact */

struct ps_str ps_measurement_display(struct ps_measurement_builder *m, struct ps_str text)
{
    bool mended; /* not used: the text is shown, whatever its bytes were */

    return ps_arena_copy(&m->arena, ps_display_text(&m->arena, text, &mended));
}

static struct ps_measurement_extra *add_extra(struct ps_measurement_builder *m, const char *key)
{
    PS_RESERVE_ONE(m->extras, m->n_extras, m->extras_cap);
    m->extras[m->n_extras] = (struct ps_measurement_extra){
        .key = ps_measurement_display(m, ps_str_from_c(key)),
        .text = PS_STR(""),
    };
    return &m->extras[m->n_extras++];
}

void ps_measurement_add_number(struct ps_measurement_builder *m, const char *key,
                               struct ps_num value)
{
    if (value.kind != PS_NUM_NONE)
        add_extra(m, key)->number = value;
}

void ps_measurement_add_text(struct ps_measurement_builder *m, const char *key, struct ps_str value)
{
    if (value.ptr)
        add_extra(m, key)->text = value;
}

void ps_measurement_add_parameter(struct ps_measurement_builder *m, struct ps_str name,
                                  struct ps_num number, struct ps_str text)
{
    PS_RESERVE_ONE(m->parameters, m->n_parameters, m->parameters_cap);
    m->parameters[m->n_parameters++] = (struct ps_measurement_parameter){
        .name = ps_measurement_display(m, name.ptr ? name : PS_STR("")),
        .number = number,
        .text = ps_measurement_display(m, text.ptr ? text : PS_STR("")),
    };
}

void ps_measurement_split_test(struct ps_measurement_builder *m, struct ps_measurement *row)
{
    const char *file = ps_str_find(row->name, PS_STR(".py::")); /* folders may have brackets */
    struct ps_str rest = ps_str_skip(row->name, file ? (size_t)(file - row->name.ptr) + 5 : 0);
    const char *open =
        rest.len && rest.ptr[rest.len - 1] == ']' ? memchr(rest.ptr, '[', rest.len) : NULL;

    if (!open || open == rest.ptr)
        return;
    row->benchmark = (struct ps_str){row->name.ptr, (size_t)(open - row->name.ptr)};
    ps_measurement_add_parameter(m, PS_STR(""), PS_NO_NUM,
                                 (struct ps_str){open + 1, row->name.len - row->benchmark.len - 2});
}

void ps_measurement_add_sample(struct ps_measurement_builder *m, double value)
{
    PS_RESERVE_ONE(m->samples, m->n_samples, m->samples_cap);
    m->samples[m->n_samples++] = value;
}

void ps_measurement_add_warmup(struct ps_measurement_builder *m, double value)
{
    PS_RESERVE_ONE(m->warmups, m->n_warmups, m->warmups_cap);
    m->warmups[m->n_warmups++] = value;
}

void ps_measurement_end_process(struct ps_measurement_builder *m)
{
    PS_RESERVE_ONE(m->processes, m->n_processes, m->processes_cap);
    m->processes[m->n_processes++] = (double)(m->n_samples - m->n_in_processes);
    m->n_in_processes = m->n_samples;
}

static int compare_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of(const double *sorted, size_t n)
{
    return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i] / (double)n;
    return sum;
}

static double stddev_of(const double *values, size_t n, double mean)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (double)(n - 1));
}

static void fill_figure(struct ps_num *figure, double value)
{
    if (figure->kind == PS_NUM_NONE && isfinite(value))
        *figure = ps_real(value);
}

void ps_measurement_compute_spread(struct ps_measurement_builder *m, struct ps_measurement *row)
{
    size_t n = m->n_samples, half = n / 2 + n % 2;
    double *sorted, mean;

    if (row->n.kind == PS_NUM_NONE)
        row->n = ps_int((int64_t)n);
    if (n == 0)
        return;
    sorted = ps_grow(NULL, n, sizeof *sorted);
    memcpy(sorted, m->samples, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_ascending);
    mean = mean_of(m->samples, n);
    fill_figure(&row->mean, mean);
    fill_figure(&row->median, median_of(sorted, n));
    fill_figure(&row->min, sorted[0]);
    fill_figure(&row->max, sorted[n - 1]);
    fill_figure(&row->q1, median_of(sorted, half));
    fill_figure(&row->q3, median_of(sorted + n - half, half));
    if (n > 1)
        fill_figure(&row->stddev, stddev_of(m->samples, n, mean));
    free(sorted);
}

static void add_to_headline(struct ps_measurement_builder *m, const struct ps_measurement *row,
                            const char *label)
{
    const double value = ps_num_to_real(row->value);

    if (m->headline_unit && strcmp(m->headline_unit, row->unit) != 0)
        return;
    if (m->n_headline++ == 0) {
        m->headline_unit = row->unit;
        m->headline_label = label;
    }
    if (value > 0) {
        m->log_sum += log(value);
        m->first_positive = m->n_positive++ ? m->first_positive : value;
    }
}

static void drop_infinite(struct ps_num *value)
{
    if (value->kind == PS_NUM_REAL && !isfinite(value->r))
        *value = PS_NO_NUM;
}

/* A count that the file states may be any number. */
static void drop_unless_count(struct ps_num *value)
{
    const double number = ps_num_to_real(*value);

    if (value->kind != PS_NUM_NONE &&
        !(number >= 0 && number <= COUNT_MAX && number == rint(number)))
        *value = PS_NO_NUM;
}

/* Removes what the database does not allow. A unit that the importer converts can make a large
 * number infinite; strings of JSON may contain any bytes. */
static void clean_row(struct ps_measurement_builder *m, struct ps_measurement *row)
{
    struct ps_num *const values[] = {&row->value, &row->mean, &row->median, &row->stddev,
                                     &row->min,   &row->max,  &row->q1,     &row->q3};
    struct ps_str *const texts[] = {&row->name, &row->group, &row->benchmark, &row->metric};
    bool mended; /* not used: the text is shown, whatever its bytes were */

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        drop_infinite(values[i]);
    for (size_t i = 0; i < m->n_extras; i++)
        drop_infinite(&m->extras[i].number);
    drop_unless_count(&row->n);
    drop_unless_count(&row->loops);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = ps_display_text(&m->arena, *texts[i], &mended);
    for (size_t i = 0; i < m->n_extras; i++)
        m->extras[i].text = ps_display_text(&m->arena, m->extras[i].text, &mended);
    if (!ps_is_clean_text(ps_str_from_c(row->unit)))
        row->unit = ps_measurement_display(m, ps_str_from_c(row->unit)).ptr;
    if (row->state != PS_MEASURED)
        row->value = PS_NO_NUM;
}

void ps_measurement_write(struct ps_measurement_builder *m, struct ps_measurement *row,
                          const char *label)
{
    clean_row(m, row);
    row->id = ++m->n_written;
    row->extras = m->extras;
    row->n_extras = m->n_extras;
    row->parameters = m->parameters;
    row->n_parameters = m->n_parameters;
    row->samples = m->samples;
    row->n_samples = m->n_samples;
    row->warmups = m->warmups;
    row->n_warmups = m->n_warmups;
    row->processes = m->processes;
    row->n_processes = m->n_processes;
    m->out->ops->measurement(m->out, row);
    if (!row->is_part) {
        m->n_counted++;
        m->n_failed += row->state == PS_MEASUREMENT_FAILED;
        m->n_skipped += row->state == PS_MEASUREMENT_SKIPPED;
    }
    if (label && row->value.kind != PS_NUM_NONE)
        add_to_headline(m, row, label);
    m->n_extras = m->n_parameters = 0;
    m->n_samples = m->n_warmups = m->n_processes = m->n_in_processes = 0;
}

static void write_counts(struct ps_measurement_builder *m, const char *counted)
{
    m->out->ops->number(m->out, "measurements", ps_int(m->n_written));
    if (!counted[0])
        return;
    m->out->ops->number(m->out, counted, ps_int(m->n_counted));
    if (m->n_failed)
        m->out->ops->number(m->out, "failed", ps_int(m->n_failed));
    if (m->n_skipped)
        m->out->ops->number(m->out, "skipped", ps_int(m->n_skipped));
}

void ps_measurement_write_headline(struct ps_measurement_builder *m)
{
    const char *counted = m->counted ? m->counted : "benchmarks";
    struct ps_headline headline = {m->first_positive, m->headline_unit, m->headline_label};

    if (m->n_headline > 1)
        headline.label =
            ps_arena_printf(&m->arena, "geometric mean of %lu", (unsigned long)m->n_headline);
    if (m->n_positive > 1)
        headline.value = exp(m->log_sum / m->n_positive);
    if (!m->headline_unit || (!m->headline_unit[0] && m->n_headline > 1)) {
        const char *words = counted[0] ? counted : "measurements";

        headline = (struct ps_headline){m->n_counted, words, words};
    }
    write_counts(m, counted);
    m->out->ops->headline(m->out, &headline);
}

void ps_measurement_builder_free(struct ps_measurement_builder *m)
{
    free(m->extras);
    free(m->parameters);
    free(m->samples);
    free(m->warmups);
    free(m->processes);
    ps_arena_free(&m->arena);
}
