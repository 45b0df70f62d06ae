/* SPDX-License-Identifier: MIT
 *
 * The status line of tabs that show operators of device work: how much of it has one.
 */
import { useEffect } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { setStatus } from '../../components/status_line';
import { attributionText } from '../../model/attribution';
import { traceOf } from './data';

export function useAttributionStatus(run: Run): void {
    useEffect(() => {
        setStatus(undefined, attributionText(traceOf(run)));
        return () => setStatus(undefined, null);
    }, [run]);
}
