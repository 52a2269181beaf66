import { expect, it } from 'vitest';
import { graphView } from '../../../../src/client/graphs/graph-state.js';
import { runFake } from '../../../support/fake-host.js';
import { logPageOf } from '../../../support/log-page-of.js';

const source = `
  local inner = Graph { name = "inner", channels = { n = Graph.last }, nodes = {
    only = function() return { writes = { n = 1 }, ledger = { { topic = "t", key = "inner" } }, intents = { { type = "say" } } } end,
  } }
  local outer = Graph { name = "outer", channels = { n = Graph.last }, nodes = {
    first = function() inner({}) return { next = "second" } end,
    second = function() return { ledger = { { topic = "t", key = "outer" } }, intents = { { type = "say", payload = 2 } } } end,
  } }
  Procedure { function() outer({}) outer({}) end }`;

const page = logPageOf(runFake(source).program.log.entries);

it('has the snapshots of graphs that no node has called, one call after the other; all of them where they are wanted', () => {
  const stepsOf = (all: boolean): string[] =>
    graphView(page, [], all).snapshots.map(
      ({ graph, thread, metadata }) => `${graph} ${thread} ${metadata.step}`,
    );
  expect(stepsOf(false)).toEqual([
    ...['outer run 0', 'outer run 1', 'outer run 2'],
    ...['outer run/1 0', 'outer run/1 1', 'outer run/1 2'],
  ]);
  expect(stepsOf(true)).toHaveLength(10);
});

it('has the events and the intents of all of them, each under a key of its own', () => {
  const { ledger, intents } = graphView(page, []);
  expect(ledger.map(({ key, step }) => `${key} ${step}`)).toEqual([
    'inner 1',
    'outer 2',
    'inner 1',
    'outer 2',
  ]);
  expect(intents.map(({ key, payload }) => [key, payload])).toEqual([
    ['run/0.0.1.0.0.0.0/1/0', null],
    ['run/2/0', 2],
    ['run/1.0.1.0.0.0.0/1/0', null],
    ['run/1/2/0', 2],
  ]);
  expect(intents.map(({ status, attempts }) => [status, attempts])).toEqual(Array(4).fill(['sent', 1]));
});
