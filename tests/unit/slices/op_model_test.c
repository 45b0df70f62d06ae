/* SPDX-License-Identifier: MIT */
/* FLOPs and bytes of operators, from the texts that torch records; texts that are none; peaks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slices/peaks.h"

static bool cost_of(const char *name, const char *dims, const char *types, const char *values,
                    struct ps_op_cost *out)
{
    struct ps_op_call call;

    return ps_op_call_parse(ps_str_from_c(name), ps_str_from_c(dims), ps_str_from_c(types),
                            ps_str_from_c(values), &call) &&
           ps_op_model(&call, out);
}

static void is_cost(const char *name, const char *dims, const char *types, const char *values,
                    double flops, double bytes)
{
    struct ps_op_cost cost;

    if (!cost_of(name, dims, types, values, &cost))
        fail_msg("no cost of %s %s", name, dims);
    if (cost.flops != flops || cost.bytes != bytes)
        fail_msg("%s %s: %.17g FLOP, %.17g bytes", name, dims, cost.flops, cost.bytes);
}

static void test_products(void **state)
{
    (void)state;
    is_cost("aten::mm", "[[2,3],[3,5]]", "[\"float\",\"float\"]", "[\"\",\"\"]", 60,
            4 * (6 + 15 + 10));
    is_cost("aten::addmm", "[[5],[2,3],[3,5],[],[]]",
            "[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"Scalar\",\"Scalar\"]", "[]", 70,
            2 * (6 + 15 + 10 + 5));
    is_cost("aten::bmm", "[[7,2,3],[7,3,5]]", "[\"double\",\"double\"]", "[]", 420, 7 * 8 * 31);
    is_cost("aten::_scaled_mm", "[[16,32],[32,64]]",
            "[\"c10::Float8_e4m3fn\",\"c10::Float8_e4m3fn\"]", "[]", 2 * 16 * 32 * 64,
            16 * 32 + 32 * 64 + 16 * 64 * 2);
}

static void test_grouped_products(void **state)
{
    static const char *const types = "[\"c10::BFloat16\",\"c10::BFloat16\",\"int\",\"\",\"\"]";
    static const char *const experts = "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\","
                                       "\"float\",\"int\"]";
    struct ps_op_cost cost;

    (void)state;
    /* 4 groups share 24 rows; 24 columns; 24 summed numbers; 4 products of their own */
    is_cost("aten::_grouped_mm", "[[24,8],[4,8,5],[4],[],[]]", types, "[]", 2 * 24 * 8 * 5,
            2 * (24 * 8 + 4 * 8 * 5 + 24 * 5));
    is_cost("aten::_grouped_mm", "[[4,3,8],[8,24],[4],[],[]]", types, "[]", 2 * 3 * 8 * 24,
            2 * (4 * 3 * 8 + 8 * 24 + 3 * 24));
    is_cost("aten::_grouped_mm", "[[3,24],[24,5],[4],[],[]]", types, "[]", 2 * 3 * 24 * 5,
            2 * (3 * 24 + 24 * 5 + 4 * 3 * 5));
    is_cost("aten::_grouped_mm", "[[4,3,8],[4,8,5],[],[],[]]", types, "[]", 4 * 2 * 3 * 8 * 5,
            2 * (4 * 3 * 8 + 4 * 8 * 5 + 4 * 3 * 5));
    is_cost("aten::_scaled_grouped_mm", "[[24,8],[4,8,5],[24],[4,5],[4]]",
            "[\"c10::Float8_e4m3fn\",\"c10::Float8_e4m3fn\",\"float\",\"float\",\"int\"]", "[]",
            2 * 24 * 8 * 5, 24 * 8 + 4 * 8 * 5 + 24 * 5 * 2);
    /* 1 token and 1 of 2 experts: half of the weights; gated, so 6 rows for 3 inner numbers */
    is_cost("vllm::outplace_fused_experts", "[[1,4],[2,6,4],[2,4,3],[1,1],[1,1]]", experts, "[]",
            2 * 4 * (6 + 3), 2 * (6 * 4 + 4 * 3 + 4 + 6 + 3 + 4));
    assert_false(cost_of("vllm::outplace_fused_experts", "[[1,4],[2,7,4],[2,4,3],[1,1],[1,1]]",
                         experts, "[]", &cost));
    assert_false(cost_of("aten::_grouped_mm", "[[24,8],[4,7,5],[4],[],[]]", types, "[]", &cost));
}

