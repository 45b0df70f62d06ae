/* SPDX-License-Identifier: MIT */
/* event.c: reads the fields of one event, key by key. */
#include <stdlib.h>

#include "base/utf8.h"
#include "importers/trace/parse.h"

enum field { F_PH, F_CAT, F_NAME, F_PID, F_TID, F_TS, F_DUR, F_ID, F_ARGS, F_TDUR, F_ID2, F_REST };

static enum field field_of(struct ps_str key)
{
    static const struct {
        struct ps_str key;
        enum field field;
    } fields[] = {
        {PS_STR("ph"), F_PH},     {PS_STR("ts"), F_TS},     {PS_STR("id"), F_ID},
        {PS_STR("cat"), F_CAT},   {PS_STR("pid"), F_PID},   {PS_STR("tid"), F_TID},
        {PS_STR("dur"), F_DUR},   {PS_STR("id2"), F_ID2},   {PS_STR("name"), F_NAME},
        {PS_STR("args"), F_ARGS}, {PS_STR("tdur"), F_TDUR},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (ps_str_eq(fields[i].key, key))
            return fields[i].field;
    return F_REST;
}

static bool next(struct tr_parser *p, char *c)
{
    p->at = tr_skip_blanks(p->at, p->end);
    if (p->at >= p->end) {
        p->incomplete = true;
        return false;
    }
    *c = *p->at;
    return true;
}

static void note_slot(struct tr_parser *p, struct ps_str word, enum tr_slot_kind kind)
{
    if (p->n_slots >= TR_SLOTS_MAX - 1)
        p->patterned = false;
    else
        p->slots[p->n_slots++] = (struct tr_slot){word.at, word.len, kind};
}

/* Reads a value as text: strings decoded, other values as compact JSON, null as "". *null: it was
 * null. */
static bool read_text(struct tr_parser *p, struct ps_buf *out, bool *null)
{
    struct tr_packed packed = {0};
    struct tr_string string;
    bool good;

    out->len = 0;
    *null = false;
    if (*p->at == '"') {
        if (!tr_scan_string(p, &string))
            return false;
        tr_decode(p, &string, out);
        return true;
    }
    p->patterned = p->patterned && *p->at == 'n';
    good = tr_pack_value(p, &packed, 2); /* at level 2 all numbers stay in the text */
    *null = good && ps_str_is(ps_buf_slice(&packed.text), "null");
    if (good && !*null)
        ps_buf_str(out, ps_buf_slice(&packed.text));
    ps_buf_free(&packed.text);
    ps_buf_free(&packed.params);
    return good;
}

/* Returns "" for an empty buffer, since {NULL, 0} means that there is no text. */
static struct ps_str text_of(const struct ps_buf *buf)
{
    return (struct ps_str){buf->len ? buf->at : "", buf->len};
}

/* Reads a name up to the next key of the event, for TR_WHOLE_NAME. */
static bool read_whole_name(struct tr_parser *p, struct ps_buf *out)
{
    static const struct ps_str keys[] = {PS_STR("\"pid\""), PS_STR("\"ph\""), PS_STR("\"tid\""),
                                         PS_STR("\"ts\""), PS_STR("\"cat\"")};
    struct tr_string string = {.high = true};

    for (const char *at = p->at + 1; at < p->end; at++) {
        const char *behind = at + 1;

        if (*at != '"')
            continue;
        behind = tr_skip_blanks(behind, p->end);
        if (behind >= p->end || *behind != ',')
            continue;
        behind = tr_skip_blanks(behind + 1, p->end);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (ps_str_starts((struct ps_str){behind, (size_t)(p->end - behind)}, keys[i])) {
                string.raw = (struct ps_str){p->at + 1, (size_t)(at - p->at - 1)};
                out->len = 0;
                tr_decode(p, &string, out);
                p->repairs |= 1u << TR_NAME;
                p->at = at + 1;
                return true;
            }
    }
    return false;
}

/* Names that differ only in invalid bytes must stay different: appends TR_ODD_NAME, which is never
 * part of valid text, and a hash of the original bytes (see merge.c). */
static void mark_odd(struct ps_buf *name, struct ps_str raw)
{
    uint32_t hash = 2166136261u; /* FNV-1a: the same in every run */

    for (size_t i = 0; i < raw.len; i++)
        hash = (hash ^ (unsigned char)raw.at[i]) * 16777619u;
    ps_buf_printf(name, "%c%08x", TR_ODD_NAME, hash);
}

static bool read_name(struct tr_parser *p)
{
    const char *at = p->at;
    uint32_t before = p->repairs;
    bool null = false;

    p->repairs &= ~(1u << TR_UTF8);

    if (p->mode == TR_WHOLE_NAME && *p->at == '"') {
        if (!read_whole_name(p, &p->scratch))
            return false;
    } else if (!read_text(p, &p->scratch, &null)) {
        return false;
    }
    if (p->repairs & 1u << TR_UTF8)
        mark_odd(&p->scratch, (struct ps_str){at, (size_t)(p->at - at)});
    p->repairs |= before;
    p->event.name = null ? 0 : ps_intern_id(&p->local.names, text_of(&p->scratch)) + 1;
    return true;
}

/* Joins a list of categories with commas. */
static void join_list(struct ps_buf *text)
{
    size_t n = 0;

    if (text->len < 2 || text->at[0] != '[')
        return;
    for (size_t i = 1; i + 1 < text->len; i++)
        if (text->at[i] != '"')
            text->at[n++] = text->at[i];
    text->len = n;
}

static bool read_cat(struct tr_parser *p)
{
    bool null, list = *p->at == '[';

    if (!read_text(p, &p->scratch, &null))
        return false;
    if (list)
        join_list(&p->scratch);
    p->event.cat =
        null || p->scratch.len == 0 ? 0 : ps_intern_id(&p->local.cats, text_of(&p->scratch)) + 1;
    return true;
}

static bool read_phase(struct tr_parser *p)
{
    bool null;

    if (!read_text(p, &p->scratch, &null))
        return false;
    if (p->scratch.len > 1) /* a phase is one letter: treat anything longer as unknown */
        p->event.ph = '?';
    else
        p->event.ph =
            p->scratch.len && (unsigned char)p->scratch.at[0] < 0x80 ? p->scratch.at[0] : 0;
    return true;
}

/* Reads a pid, tid or id. Strings of digits are equal to numbers. */
static bool read_key(struct tr_parser *p, struct ps_buf *text, struct tr_key *out,
                     enum tr_slot_kind kind)
{
    const char *at = p->at;
    struct ps_str word;
    struct tr_number number;
    bool null, slots = p->patterned;

