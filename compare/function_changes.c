/* SPDX-License-Identifier: MIT */
#include "compare/function_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/python_path.h"
#include "compare/stats.h"

#define SPEED_SHARE 0.004 /* of a total: functions with less time say nothing about the speed */
#define SPEED_CALLS 5     /* nor do functions with fewer calls */
#define SPEED_ALIKE 3     /* functions that must agree on a speed */
#define SAMPLES_MIN 8     /* of a function that says something about the speed */
/*
 * Measured on pairs of cProfile dumps of four programs, in which nothing changed or one function
 * did. On a machine with ten times as much to do as it has cores, a change is named in 4 of 44
 * pairs of the same program (18 if costs are compared with the median deviation), and the right
 * function in 14 of 27 (15); by CPU time in 1 of 40 (1) and in 27 of 27 (23).
 * Of the grades of the 133 pairs of the exam (tests/causes), half and double of TIMES_ALPHA change
 * none, half of NOISE_MOST loses one and double none; MOVED_SHARE of 0.6 loses three, 0.95 none.
 */
#define TIMES_ALPHA   0.05 /* that noise is named as a change, of all functions together */
#define SAMPLES_ALPHA 0.01 /* the same of samples, which are not compared by ratios */
#define NOISE_MOST    0.3  /* the same, of the most of a large difference */
#define TIMES_NOISE   0.02 /* of a time: changes all times have */
#define SAMPLE_NOISES 3    /* standard deviations of a number of samples that no noise explains */
#define SPEED_WEIGHT  0.1  /* share of a total from which on a function weighs no more */
#define SPEED_WIDTH   0.12 /* of the kernel, in ln(ratio) */
#define MOVED_MIN     0.2  /* ln(ratio): nearly all functions that moved by more moved together */
#define MOVED_SHARE   0.8  /* of the weights: nearly all functions */
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
#define DEPTH_MAX    64   /* callers of callers that are looked at */
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
    uint32_t *partner_of_base, *partner_of_now; /* PS_NO_FUNCTION_INDEX: unmatched */
};

static void matched_free(struct matched *m)
{
    free(m->pairs);
    free(m->only_base);
    free(m->only_now);
    free(m->partner_of_base);
    free(m->partner_of_now);
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
    m->partner_of_base = ps_alloc_array(m->base->n + 1, sizeof *m->partner_of_base);
    m->partner_of_now = ps_alloc_array(m->now->n + 1, sizeof *m->partner_of_now);
    memset(m->partner_of_base, 0xff, (m->base->n + 1) * sizeof *m->partner_of_base);
    memset(m->partner_of_now, 0xff, (m->now->n + 1) * sizeof *m->partner_of_now);
    for (size_t i = 0; i < m->n_pairs; i++) {
        m->partner_of_base[m->pairs[i].base] = m->pairs[i].now;
        m->partner_of_now[m->pairs[i].now] = m->pairs[i].base;
    }
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

/* Whether a function has enough samples to say something about the speed. */
static bool is_sampled(const struct matched *m, const struct ps_profiled_function *function)
{
    return function->time > SPEED_SHARE * m->base->total &&
           function->time >= SAMPLES_MIN * m->base->sample && function->path.ptr;
}

static bool is_only_caller(uint64_t caller, const struct ps_profiled_function *function)
{
    return function->n_callers == 1 && function->callers[0] == caller && function->hash != caller;
}

/* Whether a sampled function has a single caller that calls nothing else, and the times of both
 * changed by the same ratio. A caller with more to do makes its callee do more, so the two tell
 * about the speed of the machine only once. */
static bool is_one_with_caller(const struct matched *m, const struct pair *pair)
{
    const struct ps_profiled_function *a = &m->base->items[pair->base];
    const double ratio = m->now->items[pair->now].time / a->time;
    const struct ps_profiled_function *caller = NULL;
    size_t n_callees = 0;
    uint32_t partner;

    if (!m->base->lacks_calls || !is_sampled(m, a) || a->n_callers != 1)
        return false;
    for (size_t i = 0; i < m->base->n; i++) {
        const struct ps_profiled_function *function = &m->base->items[i];

        if (function->hash == a->callers[0] && function != a && is_sampled(m, function))
            caller = function;
        n_callees += is_only_caller(a->callers[0], function) && is_sampled(m, function);
    }
    if (!caller || n_callees != 1)
        return false;
    partner = m->partner_of_base[caller - m->base->items];
    return partner != PS_NO_FUNCTION_INDEX &&
           fabs(log(m->now->items[partner].time / caller->time / ratio)) < SPEED_WIDTH;
}

/* The ratios of the times a call, with their weights. At most 1 / SPEED_SHARE. */
static size_t list_ratios(const struct matched *m, struct weighted *out)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct ps_profiled_function *a = &m->base->items[m->pairs[i].base];
        const struct ps_profiled_function *b = &m->now->items[m->pairs[i].now];
        const double share = fmin(a->time / m->base->total, b->time / m->now->total);
        const bool by_samples = m->base->lacks_calls && is_sampled(m, a);

        if (a->time > SPEED_SHARE * m->base->total && b->time > 0 &&
            (by_samples || (a->calls >= SPEED_CALLS && b->calls >= SPEED_CALLS)) &&
            !is_one_with_caller(m, &m->pairs[i]))
            out[n++] = (struct weighted){by_samples ? b->time / a->time : ratio_of_costs(a, b),
                                         sqrt(fmin(SPEED_WEIGHT, share))};
    }
    return n;
}

