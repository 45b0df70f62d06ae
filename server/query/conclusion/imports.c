/* SPDX-License-Identifier: MIT */
/*
 * imports.c: the conclusion of an import log: the packages that the program's own code imports, and
 * its own modules that work while they are imported.
 *
 * Packages and own modules do not overlap: a package has the time of what is first imported below
 * it, without own code. The saving of a package is that of server/query/imports/import_graph.h for
 * this package alone, as `whatif` says it. It is left out if the log does not have all importers,
 * if the package is what was asked for, and if programs use it while they are imported. The saving
 * of an own module is its own work, unless that may be the classes or routes of such a package.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "server/query/advice.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/imports/import_graph.h"

#define CAUSE_SHARE 0.02 /* of all import time: what takes less is not a cause */
#define STANDS_OUT  0.10 /* if nothing takes more, nothing stands out */
#define WHOLE       0.90 /* a package that takes more is what was asked for: say its parts */
#define MOST        0.5  /* of a part: the package that it brings */
#define WORKS       0.2  /* own code that takes less defines its functions and classes */
#define AGAIN       0.25 /* modules that a further process imports once more are said from here on */
#define RANK_NEEDED 0.2  /* of its time: what a package weighs whose lazy import saves nothing */
#define PARTS_MAX   3
#define OWN_MAX     10

static const struct ps_report_link imports_link = {.tab = "imports"};

/* A package that own code imports, or an own module with its self time. */
struct unit {
    double us, rank;                            /* rank: by what can be avoided */
    const struct ps_import_suggestion *package; /* NULL: an own module */
    uint32_t node;                              /* the own module */
};

struct units {
    struct ps_import_suggestion packages[PS_IMPORT_SUGGESTIONS];
    struct unit items[PS_IMPORT_SUGGESTIONS + OWN_MAX]; /* the highest rank first */
    size_t n_packages, n;
};

static int by_rank(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? 1 : -1;
    return (x->us < y->us) - (x->us > y->us);
}

/* Whether a lazy import of the package saves nothing, as far as anybody can know. */
static bool is_needed(const struct ps_import_graph *graph,
                      const struct ps_import_suggestion *package)
{
    return ps_is_used_at_import(package->package) ||
           (graph->evidence == PS_EVIDENCE_RECORDED && !package->choices.len);
}

static double rank_package(const struct ps_import_graph *graph,
                           const struct ps_import_suggestion *package)
{
    if (is_needed(graph, package))
        return RANK_NEEDED * package->self_us;
    if (graph->evidence == PS_EVIDENCE_NONE || !package->choices.len)
        return package->self_us;
    return fmax(package->saving.high, RANK_NEEDED * package->self_us);
}

/* Inserts an own module into a list of the OWN_MAX largest. */
static void add_own(struct units *units, double us, uint32_t node)
{
    struct unit *own = units->items + units->n_packages;
    size_t n = units->n - units->n_packages, at = n;

    while (at && own[at - 1].us < us)
        at--;
    if (at == OWN_MAX)
        return;
    if (n < OWN_MAX)
        units->n++;
    for (size_t i = n < OWN_MAX ? n : OWN_MAX - 1; i > at; i--)
        own[i] = own[i - 1];
    own[at] = (struct unit){us, us, NULL, node};
}

static void find_units(struct ps_import_graph *graph, struct units *out)
{
    out->n = out->n_packages = ps_import_graph_largest(graph, out->packages);
    for (size_t i = 0; i < out->n_packages; i++)
        out->items[i] = (struct unit){out->packages[i].self_us,
                                      rank_package(graph, &out->packages[i]), &out->packages[i], 0};
    for (uint32_t node = 1; node < graph->n; node++)
        if (ps_import_graph_is_own(graph, node))
            add_own(out, graph->nodes[node].self_us, node);
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_rank);
}

/* --- Names and links --- */

static struct ps_str name_of(const struct ps_import_graph *graph, const struct unit *unit)
{
    return unit->package ? unit->package->package : ps_import_graph_name(graph, unit->node);
}

