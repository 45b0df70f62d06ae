/* SPDX-License-Identifier: MIT
 *
 * Bar with the actions for the checked runs; for two runs it also shows their difference.
 */
import { useState } from 'preact/hooks';
import type { Comparison, Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { kindHas } from '../../base/kinds';
import { formatHash, goTo } from '../../base/router';
import { int } from '../../base/units';
import { groupName, groupQuery, repeatGroups, verdictOf } from '../../model/compare';
import { baseAndNew, headlineDelta, NOISE_PCT } from '../../model/shelf_rows';
import { comparePath, groupHash } from '../compare/state';
import { compareHash } from '../shared/chosen_step';
import { useData } from '../shared/use_json';
import { deltaText } from './columns';

interface CheckBarProps {
    runs: Run[];
    /** null if the user may not edit */
    onEdit: (() => void) | null;
    onDelete: (() => void) | null;
    onClear: () => void;
}

type Groups = [base: Run[], fresh: Run[]];

/* Groups to compare. Two runs are a pair. More runs are split into two groups of repeats if
 * `grouped`; else null. */
function groupsOf(runs: Run[], grouped: boolean, swapped: boolean): Groups | null {
    const pair = (): Groups => {
        const [base, fresh] = baseAndNew(runs[0], runs[1]);
        return [[base], [fresh]];
    };
    const groups = runs.length === 2 ? pair() : grouped ? repeatGroups(runs) : null;
    return groups && swapped ? [groups[1], groups[0]] : groups;
}

export function CheckBar({ runs, onEdit, onDelete, onClear }: CheckBarProps) {
    const [swapped, setSwapped] = useState(false);
    const [grouped, setGrouped] = useState(false);
    const ofOneSeries = runs.length > 2 && runs.every(({ series }) => series === runs[0].series);
    const groups = groupsOf(runs, grouped && ofOneSeries, swapped);
    const swap = () => setSwapped((now) => !now);
    const group = () => setGrouped((now) => !now);
    const compare = () => void (groups && goTo(compareHash(groups[0], groups[1])));
    const haveSameKind = runs.length > 1 && runs.every(({ kind }) => kind === runs[0].kind);
    const report = () => void goTo(groupHash(runs));
    useKeys('Checked runs', [
        ...(haveSameKind ? [{ key: 'm', label: 'group report', run: report }] : []),
        ...(onEdit ? [{ key: 'e', label: 'edit name, series, tags, note', run: onEdit }] : []),
        ...(onDelete ? [{ key: 'Delete', label: 'delete', run: onDelete }] : []),
        { key: 'Escape', label: 'uncheck all', run: onClear },
        ...(ofOneSeries ? [{ key: 'r', label: 'group as repeats', run: group }] : []),
        ...(groups
            ? [
                  { key: 'x', label: 'swap base and new', run: swap },
                  { key: 'c', label: 'compare', run: compare },
              ]
            : []),
    ]);
    return (
        <div class="check-bar" role="region" aria-label="checked runs">
            <b>{int(runs.length)} selected</b>
            {groups && <GroupPair groups={groups} />}
            <span class="check-actions">
                {groups && (
                    <button type="button" class="quiet" onClick={swap}>
                        Swap <kbd>x</kbd>
                    </button>
                )}
                {onEdit && (
                    <button type="button" class="quiet" onClick={onEdit}>
                        {runs.length === 1 ? 'Edit' : 'Tag'} <kbd>e</kbd>
                    </button>
                )}
                <SqlLink runs={runs} />
                {onDelete && <DeleteButton onClick={onDelete} />}
                <button type="button" class="quiet" onClick={onClear}>
                    Clear <kbd>esc</kbd>
                </button>
                {haveSameKind && (
                    <button
                        type="button"
                        class="quiet"
                        title="one report of these runs: medians and spread"
                        onClick={report}
                    >
                        Group report <kbd>m</kbd>
                    </button>
                )}
                {ofOneSeries && (
                    <button
                        type="button"
                        class={grouped ? 'quiet' : 'button'}
                        aria-pressed={grouped}
                        title="split into two groups of repeats, by tags, by names without numbers, or at the longest pause"
                        onClick={group}
                    >
                        Group as repeats <kbd>r</kbd>
                    </button>
                )}
                {runs.length > 1 && (
                    <button
                        type="button"
                        class="primary"
                        disabled={!groups}
                        title={groups ? undefined : disabledReason(ofOneSeries)}
                        onClick={compare}
                    >
                        Compare <kbd>c</kbd>
                    </button>
                )}
            </span>
        </div>
    );
}

function DeleteButton({ onClick }: { onClick: () => void }) {
    return (
        <button type="button" class="quiet danger" onClick={onClick}>
            Delete
        </button>
    );
}

function SqlLink({ runs }: { runs: Run[] }) {
    return (
        <a class="quiet" href={formatHash(['sql'], { runs: runs.map(({ id }) => id).join() })}>
            SQL
        </a>
    );
}

function disabledReason(ofOneSeries: boolean): string {
    return ofOneSeries
        ? 'group the runs as repeats first'
        : 'check two runs, or several of one series';
}

function GroupPair({ groups: [base, fresh] }: { groups: Groups }) {
    const single = base.length === 1 && fresh.length === 1;
    const count = (runs: Run[]) => (single ? '' : ` × ${int(runs.length)}`);
    return (
        <>
            <span class="check-pair">
                <small>base</small> <span title={groupName(base)}>{groupName(base)}</span>
                {count(base)} → <small>new</small>{' '}
                <span title={groupName(fresh)}>{groupName(fresh)}</span>
                {count(fresh)}
            </span>
            {single && !kindHas(base[0].kind, 'measured') ? (
                <PairDifference base={base[0]} fresh={fresh[0]} />
            ) : (
                <GroupVerdict {...{ base, fresh }} />
            )}
        </>
    );
}

/* Difference of two groups, with the server's verdict. */
function GroupVerdict({ base, fresh }: { base: Run[]; fresh: Run[] }) {
    const data = useData<Comparison>(comparePath(groupQuery(base, fresh)));
    if (!data) return null;
    if (data.verdicts) return <span>{data.verdicts}</span>;
    if (!data.headline) {
        return (
            <span class="faint" title={data.no_headline ?? ''}>
                different metrics
            </span>
        );
    }
    const { delta, delta_pct, unit } = data.headline;
    const { glyph, label, tone } = verdictOf(data.headline, unit);
    return (
        <span class={tone}>
            {glyph} {deltaText(delta, unit, delta_pct)} {label}
        </span>
    );
}

function PairDifference({ base, fresh }: { base: Run; fresh: Run }) {
    const delta = headlineDelta(base, fresh);
    if (!delta) {
        const measured = [base, fresh].map(({ headline }) =>
            headline ? `${headline.label} in ${headline.unit || 'no unit'}` : 'nothing',
        );
        return (
            <span class="faint" title={`one run measures ${measured.join(', the other ')}`}>
                different metrics
            </span>
        );
    }
    const differenceText = deltaText(delta.by, delta.unit, delta.pct);
    const small = delta.pct !== null && Math.abs(delta.pct) < NOISE_PCT;
    if (delta.by === 0 || small) return <span class="faint">{differenceText}</span>;
    return delta.by > 0 ? (
        <span class="slower" title="slower">
            ▲ {differenceText}
        </span>
    ) : (
        <span class="faster" title="faster">
            ▼ {differenceText}
        </span>
    );
}
