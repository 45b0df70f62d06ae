/* SPDX-License-Identifier: MIT */
/* tokens.c: stores tokens and login sessions in the catalog, and checks them. */
#include "server/catalog/tokens.h"

#include <assert.h>
#include <nettle/base64.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "server/catalog/state.h"

#define ID_BYTES       6
#define ID_LETTERS     12
#define SECRET_BYTES   32
#define SECRET_AT      (4 + ID_LETTERS + 1)
#define SECRET_LETTERS (PS_TOKEN_SIZE - 1 - SECRET_AT)
#define HOUR_MS        ((int64_t)3600 * 1000)

static const char *const words[] = {"", "nobody", "viewer", "uploader", "admin"};

const char *ps_access_role_name(enum ps_access_role role)
{
    return words[role];
}

enum ps_status ps_access_role_parse(const char *word, enum ps_access_role *out, struct ps_err *err)
{
    for (enum ps_access_role role = PS_ACCESS_VIEWER; role <= PS_ACCESS_ADMIN; role++) {
        *out = role;
        if (strcmp(words[role], word) == 0)
            return PS_OK;
    }
    return ps_fail(
        err, PS_BAD_REQUEST,
        "unknown role '%s'" PS_HINT
        "viewer: reads; uploader: also adds runs, and edits and deletes own runs; admin: "
        "everything",
        word);
}

/* --- Text of a token --- */

struct token_text {
    char text[PS_TOKEN_SIZE];
    char id[ID_LETTERS + 1];
    char hash[PS_SHA256_SIZE]; /* SHA-256 of the secret, in hex */
};

static void format_hex(char *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void hash_secret(struct token_text *token_text)
{
    const char *secret = token_text->text + SECRET_AT;
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx hash;

    sha256_init(&hash);
    sha256_update(&hash, strlen(secret), (const uint8_t *)secret);
    sha256_digest(&hash, sizeof digest, digest);
    format_hex(token_text->hash, digest, sizeof digest);
}

static enum ps_status generate_token(struct token_text *out, struct ps_err *err)
{
    uint8_t random[ID_BYTES + SECRET_BYTES];
    char secret[BASE64_ENCODE_RAW_LENGTH(SECRET_BYTES) + 1] = {0};

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return ps_fail_errno(err, "cannot read random bytes from", "the kernel");
    format_hex(out->id, random, ID_BYTES);
    base64_encode_raw(secret, SECRET_BYTES, random + ID_BYTES);
    secret[strcspn(secret, "=")] = '\0';
    for (char *at = secret; *at; at++) /* base64url: needs no escapes in URLs and headers */
        *at = *at == '+' ? '-' : *at == '/' ? '_' : *at;
    (void)snprintf(out->text, sizeof out->text, "psf_%s_%.*s", out->id, SECRET_LETTERS, secret);
    assert(strlen(out->text) == PS_TOKEN_SIZE - 1);
    hash_secret(out);
    return PS_OK;
}

/* Parses a token. False: malformed. */
static bool parse_token(const char *text, struct token_text *out)
{
    if (strlen(text) != PS_TOKEN_SIZE - 1 || strncmp(text, "psf_", 4) != 0 ||
        text[SECRET_AT - 1] != '_')
        return false;
    memcpy(out->text, text, PS_TOKEN_SIZE);
    memcpy(out->id, text + 4, ID_LETTERS);
    out->id[ID_LETTERS] = '\0';
    hash_secret(out);
    return true;
}

/* --- Token table --- */

/* Prepares a query with :id and :at bound. */
static void prepare_statement(struct ps_db *db, const char *query, const char *id,
                              struct ps_stmt **out, struct ps_err *err)
{
    ps_db_prepare(db, ps_query_sql(query), out, err);
    ps_bind_text(*out, ":id", ps_str_from_c(id));
    ps_bind_int(*out, ":at", ps_wall_clock_ms());
}

static enum ps_status run_statement(struct ps_db *db, const char *query, const char *id,
                                    struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    prepare_statement(db, query, id, &stmt, err);
    return ps_stmt_execute(stmt, err);
}

static enum ps_status insert_token(struct ps_db *db, const struct token_text *token_text,
                                   const char *name, enum ps_access_role role, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    bool inserted = false;

    prepare_statement(db, "token_insert", token_text->id, &stmt, err);
    ps_bind_text(stmt, ":name", ps_str_from_c(name));
    ps_bind_text(stmt, ":role", ps_str_from_c(words[role]));
    ps_bind_text(stmt, ":hash", ps_str_from_c(token_text->hash));
    while (ps_stmt_step(stmt, err))
        inserted = true;
    ps_stmt_release(stmt);
    if (err->code != PS_OK || inserted)
        return err->code;
    return ps_fail(err, PS_CONFLICT,
                   "%s has a token already" PS_HINT "revoke that token, or choose another name",
                   name);
}

static enum ps_status check_name(const char *name, struct ps_err *err)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < len; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 127)
            return ps_fail(err, PS_BAD_REQUEST, "the name contains control characters");
    if (len == 0 || len >= PS_TOKEN_NAME_SIZE || !ps_utf8_is_valid(ps_str_from_c(name)))
        return ps_fail(err, PS_BAD_REQUEST, "a name must be 1 to %d bytes of UTF-8",
                       PS_TOKEN_NAME_SIZE - 1);
    return PS_OK;
}

