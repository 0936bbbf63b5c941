/** In what manner a request can be answered now. */
export interface Manner {
  /** It is answered, or an answer is on its way. */
  over: boolean;
  /** Not all of it is shown. */
  isCut: boolean;
  /** Shows what is below the edge; `undefined` when all of it was in sight. */
  showMore: (() => void) | undefined;
  /** Keys act on it; on others they only have their room. */
  isCurrent: boolean;
  /** A word about what was pressed, where the request stands. */
  say: (text: string) => void;
}

export const keycap = ({ isCurrent }: Manner, shortcut: string) => ({ shortcut, shortcutRests: !isCurrent });
