import type { HttpResponse } from '../../contract/http/http-request.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';

const responseKeys = ['status', 'ok', 'headers', 'body', 'json'];

/**
 * What a mock of `http_client` stands for: a response, of which `{status = 404}` or `{json = {…}}` is enough; any other
 * value is the JSON that an answer with status 200 brings, and a text its body.
 */
export function mockedResponse(mock: JsonValue): HttpResponse {
  const response: JsonObject = isResponse(mock)
    ? mock
    : typeof mock === 'string'
      ? { body: mock }
      : { json: mock };
  const { status, headers = null, body = null, json = null } = response;
  return {
    status: typeof status === 'number' ? status : 200,
    headers: headerTexts(headers),
    body: typeof body === 'string' ? body : json === null ? '' : JSON.stringify(json),
  };
}

/** `{status = "success"}` is what an API answers, no response. */
function isResponse(mock: JsonValue): mock is JsonObject {
  if (!isObject(mock)) return false;
  const keys = Object.keys(mock);
  const { status = 200, body = '' } = mock;
  return (
    keys.length > 0 &&
    keys.every((key) => responseKeys.includes(key)) &&
    Number.isInteger(status) &&
    typeof body === 'string'
  );
}

function headerTexts(headers: JsonValue): Record<string, string> {
  const texts: Record<string, string> = {};
  if (isObject(headers))
    for (const [name, value] of Object.entries(headers))
      if (value !== null && typeof value !== 'object') setOwn(texts, name.toLowerCase(), String(value));
  return texts;
}
