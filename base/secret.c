/* SPDX-License-Identifier: MIT */
#include "base/secret.h"

#include <string.h>

/* A key that contains one of these lower-case words names a secret. "token" alone is not in the
 * list, because it would match "tokens_per_batch". */
static const char *const secret_keys[] = {
    "password",      "passwd",     "secret",      "api_key",     "apikey",
    "api-key",       "access_key", "accesskey",   "_token",      "auth_token",
    "authorization", "credential", "private_key", "session_key", "cookie"};

/* Prefixes of known tokens, and the minimum length of the token. */
static const struct {
    const char *prefix;
    size_t least;
} token_forms[] = {
    {"AKIA", 20}, {"ASIA", 20},        {"ghp_", 36}, {"gho_", 36},  {"ghs_", 36},
    {"hf_", 30},  {"github_pat_", 40}, {"sk-", 32},  {"xoxb-", 20}, {"xoxp-", 20},
    {"eyJ", 60},  {"glpat-", 20},      {"AIza", 35}, {"dapi", 36},  {"-----BEGIN", 20},
};

static char lower_char(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool has_part(struct ps_str text, const char *part)
{
    size_t len = strlen(part);

    for (size_t i = 0; i + len <= text.len; i++) {
        size_t n = 0;

        while (n < len && lower_char(text.ptr[i + n]) == part[n])
            n++;
        if (n == len)
            return true;
    }
    return false;
}

bool ps_is_secret_name(struct ps_str key)
{
    for (size_t i = 0; i < sizeof secret_keys / sizeof *secret_keys; i++)
        if (has_part(key, secret_keys[i]))
            return true;
    return key.len == 5 && has_part(key, "token");
}

bool ps_is_token(struct ps_str text)
{
    for (size_t i = 0; i < sizeof token_forms / sizeof *token_forms; i++)
        if (text.len >= token_forms[i].least &&
            ps_str_starts_with(text, ps_str_from_c(token_forms[i].prefix)))
            return true;
    return false;
}
