/* SPDX-License-Identifier: MIT
 *
 * Which samples the tabs of stacks show: the sample type (`sample_type` in the URL), the labels
 * (`labels`), and of a difference of profiles, whether values above or below 0 (`sign`).
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Run, SampleType, SampleTypes } from '../../base/answers';
import type { AxisUnit } from '../../base/axis';
import type { ApiError, Params } from '../../base/client';
import { useLayoutEffectOn } from '../../base/hooks';
import { kindHas } from '../../base/kinds';
import { pushQuery, route } from '../../base/router';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import {
    axisOfType,
    type LabelChoice,
    labelParams,
    labelsText,
    readLabels,
    shownType,
} from '../../model/sample_types';
import { useJson } from '../shared/use_json';
import { axisOfRun, viewPath } from '../trace/data';

/* The types of the run on the page. */
const read = signal<{ runId: string; answer: SampleTypes } | null>(null);

/** The sample types of a run; null: it has none, or useSampleTypes() has not read them. */
export function typesOf(run: Run): SampleTypes | null {
    return read.value?.runId === run.id && read.value.answer.types.length > 0
        ? read.value.answer
        : null;
}

/** The sample type on the page; null: the run has none. */
export function typeOf(run: Run): SampleType | null {
    const types = typesOf(run);
    return types && shownType(types, route.value.query.sample_type);
}

/** Whether samples that follow each other are known. Those of a run with sample types have no order. */
export function hasStretches(run: Run): boolean {
    return !kindHas(run.kind, 'sample_types');
}

interface SamplesState {
    isReady: boolean;
    error: ApiError | null;
}

/** Reads the sample types of a run, which its tabs need to draw anything. */
export function useSampleTypes(run: Run): SamplesState {
    const has = kindHas(run.kind, 'sample_types');
    const { data, error } = useJson<SampleTypes>(has ? viewPath(run, 'sample-types') : null);
    useLayoutEffectOn(() => {
        read.value = data && { runId: run.id, answer: data };
    }, [data]);
    return { isReady: !has || read.value?.runId === run.id, error };
}

/** A tab, as soon as the sample types that it needs are read. */
export function SamplesOf({
    state,
    children,
}: {
    state: SamplesState;
    children: ComponentChildren;
}) {
    if (state.isReady) return <>{children}</>;
    if (state.error)
        return (
            <Notice kind="error" title="The sample types could not be read" error={state.error} />
        );
    return <LoadingLine active />;
}

/** The axis of what the page shows of a run. */
export function axisOnPage(run: Run): AxisUnit {
    const type = typeOf(run);
    return type ? axisOfType(type) : axisOfRun(run);
}

/** Identifies what the values measure: a picture of another type is not shown in this unit. */
export function samplesKey(run: Run): string {
    return `${typeOf(run)?.name ?? ''} ${showsDecreases(run)}`;
}

export function chosenLabels(): LabelChoice[] {
    return readLabels(route.value.query.labels);
}

/** Whether the page shows the values below 0, which only differences of profiles have. */
export function showsDecreases(run: Run): boolean {
    return route.value.query.sign === 'negative' && (typeOf(run)?.negative ?? 0) > 0;
}

/** Parameters of requests for stacks; none for a run without sample types. */
export function sampleParams(run: Run): Params {
    const type = typeOf(run);
    if (!type) return {};
    return {
        sample_type: type.is_default ? undefined : type.name,
        label: labelParams(chosenLabels()),
    };
}

/** The same for pictures, which show either the values above 0 or those below. Tables have their sum. */
export function signParams(run: Run): Params {
    return showsDecreases(run) ? { sign: 'negative' } : {};
}

/* Frames have other numbers in the tree of other samples. */
const OTHER_TREE = {
    flame_zoom: null,
    flame_frame: null,
    sandwich_zoom: null,
    sandwich_frame: null,
};

export function showType({ name, is_default }: SampleType): void {
    pushQuery({ ...OTHER_TREE, sample_type: is_default ? null : name, sign: null });
}

export function showLabels(choices: readonly LabelChoice[]): void {
    pushQuery({ ...OTHER_TREE, labels: labelsText(choices) });
}

export function showSign(sign: 'negative' | null): void {
    pushQuery({ ...OTHER_TREE, sign });
}
