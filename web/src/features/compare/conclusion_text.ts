/* SPDX-License-Identifier: MIT */
/* The words of a conclusion: which rows explain the difference of two groups. */
import type { Explanation, ExplainingRow } from '../../base/compare_types';
import { int } from '../../base/units';
import { partText } from '../../model/breakdown';
import { deltaText, scaleOf, type Scale } from '../../model/compare';
import { perWords } from './per_switch';
import { PARTS_TABLE } from './state';

/** A piece of a sentence; with a row it links to that row. */
export interface Words {
    text: string;
    row?: ExplainingRow;
    /** the name of what could be typed: a function, module or operator */
    isCode?: boolean;
}

function scaleFor({ unit, delta, rows }: Explanation): Scale {
    const most = Math.max(Math.abs(delta), ...rows.map((row) => Math.abs(row.delta)));
    return scaleOf(unit, most, Number.isInteger(delta));
}

function nameOf({ of }: Explanation, row: ExplainingRow): Words {
    return of === PARTS_TABLE
        ? { text: partText(row.name).label, row }
        : { text: row.name, row, isCode: true };
}

const sumOf = (rows: ExplainingRow[]): number => rows.reduce((sum, { delta }) => sum + delta, 0);

/** What explains the difference, such as "DataLoader explains −4.005 of −4.120 ms a step". */
export function explanationWords(explanation: Explanation): Words[] {
    const { delta, found, n, rows, row, per } = explanation;
    const scale = scaleFor(explanation);
    const shown = (value: number) => deltaText(value, scale);
    const unit = `${scale.unit && ` ${scale.unit}`}${perWords(per)}`;
    if (found === 'none') return [{ text: `No ${row} differs by more than 1 % of the base` }];
    if (found === 'spread') {
        return [{ text: `${shown(delta)}${unit}, spread over ${int(n)} ${row}s` }];
    }
    if (found === 'one') {
        const [first] = rows;
        const rest = delta - first.delta;
        // More than the whole difference: something else made up for a part of it.
        const others =
            Math.abs(first.delta) > Math.abs(delta) && deltaText(rest, scale) !== shown(0)
                ? `; all others ${shown(rest)}`
                : '';
        return [
            nameOf(explanation, first),
            { text: ` explains ${shown(first.delta)} of ${shown(delta)}${unit}${others}` },
        ];
    }
    const [first, second] = rows;
    const opposed = first.delta * second.delta < 0;
    return [
        nameOf(explanation, first),
        { text: ` (${shown(first.delta)}) and ` },
        nameOf(explanation, second),
        {
            text: opposed
                ? ` (${shown(second.delta)}) work against each other: ${shown(delta)}${unit}`
                : ` (${shown(second.delta)}) explain ${shown(sumOf(rows))} of ${shown(delta)}${unit}`,
        },
    ];
}
