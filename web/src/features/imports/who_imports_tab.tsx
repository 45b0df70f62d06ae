/* SPDX-License-Identifier: MIT
 *
 * The Who imports tab: for a selected module, the module that first imported it, the chain of
 * importers, repeated imports, and the modules that it imports.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ImportDetail, Page, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { useDefaultSelection } from '../../base/panel';
import { formatHash, navigate, route } from '../../base/router';
import type { ImportRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { THIN_SPACE, formatSeconds, formatFixed, pct, plural, text } from '../../base/units';
import { Notice } from '../../components/notice';
import { Swatch } from '../../components/origin_legend';
import { type PickItem, Picker } from '../../components/picker';
import { LoadingLine } from '../../components/progress';
import { Spacer, Toolbar } from '../../components/toolbar';
import { readSort } from '../../model/filter_query';
import { objectsOf, useSource } from '../shared/paged_source';
import { useData, useJson, usePart } from '../shared/use_json';
import { summaryOf } from './data';
import { RepeatedImports, ImporterChain, ImportedChildren } from './who_imports_panes';

/** Shows another module on this tab, as a new history entry. */
export function openModule(run: Run, id: number): void {
    navigate(['run', run.id, 'who-imports'], { ...route.peek().query, module: String(id) });
}

export function WhoImportsTab({ run }: { run: Run }) {
    const urlModule = route.value.query.module ?? route.value.query.sel;
    const first = usePart<Page>(
        urlModule ? null : `${API}/runs/${run.id}/imports?sort=self_us&desc=1&limit=1`,
    );
    const id = urlModule ? Number(urlModule) : (objectsOf<ImportRow>(first.data)[0]?.id ?? null);
    useDefaultSelection('module', urlModule ? null : id);
    const answer = useJson<ImportDetail>(
        id === null ? null : `${API}/runs/${run.id}/imports/${id}`,
    );
    const detail = answer.data;
    return (
        <div class="tab-body">
            <WhoToolbar run={run} detail={detail} />
            {answer.error && (
                <Notice kind="error" title="This module could not be read" error={answer.error} />
            )}
            {detail && !answer.error && <WhoReport run={run} detail={detail} />}
            {id === null && first.data && (
                <p class="report-empty">
                    This log has no import times. Record one with python -X importtime.
                </p>
            )}
            <LoadingLine active={answer.loading} />
        </div>
    );
}

function WhoReport({ run, detail }: { run: Run; detail: ImportDetail }) {
    const sort = readSort(route.value.query, 'ord', false);
    const source = useSource<ImportRow>(`${API}/runs/${run.id}/imports`, {
        module: detail.row.module,
        cached: 1,
        sort: sort.key,
        desc: sort.desc,
    });
    const hasRows = source.ready.value && source.rowAt(0)?.module === detail.row.module;
    return (
        <>
            <WhoSentence
                run={run}
                detail={detail}
                again={hasRows ? source.total - 1 : detail.again.length}
            />
            <div class="panes who-panes">
                <ImporterChain run={run} detail={detail} />
                <ImportedChildren run={run} detail={detail} />
                <RepeatedImports run={run} detail={detail} source={source} />
            </div>
        </>
    );
}

function WhoToolbar({ run, detail }: { run: Run; detail: ImportDetail | null }) {
    const input = useRef<HTMLInputElement | null>(null);
    const [typed, setTyped] = useState('');
    const path = withParams(`${API}/runs/${run.id}/imports`, {
        q: typed,
        sort: 'cumulative_us',
        desc: true,
        limit: 14,
    });
    const found = useData<Page>(path);
    const items = useMemo(
        () =>
            objectsOf<ImportRow>(found).map((row): PickItem => ({
                id: row.id,
                body: (
                    <>
                        <Swatch origin={row.origin} />
                        <span class="mono pick-name">{row.module}</span>
                        <span class="pick-note">{msText(row.cumulative_us)}</span>
                    </>
                ),
            })),
        [found],
    );
    useKeys('Who imports', [
        { key: '/', label: 'pick a module', run: () => input.current?.focus() },
    ]);
    const row = detail?.row;
    return (
        <Toolbar label="which module">
            <span class="soft">Module</span>
            <Picker
                label="module"
                placeholder={LABELS.searchModules}
                hint="/"
                value={row?.module ?? ''}
                items={items}
                onType={setTyped}
                onPick={(id) => openModule(run, id)}
                inputRef={input}
                width={360}
            />
            <Spacer />
            {row && row.startup === 0 && (
                <a class="quiet" href={formatHash(['run', run.id, 'lazy'], { lazy: row.module })}>
                    Make it lazy
                </a>
            )}
            {row && row.cached === 0 && (
                <a
                    class="quiet"
                    href={formatHash(['run', run.id, 'imports'], {
                        sel: String(row.id),
                        zoom: String(row.id),
                    })}
                >
                    Show in the icicle
                </a>
            )}
        </Toolbar>
    );
}

export function msText(us: number | null): string {
    return us === null ? '–' : `${formatFixed(us / 1000, 3)}${THIN_SPACE}ms`;
}

function timeText(us: number | null): string {
    return us === null ? '–' : text(formatSeconds(us / 1e6));
}

function WhoSentence({ run, detail, again }: { run: Run; detail: ImportDetail; again: number }) {
    const { row } = detail;
    const { total_us } = summaryOf(run);
    const share =
        total_us > 0 && row.cumulative_us !== null ? (100 * row.cumulative_us) / total_us : null;
    useEffect(() => {
        document.getElementById('who-chain-end')?.scrollIntoView({ block: 'nearest' });
    }, [row.id]);
    return (
        <p class="who-sentence">
            <b class="mono">{row.module}</b> <FirstImporterText detail={detail} />
            {share !== null && (
                <>
                    . Cumulative time <b>{timeText(row.cumulative_us)}</b>, {pct(share)}{' '}
                    {THIN_SPACE}% of total; self time <b>{timeText(row.self_us)}</b>
                </>
            )}
            .{' '}
            {again > 0
                ? `It was imported ${plural(again, 'more time', 'more times')}.`
                : detail.asked
                  ? 'No other module imported it.'
                  : 'This log has no later imports. Record them with -X importtime=2 (Python 3.14) or perfshelf record importtime --importers.'}
        </p>
    );
}

function FirstImporterText({ detail: { row, chain } }: { detail: ImportDetail }) {
    if (!row.importer)
        return <>was imported by the program itself, or by an import that the log does not list</>;
    const above = chain.length - 1;
    const how = row.cached ? 'was in memory already when' : 'was first imported by';
    return (
        <>
            {how} <b class="mono">{row.importer}</b>
            {row.cached ? ' imported it' : ''}
            {above > 1 && chain[0] && (
                <>
                    , {plural(above, 'level')} below <b class="mono">{chain[0].module}</b>
                </>
            )}
        </>
    );
}
