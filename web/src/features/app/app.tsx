/* SPDX-License-Identifier: MIT
 *
 * The window: top bar, current view, status line, and overlays.
 */
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../../base/keys';
import { offlineFile, type OfflineFile } from '../../base/offline';
import { formatHash, goTo, route } from '../../base/router';
import { ContextMenuLayer } from '../../components/context_menu';
import { EditorDialog } from '../../components/editor_link';
import { KeyHelp } from '../../components/key_help';
import { Notice } from '../../components/notice';
import { StatusLine } from '../../components/status_line';
import { TooltipLayer } from '../../components/tooltip';
import { dispatchWindowKey } from '../../components/window_keys';
import { UserMenu } from '../login/person_menu';
import { fetchUser, hasRole, currentUser } from '../login/user';
import { LoginView } from '../login/view';
import { prefetchViews, startReport } from '../report/tabs';
import { ReportView } from '../report/view';
import { FailedParts } from '../shared/failed_parts';
import { formats, followShelf, cachedRuns, namesVersion } from '../shared/shelf_state';
import { ShelfView } from '../shelf/view';
import { DropTarget, NoDropTarget } from '../upload/drop_target';
import { pickFiles } from '../upload/uploads';
import { followAddress } from './address';
import { LazyCompare, LazySearch, LazySql, LazyTrend } from './lazy_views';
import { RunSearch, ShelfSearch } from './run_search';
import { TopBar, type Crumb } from './top_bar';

/* Delay before the code of other tabs is fetched. A report first loads its own data. */
const SHELF_PREFETCH_MS = 300;
const PREFETCH_MS = 3000;

const isHelpOpen = signal(false);
/** URL of the shelf with its last filter, for the "Shelf" breadcrumb of the other pages. */
let shelfHref = formatHash([]);

function useAppEffects(): void {
    useEffect(() => {
        addEventListener('keydown', dispatchWindowKey);
        void fetchUser().catch(() => undefined); // ignored: the request for the shelf reports the same error
        const stop = offlineFile() ? () => undefined : followShelf();
        const isShelf = route.value.path.length === 0;
        const prefetchTimer = setTimeout(prefetchViews, isShelf ? SHELF_PREFETCH_MS : PREFETCH_MS);
        return () => {
            removeEventListener('keydown', dispatchWindowKey);
            stop();
            clearTimeout(prefetchTimer);
        };
    }, []);
}

/* Breadcrumbs of a comparison. They include the series if all runs belong to the same series. */
function compareCrumbs(): Crumb[] {
    const { base = '', new: fresh = '' } = route.value.query;
    const runs = `${base},${fresh}`
        .split(',')
        .filter(Boolean)
        .map((id) => cachedRuns.get(id));
    const series = runs[0]?.series;
    const list: Crumb[] = [{ text: 'Shelf', href: shelfHref }];
    if (series && runs.every((run) => run?.series === series)) {
        list.push({ text: series, href: formatHash([], { series }) });
    }
    list.push({ text: base ? 'compare' : 'group' });
    return list;
}

function pageCrumbs(path: string[], _names: number): Crumb[] {
    if (path[0] === 'compare') return compareCrumbs();
    if (path[0] === 'trend') return [{ text: 'Shelf', href: shelfHref }, { text: 'trend' }];
    if (path[0] === 'sql') return [{ text: 'Shelf', href: shelfHref }, { text: 'SQL' }];
    if (path[0] === 'search') return [{ text: 'Shelf', href: shelfHref }, { text: 'search' }];
    if (path[0] !== 'run') return [{ text: 'Shelf' }];
    const run = cachedRuns.get(path[1] ?? '');
    const list: Crumb[] = [{ text: 'Shelf', href: shelfHref }];
    if (run?.series) {
        list.push({ text: run.series, href: formatHash([], { series: run.series }) });
    }
    list.push({ text: run?.name ?? path[1] ?? '' });
    return list;
}

/* Breadcrumbs of an offline file. The file has no shelf; if it was exported from a comparison, they
 * start with that comparison. */
function fileCrumbs(path: string[], start: string, _names: number): Crumb[] {
    const [place, id = ''] = path;
    const list: Crumb[] = start.startsWith('#/compare') ? [{ text: 'compare', href: start }] : [];
    if (place === 'run') list.push({ text: cachedRuns.get(id)?.name ?? id });
    return list;
}

function RedirectToStart({ start }: { start: string }) {
    useEffect(() => goTo(start), [start]);
    return <main />;
}

