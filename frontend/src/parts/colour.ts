import { hue, tone } from "../state/decisions";

/** The colour of an aspect, as the custom property that the style sheet computes with. */
export const coloured = (aspect: { colour: number } | undefined) => (aspect ? { "--h": String(hue(aspect.colour)), "--t": String(tone(aspect.colour)) } : undefined);
