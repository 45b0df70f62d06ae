/* SPDX-License-Identifier: MIT
 *
 * Positions of rows with different heights, for drawing only the visible ones.
 */

/** offsets[i] is the top of row i; the last element is the total height. */
export function rowOffsets(count: number, heightOf: (row: number) => number): Float64Array {
    const offsets = new Float64Array(count + 1);
    for (let row = 0; row < count; row++) offsets[row + 1] = offsets[row] + heightOf(row);
    return offsets;
}

/** Index of the row at `y`, limited to the existing rows; -1 if there are none. */
export function rowAt(offsets: Float64Array, y: number): number {
    let low = 0;
    let high = offsets.length - 2;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (offsets[middle] <= y) low = middle;
        else high = middle - 1;
    }
    return high < 0 ? -1 : low;
}
