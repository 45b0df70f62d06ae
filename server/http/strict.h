/* SPDX-License-Identifier: MIT */
/*
 * strict.h: requests that two servers in a row could read differently; inside this folder only.
 *
 * A proxy before us and we must agree where a request ends and for whom it is, or what it takes for
 * the body of one is the next to us (request smuggling). libmicrohttpd settles such doubts in its
 * own way; we answer none of them.
 */
#ifndef PS_HTTP_STRICT_H
#define PS_HTTP_STRICT_H

#include <microhttpd.h>

/* What is ambiguous in the headers, or NULL. */
const char *ps_strict_fault(struct MHD_Connection *connection);

#endif
