/* SPDX-License-Identifier: MIT
 *
 * A report as a panel next to another panel: only its view. The page around the panels handles
 * links to other pages, and keys that are not bound here.
 */
import { signal } from '@preact/signals';
import type { Run } from '../../base/answers';
import { showAxis } from '../../base/axis';
import { useEffectOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { startPanel, type PanelHost } from '../../base/panel';
import { persistAddress, route, showHash } from '../../base/router';
import { ContextMenuLayer } from '../../components/context_menu';
import { EditorDialog } from '../../components/editor_link';
import { KeyHelp } from '../../components/key_help';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { StatusLine } from '../../components/status_line';
import { TooltipLayer } from '../../components/tooltip';
import { followViewLink } from '../../components/view_links';
import { dispatchWindowKey } from '../../components/window_keys';
import { RunWarnings } from '../report/facts';
import { TabBody, useRun } from '../report/run_body';
import { tabsOf } from '../report/tabs';
import { FailedParts } from '../shared/failed_parts';
import { axisOnPage, SamplesOf, useSampleTypes } from '../stacks/sample_types';
import { isStacks } from '../trace/data';
import { carriesFiles } from '../upload/drop_target';
import { linkRows } from './panel_rows';

const DRAG_EVENTS = ['dragenter', 'dragover', 'drop'] as const;
const isHelpOpen = signal(false);

/** Host that the page stored on the frame of this window; null if this window is not a panel. */
export function hostOfWindow(): PanelHost | null {
    const frame: (Element & { panelHost?: PanelHost }) | null = window.frameElement;
    return frame?.panelHost ?? null;
}

/** Opens the page of a panel. Called once; the window of a normal page calls openApp instead. */
export function openPanel(host: PanelHost) {
    persistAddress((hash, replace) => host.navigated(hash, replace));
    startPanel(host, showHash);
    return <PanelView host={host} />;
}

function usePanelEvents(host: PanelHost): void {
    useEffectOn(() => {
        const control = new AbortController();
        const { signal } = control;
        const notifyActive = () => host.activated();
        const onKey = (event: KeyboardEvent) => {
            if (dispatchWindowKey(event)) host.key(event);
        };
        const onDrag = (event: DragEvent) => {
            if (!carriesFiles(event)) return;
            event.preventDefault();
            host.filesDragged();
        };
        addEventListener('keydown', onKey, { signal });
        // A click on a picture does not focus the window by itself, but the keys must be sent to
        // the clicked panel.
        const onPointerDown = () => {
            if (!document.hasFocus()) window.focus();
            notifyActive();
        };
        addEventListener('pointerdown', onPointerDown, { signal, capture: true });
        addEventListener('wheel', notifyActive, { signal, capture: true, passive: true });
        addEventListener('focusin', notifyActive, { signal });
        for (const type of DRAG_EVENTS) addEventListener(type, onDrag, { signal });
        document.addEventListener('click', followViewLink, { signal });
        const stop = linkRows();
        return () => {
            control.abort();
            stop();
        };
    }, []);
    useKeys('Panel', [{ key: '?', label: 'these keys', run: () => (isHelpOpen.value = true) }]);
}

function PanelView({ host }: { host: PanelHost }) {
    const { path } = route.value;
    usePanelEvents(host);
    return (
        <>
            <FailedParts />
            {path[0] === 'run' && <PanelRun id={path[1]} view={path[2]} />}
            <StatusLine />
            {isHelpOpen.value && (
                <KeyHelp formats={[]} onClose={() => (isHelpOpen.value = false)} />
            )}
            <ContextMenuLayer />
            <EditorDialog />
            <TooltipLayer />
        </>
    );
}

function PanelRun({ id, view }: { id: string; view: string }) {
    const { run, error } = useRun(id);
    if (error) return <Notice kind="error" title="The run could not be read" error={error} />;
    if (!run) return <LoadingLine active />;
    return <PanelBody run={run} view={view} />;
}

function PanelBody({ run, view }: { run: Run; view: string }) {
    const samples = useSampleTypes(run);
    showAxis(axisOnPage(run));
    const spec = tabsOf(run).find(({ id }) => id === view);
    return (
        <main class={isStacks(run) ? 'report panel stacks' : 'report panel'}>
            <RunWarnings run={run} />
            <SamplesOf state={samples}>{spec && <TabBody spec={spec} run={run} />}</SamplesOf>
        </main>
    );
}
