/* SPDX-License-Identifier: MIT */
/*
 * perfetto_args.c: debug annotations as the arguments of events.
 *
 * A number that is the value of an annotation, or is in a list that is the value, becomes a
 * parameter of the template; everything deeper is part of the template's text, as slices/args.h
 * wants it.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "base/json_span.h"
#include "importers/trace/perfetto.h"

#define DEPTH_MAX     32
#define TEMPLATES_MAX (UINT64_C(8) << 20) /* bytes; arguments after that are stored as JSON */

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

/* Adds a number to the parameters. False: it has an exponent, or more digits than a parameter. */
static bool add_decimal(struct pf_args *args, double value)
{
    int64_t digits;
    uint32_t decimals;

    if (!ps_args_split_real(value, &digits, &decimals))
        return false;
    ps_args_put_decimal(&args->params, digits, decimals);
    return true;
}

static void put_real(struct pf_args *args, double value, bool is_param)
{
    if (is_param && add_decimal(args, value))
        ps_buf_add(&args->text, &(char){PS_TEMPLATE_DECIMAL}, 1);
    else
        put_number(&args->text, ps_real(value));
}

void pf_args_put_int(struct pf_args *args, int64_t value)
{
    ps_buf_add(&args->text, &(char){PS_TEMPLATE_INT}, 1);
    ps_args_put_int(&args->params, value);
}

static void put_int(struct pf_args *args, int64_t value, bool is_param)
{
    if (is_param)
        pf_args_put_int(args, value);
    else
        put_number(&args->text, ps_int(value));
}

void pf_args_put_string(struct pf_reader *r, struct ps_str text)
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
        pf_args_put_string(r, text);
        return;
    }
    while (text.len) {
        size_t n = text.ptr[0] == '"' ? ps_json_string_length(text) : 1;

        if ((unsigned char)text.ptr[0] > ' ')
            ps_buf_add(&r->args.text, text.ptr, n);
        text = ps_str_skip(text, n);
    }
}

/* 1 + index of the key; 0: it is not interned, or not defined. */
static uint32_t key_of(struct pf_reader *r, const struct pf_sequence *sequence,
                       const struct pf_debug_annotation *note)
{
    return PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_NAME)
               ? pf_args_key(r, note->name)
               : pf_iid_value(&sequence->tables[PF_ANNOTATION_NAMES], note->name_iid);
}

static void put_key(struct pf_reader *r, const struct pf_sequence *sequence,
                    const struct pf_debug_annotation *note)
{
    uint32_t key = key_of(r, sequence, note);
    char number[32];

    if (key) {
        ps_buf_add_str(&r->args.text, r->args.keys.json[key - 1]);
        return;
    }
    if (note->name_iid && !PS_WIRE_HAS(note, PF_DEBUG_ANNOTATION_HAS_NAME)) {
        r->n_unknown_names++;
        (void)snprintf(number, sizeof number, "#%llu", (unsigned long long)note->name_iid);
        pf_args_put_string(r, ps_str_from_c(number));
    } else {
        pf_args_put_string(r, note->name);
    }
    ps_buf_puts(&r->args.text, ":");
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
        put_key(r, sequence, &note);
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
            pf_args_put_string(r, key);
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
        pf_args_put_string(r, value.string_value);
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
        ps_buf_add_str(&r->args.text, r->args.strings.json[string - 1]);
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
        pf_args_put_string(r, note->string_value);
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
        /* PyTorch writes empty lists so */
        ps_buf_puts(&args->text, r->trace.is_torch ? "[]" : "null");
    }
}

/* --- Tokens --- */

/* The bits of a token after its kind are the index of the key, string or location, + 1. A string
 * follows its key. */
enum token {
    TOKEN_INT,
    TOKEN_DECIMAL,
    TOKEN_FALSE,
    TOKEN_TRUE,
    TOKEN_KEY,
    TOKEN_STRING,
    TOKEN_LOCATION
};
#define TOKEN_BITS 3

static void add_token(struct pf_args *args, enum token kind, uint32_t index)
{
    PS_RESERVE_ONE(args->tokens, args->n_tokens, args->cap_tokens);
    args->tokens[args->n_tokens++] = (uint64_t)index << TOKEN_BITS | kind;
}

