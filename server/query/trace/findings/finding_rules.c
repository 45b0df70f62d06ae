/* SPDX-License-Identifier: MIT */
/*
 * finding_rules.c: the rules of findings. The constants below are all thresholds, with their
 * sources. The thresholds of perfshelf are chosen such that a loop that keeps its device busy has
 * no findings.
 */
#include "server/query/trace/findings/finding_rules.h"

#include <stdio.h>
#include <string.h>

#include "server/query/advice.h"

/* Thresholds from the overview of tb_plugin 0.4. */
#define LOADER_SHARE        0.05
#define COMMUNICATION_SHARE 0.10
#define LOW_USE_SHARE       0.50
#define FULL_MEMORY_SHARE   0.90
#define TENSOR_CORES_SINCE  7 /* first major compute capability with Tensor Cores */
/* Thresholds of perfshelf. If less than a tenth of a step can be saved, even a perfect fix is hard
 * to measure. */
#define WAITING_SHARE     0.10
#define SYNC_SHARE        0.10
#define TINY_LAUNCH_SHARE 0.10
#define CPU_BOUND_SHARE   0.30
#define COPY_SHARE        0.05 /* like LOADER_SHARE, because these copies also load the batch */
#define OPTIMIZER_SHARE   0.05
/* share of kernel time; with less, another number format does not pay off */
#define MATMUL_SHARE     0.10
#define TINY_COUNT_SHARE 0.50 /* share of the number of kernels */
#define LONG_CALL_SHARE  0.05 /* like LOADER_SHARE */
/* kernels per Optimizer.step; a fused optimizer launches a few dozen */
#define UNFUSED_KERNELS 100

/* Formats a duration for messages: "1.250 ms". Returns `out`. */
static const char *format_duration(int64_t ns, char out[32])
{
    if (ns >= 1000000000)
        (void)snprintf(out, 32, "%.3f s", (double)ns / 1e9);
    else if (ns >= 1000000)
        (void)snprintf(out, 32, "%.3f ms", (double)ns / 1e6);
    else if (ns >= 1000)
        (void)snprintf(out, 32, "%.1f µs", (double)ns / 1e3);
    else
        (void)snprintf(out, 32, "%lld ns", (long long)ns);
    return out;
}

/* Two times as text for messages, and share = part / whole, 0..1. */
struct ratio {
    char part[32], whole[32];
    double share;
};

static struct ratio ratio_of(int64_t part, int64_t whole)
{
    struct ratio ratio = {.share = whole > 0 ? (double)part / (double)whole : 0};

    format_duration(part, ratio.part);
    format_duration(whole, ratio.whole);
    if (ratio.share > 1)
        ratio.share = 1;
    return ratio;
}

/* Adds advice to the text. */
static void advise(struct ps_finding *finding, enum ps_advice advice)
{
    const size_t used = strlen(finding->text);

    (void)snprintf(finding->text + used, sizeof finding->text - used, " %s",
                   ps_advice_words[advice]);
}

static bool check_dataloader(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    struct ratio loader = ratio_of(facts->tensorboard[PS_ROLE_DATALOADER], facts->wall_ns);

    finding->share = loader.share;
    finding->view = "operators";
    finding->params[0][0] = "q";
    finding->params[0][1] = "enumerate(Data";
    (void)snprintf(finding->text, sizeof finding->text,
                   "The loop waits for data for %s of %s, %.1f %%, while nothing else runs.",
                   loader.part, loader.whole, 100 * loader.share);
    advise(finding, PS_ADVICE_LOAD_AHEAD);
    return loader.share > LOADER_SHARE;
}

static bool check_waiting(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    int64_t devices = (int64_t)facts->n_devices;
    struct ratio waiting = ratio_of(devices ? facts->waiting_ns / devices : 0,
                                    facts->span.to_ns - facts->span.from_ns);

    finding->share = waiting.share;
    finding->view = "timeline";
    if (facts->longest_wait.to_ns > facts->longest_wait.from_ns)
        finding->range = facts->longest_wait;
    (void)snprintf(
        finding->text, sizeof finding->text,
        "The device is idle for %s of %s, %.1f %%, because the host has not launched the next "
        "kernel yet.",
        waiting.part, waiting.whole, 100 * waiting.share);
    advise(finding, PS_ADVICE_FEWER_LAUNCHES);
    return waiting.share > WAITING_SHARE;
}