static struct ps_report_link link_name(struct ps_conclusion *c, const char *tab, struct ps_str name)
{
    return (struct ps_report_link){tab, {{"q", ps_arena_copy(&c->arena, name).ptr}}};
}

static struct ps_report_link link_unit(struct ps_conclusion *c, const struct ps_import_graph *graph,
                                       const struct unit *unit)
{
    return link_name(c, unit->package ? "packages" : "imports", name_of(graph, unit));
}

static struct ps_report_link link_lazy(const struct ps_import_suggestion *package,
                                       struct ps_conclusion *c)
{
    return (struct ps_report_link){"lazy",
                                   {{"lazy", ps_arena_copy(&c->arena, package->choices).ptr}}};
}

/* --- Causes --- */

/* The time of the program's imports, without Python's own start-up. */
static double program_us(const struct ps_import_graph *graph)
{
    return graph->total_us - graph->startup_us;
}

/* Whether the program imports nothing else of note: then it is there for this package. */
static bool was_asked_for(const struct ps_import_graph *graph,
                          const struct ps_import_suggestion *package)
{
    return !package->importer && package->self_us >= WHOLE * program_us(graph);
}

/* A package of somebody else whose classes and decorators may be the work of own modules. */
static struct ps_str find_framework(const struct ps_import_graph *graph)
{
    for (uint32_t node = 1; node < graph->n; node++)
        if (graph->modules[node].origin == PS_ORIGIN_THIRD_PARTY &&
            ps_is_used_at_import(graph->modules[node].package))
            return graph->modules[node].package;
    return (struct ps_str){NULL, 0};
}

static bool knows_importers(const struct ps_import_graph *graph)
{
    return graph->evidence != PS_EVIDENCE_NONE;
}

/* Whether the log tells a statement of the program from one in a function that it calls: both have
 * no importer in logs of Python. */
static bool knows_importer(const struct ps_import_graph *graph, uint32_t importer)
{
    return importer || graph->evidence == PS_EVIDENCE_RECORDED;
}

static struct ps_subject module_subject(struct ps_conclusion *c,
                                        const struct ps_import_graph *graph,
                                        struct ps_report_link link, uint32_t node)
{
    return ps_subject_of(c, PS_SUBJECT_MODULE, link, ps_import_graph_name(graph, node));
}

static struct ps_fact importer_fact(struct ps_conclusion *c, const struct ps_import_graph *graph,
                                    const struct ps_import_suggestion *package)
{
    if (!knows_importer(graph, package->importer))
        return (struct ps_fact){.code = PS_FACT_IMPORTER_UNKNOWN};
    return (struct ps_fact){.code = !package->choices.len                    ? PS_FACT_IS_LAZY
                                    : ps_is_used_at_import(package->package) ? PS_FACT_USED_AT_START
                                                                             : PS_FACT_MAKE_LAZY,
                            .subject = module_subject(c, graph, ps_link_none, package->importer),
                            .values = {knows_importers(graph)},
                            .link = link_lazy(package, c)};
}

static void add_package(struct ps_conclusion *c, const struct ps_import_graph *graph,
                        const struct ps_import_suggestion *package, struct ps_claim *claim,
                        double us)
{
    struct ps_cause *cause;

    claim->evidence = importer_fact(c, graph, package);
    cause = ps_conclusion_claim(c, claim, us / 1e6);
    if (ps_is_used_at_import(package->package)) {
        cause->advice = ps_advice_words[PS_ADVICE_LAZY_IN_MODULES];
        return;
    }
    if (!knows_importers(graph) || !package->choices.len || was_asked_for(graph, package))
        return;
    ps_cause_save(cause, 0, package->saving.high / 1e6);
    cause->advice = ps_advice_words[PS_ADVICE_LAZY_IMPORT];
}

static struct ps_subject unit_subject(struct ps_conclusion *c, const struct ps_import_graph *graph,
                                      const struct unit *unit)
{
    return ps_subject_of(c, unit->package ? PS_SUBJECT_PACKAGE : PS_SUBJECT_MODULE,
                         link_unit(c, graph, unit), name_of(graph, unit));
}

