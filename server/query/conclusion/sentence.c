/* SPDX-License-Identifier: MIT */
/* sentence.c: sentences made of parts: text, names of code, numbers. */
#include <stdarg.h>

#include "base/python_path.h"
#include "server/query/conclusion/conclusion.h"

static void add_part(struct ps_sentence *to, struct ps_sentence_part part)
{
    PS_RESERVE_ONE(to->parts, to->n, to->cap);
    to->parts[to->n++] = part;
}

void ps_sentence_append(struct ps_sentence *to, const struct ps_sentence *from)
{
    for (size_t i = 0; i < from->n; i++)
        add_part(to, from->parts[i]);
}

void ps_say(struct ps_conclusion *c, struct ps_sentence *to, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_part(to, (struct ps_sentence_part){
                     .text = ps_str_from_c(ps_arena_vprintf(&c->arena, fmt, args))});
    va_end(args);
}

void ps_say_link(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                 const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_part(to, (struct ps_sentence_part){
                     .text = ps_str_from_c(ps_arena_vprintf(&c->arena, fmt, args)), .link = link});
    va_end(args);
}

void ps_say_code(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                 struct ps_str name)
{
    add_part(to, (struct ps_sentence_part){
                     .text = ps_arena_copy(&c->arena, name), .is_code = true, .link = link});
}

void ps_say_value(struct ps_sentence *to, struct ps_report_link link, double value,
                  const char *unit)
{
    add_part(to, (struct ps_sentence_part){.value = value, .unit = unit, .link = link});
}

void ps_say_place(struct ps_conclusion *c, struct ps_sentence *to, struct ps_report_link link,
                  struct ps_str path, int64_t line)
{
    struct ps_str file = ps_path_file_name(path);

    ps_say_link(c, to, link, line > 0 ? "%.*s:%lld" : "%.*s", (int)file.len, file.ptr,
                (long long)line);
}

static bool is_plain_text(const struct ps_sentence_part *part)
{
    return part->text.ptr && !part->is_code && !part->link.tab;
}

/* Templates make a part of each word: adjacent parts of plain text are written as one. */
void ps_sentence_write(struct ps_json *json, const char *key, const struct ps_sentence *sentence)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < sentence->n; i++) {
        const struct ps_sentence_part *part = &sentence->parts[i];

        ps_json_object(json);
        if (is_plain_text(part)) {
            text.len = 0;
            ps_buf_add_str(&text, part->text);
            for (; i + 1 < sentence->n && is_plain_text(&sentence->parts[i + 1]); i++)
                ps_buf_add_str(&text, sentence->parts[i + 1].text);
            ps_json_key(json, "text");
            ps_json_str(json, (struct ps_str){text.ptr, text.len});
        } else if (part->text.ptr) {
            ps_json_key(json, part->is_code ? "code" : "text");
            ps_json_str(json, part->text);
        } else {
            ps_json_key_real(json, "value", part->value);
            ps_json_key_str(json, "unit", part->unit);
        }
        if (part->link.tab)
            ps_report_link_write(json, &part->link);
        ps_json_end(json);
    }
    ps_json_end(json);
}
