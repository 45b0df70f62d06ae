/* SPDX-License-Identifier: MIT */
/*
 * access.h: who asks, and what they may do. docs/api.md describes it for clients, docs/teams.md for
 * people who run a shelf.
 *
 * A token comes in the header `Authorization: Bearer`, or was exchanged for a session, which comes
 * as a cookie. Without --tokens on the loopback, everybody may everything, and a token only tells
 * the name.
 */
#ifndef PS_API_ACCESS_H
#define PS_API_ACCESS_H

#include "server/api/api.h"
#include "server/api/throttle.h"
#include "server/catalog/tokens.h"
#include "server/http/request.h"

struct ps_access {
    struct ps_access_config config;
    struct ps_throttle throttle;
    char cookie[24]; /* the name under which sessions come */
};

void ps_access_init(struct ps_access *access, const struct ps_access_config *config);

/* Where the client is, also behind a proxy of ours. */
const char *ps_api_address(struct ps_request *req);
/* The token or the session that the request presents; "": none. */
const char *ps_api_secret(const struct ps_request *req);
/* Whether it still is one of the shelf's; true as well while the catalog cannot be read. */
bool ps_api_secret_is_valid(void *api, const char *secret);

#endif
