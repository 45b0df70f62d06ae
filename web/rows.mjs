/* SPDX-License-Identifier: MIT
 *
 * Writes generated/rows.ts, the types of the rows that statements answer (schema/row_types.py). Only
 * the type check and eslint read it: bundles have no types.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

execFileSync('python3', [path('../schema/row_types.py'), 'types', path('generated/rows.ts')], {
    stdio: 'inherit',
});
