/* SPDX-License-Identifier: MIT */
/* perfetto_texts.c: texts of a Perfetto trace, and the faults that are counted while reading it. */
#include "base/json_out.h"
#include "importers/text/clean.h"
#include "importers/trace/perfetto.h"

#define TEXT_MAX ((size_t)64 << 10)
/* Bytes of the keys, strings or locations of all arguments. More are part of their events alone. */
#define WORD_BYTES_MAX ((size_t)4 << 20)

void pf_count_fault(struct pf_reader *r, enum pf_fault fault)
{
    if (!r->faults[fault]++)
        r->fault_at[fault] = r->packet_at;
}

enum ps_status pf_refuse(struct pf_reader *r, enum pf_fault fault)
{
    pf_count_fault(r, fault);
    r->trace.counts.rejected++;
    return PS_OK;
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

/* Returns the index of a text, + 1; *is_new: it has no JSON yet, which is to be set. */
static uint32_t word_index(struct pf_words *words, struct ps_str text, bool *is_new)
{
    uint32_t before = words->raw.count;
    uint32_t index = ps_intern_add(&words->raw, text.ptr ? text : PS_STR(""));

    *is_new = words->raw.count != before;
    if (index >= words->cap) {
        words->cap = words->cap ? words->cap * 2 : 64;
        words->json = ps_grow(words->json, words->cap, sizeof *words->json);
    }
    return index + 1;
}

static uint32_t quoted_word(struct pf_words *words, struct ps_str text, const char *after)
{
    PS_AUTO(ps_buf_free) struct ps_buf quoted = {0};
    struct ps_json json = ps_json_writer(&quoted);
    uint32_t index;
    bool is_new;

    if (words->raw.arena.allocated_bytes > WORD_BYTES_MAX)
        return 0;
    index = word_index(words, text, &is_new);
    if (is_new) {
        ps_json_str(&json, words->raw.items[index - 1]);
        ps_buf_puts(&quoted, after);
        words->json[index - 1] = ps_arena_copy(&words->raw.arena, ps_buf_slice(&quoted));
    }
    return index;
}

uint32_t pf_args_key(struct pf_reader *r, struct ps_str name)
{
    return quoted_word(&r->args.keys, pf_clean_text(r, name), ":");
}

uint32_t pf_args_string(struct pf_reader *r, struct ps_str text)
{
    return quoted_word(&r->args.strings, pf_clean_text(r, text), "");
}

uint32_t pf_args_location(struct pf_reader *r, const struct pf_source_location *location)
{
    struct ps_buf *scratch = &r->args.scratch;
    struct ps_json json = ps_json_writer(scratch);
    uint32_t index;
    bool is_new;

    if (r->args.locations.raw.arena.allocated_bytes > WORD_BYTES_MAX)
        return 0;
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
    if (scratch->len == 2)
        return 0;
    index = word_index(&r->args.locations, (struct ps_str){scratch->ptr + 1, scratch->len - 2},
                       &is_new);
    r->args.locations.json[index - 1] = r->args.locations.raw.items[index - 1];
    return index;
}
