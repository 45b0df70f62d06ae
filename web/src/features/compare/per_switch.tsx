/* SPDX-License-Identifier: MIT
 *
 * What the values of a table are per: step, run or call; and the amounts of work of the two groups
 * if they differ, since totals then compare different amounts.
 */
import type { Comparison, ComparisonTable, Per, Work } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { formatFixed } from '../../base/units';
import { Segmented } from '../../components/segmented';
import { median } from '../../model/compare';
import { perOf } from './state';

const CHOICES: Record<Per, { text: string; tip: string }> = {
    step: {
        text: 'Per step',
        tip: 'what starts in the counted steps, divided by their number',
    },
    run: { text: 'Per run', tip: 'totals of the runs' },
    call: { text: 'Per call', tip: 'divided by the number of calls of each row' },
};

/** ' a step', ' a call', or '' for values of a run. */
export function perWords(per: Per): string {
    return per === 'run' ? '' : ` a ${per}`;
}

/** Amounts that differ by less are not mentioned. */
const WORK_SHARE = 0.01;
/** Totals of amounts that differ by more are not comparable: a warning. */
const WARN_SHARE = 0.1;

const differenceOf = ([a, b]: [number, number]): number => Math.abs(b - a) / (a || 1);

const mediansOf = ({ base, new: fresh }: Work): [number, number] => [median(base), median(fresh)];

/** Whether the amounts differ, so that totals are of different work. */
export function differsInWork(work: Work): boolean {
    return work.base.length > 0 && differenceOf(mediansOf(work)) > WORK_SHARE;
}

/** '12 against 458 steps'; null if the amounts are equal, or if there is one group only. */
export function workText(work: Work): string | null {
    if (!differsInWork(work)) return null;
    const amounts = mediansOf(work).map((value) =>
        formatFixed(value, Number.isInteger(value) ? 0 : 1),
    );
    return `${amounts.join(' against ')} ${work.of}`;
}

/** Why traces of which only one has steps are compared per run; '' if that is not the case. */
export function noStepsText({ base, new: fresh, tables }: Comparison): string {
    const lacks = [base, fresh].map((runs) => runs.every(({ summary }) => summary.steps === 0));
    if (lacks[0] === lacks[1] || tables.some(({ per }) => per.includes('step'))) return '';
    return `Per run, since the ${lacks[0] ? 'base' : 'new run'} has no marked steps.`;
}

export function PerSwitch({ table }: { table: ComparisonTable }) {
    const per = perOf(table, route.value.query);
    const work = table.work && workText(table.work);
    const isTotal =
        per === 'run' && table.work !== null && differenceOf(mediansOf(table.work)) > WARN_SHARE;
    return (
        <>
            {table.per.length > 1 && (
                <Segmented
                    label="values per"
                    value={per}
                    options={table.per.map((value) => ({ value, ...CHOICES[value] }))}
                    onChange={(value) =>
                        replaceQuery({
                            per: value === table.per[0] ? null : value,
                            metric: null,
                            row: null,
                            frame: null,
                        })
                    }
                />
            )}
            {work && (
                <span
                    class={isTotal ? 'warn' : 'soft'}
                    title={isTotal ? 'the totals include this difference' : undefined}
                >
                    {work}
                    {isTotal && ': different amounts of work'}
                </span>
            )}
        </>
    );
}
