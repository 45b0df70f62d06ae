/* SPDX-License-Identifier: MIT */
/*
 * access.h: authentication and authorization. docs/api.md describes them for clients, docs/teams.md
 * for administrators.
 *
 * A client sends its token in the header `Authorization: Bearer`. A browser exchanges the token for
 * a session once, and sends the session as a cookie. A server on the loopback interface without
 * --tokens lets every client do everything. A token then only provides the user name.
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

/* Returns the IP address of the client. Behind a trusted proxy (--proxy), the address that the
 * proxy states. Valid as long as the request. */
const char *ps_api_client_address(struct ps_request *req);
/* Returns the token in the request, or else the session in its cookie; "" if it has neither. Valid
 * as long as the request. */
const char *ps_api_secret(const struct ps_request *req);
/* Returns whether the token or session is still valid. Returns true if the catalog cannot be read,
 * so that event streams survive a failure. `api` is a struct ps_api. */
bool ps_api_secret_is_valid(void *api, const char *secret);

#endif
