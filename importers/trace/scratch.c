/* SPDX-License-Identifier: MIT */
#include "importers/trace/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "importers/sink.h"

#define PAGE              ((size_t)64 << 10) /* bytes; a multiple of the page size of every system */
#define MAPPED_MAX        ((size_t)1 << 40)  /* bytes of address space that are tried first */
#define MAPPED_MIN        ((size_t)1 << 30)
#define SMALL_ARRAY_PARTS 1024 /* an array smaller than budget / SMALL_ARRAY_PARTS is small */
#define BYTES_PASSED_MAX  ((size_t)8 << 20)
#define HUGE_PAGE         ((size_t)2 << 20)
#define HUGE_MIN          ((size_t)8 << 20) /* smaller arrays would waste too much of their ends */

struct array {
    char *ptr;
    size_t size;
};

struct tr_scratch {
    struct ps_sink *out;
    size_t budget, used; /* bytes of arrays in memory: maximum; in use */
    int fd;              /* descriptor of the scratch file; -1: none */
    bool is_requested;
    char *base;                      /* start of the mapping */
    size_t mapped_bytes, used_bytes; /* bytes of the mapping: reserved; allocated */
    struct array *arrays;
    size_t n, cap;
    size_t bytes_passed;
};

struct tr_scratch *tr_scratch_new(struct ps_sink *out, size_t budget)
{
    struct tr_scratch *scratch = ps_alloc(sizeof *scratch);

    scratch->out = out;
    scratch->budget = budget;
    scratch->fd = -1;
    return scratch;
}

bool tr_scratch_contains(const struct tr_scratch *scratch, const void *at)
{
    return scratch && scratch->base && (const char *)at >= scratch->base &&
           (const char *)at < scratch->base + scratch->used_bytes;
}

void tr_scratch_close(struct tr_scratch *scratch)
{
    if (!scratch)
        return;
    if (scratch->base)
        (void)munmap(scratch->base, scratch->mapped_bytes);
    if (scratch->fd >= 0)
        (void)close(scratch->fd);
    free(scratch->arrays);
    free(scratch);
}

/* --- Scratch file --- */

/* Maps the file into memory. The process may have a limit on address space, so smaller mappings are
 * tried if a mapping fails. */
static void map_file(struct tr_scratch *scratch)
{
    for (size_t reach = MAPPED_MAX; reach >= MAPPED_MIN; reach /= 4) {
        void *at =
            mmap(NULL, reach, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, scratch->fd, 0);

        if (at == MAP_FAILED)
            continue;
        (void)madvise(at, reach, MADV_DONTDUMP);
        scratch->base = at;
        scratch->mapped_bytes = reach;
        return;
    }
}

static bool has_file(struct tr_scratch *scratch)
{
    if (!scratch->is_requested && scratch->out && scratch->out->ops->open_scratch) {
        scratch->fd = scratch->out->ops->open_scratch(scratch->out);
        if (scratch->fd >= 0)
            map_file(scratch);
    }
    scratch->is_requested = true;
    return scratch->base;
}

/* Allocates the next bytes of the file, including disk space. NULL: see errno. */
static char *extend_mapping(struct tr_scratch *scratch, size_t size)
{
    size_t pages = (size + PAGE - 1) & ~(PAGE - 1);
    char *at = scratch->base + scratch->used_bytes;
    int code;

    if (pages < size || pages > scratch->mapped_bytes - scratch->used_bytes) {
        errno = EFBIG;
        return NULL;
    }
    code = posix_fallocate(scratch->fd, (off_t)scratch->used_bytes, (off_t)pages);
    if (code) {
        errno = code;
        return NULL;
    }
    scratch->used_bytes += pages;
    return at;
}

enum ps_status tr_scratch_alloc_segment(struct tr_scratch *scratch, size_t size, struct ps_err *err,
                                        char **out)
{
    *out = NULL;
    if (!has_file(scratch))
        return PS_OK;
    *out = extend_mapping(scratch, size);
    if (!*out)
        return ps_fail_errno(err, "cannot extend", "the temporary file of the import");
    return PS_OK;
}

void tr_scratch_free_pages(struct tr_scratch *scratch, void *at, size_t size)
{
    (void)scratch;
    if (madvise(at, size, MADV_REMOVE) != 0)
        (void)madvise(at, size, MADV_DONTNEED);
}

void tr_scratch_drop_pages(struct tr_scratch *scratch)
{
    if (!scratch)
        return;
    scratch->bytes_passed = 0;
    if (scratch->used_bytes)
        (void)madvise(scratch->base, scratch->used_bytes, MADV_DONTNEED);
}

void tr_scratch_count_bytes(struct tr_scratch *scratch, size_t bytes)
{
    if (!scratch)
        return;
    scratch->bytes_passed += bytes;
    if (scratch->bytes_passed >= BYTES_PASSED_MAX)
        tr_scratch_drop_pages(scratch);
}

