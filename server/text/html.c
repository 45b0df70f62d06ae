/* SPDX-License-Identifier: MIT */
#include "server/text/html.h"

#include "base/format.h"

static const char style[] =
    ":root{color-scheme:light dark;--line:#d0d7de;--head:#f6f8fa;--quiet:#57606a;--link:#0969da}"
    "@media (prefers-color-scheme:dark){:root{--line:#30363d;--head:#161b22;--quiet:#9198a1;"
    "--link:#4493f8}body{background:#0d1117;color:#e6edf3}}"
    "body{font:15px/1.5 system-ui,sans-serif;margin:0}"
    "main{max-width:72rem;margin:auto;padding:1.5rem}"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2rem}"
    "a{color:var(--link)}"
    "code,pre{font:13px/1.45 ui-monospace,monospace}code{overflow-wrap:anywhere}"
    "pre{background:var(--head);border:1px solid var(--line);padding:.75rem;white-space:pre-wrap;"
    "overflow-wrap:anywhere}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:1rem 0}"
    "dt{color:var(--quiet)}dd{margin:0}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;margin:.5rem 0}"
    "th,td{border:1px solid var(--line);padding:.25rem .6rem;text-align:left;vertical-align:top}"
    "th{background:var(--head)}.n{text-align:right;white-space:nowrap}"
    "@media print{:root{color-scheme:light;--line:#999;--head:#eee;--quiet:#444;--link:#000}"
    "body{background:#fff;color:#000;font-size:10pt}main{max-width:none;padding:0}"
    ".wide{overflow:visible}tr,pre{break-inside:avoid}h2{break-after:avoid}}";

void ps_html_escape(struct ps_buf *out, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};

    ps_append_escaped(&plain, text);
    for (size_t i = 0; i < plain.len; i++)
        switch (plain.ptr[i]) {
        case '&':
            ps_buf_puts(out, "&amp;");
            break;
        case '<':
            ps_buf_puts(out, "&lt;");
            break;
        case '>':
            ps_buf_puts(out, "&gt;");
            break;
        case '"':
            ps_buf_puts(out, "&quot;");
            break;
        case '\'':
            ps_buf_puts(out, "&#39;");
            break;
        default:
            ps_buf_add(out, &plain.ptr[i], 1);
        }
}

void ps_html_begin(struct ps_buf *out, const char *title)
{
    PS_AUTO(ps_buf_free) struct ps_buf shown = {0};

    ps_html_escape(&shown, ps_str_from_c(title));
    ps_buf_puts(&shown, "");
    ps_buf_printf(out,
                  "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n"
                  "<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n",
                  shown.ptr, style, shown.ptr);
}

void ps_html_end(struct ps_buf *out)
{
    ps_buf_puts(out, "</main>\n</body>\n</html>\n");
}
