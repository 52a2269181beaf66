import { expect, it } from 'vitest';
import { loadCommands } from '../../../src/cli/program.js';

it('a command is loaded alone by its own name, and all are where there is none of that name', async () => {
  const all = await loadCommands(undefined);
  expect(all.length).toBeGreaterThan(40);
  for (const command of all) {
    const alone = await loadCommands(command.name());
    expect(alone.map((each) => each.name())).toEqual([command.name()]);
  }
  for (const name of ['help', 'stauts', 'toString', 'completion'])
    expect(await loadCommands(name), name).toHaveLength(all.length);
});
