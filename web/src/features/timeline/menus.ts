/* SPDX-License-Identifier: MIT
 *
 * Actions of the context menus: of a slice, and of the label of a lane.
 */
import type { Run, SliceAnswer } from '../../base/answers';
import { API, asApiError, getJson } from '../../base/client';
import { formatHash, goTo, replaceQuery, route } from '../../base/router';
import type { Action } from '../../components/actions';
import { copyAndConfirm, openContextMenu } from '../../components/context_menu';
import { wholeTrack } from '../../model/timeline_layers';
import { isDeviceWork, type TraceTrack } from '../../model/timeline_types';
import { fitView } from '../../model/timeline_view';
import { isAttributed, tabHash } from '../trace/data';
import type { TimelineData } from './data';
import type { Hit } from './hit';
import type { Lane, Lanes } from './lanes';
import type { ArrangementChange } from './props';
import type { TimelineLoader } from './requests';
import type { TimelineStage } from './stage';

interface SliceMenuProps {
    run: Run;
    stage: TimelineStage;
    data: TimelineData;
    loader: TimelineLoader;
    onArrange: (change: ArrangementChange) => void;
    /** searches for exactly this name */
    onName: (name: string) => void;
    onError: (text: string) => void;
}

/* The table of the operator or kernel of a slice, with its row selected. */
function tableHash(run: Run, { slice }: SliceAnswer, track: TraceTrack | null): string {
    const row = `${slice.name_id}.${slice.kind}`;
    if (!track || !isDeviceWork(slice.kind)) return tabHash(run, 'operators', { op: row });
    return tabHash(run, 'kernels', { op: `${row}.${track.device}.${track.stream}` });
}

const stackText = ({ slice, parents }: SliceAnswer): string =>
    [...parents.map(({ name }) => name), slice.name].join('\n');

/** Actions of a slice or of a group of slices; those of the pane have buttons. */
export function sliceActions(hit: Hit, name: string, props: SliceMenuProps): Action[] {
    const { run, stage, onArrange, onName, onError } = props;
    const isGroup = hit.id < 0;
    const several = isGroup ? 'several slices: zoom in first' : undefined;
    const span = { from: hit.start, to: Math.max(hit.start + 1, hit.end) };
    const withSlice = (use: (answer: SliceAnswer) => void) => (): void => {
        getJson<SliceAnswer>(`${API}/runs/${run.id}/slices/${hit.id}`).then(
            use,
            (reason: unknown) => onError(asApiError(reason).text),
        );
    };
    const table: Action[] = isAttributed(run)
        ? [
              {
                  text:
                      hit.lane.track && hit.lane.track.stream >= 0
                          ? 'Open in Kernels'
                          : 'Open in Operators',
                  run: withSlice((answer) => goTo(tableHash(run, answer, hit.lane.track))),
                  key: 'k',
                  disabled: several,
                  group: 2,
                  button: true,
              },
          ]
        : [];
    return [
        {
            text: isGroup ? 'Zoom to these slices' : 'Zoom to the slice',
            key: 'f',
            run: () => stage.easeTo(fitView(span, stage.whole, 0.1)),
            group: 1,
        },
        { text: 'Range from the slice', key: 'r', run: () => stage.props.onArea(span), group: 1 },
        {
            text: 'Area from the slice',
            key: 'm',
            run: () =>
                stage.props.onArea({ ...span, lanes: new Set([`t${wholeTrack(hit.track)}`]) }),
            disabled: stage.props.hasTracks ? undefined : 'the tables of this run count all tracks',
            group: 1,
        },
        {
            text: 'Show all of this name',
            key: 'shift+f',
            run: () => onName(name),
            group: 2,
            button: true,
        },
        ...table,
        {
            text: 'Copy stack',
            key: 'y',
            run: withSlice((answer) => copyAndConfirm(stackText(answer), 'Stack')),
            disabled: several,
            group: 3,
            button: true,
        },
        {
            text: 'Copy name',
            key: 'shift+y',
            run: () => copyAndConfirm(name, 'Name'),
            group: 3,
            button: true,
        },
        ...laneActions(hit.lane, onArrange),
    ];
}

/** A slice as it is hit; null: its track is not shown. */
export function hitOf({ slice }: SliceAnswer, lanes: Lanes): Hit | null {
    const { layer_track: track, layer_depth: depth, id, name_id, family } = slice;
    const { start_ns, duration_ns } = slice;
    const lane = lanes.byTrack.get(track);
    const end = start_ns + duration_ns;
    return lane
        ? { lane, track, depth, id, name: name_id, family, start: start_ns, end, count: 1 }
        : null;
}

/** Opens the menu of a slice at a point of the window; its name is fetched if it is not loaded. */
export async function openSliceMenu(
    hit: Hit,
    x: number,
    y: number,
    props: SliceMenuProps,
): Promise<void> {
    const { names } = props.data;
    if (names.markName(hit.name)) await props.loader.fetchNames();
    const name = names.nameOf(hit.name) ?? '';
    openContextMenu({ name }, sliceActions(hit, name, props), x, y);
}

function laneActions(lane: Lane, onArrange: (change: ArrangementChange) => void): Action[] {
    const { track } = lane;
    const key = lane.kind === 'busy' && track ? `t${track.id}` : lane.key;
    return [
        {
            text: lane.isPinned ? 'Unpin the track' : 'Pin the track',
            key: 'p',
            run: () => onArrange({ pin: key }),
            group: 4,
        },
        {
            text: lane.isFolded ? 'Unfold the track' : 'Fold the track',
            key: 'z',
            run: () => onArrange({ fold: [key] }),
            group: 4,
        },
    ];
}

/* The filter that hides a track: by its stream or its thread. */
function hidingWord({ track }: Lane): string | null {
    if (!track) return null;
    if (track.stream >= 0) return `-stream:${track.stream}`;
    return /^\S+$/.test(track.tid) ? `-thread:${track.tid.toLowerCase()}` : null;
}

/** Opens the menu of a label. */
export function openLaneMenu(
    lane: Lane,
    x: number,
    y: number,
    onArrange: (change: ArrangementChange) => void,
): void {
    const { label, track, key, memory } = lane;
    const name = label.name || label.role;
    const word = hidingWord(lane);
    const filter = route.peek().query.tracks ?? '';
    const snapshot = memory?.snapshot;
    const actions: Action[] = [
        ...(snapshot
            ? [
                  {
                      text: `Open the snapshot ${snapshot.name}`,
                      run: () => goTo(formatHash(['run', snapshot.run, 'snapshot'])),
                      group: 0,
                  },
              ]
            : []),
        ...laneActions(lane, onArrange),
        {
            text: 'Fold or unfold all tracks',
            key: 'shift+z',
            run: () => onArrange({ foldAll: true }),
            group: 4,
        },
        {
            text: 'Move to the end',
            run: () => onArrange({ move: key, before: '' }),
            group: 5,
        },
        {
            text: 'Own height',
            run: () => onArrange({ resize: key, px: null }),
            group: 5,
        },
        {
            text: 'Hide the track',
            key: 'h',
            run: () => replaceQuery({ tracks: `${filter} ${word ?? ''}`.trim() }),
            disabled: word ? undefined : 'the track has no number to filter by',
            group: 5,
        },
        {
            text: 'Copy name',
            key: 'shift+y',
            run: () => copyAndConfirm(track?.name || name, 'Name'),
            group: 6,
        },
    ];
    openContextMenu({ name, place: label.tooltip }, actions, x, y);
}
