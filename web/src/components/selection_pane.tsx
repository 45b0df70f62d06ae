/* SPDX-License-Identifier: MIT
 *
 * The pane of a selected frame, slice or row. Every view fills the same sections in the same order
 * and leaves out those that it has no data for. Features compute and fetch the data.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../base/keys';
import { int, pct, plural } from '../base/units';
import { fitTwoLines } from '../model/labels';
import { type Action, type ActionHead, keyText, runAction } from './actions';
import { SourceFileButton } from './source_file_button';

/** A value of the selected thing. */
export interface PaneValue {
    label: string;
    text: ComponentChildren;
    /** For the bar and the share; undefined: a count or the like, with neither. */
    value?: number;
    tone?: 'total' | 'self';
    tip?: string;
}

/** A function in the heaviest stack, or a caller or callee. */
export interface PaneFrame extends ActionHead {
    key: string | number;
    text: ComponentChildren;
    /** for the share; undefined: none */
    value?: number;
    isSelected?: boolean;
    tip?: string;
    onSelect?: () => void;
    /** double click: centre it in the picture */
    onOpen?: () => void;
}

/** Frames of one library in a row, shown as one line. */
export interface PaneFold {
    key: string | number;
    fold: string;
}

export interface PaneSourceLine {
    line: number;
    code: ComponentChildren;
    /** costliest lines have a value and a heat of 1 to 5 */
    text?: string;
    heat?: number;
    isCurrent?: boolean;
    tip?: string;
}

export interface PaneSource {
    file: string;
    /** the whole path */
    tip: string;
    /** null: there is no source of the line; `state` says why */
    lines: readonly PaneSourceLine[] | null;
    state: string;
    /** attaches a file */
    onAdd?: (file: File) => void;
    /** why a file could not be read or attached */
    problem?: string;
    /** a line profile of the same file */
    profile?: { text: string; href: string; note?: string };
}

export interface PaneInstances {
    count: number;
    /** from 0; -1 while none is selected */
    index: number;
    values: readonly PaneValue[];
    /** the instances are ordered by width; undefined: they cannot be stepped through */
    onStep?: (by: 1 | -1) => void;
    /** 'instances', or what they are called here */
    noun?: string;
    /** below the values */
    children?: ComponentChildren;
}

export interface PaneNeighbours {
    rows: readonly PaneFrame[];
    /** how many there are, if not all are rows */
    count?: number;
    note?: string;
    title?: string;
}

export interface SelectionPaneProps {
    head: ActionHead;
    actions?: readonly Action[];
    /** Base of every percentage of the pane, `14.95 s shown`; null: the pane has no percentages. */
    base: { value: number; text: string } | null;
    instance?: { title?: string; values: readonly PaneValue[]; children?: ComponentChildren };
    instances?: PaneInstances;
    stack?: {
        rows: readonly (PaneFrame | PaneFold)[];
        /** frames, with the folded ones */
        count: number;
        isFolded: boolean;
        onFold: (fold: boolean) => void;
        /** 'Heaviest stack' and 'frame', or what they are called here */
        title?: string;
        noun?: string;
    };
    callers?: PaneNeighbours;
    callees?: PaneNeighbours;
    source?: PaneSource;
    /** Sections that only this view has, between the callees and the source. */
    children?: ComponentChildren;
    /** Where else on the shelf this function occurs. */
    otherRuns?: ComponentChildren;
    onClose: () => void;
}

export function SelectionPane(props: SelectionPaneProps) {
    const { head, actions = [], base, instance, instances, stack, source, onClose } = props;
    const buttons = actions.filter(({ button }) => button);
    return (
        <aside class="selection-pane" aria-label="Selection">
            <PaneTitle head={head} onClose={onClose} />
            <div class="selection-body">
                {buttons.length > 0 && <PaneButtons actions={buttons} />}
                {instance && (
                    <PaneSection
                        title={instance.title ?? 'This instance'}
                        right={base && `% of ${base.text}`}
                    >
                        <PaneValues values={instance.values} base={base} />
                        {instance.children}
                    </PaneSection>
                )}
                {instances && instances.count > 1 && (
                    <InstancesSection {...instances} base={base} />
                )}
                {stack && stack.rows.length > 0 && <StackSection {...stack} base={base} />}
                <Neighbours title="Callers" {...props.callers} base={base} />
                <Neighbours title="Callees" {...props.callees} base={base} />
                {props.children}
                {source && <SourceSection {...source} />}
                {props.otherRuns}
            </div>
        </aside>
    );
}

