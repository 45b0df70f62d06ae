/* SPDX-License-Identifier: MIT
 *
 * The sample profiles of the program: which of them are on the shelf, loading and removing them.
 */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Job, Sample } from '../../base/answers';
import { API, asApiError, getJson, newestOf, sendJson, type ApiError } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { navigate, route } from '../../base/router';
import { plural } from '../../base/units';
import { Notice } from '../../components/notice';
import { addNotice } from '../shared/notices';
import { applyOwnJob, publishRunChange, shelf, shelfError } from '../shared/shelf_state';

/* Whether a run on the shelf may be a sample: these have a tag with this key. */
function hasSamples(tags: string[]): boolean {
    return tags.some((tag) => tag.startsWith('sample='));
}

export const samples = signal<Sample[]>([]);

const getSamples = newestOf(() => getJson<{ rows: Sample[] }>(`${API}/samples`));

async function fetchSamples(): Promise<void> {
    try {
        const answer = await getSamples();
        if (answer) samples.value = answer.rows;
    } catch (error) {
        shelfError.value = asApiError(error);
    }
}

/** Keeps the samples up to date while the page shows them: on an empty shelf, or one with samples. */
export function useSamples(): void {
    const now = shelf.value;
    const isShown = now !== null && (now.runs === 0 || hasSamples(now.tags));
    // On each state of the shelf: removed and restored runs leave its number of runs as it was.
    useEffectOn(() => {
        if (isShown) void fetchSamples();
    }, [now]);
}

function openWhenRead(job: Job): void {
    if (job.run && route.peek().path.length === 0) navigate(['run', job.run]);
}

/** Imports the samples that the shelf lacks, and opens the first of them when it is read. */
export async function loadSamples(): Promise<void> {
    const answer = await sendJson<{ job?: Job; jobs?: Job[] }>('POST', `${API}/samples`);
    const jobs = answer?.jobs ?? (answer?.job ? [answer.job] : []);
    jobs.forEach((job, i) => applyOwnJob(job, i === 0 ? openWhenRead : undefined));
}

async function removeSamples(): Promise<void> {
    const answer = await sendJson<{ deleted: string[] }>('DELETE', `${API}/samples`);
    const deleted = answer?.deleted ?? [];
    const name = plural(deleted.length, 'sample profile');
    addNotice({ key: 'samples', kind: 'deleted', name, error: null, run: null, deleted });
    publishRunChange({ type: 'all' });
}

/** Line above a shelf with samples, for users who may remove them. */
export function SamplesLine() {
    const [isBusy, setBusy] = useState(false);
    const [error, setError] = useState<ApiError | null>(null);
    const count = samples.value.filter((sample) => sample.removable).length;
    if (!count || !hasSamples(shelf.value?.tags ?? [])) return null;
    async function remove(): Promise<void> {
        setBusy(true);
        setError(null);
        try {
            await removeSamples();
        } catch (reason) {
            setError(asApiError(reason));
        }
        setBusy(false);
    }
    if (error) return <Notice kind="error" title="The samples were not removed" error={error} />;
    return (
        <p class="samples-line">
            {plural(count, 'sample profile')} on this shelf.{' '}
            <button type="button" class="link" disabled={isBusy} onClick={() => void remove()}>
                Remove samples
            </button>
        </p>
    );
}
