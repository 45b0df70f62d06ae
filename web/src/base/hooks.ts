// SPDX-License-Identifier: MIT
/**
 * Hooks that run when a value of a list changes and may read other values too, as they are in the
 * render in which the list changed. With useEffect and useMemo eslint checks that the list is
 * complete; use these where a complete list would be wrong: an effect that follows one value, a
 * result that is kept by a key of its inputs.
 */
import {
    type EffectCallback,
    useCallback,
    useEffect,
    useLayoutEffect,
    useMemo,
} from 'preact/hooks';

/* eslint-disable react-hooks/exhaustive-deps -- the lists are the callers' */

export function useEffectOn(effect: EffectCallback, on: unknown[]): void {
    useEffect(effect, on);
}

export function useLayoutEffectOn(effect: EffectCallback, on: unknown[]): void {
    useLayoutEffect(effect, on);
}

export function useMemoOn<T>(make: () => T, on: unknown[]): T {
    return useMemo(make, on);
}

export function useCallbackOn<T extends (...args: never[]) => unknown>(
    callback: T,
    on: unknown[],
): T {
    return useCallback(callback, on);
}
