/* SPDX-License-Identifier: MIT */
/*
 * import_changes.c: claims what changed between two import logs or groups of them: the packages
 * that are imported anew or no more, with all modules that came or went with them, and the packages
 * whose modules became slower.
 *
 * A group of logs is read as one: the modules that most of its logs have, with their median times.
 * Which modules there are has no noise. Times of modules that both groups have are only claimed if
 * all logs of one group have more than all of the other.
 *
 * A module that only one log has belongs to the first module above it, by the first importers, that
 * the other log lacks too. So one added package is one change, though it brings a hundred modules
 * of others.
 */
#include "server/catalog/readers.h"
#include "server/query/compare/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "compare/stats.h"
#include "importers/kinds.h"
#include "server/query/conclusion/conclusion.h"

#define NOTABLE_SHARE 0.03 /* of the shorter import: smaller changes are not told */
#define SLOWER_SHARE  0.10 /* of it: modules that both have take more or less time by chance */
#define MOST          0.5  /* of a difference that one package explains */
#define ONE_MODULE    0.9  /* of the change of a package: that module is named */
#define NAMES_MAX     3
#define DEPTH_MAX     4096 /* of a chain of importers; in a damaged file it is a circle */
#define NO_MODULE     UINT32_MAX

struct module {
    struct ps_str package;
    double us;
    uint32_t importer_id; /* NO_MODULE: unknown */
    bool is_present;
};

struct log {
    struct module *modules; /* by the id of their name */
    size_t n_modules;
    double us;
};

struct logs {
    struct ps_intern names, packages;
    struct ps_arena text;
    struct log runs[2 * PS_GROUP_MAX]; /* those of the base first */
    size_t n_base, n_runs;
    struct log base, now; /* of each group */
};

/* Modules that were added with one package, removed with it, or stayed. */
struct group {
    struct ps_str package;
    double us;     /* new - base */
    uint32_t root; /* the module that brings most of it */
    double root_us;
    int64_t n_added, n_removed;
};

struct groups {
    struct group *items; /* by the id of the package */
    size_t n;
};

static void logs_free(struct logs *logs)
{
    for (size_t i = 0; i < logs->n_runs; i++)
        free(logs->runs[i].modules);
    free(logs->base.modules);
    free(logs->now.modules);
    ps_intern_free(&logs->names);
    ps_intern_free(&logs->packages);
    ps_arena_free(&logs->text);
}

static void groups_free(struct groups *groups)
{
    free(groups->items);
}

/* --- Modules --- */

static void add_module(struct logs *logs, struct log *log, struct ps_stmt *stmt)
{
    const uint32_t id = ps_intern_add(&logs->names, ps_col_text(stmt, 1));
    const struct ps_str importer = ps_col_text(stmt, 3);

    log->modules = ps_grow_to(log->modules, &log->n_modules, id, sizeof *log->modules);
    log->modules[id] = (struct module){
        .package = ps_arena_copy(&logs->text, ps_col_text(stmt, 2)),
        .importer_id = importer.ptr ? ps_intern_add(&logs->names, importer) : NO_MODULE,
        .us = ps_col_real(stmt, 4),
        .is_present = true};
    log->us += log->modules[id].us;
}

static enum ps_status read_modules(struct ps_db *db, struct logs *logs, struct log *log,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("compare_imports"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        add_module(logs, log, stmt);
    return err->code;
}

static enum ps_status read_log(struct ps_store *store, const char *run, struct logs *logs,
                               struct log *log, struct ps_err *err)
{
    struct ps_db *db = NULL;

    if (ps_run_acquire(store, run, &db, err) == PS_OK)
        read_modules(db, logs, log, err);
    ps_run_release(db);
    return err->code;
}

static bool has(const struct log *log, uint32_t id)
{
    return id < log->n_modules && log->modules[id].is_present;
}

/* Joins `n` logs: the modules that most of them have. */
static void join_logs(const struct logs *logs, const struct log *runs, size_t n, struct log *out)
{
    double us[PS_GROUP_MAX];

    for (uint32_t id = 0; id < logs->names.count; id++) {
        const struct module *module = NULL;
        size_t n_present = 0;

        for (size_t i = 0; i < n; i++)
            if (has(&runs[i], id)) {
                module = module ? module : &runs[i].modules[id];
                us[n_present++] = runs[i].modules[id].us;
            }
        if (2 * n_present <= n)
            continue;
        out->modules = ps_grow_to(out->modules, &out->n_modules, id, sizeof *out->modules);
        out->modules[id] = *module;
        out->modules[id].us = ps_group_median(us, n_present);
        out->us += out->modules[id].us;
    }
}

/* The first module above `id` that `other` lacks as well. */
static uint32_t first_lacking(const struct log *log, const struct log *other, uint32_t id)
{
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        const uint32_t importer = log->modules[id].importer_id;

        if (importer == NO_MODULE || !has(log, importer) || has(other, importer))
            break;
        id = importer;
    }
    return id;
}

