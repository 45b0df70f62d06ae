/* SPDX-License-Identifier: MIT */
/* Upper limit of the program's speed-up if one function becomes faster (Amdahl's law). */

export interface Amdahl {
    /** share of the total time that is spent in or below the function, 0 to 1 */
    share: number;
    total: number;
    /** speed-up of the program if this part were twice as fast, and the program's time in that
     * case, s */
    speedupAtTwice: number;
    timeAtTwice: number;
    /** speed-up of the program if this part cost nothing, and the program's time in that case, s.
     * The speed-up is Infinity if the share is 1. */
    maxSpeedup: number;
    timeAtLimit: number;
}

export function speedUp(share: number, factor: number): number {
    const left = 1 - share + share / factor;
    return left > 0 ? 1 / left : Infinity;
}

/** Computes the speed-ups. `total`: time of the program, s. The share is capped at 1: a cumulative
 * time may exceed Σ tottime, because the profiler measures them differently. */
export function amdahl(share: number, total: number): Amdahl {
    const p = Math.min(1, Math.max(0, share));
    const speedupAtTwice = speedUp(p, 2);
    const maxSpeedup = p < 1 ? 1 / (1 - p) : Infinity;
    return {
        share: p,
        total,
        speedupAtTwice,
        timeAtTwice: total / speedupAtTwice,
        maxSpeedup,
        timeAtLimit: total * (1 - p),
    };
}

/** Points (factor, speed-up) of the curve, for factors from 1 to `maxFactor`. */
export function amdahlCurve(share: number, maxFactor: number, points: number): [number, number][] {
    const p = Math.min(1, Math.max(0, share));
    return Array.from({ length: points }, (_, i) => {
        const factor = 1 + ((maxFactor - 1) * i) / (points - 1);
        return [factor, speedUp(p, factor)] as [number, number];
    });
}