    if (*at != '"' && *at != '{' && *at != '[') {
        if (!tr_scan_word(p, &word))
            return false;
        number = tr_number_of(word);
        if (number.kind == TR_NUM_INT) {
            *out = (struct tr_key){.number = number.value};
            note_slot(p, word, kind);
            return true;
        }
        p->at = at;
    }
    if (!read_text(p, text, &null))
        return false;
    number = tr_number_of(ps_buf_slice(text));
    *out = (struct tr_key){.is_text = !null && number.kind != TR_NUM_INT, .text = text_of(text)};
    if (!null && !out->is_text)
        out->number = number.value;
    p->patterned = slots && *at == '"';
    return true;
}

/* Reads microseconds, also in quotes. *has: it is a number. */
static bool read_time(struct tr_parser *p, bool *has, int64_t *us, int64_t *ns,
                      enum tr_slot_kind kind)
{
    struct ps_str word;
    struct tr_number number;
    struct tr_string string;

    *has = false;
    if (*p->at == '"') {
        if (!tr_scan_string(p, &string))
            return false;
        word = string.raw;
        p->patterned = false;
    } else if (*p->at == '{' || *p->at == '[') {
        p->patterned = false;
        return tr_skip_value(p);
    } else if (!tr_scan_word(p, &word)) {
        return false;
    }
    number = tr_number_of(word);
    if (number.kind == TR_NUM_NONE && string.raw.at != word.at)
        p->repairs |= 1u << TR_NUMBER;
    if (number.kind == TR_NUM_NAN)
        p->event.out_of_range |= word.len != 3;
    if (number.kind == TR_NUM_LOOSE)
        p->repairs |= 1u << TR_NUMBER;
    if (number.kind <= TR_NUM_LOOSE) {
        *has = tr_time_of(word, us, ns);
        p->event.out_of_range |= !*has;
    }
    if (number.kind <= TR_NUM_TEXT)
        note_slot(p, word, kind);
    else
        p->patterned = false;
    return true;
}

static bool read_duration(struct tr_parser *p, bool *has, int64_t *out, enum tr_slot_kind kind)
{
    int64_t us = 0, ns = 0;

    if (!read_time(p, has, &us, &ns, kind))
        return false;
    if (*has && (__builtin_mul_overflow(us, 1000, out) || __builtin_add_overflow(*out, ns, out))) {
        p->event.out_of_range = true;
        *has = false;
    }
    return true;
}

static bool read_args(struct tr_parser *p)
{
    size_t from = p->args.text.len = 0;
    bool object = *p->at == '{';

    p->args.params.len = 0;
    if (p->rest.params.len)
        p->patterned = false; /* in the template its numbers come after those of the arguments */
    if (!object)
        ps_buf_puts(&p->args.text, "{\"args\":");
    from = p->args.text.len;
    if (!tr_pack_value(p, &p->args, object ? 0 : 1))
        return false;
    if (!object) {
        bool null = ps_str_is(ps_str_skip(ps_buf_slice(&p->args.text), from), "null");

        ps_buf_puts(&p->args.text, "}");
        p->args.text.len = null ? 0 : p->args.text.len;
    } else if (p->args.text.len == 2) {
        p->args.text.len = 0;
    }
    return true;
}

static bool read_rest(struct tr_parser *p, struct ps_str key)
{
    ps_buf_puts(&p->rest.text, p->rest.text.len ? "," : "{");
    ps_buf_str(&p->rest.text, key);
    ps_buf_puts(&p->rest.text, ":");
    return tr_pack_value(p, &p->rest, 1);
}

/* Reads id2. If the event has no id, the text of id2 is its id: {"local": "0x1"}. */
static bool read_id2(struct tr_parser *p, struct ps_str key)
{
    size_t from;
    bool null;

    if (p->event.has_id)
        return read_rest(p, key);
    from = p->n_slots;
    if (!read_text(p, &p->id_text, &null))
        return false;
    p->n_slots = (unsigned)from;
    p->patterned = false;
    p->event.has_id = !null;
    p->event.id = (struct tr_key){.is_text = true, .text = text_of(&p->id_text)};
    return true;
}

static bool read_field(struct tr_parser *p, enum field field, struct ps_str key)
{
    struct tr_event *e = &p->event;
    const char *at = p->at;
    bool good;

    switch (field) {
    case F_PH:
        return read_phase(p);
    case F_CAT:
        return read_cat(p);
    case F_NAME:
        return read_name(p);
    case F_PID:
        return read_key(p, &p->pid_text, &e->pid, TR_SLOT_PID);
    case F_TID:
        return read_key(p, &p->tid_text, &e->tid, TR_SLOT_TID);
    case F_TS:
        return read_time(p, &e->has_ts, &e->ts_us, &e->ts_ns, TR_SLOT_TS);
    case F_DUR:
        return read_duration(p, &e->has_dur, &e->dur_ns, TR_SLOT_DUR);
    case F_TDUR:
        p->patterned = p->patterned && e->has_dur;
        if (!read_rest(p, key))
            return false;
        if (e->has_dur)
            return true;
        {
            const char *behind = p->at;

            p->at = at;
            good = read_duration(p, &e->has_tdur, &e->tdur_ns, TR_SLOT_DUR);
            p->at = behind;
            return good;
        }
    case F_ID:
        good = read_key(p, &p->id_text, &e->id, TR_SLOT_ID);
        e->has_id = good && (e->id.is_text || *at != 'n');
        return good;
    case F_ID2:
        return read_id2(p, key);
    case F_ARGS:
        return read_args(p);
    case F_REST:
        break;
    }
    return read_rest(p, key);
}

static bool read_pair(struct tr_parser *p)
{
    struct tr_string string;
    struct ps_str key, plain;
    enum field field;
    char c;

    if (*p->at != '"' || !tr_scan_string(p, &string))
        return false;
    key = (struct ps_str){string.raw.at - 1, string.raw.len + 2};
    plain = string.raw;
    if (string.escaped || string.high || string.control || string.loose) {
        p->key_text.len = 0;
        tr_decode(p, &string, &p->scratch);
        p->scratch.len = 0;
        tr_encode(p, &string, &p->key_text);
        key = ps_buf_slice(&p->key_text);
        tr_decode(p, &string, &p->scratch);
        plain = text_of(&p->scratch);
    }
    if (!next(p, &c) || c != ':')
        return false;
    p->at++;
    if (!next(p, &c))
        return false;
    field = field_of(plain);
    if (field != F_REST) {
        if (p->event.seen & 1u << field)
            p->patterned = false; /* repeated key: the last one counts */
        p->event.seen |= 1u << field;
    }
    return read_field(p, field, key);
}

static void begin_event(struct tr_parser *p)
{
    p->event = (struct tr_event){0};
    p->repairs = 0;
    p->incomplete = p->too_deep = false;
    p->n_slots = 0;
    p->patterned = p->mode == TR_STRICT;
    p->args.text.len = p->args.params.len = p->rest.text.len = p->rest.params.len = 0;
    p->scratch.len = 0;
}

/* Reads the object, `{` to `}`. */
static bool read_object(struct tr_parser *p)
{
    char c;

    p->at++;
    if (!next(p, &c))
        return false;
    while (c != '}') {
        if (!read_pair(p) || !next(p, &c))
            return false;
        if (c == '}')
            break;
        if (c != ',')
            return false;
        p->at++;
        if (!next(p, &c))
            return false;
        if (c == '}')
            p->repairs |= 1u << TR_TRAILING_COMMA;
    }
    p->at++;
    return true;
}

bool tr_read_event(struct tr_parser *p)
{
    const char *start = p->at;

    begin_event(p);
    if (read_object(p))
        return true;
    p->at = start;
    return false;
}
