/* SPDX-License-Identifier: MIT
 *
 * Worker that runs the engine, so that no request blocks the page. It receives the engine's code
 * and the files, inflates them directly into the engine's memory, and then handles one request
 * after the other.
 */
import { Engine } from './engine';
import type { FromWorker, ToWorker } from './worker_words';

const worker = self as unknown as {
    onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
    postMessage: (said: FromWorker, move?: Transferable[]) => void;
};

interface RunningImport {
    name: string;
    push: (part: Uint8Array<ArrayBuffer>) => Promise<void>;
    end: () => Promise<void>;
}

let engine: Engine | null = null;
let incoming: RunningImport | null = null;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

/* `take` is called with the inflated bytes and their offset. */
function inflate(name: string, bytes: number, take: (at: number, piece: Uint8Array) => void) {
    const stream = new DecompressionStream('gzip');
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    async function drain(): Promise<void> {
        let at = 0;
        for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            if (at + value.length > bytes) throw new Error(`${name} is longer than it says`);
            take(at, value);
            at += value.length;
        }
        if (at !== bytes) throw new Error(`${name} ends at byte ${at} of ${bytes}`);
    }
    const drained = drain();
    drained.catch(() => undefined); // push and end report the error
    return {
        push: (part: Uint8Array<ArrayBuffer>) => Promise.race([writer.write(part), drained]),
        end: () => Promise.all([writer.close(), drained]),
    };
}

function openIncoming(name: string, bytes: number): RunningImport {
    if (!engine) {
        const code = new Uint8Array(bytes);
        const { push, end } = inflate(name, bytes, (at, piece) => code.set(piece, at));
        return {
            name,
            push,
            end: async () => {
                await end();
                engine = await Engine.start(code);
            },
        };
    }
    const mine = engine;
    const place = mine.alloc(bytes);
    const { push, end } = inflate(name, bytes, (at, piece) => mine.fill(place + at, piece));
    return {
        name,
        push,
        end: async () => {
            await end();
            mine.addFile(name, place, bytes);
        },
    };
}

async function closeIncoming(): Promise<void> {
    const last = incoming;
    incoming = null;
    await last?.end();
}

async function hear(said: ToWorker): Promise<void> {
    if (said.say === 'part') await incoming?.push(bytesOf(said.base64));
    else if (said.say === 'file') {
        await closeIncoming();
        incoming = openIncoming(said.name, said.bytes);
    } else if (said.say === 'open') {
        await closeIncoming();
        if (!engine?.open()) throw new Error('its catalog cannot be read');
        worker.postMessage({ say: 'open' });
    } else if (engine) {
        const answer = engine.ask(said.url);
        worker.postMessage({ say: 'answer', id: said.id, answer }, [answer.body.buffer]);
    }
}

/* Messages are handled in order: each waits until the previous one has been processed. */
let turn = Promise.resolve();
worker.onmessage = ({ data }) => {
    turn = turn
        .then(() => hear(data))
        .catch((error: unknown) => worker.postMessage({ say: 'failed', text: String(error) }));
};
