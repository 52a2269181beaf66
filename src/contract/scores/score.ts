import { TactusError } from '../errors.js';
import { isObject, jsonAs, type JsonValue } from '../json/json.js';

export type ScoreValue = number | boolean;

/** How good a run was, in the opinion of somebody. */
export interface Score {
  name: string;
  value: ScoreValue;
  /** Who says so; null: nobody was named. */
  by: string | null;
  comment: string | null;
  /** ISO 8601 in UTC. */
  at: string;
}

/** The scores of a run. */
export interface RunScores {
  run_id: string;
  /** The newest of each name and person, the oldest first. */
  scores: Score[];
  /** What later ones have taken the place of, the oldest first. */
  earlier: Score[];
}

/** What somebody orders: the one argument of the Update. */
export type ScoreOrder = Omit<Score, 'at'>;

/** What is kept of a run: the state of its workflow, and its memo, which is read without a worker. The oldest first. */
export interface ScoreRecord {
  run_id: string;
  scores: Score[];
}

/** Key of the memo. */
export const scoresMemo = 'tactus_scores';
/** Who gave a score that the procedure of the run gave itself. */
export const byProcedure = 'procedure';

/** So many scores of a run are kept, those that later ones have taken the place of among them. */
export const mostScores = 200;
/** So many names a procedure itself gives scores of. */
export const mostOwnScores = 20;
const longestBy = 200;
const longestComment = 1_000;
const namePattern = /^[A-Za-z0-9][\w.-]{0,62}$/;

/** The id of the workflow that keeps the scores of a run. */
export function scoresWorkflowId(runId: string): string {
  return `tactus-scores/${runId}`;
}

/** Why something is no score; null: it is one. */
export function scoreProblem(name: JsonValue, value: JsonValue, comment: JsonValue): string | null {
  if (typeof name !== 'string' || !namePattern.test(name))
    return 'its name has letters, digits, "_", "-" and ".", 63 at most';
  if (typeof value !== 'boolean' && !(typeof value === 'number' && Number.isFinite(value)))
    return 'its value is a number, or true or false';
  if (comment !== null && (typeof comment !== 'string' || comment.length > longestComment))
    return `its comment is a text of at most ${longestComment} characters`;
  return null;
}

/**
 * Checks an order, from whatever client.
 * @throws TactusError usage naming what is wrong
 */
export function readScoreOrder(given: unknown): ScoreOrder {
  if (!isObject(given as JsonValue)) throw new TactusError('usage', 'A score must be one JSON object');
  const { name = null, value = null, by = null, comment = null } = given as Record<string, JsonValue>;
  const problem = scoreProblem(name, value, comment);
  if (problem !== null) throw new TactusError('usage', `This is no score: ${problem}`);
  if (by !== null && (typeof by !== 'string' || by === '' || by.length > longestBy))
    throw new TactusError(
      'usage',
      `This is no score: who gives it is a text of 1 to ${longestBy} characters`,
    );
  return { name: name as string, value: value as ScoreValue, by, comment: comment as string | null };
}

/**
 * With one more score. Where there is no room, the oldest goes that a later one has taken the place of.
 * @throws TactusError change_refused where there is none
 */
export function withScore(record: ScoreRecord, score: Score): ScoreRecord {
  const scores = [...record.scores, score];
  if (scores.length <= mostScores) return { ...record, scores };
  const { earlier } = scoresView({ ...record, scores });
  const [oldest] = earlier;
  if (oldest === undefined)
    throw new TactusError('change_refused', `A run has at most ${mostScores} scores`, {
      run_id: record.run_id,
    });
  return { ...record, scores: scores.filter((each) => each !== oldest) };
}

/** As it is read. */
export function scoresView({ run_id, scores: all }: ScoreRecord): RunScores {
  const newest = new Map<string, Score>();
  for (const score of all) newest.set(JSON.stringify([score.name, score.by]), score);
  const held = new Set(newest.values());
  const scores = all.filter((score) => held.has(score));
  return { run_id, scores, earlier: all.filter((score) => !held.has(score)) };
}

/** Reads the memo of such a workflow; null where it has none. */
export function readScoreRecord(memo: Record<string, unknown> | undefined): ScoreRecord | null {
  const record = memo?.[scoresMemo] as JsonValue | undefined;
  return isObject(record) ? jsonAs<ScoreRecord>(record) : null;
}
