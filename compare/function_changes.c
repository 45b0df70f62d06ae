/* SPDX-License-Identifier: MIT */
#include "compare/function_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/python_path.h"
#include "compare/stats.h"

#define SPEED_SHARE   0.004 /* of a total: functions with less time say nothing about the speed */
#define SPEED_CALLS   5     /* nor do functions with fewer calls */
#define SPEED_ALIKE   3     /* functions that must agree on a speed */
#define NOISE_MIN     4     /* functions that tell the noise of times */
#define SAMPLES_MIN   8     /* of a function that says something about the speed */
#define SAMPLES_ALPHA 0.01  /* that noise is named as a change, of all functions together */
#define SAMPLES_MOST  0.3   /* the same, of the most of a large difference */
#define SAMPLE_NOISES 3     /* standard deviations of a number of samples that no noise explains */
#define NOISES        3    /* a cost that changed must change the time by so many times the noise */
#define SPEED_WEIGHT  0.1  /* share of a total from which on a function weighs no more */
#define SPEED_WIDTH   0.12 /* of the kernel, in ln(ratio) */
#define MOVED_MIN     0.2  /* ln(ratio): functions that all moved by more moved alike */
#define PRIOR_WIDTH   0.4  /* of the pull towards 1 */
#define PRIOR_WEIGHT  0.5
#define BAND_MIN      0.2 /* ln(ratio) */
#define BAND_MADS     2.5 /* band in median deviations from the speed */
#define SURE_BANDS    3.0 /* a cost that differs by so many bands counts fully */
#define SURE_MIN      0.1
#define OPPOSED                                                                                    \
    0.5 /* of the largest change: a cost that changed so much the other way is noise too */
#define MOST_WHOLE   0.2 /* share of the total: see is_most() */
#define MOST_SHARE   0.6
#define MOST_RATIO   0.69 /* ln 2 */
#define CALLS_NOISE  0.02 /* relative: threads and timers call a little more or less often */
#define INPUT_CALLS  20   /* functions with fewer calls do not grow with the input */
#define INPUT_WIDTH  0.05 /* ln(ratio): functions whose calls grew alike */
#define INPUT_SHARE  0.8  /* of the functions that must agree */
#define INPUT_MIN    0.2  /* ln(ratio): less is not called another input */
#define INPUT_REST   0.1  /* share of the total: a larger change of one function is named as well */
#define RENAME_SCORE 2.5
#define RENAME_TIMES 0.5 /* ln(ratio) of times that are similar */
#define RENAME_MAX   256 /* unmatched functions of a side that are looked at, the largest first */

struct pair {
    uint32_t base, now;
    bool is_renamed;
};

struct weighted {
    double value, weight;
};

struct matched {
    const struct ps_profiled_functions *base, *now;
    struct pair *pairs;
    size_t n_pairs, cap_pairs;
    uint32_t *only_base, *only_now; /* unmatched */
    size_t n_only_base, n_only_now;
};

static void matched_free(struct matched *m)
{
    free(m->pairs);
    free(m->only_base);
    free(m->only_now);
}

void ps_function_changes_free(struct ps_function_changes *changes)
{
    free(changes->changes);
    free(changes->renames);
}

/* --- Matching --- */

