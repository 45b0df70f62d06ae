/* SPDX-License-Identifier: MIT
 *
 * The table of importers/kinds.c for the page: `import KINDS from '…/importers/kinds.c'`. The file is
 * C, so the C compiler reads it: it is compiled with a main function that prints the table, and run.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/* Names, marks and tabs are plain words: kinds_test.c checks it. */
const MAIN = `
#include <stdio.h>
#include "importers/kinds.h"
int main(void)
{
    size_t n;
    const struct ps_kind *kinds = ps_kinds(&n);
    for (size_t k = 0; k < n; k++) {
        const char *comma = "";
        printf("%s{\\"name\\": \\"%s\\", \\"mark\\": \\"%s\\", \\"has\\": [", k ? ", " : "[", kinds[k].name, kinds[k].mark);
        for (size_t i = 0; i < PS_N_KIND_HAS_BITS; i++)
            if (kinds[k].has >> i & 1) {
                printf("%s\\"%s\\"", comma, ps_kind_has_word(i));
                comma = ", ";
            }
        comma = "], \\"tabs\\": [";
        for (size_t i = 0; kinds[k].tabs[i]; i++) {
            printf("%s\\"%s\\"", comma, kinds[k].tabs[i]);
            comma = ", ";
        }
        printf("]}");
    }
    puts("]");
}
`;

/** JSON: [{name, mark, has: [...], tabs: [...]}, …] */
export function kindsJson() {
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-kinds-'));
    const program = join(folder, 'kinds');
    const compiler = process.env.CC || 'cc';
    try {
        const options = ['-std=c17', `-I${root}`, '-o', program, '-x', 'c'];
        execFileSync(compiler, [...options, join(root, 'importers', 'kinds.c'), '-'], {
            input: MAIN,
            stdio: ['pipe', 'inherit', 'inherit'],
        });
        return execFileSync(program, { encoding: 'utf8' });
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** The plugin of esbuild. */
export const kinds = {
    name: 'kinds',
    setup(build) {
        build.onLoad({ filter: /importers[\\/]kinds\.c$/ }, () => ({
            contents: kindsJson(),
            loader: 'json',
        }));
    },
};
