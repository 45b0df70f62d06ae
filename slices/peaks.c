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

/* Dense numbers, without sparsity, at boost clock, from the data sheets and white papers of the
 * vendors as they were in November 2026 (PS_PEAKS_DATE). */
static const struct ps_device_peaks devices[] = {
    {"V100 SXM2",
     "v100-sxm2",
     "NVIDIA data sheet",
     {.matrix = {[PS_NUMBER_FP64] = 7.8, [PS_NUMBER_FP32] = 15.7, [PS_NUMBER_FP16] = 125},
      .vector = {[PS_NUMBER_FP64] = 7.8, [PS_NUMBER_FP32] = 15.7, [PS_NUMBER_FP16] = 15.7},
      .bandwidth = 900}},
    {"T4", "tesla t4", "NVIDIA data sheet", NVIDIA(0.25, 0.25, 8.1, 0, 65, 0, 130, 320)},
    {"A10", "nvidia a10", "NVIDIA data sheet", NVIDIA(0, 0, 31.2, 62.5, 125, 0, 250, 600)},
    {"A10G", "a10g", "NVIDIA data sheet", NVIDIA(0, 0, 31.2, 35, 70, 0, 140, 600)},
    {"A30", "a30", "NVIDIA data sheet", NVIDIA(10.3, 5.2, 10.3, 82, 165, 0, 330, 933)},
    {"A40", "a40", "NVIDIA data sheet", NVIDIA(0, 0, 37.4, 74.8, 149.7, 0, 299, 696)},
    {"RTX A6000", "rtx a6000", "NVIDIA data sheet", NVIDIA(0, 0, 38.7, 77.4, 154.8, 0, 310, 768)},
    {"A100 40GB", "a100-sxm4-40gb", "NVIDIA data sheet",
     NVIDIA(19.5, 9.7, 19.5, 156, 312, 0, 624, 1555)},
    {"A100 40GB PCIe", "a100-pcie-40gb", "NVIDIA data sheet",
     NVIDIA(19.5, 9.7, 19.5, 156, 312, 0, 624, 1555)},
    {"A100 80GB SXM", "a100-sxm4-80gb", "NVIDIA data sheet",
     NVIDIA(19.5, 9.7, 19.5, 156, 312, 0, 624, 2039)},
    {"A100 80GB PCIe", "a100 80gb pcie", "NVIDIA data sheet",
     NVIDIA(19.5, 9.7, 19.5, 156, 312, 0, 624, 1935)},
    {"L4", "nvidia l4", "NVIDIA data sheet", NVIDIA(0.5, 0.5, 30.3, 60, 121, 242, 242, 300)},
    {"L40", "nvidia l40", "NVIDIA data sheet", NVIDIA(0, 0, 90.5, 90.5, 181, 362, 362, 864)},
    {"L40S", "l40s", "NVIDIA data sheet", NVIDIA(0, 0, 91.6, 183, 366, 733, 733, 864)},
    {"RTX 3090", "rtx 3090", "NVIDIA data sheet", NVIDIA(0, 0, 35.6, 35.6, 71, 0, 284, 936)},
    {"RTX 4090", "rtx 4090", "NVIDIA data sheet", NVIDIA(0, 0, 82.6, 82.6, 165, 330, 661, 1008)},
    {"RTX 5090", "rtx 5090", "NVIDIA data sheet",
     NVIDIA(0, 0, 104.8, 104.8, 209.5, 419, 838, 1792)},
    {"H100 SXM", "h100 80gb hbm3", "NVIDIA data sheet",
     NVIDIA(66.9, 33.5, 66.9, 494.7, 989.4, 1978.9, 1978.9, 3350)},
    {"H100 PCIe", "h100 pcie", "NVIDIA data sheet",
     NVIDIA(51.2, 25.6, 51.2, 378, 756, 1513, 1513, 2000)},
    {"H100 NVL", "h100 nvl", "NVIDIA data sheet", NVIDIA(60, 30, 60, 418, 835, 1671, 1671, 3900)},
    {"H200 SXM", "h200", "NVIDIA data sheet",
     NVIDIA(66.9, 33.5, 66.9, 494.7, 989.4, 1978.9, 1978.9, 4800)},
    {"H20", "nvidia h20", "NVIDIA data sheet", NVIDIA(1, 1, 44, 74, 148, 296, 296, 4000)},
    {"B200", "b200", "NVIDIA data sheet", NVIDIA(37, 37, 75, 1100, 2250, 4500, 4500, 8000)},
    {"GB200", "gb200", "NVIDIA data sheet", NVIDIA(40, 40, 80, 1250, 2500, 5000, 5000, 8000)},
    {"MI100",
     "mi100",
     "AMD data sheet",
     {.matrix = {[PS_NUMBER_FP64] = 11.5,
                 [PS_NUMBER_FP32] = 46.1,
                 [PS_NUMBER_FP16] = 184.6,
                 [PS_NUMBER_BF16] = 92.3,
                 [PS_NUMBER_INT8] = 184.6},
      .vector = {[PS_NUMBER_FP64] = 11.5,
                 [PS_NUMBER_FP32] = 23.1,
                 [PS_NUMBER_FP16] = 23.1,
                 [PS_NUMBER_BF16] = 23.1},
      .bandwidth = 1229}},
    {"MI210", "mi210", "AMD data sheet", AMD(45.3, 22.6, 22.6, 45.3, 181, 0, 181, 1638)},
    {"MI300A", "mi300a", "AMD data sheet",
     AMD(122.6, 61.3, 122.6, 122.6, 980.6, 1961.2, 1961.2, 5300)},
    {"MI300X", "mi300x", "AMD data sheet",
     AMD(163.4, 81.7, 163.4, 163.4, 1307.4, 2614.9, 2614.9, 5300)},
    {"MI325X", "mi325x", "AMD data sheet",
     AMD(163.4, 81.7, 163.4, 163.4, 1307.4, 2614.9, 2614.9, 6000)},
    {"MI350X", "mi350x", "AMD data sheet", AMD(72.1, 72.1, 144.2, 144.2, 2309.6, 4614, 4614, 8000)},
    {"MI355X", "mi355x", "AMD data sheet", AMD(78.6, 78.6, 157.3, 157.3, 2516, 5033, 5033, 8000)},
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

/* Words of names of other devices with the name of one of the table in them: they have other peaks,
 * and a part of a device (MIG) has a part of them. */
static const char *const variants[] = {"nvl",    "ti",    "super",  "d",
                                       "laptop", "max-q", "mobile", "mig"};

static bool is_variant(struct ps_str name, const char *match)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct ps_str word = ps_str_from_c(variants[i]);

        if (has_words(name, word) && !has_words(ps_str_from_c(match), word))
            return true;
    }
    return false;
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
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (has_words(text, ps_str_from_c(devices[i].match)) &&
            !is_variant(text, devices[i].match) &&
            (!found || strlen(devices[i].match) > strlen(found->match)))
            found = &devices[i];
    return found;
}
