import { scene } from "../support/cox.ts";
import { conform } from "./conform.ts";
import { demo } from "./demo-subject.ts";

conform("demo", (finished) => demo(scene(finished)));
