/* SPDX-License-Identifier: MIT
 *
 * Threads whose slices are of several layers (NVTX ranges, CUDA calls, calls of the operating
 * system): each layer is a track of the timeline. The first layer has the id of the thread's track,
 * so that links to the thread lead to it.
 */
import type { TimelineAnswer } from '../base/answers';
import { TRACK_IDS, type TraceTrack } from './timeline_types';

export const LAYER_LABELS: Record<string, string> = {
    nvtx: 'NVTX',
    api: 'CUDA API',
    os: 'OS calls',
    other: 'other',
};

function layersOf({ layers, ...track }: TraceTrack): TraceTrack[] {
    return layers?.map((layer) => ({ ...track, ...layer })) ?? [track];
}

export const withLayers = (answer: TimelineAnswer): TimelineAnswer => ({
    ...answer,
    tracks: answer.tracks.flatMap(layersOf),
});

/** Id of the track of the run to which a layer belongs; of a track its own id. */
export const wholeTrack = (id: number): number => id % TRACK_IDS;

/** True for layers that are drawn below the first layer of their thread. */
export const isLowerLayer = (id: number): boolean => id >= TRACK_IDS;
