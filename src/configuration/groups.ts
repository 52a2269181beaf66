import { TactusError } from '../contract/errors.js';
import { isGroups } from '../contract/people/human-request.js';
import { getOwn, setOwn, type JsonObject } from '../contract/json/json.js';

/** The setting, which counts in files that hold for all procedures alone: who writes one doesn't say who is in which group. */
export const groupsSetting = 'groups';

/**
 * What several files say of who is in which group; what comes later wins.
 * @throws TactusError config_invalid
 */
export function groupsOf(configs: readonly { file: string; config: JsonObject }[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const { file, config } of configs) {
    const given = getOwn(config, groupsSetting) ?? {};
    if (!isGroups(given))
      throw new TactusError('config_invalid', `${file}: ${groupsSetting} must be a table of lists of names`);
    for (const [group, names] of Object.entries(given as Record<string, string[]>))
      setOwn(groups, group, names);
  }
  return groups;
}
