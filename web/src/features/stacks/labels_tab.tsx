/* SPDX-License-Identifier: MIT
 *
 * The Labels tab: the total of the sample type by value of each label. A click selects the samples
 * with a value for all tabs of stacks.
 */
import { useState } from 'preact/hooks';
import type { Run, SampleLabel, SampleType } from '../../base/answers';
import { int, pct, plural } from '../../base/units';
import { LoadingLine } from '../../components/progress';
import { ShareBar } from '../../components/share_bar';
import { Spacer, Toolbar } from '../../components/toolbar';
import {
    isChosen,
    isSelectable,
    type LabelRow,
    labelRows,
    restName,
    toggleLabel,
    totalColumn,
    valueText,
} from '../../model/sample_types';
import { tabHash } from '../trace/data';
import { stackQuery } from './parts';
import { ChosenLabels, SampleChoice, useLabels } from './sample_choice';
import { chosenLabels, showLabels, typeOf } from './sample_types';

const ROWS_SHOWN = 10;

const ROLE_NOTES: Record<SampleLabel['role'], string> = {
    divides: '',
    thread: 'names threads or processes',
    summed: 'has too many values, so samples cannot be selected by it',
};

function headRemark({ unit, n_values, samples, role }: SampleLabel): string {
    return [
        plural(n_values, 'value'),
        `on ${plural(samples, 'sample')}`,
        unit ? `in ${unit}` : '',
        ROLE_NOTES[role],
    ]
        .filter(Boolean)
        .join(' · ');
}

interface ValueRowProps {
    label: SampleLabel;
    row: LabelRow;
    format: (value: number) => string;
}

/* A value with its total. The name is a switch if samples can be selected by it. */
function ValueRow({ label, row, format }: ValueRowProps) {
    const { value, total, share, samples } = row;
    const choice = value === null ? null : { key: label.key, value };
    const isOn = choice !== null && isChosen(chosenLabels(), choice);
    const name = value === null ? restName(label) : valueText(label, value);
    return (
        <tr class={isOn ? 'is-on' : undefined}>
            <th scope="row">
                {choice && isSelectable(label) ? (
                    <button
                        type="button"
                        class="label-value mono"
                        role="checkbox"
                        aria-checked={isOn}
                        aria-label={`${label.key} = ${value}`}
                        title={`${value}\n${isOn ? 'Click: show samples without it too' : 'Click: show only samples with it'}`}
                        onClick={() => showLabels(toggleLabel(chosenLabels(), choice))}
                    >
                        <span
                            class={`thread-check${isOn ? ' is-checked' : ''}`}
                            aria-hidden="true"
                        />
                        <span>{name}</span>
                    </button>
                ) : (
                    <span class={value === null ? 'label-value soft' : 'label-value mono'}>
                        <span>{name}</span>
                    </span>
                )}
            </th>
            <td>
                <ShareBar share={Math.abs(share)} tone={total < 0 ? 'total' : 'self'}>
                    {format(total)}
                </ShareBar>
            </td>
            <td>{pct(100 * share)}</td>
            <td>{int(samples)}</td>
        </tr>
    );
}

function LabelHead({ label }: { label: SampleLabel }) {
    return (
        <h2>
            <span class="mono">{label.key}</span> <span class="soft">{headRemark(label)}</span>
        </h2>
    );
}

function LabelTable({ label, type }: { label: SampleLabel; type: SampleType }) {
    const [showsAll, setShowsAll] = useState(false);
    const rows = labelRows(label, type);
    const { unit, format } = totalColumn(type);
    const shown = showsAll ? rows : rows.slice(0, ROWS_SHOWN);
    const base = type.negative > 0 ? '% of Σ |values|' : '% of all';
    if (!label.values.length)
        return (
            <section class="label-table" aria-label={`label ${label.key}`}>
                <LabelHead label={label} />
                <p class="soft">
                    {label.role === 'summed'
                        ? 'Its values are not listed.'
                        : `No sample with a value of ${type.name} has it.`}
                </p>
            </section>
        );
    return (
        <section class="label-table" aria-label={`label ${label.key}`}>
            <LabelHead label={label} />
            <table>
                <thead>
                    <tr>
                        <th scope="col">Value</th>
                        <th scope="col">
                            Total <span class="unit">{unit}</span>
                        </th>
                        <th scope="col">
                            <span class="unit">{base}</span>
                        </th>
                        <th scope="col">Samples</th>
                    </tr>
                </thead>
                <tbody>
                    {shown.map((row) => (
                        <ValueRow key={row.value ?? ' '} label={label} row={row} format={format} />
                    ))}
                </tbody>
            </table>
            {rows.length > ROWS_SHOWN && (
                <button type="button" class="link" onClick={() => setShowsAll(!showsAll)}>
                    {showsAll ? `Show ${int(ROWS_SHOWN)}` : `Show all ${int(rows.length)}`}
                </button>
            )}
        </section>
    );
}

export function LabelsTab({ run }: { run: Run }) {
    const type = typeOf(run);
    const labels = useLabels(run);
    if (!type || !labels) return <LoadingLine active />;
    return (
        <div class="tab-body">
            <Toolbar label="view options">
                <SampleChoice run={run} />
                <span class="soft">
                    {labels.length
                        ? 'totals of all samples; a click on a value selects its samples'
                        : ''}
                </span>
                <Spacer />
                {chosenLabels().length > 0 && (
                    <a class="link" href={tabHash(run, 'flame', stackQuery())}>
                        Show in flame graph
                    </a>
                )}
            </Toolbar>
            <ChosenLabels run={run} />
            <div class="label-tables">
                {labels.map((label) => (
                    <LabelTable key={label.key} label={label} type={type} />
                ))}
                {labels.length === 0 && (
                    <p class="soft">
                        The samples of this profile have no labels. Programs set them with pprof.Do
                        in Go, or as tags of Pyroscope and ddtrace.
                    </p>
                )}
            </div>
        </div>
    );
}