static void add_unit(struct ps_conclusion *c, const struct ps_import_graph *graph,
                     const struct unit *unit)
{
    struct ps_claim claim = ps_claim_of(unit->package ? "package" : "own_module", PS_STARTS,
                                        unit_subject(c, graph, unit), unit->us / graph->total_us);
    struct ps_cause *cause;

    if (unit->package) {
        add_package(c, graph, unit->package, &claim, unit->us);
        return;
    }
    claim.evidence = (struct ps_fact){
        .code = PS_FACT_OWN_IMPORTED_BY,
        .subject = module_subject(c, graph, ps_link_none, graph->modules[unit->node].parent)};
    cause = ps_conclusion_claim(c, &claim, unit->us / 1e6);
    cause->advice = ps_advice_words[PS_ADVICE_WORK_LATER];
    if (unit->us >= WORKS * graph->total_us && !find_framework(graph).len && !graph->has_threads)
        ps_cause_save(cause, 0, unit->us / 1e6);
}

static void add_part(struct ps_conclusion *c, const struct ps_import_graph *graph, const char *rule,
                     const char *name, enum ps_fact_code evidence, double us)
{
    struct ps_claim claim = ps_claim_of(
        rule, PS_TAKES, ps_subject_of(c, PS_SUBJECT_PART, imports_link, ps_str_from_c(name)),
        us / graph->total_us);

    claim.evidence.code = evidence;
    ps_conclusion_claim(c, &claim, us / 1e6);
}

/* The own modules that are not causes of their own, if they take much together. */
static void add_own_rest(struct ps_conclusion *c, const struct ps_import_graph *graph)
{
    double us = 0;
    int64_t n = 0;

    for (uint32_t node = 1; node < graph->n; node++) {
        if (!ps_import_graph_is_own(graph, node) ||
            graph->nodes[node].self_us >= CAUSE_SHARE * graph->total_us)
            continue;
        us += graph->nodes[node].self_us;
        n++;
    }
    if (us >= STANDS_OUT * graph->total_us)
        add_part(c, graph, "own_modules",
                 ps_arena_printf(&c->arena, "%lld modules of the program", (long long)n),
                 PS_FACT_SMALL_MODULES, us);
}

static void add_startup(struct ps_conclusion *c, const struct ps_import_graph *graph)
{
    if (graph->startup_us >= STANDS_OUT * graph->total_us)
        add_part(c, graph, "startup", "Python\u2019s own start-up", PS_FACT_BEFORE_PROGRAM,
                 graph->startup_us);
}

/* --- The first claim --- */

/* Times of all nodes with what they first import; to be released with free(). */
static double *times_below(const struct ps_import_graph *graph)
{
    double *below = ps_alloc_array(graph->n + 1, sizeof *below);

    for (uint32_t node = 1; node < graph->n; node++) { /* children precede parents */
        const uint32_t parent = graph->modules[node].parent;

        below[node] += graph->nodes[node].self_us;
        below[parent] += parent ? below[node] : 0;
    }
    return below;
}

/* Finds the largest imports directly below `top`. Returns their number. */
static size_t find_parts(const struct ps_import_graph *graph, const double *below, uint32_t top,
                         uint32_t part[PARTS_MAX])
{
    size_t n = 0;

    memset(part, 0, PARTS_MAX * sizeof *part);
    for (uint32_t node = 1; node < graph->n; node++) {
        uint32_t at = node;

        if (graph->modules[node].parent != top || below[node] < CAUSE_SHARE * graph->total_us)
            continue;
        for (size_t i = 0; i < PARTS_MAX && at; i++) {
            uint32_t smaller = part[i];

            if (smaller && below[smaller] >= below[at])
                continue;
            part[i] = at;
            at = smaller;
        }
    }
    while (n < PARTS_MAX && part[n])
        n++;
    return n;
}

/* Whether `node` is `top`, or is first imported below it. */
static bool is_below(const struct ps_import_graph *graph, uint32_t node, uint32_t top)
{
    while (node && node != top)
        node = graph->modules[node].parent;
    return node == top;
}

