/* SPDX-License-Identifier: MIT */
/* The picture of the critical path, with pointer and tooltip. The tab handles keys. */
import { useRef } from 'preact/hooks';
import { plural, THIN_SPACE } from '../../base/units';
import { usePaint, useWidth } from '../../components/painting';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { edgeAt, partInfo } from '../../model/critical_path';
import { ms } from '../../model/trace_range';
import { layoutPath, paintPath, type PathGeometry, type PathScene, timeAt } from './paint';

interface PathPictureProps {
    scene: PathScene;
    /** index of an edge of the path */
    onPick: (edge: number) => void;
    onOpen: (edge: number) => void;
}

const KINDS: Record<string, string> = {
    operator: 'operator',
    call: 'runtime call',
    python: 'Python between operators',
    kernel: 'work of the device',
    launch_delay: 'from the launch to the start',
    gap: 'gap between kernels',
    event_wait: 'after the event that the stream waited for',
    sync_return: 'return of a call that waited',
    thread_switch: 'from one thread to another',
    unexplained: 'no slice explains it',
};

function edgeText({ answer }: PathScene, i: number): string {
    const { path } = answer;
    const kind = path.kinds[path.kind[i]];
    const title = partInfo(path.parts[path.part[i]]).title;
    const merged = path.edges[i] > 1 ? `, ${plural(path.edges[i], 'edge')}` : '';
    return `${title}: ${ms(path.ns[i])}${THIN_SPACE}ms, ${KINDS[kind] ?? kind}${merged}`;
}

export function PathPicture({ scene, onPick, onOpen }: PathPictureProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const { box, width } = useWidth();
    const geometry: PathGeometry | null = width > 0 ? layoutPath(scene, width) : null;
    usePaint(() => {
        if (canvas.current && geometry) paintPath(canvas.current, scene, geometry);
    });
    const edgeOf = (event: MouseEvent): number => {
        if (!geometry || !canvas.current) return -1;
        const at = timeAt(
            scene,
            geometry,
            event.clientX - canvas.current.getBoundingClientRect().left,
        );
        return at === null ? -1 : edgeAt(scene.answer.path, at);
    };
    const parts = scene.answer.parts
        .filter(({ ns }) => ns > 0)
        .map(({ part, ns }) => `${partInfo(part).title} ${ms(ns)}${THIN_SPACE}ms`);
    return (
        <div
            ref={box}
            class="path-picture"
            role="img"
            aria-label={`Critical path of ${ms(scene.answer.length_ns)}${THIN_SPACE}ms: ${parts.join(', ')}`}
        >
            <canvas
                ref={canvas}
                style={{ width: `${width}px`, height: `${geometry?.height ?? 200}px` }}
                onPointerMove={(event) => {
                    const i = edgeOf(event);
                    if (i >= 0) showTooltip(edgeText(scene, i), event.clientX, event.clientY);
                    else hideTooltip();
                }}
                onPointerLeave={() => hideTooltip()}
                onClick={(event) => {
                    const i = edgeOf(event);
                    if (i >= 0) onPick(i);
                }}
                onDblClick={(event) => {
                    const i = edgeOf(event);
                    if (i >= 0) onOpen(i);
                }}
            />
        </div>
    );
}
