/* SPDX-License-Identifier: MIT
 *
 * Idle times of devices by cause, and the share of the communication that overlaps computation.
 */
import type { GapSums, Page, Run, TraceOverview, Utilisation } from '../../base/answers';
import type { GapRow } from '../../base/rows';
import { THIN_SPACE, formatSeconds, pct, plural, text } from '../../base/units';
import { Term } from '../../components/term';
import { ms, type TraceRange } from '../../model/trace_range';
import { deviceOf, type WorkerName } from '../../model/worker_names';
import { objectsOf } from '../shared/paged_source';
import { useData } from '../shared/use_json';
import { rangedPath } from '../trace/data';
import { timelineHash } from '../trace/timeline_link';

const IDLE: Record<GapSums['of'], string> = {
    device: 'times in which no stream of a device runs a kernel or copy, added over the devices',
    stream: 'times in which a stream runs no kernel or copy, added over the streams: other streams may run meanwhile. `perfshelf renew` computes the idle time of the device.',
};
const PARTIAL = 'only the longest gaps of a run are stored';

const CAUSE_TEXTS: Record<string, string> = {
    host_wait: 'the host launched the next work after the gap began',
    kernel_wait: 'gaps shorter than 30 µs, launched in time',
    other: 'launched in time, but delayed, for example by an event',
};

function causeText(cause: string): string {
    return CAUSE_TEXTS[cause.trim().toLowerCase().replace(/\s+/g, '_')] ?? '';
}

interface GapsProps {
    run: Run;
    gaps: GapSums;
    range: TraceRange | null;
}

interface GapTotals {
    count: number;
    total_ns: number;
    by_cause: GapSums['by_cause'];
}

/* Idle time within the range, by cause. */
function gapTotalsOf(page: Page): GapTotals {
    const sum = (key: string): number => Number(page.sums[key] ?? 0);
    return {
        count: page.total,
        total_ns: 1000 * sum('within_us'),
        by_cause: [
            ['host wait', 1000 * sum('host_wait_us'), sum('host_waits')],
            ['kernel wait', 1000 * sum('kernel_wait_us'), sum('kernel_waits')],
            ['other', 1000 * sum('other_us'), sum('others')],
        ],
    };
}

export function Gaps({ run, gaps: all, range }: GapsProps) {
    const page = useData<Page>(
        range ? rangedPath(run, 'gaps', range, { sort: 'duration_us', desc: 1, limit: 10 }) : null,
    );
    if (all.count === 0 || (range && !page)) return null;
    const gaps = range && page ? gapTotalsOf(page) : all;
    const isPartial = range !== null && page !== null && all.count > page.of;
    return (
        <section class="overview-section">
            <h2>
                Idle gaps
                <span class="soft" title={isPartial ? PARTIAL : IDLE[all.of]}>
                    {isPartial && 'the longest '}
                    {plural(gaps.count, 'gap')}, {text(formatSeconds(gaps.total_ns / 1e9))} in all,
                    of the {range ? 'range' : 'whole run'}
                    {all.of === 'stream' && ', added over the streams'}
                </span>
            </h2>
            <div class="gap-causes">
                {gaps.by_cause.map(([cause, ns, count]) => (
                    <div key={cause} class="gap-cause" title={causeText(cause)}>
                        <span class="gap-bar">
                            <i style={{ width: `${(100 * ns) / (gaps.total_ns || 1)}%` }} />
                        </span>
                        <b>{cause}</b>
                        <span class="is-right">
                            {ms(ns)}
                            <span class="unit">{THIN_SPACE}ms</span>
                        </span>
                        <span class="is-right">
                            {pct((100 * ns) / (gaps.total_ns || 1))}
                            <span class="unit">{THIN_SPACE}% of idle</span>
                        </span>
                        <span class="is-right soft">{plural(count, 'gap')}</span>
                        <span class="soft gap-why">{causeText(cause)}</span>
                    </div>
                ))}
            </div>
            <LongestGaps
                run={run}
                longest={range && page ? longestOf(page) : all.longest}
                range={range}
            />
        </section>
    );
}

function longestOf(page: Page): GapSums['longest'] {
    return objectsOf<GapRow>(page).map(
        ({ track, start_ns, duration_us, cause, before, after }) => ({
            track,
            start_ns,
            end_ns: start_ns + Math.round(duration_us * 1000),
            cause,
            before: before ?? 0,
            after: after ?? 0,
        }),
    );
}

interface LongestGapsProps {
    run: Run;
    longest: GapSums['longest'];
    range: TraceRange | null;
}

/* The ten longest gaps; with a range, the longest that overlap the range. */
function LongestGaps({ run, longest: rows, range }: LongestGapsProps) {
    if (rows.length === 0) return null;
    return (
        <div class="gap-longest">
            <span class="soft">{range ? 'Longest in range:' : 'Longest:'}</span>
            {rows.map(({ track, start_ns, end_ns, cause }) => (
                <a
                    key={`${track} ${start_ns}`}
                    class="link"
                    title={`${cause}, at ${ms(start_ns)} ms: show in timeline`}
                    href={timelineHash(run, { range: { from_ns: start_ns, to_ns: end_ns } })}
                >
                    {text(formatSeconds((end_ns - start_ns) / 1e9))}
                </a>
            ))}
        </div>
    );
}

interface CommunicationProps {
    overview: TraceOverview;
    utilisation: Utilisation | null;
    range: TraceRange | null;
    nameOf: WorkerName | null;
}

export function Communication({ overview, utilisation, range, nameOf }: CommunicationProps) {
    const rows = (range ? (utilisation?.devices ?? []) : overview.devices).filter(
        ({ communication_ns }) => communication_ns !== null && communication_ns > 0,
    );
    if (rows.length === 0) return null;
    return (
        <section class="overview-section">
            <h2>
                Communication
                <span class="soft">share that ran at the same time as computation</span>
            </h2>
            {rows.map(({ device, worker, communication_ns, overlap_ns }) => (
                <div key={`${worker} ${device}`} class="overlap-row">
                    <span>{deviceOf({ device, worker }, nameOf)}</span>
                    <Overlap communication={communication_ns ?? 0} overlap={overlap_ns ?? 0} />
                </div>
            ))}
        </section>
    );
}

function Overlap({ communication, overlap }: { communication: number; overlap: number }) {
    const share = communication > 0 ? overlap / communication : 0;
    return (
        <>
            <span class="overlap-bar" role="img" aria-label={`${pct(100 * share)} % overlapped`}>
                <i style={{ width: `${100 * share}%` }} />
            </span>
            <span>
                <b>{`${pct(100 * share)}${THIN_SPACE}%`}</b> of{' '}
                {text(formatSeconds(communication / 1e9))} is hidden;{' '}
                {text(formatSeconds((communication - overlap) / 1e9))}{' '}
                <Term of="exposed-communication">exposed</Term>
            </span>
        </>
    );
}