enum ps_status ps_token_add(struct ps_store *store, const char *name, enum ps_access_role role,
                            char text_out[PS_TOKEN_SIZE], struct ps_err *err)
{
    struct token_text token_text;
    enum ps_status status = check_name(name, err);

    if (status == PS_OK)
        status = generate_token(&token_text, err);
    if (status != PS_OK)
        return status;
    ps_catalog_begin(store, PS_DURABLE, err);
    insert_token(store->catalog, &token_text, name, role, err);
    if (ps_catalog_end(store, err->code, err) == PS_OK)
        memcpy(text_out, token_text.text, PS_TOKEN_SIZE);
    return err->code;
}

static enum ps_status delete_token(struct ps_db *db, const char *name, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    char id[ID_LETTERS + 1] = "";

    ps_db_prepare(db, ps_query_sql("token_delete"), &stmt, err);
    ps_bind_text(stmt, ":name", ps_str_from_c(name));
    while (ps_stmt_step(stmt, err)) {
        struct ps_str found = ps_col_text(stmt, 0);

        (void)snprintf(id, sizeof id, "%.*s", (int)found.len, found.ptr);
    }
    ps_stmt_release(stmt);
    if (!id[0])
        ps_fail(err, PS_NOT_FOUND, "'%s' has no token", name);
    return run_statement(db, "session_delete_all", id, err);
}

enum ps_status ps_token_revoke(struct ps_store *store, const char *name, struct ps_err *err)
{
    ps_catalog_begin(store, PS_DURABLE, err);
    delete_token(store->catalog, name, err);
    return ps_catalog_end(store, err->code, err);
}

/* Reads a role. An unknown role in the catalog has no rights. */
static enum ps_access_role role_at(struct ps_stmt *stmt, int column)
{
    enum ps_access_role role = PS_ACCESS_NOBODY;
    PS_AUTO(ps_free_ptr) char *word = ps_strdup(ps_col_text(stmt, column));

    return ps_access_role_parse(word, &role, PS_ERR_IGNORED) == PS_OK ? role : PS_ACCESS_NOBODY;
}

