import { beforeEach, expect, test, vi } from "vitest";
import type { Project, Sentence } from "../src/api/types";
import { change, label, reject, release, restore, saved, undo } from "../src/state/corrections";
import { offline } from "../src/api/http";
import { toasts } from "../src/state/messages";
import { project } from "../src/state/project";
import { refresh, sentenceAt } from "../src/state/sentences";
import { kept } from "../src/state/unsaved";

/** A server that answers when the test says so; a question is answered with what was so when it was asked. */
let labels: Map<number, number[]>;
let found: Map<number, number[]>;
let rejected: Map<number, number[]>;
let history: Map<number, number[]>[];
let open: { what: string; answer: (status?: number) => Promise<void> }[];
let received: string[];
let stored: Map<string, string>;

function ask(path: string, { method, body }: { method: string; body: string | null }): Promise<Response> {
  const asked = reading(path);
  const what = `${method} ${path.replace("api/v1/projects/1", "").split("?")[0]} ${body ?? ""}`.trim();
  if (method !== "GET") received.push(what);
  return new Promise((resolve) => {
    const answer = async (status = 200) => {
      open = open.filter((one) => one.answer !== answer);
      const said = status !== 200 ? { detail: "It is full." } : method === "GET" ? asked : changed(method, path, body);
      resolve(new Response(JSON.stringify(said), { status }));
      await tick();
    };
    open.push({ what, answer });
  });
}

function changed(method: string, path: string, body: string | null): unknown {
  if (path.endsWith("/undo")) {
    labels = history.pop()!;
    return { did: "label", project: reading("api/v1/projects/1") };
  }
  const id = Number(/sentences\/(\d+)/.exec(path)![1]);
  const one = Number(/rejected\/(\d+)/.exec(path)?.[1]);
  if (one) {
    rejected.set(id, [...(rejected.get(id) ?? []).filter((other) => other !== one), ...(method === "PUT" ? [one] : [])]);
    const left = labels.get(id)?.filter((other) => other !== one);
    if (left?.length) labels.set(id, left);
    else labels.delete(id);
    return sentence(id);
  }
  history.push(labels);
  labels = new Map(labels);
  if (method === "PUT") labels.set(id, JSON.parse(body!).aspects);
  else labels.delete(id);
  return sentence(id);
}

function reading(path: string): unknown {
  if (path.includes("/sentences?")) return { total: 2, revision: 1, scored: 1, sentences: [sentence(1), sentence(2)] };
  return path.endsWith("/projects") ? { projects: [] } : { id: 1, revision: 1, aspects: [], can_undo: "label" };
}
function sentence(id: number): Sentence {
  const wrong = rejected.get(id) ?? [];
  const aspects = labels.get(id) ?? (found.get(id) ?? []).filter((one) => !wrong.includes(one));
  return { id, review_id: 1, position: 0, text: `Sentence ${id}.`, date: null, aspects, scores: {}, words: [], reason: "", example_id: null, confirmed: labels.has(id), rejected: labels.has(id) ? [] : wrong };
}

const tick = () => new Promise((resume) => setTimeout(resume));
const answer = async (what: string, status?: number) => {
  await tick();
  await open.find((one) => one.what.startsWith(what))!.answer(status);
};
const answerAll = async () => {
  await tick();
  while (open.length) await open[0]!.answer();
};
const at = (index: number) => sentenceAt(index)!;

beforeEach(async () => {
  [labels, history, open, received] = [new Map(), [], [], []];
  [found, rejected] = [new Map(), new Map()];
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  stored = new Map();
  vi.stubGlobal("localStorage", { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, value: string) => stored.set(key, value), removeItem: (key: string) => stored.delete(key) });
  vi.stubGlobal("fetch", ask);
  toasts.value = [];
  offline.value = false;
  project.value = { id: 1, revision: 1, aspects: [], can_undo: null } as unknown as Project;
  void refresh();
  await answerAll();
});

test("the late answer to the first key does not take the second away", async () => {
  label(at(0), [1]);
  await tick();
  label(at(0), [...at(0).aspects, 2]);
  expect(at(0).aspects).toEqual([1, 2]);
  await answer("PUT");
  expect(at(0).aspects).toEqual([1, 2]);
  await answerAll();
  expect(labels.get(1)).toEqual([1, 2]);
  expect(at(0)).toMatchObject({ aspects: [1, 2], confirmed: true });
});

test("of what is said of a sentence while a request is on its way only the newest is sent", async () => {
  label(at(0), [1]);
  await tick();
  for (const aspects of [[1, 2], [2], [2, 3]]) label(at(0), aspects);
  label(at(0), at(0).aspects); // nothing new
  label(at(1), [4]);
  label(at(0), []);
  await answerAll();
  expect(received.map((what) => JSON.parse(what.split(" ")[2]!).aspects)).toEqual([[1], [2, 3], [4], []]);
  expect([...labels]).toEqual([[1, []], [2, [4]]]);
});

