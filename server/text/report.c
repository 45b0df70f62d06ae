/* SPDX-License-Identifier: MIT */
/* report.c: the parts of a report that no other answer has: what was run and where, and the
 * profiles recorded beside the measured runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "server/text/text.h"

#define VALUES_SHOWN 3  /* values of a group in one cell */
#define TAGS_MAX     64 /* keys of tags that are shown */
#define COMMIT_SHOWN 12 /* digits of a commit that are shown in a sentence */

/* --- Values of a group --- */

/* A property of a run as text, or "". */
typedef const char *property(const cJSON *run, const char *key, char out[160]);

static const char *read_tag(const cJSON *run, const char *key, char out[160])
{
    (void)out;
    return ps_member_text(ps_member(run, "tags"), key);
}

static const char *read_member(const cJSON *run, const char *key, char out[160])
{
    (void)out;
    return ps_member_text(run, key);
}

static const char *read_tool(const cJSON *run, const char *key, char out[160])
{
    const char *tool = ps_member_text(run, "tool"), *version = ps_member_text(run, "tool_version");

    (void)key;
    (void)snprintf(out, 160, "%.100s%s%.50s", tool[0] ? tool : ps_member_text(run, "kind"),
                   version[0] ? " " : "", version);
    return out;
}

/* Whether a run before `end` has the value. */
static bool is_repeated(const cJSON *runs, int end, property *read, const char *key,
                        const char *value)
{
    char text[160];

    for (int i = 0; i < end; i++)
        if (strcmp(read(cJSON_GetArrayItem(runs, i), key, text), value) == 0)
            return true;
    return false;
}

/* Appends the distinct values of a group. */
static void add_values(struct ps_buf *cell, const cJSON *runs, property *read, const char *key)
{
    const int n = cJSON_GetArraySize(runs);
    char text[160];
    int values = 0;

    for (int i = 0; i < n; i++) {
        const char *value = read(cJSON_GetArrayItem(runs, i), key, text);

        if (!value[0] || is_repeated(runs, i, read, key, value) || values++ >= VALUES_SHOWN)
            continue;
        ps_buf_puts(cell, values > 1 ? ", " : "");
        ps_output_quote(cell, value);
    }
    if (values > VALUES_SHOWN)
        ps_buf_printf(cell, " and %d more", values - VALUES_SHOWN);
    ps_buf_puts(cell, "");
}

/* --- What was run, and on what --- */

/* Adds a row, unless both groups lack the property. */
static void add_property(struct ps_output *out, const cJSON *compared, const char *label,
                         property *read, const char *key)
{
    PS_AUTO(ps_buf_free) struct ps_buf base = {0};
    PS_AUTO(ps_buf_free) struct ps_buf now = {0};
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    add_values(&base, ps_member(compared, "base"), read, key);
    add_values(&now, ps_member(compared, "new"), read, key);
    if (!base.len && !now.len)
        return;
    if (label)
        ps_buf_puts(&name, label);
    else
        ps_output_escape(&name, key);
    ps_output_cell(out, &name);
    ps_output_cell(out, &base);
    ps_output_cell(out, &now);
    ps_output_word(out, strcmp(base.ptr, now.ptr) == 0 ? "" : "differs");
    ps_output_row_end(out);
}

