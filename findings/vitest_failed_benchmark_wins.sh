#!/bin/sh
# SPDX-License-Identifier: MIT
# vitest 4.1.12, `vitest bench`: a benchmark whose function throws gets a rank, and rank 1 if it is the first of its group,
# because means are compared and it has none. The summary then says "bad - app.bench.mjs > group, NaNx faster than good".
# The exit status is 0, the error is neither printed nor in the file of --outputJson, whose row of `bad` has no mean and
# `rank` 1. A script that takes the row of rank 1 takes the broken one.
# Usage: vitest_failed_benchmark_wins.sh; needs node 20 or later and npm.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund vitest@4.1.12 > /dev/null
cat > app.bench.mjs <<'PROGRAM'
import { bench, describe } from "vitest";

function add(count) {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += i;
    return sum;
}

describe("group", () => {
    bench("bad", () => { throw new Error("broken on purpose"); }, { time: 100, warmupTime: 10 });
    bench("good", () => { add(1000); }, { time: 100, warmupTime: 10 });
});
PROGRAM
NO_COLOR=1 node_modules/.bin/vitest bench --run --outputJson app.json > output.txt 2>&1
cat output.txt
grep -q "NaNx faster than good" output.txt
if grep -q "broken on purpose" output.txt app.json; then exit 1; fi
node - <<'CHECK'
const assert = require("node:assert");
const { files } = JSON.parse(require("node:fs").readFileSync("app.json", "utf8"));
const rows = Object.fromEntries(files[0].groups[0].benchmarks.map((row) => [row.name, row]));
console.log(rows.bad, "good: rank", rows.good.rank, "mean", rows.good.mean);
assert.equal(rows.bad.rank, 1, "a failed benchmark is no longer the first");
assert.equal(rows.bad.mean, undefined);
CHECK