test("what was read before a correction was saved does not overwrite it, even if it comes after", async () => {
  void refresh();
  label(at(0), [1]);
  label(at(1), [2]);
  await answer("PUT /sentences/1");
  await answer("GET /sentences");
  expect(at(0)).toMatchObject({ aspects: [1], confirmed: true });
  expect(at(1)).toMatchObject({ aspects: [2], confirmed: true });
  await answerAll();
  expect(at(0).aspects).toEqual([1]);
});

test("undo comes after what was said before it and before what was said after it", async () => {
  label(at(0), [1]);
  await tick();
  label(at(0), [1, 2]);
  void undo();
  label(at(0), [3]);
  await answerAll();
  expect(received.map((what) => what.split(" ")[0])).toEqual(["PUT", "PUT", "POST", "PUT"]);
  expect([...labels]).toEqual([[1, [3]]]);
  expect(history.at(-1)!.get(1)).toEqual([1]);
});

test("what was undone does not come back, whatever was being read meanwhile", async () => {
  label(at(0), [1]);
  await tick();
  void undo();
  void refresh();
  await answer("PUT");
  await answer("POST /undo");
  await answer("GET /sentences");
  await answer("GET api/v1/projects");
  void refresh(); // as when the filter changes
  await answerAll();
  expect(at(0)).toMatchObject({ aspects: [], confirmed: false });
});

test("what could not be saved is said, and the stored state is shown again", async () => {
  label(at(0), [1]);
  await answer("PUT", 400);
  expect(toasts.value.map(({ text }) => text)).toEqual(["Your correction of “Sentence 1.” was not saved. It is full."]);
  expect(at(0)).toMatchObject({ aspects: [], confirmed: false });
  await answerAll();
  label(at(0), [2]);
  await answerAll();
  expect(labels.get(1)).toEqual([2]);
});

test("a correction goes to the project it was made in", async () => {
  label(at(0), [1]);
  label(at(1), [2]);
  project.value = { id: 7, revision: 1, aspects: [] } as unknown as Project;
  await answer("PUT");
  expect(received).toEqual(['PUT /sentences/1/aspects {"aspects":[1],"seen":null}', 'PUT /sentences/2/aspects {"aspects":[2],"seen":null}']);
  await answerAll();
});

test("a released sentence is released at once", async () => {
  label(at(0), [1]);
  await answerAll();
  release(at(0));
  expect(at(0).confirmed).toBe(false);
  await answerAll();
  await saved();
  expect(labels.size).toBe(0);
});

test("each correction says what the person saw: what is stored, or what they said before", async () => {
  label(at(0), [1]);
  await tick();
  label(at(0), [1, 2]);
  await answerAll();
  label(at(0), [2]);
  release(at(1)); // never an example
  void undo();
  label(at(0), [3]); // after an undo nobody knows
  await answerAll();
  const bodies = received.filter((what) => what.startsWith("PUT /sentences/1")).map((what) => JSON.parse(what.split(" ")[2]!).seen);
  expect(bodies).toEqual([null, [1], [1, 2], undefined]);
});

test("what is not saved while the studio does not answer is kept, is not called confirmed, and is sent in order when it is back", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  label(at(0), [1]);
  label(at(1), [2]);
  await vi.advanceTimersByTimeAsync(10);
  expect(offline.value).toBe(true);
  expect([at(0), at(1)]).toMatchObject([{ aspects: [1], unsaved: true }, { aspects: [2], unsaved: true }]);
  expect(kept().map(({ id, aspects }) => [id, aspects])).toEqual([[1, [1]], [2, [2]]]);
  label(at(1), [2, 3]);
  vi.stubGlobal("fetch", (path: string, options: { method: string; body: string | null }) => {
    const asked = ask(path, options);
    void open.at(-1)!.answer();
    return asked;
  });
  await vi.advanceTimersByTimeAsync(5000);
  vi.useRealTimers();
  await answerAll();
  expect([...labels]).toEqual([[1, [1]], [2, [2, 3]]]);
  expect([at(0).unsaved, at(1).unsaved, kept()]).toEqual([undefined, undefined, []]);
});

const NOT_SAVED = ["Your last change was not saved: the studio does not answer."];

