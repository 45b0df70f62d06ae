/* SPDX-License-Identifier: MIT
 *
 * The devices of a trace and the metadata of the file.
 */
import type { TraceDeviceRow as DeviceRow } from '../../base/rows';
import { bytesText, int, pct, THIN_SPACE } from '../../base/units';
import { Pairs } from '../../components/pairs';
import { propertiesOf } from '../../model/device';
import { deviceOf, type WorkerName } from '../../model/worker_names';

interface CardsProps {
    devices: DeviceRow[];
    nameOf: WorkerName | null;
}

export function DeviceCards({ devices, nameOf }: CardsProps) {
    return (
        <>
            {devices.map((device) => (
                <DeviceCard
                    key={`${device.worker} ${device.device}`}
                    device={device}
                    nameOf={nameOf}
                />
            ))}
        </>
    );
}

function DeviceCard({ device, nameOf }: { device: DeviceRow; nameOf: WorkerName | null }) {
    const { memory_bytes, sms, capability, rest } = propertiesOf(device.json);
    const rows: [string, string][] = [];
    if (memory_bytes !== null) rows.push(['Memory', bytesText(memory_bytes)]);
    if (sms !== null) rows.push(['Multiprocessors', int(sms)]);
    if (capability !== null) rows.push(['Compute capability', capability]);
    if (device.kernels !== null) rows.push(['Kernels', int(device.kernels)]);
    if (device.copies !== null) rows.push(['Copies and memsets', int(device.copies)]);
    const { kernel_ns, tensor_core_ns } = device;
    if (kernel_ns !== null && kernel_ns > 0 && tensor_core_ns !== null) {
        rows.push([
            'Tensor Cores',
            `${pct((100 * tensor_core_ns) / kernel_ns)}${THIN_SPACE}% of kernel time`,
        ]);
    }
    return (
        <section class="overview-section">
            <h2>
                {device.name || 'Device'}
                <span class="soft">{deviceOf(device, nameOf)}</span>
            </h2>
            <Pairs rows={rows} />
            {rest.length > 0 && <CollapsedTree title="More device properties" rows={rest} />}
        </section>
    );
}

export function FileHeaders({ headers }: { headers: [string, string][] }) {
    if (headers.length === 0) return null;
    return (
        <section class="overview-section">
            <CollapsedTree title="File metadata" rows={headers} />
        </section>
    );
}

function CollapsedTree({ title, rows }: { title: string; rows: [string, string][] }) {
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
