import { describe, expect, it } from 'vitest';
import {
  superStepGroups,
  superStepTitle,
  type SteppedRun,
  type SuperStepGroup,
} from '../../../../src/contract/graphs/super-step-groups.js';
import type { HumanRequest } from '../../../../src/contract/people/human-request.js';
import { fakeProgram, runFake } from '../../../support/fake-host.js';
import { logPageOf } from '../../../support/log-page-of.js';

const source = `
  local inner = Graph { name = "inner", channels = { n = Graph.last }, nodes = {
    only = function() return { writes = { n = 1 } } end,
  } }
  main = Graph { channels = { notes = Graph.append }, entrypoint = "plan", nodes = {
    plan = function() return { writes = { notes = { "begun" } }, next = { "left", "right" } } end,
    left = function()
      inner({})
      return { writes = { notes = { "l" } }, next = "ask", ledger = { { topic = "t", key = "a" }, { topic = "t", key = "b" } } }
    end,
    right = function() return { intents = { { type = "say", payload = 1 } }, next = "bad" } end,
    ask = function() return { writes = { notes = { Graph.interrupt("send?", { n = 1 }) } } } end,
    bad = function() Sleep(1) error("out of luck") end,
  } }`;

const before = { pending: [], waits: [], isOver: false } as const;

function entriesOf(text = source): SteppedRun['entries'] {
  return logPageOf(runFake(text).program.log.entries).execution_log;
}

/** A log up to where the third super-step begins: the branch that sends has sent nothing. */
function entriesBefore(): SteppedRun['entries'] {
  const program = fakeProgram(source);
  while (program.turn().kind === 'slice');
  return logPageOf(program.log.entries).execution_log;
}

const linesOf = (groups: readonly SuperStepGroup[]): string[] =>
  groups.map((group) => {
    const nodes = group.nodes.map(({ node, status, writes }) =>
      `${node} ${status} ${Object.keys(writes).join()}`.trim(),
    );
    return [`${group.graph} ${superStepTitle(group)}`, group.status, ...nodes].join(' / ');
  });

const request = (position: string, message: string): HumanRequest =>
  ({ id: `run/${position}`, position, message, context: { n: 1 } }) as unknown as HumanRequest;

describe('super-steps of a log', () => {
  it('have the nodes that ran, what each wrote, and what failed', () => {
    const groups = superStepGroups({ ...before, entries: entriesOf(), isOver: true });
    expect(linesOf(groups)).toEqual([
      'main super-step 0: input / completed',
      'main super-step 1: plan / completed / plan completed notes',
      'inner super-step 0: input / completed',
      'inner super-step 1: only / completed / only completed n',
      'main super-step 2: left, right / completed / left completed notes / right completed',
      'main super-step 3: ask, bad / failed / ask completed notes / bad failed',
    ]);
    expect(groups.map(({ ledger }) => ledger)).toEqual([0, 0, 0, 0, 2, 0]);
    expect(groups[4]?.intents).toMatchObject([{ key: 'run/2/0', type: 'say', payload: 1, status: 'sent' }]);
    const [ask, bad] = groups[5]?.nodes ?? [];
    expect(ask?.interrupts).toEqual([{ node: 'ask', reason: 'send?', payload: { n: 1 } }]);
    expect(bad?.error).toContain('out of luck');
  });

  it('have the one that is under way last, with what its nodes wait for', () => {
    const waits = [
      { position: '0.0.3.0.0.0.0', kind: 'human', name: 'send?', since: '' },
      { position: '0.0.3.0.1.0.0', kind: 'time', name: 'sleep 1s', since: 'then' },
    ] as const;
    const pending = [request('0.0.3.0.0.0.0', 'send?'), request('7', 'elsewhere')];
    const run = { entries: entriesBefore(), pending, waits, isOver: false };
    const open = superStepGroups(run).at(-1);
    expect(open).toMatchObject({
      position: '0.0.3',
      graph: 'main',
      thread: 'run',
      step: 3,
      status: 'waiting',
    });
    expect(open?.nodes).toMatchObject([
      {
        node: 'ask',
        status: 'waiting',
        interrupts: [{ reason: 'send?', request: 'run/0.0.3.0.0.0.0' }],
        waits: [],
      },
      { node: 'bad', status: 'waiting', waits: [{ kind: 'time', name: 'sleep 1s', since: 'then' }] },
    ]);

    const working = [{ position: '0.0.3.0.1.0.0', kind: 'activity', name: 'till', since: '' }] as const;
    const busy = superStepGroups({ ...run, waits: working }).at(-1);
    expect([busy?.status, busy?.nodes.map(({ status }) => status)]).toEqual([
      'running',
      ['waiting', 'running'],
    ]);
  });

  it('stop where the run has ended, and its intents fail that were not sent', () => {
    const entries = entriesBefore();
    const intentOf = (groups: readonly SuperStepGroup[]): string | undefined =>
      groups.flatMap(({ intents }) => intents)[0]?.status;
    expect(intentOf(superStepGroups({ ...before, entries }))).toBe('waiting');
    const groups = superStepGroups({ ...before, entries, isOver: true });
    expect(intentOf(groups)).toBe('failed');
    expect(linesOf(groups).at(-1)).toBe('main super-step 3: ask, bad / stopped / ask stopped / bad stopped');
  });

  it('are known by their places alone where the content of a run is not shown', () => {
    const entries = entriesOf().map((entry) => ({ ...entry, name: entry.type, input: null, result: null }));
    expect(linesOf(superStepGroups({ ...before, entries })).slice(3)).toEqual([
      'null super-step 1 / completed',
      'null super-step 2 / completed',
      'null super-step 3 / failed',
    ]);
  });

  it('are none where no graph has run', () => {
    expect(superStepGroups({ ...before, entries: entriesOf('checkpoint(function() return 1 end)') })).toEqual(
      [],
    );
  });
});