static int by_value(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* The ratio in the middle if nearly all went up, or nearly all went down, by more than a little;
 * else 1. Sorts the ratios. */
static double middle_of_moved(struct weighted *ratios, size_t n)
{
    double whole = 0, up = 0, down = 0, sum = 0;
    size_t i = 0;

    for (size_t k = 0; k < n; k++) {
        const double moved = log(ratios[k].value);

        whole += ratios[k].weight;
        up += moved > MOVED_MIN ? ratios[k].weight : 0;
        down += moved < -MOVED_MIN ? ratios[k].weight : 0;
    }
    if (n < SPEED_ALIKE || fmax(up, down) < MOVED_SHARE * whole)
        return 1;
    qsort(ratios, n, sizeof *ratios, by_value);
    while (2 * (sum += ratios[i].weight) < whole)
        i++;
    return ratios[i].value;
}

static void find_speed(const struct matched *m, struct ps_function_changes *out)
{
    PS_AUTO(ps_free_ptr) struct weighted *ratios = ps_alloc_array(m->n_pairs + 1, sizeof *ratios);
    PS_AUTO(ps_free_ptr) double *distances = ps_alloc_array(m->n_pairs + 1, sizeof *distances);
    const size_t n = list_ratios(m, ratios);
    double best = -1, whole = 0, alike = 0;

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
        whole += ratios[i].weight;
        alike += distances[i] < SPEED_WIDTH ? ratios[i].weight : 0;
    }
    out->alike_share = whole > 0 ? alike / whole : 0;
    out->is_alike = out->n_alike >= SPEED_ALIKE;
    if (!out->is_alike) {
        out->speed = middle_of_moved(ratios, n);
        for (size_t i = 0; i < n; i++)
            distances[i] = fabs(log(ratios[i].value / out->speed));
    }
    out->band = fmax(BAND_MIN, n ? BAND_MADS * ps_group_median(distances, n) : 0);
}

/* --- Noise of times --- */

/* A matched function: its time before, for the calls of the new profile, and after; of samples
 * their numbers. */
struct timed {
    size_t pair;
    double before, after;
    bool has_changed;
};

/* By the ratio of times. Half a sample more on both sides, since there may be none. */
static double log_ratio(const struct timed *function, double half)
{
    return log((function->after + half) / (function->before + half));
}

static int by_ratio(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    const double i = y->before * x->after, k = x->before * y->after;

    return (i > k) - (i < k);
}

/* Functions that are compared, sorted by the ratio of times. */
struct timed_functions {
    struct timed *items;
    size_t n;
    double sample; /* 1 of samples, 0 of times */
};

/* The ratio of times of the functions that have not changed, but `left_out`: their median, weighted
 * by the roots of the times. */
static double speed_of_others(const struct timed_functions *all, size_t left_out)
{
    double whole = 0, sum = 0;

    for (size_t i = 0; i < all->n; i++)
        if (i != left_out && !all->items[i].has_changed)
            whole += sqrt(all->items[i].before + all->items[i].after);
    for (size_t i = 0; i < all->n; i++) {
        if (i == left_out || all->items[i].has_changed)
            continue;
        sum += sqrt(all->items[i].before + all->items[i].after);
        if (2 * sum >= whole)
            return exp(log_ratio(&all->items[i], all->sample / 2));
    }
    return 1;
}

/* A difference in standard deviations of two Poisson counts. Of times the counts are those of
 * interruptions, of unknown length: only the ratio of two deviations tells anything. */
static double deviation_of(const struct timed *function, double speed, double sample)
{
    return (function->after - speed * function->before) /
           sqrt(function->after + speed * speed * (function->before + sample) + sample);
}

