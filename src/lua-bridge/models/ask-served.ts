import { jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { ModelRunResult, ServedModel } from '../../contract/predictions/served-model.js';
import { PerRun } from '../kernel/per-run.js';
import type { Bridge } from '../kernel/bridge.js';
import type { Step } from '../scheduler/native.js';

/** Questions of one activity, at most. */
export const usualBatch = 1_000;
/** And bytes of them, as JSON: far below what the server takes. */
const batchBytes = 1_000_000;

/** What each model said it was when the run first asked it. */
const versions = new PerRun(() => new Map<string, string>());

export interface ServedAnswer {
  outputs: JsonValue[];
  /** US dollars; null: no price is known. */
  cost: number | null;
  version: string | null;
}

/**
 * Asks a model of a worker about all inputs, in order: one activity for as many as go together.
 * @param most questions in one activity
 */
export function* askServed(
  bridge: Bridge,
  backend: ServedModel,
  name: string,
  inputs: readonly JsonValue[],
  most = usualBatch,
): Generator<Step, ServedAnswer, unknown> {
  const outputs: JsonValue[] = [];
  let cost: number | null = null;
  let version: string | null = null;
  while (outputs.length < inputs.length) {
    const asked = firstOf(inputs.slice(outputs.length, outputs.length + most));
    const effect = { kind: 'run_model', run: { model: name, backend, inputs: asked } } as const;
    const answer = (yield { effect: { type: 'model_predict', name, effect } }) as ModelRunResult;
    outputs.push(...answer.outputs.slice(0, asked.length));
    if (answer.cost !== null) cost = (cost ?? 0) + answer.cost;
    version = answer.version;
    noticeChange(bridge, name, version);
  }
  return { outputs, cost, version };
}

/** As many as one activity is told of: one at least. */
function firstOf(inputs: readonly JsonValue[]): JsonValue[] {
  let bytes = 0;
  const fits = inputs.findIndex((input, i) => {
    bytes += jsonSize(input);
    return i > 0 && bytes > batchBytes;
  });
  return fits === -1 ? [...inputs] : inputs.slice(0, fits);
}

/** What was predicted stands; that later predictions are another model's is said. */
function noticeChange(bridge: Bridge, name: string, version: string | null): void {
  if (version === null) return;
  const known = versions.of(bridge);
  const before = known.get(name);
  known.set(name, version);
  if (before === undefined || before === version) return;
  const message = `The model ${name} is another one than this run has asked before`;
  bridge.show({ kind: 'log', level: 'warning', message, context: { model: name, before, now: version } });
}
