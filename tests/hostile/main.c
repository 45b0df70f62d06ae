/* SPDX-License-Identifier: MIT */
/*
 * hostile: cuts good profiles short and flips their bits, and puts each of them through
 * recognition, importer, run file, publication and every view: no crash, no hang, memory bounded,
 * the ledger adds up, one clear error otherwise. A format is one process, which goes on behind an
 * input that ended it.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/hostile.h"

#define SECONDS      10  /* of processor time for one profile */
#define HUNG         600 /* of waiting, for one that waits for ever */
#define FINDINGS_MAX 20  /* of a format, which is then given up */
#define MEMORY_MAX   ((uint64_t)1 << 30)

/* What a sanitizer holds back of freed memory is no memory of the importers. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=16:hard_rss_limit_mb=1024";
}

static const char usage[] =
    "usage: hostile [--cuts N] [--flips N] [--seed N] [--written N] [--asked N] [--samples N]\n"
    "               [--largest BYTES] [--jobs N] [--save DIR] [--only LABEL] PATH...\n"
    "  --cuts N      places at which each sample is cut (200)\n"
    "  --flips N     inputs with flipped bits of each format (10000)\n"
    "  --written N   every N-th input becomes a run file, others are only read (8)\n"
    "  --asked N     every N-th becomes one, is published and asked for every view (64)\n"
    "  --samples N   at most so many of a format (0: all)\n"
    "  --largest N   bytes of the largest sample (262144)\n"
    "  --save DIR    where inputs that were not borne are written (.)\n";

struct options {
    struct plan plan;
    size_t samples, largest, jobs;
    const char *save, *only;
};

/* A format at work. */
struct worker {
    const struct format *format;
    struct tally *tally; /* shared with its process */
    pid_t pid;           /* 0: none */
    unsigned findings;
};

/* --- Child process of a format --- */

void limit_time(void)
{
    const struct itimerval timer = {.it_value.tv_sec = SECONDS};

    (void)setitimer(ITIMER_PROF, &timer, NULL);
    (void)alarm(HUNG);
}

static void note_memory(struct tally *tally)
{
    struct rusage used;

    (void)getrusage(RUSAGE_SELF, &used);
    tally->memory_kib = (uint64_t)used.ru_maxrss;
}

static void work(const struct worker *w, const struct plan *plan, uint64_t from)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    uint64_t n = count_inputs(w->format, plan);
    struct test_shelf shelf;
    char how[80];

    test_shelf_open(&shelf);
    for (uint64_t i = from; i < n; i++) {
        w->tally->current = i;
        (void)input_make(w->format, plan, i, &bytes, how);
        limit_time();
        if (!check_input(&shelf, w->format, plan, ps_buf_slice(&bytes), w->tally))
            _exit(3);
        note_memory(w->tally);
    }
    w->tally->current = n;
    test_shelf_close(&shelf);
}

static void start(struct worker *w, const struct plan *plan, uint64_t from)
{
    w->tally->failure[0] = '\0';
    (void)fflush(stdout);
    w->pid = fork();
    if (w->pid < 0) {
        perror("fork");
        exit(2);
    }
    if (w->pid > 0)
        return;
#ifndef PS_SANITIZED
    (void)setrlimit(RLIMIT_DATA, &(struct rlimit){MEMORY_MAX, MEMORY_MAX});
#endif
    work(w, plan, from);
    exit(0); /* and tells of leaks */
}

/* --- Outcomes --- */

static void save(const struct options *o, const struct worker *w, struct ps_str bytes)
{
    char path[400];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/hostile-%.40s-%llu", o->save, w->format->label,
                   (unsigned long long)w->tally->current);
    for (char *c = path + strlen(o->save) + 1; *c; c++)
        *c = (*c == ' ' || *c == '/') ? '_' : *c;
    file = fopen(path, "wb");
    if (!file || fwrite(bytes.ptr, 1, bytes.len, file) != bytes.len || fclose(file) != 0)
        perror(path);
    else
        (void)printf("    it lies in %s\n", path);
}

static void tell(const struct options *o, struct worker *w, int status)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    const struct sample *sample;
    char how[80];

    w->findings++;
    if (w->tally->current >= count_inputs(w->format, &o->plan)) {
        (void)printf("%s: its process ended with status %d, for leaks most likely\n",
                     w->format->label, status);
        return;
    }
    sample = input_make(w->format, &o->plan, w->tally->current, &bytes, how);
    (void)printf("%s, input %llu: %s, %s: %s%d: %s\n", w->format->label,
                 (unsigned long long)w->tally->current, sample->path, how,
                 WIFSIGNALED(status) ? "signal " : "exit status ",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), w->tally->failure);
    save(o, w, ps_buf_slice(&bytes));
}

