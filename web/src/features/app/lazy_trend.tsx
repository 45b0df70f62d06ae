/* SPDX-License-Identifier: MIT
 *
 * The trend; its code is loaded when it is first shown.
 */
import { lazyView } from './lazy_view';

export const LazyTrend = lazyView(() => import('../trend/view').then((module) => module.TrendView));
