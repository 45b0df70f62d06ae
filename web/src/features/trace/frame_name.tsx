/* SPDX-License-Identifier: MIT */
import { MarkedName } from '../../components/marked_name';
import { placeStart } from '../../model/frame_names';
import type { Matcher } from '../../model/search';

/** Name of a frame in a table: if it is too long, the function keeps its beginning and the file
 * path its end. */
export function FrameName({ name, search }: { name: string; search: Matcher }) {
    const at = placeStart(name);
    return (
        <span class="frame-name mono">
            {at > 0 && (
                <span class="frame-name-head">
                    <MarkedName text={name} search={search} to={at} />
                </span>
            )}
            {at < name.length && (
                <span class={at > 0 ? 'frame-name-place path-end' : 'path-end'}>
                    <bdi>
                        <MarkedName text={name} search={search} from={at} />
                    </bdi>
                </span>
            )}
        </span>
    );
}
