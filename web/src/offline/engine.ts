/* SPDX-License-Identifier: MIT
 *
 * TypeScript interface of the engine (server/offline/engine.c): its memory, imports and functions.
 */
import type { Answer } from './worker_messages';

interface Exports {
    memory: WebAssembly.Memory;
    _initialize: () => void;
    ps_engine_alloc: (bytes: number) => number;
    ps_engine_file: (name: number, address: number, bytes: number) => void;
    ps_engine_open: () => number;
    ps_engine_ask: (url: number) => number;
}

const NOT_SUPPORTED = 58; // errno of WASI (ENOTSUP)

/** WASI functions of the engine: a clock, random numbers, and output of error messages. There are
 * no files. */
export function wasiFunctions(memory: () => WebAssembly.Memory) {
    const view = () => new DataView(memory().buffer);
    return {
        clock_time_get(_id: number, _precision: bigint, out: number): number {
            const ms = performance.timeOrigin + performance.now();
            view().setBigUint64(out, BigInt(Math.round(ms * 1000)) * 1000n, true);
            return 0;
        },
        random_get(address: number, bytes: number): number {
            crypto.getRandomValues(new Uint8Array(memory().buffer, address, bytes));
            return 0;
        },
        fd_write(_fd: number, pieces: number, n: number, out: number): number {
            let output = '';
            let bytes = 0;
            for (let i = 0; i < n; i++) {
                const address = view().getUint32(pieces + 8 * i, true);
                const length = view().getUint32(pieces + 8 * i + 4, true);
                output += new TextDecoder().decode(
                    new Uint8Array(memory().buffer, address, length),
                );
                bytes += length;
            }
            console.error(output);
            view().setUint32(out, bytes, true);
            return 0;
        },
        fd_close: () => NOT_SUPPORTED,
        fd_seek: () => NOT_SUPPORTED,
    };
}

export class Engine {
    private constructor(private readonly exports: Exports) {}

    static async start(code: BufferSource): Promise<Engine> {
        let exports: Exports | null = null;
        const { instance } = await WebAssembly.instantiate(code, {
            wasi_snapshot_preview1: wasiFunctions(() => (exports as Exports).memory),
        });
        exports = instance.exports as unknown as Exports;
        exports._initialize();
        return new Engine(exports);
    }

    /** Allocates memory in the engine, for bytes that are passed to it. */
    alloc(bytes: number): number {
        return this.exports.ps_engine_alloc(bytes) >>> 0;
    }

    fill(address: number, bytes: Uint8Array): void {
        new Uint8Array(this.exports.memory.buffer).set(bytes, address);
    }

    private text(text: string): number {
        const bytes = new TextEncoder().encode(text);
        const address = this.alloc(bytes.length + 1);
        this.fill(address, bytes);
        return address;
    }

    addFile(name: string, address: number, bytes: number): void {
        this.exports.ps_engine_file(this.text(name), address, bytes);
    }

    open(): boolean {
        return this.exports.ps_engine_open() === 1;
    }

    request(url: string): Answer {
        const address = this.exports.ps_engine_ask(this.text(url)) >>> 0;
        const view = new DataView(this.exports.memory.buffer);
        const readWord = (i: number) => view.getUint32(address + 4 * i, true);
        const type = readWord(1);
        const memoryBytes = new Uint8Array(this.exports.memory.buffer);
        return {
            status: readWord(0),
            type: new TextDecoder().decode(
                memoryBytes.subarray(type, memoryBytes.indexOf(0, type)),
            ),
            body: memoryBytes.slice(readWord(2), readWord(2) + readWord(3)),
            attachment: readWord(4) === 1,
        };
    }
}
