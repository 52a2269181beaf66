import {
  autocompletion,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  defaultHighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { lintGutter, setDiagnostics, type Diagnostic as Mark } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import type { Diagnostic } from '../../validation/index.js';
import type { Completions } from './completions.js';

/** What can be written at a place of a text; null: nothing is known. */
export type Complete = (text: string, at: number) => Completions | null;

export interface CodeEditor {
  text(): string;
  setText(text: string): void;
  mark(diagnostics: readonly Diagnostic[]): void;
  destroy(): void;
}

/**
 * An editor of Lua in an element. Escape and then Tab leave it by keyboard.
 * @param complete is asked as the person types
 * @param onChange is given the text after each change by the person
 */
export function createEditor(
  parent: HTMLElement,
  text: string,
  complete: Complete,
  onChange: (text: string) => void,
): CodeEditor {
  let isOurs = false;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        lintGutter(),
        StreamLanguage.define(lua),
        syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
        autocompletion({ override: [(context) => completionsOf(context, complete)] }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': 'Procedure, in Lua', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isOurs) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    setText: (other) => {
      isOurs = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: other } });
      isOurs = false;
    },
    mark: (diagnostics) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          diagnostics.map((each) => markOf(view.state, each)),
        ),
      ),
    destroy: () => view.destroy(),
  };
}

/** From its place to the end of the word, or of the line. */
function markOf(
  { doc }: EditorState,
  { line, column, severity, message, suggestion, code }: Diagnostic,
): Mark {
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  const from = Math.min(at.from + column - 1, at.to);
  const word = /^\w+/.exec(doc.sliceString(from, at.to))?.[0].length ?? 0;
  const advice = suggestion === null ? '' : `\n${suggestion}`;
  return { from, to: word > 0 ? from + word : at.to, severity, message: `${message}${advice}`, source: code };
}

function completionsOf(
  { state, pos, explicit }: CompletionContext,
  complete: Complete,
): CompletionResult | null {
  const found = complete(state.doc.toString(), pos);
  if (found === null || (found.from === pos && !explicit && state.sliceDoc(pos - 1, pos) !== '.'))
    return null;
  const options = found.options.map(({ label, kind, detail, info }) => ({
    ...{ label, type: kind, detail },
    ...(info === '' ? {} : { info }),
  }));
  return { from: found.from, options, validFor: /^\w*$/ };
}
