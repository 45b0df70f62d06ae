/* SPDX-License-Identifier: MIT */
/* What is one frame of stacks: a function, or a line of one (`mode` in the URL). */
import { replaceQuery, route } from '../../base/router';
import { Segmented } from '../../components/segmented';

export type StackMode = 'function' | 'line';

export function stackMode(): StackMode {
    return route.value.query.mode === 'line' ? 'line' : 'function';
}

/** cleared: keys of the URL that name rows or frames, which have other ids in the other mode. */
export function ModeSwitch({ cleared }: { cleared: readonly string[] }) {
    return (
        <Segmented<StackMode>
            label="a frame is"
            value={stackMode()}
            options={[
                { value: 'function', text: 'Function', tip: 'lines of one function are one frame' },
                { value: 'line', text: 'Line', tip: 'each line of a function is a frame' },
            ]}
            onChange={(mode) =>
                replaceQuery({
                    ...Object.fromEntries(cleared.map((key) => [key, null])),
                    mode: mode === 'line' ? mode : null,
                })
            }
        />
    );
}
