/* SPDX-License-Identifier: MIT
 *
 * The memory and the counters of the selected area as charts; of the whole run without an area.
 */
import type { CurvesAnswer, Run, TimelineAnswer } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { replaceQuery, route } from '../../base/router';
import { bytesText, formatValueIn, text } from '../../base/units';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { TimeChart } from '../../components/time_chart';
import { placeKey } from '../../model/device';
import { type Area, areaQuery, readArea } from '../../model/timeline_area';
import { ms } from '../../model/trace_range';
import { useData, useJson } from '../shared/use_json';
import { timelinePath } from '../trace/data';
import { type CurveSet, curveSet, type StepCurve } from './curves';
import { memoryName } from './lanes';

const PX = 1000;
/** charts that are drawn; areas can have hundreds of counters */
const MAX_CHARTS = 8;
/** space above the largest value */
const HEADROOM = 1.1;

interface NamedCurve {
    /** of its lane */
    key: string;
    name: string;
    valueText: (value: number) => string;
}

function curvesOf({ memory, counters }: TimelineAnswer, lanes: Area['lanes']): NamedCurve[] {
    const all = [
        ...memory.map((one) => ({
            key: `m${placeKey(one)}`,
            name: memoryName(one),
            valueText: bytesText,
        })),
        ...counters.map(({ id, name, unit }) => ({
            key: `c${id}`,
            name,
            valueText: (value: number) => text(formatValueIn(value, unit ?? '')),
        })),
    ];
    // An area of tracks alone has all curves in its time.
    const selected = lanes ? all.filter(({ key }) => lanes.has(key)) : [];
    return selected.length ? selected : all;
}

const keysOf = (curves: readonly NamedCurve[], letter: string): string | undefined =>
    curves.flatMap(({ key }) => (key.startsWith(letter) ? [key.slice(1)] : [])).join(',') ||
    undefined;

export function AreaCurves({ run }: { run: Run }) {
    const timeline = useData<TimelineAnswer>(timelinePath(run));
    const area = readArea(route.value.query);
    const all = timeline ? curvesOf(timeline, area?.lanes) : [];
    const shown = all.slice(0, MAX_CHARTS);
    const { from, to } = area ?? { from: timeline?.start_ns ?? 0, to: timeline?.end_ns ?? 0 };
    const { data, error, loading } = useJson<CurvesAnswer>(
        shown.length
            ? withParams(`${API}/runs/${run.id}/curves`, {
                  from_ns: from,
                  to_ns: Math.max(from + 1, to),
                  px: PX,
                  memory: keysOf(shown, 'm'),
                  counters: keysOf(shown, 'c'),
              })
            : null,
    );
    if (error) return <Notice kind="error" title="The curves could not be read" error={error} />;
    if (!data) return <LoadingLine active={loading} />;
    const set = curveSet(data, { from, to, px: PX }, []);
    return (
        <div class="area-curves">
            {shown.map((one) => (
                <AreaCurve key={one.key} named={one} set={set} area={area} />
            ))}
            {all.length > shown.length && (
                <p class="soft">
                    The first {shown.length} of {all.length} curves. Select an area of fewer.
                </p>
            )}
        </div>
    );
}

interface AreaCurveProps {
    named: NamedCurve;
    set: CurveSet;
    area: Area | null;
}

function AreaCurve({ named: { key, name, valueText }, set, area }: AreaCurveProps) {
    const found = key.startsWith('m')
        ? set.memory.get(key)
        : set.counters.get(Number(key.slice(1)));
    const { x, y } = pointsIn(found, set);
    if (!x.length) return null;
    const [least, greatest] = [Math.min(...y), Math.max(...y)];
    return (
        <figure>
            <figcaption>
                <b>{name}</b> {valueText(least)} to {valueText(greatest)}
            </figcaption>
            <TimeChart
                label={`${name} in the area`}
                curves={[{ x, y, token: 'family-memory', strong: true, fill: true, stepped: true }]}
                window={set}
                range={null}
                top={greatest > 0 ? greatest * HEADROOM : 1}
                xText={(ns) => `${ms(ns).replace(/\.?0+$/, '')} ms`}
                yText={valueText}
                onRange={(range) => {
                    const lanes = area?.lanes ?? null;
                    replaceQuery(areaQuery(range && { ...range, lanes }));
                }}
            />
        </figure>
    );
}

/* The points from the start to the end of the window. The value before the window holds at its
 * start, the last one at its end. */
function pointsIn(curve: StepCurve | undefined, { from, to }: CurveSet) {
    const x: number[] = [];
    const y: number[] = [];
    curve?.t.forEach((t, i) => {
        if (t > to || Number.isNaN(curve.value[i])) return;
        x.push(Math.max(from, t));
        y.push(curve.value[i]);
    });
    if (x.length) {
        x.push(to);
        y.push(y[y.length - 1]);
    }
    return { x, y };
}
