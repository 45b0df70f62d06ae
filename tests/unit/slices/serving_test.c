/* SPDX-License-Identifier: MIT */
/* The names of the steps of serving engines, as the engines write them, and names that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slices/serving.h"

static struct ps_serving_step parse(const char *name)
{
    struct ps_serving_step step;

    assert_true(ps_serving_step_parse(ps_str_from_c(name), &step));
    return step;
}

static void is_group(struct ps_serving_group group, int64_t requests, int64_t tokens,
                     int64_t context)
{
    assert_int_equal(group.requests, requests);
    assert_int_equal(group.tokens, tokens);
    assert_int_equal(group.context, context);
}

static void is_step(struct ps_serving_step step, enum ps_phase phase, int64_t requests,
                    int64_t tokens)
{
    assert_string_equal(ps_phase_name(step.phase), ps_phase_name(phase));
    assert_int_equal(step.requests, requests);
    assert_int_equal(step.tokens, tokens);
}

static void test_vllm(void **state)
{
    struct ps_serving_step step = parse("execute_context_2(6144)_generation_3(3)");

    (void)state;
    assert_string_equal(ps_engine_name(step.engine), "vLLM");
    is_step(step, PS_PHASE_MIXED, 5, 6147);
    is_group(step.prefill, 2, 6144, -1);
    is_group(step.decode, 3, 3, -1);
    assert_false(step.is_detailed);
    /* speculative decoding: more tokens than requests */
    is_step(parse("execute_context_0(0)_generation_32(128)"), PS_PHASE_DECODE, 32, 128);
    is_step(parse("execute_context_0(0)_generation_0(0)"), PS_PHASE_IDLE, 0, 0);

    step = parse("execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)"
                 "_generation_3(sq3sk6144sqsq3sqsk6144)");
    assert_true(step.is_detailed);
    is_step(step, PS_PHASE_MIXED, 5, 6147);
    is_group(step.prefill, 2, 6144, 7144);
    assert_int_equal(step.prefill.tokens_squared, 20971520);
    assert_int_equal(step.prefill.tokens_by_context, 23019520);
    is_group(step.decode, 3, 3, 6144);

    step = parse("execute_new_2_cached_30");
    is_step(step, PS_PHASE_MIXED, 32, -1);
    assert_true(step.is_assumed);
    is_step(parse("execute_new_0_cached_30"), PS_PHASE_DECODE, 30, -1);
}

static void test_sglang(void **state)
{
    struct ps_serving_step step = parse("step[EXTEND bs=2 toks=14721]");

    (void)state;
    assert_string_equal(ps_engine_name(step.engine), "SGLang");
    is_step(step, PS_PHASE_PREFILL, 2, 14721);
    is_group(step.prefill, 2, 14721, -1);
    is_group(step.decode, 0, 0, 0);
    is_step(parse("step[DECODE bs=64]"), PS_PHASE_DECODE, 64, 64);
    is_step(parse("step[MIXED bs=2]"), PS_PHASE_MIXED, 2, -1);
    is_step(parse("step[IDLE bs=0]"), PS_PHASE_IDLE, 0, 0);
    is_step(parse("step[TARGET_VERIFY bs=8]"), PS_PHASE_DECODE, 8, -1);
    is_step(parse("step[SOMETHING_NEW bs=8]"), PS_PHASE_UNKNOWN, 8, -1);

    step = parse("step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]");
    assert_true(step.is_detailed);
    is_step(step, PS_PHASE_DECODE, 64, 128);
    is_group(step.decode, 64, 128, 131072);
    step = parse("step[MIXED bs=5 c=2 g=3 c_sq=6144 c_sk=7144 c_sqsq=20971520 "
                 "c_sqsk=23019520 g_sq=3 g_sk=6144 g_sqsq=3 g_sqsk=6144]");
    is_step(step, PS_PHASE_MIXED, 5, 6147);
    is_group(step.prefill, 2, 6144, 7144);
    is_group(step.decode, 3, 3, 6144);
    step = parse("step[MIXED bs=1 c=1 g=0 c_sq=3 c_sk=3 c_sqsq=9 c_sqsk=9 g_sq=0 g_sk=0 g_sqsq=0 "
                 "g_sqsk=0]");
    is_step(step, PS_PHASE_PREFILL, 1, 3);
}

