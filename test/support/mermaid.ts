import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createContext, runInContext } from 'node:vm';

/** A flow chart as Mermaid itself has read it. */
export interface ReadChart {
  /** Labels by id, as they are shown. */
  nodes: Map<string, string>;
  groups: Map<string, { label: string; nodes: string[] }>;
  edges: { from: string; to: string; label: string }[];
}

interface Database {
  getVertices(): Map<string, { id: string; text?: string }>;
  getEdges(): { start: string; end: string; text: string }[];
  getSubGraphs(): { id: string; title: string; nodes: string[] }[];
}

interface Mermaid {
  /** Registers the kinds of diagrams at its first call. */
  parse(text: string): Promise<unknown>;
  mermaidAPI: { getDiagramFromText(text: string): Promise<{ type: string; db: Database }> };
}

let loaded: Mermaid | null = null;

/**
 * Reads a chart with Mermaid's own parser.
 * @throws Error with the line where it isn't valid
 */
export async function readMermaid(text: string): Promise<ReadChart> {
  loaded ??= load();
  await loaded.parse(text);
  const { type, db } = await loaded.mermaidAPI.getDiagramFromText(text);
  if (type !== 'flowchart-v2') throw new Error(`a flow chart was expected, not ${type}`);
  const groups = db.getSubGraphs();
  const isGroup = (id: string): boolean => groups.some((each) => each.id === id);
  return {
    nodes: new Map(
      [...db.getVertices().values()]
        .filter(({ id }) => !isGroup(id))
        .map(({ id, text: label = '' }) => [id, shown(label)]),
    ),
    groups: new Map(groups.map(({ id, title, nodes }) => [id, { label: shown(title), nodes }])),
    edges: db
      .getEdges()
      .map(({ start, end, text: label }) => ({ from: start, to: end, label: shown(label) })),
  };
}

/** The parser needs no page: only that there seems to be one. */
function load(): Mermaid {
  const file = createRequire(import.meta.url).resolve('@mermaid-js/tiny');
  const nothing = class {};
  const window = {
    document: { nodeType: 9, createElement: () => ({}) },
    ...{ Element: nothing, Node: nothing, NodeFilter: nothing, HTMLFormElement: nothing },
    ...{ NamedNodeMap: nothing, DOMParser: nothing },
  };
  const context = createContext({ window, console, setTimeout, clearTimeout, structuredClone, URL });
  runInContext(readFileSync(file, 'utf8'), context);
  return context['mermaid'] as Mermaid;
}

/** Mermaid keeps entities in a spelling of its own until it draws them. */
function shown(label: string): string {
  return label.replace(/ﬂ°°(\d+)¶ß/g, (_whole, code: string) => String.fromCharCode(Number(code)));
}
