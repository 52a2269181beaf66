import { defined } from '../../contract/json/json.js';
import type { Verdict } from '../../contract/people/decision.js';
import type { Answers, Problem, SentFile } from './shapes.js';

/** What the server said in place of an answer. `code`: of the closed list of errors; `offline` where none came. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Called where the server no longer knows who asks. */
export type OnSignedOut = () => void;

/** The paths that `GET` answers with a page of a list. */
export type ListPath = '/dead-letters' | '/requests' | '/runs';

/** The name in braces of a path. */
type NameIn<Path extends string> = Path extends `${string}{${infer Name}}${string}` ? Name : never;

/** The HTTP API of the server that the page came from, for one namespace. */
export class Api {
  constructor(
    readonly namespace: string,
    readonly onSignedOut: OnSignedOut,
  ) {}

  /** Reads a page of a list. @throws ApiError */
  async list<Path extends ListPath>(path: Path, query: string, signal: AbortSignal): Promise<Answers[Path]> {
    // The server answers by the schemas that the types are made of.
    return (await this.ask(`${path}?${query}`, { signal })) as Answers[Path];
  }

  /**
   * Reads what has a path of its own.
   * @param path as the documentation has it: `/runs/{run}`; the type of the answer follows from it
   * @throws ApiError
   */
  async get<Path extends Exclude<keyof Answers, ListPath>>(
    path: Path,
    names: Record<NameIn<Path>, string>,
    { query, signal }: { query?: string; signal?: AbortSignal } = {},
  ): Promise<Answers[Path]> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: NameIn<Path>) => encodeURIComponent(names[name]));
    const asked = query === undefined ? filled : `${filled}?${query}`;
    return (await this.ask(asked, defined({ signal }))) as Answers[Path];
  }

  /** @throws ApiError */
  async cancel(run: string): Promise<void> {
    await this.ask(`/runs/${encodeURIComponent(run)}/cancel`, jsonInit({}));
  }

  /** @throws ApiError */
  async settleLetter(letter: string, verb: 'requeue' | 'drop'): Promise<void> {
    await this.ask(`/dead-letters/${encodeURIComponent(letter)}/${verb}`, jsonInit({}));
  }

  /** What became of a decision, whatever it is. @throws ApiError where there is no verdict */
  async decide(request: string, verb: 'decide' | 'delegate' | 'withdraw', body: object): Promise<Verdict> {
    try {
      return await verdictOf(this.urlOf(`/requests/${encodeURIComponent(request)}/${verb}`), jsonInit(body));
    } catch (error) {
      throw error instanceof ApiError ? this.noticed(error) : error;
    }
  }

  /** Hands in a file; gives what a decision says of it. @throws ApiError */
  async upload(file: File): Promise<SentFile> {
    return (await this.ask(filePath(file), fileInit(file))) as SentFile;
  }

  urlOf(path: string): string {
    return `/api/v1/namespaces/${encodeURIComponent(this.namespace)}${path}`;
  }

  private async ask(path: string, init: RequestInit): Promise<unknown> {
    const response = await send(this.urlOf(path), init);
    const answer = await readJson(response);
    if (response.ok) return answer;
    throw this.noticed(errorOf(response, answer));
  }

  private noticed(error: ApiError): ApiError {
    if (error.status === 401) this.onSignedOut();
    return error;
  }
}

/** What became of a decision that is sent there. @throws ApiError where there is no verdict */
export async function verdictOf(url: string, init: RequestInit): Promise<Verdict> {
  const response = await send(url, init);
  const answer = await readJson(response);
  if (isVerdict(answer)) return answer;
  throw errorOf(response, answer);
}

/** @throws ApiError */
export async function askServer(path: string, init: RequestInit = {}): Promise<unknown> {
  const response = await send(`/api/v1${path}`, init);
  const answer = await readJson(response);
  if (response.ok) return answer;
  throw errorOf(response, answer);
}

export function jsonInit(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function filePath({ name }: File): string {
  return `/files?name=${encodeURIComponent(name)}`;
}

export function fileInit(file: File): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': file.type === '' ? 'application/octet-stream' : file.type },
    body: file,
  };
}

/** What to tell people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'offline', "The server can't be reached. Is it running, and are you online?");
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

function isVerdict(answer: unknown): answer is Verdict {
  return typeof answer === 'object' && answer !== null && 'outcome' in answer;
}

function errorOf({ status, headers }: Response, answer: unknown): ApiError {
  const { code = 'internal', detail } = (answer ?? {}) as Partial<Problem>;
  const wait = headers.get('retry-after');
  const later = wait === null ? '' : ` Try again in ${wait} s.`;
  return new ApiError(status, code, `${detail ?? `The server answered with status ${status}.`}${later}`);
}
