/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "slices/kernel_names.h"

/* Names as traces have them, of each library. */
static void test_collectives(void **state)
{
    static const char *const yes[] = {
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
        "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclSymDevKernel_AllReduce_RSxLD_AGxST_sum_bf16(ncclSymDevArgs)",
        "ncclSymkDevKernel_ReduceScatter_LDMC_sum_bf16(ncclSymkDevWorkArgs4K)",
        "void ncclKernel_Generic<false>(ncclDevComm*)",
        "mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)",
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
        "void <unnamed>::multimem_one_shot_reduce_kernel<c10::BFloat16, (int)16>(...)",
        "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, 2>(int)",
        "void c10d::intra_node_comm::hybridCubeMeshAllReduceKernel<4u, true>(int)",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
        "void sglang::cross_device_reduce_2stage<__half, 8>(sglang::RankData*)",
        "void aiter::cross_device_reduce_2stage<__hip_bfloat16, 8, false>(int)",
        "void quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot<__half>, __half>(int)",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(int)",
        "void tensorrt_llm::kernels::twoShotAllReduceKernel<__half, 8>(int)",
        "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(int)",
        "nvshmemi_alltoall_on_stream_kernel",
    };
    static const char *const no[] = {
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(int)",
        "void softmax_kernel<BlockAllReduce<float> >(float*)", /* within a block */
        "void fused_kernel(ncclDevComm*)",
        "Memcpy PtoP (Device -> Device)",
        "vectorized_gather_kernel",
        "",
        "<",
    };

    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!ps_kernel_is_collective(ps_str_from_c(yes[i])))
            fail_msg("not a collective: %s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (ps_kernel_is_collective(ps_str_from_c(no[i])))
            fail_msg("a collective: %s", no[i]);
}

static void test_tensor_cores(void **state)
{
    static const struct {
        enum ps_tensor_cores use;
        const char *name;
    } known[] = {
        {PS_TENSOR_CORES_USED, "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_tn"},
        {PS_TENSOR_CORES_USED, "volta_h884gemm_64x64_nn"},
        {PS_TENSOR_CORES_USED,
         "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn>(int)"},
        {PS_TENSOR_CORES_USED, "nvjet_tst_64x16_64x16_2x4_2cta_h_bz_bias_TNT"},
        {PS_TENSOR_CORES_USED,
         "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64> >(int)"},
        {PS_TENSOR_CORES_UNUSED, "volta_sgemm_128x64_nn"},
        {PS_TENSOR_CORES_UNUSED, "maxwell_scudnn_winograd_128x128_ldg1_ldg4_tile148n_nt"},
        {PS_TENSOR_CORES_UNUSED, "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_ffma_a"},
        {PS_TENSOR_CORES_NONE, "void at::native::vectorized_elementwise_kernel<4, gelu>(int)"},
        {PS_TENSOR_CORES_NONE, "void gemv2T_kernel_val<int, int, float, float, float>(int)"},
        {PS_TENSOR_CORES_NONE, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)"},
        {PS_TENSOR_CORES_NONE, "triton_poi_fused_add_0"},
        {PS_TENSOR_CORES_UNKNOWN,
         "bmm_MxE4m3_MxE2m1MxE4m3_Fp32_bA32_bB32_t128x8x512u2_s4_et128x8_m128x8x32_sm100f"},
        {PS_TENSOR_CORES_UNKNOWN, "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128"},
        {PS_TENSOR_CORES_UNKNOWN, "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64"},
        {PS_TENSOR_CORES_UNKNOWN,
         "void at::native::(anonymous namespace)::tinygemm_m16n8k16_chunk_kernel<4>(int)"},
        {PS_TENSOR_CORES_UNKNOWN, "triton_tem_fused_mm_3"},
        {PS_TENSOR_CORES_UNKNOWN, "Kernel"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        enum ps_tensor_cores use = ps_kernel_tensor_cores(ps_str_from_c(known[i].name));

        if (use != known[i].use)
            fail_msg("%d: %s", (int)use, known[i].name);
    }
}

int kernel_names_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_tensor_cores),
    };

    return cmocka_run_group_tests_name("kernel_names", tests, NULL, NULL);
}
