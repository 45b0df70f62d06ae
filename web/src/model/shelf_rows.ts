/* SPDX-License-Identifier: MIT
 *
 * Rows of the shelf: runs under headings of days or series, with imports in progress on top.
 */
import type { Job, Run } from '../base/answers';
import { dayHeading, daysBetween } from '../base/units';

export type Grouping = 'day' | 'series' | 'none';

/** A file that is being imported: this window uploads it, then a job of the server reads it. */
export interface RunningImport {
    key: string;
    name: string;
    kind: string | null;
    state: 'waiting' | 'sending' | 'queued' | 'running';
    done: number;
    total: number;
    records: number;
    /** Start time in ms since 1970, to estimate the remaining time. */
    since: number;
    jobId: string | null;
}

export interface BandRow {
    type: 'band';
    key: string;
    title: string;
    date: string;
    /** Number of runs below the heading; null while more of them may follow on later pages. */
    count: number | null;
}
export interface RunningImportRow {
    type: 'incoming';
    key: string;
    incoming: RunningImport;
}
export interface RunRow {
    type: 'run';
    key: string;
    run: Run;
}
export type ShelfRow = BandRow | RunningImportRow | RunRow;

interface Group {
    key: string;
    title: string;
    date: string;
}

function groupOf(run: Run, grouping: Grouping, now: Date): Group | null {
    if (grouping === 'day') {
        const { label, date } = dayHeading(run.created_at, now);
        return { key: `day ${daysBetween(new Date(run.created_at), now)}`, title: label, date };
    }
    if (grouping === 'series') {
        const series = run.series ?? '';
        return { key: `series ${series}`, title: series || 'No series', date: '' };
    }
    return null;
}

function todayGroup(now: Date): Group {
    const { label, date } = dayHeading(now.toISOString(), now);
    return { key: 'day 0', title: label, date };
}

/** Returns the rows of the shelf. `complete`: `runs` contains all runs, so the count of the last
 * heading is final. */
export function shelfRows(
    runs: readonly Run[],
    incoming: readonly RunningImport[],
    grouping: Grouping,
    complete: boolean,
    now: Date,
): ShelfRow[] {
    const rows: ShelfRow[] = [];
    let band: BandRow | null = null;
    const beginBand = (group: Group | null) => {
        if (!group || band?.key === group.key) return;
        band = { type: 'band', ...group, count: 0 };
        rows.push(band);
    };
    if (incoming.length && grouping === 'day') beginBand(todayGroup(now));
    for (const file of incoming) rows.push({ type: 'incoming', key: file.key, incoming: file });
    for (const run of runs) {
        beginBand(groupOf(run, grouping, now));
        rows.push({ type: 'run', key: run.id, run });
        const currentBand = band as BandRow | null;
        if (currentBand) currentBand.count = (currentBand.count ?? 0) + 1;
    }
    const lastBand = band as BandRow | null;
    if (lastBand && !complete) lastBand.count = null;
    return rows;
}

/** Orders two runs: the base is the older one. */
export function baseAndNew(a: Run, b: Run): [base: Run, fresh: Run] {
    return a.created_at <= b.created_at ? [a, b] : [b, a];
}

export interface Delta {
    /** new − base, in `unit`. */
    by: number;
    unit: string;
    /** Percent of the base; null if the base is 0. */
    pct: number | null;
}

/** Difference of the headlines of two runs; null if the headlines measure different things. */
export function headlineDelta(base: Run, fresh: Run): Delta | null {
    const [a, b] = [base.headline, fresh.headline];
    if (!a || !b || a.unit !== b.unit || a.label !== b.label || base.kind !== fresh.kind)
        return null;
    const by = b.value - a.value;
    return { by, unit: b.unit, pct: a.value === 0 ? null : (by / a.value) * 100 };
}

/** Percent of the base; smaller differences have no colour. */
export const NOISE_PCT = 5;

export function secondsLeft({ done, total, since }: RunningImport, nowMs: number): number | null {
    const elapsed = (nowMs - since) / 1000;
    if (done <= 0 || total <= 0 || elapsed < 0.5) return null;
    return ((total - done) / done) * elapsed;
}

/** Parses "k=v, other"; an item without `=` is a tag without a value. */
export function parseTags(text: string): Record<string, string> {
    const tags: Record<string, string> = {};
    for (const part of text.split(',').map((p) => p.trim())) {
        if (!part) continue;
        const equals = part.indexOf('=');
        if (equals < 0) tags[part] = '';
        else if (equals > 0) tags[part.slice(0, equals).trim()] = part.slice(equals + 1).trim();
    }
    return tags;
}

export function formatTags(tags: Record<string, string>): string {
    return Object.entries(tags)
        .map(([name, value]) => (value ? `${name}=${value}` : name))
        .join(', ');
}

export function isRunningImport(job: Job): boolean {
    return job.state === 'queued' || job.state === 'running';
}
