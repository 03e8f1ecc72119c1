export interface Status {
  version: string;
  backend: string;
  token_required: boolean;
  limits: { body_bytes: number; text_chars: number; import_rows: number; examples: number; aspects: number };
}

export interface ProjectEntry {
  id: number;
  name: string;
  created: string;
  aspects: number;
  examples: number;
  reviews: number;
  sentences: number;
  revision: number;
}

export interface Aspect {
  id: number;
  name: string;
  description: string;
  threshold: number | null;
  colour: number;
  examples: number;
  found: number;
}

export interface Project extends Omit<ProjectEntry, "aspects"> {
  aspects: Aspect[];
  threshold: number;
  scored: number;
  can_undo: string | null;
  can_redo: string | null;
  dated: boolean;
  promise?: AnswerPromise | null;
}

/** What is promised of the answers that are accepted; `look`: how many sentences have others. */
export interface AnswerPromise {
  precision: number;
  ready: boolean;
  promised: boolean;
  labels: number;
  more: number | null;
  answers: number;
  accepted: number;
  look: number;
}

export interface Example {
  id: number;
  text: string;
  aspects: number[];
  sentence_id: number | null;
  created: string;
}

/** Offsets count code points, not UTF-16 units. */
export interface Word {
  start: number;
  end: number;
  aspect: number;
  weight: number;
}

export interface Sentence {
  id: number;
  review_id: number;
  position: number;
  text: string;
  date: string | null;
  aspects: number[];
  scores: Record<string, number>;
  words: Word[];
  reason: string;
  example_id: number | null;
  confirmed: boolean;
  /** Aspects that need a look, the others being accepted; null where nothing is promised. */
  look?: number[] | null;
}

export interface SentenceDetails extends Sentence {
  nearest: Record<string, { text: string; similarity: number; example_id: number }[]>;
  review: { id: number; text: string; fields: Record<string, unknown> };
  thresholds: Record<string, number>;
}

export interface SentencePage {
  total: number;
  revision: number;
  scored: number;
  sentences: Sentence[];
}

export type Show = "all" | "none" | "uncertain" | "look" | "examples";

/** What the list of sentences is narrowed to; `together` and `period` come from the charts. */
export interface Filter {
  aspect: number | null;
  together: number | null;
  period: string | null;
  show: Show;
  q: string;
  order: "file" | "uncertain";
}

export interface Suggestion {
  sentence: Sentence;
  reason: string;
}

/** Sentences that no aspect claims; `takes`: those of a named aspect that it would claim too. */
export interface Group {
  name: string;
  size: number;
  share: number;
  words: string[];
  sentences: string[];
  takes: { aspect: number; count: number }[];
}

/** `changed`: the share of the answers that the last labels have changed; null while there are too few labels to say. */
export interface Suggestions {
  suggestions: Suggestion[];
  changed: number | null;
  settled: boolean;
}

export interface Preview {
  format: string;
  columns: { name: string; samples: string[]; kind: string }[];
  text_column: string | null;
  date_column: string | null;
  rows: Record<string, unknown>[];
}

export interface Progress {
  stage: "reading" | "detecting";
  done: number;
  total: number;
  skipped: number;
}

export interface Tuned {
  aspects: { id: number; name: string; threshold_before: number; threshold: number; f1_before: number; f1: number; texts: number }[];
}

export interface CurvePoint {
  threshold: number;
  precision: number;
  recall: number;
}

/** A measure that is not defined, such as precision where nothing was found, is null. */
export interface AspectEvaluation {
  id: number;
  name: string;
  precision: number | null;
  recall: number | null;
  f1: number | null;
  average_precision: number | null;
  support: number;
  confusion: { tp: number; fp: number; fn: number; tn: number };
  curve: CurvePoint[];
  threshold: number;
}

export interface Evaluation {
  macro_f1: number | null;
  micro_f1: number | null;
  mean_average_precision: number | null;
  right_empties: number | null;
  calibration_error: number | null;
  texts: number;
  aspects: AspectEvaluation[];
  /** Names in the labels that are none of the project's aspects, and how often. */
  unknown_aspects?: Record<string, number>;
}

export interface Dashboard {
  sentences: number;
  none: number;
  aspects: { id: number; count: number }[];
  together: [number, number, number][];
  over_time: { period: string; total: number; counts: Record<string, number> }[];
}

export interface Detection {
  aspects: string[];
  scores: Record<string, number>;
}

export interface SentencesToCheck {
  sentences: Sentence[];
  checked: number;
  size: number;
}

export interface AuditEstimate {
  value: number;
  low: number;
  high: number;
}

export interface AuditResult {
  aspects: { id: number; name: string; precision: AuditEstimate | null; recall: AuditEstimate; f1: AuditEstimate; answered: number; checked: number; found: number; more: number }[];
  precision: AuditEstimate | null;
  recall: AuditEstimate;
  f1: AuditEstimate;
  macro_f1: AuditEstimate;
  labelled: number;
  size: number;
  more: number;
}

export interface ExampleIssue {
  example_id: number;
  text: string;
  given: number[];
  suggested: number[];
  reason: string;
}

export interface ExamplesToCheck {
  issues: ExampleIssue[];
  growth: { id: number; signal: "growing" | "level" | "contradictory" | "too few"; examples: number; reason: string }[];
}
