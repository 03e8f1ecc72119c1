import { MockProject } from "./project.ts";

interface Answer {
  status?: number;
  type?: string;
  content?: unknown;
}

const wrong = (status: number, detail: string): Answer => ({ status, type: "application/problem+json", content: { type: "about:blank", title: "Problem", status, detail } });

export function answer(projects: MockProject[], method: string, path: string, query: URLSearchParams, body: any): Answer {
  if (path === "/status") return { content: { version: "mock", backend: "words", token_required: false, limits: {} } };
  if (path === "/projects" && method === "GET") return { content: { projects: projects.map((p) => p.entry()) } };
  if (path === "/projects" && method === "POST") {
    const made = new MockProject(projects.length + 1, false);
    made.name = body.name;
    projects.push(made);
    return { status: 201, content: made.project() };
  }
  const [, , id, part = "", inner, last] = path.split("/");
  const p = projects.find((project) => project.id === Number(id));
  if (!p) return wrong(404, `There is no project ${id}.`);
  switch (`${method} ${part}`) {
    case "GET ": return { content: p.project() };
    case "PATCH ": return (Object.assign(p, body), { content: p.project() });
    case "DELETE ": return (projects.splice(projects.indexOf(p), 1), { status: 204 });
    case "POST undo":
    case "POST redo": {
      const did = p.step(part === "undo" ? "past" : "future");
      return did ? { content: { did, project: p.project() } } : wrong(409, `There is nothing to ${part}.`);
    }
    case "POST aspects": {
      if (p.aspects.some((a) => a.name === body.name)) return wrong(409, `There is already an aspect “${body.name}”; choose another name.`);
      const made = p.addAspect(body.name, body.description ?? "", body.examples ?? []);
      return { status: 201, content: p.counted().find((a) => a.id === made) };
    }
    case "PATCH aspects": p.change("change of an aspect", (s) => ({ ...s, aspects: s.aspects.map((a) => (a.id === Number(inner) ? { ...a, ...body } : a)) })); return { content: p.counted().find((a) => a.id === Number(inner)) };
    case "DELETE aspects": p.change("removal of an aspect", (s) => ({ ...s, aspects: s.aspects.filter((a) => a.id !== Number(inner)), examples: s.examples.filter((e) => !e.aspects.includes(Number(inner))) })); return { status: 204 };
    case "GET examples": {
      const of = query.get("aspect");
      const examples = p.examples.filter((e) => (of === "none" ? !e.aspects.length : e.aspects.includes(Number(of))));
      return { content: { total: examples.length, examples } };
    }
    case "POST examples": return { status: 201, content: p.setExample(body.text, body.aspects, null) };
    case "PATCH examples": return { content: p.setExample(p.examples.find((e) => e.id === Number(inner))!.text, body.aspects, null) };
    case "DELETE examples": p.change("removal of an example", (s) => ({ ...s, examples: s.examples.filter((e) => e.id !== Number(inner)) })); return { status: 204 };
    case "GET sentences": return inner ? details(p, Number(inner)) : sentences(p, query);
    case "PUT sentences":
    case "DELETE sentences": {
      const row = p.rows.find((r) => r.id === Number(inner))!;
      if (last === "skipped") return { status: 204 };
      if (last === "rejected") {
        const one = { sentence: row.id, aspect: Number(path.split("/")[6]) };
        const without = (own: typeof one) => own.sentence !== one.sentence || own.aspect !== one.aspect;
        p.change("rejection", (s) => ({ ...s, rejected: [...s.rejected.filter(without), ...(method === "PUT" ? [one] : [])] }));
        return { content: p.sentence(row) };
      }
      if (method === "PUT") p.setExample(row.text, body.aspects, row.id);
      else p.change("release", (s) => ({ ...s, examples: s.examples.filter((e) => e.sentence_id !== row.id) }));
      return { content: p.sentence(row) };
    }
    case "GET groups": return { content: { groups: [{ name: "wifi", size: 12, share: 0.1, words: ["wifi", "password"], sentences: ["The wifi kept dropping.", "No wifi in our room."], takes: [] }] } };
    case "GET suggestions": return { content: { suggestions: p.rows.map(p.sentence).filter((s) => !s.confirmed && uncertain(s.scores)).slice(0, 10).map((sentence) => ({ sentence, reason: "near the threshold" })), changed: null, settled: false } };
    case "GET audit": return { content: inner === "result" ? { result: null } : { sentences: p.rows.map(p.sentence).slice(0, 10), checked: 0, size: p.rows.length } };
    case "PUT audit": return { content: { sentence: Number(inner), aspects: body.aspects } };
    case "GET examples-to-check": return { content: { issues: [], growth: [] } };
    case "POST imports": return inner === "preview" ? { content: preview() } : { status: 202, content: { job: 1 } };
    case "GET imports": return { content: { imports: [{ id: 1, name: "hotel.xlsx", created: "2024-03-01T10:00:00Z", reviews: p.reviews.length, labels: 3 }] } };
    case "DELETE imports": case "DELETE reviews": return { status: 204 };
    case "GET jobs": return { type: "text/event-stream", content: last && [0, 2000, 5000].map((done) => `event: progress\ndata: ${JSON.stringify({ stage: "detecting", done, total: 5000, skipped: 2 })}\n\n`).join("") + "event: done\ndata: {}\n\n" };
    case "GET columns": return { content: { columns: [] } };
    case "GET sentiment": return { content: { scored: 1, on: false, aspects: [], unit: "month", periods: [], rating: null } };
    case "GET periods": return { content: { unit: "month", told: 1, periods: [] } };
    case "GET dashboard": return { content: dashboard(p) };
    case "POST detect": {
      const s = p.sentence({ id: 0, review: 0, position: 0, text: body.texts[0] });
      const name = (aspect: number | string) => p.aspects.find((a) => a.id === Number(aspect))!.name;
      return { content: { revision: p.revision, results: [{ aspects: s.aspects.map(name), scores: Object.fromEntries(Object.entries(s.scores).map(([a, v]) => [name(a), v])) }] } };
    }
    case "POST tune": return { content: { aspects: p.aspects.map(({ id, name }) => ({ id, name, threshold_before: 0.45, threshold: 0.5, f1_before: 0.8, f1: 0.9, texts: 12 })) } };
    case "POST evaluate": return { content: evaluation(p) };
    case "GET snippet": return { content: { python: "from fewaspect import AspectDetector\n\ndetector = AspectDetector.load(\"detector\")\ndetector.detect([\"The garage was full.\"])\n" } };
    case "GET results": return { type: "text/csv", content: "text,aspects\n" };
  }
  return wrong(404, `${method} ${path} is not in the mock.`);
}

