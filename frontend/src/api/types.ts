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
  /** A heading that it stands under; empty: none. */
  group: string;
  examples: number;
  found: number;
}

export interface NewAspect {
  name: string;
  description: string;
  examples: string[];
}

/** `moved`: proposed for a new aspect. */
export interface ExampleToMove {
  id: number;
  text: string;
  moved: boolean;
}

/** Reviews in languages that the model does not read, of those looked at; the name of a model that reads them. */
export interface UnreadReviews {
  languages: { language: string; reviews: number }[];
  looked_at: number;
  model: string | null;
}

export interface Project extends Omit<ProjectEntry, "aspects"> {
  aspects: Aspect[];
  /** By its name; null: the English one. */
  model: string | null;
  threshold: number;
  scored: number;
  can_undo: string | null;
  can_redo: string | null;
  dated: boolean;
  /** The job that imports reviews now. */
  importing?: number | null;
  promise?: AnswerPromise | null;
  /** Whether it is told what sentences think of their aspects. */
  sentiment?: boolean;
  unread?: UnreadReviews | null;
}

export type Polarity = "negative" | "neutral" | "positive" | "mixed";

/** What a sentence thinks of an aspect; `own`: a person has said it. */
export interface SentimentOfAspect {
  polarity: Polarity;
  negative: number;
  neutral: number;
  positive: number;
  own: boolean;
}

export interface MeanRating {
  mean: number | null;
  reviews: number;
}

/** Sentences by what they think of the aspect, typical ones, and how reviews that complain or praise rate. */
export interface AspectOpinion extends Record<Polarity, number> {
  id: number;
  typical: Record<"negative" | "positive", { id: number; text: string }[]>;
  ratings: Partial<Record<"negative" | "positive", MeanRating>>;
}

export interface Opinions {
  scored: number;
  on: boolean;
  aspects: AspectOpinion[];
  unit: Unit;
  /** Of each aspect its negative, neutral, positive and mixed sentences. */
  periods: { label: string; period: string; counts: Record<string, number[]> }[];
  rating: (MeanRating & { column: string }) | null;
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
  /** What a person said it is not about, while it is no example. */
  rejected?: number[];
  /** Aspects that need a look, the others being accepted; null where nothing is promised. */
  look?: number[] | null;
  /** What the page shows is not with the server yet. */
  unsaved?: boolean;
  /** By aspect; null where it is not told. */
  sentiment?: Record<string, SentimentOfAspect> | null;
  /** It seems to be in a language that the detector does not read. */
  foreign?: boolean;
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
  /** Of the sentence that was to be located. */
  position?: number | null;
  sentences: Sentence[];
}

export type Show = "all" | "none" | "uncertain" | "look" | "examples";

export type Order = "file" | "uncertain" | "certain";

/** What the list of sentences is narrowed to; `together` and `period` come from the charts. */
export interface Filter {
  aspect: number | null;
  together: number | null;
  period: string | null;
  group: string | null;
  show: Show;
  q: string;
  order: Order;
  /** A sentence: those most like it come first. */
  like: number | null;
  /** What is thought of the aspect, or of any. */
  sentiment: Polarity | null;
  /** Conditions on the columns of the reviews. */
  where: string[];
}

/** Reviews for which all the conditions hold. */
export interface Segment {
  label: string;
  where: string[];
  reviews: number;
}

/** A column that reviews were imported with. */
export interface Column {
  name: string;
  kind: "label" | "number" | "date";
  values: number;
  least: string | null;
  greatest: string | null;
  segments: Segment[];
}

/** Reviews with the aspect; their share of all, and its 95 % interval. */
export interface AspectShare {
  id: number;
  reviews: number;
  share: number;
  low: number;
  high: number;
  /** Those that complain of it; null where that is not told (yet). */
  negative: number | null;
}

export interface ReviewCounts {
  reviews: number;
  sentences: number;
  none: number;
  aspects: AspectShare[];
}

export type Unit = "day" | "week" | "month" | "quarter" | "year";

export interface CountsOverTime {
  unit: Unit;
  /** Below 1 while sentiment is being read. */
  told: number;
  periods: (ReviewCounts & { label: string; period: string })[];
}

export interface ColumnCounts {
  column: string;
  /** Below 1 while sentiment is being read. */
  told: number;
  segments: (ReviewCounts & { label: string; where: string[] })[];
}

export interface ShareDifference {
  difference: number;
  low: number;
  high: number;
  verdict: "more than chance" | "could be chance" | "no reviews";
  /** It would be more than chance if no other aspect were compared. */
  clear_alone: boolean;
}

export interface AspectDifference extends ShareDifference {
  id: number;
  /** Of the share of those that complain among the reviews that mention it. */
  complaints: ShareDifference | null;
}

export interface Comparison {
  compared: number;
  /** Below 1 while sentiment is being read. */
  told: number;
  one: ReviewCounts & { where: string[] };
  other: ReviewCounts & { where: string[] };
  aspects: AspectDifference[];
}

/** What the dashboard is asked: of which reviews, by which column, which two segments, in which periods. */
export interface Charts {
  where: string[];
  by: string | null;
  one: string[];
  other: string[];
  unit: Unit | null;
}

/** What the report shows, besides what the dashboard does. */
export interface ReportChoices extends Charts {
  title: string;
  notes: string;
  aspects: number[];
  charts: string[];
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

/** How a file is to be read; what is left out is found out. */
export interface Reading {
  encoding?: string;
  delimiter?: string;
  sheet?: string;
}

export type Duplicates = "skip" | "replace" | "add";

/** Which comes first in dates such as 03/04/2025. */
export type DateOrder = "day_first" | "month_first";

export interface ImportOptions extends Reading {
  text_column: string;
  date_column: string;
  date_order: DateOrder | "";
  duplicates: Duplicates;
}

export interface ImportEntry {
  id: number;
  name: string;
  created: string;
  reviews: number;
  labels: number;
}

export interface Preview {
  format: string;
  encoding: string | null;
  delimiter: string | null;
  sheet: string | null;
  sheets: string[];
  duplicates: number | null;
  /** Rows that repeat an earlier one of the file. */
  repeated: number | null;
  same_file: { name: string; created: string } | null;
  columns: { name: string; samples: string[]; kind: string; date_order: DateOrder | null }[];
  text_column: string | null;
  date_column: string | null;
  rows: Record<string, unknown>[];
}

export interface Progress {
  stage: "reading" | "detecting";
  done: number;
  total: number;
  skipped: number;
  imported: number;
  duplicates: number;
}

export interface Tuned {
  aspects: { id: number; name: string; threshold_before: number; threshold: number; f1_before: number; f1: number; texts: number }[];
}

export interface CurvePoint {
  threshold: number;
  /** null where nothing reaches the threshold. */
  precision: number | null;
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

/** A text, aspects that were found in it but are wrong, and aspects that were missed; the first of many. */
export interface Mistake {
  text: string;
  wrong: number[];
  missed: number[];
}

/** Which of the mistakes of an aspect. */
export type MistakeKind = "wrong" | "missed";

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
  /** Aspects that none of the texts is about; macro F1 says nothing of them. */
  without_texts?: string[];
  mistakes?: Mistake[];
}

export interface Dashboard {
  scored: number;
  sentences: number;
  none: number;
  reviews: number;
  reviews_none: number;
  aspects: { id: number; count: number; reviews: number }[];
  together: [number, number, number][];
  groups: { group: string; count: number; reviews: number }[];
}

export interface Detection {
  aspects: string[];
  scores: Record<string, number>;
  foreign?: boolean;
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
