/* SPDX-License-Identifier: MIT
 *
 * What the flame graph of device time by Python has beyond the others: which frames are shown, how
 * much is attributed, and actions of modules and of frames with a place.
 */
import { replaceQuery, route } from '../../base/router';
import { int } from '../../base/units';
import type { Action } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { Menu } from '../../components/menu';
import { Notice } from '../../components/notice';
import { Segmented } from '../../components/segmented';
import {
    attributionTexts,
    classOfNode,
    nothingAttributed,
    placeOfFrame,
    type PythonFlame,
    readExpanded,
    toggleExpanded,
} from '../../model/python_flame';
import { nameOf } from '../../model/tree';
import type { Flame } from '../../model/tree_answers';
import { GROUPS } from './frame_actions';

/** Whether an answer is one of device time by Python. */
export function isPythonFlame(flame: Flame): flame is PythonFlame {
    return 'attributed' in flame;
}

/* Nodes have other numbers in the next answer. */
function showOther(query: Record<string, string | null>): void {
    replaceQuery({ ...query, flame_zoom: null, flame_frame: null });
}

/** Parameters of the request that are in the URL. */
export function pythonParams(): Record<string, string | undefined> {
    const { plumbing, expand } = route.value.query;
    return { plumbing: plumbing === '1' ? plumbing : undefined, expand };
}

/** Switch for the frames that only forward calls, and a menu of the classes of modules. */
export function PythonOptions({ flame }: { flame: PythonFlame }) {
    const { plumbing, expand } = route.value.query;
    const expanded = readExpanded(expand);
    const classes = flame.classes.filter(({ modules }) => modules > 1);
    return (
        <>
            <Segmented<'0' | '1'>
                label="frames"
                value={plumbing === '1' ? '1' : '0'}
                options={[
                    {
                        value: '0',
                        text: 'Own path',
                        tip: 'without wrappers, dispatchers and built-in functions',
                    },
                    {
                        value: '1',
                        text: 'All frames',
                        tip: 'also _call_impl, wrapper, __torch_dispatch__ and the like',
                    },
                ]}
                onChange={(shown) => showOther({ plumbing: shown === '1' ? shown : null })}
            />
            {classes.length > 0 && (
                <Menu
                    class="button"
                    label={
                        expanded.length ? `Modules: ${int(expanded.length)} expanded` : 'Modules'
                    }
                    ariaLabel="classes whose modules are shown one by one"
                    tip="modules of one class are one frame, unless checked"
                    filter={classes.length > 12}
                    items={classes.map(({ name, modules }) => ({
                        text: name,
                        note: `×${int(modules)}`,
                        checked: expanded.includes(name),
                        onPick: () => showOther({ expand: toggleExpanded(expand, name) }),
                    }))}
                />
            )}
        </>
    );
}

/** The sentence above the picture, or why there is no picture. */
export function Attribution({ flame }: { flame: PythonFlame }) {
    const reason = nothingAttributed(flame);
    if (reason !== null)
        return (
            <Notice kind="warning" title="No device time by Python">
                {reason} Record with <code>ProfilerActivity.CPU</code> and{' '}
                <code>with_stack=True</code>.
            </Notice>
        );
    const [first, ...rest] = attributionTexts(flame);
    if (first === undefined) return null;
    return (
        <p class="flame-attribution">
            <b>{first}</b>
            {rest.map((part) => (
                <span key={part}>{part}</span>
            ))}
        </p>
    );
}

export function pythonActions(flame: Flame, node: number): Action[] {
    if (!isPythonFlame(flame)) return [];
    const actions: Action[] = [];
    const { expand } = route.value.query;
    const name = classOfNode(flame, node);
    const isExpanded = name !== null && readExpanded(expand).includes(name);
    const place = placeOfFrame(nameOf(flame, node));
    if (name !== null && (isExpanded || flame.modules[node] > 1))
        actions.push({
            text: isExpanded ? 'Merge modules of class' : 'Show modules one by one',
            detail: name,
            key: 'e',
            group: GROUPS.view,
            button: true,
            run: () => showOther({ expand: toggleExpanded(expand, name) }),
        });
    if (place !== null)
        actions.push({
            text: 'Copy place',
            detail: place,
            key: 'p',
            group: GROUPS.copy,
            button: true,
            run: () => copyAndConfirm(place, 'Place'),
        });
    return actions;
}
