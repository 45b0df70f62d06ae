/* SPDX-License-Identifier: MIT */
/*
 * conclusion.c: which rows explain the difference between two groups.
 *
 * The rows of the first table add up to what the runs took, so their differences add up to the
 * difference to be explained: the parts of a step if the runs have steps. One row is named from
 * PS_EXPLAIN_SHARE of it on, with the second if that is not much smaller; else the two largest if
 * both together reach it, else only the number of rows that differ. Rows within noise do not count.
 */
#include "server/query/compare/answers.h"
#include "server/query/compare/compare.h"
#include "server/query/compare/request_times.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"

#include <math.h>
#include <stdlib.h>

#include "server/catalog/readers.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/trace/recording.h"

#define PS_EXPLAIN_SHARE 0.5  /* of the difference */
#define PS_NOTABLE_SHARE 0.01 /* of the base: smaller differences are not explained */
#define PS_SECOND_SHARE  0.5  /* of the largest: the second is named too, such as a backward pass */
#define PS_SPREAD_SHARE  0.9  /* of the difference: rows that add up to this are counted */
/* A line whose time changed less may be on a slower machine. 1.41 and 4 change no sentence of the
 * 133 pairs of the exam. */
#define LINE_RATIO 2.0

enum found { FOUND_NONE, FOUND_ONE, FOUND_TWO, FOUND_SPREAD };
static const char *const found_words[] = {"none", "one", "two", "spread"};

struct explanation {
    const struct ps_comparison_row *rows[2]; /* the largest differences */
    double base, now, delta; /* totals as the tools state them, else sums over all rows */
    size_t n;    /* the least number of rows that add up to PS_SPREAD_SHARE of the difference */
    bool is_cut; /* the profiles of a group leave out rows */
    enum found found;
};

static bool is_judged_same(const struct ps_comparison_row *row)
{
    return row->judgement.verdict == PS_VERDICT_SAME;
}

/* Keeps the two rows with the largest |delta|. */
static void keep_largest(struct explanation *found, const struct ps_comparison_row *row)
{
    const double size = fabs(row->judgement.delta);

    for (size_t i = 0; i < 2; i++) {
        const struct ps_comparison_row *last = found->rows[i];

        if (last && fabs(last->judgement.delta) >= size)
            continue;
        if (i == 0)
            found->rows[1] = last;
        found->rows[i] = row;
        return;
    }
}

static enum found judge(const struct explanation *found)
{
    const double needed = PS_EXPLAIN_SHARE * fabs(found->delta);
    double first, second;

    if (!found->rows[0])
        return FOUND_NONE;
    first = found->rows[0]->judgement.delta;
    second = found->rows[1] ? found->rows[1]->judgement.delta : 0;
    if (fmax(fabs(found->delta), fabs(first)) <= PS_NOTABLE_SHARE * found->base)
        return FOUND_NONE;
    if (first * second < 0 && fabs(second) >= needed)
        return FOUND_TWO; /* they work against each other */
    if (first * found->delta > 0 && fabs(first) >= needed && first * second > 0 &&
        fabs(second) >= PS_SECOND_SHARE * fabs(first))
        return FOUND_TWO;
    if ((first * found->delta > 0 && fabs(first) >= needed) || !found->rows[1])
        return FOUND_ONE;
    if ((first + second) * (found->delta > 0 ? 1 : -1) >= needed)
        return FOUND_TWO;
    return found->is_cut ? FOUND_NONE : FOUND_SPREAD; /* one that is left out may have it all */
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x < *y) - (*x > *y);
}

/* The least number of rows whose differences add up to PS_SPREAD_SHARE of `delta`; all that differ
 * in its direction if they do not. */
static size_t count_rows(const struct ps_comparison_row *rows, size_t n, double delta)
{
    PS_AUTO(ps_free_ptr) double *sizes = ps_alloc_array(n + 1, sizeof *sizes);
    size_t n_sizes = 0, used = 0;
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        if (rows[i].judgement.delta * delta > 0 && !is_judged_same(&rows[i]))
            sizes[n_sizes++] = fabs(rows[i].judgement.delta);
    qsort(sizes, n_sizes, sizeof *sizes, by_size);
    while (used < n_sizes && sum < PS_SPREAD_SHARE * fabs(delta))
        sum += sizes[used++];
    return used;
}

