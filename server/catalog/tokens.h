/* SPDX-License-Identifier: MIT */
/*
 * tokens.h: who may do what on a shelf that others reach. A token is given to a person or a
 * machine once, as text; a browser that logs in with one gets a session of its own.
 *
 * Both are "psf_<id>_<secret>": 48 bits that find the row, 256 bits from the kernel that prove it.
 * The catalog holds the SHA-256 of the secret, which needs no salt and no slow hash, for nobody
 * guesses 256 bits; it is compared in constant time. Every function may be called from any thread.
 */
#ifndef PS_CATALOG_TOKENS_H
#define PS_CATALOG_TOKENS_H

#include "server/catalog/store.h"

/* Each may do what the one before may. Stored as words. */
enum ps_right {
    PS_RIGHT_UNSAID,   /* of a route that says nothing: taken for ADMIN */
    PS_RIGHT_NOBODY,   /* the page itself, logging in */
    PS_RIGHT_VIEWER,   /* reads */
    PS_RIGHT_UPLOADER, /* adds runs, names and tags them */
    PS_RIGHT_ADMIN,    /* removes runs, gives tokens */
};

const char *ps_right_word(enum ps_right role);
/* PS_BAD_REQUEST with the words there are. */
enum ps_status ps_right_of(const char *word, enum ps_right *out, struct ps_err *err);

#define PS_TOKEN_SIZE      61  /* "psf_", 12 hex digits, "_", 43 letters, NUL */
#define PS_TOKEN_NAME_SIZE 101 /* bytes of a name, with its NUL */
#define PS_SESSION_S       (30 * 24 * 3600)

struct ps_holder {
    char name[PS_TOKEN_NAME_SIZE];
    enum ps_right role;
};

/* Makes a token and writes its text, which is nowhere else from then on. PS_CONFLICT: the name has
 * one. */
enum ps_status ps_token_add(struct ps_store *store, const char *name, enum ps_right role,
                            char text_out[PS_TOKEN_SIZE], struct ps_err *err);
/* Ends a token and all its sessions, at once and for every server. PS_NOT_FOUND: no such name. */
enum ps_status ps_token_revoke(struct ps_store *store, const char *name, struct ps_err *err);

struct ps_token_row {
    const char *name;
    enum ps_right role;
    int64_t created_ms, used_ms; /* since 1970; used: to the hour, 0 never */
    int64_t sessions;
};
enum ps_status ps_token_each(struct ps_store *store,
                             void (*show)(void *user, const struct ps_token_row *row), void *user,
                             struct ps_err *err);
/* How many tokens there are. */
enum ps_status ps_token_count(struct ps_store *store, int64_t *out, struct ps_err *err);

/* Who presents a token. PS_NOT_FOUND: nobody we know; err says nothing more. */
enum ps_status ps_token_check(struct ps_store *store, const char *text, struct ps_holder *out,
                              struct ps_err *err);
/* A session of the one who presents a token, for PS_SESSION_S. */
enum ps_status ps_session_open(struct ps_store *store, const char *token,
                               char text_out[PS_TOKEN_SIZE], struct ps_holder *out,
                               struct ps_err *err);
enum ps_status ps_session_check(struct ps_store *store, const char *text, struct ps_holder *out,
                                struct ps_err *err);
enum ps_status ps_session_close(struct ps_store *store, const char *text, struct ps_err *err);

#endif