static void test_atom(void **state)
{
    struct ps_serving_step step = parse("prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3 "
                                        "sqsq=59768832 sqsk=59768832 sk=17408 tbo=1]");

    (void)state;
    assert_string_equal(ps_engine_name(step.engine), "ATOM");
    is_step(step, PS_PHASE_PREFILL, 6, 17408);
    is_group(step.prefill, 6, 17408, 17408);
    step = parse("decode[bs=117/128 tok=117 d=117]");
    is_step(step, PS_PHASE_DECODE, 117, 117);
    assert_int_equal(step.padded, 128);
    assert_false(step.is_detailed);
    step = parse("decode[bs=128 tok=384 p=2 d=126 sqsq=132612 sqsk=1114112 sk=258048 tbo=1]");
    is_step(step, PS_PHASE_MIXED, 128, 384);
    is_group(step.prefill, 2, -1, -1);
    is_group(step.decode, 126, -1, -1);
    assert_int_equal(step.padded, -1);
}

static void test_tensorrt_llm(void **state)
{
    struct ps_serving_step step = parse("[Executor] _forward_step 7: 1 ctx reqs, 8000 ctx tokens, "
                                        "31 gen reqs");

    (void)state;
    assert_string_equal(ps_engine_name(step.engine), "TensorRT-LLM");
    is_step(step, PS_PHASE_MIXED, 32, -1);
    is_group(step.prefill, 1, 8000, -1);
    is_step(parse("[Executor] _forward_step: 0 ctx reqs, 32 gen reqs"), PS_PHASE_DECODE, 32, -1);
    is_step(parse("[Executor] _forward_step 3: 4 ctx reqs, 0 gen reqs"), PS_PHASE_PREFILL, 4, -1);
}

static void test_megatron(void **state)
{
    (void)state;
    assert_string_equal(ps_engine_name(parse("Decode").engine), "Megatron Core");
    is_step(parse("Prefill"), PS_PHASE_PREFILL, -1, -1);
    is_step(parse("Decode"), PS_PHASE_DECODE, -1, -1);
}

static void test_generate(void **state)
{
    struct ps_serving_step step = parse("generate[prefill bs=2 tok=60]");

    (void)state;
    assert_string_equal(ps_engine_name(step.engine), "transformers");
    is_step(step, PS_PHASE_PREFILL, 2, 60);
    is_group(step.prefill, 2, 60, -1);
    is_group(step.decode, 0, 0, 0);
    assert_false(step.is_detailed);
    is_step(parse("generate[decode]"), PS_PHASE_DECODE, -1, -1);
}

static void test_other_names(void **state)
{
    static const char *const names[] = {
        "",
        "execute_",
        "execute_context_2",
        "execute_context_2(6144)_generation_3(",
        "execute_context_x(1)_generation_3(3)",
        "execute_context_1234567890123456789(1)_generation_0(0)",
        "execute_6147_context_2(sq6144sk7144)_generation_3(sq3sk6144sqsq3sqsk6144)",
        "execute_diffusion_1_1024x1024",
        "step[",
        "step[EXTEND]",
        "step[EXTEND toks=3]",
        "step[EXTEND bs=2 toks=14721",
        "decode[tok=1 d=1]",
        "decode[bs=1 d=1]",
        "decode",
        "prefill[0]",
        "[Executor] _forward_step 7",
        "[Executor] _forward_step 7: 1 ctx reqs",
        "ProfilerStep#7",
        "capture_32_FULL",
        "Decoder",
        "decode_tokens",
        "generate[prefill",
        "generate[train bs=2]",
    };
    struct ps_serving_step step;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(ps_serving_step_parse(ps_str_from_c(names[i]), &step));
}

int serving_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vllm),        cmocka_unit_test(test_sglang),
        cmocka_unit_test(test_atom),        cmocka_unit_test(test_tensorrt_llm),
        cmocka_unit_test(test_megatron),    cmocka_unit_test(test_generate),
        cmocka_unit_test(test_other_names),
    };

    return cmocka_run_group_tests_name("serving", tests, NULL, NULL);
}