static struct group *group_of(struct logs *logs, struct groups *groups, struct ps_str package)
{
    const uint32_t id = ps_intern_add(&logs->packages, package);

    groups->items = ps_grow_to(groups->items, &groups->n, id, sizeof *groups->items);
    groups->items[id].package = logs->packages.items[id];
    return &groups->items[id];
}

/* Adds a module that only `log` has to the group of the first module above it that `other` lacks.
 * `us`: the time of the module, negative if it was removed; `sums`: the times by that module. */
static struct group *add_lacking(struct logs *logs, struct groups *groups, const struct log *log,
                                 const struct log *other, uint32_t id, double us, double *sums)
{
    const uint32_t root = first_lacking(log, other, id);
    struct group *group = group_of(logs, groups, log->modules[root].package);

    group->us += us;
    sums[root] += us;
    if (fabs(sums[root]) >= fabs(group->root_us)) {
        group->root = root;
        group->root_us = sums[root];
    }
    return group;
}

static void add_changes(struct logs *logs, struct groups *other, struct groups *same)
{
    const struct log *base = &logs->base, *now = &logs->now;
    double *sums = ps_alloc_array(logs->names.count + 1, sizeof *sums);

    for (uint32_t id = 0; id < logs->names.count; id++) {
        const bool in_base = has(base, id), in_now = has(now, id);

        if (in_base && in_now)
            group_of(logs, same, now->modules[id].package)->us +=
                now->modules[id].us - base->modules[id].us;
        else if (in_now)
            add_lacking(logs, other, now, base, id, now->modules[id].us, sums)->n_added++;
        else if (in_base)
            add_lacking(logs, other, base, now, id, -base->modules[id].us, sums)->n_removed++;
    }
    free(sums);
}

static int by_size(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    return (fabs(x->us) < fabs(y->us)) - (fabs(x->us) > fabs(y->us));
}

/* --- Claims --- */

static void add_fact(struct ps_conclusion *c, struct ps_claim *claim, struct ps_fact fact)
{
    fact.unit = "us";
    ps_claim_fact(&c->arena, claim, fact);
}

static struct ps_subject module_of(struct ps_conclusion *c, const struct logs *logs, uint32_t id)
{
    const struct ps_str name = logs->names.items[id];

    return ps_subject_of(c, PS_SUBJECT_MODULE, ps_link_name(c, "imports", name), name);
}

static struct ps_subject package_of(struct ps_conclusion *c, const struct group *group)
{
    return ps_subject_of(c, PS_SUBJECT_PACKAGE, ps_link_name(c, "packages", group->package),
                         group->package);
}

/* A package that both logs have is not new: the module of it that brings nearly all is named. */
static bool is_new_module(const struct logs *logs, const struct group *group)
{
    const uint32_t package = ps_intern_find(&logs->names, group->package);

    return has(&logs->base, package) && has(&logs->now, package) &&
           fabs(group->root_us) >= ONE_MODULE * fabs(group->us);
}

static void claim_group(struct ps_conclusion *c, const struct logs *logs, const struct group *group,
                        double whole, bool is_first)
{
    const struct ps_subject subject =
        is_new_module(logs, group) ? module_of(c, logs, group->root) : package_of(c, group);
    struct ps_claim claim = ps_claim_of("imports",
                                        !group->n_removed ? PS_APPEARED
                                        : !group->n_added ? PS_VANISHED
                                                          : PS_CHANGES,
                                        subject, whole != 0 ? group->us / whole : NAN);

    add_fact(
        c, &claim,
        (struct ps_fact){!group->n_removed ? PS_FACT_BRINGS_MODULES
                         : !group->n_added ? PS_FACT_BRINGS_NO_MORE
                                           : PS_FACT_REPLACES_MODULES,
                         .values = {(double)(group->n_added ? group->n_added : group->n_removed),
                                    (double)group->n_removed},
                         .word = PS_STR("module")});
    add_fact(c, &claim, ps_fact_of_change(group->us, whole, "imports", is_first, false));
    ps_conclusion_claim(c, &claim, NAN);
}

/* Returns the time that is claimed. */
static double claim_added_and_removed(struct ps_conclusion *c, const struct logs *logs,
                                      const struct groups *groups, double least, double whole)
{
    double claimed = 0;

    for (size_t i = 0; i < groups->n && i < NAMES_MAX && fabs(groups->items[i].us) > least; i++) {
        claim_group(c, logs, &groups->items[i], whole, i == 0);
        claimed += groups->items[i].us;
    }
    return claimed;
}

/* The time of the modules of a package that both groups have, in one log; of all packages if the
 * name is empty. */