static struct explanation explain(const struct ps_cached_comparison *table)
{
    struct explanation out = {.n = 0};
    size_t n;
    const struct ps_comparison_row *rows = ps_comparison_rows(table->comparison, &n);

    for (size_t i = 0; i < n; i++) {
        out.is_cut |= rows[i].change == PS_CHANGE_UNLISTED;
        if (isnan(rows[i].judgement.delta))
            continue;
        out.base += rows[i].judgement.base_median;
        out.now += rows[i].judgement.new_median;
        if (rows[i].judgement.delta != 0 && !is_judged_same(&rows[i]))
            keep_largest(&out, &rows[i]);
    }
    if (!isnan(table->whole_base)) {
        out.base = table->whole_base;
        out.now = table->whole_new;
    }
    out.delta = out.now - out.base;
    out.n = count_rows(rows, n, out.delta);
    out.found = judge(&out);
    return out;
}

static void write_row(const struct ps_comparison_row *row, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_int(json, "id", row->id);
    ps_json_key(json, "name");
    ps_json_str(json, row->name);
    ps_json_key_str(json, "change", ps_change_words[row->change]);
    ps_json_key_real(json, "base", row->judgement.base_median);
    ps_json_key_real(json, "new", row->judgement.new_median);
    ps_json_key_real(json, "delta", row->judgement.delta);
    ps_json_end(json);
}

static void write_explanation(const struct ps_cached_comparison *table,
                              const struct explanation *found, struct ps_json *json)
{
    const char *unit = table->head.metrics[0].unit;

    ps_json_key_str(json, "of", table->table->name);
    ps_json_key_str(json, "row", table->head.row);
    ps_json_key_str(json, "metric", table->head.metrics[0].name);
    ps_json_key_str(json, "title", table->head.metrics[0].title);
    ps_json_key_str(json, "unit", strcmp(unit, "-") == 0 ? "" : unit);
    ps_json_key_str(json, "per", ps_per_words[table->per]);
    ps_json_key_real(json, "base", found->base);
    ps_json_key_real(json, "new", found->now);
    ps_json_key_real(json, "delta", found->delta);
    ps_json_key_str(json, "found", found_words[found->found]);
    ps_json_key_int(json, "n", (int64_t)found->n);
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; found->found == FOUND_ONE ? i < 1 : found->found == FOUND_TWO && i < 2; i++)
        write_row(found->rows[i], json);
    ps_json_end(json);
}

static enum ps_status acquire(struct ps_store *store, const struct ps_compare_groups *groups,
                              const char *of, const char *metric, const char *per,
                              struct ps_cached_comparison **out, struct ps_err *err)
{
    const struct ps_param params[] = {{"metric", metric}, {"per", per}};

    return ps_cached_comparison_acquire(store, groups, of, (struct ps_params){params, 2}, out, err);
}

/* Where the rows that explain a part of a step are: kernels are launched by operators; where no
 * operator is known, as for replayed graphs, the kernels themselves tell. */
static const struct {
    const char *part, *of, *metric;
} inside_of_parts[] = {{"kernel", "operators", "self_device_us"},
                       {"kernel", "kernels", "total_us"},
                       {"cpu", "operators", "self_cpu_us"},
                       {"cpu_exec", "operators", "self_cpu_us"}};

/* NULL in *out: the part has no such rows. */
static enum ps_status acquire_inside(struct ps_store *store, const struct ps_compare_groups *groups,
                                     struct ps_str part, struct ps_cached_comparison **out,
                                     struct ps_err *err)
{
    *out = NULL;
    for (size_t i = 0; i < sizeof inside_of_parts / sizeof *inside_of_parts && !*out; i++) {
        if (!ps_str_eq_c(part, inside_of_parts[i].part))
            continue;
        acquire(store, groups, inside_of_parts[i].of, inside_of_parts[i].metric, "step", out, err);
        if (err->code == PS_BAD_REQUEST) /* no row has this metric */
            *err = (struct ps_err)PS_ERR_INIT;
    }
    return err->code;
}

