/* SPDX-License-Identifier: MIT */
#include "slices/args.h"

#include <math.h>

#include "base/json_out.h"
#include "base/json_span.h"

static void put_varint(struct ps_buf *out, uint64_t value)
{
    char bytes[10];
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (char)(value | 0x80);
    bytes[n++] = (char)value;
    ps_buf_add(out, bytes, n);
}

static bool next_varint(struct ps_str *packed, uint64_t *out)
{
    uint64_t value = 0;

    for (size_t n = 0; n < packed->len && n < 10; n++) {
        uint64_t byte = (unsigned char)packed->ptr[n];

        value |= (byte & 0x7f) << (7 * n);
        if (byte < 0x80) {
            *packed = ps_str_skip(*packed, n + 1);
            *out = value;
            return true;
        }
    }
    *packed = ps_str_skip(*packed, packed->len);
    return false;
}

void ps_args_put_int(struct ps_buf *out, int64_t value)
{
    put_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void ps_args_put_decimal(struct ps_buf *out, int64_t digits, uint32_t decimals)
{
    ps_args_put_int(out, digits);
    put_varint(out, decimals);
}

/* Splits a number into the shortest digits that read back to it, by arithmetic with 64 bits. False:
 * these do not suffice, which is rare. */
static bool split_fast(double value, int64_t *digits, uint32_t *decimals)
{
    static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                         1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                         1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                         1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    const double size = fabs(value);
    /* half of the distance to the next double: what is nearer reads back to this one */
    const long double half = ((long double)size - (long double)nextafter(size, 0)) / 2;
    int first, n;

    if (!(size >= 1e-10 && size < 1e14))
        return false;
    first = 14 - (int)floor(log10(size)); /* decimals of 15 digits */
    for (n = first; n < first + 3; n++) {
        long double exact = (long double)size * powers[n], rounded = rintl(exact);
        long double off = fabsl(rounded - exact), most = half * powers[n];

        if (off > 0.499L || (off > most * 0.999L && off < most * 1.001L))
            return false;
        if (off > most)
            continue;
        *digits = (int64_t)(value < 0 ? -rounded : rounded);
        for (; n > 1 && *digits % 10 == 0; n--)
            *digits /= 10;
        *decimals = (uint32_t)n;
        return n > 0;
    }
    return false;
}

bool ps_args_split_real(double value, int64_t *digits, uint32_t *decimals)
{
    char text[32];
    size_t n;
    bool is_fraction = false;

    if (split_fast(value, digits, decimals))
        return true;
    n = ps_real_format(value, text);
    *digits = 0;
    *decimals = 0;
    for (size_t i = text[0] == '-'; i < n; i++) {
        if (text[i] == '.' && !is_fraction)
            is_fraction = true;
        else if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*digits, 10, digits) ||
                 __builtin_add_overflow(*digits, text[i] - '0', digits))
            return false;
        else
            *decimals += is_fraction;
    }
    if (text[0] == '-')
        *digits = -*digits;
    return is_fraction;
}

void ps_args_put_arguments(struct ps_buf *out, struct ps_str text)
{
    put_varint(out, text.len);
    ps_buf_add_str(out, text);
}

bool ps_args_next_int(struct ps_str *packed, int64_t *out)
{
    uint64_t coded;

    if (!next_varint(packed, &coded))
        return false;
    *out = (int64_t)(coded >> 1 ^ (0 - (coded & 1)));
    return true;
}

static bool next_decimal(struct ps_str *packed, int64_t *digits, uint64_t *decimals)
{
    return ps_args_next_int(packed, digits) && next_varint(packed, decimals) && *decimals <= 64;
}

/* Appends the digits with a point before the last `decimals` of them, padded with leading zeros. */
static void add_decimal(struct ps_buf *out, int64_t digits, uint64_t decimals)
{
    char text[96];
    uint64_t value = digits < 0 ? 0 - (uint64_t)digits : (uint64_t)digits;
    size_t at = sizeof text;

    for (uint64_t n = 0; n < decimals || n == 0 || value > 0; n++) {
        if (n == decimals && n > 0)
            text[--at] = '.';
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    }
    if (text[at] != '.' && decimals > 0 && sizeof text - at == decimals) {
        text[--at] = '.';
        text[--at] = '0';
    }
    if (digits < 0)
        text[--at] = '-';
    ps_buf_add(out, text + at, sizeof text - at);
}

