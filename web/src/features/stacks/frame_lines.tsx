/* SPDX-License-Identifier: MIT */
/* The lines of a function in the tooltip of its frame. */
import type { FlameAnswer } from '../../base/answers';
import { axisText } from '../../base/axis';
import { pct, plural, THIN_SPACE } from '../../base/units';
import { linesOf } from './flame_tree';

const LINES_SHOWN = 5;

/** Rows of a tooltip: the lines in which the frame spends most, with their shares of the frame. */
export function FrameLines({ flame, node }: { flame: FlameAnswer; node: number }) {
    const lines = linesOf(flame, node);
    if (!lines.length) return null;
    const more = lines.length - LINES_SHOWN;
    return (
        <>
            {lines.slice(0, LINES_SHOWN).map(({ line, total }) => (
                <>
                    <dt>line {line}</dt>
                    <dd>{axisText(total)}</dd>
                    <dd>{`${pct((100 * total) / flame.total[node])}${THIN_SPACE}% of this frame`}</dd>
                </>
            ))}
            {more > 0 && <dt class="tip-more">{plural(more, 'more line')}</dt>}
        </>
    );
}
