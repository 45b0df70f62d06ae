/* SPDX-License-Identifier: MIT
 *
 * The frame of a report: name and main values of the run, its tabs, and below them the selected
 * tab.
 */
import { useEffect, useState, useLayoutEffect, useRef } from 'preact/hooks';
import type { ReportLink, Run } from '../../base/answers';
import { showAxis } from '../../base/axis';
import { API, type ApiError, asApiError } from '../../base/client';
import { useLayoutEffectOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { kindHas } from '../../base/kinds';
import { offlineFile } from '../../base/offline';
import { formatHash, goTo, navigate, route, type Query } from '../../base/router';
import { LABELS } from '../../base/terms';
import { int, when } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Menu, type MenuItem } from '../../components/menu';
import { Markdown } from '../../components/markdown';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Facts, RunHead } from '../../components/run_head';
import { setStatus } from '../../components/status_line';
import { MANY_TABS, Tabs } from '../../components/tabs';
import { Tag } from '../../components/tag';
import { PHONE_PX, viewportWidth } from '../../components/viewport';
import { listedTags } from '../../model/environment';
import { lacksHint } from '../../model/run_lacks';
import { formatTags } from '../../model/shelf_rows';
import { Conclusion } from '../conclusion/conclusion';
import { hasRole, mayRemove } from '../login/user';
import { axisOnPage, SamplesOf, useSampleTypes } from '../stacks/sample_types';
import { isStacks } from '../trace/data';
import { timelineHash } from '../trace/timeline_link';
import { trendHref } from '../trend/link';
import { pinBaseline } from '../trend/state';
import { CompareMenu } from './compare_menu';
import { DeleteDialog, EditDialog } from './dialogs';
import { RunEnvironment } from './environment';
import { factsOf, RunWarnings } from './facts';
import { ledgerIdentity } from './ledger_text';
import { TabBody, useRun } from './run_body';
import { ShareDialog } from './share_dialog';
import { tabId } from '../shared/tab_list';
import { currentName, tabsOf, type TabSpec } from './tabs';

/* Last query of each tab, so that returning to a tab restores its state. The keys in SHARED_KEYS are
 * common to all tabs: the range of a trace and the number of a printed report. Stacks also share
 * what is a frame, the threads, the transforms, the colours and the name of the selected function. */
const lastQueryByTab = new Map<string, Query>();
const SHARED_KEYS = ['from_ns', 'to_ns', 'report'];
const STACK_SHARED_KEYS = [...SHARED_KEYS, 'mode', 'threads', 'tf', 'color', 'sel'];
const SAMPLES_SHARED_KEYS = [...STACK_SHARED_KEYS, 'sample_type', 'labels', 'sign'];
const SELECTED_SHARED_KEYS = [...SHARED_KEYS, 'sel'];
const CALLS_SHARED_KEYS = [...SHARED_KEYS, 'fn'];
/* Keys of tabs that show the selected function, by the key of the selection: another selection makes
 * them invalid. */
const SELECTION_KEYS: Record<string, string[]> = {
    sel: ['fn', 'op', 'module', 'flame_frame', 'sandwich_zoom', 'sandwich_frame', 'sandwich_name'],
    fn: ['frame', 'zoom'],
};

type RunDialog = 'edit' | 'delete' | 'share';

function sharedKeys({ kind }: Run): string[] {
    if (kindHas(kind, 'sample_types')) return SAMPLES_SHARED_KEYS;
    if (kindHas(kind, 'stacks')) return STACK_SHARED_KEYS;
    if (kindHas(kind, 'slices') || kindHas(kind, 'imports')) return SELECTED_SHARED_KEYS;
    return kindHas(kind, 'calls') ? CALLS_SHARED_KEYS : SHARED_KEYS;
}

function withSharedKeys(run: Run, lastQuery: Query, now: Query): Query {
    const query = { ...lastQuery };
    const shared = sharedKeys(run);
    for (const [selection, dependent] of Object.entries(SELECTION_KEYS)) {
        if (!shared.includes(selection) || now[selection] === lastQuery[selection]) continue;
        for (const key of dependent) delete query[key];
    }
    for (const key of shared) {
        if (now[key]) query[key] = now[key];
        else delete query[key];
    }
    return query;
}

function useTabHrefs(run: Run, specs: TabSpec[], current: string): (id: string) => string {
    const { query } = route.value;
    lastQueryByTab.set(`${run.id}/${current}`, query);
    const hrefByTab = new Map(
        specs.map(({ id }) => [
            id,
            formatHash(
                ['run', run.id, id],
                withSharedKeys(run, lastQueryByTab.get(`${run.id}/${id}`) ?? {}, query),
            ),
        ]),
    );
    return (id) => hrefByTab.get(id) ?? '';
}

