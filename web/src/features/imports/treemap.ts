/* SPDX-License-Identifier: MIT */
/* Treemap of self times: one tile per package, in it one tile per module, sized by its self time.
 * Tiles are not nested by import, so all time is shown once and the large modules are visible
 * immediately. */
import type { Imports } from './data';

export interface Rect {
    x: number;
    y: number;
    w: number;
    h: number;
}

export interface Tile extends Rect {
    /** a module, or REST_TILE: all modules of the package that are too small for tiles of their
     * own */
    node: number;
    package: number;
    us: number;
}

export interface PackageTile extends Rect {
    package: number;
    us: number;
    modules: number;
    /** height of the title line; 0 if there is no space for one */
    head: number;
}

export interface Treemap {
    packages: PackageTile[];
    tiles: Tile[];
    us: number;
}

export const REST_TILE = -1;
const HEAD_HEIGHT = 16;
/** px²; smaller modules have no tile of their own */
const MIN_TILE_PX2 = 9;

/** Squarified layout (Bruls, Huizing, van Wijk): values, largest first, fill the rectangle in rows
 * along its shorter side. A row accepts values as long as its worst aspect ratio improves. */
export function squarify(values: readonly number[], rect: Rect): Rect[] {
    const out: Rect[] = [];
    let sum = values.reduce((a, b) => a + b, 0);
    let { x, y, w, h } = rect;
    let at = 0;
    while (at < values.length && sum > 0) {
        const side = Math.min(w, h);
        const scale = (w * h) / sum;
        let end = at + 1;
        let row = values[at];
        let worst = worstAspectRatio(row, row, row, side, scale);
        for (; end < values.length; end++) {
            const more = row + values[end];
            const next = worstAspectRatio(values[at], values[end], more, side, scale);
            if (next > worst) break;
            [row, worst] = [more, next];
        }
        const thickness = side > 0 ? (row * scale) / side : 0;
        let along = 0;
        for (let i = at; i < end; i++) {
            const length = row > 0 ? (values[i] / row) * side : 0;
            out.push(
                w <= h
                    ? { x: x + along, y, w: length, h: thickness }
                    : { x, y: y + along, w: thickness, h: length },
            );
            along += length;
        }
        if (w <= h) [y, h] = [y + thickness, Math.max(0, h - thickness)];
        else [x, w] = [x + thickness, Math.max(0, w - thickness)];
        sum -= row;
        at = end;
    }
    while (out.length < values.length) out.push({ x, y, w: 0, h: 0 });
    return out;
}

function worstAspectRatio(
    largest: number,
    smallest: number,
    row: number,
    side: number,
    scale: number,
): number {
    const square = (row * scale) ** 2;
    const s2 = side * side;
    return Math.max(
        (s2 * largest * scale) / square,
        square / (s2 * Math.max(smallest * scale, 1e-12)),
    );
}

/** `only`: the zoomed package, or -1. Negative self times have no area. */
export function layoutTreemap(
    tree: Imports,
    hidden: Uint8Array | null,
    only: number,
    minUs: number,
    area: Rect,
): Treemap {
    const nodesByPackage = new Map<number, number[]>();
    const usByPackage = new Map<number, number>();
    for (let i = 0; i < tree.n; i++) {
        const us = tree.self[i];
        if (us <= 0 || us < minUs || hidden?.[i] || (only >= 0 && tree.package[i] !== only))
            continue;
        const list = nodesByPackage.get(tree.package[i]);
        if (list) list.push(i);
        else nodesByPackage.set(tree.package[i], [i]);
        usByPackage.set(tree.package[i], (usByPackage.get(tree.package[i]) ?? 0) + us);
    }
    const order = [...usByPackage].sort((a, b) => b[1] - a[1]);
    const rects = squarify(
        order.map(([, us]) => us),
        area,
    );
    const out: Treemap = {
        packages: [],
        tiles: [],
        us: order.reduce((sum, [, us]) => sum + us, 0),
    };
    order.forEach(([packageIndex, us], i) => {
        const rect = rects[i];
        const list = nodesByPackage.get(packageIndex) ?? [];
        const head = rect.w >= 46 && rect.h >= 40 && list.length > 1 ? HEAD_HEIGHT : 0;
        out.packages.push({ ...rect, package: packageIndex, us, modules: list.length, head });
        const inner = { x: rect.x, y: rect.y + head, w: rect.w, h: Math.max(0, rect.h - head) };
        addModuleTiles(out.tiles, tree, list, packageIndex, us, inner);
    });
    return out;
}

function addModuleTiles(
    tiles: Tile[],
    tree: Imports,
    list: number[],
    packageIndex: number,
    sum: number,
    rect: Rect,
): void {
    list.sort((a, b) => tree.self[b] - tree.self[a] || a - b);
    const perPx = (rect.w * rect.h) / sum;
    let shown = list.length;
    while (shown > 0 && tree.self[list[shown - 1]] * perPx < MIN_TILE_PX2) shown--;
    const values = list.slice(0, shown).map((node) => tree.self[node]);
    const rest = sum - values.reduce((a, b) => a + b, 0);
    const rects = squarify(rest > 0 ? [...values, rest] : values, rect);
    values.forEach((us, i) =>
        tiles.push({ ...rects[i], node: list[i], package: packageIndex, us }),
    );
    if (rest > 0)
        tiles.push({ ...rects[values.length], node: REST_TILE, package: packageIndex, us: rest });
}

/** Index of the tile under a point, or -1. */
export function tileAt(map: Treemap, x: number, y: number): number {
    return map.tiles.findIndex((t) => x >= t.x && x < t.x + t.w && y >= t.y && y < t.y + t.h);
}
