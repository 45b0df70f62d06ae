/* SPDX-License-Identifier: MIT */
#include "server/share/redact.h"

#include <string.h>

#include "server/store/private.h"

const char *const ps_reveal_words[PS_REVEALS] = {"paths",     "hosts",  "people",
                                                 "arguments", "source", "labels"};

static unsigned bit_of(struct ps_str word)
{
    for (unsigned i = 0; i < PS_REVEALS; i++)
        if (ps_str_is(word, ps_reveal_words[i]))
            return 1u << i;
    return ps_str_is(word, "all") ? PS_REVEAL_ALL : 0;
}

enum ps_status ps_reveal_parse(const char *words, unsigned *out, struct ps_err *err)
{
    unsigned bits = 0;

    while (*words) {
        struct ps_str word = {words, strcspn(words, ",")};
        unsigned bit = bit_of(word);

        if (!bit) {
            ps_hint(err, "paths, hosts, people, arguments, source, labels, or all");
            return ps_fail(err, PS_BAD_REQUEST, "redact: %.*s is nothing that can be redacted",
                           (int)(word.len < 40 ? word.len : 40), word.at);
        }
        bits |= bit;
        words += word.len + (words[word.len] == ',');
    }
    *out = bits;
    return PS_OK;
}

enum ps_status ps_share_copy(struct ps_store *from, const char (*ids)[PS_ID_SIZE], size_t n,
                             unsigned redact, struct ps_share_copy *out, struct ps_err *err)
{
    enum ps_status status;

    *out = (struct ps_share_copy){.redacted = redact};
    status = ps_private_open(from, &out->store, err);
    for (size_t i = 0; status == PS_OK && i < n; i++)
        status = ps_private_take(from, out->store, ids[i], err);
    if (status != PS_OK)
        ps_share_copy_free(out);
    return status;
}

void ps_share_copy_free(struct ps_share_copy *copy)
{
    ps_store_close(copy->store);
    *copy = (struct ps_share_copy){0};
}
