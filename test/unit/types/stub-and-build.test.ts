import { describe, expect, it } from 'vitest';
import { librariesOfLua, luarcSettings } from '../../../src/cli/luarc.js';
import { builtInNames } from '../../../src/lua-bridge/modules/built-in-modules.js';
import { missingNames } from '../../support/missing-names.js';
import { signatures } from '../../../src/validation/signatures.js';
import { handleMembers, surface } from '../../../src/validation/surface.js';
import { outputOf } from '../../support/fake-host.js';
import { classesOf, fieldsOf, globalsOf, readStub } from '../../support/type-stub.js';

const stub = readStub();
const classes = classesOf(stub);
const described = new Set(globalsOf(stub).map(({ name }) => name));

/** What the language server describes by itself, and what no file can declare. */
const notOurs = [...librariesOfLua, '_ENV'];

/** All that a run of this build has. */
const there = Object.entries(surface)
  .filter(([name]) => !notOurs.includes(name))
  .flatMap(([name, members]) => [name, ...(members ?? []).map((member) => `${name}.${member}`)])
  .filter((name) => !missingNames().has(name) && !missingNames().has(name.split('.')[0] ?? ''));

/** Which class describes the table of which constructor. */
const tables: Record<string, string> = {
  ...{ procedure: 'tactus.ProcedureConfig', agent: 'tactus.AgentConfig', tool: 'tactus.ToolConfig' },
  ...{ model: 'tactus.ModelConfig', field: 'tactus.FieldOptions', 'Human.approve': 'tactus.ApprovalRequest' },
  ...{ 'Human.input': 'tactus.InputRequest', 'Human.review': 'tactus.ReviewRequest' },
  ...{ 'Human.select': 'tactus.SelectRequest', 'Human.upload': 'tactus.UploadRequest' },
  ...{ 'Human.escalate': 'tactus.EscalationRequest', 'Human.notify': 'tactus.Notification' },
  ...{ 'Retry.with_backoff': 'tactus.RetryOptions', 'System.alert': 'tactus.Alert' },
  ...{ http_client: 'tactus.HttpClientConfig', 'http_client.get': 'tactus.HttpOptions' },
  ...{ 'http_client.post': 'tactus.HttpOptions', 'http_client.put': 'tactus.HttpOptions' },
  ...{ 'http_client.patch': 'tactus.HttpOptions', 'http_client.delete': 'tactus.HttpOptions' },
  'http_client.request': 'tactus.HttpOptions',
};
/** Described where they are used, as tables with two or three fields. */
const inPlace = ['Parallel.map', 'Procedure.defer'];

describe('the stub and the build', () => {
  it('the stub has every name of the language', () => {
    const lacking = there.filter((name) => !described.has(name));
    expect(lacking.map((name) => `describe ${name} in types/, and use it in examples/language/`)).toEqual([]);
  });

  it('the stub has no name that a run of this build lacks', () => {
    const stale = [...described].filter((name) => !there.includes(name));
    const advice = (name: string): string =>
      missingNames().has(name)
        ? `${name} is not in this build: take it out of types/`
        : `${name} is in types/ and not in src/validation/surface.ts: add it there, or take it out`;
    expect(stale.map(advice)).toEqual([]);
  });

  it('every constructor has a class, or is described in place', () => {
    const without = Object.keys(signatures).filter(
      (name) => !Object.hasOwn(tables, name) && !inPlace.includes(name),
    );
    expect(
      without.map((name) => `describe the table of ${name} by a class, and name it in this test`),
    ).toEqual([]);
  });

  it.each(Object.entries(tables))('the table of %s has the keys of %s', (name, type) => {
    const keys = Object.keys(signatures[name]?.keys ?? {});
    const fields = fieldsOf(classes, type);
    const place = classes.get(type)?.place ?? `no file: declare ${type}`;
    expect([
      ...keys.filter((key) => !fields.includes(key)).map((key) => `${place}: add ---@field ${key}`),
      ...fields
        .filter((key) => !keys.includes(key))
        .map((key) => `${place}: ${key} is not in src/validation/signatures.ts`),
    ]).toEqual([]);
  });

  it('handles and results have the members that their classes have', () => {
    const members = {
      agent: { type: 'tactus.Agent', known: handleMembers.agent },
      tool: { type: 'tactus.Tool', known: handleMembers.tool },
      model: { type: 'tactus.Model', known: handleMembers.model },
      result: { type: 'tactus.TurnResult', known: [] },
      child: { type: 'tactus.ChildStatus', known: [] },
    };
    const asked = Object.fromEntries(
      Object.entries(members).map(([name, { type, known }]) => [
        name,
        [...new Set([...known, ...fieldsOf(classes, type)])],
      ]),
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
    const wrong = Object.entries(members).flatMap(([name, { type }]) => {
      const has = (found[name] ?? []).filter((member) => member !== '-' && member !== 'error');
      const fields = fieldsOf(classes, type).filter((member) => member !== 'error');
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
    const parts = builtInNames().filter(
      (name) => name === 'tactus.text.class' || names.some((other) => name.startsWith(`${other}.`)),
    );
    expect(names.toSorted()).toEqual(
      builtInNames()
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
    expect(luarcSettings['runtime.version'], `write ${version} in src/cli/luarc.ts`).toBe(version);
  });

  it('libraries that the language server describes by itself are as it says', () => {
    // `table` and `utf8` of Lua 5.3: what differs here belongs into types/lua/.
    const ofLua = {
      table: ['concat', 'insert', 'move', 'pack', 'remove', 'sort', 'unpack'],
      utf8: ['char', 'charpattern', 'codepoint', 'codes', 'len', 'offset'],
    };
    for (const name of librariesOfLua) expect([...(surface[name] ?? [])].toSorted()).toEqual(ofLua[name]);
    const disabled = Object.keys(luarcSettings['runtime.builtin'] as object);
    expect(disabled).toEqual(expect.arrayContaining(['basic', 'io', 'os', 'debug', 'string', 'math']));
    expect(disabled.filter((name) => (librariesOfLua as readonly string[]).includes(name))).toEqual([]);
  });
});

function fieldsFor(asked: object): string {
  return `{ ${Object.keys(asked)
    .map((name) => `${name} = field.array{}`)
    .join(', ')} }`;
}
