import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import type { HttpRequest, HttpResponse } from '../../contract/http/http-request.js';
import { jsonAs, jsonSize, type JsonObject } from '../../contract/json/json.js';
import {
  anyHandleAt,
  Library,
  literal,
  lua,
  native,
  pushHandle,
  pushJson,
  pushParsed,
  setField,
  toJson,
  toText,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
  type Native,
  type Step,
} from '../kernel/index.js';
import { recorded } from '../checkpoints/checkpointed.js';
import {
  dependencies,
  plainClient,
  readClient,
  readRequest,
  requestName,
  type HttpClient,
} from './http-client.js';
import { mockedResponse, mocks } from '../mocks/mocks.js';

/** Functions that are named by their method, and `request`, which takes it as an argument. */
const functionNames = ['get', 'post', 'put', 'patch', 'delete', 'request'] as const;

/** What a client takes beside its settings, which it keeps until the run ends. */
const clientBytes = 500;
const clientCost = 500;

/**
 * `http_client.get(url, {headers, params, json, body, timeout})` and its like, which give `{status, ok, headers, body,
 * json}`; `http_client{base_url, headers, timeout}`, a client with the same functions; `dependencies`, those of the
 * procedures.
 */
export function openHttpClient(bridge: Bridge): void {
  const type: HandleType = {
    name: 'http_client',
    index: (L, held, key) => {
      const name = functionNames.find((each) => each === key);
      if (name === undefined) return 0;
      lua.lua_pushcfunction(L, native(bridge, send(bridge, held as HttpClient, name)));
      return 1;
    },
  };
  const functions = (): Record<string, CFunction> =>
    Object.fromEntries(functionNames.map((name) => [name, native(bridge, send(bridge, plainClient, name))]));
  const call: CFunction = (L) => {
    const client = bridge.scheduler.notes.guard(L, () =>
      readClient(toJson(L, 2), null, 'http_client', 'http_failed'),
    );
    bridge.meter.keep(clientBytes + jsonSize(client));
    bridge.meter.charge(clientCost);
    pushHandle(L, type, client);
    return 1;
  };
  new Library('http_client', functions, { call: () => call }).open(bridge);
  pushHandle(
    bridge.L,
    {
      name: 'dependencies',
      index: (L, _, key) => {
        const client = dependencies.of(bridge).get(key);
        if (client === undefined) return 0;
        pushHandle(L, type, client);
        return 1;
      },
    },
    null,
  );
  lua.lua_setglobal(bridge.L, literal('dependencies'));
}

function send(bridge: Bridge, client: HttpClient, name: (typeof functionNames)[number]): Native {
  const what = `${client.name === null ? 'http_client' : `dependencies.${client.name}`}.${name}`;
  return function* (L) {
    lua.lua_settop(L, 3);
    if (anyHandleAt(L, 1) !== null)
      throw new TactusError('http_failed', `${what}: write a dot before ${name}, not a colon`);
    const at = name === 'request' ? 2 : 1;
    const method = name === 'request' ? (toText(L, 1) ?? '') : name;
    const request = readRequest(client, what, { method, url: toText(L, at), options: toJson(L, at + 1) });
    pushResponse(bridge, L, yield* answerTo(bridge, L, client, request));
    return 1;
  };
}

/** Sends the request, or asks its mock. */
function* answerTo(
  bridge: Bridge,
  L: LuaState,
  client: HttpClient,
  request: HttpRequest,
): Generator<Step, HttpResponse, unknown> {
  const name = requestName(request);
  const { method, url, body } = request;
  const input: JsonObject = { method, url, ...(body === null ? {} : { body }) };
  const mocked =
    (client.name === null ? null : mocks.of(bridge).result(client.name, input, 'http_failed')) ??
    mocks.of(bridge).result('http_client', input, 'http_failed');
  if (mocked === null) {
    if (mocks.of(bridge).all)
      throw new TactusError(
        'http_failed',
        `${name} is not sent, for nothing outside is asked: write Mocks { ${client.name ?? 'http_client'} = { returns = { status = 200, json = … } } }`,
      );
    return (yield { effect: { type: 'http', name, effect: { kind: 'http', request } } }) as HttpResponse;
  }
  const spec = { type: 'http', name, input, digest: digestOf(input) } as const;
  const response = mockedResponse(mocked.value);
  return jsonAs<HttpResponse>(yield* recorded(bridge, L, spec, () => ({ ...response })));
}

function pushResponse(bridge: Bridge, L: LuaState, { status, headers, body }: HttpResponse): void {
  pushJson(L, { status, ok: status >= 200 && status <= 299, headers, body });
  if (pushParsed(bridge, L, body)) setField(L, -2, 'json');
}
