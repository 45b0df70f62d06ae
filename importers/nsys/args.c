/* SPDX-License-Identifier: MIT */
/* args.c: builds arguments in the form in which they are stored (slices/args.h). */
#include "importers/nsys/nsys.h"

#include "base/json_out.h"

void ns_args_clear(struct ns_args *args)
{
    args->text.len = args->params.len = 0;
}

static void key_of(struct ns_args *args, const char *key)
{
    ps_buf_puts(&args->text, args->text.len ? ",\"" : "{\"");
    ps_buf_puts(&args->text, key);
    ps_buf_puts(&args->text, "\":");
}

static void put_int(struct ns_args *args, int64_t value)
{
    ps_buf_add(&args->text, &(char){PS_TEMPLATE_INT}, 1);
    ps_args_put_int(&args->params, value);
}

void ns_arg_int(struct ns_args *args, const char *key, int64_t value)
{
    key_of(args, key);
    put_int(args, value);
}

/* Appends a number with two decimals, limited to 1e15 so that it fits into 64 bits. */
static void put_decimal(struct ns_args *args, double value)
{
    value = value > 1e15 ? 1e15 : value > -1e15 ? value : -1e15;
    ps_buf_add(&args->text, &(char){PS_TEMPLATE_DECIMAL}, 1);
    ps_args_put_decimal(&args->params, (int64_t)(value * 100 + (value < 0 ? -0.5 : 0.5)), 2);
}

void ns_arg_decimal(struct ns_args *args, const char *key, double value)
{
    key_of(args, key);
    put_decimal(args, value);
}

void ns_arg_word(struct ns_args *args, const char *key, struct ps_str word)
{
    struct ps_json json = ps_json_to(&args->text);

    if (!word.len)
        return;
    key_of(args, key);
    ps_json_str(&json, word);
}

void ns_arg_column(struct ns_args *args, const char *key, const struct ps_rows *rows, size_t column)
{
    struct ps_num value = ps_rows_num(rows, column);

    if (value.kind == PS_NUM_INT)
        ns_arg_int(args, key, value.i);
    else if (value.kind == PS_NUM_REAL)
        ns_arg_decimal(args, key, value.r);
}

void ns_arg_number(struct ns_args *args, struct ps_str key, struct ps_num value)
{
    struct ps_json json = ps_json_to(&args->text);

    ps_buf_puts(&args->text, args->text.len ? "," : "{");
    ps_json_str(&json, key);
    ps_buf_puts(&args->text, ":");
    if (value.kind == PS_NUM_INT)
        put_int(args, value.i);
    else
        put_decimal(args, ps_num_real(value));
}

void ns_arg_three(struct ns_args *args, const char *key, const struct ps_rows *rows, size_t first)
{
    int64_t value[3];

    for (size_t i = 0; i < 3; i++)
        if (!ps_rows_int(rows, first + i, &value[i]))
            return;
    key_of(args, key);
    for (size_t i = 0; i < 3; i++) {
        ps_buf_puts(&args->text, i ? "," : "[");
        put_int(args, value[i]);
    }
    ps_buf_puts(&args->text, "]");
}

void ns_args_free(struct ns_args *args)
{
    ps_buf_free(&args->text);
    ps_buf_free(&args->params);
}