static double same_us(const struct logs *logs, const struct log *run, struct ps_str package)
{
    double us = 0;

    for (uint32_t id = 0; id < logs->names.count; id++)
        if (has(run, id) && has(&logs->base, id) && has(&logs->now, id) &&
            (!package.len || ps_str_eq(logs->now.modules[id].package, package)))
            us += run->modules[id].us;
    return us;
}

/* Whether all logs of one group take more time for these modules than all of the other. */
static bool stands_apart(const struct logs *logs, struct ps_str package)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};

    for (size_t i = 0; i < logs->n_runs; i++) {
        const double us = same_us(logs, &logs->runs[i], package);
        const bool is_new = i >= logs->n_base;

        least[is_new] = fmin(least[is_new], us);
        most[is_new] = fmax(most[is_new], us);
    }
    return least[1] > most[0] || least[0] > most[1];
}

/* The module with nearly all of the change of a package; NO_MODULE: none. */
static uint32_t find_module(const struct logs *logs, const struct group *group)
{
    uint32_t found = NO_MODULE;
    double most = ONE_MODULE * fabs(group->us);

    for (uint32_t id = 0; id < logs->names.count; id++) {
        if (!has(&logs->base, id) || !has(&logs->now, id) ||
            !ps_str_eq(logs->now.modules[id].package, group->package))
            continue;
        if (fabs(logs->now.modules[id].us - logs->base.modules[id].us) >= most) {
            most = fabs(logs->now.modules[id].us - logs->base.modules[id].us);
            found = id;
        }
    }
    return found;
}

/* What is left of the difference: modules that both logs have. */
static void claim_same(struct ps_conclusion *c, const struct logs *logs,
                       const struct groups *groups, double rest, double least, bool is_first)
{
    const struct group *most = groups->n ? &groups->items[0] : NULL;
    const bool is_one = most && most->us * rest > 0 && fabs(most->us) >= MOST * fabs(rest);
    const uint32_t module = is_one ? find_module(logs, most) : NO_MODULE;
    struct ps_claim claim = ps_claim_of("imports", PS_IS_SAME, ps_no_subject, NAN);

    if (fabs(rest) <= least || !most ||
        !stands_apart(logs, is_one ? most->package : (struct ps_str){NULL, 0})) {
        if (!is_first)
            return;
        add_fact(c, &claim, (struct ps_fact){.code = PS_FACT_SAME_MODULES});
        ps_conclusion_claim(c, &claim, NAN);
        return;
    }
    claim = ps_claim_of("imports", is_one ? PS_CHANGES : PS_MACHINE_CHANGED,
                        module != NO_MODULE ? module_of(c, logs, module)
                        : is_one            ? package_of(c, most)
                                            : ps_no_subject,
                        is_one ? most->us / rest : NAN);
    add_fact(c, &claim,
             (struct ps_fact){is_one ? PS_FACT_SAME_IMPORTED : PS_FACT_SAME_TAKE,
                              .values = {is_first, rest, rest > 0}});
    if (is_one)
        ps_claim_explain(&c->arena, &claim, ps_no_subject, most->us, 0, rest, "us");
    ps_conclusion_claim(c, &claim, NAN);
}

enum ps_status ps_compare_claim_imports(struct ps_store *store,
                                        const struct ps_compare_groups *groups,
                                        struct ps_conclusion *c, struct ps_err *err)
{
    PS_AUTO(logs_free) struct logs logs = {.text = {.block = NULL}};
    PS_AUTO(groups_free) struct groups other = {.items = NULL};
    PS_AUTO(groups_free) struct groups same = {.items = NULL};
    double least, whole, rest, claimed;

    if (!groups->n_base || !groups->n_new || !ps_compare_all_have(groups, PS_HAS_IMPORTS))
        return PS_OK;
    logs.n_base = groups->n_base;
    logs.n_runs = groups->n_base + groups->n_new;
    for (size_t i = 0; i < logs.n_runs; i++)
        if (read_log(store, groups->runs[i].id, &logs, &logs.runs[i], err) != PS_OK)
            return err->code;
    join_logs(&logs, logs.runs, logs.n_base, &logs.base);
    join_logs(&logs, logs.runs + logs.n_base, groups->n_new, &logs.now);
    add_changes(&logs, &other, &same);
    if (other.n)
        qsort(other.items, other.n, sizeof *other.items, by_size);
    if (same.n)
        qsort(same.items, same.n, sizeof *same.items, by_size);
    least = fmin(logs.base.us, logs.now.us);
    whole = rest = logs.now.us - logs.base.us;
    for (size_t i = 0; i < other.n; i++)
        rest -= other.items[i].us;
    claimed = claim_added_and_removed(c, &logs, &other, NOTABLE_SHARE * least, whole);
    claim_same(c, &logs, &same, rest, fmax(SLOWER_SHARE * least, MOST * fabs(claimed)),
               claimed == 0);
    return PS_OK;
}
