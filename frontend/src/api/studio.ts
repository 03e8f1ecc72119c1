import { ask, download } from "./http";
import type * as T from "./types";

export const PAGE = 100;

export const getStatus = () => ask<T.Status>("GET", "/status");
export const getProjects = () => ask<{ projects: T.ProjectEntry[] }>("GET", "/projects").then((answer) => answer.projects);
export const createProject = (name: string) => ask<T.Project>("POST", "/projects", { name });
export const importProject = (file: File) => ask<T.Project>("POST", "/projects/import", form({ file }));

/** Everything one project can be asked. */
export class Studio {
  constructor(readonly id: number) {}

  get path() {
    return `/projects/${this.id}`;
  }

  project = () => this.get<T.Project>("");
  change = (values: { name?: string; threshold?: number | null; target_precision?: number | null; model?: string | null; sentiment?: boolean }) => ask<T.Project>("PATCH", this.path, values);
  remove = () => ask<void>("DELETE", this.path);
  undo = () => this.post<{ did: string; project: T.Project }>("/undo", {});
  redo = () => this.post<{ did: string; project: T.Project }>("/redo", {});

  addAspect = (values: T.NewAspect) => this.post<T.Aspect>("/aspects", values);
  addAspects = (aspects: T.NewAspect[]) => this.post<{ aspects: T.Aspect[] }>("/aspects/batch", { aspects });
  groupAspects = (group: string, aspects: number[]) => ask<unknown>("PUT", `${this.path}/aspects/group`, { group, aspects });
  mergeAspects = (id: number, values: { other: number; name: string; description: string }) => this.post<T.Aspect>(`/aspects/${id}/merge`, values);
  proposeSplit = (id: number, like: number[]) => this.get<{ examples: T.ExampleToMove[] }>(`/aspects/${id}/split?${new URLSearchParams(like.map((one) => ["like", String(one)]))}`);
  splitAspect = (id: number, values: { name: string; description: string; examples: number[] }) => this.post<T.Aspect>(`/aspects/${id}/split`, values);
  changeAspect = (id: number, values: Partial<Pick<T.Aspect, "name" | "description" | "threshold" | "group" | "colour">>) =>
    ask<T.Aspect>("PATCH", `${this.path}/aspects/${id}`, values);
  removeAspect = (id: number) => ask<void>("DELETE", `${this.path}/aspects/${id}`);
  tune = () => this.post<T.Tuned>("/tune", {});

  examples = (aspect: number | "none") => this.get<{ total: number; examples: T.Example[] }>(`/examples?aspect=${aspect}&offset=0&limit=200`);
  addExample = (text: string, aspects: number[], sentence_id?: number) =>
    this.post<T.Example>("/examples", { text, aspects, ...(sentence_id === undefined ? {} : { sentence_id }) });
  correctExample = (id: number, aspects: number[]) => ask<T.Example>("PATCH", `${this.path}/examples/${id}`, { aspects });
  removeExample = (id: number) => ask<void>("DELETE", `${this.path}/examples/${id}`);

  /** Of the present; if a known revision will do, changes of others may show later. */
  sentences = (filter: T.Filter, page: number, revision?: number) =>
    this.get<T.SentencePage>(`/sentences?${sentenceQuery(filter, page, revision)}`);
  /** Where a sentence is in the list; null: it is not. */
  locate = (filter: T.Filter, id: number) => this.get<{ position: number | null }>(`/sentences?${sentenceQuery(filter, 0)}&locate=${id}`);
  sentence = (id: number, revision?: number) =>
    this.get<T.SentenceDetails>(`/sentences/${id}${revision === undefined ? "" : `?revision=${revision}`}`);
  confirm = (sentences: { id: number; aspects: number[] }[]) => ask<{ confirmed: number }>("PUT", `${this.path}/sentences/confirmed`, { sentences });
  /** `seen`: what it was an example of when the person decided, null: of nothing; undefined: whatever it is. */
  label = (id: number, aspects: number[], seen?: number[] | null) =>
    ask<T.Sentence>("PUT", `${this.path}/sentences/${id}/aspects`, { aspects, ...(seen === undefined ? {} : { seen }) });
  release = (id: number, seen?: number[] | null) =>
    ask<T.Sentence>("DELETE", `${this.path}/sentences/${id}/aspects${seen ? `?seen=${seen.join(",")}` : ""}`);
  reject = (id: number, aspect: number, seen?: number[] | null) =>
    ask<T.Sentence>("PUT", `${this.path}/sentences/${id}/rejected/${aspect}`, seen === undefined ? {} : { seen });
  restore = (id: number, aspect: number) => ask<T.Sentence>("DELETE", `${this.path}/sentences/${id}/rejected/${aspect}`);
  sayPolarity = (id: number, aspect: number, polarity: T.Polarity) => ask<T.Sentence>("PUT", `${this.path}/sentences/${id}/polarities/${aspect}`, { polarity });
  takePolarityBack = (id: number, aspect: number) => ask<T.Sentence>("DELETE", `${this.path}/sentences/${id}/polarities/${aspect}`);
  skip = (id: number) => ask<void>("PUT", `${this.path}/sentences/${id}/skipped`);
  suggestions = (n: number) => this.get<T.Suggestions>(`/suggestions?n=${n}`);
  groups = () => this.get<{ groups: T.Group[] }>("/groups?n=10");

