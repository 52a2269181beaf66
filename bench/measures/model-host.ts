import { join } from 'node:path';
import { createModelHost } from '../../dist/activities/index.js';
import type { JsonValue } from '../../dist/contract/json/json.js';
import type { Subject } from '../models/subjects.ts';
import { inRotation, timed } from './compare.ts';

/** Times in ms of the library alone, and through the process that has the models. */
export interface BesideLibrary {
  alone: number[];
  here: number[];
}

/** So many inputs in one question, asked again and again, in turns. */
export async function measureHost(
  folder: string,
  { type, path, input, alone }: Subject,
  count: number,
  rounds: number,
): Promise<BesideLibrary> {
  const host = createModelHost();
  const inputs = Array.from({ length: count }, (_, i) => input(i));
  const question = { type, path, place: join(folder, path), root: folder, settings: {}, memoryBytes: 2e9 };
  const ask = async (): Promise<JsonValue[]> => {
    const outputs: JsonValue[] = [];
    // As a run does: what an answer has no room for is asked for again.
    while (outputs.length < count) {
      const rest = { ...question, inputs: inputs.slice(outputs.length) };
      const answer = await host.ask(rest, AbortSignal.timeout(60_000));
      if (!answer.ok) throw new Error(answer.message);
      outputs.push(...answer.outputs);
    }
    return outputs;
  };
  try {
    for (let i = 0; i < 3; i++) await Promise.all([ask(), alone(inputs)]); // warm up
    return await inRotation(rounds, {
      alone: () => timed(() => alone(inputs)),
      here: () => timed(ask),
    });
  } finally {
    host.close();
  }
}
