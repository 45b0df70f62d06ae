/* SPDX-License-Identifier: MIT
 *
 * The critical path of a step on the timeline: a line above the rows that it runs through. URL: path
 * (the step as in the Critical path tab).
 */
import type { CriticalEdges, CriticalPathAnswer, Run, TimelineAnswer } from '../../base/answers';
import { withParams } from '../../base/client';
import { replaceQuery, route } from '../../base/router';
import { CheckBox } from '../../components/check_box';
import { pathLegs } from '../../model/critical_path';
import { useJson } from '../shared/use_json';
import { viewPath } from '../trace/data';
import { bandOf, laneY } from './bands';
import { type Surface, type TimelineScene, xOf } from './scene';

const LINE_PX = 2.5;
const LEAST_PX = 3;
const ARROW_PX = 5;

/** The path of the step in the URL; null: none is shown. */
export function usePathLine(run: Run): { path: CriticalEdges | null; problem: string | null } {
    const { path: step } = route.value.query;
    const { data, error } = useJson<CriticalPathAnswer>(
        step ? withParams(viewPath(run, 'critical_path'), { step }) : null,
    );
    const problem = error?.text ?? data?.reason ?? null;
    return { path: data?.reason === null ? data.path : null, problem: step ? problem : null };
}

interface PathSwitchProps {
    timeline: TimelineAnswer;
    problem: string | null;
    /** ns: the step there is chosen */
    middle: () => number;
}

export function PathSwitch({ timeline, problem, middle }: PathSwitchProps) {
    const { path: step } = route.value.query;
    const change = (checked: boolean): void => {
        const t = middle();
        const here = timeline.steps.find(({ start_ns, end_ns }) => t >= start_ns && t < end_ns);
        replaceQuery({ path: checked ? String(here?.id ?? 'median') : null });
    };
    return (
        <label
            class="timeline-path"
            title={problem ?? 'The critical path of the step in the middle of the view'}
        >
            <CheckBox label="critical path" checked={Boolean(step)} onChange={change} /> critical
            path{problem && <span class="soft"> (none)</span>}
        </label>
    );
}

/** Draws the path above the lanes of its tracks; parts on tracks that are not listed are left out. */
export function paintPathLine({ ctx, width }: Surface, scene: TimelineScene): void {
    if (!scene.path) return;
    const nsPerPx = (scene.view.to - scene.view.from) / width;
    let before: number | null = null;
    ctx.strokeStyle = scene.theme.text1;
    ctx.fillStyle = scene.theme.text1;
    ctx.lineWidth = LINE_PX;
    for (const leg of pathLegs(scene.path, LEAST_PX * nsPerPx)) {
        const lane = scene.lanes.byTrack.get(leg.track);
        if (!lane) {
            before = null;
            continue;
        }
        const { top, bottom } = bandOf(scene, lane);
        const y: number = Math.max(top + 1, Math.min(bottom - 1, laneY(scene, lane) + 1.5));
        const [from, to] = [xOf(scene, width, leg.from), xOf(scene, width, leg.to)];
        if (to >= -ARROW_PX && from <= width + ARROW_PX) {
            ctx.beginPath();
            ctx.moveTo(from, before ?? y);
            ctx.lineTo(from, y);
            ctx.lineTo(Math.min(width + ARROW_PX, to), y);
            ctx.stroke();
            if (before !== null && Math.abs(before - y) > 2 * ARROW_PX) {
                const back = y + (y < before ? ARROW_PX + 2 : -ARROW_PX - 2);
                ctx.beginPath();
                ctx.moveTo(from, y);
                ctx.lineTo(from - ARROW_PX + 1, back);
                ctx.lineTo(from + ARROW_PX - 1, back);
                ctx.fill();
            }
        }
        before = y;
    }
}
