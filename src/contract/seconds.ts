/** People and files say seconds; timers take milliseconds. */
export const inMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

export const inSeconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);