static void add_param(char marker, struct ps_str *packed, struct ps_buf *out)
{
    int64_t value;
    uint64_t decimals;

    if (marker == PS_TEMPLATE_INT && ps_args_next_int(packed, &value))
        ps_buf_printf(out, "%lld", (long long)value);
    else if (marker == PS_TEMPLATE_DECIMAL && next_decimal(packed, &value, &decimals))
        add_decimal(out, value, decimals);
    else
        ps_buf_puts(out, "null");
}

/* The end of the varint at `at`; `end` if it is not terminated. */
static const char *skip_varint(const char *at, const char *end)
{
    while (at < end && *at & 0x80)
        at++;
    return at < end ? at + 1 : end;
}

static void skip_param(char marker, struct ps_str *packed)
{
    const char *end = packed->ptr + packed->len, *at = skip_varint(packed->ptr, end);

    if (marker == PS_TEMPLATE_DECIMAL)
        at = skip_varint(at, end);
    *packed = (struct ps_str){at, (size_t)(end - at)};
}

static size_t next_special(struct ps_str text, size_t at)
{
    while (at < text.len && (unsigned char)text.ptr[at] > PS_TEMPLATE_REST)
        at++;
    return at;
}

/* The arguments of a template, or with `rest` the part after PS_TEMPLATE_REST; then also skips the
 * parameters of the arguments, if `packed` is not NULL. */
static struct ps_str part_of(struct ps_str template, bool rest, struct ps_str *packed)
{
    const char *mark = template.len ? memchr(template.ptr, PS_TEMPLATE_REST, template.len) : NULL;
    size_t first = mark ? (size_t)(mark - template.ptr) : template.len;

    if (!rest)
        return (struct ps_str){template.ptr, first};
    for (size_t i = next_special(template, 0); packed && i < first;
         i = next_special(template, i + 1))
        if (ps_template_is_marker(template.ptr[i]))
            skip_param(template.ptr[i], packed);
    return ps_str_skip(template, first + 1);
}

struct ps_str ps_args_whole(struct ps_str packed)
{
    uint64_t len;

    if (!next_varint(&packed, &len))
        return (struct ps_str){NULL, 0};
    return (struct ps_str){packed.ptr, len < packed.len ? (size_t)len : packed.len};
}

void ps_args_put_whole(struct ps_str template, struct ps_buf *params)
{
    PS_AUTO(ps_buf_free) struct ps_buf whole = {0};
    const char *rest = template.len ? memchr(template.ptr, PS_TEMPLATE_REST, template.len) : NULL;

    if (rest != template.ptr)
        ps_args_json(template, ps_buf_slice(params), false, &whole);
    if (rest)
        ps_buf_add(&whole, rest, (size_t)(template.ptr + template.len - rest));
    params->len = 0;
    ps_args_put_arguments(params, ps_buf_slice(&whole));
}

/* Arguments stored with PS_TEMPLATE_WHOLE are used like a template without parameters. */
static struct ps_str unpack_whole(struct ps_str template, struct ps_str packed)
{
    return ps_str_eq_c(template, PS_TEMPLATE_WHOLE_TEXT) ? ps_args_whole(packed) : template;
}

void ps_args_json(struct ps_str template, struct ps_str packed, bool rest, struct ps_buf *out)
{
    struct ps_str text = part_of(unpack_whole(template, packed), rest, &packed);
    size_t from = 0;

    if (text.len == 0)
        ps_buf_puts(out, "{}");
    while (from < text.len) {
        size_t to = next_special(text, from);

        ps_buf_add(out, text.ptr + from, to - from);
        if (to < text.len)
            add_param(text.ptr[to], &packed, out);
        from = to + 1;
    }
}

void ps_args_copy(struct ps_str template, struct ps_str packed, const char *keep,
                  struct ps_buf *out)
{
    for (size_t i = 0; i < template.len; i++) {
        const char *from = packed.ptr;

        if (!ps_template_is_marker(template.ptr[i]))
            continue;
        skip_param(template.ptr[i], &packed);
        if (*keep++)
            ps_buf_add(out, from, (size_t)(packed.ptr - from));
    }
}

