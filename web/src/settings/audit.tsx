import { useApi } from "../api/query.ts";
import { cut, revealed } from "../base/safe-text.ts";
import { dateTime } from "../base/times.ts";
import { address, Link } from "../router.tsx";
import { Empty, Loaded } from "../ui/parts.tsx";

/** Who decided what, and when. */
export function Audit() {
  const audit = useApi("GET /audit", { query: { limit: 100 } });
  return (
    <Loaded answer={audit} lines={8}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="list" title="Nothing was decided yet" />
        ) : (
          <div className="panel scroll-x">
            <table className="table">
              <thead>
                <tr>
                  <th>When</th>
                  <th>Who</th>
                  <th>What</th>
                  <th>Details</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ at, who, what, run, data }, i) => (
                  <tr key={i}>
                    <td className="one-line">{dateTime(at)}</td>
                    <td>{cut(revealed(who), 60)}</td>
                    <td>{run ? <Link to={address("runs", run)}>{what}</Link> : what}</td>
                    <td className="mono">{data ? cut(revealed(JSON.stringify(data)), 160) : ""}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Loaded>
  );
}