/* The tags that tell the runs of one recording apart. */
static bool is_tag_of_one_run(const char *key)
{
    static const char *const keys[] = {"pair", "order", "repeat"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* The fact with this key and label of an answer; NULL: there is none. label: NULL: any. */
static const cJSON *find_fact(const cJSON *facts, const char *key, const char *label)
{
    const cJSON *fact;

    cJSON_ArrayForEach(fact, facts)
    {
        if (strcmp(ps_member_text(fact, "key"), key) == 0 &&
            (!label || strcmp(ps_member_text(fact, "label"), label) == 0))
            return fact;
    }
    return NULL;
}

/* Whether a tag is a fact of the environment, which has a row of its own. */
static bool is_fact(const struct ps_text_report *report, const char *tag)
{
    return strncmp(tag, "packages.", 9) == 0 ||
           find_fact(ps_member(report->base_environment, "facts"), tag, NULL) ||
           find_fact(ps_member(report->new_environment, "facts"), tag, NULL);
}

/* Collects the keys of the tags of a group that are not known yet. */
static size_t collect_keys(const struct ps_text_report *report, const cJSON *runs,
                           const char *keys[TAGS_MAX], size_t n)
{
    const cJSON *run, *tag;

    cJSON_ArrayForEach(run, runs)
    {
        cJSON_ArrayForEach(tag, ps_member(run, "tags"))
        {
            size_t i = 0;

            while (i < n && strcmp(keys[i], tag->string) != 0)
                i++;
            if (i == n && n < TAGS_MAX && !is_tag_of_one_run(tag->string) &&
                !is_fact(report, tag->string))
                keys[n++] = tag->string;
        }
    }
    return n;
}

/* Appends the time of the first run that was added and, if it differs, of the last. */
static void add_times(struct ps_output *out, const cJSON *runs)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const char *first = "", *last = "";
    const cJSON *run;

    cJSON_ArrayForEach(run, runs)
    {
        const char *at = ps_member_text(run, "created_at");

        first = !first[0] || strcmp(at, first) < 0 ? at : first;
        last = strcmp(at, last) > 0 ? at : last;
    }
    ps_buf_printf(&text, "%.10s %.5s", first, strlen(first) > 11 ? first + 11 : "");
    if (strlen(last) > 11 && strncmp(first, last, 16) != 0)
        ps_buf_printf(&text, " to %.10s %.5s", last, last + 11);
    ps_output_cell(out, &text);
}

static const char *shown_value(const char *key, const char *value, char out[48])
{
    char *end;
    const double bytes = strtod(value, &end);

    return strcmp(key, "memory") == 0 && end != value && !*end ? ps_format_bytes(bytes, out)
                                                               : value;
}

/* Adds the values of a fact in a group that the groups do not agree on. */
static void add_differing(struct ps_output *out, const char *key, const cJSON *side)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    const cJSON *values = ps_member(side, "values");
    const double unknown = ps_member_or_0(side, "unknown");
    const int n = cJSON_GetArraySize(values);
    char shown[48];

    for (int i = 0; i < n && i < VALUES_SHOWN; i++) {
        ps_buf_puts(&text, i ? ", " : "");
        ps_output_quote(
            &text, shown_value(key, ps_member_text(cJSON_GetArrayItem(values, i), "value"), shown));
    }
    if (n > VALUES_SHOWN)
        ps_buf_printf(&text, " and %d more", n - VALUES_SHOWN);
    if (unknown > 0)
        ps_buf_printf(&text, "%sunknown for %.0f", n ? ", " : "", unknown);
    ps_output_cell(out, &text);
}

/* Adds the value of a fact in the first run of a group; an empty cell if it is unknown. */
static void add_equal(struct ps_output *out, const cJSON *environment, const char *key,
                      const char *label)
{
    const cJSON *fact = find_fact(ps_member(environment, "facts"), key, label);
    char shown[48];

    ps_output_name(out, fact ? shown_value(key, ps_member_text(fact, "value"), shown) : NULL);
}

/* Adds a fact in which the groups differ, or that of their first runs. */
static void add_fact(struct ps_output *out, const struct ps_text_report *report, const cJSON *fact)
{
    const char *key = ps_member_text(fact, "key"), *label = ps_member_text(fact, "label");
    const cJSON *difference = find_fact(ps_member(report->compared, "environment"), key, label);
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    ps_output_escape(&name, label);
    ps_output_cell(out, &name);
    if (difference) {
        add_differing(out, key, ps_member(difference, "base"));
        add_differing(out, key, ps_member(difference, "new"));
    } else { /* equal in all runs of which it is known */
        add_equal(out, report->base_environment, key, label);
        add_equal(out, report->new_environment, key, label);
    }
    ps_output_word(out, difference ? "differs" : "");
    ps_output_row_end(out);
}

