/* SPDX-License-Identifier: MIT
 *
 * The ten operators and kernels with the largest time, in the run or in the range.
 */
import type { Page, Run } from '../../base/answers';
import { FamilySwatch } from '../../components/family_swatch';
import { ShareBar } from '../../components/share_bar';
import { escapeRegex } from '../../model/filter_query';
import { ms, type TraceRange } from '../../model/trace_range';
import { operatorKey } from '../operators/table';
import { objectsOf } from '../shared/paged_source';
import { useData } from '../shared/use_json';
import { rangedPath, tabHash, traceOf } from '../trace/data';
import type { TraceTopKernelRow, TraceTopOperatorRow } from '../../base/rows';

const MAX_ROWS = 10;

interface TopProps<R> {
    run: Run;
    top: R[];
    range: TraceRange | null;
}

/* Rows of the list. For the complete run, they are part of the overview's response (`top`). */
function useTop<R>({ run, top, range }: TopProps<R>, view: string, sort: string): R[] {
    const on = view === 'operators' && traceOf(run).devices > 0 ? 'host' : undefined;
    const path = rangedPath(run, view, range, { sort, desc: 1, limit: MAX_ROWS, on });
    const data = useData<Page>(range ? path : null);
    return range ? objectsOf<R>(data) : top;
}

export function TopOperators(props: TopProps<TraceTopOperatorRow>) {
    const key = traceOf(props.run).devices > 0 ? 'self_device_us' : 'self_cpu_us';
    const rows = useTop(props, 'operators', key);
    return (
        <TopList
            title="Top operators"
            unit={key === 'self_device_us' ? 'self device ms' : 'self host ms'}
            href={tabHash(props.run, 'operators')}
            rows={rows.map((row) => ({
                ...row,
                us: row[key],
                href: tabHash(props.run, 'operators', { op: operatorKey(row) }),
            }))}
        />
    );
}

export function TopKernels(props: TopProps<TraceTopKernelRow>) {
    const rows = useTop(props, 'kernels', 'total_us');
    return (
        <TopList
            title="Top kernels"
            unit="total ms"
            href={tabHash(props.run, 'kernels')}
            rows={rows.map((row) => ({
                ...row,
                us: row.total_us,
                href: tabHash(props.run, 'kernels', {
                    q: `^${escapeRegex(row.name)}$`,
                    regex: '1',
                }),
            }))}
        />
    );
}

interface TopListProps {
    title: string;
    unit: string;
    href: string;
    rows: { name: string; family: number; us: number; href: string }[];
}

function TopList({ title, unit, href, rows }: TopListProps) {
    const shown = rows.filter(({ us }) => us > 0).slice(0, MAX_ROWS);
    if (shown.length === 0) return null;
    const maxUs = shown[0].us;
    return (
        <section class="overview-section">
            <h2>
                {title}
                <span class="soft">{unit}</span>
                <a class="link" href={href}>
                    all
                </a>
            </h2>
            <ol class="top-list">
                {shown.map(({ name, family, us, href: own }, i) => (
                    <li key={i} title={name}>
                        <FamilySwatch family={family} />
                        <a class="mono top-name" href={own}>
                            {name}
                        </a>
                        <span class="top-bar-cell">
                            <ShareBar share={us / maxUs} tone="total">
                                {ms(us * 1000)}
                            </ShareBar>
                        </span>
                    </li>
                ))}
            </ol>
        </section>
    );
}