function PaneTitle({ head, onClose }: { head: ActionHead; onClose: () => void }) {
    const { name, place, swatch } = head;
    const [isWhole, setWhole] = useState(false);
    const box = useRef<HTMLSpanElement | null>(null);
    const room = useLineChars(box);
    const [shownName, shownPlace] =
        isWhole || room === 0 ? [name, place ?? ''] : fitTwoLines(name, place ?? '', room);
    return (
        <header class="selection-head">
            {swatch}
            <span
                ref={box}
                class={`selection-name mono${isWhole ? ' is-whole' : ''}`}
                title={place ? `${name}\n${place}` : name}
                onClick={() => setWhole(!isWhole)}
            >
                <b>{shownName}</b> {place && <span class="soft">{shownPlace}</span>}
            </span>
            <button type="button" aria-label="clear selection" onClick={onClose}>
                <kbd>Esc</kbd>
            </button>
        </header>
    );
}

/* Characters of a fixed-width font that a line of the element has room for; 0: not measured yet. */
function useLineChars(box: { current: HTMLElement | null }): number {
    const [chars, setChars] = useState(0);
    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return undefined;
        const context = document.createElement('canvas').getContext('2d');
        const measure = () => {
            if (!context) return;
            const { fontSize, fontFamily } = getComputedStyle(element);
            context.font = `${fontSize} ${fontFamily}`;
            setChars(Math.floor(element.clientWidth / context.measureText('0').width));
        };
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        return () => observer.disconnect();
    }, [box]);
    return chars;
}

function PaneButtons({ actions }: { actions: readonly Action[] }) {
    return (
        <div class="selection-actions">
            {actions.map((action) => {
                const { text, key, href, run, disabled } = action;
                const tip = disabled ?? (key ? `${text} (${keyText(key)})` : undefined);
                return href && !run ? (
                    <a key={text} class="button" href={href} title={tip}>
                        {text}
                    </a>
                ) : (
                    <button
                        key={text}
                        type="button"
                        class="button"
                        disabled={disabled !== undefined}
                        title={tip}
                        onClick={() => runAction(action)}
                    >
                        {text}
                    </button>
                );
            })}
        </div>
    );
}

interface PaneSectionProps {
    title: ComponentChildren;
    note?: ComponentChildren;
    right?: ComponentChildren;
    children: ComponentChildren;
}

/** A section of the pane; views use it for sections of their own. */
export function PaneSection({ title, note, right, children }: PaneSectionProps) {
    return (
        <section class="selection-section">
            <h3>
                {title}
                {note && <span class="selection-note">{note}</span>}
                {right && <span class="selection-right">{right}</span>}
            </h3>
            {children}
        </section>
    );
}

type Base = SelectionPaneProps['base'];

const shareText = (value: number | undefined, base: Base): string =>
    value === undefined || !base ? '' : base.value > 0 ? pct((100 * value) / base.value) : '–';

export function PaneValues({ values, base }: { values: readonly PaneValue[]; base: Base }) {
    return (
        <div class="selection-values">
            {values.map(({ label, text, value, tone = 'total', tip }) => (
                <div class="selection-value" key={label} title={tip}>
                    <span>{label}</span>
                    <span class={value === undefined ? '' : 'selection-track'}>
                        {value !== undefined && base && base.value > 0 && (
                            <i
                                class={`is-${tone}`}
                                style={{
                                    width: `${Math.max(0, Math.min(100, (100 * value) / base.value))}%`,
                                }}
                            />
                        )}
                    </span>
                    <span class="is-right">{text}</span>
                    <span class="is-right soft">{shareText(value, base)}</span>
                </div>
            ))}
        </div>
    );
}

function InstancesSection(props: PaneInstances & { base: Base }) {
    const { count, index, values, onStep, noun = 'instances', base, children } = props;
    useKeys(
        'Instances',
        onStep
            ? [
                  { key: ',', label: 'previous instance, wider', run: () => onStep(-1) },
                  { key: '.', label: 'next instance', run: () => onStep(1) },
              ]
            : [],
    );
    return (
        <PaneSection
            title={`All ${int(count)} ${noun}`}
            note={
                onStep && (
                    <>
                        {index >= 0 ? `${int(index + 1)} of ${int(count)}` : ''}{' '}
                        <button
                            type="button"
                            aria-label="previous instance"
                            title="previous, wider (,)"
                            onClick={() => onStep(-1)}
                        >
                            ‹
                        </button>
                        <button
                            type="button"
                            aria-label="next instance"
                            title="next (.)"
                            onClick={() => onStep(1)}
                        >
                            ›
                        </button>
                    </>
                )
            }
        >
            <PaneValues values={values} base={base} />
            {children}
        </PaneSection>
    );
}

