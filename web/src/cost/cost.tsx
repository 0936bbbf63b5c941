import { useMemo } from "react";
import { formatCost, formatCount, formatDuration } from "../../../src/contract/words/figures.ts";
import { useApi } from "../api/query.ts";
import { go, usePlace, withQuery } from "../router.tsx";
import { Empty, Loaded, Screen, Segments } from "../ui/parts.tsx";
import { bars, type CostRow, lastDays, type Measure } from "./chart.ts";
import "../style/agents.css";

/** What the agents' work costs, per day, agent and project. */
export function CostScreen() {
  const place = usePlace();
  const days = place.query.get("days") === "7" ? 7 : place.query.get("days") === "90" ? 90 : 30;
  const measure: Measure =
    place.query.get("by") === "tokens" ? "tokens" : place.query.get("by") === "runs" ? "runs" : "cost_usd";
  const stats = useApi("GET /stats", { query: { days } });
  const choose = (values: Record<string, string>) => go(withQuery(place, values), { replace: true });
  const actions = (
    <>
      <Segments
        label="Measure"
        value={measure}
        options={[
          { value: "cost_usd", label: "Cost" },
          { value: "tokens", label: "Tokens" },
          { value: "runs", label: "Runs" },
        ]}
        onChange={(by) => choose({ by: by === "cost_usd" ? "" : by })}
      />
      <Segments
        label="Days"
        value={String(days)}
        options={["7", "30", "90"].map((value) => ({ value, label: `${value} days` }))}
        onChange={(value) => choose({ days: value === "30" ? "" : value })}
      />
    </>
  );
  return (
    <Screen title="Cost" actions={actions}>
      <Loaded answer={stats} lines={8}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty icon="cost" title="Nothing was spent">
              Costs appear when a run ends: as its agent reports them, or estimated from tokens and list prices.
            </Empty>
          ) : (
            <Charts rows={rows} days={days} measure={measure} />
          )
        }
      </Loaded>
    </Screen>
  );
}

const shown = (measure: Measure, value: number) =>
  measure === "cost_usd" ? formatCost(value) || "$0" : formatCount(value);

function Charts({ rows, days, measure }: { rows: readonly CostRow[]; days: number; measure: Measure }) {
  const sum = (of: (row: CostRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const runs = sum((row) => row.runs);
  const numbers: readonly [string, string][] = [
    [
      "Cost",
      shown(
        "cost_usd",
        sum((row) => row.cost_usd),
      ),
    ],
    ["Tokens", formatCount(sum((row) => row.tokens))],
    ["Runs", formatCount(runs)],
    [
      "Failed",
      `${formatCount(sum((row) => row.failed))} (${runs === 0 ? 0 : Math.round((sum((row) => row.failed) / runs) * 100)}%)`,
    ],
    ["Time", formatDuration(sum((row) => row.duration_s) * 1000)],
  ];
  return (
    <>
      <div className="cost-numbers">
        {numbers.map(([name, value]) => (
          <div key={name} className="panel cost-number">
            <b>{value}</b>
            <span className="muted">{name}</span>
          </div>
        ))}
      </div>
      <div className="cost-charts">
        {(["agent", "project"] as const).map((by) => (
          <section key={by} className="panel">
            <h2>Per day and {by}</h2>
            <div className="panel-body">
              <Chart rows={rows} days={days} by={by} measure={measure} />
            </div>
          </section>
        ))}
      </div>
    </>
  );
}

const WIDTH = 900;
const HEIGHT = 180;

function Chart({
  rows,
  days,
  by,
  measure,
}: {
  rows: readonly CostRow[];
  days: number;
  by: "agent" | "project";
  measure: Measure;
}) {
  const chart = useMemo(() => bars(rows, lastDays(days, Date.now()), by, measure), [rows, days, by, measure]);
  const step = WIDTH / chart.bars.length;
  const scale = chart.most === 0 ? 0 : HEIGHT / chart.most;
  return (
    <>
      <svg
        className="chart"
        viewBox={`0 -14 ${WIDTH} ${HEIGHT + 34}`}
        role="img"
        aria-label={`${measure} per day and ${by}`}
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <text x="0" y="-4">
          {shown(measure, chart.most)}
        </text>
        {chart.bars.map(({ day, parts, total }, i) => {
          let top = HEIGHT;
          return (
            <g key={day}>
              <title>{`${day}: ${shown(measure, total)}`}</title>
              {parts.map((part, j) => {
                const height = part * scale;
                top -= height;
                return height === 0 ? null : (
                  <rect
                    key={chart.series[j]}
                    className={`series-${j}`}
                    x={i * step + step * 0.15}
                    width={step * 0.7}
                    y={top}
                    height={height}
                  />
                );
              })}
              {i % Math.ceil(days / 10) === 0 && (
                <text x={i * step + step / 2} y={HEIGHT + 15} textAnchor="middle">
                  {day.slice(5)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <div className="legend">
        {chart.series.map((name, i) => (
          <span key={name}>
            <i className={`series-${i}`} />
            {name} <span className="muted">{shown(measure, chart.totals[i] ?? 0)}</span>
          </span>
        ))}
      </div>
    </>
  );
}
