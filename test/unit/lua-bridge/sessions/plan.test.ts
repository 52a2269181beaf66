import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../../support/fake-host.js';

/** What a call of `Plan` gives: its results, or its error and the code of that. */
const after = (before: string, call: string): unknown =>
  outputOf(`${before}
    local results = table.pack(pcall(function() return ${call} end))
    return { ok = results[1], plan = results[1] and results[2] or nil, text = results[1] and results[3] or results[2],
      code = not results[1] and Error.code(results[2]) or nil }`);

const faultOf = (before: string, call: string): unknown => {
  const { ok, text, code } = after(before, call) as { ok: boolean; text: string; code?: string };
  return ok ? 'no error' : `${code}: ${text}`;
};

const setup = (steps = '"Draft", "Review"'): string =>
  `Plan.setup { objective = "Publish", initial_steps = { ${steps} } }`;
const step = (id: number, title: string, status = 'pending'): unknown => ({ step_id: id, title, status });

describe('Plan.setup', () => {
  it.each([
    ['', [], 'Plan initialised with 0 steps.'],
    ['"Draft"', [step(1, 'Draft')], 'Plan initialised with 1 step.'],
    ['"Draft", " Review "', [step(1, 'Draft'), step(2, 'Review')], 'Plan initialised with 2 steps.'],
  ])('makes a plan of {%s}', (steps, made, text) => {
    expect(after('', setup(steps))).toEqual({
      ok: true,
      plan: { objective: 'Publish', status: 'active', steps: made },
      text,
    });
  });

  it('takes a plan without steps, and strips its objective', () => {
    expect(after('', 'Plan.setup { objective = "  Publish\\n" }')).toMatchObject({
      plan: { objective: 'Publish', steps: [] },
    });
  });

  it("strips what Python's str.strip strips, and nothing else", () => {
    const between = (mark: string): unknown =>
      outputOf(`return Plan.setup { objective = "${mark}a${mark}b${mark}" }.objective`);
    const stripped =
      '\t \x0b \x0c \x1c \x1d \x1e \x1f \x85 \xa0 \u1680 \u2000 \u200a \u2028 \u2029 \u202f \u205f \u3000';
    for (const mark of stripped.split(' ')) expect(between(mark)).toBe(`a${mark}b`);
    for (const mark of ['\ufeff', '\u200b', '\x1b']) expect(between(mark)).toBe(`${mark}a${mark}b${mark}`);
  });

  it('puts a new plan in the place of another one, and numbers its steps anew', () => {
    const before = `${setup()} Plan.update { step_id = 1, status = "done" }`;
    expect(after(before, 'Plan.setup { objective = "Again", initial_steps = { "One" } }')).toMatchObject({
      plan: { objective: 'Again', status: 'active', steps: [step(1, 'One')] },
    });
  });

  it.each([
    ['{ objective = "  " }', 'Objective must not be empty.'],
    ['{ objective = ("x"):rep(501) }', 'Objective must be <= 500 characters.'],
    ['{ objective = "a", initial_steps = { "ok", " " } }', 'Title must not be empty.'],
    ['{ objective = "a", initial_steps = { ("é"):rep(501) } }', 'Title must be <= 500 characters.'],
    ['{ initial_steps = {} }', 'Missing required field: objective'],
    ['{ objective = 5 }', 'Field objective must be a string, got the number 5'],
    ['{ objective = "a", steps = {} }', 'Unknown field: steps (known are objective, initial_steps)'],
    ['"a"', 'Plan.setup takes a table'],
  ])('refuses %s', (given, text) => {
    expect(faultOf('', `Plan.setup(${given})`)).toBe(`plan_invalid: ${text}`);
    expect(outputOf(`pcall(Plan.setup, ${given}) return Plan.current() == nil`)).toBe(true);
  });

  it('counts characters, and not bytes', () => {
    const steps = '("é"):rep(500), ("😀"):rep(500)';
    expect(after('', `Plan.setup { objective = "a", initial_steps = { ${steps} } }`)).toMatchObject({
      ok: true,
    });
  });
});

