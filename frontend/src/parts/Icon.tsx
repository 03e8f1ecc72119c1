const PATHS = {
  add: "M8 3v10M3 8h10",
  check: "M3 8.5 6.5 12 13 4.5",
  close: "M4 4l8 8M12 4l-8 8",
  undo: "M6 3 3 6l3 3M3.5 6H9a4 4 0 0 1 0 8H6",
  redo: "M10 3l3 3-3 3M12.5 6H7a4 4 0 0 0 0 8h3",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.8 10.8 14 14",
  edit: "M3 13l.6-2.8L10.8 3a1.4 1.4 0 0 1 2 2l-7.2 7.2L3 13Z",
  remove: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5 5 13h6l.5-8.5",
  upload: "M8 11V3M4.8 6 8 3l3.2 3M3 13h10",
  download: "M8 3v8M4.8 8 8 11l3.2-3M3 13.5h10",
  down: "M4 6.5 8 10.5l4-4",
  back: "M7 3 3 8l4 5M3 8h10",
  tune: "M3 5h5M12 5h1M3 11h1M8 11h5M10 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6 13a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  reviews: "M3 4h10M3 8h10M3 12h6",
  queue: "M3 4h7M3 8h5M3 12h4M9.5 11.5l1.7 1.7L14 9.5",
  chart: "M3 13V9M7 13V4M11 13V7M2 13.5h12",
  target: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  light: "M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  dark: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z",
  system: "M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3",
  keys: "M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M11.8 7h.01M5 9.3h6",
  aspects: "M8.5 2.5h5v5L7.5 13.5l-5-5zM11 5h.01",
  details: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5V11M8 5h.01",
  help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.2 6.3a1.8 1.8 0 1 1 2.6 1.7c-.5.3-.8.6-.8 1.2M8 11.3h.01",
  quote: "M3 10.5h3.5V6H3v4.5c0 1 .5 2 1.5 2M9 10.5h3.5V6H9v4.5c0 1 .5 2 1.5 2",
  folder: "M2 12.5v-9h4l1.5 2H14v7z",
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
