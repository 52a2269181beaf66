import { afterAll, beforeAll, expect, it } from 'vitest';
import { comparisonText } from '../../../src/cli/scores/score-commands.js';
import type { JsonObject } from '../../../src/contract/json/json.js';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';
import { waitUntil } from '../../support/wait-until.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
  folder.write('ask.tac', 'function main() return Experiment.variant("tone", {"plain", "warm"}) end');
});
afterAll(() => folder?.close());

const command = (line: string): ReturnType<CliFolder['run']> => folder.runHere(line.split(' '));

it('scores a run after its end, lists the scores and compares, without a worker of its own', async () => {
  const ran = await command('run ask.tac --id one --json');
  const variant = ran.json()['output'] as string;
  expect(ran.json()).toMatchObject({ status: 'completed', variants: { tone: variant } });
  expect((await command('status one')).stdout).toContain(`tone=${variant}`);
  const scored = await command('score one quality 0.5 --by ann --comment short --json');
  expect(scored.json()).toMatchObject({
    scores: [{ name: 'quality', value: 0.5, by: 'ann', comment: 'short' }],
  });
  await command('score one good true');
  const listed = await command('score list one');
  expect(listed.stdout).toMatch(/^quality {2}0.5 {2}\S+ by ann: short\ngood {2}true {2}\S+\n$/);
  for (let i = 2; i < 4; i++) await command(`run ask.tac --id run-${i}`);
  let compared: JsonObject = {};
  await waitUntil(async () => {
    compared = (await command('compare ask --by variant --json')).json();
    return compared['runs'] === 3;
  });
  const groups = compared['groups'] as { group: string; scores: JsonObject }[];
  expect(groups.find(({ group }) => group === `tone=${variant}`)?.scores).toMatchObject({
    quality: { count: 1, mean: 0.5, low: null },
    good: { count: 1, mean: 1 },
  });
  const text = (await command('compare ask --by version')).stdout;
  expect(text).toMatch(
    /^version {2}runs {2}completed {2}failed {2}good .*quality .*cost USD .*seconds .*approved\nnone +3 +3 +0 +1 \[/,
  );
});

it.each([
  ['score one quality good', 2, 'A score is a number, or true or false'],
  ['score one no%name 1', 2, 'its name has letters'],
  ['score nobody quality 1', 2, 'nobody'],
  ['score list nobody', 2, 'nobody'],
  ['compare ask', 2, '--by'],
  ['compare ask --by author', 2, 'version, variant'],
  ['compare ask --by version --limit 10001', 2, '1 to 10000'],
])('%s is refused', async (line, code, message) => {
  expect(await command(line)).toMatchObject({ code, stderr: expect.stringContaining(message) as string });
});

it('has a table of what it has compared', () => {
  const estimate = { count: 3, mean: 0.71234, low: 0.5, high: 0.9 };
  const group = { by_status: { completed: 3 }, cost_usd: null, seconds: estimate };
  const groups = [
    { ...group, group: '1', runs: 3, scores: { q: estimate }, decisions: { decided: 2, approved: 1 } },
    { ...group, group: null, runs: 10, scores: {}, decisions: { decided: 0, approved: 0 } },
  ];
  expect(comparisonText({ name: 'x', by: 'version', runs: 13, is_cut: false, groups })).toBe(
    [
      `version  runs  completed  failed  ${'q'.padEnd(21)}  cost USD  ${'seconds'.padEnd(21)}  approved`,
      '1        3     3          0       0.712 [0.5, 0.9] of 3  -         0.712 [0.5, 0.9] of 3  1 of 2',
      `none     10    3          0       ${'-'.padEnd(21)}  -         0.712 [0.5, 0.9] of 3  -`,
    ].join('\n'),
  );
  expect(comparisonText({ name: 'x', by: 'version', runs: 0, is_cut: false, groups: [] })).toBe('no runs');
});
