import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { PayloadCodec } from '@temporalio/common';
import { versionText, type LastAnswers } from '../../contract/runs/run-view.js';
import type { KeptAnswers, RunIndex } from '../../read-model/run-index.js';
import { encodes } from '../payloads/has-payload-store.js';
import { decodedPayloads, encodedTexts } from '../payloads/payload-texts.js';

const [packed, unpacked] = [promisify(gzip), promisify(gunzip)];

/** In an index, compressed; those of a run with much to show are left out. */
const mostBytes = 256_000;

/** What codecs make of the answers of runs in an index. */
export interface AnswersCodec {
  /** Those of a data converter, in its order; the ones that only store or check are passed over. */
  codecs: readonly PayloadCodec[];
  namespace: string;
}

/** What a run answered last, as an index keeps it: compressed, and as codecs make it; null where it is too large. */
export async function packAnswers(
  execution: string,
  answers: LastAnswers,
  { codecs, namespace }: AnswersCodec,
): Promise<KeptAnswers | null> {
  const { run_id: runId, version } = answers.status;
  const data = await packed(JSON.stringify(answers));
  if (data.length > mostBytes) return null;
  const owner = { type: 'workflow', namespace, workflowId: runId } as const;
  const [text = ''] = await encodedTexts([{ metadata: {}, data }], codecs.filter(encodes), owner);
  return {
    ...{ run_id: runId, execution, packed: text },
    version: version === undefined ? '' : versionText(version),
  };
}

/**
 * What an execution of a run answered last; null where the index doesn't have it or is away, and where a codec can't read it: a
 * worker knows it.
 * @param execution the one that has ended
 */
export async function readLastAnswers(
  index: RunIndex,
  { runId, execution }: { runId: string; execution: string },
  { codecs }: Pick<AnswersCodec, 'codecs'>,
): Promise<LastAnswers | null> {
  try {
    const text = await index.answers(runId, execution);
    if (text === null) return null;
    const [payload] = await decodedPayloads([text], codecs.filter(encodes));
    return JSON.parse((await unpacked(payload?.data ?? new Uint8Array())).toString()) as LastAnswers;
  } catch {
    return null;
  }
}
