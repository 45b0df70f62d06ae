/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { THIN_SPACE } from '../src/base/units';
import { attributionText } from '../src/model/attribution';

const plain = (text: string | null): string | undefined => text?.replaceAll(THIN_SPACE, ' ');

test('the share of GPU time with an operator', () => {
    assert.equal(attributionText({}), null);
    assert.equal(
        plain(attributionText({ work_ns: 1000, work_with_operator_ns: 998 })),
        'operator known for 99.8 % of GPU time',
    );
});

test('work of graphs says how its operator was found', () => {
    assert.equal(
        plain(
            attributionText({
                work_ns: 1000,
                work_with_operator_ns: 400,
                replayed_ns: 900,
                replayed_by_node_ns: 100,
                replayed_by_order_ns: 200,
            }),
        ),
        'operator known for 40.0 % of GPU time · 90.0 % replayed from graphs: 10.0 % found by node, 20.0 % found by order, 60.0 % not captured in this trace',
    );
});
