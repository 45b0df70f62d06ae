/* SPDX-License-Identifier: MIT */
/* The conclusion of the ranks: a sentence with its numbers, and a warning if clocks disagree. */
import type { RankMetric, RanksAnswer } from '../../base/answers';
import { formatFixed, int, pct, plural, THIN_SPACE } from '../../base/units';
import {
    causedPerStep,
    causedShare,
    causeOf,
    latestRank,
    MAX_CLOCK_ERROR_NS,
    missingRanks,
    rankName,
} from '../../model/ranks';
import { ms } from '../../model/trace_range';

export const METRIC_TITLES: Record<RankMetric, string> = {
    compute: 'compute',
    communication: 'communication',
    wait: 'waiting',
    loading: 'data loading',
    step: 'whole step',
};

function verdictOf(answer: RanksAnswer): string {
    const { ranks, matching, steps, repeated_rank } = answer;
    const index = latestRank(answer);
    if (repeated_rank !== null)
        return `Rank ${repeated_rank} is in two files, so collectives are not compared: add one recording of each rank.`;
    if (ranks.length === 1) return 'This run has one rank: no other waits for it.';
    if (matching.collectives === 0) return 'No collective connects the ranks of this run.';
    if (index === null) return 'No rank stands out: the ranks wait for each other about equally.';
    const name = rankName(answer, index);
    const wait = `${ms(causedPerStep(answer, index))}${THIN_SPACE}ms`;
    const others =
        ranks.length === 2 ? 'the other waits' : `the other ${int(ranks.length - 1)} wait`;
    return `${name[0].toUpperCase()}${name.slice(1)} causes ${pct(100 * causedShare(answer, index))}${THIN_SPACE}% of the waiting in collectives; ${others} ${wait}${steps.length > 0 ? ' a step' : ''} for it.`;
}

function causeText(answer: RanksAnswer): string {
    if (latestRank(answer) === null) return '';
    const cause = causeOf(answer);
    if (!cause) return 'Neither its compute nor its data loading explains it.';
    const share = Number.isNaN(cause.share) ? '' : `, +${pct(100 * cause.share)}${THIN_SPACE}%`;
    return `Its ${METRIC_TITLES[cause.metric]} takes ${ms(cause.ns)}${THIN_SPACE}ms a step longer than that of the median rank${share}.`;
}

function factsOf(answer: RanksAnswer): string[] {
    const missing = missingRanks(answer);
    const { disagreeing, unmatched } = answer.matching;
    const short = answer.ranks.filter((row) => row.steps < answer.steps.length).length;
    return [
        missing > 0
            ? `${plural(missing, 'rank')} of ${int(answer.world_size)} ${missing === 1 ? 'is' : 'are'} missing.`
            : '',
        short > 0
            ? `${plural(short, 'rank')} recorded fewer than ${plural(answer.steps.length, 'step')}.`
            : '',
        disagreeing + unmatched > 0 && answer.repeated_rank === null
            ? `${plural(disagreeing + unmatched, 'call')} could not be matched.`
            : '',
    ].filter(Boolean);
}

export function Says({ answer }: { answer: RanksAnswer }) {
    const error = answer.clock.error_ns;
    return (
        <div class="rank-says" role="status">
            <p>
                <b>{verdictOf(answer)}</b> {causeText(answer)} {factsOf(answer).join(' ')}
            </p>
            {error !== null && (
                <span class={error > MAX_CLOCK_ERROR_NS ? 'rank-clock warn' : 'rank-clock soft'}>
                    clocks agree to {formatFixed(error / 1e6, 3)}
                    {THIN_SPACE}ms
                    {error > MAX_CLOCK_ERROR_NS && ': orders within it are unknown'}
                </span>
            )}
        </div>
    );
}
