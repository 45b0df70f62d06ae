/* SPDX-License-Identifier: MIT */
/*
 * perfetto_args.c: debug annotations as the arguments of events.
 *
 * A number that is the value of an annotation, or is in a list that is the value, becomes a
 * parameter of the template; everything deeper is part of the template's text, as slices/args.h
 * wants it.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

#include "base/json_out.h"
#include "base/json_span.h"
#include "importers/trace/perfetto.h"

#define DEPTH_MAX     32
#define TEMPLATES_MAX (UINT64_C(32) << 20) /* bytes; arguments after that are stored as JSON */

/* --- Values as JSON --- */

/* Appends a number that does not become a parameter. */
static void put_number(struct ps_buf *out, struct ps_num value)
{
    struct ps_json json = ps_json_writer(out);

    ps_json_num(&json, value);
}

static void put_unsigned(struct ps_buf *out, uint64_t value)
{
    if (value > INT64_MAX)
        ps_buf_printf(out, "%llu", (unsigned long long)value);
    else
        put_number(out, ps_int((int64_t)value));
}

/* Splits a number into digits and a number of decimals, as its shortest text has them. */
static bool split_real(double value, int64_t *digits, uint32_t *decimals)
{
    char text[32];
    size_t n;
    bool is_fraction = false;

    n = ps_real_format(value, text);
    *digits = 0;
    *decimals = 0;
    for (size_t i = text[0] == '-'; i < n; i++) {
        if (text[i] == '.' && !is_fraction)
            is_fraction = true;
        else if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*digits, 10, digits) ||
                 __builtin_add_overflow(*digits, text[i] - '0', digits))
            return false;
        else
            *decimals += is_fraction;
    }
    if (text[0] == '-')
        *digits = -*digits;
    return is_fraction;
}

static void put_param_int(struct pf_args *args, int64_t value)
{
    ps_buf_add(&args->text, &(char){PS_TEMPLATE_INT}, 1);
    ps_args_put_int(&args->params, value);
}

static void put_real(struct pf_args *args, double value, bool is_param)
{
    int64_t digits;
    uint32_t decimals;

    if (is_param && value == floor(value) && fabs(value) < 1e15) {
        put_param_int(args, (int64_t)value); /* the text of both is the same */
        return;
    }
    if (!is_param || !split_real(value, &digits, &decimals)) {
        put_number(&args->text, ps_real(value));
        return;
    }
    ps_buf_add(&args->text, &(char){PS_TEMPLATE_DECIMAL}, 1);
    ps_args_put_decimal(&args->params, digits, decimals);
}

static void put_int(struct pf_args *args, int64_t value, bool is_param)
{
    if (is_param)
        put_param_int(args, value);
    else
        put_number(&args->text, ps_int(value));
}

static void put_string(struct pf_reader *r, struct ps_str text)
{
    struct ps_json json = ps_json_writer(&r->args.text);

    text = pf_clean_text(r, text);
    ps_json_str(&json, text.ptr ? text : PS_STR(""));
}

/* Whether the text is one JSON value, which may be part of a template. */
static bool is_json(struct ps_str text)
{
    const char *end = NULL;
    cJSON *value;

    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' && !strchr("\t\n\r", text.ptr[i]))
            return false;
    value = text.len ? cJSON_ParseWithLengthOpts(text.ptr, text.len, &end, false) : NULL;
    cJSON_Delete(value);
    return value && end == text.ptr + text.len;
}

/* Appends a JSON text of the file without its white space if it is one value, else as a string. */
static void put_json(struct pf_reader *r, struct ps_str text)
{
    text = ps_str_trim(pf_clean_text(r, text));
    if (!is_json(text)) {
        put_string(r, text);
        return;
    }
    while (text.len) {
        size_t n = text.ptr[0] == '"' ? ps_json_string_length(text) : 1;

        if ((unsigned char)text.ptr[0] > ' ')
            ps_buf_add(&r->args.text, text.ptr, n);
        text = ps_str_skip(text, n);
    }
}

static void put_key(struct pf_reader *r, uint32_t key)
{
    ps_buf_add_str(&r->args.text, key ? r->args.keys.items[key - 1] : PS_STR("\"\":"));
}

static uint32_t key_of(struct pf_reader *r, const struct pf_sequence *sequence,
                       const struct pf_debug_annotation *note)
{
    char text[32];
    uint32_t key;

    if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_NAME))
        return pf_args_key(r, pf_clean_text(r, note->name));
    key = pf_iid_value(&sequence->tables[PF_ANNOTATION_NAMES], note->name_iid);
    if (key || !note->name_iid)
        return key;
    r->n_unknown_names++;
    (void)snprintf(text, sizeof text, "#%llu", (unsigned long long)note->name_iid);
    return pf_args_key(r, ps_str_from_c(text));
}

