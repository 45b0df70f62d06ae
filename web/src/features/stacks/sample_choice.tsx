/* SPDX-License-Identifier: MIT
 *
 * The controls that choose which samples the tabs of stacks show: the menu of sample types, the menu
 * of labels, and the row of the labels that are chosen.
 */
import { Fragment } from 'preact';
import type { Run, SampleLabel, SampleType, SampleTypes } from '../../base/answers';
import { withParams } from '../../base/client';
import { plural } from '../../base/units';
import { Menu, type MenuItem } from '../../components/menu';
import { Segmented } from '../../components/segmented';
import { Spacer } from '../../components/toolbar';
import {
    choicesByKey,
    isChosen,
    isSelectable,
    orderedTypes,
    shareOfType,
    toggleLabel,
    totalText,
    valueText,
} from '../../model/sample_types';
import { useData } from '../shared/use_json';
import { viewPath } from '../trace/data';
import {
    chosenLabels,
    showLabels,
    showsDecreases,
    showSign,
    showType,
    typeOf,
    typesOf,
} from './sample_types';

/** From so many on, menus have a field that filters them. */
const FILTER_FROM = 12;

/** The labels with their totals of the sample type on the page; null until they are read. */
export function useLabels(run: Run): SampleLabel[] | null {
    const type = typeOf(run);
    const answer = useData<SampleTypes>(
        type && withParams(viewPath(run, 'sample-types'), { sample_type: type.name }),
    );
    return answer?.labels ?? null;
}

function typeTip(type: SampleType): string {
    const { samples, computed, negative } = type;
    return [
        samples ? plural(samples, 'sample') : 'no sample has a value',
        computed ? 'computed: the number of samples times the period of the profiler' : '',
        negative ? `values below 0: ${totalText(type, negative)}` : '',
    ]
        .filter(Boolean)
        .join('\n');
}

/* The menu of sample types. The types without values are last. */
function TypeMenu({ run, type }: { run: Run; type: SampleType }) {
    const types = orderedTypes(typesOf(run)?.types ?? []);
    if (types.length < 2)
        return (
            <span class="sample-type" title={typeTip(type)}>
                {type.name} <span class="soft">{totalText(type, type.total)}</span>
            </span>
        );
    return (
        <Menu
            class="quiet sample-type"
            ariaLabel={`sample type: ${type.name}`}
            tip="what the samples measure"
            filter={types.length >= FILTER_FROM}
            label={
                <>
                    {type.name} <span class="soft">{totalText(type, type.total)}</span> ▾
                </>
            }
            items={types.map((one) => ({
                text: one.name,
                note: `${totalText(one, one.total)}${one.is_default ? ', default' : ''}`,
                tip: typeTip(one),
                checked: one.name === type.name,
                isFaint: one.samples === 0,
                onPick: () => showType(one),
            }))}
        />
    );
}

/* All values by which samples can be selected. */
function labelItems(labels: readonly SampleLabel[], type: SampleType): MenuItem[] {
    const chosen = chosenLabels();
    return labels.filter(isSelectable).flatMap((of) =>
        of.values.map((row): MenuItem => {
            const label = { key: of.key, value: row.value };
            return {
                text: `${of.key} = ${valueText(of, row.value)}`,
                note: `${totalText(type, row.total)}, ${shareOfType(type, row)}`,
                tip: plural(row.samples, 'sample'),
                checked: isChosen(chosen, label),
                keepsOpen: true,
                onPick: () => showLabels(toggleLabel(chosenLabels(), label)),
            };
        }),
    );
}

function LabelMenu({ run, type }: { run: Run; type: SampleType }) {
    const items = labelItems(useLabels(run) ?? [], type);
    if (!items.length) return null;
    return (
        <Menu
            label="Filter by label ▾"
            tip="show only samples with these labels"
            filter={items.length >= FILTER_FROM}
            items={items}
        />
    );
}

/* Values above 0 and values below 0 cannot be drawn in one picture whose widths add up. */
function SignSwitch({ run, type }: { run: Run; type: SampleType }) {
    const { negative, total } = type;
    if (!(negative > 0)) return null;
    return (
        <Segmented<'positive' | 'negative'>
            label="values"
            value={showsDecreases(run) ? 'negative' : 'positive'}
            options={[
                {
                    value: 'positive',
                    text: 'Increases',
                    tip: `above 0: ${totalText(type, total + negative)}`,
                },
                {
                    value: 'negative',
                    text: 'Decreases',
                    tip: `below 0: ${totalText(type, negative)}`,
                },
            ]}
            onChange={(sign) => showSign(sign === 'negative' ? sign : null)}
        />
    );
}

/** At the left end of the toolbar of stacks; nothing for a run without sample types. isPicture: the
 * tab draws values, so it shows those above 0 or those below. */
export function SampleChoice({ run, isPicture = false }: { run: Run; isPicture?: boolean }) {
    const type = typeOf(run);
    if (!type) return null;
    return (
        <>
            <TypeMenu run={run} type={type} />
            <LabelMenu run={run} type={type} />
            {isPicture && <SignSwitch run={run} type={type} />}
        </>
    );
}

/** The chosen labels; values of one key are alternatives. Nothing without any. */
export function ChosenLabels({ run }: { run: Run }) {
    const chosen = chosenLabels();
    if (!typesOf(run) || !chosen.length) return null;
    return (
        <div class="transform-row" role="group" aria-label="labels">
            <span class="soft">Only samples with</span>
            {choicesByKey(chosen).map(({ key, values }, at) => (
                <span key={key} class="label-choices">
                    {at > 0 && <span class="soft">and</span>}
                    {values.map((value, i) => (
                        <Fragment key={value}>
                            {i > 0 && <span class="soft">or</span>}
                            <span class="transform-chip" title={`${key} = ${value}`}>
                                <span class="soft">{key} =</span>
                                <b class="mono">{value || '(empty)'}</b>
                                <button
                                    type="button"
                                    aria-label={`remove ${key} = ${value}`}
                                    onClick={() => showLabels(toggleLabel(chosen, { key, value }))}
                                >
                                    ×
                                </button>
                            </span>
                        </Fragment>
                    ))}
                </span>
            ))}
            <Spacer />
            <button
                type="button"
                class="link"
                title="show all samples again"
                onClick={() => showLabels([])}
            >
                Clear labels
            </button>
        </div>
    );
}
