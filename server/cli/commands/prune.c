/* SPDX-License-Identifier: MIT */
/* prune.c: deletes the runs that the retention rules no longer keep. */
#include "base/format.h"
#include "server/cli/cli.h"
#include "server/cli/commands/import_profile.h"
#include "server/cli/options/retention_options.h"

#include "base/clock.h"
#include "base/json_out.h"
#include "server/catalog/clock_check.h"

#include <stdio.h>

struct prune_state {
    const struct ps_options *options;
    struct ps_store *store;
    struct ps_retention retention;
    size_t n; /* number of runs that were (or would be) deleted */
    uint64_t bytes;
    int status; /* exit status */
};

static void print_run(const struct prune_state *pruning, const struct ps_prune_candidate *run)
{
    const bool removed = !pruning->options->dry_run;
    const char *rule = pruning->retention.rules[run->rule_index].text;
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    if (pruning->options->json) {
        struct ps_json json = ps_json_writer(&line);
        ps_json_object(&json);
        ps_json_key_str(&json, "id", run->id);
        ps_json_key_str(&json, "name", run->name);
        ps_json_key_str(&json, "series", run->series);
        ps_json_key_int(&json, "bytes", (int64_t)run->bytes);
        ps_json_key_str(&json, "rule", rule);
        ps_json_key_bool(&json, "removed", removed);
        ps_json_end(&json);
    } else {
        ps_buf_printf(&line, "%s  %s  ", run->id, removed ? "deleted" : "would be deleted");
        ps_append_escaped(&line, ps_str_from_c(run->name));
        ps_buf_puts(&line, "  (");
        ps_append_escaped(&line, ps_str_from_c(rule));
        ps_buf_puts(&line, ")");
    }
    ps_buf_puts(&line, "\n");
    ps_print(&line);
}

static void print_summary(const struct prune_state *pruning)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    char size[48], runs[64];
    if (pruning->options->json) {
        struct ps_json json = ps_json_writer(&line);
        ps_json_object(&json);
        ps_json_key_int(&json, "runs", (int64_t)pruning->n);
        ps_json_key_int(&json, "bytes", (int64_t)pruning->bytes);
        ps_json_key_bool(&json, "removed", !pruning->options->dry_run);
        ps_json_end(&json);
        ps_buf_puts(&line, "\n");
        ps_print(&line);
        return;
    }
    ps_buf_printf(&line, "%s %s", ps_format_count(pruning->n, "run", runs),
                  pruning->options->dry_run ? "would be deleted" : "deleted");
    if (pruning->n)
        ps_buf_printf(&line, ", %s with their original files",
                      ps_format_bytes((double)pruning->bytes, size));
    ps_buf_puts(&line, "\n");
    ps_print(&line);
}

/* Deletes one run. It is no failure if another process deleted the run, or if the rules keep it
 * now. False: deleting the remaining runs would fail too. */
static bool remove_run(struct prune_state *pruning, const struct ps_prune_candidate *run)
{
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = PS_OK;
    if (!pruning->options->dry_run)
        status = ps_retention_remove(pruning->store, &pruning->retention, run, ps_cli_login_name(),
                                     &err);
    if (status == PS_NOT_FOUND)
        return true;
    if (status != PS_OK) {
        pruning->status = ps_print_failure(run->id, &err);
        return status != PS_UNAVAILABLE && status != PS_FULL;
    }
    pruning->n++;
    pruning->bytes += run->bytes;
    print_run(pruning, run);
    return true;
}

int ps_cli_prune(const struct ps_options *options)
{
    PS_AUTO(ps_arena_free) struct ps_arena arena = {0};
    PS_AUTO(ps_prune_list_free) struct ps_prune_list candidates = {.n = 0};
    PS_AUTO(ps_store_close_ptr) struct ps_store *store = NULL;
    struct prune_state pruning = {.options = options};
    struct ps_err err = PS_ERR_INIT;
    if (options->n_retention_rules == 0)
        ps_fail(&err, PS_BAD_REQUEST,
                "missing --keep RULE" PS_HINT "`perfshelf help prune` explains the rules");
    if (err.code != PS_OK ||
        ps_retention_parse(options, &arena, &pruning.retention, &err) != PS_OK) {
        ps_print_failure("prune", &err);
        return 2;
    }
    pruning.store = store = ps_cli_open_store(options);
    if (!store)
        return 1;
    if (ps_retention_find(store, &pruning.retention, ps_wall_clock_ms(), &candidates, &err) !=
        PS_OK)
        return ps_print_failure("prune", &err);
    if (!options->dry_run)
        ps_clock_accept(store); /* running prune by hand confirms that the clock is right */
    for (size_t i = 0; i < candidates.n; i++)
        if (!remove_run(&pruning, &candidates.items[i]))
            break;
    print_summary(&pruning);
    return pruning.status;
}
