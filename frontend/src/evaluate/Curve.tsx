import type { CurvePoint } from "../api/types";
import { probability } from "../text/numbers";

const WIDE = 320;
const HIGH = 220;
const LEFT = 44;
const BOTTOM = 34;
const TOP = 10;
const x = (recall: number) => LEFT + recall * (WIDE - LEFT - 10);
const y = (precision: number) => TOP + (1 - precision) * (HIGH - TOP - BOTTOM);

const known = (point: CurvePoint): point is CurvePoint & { precision: number } => point.precision !== null;

interface Props {
  curve: CurvePoint[];
  present: CurvePoint | null;
  tried: CurvePoint | null;
}

/** Precision over recall, with the threshold in use as a dot and one that is tried as a ring. */
export function Curve({ curve, present, tried }: Props) {
  const line = curve.filter(known).sort((a, b) => a.recall - b.recall || b.precision - a.precision).map((point) => `${x(point.recall).toFixed(1)},${y(point.precision).toFixed(1)}`);
  const told = present ? `At the threshold in use precision is ${probability(present.precision)} and recall ${probability(present.recall)}.` : "";
  return (
    <svg class="curve" viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={`Precision-recall curve. ${told}`}>
      {[0, 0.25, 0.5, 0.75, 1].map((tick) => (
        <g key={tick}>
          <line class="grid" x1={LEFT} x2={x(1)} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">{tick}</text>
          {tick > 0 && <text x={x(tick)} y={y(0) + 14} text-anchor="middle">{tick}</text>}
        </g>
      ))}
      <text transform={`translate(11 ${y(0.5)}) rotate(-90)`} text-anchor="middle">precision</text>
      <text x={x(0.5)} y={HIGH - 5} text-anchor="middle">recall</text>
      <polyline points={line.join(" ")} />
      {present && known(present) && <circle class="present" cx={x(present.recall)} cy={y(present.precision)} r="5.5"><title>threshold {probability(present.threshold)}</title></circle>}
      {tried && known(tried) && <circle class="tried" cx={x(tried.recall)} cy={y(tried.precision)} r="6.5" />}
    </svg>
  );
}
