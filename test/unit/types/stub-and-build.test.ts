import { describe, expect, it } from 'vitest';
import { luarcSettings } from '../../../src/cli/procedures/types-command.js';
import { builtInNames } from '../../../src/lua-bridge/modules/built-in-modules.js';
import { membersOf } from '../../../src/language/surface.js';
import { outputOf } from '../../support/fake-host.js';
import { readStub } from '../../support/type-stub.js';

const stub = readStub();
/** Members that aren't there in every case. */
const optional = ['error', 'confidence', 'confidences', 'exhausted', 'sources', 'provider_calls'];
/** Members that handles might be thought to have. */
const others = ['run', 'reset', 'predict', 'ask', 'status', 'tools', 'model'];

describe('the stub and the build', () => {
  it('handles and results have the members that their classes have', () => {
    const classes = {
      agent: 'tactus.Agent',
      tool: 'tactus.Tool',
      model: 'tactus.Model',
      result: 'tactus.TurnResult',
      child: 'tactus.ChildStatus',
    };
    const asked = Object.fromEntries(
      Object.entries(classes).map(([name, type]) => [name, [...new Set([...others, ...membersOf(type)])]]),
    );
    const found = outputOf(
      `worker = Agent { system_prompt = "Work" }
      counter = Tool { description = "Counts", function() return 1 end }
      guess = Model { type = "mock", value = 1 }
      Procedure { function(input)
        local result = worker("Hi")
        counter()
        local child = Procedure.spawn("main.tac")
        Procedure.wait(child)
        local held = {
          agent = worker, tool = counter, model = guess, result = result, child = Procedure.status(child),
        }
        local found = {}
        for name, members in pairs(input) do
          found[name] = {"-"}
          for _, member in ipairs(members) do
            if held[name][member] ~= nil then table.insert(found[name], member) end
          end
        end
        return found
      end }`.replace('Procedure { function', `Procedure { input = ${fieldsFor(asked)}, function`),
      { input: asked },
    ) as Record<string, string[]>;
    const wrong = Object.entries(classes).flatMap(([name, type]) => {
      const has = (found[name] ?? []).filter((member) => member !== '-' && !optional.includes(member));
      const fields = membersOf(type).filter((member) => !optional.includes(member));
      return [
        ...has.filter((member) => !fields.includes(member)).map((member) => `${type} lacks ${member}`),
        ...fields
          .filter((member) => !has.includes(member))
          .map((member) => `${type}.${member} is nil in a run`),
      ];
    });
    expect(wrong).toEqual([]);
  });

  it('every built-in module is described, and has the members that it is described with', () => {
    const modules = stub.filter(({ module }) => module !== null);
    const names = modules.map(({ module }) => module ?? '');
    // What other modules are made of.
    const parts = builtInNames({ holds: () => true }).filter(
      (name) => name === 'tactus.text.class' || names.some((other) => name.startsWith(`${other}.`)),
    );
    expect(names.toSorted()).toEqual(
      builtInNames({ holds: () => true })
        .filter((name) => !parts.includes(name))
        .toSorted(),
    );
    const members = modules.flatMap(({ module, declared }) =>
      declared.filter(({ isLocal }) => !isLocal).map(({ name }) => [module ?? '', name.split('.')[1] ?? '']),
    );
    const lines = members.map(
      ([name, member]) => `assert(require("${name}").${member}, "${name}.${member}")`,
    );
    expect(outputOf(`${lines.join('\n')}\nreturn 1`)).toBe(1);
  });

  it('the language server is told of a Lua that has what the build has', () => {
    const loads = (text: string): boolean => {
      try {
        outputOf(text);
        return true;
      } catch {
        return false;
      }
    };
    expect(loads('local n = 7 // 2 goto over ::over:: return n & 1')).toBe(true);
    // Where the build has it, the version is 5.4, and `types/lua/` has what that brings.
    const version = loads('local n <const> = 1 return n') ? 'Lua 5.4' : 'Lua 5.3';
    expect(luarcSettings['runtime.version'], `write ${version} in src/cli/procedures/types-command.ts`).toBe(
      version,
    );
  });
});

function fieldsFor(asked: object): string {
  return `{ ${Object.keys(asked)
    .map((name) => `${name} = field.array{}`)
    .join(', ')} }`;
}
