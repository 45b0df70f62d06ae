/* SPDX-License-Identifier: MIT */
/* main.c: parses the command line and runs the command. */
#include "server/cli/cli.h"
#include "server/cli/client/server_record.h"
#include "server/cli/commands/complete.h"
#include "server/cli/commands/serve.h"
#include "server/cli/options/features.h"
#include "server/cli/options/help.h"
#include "server/cli/options/option_values.h"
#include "server/cli/options/retention_options.h"
#include "server/jobs/importer_main.h"

#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int serve_shelf(const struct ps_options *options)
{
    struct ps_sandbox_limits limits;
    PS_AUTO(ps_arena_free) struct ps_arena rules = {0};
    struct ps_retention keep;
    struct ps_err err = PS_ERR_INIT;
    uint64_t quota, cache;
    size_t queue;

    if (ps_options_read_limits(options, &limits, &err) != PS_OK ||
        ps_options_read_queue(options, &queue, &err) != PS_OK ||
        ps_options_read_quota(options, &quota, &err) != PS_OK ||
        ps_options_read_cache(options, &cache, &err) != PS_OK ||
        ps_retention_parse(options, &rules, &keep, &err) != PS_OK) {
        ps_print_failure("serve", &err);
        return 2;
    }
    return ps_cli_serve(&(struct ps_serve_options){
        .data = options->data,
        .store = options->store,
        .cache = cache,
        .listen = options->listen,
        .open = options->open,
        .files = options->operands,
        .n_files = options->n_operands,
        .hosts = options->hosts,
        .n_hosts = options->n_hosts,
        .tokens = options->tokens,
        .is_proxied = options->proxy,
        .tls_cert = options->tls_cert,
        .tls_key = options->tls_key,
        .quota = quota,
        .retention = keep,
        .queue = queue,
        .limits = &limits,
    });
}

static int print_help(const struct ps_options *options)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    ps_help_write(options->command, &text);
    ps_print(&text);
    return 0;
}

static int help_without_command(void)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    ps_help_write(PS_COMMAND_NONE, &text);
    (void)fwrite(text.ptr, 1, text.len, stderr);
    return 2;
}

static int print_version(bool verbose)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    ps_buf_puts(&text, "perfshelf " PS_VERSION "\n");
    if (verbose)
        ps_features_describe(&text);
    ps_print(&text);
    return 0;
}

static int run_command(struct ps_options *options)
{
    if (ps_command_uses_served_shelf(options))
        ps_server_select_shelf(options);
    switch (options->command) {
    case PS_COMMAND_SERVE:
        return serve_shelf(options);
    case PS_COMMAND_ADD:
        return ps_cli_add(options);
    case PS_COMMAND_OPEN:
        return ps_cli_open(options);
    case PS_COMMAND_DEMO:
        return ps_cli_demo(options);
    case PS_COMMAND_RECORD:
        return ps_cli_record(options);
    case PS_COMMAND_LIST:
        return ps_cli_list(options);
    case PS_COMMAND_SHOW:
        return ps_cli_show(options);
    case PS_COMMAND_EXPLORE:
        return ps_cli_explore(options);
    case PS_COMMAND_EDIT:
        return ps_cli_edit(options);
    case PS_COMMAND_RM:
        return ps_cli_rm(options);
    case PS_COMMAND_RENEW:
        return ps_cli_renew(options);
    case PS_COMMAND_FORMATS:
        return ps_cli_formats(options);
    case PS_COMMAND_SQL:
        return ps_cli_sql(options);
    case PS_COMMAND_MCP:
        return ps_cli_mcp(options);
    case PS_COMMAND_DIFF:
        return ps_cli_diff(options);
    case PS_COMMAND_CHECK:
        return ps_cli_check(options);
    case PS_COMMAND_TREND:
        return ps_cli_trend(options);
    case PS_COMMAND_REPORT:
        return ps_cli_report(options);
    case PS_COMMAND_BISECT:
        return ps_cli_bisect(options);
    case PS_COMMAND_WHATIF:
        return ps_cli_whatif(options);
    case PS_COMMAND_BASELINE:
        return ps_cli_baseline(options);
    case PS_COMMAND_VERIFY:
        return ps_cli_verify(options);
    case PS_COMMAND_TOKEN:
        return ps_cli_token(options);
    case PS_COMMAND_REBUILD:
        return ps_cli_rebuild(options);
    case PS_COMMAND_EXPORT:
        return ps_cli_export(options);
    case PS_COMMAND_PRUNE:
        return ps_cli_prune(options);
    case PS_COMMAND_UNDELETE:
        return ps_cli_undelete(options);
    case PS_COMMAND_BACKUP:
        return ps_cli_backup(options);
    case PS_COMMAND_COPY:
        return ps_cli_copy(options);
    case PS_COMMAND_CONFIG:
        return ps_cli_config(options);
    case PS_COMMAND_NONE:
        break;
    }
    return print_version(options->verbose);
}

int main(int argc, char **argv)
{
    struct ps_options options;
    struct ps_err err = PS_ERR_INIT;
    char name[] = "perfshelf", verb[] = "open", *open_command[] = {name, verb, NULL};
    int status = 2;
    /* Return large blocks to the system when they are freed: imports allocate columns of many MiB,
     * and a server runs for a long time. By default the threshold grows with the size of freed
     * blocks. */
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
    /* Keep some freed memory: a heap that shrinks after each column of an import or a view must
     * grow again for the next one, and both flush the address translations of all processors. */
    (void)mallopt(M_TRIM_THRESHOLD, 4 << 20);
    /* libarchive converts member names to the character set of the locale: use UTF-8, which has all
     * characters. */
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    /* If the parent ignores SIGCHLD, waitpid() fails for our children too. */
    (void)signal(SIGCHLD, SIG_DFL);
    if (argc > 1 && strcmp(argv[1], PS_IMPORTER_VERB) == 0)
        return ps_importer_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], PS_COMPLETE_VERB) == 0)
        return ps_cli_complete(argc, argv);
    if (argc > 1 && strcmp(argv[1], PS_COMPLETE_BASH_VERB) == 0)
        return ps_cli_complete_bash(argc, argv);
    if (argc < 2 && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return help_without_command();
    if (argc < 2) {
        argc = 2;
        argv = open_command;
    }
    if (ps_options_parse(argc, argv, &options, &err) == PS_OK &&
        (options.help || options.version || ps_options_check_values(&options, &err) == PS_OK))
        status = ps_flush_stdout(options.help ? print_help(&options) : run_command(&options));
    else
        ps_print_failure(ps_command_name(options.command), &err);
    ps_options_free(&options);
    return status;
}