/* --- Annotations --- */

static void put_value(struct pf_reader *r, const struct pf_sequence *sequence,
                      const struct pf_debug_annotation *note, unsigned depth, bool is_param);

static bool read_note(struct pf_reader *r, struct ps_str bytes, struct pf_debug_annotation *out)
{
    struct ps_wire_fault fault;

    if (ps_wire_read(&pf_debug_annotation_message, bytes, out, &fault))
        return true;
    pf_count_fault(r, PF_FAULT_NESTED);
    return false;
}

static void put_members(struct pf_reader *r, const struct pf_sequence *sequence,
                        struct ps_wire_list list, unsigned depth)
{
    struct pf_debug_annotation note;
    struct ps_str bytes;
    const char *comma = "";

    ps_buf_puts(&r->args.text, "{");
    while (ps_wire_next_string(&list, &bytes)) {
        if (!read_note(r, bytes, &note))
            continue;
        ps_buf_puts(&r->args.text, comma);
        put_key(r, key_of(r, sequence, &note));
        put_value(r, sequence, &note, depth, false);
        comma = ",";
    }
    ps_buf_puts(&r->args.text, "}");
}

static void put_items(struct pf_reader *r, const struct pf_sequence *sequence,
                      struct ps_wire_list list, unsigned depth, bool is_param)
{
    struct pf_debug_annotation note;
    struct ps_str bytes;
    const char *comma = "";

    ps_buf_puts(&r->args.text, "[");
    while (ps_wire_next_string(&list, &bytes)) {
        if (!read_note(r, bytes, &note))
            continue;
        ps_buf_puts(&r->args.text, comma);
        put_value(r, sequence, &note, depth, is_param);
        comma = ",";
    }
    ps_buf_puts(&r->args.text, "]");
}

static void put_nested(struct pf_reader *r, struct ps_str bytes, unsigned depth)
{
    struct pf_nested_value value;
    struct ps_wire_fault fault;
    struct ps_buf *out = &r->args.text;
    struct ps_str item, key;
    const char *comma = "";

    (void)ps_wire_read(&pf_nested_value_message, bytes, &value, &fault);
    if (depth >= DEPTH_MAX) {
        r->args.n_too_deep++;
        ps_buf_puts(out, "null");
    } else if (value.nested_type == 1) {
        ps_buf_puts(out, "{");
        while (ps_wire_next_string(&value.dict_keys, &key) &&
               ps_wire_next_string(&value.dict_values, &item)) {
            ps_buf_puts(out, comma);
            put_string(r, key);
            ps_buf_puts(out, ":");
            put_nested(r, item, depth + 1);
            comma = ",";
        }
        ps_buf_puts(out, "}");
    } else if (value.nested_type == 2) {
        ps_buf_puts(out, "[");
        while (ps_wire_next_string(&value.array_values, &item)) {
            ps_buf_puts(out, comma);
            put_nested(r, item, depth + 1);
            comma = ",";
        }
        ps_buf_puts(out, "]");
    } else if (PS_WIRE_HAS(&value, PF_NESTED_VALUE_HAS_STRING_VALUE)) {
        put_string(r, value.string_value);
    } else if (PS_WIRE_HAS(&value, PF_NESTED_VALUE_HAS_INT_VALUE)) {
        put_number(out, ps_int(value.int_value));
    } else if (PS_WIRE_HAS(&value, PF_NESTED_VALUE_HAS_DOUBLE_VALUE)) {
        put_number(out, ps_real(value.double_value));
    } else if (PS_WIRE_HAS(&value, PF_NESTED_VALUE_HAS_BOOL_VALUE)) {
        ps_buf_puts(out, value.bool_value ? "true" : "false");
    } else {
        ps_buf_puts(out, "null");
    }
}

static void put_interned_string(struct pf_reader *r, const struct pf_sequence *sequence,
                                uint64_t iid)
{
    uint32_t string = pf_iid_value(&sequence->tables[PF_STRINGS], iid);

    if (string) {
        ps_buf_add_str(&r->args.text, r->args.strings.items[string - 1]);
        return;
    }
    r->n_unknown_names++;
    ps_buf_printf(&r->args.text, "\"#%llu\"", (unsigned long long)iid);
}

/* `is_param`: numbers become parameters: those of the annotation, and of a list that is its value.
 */
