/* SPDX-License-Identifier: MIT */
/*
 * import_changes.c: says what changed between two import logs: the packages that are imported anew
 * or no more, with all modules that came or went with them, and the packages whose modules became
 * slower.
 *
 * A module that only one log has belongs to the first module above it, by the first importers, that
 * the other log lacks too. So one added package is one change, though it brings a hundred modules
 * of others.
 */
#include "server/query/compare/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/intern.h"
#include "importers/kinds.h"
#include "server/query/conclusion/conclusion.h"

#define NOTABLE_SHARE 0.03 /* of the shorter import: smaller changes are not told */
#define SLOWER_SHARE  0.10 /* of it: modules that both have take more or less time by chance */
#define MOST          0.5  /* of a difference that one package explains */
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
    struct log base, now;
};

/* Modules that were added with one package, removed with it, or stayed. */
struct group {
    struct ps_str package;
    double us; /* new - base */
    int64_t n_added, n_removed;
};

struct groups {
    struct group *items; /* by the id of the package */
    size_t n;
};

static void logs_free(struct logs *logs)
{
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

static void add_changes(struct logs *logs, struct groups *other, struct groups *same)
{
    const struct log *base = &logs->base, *now = &logs->now;

    for (uint32_t id = 0; id < logs->names.count; id++) {
        const bool in_base = has(base, id), in_now = has(now, id);
        struct group *group;

        if (in_base && in_now) {
            group_of(logs, same, now->modules[id].package)->us +=
                now->modules[id].us - base->modules[id].us;
        } else if (in_now) {
            group = group_of(logs, other, now->modules[first_lacking(now, base, id)].package);
            group->us += now->modules[id].us;
            group->n_added++;
        } else if (in_base) {
            group = group_of(logs, other, base->modules[first_lacking(base, now, id)].package);
            group->us -= base->modules[id].us;
            group->n_removed++;
        }
    }
}

static int by_size(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    return (fabs(x->us) < fabs(y->us)) - (fabs(x->us) > fabs(y->us));
}

/* --- Words --- */

static void say_change(struct ps_conclusion *c, struct ps_sentence *to, double us)
{
    char text[64];

    ps_say(c, to, "%s", ps_format_change(us, "us", text));
}

static void say_modules(struct ps_conclusion *c, struct ps_sentence *to, int64_t n)
{
    ps_say_value(to, ps_link_none, (double)n, "count");
    ps_say(c, to, n == 1 ? " module" : " modules");
}

static void say_group(struct ps_conclusion *c, struct ps_sentence *to, const struct group *group)
{
    ps_say_code(c, to, ps_link_name(c, "packages", group->package), group->package);
    if (group->n_added && group->n_removed) {
        ps_say(c, to, " brings ");
        say_modules(c, to, group->n_added);
        ps_say(c, to, " in place of ");
        ps_say_value(to, ps_link_none, (double)group->n_removed, "count");
    } else {
        ps_say(c, to, group->n_added ? " brings " : " no longer brings ");
        say_modules(c, to, group->n_added ? group->n_added : group->n_removed);
    }
    ps_say(c, to, ": ");
    say_change(c, to, group->us);
}

/* Returns the time that is told. */
static double say_added_and_removed(struct ps_conclusion *c, struct ps_sentence *to,
                                    const struct groups *groups, double least, double whole)
{
    double told = 0;

    for (size_t i = 0; i < groups->n && i < NAMES_MAX && fabs(groups->items[i].us) > least; i++) {
        ps_say(c, to, i ? "; " : "");
        say_group(c, to, &groups->items[i]);
        if (i == 0) {
            ps_say(c, to, " of ");
            say_change(c, to, whole);
        }
        told += groups->items[i].us;
    }
    ps_say(c, to, told != 0 ? "." : "");
    return told;
}

/* What is left of the difference: modules that both logs have. */
static void say_same(struct ps_conclusion *c, struct ps_sentence *to, const struct groups *groups,
                     double rest, double least, bool is_first)
{
    const struct group *most = groups->n ? &groups->items[0] : NULL;

    if (fabs(rest) <= least || !most) {
        if (is_first)
            ps_say(c, to, "The same modules are imported, in about the same time.");
        return;
    }
    ps_say(c, to, is_first ? "The same modules are imported. " : " ");
    if (most->us * rest > 0 && fabs(most->us) >= MOST * fabs(rest)) {
        ps_say(c, to, "Those of ");
        ps_say_code(c, to, ps_link_name(c, "packages", most->package), most->package);
        ps_say(c, to, " take ");
        say_change(c, to, most->us);
        ps_say(c, to, " of ");
        say_change(c, to, rest);
        ps_say(c, to, ".");
        return;
    }
    ps_say(c, to, is_first ? "They take " : "Modules that both logs have take ");
    say_change(c, to, rest);
    ps_say(c, to, ", in no package most of it: a %s machine or disk does this.",
           rest > 0 ? "slower" : "faster");
}

enum ps_status ps_compare_say_imports(struct ps_store *store,
                                      const struct ps_compare_groups *groups,
                                      struct ps_conclusion *c, struct ps_sentence *to,
                                      struct ps_err *err)
{
    PS_AUTO(logs_free) struct logs logs = {.text = {.block = NULL}};
    PS_AUTO(groups_free) struct groups other = {.items = NULL};
    PS_AUTO(groups_free) struct groups same = {.items = NULL};
    double least, whole, rest, told;

    if (groups->n_base != 1 || groups->n_new != 1 || !ps_compare_all_have(groups, PS_HAS_IMPORTS))
        return PS_OK;
    if (read_log(store, groups->runs[0].id, &logs, &logs.base, err) != PS_OK ||
        read_log(store, groups->runs[1].id, &logs, &logs.now, err) != PS_OK)
        return err->code;
    add_changes(&logs, &other, &same);
    if (other.n)
        qsort(other.items, other.n, sizeof *other.items, by_size);
    if (same.n)
        qsort(same.items, same.n, sizeof *same.items, by_size);
    least = fmin(logs.base.us, logs.now.us);
    whole = rest = logs.now.us - logs.base.us;
    for (size_t i = 0; i < other.n; i++)
        rest -= other.items[i].us;
    told = say_added_and_removed(c, to, &other, NOTABLE_SHARE * least, whole);
    say_same(c, to, &same, rest, fmax(SLOWER_SHARE * least, MOST * fabs(told)), told == 0);
    return PS_OK;
}
