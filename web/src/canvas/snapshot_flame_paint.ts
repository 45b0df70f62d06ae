/* SPDX-License-Identifier: MIT */
/* Appearance of the frames of live memory: the last frame of a stack has the colour of its group. */
import type { LiveFlame } from '../base/answers';
import { bytesText, plural } from '../base/units';
import { fitForms } from '../model/frame_names';
import { fitEllipsis } from '../model/labels';
import type { FlameNode, SnapshotFlame } from '../model/snapshot_flame';
import { frameLabelForms, NO_STACK } from '../model/snapshot_names';
import { FAMILIES } from '../model/family';
import type { FramePaint } from './frame_canvas';
import { GROUP_TOKENS } from './snapshot_theme';
import { FAMILY_FILL } from './theme';

const GROUP_FILLS = GROUP_TOKENS.map(
    (token) => FAMILY_FILL + FAMILIES.findIndex(({ key }) => token === `family-${key}`),
);

export function flameNodeName(
    flame: Pick<LiveFlame, 'frames' | 'nodes'>,
    { kind, node, frames }: FlameNode,
): string {
    if (kind === 'fold') return `${plural(frames, 'frame')} with one child each`;
    if (kind === 'none') return NO_STACK;
    if (kind === 'rest') return 'smaller frames';
    const frame = flame.frames[flame.nodes.frame[node] ?? 0];
    return frameLabelForms(frame)[0];
}

export function snapshotFlamePaint(flame: LiveFlame, { nodes, layout }: SnapshotFlame): FramePaint {
    const { node } = layout;
    const shown = (frame: number): FlameNode | null =>
        node[frame] < 0 ? null : nodes[node[frame]];
    return {
        texture: (frame) => {
            const kind = shown(frame)?.kind;
            if (!kind) return 'root';
            return kind === 'fold' || kind === 'rest' ? 'dashed' : 'solid';
        },
        origin: (frame) => {
            const at = shown(frame);
            return (
                GROUP_FILLS[at?.kind === 'frame' ? flame.nodes.group[at.node] : 0] ?? GROUP_FILLS[7]
            );
        },
        tint: () => 0,
        label: (frame, maxWidth, measure) => {
            const at = shown(frame);
            if (!at) {
                const name = `all, ${bytesText(layout.total)}`;
                return {
                    name: fitEllipsis(name, maxWidth, (text) => 1.2 * measure(text)),
                    value: '',
                };
            }
            const forms =
                at.kind === 'frame'
                    ? frameLabelForms(flame.frames[flame.nodes.frame[at.node] ?? 0])
                    : [flameNodeName(flame, at)];
            const fitting = forms.find((form) => measure(form) <= maxWidth);
            // A short form says more than a cut one.
            const name = fitting ?? (forms.length > 2 ? '' : fitForms(forms, maxWidth, measure));
            return { name, value: '' };
        },
    };
}
