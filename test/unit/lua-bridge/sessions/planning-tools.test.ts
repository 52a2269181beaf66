import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { converse, toolCall } from '../../../support/converse.js';
import { outputOf } from '../../../support/fake-host.js';

const worker = (tools = 'PlanningTools()', more = ''): string =>
  `${more} worker = Agent { system_prompt = "Work.", toolsets = { ${tools} } } local result = worker("go") return Plan.current()`;

/** What a model is told after each of its calls, one in each round. */
function told(calls: readonly Call[], source = worker()): string[] {
  const answers = calls.map(([name, args], i) => ({ toolCalls: [toolCall(name, args, `call_${i}`)] }));
  const { calls: asked } = converse(source, [...answers, { text: 'done' }]);
  return asked.slice(1).map(({ messages }) => messages.at(-1)?.content ?? '');
}

type Call = readonly [string, JsonValue];
const setup: Call = ['planning_setup_plan', { objective: 'Publish', initial_steps: ['Draft', 'Review'] }];

describe('the planning tools', () => {
  it("have WINK's names, parameters and descriptions", () => {
    const [call] = converse(worker(), [{ text: 'done' }]).calls;
    expect(call?.tools.map(({ name, description }) => [name, description])).toEqual([
      [
        'planning_setup_plan',
        'Create or replace the session plan with an objective and optional initial steps.',
      ],
      ['planning_add_step', 'Append one or more steps to the active plan.'],
      ['planning_update_step', "Update a step's title or status by its ID."],
      ['planning_read_plan', 'Return the latest plan snapshot.'],
    ]);
    const object = (properties: object, required?: string[]): object => ({
      ...{ type: 'object', additionalProperties: false, properties },
      ...(required === undefined ? {} : { required }),
    });
    const titles = (description: string): object => ({
      type: 'array',
      items: { type: 'string' },
      description,
    });
    expect(call?.tools.map(({ parameters }) => parameters)).toEqual([
      object(
        {
          objective: { type: 'string', description: 'Objective the plan should accomplish.' },
          initial_steps: titles('Optional step titles to seed the plan with.'),
        },
        ['objective'],
      ),
      object({ steps: titles('Step titles to add.') }, ['steps']),
      object(
        {
          step_id: { type: 'integer', description: 'Identifier of the step to update.' },
          title: { type: 'string', description: 'New title for the step (optional).' },
          status: {
            type: 'string',
            enum: ['pending', 'in_progress', 'done'],
            description: 'New status: pending, in_progress, or done (optional).',
          },
        },
        ['step_id'],
      ),
      object({}),
    ]);
  });

  it("tell a model WINK's texts, and the plan as WINK writes it", () => {
    expect(
      told([
        setup,
        ['planning_add_step', { steps: ['Ship'] }],
        ['planning_update_step', { step_id: 1, status: 'done', title: null }],
        ['planning_read_plan', {}],
        ['planning_setup_plan', { objective: 'Again' }],
        ['planning_read_plan', {}],
      ]),
    ).toEqual([
      'Plan initialised with 2 steps.\n\nObjective: Publish\nStatus: active\n\n1 [pending] Draft\n2 [pending] Review',
      'Added 1 step.\n\nObjective: Publish\nStatus: active\n\n1 [pending] Draft\n2 [pending] Review\n3 [pending] Ship',
      'Step 1 updated.\n\nObjective: Publish\nStatus: active\n\n1 [done] Draft\n2 [pending] Review\n3 [pending] Ship',
      'Retrieved the current plan with 3 steps.\n\nObjective: Publish\nStatus: active\n\n1 [done] Draft\n2 [pending] Review\n3 [pending] Ship',
      'Plan initialised with 0 steps.\n\nObjective: Again\nStatus: active\n\n<no steps>',
      'Retrieved the current plan (no steps recorded).\n\nObjective: Again\nStatus: active\n\n<no steps>',
    ]);
  });

  it.each<readonly [readonly Call[], string]>([
    [[['planning_read_plan', {}]], 'No plan is currently initialised.'],
    [[['planning_add_step', { steps: ['a'] }]], 'No plan is currently initialised.'],
    [[setup, ['planning_add_step', { steps: [] }]], 'Provide at least one step to add.'],
    [[setup, ['planning_add_step', { steps: [' '] }]], 'Title must not be empty.'],
    [[['planning_setup_plan', { objective: ' ' }]], 'Objective must not be empty.'],
    [[setup, ['planning_update_step', { step_id: 9, status: 'done' }]], 'Step 9 does not exist.'],
    [[setup, ['planning_update_step', { step_id: 1 }]], 'Provide a new title or status to update a step.'],
    [
      [
        setup,
        ['planning_update_step', { step_id: 1, status: 'done' }],
        ['planning_update_step', { step_id: 2, status: 'done' }],
        ['planning_update_step', { step_id: 2, status: 'pending' }],
      ],
      'Plan must be active. Current status: completed.',
    ],
    [
      [setup, ['planning_update_step', { step_id: 1, status: 'finished' }]],
      'Field status must be one of "pending", "in_progress", "done", got "finished"',
    ],
    [[['planning_setup_plan', {}]], 'Missing required field: objective'],
  ])('after %j tell it: %s', (calls, text) => {
    expect(told(calls).at(-1)).toBe(JSON.stringify({ error: text }));
  });

  it('are entries of the log, with the change of the plan inside', () => {
    const { program, output } = converse(worker(), [{ toolCalls: [toolCall(...setup)] }, { text: 'done' }]);
    expect(output).toMatchObject({ objective: 'Publish' });
    const found = program.log.entries.map(({ type, name, position }) => `${type} ${name} ${position}`);
    expect(found).toContain('plan setup 0.1.0');
    expect(found).toContain('tool_call planning_setup_plan 0.1');
  });

  it('are called by procedures, too, and counted', () => {
    const source = `PlanningTools() local setup = Tool.get("planning_setup_plan")
      local text = setup { objective = "a" }
      local ok, err = pcall(setup, { objective = "" })
      return { text = text, called = Tool.called("planning_setup_plan"), err = err, code = Error.code(err) }`;
    expect(outputOf(source)).toEqual({
      text: 'Plan initialised with 0 steps.\n\nObjective: a\nStatus: active\n\n<no steps>',
      ...{ called: true, err: 'Objective must not be empty.', code: 'tool_failed' },
    });
  });

  it('change the plan in a mocked turn as well', () => {
    const source = `Mocks { worker = { tool_calls = { { tool = "planning_setup_plan", args = { objective = "mocked" } } }, message = "ok" } }
      ${worker()}`;
    expect(outputOf(source, { mock: { all: true, agents: {}, results: {}, people: null } })).toMatchObject({
      objective: 'mocked',
    });
  });

  it('are beside the code of an agent that writes code', () => {
    const source = 'a = Agent { code_mode = true, toolsets = { PlanningTools() } } a("x")';
    const [call] = converse(source, [{ text: 'done' }]).calls;
    expect(call?.tools.map(({ name }) => name)).toEqual([
      'run_procedure',
      ...['planning_setup_plan', 'planning_add_step', 'planning_update_step', 'planning_read_plan'],
    ]);
  });
});