bool ps_args_complete(struct ps_str template, struct ps_str packed)
{
    uint64_t decimals;
    int64_t value;

    for (size_t i = 0; i < template.len; i++)
        if ((template.ptr[i] == PS_TEMPLATE_INT && !ps_args_next_int(&packed, &value)) ||
            (template.ptr[i] == PS_TEMPLATE_DECIMAL && !next_decimal(&packed, &value, &decimals)))
            return false;
    return true;
}

static int count_markers(struct ps_str text)
{
    int n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += ps_template_is_marker(text.ptr[i]);
    return n;
}

bool ps_template_next(struct ps_template_pair *pair)
{
    struct ps_str left = ps_str_skip(pair->remainder, 1); /* `{` or `,` */
    size_t length;

    if (left.len == 0 || left.ptr[0] != '"')
        return false;
    pair->params += count_markers(pair->value);
    length = ps_json_string_length(left);
    pair->key = ps_str_skip((struct ps_str){left.ptr, length - 1}, 1);
    left = ps_str_skip(left, length + 1);
    pair->value = (struct ps_str){left.ptr, ps_json_value_length(left)};
    pair->remainder = ps_str_skip(left, pair->value.len);
    return true;
}

int ps_template_pair_param(const struct ps_template_pair *pair)
{
    struct ps_str value = pair->value;

    if ((value.len && ps_template_is_marker(value.ptr[0])) ||
        (value.len > 1 && value.ptr[0] == '[' && ps_template_is_marker(value.ptr[1])))
        return pair->params;
    return -1;
}

/* Finds the last pair with the key: if a key is repeated, the last value counts. */
static bool find_pair(struct ps_str object, struct ps_str key, struct ps_template_pair *out)
{
    struct ps_template_pair pair = {.remainder = object};
    bool found = false;

    while (ps_template_next(&pair))
        if (ps_str_eq(pair.key, key)) {
            *out = pair;
            found = true;
        }
    return found;
}

int ps_template_param(struct ps_str template, struct ps_str key)
{
    struct ps_template_pair pair;

    if (!find_pair(part_of(template, false, NULL), key, &pair))
        return -1;
    return ps_template_pair_param(&pair);
}

struct ps_str ps_template_value(struct ps_str template, struct ps_str key, bool rest)
{
    struct ps_template_pair pair;

    if (find_pair(part_of(template, false, NULL), key, &pair) ||
        (rest && find_pair(part_of(template, true, NULL), key, &pair)))
        return pair.value;
    return (struct ps_str){NULL, 0};
}

struct ps_str ps_template_string(struct ps_str template, struct ps_str key)
{
    struct ps_str json = ps_template_value(template, key, false);

    if (json.len >= 2 && json.ptr[0] == '"' && json.ptr[json.len - 1] == '"')
        return (struct ps_str){json.ptr + 1, json.len - 2};
    return json;
}

/* Correctly rounded up to 22 decimals: both operands are then exact doubles, and one division
 * rounds once. */
static double scale_digits(int64_t digits, uint64_t decimals)
{
    static const double tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double real = (double)digits;

    for (; decimals > 22; decimals -= 22)
        real /= 1e22;
    return real / tens[decimals];
}

struct ps_num ps_args_next(char marker, struct ps_str *packed)
{
    int64_t value;
    uint64_t decimals;

    if (marker == PS_TEMPLATE_INT)
        return ps_args_next_int(packed, &value) ? ps_int(value) : (struct ps_num){0};
    return next_decimal(packed, &value, &decimals) ? ps_real(scale_digits(value, decimals))
                                                   : (struct ps_num){0};
}

struct ps_num ps_args_param(struct ps_str template, struct ps_str packed, int index)
{
    for (size_t i = 0; i < template.len && index >= 0; i++) {
        if (!ps_template_is_marker(template.ptr[i]))
            continue;
        if (index-- == 0)
            return ps_args_next(template.ptr[i], &packed);
        skip_param(template.ptr[i], &packed);
    }
    return (struct ps_num){0};
}
