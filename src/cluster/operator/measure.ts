import { type Counter, type Histogram, type Metrics, metrics } from "../../lib/http/metrics.ts";

/** What can be watched of the operator. */
export interface OperatorMetrics {
  registry: Metrics;
  /** From a Task's creation to its Job's. */
  startLatency: Histogram;
  waited: Histogram;
  worked: Histogram;
  errors: Counter;
  conflicts: Counter;
  finished: Counter;
  duration: Histogram;
  cost: Counter;
}

const LONG = [1, 5, 15, 60, 300, 900, 1800, 3600, 14_400];

export function operatorMetrics(read: {
  queueDepth: () => number;
  tasks: () => number;
  leading: () => boolean;
}): OperatorMetrics {
  const registry = metrics();
  registry.gauge("cox_operator_queue_depth", "Tasks that wait for a look.", read.queueDepth);
  registry.gauge("cox_operator_tasks", "Tasks that are known.", read.tasks);
  registry.gauge("cox_operator_leading", "1 while this process leads.", () => (read.leading() ? 1 : 0));
  registry.gauge("process_resident_memory_bytes", "Memory of the process.", () => process.memoryUsage.rss());
  return {
    registry,
    startLatency: registry.histogram(
      "cox_operator_start_seconds",
      "From a Task's creation to its Job's.",
      [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
    ),
    waited: registry.histogram("cox_operator_queue_seconds", "How long Tasks waited for a look."),
    worked: registry.histogram("cox_operator_reconcile_seconds", "How long a look took."),
    errors: registry.counter("cox_operator_reconcile_errors_total", "Looks that failed and are tried again."),
    conflicts: registry.counter(
      "cox_operator_conflicts_total",
      "Status writes refused because somebody else was first.",
    ),
    finished: registry.counter("cox_tasks_finished_total", "Tasks that ended, by phase and agent type."),
    duration: registry.histogram("cox_task_duration_seconds", "How long agents worked.", LONG),
    cost: registry.counter("cox_task_cost_usd_total", "What Tasks cost, as their agents say."),
  };
}
