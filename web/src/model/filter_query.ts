/* SPDX-License-Identifier: MIT */
/* Filters that all tables and pictures of a report share, as stored in the URL. */
import type { Origin } from '../base/answers';
import { matcher } from './search';
import { ORIGINS, originIndex } from './tint';

export interface Filters {
    q: string;
    regex: boolean;
    hide: string;
    /** origins that are hidden */
    off: ReadonlySet<Origin>;
    /** a regular expression is invalid or incomplete, so that no data is requested with it */
    broken: boolean;
    /** threshold in the unit of the field; null if there is none */
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

/** The `origin` parameter of the API: the visible origins; undefined if all are visible. */
export function originParam(off: ReadonlySet<Origin>): string | undefined {
    return off.size === 0 ? undefined : ORIGINS.filter((o) => !off.has(o)).join(',') || 'none';
}

export function hiddenOriginIndexes(off: ReadonlySet<Origin>): Set<number> {
    return new Set([...off].map(originIndex));
}

/** New `off` value of the URL after a click on one origin; null if all are visible again. */
export function toggledOff(off: ReadonlySet<Origin>, origin: Origin): string | null {
    const next = ORIGINS.filter((o) => (o === origin ? !off.has(o) : off.has(o)));
    return next.length > 0 ? next.join(',') : null;
}

export function readSort(query: Query, key: string, desc: boolean): { key: string; desc: boolean } {
    if (!query.sort) return { key, desc };
    return { key: query.sort, desc: query.desc === '1' };
}

/** Regular expression that matches exactly this text. */
export function escapeRegex(text: string): string {
    return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Search for exactly one complete name. */
export function wholeName(name: string): { q: string; regex: boolean } {
    return { q: `^${escapeRegex(name)}$`, regex: true };
}
