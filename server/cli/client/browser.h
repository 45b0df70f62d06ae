/* SPDX-License-Identifier: MIT */
/* browser.h: opens pages in the user's browser. */
#ifndef PS_CLI_BROWSER_H
#define PS_CLI_BROWSER_H

/* Opens a URL without waiting for the browser. If that is not possible, or there is no display,
 * logs the URL and how to reach it. */
void ps_browser_show(const char *url);

#endif
