/* SPDX-License-Identifier: MIT
 *
 * The packages, next to the modules. The filled bar is the self time of a package, the outline the
 * cumulative time of its topmost modules. A module below another module of the same package is not
 * counted twice.
 */
import type { Page, Run } from '../../base/answers';
import { API } from '../../base/client';
import { formatHash, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { THIN_SPACE, formatFixed, pct } from '../../base/units';
import { PaneHead } from '../../components/toolbar';
import { useData } from '../shared/use_json';
import type { ImportData } from './data';
import type { PackageRow } from '../../base/rows';

const MAX_PACKAGES = 60;

export function packagesOf(page: Page | null): PackageRow[] {
    if (!page) return [];
    return page.rows.map(
        (row) =>
            Object.fromEntries(page.columns.map((c, i) => [c, row[i]])) as unknown as PackageRow,
    );
}

export function PackagesPane({ run, data }: { run: Run; data: ImportData }) {
    const path = `${API}/runs/${run.id}/packages?sort=self_us&desc=1&limit=${MAX_PACKAGES}`;
    const page = useData<Page>(path);
    const rows = packagesOf(page);
    const widest = rows.reduce((most, row) => Math.max(most, row.self_us, row.inclusive_us), 0);
    const hiddenPackages = (page?.total ?? 0) - rows.length;
    return (
        <section class="pane pane-packages">
            <PaneHead title={LABELS.packages} remark="by self time">
                <span class="soft">
                    % of {data.sumName} {formatFixed(data.sumSelf / 1e6, 3)}
                    {THIN_SPACE}s
                </span>
            </PaneHead>
            <div class="packages">
                <div class="package-row is-head">
                    <span>Package</span>
                    <span class="package-key">
                        <i class="key-self" /> self <i class="key-inclusive" /> inclusive
                    </span>
                    <span class="is-right">self ms</span>
                    <span class="is-right">self %</span>
                </div>
                {rows.map((row) => (
                    <PackageLine
                        key={row.package}
                        run={run}
                        row={row}
                        widest={widest}
                        sum={data.sumSelf}
                    />
                ))}
                {hiddenPackages > 0 && (
                    <a class="package-more link" href={formatHash(['run', run.id, 'packages'])}>
                        {hiddenPackages} more
                    </a>
                )}
            </div>
        </section>
    );
}

interface LineProps {
    run: Run;
    row: PackageRow;
    widest: number;
    sum: number;
}

function PackageLine({ run, row, widest, sum }: LineProps) {
    const width = (us: number): string => `${widest > 0 ? (100 * Math.max(0, us)) / widest : 0}%`;
    const query = { ...route.value.query, q: `^${row.package}(\\.|$)`, regex: '1' };
    return (
        <a
            class="package-row"
            href={formatHash(['run', run.id, 'imports'], query)}
            title={`${row.package}: self ${msText(row.self_us)}, inclusive ${msText(row.inclusive_us)}, first imported by ${row.first_importer ?? 'the program'}. Click: search its modules`}
        >
            <span class="mono package-name">{row.package}</span>
            <span class="package-bar">
                <i
                    class={`bar-inclusive is-${row.origin}`}
                    style={{ width: width(row.inclusive_us) }}
                />
                <i class={`bar-self is-${row.origin}`} style={{ width: width(row.self_us) }} />
            </span>
            <span class="is-right">{formatFixed(row.self_us / 1000, 1)}</span>
            <span class="is-right">{sum > 0 ? pct((100 * row.self_us) / sum) : '–'}</span>
        </a>
    );
}

function msText(us: number): string {
    return `${formatFixed(us / 1000, 3)}${THIN_SPACE}ms`;
}