/* --- Arrays --- */

static bool is_small(const struct tr_scratch *scratch, size_t size)
{
    return !scratch || size < scratch->budget / SMALL_ARRAY_PARTS;
}

static size_t multiply_sizes(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) /* abort, as ps_grow does */
        abort();
    return bytes ? bytes : 1;
}

static struct array *array_of(struct tr_scratch *scratch, const void *at)
{
    for (size_t i = scratch ? scratch->n : 0; i-- > 0;)
        if (scratch->arrays[i].ptr == at)
            return &scratch->arrays[i];
    return NULL;
}

/* Lets the kernel back an array in memory by huge pages. There are fewer page faults then: an
 * import of 1.8 million replayed kernels took 6 to 7 % less CPU time. */
static void use_huge_pages(const char *at, size_t size)
{
    uintptr_t begin = ((uintptr_t)at + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1),
              end = ((uintptr_t)at + size) & ~(uintptr_t)(HUGE_PAGE - 1);

    if (size >= HUGE_MIN && end > begin)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

static void *register_array(struct tr_scratch *scratch, char *at, size_t size)
{
    PS_RESERVE_ONE(scratch->arrays, scratch->n, scratch->cap);
    scratch->arrays[scratch->n++] = (struct array){at, size};
    if (!tr_scratch_contains(scratch, at)) {
        scratch->used += size;
        use_huge_pages(at, size);
    }
    return at;
}

/* Allocates from the file if the memory budget is used up, else returns NULL. */
static char *alloc_from_file(struct tr_scratch *scratch, size_t size)
{
    if (size <= scratch->budget && scratch->used <= scratch->budget - size)
        return NULL;
    return has_file(scratch) ? extend_mapping(scratch, size) : NULL;
}

void *tr_scratch_alloc(struct tr_scratch *scratch, size_t count, size_t size)
{
    size_t bytes = multiply_sizes(count, size);
    char *at;

    if (is_small(scratch, bytes))
        return ps_alloc(bytes);
    at = alloc_from_file(scratch, bytes);
    return register_array(scratch, at ? at : ps_alloc(bytes), bytes);
}

static void unregister_array(struct tr_scratch *scratch, struct array *array)
{
    scratch->used -= tr_scratch_contains(scratch, array->ptr) ? 0 : array->size;
    *array = scratch->arrays[--scratch->n];
}

void tr_scratch_free(struct tr_scratch *scratch, void *at)
{
    struct array *array = at ? array_of(scratch, at) : NULL;
    size_t size;

    if (!array) {
        free(at);
        return;
    }
    size = array->size;
    unregister_array(scratch, array);
    if (tr_scratch_contains(scratch, at))
        tr_scratch_free_pages(scratch, at, (size + PAGE - 1) & ~(PAGE - 1));
    else
        free(at);
}

/* Copies an array in parts, so that pages of the file can be dropped from memory in between. */
static void copy_bytes(struct tr_scratch *scratch, char *to, const char *from, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < BYTES_PASSED_MAX / 2 ? size - done : BYTES_PASSED_MAX / 2;
        memcpy(to + done, from + done, part);
        tr_scratch_count_bytes(scratch, 2 * part);
    }
}

/* Moves an array from memory to the file, or to a larger part of the file. */
static void *move_array(struct tr_scratch *scratch, struct array *array, size_t size)
{
    struct array old = *array;
    char *at;

    if (!tr_scratch_contains(scratch, old.ptr))
        scratch->used -= old.size;
    at = alloc_from_file(scratch, size);
    if (!at && !tr_scratch_contains(scratch, old.ptr)) {
        *array = (struct array){ps_grow(old.ptr, size, 1), size};
        scratch->used += size;
        return array->ptr;
    }
    *array = (struct array){at ? at : ps_grow(NULL, size, 1), size};
    at = array->ptr;
    copy_bytes(scratch, at, old.ptr, old.size < size ? old.size : size);
    if (!tr_scratch_contains(scratch, at))
        scratch->used += size;
    if (tr_scratch_contains(scratch, old.ptr))
        tr_scratch_free_pages(scratch, old.ptr, (old.size + PAGE - 1) & ~(PAGE - 1));
    else
        free(old.ptr);
    return at;
}

void *tr_scratch_grow(struct tr_scratch *scratch, void *old, size_t count, size_t size)
{
    size_t bytes = multiply_sizes(count, size);
    struct array *array = old ? array_of(scratch, old) : NULL;
    char *at;

    if (array)
        return move_array(scratch, array, bytes);
    if (is_small(scratch, bytes))
        return ps_grow(old, count, size);
    at = old ? NULL : alloc_from_file(scratch, bytes);
    at = at ? at : ps_grow(old, count, size);
    return register_array(scratch, at, bytes);
}
