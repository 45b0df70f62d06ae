/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* strcasestr */
#include "server/api/access.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "server/api/state.h"
#include "server/query/shelf.h"

/* --- Authentication --- */

enum token_outcome { TOKEN_NONE, TOKEN_VALID, TOKEN_INVALID, TOKEN_THROTTLED, TOKEN_UNCHECKED };

static int64_t now_s(void)
{
    return ps_monotonic_ms() / 1000 + 1;
}

/* A proxy appends the address of its client to X-Forwarded-For. Clients can forge all values except
 * the last one. */
const char *ps_api_client_address(struct ps_request *req)
{
    const char *list = ps_request_header(req, "X-Forwarded-For"), *last;

    if (!ps_request_api(req)->access.config.is_proxied || !list)
        return ps_request_peer_address(req);
    last = strrchr(list, ',');
    last = last ? last + 1 : list;
    return last + strspn(last, " ");
}

static const char *cookie_name(const struct ps_request *req)
{
    return ps_request_api(req)->access.cookie;
}

void ps_access_init(struct ps_access *access, const struct ps_access_config *config)
{
    access->config = *config;
    ps_throttle_init(&access->throttle);
    (void)snprintf(access->cookie, sizeof access->cookie, "perfshelf_%u", config->port);
}

/* Returns the token in the Authorization header, or NULL. */
static const char *bearer_token(const struct ps_request *req)
{
    const char *header = ps_request_header(req, "Authorization");

    if (!header || strncasecmp(header, "Bearer ", 7) != 0)
        return NULL;
    return header + 7 + strspn(header + 7, " ");
}

static enum token_outcome throttle_outcome(struct ps_request *req, enum ps_status status,
                                           const struct ps_err *err)
{
    if (status == PS_OK)
        return TOKEN_VALID;
    if (err->code != PS_OK) /* the catalog could not be read, so this is not a failed login */
        return TOKEN_UNCHECKED;
    ps_throttle_count_failure(&ps_request_api(req)->access.throttle, ps_api_client_address(req),
                              now_s());
    return TOKEN_INVALID;
}

static unsigned wait_s(struct ps_request *req)
{
    return ps_throttle_wait_s(&ps_request_api(req)->access.throttle, ps_api_client_address(req),
                              now_s());
}

static enum token_outcome identify_client(struct ps_request *req, struct ps_token_holder *out)
{
    struct ps_api *api = ps_request_api(req);
    const char *token = bearer_token(req), *session;
    struct ps_err err = PS_ERR_INIT;

    if (token && wait_s(req) > 0)
        return TOKEN_THROTTLED;
    if (token)
        return throttle_outcome(req, ps_token_check(api->store, token, out, &err), &err);
    session = ps_request_cookie(req, cookie_name(req));
    if (session && ps_login_session_check(api->store, session, out, &err) == PS_OK)
        return TOKEN_VALID;
    /* an expired session does not count as a failed login */
    return err.code == PS_OK ? TOKEN_NONE : TOKEN_UNCHECKED;
}

const char *ps_api_secret(const struct ps_request *req)
{
    const char *secret = bearer_token(req);

    if (!secret)
        secret = ps_request_cookie(req, cookie_name(req));
    return secret ? secret : "";
}

bool ps_api_secret_is_valid(void *api, const char *secret)
{
    struct ps_store *store = ((struct ps_api *)api)->store;
    struct ps_token_holder holder;

    return ps_token_check(store, secret, &holder, PS_ERR_IGNORED) != PS_NOT_FOUND ||
           ps_login_session_check(store, secret, &holder, PS_ERR_IGNORED) != PS_NOT_FOUND;
}

/* --- Authorisation --- */

static bool refuse_request(struct ps_reply *reply, unsigned http, const char *word,
                           const char *text, const char *hint)
{
    ps_reply_set_error_fields(reply, http, word, text, hint);
    if (http == 401)
        ps_reply_add_header(reply, "WWW-Authenticate", "Bearer realm=\"perfshelf\"");
    return false;
}

static bool refuse_throttled(struct ps_request *req, struct ps_reply *reply)
{
    const unsigned wait = wait_s(req);

    ps_reply_set_error_fields(reply, 429, "too_often", "too many wrong tokens from this address",
                              ps_arena_printf(&req->arena, "try again in %u s", wait));
    ps_reply_add_header(reply, "Retry-After", ps_arena_printf(&req->arena, "%u", wait));
    return false;
}

static bool refuse_token(struct ps_request *req, enum token_outcome outcome, struct ps_reply *reply)
{
    if (outcome == TOKEN_THROTTLED)
        return refuse_throttled(req, reply);
    if (outcome == TOKEN_INVALID)
        return refuse_request(reply, 401, "unauthorized", "this shelf does not have this token",
                              "`perfshelf token list` on the server lists the tokens");
    if (outcome == TOKEN_UNCHECKED)
        return refuse_request(reply, 500, "internal", "the shelf's catalog cannot be read", NULL);
    return refuse_request(
        reply, 401, "unauthorized", "this shelf needs a token",
        "log in, or send the header Authorization: Bearer psf_...; `perfshelf token add "
        "NAME --role viewer` on the server creates a token");
}

