/* SPDX-License-Identifier: MIT */
/* reveals.c: lists the values that runs would reveal, by redacting everything without writing it.
 */
#include <stdlib.h>

#include "server/share/bundle.h"
#include "server/share/redaction.h"

#define SHOWN 200 /* maximum bytes of an example value */

static void put_example(const struct ps_scrub_examples *seen, uint32_t i, struct ps_json *json)
{
    struct ps_str value = seen->values.items[i];

    if (value.len > SHOWN) {
        value.len = SHOWN;
        while (value.len && ((unsigned char)value.ptr[value.len] & 0xc0) == 0x80)
            value.len--;
    }
    ps_json_object(json);
    ps_json_key(json, "value");
    ps_json_str(json, value);
    ps_json_key_str(json, "becomes", seen->replacements[i]);
    ps_json_end(json);
}

static void put_category(const struct ps_redaction *r, unsigned index, struct ps_json *json)
{
    const struct ps_scrub_examples *seen = &r->scrub.examples[index];

    ps_json_object(json);
    ps_json_key_str(json, "what", ps_reveal_names[index]);
    ps_json_key_int(json, "values", seen->values.count);
    ps_json_key(json, "examples");
    ps_json_array(json);
    for (uint32_t i = 0; i < seen->values.count && i < PS_REVEAL_EXAMPLES; i++)
        put_example(seen, i, json);
    ps_json_end(json);
    ps_json_end(json);
}

static enum ps_status look_at_sources(struct ps_redaction *r, struct ps_store *store,
                                      const char *id, struct ps_err *err)
{
    struct ps_attached_list list = {.n = 0};
    enum ps_status status = ps_store_list_attached(store, id, &list, err);

    for (size_t i = 0; i < list.n; i++)
        ps_scrub_record_example(&r->scrub, PS_REVEAL_SOURCE, ps_str_from_c(list.items[i].path),
                                "left out");
    ps_attached_free(&list);
    return status;
}

enum ps_status ps_share_write_reveals(struct ps_store *store, const char (*ids)[PS_ID_SIZE],
                                      size_t n, struct ps_json *json, struct ps_err *err)
{
    struct ps_redaction *r = ps_alloc(sizeof *r);

    r->scrub.redacted_categories = PS_REVEAL_ALL;
    ps_redact_learn_names(r, store, ids, n, err);
    for (size_t i = 0; err->code == PS_OK && i < n; i++)
        if (ps_share_labels_preview(r, store, ids[i], err) == PS_OK &&
            ps_redact_file(r, store, ids[i], NULL, err) == PS_OK)
            look_at_sources(r, store, ids[i], err);
    if (err->code == PS_OK) {
        ps_json_object(json);
        ps_json_key(json, "reveals");
        ps_json_array(json);
        for (unsigned i = 0; i < PS_N_REVEALS; i++)
            put_category(r, i, json);
        ps_json_end(json);
        ps_json_end(json);
    }
    ps_redaction_free(r);
    free(r);
    return err->code;
}