function conclusionHref(run: Run, { tab, params }: ReportLink): string {
    if (tab === 'timeline' && params.slice)
        return timelineHash(run, { slice: Number(params.slice) });
    return formatHash(['run', run.id, tabId(tab)], params);
}

export function ReportView({ id, tab }: { id: string; tab: string | undefined }) {
    const { run, error } = useRun(id);
    if (error) return <NoRun id={id} error={error} />;
    if (!run) {
        return (
            <main>
                <LoadingLine active />
            </main>
        );
    }
    return <Report run={run} tab={tab} />;
}

function Report({ run, tab }: { run: Run; tab: string | undefined }) {
    const samples = useSampleTypes(run);
    showAxis(axisOnPage(run));
    const specs = tabsOf(run);
    const spec = specs.find((one) => one.id === currentName(tab)) ?? specs[0];
    const hrefOf = useTabHrefs(run, specs, spec.id);
    const [dialog, setDialog] = useState<RunDialog | null>(null);
    const [pinError, setPinError] = useState<ApiError | null>(null);
    const pin = () => {
        setPinError(null);
        pinBaseline(run.id, !run.baseline).catch((reason) => setPinError(asApiError(reason)));
    };
    useEffect(() => {
        document.title = `${run.name} · perfshelf`;
    }, [run.name]);
    // A layout effect, because it runs before the effects of the tab, which set the middle of the
    // status line.
    useLayoutEffectOn(() => {
        const { bytes, sha256 } = run;
        const source = `${int(bytes)} bytes · sha256 ${sha256.slice(0, 4)}…${sha256.slice(-4)}`;
        setStatus(ledgerIdentity(run.ledger), null, <span title={sha256}>{source}</span>);
    }, [run.id, spec.id]);
    useKeys('Report', [
        ...specs.map((one, i) => ({
            key: String(i + 1),
            label: 'switch tabs',
            run: () => {
                goTo(hrefOf(one.id));
            },
        })),
        ...(hasRole('uploader')
            ? [{ key: 'e', label: 'edit name, series, tags, note', run: () => setDialog('edit') }]
            : []),
        ...(offlineFile()
            ? []
            : [{ key: 'u', label: 'back to the shelf', run: () => navigate([], {}) }]),
    ]);
    return (
        <main class={isStacks(run) ? 'report stacks' : 'report'}>
            <RunHead name={<RunName run={run} />} kind={run.kind} meta={<RunMeta run={run} />}>
                <Facts facts={factsOf(run)} />
            </RunHead>
            {run.note && <RunNote key={run.note} text={run.note} />}
            <Conclusion
                key={run.id}
                run={run}
                isFirstTab={spec === specs[0] && !spec.isTall}
                hrefOf={(link) => conclusionHref(run, link)}
            />
            <Tabs
                current={spec.id}
                items={specs.map((one) => ({
                    id: one.id,
                    title: one.title,
                    count: one.count?.(run),
                    warn: one.warn,
                    href: hrefOf(one.id),
                }))}
            >
                {!offlineFile() && <CompareMenu run={run} />}
                {!offlineFile() && (
                    <CopyButton class="quiet" label={LABELS.copyLink} text={() => location.href} />
                )}
                {!offlineFile() && (
                    <button
                        type="button"
                        class="quiet hide-below-600"
                        onClick={() => setDialog('share')}
                    >
                        Share…
                    </button>
                )}
                {hasRole('admin') && specs.length < MANY_TABS && (
                    <a class="quiet wide-only" href={`${API}/runs/${run.id}/original`} download>
                        Download original
                    </a>
                )}
                <RunMenu run={run} onPick={setDialog} onPin={pin} />
            </Tabs>
            {pinError && <Notice kind="error" title={LABELS.baselineError} error={pinError} />}
            <RunWarnings run={run} />
            <SamplesOf state={samples}>
                <TabBody spec={spec} run={run} />
            </SamplesOf>
            {dialog === 'share' && (
                <ShareDialog
                    path={`${API}/runs/${run.id}`}
                    title={run.name}
                    onClose={() => setDialog(null)}
                />
            )}
            {dialog === 'edit' && <EditDialog runs={[run]} onClose={() => setDialog(null)} />}
            {dialog === 'delete' && (
                <DeleteDialog
                    runs={[run]}
                    onClose={() => setDialog(null)}
                    onDone={() => navigate([], {})}
                />
            )}
        </main>
    );
}

function RunName({ run }: { run: Run }) {
    return (
        <h1 class="run-name" title={run.name}>
            {run.name}
        </h1>
    );
}

interface RunMenuProps {
    run: Run;
    onPick: (dialog: RunDialog) => void;
    onPin: () => void;
}

