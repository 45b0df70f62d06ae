/* SPDX-License-Identifier: MIT */
/* lazy_imports.c: what the start of a program saves with lazy imports. */
#include <math.h>
#include <string.h>

#include "server/text/text.h"

static void add_suggestions(struct ps_output *out, const cJSON *answer)
{
    static const struct ps_output_column columns[] = {{"saves at least", "us", PS_NUMBER},
                                                      {"saves at most", "us", PS_NUMBER},
                                                      {"of start-up, at most", "%", PS_NUMBER},
                                                      {"package", "", PS_WORDS},
                                                      {"lazy (argument)", "", PS_WORDS}};
    const cJSON *list = ps_member(answer, "suggestions"), *row;
    const double whole = ps_member_number(answer, "before_us");

    if (cJSON_GetArraySize(list) == 0) {
        ps_output_text(out, "No package is worth a lazy import.");
        return;
    }
    ps_output_heading(out, "Packages that are worth a lazy import, each alone");
    ps_output_table(out, "packages that are worth a lazy import", columns,
                    sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(row, list)
    {
        const double high = ps_member_number(row, "high_us");

        ps_output_value(out, ps_member_number(row, "low_us"), "us");
        ps_output_value(out, high, "us");
        ps_output_percent(out, whole > 0 ? 100 * high / whole : NAN);
        ps_output_name(out, ps_member_text(row, "package"));
        ps_output_name(out, ps_member_text(row, "lazy"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(list));
    ps_output_text(out, "An import that the program uses while it starts saves nothing.");
    if (strcmp(ps_member_text(answer, "evidence"), "first importers") == 0)
        ps_output_text(out, "The log has only the first importer of each module: record it with "
                            "`perfshelf record importtime --importers`.");
}

static void add_keepers(struct ps_output *out, const cJSON *answer)
{
    static const struct ps_output_column columns[] = {{"self time", "us", PS_NUMBER},
                                                      {"modules", "", PS_NUMBER},
                                                      {"module that stays", "", PS_WORDS},
                                                      {"imported by", "", PS_WORDS},
                                                      {"proof", "", PS_WORDS}};
    const cJSON *list = ps_member(answer, "keepers"), *row;

    if (cJSON_GetArraySize(list) == 0)
        return;
    ps_output_heading(out, "Modules that stay, because others import them");
    ps_output_table(out, "modules that stay, because others import them", columns,
                    sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(row, list)
    {
        ps_output_value(out, ps_member_number(row, "self_us"), "us");
        ps_output_value(out, ps_member_number(row, "modules"), "");
        ps_output_name(out, ps_member_text(row, "module"));
        ps_output_name(out, ps_member_text(row, "by"));
        ps_output_word(out, ps_member_text(row, "proof"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(list));
}

static void add_modules(struct ps_output *out, const cJSON *answer)
{
    static const struct ps_output_column columns[] = {{"self time", "us", PS_NUMBER},
                                                      {"module", "", PS_WORDS},
                                                      {"result", "", PS_WORDS},
                                                      {"also imported by", "", PS_WORDS}};
    const cJSON *count, *row;
    double total = 0;

    cJSON_ArrayForEach(count, ps_member(answer, "modules")) total += count->valuedouble;
    if (total == 0)
        return;
    ps_output_heading(out, "Modules by self time");
    ps_output_table(out, "modules by self time", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(row, ps_member(answer, "rows"))
    {
        ps_output_value(out, ps_member_number(row, "self_us"), "us");
        ps_output_name(out, ps_member_text(row, "module"));
        ps_output_word(out, ps_member_text(row, "fate"));
        ps_output_name(out, ps_member_text(row, "by")[0] ? ps_member_text(row, "by") : NULL);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, total);
}

static void add_estimate(struct ps_output *out, const cJSON *answer)
{
    const cJSON *saving = ps_member(answer, "saving_us"), *lazy;
    const double before = ps_member_number(answer, "before_us"),
                 high = ps_member_number(saving, "high");

    cJSON_ArrayForEach(lazy, ps_member(answer, "lazy"))
    {
        if (cJSON_IsTrue(ps_member(lazy, "startup")))
            ps_output_fact_name(out, "cannot be lazy, Python itself imports it",
                                ps_member_text(lazy, "module"));
        if (cJSON_IsTrue(ps_member(lazy, "in_function")))
            ps_output_fact_name(out, "lazy already, imported only in functions",
                                ps_member_text(lazy, "module"));
    }
    ps_output_fact_value(out, "saves at most", high, "us");
    if (before > 0)
        ps_output_fact_value(out, "saves at most, of start-up", 100 * high / before, "%");
    ps_output_fact_value(out, "saves at least, unless start-up uses it",
                         ps_member_number(saving, "low"), "us");
    ps_output_fact(out, "verdict", "%s%s%s%s%s", ps_member_text(answer, "verdict"),
                   ps_member_text(answer, "why")[0] ? ": " : "", ps_member_text(answer, "why"),
                   ps_member_text(answer, "do")[0] ? "; " : "", ps_member_text(answer, "do"));
}

void ps_text_lazy_imports(struct ps_output *out, const cJSON *answer)
{
    ps_output_fact_value(out, "start-up now, sum of self times",
                         ps_member_number(answer, "before_us"), "us");
    ps_output_fact(out, "evidence", "%s", ps_member_text(answer, "evidence"));
    if (cJSON_GetArraySize(ps_member(answer, "lazy")) == 0) {
        add_suggestions(out, answer);
        return;
    }
    add_estimate(out, answer);
    add_keepers(out, answer);
    add_modules(out, answer);
}
