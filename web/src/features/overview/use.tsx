/* SPDX-License-Identifier: MIT
 *
 * Utilisation of each device over time, with estimates of its efficiency.
 */
import { useMemo } from 'preact/hooks';
import type { DeviceUse, Utilisation } from '../../base/answers';
import { pct, THIN_SPACE } from '../../base/units';
import { replaceQuery } from '../../base/router';
import { TimeChart, type TimeCurve } from '../../components/time_chart';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { acceleratorName, deviceWord } from '../../model/device';
import { steppedValueAt } from '../../model/step_curve';
import { ms, rangeQuery } from '../../model/trace_range';
import { deviceOf, type WorkerName } from '../../model/worker_names';

interface UtilisationProps {
    utilisation: Utilisation | null;
    nameOf: WorkerName | null;
}

const FULL_SHARE = 255;

function curveOf({ share }: DeviceUse, from: number, to: number): TimeCurve {
    const step = (to - from) / Math.max(1, share.length);
    const x = [...share.map((_, i) => from + i * step), to];
    const y = [...share, share[share.length - 1] ?? 0].map((value) => (100 * value) / FULL_SHARE);
    return { x, y, token: 'family-matmul', strong: true, fill: true, stepped: true };
}

export function UtilisationChart({ utilisation, nameOf }: UtilisationProps) {
    if (!utilisation || utilisation.devices.length === 0) return null;
    const many = utilisation.devices.length > 1;
    return (
        <section class="overview-section">
            <h2>
                {deviceWord()} utilisation
                <span class="soft">
                    share of the time a kernel was running; drag to select a range for all tabs
                </span>
            </h2>
            {utilisation.devices.map((device) => (
                <DeviceUtilisation
                    key={`${device.worker} ${device.device}`}
                    device={device}
                    name={many ? deviceOf(device, nameOf) : null}
                    from={utilisation.from_ns}
                    to={utilisation.to_ns}
                />
            ))}
        </section>
    );
}

interface DeviceProps {
    device: DeviceUse;
    /** null if there is only one device */
    name: string | null;
    from: number;
    to: number;
}

function DeviceUtilisation({ device, name, from, to }: DeviceProps) {
    const curves = useMemo(() => [curveOf(device, from, to)], [device, from, to]);
    function onHover(at: number | null, { clientX, clientY }: PointerEvent): void {
        const busy = at === null ? null : steppedValueAt(curves[0].x, curves[0].y, at);
        if (at === null || busy === null) hideTooltip();
        else
            showTooltip(
                <div>{`${ms(at)}${THIN_SPACE}ms: ${pct(busy)}${THIN_SPACE}% busy`}</div>,
                clientX,
                clientY,
            );
    }
    return (
        <>
            <UtilisationText device={device} name={name} />
            <div class="use-chart">
                <TimeChart
                    label={`busy share of ${name ?? acceleratorName(device.device)}`}
                    curves={curves}
                    window={{ from, to }}
                    range={null}
                    top={100}
                    step={50}
                    xText={(ns) => `${ms(ns).replace(/\.?0+$/, '')} ms`}
                    yText={(value) => `${value} %`}
                    onRange={(interval) =>
                        replaceQuery(
                            rangeQuery(
                                interval && {
                                    from_ns: Math.round(interval.from),
                                    to_ns: Math.round(interval.to),
                                },
                            ),
                        )
                    }
                    onHover={onHover}
                />
            </div>
        </>
    );
}

function UtilisationText({ device, name }: { device: DeviceUse; name: string | null }) {
    const { busy, sm_efficiency, occupancy } = device;
    const percent = (value: number) => (
        <b>
            {pct(value)}
            {THIN_SPACE}%
        </b>
    );
    return (
        <p class="use-words">
            {name && <b>{name}</b>}
            <span>busy {percent(100 * busy)} of the time</span>
            {sm_efficiency !== null && (
                <span
                    class="is-estimate"
                    title="estimated: min(1, blocks per SM of the running kernels), over the time"
                >
                    SM efficiency {percent(100 * sm_efficiency)} est.
                </span>
            )}
            {occupancy !== null && (
                <span
                    class="is-estimate"
                    title="estimated achieved occupancy of the kernels, weighted by their duration"
                >
                    occupancy {percent(occupancy)} est.
                </span>
            )}
        </p>
    );
}
