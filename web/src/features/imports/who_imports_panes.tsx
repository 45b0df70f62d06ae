/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import type { ImportDetail, Origin, Run } from '../../base/answers';
import { route, setQuery } from '../../base/router';
import type { ImportRow } from '../../base/rows';
import { formatFixed, int, pct, plural } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { Swatch } from '../../components/origin_legend';
import { ShareBar } from '../../components/share_bar';
import { Num } from '../../components/text';
import { PaneHead } from '../../components/toolbar';
import { readSort } from '../../model/filter_query';
import type { PagedSource } from '../shared/paged_source';
import { moduleActions } from './module_actions';
import { openModule } from './who_imports_tab';

interface PaneProps {
    run: Run;
    detail: ImportDetail;
}

function Millis({ us }: { us: number | null }) {
    return us === null ? <span class="zero">–</span> : <Num value={us / 1000} decimals={3} />;
}

/** Chain of importers, root first: the module in each line was imported by the module in the line
 * above. */
export function ImporterChain({ run, detail }: PaneProps) {
    const { chain, row } = detail;
    const whole = chain[0]?.cumulative_us ?? 0;
    return (
        <section class="pane who-chain">
            <PaneHead
                title="Chain"
                remark={`${plural(chain.length, 'level')}, each imported by the row above`}
            />
            <div class="list-head chain-grid">
                <span>Module</span>
                <span class="is-right">
                    Self <i>ms</i>
                </span>
                <span class="is-right">
                    Cumulative <i>ms</i>
                </span>
                <span class="is-right" title="cumulative time in percent of the first row">
                    <i>% of root</i>
                </span>
            </div>
            <div class="list">
                {chain.map((link, level) => {
                    const last = link.id === row.id;
                    return (
                        <button
                            key={link.id}
                            type="button"
                            id={last ? 'who-chain-end' : undefined}
                            class={`list-row chain-grid${last ? ' is-selected' : ''}`}
                            onClick={() => openModule(run, link.id)}
                        >
                            <span
                                class="mono cut"
                                style={{ paddingLeft: `min(${level * 10}px, 160px, 40%)` }}
                                title={link.module}
                            >
                                {level > 0 && <span class="chain-mark">└ </span>}
                                {link.module}
                            </span>
                            <span class="is-right">
                                <Millis us={link.self_us} />
                            </span>
                            <span class="is-right">
                                <Millis us={link.cumulative_us} />
                            </span>
                            <span class="is-right">{percentText(link.cumulative_us, whole)}</span>
                        </button>
                    );
                })}
            </div>
        </section>
    );
}

function percentText(part: number | null, whole: number | null): string {
    return part !== null && whole !== null && whole > 0 ? pct((100 * part) / whole) : '–';
}

/** Breakdown of the module's cumulative time: its ten largest children, the other children
 * together, and the self time. */
export function ImportedChildren({ run, detail }: PaneProps) {
    const { row, children, rest } = detail;
    const whole = row.cumulative_us;
    const share = (us: number | null): number =>
        whole && us !== null ? Math.max(0, us) / whole : 0;
    return (
        <section class="pane who-children">
            <PaneHead title="What it imported" remark={<>in percent of its cumulative time</>} />
            <div class="list-head children-grid">
                <span>Module</span>
                <span class="is-right">
                    Cumulative <i>ms</i>
                </span>
                <span class="is-right" title={`percent of the cumulative time of ${row.module}`}>
                    <i>% of this</i>
                </span>
            </div>
            <div class="list">
                {children.map((child) => (
                    <BreakdownRow
                        key={child.id}
                        origin={child.origin}
                        name={child.module}
                        us={child.cumulative_us}
                        share={share(child.cumulative_us)}
                        shown={percentText(child.cumulative_us, whole)}
                        onClick={() => openModule(run, child.id)}
                    />
                ))}
                {rest.count > 0 && (
                    <BreakdownRow
                        name={plural(rest.count, 'smaller import')}
                        us={rest.cumulative_us}
                        share={share(rest.cumulative_us)}
                        shown={percentText(rest.cumulative_us, whole)}
                    />
                )}
                <BreakdownRow
                    name="itself, the unnamed remainder"
                    us={row.self_us}
                    share={share(row.self_us)}
                    shown={percentText(row.self_us, whole)}
                    strong
                />
            </div>
        </section>
    );
}

interface BreakdownRowProps {
    name: ComponentChildren;
    origin?: Origin;
    us: number | null;
    share: number;
    shown: string;
    strong?: boolean;
    onClick?: () => void;
}

function BreakdownRow({ name, origin, us, share, shown, strong, onClick }: BreakdownRowProps) {
    const body = (
        <>
            <span class="cut">
                {origin ? (
                    <>
                        <Swatch origin={origin} />
                        <span class="mono">{name}</span>
                    </>
                ) : (
                    <span class="soft">{name}</span>
                )}
            </span>
            <span class="is-right bar-cell">
                <ShareBar share={share} tone={strong ? 'self' : 'total'}>
                    {us === null ? '–' : formatFixed(us / 1000, 3)}
                </ShareBar>
            </span>
            <span class="is-right">{shown}</span>
        </>
    );
    if (!onClick) return <div class="list-row children-grid is-still">{body}</div>;
    return (
        <button type="button" class="list-row children-grid" onClick={onClick}>
            {body}
        </button>
    );
}

const REPEATED_COLUMNS: GridColumn<ImportRow>[] = [
    {
        key: 'importer',
        title: 'Imported by',
        width: 'rest',
        sortKey: 'importer',
        cellClass: 'is-mono',
        render: (row) => row.importer ?? <span class="zero">the program</span>,
    },
    {
        key: 'cached',
        title: 'How',
        width: 124,
        sortKey: 'cached',
        render: (row) => (
            <span class="soft">
                {row.cached ? 'from the cache' : row.first ? 'first load' : 'loaded again'}
            </span>
        ),
    },
];

/** Every import of this module, in the order of the log. Only the import that executed the module
 * takes noticeable time; all other imports found the module in sys.modules. */
export function RepeatedImports({
    run,
    detail,
    source,
}: PaneProps & { source: PagedSource<ImportRow> }) {
    const sort = readSort(route.value.query, 'ord', false);
    const total = source.total;
    return (
        <section class="pane who-again">
            <PaneHead title="All imports of this module" remark={int(total)} />
            <DataGrid<ImportRow>
                label={`All imports of ${detail.row.module}`}
                columns={REPEATED_COLUMNS}
                source={source}
                rowKey={(row) => row.id}
                sort={sort}
                onSort={({ key, desc }) =>
                    setQuery({ sort: key, desc: desc ? '1' : '0' }, { replace: true })
                }
                selected={detail.row.id}
                onOpen={(row) => openModule(run, row.id)}
                openOnClick
                actions={(row) => moduleActions(run, row)}
                resetKey={`${detail.row.module} ${sort.key} ${sort.desc}`}
            />
        </section>
    );
}
