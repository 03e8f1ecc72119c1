import type { Column, Segment } from "../api/types";

export interface Condition {
  column: string;
  operator: "=" | "!=" | ">=" | "<=";
  value: string;
}

/** As the server reads it; in the name of the column the signs of the operators are percent-encoded. */
export const condition = ({ column, operator, value }: Condition) => `${column.replace(/[%=<>!]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}${operator}${value}`;

export function readCondition(text: string): Condition | null {
  const [, column, operator, value] = /^([^=<>!]+)(!=|>=|<=|=)(.*)$/.exec(text) ?? [];
  if (!column) return null;
  return { column: column.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))), operator: operator as Condition["operator"], value: value! };
}

export const sameConditions = (one: string[], other: string[]) => one.length === other.length && one.every((text) => other.includes(text));

export const segmentOf = (columns: Column[] | null, where: string[]): Segment | undefined =>
  columns?.flatMap((column) => column.segments).find((segment) => sameConditions(segment.where, where));

/** The conditions of each column, with words for them. */
export function inWords(where: string[], columns: Column[] | null = null): { column: string; words: string; where: string[] }[] {
  const byColumn = new Map<string, string[]>();
  for (const text of where) {
    const name = readCondition(text)?.column ?? text;
    byColumn.set(name, [...(byColumn.get(name) ?? []), text]);
  }
  return [...byColumn].map(([column, own]) => ({ column, where: own, words: `${column}: ${segmentOf(columns, own)?.label ?? describe(own)}` }));
}

function describe(where: string[]): string {
  const parts = where.map(readCondition).filter((part) => part !== null);
  const value = (operator: Condition["operator"]) => parts.find((part) => part.operator === operator)?.value;
  const [low, high] = [value(">="), value("<=")];
  const words = [
    ...parts.filter((part) => part.operator === "=").map((part) => part.value || "not given"),
    low !== undefined && high !== undefined ? `${low} to ${high}` : low !== undefined ? `${low} or more` : high !== undefined ? `up to ${high}` : "",
    ...(parts.some((part) => part.operator === "!=") ? [`other than ${parts.filter((part) => part.operator === "!=").map((part) => part.value || "not given").join(", ")}`] : []),
  ];
  return words.filter(Boolean).join(", ");
}

/** A period in words: what the server calls 2024-01-01..2024-03-31. */
export const periodInWords = (period: string) => {
  const [first, last] = period.split("..");
  return last && last !== first ? `${first} to ${last}` : first!;
};
