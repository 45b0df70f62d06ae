/* SPDX-License-Identifier: MIT
 *
 * Menu of a report that compares its run: with the previous run of the series, with the baseline, or
 * with any other run of the kind.
 */
import { useRef } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { text, when } from '../../base/units';
import { Menu, type MenuItem } from '../../components/menu';
import { formatValueOf } from '../../model/compare';
import { compareHash } from '../shared/chosen_step';
import { rememberBaseline } from '../shared/comparison_of';
import { useData } from '../shared/use_json';

/** Number of runs that are offered. */
const OFFERED = 100;

function useRuns(run: Run, series: string | null): Run[] {
    const params = { kinds: run.kind, series: series ?? undefined, limit: OFFERED };
    const path = series !== null && !run.series ? null : withParams(`${API}/runs`, params);
    return (useData<{ rows: Run[] }>(path)?.rows ?? []).filter(({ id }) => id !== run.id);
}

/** Runs to compare with, by what they are: the older run of the series, its baseline, the others. */
export function runsToOffer(run: Run, ofSeries: readonly Run[], ofKind: readonly Run[]) {
    const previous = ofSeries.find(({ created_at }) => created_at < run.created_at);
    const baseline = ofSeries.find((one) => one.baseline);
    return { previous, baseline, others: ofKind };
}

function itemsOf(run: Run, { previous, baseline, others }: ReturnType<typeof runsToOffer>) {
    const item = (words: string, base: Run): MenuItem => ({
        text: words,
        note: base.headline
            ? `${text(formatValueOf(base.headline.value, base.headline.unit))} · ${when(base.created_at)}`
            : when(base.created_at),
        href: compareHash([base], [run]),
    });
    const names = new Set<string>();
    const items: MenuItem[] = [];
    if (previous) items.push(item(`Previous: ${previous.name}`, previous));
    if (baseline) items.push(item(`Baseline: ${baseline.name}`, baseline));
    for (const one of others) {
        items.push(
            item(names.has(one.name) ? `${one.name}, ${one.id.slice(0, 8)}` : one.name, one),
        );
        names.add(one.name);
    }
    return items;
}

export function CompareMenu({ run }: { run: Run }) {
    const box = useRef<HTMLSpanElement | null>(null);
    const ofSeries = useRuns(run, run.series ?? '');
    const ofKind = useRuns(run, null);
    const offered = runsToOffer(run, ofSeries, ofKind);
    const items = itemsOf(run, offered);
    if (offered.baseline) rememberBaseline(run, offered.baseline);
    const open = () => box.current?.querySelector('button')?.click();
    useKeys(
        'Compare',
        items.length ? [{ key: 'c', label: 'compare with another run', run: open }] : [],
    );
    if (!items.length) return null;
    return (
        <span ref={box}>
            <Menu
                label={
                    <>
                        Compare <kbd>c</kbd>
                    </>
                }
                ariaLabel="compare with another run"
                align="right"
                filter={items.length > 8}
                items={items}
            />
        </span>
    );
}