static int by_text(struct ps_str a, struct ps_str b)
{
    const size_t n = a.len < b.len ? a.len : b.len;
    const int order = n ? memcmp(a.ptr, b.ptr, n) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_path(const struct ps_profiled_function *a, const struct ps_profiled_function *b)
{
    const int order = by_text(a->path, b->path);

    return order ? order : by_text(a->name, b->name);
}

static int by_file(const struct ps_profiled_function *a, const struct ps_profiled_function *b)
{
    const int order = by_text(ps_path_file_name(a->path), ps_path_file_name(b->path));

    return order ? order : by_text(a->name, b->name);
}

typedef int order_of(const struct ps_profiled_function *a, const struct ps_profiled_function *b);

struct sorting {
    const struct ps_profiled_function *items;
    order_of *order;
};

static int by_key_and_line(const void *a, const void *b, void *user)
{
    const struct sorting *by = user;
    const struct ps_profiled_function *x = &by->items[*(const uint32_t *)a];
    const struct ps_profiled_function *y = &by->items[*(const uint32_t *)b];
    const int order = by->order(x, y);

    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void add_pair(struct matched *m, uint32_t base, uint32_t now, bool is_renamed)
{
    PS_RESERVE_ONE(m->pairs, m->n_pairs, m->cap_pairs);
    m->pairs[m->n_pairs++] = (struct pair){base, now, is_renamed};
}

/* Pairs the unmatched functions that are equal in this order, by their lines. */
static void match_equal(struct matched *m, order_of *order)
{
    size_t i = 0, k = 0, n_base = 0, n_now = 0;

    qsort_r(m->only_base, m->n_only_base, sizeof *m->only_base, by_key_and_line,
            &(struct sorting){m->base->items, order});
    qsort_r(m->only_now, m->n_only_now, sizeof *m->only_now, by_key_and_line,
            &(struct sorting){m->now->items, order});
    while (i < m->n_only_base || k < m->n_only_now) {
        const uint32_t a = i < m->n_only_base ? m->only_base[i] : 0;
        const uint32_t b = k < m->n_only_now ? m->only_now[k] : 0;
        const int way = i == m->n_only_base  ? 1
                        : k == m->n_only_now ? -1
                                             : order(&m->base->items[a], &m->now->items[b]);

        if (way == 0)
            add_pair(m, a, b, false);
        else if (way < 0)
            m->only_base[n_base++] = a;
        else
            m->only_now[n_now++] = b;
        i += way <= 0;
        k += way >= 0;
    }
    m->n_only_base = n_base;
    m->n_only_now = n_now;
}

static size_t count_common(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
    size_t common = 0;

    for (size_t i = 0, k = 0; i < n && k < m;) {
        if (a[i] == b[k]) {
            common++;
            i++;
            k++;
        } else if (a[i] < b[k]) {
            i++;
        } else {
            k++;
        }
    }
    return common;
}

/* How much speaks for one function being the other: 2 for the name, 1 for the file's name, 1 for a
 * common caller, 1 for equal calls (of more than a few) or 0.6 for similar times where calls are
 * unknown, up to 1 for common callees. */
static double rename_score(const struct ps_profiled_function *a,
                           const struct ps_profiled_function *b, bool lacks_calls)
{
    const size_t callees = count_common(a->callees, a->n_callees, b->callees, b->n_callees);
    double score = 0;

    score += ps_str_eq(a->name, b->name) ? 2 : 0;
    score += ps_str_eq(ps_path_file_name(a->path), ps_path_file_name(b->path)) ? 1 : 0;
    score += count_common(a->callers, a->n_callers, b->callers, b->n_callers) ? 1 : 0;
    score += a->calls >= SPEED_CALLS && a->calls == b->calls ? 1 : 0;
    score += lacks_calls && fabs(log(a->time / b->time)) < RENAME_TIMES ? 0.6 : 0;
    if (a->n_callees && b->n_callees)
        score += (double)callees / (double)(a->n_callees + b->n_callees - callees);
    return score;
}

static void remove_at(uint32_t *items, size_t *n, size_t i)
{
    memmove(items + i, items + i + 1, (*n - i - 1) * sizeof *items);
    (*n)--;
}

/* Moves the largest RENAME_MAX to the front, the largest first. */
static void sort_largest(const struct ps_profiled_functions *functions, uint32_t *items, size_t n)
{
    for (size_t i = 0; i < n && i < RENAME_MAX; i++) {
        size_t most = i;
        uint32_t item;

        for (size_t k = i + 1; k < n; k++)
            if (functions->items[items[k]].time > functions->items[items[most]].time)
                most = k;
        item = items[i];
        items[i] = items[most];
        items[most] = item;
    }
}

static void match_renamed(struct matched *m)
{
    sort_largest(m->base, m->only_base, m->n_only_base);
    sort_largest(m->now, m->only_now, m->n_only_now);
    for (size_t i = 0; i < m->n_only_base && i < RENAME_MAX;) {
        const struct ps_profiled_function *old = &m->base->items[m->only_base[i]];
        double best = 0;
        size_t at = 0;

        for (size_t k = 0; k < m->n_only_now && k < RENAME_MAX; k++) {
            const double score =
                rename_score(old, &m->now->items[m->only_now[k]], m->base->lacks_calls);

            if (score > best) {
                best = score;
                at = k;
            }
        }
        if (best < RENAME_SCORE) {
            i++;
            continue;
        }
        add_pair(m, m->only_base[i], m->only_now[at], true);
        remove_at(m->only_base, &m->n_only_base, i);
        remove_at(m->only_now, &m->n_only_now, at);
    }
}

static void match_all(struct matched *m)
{
    m->only_base = ps_alloc_array(m->base->n + 1, sizeof *m->only_base);
    m->only_now = ps_alloc_array(m->now->n + 1, sizeof *m->only_now);
    while (m->n_only_base < m->base->n) {
        m->only_base[m->n_only_base] = (uint32_t)m->n_only_base;
        m->n_only_base++;
    }
    while (m->n_only_now < m->now->n) {
        m->only_now[m->n_only_now] = (uint32_t)m->n_only_now;
        m->n_only_now++;
    }
    match_equal(m, by_path);
    match_equal(m, by_file); /* another checkout, or another folder */
    match_renamed(m);
}

/* --- Speed and input --- */

static double ratio_of_costs(const struct ps_profiled_function *a,
                             const struct ps_profiled_function *b)
{
    return (b->time / (double)b->calls) / (a->time / (double)a->calls);
}

static double bump(double x, double width)
{
    return exp(-(x / width) * (x / width));
}

/* The ratios of the times a call, with their weights. At most 1 / SPEED_SHARE. */
static size_t list_ratios(const struct matched *m, struct weighted *out)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct ps_profiled_function *a = &m->base->items[m->pairs[i].base];
        const struct ps_profiled_function *b = &m->now->items[m->pairs[i].now];
        const double share = fmin(a->time / m->base->total, b->time / m->now->total);
        const bool is_sampled =
            m->base->lacks_calls && a->time >= SAMPLES_MIN * m->base->sample && a->path.ptr;

        if (a->time > SPEED_SHARE * m->base->total && b->time > 0 &&
            (is_sampled || (a->calls >= SPEED_CALLS && b->calls >= SPEED_CALLS)))
            out[n++] = (struct weighted){is_sampled ? b->time / a->time : ratio_of_costs(a, b),
                                         sqrt(fmin(SPEED_WEIGHT, share))};
    }
    return n;
}

