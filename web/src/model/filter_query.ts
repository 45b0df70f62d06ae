/* SPDX-License-Identifier: MIT */
/* The filters that every table and picture of a report share, as they stand in the URL. */
import { matcher } from './search';
import { ORIGINS, type Origin, originIndex } from './tint';

export interface Filters {
    q: string;
    regex: boolean;
    hide: string;
    /** origins that are filtered out */
    off: ReadonlySet<Origin>;
    /** a regular expression that is not one (yet): nothing is asked for with it */
    broken: boolean;
    /** threshold in the unit of the field, null when none is asked for */
    min: number | null;
}

type Query = Record<string, string | undefined>;

export function readFilters(query: Query): Filters {
    const off = (query.off ?? '')
        .split(',')
        .filter((o): o is Origin => ORIGINS.includes(o as Origin));
    const min = Number(query.min);
    const [q, hide, regex] = [query.q ?? '', query.hide ?? '', query.regex === '1'];
    return {
        q,
        regex,
        hide,
        broken: matcher(q, regex).error !== null || matcher(hide, true).error !== null,
        off: new Set(off),
        min: query.min !== undefined && Number.isFinite(min) && min > 0 ? min : null,
    };
}

/** The `origin` parameter of the API: what is left, or nothing when all are. */
export function originParam(off: ReadonlySet<Origin>): string | undefined {
    return off.size === 0 ? undefined : ORIGINS.filter((o) => !off.has(o)).join(',') || 'none';
}

export function offIndexes(off: ReadonlySet<Origin>): Set<number> {
    return new Set([...off].map(originIndex));
}

/** `off` of the URL after a click on one origin; null when all are shown again. */
export function toggledOff(off: ReadonlySet<Origin>, origin: Origin): string | null {
    const next = ORIGINS.filter((o) => (o === origin ? !off.has(o) : off.has(o)));
    return next.length > 0 ? next.join(',') : null;
}

export function readSort(query: Query, key: string, desc: boolean): { key: string; desc: boolean } {
    if (!query.sort) return { key, desc };
    return { key: query.sort, desc: query.desc === '1' };
}

/** A regular expression that matches this text and nothing else. */
export function escapeRegex(text: string): string {
    return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The search for one name, all of it. */
export function wholeName(name: string): { q: string; regex: boolean } {
    return { q: `^${escapeRegex(name)}$`, regex: true };
}
