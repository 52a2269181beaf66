import type { LogEntryView, LogPage } from '../../contract/runs/run-view.js';
import { mermaidLabel } from '../../graph/graph-mermaid.js';

/** The log as a table: position, type, name, time, source line, and the error or what else is to be known of it. */
export function logText({ execution_log }: LogPage): string {
  if (execution_log.length === 0) return 'nothing yet';
  const rows = execution_log.map((entry) => [
    entry.position,
    entry.type,
    short(entry.name, 60),
    timeOf(entry),
    placeOf(entry),
    short(entry.error ?? (entry.early === true ? 'answered before it was asked' : ''), 100),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The log as a flow chart in Mermaid's language, from its first checkpoint to the last. */
export function logMermaid({ procedure_id, execution_log, status }: LogPage): string {
  const lines = ['flowchart TD', `  start([${mermaidLabel(procedure_id)}])`];
  let before = 'start';
  for (const [index, entry] of execution_log.entries()) {
    const node = `n${index}`;
    const text = mermaidLabel(
      `${entry.position} ${entry.type} · ${short(entry.name, 60)} · ${timeOf(entry)}`,
    );
    lines.push(
      entry.type.startsWith('hitl_') ? `  ${node}{{${text}}}` : `  ${node}[${text}]`,
      `  ${before} --> ${node}`,
    );
    if (entry.status === 'failed') lines.push(`  style ${node} stroke:#c00`);
    before = node;
  }
  lines.push(`  over([${mermaidLabel(status)}])`, `  ${before} --> over`);
  return lines.join('\n');
}

function timeOf({ duration_ms }: LogEntryView): string {
  return duration_ms >= 1_000 ? `${(duration_ms / 1_000).toFixed(1)} s` : `${duration_ms} ms`;
}

function placeOf({ source }: LogEntryView): string {
  return source === null ? '' : `${source.file}:${source.line}`;
}

function short(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
