/* SPDX-License-Identifier: MIT
 *
 * The comparison; its code is loaded when it is first shown.
 */
import { lazyView } from './lazy_view';

export const LazyCompare = lazyView(() =>
    import('../compare/view').then((module) => module.CompareView),
);
