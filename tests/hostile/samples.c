/* SPDX-License-Identifier: MIT */
/* samples.c: the files that there are, by format; and the damaged ones that are made of them. */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/archive.h"
#include "tests/hostile/hostile.h"

static struct formats *filled; /* nftw has no argument of the caller */

static struct format *format_of(const char *label, bool archive)
{
    struct format *format;

    for (size_t i = 0; i < filled->n; i++)
        if (strcmp(filled->items[i].label, label) == 0)
            return &filled->items[i];
    if (filled->n == FORMATS_MAX)
        abort();
    format = &filled->items[filled->n++];
    *format = (struct format){.label = label, .archive = archive};
    return format;
}

static void add(struct format *format, const char *path, struct ps_str bytes)
{
    struct sample *sample;

    PS_RESERVE_ONE(format->samples, format->n, format->cap);
    sample = &format->samples[format->n++];
    *sample = (struct sample){.path = ps_strdup(ps_str_from_c(path))};
    ps_buf_add_str(&sample->bytes, bytes);
}

/* False: it cannot be read through, or is too large. */
static bool read_all(struct ps_stream *in, struct ps_buf *out)
{
    struct ps_str bytes;

    while (out->len <= filled->largest && (bytes = ps_stream_peek(in, 1)).len) {
        ps_buf_add_str(out, bytes);
        ps_stream_skip(in, bytes.len);
    }
    return out->len > 0 && out->len <= filled->largest &&
           ps_stream_status(in, PS_ERR_IGNORED) == PS_OK;
}

static const struct ps_importer *recognise(struct ps_str bytes)
{
    const struct ps_importer *picked = NULL;
    struct ps_stream *in = ps_stream_to_utf8(ps_stream_from_memory(bytes, 0));
    struct ps_err err = PS_ERR_INIT;
    bool known = ps_importer_pick(in, &picked, &err) == PS_OK;

    ps_stream_free(in);
    return known ? picked : NULL;
}

static void sort_in(const char *path, struct ps_str packed)
{
    PS_AUTO(ps_buf_free) struct ps_buf plain = {0};
    static const struct ps_stream_limits none = {0, 0};
    struct ps_stream *in = ps_stream_decompress(ps_stream_from_memory(packed, 0), &none);
    const char *encoding = NULL;

    if (read_all(in, &plain)) {
        const struct ps_importer *picked = recognise(ps_buf_slice(&plain));

        encoding = ps_stream_encoding(in);
        if (ps_is_archive(ps_buf_slice(&plain)))
            add(format_of("archive", true), path, packed);
        if (picked)
            add(format_of(picked->label, false), path, ps_buf_slice(&plain));
        if (picked && encoding)
            add(format_of(encoding, false), path, packed);
    }
    ps_stream_free(in);
}

static int read_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct ps_stream *in;
    int fd;

    (void)where;
    if (kind != FTW_F || about->st_size == 0 || (uint64_t)about->st_size > filled->largest)
        return 0;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    in = ps_stream_from_fd(fd, 0);
    if (read_all(in, &bytes))
        sort_in(path, ps_buf_slice(&bytes));
    ps_stream_free(in);
    (void)close(fd);
    return 0;
}

/* Packs samples into a tar file. */
struct packing {
    struct ps_archive_writer *writer;
    int fd;
};

static struct packing pack_begin(void)
{
    int fd = memory_file(PS_STR(""));

    return (struct packing){ps_archive_writer_new(fd), fd};
}

static void pack(struct packing *tar, const char *name, struct ps_str bytes)
{
    struct ps_stream *in = ps_stream_from_memory(bytes, 0);
    struct ps_err err = PS_ERR_INIT;

    if (ps_archive_writer_add(tar->writer, name, bytes.len, in, &err) != PS_OK)
        abort();
    ps_stream_free(in);
}

static void pack_end(struct packing *tar, const char *path)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_stream *in;

    if (ps_archive_writer_end(tar->writer, &err) != PS_OK || lseek(tar->fd, 0, SEEK_SET) != 0)
        abort();
    in = ps_stream_from_fd(tar->fd, 0);
    if (read_all(in, &bytes))
        sort_in(path, ps_buf_slice(&bytes));
    ps_stream_free(in);
    (void)close(tar->fd);
}

