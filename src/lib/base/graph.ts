interface Visit {
  node: string;
  index: number;
  /** The earliest open visit that can be reached from here. */
  low: number;
  isOpen: boolean;
  leadsToItself: boolean;
  rest: Iterator<string>;
}

/**
 * Groups of nodes that lead back to themselves, each with all its members. Linear in nodes and edges (Tarjan), and without
 * recursion, so that a long chain costs no stack.
 */
export function findCycles(nodes: Iterable<string>, next: (node: string) => Iterable<string>): string[][] {
  const visits = new Map<string, Visit>();
  const open: Visit[] = [];
  const cycles: string[][] = [];
  for (const node of nodes) {
    if (visits.has(node)) continue;
    const path = [enter(node)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const step = visit.rest.next();
      if (step.done) {
        path.pop();
        leave(visit, path.at(-1));
      } else {
        look(visit, step.value, path);
      }
    }
  }
  return cycles;

  function enter(node: string): Visit {
    const index = visits.size;
    const rest = next(node)[Symbol.iterator]();
    const visit: Visit = { node, index, low: index, isOpen: true, leadsToItself: false, rest };
    visits.set(node, visit);
    open.push(visit);
    return visit;
  }

  function look(visit: Visit, node: string, path: Visit[]): void {
    if (node === visit.node) visit.leadsToItself = true;
    const known = visits.get(node);
    if (known === undefined) path.push(enter(node));
    else if (known.isOpen) visit.low = Math.min(visit.low, known.index);
  }

  function leave(visit: Visit, parent: Visit | undefined): void {
    if (parent !== undefined) parent.low = Math.min(parent.low, visit.low);
    if (visit.low !== visit.index) return;
    const members: string[] = [];
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      member.isOpen = false;
      members.push(member.node);
      if (member === visit) break;
    }
    if (members.length > 1 || visit.leadsToItself) cycles.push(members.toReversed());
  }
}
