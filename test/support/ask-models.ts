import type { JsonValue } from '../../src/contract/json/json.js';
import { historiesOf } from './histories.js';
import { procedureOf } from './procedure-source.js';
import type { TestServer } from './test-server.js';

/** A model as it is declared, and what it is asked. */
export interface ModelCase {
  model: string;
  input: JsonValue;
}

export interface AskedModels {
  /** What each gives, or the message of its error. */
  said: JsonValue[];
  /** Type of the activity's failure, and its attempts, by message. */
  failures: Map<string, { code: string; attempts: number }>;
}

/** What models give, or why they give nothing, asked one after the other in one run. */
export async function askModels(server: TestServer, cases: readonly ModelCase[]): Promise<AskedModels> {
  const calls = cases.map(
    ({ model }, i) => `ok, what = pcall(function() return model ${model} (input.all[${i + 1}].input) end)
      said[${i + 1}] = ok and what or tostring(what)`,
  );
  const source = procedureOf(`local ok, what\nlocal said = {}\n${calls.join('\n')}\nreturn said`);
  const run = await server.tactus.start(source, { all: cases.map(({ input }) => ({ input })) });
  const said = (await run.result()) as JsonValue[];
  const failures: AskedModels['failures'] = new Map();
  for (const { events } of await historiesOf(server.client, run.runId)) {
    for (const { activityTaskFailedEventAttributes: failed } of events ?? []) {
      const started = events?.find(({ eventId }) => String(eventId) === String(failed?.startedEventId));
      const attempts = started?.activityTaskStartedEventAttributes?.attempt ?? 0;
      const code = failed?.failure?.applicationFailureInfo?.type ?? '';
      if (failed) failures.set(failed.failure?.message ?? '', { code, attempts });
    }
  }
  return { said, failures };
}
