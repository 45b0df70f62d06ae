/* SPDX-License-Identifier: MIT */
#include "slices/peaks.h"

#include <string.h>

#define NAME_MAX_BYTES 200

/* Columns of a device with Tensor Cores: their fp64, fp64 and fp32 of the vector units, tf32, fp16
 * and bf16, fp8, int8, GB/s. Torch multiplies fp32 with tf32 only if that is allowed, so the peak
 * of fp32 products is that of tf32: the time at the limit is a lower bound. */
#define NVIDIA(fp64, vector64, fp32, tf32, half, fp8, int8, gbps)                                  \
    {                                                                                              \
        .matrix = {[PS_NUMBER_FP64] = fp64, [PS_NUMBER_FP32] = (tf32) > 0 ? (tf32) : (fp32),       \
                   [PS_NUMBER_FP16] = half, [PS_NUMBER_BF16] = half,                               \
                   [PS_NUMBER_FP8] = fp8,   [PS_NUMBER_INT8] = int8},                              \
        .vector = {[PS_NUMBER_FP64] = vector64,                                                    \
                   [PS_NUMBER_FP32] = fp32,                                                        \
                   [PS_NUMBER_FP16] = fp32,                                                        \
                   [PS_NUMBER_BF16] = fp32},                                                       \
        .bandwidth = gbps                                                                          \
    }
/* matrix fp64, vector fp64, fp32 of vector and matrix units, fp16 and bf16, fp8, int8, GB/s */
#define AMD(fp64, vector64, vector32, fp32, half, fp8, int8, gbps)                                 \
    {                                                                                              \
        .matrix = {[PS_NUMBER_FP64] = fp64, [PS_NUMBER_FP32] = fp32, [PS_NUMBER_FP16] = half,      \
                   [PS_NUMBER_BF16] = half, [PS_NUMBER_FP8] = fp8,   [PS_NUMBER_INT8] = int8},     \
        .vector = {[PS_NUMBER_FP64] = vector64,                                                    \
                   [PS_NUMBER_FP32] = vector32,                                                    \
                   [PS_NUMBER_FP16] = vector32,                                                    \
                   [PS_NUMBER_BF16] = vector32},                                                   \
        .bandwidth = gbps                                                                          \
    }

/* Dense numbers, without sparsity, at boost clock: only devices for which the data sheet, the table
 * of PyTorch and that of TraceLens agree. Others have rates and no percentages. */
static const struct ps_device_peaks devices[] = {
    {"A100 40GB SXM", "a100-sxm4-40gb", "NVIDIA data sheet, as in PyTorch and TraceLens",
     NVIDIA(19.5, 9.7, 19.5, 156, 312, 0, 624, 1555)},
    {"A100 80GB SXM", "a100-sxm4-80gb", "NVIDIA data sheet, as in PyTorch and TraceLens",
     NVIDIA(19.5, 9.7, 19.5, 156, 312, 0, 624, 2039)},
    {"H100 SXM", "h100 80gb hbm3", "NVIDIA data sheet, as in PyTorch and TraceLens",
     NVIDIA(66.9, 33.5, 66.9, 494.7, 989.4, 1978.9, 1978.9, 3350)},
    {"MI300A", "mi300a", "AMD data sheet, as in PyTorch and TraceLens",
     AMD(122.6, 61.3, 122.6, 122.6, 980.6, 1961.2, 1961.2, 5300)},
    {"MI300X", "mi300x", "AMD data sheet, as in PyTorch and TraceLens",
     AMD(163.4, 81.7, 163.4, 163.4, 1307.4, 2614.9, 2614.9, 5300)},
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Whether `name` contains the words, not as a part of longer ones: "l4" is not in "l40". */
static bool has_words(struct ps_str name, struct ps_str words)
{
    const char *end = name.ptr + name.len;

    for (struct ps_str rest = name;;) {
        const char *at = ps_str_find(rest, words);

        if (!at)
            return false;
        if ((at == name.ptr || !is_word(at[-1])) &&
            (at + words.len == end || !is_word(at[words.len])))
            return true;
        rest = (struct ps_str){at + 1, (size_t)(end - at - 1)};
    }
}

const struct ps_device_peaks *ps_peaks_of_device(struct ps_str name)
{
    const struct ps_device_peaks *found = NULL;
    char lower[NAME_MAX_BYTES];
    size_t n = name.len < sizeof lower ? name.len : sizeof lower;
    const struct ps_str text = {lower, n};

    for (size_t i = 0; i < n; i++)
        lower[i] = name.ptr[i] >= 'A' && name.ptr[i] <= 'Z' ? (char)(name.ptr[i] - 'A' + 'a')
                                                            : name.ptr[i];
    if (has_words(text, PS_STR("mig"))) /* a part of a device has a part of its peaks */
        return NULL;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (has_words(text, ps_str_from_c(devices[i].match)) &&
            (!found || strlen(devices[i].match) > strlen(found->match)))
            found = &devices[i];
    return found;
}