static void put_value(struct pf_reader *r, const struct pf_sequence *sequence,
                      const struct pf_debug_annotation *note, unsigned depth, bool is_param)
{
    struct pf_args *args = &r->args;

    if (depth >= DEPTH_MAX) {
        args->n_too_deep++;
        ps_buf_puts(&args->text, "null");
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_DICT_ENTRIES)) {
        put_members(r, sequence, note->dict_entries, depth + 1);
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_ARRAY_VALUES)) {
        put_items(r, sequence, note->array_values, depth + 1, is_param && depth == 0);
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_INT_VALUE)) {
        put_int(args, note->int_value, is_param);
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_UINT_VALUE) ||
               PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_POINTER_VALUE)) {
        uint64_t value = PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_UINT_VALUE)
                             ? note->uint_value
                             : note->pointer_value;

        if (value > INT64_MAX)
            put_unsigned(&args->text, value);
        else
            put_int(args, (int64_t)value, is_param);
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_STRING_VALUE)) {
        put_string(r, note->string_value);
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_STRING_VALUE_IID)) {
        put_interned_string(r, sequence, note->string_value_iid);
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_DOUBLE_VALUE)) {
        put_real(args, note->double_value, is_param);
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_BOOL_VALUE)) {
        ps_buf_puts(&args->text, note->bool_value ? "true" : "false");
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_LEGACY_JSON_VALUE)) {
        put_json(r, note->legacy_json_value);
    } else if (PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_NESTED_VALUE)) {
        put_nested(r, note->nested_value, depth + 1);
    } else {
        ps_buf_puts(&args->text, "null");
    }
}

void pf_args_begin(struct pf_args *args)
{
    args->text.len = args->params.len = args->other.len = 0;
}

static void begin_member(struct pf_args *args)
{
    ps_buf_puts(&args->text, args->text.len ? "," : "{");
}

void pf_args_add_all(struct pf_reader *r, struct pf_sequence *sequence, struct ps_wire_list list)
{
    struct pf_debug_annotation note;
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes)) {
        if (!read_note(r, bytes, &note))
            continue;
        begin_member(&r->args);
        put_key(r, key_of(r, sequence, &note));
        put_value(r, sequence, &note, 0, true);
    }
}

void pf_args_add_location(struct pf_reader *r, uint32_t location)
{
    if (!r->args.locations.items[location - 1].len)
        return;
    begin_member(&r->args);
    ps_buf_add_str(&r->args.text, r->args.locations.items[location - 1]);
}

void pf_args_add_other(struct pf_args *args, const char *key, struct ps_str json)
{
    ps_buf_puts(&args->other, args->other.len ? ",\"" : "{\"");
    ps_buf_puts(&args->other, key);
    ps_buf_puts(&args->other, "\":");
    ps_buf_add_str(&args->other, json);
}

/* --- Templates --- */

/* Stores the arguments as JSON, since there are too many templates. */
static void store_whole(struct pf_args *args, struct tr_record *record)
{
    struct ps_str text = ps_buf_slice(&args->text);
    const char *mark = memchr(text.ptr, PS_TEMPLATE_REST, text.len);

    args->scratch.len = 0;
    if (mark != text.ptr)
        ps_args_json(text, ps_buf_slice(&args->params), false, &args->scratch);
    if (mark)
        ps_buf_add(&args->scratch, mark, (size_t)(text.ptr + text.len - mark));
    args->params.len = 0;
    ps_args_put_arguments(&args->params, ps_buf_slice(&args->scratch));
    record->template = PS_TEMPLATE_WHOLE;
}

void pf_args_end(struct pf_reader *r, struct tr_record *record)
{
    struct pf_args *args = &r->args;

    if (args->text.len)
        ps_buf_puts(&args->text, "}");
    if (args->other.len) {
        ps_buf_add(&args->text, &(char){PS_TEMPLATE_REST}, 1);
        ps_buf_add_str(&args->text, ps_buf_slice(&args->other));
        ps_buf_puts(&args->text, "}");
    }
    if (!args->text.len)
        return;
    record->template = tr_fill_template_below(&r->trace, ps_buf_slice(&args->text), TEMPLATES_MAX);
    if (!record->template)
        store_whole(args, record);
}

void pf_args_free(struct pf_args *args)
{
    ps_intern_free(&args->keys);
    ps_intern_free(&args->strings);
    ps_intern_free(&args->locations);
    ps_buf_free(&args->text);
    ps_buf_free(&args->params);
    ps_buf_free(&args->scratch);
    ps_buf_free(&args->other);
}
