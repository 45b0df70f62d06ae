/* SPDX-License-Identifier: MIT */
/* Which time the flame graph of a trace shows: the key `flame_on` of the URL. */
import type { Run } from '../../base/answers';
import { route } from '../../base/router';
import { traceOf } from '../trace/data';

export type FlameOn = 'cpu' | 'device' | 'python' | 'wall';

export function flameOn(run: Run): FlameOn {
    const urlMode = route.value.query.flame_on;
    const { devices, torch } = traceOf(run);
    if (urlMode === 'device' && devices > 0) return 'device';
    if (urlMode === 'python' && devices > 0 && torch) return 'python';
    if (urlMode === 'wall' && torch) return 'wall';
    return 'cpu';
}
