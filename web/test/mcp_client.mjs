/* SPDX-License-Identifier: MIT
 *
 * Calls every tool of `perfshelf mcp` with the client of the protocol's own SDK, over one of its
 * transports and in one revision of the protocol. tests/http/mcp_http.py starts it on a shelf with
 * the runs "slow", "cached", "waits" and "imports". Prints the names of the tools that it called, as
 * JSON.
 *
 *     mcp_client.mjs REVISION stdio PROGRAM ARGUMENT...
 *     mcp_client.mjs REVISION http URL [TOKEN]
 */
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [revision, kind, ...words] = process.argv.slice(2);

const ENDLESS =
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';

/** Arguments of a call of each tool, and a text that its answer has. */
const CALLS = {
    list_runs: [{ max_rows: 3 }, '### runs'],
    summary: [{ run: 'slow' }, '`author_of` (`bookshop.py:29`) takes 41.0 % of the time'],
    hot: [{ run: 'slow', metric: 'total' }, 'ranked by: Total time (cumtime_s)'],
    explore: [{ run: 'slow', name: 'author_of' }, '655.5 ms'],
    timeline: [{ run: 'waits', step: 'slowest' }, '### devices'],
    compare: [{ base: 'slow', new: 'cached' }, '1.599 s → 1.159 s'],
    trend: [{ series: 'shop' }, '### Points, newest first'],
    lazy_imports: [{ run: 'imports' }, '`botocore`'],
    check: [{ run: 'slow', budgets: ['headline=2s'] }, 'Passed: 0 of 1 over the limit'],
    sql: [{ run: 'slow', sql: 'SELECT count(*) AS n FROM functions' }, '| 455 |'],
    formats: [{ search: 'cProfile' }, 'python -m cProfile -o app.prof app.py'],
};

/** The tools of --allow-write. */
const WRITING_CALLS = {
    add: [{ files: ['awscli.log'], folder: 'demo/profiles' }, 'was on the shelf'],
    record: [{ recorder: 'time', command: ['echo', 'hello'] }, '`hello`'],
};

/** Offers `revision` in place of the newest one that the SDK knows. */
function inRevision(transport) {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
        if (message.method === 'initialize') message.params.protocolVersion = revision;
        return send(message, options);
    };
    return transport;
}

function transport() {
    if (kind === 'stdio')
        return new StdioClientTransport({ command: words[0], args: words.slice(1) });
    const headers = words[1] ? { Authorization: `Bearer ${words[1]}` } : {};
    return new StreamableHTTPClientTransport(new URL(words[0]), { requestInit: { headers } });
}

const client = new Client({ name: 'conformance', version: '1' });
client.onerror = (error) => {
    // The server offers no event stream, which the transport tries to open. The end of the client
    // may overtake its own messages about cancelled calls.
    if (!/405|Method Not Allowed|Failed to send cancellation/.test(String(error))) throw error;
};
await client.connect(inRevision(transport()));

assert.equal(client.getServerVersion().name, 'perfshelf');
assert.match(client.getInstructions(), /never instructions/);
assert.deepEqual(await client.ping(), {});

const { tools } = await client.listTools();
if (tools.some((tool) => tool.name === 'record')) Object.assign(CALLS, WRITING_CALLS);
assert.deepEqual(
    tools.map((tool) => tool.name).sort(),
    Object.keys(CALLS).sort(),
    'a tool without a call here',
);

function textOf(result) {
    assert.equal(result.content.length, 1);
    assert.equal(result.content[0].type, 'text');
    return result.content[0].text;
}

for (const [name, [args, expected]] of Object.entries(CALLS)) {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.isError, false, `${name}: ${textOf(result)}`);
    assert.ok(textOf(result).includes(expected), `${name}: ${textOf(result)}`);
    const json = await client.callTool({ name, arguments: { ...args, format: 'json' } });
    assert.ok(JSON.parse(textOf(json)).parts.length > 0, name);
}

const { resources } = await client.listResources();
assert.equal(resources.length, 7);
for (const { uri, mimeType } of resources) {
    const { contents } = await client.readResource({ uri });
    assert.equal(contents[0].mimeType, mimeType);
    assert.ok(contents[0].text.length > 500, uri);
}
assert.deepEqual((await client.listResourceTemplates()).resourceTemplates, []);
await assert.rejects(client.readResource({ uri: 'file:///etc/passwd' }), { code: -32002 });

// Errors: of the arguments and the shelf they are results, of the protocol they are errors.
for (const args of [{}, { run: 7 }, { run: 'nothing' }, { run: 'slow', other: 1 }])
    assert.equal((await client.callTool({ name: 'summary', arguments: args })).isError, true);
await assert.rejects(client.callTool({ name: 'rm', arguments: {} }), { code: -32602 });
await assert.rejects(client.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: {} }));

// Calls at the same time are answered each with its own result.
const several = await Promise.all(
    ['slow', 'cached', 'waits'].map((run) =>
        client.callTool({ name: 'summary', arguments: { run } }),
    ),
);
['slow', 'cached', 'waits'].forEach((run, i) =>
    assert.ok(textOf(several[i]).includes(`- name: \`${run}\``)),
);

// Cancelled calls end at the client (that they end on the server too is a test of the server), and the next one is answered.
const stop = new AbortController();
const args = { run: 'slow', sql: ENDLESS };
const calls = [1, 2, 3].map(() =>
    client.callTool({ name: 'sql', arguments: args }, undefined, { signal: stop.signal }),
);
setTimeout(() => stop.abort('test'), 300);
for (const call of calls) await assert.rejects(call);
await client.callTool({ name: 'list_runs', arguments: {} });

await client.close();
console.log(JSON.stringify(Object.keys(CALLS)));
