/* SPDX-License-Identifier: MIT */
/*
 * tokens.h: access control for a shelf that other machines can reach. An administrator issues a
 * token, a string, to a person or a machine. A browser that logs in with a token gets a session,
 * which has its own string.
 *
 * Both strings have the form "psf_<id>_<secret>": the id has 48 bits and is the key of the row; the
 * secret has 256 random bits from the kernel. The catalog stores the SHA-256 of the secret. It
 * needs no salt and no slow hash, since 256 random bits cannot be guessed. Hashes are compared in
 * constant time. Every function may be called from any thread.
 */
#ifndef PS_CATALOG_TOKENS_H
#define PS_CATALOG_TOKENS_H

#include "server/catalog/store.h"

/* Roles. Each role has all rights of the previous role. The catalog stores their names. */
enum ps_access_role {
    PS_ACCESS_UNDECLARED, /* a route without a declared role: only PS_ACCESS_ADMIN may use it */
    PS_ACCESS_NOBODY,     /* needs no token: loads the page, logs in */
    PS_ACCESS_VIEWER,     /* reads runs */
    PS_ACCESS_UPLOADER,   /* also adds runs, and edits and deletes own runs */
    PS_ACCESS_ADMIN,      /* also deletes all runs, issues tokens */
};

const char *ps_access_role_name(enum ps_access_role role);
/* Parses the name of a role that a token can have. PS_BAD_REQUEST: unknown name. */
enum ps_status ps_access_role_parse(const char *word, enum ps_access_role *out, struct ps_err *err);

#define PS_TOKEN_SIZE      61  /* "psf_", 12 hex digits, "_", 43 letters, NUL */
#define PS_TOKEN_NAME_SIZE 101 /* bytes of a token's name, with its NUL */
#define PS_LOGIN_SESSION_S (30 * 24 * 3600)

struct ps_token_holder {
    char name[PS_TOKEN_NAME_SIZE];
    enum ps_access_role role;
};

/* Creates a token. text_out: its string, which perfshelf does not store. PS_CONFLICT: a token with
 * this name exists. */
enum ps_status ps_token_add(struct ps_store *store, const char *name, enum ps_access_role role,
                            char text_out[PS_TOKEN_SIZE], struct ps_err *err);
/* Revokes a token and all its sessions, immediately and on every server. PS_NOT_FOUND: no token has
 * this name. */
enum ps_status ps_token_revoke(struct ps_store *store, const char *name, struct ps_err *err);

struct ps_token_row {
    const char *name;
    enum ps_access_role role;
    int64_t created_ms,
        used_ms; /* both ms since 1970. used_ms is updated at most once an hour; 0: never used */
    int64_t n_sessions;
};
enum ps_status ps_token_each(struct ps_store *store,
                             void (*show)(void *user, const struct ps_token_row *row), void *user,
                             struct ps_err *err);
/* *out: the number of tokens. */
enum ps_status ps_token_count(struct ps_store *store, int64_t *out, struct ps_err *err);

/* Finds the holder of a token. PS_NOT_FOUND, without a message: the token is unknown. */
enum ps_status ps_token_check(struct ps_store *store, const char *text, struct ps_token_holder *out,
                              struct ps_err *err);
/* Opens a session of PS_LOGIN_SESSION_S seconds for the holder of a token. text_out: the string of
 * the session. PS_NOT_FOUND, without a message: the token is unknown. */
enum ps_status ps_login_session_open(struct ps_store *store, const char *token,
                                     char text_out[PS_TOKEN_SIZE], struct ps_token_holder *out,
                                     struct ps_err *err);
enum ps_status ps_login_session_check(struct ps_store *store, const char *text,
                                      struct ps_token_holder *out, struct ps_err *err);
enum ps_status ps_login_session_close(struct ps_store *store, const char *text, struct ps_err *err);

#endif
