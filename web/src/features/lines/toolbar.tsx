/* SPDX-License-Identifier: MIT */
import { useMemo, useState } from 'preact/hooks';
import { useMemoOn } from '../../base/hooks';
import type { LineFunctionRow } from '../../base/rows';
import { replaceQuery } from '../../base/router';
import { formatSeconds, text } from '../../base/units';
import { CheckBox } from '../../components/check_box';
import { type PickItem, Picker } from '../../components/picker';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { type Base, type Calls } from './data';
import { HeatLegend } from './heat_rail';
import type { LineMetrics } from './source';
import { type TimeScale, type TimeUnit, UNIT_TEXT, unitsFor, timeScale } from './units';

const NARROW_PX = 1000;

interface LinesToolbarProps {
    metrics: LineMetrics | null;
    scale: TimeScale;
    base: Base;
    hideZero: boolean;
    /** null if no function was called more than once */
    calls: Calls | null;
    functions: LineFunctionRow[];
    hasHot: boolean;
    onHot: (by: 1 | -1) => void;
    onFunction: (row: LineFunctionRow) => void;
    onLine: (line: number) => void;
    inputRef: { current: HTMLInputElement | null };
}

function unitTip(unit: TimeUnit, scale: TimeScale): string {
    const { printed } = timeScale(unit, scale.unit_s, scale.rounded);
    if (unit === 'tick') return `${text(formatSeconds(scale.unit_s))}, as printed in the report`;
    if (printed) return 'as line_profiler prints, to the last digit';
    return 'line_profiler prints one decimal; more are shown where they are known';
}

function hideLabel(metrics: LineMetrics | null): string {
    if (metrics?.measure === 'cpu') return 'hide lines without samples';
    return metrics?.measure === 'memory' ? 'hide lines that never ran' : 'hide lines without hits';
}

export function LinesToolbar(props: LinesToolbarProps) {
    const { metrics, scale, base, hideZero, hasHot, onHot } = props;
    const measure = metrics?.measure ?? 'none';
    return (
        <Toolbar label="view options">
            {measure === 'time' && (
                <Segmented<TimeUnit>
                    label="unit of time"
                    value={scale.unit}
                    options={unitsFor(scale.unit_s, scale.rounded).map((unit) => ({
                        value: unit,
                        text: UNIT_TEXT[unit],
                        tip: unitTip(unit, scale),
                    }))}
                    onChange={(unit) => replaceQuery({ unit })}
                />
            )}
            {(measure === 'time' || measure === 'memory') && (
                <Segmented<Base>
                    label="base of the percentage"
                    value={base}
                    options={[
                        { value: 'function', text: '% of function' },
                        { value: 'file', text: '% of file' },
                    ]}
                    onChange={(of) => replaceQuery({ of: of === 'file' ? 'file' : null })}
                />
            )}
            {props.calls && (
                <Segmented<Calls>
                    label="calls of a function"
                    value={props.calls}
                    options={[
                        {
                            value: 'sum',
                            text: 'calls summed',
                            tip: 'growth of all calls of a function',
                        },
                        {
                            value: 'each',
                            text: 'each call',
                            tip: 'one under the other, as reported',
                        },
                    ]}
                    onChange={(calls) => replaceQuery({ calls })}
                />
            )}
            <label class="toolbar-check">
                <CheckBox
                    label={hideLabel(metrics)}
                    checked={hideZero}
                    onChange={(on) => replaceQuery({ zero: on ? '0' : null })}
                />
                <span class="soft">{hideLabel(metrics)}</span>
            </label>
            <GoToField {...props} />
            <Spacer />
            {hasHot && (
                <span class="hot-steps soft wide-only">
                    <button type="button" class="quiet" onClick={() => onHot(1)}>
                        next hot line <kbd>n</kbd>
                    </button>
                    <button type="button" class="quiet" onClick={() => onHot(-1)}>
                        previous <kbd>p</kbd>
                    </button>
                </span>
            )}
            {measure !== 'none' && viewportWidth.value >= NARROW_PX && (
                <HeatLegend of={measure === 'cpu' ? 'of all samples' : `of ${base}`} />
            )}
        </Toolbar>
    );
}

const MAX_OFFERED = 14;

/* Field to find a function of the file by name, or a line by number. */
function GoToField({ functions, onFunction, onLine, inputRef }: LinesToolbarProps) {
    const [typed, setTyped] = useState('');
    const line = /^:?(\d+)$/.exec(typed.trim());
    const found = useMemo(() => {
        const query = typed.trim().toLowerCase();
        return functions
            .filter((fn) => (fn.function ?? '').toLowerCase().includes(query))
            .slice(0, MAX_OFFERED);
    }, [functions, typed]);
    const items = useMemoOn((): PickItem[] => {
        if (line) return [{ id: -1, body: <>line {line[1]}</> }];
        return found.map((fn) => ({
            id: fn.id,
            body: (
                <span class="mono pick-name">
                    {fn.function} <span class="soft">:{fn.first_line}</span>
                </span>
            ),
        }));
    }, [found, typed]);
    function pick(id: number): void {
        if (id === -1 && line) onLine(Number(line[1]));
        const fn = found.find((row) => row.id === id);
        if (fn) onFunction(fn);
    }
    return (
        <Picker
            label="go to a function or a line"
            placeholder="Go to function or line"
            value=""
            items={items}
            onType={setTyped}
            onPick={pick}
            width={190}
            hint="/"
            inputRef={inputRef}
        />
    );
}
