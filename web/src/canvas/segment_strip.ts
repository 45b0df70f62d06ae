/* SPDX-License-Identifier: MIT */
/* Draws the segments of the allocator: blocks in the colour of their stack, holes hatched. */
import type { SegmentMap } from '../base/answers';
import { HOLE, type SegmentPiece, type SegmentRows } from '../model/snapshot_segments';
import { isPicked, type Pick } from '../model/snapshot_pick';
import { sizeCanvas } from './brush';
import { groupColour, hatchPattern, type SnapshotTheme } from './snapshot_theme';

export const STRIP_ROW = 17;
export const STRIP_STEP = 23;

export interface StripScene {
    rows: SegmentRows;
    map: SegmentMap;
    left: number;
    width: number;
    /** outlined: its blocks */
    pick: Pick | null;
    /** outlined: the block of this allocation */
    allocation: number | null;
    /** outlined: a hole */
    hole: SegmentPiece | null;
}

export const stripHeight = ({ labels }: SegmentRows): number => labels.length * STRIP_STEP;

/* Pieces narrower than this have no gap to the next. */
const GAP_FROM = 4;

function isOutlined({ map, pick, allocation, hole }: StripScene, piece: SegmentPiece): boolean {
    if (piece.group === HOLE)
        return hole?.segment === piece.segment && hole.offset === piece.offset;
    const block = map.segments[piece.segment]?.blocks[piece.block];
    if (!block || piece.count > 1) return false;
    if (allocation !== null && block[4] === allocation) return true;
    return block[4] !== null && isPicked(pick, block[6], block[2]);
}

export function paintStrip(
    canvas: HTMLCanvasElement,
    scene: StripScene,
    theme: SnapshotTheme,
): void {
    const { rows, left, width } = scene;
    const ctx = sizeCanvas(canvas, left + width, stripHeight(rows));
    if (!ctx) return;
    const top = (row: number): number => row * STRIP_STEP + 1;
    ctx.font = `11px ${theme.sans}`;
    ctx.fillStyle = theme.text3;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    rows.labels.forEach((label, row) =>
        ctx.fillText(label, left - 8, top(row) + STRIP_ROW / 2 + 0.5, left - 10),
    );
    ctx.save();
    ctx.translate(left, 0);
    const hatch = hatchPattern(ctx, theme);
    for (const piece of rows.pieces) {
        const { row, x0, x1, group } = piece;
        ctx.fillStyle = group === HOLE ? hatch : groupColour(theme, group);
        const gap = x1 - x0 >= GAP_FROM && group !== HOLE ? 1 : 0;
        ctx.fillRect(x0, top(row), Math.max(0.5, x1 - x0 - gap), STRIP_ROW);
    }
    ctx.strokeStyle = theme.lineStrong;
    ctx.lineWidth = 1;
    for (const { row, x0, x1 } of rows.boxes)
        if (x1 - x0 >= 2) ctx.strokeRect(x0 + 0.5, top(row) + 0.5, x1 - x0 - 1, STRIP_ROW - 1);
    ctx.strokeStyle = theme.accent;
    ctx.lineWidth = 2;
    for (const piece of rows.pieces) {
        if (!isOutlined(scene, piece)) continue;
        const { row, x0, x1 } = piece;
        ctx.strokeRect(x0, top(row) + 1, Math.max(2, x1 - x0 - 1), STRIP_ROW - 2);
    }
    ctx.restore();
}
