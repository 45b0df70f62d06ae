/* SPDX-License-Identifier: MIT */
/*
 * fuzz_slices.c: the bytes that run files keep of slices. The first byte says what the others are:
 * a packed column, a level of detail, a template with its parameters; or values that are packed and
 * must come back, slices of which every level must count each.
 */
#include "base/mem.h"
#include "slices/args.h"
#include "slices/column.h"
#include "slices/pyramid.h"
#include "slices/window.h"
#include "tests/fuzz/fuzz.h"

static void read_column(struct ps_str bytes)
{
    size_t n = bytes.len ? (unsigned char)bytes.ptr[0] * 257u : 0;
    PS_AUTO(ps_free_ptr) int64_t *all = ps_grow(NULL, n + 1, sizeof *all);
    int64_t one;

    bytes = ps_str_skip(bytes, 1);
    if (!ps_column_unpack(bytes, n, all))
        return;
    for (size_t i = 0; i < n; i += 1 + n / 8)
        (void)ps_column_unpack_one(bytes, n, i, &one);
}

static void read_level(struct ps_str bytes)
{
    PS_AUTO(ps_window_free) struct ps_window window = {0};

    ps_window_begin(&window, -1000, 100000, 500);
    (void)ps_window_add_level(&window, bytes, true);
    ps_window_end(&window);
    for (size_t i = 0; i < window.n_density; i++)
        FUZZ_HOLDS(window.density[i].px < 500);
}

/* Up to the first NUL the template, behind it the parameters. */
static void read_args(struct ps_str bytes)
{
    PS_AUTO(ps_buf_free) struct ps_buf json = {0};
    const char *nul = bytes.len ? memchr(bytes.ptr, 0, bytes.len) : NULL;
    struct ps_str template = {bytes.ptr, nul ? (size_t)(nul - bytes.ptr) : bytes.len};
    struct ps_str packed = ps_str_skip(bytes, template.len + 1);

    ps_args_json(template, packed, false, &json);
    ps_args_json(template, packed, true, &json);
    (void)ps_args_param(template, packed, ps_template_param(template, PS_STR("grid")));
    (void)ps_template_value(template, PS_STR("stream"), true);
}

static void pack_column(struct ps_str bytes)
{
    PS_AUTO(ps_buf_free) struct ps_buf packed = {0};
    size_t n = bytes.len / 8;
    PS_AUTO(ps_free_ptr) int64_t *values = ps_alloc((n + 1) * sizeof *values);
    PS_AUTO(ps_free_ptr) int64_t *back = ps_alloc((n + 1) * sizeof *back);

    if (n)
        memcpy(values, bytes.ptr, n * 8);
    ps_column_pack(values, n, &packed);
    FUZZ_HOLDS(ps_column_unpack(ps_buf_slice(&packed), n, back));
    FUZZ_HOLDS(memcmp(values, back, n * 8) == 0);
}

/* How many slices the blocks stand for. */
static uint64_t count(struct ps_str level, bool bins)
{
    PS_AUTO(ps_window_free) struct ps_window window = {0};

    ps_window_begin(&window, INT64_MIN, INT64_MAX, 1);
    FUZZ_HOLDS(ps_window_add_level(&window, level, bins));
    return window.n_counted + window.n_slices;
}

static void check_levels(struct ps_pyramid *pyramid, uint64_t slices)
{
    uint64_t with_bins[64], without[64], above = 0;
    struct ps_pyramid_level level;
    unsigned n = 0;

    while (ps_pyramid_next(pyramid, &level)) {
        with_bins[n] = count(level.bytes, true);
        without[n++] = count(level.bytes, false);
    }
    while (n-- > 0) {
        FUZZ_HOLDS(with_bins[n] + above == slices);
        above += without[n];
    }
}

/* Each 4 bytes are a slice: how long after the one before, how long, how deep. They are told to be
 * more than a chunk, so that there are levels. */
static void build_levels(struct ps_str bytes)
{
    uint32_t n = (uint32_t)(bytes.len / 4 < 4096 ? bytes.len / 4 : 4096);
    PS_AUTO(ps_free_ptr) int64_t *columns = ps_alloc((n + 1) * 3 * sizeof *columns);
    int64_t *start = columns, *duration = columns + n, *depth = columns + 2 * n, t = 0;
    struct ps_pyramid *pyramid;

    for (uint32_t i = 0; i < n; i++) {
        const unsigned char *b = (const unsigned char *)bytes.ptr + 4 * i;

        t += (int64_t)b[0] << (b[3] & 15);
        start[i] = t;
        duration[i] = 1 + ((int64_t)b[1] << (b[3] >> 4));
        depth[i] = b[2];
    }
    pyramid = ps_pyramid_new(PS_CHUNK_ROWS + 1, 0, t + 1);
    ps_pyramid_add(
        pyramid,
        &(struct ps_chunk){
            .n = n,
            .column = {
                [PS_COL_START] = start, [PS_COL_DURATION] = duration, [PS_COL_DEPTH] = depth}});
    check_levels(pyramid, n);
    ps_pyramid_free(pyramid);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static void (*const parts[])(struct ps_str) = {read_column, read_level, read_args, pack_column,
                                                   build_levels};
    const struct ps_str all = {(const char *)bytes, len};

    if (len > 0)
        parts[bytes[0] % (sizeof parts / sizeof *parts)](ps_str_skip(all, 1));
    return 0;
}
