/* SPDX-License-Identifier: MIT
 *
 * Graphviz in a worker. The page loads this script from the server; HTML exports contain it.
 */
import { Graphviz } from '@hpcc-js/wasm-graphviz';

export interface LayoutRequest {
    dot: string;
}

export type LayoutReply = { json: string } | { error: string };

async function layout(dot: string): Promise<string> {
    const graphviz = await Graphviz.load();
    return graphviz.layout(dot, 'json', 'dot');
}

function errorText(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

addEventListener('message', (event: MessageEvent<LayoutRequest>) => {
    layout(event.data.dot)
        .then((json): LayoutReply => ({ json }))
        .catch((error: unknown): LayoutReply => ({ error: errorText(error) }))
        .then((reply) => postMessage(reply))
        .catch(() => undefined);
});
