import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../../src/contract/http/http-request.js';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import { answerOf, outputOf, runFake, type FakeOptions } from '../../../support/fake-host.js';

/** What a procedure asks for, with names and types of its checkpoints. */
function sentBy(source: string, options: FakeOptions = {}): { names: string[]; requests: HttpRequest[] } {
  const names: string[] = [];
  const requests: HttpRequest[] = [];
  const { ended } = runFake(source, {
    ...options,
    perform: (effect, request) => {
      names.push(`${request.type} ${request.name}`);
      if (effect.kind === 'http') requests.push(effect.request);
      return answerOf(effect, request);
    },
  });
  if (ended?.kind === 'failed') throw ended.error;
  return { names, requests };
}

function answered(source: string, answer: JsonValue): JsonValue {
  return outputOf(source, { perform: () => answer });
}

const errorOf = (source: string) => {
  const { ended, performed } = runFake(source);
  const error = ended?.kind === 'failed' ? ended.error : null;
  return { code: error?.code, message: error?.message, line: error?.toRunError().line, performed };
};

describe('a request', () => {
  it('is an effect with its method, URL, headers, body and timeout', () =>
    expect(
      sentBy(`http_client.post("https://a.example:8080/users?x=1", {
        headers = { ["X-Team"] = "support", Authorization = { secret = "TOKEN", prefix = "Bearer " } },
        params = { page = 2, ["q r"] = "Ü&=", deep = { "a", true } },
        json = { name = "Ada", tags = { 1, 2 } },
        timeout = 5,
      })`),
    ).toEqual({
      names: ['http POST a.example:8080/users'],
      requests: [
        {
          method: 'POST',
          url: 'https://a.example:8080/users?x=1&page=2&q%20r=%C3%9C%26%3D&deep=a&deep=true',
          headers: {
            'content-type': 'application/json',
            'x-team': 'support',
            authorization: { secret: 'TOKEN', prefix: 'Bearer ' },
          },
          body: '{"name":"Ada","tags":[1,2]}',
          timeoutMs: 5_000,
        },
      ],
    }));

  it.each(['get', 'post', 'put', 'patch', 'delete'])('http_client.%s is one of that method', (name) =>
    expect(sentBy(`http_client.${name}("http://a.example")`).requests).toEqual([
      { method: name.toUpperCase(), url: 'http://a.example', headers: {}, body: null, timeoutMs: 30_000 },
    ]),
  );

  it('http_client.request takes the method, and a body as it is', () =>
    expect(
      sentBy(
        'http_client.request("options", "https://a.example/#part", {body = "text", headers = {["Content-Type"] = "text/csv"}, timeout = "2m"})',
      ).requests,
    ).toEqual([
      {
        method: 'OPTIONS',
        url: 'https://a.example/',
        headers: { 'content-type': 'text/csv' },
        body: 'text',
        timeoutMs: 120_000,
      },
    ]));

  it('works in checkpoints, steps and branches', () =>
    expect(
      runFake(`
        checkpoint(function() return http_client.get("https://a.example").status end)
        Parallel{
          function() return http_client.get("https://b.example").status end,
          function() return http_client.get("https://c.example").status end,
        }`).performed,
    ).toEqual(['http 0.0', 'http 1.0.0', 'http 1.1.0']));
});

describe('an answer', () => {
  const get = 'local r = http_client.get("https://a.example") return';
  it.each([
    [200, '{"a": [1, null]}', true, { a: [1] }],
    [204, '', true, null],
    [404, 'not here', false, null],
    [302, '[]', false, []],
  ])('of status %d with %o', (status, body, ok, json) =>
    expect(
      answered(`${get} {r = r, json = r.json or "nil"}`, { status, headers: { 'x-a': 'b' }, body }),
    ).toEqual({
      r: { status, ok, headers: { 'x-a': 'b' }, body, ...(json === null ? {} : { json }) },
      json: json ?? 'nil',
    }),
  );

  it('with JSON that is too deep for Lua is an error that can be caught', () =>
    expect(
      answered('return {pcall(http_client.get, "https://a.example")}', {
        ...{ status: 200, headers: {} },
        body: '['.repeat(5_000) + ']'.repeat(5_000),
      }),
    ).toEqual([false, 'the value is nested too deep']));

  it('that never comes is an error that can be caught', () =>
    expect(
      outputOf('return {pcall(http_client.get, "https://a.example")}', {
        perform: () => {
          throw new Error('GET a.example: answered 503');
        },
      }),
    ).toEqual([false, 'GET a.example: answered 503']));
});