describe('Plan.add', () => {
  it.each([
    ['"Ship"', 'Added 1 step.', [step(3, 'Ship')]],
    ['"Ship", " Tell "', 'Added 2 steps.', [step(3, 'Ship'), step(4, 'Tell')]],
  ])('adds {%s}', (titles, text, added) => {
    expect(after(setup(), `Plan.add { steps = { ${titles} } }`)).toEqual({
      ok: true,
      plan: {
        objective: 'Publish',
        status: 'active',
        steps: [step(1, 'Draft'), step(2, 'Review'), ...added],
      },
      text,
    });
  });

  it('numbers the first step of an empty plan 1', () => {
    expect(after(setup(''), 'Plan.add { steps = { "One" } }')).toMatchObject({
      plan: { steps: [step(1, 'One')] },
    });
  });

  it.each([
    ['', '{ "a" }', 'No plan is currently initialised.'],
    [setup(), '{}', 'Provide at least one step to add.'],
    [setup(), '{ "" }', 'Title must not be empty.'],
    [
      `${setup('"a"')} Plan.update { step_id = 1, status = "done" }`,
      '{ "b" }',
      'Plan must be active. Current status: completed.',
    ],
  ])('after `%s` refuses %s', (before, steps, text) => {
    expect(faultOf(before, `Plan.add { steps = ${steps} }`)).toBe(`plan_invalid: ${text}`);
  });
});

describe('Plan.update', () => {
  it.each([
    ['step_id = 2, title = " Proof-read "', [step(1, 'Draft'), step(2, 'Proof-read')]],
    ['step_id = 1, status = "in_progress"', [step(1, 'Draft', 'in_progress'), step(2, 'Review')]],
    ['step_id = 1, title = "Write", status = "done"', [step(1, 'Write', 'done'), step(2, 'Review')]],
  ])('changes %s', (given, steps) => {
    const { plan, text } = after(setup(), `Plan.update { ${given} }`) as { plan: unknown; text: string };
    expect(plan).toEqual({ objective: 'Publish', status: 'active', steps });
    expect(text).toBe(`Step ${given.slice(10, 11)} updated.`);
  });

  it('completes the plan with its last step', () => {
    const before = `${setup()} Plan.update { step_id = 2, status = "done" }`;
    expect(after(before, 'Plan.update { step_id = 1, status = "done" }')).toMatchObject({
      plan: { status: 'completed' },
    });
  });

  it.each([
    ['', 'step_id = 1, status = "done"', 'No plan is currently initialised.'],
    [setup(), 'step_id = 9, status = "done"', 'Step 9 does not exist.'],
    [setup(), 'step_id = 1', 'Provide a new title or status to update a step.'],
    [setup(), 'step_id = 9', 'Provide a new title or status to update a step.'],
    [setup(), 'step_id = 1, title = " "', 'Title must not be empty.'],
    [setup(), 'step_id = 1, title = ("x"):rep(501)', 'Title must be <= 500 characters.'],
    [
      setup(),
      'step_id = 1, status = "finished"',
      'Field status must be one of "pending", "in_progress", "done", got "finished"',
    ],
    [setup(), 'status = "done"', 'Missing required field: step_id'],
    [setup(), 'step_id = "1", status = "done"', 'Field step_id must be an integer, got the string "1"'],
    [
      `${setup('"a"')} Plan.update { step_id = 1, status = "done" }`,
      'step_id = 1, status = "pending"',
      'Plan must be active. Current status: completed.',
    ],
  ])('after `%s` refuses %s', (before, given, text) => {
    expect(faultOf(before, `Plan.update { ${given} }`)).toBe(`plan_invalid: ${text}`);
  });
});

describe('Plan.read', () => {
  it.each([
    ['', 'Retrieved the current plan (no steps recorded).'],
    ['"a"', 'Retrieved the current plan with 1 step.'],
    ['"a", "b"', 'Retrieved the current plan with 2 steps.'],
  ])('gives the plan with {%s}', (steps, text) => {
    expect(after(setup(steps), 'Plan.read()')).toMatchObject({ plan: { objective: 'Publish' }, text });
  });

  it('is an error where there is none; Plan.current is nil', () => {
    expect(faultOf('', 'Plan.read()')).toBe('plan_invalid: No plan is currently initialised.');
    expect(outputOf('return Plan.current() == nil')).toBe(true);
    expect(outputOf(`${setup('"a"')} return Plan.current()`)).toEqual({
      ...{ objective: 'Publish', status: 'active', steps: [step(1, 'a')] },
    });
  });

  it('gives a copy, which nobody can change the plan by', () => {
    const source = `${setup('"a"')} local plan = Plan.current() plan.steps[1].title = "b" plan.objective = nil return Plan.current()`;
    expect(outputOf(source)).toEqual({ objective: 'Publish', status: 'active', steps: [step(1, 'a')] });
  });
});

