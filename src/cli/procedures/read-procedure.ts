import type { Command } from 'commander';
import { isAbsolute, resolve } from 'node:path';
import { checkStart, describeSource, validateFile } from '../../client/procedures/index.js';
import { collectFile } from '../../sources/collect-source.js';
import { folderOf } from '../../sources/find-procedure.js';
import { defined, type JsonObject } from '../../contract/json/json.js';
import { readLabels, type Labels } from '../../contract/runs/labels.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { TactusError, collect, readDuration, type CommonOptions, type Screen } from '../command.js';
import { configure, withSettingOptions, type SettingFlags } from '../configure.js';
import type { Session } from '../session.js';
import { diagnosticText } from './diagnostic-text.js';
import { payloadsPlace } from '../payloads/codecs.js';
import { readInput } from '../runs/read-input.js';
import type { Diagnostic } from '../../validation/index.js';
import type { StartOptions } from '../../client/index.js';

/** Nobody must count on what isn't done, without a word. */
const withoutEffect = ['ignored_setting'];
/** Errors of a place that a run may never come to, or may catch: the reference runs these, and so do we. */
const ofAPlace = ['wrong_state_type', 'output_incomplete', 'output_unknown', 'non_deterministic'];

export interface ReadProcedure {
  source: ProcedureSource;
  /** Its file as it was given. */
  file: string;
  input: JsonObject;
  /** The task of it to run; undefined: what it runs by itself. */
  task: string | undefined;
  settings: RunSettings;
  /** Models of its agents; null stands for the default. */
  models: (string | null)[];
  /** Left out: it is given none. */
  labels?: Labels;
  /** The most time that the run may take, in ms; null: no limit. */
  longestMs: number | null;
  /** It is a graph, whose run has turns. */
  isThread: boolean;
}

/**
 * Reads a procedure and the input for it, and refuses what could never run, before any server is asked. `recorded`: the input
 * where it is there already, and no flag says another one.
 * @throws TactusError source_not_found, source_invalid, no_procedure, input_invalid, config_invalid, usage
 */
export async function readProcedure(
  file: string,
  task: string | undefined,
  given: StartFlags & CommonOptions,
  screen: Screen,
  recorded: JsonObject | null = null,
): Promise<ReadProcedure> {
  const longestMs = given.timeout === undefined ? null : readDuration(given.timeout, '--timeout');
  if (longestMs === 0) throw new TactusError('usage', '--timeout must be longer than 0');
  const { label = [] } = given;
  const labels = label.length === 0 ? undefined : readLabels(label);
  const source = await collectFile(file);
  const { settings } = await configure(file, given, screen);
  const { input: types, models } = describeSource(source, settings);
  const isGiven = given.input !== undefined || given.param.length > 0;
  const input = recorded === null || isGiven ? await readInput(given, types) : recorded;
  const { isThread } = checkStart(source, input, {
    ...{ settings, task },
    isStored: payloadsPlace(given) !== null,
  });
  if (given.validate !== false) await assertValid(file, settings, screen, ['started', 'starts']);
  return { source, file, input, task, settings, models, longestMs, isThread, ...defined({ labels }) };
}

/** @throws TactusError source_invalid, when what is wrong has been shown as `validate` shows it */
export async function assertValid(
  file: string,
  { strictDeterminism }: RunSettings,
  screen: Screen,
  [done, does]: [done: string, does: string],
): Promise<void> {
  const { diagnostics, texts } = await validateFile(file, { strict: strictDeterminism ?? null });
  const told = (each: Diagnostic): boolean => [...withoutEffect, ...ofAPlace].includes(each.code);
  const errors = diagnostics.filter(({ severity, code }) => severity === 'error' && !ofAPlace.includes(code));
  const text = (each: Diagnostic): string => diagnosticText(each, texts.get(each.file), screen.paint);
  for (const each of errors) screen.warn(text(each));
  for (const each of diagnostics) if (told(each) && !errors.includes(each)) screen.note(text(each));
  if (errors.length === 0) return;
  const count = `${errors.length} ${errors.length === 1 ? 'error' : 'errors'}`;
  throw new TactusError(
    'source_invalid',
    `${file} has ${count}, nothing was ${done}; --no-validate ${does} it anyway`,
    { diagnostics: errors.map((each) => ({ ...each })) },
  );
}

/** What a run of a procedure that was read here is started with, now or by a schedule. */
export function startOptionsOf(
  { file, task, settings, longestMs, labels }: ReadProcedure,
  session: Session,
): Omit<StartOptions, 'runId'> {
  // A worker elsewhere has files of its own, and ours has none but those of its folder.
  const folder = folderOf(resolve(file), session.files.path);
  const isWithin = session.embedded !== null && !isAbsolute(folder);
  return {
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...defined({ task, labels }),
    ...(isWithin ? { folder } : {}),
    ...(longestMs === null ? {} : { timeout: `${longestMs}ms` }),
  };
}

/** Flags of `run` and `start`. */
export interface StartFlags extends SettingFlags {
  param: string[];
  /** Left out: none. */
  label?: string[];
  input?: string;
  id?: string;
  messageId?: string;
  timeout?: string;
  priorityKey?: string;
  fairnessKey?: string;
  fairnessWeight?: string;
  /** Of `start` alone. */
  paused?: boolean;
  /** false: whatever `validate` finds. */
  validate?: boolean;
  /** Of `run` alone. */
  mock?: boolean;
}

/** Adds what both take. */
export function withStartOptions(command: Command): Command {
  return withSettingOptions(command)
    .argument('<file>', 'the procedure: a .tac file')
    .argument('[task]', 'task to run (default: run, else the main procedure, else its only task)')
    .option('--param <name=value>', 'one field of the input; may be repeated', collect, [])
    .option('--input <json|@file|->', 'the input as JSON, from a file, or from stdin')
    .option('--id <run>', 'id of the run; if the run exists, it is followed, or has its next turn')
    .option('--message-id <id>', 'id of the message that begins a turn of a graph; each begins one')
    .option('--label <key=value>', 'a label of the run, to find it by; may be repeated', collect, [])
    .option('--no-validate', 'start it even if validate finds errors')
    .option('--timeout <duration>', 'time limit of the run, such as 30d')
    .option('--priority-key <number>', 'where workers are busy: from 1 (first) to 5 (last) (default: 3)')
    .option(
      '--fairness-key <text>',
      'whose the run is, such as a tenant: keys take turns where workers are busy',
    )
    .option('--fairness-weight <number>', 'so many turns its key gets where others get one (default: 1)');
}
