/* SPDX-License-Identifier: MIT
 *
 * One measurement: its values, all other data of the tool, and its samples in recording order.
 */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Measurement, Run } from '../../base/answers';
import { API } from '../../base/client';
import type { MeasurementRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { formatFixed, int, text } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Notice } from '../../components/notice';
import { Pairs } from '../../components/pairs';
import { LoadingLine } from '../../components/progress';
import { FormattedValueText } from '../../components/text';
import { PaneHead } from '../../components/toolbar';
import { useJson } from '../shared/use_json';
import { parameterCurves, type Results } from '../../model/results';
import { betterText } from './columns';
import { DistributionView } from './distribution_view';
import { findingText } from './findings';
import { ParameterChart } from './parameter_chart';
import { SampleChart } from './sample_chart';
import { singleRowScale, formatNumber } from './values';

interface MeasurementPaneProps {
    run: Run;
    id: number;
    results: Results<MeasurementRow>;
    onClose: () => void;
}

type Pair = [label: string, value: ComponentChildren];

export function MeasurementPane({ run, id, results, onClose }: MeasurementPaneProps) {
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
                    <Findings data={data} />
                    <Samples data={data} />
                    <Curves id={data.id} results={results} />
                    <Pairs rows={measurementValues(data)} />
                    <Pairs rows={otherValues(data)} />
                </div>
            )}
            <LoadingLine active={loading} />
        </section>
    );
}

function Findings({ data }: { data: Measurement }) {
    if (!data.findings.length) return null;
    return (
        <ul class="sample-findings">
            {data.findings.map((finding) => {
                const { title, text } = findingText(finding, data);
                return (
                    <li key={finding.code}>
                        <b>{title}.</b> {text}
                    </li>
                );
            })}
        </ul>
    );
}

/* How the samples were taken. */
function samplesRemark({ samples, warmups, processes, findings }: Measurement): string {
    const isSorted = findings.some(({ code }) => code === 'sorted');
    const parts = [`${int(samples.length)} ${isSorted ? 'by size' : 'in order'}`];
    if (processes.length > 1) parts.push(`${int(processes.length)} processes`);
    if (warmups.length) parts.push(`left: ${int(warmups.length)} warm-ups`);
    return `${parts.join(', ')}; line: median`;
}

function Samples({ data }: { data: Measurement }) {
    const { samples, warmups, processes, min, max, unit, median } = data;
    if (samples.length < 2 || min === null || max === null) return null;
    const scale = singleRowScale(min, max);
    const all = singleRowScale(Math.min(min, ...warmups), Math.max(max, ...warmups));
    const format = (value: number) => text(formatNumber(value, unit));
    return (
        <>
            <div class="named-head">
                <b>Samples</b>
                <span class="soft">{samplesRemark(data)}</span>
            </div>
            <SampleChart
                label={`${samples.length} samples from ${format(min)} to ${format(max)}`}
                samples={samples}
                warmups={warmups}
                processes={processes}
                level={median}
                from={all.from}
                to={all.to}
                text={format}
            />
            <DistributionView data={data} scale={scale} format={format} />
        </>
    );
}

function Curves({ id, results }: { id: number; results: Results<MeasurementRow> }) {
    const curves = useMemo(() => {
        const chosen = results.all.find(({ row }) => row.id === id);
        return chosen ? parameterCurves(results, chosen) : [];
    }, [id, results]);
    const unit = results.all.find(({ row }) => row.id === id)?.row.unit ?? '';
    return (
        <>
            {curves.map((curve) => (
                <ParameterChart
                    key={`${id} ${curve.parameter}`}
                    curve={curve}
                    selected={id}
                    text={(value) => text(formatNumber(value, unit))}
                />
            ))}
        </>
    );
}

function measurementValues(data: Measurement): Pair[] {
    const { unit, statistic, value, resolution } = data;
    const valuePair = (at: number | null) =>
        at === null ? '–' : <FormattedValueText value={formatNumber(at, unit, resolution)} />;
    const better = betterText(data.better);
    const rows: Pair[] = [
        [statistic === 'single' ? 'Value' : `Value (${statistic})`, valuePair(value)],
    ];
    if (resolution !== null) rows.push(['Printed to', valuePair(resolution)]);
    if (data.metric) rows.push(['Metric', better ? `${data.metric}, ${better}` : data.metric]);
    if (data.n !== null) rows.push(['Samples', int(data.n)]);
    if (data.loops !== null) rows.push(['Calls per sample', int(data.loops)]);
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

function otherValues({ parameters, more }: Measurement): Pair[] {
    return [...Object.entries(parameters), ...Object.entries(more)].map(([key, value]) => [
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