/* Whether a fact has a row. The tool has one; packages have one if they differ; what varies from
 * run to run is no property of a group. */
static bool is_shown(const struct ps_text_report *report, const cJSON *fact)
{
    static const char *const others[] = {"tool", "tool_version", "load", "commit_time"};
    const char *key = ps_member_text(fact, "key");

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key, others[i]) == 0)
            return false;
    return strcmp(key, "packages") != 0 || find_fact(ps_member(report->compared, "environment"),
                                                     key, ps_member_text(fact, "label"));
}

/* Adds the facts of the base, then those that only the new runs or the differences have. */
static void add_environment(struct ps_output *out, const struct ps_text_report *report)
{
    const cJSON *lists[] = {ps_member(report->base_environment, "facts"),
                            ps_member(report->new_environment, "facts"),
                            ps_member(report->compared, "environment")};
    const cJSON *fact;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        cJSON_ArrayForEach(fact, lists[i])
        {
            const char *key = ps_member_text(fact, "key"), *label = ps_member_text(fact, "label");

            if ((i < 1 || !find_fact(lists[0], key, label)) &&
                (i < 2 || !find_fact(lists[1], key, label)) && is_shown(report, fact))
                add_fact(out, report, fact);
        }
}

void ps_text_report_runs(struct ps_output *out, const struct ps_text_report *report)
{
    static const struct ps_output_column columns[] = {{"property", "", PS_WORDS},
                                                      {"base", "", PS_WORDS},
                                                      {"new", "", PS_WORDS},
                                                      {"differs", "", PS_WORDS}};
    const cJSON *compared = report->compared;
    const cJSON *base = ps_member(compared, "base"), *now = ps_member(compared, "new");
    const char *keys[TAGS_MAX] = {"command"};
    const size_t n = collect_keys(report, now, keys, collect_keys(report, base, keys, 1));

    ps_output_heading(out, "What was run, and where");
    ps_output_table(out, "properties", columns, sizeof columns / sizeof *columns);
    add_property(out, compared, NULL, read_tag, keys[0]);
    add_property(out, compared, "series", read_member, "series");
    add_property(out, compared, "tool", read_tool, NULL);
    ps_output_word(out, "added (UTC)");
    add_times(out, base);
    add_times(out, now);
    ps_output_word(out, "");
    ps_output_row_end(out);
    for (size_t i = 1; i < n; i++)
        add_property(out, compared, NULL, read_tag, keys[i]);
    add_environment(out, report);
    ps_output_table_end(out, out->shown);
}

/* --- The cause --- */

/* Appends "`app` (run 1430ad6bb1833127), commit `a1b2c3`, added 2026-11-20 14:02". */
static void add_profile(struct ps_buf *text, const cJSON *runs)
{
    const cJSON *run = cJSON_GetArrayItem(runs, 0);
    const char *commit = ps_member_text(ps_member(run, "tags"), "commit"),
               *series = ps_member_text(run, "series");
    char shown[COMMIT_SHOWN + 1];

    ps_output_quote(text, ps_member_text(run, "name"));
    ps_buf_printf(text, " (run %.16s)", ps_member_text(run, "id"));
    if (series[0]) {
        ps_buf_puts(text, ", series ");
        ps_output_quote(text, series);
    }
    (void)snprintf(shown, sizeof shown, "%s", commit);
    if (commit[0]) {
        ps_buf_puts(text, ", commit ");
        ps_output_quote(text, shown);
    }
    ps_buf_puts(text, ", added ");
    ps_output_escape(text, ps_member_text(run, "created_at"));
}

void ps_text_report_profiles(struct ps_output *out, const cJSON *profiles, const cJSON *conclusion)
{
    static const char *const groups[] = {"base", "new"};

    ps_output_text(out, "Profiles of both sides are on the shelf. Their comparison says:");
    ps_text_change(out, conclusion);
    for (int i = 0; i < 2; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};

        add_profile(&text, ps_member(profiles, groups[i]));
        ps_output_fact_quoted(out, i ? "new profile" : "base profile", &text);
    }
}
