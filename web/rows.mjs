/* SPDX-License-Identifier: MIT
 *
 * Writes generated/rows.ts, the types of the rows that statements answer (schema/row_types.py), and
 * generated/answers.ts, those of the other answers (schema/answers.py). Only the type check and eslint
 * read them: bundles have no types.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

for (const [program, file] of [
    ['row_types.py', 'rows.ts'],
    ['answers.py', 'answers.ts'],
])
    execFileSync('python3', [path(`../schema/${program}`), 'types', path(`generated/${file}`)], {
        stdio: 'inherit',
    });