describe('a client', () => {
  const client =
    'local api = http_client{base_url = "https://a.example/v1/", headers = {["X-A"] = 1, ["X-B"] = "b"}, timeout = 7}\n';

  it.each([
    ['"/users"', 'https://a.example/v1/users'],
    ['"users/7?full=1"', 'https://a.example/v1/users/7?full=1'],
    ['""', 'https://a.example/v1'],
    ['"?page=2", {params = {size = 3}}', 'https://a.example/v1?page=2&size=3'],
  ])('asks for %s below its base', (args, url) =>
    expect(sentBy(`${client}api.get(${args})`).requests).toMatchObject([{ url, timeoutMs: 7_000 }]),
  );

  it('has headers that a request may set otherwise, whatever their case', () =>
    expect(
      sentBy(`${client}api.put("x", {headers = {["x-a"] = "mine"}, json = {1}})`).requests[0]?.headers,
    ).toEqual({
      'content-type': 'application/json',
      'x-a': 'mine',
      'x-b': 'b',
    }));

  it.each(['"https://b.example/"', '"//b.example/x"', '"\\\\\\\\b.example"', '"file:///etc/passwd"'])(
    'asks no other host (%s)',
    (url) =>
      expect(errorOf(`${client}api.get(${url})`)).toMatchObject({
        code: 'http_failed',
        message: expect.stringContaining('this client asks https://a.example/v1 alone') as string,
        performed: [],
      }),
  );

  it('without a base asks for whole URLs', () =>
    expect(sentBy('http_client{headers = {a = "b"}}.get("https://a.example")').requests).toMatchObject([
      { url: 'https://a.example', headers: { a: 'b' } },
    ]));

  it('is read-only, and has no other functions', () => {
    expect(errorOf(`${client}api.get = 1`).message).toContain("http_client is read-only: can't set get");
    expect(outputOf(`${client}return {api.trace == nil, tostring(api)}`)).toEqual([true, 'http_client']);
  });
});

describe('what is wrong is refused with the line, and nothing is sent', () => {
  it.each([
    ['http_client.get()', 'the URL must be an http or https URL, got null'],
    ['http_client.get("")', 'the URL must be an http or https URL, got ""'],
    ['http_client.get("a.example")', 'must be an http or https URL'],
    ['http_client.get("ftp://a.example")', 'must be an http or https URL'],
    ['http_client.get("https:///x")', 'must be an http or https URL'],
    ['http_client.get("https://me:pass@a.example/")', "the URL can't have a user in it"],
    ['http_client.get("https://a.example\\\\@b.example/")', "the URL can't have a user in it"],
    ['http_client.get("https://a.example/a b")', "the URL can't have white space in it"],
    ['http_client.get("https://a.example/" .. string.rep("x", 9000))', 'the URL is longer than 8000'],
    ['http_client:get("https://a.example")', 'write a dot before get, not a colon'],
    ['http_client.post("https://a.example", {json = 1, body = "x"})', 'has both json and body'],
    ['http_client.post("https://a.example", {body = {}})', 'body must be a text'],
    ['http_client.get("https://a.example", {json = 1})', 'a GET request has no body'],
    ['http_client.get("https://a.example", {query = 1})', 'has the unknown option query'],
    ['http_client.get("https://a.example", "x")', 'the options must be a table'],
    ['http_client.get("https://a.example", {params = "x"})', 'params must be a table'],
    ['http_client.get("https://a.example", {params = {a = {b = 1}}})', 'the param a must be a text'],
    ['http_client.get("https://a.example", {headers = {a = {}}})', 'the header "a" must be a text'],
    [
      'http_client.get("https://a.example", {headers = {a = "b\\r\\nc: d"}})',
      'the header "a" must be a text',
    ],
    ['http_client.get("https://a.example", {headers = {["a b"] = 1}})', '"a b" is no name of a header'],
    ['http_client.get("https://a.example", {timeout = 0})', 'timeout must be more than 0'],
    ['http_client.get("https://a.example", {timeout = "soon"})', 'timeout must be seconds'],
    ['http_client.request("TRACE", "https://a.example")', 'the method must be one of GET'],
    ['http_client{base_url = "a.example"}', 'base_url must be an http or https URL'],
    ['http_client{base_url = "https://a.example/?x=1"}', "base_url can't have a query"],
    ['http_client{base = "https://a.example"}', 'has the unknown option base'],
  ])('%s', (call, message) => {
    const error = errorOf(`\nlocal r = ${call}`);
    expect(error).toMatchObject({ code: 'http_failed', line: 2, performed: [] });
    expect(error.message).toContain(message);
  });

  it('and shows no password', () =>
    expect(errorOf('http_client.get("https://me:pass@a.example/")').message).not.toContain('pass'));
});

describe('dependencies', () => {
  const declared =
    'dependencies = {api = {type = "http_client", base_url = "https://a.example", timeout = 9}, db = {type = "postgres", pool_size = 5}}';

  it('that are clients are there by their names, all else is not', () =>
    expect(
      sentBy(`Procedure { ${declared}, function()
        assert(dependencies.db == nil and dependencies.constructor == nil)
        dependencies.api.get("/x")
      end }`).requests,
    ).toMatchObject([{ url: 'https://a.example/x', timeoutMs: 9_000 }]));

  it('that are wrong end the run', () =>
    expect(
      errorOf('Procedure { dependencies = {api = {type = "http_client", base_url = "x"}}, function() end }'),
    ).toMatchObject({
      code: 'source_invalid',
      message: 'Procedure: dependencies.api: base_url must be an http or https URL, got "x"',
      line: 1,
    }));

  it('of one name are one client', () => {
    const two = (url: string) =>
      `Procedure "a" { ${declared}, function() end }
       Procedure { dependencies = {api = {type = "http_client", base_url = "${url}", timeout = 9}}, function() return 1 end }`;
    expect(errorOf(two('https://b.example')).message).toContain(
      'dependencies.api is declared by two procedures',
    );
    expect(errorOf(two('https://a.example/')).code).toBeUndefined();
  });
});
