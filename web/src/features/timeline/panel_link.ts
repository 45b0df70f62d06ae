/* SPDX-License-Identifier: MIT
 *
 * Links the timeline of a panel with the timeline of the other run: both pan, zoom and scroll
 * together, and are drawn in the same frame. Messages contain times in ns after the aligned time,
 * and lanes as names that both runs have.
 */
import { useMemo, useState } from 'preact/hooks';
import type { TimelineAnswer } from '../../base/answers';
import { axisUnit } from '../../base/axis';
import { useEffectOn } from '../../base/hooks';
import { isPanel, panelSide, postToPanels, usePanelMessage, useNames } from '../../base/panel';
import { shifted } from '../../model/timeline_view';
import {
    formatTop,
    keysOfNames,
    type LaneNames,
    laneNames,
    namesOfKeys,
    parseTop,
    sortTracks,
} from './lane_names';
import type { StageObserver } from './props';
import type { TimelineStage } from './stage';

/** parameters of the URL that contain lane keys */
const ARRANGED_BY_KEY = ['fold', 'pin', 'order', 'high'];
const TOPICS = { moved: 'time', scrolled: 'lanes', pointed: 'moment', wrote: 'time sent' };

/* Axes with different units have no common times, so each unit has its own topic. */
function axisTopic(topic: string): string {
    const { unit, scale } = axisUnit();
    return `${topic} in ${unit} ${scale}`;
}
const ORDER_TOPIC = 'order of lanes';
const REQUEST_TOPIC = 'where are you';

function createObserver(names: LaneNames): StageObserver {
    return {
        onMoved: ({ view, scene }) =>
            postToPanels(
                axisTopic(TOPICS.moved),
                `${view.from - scene.origin}~${view.to - scene.origin}`,
            ),
        onScrolled: ({ scene }) =>
            postToPanels(
                TOPICS.scrolled,
                formatTop(scene.lanes, names, scene.top + scene.lanes.pinnedHeight),
            ),
        onPointed: (now) => {
            const t = now.pointer && now.timeAt(now.pointer.x) - now.scene.origin;
            postToPanels(axisTopic(TOPICS.pointed), t === null ? '' : String(t));
        },
        onWritten: ({ sent }) => postToPanels(axisTopic(TOPICS.wrote), sent),
    };
}

function useOtherTimeline(stage: { current: TimelineStage | null }, names: LaneNames): void {
    const useTopic = (topic: string, handle: (now: TimelineStage, text: string) => void): void =>
        usePanelMessage(topic, (text) => {
            if (stage.current) handle(stage.current, text);
        });
    useTopic(axisTopic(TOPICS.moved), (now, text) => {
        const [from, to] = text.split('~').map(Number);
        now.show(shifted({ from, to }, now.scene.origin));
    });
    useTopic(TOPICS.scrolled, (now, text) => {
        const top = parseTop(now.props.lanes, names, text);
        if (top !== null) now.showTop(Math.max(0, top - now.props.lanes.pinnedHeight));
    });
    useTopic(axisTopic(TOPICS.pointed), (now, text) =>
        now.showTimeLine(text === '' ? null : Number(text) + now.scene.origin),
    );
    useTopic(axisTopic(TOPICS.wrote), (now, text) => {
        now.sent = text;
    });
}

interface TimelineLink {
    /** the run's tracks; in the new run they have the order of the base */
    timeline: TimelineAnswer;
    observer: StageObserver | null;
}

/** Links this timeline with the timeline of the other run, and sorts the tracks of the new run in
 * the order of the base. */
export function useTimelineLink(
    whole: TimelineAnswer,
    stage: { current: TimelineStage | null },
): TimelineLink {
    const [order, setOrder] = useState<string>('');
    const timeline = useMemo(
        () => (order ? sortTracks(whole, order.split('\n')) : whole),
        [whole, order],
    );
    const names = useMemo(() => laneNames(whole), [whole]);
    const observer = useMemo(() => (isPanel() ? createObserver(names) : null), [names]);
    useOtherTimeline(stage, names);
    // The base sends its position when it is mounted, and again when the new run is mounted later
    // and requests it.
    const isBase = panelSide() === 'base';
    const postPosition = (): void => {
        if (!isBase || !stage.current) return;
        postToPanels(ORDER_TOPIC, names.order.join('\n'));
        observer?.onMoved(stage.current);
        observer?.onScrolled(stage.current);
    };
    usePanelMessage(ORDER_TOPIC, setOrder);
    usePanelMessage(REQUEST_TOPIC, postPosition);
    useEffectOn(() => {
        if (isBase) postPosition();
        else postToPanels(REQUEST_TOPIC, '');
    }, [timeline]);
    useNames(ARRANGED_BY_KEY, {
        nameOf: (value) => namesOfKeys(value, names),
        valueOf: (name) => keysOfNames(name, names),
    });
    return { timeline, observer };
}