describe('Plan.progress', () => {
  it('says what is done, and what remains', () => {
    expect(outputOf('return Plan.progress()')).toBe('No progress yet. Create a plan to get started.');
    expect(outputOf(`${setup('')} return Plan.progress()`)).toBe('**Objective**: Publish\n');
    expect(outputOf(`${setup()} return Plan.progress()`)).toBe(
      '**Objective**: Publish\n\n**Remaining:**\n- Draft (pending)\n- Review (pending)',
    );
    const half = `${setup()} Plan.update { step_id = 1, status = "done" } Plan.update { step_id = 2, status = "in_progress" }`;
    expect(outputOf(`${half} return Plan.progress()`)).toBe(
      '**Objective**: Publish\n\n**Completed:**\n- ✓ Draft\n\n**Remaining:**\n- Review (in_progress)',
    );
    expect(outputOf(`${half} Plan.update { step_id = 2, status = "done" } return Plan.progress()`)).toBe(
      '**Objective**: Publish\n\n**Completed:**\n- ✓ Draft\n- ✓ Review\n',
    );
  });
});

describe('changes of a plan', () => {
  const source = `${setup()} pcall(Plan.update, { step_id = 9, status = "done" }) Sleep(1)
    Plan.update { step_id = 1, status = "done" } return Plan.current()`;

  it('are entries of the log; what is refused is none', () => {
    const { program, performed, ended } = runFake(source);
    expect(performed).toEqual(['sleep 1']);
    expect(program.log.entries.map(({ type, name, position }) => `${type} ${name} ${position}`)).toEqual([
      'plan setup 0',
      expect.stringMatching(/^sleep .* 1$/),
      'plan update 2',
    ]);
    const [begun, , updated] = program.log.entries;
    expect(begun?.input).toEqual({
      action: 'setup',
      objective: 'Publish',
      initial_steps: ['Draft', 'Review'],
    });
    expect(updated?.outcome).toEqual({
      ok: true,
      value: { objective: 'Publish', status: 'active', steps: [step(1, 'Draft', 'done'), step(2, 'Review')] },
    });
    const again = runFake(source, { carried: program.log.entries });
    expect([again.performed, again.ended]).toEqual([[], ended]);
  });

  it('are as a log says that was edited', () => {
    const { program } = runFake(source);
    const [begun, ...rest] = program.log.entries;
    if (begun === undefined) throw new Error('nothing was recorded');
    const value = { objective: 'Edited', status: 'active', steps: [step(1, 'x'), step(2, 'y')] };
    const edited = { ...begun, outcome: { ok: true, value: value as never } } as const;
    const { ended } = runFake(`${setup()} return Plan.current()`, { carried: [edited] });
    expect(ended).toEqual({ kind: 'completed', output: value });
    expect(rest).toHaveLength(2);
    const none = { ...begun, outcome: { ok: true, value: 'none' } } as const;
    expect(() => outputOf(`${setup()} return 1`, { carried: [none] })).toThrow(
      'what the log has for the plan is none: "none"',
    );
  });

  it('are shared by branches, in the order in which they ran', () => {
    const branches = `Plan.setup { objective = "x" }
      Parallel { function() Sleep(2) Plan.add { steps = { "late" } } end, function() Plan.add { steps = { "early" } } end }
      return Plan.current().steps`;
    expect(outputOf(branches)).toEqual([step(1, 'early'), step(2, 'late')]);
  });

  it('are not there in runs of an older engine, nor are sessions', () => {
    const names = 'return { plan = Plan == nil, session = Session == nil, tools = PlanningTools == nil }';
    expect(outputOf(names, { engine: 9 })).toEqual({ plan: true, session: true, tools: true });
    expect(outputOf(names)).toEqual({ plan: false, session: false, tools: false });
  });

  it('have names that agents of a file may have: theirs goes before', () => {
    const agents = 'agent("plan", { system_prompt = "x" }) Agent "Session" { system_prompt = "y" }';
    expect(outputOf(`${agents} return { tostring(Plan), tostring(Session) }`)).toEqual(
      outputOf(`${agents} return { tostring(Plan), tostring(Session) }`, { engine: 9 }),
    );
  });
});
