/* SPDX-License-Identifier: MIT */
/* Ids of nodes in the URL. They follow from the path to the node, so that they are the same in an
 * answer with more or fewer nodes. */
import type { FrameLayout } from './frames';
import { nameOf, type Tree } from './tree';
import type { DiffTree } from './tree_answers';

const PREFIX = 'p';

interface Ids {
    of: Float64Array;
    nodes: Map<number, number>;
}

/* Two hashes, FNV-1a with two primes, of 32 bits each. */
type Hash = [low: number, high: number];

const PRIMES = [0x01000193, 0x0100019d];

function addHash([low, high]: Hash, [otherLow, otherHigh]: Hash): Hash {
    const nextLow = Math.imul(low ^ otherLow, PRIMES[0]);
    const nextHigh = Math.imul(high ^ otherHigh, PRIMES[1]);
    return [nextLow ^ (nextLow >>> 15), nextHigh ^ (nextHigh >>> 15)];
}

const EMPTY: Hash = [0x811c9dc5 | 0, 0x9dc5811c | 0];

function hashOf(text: string): Hash {
    let [low, high] = EMPTY;
    for (let i = 0; i < text.length; i++) {
        low = Math.imul(low ^ text.charCodeAt(i), PRIMES[0]);
        high = Math.imul(high ^ text.charCodeAt(i), PRIMES[1]);
    }
    return [low, high];
}

/* 53 bits of a hash. */
const numberOf = ([low, high]: Hash): number => (high >>> 11) * 0x100000000 + (low >>> 0);

const computed = new WeakMap<Tree, Ids>();

function idsOf(tree: Tree): Ids {
    const known = computed.get(tree);
    if (known) return known;
    const { n, parent, frame, frames } = tree;
    const rows = frames.name.map((name, row) =>
        hashOf([frames.recordedName?.[row] ?? name, frames.file?.[row], frames.line?.[row]].join()),
    );
    const hashes: Hash[] = [];
    const of = new Float64Array(n);
    const nodes = new Map<number, number>();
    for (let node = 0; node < n; node++) {
        const own = frame[node] < 0 ? hashOf(nameOf(tree, node)) : rows[frame[node]];
        let hash = addHash(parent[node] < 0 ? EMPTY : hashes[parent[node]], own);
        // Callers and callees of a function may have the same path.
        while (nodes.has(numberOf(hash))) hash = addHash(hash, EMPTY);
        hashes.push(hash);
        of[node] = numberOf(hash);
        nodes.set(of[node], node);
    }
    const ids = { of, nodes };
    computed.set(tree, ids);
    return ids;
}

/** Id of a node: that of its row in the file if the answer has one, else that of its path. */
export function idOfNode(tree: Tree, node: number): string {
    return String(tree.id?.[node] ?? PREFIX + idsOf(tree).of[node].toString(36));
}

/** Node of an id; -1: the tree does not have it. */
export function nodeOfId(tree: Tree, id: string | undefined, layout?: FrameLayout): number {
    if (id === undefined || id === '') return -1;
    if (id.startsWith(PREFIX)) return idsOf(tree).nodes.get(parseInt(id.slice(1), 36)) ?? -1;
    const number = /^\d{1,9}$/.test(id) ? Number(id) : -1;
    if (tree.id) return tree.id.indexOf(number);
    // Links of older versions have the number of the node; in snapshots, of its frame without the whole.
    if (tree.stack ?? (tree as Partial<DiffTree>).base?.stack)
        return layout?.node[number + 1] ?? -1;
    return number < tree.n ? number : -1;
}