/* The least deviation of a time that is not noise alone: clocks and caches change all times. */
static double least_deviation(const struct timed *function, double sample)
{
    return sample > 0 ? 1 : TIMES_NOISE * sqrt(function->before + function->after);
}

/* How much the functions that have not changed vary. */
struct spread {
    double counts; /* standard deviation of the differences, in those of counts */
    double ratios; /* of the logarithms of the ratios, weighted by the roots of the times */
    size_t n;      /* functions; below 2 the others are 0 */
};

static struct spread spread_of_others(const struct timed_functions *all, size_t left_out,
                                      double speed)
{
    struct spread out = {.n = 0};
    double weights = 0, part;

    for (size_t i = 0; i < all->n; i++) {
        const struct timed *function = &all->items[i];
        const double weight = sqrt(function->before + function->after);

        if (i == left_out || function->has_changed)
            continue;
        out.counts += pow(deviation_of(function, speed, all->sample), 2);
        out.ratios += weight * pow(log_ratio(function, all->sample / 2) - log(speed), 2);
        weights += weight;
        out.n++;
    }
    part = out.n < 2 ? 0 : 1 / (double)(out.n - 1); /* the speed takes a degree of freedom */
    out.counts = sqrt(out.counts * part);
    out.ratios = weights > 0 ? sqrt(out.ratios / weights * (double)out.n * part) : 0;
    return out;
}

/* P values of the hypothesis that a function has not changed: its difference is like those of the
 * other functions, which nobody touched. counts: by differences, which interruptions of the machine
 * cause; all: of times also by ratios, which a machine causes that is slow for a while. */
struct unchanged {
    double counts, all;
};

static struct unchanged find_unchanged(const struct timed_functions *all, size_t at)
{
    const struct timed *function = &all->items[at];
    const double speed = speed_of_others(all, at);
    const struct spread spread = spread_of_others(all, at, speed);
    const double counts = fabs(deviation_of(function, speed, all->sample)) /
                          fmax(spread.counts, least_deviation(function, all->sample));
    const double ratios =
        fabs(log_ratio(function, all->sample / 2) - log(speed)) / fmax(spread.ratios, TIMES_NOISE);
    const double n_tests = (double)(spread.n + 1);
    struct unchanged out = {1, 1};

    if (spread.n < 2) { /* times of few functions: what is most of a large difference is named */
        out.counts = all->sample > 0;
        return out;
    }
    out.counts = out.all = ps_student_p(counts, spread.n - 1) * n_tests;
    if (!(all->sample > 0))
        out.all = fmax(out.counts, ps_student_p(ratios, spread.n - 1) * n_tests);
    return out;
}

static double alpha_of(const struct matched *m)
{
    return m->base->lacks_calls ? SAMPLES_ALPHA : TIMES_ALPHA;
}

/* Whether a matched function says something about the noise. */
static bool list_timed(const struct matched *m, size_t pair, struct timed *out)
{
    const struct ps_profiled_function *a = &m->base->items[m->pairs[pair].base];
    const struct ps_profiled_function *b = &m->now->items[m->pairs[pair].now];

    if (fmax(a->time / m->base->total, b->time / m->now->total) < SPEED_SHARE || !a->path.ptr)
        return false;
    if (m->base->lacks_calls) {
        *out = (struct timed){pair, a->time / m->base->sample, b->time / m->now->sample, false};
        return out->before + out->after >= SAMPLES_MIN;
    }
    if (!a->calls || !b->calls || !(a->time > 0) || !(b->time > 0))
        return false;
    *out = (struct timed){pair, a->time * (double)b->calls / (double)a->calls, b->time, false};
    return true;
}

/* For each matched function whether it has changed. Returns by how much more than
 * counts do the samples of those vary that have not; at least 1. */
static double compare_times(const struct matched *m, struct unchanged *unchanged)
{
    PS_AUTO(ps_free_ptr) struct timed *items = ps_alloc_array(m->n_pairs + 1, sizeof *items);
    struct timed_functions all = {.items = items, .sample = m->base->lacks_calls};
    size_t next;

    for (size_t i = 0; i < m->n_pairs; i++) {
        unchanged[i] = (struct unchanged){1, 1};
        all.n += list_timed(m, i, &items[all.n]);
    }
    qsort(items, all.n, sizeof *items, by_ratio);
    do {
        double least = alpha_of(m);

        next = all.n;
        for (size_t i = 0; i < all.n; i++) {
            if (items[i].has_changed)
                continue;
            unchanged[items[i].pair] = find_unchanged(&all, i);
            if (unchanged[items[i].pair].all < least) {
                least = unchanged[items[i].pair].all;
                next = i;
            }
        }
        if (next < all.n)
            items[next].has_changed = true;
    } while (next < all.n);
    return fmax(1, spread_of_others(&all, all.n, speed_of_others(&all, all.n)).counts);
}

