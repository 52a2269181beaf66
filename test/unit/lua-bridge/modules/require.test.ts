import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../../support/fake-host.js';

const files = {
  'helper.tac': 'local M = {} function M.twice(n) return n * 2 end return M',
  'deep/inner.tac': 'return "inner"',
  'deep/named.tac': 'local name = ... return "I am " .. name',
  'folder/init.tac': 'return "folder"',
  'plain.lua': 'return "plain"',
  'nothing.tac': 'local x = 1',
  'counting.tac': 'count = (count or 0) + 1 return count',
  'a.tac': 'return require("b")',
  'b.tac': 'return require("a")',
  'broken.tac': 'local x =\nreturn',
  'failing.tac': 'error("at load")',
  'asking.tac': 'return File.read("x")',
  'tooling.tac': 'return {add = Tool {description = "adds", input = {}, function() return 1 end}}',
};

describe('require', () => {
  it.each([
    ['require("helper").twice(4)', 8],
    ['require("deep.inner")', 'inner'],
    ['require("deep/inner")', 'inner'],
    ['require("folder")', 'folder'],
    ['require("plain")', 'plain'],
    ['require("nothing")', true],
    ['require("deep.named")', 'I am deep.named'],
    ['{require("counting"), require("counting"), count}', [1, 1, 1]],
    ['require("asking")', 'content of x'],
    ['require("tooling").add()', 1],
    ['type(require("tactus.tools.done"))', 'userdata'],
    ['pcall(require, "failing") == false and pcall(require, "failing")', false],
  ])('%s gives %j', (expression, expected) =>
    expect(outputOf(`return ${expression}`, { files })).toEqual(expected),
  );

  it.each([
    [
      'require("missing")',
      'lua_error',
      "module 'missing' not found (looked for missing.tac, missing/init.tac, missing.lua)",
    ],
    ['require("Helper")', 'lua_error', 'there is helper.tac: mind upper and lower case'],
    ['require("a")', 'lua_error', "module 'a' requires itself, directly or through others"],
    ['require("broken")', 'source_invalid', 'broken.tac:2: unexpected symbol'],
    ['require("failing")', 'lua_error', 'failing.tac:1: at load'],
    ['require("../helper")', 'lua_error', 'not found'],
    ['require("/etc/passwd")', 'lua_error', 'not found'],
    ['require("helper\\0")', 'lua_error', 'not found'],
    ['require("os")', 'lua_error', 'not found'],
    ['require("")', 'lua_error', 'not found'],
    ['require()', 'lua_error', 'the name of a module expected'],
    ['require({})', 'lua_error', 'the name of a module expected'],
  ])('%s is an error', (call, code, message) => {
    expect(runFake(`return ${call}`, { files }).ended).toMatchObject({
      error: { code, message: expect.stringContaining(message) as unknown },
    });
  });

  it('finds the files beside the entry, wherever that lies', () => {
    const source = {
      entry: 'flows/main.tac',
      files: {
        'flows/main.tac': 'return require("helper")',
        'flows/helper.tac': 'return "beside"',
        'helper.tac': 'return "above"',
      },
    };
    expect(outputOf('', { source })).toBe('beside');
  });

  it('names the file and line of an error in a module', () => {
    const { ended } = runFake('require("helper").twice({})', { files });
    expect(ended).toMatchObject({
      error: {
        details: {
          file: 'helper.tac',
          line: 1,
          traceback: "helper.tac:1: in function 'twice'\nmain.tac:1: in main chunk",
        },
      },
    });
  });
});