function CurrentView({ path }: { path: string[] }) {
    const file = offlineFile();
    const isKnownView = path[0] === 'run' || path[0] === 'compare';
    if (file && !isKnownView) return <RedirectToStart start={file.start} />;
    if (path.length === 0) return <ShelfView />;
    if (path[0] === 'run' && path[1]) return <ReportView id={path[1]} tab={path[2]} />;
    if (path[0] === 'compare') return <LazyCompare tab={path[1]} view={path[2]} />;
    if (path[0] === 'trend') return <LazyTrend />;
    if (path[0] === 'sql') return <LazySql />;
    if (path[0] === 'search') return <LazySearch />;
    return (
        <main class="no-run">
            <Notice
                kind="error"
                title="Page not found"
                actions={
                    <a class="link" href={formatHash([])}>
                        Go to the shelf
                    </a>
                }
            />
        </main>
    );
}

/** Opens the normal page. Called once; the window of a panel calls openPanel instead. */
export function openApp() {
    followAddress();
    const [place, id, tab] = route.value.path;
    if (place === 'run' && id && !offlineFile()) startReport(id, tab);
    return <App />;
}

function App() {
    return currentUser.value?.role === 'nobody' ? <SignedOutPage /> : <SignedInPage />;
}

function SignedOutPage() {
    return (
        <>
            <TopBar
                home={formatHash([])}
                crumbs={[]}
                search={null}
                onAdd={null}
                menu={null}
                onHelp={null}
            />
            <LoginView />
            <NoDropTarget />
            <StatusLine />
        </>
    );
}

function SignedInPage() {
    const { path, query } = route.value;
    const search = useRef<HTMLInputElement | null>(null);
    const file = offlineFile();
    const isShelf = path.length === 0;
    // On the shelf, Ctrl+K replaces the filter of its rows by the search until that loses the focus.
    const [isSearching, setSearching] = useState(false);
    if (isShelf) shelfHref = formatHash([], query);
    useAppEffects();
    useEffect(() => {
        if (isShelf) document.title = 'Shelf · perfshelf';
    }, [isShelf]);
    useEffect(() => {
        if (isShelf && isSearching) search.current?.focus();
    }, [isShelf, isSearching]);
    const shelfKeys = [
        { key: '/', label: 'search', run: () => search.current?.select() },
        {
            key: 'ctrl+k',
            label: 'search runs, functions, modules, lines',
            run: () => {
                setSearching(true);
                search.current?.select();
            },
            inFields: true,
        },
        ...(hasRole('uploader') ? [{ key: 'o', label: 'add profiles', run: pickFiles }] : []),
    ];
    useKeys('Everywhere', [
        ...(file ? [] : shelfKeys),
        { key: '?', label: 'these keys', run: () => (isHelpOpen.value = true) },
    ]);
    return (
        <>
            <TopBar
                home={file?.start ?? formatHash([])}
                crumbs={
                    file
                        ? fileCrumbs(path, file.start, namesVersion.value)
                        : pageCrumbs(path, namesVersion.value)
                }
                search={
                    file ? null : isShelf && !isSearching ? (
                        <ShelfSearch inputRef={search} />
                    ) : (
                        <RunSearch inputRef={search} onLeave={() => setSearching(false)} />
                    )
                }
                onAdd={!file && hasRole('uploader') ? pickFiles : null}
                menu={file ? null : <UserMenu />}
                onHelp={() => (isHelpOpen.value = true)}
            />
            {file && <OfflineLine file={file} />}
            <FailedParts />
            <CurrentView path={path} />
            <StatusLine />
            {!file && hasRole('uploader') ? <DropTarget /> : <NoDropTarget />}
            {isHelpOpen.value && (
                <KeyHelp formats={formats.value} onClose={() => (isHelpOpen.value = false)} />
            )}
            <ContextMenuLayer />
            <EditorDialog />
            <TooltipLayer />
        </>
    );
}

/** Line on an offline page: when and how it was made, and what was redacted. */
function OfflineLine({ file }: { file: OfflineFile }) {
    const { made_at, made_by, redacted } = file;
    return (
        <p class="offline-line" role="note">
            <b>Offline copy</b> made {made_at.slice(0, 16).replace('T', ' ')} UTC by {made_by}.{' '}
            {redacted.length ? (
                <>
                    Redacted: <b>{redacted.join(', ')}</b>.
                </>
            ) : (
                'Nothing was redacted.'
            )}
        </p>
    );
}