static void sum_up(const struct options *o, const struct worker *w)
{
    const struct tally *t = w->tally;

    (void)printf(
        "%-44s %3zu samples %7llu inputs %7llu accepted %7llu refused %6llu asked %5llu MiB"
        "%s\n",
        w->format->label, w->format->n, (unsigned long long)count_inputs(w->format, &o->plan),
        (unsigned long long)t->accepted, (unsigned long long)t->refused,
        (unsigned long long)t->asked, (unsigned long long)(t->memory_kib >> 10),
        w->findings ? " FAILED" : "");
    (void)fflush(stdout);
}

/* Starts it again behind what it did not bear; false: it is done. */
static bool ended(const struct options *o, struct worker *w, int status)
{
    w->pid = 0;
    if (status != 0) {
        tell(o, w, status);
        if (w->tally->current + 1 < count_inputs(w->format, &o->plan) &&
            w->findings < FINDINGS_MAX) {
            start(w, &o->plan, w->tally->current + 1);
            return true;
        }
    }
    sum_up(o, w);
    return false;
}

static unsigned run_all(const struct options *o, const struct formats *formats)
{
    struct worker workers[FORMATS_MAX] = {0};
    struct tally *tallies = mmap(NULL, FORMATS_MAX * sizeof *tallies, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    size_t started = 0, running = 0;
    unsigned findings = 0;

    if (tallies == MAP_FAILED)
        abort();
    while (started < formats->n || running) {
        int status;
        pid_t pid;

        if (started < formats->n && running < o->jobs) {
            struct worker *w = &workers[started];

            *w = (struct worker){.format = &formats->items[started], .tally = &tallies[started]};
            started++;
            if (o->only && !strstr(w->format->label, o->only))
                continue;
            (void)fflush(stdout);
            start(w, &o->plan, 0);
            running++;
            continue;
        }
        if (!running)
            break;
        pid = wait(&status);
        for (size_t i = 0; i < started; i++)
            if (workers[i].pid == pid && !ended(o, &workers[i], status))
                running--;
    }
    for (size_t i = 0; i < started; i++)
        findings += workers[i].findings;
    return findings;
}

/* --- Main program --- */

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);

    if (!*text || *end) {
        (void)fprintf(stderr, "hostile: %s is no number\n%s", text, usage);
        exit(2);
    }
    return value;
}

static struct options read_options(int argc, char **argv)
{
    static const struct option names[] = {
        {"cuts", 1, NULL, 'c'},    {"flips", 1, NULL, 'f'},   {"seed", 1, NULL, 's'},
        {"asked", 1, NULL, 'a'},   {"written", 1, NULL, 'w'}, {"samples", 1, NULL, 'n'},
        {"largest", 1, NULL, 'l'}, {"jobs", 1, NULL, 'j'},    {"save", 1, NULL, 'd'},
        {"only", 1, NULL, 'o'},    {NULL, 0, NULL, 0}};
    struct options o = {{1, 200, 10000, 8, 64}, 0, 262144, 1, ".", NULL};
    int c;

    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (c) {
        case 'c':
            o.plan.cuts = number(optarg);
            break;
        case 'f':
            o.plan.flips = number(optarg);
            break;
        case 's':
            o.plan.seed = number(optarg);
            break;
        case 'a':
            o.plan.asked = number(optarg);
            break;
        case 'w':
            o.plan.written = number(optarg);
            break;
        case 'n':
            o.samples = number(optarg);
            break;
        case 'l':
            o.largest = number(optarg);
            break;
        case 'j':
            o.jobs = number(optarg);
            break;
        case 'd':
            o.save = optarg;
            break;
        case 'o':
            o.only = optarg;
            break;
        default:
            (void)fputs(usage, stderr);
            exit(2);
        }
    }
    return o;
}

int main(int argc, char **argv)
{
    struct options o = read_options(argc, argv);
    struct formats formats;
    unsigned findings;

    formats_read(&formats, argv + optind, (size_t)(argc - optind), o.largest);
    formats_limit_samples(&formats, o.samples);
    if (formats.n == 0) {
        (void)fprintf(stderr, "hostile: no profile lies there\n%s", usage);
        return 2;
    }
    (void)printf("seed %llu\n", (unsigned long long)o.plan.seed);
    findings = run_all(&o, &formats);
    (void)printf("%zu formats, %u findings\n", formats.n, findings);
    formats_free(&formats);
    return findings ? 1 : 0;
}
