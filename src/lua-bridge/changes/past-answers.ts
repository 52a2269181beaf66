import type { TrialAnswer } from '../../contract/changes/trial.js';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { Program } from '../program.js';
import type { ProgramOptions } from '../program-options.js';
import { endOf, type ProgramEnd } from './program-end.js';
import { Questions } from './source-judge.js';

/** What a log says of a run, for trials of other sources. */
export interface PastAnswers {
  answers: TrialAnswer[];
  end: ProgramEnd;
}

/**
 * Reads from the log of a run what it has asked for, and what it was answered. Nothing is performed.
 *
 * Owns: the program, and what it has asked for.
 * Asks: nobody. Its host calls `advance` until it gives the answers.
 */
export class PastAnswersReader {
  private readonly questions = new Questions();
  private readonly program: Program;

  constructor(
    private readonly log: readonly Checkpoint[],
    options: Omit<ProgramOptions, 'carried'>,
  ) {
    this.program = new Program({ ...options, carried: log, judge: this.questions });
  }

  /** Goes on for a slice of instructions; null: there is more to do. */
  advance(): PastAnswers | null {
    const turn = this.program.turn();
    if (turn.kind === 'slice') return null;
    const ended = new Map(this.log.map((each) => [each.position, each]));
    const asked = [...this.questions.all].filter(({ isFrame }) => !isFrame);
    const answers = asked.map(({ position, type, name, compared: { data } }): TrialAnswer => {
      const { outcome = null, at = 0, durationMs = 0 } = ended.get(position) ?? {};
      return { position, type, name, data, outcome, at, durationMs };
    });
    const order = new Map(this.log.map(({ position }, index) => [position, index]));
    const placeOf = ({ position }: TrialAnswer): number => order.get(position) ?? this.log.length;
    return { answers: answers.sort((a, b) => placeOf(a) - placeOf(b)), end: endOf(this.program, turn) };
  }
}
