/* SPDX-License-Identifier: MIT */
/* What the colour of a frame of a flame graph shows: where its code is from or what kind of work it
 * is, its package, or nothing. */
import { frameParts, isInstalledFile, libraryOfFile } from './frame_names';
import { shortPlace } from './labels';
import type { TreeFrames } from '../base/answers';
import type { Tree } from './tree';

export const COLOUR_MODES = ['origin', 'package', 'plain'] as const;
export type ColourMode = (typeof COLOUR_MODES)[number];

/** Number of colours of packages: the tokens `--package-0` to `--package-19`. */
export const PACKAGE_COLOURS = 20;

const INSTALLED_ORIGINS = [1, 2];
/* `at` of `void at::native::copy(int)`, `sqlite3` of `sqlite3.Connection.execute` */
const NAMESPACE = /^(?:\w+ )*([A-Za-z_]\w*)(?=::|\.\w)/;

/** The package of a frame: of code that is installed its package or module, of other code with a
 * file the file, else the namespace; '' if the name says none of them. origin: as in `frames.origin`. */
export function packageOfFrame(fullName: string, origin: number | undefined): string {
    const { name, file } = frameParts(fullName);
    if (file && !file.startsWith('<')) {
        const isInstalled = INSTALLED_ORIGINS.includes(origin ?? -1) || isInstalledFile(file);
        return isInstalled ? libraryOfFile(file) : shortPlace(file, 0);
    }
    return NAMESPACE.exec(name)?.[1] ?? '';
}

/** The colour of a package, the same in all runs: the FNV-1a hash of its name. */
export function packageColour(name: string): number {
    let hash = 0x811c9dc5;
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
    return ((hash >>> 16) ^ (hash & 0xffff)) % PACKAGE_COLOURS;
}

/** The package of each frame; of one that stands for a file or package, its name. */
export function packagesOf({ name, origin, collapsed }: TreeFrames): string[] {
    return name.map((text, i) => (collapsed?.[i] ? text : packageOfFrame(text, origin?.[i])));
}

/** Σ self by key, largest first. Nodes that are not in the answer do not count. */
export function selfBy(
    { n, self }: Tree,
    keyOf: (node: number) => number,
): { key: number; self: number }[] {
    const sums = new Map<number, number>();
    for (let i = 0; i < n; i++) {
        const own = self?.[i] ?? 0;
        if (own > 0) sums.set(keyOf(i), (sums.get(keyOf(i)) ?? 0) + own);
    }
    return [...sums].map(([key, sum]) => ({ key, self: sum })).sort((a, b) => b.self - a.self);
}