static bool check_copies(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    struct ratio copies = ratio_of(facts->pageable.ns, facts->wall_ns);

    finding->share = copies.share;
    finding->view = "kernels";
    finding->params[0][0] = "q";
    finding->params[0][1] = "Pageable";
    (void)snprintf(
        finding->text, sizeof finding->text,
        "%lld copies between pageable host memory and the device take %s of %s, %.1f %%.",
        (long long)facts->pageable.calls, copies.part, copies.whole, 100 * copies.share);
    advise(finding, PS_ADVICE_PINNED_COPIES);
    (void)snprintf(finding->brief, sizeof finding->brief, "%lld copies, %s",
                   (long long)facts->pageable.calls, copies.part);
    return copies.share > COPY_SHARE;
}

static bool check_tiny_kernels(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    double tiny = facts->kernels ? (double)facts->tiny_kernels / (double)facts->kernels : 0;
    struct ratio launches = ratio_of((int64_t)((double)facts->launches.ns * tiny), facts->wall_ns);

    finding->share = launches.share;
    finding->view = "kernels";
    finding->params[0][0] = "sort";
    finding->params[0][1] = "calls";
    (void)snprintf(
        finding->text, sizeof finding->text,
        "%lld of %lld kernels (%.0f %%) run for less than 5 µs. Launching them takes the host "
        "about %s of %s, %.1f %%.",
        (long long)facts->tiny_kernels, (long long)facts->kernels, 100 * tiny, launches.part,
        launches.whole, 100 * launches.share);
    advise(finding, PS_ADVICE_FUSE_KERNELS);
    (void)snprintf(finding->brief, sizeof finding->brief, "%lld of %lld kernels are below 5 µs",
                   (long long)facts->tiny_kernels, (long long)facts->kernels);
    return tiny > TINY_COUNT_SHARE && launches.share > TINY_LAUNCH_SHARE;
}

static bool check_syncs(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    struct ratio syncs = ratio_of(facts->syncs.ns, facts->wall_ns);
    double idle = facts->wall_ns ? (double)facts->idle_ns / (double)facts->wall_ns : 0;

    /* While the host waits for a busy device, no time is lost. Only idle time of the device can be
     * saved. */
    finding->share = syncs.share < idle ? syncs.share : idle;
    finding->view = "operators";
    finding->params[0][0] = "q";
    finding->params[0][1] = "Synchronize";
    (void)snprintf(finding->text, sizeof finding->text,
                   "%lld synchronising calls (%lld .item()) block the host for %s of %s, %.1f %%, "
                   "and the device is idle for %.1f %%. Meanwhile the host launches nothing ahead.",
                   (long long)facts->syncs.calls, (long long)facts->item_calls.calls, syncs.part,
                   syncs.whole, 100 * syncs.share, 100 * idle);
    (void)snprintf(finding->brief, sizeof finding->brief, "%lld calls, %s on the host",
                   (long long)facts->syncs.calls, syncs.part);
    return finding->share > SYNC_SHARE && facts->syncs.calls > facts->n_steps;
}

static bool check_device_use(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    int64_t busy = 0, span = 0;
    struct ratio use;

    for (size_t i = 0; i < facts->n_devices; i++) {
        busy = ps_add_saturated(busy, facts->devices[i].busy_ns);
        span = ps_add_saturated(span, facts->devices[i].span_ns);
    }
    use = ratio_of(busy, span);
    finding->share = 1 - use.share;
    finding->view = "overview";
    (void)snprintf(finding->text, sizeof finding->text,
                   "Kernels run for %s of %s of device time: the %s is busy %.1f %% of the time.",
                   use.part, use.whole, facts->device_word, 100 * use.share);
    advise(finding, PS_ADVICE_LARGER_BATCHES);
    return span > 0 && use.share < LOW_USE_SHARE;
}

static bool check_communication(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    int64_t ns = facts->n_devices ? facts->exposed_communication_ns
                                  : facts->tensorboard[PS_ROLE_COMMUNICATION];
    struct ratio exposed = ratio_of(ns, facts->wall_ns);

    finding->share = exposed.share;
    finding->view = facts->n_devices ? "kernels" : "operators";
    finding->params[0][0] = "q";
    finding->params[0][1] = facts->n_devices ? "ccl" : "loo:";
    (void)snprintf(finding->text, sizeof finding->text,
                   "Communication that does not overlap with computation takes %s of %s, %.1f %%.",
                   exposed.part, exposed.whole, 100 * exposed.share);
    advise(finding, PS_ADVICE_COMMUNICATE_LESS);
    return exposed.share > COMMUNICATION_SHARE;
}

