/* SPDX-License-Identifier: MIT
 *
 * Lazy imports: ticks tell what start-up saves and what others import anyway, and stand in the URL.
 */
import { join } from "node:path";
import { ROOT, check, equal, test, until } from "./lib.mjs";

const GOLDEN = join(ROOT, "tests", "golden", "importtime");

/* The lists have no rows of a table; each line is one text. */
function lines(page, pane) {
  return page
    .locator(".pane", { hasText: pane })
    .locator(".list-row")
    .allInnerTexts();
}

test("what_if: a tick tells what is saved and what stays", async ({
  pages,
  demo,
}) => {
  const [run] = demo.run("add", join(GOLDEN, "ok_importers.log"), "--json");
  const page = await pages.open(`${demo.url}#/run/${run.id}/lazy`);
  await page.getByLabel("first", { exact: true }).click();
  await page.locator(".lazy-sentence").waitFor();
  check(/lazy=first%40__main__/.test(page.url()), page.url());
  const rows = await lines(page, "Modules below");
  check(/^first\s+0\.200\s+saved/.test(rows[0]), rows[0]);
  check(/^shared\s+0\.030\s+still imported\s+second/.test(rows[1]), rows[1]);
  const [keeper] = await page
    .locator(".list-row.lazy-keeper-grid")
    .allInnerTexts();
  check(/^shared\s+second\s+1\s+0\.030\s+Make lazy there too/.test(keeper), keeper);
  await page.locator(".lazy-below").getByText("Make lazy there too").click();
  await until(
    async () =>
      /shared.*saved/s.test((await lines(page, "Modules below")).join("\n")),
    "shared is saved",
  );
  await page.reload();
  await page.locator(".lazy-sentence").waitFor();
  check(/shared%40second/.test(page.url()), page.url());
  await page.getByText("Copy as Python").click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  check(
    copied.includes("# second: ") && copied.includes("lazy import shared"),
    copied,
  );
  await page.goBack();
  await until(
    async () =>
      /shared.*still imported/s.test((await lines(page, "Modules below")).join("\n")),
    "Back unticks",
  );
});

test("what_if: a plain log does not know", async ({ pages, demo }) => {
  const page = await pages.open(
    `${demo.url}#/run/${demo.demo.get("awscli.log").id}/lazy`,
  );
  const first = page.locator(".lazy-choice-grid input").first();
  await first.click();
  await page.locator(".notice.is-warning").waitFor();
  const said = await page.locator(".notice.is-warning").innerText();
  check(/Unknown/.test(said) && /--importers/.test(said), said);
  equal(await first.isChecked(), true, "the tick");
});

test("what_if: who imports it does not count who loaded it", async ({
  pages,
  demo,
}) => {
  const [run] = demo.run("add", join(GOLDEN, "ok_importers.log"), "--json");
  const said = async (id) => {
    const page = await pages.open(
      `${demo.url}#/run/${run.id}/who-imports?module=${id}`,
    );
    await page.locator(".who-sentence").waitFor();
    await page.getByText("All imports of this module").waitFor();
    return page.locator(".who-sentence").innerText();
  };
  const shared = await said(3);
  check(/imported 1 more time\./.test(shared), shared);
  const first = await said(4);
  check(/No other module imported it/.test(first), first);
});

test("what_if: the total, the line to change, and all candidates at once", async ({ pages, demo }) => {
  const { id } = demo.demo.get("awscli.log");
  const answer = async (query) => (await fetch(`${demo.url}api/v1/runs/${id}/what_if${query}`)).json();
  const { suggestions, before_us } = await answer("");
  const lazy = suggestions.map((one) => one.lazy).join();
  const { saving_us } = await answer(`?limit=0&lazy=${encodeURIComponent(lazy)}`);
  const page = await pages.open(`${demo.url}#/run/${id}/lazy`);
  const sentence = page.locator(".who-sentence");
  await sentence.getByRole("button", { name: "Tick all" }).waitFor();
  const said = (await sentence.innerText()).replaceAll("\u202f", " ");
  const seconds = (us) => (us < 1e6 ? `${(us / 1e3).toFixed(1)} ms` : `${(us / 1e6).toFixed(3)} s`);
  check(said.includes(`${seconds(before_us)}. Importing all ${suggestions.length} packages below`), said);
  check(said.includes(`up to ${seconds(saving_us.high)}`), said);
  const [module, importer] = suggestions[0].lazy.split(",")[0].split("@");
  const first = await page.locator(".list-row.lazy-choice-grid").first().innerText();
  check(first.includes(`import ${module} in ${importer}`), first);
  await sentence.getByRole("button", { name: "Tick all" }).click();
  await page.locator(".lazy-sentence").waitFor();
  equal(await page.locator(".lazy-choice-grid input:checked").count(), suggestions.length, "ticks");
  const after = await page.locator(".lazy-bars b").last().innerText();
  equal(after.replaceAll("\u202f", " "), seconds(before_us - saving_us.high), "time with lazy imports");
});