/* The package with most of the time below a module, if it is another one. */
static struct ps_str find_brought(const struct ps_import_graph *graph, const double *below,
                                  uint32_t top)
{
    const struct ps_str of = graph->modules[top].package;
    uint32_t largest = 0;

    for (uint32_t node = 1; node < graph->n; node++)
        if (graph->modules[node].origin == PS_ORIGIN_THIRD_PARTY &&
            !ps_str_eq(graph->modules[node].package, of) &&
            ps_str_eq(graph->modules[graph->modules[node].parent].package, of) &&
            is_below(graph, node, top) && below[node] > below[largest])
            largest = node;
    return largest && below[largest] >= MOST * below[top] ? graph->modules[largest].package
                                                          : (struct ps_str){NULL, 0};
}

/* Adds the largest imports below a package that takes nearly all of the time, and so is what was
 * asked for. */
static void add_parts(struct ps_conclusion *c, const struct ps_import_graph *graph,
                      const double *below, struct ps_str package)
{
    uint32_t top = 0, part[PARTS_MAX];
    size_t n;

    for (uint32_t node = 1; node < graph->n; node++)
        if (ps_str_eq(graph->modules[node].package, package) && below[node] > below[top])
            top = node;
    while ((n = find_parts(graph, below, top, part)) && below[part[0]] >= WHOLE * below[top])
        top = part[0];
    for (size_t i = 0; i < n; i++) {
        const struct ps_str name = ps_import_graph_name(graph, part[i]);
        const struct ps_str brought = find_brought(graph, below, part[i]);
        struct ps_fact fact = {.code = PS_FACT_LARGEST_PART,
                               .subject =
                                   module_subject(c, graph, link_name(c, "imports", name), part[i]),
                               .values = {below[part[i]] / graph->total_us},
                               .link = imports_link};

        if (brought.len)
            fact.other =
                ps_subject_of(c, PS_SUBJECT_PACKAGE, link_name(c, "packages", brought), brought);
        ps_first_fact(c, fact);
    }
}

/* Finds the own module above `importer` that a package imports in its `__init__`, though another
 * module of the package was asked for: the log then has the package below that module. Returns 0 if
 * there is none. */
static uint32_t find_pulled_in(const struct ps_import_graph *graph, uint32_t importer)
{
    uint32_t found = 0;

    for (uint32_t node = importer; node && ps_import_graph_is_own(graph, node);
         node = graph->modules[node].parent) {
        const uint32_t package = graph->modules[node].parent;
        const uint32_t asked = graph->modules[package].parent;

        if (package && asked && graph->nodes[asked].package == package &&
            !ps_str_eq(graph->modules[asked].name, graph->modules[node].name))
            found = node;
    }
    return found;
}

static void add_saving(struct ps_conclusion *c, const struct ps_import_graph *graph, double us,
                       struct ps_report_link link)
{
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_LAZY_SAVES,
                                      .values = {us / 1e6, graph->total_us / 1e6},
                                      .other = {.link = imports_link},
                                      .link = link});
}

/* Adds what a lazy import of a module by its package saves, as `whatif` does for this import. */
static void add_saving_of_import(struct ps_conclusion *c, struct ps_import_graph *graph,
                                 uint32_t from, uint32_t to)
{
    PS_AUTO(ps_free_ptr)
    struct ps_import_outcome *outcome = ps_alloc_array(graph->n + 1, sizeof *outcome);
    const struct ps_str package = ps_import_graph_name(graph, from);
    const struct ps_str module = ps_import_graph_name(graph, to);
    const char *choice = ps_arena_printf(&c->arena, "%.*s@%.*s", (int)module.len, module.ptr,
                                         (int)package.len, package.ptr);
    const struct ps_report_link link = {"lazy", {{"lazy", choice}}};
    struct ps_lazy_estimate saving;

    for (size_t i = 0; i < graph->n_edges; i++)
        graph->edges[i].is_lazy = graph->edges[i].from == from && graph->edges[i].to == to &&
                                  graph->edges[i].evidence != PS_EVIDENCE_PACKAGE;
    saving = ps_import_graph_estimate(graph, outcome);
    for (size_t i = 0; i < graph->n_edges; i++)
        graph->edges[i].is_lazy = false;
    if (saving.high > 0)
        add_saving(c, graph, saving.high, link);
}

