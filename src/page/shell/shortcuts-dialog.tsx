import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { areShortcutsOn, setShortcuts } from './use-shortcuts.js';

const shortcuts = [
  ['j / k', 'next / previous request or run in a list'],
  ['Enter', 'open what has the focus'],
  ['/', 'search'],
  ['g', 'inbox'],
  ['l', 'runs'],
  ['u', 'back from a request or a run to its list'],
  ['f', 'to the first field of the form'],
  ['a / r', 'of an approval: to “Approve” / “Reject”. Enter then presses the button: no single key decides'],
  ['?', 'this list'],
] as const;

/** What can be done by keyboard. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOn, setOn] = useState(areShortcutsOn());
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="shortcuts-title" onClose={onClose}>
      <h2 id="shortcuts-title">Keyboard</h2>
      <p>Everything is reached by Tab and pressed by Enter or Space. These keys are shorter:</p>
      <dl class="shortcuts">
        {shortcuts.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="choice">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            setShortcuts(event.currentTarget.checked);
            setOn(event.currentTarget.checked);
          }}
        />
        Single keys do something
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