function RunMenu({ run, onPick, onPin }: RunMenuProps) {
    const edit = { text: 'Edit name, series, tags, note', note: <kbd>e</kbd> };
    const pin = run.baseline ? 'Unpin as baseline' : 'Pin as baseline';
    const original = { text: 'Download original', href: `${API}/runs/${run.id}/original` };
    const items: MenuItem[] = [];
    if (viewportWidth.value < PHONE_PX && !offlineFile()) {
        items.push({ text: 'Share…', onPick: () => onPick('share') });
    }
    if (hasRole('uploader')) items.push({ ...edit, onPick: () => onPick('edit') });
    if (hasRole('uploader') && run.series)
        items.push({ text: pin, note: run.series, onPick: onPin });
    if (hasRole('admin')) items.push({ ...original, download: true });
    if (mayRemove(run)) items.push({ text: 'Delete', onPick: () => onPick('delete') });
    return items.length > 0 ? <Menu label="More" align="right" items={items} /> : null;
}

function toolText(run: Run): string | null {
    if (!run.tool) return null;
    return run.tool_version ? `${run.tool}, ${run.tool_version}` : run.tool;
}

function RunMeta({ run }: { run: Run }) {
    const wideOnlyParts: string[] = [];
    const tool = toolText(run);
    if (tool) wideOnlyParts.push(tool);
    if (kindHas(run.kind, 'imports') && run.summary.negative_self === 0) {
        wideOnlyParts.push('no sign of a second thread');
    }
    const added = `added ${run.who ? `by ${run.who}, ` : ''}${when(run.created_at)}`;
    return (
        <>
            {run.series && <SeriesMeta series={run.series} baseline={run.baseline} />}
            <span class="wide-only">{wideOnlyParts.map((part) => `${part} · `)}</span>
            <span title={run.created_at}>{added}</span>
            <RunEnvironment key={run.id + formatTags(run.tags)} run={run} />{' '}
            <RedactionNote columns={run.summary.redacted} />
            <LacksNote run={run} />
            {listedTags(run.tags).map(([name, value]) => [
                <Tag key={name} name={name} value={value} />,
                ' ',
            ])}
        </>
    );
}

/* Shown for a run that was imported without its original file. */
function RedactionNote({ columns }: { columns: unknown }) {
    if (!Array.isArray(columns)) return null;
    const list = columns.length > 0 ? `; redacted: ${columns.join(', ')}` : '';
    return <span>· shared without its original{list} </span>;
}

/* What an older version did not read, so that nobody takes absent for zero. */
function LacksNote({ run }: { run: Run }) {
    if (!run.lacks?.length) return null;
    return <span title={lacksHint(run)}>· not in this run: {run.lacks.join(', ')} </span>;
}

function SeriesMeta({ series, baseline }: { series: string; baseline: boolean }) {
    if (offlineFile()) return <>{series} · </>;
    return (
        <>
            <a href={formatHash([], { series })}>{series}</a>
            {baseline ? ' (baseline)' : ''} ·{' '}
            <a class="trend-link" href={trendHref(series)}>
                trend
            </a>{' '}
            ·{' '}
        </>
    );
}

function NoRun({ id, error }: { id: string; error: ApiError }) {
    const isMissing = error.status === 404;
    useEffect(() => setStatus(null, null, null), []);
    return (
        <main class="no-run">
            <Notice
                kind="error"
                title={
                    isMissing ? `There is no run ${id} on this shelf` : 'The run could not be read'
                }
                error={isMissing ? undefined : error}
                actions={
                    <a class="link" href={formatHash([])}>
                        Go to the shelf
                    </a>
                }
            >
                {isMissing && <div>The run was deleted, or the link is for another shelf.</div>}
            </Notice>
        </main>
    );
}

/** Note of a user on the run, in Markdown; a long note is cut to its first lines until the user expands it. */
function RunNote({ text }: { text: string }) {
    const ref = useRef<HTMLDivElement | null>(null);
    const [all, setAll] = useState(false);
    const [isCut, setCut] = useState(false);
    useLayoutEffect(() => {
        const shown = ref.current;
        if (!shown || all) return;
        const measure = () => setCut(shown.scrollHeight > shown.clientHeight + 1);
        const observer = new ResizeObserver(measure);
        measure();
        observer.observe(shown);
        return () => observer.disconnect();
    }, [all]);
    return (
        <div class="run-note">
            <div
                ref={ref}
                class={all ? 'run-note-text is-all' : 'run-note-text'}
                tabIndex={all ? 0 : undefined}
            >
                <Markdown text={text} />
            </div>
            {(isCut || all) && (
                <button type="button" class="link" onClick={() => setAll(!all)}>
                    {all ? 'Show less' : 'Show all'}
                </button>
            )}
        </div>
    );
}
