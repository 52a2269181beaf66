import { describe, expect, it } from 'vitest';
import type { SessionView } from '../../../../src/contract/sessions/session-view.js';
import { converse, toolCall } from '../../../support/converse.js';
import { outputOf, runFake, type FakeOptions } from '../../../support/fake-host.js';

/** A loop of three rounds that ends a step of its plan in each. */
const three = (options = ''): string => `
  Plan.setup { objective = "Publish", initial_steps = { "a", "b", "c" } }
  local n = 0
  local result = DurableLoop { ${options} body = function()
    n = n + 1
    Sleep(60)
    Plan.update { step_id = n, status = "done" }
    if Plan.current().status == "completed" then return { rounds = n } end
  end }
  return result`;

function viewOf(source: string, options: FakeOptions = {}): SessionView {
  return runFake(source, options).program.session();
}

const snapshots = (source: string, options: FakeOptions = {}): string[] =>
  viewOf(source, options).snapshots.map(({ trigger, position }) => `${trigger} ${position}`);

describe('DurableLoop', () => {
  it('calls its body round after round, until it gives something', () => {
    const { program, ended, performed } = runFake(three());
    expect(ended).toEqual({ kind: 'completed', output: { rounds: 3 } });
    expect(performed).toEqual(['sleep 1.0', 'sleep 2.0', 'sleep 3.0']);
    const rounds = program.log.entries.filter(({ type }) => type === 'round');
    expect(rounds.map(({ position, name, outcome }) => [position, name, outcome])).toEqual([
      ['1', 'durable_loop', { ok: true, value: { kept: null, result: null, is_last: false } }],
      ['2', 'durable_loop', { ok: true, value: { kept: null, result: null, is_last: false } }],
      ['3', 'durable_loop', { ok: true, value: { kept: null, result: { rounds: 3 }, is_last: true } }],
    ]);
  });

  it('goes on from its log in the round that it was in', () => {
    const whole = runFake(three());
    for (let length = 0; length <= whole.program.log.entries.length; length++) {
      const again = runFake(three(), { carried: whole.program.log.entries.slice(0, length) });
      expect(again.ended).toEqual(whole.ended);
      // The clock of these tests begins anew, and the snapshots are the same but for it.
      const timeless = ({ snapshots: made, ...rest }: SessionView): unknown => [
        rest,
        made.map(({ at: _, ...each }) => each),
      ];
      expect(timeless(again.program.session())).toEqual(timeless(whole.program.session()));
    }
  });

  it('gives each round the request and the session', () => {
    const source = `local seen = Session.slice("seen")
      return DurableLoop { name = "mine", request = { text = "go" }, body = function(request, session)
        session.slice("seen").append(request.text) request.text = "changed"
        if #seen.all() == 2 then return seen.all() end
      end }`;
    const { program, ended } = runFake(source);
    expect(ended).toEqual({ kind: 'completed', output: ['go', 'go'] });
    expect(program.log.entries.map(({ name, input }) => [name, input])).toEqual([
      ['mine', { request: { text: 'go' } }],
      ['mine', { request: { text: 'go' } }],
    ]);
  });

  it('ends with false as with any other value', () => {
    expect(outputOf('return { DurableLoop { body = function() return false end } }')).toEqual([false]);
  });

  it('ends with an error of its body, and leaves the session as it is', () => {
    const source = `local ok, err = pcall(DurableLoop, { body = function()
        Plan.setup { objective = "a" } error("broken", 0) end })
      return { ok = ok, err = err, plan = Plan.current().objective, after = Session.checkpoint("later") }`;
    expect(outputOf(source)).toEqual({ ok: false, err: 'broken', plan: 'a', after: true });
  });

  it.each([
    ['{}', 'needs body = function(request, session) … end'],
    [
      '{ body = function() end, trigger = 1 }',
      'has no trigger: it has name, request, deadline, checkpoint_on, body',
    ],
    ['{ function() end }', 'has no items'],
    ['{ body = function() end, name = "" }', 'name must be a text'],
    ['{ body = function() end, checkpoint_on = 5 }', 'checkpoint_on must be a list of names'],
    ['{ body = function() end, deadline = 0 }', 'Deadline expires_at must be in the future.'],
    [
      '{ body = function() end, deadline = "2020-01-01T00:00:00Z" }',
      'Deadline expires_at must be in the future.',
    ],
    ['{ body = function() end, deadline = 0.5 }', 'Deadline must be at least one second in the future.'],
    ['{ body = function() end, deadline = "soon" }', 'DurableLoop: deadline'],
    ['5', 'table expected'],
  ])('refuses %s', (given, text) => {
    expect(() => outputOf(`DurableLoop(${given})`)).toThrow(text);
  });
});

