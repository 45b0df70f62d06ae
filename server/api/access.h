/* SPDX-License-Identifier: MIT */
/*
 * access.h: authentication and authorization. docs/api.md describes them for clients, docs/teams.md
 * for administrators.
 *
 * A token is sent in the header `Authorization: Bearer`, or was exchanged for a session, which is
 * sent as a cookie. Without --tokens, on the loopback, every client may do everything, and a token
 * only provides the user name.
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
    char cookie[24]; /* name of the session cookie */
};

void ps_access_init(struct ps_access *access, const struct ps_access_config *config);

/* The address of the client, also behind a trusted proxy (--proxy). */
const char *ps_api_client_address(struct ps_request *req);
/* The token or the session in the request; "" if there is none. */
const char *ps_api_secret(const struct ps_request *req);
/* Whether the token or session is still valid; true also while the catalog cannot be read. */
bool ps_api_secret_is_valid(void *api, const char *secret);

#endif
