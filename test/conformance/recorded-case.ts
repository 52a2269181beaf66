import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject, type JsonValue } from '../../src/contract/json/json.js';

/** One run that the reference made of a case. */
export interface RecordedRun {
  success: boolean;
  status: string;
  result: JsonValue;
  /** null where the reference tells none: it failed, or was suspended. */
  state: JsonObject | null;
  error: string | null;
  printed: string;
  logs: { level: string; message: string; context: JsonValue }[];
  checkpoints: { type: string }[];
  hitl_requests: { type: string; message: string }[];
  input: JsonObject;
  hitl_answers: JsonValue[] | 'suspend' | null;
  strict: boolean;
}

export interface RecordedCase {
  name: string;
  runs: RecordedRun[];
}

export const casesFolder = fileURLToPath(new URL('cases/', import.meta.url));

/** The cases that say how the language behaves. */
export async function languageCases(): Promise<RecordedCase[]> {
  const files = (await readdir(casesFolder)).filter((name) => /^q.*\.expected\.json$/.test(name)).sort();
  return Promise.all(
    files.map(async (file) => {
      const name = file.replace('.expected.json', '');
      const { runs } = JSON.parse(await readFile(casesFolder + file, 'utf8')) as { runs: RecordedRun[] };
      return { name, runs: runs.map((run) => asOurs(run as unknown as JsonObject, `${name}.tac`)) };
    }),
  );
}

/** What the reference recorded, in our words: chunk names, and the marks for what is no plain JSON. */
function asOurs(run: JsonObject, file: string): RecordedRun {
  const text = JSON.stringify(run).replaceAll('[string \\"<python>\\"]', file);
  return plain(JSON.parse(text) as JsonValue) as unknown as RecordedRun;
}

function plain(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  if (value['__lua_table__'] !== undefined) return plain(value['__lua_table__']);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
