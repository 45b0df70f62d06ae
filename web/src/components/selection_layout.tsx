/* SPDX-License-Identifier: MIT
 *
 * A picture or table with the pane of its selection: beside it in wide windows, below it in narrower
 * ones, as a sheet from below on phones. Where the pane is beside the picture, it keeps
 * its place without a selection, so that a click does not move the picture.
 */
import type { ComponentChildren } from 'preact';
import { useKeys } from '../base/keys';
import { sizedPane, Splitter } from './splitter';
import { viewportWidth } from './viewport';

export const PANE_LIMITS = { normal: 328, min: 260, max: 560 };
const BESIDE_PX = 1100;

/** Whether the pane has a place beside the picture or table. */
export const isPaneBeside = (): boolean => viewportWidth.value >= BESIDE_PX;

interface SelectionLayoutProps {
    /** the pane; null: nothing is selected */
    pane: ComponentChildren;
    /** What a click selects: 'a frame'. Without it, the pane has no place while nothing is selected. */
    what?: string;
    /** what the pane shows of it; default: cost, callers and callees */
    about?: string;
    children: ComponentChildren;
}

const COST_AND_CALLS = 'what it costs, what calls it and what it calls';

export function SelectionLayout({
    pane,
    what,
    about = COST_AND_CALLS,
    children,
}: SelectionLayoutProps) {
    const sized = sizedPane('selection', PANE_LIMITS);
    const isBeside = isPaneBeside();
    const isSheet = sized.isOpen && !isBeside && Boolean(pane);
    useKeys('Selection pane', [
        {
            key: '\\',
            label: sized.isOpen ? 'close the pane' : 'open the pane',
            run: () => sized.setOpen(!sized.isOpen),
        },
    ]);
    return (
        <div class={isSheet ? 'panes has-sheet' : 'panes'}>
            <section class="pane pane-main">{children}</section>
            {sized.isOpen && isBeside && (pane || what) && (
                <div class="selection-place" style={{ width: sized.size }}>
                    <Splitter pane={sized} side="right" label="width of the selection pane" />
                    {pane || (
                        <p class="selection-empty">
                            Click {what}: {about} is shown here. <kbd>\</kbd> closes the pane.
                        </p>
                    )}
                </div>
            )}
            {isSheet && <div class="selection-sheet">{pane}</div>}
        </div>
    );
}
