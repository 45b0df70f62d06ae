/* SPDX-License-Identifier: MIT */
#include "slices/column.h"

enum {
    HEAD = 9,         /* code and base */
    SPARSE = 0x10,    /* code: rows and values of the entries that are not 0 */
    SPARSE_HEAD = 13, /* code, base and number of these entries */
    SCALED = 0x20,    /* code: differences are stored divided by their common divisor */
    SCALED_HEAD = 17, /* code, base and divisor */
};

static unsigned width_of(uint64_t most)
{
    return most == 0            ? 0
           : most <= UINT8_MAX  ? 1
           : most <= UINT16_MAX ? 2
           : most <= UINT32_MAX ? 4
                                : 8;
}

static void put_head(struct ps_buf *out, unsigned code, int64_t base)
{
    unsigned char bytes[HEAD] = {(unsigned char)code};

    memcpy(bytes + 1, &base, sizeof base);
    ps_buf_add(out, bytes, sizeof bytes);
}

/* --- Common divisor --- */

/* Exact division by multiplication: value = odd << shift, inverse * odd = 1 mod 2^64. */
struct divisor {
    uint64_t value, inverse, max_quotient; /* max_quotient: the greatest possible */
    unsigned shift;
};

static struct divisor divisor_of(uint64_t by)
{
    struct divisor d = {
        .value = by, .shift = (unsigned)__builtin_ctzll(by), .max_quotient = UINT64_MAX / by};
    uint64_t odd = by >> d.shift;

    d.inverse = odd; /* correct in the low 3 bits; each step doubles their number */
    for (int i = 0; i < 5; i++)
        d.inverse *= 2 - odd * d.inverse;
    return d;
}

/* The quotient if there is no remainder; otherwise a value above d->most. Torbjorn Granlund, Peter
 * L. Montgomery, "Division by invariant integers using multiplication", PLDI 1994, section 9. */
