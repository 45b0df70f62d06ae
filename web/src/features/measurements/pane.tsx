/* SPDX-License-Identifier: MIT
 *
 * One measurement: its values, all other data of the tool, and its samples in recording order.
 */
import type { ComponentChildren } from 'preact';
import type { Measurement, Run } from '../../base/answers';
import { API } from '../../base/client';
import { LABELS } from '../../base/terms';
import { formatFixed, int, text } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Notice } from '../../components/notice';
import { Pairs } from '../../components/pairs';
import { LoadingLine } from '../../components/progress';
import { FormattedValueText } from '../../components/text';
import { PaneHead } from '../../components/toolbar';
import { useJson } from '../shared/use_json';
import { BoxPlot } from './box_plot';
import { SampleChart } from './sample_chart';
import { singleRowScale, formatNumber } from './values';

interface MeasurementPaneProps {
    run: Run;
    id: number;
    onClose: () => void;
}

type Pair = [label: string, value: ComponentChildren];

export function MeasurementPane({ run, id, onClose }: MeasurementPaneProps) {
    const { data, error, loading } = useJson<Measurement>(
        `${API}/runs/${run.id}/measurements/${id}`,
    );
    return (
        <section class="pane pane-named" aria-label="Measurement">
            <PaneHead title="Measurement" remark="selected">
                <button type="button" class="quiet" onClick={onClose}>
                    <kbd>Esc</kbd>
                </button>
            </PaneHead>
            {error && (
                <Notice kind="error" title="The measurement could not be read" error={error} />
            )}
            {data && !error && (
                <div class="named-body">
                    <div class="named-name mono">{data.name}</div>
                    <div class="named-links">
                        {data.grp && <span class="soft">{data.grp}</span>}
                        <CopyButton text={data.name} label={LABELS.copyName} />
                    </div>
                    <Samples data={data} />
                    <Pairs rows={measurementValues(data)} />
                    <Pairs rows={otherValues(data)} />
                </div>
            )}
            <LoadingLine active={loading} />
        </section>
    );
}

function Samples({ data }: { data: Measurement }) {
    const { samples, min, max, unit, median } = data;
    if (samples.length < 2 || min === null || max === null) return null;
    const scale = singleRowScale(min, max);
    const format = (value: number) => text(formatNumber(value, unit));
    return (
        <>
            <div class="named-head">
                <b>Samples</b>
                <span class="soft">{int(samples.length)}, in the order taken; line: median</span>
            </div>
            <SampleChart
                label={`${samples.length} samples from ${format(min)} to ${format(max)}`}
                samples={samples}
                level={median}
                from={scale.from}
                to={scale.to}
                text={format}
            />
            <div class="measure-own">
                <BoxPlot {...data} scale={scale} label="spread of this measurement" />
                <div class="histogram-ends">
                    <span>{format(min)}</span>
                    <span>{format(max)}</span>
                </div>
            </div>
        </>
    );
}

function measurementValues(data: Measurement): Pair[] {
    const { unit, statistic, value, resolution } = data;
    const valuePair = (at: number | null) =>
        at === null ? '–' : <FormattedValueText value={formatNumber(at, unit, resolution)} />;
    const rows: Pair[] = [
        [statistic === 'single' ? 'Value' : `Value (${statistic})`, valuePair(value)],
    ];
    if (resolution !== null) rows.push(['Printed to', valuePair(resolution)]);
    if (data.n !== null) rows.push(['Samples', int(data.n)]);
    const statistics: [string, number | null][] = [
        ['Mean', data.mean],
        ['Standard deviation', data.stddev],
        ['Min', data.min],
        ['First quartile', data.q1],
        ['Median', data.median],
        ['Third quartile', data.q3],
        ['Max', data.max],
    ];
    for (const [label, at] of statistics) if (at !== null) rows.push([label, valuePair(at)]);
    return rows;
}

function otherValues({ more }: Measurement): Pair[] {
    return Object.entries(more).map(([key, value]) => [
        key,
        typeof value === 'string' ? (
            <span class="measure-more mono">{value}</span>
        ) : (
            numberText(value)
        ),
    ]);
}

function numberText(value: number): string {
    return Number.isInteger(value) ? int(value) : formatFixed(value, Math.abs(value) < 1 ? 9 : 3);
}
