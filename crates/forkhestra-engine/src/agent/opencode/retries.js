// opencode does not report retries in its output, and reports tools and texts only when they are
// complete. This plugin prints a line for each retry, and lines that show progress.
const INTERVAL = 5000;

export const Forkhestra = async () => {
  const tools = new Set();
  let shown = 0;
  let last = 0;

  const atWork = () => {
    const now = Date.now();
    if (tools.size === shown && now - last < INTERVAL) return;
    shown = tools.size;
    last = now;
    process.stderr.write(`opencode is at work, tools running: ${tools.size}\n`);
  };

  const part = (part) => {
    if (part?.type === "tool") {
      if (part.state?.status === "running") tools.add(part.callID);
      else if (part.state?.status !== "pending") tools.delete(part.callID);
    } else if (part?.type !== "text" && part?.type !== "reasoning") {
      return;
    }
    atWork();
  };

  const retry = (status) => {
    const seconds = Math.max(0, Math.ceil((status.next - Date.now()) / 1000));
    const why = String(status.message ?? "").replace(/\s+/g, " ").slice(0, 2000);
    const until = new Date(status.next).toISOString();
    process.stderr.write(`opencode tries again at ${until} (attempt ${status.attempt}, in ${seconds} s): ${why}\n`);
  };

  return {
    event: async ({ event }) => {
      const status = event.type === "session.status" ? event.properties?.status : undefined;
      if (status?.type === "retry") retry(status);
      if (event.type === "message.part.updated") part(event.properties?.part);
      if (event.type === "message.part.delta") atWork();
    },
  };
};