enum ps_status ps_token_each(struct ps_store *store,
                             void (*show)(void *user, const struct ps_token_row *row), void *user,
                             struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    prepare_statement(ps_catalog_lock(store), "token_list", "", &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *name = ps_strdup(ps_col_text(stmt, 0));

        show(user, &(struct ps_token_row){name, role_at(stmt, 1), ps_col_int(stmt, 2),
                                          ps_col_int(stmt, 3), ps_col_int(stmt, 4)});
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return err->code;
}

enum ps_status ps_token_count(struct ps_store *store, int64_t *out, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    prepare_statement(ps_catalog_lock(store), "token_count", "", &stmt, err);
    *out = ps_stmt_step(stmt, err) ? ps_col_int(stmt, 0) : 0;
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return err->code;
}

/* --- Holders and sessions --- */

/* Finds the row of a token or a session by its id, and compares the hash of the secret. *out: its
 * holder. *used: time of the last use, ms since 1970; `used` may be NULL. */
static enum ps_status find_holder(struct ps_db *db, const char *query,
                                  const struct token_text *token_text, struct ps_token_holder *out,
                                  int64_t *used, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_str hash, name;

    prepare_statement(db, query, token_text->id, &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code != PS_OK ? err->code : PS_NOT_FOUND;
    hash = ps_col_text(stmt, 0);
    if (hash.len != PS_SHA256_SIZE - 1 || !memeql_sec(hash.ptr, token_text->hash, hash.len))
        return PS_NOT_FOUND;
    name = ps_col_text(stmt, 1);
    (void)snprintf(out->name, sizeof out->name, "%.*s", (int)name.len, name.ptr);
    out->role = role_at(stmt, 2);
    if (used)
        *used = ps_col_int(stmt, 3);
    return PS_OK;
}

struct presented_token {
    const struct token_text *token_text;
    struct ps_token_holder *out;
    int64_t *used;
};

static enum ps_status holder_of(struct ps_db *db, const char *query, void *user, struct ps_err *err)
{
    const struct presented_token *p = user;

    return find_holder(db, query, p->token_text, p->out, p->used, err);
}

/* Like find_holder, in a read transaction that does not wait for writers. */
static enum ps_status look_up(struct ps_store *store, const char *query,
                              const struct token_text *token_text, struct ps_token_holder *out,
                              int64_t *used, struct ps_err *err)
{
    return ps_catalog_run_query(store, holder_of, query,
                                &(struct presented_token){token_text, out, used}, err);
}

/* Records the last use, for display. Failures are ignored: a full disk must not lock users out. */
static void note_use(struct ps_store *store, const char *id)
{
    struct ps_err ignored = PS_ERR_INIT;

    ps_catalog_begin(store, PS_NOT_DURABLE, &ignored);
    run_statement(store->catalog, "token_used", id, &ignored);
    ps_catalog_end(store, ignored.code, &ignored);
}

enum ps_status ps_token_check(struct ps_store *store, const char *text, struct ps_token_holder *out,
                              struct ps_err *err)
{
    struct token_text token_text;
    int64_t used = 0;
    enum ps_status status;

    if (!parse_token(text, &token_text))
        return PS_NOT_FOUND;
    status = look_up(store, "token_get", &token_text, out, &used, err);
    if (status == PS_OK && ps_wall_clock_ms() - used > HOUR_MS && !ps_store_is_unreachable(store))
        note_use(store, token_text.id);
    return status;
}

static enum ps_status insert_session(struct ps_db *db, const struct token_text *session,
                                     const struct token_text *token, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    run_statement(db, "session_expire", "", err);
    prepare_statement(db, "session_insert", session->id, &stmt, err);
    ps_bind_text(stmt, ":token", ps_str_from_c(token->id));
    ps_bind_text(stmt, ":hash", ps_str_from_c(session->hash));
    ps_bind_int(stmt, ":expires_at", ps_wall_clock_ms() + (int64_t)PS_LOGIN_SESSION_S * 1000);
    return ps_stmt_execute(stmt, err);
}

enum ps_status ps_login_session_open(struct ps_store *store, const char *token,
                                     char text_out[PS_TOKEN_SIZE], struct ps_token_holder *out,
                                     struct ps_err *err)
{
    struct token_text given, session;
    enum ps_status status = generate_token(&session, err);

    if (status != PS_OK)
        return status;
    if (!parse_token(token, &given))
        return PS_NOT_FOUND;
    status = ps_token_check(store, token, out, err);
    if (status != PS_OK)
        return status;
    status = ps_catalog_begin(store, PS_DURABLE, err);
    if (status == PS_OK) /* the token may have been revoked since ps_token_check */
        status = find_holder(store->catalog, "token_get", &given, out, NULL, err);
    if (status == PS_OK)
        status = insert_session(store->catalog, &session, &given, err);
    status = ps_catalog_end(store, status, err);
    if (status == PS_OK)
        memcpy(text_out, session.text, PS_TOKEN_SIZE);
    return status;
}

enum ps_status ps_login_session_check(struct ps_store *store, const char *text,
                                      struct ps_token_holder *out, struct ps_err *err)
{
    struct token_text token_text;

    return parse_token(text, &token_text)
               ? look_up(store, "session_get", &token_text, out, NULL, err)
               : PS_NOT_FOUND;
}

enum ps_status ps_login_session_close(struct ps_store *store, const char *text, struct ps_err *err)
{
    struct token_text token_text;

    if (!parse_token(text, &token_text))
        return PS_OK;
    ps_catalog_begin(store, PS_DURABLE, err);
    run_statement(store->catalog, "session_delete", token_text.id, err);
    return ps_catalog_end(store, err->code, err);
}
