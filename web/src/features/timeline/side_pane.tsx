/* SPDX-License-Identifier: MIT */
/* Pane to the right of the tracks: the selected slice, the matching names, or the
 * keys and the legend. */
import type { ComponentChildren } from 'preact';
import type { TimelineAnswer } from '../../base/answers';
import { FamilySwatch } from '../../components/family_swatch';
import { type SizedPane, sizedPane, Splitter } from '../../components/splitter';
import { FAMILIES } from '../../model/family';
import { type Find, FoundNames } from './search';

/** Width of the pane, and whether it is open. */
export function sidePane(): SizedPane {
    return sizedPane('timeline.side', {
        normal: 312,
        min: 240,
        max: Math.max(240, Math.round(innerWidth / 2)),
    });
}

interface SidePaneProps {
    /** the search field of a panel, which has no toolbar */
    field: ComponentChildren;
    find: Find;
    timeline: TimelineAnswer;
    onName: (name: string) => void;
    /** the selected slice or area */
    children: ComponentChildren;
    /** below everything else */
    foot: ComponentChildren;
}

export function SidePane(props: SidePaneProps) {
    const { field, find, timeline, onName, children, foot } = props;
    const pane = sidePane();
    return (
        <aside class="timeline-side" style={{ width: pane.size }} aria-label="selected slice">
            <Splitter pane={pane} side="right" label="width of the details" />
            {field && <div class="timeline-side-find">{field}</div>}
            {children ??
                (find.q ? (
                    <FoundNames find={find} onName={({ name }) => onName(name)} />
                ) : (
                    <Hints families={timeline.steps.length > 0 || hasStreams(timeline)} />
                ))}
            {foot}
        </aside>
    );
}

const hasStreams = ({ tracks }: TimelineAnswer): boolean =>
    tracks.some(({ stream }) => stream >= 0);

/* One label for each colour. Python frames have the colour of annotations; slices without a family
 * have the colour of runtime calls. */
const LEGEND = FAMILIES.flatMap(({ key, label }, family): [number, string][] => {
    if (key === 'none' || key === 'python') return [];
    if (key === 'runtime') return [[family, 'runtime, other']];
    return [[family, key === 'annotation' ? 'annotation, Python' : label]];
});

const KEYS: [string[], string][] = [
    [['W', 'S'], 'zoom at the pointer, as Ctrl + wheel'],
    [['A', 'D'], 'pan, as Shift + wheel'],
    [['P'], 'pin the track at the pointer'],
    [['Z'], 'fold it; Shift+Z: all tracks'],
    [['[', ']'], 'previous, next step'],
    [['F'], 'fit slice, range or run'],
    [['R'], 'range from the slice'],
    [['M'], 'area from the slice'],
    [['N'], 'note at the pointer, or on the area'],
    [[',', '.'], 'wider, narrower slice of the name'],
    [['<', '>'], 'previous, next slice in the row'],
    [['/'], 'search'],
];

function Hints({ families }: { families: boolean }) {
    return (
        <div class="timeline-hints">
            <p>
                Click a slice to see its details. Drag on the ruler to select a range, or hold Shift
                and drag on the tracks to select an area of them.
            </p>
            <dl>
                {KEYS.map(([keys, label]) => (
                    <div key={label}>
                        <dt>
                            {keys.map((key) => (
                                <kbd key={key}>{key}</kbd>
                            ))}
                        </dt>
                        <dd>{label}</dd>
                    </div>
                ))}
            </dl>
            {families && (
                <ul>
                    {LEGEND.map(([family, label]) => (
                        <li key={label}>
                            <FamilySwatch family={family} /> {label}
                        </li>
                    ))}
                </ul>
            )}
        </div>
    );
}
