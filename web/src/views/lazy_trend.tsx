/* SPDX-License-Identifier: MIT
 *
 * The trend, whose code is fetched when it is first shown.
 */
import { lazyView } from './lazy_view';

export const LazyTrend = lazyView(() => import('./trend_view').then((module) => module.TrendView));
