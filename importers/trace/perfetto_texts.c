/* SPDX-License-Identifier: MIT */
/* perfetto_texts.c: texts of a Perfetto trace, and the faults that are counted while reading it. */
#include "base/json_out.h"
#include "importers/text/clean.h"
#include "importers/trace/perfetto.h"

#define TEXT_MAX ((size_t)64 << 10)
#define KEYS_MAX (UINT32_C(1) << 20)

void pf_count_fault(struct pf_reader *r, enum pf_fault fault)
{
    if (!r->faults[fault]++)
        r->fault_at[fault] = r->packet_at;
}

struct ps_str pf_clean_text(struct pf_reader *r, struct ps_str text)
{
    text = ps_truncate_text(text, TEXT_MAX);
    if (!text.len || ps_is_clean_text(text))
        return text;
    r->text.len = 0;
    ps_clean_text(&r->text, text);
    return ps_buf_slice(&r->text);
}

static uint32_t intern_json(struct pf_reader *r, struct ps_intern *table, struct ps_str text,
                            const char *after)
{
    struct ps_buf *scratch = &r->args.scratch;
    struct ps_json json = ps_json_writer(scratch);

    scratch->len = 0;
    ps_json_str(&json, text);
    ps_buf_puts(scratch, after);
    return ps_intern_add(table, ps_buf_slice(scratch)) + 1;
}

uint32_t pf_args_key(struct pf_reader *r, struct ps_str name)
{
    if (r->args.keys.count >= KEYS_MAX)
        return 0;
    return intern_json(r, &r->args.keys, name.ptr ? name : PS_STR(""), ":");
}

uint32_t pf_args_string(struct pf_reader *r, struct ps_str text)
{
    return intern_json(r, &r->args.strings, text.ptr ? text : PS_STR(""), "");
}

uint32_t pf_args_location(struct pf_reader *r, const struct pf_source_location *location)
{
    struct ps_buf *scratch = &r->args.scratch;
    struct ps_json json = ps_json_writer(scratch);
    struct ps_str members;

    scratch->len = 0;
    ps_json_object(&json);
    if (location->file_name.len) {
        ps_json_key(&json, "source.file_name");
        ps_json_str(&json, pf_clean_text(r, location->file_name));
    }
    if (location->function_name.len) {
        ps_json_key(&json, "source.function_name");
        ps_json_str(&json, pf_clean_text(r, location->function_name));
    }
    if (PS_WIRE_HAS(location, PF_SOURCE_LOCATION_HAS_LINE_NUMBER))
        ps_json_key_int(&json, "source.line_number", (int64_t)location->line_number);
    ps_json_end(&json);
    members = (struct ps_str){scratch->ptr + 1, scratch->len - 2};
    return ps_intern_add(&r->args.locations, members) + 1;
}
