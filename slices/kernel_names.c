/* SPDX-License-Identifier: MIT */
#include "slices/kernel_names.h"

#define FUNCTION_MAX 512

/* Copies the name of the function, in lower case and without template arguments and parameters. The
 * name can contain "(anonymous namespace)::" or "<unnamed>::". */
static struct ps_str function_of(struct ps_str name, char out[FUNCTION_MAX])
{
    const struct ps_str scopes[] = {PS_STR("(anonymous namespace)::"), PS_STR("<unnamed>::")};
    size_t n = 0;

    while (name.len && n < FUNCTION_MAX) {
        char c;

        for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
            if (ps_str_starts_with(name, scopes[i]))
                name = ps_str_skip(name, scopes[i].len);
        if (!name.len || *name.ptr == '<' || *name.ptr == '(')
            break;
        c = *name.ptr;
        out[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        name = ps_str_skip(name, 1);
    }
    return (struct ps_str){out, n};
}

static bool contains_one(struct ps_str name, const char *const *words)
{
    for (; *words; words++)
        if (ps_str_find(name, ps_str_from_c(*words)))
            return true;
    return false;
}

/*
 * In the name of the function, in lower case. Where the names are from:
 *   nccl, rccl, mscclKernel  NCCL, RCCL and MSCCL: ncclDevKernel_AllReduce_Sum_f32_RING_LL,
 *                            ncclSymkDevKernel_AllGather_LL, mscclKernel_Sum_half_LL
 *   multimem_, all_reduce    symmetric memory of PyTorch: multimem_one_shot_reduce_kernel,
 *                            two_shot_all_reduce_kernel_inplace
 *   allreduce                TensorRT-LLM, FlashInfer, QuickReduce: oneShotAllReduceKernel,
 *                            allreduce_fusion_kernel_oneshot_lamport, allreduce_prototype_twoshot
 *   cross_device_reduce      custom all-reduce of vLLM, SGLang and aiter
 *   nvshmem, deep_ep::       NVSHMEM; dispatch and combine of DeepEP
 */
bool ps_kernel_is_collective(struct ps_str name)
{
    static const char *const words[] = {
        "nccl",          "rccl",       "msccl",
        "hccl",          "oneccl",     "multimem_",
        "all_reduce",    "allreduce",  "all_gather",
        "allgather",     "all_to_all", "reduce_scatter",
        "reducescatter", "alltoall",   "cross_device_reduce",
        "nvshmem",       "deep_ep::",  NULL,
    };
    char function[FUNCTION_MAX];

    return contains_one(function_of(name, function), words);
}

/*
 * The TensorBoard plugin only has a list of kernels that use Tensor Cores, which ends with Ampere
 * and contains xmma_gemm. Some of these kernels, named ffma, multiply in float32 without them.
 */
enum ps_tensor_cores ps_kernel_tensor_cores(struct ps_str name)
{
    static const char *const used[] = {
        "h884", "s884", "h1688", "s1688", "hmma", "i8816", "16816", "dgrad_1x1_stride_2x2",
        "first_layer_wgrad_kernel", "conv1x1", "conv2d_c1_k1", "direct_group", "xmma_implicit_gemm",
        "xmma_sparse_conv", "xmma_warp_specialized_implicit_gemm", "xmma_gemm", "xmma_sparse_gemm",
        "c1688",
        /* Not in that list: the label of xmma_fprop_implicit_gemm, CUTLASS, Hopper, Blackwell,
         * FlashAttention 2 and 3. */
        "_tensor16x8x", "tensorop", "OpClassTensorOp", "gmma", "sm90_xmma", "cutlass3x_sm90",
        "sm100_xmma", "cutlass3x_sm100", "nvjet", "flash_fwd_kernel", "flash_fwd_splitkv_kernel",
        "flash_bwd_dq_dk_dv_loop", "FlashAttnFwdSm90", "FlashAttnBwdSm90", NULL};
    /* cuBLAS, cuDNN and CUTLASS: multiplication in float32 on CUDA cores */
    static const char *const unused[] = {"_ffma_", "_simt_", "OpClassSimt",
                                         "sgemm",  "scudnn", NULL};
    /* in the name of the function, in lower case: PyTorch and TorchInductor without their matrix
     * products, CUB, cuDNN */
    static const char *const none[] = {"at::native::",
                                       "elementwise_kernel",
                                       "reduce_kernel",
                                       "splitkreduce_kernel",
                                       "gemv",
                                       "triton_poi_",
                                       "triton_red_",
                                       "triton_per_",
                                       "cub::",
                                       "thrust::",
                                       "nchwtonhwc",
                                       "nhwctonchw",
                                       "cudnn::bn_",
                                       "multi_tensor_apply",
                                       NULL};
    char buf[FUNCTION_MAX];
    struct ps_str function = function_of(name, buf);

    if (contains_one(name, unused))
        return PS_TENSOR_CORES_UNUSED;
    if (contains_one(name, used))
        return PS_TENSOR_CORES_USED;
    if (ps_kernel_is_collective(name))
        return PS_TENSOR_CORES_NONE;
    /* at::native::tinygemm_m16n8k16_chunk_kernel uses them */
    return contains_one(function, none) && !ps_str_find(function, PS_STR("gemm"))
               ? PS_TENSOR_CORES_NONE
               : PS_TENSOR_CORES_UNKNOWN;
}
