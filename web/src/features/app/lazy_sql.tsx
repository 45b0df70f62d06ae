/* SPDX-License-Identifier: MIT
 *
 * SQL over several runs; its code is loaded when it is first shown.
 */
import { lazyView } from './lazy_view';

export const LazySql = lazyView(() => import('../sql/shelf').then((module) => module.SqlShelf));
