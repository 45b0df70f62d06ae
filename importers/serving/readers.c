/* SPDX-License-Identifier: MIT */
#include "importers/serving/readers.h"

static const struct sv_reader readers[] = {
    {&ps_engine_events, sv_read_engine_events, PS_SERVING_ENGINE},
};

const struct sv_reader *sv_reader_of(const struct ps_importer *importer)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].importer == importer)
            return &readers[i];
    return NULL;
}
