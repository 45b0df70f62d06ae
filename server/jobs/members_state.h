/* SPDX-License-Identifier: MIT */
/* members_state.h: what the parts of members.h share: the files of an archive, and the runs into
 * which they are grouped. */
#ifndef PS_JOBS_MEMBERS_STATE_H
#define PS_JOBS_MEMBERS_STATE_H

#include "importers/measurements/asv.h"
#include "server/jobs/members.h"
#include "server/jobs/merge.h"
#include "server/jobs/serving_files.h"

enum {
    /* instead of the index of a part */
    PS_MEMBER_ALONE = -1,
    PS_MEMBER_LEFT_OUT = -2,
    PS_MEMBER_COMPANION = -3, /* belongs to other files, and is not reported */
};

enum ps_part_kind { PS_PART_RANKS, PS_PART_XLA, PS_PART_CRITERION, PS_PART_SERVING };

/* Files that are one run: those of a training job, of the benchmarks of Criterion.rs, or of a
 * serving job. */
struct ps_member_part {
    char *folder;
    size_t files, n_left; /* files: in the archive; left: not read yet */
    struct ps_merge *merge;
    int fd; /* output of the merge; -1: not started */
    enum ps_part_kind kind;
    const char *archive_folder; /* of a serving job: folder of its files in its archive; static */
};

/* What a file describes of the results in its folder and below. */
struct ps_member_descriptions {
    struct ps_str folder; /* with the slash at its end; a slice of the name of the member */
    cJSON *root;
};

struct ps_member {
    char *name;
    bool is_torch_trace; /* a trace of the PyTorch profiler */
    bool is_xplane;      /* a profile of XLA, of one host */
    bool is_asv_result, is_criterion;
    char *criterion_folder; /* of a benchmark.json of Criterion.rs: the folder that it states */
    struct ps_serving_file_facts serving;
    struct ps_job_file file;
    int part;             /* index of its job, or one of the constants above */
    struct ps_err reason; /* reason if it is left out */
};

struct ps_members {
    int fd;
    struct ps_member *items;
    size_t n, cap;
    struct ps_member_part *parts;
    size_t n_parts, cap_parts;
    struct ps_member_descriptions *descriptions;
    size_t n_descriptions, cap_descriptions;
    bool tar, bundle; /* bundle: the first member describes the others */
};

static const struct ps_stream_limits ps_member_limits = {(uint64_t)8 << 30, 1000};

/* Opens the archive from its start; NULL: err is filled. */
struct ps_stream *ps_members_open(int fd, struct ps_err *err);

const char *ps_member_base_name(const char *path);
/* The length of the folder part of a path, with the slash at its end. */
size_t ps_member_folder_len(const char *path);
/* The index of the part of the folder, which is added if it is new. */
int ps_member_part_of(struct ps_members *members, struct ps_str folder);

/* Groups the files of training jobs (members_ranks.c). A job with only one file is imported like
 * any other file. */
void ps_members_find_ranks(struct ps_members *members);
/* Groups the profiles of XLA of one folder, and leaves out copies of them (members_ranks.c). */
void ps_members_find_hosts(struct ps_members *members);
/* Groups the files of serving jobs (members_serving.c). */
void ps_members_find_serving(struct ps_members *members);

/* members_benchmarks.c: */
/* Recognises the files of benchmarks that belong to others. Returns whether the member is one. */
bool ps_member_inspect_benchmark(struct ps_members *members, struct ps_stream *in,
                                 struct ps_member *member);
/* Groups the files of Criterion.rs and of asv. */
void ps_members_find_benchmarks(struct ps_members *members);
/* The descriptions for a result: those of the nearest folder above it. NULL: there are none. */
const struct ps_member_descriptions *ps_member_descriptions_of(const struct ps_members *members,
                                                               const char *name);

#endif
