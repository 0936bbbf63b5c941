import { Suspense } from "react";
import { useStore } from "../base/store.ts";
import { lazyScreen } from "./lazy-screen.ts";
import { newTask } from "./new-task-state.ts";

const TaskDialog = lazyScreen(async () => (await import("./task-dialog.tsx")).TaskDialog);

/** The form comes when it is wanted. */
export function NewTask() {
  const open = useStore(newTask);
  if (open === undefined) return null;
  return (
    <Suspense fallback={null}>
      <TaskDialog given={open} />
    </Suspense>
  );
}
