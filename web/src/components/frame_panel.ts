/* SPDX-License-Identifier: MIT
 *
 * Links a picture with the same picture in the other panel: the frame under the pointer is outlined
 * in both, and ids in the URL are translated through the names on the path to a frame.
 */
import { isPanel, postToPanels, usePanelMessage, useNames } from '../base/panel';
import { nodeAtPath, pathText } from '../model/frame_path';
import { parseSpan } from '../model/span';
import { shownName } from '../model/tree';
import { idOfNode, nodeOfId } from '../model/tree_ids';
import { type FrameStage, type FrameViewProps, spanTopic } from './frame_stage';

const NO_FRAME = '';
/** Prefix of a path, so that the empty path of the root differs from NO_FRAME. */
const PATH_PREFIX = '/';

const topicOf = ({ label }: FrameViewProps): string => `frame ${label}`;

const nameIn =
    ({ tree, layout }: FrameViewProps) =>
    (node: number): string =>
        shownName(tree, layout, node);

/** Sends the frame under the pointer to the other panel. */
export function postHover({ props, hover }: FrameStage): void {
    if (!isPanel()) return;
    const node = hover < 0 ? null : props.layout.node[hover];
    const path = node === null ? null : pathText(props.layout, node, nameIn(props));
    postToPanels(topicOf(props), path === null ? NO_FRAME : PATH_PREFIX + path);
}

export function useFrameLink(stage: { current: FrameStage | null }, props: FrameViewProps): void {
    const { tree, layout } = props;
    const nameOf = nameIn(props);
    usePanelMessage(topicOf(props), (text) => {
        const now = stage.current;
        if (!now) return;
        const node = text === NO_FRAME ? null : nodeAtPath(layout, text.slice(1), nameOf);
        now.otherHover = node === null ? -1 : node < 0 ? 0 : layout.frameOf[node];
        now.redraw();
    });
    usePanelMessage(spanTopic(props.label), (text) => {
        const span = parseSpan(text, layout.total);
        if (span) stage.current?.follow(span);
    });
    useNames(props.urlKeys ?? [], {
        nameOf: (value) => pathText(layout, nodeOfId(tree, value, layout), nameOf),
        valueOf: (name) => {
            const node = nodeAtPath(layout, name, nameOf);
            return node === null || node < 0 ? null : idOfNode(tree, node);
        },
    });
}
