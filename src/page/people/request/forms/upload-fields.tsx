import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { isObject, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import { messageOf } from '../../../api/api.js';
import { useSession } from '../../../shell/session.js';
import { Problem, Text } from '../../../text/text.js';
import type { FieldsProps } from '../draft.js';

/** Files from this machine, which the server keeps, or a place where one lies already. */
export function UploadFields({ subject, draft, onChange }: FieldsProps): VNode {
  const { api } = useSession();
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const form = subject.form?.type === 'upload' ? subject.form : null;
  const files = draft.files ?? [];
  const isMultiple = form?.multiple === true;
  const add = (given: JsonValue[]): void =>
    onChange({ ...draft, files: isMultiple ? [...files, ...given] : given.slice(-1) });

  const upload = async (chosen: readonly File[]): Promise<void> => {
    setProblem(null);
    const tooLarge = chosen.find(({ size }) => form?.max_size != null && size > form.max_size);
    if (tooLarge !== undefined) {
      setProblem(`${tooLarge.name} is too large: at most ${sizeText(form?.max_size ?? 0)} are taken.`);
      return;
    }
    setBusy(true);
    try {
      add(await Promise.all(chosen.map(async (file) => (await api.upload(file)).value)));
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div class="field">
        <label for={id}>{isMultiple ? 'Files' : 'File'}</label>
        <input
          id={id}
          type="file"
          accept={form?.accept.join(',')}
          multiple={isMultiple}
          disabled={isBusy}
          aria-describedby={`${id}-hint`}
          onChange={(event) => void upload([...(event.currentTarget.files ?? [])])}
        />
        <p id={`${id}-hint`} class="muted">
          {form !== null && form.accept.length > 0 && (
            <>
              Taken: <Text text={form.accept.join(', ')} short={200} />.{' '}
            </>
          )}
          {form?.max_size != null && `At most ${sizeText(form.max_size)}.`}
        </p>
      </div>
      <UrlField onAdd={(file) => add([file])} />
      <div role="status">
        {isBusy && <p>Uploading …</p>}
        {files.length > 0 && (
          <ul class="plain files">
            {files.map((file, i) => (
              <li key={i}>
                <Text text={nameOf(file)} short={200} />
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove ${nameOf(file)}`}
                  onClick={() => onChange({ ...draft, files: files.filter((_, at) => at !== i) })}
                >
                  Remove
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
      <Problem problem={problem} />
    </>
  );
}

function nameOf(file: JsonValue): string {
  const { name, size } = isObject(file) ? file : {};
  return `${typeof name === 'string' ? name : ''}${typeof size === 'number' ? ` · ${sizeText(size)}` : ''}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  if (bytes < 1_024 ** 2) return `${(bytes / 1_024).toFixed(1)} KB`;
  return `${(bytes / 1_024 ** 2).toFixed(1)} MB`;
}

/** A file that lies somewhere already. */
function UrlField({ onAdd }: { onAdd: (file: JsonObject) => void }): VNode {
  const id = useId();
  const [url, setUrl] = useState('');
  const [size, setSize] = useState('');
  const name = nameIn(url);
  return (
    <details>
      <summary>Or enter its URL</summary>
      <div class="field">
        <label for={id}>URL</label>
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
          Its size in bytes <span class="muted">(if the request limits it)</span>
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
