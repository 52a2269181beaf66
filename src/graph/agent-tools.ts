import { lineOf } from '../validation/syntax/ast.js';
import type { Declared } from '../validation/program/declared.js';
import type { Parts } from './draw-function.js';
import { toolsOf, type Given } from './given-tools.js';

/** The agents that have tools, each with what it may call; a turn leads to its agent. */
export function drawAgentTools(parts: Parts, turns: readonly { from: string; agent: Declared }[]): void {
  const { canvas, program, modelOf } = parts;
  const agents = program.declared
    .filter(({ kind }) => kind === 'agent')
    .map((agent) => ({ agent, tools: toolsOf(agent, program) }))
    .filter(({ tools }) => tools.length > 0);
  const [first] = agents;
  if (first === undefined) return;
  const drawn = new Map<unknown, string>();
  const draw = (given: Given): string => {
    // One that is named in several places is drawn once.
    const key = given.declared ?? given.label;
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const place = { file: given.file.name, line: lineOf(given.node) };
    const exit = canvas.node(given.kind, given.label, place, []);
    drawn.set(key, exit.from);
    if (given.declared !== null) parts.link(exit, { declared: given.declared });
    for (const member of given.members) canvas.edge(exit.from, draw(member), 'tools', 'holds');
    return exit.from;
  };
  const place = { file: first.agent.file.name, line: lineOf(first.agent.call.node) };
  canvas.grouped('agents', 'agents and their tools', place, () => {
    for (const { agent, tools } of agents) {
      const name = agent.name ?? agent.variable?.name ?? 'without a name';
      const at = { file: agent.file.name, line: lineOf(agent.call.node) };
      const { from } = canvas.node('agent', `agent ${name} · ${modelOf(agent)}`, at, []);
      for (const tool of tools) canvas.edge(from, draw(tool), 'tools', 'may call');
      for (const turn of turns) if (turn.agent === agent) canvas.edge(turn.from, from, 'call', null);
    }
  });
}
