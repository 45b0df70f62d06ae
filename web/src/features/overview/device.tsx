/* SPDX-License-Identifier: MIT
 *
 * The devices of a trace and the metadata of the file.
 */
import type { TraceOverview } from '../../base/answers';
import type { TraceDeviceRow as DeviceRow } from '../../base/rows';
import { bytesText, int, pct, THIN_SPACE } from '../../base/units';
import { Pairs } from '../../components/pairs';
import { propertiesOf } from '../../model/device';
import { deviceOf, type WorkerName } from '../../model/worker_names';

type TensorCores = TraceOverview['tensor_cores'];

interface CardsProps {
    devices: DeviceRow[];
    tensorCores: TensorCores;
    nameOf: WorkerName | null;
}

/** "used in 18.2 % of kernel time, unknown for 76.3 %" */
function tensorCoreText({ kernel_ns, known_ns, used_ns }: TensorCores): string {
    const share = (ns: number) => `${pct((100 * ns) / kernel_ns)}${THIN_SPACE}%`;
    const unknown = known_ns < kernel_ns ? `, unknown for ${share(kernel_ns - known_ns)}` : '';
    return `used in ${share(used_ns)} of kernel time${unknown}`;
}

export function DeviceCards({ devices, tensorCores, nameOf }: CardsProps) {
    return (
        <>
            {devices.map((device) => (
                <DeviceCard
                    key={`${device.worker} ${device.device}`}
                    device={device}
                    tensorCores={devices.length === 1 ? tensorCores : null}
                    nameOf={nameOf}
                />
            ))}
            {devices.length > 1 && tensorCores.kernel_ns > 0 && (
                <section class="overview-section">
                    <h2>All devices</h2>
                    <Pairs rows={[['Tensor Cores', tensorCoreText(tensorCores)]]} />
                </section>
            )}
        </>
    );
}

interface CardProps {
    device: DeviceRow;
    /** null: shown elsewhere */
    tensorCores: TensorCores | null;
    nameOf: WorkerName | null;
}

function DeviceCard({ device, tensorCores, nameOf }: CardProps) {
    const { memory_bytes, sms, capability, rest } = propertiesOf(device.json);
    const rows: [string, string][] = [];
    if (memory_bytes !== null) rows.push(['Memory', bytesText(memory_bytes)]);
    if (sms !== null) rows.push(['Multiprocessors', int(sms)]);
    if (capability !== null) rows.push(['Compute capability', capability]);
    if (device.kernels !== null) rows.push(['Kernels', int(device.kernels)]);
    if (device.copies !== null) rows.push(['Copies and memsets', int(device.copies)]);
    if (tensorCores && tensorCores.kernel_ns > 0)
        rows.push(['Tensor Cores', tensorCoreText(tensorCores)]);
    return (
        <section class="overview-section">
            <h2>
                {device.name || 'Device'}
                <span class="soft">{deviceOf(device, nameOf)}</span>
            </h2>
            <Pairs rows={rows} />
            {rest.length > 0 && <CollapsibleFacts title="More device properties" rows={rest} />}
        </section>
    );
}

export function FileHeaders({ headers }: { headers: [string, string][] }) {
    if (headers.length === 0) return null;
    return (
        <section class="overview-section">
            <CollapsibleFacts title="File metadata" rows={headers} />
        </section>
    );
}

function CollapsibleFacts({ title, rows }: { title: string; rows: [string, string][] }) {
    return (
        <details class="folded">
            <summary>
                {title} <span class="soft">{int(rows.length)}</span>
            </summary>
            <dl class="headers">
                {rows.map(([key, value]) => [
                    <dt key={key} class="mono">
                        {key}
                    </dt>,
                    <dd class="mono">{value}</dd>,
                ])}
            </dl>
        </details>
    );
}
