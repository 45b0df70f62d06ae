/* SPDX-License-Identifier: MIT */
/*
 * imports.c: the conclusion of an import log: the packages that the program imports, and the time
 * that lazy imports of them would save (server/query/imports/import_graph.h).
 *
 * The saving of a cause is in addition to those of the causes before it, so savings add up.
 */
#include <math.h>

#include "server/query/conclusion/conclusion.h"
#include "server/query/imports/import_graph.h"

#define CAUSE_SHARE 0.02 /* of all import time: packages that take less are not causes */
#define STANDS_OUT  0.10 /* if no package takes more, nothing stands out */

static const struct ps_report_link imports_link = {.tab = "imports"};

static struct ps_report_link link_package(const struct ps_import_suggestion *package,
                                          struct ps_conclusion *c)
{
    return (struct ps_report_link){"packages",
                                   {{"q", ps_arena_copy(&c->arena, package->package).ptr}}};
}

static struct ps_report_link link_lazy(const struct ps_import_suggestion *package,
                                       struct ps_conclusion *c)
{
    return (struct ps_report_link){"lazy",
                                   {{"lazy", ps_arena_copy(&c->arena, package->choices).ptr}}};
}

static void add_package(struct ps_conclusion *c, const struct ps_import_graph *graph,
                        const struct ps_import_suggestion *package)
{
    struct ps_cause *cause =
        ps_conclusion_add(c, "package", package->self_us / 1e6, package->self_us / graph->total_us);

    ps_say_code(c, &cause->title, link_package(package, c), package->package);
    ps_cause_save(cause, graph->evidence == PS_EVIDENCE_NONE ? 0 : NAN, package->added_us / 1e6);
    cause->advice = "A lazy import loads the package when the program first uses it.";
    ps_say(c, &cause->evidence, "imported by ");
    ps_say_code(c, &cause->evidence, ps_link_none, ps_import_graph_name(graph, package->importer));
    ps_say(c, &cause->evidence, ", ");
    ps_say_link(c, &cause->evidence, link_lazy(package, c), "make lazy");
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

static void say_sentence(struct ps_conclusion *c, const struct ps_import_graph *graph,
                         const struct ps_import_suggestion *packages, size_t n)
{
    PS_AUTO(ps_buf_free) struct ps_buf choices = {0};
    size_t largest = 0, n_useful = 0;
    double together_us = 0;

    for (size_t i = 0; i < n; i++) {
        if (packages[i].self_us > packages[largest].self_us)
            largest = i;
        if (packages[i].added_us < CAUSE_SHARE * graph->total_us)
            continue;
        n_useful++;
        together_us += packages[i].added_us;
        ps_buf_printf(&choices, "%s%.*s", choices.len ? "," : "", (int)packages[i].choices.len,
                      packages[i].choices.ptr);
    }
    if (!n || packages[largest].self_us < STANDS_OUT * graph->total_us) {
        ps_say(c, &c->verdict, "No single package stands out.");
    } else {
        ps_say_code(c, &c->verdict, link_package(&packages[largest], c), packages[largest].package);
        ps_say(c, &c->verdict, " takes ");
        ps_say_value(&c->verdict, ps_link_none, 100 * packages[largest].self_us / graph->total_us,
                     "percent");
        ps_say(c, &c->verdict, " of the import time.");
        ps_say(c, &c->sentence, " Imported lazily, it would save up to ");
        ps_say_value(&c->sentence, link_lazy(&packages[largest], c),
                     packages[largest].saving.best / 1e6, "s");
        ps_say(c, &c->sentence, " of ");
        ps_say_value(&c->sentence, imports_link, graph->total_us / 1e6, "s");
        ps_say(c, &c->sentence, ".");
    }
    if (n_useful > 1) {
        const struct ps_report_link link = {
            "lazy", {{"lazy", ps_arena_copy(&c->arena, ps_buf_slice(&choices)).ptr}}};

        ps_say(c, &c->sentence, " %zu packages that save 2 %% or more each would save up to ",
               n_useful);
        ps_say_value(&c->sentence, link, together_us / 1e6, "s");
        ps_say(c, &c->sentence, " together.");
    }
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
    struct ps_import_suggestion packages[PS_IMPORT_SUGGESTIONS];
    size_t n;

    out->unit = "s";
    out->base = "of import time";
    if (ps_import_graph_read_run(db, &graph, err) != PS_OK)
        return err->code;
    if (!(graph.total_us > 0)) {
        ps_say(out, &out->verdict, "No import was timed.");
        return PS_OK;
    }
    n = ps_import_graph_suggest(&graph, packages);
    say_sentence(out, &graph, packages, n);
    for (size_t i = 0; i < n; i++)
        if (packages[i].self_us >= CAUSE_SHARE * graph.total_us)
            add_package(out, &graph, &packages[i]);
    add_startup(out, &graph);
    ps_conclusion_sort(out);
    compose(out, &graph);
    if (graph.has_threads)
        note_threads(out, &graph);
    if (graph.evidence == PS_EVIDENCE_NONE)
        ps_conclusion_note(out, "The log names only the first importer of each module, so another "
                                "import may load it anyway. `perfshelf record --importers` and "
                                "-X importtime=2 record all importers.");
    return PS_OK;
}
