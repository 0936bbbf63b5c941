/** For those that may not start programs, and so see nothing of `lib/process`: who we are, and whether another is gone. */
export { isGone, ourselves } from "../../lib/process/holders/holder.ts";
