import { hue } from "../state/decisions";

/** The colour of an aspect, as the custom property that the style sheet computes with. */
export const coloured = (aspect: { colour: number } | undefined) => (aspect ? { "--h": String(hue(aspect.colour)) } : undefined);