/* Appends the ratios of calls that both profiles make of what is not compared. */
static size_t list_outward(const struct matched *m, double *ratios)
{
    const struct ps_outward_calls *a = m->base->outward, *b = m->now->outward;
    size_t n = 0;

    for (size_t i = 0, k = 0; i < m->base->n_outward && k < m->now->n_outward;) {
        if (a[i].hash == b[k].hash && a[i].calls >= INPUT_CALLS && b[k].calls > 0)
            ratios[n++] = (double)b[k].calls / (double)a[i].calls;
        if (a[i].hash == b[k].hash) {
            i++;
            k++;
        } else if (a[i].hash < b[k].hash) {
            i++;
        } else {
            k++;
        }
    }
    return n;
}

/* The factor by which the calls grew, if most of the functions and of what they call agree; else 1.
 */
static double find_input(const struct matched *m)
{
    PS_AUTO(ps_free_ptr)
    double *ratios = ps_alloc_array(m->n_pairs + m->base->n_outward + 1, sizeof *ratios);
    size_t n = 0, n_alike = 0;
    double factor;

    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct ps_profiled_function *a = &m->base->items[m->pairs[i].base];
        const struct ps_profiled_function *b = &m->now->items[m->pairs[i].now];

        if (a->calls >= INPUT_CALLS && b->calls > 0)
            ratios[n++] = (double)b->calls / (double)a->calls;
    }
    n += list_outward(m, ratios + n);
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
                                           struct unchanged unchanged)
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
    out.cost_changed = out.cost_ratio > 0 &&
                       ((unchanged.all < alpha_of(m) && fabs(log(out.cost_ratio)) > BAND_MIN) ||
                        (unchanged.counts < NOISE_MOST && is_most(m, &out, all)));
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
static bool is_significant(const struct ps_function_change *change, double before, double least)
{
    const double by_calls =
        change->calls_ratio > 0 ? before * (change->calls_ratio - 1) : change->delta;

    if (change->kind >= PS_FUNCTION_ADDED)
        return fabs(change->delta) > least;
    if (change->calls_changed && fabs(by_calls) > least)
        return true;
    return change->cost_changed &&
           fabs(change->delta - (change->calls_ratio > 0 ? by_calls : 0)) > least;
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
    PS_AUTO(ps_free_ptr)
    struct unchanged *unchanged = ps_alloc_array(m->n_pairs + 1, sizeof *unchanged);
    const double spread = compare_times(m, unchanged);

    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct ps_profiled_function *a = &m->base->items[m->pairs[i].base];
        const struct ps_function_change change = change_of(m, &m->pairs[i], out, unchanged[i]);
        const double samples =
            noise_of_samples(m, out, out->speed * a->time, m->now->items[m->pairs[i].now].time);

        if (is_significant(&change, out->speed * a->time, fmax(least, samples)))
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

/* --- What is called with another function --- */

/* The profile in which a function has more calls, and the other one. */
struct direction {
    const struct ps_profiled_functions *more, *less;
    const uint32_t *partners; /* of `more` in `less` */
};

static struct direction direction_of(const struct matched *m, bool is_more)
{
    return is_more ? (struct direction){m->now, m->base, m->partner_of_now}
                   : (struct direction){m->base, m->now, m->partner_of_base};
}

static int64_t calls_by(const struct ps_profiled_functions *all, uint32_t callee, uint32_t caller)
{
    const struct ps_profiled_function *function;

    if (callee == PS_NO_FUNCTION_INDEX || caller == PS_NO_FUNCTION_INDEX)
        return 0;
    function = &all->items[callee];
    for (size_t i = 0; i < function->n_by; i++)
        if (function->by[i].function == caller)
            return function->by[i].calls;
    return 0;
}

/* The caller with the most calls that are not in the other profile; PS_NO_FUNCTION_INDEX: none. */
static uint32_t main_caller(const struct direction *d, uint32_t callee, int64_t *calls)
{
    const struct ps_profiled_function *function = &d->more->items[callee];
    uint32_t found = PS_NO_FUNCTION_INDEX;
    int64_t most = 0;

    for (size_t i = 0; i < function->n_by; i++) {
        const uint32_t caller = function->by[i].function;
        const int64_t before = calls_by(d->less, d->partners[callee], d->partners[caller]);

        if (caller == callee || function->by[i].calls - before <= most)
            continue;
        most = function->by[i].calls - before;
        *calls = function->by[i].calls;
        found = caller;
    }
    return found;
}

/* Whether the calls of a caller changed as those that it makes: then it is not the cause. */
static bool is_called_alike(const struct direction *d, uint32_t caller, uint32_t callee,
                            int64_t calls)
{
    const uint32_t before = d->partners[caller];
    const int64_t calls_before = calls_by(d->less, d->partners[callee], before);
    double ratio;

    if (before == PS_NO_FUNCTION_INDEX)
        return true; /* it is new */
    if (!calls_before || !d->less->items[before].calls)
        return false;
    ratio = (double)d->more->items[caller].calls / (double)d->less->items[before].calls;
    return ratio > 1 + CALLS_NOISE &&
           fabs(log(ratio * (double)calls_before / (double)calls)) < INPUT_WIDTH;
}

/* Climbs from a function to the outermost one whose calls changed with its own. *caller: what calls
 * that; PS_NO_FUNCTION_INDEX: unknown. */
static uint32_t find_outermost(const struct direction *d, uint32_t function, uint32_t *caller)
{
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        int64_t calls = 0;

        *caller = main_caller(d, function, &calls);
        if (*caller == PS_NO_FUNCTION_INDEX || !is_called_alike(d, *caller, function, calls))
            break;
        function = *caller;
        *caller = PS_NO_FUNCTION_INDEX;
    }
    return function;
}

