/* SPDX-License-Identifier: MIT */
/* What making one function faster can do for the whole program, at most (Amdahl). */

export interface Amdahl {
    /** share of the total that is in or below the function, 0 to 1 */
    share: number;
    total: number;
    /** the program's speed-up and time if this part were twice as fast */
    twice: number;
    twiceTime: number;
    /** … and if it cost nothing; Infinity when the part is everything */
    limit: number;
    limitTime: number;
}

export function speedUp(share: number, factor: number): number {
    const left = 1 - share + share / factor;
    return left > 0 ? 1 / left : Infinity;
}

/** A cumulative time may exceed Σ tottime (it is measured with other ends): the share is capped at the whole. */
export function amdahl(share: number, total: number): Amdahl {
    const p = Math.min(1, Math.max(0, share));
    const twice = speedUp(p, 2);
    const limit = p < 1 ? 1 / (1 - p) : Infinity;
    return { share: p, total, twice, twiceTime: total / twice, limit, limitTime: total * (1 - p) };
}

/** Points of the curve speed-up against factor, factor from 1 to `most`. */
export function amdahlCurve(share: number, most: number, points: number): [number, number][] {
    const p = Math.min(1, Math.max(0, share));
    return Array.from({ length: points }, (_, i) => {
        const factor = 1 + ((most - 1) * i) / (points - 1);
        return [factor, speedUp(p, factor)] as [number, number];
    });
}
