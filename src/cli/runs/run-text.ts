import { describeRun, endOf, type RunReport, type TactusRun } from '../../client/index.js';
import type { RunView } from '../../contract/runs/run-view.js';
import { usageTexts } from '../../contract/models/model-call.js';
import { jsonText, placeText, type Screen } from '../command.js';
import { procedureName, type ProcedureSource } from '../../contract/procedures/source.js';

/** A run's output as people read it: a text as it is, everything else as JSON. */
export function outputText({ status, output }: RunView): string {
  if (status !== 'completed') return '';
  return typeof output === 'string' ? output : jsonText(output, 2);
}

/** One line about how a run stands. */
export function summaryText(view: RunView, { paint }: Screen): string {
  const { status, run_id, checkpoints, usage, started_at, closed_at } = view;
  const name = status.replaceAll('_', ' ');
  const colored =
    status === 'completed' ? paint.green(name) : view.error === null ? paint.cyan(name) : paint.red(name);
  const parts = [`${checkpoints} checkpoint${checkpoints === 1 ? '' : 's'}`, ...usageTexts(usage)];
  if (closed_at !== null)
    parts.push(`${((Date.parse(closed_at) - Date.parse(started_at)) / 1_000).toFixed(1)} s`);
  return `${colored} ${run_id} ${paint.dim(`· ${parts.join(' · ')}`)}`;
}

/** Why a run failed, with the Lua line and traceback. */
export function errorText({ error }: RunView, { paint }: Screen): string {
  if (error === null) return '';
  const { code, message, traceback } = error;
  return [
    `${paint.red(code)} ${message}${placeText(error)}`,
    ...(traceback === null ? [] : [paint.dim(traceback)]),
  ].join('\n');
}

/** What was said to agents of which none has heard it: `said to writer by ann, not heard yet: In French`. */
export function unheardTexts({ unheard = [], closed_at }: RunView): string[] {
  return unheard.map(({ message, agent, by }) => {
    const to = agent ?? 'whoever asks a model next';
    const yet = closed_at === null ? 'not heard yet' : 'never heard';
    return `said to ${to}${by === undefined ? '' : ` by ${by}`}, ${yet}: ${message}`;
  });
}

/** What can't be told of a run, and why. */
export function incompleteText({ incomplete }: RunReport, { paint }: Screen): string {
  return incomplete === undefined ? '' : `${paint.yellow('incomplete')} ${incomplete}`;
}

/** What `start` and `run --detach` answer: the document, and its text. */
export async function startedText(run: TactusRun, source: ProcedureSource): Promise<[object, () => string]> {
  const status = endOf((await describeRun(run)).status.name) ?? 'running';
  return [{ run_id: run.runId, procedure: procedureName(source), status }, () => run.runId];
}
