/* SPDX-License-Identifier: MIT */
#include "importers/measurements/measure_document.h"

#include <math.h>

#include "importers/document.h"
#include "importers/reading.h"

enum ps_status ps_measurement_read_document(struct ps_stream *in, struct ps_sink *out,
                                            uint64_t most,
                                            enum ps_status (*read)(void *data, const cJSON *root,
                                                                   struct ps_err *err),
                                            void *data, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    enum ps_status status = ps_read_whole(in, most, "document", &bytes, out, err);
    cJSON *root;

    if (status != PS_OK)
        return status;
    root = ps_document_parse_any(&bytes, err);
    if (!root)
        return err->code;
    status = read(data, root, err);
    cJSON_Delete(root);
    return status;
}

uint64_t ps_measurement_add_samples(struct ps_measurement_builder *m, const cJSON *array,
                                    double divisor)
{
    uint64_t odd = 0;
    const cJSON *value;

    cJSON_ArrayForEach(value, array)
    {
        if (cJSON_IsNumber(value) && isfinite(value->valuedouble))
            ps_measurement_add_sample(m, value->valuedouble / divisor);
        else
            odd += !cJSON_IsNull(value);
    }
    return odd;
}

void ps_measurement_parse_statistics(struct ps_measurement *row, const cJSON *object,
                                     const struct ps_measurement_keys *keys, double divisor)
{
    const struct {
        const char *key;
        struct ps_num *value;
    } all[] = {{keys->mean, &row->mean}, {keys->median, &row->median}, {keys->stddev, &row->stddev},
               {keys->min, &row->min},   {keys->max, &row->max},       {keys->q1, &row->q1},
               {keys->q3, &row->q3}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct ps_num value = all[i].key ? ps_document_number(object, all[i].key) : PS_NO_NUM;

        if (value.kind == PS_NUM_REAL)
            *all[i].value = ps_real(value.r / divisor);
    }
    if (keys->n)
        row->n = ps_document_count(object, keys->n);
    row->value = row->mean;
}

void ps_measurement_add_numbers(struct ps_measurement_builder *m, const cJSON *object,
                                const char *const *keys, size_t n, double divisor)
{
    for (size_t i = 0; i < n; i++) {
        struct ps_num value = ps_document_count(object, keys[i]);

        if (divisor != 1 && value.kind != PS_NUM_NONE)
            value = ps_real(ps_num_to_real(value) / divisor);
        ps_measurement_add_number(m, keys[i], value);
    }
}

struct ps_str ps_measurement_text_of(struct ps_measurement_builder *m, const cJSON *value)
{
    struct ps_str text = ps_document_text_of(&m->arena, value);
    char *json;

    if (text.ptr || !value || cJSON_IsNull(value))
        return text;
    json = cJSON_PrintUnformatted(value);
    if (!json)
        return text;
    text = ps_measurement_display(m, ps_str_from_c(json));
    cJSON_free(json);
    return text;
}

void ps_measurement_add_parameter_of(struct ps_measurement_builder *m, struct ps_str name,
                                     const cJSON *value)
{
    struct ps_num number = ps_document_count_of(value);

    ps_measurement_add_parameter(m, name, number,
                                 number.kind != PS_NUM_NONE ? PS_STR("")
                                 : cJSON_IsNull(value)      ? PS_STR("null")
                                                            : ps_measurement_text_of(m, value));
}

void ps_measurement_add_parameters(struct ps_measurement_builder *m, const cJSON *object)
{
    const cJSON *value;

    if (!cJSON_IsObject(object))
        return;
    cJSON_ArrayForEach(value, object)
        ps_measurement_add_parameter_of(m, ps_str_from_c(value->string), value);
}

void ps_measurement_write_meta(struct ps_measurement_builder *m, const cJSON *object,
                               const char *from, const char *key)
{
    struct ps_str text = ps_document_text(&m->arena, object, from);

    if (text.len)
        ps_sink_meta(m->out, key, text);
}
