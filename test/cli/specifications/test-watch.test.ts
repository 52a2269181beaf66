import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliFolder, type CliFolder } from '../../support/cli-folder.js';

let folder: CliFolder;
beforeAll(() => {
  folder = cliFolder();
});
afterAll(() => folder?.close());

const source = (gives: number): string =>
  `Procedure { function() File.write("out.txt", "x") return ${gives} end }
Specification[[
Feature: F
  Scenario: it gives two
    When the procedure runs
    Then the output should be 2
]]
`;

it('test --watch runs again when a source changes, whatever is wrong with it, and by nothing that a run writes', async () => {
  folder.write('a.tac', source(1).replace('Then the output should be 2', 'Then the output should exist'));
  const terminal = folder.terminal(['test', 'a.tac', '--mock', '--watch']);
  await terminal.shows('1 passed, 0 failed');
  await terminal.shows('Waiting for a change');
  folder.write('a.tac', 'Procedure {');
  await terminal.shows('a.tac has changed');
  await terminal.shows('unexpected symbol near <eof>');
  await terminal.shows('Waiting for a change', 2);
  folder.write('a.tac', source(1).replace('Then the output should be 2', 'Then the procedure should fail'));
  await terminal.shows('0 passed, 1 failed');
  await terminal.shows('Waiting for a change', 3);
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(130);
  expect(terminal.screen().match(/has changed/g)).toHaveLength(2);
});

it('has no end, so no one document either', async () => {
  folder.write('b.tac', source(2));
  expect((await folder.runHere(['test', 'b.tac', '--watch', '--json'])).code).toBe(2);
});