static bool is_by_calls(const struct ps_function_change *change)
{
    return change->kind != PS_FUNCTION_COST;
}

/* Whether there are more calls now than before. */
static bool is_more(const struct ps_function_change *change)
{
    return change->kind == PS_FUNCTION_ADDED ||
           (change->kind == PS_FUNCTION_CALLS && change->calls_ratio > 1);
}

/* The change of the outermost function that a change belongs to, without those below it. */
static struct ps_function_change outermost_of(const struct matched *m,
                                              const struct ps_function_changes *all,
                                              const struct ps_function_change *change)
{
    const struct direction d = direction_of(m, is_more(change));
    uint32_t caller, other,
        outer = find_outermost(&d, is_more(change) ? change->now : change->base, &caller);
    struct ps_function_change out = *change;

    other = d.partners[outer];
    if (outer != (is_more(change) ? change->now : change->base)) {
        const struct pair pair = is_more(change) ? (struct pair){.base = other, .now = outer}
                                                 : (struct pair){outer, other, false};

        if (other != PS_NO_FUNCTION_INDEX) {
            out = change_of(m, &pair, all, (struct unchanged){1, 1});
            out.kind = PS_FUNCTION_CALLS;
        } else {
            out = (struct ps_function_change){
                .kind = is_more(change) ? PS_FUNCTION_ADDED : PS_FUNCTION_REMOVED,
                .base = pair.base,
                .now = pair.now,
                .delta = is_more(change) ? m->now->items[outer].time
                                         : -all->speed * m->base->items[outer].time};
        }
    }
    other = caller == PS_NO_FUNCTION_INDEX ? caller : d.partners[caller];
    out.caller_now = is_more(change) ? caller : other;
    out.caller_base = is_more(change) ? other : caller;
    return out;
}

static size_t find_change(const struct ps_function_change *changes, size_t n,
                          const struct ps_function_change *change)
{
    size_t i = 0;

    while (i < n && (changes[i].base != change->base || changes[i].now != change->now))
        i++;
    return i;
}

/* Joins changes by calls with that of the outermost function that is called more or less often. */
static void join_below(const struct matched *m, struct ps_function_changes *out)
{
    struct ps_function_change *joined = ps_alloc_array(2 * out->n_changes + 1, sizeof *joined);
    size_t n = 0;

    for (size_t i = 0; i < out->n_changes; i++) {
        struct ps_function_change outer = out->changes[i];
        size_t at;

        outer.caller_base = outer.caller_now = PS_NO_FUNCTION_INDEX;
        if (is_by_calls(&outer))
            outer = outermost_of(m, out, &outer);
        at = find_change(joined, n, &outer);
        if (at == n)
            joined[n++] = outer;
        if (outer.base == out->changes[i].base && outer.now == out->changes[i].now)
            continue;
        joined[at].delta += out->changes[i].delta;
        joined[at].n_below++;
    }
    free(out->changes);
    out->changes = joined;
    out->cap_changes = 2 * out->n_changes + 1;
    out->n_changes = n;
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
    join_below(&m, out);
    sort_changes(out);
    out->found = out->input != 1  ? PS_FUNCTIONS_INPUT
                 : out->n_changes ? PS_FUNCTIONS_CHANGED
                                  : PS_FUNCTIONS_SAME;
    if (out->n_changes)
        mark_followers(&m, out);
}
