/** How a program that is started anew for every turn is told things; what its definition has no words for is missing. */
export interface TurnWords {
  model?(name: string): string[];
  resume?(sessionId: string): string[];
  fork?(sessionId: string): string[];
  /** Missing: the prompt goes to its stdin. */
  prompt?(text: string): string[];
}
