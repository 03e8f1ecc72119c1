import type { JSX } from "preact";
import { Icon, type IconName } from "./Icon";

interface Props extends Omit<JSX.IntrinsicElements["button"], "icon"> {
  icon: IconName;
  label: string;
}

/** A button that shows only a sign has its name for screen readers and as tooltip. */
export const IconButton = ({ icon, label, ...rest }: Props) => (
  <button type="button" aria-label={label} title={label} {...rest} class={`icon-button ${rest.class ?? ""}`}>
    <Icon name={icon} />
  </button>
);
