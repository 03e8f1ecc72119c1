import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEY = "fewaspect-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export const theme = signal<Theme>((localStorage.getItem(KEY) as Theme | null) ?? "system");
const systemDark = signal(prefersDark.matches);
prefersDark.addEventListener("change", (event) => (systemDark.value = event.matches));

effect(() => {
  const dark = theme.value === "system" ? systemDark.value : theme.value === "dark";
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  localStorage.setItem(KEY, theme.value);
});
