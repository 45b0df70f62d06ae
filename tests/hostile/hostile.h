/* SPDX-License-Identifier: MIT */
/* hostile.h: good profiles, what is done to them, and what has to hold of each that comes out. */
#ifndef PS_TESTS_HOSTILE_H
#define PS_TESTS_HOSTILE_H

#include "base/buf.h"
#include "tests/test_shelf.h"

struct sample {
    char *path;
    struct ps_buf bytes;
};

/* What one importer reads; or what lies around profiles: gzip, zstd, archives. */
struct format {
    const char *label; /* static */
    bool archive;
    struct sample *samples;
    size_t n, cap;
};

#define FORMATS_MAX 80

struct formats {
    struct format items[FORMATS_MAX];
    size_t n;
    size_t largest; /* bytes of a sample; larger files are passed by */
};

/* All regular files below the paths, each with its format; those that no importer knows are left
 * out. Packed ones lie with gzip or zstd, and unpacked with their format. Paths that are not there
 * are passed by. */
void formats_read(struct formats *formats, char **paths, size_t n, size_t largest);
/* Keeps at most so many samples of each, of all sizes; 0: all. */
void formats_limit_samples(struct formats *formats, size_t most);
void formats_free(struct formats *formats);

struct plan {
    uint64_t seed;
    uint64_t cuts;  /* of each sample */
    uint64_t flips; /* of each format */
    /* Every so many-th input is written as a run file; is written, published and asked; 0: none. */
    uint64_t written, asked;
};

/* How many inputs a format has. */
uint64_t count_inputs(const struct format *format, const struct plan *plan);
/* The i-th: always the same bytes. Returns the sample that it is made of; `how` says what was done
 * to it. */
const struct sample *input_make(const struct format *format, const struct plan *plan, uint64_t i,
                                struct ps_buf *out, char how[80]);

/* What became of the inputs of a format; in memory that its process shares. */
struct tally {
    volatile uint64_t current; /* the input at work */
    uint64_t accepted, refused, asked;
    uint64_t memory_kib; /* most at any time */
    char failure[1000];  /* what did not hold of it; "": nothing said */
};

/* What comes next, a file or a member of an archive, has all of the time that one profile may take.
 */
void limit_time(void);

/* Puts it through. False: something did not hold, and tally->wrong says what. */
bool check_input(struct test_shelf *shelf, const struct format *format, const struct plan *plan,
                 struct ps_str bytes, struct tally *tally);

#endif