describe('the deadline of a loop', () => {
  const endless = `local rounds = 0
    local ok, err = pcall(DurableLoop, { deadline = "2h", body = function() rounds = rounds + 1 Sleep(1) end })
    return { err = err, code = Error.code(err), rounds = rounds }`;

  it('bounds all rounds together', () => {
    // Each answer of the host comes a second after the one before it.
    const source = endless.replace('"2h"', '"5s"');
    expect(outputOf(source)).toEqual({
      err: 'DeadlineExceededError: Deadline expired before evaluation started. It was 2026-01-02T03:04:10.000Z',
      ...{ code: 'deadline_exceeded', rounds: 5 },
    });
  });

  it('is the same moment for a run that goes on with a log', () => {
    const source = endless.replace('"2h"', '"5s"');
    const { program } = runFake(source);
    const carried = program.log.entries.slice(0, 6);
    const error =
      'DeadlineExceededError: Deadline expired before evaluation started. It was 2026-01-02T03:04:10.000Z';
    expect(outputOf(source, { carried })).toMatchObject({ err: error });
    expect(outputOf(source, { carried: program.log.entries })).toMatchObject({ err: error, rounds: 5 });
  });

  it('may be a moment, and holds for loops inside, too', () => {
    const source = `local inner
      local ok, err = pcall(DurableLoop, { deadline = "2026-01-02T03:04:08Z", body = function()
        local _, problem = pcall(DurableLoop, { deadline = "1h", body = function() Sleep(1) end })
        inner = inner or problem
      end })
      return { inner = inner, err = err }`;
    const text = (when: string): string =>
      `DeadlineExceededError: Deadline expired before ${when}. It was 2026-01-02T03:04:08.000Z`;
    expect(outputOf(source)).toEqual({ inner: text('evaluation started'), err: text('evaluation started') });
  });

  it('lets no call of a model or a tool begin past it, and breaks nothing off', () => {
    const source = (call: string): string => `
      look = Tool { function() return "seen" end }
      a = Agent { tools = { look } }
      local ok, err = pcall(DurableLoop, { deadline = "3s", body = function() Sleep(1) Sleep(1) Sleep(1) ${call} end })
      return err`;
    expect(converse(source('a("x")'), [{ text: 'late' }]).output).toBe(
      'DeadlineExceededError: Deadline expired before provider request. It was 2026-01-02T03:04:08.000Z',
    );
    expect(converse(source('look {}'), []).output).toContain(
      "Deadline expired before executing tool 'look'.",
    );
    expect(converse(source('return "late"').replace('return err', 'return { ok, err }'), []).output).toEqual([
      ...[true, 'late'],
    ]);
  });

  it('is not told to a model as what its tool gave', () => {
    const source = `look = Tool { function() Sleep(1) return "seen" end }
      a = Agent { tools = { look } }
      local ok, err = pcall(DurableLoop, { deadline = "2s", body = function() return a("x").text end })
      return err`;
    const answers = [{ toolCalls: [toolCall('look')] }, { toolCalls: [toolCall('look')] }, { text: 'late' }];
    const { output, calls } = converse(source, answers);
    expect(output).toContain('Deadline expired before provider request.');
    expect(calls).toHaveLength(1);
  });
});