  toCheck = (n: number) => this.get<T.SentencesToCheck>(`/audit?n=${n}`);
  check = (id: number, aspects: number[]) => ask<unknown>("PUT", `${this.path}/audit/${id}`, { aspects });
  auditResult = () => this.get<{ result: T.AuditResult | null }>("/audit/result");
  examplesToCheck = () => this.get<T.ExamplesToCheck>("/examples-to-check");
  keepExample = (id: number) => ask<void>("PUT", `${this.path}/examples-to-check/${id}/kept`);

  preview = (file: File, reading: T.Reading, text_column: string) => this.post<T.Preview>("/imports/preview", form({ file, text_column, ...reading }));
  import = (file: File, how: T.ImportOptions) => this.post<{ job: number }>("/imports", form({ file, ...how }));
  imports = () => this.get<{ imports: T.ImportEntry[] }>("/imports").then((answer) => answer.imports);
  removeImport = (id: number, labels: "keep" | "remove") => ask<void>("DELETE", `${this.path}/imports/${id}?labels=${labels}`);
  removeReviews = (labels: "keep" | "remove") => ask<void>("DELETE", `${this.path}/reviews?labels=${labels}`);

  dashboard = (where: string[]) => this.get<T.Dashboard>(`/dashboard?${conditions({ where })}`);
  columns = () => this.get<{ columns: T.Column[] }>("/columns").then((answer) => answer.columns);
  segments = (column: string, where: string[]) => this.get<T.ColumnCounts>(`/segments?${conditions({ column: [column], where })}`);
  periods = (unit: T.Unit | null, where: string[]) => this.get<T.CountsOverTime>(`/periods?${conditions({ unit: unit ? [unit] : [], where })}`);
  opinions = (unit: T.Unit | null, where: string[]) => this.get<T.Opinions>(`/sentiment?${conditions({ unit: unit ? [unit] : [], where })}`);
  comparison = (one: string[], other: string[], where: string[]) => this.get<T.Comparison>(`/comparison?${conditions({ one, other, where })}`);
  report = (choices: T.ReportChoices) => download(`${this.path}/report`, "report.html", choices);
  evaluateFile = (file: File) => this.post<T.Evaluation>("/evaluate", form({ file }));
  evaluateLines = (texts: string[], labels: string[][]) => this.post<T.Evaluation>("/evaluate", { texts, labels });
  detect = (text: string) => this.post<{ results: T.Detection[] }>("/detect", { texts: [text], explain: true }).then((answer) => answer.results[0]!);
  loadModel = (file: File) => this.post<unknown>("/model", form({ file }));
  snippet = () => this.get<{ python: string }>("/snippet").then((answer) => answer.python);

  private get = <A>(path: string) => ask<A>("GET", this.path + path);
  private post = <A>(path: string, body: unknown) => ask<A>("POST", this.path + path, body);
}

export function sentenceQuery(filter: T.Filter, page: number, revision?: number): URLSearchParams {
  const query = new URLSearchParams({ offset: String(page * PAGE), limit: String(PAGE), show: filter.show, order: filter.order });
  if (filter.aspect !== null) query.set("aspect", String(filter.aspect));
  if (filter.together !== null) query.set("together", String(filter.together));
  if (filter.like !== null) query.set("like", String(filter.like));
  if (filter.group !== null) query.set("group", filter.group);
  if (filter.period !== null) query.set("period", filter.period);
  if (filter.sentiment !== null) query.set("sentiment", filter.sentiment);
  for (const one of filter.where) query.append("where", one);
  if (revision !== undefined) query.set("revision", String(revision));
  if (filter.q.trim()) query.set("q", filter.q.trim());
  return query;
}

export const conditions = (lists: Record<string, string[]>) =>
  new URLSearchParams(Object.entries(lists).flatMap(([name, values]) => values.map((value) => [name, value])));

/** Empty values are left out: the server then guesses. */
function form(values: Record<string, File | string>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(values)) if (value !== "") body.set(name, value);
  return body;
}