/* The token of a value, whose number it adds to the parameters. False: no token says the value. */
static bool add_value(struct pf_reader *r, const struct pf_sequence *sequence,
                      const struct pf_debug_annotation *note, uint32_t key)
{
    const uint64_t values =
        note->has & ~(PF_DEBUG_ANNOTATION_HAS_NAME | PF_DEBUG_ANNOTATION_HAS_NAME_IID);
    uint32_t string;

    switch (values) {
    case PF_DEBUG_ANNOTATION_HAS_INT_VALUE:
        ps_args_put_int(&r->args.params, note->int_value);
        add_token(&r->args, TOKEN_INT, key);
        return true;
    case PF_DEBUG_ANNOTATION_HAS_UINT_VALUE:
    case PF_DEBUG_ANNOTATION_HAS_POINTER_VALUE:
        if ((note->uint_value | note->pointer_value) > INT64_MAX)
            return false;
        ps_args_put_int(&r->args.params, (int64_t)(note->uint_value | note->pointer_value));
        add_token(&r->args, TOKEN_INT, key);
        return true;
    case PF_DEBUG_ANNOTATION_HAS_DOUBLE_VALUE:
        if (!add_decimal(&r->args, note->double_value))
            return false;
        add_token(&r->args, TOKEN_DECIMAL, key);
        return true;
    case PF_DEBUG_ANNOTATION_HAS_BOOL_VALUE:
        add_token(&r->args, note->bool_value ? TOKEN_TRUE : TOKEN_FALSE, key);
        return true;
    case PF_DEBUG_ANNOTATION_HAS_STRING_VALUE:
    case PF_DEBUG_ANNOTATION_HAS_STRING_VALUE_IID:
        string = values == PF_DEBUG_ANNOTATION_HAS_STRING_VALUE
                     ? pf_args_string(r, note->string_value)
                     : pf_iid_value(&sequence->tables[PF_STRINGS], note->string_value_iid);
        if (!string)
            return false;
        add_token(&r->args, TOKEN_KEY, key);
        add_token(&r->args, TOKEN_STRING, string);
        return true;
    default:
        return false;
    }
}

static void begin_member(struct pf_args *args)
{
    ps_buf_add(&args->text, args->text.len ? "," : "{", 1);
}

/* Writes the text that the tokens stand for. */
static void write_tokens(struct pf_args *args)
{
    static const char *const values[] = {[TOKEN_INT] = "\1",
                                         [TOKEN_DECIMAL] = "\2",
                                         [TOKEN_FALSE] = "false",
                                         [TOKEN_TRUE] = "true",
                                         [TOKEN_KEY] = ""};

    for (size_t i = 0; i < args->n_tokens; i++) {
        enum token kind = args->tokens[i] & ((1u << TOKEN_BITS) - 1);
        size_t index = (size_t)(args->tokens[i] >> TOKEN_BITS) - 1;

        if (kind == TOKEN_STRING) {
            ps_buf_add_str(&args->text, args->strings.json[index]);
            continue;
        }
        begin_member(args);
        if (kind == TOKEN_LOCATION) {
            ps_buf_add_str(&args->text, args->locations.json[index]);
            continue;
        }
        ps_buf_add_str(&args->text, args->keys.json[index]);
        ps_buf_puts(&args->text, values[kind]);
    }
    args->n_tokens = 0;
}

void pf_args_begin(struct pf_args *args)
{
    args->text.len = args->params.len = args->other.len = 0;
    args->n_tokens = 0;
}

void pf_args_add_all(struct pf_reader *r, struct pf_sequence *sequence, struct ps_wire_list list)
{
    struct pf_debug_annotation note;
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes)) {
        uint32_t key;

        if (!read_note(r, bytes, &note))
            continue;
        if (!r->args.text.len) {
            key = key_of(r, sequence, &note);
            if (key && add_value(r, sequence, &note, key))
                continue;
            write_tokens(&r->args);
        }
        begin_member(&r->args);
        put_key(r, sequence, &note);
        put_value(r, sequence, &note, 0, true);
    }
}