/* "`geo.__init__` imports it, though `geo.points` is what is imported." */
static void add_pulled_in(struct ps_conclusion *c, struct ps_import_graph *graph, uint32_t node,
                          struct ps_str brought)
{
    const uint32_t package = graph->modules[node].parent;
    const uint32_t asked = graph->modules[package].parent;
    const struct ps_str name = ps_import_graph_name(graph, package);
    const char *init = ps_arena_printf(&c->arena, "%.*s.__init__", (int)name.len, name.ptr);

    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_PULLED_IN,
                                      .subject = ps_subject_of(c, PS_SUBJECT_MODULE, ps_link_none,
                                                               ps_str_from_c(init)),
                                      .other = module_subject(c, graph, ps_link_none, asked)});
    ps_first_fact(
        c, (struct ps_fact){.code = PS_FACT_BRINGS,
                            .subject = ps_subject_of(c, PS_SUBJECT_PACKAGE,
                                                     link_name(c, "packages", brought), brought)});
    if (knows_importers(graph))
        add_saving_of_import(c, graph, package, node);
}

/* "48.1 % of the import time is for modules that several processes import, `crew.tables` with what
 * it brings most of all." Returns whether that is much. */
static bool conclude_processes(struct ps_conclusion *c, const struct ps_import_graph *graph,
                               const double *below)
{
    struct ps_intern names = {0};
    uint32_t largest = 0, n_processes = 0, last = 0;
    double again_us = 0;
    struct ps_str name;

    for (uint32_t node = 1; node < graph->n; node++) {
        const struct ps_import_module *module = &graph->modules[node];
        const uint32_t before = names.count;

        n_processes += node == 1 || module->interpreter > last;
        last = module->interpreter > last ? module->interpreter : last;
        if (ps_intern_add(&names, module->name) == before || module->is_startup)
            continue;
        again_us += graph->nodes[node].self_us;
        if (below[node] > below[largest])
            largest = node;
    }
    ps_intern_free(&names);
    if (n_processes < 2 || !largest || again_us < AGAIN * graph->total_us)
        return false;
    name = ps_import_graph_name(graph, largest);
    ps_conclude_first(c,
                      ps_claim_of(NULL, PS_REPEATS,
                                  module_subject(c, graph, link_name(c, "imports", name), largest),
                                  again_us / graph->total_us));
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_IMPORTED_AGAIN,
                                      .values = {again_us / graph->total_us},
                                      .link = imports_link});
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_LARGEST_AGAIN});
    return true;
}

/* "`depot.store` imports it." What takes more, but is needed, is said too. */
static void add_place(struct ps_conclusion *c, const struct ps_import_graph *graph,
                      const struct units *units)
{
    const struct ps_import_suggestion *package = units->items[0].package;
    const struct unit *largest = &units->items[0];

    if (knows_importer(graph, package->importer)) {
        c->first.subjects[0].via = module_subject(c, graph, ps_link_none, package->importer);
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_IMPORTS_IT,
                                          .subject = c->first.subjects[0].via,
                                          .values = {knows_importers(graph)}});
    }
    for (size_t i = 1; i < units->n; i++)
        if (units->items[i].us > largest->us)
            largest = &units->items[i];
    if (largest == units->items || !largest->package || !is_needed(graph, largest->package))
        return;
    ps_first_fact(c, (struct ps_fact){.code = PS_FACT_NEEDED_TOO,
                                      .subject = unit_subject(c, graph, largest),
                                      .values = {largest->us / graph->total_us},
                                      .link = imports_link});
}

/* A module that uses the package while it is imported can be imported lazily itself. */
static void add_needed(struct ps_conclusion *c, const struct ps_import_graph *graph,
                       const struct ps_import_suggestion *package)
{
    const uint32_t importer = package->importer;

    if (!importer || graph->modules[importer].origin != PS_ORIGIN_OWN || !package->choices.len) {
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_LAZY_SAVES_NOTHING});
        return;
    }
    ps_first_fact(c,
                  (struct ps_fact){
                      .code = PS_FACT_NEEDED_THERE,
                      .subject = module_subject(
                          c, graph, link_name(c, "imports", ps_import_graph_name(graph, importer)),
                          importer)});
}

