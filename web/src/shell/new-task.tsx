import { Suspense } from "react";
import { useStore } from "../base/store.ts";
import { newTask } from "../tasks/new-task-state.ts";
import { lazyScreen } from "../ui/lazy-screen.ts";

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