bool ps_api_admit(struct ps_request *req, const struct ps_route *route, struct ps_reply *reply)
{
    struct ps_token_holder holder = {"", PS_ACCESS_NOBODY};
    bool allows_everyone = !ps_request_api(req)->access.config.requires_token;
    enum ps_access_role required =
        route->required_right ? (enum ps_access_role)route->required_right : PS_ACCESS_ADMIN;
    enum token_outcome outcome;

    if (required == PS_ACCESS_NOBODY)
        return true;
    outcome = identify_client(req, &holder);
    if (outcome != TOKEN_VALID && !(allows_everyone && outcome == TOKEN_NONE))
        return refuse_token(req, outcome, reply);
    req->user_name = ps_arena_copy(&req->arena, ps_str_from_c(holder.name)).ptr;
    req->right = allows_everyone ? PS_ACCESS_ADMIN : holder.role;
    if (req->right >= required)
        return true;
    return refuse_request(reply, 403, "forbidden",
                          ps_arena_printf(&req->arena, "%s may not do this: the role %s is needed",
                                          holder.name, ps_access_role_name(required)),
                          NULL);
}

/* --- Handlers --- */

/* Replies with {"name","role","tokens"}: the user, and whether this server requires tokens. */
static void write_me(struct ps_request *req, const struct ps_token_holder *holder,
                     struct ps_reply *reply)
{
    struct ps_json out = ps_reply_json_writer(reply);

    ps_json_object(&out);
    ps_json_key_str(&out, "name", holder->name[0] ? holder->name : NULL);
    ps_json_key_str(&out, "role", ps_access_role_name(holder->role));
    ps_json_key_bool(&out, "tokens", ps_request_api(req)->access.config.requires_token);
    ps_json_end(&out);
}

enum ps_status ps_get_me(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_token_holder holder = {"", PS_ACCESS_NOBODY};
    enum token_outcome outcome = identify_client(req, &holder);

    (void)err;
    if (outcome == TOKEN_VALID || outcome == TOKEN_NONE) {
        if (!ps_request_api(req)->access.config.requires_token)
            holder.role = PS_ACCESS_ADMIN;
        write_me(req, &holder, reply);
    } else {
        (void)refuse_token(req, outcome, reply);
    }
    return PS_OK;
}

static void set_cookie(struct ps_request *req, struct ps_reply *reply, const char *value, int age_s)
{
    const struct ps_access_config *config = &ps_request_api(req)->access.config;

    ps_reply_add_header(reply, "Set-Cookie",
                        ps_arena_printf(&req->arena,
                                        "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s",
                                        cookie_name(req), value, age_s,
                                        config->uses_tls || config->is_proxied ? "; Secure" : ""));
}

static void delete_json(cJSON **json)
{
    cJSON_Delete(*json);
}

enum ps_status ps_login(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    PS_AUTO(delete_json) cJSON *body = NULL;
    const char *token;
    char session[PS_TOKEN_SIZE];
    struct ps_token_holder holder;
    enum token_outcome outcome;

    ps_labels_parse_body(req, "token", &body, err);
    token = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "token"));
    if (!token)
        return ps_fail(err, PS_BAD_REQUEST, "the body must be {\"token\":\"psf_...\"}");
    outcome = wait_s(req) > 0
                  ? TOKEN_THROTTLED
                  : throttle_outcome(req,
                                     ps_login_session_open(ps_request_api(req)->store, token,
                                                           session, &holder, err),
                                     err);
    if (outcome == TOKEN_UNCHECKED)
        return err->code;
    if (outcome != TOKEN_VALID) {
        (void)refuse_token(req, outcome, reply);
        return PS_OK;
    }
    write_me(req, &holder, reply);
    set_cookie(req, reply, session, PS_LOGIN_SESSION_S);
    return PS_OK;
}

enum ps_status ps_logout(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const char *session = ps_request_cookie(req, cookie_name(req));

    if (session && ps_login_session_close(ps_request_api(req)->store, session, err) != PS_OK)
        return err->code;
    reply->status = 204;
    set_cookie(req, reply, "", 0);
    return PS_OK;
}

/* Health check for load balancers and containers. Replies {"ok":true} if the catalog can be read,
 * else with an error. */
enum ps_status ps_get_health(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);
    int64_t tokens;

    ps_token_count(ps_request_api(req)->store, &tokens, err);
    ps_json_object(&out);
    ps_json_key_bool(&out, "ok", err->code == PS_OK);
    ps_json_end(&out);
    return err->code;
}

enum ps_status ps_get_activity(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_json out = ps_reply_json_writer(reply);

    reply->cache = PS_CACHE_CHECK;
    return ps_query_activity(ps_request_api(req)->store, ps_api_get_params(req), &out, err);
}
