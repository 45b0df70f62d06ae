/* SPDX-License-Identifier: MIT */
/* Appearance of the frames of two memory snapshots: the colour is the change of their live bytes. */
import type { SnapshotComparison } from '../base/answers';
import { fitForms } from '../model/frame_names';
import type { FlameNode, SnapshotFlame } from '../model/snapshot_flame';
import { changeLevel, type DiffFlame } from '../model/snapshot_diff';
import { frameLabelForms } from '../model/snapshot_names';
import type { FramePaint } from './frame_canvas';
import { flameNodeName } from './snapshot_flame_paint';
import { DIFF_FILL } from './theme';

const VALUE_GAP = 7;
const NO_CHANGE = DIFF_FILL + 3;

/** `format`: a change with its sign and unit. */
export function snapshotDiffPaint(
    { nodes: answer, base }: SnapshotComparison,
    flame: DiffFlame,
    { nodes, layout }: SnapshotFlame,
    title: string,
    format: (change: number) => string,
): FramePaint {
    const { node } = layout;
    const shown = (frame: number): FlameNode | null =>
        node[frame] < 0 ? null : nodes[node[frame]];
    const sourceOf = (at: FlameNode): number => flame.source[at.node];
    const changeOf = (at: FlameNode): number =>
        answer.new[sourceOf(at)] - answer.base[sourceOf(at)];
    const bytesOf = (frame: number, side: 'base' | 'new'): number => {
        const at = shown(frame);
        return at ? answer[side][sourceOf(at)] : 1;
    };
    return {
        texture: (frame) => {
            const at = shown(frame);
            return !at ? 'root' : at.kind === 'frame' ? 'solid' : 'dashed';
        },
        origin: (frame) => {
            const at = shown(frame);
            return at ? NO_CHANGE + changeLevel(changeOf(at), base.peak_live) : 3;
        },
        tint: () => 0,
        edge: (frame) => bytesOf(frame, 'base') === 0,
        gone: (frame) => bytesOf(frame, 'new') === 0,
        label: (frame, maxWidth, measure) => {
            const at = shown(frame);
            if (!at) return { name: title, value: '' };
            const forms =
                at.kind === 'frame'
                    ? frameLabelForms(flame.frames[flame.nodes.frame[at.node] ?? 0])
                    : [flameNodeName(flame, at)];
            const change = changeOf(at);
            const value = Math.abs(changeLevel(change, base.peak_live)) > 1 ? format(change) : '';
            const withValue = forms.find(
                (form) => measure(form) + VALUE_GAP + measure(value) <= maxWidth,
            );
            if (value && withValue) return { name: withValue, value };
            const fitting = forms.find((form) => measure(form) <= maxWidth);
            // A short form says more than a cut one.
            const name = fitting ?? (forms.length > 2 ? '' : fitForms(forms, maxWidth, measure));
            return { name, value: '' };
        },
    };
}
