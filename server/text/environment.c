/* SPDX-License-Identifier: MIT */
/* environment.c: the machine and the software that a run was recorded with. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "server/text/text.h"

#define PACKAGES_SHOWN 8

static void add_value(const cJSON *fact, struct ps_buf *out)
{
    const char *value = ps_member_text(fact, "value");
    char *end, text[48];
    const double bytes = strtod(value, &end);

    if (strcmp(ps_member_text(fact, "key"), "memory") == 0 && end != value && !*end)
        value = ps_format_bytes(bytes, text);
    ps_output_escape(out, ps_member_text(fact, "label"));
    ps_buf_puts(out, value[0] ? " " : "");
    ps_output_escape(out, value);
}

void ps_text_environment(struct ps_output *out, const cJSON *answer)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_buf_free) struct ps_buf packages = {0};
    const cJSON *fact;
    int n_packages = 0;

    cJSON_ArrayForEach(fact, ps_member(answer, "facts"))
    {
        const char *key = ps_member_text(fact, "key");
        const bool is_package = strcmp(key, "packages") == 0;
        struct ps_buf *to = is_package ? &packages : &text;

        if (strcmp(key, "tool") == 0 || strcmp(key, "tool_version") == 0)
            continue;
        n_packages += is_package;
        if (is_package && n_packages > PACKAGES_SHOWN)
            continue;
        ps_buf_puts(to, !to->len ? "" : is_package ? ", " : "; ");
        add_value(fact, to);
    }
    if (n_packages > PACKAGES_SHOWN)
        ps_buf_printf(&packages, " and %d more", n_packages - PACKAGES_SHOWN);
    if (text.len)
        ps_output_fact_quoted(out, "environment", &text);
    if (packages.len)
        ps_output_fact_quoted(out, "packages", &packages);
}
