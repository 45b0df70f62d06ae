/* SPDX-License-Identifier: MIT */
/*
 * scrub_text.c: scrubs paths, URLs, secrets and arguments of tests in texts. Keeps the other text,
 * except for names of people and machines.
 */
#include "server/share/scrub.h"

#include <strings.h>

#include "base/secret.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word_char(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static bool ends_value(char c)
{
    return (unsigned char)c <= ' ' || strchr("\"'`<>|;,()[]{}&", c);
}

static size_t value_length(struct ps_str text)
{
    size_t n = 0;

    while (n < text.len && !ends_value(text.ptr[n]))
        n++;
    return n;
}

/* --- URLs --- */

/* Returns the length of a URL scheme such as "https://" at the start of the text; 0: none. */
static size_t scheme_length(struct ps_str text)
{
    size_t n = 0;

    while (n < text.len && n < 24 &&
           (is_letter(text.ptr[n]) || (n && strchr("+.-0123456789", text.ptr[n]))))
        n++;
    return n && ps_str_starts_with(ps_str_skip(text, n), PS_STR("://")) ? n + 3 : 0;
}

/* Scrubs the path of a file URL. Returns the length of the path in `rest`. */
static size_t put_file(struct ps_scrub *scrub, struct ps_str rest, struct ps_buf *out)
{
    size_t n = rest.len > 3 && rest.ptr[2] == ':' ? 3 : 0;

    while (n < rest.len && !ends_value(rest.ptr[n]) && !strchr(":*?", rest.ptr[n]))
        n++;
    rest.len = n;
    if (scrub->redacted_categories & PS_REVEAL_PATHS)
        ps_scrub_path(scrub, rest, out);
    else
        ps_scrub_words(scrub, rest, out);
    return n;
}

/* Scrubs USER:PASSWORD@HOST:PORT. */
static void put_authority(struct ps_scrub *scrub, struct ps_str authority, struct ps_buf *out)
{
    const char *at = authority.len ? memrchr(authority.ptr, '@', authority.len) : NULL;
    struct ps_str login = {authority.ptr, at ? (size_t)(at - authority.ptr) : 0};
    const char *colon = login.len ? memchr(login.ptr, ':', login.len) : NULL;
    struct ps_str user = {login.ptr, colon ? (size_t)(colon - login.ptr) : login.len};

    if (at) {
        if (user.len && (scrub->redacted_categories & PS_REVEAL_PEOPLE))
            ps_scrub_person(scrub, user, out);
        else
            ps_buf_add_str(out, user);
        if (colon && (scrub->redacted_categories & (PS_REVEAL_PEOPLE | PS_REVEAL_ARGUMENTS))) {
            ps_buf_puts(out, ":redacted");
            ps_scrub_record_example(scrub, PS_REVEAL_ARGUMENTS, login, ":redacted");
        } else {
            ps_buf_add_str(out, ps_str_skip(login, user.len));
        }
        ps_buf_puts(out, "@");
        authority = ps_str_skip(authority, login.len + 1);
    }
    ps_scrub_words(scrub, authority, out);
}

/* Scrubs the path, the query and the fragment of a remote URL. */
static void put_tail(struct ps_scrub *scrub, struct ps_str tail, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf became = {0};

    if (tail.len < 2 || !(scrub->redacted_categories & PS_REVEAL_ARGUMENTS)) {
        ps_scrub_words(scrub, tail, out);
        return;
    }
    ps_buf_puts(&became, "/");
    ps_scrub_arguments(scrub, tail, &became);
    ps_scrub_record_example(scrub, PS_REVEAL_ARGUMENTS, tail, became.ptr);
    ps_buf_add_str(out, ps_buf_slice(&became));
}

/* Scrubs the part of a URL after its scheme. Returns the length of that part in `rest`. */
static size_t put_url(struct ps_scrub *scrub, struct ps_str rest, struct ps_buf *out)
{
    const char *bracket = rest.len && rest.ptr[0] == '[' ? memchr(rest.ptr, ']', rest.len) : NULL;
    size_t n = bracket ? (size_t)(bracket - rest.ptr) + 1 : 0, host = 0; /* IPv6 */

    n += value_length(ps_str_skip(rest, n));
    while (n < rest.len && rest.ptr[n] == '&')
        n += 1 + value_length(ps_str_skip(rest, n + 1));
    while (host < n && !strchr("/?#", rest.ptr[host]))
        host++;
    put_authority(scrub, (struct ps_str){rest.ptr, host}, out);
    put_tail(scrub, (struct ps_str){rest.ptr + host, n - host}, out);
    return n;
}

/* --- Secrets --- */

static bool is_secret_key(struct ps_str key)
{
    static const char *const shorts[] = {"pw", "pwd", "pass", "passphrase", "auth", "bearer"};

    for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++)
        if (key.len == strlen(shorts[i]) && strncasecmp(key.ptr, shorts[i], key.len) == 0)
            return true;
    return ps_is_secret_name(key);
}

static size_t skip_blanks(struct ps_str text, size_t at)
{
    while (at < text.len && text.ptr[at] == ' ')
        at++;
    return at;
}

static bool is_quote(struct ps_str text, size_t at)
{
    return at < text.len && (text.ptr[at] == '"' || text.ptr[at] == '\'');
}

