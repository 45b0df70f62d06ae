/* SPDX-License-Identifier: MIT */

interface CrumbPart {
    frame: number;
    name: string;
}

const SHOWN_END = 4;

/** Path of the zoomed frame, outermost first. It covers the first row, so that the layout does not
 * shift. */
export function FrameCrumb({
    path,
    onPick,
}: {
    path: CrumbPart[];
    onPick: (frame: number) => void;
}) {
    const firstShown = path.length > SHOWN_END + 2 ? path.length - SHOWN_END : 1;
    const shown = [path[0], ...path.slice(firstShown)];
    return (
        <nav class="frame-crumb" aria-label="zoom level">
            {shown.map((part, i) => (
                <>
                    {i > 0 && (
                        <span class="crumb-sep">{i === 1 && firstShown > 1 ? '/ … /' : '/'}</span>
                    )}
                    <button
                        type="button"
                        class={i === shown.length - 1 ? 'is-last' : ''}
                        title={i === 0 ? `${part.name}: reset zoom` : part.name}
                        onClick={() => onPick(i === 0 ? -1 : part.frame)}
                    >
                        {part.name}
                    </button>
                </>
            ))}
            <span class="crumb-keys">
                <kbd>Esc</kbd> zoom out one level <kbd>0</kbd> all
            </span>
        </nav>
    );
}