/* Adds what lazy imports of the package, and of all causes together, save. */
static void add_savings(struct ps_conclusion *c, struct ps_import_graph *graph,
                        const struct units *units)
{
    PS_AUTO(ps_buf_free) struct ps_buf choices = {0};
    struct ps_import_suggestion useful[PS_IMPORT_SUGGESTIONS];
    const struct ps_import_suggestion *largest = units->items[0].package;
    size_t n = 0;

    if (!knows_importers(graph))
        return;
    if (largest && largest->choices.len && !is_needed(graph, largest) &&
        !was_asked_for(graph, largest))
        add_saving(c, graph, largest->saving.high, link_lazy(largest, c));
    for (size_t i = 0; i < units->n_packages; i++) {
        const struct ps_import_suggestion *package = &units->packages[i];

        if (package->saving.high < CAUSE_SHARE * graph->total_us || is_needed(graph, package) ||
            was_asked_for(graph, package))
            continue;
        useful[n++] = *package;
        ps_buf_printf(&choices, "%s%.*s", choices.len ? "," : "", (int)package->choices.len,
                      package->choices.ptr);
    }
    if (n > 1) {
        struct ps_lazy_estimate together = ps_import_graph_estimate_together(graph, useful, n);
        const struct ps_report_link link = {
            "lazy", {{"lazy", ps_arena_copy(&c->arena, ps_buf_slice(&choices)).ptr}}};

        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_TOGETHER_SAVE,
                                          .values = {(double)n, together.high / 1e6},
                                          .link = link});
    }
}

/* Adds that own code of a module works, and what that needs. */
static void add_own_work(struct ps_conclusion *c, const struct ps_import_graph *graph,
                         const struct unit *unit)
{
    const struct ps_str framework = find_framework(graph);

    ps_first_fact(c,
                  (struct ps_fact){.code = PS_FACT_WORKS_WHILE,
                                   .subject = module_subject(c, graph, ps_link_none,
                                                             graph->modules[unit->node].parent)});
    if (framework.len)
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_FRAMEWORK,
                                          .subject = ps_subject_of(
                                              c, PS_SUBJECT_PACKAGE,
                                              link_name(c, "packages", framework), framework)});
    else if (!graph->has_threads && unit->us >= WORKS * graph->total_us)
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_OWN_SAVING,
                                          .values = {unit->us / graph->total_us}});
}

static void conclude_nothing(struct ps_conclusion *c, const struct ps_import_graph *graph,
                             const struct units *units)
{
    ps_conclude_flat(c, "package or module");
    ps_first_fact(
        c, (struct ps_fact){.code = PS_FACT_SHARES_OF, .word = PS_STR("of the import time")});
    for (size_t i = 0; i < units->n && i < PARTS_MAX; i++)
        ps_first_largest(c, unit_subject(c, graph, &units->items[i]),
                         units->items[i].us / graph->total_us);
}

static void conclude_takes(struct ps_conclusion *c, const struct ps_import_graph *graph,
                           struct ps_subject subject, double us, bool in_own_code)
{
    ps_conclude_first(c, ps_claim_of(NULL, PS_STARTS, subject, us / graph->total_us));
    ps_first_fact(
        c, (struct ps_fact){.code = in_own_code ? PS_FACT_OWN_IMPORT_TIME : PS_FACT_IMPORT_TIME});
}

