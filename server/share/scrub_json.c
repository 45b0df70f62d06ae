/* SPDX-License-Identifier: MIT */
/*
 * scrub_json.c: scrubs the strings of JSON. Copies all other bytes unchanged, so that numbers keep
 * their digits, and templates of arguments keep their markers.
 */
#include "server/share/scrub.h"

#include <strings.h>

#include "base/json_in.h"
#include "base/json_out.h"
#include "base/json_span.h"
#include "base/secret.h"

/* Categories of the values of known keys. */
static const struct {
    const char *key;
    enum ps_reveal says;
} keys[] = {
    {"host", PS_REVEAL_HOSTS},
    {"hostname", PS_REVEAL_HOSTS},
    {"host_name", PS_REVEAL_HOSTS},
    {"node", PS_REVEAL_HOSTS},
    {"nodename", PS_REVEAL_HOSTS},
    {"machine_name", PS_REVEAL_HOSTS},
    {"computer", PS_REVEAL_HOSTS},
    {"computername", PS_REVEAL_HOSTS},
    {"fqdn", PS_REVEAL_HOSTS},
    {"cluster", PS_REVEAL_HOSTS},
    {"tw_cluster", PS_REVEAL_HOSTS},
    {"tw_job", PS_REVEAL_HOSTS},
    {"uuid", PS_REVEAL_HOSTS},
    {"serial", PS_REVEAL_HOSTS},
    {"pci", PS_REVEAL_HOSTS},
    {"pci_bus_id", PS_REVEAL_HOSTS},
    {"pciBusId", PS_REVEAL_HOSTS},
    {"user", PS_REVEAL_PEOPLE},
    {"username", PS_REVEAL_PEOPLE},
    {"user_name", PS_REVEAL_PEOPLE},
    {"tw_user", PS_REVEAL_PEOPLE},
    {"login", PS_REVEAL_PEOPLE},
    {"owner", PS_REVEAL_PEOPLE},
    {"author", PS_REVEAL_PEOPLE},
    {"email", PS_REVEAL_PEOPLE},
    {"who", PS_REVEAL_PEOPLE},
    {"command", PS_REVEAL_ARGUMENTS},
    {"cmd", PS_REVEAL_ARGUMENTS},
    {"cmdline", PS_REVEAL_ARGUMENTS},
    {"argv", PS_REVEAL_ARGUMENTS},
    {"args", PS_REVEAL_ARGUMENTS},
    {"command_line", PS_REVEAL_ARGUMENTS},
    {"params", PS_REVEAL_ARGUMENTS},
    {"param", PS_REVEAL_ARGUMENTS},
    {"extra_info", PS_REVEAL_ARGUMENTS},
    {"env", PS_REVEAL_ARGUMENTS},
    {"environ", PS_REVEAL_ARGUMENTS},
    {"environment", PS_REVEAL_ARGUMENTS},
    {"options", PS_REVEAL_ARGUMENTS},
    {"settings", PS_REVEAL_ARGUMENTS},
    {"config", PS_REVEAL_ARGUMENTS},
    {"Concrete Inputs", PS_REVEAL_ARGUMENTS},
    {"kernel_kwargs", PS_REVEAL_ARGUMENTS},
    {"source", PS_REVEAL_SOURCE},
    {"file_info", PS_REVEAL_SOURCE},
};

static bool is_key(struct ps_str key, const char *word)
{
    return key.len == strlen(word) && strncasecmp(key.ptr, word, key.len) == 0;
}

bool ps_scrub_is_process_group_key(struct ps_str key)
{
    static const char *const names[] = {"Process Group Name", "Process Group Description",
                                        "pg_name", "pg_desc"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_key(key, names[i]))
            return true;
    return false;
}

unsigned ps_scrub_key_category(struct ps_str key)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (is_key(key, keys[i].key))
            return keys[i].says;
    return ps_str_starts_with(key, PS_STR("parameter ")) || ps_is_secret_name(key) ||
                   ps_scrub_is_process_group_key(key)
               ? PS_REVEAL_ARGUMENTS
               : 0;
}

/* --- JSON strings --- */

/* Appends the content of a JSON string, given with its quotes, with decoded escapes; if an escape
 * is invalid, without decoding. */
static void decode_escapes(struct ps_str text, struct ps_buf *out)
{
    struct ps_str inside = ps_str_skip(text, 1);
    struct ps_json_in in = {.in = NULL};

    if (inside.len && inside.ptr[inside.len - 1] == '"')
        inside.len--;
    if (!inside.len || !memchr(inside.ptr, '\\', inside.len)) {
        ps_buf_add_str(out, inside);
        return;
    }
    in.in = ps_stream_from_memory(text, text.len);
    ps_buf_add_str(out, ps_json_in_next(&in) == PS_JSON_STRING ? in.text : inside);
    ps_stream_free(in.in);
    ps_json_in_free(&in);
}

static void put_text(struct ps_str text, struct ps_buf *out)
{
    struct ps_json json = ps_json_writer(out);

    ps_json_str(&json, text);
}

/* Whether the content of a string looks like a JSON object, such as {"a":1}. */
static bool is_json(struct ps_str text)
{
    return text.len > 4 && text.ptr[0] == '{' && text.ptr[1] == '"' &&
           text.ptr[text.len - 1] == '}';
}

/* --- Values --- */