/* Whether the host waits longer for the device: what the device does explains that. */
static bool is_wait_for_device(const struct ps_cached_comparison *table,
                               const struct explanation *found)
{
    return strcmp(table->table->name, "operators") == 0 &&
           strcmp(table->head.metrics[0].name, "self_cpu_us") == 0 &&
           ps_str_find(found->rows[0]->name, PS_STR("Synchronize")) != NULL;
}

/* The rows that explain the one part of a step, or wait for the device, that explains the
 * difference; NULL in *out: there are none. The caller releases it. */
static enum ps_status find_inside(struct ps_store *store, const struct ps_compare_groups *groups,
                                  const struct ps_cached_comparison *table,
                                  const struct explanation *found,
                                  struct ps_cached_comparison **out, struct ps_err *err)
{
    *out = NULL;
    if (found->found == FOUND_ONE && strcmp(table->table->name, "step_parts") == 0)
        acquire_inside(store, groups, found->rows[0]->name, out, err);
    else if (found->found == FOUND_ONE && is_wait_for_device(table, found))
        acquire(store, groups, "kernels", "total_us", ps_per_words[table->per], out, err);
    if (err->code == PS_BAD_REQUEST) /* no run has kernels */
        *err = (struct ps_err)PS_ERR_INIT;
    return err->code;
}

static void write_inside(const struct ps_cached_comparison *causes,
                         const struct explanation *inside, struct ps_json *json)
{
    ps_json_key(json, "inside");
    if (!causes) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    write_explanation(causes, inside, json);
    ps_json_end(json);
}

/* What the runs call their devices; "device" if they differ. */
static const char *read_device_word(struct ps_store *store, const struct ps_compare_groups *groups,
                                    struct ps_arena *arena, struct ps_err *err)
{
    char word[PS_DEVICE_WORD_SIZE] = "";

    for (size_t i = 0; i < groups->n_base + groups->n_new; i++) {
        char other[PS_DEVICE_WORD_SIZE];
        struct ps_db *db = NULL;

        if (ps_run_acquire(store, groups->runs[i].id, &db, err) == PS_OK)
            ps_trace_device_word(db, other, err);
        ps_run_release(db);
        if (err->code != PS_OK || (word[0] && strcmp(word, other) != 0))
            return "device";
        memcpy(word, other, sizeof word);
    }
    return ps_arena_copy(arena, ps_str_from_c(word)).ptr;
}

/* Names of the parts of a step, as the page shows them. */
static const char *label_of_part(struct ps_conclusion *c, struct ps_str part)
{
    static const char *const labels[][2] = {
        {"memcpy", "copy"}, {"dataloader", "DataLoader"}, {"cpu", "CPU"}, {"cpu_exec", "CPU"}};

    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (ps_str_eq_c(part, labels[i][0]))
            return labels[i][1];
    return ps_str_eq_c(part, "kernel") && c->device
               ? ps_arena_printf(&c->arena, "%s kernel", c->device)
               : NULL;
}

static enum ps_subject_kind kind_of_rows(const char *row)
{
    static const struct {
        const char *row;
        enum ps_subject_kind kind;
    } kinds[] = {{"part", PS_SUBJECT_PART},       {"function", PS_SUBJECT_FUNCTION},
                 {"line", PS_SUBJECT_LINE},       {"module", PS_SUBJECT_MODULE},
                 {"package", PS_SUBJECT_PACKAGE}, {"operator", PS_SUBJECT_OPERATOR},
                 {"kernel", PS_SUBJECT_OPERATOR}, {"process", PS_SUBJECT_PROCESS},
                 {"category", PS_SUBJECT_PART}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(row, kinds[i].row) == 0)
            return kinds[i].kind;
    return PS_SUBJECT_ROW;
}

