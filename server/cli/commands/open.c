/* SPDX-License-Identifier: MIT */
/* open.c: `perfshelf open`, which is also `perfshelf` and `perfshelf FILE`, and `perfshelf demo`.
 */
#include "server/cli/commands/open.h"

#include <stdio.h>

#include "base/format.h"
#include "server/cli/cli.h"
#include "server/cli/client/browser.h"
#include "server/cli/client/server_record.h"
#include "server/cli/commands/import_profile.h"
#include "server/cli/commands/serve.h"

/* Opens the page at the server that runs, if there is one. */
static bool show_at_server(const struct ps_options *options, const char *run)
{
    PS_AUTO(ps_buf_free) struct ps_buf url = {0}, line = {0};

    if (!ps_server_find_url(options, &url))
        return false;
    if (run)
        ps_buf_printf(&url, "#/run/%s", run);
    ps_buf_puts(&line, "the shelf ");
    ps_append_escaped(&line, ps_str_from_c(options->server ? options->server : options->data));
    ps_buf_puts(&line, options->server ? " is at " : " is served already, at ");
    ps_append_escaped(&line, ps_buf_slice(&url));
    ps_buf_puts(&line, "\n");
    ps_print(&line);
    (void)fflush(stdout);
    ps_browser_show(url.ptr);
    return true;
}

static int show_page(const struct ps_options *options, const char *run, bool is_demo)
{
    /* Of two commands that start at the same time, the second finds the server of the first. */
    PS_AUTO(ps_close_fd) int lock = options->server ? -1 : ps_server_lock_start();

    if (show_at_server(options, run))
        return 0;
    return ps_cli_serve(&(struct ps_serve_options){.data = options->data,
                                                   .store = options->store,
                                                   .listen = options->listen,
                                                   .open = true,
                                                   .run = run,
                                                   .is_demo = is_demo,
                                                   .start_lock = &lock});
}

int ps_cli_show_page(const struct ps_options *options, const char *run)
{
    return show_page(options, run, false);
}

int ps_cli_open(const struct ps_options *options)
{
    struct ps_imported_runs runs = {.n = 0};
    int status = 0;

    if (options->n_operands > 0) {
        status = ps_cli_add_files(options, &runs);
        if (runs.n == 0)
            return status;
    }
    return show_page(options, runs.n == 1 ? runs.id : NULL, false) ? 1 : status;
}

int ps_cli_demo(const struct ps_options *options)
{
    return show_page(options, NULL, true);
}
