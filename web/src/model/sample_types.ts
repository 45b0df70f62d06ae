/* SPDX-License-Identifier: MIT */
/* What the samples of a run measure, and their labels: the chosen type, the labels in the URL, and
 * the totals by value of a label. */
import type { SampleLabel, SampleLabelValue, SampleType, SampleTypes } from '../base/answers';
import type { AxisUnit } from '../base/axis';
import { formatCount, formatFixed, formatValueIn, pct, text, THIN_SPACE } from '../base/units';

/** The server lists at most so many values of a label. */
const VALUES_MAX = 100;

/** The type with this name; the default type of the run if there is no such name. */
export function shownType({ types }: SampleTypes, name: string | undefined): SampleType {
    return (
        types.find((type) => type.name === name) ??
        types.find(({ is_default }) => is_default === 1) ??
        types[0]
    );
}

/** Types with values in the order of the file, then those that are 0 in all samples. */
export function orderedTypes(types: readonly SampleType[]): SampleType[] {
    const hasValues = ({ samples }: SampleType) => samples > 0;
    return [...types.filter(hasValues), ...types.filter((type) => !hasValues(type))];
}

/** A type of two runs; null: the run has none of that name. */
export interface PairedType {
    name: string;
    base: SampleType | null;
    fresh: SampleType | null;
}

/** The types of two runs by name: those of both first, of these those with values. */
export function pairTypes(base: readonly SampleType[], fresh: readonly SampleType[]): PairedType[] {
    const names = new Set([...base, ...fresh].map(({ name }) => name));
    const find = (types: readonly SampleType[], name: string) =>
        types.find((type) => type.name === name) ?? null;
    const pairs = [...names].map((name) => ({
        name,
        base: find(base, name),
        fresh: find(fresh, name),
    }));
    const rank = (pair: PairedType) =>
        !pair.base || !pair.fresh ? 2 : pair.base.samples + pair.fresh.samples > 0 ? 0 : 1;
    return pairs.sort((a, b) => rank(a) - rank(b));
}

/** The axis of pictures and tables of a type. Weights of times are in ns. */
export function axisOfType({ unit, scale, total, negative }: SampleType): AxisUnit {
    return {
        unit,
        scale: unit === 's' ? 1 : scale,
        whole: (total + 2 * negative) * scale, // the sum of all magnitudes
    };
}

/** A total of a type, with the unit unless that is the name of the type, as of counts of objects. */
export function totalText({ name, unit }: SampleType, total: number): string {
    const shown = unit === name ? '' : unit;
    const isMeasure = unit === 's' || unit === 'B';
    return text(isMeasure ? formatValueIn(total, unit) : formatCount(total, shown));
}

/* --- Labels in the URL --- */

export interface LabelChoice {
    key: string;
    value: string;
}

const isSame = (a: LabelChoice, b: LabelChoice): boolean => a.key === b.key && a.value === b.value;

/** Reads `task=load,task=store`. A comma or a backslash in a key or value has a backslash before it. */
export function readLabels(written: string | undefined): LabelChoice[] {
    const choices: LabelChoice[] = [];
    for (const [part] of (written ?? '').matchAll(/(?:[^\\,]|\\.)+/gs)) {
        const plain = part.replace(/\\(.)/gs, '$1');
        const sign = plain.indexOf('=');
        if (sign > 0) choices.push({ key: plain.slice(0, sign), value: plain.slice(sign + 1) });
    }
    return choices;
}

/** The key `labels` of the URL; null: no label is chosen. */
export function labelsText(choices: readonly LabelChoice[]): string | null {
    const written = choices.map(({ key, value }) =>
        `${key}=${value}`.replace(/[\\,]/g, (character) => `\\${character}`),
    );
    return written.join(',') || null;
}

/** The parameters `label` of requests. */
export function labelParams(choices: readonly LabelChoice[]): string[] {
    return choices.map(({ key, value }) => `${key}=${value}`);
}

export function isChosen(choices: readonly LabelChoice[], label: LabelChoice): boolean {
    return choices.some((choice) => isSame(choice, label));
}

