/* SPDX-License-Identifier: MIT
 *
 * What the tabs of a memory snapshot say if it has no history or no memory, with the command that records.
 */
import type { ComponentChildren } from 'preact';
import { CopyButton } from '../../components/copy_button';

const RECORD = 'torch.cuda.memory._record_memory_history()';

/** `children`: what is known or not without a history. */
export function HistoryOff({ children }: { children: ComponentChildren }) {
    return (
        <p class="snapshot-off">
            History was off: {children} To record it: <code>{RECORD}</code>{' '}
            <CopyButton text={RECORD} />
        </p>
    );
}

export function NoMemory() {
    return (
        <div class="tab-body snapshot">
            <div class="grid-empty">
                <p>
                    This snapshot has no memory: nothing was allocated on a GPU. To record
                    allocations:
                </p>
                <p class="teach">
                    <code>{RECORD}</code> <CopyButton text={RECORD} />
                </p>
            </div>
        </div>
    );
}
