/* SPDX-License-Identifier: MIT */
import { useKeys } from '../../base/keys';
import { rangeQuery, rangeText } from '../../model/trace_range';
import { put, useRange } from './data';

/** Says in a toolbar that the tab is about a range, and leads back to the whole run. */
export function RangeNotice() {
    const range = useRange();
    useKeys(
        'Range',
        range ? [{ key: '0', label: 'the whole run', run: () => put(rangeQuery(null)) }] : [],
    );
    if (!range) return null;
    return (
        <span class="range-notice">
            <b>range</b> {rangeText(range)}
            <button
                type="button"
                class="link"
                title="clear range (0)"
                onClick={() => put(rangeQuery(null))}
            >
                whole run
            </button>
        </span>
    );
}