static uint64_t divide_exactly(const struct divisor *d, uint64_t value)
{
    uint64_t product = value * d->inverse;

    return d->shift ? product >> d->shift | product << (64 - d->shift) : product;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Reduces d->by to the greatest common divisor of itself and all values minus the base. */
static void reduce_divisor(struct divisor *d, const int64_t *values, size_t n, int64_t base)
{
    for (size_t i = 0; i < n && d->value != 1; i++) {
        uint64_t value = (uint64_t)values[i] - (uint64_t)base;

        if (divide_exactly(d, value) > d->max_quotient)
            *d = divisor_of(common_divisor(value, d->value));
    }
}

/* --- Packing --- */

/* Writes the low `width` bytes of each value minus base; for little-endian machines only, like the
 * run file. */
static void put_narrowed(const int64_t *values, size_t n, int64_t base, unsigned width, char *out)
{
    uint64_t from = (uint64_t)base;

    switch (width) {
    case 1:
        for (size_t i = 0; i < n; i++)
            out[i] = (char)((uint64_t)values[i] - from);
        break;
    case 2:
        for (size_t i = 0; i < n; i++) {
            uint16_t v = (uint16_t)((uint64_t)values[i] - from);
            memcpy(out + 2 * i, &v, 2);
        }
        break;
    case 4:
        for (size_t i = 0; i < n; i++) {
            uint32_t v = (uint32_t)((uint64_t)values[i] - from);
            memcpy(out + 4 * i, &v, 4);
        }
        break;
    case 8:
        for (size_t i = 0; i < n; i++) {
            uint64_t v = (uint64_t)values[i] - from;
            memcpy(out + 8 * i, &v, 8);
        }
        break;
    default: /* all values are the base */
        break;
    }
}

static void read_values(const char *bytes, size_t n, int64_t base, unsigned width, int64_t *out)
{
    uint64_t from = (uint64_t)base;

    switch (width) {
    case 1:
        for (size_t i = 0; i < n; i++)
            out[i] = (int64_t)(from + (unsigned char)bytes[i]);
        break;
    case 2:
        for (size_t i = 0; i < n; i++) {
            uint16_t v;
            memcpy(&v, bytes + 2 * i, 2);
            out[i] = (int64_t)(from + v);
        }
        break;
    case 4:
        for (size_t i = 0; i < n; i++) {
            uint32_t v;
            memcpy(&v, bytes + 4 * i, 4);
            out[i] = (int64_t)(from + v);
        }
        break;
    case 8:
        for (size_t i = 0; i < n; i++) {
            uint64_t v;
            memcpy(&v, bytes + 8 * i, 8);
            out[i] = (int64_t)(from + v);
        }
        break;
    default:
        for (size_t i = 0; i < n; i++)
            out[i] = base;
    }
}

static void pack_sparse(const int64_t *values, size_t n, size_t filled, unsigned width,
                        int64_t base, struct ps_buf *out)
{
    uint32_t count = (uint32_t)filled;
    char *rows, *to;
    size_t k = 0;

    put_head(out, SPARSE | width, base);
    ps_buf_add(out, &count, sizeof count);
    ps_buf_reserve(out, filled * (2 + width));
    rows = out->ptr + out->len;
    to = rows + 2 * filled;
    for (size_t i = 0; i < n; i++)
        if (values[i]) {
            uint16_t row = (uint16_t)i;

            memcpy(rows + 2 * k, &row, 2);
            put_narrowed(&values[i], 1, base, width, to + width * k);
            k++;
        }
    out->len += filled * (2 + width);
}

/* Writes each value minus the base, divided by d->by. False: d->by does not divide all of them; it
 * was reduced. */
static bool put_steps(const int64_t *values, size_t n, int64_t base, struct divisor *d,
                      unsigned width, char *out)
{
    enum { PIECE = 1024 };
    int64_t steps[PIECE];

    for (size_t i = 0, count; i < n; i += count) {
        bool uneven = false;

        count = n - i < PIECE ? n - i : PIECE;
        for (size_t k = 0; k < count; k++) {
            uint64_t step = divide_exactly(d, (uint64_t)values[i + k] - (uint64_t)base);

            steps[k] = (int64_t)step;
            uneven |= step > d->max_quotient;
        }
        if (uneven) {
            reduce_divisor(d, values + i, count, base);
            return false;
        }
        put_narrowed(steps, count, 0, width, out + i * width);
    }
    return true;
}

/* Packs values divided by their common divisor. False: that does not reduce the width. */
static bool pack_scaled(const int64_t *values, size_t n, int64_t low, int64_t high,
                        struct ps_buf *out)
{
    enum { FIRST = 64 };
    uint64_t range = (uint64_t)high - (uint64_t)low;
    unsigned full = width_of(range), width;
    size_t begin = out->len;
    struct divisor d;

    if (full <= 1)
        return false;
    d = divisor_of(range);
    reduce_divisor(&d, values, n < FIRST ? n : FIRST, low);
    do {
        width = width_of(range / d.value);
        out->len = begin;
        if (width == full)
            return false;
        put_head(out, SCALED | width, low);
        ps_buf_add(out, &d.value, sizeof d.value);
        ps_buf_reserve(out, n * width);
    } while (!put_steps(values, n, low, &d, width, out->ptr + out->len));
    out->len += n * width;
    return true;
}

void ps_column_pack(const int64_t *values, size_t n, struct ps_buf *out)
{
    int64_t low = n ? values[0] : 0, high = low, low_set = INT64_MAX, high_set = INT64_MIN;
    size_t filled = 0;
    unsigned width, set_width;

    for (size_t i = 0; i < n; i++) {
        int64_t v = values[i];

        low = v < low ? v : low;
        high = v > high ? v : high;
        filled += v != 0;
    }
    if (filled && filled < n / 4) {
        for (size_t i = 0; i < n; i++)
            if (values[i]) {
                low_set = values[i] < low_set ? values[i] : low_set;
                high_set = values[i] > high_set ? values[i] : high_set;
            }
        set_width = width_of((uint64_t)high_set - (uint64_t)low_set);
        if (filled * (2 + set_width) < n * width_of((uint64_t)high - (uint64_t)low)) {
            pack_sparse(values, n, filled, set_width, low_set, out);
            return;
        }
    }
    if (n > SCALED_HEAD && pack_scaled(values, n, low, high, out))
        return;
    width = width_of((uint64_t)high - (uint64_t)low);
    put_head(out, width, low);
    ps_buf_reserve(out, n * width);
    put_narrowed(values, n, low, width, out->ptr + out->len);
    out->len += n * width;
}

/* --- Reading --- */

struct list {
    unsigned width;
    int64_t base;
    uint64_t divisor; /* 0: not scaled */
    bool sparse;
    uint32_t count;
    const char *rows, *values;
};

static bool open_list(struct ps_str packed, size_t n, struct list *list)
{
    unsigned code;

    if (packed.len < HEAD)
        return false;
    code = (unsigned char)packed.ptr[0];
    *list = (struct list){.width = code & 0xf, .sparse = (code & SPARSE) != 0};
    memcpy(&list->base, packed.ptr + 1, sizeof list->base);
    if ((list->width & (list->width - 1)) != 0 || list->width > 8)
        return false;
    if (code & SCALED) {
        if (packed.len != SCALED_HEAD + n * list->width || list->sparse)
            return false;
        memcpy(&list->divisor, packed.ptr + HEAD, sizeof list->divisor);
        list->values = packed.ptr + SCALED_HEAD;
        return true;
    }
    if (!list->sparse) {
        list->values = packed.ptr + HEAD;
        return packed.len == HEAD + n * list->width;
    }
    if (packed.len < SPARSE_HEAD)
        return false;
    memcpy(&list->count, packed.ptr + HEAD, sizeof list->count);
    if (list->count > n || packed.len != SPARSE_HEAD + (size_t)list->count * (2 + list->width))
        return false;
    list->rows = packed.ptr + SPARSE_HEAD;
    list->values = list->rows + 2 * (size_t)list->count;
    return true;
}

static uint16_t row_at(const struct list *list, size_t k)
{
    uint16_t row;

    memcpy(&row, list->rows + 2 * k, 2);
    return row;
}

/* Returns the index of the first stored row >= i. */
static size_t find_row(const struct list *list, size_t i)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (row_at(list, middle) < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ps_column_unpack_range(struct ps_str packed, size_t n, size_t first, size_t count,
                            int64_t *out)
{
    struct list list;

    if (!open_list(packed, n, &list) || first > n || count > n - first)
        return false;
    if (!list.sparse) {
        read_values(list.values + first * list.width, count, list.divisor ? 0 : list.base,
                    list.width, out);
        for (size_t i = 0; list.divisor && i < count; i++)
            out[i] = (int64_t)((uint64_t)list.base + (uint64_t)out[i] * list.divisor);
        return true;
    }
    memset(out, 0, count * sizeof *out);
    for (size_t k = find_row(&list, first); k < list.count && row_at(&list, k) < first + count;
         k++) {
        size_t row = row_at(&list, k);

        if (row < first)
            return false; /* the rows are not sorted */
        read_values(list.values + k * list.width, 1, list.base, list.width, &out[row - first]);
    }
    return true;
}

bool ps_column_unpack(struct ps_str packed, size_t n, int64_t *out)
{
    return ps_column_unpack_range(packed, n, 0, n, out);
}

bool ps_column_unpack_one(struct ps_str packed, size_t n, size_t i, int64_t *out)
{
    return i < n && ps_column_unpack_range(packed, n, i, 1, out);
}