/* Whether all ratios went up, or all went down, by more than a little. */
static bool moved_alike(const struct weighted *ratios, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fabs(log(ratios[i].value)) < MOVED_MIN ||
            (ratios[i].value > 1) != (ratios[0].value > 1))
            return false;
    return n >= SPEED_ALIKE;
}

static double median_ratio(const struct weighted *ratios, size_t n)
{
    PS_AUTO(ps_free_ptr) double *values = ps_alloc_array(n, sizeof *values);

    for (size_t i = 0; i < n; i++)
        values[i] = ratios[i].value;
    return ps_group_median(values, n);
}

static void find_speed(const struct matched *m, struct ps_function_changes *out)
{
    PS_AUTO(ps_free_ptr) struct weighted *ratios = ps_alloc_array(m->n_pairs + 1, sizeof *ratios);
    PS_AUTO(ps_free_ptr) double *distances = ps_alloc_array(m->n_pairs + 1, sizeof *distances);
    const size_t n = list_ratios(m, ratios);
    double best = -1;

    ratios[n] = (struct weighted){1, 0}; /* a candidate too */
    for (size_t i = 0; i <= n; i++) {
        double density = PRIOR_WEIGHT * bump(log(ratios[i].value), PRIOR_WIDTH);

        for (size_t k = 0; k < n; k++)
            density += ratios[k].weight * bump(log(ratios[k].value / ratios[i].value), SPEED_WIDTH);
        if (density > best) {
            best = density;
            out->speed = ratios[i].value;
        }
    }
    for (size_t i = 0; i < n; i++) {
        distances[i] = fabs(log(ratios[i].value / out->speed));
        out->n_alike += distances[i] < SPEED_WIDTH;
    }
    if (out->n_alike < SPEED_ALIKE) {
        out->speed = m->base->lacks_calls && moved_alike(ratios, n) ? median_ratio(ratios, n) : 1;
        for (size_t i = 0; i < n; i++)
            distances[i] = fabs(log(ratios[i].value / out->speed));
    }
    out->band = fmax(BAND_MIN, n ? BAND_MADS * ps_group_median(distances, n) : 0);
}