describe('snapshots of a loop', () => {
  it('are made when a step of the plan is done', () => {
    const { snapshots: found, ...rest } = viewOf(three());
    expect(found).toEqual([
      {
        at: '2026-01-02T03:04:06.000Z',
        position: '1.1',
        trigger: 'plan_step_done',
        bytes: expect.any(Number) as unknown,
        error: null,
      },
      {
        at: '2026-01-02T03:04:07.000Z',
        position: '2.1',
        trigger: 'plan_step_done',
        bytes: expect.any(Number) as unknown,
        error: null,
      },
      {
        at: '2026-01-02T03:04:08.000Z',
        position: '3.1',
        trigger: 'plan_step_done',
        bytes: expect.any(Number) as unknown,
        error: null,
      },
    ]);
    expect(rest).toMatchObject({
      plan: { status: 'completed' },
      slices: {},
      snapshots_made: 3,
      snapshots_failed: 0,
    });
  });

  const body = `body = function()
      Plan.setup { objective = "a", initial_steps = { "b" } }
      Plan.update { step_id = 1, status = "in_progress" }
      Session.checkpoint("milestone", { n = 1 })
      Session.checkpoint()
      Plan.update { step_id = 1, status = "done" }
      Session.slice("Plan").clear()
      return 1
    end`;

  it.each([
    ['', ['on_demand 0.3', 'plan_step_done 0.4']],
    [
      'checkpoint_on = { "plan_changed" },',
      ['plan_changed 0.0', 'plan_changed 0.1', 'on_demand 0.3', 'plan_changed 0.4', 'plan_changed 0.5'],
    ],
    ['checkpoint_on = { "milestone" },', ['milestone 0.2', 'on_demand 0.3']],
    ['checkpoint_on = "milestone",', ['milestone 0.2', 'on_demand 0.3']],
    [
      'checkpoint_on = { "plan_step_done", "plan_changed" },',
      ['plan_changed 0.0', 'plan_changed 0.1', 'on_demand 0.3', 'plan_step_done 0.4', 'plan_changed 0.5'],
    ],
    ['checkpoint_on = {},', ['on_demand 0.3']],
    [
      'checkpoint_on = function(event) return event.name == "milestone" and event.value.n == 1 or event.step_id == 1 and event.plan.status == "completed" end,',
      ['milestone 0.2', 'on_demand 0.3', 'plan_step_done 0.4'],
    ],
    [
      'checkpoint_on = function(event) return event.action == "setup" end,',
      ['plan_changed 0.0', 'on_demand 0.3'],
    ],
  ])('are made where `%s` says', (options, made) => {
    expect(snapshots(`return DurableLoop { ${options} ${body} }`)).toEqual(made);
  });

  it('are made by the tools of agents, too', () => {
    const source =
      'worker = Agent { toolsets = { PlanningTools() } } return DurableLoop { body = function() return worker("x").text end }';
    const answers = [
      { toolCalls: [toolCall('planning_setup_plan', { objective: 'a', initial_steps: ['b'] })] },
      { toolCalls: [toolCall('planning_update_step', { step_id: 1, status: 'done' })] },
      { text: 'done' },
    ];
    const { program } = converse(source, answers);
    expect(program.session().snapshots.map(({ trigger }) => trigger)).toEqual(['plan_step_done']);
  });

  it('are made where steps are added, if any change of the plan counts', () => {
    const source = `Plan.setup { objective = "a" }
      return DurableLoop { checkpoint_on = "plan_changed", body = function() Plan.add { steps = { "b" } } return 1 end }`;
    expect(snapshots(source)).toEqual(['plan_changed 1.0']);
  });

  it('are none without a plan', () => {
    const source =
      'return DurableLoop { body = function() Sleep(1) Session.slice("s").append(1) return 1 end }';
    expect(snapshots(source)).toEqual([]);
  });

  it('are not made by a call that is refused', () => {
    const source =
      'worker = Agent { toolsets = { PlanningTools() } } return DurableLoop { checkpoint_on = "plan_changed", body = function() return worker("x").text end }';
    const answers = [
      { toolCalls: [toolCall('planning_update_step', { step_id: 9, status: 'done' })] },
      { toolCalls: [toolCall('planning_read_plan', {})] },
      { text: 'done' },
    ];
    expect(converse(source, answers).program.session().snapshots).toEqual([]);
  });

  it('are those of the loop around, and of none outside', () => {
    const source = `Plan.setup { objective = "a", initial_steps = { "b", "c" } }
      Plan.update { step_id = 1, status = "done" }
      DurableLoop { checkpoint_on = { "outer" }, body = function()
        DurableLoop { checkpoint_on = { "inner" }, body = function() Session.checkpoint("inner") Session.checkpoint("outer") Session.checkpoint("none") return 1 end }
        Session.checkpoint("inner")
        return 1
      end }
      Session.checkpoint("alone")`;
    expect(snapshots(source)).toEqual(['inner 2.0.0', 'outer 2.0.1', 'alone 3']);
  });

  it('that cannot be written are counted and shown, and end nothing', () => {
    const source = `Session.slice("s").append(("x"):rep(900)) ${three()}`;
    const { ended, program } = runFake(source, { limits: { payloadBytes: 1_000 } });
    expect(ended).toEqual({ kind: 'completed', output: { rounds: 3 } });
    const { snapshots: found, ...counts } = program.session();
    expect(counts).toMatchObject({ snapshots_made: 0, snapshots_failed: 3 });
    expect(found[0]).toEqual({
      at: '2026-01-02T03:04:06.000Z',
      ...{ position: '1.1', trigger: 'plan_step_done', bytes: null },
      error: expect.stringMatching(/^SnapshotSerializationError: /) as unknown,
    });
    expect(program.shown.map((line) => ('level' in line ? [line.level, line.message] : line))[0]).toEqual([
      'warning',
      expect.stringMatching(/^no snapshot of the session: SnapshotSerializationError: /),
    ]);
  });

  it('whose function fails are counted as well, and end nothing', () => {
    const source = three('checkpoint_on = function(event) error("no idea", 0) end,');
    const { ended, program } = runFake(source);
    expect(ended).toEqual({ kind: 'completed', output: { rounds: 3 } });
    expect(program.session().snapshots[0]).toMatchObject({ error: 'checkpoint_on: no idea', bytes: null });
  });

  it('are known for the newest hundred, and counted for all, in the next pass as well', () => {
    const source = `state.n = (state.n or 0) + 1 for i = 1, 70 do Session.checkpoint() end
      if state.n < 2 then Procedure.continue_as_new() end return 1`;
    const { snapshots: found, snapshots_made: made } = viewOf(source);
    expect([found.length, made, found.at(-1)?.position]).toEqual([100, 140, '140']);
  });

  it.each(['Session.checkpoint("")', 'Session.checkpoint(5)', 'Session.checkpoint(("x"):rep(101))'])(
    'are refused for %s',
    (call) => {
      expect(() => outputOf(call)).toThrow('the name of an event expected, of 1 to 100 characters');
    },
  );
});

it('a loop is not there in runs of an older engine', () => {
  expect(outputOf('return DurableLoop == nil', { engine: 9 })).toBe(true);
});
