/* SPDX-License-Identifier: MIT */
/* importer_child.c: a test program that imports is started again as the importer, like perfshelf.
 */
#include <stdlib.h>
#include <string.h>

#include "server/jobs/importer_main.h"

__attribute__((constructor)) static void begin(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], PS_IMPORTER_VERB) == 0)
        exit(ps_importer_main(argc, argv));
}
