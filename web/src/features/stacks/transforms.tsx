/* SPDX-License-Identifier: MIT
 *
 * The call-tree transforms of a stack profile: the actions of a frame that add them, and the row of
 * chips. They are part of the URL, and the server computes them.
 */
import type { FlameAnswer, Run } from '../../base/answers';
import { axisText } from '../../base/axis';
import { useKeys } from '../../base/keys';
import { pushQuery, route } from '../../base/router';
import { pct, THIN_SPACE } from '../../base/units';
import type { Action } from '../../components/actions';
import { Spacer } from '../../components/toolbar';
import {
    chipsOf,
    idOf,
    INVERT,
    offersOf,
    readTransforms,
    RECURSION,
    shortFrameName,
    TRANSFORMS_MAX,
    transformTitle,
    withTransform,
} from '../../model/stack_transforms';
import { nameOf } from '../../model/tree';
import type { Flame } from '../../model/tree_answers';
import { tabHash } from '../trace/data';
import { GROUPS } from './frame_actions';
import { stackQuery } from './parts';

/* The lists before each change, the newest last, so that a removed chip can be restored too. */
const changes: string[] = [];

export const currentTransforms = (): string[] => readTransforms(route.value.query.tf);
const isInverted = (): boolean => currentTransforms().includes(INVERT);

/* Frames have other numbers in another tree, so selection and zoom are cleared. */
const OTHER_TREE = {
    flame_zoom: null,
    flame_frame: null,
    sandwich_zoom: null,
};

function showTransforms(list: readonly string[]): void {
    pushQuery({ ...OTHER_TREE, tf: list.join(',') || null });
}

function changeTransforms(list: readonly string[]): void {
    changes.push(route.peek().query.tf ?? '');
    showTransforms(list);
}

function undoTransform(): void {
    const now = readTransforms(route.peek().query.tf);
    showTransforms(changes.length ? readTransforms(changes.pop()) : now.slice(0, -1));
}

/** Adds a transform, or removes it if it is in the list. */
export function toggleSwitch(text: string): void {
    const list = readTransforms(route.peek().query.tf);
    changeTransforms(
        list.includes(text) ? list.filter((other) => other !== text) : withTransform(list, text),
    );
}

const FULL = `At most ${TRANSFORMS_MAX} transforms at once.`;

/** The actions of a frame of stacks that transform the tree or lead to its function. isWholeTree:
 * the tree begins with the roots of the stacks. */
export function transformActions(
    run: Run,
    flame: Flame,
    node: number,
    isWholeTree = true,
): Action[] {
    const list = currentTransforms();
    const isFull = list.length >= TRANSFORMS_MAX;
    const id = idOf(flame, node);
    return [
        {
            text: 'Show in sandwich',
            key: 's',
            group: GROUPS.view,
            button: true,
            disabled: id > 0 ? undefined : 'This frame has no name.',
            href: tabHash(run, 'sandwich', {
                fn: String(id),
                sel: nameOf(flame, node),
                ...stackQuery(),
            }),
        },
        ...offersOf(flame, node, isWholeTree && !isInverted()).map(
            ({ text, key, tf, why, detail }): Action => ({
                text,
                key,
                detail,
                group:
                    tf?.startsWith('focus') || key.endsWith('f') ? GROUPS.view : GROUPS.transform,
                button: key === 'f' || key === 'x',
                disabled: isFull ? FULL : tf === null ? why : undefined,
                run: () => tf && changeTransforms(withTransform(list, tf)),
            }),
        ),
    ];
}

/** Keys that need no selected frame. */
export function useTransformKeys(): void {
    const hasAny = currentTransforms().length > 0 || changes.length > 0;
    useKeys('Call tree', [
        { key: 'v', label: 'invert the call tree', run: () => toggleSwitch(INVERT) },
        ...(hasAny
            ? [{ key: 'ctrl+z', label: 'undo the last transform', run: undoTransform }]
            : []),
    ]);
}

interface TransformRowProps {
    /** a flame graph of all selected stacks; undefined until it is here */
    flame: FlameAnswer | undefined;
}

/** The chips of the transforms in their order, and how much they leave. Nothing without any. */
export function TransformRow({ flame }: TransformRowProps) {
    useTransformKeys();
    const list = currentTransforms();
    if (!list.length) return null;
    const chips = chipsOf(list, flame?.transforms ?? []);
    const switchesOff = [RECURSION, INVERT].filter((text) => !list.includes(text));
    return (
        <div class="transform-row" role="group" aria-label="transforms">
            <span class="soft">Transforms</span>
            {chips.map(({ text, title, name, removed }, i) => (
                <span class="transform-chip" key={`${i} ${text}`} title={name || title}>
                    {title}
                    {name && <b class="mono">{shortFrameName(name)}</b>}
                    {removed > 0 && <span class="soft">{axisText(removed)}</span>}
                    <button
                        type="button"
                        aria-label={`remove ${title} ${shortFrameName(name)}`.trim()}
                        onClick={() => changeTransforms(list.filter((_, at) => at !== i))}
                    >
                        ×
                    </button>
                </span>
            ))}
            {switchesOff.map((text) => (
                <button
                    type="button"
                    class="transform-chip is-off"
                    key={text}
                    onClick={() => toggleSwitch(text)}
                >
                    {transformTitle(text)}
                </button>
            ))}
            <Spacer />
            {flame?.selected !== undefined && (
                <span class="transform-shown">
                    <b>{axisText(flame.sum)}</b> of {axisText(flame.selected)} shown
                    {flame.selected > 0 &&
                        `, ${pct((100 * flame.sum) / flame.selected)}${THIN_SPACE}%`}
                </span>
            )}
            <button type="button" class="link" title="Ctrl Z" onClick={undoTransform}>
                Undo
            </button>
            <button type="button" class="link" onClick={() => changeTransforms([])}>
                Clear all
            </button>
        </div>
    );
}

/** In place of a picture in which nothing is left. */
export function AllDropped() {
    return (
        <span>
            All samples are dropped by these transforms.{' '}
            <button type="button" class="link" onClick={undoTransform}>
                Undo
            </button>
        </span>
    );
}
