/* SPDX-License-Identifier: MIT */
#include "server/cli/recorder/machine_facts.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"

#define CPUS_MAX  4096
#define LINE_SIZE 512

/* The first line of a file without its line break; false: it cannot be read. */
static bool read_line(const char *path, char out[LINE_SIZE])
{
    FILE *file = fopen(path, "re");
    const bool has_line = file && fgets(out, LINE_SIZE, file);

    if (file)
        (void)fclose(file);
    if (has_line)
        out[strcspn(out, "\n")] = '\0';
    return has_line;
}

/* The value of the first line "NAME : VALUE" of a file; NULL: there is none. */
static const char *read_field(struct ps_arena *arena, const char *path, const char *name)
{
    const size_t len = strlen(name);
    const char *found = NULL;
    char line[LINE_SIZE];
    FILE *file = fopen(path, "re");

    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');

        if (colon && strncmp(line, name, len) == 0 &&
            strspn(line + len, " \t") + line + len == colon) {
            const struct ps_str value = ps_str_trim(ps_str_from_c(colon + 1));

            found = ps_arena_printf(arena, "%.*s", (int)value.len, value.ptr);
        }
    }
    if (file)
        (void)fclose(file);
    return found && found[0] ? found : NULL;
}

/* --- Limits of the control group --- */

/* What the control groups of this process allow; negative: no limit. */
struct limits {
    double cpus, memory;
};

static void lower(double *limit, double value)
{
    if (value > 0 && (*limit < 0 || value < *limit))
        *limit = value;
}

/* Reads a number of a file of a group; negative: none, or "max". */
static double read_number(struct ps_arena *arena, const char *folder, const char *file)
{
    char line[LINE_SIZE], *end;
    double value;

    if (!read_line(ps_arena_printf(arena, "%s/%s", folder, file), line))
        return -1;
    value = strtod(line, &end);
    return end == line ? -1 : value;
}

/* Reads the limits of one group. Version 1 has a very large number for "no limit" of the memory;
 * such a limit is above the memory of the machine. */
static void read_group(struct ps_arena *arena, const char *folder, struct limits *out)
{
    char line[LINE_SIZE];
    double quota, period;

    if (read_line(ps_arena_printf(arena, "%s/cpu.max", folder), line) &&
        sscanf(line, "%lf %lf", &quota, &period) == 2 && period > 0)
        lower(&out->cpus, quota / period);
    quota = read_number(arena, folder, "cpu.cfs_quota_us");
    period = read_number(arena, folder, "cpu.cfs_period_us");
    if (period > 0)
        lower(&out->cpus, quota / period);
    lower(&out->memory, read_number(arena, folder, "memory.max"));
    lower(&out->memory, read_number(arena, folder, "memory.limit_in_bytes"));
}

/* Reads the limits of a group and of all groups around it. In a container the path may be one of
 * the host, which does not exist here: then the mounted group is that of the container. */
static void read_groups(struct ps_arena *arena, const char *mount, const char *path,
                        struct limits *out)
{
    char *folder = ps_arena_printf(arena, "%s%s", mount, path);
    const size_t root = strlen(mount);

