/* SPDX-License-Identifier: MIT */
/* Devices, which torch identifies by a type and an index; the CPU has no index. */

import { signal } from '@preact/signals';
import type { WorkerName } from './worker_names';

const ANY_DEVICE = 'GPU';
const shownDevice = signal(ANY_DEVICE);

/** Sets what the run on the page calls its devices; undefined: it does not tell. */
export function showDevice(word: string | undefined): void {
    shownDevice.value = word ?? ANY_DEVICE;
}

/** What the run on the page calls its devices: GPU, XPU, MTIA. */
export function deviceWord(): string {
    return shownDevice.value;
}

const TYPES: Record<number, string> = {
    0: 'CPU',
    1: 'GPU',
    2: 'MKLDNN',
    6: 'HIP',
    9: 'XLA',
    12: 'XPU',
    13: 'MPS',
    14: 'Meta',
    15: 'HPU',
    19: 'MTIA',
    20: 'device',
};

/** "CPU", "GPU 0". */
export function deviceName(type: number, index: number): string {
    const label = TYPES[type] ?? `device type ${type}`;
    return type === 0 || index < 0 ? label : `${label} ${index}`;
}

/** Memory of one device in one worker of a job. API requests omit `worker` for the first worker (0). */
export interface MemoryPlace {
    device_type: number;
    device: number;
    worker: number;
}

/** Type and index of a device, "1:0"; for a worker other than the first also its number, "1:0:2".
 */
export function placeKey({ device_type, device, worker }: MemoryPlace): string {
    return `${device_type}:${device}${worker > 0 ? `:${worker}` : ''}`;
}

export function readPlace(key: string | undefined): MemoryPlace | null {
    const parts = /^(\d+):(-?\d+)(?::(\d+))?$/.exec(key ?? '');
    if (!parts) return null;
    return {
        device_type: Number(parts[1]),
        device: Number(parts[2]),
        worker: Number(parts[3] ?? 0),
    };
}

/** "GPU 0"; with several workers "GPU 0, rank 1". */
export function placeName(place: MemoryPlace, nameOf: WorkerName | null): string {
    const name = deviceName(place.device_type, place.device);
    return nameOf ? `${name}, ${nameOf(place.worker)}` : name;
}

/** Name of a device that runs kernels. Some accelerators have no number (a negative `device`). */
export function acceleratorName(device: number): string {
    return device < 0 ? 'device' : `${deviceWord()} ${device}`;
}

export interface Properties {
    memory_bytes: number | null;
    sms: number | null;
    capability: string | null;
    /** the other entries of the file's deviceProperties: key, and value as text */
    rest: [key: string, text: string][];
}

const READ_PROPERTIES = ['id', 'name', 'totalGlobalMem', 'computeMajor', 'computeMinor', 'numSms'];

function parseRecord(json: string | Record<string, unknown> | null): Record<string, unknown> {
    if (json === null) return {};
    if (typeof json !== 'string') return json;
    try {
        const value: unknown = JSON.parse(json);
        return value !== null && typeof value === 'object'
            ? (value as Record<string, unknown>)
            : {};
    } catch {
        return {}; // The file's own string need not be JSON; then there are no properties.
    }
}

/** Reads the file's deviceProperties; absent values become null. */
export function propertiesOf(json: string | Record<string, unknown> | null): Properties {
    const record = parseRecord(json);
    const number = (key: string) => (typeof record[key] === 'number' ? record[key] : null);
    const [major, minor] = [number('computeMajor'), number('computeMinor')];
    return {
        memory_bytes: number('totalGlobalMem'),
        sms: number('numSms'),
        capability: major === null ? null : `${major}.${minor ?? 0}`,
        rest: Object.entries(record)
            .filter(([key]) => !READ_PROPERTIES.includes(key))
            .map(([key, value]) => [
                key,
                typeof value === 'string' ? value : JSON.stringify(value),
            ]),
    };
}
