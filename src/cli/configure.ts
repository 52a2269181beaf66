import {
  loadConfiguration,
  withModelCalls,
  type Configuration,
} from '../configuration/load-configuration.js';
import type { Screen } from './terminal/screen.js';

/** Flags that stand above all configuration. */
export interface SettingFlags {
  strictDeterminism?: boolean;
}

const told = new Set<string>();

/**
 * Reads the configuration that holds for a procedure (null: for all). Keys of model providers become environment
 * variables of this process, whose worker looks for them there; the settings go with the runs that it starts.
 * @throws TactusError config_invalid
 */
export async function configure(
  procedure: string | null,
  { strictDeterminism }: SettingFlags,
  screen: Screen,
): Promise<
  Pick<
    Configuration,
    | 'settings'
    | 'files'
    | 'tools'
    | 'modelQueues'
    | 'server'
    | 'authorityKeys'
    | 'links'
    | 'reach'
    | 'fixtures'
    | 'codec'
  >
> {
  const surroundings = { workingFolder: process.cwd(), env: process.env };
  const { settings, variables, notes, ...others } = await loadConfiguration(procedure, surroundings);
  Object.assign(process.env, variables);
  for (const note of notes) if (!told.has(note) && told.add(note)) screen.note(note);
  return {
    ...others,
    settings: withModelCalls(strictDeterminism === undefined ? settings : { ...settings, strictDeterminism }),
  };
}
