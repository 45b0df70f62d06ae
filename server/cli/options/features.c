/* SPDX-License-Identifier: MIT */
#include "server/cli/options/features.h"

#include "server/http/assets.h"

static const char *const names[PS_N_FEATURES] = {
    [PS_FEATURE_POSTGRESQL] = "postgresql",
    [PS_FEATURE_SERVER] = "server",
    [PS_FEATURE_OFFLINE] = "offline-pages",
};

bool ps_feature_is_built(enum ps_feature feature)
{
    switch (feature) {
    case PS_FEATURE_POSTGRESQL:
        return PS_WITH_POSTGRESQL;
    case PS_FEATURE_SERVER:
        return PS_WITH_CURL;
    case PS_FEATURE_OFFLINE:
        return ps_offline_page_end > ps_offline_page;
    case PS_FEATURE_NONE:
        break;
    }
    return true;
}

static void add_line(const char *title, bool is_built, struct ps_buf *out)
{
    bool has_title = false;

    for (unsigned i = PS_FEATURE_NONE + 1; i < PS_N_FEATURES; i++) {
        if (ps_feature_is_built((enum ps_feature)i) != is_built)
            continue;
        ps_buf_printf(out, "%s%s", has_title ? " " : title, names[i]);
        has_title = true;
    }
    ps_buf_puts(out, has_title ? "\n" : "");
}

void ps_features_describe(struct ps_buf *out)
{
    add_line("Features: ", true, out);
    add_line("Not built: ", false, out);
}
