/** Prometheus text format, version 0.0.4. Names and labels are ours; only label values may hold anything. */
export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(by?: number, labels?: Labels): void;
}

export interface Gauge extends Counter {
  set(value: number, labels?: Labels): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

export interface Metrics {
  /** With `read`, somebody else counts, and is asked when the text is made. */
  counter(name: string, help: string, read?: () => number): Counter;
  gauge(name: string, help: string, read?: () => number): Gauge;
  histogram(name: string, help: string, bounds?: readonly number[]): Histogram;
  text(): string;
}

export function metrics(): Metrics {
  const families: (() => string[])[] = [];

  const family = (name: string, help: string, type: string, samples: () => string[]) => {
    families.push(() => [`# HELP ${name} ${help.replace(/\s+/g, " ")}`, `# TYPE ${name} ${type}`, ...samples()]);
  };

  const numbers = (name: string, help: string, type: string, read?: () => number): Gauge => {
    const values = new Map<string, number>();
    family(name, help, type, () => {
      if (read !== undefined) values.set("", read());
      return [...values].map(([labels, value]) => `${name}${labels} ${value}`);
    });
    return {
      add: (by = 1, labels) => void values.set(braces(labels), (values.get(braces(labels)) ?? 0) + by),
      set: (value, labels) => void values.set(braces(labels), value),
    };
  };

  return {
    counter: (name, help, read) => numbers(name, help, "counter", read),
    gauge: (name, help, read) => numbers(name, help, "gauge", read),
    histogram(name, help, bounds = SECONDS) {
      const series = new Map<string, { labels: Labels; buckets: number[]; sum: number; count: number }>();
      family(name, help, "histogram", () =>
        [...series.values()].flatMap(({ labels, buckets, sum, count }) => [
          ...bounds.map((le, at) => `${name}_bucket${braces({ ...labels, le: String(le) })} ${buckets[at]}`),
          `${name}_bucket${braces({ ...labels, le: "+Inf" })} ${count}`,
          `${name}_sum${braces(labels)} ${sum}`,
          `${name}_count${braces(labels)} ${count}`,
        ]),
      );
      return {
        observe(value, labels = {}) {
          const key = braces(labels);
          const one = series.get(key) ?? { labels, buckets: bounds.map(() => 0), sum: 0, count: 0 };
          series.set(key, one);
          for (const [at, le] of bounds.entries()) if (value <= le) one.buckets[at] = (one.buckets[at] ?? 0) + 1;
          one.sum += value;
          one.count++;
        },
      };
    },
    text: () => `${families.flatMap((lines) => lines()).join("\n")}\n`,
  };
}

const SECONDS: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

function braces(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escape = (value: string): string => value.replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));
