import type { Scenario } from './feature.js';

export interface ScenarioChoice {
  /** Part of the scenario's name; left out: any. */
  scenario?: string;
  /** One of these tags, with or without the `@`; left out or empty: any. */
  tags?: readonly string[];
}

/** The scenarios that a choice fits, in their order. */
export function chooseScenarios(
  scenarios: readonly Scenario[],
  { scenario, tags = [] }: ScenarioChoice,
): Scenario[] {
  const wanted = tags.map((tag) => (tag.startsWith('@') ? tag : `@${tag}`));
  return scenarios.filter(
    (each) =>
      (scenario === undefined || each.name.includes(scenario)) &&
      (wanted.length === 0 || wanted.some((tag) => each.tags.includes(tag))),
  );
}
