import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Diagnostic } from '../../validation/index.js';
import type { CodeEditor } from './code-editor.js';

export interface EditorPaneProps {
  text: string;
  diagnostics: readonly Diagnostic[];
  onChange: (text: string) => void;
}

/** The file. Until the editor has loaded, and where it can't be, a plain text field. */
export function EditorPane({ text, diagnostics, onChange }: EditorPaneProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const newest = useRef({ text, onChange });
  newest.current = { text, onChange };
  useEffect(() => {
    let isGone = false;
    void import('./code-editor.js').then(({ createEditor }) => {
      if (isGone || place.current === null) return;
      place.current.querySelector('textarea')?.remove();
      editor.current = createEditor(place.current, newest.current.text, (changed) =>
        newest.current.onChange(changed),
      );
    });
    return () => {
      isGone = true;
      editor.current?.destroy();
    };
  }, []);
  useEffect(() => {
    const { current } = editor;
    if (current !== null && current.text() !== text) current.setText(text);
  }, [text]);
  useEffect(() => editor.current?.mark(diagnostics), [diagnostics]);
  return (
    <div class="editor" ref={place}>
      <textarea
        aria-label="Procedure, in Lua"
        spellcheck={false}
        value={text}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