function StackSection({
    title = 'Heaviest stack',
    noun = 'frame',
    rows,
    count,
    isFolded,
    onFold,
    base,
}: NonNullable<SelectionPaneProps['stack']> & { base: Base }) {
    const canFold = !isFolded || rows.some((row) => 'fold' in row);
    return (
        <PaneSection
            title={title}
            note={plural(count, noun)}
            right={
                canFold && (
                    <button type="button" class="link" onClick={() => onFold(!isFolded)}>
                        {isFolded ? 'Show all' : 'Fold libraries'}
                    </button>
                )
            }
        >
            <ul class="selection-frames">
                {rows.map((row) =>
                    'fold' in row ? (
                        <li key={row.key} class="selection-fold">
                            <button type="button" onClick={() => onFold(false)}>
                                {row.fold}
                            </button>
                        </li>
                    ) : (
                        <FrameRow key={row.key} frame={row} base={base} />
                    ),
                )}
            </ul>
        </PaneSection>
    );
}

interface NeighboursProps extends Partial<PaneNeighbours> {
    title?: string;
    base: Base;
}

/** A section of frames; nothing without frames. */
export function Neighbours({ title, rows = [], count, note, base }: NeighboursProps) {
    if (rows.length === 0) return null;
    const number = count === undefined ? int(rows.length) : cutText(rows.length, count);
    return (
        <PaneSection title={title} note={[number, note].filter(Boolean).join(', ')}>
            <ul class="selection-frames">
                {rows.map((row) => (
                    <FrameRow key={row.key} frame={row} base={base} />
                ))}
            </ul>
        </PaneSection>
    );
}

const cutText = (rows: number, count: number): string =>
    rows < count ? `${int(rows)} of ${int(count)}` : int(count);

function FrameRow({ frame, base }: { frame: PaneFrame; base: Base }) {
    const { name, place, swatch, text, value, isSelected, tip, onSelect, onOpen } = frame;
    const title = tip ?? (place ? `${name}\n${place}` : name);
    return (
        <li>
            <button
                type="button"
                class={isSelected ? 'is-current' : ''}
                aria-current={isSelected ? 'true' : undefined}
                title={title}
                disabled={!onSelect}
                onClick={onSelect}
                onDblClick={onOpen}
            >
                {swatch}
                <span class="selection-label mono">
                    {name}
                    {place && <span class="soft"> {place}</span>}
                </span>
                <span class="is-right">{text}</span>
                <span class="is-right soft">{shareText(value, base)}</span>
            </button>
        </li>
    );
}

function SourceSection({ file, tip, lines, state, onAdd, problem, profile }: PaneSource) {
    return (
        <PaneSection
            title="Source"
            note={
                <span class="mono" title={tip}>
                    {file}
                </span>
            }
            right={lines && state}
        >
            {problem && <p class="selection-problem">{problem}</p>}
            {lines ? (
                <SourceLines lines={lines} />
            ) : (
                <p class="selection-none">
                    {state}{' '}
                    {onAdd && (
                        <SourceFileButton class="link" onFile={onAdd}>
                            Add
                        </SourceFileButton>
                    )}
                </p>
            )}
            {profile && (
                <p class="selection-profile">
                    Line profile:{' '}
                    <a class="link" href={profile.href}>
                        {profile.text}
                    </a>
                    {profile.note && <span class="soft">, {profile.note}</span>}
                </p>
            )}
        </PaneSection>
    );
}

function SourceLines({ lines }: { lines: readonly PaneSourceLine[] }) {
    return (
        <div class="selection-source">
            {lines.map(({ line, code, text, heat, isCurrent, tip }) => (
                <div
                    key={line}
                    class={`selection-code${isCurrent ? ' is-current' : ''}${
                        heat ? ` is-tinted-${heat}` : ''
                    }`}
                    aria-current={isCurrent ? 'true' : undefined}
                    title={tip}
                >
                    <span class="is-right soft">{line}</span>
                    <span class={`selection-cost${heat ? ` is-heat-${heat}` : ''}`}>{text}</span>
                    <code>{code}</code>
                </div>
            ))}
        </div>
    );
}
