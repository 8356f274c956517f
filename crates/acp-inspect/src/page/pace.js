// Work that follows the growth of a connection, with pauses between.

import { tell } from "./problem.js";

// Returns a function that does something now or soon. Between two times are at least so many
// milliseconds, and four times as many as it took: the server has other work. The last call counts.
export function paced(act, least) {
  let [timer, notBefore, isBusy, isWanted] = [0, 0, false, false];
  const run = async () => {
    clearTimeout(timer);
    isWanted = true;
    if (isBusy) return;
    const begun = performance.now();
    if (begun < notBefore) {
      timer = setTimeout(run, notBefore - begun);
      return;
    }
    [isBusy, isWanted] = [true, false];
    try {
      await act();
    } catch (error) {
      tell(error);
    }
    const end = performance.now();
    notBefore = end + Math.max(least, 4 * (end - begun));
    isBusy = false;
    if (isWanted) run();
  };
  return run;
}
