/* SPDX-License-Identifier: MIT */
/* Segments of the allocator in address order, as rows of pieces: blocks in use, and holes between them.
 * The width of a piece is its bytes. */
import type { SegmentMap } from '../base/answers';

/** `group` of memory that nothing uses. */
export const HOLE = -1;

/** Pieces narrower than this are drawn as one. */
const LEAST_PX = 1.2;

export interface SegmentPiece {
    row: number;
    /** px from the left of the row */
    x0: number;
    x1: number;
    group: number;
    /** of the largest block or hole of the piece */
    segment: number;
    /** index in the blocks of the segment; -1: a hole */
    block: number;
    offset: number;
    bytes: number;
    /** blocks and holes that are drawn as this piece */
    count: number;
}

/** Part of a segment in a row, in px. */
export interface SegmentBox {
    row: number;
    x0: number;
    x1: number;
    segment: number;
}

export interface SegmentRows {
    labels: string[];
    /** what the rows are: pools of the allocator, or halves of the addresses */
    byPool: boolean;
    boxes: SegmentBox[];
    pieces: SegmentPiece[];
}

interface Placed {
    segment: number;
    /** bytes from the left of the row */
    at: number;
    row: number;
}

function poolLabel(pool: string): string {
    return pool === DEFAULT_POOL ? 'default pool' : `graph pool ${pool}`;
}

const DEFAULT_POOL = '';

/* Pools, the default one first. */
function poolsOf({ segments }: SegmentMap): string[] {
    const pools = [...new Set(segments.map(({ pool }) => pool ?? DEFAULT_POOL))];
    return pools.sort(
        (a, b) => Number(b === DEFAULT_POOL) - Number(a === DEFAULT_POOL) || a.localeCompare(b),
    );
}

const MAX_POOLS = 6;

/** Whether each pool has a row. */
export function hasPoolRows(map: SegmentMap): boolean {
    const { length } = poolsOf(map);
    return length > 1 && length <= MAX_POOLS;
}

function placeSegments(map: SegmentMap): {
    labels: string[];
    byPool: boolean;
    placed: Placed[];
    width: number;
} {
    const pools = poolsOf(map);
    const byPool = hasPoolRows(map);
    const ends = byPool ? pools.map(() => 0) : [0];
    const placed = map.segments.map(({ bytes, pool }, segment) => {
        const row = byPool ? pools.indexOf(pool ?? DEFAULT_POOL) : 0;
        const at = ends[row];
        ends[row] += bytes;
        return { segment, at, row };
    });
    if (byPool)
        return { labels: pools.map(poolLabel), byPool, placed, width: Math.max(1, ...ends) };
    return {
        labels: ['low', 'high'],
        byPool,
        placed,
        width: Math.max(1, Math.ceil(ends[0] / 2)),
    };
}

/* Joins pieces that are too narrow to see; the largest of them gives the colour. */
class Joiner {
    readonly pieces: SegmentPiece[] = [];
    private open: SegmentPiece | null = null;
    private largest = 0;

    add(piece: SegmentPiece): void {
        const width = piece.x1 - piece.x0;
        const { open } = this;
        if (open && open.row === piece.row && piece.x0 <= open.x1 + 0.01) {
            const count = open.count + 1;
            const { x0 } = open;
            if (width > this.largest) Object.assign(open, piece);
            Object.assign(open, { x0, x1: piece.x1, count });
        } else {
            this.flush();
            this.open = { ...piece };
            this.largest = 0;
        }
        this.largest = Math.max(this.largest, width);
        if (this.open && this.open.x1 - this.open.x0 >= LEAST_PX) this.flush();
    }

    flush(): void {
        if (this.open) this.pieces.push(this.open);
        this.open = null;
    }
}

export function layoutSegments(map: SegmentMap, px: number): SegmentRows {
    const { labels, byPool, placed, width } = placeSegments(map);
    const scale = px / width;
    const boxes: SegmentBox[] = [];
    const joiner = new Joiner();
    /* Calls `draw` for the part of a byte range in each row that it touches. */
    const spread = (
        { row, at }: Placed,
        from: number,
        to: number,
        draw: (row: number, x0: number, x1: number) => void,
    ): void => {
        const [a, b] = [at + from, at + to];
        if (byPool) {
            draw(row, a * scale, b * scale);
            return;
        }
        if (a < width) draw(0, a * scale, Math.min(b, width) * scale);
        if (b > width) draw(1, Math.max(0, a - width) * scale, (b - width) * scale);
    };
    for (const place of placed) {
        const { bytes, blocks } = map.segments[place.segment];
        spread(place, 0, bytes, (row, x0, x1) =>
            boxes.push({ row, x0, x1, segment: place.segment }),
        );
        const piece = (offset: number, size: number, group: number, block: number): void =>
            spread(place, offset, offset + size, (row, x0, x1) =>
                joiner.add({
                    row,
                    x0,
                    x1,
                    group,
                    segment: place.segment,
                    block,
                    offset,
                    bytes: size,
                    count: 1,
                }),
            );
        let end = 0;
        blocks.forEach(([offset, size, , group], block) => {
            if (offset > end) piece(end, offset - end, HOLE, -1);
            piece(offset, size, group, block);
            end = Math.max(end, offset + size);
        });
        if (end < bytes) piece(end, bytes - end, HOLE, -1);
    }
    joiner.flush();
    return { labels, byPool, boxes, pieces: joiner.pieces };
}

/** The piece at a point; null: none. */
export function pieceAt({ pieces }: SegmentRows, row: number, x: number): SegmentPiece | null {
    return pieces.find((one) => one.row === row && x >= one.x0 && x < one.x1) ?? null;
}