void pf_args_add_location(struct pf_reader *r, uint32_t location)
{
    if (!r->args.text.len) {
        add_token(&r->args, TOKEN_LOCATION, location);
        return;
    }
    begin_member(&r->args);
    ps_buf_add_str(&r->args.text, r->args.locations.json[location - 1]);
}

void pf_args_add_other(struct pf_args *args, const char *key, struct ps_str json)
{
    ps_buf_puts(&args->other, args->other.len ? ",\"" : "{\"");
    ps_buf_puts(&args->other, key);
    ps_buf_puts(&args->other, "\":");
    ps_buf_add_str(&args->other, json);
}

/* --- Templates --- */

/* Sets the template of the text. */
static void find_template(struct pf_reader *r, struct tr_record *record)
{
    struct pf_args *args = &r->args;

    write_tokens(args);
    if (args->text.len)
        ps_buf_puts(&args->text, "}");
    if (args->other.len) {
        ps_buf_add(&args->text, &(char){PS_TEMPLATE_REST}, 1);
        ps_buf_add_str(&args->text, ps_buf_slice(&args->other));
        ps_buf_puts(&args->text, "}");
    }
    record->template = tr_fill_template_below(&r->trace, ps_buf_slice(&args->text), TEMPLATES_MAX);
    if (!record->template) {
        ps_args_put_whole(ps_buf_slice(&args->text), &args->params);
        record->template = PS_TEMPLATE_WHOLE;
    }
}

static bool is_shape(const void *items, uint32_t index, const void *key)
{
    const struct pf_shape *shape = (const struct pf_shape *)items + index;
    const struct pf_args *args = key;

    return shape->n_tokens == args->n_tokens &&
           memcmp(shape->tokens, args->tokens, args->n_tokens * sizeof *args->tokens) == 0;
}

static uint64_t hash_tokens(const struct pf_args *args)
{
    uint64_t hash = args->n_tokens;

    for (size_t i = 0; i < args->n_tokens; i++)
        hash = ps_hash_pair(hash, args->tokens[i]);
    return hash;
}

static void add_shape(struct pf_args *args, uint64_t hash, struct pf_shape shape)
{
    PS_RESERVE_ONE(args->shapes, args->n_shapes, args->cap_shapes);
    (void)ps_hash_table_add(&args->shape_index, hash, args->n_shapes, is_shape, args->shapes, args);
    args->shapes[args->n_shapes++] = shape;
}

void pf_args_end(struct pf_reader *r, struct tr_record *record)
{
    struct pf_args *args = &r->args;
    struct pf_shape shape = {.n_tokens = args->n_tokens};
    uint64_t hash;
    uint32_t at;

    if (!args->n_tokens && !args->text.len && !args->other.len)
        return;
    if (args->text.len || args->other.len) {
        find_template(r, record);
        return;
    }
    hash = hash_tokens(args);
    at = ps_hash_table_find(&args->shape_index, hash, is_shape, args->shapes, args);
    if (at != PS_HASH_NONE) {
        record->template = args->shapes[at].template;
        return;
    }
    shape.tokens = memcpy(ps_arena_alloc(&args->arena, args->n_tokens * sizeof *args->tokens),
                          args->tokens, args->n_tokens * sizeof *args->tokens);
    find_template(r, record);
    if (record->template == PS_TEMPLATE_WHOLE)
        return;
    shape.template = record->template;
    args->n_tokens = shape.n_tokens; /* the key of the new shape */
    add_shape(args, hash, shape);
}

static void free_words(struct pf_words *words)
{
    ps_intern_free(&words->raw);
    free(words->json);
}

void pf_args_free(struct pf_args *args)
{
    free_words(&args->keys);
    free_words(&args->strings);
    free_words(&args->locations);
    ps_buf_free(&args->text);
    ps_buf_free(&args->params);
    ps_buf_free(&args->scratch);
    ps_buf_free(&args->other);
    ps_hash_table_free(&args->shape_index);
    ps_arena_free(&args->arena);
    free(args->tokens);
    free(args->shapes);
}
