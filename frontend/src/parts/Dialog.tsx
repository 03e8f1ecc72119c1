import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { dialog } from "../state/view";
import { IconButton } from "./IconButton";
import { Toasts } from "./Toasts";

interface Props {
  title: string;
  wide?: boolean;
  onClose?: () => void;
  children: ComponentChildren;
}

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape and gives the focus back. Messages must stand inside it to be reached. */
export function Dialog({ title, wide, onClose = closeDialog, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} class={wide ? "wide" : ""} aria-labelledby={heading} onClose={onClose} onClick={(event) => event.target === box.current && onClose()}>
      <header>
        <h2 id={heading}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
      <Toasts />
    </dialog>
  );
}

export const closeDialog = () => {
  dialog.value = null;
};
