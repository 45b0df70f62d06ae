/* SPDX-License-Identifier: MIT
 *
 * The callers and callees of a name in a flame graph of a trace, in the Flame tab. The key `around` of
 * the URL is the name.
 */
import type { Run, SandwichAnswer } from '../../base/answers';
import { pushQuery, route } from '../../base/router';
import type { Action } from '../../components/actions';
import type { TraceRange } from '../../model/trace_range';
import { nameOf } from '../../model/tree';
import type { Flame } from '../../model/tree_answers';
import { useJson } from '../shared/use_json';
import { isStacks, rangedPath, tabHash } from '../trace/data';
import { GROUPS } from './frame_actions';
import { flameOn } from './flame_on';
import { isPythonFlame, pythonParams } from './python_flame';
import { Sandwich } from './sandwich_picture';

const SANDWICH_KEYS = { sandwich_zoom: null, sandwich_frame: null, sandwich_name: null };

/** The name whose callers and callees are shown; undefined: the whole flame graph is. */
export function aroundName(run: Run): string | undefined {
    return isStacks(run) ? undefined : route.value.query.around || undefined;
}

export function showAround(name: string | null): void {
    pushQuery({ around: name, ...SANDWICH_KEYS });
}

/** The action of a frame of a trace that shows its callers and callees. */
export function aroundAction(run: Run, flame: Flame, node: number): Action {
    const { flame_on, plumbing, expand } = route.value.query;
    const text = nameOf(flame, node);
    const name = isPythonFlame(flame) ? text.replace(/ ×\d+$/, '') : text;
    return {
        text: 'Show callers and callees',
        key: 's',
        group: GROUPS.view,
        button: true,
        href: tabHash(run, 'flame', {
            around: name,
            ...(flame_on && { flame_on }),
            ...(plumbing && { plumbing }),
            ...(expand && { expand }),
        }),
    };
}

export function TraceSandwich({ run, range }: { run: Run; range: TraceRange | null }) {
    const on = flameOn(run);
    const answer = useJson<SandwichAnswer>(
        rangedPath(run, 'flame', range, {
            on,
            around: aroundName(run),
            limit: 10_000,
            ...(on === 'python' ? pythonParams() : {}),
        }),
    );
    return (
        <Sandwich
            run={run}
            answer={answer}
            none="This flame graph does not have the name."
            onOpen={(_, name) => showAround(name)}
        />
    );
}