static void test_convolutions(void **state)
{
    static const char *const types = "[\"float\",\"float\",\"float\",\"ScalarList\",\"ScalarList\","
                                     "\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\"]";

    (void)state;
    /* 1×3×8×8 and 4 filters of 3×3, padding 1: 4×8×8 results of 27 products */
    is_cost("aten::convolution", "[[1,3,8,8],[4,3,3,3],[4],[],[],[],[],[],[]]", types,
            "[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
            2 * 27 * 256 + 256, 4 * (192 + 108 + 256 + 4));
    /* stride 2 without padding: 3×3 results */
    is_cost("aten::convolution", "[[1,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]]",
            "[\"float\",\"float\",\"\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\","
            "\"ScalarList\",\"Scalar\"]",
            "[\"\",\"\",\"\",\"[2, 2]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
            2 * 27 * 36, 4 * (192 + 108 + 36));
}

static void test_attention(void **state)
{
    static const char *const dims = "[[1,8,141,64],[1,8,141,64],[1,8,141,64],[],[],[],[]]",
                             *const types =
                                 "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\","
                                 "\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\"]";
    static const double whole = 2.0 * 8 * 141 * 141 * 128, bytes = 2.0 * 4 * 141 * 8 * 64;

    (void)state;
    is_cost("aten::_scaled_dot_product_flash_attention", dims, types,
            "[\"\",\"\",\"\",\"0.\",\"False\",\"False\",\"0.125\"]", whole, bytes);
    is_cost("aten::_scaled_dot_product_flash_attention", dims, types,
            "[\"\",\"\",\"\",\"0.\",\"True\",\"False\",\"0.125\"]", whole / 2, bytes);
}

static void test_paged_attention(void **state)
{
    struct ps_serving_step step;
    struct ps_op_call call;
    struct ps_op_cost cost;

    (void)state;
    assert_true(
        ps_op_call_parse(PS_STR("aiter::mha_batch_prefill"),
                         PS_STR("[[15360,32,128],[835874,8,128],[835874,8,128],[16]]"),
                         PS_STR("[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"int\"]"),
                         PS_STR(""), &call));
    assert_false(ps_op_model(&call, &cost)); /* the shapes do not say how long the requests are */
    assert_true(ps_serving_step_parse(
        PS_STR("execute_15360_context_15(sq15360sk15360sqsq15728640sqsk15728640)"
               "_generation_0(sq0sk0sqsq0sqsk0)"),
        &step));
    assert_true(ps_op_paged_attention(&call, &step, &cost));
    assert_true(cost.flops == 128849018880.0 && cost.bytes == 300.0 * 1024 * 1024);
    assert_true(ps_serving_step_parse(PS_STR("execute_context_2(6)_generation_0(0)"), &step));
    assert_false(ps_op_paged_attention(&call, &step, &cost));
}

static void test_elementwise_and_norms(void **state)
{
    (void)state;
    is_cost("aten::add", "[[4,1],[3],[]]", "[\"float\",\"float\",\"Scalar\"]", "[]", 12,
            4 * (4 + 3 + 12));
    is_cost("aten::mul", "[[8],[]]", "[\"c10::Half\",\"double\"]", "[]", 8, 8 * 2 + 8 + 8 * 2);
    is_cost("aten::sum", "[[8,16],[],[],[]]", "[\"float\",\"ScalarList\",\"Scalar\",\"\"]",
            "[\"\",\"[0]\",\"False\",\"\"]", 128, 4 * (128 + 16));
    is_cost("aten::native_layer_norm", "[[1,141,512],[],[512],[512],[]]",
            "[\"c10::BFloat16\",\"ScalarList\",\"c10::BFloat16\",\"c10::BFloat16\",\"Scalar\"]",
            "[\"\",\"[512]\",\"\",\"\",\"1e-5\"]", 364032, 294912);
}