/* There is always an archive, of the first samples of some formats, and one of two workers of a
 * job.
 */
static void make_archives(struct formats *formats)
{
    struct packing several = pack_begin(), job = pack_begin();
    size_t n = formats->n;

    for (size_t i = 0; i < n; i++) {
        struct ps_str bytes = ps_buf_slice(&formats->items[i].samples[0].bytes);

        if (!formats->items[i].archive && bytes.len <= 4096)
            pack(&several, formats->items[i].label, bytes);
        if (strcmp(formats->items[i].label, ps_torch_trace.label) == 0) {
            pack(&job, "host_1.1.pt.trace.json", bytes);
            pack(&job, "host_2.1.pt.trace.json", bytes);
        }
    }
    pack_end(&several, "a tar file made of others");
    pack_end(&job, "a job made of a trace");
}

static int by_size(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    if (x->bytes.len != y->bytes.len)
        return x->bytes.len < y->bytes.len ? -1 : 1;
    return strcmp(x->path, y->path);
}

void formats_read(struct formats *formats, char **paths, size_t n, size_t largest)
{
    *formats = (struct formats){.largest = largest};
    filled = formats;
    for (size_t i = 0; i < n; i++)
        (void)nftw(paths[i], read_one, 16, FTW_PHYS);
    for (size_t i = 0; i < formats->n; i++)
        qsort(formats->items[i].samples, formats->items[i].n, sizeof *formats->items[i].samples,
              by_size);
    make_archives(formats);
}

static void drop(struct sample *sample)
{
    free(sample->path);
    ps_buf_free(&sample->bytes);
}

void formats_limit_samples(struct formats *formats, size_t most)
{
    for (size_t f = 0; f < formats->n; f++) {
        struct format *format = &formats->items[f];
        size_t kept = 0;

        if (most == 0 || format->n <= most)
            continue;
        for (size_t i = 0; i < format->n; i++)
            if (i * most / format->n != (i + 1) * most / format->n)
                format->samples[kept++] = format->samples[i];
            else
                drop(&format->samples[i]);
        format->n = kept;
    }
}

void formats_free(struct formats *formats)
{
    for (size_t f = 0; f < formats->n; f++) {
        for (size_t i = 0; i < formats->items[f].n; i++)
            drop(&formats->items[f].samples[i]);
        free(formats->items[f].samples);
    }
}

/* SplitMix64: Guy Steele, Doug Lea, Christine Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t count_inputs(const struct format *format, const struct plan *plan)
{
    return format->n ? format->n * plan->cuts + plan->flips : 0;
}

/* Somewhere in the k-th part of so many of equal size, each less than the whole. */
static void cut(struct ps_buf *out, uint64_t k, uint64_t cuts, uint64_t *random, char how[80])
{
    uint64_t from = out->len * k / cuts, to = out->len * (k + 1) / cuts;

    out->len = from + next(random) % (to > from ? to - from : 1);
    (void)snprintf(how, 80, "cut after %zu bytes", out->len);
}

/* One bit; every fourth time up to 16 of them. */
static void flip(struct ps_buf *out, uint64_t *random, char how[80])
{
    uint64_t n = next(random) % 4 ? 1 : 1 + next(random) % 16, bit = 0;

    for (uint64_t i = 0; i < n; i++) {
        bit = next(random) % (out->len * 8);
        out->ptr[bit / 8] = (char)((unsigned char)out->ptr[bit / 8] ^ 1u << bit % 8);
    }
    (void)snprintf(how, 80, "%llu bits flipped, the last in byte %llu", (unsigned long long)n,
                   (unsigned long long)bit / 8);
}

const struct sample *input_make(const struct format *format, const struct plan *plan, uint64_t i,
                                struct ps_buf *out, char how[80])
{
    uint64_t cuts = format->n * plan->cuts, random = plan->seed ^ i << 20;
    const struct sample *sample =
        &format->samples[i < cuts ? i / plan->cuts : (i - cuts) % format->n];

    (void)next(&random);
    out->len = 0;
    ps_buf_add_str(out, ps_buf_slice(&sample->bytes));
    if (i < cuts)
        cut(out, i % plan->cuts, plan->cuts, &random, how);
    else
        flip(out, &random, how);
    return sample;
}