    for (;;) {
        char *slash = strrchr(folder + root, '/');

        read_group(arena, folder, out);
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* Lines are "ID:CONTROLLERS:PATH"; version 2 names no controllers. */
static struct limits read_limits(struct ps_arena *arena)
{
    struct limits out = {-1, -1};
    char line[LINE_SIZE];
    FILE *file = fopen("/proc/self/cgroup", "re");

    while (file && fgets(line, sizeof line, file)) {
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;

        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        read_groups(arena,
                    ps_arena_printf(arena, "/sys/fs/cgroup%s%s", names[1] ? "/" : "", names + 1),
                    path, &out);
    }
    if (file)
        (void)fclose(file);
    return out;
}

/* --- Processors --- */

static size_t read_cpus(cpu_set_t *set, size_t size)
{
    CPU_ZERO_S(size, set);
    return sched_getaffinity(0, size, set) == 0 ? (size_t)CPU_COUNT_S(size, set) : 0;
}

/* The governors of the processors that this process may use: "performance", or "performance,
 * powersave" if they have several. NULL: the kernel does not say. */
static const char *read_governor(struct ps_arena *arena, const cpu_set_t *set, size_t size)
{
    PS_AUTO(ps_buf_free) struct ps_buf all = {0};
    char path[96], line[LINE_SIZE];

    for (size_t cpu = 0; cpu < size * 8; cpu++) {
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/cpufreq/scaling_governor",
                       cpu);
        if (!CPU_ISSET_S(cpu, size, set) || !read_line(path, line) || !line[0] ||
            (all.len && strstr(all.ptr, line)))
            continue;
        ps_buf_printf(&all, "%s%s", all.len ? ", " : "", line);
    }
    return all.len ? ps_arena_printf(arena, "%s", all.ptr) : NULL;
}

/* --- The container --- */

/* The word for a kind of container in a path of control groups; NULL: none. */
static const char *find_container_word(const char *path)
{
    static const char *const words[][2] = {
        {"kubepods", "kubernetes"},   {"docker", "docker"}, {"libpod", "podman"},
        {"containerd", "containerd"}, {"/lxc", "lxc"},      {"/machine.slice", "nspawn"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(path, words[i][0]))
            return words[i][1];
    return NULL;
}

/* The kind of container that this process runs in; "none": there is no sign of one. */
static const char *read_container(void)
{
    const char *found = NULL;
    char line[LINE_SIZE];
    FILE *file;

    if (getenv("KUBERNETES_SERVICE_HOST"))
        return "kubernetes";
    if (access("/.dockerenv", F_OK) == 0)
        return "docker";
    if (access("/run/.containerenv", F_OK) == 0)
        return "podman";
    file = fopen("/proc/1/cgroup", "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = find_container_word(line);
    if (file)
        (void)fclose(file);
    return found ? found : "none";
}

/* --- The GPU --- */

/* "NVIDIA H200", or "8 x NVIDIA H200". GPUs of several models are listed. */
static const char *read_gpus(struct ps_arena *arena)
{
    static const char folder[] = "/proc/driver/nvidia/gpus";
    PS_AUTO(ps_buf_free) struct ps_buf all = {0};
    const char *first = NULL;
    DIR *gpus = opendir(folder);
    const struct dirent *gpu;
    size_t n = 0;
    bool are_alike = true;

    while (gpus && (gpu = readdir(gpus))) {
        const char *path = ps_arena_printf(arena, "%s/%s/information", folder, gpu->d_name);
        const char *model = gpu->d_name[0] == '.' ? NULL : read_field(arena, path, "Model");

        if (!model)
            continue;
        are_alike = are_alike && (!first || strcmp(first, model) == 0);
        first = first ? first : model;
        ps_buf_printf(&all, "%s%s", n ? ", " : "", model);
        n++;
    }
    if (gpus)
        (void)closedir(gpus);
    if (n < 2)
        return first;
    return are_alike ? ps_arena_printf(arena, "%zu x %s", n, first)
                     : ps_arena_printf(arena, "%s", all.ptr);
}

/* The version in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 ...": the
 * first word after a digit that has a dot. */
static const char *read_driver(struct ps_arena *arena)
{
    char line[LINE_SIZE];

    if (!read_line("/proc/driver/nvidia/version", line))
        return NULL;
    for (const char *word = line; *word; word += strspn(word, " ")) {
        const size_t len = strcspn(word, " ");

        if (word[0] >= '0' && word[0] <= '9' && memchr(word, '.', len))
            return ps_arena_printf(arena, "%.*s", (int)len, word);
        word += len;
    }
    return NULL;
}

/* --- All --- */

void ps_machine_load_read(char out[PS_LOAD_SIZE])
{
    char line[LINE_SIZE];

    out[0] = '\0';
    if (read_line("/proc/loadavg", line))
        (void)snprintf(out, PS_LOAD_SIZE, "%.*s", (int)strcspn(line, " "), line);
}

static const char *format_limit(struct ps_arena *arena, double of_machine, double limit)
{
    const double value = limit >= 0 && limit < of_machine ? limit : of_machine;

    return value > 0 ? ps_arena_printf(arena, "%.15g", value) : NULL;
}

void ps_machine_facts_read(struct ps_arena *arena,
                           void (*add)(void *user, const char *key, const char *value), void *user)
{
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    const size_t size = CPU_ALLOC_SIZE(CPUS_MAX), n_cpus = set ? read_cpus(set, size) : 0;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const struct limits limits = read_limits(arena);
    struct utsname system;
    const bool has_system = uname(&system) == 0;
    const char *const facts[][2] = {
        {"cpu", read_field(arena, "/proc/cpuinfo", "model name")},
        {"cores", format_limit(arena, (double)n_cpus, limits.cpus)},
        {"governor", n_cpus ? read_governor(arena, set, size) : NULL},
        {"memory", format_limit(arena, (double)pages * (double)page, limits.memory)},
        {"gpu", read_gpus(arena)},
        {"driver", read_driver(arena)},
        {"machine", has_system ? ps_arena_printf(arena, "%s", system.machine) : NULL},
        {"system",
         has_system ? ps_arena_printf(arena, "%s %s", system.sysname, system.release) : NULL},
        {"container", read_container()},
    };

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i][1])
            add(user, facts[i][0], facts[i][1]);
    CPU_FREE(set);
}