/* Appends the replacement of a value whose key has the category `says`. */
static void put_known(struct ps_scrub *scrub, struct ps_str key, unsigned says, struct ps_str value,
                      struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    PS_AUTO(ps_buf_free) struct ps_buf became = {0};

    if (value.len && value.ptr[0] == '"')
        decode_escapes(value, &plain);
    else
        ps_buf_add_str(&plain, value);
    if (says == PS_REVEAL_HOSTS)
        ps_scrub_host(scrub, ps_buf_slice(&plain), &became);
    else if (says == PS_REVEAL_PEOPLE)
        ps_scrub_person(scrub, ps_buf_slice(&plain), &became);
    else if (ps_scrub_is_process_group_key(key))
        ps_scrub_process_group(scrub, ps_buf_slice(&plain), &became);
    else
        ps_buf_puts(&became, "redacted");
    if (!ps_str_eq(ps_buf_slice(&plain), ps_buf_slice(&became)))
        ps_scrub_record_example(scrub, (enum ps_reveal)says, ps_buf_slice(&plain), became.ptr);
    put_text(ps_buf_slice(&became), out);
}

static void put_scrubbed(struct ps_scrub *scrub, struct ps_str text, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    PS_AUTO(ps_buf_free) struct ps_buf became = {0};

    decode_escapes(text, &plain);
    if (is_json(ps_buf_slice(&plain)))
        ps_scrub_json(scrub, ps_buf_slice(&plain), &became);
    else
        ps_scrub_text(scrub, ps_buf_slice(&plain), &became);
    if (ps_str_eq(ps_buf_slice(&plain), ps_buf_slice(&became)))
        ps_buf_add_str(out, text);
    else
        put_text(ps_buf_slice(&became), out);
}

static bool has_marker(struct ps_str value)
{
    for (size_t i = 0; i < value.len; i++)
        if ((unsigned char)value.ptr[i] < 4)
            return true;
    return false;
}

static size_t skip_blanks(struct ps_str json, size_t at)
{
    while (at < json.len && (unsigned char)json.ptr[at] <= ' ' && (unsigned char)json.ptr[at] > 4)
        at++;
    return at;
}

/* If the string at `at` (`len` bytes with its quotes) is a key with a category, returns the
 * category, and sets *value to the offset of its value. Otherwise returns 0. */
static unsigned look_at_key(struct ps_str json, size_t at, size_t len, size_t *value)
{
    size_t colon = skip_blanks(json, at + len);

    if (colon >= json.len || json.ptr[colon] != ':' || len < 2)
        return 0;
    *value = skip_blanks(json, colon + 1);
    return ps_scrub_key_category((struct ps_str){json.ptr + at + 1, len - 2});
}

void ps_scrub_json(struct ps_scrub *scrub, struct ps_str json, struct ps_buf *out)
{
    for (size_t i = 0; i < json.len;) {
        struct ps_str rest = ps_str_skip(json, i);
        size_t n = json.ptr[i] == '"' ? ps_json_string_length(rest) : 0, value = 0;
        unsigned says = n ? look_at_key(json, i, n, &value) : 0;
        struct ps_str known = ps_str_skip(json, value);

        known.len = says ? ps_json_value_length(known) : 0;
        if (!n) {
            ps_buf_add(out, json.ptr + i++, 1);
        } else if ((says & scrub->redacted_categories) && !has_marker(known)) {
            ps_buf_add(out, json.ptr + i, value - i);
            put_known(scrub, (struct ps_str){json.ptr + i + 1, n - 2}, says, known, out);
            i = value + known.len;
        } else {
            put_scrubbed(scrub, (struct ps_str){rest.ptr, n}, out);
            i += n;
        }
    }
}

void ps_scrub_parameters(struct ps_scrub *scrub, struct ps_str json, struct ps_buf *out)
{
    for (size_t i = 0; i < json.len;) {
        struct ps_str text = ps_str_skip(json, i);
        size_t n = json.ptr[i] == '"' ? ps_json_string_length(text) : 0;
        size_t after = skip_blanks(json, i + n);
        bool is_name = after < json.len && json.ptr[after] == ':';

        text.len = n;
        if (!n)
            ps_buf_add(out, json.ptr + i, 1);
        else if (!is_name && (scrub->redacted_categories & PS_REVEAL_ARGUMENTS))
            put_known(scrub, PS_STR(""), PS_REVEAL_ARGUMENTS, text, out);
        else
            put_scrubbed(scrub, text, out);
        i += n ? n : 1;
    }
}

void ps_scrub_learn_json(struct ps_scrub *scrub, struct ps_str json)
{
    for (size_t i = 0; i < json.len;) {
        PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
        struct ps_str rest = ps_str_skip(json, i);
        size_t n = json.ptr[i] == '"' ? ps_json_string_length(rest) : 0, value = 0;
        unsigned says = n ? look_at_key(json, i, n, &value) : 0;
        struct ps_str known = ps_str_skip(json, value);

        i += n ? n : 1;
        if (n)
            decode_escapes((struct ps_str){rest.ptr, n}, &plain);
        if (is_json(ps_buf_slice(&plain)))
            ps_scrub_learn_json(scrub, ps_buf_slice(&plain));
        ps_scrub_learn(scrub, ps_buf_slice(&plain));
        if (!says || !known.len || known.ptr[0] != '"')
            continue;
        plain.len = 0;
        decode_escapes((struct ps_str){known.ptr, ps_json_string_length(known)}, &plain);
        if (says == PS_REVEAL_HOSTS)
            ps_scrub_learn_host(scrub, ps_buf_slice(&plain));
        else if (says == PS_REVEAL_PEOPLE)
            ps_scrub_learn_person(scrub, ps_buf_slice(&plain));
    }
}