/* --- Noise of samples --- */

/* Samples of a matched function. */
struct sampled {
    size_t pair;
    double before, after;
    bool has_changed;
};

/* By the ratio of samples. Half a sample more on both sides, since there may be none. */
static double log_ratio(const struct sampled *function)
{
    return log((function->after + 0.5) / (function->before + 0.5));
}

static int by_ratio(const void *a, const void *b)
{
    const double x = log_ratio(a), y = log_ratio(b);

    return (x > y) - (x < y);
}

/* The ratio of samples of the functions that have not changed, but `left_out`: their median,
 * weighted by the roots of the samples. `functions` are sorted by it. */
static double speed_of_others(const struct sampled *functions, size_t n, size_t left_out)
{
    double whole = 0, sum = 0;

    for (size_t i = 0; i < n; i++)
        if (i != left_out && !functions[i].has_changed)
            whole += sqrt(functions[i].before + functions[i].after);
    for (size_t i = 0; i < n; i++) {
        if (i == left_out || functions[i].has_changed)
            continue;
        sum += sqrt(functions[i].before + functions[i].after);
        if (2 * sum >= whole)
            return exp(log_ratio(&functions[i]));
    }
    return 1;
}

/* A difference in standard deviations of two Poisson counts. */
static double deviation_of(const struct sampled *function, double speed)
{
    return (function->after - speed * function->before) /
           sqrt(function->after + speed * speed * (function->before + 1) + 1);
}

/* The standard deviation of the differences of the functions that have not changed, but `left_out`,
 * in those of counts; at least 1. They vary by more than counts do: a machine is slow for a while.
 * *n_others: their number; below 2 the spread is 1. */
static double spread_of_others(const struct sampled *functions, size_t n, size_t left_out,
                               size_t *n_others)
{
    const double speed = speed_of_others(functions, n, left_out);
    double squares = 0;

    *n_others = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == left_out || functions[i].has_changed)
            continue;
        squares += pow(deviation_of(&functions[i], speed), 2);
        (*n_others)++;
    }
    /* the speed takes a degree of freedom */
    return *n_others < 2 ? 1 : fmax(1, sqrt(squares / (double)(*n_others - 1)));
}

/* The p value that a function has not changed: its difference is like those of the others, which
 * nobody touched. */
static double unchanged_p(const struct sampled *functions, size_t n, size_t at)
{
    size_t n_others;
    const double spread = spread_of_others(functions, n, at, &n_others);
    const double deviation = deviation_of(&functions[at], speed_of_others(functions, n, at));

    if (n_others < 2)
        return 1;
    return ps_student_p(fabs(deviation) / spread, n_others - 1) * (double)(n_others + 1);
}

/* For each matched function the p value that it has not changed. Returns by how much more than
 * counts do the samples of those vary that have not; at least 1. */
static double compare_samples(const struct matched *m, double *unchanged)
{
    PS_AUTO(ps_free_ptr)
    struct sampled *functions = ps_alloc_array(m->n_pairs + 1, sizeof *functions);
    size_t n = 0, next;

    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct ps_profiled_function *a = &m->base->items[m->pairs[i].base];
        const struct ps_profiled_function *b = &m->now->items[m->pairs[i].now];
        const struct sampled function = {i, a->time / m->base->sample, b->time / m->now->sample,
                                         false};
        const double share = fmax(a->time / m->base->total, b->time / m->now->total);

        unchanged[i] = 1;
        if (a->path.ptr && share >= SPEED_SHARE && function.before + function.after >= SAMPLES_MIN)
            functions[n++] = function;
    }
    qsort(functions, n, sizeof *functions, by_ratio);
    do {
        double least = SAMPLES_ALPHA;

        next = n;
        for (size_t i = 0; i < n; i++) {
            if (functions[i].has_changed)
                continue;
            unchanged[functions[i].pair] = unchanged_p(functions, n, i);
            if (unchanged[functions[i].pair] < least) {
                least = unchanged[functions[i].pair];
                next = i;
            }
        }
        if (next < n)
            functions[next].has_changed = true;
    } while (next < n);
    return spread_of_others(functions, n, n, &next);
}

