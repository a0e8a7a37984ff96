let asked = 0;

export default {
  SubmitJob: async () => ({ id: "job-1", status: "queued" }),

  AskStatus: async ({ id, kind }) => {
    asked += 1;
    if (kind === "broken" && asked === 2) return { id, status: "broken", reason: "The table is locked" };
    return asked < 4 ? { id, status: "running", percent: asked * 25 } : { id, status: "done", rows: 1200 };
  },
};
