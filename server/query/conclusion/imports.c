/* SPDX-License-Identifier: MIT */
/*
 * imports.c: the conclusion of an import log: the packages that the program's own code imports, and
 * its own modules that work while they are imported.
 *
 * Packages and own modules do not overlap: a package has the time of what is first imported below
 * it, without own code. A saving is that of server/query/imports/import_graph.h for this package
 * alone, as `whatif` says it. It is left out if the log does not have all importers.
 */
#include <math.h>
#include <stdlib.h>

#include "server/query/conclusion/conclusion.h"
#include "server/query/imports/import_graph.h"

#define CAUSE_SHARE 0.02 /* of all import time: what takes less is not a cause */
#define STANDS_OUT  0.10 /* if nothing takes more, nothing stands out */
#define WHOLE       0.90 /* a package that takes more is what was asked for: say its parts */
#define PARTS_MAX   3
#define OWN_MAX     10

static const struct ps_report_link imports_link = {.tab = "imports"};

/* A package that own code imports, or an own module with its self time. */
struct unit {
    double us;
    const struct ps_import_suggestion *package; /* NULL: an own module */
    uint32_t node;                              /* the own module */
};

struct units {
    struct ps_import_suggestion packages[PS_IMPORT_SUGGESTIONS];
    struct unit items[PS_IMPORT_SUGGESTIONS + OWN_MAX]; /* the largest first */
    size_t n_packages, n;
};

static int by_time(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;

    return (x->us < y->us) - (x->us > y->us);
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
    own[at] = (struct unit){us, NULL, node};
}

static void find_units(struct ps_import_graph *graph, struct units *out)
{
    out->n = out->n_packages = ps_import_graph_largest(graph, out->packages);
    for (size_t i = 0; i < out->n_packages; i++)
        out->items[i] = (struct unit){out->packages[i].self_us, &out->packages[i], 0};
    for (uint32_t node = 1; node < graph->n; node++)
        if (ps_import_graph_is_own(graph, node))
            add_own(out, graph->nodes[node].self_us, node);
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_time);
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

static void say_importer(struct ps_conclusion *c, const struct ps_import_graph *graph,
                         const struct ps_import_suggestion *package, struct ps_cause *cause)
{
    if (!knows_importer(graph, package->importer)) {
        ps_say(
            c, &cause->evidence,
            "imported by the program or in a function that it calls; the log does not say which");
        return;
    }
    ps_say(c, &cause->evidence, knows_importers(graph) ? "imported by " : "first imported by ");
    ps_say_code(c, &cause->evidence, ps_link_none, ps_import_graph_name(graph, package->importer));
    if (!package->choices.len) {
        ps_say(c, &cause->evidence, ", in a function: it is lazy already");
        return;
    }
    ps_say(c, &cause->evidence, ", ");
    ps_say_link(c, &cause->evidence, link_lazy(package, c), "make lazy");
}

static void add_package(struct ps_conclusion *c, const struct ps_import_graph *graph,
                        const struct ps_import_suggestion *package, struct ps_cause *cause)
{
    say_importer(c, graph, package, cause);
    if (!knows_importers(graph) || !package->choices.len)
        return;
    ps_cause_save(cause, 0, package->saving.high / 1e6);
    cause->advice = "A lazy import loads the package when the program first uses it. If that is "
                    "during start-up, nothing is saved.";
}

static void add_unit(struct ps_conclusion *c, const struct ps_import_graph *graph,
                     const struct unit *unit)
{
    struct ps_cause *cause = ps_conclusion_add(c, unit->package ? "package" : "own_module",
                                               unit->us / 1e6, unit->us / graph->total_us);

    ps_say_code(c, &cause->title, link_unit(c, graph, unit), name_of(graph, unit));
    if (unit->package) {
        add_package(c, graph, unit->package, cause);
        return;
    }
    ps_say(c, &cause->evidence, "the time of its own code, imported by ");
    ps_say_code(c, &cause->evidence, ps_link_none,
                ps_import_graph_name(graph, graph->modules[unit->node].parent));
    cause->advice = "Work when a function is first called, not while the module is imported.";
}

/* The own modules that are not causes of their own, if they take much together. */
static void add_own_rest(struct ps_conclusion *c, const struct ps_import_graph *graph)
{
    struct ps_cause *cause;
    double us = 0;
    int64_t n = 0;

    for (uint32_t node = 1; node < graph->n; node++) {
        if (!ps_import_graph_is_own(graph, node) ||
            graph->nodes[node].self_us >= CAUSE_SHARE * graph->total_us)
            continue;
        us += graph->nodes[node].self_us;
        n++;
    }
    if (us < STANDS_OUT * graph->total_us)
        return;
    cause = ps_conclusion_add(c, "own_modules", us / 1e6, us / graph->total_us);
    ps_say(c, &cause->title, "%lld modules of the program", (long long)n);
    ps_say(c, &cause->evidence, "each takes less than 2 %% in its own code");
}

