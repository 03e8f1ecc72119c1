import { useState } from "preact/hooks";
import { Icon } from "./Icon";

interface Props {
  label: string;
  hint: string;
  accept: string;
  onFile: (file: File) => void;
}

/** A place to drop a file on, and a button to choose one. */
export function FileDrop({ label, hint, accept, onFile }: Props) {
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => files?.[0] && onFile(files[0]);
  const stop = (event: DragEvent, inside: boolean) => (event.preventDefault(), setOver(inside));
  return (
    <label class={`drop ${over ? "over" : ""}`} onDragOver={(event) => stop(event, true)} onDragLeave={(event) => stop(event, false)}
      onDrop={(event) => (stop(event, false), take(event.dataTransfer?.files))}>
      <Icon name="upload" />
      <b>{label}</b>
      <small>{hint}</small>
      <input class="unseen" type="file" accept={accept} onChange={(event) => (take(event.currentTarget.files), (event.currentTarget.value = ""))} />
    </label>
  );
}
