// opencode repeats requests without a word in its output. This tells of it.
export const Forkhestra = async () => ({
  event: async ({ event }) => {
    const status = event.type === "session.status" ? event.properties?.status : undefined;
    if (status?.type !== "retry") return;
    const seconds = Math.max(0, Math.ceil((status.next - Date.now()) / 1000));
    const why = String(status.message ?? "").replace(/\s+/g, " ").slice(0, 2000);
    const until = new Date(status.next).toISOString();
    process.stderr.write(`opencode tries again at ${until} (attempt ${status.attempt}, in ${seconds} s): ${why}\n`);
  },
});
