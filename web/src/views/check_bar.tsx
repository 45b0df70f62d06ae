/* SPDX-License-Identifier: MIT
 *
 * What can be done with the checked runs. With two of them it already states the difference.
 */
import { useState } from 'preact/hooks';
import { useKeys } from '../base/keys';
import type { Run } from '../base/types';
import { int } from '../base/units';
import { baseAndNew, headlineDelta, NOISE_PCT } from '../model/shelf_rows';
import { deltaWords } from './shelf_columns';

interface CheckBarProps {
    runs: Run[];
    onEdit: () => void;
    onDelete: () => void;
    onClear: () => void;
}

export function CheckBar({ runs, onEdit, onDelete, onClear }: CheckBarProps) {
    const [swapped, setSwapped] = useState(false);
    const two = runs.length === 2;
    const swap = () => setSwapped((now) => !now);
    useKeys('Checked runs', [
        { key: 'e', label: 'edit name, series, tags', run: onEdit },
        { key: 'Delete', label: 'delete', run: onDelete },
        { key: 'Escape', label: 'uncheck all', run: onClear },
        ...(two ? [{ key: 'x', label: 'swap base and new', run: swap }] : []),
    ]);
    return (
        <div class="check-bar" role="region" aria-label="checked runs">
            <b>{int(runs.length)} selected</b>
            {two && <Pair runs={runs} swapped={swapped} />}
            <span class="check-actions">
                {two && (
                    <button type="button" class="quiet" onClick={swap}>
                        Swap <kbd>x</kbd>
                    </button>
                )}
                <button type="button" class="quiet" onClick={onEdit}>
                    {runs.length === 1 ? 'Edit' : 'Tag'} <kbd>e</kbd>
                </button>
                <button type="button" class="quiet danger" onClick={onDelete}>
                    Delete
                </button>
                <button type="button" class="quiet" onClick={onClear}>
                    Clear <kbd>esc</kbd>
                </button>
            </span>
        </div>
    );
}

function Pair({ runs, swapped }: { runs: Run[]; swapped: boolean }) {
    const pair = baseAndNew(runs[0], runs[1]);
    const [base, fresh] = swapped ? [pair[1], pair[0]] : pair;
    return (
        <>
            <span class="check-pair">
                <small>base</small> <span title={base.name}>{base.name}</span> → <small>new</small>{' '}
                <span title={fresh.name}>{fresh.name}</span>
            </span>
            <Verdict base={base} fresh={fresh} />
        </>
    );
}

function Verdict({ base, fresh }: { base: Run; fresh: Run }) {
    const delta = headlineDelta(base, fresh);
    if (!delta) return <span class="faint">they measure different things</span>;
    const words = deltaWords(delta.by, delta.unit, delta.pct);
    const small = delta.pct !== null && Math.abs(delta.pct) < NOISE_PCT;
    if (delta.by === 0 || small) return <span class="faint">{words}</span>;
    return delta.by > 0 ? (
        <span class="slower" title="slower">
            ▲ {words}
        </span>
    ) : (
        <span class="faster" title="faster">
            ▼ {words}
        </span>
    );
}
