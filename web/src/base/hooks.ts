// SPDX-License-Identifier: MIT
/** Hooks that run only when a listed value changes, but may use other values of the same render.
 * eslint requires complete dependency lists for useEffect and useMemo. Use these hooks where a
 * complete list would be wrong: an effect that follows one value, or a result that is cached by a
 * key of its inputs. */
import {
    type EffectCallback,
    useCallback,
    useEffect,
    useLayoutEffect,
    useMemo,
} from 'preact/hooks';

/* eslint-disable react-hooks/exhaustive-deps -- the callers pass the lists */

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
