/** What WINK tells a model of planning tools, for each of its strategies, and what its document on recovery wants besides. */
export const strategies = ['react', 'plan_act_reflect', 'goal_decompose_route_synthesise'] as const;
export type Strategy = (typeof strategies)[number];

const rhythms: Readonly<Record<Strategy, string>> = {
  react: '',
  plan_act_reflect:
    'Follow a plan-act-reflect rhythm: outline the entire plan before executing any tools, then work through the steps.\n' +
    'After each tool call or completed step, update the step status.\n',
  goal_decompose_route_synthesise:
    'Begin by restating the goal in your own words to ensure the objective is clear.\n' +
    'Break the goal into concrete sub-problems before routing tools to each one.\n' +
    'When every tool has run, synthesise the results into a cohesive answer.\n',
};

const tools = `- Start with \`planning_setup_plan\` to set an objective and optional steps.
- Add more steps with \`planning_add_step\`.
- Update step title or status with \`planning_update_step\`.
- Check progress with \`planning_read_plan\`.
- Step IDs are integers (1, 2, 3...).
- Plan completes automatically when all steps are done.
Skip planning for trivial single-step tasks.`;

const requirement = `## Planning Requirement

For tasks with multiple steps or any complexity:
1. Always start with \`planning_setup_plan\` to define the objective
2. Break work into discrete steps
3. Mark steps as \`done\` when complete
4. Progress is saved automatically when steps complete

Skipping planning means progress cannot be saved if interrupted.`;

/** What stands in the system prompt of an agent that has the planning tools. */
export function planningGuidance(strategy: Strategy): string {
  const section = `Use planning tools for multi-step or stateful work.\n${rhythms[strategy]}${tools}`;
  return `## Planning Tools\n\n${section}\n\n${requirement}`;
}