/* A row, with the address of the page that shows it. */
static struct ps_subject subject_of_row(struct ps_conclusion *c,
                                        const struct ps_cached_comparison *table,
                                        const struct ps_comparison_row *row)
{
    const enum ps_subject_kind kind = kind_of_rows(table->head.row);
    const char *label = kind == PS_SUBJECT_PART ? label_of_part(c, row->name) : NULL;
    struct ps_report_link link = {table->table->name,
                                  {{"metric", table->head.metrics[0].name},
                                   {"per", ps_per_words[table->per]},
                                   {"row", ps_conclusion_id(c, row->id)}}};
    struct ps_subject out;

    if (strcmp(table->table->name, "step_parts") == 0)
        link = (struct ps_report_link){
            "steps",
            {{"sel", ps_arena_printf(&c->arena, "part:%.*s", (int)row->name.len, row->name.ptr)}}};
    out = ps_subject_of(c, kind, link, label ? ps_str_from_c(label) : row->name);
    if (kind == PS_SUBJECT_LINE && row->place.len && (row->line || row->base_line)) {
        out.path = ps_arena_copy(&c->arena, row->place);
        out.line = row->line ? row->line : row->base_line;
        if (ps_str_eq_c(row->name, ps_arena_printf(&c->arena, "line %lld", (long long)out.line)))
            out.name = (struct ps_str){NULL, 0}; /* its text is not known */
    }
    return out;
}

/* Says of an operator that explains the difference that it is in one of the runs only. */
static void say_presence(struct ps_claim *claim, const struct ps_comparison_row *row)
{
    struct ps_fact *fact = &claim->facts[claim->n_facts - 1];

    if (fact->code == PS_FACT_EXPLAINS && row->change == PS_CHANGE_ADDED)
        fact->code = PS_FACT_NEW_EXPLAINS;
    if (fact->code == PS_FACT_EXPLAINS && row->change == PS_CHANGE_REMOVED)
        fact->code = PS_FACT_GONE_EXPLAINS;
}

/* The claim of what explains the difference of a table. */
static struct ps_claim claim_rows(struct ps_conclusion *c, const struct ps_cached_comparison *table,
                                  const struct explanation *found)
{
    const char *metric_unit = table->head.metrics[0].unit;
    const char *unit = strcmp(metric_unit, "-") == 0 ? "" : metric_unit;
    const double first = found->rows[0] ? found->rows[0]->judgement.delta : 0;
    const double second = found->rows[1] ? found->rows[1]->judgement.delta : 0;
    struct ps_claim claim = ps_claim_of("rows", PS_CHANGES, ps_no_subject, NAN);

    c->per = table->per == PS_PER_RUN ? NULL : ps_per_words[table->per];
    if (found->found == FOUND_SPREAD) {
        ps_claim_fact(&c->arena, &claim,
                      (struct ps_fact){PS_FACT_SPREAD_OVER, .unit = unit,
                                       .values = {found->delta, (double)found->n},
                                       .word = ps_str_from_c(table->head.row)});
        return claim;
    }
    claim = ps_claim_of("rows", PS_CHANGES, subject_of_row(c, table, found->rows[0]),
                        first / found->delta);
    ps_claim_explain(&c->arena, &claim,
                     found->found == FOUND_TWO ? subject_of_row(c, table, found->rows[1])
                                               : ps_no_subject,
                     first, second, found->delta, unit);
    if (found->found != FOUND_TWO && kind_of_rows(table->head.row) == PS_SUBJECT_OPERATOR)
        say_presence(&claim, found->rows[0]);
    return claim;
}

/* Adds what the rows of a part of a step, or of a wait, explain. */
static void add_outside(struct ps_conclusion *c, struct ps_claim *claim,
                        const struct ps_cached_comparison *table, const struct explanation *found)
{
    const bool is_part = strcmp(table->table->name, "step_parts") == 0;

    ps_claim_fact(&c->arena, claim,
                  (struct ps_fact){.code = is_part ? PS_FACT_IS_PART : PS_FACT_WAITED_FOR,
                                   .subject = subject_of_row(c, table, found->rows[0]),
                                   .unit = table->head.metrics[0].unit,
                                   .values = {found->rows[0]->judgement.delta, found->delta}});
}

/* The line with most of the change, if its time doubled or halved at least. */
static bool is_line_told(const struct ps_cached_comparison *table, const struct explanation *found)
{
    const struct ps_judgement *line = found->rows[0] ? &found->rows[0]->judgement : NULL;

    return line && found->found == FOUND_ONE && strcmp(table->head.row, "line") == 0 &&
           ps_is_part_of(line->delta, found->delta) &&
           fmax(line->base_median, line->new_median) >=
               LINE_RATIO * fmin(line->base_median, line->new_median);
}

