/* SPDX-License-Identifier: MIT
 *
 * Links the timeline of a panel with the timeline of the other run: both pan, zoom and scroll
 * together, and are drawn in the same frame. Times are sent as ns after the aligned time, lanes by
 * names that both runs have.
 */
import { useMemo, useState } from 'preact/hooks';
import { axisUnit } from '../../base/axis';
import { useEffectOn } from '../../base/hooks';
import { inPanel, panelSide, postToPanels, usePanelMessage, useNames } from '../../base/panel';
import type { TimelineAnswer } from '../../model/timeline_types';
import { shifted } from '../../model/timeline_view';
import { inOrder, type LaneNames, laneNames, topOf, topText, translate } from './lane_mates';
import type { SideStage } from './props';
import type { TimelineStage } from './stage';

const TOPICS = { moved: 'time', scrolled: 'lanes', pointed: 'moment', wrote: 'time sent' };

/* Axes with different units have no common times, so each unit has its own topic. */
function ofAxis(topic: string): string {
    const { unit, scale } = axisUnit();
    return `${topic} in ${unit} ${scale}`;
}
const ORDER = 'order of lanes';
const ASKED = 'where are you';

function saying(names: LaneNames): SideStage {
    return {
        moved: ({ view, scene }) =>
            postToPanels(
                ofAxis(TOPICS.moved),
                `${view.from - scene.origin}~${view.to - scene.origin}`,
            ),
        scrolled: ({ scene }) =>
            postToPanels(TOPICS.scrolled, topText(scene.lanes, names, scene.top)),
        pointed: (now) => {
            const t = now.pointer && now.timeAt(now.pointer.x) - now.scene.origin;
            postToPanels(ofAxis(TOPICS.pointed), t === null ? '' : String(t));
        },
        wrote: ({ sent }) => postToPanels(ofAxis(TOPICS.wrote), sent),
    };
}

function useHearing(stage: { current: TimelineStage | null }, names: LaneNames): void {
    const useTopic = (topic: string, act: (now: TimelineStage, text: string) => void): void =>
        usePanelMessage(topic, (text) => {
            if (stage.current) act(stage.current, text);
        });
    useTopic(ofAxis(TOPICS.moved), (now, text) => {
        const [from, to] = text.split('~').map(Number);
        now.show(shifted({ from, to }, now.scene.origin));
    });
    useTopic(TOPICS.scrolled, (now, text) => {
        const top = topOf(now.props.lanes, names, text);
        if (top !== null) now.showTop(top);
    });
    useTopic(ofAxis(TOPICS.pointed), (now, text) =>
        now.showMoment(text === '' ? null : Number(text) + now.scene.origin),
    );
    useTopic(ofAxis(TOPICS.wrote), (now, text) => {
        now.sent = text;
    });
}

interface Beside {
    /** the run's tracks; in the new run they have the order of the base */
    timeline: TimelineAnswer;
    mate: SideStage | null;
}

/** The new run follows the base's order of tracks. */
export function useTimelineBeside(
    whole: TimelineAnswer,
    stage: { current: TimelineStage | null },
): Beside {
    const [order, setOrder] = useState<string>('');
    const timeline = useMemo(
        () => (order ? inOrder(whole, order.split('\n')) : whole),
        [whole, order],
    );
    const names = useMemo(() => laneNames(whole), [whole]);
    const mate = useMemo(() => (inPanel() ? saying(names) : null), [names]);
    useHearing(stage, names);
    // The base leads. It sends its position when it is mounted, and when the new run is mounted
    // later and requests it.
    const leads = panelSide() === 'base';
    const tell = (): void => {
        if (!leads || !stage.current) return;
        postToPanels(ORDER, names.order.join('\n'));
        mate?.moved(stage.current);
        mate?.scrolled(stage.current);
    };
    usePanelMessage(ORDER, setOrder);
    usePanelMessage(ASKED, tell);
    useEffectOn(() => {
        if (leads) tell();
        else postToPanels(ASKED, '');
    }, [timeline]);
    useNames(['off'], {
        nameOf: (value) => translate(value, names.nameOf, ',').join('\n'),
        valueOf: (name) => translate(name, names.keyOf, '\n').join(','),
    });
    return { timeline, mate };
}