/** The choices with one label more, or without it if it is chosen. */
export function toggleLabel(choices: readonly LabelChoice[], label: LabelChoice): LabelChoice[] {
    return isChosen(choices, label)
        ? choices.filter((choice) => !isSame(choice, label))
        : [...choices, label];
}

/** The chosen values by key, in the order of their choice. Values of one key are alternatives. */
export function choicesByKey(choices: readonly LabelChoice[]): { key: string; values: string[] }[] {
    const groups = new Map<string, string[]>();
    for (const { key, value } of choices) groups.set(key, [...(groups.get(key) ?? []), value]);
    return [...groups].map(([key, values]) => ({ key, values }));
}

/* --- Totals by value of a label --- */

/** Whether samples can be selected by a label. A key with an equals sign cannot be named. */
export function isSelectable({ key, role }: SampleLabel): boolean {
    return role !== 'summed' && !key.includes('=');
}

export interface LabelRow {
    /** null: samples without the label, or with a value that is not listed */
    value: string | null;
    total: number;
    /** of the magnitudes of all samples of the type, 0 to 1; below 0 if the total is */
    share: number;
    samples: number;
}

/* The sum of the magnitudes of all values. It is the total unless some values are below 0. */
const magnitude = ({ total, negative }: SampleType): number => total + 2 * negative;

/** The values of a label with their totals, the greatest first, and what is left of the type. */
export function labelRows({ values }: SampleLabel, type: SampleType): LabelRow[] {
    const whole = magnitude(type);
    const rowOf = (value: string | null, total: number, samples: number): LabelRow => ({
        value,
        total,
        share: whole > 0 ? total / whole : 0,
        samples,
    });
    const sum = (key: 'total' | 'samples') => values.reduce((all, row) => all + row[key], 0);
    const rows = values.map(({ value, total, samples }) => rowOf(value, total, samples));
    const left = type.samples - sum('samples');
    /* totals are sums of fractions: what rounding leaves is not a value */
    const rest = left > 0 ? type.total - sum('total') : 0;
    return left > 0 ? [...rows, rowOf(null, rest, left)] : rows;
}

/** What the last row of labelRows() is called. */
export function restName({ key, role, values }: SampleLabel): string {
    return role === 'summed' || values.length >= VALUES_MAX
        ? `other values, or without ${key}`
        : `without ${key}`;
}

/** `12.3 %` of the type. */
export function shareOfType(type: SampleType, { total }: Pick<SampleLabelValue, 'total'>): string {
    const whole = magnitude(type);
    return whole > 0 ? `${pct((100 * total) / whole)}${THIN_SPACE}%` : '–';
}

/* Units of numbers in labels, in the unit that formatValueIn() takes. pprof takes numbers of these keys
 * for bytes if they have no unit. */
const LABEL_UNITS: Partial<Record<string, [unit: string, factor: number]>> = {
    bytes: ['B', 1],
    kilobytes: ['B', 1024],
    nanoseconds: ['s', 1e-9],
    microseconds: ['s', 1e-6],
    milliseconds: ['s', 1e-3],
    seconds: ['s', 1],
};
const BYTE_KEYS = ['bytes', 'request', 'alignment'];

/** A value of a label; numbers that are sizes or times have their unit. */
export function valueText({ key, unit }: SampleLabel, value: string): string {
    const known = LABEL_UNITS[unit ?? (BYTE_KEYS.includes(key) ? 'bytes' : '')];
    if (known && /^-?\d+$/.test(value)) {
        const [shown, factor] = known;
        return text(formatValueIn(Number(value) * factor, shown));
    }
    return value || '(empty)';
}

/** Unit and formatting of a column with totals of a type. */
export function totalColumn(type: SampleType): { unit: string; format: (value: number) => string } {
    const greatest = magnitude(type);
    if (type.unit === 's') {
        const unit = greatest >= 10 ? 's' : 'ms';
        return { unit, format: (value) => formatFixed(unit === 's' ? value : value * 1e3, 3) };
    }
    if (type.unit === 'B')
        return { unit: 'MiB', format: (value) => formatFixed(value / 1048576, 3) };
    const unit = type.unit === type.name ? '' : type.unit;
    return { unit, format: (value) => formatFixed(value, type.scale === 1 ? 0 : 3) };
}
