import { lineOf, type Node } from '../validation/syntax/ast.js';
import type { Exit } from './canvas.js';
import type { Parts } from './draw-function.js';
import { short } from './labels.js';
import type { WrittenGraph, WrittenNode } from './written-graphs.js';

/** Draws a graph that runs in super-steps: its nodes, and whom each names. Gives the node that it starts with. */
export function drawGraph(parts: Parts, { name, file, call, nodes }: WrittenGraph): string {
  const { canvas, reach, link } = parts;
  const placeOf = (node: Node): { file: string; line: number } => ({ file: file.name, line: lineOf(node) });
  return canvas.grouped('graph', short(`graph ${name}`), placeOf(call), () => {
    const start = canvas.node('start', name, placeOf(call), []);
    const drawn = new Map<string, { exit: Exit; index: number }>();
    nodes.forEach((node, index) => {
      const exit = canvas.node('graph_node', labelOf(node), placeOf(node.value), index === 0 ? [start] : []);
      drawn.set(node.name, { exit, index });
      if (node.body !== null && reach.does(node.body.body, node.body.file))
        link(exit, { function: node.body });
    });
    nodes.forEach(({ name: node, next }, index) => {
      for (const each of next) {
        const [from, to] = [drawn.get(node), drawn.get(each)];
        if (from !== undefined && to !== undefined)
          canvas.edge(from.exit.from, to.exit.from, to.index <= index ? 'back' : 'flow', null);
      }
    });
    const exits = nodes.flatMap((node) => {
      const found = drawn.get(node.name);
      return found === undefined ? [] : [{ node, exit: found.exit }];
    });
    const computed = exits.find(({ node }) => node.isReached && node.isComputed);
    for (const { node, exit } of exits)
      if (!node.isReached)
        canvas.edge(
          (computed?.exit ?? start).from,
          exit.from,
          'flow',
          computed === undefined ? 'never named' : 'may name',
        );
    const ends = exits.flatMap(({ node, exit }) => (node.mayEnd ? [exit] : []));
    if (ends.length > 0) canvas.node('end', 'end', { file: file.name, line: call.loc?.end.line ?? 1 }, ends);
    return start.from;
  });
}

function labelOf({ name, use, isComputed }: WrittenNode): string {
  const facts = [...(use === null ? [] : [use]), ...(isComputed ? ['names others as it runs'] : [])];
  return short([name, ...facts].join(' · '));
}
