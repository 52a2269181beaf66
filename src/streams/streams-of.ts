import { streamsVariable, type Environment } from '../contract/environment.js';
import { NatsStreams } from './nats-streams.js';
import type { RunStreams } from './run-streams.js';

/** The streams that an environment names; null where it names none. @param onTrouble told once of a broker that is away, and of each other trouble */
export function streamsOf(env: Environment, onTrouble: (problem: string) => void): RunStreams | null {
  const address = env[streamsVariable] ?? '';
  if (address === '') return null;
  const told = new Set<string>();
  return new NatsStreams({
    servers: address.split(','),
    onTrouble: (error) => {
      const problem = error instanceof Error ? error.message : String(error);
      if (!told.has(problem) && told.add(problem)) onTrouble(problem);
    },
  });
}
