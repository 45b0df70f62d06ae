/* SPDX-License-Identifier: MIT
 *
 * The segments of the allocator at the cursor, in address order: width is bytes.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SegmentMap } from '../../base/answers';
import { bytesText, int, pct, plural, THIN_SPACE } from '../../base/units';
import { paintStrip, STRIP_STEP, stripHeight } from '../../canvas/segment_strip';
import { chartLeft } from '../../canvas/snapshot_chart';
import { readSnapshotTheme } from '../../canvas/snapshot_theme';
import { usePaint, useWidth } from '../../components/painting';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { capital } from '../../model/labels';
import type { Pick } from '../../model/snapshot_pick';
import {
    HOLE,
    hasPoolRows,
    layoutSegments,
    pieceAt,
    type SegmentPiece,
} from '../../model/snapshot_segments';

interface StripProps {
    map: SegmentMap;
    /** 'at the cursor' */
    where: string;
    names: readonly string[];
    pick: Pick | null;
    allocation: number | null;
    /** bytes that the failed allocation at the cursor asked for; null: none failed */
    asked: number | null;
    onBlock: (allocation: number, stack: number | null) => void;
}

const RIGHT = 16;
const leftOf = (width: number, byPool: boolean): number => (byPool ? 104 : chartLeft(width));

function addressOf({ segments }: SegmentMap, piece: SegmentPiece): string {
    const { address } = segments[piece.segment];
    return `0x${(BigInt(address) + BigInt(piece.offset)).toString(16)}`;
}

/** What a hole is, and whether the failed allocation would have fitted. */
function holeText(map: SegmentMap, hole: SegmentPiece, asked: number | null): string {
    const what = `Unused ${bytesText(hole.bytes)} at ${addressOf(map, hole)}`;
    if (asked === null) return what;
    if (asked <= hole.bytes) return `${what}: ${bytesText(asked)} would fit`;
    return `${what}: ${bytesText(asked)} were asked, ${bytesText(asked - hole.bytes)} too much`;
}

function pieceText(map: SegmentMap, piece: SegmentPiece, names: readonly string[]): string {
    const more = piece.count > 1 ? `, the largest of ${int(piece.count)} here` : '';
    const segment = map.segments[piece.segment];
    const where = `at ${addressOf(map, piece)}, in a segment of ${bytesText(segment.bytes)}, stream ${segment.stream}`;
    if (piece.group === HOLE) return `unused ${bytesText(piece.bytes)}${more} ${where}`;
    const [, , requested, , , state] = segment.blocks[piece.block];
    const pending = state === 'waits' ? ', waits for another stream' : '';
    return `${names[piece.group] ?? ''} ${bytesText(requested)}${more} ${where}${pending}`;
}

export function SegmentStrip(props: StripProps) {
    const { map, where, names, pick, allocation, asked, onBlock } = props;
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const { box, width } = useWidth();
    const [hole, setHole] = useState<SegmentPiece | null>(null);
    const byPool = useMemo(() => hasPoolRows(map), [map]);
    const left = leftOf(width, byPool);
    const rows = useMemo(
        () => layoutSegments(map, Math.max(1, width - left - RIGHT)),
        [map, width, left],
    );
    const paint = (): void => {
        if (!canvas.current || width === 0) return;
        const scene = { rows, map, left, width: width - left, pick, allocation, hole };
        paintStrip(canvas.current, scene, readSnapshotTheme(canvas.current));
    };
    usePaint(paint);
    useEffect(() => setHole(null), [map.at]);
    const pieceOf = (event: MouseEvent): SegmentPiece | null => {
        if (!canvas.current) return null;
        const bounds = canvas.current.getBoundingClientRect();
        const row = Math.floor((event.clientY - bounds.top) / STRIP_STEP);
        return pieceAt(rows, row, event.clientX - bounds.left - left);
    };
    const select = (piece: SegmentPiece | null): void => {
        if (!piece) return;
        setHole(piece.group === HOLE ? piece : null);
        if (piece.group === HOLE) return;
        const block = map.segments[piece.segment].blocks[piece.block];
        if (block[4] !== null) onBlock(block[4], block[6]);
    };
    const share = map.reserved > 0 ? (100 * map.unused) / map.reserved : 0;
    const facts = `${plural(map.count, 'segment')} of ${bytesText(map.reserved)}, unused ${bytesText(map.unused)}`;
    return (
        <section class="snapshot-segments" aria-label={`Segments ${where}`}>
            <div class="snapshot-line">
                <b>Segments {where}</b>
                <span class="soft" role="status">
                    {`${int(map.count)} of ${bytesText(map.reserved)}`}
                    {' · '}
                    {`unused ${bytesText(map.unused)}, ${pct(share)}${THIN_SPACE}% of reserved`}
                    {` · largest hole ${bytesText(map.largest_hole)}`}
                    {hole && hole.segment < map.segments.length ? (
                        <b class="snapshot-hole">{holeText(map, hole, asked)}</b>
                    ) : (
                        <span class="wide-only"> · in address order, width = bytes</span>
                    )}
                </span>
                <span class="spacer" />
                <span class="snapshot-key soft hide-below-600">
                    <i class="is-hole" /> unused
                </span>
            </div>
            {!map.exact && (
                <p class="snapshot-note">
                    {capital(map.note ?? 'the file does not say where all segments were')}.
                </p>
            )}
            <div ref={box} class="snapshot-strip">
                <canvas
                    ref={canvas}
                    role="img"
                    aria-label={`segments in address order: ${facts}`}
                    style={{ width: `${width}px`, height: `${stripHeight(rows)}px` }}
                    onPointerMove={(event) => {
                        const piece = event.pointerType === 'touch' ? null : pieceOf(event);
                        if (piece)
                            showTooltip(pieceText(map, piece, names), event.clientX, event.clientY);
                        else hideTooltip();
                    }}
                    onPointerLeave={() => hideTooltip()}
                    onClick={(event) => select(pieceOf(event))}
                />
            </div>
        </section>
    );
}
