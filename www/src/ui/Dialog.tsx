// A modal dialog. It is the browser's own, which traps the focus and restores it.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./Icon.tsx";

interface Props {
  title: string;
  close: () => void;
  wide?: boolean;
  children: ComponentChildren;
  footer?: ComponentChildren;
}

export function Dialog({ title, close, wide = false, children, footer }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  // The dialog opens in a layout effect, before its first painting, so that it receives what is typed then.
  useLayoutEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
    >
      <div class="dialog-box">
        <div class="dialog-head">
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="plain square" aria-label="Close" title="Close (Esc)" onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <div class="dialog-body" tabIndex={0}>
          {children}
        </div>
        {footer && <div class="dialog-foot">{footer}</div>}
      </div>
    </dialog>
  );
}
