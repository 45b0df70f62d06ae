/* SPDX-License-Identifier: MIT
 *
 * Attaches source files to runs.
 */
import { signal } from '@preact/signals';
import type { Run } from '../../base/answers';
import { API, putBlob, withParams } from '../../base/client';

/** Incremented when sources are attached in this window; fetched sources are stale then. */
export const attachedSourcesVersion = signal(0);

/** `path`: as the profile has it */
export async function attachSource(run: Run, path: string, body: Blob): Promise<void> {
    await putBlob(withParams(`${API}/runs/${run.id}/sources`, { path }), body);
    attachedSourcesVersion.value++;
}
