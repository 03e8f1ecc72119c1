import { ask } from "./http";
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
  change = (values: { name?: string; threshold?: number | null; target_precision?: number | null }) => ask<T.Project>("PATCH", this.path, values);
  remove = () => ask<void>("DELETE", this.path);
  undo = () => this.post<{ did: string; project: T.Project }>("/undo", {});
  redo = () => this.post<{ did: string; project: T.Project }>("/redo", {});

  addAspect = (values: { name: string; description: string; examples: string[] }) => this.post<T.Aspect>("/aspects", values);
  changeAspect = (id: number, values: Partial<Pick<T.Aspect, "name" | "description" | "threshold">>) =>
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
  sentence = (id: number, revision?: number) =>
    this.get<T.SentenceDetails>(`/sentences/${id}${revision === undefined ? "" : `?revision=${revision}`}`);
  label = (id: number, aspects: number[]) => ask<T.Sentence>("PUT", `${this.path}/sentences/${id}/aspects`, { aspects });
  release = (id: number) => ask<T.Sentence>("DELETE", `${this.path}/sentences/${id}/aspects`);
  skip = (id: number) => ask<void>("PUT", `${this.path}/sentences/${id}/skipped`);
  suggestions = (n: number) => this.get<T.Suggestions>(`/suggestions?n=${n}`);
  groups = () => this.get<{ groups: T.Group[] }>("/groups?n=10");

  toCheck = (n: number) => this.get<T.SentencesToCheck>(`/audit?n=${n}`);
  check = (id: number, aspects: number[]) => ask<unknown>("PUT", `${this.path}/audit/${id}`, { aspects });
  auditResult = () => this.get<{ result: T.AuditResult | null }>("/audit/result");
  examplesToCheck = () => this.get<T.ExamplesToCheck>("/examples-to-check");
  keepExample = (id: number) => ask<void>("PUT", `${this.path}/examples-to-check/${id}/kept`);

  preview = (file: File) => this.post<T.Preview>("/imports/preview", form({ file }));
  import = (file: File, text_column: string, date_column: string) => this.post<{ job: number | string }>("/imports", form({ file, text_column, date_column }));
  removeReviews = () => ask<void>("DELETE", `${this.path}/reviews`);

  dashboard = () => this.get<T.Dashboard>("/dashboard");
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
  if (filter.period !== null) query.set("period", filter.period);
  if (revision !== undefined) query.set("revision", String(revision));
  if (filter.q.trim()) query.set("q", filter.q.trim());
  return query;
}

/** Empty values are left out: the server then guesses. */
function form(values: Record<string, File | string>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(values)) if (value !== "") body.set(name, value);
  return body;
}