/* How much the subject of a claim on functions changed; NaN: it is not said. */
static double change_of(const struct ps_claim *changed)
{
    const struct ps_fact *last = &changed->facts[changed->n_facts - 1];

    return last->code == PS_FACT_CHANGE_OF || last->code == PS_FACT_CHANGE_WHILE ? last->values[0]
                                                                                 : NAN;
}

/* The line with most of the change of the function that changed; NULL: there is none. */
static const struct ps_comparison_row *find_line(const struct ps_cached_comparison *table,
                                                 const struct ps_claim *changed)
{
    const struct ps_comparison_row *found = NULL;
    double sums[2] = {0, 0}; /* decreases, increases */
    size_t n;
    const struct ps_comparison_row *rows = ps_comparison_rows(table->comparison, &n);

    if (!changed->n_subjects || strcmp(table->head.row, "line") != 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const double delta = rows[i].judgement.delta;

        if (isnan(delta) || !ps_str_eq(rows[i].function, changed->subjects[0].what.name))
            continue;
        sums[delta > 0] += fabs(delta);
        if (!found || fabs(delta) > fabs(found->judgement.delta))
            found = &rows[i];
    }
    if (!found ||
        fabs(found->judgement.delta) < PS_EXPLAIN_SHARE * sums[found->judgement.delta > 0])
        return NULL;
    return found;
}

/* The time of a line contains that of the functions that it calls, and of a recursive call those of
 * the inner calls, so that it may be more than that of its function: then only its place is said.
 */
static struct ps_claim claim_line(struct ps_conclusion *c, const struct ps_cached_comparison *table,
                                  const struct ps_comparison_row *line, double change)
{
    const double of_line = line->judgement.delta;
    const bool is_part = isnan(change) || ps_is_part_of(of_line, change);
    struct ps_claim claim = ps_claim_of("lines", PS_CHANGES, subject_of_row(c, table, line), NAN);

    ps_claim_fact(
        &c->arena, &claim,
        (struct ps_fact){is_part ? PS_FACT_MOST_OF_CHANGE : PS_FACT_CHANGED_AT,
                         .unit = table->head.metrics[0].unit,
                         .values = {of_line, !(fabs(of_line) < PS_EXPLAIN_SHARE * fabs(change))}});
    return claim;
}

/* Claims what changed in functions, imports or lines, where that is known, else which rows explain
 * the difference. A category is not named where operators or kernels explain it. */
static enum ps_status claim_all(struct ps_store *store, const struct ps_compare_groups *groups,
                                const struct ps_cached_comparison *table,
                                const struct explanation *found,
                                const struct ps_cached_comparison *causes,
                                const struct explanation *inside, struct ps_conclusion *c,
                                struct ps_err *err)
{
    const bool is_inside = causes && inside->found != FOUND_NONE;
    const struct ps_comparison_row *line;
    struct ps_claim claim;

    if (ps_compare_claim_functions(store, groups, c, err) == PS_OK)
        ps_compare_claim_imports(store, groups, c, err);
    line = c->n_causes ? find_line(table, &c->causes[0].claim) : NULL;
    if (line) {
        claim = claim_line(c, table, line, change_of(&c->causes[0].claim));
        ps_conclusion_insert(c, 1, &claim, 1);
    } else if (c->n_causes ? !c->causes[0].claim.n_subjects && is_line_told(table, found)
                           : found->found != FOUND_NONE) {
        claim = claim_rows(c, is_inside ? causes : table, is_inside ? inside : found);
        if (is_inside)
            add_outside(c, &claim, table, found);
        ps_conclusion_insert(c, 0, &claim, 0);
    }
    return err->code;
}

/* Claims how the longest and the median step change, if one step dominates the time of all steps in
 * the base or in the new run: the mean step is then like none of them. */
static enum ps_status claim_odd_steps(struct ps_store *store,
                                      const struct ps_compare_groups *groups,
                                      struct ps_conclusion *c, struct ps_err *err)
{
    const struct ps_report_link link = {.tab = "steps"};
    struct ps_step_lengths lengths[2];
    struct ps_claim claim = ps_claim_of("odd_steps", PS_CHANGES, ps_no_subject, NAN);
    size_t odd;

