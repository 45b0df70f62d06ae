/* SPDX-License-Identifier: MIT */
import { API } from '../base/client';
import type { Run } from '../base/types';
import { int } from '../base/units';
import { StepBar } from '../components/timeline_steps';
import { useJson } from './use_json';

interface OverviewPart {
    mean: { tensorboard?: [string, number][] };
}

interface FindingPart {
    rows: { severity: string; title: string }[];
}

/** The mean step above the tracks, and the gravest finding in words; nothing for traces without steps. */
export function StepsOfRun({ run }: { run: Run }) {
    const { torch, steps } = run.summary as { torch?: number; steps?: number };
    const wanted = Boolean(torch) && Boolean(steps);
    const base = `${API}/runs/${run.id}`;
    const { data } = useJson<OverviewPart>(wanted ? `${base}/overview` : null);
    // After the bar, so that the picture comes first.
    const { data: findings } = useJson<FindingPart>(data ? `${base}/findings` : null);
    if (!wanted) return null;
    const worst = findings?.rows.find(({ severity }) => severity === 'high');
    const title = steps === 1 ? 'One step' : `Mean of ${int(steps ?? 0)} steps`;
    const breakdown = data?.mean.tensorboard ?? [];
    if (!breakdown.length) return <div class="timeline-steps is-empty" />;
    return <StepBar title={title} breakdown={breakdown} remark={worst?.title} />;
}
