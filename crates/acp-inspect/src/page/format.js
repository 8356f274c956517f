// Numbers as people read them.

const whole = new Intl.NumberFormat("en");

export const count = (number) => whole.format(number);

export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

// A time since the first message.
export function time(micros) {
  const seconds = micros / 1e6;
  if (seconds < 60) return seconds.toFixed(3);
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds % 60).toFixed(3).padStart(6, "0");
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

export function duration(micros) {
  if (micros === null || micros === undefined) return "";
  if (micros < 1000) return `${micros} µs`;
  if (micros < 1e6) return `${(micros / 1000).toFixed(micros < 10_000 ? 2 : 1)} ms`;
  return `${(micros / 1e6).toFixed(2)} s`;
}

// The part of a bar that a latency fills: from 100 µs to 100 s, each factor of ten a sixth.
export const share = (micros) => Math.min(1, Math.max(0.02, (Math.log10(Math.max(1, micros)) - 2) / 6));
