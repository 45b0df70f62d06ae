/* SPDX-License-Identifier: MIT */
/* Draws a treemap: one fill per origin and tint, names where they fit, dots for tiles that are too
 * small. */
import { formatSeconds, text } from '../../base/units';
import type { FrameTheme } from '../../canvas/theme';
import { type Measure, fitEllipsis, fitForms, moduleForms } from '../../model/labels';
import { tintOf } from '../../model/tint';
import type { Imports } from './data';
import { type PackageTile, REST_TILE, type Rect, type Tile, type Treemap } from './treemap';

/* Index in ORIGINS. */
const UNKNOWN = 4;

export interface TreemapScene {
    map: Treemap;
    tree: Imports;
    theme: FrameTheme;
    match: Uint8Array | null;
    /** index of a tile, or -1 */
    hover: number;
    /** index of a node, or -1 */
    selected: number;
}

export function drawTreemap(ctx: CanvasRenderingContext2D, scene: TreemapScene, area: Rect): void {
    const { map, theme } = scene;
    ctx.clearRect(0, 0, area.w, area.h);
    ctx.textBaseline = 'alphabetic';
    const measure: Measure = (label) => ctx.measureText(label).width;
    for (const tile of map.tiles) drawTile(ctx, scene, tile, measure);
    for (const tile of map.packages) drawHead(ctx, scene, tile, measure);
    if (scene.selected >= 0) {
        const tile = map.tiles.find(({ node }) => node === scene.selected);
        if (tile) outline(ctx, tile, theme.accent, 2);
    }
    if (scene.hover >= 0 && map.tiles[scene.hover]) {
        outline(ctx, map.tiles[scene.hover], theme.text1, 1.5);
    }
}

function drawTile(
    ctx: CanvasRenderingContext2D,
    { tree, theme, match }: TreemapScene,
    tile: Tile,
    measure: Measure,
): void {
    const { x, y, w, h, node } = tile;
    if (node === REST_TILE) {
        paintDots(ctx, tile, theme.text3);
        return;
    }
    const name = tree.frames.name[node];
    const origin = tree.frames.origin?.[node] ?? UNKNOWN;
    const dim = match !== null && match[node] === 0;
    ctx.globalAlpha = dim ? 0.5 : 1;
    ctx.fillStyle = theme.fills[origin][tintOf(name)].solid;
    ctx.fillRect(x, y, Math.max(0.5, w - 1), Math.max(0.5, h - 1));
    if (w >= 34 && h >= 15) {
        ctx.globalAlpha = dim ? 0.8 : 1;
        ctx.font = theme.font;
        ctx.fillStyle = origin === UNKNOWN ? theme.text1 : theme.ink;
        const forms = moduleForms(name, tree.packages[tile.package]);
        const label = fitForms(forms, w - 9, measure);
        if (label) ctx.fillText(label, x + 4, y + 12.5);
        const value = text(formatSeconds(tile.us / 1e6));
        if (label && h >= 29 && measure(value) <= w - 9) {
            ctx.globalAlpha *= 0.78;
            ctx.fillText(value, x + 4, y + 26.5);
        }
    }
    ctx.globalAlpha = 1;
}

function drawHead(
    ctx: CanvasRenderingContext2D,
    { tree, theme }: TreemapScene,
    tile: PackageTile,
    measure: Measure,
): void {
    if (tile.head === 0) return;
    ctx.fillStyle = theme.inset;
    ctx.fillRect(tile.x, tile.y, tile.w - 1, tile.head - 1);
    ctx.font = theme.fontStrong;
    ctx.fillStyle = theme.text1;
    const name = tree.packages[tile.package];
    const label = fitEllipsis(name, tile.w - 9, measure);
    ctx.fillText(label, tile.x + 4, tile.y + 11.5);
    const left = tile.x + 4 + measure(label) + 7;
    ctx.font = theme.font;
    ctx.fillStyle = theme.text2;
    const value = text(formatSeconds(tile.us / 1e6));
    if (label === name && left + measure(value) <= tile.x + tile.w - 4) {
        ctx.fillText(value, left, tile.y + 11.5);
    }
}

function paintDots(ctx: CanvasRenderingContext2D, { x, y, w, h }: Rect, colour: string): void {
    ctx.fillStyle = colour;
    ctx.globalAlpha = 0.8;
    for (let dy = 2; dy < Math.max(3, h - 1); dy += 4) {
        for (let dx = 2; dx < Math.max(3, w - 1); dx += 4) ctx.fillRect(x + dx, y + dy, 1, 1);
    }
    ctx.globalAlpha = 1;
}

function outline(ctx: CanvasRenderingContext2D, rect: Rect, colour: string, width: number): void {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    const inset = width / 2;
    ctx.strokeRect(
        rect.x + inset,
        rect.y + inset,
        Math.max(1, rect.w - 1 - width),
        Math.max(1, rect.h - 1 - width),
    );
}
