/* SPDX-License-Identifier: MIT */

interface DiffBarProps {
    delta: number;
    /** |delta| that fills half of the cell */
    most: number;
    tone: 'slower' | 'faster' | 'faint';
}

/** A difference as a bar from the middle: negative to the left, positive to the right. */
export function DiffBar({ delta, most, tone }: DiffBarProps) {
    const share = most > 0 ? Math.min(1, Math.abs(delta) / most) : 0;
    const half = `${share * 50}%`;
    return (
        <span class="diff-bar">
            {delta !== 0 && (
                <i
                    class={`is-${tone}`}
                    style={delta < 0 ? { right: '50%', width: half } : { left: '50%', width: half }}
                />
            )}
        </span>
    );
}
