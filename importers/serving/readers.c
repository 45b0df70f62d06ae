/* SPDX-License-Identifier: MIT */
#include "importers/serving/readers.h"

static const struct sv_reader readers[] = {
    {&ps_engine_events, sv_read_engine_events, PS_SERVING_ENGINE, false},
    {&ps_engine_log, sv_read_engine_log, PS_SERVING_ENGINE, false},
    {&ps_guidellm, sv_read_guidellm, PS_SERVING_CLIENT, false},
    {&ps_vllm, sv_read_vllm, PS_SERVING_CLIENT, false},
    {&ps_guidellm_csv, sv_read_guidellm_csv, PS_SERVING_CLIENT, false},
    {&ps_serving_text, sv_read_printed, PS_SERVING_CLIENT, false},
    {&ps_vllm_offline, sv_read_vllm_offline, PS_SERVING_CLIENT, false},
    {&ps_sglang, sv_read_sglang, PS_SERVING_CLIENT, false},
    {&ps_aiperf, sv_read_aiperf, PS_SERVING_CLIENT, true},
    {&ps_aiperf_csv, sv_read_aiperf_csv, PS_SERVING_CLIENT, true},
    {&ps_aiperf_records, sv_read_aiperf_records, PS_SERVING_CLIENT, true},
};

const struct sv_reader *sv_reader_of(const struct ps_importer *importer)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].importer == importer)
            return &readers[i];
    return NULL;
}
