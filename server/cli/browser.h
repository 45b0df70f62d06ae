/* SPDX-License-Identifier: MIT */
/* browser.h: the person's browser. */
#ifndef PS_CLI_BROWSER_H
#define PS_CLI_BROWSER_H

/* Opens an address in it, and says in the log when that cannot be done. Does not wait. */
void ps_browser_show(const char *url);

#endif