/* The noise of times: the median difference of a function between both profiles. The largest
 * difference is left out, since it may be the change. */
static double find_noise(const struct matched *m, double speed)
{
    PS_AUTO(ps_free_ptr) double *sizes = ps_alloc_array(m->n_pairs + 1, sizeof *sizes);
    size_t n = 0, most = 0;

    for (size_t i = 0; i < m->n_pairs; i++) {
        const double before = m->base->items[m->pairs[i].base].time;
        const double after = m->now->items[m->pairs[i].now].time;

        if (before < SPEED_SHARE * m->base->total && after < SPEED_SHARE * m->now->total)
            continue;
        sizes[n] = fabs(after - speed * before);
        most = sizes[n] > sizes[most] ? n : most;
        n++;
    }
    if (n < NOISE_MIN)
        return 0;
    sizes[most] = sizes[--n];
    return ps_group_median(sizes, n);
}

/* The factor by which the calls grew, if most functions agree; else 1. */
static double find_input(const struct matched *m)
{
    PS_AUTO(ps_free_ptr) double *ratios = ps_alloc_array(m->n_pairs + 1, sizeof *ratios);
    size_t n = 0, n_alike = 0;
    double factor;

    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct ps_profiled_function *a = &m->base->items[m->pairs[i].base];
        const struct ps_profiled_function *b = &m->now->items[m->pairs[i].now];

        if (a->calls >= INPUT_CALLS && b->calls > 0)
            ratios[n++] = (double)b->calls / (double)a->calls;
    }
    if (n < 2)
        return 1;
    factor = ps_group_median(ratios, n);
    for (size_t i = 0; i < n; i++)
        n_alike += fabs(log(ratios[i] / factor)) < INPUT_WIDTH;
    return (double)n_alike >= INPUT_SHARE * (double)n && fabs(log(factor)) > INPUT_MIN ? factor : 1;
}

/* --- Changes --- */

/* Whether a cost doubled or halved at least, and that is most of a large difference of the totals:
 * then it is named even if costs vary much. */
static bool is_most(const struct matched *m, const struct ps_function_change *change,
                    const struct ps_function_changes *all)
{
    const double before = all->speed * m->base->total;
    const double whole = m->now->total - before;

    return fabs(whole) > MOST_WHOLE * fmin(before, m->now->total) && change->delta * whole > 0 &&
           fabs(change->delta) > MOST_SHARE * fabs(whole) &&
           fabs(log(change->cost_ratio)) > MOST_RATIO;
}

static struct ps_function_change change_of(const struct matched *m, const struct pair *pair,
                                           const struct ps_function_changes *all,
                                           double p_unchanged)
{
    const struct ps_profiled_function *a = &m->base->items[pair->base];
    const struct ps_profiled_function *b = &m->now->items[pair->now];
    const double before = all->speed * a->time;
    struct ps_function_change out = {
        .base = pair->base, .now = pair->now, .delta = b->time - before, .kind = PS_FUNCTION_COST};
    double by_calls = 0;

    if (a->calls > 0 && b->calls > 0) {
        out.calls_ratio = (double)b->calls / (double)a->calls;
        by_calls = before * (out.calls_ratio - 1);
        out.calls_changed = fabs(out.calls_ratio - 1) > CALLS_NOISE * fmax(1, out.calls_ratio);
    }
    out.cost_ratio =
        before > 0 ? b->time / before / (out.calls_ratio > 0 ? out.calls_ratio : 1) : 0;
    if (m->base->lacks_calls)
        out.cost_changed = (p_unchanged < SAMPLES_ALPHA && fabs(log(out.cost_ratio)) > BAND_MIN) ||
                           (p_unchanged < SAMPLES_MOST && is_most(m, &out, all));
    else
        out.cost_changed =
            out.cost_ratio > 0 && (fabs(log(out.cost_ratio)) > all->band || is_most(m, &out, all));
    if (out.calls_changed && fabs(by_calls) > fabs(out.delta - by_calls))
        out.kind = PS_FUNCTION_CALLS;
    return out;
}