    if (groups->n_base != 1 || groups->n_new != 1)
        return err->code;
    for (size_t i = 0; i < 2; i++) {
        struct ps_db *db = NULL;

        if (ps_run_acquire(store, groups->runs[i].id, &db, err) == PS_OK)
            ps_step_lengths_read(db, &lengths[i], err);
        ps_run_release(db);
        if (err->code != PS_OK)
            return err->code;
    }
    if (!lengths[0].n || !lengths[1].n || (!lengths[0].is_odd && !lengths[1].is_odd))
        return PS_OK;
    odd = !lengths[0].is_odd || (lengths[1].is_odd && lengths[1].share > lengths[0].share);
    ps_claim_fact(
        &c->arena, &claim,
        (struct ps_fact){PS_FACT_ODD_STEPS,
                         .values = {lengths[0].longest_s, lengths[1].longest_s, lengths[0].median_s,
                                    lengths[1].median_s, lengths[odd].share},
                         .word = odd ? PS_STR("of the new run") : PS_STR("of the base"),
                         .link = link});
    ps_conclusion_insert(c, 0, &claim, 0);
    return PS_OK;
}

/* Writes the conclusion on the requests of two serving runs. *has: whether clients sent any. */
static enum ps_status write_request_conclusion(struct ps_store *store,
                                               const struct ps_compare_groups *groups,
                                               struct ps_json *json, bool *has, struct ps_err *err)
{
    PS_AUTO(ps_conclusion_free) struct ps_conclusion c = {.unit = "s"};
    struct ps_compared_requests *requests = NULL;

    *has = false;
    if (!ps_compare_has_requests(groups) ||
        ps_compared_requests_acquire(store, groups, &requests, err) != PS_OK)
        return err->code;
    *has = requests->runs[0].n && requests->runs[1].n;
    if (*has) {
        ps_claim_requests(requests, &c);
        ps_json_object(json);
        ps_compared_requests_write_sums(requests, json);
        ps_json_key(json, "inside");
        ps_json_null(json);
        ps_claims_write(&c, json);
        ps_say_changes(&c);
        ps_sentence_write(json, "sentence", &c.verdict);
        ps_json_end(json);
    }
    ps_compared_requests_release(requests);
    return err->code;
}

enum ps_status ps_query_compare_conclusion(struct ps_store *store,
                                           const struct ps_compare_groups *groups,
                                           struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_conclusion_free) struct ps_conclusion c = {.unit = "s"};
    struct ps_shared_table first;
    struct ps_cached_comparison *table = NULL, *causes = NULL;
    struct explanation found, inside = {.n = 0};
    enum ps_per per[PS_N_PER];
    bool has_requests;

    if (groups->n_base == 0)
        return ps_fail(err, PS_BAD_REQUEST, "base must name one or more runs");
    if (write_request_conclusion(store, groups, json, &has_requests, err) != PS_OK || has_requests)
        return err->code;
    if (ps_compare_first_table(store, groups, &first, err) != PS_OK)
        return err->code;
    if (!first.is_shared || !first.head.metrics[0].is_additive) {
        ps_json_null(json);
        return err->code;
    }
    (void)ps_compare_per(&first.head, &first.work, per);
    if (acquire(store, groups, first.table->name, first.head.metrics[0].name, ps_per_words[per[0]],
                &table, err) != PS_OK)
        return err->code;
    found = explain(table);
    if (strcmp(table->table->name, "step_parts") == 0)
        c.device = read_device_word(store, groups, &c.arena, err);
    ps_json_object(json);
    write_explanation(table, &found, json);
    if (c.device)
        ps_json_key_str(json, "device", c.device);
    if (find_inside(store, groups, table, &found, &causes, err) == PS_OK) {
        if (causes)
            inside = explain(causes);
        write_inside(causes, &inside, json);
        claim_all(store, groups, table, &found, causes, &inside, &c, err);
        if (strcmp(table->table->name, "step_parts") == 0)
            claim_odd_steps(store, groups, &c, err);
        if (err->code == PS_OK) {
            ps_claims_write(&c, json);
            ps_say_changes(&c);
            ps_sentence_write(json, "sentence", &c.verdict);
        }
    }
    ps_json_end(json);
    ps_cached_comparison_release(causes);
    ps_cached_comparison_release(table);
    return err->code;
}
