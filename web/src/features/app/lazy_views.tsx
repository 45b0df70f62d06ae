/* SPDX-License-Identifier: MIT
 *
 * The views that are loaded when they are first shown.
 */
import type { ComponentChildren, ComponentType } from 'preact';
import { lazy } from '../../components/lazy';

const inPage = (body: ComponentChildren) => <main class="report">{body}</main>;

const lazyView = <P extends object>(load: () => Promise<ComponentType<P>>) => lazy(load, inPage);

export const LazyCompare = lazyView(() =>
    import('../compare/view').then((module) => module.CompareView),
);

export const LazySearch = lazyView(() =>
    import('../search/view').then((module) => module.SearchView),
);

export const LazySql = lazyView(() => import('../sql/shelf').then((module) => module.SqlShelf));

export const LazyTrend = lazyView(() => import('../trend/view').then((module) => module.TrendView));
