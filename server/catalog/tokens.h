/* SPDX-License-Identifier: MIT */
/*
 * tokens.h: access control for a shelf that others can reach. A token is issued to a person or a
 * machine once, as a string. A browser that logs in with a token gets a session of its own.
 *
 * Both have the form "psf_<id>_<secret>": the id has 48 bits and finds the row, the secret has 256
 * bits from the kernel and proves the identity. The catalog stores the SHA-256 of the secret. It
 * needs no salt and no slow hash, since 256 random bits cannot be guessed. Hashes are compared in
 * constant time. Every function may be called from any thread.
 */
#ifndef PS_CATALOG_TOKENS_H
#define PS_CATALOG_TOKENS_H

#include "server/catalog/store.h"

/* Roles, each with all rights of the previous one. Stored by name. */
enum ps_right {
    PS_RIGHT_UNDECLARED, /* a route without a declared role: treated as ADMIN */
    PS_RIGHT_NOBODY,     /* no token needed: the page itself, logging in */
    PS_RIGHT_VIEWER,     /* reads */
    PS_RIGHT_UPLOADER,   /* adds runs, names and tags them */
    PS_RIGHT_ADMIN,      /* removes runs, issues tokens */
};

const char *ps_right_word(enum ps_right role);
/* PS_BAD_REQUEST, with a message that lists the valid names. */
enum ps_status ps_right_parse(const char *word, enum ps_right *out, struct ps_err *err);

#define PS_TOKEN_SIZE      61  /* "psf_", 12 hex digits, "_", 43 letters, NUL */
#define PS_TOKEN_NAME_SIZE 101 /* bytes of a name, with its NUL */
#define PS_SESSION_S       (30 * 24 * 3600)

struct ps_token_holder {
    char name[PS_TOKEN_NAME_SIZE];
    enum ps_right role;
};

/* Creates a token and writes its string, which is stored nowhere else. PS_CONFLICT: a token with
 * this name exists. */
enum ps_status ps_token_add(struct ps_store *store, const char *name, enum ps_right role,
                            char text_out[PS_TOKEN_SIZE], struct ps_err *err);
/* Revokes a token and all its sessions, at once and for every server. PS_NOT_FOUND: no token has
 * this name. */
enum ps_status ps_token_revoke(struct ps_store *store, const char *name, struct ps_err *err);

struct ps_token_row {
    const char *name;
    enum ps_right role;
    int64_t created_ms,
        used_ms; /* ms since 1970; used_ms is updated at most once an hour, 0: never used */
    int64_t sessions;
};
enum ps_status ps_token_each(struct ps_store *store,
                             void (*show)(void *user, const struct ps_token_row *row), void *user,
                             struct ps_err *err);
/* Counts the tokens. */
enum ps_status ps_token_count(struct ps_store *store, int64_t *out, struct ps_err *err);

/* Finds the owner of a token. PS_NOT_FOUND: the token is unknown; err has no further details. */
enum ps_status ps_token_check(struct ps_store *store, const char *text, struct ps_token_holder *out,
                              struct ps_err *err);
/* Opens a session of PS_SESSION_S seconds for the owner of a token. */
enum ps_status ps_session_open(struct ps_store *store, const char *token,
                               char text_out[PS_TOKEN_SIZE], struct ps_token_holder *out,
                               struct ps_err *err);
enum ps_status ps_session_check(struct ps_store *store, const char *text,
                                struct ps_token_holder *out, struct ps_err *err);
enum ps_status ps_session_close(struct ps_store *store, const char *text, struct ps_err *err);

#endif
