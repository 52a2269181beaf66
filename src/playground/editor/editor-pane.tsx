import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Diagnostic } from '../../validation/index.js';
import type { CodeEditor, Complete } from './code-editor.js';

export interface EditorPaneProps {
  text: string;
  diagnostics: readonly Diagnostic[];
  complete: Complete;
  onChange: (text: string) => void;
}

/** The file. Until the editor has loaded, and where it can't be, a plain text field. */
export function EditorPane({ text, diagnostics, complete, onChange }: EditorPaneProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const newest = useRef({ text, complete, onChange });
  newest.current = { text, complete, onChange };
  useEffect(() => {
    let isGone = false;
    void import('./code-editor.js').then(({ createEditor }) => {
      if (isGone || place.current === null) return;
      place.current.querySelector('textarea')?.remove();
      editor.current = createEditor(
        place.current,
        newest.current.text,
        (whole, at) => newest.current.complete(whole, at),
        (changed) => newest.current.onChange(changed),
      );
    });
    return () => {
      isGone = true;
      editor.current?.destroy();
    };
  }, []);
  // With the picture, not after it: the person may have typed more by then, which would be lost.
  useLayoutEffect(() => {
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
