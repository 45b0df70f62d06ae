/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { wasiFunctions } from '../src/offline/engine';

const engine = '../build/engine/engine.wasm';

/* A query that opens a file or asks the system would make every exported page fail at its start. */
test(
    'the engine wants nothing of the system but what the page gives',
    {
        skip: existsSync(engine) ? false : 'the engine is not built',
    },
    () => {
        const module = new WebAssembly.Module(readFileSync(engine));
        const given = Object.keys(wasiFunctions(() => new WebAssembly.Memory({ initial: 1 })));
        const wanted = WebAssembly.Module.imports(module);
        assert.deepEqual(
            wanted.filter(
                ({ module: from, name }) =>
                    from !== 'wasi_snapshot_preview1' || !given.includes(name),
            ),
            [],
        );
    },
);