const uncertain = (scores: Record<string, number>) => Object.values(scores).some((v) => Math.abs(v - 0.45) < 0.1);

function sentences(p: MockProject, query: URLSearchParams): Answer {
  const has = (name: string, aspects: number[]) => !query.get(name) || aspects.includes(Number(query.get(name)));
  const show = query.get("show");
  const found = p.rows.map(p.sentence).filter((s) => has("aspect", s.aspects) && has("together", s.aspects) && s.date!.startsWith(query.get("period") ?? "")
    && s.text.toLowerCase().includes((query.get("q") ?? "").toLowerCase())
    && (show !== "none" || !s.aspects.length) && (show !== "uncertain" || uncertain(s.scores)) && (show !== "examples" || s.confirmed));
  const offset = Number(query.get("offset"));
  return { content: { total: found.length, position: found.findIndex((s) => s.id === Number(query.get("locate"))), revision: p.revision, scored: 1, sentences: found.slice(offset, offset + Number(query.get("limit"))) } };
}

function details(p: MockProject, id: number): Answer {
  const row = p.rows.find((r) => r.id === id);
  if (!row) return wrong(404, `There is no sentence ${id}.`);
  const review = p.reviews[row.review]!;
  const nearest = Object.fromEntries(p.aspects.map((a) => [a.id, p.examples.filter((e) => e.aspects.includes(a.id)).map((e, i) => ({ text: e.text, similarity: 0.8 - 0.2 * i - 0.05 * (a.id % 7), example_id: e.id }))]));
  const thresholds = Object.fromEntries(p.aspects.map((a) => [a.id, a.threshold ?? p.threshold]));
  return { content: { ...p.sentence(row), nearest, review: { id: row.review, text: review.text, fields: { hotel: review.hotel, date: review.date, stars: 4 } }, thresholds } };
}

function dashboard(p: MockProject) {
  const all = p.rows.map(p.sentence);
  const together = p.aspects.flatMap((a, i) => p.aspects.slice(i + 1).map((b) => [a.id, b.id, all.filter((s) => s.aspects.includes(a.id) && s.aspects.includes(b.id)).length]));
  return { sentences: all.length, none: all.filter((s) => !s.aspects.length).length, reviews: p.reviews.length, reviews_none: 0, aspects: p.counted().map(({ id, found }) => ({ id, count: found, reviews: found })), together, groups: [] };
}

const preview = () => ({
  format: "csv", text_column: "review", date_column: "date", encoding: "utf-8", delimiter: "comma", sheet: null, sheets: [], duplicates: 0, repeated: 0, same_file: null,
  columns: ["hotel", "stars", "date", "review"].map((name) => ({ name, samples: ["…"], kind: "text", date_order: null })),
  rows: [1, 2, 3].map((i) => ({ hotel: "Seaview", stars: i, date: `2024-03-0${i}`, review: "The garage was full when we came back at night, but breakfast was lovely." })),
});

function evaluation(p: MockProject) {
  const curve = Array.from({ length: 40 }, (_, i) => ({ threshold: (i + 1) / 41, precision: 0.4 + 0.6 * ((i + 1) / 40) ** 0.6, recall: 1 - (i / 40) ** 2 }));
  const aspects = p.aspects.map(({ id, name }) => ({ id, name, precision: 0.86, recall: 0.8, f1: 0.83, average_precision: 0.9, support: 30, confusion: { tp: 24, fp: 4, fn: 6, tn: 166 }, curve, threshold: 0.45 }));
  return { macro_f1: 0.83, micro_f1: 0.84, mean_average_precision: 0.9, right_empties: 0.75, calibration_error: 0.04, texts: 200, aspects };
}