/* If the text begins with a key of a secret, returns the length of its value, and sets *from to its
 * offset; otherwise 0. Forms: password=VALUE, "api_key": "VALUE", Authorization: Bearer VALUE, and,
 * with `option`, token VALUE (behind "--"). */
static size_t secret_length(struct ps_str text, bool option, size_t *from)
{
    struct ps_str value;
    size_t n = 0, key, at, length;
    bool quoted;

    while (n < text.len && n <= 64 && (is_word_char(text.ptr[n]) || text.ptr[n] == '-'))
        n++;
    if (!n || n > 64 || !is_secret_key((struct ps_str){text.ptr, n}))
        return 0;
    key = n;
    quoted = is_quote(text, n);
    n = skip_blanks(text, n + quoted);
    if (n < text.len && text.ptr[n] == '=')
        n++;
    else if (n < text.len && text.ptr[n] == ':' &&
             (quoted || (n + 1 < text.len && text.ptr[n + 1] == ' ')))
        n++;
    else if (!option || quoted || n == key)
        return 0;
    at = skip_blanks(text, n);
    at += is_quote(text, at);
    value = ps_str_skip(text, at);
    length = value_length(value);
    if ((length == 6 && strncasecmp(value.ptr, "bearer", 6) == 0) ||
        (length == 5 &&
         (strncasecmp(value.ptr, "basic", 5) == 0 || strncasecmp(value.ptr, "token", 5) == 0)))
        length = length + 1 + value_length(ps_str_skip(value, length + 1));
    *from = at;
    return length < value.len ? length : value.len;
}

/* --- Text --- */

/* Returns the length of the arguments of a test in brackets at `at`, up to the last closing
 * bracket; 0: there are none, or only numbers, which reveal nothing. */
static size_t brackets_length(const struct ps_scrub *scrub, struct ps_str text, size_t at)
{
    const char *end;

    if (!scrub->names_are_tests || text.ptr[at] != '[' || !at || !is_word_char(text.ptr[at - 1]))
        return 0;
    end = memrchr(text.ptr + at, ']', text.len - at);
    for (const char *c = text.ptr + at + 1; end && c < end; c++)
        if (!strchr("0123456789.-", *c))
            return (size_t)(end - text.ptr) - at - 1;
    return 0;
}

/* Scrubs a value that begins at `at`. Returns the length of the value; 0: no value begins there. */
static size_t scrub_at(struct ps_scrub *scrub, struct ps_str text, size_t at, struct ps_buf *out)
{
    struct ps_str rest = ps_str_skip(text, at);
    bool begins = !at || !is_word_char(text.ptr[at - 1]);
    bool redacts = scrub->redacted_categories & PS_REVEAL_ARGUMENTS;
    size_t n = begins && is_letter(text.ptr[at]) ? scheme_length(rest) : 0, from;

    if (n) {
        ps_buf_add(out, rest.ptr, n);
        if (ps_str_starts_with(rest, PS_STR("file:")) || ps_str_starts_with(rest, PS_STR("vscode")))
            return n + put_file(scrub, ps_str_skip(rest, n), out);
        return n + put_url(scrub, ps_str_skip(rest, n), out);
    }
    if ((scrub->redacted_categories & PS_REVEAL_PATHS) && (n = ps_scrub_measure_path(text, at))) {
        ps_scrub_path_in_text(scrub, (struct ps_str){rest.ptr, n}, out);
        return n;
    }
    if (redacts && begins && (n = secret_length(rest, at && text.ptr[at - 1] == '-', &from))) {
        ps_scrub_words(scrub, (struct ps_str){rest.ptr, from}, out);
        ps_buf_puts(out, "redacted");
        ps_scrub_record_example(scrub, PS_REVEAL_ARGUMENTS, (struct ps_str){rest.ptr, from + n},
                                "redacted");
        return from + n;
    }
    if (redacts && begins && ps_is_token(rest) &&
        ps_is_token((struct ps_str){rest.ptr, n = value_length(rest)})) {
        ps_buf_puts(out, "redacted");
        ps_scrub_record_example(scrub, PS_REVEAL_ARGUMENTS, (struct ps_str){rest.ptr, n},
                                "redacted");
        return n;
    }
    if (redacts && (n = brackets_length(scrub, text, at))) {
        ps_buf_puts(out, "[");
        ps_scrub_append_number(&scrub->arguments, (struct ps_str){rest.ptr + 1, n}, "arguments ",
                               out);
        return n + 1;
    }
    return 0;
}

void ps_scrub_message(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf became = {0};
    size_t from = 0;

    for (size_t i = 0; scrub->redacted_categories && i < text.len;) {
        size_t n;

        became.len = 0;
        n = scrub_at(scrub, text, i, &became);
        if (!n) {
            i++;
            continue;
        }
        ps_scrub_words(scrub, (struct ps_str){text.ptr + from, i - from}, out);
        ps_buf_add_str(out, ps_buf_slice(&became));
        i += n;
        from = i;
    }
    ps_scrub_words(scrub, ps_str_skip(text, from), out);
}

void ps_scrub_text(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out)
{
    bool redacts = text.len && (scrub->redacted_categories & PS_REVEAL_ARGUMENTS);

    if (redacts && ps_scrub_is_thread(text))
        ps_scrub_label(scrub, text, out);
    else if (redacts && ps_scrub_is_command(text))
        ps_scrub_command(scrub, text, out);
    else
        ps_scrub_message(scrub, text, out);
}
