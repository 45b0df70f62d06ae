/* SPDX-License-Identifier: MIT */
/* arguments.c: what the arguments of a slice say of its operator. */
#include <stdlib.h>

#include "base/mem.h"
#include "server/query/trace/xla/xla.h"
#include "slices/args.h"
#include "slices/xla_names.h"

/* A number among the arguments. */
struct number {
    int64_t value; /* -1: none, if there is no parameter */
    int param;     /* index of the parameter that has it; -1: `value` has it */
};

struct ps_xla_template {
    bool is_read;
    uint32_t texts[PS_N_XLA_TEXTS]; /* text ids */
    struct number device, flops, bytes;
};

enum ps_status ps_xla_arguments_open(struct ps_db *db, struct ps_xla_arguments *out,
                                     struct ps_err *err)
{
    size_t end = 0;

    *out = (struct ps_xla_arguments){.db = db};
    if (ps_trace_get_text_end(db, &end, err) != PS_OK)
        return err->code;
    out->text_ids = ps_alloc_array(end + 1, sizeof *out->text_ids);
    for (uint32_t id = 1; id < end; id++) {
        const struct ps_str text = ps_trace_text(db, id);

        if (text.ptr)
            out->text_ids[ps_intern_add(&out->texts, text)] = id;
    }
    return PS_OK;
}

void ps_xla_arguments_close(struct ps_xla_arguments *arguments)
{
    ps_intern_free(&arguments->texts);
    free(arguments->text_ids);
    free(arguments->templates);
}

static uint32_t text_id(const struct ps_xla_arguments *arguments, struct ps_str text)
{
    const uint32_t at = text.len ? ps_intern_find(&arguments->texts, text) : PS_INTERN_NONE;

    return at == PS_INTERN_NONE ? 0 : arguments->text_ids[at];
}

/* Numbers are numbers in XPlane files and strings in JSON. */
static struct number read_number(struct ps_str template, const char *key)
{
    const struct ps_str name = ps_str_from_c(key);
    const struct ps_str text = ps_template_string(template, name);
    struct number number = {-1, ps_template_param(template, name)};

    if (number.param < 0 && !ps_str_parse_i64(text, &number.value))
        number.value = -1;
    return number;
}

static void read_template(const struct ps_xla_arguments *arguments, struct ps_str text,
                          struct ps_xla_template *out)
{
    *out = (struct ps_xla_template){.is_read = true,
                                    .device = read_number(text, "device_ordinal"),
                                    .flops = read_number(text, "flops"),
                                    .bytes = read_number(text, "bytes_accessed")};
    for (size_t i = 0; i < PS_N_XLA_TEXTS; i++)
        out->texts[i] =
            text_id(arguments, ps_template_string(text, ps_str_from_c(ps_xla_texts[i])));
}

static int64_t number_of(struct number number, struct ps_str template, struct ps_str packed)
{
    const struct ps_num read =
        number.param >= 0 ? ps_args_param(template, packed, number.param) : ps_int(number.value);
    const double value = ps_num_to_real(read);

    if (read.kind == PS_NUM_INT)
        return read.i;
    return read.kind == PS_NUM_REAL && value >= 0 && value < 9e18 ? (int64_t)value : -1;
}

struct ps_xla_call ps_xla_read_call(struct ps_xla_arguments *arguments,
                                    const struct ps_chunk *chunk, uint32_t i)
{
    const int64_t id = ps_chunk_value(chunk, PS_COL_TEMPLATE, i),
                  at = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);
    const struct ps_str packed = at >= 0 && (uint64_t)at <= chunk->args.len
                                     ? ps_str_skip(chunk->args, (size_t)at)
                                     : (struct ps_str){NULL, 0};
    struct ps_xla_template whole, *template = &whole;
    struct ps_str text;

    if (id <= 0 || id > UINT32_MAX)
        return (struct ps_xla_call){.device = -1, .flops = -1, .bytes = -1};
    text =
        id == PS_TEMPLATE_WHOLE ? ps_args_whole(packed) : ps_trace_args_template(arguments->db, id);
    if (id == PS_TEMPLATE_WHOLE) {
        read_template(arguments, text, &whole);
    } else {
        arguments->templates = ps_grow_to(arguments->templates, &arguments->n_templates, (size_t)id,
                                          sizeof *arguments->templates);
        template = &arguments->templates[id];
        if (!template->is_read)
            read_template(arguments, text, template);
    }
    return (struct ps_xla_call){
        .name = template->texts[0],
        .program = template->texts[1],
        .category = template->texts[2],
        .scope = template->texts[3],
        .device = number_of(template->device, text, packed),
        .flops = number_of(template->flops, text, packed),
        .bytes = number_of(template->bytes, text, packed),
    };
}