/* The noise of a number of samples: that of a difference of two Poisson counts. */
static double noise_of_samples(const struct matched *m, const struct ps_function_changes *all,
                               double before, double after)
{
    return SAMPLE_NOISES *
           sqrt(fmax(0, all->speed * before * m->base->sample + after * m->now->sample));
}

/* Whether a change is large, by the calls or by the cost. */
static bool is_significant(const struct ps_function_change *change, double before, double least,
                           double noise)
{
    const double by_calls =
        change->calls_ratio > 0 ? before * (change->calls_ratio - 1) : change->delta;

    if (change->kind >= PS_FUNCTION_ADDED)
        return fabs(change->delta) > least;
    if (change->calls_changed && fabs(by_calls) > least)
        return true;
    return change->cost_changed && fabs(change->delta - (change->calls_ratio > 0 ? by_calls : 0)) >
                                       fmax(least, NOISES * noise);
}

/* The size of a change, less where it may be noise: a cost near the band. */
static void set_weight(struct ps_function_change *change, double band)
{
    const double bands = change->cost_ratio > 0 ? fabs(log(change->cost_ratio)) / band : SURE_BANDS;
    const double sure = fmax(SURE_MIN, fmin(1, (bands - 1) / (SURE_BANDS - 1)));

    change->weight = fabs(change->delta);
    if (change->kind == PS_FUNCTION_COST)
        change->weight *= sure;
}

static int by_weight(const void *a, const void *b)
{
    const struct ps_function_change *x = a, *y = b;

    return (x->weight < y->weight) - (x->weight > y->weight);
}

static bool is_sure(const struct ps_function_change *change, double band)
{
    return change->kind != PS_FUNCTION_COST || fabs(log(change->cost_ratio)) > SURE_BANDS * band;
}

/* Costs that changed in both directions alike are noise, as far as they are near it: machines are
 * slow for a while. */
static void remove_noise(struct ps_function_changes *out)
{
    double most[2] = {0, 0};
    size_t n = 0;

    for (size_t i = 0; i < out->n_changes; i++) {
        const struct ps_function_change *change = &out->changes[i];

        if (change->kind == PS_FUNCTION_COST)
            most[change->delta > 0] = fmax(most[change->delta > 0], change->weight);
    }
    out->is_noisy = fmin(most[0], most[1]) > OPPOSED * fmax(most[0], most[1]);
    for (size_t i = 0; i < out->n_changes; i++)
        if (!out->is_noisy || is_sure(&out->changes[i], out->band))
            out->changes[n++] = out->changes[i];
    out->n_changes = n;
}

static void sort_changes(struct ps_function_changes *out)
{
    for (size_t i = 0; i < out->n_changes; i++)
        set_weight(&out->changes[i], out->band);
    remove_noise(out);
    if (out->n_changes)
        qsort(out->changes, out->n_changes, sizeof *out->changes, by_weight);
}

static void add_change(struct ps_function_changes *out, struct ps_function_change change)
{
    PS_RESERVE_ONE(out->changes, out->n_changes, out->cap_changes);
    out->changes[out->n_changes++] = change;
}

static void list_changes(const struct matched *m, double least, struct ps_function_changes *out)
{
    PS_AUTO(ps_free_ptr) double *unchanged = ps_alloc_array(m->n_pairs + 1, sizeof *unchanged);
    const double noise = m->base->lacks_calls ? 0 : find_noise(m, out->speed);
    double spread = 1;

    if (m->base->lacks_calls)
        spread = compare_samples(m, unchanged);
    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct ps_profiled_function *a = &m->base->items[m->pairs[i].base];
        const struct ps_function_change change = change_of(m, &m->pairs[i], out, unchanged[i]);
        const double samples =
            noise_of_samples(m, out, out->speed * a->time, m->now->items[m->pairs[i].now].time);

        if (is_significant(&change, out->speed * a->time, fmax(least, samples), noise))
            add_change(out, change);
        if (m->pairs[i].is_renamed && out->speed * a->time > least) {
            PS_RESERVE_ONE(out->renames, out->n_renames, out->cap_renames);
            out->renames[out->n_renames++] =
                (struct ps_function_rename){m->pairs[i].base, m->pairs[i].now};
        }
    }
    for (size_t i = 0; i < m->n_only_now; i++)
        if (m->now->items[m->only_now[i]].time >
            fmax(least, spread * noise_of_samples(m, out, 0, m->now->items[m->only_now[i]].time)))
            add_change(out,
                       (struct ps_function_change){.kind = PS_FUNCTION_ADDED,
                                                   .base = PS_NO_FUNCTION_INDEX,
                                                   .now = m->only_now[i],
                                                   .delta = m->now->items[m->only_now[i]].time});
    for (size_t i = 0; i < m->n_only_base; i++)
        if (out->speed * m->base->items[m->only_base[i]].time >
            fmax(least, spread * noise_of_samples(m, out, m->base->items[m->only_base[i]].time, 0)))
            add_change(out, (struct ps_function_change){
                                .kind = PS_FUNCTION_REMOVED,
                                .base = m->only_base[i],
                                .now = PS_NO_FUNCTION_INDEX,
                                .delta = -out->speed * m->base->items[m->only_base[i]].time});
}