static bool check_tensor_cores(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    struct ratio unused = ratio_of(facts->no_tensor_cores_ns, facts->kernel_ns);
    bool capable = false;
    size_t used;

    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct ps_device_fact *device = &facts->devices[i];

        /* AMD devices have similar compute capabilities, but no Tensor Cores. */
        capable = capable || (device->capability >= TENSOR_CORES_SINCE &&
                              !strstr(device->name, "AMD") && !strstr(device->name, "Instinct"));
    }
    finding->share = ratio_of(facts->no_tensor_cores_ns, facts->wall_ns).share;
    finding->no_speedup = true; /* the products take time on Tensor Cores too */
    finding->view = "kernels";
    finding->params[0][0] = "sort";
    finding->params[0][1] = "total_us";
    (void)snprintf(finding->text, sizeof finding->text,
                   "Matrix products and convolutions without Tensor Cores take %s of %s of kernel "
                   "time, %.1f %%.",
                   unused.part, unused.whole, 100 * unused.share);
    advise(finding, PS_ADVICE_MIXED_PRECISION);
    used = strlen(finding->text);
    (void)snprintf(finding->text + used, sizeof finding->text - used,
                   " Whether kernels use them is known for %.1f %% of kernel time.",
                   100 - 100 * ratio_of(facts->unknown_tensor_cores_ns, facts->kernel_ns).share);
    (void)snprintf(finding->brief, sizeof finding->brief, "%s of %s of kernel time", unused.part,
                   unused.whole);
    return capable && unused.share > MATMUL_SHARE;
}

static bool check_memory(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    char worker[40] = "";

    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct ps_device_fact *device = &facts->devices[i];

        if (device->memory_bytes <= 0 ||
            device->peak_bytes <= FULL_MEMORY_SHARE * device->memory_bytes)
            continue;
        finding->share = device->peak_bytes / device->memory_bytes;
        finding->share = finding->share > 1 ? 1 : finding->share;
        finding->base = "of device memory";
        finding->no_speedup = true;
        finding->view = "memory";
        if (facts->devices[facts->n_devices - 1].worker > 0) /* ordered by worker: several */
            (void)snprintf(worker, sizeof worker, " of worker %lld", (long long)device->worker);
        (void)snprintf(finding->text, sizeof finding->text,
                       "Device %lld%s used %.2f of %.2f GiB at its peak, %.1f %%.",
                       (long long)device->device, worker, device->peak_bytes / 1073741824,
                       device->memory_bytes / 1073741824, 100 * finding->share);
        advise(finding, PS_ADVICE_KEEP_BATCH);
        return true;
    }
    return false;
}

static bool check_data_parallel(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    struct ratio forward = ratio_of(facts->data_parallel.ns, facts->wall_ns);

    finding->share = forward.share;
    finding->no_speedup = true;
    finding->view = "operators";
    finding->params[0][0] = "q";
    finding->params[0][1] = "DataParallel.forward";
    (void)snprintf(finding->text, sizeof finding->text,
                   "DataParallel drives %zu devices from one process (%lld calls, %s of %s).",
                   facts->n_devices, (long long)facts->data_parallel.calls, forward.part,
                   forward.whole);
    advise(finding, PS_ADVICE_DISTRIBUTED);
    (void)snprintf(finding->brief, sizeof finding->brief, "%lld calls, %s on the host",
                   (long long)facts->data_parallel.calls, forward.part);
    return facts->n_devices > 1 && facts->data_parallel.calls && !facts->distributed.calls;
}

static bool check_gloo(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    struct ratio gloo = ratio_of(facts->gloo.ns, facts->wall_ns);

    finding->share = gloo.share;
    finding->view = "operators";
    finding->params[0][0] = "q";
    finding->params[0][1] = "gloo:";
    (void)snprintf(finding->text, sizeof finding->text,
                   "%lld collectives use the gloo backend on the host (%s of %s, %.1f %%), "
                   "although there are %ss.",
                   (long long)facts->gloo.calls, gloo.part, gloo.whole, 100 * gloo.share,
                   facts->device_word);
    advise(finding,
           strcmp(facts->device_word, "GPU") == 0 ? PS_ADVICE_NCCL : PS_ADVICE_DEVICE_BACKEND);
    (void)snprintf(finding->brief, sizeof finding->brief, "%lld collectives, %s on the host",
                   (long long)facts->gloo.calls, gloo.part);
    return facts->n_devices && facts->gloo.calls;
}

static bool check_optimizer(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    struct ratio optimizer = ratio_of(facts->optimizer.ns, facts->wall_ns);
    double kernels = facts->optimizer.calls
                         ? (double)facts->optimizer_kernels / (double)facts->optimizer.calls
                         : 0;

    finding->share = optimizer.share;
    finding->view = "operators";
    finding->params[0][0] = "q";
    finding->params[0][1] = "Optimizer.step";
    (void)snprintf(
        finding->text, sizeof finding->text,
        "Optimizer.step launches %.0f kernels per call, one parameter at a time, and takes the "
        "host %s of %s, %.1f %%.",
        kernels, optimizer.part, optimizer.whole, 100 * optimizer.share);
    advise(finding, PS_ADVICE_FUSE_OPTIMIZER);
    (void)snprintf(finding->brief, sizeof finding->brief, "%.0f kernels per call, %s on the host",
                   kernels, optimizer.part);
    return !facts->has_fused_optimizer && kernels > UNFUSED_KERNELS &&
           optimizer.share > OPTIMIZER_SHARE;
}