static void conclude(struct ps_conclusion *c, struct ps_import_graph *graph,
                     const struct units *units)
{
    PS_AUTO(ps_free_ptr) double *below = times_below(graph);
    const struct unit *first = units->items;
    uint32_t pulled_in;

    if (!units->n || first->us < STANDS_OUT * graph->total_us) {
        conclude_nothing(c, graph, units);
        return;
    }
    if (graph->has_threads && first->us > graph->total_us) {
        ps_conclude_first(c, ps_claim_of(NULL, PS_CANNOT_SEE, ps_no_subject, NAN));
        ps_first_fact(c, (struct ps_fact){.code = PS_FACT_THREADS_IMPORT});
        return;
    }
    if (conclude_processes(c, graph, below))
        return;
    pulled_in = first->package ? find_pulled_in(graph, first->package->importer) : 0;
    if (pulled_in) {
        const struct ps_str name = ps_import_graph_name(graph, pulled_in);

        conclude_takes(c, graph, module_subject(c, graph, link_name(c, "imports", name), pulled_in),
                       below[pulled_in], false);
        add_pulled_in(c, graph, pulled_in, first->package->package);
        return;
    }
    conclude_takes(c, graph, unit_subject(c, graph, first), first->us, !first->package);
    if (!first->package) {
        add_own_work(c, graph, first);
    } else {
        add_place(c, graph, units);
        if (is_needed(graph, first->package))
            add_needed(c, graph, first->package);
        else if (first->us >= WHOLE * program_us(graph) && !graph->has_threads)
            add_parts(c, graph, below, first->package->package);
    }
    add_savings(c, graph, units);
}

/* What the totals of the report are when threads make self times negative. */
static void note_threads(struct ps_conclusion *c, const struct ps_import_graph *graph)
{
    double positive_us = 0;

    for (uint32_t i = 1; i < graph->n; i++)
        positive_us += fmax(graph->nodes[i].self_us, 0);
    ps_conclusion_note(c,
                       "Several threads imported at once, so times are unreliable. Shares are of "
                       "the sum of all self times, %.1f ms. The picture draws those above 0, "
                       "together %.1f ms. Total adds the times of the top-level imports.",
                       graph->total_us / 1e3, positive_us / 1e3);
}

/* Self times by origin, without negative ones, as the picture of the imports draws them. */
static void compose(struct ps_conclusion *c, const struct ps_import_graph *graph)
{
    double us[PS_N_ORIGINS] = {0}, seconds[PS_N_ORIGINS];

    for (uint32_t i = 1; i < graph->n; i++)
        if (graph->modules[i].origin < PS_N_ORIGINS)
            us[graph->modules[i].origin] += fmax(graph->nodes[i].self_us, 0);
    for (size_t i = 0; i < PS_N_ORIGINS; i++)
        seconds[i] = us[i] / 1e6;
    c->composition = (struct ps_composition){
        .title = "Self time by origin",
        .unit = "s",
        .base = graph->has_threads ? "of \u03a3 positive self" : "of \u03a3 self",
    };
    ps_compose_origins(c, seconds, "built-in", imports_link, true);
}

enum ps_status ps_conclude_imports(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    PS_AUTO(ps_import_graph_free) struct ps_import_graph graph = {.n = 0};
    struct units units;
    bool has_own = false;

    out->unit = "s";
    out->base = "of import time";
    if (ps_import_graph_read_run(db, &graph, err) != PS_OK)
        return err->code;
    if (!(graph.total_us > 0)) {
        ps_conclude_none(out, "import");
        return PS_OK;
    }
    find_units(&graph, &units);
    conclude(out, &graph, &units);
    for (size_t i = 0; i < units.n; i++) {
        if (units.items[i].us < CAUSE_SHARE * graph.total_us)
            continue;
        add_unit(out, &graph, &units.items[i]);
        has_own |= !units.items[i].package;
    }
    add_own_rest(out, &graph);
    add_startup(out, &graph);
    ps_conclusion_sort(out);
    compose(out, &graph);
    if (has_own)
        ps_conclusion_note(out, "What a module loads with importlib.import_module() has no row in "
                                "the log: its time counts for that module.");
    if (graph.has_threads)
        note_threads(out, &graph);
    if (graph.evidence == PS_EVIDENCE_NONE)
        ps_conclusion_note(out, "What a lazy import saves is unknown: the log has only the first "
                                "importer of each module, so others may load it anyway. "
                                "`perfshelf record importtime --importers` records all importers.");
    return PS_OK;
}