static bool calls(const struct matched *m, const struct ps_function_change *caller,
                  const struct ps_function_change *callee)
{
    const struct ps_profiled_function *a, *b;
    const bool in_now = caller->now != PS_NO_FUNCTION_INDEX && callee->now != PS_NO_FUNCTION_INDEX;

    if (!in_now && (caller->base == PS_NO_FUNCTION_INDEX || callee->base == PS_NO_FUNCTION_INDEX))
        return false;
    a = in_now ? &m->now->items[caller->now] : &m->base->items[caller->base];
    b = in_now ? &m->now->items[callee->now] : &m->base->items[callee->base];
    return count_common(&a->hash, 1, b->callers, b->n_callers) > 0;
}

/* Marks changes that have the cause of a larger one. */
static void mark_followers(const struct matched *m, struct ps_function_changes *out)
{
    const struct ps_function_change *first = out->changes;

    for (size_t i = 1; i < out->n_changes; i++) {
        struct ps_function_change *change = &out->changes[i];

        change->is_follower =
            (first->calls_changed && change->calls_ratio > 0 && first->calls_ratio > 0 &&
             fabs(log(change->calls_ratio / first->calls_ratio)) < INPUT_WIDTH) ||
            calls(m, change, first);
    }
}

/* Removes the changes that are as another input makes them. One call with a longer loop has more to
 * do as well, so the cost of a few calls says nothing. */
static void keep_beyond_input(const struct matched *m, double least,
                              struct ps_function_changes *out)
{
    size_t n = 0;

    for (size_t i = 0; i < out->n_changes; i++) {
        struct ps_function_change change = out->changes[i];

        if (change.base != PS_NO_FUNCTION_INDEX && change.now != PS_NO_FUNCTION_INDEX) {
            const struct ps_profiled_function *before = &m->base->items[change.base];
            const bool called_alike =
                change.calls_ratio > 0 && fabs(log(change.calls_ratio / out->input)) < INPUT_WIDTH;

            if (before->calls < SPEED_CALLS || (called_alike && !change.cost_changed))
                continue;
            change.delta -= out->speed * before->time * (out->input - 1);
        }
        if (fabs(change.delta) > least)
            out->changes[n++] = change;
    }
    out->n_changes = n;
}

void ps_function_changes_find(const struct ps_profiled_functions *base,
                              const struct ps_profiled_functions *now,
                              struct ps_function_changes *out)
{
    PS_AUTO(matched_free) struct matched m = {.base = base, .now = now};
    double whole;

    out->speed = 1;
    out->band = BAND_MIN;
    out->input = 1;
    if (!(base->total > 0) || !(now->total > 0))
        return;
    match_all(&m);
    find_speed(&m, out);
    out->input = find_input(&m);
    whole = fmin(out->speed * base->total, now->total);
    list_changes(&m, PS_FUNCTION_CHANGE_SHARE * whole, out);
    if (out->input != 1)
        keep_beyond_input(&m, INPUT_REST * whole, out);
    sort_changes(out);
    out->found = out->input != 1  ? PS_FUNCTIONS_INPUT
                 : out->n_changes ? PS_FUNCTIONS_CHANGED
                                  : PS_FUNCTIONS_SAME;
    if (out->n_changes)
        mark_followers(&m, out);
}