test("while a correction waits for the studio, another change is refused at once and is not made later", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  const made: string[] = [];
  label(at(0), [1]);
  const inLine = change(async () => made.push("in line before anyone knew"));
  await vi.advanceTimersByTimeAsync(10);
  expect(await inLine).toBeUndefined();
  expect(toasts.value.map(({ text }) => text)).toEqual(NOT_SAVED);
  toasts.value = [];
  expect(await change(async () => made.push("after it"))).toBeUndefined();
  expect(toasts.value.map(({ text }) => text)).toEqual(NOT_SAVED);
  label(at(0), [2]);
  vi.stubGlobal("fetch", (path: string, options: { method: string; body: string | null }) => {
    const asked = ask(path, options);
    void open.at(-1)!.answer();
    return asked;
  });
  await vi.advanceTimersByTimeAsync(5000);
  vi.useRealTimers();
  await answerAll();
  expect(made).toEqual([]);
  expect([...labels]).toEqual([[1, [2]]]);
  expect(await change(async () => made.push("when it is back"))).toBe(1);
  await answerAll();
});

for (const status of [502, 503, 504]) {
  test(`a correction that meets ${status} is kept and sent again`, async () => {
    vi.useFakeTimers();
    label(at(0), [1]);
    await vi.advanceTimersByTimeAsync(10);
    const refused = open[0]!.answer(status);
    await vi.advanceTimersByTimeAsync(10);
    await refused;
    expect([at(0).unsaved, kept().length, toasts.value]).toEqual([true, 1, []]);
    vi.stubGlobal("fetch", (path: string, options: { method: string; body: string | null }) => {
      const asked = ask(path, options);
      void open.at(-1)!.answer();
      return asked;
    });
    await vi.advanceTimersByTimeAsync(5000);
    vi.useRealTimers();
    await answerAll();
    expect([...labels]).toEqual([[1, [1]]]);
    expect([at(0).unsaved, kept(), toasts.value]).toEqual([undefined, [], []]);
  });
}

const readAgain = async () => {
  void refresh();
  await answerAll();
};

test("a rejection of one aspect says nothing of the others, and the sentence is not confirmed", async () => {
  found.set(1, [1, 2]);
  await readAgain();
  reject(at(0), 1);
  expect(at(0)).toMatchObject({ aspects: [2], rejected: [1], confirmed: false, unsaved: true });
  await answerAll();
  expect(at(0)).toMatchObject({ aspects: [2], rejected: [1], confirmed: false });
  expect([received, labels.size]).toEqual([['PUT /sentences/1/rejected/1 {"seen":null}'], 0]);
  restore(at(0), 1);
  expect(at(0)).toMatchObject({ aspects: [2, 1], rejected: [] });
  await answerAll();
  expect(at(0).aspects).toEqual([1, 2]);
});

test("several rejections and labels said fast are all sent, in order", async () => {
  found.set(1, [1, 2]);
  await readAgain();
  reject(at(0), 1);
  await tick();
  reject(at(0), 2);
  expect(at(0)).toMatchObject({ aspects: [], rejected: [1, 2], confirmed: false });
  label(at(0), [3]);
  reject(at(0), 3);
  await answerAll();
  expect(received.map((what) => what.replace(/^(\S+) .sentences.1./, "$1 "))).toEqual([
    'PUT rejected/1 {"seen":null}', 'PUT rejected/2 {"seen":null}', 'PUT aspects {"aspects":[3],"seen":null}', 'PUT rejected/3 {"seen":[3]}',
  ]);
  expect(at(0)).toMatchObject({ aspects: [], confirmed: false });
  expect(kept()).toEqual([]);
});

test("the only label of a confirmed sentence is taken away, and it is no example of none", async () => {
  label(at(0), [1]);
  await answerAll();
  reject(at(0), 1);
  expect(at(0)).toMatchObject({ aspects: [], confirmed: false });
  await answerAll();
  expect(labels.size).toBe(0);
  label(at(0), [1, 2]);
  await answerAll();
  reject(at(0), 1);
  expect(at(0)).toMatchObject({ aspects: [2], confirmed: true });
  await answerAll();
  expect([...labels]).toEqual([[1, [2]]]);
});

test("a rejection that could not be saved is said, and the others are kept in the browser until they are", async () => {
  found.set(1, [1, 2]);
  await readAgain();
  reject(at(0), 1);
  reject(at(0), 2);
  expect(kept().map(({ ofOne }) => ofOne?.aspect)).toEqual([1, 2]);
  await answer("PUT /sentences/1/rejected/1", 400);
  expect(toasts.value.map(({ text }) => text)).toEqual(["Your correction of “Sentence 1.” was not saved. It is full."]);
  expect(kept().map(({ ofOne }) => ofOne?.aspect)).toEqual([2]);
  await answerAll();
  expect(at(0)).toMatchObject({ aspects: [1], rejected: [2] });
});
