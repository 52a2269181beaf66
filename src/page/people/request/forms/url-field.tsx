import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { JsonObject } from '../../../../contract/json/json.js';

/** A file that lies somewhere already. */
export function UrlField({ onAdd }: { onAdd: (file: JsonObject) => void }): VNode {
  const id = useId();
  const [url, setUrl] = useState('');
  const [size, setSize] = useState('');
  const name = nameIn(url);
  return (
    <details>
      <summary>Or say where it lies</summary>
      <div class="field">
        <label for={id}>Its URL</label>
        <input
          id={id}
          type="text"
          inputMode="url"
          placeholder="https://…"
          value={url}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for={`${id}-size`}>
          Its size in bytes <span class="muted">(where the request bounds it)</span>
        </label>
        <input
          id={`${id}-size`}
          type="text"
          inputMode="numeric"
          value={size}
          onInput={(event) => setSize(event.currentTarget.value)}
        />
      </div>
      <button
        type="button"
        disabled={name === null}
        onClick={() => {
          onAdd({ name: name ?? '', url, ...(/^\d+$/.test(size) ? { size: Number(size) } : {}) });
          setUrl('');
          setSize('');
        }}
      >
        Add
      </button>
    </details>
  );
}

/** What the last part of the path is called; null where it is no URL. */
function nameIn(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname, host } = new URL(url);
  const last = pathname.split('/').pop() ?? '';
  try {
    return last === '' ? host : decodeURIComponent(last);
  } catch {
    return last;
  }
}
