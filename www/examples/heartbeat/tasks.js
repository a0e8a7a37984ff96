export default {
  // Puts the job into the queue. Under “Waiting tasks” you are the worker: answer, send heartbeats, or stay silent.
  Render: async ({ MessageBody }, task) => {
    console.log("attempt", task.attempt + 1, "of", MessageBody.film);
    return { MessageId: "1" };
  },
};