static void test_what_has_no_cost(void **state)
{
    static const struct {
        const char *name, *dims, *types;
    } rows[] = {
        {"aten::mm", "", ""},
        {"aten::mm", "[]", "[]"},
        {"aten::mm", "[[2,3],[4,5]]", "[\"float\",\"float\"]"},
        {"aten::mm", "[[2,3],[3,5", "[\"float\",\"float\"]"},
        {"aten::mm", "[[-2,3],[3,5]]", "[\"float\",\"float\"]"},
        {"aten::mm", "[[99999999999999999999,3],[3,5]]", "[\"float\",\"float\"]"},
        {"aten::mm", "[[[2,3],[3,5]],[3,5]]", "[\"TensorList\",\"float\"]"},
        {"aten::mm", "{\"a\":1}", "[\"float\"]"},
        {"aten::convolution", "[[1,3,8,8],[4,3,3,3]]", "[\"float\",\"float\"]"},
        {"aten::add", "[[4],[3]]", "[\"float\",\"float\"]"},
        {"aten::add", "[[4]]", "[\"float\"]"},
        {"aten::view", "[[4]]", "[\"float\"]"},
    };
    struct ps_op_cost cost;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_false(cost_of(rows[i].name, rows[i].dims, rows[i].types, "", &cost));
    /* a type that is not known: operations, but no bytes */
    assert_true(cost_of("aten::mm", "[[2,3],[3,5]]", "[\"c10::complex\",\"float\"]", "", &cost));
    assert_true(cost.flops == 60 && isnan(cost.bytes));
}

static void test_peaks(void **state)
{
    static const struct {
        const char *device, *name;
    } rows[] = {
        {"NVIDIA H100 80GB HBM3", "H100 SXM"},
        {"NVIDIA A100-SXM4-80GB", "A100 80GB SXM"},
        {"NVIDIA A100-SXM4-40GB", "A100 40GB SXM"},
        {"AMD Instinct MI300X OAM", "MI300X"},
        {"AMD Instinct MI300A", "MI300A"},
        {"NVIDIA A100-PG509-200", NULL},
        {"NVIDIA H200", NULL}, /* not compared */
        {"NVIDIA H100 NVL", NULL},
        {"NVIDIA A100-SXM4-80GB MIG 1g.10gb", NULL},
        {"NVIDIA GeForce RTX 4090", NULL},
        {"", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ps_device_peaks *found = ps_peaks_of_device(ps_str_from_c(rows[i].device));

        if (!rows[i].name)
            assert_null(found);
        else if (!found)
            fail_msg("no peaks of %s", rows[i].device);
        else
            assert_string_equal(found->name, rows[i].name);
    }
    /* fp64: Tensor Cores are twice as fast as the vector units */
    {
        const struct ps_peaks *a100 = &ps_peaks_of_device(PS_STR("NVIDIA A100-SXM4-80GB"))->peaks;

        assert_true(a100->matrix[PS_NUMBER_FP64] == 19.5 && a100->vector[PS_NUMBER_FP64] == 9.7);
    }
}

int op_model_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),         cmocka_unit_test(test_grouped_products),
        cmocka_unit_test(test_convolutions),     cmocka_unit_test(test_attention),
        cmocka_unit_test(test_paged_attention),  cmocka_unit_test(test_elementwise_and_norms),
        cmocka_unit_test(test_what_has_no_cost), cmocka_unit_test(test_peaks),
    };

    return cmocka_run_group_tests_name("op_model", tests, NULL, NULL);
}