describe('a system prompt that is a function', () => {
  const source = `worker = Agent { system_prompt = function(session, ...)
        local plan = session and session.slice("Plan").latest()
        return (plan and plan.objective or "none") .. " " .. select("#", ...)
      end }
    Session = nil
    worker("one") Plan.setup { objective = "Publish" } worker("two")`;
  const prompts = (engine?: number): unknown[] =>
    converse(source, [], engine === undefined ? {} : { engine }).calls.map(({ system }) => system);

  it('is given the session, anew in each turn', () => {
    expect(prompts()).toEqual(['none 0', 'Publish 0']);
  });

  it('was given nothing in runs of an older engine', () => {
    expect(prompts(9)).toEqual(['none 0']);
  });
});

describe('what an agent is told of planning', () => {
  const systemOf = (tools: string, more = ''): string =>
    converse(worker(tools, more), [{ text: 'done' }]).calls[0]?.system ?? '';

  it.each([
    ['PlanningTools()', ''],
    ['PlanningTools { strategy = "react" }', ''],
    [
      'PlanningTools { strategy = "plan_act_reflect" }',
      'Follow a plan-act-reflect rhythm: outline the entire plan before executing any tools, then work through the steps.\n' +
        'After each tool call or completed step, update the step status.\n',
    ],
    [
      'PlanningTools { strategy = "goal_decompose_route_synthesise" }',
      'Begin by restating the goal in your own words to ensure the objective is clear.\n' +
        'Break the goal into concrete sub-problems before routing tools to each one.\n' +
        'When every tool has run, synthesise the results into a cohesive answer.\n',
    ],
  ])('by %s', (tools, rhythm) => {
    expect(systemOf(tools)).toBe(`Work.

## Planning Tools

Use planning tools for multi-step or stateful work.
${rhythm}- Start with \`planning_setup_plan\` to set an objective and optional steps.
- Add more steps with \`planning_add_step\`.
- Update step title or status with \`planning_update_step\`.
- Check progress with \`planning_read_plan\`.
- Step IDs are integers (1, 2, 3...).
- Plan completes automatically when all steps are done.
Skip planning for trivial single-step tasks.

## Planning Requirement

For tasks with multiple steps or any complexity:
1. Always start with \`planning_setup_plan\` to define the objective
2. Break work into discrete steps
3. Mark steps as \`done\` when complete
4. Progress is saved automatically when steps complete

Skipping planning means progress cannot be saved if interrupted.`);
  });

  it.each([
    ['{ name = "planning", include = { "planning_read_plan" } }', 'planning = PlanningTools()'],
    ['Toolset.combine(planning, PlanningTools())', 'planning = PlanningTools()'],
    [
      'Toolset.filter(planning, function(name) return name ~= "planning_add_step" end)',
      'planning = PlanningTools()',
    ],
  ])('once, by %s', (tools, more) => {
    expect(systemOf(tools, more).split('## Planning Tools')).toHaveLength(2);
  });

  it.each([
    ['PlanningTools { strategy = "guess" }', 'strategy must be one of "react", "plan_act_reflect"'],
    ['PlanningTools { mode = "react" }', 'PlanningTools takes a table with strategy'],
    ['PlanningTools("react")', 'PlanningTools takes a table with strategy'],
  ])('%s is an error', (source, text) => {
    expect(() => outputOf(source)).toThrow(text);
  });
});