static void add_startup(struct ps_conclusion *c, const struct ps_import_graph *graph)
{
    struct ps_cause *cause;

    if (graph->startup_us < STANDS_OUT * graph->total_us)
        return;
    cause = ps_conclusion_add(c, "startup", graph->startup_us / 1e6,
                              graph->startup_us / graph->total_us);
    ps_say(c, &cause->title, "Python\u2019s own start-up");
    ps_say_link(c, &cause->evidence, imports_link, "imports before the program");
}

/* --- Sentence --- */

/* Says the largest imports below a package that takes nearly all of the time, and so is what was
 * asked for. `below`: time of each node with what it first imports. */
static void say_parts(struct ps_conclusion *c, const struct ps_import_graph *graph,
                      struct ps_str package)
{
    PS_AUTO(ps_free_ptr) double *below = ps_alloc_array(graph->n + 1, sizeof *below);
    uint32_t top = 0, part[PARTS_MAX] = {0};

    for (uint32_t node = 1; node < graph->n; node++) { /* children precede parents */
        below[node] += graph->nodes[node].self_us;
        below[graph->modules[node].parent] += graph->modules[node].parent ? below[node] : 0;
        if (ps_str_eq(graph->modules[node].package, package) && below[node] > below[top])
            top = node;
    }
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
    for (size_t i = 0; i < PARTS_MAX && part[i]; i++) {
        struct ps_str name = ps_import_graph_name(graph, part[i]);

        ps_say(c, &c->sentence, i ? ", " : " Its largest parts are ");
        ps_say_code(c, &c->sentence, link_name(c, "imports", name), name);
        ps_say(c, &c->sentence, " ");
        ps_say_value(&c->sentence, imports_link, 100 * below[part[i]] / graph->total_us, "percent");
    }
    if (part[0])
        ps_say(c, &c->sentence, ".");
}

/* Says what lazy imports of the package, and of all causes together, save. */
static void say_savings(struct ps_conclusion *c, struct ps_import_graph *graph,
                        const struct units *units)
{
    PS_AUTO(ps_buf_free) struct ps_buf choices = {0};
    struct ps_import_suggestion useful[PS_IMPORT_SUGGESTIONS];
    const struct ps_import_suggestion *largest = units->items[0].package;
    size_t n = 0;

    if (!knows_importers(graph))
        return;
    if (largest && largest->choices.len) {
        ps_say(c, &c->sentence, " Imported lazily, it would save up to ");
        ps_say_value(&c->sentence, link_lazy(largest, c), largest->saving.high / 1e6, "s");
        ps_say(c, &c->sentence, " of ");
        ps_say_value(&c->sentence, imports_link, graph->total_us / 1e6, "s");
        ps_say(c, &c->sentence, ", unless start-up uses it.");
    }
    for (size_t i = 0; i < units->n_packages; i++) {
        const struct ps_import_suggestion *package = &units->packages[i];

        if (package->saving.high < CAUSE_SHARE * graph->total_us)
            continue;
        useful[n++] = *package;
        ps_buf_printf(&choices, "%s%.*s", choices.len ? "," : "", (int)package->choices.len,
                      package->choices.ptr);
    }
    if (n > 1) {
        struct ps_lazy_estimate together = ps_import_graph_estimate_together(graph, useful, n);
        const struct ps_report_link link = {
            "lazy", {{"lazy", ps_arena_copy(&c->arena, ps_buf_slice(&choices)).ptr}}};

        ps_say(c, &c->sentence, " %zu packages that save 2 %% or more each would save up to ", n);
        ps_say_value(&c->sentence, link, together.high / 1e6, "s");
        ps_say(c, &c->sentence, " together.");
    }
}

static void say_sentence(struct ps_conclusion *c, struct ps_import_graph *graph,
                         const struct units *units)
{
    const struct unit *largest = units->items;

    if (!units->n || largest->us < STANDS_OUT * graph->total_us) {
        ps_say(c, &c->verdict, "No single package or module stands out.");
        return;
    }
    ps_say_code(c, &c->verdict, link_unit(c, graph, largest), name_of(graph, largest));
    ps_say(c, &c->verdict, " takes ");
    ps_say_value(&c->verdict, ps_link_none, 100 * largest->us / graph->total_us, "percent");
    ps_say(c, &c->verdict,
           largest->package ? " of the import time." : " of the import time in its own code.");
    if (largest->package && largest->us >= WHOLE * graph->total_us)
        say_parts(c, graph, largest->package->package);
    say_savings(c, graph, units);
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
        ps_say(out, &out->verdict, "No import was timed.");
        return PS_OK;
    }
    find_units(&graph, &units);
    say_sentence(out, &graph, &units);
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
