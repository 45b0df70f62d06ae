/* SPDX-License-Identifier: MIT */
#include "importers/trace/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

#define PAGE        ((size_t)64 << 10) /* a multiple of the page size of any system */
#define REACH_MOST  ((size_t)1 << 40)  /* bytes of address space to reserve, at first */
#define REACH_LEAST ((size_t)1 << 30)
#define LEAST_PARTS 1024 /* arrays below this part of the budget are small */
#define PASSED_MOST ((size_t)8 << 20)

struct array {
    char *at;
    size_t size;
};

struct tr_room {
    struct ps_sink *out;
    size_t budget, used; /* bytes of memory */
    int scratch;         /* file descriptor; -1: none */
    bool asked;
    char *base;        /* start of the mapping */
    size_t reach, end; /* reach: its bytes; end: bytes allocated */
    struct array *arrays;
    size_t n, cap;
    size_t passed;
};

struct tr_room *tr_room_new(struct ps_sink *out, size_t budget)
{
    struct tr_room *room = ps_alloc(sizeof *room);

    room->out = out;
    room->budget = budget;
    room->scratch = -1;
    return room;
}

bool tr_room_has(const struct tr_room *room, const void *at)
{
    return room && room->base && (const char *)at >= room->base &&
           (const char *)at < room->base + room->end;
}

void tr_room_close(struct tr_room *room)
{
    if (!room)
        return;
    if (room->base)
        (void)munmap(room->base, room->reach);
    if (room->scratch >= 0)
        (void)close(room->scratch);
    free(room->arrays);
    free(room);
}

/* --- Scratch file --- */

/* Maps the file. Address space is cheap, but its size may be limited: tries smaller mappings. */
static void reach_out(struct tr_room *room)
{
    for (size_t reach = REACH_MOST; reach >= REACH_LEAST; reach /= 4) {
        void *at =
            mmap(NULL, reach, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, room->scratch, 0);

        if (at == MAP_FAILED)
            continue;
        (void)madvise(at, reach, MADV_DONTDUMP);
        room->base = at;
        room->reach = reach;
        return;
    }
}

static bool has_file(struct tr_room *room)
{
    if (!room->asked && room->out && room->out->ops->scratch) {
        room->scratch = room->out->ops->scratch(room->out);
        if (room->scratch >= 0)
            reach_out(room);
    }
    room->asked = true;
    return room->base;
}

/* Allocates the next bytes of the file, including disk space. NULL: see errno. */
static char *extend(struct tr_room *room, size_t size)
{
    size_t pages = (size + PAGE - 1) & ~(PAGE - 1);
    char *at = room->base + room->end;
    int code;

    if (pages < size || pages > room->reach - room->end) {
        errno = EFBIG;
        return NULL;
    }
    code = posix_fallocate(room->scratch, (off_t)room->end, (off_t)pages);
    if (code) {
        errno = code;
        return NULL;
    }
    room->end += pages;
    return at;
}

enum ps_status tr_room_segment(struct tr_room *room, size_t size, struct ps_err *err, char **out)
{
    *out = NULL;
    if (!has_file(room))
        return PS_OK;
    *out = extend(room, size);
    if (!*out)
        return ps_fail_errno(err, "cannot extend", "the temporary file of the import");
    return PS_OK;
}

void tr_room_remove(struct tr_room *room, void *at, size_t size)
{
    (void)room;
    if (madvise(at, size, MADV_REMOVE) != 0)
        (void)madvise(at, size, MADV_DONTNEED);
}

void tr_room_rest(struct tr_room *room)
{
    if (!room)
        return;
    room->passed = 0;
    if (room->end)
        (void)madvise(room->base, room->end, MADV_DONTNEED);
}

void tr_room_passed(struct tr_room *room, size_t bytes)
{
    if (!room)
        return;
    room->passed += bytes;
    if (room->passed >= PASSED_MOST)
        tr_room_rest(room);
}

/* --- Arrays --- */

static bool is_small(const struct tr_room *room, size_t size)
{
    return !room || size < room->budget / LEAST_PARTS;
}

static size_t product(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) /* like ps_grow */
        abort();
    return bytes ? bytes : 1;
}

static struct array *array_of(struct tr_room *room, const void *at)
{
    for (size_t i = room ? room->n : 0; i-- > 0;)
        if (room->arrays[i].at == at)
            return &room->arrays[i];
    return NULL;
}

static void *keep(struct tr_room *room, char *at, size_t size)
{
    PS_PUSH_ROOM(room->arrays, room->n, room->cap);
    room->arrays[room->n++] = (struct array){at, size};
    room->used += tr_room_has(room, at) ? 0 : size;
    return at;
}

/* Allocates from the file if the memory budget is used up, else returns NULL. */
static char *from_file(struct tr_room *room, size_t size)
{
    if (size <= room->budget && room->used <= room->budget - size)
        return NULL;
    return has_file(room) ? extend(room, size) : NULL;
}

void *tr_room_alloc(struct tr_room *room, size_t count, size_t size)
{
    size_t bytes = product(count, size);
    char *at;

    if (is_small(room, bytes))
        return ps_alloc(bytes);
    at = from_file(room, bytes);
    return keep(room, at ? at : ps_alloc(bytes), bytes);
}

static void forget(struct tr_room *room, struct array *array)
{
    room->used -= tr_room_has(room, array->at) ? 0 : array->size;
    *array = room->arrays[--room->n];
}

void tr_room_free(struct tr_room *room, void *at)
{
    struct array *array = at ? array_of(room, at) : NULL;
    size_t size;

    if (!array) {
        free(at);
        return;
    }
    size = array->size;
    forget(room, array);
    if (tr_room_has(room, at))
        tr_room_remove(room, at, (size + PAGE - 1) & ~(PAGE - 1));
    else
        free(at);
}

/* Copies in parts, since both arrays are large. */
static void copy(struct tr_room *room, char *to, const char *from, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < PASSED_MOST / 2 ? size - done : PASSED_MOST / 2;
        memcpy(to + done, from + done, part);
        tr_room_passed(room, 2 * part);
    }
}

/* Moves an array from memory to the file, or to a larger part of the file. */
static void *move(struct tr_room *room, struct array *array, size_t size)
{
    struct array old = *array;
    char *at;

    if (!tr_room_has(room, old.at))
        room->used -= old.size;
    at = from_file(room, size);
    if (!at && !tr_room_has(room, old.at)) {
        *array = (struct array){ps_grow(old.at, size, 1), size};
        room->used += size;
        return array->at;
    }
    *array = (struct array){at ? at : ps_grow(NULL, size, 1), size};
    at = array->at;
    copy(room, at, old.at, old.size < size ? old.size : size);
    if (!tr_room_has(room, at))
        room->used += size;
    if (tr_room_has(room, old.at))
        tr_room_remove(room, old.at, (old.size + PAGE - 1) & ~(PAGE - 1));
    else
        free(old.at);
    return at;
}

void *tr_room_grow(struct tr_room *room, void *old, size_t count, size_t size)
{
    size_t bytes = product(count, size);
    struct array *array = old ? array_of(room, old) : NULL;
    char *at;

    if (array)
        return move(room, array, bytes);
    if (is_small(room, bytes))
        return ps_grow(old, count, size);
    at = old ? NULL : from_file(room, bytes);
    at = at ? at : ps_grow(old, count, size);
    return keep(room, at, bytes);
}
