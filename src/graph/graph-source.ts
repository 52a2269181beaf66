import type { ProcedureSource } from '../contract/procedures/source.js';
import type { Diagnostic } from '../validation/index.js';
import { load, readProgram, tooDeep } from '../validation/program/read-program.js';
import { procedureCandidates } from '../validation/program/required-files.js';
import { Canvas } from './canvas.js';
import type { FlowGraph } from './flow-graph.js';
import { ProgramDrawing } from './draw-program.js';

/** The graph, or why there is none: what `validate` says of a source that can't be parsed. */
export type Graphed = { graph: FlowGraph } | { diagnostics: Diagnostic[] };

/** Draws a procedure with all that it requires, calls and runs. The same source gives the same graph. */
export function graphSource(source: ProcedureSource): Graphed {
  const canvas = new Canvas();
  /** The node that each file starts with, as soon as it is drawn; null where it can't be. */
  const starts = new Map<string, string | null>();
  const runs: { from: string; file: string }[] = [];
  const draw = (entry: string): Diagnostic[] => {
    const ownSource = { ...source, entry };
    const { summary, error } = load(ownSource);
    const { program, diagnostics } = readProgram(ownSource, {}, error);
    if (program === null || diagnostics.length > 0) return diagnostics;
    starts.set(entry, null);
    const drawing = new ProgramDrawing(canvas, program, summary, entry === source.entry);
    try {
      starts.set(entry, drawing.draw());
    } catch (thrown) {
      return tooDeep(thrown, ownSource, error).diagnostics;
    }
    for (const { from, name } of drawing.runs) {
      const file = procedureCandidates(name, entry).find((each) => Object.hasOwn(source.files, each));
      if (file !== undefined) runs.push({ from, file });
    }
    return [];
  };
  const diagnostics = draw(source.entry);
  if (diagnostics.length > 0) return { diagnostics };
  for (const { from, file } of runs) {
    // What is wrong with another file, its own graph says.
    if (!starts.has(file)) draw(file);
    const start = starts.get(file) ?? null;
    if (start !== null) canvas.edge(from, start, 'call', 'runs');
  }
  return { graph: { nodes: canvas.nodes, edges: canvas.edges, groups: canvas.groups } };
}
