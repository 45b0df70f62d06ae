/* SPDX-License-Identifier: MIT
 *
 * What the colours of a flame graph show: the switch, and the legend with shares of the self time.
 * The choice is in the URL (`color`) and remembered by the browser.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { FlameAnswer } from '../../base/answers';
import { axisUnit } from '../../base/axis';
import { replaceQuery, route } from '../../base/router';
import { readStored, storeText } from '../../components/stored_text';
import { int, pct, THIN_SPACE } from '../../base/units';
import { fillVariable } from '../../canvas/theme';
import { flameColours } from '../../canvas/tree_paint';
import { Swatch } from '../../components/origin_legend';
import { Segmented } from '../../components/segmented';
import { viewportWidth } from '../../components/viewport';
import { COLOUR_MODES, type ColourMode, selfBy } from '../../model/frame_colours';
import { mergeOfOrigin } from '../../model/stack_transforms';
import { ORIGIN_LABELS, ORIGINS } from '../../model/tint';
import type { Tree } from '../../model/tree';
import { treeOf } from '../../model/tree_answers';
import { ORIGIN_TIPS } from './parts';
import { currentTransforms, toggleSwitch } from './transforms';

const STORED = 'colours';
const ITEMS_SHOWN = 5;

const readMode = (text: string | null | undefined): ColourMode | undefined =>
    COLOUR_MODES.find((mode) => mode === text);

const remembered = signal<ColourMode>(readMode(readStored(STORED)) ?? 'origin');

export function colourMode(): ColourMode {
    return readMode(route.value.query.color) ?? remembered.value;
}

function showColours(mode: ColourMode): void {
    remembered.value = mode;
    storeText(STORED, mode === 'origin' ? null : mode);
    replaceQuery({ color: mode === 'origin' ? null : mode });
}

/** hasOrigins: frames have origins, as in stacks; otherwise families of operators. */
export function ColourSwitch({ hasOrigins }: { hasOrigins: boolean }) {
    return (
        <Segmented<ColourMode>
            label="colours"
            value={colourMode()}
            options={[
                hasOrigins
                    ? { value: 'origin', text: 'Origin', tip: 'colours show where code is from' }
                    : { value: 'origin', text: 'Family', tip: 'colours show the kind of work' },
                {
                    value: 'package',
                    text: 'Package',
                    tip: 'a colour for each package, or file of your own code',
                },
                { value: 'plain', text: 'Plain', tip: 'one colour for all frames' },
            ]}
            onChange={showColours}
        />
    );
}

interface LegendItem {
    key: string;
    label: string;
    tip?: string;
    swatch: ComponentChildren;
    self: number;
    /** A click merges these frames into their callers, or shows them again. */
    isOff?: boolean;
    onToggle?: () => void;
}

/* Origins with self time, and those that the legend has merged into their callers. */
function originItems(selfByOrigin: readonly number[]): LegendItem[] {
    const transforms = currentTransforms();
    const isOff = (i: number) => transforms.includes(mergeOfOrigin(ORIGINS[i]));
    return ORIGINS.map((origin, i) => ({
        key: origin,
        label: ORIGIN_LABELS[origin],
        tip: ORIGIN_TIPS[origin],
        swatch: <Swatch origin={origin} />,
        self: selfByOrigin[i],
        isOff: isOff(i),
        onToggle: () => toggleSwitch(mergeOfOrigin(origin)),
    })).filter(({ self, isOff: off }) => self > 0 || off);
}

/* What the colours of the picture show, with self time. */
function colourItems(tree: Tree, mode: ColourMode): LegendItem[] {
    const { keyOf, fillOf, labelOf } = flameColours(tree, mode);
    return selfBy(tree, keyOf).map(({ key, self }) => ({
        key: String(key),
        label: labelOf(key),
        swatch: <span class="swatch" style={{ background: fillVariable(fillOf(key)) }} />,
        self,
    }));
}

/** The base of the shares in a legend, in the unit of the run on the page. */
function baseOfShares(): string {
    const { unit } = axisUnit();
    if (unit === 's') return 'of self time';
    return unit === 'B' ? 'of memory' : `of ${unit || 'self'}`;
}

interface LegendProps {
    /** names of the items: 'origin' */
    label: string;
    items: readonly LegendItem[];
    /** 100 % */
    whole: number;
    /** baseOfShares(), or a part of that */
    base: string;
}

function Legend({ label, items, whole, base }: LegendProps) {
    if (!(whole > 0) || items.length === 0) return null;
    const shown = items.slice(0, ITEMS_SHOWN);
    const more = items.slice(ITEMS_SHOWN);
    const share = (self: number) => `${pct((100 * self) / whole)}${THIN_SPACE}%`;
    return (
        <span class="origin-legend stack-legend" role="group" aria-label={`shares by ${label}`}>
            {shown.map(({ key, label: text, tip, swatch, self, isOff = false, onToggle }) => {
                const content = (
                    <>
                        {swatch} {text} {!isOff && <b>{share(self)}</b>}
                    </>
                );
                if (!onToggle)
                    return (
                        <span key={key} title={tip}>
                            {content}
                        </span>
                    );
                const action = isOff ? 'show' : 'merge into the callers';
                return (
                    <button
                        key={key}
                        type="button"
                        aria-pressed={!isOff}
                        title={`${tip}\nClick: ${action}`}
                        onClick={onToggle}
                    >
                        {content}
                    </button>
                );
            })}
            {more.length > 0 && (
                <span title={more.map((one) => `${one.label} ${share(one.self)}`).join('\n')}>
                    {int(more.length)} more{' '}
                    <b>{share(more.reduce((sum, { self }) => sum + self, 0))}</b>
                </span>
            )}
            <span class="legend-base">{base}</span>
        </span>
    );
}

/** Origins with their shares of the self time shown; a click on one merges its frames into their
 * callers. Nothing if no frame has a known origin. */
export function OriginShares({ selfByOrigin }: { selfByOrigin?: readonly number[] }) {
    if (!selfByOrigin) return null;
    const items = originItems(selfByOrigin);
    if (items.every(({ key }) => key === 'unknown')) return null;
    const whole = selfByOrigin.reduce((total, self) => total + self, 0);
    return <Legend label="origin" items={items} whole={whole} base={baseOfShares()} />;
}

/** The legend of a flame graph. of: whose self time it is, if not that of all. */
export function ColourLegend({ flame, of }: { flame: FlameAnswer | undefined; of?: string }) {
    const mode = colourMode();
    const items = useMemo(
        () => (flame && mode !== 'plain' ? colourItems(treeOf(flame), mode) : []),
        [flame, mode],
    );
    if (!flame || mode === 'plain') return null;
    if (mode === 'origin' && flame.frames.origin)
        return <OriginShares selfByOrigin={flame.self_by_origin} />;
    return (
        <Legend
            label={mode === 'package' ? 'package' : 'family'}
            items={items}
            whole={items.reduce((sum, { self }) => sum + self, 0)}
            base={`${baseOfShares()}${flame.cut > 0 ? ' drawn' : ''}${of ? ` in ${of}` : ''}`}
        />
    );
}

/** The origins beside a table, in windows that have room for them. */
export function ToolbarOrigins({ flame }: { flame: FlameAnswer | undefined }) {
    return viewportWidth.value < 1000 ? null : (
        <OriginShares selfByOrigin={flame?.self_by_origin} />
    );
}
