/* SPDX-License-Identifier: MIT */
#include "server/cli/open_run.h"

#include "base/buf.h"
#include "server/cli/browser.h"
#include "server/cli/serve.h"
#include "server/cli/server_record.h"

int ps_cli_open_run(const struct ps_options *options, const char *run)
{
    PS_AUTO(ps_buf_free) struct ps_buf url = {0};
    if (ps_server_find_url(options, &url)) {
        ps_buf_printf(&url, "#/run/%s", run);
        ps_browser_show(url.ptr);
        return 0;
    }
    return ps_cli_serve(&(struct ps_serve_options){.data = options->data,
                                                   .store = options->store,
                                                   .listen = options->listen,
                                                   .open = true,
                                                   .run = run});
}
