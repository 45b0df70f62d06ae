/* SPDX-License-Identifier: MIT
 *
 * Worker that runs the engine, so that no request blocks the page. It receives the engine's code
 * and the files, inflates them directly into the engine's memory, and then handles one request
 * after the other.
 */
import { Engine } from './engine';
import type { FromWorker, ToWorker } from './worker_messages';

const worker = self as unknown as {
    onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
    postMessage: (message: FromWorker, move?: Transferable[]) => void;
};

interface IncomingFile {
    name: string;
    push: (part: Uint8Array<ArrayBuffer>) => Promise<void>;
    end: () => Promise<void>;
}

let engine: Engine | null = null;
let incoming: IncomingFile | null = null;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

/* Inflates gzip parts. Calls `onBytes` with the inflated bytes and their offset; `bytes` is the
 * expected size. */
function inflate(name: string, bytes: number, onBytes: (at: number, piece: Uint8Array) => void) {
    const stream = new DecompressionStream('gzip');
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    async function drain(): Promise<void> {
        let at = 0;
        for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            if (at + value.length > bytes)
                throw new Error(`${name} is damaged: it has more than ${bytes} bytes`);
            onBytes(at, value);
            at += value.length;
        }
        if (at !== bytes) throw new Error(`${name} is truncated at byte ${at} of ${bytes}`);
    }
    const drainDone = drain();
    drainDone.catch(() => undefined); // push and end report the error
    return {
        push: (part: Uint8Array<ArrayBuffer>) => Promise.race([writer.write(part), drainDone]),
        end: () => Promise.all([writer.close(), drainDone]),
    };
}

function openIncoming(name: string, bytes: number): IncomingFile {
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
    const owner = engine;
    const address = owner.alloc(bytes);
    const { push, end } = inflate(name, bytes, (at, piece) => owner.fill(address + at, piece));
    return {
        name,
        push,
        end: async () => {
            await end();
            owner.addFile(name, address, bytes);
        },
    };
}

async function closeIncoming(): Promise<void> {
    const finished = incoming;
    incoming = null;
    await finished?.end();
}

async function receive(message: ToWorker): Promise<void> {
    if (message.say === 'part') await incoming?.push(bytesOf(message.base64));
    else if (message.say === 'file') {
        await closeIncoming();
        incoming = openIncoming(message.name, message.bytes);
    } else if (message.say === 'open') {
        await closeIncoming();
        if (!engine?.open()) throw new Error('its catalog cannot be read');
        worker.postMessage({ say: 'open' });
    } else if (engine) {
        const answer = engine.request(message.url);
        worker.postMessage({ say: 'answer', id: message.id, answer }, [answer.body.buffer]);
    }
}

/* Messages are handled in order: each waits until the previous one has been processed. */
let lastMessage = Promise.resolve();
worker.onmessage = ({ data }) => {
    lastMessage = lastMessage
        .then(() => receive(data))
        .catch((error: unknown) => worker.postMessage({ say: 'failed', text: String(error) }));
};