static bool check_cpu_bound(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    struct ratio host = ratio_of(
        ps_add_saturated(facts->tensorboard[PS_ROLE_RUNTIME], facts->tensorboard[PS_ROLE_CPU]),
        facts->wall_ns);

    finding->share = host.share;
    finding->view = "operators";
    finding->params[0][0] = "on";
    finding->params[0][1] = "host";
    (void)snprintf(
        finding->text, sizeof finding->text,
        "The host works for %s of %s, %.1f %%, while the device is idle: the step is CPU-bound.",
        host.part, host.whole, 100 * host.share);
    return facts->n_devices && host.share > CPU_BOUND_SHARE;
}

static bool check_long_call(const struct ps_trace_facts *facts, struct ps_finding *finding)
{
    const struct ps_long_call *call = &facts->long_call;
    struct ratio share = ratio_of(call->ns, facts->wall_ns);
    char others[64] = "it is the only call", mean[32];

    if (call->mean_ns)
        (void)snprintf(others, sizeof others, "the other calls take %s on average",
                       format_duration(call->mean_ns, mean));
    finding->share = share.share;
    finding->range = call->range;
    finding->view = "timeline";
    finding->params[0][0] = "slice";
    finding->params[0][1] = call->slice;
    (void)snprintf(finding->text, sizeof finding->text,
                   "One call of %s takes %s of %s, %.1f %%; %s.", call->name, share.part,
                   share.whole, 100 * share.share, others);
    advise(finding, PS_ADVICE_ONCE_BEFORE_LOOP);
    (void)snprintf(finding->brief, sizeof finding->brief, "%s of %s", share.part, call->name);
    return call->slice[0] && share.share > LONG_CALL_SHARE;
}

static const struct ps_finding_rule rules[] = {
    {"dataloader", "Waiting for the DataLoader", "dataloader", check_dataloader, true, false},
    {"gpu_utilisation", "% busy less than half of the time", "host_bound", check_device_use, true,
     true},
    {"launch_bound", "% waits for kernel launches", "host_bound", check_waiting, true, true},
    {"cpu_bound", "CPU-bound steps", "host_bound", check_cpu_bound, true, true},
    {"communication", "Exposed communication", "communication", check_communication, true, false},
    {"synchronisation", "Synchronising calls", "host_bound", check_syncs, false, true},
    {"pageable_copies", "Copies from pageable memory", "copies", check_copies, false, true},
    {"tiny_kernels", "Many small kernels", "host_bound", check_tiny_kernels, false, true},
    {"long_call", "One call takes much longer than the others", "host_bound", check_long_call,
     false, false},
    {"optimizer", "Optimizer is not fused", "host_bound", check_optimizer, false, true},
    {"tensor_cores", "Tensor Cores unused", "kernels", check_tensor_cores, false, true},
    {"memory", "% memory nearly full", NULL, check_memory, false, true},
    {"data_parallel", "DataParallel instead of DistributedDataParallel", "communication",
     check_data_parallel, false, true},
    {"gloo", "Collectives use the host (gloo)", "communication", check_gloo, false, true},
};

/* Writes a title with the word of the device in place of "%". */
static void write_title(const char *title, const char *word, char *out, size_t size)
{
    const size_t before = strcspn(title, "%");

    if (title[before])
        (void)snprintf(out, size, "%.*s%s%s", (int)before, title, word, title + before + 1);
    else
        (void)snprintf(out, size, "%s", title);
}

size_t ps_trace_check(const struct ps_trace_facts *facts, struct ps_check **out)
{
    bool has_device = facts->n_devices || facts->kernels;
    size_t n = 0;

    *out = ps_alloc_array(sizeof rules / sizeof *rules, sizeof **out);
    for (size_t i = 0; i < sizeof rules / sizeof *rules && facts->wall_ns > 0; i++) {
        struct ps_check *check = &(*out)[n];

        if (rules[i].needs_device && !has_device)
            continue;
        check->rule = &rules[i];
        write_title(rules[i].title, facts->device_word, check->title, sizeof check->title);
        check->finding.base = facts->has_steps ? "of step" : "of trace";
        check->finding.range = facts->span;
        check->found = rules[i].check(facts, &check->finding);
        n++;
    }
    return n;
}
